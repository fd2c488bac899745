/*
  Units: scales of a steel rectangle worked out by hand, every dimensional entry, both ways of giving a section, and what is
  missing or given twice.   [theory 1]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <string.h>

#include "graze/units.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
/* A few roundings of double precision. */
#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 4e-15 * fabs(b))

/* L 2 m, 0.1 x 0.2 m, kappa 5/6, E 2.1e11 Pa, nu 0.3, rho 7800: the beam of code_aster SDLV302. */
static Params Steel(ForcingType type)
{
  Params    p;
  Complaint c = {0};

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.beam_beta = p.beam_gamma = NAN;
  p.beam_length              = 2;
  p.beam_youngs_modulus      = 2.1e11;
  p.beam_poisson_ratio       = 0.3;
  p.beam_shear_factor        = 5. / 6;
  p.beam_density             = 7800;
  p.beam_width               = 0.1;
  p.beam_height              = 0.2;
  p.units                    = UNITS_SI;
  p.forcing_type             = type;
  p.stop_position            = -0.01;
  p.initial_displacement     = 0.04;
  p.initial_velocity         = 3;
  p.literal_step             = 1e-6;
  p.forcing_amplitude        = 700;
  p.forcing_mean             = -35;
  p.kernel_min_time          = 1e-5;
  p.kernel_max_time          = 2;
  p.forcing_frequency        = 50;
  p.forcing_position         = 0.75;
  p.sweep_amplitude          = (Range){100, 900, 5};
  p.sweep_frequency          = (Range){10, 90, 3};
  return p;
}

/* A = 0.02, I = 0.1 * 0.008 / 12 = 6.666...e-5: beta = A L^2 / I = 12 (L/h)^2 = 1200, gamma = (5/6) / 2.6,
   t0 = 4 sqrt(7800 * 0.02 / (2.1e11 * I)) = 4 sqrt(156 / 1.4e7), E I / L^2 = 1.4e7 / 4. */
static void test_scales_of_a_steel_rectangle(void **state)
{
  const double t0 = 4 * sqrt(156 / 1.4e7), force = 3.5e6;
  Params       p = Steel(FORCING_POINT), s;
  Units        u;
  Complaint    c = {0};

  (void)state;
  GOOD(UnitsApply(&p, &u, &s, &c));
  assert_string_equal(c.line, "");
  assert_true(u.si && u.length == 2);
  NEAR(u.time, t0);
  NEAR(u.force, force);
  NEAR(s.beam_beta, 1200.);
  NEAR(s.beam_gamma, 5. / 6 / 2.6);
  NEAR(s.stop_position, -0.005);
  NEAR(s.initial_displacement, 0.02);
  NEAR(s.initial_velocity, 3 * t0 / 2);
  NEAR(s.literal_step, 1e-6 / t0);
  NEAR(s.forcing_amplitude, 700 / force);
  NEAR(s.forcing_mean, -35 / force);
  NEAR(s.kernel_min_time, 1e-5 / t0);
  NEAR(s.kernel_max_time, 2 / t0);
  assert_string_equal(u.time_text, "t0 = L^2 sqrt(rho A / (E I))");
  assert_string_equal(u.force_text, "E I / L^2");
  NEAR(s.forcing_frequency, 50 * t0);
  NEAR(s.sweep_amplitude.first, 100 / force);
  NEAR(s.sweep_amplitude.last, 900 / force);
  NEAR(s.sweep_frequency.first, 10 * t0);
  NEAR(s.sweep_frequency.last, 90 * t0);
  assert_true(s.sweep_amplitude.count == 5 && s.forcing_position == 0.75 && s.units == UNITS_NONDIMENSIONAL && isnan(s.beam_length));
}

/* Mode, base and shape amplitudes are accelerations, L / t0^2. */
static void test_amplitudes_that_are_accelerations(void **state)
{
  const ForcingType types[] = {FORCING_MODE, FORCING_BASE, FORCING_SHAPE};

  (void)state;
  for (int i = 0; i < 3; i++) {
    Params    p = Steel(types[i]), s;
    Units     u;
    Complaint c = {0};

    GOOD(UnitsApply(&p, &u, &s, &c));
    NEAR(s.forcing_amplitude, 700 * (16 * 156 / 1.4e7) / 2);
    NEAR(s.forcing_mean, -35 * (16 * 156 / 1.4e7) / 2);
    NEAR(s.sweep_amplitude.last, 900 * (16 * 156 / 1.4e7) / 2);
  }
}

/* Section and shear modulus given directly are the same beam; without -units si the entries stay as they are. */
static void test_other_ways_to_say_it(void **state)
{
  Params    p = Steel(FORCING_POINT), s, again;
  Units     u;
  Complaint c = {0};

  (void)state;
  p.beam_width = p.beam_height = p.beam_poisson_ratio = NAN;
  p.beam_area                                         = 0.02;
  p.beam_second_moment                                = 0.0008 / 12;
  p.beam_shear_modulus                                = 2.1e11 / 2.6;
  p.units                                             = UNITS_NONDIMENSIONAL;
  GOOD(UnitsApply(&p, &u, &s, &c));
  assert_string_equal(c.line, "");
  NEAR(s.beam_beta, 1200.);
  NEAR(s.beam_gamma, 5. / 6 / 2.6);
  NEAR(u.time, 4 * sqrt(156 / 1.4e7));
  assert_true(s.stop_position == -0.01 && s.forcing_amplitude == 700 && s.sweep_frequency.last == 90);
  /* what is scaled stays scaled */
  GOOD(UnitsApply(&s, &u, &again, &c));
  assert_true(!u.si && isnan(u.time) && again.beam_beta == s.beam_beta && again.stop_position == s.stop_position);
}

/* The same rectangle without shear: the same units, and neither beta nor gamma. */
static void test_euler_bernoulli_has_no_shear(void **state)
{
  Params    p = Steel(FORCING_POINT), s;
  Units     u;
  Complaint c = {0};

  (void)state;
  p.beam_model         = BEAM_EULER_BERNOULLI;
  p.beam_poisson_ratio = p.beam_shear_factor = NAN;
  GOOD(UnitsApply(&p, &u, &s, &c));
  assert_string_equal(c.line, "");
  NEAR(u.time, 4 * sqrt(156 / 1.4e7));
  NEAR(u.force, 3.5e6);
  NEAR(s.forcing_amplitude, 700 / 3.5e6);
  assert_true(isnan(u.beta) && isnan(u.gamma) && isnan(s.beam_beta) && isnan(s.beam_gamma));
  assert_string_equal(u.force_text, "E I / L^2");
}

/* The rod of code_aster SDNV100A: E 2e11, rho 8000, L 0.2, A 4e-4. Its waves run at sqrt(E / rho) = 5000 m/s, L in 4e-5 s: t0, and
   the wave speed is 1 L/t0. E A = 8e7 N. The force on a wall that it meets at 100 m/s is rho c A v = 8000 * 5000 * 4e-4 * 100 = 1.6e6 N:
   without dimension that is the speed 100 t0 / L = 0.02. */
static void test_rod_has_its_own_units(void **state)
{
  for (int way = 0; way < 2; way++) {
    Params    p = Steel(way ? FORCING_POINT : FORCING_BASE), s;
    Units     u;
    Complaint c = {0};

    (void)state;
    p.beam_model         = BEAM_ROD;
    p.beam_poisson_ratio = p.beam_shear_factor = p.beam_width = p.beam_height = NAN;
    p.beam_length         = 0.2;
    p.beam_youngs_modulus = 2e11;
    p.beam_density        = 8000;
    if (way) {
      p.beam_area = 4e-4;
    } else {
      p.beam_width  = 0.01;
      p.beam_height = 0.04;
    }
    p.initial_velocity  = 100;
    p.forcing_amplitude = way ? 1.6e6 : 9.81;
    GOOD(UnitsApply(&p, &u, &s, &c));
    assert_string_equal(c.line, "");
    NEAR(u.time, 4e-5);
    NEAR(u.force, 8e7);
    NEAR(s.initial_velocity, 0.02);
    NEAR(s.forcing_amplitude, way ? 0.02 : 9.81 * 1.6e-9 / 0.2);
    assert_true(s.beam_wave_speed == 1 && isnan(u.beta) && isnan(s.beam_beta) && isnan(s.beam_length) && isnan(s.beam_area));
    assert_string_equal(u.time_text, "t0 = L sqrt(rho / E)");
    assert_string_equal(u.force_text, "E A");
  }
}

static void Refused(const Params *p, const char *says)
{
  Params    s;
  Units     u;
  Complaint c = {0};

  GOOD(UnitsApply(p, &u, &s, &c));
  assert_int_equal(c.exit_code, EXIT_OPTIONS);
  if (!strstr(c.line, says)) fail_msg("'%s' does not say '%s'", c.line, says);
}

static void test_bad_sets_are_complaints(void **state)
{
  Params    p;
  Complaint c = {0};

  (void)state;
#define CASE(says, ...)                                                                                                                    \
  do {                                                                                                                                     \
    p = Steel(FORCING_MODE);                                                                                                               \
    __VA_ARGS__;                                                                                                                           \
    Refused(&p, says);                                                                                                                     \
  } while (0)
  CASE("not both", p.beam_beta = 3);
  CASE("not both", p.beam_shear_modulus = 1e10);
  CASE("not both", p.beam_area = 1);
  CASE("-beam_length is missing", p.beam_length = NAN);
  CASE("-beam_youngs_modulus is missing", p.beam_youngs_modulus = NAN);
  CASE("-beam_shear_factor is missing", p.beam_shear_factor = NAN);
  CASE("-beam_density is missing", p.beam_density = NAN);
  CASE("-beam_poisson_ratio is missing", p.beam_poisson_ratio = NAN);
  CASE("-beam_height is missing", p.beam_height = NAN);
  CASE("-beam_width is missing", p.beam_width = NAN);
  CASE("-beam_second_moment (or", p.beam_width = p.beam_height = NAN);
  CASE("-beam_area is missing", p.beam_width = p.beam_height = NAN; p.beam_second_moment = 1);
  CASE("check its units", p.beam_height = 1e-200);
  CASE("string and modes have none", p.beam_model = BEAM_STRING);
  CASE("string and modes have none", p.beam_model = BEAM_MODES);
  CASE("-beam_density is missing", p.beam_model = BEAM_EULER_BERNOULLI; p.beam_density = NAN);
  CASE("-beam_area and -beam_second_moment (or", p.beam_model = BEAM_EULER_BERNOULLI; p.beam_width = p.beam_height = NAN);
  CASE("-beam_second_moment is missing", p.beam_model = BEAM_EULER_BERNOULLI; p.beam_width = p.beam_height = NAN; p.beam_area = 1);
  CASE("-beam_area (or -beam_width and -beam_height) is missing", p.beam_model = BEAM_ROD; p.beam_width = p.beam_height = NAN);
  CASE("-beam_height is missing", p.beam_model = BEAM_ROD; p.beam_height = NAN);
  CASE("E A = inf N: check its units", p.beam_model = BEAM_ROD; p.beam_height = 1e300);
#undef CASE
  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.units = UNITS_SI;
  Refused(&p, "SI set");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scales_of_a_steel_rectangle),
    cmocka_unit_test(test_amplitudes_that_are_accelerations),
    cmocka_unit_test(test_euler_bernoulli_has_no_shear),
    cmocka_unit_test(test_rod_has_its_own_units),
    cmocka_unit_test(test_other_ways_to_say_it),
    cmocka_unit_test(test_bad_sets_are_complaints),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
