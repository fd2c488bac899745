#!/usr/bin/env python3
"""Floquet multipliers of one branch: in the plane of complex numbers with the unit circle, and their moduli over the parameter."""
import sys

import cli  # first: it says which packages this Python lacks

import numpy as np
from matplotlib.patches import Circle

import branchdata
import grazedata
import plot_branches
import style


def parse(argv):
    p = cli.parser(__doc__.split("\n")[0], "branches.h5 of graze", "page")
    p.add_argument("--branch", type=int, default=0, metavar="K", help="which branch, from 0 (default 0)")
    return p.parse_args(argv)


def draw(fig, ds, k, x_unit):
    points = branchdata.branch(ds, k)
    x = points["parameter"].values * x_unit.factor
    mu = points["multiplier_re"].values + 1j * points["multiplier_im"].values
    error = points["multiplier_error"].values
    plane, moduli = fig.subplots(1, 2, width_ratios=(1, 1.4))
    plane.add_patch(Circle((0, 0), 1, fill=False, color=style.INK, linewidth=0.6))
    dots = plane.scatter(mu.real.ravel(), mu.imag.ravel(), c=np.broadcast_to(x[:, None], mu.shape).ravel(), s=3, linewidths=0, cmap="viridis")
    reach = float(np.clip(np.nanmax(np.abs(mu), initial=1.0), 1.2, 3.0))
    plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="real part", ylabel="imaginary part")
    fig.colorbar(dots, ax=plane, location="bottom", label=branchdata.parameter(ds).replace("_", " ") + style.unit_label(x_unit.text))
    for j in range(mu.shape[1]):
        moduli.plot(x, np.abs(mu[:, j]), color=style.INK, linewidth=0.6)
    size, spread = np.abs(mu[:, 0]), np.where(np.isfinite(error[:, 0]), error[:, 0], np.nan)
    moduli.fill_between(x, size - spread, size + spread, color=style.REDUCED, alpha=0.3, linewidth=0)
    moduli.axhline(1.0, color=style.STOP, linewidth=0.8)
    names = branchdata.type_names(ds)
    for code, at in zip(ds["special_type"].values[ds["special_branch"].values == k], ds["special_parameter"].values[ds["special_branch"].values == k]):
        colour, marker, _ = plot_branches.MARKERS[names[int(code)]]
        moduli.plot(at * x_unit.factor, 1.0, marker=marker, markersize=4, markerfacecolor=colour, markeredgecolor="white", markeredgewidth=0.4)
    moduli.set(ylim=(0, reach), xlabel=branchdata.parameter(ds).replace("_", " ") + style.unit_label(x_unit.text), ylabel="modulus")


def main(argv=None):
    args = parse(argv)
    with branchdata.open_branches(args.file) as ds, style.context():
        if not 0 <= args.branch < ds.sizes["branch"]:
            raise grazedata.DataError(f"--branch {args.branch}: {args.file} has branches 0 to {ds.sizes['branch'] - 1}")
        fig = style.figure(args.width, 3.4)
        draw(fig, ds, args.branch, grazedata.unit(ds, "parameter", args.si))
        cli.finish(fig, cli.outputs(args, "multipliers"), grazedata.caption(ds))
    return 0


if __name__ == "__main__":
    sys.exit(cli.run(main))
