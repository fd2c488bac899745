#!/usr/bin/env python3
"""Branches of periodic orbits over the parameter: solid where stable, dashed where unstable, dotted where undecided; special points by type."""
import sys

import cli  # first: it says which packages this Python lacks

import numpy as np
from matplotlib.lines import Line2D

import branchdata
import grazedata
import style

DASHES = {branchdata.STABLE: "-", branchdata.UNSTABLE: (0, (4, 2)), branchdata.UNDECIDED: (0, (1, 1))}
WORDS = {branchdata.STABLE: "stable", branchdata.UNSTABLE: "unstable", branchdata.UNDECIDED: "undecided"}
GRAZING = "#D5202A"
# type: colour (those of BifurcationKit, red for what smooth theory lacks), marker, name in the legend
MARKERS = {"fold": (style.INK, "o", "fold"), "period_doubling": ("#1B8A3A", "D", "period doubling"), "neimark_sacker": ("#E67E00", "s", "Neimark-Sacker"),
           "branch_point": ("#1F4FD8", "^", "branch point"), "grazing_onset": (GRAZING, "v", "grazing onset"),
           "contact_merging": (GRAZING, "P", "contacts merge"), "grazing_release": (GRAZING, "X", "contact parts"),
           "contact_change": (GRAZING, "*", "contacts change")}


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "branches.h5 of graze", "page")
    p.add_argument("--measure", choices=branchdata.MEASURES, default="strobe_displacement", help="on the vertical axis (default strobe_displacement)")
    p.add_argument("--over", metavar="SWEEP", help="sweep.h5 whose samples are laid under the branches (strobe measures)")
    return p.parse_args(argv)


def draw_branches(ax, ds, measure, x_unit, y_unit):
    """Every branch; returns the verdicts and types that are there."""
    verdicts, types = set(), set()
    names = branchdata.type_names(ds)
    for i in range(ds.sizes["branch"]):
        x, y, stability = branchdata.curve(ds, i, measure)
        colour = style.period_colour(int(ds["branch_period"][i]))
        for start, stop, verdict in branchdata.pieces(stability):
            verdicts.add(verdict)
            for column in y.T:
                ax.plot(x[start:stop] * x_unit.factor, column[start:stop] * y_unit.factor, color=colour, linestyle=DASHES[verdict], linewidth=0.9)
        special = f"special_{measure}"
        if special not in ds:
            continue
        mine = ds.isel(special=np.flatnonzero(ds["special_branch"].values == i))
        points = branchdata.values(mine, special, int(ds["branch_period"][i]))
        for code, at, values in zip(mine["special_type"].values, mine["special_parameter"].values, points):
            name = names[int(code)]
            types.add(name)
            marker_colour, marker, _ = MARKERS[name]
            ax.plot(np.full(len(values), at) * x_unit.factor, values * y_unit.factor, linestyle="none", marker=marker, markersize=4,
                    markerfacecolor=marker_colour, markeredgecolor="white", markeredgewidth=0.4, zorder=5)
    return verdicts, types


def draw_samples(ax, path, ds, measure, x_unit, y_unit):
    """The sweep's strobes at the branches' fixed values."""
    if not measure.startswith("strobe_"):
        raise grazedata.DataError(f"--over: a sweep has samples of strobe_displacement and strobe_velocity alone, not of {measure}")
    along = branchdata.parameter(ds)
    if along not in ("amplitude", "frequency"):
        raise grazedata.DataError(f"--over: a sweep does not run over {along}")
    fixed = "frequency" if along == "amplitude" else "amplitude"
    value = float(ds[f"branch_{fixed}"].values[0])
    with grazedata.open_sweep(path) as sweep:
        axis = sweep[fixed].values
        nearest = int(np.argmin(np.abs(axis - value)))
        if abs(axis[nearest] - value) > 1e-9 * max(1.0, abs(value)):
            raise grazedata.DataError(f"{path}: has no cells at {fixed} = {value:g}, where the branches are; nearest: {axis[nearest]:g}")
        part = sweep.isel({fixed: nearest})
        x, y = np.broadcast_arrays(part[along].values[None, :, None], part[measure].transpose("direction", along, "sample").values)
        ax.plot(x.ravel() * x_unit.factor, y.ravel() * y_unit.factor, linestyle="none", marker=".", markersize=1.5, color="#B0B0B0", markeredgewidth=0,
                zorder=0)


def legend(ax, ds, verdicts, types, over):
    handles = [Line2D([], [], color=style.INK, linestyle=DASHES[v], label=WORDS[v]) for v in DASHES if v in verdicts]
    for period in sorted(set(ds["branch_period"].values.tolist())):
        handles.append(Line2D([], [], color=style.period_colour(int(period)), label=f"period {int(period)}"))
    for name, (colour, marker, words) in MARKERS.items():
        if name in types:
            handles.append(Line2D([], [], linestyle="none", marker=marker, markersize=4, markerfacecolor=colour, markeredgecolor="white",
                                  markeredgewidth=0.4, label=words))
    if over:
        handles.append(Line2D([], [], linestyle="none", marker=".", markersize=3, color="#B0B0B0", label="sweep"))
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=6)


def main(argv=None):
    args = parse(argv)
    with branchdata.open_branches(args.file) as ds, style.context():
        x_unit, y_unit = grazedata.unit(ds, "parameter", args.si), grazedata.unit(ds, args.measure, args.si)
        fig = style.figure(args.width, 3.6)
        ax = fig.add_subplot()
        if args.over:
            draw_samples(ax, args.over, ds, args.measure, x_unit, y_unit)
        verdicts, types = draw_branches(ax, ds, args.measure, x_unit, y_unit)
        ax.set_xlabel(branchdata.parameter(ds).replace("_", " ") + style.unit_label(x_unit.text))
        ax.set_ylabel(args.measure.replace("_", " ") + style.unit_label(y_unit.text))
        legend(ax, ds, verdicts, types, args.over)
        cli.finish(fig, cli.outputs(args, "branches"), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
