# processors: 3
"""Bad input gets exactly one line from graze on stderr and the stated exit code, soon, and touches no existing output.

Arguments (defaults from the environment that ctest sets): --graze PATH --source DIR --mpiexec PATH. Silent when right.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OPTIONS, FILES, IO = 64, 65, 74
SOON = 20  # seconds; a refusal takes half a second alone, and the machine may be busy with other tests

# A sweep of one cell that ends within a second or two.
TINY = "-sweep_amplitude 30 -sweep_frequency 13 -receptance_modes 20 -settle_periods 20 -sample_periods 8 -max_period 8".split()

SI_SET = ("-beam_length 2 -beam_youngs_modulus 2.1e11 -beam_poisson_ratio 0.3 -beam_shear_factor 0.8333 -beam_density 7800 "
          "-beam_width 0.1 -beam_height 0.2").split()

MODES = "-beam_model modes -flow restitution -forcing_mode 1 -beam_frequencies "

# words after the command, exit code, what the line must hold
SWEEP_OPTIONS = [
    ("-stop_postion -0.05", OPTIONS, "did you mean -stop_position?"),
    ("--stop_position -0.05", OPTIONS, "did you mean -stop_position?"),
    ("-stop_position=-0.05", OPTIONS, "-stop_position -0.05"),
    ("-frequency 3", OPTIONS, "-sweep_frequency"),
    ("-options_file run.yaml", OPTIONS, "unknown option -options_file"),
    ("stray", OPTIONS, "stray word 'stray'"),
    ("-quiet stray", OPTIONS, "'stray'"),
    ("-stop_position", OPTIONS, "needs a value"),
    ("-stop_position -quiet", OPTIONS, "needs a value"),
    ("-periods 4", OPTIONS, "belongs to graze trajectory"),
    ("-damping_ratio 1", OPTIONS, "[0, 1)"),
    ("-damping_ratio 1.5", OPTIONS, "[0, 1)"),
    ("-damping_ratio -0.1", OPTIONS, "[0, 1)"),
    ("-damping_ratio nan", OPTIONS, "finite"),
    ("-stop_position -inf", OPTIONS, "finite"),
    ("-stop_position 1e999", OPTIONS, "finite"),
    ("-stop_position five", OPTIONS, "'five' is not a number"),
    ("-beam_beta 0", OPTIONS, "> 0"),
    ("-receptance_modes 1", OPTIONS, "0 or 2 to 400"),
    ("-receptance_rtol 0", OPTIONS, "-receptance_rtol"),
    ("-flow exakt", OPTIONS, "exact|literal|restitution"),
    ("-beam_model euler_bernoulli", OPTIONS, "allowed: -flow restitution"),
    ("-beam_model euler_bernoulli -flow literal", OPTIONS, "graze kernel"),
    ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1", OPTIONS, "L+ = 0"),
    ("-beam_model modes -flow restitution", OPTIONS, "-beam_frequencies"),
    (MODES + "1,1 -beam_tip_values 1,2", OPTIONS, "1 after 1"),
    (MODES + "0,0 -beam_tip_values 1,2", OPTIONS, "only the first may be 0"),
    (MODES + "1,1.0000000001 -beam_tip_values 1,2", OPTIONS, "cannot be told apart"),
    (MODES + "1e-7,1 -beam_tip_values 1,2", OPTIONS, "nothing beside 1"),
    (MODES + "1,1e80 -beam_tip_values 1,2", OPTIONS, "1e60"),
    (MODES + "1,2 -beam_tip_values 1,0", OPTIONS, "number 2 is 0"),
    (MODES + "1,2 -beam_tip_values 1,1e-7", OPTIONS, "number 2, 1e-07, is nothing beside 1"),
    (MODES + "1 -beam_tip_values 1e-80", OPTIONS, "1e-60"),
    (MODES + "1,2 -beam_tip_values 1", OPTIONS, "one for each of the 2"),
    (MODES + "1 -beam_tip_values 1 -forcing_mode 2", OPTIONS, "-forcing_mode: 2"),
    (MODES + ",".join(map(str, range(1, 66))) + " -beam_tip_values 1", OPTIONS, "-beam_frequencies"),
    ("-beam_model string -beam_ends free_free", OPTIONS, "literal with -damping_ratio 0"),
    ("-beam_ends free_free -flow literal", OPTIONS, "without damping"),
    ("-flow literal -literal_step 1e-12", OPTIONS, "allowed: at most 1e8"),
    ("-flow literal -literal_step 1e-6", OPTIONS, "allowed: at most 1e9"),
    ("-beam_model string -beam_beta 4800", OPTIONS, "timoshenko"),
    ("-beam_model rod -beam_ends pinned_pinned", OPTIONS, "clamped_free or free_free"),
    ("-beam_model rod -beam_length 1 -beam_youngs_modulus 1 -beam_density 1", OPTIONS, "-beam_area"),
    ("-beam_model string -beam_length 1", OPTIONS, "no SI set"),
    ("-beam_ends clamped_clamped", OPTIONS, "held fixed"),
    ("-beam_ends free_free", OPTIONS, "rigid motion"),
    ("-flow restitution", OPTIONS, "-receptance_modes"),
    ("-restitution_coefficient 0.8", OPTIONS, "-flow restitution"),
    ("-beam_tip_values -1,x", OPTIONS, "'-1,x' is not a list"),
    ("-stop_side above", OPTIONS, "at or below -stop_position"),
    ("-flow literal -sweep_check 3", OPTIONS, "-flow exact"),
    ("-kernel_times 9", OPTIONS, "belongs to graze kernel"),
    ("-flow literal -receptance_closure 0", OPTIONS, "allowed: 1 or 2"),
    ("-sweep_check 3 -receptance_closure 0", OPTIONS, "allowed: 1 or 2"),
    ("-sweep_direction sideways", OPTIONS, "up|down|both"),
    ("-sweep_frequency 5:1:x", OPTIONS, "'5:1:x'"),
    ("-sweep_frequency 5:1:3", OPTIONS, "must rise"),
    ("-sweep_frequency 4:40:0", OPTIONS, "count"),
    ("-sweep_frequency 4:nan:3", OPTIONS, "-sweep_frequency"),
    ("-sweep_frequency 0:4:3", OPTIONS, "-sweep_frequency"),
    ("-sweep_amplitude 1:2:1", OPTIONS, "count 1"),
    ("-sample_periods 0", OPTIONS, "-sample_periods"),
    ("-max_contacts 0", OPTIONS, "-max_contacts"),
    ("-max_period 0", OPTIONS, "-max_period"),
    ("-max_period 65", OPTIONS, "-sample_periods"),
    ("-settle_periods 1.5", OPTIONS, "whole number"),
    ("-settle_periods 99999999999999999999", OPTIONS, "-settle_periods"),
    ("-initial_displacement -0.06", OPTIONS, "inside the stop"),
    ("-stop_position 2", OPTIONS, "inside the stop"),
    ("-receptance_modes 4 -forcing_mode 5", OPTIONS, "-receptance_modes"),
    ("-units si", OPTIONS, "-units si"),
    ("-beam_length 2", OPTIONS, "-beam_youngs_modulus is missing"),
    (" ".join(SI_SET) + " -beam_beta 4800", OPTIONS, "not both"),
    (" ".join(SI_SET) + " -beam_shear_modulus 8e10", OPTIONS, "not both"),
    (" ".join(SI_SET) + " -units si", OPTIONS, "-stop_position"),
    ("-max_walltime 1h", OPTIONS, "[D-]HH:MM:SS"),
    ("-max_walltime 00:00:00", OPTIONS, "no time at all"),
    ("-checkpoint_interval -1", OPTIONS, ">= 0"),
    ("-walltime_margin nan", OPTIONS, "finite"),
    ("-retry all", OPTIONS, "none|failed"),
    ("-shard 2", OPTIONS, "k/N"),
    ("-shard 3/2", OPTIONS, "1 <= k <= N"),
    ("-shard 1/27", OPTIONS, "at most 26"),
    ("-shard 1/4 -sweep_along amplitude -sweep_frequency 4:5:3", OPTIONS, "at most 3"),
    ("-options_file_yaml", OPTIONS, "needs a file"),
    ("-options_file_yaml /nonexistent/run.yaml", FILES, "/nonexistent/run.yaml"),
    ("-options_file_yaml /tmp", FILES, "directory"),
    ("-options_file_yaml a.yaml -options_file_yaml b.yaml", OPTIONS, "twice"),
]

# text of a parameter file, what the line must hold; the exit code is 65
SWEEP_FILES = [
    ("", "empty"),
    ("# nothing\n", "empty"),
    ("beam_beta: 4800\nstop_position: : 1\n", "line 2"),
    ("{beam_beta: 4800\n", "malformed YAML"),
    ("beam:\n\tbeta: 1\n", "line 2"),
    ("- beam_beta\n", "line 1"),
    ("beam_beta: 1\nbeam_beta: 2\n", "line 2: duplicate key 'beam_beta'"),
    ("beam: {beta: 1}\nbeam_beta: 2\n", "line 2: duplicate key 'beam_beta'"),
    ("beam_beta: 4800\nstop_postion: 1\n", "line 2: unknown option 'stop_postion'; did you mean 'stop_position'?"),
    ("damping_ratio: 1\n", "line 1: damping_ratio"),
    ("damping_ratio: .nan\n", "line 1: damping_ratio"),
    ("max_walltime: 1:75:00\n", "line 1: max_walltime: '1:75:00' is not a time"),
    ("shard: 0/4\n", "line 1: shard"),
    ("sweep_frequency: '5:1:x'\n", "line 1: sweep_frequency"),
    ("sweep_frequency: [4, 40, 181]\n", "line 1: a list"),
    ("beam_tip_values: [1, [2]]\n", "line 1: a list holds one number after another"),
    ("stop_position: &a -0.05\n", "anchors"),
    ("stop_position: -0.05\n---\nstop_position: -0.06\n", "line 2: a second document"),
    ("stop_position:\n", "no value"),
]

TRAJECTORY_OPTIONS = [
    ("-max_walltime 1:00:00", OPTIONS, "belongs to graze sweep"),
    ("-period 4", OPTIONS, "did you mean -periods?"),
    ("-sweep_frequency 4:40:3", OPTIONS, "belongs to graze sweep"),
    ("-forcing_frequency 0", OPTIONS, "> 0"),
    ("-forcing_amplitude -1", OPTIONS, ">= 0"),
    ("-periods 0", OPTIONS, "-periods"),
    ("-samples_per_period nan", OPTIONS, "whole number"),
    ("-periods 1000000 -samples_per_period 1000000", OPTIONS, "too many"),
    ("-flow literal -literal_step 1e-300", OPTIONS, "allowed: at most 1e8"),
    ("-beam_model euler_bernoulli", OPTIONS, "(L+ = 0); allowed: -flow restitution"),
]

KERNEL_OPTIONS = [
    ("-kernel_beam_points 40,20", OPTIONS, "rising"),
    ("-kernel_beam_points 40,x", OPTIONS, "not a list"),
    ("-kernel_min_time 2", OPTIONS, "below -kernel_max_time"),
    ("-stop_position 1", OPTIONS, "belongs to graze sweep, graze trajectory"),
    ("-beam_ends pinned_pinned", OPTIONS, "held fixed"),
]

ASYMPTOTICS_OPTIONS = [
    ("-asymptotics_alpha 0.5", OPTIONS, "(0.5, 4]"),
    ("-asymptotics_max_time 1e-7", OPTIONS, "below -asymptotics_max_time"),
    ("-beam_beta 3", OPTIONS, "belongs to graze sweep, graze trajectory, graze continue, graze kernel"),
]

PROGRAM = [
    (["swep"], OPTIONS, "did you mean 'sweep'?"),
    (["-stop_position", "1"], OPTIONS, "comes before the command"),
    (["help", "swep"], OPTIONS, "did you mean 'sweep'?"),
    (["info"], OPTIONS, "info"),
    (["info", "/nonexistent/sweep.h5"], FILES, "/nonexistent/sweep.h5"),
]


class Tester:
    def __init__(self, graze, mpiexec, folder):
        self.graze, self.mpiexec, self.folder = graze, mpiexec, pathlib.Path(folder)
        self.failures = 0
        self.environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
        if os.getuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.existing = self.folder / "existing"
        self.existing.mkdir()
        (self.existing / "sweep.h5").write_bytes(b"a result that must stay as it is\n" * 100)
        (self.existing / "trajectory.h5").write_bytes(b"another\n")
        self.before = self.look(self.existing)

    @staticmethod
    def look(folder):
        """What a folder holds, to the byte and the nanosecond."""
        return sorted((str(p), p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in [folder, *folder.rglob("*")] if p.exists())

    def fail(self, words, text):
        self.failures += 1
        print(f"graze {' '.join(words)}\n    {text}")

    def run(self, words, ranks=None, environment=None):
        launch = [self.mpiexec, "-n", str(ranks), self.graze] if ranks else [self.graze]
        return subprocess.run(launch + words, cwd=self.folder, env=dict(self.environment, **(environment or {})), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=120)

    def refused(self, words, code, says, ranks=None, environment=None):
        start = time.monotonic()
        done = self.run(words, ranks, environment)
        took = time.monotonic() - start
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        ours = [line for line in lines if line.startswith("graze: ")]
        if done.returncode != code:
            self.fail(words, f"exit code {done.returncode}, not {code}; stderr: {done.stderr}")
        elif len(ours) != 1 or (not ranks and len(lines) != 1) or "PETSC ERROR" in done.stderr:
            self.fail(words, f"not one line on stderr: {done.stderr}")
        elif says not in ours[0]:
            self.fail(words, f"'{ours[0]}' does not say '{says}'")
        elif took > SOON:
            self.fail(words, f"took {took:.1f} s")
        elif "cells" in done.stdout:
            self.fail(words, f"work was begun: {done.stdout}")
        if self.look(self.existing) != self.before:
            self.fail(words, "an existing output was touched")
            self.before = self.look(self.existing)
        if (self.folder / "runs").exists():
            self.fail(words, "an output was begun")
            shutil.rmtree(self.folder / "runs")

    def good(self, words, says="", ranks=None):
        done = self.run(words, ranks)
        if done.returncode or says not in done.stdout:
            self.fail(words, f"exit code {done.returncode}, wanted 0 and '{says}'; stdout: {done.stdout} stderr: {done.stderr}")

    def write(self, text):
        path = self.folder / "run.yaml"
        path.write_text(text)
        return str(path)


def options_and_files(t):
    out = ["-output", str(t.existing)]
    for words, code, says in SWEEP_OPTIONS:
        t.refused(["sweep", *out, *words.split()], code, says)
    t.refused(["sweep", "-output", ""], OPTIONS, "empty")
    t.refused(["sweep", "-output", "a\nb"], OPTIONS, "control characters")
    t.refused(["sweep", "-output"], OPTIONS, "needs a value")
    t.refused(["sweep", *out], OPTIONS, "PETSC_OPTIONS", environment={"PETSC_OPTIONS": "-damping_ratio 2"})
    for text, says in SWEEP_FILES:
        t.refused(["sweep", *out, "-options_file_yaml", t.write(text)], FILES, says)
    for words, code, says in TRAJECTORY_OPTIONS:
        t.refused(["trajectory", *out, *words.split()], code, says)
    for words, code, says in KERNEL_OPTIONS:
        t.refused(["kernel", *out, *words.split()], code, says)
    for words, code, says in ASYMPTOTICS_OPTIONS:
        t.refused(["asymptotics", *out, *words.split()], code, says)
    for words, code, says in PROGRAM:
        t.refused(words, code, says)
    done = t.run([])
    if done.returncode != OPTIONS or done.stdout or "Commands" not in done.stderr:
        t.fail([], f"graze alone: exit code {done.returncode}, stderr: {done.stderr}")


def many_ranks(t):
    out = ["-output", str(t.existing)]
    for words, code, says in [
        (["sweep", *out, "-stop_postion", "1"], OPTIONS, "-stop_position"),
        (["sweep", *out, "-damping_ratio", "1"], OPTIONS, "[0, 1)"),
        (["sweep", *out, "-options_file_yaml", t.write("beam_beta: 1\nbeam_beta: 2\n")], FILES, "duplicate key"),
        (["sweep", *out, "-options_file_yaml", "/nonexistent/run.yaml"], FILES, "/nonexistent"),
        (["sweep", *out, *SI_SET, "-beam_beta", "1"], OPTIONS, "not both"),
        (["trajectory", *out, "-periods", "0"], OPTIONS, "-periods"),
        (["swep"], OPTIONS, "did you mean"),
    ]:
        t.refused(words, code, says, ranks=3)


def outputs(t):
    """Places that cannot be written, results that are in the way."""
    a_file = t.folder / "a_file"
    a_file.write_text("not a folder\n")
    for command, small in ("sweep", TINY), ("trajectory", ["-periods", "1", "-receptance_modes", "20"]):
        t.refused([command, *small, "-output", str(a_file)], IO, str(a_file))
        t.refused([command, *small, "-output", str(a_file / "below")], IO, "a_file")
        t.refused([command, *small, "-output", "/proc/graze/run"], IO, "/proc/graze")
        t.good([command, *small, "-output", str(t.folder / command / "missing" / "parents")])
    t.refused(["sweep", *TINY, "-output", "/proc/graze/run"], IO, "/proc/graze", ranks=3)
    # a file by the name of a result that is none
    t.refused(["sweep", *TINY, "-output", str(t.existing)], FILES, "sweep.h5")
    t.refused(["info", str(t.existing / "sweep.h5")], FILES, "sweep.h5")

    complete = ["sweep", *TINY, "-output", str(t.folder / "sweep" / "missing" / "parents")]
    before = t.look(pathlib.Path(complete[-1]))
    t.good(complete, "complete")
    t.refused([*complete, "-damping_ratio", "0.2"], FILES, "-overwrite")
    if t.look(pathlib.Path(complete[-1])) != before:
        t.fail(complete, "a complete result was touched")

    # Killed as soon as there is a file: most of its cells are pending.
    incomplete = t.folder / "incomplete"
    words = ["sweep", "-sweep_amplitude", "10:60:60", "-sweep_frequency", "4:40:400", "-receptance_modes", "40", "-output", str(incomplete)]
    process = subprocess.Popen([t.graze, *words], cwd=t.folder, env=t.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while not (incomplete / "sweep.h5").exists() and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if not (incomplete / "sweep.h5").exists():
        t.fail(words, "no sweep.h5 appeared")
        return
    before = t.look(incomplete)
    other = [*words, "-damping_ratio", "0.2", "-max_contacts", "7"]
    for says in "damping_ratio 0.1 instead of 0.2", "max_contacts 256 instead of 7", "-overwrite":
        t.refused(other, FILES, says)
    if t.look(incomplete) != before:
        t.fail(other, "an incomplete result of other physics was touched")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graze", default=os.environ.get("GRAZE"))
    parser.add_argument("--source")
    parser.add_argument("--mpiexec", default=os.environ.get("MPIEXEC", "mpiexec"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graze_bad_input_") as folder:
        t = Tester(os.path.abspath(arguments.graze), arguments.mpiexec, folder)
        options_and_files(t)
        many_ranks(t)
        outputs(t)
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
