"""graze asymptotics: the file against a sum made here, the estimate it approaches, and complaints.

Silent when right.
"""

import os
import pathlib
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, near  # noqa: E402


class Sums(Runs):
    """Runs of graze asymptotics."""

    def run(self, output, *options, **more):
        return super().run(output, *options, command="asymptotics", **more)

    def open(self, output):
        return h5py.File(self.folder / output / "asymptotics.h5", "r")


def terms(alpha, w1, D, dt, modes):
    """What each mode adds to displacement and velocity in dt under a unit force; x > 1e-4 or the difference loses digits."""
    w = w1 * np.arange(1, modes + 1.0) ** alpha
    s = np.sqrt(1 - D * D)
    decay = np.exp(-D * w * dt)
    return (1 - decay * (np.cos(s * w * dt) + D / s * np.sin(s * w * dt))) / w**2, decay * np.sin(s * w * dt) / (s * w)


def contract(r):
    out = r.run("a").stdout
    check({"asymptotics.h5", "used_parameters.yaml", "log.txt"} == set(os.listdir(r.folder / "a")), "files of the folder")
    check(all(word in out for word in ("zero", "finite", "infinite", "asymptotics.h5")), f"what is said: {out}")
    dims = dict(force="alpha time", force_estimate="alpha time", velocity_after="alpha time", modes_summed="alpha time", modes_needed="alpha time",
                estimate_constant="alpha", estimate_exponent="alpha", velocity_estimate="alpha", coefficient="alpha coefficient_time mode",
                natural_frequency="alpha mode", velocity_before="", residue="", damping_ratio="", modes_rtol="")
    with r.open("a") as file:
        axes = {"alpha", "time", "coefficient_time", "mode"}
        found = {name for name, item in file.items() if isinstance(item, h5py.Dataset)}
        check(found == axes | set(dims), f"variables: {sorted(found ^ (axes | set(dims)))}")
        for name, wanted in dims.items():
            got = " ".join(axis.keys()[0] for axis in file[name].dims)
            check(got == wanted and file[name].attrs["long_name"] and file[name].attrs["scale"], f"{name} lies over {got}, or says nothing of itself")
        alpha, time = file["alpha"][()], file["time"][()]
        check(list(alpha) == [0.75, 1, 1.5, 2] and time.shape == (121,) and time[-1] == 1 and file.attrs["complete"] == 1, "axes")
        near(time / np.logspace(-6, 0, 121), 1, 1e-12, "times")
        near(file["coefficient_time"] / np.array([1e-3, 1e-2, 1e-1, 1]), 1, 1e-14, "times of the coefficients")

        # zero, finite, infinite: the estimate's power, reached to 4e-4 at 1e-6 (dt^(1/2) times 1/3, alpha = 2)
        force, estimate = file["force"][()], file["force_estimate"][()]
        near((force / estimate)[:, 0], 1, 4e-4, "force at the shortest time")
        near(np.log(estimate[:, 20] / estimate[:, 0]) / np.log(10), 1 / alpha - 1, 1e-12, "power of the estimate")
        check(force[0, 0] < 1e-2 * force[0, -1] and force[3, 0] > 500 * force[3, -1], "zero and infinite force")
        near(file["velocity_estimate"], 1 - 1 / alpha, 1e-15, "estimate of the velocity after contact")
        near(file["velocity_after"][:, 0], 1 - 1 / alpha, 4e-4, "velocity after the shortest contact")
        # C of alpha = 1 is 1/L+ = w_1/(r arccos(D)/sqrt(1 - D^2))
        near(file["estimate_constant"][1], np.sqrt(0.99) / np.arccos(0.1), 1e-14, "C of alpha = 1")

        for i, a in enumerate(alpha):
            for j, dt in enumerate(file["coefficient_time"]):
                near(file["coefficient"][i, j] / terms(a, 1, 0.1, dt, 400)[0], 1, 1e-9, "coefficients")  # 1e-16/x^2, x >= 1e-3
        near(file["natural_frequency"][2, 9], 10**1.5, 1e-12, "natural frequency")
        # longest time: a plain sum of 2e5 modes and the mean of the rest
        for i, a in enumerate(alpha):
            G, g = (t.sum() for t in terms(a, 1, 0.1, 1.0, 200000))
            G += 200000.0 ** (1 - 2 * a) / (2 * a - 1) - 0.5 * 200000.0 ** (-2 * a)
            near([force[i, -1] * G, file["velocity_after"][i, -1]], [1, -1 + g / G], 1e-10, "force and velocity at dt = 1")


def options(r):
    """A given number of modes is a plain sum; w_1, v and D are used; what modes_needed says comes true."""
    words = "-asymptotics_alpha 1.5 -asymptotics_frequency 3 -asymptotics_velocity -2 -damping_ratio 0.3 -asymptotics_times 2 -asymptotics_min_time 0.01".split()
    r.run("all", *words)
    with r.open("all") as file:
        needed = int(file["modes_needed"][0, 0])
        whole = file["force"][0, 0]
    r.run("some", *words, "-asymptotics_modes", needed)
    with r.open("some") as file:
        G, g = (t.sum() for t in terms(1.5, 3, 0.3, 0.01, needed))
        near(file["force"][0, 0] * G / 0.02, 1, 1e-11, "force of a plain sum")
        near(file["velocity_after"][0, 0], -2 + 0.02 / G * g, 1e-10, "velocity of a plain sum")
        near(file["force"][0, 0] / whole - 1, 1e-3, 1e-4, "share that modes_needed leave out")  # the sum is 5 % off its estimate
        check(file["modes_summed"][0, 0] == needed, "modes summed")


def complaints(r):
    for words in ("-asymptotics_alpha", "0.5"), ("-asymptotics_min_time", 1), ("-asymptotics_velocity", 1):
        said = r.run("bad", *words, code=64).stderr
        check(words[0] in said and said.count("\n") == 1 and not (r.folder / "bad").exists(), f"{words}: {said}")
    check("complete" in r.run("a").stdout, "a second run does not say that it is done")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_asymptotics_") as folder:
        r = Sums(folder)
        contract(r)
        options(r)
        complaints(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
