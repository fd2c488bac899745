/*
  Exact statics of every structure, wave impedance, rigid modes, ends that hold.   [theory 13]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>

#include "graze/beam.h"

static void Near(double value, double exact, double tolerance)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%.17g should be %.17g within %g, is off by %g", value, exact, tolerance, value - exact);
}

static Params BeamOf(BeamEnds ends, double contact, double beta, double gamma)
{
  return (Params){.beam_model = BEAM_TIMOSHENKO, .beam_ends = ends, .beam_beta = beta, .beam_gamma = gamma, .contact_position = contact};
}

/*
  Tables of beam deflections (Roark; a = x_c, b = 1 - a, unit force at a): pinned a^2 b^2 / 3, clamped a^3 b^3 / 3, clamped-pinned
  a^3 b^2 (3 + b) / 12, cantilever a^3 / 3. Shear alone, between supports that are statically determinate: s a b, and s a of a cantilever.
  The stiff ones in the limit s = 1e-13. All to round-off of numbers of size 1.
*/
static void static_deflections_under_a_force(void **state)
{
  const double s = 1.0 / 1200.0;

  (void)state;
  for (double a = 0.1; a < 0.95; a += 0.2) {
    const double b    = 1.0 - a;
    Params       beam = BeamOf(ENDS_PINNED_PINNED, a, 4800.0, 0.25);
    Near(BeamCompliance(&beam), a * a * b * b / 3.0 + s * a * b, 2e-16);
    beam = BeamOf(ENDS_CLAMPED_FREE, a, 4800.0, 0.25);
    Near(BeamCompliance(&beam), a * a * a / 3.0 + s * a, 1e-16);
    beam = BeamOf(ENDS_CLAMPED_CLAMPED, a, 1e4, 1e9);
    Near(BeamCompliance(&beam), a * a * a * b * b * b / 3.0, 3e-13);
    beam = BeamOf(ENDS_CLAMPED_PINNED, a, 1e4, 1e9);
    Near(BeamCompliance(&beam), a * a * a * b * b * (3.0 + b) / 12.0, 3e-13);
    beam = (Params){.beam_model = BEAM_EULER_BERNOULLI, .contact_position = a};
    Near(BeamCompliance(&beam), a * a * a / 3.0, 1e-16);
  }
  { /* by symmetry the middle of a clamped beam shears as between pins: 1/192 + s/4 */
    const Params beam = BeamOf(ENDS_CLAMPED_CLAMPED, 0.5, 4800.0, 0.25);
    Near(BeamCompliance(&beam), 1.0 / 192.0 + s / 4.0, 1e-16);
  }
  { /* Timoshenko's propped cantilever by the force method: the prop takes R = (a^2 (3 - a) / 6 + s a) / (1/3 + s) */
    const double a = 0.6, from_tip = a * a * (3.0 - a) / 6.0 + s * a, R = from_tip / (1.0 / 3.0 + s);
    const Params beam = BeamOf(ENDS_CLAMPED_PINNED, a, 4800.0, 0.25);
    Near(BeamCompliance(&beam), a * a * a / 3.0 + s * a - R * from_tip, 1e-16);
  }
}

/* Uniform load: pinned 5/384 + s/8, clamped 1/384 + s/8 in the middle, clamped-pinned x^2 (3 - 5 x + 2 x^2) / 48, cantilever 1/8 + s/2. */
static void static_deflections_under_a_uniform_load(void **state)
{
  const double s    = 1.0 / 1200.0;
  Params       beam = BeamOf(ENDS_PINNED_PINNED, 0.5, 4800.0, 0.25);

  (void)state;
  Near(BeamComplianceUniform(&beam), 5.0 / 384.0 + s / 8.0, 1e-16);
  beam = BeamOf(ENDS_CLAMPED_CLAMPED, 0.5, 4800.0, 0.25);
  Near(BeamComplianceUniform(&beam), 1.0 / 384.0 + s / 8.0, 1e-16);
  beam = BeamOf(ENDS_CLAMPED_PINNED, 0.3, 1e4, 1e9);
  Near(BeamComplianceUniform(&beam), 0.09 * (3.0 - 1.5 + 0.18) / 48.0, 3e-13);
  beam = BeamOf(ENDS_CLAMPED_FREE, 1.0, 4800.0, 0.25);
  Near(BeamComplianceUniform(&beam), 0.125 + s / 2.0, 1e-16);
  beam = (Params){.beam_model = BEAM_EULER_BERNOULLI, .contact_position = 1.0};
  Near(BeamComplianceUniform(&beam), 0.125, 0.0);
  beam = (Params){.beam_model = BEAM_STRING, .beam_wave_speed = 2.0, .contact_position = 1.0};
  Near(BeamComplianceUniform(&beam), 0.125, 0.0);
  beam = BeamOf(ENDS_FREE_FREE, 0.2, 4800.0, 0.25);
  Near(BeamComplianceUniform(&beam), 0.0, 0.0);
}

/* Integral of ComplianceFrom over x times x^power: Simpson on 400 panels on both sides of the kink; error 400^-4 of the fourth derivative,
 * 1e-11. */
static double Moment(const Params *params, int power)
{
  const double ends[3] = {0.0, params->contact_position, 1.0};
  double       sum     = 0.0;

  for (int piece = 0; piece < 2; piece++) {
    const double low = ends[piece], step = (ends[piece + 1] - low) / 400.0;
    for (int i = 0; i <= 400; i++) {
      const double x = fmin(low + i * step, 1.0);
      sum += step / 3.0 * (i == 0 || i == 400 ? 1.0 : i % 2 ? 4.0 : 2.0) * pow(x, power) * BeamComplianceFrom(params, x);
    }
  }
  return sum;
}

/* What a force at x does at a it does at x from a; a uniform load is the sum of forces; between free ends nothing is left of a shift. */
static void static_deflections_are_reciprocal(void **state)
{
  (void)state;
  for (int model = 0; model < 4; model++) {
    for (int ends = 0; ends < 5; ends++) {
      Params one = {.beam_model      = (BeamModel)model,
                    .beam_ends       = (BeamEnds)ends,
                    .beam_beta       = 40.0,
                    .beam_gamma      = 0.25,
                    .beam_wave_speed = 1.7},
             other;
      const PetscBool known =
        model == BEAM_TIMOSHENKO || ends == ENDS_CLAMPED_FREE || (model != BEAM_EULER_BERNOULLI && ends == ENDS_FREE_FREE);
      if (!known) continue;
      one.contact_position   = 0.35;
      other                  = one;
      other.contact_position = 0.8;
      Near(BeamComplianceFrom(&one, 0.8), BeamComplianceFrom(&other, 0.35), 1e-15);
      assert_true(BeamCompliance(&one) > 0.0);
      Near(Moment(&one, 0), BeamComplianceUniform(&one), 1e-10);
      if (!BeamHolds(&one, 1.0)) continue;
      Near(BeamComplianceFrom(&one, 1.0), 0.0, 1e-15);
    }
  }
}

/* A free string: 1 / (3 c^2) at its end, the sum 2 / (k pi c)^2; 1 / (12 c^2) in the middle, where every second mode is silent. */
static void static_free_string(void **state)
{
  Params string = {.beam_model = BEAM_STRING, .beam_ends = ENDS_FREE_FREE, .beam_wave_speed = 2.0, .contact_position = 1.0};

  (void)state;
  Near(BeamCompliance(&string), 1.0 / 12.0, 1e-16);
  string.contact_position = 0.5;
  Near(BeamCompliance(&string), 1.0 / 48.0, 1e-16);
}

/*
  A free beam pushed at its end, by the energy of inertia forces: without shear (gamma large) the moment is M(y) = y^3 - 2 y^2 + y with y
  from the pushed end (load 1, inertia forces 4 - 6 y: M = y - 2 y^2 + y^3), and S = int M^2 = 1/105; shear adds s int (1 - 4 y + 3 y^2)^2 =
  2 s / 15. Rotary inertia 1/beta is neglected: beta 1e9.
*/
static void static_free_beam_pushed_at_its_end(void **state)
{
  const Params stiff = BeamOf(ENDS_FREE_FREE, 1.0, 1e9, 1e3), soft = BeamOf(ENDS_FREE_FREE, 1.0, 1e9, 1e-7);

  (void)state;
  Near(BeamCompliance(&stiff), 1.0 / 105.0, 3e-9);
  Near(BeamCompliance(&soft), 1.0 / 105.0 + 0.01 * 2.0 / 15.0, 3e-9);
}

/* One wave leaves a free end, two a point inside; no finite speed, no impedance. Which ends hold, and what is left to move as a whole. */
static void static_impedance_and_ends(void **state)
{
  Params p = BeamOf(ENDS_CLAMPED_FREE, 1.0, 4800.0, 0.25);

  (void)state;
  Near(BeamImpedance(&p), sqrt(1200.0), 1e-14);
  p.contact_position = 0.5;
  Near(BeamImpedance(&p), 2.0 * sqrt(1200.0), 1e-14);
  assert_true(BeamHolds(&p, 0.0) && !BeamHolds(&p, 0.5) && !BeamHolds(&p, 1.0));
  p.beam_ends = ENDS_CLAMPED_PINNED;
  assert_true(BeamHolds(&p, 0.0) && BeamHolds(&p, 1.0) && !BeamHolds(&p, 0.999));
  p.beam_ends = ENDS_FREE_FREE;
  assert_true(!BeamHolds(&p, 0.0) && !BeamHolds(&p, 1.0));
  assert_int_equal(BeamRigidModes(&p), 2);
  p.beam_model      = BEAM_ROD;
  p.beam_wave_speed = 3.0;
  assert_int_equal(BeamRigidModes(&p), 1);
  Near(BeamImpedance(&p), 6.0, 0.0);
  p.contact_position = 1.0;
  Near(BeamImpedance(&p), 3.0, 0.0);
  p.beam_ends = ENDS_CLAMPED_FREE;
  assert_int_equal(BeamRigidModes(&p), 0);
  p.beam_model = BEAM_EULER_BERNOULLI;
  assert_true(isinf(BeamImpedance(&p)));
  p.beam_model = BEAM_MODES;
  assert_true(!BeamHolds(&p, 1.0) && isnan(BeamComplianceUniform(&p)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(static_deflections_under_a_force),   cmocka_unit_test(static_deflections_under_a_uniform_load),
    cmocka_unit_test(static_deflections_are_reciprocal),  cmocka_unit_test(static_free_string),
    cmocka_unit_test(static_free_beam_pushed_at_its_end), cmocka_unit_test(static_impedance_and_ends),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
