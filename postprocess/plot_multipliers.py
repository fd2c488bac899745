#!/usr/bin/env python3
"""Floquet multipliers of one branch: in the complex plane with the unit circle, and their moduli along the parameter.

A circle or bar around a multiplier is its error, drawn where it can be seen or decides. Within the grey band around 1 the
multiplier nearest to the unit circle cannot be told from one on it.
"""
import sys

import cli  # first: it says which packages this Python lacks

from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
import matplotlib
import numpy as np

import branchdata
import grazedata
import style
from plot_branches import AXIS_LABEL

COLOURS = ListedColormap(matplotlib.colormaps["viridis"](np.linspace(0.0, 0.9, 256)))  # without the yellow that white swallows
FARTHEST = 2.0  # modulus up to which the plane is shown
STEEP = 3.0  # from there on, moduli are shown on a logarithmic scale
BAND = "#D9D9D9"
RING = {"linestyle": "none", "marker": "o", "markersize": 4.5, "markerfacecolor": "none", "markeredgecolor": style.INK,
        "markeredgewidth": 0.5}


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "branches.h5 of graze", "page")
    p.add_argument("-b", "--branch", type=int, default=0, metavar="K", help="number of the branch, from 0 (default 0)")
    return p.parse_args(argv)


def spread(m):
    """(x, multiplier, error) of all multipliers there are, 1-d."""
    there = np.isfinite(m.value)
    x = np.broadcast_to(m.x[:, None], m.value.shape)
    return x[there], m.value[there], m.error[there]


def straddles(value, error):
    """Which multipliers may lie on either side of the unit circle, for all that is known."""
    return ~(np.abs(np.abs(value) - 1) > error)


def matter(value, error, extent):
    """Which errors are drawn: those that can be seen on an axis of this extent, and those that leave a multiplier undecided."""
    return np.isfinite(error) & (error > 0) & ((error > extent / 150) | straddles(value, error))


def band(m):
    """Half the width of the undecided band at each point: the error of the multiplier nearest to the unit circle."""
    distance = np.where(np.isfinite(m.value), np.abs(np.abs(m.value) - 1), np.inf)
    return m.error[np.arange(len(m.x)), np.argmin(distance, axis=1)]


def draw_plane(ax, m, x_unit, norm):
    """The complex plane. Returns how many multipliers lie outside of what is shown."""
    x, value, error = spread(m)
    largest = np.abs(value).max(initial=0.0)
    limit = 1.25 if largest < 1.2 else 1.08 * min(largest, FARTHEST)
    ax.axhline(0, color=style.NOT_SETTLED, linewidth=0.5, zorder=0)
    ax.axvline(0, color=style.NOT_SETTLED, linewidth=0.5, zorder=0)
    ax.add_patch(Circle((0, 0), 1, facecolor="none", edgecolor=style.INK, linewidth=0.8, zorder=2))
    seen = matter(value, error, limit)
    ax.add_collection(EllipseCollection(2 * error[seen], 2 * error[seen], 0, units="xy", offset_transform=ax.transData,
                                        offsets=np.column_stack([value.real, value.imag])[seen], facecolor="none", linewidth=0.4,
                                        edgecolor=COLOURS(norm(x[seen] * x_unit.factor)), zorder=1))
    dots = ax.scatter(value.real, value.imag, c=x * x_unit.factor, cmap=COLOURS, norm=norm, s=5, linewidth=0, zorder=3)
    for s in m.special:
        at = s.value[branchdata.critical(s.type, s.value)]
        ax.plot(at.real, at.imag, zorder=5, **style.special_marker(s.type, 3.4))
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal", xlabel=r"Re $\mu$", ylabel=r"Im $\mu$")
    return dots, int(np.count_nonzero(np.maximum(np.abs(value.real), np.abs(value.imag)) > limit)), largest


def draw_sizes(ax, m, x_unit, norm):
    """Moduli along the parameter, the line 1, the band around it in which nothing is decided."""
    x, value, error = spread(m)
    size, shown = np.abs(value), x * x_unit.factor
    width = band(m)
    width = np.where(np.isfinite(width), width, 10 * max(size.max(initial=1.0), 1.0))
    ax.fill_between(m.x * x_unit.factor, 1 - width, 1 + width, color=BAND, linewidth=0, zorder=0)
    ax.axhline(1, color=style.INK, linewidth=0.8, zorder=2)
    top = 1.08 * max(size.max(initial=0.0), 1.1)
    seen = matter(value, error, top)
    ax.add_collection(LineCollection([[(a, b - e), (a, b + e)] for a, b, e in zip(shown[seen], size[seen], error[seen])], linewidth=0.5,
                                     colors=COLOURS(norm(shown[seen])), zorder=1))
    ax.scatter(shown, size, c=shown, cmap=COLOURS, norm=norm, s=5, linewidth=0, zorder=3)
    undecided = straddles(value, error)
    ax.plot(shown[undecided], size[undecided], zorder=4, **RING)
    for s in m.special:
        at = s.value[branchdata.critical(s.type, s.value)[0]]
        ax.plot([s.x * x_unit.factor], [abs(at)], zorder=5, **style.special_marker(s.type))
    if top > STEEP:
        ax.set_yscale("log")
        ax.set_ylim(max(1e-3, 0.5 * size.min()), 1.3 * top)
    else:
        ax.set_ylim(0, top)
    ax.set_ylabel(r"$|\mu|$")
    return bool(np.any(undecided))


def handles(m, any_undecided):
    found = [Line2D([], [], color=style.INK, linewidth=0.8, label="unit circle"), Patch(facecolor=BAND, label="undecided band")]
    if any_undecided:
        found.append(Line2D([], [], label="undecided", **RING))
    return found + style.special_handles(s.type for s in m.special)


def title(ds, args, m):
    """Number and period of the branch, and the forcing held fixed."""
    parts = [f"branch {args.branch}, period {m.period}"]
    for name, symbol in (("amplitude", "A"), ("frequency", "W")):
        if name != branchdata.continued(ds):
            unit = grazedata.unit(ds, f"branch_{name}", args.si)
            parts.append(style.setting(symbol, branchdata.fixed(ds)[name][args.branch] * unit.factor, unit.text))
    return ", ".join(parts)


def draw(ds, args):
    """The whole Figure, and the notes for the user."""
    m = branchdata.multipliers(ds, args.branch)
    x_unit = grazedata.unit(ds, "parameter", args.si)
    shown = m.x * x_unit.factor
    norm = Normalize(shown.min(), shown.max() if np.ptp(shown) else shown.min() + 1)
    page = args.width == "page"
    fig = style.figure(args.width, 5.6 if page else 6.2)
    if page:
        axes = fig.subplot_mosaic([["plane", "key"], ["sizes", "sizes"]], height_ratios=[3.3, 2], width_ratios=[1.6, 1])
    else:
        axes = fig.subplot_mosaic([["key"], ["plane"], ["sizes"]], height_ratios=[1.1, 3.2, 1.9])
    dots, outside, largest = draw_plane(axes["plane"], m, x_unit, norm)
    any_undecided = draw_sizes(axes["sizes"], m, x_unit, norm)
    label = AXIS_LABEL[branchdata.continued(ds)] + style.unit_label(x_unit.text)
    axes["sizes"].set_xlabel(label)
    fig.colorbar(dots, cax=axes["plane"].inset_axes([1.03, 0, 0.03, 1]), label=label)
    axes["key"].axis("off")
    axes["key"].legend(handles=handles(m, any_undecided), title=title(ds, args, m), loc="upper left", alignment="left",
                       ncol=1 if page else 2)
    notes = [] if branchdata.is_complete(ds) else ["the run is not complete, there may be more branches"]
    if outside:
        notes.append(f"{outside} multipliers lie outside of the plane shown, up to |mu| = {largest:.4g}")
    return fig, notes


def main(argv=None):
    args = parse(argv)
    with branchdata.open_branches(args.file) as ds, style.context():
        fig, notes = draw(ds, args)
        for line in notes:
            cli.note(line)
        cli.finish(fig, cli.outputs(args, f"multipliers_{args.branch}"), branchdata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
