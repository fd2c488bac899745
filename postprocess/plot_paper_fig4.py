#!/usr/bin/env python3
"""The two contacts of the steady motion: displacement, velocity and finite force of the reduced model, chatter of the restitution model."""
import sys

import cli  # first: it says which packages this Python lacks

import numpy as np

import grazedata
from plot_orbit import force_curve
import style

MARGIN = 0.15  # of the time from the first onset to the last release, shown before and after it


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "trajectory.h5 of the reduced model (-flow exact or literal)", "page")
    p.add_argument("rigid", metavar="FILE", help="trajectory.h5 of the restitution model")
    p.add_argument("--period", type=int, metavar="P", default=2, help="period of the steady motion, in forcing periods (default 2)")
    args = p.parse_args(argv)
    if not args.period > 0:
        p.error(f"--period {args.period}: must be positive")
    return args


def sequence(ds, periods):
    """The whole contacts within the last `periods` forcing periods of a trajectory."""
    end = float(ds["time"][-1])
    found = [c for c in grazedata.trajectory_contacts(ds) if c.onset >= end - periods * grazedata.forcing_period(ds) and np.isfinite(c.release)]
    if not found:
        raise grazedata.DataError(f"{ds.encoding['source']}: no whole contact in the last {periods} forcing periods")
    return found


def draw_reduced(axes, ds, contacts, window, args):
    unit = {name: grazedata.unit(ds, name, args.si) for name in ("displacement", "velocity", "force")}
    forcing, origin = grazedata.forcing_period(ds), window[2]
    time, y1, y2, f = grazedata.part(ds, *window[:2])
    t = (time - origin) / forcing
    stop = grazedata.stop_position(ds) * unit["displacement"].factor
    curve_time, curve_force = force_curve(time, f, contacts)
    for name, x, value, text in (("displacement", t, y1, "displacement $y_1$"), ("velocity", t, y2, "velocity $y_2$"),
                                 ("force", (curve_time - origin) / forcing, curve_force, "contact force $f$")):
        ax = axes[name]
        ax.plot(x, value * unit[name].factor, color=style.REDUCED)
        for c in contacts:
            ax.axvspan((c.onset - origin) / forcing, (c.release - origin) / forcing, color=style.STOP, alpha=0.15, linewidth=0)
        ax.set_ylabel(text + style.unit_label(unit[name].text))
    axes["displacement"].axhline(stop, color=style.STOP, zorder=0)
    for c in contacts:
        axes["force"].plot((c.onset - origin) / forcing, c.force * unit["force"].factor, marker="o", markersize=3, color=style.STOP, markeredgewidth=0)
    axes["force"].set_ylim(0, None)


def with_impacts(ds, start, end):
    """(time, displacement, velocity) of a restitution trajectory with its impacts put in: on the stop, velocity before and after."""
    time, y1, y2, _ = grazedata.part(ds, start, end)
    hit, before = grazedata.impacts(ds)
    inside = (hit >= start) & (hit <= end)
    hit, before = hit[inside], before[inside]
    restitution = grazedata.parameters(ds).get("restitution_coefficient", 1.0)
    both = np.repeat(hit, 2)
    speed = np.column_stack([before, -restitution * before]).ravel()
    everything = np.concatenate([time, both])
    order = np.argsort(everything, kind="stable")
    return (everything[order], np.concatenate([y1, np.full(len(both), grazedata.stop_position(ds))])[order],
            np.concatenate([y2, speed])[order], hit, before)


def draw_rigid(axes, ds, window, args):
    uv, uy = grazedata.unit(ds, "velocity", args.si), grazedata.unit(ds, "displacement", args.si)
    forcing, origin = grazedata.forcing_period(ds), window[2]
    time, y1, y2, hit, before = with_impacts(ds, *window[:2])
    gap = np.abs(y1 - grazedata.stop_position(ds)) * uy.factor
    t = (time - origin) / forcing
    between = (time > hit[0]) & (time < hit[-1]) if len(hit) > 1 else np.ones_like(time, bool)
    axes["chatter"].plot(t, gap, color=style.RIGID, linewidth=0.6)
    axes["chatter"].set_ylim(0, 1.15 * gap[between].max())
    axes["chatter"].set_ylabel("gap $|y_1 - y_s|$" + style.unit_label(uy.text))
    axes["rebound"].plot(t, y2 * uv.factor, color=style.RIGID, linewidth=0.6)
    axes["rebound"].set_ylabel("velocity $y_2$" + style.unit_label(uv.text))
    axes["impact"].semilogy((hit - origin) / forcing, np.abs(before) * uv.factor, linestyle="none", marker=".", markersize=3, color=style.RIGID)
    axes["impact"].set_ylabel("impact $|y_2^-|$" + style.unit_label(uv.text))
    return len(hit)


def draw(ds, rigid, args):
    contacts = sequence(ds, args.period)
    forcing = grazedata.forcing_period(ds)
    length = contacts[-1].release - contacts[0].onset
    axes_of = [["displacement", "chatter"], ["velocity", "rebound"], ["force", "impact"]]
    page = args.width == "page"
    fig = style.figure(args.width, 4.4 if page else 8.0)
    axes = fig.subplot_mosaic(axes_of if page else [[name] for column in zip(*axes_of) for name in column])
    windows = []  # start, end, zero of time; in both files counted from its end, so that the phases agree
    for data in (ds, rigid):
        end = float(data["time"][-1])
        shift = end - float(ds["time"][-1])
        windows.append((contacts[0].onset - MARGIN * length + shift, contacts[-1].release + MARGIN * length + shift, end - args.period * forcing))
    draw_reduced(axes, ds, contacts, windows[0], args)
    count = draw_rigid(axes, rigid, windows[1], args)
    for ax in axes.values():
        ax.set_xlim(*((edge - windows[0][2]) / forcing for edge in windows[0][:2]))
    for name in ("force", "impact"):
        axes[name].set_xlabel("time in the motion (forcing periods)")
    style.panel(axes["displacement"], "a", f"reduced model, {grazedata.modes_kept(ds)} modes: {len(contacts)} contacts")
    style.panel(axes["chatter"], "b", f"restitution, {grazedata.modes_kept(rigid)} modes: {count} impacts")
    return fig


def main(argv=None):
    args = parse(argv)
    with grazedata.open_reduced(args.file) as ds, grazedata.open_rigid(args.rigid) as rigid, style.context():
        cli.finish(draw(ds, rigid, args), cli.outputs(args, "paper_fig4"), f"{grazedata.caption(ds)} | {grazedata.caption(rigid)}")
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
