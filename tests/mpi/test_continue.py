# processors: 2
"""graze continue: the same bits at 1, 2 and 3 ranks and after kills, branches found once, and one line for every bad start. Silent when right.

x'' + 0.04 x' + x = A cos(W t), rigid stop at x = 1, C_R = 0.9, W = 0.81: doubling at A = 0.347533398 (Ghosh and Simpson, arXiv 2510.16218).
"""

import csv
import pathlib
import sys
import tempfile

import numpy as np
import xarray

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, differences, finish, near  # noqa: E402

MODEL = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_damping_ratios 0.02 -forcing_mode 1 -flow restitution -stop_side above "
         "-stop_position 1 -initial_displacement 0.5 -initial_velocity 0 -restitution_coefficient 0.9")
GRID = "-sweep_amplitude 0.3:0.5:21 -sweep_frequency 0.81 -sweep_along amplitude -sweep_direction both"
ALONG = "-continue_parameter amplitude -continue_min 0.3 -continue_max 0.5"
OPTIONS, FILES, COME_BACK = 64, 65, 85


def same(r, one, other, text):
    found = differences(r.folder / one / "branches.h5", r.folder / other / "branches.h5")
    check(not found, f"{text}: {one} and {other} differ in {', '.join(found)}")


def ranks(r):
    """From every periodic cell of a sweep: each branch once, whatever the number of ranks; what is in the file is what the table says."""
    r.run("sweep", MODEL, GRID)
    sweep = r.folder / "sweep" / "sweep.h5"
    for n in 1, 2, 3:
        r.run(f"all{n}", MODEL, ALONG, "-continue_switch_depth 1 -start_cells all -start_from", sweep, ranks=n, command="continue")
    same(r, "all1", "all2", "2 ranks")
    same(r, "all1", "all3", "3 ranks")
    with xarray.open_dataset(r.folder / "all1" / "branches.h5", engine="h5netcdf") as ds:
        # contact-free, one impact per two periods, its doubled branch, and beyond A = 0.419 a second impact
        check(sorted(ds["branch_period"].values) == [1, 2, 2, 4], f"periods of the branches: {ds['branch_period'].values}")
        check((ds["residual"] <= 1e-10).all(), "residuals")
        special = ds["special_parameter"].values[ds["special_type"].values == 2]
        near(special[np.argmin(abs(special - 0.3475))], 0.347533397412283, 1e-8, "doubling")
        points = ds.sizes["point"]
        with open(r.folder / "all1" / "branches.csv") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        check(len(rows) == points, f"branches.csv has {len(rows)} rows for {points} points")
        near([float(row["parameter"]) for row in rows], ds["parameter"].values, 1e-14, "branches.csv")
    before = r.listing("all1")
    done = r.run("all1", MODEL, ALONG, "-continue_switch_depth 1 -start_cells all -start_from", sweep, command="continue")
    check("nothing to do" in done.stdout and r.listing("all1")[0] == before[0], f"a complete result: {done.stdout}")


def stop(r):
    """A file STOP: exit 85, what is done is in the file; the same command goes on to the same bits, on other ranks."""
    # branches of some tenths of a second, so that the file is seen before all is done
    options = (MODEL, ALONG, "-continue_step 2e-5 -continue_max_step 2e-5 -continue_max_points 800 -start_cells all -start_from",
               r.folder / "sweep" / "sweep.h5")
    (r.folder / "stopped").mkdir()
    (r.folder / "stopped" / "STOP").write_text("")
    done = r.run("stopped", *options, ranks=2, code=COME_BACK, command="continue")
    check("the same command goes on" in done.stderr, done.stderr)
    done = r.run("stopped", *options, ranks=3, command="continue")
    check("resumed" in done.stdout, f"it does not go on from the journal:\n{done.stdout}")
    r.run("whole", *options, command="continue")
    same(r, "whole", "stopped", "a run that was stopped")


def bad(r):
    """One line, the right exit code, nothing written over."""
    sweep = r.folder / "sweep" / "sweep.h5"
    data = r.read("sweep")
    aperiodic = np.argwhere(~np.isin(data["status"], (1, 2)))[0]
    for options, says in (
            (f"-start_from {sweep} -start_cells 0,99,0", "-start_cells"),
            (f"-start_from {sweep} -start_cells {','.join(map(str, aperiodic))}", "start"),
            (f"-start_from {sweep} -start_cells 0,0,0 -continue_min 0.4", "0.3"),
            (f"-start_from {r.folder / 'nothing.h5'} -start_cells all", "nothing.h5"),
            ("-forcing_amplitude 0.37 -forcing_frequency 0.81 -continue_min 0.5 -continue_max 0.4", "continue_m"),
            ("-forcing_amplitude 0.37 -forcing_frequency 0.81 -flow literal", "flow")):
        done = r.run("bad", MODEL, ALONG, options, code=FILES if "nothing.h5" in options else OPTIONS, command="continue")
        check(says in done.stderr, f"{options}: {done.stderr}")
    check(r.graze("continue", "-output", "bad", *MODEL.split()).returncode != 0, "bounds are needed")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="graze-") as name:
        runs = Runs(name)
        ranks(runs)
        stop(runs)
        bad(runs)
    sys.exit(finish())
