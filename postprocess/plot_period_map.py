#!/usr/bin/env python3
"""Period map: the period of the steady motion, or its contacts per forcing period, over the plane of frequency and amplitude."""
import sys

import cli  # first: it says which packages this Python lacks

from matplotlib.lines import Line2D
import numpy as np

import grazedata
import style


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "sweep.h5 of graze", "page")
    p.add_argument("-d", dest="direction", choices=("up", "down"), help="sweep direction (default: all in the file, one panel each)")
    p.add_argument("--contacts", action="store_true", help="contacts per forcing period instead of the period")
    return p.parse_args(argv)


def erode(mask):
    """The cells of mask whose eight neighbours lie in it too."""
    padded = np.pad(mask, 1, constant_values=False)
    rows, columns = mask.shape
    inner = np.ones_like(mask)
    for i in range(3):
        for j in range(3):
            inner &= padded[i:i + rows, j:j + columns]
    return inner


def label_regions(ax, plane, x_factor, y_factor):
    """Write each period once, into the innermost cells of its largest region, if there is room."""
    for period in sorted(set(plane.value[plane.value > 0].tolist())):
        inner, depth = plane.value == period, 0
        while erode(inner).any():
            inner, depth = erode(inner), depth + 1
        if depth:
            cells = np.argwhere(inner)
            i, j = cells[np.argmin(np.sum((cells - cells.mean(axis=0)) ** 2, axis=1))]
            ax.text(plane.frequency[j] * x_factor, plane.amplitude[i] * y_factor, str(period), ha="center", va="center", fontsize=7,
                    color=style.text_colour(style.period_colour(period)))


def draw_panel(ax, part, args, x_unit, y_unit, top_contacts):
    """One direction; returns the period codes and, for contacts, the coloured mesh."""
    codes = grazedata.period_map(part)
    x_edges = style.edges(codes.frequency * x_unit.factor)
    y_edges = style.edges(codes.amplitude * y_unit.factor)
    mesh = None
    if args.contacts:
        contacts = grazedata.contacts_map(part)
        shown = np.ma.masked_invalid(np.where(codes.value == grazedata.CODE_CONTACT_FREE, np.nan, contacts.value))
        mesh = ax.pcolormesh(x_edges, y_edges, shown, cmap="viridis", vmin=0, vmax=top_contacts,
                             rasterized=True, antialiased=False, linewidth=0)
        apart = np.isin(codes.value, (grazedata.CODE_CONTACT_FREE, grazedata.CODE_FAILED))
        style.draw_codes(ax, x_edges, y_edges, np.where(apart, codes.value, grazedata.CODE_PENDING))
    else:
        style.draw_codes(ax, x_edges, y_edges, codes.value)
        label_regions(ax, codes, x_unit.factor, y_unit.factor)
    frequency, amplitude = grazedata.grazing_curve(part)
    for first, end in style.runs(np.isin(codes.frequency, frequency)):
        kept = (frequency >= codes.frequency[first]) & (frequency <= codes.frequency[end - 1])
        ax.plot(frequency[kept] * x_unit.factor, amplitude[kept] * y_unit.factor, color="black", linewidth=1.0)
    for x in grazedata.seams(part, "frequency"):
        ax.plot(x * x_unit.factor, 1.0, marker="v", markersize=3, color=style.INK, clip_on=False, transform=ax.get_xaxis_transform())
    ax.set_xlim(x_edges[0], x_edges[-1])
    ax.set_ylim(y_edges[0], y_edges[-1])
    return codes.value, mesh, frequency.size > 0


def contacts_limit(parts):
    """Upper end of the colour scale: the largest value, but not the few largest of chattering cells."""
    values = np.concatenate([grazedata.contacts_map(part).value.ravel() for part in parts])
    values = values[np.isfinite(values)]
    if not values.size or values.max() == 0:
        return 1.0, False
    limit = np.ceil(np.percentile(values, 98))
    return max(limit, 1.0), values.max() > max(limit, 1.0)


def draw(ds, args):
    """The whole Figure, and the notes for the user."""
    names = [args.direction] if args.direction else grazedata.direction_names(ds)
    parts = [grazedata.at_direction(ds, name) for name in names]
    x_unit, y_unit = grazedata.unit(ds, "frequency", args.si), grazedata.unit(ds, "amplitude", args.si)
    page = args.width == "page"
    fig = style.figure(args.width, 2.6 if page else 2.3 * len(parts) + 0.4)
    axes = np.atleast_1d(fig.subplots(1, len(parts), sharey=True, squeeze=True) if page else fig.subplots(len(parts), 1, sharex=True))
    limit, beyond = contacts_limit(parts) if args.contacts else (None, False)
    drawn = [draw_panel(ax, part, args, x_unit, y_unit, limit) for ax, part in zip(axes, parts)]
    for ax, name in zip(axes, names):
        ax.set_title(f"sweep {name}", loc="left")
    for ax in axes if page else axes[-1:]:
        ax.set_xlabel("forcing frequency $W$" + style.unit_label(x_unit.text))
    for ax in axes[:1] if page else axes:
        ax.set_ylabel("forcing amplitude $A$" + style.unit_label(y_unit.text))
    code = np.concatenate([codes.ravel() for codes, _, _ in drawn])
    handles = style.code_handles(code, periods=not args.contacts)
    last = axes[-1] if page else axes[0]  # the legend stands beside it
    if args.contacts:
        fig.colorbar(drawn[0][1], cax=last.inset_axes([1.04, 0.0, 0.04, 0.5]), label="contacts per\nforcing period",
                     extend="max" if beyond else "neither")
        handles = [h for h in handles if h.get_label() in ("contact-free", "failed")]
    if any(grazing for _, _, grazing in drawn):
        handles.append(Line2D([], [], color="black", linewidth=1.0, label="contact-free\norbit grazes"))
    if any(len(grazedata.seams(part, "frequency")) for part in parts):
        handles.append(Line2D([], [], linestyle="none", marker="v", markersize=3, color=style.INK, label="seam"))
    last.legend(handles=handles, title=None if args.contacts else "period", loc="upper left", bbox_to_anchor=(1.03, 1.0), alignment="left")
    notes = []
    if any(grazedata.has_unverified(part) for part in parts):
        notes.append("periods of this file were judged by sampling alone (periodic_unverified)")
    return fig, notes


def main(argv=None):
    args = parse(argv)
    with grazedata.open_sweep(args.file) as ds:
        cli.note_pending(ds)
        with style.context():
            fig, notes = draw(ds, args)
            for line in notes:
                cli.note(line)
            stem = "contacts_map" if args.contacts else "period_map"
            cli.finish(fig, cli.outputs(args, stem + (f"_{args.direction}" if args.direction else "")), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
