#!/usr/bin/env python3
"""Contact force of one motion with few and with many modes, on a logarithmic scale, and its beginning."""
import sys

import cli  # first: it says which packages this Python lacks

import numpy as np

import grazedata
from plot_orbit import force_curve
from plot_paper_fig4 import MARGIN, sequence
import style


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "trajectory.h5 with few collocation points (-flow exact or literal)", "page")
    p.add_argument("many", metavar="FILE", help="the same with many")
    p.add_argument("--period", type=int, metavar="P", default=2, help="period of the steady motion, in forcing periods (default 2)")
    args = p.parse_args(argv)
    if not args.period > 0:
        p.error(f"--period {args.period}: must be positive")
    return args


def name(ds):
    points = int(grazedata.parameters(ds).get("beam_points", 0))
    modes = grazedata.modes_kept(ds)
    return f"$N = {points}$ ({modes} modes)" if points else f"{modes} modes"


def draw_force(axes, ds, contacts, start, look, args):
    """One force against time, and against the time since its first onset. Returns a line for the legend."""
    unit, ut = grazedata.unit(ds, "force", args.si), grazedata.unit(ds, "time", args.si)
    forcing = grazedata.forcing_period(ds)
    for i, c in enumerate(contacts):
        time, _, _, force = grazedata.part(ds, c.onset, c.release)
        time, force = force_curve(time, force, [c])
        kept = force > 0
        time, force = time[kept], force[kept] * unit.factor
        line, = axes["a"].semilogy((time - start) / forcing, force, **look)
        axes["a"].plot((c.onset - start) / forcing, c.force * unit.factor, marker="o", markersize=3, color=look["color"], markeredgewidth=0)
        if i == 0:
            axes["b"].loglog((time[1:] - c.onset) * ut.factor, force[1:], **look)
            axes["b"].axhline(c.force * unit.factor, color=look["color"], linewidth=0.5, linestyle=":", zorder=0)
    for ax in (axes["a"], axes["b"]):
        ax.set_ylabel("contact force $f$" + style.unit_label(unit.text))
    axes["b"].set_xlabel("time since the first onset" + style.unit_label(ut.text))
    return line


def draw(ds, many, args):
    page = args.width == "page"
    fig = style.figure(args.width, 2.8 if page else 5.0)
    axes = style.mosaic(fig, [["a", "b"]] if page else [["a"], ["b"]], 0.12 if page else 0.3)
    handles, edges = [], []
    for data, look in ((ds, style.series(1, 4)), (many, style.series(3, 4))):
        contacts = sequence(data, args.period)
        start, forcing = float(data["time"][-1]) - args.period * grazedata.forcing_period(data), grazedata.forcing_period(data)
        line = draw_force(axes, data, contacts, start, look, args)
        line.set_label(f"{name(data)}: {len(contacts)} contact{'s' if len(contacts) > 1 else ''}")
        handles.append(line)
        edges += [(contacts[0].onset - start) / forcing, (contacts[-1].release - start) / forcing]
    low, high = min(edges), max(edges)
    axes["a"].set_xlim(low - MARGIN * (high - low), high + MARGIN * (high - low))
    axes["a"].set_xlabel("time in the motion (forcing periods)")
    style.panel(axes["a"], "a", f"contacts of {args.period} forcing periods")
    style.panel(axes["b"], "b", "after the first onset")
    top = max(np.nanmax(line.get_ydata()) for line in handles)
    for letter in "ab":
        axes[letter].set_ylim(top * 3e-4, top * 2)
    style.legend_row(axes["key"], handles, 2 if page else 1)
    return fig


def main(argv=None):
    args = parse(argv)
    with grazedata.open_reduced(args.file) as ds, grazedata.open_reduced(args.many) as many, style.context():
        cli.finish(draw(ds, many, args), cli.outputs(args, "letter_fig4"), f"{grazedata.caption(ds)} | {grazedata.caption(many)}")
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
