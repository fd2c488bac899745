# processors: 3
"""graze continue gives the same branches on every number of ranks, whatever order the work comes back in. Silent when right.

x'' + 0.04 x' + x = A cos(W t), rigid stop at x = 1, C_R = 0.9, over the amplitude at five frequencies: starts in every periodic cell of a sweep, most
of which lie on branches that others began, and the branches that leave at period doublings.
"""

import pathlib
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, differences, finish  # noqa: E402

MODEL = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_damping_ratios 0.02 -forcing_mode 1 -flow restitution -stop_side above "
         "-stop_position 1 -initial_displacement 0 -initial_velocity 0 -restitution_coefficient 0.9")
SWEEP = ("-sweep_amplitude 0.335:0.415:9 -sweep_frequency 0.8:0.82:5 -sweep_along amplitude -sweep_direction both -settle_periods 200 "
         "-sample_periods 16 -max_period 8")
ALONG = "-continue_parameter amplitude -continue_min 0.335 -continue_max 0.415 -continue_switch_depth 1 -start_cells all"
DOUBLING = 3  # of branch_origin


def main():
    with tempfile.TemporaryDirectory(prefix="graze_continue_ranks_") as folder:
        r = Runs(folder)
        r.run("sweep", MODEL, SWEEP)
        for n in (None, 1, 2, 3):
            r.run(f"at{n}", MODEL, ALONG, f"-start_from {r.file('sweep')}", command="continue", ranks=n)
        one = r.folder / "at1" / "branches.h5"
        for n in (None, 2, 3):
            other = r.folder / f"at{n}" / "branches.h5"
            found = differences(one, other)
            check(not found, f"at 1 and {n} ranks branches differ in {', '.join(found)}")
        with h5py.File(one, "r") as file, h5py.File(r.file("sweep"), "r") as sweep:
            starts = int((file["branch_depth"][:] == 0).sum())
            check(bool(file.attrs["complete"]), "the branches are not complete")
            check(len(np.unique(file["branch_frequency"][:])) == 5 and (file["branch_origin"][:] == DOUBLING).any(),
                  f"the case is too dull: origins {file['branch_origin'][:]}, frequencies {file['branch_frequency'][:]}")
            check(5 < starts < np.isin(sweep["status"][:], (1, 2)).sum() / 2, f"{starts} branches from cells: too few lie on branches of others")
        # the comparison can tell branches apart: without the doublings there are fewer
        r.run("flat", MODEL, ALONG.replace("switch_depth 1", "switch_depth 0"), f"-start_from {r.file('sweep')}", command="continue")
        found = differences(one, r.folder / "flat" / "branches.h5")
        check({"parameter", "branch_depth", "parameters@continue_switch_depth"} <= set(found), f"differences show only {found}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
