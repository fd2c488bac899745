#!/usr/bin/env python3
"""One orbit: tip displacement against time, phase plane, contact force and its onset enlarged."""
import sys

import cli  # first: it says which packages this Python lacks

import numpy as np

import grazedata
import style

ONSET_SHARE = 0.12  # of the contact shown enlarged: the boundary layer of the force and a little more


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "trajectory.h5 of graze", "page")
    p.add_argument("--last", type=float, metavar="K", default=4.0, help="forcing periods to show, counted from the end (default 4)")
    args = p.parse_args(argv)
    if not args.last > 0:
        p.error(f"--last {args.last:g}: must be positive")
    return args


def force_curve(time, force, contacts):
    """(time, force) with the jump of every onset and the fall of every release put in at their exact times.

    A sample at such a time up to round-off is left out: it may hold the force of either side."""
    extra_time, extra_force = [], []
    for c in contacts:
        extra_time += [c.onset, c.onset]
        extra_force += [0.0, c.force]
        if np.isfinite(c.release):
            extra_time.append(c.release)
            extra_force.append(0.0)
    if extra_time:
        near = np.clip(np.searchsorted(time, extra_time), 1, len(time) - 1)
        close = np.concatenate([near - 1, near])
        close = close[np.abs(time[close] - np.tile(extra_time, 2)) < 1e-9 * abs(time[-1])]
        time, force = np.delete(time, close), np.delete(force, close)
    all_time = np.concatenate([time, extra_time])
    order = np.argsort(all_time, kind="stable")
    return all_time[order], np.concatenate([force, extra_force])[order]


def window(ds, periods):
    """(start, end, T) of the last `periods` forcing periods of the trajectory."""
    time = ds["time"].values
    period = grazedata.forcing_period(ds)
    return max(time[-1] - periods * period, time[0]), time[-1], period


def time_label(ds, start, end, period):
    """Label of the time axis: which forcing periods of the file are shown. The axis counts from the first of them."""
    shown, whole = (end - start) / period, (end - float(ds["time"][0])) / period
    if whole - shown < 1e-6 * whole:
        return f"time (all {whole:.4g} forcing periods)"
    return f"time (last {shown:.4g} of {whole:.4g} forcing periods)"


def title(ds, si):
    """Amplitude and frequency of the forcing, and the damping ratio."""
    parts = []
    for symbol, name in (("A", "amplitude"), ("W", "frequency")):
        unit = grazedata.unit(ds, name, si)
        parts.append(style.setting(symbol, float(ds[name]) * unit.factor, unit.text))
    damping = grazedata.parameters(ds).get("damping_ratio")
    return ", ".join(parts + ([style.setting("D", damping)] if damping is not None else []))


def draw_displacement(ax, t, y, stop, contacts, start, period):
    ax.plot(t, y, color=style.DIRECTION["up"])
    ax.axhline(stop, color=style.STOP, linewidth=0.8)
    for c in contacts:
        end = c.release if np.isfinite(c.release) else np.inf
        ax.axvspan((c.onset - start) / period, min((end - start) / period, t[-1]), color=style.STOP, alpha=0.15, linewidth=0)
    ax.set_xlim(t[0], t[-1])
    ax.annotate("stop", (1.005, stop), xycoords=("axes fraction", "data"), color=style.STOP, va="center", fontsize=7, annotation_clip=False)


def draw_onset(ax, time, force, contact, time_unit, force_unit):
    """The first part of one contact; time counted from its onset."""
    length = contact.release - contact.onset if np.isfinite(contact.release) else time[-1] - contact.onset
    shown = ONSET_SHARE * length
    unit = style.readable(time_unit, shown)
    since, shown = (time - contact.onset) * unit.factor, shown * unit.factor
    near = (since > -0.15 * shown) & (since <= 1.1 * shown)
    ax.plot(since[near], force[near] * force_unit.factor, color=style.DIRECTION["up"], marker="o", markersize=1.5, markeredgewidth=0)
    ax.set_xlim(-0.1 * shown, shown)
    ax.set_ylim(0, None)
    ax.set_xlabel("time since onset" + style.unit_label(unit.text))


def draw(ds, args):
    """The whole Figure, and the notes for the user."""
    start, end, period = window(ds, args.last)
    part = ds.isel(time=np.flatnonzero(ds["time"].values >= start - 1e-12 * end))
    time, y1, y2, f = (part[name].values for name in ("time", "displacement", "velocity", "force"))
    stop = grazedata.stop_position(ds)
    contacts = [c for c in grazedata.trajectory_contacts(ds) if not c.release < start]
    notes = []
    if (end - start) < (args.last - 1e-9) * period:
        notes.append(f"the file holds {(end - start) / period:.3g} periods, all are shown")

    ud, uv, uf = (style.readable(grazedata.unit(ds, name, args.si), float(np.max(np.abs(values))))
                  for name, values in (("displacement", y1), ("velocity", y2), ("force", f)))
    ut = grazedata.unit(ds, "time", args.si)
    t = (time - start) / period
    curve_time, curve_force = force_curve(time, f, [c for c in contacts if c.onset >= start])

    page = args.width == "page"
    fig = style.figure(args.width, 3.6 if page else 5.6)
    wide, narrow = [["y", "y", "y"], ["plane", "force", "onset"]], [["y", "y"], ["plane", "plane"], ["force", "onset"]]
    axes = fig.subplot_mosaic(wide if page else narrow)
    draw_displacement(axes["y"], t, y1 * ud.factor, stop * ud.factor, contacts, start, period)
    axes["y"].set(xlabel=time_label(ds, start, end, period), ylabel="tip displacement $y_1$" + style.unit_label(ud.text))
    axes["y"].set_title(title(ds, args.si), loc="right")
    axes["plane"].plot(y1 * ud.factor, y2 * uv.factor, color=style.DIRECTION["up"])
    axes["plane"].axvline(stop * ud.factor, color=style.STOP, linewidth=0.8, zorder=0)
    axes["plane"].set(xlabel="$y_1$" + style.unit_label(ud.text), ylabel="tip velocity $y_2$" + style.unit_label(uv.text))
    axes["force"].plot((curve_time - start) / period, curve_force * uf.factor, color=style.DIRECTION["up"])
    axes["force"].set(xlabel="time (forcing periods)", ylabel="contact force $f$" + style.unit_label(uf.text))
    axes["force"].set_xlim(t[0], t[-1])
    axes["force"].set_ylim(0, None)
    whole = [c for c in contacts if c.onset >= start]
    if whole:
        strongest = max(whole, key=lambda c: c.force)
        draw_onset(axes["onset"], curve_time, curve_force, strongest, ut, uf)
        for name, x in (("force", (strongest.onset - start) / period), ("onset", 0.0)):
            axes[name].plot(x, strongest.force * uf.factor, marker="o", markersize=3, color=style.STOP, markeredgewidth=0)
    else:
        axes["onset"].text(0.5, 0.5, "no contact", ha="center", va="center", transform=axes["onset"].transAxes)
        notes.append("no contact in these periods")
    return fig, notes


def main(argv=None):
    args = parse(argv)
    with grazedata.open_trajectory(args.file) as ds, style.context():
        fig, notes = draw(ds, args)
        for line in notes:
            cli.note(line)
        cli.finish(fig, cli.outputs(args, "orbit"), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
