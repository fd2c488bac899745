/*
  Spectra of Timoshenko beams between other ends, with the contact point anywhere.   [theory 13]
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
#include "graze/spectrum.h"
#include "support/characteristic.h"
#include "support/characteristic_ends.h"
#include "support/made_spectrum.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static const double beta = 4800.0, gamma_ = 0.25;

static void Near(double value, double exact, double tolerance)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%.17g should be %.17g within %g, is off by %g", value, exact, tolerance, value - exact);
}

static Params BeamOf(BeamEnds ends, double contact)
{
  return (Params){.beam_model = BEAM_TIMOSHENKO, .beam_ends = ends, .beam_beta = beta, .beam_gamma = gamma_, .contact_position = contact};
}

/* The two ways to write the exact equation, for the ends that both know: roots to the digits of a double, shapes to 1e-12. */
static void ends_reference_agrees_with_the_other(void **state)
{
  double one[60], other[60], u, phi, u2, phi2;

  (void)state;
  CharacteristicRoots(beta, gamma_, 60, one);
  CharacteristicEndsRoots(ENDS_CLAMPED_FREE, beta, gamma_, 60, other);
  for (int k = 0; k < 60; k++) {
    Near(other[k], one[k], 1e-14 * one[k]);
    CharacteristicShape(beta, gamma_, one[k], 0.4, &u, &phi);
    CharacteristicEndsShape(ENDS_CLAMPED_FREE, beta, gamma_, other[k], 0.4, &u2, &phi2);
    Near(fabs(u2), fabs(u), 1e-11);
    Near(fabs(phi2), fabs(phi), 1e-9);
  }
}

/*
  Every mode against the determinant, of the ends that have no closed form; contact inside and, for free ends, at the end. Both
  sides count: a mode missed by one would shift all that follow. w errs with the square of the shape: 1e-13. Shapes are agreed on to
  1e-9 in 2 u(x_c) and so r to sqrt(r) 1e-9 in theory, whose largest is r = 4.
*/
static void ends_all_modes_meet_characteristic_equation(void **state)
{
  static const struct {
    BeamEnds ends;
    double   contact;
    int      rigid;
  } beams[] = {{ENDS_CLAMPED_PINNED, 0.6, 0},
               {ENDS_CLAMPED_CLAMPED, 0.3, 0},
               {ENDS_FREE_FREE, 1.0, 2},
               {ENDS_FREE_FREE, 0.25, 2},
               {ENDS_CLAMPED_FREE, 0.7, 0}};
  enum { MODES = 45 };
  static double exact[MODES];

  (void)state;
  for (size_t i = 0; i < sizeof beams / sizeof beams[0]; i++) {
    const Params     params = BeamOf(beams[i].ends, beams[i].contact);
    Spectrum         spectrum;
    PetscInt         n;
    const PetscReal *w, *r;
    MakeSpectrum(&spectrum, &params, MODES + beams[i].rigid, &n, &w, &r);
    CharacteristicEndsRoots(beams[i].ends, beta, gamma_, MODES, exact);
    assert_int_equal(BeamRigidModes(&params), beams[i].rigid);
    for (int k = 0; k < MODES; k++) {
      const int mode = k + beams[i].rigid;
      double    value, phi, u[2], sign;
      CharacteristicEndsShape(beams[i].ends, beta, gamma_, exact[k], beams[i].contact, &value, NULL);
      Near(w[mode], exact[k], 1e-13 * exact[k]);
      Near(r[mode], value * value, 4e-9);
      GOOD(SpectrumEvaluate(spectrum, mode, beams[i].contact, &u[0], NULL));
      assert_true(u[0] >= 0.0); /* y >= 0 */
      sign = value > 0.0 ? 1.0 : -1.0;
      if (k % 7 != 0 || fabs(value) < 0.1) continue; /* the sign of the reference would be a matter of round-off */
      for (double x = 0.0; x <= 1.0; x += 0.25) {
        double exact_phi;
        CharacteristicEndsShape(beams[i].ends, beta, gamma_, exact[k], x, &value, &exact_phi);
        GOOD(SpectrumEvaluate(spectrum, mode, x, &u[1], &phi));
        Near(u[1], sign * value, 2e-8);
        Near(phi, sign * exact_phi, 2e-8 * sqrt(beta));
      }
    }
    GOOD(SpectrumDestroy(&spectrum));
  }
}

/*
  Pinned-pinned: u = U sin(k pi x), phi = B cos(k pi x), with q = k pi

      (beta gamma q^2 - w^2) U = beta gamma q B,      w^4 - w^2 (beta gamma q^2 + beta q^2 + beta^2 gamma) + beta^2 gamma q^4 = 0

  two frequencies for each k >= 1, mass (U^2 + B^2 / beta) / 2; and for k = 0 u = 0, phi = 1 at w = beta sqrt(gamma), the cut-off. Returns
  the n lowest with their residues at x.
*/
static void PinnedModes(int n, double x, double *w, double *r)
{
  int count = 1;

  w[0] = beta * sqrt(gamma_);
  r[0] = 0.0;
  for (int k = 1; k <= n; k++) {
    const double q = k * PETSC_PI, b = beta * gamma_ * q * q + beta * q * q + beta * beta * gamma_,
                 c    = beta * beta * gamma_ * q * q * q * q;
    const double high = 0.5 * (b + sqrt(b * b - 4.0 * c)), squares[2] = {c / high, high};
    for (int i = 0; i < 2; i++) {
      const double B = (beta * gamma_ * q * q - squares[i]) / (beta * gamma_ * q), s = sin(fmod(k * x, 2.0) * PETSC_PI);
      int          at = count++;
      for (; at > 0 && w[at - 1] > sqrt(squares[i]); at--) w[at] = w[at - 1], r[at] = r[at - 1];
      w[at] = sqrt(squares[i]);
      r[at] = fabs(s) < 1e-12 ? 0.0 : s * s / (0.5 * (1.0 + B * B / beta));
    }
  }
}

/*
  All modes in the middle, where every second of a family is at a node, at a third, where every third is, and where none is. Nodes:
  r = 0 exactly, and such modes do not stop the ladder.
*/
static void ends_pinned_modes_in_closed_form(void **state)
{
  static const struct {
    double   contact;
    PetscInt modes, still;
  } beams[3] = {{0.5, 140, 70}, {1.0 / 3.0, 80, 26}, {0.37, 60, 1}}; /* a half, a third, and the mode without deflection alone */
  enum { MODES = 140 };
  static double w_exact[2 * MODES + 1], r_exact[2 * MODES + 1];

  (void)state;
  for (int i = 0; i < 3; i++) {
    const Params     params = BeamOf(ENDS_PINNED_PINNED, beams[i].contact);
    Spectrum         spectrum;
    PetscInt         n, still = 0;
    const PetscReal *w, *r;
    MakeSpectrum(&spectrum, &params, beams[i].modes, &n, &w, &r);
    PinnedModes(MODES, beams[i].contact, w_exact, r_exact);
    for (PetscInt k = 0; k < beams[i].modes; k++) {
      Near(w[k], w_exact[k], 1e-13 * w_exact[k]);
      Near(r[k], r_exact[k], r_exact[k] == 0.0 ? 0.0 : 4e-9);
      still += r[k] == 0.0;
    }
    assert_in_range(still, beams[i].still - 1, beams[i].still + 1); /* where the list is cut */
    GOOD(SpectrumDestroy(&spectrum));
  }
}

/*
  code_aster SDLV302: L 2, square of 0.2, kappa 5/6, E 2.1e11, rho 7800, nu 0.3, pinned at both ends. Printed 115.7, 442.2, 931.6 and
  1534.0 Hz (their finite elements err by 0.02 % in the last); the model gives 115.709, 442.172, 931.574, 1533.648, to half a unit of
  the last digit.
*/
static void ends_pinned_beam_of_sdlv302(void **state)
{
  static const double hertz[4] = {115.709, 442.172, 931.574, 1533.648}, printed[4] = {115.7, 442.2, 931.6, 1534.0};
  const double        area = 0.04, second = 0.2 * 0.2 * 0.2 * 0.2 / 12.0, t0 = 4.0 * sqrt(7800.0 * area / (2.1e11 * second));
  Params              params = BeamOf(ENDS_PINNED_PINNED, 0.5);
  Spectrum            spectrum;
  PetscInt            n;
  const PetscReal    *w, *r;

  (void)state;
  params.beam_beta  = area * 4.0 / second;
  params.beam_gamma = 5.0 / 6.0 / (2.0 * 1.3);
  MakeSpectrum(&spectrum, &params, 4, &n, &w, &r);
  for (int k = 0; k < 4; k++) {
    Near(w[k] / (2.0 * PETSC_PI * t0), hertz[k], 5.1e-4);
    Near(w[k] / (2.0 * PETSC_PI * t0), printed[k], k < 3 ? 0.05 : 0.5);
  }
  GOOD(SpectrumDestroy(&spectrum));
}

/*
  S = sum r_k / w_k^2 over the elastic modes, for every kind of ends. Asymptotically sum r_k over w is 2 w / (pi Z), so that the modes above
  w_M add 2 / (pi Z w_M); the modes come singly, with r up to 4, so the cut is uncertain by one of them, r / w_M^2, and the density by
  its slow approach to the limit: 10 % of the remainder, which is itself 1e-3 to 1e-2 of S.
*/
static void ends_modal_sum_tends_to_compliance(void **state)
{
  static const struct {
    BeamEnds ends;
    double   contact;
  } beams[] = {{ENDS_PINNED_PINNED, 0.5}, {ENDS_PINNED_PINNED, 0.2}, {ENDS_CLAMPED_PINNED, 0.6}, {ENDS_CLAMPED_CLAMPED, 0.3},
               {ENDS_FREE_FREE, 1.0},     {ENDS_FREE_FREE, 0.25},    {ENDS_CLAMPED_FREE, 0.7}};

  (void)state;
  for (size_t i = 0; i < sizeof beams / sizeof beams[0]; i++) {
    const Params     params = BeamOf(beams[i].ends, beams[i].contact);
    const double     S = BeamCompliance(&params), Z = BeamImpedance(&params);
    Spectrum         spectrum;
    PetscInt         n;
    const PetscReal *w, *r;
    double           sum = 0.0, uniform = 0.0, moved = 0.0, beyond;
    ModalLoad        load;
    MakeSpectrum(&spectrum, &params, 100, &n, &w, &r);
    GOOD(PetscMalloc1(n, &load.modal));
    GOOD(SpectrumProject(spectrum, FORCING_BASE, 0, 0.0, &load));
    for (PetscInt k = n - 1; k >= 0; k--) {
      moved += r[k];
      if (w[k] == 0.0) continue;
      sum += r[k] / (w[k] * w[k]);
      uniform -= sqrt(r[k]) * load.modal[k] / (w[k] * w[k]);
    }
    beyond = 2.0 / (PETSC_PI * Z * w[n - 1]);
    Near((S - sum) / beyond, 1.0, 0.1);
    Near(moved / (2.0 * w[n - 1] / (PETSC_PI * Z)), 1.0, 0.1);                  /* L+ = 2 / (pi Z) arccos(D) ...: the density behind it */
    Near(uniform, BeamComplianceUniform(&params), 1e-7 * fmax(S, 1e-3) + 2e-8); /* terms fall like w^-3 */
    Near(load.static_tip, -BeamComplianceUniform(&params), 0.0);
    GOOD(PetscFree(load.modal));
    GOOD(SpectrumDestroy(&spectrum));
  }
}

/*
  A free beam: shift u = 1 (mass 1) and turn u = x - 1/2, phi = 1 (mass 1/12 + 1/beta). The first mode alone moves the contact point, with
  r_1 = 1 + (x_c - 1/2)^2 / (1/12 + 1/beta) = 4 nearly at an end: the inverse of the mass that a push there feels. Both of unit mass and
  orthogonal, and orthogonal to the elastic modes.
*/
static void ends_rigid_modes_in_closed_form(void **state)
{
  const double     inertia = 1.0 / 12.0 + 1.0 / beta;
  const Params     params  = BeamOf(ENDS_FREE_FREE, 0.8);
  Spectrum         spectrum;
  PetscInt         n, N, points;
  const PetscReal *w, *r, *x, *weights;
  PetscReal        disagreement;
  Beam             beam;
  double           u[5], phi[5], product[5][5] = {{0.0}};

  (void)state;
  MakeSpectrum(&spectrum, &params, 20, &n, &w, &r);
  assert_true(w[0] == 0.0 && w[1] == 0.0 && w[2] > 20.0 && r[1] == 0.0);
  Near(r[0], 1.0 + 0.09 / inertia, 1e-15 * r[0]);
  GOOD(SpectrumGetMode(spectrum, 0, &points, &disagreement));
  assert_true(points == 0 && disagreement == 0.0);
  GOOD(BeamCreate(PETSC_COMM_SELF, &beam));
  GOOD(BeamSetParams(beam, &params));
  GOOD(BeamSetPoints(beam, 80));
  GOOD(BeamGetGrid(beam, &N, &x, &weights));
  for (PetscInt i = 0; i <= N; i++) {
    for (int k = 0; k < 5; k++) GOOD(SpectrumEvaluate(spectrum, k, x[i], &u[k], &phi[k]));
    for (int k = 0; k < 5; k++) {
      for (int j = 0; j < 5; j++) product[k][j] += weights[i] * (u[k] * u[j] + phi[k] * phi[j] / beta);
    }
  }
  for (int k = 0; k < 5; k++) {
    for (int j = 0; j < 5; j++) Near(product[k][j], k == j ? 1.0 : 0.0, k < 2 && j < 2 ? 1e-14 : 1e-9); /* as the shapes agree */
  }
  GOOD(SpectrumEvaluate(spectrum, 0, 0.8, &u[0], NULL));
  GOOD(SpectrumEvaluate(spectrum, 1, 0.8, &u[1], NULL));
  Near(u[0], sqrt(r[0]), 1e-15 * u[0]);
  Near(u[1], 0.0, 1e-15);
  GOOD(BeamDestroy(&beam));
  GOOD(SpectrumDestroy(&spectrum));
}

/*
  Loads on a free beam, contact at 0.8: the modal sum over elastic modes is the static tip, the rigid ones are pushed as p_k = u_k(x). A
  mode load on the rigid mode has no static tip. Point loads elsewhere: terms +-2 / w^2 alternate, 180 modes leave below 2 / w_M^2 = 3e-8
  times the terms to a sign change; measured below 3e-7.
*/
static void ends_loads_on_a_free_beam(void **state)
{
  const Params     params = BeamOf(ENDS_FREE_FREE, 0.8);
  Spectrum         spectrum;
  PetscInt         n;
  const PetscReal *w, *r;
  ModalLoad        load;

  (void)state;
  MakeSpectrum(&spectrum, &params, 100, &n, &w, &r);
  GOOD(PetscMalloc1(n, &load.modal));
  for (double x = 0.0; x < 0.75; x += 0.15) {
    double sum = 0.0, u;
    GOOD(SpectrumProject(spectrum, FORCING_POINT, 0, x, &load));
    for (PetscInt k = n - 1; k >= 2; k--) sum += sqrt(r[k]) * load.modal[k] / (w[k] * w[k]);
    Near(load.static_tip, sum, 1e-6);
    Near(load.static_tip, BeamComplianceFrom(&params, x), 0.0);
    GOOD(SpectrumEvaluate(spectrum, 1, x, &u, NULL));
    Near(load.modal[1], u, 0.0);
  }
  GOOD(SpectrumProject(spectrum, FORCING_POINT, 0, 0.8, &load));
  assert_true(load.modal[1] == 0.0);
  Near(load.modal[0], sqrt(r[0]), 1e-15);
  GOOD(SpectrumProject(spectrum, FORCING_MODE, 1, 0.0, &load));
  Near(load.modal[0], 1.0 / sqrt(r[0]), 1e-16);
  assert_true(load.static_tip == 0.0);
  GOOD(SpectrumProject(spectrum, FORCING_BASE, 0, 0.0, &load)); /* a uniform load moves a free beam as a whole and does not bend it */
  for (PetscInt k = 2; k < n; k++) Near(load.modal[k], 0.0, 1e-9);
  Near(load.modal[0] * load.modal[0] + load.modal[1] * load.modal[1], 1.0, 1e-14);
  GOOD(SpectrumProject(spectrum, FORCING_SHAPE, 4, 0.0, &load));
  {
    double sum = 0.0;
    for (PetscInt k = n - 1; k >= 2; k--) sum += sqrt(r[k]) * load.modal[k] / (w[k] * w[k]);
    Near(load.static_tip, sum, 1e-9);               /* smooth load: terms fall fast */
    Near(load.static_tip * w[3] * w[3], 1.0, 0.05); /* nearly a modal load */
  }
  GOOD(PetscFree(load.modal));
  GOOD(SpectrumDestroy(&spectrum));
}

/* The stop above: y = -u(x_c). Same w and r; shapes, p_k of a force at the contact point, and every static y change sign. */
static void ends_stop_above_mirrors_the_shapes(void **state)
{
  static const BeamEnds ends[2] = {ENDS_CLAMPED_FREE, ENDS_FREE_FREE};

  (void)state;
  for (int i = 0; i < 2; i++) {
    Params           params = BeamOf(ends[i], i == 0 ? 1.0 : 0.7);
    Spectrum         below, above;
    PetscInt         n, m;
    const PetscReal *w, *r, *w2, *r2;
    ModalLoad        load, load2;
    MakeSpectrum(&below, &params, 30, &n, &w, &r);
    params.stop_side = STOP_ABOVE;
    MakeSpectrum(&above, &params, 30, &m, &w2, &r2);
    assert_int_equal(n, m);
    GOOD(PetscMalloc2(n, &load.modal, n, &load2.modal));
    for (PetscInt k = 0; k < n; k++) {
      double u, u2;
      assert_true(w[k] == w2[k] && r[k] == r2[k]);
      GOOD(SpectrumEvaluate(below, k, 0.4, &u, NULL));
      GOOD(SpectrumEvaluate(above, k, 0.4, &u2, NULL));
      Near(u2, r[k] > 0.0 ? -u : u, 0.0);
      GOOD(SpectrumEvaluate(above, k, params.contact_position, &u2, NULL));
      assert_true(u2 <= 1e-15);
    }
    for (int type = 0; type < 4; type++) {
      GOOD(SpectrumProject(below, (ForcingType)type, 3, 0.4, &load));
      GOOD(SpectrumProject(above, (ForcingType)type, 3, 0.4, &load2));
      /* mode and shape loads are given in y: the same there, so turned in u */
      Near(load2.static_tip, type == FORCING_MODE || type == FORCING_SHAPE ? load.static_tip : -load.static_tip, 1e-17);
    }
    GOOD(PetscFree2(load.modal, load2.modal));
    GOOD(SpectrumDestroy(&below));
    GOOD(SpectrumDestroy(&above));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ends_reference_agrees_with_the_other),
    cmocka_unit_test(ends_all_modes_meet_characteristic_equation),
    cmocka_unit_test(ends_pinned_modes_in_closed_form),
    cmocka_unit_test(ends_pinned_beam_of_sdlv302),
    cmocka_unit_test(ends_modal_sum_tends_to_compliance),
    cmocka_unit_test(ends_rigid_modes_in_closed_form),
    cmocka_unit_test(ends_loads_on_a_free_beam),
    cmocka_unit_test(ends_stop_above_mirrors_the_shapes),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
