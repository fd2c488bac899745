"""synthetic_branches - a branches.h5 with made-up numbers that follows docs/data.md and include/graze/branch.h exactly.

It lets the tests of postprocess run without the program. There are a branch of period 1, which folds back and has a special point
of every type, the branch of period 2 that leaves it at its doubling, and on request the same two at further amplitudes. All
is a smooth function of the arclength, so the tests know what any node must be.
"""
from types import SimpleNamespace

import h5py
import numpy as np

import synthetic

STROBES, CONTACTS, MULTIPLIERS, STATES, WHY = 2, 3, 8, 6, 160
FOLD, DOUBLING, NEIMARK_SACKER, BRANCH_POINT, GRAZING_ONSET, CONTACT_MERGING, GRAZING_RELEASE, CONTACT_CHANGE = range(1, 9)
TYPE_NAMES = ("none fold period_doubling neimark_sacker branch_point grazing_onset contact_merging grazing_release "
              "contact_change")
END_NAMES = "none bound closed max_points smallest_step grazing inadmissible flow origin no_start halved"
ORIGIN_NAMES = "simulation sweep_cell branch_point_saved period_doubling branch_point"
BOUND, ORIGIN, NO_START = 1, 8, 9

# (name, type, axis, scale); "parameter": the scale of the parameter continued. int: -1 where there is nothing, float: NaN.
POINT = [("parameter", float, None, "parameter"), ("arclength", float, None, "parameter"), ("step", float, None, "parameter"),
         ("slope", float, None, ""), ("newton_steps", np.int32, None, ""), ("residual", float, None, ""),
         ("stability", np.int8, None, ""), ("n_unstable", np.int32, None, ""), ("strobe_displacement", float, "strobe", "L"),
         ("strobe_velocity", float, "strobe", "L/t0"), ("max_displacement", float, None, "L"), ("min_displacement", float, None, "L"),
         ("peak_force", float, None, "EI/L^2"), ("contact_fraction", float, None, ""), ("min_gap", float, None, "L"),
         ("min_force", float, None, "EI/L^2"), ("margin", float, None, ""), ("n_contacts", np.int32, None, ""),
         ("contact_period", np.int32, "contact", ""), ("contact_phase", float, "contact", ""),
         ("contact_velocity", float, "contact", "L/t0"), ("contact_force", float, "contact", "EI/L^2"),
         ("contact_duration", float, "contact", "t0"), ("contact_impulse", float, "contact", "EI t0/L^2"),
         ("n_multipliers", np.int32, None, ""), ("multiplier_re", float, "multiplier", ""), ("multiplier_im", float, "multiplier", ""),
         ("multiplier_error", float, "multiplier", ""), ("state_in_contact", np.int8, None, ""), ("state", float, "state_index", "")]
SPECIAL = [("type", np.int8, None, ""), ("point", np.int32, None, ""), ("parameter", float, None, "parameter"),
           ("arclength", float, None, "parameter"), ("width", float, None, "parameter"), ("cut_difference", float, None, "parameter"),
           ("test", float, None, ""), ("contacts_before", np.int32, None, ""), ("contacts_after", np.int32, None, ""),
           ("event_period", float, None, ""), ("event_phase", float, None, ""), ("n_multipliers", np.int32, None, ""),
           ("multiplier_re", float, "multiplier", ""), ("multiplier_im", float, "multiplier", ""),
           ("multiplier_error", float, "multiplier", ""), ("strobe_displacement", float, "strobe", "L"),
           ("strobe_velocity", float, "strobe", "L/t0"), ("state_in_contact", np.int8, None, ""),
           ("state", float, "state_index", ""), ("direction", float, "state_index", ""), ("kink", np.int8, None, "")]
SCALES = {"amplitude": "L/t0^2", "frequency": "rad/t0", "stop_position": "L", "damping_ratio": ""}
VALUES = {"amplitude": 30.0, "frequency": 13.0, "stop_position": synthetic.STOP, "damping_ratio": 0.1}
INTERVAL = {"amplitude": (10.0, 60.0), "frequency": (4.0, 40.0), "stop_position": (-0.1, 0.0), "damping_ratio": (0.05, 0.3)}

ERRORS = np.array([1, 0.2, 0.2] + [1] * (MULTIPLIERS - 3))  # of each multiplier, in terms of the first one's

# Of the first branch: where along it (share of its arclength), what, and whether it is stable from there on.
ALONG = [(0.15, GRAZING_ONSET, 1), (0.30, DOUBLING, -1), (0.40, NEIMARK_SACKER, -1), (0.45, GRAZING_RELEASE, -1), (0.60, FOLD, -1),
         (0.70, CONTACT_MERGING, -1), (0.80, BRANCH_POINT, 1), (0.90, CONTACT_CHANGE, 1)]


def parameter_at(s, name):
    """Parameter at the share s of the first branch: it rises to the fold at 0.6 of the way and turns back."""
    low, high = INTERVAL[name]
    return high - (high - low) * ((s - 0.6) / 0.6) ** 2


def strobes_at(s, period):
    """(displacement, velocity), shape [len(s), period]; the branch of period 2 opens like a root where it leaves the first."""
    s = np.atleast_1d(s)[:, None]
    apart = np.array([0.0]) if period == 1 else 0.12 * np.sqrt(np.maximum(s - 0.30, 0)) * np.array([1.0, -1.0])
    return 0.05 + 0.2 * s - 0.1 * s**2 + apart, -1.0 + 1.5 * s + 5 * apart


def _first(n):
    """Shares, verdicts, special points of the first branch; its points near the doubling and the branch point are undecided."""
    s = np.linspace(0, 1, n)
    verdict = np.ones(n, int)
    for at, _, after in ALONG:
        verdict[s > at] = after
    verdict[np.abs(s - 0.80) < 0.6 / n] = 0
    return SimpleNamespace(s=s, verdict=verdict, special=[(at, kind) for at, kind, _ in ALONG], period=1, origin=0, end=(BOUND, BOUND))


def _second(n):
    """Of the branch of period 2, which begins at the doubling of the first and is undecided there."""
    s = np.linspace(0.30, 0.62, n)
    verdict = np.where(s < 0.5, 1, -1)
    verdict[0] = 0
    return SimpleNamespace(s=s, verdict=verdict, special=[(0.5, DOUBLING)], period=2, origin=3, end=(ORIGIN, BOUND))


def _multipliers(s, verdict):
    """Shape [point, multiplier]: a real one that leaves through -1, a complex pair, the others missing."""
    mu = np.full((len(s), MULTIPLIERS), np.nan, complex)
    size = np.where(verdict > 0, 0.6, np.where(verdict < 0, 1.4, 0.999)) + 0.2 * (s - 0.5)
    mu[:, 0], mu[:, 1], mu[:, 2] = -size, 0.3 + 0.4j * s, 0.3 - 0.4j * s
    return mu


def make_branches(path, parameter="frequency", n=40, amplitudes=(30.0,), complete=True, si=False, special=True, empty=False):
    """Write a branches file; returns a list of its branches: s, x, verdict, strobes, special points.

    special=False: the file has no special point, so nothing tells where stability changes. empty: one more branch without a point."""
    found = []
    for amplitude in amplitudes:
        for make in (_first, _second):
            b = make(n)
            b.special = b.special if special else []
            b.fixed = dict(VALUES, amplitude=amplitude)
            b.parent = len(found) - 1 if b.origin == 3 else -1
            b.x, b.mu = parameter_at(b.s, parameter), _multipliers(b.s, b.verdict)
            b.y1, b.y2 = strobes_at(b.s, b.period)
            b.before = np.array([np.searchsorted(b.s, at, "right") - 1 for at, _ in b.special], int)
            found.append(b)
    if empty:
        none = SimpleNamespace(s=np.zeros(0), verdict=np.zeros(0, int), special=[], period=1, origin=0, end=(NO_START, NO_START),
                               fixed=VALUES, parent=-1, x=np.zeros(0), mu=np.zeros((0, MULTIPLIERS), complex),
                               y1=np.zeros((0, 1)), y2=np.zeros((0, 1)), before=np.zeros(0, int))
        found.append(none)
    with h5py.File(path, "w") as file:
        file.attrs["continued_parameter"], file.attrs["complete"] = np.bytes_(parameter), np.int8(complete)
        synthetic._provenance(file, si)
        _dimensions(file, found)
        _branches(file, parameter, found)
        _rows(file, "point_branch", "", "point", POINT, parameter, [_point_rows(b, parameter) for b in found])
        _rows(file, "special_branch", "special_", "special", SPECIAL, parameter, [_special_rows(b, parameter) for b in found])
        _children(file, found)
        file["stability"].attrs["flag_values"] = np.array([-1, 0, 1], np.int8)
        file["stability"].attrs["flag_meanings"] = np.bytes_("unstable undecided stable")
        _flags(file["special_type"], TYPE_NAMES)
    return found


def _dimensions(file, found):
    for name, size in (("branch", len(found)), ("point", sum(len(b.s) for b in found)), ("special", sum(len(b.special) for b in found)),
                       ("strobe", STROBES), ("contact", CONTACTS), ("multiplier", MULTIPLIERS), ("state_index", STATES), ("end", 2),
                       ("start_index", 3)):
        data = file.create_dataset(name, data=np.arange(size, dtype=np.int32))
        data.make_scale(name)
        data.attrs["long_name"], data.attrs["units"] = np.bytes_(name), np.bytes_("1")
    text = file.create_dataset("character", data=np.zeros(WHY, np.int32))
    text.make_scale(f"This is a netCDF dimension but not a netCDF variable.{WHY:10d}")


def _variable(file, name, values, dims, scale=""):
    if values.dtype.kind == "S":  # characters of C, as the program writes them
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.C_S1, h5py.h5s.create_simple(values.shape)).write(
            h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(values), h5py.h5t.C_S1)
        data = file[name]
    else:
        data = file.create_dataset(name, data=values)
    for axis, dim in enumerate(dims):
        data.dims[axis].attach_scale(file[dim])
    data.attrs["long_name"] = np.bytes_(name.replace("_", " "))
    if values.dtype.kind != "S":
        data.attrs["units"] = np.bytes_("1")
    if scale:
        data.attrs["scale"] = np.bytes_(scale)
    return data


def _flags(data, names):
    data.attrs["flag_values"], data.attrs["flag_meanings"] = np.arange(len(names.split()), dtype=np.int8), np.bytes_(names)


def _branches(file, parameter, found):
    count = np.array([len(b.s) for b in found], np.int32)
    first_special = np.concatenate([[0], np.cumsum([len(b.special) for b in found])])
    columns = {
        "first_point": np.cumsum(count, dtype=np.int32) - count, "n_points": count, "period": [b.period for b in found],
        "origin": np.array([b.origin for b in found], np.int8), "start": np.arange(len(found)), "parent": [b.parent for b in found],
        "parent_special": [first_special[b.parent] + 1 if b.parent >= 0 and b.special else -1 for b in found],
        "depth": [int(b.parent >= 0) for b in found], "began": [0] * len(found), "modes": [100] * len(found),
        "other_modes": [80] * len(found), "newton_steps": 4 * count, "corrections": count, "rejected": 0 * count}
    for name, values in columns.items():
        values = np.asarray(values)
        _variable(file, f"branch_{name}", values if values.dtype == np.int8 else values.astype(np.int32), ("branch",))
    for name, scale in SCALES.items():
        values = [np.nan if name == parameter else b.fixed[name] for b in found]
        _variable(file, f"branch_{name}", np.array(values, float), ("branch",), scale)
    start = [b.x[0] if len(b.x) else VALUES[parameter] for b in found]
    _variable(file, "branch_start_parameter", np.array(start, float), ("branch",), SCALES[parameter])
    _variable(file, "branch_cascade_ratio", np.full(len(found), np.nan), ("branch",))
    _variable(file, "branch_from", np.full((len(found), 3), -1, np.int32), ("branch", "start_index"))
    _variable(file, "branch_end", np.array([b.end for b in found], np.int8), ("branch", "end"))
    words = {BOUND: b"the bound is reached", ORIGIN: b"the period doubles", NO_START: b"no orbit of period 1 was found at the start"}
    why = np.array([[words[e].ljust(WHY, b"\0") for e in b.end] for b in found], f"S{WHY}")
    _variable(file, "branch_why", why.view("S1").reshape(len(found), 2, WHY), ("branch", "end", "character"))
    _flags(file["branch_origin"], ORIGIN_NAMES)
    _flags(file["branch_end"], END_NAMES)


def _point_rows(b, parameter):
    """{variable: array} of one branch; what is left out has nothing."""
    n = len(b.s)
    length = b.s * np.ptp(INTERVAL[parameter])
    rows = {"parameter": b.x, "arclength": length, "step": np.gradient(length) if n > 1 else length, "newton_steps": np.full(n, 3),
            "residual": np.full(n, 1e-13), "stability": b.verdict, "n_unstable": np.where(b.verdict < 0, 1, 0),
            "strobe_displacement": b.y1, "strobe_velocity": b.y2,
            "max_displacement": 0.2 + 0.1 * b.s, "min_displacement": -0.05 - 1e-4 * b.s,
            "peak_force": 50 + 10 * b.s, "contact_fraction": 0.06 + 0.1 * b.s, "min_gap": np.where(b.s < 0.15, 0.01 - 0.06 * b.s, 0.03),
            "margin": np.zeros(n), "n_contacts": np.where(b.s < 0.15, 1, 2), "n_multipliers": np.full(n, 3),
            "multiplier_re": b.mu.real, "multiplier_im": b.mu.imag,
            "multiplier_error": np.where(np.isnan(b.mu), np.nan, np.where(b.verdict[:, None] == 0, 0.5, 1e-4) * ERRORS),
            "state_in_contact": np.zeros(n), "state": np.full((n, STATES), 0.01)}
    return n, rows


def _special_rows(b, parameter):
    n = len(b.special)
    at, kind = np.array([s for s, _ in b.special]), np.array([k for _, k in b.special], int)
    y1, y2 = strobes_at(at, b.period)
    mu = np.full((n, MULTIPLIERS), np.nan, complex)
    mu[:, :3] = -0.5, 0.2 + 0.3j, 0.2 - 0.3j
    for i, k in enumerate(kind):
        mu[i, 0] = {FOLD: 1.0, DOUBLING: -1.0, BRANCH_POINT: 1.0}.get(k, -0.5)
        if k == NEIMARK_SACKER:
            mu[i, :2] = np.exp(1j), np.exp(-1j)
    return n, {"type": kind, "point": b.before, "parameter": parameter_at(at, parameter), "arclength": at * np.ptp(INTERVAL[parameter]),
               "width": np.full(n, 1e-9), "test": np.zeros(n), "contacts_before": np.full(n, 1), "contacts_after": np.full(n, 2),
               "n_multipliers": np.full(n, 3), "multiplier_re": mu.real, "multiplier_im": mu.imag,
               "multiplier_error": np.where(np.isnan(mu), np.nan, 1e-4), "strobe_displacement": y1, "strobe_velocity": y2,
               "state_in_contact": np.zeros(n), "state": np.full((n, STATES), 0.01), "direction": np.zeros((n, STATES))}


def _rows(file, owner, prefix, dimension, table, parameter, branches):
    lengths = {"strobe": STROBES, "contact": CONTACTS, "multiplier": MULTIPLIERS, "state_index": STATES}
    _variable(file, owner, np.repeat(np.arange(len(branches), dtype=np.int32), [n for n, _ in branches]), (dimension,))
    for name, dtype, axis, scale in table:
        blocks = []
        for n, rows in branches:
            shape = (n, lengths[axis]) if axis else (n,)
            block = np.full(shape, np.nan if dtype is float else -1, dtype)
            if name in rows:
                given = np.asarray(rows[name])
                block[(slice(None), slice(0, given.shape[1])) if axis else slice(None)] = given
            blocks.append(block)
        dims = (dimension, axis) if axis else (dimension,)
        _variable(file, prefix + name, np.concatenate(blocks), dims, SCALES[parameter] if scale == "parameter" else scale)


def _children(file, found):
    to = []
    for k, b in enumerate(found):
        child = next((i for i, c in enumerate(found) if c.parent == k), -1)
        to += [child if i == 1 else -1 for i in range(len(b.special))]
    _variable(file, "special_to", np.array(to, np.int32), ("special",))
