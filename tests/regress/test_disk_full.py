# processors: 2
"""A disk that is full, fills in the middle of a sweep, or is read-only: exit code 74, one line, and the sweep goes on when there is room.

The disk is a limit on the size of files (RLIMIT_FSIZE), which can be set on a process that runs, a small tmpfs where it may be mounted, and
/dev/full. Silent when right.
"""

import contextlib
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, together  # noqa: E402

GRID = ("-sweep_amplitude 20:31:12 -sweep_frequency 12:14:41 -receptance_modes 40 -settle_periods 40 -sample_periods 16 -max_period 16 "
        "-max_contacts 24")
ONE = "-sweep_amplitude 30 -sweep_frequency 13 -receptance_modes 20 -settle_periods 20 -sample_periods 8 -max_period 8"
# Up to three ranks stop for a while at a cell each when 82 cells are done, or 123: time for the disk to fill.
PAUSE = {"GRAZE_FAULT": "cell:slow=4@8,0 cell:slow=4@7,0 cell:slow=4@6,0"}


def limit_to(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def one_line(code, out, err, text, ranks=None):
    """74 and a single line that names a file of the sweep, whichever finds no room first; mpirun adds its own when a rank leaves early."""
    ours = [line for line in err.splitlines() if line.startswith("graze: ")]
    check(code == 74, f"{text}: exit code {code}\n{out}{err}")
    named = any(name in line for name in ("sweep.", "events.jsonl") for line in ours)
    check(len(ours) == 1 and named and "PETSC ERROR" not in err and "HDF5" not in err, f"{text}: stderr is {err}")
    check(ranks or len(err.splitlines()) == 1, f"{text}: stderr is {err}")


def prefix_of(r, name, whole, text):
    """What an incomplete file has is what the undisturbed run has. How many cells that is."""
    with h5py.File(r.file(name), "r") as file:
        check(file.attrs["complete"] == 0, f"{text} passes for complete")
    part = r.read(name)
    finished = part["status"] != 0
    for key in part:
        if part[key].ndim >= 3:
            check(part[key][finished].tobytes() == whole[key][finished].tobytes(), f"{text}: {key} of finished cells differs")
    return int(finished.sum())


def full_at_once(r):
    """No room for the file: 74 before any cell, and no half file. 1000 contacts a cell need 22 MB; 8 MB are more than MPI's own files take."""
    for ranks in None, 2:
        done = r.run(f"full{ranks}", GRID, "-max_contacts 1000", ranks=ranks, code=74, preexec_fn=limit_to(8000000))
        check("sweep.h5" in done.stderr and "cells/s" not in done.stdout, f"full disk: {done.stdout}{done.stderr}")
        left = {p.name for p in (r.folder / f"full{ranks}").iterdir()}
        check("used_parameters.yaml" in left and not any(name.startswith("sweep.") for name in left), f"a half file was left: {left}")


def fills_later(r, whole, ranks, size, interval):
    """The limit falls on a run that has some cells done, on its journal or on a snapshot: 74, and nothing that was acknowledged is lost."""
    name, text = f"later{ranks}", f"disk full at {size} bytes, {ranks or 1} ranks"
    run = r.start(name, GRID, f"-checkpoint_interval {interval}", ranks=ranks, env=PAUSE)
    run.wait_for(lambda: r.finished(name) >= 82, "82 cells")
    pids = run.ranks()
    check(len(pids) == (ranks or 1), f"processes of {name}: {pids}")
    for pid in pids.values():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    one_line(run.end(), run.out, run.err, text, ranks)
    events = r.events(name)
    check(82 <= len(events) < whole["status"].size, f"{text}: {len(events)} finished cells")
    prefix_of(r, name, whole, text)
    check(r.state(name) != 0, f"{text}: graze info -state says complete")
    resumed(r, name, events, text)


def resumed(r, name, events, text):
    """With room again the same command goes on: what was acknowledged is not computed again, the file is that of an undisturbed run."""
    r.run(name, GRID, ranks=2)
    r.same(name, "whole", f"{text}, resumed")
    after = r.events(name)
    check(after[: len(events)] == events, f"{text}: acknowledged cells were lost")
    cells = [(e["unit"], e["step"]) for e in after]
    check(len(cells) == len(set(cells)), f"{text}: cells were computed again")


def private_mounts():
    """Start this test again where mounts are its own and vanish with it; true if that is so, false where the system does not let."""
    if "GRAZE_TEST_MOUNTS" in os.environ:
        return True
    for unshare in ["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]:
        with contextlib.suppress(OSError):
            if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], capture_output=True).returncode == 0:
                os.environ["GRAZE_TEST_MOUNTS"] = "yes"
                os.execvp(unshare[0], [*unshare, sys.executable, *sys.argv])
    print("left out: the disks that are full or read-only, since this system lets nobody mount a tmpfs (unshare --mount)")
    return False


@contextlib.contextmanager
def mounted(r, name, size):
    """A tmpfs of `size` KiB by that name."""
    place = r.folder / name
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def remount(place, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True, capture_output=True)


def no_room(r):
    """A disk without room for the file."""
    with mounted(r, "small", r.file("whole").stat().st_size // 2048):
        for ranks in None, 2:
            done = r.run("small/none", GRID, ranks=ranks, code=74)
            check("cells/s" not in done.stdout and not r.file("small/none").exists(), f"no room for the file: {done.stdout}")


def neighbour_fills(r, whole, ranks):
    """A disk that a neighbour fills while the sweep runs, that is still full the next time, and then has room again."""
    with mounted(r, f"filling{ranks}", 8 * r.file("whole").stat().st_size // 1024) as place:
        name, text = f"filling{ranks}/run", f"a disk that fills, {ranks or 1} ranks"
        run = r.start(name, GRID, "-checkpoint_interval 0.05", ranks=ranks, env=PAUSE)
        run.wait_for(lambda: r.finished(name) >= 82, "82 cells")
        neighbour = place / "neighbour"
        with neighbour.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        one_line(run.end(), run.out, run.err, text, ranks)
        events = r.events(name)
        check(prefix_of(r, name, whole, text) <= len(events) < whole["status"].size, f"{text}: {len(events)} finished cells")
        again = r.start(name, GRID, ranks=ranks)
        one_line(again.end(), again.out, again.err, f"{text}, again", ranks)
        neighbour.unlink()
        resumed(r, name, events, text)


def read_only(r):
    """Root's rights do not get around a read-only disk: first start and resume are 74, nothing is computed."""
    with mounted(r, "fixed", 8 * r.file("whole").stat().st_size // 1024) as place:
        r.start("fixed/part", GRID, env={"GRAZE_FAULT": "cell:kill@9,20"}).end(-9)
        r.run("fixed/complete", ONE)
        before = r.listing("fixed")
        remount(place, "ro")
        for name in "new", "part":
            for ranks in None, 2:
                done = r.run(f"fixed/{name}", GRID, ranks=ranks, code=74)
                check("ead-only" in done.stderr and "cells/s" not in done.stdout, f"read-only folder, {name}: {done.stdout}{done.stderr}")
        r.run("fixed/complete", ONE)
        check(r.state("fixed/part") == 85 and r.state("fixed/complete") == 0, "graze info -state on a read-only disk")
        check(before == r.listing("fixed"), "a read-only disk has changed")
        remount(place, "rw")
        resumed(r, "fixed/part", r.events("fixed/part"), "read-only")


def no_log(r):
    """A log that cannot be opened is 74; one that cannot take more is no reason to lose the run. used_parameters.yaml is needed: 74."""
    for file in "log.txt", "used_parameters.yaml", "sweep.h5.partial":
        name = f"folder_for_{file}"
        (r.folder / name / file).mkdir(parents=True)
        done = r.run(name, ONE, code=74)
        check(file in done.stderr, f"a folder by the name of {file}: {done.stderr}")
        check(not r.file(name).exists(), f"a folder by the name of {file}: a result")
    (r.folder / "full_log").mkdir()
    (r.folder / "full_log" / "log.txt").symlink_to("/dev/full")
    r.run("full_log", ONE)
    r.run("good", ONE)
    r.same("full_log", "good", "a log on a full disk")
    (r.folder / "full_yaml").mkdir()
    (r.folder / "full_yaml" / "used_parameters.yaml").symlink_to("/dev/full")
    done = r.run("full_yaml", ONE, code=74)
    check("used_parameters.yaml" in done.stderr and "space" in done.stderr, f"used_parameters.yaml on a full disk: {done.stderr}")


def main():
    mounts = private_mounts()
    with tempfile.TemporaryDirectory(prefix="graze_disk_full_") as folder:
        r = Runs(folder)
        r.run("whole", GRID, ranks=2)
        whole = r.read("whole")
        on_tmpfs = lambda: no_room(r), lambda: neighbour_fills(r, whole, None), lambda: neighbour_fills(r, whole, 3), lambda: read_only(r)
        together(
            3,
            lambda: full_at_once(r),
            lambda: fills_later(r, whole, None, 20000, 10),
            lambda: fills_later(r, whole, 3, 20000, 10),
            lambda: fills_later(r, whole, 2, 60000, 0.01),
            lambda: no_log(r),
            *(on_tmpfs if mounts else ()),
        )
    return finish()


if __name__ == "__main__":
    sys.exit(main())
