"""branchdata - read branches.h5, the branches of periodic orbits that graze continue wrote.

The only file that knows its schema (docs/data.md); what it shares with the other files is in grazedata.

    ds = open_branches("runs/branches/branches.h5")
    for curve in curves(ds, "strobe_displacement"):
        curve.x, curve.value, curve.verdict           # shapes [node], [node, line], [node - 1]

A curve runs along the arclength. Its nodes are the points of the branch and, between them, its special points, so that it changes
its stability at a node. A verdict is that of the piece between two nodes.
"""
from collections import namedtuple

import numpy as np

import grazedata

STABLE, UNDECIDED, UNSTABLE = 1, 0, -1

# Types of special points, as stored (append only).
NONE, FOLD, DOUBLING, NEIMARK_SACKER, BRANCH_POINT, GRAZING_ONSET, CONTACT_MERGING, GRAZING_RELEASE, CONTACT_CHANGE = range(9)
_CONTACTS_CHANGE = (GRAZING_ONSET, CONTACT_MERGING, GRAZING_RELEASE, CONTACT_CHANGE)

_END_ORIGIN, _END_HALVED = 8, 10  # ends at a doubling of another branch, where no orbit of this one can be decided

PARAMETERS = ("amplitude", "frequency", "stop_position", "damping_ratio")
STROBE_MEASURES = ("strobe_displacement", "strobe_velocity")
MEASURES = STROBE_MEASURES + ("max_displacement", "min_displacement", "peak_force", "contact_fraction", "min_gap", "min_force")
_JUMPS = ("min_gap", "min_force")  # they are those of another instant once contacts have changed

Special = namedtuple("Special", "type node x value")  # value shape [line]
Curve = namedtuple("Curve", "branch period x value verdict special")  # special: a list
Multipliers = namedtuple("Multipliers", "period x value error verdict special")  # value complex, [point, multiplier]; NaN: none
SpecialMultipliers = namedtuple("SpecialMultipliers", "type x value")  # value complex, [multiplier]


def open_branches(path):
    """branches.h5 as an xarray.Dataset with coordinates branch, point, special, strobe, contact, multiplier, state_index, end."""
    return grazedata.open_kind(path, "branches")


def is_complete(ds):
    """Whether all branches are in the file. Those of a run that was stopped are whole, but there would have been more."""
    return bool(ds.attrs["complete"])


def continued(ds):
    """Name of the parameter that changes along the branches, one of PARAMETERS."""
    return grazedata.as_text(ds.attrs["continued_parameter"])


def caption(ds):
    """That of grazedata, without the parameter that was continued: the input has but the value at the start."""
    sign = {"stop_position": "y_s = ", "damping_ratio": "D = "}.get(continued(ds))
    return "; ".join(part for part in grazedata.caption(ds).split("; ") if not (sign and part.startswith(sign)))


def fixed(ds):
    """{name: array [branch]} of the three parameters that are the same all along a branch."""
    return {name: ds[f"branch_{name}"].values for name in PARAMETERS if name != continued(ds)}


def branch_count(ds):
    return ds.sizes["branch"]


# --- curves ---

def curves(ds, measure, chosen=None):
    """A list of Curve, one for each branch that has a point; measure: one of MEASURES; chosen: numbers of branches (default: all).

    A strobe measure has as many lines as the orbit has periods, any other has one. NaN: there is no such number."""
    wide = measure in STROBE_MEASURES
    x, value, s, verdict = (ds[name].values for name in ("parameter", measure, "arclength", "stability"))
    special_s, special_x, kind, before = (ds[f"special_{name}"].values for name in ("arclength", "parameter", "type", "point"))
    special_value = ds[f"special_{measure}"].values if wide else None
    found = []
    for k, points, rows in _rows(ds, chosen):
        period = int(ds["branch_period"].values[k])
        y = value[points, :period] if wide else value[points, None]
        nodes, places = _nodes(before[rows], len(y))
        at_special = special_value[rows, :period] if wide else _between(special_s[rows], s[points], y[:, 0])
        marks = at_special
        if measure in _JUMPS:
            change = np.isin(kind[rows], _CONTACTS_CHANGE)
            marks = np.where(change[:, None], _lower_neighbour(before[rows], y), at_special)
            at_special = np.where(change[:, None], np.nan, at_special)
        node_x = np.concatenate([x[points], special_x[rows]])[nodes]
        special = [Special(int(kind[row]), int(place), special_x[row], marks[i]) for i, (row, place) in enumerate(zip(rows, places))]
        pieces = _pieces(verdict[points], before[rows], ds["branch_end"].values[k])
        found.append(Curve(k, period, node_x, np.concatenate([y, at_special])[nodes], pieces, special))
    return found


def _rows(ds, chosen):
    """(number, slice of `point`, rows of `special` along the arclength) of every branch that has a point."""
    first, count, owner = (ds[name].values for name in ("branch_first_point", "branch_n_points", "special_branch"))
    s, before = ds["special_arclength"].values, ds["special_point"].values
    for k in range(branch_count(ds)) if chosen is None else chosen:
        if count[k]:
            rows = np.flatnonzero(owner == k)
            yield int(k), slice(int(first[k]), int(first[k] + count[k])), rows[np.lexsort((s[rows], before[rows]))]


def _nodes(before, n):
    """(order, places): points 0..n-1 and special points n.. as they follow each other, and where the special points are then."""
    key = np.concatenate([np.arange(n, dtype=float), before + 0.5])
    order = np.argsort(key, kind="stable")
    return order, np.argsort(order, kind="stable")[n:]


def _between(s, points, value):
    """The value, linear between the points, at each of the arclengths s; shape [s, 1]."""
    return np.interp(s, points, value)[:, None]


def _lower_neighbour(before, y):
    """The smaller of the values at the two points around each special point; shape [special, 1]."""
    pair = np.stack([y[np.clip(before, 0, len(y) - 1)], y[np.clip(before + 1, 0, len(y) - 1)]])
    return np.fmin(pair[0], pair[1])


def _pieces(verdict, before, end):
    """The verdict of every piece between two nodes.

    From a point to the next node it is that of the point. Two points with nothing special between them must agree; what lies between
    two special points is decided only if the points around them agree."""
    verdict = np.array(verdict)
    if len(verdict) > 1:  # there a multiplier is 1 or -1, whatever it is beside it
        if end[0] == _END_ORIGIN or end[0] == _END_HALVED:
            verdict[0] = verdict[1]
        if end[1] == _END_ORIGIN or end[1] == _END_HALVED:
            verdict[-1] = verdict[-2]
    pieces, n = [], len(verdict)
    for i in range(-1, n):
        inside = int(np.count_nonzero(before == i))  # special points between point i and the next
        here, there = verdict[max(i, 0)], verdict[min(i + 1, n - 1)]
        agreed = here if here == there else UNDECIDED
        if 0 <= i < n - 1:
            pieces += [agreed] if not inside else [here] + [agreed] * (inside - 1) + [there]
        elif inside:  # before the first point, or after the last
            pieces += [UNDECIDED] * (inside - 1) + [here] if i < 0 else [here] + [UNDECIDED] * (inside - 1)
    return np.array(pieces, int)


# --- multipliers ---

def multipliers(ds, k):
    """The Multipliers of branch k. DataError if there is no such branch, or it has no point."""
    source, count = ds.encoding["source"], branch_count(ds)
    if not 0 <= k < count:
        raise grazedata.DataError(f"{source}: has no branch {k}; there are {count}, numbered from 0")
    for _, points, rows in _rows(ds, [k]):
        special = [SpecialMultipliers(int(ds["special_type"].values[row]), float(ds["special_parameter"].values[row]),
                                      _complex(ds, "special_", row)) for row in rows]
        return Multipliers(int(ds["branch_period"].values[k]), ds["parameter"].values[points], _complex(ds, "", points),
                           ds["multiplier_error"].values[points], ds["stability"].values[points], special)
    raise grazedata.DataError(f"{source}: branch {k} has no point ({end_reasons(ds, k)[0]})")


def _complex(ds, prefix, rows):
    return ds[f"{prefix}multiplier_re"].values[rows] + 1j * ds[f"{prefix}multiplier_im"].values[rows]


def critical(kind, value):
    """Indices of the multipliers that make a special point of the type: at +1, at -1, a pair on the unit circle; else the leading one."""
    value = np.where(np.isfinite(value), value, np.inf)
    if kind == NEIMARK_SACKER and np.any(value.imag != 0):
        i = np.argmin(np.where(value.imag > 0, np.abs(np.abs(value) - 1), np.inf))
        return [int(i), int(np.argmin(np.abs(value - np.conj(value[i]))))]
    if kind in (FOLD, BRANCH_POINT, DOUBLING):
        return [int(np.argmin(np.abs(value - (-1 if kind == DOUBLING else 1))))]
    return [0]


def end_reasons(ds, k):
    """Why branch k ends, in words: (backwards, forwards) along the arclength."""
    return tuple(grazedata.as_text(text).rstrip("\0") for text in ds["branch_why"].values[k])
