"""graze continue: branches.h5 and its tables hold together, and orbits from a simulation, a cell and a saved point give the same branch. Silent when right.

x'' + 0.04 x' + x = A cos(W t), rigid stop at x = 1, C_R = 0.9: at W = 0.81 the orbit with one impact per two periods doubles at
A = 0.347533398, at W = 0.799 it folds at A = 0.362836202 (Ghosh and Simpson, arXiv 2510.16218).
"""

import csv
import pathlib
import sys
import tempfile

import h5py
import numpy as np
import xarray

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, differences, finish, near  # noqa: E402

STRUCTURE = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -damping_ratio 0.02 -forcing_mode 1 -flow restitution -stop_side above "
             "-stop_position 1 -initial_displacement 0.5 -initial_velocity 0 -restitution_coefficient 0.9")
HERE = "-forcing_amplitude 0.37 -forcing_frequency 0.81"
AMPLITUDE = "-continue_parameter amplitude -continue_min 0.34 -continue_max 0.4"
FOLD, DOUBLING = 1, 2
NUMBERS = {"amplitude": "branch_amplitude", "frequency": "branch_frequency", "stop_position": "branch_stop_position",
           "damping_ratio": "branch_damping_ratio"}


def table(path):
    """Names, rows as texts, comments."""
    lines = path.read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    check(lines[: len(comments)] == comments, f"{path.name}: comments are not all at the top")
    rows = list(csv.DictReader(lines[len(comments):]))
    return list(rows[0]) if rows else lines[len(comments)].split(","), rows, comments


def branches(r, name):
    with xarray.open_dataset(r.folder / name / "branches.h5", engine="h5netcdf") as ds:
        return ds.load()


def holds_together(r, name):
    """Rows of the three tables refer to each other as they should."""
    ds = branches(r, name)
    n = ds.sizes["branch"]
    first, length = ds["branch_first_point"].values, ds["branch_n_points"].values
    check(np.array_equal(first, np.concatenate(([0], np.cumsum(length)))[:n]) and length.sum() == ds.sizes["point"], f"{name}: points are not parted")
    check(np.array_equal(np.repeat(np.arange(n), length), ds["point_branch"].values), f"{name}: point_branch")
    check((np.diff(ds["special_branch"].values) >= 0).all(), f"{name}: special points are out of order")
    for b in range(n):
        s = ds["arclength"].values[first[b]: first[b] + length[b]]
        check((np.diff(s) > 0).all() and s[ds["branch_began"].values[b]] == 0, f"{name}: arclength of branch {b}: {s}")
        of = np.flatnonzero(ds["special_branch"].values == b)
        check((np.diff(ds["special_arclength"].values[of]) >= 0).all(), f"{name}: special points of branch {b} are out of order")
        for k in of:
            i, at = ds["special_point"].values[k], ds["special_arclength"].values[k]
            # one that ends a branch may lie beyond all its points
            check(-1 <= i < length[b] and (i < 0 or s[i] <= at) and (i + 1 == length[b] or at <= s[i + 1]),
                  f"{name}: special point {k} lies at {at}, not behind point {i} of branch {b}")
        parent, special = ds["branch_parent"].values[b], ds["branch_parent_special"].values[b]
        check((parent < 0) == (special < 0) == (ds["branch_depth"].values[b] == 0), f"{name}: depth of branch {b}")
        if parent >= 0:
            check(ds["special_branch"].values[special] == parent and ds["special_to"].values[special] == b, f"{name}: parent of branch {b}")
            near(ds["branch_start_parameter"].values[b], ds["special_parameter"].values[special], 0, f"{name}: where branch {b} leaves")
        why = ds["branch_why"].values[b].reshape(2, -1)
        words = [b"".join(np.atleast_1d(side)).decode() for side in why]
        check(all(words) and (ds["branch_end"].values[b] > 0).all(), f"{name}: branch {b} ends without a word: {words}")
    check((ds["special_to"].values >= 0).sum() == (ds["branch_parent"].values >= 0).sum(), f"{name}: special_to")
    check(ds.sizes["contact"] == max(1, int(ds["n_contacts"].max())), f"{name}: {ds.sizes['contact']} places for contacts")
    continued = ds.attrs["continued_parameter"]
    for parameter, column in NUMBERS.items():
        check(np.isnan(ds[column].values).all() == (parameter == continued), f"{name}: {column}")
    for flags in "stability", "special_type", "branch_origin", "branch_end":
        meanings = ds[flags].attrs["flag_meanings"].split()
        check(len(meanings) == len(ds[flags].attrs["flag_values"]) and np.isin(ds[flags].values, ds[flags].attrs["flag_values"]).all(), f"{name}: {flags}")
    return ds


def tables(r, name):
    """The csv files say what branches.h5 says, to the bit."""
    ds = branches(r, name)
    names, rows, comments = table(r.folder / name / "branches.csv")
    check(len(rows) == ds.sizes["point"] and comments and ds.attrs["continued_parameter"] in comments[1], f"{name}: branches.csv: {comments}")
    owner = ds["point_branch"].values
    check([int(row["branch"]) for row in rows] == owner.tolist(), f"{name}: branch of a row")
    check([int(row["point"]) for row in rows] == (np.arange(len(owner)) - ds["branch_first_point"].values[owner]).tolist(), f"{name}: point of a row")
    plain = [c for c in names if c in ds.data_vars and ds[c].dims == ("point",)]
    check({"parameter", "stability", "n_contacts", "peak_force", "max_displacement"} <= set(plain), f"{name}: columns {names}")
    for column in plain:
        values = ds[column].values.astype(float)
        check(np.array_equal([float(row[column]) for row in rows], values, equal_nan=True), f"{name}: branches.csv, {column}")
    for k in range(4):
        for part in "re", "im":
            check(np.array_equal([float(row[f"multiplier_{part}_{k}"]) for row in rows], ds[f"multiplier_{part}"].values[:, k], equal_nan=True),
                  f"{name}: branches.csv, multiplier {k}")
    for parameter, column in NUMBERS.items():
        values = ds["parameter"].values if parameter == ds.attrs["continued_parameter"] else ds[column].values[owner]
        check(np.array_equal([float(row[parameter]) for row in rows], values), f"{name}: branches.csv, {parameter}")
    names, rows, _ = table(r.folder / name / "branches_special.csv")
    kinds = np.array(ds["special_type"].attrs["flag_meanings"].split())
    check([row["type"] for row in rows] == kinds[ds["special_type"].values].tolist(), f"{name}: types")
    check([int(row["to_branch"]) for row in rows] == ds["special_to"].values.tolist(), f"{name}: to_branch")
    check(np.array_equal([float(row["parameter"]) for row in rows], ds["special_parameter"].values), f"{name}: branches_special.csv, parameter")


def of_type(ds, kind):
    return ds["special_parameter"].values[ds["special_type"].values == kind]


def orbit(ds, b, parameter):
    """Strobes of the point of branch b at the parameter."""
    mine = ds["point_branch"].values == b
    i = np.flatnonzero(mine)[np.argmin(abs(ds["parameter"].values[mine] - parameter))]
    p = int(ds["branch_period"].values[b])
    return ds["parameter"].values[i], ds["strobe_displacement"].values[i, :p], ds["strobe_velocity"].values[i, :p]


def same_orbit(one, other, text):
    """Strobes in any rotation. 1e-8: both are solved to 1e-10, and multipliers stay below 0.99."""
    best = min(max(np.max(abs(np.roll(one[1], k) - other[1])), np.max(abs(np.roll(one[2], k) - other[2]))) for k in range(len(one[1])))
    check(abs(one[0] - other[0]) < 1e-12 and best < 1e-8, f"{text}: parameters {one[0]}, {other[0]}, strobes differ by {best}")


def starts(r):
    """A simulation, a cell of a sweep and a point of a branch at A = 0.37: the branch through them is one."""
    r.run("simulated", STRUCTURE, HERE, AMPLITUDE, "-continue_switch_depth 2", command="continue")
    ds = holds_together(r, "simulated")
    tables(r, "simulated")
    near(of_type(ds, DOUBLING)[0], 0.347533398, 1e-8, "published doubling")
    check(ds.sizes["branch"] > 1 and ds.attrs["complete"] == 1, "nothing leaves the doubling")
    r.run("sweep", STRUCTURE, "-sweep_amplitude 0.36:0.38:3 -sweep_frequency 0.81 -sweep_along amplitude")
    r.run("from_cell", STRUCTURE, AMPLITUDE, "-start_cells 0,1,0 -start_from", r.folder / "sweep" / "sweep.h5", command="continue")
    cell = holds_together(r, "from_cell")
    check(cell["branch_from"].values.tolist() == [[0, 1, 0]] and cell["branch_origin"].values.tolist() == [1], "from_cell: where it is from")
    same_orbit(orbit(ds, 0, 0.37), orbit(cell, 0, 0.37), "simulation and cell")
    near(of_type(cell, DOUBLING), of_type(ds, DOUBLING)[:1], 1e-9, "doubling from a cell")
    # a point elsewhere on the branch, over another parameter: what it holds fixed is of the point
    i = int(np.argmin(abs(ds["parameter"].values[: ds["branch_n_points"].values[0]] - 0.362836202)))
    amplitude = float(ds["parameter"].values[i])
    r.run("from_point", STRUCTURE, "-continue_parameter frequency -continue_min 0.79 -continue_max 0.82 -start_from",
          r.folder / "simulated" / "branches.h5", f"-start_point 0,{i}", command="continue")
    point = holds_together(r, "from_point")
    tables(r, "from_point")
    near(point["branch_amplitude"].values, amplitude, 0, "from_point: the amplitude of the point")
    check(point["branch_from"].values[0].tolist() == [0, i, -1] and point["branch_origin"].values[0] == 2, "from_point: where it is from")
    same_orbit((0.81, *orbit(ds, 0, amplitude)[1:]), orbit(point, 0, 0.81), "point and branch through it")
    check(of_type(point, FOLD).size > 0, "over the frequency the orbit does not fold")
    # and back: the amplitude over a point of that branch at the frequency of its fold gives the published fold
    k = int(np.argmin(abs(point["parameter"].values - 0.799)))
    r.run("back", STRUCTURE, "-continue_parameter amplitude -continue_min 0.34 -continue_max 0.4 -start_from", r.folder / "from_point" / "branches.h5",
          f"-start_point 0,{k}", command="continue")
    near(holds_together(r, "back")["branch_frequency"].values, point["parameter"].values[k], 0, "back: the frequency of the point")


def published_fold(r):
    r.run("fold", STRUCTURE, "-forcing_amplitude 0.37 -forcing_frequency 0.799", "-continue_parameter amplitude -continue_min 0.35 -continue_max 0.4",
          command="continue")
    folds = of_type(holds_together(r, "fold"), FOLD)
    check(folds.size > 0, "no fold")
    if folds.size:
        near(folds[np.argmin(abs(folds - 0.362836202))], 0.362836202, 1e-8, "published fold")


def stop_from_a_branch(r):
    """A point of a branch over the stop position has its own stop, whatever -stop_position says."""
    r.run("stops", STRUCTURE, HERE, "-continue_parameter stop_position -continue_min 0.95 -continue_max 1.05", command="continue")
    ds = holds_together(r, "stops")
    i = 2
    r.run("from_stop", STRUCTURE, AMPLITUDE, "-start_from", r.folder / "stops" / "branches.h5", f"-start_point 0,{i}", command="continue")
    other = holds_together(r, "from_stop")
    near(other["branch_stop_position"].values, ds["parameter"].values[i], 0, "stop of the point")
    same_orbit((0.37, *orbit(ds, 0, float(ds["parameter"].values[i]))[1:]), orbit(other, 0, 0.37), "point of another stop")


def again(r):
    """used_parameters.yaml repeats the run to the bit; units do not matter."""
    r.run("again", f"-options_file_yaml {r.folder / 'simulated' / 'used_parameters.yaml'}", command="continue")
    found = differences(r.folder / "simulated" / "branches.h5", r.folder / "again" / "branches.h5")
    check(not found, f"used_parameters.yaml: {', '.join(found)}")
    check((r.folder / "simulated" / "branches.csv").read_bytes() == (r.folder / "again" / "branches.csv").read_bytes(), "branches.csv differs")
    # a steel strip 1 m long, 0.1 m high: beta 1200, gamma 5/6/2.6; kicked at 20 t0^-1 without contact, a branch of linear response
    L, E, rho, b, h = 1.0, 2.1e11, 7800.0, 0.05, 0.1
    t0 = L**2 * np.sqrt(rho * b * h / (E * b * h**3 / 12))
    steps = "-receptance_modes 6 -continue_max_points 4"
    r.run("plain", "-beam_beta 1200 -beam_gamma 0.320512820512820512 -stop_position -0.05 -initial_displacement 0 -initial_velocity 0 "
          "-forcing_amplitude 1 -forcing_frequency 20 -continue_min 19 -continue_max 21", steps, command="continue")
    r.run("si", "-units si", f"-beam_length {L} -beam_youngs_modulus {E} -beam_poisson_ratio 0.3 -beam_shear_factor {5 / 6!r} -beam_density {rho} "
          f"-beam_width {b} -beam_height {h}", f"-stop_position {-0.05 * L} -initial_displacement 0 -initial_velocity 0 "
          f"-forcing_amplitude {L / t0**2!r} -forcing_frequency {20 / t0!r} -continue_min {19 / t0!r} -continue_max {21 / t0!r}", steps,
          command="continue")
    one, other = holds_together(r, "plain"), holds_together(r, "si")
    check(one.sizes["point"] == other.sizes["point"] and 0 < one.sizes["special"] + 1, "plain and si have other points")
    near(other["parameter"].values, one["parameter"].values, 1e-9, "si: frequency without dimension")
    near(other["max_displacement"].values, one["max_displacement"].values, 1e-9, "si: displacement without dimension")
    check("t0 = " in (r.folder / "si" / "branches.csv").read_text(), "si: branches.csv does not say the units")
    with h5py.File(r.folder / "si" / "branches.h5") as file:
        near(file["scales/time"][()], t0, 1e-12 * t0, "scales/time")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_continue_output_") as folder:
        r = Runs(folder)
        starts(r)
        published_fold(r)
        stop_from_a_branch(r)
        again(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
