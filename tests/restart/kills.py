"""Kill a sweep again and again, resume it with another number of ranks each time, and count what that cost.

A campaign is a list of kills, drawn from a seed. Folder after folder is filled: started, killed, resumed, killed, ... until its sweep is
complete and compared with a run that nobody disturbed. A session that completes before its kill has cost nothing: the kill stays to be done.

What is claimed of every kill
* No acknowledged cell (a whole line of events.jsonl) is lost: it stays in events.jsonl and is not computed again.
* What is computed again is what was begun and not acknowledged (GRAZE_FAULT_CELLS says what was begun): at most two cells a rank, the one in
  work and the one on its way to root.
* The launcher ends with a code other than 0, and no rank outlives it for long.
* graze info -state says 85: come back.
and of every folder: data sets and attributes are those of the undisturbed run to the bit, and every cell was acknowledged once.
"""

import collections
import functools
import random
import shutil
import signal
import subprocess
import time

from sweeps import PATIENCE, bytes_different, check, differences, together

PLACES = "start", "journal_write", "snapshot", "rename"
VICTIMS = "root", "worker", "mpirun"
RANKS = 1, 2, 3, 5
LANES = 3  # each with up to five ranks at work
EACH_PLACE = 3  # hits of each place in CI; a tenth of the kills if that is more

# Few modes: a cell takes 1 to 10 ms. All kinds of lines, with hysteresis, contact-free, periodic and aperiodic cells.
CELLS = "-receptance_modes 8 -settle_periods 200 -sample_periods 16 -max_period 8 -max_periods 400 -max_contacts 12"
GRIDS = (
    "-sweep_amplitude 10:52:7 -sweep_frequency 6:36:31 -sweep_direction both",
    "-sweep_amplitude 10:50:21 -sweep_frequency 6:36:11 -sweep_direction both -sweep_along amplitude",
    "-sweep_amplitude 10:58:9 -sweep_frequency 6:34:43 -sweep_direction down -sweep_segment 10",
    "-sweep_amplitude 12:48:25 -sweep_frequency 5:37:9 -sweep_direction both -sweep_along amplitude -sweep_segment 7",
)


class Kill:
    """One kill to be done: whom, and when. place: None for a random moment."""

    def __init__(self, rng, victim, place):
        self.victim, self.place = victim, place
        self.early = place is None and rng.random() < 0.15  # some time after the launch, else some time after a finished cell
        self.cells = rng.randrange(1, 120)  # of the session, before the moment or before the snapshot asked for
        self.delay = rng.uniform(0, 1.2) if self.early else rng.uniform(0, 0.05)
        # root passes a snapshot when it recovers, then whenever it is asked to save
        self.passage = {None: 0, "start": 1, "journal_write": rng.randrange(1, 200)}.get(place, rng.choice((1, 2, 3)))

    def __str__(self):
        moment = f"{'launch' if self.early else f'{self.cells} cells'} + {self.delay:.3f} s"
        return f"{self.victim} at {f'{self.place} {self.passage}' if self.place else moment}"


def plan(rng, n):
    """n kills: every place as often as asked for, victims in equal numbers, in random order."""
    places = [place for place in PLACES for _ in range(max(EACH_PLACE, n // 10))]
    places += [None] * (n - len(places))
    victims = [VICTIMS[i % len(VICTIMS)] for i in range(n)]
    rng.shuffle(victims)
    kills = [Kill(rng, victim, place) for victim, place in zip(victims, places)]
    rng.shuffle(kills)
    return kills


class Lane:
    """Kills done one after the other, folder after folder."""

    def __init__(self, runs, name, todo, seed):
        self.runs, self.name, self.todo, self.seed = runs, name, list(todo), seed
        self.rng = random.Random(f"{seed} {name}")
        self.done = collections.Counter()  # kills by victim, by place, after a finished cell of their session
        self.again, self.most_again = 0, 0.0  # cells computed again; the most of one kill, per rank
        self.different = self.folders = self.sessions = 0
        self.outlived = 0.0  # s that a rank outlived a killed launcher, at most
        self.history = []
        self.starts = collections.Counter()  # of each cell of the present folder

    def begun(self, path):
        """Cells begun in a session, by (unit, step)."""
        cells = [tuple(map(int, line.split())) for line in path.read_text().splitlines()] if path.exists() else []
        self.starts.update(cells)
        return set(cells)

    def moment(self, name, run, kill, before, mark):
        """Wait for the moment of a kill; false if the run ended before."""
        r, asked = self.runs, time.monotonic()

        def passed():
            nonlocal asked
            if mark.exists() and kill.place in mark.read_text():
                return True
            if kill.place in ("snapshot", "rename") and r.finished(name) >= before + kill.cells and time.monotonic() > asked + 0.1:
                asked = time.monotonic()
                run.process.send_signal(signal.SIGUSR2)  # save, and go on
            return False

        if kill.place:
            return run.wait_for(passed, f"{kill.place} to be passed")
        if not kill.early and not run.wait_for(lambda: r.finished(name) >= before + kill.cells, f"{kill.cells} cells"):
            return False
        moment = time.monotonic() + kill.delay
        return run.wait_for(lambda: time.monotonic() >= moment, "the moment") and run.process.poll() is None

    def session(self, name, options, kill, ranks):
        """One run; true if the kill hit it, false if it was complete before."""
        r = self.runs
        mark, begun = (r.folder / f"{self.name}.{what}{self.sessions}" for what in ("mark", "begun"))
        env = {"GRAZE_FAULT_MARK": str(mark), "GRAZE_FAULT_CELLS": str(begun)}
        if kill.place:
            env["GRAZE_FAULT"] = f"{kill.place}:sleep={4 * PATIENCE}@{kill.passage}"
        self.sessions += 1
        self.history.append(f"{name}: {ranks} ranks, {kill}")
        before = r.events(name)
        run = r.start(name, options, ranks=ranks, env=env)
        hit = self.moment(name, run, kill, len(before), mark)
        if hit and kill.victim != "mpirun":
            victim = 0 if kill.victim == "root" else self.rng.randrange(1, ranks)
            hit = run.wait_for(lambda: victim in run.ranks(), "the victim to be there")  # early kills: after the launcher
            run.kill(run.ranks().get(victim, run.process.pid))
        elif hit:
            run.kill(run.process.pid)
        code = run.end()
        events, cells = r.events(name), self.begun(begun)
        self.check_events(name, before, events)
        if code == 0:
            return False
        if check(hit, f"{self.text()}\nexit code {code} before the kill\n{run.out}{run.err}"):
            self.count(name, kill, ranks, run, events, len(events) > len(before), cells)
        return True

    def count(self, name, kill, ranks, run, events, after, begun):
        """What a kill cost."""
        lost = len(begun - {(e["unit"], e["step"]) for e in events})
        check(lost <= 2 * ranks, f"{self.text()}\n{lost} cells of {ranks} ranks were begun and not acknowledged")
        self.most_again = max(self.most_again, lost / ranks)
        if kill.victim == "mpirun":
            self.outlived = max(self.outlived, run.outlived)
        self.done.update([kill.victim, kill.place or "random moment", "kills"] + ["after a finished cell"] * after)
        if self.runs.file(name).exists():
            state, complete = self.runs.state(name), self.runs.complete(name)  # a kill may come when all has been written
            check(state == (0 if complete else 85), f"{self.text()}\nafter a kill graze info -state says {state}")

    def check_events(self, name, before, events):
        """What was acknowledged once stays so, and is not computed again."""
        check(events[: len(before)] == before, f"{self.text()}\n{name}: acknowledged cells were lost from events.jsonl")
        cells = collections.Counter((e["unit"], e["step"]) for e in events)
        twice = [cell for cell, n in cells.items() if n > 1]
        check(not twice, f"{self.text()}\n{name}: (unit, step) {twice[:5]} were computed again after they had been acknowledged")

    def folder(self, grid, reference):
        """One folder from its first session to its complete file."""
        name = f"{self.name}.folder{self.folders}"
        self.folders += 1
        options = f"{CELLS} {grid} -checkpoint_interval {self.rng.choice(('0.01', '0.02', '0.05'))}"
        ranks, complete = 0, False
        while self.todo and not complete:
            kill = self.todo[0]
            ranks = self.rng.choice([n for n in RANKS if n != ranks and (n > 1 or kill.victim != "worker")])
            complete = not self.session(name, options, kill, ranks)
            if not complete:
                self.todo.pop(0)
        if not complete:
            begun = self.runs.folder / f"{name}.begun"
            self.runs.run(name, options, ranks=self.rng.choice([n for n in RANKS if n != ranks]), env={"GRAZE_FAULT_CELLS": str(begun)})
            self.begun(begun)
        self.again += sum(self.starts.values()) - len(self.starts)
        self.starts.clear()
        all_there = len(self.runs.events(name)) == self.runs.read(name)["status"].size
        check(all_there, f"{self.text()}\n{name}: cells without a line in events.jsonl")
        one, other = self.runs.file(name), self.runs.file(reference)
        self.different += bytes_different(one, other)
        found = differences(one, other)
        check(not found, f"{self.text()}\n{name} differs from an undisturbed run in {', '.join(found)}")
        tool = shutil.which("h5diff")
        if tool:
            left_out = ["--exclude-path", "/wall_seconds", "--exclude-path", "/provenance"]
            diff = subprocess.run([tool, *left_out, one, other], capture_output=True, text=True)
            check(diff.returncode == 0, f"{self.text()}\nh5diff: {diff.stdout}{diff.stderr}")
        check(self.runs.state(name) == 0, f"{name} is complete, and graze info -state does not say so")
        shutil.rmtree(self.runs.folder / name)

    def run(self, references):
        """references: the undisturbed runs, by grid."""
        while self.todo:
            self.folder(*list(references.items())[(self.folders + "abc".index(self.name)) % len(references)])

    def text(self):
        return f"seed {self.seed}, the last sessions of this lane:\n" + "\n".join(self.history[-12:])


class Campaign:
    """n kills from a seed, shared out to lanes that run at the same time: most of a kill is waiting for the launcher."""

    def __init__(self, runs, n, seed):
        rng = random.Random(seed)
        kills = plan(rng, n)
        self.runs, self.seed = runs, seed
        self.lanes = [Lane(runs, "abc"[i], kills[i::LANES], seed) for i in range(LANES)]

    def run(self):
        references = {grid: f"reference{i}" for i, grid in enumerate(GRIDS)}
        together(2, *[functools.partial(self.runs.run, name, CELLS, grid, ranks=2) for grid, name in references.items()])
        together(LANES, *[functools.partial(lane.run, references) for lane in self.lanes])
        n = self.total("done")
        check(2 * n["after a finished cell"] >= n["kills"], f"seed {self.seed}: too few kills after a finished cell: {n}")
        check(all(n[place] >= EACH_PLACE for place in PLACES), f"seed {self.seed}: too few kills at a place: {n}")

    def total(self, name):
        first, *others = (getattr(lane, name) for lane in self.lanes)
        return sum(others, first)

    def report(self):
        n = self.total("done")
        most, outlived = (max(getattr(lane, name) for lane in self.lanes) for name in ("most_again", "outlived"))
        return "\n".join((
            f"kills survived    {n['kills']} in {self.total('folders')} folders (seed {self.seed})",
            f"after a cell      {n['after a finished cell']}: their session had finished one",
            f"by victim         {', '.join(f'{v} {n[v]}' for v in VICTIMS)}",
            f"by phase          {', '.join(f'{p} {n[p]}' for p in (*PLACES, 'random moment'))}",
            f"cells again       {self.total('again')}, at most {most:.2g} per rank of one kill; 0 of them acknowledged",
            f"ranks vanished    within {outlived:.2f} s of the death of mpirun",
            f"bytes different   {self.total('different')}"))
