/*
  params.h - every option of the program, declared once (src/base/params_table.c).

  The struct holds what the user said, in the units the user said it in; UnitsApply() makes the
  non-dimensional copy that all numerical objects take. NaN marks a real option without a value.
*/
#ifndef GRAZE_PARAMS_H
#define GRAZE_PARAMS_H

#include <stdio.h>

#include "graze/complaint.h"

typedef enum { UNITS_NONDIMENSIONAL, UNITS_SI } UnitsChoice;
typedef enum {
  BEAM_TIMOSHENKO,
  BEAM_EULER_BERNOULLI,
  BEAM_STRING,
  BEAM_ROD,
  BEAM_MODES
} BeamModel; /* a rod is a string that moves along itself */
typedef enum {
  ENDS_CLAMPED_FREE,
  ENDS_PINNED_PINNED,
  ENDS_CLAMPED_PINNED,
  ENDS_CLAMPED_CLAMPED,
  ENDS_FREE_FREE
} BeamEnds; /* at x = 0, at x = 1 */
typedef enum { STOP_BELOW, STOP_ABOVE } StopSide;
typedef enum { INITIAL_MODE, INITIAL_LINEAR, INITIAL_UNIFORM } InitialShape;
typedef enum { FORCING_MODE, FORCING_POINT, FORCING_BASE, FORCING_SHAPE } ForcingType;
typedef enum { FLOW_EXACT, FLOW_LITERAL, FLOW_RESTITUTION } FlowType;
typedef enum { KERNEL_CLOSED, KERNEL_BARE } LiteralKernel;
typedef enum { ALONG_FREQUENCY, ALONG_AMPLITUDE } SweepAlong;
typedef enum { DIRECTION_UP, DIRECTION_DOWN, DIRECTION_BOTH } SweepDirection;

typedef enum { RETRY_NONE, RETRY_FAILED } Retry;

typedef enum { CONTINUE_AMPLITUDE, CONTINUE_FREQUENCY, CONTINUE_STOP, CONTINUE_DAMPING } ContinueParameter;

/* k/N: the k-th of N parts, 1 <= k <= N */
typedef struct {
  PetscInt k, n;
} Shard;

typedef struct {
  PetscReal first, last;
  PetscInt  count; /* first:last:count, both ends included; count 1 needs first = last */
} Range;

/* A list of numbers, n of them; n = 0: not given */
#define PARAM_LIST_MAX 64
typedef struct {
  PetscInt  n;
  PetscReal value[PARAM_LIST_MAX];
} RealList;
typedef struct {
  PetscInt n;
  PetscInt value[PARAM_LIST_MAX];
} IntList;

typedef struct {
  /* beam */
  BeamModel   beam_model;
  BeamEnds    beam_ends;
  PetscReal   beam_beta, beam_gamma, beam_wave_speed; /* wave speed: string and rod */
  RealList    beam_frequencies, beam_tip_values, beam_damping_ratios; /* BEAM_MODES; damping ratios may be absent: damping_ratio of all */
  PetscInt    beam_points; /* 0: chosen */
  PetscReal   beam_length, beam_youngs_modulus, beam_shear_modulus, beam_poisson_ratio, beam_shear_factor, beam_density, beam_area,
    beam_second_moment, beam_width, beam_height; /* SI set; NaN: not given */
  PetscReal   damping_ratio, contact_position, stop_position;
  StopSide    stop_side;
  UnitsChoice units;
  /* receptance */
  PetscInt    receptance_modes, receptance_max_modes, receptance_closure; /* modes 0: chosen */
  PetscReal   receptance_rtol;
  /* forcing */
  ForcingType forcing_type;
  PetscInt    forcing_mode;
  PetscReal   forcing_position, forcing_amplitude, forcing_mean, forcing_frequency, strobe_phase;
  /* initial state */
  InitialShape initial_shape;
  PetscInt    initial_mode;
  PetscReal   initial_displacement, initial_velocity;
  /* flow */
  FlowType      flow;
  PetscInt      flow_max_events; /* per forcing period */
  PetscReal     literal_step;
  LiteralKernel literal_kernel;
  PetscReal     restitution_coefficient;
  /* kernel */
  IntList   kernel_beam_points;
  PetscReal kernel_min_time, kernel_max_time;
  PetscInt  kernel_times;
  /* asymptotics */
  RealList  asymptotics_alpha;
  PetscReal asymptotics_frequency, asymptotics_velocity, asymptotics_min_time, asymptotics_max_time;
  PetscInt  asymptotics_times, asymptotics_modes; /* modes 0: as (A4) says for each time */
  /* sweep */
  Range          sweep_amplitude, sweep_frequency;
  SweepAlong     sweep_along;
  SweepDirection sweep_direction;
  PetscInt       sweep_segment, sweep_check, settle_periods, sample_periods, max_period, max_periods, max_contacts, lyapunov_periods;
  /* trajectory */
  PetscInt periods, samples_per_period;
  /* continuation; min, max and steps in the unit of the parameter */
  ContinueParameter continue_parameter;
  PetscReal         continue_min, continue_max, continue_step, continue_min_step, continue_max_step; /* steps NaN: from the bounds */
  PetscInt          continue_max_points, continue_switch_depth, continue_shots; /* shots 0: chosen */
  char              start_from[PETSC_MAX_PATH_LEN], start_cells[64], start_point[64];
  /* run control */
  char      output[PETSC_MAX_PATH_LEN];
  PetscBool overwrite, quiet, dry_run;
  PetscReal checkpoint_interval;           /* minutes */
  PetscReal max_walltime, walltime_margin; /* seconds; max_walltime NaN: not given */
  Retry     retry;
  Shard     shard;
} Params;

/*
  One row of the table. `where` is offsetof(Params, field). Bounds are inclusive unless open_* is set.
  `commands` is a set of COMMAND_* bits: which commands take the option. `physics` rows decide the data;
  the others are run control. `group` heads a section of the help ("Beam", "Forcing", ...).
*/
typedef enum {
  PARAM_INT,
  PARAM_REAL,
  PARAM_BOOL,
  PARAM_ENUM,
  PARAM_RANGE,
  PARAM_STRING,
  PARAM_TIME,
  PARAM_SHARD,
  PARAM_REALS,
  PARAM_INTS
} ParamKind;
enum { COMMAND_SWEEP = 1, COMMAND_TRAJECTORY = 2, COMMAND_KERNEL = 4, COMMAND_ASYMPTOTICS = 8, COMMAND_CONTINUE = 16 };

typedef struct {
  const char        *group, *name; /* name without the dash */
  ParamKind          kind;
  size_t             where;
  const char        *unit;        /* non-dimensional unit or "" */
  const char        *fallback;    /* the default, as the user would type it; "" = none (NaN) */
  PetscReal          low, high;
  PetscBool          open_low, open_high;
  const char *const *values;      /* enums: names, NULL-terminated */
  unsigned           commands;
  PetscBool          physics;
  const char        *help;        /* one line */
} ParamRow;

extern const ParamRow params_table[];
extern const PetscInt params_table_size;

/*
  Before PetscInitialize: share argv[0..argc) out, in order, between PETSc and SLEPc (their options with values) and us (all
  the rest, -options_file_yaml too). own and petsc have room for argc pointers each.
*/
void ParamsSplitArguments(int argc, char **argv, int *n_own, char **own, int *n_petsc, char **petsc);
/* argv without program name and command; -options_file_yaml is read here (root reads, all get the text). Collective. */
PetscErrorCode ParamsRead(MPI_Comm comm, unsigned command, int argc, char **argv, Params *params, Complaint *complaint);
/* Solver options that no solver asked for, a line each, on root. Collective. */
PetscErrorCode ParamsReportUnused(MPI_Comm comm, FILE *file);
/* The value of a row as text that the same row reads back to the same bits. `size` bytes at `text`. */
PetscErrorCode ParamsFormat(const Params *params, const ParamRow *row, size_t size, char *text);
/* A YAML document that is a valid input and reproduces the run; ranges are quoted. */
PetscErrorCode ParamsWriteYaml(const Params *params, unsigned command, FILE *file);
PetscErrorCode ParamsPrintHelp(unsigned command, FILE *file);
PetscErrorCode ParamsPrintMarkdown(FILE *file); /* docs/options.md */
/* The i-th value of a range, i = 0 .. count-1: exact at both ends. */
PetscReal RangeValue(Range range, PetscInt i);

#endif
