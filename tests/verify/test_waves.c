/*
  Trains of jumps against waves that walk a grid, and kernels against their modal sums.   [theory 14]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>

#include "graze/waves.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static void Near(PetscReal value, PetscReal exact, PetscReal tolerance, const char *what, PetscReal at)
{
  if (!(fabs(value - exact) <= tolerance)) fail_msg("%s at %g: %.15g should be %.15g within %g", what, at, value, exact, tolerance);
}

static Params Structure(BeamEnds ends, PetscReal c, PetscReal x_c)
{
  Params params = {.beam_model = BEAM_STRING, .beam_ends = ends, .beam_wave_speed = c, .contact_position = x_c, .damping_ratio = 0.0};

  return params;
}

/* Clamped string and free rod, contact at the end: (14.2) as printed below it. 1e-13: round-off of delays up to 7 */
static void test_train_of_the_end(void **state)
{
  const PetscReal c = 1.7;

  (void)state;
  for (PetscInt ends = 0; ends < 2; ++ends) {
    const Params params = Structure(ends ? ENDS_FREE_FREE : ENDS_CLAMPED_FREE, c, 1.0);
    WaveTrain    train;

    GOOD(WaveTrainCreate(&params, 1.0, 6.0 * 2.0 / c, &train));
    assert_int_equal((int)train.n, 7);
    for (PetscInt i = 0; i < 7; ++i) {
      Near(train.delay[i], 2.0 * (PetscReal)i / c, 1e-13, "delay", (PetscReal)i);
      Near(train.jump[i], (i == 0 ? 1.0 : ends || i % 2 == 0 ? 2.0 : -2.0) / c, 1e-13, "jump", (PetscReal)i);
    }
    GOOD(WaveTrainDestroy(&train));
  }
}

/*
  Leapfrog with one cell a step, u_i^{n+1} = u_{i+1}^n + u_{i-1}^n - u_i^{n-1}, carries waves on a grid without any error. After a unit
  impulse at a node the displacement of another is g (theory 4), twice as high at every second step and 0 between.
*/
enum { CELLS = 60, STEPS = 700 };
static void Walk(BeamEnds ends, PetscReal c, PetscInt source, PetscInt contact, PetscReal *g)
{
  PetscReal before[CELLS + 1] = {0}, now[CELLS + 1] = {0}, next[CELLS + 1], seen[STEPS + 2];

  now[source] = (source == CELLS ? 2.0 : 1.0) / c; /* half a cell of mass at an end */
  seen[0]     = 0.0;
  for (PetscInt n = 1; n < STEPS + 2; ++n) {
    seen[n] = now[contact];
    for (PetscInt i = 1; i < CELLS; ++i) next[i] = now[i + 1] + now[i - 1] - before[i];
    next[0]     = ends == ENDS_FREE_FREE ? 2.0 * now[1] - before[0] : 0.0;
    next[CELLS] = 2.0 * now[CELLS - 1] - before[CELLS];
    for (PetscInt i = 0; i <= CELLS; ++i) {
      before[i] = now[i];
      now[i]    = next[i];
    }
  }
  for (PetscInt n = 0; n <= STEPS; ++n) g[n] = 0.5 * (seen[n] + seen[n + 1]); /* between steps n and n + 1 */
}

static void test_train_of_images(void **state)
{
  static const PetscInt place[][2] = {{60, 60}, {24, 24}, {30, 30}, {60, 24}, {24, 60}, {17, 41}, {59, 59}}; /* source, contact */
  const PetscReal       c = 0.8;

  (void)state;
  for (PetscInt ends = 0; ends < 2; ++ends)
    for (size_t k = 0; k < sizeof place / sizeof place[0]; ++k) {
      const BeamEnds e      = ends ? ENDS_FREE_FREE : ENDS_CLAMPED_FREE;
      const Params   params = Structure(e, c, (PetscReal)place[k][1] / CELLS);
      PetscReal      walked[STEPS + 1], tau[STEPS + 1], g[STEPS + 1];
      WaveTrain      train;

      for (PetscInt n = 0; n <= STEPS; ++n) tau[n] = ((PetscReal)n + 0.5) / (CELLS * c);
      Walk(e, c, place[k][0], place[k][1], walked);
      GOOD(WaveTrainCreate(&params, (PetscReal)place[k][0] / CELLS, tau[STEPS], &train));
      GOOD(WaveTrainKernel(&train, 0.0, 0.0, STEPS + 1, tau, NULL, g));
      for (PetscInt n = 0; n <= STEPS; ++n) Near(g[n], walked[n], 1e-11, "g", tau[n]); /* both are sums of a few tens of 1/2c */
      for (PetscInt i = 0; i < train.n; ++i) assert_true(train.jump[i] != 0.0 && (i == 0 || train.delay[i] > train.delay[i - 1]));
      GOOD(WaveTrainDestroy(&train));
    }
}

/*
  L1_2 = sum_{k >= 2} r_k (1 - w_1^2/w_k^2) sin(w_k tau)/w_k, r and w from (13.4). The sum of 30000 terms has an error of about
  1/(pi c K distance from a jump), 4e-5 at 0.2: the tolerance is 1e-4. Delays fall and rise.
*/
static void test_kernel_of_modes(void **state)
{
  static const PetscReal x_c[] = {1.0, 0.37};
  const PetscReal        c = 1.3, tau[] = {0.2, 3.7, 1.1, 0.9, 8.35, 20.2};
  enum { K = 30000, TIMES = sizeof tau / sizeof tau[0] };

  (void)state;
  for (PetscInt ends = 0; ends < 2; ++ends)
    for (PetscInt place = 0; place < 2; ++place) {
      const Params    params = Structure(ends ? ENDS_FREE_FREE : ENDS_CLAMPED_FREE, c, x_c[place]);
      const PetscReal w1 = ends ? 0.0 : 0.5 * PETSC_PI * c, Linf = ends ? 1.0 : w1 * w1 * x_c[place] / (c * c);
      PetscReal       L[TIMES];
      WaveTrain       train;

      GOOD(WaveTrainCreate(&params, x_c[place], 21.0, &train));
      GOOD(WaveTrainKernel(&train, w1, Linf, TIMES, tau, L, NULL));
      for (PetscInt i = 0; i < TIMES; ++i) {
        PetscReal sum = 0.0, distance = 1.0;

        for (PetscInt k = 2; k <= K; ++k) {
          const PetscReal kappa = ((PetscReal)k - (ends ? 1.0 : 0.5)) * PETSC_PI, w = kappa * c;
          const PetscReal shape = ends ? cos(kappa * x_c[place]) : sin(kappa * x_c[place]);

          sum += 2.0 * shape * shape * (1.0 - w1 * w1 / (w * w)) * sin(w * tau[i]) / w;
        }
        for (PetscInt d = 0; d < train.n; ++d) distance = PetscMin(distance, fabs(train.delay[d] - tau[i]));
        assert_true(distance > 0.05);
        Near(L[i], sum, 2e-5 / distance, "L1", tau[i]);
      }
      GOOD(WaveTrainDestroy(&train));
    }
}

static void test_where_they_apply(void **state)
{
  Params params = Structure(ENDS_CLAMPED_FREE, 1.0, 1.0);

  (void)state;
  assert_true(WavesApply(&params));
  params.beam_model = BEAM_ROD;
  assert_true(WavesApply(&params));
  params.damping_ratio = 1e-3;
  assert_false(WavesApply(&params));
  params.damping_ratio = 0.0;
  params.beam_model    = BEAM_TIMOSHENKO;
  assert_false(WavesApply(&params));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_train_of_the_end),
    cmocka_unit_test(test_train_of_images),
    cmocka_unit_test(test_kernel_of_modes),
    cmocka_unit_test(test_where_they_apply),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
