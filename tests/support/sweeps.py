"""Run graze in a folder of its own and compare the files it leaves: what the tests of the sweep program share.

The program is $GRAZE, the launcher $MPIEXEC; ctest sets both. check() collects what is wrong, finish() says it and gives the exit code.
"""

import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np

sys.dont_write_bytecode = True

GRAZE = os.path.abspath(os.environ["GRAZE"])
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
ENVIRONMENT = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
if os.getuid() == 0:
    ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
# A test may look into the file of a run under way.
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"

# What may differ between two runs of one input; REFERENCE_LIST and DIMENSION_LIST hold addresses within the file.
DIFFERS, ADDRESSES = ("wall_seconds", "provenance"), ("REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid")

_failures = []


def check(right, text):
    if not right:
        _failures.append(text)
    return bool(right)


def near(values, exact, tolerance, text):
    worst = float(np.max(np.abs(np.asarray(values, float) - np.asarray(exact, float)), initial=0.0))
    check(worst <= tolerance, f"{text}: {values} should be {exact} within {tolerance}, is off by {worst:.3g}")


def finish():
    print("\n".join(_failures), end="\n" if _failures else "")
    return 1 if _failures else 0


def launch(ranks):
    return [MPIEXEC, "-n", str(ranks), GRAZE] if ranks else [GRAZE]


class Runs:
    """Runs in one folder; outputs are named by their place in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def words(self, output, options, command="sweep"):
        return [command, "-output", str(self.folder / output), *(word for option in options for word in str(option).split())]

    def run(self, output, *options, ranks=None, code=0, command="sweep", **popen):
        """One run to its end; what is wrong with exit code and stderr is noted."""
        words = self.words(output, options, command)
        done = subprocess.run([*launch(ranks), *words], cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, **popen)
        text = f"graze {' '.join(words)}, {ranks or 1} ranks"
        check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        ours = [line for line in done.stderr.splitlines() if line.startswith("graze: ")]
        check(len(ours) == (1 if code else 0) and "PETSC ERROR" not in done.stderr, f"{text}: stderr is\n{done.stderr}")
        return done

    def file(self, output):
        return self.folder / output / "sweep.h5"

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
