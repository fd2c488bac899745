# processors: 3
"""Other structures, waves and rigid impacts through the commands: published motions, units and words of the files, sweeps on any number of
ranks and after kills, and what is refused when the spectrum is known. Silent when right.
"""

import pathlib
import sys
import tempfile

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, finish, near, together  # noqa: E402

OPTIONS, FILES = 64, 65

STRING = "-beam_model string -beam_wave_speed 2 -damping_ratio 0 -flow literal -stop_position 0 -initial_shape linear -initial_velocity 0 " \
         "-forcing_type base -forcing_amplitude 0 -forcing_frequency 3.14159265358979 -literal_step 1e-3"
ROD_SI = "-beam_model rod -units si -beam_length 0.2 -beam_youngs_modulus 2e11 -beam_density 8000 -beam_area 4e-4"
OSCILLATOR = "-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_damping_ratios 0.05 -flow restitution -restitution_coefficient 0.8 " \
             "-forcing_mode 1 -stop_side above -stop_position 1"
# sizes of a sweep that takes a second
SMALL = "-settle_periods 10 -sample_periods 8 -max_period 4 -max_periods 60 -max_contacts 40"


def trajectory(r, output, *options, code=0):
    return r.run(output, *options, command="trajectory", code=code)


def contacts(r, output):
    """(onsets, releases) of a trajectory."""
    with h5py.File(r.folder / output / "trajectory.h5") as file:
        kind, time = file["event_type"][()], file["event_time"][()]
        return time[kind == 1], time[kind == 2]


def scales(path, **wanted):
    with h5py.File(path) as file:
        for name, scale in wanted.items():
            name = name.replace("__", "/")
            check(file[name].attrs["scale"].decode() == scale, f"{path}: scale of {name} is {file[name].attrs['scale']}, not {scale}")


def waves(r):
    # plucked string on a point obstacle (Cabannes): in contact in [0.5, 1], [2, 2.5], ...; first order in the step of 1e-3
    out = trajectory(r, "string", STRING, "-periods 2 -samples_per_period 20").stdout
    check("exact waves" in out and "tail" not in out and "m0 L/t0^2" in out and "EI" not in out, f"string: {out}")
    onsets, releases = contacts(r, "string")
    near(onsets[:2], [0.5, 2], 3e-3, "onsets of the plucked string")
    near(releases[:2], [1, 2.5], 3e-3, "releases of the plucked string")
    scales(r.folder / "string" / "trajectory.h5", force="m0 L/t0^2", event_force="m0 L/t0^2", peak_force="m0 L/t0^2", displacement="L",
           kernel__L1_2="t0/m0", kernel__g="t0/m0", kernel__residue="1/m0", kernel__compliance="t0^2/m0", kernel__Linf="t0/m0, 1/m0")
    out = r.graze("info", r.folder / "string").stdout
    check("exact waves, L+ = 0.5 t0/m0" in out and "tail" not in out, f"info of waves: {out}")

    # St Venant rod on a rigid wall (code_aster SDNV100A): contact from 2e-5 s to 1e-4 s at 1.6e6 N
    trajectory(r, "rod", ROD_SI, "-beam_ends free_free -flow literal -damping_ratio 0 -stop_position -2e-3 -initial_shape uniform "
               "-initial_displacement 0 -initial_velocity -100 -forcing_type base -forcing_amplitude 0 -forcing_frequency 6e4 -periods 2 "
               "-samples_per_period 100 -literal_step 4e-8")
    with h5py.File(r.folder / "rod" / "trajectory.h5") as file:
        t0, unit = file["scales/time"][()], file["scales/force"][()]
        near(file["peak_force"][()] * unit, 1.6e6, 1, "force on the wall, N")
    onsets, releases = contacts(r, "rod")
    near([onsets[0] * t0, releases[0] * t0], [2e-5, 1e-4], 1e-7, "contact of the rod, s")
    scales(r.folder / "rod" / "trajectory.h5", force="m0 L/t0^2")
    out = r.graze("info", r.folder / "rod").stdout
    check("EA = 80000000 N" in out and "EI" not in out and "beta =" not in out and "nan" not in out, f"info of the rod: {out}")

    # an undamped string by modes rings: the log says what does not
    for options, warned in (("-damping_ratio 0", True), ("-damping_ratio 0.1", False)):
        done = trajectory(r, f"ringing{warned}", "-beam_model string", options, "-receptance_modes 20 -periods 1 -samples_per_period 4")
        check(("-flow literal takes the exact waves" in done.stdout) == warned, f"{options}: {done.stdout}")


def impacts(r):
    # x'' + 0.1 x' + x = cos t, x <= 1, C_R = 0.8: the one-impact orbit hits at W t = 0.0759521649 and leaves with -1.356586 (theory 12);
    # its multiplier is not far inside 1, so it is started there: one period later it hits again with the velocity -1/0.8 of that
    trajectory(r, "oscillator", OSCILLATOR, "-forcing_amplitude 1 -forcing_frequency 1 -strobe_phase 0.0759521649 -initial_displacement 1 "
               "-initial_velocity -1.356586 -periods 2 -samples_per_period 20")
    with h5py.File(r.folder / "oscillator" / "trajectory.h5") as file:
        near(file["event_time"][0], 2 * np.pi, 1e-5, "impact of the oscillator")
        near(file["event_velocity"][0], 1.356586 / 0.8, 1e-5, "its velocity")
        check(np.isinf(file["event_force"][0]) and file["peak_force"][()] == 0, "force of an impact and peak force")
        near(file["event_impulse"][0], 1.8 * 1.356586 / 0.8, 1e-5, "impulse")
    scales(r.folder / "oscillator" / "trajectory.h5", event_force="m0 L/t0^2", event_impulse="m0 L/t0", kernel__residue="1/m0")
    out = r.graze("info", r.folder / "oscillator").stdout
    check("1 modes, rigid impacts" in out and "tail" not in out and "inf" not in out.split("Motion")[1], f"info of impacts: {out}")

    # a load that presses on the stop: sticking, whose force is the peak
    trajectory(r, "pressed", OSCILLATOR.replace("0.8", "0.5"), "-forcing_amplitude 0.1 -forcing_frequency 1 -forcing_mean 3 "
               "-initial_displacement 0.9 -initial_velocity 0 -periods 3 -samples_per_period 20")
    with h5py.File(r.folder / "pressed" / "trajectory.h5") as file:
        near(file["peak_force"][()], 3 - 1 + 0.1, 1e-3, "force of sticking")  # F0 + A - w^2 y; the beam sticks through a maximum
        check(file["sticks"][()] == 1 and file["impacts"][()] > 5, "sticks and impacts")

    # mode 13 of the Euler-Bernoulli beam all but rests at its middle (6e-9): its zero and its pole are one number. A contact point beside it
    # knows the mode; the motion differs by 3.5 times the distance, measured at 1e-6 and 1e-5
    for position in "0.5", "0.500001":
        trajectory(r, f"middle{position}", f"-beam_model euler_bernoulli -contact_position {position} -receptance_modes 14 -flow restitution "
                   "-restitution_coefficient 0.3 -periods 2 -samples_per_period 100")
    with h5py.File(r.folder / "middle0.5" / "trajectory.h5") as one, h5py.File(r.folder / "middle0.500001" / "trajectory.h5") as other:
        near(one["displacement"][()], other["displacement"][()], 1e-5, "Euler-Bernoulli beam with its stop at the middle")
        check(one["sticks"][()] == other["sticks"][()] == 2 and 13 in one["kernel/mode"][()], "its spells of sticking, and mode 13")

    # 64 modes: every one is in the file and in the words
    numbers = ",".join(str(k + 0.125) for k in range(1, 65))
    trajectory(r, "list", f"-beam_model modes -beam_frequencies {numbers} -beam_tip_values {numbers} -flow restitution -stop_position 0",
               "-periods 1 -samples_per_period 2")
    with h5py.File(r.folder / "list" / "trajectory.h5") as file:
        near(file["kernel/natural_frequency"][()], np.arange(1, 65) + 0.125, 0, "frequencies of 64 modes")
    out = r.graze("info", r.folder / "list").stdout
    joined = "".join(out.split())
    check(joined.count(numbers) == 2 + 2, "info names 64 modes whole, in command and parameters")
    check(max(len(line) for line in out.splitlines()) <= 100, "info of 64 modes is 100 columns wide")


def kernels(r):
    # contact points where a mode of the Euler-Bernoulli beam all but rests: its zero lies beside its pole
    for position in 0.5, 0.7:
        out = r.run(f"eb{position}", f"-beam_model euler_bernoulli -contact_position {position} -kernel_beam_points 20,60 -kernel_times 5",
                    command="kernel").stdout
        check("singular: L+ = 0" in out and "-flow restitution" in out, f"kernel at {position}: {out}")
    r.run("free", "-beam_model rod -beam_ends free_free -kernel_beam_points 20 -kernel_times 5", command="kernel")
    scales(r.folder / "free" / "kernel.h5", L_plus="t0/m0", L1_bare_log="t0^2/m0, t0/m0", g_limit_linear="t0/m0", modal_residue="1/m0",
           compliance="t0^2/m0", residue_re="t0/m0", Linf="t0/m0, 1/m0", pole_re="1/t0")
    scales(r.folder / "eb0.5" / "kernel.h5", L_plus="L^3/(EI t0)", modal_residue="L^3/(EI t0^2)")
    # a weak mode between two strong ones: tip values 1e-5 of theirs
    for command, rest in ("kernel", ""), ("trajectory", "-flow restitution -stop_position 0 -periods 1 -samples_per_period 2"):
        r.run(f"weak_{command}", "-beam_model modes -beam_frequencies 1,2,3 -beam_tip_values 1,1e-5,1", rest, command=command)


def sweeps(r):
    cells = {
        "rigid": "-flow restitution -restitution_coefficient 0.6 -receptance_modes 12 -sweep_amplitude 20:40:3 -sweep_frequency 10:16:4",
        "waves": STRING.replace("-forcing_amplitude 0 -forcing_frequency 3.14159265358979", "").replace("1e-3", "2e-2") +
                 " -sweep_amplitude 1:2:2 -sweep_frequency 2:3:3",
        "one": OSCILLATOR + " -sweep_amplitude 0.5:1:3 -sweep_frequency 0.8:1.2:4 -initial_displacement 0",
        "above": "-beam_ends pinned_pinned -contact_position 0.3 -receptance_modes 20 -stop_side above -stop_position 0.001 -forcing_mode 1 "
                 "-initial_displacement 0 -sweep_amplitude 20:40:2 -sweep_frequency 10:16:2",
    }
    for name, options in cells.items():
        for ranks in (1, 2, 3) if name == "rigid" else (1, 2):
            r.run(f"{name}{ranks}", options, SMALL, ranks=ranks)
            r.same(f"{name}1", f"{name}{ranks}", f"{name} on {ranks} ranks")
        verified = r.graze("verify", r.folder / f"{name}1")
        check(verified.returncode == 0, f"verify of {name}: {verified.stdout}{verified.stderr}")
        out = r.graze("info", r.folder / f"{name}1")
        check(out.returncode == 0 and "complete" in out.stdout and "nan" not in out.stdout, f"info of {name}: {out.stdout}{out.stderr}")
        data = r.read(f"{name}1")
        check(np.all(data["status"] > 0) and np.all(np.isfinite(data["peak_force"])), f"{name}: status {data['status']}, {data['peak_force']}")
        dry = r.run(f"{name}_dry", options, SMALL, "-dry_run").stdout
        wanted = {"waves": "steps of waves", "rigid": "12 modes", "one": "1 mode\n", "above": "20 modes"}[name]
        check(wanted in dry and ("rigid impacts" in dry) == (name in ("rigid", "one")), f"dry run of {name}: {dry}")
    scales(r.file("waves1"), contact_force="m0 L/t0^2", contact_impulse="m0 L/t0", peak_force="m0 L/t0^2", amplitude="L/t0^2")
    scales(r.file("rigid1"), contact_force="EI/L^2", contact_impulse="EI t0/L^2")

    # killed in the middle, gone on with: nothing shows
    for name in "rigid", "waves":
        run = r.start(f"{name}_killed", cells[name], SMALL, "-checkpoint_interval 0.001")
        if run.wait_for(lambda: r.finished(f"{name}_killed") >= 2, "two cells"):
            run.kill(run.process.pid)
        run.end()
        r.run(f"{name}_killed", cells[name], SMALL)
        r.same(f"{name}1", f"{name}_killed", f"{name} after a kill")
    r.run("rigid1", "-kernel_beam_points 20", command="kernel", code=FILES)


def refusals(r):
    """What only the spectrum knows."""
    middle = "-beam_ends pinned_pinned -contact_position 0.5 -receptance_modes 10 -periods 1 -samples_per_period 2"
    for number, (options, says) in enumerate([
        (middle + " -forcing_mode 2", "-forcing_mode: mode 2 does not move the contact point"),
        (middle + " -forcing_mode 2 -forcing_type shape", "-forcing_mode: mode 2 does not move the contact point"),
        (middle + " -forcing_mode 1 -initial_mode 2", "-initial_mode: mode 2 does not move the contact point"),
        (middle + " -forcing_mode 21", "allowed: at most 19"),
        ("-beam_points 20 -receptance_modes 100", "resolves"),
        ("-beam_model string -flow literal -damping_ratio 0 -beam_wave_speed 1e-9 -literal_step 1e-3", "allowed: at most 1e8, a longer step"),
    ]):
        done = trajectory(r, f"refused{number}", options, code=OPTIONS)
        check(says in done.stderr, f"{options}: '{done.stderr}' does not say '{says}'")
    # ten modes are kept of nineteen, the last of which may be driven
    trajectory(r, "nineteen", middle, "-forcing_mode 19 -initial_mode 3")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_structures_") as folder:
        r = Runs(folder)
        together(1, *(lambda part=part: part(r) for part in (waves, impacts, kernels, sweeps, refusals)))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
