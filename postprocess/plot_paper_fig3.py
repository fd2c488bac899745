#!/usr/bin/env python3
"""The reduced model and the restitution model: approach to the steady motion, its phase plane, one period of it."""
import sys

import cli  # first: it says which packages this Python lacks

import grazedata
import style


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "trajectory.h5 of the reduced model (-flow exact or literal)", "page")
    p.add_argument("rigid", metavar="FILE", help="trajectory.h5 of the restitution model")
    p.add_argument("--first", type=float, metavar="K", default=12.0, help="forcing periods shown of the approach (default 12)")
    p.add_argument("--period", type=int, metavar="P", default=2, help="period of the steady motion, in forcing periods (default 2)")
    args = p.parse_args(argv)
    if not args.first > 0:
        p.error(f"--first {args.first:g}: must be positive")
    if not args.period > 0:
        p.error(f"--period {args.period}: must be positive")
    return args


def draw_model(axes, ds, look, args):
    """One model in all three panels. Returns a line for the legend."""
    forcing = grazedata.forcing_period(ds)
    end = float(ds["time"][-1])
    start = max(end - args.period * forcing, 0.0)
    uy, uv = grazedata.unit(ds, "displacement", args.si), grazedata.unit(ds, "velocity", args.si)
    time, y1, _, _ = grazedata.part(ds, 0.0, min(args.first * forcing, end))
    line, = axes["a"].plot(time / forcing, y1 * uy.factor, **look)
    time, y1, y2, _ = grazedata.part(ds, start, end)
    axes["b"].plot(y1 * uy.factor, y2 * uv.factor, **look)
    axes["c"].plot((time - start) / forcing, y1 * uy.factor, **look)
    axes["a"].set_xlim(0, min(args.first, end / forcing))
    axes["c"].set_xlim(0, (end - start) / forcing)
    for name in "ac":
        axes[name].set_ylabel("displacement $y_1$" + style.unit_label(uy.text))
    axes["b"].set(xlabel="displacement $y_1$" + style.unit_label(uy.text), ylabel="velocity $y_2$" + style.unit_label(uv.text))
    return line


def draw(ds, rigid, args):
    page = args.width == "page"
    fig = style.figure(args.width, 3.9 if page else 6.4)
    axes = style.mosaic(fig, [["a", "a"], ["b", "c"]] if page else [["a"], ["b"], ["c"]], 0.12 if page else 0.3)
    handles = [draw_model(axes, ds, {"color": style.REDUCED, "linewidth": 1.1}, args),
               draw_model(axes, rigid, {"color": style.RIGID, "linestyle": (0, (2.5, 1.5))}, args)]
    stop = grazedata.stop_position(ds) * grazedata.unit(ds, "displacement", args.si).factor
    for name, line in (("a", axes["a"].axhline), ("b", axes["b"].axvline), ("c", axes["c"].axhline)):
        handle = line(stop, color=style.STOP, linewidth=0.8, zorder=0)
        axes[name].margins(y=0.06)
    axes["a"].set_xlabel("time (forcing periods)")
    axes["c"].set_xlabel("time (forcing periods)")
    style.panel(axes["a"], "a", "from the start")
    style.panel(axes["b"], "b", "steady motion")
    style.panel(axes["c"], "c", "one period of it")
    for line, text in zip(handles, (f"reduced, {grazedata.modes_kept(ds)} modes", f"restitution, {grazedata.modes_kept(rigid)} modes")):
        line.set_label(text)
    handle.set_label("stop")
    style.legend_row(axes["key"], [*handles, handle], 3 if page else 2)
    return fig


def main(argv=None):
    args = parse(argv)
    with grazedata.open_reduced(args.file) as ds, grazedata.open_rigid(args.rigid) as rigid, style.context():
        cli.finish(draw(ds, rigid, args), cli.outputs(args, "paper_fig3"), f"{grazedata.caption(ds)} | {grazedata.caption(rigid)}")
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
