"""grazedata - read what graze wrote: sweep.h5, trajectory.h5, kernel.h5 and asymptotics.h5; branches.h5 is read by branchdata.

The only file that knows their schema (docs/data.md): names of variables, order of axes, status numbers, units.
Everything else works with what the functions here return: an xarray.Dataset, or plain numpy arrays.

    ds = open_sweep("runs/demo/sweep.h5")
    up = at_direction(ds, "up")
    line, note = select_nearest(up, "amplitude", 30.0)
    points = strobe_points(line, "displacement")      # points.x, points.value, points.period, points.status

What a person can mend (a missing file, a value outside the range) is a DataError with a message of one line.
"""
from collections import namedtuple
import errno
import os
import re

import h5py
import numpy as np
import xarray as xr

# Status of a grid cell, as stored (append only).
PENDING, PERIODIC, CONTACT_FREE, APERIODIC, NOT_SETTLED, EVENT_LIMIT, FLOW_FAILED, CRASHED, PERIODIC_UNVERIFIED = range(9)
CHAOTIC, QUASI_PERIODIC = 9, 10

# Codes of a period map: a positive code is the period itself.
CODE_PENDING, CODE_CONTACT_FREE, CODE_APERIODIC, CODE_NOT_SETTLED, CODE_FAILED, CODE_CHAOTIC, CODE_QUASI_PERIODIC = 0, -1, -2, -3, -4, -5, -6
_CODE_OF_STATUS = {PENDING: CODE_PENDING, CONTACT_FREE: CODE_CONTACT_FREE, APERIODIC: CODE_APERIODIC,
                   NOT_SETTLED: CODE_NOT_SETTLED, CHAOTIC: CODE_CHAOTIC, QUASI_PERIODIC: CODE_QUASI_PERIODIC}

ONSET, RELEASE = 1, 2  # event_type of a trajectory
DIRECTIONS = {"up": 1, "down": -1}

STROBE_VALUES = {"displacement": "strobe_displacement", "velocity": "strobe_velocity"}
CONTACT_VALUES = ("contact_phase", "contact_velocity", "contact_force", "contact_duration", "contact_impulse")

Points = namedtuple("Points", "x value period status")  # 1-d arrays of equal length
Plane = namedtuple("Plane", "amplitude frequency value")  # value shape [amplitude, frequency]
Contact = namedtuple("Contact", "onset release velocity force")  # release NaN: still open at the end
Unit = namedtuple("Unit", "factor text")  # stored value times factor is in the unit `text`


class DataError(Exception):
    """Something is wrong with a file or a request; str() is one line for the user."""


# --- opening ---

def open_kind(path, kind):
    """An xarray.Dataset of the root group of `path` if it is of that kind, a key of _NEEDS, else a DataError that says why not."""
    path = os.fspath(path)
    if os.path.isdir(path):
        raise DataError(f"{path}: is a folder; name the file in it, such as {os.path.join(path, kind + '.h5')}")
    if not os.path.exists(path):
        hint = ""
        if os.path.exists(path + ".partial"):
            hint = " (there is a .partial file: the run had not got as far as its first result)"
        raise DataError(f"{path}: no such file{hint}")
    try:
        with h5py.File(path, "r") as file:
            names = set(file)
    except OSError as error:
        number = error.errno or int((re.findall(r"errno = (\d+)", str(error)) or "0")[0])
        if number in (errno.EAGAIN, errno.ENOLCK, 524):
            raise DataError(f"{path}: locked by a run that is writing it; "
                            "export HDF5_USE_FILE_LOCKING=FALSE to look at it anyway") from None
        if number == errno.EACCES:
            raise DataError(f"{path}: no permission to read it") from None
        raise DataError(f"{path}: not an HDF5 file, or a damaged one") from None
    missing = _NEEDS[kind] - names
    if missing:
        for other, needed in _NEEDS.items():
            if needed <= names:
                raise DataError(f"{path}: this is a {other} file; a {kind} file is needed")
        raise DataError(f"{path}: not a {kind} file of graze (no variable {', '.join(sorted(missing))})")
    try:
        return xr.open_dataset(path, engine="h5netcdf")
    except Exception as error:  # whatever xarray thinks of a damaged file, the user gets one line
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


_NEEDS = {  # variables that tell a kind of file from the others, and without which it is of no use
    "sweep": {"direction", "amplitude", "frequency", "status", "period"},
    "trajectory": {"time", "displacement", "velocity", "force", "event_time", "event_type", "amplitude", "frequency"},
    "kernel": {"beam_points", "tau_log", "tau_linear", "L1_bare_log", "L1_bare_linear", "L1_limit_log", "L_plus", "n_modes"},
    "branches": {"branch", "point", "special", "point_branch", "parameter", "stability", "special_type", "branch_period"},
    "asymptotics": {"alpha", "time", "force", "force_estimate", "coefficient", "coefficient_time", "mode", "modes_needed"},
}


def open_sweep(path):
    """sweep.h5 as an xarray.Dataset with coordinates direction, amplitude, frequency, sample, contact, multiplier, state_index.

    Data are read when they are used. An incomplete file opens like any other: see pending_cells."""
    return open_kind(path, "sweep")


def open_trajectory(path):
    """trajectory.h5 as an xarray.Dataset with coordinates time, event."""
    return open_kind(path, "trajectory")


def open_kernel(path):
    """kernel.h5 as an xarray.Dataset with coordinates beam_points, tau_log, tau_linear, component, mode, pole, zero."""
    return open_kind(path, "kernel")


def open_asymptotics(path):
    """asymptotics.h5 as an xarray.Dataset with coordinates alpha, time, coefficient_time, mode."""
    return open_kind(path, "asymptotics")


def pending_cells(ds):
    """(cells not computed yet, all cells). Nonzero in the file of a run that is under way or was interrupted."""
    status = ds["status"].values
    return int(np.count_nonzero(status == PENDING)), int(status.size)


# --- the other groups ---

def as_text(value):
    """An attribute or scalar as a str or number of Python; HDF5 has several forms of both."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray) and value.dtype.kind == "S" and value.ndim == 1 and value.dtype.itemsize == 1:
        return value.tobytes().decode().rstrip("\0")
    if isinstance(value, np.ndarray) and value.size == 1:
        return as_text(value.reshape(())[()])
    return value.item() if isinstance(value, np.generic) else value


def _group(ds, name):
    """Scalars of a group as a dict, whether they are stored as attributes or as data sets. {} where the file has no such group."""
    with h5py.File(ds.encoding["source"], "r") as file:
        if name not in file:
            return {}
        group = file[name]
        values = {key: as_text(value) for key, value in group.attrs.items()}
        values.update({key: as_text(item[()]) for key, item in group.items() if isinstance(item, h5py.Dataset) and item.ndim == 0})
    return values


def parameters(ds):
    """The parameters of the run as a dict: numbers, and text as the user would type it (/parameters). Units as `units` in it says."""
    return {key: _number(value) for key, value in _group(ds, "parameters").items()}


def _number(value):
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def scales(ds):
    """{"length": m, "time": s, "force": N}, or {} where the input was non-dimensional (/scales)."""
    found = _group(ds, "scales")
    return {key: float(found[key]) for key in ("length", "time", "force") if key in found}


def kernel(ds):
    """The delay equation that was solved, as an xarray.Dataset: tau, L1_1, L1_2, Linf, A, L_plus, poles, residues, zeros (/kernel)."""
    try:
        return xr.open_dataset(ds.encoding["source"], engine="h5netcdf", group="kernel")
    except (OSError, KeyError, ValueError):
        raise DataError(f"{ds.encoding['source']}: has no group /kernel") from None


def caption(ds):
    """One line that says where the data came from: program, commit, parameters, time, UUID; what the file lacks is left out."""
    origin, given, amounts_to = _group(ds, "provenance"), parameters(ds), _group(ds, "scales")
    program = f"graze {origin.get('program_version', '')}".strip()
    if origin.get("commit"):
        program += f" ({str(origin['commit'])[:12]}{', modified' if origin.get('dirty') else ''})"
    parts = [program]
    for name, key in (("beam_beta", "beta"), ("beam_gamma", "gamma")):  # an SI set has them in /scales only
        if key in amounts_to:
            given.setdefault(name, float(amounts_to[key]))
    where = {"mode": ("forcing_mode", "mode"), "shape": ("forcing_mode", "mode"), "point": ("forcing_position", "position")}
    names = [("beam_beta", "beta"), ("beam_gamma", "gamma"), ("damping_ratio", "D"), ("stop_position", "y_s"), ("forcing_type", "forcing")]
    names += [where[given["forcing_type"]]] if given.get("forcing_type") in where else []
    for name, sign in names + [("flow", "flow")]:
        if str(given.get(name, "")).lower() not in ("", "nan"):
            metres = " m" if name == "stop_position" and given.get("units") == "si" else ""
            parts.append(f"{sign} = {_short(given[name])}{metres}")
    parts += [str(origin[name]) for name in ("utc_start", "uuid") if origin.get(name)]
    return "; ".join(parts)


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- units ---

_SYMBOLS = {  # symbol in a `scale` attribute: its value in terms of /scales, and its dimensions (m, s, N)
    "L": (lambda s: s["length"], (1, 0, 0)),
    "t0": (lambda s: s["time"], (0, 1, 0)),
    "EI": (lambda s: s["force"] * s["length"] ** 2, (2, 0, 1)),
    "m0": (lambda s: s["force"] * s["time"] ** 2 / s["length"], (-1, 2, 1)),
    "rad": (lambda s: 1.0, (0, 0, 0)),
    "1": (lambda s: 1.0, (0, 0, 0)),
}


def _parse_scale(text):
    """'EI t0/L^2' -> [("EI", 1), ("t0", 1), ("L", -2)]; every factor after the slash is in the denominator."""
    above, _, below = text.replace("E I", "EI").replace("*", " ").partition("/")
    factors = []
    for part, sign in ((above, 1), (below.replace("(", "").replace(")", "").replace("/", " "), -1)):
        for word in part.split():
            found = re.fullmatch(r"(EI|m0|L|t0|rad|1)(?:\^(\d+))?|(EI|L|t0)(t0|L)", word)
            if not found:
                raise DataError(f"a scale '{text}' is not understood")
            if found.group(3):
                factors += [(found.group(3), sign), (found.group(4), sign)]
            else:
                factors.append((found.group(1), sign * int(found.group(2) or 1)))
    return factors


def unit(ds, name, si=False):
    """The Unit of a variable: (1, its scale such as 'L/t0'), or with si=True the factor to SI and 'm/s'. Needs /scales for SI."""
    scale = as_text(ds[name].attrs.get("scale", ""))
    if not si:
        return Unit(1.0, "" if scale == "1" else scale)
    known = scales(ds)
    if len(known) < 3:
        raise DataError(f"{ds.encoding['source']}: the input was non-dimensional, so there are no SI values (no /scales)")
    factor, powers, angle = 1.0, np.zeros(3, int), False
    for symbol, power in _parse_scale(scale) if scale else []:
        value, dimensions = _SYMBOLS[symbol]
        factor *= value(known) ** power
        powers += power * np.array(dimensions)
        angle |= symbol == "rad"
    return Unit(factor, _unit_text(powers, angle))


def _unit_text(powers, angle):
    above = ["rad"] if angle else []
    below = []
    for symbol, power in zip(("N", "m", "s"), (powers[2], powers[0], powers[1])):
        if power:
            (above if power > 0 else below).append(symbol + (f"^{abs(power)}" if abs(power) > 1 else ""))
    if not above and not below:
        return ""
    return (" ".join(above) or "1") + ("/" + " ".join(below) if below else "")


# --- choosing ---

def direction_names(ds):
    """The directions in the file, up first: ["up"], ["down"] or ["up", "down"]."""
    stored = set(int(d) for d in np.atleast_1d(ds["direction"].values))
    return [name for name, value in DIRECTIONS.items() if value in stored]


def at_direction(ds, name):
    """The part of the sweep that ran "up" or "down"."""
    if name not in direction_names(ds):
        raise DataError(f"{ds.encoding['source']}: has no sweep {name}, only {' and '.join(direction_names(ds))}")
    return _keep_source(ds, ds.sel(direction=DIRECTIONS[name]))


def select_nearest(ds, axis, value=None, factor=1.0):
    """(ds at the grid value of `axis` nearest to `value`, note). The note is None, or says which value was taken instead.

    value: in the unit that stored values have after multiplication by factor. Without one: the only one of the grid, or the
    middle one. A value outside the grid's range is a DataError."""
    grid = ds[axis].values * factor
    low, high = float(grid.min()), float(grid.max())
    note = None
    if value is None:
        i = len(grid) // 2
        if len(grid) > 1:
            note = f"no {axis} asked for: the middle one of {len(grid)} is shown, {grid[i]:.6g}"
    else:
        slack = 1e-9 * max(abs(low), abs(high))
        if not low - slack <= value <= high + slack:
            raise DataError(f"{axis} {value:g} is outside the range of the file, {low:g} to {high:g}")
        i = int(np.argmin(np.abs(grid - value)))
        if abs(grid[i] - value) > slack:
            note = f"{axis} {value:g} is not in the grid: the nearest one is shown, {grid[i]:.6g}"
    return _keep_source(ds, ds.isel({axis: i})), note


def _keep_source(ds, part):
    part.encoding.setdefault("source", ds.encoding["source"])
    return part


# --- Poincare data along a line: ds with one of amplitude and frequency left, and one direction ---

def _stack(line, name, count, inner):
    axis = _line_axis(line)
    value = line[name].transpose(axis, inner).values
    stored = np.minimum(count.values, value.shape[1])
    kept = (np.arange(value.shape[1]) < stored[:, None]) & np.isfinite(value)
    cell, _ = np.nonzero(kept)
    return Points(line[axis].values[cell], value[kept], line["period"].values[cell], line["status"].values[cell])


def _line_axis(line):
    dims = line["status"].dims
    if len(dims) != 1:
        raise ValueError(f"not a line: its cells have the dimensions {dims}")
    return dims[0]


def strobe_points(line, value="displacement"):
    """Stroboscopic "displacement" or "velocity" of every cell of a line: p points where the period is p, else all that were sampled."""
    return _stack(line, STROBE_VALUES[value], line["n_samples"], "sample")


def contact_points(line, name):
    """One of CONTACT_VALUES for every stored contact of every cell of a line."""
    return _stack(line, name, line["n_contacts"], "contact")


def cell_points(line, name):
    """A variable that every cell of a line has one number of, such as "max_displacement"."""
    return _stack(line.assign({name: line[name].expand_dims("one")}), name, xr.ones_like(line["status"], int), "one")


def truncated_cells(line):
    """How many cells of a line had more contacts than the file has room for (-max_contacts)."""
    return int(np.count_nonzero(line["n_contacts"].values > line.sizes["contact"]))


def seams(ds, axis):
    """Where, along `axis`, a segment was started afresh: positions half way between the two cells, each once, sorted.

    The start of a line is none; nor are there any where lines run along the other axis."""
    start = ds["segment_start"].transpose(..., axis).values.reshape(-1, ds.sizes[axis]) == 1
    if start.shape[1] < 2 or start.all():
        return np.array([])
    x = ds[axis].values
    middle = 0.5 * (x[1:] + x[:-1])
    upward = int(ds["direction"].values) > 0
    between = start[:, 1:] if upward else start[:, :-1]
    return middle[between.any(axis=0)]


# --- the plane ---

def period_codes(cells):
    """The code of every cell: a period > 0 or one of CODE_*. cells: a Dataset or Points; the shape is that of its status."""
    if isinstance(cells, Points):
        status, period = cells.status, cells.period
    else:
        status, period = cells["status"].values, cells["period"].values
    code = np.full(status.shape, CODE_FAILED, int)
    for number, meaning in _CODE_OF_STATUS.items():
        code[status == number] = meaning
    periodic = ((status == PERIODIC) | (status == PERIODIC_UNVERIFIED)) & (period > 0)
    code[periodic] = period[periodic]
    return code


def has_unverified(ds):
    """Whether some periods were judged by sampling alone (the literal scheme has no Jacobian)."""
    return bool(np.any(ds["status"].values == PERIODIC_UNVERIFIED))


def period_map(ds):
    """The Plane of period codes of one direction."""
    part = ds[["status", "period"]].transpose("amplitude", "frequency")
    return Plane(ds["amplitude"].values, ds["frequency"].values, period_codes(part))


def contacts_map(ds):
    """The Plane of contacts per forcing period of one direction; NaN where it is not known."""
    code = period_map(ds).value
    value = ds["contacts_per_period"].transpose("amplitude", "frequency").values.astype(float)
    known = (code != CODE_PENDING) & (code != CODE_FAILED)
    return Plane(ds["amplitude"].values, ds["frequency"].values, np.where(known, value, np.nan))


def grazing_curve(ds):
    """(frequency, amplitude) at which the contact-free orbit of one direction touches the stop; empty where that cannot be told.

    Without contact the steady motion is proportional to the forcing amplitude A. So a contact-free cell of stop y_s < 0
    and smallest displacement y_min < 0 gives the grazing amplitude A y_s / y_min of its frequency, and y_s is
    y_min - min_gap. Taken from the contact-free cell of the largest amplitude; frequencies without one have no point,
    nor have those whose grazing amplitude the grid does not reach. Other orbits may have contacts on either side of this curve."""
    part = ds[["status", "min_displacement", "min_gap"]].transpose("amplitude", "frequency")
    amplitude, frequency = ds["amplitude"].values, ds["frequency"].values
    lowest, gap = part["min_displacement"].values, part["min_gap"].values
    stop = lowest - gap
    usable = (part["status"].values == CONTACT_FREE) & (stop < 0) & (lowest < 0) & (amplitude[:, None] > 0)
    curve = []
    for j in np.flatnonzero(usable.any(axis=0)):
        i = max(np.flatnonzero(usable[:, j]), key=lambda k: amplitude[k])
        grazing = amplitude[i] * stop[i, j] / lowest[i, j]
        if grazing <= amplitude.max():
            curve.append((frequency[j], grazing))
    return np.array(curve).reshape(-1, 2).T


# --- one trajectory ---

def forcing_period(ds):
    """The forcing period T of a trajectory, in t0."""
    return 2 * np.pi / _scaled_parameter(ds, "forcing_frequency", lambda s: 1 / s["time"])


def stop_position(ds):
    """The stop y_s of a trajectory, in L."""
    return _scaled_parameter(ds, "stop_position", lambda s: s["length"])


def _scaled_parameter(ds, name, scale):
    """A parameter made non-dimensional: what the user gave in SI (units: si) is divided by scale(scales(ds))."""
    given = parameters(ds)
    if not isinstance(given.get(name), (int, float)):
        raise DataError(f"{ds.encoding['source']}: has no number {name} in /parameters")
    return given[name] / (scale(scales(ds)) if given.get("units") == "si" else 1.0)


def trajectory_contacts(ds):
    """The contacts of a trajectory in order of time, each a Contact: onset, release, velocity and force at the onset."""
    kind, time = ds["event_type"].values, ds["event_time"].values
    velocity, force = ds["event_velocity"].values, ds["event_force"].values
    contacts = []
    for i in np.flatnonzero(kind == ONSET):
        later = np.flatnonzero(kind[i + 1:] == RELEASE)
        release = time[i + 1 + later[0]] if later.size else np.nan
        contacts.append(Contact(time[i], release, velocity[i], force[i]))
    return contacts


def part(ds, start, end):
    """(time, displacement, velocity, force) of the samples of a trajectory from `start` to `end`, t0; 1-d arrays in stored units."""
    time = ds["time"].values
    near = slice(*np.searchsorted(time, (start - 1e-9 * abs(end), end + 1e-9 * abs(end))))
    return time[near], *(ds[name][near].values for name in ("displacement", "velocity", "force"))


def impacts(ds):
    """(time, velocity just before) of all onsets of a trajectory, which with the restitution flow are the impacts; 1-d arrays."""
    onset = ds["event_type"].values == ONSET
    return ds["event_time"].values[onset], ds["event_velocity"].values[onset]


def open_reduced(path):
    """open_trajectory of a motion with a contact force; DataError if it was made with rigid impacts."""
    return _of_flow(open_trajectory(path), False)


def open_rigid(path):
    """open_trajectory of a motion with rigid impacts (the restitution flow), which are impulses; DataError if it has a force."""
    return _of_flow(open_trajectory(path), True)


def _of_flow(ds, rigid):
    flow = parameters(ds).get("flow")
    if (flow == "restitution") != rigid:
        raise DataError(f"{ds.encoding['source']}: made with the {flow} flow; {'restitution' if rigid else 'exact or literal'} is needed here")
    return ds


def modes_kept(ds):
    """How many modes the model of a trajectory or sweep has."""
    return int(kernel(ds)["modes"])


# --- one kernel.h5 ---

def memory_kernel(ds, kind, grid):
    """(tau, [L1]_2) of a kernel file. kind: "bare", "closed" (both shape [beam_points, tau]) or "limit" ([tau]); grid: "log" or "linear"."""
    name = f"L1_{kind}_{grid}"
    if name not in ds:
        raise DataError(f"{ds.encoding['source']}: has no {kind} kernel; only regular structures have")
    return ds[f"tau_{grid}"].values, ds[name].sel(component=2).transpose(..., f"tau_{grid}").values


def collocation(ds):
    """(intervals N, modes used) of every row of a kernel file."""
    return ds["beam_points"].values, ds["n_modes"].values


def verdict(ds):
    """(L+ of the continuum, "regular" or "singular") of a kernel file."""
    return float(ds["L_plus"]), str(as_text(ds.attrs["verdict"]))


# --- one asymptotics.h5 ---

def contact_forces(ds):
    """A list of (alpha, time, force, estimate, modes needed), the last four 1-d arrays; forces per unit velocity of impact."""
    speed = abs(float(ds["velocity_before"]))
    return [(float(a), ds["time"].values, *(ds[name].sel(alpha=a).values / scale
             for name, scale in (("force", speed), ("force_estimate", speed), ("modes_needed", 1)))) for a in ds["alpha"].values]


def coefficients(ds, time):
    """(dt, list of (alpha, mode, coefficient)) at the stored contact time nearest to `time`."""
    part = ds.sel(coefficient_time=time, method="nearest")
    return float(part["coefficient_time"]), [(float(a), ds["mode"].values, part["coefficient"].sel(alpha=a).values) for a in ds["alpha"].values]
