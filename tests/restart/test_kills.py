# processors: 2
"""SIGKILL of root, a worker or mpirun at any moment loses nothing that was acknowledged, and leaves no trace in the data.

    test_kills.py [KILLS [SEED]]     30 kills; a report is printed where the number is given. The seed is printed with every failure.

The claims are in kills.py. Silent when right.
"""

import pathlib
import random
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from kills import Campaign  # noqa: E402
from sweeps import Runs, finish  # noqa: E402


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    with tempfile.TemporaryDirectory(prefix="graze_kills_") as folder:
        campaign = Campaign(Runs(folder), kills, seed)
        campaign.run()
    if len(sys.argv) > 1:
        print(campaign.report())
    return finish()


if __name__ == "__main__":
    sys.exit(main())
