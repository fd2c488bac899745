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
#define BOTH  (COMMAND_SWEEP | COMMAND_TRAJECTORY)

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
#define CONTROL(group, field, kind, unit, fallback, values, help) /* of a sweep; never below 0 */                                           \
  {                                                                                                                                        \
    group, #field, kind, offsetof(Params, field), unit, fallback, 0, NONE, IN, IN, values, COMMAND_SWEEP, PETSC_FALSE, help                \
  }
#define TEXT(group, field, fallback, commands, help)                                                                                       \
  {                                                                                                                                        \
    group, #field, PARAM_STRING, offsetof(Params, field), "", fallback, LEAST, NONE, IN, IN, NULL, commands, PETSC_FALSE, help             \
  }

/* In the order of the enums in params.h. */
static const char *const model_names[]     = {"timoshenko", NULL};
static const char *const units_names[]     = {"nondimensional", "si", NULL};
static const char *const forcing_names[]   = {"mode", "point", "base", "shape", NULL};
static const char *const flow_names[]      = {"exact", "literal", NULL};
static const char *const kernel_names[]    = {"closed", "bare", NULL};
static const char *const along_names[]     = {"frequency", "amplitude", NULL};
static const char *const direction_names[] = {"up", "down", "both", NULL};
static const char *const retry_names[]     = {"none", "failed", NULL};

const ParamRow params_table[] = {
  ENUM("Beam", beam_model, "timoshenko", model_names, BOTH, "clamped-free beam theory"),
  REAL("Beam", beam_beta, "", "4800", EX, 0, NONE, IN, BOTH, "slenderness A L^2 / I"),
  REAL("Beam", beam_gamma, "", "0.25", EX, 0, NONE, IN, BOTH, "shear stiffness kappa G / E"),
  INT("Beam", beam_points, "0", 8, 512, BOTH, "collocation intervals; 0: chosen, as the modes need"),
  REAL("Beam", damping_ratio, "", "0.1", IN, 0, 1, EX, BOTH, "D of every mode"),
  REAL("Beam", stop_position, "L", "-0.05", IN, LEAST, NONE, IN, BOTH,
       "tip displacement at the stop; above 0 the stop presses on the beam at rest"),
  ENUM("Beam", units, "nondimensional", units_names, BOTH, "of stop, forcing, initial state, literal step and ranges; si needs the SI set"),

  REAL("Beam, SI set", beam_length, "m", "", EX, 0, NONE, IN, BOTH, "L; the SI set replaces beam_beta and beam_gamma"),
  REAL("Beam, SI set", beam_youngs_modulus, "Pa", "", EX, 0, NONE, IN, BOTH, "E"),
  REAL("Beam, SI set", beam_shear_modulus, "Pa", "", EX, 0, NONE, IN, BOTH, "G; or give beam_poisson_ratio"),
  REAL("Beam, SI set", beam_poisson_ratio, "", "", EX, -1, 0.5, IN, BOTH, "nu: G = E / (2 (1 + nu))"),
  REAL("Beam, SI set", beam_shear_factor, "", "", EX, 0, 2, IN, BOTH, "kappa; about 5/6 for a rectangle"),
  REAL("Beam, SI set", beam_density, "kg/m^3", "", EX, 0, NONE, IN, BOTH, "rho"),
  REAL("Beam, SI set", beam_area, "m^2", "", EX, 0, NONE, IN, BOTH, "A; with beam_second_moment"),
  REAL("Beam, SI set", beam_second_moment, "m^4", "", EX, 0, NONE, IN, BOTH, "I; with beam_area"),
  REAL("Beam, SI set", beam_width, "m", "", EX, 0, NONE, IN, BOTH, "of a rectangle; with beam_height, instead of area and second moment"),
  REAL("Beam, SI set", beam_height, "m", "", EX, 0, NONE, IN, BOTH, "of a rectangle, in the direction of motion"),

  INT("Receptance", receptance_modes, "0", 2, 400, BOTH, "modes kept; 0: chosen by receptance_rtol"),
  INT("Receptance", receptance_max_modes, "300", 2, 400, BOTH, "most modes that may be chosen"),
  INT("Receptance", receptance_closure, "2", 0, 2, BOTH, "order of the tail closure"),
  REAL("Receptance", receptance_rtol, "", "1e-8", EX, 0, 1e-2, IN, BOTH, "error of the tip trajectory aimed at when the modes are chosen"),

  ENUM("Forcing", forcing_type, "mode", forcing_names, BOTH,
       "where A cos(W t) acts: one mode, a point, the moving base, the load shape of the paper"),
  INT("Forcing", forcing_mode, "2", 1, 400, BOTH, "number of the driven mode (mode, shape)"),
  REAL("Forcing", forcing_position, "L", "1", EX, 0, 1, IN, BOTH, "where the point force acts, fraction of the length (point)"),
  REAL("Forcing", forcing_amplitude, "1", "30", IN, 0, NONE, IN, COMMAND_TRAJECTORY,
       "A: force [E I/L^2] (point) or acceleration [L/t0^2] (mode, base, shape)"),
  REAL("Forcing", forcing_frequency, "rad/t0", "13", EX, 0, NONE, IN, COMMAND_TRAJECTORY, "W"),
  REAL("Forcing", strobe_phase, "rad", "0", IN, 0, 2 * PETSC_PI, EX, BOTH, "forcing phase of the strobe"),

  INT("Initial state", initial_mode, "1", 1, 400, BOTH, "shape of the initial state"),
  REAL("Initial state", initial_displacement, "L", "1", IN, LEAST, NONE, IN, BOTH, "of the tip; not below the stop"),
  REAL("Initial state", initial_velocity, "L/t0", "1", IN, LEAST, NONE, IN, BOTH, "of the tip"),

  ENUM("Flow", flow, "exact", flow_names, BOTH, "exact: no time step; literal: the scheme of the paper, the reference"),
  INT("Flow", flow_max_events, "1000", 1, 1000000, BOTH, "most contacts in one forcing period"),
  REAL("Flow", literal_step, "t0", "5e-5", EX, 0, NONE, IN, BOTH, "time step of the literal scheme"),
  ENUM("Flow", literal_kernel, "closed", kernel_names, BOTH,
       "memory kernel of the literal scheme: with the tail, or the bare sum over the modes"),

  RANGE("Sweep", sweep_amplitude, "1", "10:60:26", IN, 0, COMMAND_SWEEP,
        "forcing amplitudes, first:last:count or one number; units as forcing_amplitude"),
  RANGE("Sweep", sweep_frequency, "rad/t0", "4:40:181", EX, 0, COMMAND_SWEEP, "forcing frequencies, first:last:count or one number"),
  ENUM("Sweep", sweep_along, "frequency", along_names, COMMAND_SWEEP,
       "axis of the lines: each cell starts from its neighbour's final state"),
  ENUM("Sweep", sweep_direction, "up", direction_names, COMMAND_SWEEP, "of the lines; both shows hysteresis"),
  INT("Sweep", sweep_segment, "0", 0, 100000, COMMAND_SWEEP, "cut lines into segments of so many cells; 0: whole lines"),
  INT("Sweep", sweep_check, "0", 0, 1000000, COMMAND_SWEEP, "integrate so many cells again with the literal scheme"),

  INT("Steady state", settle_periods, "100", 0, 1000000, COMMAND_SWEEP, "forcing periods before the first sample"),
  INT("Steady state", sample_periods, "64", 1, 100000, COMMAND_SWEEP, "forcing periods sampled; at least max_period"),
  INT("Steady state", max_period, "32", 1, 1024, COMMAND_SWEEP, "longest period looked for, in forcing periods"),
  INT("Steady state", max_periods, "4000", 1, 10000000, COMMAND_SWEEP, "most forcing periods one cell may take"),
  INT("Steady state", max_contacts, "256", 1, 100000, COMMAND_SWEEP, "most contacts stored per cell; the true count is stored too"),

  INT("Trajectory", periods, "40", 1, 1000000, COMMAND_TRAJECTORY, "forcing periods"),
  INT("Trajectory", samples_per_period, "2000", 1, 1000000, COMMAND_TRAJECTORY, "stored samples per forcing period"),

  TEXT("Run", output, "runs/<command>", BOTH, "folder for the results"),
  FLAG("Run", overwrite, BOTH, "move an existing output folder aside"),
  FLAG("Run", quiet, BOTH, "nothing on standard output"),
  FLAG("Run", dry_run, BOTH, "say what would be done: cells, memory, disk, estimated core-hours; run nothing"),
  CONTROL("Run", checkpoint_interval, PARAM_REAL, "min", "10", NULL, "between two snapshots of the result; what is finished in between is in the journal"),
  CONTROL("Run", max_walltime, PARAM_TIME, "", "", NULL, "end in time, everything saved; default: what Slurm says of the job, else no limit"),
  CONTROL("Run", walltime_margin, PARAM_REAL, "s", "60", NULL, "kept free before the time limit, for what lies outside the program"),
  CONTROL("Run", retry, PARAM_ENUM, "", "none", retry_names, "failed: do the cells again that crashed, lost the flow or met the event limit"),
  CONTROL("Run", shard, PARAM_SHARD, "", "", NULL, "every N-th line, from the k-th; its result in <output>/shard-k-of-N, joined by graze merge"),
};

const PetscInt params_table_size = (PetscInt)(sizeof params_table / sizeof params_table[0]);
