"""docs/options.md is what `graze help --markdown` prints, and every option stands in the help of its command.

Arguments (defaults from the environment that ctest sets): --graze PATH --source DIR. Silent when right.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys


COMMANDS = "sweep", "trajectory", "kernel", "asymptotics"


def run(graze, *words):
    return subprocess.run([graze, *words], stdout=subprocess.PIPE, check=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graze", default=os.environ.get("GRAZE"))
    parser.add_argument("--source", default=os.environ.get("GRAZE_SOURCE_DIR"))
    parser.add_argument("--mpiexec")
    arguments = parser.parse_args()
    markdown = run(arguments.graze, "help", "--markdown")
    wrong = []
    if markdown != (pathlib.Path(arguments.source) / "docs" / "options.md").read_text():
        wrong.append("docs/options.md is out of date: graze help --markdown > docs/options.md")
    names = {command: set(re.findall(r"^  -(\w+) ", run(arguments.graze, "help", command), re.M)) for command in COMMANDS}
    rows = re.findall(r"^\| `-(\w+)` \|.*\| ((?:%s)(?:, \w+)*) \|" % "|".join(COMMANDS), markdown, re.M)
    if len(rows) < 70:  # the table has 77 rows; a pattern that finds none would prove nothing
        wrong.append(f"only {len(rows)} rows found in the table")
    for name, owners in rows:
        for which in names:
            if (name in names[which]) != (which in owners.split(", ")):
                wrong.append(f"-{name} in the help of {which}: {name in names[which]}")
    all_names = set(re.findall(r"^  -(\w+) ", run(arguments.graze, "help"), re.M))
    wrong += [f"-{name} is not in graze help" for name, _ in rows if name not in all_names]
    for command in [], *([name] for name in COMMANDS), ["info"]:
        wrong += [f"wider than 100 columns: {line}" for line in run(arguments.graze, "help", *command).splitlines() if len(line) > 100]
    if run(arguments.graze, "sweep", "-help") != run(arguments.graze, "help", "sweep"):
        wrong.append("graze sweep -help differs from graze help sweep")
    version = run(arguments.graze, "--version")
    wrong += [f"--version does not name {word}" for word in ("graze", "commit", "PETSc", "SLEPc", "HDF5", "MPI", "compiler") if word not in version]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
