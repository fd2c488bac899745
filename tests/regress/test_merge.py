# processors: 2
"""graze merge: shards become the file that one run makes, to the bit; what cannot be joined is refused and nothing is touched.

Silent when right.
"""

import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import ENVIRONMENT, GRAZE, MPIEXEC, PATIENCE, Runs, check, finish  # noqa: E402

SMALL = "-receptance_modes 20 -settle_periods 20 -sample_periods 8 -max_period 8 -max_contacts 12"
GRID = f"-sweep_amplitude 1:31:5 -sweep_frequency 12:14:7 {SMALL}"


def graze(r, command, path, code, *says, ranks=None, **popen):
    launch = [MPIEXEC, "-n", str(ranks), GRAZE] if ranks else [GRAZE]
    done = subprocess.run([*launch, command, *path.split()], cwd=r.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, **popen)
    said, text = done.stdout + done.stderr, f"graze {command} {path}"
    check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{said}")
    check(all(word in said for word in says), f"{text}: does not say {[word for word in says if word not in said]}\n{said}")
    check(done.stderr.count("graze: ") == (1 if code else 0) and "PETSC ERROR" not in done.stderr and "HDF5-DIAG" not in done.stderr,
          f"{text}: stderr is\n{done.stderr}")


def refused(r, folder, code, *says, **popen):
    """One line, and the folder is as it was, to the nanosecond."""
    before = r.listing(folder)
    graze(r, "merge", folder, code, *says, **popen)
    check(r.listing(folder) == before, f"graze merge {folder} touched what is there: {[name for name, *_ in r.listing(folder)]}")


def shards(r, folder, n, *options):
    for k in range(1, n + 1):
        r.run(folder, *options, "-shard", f"{k}/{n}")


def equal(r, whole, merged, n):
    r.same(merged, whole, f"{n} shards merged against one run")
    tool = shutil.which("h5diff")
    if tool:  # which follows the dimensions to what is attached to them
        left_out = ["--exclude-path", "/wall_seconds", "--exclude-path", "/provenance"]
        diff = subprocess.run([tool, *left_out, r.file(whole), r.file(merged)], capture_output=True, text=True)
        check(diff.returncode == 0, f"h5diff {whole} {merged}: {diff.stdout}{diff.stderr}")
    yaml = [(r.folder / name / "used_parameters.yaml").read_text() for name in (whole, merged)]
    check(yaml[0] == yaml[1], f"used_parameters.yaml of {merged} is not that of {whole}:\n{yaml[1]}")


def same_as_one_run(r):
    """Lines along either axis, both directions, segments, SI; more shards than divide the lines; sessions and deaths of all are kept."""
    beam = ("-beam_length 0.2 -beam_youngs_modulus 2e11 -beam_poisson_ratio 0.3 -beam_shear_factor 0.85 -beam_density 7800 "
            "-beam_width 0.01 -beam_height 0.01")
    cases = {
        "frequency": (3, GRID, "-sweep_direction both -sweep_check 4 -sweep_segment 3"),
        "amplitude": (4, GRID, "-sweep_along amplitude -sweep_direction both -sweep_check 4"),
        "si": (2, f"-sweep_amplitude 20:30:2 -sweep_frequency 12:14:3 {SMALL}", beam),
        "one": (1, f"-sweep_amplitude 20 -sweep_frequency 12:14:3 {SMALL}"),
    }
    for name, (n, *options) in cases.items():
        r.run(f"{name}_whole", *options)
        shards(r, name, n, *options)
        with h5py.File(r.folder / name / f"shard-{n}-of-{n}" / "sweep.h5", "r+") as file:
            file["provenance/deaths"][1] = 3
        graze(r, "merge", name + "/", 0, f"{name}/sweep.h5", "shards", ranks=2 if name == "si" else None)
        equal(r, f"{name}_whole", name, n)
        graze(r, "verify", name, 0, "whole and complete")
        check(not [p.name for p in (r.folder / name).iterdir() if "partial" in p.name], f"{name}: a partial file is left")
        with h5py.File(r.file(name), "r") as file:
            group = file["provenance"]
            host = group["session_host"][:n]
            cells, reason = group["session_cells"][:n], group["session_end_reason"][:n]
            check(group.attrs["sessions"] == n and (cells > 0).all() and (reason == 1).all() and (host[:, 0] != b"").all(),
                  f"{name}: sessions {group.attrs['sessions']}, cells {cells}, reasons {reason}")
            check(cells.sum() == file["status"].size and np.isnan(group["session_start"][n]), f"{name}: the table of sessions")
            deaths = np.flatnonzero(group["deaths"][:])
            check(len(deaths) == 1 and group["deaths"][deaths[0]] == 3, f"{name}: deaths in {deaths}")
            # the second cell of the last shard, in the order of the file
            place = {"frequency": (0, 2, 1), "amplitude": (0, 1, 3), "si": (0, 1, 1), "one": (0, 0, 1)}[name]
            check(deaths[0] == np.ravel_multi_index(place, file["status"].shape), f"{name}: deaths moved to {deaths}")
            command, end = group.attrs["command"], group.attrs["utc_end"]
            check(b"merge" in command and end.startswith(b"20"), f"{name}: {command}, {end}")
        refused(r, name, 0, "complete: nothing to do")
        r.run(name, *options)  # the sweep finds its result
        equal(r, f"{name}_whole", name, n)


def cannot_be_joined(r):
    graze(r, "merge", "", 64, "needs a folder")
    graze(r, "merge", "-x", 64, "takes no option")
    graze(r, "merge", "a b", 64, "stray word")
    graze(r, "merge", "nowhere", 65, "No such file")
    (r.folder / "empty").mkdir()
    refused(r, "empty", 65, "holds no shards")
    refused(r, "frequency_whole", 65, "holds no shards")

    def fresh():
        shutil.rmtree(r.folder / "try", ignore_errors=True)
        for k in range(1, 4):
            shutil.copytree(r.folder / "frequency" / f"shard-{k}-of-3", r.folder / "try" / f"shard-{k}-of-3")
        return r.folder / "try"

    shutil.rmtree(fresh() / "shard-2-of-3")
    refused(r, "try", 65, "lacks shards of 3: 2")
    (fresh() / "shard-2-of-3" / "sweep.h5").unlink()
    refused(r, "try", 65, "shard-2-of-3/sweep.h5", "No such file")
    (fresh() / "shard-1-of-4").mkdir()
    refused(r, "try", 65, "shards of 3 and of 4 parts")
    shutil.rmtree(fresh() / "shard-2-of-3")
    (r.folder / "try" / "shard-1-of-3").rename(r.folder / "try" / "shard-2-of-3")
    shutil.copytree(r.folder / "try" / "shard-2-of-3", r.folder / "try" / "shard-1-of-3")
    refused(r, "try", 65, "shard-2-of-3/sweep.h5 is part 1/3")
    shutil.rmtree(fresh() / "shard-3-of-3")
    r.run("try", *(GRID, "-sweep_direction both -sweep_check 4 -sweep_segment 3 -damping_ratio 0.2 -stop_position -0.06"), "-shard 3/3")
    refused(r, "try", 65, "shard 3 is of other parameters than shard 1: damping_ratio, stop_position")

    # a shard that was killed, one with a damaged cell
    shutil.rmtree(fresh() / "shard-2-of-3")
    run = r.start("try", GRID, "-sweep_direction both -sweep_check 4 -sweep_segment 3", "-shard 2/3", env={"GRAZE_FAULT": "cell:kill@1,1"})
    run.end(-9)
    refused(r, "try", 65, "not complete: 2 (28 cells to do)")
    path = fresh() / "shard-3-of-3" / "sweep.h5"
    with h5py.File(path, "r+") as file:
        file["min_gap"][1, 0, 2] += 1e-9
    refused(r, "try", 65, "cell 9 of shard 3 does not match its checksum")

    # a result in the way: of other parameters, incomplete, something else
    shutil.copy(r.file("one"), fresh() / "sweep.h5")
    refused(r, "try", 65, "is in the way", "other parameters", "sweep_amplitude")
    shutil.copy(r.file("frequency"), fresh() / "sweep.h5")
    with h5py.File(r.folder / "try" / "sweep.h5", "r+") as file:
        file.attrs["complete"] = np.int8(0)
    refused(r, "try", 65, "is in the way", "not complete")
    (fresh() / "sweep.h5").write_text("mine\n")
    refused(r, "try", 65, "is in the way", "not an HDF5 file")
    fresh()
    graze(r, "merge", "try", 0)
    equal(r, "frequency_whole", "try", 3)


def full_disk(r):
    """The limit on the size of a file is a full disk: 74, nothing half-made; with room it works.

    The file takes 12 MB; 8 MB are more than MPI's own files take."""
    options = f"-sweep_amplitude 20:31:12 -sweep_frequency 12:14:20 {SMALL} -max_contacts 1000"
    shards(r, "full", 2, options)
    for ranks in None, 2:
        refused(r, "full", 74, "sweep.h5", ranks=ranks,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000000, resource.RLIM_INFINITY)))
    # used_parameters.yaml in spite of a full disk: it cannot be written either
    (r.folder / "full" / "used_parameters.yaml.partial").symlink_to("/dev/full")
    graze(r, "merge", "full", 74, "used_parameters.yaml", "space")
    left = sorted(p.name for p in (r.folder / "full").iterdir())
    check(left == ["shard-1-of-2", "shard-2-of-2"], f"a half merge: {left}")
    graze(r, "merge", "full", 0)
    graze(r, "verify", "full", 0)


def main():
    with tempfile.TemporaryDirectory(prefix="graze_merge_") as folder:
        r = Runs(folder)
        same_as_one_run(r)
        cannot_be_joined(r)
        full_disk(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
