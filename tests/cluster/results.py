"""For the tests here, what is in a result.

results.py same ONE OTHER      the data are bit-identical, wall_seconds and provenance excepted: silent, exit code 0; else what differs, 1
results.py sessions FOLDER     a line for every session: why it ended, its ranks, its cells, its job
"""

import pathlib
import shutil
import subprocess
import sys

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import differences  # noqa: E402


def same(one, other):
    found = differences(one, other)
    if found:
        return f"{one} and {other} differ in {', '.join(found)}"
    # h5diff is what a user would ask; it sees less
    tool = shutil.which("h5diff")
    left_out = ["--exclude-path", "/wall_seconds", "--exclude-path", "/provenance"]
    diff = tool and subprocess.run([tool, *left_out, one, other], capture_output=True, text=True)
    return f"h5diff finds {one} and {other} different: {diff.stdout}{diff.stderr}" if diff and diff.returncode else None


def sessions(folder):
    with h5py.File(pathlib.Path(folder) / "sweep.h5", "r") as file:
        group = file["provenance"]
        reason = group["session_end_reason"]
        names = dict(zip(reason.attrs["flag_values"].tolist(), reason.attrs["flag_meanings"].decode().split()))
        for i in range(int(group.attrs["sessions"])):
            job = group["session_job"][i].tobytes().split(b"\0")[0].decode()
            print(names[int(reason[i])], int(group["session_ranks"][i]), int(group["session_cells"][i]), job or "-")


if sys.argv[1] == "same":
    sys.exit(same(*sys.argv[2:]))
sessions(sys.argv[2])
