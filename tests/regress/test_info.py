"""graze info: what it says of a sweep, a trajectory, a run under way, and of files that are none of ours; graze info -state: what a script is told.

Most files are the synthetic ones of tests/post, whose contents are known. Arguments (defaults from the environment that ctest sets):
--graze PATH --source DIR --mpiexec PATH. Silent when right.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

sys.dont_write_bytecode = True
failures = []


def check(right, text):
    if not right:
        failures.append(text)


class Runner:
    def __init__(self, graze, mpiexec, folder):
        self.graze, self.mpiexec, self.folder = graze, mpiexec, pathlib.Path(folder)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}  # not a job, whatever surrounds the tests
        self.environment = dict(inherited, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
        self.environment.pop("HDF5_USE_FILE_LOCKING", None)
        if os.getuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def run(self, *words, code=0, ranks=None):
        launch = [self.mpiexec, "-n", str(ranks), self.graze] if ranks else [self.graze]
        done = subprocess.run([*launch, *map(str, words)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        check(done.returncode == code, f"{words}: exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
        return done

    def info(self, path, ranks=None):
        """What is printed, as text; every line within 100 columns."""
        out = self.run("info", path, ranks=ranks).stdout
        for line in out.splitlines()[1:]:
            check(len(line) <= 100 and line == line.rstrip() and "nan" not in line.lower(), f"info {path}: line '{line}'")
        return out

    def state(self, path, code, says, ranks=None):
        """graze info -state: one line, and the exit code."""
        done = self.run("info", "-state", path, code=code, ranks=ranks)
        check(done.stdout.count("\n") == 1 and says in done.stdout and (ranks or not done.stderr), f"info -state {path}: '{done.stdout}' is not one line with '{says}'; {done.stderr}")

    def refused(self, *words, code, says):
        done = self.run("info", *words, code=code)
        check(done.stderr.startswith("graze: ") and done.stderr.count("\n") == 1 and says in done.stderr and not done.stdout,
              f"info {words}: '{done.stderr}' does not say '{says}' in one line; stdout: {done.stdout}")


def row(out, label):
    """The text beside a label, with the lines it goes on over."""
    found = re.search(rf"^  {re.escape(label)} +(.*(?:\n {{20}}.*)*)$", out, re.M)
    return re.sub(r"\n +", " ", found.group(1)) if found else ""


def session(out, number):
    """A row of the table of sessions."""
    return row(out.partition("\nSessions\n")[2], str(number))


def counts(out, head):
    """{name: cells} of a table."""
    part = out.partition(f"\n{head}\n")[2].partition("\n\n")[0]
    return {line.split("  ")[1]: int(re.search(r" (\d+) +[\d.]+ %", line).group(1)) for line in part.splitlines()}


def synthetic_sweep(r, synthetic):
    path = r.folder / "sweep.h5"
    truth = synthetic.make_sweep(path, complete=False, si=True)
    out = r.info(path)
    names = synthetic.STATUS_NAMES.split()
    status = {names[s]: int(n) for s, n in zip(*np.unique(truth.status, return_counts=True))}
    check(counts(out, "Cells by status") == status, f"cells by status: {counts(out, 'Cells by status')}, not {status}")
    periodic = np.isin(truth.status, [synthetic.PERIODIC, synthetic.PERIODIC_UNVERIFIED])
    periods = {str(p): int(n) for p, n in zip(*np.unique(truth.period[periodic], return_counts=True))}
    found = counts(out, "Periods found, in forcing periods")
    check(found == periods and len(found) > 3, f"periods: {found}, not {periods}")
    pending = int(np.count_nonzero(truth.status == synthetic.PENDING))
    check(row(out, "state") == f"incomplete: {truth.status.size - pending} of {truth.status.size} cells are done", f"state: {row(out, 'state')}")
    check(row(out, "amplitudes") == "10 to 60 L/t0^2, 11 values" and row(out, "frequencies") == "4 to 40 rad/t0, 73 values", f"grid: {out}")
    check(row(out, "directions") == "up, down", f"directions: {row(out, 'directions')}")
    check("0.1.0" in row(out, "program") and "with changes" in row(out, "program"), f"program: {row(out, 'program')}")
    check("2024-06-13T12:00:00Z" in row(out, "when"), f"when: {row(out, 'when')}")
    check("L+ = 0.0271628290596" in row(out, "kernel"), f"kernel: {row(out, 'kernel')}")
    check("beam_length 0.1" in row(out, "Beam, SI set") and "forcing_type mode" in row(out, "Forcing"), f"parameters: {out}")
    check(row(out, "scales") == "L = 0.1 m, t0 = 0.02 s, EI/L^2 = 3 N; beta = 4800, gamma = 0.25", f"scales: {row(out, 'scales')}")
    check(r.info(r.folder).partition("\n")[2] == out.partition("\n")[2], "a folder is not its sweep.h5")
    check(r.info(path, ranks=1) == out, "mpiexec -n 1 prints something else")
    synthetic.make_sweep(r.folder / "up.h5", amplitudes=[30], directions=(1,))
    out = r.info(r.folder / "up.h5")
    check(row(out, "state").startswith("complete: 73 of 73") and row(out, "amplitudes") == "30 L/t0^2" and row(out, "directions") == "up", f"{out}")


def synthetic_trajectory(r, synthetic):
    folder = r.folder / "orbit"
    folder.mkdir()
    synthetic.make_trajectory(folder / "trajectory.h5", periods=4, samples_per_period=500)
    out = r.info(folder)
    check(row(out, "what").startswith("trajectory") and row(out, "state") == "complete", f"{out}")
    check(row(out, "contacts") == "4" and row(out, "samples").startswith("2001 over 1.93328779"), f"{out}")


def real(r):
    """Files of the program itself."""
    r.run("trajectory", "-receptance_modes", 40, "-periods", 2, "-samples_per_period", 50, "-output", "moved")
    out = r.info("moved")
    with h5py.File(r.folder / "moved" / "trajectory.h5", "r") as file:
        peak, onsets = float(file["peak_force"][()]), int(np.count_nonzero(file["event_type"][()] == 1))
    check(row(out, "samples") == "101 over 0.966643893 t0, 2 forcing periods", f"samples: {row(out, 'samples')}")
    check(row(out, "contacts").split(",")[0] == str(onsets) and row(out, "peak force") == f"{peak:.9g} EI/L^2", f"{out}")
    check(row(out, "kernel") == "40 modes, tail of order 2, L+ = 0.0271628290596 L^3/(EI t0)", f"kernel: {row(out, 'kernel')}")
    check("trajectory -receptance_modes 40" in row(out, "command") and "1 rank" in row(out, "where"), f"{out}")

    # a run under way; then the same after it was killed, stopped, and gone on with
    words = ["sweep", "-sweep_amplitude", "10:60:40", "-sweep_frequency", "4:40:400", "-receptance_modes", "40", "-checkpoint_interval", "0.02", "-output", "under_way"]
    process = subprocess.Popen([r.graze, *words], cwd=r.folder, env=r.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while status(r, "under_way").get("cells_done", 0) < 10 and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.05)
    check(process.poll() is None, "the sweep ended before it could be looked at")
    out = r.info("under_way")
    r.state("under_way", 85, "running on")
    check(process.poll() is None, "the sweep ended while it was looked at")
    process.send_signal(signal.SIGKILL)
    process.wait()
    check(row(out, "run").startswith("running on ") and row(out, "time limit") == "none", f"{out}")
    check(re.fullmatch(r"\d+ of 16000 done, [\d.]+ %; \d+ in this session, number 1", row(out, "cells")) and row(out, "rate").endswith(" left"), f"{out}")
    check(row(out, "busy").startswith("% of the time, by rank: ") and row(out, "slowest cells").count(" s at A = ") == 3, f"{out}")
    for text in out, r.info("under_way"):
        check(row(text, "state").startswith("incomplete: ") and row(text, "state").endswith("of 16000 cells are done"), f"state: {row(text, 'state')}")
        check("none: running or killed" in row(text, "when") and session(text, 1).endswith("running, or killed"), f"{text}")
    r.state("under_way", 85, "of 16000 cells are done; running on")
    done = status(r, "under_way")["cells_done"]
    with h5py.File(r.folder / "under_way" / "sweep.h5", "r") as file:
        check(np.count_nonzero(file["status"][()]) <= done, "status.json lags behind the file")
    r.run(*words, "-max_walltime", "00:00:08", "-walltime_margin", "4", code=85)
    r.state("under_way", 85, "stopped by")
    out = r.info("under_way")
    check(row(out, "run").startswith("stopped by ") and session(out, 2).endswith(", time_limit") and session(out, 1).endswith(", killed"), f"{out}")
    check(status(r, "under_way")["time_limit"]["source"] == "-max_walltime" and status(r, "under_way")["exit_code"] == 85, "the limit is not in status.json")
    r.run(*words, "-max_walltime", "00:00:00", code=64)
    small = ["sweep", "-sweep_amplitude", "30", "-sweep_frequency", "12:13:3", "-receptance_modes", "20", "-settle_periods", "20", "-sample_periods", "8", "-max_period", "8"]
    r.run(*small, "-output", "small")
    r.state("small", 0, "complete: 3 cells")
    r.state("small", 0, "complete: 3 cells", ranks=2)
    r.state("small/sweep.h5", 0, "complete")
    out = r.info("small")
    check(row(out, "run").startswith("complete for ") and row(out, "cells").startswith("3 of 3 done") and session(out, 1).endswith("3 cells, complete"), f"{out}")
    check([strict(line)["status"] for line in (r.folder / "small" / "events.jsonl").read_text().splitlines()].count("pending") == 0, "a pending cell in events.jsonl")
    r.run(*small, "-sweep_amplitude", "30:31:2", "-shard", "1/2", "-output", "parts")
    r.state("parts", 85, "1 of 2 shards are complete, 1 begun")
    check(row(r.info("parts"), "1 of 2") == "complete: 3 cells" and row(r.info("parts"), "2 of 2") == "nothing was begun", f"{r.info('parts')}")


def strict(text):
    """JSON without NaN and Infinity, which Python takes and others refuse."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def status(r, folder):
    path = r.folder / folder / "status.json"
    return strict(path.read_text()) if path.exists() else {}


def states(r, synthetic):
    """graze info -state by what a folder holds; the table says what, the exit code and words of the line."""
    synthetic.make_sweep(r.folder / "complete.h5", amplitudes=[30], directions=(1,))
    synthetic.make_sweep(r.folder / "part.h5", amplitudes=[30, 31], directions=(1,), complete=False)
    synthetic.make_trajectory(r.folder / "trajectory.h5", periods=4, samples_per_period=500)
    now = time.time()

    def told(state, done=100, finished=5, session=0, message="", age=0, total=146):
        return {"state": state, "message": message, "cells_done": done, "cells_total": total, "cells_finished_in_session": finished, "session": session, "host": "far", "updated": now - age}

    garbage, empty = b"no HDF5\n", b""
    files = {name: (r.folder / name).read_bytes() for name in ("complete.h5", "part.h5", "trajectory.h5")}
    complete, part, motion = files.values()
    cases = [
        ({}, 1, "nothing was begun"),
        ({"used_parameters.yaml": empty}, 1, "nothing was begun"),
        ({"status.json": told("setting_up", 0)}, 1, "nothing was begun"),
        ({"status.json": told("setting_up", 0), "used_parameters.yaml": empty}, 85, "0 of 146 cells are done; setting up on far"),
        ({"sweep.h5": complete}, 0, "complete: 73 cells"),
        ({"sweep.h5": complete, "status.json": told("failed", message="no room")}, 0, "complete"),
        ({"sweep.h5": complete, "shard-1-of-2/sweep.h5": part}, 0, "complete"),
        ({"trajectory.h5": motion}, 0, "complete"),
        ({"trajectory.h5": garbage}, 1, "not an HDF5 file"),
        ({"sweep.h5": part}, 85, "73 of 146 cells are done"),
        ({"sweep.h5": part, "status.json": b"{"}, 85, "73 of 146 cells are done"),
        ({"sweep.h5": part, "status.json": told("running", done=101)}, 85, "101 of 146 cells are done; running on far, updated "),
        ({"sweep.h5": part, "status.json": told("running", done=50)}, 85, "73 of 146 cells are done; running"),
        ({"sweep.h5": part, "status.json": told("running", done=900, total=999)}, 85, "73 of 146 cells are done"),
        ({"sweep.h5": part, "status.json": told("running", finished=0, session=4, age=720)}, 85, "but silent for 12 min: killed?"),
        ({"sweep.h5": part, "status.json": told("stopping", finished=0, session=4)}, 85, "stopping on far"),
        ({"sweep.h5": part, "status.json": told("stopped", session=4, message="stopped by STOP")}, 85, "stopped by STOP ("),
        ({"sweep.h5": part, "status.json": told("stopped", finished=0, session=0)}, 85, "100 of 146"),
        ({"sweep.h5": part, "status.json": told("stopped", finished=0, session=1, message="stopped by STOP")}, 1, "no progress in the last session: stopped by STOP"),
        ({"sweep.h5": part, "status.json": told("failed", message="no room")}, 1, "failed: no room"),
        ({"sweep.h5": garbage}, 1, "not an HDF5 file"),
        ({"sweep.h5": motion}, 1, "/status"),
        ({"sweep.h5": garbage, "sweep.previous.h5": part}, 85, "begun"),
        ({"sweep.previous.h5": part}, 85, "begun"),
        ({"sweep.h5": garbage, "status.json": told("running")}, 85, "100 of 146 cells are done"),
        ({"shard-1-of-2/sweep.h5": complete}, 85, "1 of 2 shards are complete, 1 begun; 73 of 73 cells"),
        ({"shard-1-of-2/sweep.h5": complete, "shard-2-of-2/sweep.h5": part}, 85, "1 of 2 shards are complete, 2 begun; 146 of 219 cells"),
        ({"shard-1-of-2/sweep.h5": complete, "shard-2-of-2/sweep.h5": complete}, 85, "2 shards are complete, to be merged with graze merge"),
        ({"shard-1-of-2/sweep.h5": part, "shard-2-of-2/sweep.h5": part, "shard-2-of-2/status.json": told("failed", message="no room")}, 1, "shard 2 of 2: failed: no room"),
        ({"shard-1-of-2/sweep.h5": part, "shard-2-of-3/sweep.h5": part}, 1, "more than one N"),
        ({"shard-3-of-2/x": empty, "shard-01-of-2/x": empty, "shard-1-of-2.old/x": empty, "shard-0-of-2/x": empty}, 1, "nothing was begun"),
    ]
    for i, (contents, code, says) in enumerate(cases):
        folder = r.folder / f"state{i}"
        folder.mkdir()
        for name, data in contents.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        r.state(folder, code, says)
    r.state("not_there", 1, "nothing was begun")
    r.state("part.h5", 85, "incomplete")
    r.state(r.folder / "state0", 1, "nothing was begun", ranks=2)


def words(r):
    """What status.json says, in words, also where there is no result yet."""
    folder = r.folder / "words"
    folder.mkdir()
    now = time.time()
    rank = {"rank": 17, "busy": 0.99, "silent": True, "unit": 3, "step": 4, "direction": -1, "amplitude": 12.5, "frequency": 30.25, "seconds_in_cell": 300, "silent_seconds": 290}
    told = {"state": "running", "message": "", "exit_code": None, "session": 2, "host": "far", "job": "12_3", "updated": now - 4, "started": now - 1000, "cells_done": 1000, "cells_total": 4000,
            "cells_finished_in_session": 400, "rate_per_second": 0.5, "eta_seconds": 6000, "time_limit": {"source": "squeue", "end": now + 7201, "seconds_left": 7205},
            "last_checkpoint": {"time": now - 130, "seconds": 0.52, "generation": 7, "journal_bytes": 12345}, "busy": [None] + [0.99] * 19, "silent_ranks": [17, 18], "ranks": [rank],
            "slowest_cells": [{"seconds": 12.345, "amplitude": 60, "frequency": 7, "direction": 1}]}
    told["busy"][5] = 0.18
    (folder / "status.json").write_text(json.dumps(told))
    (folder / "sweep.h5.partial").write_text("")
    out = r.info(folder)
    for label, text in [("run", r"running on far, job 12_3, updated [4-9] s ago"), ("cells", r"1000 of 4000 done, 25.0 %; 400 in this session, number 3"), ("rate", r"0.5 cells/s, 01:40:00 left"),
                        ("time limit", r"in 0[12]:[05]\d:\d\d \(squeue\)"), ("last snapshot", r"2 min ago, took 0.52 s; 12.3 kB in the journal"),
                        ("busy", r"94.7 % of the time, mean of 19 ranks; least 18.0 %, rank 5"), ("silent", r"rank 17, for 5 min, in the cell A = 12.5, W = 30.25, down and 1 more ranks"),
                        ("slowest cells", r"12.3[45] s at A = 60, W = 7, up")]:
        check(re.fullmatch(text, row(out, label)), f"{label}: '{row(out, label)}' is not {text}")
    for text in "{", "[]", json.dumps(told).replace("running", "flying"), json.dumps(told)[:-2]:
        (folder / "status.json").write_text(text)
        r.refused(folder, code=65, says="sweep.h5.partial")
    (folder / "status.json").write_text(json.dumps({key: told[key] for key in ("state", "cells_done", "cells_total")}))
    out = r.info(folder)
    check("silent for" in row(out, "run") and row(out, "cells").startswith("1000 of 4000"), f"{out}")


def refusals(r):
    (r.folder / "text.h5").write_text("no HDF5\n")
    with h5py.File(r.folder / "other.h5", "w") as file:
        file["status"] = np.zeros(3)
    with h5py.File(r.folder / "sweep.h5", "r") as whole, h5py.File(r.folder / "damaged.h5", "w") as file:
        for name, value in whole.attrs.items():
            file.attrs[name] = value
        for name in "direction", "amplitude", "frequency", "period":
            file[name] = whole[name][()]
        file["status"] = whole["status"][()][..., :5]
    (r.folder / "empty").mkdir()
    (r.folder / "begun").mkdir()
    (r.folder / "begun" / "sweep.h5.partial").write_text("")
    r.refused(code=64, says="DIR|FILE")
    r.refused("-state", code=64, says="DIR|FILE")
    r.refused("-quiet", code=64, says="-quiet")
    r.refused("sweep.h5", "up.h5", code=64, says="stray word 'up.h5'")
    r.refused("missing.h5", code=65, says="missing.h5: No such file")
    r.refused("text.h5", code=65, says="not an HDF5 file")
    r.refused("other.h5", code=65, says="not a result of graze")
    r.refused("empty", code=65, says="neither sweep.h5 nor trajectory.h5 nor branches.h5")
    r.refused("begun", code=65, says="sweep.h5.partial")
    damaged = r.run("info", "damaged.h5", code=65).stderr
    check("/status" in damaged and damaged.count("\n") == 1, f"damaged file: {damaged}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graze", default=os.environ.get("GRAZE"))
    parser.add_argument("--source", default=os.environ.get("GRAZE_SOURCE_DIR"))
    parser.add_argument("--mpiexec", default=os.environ.get("MPIEXEC", "mpiexec"))
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.join(arguments.source, "tests", "post"))
    import synthetic

    with tempfile.TemporaryDirectory(prefix="graze_info_") as folder:
        r = Runner(os.path.abspath(arguments.graze), arguments.mpiexec, folder)
        synthetic_sweep(r, synthetic)
        synthetic_trajectory(r, synthetic)
        states(r, synthetic)
        words(r)
        real(r)
        refusals(r)
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
