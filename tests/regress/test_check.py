# processors: 2
"""graze check: branches and sweeps of one oscillator agree, and every way in which they can disagree is said. Silent when right.

x'' + 0.04 x' + x = A cos(W t), rigid stop at x = 1, C_R = 0.9, at W = 0.81: for A from 0.335 motions without contact, up to A = 0.3454, where they
touch the stop; from there motions of period 2 with one impact, stable once their period has halved at A = 0.347533398 (Ghosh and Simpson,
arXiv 2510.16218). At A = 0.3598 the impact passes the strobe.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import ENVIRONMENT, GRAZE, MPIEXEC, PATIENCE, Runs, check, finish  # noqa: E402

AGREE, WORDS, DISAGREE = 0, 64, 65
PERIODIC, CONTACT_FREE = 1, 2

MODEL = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_damping_ratios 0.02 -forcing_mode 1 -flow restitution -stop_side above "
         "-stop_position 1 -initial_displacement 0 -initial_velocity 0")
RIGID = f"{MODEL} -restitution_coefficient 0.9"
LINE = "-sweep_frequency 0.81 -sweep_along amplitude -sweep_direction both -settle_periods 200 -sample_periods 16 -max_period 8"
ALONG = "-continue_parameter amplitude -continue_min 0.335 -continue_max 0.415 -forcing_frequency 0.81"


def run_check(r, branches, sweep, code, *says, ranks=None, words=()):
    """Exit code, what it must say, one line on stderr where it complains. What it printed, with broken lines joined."""
    launch = [MPIEXEC, "-n", str(ranks), GRAZE] if ranks else [GRAZE]
    given = [str(word) for word in (branches, sweep, *words) if word is not None]
    done = subprocess.run([*launch, "check", *given], cwd=r.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    text, said = f"graze check {' '.join(given)}", re.sub(r"\n {20}", " ", done.stdout) + done.stderr
    check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{said}")
    check(all(word in said for word in says), f"{text}: does not say {[word for word in says if word not in said]}\n{said}")
    check(done.stderr.count("graze: ") == (1 if code else 0) and "PETSC ERROR" not in done.stderr and "HDF5-DIAG" not in done.stderr,
          f"{text}: stderr is\n{done.stderr}")
    return said


def copy(r, name, other):
    shutil.rmtree(r.folder / other, ignore_errors=True)
    shutil.copytree(r.folder / name, r.folder / other)
    return r.folder / other


def exceptions(said):
    return [line for line in said.splitlines() if line.startswith("  exception ")]


def counts(said):
    """periodic cells: on a branch, not, where no branch passes; stable orbits: confirmed, unvisited, beside a lost cell."""
    cells = re.search(r"periodic cells +(\d+): (\d+) on a branch, (\d+) not, (\d+) where no branch passes", said)
    orbits = re.search(r"stable orbits +(\d+) of branches where there are cells: (\d+) confirmed .*?, (\d+) unvisited .*?, (\d+) beside a cell", said)
    return [int(n) for n in (cells.groups() if cells else [])], [int(n) for n in (orbits.groups() if orbits else [])]


def periodic(path):
    with h5py.File(path, "r") as file:
        status = file["status"][:]
        return np.isin(status, (PERIODIC, CONTACT_FREE)), file["period"][:], file["contacts_per_orbit"][:]


def agree(r):
    """Every periodic cell of a sweep on other amplitudes than those that the branches began at, both ways; the same at two ranks, from files."""
    r.run("starts", RIGID, LINE, "-sweep_amplitude 0.335:0.415:21")
    r.run("branches", RIGID, ALONG, f"-start_from {r.file('starts')} -start_cells all -continue_switch_depth 1", command="continue")
    r.run("sweep", RIGID, LINE, "-sweep_amplitude 0.337:0.413:39")
    said = run_check(r, "branches", "sweep/", AGREE, "the branches and the sweep agree")
    is_periodic, period, contacts = periodic(r.file("sweep"))
    check(set(period[is_periodic]) == {1, 2} and not is_periodic.all() and (contacts[is_periodic] == 0).any(), f"the sweep is too dull: {period} {contacts}")
    cells, orbits = counts(said)
    check(cells == [is_periodic.sum(), is_periodic.sum(), 0, 0], f"it counts {cells}, not {is_periodic.sum()} periodic cells\n{said}")
    # at A = 0.345 motion without contact is stable, and both ways the sweep finds another, without a period; at 0.347 period 2 is not stable
    visited = sum(len(set(period[:, i][is_periodic[:, i]])) for i in range(period.shape[1]))
    check(orbits == [visited + 1, visited, 1, 0], f"stable orbits {orbits}, {visited} of them visited\n{said}")
    check(not exceptions(said), said)
    again = run_check(r, "branches/branches.h5", "sweep/sweep.h5", AGREE, ranks=2)
    check(again == said, f"from files, at 2 ranks:\n{again}\nfrom folders:\n{said}")
    # a bound of the branches that is a cell is met to the last bit or so; beyond it no branch passes
    r.run("wide", RIGID, LINE, "-sweep_amplitude 0.325:0.345:5")
    cells, _ = counts(run_check(r, "branches", "wide", AGREE))
    is_periodic, _, _ = periodic(r.file("wide"))
    check(cells[3] == is_periodic[:, :2].sum() and cells[1] == is_periodic[:, 2:].sum(), f"cells beyond the bound: {cells}, {is_periodic}")


def other_orbits(r):
    """Branches that lack what the sweep found, or have it somewhat else."""
    r.run("one", RIGID, ALONG, f"-start_from {r.file('starts')} -start_cells 0,0,0", command="continue")
    is_periodic, period, contacts = periodic(r.file("sweep"))
    with h5py.File(r.folder / "one/branches.h5", "r") as file:
        check(set(file["branch_period"][:]) == {1}, "the branch of motions without contact has another period")
        top = file["parameter"][:].max()
    amplitudes = np.linspace(0.337, 0.413, 39)
    passed = is_periodic & (amplitudes <= top * (1 + 1e-12))[None, :, None]
    cells, _ = counts(run_check(r, "one", "sweep", AGREE, "agree"))
    check(cells == [is_periodic.sum(), passed.sum(), 0, is_periodic.sum() - passed.sum()] and passed.any(), f"one branch of no contact: {cells}")

    # the branch of period 2 a little off: of the same kind, but not the same, by what they were moved
    with h5py.File(copy(r, "branches", "moved") / "branches.h5", "r+") as file:
        branch = np.flatnonzero((file["branch_period"][:] == 2) & (file["branch_n_points"][:] > 3))[0]
        rows = file["point_branch"][:] == branch
        y = file["strobe_displacement"][:]
        extent = (file["max_displacement"][:] - file["min_displacement"][:])[rows]
        y[rows] += 1e-3 * extent.max()
        file["strobe_displacement"][...] = y
    said = run_check(r, "moved", "sweep", DISAGREE, f"not the stable orbit of branch {branch} with as many", "beside a cell")
    check(all(", period 2, 1 contact: " in line for line in exceptions(said)), said)
    more = re.search(r"and (\d+) exceptions more", said)
    check(more and int(more[1]) + 20 == counts(said)[0][2], f"of more than 20 exceptions the rest is counted\n{said}")
    away = [float(n) for n in re.findall(rf"([0-9.e-]+) of its range from branch {branch},", said)]
    check(len(away) == 20 and min(away) > 0.99e-3 and max(away) < 1.01e-3 * extent.max() / extent.min(), f"moved by 0.001 of the range, found {away}")
    check(counts(said)[1][3] > 0, f"no stable orbit beside a cell that is on no branch\n{said}")
    with h5py.File(copy(r, "branches", "hardly") / "branches.h5", "r+") as file:
        file["strobe_displacement"][...] += 1e-7 * extent.min()  # below what two solutions of one orbit may differ by
    run_check(r, "hardly", "sweep", AGREE)

    with h5py.File(r.folder / "hardly/branches.h5", "r+") as file:
        file.attrs.modify("complete", np.int8(0))
    run_check(r, "hardly", "sweep", AGREE, "stopped before the end")

    # with another contact it is of another kind
    with h5py.File(r.folder / "moved/branches.h5", "r+") as file:
        for name, values in ("n_contacts", 2), ("contact_period", [0, 1]), ("contact_phase", [0.5, 0.5]):
            data = file[name][:]
            data[(rows, slice(0, 2))[: data.ndim]] = values
            file[name][...] = data
    run_check(r, "moved", "sweep", DISAGREE, "1 contact: on no branch", f"branch {branch} has a stable orbit of period 2 there, 2 contacts")

    # and not stable at any point: its cells lie on no branch, and nothing stable is there
    with h5py.File(r.folder / "moved/branches.h5", "r+") as file:
        file["stability"][...] = np.full(file["stability"].shape, -1, np.int8)
    run_check(r, "moved", "sweep", DISAGREE, "none stable")

    # a branch of too few points
    said = run_check(r, coarse(r, branch), "sweep", DISAGREE, "whose points are too far apart there to tell")


def coarse(r, branch):
    """A branch of which the ends alone are left: the points and special points between have no arclength."""
    path = copy(r, "branches", "coarse") / "branches.h5"
    with h5py.File(path, "r+") as file:
        rows = np.flatnonzero(file["point_branch"][:] == branch)
        s, special = file["arclength"][:], file["special_arclength"][:]
        s[rows[1:-1]] = np.nan
        special[file["special_branch"][:] == branch] = np.nan
        file["arclength"][...], file["special_arclength"][...] = s, special
    return path


def other_sweeps(r):
    """A sweep of another structure, one that passes for the same, one that was touched."""
    r.run("softer", MODEL, "-restitution_coefficient 0.89", LINE, "-sweep_amplitude 0.337:0.413:39")
    run_check(r, "branches", "softer", DISAGREE, "restitution_coefficient", "cannot be compared")
    with h5py.File(copy(r, "softer", "passing") / "sweep.h5", "r+") as file:
        file["parameters"].attrs.modify("restitution_coefficient", 0.9)
    said = run_check(r, "branches", "passing", DISAGREE, "do not agree")
    is_periodic, _, contacts = periodic(r.file("softer"))
    cells, _ = counts(said)
    check(cells[1] == (is_periodic & (contacts == 0)).sum(), f"with impacts of 0.89: {cells} lie on branches\n{said}")
    with h5py.File(copy(r, "sweep", "richer") / "sweep.h5", "r+") as file:
        file["kernel/modes"][...] = 2
    run_check(r, "branches", "richer", DISAGREE, "cannot be compared: number of modes")
    with h5py.File(copy(r, "sweep", "touched") / "sweep.h5", "r+") as file:
        file["strobe_displacement"][0, 0, 0, 0] += 1e-3
    run_check(r, "branches", "touched", DISAGREE, "damaged; graze verify says more")


def another_parameter(r):
    """Branches over the frequency and over the stop: what they hold fixed, and where they pass; the option of what is continued may differ."""
    r.run("over_w", RIGID, "-sweep_amplitude 0.38:0.4:3 -sweep_frequency 0.805:0.815:5 -settle_periods 200 -sample_periods 16 -max_period 8")
    r.run("w", RIGID, "-continue_parameter frequency -continue_min 0.805 -continue_max 0.815 -forcing_amplitude 0.39", f"-start_from {r.file('over_w')}",
          "-start_cells 0,1,2", command="continue")
    cells, orbits = counts(run_check(r, "w", "over_w", AGREE))
    check(cells == [15, 5, 0, 10] and orbits == [5, 5, 0, 0], f"a branch over the frequency at one of three amplitudes: {cells}, {orbits}")
    r.run("stop", MODEL, "-restitution_coefficient 0.9 -continue_parameter stop_position -continue_min 0.97 -continue_max 1.03 "
          "-forcing_amplitude 0.39 -forcing_frequency 0.81", f"-start_from {r.file('over_w')} -start_cells 0,1,2", command="continue")
    for position, code in (1, AGREE), (1.01, AGREE), (1.05, DISAGREE):
        name = f"at_{position}"
        r.run(name, RIGID, f"-stop_position {position} -sweep_amplitude 0.39 -sweep_frequency 0.81 -settle_periods 200 -sample_periods 16 -max_period 8")
        run_check(r, "stop", name, code, "nothing to compare" if code else "1 on a branch")


def refused(r):
    (r.folder / "empty").mkdir()
    (r.folder / "text.h5").write_text("text\n")
    run_check(r, None, None, WORDS, "two folders or files")
    run_check(r, "branches", None, WORDS, "two folders or files")
    run_check(r, "branches", "sweep", WORDS, "stray word 'more'", words=("more",))
    run_check(r, "branches", "sweep", WORDS, "check takes no option -quiet", words=("-quiet",))
    run_check(r, "nowhere", "sweep", DISAGREE, "cannot open nowhere")
    run_check(r, "branches", "nowhere", DISAGREE, "cannot open nowhere")
    run_check(r, "empty", "sweep", DISAGREE, "empty holds no branches.h5")
    run_check(r, "branches", "empty", DISAGREE, "empty holds no sweep.h5")
    run_check(r, "sweep/sweep.h5", "sweep", DISAGREE, "not the result of graze continue")
    run_check(r, "branches", "branches/branches.h5", DISAGREE, "not the result of graze sweep")
    run_check(r, "text.h5", "sweep", DISAGREE, "not an HDF5 file")
    whole = (r.folder / "branches/branches.h5").read_bytes()
    (r.folder / "half.h5").write_bytes(whole[: len(whole) // 2])
    run_check(r, "half.h5", "sweep", DISAGREE)


def main():
    with tempfile.TemporaryDirectory(prefix="graze_check_") as folder:
        r = Runs(folder)
        agree(r)
        other_orbits(r)
        other_sweeps(r)
        another_parameter(r)
        refused(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
