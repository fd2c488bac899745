# processors: 3
"""graze continue killed, stopped, or with a torn journal goes on by the same command on any number of ranks, to the same bits. Silent when right."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import PATIENCE, Runs, check, differences, environment, finish, launch, together  # noqa: E402

COME_BACK, FILES = 85, 65
# an impact oscillator over the frequency at five amplitudes: a branch or more of each, and what doubles from them
STRUCTURE = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_damping_ratios 0.02 -forcing_mode 1 -flow restitution -stop_side above "
             "-stop_position 1 -initial_displacement 0 -initial_velocity 0 -restitution_coefficient 0.9")
SWEEP = ("-sweep_amplitude 0.34:0.42:5 -sweep_frequency 0.8:0.82:3 -sweep_along amplitude -settle_periods 200 -sample_periods 16 "
         "-max_period 8")
ALONG = "-continue_parameter frequency -continue_min 0.79 -continue_max 0.83 -continue_switch_depth 1 -start_cells all -start_from sweep.h5"
OPTIONS = (STRUCTURE, ALONG)


class Case(Runs):
    def file(self, output):
        return self.folder / output / "branches.h5"

    def journal(self, output):
        return self.folder / output / "branches.journal"

    def finish(self, output, ranks, text, resumed=True):
        done = self.run(output, *OPTIONS, ranks=ranks, command="continue")
        check(("resumed" in done.stdout) == resumed, f"{text}: {'does not go' if resumed else 'goes'} on from the journal:\n{done.stdout}")
        found = differences(self.file("whole"), self.file(output))
        check(not found, f"{text}: differs from a run without interruption in {', '.join(found)}")
        for table in "branches.csv", "branches_special.csv":
            check((self.folder / output / table).read_bytes() == (self.folder / "whole" / table).read_bytes(), f"{text}: {table} differs")
        left = {p.name for p in (self.folder / output).iterdir()} - {"branches.h5", "branches.csv", "branches_special.csv", "log.txt",
                                                                     "used_parameters.yaml"}
        check(not left, f"{text}: {left} was left behind")

    def killed(self, output, unit, ranks=None):
        """A rank dies when it begins unit number `unit` of the session: as a crash of the machine would leave it."""
        words = self.words(output, OPTIONS, "continue")
        done = subprocess.run([*launch(ranks), *words], cwd=self.folder, env=environment({"GRAZE_FAULT": f"cell:kill@{unit},0"}),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        check(done.returncode not in (0, COME_BACK), f"{output}: a kill in unit {unit} did nothing: {done.stdout}")
        check(not self.file(output).exists() and self.journal(output).exists(), f"{output}: a kill left {list((self.folder / output).iterdir())}")

    def until(self, output, unit, then, code, says, *options, ranks=None):
        """Unit number `unit` takes two seconds; `then` happens in it."""
        marks = self.folder / f"{output}.cells"
        words = self.words(output, (*OPTIONS, *options), "continue")
        env = environment({"GRAZE_FAULT": f"cell:slow=2@{unit},0", "GRAZE_FAULT_CELLS": str(marks)})
        process = subprocess.Popen([*launch(ranks), *words], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        give_up = time.monotonic() + PATIENCE
        while not (marks.exists() and f"{unit} 0\n" in marks.read_text()) and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.005)
        then(process)
        out, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == code and says in err and err.count("graze: ") == 1 and "the same command goes on" in err,
              f"{output}: exit code {process.returncode}, not {code} with '{says}':\n{out}{err}")


def partial(r, output, text):
    """What was accepted before the stop is in the file, and the first of the whole."""
    with h5py.File(r.file(output), "r") as part, h5py.File(r.file("whole"), "r") as whole:
        n, points = part["branch"].size, part["point"].size
        check(part.attrs["complete"] == 0 and 0 < n < whole["branch"].size, f"{text}: {n} branches, complete = {part.attrs['complete']}")
        for name in "parameter", "stability", "peak_force", "residual", "point_branch":
            check(part[name][:].tobytes() == whole[name][:points].tobytes(), f"{text}: {name} is not the beginning of the whole")
        check(np.array_equal(part["branch_n_points"][:], whole["branch_n_points"][:n]), f"{text}: branch_n_points")


def kills(r):
    """Two kills on other numbers of ranks; the file of the starts is gone, and rubbish lies about."""
    folder = r.folder / "kills"
    folder.mkdir()
    r.killed("kills", 2)
    first = r.journal("kills").stat().st_size
    (folder / "branches.next.journal").write_bytes(b"rubbish")
    (folder / "branches.next.h5").write_bytes(b"rubbish")
    (folder / "branches.next.h5.partial").write_bytes(b"rubbish")
    (folder / "branches.csv.partial").write_bytes(b"rubbish")
    r.killed("kills", 4, ranks=2)
    check(r.journal("kills").stat().st_size > first, "the second session added nothing to the journal")
    os.rename(r.folder / "sweep.h5", r.folder / "away.h5")
    try:
        r.finish("kills", 3, "two kills")
    finally:
        os.rename(r.folder / "away.h5", r.folder / "sweep.h5")


def torn(r):
    """The last record is cut, damaged, or followed by rubbish; the journal ends within the starts, or within its own header."""
    r.killed("torn", 3)
    whole = r.journal("torn").read_bytes()
    flipped = bytearray(whole)
    flipped[-40] ^= 1
    for name, text, resumed in (("cut", whole[:-7], True), ("flipped", bytes(flipped), True), ("longer", whole + whole[-200:], True),
                                ("starts", None, False)):
        shutil.copytree(r.folder / "torn", r.folder / name)
        if text is None:
            # behind the header and one start; a state of this oscillator makes a start of some hundred bytes
            begin = whole.index(b"start_cells=all")
            text = whole[: begin + 1500]
        r.journal(name).write_bytes(text)
    together(2, lambda: r.finish("cut", None, "a record cut short"), lambda: r.finish("flipped", 2, "a damaged record"),
             lambda: r.finish("longer", None, "rubbish behind the records"), lambda: r.finish("starts", None, "a journal that ends in the starts", False))
    # without identity it is nobody's: it stays as it is, and -overwrite moves it aside
    shutil.copytree(r.folder / "torn", r.folder / "headless")
    r.journal("headless").write_bytes(whole[:20])
    r.run("headless", *OPTIONS, code=FILES, command="continue")
    check(r.journal("headless").read_bytes() == whole[:20], "a damaged journal was changed")
    # and so does a run with other parameters
    r.run("torn", *OPTIONS, "-continue_max 0.84", code=FILES, command="continue")
    check(r.journal("torn").read_bytes() == whole, "the journal of other parameters was changed")
    r.finish("torn", 2, "a kill")


def stops(r):
    """Signals, the file STOP and the time limit: exit 85, what is accepted is in the file, and the same command goes on."""

    def send(number):
        return lambda process: process.send_signal(number)

    def stop_file(name):
        return lambda process: (r.folder / name / "STOP").write_text("")

    together(2, lambda: r.until("usr1", 3, send(signal.SIGUSR1), COME_BACK, "SIGUSR1"),
             lambda: r.until("term", 3, send(signal.SIGTERM), COME_BACK, "SIGTERM"),
             lambda: r.until("file", 3, stop_file("file"), COME_BACK, "the file STOP", ranks=2),
             # 3 s, of which 2 are kept free and more than one is slept through
             lambda: r.until("limit", 3, lambda process: None, COME_BACK, "the time limit", "-max_walltime 00:00:03 -walltime_margin 2"))
    check(not (r.folder / "file" / "STOP").exists(), "the file STOP would stop the next run too")
    for name in "usr1", "term", "file", "limit":
        partial(r, name, name)
    r.killed_after_stop()
    together(2, lambda: r.finish("usr1", 2, "SIGUSR1"), lambda: r.finish("term", None, "SIGTERM"), lambda: r.finish("file", None, "STOP"),
             lambda: r.finish("limit", 3, "the time limit"))


def killed_after_stop(r):
    """The file of a stopped session stays until the next one ends."""
    before = r.file("term").read_bytes()
    subprocess.run([*launch(None), *r.words("term", OPTIONS, "continue")], cwd=r.folder, env=environment({"GRAZE_FAULT": "cell:kill@4,0"}),
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    check(r.file("term").read_bytes() == before, "a session that was killed changed the file of the one before")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_continue_restart_") as folder:
        r = Case(folder)
        r.killed_after_stop = lambda: killed_after_stop(r)
        Runs(folder).run("sweep", STRUCTURE, SWEEP)
        os.rename(r.folder / "sweep" / "sweep.h5", r.folder / "sweep.h5")
        r.run("whole", *OPTIONS, command="continue")
        with h5py.File(r.file("whole"), "r") as file:
            check(file["branch"].size > 5 and (file["branch_depth"][:] > 0).any(), "the case is too dull")
        kills(r)
        torn(r)
        stops(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
