/*
  Whole branches of impact oscillators against their closed equations: each stored point is an orbit of them, with the multipliers of
  their monodromy matrix, and the special points are where the equations have them.   [theory 15.3, 15.5, 18.10]

  Nothing here is shared with the program but the parameters: motion between impacts by e^{At} and the forced motion, impacts by their
  law, monodromy by the saltation matrix. Located values: the equations solved with 30 digits.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <slepcsys.h>

#include "support/default_case.h"
#include "support/follow.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* What is asked of a located parameter. */
static const PetscReal located = 1e-8;

/* x'' + 2 D x' + x = A cos W t, x <= stop, v+ = -C v- */
typedef struct {
  PetscReal damping, restitution, stop, A, W;
} Oscillator;

static Oscillator At(const Params *p, const Branch *b, PetscInt point)
{
  const PetscReal lambda = *BranchPoint(b, point, POINT_PARAMETER);
  Oscillator      o      = {.damping     = p->beam_damping_ratios.value[0],
                            .restitution = p->restitution_coefficient,
                            .stop        = p->stop_position,
                            .A           = p->forcing_amplitude,
                            .W           = p->forcing_frequency};

  if (p->continue_parameter == CONTINUE_STOP) o.stop = lambda;
  if (p->continue_parameter == CONTINUE_FREQUENCY) o.W = lambda;
  if (p->continue_parameter == CONTINUE_AMPLITUDE) o.A = lambda;
  if (p->continue_parameter == CONTINUE_DAMPING) o.damping = lambda;
  return o;
}

static void Forced(const Oscillator *o, PetscReal t, PetscReal x[2])
{
  const double complex Y = o->A / (1.0 - o->W * o->W + 2.0 * I * o->damping * o->W) * cexp(I * o->W * t);

  x[0] = creal(Y);
  x[1] = creal(I * o->W * Y);
}

/* e^{A t}, row by row */
static void Propagator(const Oscillator *o, PetscReal t, PetscReal P[4])
{
  const PetscReal D = o->damping, wd = sqrt(1.0 - D * D), e = exp(-D * t), c = e * cos(wd * t), s = e * sin(wd * t) / wd;

  P[0] = c + D * s;
  P[1] = s;
  P[2] = -s;
  P[3] = c - D * s;
}

static void Multiply(const PetscReal L[4], PetscReal M[4])
{
  const PetscReal m[4] = {M[0], M[1], M[2], M[3]};

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) M[2 * i + j] = L[2 * i] * m[j] + L[2 * i + 1] * m[2 + j];
}

/* (15.8) of one mode, from velocity v before the impact */
static void Saltation(const Oscillator *o, PetscReal t, PetscReal v, PetscReal S[4])
{
  const PetscReal C = o->restitution, load = o->A * cos(o->W * t) - o->stop, before = load - 2.0 * o->damping * v,
                  after = load + 2.0 * o->damping * C * v;

  S[0] = -C;
  S[1] = 0.0;
  S[2] = (after + C * before) / v;
  S[3] = -C;
}

/*
  From each recorded impact to the next by the closed motion: at the stop, at the recorded velocity, below the stop in between; and the
  multipliers. The slowest impact divides errors of the state, so that its velocity is part of the tolerance.
*/
static void Verify(const Params *params, const Branch *b, PetscInt point)
{
  const Oscillator o = At(params, b, point);
  const PetscInt   n = (PetscInt)*BranchPoint(b, point, POINT_N_CONTACTS);
  const PetscReal  T = 2.0 * PETSC_PI / o.W, *period = BranchPoint(b, point, POINT_CONTACT_PERIOD),
                  *phase = BranchPoint(b, point, POINT_CONTACT_PHASE), *velocity = BranchPoint(b, point, POINT_CONTACT_VELOCITY);
  const PetscReal *re = BranchPoint(b, point, POINT_MULTIPLIER_RE), *im = BranchPoint(b, point, POINT_MULTIPLIER_IM);
  PetscReal        M[4] = {1.0, 0.0, 0.0, 1.0}, slowest = INFINITY, trace, determinant, size;

  assert_true(n >= 1);
  for (PetscInt i = 0; i < n; ++i) {
    enum { LOOKS = 50 };
    const PetscInt  next = (i + 1) % n;
    const PetscReal t = (period[i] + phase[i]) * T, end = (period[next] + phase[next]) * T + (next ? 0.0 : (PetscReal)b->layout.period * T);
    PetscReal       d[2], f[2], P[4], S[4];

    Forced(&o, t, f);
    d[0] = o.stop - f[0];
    d[1] = -o.restitution * velocity[i] - f[1];
    for (int k = 1; k <= LOOKS; ++k) {
      const PetscReal later = (end - t) * k / LOOKS;
      PetscReal       x;

      Propagator(&o, later, P);
      Forced(&o, t + later, f);
      x = P[0] * d[0] + P[1] * d[1] + f[0];
      if (k < LOOKS) assert_true(x <= o.stop + 1e-12);
      else Near(x, o.stop, 1e-9, "next impact"); /* Newton's 1e-10 */
    }
    Near(P[2] * d[0] + P[3] * d[1] + f[1], velocity[next], 1e-9, "its velocity");
    Multiply(P, M);
    Saltation(&o, end, velocity[next], S);
    Multiply(S, M);
    slowest = PetscMin(slowest, fabs(velocity[i]));
  }
  /* symmetric functions of the two multipliers, which do not mind if they are nearly equal */
  trace       = M[0] + M[3];
  determinant = M[0] * M[3] - M[1] * M[2];
  size        = fabs(M[0]) + fabs(M[1]) + fabs(M[2]) + fabs(M[3]);
  assert_true(*BranchPoint(b, point, POINT_N_MULTIPLIERS) == 2.0);
  Near(re[0] + re[1], trace, 1e-8 * size / slowest, "mu_1 + mu_2");
  Near(re[0] * re[1] - im[0] * im[1], determinant, 1e-8 * size * size / slowest, "mu_1 mu_2");
  Near(determinant, pow(o.restitution, 2.0 * (PetscReal)n) * exp(-2.0 * o.damping * T * (PetscReal)b->layout.period), 1e-12 * size * size,
       "and as each impact and the damping have it");
}

/* Every point verified; stable or not as the multipliers say. */
static void VerifyBranch(const Params *params, const Branch *b)
{
  for (PetscInt i = 0; i < b->n_points; ++i) {
    const PetscReal largest = hypot(BranchPoint(b, i, POINT_MULTIPLIER_RE)[0], BranchPoint(b, i, POINT_MULTIPLIER_IM)[0]);

    Verify(params, b, i);
    assert_int_equal((int)*BranchPoint(b, i, POINT_STABILITY), largest < 1.0 ? 1 : -1);
  }
}

/* Parameter and the two multipliers, the one that names the point within its error. */
static void Special(const Branch *b, SpecialType type, PetscInt number, PetscReal parameter, PetscReal first, PetscReal second)
{
  const PetscInt   i  = FollowSpecial(b, type, number);
  const PetscReal *re = BranchSpecial(b, i, SPECIAL_MULTIPLIER_RE), *error = BranchSpecial(b, i, SPECIAL_MULTIPLIER_ERROR);

  if (i < 0) fail_msg("%s number %d is missing", SpecialTypeNames[type], (int)number);
  Near(*BranchSpecial(b, i, SPECIAL_PARAMETER), parameter, located, SpecialTypeNames[type]);
  assert_true(*BranchSpecial(b, i, SPECIAL_WIDTH) <= located);
  if (isnan(first)) return;
  /* how well the point is located in its multiplier: 1e-7 of a step in the arclength; beside it the stated error */
  Near(re[0], first, 1e-6 + error[0], "multiplier that names it");
  Near(re[1], second, 1e-6 + error[1], "the other one");
}

/*
  x'' + x = cos 2.8 t over the stop, C_R = 0.8, one impact a period. From the impact that dies where the forced motion, of amplitude
  1/(2.8^2 - 1), just reaches the stop, through the doubling and a fold to the birth of a second impact: a branch with both ends.
*/
static void closed_branch_over_the_stop(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;
  PetscInt     graze;

  (void)state;
  FollowOscillator(0.0, 0.8, -0.3, CONTINUE_STOP, -2.0, 0.2, &params);
  params.forcing_amplitude    = 1.0;
  params.forcing_frequency    = 2.8;
  params.initial_displacement = -0.6;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 1);
  VerifyBranch(&params, &b);
  assert_true(b.end[0] == END_GRAZING && b.end[1] == END_GRAZING);
  assert_int_equal(b.n_special, 4);
  Special(&b, SPECIAL_GRAZING_ONSET, 0, -0.368968205647608452, NAN, NAN);
  Special(&b, SPECIAL_FOLD, 0, -1.78023560132159049, 1.0, 0.64);
  Special(&b, SPECIAL_DOUBLING, 0, -0.0685756522788391446, -1.0, -0.64);
  Special(&b, SPECIAL_GRAZING_ONSET, 1, 1.0 / (2.8 * 2.8 - 1.0), NAN, NAN);
  graze = FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 0);
  assert_true(*BranchSpecial(&b, graze, SPECIAL_CONTACTS_BEFORE) == 2.0 && *BranchSpecial(&b, graze, SPECIAL_CONTACTS_AFTER) == 1.0);
  graze = FollowSpecial(&b, SPECIAL_GRAZING_ONSET, 1);
  assert_true(*BranchSpecial(&b, graze, SPECIAL_CONTACTS_BEFORE) == 1.0 && *BranchSpecial(&b, graze, SPECIAL_CONTACTS_AFTER) == 0.0);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/*
  x'' + 0.04 x' + x = 0.5 cos W t, x <= 1, C_R = 0.9, one impact in two periods: the forced motion never reaches the stop, and the orbits
  that do form a closed curve, one arm stable, one not, between folds at W = 2.156 and 2.920.
*/
static void closed_branch_is_a_closed_curve(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;
  PetscInt     arms = 0;

  (void)state;
  FollowOscillator(0.02, 0.9, 1.0, CONTINUE_FREQUENCY, 2.0, 3.5, &params);
  params.forcing_amplitude    = 0.5;
  params.forcing_frequency    = 2.5;
  params.initial_displacement = 0.708029283442936662; /* on the stable arm */
  params.initial_velocity     = 0.964908690601326512;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 2);
  VerifyBranch(&params, &b);
  assert_true(b.end[0] == END_CLOSED && b.end[1] == END_CLOSED);
  assert_int_equal(b.n_special, 2);
  Special(&b, SPECIAL_FOLD, 0, BranchSpecial(&b, 0, SPECIAL_PARAMETER)[0] < 2.5 ? 2.15614427461013061 : 2.92009308290611561, NAN, NAN);
  Special(&b, SPECIAL_FOLD, 1, BranchSpecial(&b, 0, SPECIAL_PARAMETER)[0] < 2.5 ? 2.92009308290611561 : 2.15614427461013061, NAN, NAN);
  for (PetscInt i = 0; i < 2; ++i) Near(BranchSpecial(&b, i, SPECIAL_MULTIPLIER_RE)[0], 1.0, 1e-6, "multiplier of a fold");
  for (PetscInt i = 0; i < b.n_points; ++i) arms += *BranchPoint(&b, i, POINT_PARAMETER) == 2.5;
  assert_int_equal(arms, 2); /* where it began, again */
  Near(*BranchPoint(&b, 0, POINT_STROBE_DISPLACEMENT), *BranchPoint(&b, b.n_points - 1, POINT_STROBE_DISPLACEMENT), 1e-9, "first and last");
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/*
  x'' + 2 D x' + x = cos t, x <= 1, C_R = 0.8 over the damping, one impact a period. At D = 1/2 the forced motion, of amplitude 1/2D, only
  just reaches the stop: the impact dies there.
*/
static void closed_branch_over_damping(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;

  (void)state;
  FollowOscillator(0.05, 0.8, 1.0, CONTINUE_DAMPING, 0.0, 0.45, &params);
  params.beam_damping_ratios.n = 0; /* one ratio, which a list would forbid to change */
  params.damping_ratio         = 0.05;
  params.forcing_amplitude     = 1.0;
  params.forcing_frequency     = 1.0;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 1);
  VerifyBranch(&params, &b);
  assert_true(b.n_points > 10 && b.end[1] == END_BOUND && *BranchPoint(&b, b.n_points - 1, POINT_PARAMETER) == 0.45);
  assert_true(*BranchPoint(&b, 0, POINT_PARAMETER) >= 0.0 && *BranchPoint(&b, 0, POINT_PARAMETER) < 1e-3); /* no ratio below 0 */
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/*
  x'' + 0.04 x' + x = A cos 0.81 t, x <= 1, C_R = 0.9, two impacts in two periods: the branch turns at a fold between steps that are as long
  as the bend is wide, and ends where the slower impact dies, with a multiplier of 1e4 on the way. Fold: the five equations of two free
  flights and a vanishing determinant, solved with 30 digits. There the other arm has one impact: grazing at 0.418844574981572
  [theory 18.10].
*/
static void closed_branch_of_two_impacts(void **state)
{
  Params       params;
  Continuation c;
  Branch       b;

  (void)state;
  FollowOscillator(0.02, 0.9, 1.0, CONTINUE_AMPLITUDE, 0.3, 0.5, &params);
  params.forcing_amplitude = 0.45;
  params.forcing_frequency = 0.81;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 2);
  VerifyBranch(&params, &b);
  assert_true(b.end[0] == END_GRAZING && b.end[1] == END_BOUND);
  assert_int_equal(b.n_special, 2);
  Special(&b, SPECIAL_GRAZING_ONSET, 0, 0.418844574981572, NAN, NAN);
  Special(&b, SPECIAL_FOLD, 0, 0.383024308284079344, NAN, NAN);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/*
  Two modes, 1 and 3.8, tip values 1 and 1.15, D = 0.005, load on the first, stop at 0, C_R = 0.95, one impact a period: a pair leaves the
  unit circle, comes back to it, and the period doubles. Two pairs are near each other, and no product of members of different pairs
  may be taken for a pair. Impact phase and multipliers of the orbits in closed form: X+ solves a linear system for each phase of the
  impact, one phase lets it be at the stop.
*/
static void closed_branch_with_neimark_sacker(void **state)
{
  static const PetscReal at[] = {2.69786803102031361, 3.2055620525300746};
  static const PetscReal re[] = {-0.540729031538068108, -0.381960247141565977}, im[] = {0.841196834547005975, 0.924178754139887074};
  Params                 params;
  Continuation           c;
  Branch                 b;
  PetscInt               unstable = 0;

  (void)state;
  FollowOscillator(0.005, 0.95, 0.0, CONTINUE_FREQUENCY, 2.5, 3.4, &params);
  params.beam_frequencies     = (RealList){.n = 2, .value = {1.0, 3.8}};
  params.beam_tip_values      = (RealList){.n = 2, .value = {1.0, 1.15}};
  params.beam_damping_ratios  = (RealList){.n = 2, .value = {0.005, 0.005}};
  params.forcing_amplitude    = 1.0;
  params.forcing_frequency    = 2.55;
  params.initial_displacement = -0.5;
  FollowFrom(&params, 0, &c, &b);
  assert_int_equal(b.layout.period, 1);
  assert_true(b.end[0] == END_BOUND && b.end[1] == END_BOUND);
  assert_int_equal(b.n_special, 3);
  for (PetscInt i = 0; i < 2; ++i) {
    const PetscInt j = FollowSpecial(&b, SPECIAL_NEIMARK_SACKER, i);

    Special(&b, SPECIAL_NEIMARK_SACKER, i, at[i], NAN, NAN);
    Near(BranchSpecial(&b, j, SPECIAL_MULTIPLIER_RE)[0], re[i], 1e-6, "Re mu");
    Near(BranchSpecial(&b, j, SPECIAL_MULTIPLIER_IM)[0], im[i], 1e-6, "Im mu");
  }
  Special(&b, SPECIAL_DOUBLING, 0, 3.25686984824747912, NAN, NAN);
  for (PetscInt i = 0; i < b.n_points; ++i) {
    const PetscReal W      = *BranchPoint(&b, i, POINT_PARAMETER);
    const PetscBool inside = (PetscBool)(W < at[0] || (W > at[1] && W < 3.25686984824747912));

    assert_int_equal((int)*BranchPoint(&b, i, POINT_STABILITY), inside ? 1 : -1);
    unstable += !inside;
  }
  assert_true(unstable > 5);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/*
  An orbit of period 1 followed as one of period 2: where it doubles its multipliers pass +1 without a fold, and the doubled orbits make a
  branch point of it. The same place as the doubling; switching there gives the doubled branch.
*/
static void closed_branch_point(void **state)
{
  Params       params;
  Continuation c;
  Branch       b, other;
  BranchStart  start;
  PetscInt     i;
  PetscBool    found;

  (void)state;
  FollowOscillator(0.0, 0.8, -0.1, CONTINUE_STOP, -0.2, 0.0, &params);
  params.forcing_amplitude    = 1.0;
  params.forcing_frequency    = 2.8;
  params.initial_displacement = -0.2;
  FollowCreate(&params, 0, &c);
  FollowStart(c, &params, &start);
  start.period = 2;
  FollowBranch(c, &start, &b);
  GOOD(BranchStartDestroy(&start));
  VerifyBranch(&params, &b);
  Special(&b, SPECIAL_BRANCH_POINT, 0, -0.0685756522788391446, 1.0, 0.64 * 0.64);
  assert_int_equal(b.n_special, 1);
  i = FollowSpecial(&b, SPECIAL_BRANCH_POINT, 0);
  GOOD(BranchSwitch(&b, i, &start, &found));
  assert_true(found);
  assert_int_equal(start.period, 2);
  FollowBranch(c, &start, &other);
  VerifyBranch(&params, &other);
  Special(&other, SPECIAL_DOUBLING, 0, -0.0329489900890444814, -1.0, -0.4096);
  GOOD(BranchStartDestroy(&start));
  GOOD(BranchDestroy(&other));
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_branch_over_the_stop),       cmocka_unit_test(closed_branch_of_two_impacts),
                                     cmocka_unit_test(closed_branch_over_damping),        cmocka_unit_test(closed_branch_is_a_closed_curve),
                                     cmocka_unit_test(closed_branch_with_neimark_sacker), cmocka_unit_test(closed_branch_point)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
