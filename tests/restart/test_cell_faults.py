# processors: 2
"""Cells that kill, hang or break the rank that computes them: the job ends, the cell is named, and the rest gets done.

A rank that dies of its own signal leaves a record; one that is killed does not, and its cell gets three chances, the last one alone. Silent
when right.
"""

import functools
import pathlib
import sys
import tempfile
import threading
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, together  # noqa: E402

SMALL = "-receptance_modes 8 -settle_periods 40 -sample_periods 16 -max_period 8 -max_contacts 12"
AMPLITUDES, FREQUENCIES = "10:50:5", "6:34:8"
GRID = f"{SMALL} -sweep_amplitude {AMPLITUDES} -sweep_frequency {FREQUENCIES} -sweep_direction both"
CRASHED = 7
LINE, STEP = 2, 3       # unit 2 is the up line of amplitude 30
CELL = (0, LINE, STEP)  # direction, amplitude, frequency
FAULT = f"{LINE},{STEP}"
ALL = {(unit, step) for unit in range(10) for step in range(8)}


def cells_of(data):
    return [name for name in data if data[name].ndim >= 3]


def same_but_for(r, name, cells, text):
    """`name` is the undisturbed run but in `cells` (a mask); those that may differ are looked at by the caller."""
    data, whole = r.read(name), r.read("whole")
    check(data.keys() == whole.keys(), f"{text}: other data sets")
    for key in data:
        one, other = data[key], whole[key]
        if one.ndim >= 3:
            one, other = one[~cells], other[~cells]
        check(one.tobytes() == other.tobytes(), f"{text}: {key} differs from an undisturbed run")
    return data, whole


def rest_of_line(first):
    mask = np.zeros((2, 5, 8), bool)
    mask[0, LINE, first:] = True
    return mask


def restarts(r, data, text):
    """The cells after the crashed one are those of a line that begins there."""
    fresh = r.read("fresh")  # frequencies 22:34:4, the same numbers
    for key in cells_of(data):
        same = data[key][0, LINE, STEP + 1:].tobytes() == fresh[key][0, 0].tobytes()
        check(same, f"{text}: {key} after the crashed cell is not that of a line that begins there")


def crash(r, fault, ranks, code):
    """A rank that dies of its own: the job ends at once, the next marks the cell and goes on, -retry failed does that cell alone again."""
    name = f"{fault}{ranks}"
    ended = r.start(name, GRID, ranks=ranks, env={"GRAZE_FAULT": f"cell:{fault}@{FAULT}"}).end(code)
    check(ended != 0, f"{name}: a rank died and the exit code is 0")
    check(r.state(name) == 85, f"{name}: graze info -state after a crash is not 85")
    done = r.run(name, GRID, ranks=2 if ranks == 1 else 1)
    check("marked crashed" in done.stdout, f"{name}: nothing is said of the crashed cell\n{done.stdout}")
    data, _ = same_but_for(r, name, rest_of_line(STEP), f"{name} resumed")
    crashed(r, name, data)
    check(not list((r.folder / name).glob("crash.*")), f"{name}: crash records are left")
    check(r.state(name) == 0, f"{name}: not complete with a crashed cell")

    before = r.events(name)
    r.run(name, GRID, "-retry failed", ranks=ranks)
    new = r.events(name)[len(before):]
    check([(e["unit"], e["step"]) for e in new] == [(LINE, STEP)], f"{name}: -retry failed computed {new}")
    # the cell itself starts from its neighbour as ever; those after it had started afresh and stay as they are
    data, whole = same_but_for(r, name, rest_of_line(STEP + 1), f"{name} retried")
    restarts(r, data, f"{name} retried")
    starts = data["segment_start"][0, LINE, STEP + 1], whole["segment_start"][0, LINE, STEP + 1]
    check(starts == (1, 0), f"{name}: segment_start of the cell after the crashed one is {starts[0]}, undisturbed {starts[1]}")


def crashed(r, text, data):
    """That one cell, and no other, is marked, has no data, and those after it start anew."""
    check(data["status"][CELL] == CRASHED and np.count_nonzero(data["status"] == CRASHED) == 1, f"{text}: status {data['status'].tolist()}")
    check(np.isnan(data["strobe_displacement"][CELL]).all(), f"{text}: a crashed cell has data")
    restarts(r, data, text)


def retry_nothing(r):
    """Nothing has failed: -retry failed computes nothing and leaves the data as they were."""
    r.run("good", GRID)
    events = r.events("good")
    r.run("good", GRID, "-retry failed", ranks=2)
    check(r.events("good") == events, "-retry failed without failed cells computed something")
    r.same("good", "whole", "-retry failed without failed cells")
    check(r.state("good") == 0, "-retry failed without failed cells: not complete any more")


def killed(r):
    """A rank that is killed: not the cell's fault, until it happens again and again, the last time with that cell alone."""
    fault = {"GRAZE_FAULT": f"cell:kill@{FAULT}"}
    for name, ranks in ("kill2", 2), ("kill0", None):
        for session in range(2):
            ended = r.start(name, GRID, ranks=ranks, env=fault).end()
            check(ended != 0, f"{name}, session {session}: exit code {ended}")
    # the third time: everything else first, then that cell alone
    ended = r.start("kill2", GRID, ranks=3, env=fault).end()
    check(ended != 0, f"alone: exit code {ended}")
    left = {(LINE, step) for step in range(STEP, 8)}
    cells = {(e["unit"], e["step"]) for e in r.events("kill2")}
    check(cells == ALL - left, f"before the cell alone: {80 - len(cells)} cells are left")
    r.run("kill2", GRID, ranks=2, env=fault)
    data, _ = same_but_for(r, "kill2", rest_of_line(STEP), "killed three times")
    crashed(r, "killed three times", data)
    # killed twice, then not: the cell was innocent
    r.run("kill0", GRID, ranks=2)
    r.same("kill0", "whole", "killed twice")


class Hang:
    """A rank that does not come back: named in status.json, and at the time limit root saves and ends the job. Of six ranks root only serves."""

    def __init__(self, r):
        self.r, self.silent = r, []
        self.run = r.start("hang", GRID, "-max_walltime 00:00:40 -walltime_margin 5", ranks=6, env={"GRAZE_FAULT": f"cell:hang@{FAULT}"})
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while self.run.process.poll() is None and not self.silent:
            self.silent = [rank for rank in self.r.status("hang").get("ranks", []) if rank.get("silent")]
            time.sleep(0.1)

    def finish(self):
        r = self.r
        ended = self.run.end(85)
        self.watcher.join()
        check(len(self.silent) == 1, f"hang: silent in status.json: {self.silent}; at the end {r.status('hang')}")
        check("did not come back" in self.run.err, f"hang, exit code {ended}: {self.run.err}")
        left = {(LINE, step) for step in range(STEP, 8)}
        cells = {(e["unit"], e["step"]) for e in r.events("hang")}
        check(cells == ALL - left, f"hang: {80 - len(cells)} cells are left")
        check(r.state("hang") == 85, "hang: graze info -state")
        r.run("hang", GRID, ranks=2)
        r.same("hang", "whole", "resumed after a rank that hung")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_cell_faults_") as folder:
        r = Runs(folder)
        r.run("whole", GRID, ranks=2)
        r.run("fresh", f"{SMALL} -sweep_amplitude 30 -sweep_frequency 22:34:4")
        hang = Hang(r)  # it waits for its time limit while the others work
        cases = ("segv", 2, None), ("abort", 3, None), ("fpe", 1, None), ("bus", 5, None), ("error", 2, 70), ("segv", None, -11)
        together(4, *[functools.partial(crash, r, *case) for case in cases], lambda: killed(r), lambda: retry_nothing(r))
        hang.finish()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
