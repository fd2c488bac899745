/*
  Spectra of strings, rods, the Euler-Bernoulli beam and lists of modes.   [theory 13]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <slepcsys.h>

#include "graze/beam.h"
#include "graze/spectrum.h"
#include "spectrum/spectrum_ladder.h"
#include "support/made_spectrum.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static void Near(double value, double exact, double tolerance)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%.17g should be %.17g within %g, is off by %g", value, exact, tolerance, value - exact);
}

/*
  String and rod, c = 3: w_k = (k - 1/2) pi c with u_k = sqrt(2) sin((k - 1/2) pi x) clamped and free, k pi c with sqrt(2) cos(k pi x) (1
  for k = 0) free and free; r = u(x_c)^2, 2 at an end, and 1 for the rigid mode. At 2/3 of a clamped string every third mode, in the middle
  of a free rod every second has a node: r = 0 exactly. w: 1e-14, the square of the shape's error; r: shapes are agreed on to 1e-9 in 2
  u(x_c).
*/
static void structures_strings_in_closed_form(void **state)
{
  static const struct {
    BeamModel model;
    BeamEnds  ends;
    double    contact;
    PetscInt  still; /* of the first 60 */
  } strings[] = {
    {BEAM_STRING, ENDS_CLAMPED_FREE, 1.0, 0}, {BEAM_ROD, ENDS_CLAMPED_FREE, 0.5, 0}, {BEAM_STRING, ENDS_CLAMPED_FREE, 2.0 / 3.0, 20},
    {BEAM_STRING, ENDS_FREE_FREE, 1.0, 0},    {BEAM_ROD, ENDS_FREE_FREE, 0.5, 30},   {BEAM_STRING, ENDS_FREE_FREE, 0.2, 0}};
  const double c = 3.0;

  (void)state;
  for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
    const Params params = {
      .beam_model = strings[i].model, .beam_ends = strings[i].ends, .beam_wave_speed = c, .contact_position = strings[i].contact};
    const PetscBool  rigid = strings[i].ends == ENDS_FREE_FREE ? PETSC_TRUE : PETSC_FALSE;
    Spectrum         spectrum;
    PetscInt         n, still = 0;
    const PetscReal *w, *r;
    PetscReal       *field;
    double           S = 0.0, beyond;
    MakeSpectrum(&spectrum, &params, 60, &n, &w, &r);
    GOOD(PetscMalloc1(n, &field));
    assert_int_equal(BeamRigidModes(&params), rigid ? 1 : 0);
    for (PetscInt k = 0; k < n; k++) {
      const double q = PETSC_PI * (rigid ? (double)k : (double)k + 0.5), size = q > 0.0 ? sqrt(2.0) : 1.0;
      const double value = size * (rigid ? cos(q * params.contact_position) : sin(q * params.contact_position)),
                   sign  = value < 0.0 ? -1.0 : 1.0;
      Near(w[k], c * q, 2e-14 * c * q);
      if (fabs(value) < 1e-10) assert_true(r[k] == 0.0); /* the value is round-off of the sine */
      else Near(r[k], value * value, 3e-9);
      still += k < 60 && r[k] == 0.0;
      if (fabs(value) < 1e-10) continue;
      for (double x = 0.0; x <= 1.0; x += 0.25) {
        double u, phi;
        GOOD(SpectrumEvaluate(spectrum, k, x, &u, &phi));
        Near(u, sign * size * (rigid ? cos(q * x) : sin(q * x)), 2e-8);
        assert_true(phi == 0.0);
      }
    }
    assert_int_equal(still, strings[i].still);
    /* u = x and u = 1: int u_k = 0 or 1 / q, int x u_k = (cos q - 1) / q^2 or sin q / q^2, times the size and the sign */
    for (int shape = 0; shape < 2; shape++) {
      GOOD(SpectrumProjectField(spectrum, shape ? INITIAL_UNIFORM : INITIAL_LINEAR, field));
      for (PetscInt k = 0; k < n; k++) {
        const double q = PETSC_PI * (rigid ? (double)k : (double)k + 0.5), size = q > 0.0 ? sqrt(2.0) : 1.0;
        const double free_free = shape ? (k == 0 ? 1.0 : 0.0) : (k == 0 ? 0.5 : (cos(q) - 1.0) / (q * q));
        const double exact     = size * (rigid ? free_free : shape ? 1.0 / q : sin(q) / (q * q));
        if (r[k] > 0.0) {
          double u = size * (rigid ? cos(q * params.contact_position) : sin(q * params.contact_position));
          Near(field[k], u < 0.0 ? -exact : exact, 1e-8);
        } else {
          Near(fabs(field[k]), fabs(exact), 1e-8);
        }
      }
    }
    /* sum r_k / w_k^2 over the elastic modes; the rest is the mean of r, 2 c / Z, times 1 / (pi c w), to the share of one mode, 1/60 */
    for (PetscInt k = n - 1; k >= (rigid ? 1 : 0); k--) S += r[k] / (w[k] * w[k]);
    beyond = 2.0 / (PETSC_PI * BeamImpedance(&params) * (w[n - 1] + 0.5 * PETSC_PI * c));
    Near((BeamCompliance(&params) - S) / beyond, 1.0, 0.02);
    GOOD(PetscFree(field));
    GOOD(SpectrumDestroy(&spectrum));
  }
}

/* 200 modes of a string: no gap on the long ladder, the last ones as good as the first. */
static void structures_string_of_200_modes(void **state)
{
  const Params     params = {.beam_model = BEAM_STRING, .beam_wave_speed = 1.0, .contact_position = 1.0};
  Spectrum         spectrum;
  PetscInt         n;
  const PetscReal *w, *r;

  (void)state;
  MakeSpectrum(&spectrum, &params, 200, &n, &w, &r);
  for (PetscInt k = 0; k < n; k++) {
    Near(w[k], (k + 0.5) * PETSC_PI, 1e-13 * w[k]);
    Near(r[k], 2.0, 4e-9);
  }
  GOOD(SpectrumDestroy(&spectrum));
}

/* Roots of cos z cosh z = -1 by Newton: of cos z + 1 / cosh z, which does not overflow */
static double Root(int k)
{
  long double z = ((long double)k - 0.5L) * acosl(-1.0L);

  for (int i = 0; i < 30; i++) z -= (cosl(z) + 1 / coshl(z)) / (-sinl(z) - sinhl(z) / (coshl(z) * coshl(z)));
  return (double)z;
}

/* sin and cos, sinh and cosh of a cantilever, tip value 2 (r = 4): u(x), with exponentials that do not overflow */
static double CantileverShape(double z, double x, double *slope)
{
  const double e = exp(-z), sigma = (sinh(z) - sin(z)) / (cosh(z) + cos(z)); /* 1 - sigma: the share of the growing exponential */
  const double less = (cos(z) + e + sin(z)) / (cosh(z) + cos(z));            /* 1 - sigma, without cancellation */
  const double grow = 0.5 * less * exp(z * x), decay = 0.5 * (1.0 + sigma) * exp(-z * x);
  const double u = grow + decay - cos(z * x) + sigma * sin(z * x), sign = sin(z) > 0.0 ? 1.0 : -1.0;

  *slope = sign * z * (grow - decay + sin(z * x) + sigma * cos(z * x));
  return sign * u;
}

/*
  Euler-Bernoulli: w = z^2, cos z cosh z = -1 (1.875104068712, 4.694091132974, 7.854757438238 printed), r = 4 of every mode. At least 60
  modes, w to 1e-13 (measured 9e-15) and r to 1e-8 (measured 2e-10); -beam_points 200 gives 102 of them.
*/
static void structures_euler_bernoulli_roots(void **state)
{
  static const double printed[3] = {1.875104068712, 4.694091132974, 7.854757438238};
  Params              params     = {.beam_model = BEAM_EULER_BERNOULLI, .contact_position = 1.0};

  (void)state;
  for (int i = 0; i < 3; i++) Near(Root(i + 1), printed[i], 6e-13);
  for (int by_hand = 0; by_hand < 2; by_hand++) {
    Spectrum         spectrum;
    PetscInt         n;
    const PetscReal *w, *r;
    double           S = 0.0;
    params.beam_points = by_hand ? 200 : 0;
    MakeSpectrum(&spectrum, &params, 100, &n, &w, &r);
    for (PetscInt k = 0; k < n; k++) {
      const double z = Root((int)k + 1);
      Near(w[k], z * z, 1e-13 * z * z);
      Near(r[k], 4.0, 1e-8);
      for (double x = 0.0; x <= 1.0 && k < 40; x += 0.2) {
        double u, phi, slope, exact = CantileverShape(z, x, &slope);
        GOOD(SpectrumEvaluate(spectrum, k, x, &u, &phi));
        Near(u, exact, 1e-8); /* as two grids agree on the tip */
        Near(phi, slope, 1e-8 * z);
      }
    }
    for (PetscInt k = n - 1; k >= 0; k--) S += r[k] / (w[k] * w[k]);
    Near((1.0 / 3.0 - S) * 0.75 * pow(PETSC_PI, 4) * pow((double)n, 3), 1.0,
         0.1); /* w = (k - 1/2)^2 pi^2: 4 / (3 pi^4 n^3) = 1e-8 is left; r_1 is right to 1e-9 */
    assert_true(isinf(BeamImpedance(&params)));
    GOOD(SpectrumDestroy(&spectrum));
  }
}

/* A contact point inside: r_k = u_k(0.6)^2 of the exact shapes, S = 0.6^3 / 3 the sum of r / w^2, and frequencies that do not know of it.
 */
static void structures_euler_bernoulli_contact_inside(void **state)
{
  const Params     params = {.beam_model = BEAM_EULER_BERNOULLI, .contact_position = 0.6};
  Spectrum         spectrum;
  PetscInt         n;
  const PetscReal *w, *r;
  double           S = 0.0;
  ModalLoad        load;

  (void)state;
  MakeSpectrum(&spectrum, &params, 60, &n, &w, &r);
  for (PetscInt k = 0; k < n; k++) {
    double slope, z = Root((int)k + 1), u = k < 40 ? CantileverShape(z, 0.6, &slope) : sqrt(r[k]);
    Near(w[k], z * z, 1e-10 * z * z);
    Near(r[k], u * u, 1e-8);
  }
  for (PetscInt k = n - 1; k >= 0; k--) S += r[k] / (w[k] * w[k]);
  Near(S, 0.072, 1e-7);
  Near(BeamCompliance(&params), 0.072, 1e-16);
  GOOD(PetscMalloc1(n, &load.modal));
  GOOD(SpectrumProject(spectrum, FORCING_SHAPE, 3, 0.0, &load)); /* without rotary inertia a shape load is a modal load */
  for (PetscInt k = 0; k < n; k++) Near(load.modal[k], k == 2 ? 1.0 / sqrt(r[2]) : 0.0, 1e-8);
  Near(load.static_tip, 1.0 / (w[2] * w[2]), 1e-10);
  GOOD(PetscFree(load.modal));
  GOOD(SpectrumDestroy(&spectrum));
}

/* Near a node the residue is the square of a small number: two grids that differ in the value by 1e-5 agree on it to 1e-10. */
static void structures_values_are_compared_not_their_squares(void **state)
{
  const Params params = {.beam_model = BEAM_STRING, .beam_wave_speed = 1.0, .contact_position = 0.5};
  Rung         coarse, fine;

  (void)state;
  GOOD(RungCreate(PETSC_COMM_SELF, &params, 40, 0, &coarse));
  GOOD(RungCreate(PETSC_COMM_SELF, &params, 48, 0, &fine));
  assert_true(RungDisagreement(coarse, fine, 3) < 1e-10);
  coarse->r[3] = 1e-10;
  fine->r[3]   = 0.0;
  Near(RungDisagreement(coarse, fine, 3), 2e-5, 1e-8);
  GOOD(RungDestroy(&coarse));
  GOOD(RungDestroy(&fine));
}

/* A list is the spectrum: w, r = value^2, a damping ratio for each or one for all; S = sum r / w^2; too short a list is a complaint. */
static void structures_modes_are_the_list(void **state)
{
  Params           params = {.beam_model          = BEAM_MODES,
                             .damping_ratio       = 0.1,
                             .contact_position    = 1.0,
                             .beam_frequencies    = {3, {0.0, 2.0, 5.0}},
                             .beam_tip_values     = {3, {1.5, -0.5, 0.0}},
                             .beam_damping_ratios = {3, {0.0, 0.02, 0.03}}};
  Spectrum         spectrum;
  PetscInt         n, points;
  const PetscReal *w, *r, *D;
  PetscReal        disagreement, modal[3];
  ModalLoad        load      = {modal, 0.0};
  Complaint        complaint = {0};

  (void)state;
  MakeSpectrum(&spectrum, &params, 3, &n, &w, &r);
  assert_int_equal(n, 3);
  GOOD(SpectrumGetDamping(spectrum, &D));
  for (int k = 0; k < 3; k++) {
    Near(w[k], params.beam_frequencies.value[k], 0.0);
    Near(r[k], params.beam_tip_values.value[k] * params.beam_tip_values.value[k], 0.0);
    Near(D[k], params.beam_damping_ratios.value[k], 0.0);
  }
  GOOD(SpectrumGetMode(spectrum, 1, &points, &disagreement));
  assert_true(points == 0 && disagreement == 0.0);
  Near(BeamCompliance(&params), 0.0625, 1e-17);
  assert_int_equal(BeamRigidModes(&params), 1);
  assert_true(isinf(BeamImpedance(&params)));
  GOOD(SpectrumProject(spectrum, FORCING_MODE, 2, 0.0, &load));
  Near(modal[1], 2.0, 0.0);
  Near(load.static_tip, 0.25, 0.0);
  GOOD(SpectrumProject(spectrum, FORCING_POINT, 0, 1.0, &load));
  Near(modal[0], 1.5, 0.0);
  Near(modal[1], 0.5, 0.0);
  Near(modal[2], 0.0, 0.0);
  Near(load.static_tip, 0.0625, 1e-17);
  GOOD(SpectrumSetModes(spectrum, 4));
  GOOD(SpectrumSetUp(spectrum, &complaint));
  assert_int_equal(complaint.exit_code, EXIT_OPTIONS);
  assert_non_null(strstr(complaint.line, "-beam_frequencies"));
  GOOD(SpectrumDestroy(&spectrum));

  params.beam_damping_ratios.n = 0;
  params.stop_side             = STOP_ABOVE;
  MakeSpectrum(&spectrum, &params, 1, &n, &w, &r);
  GOOD(SpectrumGetDamping(spectrum, &D));
  for (int k = 0; k < 3; k++) Near(D[k], 0.1, 0.0);
  GOOD(SpectrumProject(spectrum, FORCING_POINT, 0, 1.0, &load)); /* a push upwards, towards the stop: y falls */
  Near(modal[0], -1.5, 0.0);
  Near(load.static_tip, -0.0625, 1e-17);
  GOOD(SpectrumDestroy(&spectrum));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(structures_strings_in_closed_form),
    cmocka_unit_test(structures_string_of_200_modes),
    cmocka_unit_test(structures_euler_bernoulli_roots),
    cmocka_unit_test(structures_euler_bernoulli_contact_inside),
    cmocka_unit_test(structures_values_are_compared_not_their_squares),
    cmocka_unit_test(structures_modes_are_the_list),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
