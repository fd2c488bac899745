/*
  units.c - physical (SI) and non-dimensional parameters, converted here and nowhere else.   [theory 1, 13]

  Beams: length L, time t0 = L^2 sqrt(rho A / (E I)), force E I / L^2; beta = A L^2 / I, gamma = kappa G / E (timoshenko). Rod: length L,
  time t0 = L sqrt(rho / E), force E A, so that its wave speed is 1. A force of one unit on unit mass rho A L gives the acceleration
  L / t0^2, so mode, base and shape amplitudes scale with L / t0^2 and a point force with the unit of force.
*/
#include "graze/units.h"

#include <math.h>
#include <string.h>

static PetscBool Given_Private(PetscReal x)
{
  return PetscIsNanReal(x) ? PETSC_FALSE : PETSC_TRUE;
}

#define MISSING "the SI set of the beam is incomplete: "

/* A is needed by every model, I by all but the rod: both of a rectangle, or each by itself. */
static void CheckSection_Private(const Params *p, Complaint *c)
{
  const PetscBool rod       = p->beam_model == BEAM_ROD ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool section   = Given_Private(p->beam_area) || Given_Private(p->beam_second_moment) ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool rectangle = Given_Private(p->beam_width) || Given_Private(p->beam_height) ? PETSC_TRUE : PETSC_FALSE;

  if (section && rectangle)
    ComplaintSet(c, EXIT_OPTIONS, "options -beam_area, -beam_second_moment and -beam_width, -beam_height: give one pair, not both");
  if (!section && !rectangle)
    ComplaintSet(c, EXIT_OPTIONS, MISSING "%s (or -beam_width and -beam_height) %s missing",
                 rod ? "-beam_area" : "-beam_area and -beam_second_moment", rod ? "is" : "are");
  if (section && !Given_Private(p->beam_area)) ComplaintSet(c, EXIT_OPTIONS, MISSING "-beam_area is missing");
  if (section && !rod && !Given_Private(p->beam_second_moment)) ComplaintSet(c, EXIT_OPTIONS, MISSING "-beam_second_moment is missing");
  if (rectangle && !(Given_Private(p->beam_width) && Given_Private(p->beam_height)))
    ComplaintSet(c, EXIT_OPTIONS, MISSING "-%s is missing", Given_Private(p->beam_width) ? "beam_height" : "beam_width");
}

/* The SI set is complete and without contradiction, or a complaint names the option. Entries of other models are not looked at: ParamsRead
 * refuses them. */
static void CheckSet_Private(const Params *p, Complaint *c)
{
  const PetscBool shear = p->beam_model == BEAM_TIMOSHENKO ? PETSC_TRUE : PETSC_FALSE;
  const struct {
    const char *name;
    PetscReal   value;
    PetscBool   needed;
  } entry[] = {{"beam_length", p->beam_length, PETSC_TRUE},
               {"beam_youngs_modulus", p->beam_youngs_modulus, PETSC_TRUE},
               {"beam_shear_factor", p->beam_shear_factor, shear},
               {"beam_density", p->beam_density, PETSC_TRUE}};

  if (p->beam_model == BEAM_STRING || p->beam_model == BEAM_MODES)
    ComplaintSet(c, EXIT_OPTIONS, "the SI set of the beam: -beam_model string and modes have none; give their numbers without dimension");
  if (Given_Private(p->beam_beta) || Given_Private(p->beam_gamma))
    ComplaintSet(c, EXIT_OPTIONS, "options -beam_beta, -beam_gamma: give the beam by these or by its SI set, not both");
  if (shear && Given_Private(p->beam_shear_modulus) && Given_Private(p->beam_poisson_ratio))
    ComplaintSet(c, EXIT_OPTIONS, "options -beam_shear_modulus and -beam_poisson_ratio: give one of them, not both");
  for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++)
    if (entry[i].needed && !Given_Private(entry[i].value)) ComplaintSet(c, EXIT_OPTIONS, MISSING "-%s is missing", entry[i].name);
  if (shear && !Given_Private(p->beam_shear_modulus) && !Given_Private(p->beam_poisson_ratio))
    ComplaintSet(c, EXIT_OPTIONS, MISSING "-beam_shear_modulus or -beam_poisson_ratio is missing");
  CheckSection_Private(p, c);
}

static PetscBool AnyOfSet_Private(const Params *p)
{
  const PetscReal set[] = {p->beam_length,  p->beam_youngs_modulus, p->beam_shear_modulus, p->beam_poisson_ratio, p->beam_shear_factor,
                           p->beam_density, p->beam_area,           p->beam_second_moment, p->beam_width,         p->beam_height};

  for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
    if (Given_Private(set[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static void ScaleRange_Private(Range *range, PetscReal unit)
{
  range->first /= unit;
  range->last /= unit;
}

/* The parameter that is continued and the steps along it, by the operations that its own entry gets, so that equal stays equal. */
static void ScaleContinued_Private(Params *p, PetscReal L, PetscReal t0, PetscReal amplitude)
{
  PetscReal *const entries[] = {&p->continue_min, &p->continue_max, &p->continue_step, &p->continue_min_step, &p->continue_max_step};

  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    if (p->continue_parameter == CONTINUE_AMPLITUDE) *entries[i] /= amplitude;
    if (p->continue_parameter == CONTINUE_FREQUENCY) *entries[i] *= t0;
    if (p->continue_parameter == CONTINUE_STOP) *entries[i] /= L;
  }
}

/* Every dimensional entry, from SI to non-dimensional. */
static void ScaleEntries_Private(Params *p, const Units *units)
{
  const PetscReal L = units->length, t0 = units->time;
  const PetscReal amplitude = p->forcing_type == FORCING_POINT ? units->force : L / (t0 * t0);

  p->stop_position /= L;
  p->initial_displacement /= L;
  p->initial_velocity /= L / t0;
  p->literal_step /= t0;
  p->kernel_min_time /= t0;
  p->kernel_max_time /= t0;
  p->forcing_amplitude /= amplitude;
  p->forcing_mean /= amplitude;
  p->forcing_frequency *= t0;
  ScaleContinued_Private(p, L, t0, amplitude);
  ScaleRange_Private(&p->sweep_amplitude, amplitude);
  ScaleRange_Private(&p->sweep_frequency, 1 / t0);
}

/*
  UnitsApply - The scales of the structure, and the parameters without dimension.   [theory 1, 13]

  Not collective, the same on every rank.
  Input:   given - as ParamsRead left them: NaN where a number is not given
  Output:  units - L [m], t0 [s], E I / L^2 or E A [N], or NaN;  scaled - beta, gamma, wave speed and every entry non-dimensional, SI set
  NaN complaint - EXIT_OPTIONS: an incomplete SI set, both sets at once, -units si without the set forcing_position is a fraction of the
  length in both systems.
*/
PetscErrorCode UnitsApply(const Params *given, Units *units, Params *scaled, Complaint *complaint)
{
  PetscFunctionBeginUser;
  *scaled       = *given;
  units->si     = AnyOfSet_Private(given);
  units->length = units->time = units->force = NAN;
  units->beta   = given->beam_beta;
  units->gamma  = given->beam_gamma;
  units->time_text  = given->beam_model == BEAM_ROD ? "t0 = L sqrt(rho / E)" : "t0 = L^2 sqrt(rho A / (E I))";
  units->force_text = given->beam_model == BEAM_ROD ? "E A" : "E I / L^2";
  if (!units->si) {
    if (given->units == UNITS_SI)
      ComplaintSet(complaint, EXIT_OPTIONS, "option -units si needs the beam's SI set (-beam_length, ...; see graze help)");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  CheckSet_Private(given, complaint);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);

  const PetscReal L = given->beam_length, E = given->beam_youngs_modulus;
  const PetscReal area = Given_Private(given->beam_area) ? given->beam_area : given->beam_width * given->beam_height;
  const PetscReal second_moment =
    Given_Private(given->beam_area) ? given->beam_second_moment : given->beam_width * PetscPowRealInt(given->beam_height, 3) / 12;
  const PetscReal G = Given_Private(given->beam_shear_modulus) ? given->beam_shear_modulus : E / (2 * (1 + given->beam_poisson_ratio));

  units->length = L;
  if (given->beam_model == BEAM_ROD) {
    units->time             = L * PetscSqrtReal(given->beam_density / E);
    units->force            = E * area;
    scaled->beam_wave_speed = 1;
  } else {
    units->time  = L * L * PetscSqrtReal(given->beam_density * area / (E * second_moment));
    units->force = E * second_moment / (L * L);
  }
  if (given->beam_model == BEAM_TIMOSHENKO) {
    units->beta  = area * L * L / second_moment;
    units->gamma = given->beam_shear_factor * G / E;
  }
  scaled->beam_beta  = units->beta;
  scaled->beam_gamma = units->gamma;
  /* Entries of sane size can still overflow together (lengths in mm, moduli in MPa mixed up). */
  const PetscReal results[] = {units->time, units->force, units->beta, units->gamma};
  for (int i = 0; i < (given->beam_model == BEAM_TIMOSHENKO ? 4 : 2); i++)
    if (!(results[i] > 0 && results[i] <= PETSC_MAX_REAL)) {
      if (given->beam_model == BEAM_TIMOSHENKO)
        ComplaintSet(complaint, EXIT_OPTIONS, "the SI set of the beam gives beta = %g, gamma = %g, t0 = %g s: check its units",
                     (double)units->beta, (double)units->gamma, (double)units->time);
      else
        ComplaintSet(complaint, EXIT_OPTIONS, "the SI set of the beam gives t0 = %g s, %s = %g N: check its units", (double)units->time,
                     units->force_text, (double)units->force);
    }
  if (given->units == UNITS_SI) ScaleEntries_Private(scaled, units);
  scaled->units       = UNITS_NONDIMENSIONAL;
  scaled->beam_length = scaled->beam_youngs_modulus = scaled->beam_shear_modulus = scaled->beam_poisson_ratio = scaled->beam_shear_factor =
    NAN;
  scaled->beam_density = scaled->beam_area = scaled->beam_second_moment = scaled->beam_width = scaled->beam_height = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnitsScale(BeamModel model, const char *of_beam)
{
  static const char *const scale[][2] = {{"EI/L^2", "m0 L/t0^2"},
                                         {"EI t0/L^2", "m0 L/t0"},
                                         {"L^3/EI", "t0^2/m0"},
                                         {"L^3/(EI t0)", "t0/m0"},
                                         {"L^3/(EI t0^2)", "1/m0"},
                                         {"L^3/EI, L^3/(EI t0)", "t0^2/m0, t0/m0"},
                                         {"L^3/(EI t0), L^3/(EI t0^2)", "t0/m0, 1/m0"}};

  if (model == BEAM_TIMOSHENKO || model == BEAM_EULER_BERNOULLI) return of_beam;
  for (size_t i = 0; i < sizeof scale / sizeof scale[0]; i++)
    if (!strcmp(of_beam, scale[i][0])) return scale[i][1];
  return of_beam; /* lengths and times are what they are */
}
