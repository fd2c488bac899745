# processors: 2
"""graze verify: what is whole, what is only not complete, and every way in which a result can be wrong. Silent when right."""

import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import ENVIRONMENT, GRAZE, MPIEXEC, PATIENCE, Runs, check, finish  # noqa: E402

GRID = ("-sweep_amplitude 1:31:4 -sweep_frequency 12:14:5 -receptance_modes 20 -settle_periods 20 -sample_periods 8 -max_period 8 "
        "-max_contacts 12")
COMPLETE, COME_BACK, DAMAGED, WORDS = 0, 85, 65, 64
PERIODIC, CONTACT_FREE = 1, 2

# In the order of the rows (include/graze/cell.h): what the checksum is made of.
ORDER = ("status period strobe_displacement strobe_velocity n_samples contact_phase contact_period contact_velocity contact_force contact_duration "
         "contact_impulse n_contacts contacts_per_orbit contacts_per_period peak_force max_displacement min_displacement min_gap contact_fraction "
         "multiplier_re multiplier_im multiplier_error n_multipliers segment_start periods_used residual check_deviation "
         "lyapunov_exponent lyapunov_error state_in_contact state "
         "wall_seconds").split()


def checksum(file, cell):
    """CRC-32 of the counts (numbers of each variable up to the last that is not filling) and these numbers; wall_seconds counts as 0."""
    counts, numbers = [], []
    for name in ORDER:
        values = np.atleast_1d(file[name][cell]).astype(float)
        if name == "wall_seconds":
            values = np.zeros(1)
            counts.append(1)
        else:
            filled = ~np.isnan(values) if file[name].dtype.kind == "f" else values != (-1 if name == "contact_period" else 0)
            counts.append(int(np.max(np.flatnonzero(filled), initial=-1)) + 1)
        numbers.append(values[: counts[-1]])
    counts += [0] * (len(counts) % 2)
    return zlib.crc32(np.concatenate(numbers).tobytes(), zlib.crc32(struct.pack(f"={len(counts)}i", *counts)))


def verify(r, path, code, *says, ranks=None, words=()):
    launch = [MPIEXEC, "-n", str(ranks), GRAZE] if ranks else [GRAZE]
    done = subprocess.run([*launch, "verify", *([str(path)] if path else []), *words], cwd=r.folder, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    text = f"graze verify {path} {' '.join(words)}"
    said = re.sub(r"\n {20}", " ", done.stdout) + done.stderr
    check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{said}")
    check(all(word in said for word in says), f"{text}: does not say {[word for word in says if word not in said]}\n{said}")
    check(done.stderr.count("graze: ") == (1 if code else 0) and "PETSC ERROR" not in done.stderr and "HDF5-DIAG" not in done.stderr,
          f"{text}: stderr is\n{done.stderr}")
    check(all(len(line) <= 100 for line in done.stdout.splitlines()[1:]), f"{text}: wide lines\n{done.stdout}")
    return done.stdout


def copy(r, name, other):
    shutil.rmtree(r.folder / other, ignore_errors=True)
    return shutil.copytree(r.folder / name, r.folder / other)


def whole(r):
    """Complete: from the folder, from the file, from the file elsewhere and alone, on two ranks; nothing is touched."""
    r.run("whole", GRID, ranks=2)
    before = r.listing("whole")
    out = verify(r, "whole/", COMPLETE, "20 of 20 are done, all of these are sound", "whole and complete", "complete")
    check(out == verify(r, "whole/sweep.h5", COMPLETE) and out == verify(r, "whole", COMPLETE, ranks=2),
          "verify says other things of the file than of its folder")
    check(r.listing("whole") == before, "verify changed the folder")
    shutil.copy(r.file("whole"), r.folder / "moved.h5")
    verify(r, "moved.h5", COMPLETE, "whole and complete")
    with h5py.File(r.file("whole"), "r") as file:
        status = file["status"][:]
        check((status == PERIODIC).any() and (status == CONTACT_FREE).any(), f"the grid has too few kinds of cells: {status}")
        wrong = [cell for cell in np.ndindex(status.shape) if checksum(file, cell) != file["checksum"][cell]]
        check(not wrong, f"checksums of {wrong} are not what docs/data.md says")


def incomplete(r):
    """Killed twice in a cell: what is done is in the journal, then, told to save, in the file with another before it; then the run is finished."""
    kill(r, "cell:kill@1,2")
    verify(r, "killed", COME_BACK, "0 of 20 are done", "20 of 20 cells are missing, some of these in the journals", "journal",
           "cells that the file does not have yet")
    verify(r, "killed/sweep.h5", COME_BACK, "20 of 20 cells are missing")
    begun = r.folder / "begun"
    run = r.start("killed", GRID, env={"GRAZE_FAULT": "cell:slow=1@0,1 cell:kill@0,3", "GRAZE_FAULT_CELLS": str(begun)})
    run.wait_for(lambda: begun.exists() and begun.read_text().endswith("\n0 1\n"), "the cell in which it is told to save")
    run.process.send_signal(signal.SIGUSR2)
    run.end(-9)
    out = verify(r, "killed", COME_BACK, "snapshot before", "sound, but not complete")
    done = int(re.search(r"cells +(\d+) of 20 are done", out).group(1))
    check(0 < done < 20, f"{done} of 20 cells are done after two kills")

    # a torn record at the end is what a kill leaves; a journal that is none, or a snapshot before that is damaged, is not
    journal = max((r.folder / "killed").glob("sweep.journal.*"), key=lambda p: int(p.suffix[1:]))
    torn = copy(r, "killed", "torn")
    with (torn / journal.name).open("ab") as file:
        file.write(b"torn" * 10)
    verify(r, "torn", COME_BACK, "40 bytes after them")
    with (torn / journal.name).open("r+b") as file:
        file.write(b"XXXX")
    verify(r, "torn", DAMAGED, f"{journal.name}: no journal of this sweep", f"damaged: {journal.name}")
    spare = copy(r, "killed", "spare") / "sweep.previous.h5"
    flip(spare, "checksum", 0)
    verify(r, "spare", DAMAGED, "sweep.previous.h5: 1 of")
    r.run("killed", GRID)
    verify(r, "killed", COMPLETE, "whole and complete")
    r.same("killed", "whole", "a run killed twice")


def kill(r, fault):
    r.start("killed", GRID, env={"GRAZE_FAULT": fault}).end(-9)


def flip(path, name, number):
    """One bit of a number of an array, in the file itself."""
    with h5py.File(path, "r") as file:
        place = file[name].id.get_offset() + number * file[name].dtype.itemsize
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 4]))


def damaged(r):
    """A bit anywhere in a cell; a status that hides it; axes, parameters, structure; a file cut short."""
    for name in "period", "contact_phase", "multiplier_error", "segment_start", "state", "checksum":
        path = r.folder / "damaged.h5"
        shutil.copy(r.file("whole"), path)
        with h5py.File(path, "r") as file:
            width = int(np.prod(file[name].shape[3:], dtype=int))
        flip(path, name, 7 * width)
        verify(r, path, DAMAGED, "1 cell: not what the checksum says", "(0, 1, 2)", "is damaged: 1 cell,")
    for value in 0, 9, 77, -1:
        shutil.copy(r.file("whole"), path)
        with h5py.File(path, "r+") as file:
            file["status"][0, 3, 4] = value
        verify(r, path, DAMAGED, "1 cell: not what the checksum says", "A = 31, W = 14, up (0, 3, 4)")
    changes = [
        ("amplitude[1]", lambda f: f["amplitude"].__setitem__(1, 11.5)),
        ("/frequency", lambda f: f.__delitem__("frequency")),
        ("has no sample_periods", lambda f: f["parameters"].attrs.__delitem__("sample_periods")),
        ("/frequency[1]", lambda f: f["parameters"].attrs.__setitem__("sweep_frequency", np.bytes_("12:15:5"))),
        ("/status has another type or shape", lambda f: f["parameters"].attrs.__setitem__("sweep_amplitude", np.bytes_("1:31:5"))),
        ("-damping_ratio", lambda f: f["parameters"].attrs.__setitem__("damping_ratio", 1.5)),
        ("which part", lambda f: f.attrs.__delitem__("shard")),
        ("/status has another type or shape", lambda f: f.attrs.__setitem__("shard", np.bytes_("2/2"))),
        ("session_host", lambda f: f["provenance"].__delitem__("session_host")),
        ("state_index", lambda f: f.__delitem__("state_index")),
        ("which snapshot", lambda f: f["provenance"].attrs.__delitem__("generation")),
        ("attribute `complete`", lambda f: f.attrs.__setitem__("complete", np.int8(0))),
        ("how many sessions", lambda f: f["provenance"].attrs.__delitem__("sessions")),
    ]
    for says, change in changes:
        shutil.copy(r.file("whole"), path)
        with h5py.File(path, "r+") as file:
            change(file)
        verify(r, path, DAMAGED, says)
    shutil.copy(r.file("whole"), path)
    os.truncate(path, path.stat().st_size // 2)
    verify(r, path, DAMAGED, "truncated")


def inconsistent(r):
    """Numbers that contradict each other, under a checksum that is right: each is told, with its place."""
    with h5py.File(r.file("whole"), "r") as file:
        status = file["status"][:]
        periodic = tuple(int(i) for i in np.argwhere((status == PERIODIC) & (file["n_contacts"][:] > 0))[0])
        free = tuple(int(i) for i in np.argwhere(status == CONTACT_FREE)[0])
        contacts, period, multipliers = (int(file[name][periodic]) for name in ("n_contacts", "period", "n_multipliers"))
    cases = [
        (periodic, "counts", {"n_samples": 9}),
        (periodic, "counts", {"n_multipliers": 9}),
        (periodic, "counts", {"period": -1}),
        (periodic, "counts", {"n_contacts": -2}),
        (periodic, "filling", {("strobe_displacement", period): 0.5}),
        (periodic, "filling", {("strobe_velocity", 0): np.nan}),
        (periodic, "filling", {("contact_period", contacts): 0}),
        (periodic, "filling", {("contact_impulse", contacts): 0.5}),
        (periodic, "filling", {"n_multipliers": multipliers - 1}),
        (periodic, "phases", {("contact_phase", 0): 1.0}),
        (periodic, "phases", {("contact_phase", 0): -0.25}),
        (periodic, "phases", {("contact_period", 0): period}),
        (periodic, "velocities", {("contact_velocity", 0): 0.5}),
        (periodic, "forces", {("contact_force", 0): -0.5}),
        (periodic, "forces", {("contact_duration", 0): -0.5}),
        (periodic, "forces", {"peak_force": -0.5}),
        (periodic, "periods", {"period": 0}),
        (periodic, "periods", {"status": 3}),
        (periodic, "periods", {"period": 2 if period != 2 else 1}),
        (periodic, "multipliers", {("multiplier_re", 0): 1.5, ("multiplier_error", 0): 1e-6}),
        (periodic, "states", {("state", 3): np.nan}),
        (periodic, "states", {"status": 7, "period": 0}),
        (free, "contact-free", {"n_contacts": 1, ("contact_phase", 0): 0.5, ("contact_period", 0): 0, ("contact_velocity", 0): -1.0}),
        (periodic, "pending", {"status": 0}),
    ]
    for cell, label, changes in cases:
        path = r.folder / "inconsistent.h5"
        shutil.copy(r.file("whole"), path)
        with h5py.File(path, "r+") as file:
            for name, value in changes.items():
                if isinstance(name, tuple):
                    file[name[0]][(*cell, name[1])] = value
                else:
                    file[name][cell] = value
            file["checksum"][cell] = checksum(file, cell) if file["status"][cell] else 0
        out = verify(r, path, DAMAGED, "is damaged: 1 cell")
        check(re.search(rf"^  {label} +1 cell: ", out, re.M) and str(cell) in re.sub(r"\n {20}", " ", out) and "checksum" not in out,
              f"{changes}: no row {label} for {cell}\n{out}")
    # an error that covers the distance to the circle is none
    shutil.copy(r.file("whole"), path)
    with h5py.File(path, "r+") as file:
        for name, value in (("multiplier_re", 1.0625), ("multiplier_im", 0.0), ("multiplier_error", 0.125)):
            file[name][(*periodic, 0)] = value
        file["checksum"][periodic] = checksum(file, periodic)
    verify(r, path, COMPLETE, "whole and complete")


def refused(r):
    (r.folder / "text.h5").write_text("no HDF5\n")
    (r.folder / "empty").mkdir()
    r.run("motion", "-receptance_modes 20 -periods 2 -samples_per_period 10", command="trajectory")
    verify(r, None, WORDS, "needs a folder or a file")
    verify(r, "-x", WORDS, "takes no option")
    verify(r, "whole", WORDS, "stray word", words=("more",))
    verify(r, "nowhere", DAMAGED, "No such file")
    verify(r, "empty", DAMAGED, "holds neither sweep.h5 nor branches.h5")
    verify(r, "text.h5", DAMAGED, "not an HDF5 file")
    verify(r, "motion/trajectory.h5", DAMAGED, "not the result of a graze sweep or continue")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_verify_") as folder:
        r = Runs(folder)
        whole(r)
        incomplete(r)
        damaged(r)
        inconsistent(r)
        refused(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
