/*
  regularity.c - regular or singular: the closed form decides, the spectrum bears witness.   [theory 4, 13]

  The residues up to a frequency w grow like R(w) = sum_{w_k <= w} r_k ~ w^(1/alpha): as w where waves of one speed carry the force
  away, as the square root of w for Euler-Bernoulli, whose kernel has nothing left at zero delay. Weighted like this, modes that
  hardly move the contact point (the rotation family of Timoshenko) hardly count, whatever their number.
*/
#include "graze/regularity.h"

#include <math.h>

#include "graze/beam.h"
#include "graze/receptance.h"

enum { LEAST_MODES = 10 }; /* so that each half of the upper half has two */

/* Slope of log R against log w by least squares over the moving modes first .. last-1, with its standard error. At its own frequency a mode
   counts by half, which takes the mean of the step. */
static void Slope_Private(PetscInt n, const PetscReal *w, const PetscReal *r, PetscInt first, PetscInt last, PetscReal *slope,
                          PetscReal *error)
{
  const PetscInt m   = last - first;
  PetscReal      sum = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;

  for (PetscInt k = 0, seen = 0; k < n && seen < last; ++k) {
    PetscReal a, b;

    if (!(r[k] > 0.0)) continue;
    sum += r[k];
    if (seen++ < first) continue;
    a = log(w[k]);
    b = log(sum - 0.5 * r[k]);
    x += a, y += b, xx += a * a, xy += a * b, yy += b * b;
  }
  xx -= x * x / m;
  xy -= x * y / m;
  yy -= y * y / m;
  *slope = xy / xx;
  *error = sqrt(PetscMax(yy - xy * xy / xx, 0.0) / (m - 2) / xx);
}

/*
  alpha over the upper half of the modes. Its error is that of the fit or, if larger, the change from the third quarter to the last:
  Timoshenko modes are those of Euler-Bernoulli at first, and alpha comes down from 2 to 1 slowly.
*/
static void Growth_Private(PetscInt n, const PetscReal *w, const PetscReal *r, PetscReal *alpha, PetscReal *error)
{
  PetscInt  moving = 0;
  PetscReal slope, lower, upper, fit, unused;

  for (PetscInt k = 0; k < n; ++k) moving += r[k] > 0.0;
  if (moving < LEAST_MODES) return;
  Slope_Private(n, w, r, moving / 2, moving, &slope, &fit);
  Slope_Private(n, w, r, moving / 2, moving / 2 + (moving - moving / 2) / 2, &lower, &unused);
  Slope_Private(n, w, r, moving / 2 + (moving - moving / 2) / 2, moving, &upper, &unused);
  *alpha = 1.0 / slope;
  *error = PetscMax(fit / (slope * slope), PetscAbsReal(1.0 / upper - 1.0 / lower));
}

/*
  RegularityJudge - L+ of the structure, and alpha as its spectrum shows it.

  Not collective; after SpectrumSetUp.
  A system given by its modes has a finite number of them: singular, its force grows like 1 / dt, and there is no alpha.
*/
PetscErrorCode RegularityJudge(const Params *params, Spectrum spectrum, Regularity *regularity)
{
  const PetscReal *w, *r;
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(spectrum, &n, &w, &r));
  regularity->alpha = regularity->alpha_error = NAN;
  if (params->beam_model != BEAM_MODES) Growth_Private(n, w, r, &regularity->alpha, &regularity->alpha_error);
  regularity->L_plus  = ImpactKernelJump(params->damping_ratio, BeamImpedance(params));
  regularity->regular = regularity->L_plus > 0.0 ? PETSC_TRUE : PETSC_FALSE;
  if (regularity->regular) regularity->exponent = 0.0;
  else if (params->beam_model == BEAM_MODES) regularity->exponent = -1.0;
  else regularity->exponent = 1.0 / regularity->alpha - 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
