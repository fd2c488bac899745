"""What the program finds: runs of the graze binary in a folder of their own, and the numbers read from the files they leave.

values() gives arrays by the names of references.json. Nothing here is a result typed by hand.
"""

import os
import pathlib
import subprocess

import h5py
import numpy as np


class Program:
    def __init__(self, graze, source, folder):
        self.graze, self.source, self.folder, self.count = os.path.abspath(graze), pathlib.Path(source), pathlib.Path(folder), 0
        self.environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                                HDF5_USE_FILE_LOCKING="FALSE")
        if os.getuid() == 0:
            self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def said(self, *words):
        done = subprocess.run([self.graze, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120)
        if done.returncode:
            raise SystemExit(f"graze {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, command, options="", input=None):
        """The result file of a run, open; `input` is a folder of inputs/, whose run.yaml the options override."""
        self.count += 1
        output = self.folder / str(self.count)
        file = ["-options_file_yaml", str(self.source / "inputs" / input / "run.yaml")] if input else []
        self.said(command, *file, "-output", str(output), *options.split())
        return h5py.File(output / ("branches.h5" if command == "continue" else f"{command}.h5"))


def scale(file, name):
    return file["scales"][name][()] if "scales" in file else 1.0


def frequencies(file, n):
    """w = |pole| of the receptance, damped or not, for the most points."""
    pole = (file["pole_re"][-1] + 1j * file["pole_im"][-1])[: file["n_poles"][-1]]
    return np.sort(abs(pole[pole.imag > 0]))[:n]


def hertz(file, n):
    return frequencies(file, n) / scale(file, "time") / (2 * np.pi)


def contacts(file):
    """Onsets and releases of a trajectory, in order."""
    time, kind = file["event_time"][()] * scale(file, "time"), file["event_type"][()]
    return time[kind == 1], time[kind == 2]


def at(file, time):
    """Displacement at samples; a time between samples is a mistake here."""
    time, samples = np.asarray(time) / scale(file, "time"), file["time"][()]
    i = np.rint(time / samples[1]).astype(int)
    assert abs(samples[i] - time).max() < 1e-9 * samples[-1], "no sample at this time"
    return file["displacement"][()][i] * scale(file, "length")


def pressing(file):
    """Time and force of the samples in contact; what is below half the greatest force is the round-off of a release."""
    time, force = file["time"][()] * scale(file, "time"), file["force"][()] * scale(file, "force")
    return time[force > force.max() / 2], force[force > force.max() / 2]


def ends_of_force(file):
    """Force of the first and of the last step of every contact, the samples being the steps."""
    onset, release = contacts(file)
    first = file["event_force"][()][file["event_type"][()] == 1] * scale(file, "force")
    time, force = pressing(file)
    last = [force[time < (end + after) / 2][-1] for end, after in zip(release, [*onset[1:], np.inf])]
    return np.ravel(np.column_stack([first, last]))


def beams(program):
    steel = "-units si -beam_length 2 -beam_youngs_modulus 2.1e11 -beam_density 7800"
    times = "-kernel_min_time 1e-6 -kernel_max_time 1e-3"  # asked for in SI units
    default = program.run("kernel", "-kernel_beam_points 80")
    inside = program.run("kernel", "-kernel_beam_points 40 -contact_position 0.5")
    pinned = program.run("kernel", f"{steel} -beam_ends pinned_pinned -contact_position 0.3 -beam_height 0.2 -beam_width 0.1"
                         f" -beam_poisson_ratio 0.3 -beam_shear_factor {5 / 6!r} -kernel_beam_points 40 {times}")
    rod = program.run("kernel", f"{steel} -beam_model rod -beam_area 0.02 -damping_ratio 0 -kernel_beam_points 40 {times}")
    slender = program.run("kernel", "-beam_model euler_bernoulli -kernel_beam_points 160")
    string = program.run("kernel", "-beam_model string -beam_wave_speed 2 -kernel_beam_points 40")
    return dict(default_frequency=frequencies(default, 6), compliance=default["compliance"][()], linf=default["Linf"][-1, 1],
                l_plus=default["L_plus"][()], l_plus_inside=inside["L_plus"][()], slender_l_plus=slender["L_plus"][()],
                pinned=hertz(pinned, 4), extension=hertz(rod, 1)[0], cantilever=np.sqrt(frequencies(slender, 5)),
                slender_alpha=slender.attrs["alpha"], string=frequencies(string, 6))


def waves(program):
    string = program.run("trajectory", input="plucked_string")
    onset, release = contacts(string)
    rod = program.run("trajectory", input="rod_on_wall")
    hit, away = contacts(rod)
    _, press = pressing(rod)
    time, pull = pressing(string)
    # a sample for each of the 16000 steps
    bar = program.run("trajectory", "-samples_per_period 16000", input="bouncing_bar")
    down, up = contacts(bar)
    return dict(plucked=at(string, [0.1, 0.25, 0.4, 0.5, 1.1, 1.25, 1.5, 2.5, 3]),
                plucked_contacts=np.ravel(np.column_stack([onset, release])[:3]),
                plucked_force=np.array([pull[time < 1.5].min(), pull[time < 1.5].max()]),
                wall_contact=np.array([hit[0], away[0]]), wall_force=np.array([press.min(), press.max()]), wall_return=at(rod, 1.2e-4),
                bar_contacts=np.ravel(np.column_stack([down, up])),
                bar_force=ends_of_force(bar), bar_height=at(bar, 16 / 3))


def line(file):
    """Variables of the cells of a sweep that is one line, the cells first."""
    return {name: item[()].reshape(-1, *item.shape[3:]) for name, item in file.items() if isinstance(item, h5py.Dataset) and item.ndim >= 3}


def interpolated(x, y, at_x):
    """Value at at_x of the polynomial through the points (x, y)."""
    weights = [np.prod([(at_x - b) / (a - b) for j, b in enumerate(x) if j != i]) for i, a in enumerate(x)]
    return float(np.dot(weights, y))


def single_impact(file, period):
    """The cells of a line, all of them stable orbits of this period with one impact."""
    cells = line(file)
    if not ((cells["status"] == 1) & (cells["period"] == period) & (cells["n_contacts"] == 1)).all():
        raise SystemExit(f"{file.filename}: not an orbit with one impact in {period} periods in every cell")
    return cells


def oscillator(program):
    one = single_impact(program.run("sweep", input="impact_oscillator"), 1)
    # the mass is 1 and the stop above: the force pushes down
    after = one["contact_velocity"][0, 0] - one["contact_impulse"][0, 0]
    ghosh = "-beam_damping_ratios 0.02 -restitution_coefficient 0.9 -sweep_along amplitude"
    # The orbit is stable above the doubling: A as a polynomial of (1 + mu_1)(1 + mu_2), which is 0 there.
    file = program.run("sweep", f"{ghosh} -sweep_frequency 0.81 -sweep_amplitude 0.34754:0.34761:8", input="impact_oscillator")
    cells = single_impact(file, 2)
    product = np.prod(1 + (cells["multiplier_re"] + 1j * cells["multiplier_im"])[:, :2], axis=1).real
    doubling = interpolated(product, file["amplitude"][()], 0.0)
    # and above the fold, where A has a minimum as a function of the velocity of the impact
    file = program.run("sweep", f"{ghosh} -sweep_frequency 0.799 -sweep_amplitude 0.36284:0.36287:7", input="impact_oscillator")
    cells = single_impact(file, 2)
    velocity = abs(cells["contact_velocity"][:, 0])
    middle, half = velocity.mean(), np.ptp(velocity) / 2
    curve = np.polynomial.Polynomial.fit(velocity, file["amplitude"][()], 6)
    minimum = [v.real for v in curve.deriv().roots() if abs(v.imag) < 1e-9 and middle - 3 * half < v.real < middle]
    return dict(impact_phase=2 * np.pi * one["contact_phase"][0, 0], impact_velocity=after,
                impact_multiplier=np.array([one["multiplier_re"][0, 0], one["multiplier_im"][0, 0]]), doubling=doubling,
                fold=curve(max(minimum)) if minimum else np.nan)


def code(variable, meaning):
    """The number of a flag."""
    return variable.attrs["flag_values"][variable.attrs["flag_meanings"].decode().split().index(meaning)]


def special(file, kind, n, branch=0):
    """Indices of the n special points of a kind on a branch, by their parameter."""
    here = (file["special_type"][()] == code(file["special_type"], kind)) & (file["special_branch"][()] == branch)
    if here.sum() != n:
        raise SystemExit(f"{file.filename}: {here.sum()} of {kind} on branch {branch}, not {n}")
    return sorted(np.flatnonzero(here), key=lambda i: file["special_parameter"][i])


def located(file, kind, n, branch=0):
    return file["special_parameter"][()][special(file, kind, n, branch)]


def branches(program):
    def follow(parameter, low, high, options):
        bounds = f"-continue_parameter {parameter} -continue_min {low} -continue_max {high}"
        return program.run("continue", f"{bounds} {options}", input="impact_oscillator")

    ghosh = "-beam_damping_ratios 0.02 -restitution_coefficient 0.9"
    first = follow("amplitude", 0.3, 0.5, f"{ghosh} -initial_displacement 0.5 -forcing_amplitude 0.365 -forcing_frequency 0.81")
    second = follow("amplitude", 0.3, 0.37, f"{ghosh} -initial_displacement 0.5 -forcing_amplitude 0.365 -forcing_frequency 0.799")
    coco = follow("amplitude", 0.05, 1.1, "-forcing_amplitude 1 -forcing_frequency 1")
    undamped = "-beam_damping_ratios 0 -forcing_amplitude 1 -forcing_frequency 2.8 -initial_displacement -0.2 -stop_position -0.1"
    whole = follow("stop_position", -2, 0.2, undamped)
    cascade = follow("stop_position", -0.11, -0.025, f"{undamped} -continue_switch_depth 6")
    curve = follow("frequency", 2, 3.5, f"{ghosh} -initial_displacement 0.708 -initial_velocity 0.965"
                   " -forcing_amplitude 0.5 -forcing_frequency 2.5")
    if not (curve["branch_end"][()] == code(curve["branch_end"], "closed")).all():
        raise SystemExit(f"{curve.filename}: not a closed curve")
    modes = follow("frequency", 2.5, 3.4, "-beam_frequencies 1,3.8 -beam_tip_values 1,1.15 -beam_damping_ratios 0.005,0.005"
                   " -stop_position 0 -restitution_coefficient 0.95 -initial_displacement -0.5"
                   " -forcing_frequency 2.55 -forcing_amplitude 1")
    beam = [program.run("continue", f"-receptance_modes {M} -forcing_amplitude 30 -forcing_frequency 7.7 -continue_parameter frequency"
                        " -continue_min 7.7 -continue_max 7.8") for M in (60, 100)]
    start, fold = coco["branch_began"][0], special(coco, "fold", 1)[0]
    pairs = special(modes, "neimark_sacker", 2)
    leaving = [(modes["special_multiplier_re"][i, 0], modes["special_multiplier_im"][i, 0]) for i in pairs]
    # the doubled branch begins with the orbit that doubles
    doubled = cascade["branch_first_point"][1]
    doublings = np.ravel([located(cascade, "period_doubling", 1, level) for level in range(7)])
    if list(cascade["branch_period"]) != [2**level for level in range(7)] or cascade["parameter"][doubled] != doublings[0]:
        raise SystemExit(f"{cascade.filename}: not a cascade")
    return dict(branch_doubling=located(first, "period_doubling", 1), branch_ends=located(first, "grazing_onset", 2),
                branch_fold=located(second, "fold", 1), branch_fold_end=located(second, "grazing_onset", 1),
                coco_multiplier=np.array([coco["multiplier_re"][start, 0], coco["multiplier_im"][start, 0]]),
                coco_fold=located(coco, "fold", 1), coco_fold_multiplier=coco["special_multiplier_re"][fold, :2],
                coco_grazing=located(coco, "grazing_onset", 1), stop_fold=located(whole, "fold", 1),
                stop_ends=located(whole, "grazing_onset", 2), stop_velocity=cascade["contact_velocity"][doubled, 0],
                cascade=doublings[:5], cascade_ratio=cascade["branch_cascade_ratio"][-1], curve_folds=located(curve, "fold", 2),
                neimark_sacker=located(modes, "neimark_sacker", 2),
                neimark_sacker_multiplier=np.ravel(leaving), modes_doubling=located(modes, "period_doubling", 1),
                beam_doubling=np.ravel([located(file, "period_doubling", 1) for file in beam]))


def papers(program):
    orbit = line(program.run("sweep", "-sweep_amplitude 30 -sweep_frequency 13"))
    short = program.run("asymptotics", "-asymptotics_alpha 1,2")
    force, time = short["force"][()], short["time"][()]
    slope = np.log(force[:, 1] / force[:, 0]) / np.log(time[1] / time[0])
    ratio = short["velocity_after"][:, 0] / short["velocity_before"][()]
    return dict(orbit_period=orbit["period"][0], orbit_contacts=orbit["contacts_per_orbit"][0],
                force_exponent=slope[1], force_exponent_one=slope[0], velocity_ratio=ratio[1], velocity_ratio_one=ratio[0])


def values(program):
    return {**beams(program), **waves(program), **oscillator(program), **branches(program), **papers(program)}
