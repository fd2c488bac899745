/*
  Lyapunov: how periods are shared out, the mean and its standard error, what they tell, and what that makes of a status.   [theory 8]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>

#include "graze/strobe.h"

/* Every period is dropped or in a batch; at least a fifth is dropped, and no more than that and what does not fill the batches. */
static void lyapunov_shares_out_every_period(void **state)
{
  const LyapunovPlan usual = LyapunovPlanOf(500);

  (void)state;
  assert_int_equal(usual.dropped, 100);
  assert_int_equal(usual.batch, 25);
  for (PetscInt periods = 80; periods < 1000; periods++) {
    const LyapunovPlan plan = LyapunovPlanOf(periods);

    assert_int_equal(plan.dropped + plan.measured, periods);
    assert_int_equal(plan.measured, LYAPUNOV_BATCHES * plan.batch);
    assert_true(plan.batch >= 2 && plan.dropped >= periods / 5 && plan.dropped < periods / 5 + LYAPUNOV_BATCHES);
  }
}

static uint64_t seed = 1;

/* Sum of 12 uniform numbers less 6: nearly Gaussian, variance 1 exactly. */
static PetscReal Gauss(void)
{
  PetscReal sum = -6.0;

  for (int i = 0; i < 12; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    sum += (PetscReal)(seed >> 11) / 9007199254740992.0;
  }
  return sum;
}

/* x_i = rho x_{i-1} + e_i with Var e = 1: the mean of n has variance (1/(1-rho)^2)/n up to O(1/n); here n = 400. */
static void lyapunov_error_is_that_of_correlated_noise(void **state)
{
  const PetscReal    rho[] = {-0.5, 0.0, 0.5};
  const LyapunovPlan plan  = LyapunovPlanOf(500);

  (void)state;
  for (int r = 0; r < 3; r++) {
    enum { TRIALS = 400 };
    const PetscReal exact = 1.0 / ((1.0 - rho[r]) * sqrt((PetscReal)plan.measured));
    PetscReal       x = 0.0, said = 0.0, done = 0.0, log_growth[400];

    for (int trial = 0; trial < TRIALS; trial++) {
      PetscReal mean, error, sum = 0.0;

      for (PetscInt i = 0; i < plan.measured; i++) {
        x             = rho[r] * x + Gauss();
        log_growth[i] = 0.25 + x;
        sum += log_growth[i] / (PetscReal)plan.measured;
      }
      LyapunovEstimate(&plan, log_growth, &mean, &error);
      assert_true(fabs(mean - sum) < 1e-13); /* two orders of summation */
      said += error * error / TRIALS;
      done += PetscSqr(mean - 0.25) / TRIALS;
    }
    /* 400 trials know a variance to 7 %; a batch of 25 leaves 2 rho/(1-rho^2)/25 < 6 % of it out */
    assert_true(fabs(said / (exact * exact) - 1.0) < 0.15);
    assert_true(fabs(done / (exact * exact) - 1.0) < 0.25);
  }
}

static void lyapunov_verdicts(void **state)
{
  const LyapunovPlan plan = LyapunovPlanOf(500);
  const struct {
    PetscReal       exponent, error;
    LyapunovVerdict verdict;
  } cases[] = {{0.3, 0.02, LYAPUNOV_GROWS},      {0.3, 0.1, LYAPUNOV_UNDECIDED},    {-0.3, 0.02, LYAPUNOV_DECAYS},
               {-0.3, 0.1, LYAPUNOV_UNDECIDED},  {-INFINITY, 0.0, LYAPUNOV_DECAYS}, {0.0, 0.001, LYAPUNOV_NEUTRAL},
               {0.0, 0.003, LYAPUNOV_UNDECIDED}, /* 0.01 a period is not excluded */
               {0.0040, 0.0, LYAPUNOV_NEUTRAL},  /* growth like the time from period 100 to 500: log(5)/400 = 0.00402 */
               {0.0041, 0.0, LYAPUNOV_GROWS},    {-0.0041, 0.0, LYAPUNOV_DECAYS},   {NAN, NAN, LYAPUNOV_UNDECIDED}};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (LyapunovJudge(&plan, cases[i].exponent, cases[i].error) != cases[i].verdict)
      fail_msg("%g +- %g is not %d", (double)cases[i].exponent, (double)cases[i].error, cases[i].verdict);
}

/* Nothing but chaos and decay is claimed where the samples have not settled, and no chaos beside an orbit. */
static void lyapunov_makes_a_status(void **state)
{
  (void)state;
  for (int beside = 0; beside <= 1; beside++)
    for (int s = 0; s <= 1; s++) {
      const SteadyStatus status = s ? STATUS_NOT_SETTLED : STATUS_APERIODIC;

      assert_int_equal(SteadyStatusWith(status, (PetscBool)beside, LYAPUNOV_UNDECIDED), status);
      assert_int_equal(SteadyStatusWith(status, (PetscBool)beside, LYAPUNOV_GROWS), beside ? status : STATUS_CHAOTIC);
      assert_int_equal(SteadyStatusWith(status, (PetscBool)beside, LYAPUNOV_DECAYS), STATUS_NOT_SETTLED);
      assert_int_equal(SteadyStatusWith(status, (PetscBool)beside, LYAPUNOV_NEUTRAL), s ? STATUS_NOT_SETTLED : STATUS_QUASI_PERIODIC);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lyapunov_shares_out_every_period),
                                     cmocka_unit_test(lyapunov_error_is_that_of_correlated_noise), cmocka_unit_test(lyapunov_verdicts),
                                     cmocka_unit_test(lyapunov_makes_a_status)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
