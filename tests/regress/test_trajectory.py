# processors: 2
"""graze trajectory: the file, its numbers, what is done about an output that is there already, and motions that end early.

Arguments (defaults from the environment that ctest sets): --graze PATH --source DIR --mpiexec PATH. Silent when right.
"""

import argparse
import hashlib
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy as np

SMALL = "-receptance_modes 40 -periods 3 -samples_per_period 200".split()
ARRAYS = ("time", "displacement", "velocity", "force", "event_time", "event_type", "event_velocity", "event_force")
L_PLUS = 0.0271628290596  # theory 12; converged digits

failures = []


def check(right, text):
    if not right:
        failures.append(text)


def near(value, reference, tolerance, text):
    value, reference = np.asarray(value, float), np.asarray(reference, float)
    if not value.size or reference.shape not in ((), value.shape):
        check(False, f"{text}: shape {value.shape}, not {reference.shape}")
        return
    error = float(np.abs(value - reference).max())
    check(error <= tolerance, f"{text}: off by {error:.3g}, allowed {tolerance:g}")


class Runner:
    def __init__(self, graze, mpiexec, folder):
        self.graze, self.mpiexec, self.folder = graze, mpiexec, pathlib.Path(folder)
        self.environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                                HDF5_USE_FILE_LOCKING="FALSE")
        if os.getuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def run(self, output, *words, code=0, ranks=None, command="trajectory", **more):
        launch = [self.mpiexec, "-n", str(ranks), self.graze] if ranks else [self.graze]
        words = [*launch, command, "-output", str(self.folder / output), *map(str, words)]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, **more)
        check(done.returncode == code, f"{' '.join(words[1:])}: exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
        return done

    def read(self, output):
        """Arrays and scalars of the root group, attributes of the root group under their names."""
        with h5py.File(self.folder / output / "trajectory.h5", "r") as file:
            found = {name: item[()] for name, item in file.items() if isinstance(item, h5py.Dataset)}
            found.update((name, value.decode() if isinstance(value, bytes) else value) for name, value in file.attrs.items())
        return found

    def digest(self, output):
        return {path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in (self.folder / output).iterdir()}


def same(a, b, text):
    for name in ARRAYS:
        check(a[name].tobytes() == b[name].tobytes(), f"{text}: {name} differs")


def contract(r):
    """Names, dimensions and attributes of docs/data.md, and what the numbers say about each other."""
    out = r.run("contract", *SMALL).stdout
    check(str(r.folder / "contract" / "trajectory.h5") in out, f"the output does not say where the file is: {out}")
    check({"trajectory.h5", "used_parameters.yaml", "log.txt"} == set(os.listdir(r.folder / "contract")), "files of the folder")
    scales = dict(time="t0", displacement="L", velocity="L/t0", force="EI/L^2", event_time="t0", event_velocity="L/t0", event_force="EI/L^2",
                  event_type="1", event="1", stop_position="L", amplitude="L/t0^2", frequency="rad/t0", min_gap="L", peak_force="EI/L^2",
                  max_displacement="L", min_displacement="L", contact_fraction="1")
    with h5py.File(r.folder / "contract" / "trajectory.h5", "r") as file:
        for name, scale in scales.items():
            attributes = {key: file[name].attrs.get(key, b"").decode() for key in ("scale", "units", "long_name")}
            check(attributes["scale"] == scale and attributes["units"] == "1" and attributes["long_name"], f"attributes of {name}: {attributes}")
        for name in ARRAYS[1:]:
            dim = "event" if name.startswith("event") else "time"
            check(file[name].dims[0].keys() == [dim], f"{name} lies over {file[name].dims[0].keys()}")
        check(list(file["event_type"].attrs["flag_values"]) == [1, 2] and file["event_type"].attrs["flag_meanings"] == b"onset release", "flags")
        check("scales" not in file, "/scales without SI input")
        given = file["parameters"].attrs
        check(given["forcing_amplitude"] == 30 and given["periods"] == 3 and given["flow"] == b"exact" and given["stop_position"] == -0.05,
              "values of /parameters")
        check("output" not in given and "beam_length" not in given and "sweep_frequency" not in given, "what is no business of /parameters")
        command = file["provenance"].attrs["command"].decode()
        check(" trajectory -output " in command and command.endswith("-samples_per_period 200"), f"command: {command}")
        check(file["provenance"].attrs["utc_end"].endswith(b"Z"), "utc_end is not filled in")

    d = r.read("contract")
    check(d["complete"] == 1 and d["reason"] == "good", "complete, reason")
    period = 2 * np.pi / 13
    check(d["time"].shape == (601,), "number of samples")
    near(d["time"], np.arange(601) * period / 200, 1e-14, "time")  # a few roundings of 1.5
    # the stated initial condition: u = u_t = psi_1 with psi_1(1) = 1; a sum over 40 modes
    near([d["displacement"][0], d["velocity"][0]], [1, 1], 1e-13, "initial state")
    check(np.all(d["displacement"] >= -0.05 - 1e-12), "the tip is inside the stop")  # round-off of the gap
    kind, when = d["event_type"], d["event_time"]
    check(len(kind) >= 4 and np.all(kind == np.resize([1, 2], len(kind))) and np.all(np.diff(when) > 0), f"events {kind} at {when}")
    onset = kind == 1
    check(np.all(d["event_velocity"][onset] < 0) and np.all(d["event_force"][~onset] == 0), "velocity and force of events")
    near(d["event_force"][onset] * L_PLUS / -d["event_velocity"][onset], 1, 1e-11, "f(0+) = -y2/L+")  # digits of L+
    inside = np.searchsorted(when, d["time"], side="right") % 2 == 1
    check(inside.any() and np.all(d["displacement"][inside] == -0.05) and np.all(d["velocity"][inside] == 0), "on the stop between onset and release")
    check(np.all(d["force"][inside] >= 0) and np.all(d["force"][~inside] == 0), "force between onset and release only")
    check(d["peak_force"] >= max(d["force"].max(), d["event_force"].max()), "peak force")
    check(d["max_displacement"] >= d["displacement"].max() and d["min_displacement"] == -0.05, "extremes")
    last = when[-1] if kind[-1] == 2 else 3 * period
    held = (np.append(when, last)[1::2] - when[::2]).sum()
    near(d["contact_fraction"], held / (3 * period), 1e-13, "contact fraction")
    # velocity is the slope of displacement; central differences of step h = T/200 are off by y''' h^2/6, y''' ~ 1e4 from the high modes
    slope = (d["displacement"][2:] - d["displacement"][:-2]) / (2 * period / 200)
    calm = ~(inside[2:] | inside[1:-1] | inside[:-2])
    error = np.abs(slope - d["velocity"][1:-1])[calm]
    check(np.median(error) < 1e-2, f"velocity is not the slope of displacement: {np.median(error):.3g}")


def kernel(r):
    """/kernel against itself: stored residues and poles make an H that vanishes at the stored zeros, and kernels with the right limits."""
    with h5py.File(r.folder / "contract" / "trajectory.h5", "r") as file:
        k = {name: item[()] for name, item in file["kernel"].items()}
    pole, residue = k["pole_re"] + 1j * k["pole_im"], k["residue_re"] + 1j * k["residue_im"]
    zero = k["zero_re"] + 1j * k["zero_im"]

    def terms(s):  # of H(s); of a pair one is stored
        other = np.where(pole.imag > 0, residue.conj() / (s - pole.conj()), 0)
        return residue / (s - pole) + other

    check(k["modes"] == 40 and k["closure"] == 2 and len(k["mode"]) == 40 and len(pole) == len(zero) == 41, "sizes in /kernel")
    worst = max(abs(terms(z).sum()) / np.abs(terms(z)).sum() for z in zero)
    check(worst < 1e-9, f"H at its zeros: {worst:.2g} of its terms")  # zeros are accurate to about 1e-13 |z|, and terms peak near them
    near(terms(0).sum().real / k["compliance"], 1, 1e-12, "H(0) is the compliance")
    near(k["compliance"], 0.334166666667, 1e-12, "compliance")  # theory 12
    near(k["natural_frequency"][:2], [3.507539460615, 21.672069116862], 1e-8, "natural frequencies")
    near(k["residue"][:2], [3.98880885, 3.91648117], 1e-7, "residues")
    near([k["L_plus"], k["L1_2"][0]], L_PLUS, 1e-12, "L+, L1_2(0+)")
    near(k["Linf"], [0, 4.11119672], 1e-7, "Linf")
    w = k["natural_frequency"][0]
    near(k["A"], [[0, 1], [-w * w, -0.2 * w]], 1e-14 * w * w, "A")
    tau = k["tau"]
    check(tau.shape == (601,) and tau[0] == 0 and np.isclose(tau[1], 1e-5, rtol=1e-12, atol=0) and np.all(np.diff(tau) > 0), "tau")
    near(np.exp(-0.1 * w * tau[-1]), 1e-6, 1e-12, "tau ends where mode 1 has decayed to 1e-6")
    # theory 12; the grid of delays is logarithmic, so interpolate: 1e-4 of 0.5 for a grid that is 2.5 % apart
    near(np.interp([0.01, 0.03, 0.1, 0.3], tau, k["g"]), [0.152547, 0.263440, 0.473897, 0.899364], 1e-3, "g(tau)")
    check(np.all(k["L1_1"] == 0), "L1_1 is 0")


def reference(r):
    """The default orbit of theory 12: period 2, reached after 300 periods. The slowest multiplier of P^2 is 0.26: no transient is left."""
    r.run("reference", "-receptance_modes", 60, "-periods", 300, "-samples_per_period", 2)
    d = r.read("reference")
    strobes = d["displacement"][::2][-2:], d["velocity"][::2][-2:]
    order = np.argsort(strobes[0])[::-1]
    near(strobes[0][order], [0.21347125, 0.14736391], 1e-7, "stroboscopic displacement")
    near(strobes[1][order], [0.928688, -0.181832], 2e-6, "stroboscopic velocity")  # printed to 1e-6
    period = 2 * np.pi / 13
    last = d["event_time"] > 298 * period
    onset = last & (d["event_type"] == 1)
    check(onset.sum() == 2, f"{onset.sum()} contacts in the last two periods")
    if onset.sum() == 2:
        near(d["event_time"][onset][0] / period % 1, 0.354830, 1e-6, "phase of the first contact")
        near(d["event_velocity"][onset], [-1.55114, -0.0124115], 5e-6, "velocities of the contacts")
        near(d["event_force"][onset][0], 57.1053, 1e-4, "force of the first contact")
    return d


def literal(r):
    """Two flows, one motion: the literal scheme is of first order in its step."""
    r.run("exact", *SMALL, "-periods", 2)
    exact, error = r.read("exact"), {}
    for step in 2e-4, 1e-4:
        r.run(f"literal_{step}", *SMALL, "-periods", 2, "-flow", "literal", "-literal_step", step)
        d = r.read(f"literal_{step}")
        check(d["displacement"].shape == exact["displacement"].shape and d["reason"] == "good", "shape of the literal result")
        check(len(d["event_type"]) == len(exact["event_type"]), "events of the literal scheme")
        error[step] = np.abs(d["displacement"] - exact["displacement"]).max()
    # measured: 1.16e-3 and 5.8e-4 of a displacement of 1
    check(error[1e-4] < 1e-3 and 1.7 < error[2e-4] / error[1e-4] < 2.3, f"literal against exact: {error}")


def si(r):
    """A beam in SI moves as its non-dimensional copy does: beta 1200, gamma 0.3205, and the same numbers times L, t0."""
    L, E, rho, b, h = 2.0, 2.1e11, 7800.0, 0.1, 0.2
    nu, kappa = 0.3, 0.8333
    t0 = L**2 * np.sqrt(rho * b * h / (E * b * h**3 / 12))
    beam = ["-beam_length", L, "-beam_youngs_modulus", E, "-beam_poisson_ratio", nu, "-beam_shear_factor", kappa, "-beam_density", rho,
            "-beam_width", b, "-beam_height", h, "-units", "si"]
    beta, gamma = 12 * L**2 / h**2, kappa / (2 * (1 + nu))
    values = dict(stop_position=(-0.05, L), initial_displacement=(1.0, L), initial_velocity=(1.0, L / t0), forcing_amplitude=(30.0, L / t0**2),
                  forcing_frequency=(13.0, 1 / t0))
    r.run("si", *SMALL, *beam, *[w for name, (x, unit) in values.items() for w in (f"-{name}", repr(float(x * unit)))])
    r.run("plain", *SMALL, "-beam_beta", repr(float(beta)), "-beam_gamma", repr(float(gamma)))
    a, b = r.read("si"), r.read("plain")
    for name in "displacement", "velocity", "event_time":
        # input differs by roundings, 1e-15, and the eigenproblem of size 100 amplifies them
        near(a[name] / np.abs(b[name]).max(), b[name] / np.abs(b[name]).max(), 1e-8, f"SI against non-dimensional {name}")
    with h5py.File(r.folder / "si" / "trajectory.h5", "r") as file:
        found = {name: file["scales"][name][()] for name in file["scales"]}
        units = {name: file["scales"][name].attrs["units"] for name in file["scales"]}
        check(file["parameters"].attrs["units"] == b"si" and file["parameters"].attrs["forcing_frequency"] == 13 / t0, "parameters as given")
    wanted = dict(length=L, time=t0, force=E * 0.1 * h**3 / 12 / L**2, beta=beta, gamma=gamma)
    check(found.keys() == wanted.keys() and all(np.isclose(found[n], wanted[n], rtol=1e-14, atol=0) for n in wanted), f"/scales: {found}")
    check(units == dict(length=b"m", time=b"s", force=b"N", beta=b"1", gamma=b"1"), f"units of /scales: {units}")


def outputs(r):
    """A result is used again, kept, or moved aside; never changed."""
    first, before = r.read("contract"), r.digest("contract")
    check("complete" in r.run("contract", *SMALL).stdout, "the second run does not say that the result is complete")
    other = r.run("contract", *SMALL, "-damping_ratio", "0.2", code=65).stderr
    check("damping_ratio 0.1 instead of 0.2" in other and "-overwrite" in other and other.count("\n") == 1, f"other physics: {other}")
    swept = r.run("contract", command="sweep", code=65).stderr
    check("trajectory.h5" in swept and "-overwrite" in swept, f"another command: {swept}")
    check(r.digest("contract") == before, "a result was touched")

    r.run("again", "-options_file_yaml", r.folder / "contract" / "used_parameters.yaml")
    same(first, r.read("again"), "used_parameters.yaml")
    warned = r.run("two", *SMALL, ranks=2).stdout
    check("warning" in warned and "idle" in warned, f"two ranks: {warned}")
    same(first, r.read("two"), "two ranks")

    moved = r.run("contract/", "-overwrite", *SMALL, "-forcing_amplitude", 20).stdout
    check("contract.1" in moved and r.digest("contract.1") == before, "the old folder was not kept as contract.1")
    check(r.read("contract")["amplitude"] == 20, "the new result is not there")
    r.run("contract", "-overwrite", *SMALL)
    check(r.read("contract.2")["amplitude"] == 20, "the second old folder is not contract.2")
    same(first, r.read("contract"), "overwritten")

    (r.folder / "mine").mkdir()
    (r.folder / "mine" / "notes.txt").write_text("keep\n")
    r.run("mine", "-overwrite", *SMALL)
    check((r.folder / "mine" / "notes.txt").exists() and not (r.folder / "mine.1").exists(), "a folder of other things was moved")
    r.run("dry", *SMALL, "-dry_run")
    check(not (r.folder / "dry").exists(), "a dry run wrote something")
    check(r.run("quiet", *SMALL, "-quiet").stdout == "", "-quiet says something")
    check("contacts" in (r.folder / "quiet" / "log.txt").read_text(), "log.txt of a quiet run")


def failing(r):
    """Motions that end early are stored as far as they came; a full disk is 74 and leaves no half file."""
    d = r.run("limit", *SMALL, "-flow_max_events", 1)
    check("warning" in d.stdout and "event_limit" in d.stdout, f"event limit: {d.stdout}")
    d, whole = r.read("limit"), r.read("contract")
    n = len(d["time"])
    check(d["reason"] == "event_limit" and d["complete"] == 1 and 0 < n < 601, f"event limit: {d['reason']}, {n} samples")
    check(d["displacement"].tobytes() == whole["displacement"][:n].tobytes(), "the part before the limit differs")

    undamped = ["-damping_ratio", 0, "-receptance_modes", 20, "-periods", 2, "-samples_per_period", 10]
    r.run("undamped", *undamped)
    with h5py.File(r.folder / "undamped" / "trajectory.h5", "r") as file:
        w = float(file["kernel/natural_frequency"][1])
        check(file["kernel/tau"][-1] == 100, "tau without damping")
    r.run("resonance", *undamped, "-forcing_frequency", repr(w))
    d = r.read("resonance")
    check(d["reason"] == "resonance" and d["time"].size == 0 and d["event_time"].size == 0, f"resonance: {d['reason']}, {d['time'].size} samples")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000000, resource.RLIM_INFINITY))  # more than MPI needs for its own files

    full = r.run("full", *SMALL, "-samples_per_period", 200000, code=74, preexec_fn=small_files).stderr
    check("trajectory.h5" in full and "PETSC ERROR" not in full, f"full disk: {full}")
    check(set(os.listdir(r.folder / "full")) == {"log.txt", "used_parameters.yaml"}, "a half file was left")
    few = r.run("few", "-receptance_modes", 100, "-beam_points", 16, code=64).stderr
    check("-beam_points" in few and few.count("\n") == 1, f"too few points: {few}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graze", default=os.environ.get("GRAZE"))
    parser.add_argument("--source")
    parser.add_argument("--mpiexec", default=os.environ.get("MPIEXEC", "mpiexec"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graze_trajectory_") as folder:
        r = Runner(os.path.abspath(arguments.graze), arguments.mpiexec, folder)
        contract(r)
        kernel(r)
        reference(r)
        literal(r)
        si(r)
        outputs(r)
        failing(r)
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
