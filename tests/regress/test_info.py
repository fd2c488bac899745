"""graze info: what it says of a sweep, a trajectory, a run under way, and of files that are none of ours.

Most files are the synthetic ones of tests/post, whose contents are known. Arguments (defaults from the environment that ctest sets):
--graze PATH --source DIR --mpiexec PATH. Silent when right.
"""

import argparse
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
        self.environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
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

    def refused(self, *words, code, says):
        done = self.run("info", *words, code=code)
        check(done.stderr.startswith("graze: ") and done.stderr.count("\n") == 1 and says in done.stderr and not done.stdout,
              f"info {words}: '{done.stderr}' does not say '{says}' in one line; stdout: {done.stdout}")


def row(out, label):
    """The text beside a label, with the lines it goes on over."""
    found = re.search(rf"^  {re.escape(label)} +(.*(?:\n {{20}}.*)*)$", out, re.M)
    return re.sub(r"\n +", " ", found.group(1)) if found else ""


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

    # a run under way, whose file is locked; then the same after it was killed
    words = ["sweep", "-sweep_amplitude", "10:60:40", "-sweep_frequency", "4:40:400", "-receptance_modes", "40", "-output", "under_way"]
    process = subprocess.Popen([r.graze, *words], cwd=r.folder, env=r.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while not (r.folder / "under_way" / "sweep.h5").exists() and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.05)
    check(process.poll() is None, "the sweep ended before it could be looked at")
    out = r.info("under_way")
    check(process.poll() is None, "the sweep ended while it was looked at")
    process.send_signal(signal.SIGKILL)
    process.wait()
    for text in out, r.info("under_way"):
        check(row(text, "state").startswith("incomplete: ") and row(text, "state").endswith("of 16000 cells are done"), f"state: {row(text, 'state')}")
        check("none: running or killed" in row(text, "when"), f"when: {row(text, 'when')}")


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
    r.refused(code=64, says="graze info FILE")
    r.refused("-quiet", code=64, says="-quiet")
    r.refused("sweep.h5", "up.h5", code=64, says="stray word 'up.h5'")
    r.refused("missing.h5", code=65, says="missing.h5: No such file")
    r.refused("text.h5", code=65, says="not an HDF5 file")
    r.refused("other.h5", code=65, says="not a result of graze")
    r.refused("empty", code=65, says="neither sweep.h5 nor trajectory.h5")
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
        real(r)
        refusals(r)
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
