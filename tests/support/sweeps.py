"""Run graze in a folder of its own and compare the files it leaves: what the tests of the sweep program share.

The program is $GRAZE, the launcher $MPIEXEC; ctest sets both. check() collects what is wrong, finish() says it and gives the exit code.
Runs.run() is a run to its end; Runs.start() gives a Running, to be watched, signalled and killed.
"""

import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

import h5py
import numpy as np

sys.dont_write_bytecode = True

GRAZE = os.path.abspath(os.environ["GRAZE"])
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
# Not a Slurm job, whatever surrounds the tests: its end would be the limit of every run.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
ENVIRONMENT.update(OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
if os.getuid() == 0:
    ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
# A test may look into the file of a run under way.
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"

# What may differ between two runs of one input; REFERENCE_LIST and DIMENSION_LIST hold addresses within the file.
DIFFERS, ADDRESSES = ("wall_seconds", "provenance"), ("REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid")

PATIENCE = 120  # s: what is waited for has long happened by then, on any machine; nothing is right or wrong by its speed

_failures, _numbers = [], itertools.count()


def check(right, text):
    if not right:
        _failures.append(text)
    return bool(right)


def together(n, *works):
    """Calls that mostly wait, n of them at a time. What one raises is a failure, and no reason to lose the others."""

    def one(work):
        try:
            work()
        except Exception:  # of a thread, which could not tell anybody
            check(False, traceback.format_exc())

    with concurrent.futures.ThreadPoolExecutor(n) as threads:
        list(threads.map(one, works))


def near(values, exact, tolerance, text):
    worst = float(np.max(np.abs(np.asarray(values, float) - np.asarray(exact, float)), initial=0.0))
    check(worst <= tolerance, f"{text}: {values} should be {exact} within {tolerance}, is off by {worst:.3g}")


def finish():
    print("\n".join(_failures), end="\n" if _failures else "")
    return 1 if _failures else 0


def environment(env):
    """The usual variables and those of `env`; None: without that one."""
    return {name: value for name, value in (ENVIRONMENT | (env or {})).items() if value is not None}


def launch(ranks):
    return [MPIEXEC, "-n", str(ranks), GRAZE] if ranks else [GRAZE]


class Runs:
    """Runs in one folder; outputs are named by their place in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def words(self, output, options, command="sweep"):
        return [command, "-output", str(self.folder / output), *(word for option in options for word in str(option).split())]

    def run(self, output, *options, ranks=None, code=0, command="sweep", env=None, **popen):
        """One run to its end; what is wrong with exit code and stderr is noted. env: variables besides the usual ones."""
        words = self.words(output, options, command)
        done = subprocess.run([*launch(ranks), *words], cwd=self.folder, env=environment(env), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **popen)
        text = f"graze {' '.join(words)}, {ranks or 1} ranks"
        check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        ours = [line for line in done.stderr.splitlines() if line.startswith("graze: ")]
        check(len(ours) == (1 if code else 0) and "PETSC ERROR" not in done.stderr, f"{text}: stderr is\n{done.stderr}")
        return done

    def start(self, output, *options, ranks=None, env=None, **popen):
        return Running(self, output, options, ranks, env or {}, popen)

    def graze(self, *words, env=None):
        """The program with these words, on no launcher."""
        return subprocess.run([GRAZE, *map(str, words)], cwd=self.folder, env=environment(env), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE)

    def state(self, output):
        """Exit code of graze info -state: 0 complete, 85 come back, 1 failed."""
        return self.graze("info", "-state", self.folder / output).returncode

    def events(self, output):
        """The finished cells as events.jsonl has them; a line that is not whole yet is none."""
        try:
            text = (self.folder / output / "events.jsonl").read_text()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def finished(self, output):
        """How many cells that are, fast enough to ask again and again."""
        try:
            return (self.folder / output / "events.jsonl").read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def status(self, output):
        """status.json, {} before it is there. It is whole whenever one looks."""
        try:
            return json.loads((self.folder / output / "status.json").read_text())
        except FileNotFoundError:
            return {}

    def file(self, output):
        return self.folder / output / "sweep.h5"

    def complete(self, output):
        with h5py.File(self.file(output), "r") as file:
            return bool(file.attrs["complete"])

    def read(self, output):
        """Data sets by path, but for what may differ."""
        return read(self.file(output))

    def same(self, one, other, text):
        """Both files hold the same data sets and attributes to the bit; wall_seconds and provenance excepted."""
        found = differences(self.file(one), self.file(other))
        check(not found, f"{text}: {one} and {other} differ in {', '.join(found)}")

    def listing(self, output):
        """What a folder holds, to the byte and the nanosecond."""
        return sorted((str(p), p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in (self.folder / output).rglob("*"))


class Running:
    """A run under way: `process` is mpirun, or the program itself without ranks. What it prints is in `out` and `err` once it has ended."""

    def __init__(self, runs, output, options, ranks, env, popen):
        self.size, self.token = ranks, f"GRAZE_TEST={os.getpid()}-{next(_numbers)}"
        self.text = f"graze sweep -output {output} {' '.join(map(str, options))}, {ranks or 1} ranks, {env}"
        self.paths = [runs.folder / f"{self.token}.{name}" for name in ("out", "err")]  # not pipes: nobody reads while the run goes on
        name, value = self.token.split("=")
        with contextlib.ExitStack() as stack:
            out, err = (stack.enter_context(path.open("w")) for path in self.paths)
            self.process = subprocess.Popen([*launch(ranks), *runs.words(output, options)], cwd=runs.folder, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=err, env=environment(env | {name: value}), **popen)

    def ranks(self):
        """Process ids of the ranks that live, by rank."""
        if not self.size:
            return {0: self.process.pid} if self.process.poll() is None else {}
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "environ").read_bytes().decode(errors="replace").split("\0") if entry.name.isdigit() else []
            except OSError:  # another user's process, or one that just ended
                continue
            rank = [word.split("=")[1] for word in words if word.startswith("OMPI_COMM_WORLD_RANK=")]
            if rank and self.token in words:
                found[int(rank[0])] = int(entry.name)
        return found

    def wait_for(self, happened, what):
        """Until happened() is true; false if the run ends without it. Nothing for PATIENCE seconds is a failure."""
        give_up = time.monotonic() + PATIENCE
        while not happened():
            if self.process.poll() is not None:
                return bool(happened())
            if not check(time.monotonic() < give_up, f"{self.text}: waited {PATIENCE} s in vain for {what}"):
                return False
            time.sleep(0.005)
        return True

    def kill(self, pid, number=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    def end(self, code=None):
        """Wait for the end, ranks included; those that outlive mpirun are counted in seconds, and killed if they do not go. Exit code."""
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            check(False, f"{self.text}: does not end")
            self.process.kill()
            self.process.wait()
        begin = time.monotonic()
        while (left := self.ranks()) and time.monotonic() < begin + PATIENCE / 4:
            time.sleep(0.005)
        self.outlived = time.monotonic() - begin
        check(not left, f"{self.text}: ranks {sorted(left)} outlived the launcher by {self.outlived:.1f} s and were killed")
        for pid in left.values():
            self.kill(pid)
        self.out, self.err = (path.read_text() for path in self.paths)
        if code is not None:
            check(self.process.returncode == code, f"{self.text}: exit code {self.process.returncode}, not {code}\n{self.out}{self.err}")
        return self.process.returncode


def read(path):
    data = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith(DIFFERS):
            data[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return data


def _contents(path):
    contents = {}

    def visit(name, item):
        if name.startswith(DIFFERS):
            return
        if isinstance(item, h5py.Dataset):
            contents[name] = (item.dtype.str, item.shape, item[()].tobytes())
        for key, value in item.attrs.items():
            if key not in ADDRESSES:
                contents[f"{name}@{key}"] = (np.asarray(value).dtype.str, np.asarray(value).shape, np.asarray(value).tobytes())

    with h5py.File(path, "r") as file:
        visit("", file)
        file.visititems(visit)
    return contents


def differences(one, other):
    """Names of the data sets and attributes in which two files are not bit-identical."""
    a, b = _contents(one), _contents(other)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def bytes_different(one, other):
    """How many bytes differ; a data set or attribute that one file lacks, or has in another shape, counts whole."""
    a, b = _contents(one), _contents(other)
    total = 0
    for name in a.keys() | b.keys():
        (*kind, left), (*other_kind, right) = a.get(name, (b"",)), b.get(name, (b"",))
        if kind != other_kind:
            total += max(len(left), len(right), 1)
        elif left != right:
            total += int(np.count_nonzero(np.frombuffer(left, np.uint8) != np.frombuffer(right, np.uint8)))
    return total
