/*
  params_relations.c - what options say about each other, as far as it needs no spectrum.   [theory 4, 6, 13-17]

  First which structure it is (params_structure.c), then which flows it takes, then numbers that must fit together. What the SI set must
  hold is checked by UnitsApply.
*/
#include "params_private.h"

#include <stdlib.h>
#include <string.h>

#define FLOWS (COMMAND_SWEEP | COMMAND_TRAJECTORY | COMMAND_CONTINUE)

ParamSource ParamGiven_Private(const ParamSource *given, const char *name)
{
  return given[ParamFind_Private(name) - params_table];
}

PetscBool ParamChanged_Private(const Params *params, const char *name)
{
  const ParamRow *row   = ParamFind_Private(name);
  const char     *field = (const char *)params + row->where;

  if (row->kind == PARAM_INT) return *(const PetscInt *)field != (PetscInt)strtol(row->fallback, NULL, 10) ? PETSC_TRUE : PETSC_FALSE;
  return *(const PetscReal *)field != (PetscReal)strtod(row->fallback, NULL) ? PETSC_TRUE : PETSC_FALSE;
}

const char *ParamEnumName_Private(const char *name, int value)
{
  return ParamFind_Private(name)->values[value];
}

/* Does the command start from its own initial state and forcing, and not from what a file holds? */
static PetscBool StartsItself_Private(unsigned command, const Params *p)
{
  return !(command & COMMAND_CONTINUE) || !*p->start_from ? PETSC_TRUE : PETSC_FALSE;
}

/* Defaults are numbers without dimension: under -units si none of them may stand for metres or seconds. */
static void CheckUnits_Private(unsigned command, const ParamSource *given, const Params *p, Complaint *c)
{
  static const char *const dimensional[] = {"stop_position",
                                            "initial_displacement",
                                            "initial_velocity",
                                            "forcing_amplitude",
                                            "forcing_frequency",
                                            "sweep_amplitude",
                                            "sweep_frequency",
                                            "literal_step",
                                            "kernel_min_time",
                                            "kernel_max_time",
                                            NULL};
  const PetscBool          steps = p->flow == FLOW_LITERAL || ((command & COMMAND_SWEEP) && p->sweep_check > 0) ? PETSC_TRUE : PETSC_FALSE;

  if (p->units != UNITS_SI) return;
  for (int i = 0; dimensional[i]; i++) {
    const ParamRow *row = ParamFind_Private(dimensional[i]);

    if (!(row->commands & command) || given[row - params_table]) continue;
    if (!StartsItself_Private(command, p) && strcmp(row->name, "stop_position")) continue;
    if (strcmp(row->name, "literal_step") || steps)
      ComplaintSet(c, EXIT_OPTIONS, "option -units si needs -%s too: its default is not in SI units", row->name);
  }
}

/* A singular structure has no finite contact force; a rigid motion no static compliance, which the tail needs. */
static void CheckFlow_Private(const Params *p, Complaint *c)
{
  const PetscBool wave     = p->beam_model == BEAM_STRING || p->beam_model == BEAM_ROD ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool singular = p->beam_model == BEAM_EULER_BERNOULLI || p->beam_model == BEAM_MODES ? PETSC_TRUE : PETSC_FALSE;
  const char     *flow     = ParamEnumName_Private("flow", p->flow);

  if (singular && p->flow != FLOW_RESTITUTION)
    ComplaintSet(
      c, EXIT_OPTIONS,
      "option -flow: %s needs a contact force that is finite, and -beam_model %s is singular (L+ = 0); allowed: -flow restitution "
      "(graze kernel shows why)",
      flow, ParamEnumName_Private("beam_model", p->beam_model));
  if (p->beam_ends == ENDS_FREE_FREE && p->flow == FLOW_EXACT)
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -flow: exact with -beam_ends free_free, whose rigid motion has no static compliance for the tail; allowed: "
                 "restitution%s",
                 wave ? ", or literal with -damping_ratio 0" : "");
  if (p->beam_ends == ENDS_FREE_FREE && p->flow == FLOW_LITERAL && !(wave && p->damping_ratio == 0 && p->literal_kernel == KERNEL_CLOSED))
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -flow: literal with -beam_ends free_free is for the waves of a string or rod without damping; allowed: "
                 "restitution%s",
                 wave ? ", or literal with -damping_ratio 0 and -literal_kernel closed" : "");
  if (p->flow == FLOW_RESTITUTION && p->beam_model != BEAM_MODES && !p->receptance_modes)
    ComplaintSet(c, EXIT_OPTIONS, "option -flow restitution needs -receptance_modes: its result depends on how many modes there are");
  if (p->flow == FLOW_RESTITUTION && ParamChanged_Private(p, "receptance_closure"))
    ComplaintSet(c, EXIT_OPTIONS, "option -receptance_closure: %lld with -flow restitution, which has modes and no tail; leave it out",
                 (long long)p->receptance_closure);
  if (p->flow != FLOW_RESTITUTION && ParamChanged_Private(p, "restitution_coefficient"))
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -restitution_coefficient: %g with -flow %s, which does not use it; allowed: with -flow restitution",
                 (double)p->restitution_coefficient, flow);
}

/* At the contact point, on the side of the stop where the beam can be. */
static void CheckStart_Private(const Params *p, Complaint *c)
{
  const PetscReal share = p->initial_shape == INITIAL_LINEAR ? p->contact_position : 1, start = share * p->initial_displacement;
  const PetscBool wave = p->beam_model == BEAM_STRING || p->beam_model == BEAM_ROD ? PETSC_TRUE : PETSC_FALSE;

  if (p->initial_shape != INITIAL_MODE && !wave)
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_shape: %s is for -beam_model string and rod; allowed: mode",
                 ParamEnumName_Private("initial_shape", p->initial_shape));
  if (p->initial_shape != INITIAL_MODE && ParamChanged_Private(p, "initial_mode"))
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_mode: %lld with -initial_shape %s, which is no mode; leave it out",
                 (long long)p->initial_mode, ParamEnumName_Private("initial_shape", p->initial_shape));
  if (p->stop_side == STOP_BELOW ? start < p->stop_position : start > p->stop_position)
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_displacement: %g%s is inside the stop; allowed: at or %s -stop_position %g",
                 (double)start, share == 1 ? "" : " at the contact point", p->stop_side == STOP_BELOW ? "above" : "below",
                 (double)p->stop_position);
}

/* Numbers of modes count the spectrum's. Where some of them do not move the contact point, only the spectrum knows how many it has. */
static void CheckModeNumbers_Private(const Params *p, Complaint *c)
{
  const PetscBool modes  = p->beam_model == BEAM_MODES ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool shaped = p->forcing_type == FORCING_MODE || p->forcing_type == FORCING_SHAPE ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt  most   = p->receptance_modes ? p->receptance_modes : modes ? p->beam_frequencies.n : p->receptance_max_modes;
  const char     *option = p->receptance_modes ? "-receptance_modes" : modes ? "the number of -beam_frequencies," : "-receptance_max_modes";

  if (!modes && !(p->contact_position == 1 && p->beam_ends == ENDS_CLAMPED_FREE)) return;
  if (p->initial_shape == INITIAL_MODE && p->initial_mode > most)
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_mode: %lld is not among the modes; allowed: at most %s %lld", (long long)p->initial_mode,
                 option, (long long)most);
  if (shaped && p->forcing_mode > most)
    ComplaintSet(c, EXIT_OPTIONS, "option -forcing_mode: %lld is not among the modes; allowed: at most %s %lld", (long long)p->forcing_mode,
                 option, (long long)most);
}

static void CheckGrids_Private(unsigned command, const Params *p, Complaint *c)
{
  if (command & COMMAND_KERNEL) {
    if (!(p->kernel_min_time < p->kernel_max_time))
      ComplaintSet(c, EXIT_OPTIONS, "option -kernel_min_time: %g; allowed: below -kernel_max_time %g", (double)p->kernel_min_time,
                   (double)p->kernel_max_time);
    for (PetscInt i = 1; i < p->kernel_beam_points.n; i++)
      if (p->kernel_beam_points.value[i] <= p->kernel_beam_points.value[i - 1])
        ComplaintSet(c, EXIT_OPTIONS, "option -kernel_beam_points: %lld after %lld; allowed: rising",
                     (long long)p->kernel_beam_points.value[i], (long long)p->kernel_beam_points.value[i - 1]);
  }
  if ((command & COMMAND_ASYMPTOTICS) && !(p->asymptotics_min_time < p->asymptotics_max_time))
    ComplaintSet(c, EXIT_OPTIONS, "option -asymptotics_min_time: %g; allowed: below -asymptotics_max_time %g",
                 (double)p->asymptotics_min_time, (double)p->asymptotics_max_time);
}

/* Steps of the literal scheme in the longest forcing period, and over the whole run: its force history is kept. */
static void CheckSteps_Private(unsigned command, const Params *p, Complaint *c)
{
  const PetscReal slowest = command & COMMAND_SWEEP ? p->sweep_frequency.first : p->forcing_frequency;
  const PetscReal steps   = 2 * PETSC_PI / slowest / p->literal_step;
  const PetscReal periods = command & COMMAND_SWEEP ? p->max_periods + p->sample_periods : p->periods;

  if (p->flow != FLOW_LITERAL && !((command & COMMAND_SWEEP) && p->sweep_check > 0)) return;
  if (!(steps <= 1e8))
    ComplaintSet(c, EXIT_OPTIONS, "option -literal_step: %g makes %.3g steps of a forcing period; allowed: at most 1e8",
                 (double)p->literal_step, (double)steps);
  if (!(steps * periods <= 1e9))
    ComplaintSet(c, EXIT_OPTIONS, "option -literal_step: %g makes %.3g steps of %.0f forcing periods; allowed: at most 1e9",
                 (double)p->literal_step, (double)(steps * periods), (double)periods);
}

/* The branch must begin within its bounds; where the start comes from a file, the file says where. */
static void CheckContinuationStart_Private(const ParamSource *given, const Params *p, Complaint *c)
{
  const PetscBool itself                        = *p->start_from ? PETSC_FALSE : PETSC_TRUE;
  const struct {
    const char *name;
    PetscReal   value;
  } start[] = {{"forcing_amplitude", p->forcing_amplitude},
               {"forcing_frequency", p->forcing_frequency},
               {"stop_position", p->stop_position},
               {"damping_ratio", p->damping_ratio}}; /* in the order of the enum */
  const PetscReal value = start[p->continue_parameter].value;

  if (itself && !(value >= p->continue_min && value <= p->continue_max))
    ComplaintSet(c, EXIT_OPTIONS, "option -%s: %g; allowed: where the branch starts, between -continue_min %g and -continue_max %g",
                 start[p->continue_parameter].name, (double)value, (double)p->continue_min, (double)p->continue_max);
  if (itself && (*p->start_cells || *p->start_point))
    ComplaintSet(c, EXIT_OPTIONS, "option -%s needs -start_from and the file that holds %s", *p->start_cells ? "start_cells" : "start_point",
                 *p->start_cells ? "the cells" : "the point");
  if (*p->start_cells && *p->start_point)
    ComplaintSet(c, EXIT_OPTIONS, "options -start_cells and -start_point: the first is for a sweep.h5, the second for a branches.h5; give one");
  if (!itself && !*p->start_cells && !*p->start_point)
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -start_from needs to know what to start from: -start_cells 'd,i,j' or all of a sweep.h5, -start_point 'branch,point' "
                 "of a branches.h5");
  if (p->continue_parameter == CONTINUE_DAMPING && ParamGiven_Private(given, "beam_damping_ratios"))
    ComplaintSet(c, EXIT_OPTIONS,
                 "options -continue_parameter damping_ratio and -beam_damping_ratios: the ratio of all modes is continued; leave the list out");
}

static void CheckContinuation_Private(const ParamSource *given, const Params *p, Complaint *c)
{
  const char *parameter = ParamEnumName_Private("continue_parameter", p->continue_parameter);
  const struct {
    const char *name, *after; /* the one that may not be smaller */
    PetscReal   low, high;
  } rising[] = {{"continue_min_step", "continue_step", p->continue_min_step, p->continue_step},
                {"continue_step", "continue_max_step", p->continue_step, p->continue_max_step},
                {"continue_min_step", "continue_max_step", p->continue_min_step, p->continue_max_step}};

  if (p->flow == FLOW_LITERAL)
    ComplaintSet(c, EXIT_OPTIONS, "option -flow: literal has no derivative, without which no orbit is continued; allowed: exact, restitution");
  for (int i = 0; i < 2; i++)
    if (PetscIsNanReal(i ? p->continue_max : p->continue_min))
      ComplaintSet(c, EXIT_OPTIONS, "option -%s is missing: the %s %s of the branches", i ? "continue_max" : "continue_min",
                   i ? "largest" : "smallest", parameter);
  if (!(p->continue_min < p->continue_max))
    ComplaintSet(c, EXIT_OPTIONS, "option -continue_min: %g; allowed: below -continue_max %g", (double)p->continue_min,
                 (double)p->continue_max);
  if (p->continue_parameter == CONTINUE_AMPLITUDE && p->continue_min < 0)
    ComplaintSet(c, EXIT_OPTIONS, "option -continue_min: %g with -continue_parameter amplitude; allowed: >= 0", (double)p->continue_min);
  if (p->continue_parameter == CONTINUE_FREQUENCY && !(p->continue_min > 0))
    ComplaintSet(c, EXIT_OPTIONS, "option -continue_min: %g with -continue_parameter frequency; allowed: > 0", (double)p->continue_min);
  if (p->continue_parameter == CONTINUE_DAMPING && !(p->continue_min >= 0 && p->continue_max < 1))
    ComplaintSet(c, EXIT_OPTIONS, "option -%s: %g with -continue_parameter damping_ratio; allowed: [0, 1)",
                 p->continue_min < 0 ? "continue_min" : "continue_max", (double)(p->continue_min < 0 ? p->continue_min : p->continue_max));
  for (size_t i = 0; i < sizeof rising / sizeof rising[0]; i++)
    if (rising[i].low > rising[i].high)
      ComplaintSet(c, EXIT_OPTIONS, "option -%s: %g; allowed: at most -%s %g", rising[i].name, (double)rising[i].low, rising[i].after,
                   (double)rising[i].high);
  CheckContinuationStart_Private(given, p, c);
}

static void CheckNumbers_Private(unsigned command, const Params *p, Complaint *c)
{
  double   cells   = (double)p->sweep_amplitude.count * p->sweep_frequency.count * (p->sweep_direction == DIRECTION_BOTH ? 2 : 1);
  double   samples = (double)p->periods * p->samples_per_period;
  PetscInt lines   = p->sweep_along == ALONG_FREQUENCY ? p->sweep_amplitude.count : p->sweep_frequency.count;

  if ((command & COMMAND_SWEEP) && p->sweep_check > 0 && p->flow != FLOW_EXACT)
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -sweep_check: %lld cells of -flow %s; allowed: 0, or -flow exact, which the literal scheme checks",
                 (long long)p->sweep_check, ParamEnumName_Private("flow", p->flow));
  if (p->receptance_closure == 0 && (p->flow == FLOW_LITERAL || ((command & COMMAND_SWEEP) && p->sweep_check > 0)))
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -receptance_closure: 0 leaves the literal scheme (-flow literal, -sweep_check) without a kernel; allowed: 1 or 2");
  if (command & (COMMAND_SWEEP | COMMAND_CONTINUE)) {
    if (p->sample_periods < p->max_period)
      ComplaintSet(c, EXIT_OPTIONS,
                   "option -sample_periods: %lld are too few to see a period of -max_period %lld; allowed: at least that many",
                   (long long)p->sample_periods, (long long)p->max_period);
    if ((double)p->settle_periods + p->sample_periods > p->max_periods)
      ComplaintSet(c, EXIT_OPTIONS, "option -max_periods: %lld does not leave room for -settle_periods %lld and -sample_periods %lld",
                   (long long)p->max_periods, (long long)p->settle_periods, (long long)p->sample_periods);
  }
  if (command & COMMAND_SWEEP) {
    if (p->lyapunov_periods > 0 && p->lyapunov_periods < 80)
      ComplaintSet(c, EXIT_OPTIONS, "option -lyapunov_periods: %lld are too few for a standard error; allowed: at least 80, or 0",
                   (long long)p->lyapunov_periods);
    if (cells > 1e8)
      ComplaintSet(c, EXIT_OPTIONS, "options -sweep_amplitude and -sweep_frequency: %.0f cells are too many; allowed: 100000000", cells);
    if (p->shard.n > lines)
      ComplaintSet(c, EXIT_OPTIONS,
                   "option -shard: %lld parts are more than the lines of the grid; allowed: at most %lld, one for each of the %s",
                   (long long)p->shard.n, (long long)lines, p->sweep_along == ALONG_FREQUENCY ? "amplitudes" : "frequencies");
  }
  if ((command & COMMAND_TRAJECTORY) && samples > 1e8)
    ComplaintSet(c, EXIT_OPTIONS, "options -periods and -samples_per_period: %.0f samples are too many; allowed: 100000000", samples);
}

void ParamsCheckRelations_Private(unsigned command, const ParamSource *given, Params *params, Complaint *complaint)
{
  ParamsCheckStructure_Private(command, given, params, complaint);
  CheckUnits_Private(command, given, params, complaint);
  if (command & FLOWS) {
    CheckFlow_Private(params, complaint);
    if (command & COMMAND_CONTINUE) CheckContinuation_Private(given, params, complaint);
    if (StartsItself_Private(command, params)) CheckStart_Private(params, complaint);
    CheckModeNumbers_Private(params, complaint);
    CheckNumbers_Private(command, params, complaint);
    if (!(command & COMMAND_CONTINUE)) CheckSteps_Private(command, params, complaint);
  }
  CheckGrids_Private(command, params, complaint);
}
