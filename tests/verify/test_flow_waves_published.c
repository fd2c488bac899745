/*
  The literal flow of undamped strings and rods: motions that others published, and its order.   [theory 12, 14]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>

#include "support/wave_run.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/*
  Plucked string with a point obstacle at its middle: Cabannes, who gives u at the obstacle; half of it is our string with c = 2.
  Contacts [0.5, 1], [2, 2.5], ... at a force of 4 = c u', y falling and rising with speed 2.
*/
static const PetscReal cabannes_y[CABANNES] = {0.8, 0.5, 0.2, 0.0, 0.2, 0.5, 1.0, 0.0, 1.0};

static PetscReal CabannesError(const WaveRun *run)
{
  PetscReal worst = 0.0;

  for (PetscInt i = 0; i < CABANNES; ++i) worst = PetscMax(worst, fabs(run->y1[i] - cabannes_y[i]));
  return worst;
}

/* At the steps of 2e-4, which meet every delay in the first two periods and none in the others: 1e-3 is what y moves in 2.5 steps. */
static void test_plucked_string(void **state)
{
  const PetscReal period[] = {1.5, 1.0, 0.7, 2.3};

  (void)state;
  for (size_t k = 0; k < sizeof period / sizeof period[0]; ++k) {
    const Params params = WavePlucked(period[k], 2e-4);
    WaveRun     *run    = WaveRunCreate(&params);

    WaveGo(run, (PetscInt)ceil(3.2 / period[k]), CABANNES, cabannes_time);
    for (PetscInt i = 0; i < CABANNES; ++i) WaveNear(run->y1[i], cabannes_y[i], 1e-3, "y", cabannes_time[i]);
    assert_true(run->record.count >= 2);
    for (PetscInt i = 0; i < 2; ++i) {
      WaveNear(WaveOnset(run, i), 0.5 + 1.5 * (PetscReal)i, 1e-3, "onset", (PetscReal)i);
      WaveNear(run->contact[i].duration, 0.5, 1e-3, "duration", (PetscReal)i);
      WaveNear(run->contact[i].velocity, -2.0, 1e-3, "velocity", (PetscReal)i);
      WaveNear(run->contact[i].force, 4.0, 4e-3, "force", (PetscReal)i);
      WaveNear(run->contact[i].impulse, 2.0, 4e-3, "impulse", (PetscReal)i);
    }
    WaveRunDestroy(run);
  }
}

/* Four halvings from steps that meet no delay. The error at one step depends on where the delays fall in it, so the fit is over all. */
static void test_plucked_string_first_order(void **state)
{
  PetscReal sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, slope;

  (void)state;
  for (PetscInt k = 0; k < 5; ++k) {
    const PetscReal step   = 8e-3 / (PetscReal)(1 << k);
    const Params    params = WavePlucked(PETSC_SQRT2, step);
    WaveRun        *run    = WaveRunCreate(&params);
    PetscReal       error;

    WaveGo(run, 3, CABANNES, cabannes_time);
    error = CabannesError(run);
    assert_true(error > 0.0 && error < 6.0 * step);
    sx += log(step);
    sy += log(error);
    sxx += PetscSqr(log(step));
    sxy += log(step) * log(error);
    WaveRunDestroy(run);
  }
  slope = (5.0 * sxy - sx * sy) / (5.0 * sxx - sx * sx);
  WaveNear(slope, 1.0, 0.25, "order", 0.0);
}

/* St Venant's rod on a wall, code_aster SDNV100A in units of L, L/c and E A: v = 100/5000, gap 2e-3/0.2. Constant force v for 2 L/c. */
static void test_rod_on_wall(void **state)
{
  const PetscReal v = 100.0 / 5000.0, gap = 2e-3 / 0.2, t0 = 0.2 / 5000.0, times[] = {1.2e-4 / 4e-5};
  Params          params = WaveQuiet(ENDS_FREE_FREE);
  WaveRun        *run;

  (void)state;
  params.initial_shape    = INITIAL_UNIFORM;
  params.initial_velocity = -v;
  params.stop_position    = -gap;
  params.literal_step     = 1e-3;
  run                     = WaveRunCreate(&params);
  WaveGo(run, 4, 1, times);
  assert_int_equal((int)run->record.count, 1);
  /* a step is 4e-8 s */
  WaveNear(WaveOnset(run, 0) * t0, 2e-5, 4e-8, "onset", 0.0);
  WaveNear((WaveOnset(run, 0) + run->contact[0].duration) * t0, 1e-4, 4e-8, "release", 0.0);
  WaveNear(run->contact[0].force * 2e11 * 4e-4, 1.6e6, 1e-4, "force at first", 0.0); /* round-off */
  WaveNear(run->record.peak_force * 2e11 * 4e-4, 1.6e6, 1e-4, "greatest force", 0.0);
  WaveNear(run->contact[0].impulse, 2.0 * v, 1e-3 * v, "impulse", 0.0); /* momentum is turned round */
  WaveNear(run->y1[0], 0.0, v * 1e-3, "free end at 1.2e-4 s", 0.0);
  WaveNear(WaveEnergy(run), 0.5 * v * v, 1e-12, "energy", 0.0);
  WaveRunDestroy(run);
}

/* Doyen, Ern, Piperno (2011): L 10, c 30, g 10, dropped from 5. In units of L and 1 s: c = 3, g = 1, h = 0.5, force 10 times less. */
static void test_bouncing_bar(void **state)
{
  const PetscReal period[] = {16.0 / 3.0, 0.77};

  (void)state;
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscReal step = 5e-4, times[] = {4.0 / 3.0, 1.6, 8.0 / 3.0, 4.0, 4.2, 16.0 / 3.0};
    Params          params = WaveQuiet(ENDS_FREE_FREE);
    WaveRun        *run;

    params.beam_wave_speed      = 3.0;
    params.forcing_type         = FORCING_BASE;
    params.forcing_mean         = 1.0;
    params.initial_shape        = INITIAL_UNIFORM;
    params.initial_displacement = 0.5;
    params.stop_position        = 0.0;
    params.forcing_frequency    = 2.0 * PETSC_PI / period[k];
    params.literal_step         = step;
    run                         = WaveRunCreate(&params);
    WaveGo(run, k ? 7 : 1, 6, times);
    assert_true(run->record.count >= 2);
    /* 2e-3: four steps; the instants of contact are first order, forces follow with slope 3 */
    WaveNear(WaveOnset(run, 0), 1.0, 2e-3, "first contact", period[k]);
    WaveNear(WaveOnset(run, 0) + run->contact[0].duration, 5.0 / 3.0, 2e-3, "its end", period[k]);
    WaveNear(WaveOnset(run, 1), 11.0 / 3.0, 2e-3, "second contact", period[k]);
    WaveNear(WaveOnset(run, 1) + run->contact[1].duration, 13.0 / 3.0, 4e-3, "its end", period[k]);
    WaveNear(run->contact[0].force, 3.0, 1e-2, "force at first", period[k]);
    WaveNear(run->contact[1].force, 5.0, 1e-2, "force at the second onset", period[k]);
    WaveNear(run->f[0], 4.0, 1e-2, "force half way", period[k]);
    WaveNear(run->f[1], 4.8, 1e-2, "force near the end", period[k]);
    WaveNear(run->f[3], 4.0, 1e-2, "force half way down", period[k]);
    WaveNear(run->f[4], 3.4, 1e-2, "force near the end", period[k]);
    WaveNear(run->record.peak_force, 5.0, 1e-2, "greatest force", period[k]);
    WaveNear(run->y1[2], 7.0 / 18.0, 2e-3, "half way", period[k]); /* by (14.5): y2 = t - 4/3 until 7/3, then t - 8/3 */
    WaveNear(run->y1[5], 0.5, 4e-3, "height after one period", period[k]);
    WaveRunDestroy(run);
  }
}

/* The start, and a strobe in free fall, as FlowGetTip says them: y2 is the mean over the step that follows. */
static void test_tip_in_free_fall(void **state)
{
  Params    params = WaveQuiet(ENDS_FREE_FREE);
  PetscReal y, v;
  WaveRun  *run;

  (void)state;
  params.beam_wave_speed      = 0.7;
  params.contact_position     = 0.3;
  params.forcing_type         = FORCING_BASE;
  params.forcing_mean         = 2.0;
  params.initial_shape        = INITIAL_UNIFORM;
  params.initial_displacement = 0.5;
  params.initial_velocity     = 0.25;
  params.forcing_frequency    = 3.0;
  run                         = WaveRunCreate(&params);
  GOOD(FlowGetTip(run->flow, &run->state, &y, &v));
  WaveNear(y, 0.5, 1e-13, "y", 0.0);
  WaveNear(v, 0.25, 1e-12, "y2", 0.0);
  for (PetscInt i = 1; i <= 3; ++i) {
    const PetscReal t = (PetscReal)i * 2.0 * PETSC_PI / 3.0;

    WaveGo(run, 1, 0, NULL);
    GOOD(FlowGetTip(run->flow, &run->state, &y, &v));
    WaveNear(y, 0.5 + 0.25 * t - t * t, 1e-10, "y", t);
    WaveNear(v, 0.25 - 2.0 * t, 1e-10, "y2", t);
  }
  WaveRunDestroy(run);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plucked_string), cmocka_unit_test(test_plucked_string_first_order), cmocka_unit_test(test_rod_on_wall),
    cmocka_unit_test(test_bouncing_bar),   cmocka_unit_test(test_tip_in_free_fall),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
