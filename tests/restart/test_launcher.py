# processors: 2
"""Started by the wrong launcher: N processes that each believe to be alone must not run N sweeps on one folder. Silent when right."""

import os
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish  # noqa: E402

ONE = "-sweep_amplitude 30 -sweep_frequency 12:13:2 -receptance_modes 8 -settle_periods 20 -sample_periods 8 -max_period 8"
FOUR = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"}


def singletons(r):
    """Of a step of four tasks, without a launcher's variables: stopped with the explanation, whatever the task, and no folder."""
    for task in "0", "3":
        done = r.run("four", ONE, code=64, env=FOUR | {"SLURM_PROCID": task})
        check("4" in done.stderr and "srun" in done.stderr and "mpi" in done.stderr, f"singletons: {done.stderr}")
    check(not (r.folder / "four").exists(), "singletons left a folder behind")
    # a step of one task is what it looks like
    r.run("one", ONE, env=FOUR | {"SLURM_STEP_NUM_TASKS": "1"})
    # a batch script has tasks, but is no step of them
    r.run("batch", ONE, env={"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4"})


def inside_a_job(r):
    """graze info, help and mpirun -n 1 work inside a job of four tasks, as do two ranks under mpirun."""
    r.run("mpirun1", ONE, ranks=1, env=FOUR)
    r.run("mpirun2", ONE, ranks=2, env=FOUR)
    r.same("mpirun1", "mpirun2", "one rank and two")
    folder = r.folder / "mpirun1"
    for words in ["info", folder / "sweep.h5"], ["info", folder], ["info", "-state", folder], ["help", "sweep"], ["--version"]:
        done = r.graze(*words, env=FOUR)
        check(done.returncode == 0 and not done.stderr, f"graze {words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def threads(r):
    """One thread a rank, unless the user says otherwise: as squeue sees it, which the program asks for the time limit of a job."""
    tool, answer = r.folder / "bin" / "squeue", r.folder / "answer"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "$OMP_NUM_THREADS $OPENBLAS_NUM_THREADS" >>{answer}\necho 01:00:00\n')
    tool.chmod(0o755)
    slurm = {"SLURM_JOB_ID": "7", "PATH": f"{tool.parent}:{os.environ['PATH']}"}
    for name, omp, blas, seen in ("pinned", None, None, "1 1"), ("kept", "3", "2", "3 2"):
        answer.unlink(missing_ok=True)
        done = r.run(name, ONE, env=slurm | {"OMP_NUM_THREADS": omp, "OPENBLAS_NUM_THREADS": blas})
        found = answer.read_text().splitlines() if answer.exists() else []
        check(found == [seen], f"{name}: threads of OpenMP and OpenBLAS are {found}, not {seen}\n{done.stdout}")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_launcher_") as folder:
        r = Runs(folder)
        singletons(r)
        inside_a_job(r)
        threads(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
