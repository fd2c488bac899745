/*
  params_structure.c - which structure the options describe: its model, ends, contact point and the numbers that belong to it.   [theory 1,
  13]

  Each model has its own numbers: a number of another model is refused, never passed over. What the SI set must hold is checked by
  UnitsApply.
*/
#include <math.h>
#include <string.h>

#include "params_private.h"

static const char *const si_set[] = {"beam_length",
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

static const char *Model_Private(const Params *p)
{
  return ParamEnumName_Private("beam_model", p->beam_model);
}

static PetscBool IsWave_Private(const Params *p)
{
  return p->beam_model == BEAM_STRING || p->beam_model == BEAM_ROD ? PETSC_TRUE : PETSC_FALSE;
}

static void CheckEnds_Private(const Params *p, Complaint *c)
{
  const char     *ends = ParamEnumName_Private("beam_ends", p->beam_ends);
  const PetscBool held = p->beam_ends == ENDS_PINNED_PINNED || p->beam_ends == ENDS_CLAMPED_PINNED || p->beam_ends == ENDS_CLAMPED_CLAMPED;

  if (IsWave_Private(p) && p->beam_ends != ENDS_CLAMPED_FREE && p->beam_ends != ENDS_FREE_FREE)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_ends: %s is not for -beam_model %s; allowed: clamped_free or free_free", ends,
                 Model_Private(p));
  if (p->beam_model == BEAM_EULER_BERNOULLI && p->beam_ends != ENDS_CLAMPED_FREE)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_ends: %s is not for -beam_model euler_bernoulli; allowed: clamped_free", ends);
  if (p->beam_model == BEAM_MODES && p->beam_ends != ENDS_CLAMPED_FREE)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_ends: %s with -beam_model modes, which has no ends: its modes say it all; leave it out",
                 ends);
  if (held && p->contact_position == 1)
    ComplaintSet(c, EXIT_OPTIONS, "option -contact_position: 1 is held fixed by -beam_ends %s; allowed: (0, 1)", ends);
  if (held && p->forcing_type == FORCING_POINT && p->forcing_position == 1)
    ComplaintSet(c, EXIT_OPTIONS, "option -forcing_position: 1 is held fixed by -beam_ends %s; allowed: (0, 1)", ends);
}

/*
  Numbers too far apart for double precision, or modes too near to each other: the contact point could not tell them from others. 1e-6: the
  stiffness goes with the square, and with it all but four of the sixteen digits.
*/
static void CheckModesApart_Private(const Params *p, Complaint *c)
{
  const RealList *w = &p->beam_frequencies, *tips = &p->beam_tip_values;
  const PetscReal apart = 1e-6, huge = 1e60;
  PetscReal       largest = 0;

  for (PetscInt k = 0; k < tips->n; k++) largest = PetscMax(largest, PetscAbsReal(tips->value[k]));
  for (PetscInt k = 0; k < tips->n; k++)
    if (PetscAbsReal(tips->value[k]) < apart * largest)
      ComplaintSet(
        c, EXIT_OPTIONS,
        "option -beam_tip_values: number %lld, %g, is nothing beside %g: its mode does not move the contact point; leave the mode out",
        (long long)k + 1, (double)tips->value[k], (double)largest);
  if (largest > huge || (largest > 0 && largest < 1 / huge))
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_tip_values: %g; allowed: sizes from 1e-60 to 1e60", (double)largest);
  for (PetscInt k = 0; k < w->n; k++)
    if (w->value[k] > huge || (w->value[k] > 0 && w->value[k] < 1 / huge))
      ComplaintSet(c, EXIT_OPTIONS, "option -beam_frequencies: %g; allowed: 0, or from 1e-60 to 1e60", (double)w->value[k]);
  for (PetscInt k = 0; k < w->n; k++)
    if (w->value[k] > 0 && w->value[k] < apart * w->value[w->n - 1])
      ComplaintSet(c, EXIT_OPTIONS, "option -beam_frequencies: %g is nothing beside %g; allowed: 0, or at least %g times that",
                   (double)w->value[k], (double)w->value[w->n - 1], (double)apart);
    else if (k > 0 && !(w->value[k] - w->value[k - 1] > apart * w->value[k]))
      ComplaintSet(
        c, EXIT_OPTIONS,
        "option -beam_frequencies: %.15g and %.15g cannot be told apart; allowed: further apart, or one mode with the root of the sum "
        "of the squares of both tip values",
        (double)w->value[k - 1], (double)w->value[k]);
}

/* Lists of another length than the frequencies, and what makes a spectrum unusable. */
static void CheckModes_Private(const Params *p, Complaint *c)
{
  const RealList *w = &p->beam_frequencies, *tips = &p->beam_tip_values, *ratios = &p->beam_damping_ratios;

  if (!w->n) ComplaintSet(c, EXIT_OPTIONS, "option -beam_model modes needs -beam_frequencies, for example 1.0,6.3");
  for (PetscInt k = 1; k < w->n; k++)
    if (!(w->value[k] > w->value[k - 1]))
      ComplaintSet(c, EXIT_OPTIONS, "option -beam_frequencies: %g after %g; allowed: rising, only the first may be 0", (double)w->value[k],
                   (double)w->value[k - 1]);
  if (tips->n != w->n)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_tip_values: %lld numbers; allowed: one for each of the %lld -beam_frequencies",
                 (long long)tips->n, (long long)w->n);
  for (PetscInt k = 0; k < tips->n; k++)
    if (tips->value[k] == 0)
      ComplaintSet(c, EXIT_OPTIONS,
                   "option -beam_tip_values: number %lld is 0: its mode does not move the contact point; leave the mode out",
                   (long long)k + 1);
  CheckModesApart_Private(p, c);
  if (ratios->n && ratios->n != w->n)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_damping_ratios: %lld numbers; allowed: one for each of the %lld -beam_frequencies, or none",
                 (long long)ratios->n, (long long)w->n);
  if (p->receptance_modes > w->n)
    ComplaintSet(c, EXIT_OPTIONS, "option -receptance_modes: %lld; allowed: at most the %lld of -beam_frequencies, 0: all of them",
                 (long long)p->receptance_modes, (long long)w->n);
  if (p->beam_points)
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_points: %lld with -beam_model modes, which has no points; leave it out",
                 (long long)p->beam_points);
  if (p->contact_position != 1)
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -contact_position: %g with -beam_model modes, whose -beam_tip_values are of the contact point; allowed: 1",
                 (double)p->contact_position);
  if (p->forcing_type == FORCING_BASE || p->forcing_type == FORCING_SHAPE)
    ComplaintSet(c, EXIT_OPTIONS,
                 "option -forcing_type: %s needs the shapes of the modes, and -beam_model modes has none; allowed: mode or point",
                 ParamEnumName_Private("forcing_type", p->forcing_type));
  if (p->forcing_type == FORCING_POINT && p->forcing_position != 1)
    ComplaintSet(c, EXIT_OPTIONS, "option -forcing_position: %g with -beam_model modes, which knows the contact point alone; allowed: 1",
                 (double)p->forcing_position);
}

/* Numbers of another model. Defaults of beta and gamma give way, so that no file names them; the wave speed is written whatever the model.
 */
static void CheckOwners_Private(const ParamSource *given, Params *p, Complaint *c)
{
  static const char *const slenderness[] = {"beam_beta", "beam_gamma", NULL}, *const lists[] = {"beam_frequencies", "beam_tip_values",
                                                                                                "beam_damping_ratios", NULL};

  for (int i = 0; slenderness[i] && p->beam_model != BEAM_TIMOSHENKO; i++)
    if (ParamGiven_Private(given, slenderness[i]))
      ComplaintSet(c, EXIT_OPTIONS, "option -%s is for -beam_model timoshenko; -beam_model %s does not use it", slenderness[i],
                   Model_Private(p));
  for (int i = 0; lists[i] && p->beam_model != BEAM_MODES; i++)
    if (ParamGiven_Private(given, lists[i]))
      ComplaintSet(c, EXIT_OPTIONS, "option -%s is for -beam_model modes; -beam_model %s does not use it", lists[i], Model_Private(p));
  if (!IsWave_Private(p) && ParamChanged_Private(p, "beam_wave_speed"))
    ComplaintSet(c, EXIT_OPTIONS, "option -beam_wave_speed is for -beam_model string and rod; -beam_model %s does not use it",
                 Model_Private(p));
  if (p->beam_model != BEAM_TIMOSHENKO) p->beam_beta = p->beam_gamma = NAN;
}

/* Does the SI set of the model hold this entry? */
static PetscBool InSet_Private(BeamModel model, const char *name)
{
  if (model == BEAM_STRING || model == BEAM_MODES) return PETSC_FALSE;
  if (!strncmp(name, "beam_shear", 10) || !strcmp(name, "beam_poisson_ratio")) return model == BEAM_TIMOSHENKO ? PETSC_TRUE : PETSC_FALSE;
  return !strcmp(name, "beam_second_moment") && model == BEAM_ROD ? PETSC_FALSE : PETSC_TRUE;
}

/* The SI set of the model and no other; beta and gamma give way to it unless the user gave both: NaN then says "not given". */
static void CheckSet_Private(const ParamSource *given, Params *p, Complaint *c)
{
  for (int i = 0; si_set[i]; i++) {
    if (!ParamGiven_Private(given, si_set[i])) continue;
    if (p->beam_model == BEAM_STRING || p->beam_model == BEAM_MODES)
      ComplaintSet(c, EXIT_OPTIONS, "option -%s: -beam_model %s has no SI set; give its numbers without dimension", si_set[i],
                   Model_Private(p));
    else if (!InSet_Private(p->beam_model, si_set[i]))
      ComplaintSet(c, EXIT_OPTIONS, "option -%s: the SI set of -beam_model %s does not hold it", si_set[i], Model_Private(p));
    if (ParamGiven_Private(given, "beam_beta") || ParamGiven_Private(given, "beam_gamma"))
      ComplaintSet(c, EXIT_OPTIONS, "options -%s and -%s: give the beam by beam_beta and beam_gamma or by its SI set, not both",
                   ParamGiven_Private(given, "beam_beta") ? "beam_beta" : "beam_gamma", si_set[i]);
    if (ParamChanged_Private(p, "beam_wave_speed"))
      ComplaintSet(c, EXIT_OPTIONS, "options -beam_wave_speed and -%s: give the rod by its wave speed or by its SI set, not both",
                   si_set[i]);
    p->beam_beta = p->beam_gamma = NAN;
  }
  if (p->units == UNITS_SI && (p->beam_model == BEAM_STRING || p->beam_model == BEAM_MODES))
    ComplaintSet(c, EXIT_OPTIONS, "option -units: si needs an SI set, and -beam_model %s has none; allowed: nondimensional",
                 Model_Private(p));
}

void ParamsCheckStructure_Private(unsigned command, const ParamSource *given, Params *params, Complaint *complaint)
{
  if (!(command & (COMMAND_SWEEP | COMMAND_TRAJECTORY | COMMAND_CONTINUE | COMMAND_KERNEL))) return;
  CheckOwners_Private(given, params, complaint);
  CheckSet_Private(given, params, complaint);
  CheckEnds_Private(params, complaint);
  if (params->beam_model == BEAM_MODES) CheckModes_Private(params, complaint);
}
