#!/usr/bin/env python3
"""Contact force against the time of contact: what each mode adds, the sum with its estimate, the modes it takes."""
import sys

import cli  # first: it says which packages this Python lacks

import grazedata
import style


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "asymptotics.h5 of graze", "page")
    p.add_argument("--time", type=float, metavar="DT", default=0.1, help="contact time of the coefficients shown, nearest stored (default 0.1)")
    return p.parse_args(argv)


def draw(ds, args):
    if args.si:
        grazedata.unit(ds, "force", True)  # complains: these spectra are non-dimensional
    page = args.width == "page"
    fig = style.figure(args.width, 2.7 if page else 6.6)
    axes = style.mosaic(fig, [["a", "b", "c"]] if page else [["a"], ["b"], ["c"]], 0.12 if page else 0.3)
    dt, parts = grazedata.coefficients(ds, args.time)
    forces = grazedata.contact_forces(ds)
    for i, (alpha, mode, value) in enumerate(parts):
        axes["a"].loglog(mode, value, label=rf"$\alpha = {alpha:g}$", **style.series(i, len(parts)))
    for i, (alpha, time, force, estimate, modes) in enumerate(forces):
        look = style.series(i, len(forces))
        axes["b"].loglog(time, force, **look)
        axes["b"].loglog(time[::8], estimate[::8], linestyle="none", marker="o", markersize=2.5, markerfacecolor="none", markeredgewidth=0.6,
                       color=look["color"], label="estimate" if i == len(forces) - 1 else None)
        axes["c"].loglog(time, modes, **look)
    axes["a"].set(xlabel="mode $k$", ylabel="coefficient of mode $k$" + style.unit_label(grazedata.unit(ds, "coefficient").text))
    axes["b"].set(xlabel=r"contact time $\delta t$ ($t_0$)", ylabel=r"contact force $f_c / |y_2^-|$ ($EI\,t_0/L^3$)")
    axes["c"].set(xlabel=r"contact time $\delta t$ ($t_0$)", ylabel="modes for an error of 0.1 %")
    style.panel(axes["a"], "a", rf"$\delta t = {dt:g}\,t_0$")
    style.panel(axes["b"], "b", "sum and estimate")
    style.panel(axes["c"], "c", "modes needed")
    handles = axes["a"].get_legend_handles_labels()[0] + axes["b"].get_legend_handles_labels()[0]
    style.legend_row(axes["key"], handles, 5 if page else 3)
    return fig


def main(argv=None):
    args = parse(argv)
    with grazedata.open_asymptotics(args.file) as ds, style.context():
        cli.finish(draw(ds, args), cli.outputs(args, "paper_fig5"), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
