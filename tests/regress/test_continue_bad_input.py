# processors: 2
"""graze continue: every mistake gets its exit code and one line that names it; nothing is begun, nothing that is there changes. Silent when right."""

import itertools
import pathlib
import shutil
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, together  # noqa: E402

OPTIONS, FILES = 64, 65
# a classical impact oscillator: runs of a few tenths of a second
PLAIN = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -damping_ratio 0.02 -forcing_mode 1 -flow restitution -stop_side above "
         "-stop_position 1 -initial_displacement 0.5 -initial_velocity 0 -restitution_coefficient 0.9 -forcing_amplitude 0.37 "
         "-forcing_frequency 0.81")
BOUNDS = "-continue_parameter amplitude -continue_min 0.3 -continue_max 0.5"
# max_periods: too few for a cell that impacts, so that one is not periodic for certain
GRID = ("-sweep_amplitude 0.1:0.4:4 -sweep_frequency 0.5:0.81:3 -sweep_along amplitude -sweep_direction both -settle_periods 0 "
        "-sample_periods 8 -max_period 4 -max_periods 8")

# options besides PLAIN and BOUNDS, the later one counts; exit code; what the line must hold
SAID = [
    ("-continue_parameter phase", OPTIONS, "amplitude|frequency|stop_position|damping_ratio"),
    ("-continue_min 0.5", OPTIONS, "below -continue_max"),
    ("-continue_min 0.6", OPTIONS, "below -continue_max"),
    ("-continue_min -1", OPTIONS, ">= 0"),
    ("-continue_min nan", OPTIONS, "-continue_min"),
    ("-continue_parameter frequency -continue_min 0", OPTIONS, "> 0"),
    ("-continue_parameter damping_ratio -continue_min 0 -continue_max 1", OPTIONS, "-continue_max: 1 "),
    ("-continue_parameter damping_ratio -continue_min -0.1", OPTIONS, "-continue_min: -0.1 "),
    ("-continue_parameter damping_ratio -continue_min 0 -beam_damping_ratios 0.02", OPTIONS, "-beam_damping_ratios"),
    ("-continue_step 0", OPTIONS, "-continue_step"),
    ("-continue_step 0.2 -continue_max_step 0.1", OPTIONS, "at most -continue_max_step 0.1"),
    ("-continue_step 0.01 -continue_min_step 0.02", OPTIONS, "at most -continue_step 0.01"),
    ("-continue_max_step 0.01 -continue_min_step 0.02", OPTIONS, "at most -continue_max_step 0.01"),
    ("-continue_max_points 0", OPTIONS, "-continue_max_points"),
    ("-continue_switch_depth 9", OPTIONS, "0 to 8"),
    ("-continue_shots -1", OPTIONS, "-continue_shots"),
    ("-continue_minimum 1", OPTIONS, "did you mean -continue_min?"),
    ("-sweep_along amplitude", OPTIONS, "belongs to graze sweep"),
    ("-flow literal -beam_model timoshenko -restitution_coefficient 1", OPTIONS, "-beam_model modes"),
    ("-forcing_amplitude 0.2", OPTIONS, "-forcing_amplitude: 0.2"),
    ("-continue_parameter frequency -continue_max 0.4", OPTIONS, "-forcing_frequency: 0.81"),
    ("-continue_parameter stop_position", OPTIONS, "-stop_position: 1"),
    ("-initial_displacement 2", OPTIONS, "inside the stop"),
    ("-sample_periods 3 -max_period 4", OPTIONS, "-sample_periods"),
    ("-start_cells all", OPTIONS, "-start_cells needs -start_from"),
    ("-start_point 0,0", OPTIONS, "-start_point needs -start_from"),
    ("-start_from sweep/sweep.h5", OPTIONS, "-start_cells 'd,i,j' or all"),
    ("-start_from sweep/sweep.h5 -start_cells all -start_point 0,0", OPTIONS, "give one"),
    ("-start_from sweep/sweep.h5 -start_cells " + 64 * "1", OPTIONS, "too long"),
    ("-start_from sweep/sweep.h5 -start_point 0,0", OPTIONS, "is a sweep"),
    ("-start_from sweep/sweep.h5 -start_cells 0,3", OPTIONS, "d,i,j"),
    ("-start_from sweep/sweep.h5 -start_cells 0,3,x", OPTIONS, "d,i,j"),
    ("-start_from sweep/sweep.h5 -start_cells 0,3,2,1", OPTIONS, "d,i,j"),
    ("-start_from sweep/sweep.h5 -start_cells every", OPTIONS, "d,i,j"),
    ("-start_from sweep/sweep.h5 -start_cells 2,0,0", OPTIONS, "directions 0 to 1, amplitudes 0 to 3, frequencies 0 to 2"),
    ("-start_from sweep/sweep.h5 -start_cells 0,4,0", OPTIONS, "directions 0 to 1, amplitudes 0 to 3, frequencies 0 to 2"),
    ("-start_from sweep/sweep.h5 -start_cells 0,0,3", OPTIONS, "directions 0 to 1, amplitudes 0 to 3, frequencies 0 to 2"),
    ("-start_from sweep/sweep.h5 -start_cells all -continue_min 2 -continue_max 3", OPTIONS, "no orbit to start from"),
    ("-start_from sweep/sweep.h5 -start_cells all -restitution_coefficient 0.8", FILES, "restitution_coefficient 0.9, here 0.8"),
    ("-start_from sweep/sweep.h5 -start_cells all -stop_position 1.5", FILES, "stop_position 1, here 1.5"),
    ("-start_from sweep/sweep.h5 -start_cells all -beam_frequencies 1.25", FILES, "beam_frequencies 1, here 1.25"),
    ("-start_from sweep/sweep.h5 -start_cells all -strobe_phase 1", FILES, "strobe_phase 0, here 1"),
    ("-start_from absent.h5 -start_cells all", FILES, "absent.h5"),
    ("-start_from sweep -start_cells all", FILES, "sweep"),
    ("-start_from text.h5 -start_cells all", FILES, "text.h5"),
    ("-start_from motion/trajectory.h5 -start_cells all", FILES, "holds no orbits"),
    ("-start_from cell.h5 -start_cells 0,3,0", FILES, "cell 0,3,0 of cell.h5 is damaged"),
    ("-start_from axis.h5 -start_cells all", FILES, "axis.h5"),
    ("-start_from half.h5 -start_cells all", FILES, "half.h5"),
    ("-start_from branches/branches.h5 -start_cells all", OPTIONS, "holds branches"),
    ("-start_from branches/branches.h5 -start_point 0", OPTIONS, "branch,point"),
    ("-start_from branches/branches.h5 -start_point 9,0", OPTIONS, "there is no branch 9"),
    ("-start_from branches/branches.h5 -start_point 0,99999", OPTIONS, "there is no point 99999 on branch 0"),
    ("-start_from branches/branches.h5 -start_point 0,0 -continue_min 0.45", OPTIONS, "there; allowed: between"),
    ("-start_from branches/branches.h5 -start_point 0,0 -restitution_coefficient 0.8", FILES, "restitution_coefficient 0.9, here 0.8"),
    ("-start_from branches/branches.h5 -start_point 0,0 -damping_ratio 0.03", FILES, "damping_ratio 0.02, here 0.03"),
    ("-start_from owners.h5 -start_point 0,0", FILES, "owners.h5"),
]
# without PLAIN and BOUNDS
ALONE = [
    ("", OPTIONS, "-continue_min is missing"),
    ("-continue_min 4", OPTIONS, "-continue_max is missing"),
    ("-continue_min 4 -continue_max 20 -flow literal", OPTIONS, "has no derivative"),
    ("-continue_min 4 -continue_max 20 -beam_model string -flow literal -damping_ratio 0", OPTIONS, "has no derivative"),
    ("-continue_min 4 -continue_max 20 -beam_model euler_bernoulli", OPTIONS, "singular"),
    ("-continue_min 4 -continue_max 20 -beam_ends free_free", OPTIONS, "free_free"),
    ("-continue_min 4 -continue_max 20 -flow restitution", OPTIONS, "needs -receptance_modes"),
]


def change(path, other, name, where, value):
    shutil.copy(path, other)
    with h5py.File(other, "r+") as file:
        file[name][where] = value


def make(r):
    """Files to start from: whole, of another command, and damaged."""
    r.run("sweep", PLAIN.replace("-forcing_amplitude 0.37 -forcing_frequency 0.81", ""), GRID)
    r.run("motion", PLAIN, "-periods 2 -samples_per_period 4", command="trajectory")
    r.run("branches", PLAIN, BOUNDS, "-continue_max_points 5", command="continue")
    sweep = r.folder / "sweep" / "sweep.h5"
    (r.folder / "text.h5").write_text("no orbits in here\n")
    (r.folder / "half.h5").write_bytes(sweep.read_bytes()[: sweep.stat().st_size // 2])
    change(sweep, r.folder / "cell.h5", "state", (0, 3, 0, 0), 0.125)
    change(sweep, r.folder / "axis.h5", "amplitude", 1, 7.0)
    change(r.folder / "branches" / "branches.h5", r.folder / "owners.h5", "point_branch", 0, 5)
    with h5py.File(sweep, "r") as file:
        status = file["status"][:]
        names = dict(zip(file["status"].attrs["flag_values"], file["status"].attrs["flag_meanings"].decode().split()
                         if isinstance(file["status"].attrs["flag_meanings"], bytes) else file["status"].attrs["flag_meanings"].split()))
    check(np.isin(status, (1, 2)).any() and not np.isin(status, (1, 2)).all(), f"the sweep is too dull: {status.tolist()}")
    cell, periodic = (np.argwhere(np.isin(status, (1, 2)) == good)[0] for good in (False, True))
    return ",".join(map(str, cell)), names[status[tuple(cell)]], ",".join(map(str, periodic))


_numbers = itertools.count()


def refuse(r, options, code, says, begun=False):
    name = f"bad{next(_numbers)}"
    done = r.run(name, *options, code=code, command="continue")
    check(says in done.stderr, f"{options[-1]}: the line does not hold '{says}':\n{done.stderr}")
    check((r.folder / name).exists() == begun, f"{options[-1]}: the folder {'is missing' if begun else 'was made'}")
    check(not list(r.folder.glob(f"{name}/branches*")), f"{options[-1]}: a result was begun")


def in_the_way(r):
    """A result or a journal of other parameters stays as it is."""
    for name in "branches", "sweep":
        before = r.listing(name)
        r.run(name, PLAIN, BOUNDS, "-continue_max_points 6", code=FILES, command="continue")
        check(r.listing(name) == before, f"{name} has changed")
    folder = r.folder / "journal"
    folder.mkdir()
    for text in b"", b"GRAZEJNL and then nothing of use" * 100:
        (folder / "branches.journal").write_bytes(text)
        done = r.run("journal", PLAIN, BOUNDS, code=FILES, command="continue")
        check("branches.journal" in done.stderr and (folder / "branches.journal").read_bytes() == text, done.stderr)
    r.run("journal", PLAIN, BOUNDS, "-continue_max_points 5 -overwrite", command="continue")
    check((r.folder / "journal.1" / "branches.journal").exists(), "the folder with the foreign journal was not moved aside")
    # one that is complete asks for nothing, not even the file it started from
    shutil.copytree(r.folder / "sweep", r.folder / "gone")
    options = (PLAIN, BOUNDS, "-continue_max_points 3 -start_cells all -start_from", r.folder / "gone" / "sweep.h5")
    r.run("from_gone", *options, command="continue")
    shutil.rmtree(r.folder / "gone")
    done = r.run("from_gone", *options, command="continue")
    check("nothing to do" in done.stdout, done.stdout)


def nothing_to_follow(r):
    """An orbit that is held all the time has no flight to cut it in: a line and a code, not a result without points that passes for good."""
    done = r.run("held", "-receptance_modes 20 -stop_position 0.3 -initial_displacement 1 -forcing_amplitude 1 -forcing_frequency 6",
                 "-continue_min 5 -continue_max 9 -settle_periods 20 -sample_periods 16 -max_period 8", code=OPTIONS, command="continue")
    check("nothing to follow" in done.stderr and "touches the stop at every phase" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="graze_continue_bad_input_") as folder:
        r = Runs(folder)
        cell, status, periodic = make(r)
        cases = [((PLAIN, BOUNDS, options), code, says) for options, code, says in SAID] + [((options,), code, says) for options, code, says in ALONE]
        cases += [((PLAIN, BOUNDS, f"-start_from sweep/sweep.h5 -start_cells {cell}"), OPTIONS, f"is {status} and has no orbit"),
                  ((PLAIN, BOUNDS, f"-start_from sweep/sweep.h5 -start_cells {periodic} -continue_min 0.7 -continue_max 0.8"), OPTIONS, "there; allowed: between"),
                  # both come after the folder was made
                  ((PLAIN, BOUNDS, "-max_walltime 00:00:30"), OPTIONS, "time limit", True),
                  ((PLAIN, BOUNDS, "-settle_periods 0 -sample_periods 4 -max_period 2 -max_periods 4"), OPTIONS, "no orbit to start from", True)]
        together(2, *(lambda case=case: refuse(r, *case) for case in cases))
        in_the_way(r)
        nothing_to_follow(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
