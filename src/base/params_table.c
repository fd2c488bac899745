/*
  params_table.c - every option of the program, once: name, unit, default, bounds, help.

  Parsing, range checks, help, docs/options.md, used_parameters.yaml and the parameters stored with the data all follow from
  these rows. Bounds are inclusive unless open; NONE is no bound. A default of 0 outside the bounds is allowed besides them and
  means "chosen by the program".
*/
#include <stddef.h>

#include "graze/params.h"

#define NONE  PETSC_MAX_REAL
#define LEAST (-PETSC_MAX_REAL)
#define IN    PETSC_FALSE /* the bound itself is allowed */
#define EX    PETSC_TRUE  /* it is not */
#define BOTH   (COMMAND_SWEEP | COMMAND_TRAJECTORY)
#define FLOWS  (BOTH | COMMAND_CONTINUE)
#define STEADY (COMMAND_SWEEP | COMMAND_CONTINUE)
#define MODEL  (FLOWS | COMMAND_KERNEL)
#define EVERY  (MODEL | COMMAND_ASYMPTOTICS)

#define INT(group, field, fallback, low, high, commands, help)                                                                             \
  {                                                                                                                                        \
    group, #field, PARAM_INT, offsetof(Params, field), "", fallback, low, high, IN, IN, NULL, commands, PETSC_TRUE, help                   \
  }
#define REAL(group, field, unit, fallback, open_low, low, high, open_high, commands, help)                                                 \
  {                                                                                                                                        \
    group, #field, PARAM_REAL, offsetof(Params, field), unit, fallback, low, high, open_low, open_high, NULL, commands, PETSC_TRUE, help   \
  }
#define RANGE(group, field, unit, fallback, open_low, low, commands, help)                                                                 \
  {                                                                                                                                        \
    group, #field, PARAM_RANGE, offsetof(Params, field), unit, fallback, low, NONE, open_low, IN, NULL, commands, PETSC_TRUE, help         \
  }
#define ENUM(group, field, fallback, values, commands, help)                                                                               \
  {                                                                                                                                        \
    group, #field, PARAM_ENUM, offsetof(Params, field), "", fallback, LEAST, NONE, IN, IN, values, commands, PETSC_TRUE, help              \
  }
#define FLAG(group, field, commands, help)                                                                                                 \
  {                                                                                                                                        \
    group, #field, PARAM_BOOL, offsetof(Params, field), "", "false", LEAST, NONE, IN, IN, NULL, commands, PETSC_FALSE, help                \
  }
#define LIST(group, field, kind, unit, low, high, open_low, open_high, fallback, commands, help)                                           \
  {                                                                                                                                        \
    group, #field, kind, offsetof(Params, field), unit, fallback, low, high, open_low, open_high, NULL, commands, PETSC_TRUE, help         \
  }
#define CONTROL(group, field, kind, unit, fallback, values, commands, help) /* never below 0 */                                           \
  {                                                                                                                                        \
    group, #field, kind, offsetof(Params, field), unit, fallback, 0, NONE, IN, IN, values, commands, PETSC_FALSE, help                     \
  }
#define TEXT(group, field, fallback, commands, help)                                                                                       \
  {                                                                                                                                        \
    group, #field, PARAM_STRING, offsetof(Params, field), "", fallback, LEAST, NONE, IN, IN, NULL, commands, PETSC_FALSE, help             \
  }

/* A short text, which decides the data: `size` characters with the NUL at its end; `values` say what it may look like. */
#define WORD(group, field, size, values, commands, help)                                                                                   \
  {                                                                                                                                        \
    group, #field, PARAM_STRING, offsetof(Params, field), "", "", LEAST, size, IN, IN, values, commands, PETSC_TRUE, help                  \
  }

/* In the order of the enums in params.h. */
static const char *const model_names[]     = {"timoshenko", "euler_bernoulli", "string", "rod", "modes", NULL};
static const char *const ends_names[]      = {"clamped_free", "pinned_pinned", "clamped_pinned", "clamped_clamped", "free_free", NULL};
static const char *const side_names[]      = {"below", "above", NULL};
static const char *const initial_names[]   = {"mode", "linear", "uniform", NULL};
static const char *const units_names[]     = {"nondimensional", "si", NULL};
static const char *const forcing_names[]   = {"mode", "point", "base", "shape", NULL};
static const char *const flow_names[]      = {"exact", "literal", "restitution", NULL};
static const char *const kernel_names[]    = {"closed", "bare", NULL};
static const char *const along_names[]     = {"frequency", "amplitude", NULL};
static const char *const direction_names[] = {"up", "down", "both", NULL};
static const char *const retry_names[]     = {"none", "failed", NULL};
static const char *const continue_names[]  = {"amplitude", "frequency", "stop_position", "damping_ratio", NULL};
static const char *const cells_forms[]     = {"d,i,j", "all", NULL}, *const point_forms[] = {"branch,point", NULL};

const ParamRow params_table[] = {
  ENUM("Beam", beam_model, "timoshenko", model_names, MODEL, "beam theory; a string or rod; a system given by its modes"),
  ENUM("Beam", beam_ends, "clamped_free", ends_names, MODEL, "at 0 and at 1; string and rod: clamped_free or free_free"),
  REAL("Beam", beam_beta, "", "4800", EX, 0, NONE, IN, MODEL, "slenderness A L^2 / I (timoshenko)"),
  REAL("Beam", beam_gamma, "", "0.25", EX, 0, NONE, IN, MODEL, "shear stiffness kappa G / E (timoshenko)"),
  REAL("Beam", beam_wave_speed, "L/t0", "1", EX, 0, NONE, IN, MODEL, "c (string, rod)"),
  LIST("Beam", beam_frequencies, PARAM_REALS, "rad/t0", 0, NONE, IN, IN, "", MODEL, "natural frequencies, rising, comma between (modes)"),
  LIST("Beam", beam_tip_values, PARAM_REALS, "", LEAST, NONE, IN, IN, "", MODEL, "mass-normalised values at the contact point (modes)"),
  LIST("Beam", beam_damping_ratios, PARAM_REALS, "", 0, 1, IN, EX, "", MODEL, "one for each mode, instead of damping_ratio (modes)"),
  REAL("Beam", contact_position, "L", "1", EX, 0, 1, IN, MODEL, "where the stop is, fraction of the length"),
  INT("Beam", beam_points, "0", 8, 512, MODEL, "collocation intervals; 0: chosen, as the modes need"),
  REAL("Beam", damping_ratio, "", "0.1", IN, 0, 1, EX, EVERY, "D of every mode"),
  REAL("Beam", stop_position, "L", "-0.05", IN, LEAST, NONE, IN, FLOWS,
       "displacement of the contact point at the stop; beyond 0 the stop presses on the beam at rest"),
  ENUM("Beam", stop_side, "below", side_names, FLOWS, "of the beam on which the stop is"),
  ENUM("Beam", units, "nondimensional", units_names, MODEL, "of stop, forcing, initial state, times and ranges; si needs the SI set"),

  REAL("Beam, SI set", beam_length, "m", "", EX, 0, NONE, IN, MODEL,
       "L; the SI set replaces beam_beta and beam_gamma, of a rod the wave speed"),
  REAL("Beam, SI set", beam_youngs_modulus, "Pa", "", EX, 0, NONE, IN, MODEL, "E (all but string, modes)"),
  REAL("Beam, SI set", beam_shear_modulus, "Pa", "", EX, 0, NONE, IN, MODEL, "G; or give beam_poisson_ratio (timoshenko)"),
  REAL("Beam, SI set", beam_poisson_ratio, "", "", EX, -1, 0.5, IN, MODEL, "nu: G = E / (2 (1 + nu)) (timoshenko)"),
  REAL("Beam, SI set", beam_shear_factor, "", "", EX, 0, 2, IN, MODEL, "kappa; about 5/6 for a rectangle (timoshenko)"),
  REAL("Beam, SI set", beam_density, "kg/m^3", "", EX, 0, NONE, IN, MODEL, "rho"),
  REAL("Beam, SI set", beam_area, "m^2", "", EX, 0, NONE, IN, MODEL, "A; with beam_second_moment, of a rod alone"),
  REAL("Beam, SI set", beam_second_moment, "m^4", "", EX, 0, NONE, IN, MODEL, "I; with beam_area (timoshenko, euler_bernoulli)"),
  REAL("Beam, SI set", beam_width, "m", "", EX, 0, NONE, IN, MODEL, "of a rectangle; with beam_height, instead of area and second moment"),
  REAL("Beam, SI set", beam_height, "m", "", EX, 0, NONE, IN, MODEL, "of a rectangle, in the direction of motion"),

  INT("Receptance", receptance_modes, "0", 2, 400, MODEL, "modes kept; 0: chosen by receptance_rtol; restitution needs a number"),
  INT("Receptance", receptance_max_modes, "300", 2, 400, FLOWS, "most modes that may be chosen"),
  INT("Receptance", receptance_closure, "2", 0, 2, MODEL, "order of the tail closure"),
  REAL("Receptance", receptance_rtol, "", "1e-8", EX, 0, 1e-2, IN, FLOWS, "error of the tip trajectory aimed at when the modes are chosen"),

  ENUM("Forcing", forcing_type, "mode", forcing_names, FLOWS,
       "where A cos(W t) acts: one mode, a point, the moving base, the load shape of the paper"),
  INT("Forcing", forcing_mode, "2", 1, 400, FLOWS, "number of the driven mode (mode, shape)"),
  REAL("Forcing", forcing_position, "L", "1", EX, 0, 1, IN, FLOWS, "where the point force acts, fraction of the length (point)"),
  REAL("Forcing", forcing_amplitude, "1", "30", IN, 0, NONE, IN, COMMAND_TRAJECTORY | COMMAND_CONTINUE,
       "A: force [E I/L^2] (point) or acceleration [L/t0^2] (mode, base, shape)"),
  REAL("Forcing", forcing_mean, "1", "0", IN, LEAST, NONE, IN, FLOWS, "constant load F0 in F0 + A cos(W t), with the same shape and units"),
  REAL("Forcing", forcing_frequency, "rad/t0", "13", EX, 0, NONE, IN, COMMAND_TRAJECTORY | COMMAND_CONTINUE, "W"),
  REAL("Forcing", strobe_phase, "rad", "0", IN, 0, 2 * PETSC_PI, EX, FLOWS, "forcing phase of the strobe"),

  ENUM("Initial state", initial_shape, "mode", initial_names, FLOWS,
       "of displacement and velocity; linear (u = x), uniform: string and rod"),
  INT("Initial state", initial_mode, "1", 1, 400, FLOWS, "shape of the initial state"),
  REAL("Initial state", initial_displacement, "L", "1", IN, LEAST, NONE, IN, FLOWS,
       "of the contact point (linear: of x = 1); not inside the stop"),
  REAL("Initial state", initial_velocity, "L/t0", "1", IN, LEAST, NONE, IN, FLOWS, "of the contact point (linear: of x = 1)"),

  ENUM("Flow", flow, "exact", flow_names, FLOWS,
       "exact: no time step; literal: the scheme of the paper, the reference; restitution: rigid impacts"),
  INT("Flow", flow_max_events, "1000", 1, 1000000, FLOWS, "most contacts in one forcing period"),
  REAL("Flow", literal_step, "t0", "5e-5", EX, 0, NONE, IN, FLOWS, "time step of the literal scheme"),
  ENUM("Flow", literal_kernel, "closed", kernel_names, FLOWS,
       "memory kernel of the literal scheme: with the tail, or the bare sum over the modes"),

  REAL("Flow", restitution_coefficient, "", "1", IN, 0, 1, IN, FLOWS, "C_R of an impact (restitution)"),

  RANGE("Sweep", sweep_amplitude, "1", "10:60:26", IN, 0, COMMAND_SWEEP,
        "forcing amplitudes, first:last:count or one number; units as forcing_amplitude"),
  RANGE("Sweep", sweep_frequency, "rad/t0", "4:40:181", EX, 0, COMMAND_SWEEP, "forcing frequencies, first:last:count or one number"),
  ENUM("Sweep", sweep_along, "frequency", along_names, COMMAND_SWEEP,
       "axis of the lines: each cell starts from its neighbour's final state"),
  ENUM("Sweep", sweep_direction, "up", direction_names, COMMAND_SWEEP, "of the lines; both shows hysteresis"),
  INT("Sweep", sweep_segment, "0", 0, 100000, COMMAND_SWEEP, "cut lines into segments of so many cells; 0: whole lines"),
  INT("Sweep", sweep_check, "0", 0, 1000000, COMMAND_SWEEP, "integrate so many cells again with the literal scheme"),

  INT("Steady state", settle_periods, "100", 0, 1000000, STEADY, "forcing periods before the first sample"),
  INT("Steady state", sample_periods, "64", 1, 100000, STEADY, "forcing periods sampled; at least max_period"),
  INT("Steady state", max_period, "32", 1, 1024, STEADY, "longest period looked for, in forcing periods"),
  INT("Steady state", max_periods, "4000", 1, 10000000, STEADY, "most forcing periods before a cell is decided"),
  INT("Steady state", lyapunov_periods, "500", 0, 10000000, COMMAND_SWEEP,
      "forcing periods more for the Lyapunov exponent of a cell without a period; 0: not measured"),
  INT("Steady state", max_contacts, "256", 1, 100000, STEADY, "most contacts stored per cell; the true count is stored too"),

  INT("Trajectory", periods, "40", 1, 1000000, COMMAND_TRAJECTORY, "forcing periods"),
  INT("Trajectory", samples_per_period, "2000", 1, 1000000, COMMAND_TRAJECTORY, "stored samples per forcing period"),

  ENUM("Continuation", continue_parameter, "frequency", continue_names, COMMAND_CONTINUE, "what changes along the branches"),
  REAL("Continuation", continue_min, "1", "", IN, LEAST, NONE, IN, COMMAND_CONTINUE,
       "branches end there; needed, in the unit of continue_parameter"),
  REAL("Continuation", continue_max, "1", "", IN, LEAST, NONE, IN, COMMAND_CONTINUE, "and there; needed"),
  REAL("Continuation", continue_step, "1", "", EX, 0, NONE, IN, COMMAND_CONTINUE, "first step along the branch; -: from the bounds"),
  REAL("Continuation", continue_min_step, "1", "", EX, 0, NONE, IN, COMMAND_CONTINUE, "a branch ends that needs less; -: from the bounds"),
  REAL("Continuation", continue_max_step, "1", "", EX, 0, NONE, IN, COMMAND_CONTINUE, "longest step; -: from the bounds"),
  INT("Continuation", continue_max_points, "500", 1, 100000, COMMAND_CONTINUE, "most points of a branch in each direction"),
  INT("Continuation", continue_switch_depth, "0", 0, 8, COMMAND_CONTINUE,
      "follow what branches off at doublings and branch points, and off that, so many times"),
  INT("Continuation", continue_shots, "0", 0, 1024, COMMAND_CONTINUE, "pieces an orbit is solved in; 0: chosen by its multipliers"),
  WORD("Continuation", start_from, PETSC_MAX_PATH_LEN, NULL, COMMAND_CONTINUE,
       "sweep.h5 or branches.h5 with orbits to start from; none: simulate at forcing_amplitude, forcing_frequency"),
  WORD("Continuation", start_cells, 64, cells_forms, COMMAND_CONTINUE,
       "of a sweep.h5: indices from 0 of direction, amplitude, frequency; or all distinct periodic cells"),
  WORD("Continuation", start_point, 64, point_forms, COMMAND_CONTINUE, "of a branches.h5: numbers from 0 of a branch and a point on it"),

  LIST("Kernel", kernel_beam_points, PARAM_INTS, "", 8, 512, IN, IN, "20,40,80,160", COMMAND_KERNEL,
       "collocation intervals N, rising: a kernel of each"),
  REAL("Kernel", kernel_min_time, "t0", "1e-6", EX, 0, NONE, IN, COMMAND_KERNEL, "first delay of the logarithmic grid"),
  REAL("Kernel", kernel_max_time, "t0", "1", EX, 0, NONE, IN, COMMAND_KERNEL, "last delay of both grids"),
  INT("Kernel", kernel_times, "1001", 2, 1000000, COMMAND_KERNEL, "delays in each grid"),

  LIST("Asymptotics", asymptotics_alpha, PARAM_REALS, "", 0.5, 4, EX, IN, "0.75,1,1.5,2", COMMAND_ASYMPTOTICS,
       "growth exponents: w_k = w_1 k^alpha"),
  REAL("Asymptotics", asymptotics_frequency, "rad/t0", "1", EX, 0, NONE, IN, COMMAND_ASYMPTOTICS, "w_1"),
  REAL("Asymptotics", asymptotics_velocity, "L/t0", "-1", IN, LEAST, 0, EX, COMMAND_ASYMPTOTICS,
       "velocity of the contact point just before the impact"),
  REAL("Asymptotics", asymptotics_min_time, "t0", "1e-6", EX, 0, NONE, IN, COMMAND_ASYMPTOTICS, "shortest time of contact"),
  REAL("Asymptotics", asymptotics_max_time, "t0", "1", EX, 0, NONE, IN, COMMAND_ASYMPTOTICS, "longest time of contact"),
  INT("Asymptotics", asymptotics_times, "121", 2, 100000, COMMAND_ASYMPTOTICS, "times between them, equidistant in the logarithm"),
  INT("Asymptotics", asymptotics_modes, "0", 1, 10000000, COMMAND_ASYMPTOTICS, "modes in the sums; 0: all of them"),

  TEXT("Run", output, "runs/<command>", EVERY, "folder for the results"),
  FLAG("Run", overwrite, EVERY, "move an existing output folder aside"),
  FLAG("Run", quiet, EVERY, "nothing on standard output"),
  FLAG("Run", dry_run, BOTH, "say what would be done: cells, memory, disk, estimated core-hours; run nothing"),
  CONTROL("Run", checkpoint_interval, PARAM_REAL, "min", "10", NULL, COMMAND_SWEEP,
          "between two snapshots of the result; what is finished in between is in the journal"),
  CONTROL("Run", max_walltime, PARAM_TIME, "", "", NULL, STEADY,
          "end in time, everything saved; default: what Slurm says of the job, else no limit"),
  CONTROL("Run", walltime_margin, PARAM_REAL, "s", "60", NULL, STEADY, "kept free before the time limit, for what lies outside the program"),
  CONTROL("Run", retry, PARAM_ENUM, "", "none", retry_names, COMMAND_SWEEP,
          "failed: do the cells again that crashed, lost the flow or met the event limit"),
  CONTROL("Run", shard, PARAM_SHARD, "", "", NULL, COMMAND_SWEEP,
          "every N-th line, from the k-th; its result in <output>/shard-k-of-N, joined by graze merge"),
};

const PetscInt params_table_size = (PetscInt)(sizeof params_table / sizeof params_table[0]);
