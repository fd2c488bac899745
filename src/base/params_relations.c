/*
  params_relations.c - what options say about each other, as far as it needs no spectrum. What the SI set must hold is checked by
  UnitsApply.
*/
#include "params_private.h"

#include <math.h>
#include <string.h>

static ParamSource Given_Private(const ParamSource *given, const char *name)
{
  return given[ParamFind_Private(name) - params_table];
}

/* beta and gamma give way to the SI set unless the user gave both: NaN then says "not given". */
static void CheckBeamSets_Private(const ParamSource *given, Params *p, Complaint *c)
{
  static const char *const set[] = {"beam_length",
                                    "beam_youngs_modulus",
                                    "beam_shear_modulus",
                                    "beam_poisson_ratio",
                                    "beam_shear_factor",
                                    "beam_density",
                                    "beam_area",
                                    "beam_second_moment",
                                    "beam_width",
                                    "beam_height",
                                    NULL};

  for (int i = 0; set[i]; i++) {
    if (Given_Private(given, set[i]) == FROM_TABLE) continue;
    if (Given_Private(given, "beam_beta") || Given_Private(given, "beam_gamma"))
      ComplaintSet(c, EXIT_OPTIONS, "options -%s and -%s: give the beam by beam_beta and beam_gamma or by its SI set, not both",
                   Given_Private(given, "beam_beta") ? "beam_beta" : "beam_gamma", set[i]);
    p->beam_beta = p->beam_gamma = NAN;
    return;
  }
}

/* Defaults are numbers without dimension: under -units si none of them may stand for metres or seconds. */
static void CheckUnits_Private(unsigned command, const ParamSource *given, const Params *p, Complaint *c)
{
  static const char *const dimensional[] = {"stop_position",     "initial_displacement", "initial_velocity",
                                            "forcing_amplitude", "forcing_frequency",    "sweep_amplitude",
                                            "sweep_frequency",   "literal_step",         NULL};
  const PetscBool          steps = p->flow == FLOW_LITERAL || ((command & COMMAND_SWEEP) && p->sweep_check > 0) ? PETSC_TRUE : PETSC_FALSE;

  if (p->units != UNITS_SI) return;
  for (int i = 0; dimensional[i]; i++) {
    const ParamRow *row = ParamFind_Private(dimensional[i]);

    if (!(row->commands & command) || given[row - params_table]) continue;
    if (strcmp(row->name, "literal_step") || steps)
      ComplaintSet(c, EXIT_OPTIONS, "option -units si needs -%s too: its default is not in SI units", row->name);
  }
}

static void CheckNumbers_Private(unsigned command, const Params *p, Complaint *c)
{
  PetscInt    modes   = p->receptance_modes ? p->receptance_modes : p->receptance_max_modes;
  const char *option  = p->receptance_modes ? "receptance_modes" : "receptance_max_modes";
  double      cells   = (double)p->sweep_amplitude.count * p->sweep_frequency.count * (p->sweep_direction == DIRECTION_BOTH ? 2 : 1);
  double      samples = (double)p->periods * p->samples_per_period;
  PetscInt    lines   = p->sweep_along == ALONG_FREQUENCY ? p->sweep_amplitude.count : p->sweep_frequency.count;

  if (p->initial_displacement < p->stop_position)
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_displacement: %g is inside the stop; allowed: at or above -stop_position %g",
                 (double)p->initial_displacement, (double)p->stop_position);
  if (p->initial_mode > modes)
    ComplaintSet(c, EXIT_OPTIONS, "option -initial_mode: %lld is not among the modes; allowed: at most -%s %lld",
                 (long long)p->initial_mode, option, (long long)modes);
  if ((p->forcing_type == FORCING_MODE || p->forcing_type == FORCING_SHAPE) && p->forcing_mode > modes)
    ComplaintSet(c, EXIT_OPTIONS, "option -forcing_mode: %lld is not among the modes; allowed: at most -%s %lld",
                 (long long)p->forcing_mode, option, (long long)modes);
  if (p->receptance_closure == 0 && (p->flow == FLOW_LITERAL || ((command & COMMAND_SWEEP) && p->sweep_check > 0)))
    ComplaintSet(c, EXIT_OPTIONS, "option -receptance_closure: 0 leaves the literal scheme (-flow literal, -sweep_check) without a kernel; allowed: 1 or 2");
  if (command & COMMAND_SWEEP) {
    if (p->sample_periods < p->max_period)
      ComplaintSet(c, EXIT_OPTIONS,
                   "option -sample_periods: %lld are too few to see a period of -max_period %lld; allowed: at least that many",
                   (long long)p->sample_periods, (long long)p->max_period);
    if ((double)p->settle_periods + p->sample_periods > p->max_periods)
      ComplaintSet(c, EXIT_OPTIONS, "option -max_periods: %lld does not leave room for -settle_periods %lld and -sample_periods %lld",
                   (long long)p->max_periods, (long long)p->settle_periods, (long long)p->sample_periods);
    if (cells > 1e8)
      ComplaintSet(c, EXIT_OPTIONS, "options -sweep_amplitude and -sweep_frequency: %.0f cells are too many; allowed: 100000000", cells);
    if (p->shard.n > lines)
      ComplaintSet(c, EXIT_OPTIONS, "option -shard: %lld parts are more than the lines of the grid; allowed: at most %lld, one for each of the %s",
                   (long long)p->shard.n, (long long)lines, p->sweep_along == ALONG_FREQUENCY ? "amplitudes" : "frequencies");
  }
  if ((command & COMMAND_TRAJECTORY) && samples > 1e8)
    ComplaintSet(c, EXIT_OPTIONS, "options -periods and -samples_per_period: %.0f samples are too many; allowed: 100000000", samples);
}

void ParamsCheckRelations_Private(unsigned command, const ParamSource *given, Params *params, Complaint *complaint)
{
  CheckBeamSets_Private(given, params, complaint);
  CheckUnits_Private(command, given, params, complaint);
  CheckNumbers_Private(command, params, complaint);
}
