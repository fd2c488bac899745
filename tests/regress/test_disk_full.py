# processors: 2
"""A disk that is full, or fills in the middle of a sweep: exit code 74, one line, and what is in the file stays readable and right.

The disk is a limit on the size of files (RLIMIT_FSIZE), which can be set on a process that runs, and /dev/full. Silent when right.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import ENVIRONMENT, Runs, check, finish, launch  # noqa: E402

GRID = ("-sweep_amplitude 20:31:12 -sweep_frequency 12:14:41 -receptance_modes 40 -settle_periods 40 -sample_periods 16 -max_period 16 "
        "-max_contacts 24")
ONE = "-sweep_amplitude 30 -sweep_frequency 13 -receptance_modes 20 -settle_periods 20 -sample_periods 8 -max_period 8"


def limit_to(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def full_at_once(r):
    """No room for the file: 74 before any cell, and no half file. 1000 contacts a cell need 22 MB; 8 MB are more than MPI's own files take."""
    for ranks in None, 2:
        done = r.run(f"full{ranks}", GRID, "-max_contacts 1000", ranks=ranks, code=74, preexec_fn=limit_to(8000000))
        check("sweep.h5" in done.stderr and "cells/s" not in done.stdout, f"full disk: {done.stdout}{done.stderr}")
        check({p.name for p in (r.folder / f"full{ranks}").iterdir()} == {"log.txt", "used_parameters.yaml"}, "a half file was left")


def ranks_of(process, ranks):
    """Process ids of the ranks of a run."""
    if not ranks:
        return [process.pid]
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"OMPI_COMM_WORLD_SIZE={ranks}\0".encode() in (entry / "environ").read_bytes():
                if f"GRAZE_TEST={process.token}\0".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
        except OSError:  # another's process, or one that just ended
            pass
    return found


def fills_later(r):
    """The limit falls on a run that has some lines done: 74, and those lines stay, equal to those of an undisturbed run."""
    r.run("whole", GRID, ranks=2)
    whole = r.read("whole")
    for ranks in None, 3:
        name, token = f"later{ranks}", f"{os.getpid()}-{ranks}"
        process = subprocess.Popen([*launch(ranks), *r.words(name, [GRID])], env=dict(ENVIRONMENT, GRAZE_TEST=token), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.token = token
        done, give_up = 0, time.monotonic() + 60
        while done < 82 and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.01)
            try:
                with h5py.File(r.file(name), "r") as file:
                    done = np.count_nonzero(file["status"])
            except (OSError, KeyError):  # not there yet, or a write under way
                pass
        pids = ranks_of(process, ranks)
        check(len(pids) == (ranks or 1), f"processes of {name}: {pids}")
        for pid in pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (50000, resource.RLIM_INFINITY))
        out, err = process.communicate(timeout=60)
        ours = [line for line in err.splitlines() if line.startswith("graze: ")]
        check(process.returncode == 74, f"{name}: exit code {process.returncode}\n{out}{err}")
        check(len(ours) == 1 and "sweep.h5" in ours[0] and "PETSC ERROR" not in err and "HDF5" not in err, f"{name}: stderr is {err}")
        check(ranks or len(err.splitlines()) == 1, f"{name}: stderr is {err}")
        with h5py.File(r.file(name), "r") as file:
            check(file.attrs["complete"] == 0, f"{name} passes for complete")
        part = r.read(name)
        finished = part["status"] != 0
        check(82 <= finished.sum() < finished.size, f"{name}: {finished.sum()} finished cells")
        for key in part:
            if part[key].ndim >= 3:
                check(part[key][finished].tobytes() == whole[key][finished].tobytes(), f"{name}: {key} of finished lines differs")
        r.run(name, GRID, code=65)


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
    with tempfile.TemporaryDirectory(prefix="graze_disk_full_") as folder:
        r = Runs(folder)
        full_at_once(r)
        fills_later(r)
        no_log(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
