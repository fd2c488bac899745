/*
  Branches against published and closed results, for one-mode impact oscillators, whose orbits have closed equations; and branches of the
  beam, of any parameter and in any number of shots, against plain Newton.   [theory 15.5, 18.1, 18.10]

  Sources: the doubling and the fold of x'' + 0.04 x' + x = A cos W t, C_R = 0.9 are those of the data of Ghosh and Simpson (arXiv
  2510.16218); multipliers at A = 1 and the grazing end at A = 0.1 of x'' + 0.1 x' + x = A cos t, C_R = 0.8 those of COCO's demo of an
  impact oscillator; the doubling of x'' + x = cos 2.8 t that of one impact a period. More digits: the closed equations solved with 30
  digits.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>

#include "support/default_case.h"
#include "support/follow.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* What is asked of a located parameter. */
static const PetscReal located = 1e-8;

static void NearSpecial(const Branch *b, PetscInt i, PetscReal parameter, PetscReal tolerance, const char *what)
{
  assert_true(i >= 0);
  Near(*BranchSpecial(b, i, SPECIAL_PARAMETER), parameter, tolerance, what);
  assert_true(*BranchSpecial(b, i, SPECIAL_WIDTH) <= located);
}

/* One impact per two periods at W = 0.81: doubling, and a grazing end on either side of it. */
static void continuation_doubling_of_the_oscillator(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;
  PetscInt     i;

  (void)state;
  FollowOscillator(0.02, 0.9, 1.0, CONTINUE_AMPLITUDE, 0.3, 0.5, &params);
  params.forcing_amplitude = 0.355;
  params.forcing_frequency = 0.81;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 2);
  i = FollowSpecial(&b, SPECIAL_DOUBLING, 0);
  NearSpecial(&b, i, 0.347533397412283355, located, "doubling");
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[0], -1.0, 1e-6, "its multiplier");
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[1], -0.4354903927816156, 1e-6, "the other one");
  assert_true(b.end[0] == END_GRAZING && b.end[1] == END_GRAZING);
  NearSpecial(&b, FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 0), 0.345422885750206192, located, "an impact dies");
  NearSpecial(&b, FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 1), 0.418844574981571545, located, "a second impact is born");
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/* The same at W = 0.799: a fold, where the branch turns, and the unstable arm down to its grazing end 0.05 % above. */
static void continuation_fold_of_the_oscillator(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;
  PetscInt     i, down = 0, up = 0;

  (void)state;
  FollowOscillator(0.02, 0.9, 1.0, CONTINUE_AMPLITUDE, 0.3, 0.5, &params);
  params.continue_step = params.continue_max_step = 1e-3; /* several points on the short unstable arm */
  params.forcing_amplitude                        = 0.365;
  params.forcing_frequency                        = 0.799;
  FollowFrom(&params, 0, &c, &b);
  i = FollowSpecial(&b, SPECIAL_FOLD, 0);
  NearSpecial(&b, i, 0.3628362019808887, located, "fold");
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[0], 1.0, 1e-6, "its multiplier");
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[1], 0.431785672132665841, 1e-6, "the other one");
  NearSpecial(&b, FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 0), 0.363008647832252062, located, "the unstable arm ends");
  for (PetscInt k = 0; k < b.n_points; ++k) { /* unstable before the fold, stable behind it */
    const PetscReal slope = *BranchPoint(&b, k, POINT_SLOPE);

    down += slope < 0.0;
    up += slope > 0.0;
    assert_int_equal((int)*BranchPoint(&b, k, POINT_STABILITY), slope < 0.0 ? -1 : 1);
  }
  assert_true(down >= 1 && up > 2);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/* x'' + 0.1 x' + x = A cos t: multipliers at A = 1; fold 0.03 % below the grazing end at A = 0.1, both found and told apart. */
static void continuation_fold_next_to_grazing(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;
  PetscInt     i;

  (void)state;
  FollowOscillator(0.05, 0.8, 1.0, CONTINUE_AMPLITUDE, 0.05, 1.1, &params);
  params.forcing_amplitude = 1.0;
  params.forcing_frequency = 1.0;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 1);
  Near(*BranchPoint(&b, b.began, POINT_PARAMETER), 1.0, 0.0, "start");
  Near(BranchPoint(&b, b.began, POINT_MULTIPLIER_RE)[0], -0.584295314341529552, 1e-9, "multiplier, real part");
  Near(BranchPoint(&b, b.began, POINT_MULTIPLIER_IM)[0], 0.00560035149247355755, 1e-7,
       "multiplier, imaginary part"); /* nearly a double one */
  i = FollowSpecial(&b, SPECIAL_FOLD, 0);
  NearSpecial(&b, i, 0.0999707536283132718, located, "fold");
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[0], 1.0, 1e-5, "its multiplier"); /* d mu/d v = -1/v^2, v = 0.004 */
  Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[1], 0.341432378298306081, 1e-5, "the other one");
  i = FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 0);
  NearSpecial(&b, i, 0.1, located, "grazing");
  assert_true(*BranchSpecial(&b, i, SPECIAL_CONTACTS_BEFORE) == 0.0 && *BranchSpecial(&b, i, SPECIAL_CONTACTS_AFTER) == 1.0);
  assert_true(b.end[0] == END_GRAZING && b.end[1] == END_BOUND);
  assert_int_equal(b.n_special, 2);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/* x'' + x = cos 2.8 t over the stop: one impact a period, its doubling, and those of the doubled branches. */
static void continuation_cascade_over_the_stop(void **state)
{
  static const PetscReal doubling[] = {-0.0685756522788391446, -0.0329489900890444814, -0.0265112399761544412, -0.0254610517138817776};
  Params                 params;
  Continuation           c;
  Branch                 b;

  (void)state;
  FollowOscillator(0.0, 0.8, -0.1, CONTINUE_STOP, -0.2, 0.2, &params);
  params.initial_displacement = -0.2;
  params.forcing_amplitude    = 1.0;
  params.forcing_frequency    = 2.8;
  FollowFrom(&params, 0, &c, &b);
  for (int level = 0; level < 4; ++level) {
    const PetscInt i = FollowSpecial(&b, SPECIAL_DOUBLING, 0);
    BranchStart    start;
    PetscBool      found;
    Branch         next;

    assert_int_equal(b.layout.period, 1 << level);
    NearSpecial(&b, i, doubling[level], located, "doubling");
    if (level == 0) {
      const PetscInt  before = (PetscInt)*BranchSpecial(&b, i, SPECIAL_POINT);
      const PetscReal u      = (doubling[0] - *BranchPoint(&b, before, POINT_PARAMETER)) /
                          (*BranchPoint(&b, before + 1, POINT_PARAMETER) - *BranchPoint(&b, before, POINT_PARAMETER));
      const PetscReal v =
        (1.0 - u) * *BranchPoint(&b, before, POINT_CONTACT_VELOCITY) + u * *BranchPoint(&b, before + 1, POINT_CONTACT_VELOCITY);

      Near(fabs(v), 0.493081581866385416, 1e-3, "incoming velocity"); /* between two points: chord of a step of 0.01 */
    }
    /* damping 0: the product of the multipliers is C_R^2 for each impact */
    Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[0] * BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[1], pow(0.64, 1 << level), 1e-6,
         "product");
    if (level == 3) break;
    GOOD(BranchSwitch(&b, i, &start, &found));
    assert_true(found);
    assert_int_equal(start.period, 2 << level);
    FollowBranch(c, &start, &next);
    assert_int_equal(next.end[0], END_ORIGIN);
    assert_true(*BranchPoint(&next, 0, POINT_PARAMETER) == *BranchSpecial(&b, i, SPECIAL_PARAMETER));
    GOOD(BranchStartDestroy(&start));
    GOOD(BranchDestroy(&b));
    b = next;
  }
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/* The multipliers of the orbit at the last point, and its strobes, from Newton on the plain map with the parameter held. */
static void AgreesWithOrbit(const Params *params, PetscInt modes, const Branch *b, PetscInt point)
{
  const PetscReal *re, *im;
  PetscInt         n;
  Params           there = *params;
  Case             c;
  Orbit            orbit;
  OrbitReason      reason;
  FlowState        state;
  PetscReal        y1, y2;
  const FlowState *strobe;

  there.receptance_modes = modes;
  if (params->continue_parameter == CONTINUE_DAMPING) there.damping_ratio = *BranchPoint(b, point, POINT_PARAMETER);
  CaseCreate(&there, NULL, &c);
  CaseSetForcing(&c, params->forcing_amplitude,
                 params->continue_parameter == CONTINUE_FREQUENCY ? *BranchPoint(b, point, POINT_PARAMETER) : params->forcing_frequency);
  state = (FlowState){
    .n = c.n, .x = BranchPoint(b, point, POINT_STATE), .contact = (PetscBool)(*BranchPoint(b, point, POINT_STATE_IN_CONTACT) != 0.0)};
  GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
  GOOD(OrbitSetFlow(orbit, c.flow));
  GOOD(OrbitSolve(orbit, b->layout.period, &state, &reason));
  assert_int_equal(reason, ORBIT_FOUND);
  GOOD(OrbitGetMultipliers(orbit, &n, &re, &im, NULL));
  /* both solved to 1e-10; multipliers of a pair amplify that by their condition, some tens */
  Near(BranchPoint(b, point, POINT_MULTIPLIER_RE)[0], re[0], 1e-8, "multiplier, real part");
  Near(BranchPoint(b, point, POINT_MULTIPLIER_IM)[0], im[0], 1e-8, "multiplier, imaginary part");
  for (PetscInt i = 0; i < b->layout.period; ++i) {
    GOOD(OrbitGetState(orbit, i, &strobe));
    GOOD(FlowGetTip(c.flow, strobe, &y1, &y2));
    Near(BranchPoint(b, point, POINT_STROBE_DISPLACEMENT)[i], y1, 1e-9, "displacement at a strobe");
    Near(BranchPoint(b, point, POINT_STROBE_VELOCITY)[i], y2, 1e-8, "velocity at a strobe");
  }
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

/* The default case's orbit with one shot and with two, along frequency and along damping, against Newton with the parameter held. */
static void Shots(ContinueParameter parameter, PetscReal low, PetscReal high, PetscInt modes)
{
  Params params;

  CaseParams(modes, &params);
  params.continue_parameter  = parameter;
  params.continue_min        = low;
  params.continue_max        = high;
  params.continue_max_points = 20;
  params.continue_step       = 0.5 * (high - low);
  params.continue_min_step = params.continue_max_step = NAN;
  params.forcing_amplitude                            = 30.0;
  params.forcing_frequency                            = 13.0;
  for (int shots = 1; shots <= 2; ++shots) {
    Continuation c;
    Branch       b;

    params.continue_shots = shots;
    FollowFrom(&params, modes, &c, &b);
    assert_int_equal(b.layout.period, 2);
    assert_true(b.end[0] == END_BOUND && b.end[1] == END_BOUND);
    AgreesWithOrbit(&params, modes, &b, 0);
    AgreesWithOrbit(&params, modes, &b, b.began);
    AgreesWithOrbit(&params, modes, &b, b.n_points - 1);
    GOOD(BranchDestroy(&b));
    GOOD(ContinuationDestroy(&c));
  }
}

static void continuation_over_frequency_with_shots(void **state)
{
  (void)state;
  Shots(CONTINUE_FREQUENCY, 12.99, 13.02, 40);
}

static void continuation_over_damping_with_shots(void **state)
{
  (void)state;
  Shots(CONTINUE_DAMPING, 0.0999, 0.1001, 20);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(continuation_doubling_of_the_oscillator), cmocka_unit_test(continuation_fold_of_the_oscillator),
    cmocka_unit_test(continuation_fold_next_to_grazing),       cmocka_unit_test(continuation_cascade_over_the_stop),
    cmocka_unit_test(continuation_over_frequency_with_shots),  cmocka_unit_test(continuation_over_damping_with_shots)};
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
