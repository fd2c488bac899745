#!/usr/bin/env python3
"""Bifurcation diagram: a stroboscopic or contact quantity against the forcing frequency at one amplitude.

Dots in two colours are the sweeps up and down where a stable periodic orbit was found; fine grey ones are all sampled periods
of cells without one, in the two greys of the strip below, which gives the period of every cell.
"""
import sys

import cli  # first: it says which packages this Python lacks

from matplotlib.lines import Line2D
import numpy as np

import grazedata
import style

VALUES = {
    "displacement": ("strobe_displacement", "tip displacement $y_1$"),
    "velocity": ("strobe_velocity", "tip velocity $y_2$"),
    "contact_velocity": ("contact_velocity", "contact velocity $y_2^-$"),
    "contact_force": ("contact_force", "initial force $f(0^+)$"),
    "contact_phase": ("contact_phase", "phase of contact (periods)"),
}
AXIS_LABEL = {"frequency": "forcing frequency $W$", "amplitude": "forcing amplitude $A$"}
SIZE = {"up": 1.6, "down": 3.0}  # the larger ones lie below: where both agree, a blue dot has an orange rim


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "sweep.h5 of graze", "page")
    at = p.add_mutually_exclusive_group()
    at.add_argument("-a", dest="amplitude", type=float, metavar="AMPLITUDE",
                    help="forcing amplitude, in SI with --si; the nearest in the grid is taken (default: the middle one)")
    at.add_argument("-w", dest="frequency", type=float, metavar="FREQUENCY", help="plot against amplitude at this frequency instead")
    p.add_argument("-y", dest="value", choices=sorted(VALUES), default="displacement", help="what to plot (default displacement)")
    return p.parse_args(argv)


def points_of(line, value):
    if value in grazedata.STROBE_VALUES:
        return grazedata.strobe_points(line, value)
    return grazedata.contact_points(line, VALUES[value][0])


def draw_points(ax, points, name, x_unit, y_unit):
    """The points of one direction; those of cells without a period fine, grey or violet, beneath."""
    x, y = points.x * x_unit.factor, points.value * y_unit.factor
    code = grazedata.period_codes(points)
    dots = {"linestyle": "none", "marker": "o", "markeredgewidth": 0, "rasterized": True}
    for grey, colour in ((grazedata.CODE_NOT_SETTLED, style.NOT_SETTLED), (grazedata.CODE_APERIODIC, style.APERIODIC),
                         (grazedata.CODE_CHAOTIC, style.CHAOTIC), (grazedata.CODE_QUASI_PERIODIC, style.QUASI_PERIODIC)):
        ax.plot(x[code == grey], y[code == grey], markersize=0.9, color=colour, zorder=1, **dots)
    settled = (code > 0) | (code == grazedata.CODE_CONTACT_FREE)
    ax.plot(x[settled], y[settled], markersize=SIZE[name], color=style.DIRECTION[name],
            zorder=3 if name == "up" else 2, **dots)


def draw_strip(ax, lines, x_edges):
    """One row of period colours per direction, with the number where it fits. Returns the codes, and the periods nowhere numbered."""
    code = np.array([grazedata.period_codes(line) for line in lines.values()])
    rows = np.arange(len(lines) + 1)
    style.draw_codes(ax, x_edges, rows, code)
    room = 0.011 * (x_edges[-1] - x_edges[0]) * style.WIDTH["page"] / ax.figure.get_figwidth()  # for one digit
    numbered = set()
    for row, codes in enumerate(code):
        for period in sorted(set(codes[codes > 0].tolist())):
            for first, end in style.runs(codes == period):
                if x_edges[end] - x_edges[first] > room * len(str(period)):
                    numbered.add(period)
                    ax.text(0.5 * (x_edges[first] + x_edges[end]), row + 0.48, str(period), ha="center", va="center", fontsize=6,
                            color=style.text_colour(style.period_colour(period)))
    ax.set_yticks(rows[:-1] + 0.5, list(lines) if len(lines) > 1 else ["period"])
    ax.set_ylim(len(lines), 0)
    ax.tick_params(axis="y", length=0)
    for y in rows[1:-1]:
        ax.axhline(y, color="white", linewidth=0.8)
    return code, set(code[code > 0].tolist()) - numbered


def legend_handles(lines, code, not_numbered, any_seam):
    """Directions first, then the colours of the strip that carry no number."""
    handles = []
    for name in lines:
        handles.append(Line2D([], [], linestyle="none", marker="o", markersize=4, markeredgewidth=0,
                              color=style.DIRECTION[name], label=name))
    for handle in style.code_handles(np.array(sorted(not_numbered), int)):
        handle.set_label("period " + handle.get_label())
        handles.append(handle)
    handles += style.code_handles(code, periods=False)
    if any_seam:
        handles.append(Line2D([], [], color=style.INK, linewidth=0.6, linestyle=(0, (2, 2)), label="seam"))
    return handles


def draw(ds, args):
    """The whole Figure, and the notes for the user."""
    fixed, axis = ("frequency", "amplitude") if args.frequency is not None else ("amplitude", "frequency")
    fixed_unit = grazedata.unit(ds, fixed, args.si)
    notes, lines, points, breaks = [], {}, {}, {}
    for name in grazedata.direction_names(ds):
        part = grazedata.at_direction(ds, name)
        lines[name], note = grazedata.select_nearest(part, fixed, getattr(args, fixed), fixed_unit.factor)
        points[name] = points_of(lines[name], args.value)
        breaks[name] = grazedata.seams(lines[name], axis)
        if note and note not in notes:
            notes.append(note)
        full = grazedata.truncated_cells(lines[name]) if args.value in grazedata.CONTACT_VALUES else 0
        if full:
            notes.append(f"{name}: in {full} cells the file holds the first {ds.sizes['contact']} contacts only")
    any_line = next(iter(lines.values()))
    if grazedata.has_unverified(any_line):
        notes.append("periods of this file were judged by sampling alone (periodic_unverified)")

    variable, label = VALUES[args.value]
    largest = max((np.max(np.abs(p.value)) for p in points.values() if p.value.size), default=0.0)
    x_unit = grazedata.unit(ds, axis, args.si)
    y_unit = style.readable(grazedata.unit(ds, variable, args.si), largest)

    page = args.width == "page"
    fig = style.figure(args.width, 3.2 if page else 2.9)
    row_height = 0.055 if page else 0.075  # of the strip, in heights of the diagram
    top, strip = fig.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [1, row_height * len(lines)], "hspace": 0.02})
    for name in ("down", "up"):
        if name in lines:
            draw_points(top, points[name], name, x_unit, y_unit)
        for x in breaks.get(name, ()):
            top.axvline(x * x_unit.factor, color=style.DIRECTION[name], linewidth=0.6, linestyle=(0, (2, 2)), zorder=0)
    x_edges = style.edges(ds[axis].values * x_unit.factor)
    code, not_numbered = draw_strip(strip, lines, x_edges)
    top.tick_params(axis="x", labelbottom=False)
    top.set_xlim(x_edges[0], x_edges[-1])
    top.set_ylabel(label + style.unit_label(y_unit.text))
    strip.set_xlabel(AXIS_LABEL[axis] + style.unit_label(x_unit.text))
    value = float(any_line[fixed]) * fixed_unit.factor
    title = style.setting("A" if fixed == "amplitude" else "W", value, fixed_unit.text)
    handles = legend_handles(lines, code, not_numbered, any(len(b) for b in breaks.values()))
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1.02), "alignment": "left"}
    if page:
        top.legend(handles=handles, ncol=len(handles) if len(handles) <= 7 else -(-len(handles) // 2), **above)  # beside the title
        top.set_title(title, loc="right")
    else:
        top.legend(handles=handles, ncol=3, title=title, **above)
    return fig, notes


def main(argv=None):
    args = parse(argv)
    with grazedata.open_sweep(args.file) as ds:
        cli.note_pending(ds)
        with style.context():
            fig, notes = draw(ds, args)
            for line in notes:
                cli.note(line)
            stem = "bifurcation" if args.value == "displacement" else f"bifurcation_{args.value}"
            cli.finish(fig, cli.outputs(args, stem), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
