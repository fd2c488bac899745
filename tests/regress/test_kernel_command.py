"""graze kernel: the file, its numbers against theory, the verdicts, and what is said about them.

Silent when right.
"""

import os
import pathlib
import resource
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, near  # noqa: E402

L_PLUS = 0.0271628290596  # theory 12; converged digits


class Kernels(Runs):
    """Runs of graze kernel."""

    def run(self, output, *options, **more):
        return super().run(output, *options, command="kernel", **more)

    def open(self, output):
        return h5py.File(self.folder / output / "kernel.h5", "r")


def contract(r):
    """Names, dimensions and attributes of docs/data.md, and what the numbers say about each other."""
    out = r.run("t", "-kernel_beam_points", "20,40,80").stdout
    check({"kernel.h5", "used_parameters.yaml", "log.txt"} == set(os.listdir(r.folder / "t")), "files of the folder")
    check("verdict        regular: L+ = 0.0271628" in out and "finite at onset" in out and str(r.folder / "t" / "kernel.h5") in out, f"what is said: {out}")
    dims = dict(A="beam_points component component_2", Linf="beam_points component", closure="beam_points", L_plus="", compliance="",
                n_modes="beam_points", n_resolved="beam_points", n_poles="beam_points", n_zeros="beam_points",
                natural_frequency="beam_points mode", modal_residue="beam_points mode")
    dims.update((f"{name}_{part}", f"beam_points {name if name == 'zero' else 'pole'}") for name in ("pole", "residue", "zero") for part in ("re", "im"))
    for grid in "log", "linear":
        for kind in "bare", "closed", "limit":
            rows = "" if kind == "limit" else "beam_points "
            dims[f"L1_{kind}_{grid}"] = f"{rows}component tau_{grid}"
            dims[f"g_{kind}_{grid}"] = f"{rows}tau_{grid}"
    scales = dict(tau_log="t0", tau_linear="t0", g_bare_log="L^3/(EI t0)", L1_bare_log="L^3/EI, L^3/(EI t0)", pole_re="1/t0", compliance="L^3/EI",
                  natural_frequency="rad/t0")
    with r.open("t") as file:
        axes = {"beam_points", "component", "component_2", "tau_log", "tau_linear", "mode", "pole", "zero"}
        found = {name for name, item in file.items() if isinstance(item, h5py.Dataset)}
        check(found == axes | set(dims), f"variables: {sorted(found ^ (axes | set(dims)))}")
        for name, wanted in dims.items():
            got = " ".join(axis.keys()[0] for axis in file[name].dims)
            check(got == wanted, f"{name} lies over {got}, not {wanted}")
        for name in axes | set(dims):
            check(file[name].attrs["long_name"] and file[name].attrs["units"] == b"1", f"attributes of {name}")
            check(name not in scales or file[name].attrs["scale"].decode() == scales[name], f"scale of {name}")
        check(file.attrs["verdict"] == b"regular" and file.attrs["complete"] == 1 and file.attrs["limit"] == b"closed kernel", "attributes")
        check(file.attrs["limit_modes"] == file["n_modes"][-1] and list(file["beam_points"][()]) == [20, 40, 80], "modes of the limit")
        check(file["parameters"].attrs["kernel_beam_points"] == b"20,40,80", "parameters")

        near([file["L_plus"][()], file.attrs["L_plus"]], L_PLUS, 6e-14, "L+")
        near(file["L1_closed_linear"][:, 1, 0], L_PLUS, 1e-12, "L1_2(0+) of every closed kernel")
        near(file["L1_bare_linear"][:, 1, 0], 0, 1e-12, "L1_2(0) of every bare sum")
        check(np.all(file["L1_closed_log"][:, 0] == 0), "L1_1 is 0")
        w = file["natural_frequency"][:, 0]
        near(file["Linf"][:, 1], w**2 * file["compliance"][()], 1e-12, "Linf = w_1^2 S")
        near(file["Linf"][:, 1], 4.11119672, 1e-6, "Linf")  # theory 12; w_1 of 20 points
        near(file["A"][1, 1], [-w[1] ** 2, -0.2 * w[1]], 1e-12, "A")
        # theory 12, six digits; interpolated between delays 1.4 % apart: (0.014)^2/8 of g
        near(np.interp([0.03, 0.1, 0.3], file["tau_log"], file["g_limit_log"]), [0.263440, 0.473897, 0.899364], 4e-5, "g(tau)")
        check(np.array_equal(file["g_limit_log"], file["g_closed_log"][-1]), "the limit is the last closed kernel")
        check(file["tau_log"][0] == 1e-6 and file["tau_log"][-1] == 1 and file["tau_linear"][0] == 0 and file["tau_linear"][-1] == 1, "delays")

        # H(s) of the stored poles vanishes at the stored zeros; what is not filled is NaN
        for i in range(3):
            n, m = file["n_poles"][i], file["n_zeros"][i]
            pole, residue = (file[f"{name}_re"][i] + 1j * file[f"{name}_im"][i] for name in ("pole", "residue"))
            zero = file["zero_re"][i] + 1j * file["zero_im"][i]
            check(np.isfinite(pole[:n]).all() and np.isnan(pole[n:]).all() and np.isfinite(zero[:m]).all() and np.isnan(zero[m:]).all(), "padding")
            pole, residue = pole[:n], residue[:n]
            terms = [np.append(residue / (s - pole), (residue.conj() / (s - pole.conj()))[pole.imag > 0]) for s in zero[:m]]
            worst = max(abs(t.sum()) / np.abs(t).sum() for t in terms)
            check(worst < 1e-9, f"H at its zeros: {worst:.2g} of its terms")  # as in trajectory.h5
            check(np.isfinite(file["natural_frequency"][i]).sum() == file["n_modes"][i], "modes stored")


def verdicts(r):
    """Euler-Bernoulli is singular: no closed kernel, alpha 2, [L1]_2 -> 0. The string without damping: exact square wave."""
    out = r.run("e", "-beam_model", "euler_bernoulli", "-kernel_beam_points", "20,160").stdout
    check("singular: L+ = 0" in out and "-flow restitution" in out and "dt^-0.5" in out, f"Euler-Bernoulli: {out}")
    with r.open("e") as file:
        check(file.attrs["verdict"] == b"singular" and "L1_closed_log" not in file and file.attrs["limit"] == b"bare sum", "singular file")
        check(file["L_plus"][()] == 0, "L+ of Euler-Bernoulli")
        near([file.attrs["alpha"], file.attrs["onset_exponent"]], [2, -0.5], 1e-6, "alpha, exponent")
        # w_k = pi^2 (k - 1/2)^2, r_k = 4: g tends to the integral over the density, 1.5 sqrt(tau)/C with the C of graze asymptotics
        # alpha = 2, w_1 = pi^2, r = 4; 86 modes leave 4e-4 of it at tau = 3e-4
        phi = np.arccos(0.1)
        C = 2 * np.pi / 4 / (np.sqrt(np.pi) / 1.5 * np.sin(phi / 2) / (phi / 2) * phi / np.sin(phi))
        tau = np.array([3e-4, 1e-3, 4e-3])
        near(np.interp(tau, file["tau_log"], file["g_limit_log"]) / (1.5 * np.sqrt(tau) / C), 1, 1e-3, "g ~ sqrt(tau)")
    out = r.run("s", "-beam_model", "string", "-damping_ratio", 0, "-beam_wave_speed", 2, "-kernel_beam_points", "20,80", "-kernel_max_time", 1.9).stdout
    check("exact waves" in out and "regular: L+ = 0.5" in out, f"string: {out}")
    with r.open("s") as file:
        tau, g = file["tau_linear"][()], file["g_limit_linear"][()]
        wave = np.where(tau < 1, 0.5, -0.5)
        check(np.array_equal(g[np.abs(tau - 1) > 1e-9], wave[np.abs(tau - 1) > 1e-9]), "square wave")
        check(file.attrs["limit_modes"] == 0 and file.attrs["limit"] == b"exact waves", "limit of the string")
        # bare sums of 34 modes about the wave, away from its jumps: the mean of what Gibbs leaves
        far = (np.abs(tau - 1) > 0.2) & (tau > 0.2) & (tau < 1.8)
        check(np.sqrt(np.mean((file["g_bare_linear"][-1] - g)[far] ** 2)) < 0.02, "bare sums about the wave")
        difference = np.abs(file["L1_bare_linear"][-1, 1] - file["L1_limit_linear"][1])[far].max()
        check(difference < 0.06, f"L1 of waves and modes: {difference:.3g}")
    out = r.run("m", "-beam_model", "modes", "-beam_frequencies", "1,3", "-beam_tip_values", "1,0.5", "-beam_damping_ratios", "0.1,0.2").stdout
    check("singular" in out and "dt^-1" in out, f"modes: {out}")
    with r.open("m") as file:
        tau = file["tau_linear"][()]
        g = sum(n**2 * np.exp(-D * w * tau) * np.sin(w * np.sqrt(1 - D * D) * tau) / (w * np.sqrt(1 - D * D)) for w, n, D in ((1, 1, 0.1), (3, 0.5, 0.2)))
        near(file["g_bare_linear"][0], g, 1e-14, "g of two modes")
        check(np.isnan(file.attrs["alpha"]), "alpha of two modes")


def limits(r):
    """-receptance_modes says how many modes stand for the limit; the cost; complaints."""
    r.run("l", "-receptance_modes", 60, "-kernel_beam_points", 20)
    with r.open("l") as file:
        check(file.attrs["limit_modes"] == 60 and file["n_modes"][0] < 10, "limit of 60 modes")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    r.run("cost", "-kernel_beam_points", 160)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if not os.environ.get("GRAZE_SANITIZE"):
        check(used < 2, f"160 points took {used:.2f} s")  # 0.5 s measured
    few = r.run("few", "-kernel_beam_points", 8, code=64).stderr
    check("-kernel_beam_points" in few and few.count("\n") == 1, f"too few points: {few}")
    for words in ("-kernel_beam_points", "40,20"), ("-kernel_min_time", 2):
        said = r.run("bad", *words, code=64).stderr
        check(words[0] in said and said.count("\n") == 1 and not (r.folder / "bad").exists(), f"{words}: {said}")
    check("complete" in r.run("l", "-receptance_modes", 60, "-kernel_beam_points", 20).stdout, "a second run does not say that it is done")
    other = r.run("l", "-kernel_beam_points", 20, code=65).stderr
    check("receptance_modes" in other, f"other physics: {other}")
    r.run("again", "-options_file_yaml", r.folder / "t" / "used_parameters.yaml")
    with r.open("t") as one, r.open("again") as two:
        check(np.array_equal(one["L1_closed_log"], two["L1_closed_log"]), "used_parameters.yaml")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_kernel_") as folder:
        r = Kernels(folder)
        contract(r)
        verdicts(r)
        limits(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
