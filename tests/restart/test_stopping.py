# processors: 2
"""A sweep that is asked to stop, or must before its time is over, saves, says 85 and goes on when the same command comes again.

Cells are made slow where a session has to last; nothing depends on how fast they are. Silent when right.
"""

import pathlib
import signal
import sys
import tempfile
import time

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import PATIENCE, Runs, check, finish, together  # noqa: E402

SMALL = "-receptance_modes 8 -settle_periods 40 -sample_periods 16 -max_period 8 -max_contacts 12"
GRID = f"{SMALL} -sweep_amplitude 10:50:5 -sweep_frequency 6:34:8 -sweep_direction both"
# One cell that takes minutes, with looks at the clock in between.
LONG = f"{SMALL} -sweep_amplitude 60 -sweep_frequency 12 -settle_periods 1000000 -max_periods 1000100 -receptance_modes 100"


def slow(seconds):
    """Every cell of the last four lines takes longer by so much: 32 cells, begun when the others are done."""
    return {"GRAZE_FAULT": " ".join(f"cell:slow={seconds}@{unit},{step}" for unit in (0, 1, 5, 6) for step in range(8))}


def generation(r, name):
    with h5py.File(r.file(name), "r") as file:
        return int(file["provenance"].attrs["generation"])


def resume(r, name, text, ranks=None):
    check(r.state(name) == 85, f"{text}: graze info -state says {r.state(name)}")
    r.run(name, GRID, ranks=ranks)
    r.same(name, "whole", text)


def stopped(r, name, run, ask, text, code=85):
    """Ask once some cells are done; the run saves what it has and ends."""
    run.wait_for(lambda: r.finished(name) > 15, "some cells")
    ask()
    ended = run.end(code)
    ours = [line for line in run.err.splitlines() if line.startswith("graze: ")]
    check(len(ours) == 1 and "PETSC ERROR" not in run.err, f"{text}, exit code {ended}: stderr is\n{run.err}")
    done = len(r.events(name))
    check(15 < done < 80, f"{text}: {done} of 80 cells were done")
    saved = int((r.read(name)["status"] != 0).sum())
    check(saved == done, f"{text}: the snapshot has {saved} of {done} cells")


def signals(r, name, number, ranks, code):
    run = r.start(name, GRID, ranks=ranks, env=slow(0.4))
    stopped(r, name, run, lambda: run.process.send_signal(number), name, code)
    check(run.process.returncode != 0, f"{name}: exit code 0")
    resume(r, name, name, ranks=5 if ranks else 2)


def stop_file(r):
    run = r.start("stop_file", GRID, ranks=2, env=slow(0.4))
    stopped(r, "stop_file", run, lambda: (r.folder / "stop_file" / "STOP").touch(), "STOP")
    check(not (r.folder / "stop_file" / "STOP").exists(), "STOP was obeyed and is still there: the next run would stop, too")
    resume(r, "stop_file", "STOP")


def save_and_go_on(r):
    """SIGUSR2: a snapshot with what is done, and the run goes on to its end."""
    run = r.start("usr2", GRID, ranks=2, env={"GRAZE_FAULT": "cell:slow=3@3,7"})
    run.wait_for(lambda: r.finished("usr2") > 15, "some cells")
    before = generation(r, "usr2")
    run.process.send_signal(signal.SIGUSR2)
    check(run.wait_for(lambda: generation(r, "usr2") > before, "a snapshot"), "SIGUSR2 made no snapshot")
    run.end(0)
    r.same("usr2", "whole", "SIGUSR2")


def at_once(r):
    """A second SIGTERM does not wait for anything; nor is anything lost that was acknowledged."""
    run = r.start("at_once", GRID, env={"GRAZE_FAULT": f"cell:slow={4 * PATIENCE}@3,5"})
    run.wait_for(lambda: r.finished("at_once") == 21, "the cell that sleeps")
    run.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)  # two signals at once are one; the cell sleeps for minutes, and no wait makes it end
    check(run.process.poll() is None, "the first SIGTERM did not wait for the cell")
    run.process.send_signal(signal.SIGTERM)
    run.end(-signal.SIGTERM)
    events = r.events("at_once")
    check(len(events) == 21, f"a second SIGTERM: {len(events)} cells are left")
    resume(r, "at_once", "a second SIGTERM", ranks=2)
    check(r.events("at_once")[:21] == events and len(r.events("at_once")) == 80, "a second SIGTERM: acknowledged cells were lost")


def inside_a_cell(r):
    """Signals and the clock are looked at within a cell, too, by root and by the others."""
    for name, ranks in ("inside", None), ("inside2", 2):
        begun = r.folder / f"{name}.cells"
        run = r.start(name, LONG, ranks=ranks, env={"GRAZE_FAULT_CELLS": str(begun)})
        run.wait_for(begun.exists, "the cell")
        run.process.send_signal(signal.SIGUSR1)
        run.end(85)
        check(r.state(name) == 85 and not r.events(name), f"{name}: stopped within the cell, {r.events(name)}")
    r.start("inside", LONG, "-max_walltime 00:00:30 -walltime_margin 20").end(85)
    check(not r.events("inside"), f"the time limit within a cell: {r.events('inside')}")
    check(r.state("inside") == 1, "a session that came back to no progress: the same command again would be no better")


def refused(r):
    """A limit that leaves no time is refused; no result is begun, none is changed."""
    for given in "-max_walltime 00:00:30 -walltime_margin 30", "-max_walltime 00:00:59", "-max_walltime 1h":
        r.run("refused", GRID, given, code=64)
        check(not r.file("refused").exists(), f"{given}: a result was begun")


def time_limit(r, name, given, env):
    """The run stops early enough, and the next goes on. 40 s, of which 20 are kept; what there is to do takes 40 s at least."""
    begin = time.time()
    if "SLURM_JOB_ID" in env:
        env = env | {"SLURM_JOB_END_TIME": str(int(begin) + 40)}
    run = r.start(name, GRID, given, ranks=2, env=slow(2.5) | env)
    run.end(85)
    check(time.time() < begin + 40, f"{name}: the limit of 40 s was overrun, {time.time() - begin:.0f} s")
    done = len(r.events(name))
    check(15 < done < 80, f"{name}: {done} of 80 cells were done")
    before = r.read(name)["checksum"].tobytes(), r.events(name)
    r.run(name, GRID, "-max_walltime 00:00:20 -walltime_margin 30", code=64)
    check(before == (r.read(name)["checksum"].tobytes(), r.events(name)), f"{name}: a refused limit changed the result")
    check(r.state(name) == 85, f"{name}: after a refused limit graze info -state says {r.state(name)}")
    r.run(name, GRID, ranks=3)
    r.same(name, "whole", name)


def two_at_once(r):
    """The second on one folder refuses, also with -overwrite, and harms nothing."""
    first = r.start("two", GRID, ranks=2, env={"GRAZE_FAULT": "cell:hang@3,5"})
    first.wait_for(lambda: r.finished("two") > 15, "some cells")
    for run in [r.start("two", GRID, options) for options in ("", "-overwrite")]:
        run.end(65)
        check(run.err.count("graze: ") == 1 and "another graze is at work" in run.err, f"the second run: {run.err}")
    check(not (r.folder / "two.1").exists(), "a folder was moved aside under a run at work")
    first.kill(first.process.pid)
    first.end()
    resume(r, "two", "two at once")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_stopping_") as folder:
        r = Runs(folder)
        r.run("whole", GRID, ranks=2)
        together(
            3,
            lambda: time_limit(r, "limit", "-max_walltime 00:00:40 -walltime_margin 20", {}),
            lambda: time_limit(r, "job", "-walltime_margin 20", {"SLURM_JOB_ID": "1"}),
            lambda: inside_a_cell(r),
            lambda: two_at_once(r),
            lambda: signals(r, "usr1", signal.SIGUSR1, 3, 85),
            lambda: signals(r, "usr1_alone", signal.SIGUSR1, None, 85),
            lambda: signals(r, "int_alone", signal.SIGINT, None, 85),
            lambda: signals(r, "term", signal.SIGTERM, 2, None),
            lambda: signals(r, "term_alone", signal.SIGTERM, None, 85),
            lambda: stop_file(r),
            lambda: save_and_go_on(r),
            lambda: at_once(r),
            lambda: refused(r),
        )
    return finish()


if __name__ == "__main__":
    sys.exit(main())
