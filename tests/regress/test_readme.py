# processors: 2
"""README.md: its commands run as printed, in order, in a folder like a fresh clone; its files exist; its exit codes are the program's.

The blocks marked sh and python are the commands. Arguments (defaults from the environment that ctest sets): --graze PATH --source DIR
--mpiexec PATH. Silent when right.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Not run as printed: command, what to run instead (None: nothing), why.
INSTEAD = [
    ("./quickstart run", None, "the whole map takes about a minute, and a build before it"),
    ("./quickstart test", None, "runs this test"),
    ("./quickstart build", None, "builds for minutes"),
    ("mpiexec -n 3 build/release/graze sweep -options_file_yaml inputs/period_adding/run.yaml -output runs/demo",
     " -sweep_amplitude 26:34:3 -sweep_frequency 10:15:6", "the whole map takes about a minute: a corner of it"),
    ("sbatch ", None, "needs Slurm; tests/cluster runs the script"),
]

failures = []


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(text):
    """(as printed, to be run) of every line; to be run is None for what is left out."""
    unused = {entry[0] for entry in INSTEAD}
    for block in blocks(text, "sh"):
        for line in block.splitlines():
            line = line.partition(" #")[0].strip()
            if not line:
                continue
            entry = next((entry for entry in INSTEAD if line.startswith(entry[0])), None)
            if entry:
                unused.discard(entry[0])
            yield line, line if not entry else entry[1] and line + entry[1]
    failures.extend(f"not in README any more: {command}" for command in unused)


def like_a_clone(folder, source, graze):
    for name in "inputs", "postprocess", "docs":
        (folder / name).symlink_to(source / name)
    (folder / "jobs").mkdir()
    for path in (source / "jobs").iterdir():
        if path.name != "site.profile":
            (folder / "jobs" / path.name).symlink_to(path)
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / "graze").symlink_to(graze)
    (folder / "bin").mkdir()
    # a script, since a link would make Python look for its packages beside the link
    (folder / "bin" / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "bin" / "python3").chmod(0o755)


def run(words, folder, environment, **more):
    return subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=120, **more)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graze", default=os.environ.get("GRAZE"))
    parser.add_argument("--source", default=os.environ.get("GRAZE_SOURCE_DIR"))
    parser.add_argument("--mpiexec", default=os.environ.get("MPIEXEC", "mpiexec"))
    arguments = parser.parse_args()
    source, graze = pathlib.Path(arguments.source).resolve(), os.path.abspath(arguments.graze)
    text = (source / "README.md").read_text()
    environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                       OMPI_MCA_hwloc_base_binding_policy="none", MPLBACKEND="Agg", PYTHONDONTWRITEBYTECODE="1")
    if os.getuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    with tempfile.TemporaryDirectory(prefix="graze_readme_") as name:
        folder = pathlib.Path(name)
        like_a_clone(folder, source, graze)
        mpi = os.path.dirname(arguments.mpiexec)
        environment["PATH"] = os.pathsep.join([str(folder / "bin"), *([mpi] if mpi else []), environment["PATH"]])
        count = 0
        for printed, command in commands(text):
            if command is None:
                continue
            count += 1
            done = run(["bash", "-c", command], folder, environment)
            if done.returncode:
                failures.append(f"exit code {done.returncode}: {printed}\n{done.stdout}")
            for picture in re.findall(r"-o (\S+\.png)", command):
                path = folder / picture
                if not path.exists() or path.read_bytes()[:4] != b"\x89PNG":
                    failures.append(f"no picture {picture}: {printed}")
        if count < 9:  # so many stand there now; a pattern that finds none would prove nothing
            failures.append(f"only {count} commands found")
        python = blocks(text, "python")
        for block in python:
            done = run([sys.executable, "-c", block], folder, environment)
            if done.returncode or done.stdout.strip() != "2":  # at A = 30, W = 13: period 2 (theory 12)
                failures.append(f"python block: exit code {done.returncode}, not '2': {done.stdout}")
        if not python:
            failures.append("no python block")
        for path in re.findall(r"^\| `(\w+\.\w+)`", text, re.M):
            if not list((folder / "runs" / "demo").glob(path)):
                failures.append(f"{path} is not in runs/demo")

    named = set(re.findall(r"\]\(([^):]+)\)|`((?:docs|jobs|inputs|postprocess)/[\w./]+|[A-Z]+(?:\.\w+)?)`", text))
    files = {a or b for a, b in named} - {"L", "jobs/site.profile"}
    failures.extend(f"README names {path}, which does not exist" for path in sorted(files) if not (source / path).exists())
    if len(files) < 6:
        failures.append(f"only {len(files)} files found in README")
    codes = re.findall(r"^\| (\d+) \|", text, re.M)
    told = re.search(r"Exit codes\n((?:  .*\n)+)", run([graze, "help"], source, environment).stdout)
    if not told or codes != re.findall(r"\b\d+\b", told.group(1)):
        failures.append(f"exit codes {codes} are not those of graze help: {told and told.group(1)}")
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
