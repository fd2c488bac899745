#!/usr/bin/env python3
"""Memory kernels of two beams on growing numbers of collocation points; the insets show how they begin."""
import sys

import cli  # first: it says which packages this Python lacks

import matplotlib.ticker

import grazedata
import style

NAMES = {"timoshenko": "Timoshenko", "euler_bernoulli": "Euler–Bernoulli"}
SHOWN, BEGIN = 0.5, 3e-3  # t0: delays of the panels and of the insets


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "kernel.h5 of one beam, such as Timoshenko", "page")
    p.add_argument("second", metavar="FILE", help="kernel.h5 of the other, such as Euler-Bernoulli")
    return p.parse_args(argv)


def draw_kernels(ax, ds, grid, last, time, unit):
    """The kernels of every N up to the delay `last` (t0), their limit, and L+ if there is one. Returns (least, largest) value drawn."""
    tau, rows = grazedata.memory_kernel(ds, "bare", grid)
    _, limit = grazedata.memory_kernel(ds, "limit", grid)
    points, _ = grazedata.collocation(ds)
    near = tau <= last
    ax.plot(tau[near] * time.factor, limit[near] * unit.factor, color=style.NOT_SETTLED, linewidth=2.5, label=r"$N \to \infty$")
    for i, (n, row) in enumerate(zip(points, rows)):
        ax.plot(tau[near] * time.factor, row[near] * unit.factor, label=f"$N = {n}$", **style.series(i, len(points)))
    ax.set_xlim(tau[0] * time.factor, tau[near][-1] * time.factor)
    return rows[:, near].min() * unit.factor, rows[:, near].max() * unit.factor


def draw_beam(ax, ds, letter, si):
    time, unit = grazedata.unit(ds, "tau_log", si), grazedata.unit(ds, "g_bare_log", si)
    step, verdict = grazedata.verdict(ds)
    low, high = draw_kernels(ax, ds, "linear", SHOWN, time, unit)
    ax.set_ylim(low - 1.35 * (high - low), high + 0.2 * (high - low))
    ax.set(xlabel=r"delay $\tau$" + style.unit_label(time.text), ylabel=r"$[L_1]_2(\tau)$" + style.unit_label(unit.text))
    name = str(grazedata.parameters(ds).get("beam_model", ""))
    style.panel(ax, letter, f"{NAMES.get(name, name)}: {verdict}")
    _, modes = grazedata.collocation(ds)
    ax.text(0.98, 0.97, ", ".join(map(str, modes)) + " modes", ha="right", va="top", transform=ax.transAxes, fontsize=6)

    inset = ax.inset_axes([0.2, 0.13, 0.76, 0.37])
    _, high = draw_kernels(inset, ds, "log", BEGIN, time, unit)
    inset.axhline(0, color=style.INK, linewidth=0.4, zorder=0)
    if step > 0:
        inset.axhline(step * unit.factor, color=style.STOP, linewidth=0.8, label="$L_+$")
    inset.set_xscale("log")
    inset.set_ylim(-0.05 * high, 1.05 * high)
    inset.xaxis.set_major_locator(matplotlib.ticker.LogLocator(numticks=6))
    inset.tick_params(labelsize=6)
    return inset.get_legend_handles_labels()[0]


def draw(ds, second, args):
    page = args.width == "page"
    fig = style.figure(args.width, 3.1 if page else 5.4)
    axes = style.mosaic(fig, [["a", "b"]] if page else [["a"], ["b"]], 0.12 if page else 0.3)
    entries = {}
    for letter, data in (("a", ds), ("b", second)):
        entries.update((handle.get_label(), handle) for handle in draw_beam(axes[letter], data, letter, args.si))
    style.legend_row(axes["key"], list(entries.values()), 6 if page else 3)
    return fig


def main(argv=None):
    args = parse(argv)
    with grazedata.open_kernel(args.file) as ds, grazedata.open_kernel(args.second) as second, style.context():
        cli.finish(draw(ds, second, args), cli.outputs(args, "paper_fig2"), f"{grazedata.caption(ds)} | {grazedata.caption(second)}")
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
