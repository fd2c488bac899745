#!/usr/bin/env python3
"""Branches of periodic orbits over their parameter: solid where stable, dashed where unstable, dotted where undecided.

Special points are marked by type. --over lays a sweep under them: what it sampled in the cells of the same fixed parameter.
"""
import sys

import cli  # first: it says which packages this Python lacks

from matplotlib.lines import Line2D
import numpy as np

import branchdata
import grazedata
import style

LABELS = {
    "strobe_displacement": "tip displacement $y_1$ at the strobe",
    "strobe_velocity": "tip velocity $y_2$ at the strobe",
    "max_displacement": "largest tip displacement",
    "min_displacement": "smallest tip displacement",
    "peak_force": "largest contact force",
    "contact_fraction": "share of time in contact",
    "min_gap": "smallest gap between contacts",
    "min_force": "smallest force within contacts",
}
AXIS_LABEL = {"amplitude": "forcing amplitude $A$", "frequency": "forcing frequency $W$", "stop_position": "stop position $y_s$",
              "damping_ratio": "damping ratio $D$"}
SYMBOL = {"amplitude": "A", "frequency": "W", "stop_position": "y_s", "damping_ratio": "D"}
WIDTH = {branchdata.STABLE: 1.1, branchdata.UNDECIDED: 1.0, branchdata.UNSTABLE: 0.9}
SAME = ("beam_", "contact_position", "forcing_", "flow", "restitution_", "stop_side", "strobe_phase")  # must agree with the sweep's
VARIED = ("forcing_amplitude", "forcing_frequency", "flow_max_events")


def option(name):
    return "--" + name.replace("_", "-")


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "branches.h5 of graze", "page")
    p.add_argument("more", metavar="FILE", nargs="*", help="more of them, drawn together")
    p.add_argument("-y", "--measure", choices=branchdata.MEASURES, default="strobe_displacement",
                   help="what to plot (default strobe_displacement: as many lines as periods)")
    p.add_argument("-a", "--amplitude", type=float, help="only the branches of this forcing amplitude; these four in SI with --si")
    p.add_argument("-w", "--frequency", type=float, help="only those of this forcing frequency")
    p.add_argument("--stop-position", type=float, help="only those of this stop position")
    p.add_argument("--damping-ratio", type=float, help="only those of this damping ratio")
    p.add_argument("--over", metavar="SWEEP", help="sweep.h5 to lay under the branches")
    return p.parse_args(argv)


# --- which branches ---

def same(a, b):
    return np.abs(np.asarray(a) - b) <= 1e-6 * np.maximum(np.abs(a), abs(b))


def distinct(values):
    """Values that differ by more than round-off, rising."""
    found = []
    for value in sorted(np.asarray(values).tolist()):
        if not found or not same(found[-1], value):
            found.append(value)
    return found


def listed(values):
    values = distinct(values)
    shown = [f"{v:.6g}" for v in (values if len(values) <= 6 else values[:3] + values[-1:])]
    return ", ".join(shown) if len(values) <= 6 else f"{', '.join(shown[:3])}, ... {shown[-1]} ({len(values)} values)"


def choose(ds, args):
    """Numbers of the branches that have the fixed values asked for."""
    keep, source = np.ones(branchdata.branch_count(ds), bool), ds.encoding["source"]
    for name in branchdata.PARAMETERS:
        asked = getattr(args, name)
        if asked is None:
            continue
        if name == branchdata.continued(ds):
            raise grazedata.DataError(f"{source}: {name} is what changes along the branches; {option(name)} cannot choose among them")
        stored = branchdata.fixed(ds)[name] * grazedata.unit(ds, f"branch_{name}", args.si).factor
        if not np.any(same(stored, asked)):
            raise grazedata.DataError(f"{source}: has no branch of {name} {asked:g}, only of {listed(stored)}")
        keep &= same(stored, asked)
    return np.flatnonzero(keep)


def fixed_values(files, chosen, si):
    """{name: distinct values among the branches chosen}, in the unit shown."""
    return {name: distinct(np.concatenate([branchdata.fixed(ds)[name][k] * grazedata.unit(ds, f"branch_{name}", si).factor
                                           for ds, k in zip(files, chosen)])) for name in branchdata.fixed(files[0])}


# --- the sweep under them ---

def check_sweep(sweep, ds, values):
    """DataError unless the sweep is of the same structure as the branches."""
    here, there, source = grazedata.parameters(ds), grazedata.parameters(sweep), sweep.encoding["source"]
    for name in sorted(set(here) & set(there)):
        if name.startswith(SAME) and name not in VARIED and here[name] != there[name] and here.get("units") == there.get("units"):
            raise grazedata.DataError(f"{source}: cannot lie under these branches: {name} is {there[name]} in it, not {here[name]}")
    given = {"stop_position": grazedata.stop_position(sweep), "damping_ratio": there.get("damping_ratio", np.nan)}
    for name, value in given.items():
        if not same(value, values[name]):
            raise grazedata.DataError(f"{source}: cannot lie under these branches: {name} is {value:g} in it, not {values[name]:g}")


def samples(path, ds, chosen, args):
    """[(x, y)] of the sweep's cells, in stored units: one pair for each direction."""
    axis = branchdata.continued(ds)
    if axis not in ("amplitude", "frequency"):
        raise grazedata.DataError(f"{path}: cannot lie under these branches: no sweep has {axis} along an axis")
    across = "frequency" if axis == "amplitude" else "amplitude"
    values = {name: distinct(stored[chosen]) for name, stored in branchdata.fixed(ds).items()}
    for name, found in values.items():
        if len(found) > 1:
            factor = grazedata.unit(ds, f"branch_{name}", args.si).factor
            raise grazedata.DataError(f"{path}: cannot lie under branches of several values of {name}, "
                                      f"{listed(np.multiply(found, factor))}: choose one with {option(name)}")
    values = {name: found[0] for name, found in values.items()}
    pairs = []
    with grazedata.open_sweep(path) as sweep:
        if args.measure not in sweep:
            raise grazedata.DataError(f"{path}: a sweep has no {args.measure}")
        check_sweep(sweep, ds, values)
        for direction in grazedata.direction_names(sweep):
            grid = sweep[across].values
            nearest = float(grid[np.argmin(np.abs(grid - values[across]))])
            if not same(nearest, values[across]):
                raise grazedata.DataError(f"{path}: has no cells of {across} {values[across]:g}; the nearest are those of {nearest:g}")
            line, _ = grazedata.select_nearest(grazedata.at_direction(sweep, direction), across, nearest)
            strobe = {variable: short for short, variable in grazedata.STROBE_VALUES.items()}.get(args.measure)
            points = grazedata.strobe_points(line, strobe) if strobe else grazedata.cell_points(line, args.measure)
            pairs.append((points.x, points.value))
    return pairs


# --- drawing ---

def draw_curve(ax, curve, colour, x_unit, y_unit):
    """One line for each piece of one verdict, and a dot where the branch is a single point."""
    x, y = curve.x * x_unit.factor, curve.value * y_unit.factor
    for line in y.T:
        if len(x) == 1:
            ax.plot(x, line, marker=".", markersize=2.5, color=colour)
        for verdict, (dashes, _) in style.VERDICTS.items():
            for first, end in style.runs(curve.verdict == verdict):
                ax.plot(x[first:end + 1], line[first:end + 1], color=colour, linestyle=dashes, linewidth=WIDTH[verdict],
                        dash_capstyle="butt", zorder=3 + 0.1 * verdict)


def draw_specials(ax, curves, x_unit, y_unit):
    """All special points of a type as one artist."""
    marks = {}
    for curve in curves:
        for s in curve.special:
            x, y = marks.setdefault(s.type, ([], []))
            x += [s.x * x_unit.factor] * len(s.value)
            y += (s.value * y_unit.factor).tolist()
    for kind, (x, y) in sorted(marks.items(), reverse=True):
        ax.plot(x, y, zorder=5, **style.special_marker(kind))


def handles(curves, colours, under):
    """Legend entries of what is there: periods, verdicts, types of special points, the sweep."""
    named = {}
    for period, colour in colours.items():
        named.setdefault(colour, []).append(period)
    found = [Line2D([], [], color=colour, linewidth=1.6, label=f"period {style.listed(periods)}") for colour, periods in named.items()]
    for verdict, (dashes, name) in style.VERDICTS.items():
        if any(np.any(c.verdict == verdict) for c in curves):
            found.append(Line2D([], [], color=style.INK, linestyle=dashes, linewidth=WIDTH[verdict], label=name))
    found += style.special_handles(s.type for c in curves for s in c.special)
    if under:
        found.append(Line2D([], [], linestyle="none", marker="o", markersize=3.5, markeredgewidth=0, color=style.SAMPLES, label="sweep"))
    return found


def title(ds, values, si):
    """The forcing held fixed, as far as it is one value for all branches."""
    return ", ".join(style.setting(SYMBOL[name], found[0], grazedata.unit(ds, f"branch_{name}", si).text)
                     for name, found in values.items() if name in ("amplitude", "frequency") and len(found) == 1)


def draw(files, args):
    """The whole Figure, and the notes for the user. files: Datasets, of one continued parameter."""
    first = files[0]
    for ds in files[1:]:
        if branchdata.continued(ds) != branchdata.continued(first):
            raise grazedata.DataError(f"{ds.encoding['source']}: {branchdata.continued(ds)} changes along its branches, but "
                                      f"{branchdata.continued(first)} in {first.encoding['source']}")
    chosen = [choose(ds, args) for ds in files]
    curves = [curve for ds, k in zip(files, chosen) for curve in branchdata.curves(ds, args.measure, k)]
    if not curves:
        raise grazedata.DataError(f"{first.encoding['source']}: no branch has a point")
    under = [pair for ds, k in zip(files, chosen) for pair in samples(args.over, ds, k, args)] if args.over else []
    notes = [f"{ds.encoding['source']}: the run is not complete, there may be more branches"
             for ds in files if not branchdata.is_complete(ds)]
    values = fixed_values(files, chosen, args.si)
    notes += [f"branches of several values of {name} are drawn together, {listed(found)}; {option(name)} chooses one"
              for name, found in values.items() if len(found) > 1]

    finite = np.concatenate([np.abs(c.value[np.isfinite(c.value)]) for c in curves])
    x_unit = grazedata.unit(first, "parameter", args.si)
    y_unit = style.readable(grazedata.unit(first, args.measure, args.si), finite.max(initial=0.0))
    page = args.width == "page"
    fig = style.figure(args.width, 3.4 if page else 3.8)
    ax = fig.subplots()
    for x, y in under:
        ax.plot(x * x_unit.factor, y * y_unit.factor, linestyle="none", marker="o", markersize=2.6, markeredgewidth=0,
                color=style.SAMPLES, rasterized=True, zorder=1)
    colours = style.line_colours(c.period for c in curves)
    for curve in curves:
        draw_curve(ax, curve, colours[curve.period], x_unit, y_unit)
    draw_specials(ax, curves, x_unit, y_unit)
    x = np.concatenate([c.x for c in curves]) * x_unit.factor
    margin = 0.02 * np.ptp(x) or 0.5 * abs(x[0]) or 0.5
    ax.set_xlim(x.min() - margin, x.max() + margin)
    ax.set_xlabel(AXIS_LABEL[branchdata.continued(first)] + style.unit_label(x_unit.text))
    ax.set_ylabel(LABELS[args.measure] + style.unit_label(y_unit.text))
    ax.legend(handles=handles(curves, colours, under), ncol=6 if page else 3, title=title(first, values, args.si), loc="lower left",
              bbox_to_anchor=(0, 1.02) if page else (-0.2, 1.02), alignment="left", handlelength=2.0 if page else 1.5, columnspacing=0.8)
    return fig, notes


def main(argv=None):
    args = parse(argv)
    files = []
    try:
        for path in [args.file, *args.more]:
            files.append(branchdata.open_branches(path))
        with style.context():
            fig, notes = draw(files, args)
            for line in notes:
                cli.note(line)
            stem = "branches" if args.measure == "strobe_displacement" else f"branches_{args.measure}"
            cli.finish(fig, cli.outputs(args, stem), branchdata.caption(files[0]))
    finally:
        for ds in files:
            ds.close()
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
