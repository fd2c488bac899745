# processors: 2
"""sweep.h5 and its folder: the names and types others rely on, numbers that agree with a trajectory, and what happens to a result that is there.

Silent when right.
"""

import fcntl
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import xarray

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import ENVIRONMENT, GRAZE, Runs, check, finish, near  # noqa: E402

L_PLUS = 0.0271628290596  # theory 12
PERIODIC, CONTACT_FREE, APERIODIC, NOT_SETTLED, EVENT_LIMIT, FLOW_FAILED, UNVERIFIED, CHAOTIC, QUASI_PERIODIC = 1, 2, 3, 4, 5, 6, 8, 9, 10

SMALL = "-receptance_modes 40 -settle_periods 40 -sample_periods 16 -max_period 16 -max_contacts 24"
GRID = "-sweep_amplitude 10:50:5 -sweep_frequency 6:34:8 -sweep_direction both"
ONE = "-sweep_amplitude 30 -sweep_frequency 13"

CELL = ("direction", "amplitude", "frequency")
DIMENSIONS = dict(direction="i1", amplitude="f8", frequency="f8", sample="i4", contact="i4", multiplier="i4")
# name: type, axis behind those of a cell, scale
VARIABLES = {
    "status": ("i1", None, None), "period": ("i4", None, None), "n_samples": ("i4", None, None), "n_contacts": ("i4", None, None),
    "contacts_per_orbit": ("i4", None, None), "segment_start": ("i1", None, None), "contacts_per_period": ("f8", None, "1"),
    "strobe_displacement": ("f8", "sample", "L"), "strobe_velocity": ("f8", "sample", "L/t0"), "contact_period": ("i4", "contact", None),
    "contact_phase": ("f8", "contact", "1"), "contact_velocity": ("f8", "contact", "L/t0"), "contact_force": ("f8", "contact", "EI/L^2"),
    "contact_duration": ("f8", "contact", "t0"), "contact_impulse": ("f8", "contact", "EI t0/L^2"), "peak_force": ("f8", None, "EI/L^2"),
    "max_displacement": ("f8", None, "L"), "min_displacement": ("f8", None, "L"), "min_gap": ("f8", None, "L"),
    "contact_fraction": ("f8", None, "1"), "multiplier_re": ("f8", "multiplier", "1"), "multiplier_im": ("f8", "multiplier", "1"),
    "lyapunov_exponent": ("f8", None, "1"), "lyapunov_error": ("f8", None, "1"), "wall_seconds": ("f8", None, None),
}
CONTACTS = ["contact_phase", "contact_velocity", "contact_force", "contact_duration", "contact_impulse"]
FLAGS = "pending periodic contact_free aperiodic not_settled event_limit flow_failed crashed periodic_unverified chaotic quasi_periodic"
PROVENANCE = "program_version commit dirty petsc slepc hdf5 mpi compiler cpu_model host ranks utc_start utc_end uuid command".split()


def contract(r):
    """Names, types, dimensions and attributes."""
    out = r.run("first", SMALL, GRID, ranks=2).stdout
    check(str(r.file("first")) in out and "80/80 cells" in out, f"what is said at the end: {out}")
    check({p.name for p in (r.folder / "first").iterdir()} == {"sweep.h5", "used_parameters.yaml", "log.txt", "status.json", "events.jsonl"}, "files of the folder")
    sizes = dict(direction=2, amplitude=5, frequency=8, sample=16, contact=24, multiplier=8)
    with h5py.File(r.file("first"), "r") as file:
        for name, kind in DIMENSIONS.items():
            check(file[name].dtype == kind and file[name].shape == (sizes[name],) and h5py.h5ds.is_scale(file[name].id), f"dimension {name}")
        for name, (kind, axis, scale) in VARIABLES.items():
            item, wanted = file[name], (*CELL, axis) if axis else CELL
            check(item.dtype == kind, f"{name} is {item.dtype}")
            check(tuple(dim.keys()[0] for dim in item.dims) == wanted, f"dimensions of {name}")
            check(item.shape == tuple(sizes[dim] for dim in wanted), f"shape of {name}: {item.shape}")
            check(item.chunks is None and item.maxshape == item.shape, f"{name} can grow")
            check(item.attrs.get("scale", b"").decode() == (scale or ""), f"scale of {name}: {item.attrs.get('scale')}")
            check(name == "status" or item.attrs["units"] == (b"s" if name == "wall_seconds" else b"1"), f"units of {name}")

        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                check("long_name" in item.attrs or name == "provenance/text", f"{name} has no long_name")  # a length without values
                check(item.dtype.kind != "i" or "_FillValue" not in item.attrs, f"integer {name} has a _FillValue")
                check(item.dtype.kind in ("ifS" if name.startswith("provenance/") else "if") and item.dtype.isnative, f"{name} is {item.dtype}")

        file.visititems(visit)
        check(file["status"].attrs["flag_meanings"].decode() == FLAGS, "flag_meanings")
        check(list(file["status"].attrs["flag_values"]) == list(range(11)) and file["status"].attrs["flag_values"].dtype == "i1", "flag_values")
        check(file.attrs["complete"] == 1 and "scales" not in file, "complete; no /scales without SI input")
        check(all(name in file.attrs for name in ("title", "source", "Conventions")), "attributes of the root group")
        check(set(PROVENANCE) <= set(file["provenance"].attrs), f"/provenance: {sorted(file['provenance'].attrs)}")
        check(file["provenance"].attrs["ranks"] == 2 and file["provenance"].attrs["utc_end"].endswith(b"Z"), "ranks, utc_end")
        check(" sweep -output " in file["provenance"].attrs["command"].decode(), f"command: {file['provenance'].attrs['command']}")
        given = file["parameters"].attrs
        check(given["sweep_amplitude"] == b"10:50:5" and given["settle_periods"] == 40 and given["flow"] == b"exact" and "periods" not in given
              and "output" not in given, f"/parameters: {dict(given)}")
        kernel = file["kernel"]
        check({"tau", "L1_1", "L1_2", "Linf", "A", "L_plus", "pole_re", "pole_im", "residue_re", "residue_im", "zero_re", "zero_im"} <= set(kernel),
              f"/kernel: {sorted(kernel)}")
        near(kernel["L_plus"][()], L_PLUS, 1e-12, "L+")  # the digits of the table


def readers(r):
    """Others' readers, without flags: xarray finds every axis by its name, ncdump and h5dump read the headers."""
    path = r.file("first")
    with h5py.File(path, "r") as file:
        groups = [None, *(name for name in file if isinstance(file[name], h5py.Group))]
    check(set(groups) == {None, "kernel", "parameters", "provenance"}, f"groups {groups}")
    for group in groups:
        with xarray.open_dataset(path, engine="h5netcdf", group=group) as ds:
            check(not any("phony" in str(dim) for dim in ds.sizes), f"group {group}: axes without name, {ds.sizes}")
            check(set(ds.sizes) <= set(ds.coords), f"group {group}: coordinates {set(ds.coords)} of axes {set(ds.sizes)}")
            if group is None:
                check(ds.status.dtype == "i1" and ds.contact_period.dtype == "i4" and ds.wall_seconds.dtype == "f8", "xarray changes a type")
                cell = ds.sel(direction=-1, amplitude=30, frequency=14)
                check(cell.strobe_displacement.dims == ("sample",) and int(cell.period) == 2, f"the cell A = 30, W = 14: {cell.period}")
    for words in ["ncdump", "-h"], ["h5dump", "-H"], ["h5dump", "-d", "/status"]:
        done = subprocess.run([*words, str(path)], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        check(done.returncode == 0 and not done.stderr and "strobe_displacement" in done.stdout or words[1] == "-d" and "DATA" in done.stdout,
              f"{words}: {done.returncode} {done.stderr}")


def verdict(exponent, error, status, at):
    """docs/data.md, Status: what the exponent of the default 500 periods says, of which 100 are dropped."""
    if status in (PERIODIC, CONTACT_FREE, UNVERIFIED):
        check(np.isnan(exponent) and np.isnan(error), f"{at}: an exponent, with status {status}")
        return
    margin = 3 * error + np.log(5) / 400
    if exponent > margin:
        allowed = CHAOTIC, APERIODIC, NOT_SETTLED  # beside an orbit no chaos is claimed
    elif exponent < -margin:
        allowed = (NOT_SETTLED,)
    else:
        allowed = QUASI_PERIODIC if margin <= 0.01 else APERIODIC, NOT_SETTLED
    check(error >= 0 and status in allowed, f"{at}: status {status} with exponent {exponent} and error {error}")


def consistent(d, text):
    """What the arrays of a file say about each other, cell by cell."""
    for cell in np.ndindex(d["status"].shape):
        at = f"{text}, cell {cell}"
        c = {name: d[name][cell] for name in VARIABLES if name in d}
        status, p, n, k = int(c["status"]), int(c["period"]), int(c["n_samples"]), int(c["n_contacts"])
        check(0 < n <= len(c["strobe_displacement"]), f"{at}: n_samples {n}")
        for name in "strobe_displacement", "strobe_velocity":
            check(np.isfinite(c[name][:n]).all() and np.isnan(c[name][n:]).all(), f"{at}: {name} is filled otherwise than n_samples {n}")
        check((c["strobe_displacement"][:n] >= d["stop"] - 1e-12).all(), f"{at}: inside the stop at a strobe")  # round-off of the gap
        check((p > 0) == (status in (PERIODIC, CONTACT_FREE, UNVERIFIED)), f"{at}: period {p} with status {status}")
        if status in (PERIODIC, CONTACT_FREE):
            check(n == p and c["contacts_per_orbit"] == k, f"{at}: {n} samples, period {p}, {k} contacts, {c['contacts_per_orbit']} per orbit")
            modulus = np.hypot(c["multiplier_re"], c["multiplier_im"])
            have = ~np.isnan(modulus)
            check(have.any() and (modulus[have] < 1).all() and (np.diff(modulus[have]) <= 1e-12).all(), f"{at}: multipliers {modulus}")
        else:
            check(status == UNVERIFIED or (n == 16 and c["contacts_per_orbit"] == 0), f"{at}: {n} samples, {c['contacts_per_orbit']} per orbit")
        verdict(c["lyapunov_exponent"], c["lyapunov_error"], status, at)
        check(status != CONTACT_FREE or k == 0, f"{at}: contact-free with {k} contacts")
        check(c["contacts_per_period"] == k / n, f"{at}: contacts_per_period")
        stored = min(k, len(c["contact_phase"]))
        for name in CONTACTS:
            check(np.isfinite(c[name][:stored]).all() and np.isnan(c[name][stored:]).all(), f"{at}: {name} is filled otherwise than n_contacts {k}")
        phase, period, velocity = (c[name][:stored] for name in ("contact_phase", "contact_period", "contact_velocity"))
        check((c["contact_period"][stored:] == -1).all(), f"{at}: contact_period of no contact")
        check(((phase >= 0) & (phase < 1) & (period >= 0) & (period < n)).all(), f"{at}: phases {phase} in periods {period}")
        check((np.diff(period + phase) > 0).all(), f"{at}: contacts out of order")
        check((velocity < 0).all() and (c["contact_duration"][:stored] > 0).all() and (c["contact_impulse"][:stored] > 0).all(), f"{at}: signs")
        near(c["contact_force"][:stored] * d["L_plus"] / -velocity, np.ones(stored), 1e-11, f"{at}: force against -velocity/L+")  # digits of both
        check(c["peak_force"] >= np.max(c["contact_force"][:stored], initial=0), f"{at}: peak force")
        check(c["max_displacement"] >= c["strobe_displacement"][:n].max() and c["min_displacement"] <= c["strobe_displacement"][:n].min(), f"{at}: extremes")
        check(k == 0 or c["min_displacement"] == d["stop"], f"{at}: lowest point {c['min_displacement']} with contacts")
        check((c["contact_fraction"] > 0) == (k > 0) and c["contact_fraction"] < 1, f"{at}: contact_fraction {c['contact_fraction']}")
        if k == stored and k and status == PERIODIC:  # an orbit closes: what begins in its periods is what lasts in them
            held = c["contact_duration"][:k].sum() / (n * 2 * np.pi / d["frequency"][cell[2]])
            near(c["contact_fraction"], held, 1e-9, f"{at}: contact_fraction against durations")  # Newton leaves 1e-10
        check(np.isnan(c["min_gap"]) or c["min_gap"] >= -1e-12, f"{at}: min_gap {c['min_gap']}")


def load(r, name):
    d = r.read(name)
    with h5py.File(r.file(name), "r") as file:
        d["stop"], d["L_plus"] = file["parameters"].attrs["stop_position"], float(file["kernel/L_plus"][()])
    return d


def strobes_of_trajectory(r, amplitude, frequency):
    """Strobes (y1, y2) of the last periods of a long motion, and its onsets (time in periods, velocity, force)."""
    name = f"t_{amplitude}_{frequency}"
    r.run(name, "-receptance_modes 40 -periods 200 -samples_per_period 1", "-forcing_amplitude", amplitude, "-forcing_frequency", frequency, command="trajectory")
    with h5py.File(r.folder / name / "trajectory.h5", "r") as file:
        onset = file["event_type"][:] == 1
        events = file["event_time"][:][onset] * frequency / (2 * np.pi), file["event_velocity"][:][onset], file["event_force"][:][onset]
        return file["displacement"][:], file["velocity"][:], events


def against_trajectory(r):
    """Orbits of cells that start from the stated state are where a long motion from there ends, contacts too."""
    d = load(r, "first")
    compared = set()
    for a, w in (0, 0), (1, 0), (2, 0), (4, 0), (0, 7), (2, 7):  # (amplitude, frequency) at the begin of an up or down line
        direction = 0 if w == 0 else 1
        c = {name: d[name][direction, a, w] for name in VARIABLES if name in d}
        p, leading = int(c["period"]), float(np.hypot(c["multiplier_re"][0], c["multiplier_im"][0]))
        if p == 0 or leading ** (190 / p) > 1e-10:  # a transient would be left
            continue
        y1, y2, (time, velocity, force) = strobes_of_trajectory(r, float(d["amplitude"][a]), float(d["frequency"][w]))
        start = 200 - p  # the last whole orbit
        tail = y1[start:200], y2[start:200]
        # the orbit may be entered anywhere: turn it to where the motion is
        turn = min(range(p), key=lambda i: np.abs(np.roll(c["strobe_displacement"][:p], -i) - tail[0]).max())
        # both are exact flows at equal M; 1e-8 is what Newton's 1e-10 and the transient leave in y1, ten times that in y2
        near(np.roll(c["strobe_displacement"][:p], -turn), tail[0], 1e-8, f"A {d['amplitude'][a]} W {d['frequency'][w]}: strobes, displacement")
        near(np.roll(c["strobe_velocity"][:p], -turn), tail[1], 1e-7, f"A {d['amplitude'][a]} W {d['frequency'][w]}: strobes, velocity")
        inside = (time >= start) & (time < start + p)
        k = int(c["n_contacts"])
        if check(inside.sum() == k, f"A {d['amplitude'][a]} W {d['frequency'][w]}: {k} contacts, the motion has {inside.sum()}"):
            moments = np.sort((c["contact_period"][:k] + c["contact_phase"][:k] - turn) % p)
            near(moments, time[inside] - start, 1e-7, "onsets")
            near(np.sort(c["contact_velocity"][:k]), np.sort(velocity[inside]), 1e-6, "velocities at onset")
            near(np.sort(c["contact_force"][:k]), np.sort(force[inside]), 1e-4, "forces at onset")
        compared.add((p, k > 0))
    check(len(compared) >= 2 and any(hit for _, hit in compared), f"too few orbits compared: {compared}")


def doubling(r):
    """At amplitude 30 the period-1 orbit doubles at W = 7.780707 (theory 12): between the cells 7.7797 and 7.7817, up and down."""
    r.run("doubling", "-sweep_amplitude 30 -sweep_frequency 7.7717:7.7897:10 -sweep_direction both -receptance_modes 60 -settle_periods 40", ranks=2)
    d = r.read("doubling")
    check((d["period"] == [1] * 5 + [2] * 5).all(), f"periods across the doubling: {d['period']}")
    check((d["status"] == PERIODIC).all(), f"status across the doubling: {d['status']}")
    # the multiplier passes -1 at the doubling, linearly in W: on the last two cells of period 1 of each line
    W, m = d["frequency"][3:5], d["multiplier_re"][:, 0, 3:5, 0]
    for line in m:
        near(W[1] + (-1 - line[1]) * (W[1] - W[0]) / (line[1] - line[0]), 7.780707, 2e-4, "where the multiplier is -1")  # curvature, and M = 60


def again(r):
    """used_parameters.yaml repeats the run; a complete result is kept; anything else in the way is 65 until -overwrite."""
    before = r.listing("first")
    r.run("again", "-options_file_yaml", r.folder / "first" / "used_parameters.yaml")
    r.same("first", "again", "used_parameters.yaml")
    done = r.run("first", SMALL, GRID, ranks=2)
    check("complete" in done.stdout and "cells" not in done.stdout, f"the second run: {done.stdout}")
    refused = r.run("first", SMALL, GRID, "-stop_position -0.06", code=65).stderr
    check("stop_position -0.05 instead of -0.06" in refused and "-overwrite" in refused, refused)
    refused = r.run("first", SMALL, GRID, "-settle_periods 41", code=65, ranks=2).stderr
    check("settle_periods" in refused, refused)
    refused = r.run("first", "-receptance_modes 40 -periods 1", command="trajectory", code=65).stderr
    check("sweep.h5" in refused and "-overwrite" in refused, refused)
    check(r.listing("first") == before, "a complete result was touched")

    log = (r.folder / "first" / "log.txt").read_text()
    for line in "2 ranks", "L+ = 0.02716", "busy by rank", "slowest cells", "periodic", "result":
        check(line in log, f"log.txt does not say '{line}': {log}")
    counts = {name: int(number) for name, number in re.findall(r"^(\w+) +(\d+)$", log, re.M)}
    status = r.read("first")["status"]
    check(counts == {FLAGS.split()[i]: int((status == i).sum()) for i in np.unique(status)}, f"cells by status in log.txt: {counts}")
    quiet = r.run("quiet", SMALL, ONE, "-quiet")
    check(not quiet.stdout and not quiet.stderr and "slowest" in (r.folder / "quiet" / "log.txt").read_text(), f"-quiet says {quiet.stdout}")
    dry = r.run("dry", SMALL, GRID, "-dry_run").stdout
    check(not (r.folder / "dry").exists() and all(word in dry for word in ("cells", "80", "memory", "disk", "core-hours")), f"dry run: {dry}")
    dry = r.run("first", SMALL, GRID, "-dry_run", "-overwrite").stdout
    check(r.listing("first") == before, "a dry run moved or touched a result")


def killed(r):
    """Killed in the middle: the last snapshot opens and what it has is right; -overwrite moves the folder aside as it is."""
    grid = "-sweep_amplitude 20:31:12 -sweep_frequency 12:14:41"
    output = r.folder / "killed"
    words = r.words("killed", [SMALL, grid, "-checkpoint_interval 0.001"])
    process = subprocess.Popen([GRAZE, *words], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up, done = time.monotonic() + 60, 0
    while not done and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.01)
        try:
            with h5py.File(output / "sweep.h5", "r") as file:
                done = np.count_nonzero(file["status"])
        except (OSError, KeyError):  # not there yet
            pass
    process.send_signal(signal.SIGKILL)
    check(process.wait() == -signal.SIGKILL, "the run ended before it was killed")
    before = r.listing("killed")
    part = r.read("killed")
    refused = r.run("killed", SMALL, grid, "-stop_position -0.06", code=65).stderr
    check("stop_position" in refused and "-overwrite" in refused, refused)
    check(r.listing("killed") == before, "an incomplete result of other parameters was touched")
    info = subprocess.run([GRAZE, "info", str(output / "sweep.h5")], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    check(info.returncode == 0, f"info of an incomplete file: {info.stderr}")

    moved = r.run("killed", SMALL, grid, "-overwrite", ranks=2).stdout
    name = "killed is now " + str(output) + ".1"
    check(name in moved and name in (output / "log.txt").read_text(), f"what -overwrite says and logs: {moved}")
    check([(pathlib.Path(p).name, *rest) for p, *rest in r.listing("killed.1")] == [(pathlib.Path(p).name, *rest) for p, *rest in before],
          "-overwrite did not keep the old folder as it was")
    whole = r.read("killed")
    finished = part["status"] != 0
    check(0 < finished.sum() < finished.size, f"finished cells: {finished.sum(axis=2)}")
    for key in part:
        if part[key].ndim >= 3:
            check(part[key][finished].tobytes() == whole[key][finished].tobytes(), f"finished cells of a killed run: {key} differs")


def two_writers(r):
    """Of two runs into one folder at once the second gives way and leaves the first one's files as they are; what a dead run left is cleared away."""
    folder = r.folder / "two"
    folder.mkdir()
    (folder / "sweep.h5.partial").write_bytes(b"of a dead run\n" * 100)
    (folder / "log.txt").write_bytes(b"of another run\n")
    with open(folder / "log.txt", "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        before = r.listing("two")
        refused = r.run("two", ONE, SMALL, code=65).stderr
        check("at work" in refused and str(folder) in refused, refused)
        check(r.listing("two") == before, "the folder of a living run was touched")
    r.run("two", ONE, SMALL)
    check(not (folder / "sweep.h5.partial").exists() and r.file("two").exists(), "the rest of a dead run is in the way")


def literal(r):
    """The literal scheme on a small grid: no verified period, and within its step of the exact flow. -sweep_check does it for some cells."""
    grid = "-sweep_amplitude 20:30:2 -sweep_frequency 6:7:2"
    step = "-receptance_modes 20 -settle_periods 15 -sample_periods 8 -max_period 4 -literal_step 2e-4"
    r.run("literal", grid, step, "-flow literal", ranks=2)
    r.run("exact", grid, step)
    a, b = r.read("literal"), r.read("exact")
    check((a["status"] == UNVERIFIED).all() and (b["status"] == PERIODIC).any(), f"status: {a['status']} {b['status']}")
    check((a["period"] == b["period"]).all() and (b["period"] == 1).all(), f"periods: {a['period']} {b['period']}")
    check(np.isnan(a["multiplier_re"]).all() and (a["n_multipliers"] == 0).all(), "multipliers without a Jacobian")
    # measured: 2.5e-4 of a displacement of 0.5; a tenth of it would be luck, four times it another order
    near(a["strobe_displacement"][..., 0], b["strobe_displacement"][..., 0], 1e-3, "literal against exact strobes")
    near(a["contacts_per_period"], b["contacts_per_period"], 0, "literal against exact contacts")
    # a long step: onsets keep to it, and the orbit of period 2 closes to a few steps only; and one that the scheme cannot take
    r.run("coarse", ONE, SMALL, "-flow literal -literal_step 5e-4")
    check(r.read("coarse")["period"].item() == 2, f"period at a long step: {r.read('coarse')['period']}")
    r.run("blown_up", ONE, SMALL, "-flow literal -literal_step 0.2")
    check(r.read("blown_up")["status"].item() == FLOW_FAILED, f"status of a motion without bounds: {r.read('blown_up')['status']}")
    r.run("checked", "-sweep_amplitude 20:30:3 -sweep_frequency 12:14:5 -sweep_check 3 -literal_step 2e-4", SMALL)
    r.run("unchecked", "-sweep_amplitude 20:30:3 -sweep_frequency 12:14:5 -literal_step 2e-4", SMALL)
    c, d = r.read("checked"), r.read("unchecked")
    deviation = c["check_deviation"][np.isfinite(c["check_deviation"])]
    # one orbit of the scheme of order 1 with step 2e-4: measured up to 1e-3; 0 would be no second integration
    check(len(deviation) == 3 and (deviation < 5e-3).all() and (deviation > 1e-7).all(), f"check_deviation: {deviation}")
    check(np.isnan(d["check_deviation"]).all(), "check_deviation without -sweep_check")
    check(all(c[n].tobytes() == d[n].tobytes() for n in c if n not in ("check_deviation", "checksum")), "-sweep_check changes other data")


def si(r):
    """A beam in SI, grid included, and its non-dimensional copy: beta 1200, gamma 0.3205."""
    L, E, rho, b, h, nu, kappa = 2.0, 2.1e11, 7800.0, 0.1, 0.2, 0.3, 0.8333
    t0 = L**2 * np.sqrt(rho * b * h / (E * b * h**3 / 12))
    beam = (f"-beam_length {L} -beam_youngs_modulus {E} -beam_poisson_ratio {nu} -beam_shear_factor {kappa} -beam_density {rho} "
            f"-beam_width {b} -beam_height {h} -units si -stop_position {-0.05 * L!r} -initial_displacement {L} -initial_velocity {float(L / t0)!r}")
    A, W = float(L / t0**2), float(1 / t0)
    r.run("si", SMALL, beam, f"-sweep_amplitude {20 * A!r}:{30 * A!r}:2 -sweep_frequency {12 * W!r}:{14 * W!r}:3")
    r.run("plain", SMALL, f"-beam_beta {12 * L**2 / h**2!r} -beam_gamma {kappa / (2 * (1 + nu))!r}", "-sweep_amplitude 20:30:2 -sweep_frequency 12:14:3")
    s, p = r.read("si"), r.read("plain")
    near(s["amplitude"], p["amplitude"], 1e-13, "amplitude")  # roundings of 30
    near(s["frequency"], p["frequency"], 1e-13, "frequency")
    check((s["status"] == p["status"]).all() and (s["period"] == p["period"]).all() and (p["status"] == PERIODIC).any(), f"status: {s['status']} {p['status']}")
    orbit = p["status"] == PERIODIC
    # input differs by roundings, 1e-15, which the eigenproblem of size 100 amplifies
    for name in "strobe_displacement", "contact_phase", "contact_velocity":
        near(np.nan_to_num(s[name][orbit]), np.nan_to_num(p[name][orbit]), 1e-7, f"SI against non-dimensional {name}")
    found = {name: float(value) for name, value in s.items() if name.startswith("scales/")}
    wanted = {"scales/length": L, "scales/time": t0, "scales/force": E * b * h**3 / 12 / L**2}
    check(all(np.isclose(found.get(name, 0), wanted[name], rtol=1e-14, atol=0) for name in wanted), f"/scales: {found}")
    check(not any(name.startswith("scales/") for name in p), "/scales without SI input")


def kinds(r):
    """Every kind of forcing and closure, no damping, a stop above the rest position: one sound cell each, no two alike."""
    seen = {}
    for name, options in {
        "mode": "", "point": "-forcing_type point -forcing_position 0.7 -sweep_amplitude 8", "base": "-forcing_type base", "shape": "-forcing_type shape",
        "closure0": "-receptance_closure 0", "closure1": "-receptance_closure 1", "pressed": "-stop_position 0.1", "undamped": "-damping_ratio 0",
        "strobe_phase": "-strobe_phase 1",
    }.items():
        r.run(name, ONE, SMALL, options)
        d = load(r, name)
        if name == "closure0":
            check(d["status"].item() == PERIODIC and np.isfinite(d["strobe_displacement"][..., 0]).all(), f"closure 0: {d['status']}")
        elif name == "undamped":
            check(d["status"].item() in (APERIODIC, NOT_SETTLED, CHAOTIC, QUASI_PERIODIC) and np.isfinite(d["strobe_displacement"]).all(), f"undamped: {d['status']}")
        else:
            consistent(d, name)
        seen[name] = d["strobe_displacement"].ravel()[0]
    values = sorted(seen.values())
    check(np.min(np.diff(values)) > 0, f"two of these are the same motion: {seen}")
    near(seen["shape"], seen["mode"], 0.02, "the paper's load against mode forcing")  # it puts 0.9935 of itself on the mode
    near(seen["closure1"], seen["mode"], 1e-3, "closures of order 1 and 2")


def limits(r):
    """Cells that end early say so; a true count of contacts goes beyond what is stored."""
    r.run("limit", "-sweep_amplitude 30 -sweep_frequency 6:14:3 -flow_max_events 1", SMALL)
    d = r.read("limit")
    check((d["status"] == EVENT_LIMIT).any() and d["segment_start"].sum() >= 2, f"event limit: {d['status']}, starts {d['segment_start']}")
    r.run("few", ONE, SMALL, "-max_contacts 1")
    few, d = r.read("few"), r.read("cell")
    check(few["contact_phase"].shape[-1] == 1 and few["n_contacts"].item() == d["n_contacts"].item() == 2, "true number of contacts")
    check(few["contact_phase"].item() == d["contact_phase"].ravel()[0], "the contact that is stored")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_output_") as folder:
        r = Runs(folder)
        contract(r)
        readers(r)
        consistent(load(r, "first"), "first")
        against_trajectory(r)
        doubling(r)
        again(r)
        killed(r)
        two_writers(r)
        literal(r)
        si(r)
        kinds(r)
        r.run("cell", ONE, SMALL)
        limits(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
