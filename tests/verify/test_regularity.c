/*
  The verdict on structures whose answer is known, and the claim behind it: [L1]_2(0+) of more and more modes tends to L+ for
  Timoshenko and to 0 for Euler-Bernoulli.   [theory 4, 13]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>

#include "graze/beam.h"
#include "graze/kernel.h"
#include "graze/regularity.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static Regularity Judge(const Params *params, PetscInt modes)
{
  Spectrum   spectrum;
  Regularity regularity;

  CaseSpectrum(params, modes, &spectrum);
  GOOD(RegularityJudge(params, spectrum, &regularity));
  GOOD(SpectrumDestroy(&spectrum));
  return regularity;
}

/* L+ by (5) with c = sqrt(1200) [theory 12]; w_k of the family that moves the tip grows with k at last, alpha comes down to 1 from 2. */
static void test_timoshenko(void **state)
{
  Params     params;
  Regularity few, many;

  (void)state;
  CaseParams(20, &params);
  few  = Judge(&params, 40);
  many = Judge(&params, 190);
  assert_true(few.regular && many.regular);
  Near(many.L_plus, 0.0271628290596, 6e-14, "L+");
  Near(many.alpha, 1.0, 3.0 * many.alpha_error, "alpha of many modes");
  assert_true(many.alpha_error < 0.1 && few.alpha > many.alpha && few.alpha_error > many.alpha_error);
  Near(many.exponent, 0.0, 0.0, "exponent");
  params.contact_position = 0.6; /* two half-lines */
  Near(Judge(&params, 15).L_plus, 0.0135814145298, 6e-14, "L+ inside");
  params.beam_points      = 20; /* three modes: too few to say */
  params.contact_position = 1.0;
  assert_true(isnan(Judge(&params, 1).alpha));
}

/* w_k -> (k - 1/2)^2 pi^2, r_k = 4 to all digits from the tenth mode on: R at its own frequency, counting half, is 4 (k - 1/2) exactly. */
static void test_euler_bernoulli(void **state)
{
  Params     params;
  Regularity r;

  (void)state;
  CaseParams(20, &params);
  params.beam_model = BEAM_EULER_BERNOULLI;
  r                 = Judge(&params, 30);
  assert_false(r.regular);
  Near(r.L_plus, 0.0, 0.0, "L+");
  Near(r.alpha, 2.0, 1e-8, "alpha"); /* frequencies are good to 1e-9 */
  assert_true(r.alpha_error < 1e-7);
  Near(r.exponent, -0.5, 1e-8, "exponent");
}

/* w_k = (k - 1/2) pi c, r_k = 2: L+ = 1/c without damping, alpha = 1. */
static void test_string(void **state)
{
  Params     params;
  Regularity r;

  (void)state;
  CaseParams(20, &params);
  params.beam_model      = BEAM_STRING;
  params.beam_wave_speed = 3.0;
  params.damping_ratio   = 0.0;
  r                      = Judge(&params, 30);
  assert_true(r.regular);
  Near(r.L_plus, 1.0 / 3.0, 1e-15, "L+");
  Near(r.alpha, 1.0, 1e-8, "alpha");
}

/* A finite number of modes: the contact point has a mass. */
static void test_modes(void **state)
{
  Params     params;
  Regularity r;

  (void)state;
  CaseParams(2, &params);
  params.beam_model         = BEAM_MODES;
  params.beam_frequencies.n = params.beam_tip_values.n = 12;
  for (int k = 0; k < 12; ++k) {
    params.beam_frequencies.value[k] = 1.0 + k;
    params.beam_tip_values.value[k]  = 1.0;
  }
  r = Judge(&params, 12);
  assert_false(r.regular);
  assert_true(isnan(r.alpha) && isnan(r.alpha_error));
  Near(r.exponent, -1.0, 0.0, "exponent");
}

/* ---- the jump ----------------------------------------------------------------------------------------------------- */

/* The bare sum up to w_M has residues of density 2/(pi c), so [L1]_2(x/w_M) -> L+ F(x), F(x) = int_0^x e^{-D u} sin(s u)/u du / arccos(D),
   which first reaches 1 at this x: just before the ringing. Simpson's rule. */
static double FirstCrossing(double D)
{
  const double s = sqrt(1.0 - D * D), h = 1e-4;
  double       sum = 0.0, x = 0.0;

  while (sum < acos(D)) {
    const double u[3] = {x + 1e-300, x + h / 2.0, x + h};

    for (int i = 0; i < 3; ++i) sum += (i == 1 ? 4.0 : 1.0) * exp(-D * u[i]) * sin(s * u[i]) / u[i] * h / 6.0;
    x += h;
  }
  return x;
}

/* L1_2 of the first M modes alone, at x/w_M. */
static double BareOnset(const Params *params, Spectrum spectrum, PetscInt M, double x)
{
  const PetscReal *w, *r;
  PetscReal        tau, L1;
  Receptance       receptance;

  GOOD(SpectrumGet(spectrum, NULL, &w, &r));
  GOOD(ReceptanceCreate(PETSC_COMM_SELF, &receptance));
  GOOD(ReceptanceSetModes(receptance, M, w, r, M));
  GOOD(ReceptanceSetContinuum(receptance, params->damping_ratio, BeamCompliance(params), BeamImpedance(params)));
  GOOD(ReceptanceSetClosure(receptance, isinf(BeamImpedance(params)) ? 0 : 2));
  tau = x / w[M - 1];
  GOOD(KernelEvaluate(receptance, KERNEL_BARE, 1, &tau, NULL, &L1, NULL));
  if (M == 20) {
    KernelConstants constants; /* (4.x): S of the continuum, whatever M */

    GOOD(KernelGetConstants(receptance, &constants));
    Near(constants.Linf[1], w[0] * w[0] * BeamCompliance(params), 1e-12, "Linf");
  }
  GOOD(ReceptanceDestroy(&receptance));
  return L1;
}

static void test_onset(void **state)
{
  Params   params;
  Spectrum spectrum;
  double   x, onset[4];

  (void)state;
  CaseParams(20, &params);
  x = FirstCrossing(params.damping_ratio);

  CaseSpectrum(&params, 190, &spectrum);
  for (int i = 0; i < 4; ++i) onset[i] = BareOnset(&params, spectrum, i == 0 ? 20 : i == 1 ? 40 : i == 2 ? 80 : 190, x) / 0.0271628290596;
  GOOD(SpectrumDestroy(&spectrum));
  /* measured: 1.726, 1.266, 1.068, 1.003; low modes have r = 4 instead of 2, so few modes see too much */
  for (int i = 1; i < 4; ++i) assert_true(onset[i] > 1.0 && onset[i] - 1.0 < 0.4 * (onset[i - 1] - 1.0));
  Near(onset[3], 1.0, 0.01, "[L1]_2 of 190 modes in L+");

  params.beam_model = BEAM_EULER_BERNOULLI;
  CaseSpectrum(&params, 80, &spectrum);
  for (int i = 0; i < 3; ++i) onset[i] = BareOnset(&params, spectrum, i == 0 ? 20 : i == 1 ? 40 : 80, x);
  GOOD(SpectrumDestroy(&spectrum));
  /* sqrt(tau), and w_M grows with the square of M: half of it at twice the modes, within 1/M */
  for (int i = 1; i < 3; ++i) Near(onset[i] / onset[i - 1], 0.5, 0.01, "[L1]_2 of Euler-Bernoulli");
  assert_true(onset[2] < 0.01);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_timoshenko), cmocka_unit_test(test_euler_bernoulli),
                                     cmocka_unit_test(test_string), cmocka_unit_test(test_modes), cmocka_unit_test(test_onset)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
