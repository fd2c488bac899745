# processors: 2
"""Damaged, missing or foreign files in the folder of a sweep: what can be mended is, in one line; what cannot is refused and left untouched.

The sweep was killed three times: there are a snapshot, the one before, the journals of both, and those of the sessions since. Every case works on a copy. Silent when right.
"""

import functools
import pathlib
import re
import shutil
import signal
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, together  # noqa: E402

SMALL = "-receptance_modes 8 -settle_periods 40 -sample_periods 16 -max_period 8 -max_contacts 12"
GRID = f"{SMALL} -sweep_amplitude 10:50:5 -sweep_frequency 6:34:8 -sweep_direction both"
CELLS = 80


def prepare(r):
    """
    Three sessions, each killed at a cell: lines are done from the highest amplitude down, so each gets further than the one before. The first two
    make a snapshot, two cells before they die, the last one none.
    """
    r.run("whole", GRID, ranks=2)
    begun = r.folder / "begun"
    for unit, step in (3, 5), (2, 4):
        run = r.start("base", GRID, env={"GRAZE_FAULT": f"cell:slow=1@{unit},{step - 2} cell:kill@{unit},{step}", "GRAZE_FAULT_CELLS": str(begun)})
        run.wait_for(lambda: begun.exists() and begun.read_text().endswith(f"\n{unit} {step - 2}\n"), "the cell in which it is told to save")
        run.process.send_signal(signal.SIGUSR2)
        run.end(-9)
    r.start("base", GRID, env={"GRAZE_FAULT": "cell:kill@1,3"}).end(-9)
    names = sorted(path.name for path in (r.folder / "base").glob("sweep.*"))
    check({"sweep.h5", "sweep.previous.h5"} < set(names) and len(names) == 6 and len(journals_of(r)) == 4, f"three kills left {names}")


def journals_of(r):
    return sorted((path.name for path in (r.folder / "base").glob("sweep.journal.*")), key=lambda name: int(name.rsplit(".", 1)[1]))


def copy(r, name):
    shutil.copytree(r.folder / "base", r.folder / name)
    return r.folder / name


def warnings(done):
    return [line for line in done.stdout.splitlines() if line.startswith("warning: ")]


def mended(r, name, damage, said, ranks=None, **options):
    """A copy is damaged and resumed: `said` warnings, each a pattern, and the data of an undisturbed run."""
    folder = copy(r, name)
    damage(folder)
    done = r.run(name, GRID, ranks=ranks, **options)
    lines = warnings(done)
    check(len(lines) == len(said) and all(re.search(pattern, line) for pattern, line in zip(said, lines)),
          f"{name}: {lines} should be one line each for {said}")
    r.same(name, "whole", name)
    cells = sorted((e["unit"], e["step"]) for e in r.events(name))
    check(len(cells) == len(set(cells)) == CELLS, f"{name}: events.jsonl has {len(cells)} lines of {len(set(cells))} cells, not {CELLS}")
    check(r.state(name) == 0, f"{name}: graze info -state does not say complete")
    return done


def flip(path, place):
    """One bit of the byte at `place` (negative: from the end)."""
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


def place_of(path, name, cell):
    """Where the number of one cell lies in the file: data sets are contiguous."""
    with h5py.File(path, "r") as file:
        data = file[name]
        index = 0
        for n, i in zip(data.shape, (*cell, *[0] * (data.ndim - len(cell)))):
            index = index * n + i
        return data.id.get_offset() + index * data.dtype.itemsize


def journals(r):
    """A torn or damaged journal loses what follows the damage, no more; without any journal the snapshot is a full checkpoint."""
    names = journals_of(r)
    last, size = names[-1], (r.folder / "base" / names[-1]).stat().st_size

    def cut(n):
        return lambda folder: (folder / last).write_bytes((folder / last).read_bytes()[:n])

    mended(r, "torn_record", cut(size - 7), [last])
    mended(r, "torn_head", cut(size - 1), [last], ranks=3)
    mended(r, "torn_header", cut(10), [last])
    mended(r, "empty", cut(0), [last])
    mended(r, "flipped_record", lambda folder: flip(folder / last, size // 2), [last])
    mended(r, "flipped_header", lambda folder: flip(folder / last, 9), [last])
    mended(r, "no_last_journal", lambda folder: (folder / last).unlink(), [])
    mended(r, "flipped_before", lambda folder: flip(folder / names[0], -20), [names[0]])
    mended(r, "no_journal", lambda folder: [(folder / name).unlink() for name in names], [], ranks=2)


def snapshots(r):
    """A damaged or missing snapshot: the one before it, with both journals, gives the same. Neither: refused."""
    file, names = r.file("base"), journals_of(r)
    done_cell = (0, 4, 3)  # highest amplitude, up: done in the first session
    places = {variable: place_of(file, variable, done_cell) for variable in ("strobe_displacement", "status", "state")}
    for name, place in {**places, "frequency": place_of(file, "frequency", (3,)), "magic": 1}.items():
        mended(r, f"flipped_{name}", lambda folder, place=place: flip(folder / "sweep.h5", place), ["sweep.h5\\b.*nothing is lost"])
    mended(r, "cut_short", lambda folder: (folder / "sweep.h5").write_bytes(file.read_bytes()[:-5000]), ["sweep.h5\\b.*nothing is lost"], ranks=2)
    mended(r, "empty_snapshot", lambda folder: (folder / "sweep.h5").write_bytes(b""), ["sweep.h5\\b.*nothing is lost"])
    mended(r, "no_snapshot", lambda folder: (folder / "sweep.h5").unlink(), ["sweep.h5\\b.*nothing is lost"])
    mended(r, "no_previous", lambda folder: (folder / "sweep.previous.h5").unlink(), [])
    mended(r, "flipped_previous", lambda folder: flip(folder / "sweep.previous.h5", places["status"]), ["sweep.previous.h5.*not needed"])
    mended(r, "half_made", lambda folder: (folder / "sweep.h5.partial").write_bytes(file.read_bytes()[:30000]), [])
    # the damage of several at once

    def much(folder):
        flip(folder / "sweep.h5", places["status"])
        for name in names:
            (folder / name).unlink()

    mended(r, "snapshot_and_journals", much, ["sweep.h5\\b.*done again"])

    folder = copy(r, "hopeless")
    for name in "sweep.h5", "sweep.previous.h5":
        flip(folder / name, places["strobe_displacement"])
    before = {path.name: path.read_bytes() for path in folder.glob("sweep.*")}
    done = r.run("hopeless", GRID, code=65)
    check("sweep.h5" in done.stderr, f"both snapshots damaged: {done.stderr}")
    check(before == {path.name: path.read_bytes() for path in folder.glob("sweep.*")}, "both snapshots damaged: files were changed")


def any_variable(r):
    """A flipped bit in every third variable of a cell that is done, or in one that is not: the data are right in the end."""
    with h5py.File(r.file("base"), "r") as file:
        names = [name for name, data in file.items() if len(getattr(data, "shape", ())) >= 3 and name != "wall_seconds"]
        done, pending = (tuple(np.argwhere((file["status"][()] != 0) == is_done)[-1]) for is_done in (True, False))
    check(len(names) > 20, f"variables of a cell: {names}")
    for name in names[::3]:
        place = place_of(r.file("base"), name, done)
        mended(r, f"bit_{name}", lambda folder, place=place: flip(folder / "sweep.h5", place), ["sweep.h5\\b.*nothing is lost"])
    mended(r, "bit_pending", lambda folder: flip(folder / "sweep.h5", place_of(r.file("base"), "peak_force", pending)), [])


def other_run(r):
    """Other physics is refused with the keys that differ, and nothing is touched; run control is free."""
    for folder in "base", "whole":
        before = r.listing(folder)
        done = r.run(folder, GRID, "-damping_ratio 0.05 -sweep_frequency 6:34:9", code=65, ranks=2)
        named = [key for key in ("damping_ratio", "sweep_frequency", "sweep_amplitude", "settle_periods") if key in done.stderr]
        check(named == ["damping_ratio", "sweep_frequency"], f"other physics: {done.stderr}")
        done = r.run(folder, GRID, "-sweep_direction up", code=65)
        check("sweep_direction" in done.stderr and "damping_ratio" not in done.stderr, f"other physics: {done.stderr}")
        r.run(folder, code=65, command="trajectory")
        check(before == r.listing(folder), f"{folder}: a refusal changed files")
    mended(r, "control", lambda folder: None, [])
    copy(r, "control2")
    r.run("control2", GRID, "-checkpoint_interval 0.01 -max_walltime 01:00:00 -walltime_margin 5 -quiet", ranks=5)
    r.same("control2", "whole", "other run control")


def complete(r):
    """A complete result is not touched, whatever the number of ranks and run control; nor does a dry run touch a part of one."""
    before = r.listing("whole")
    for ranks, options in (None, ""), (3, "-checkpoint_interval 1"):
        done = r.run("whole", GRID, options, ranks=ranks)
        check("nothing to do" in done.stdout, f"a complete result: {done.stdout}")
    check(before == r.listing("whole"), "a complete result was touched")
    left = {path.name for path in (r.folder / "whole").glob("sweep.*")}
    check(left == {"sweep.h5"}, f"a complete sweep keeps {left}")
    before = r.listing("base")
    r.run("base", GRID, "-dry_run")
    check(before == r.listing("base"), "a dry run touched the folder")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_faults_") as folder:
        r = Runs(folder)
        prepare(r)
        together(3, *[functools.partial(claim, r) for claim in (snapshots, journals, any_variable, other_run, complete)])
    return finish()


if __name__ == "__main__":
    sys.exit(main())
