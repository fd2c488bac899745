/*
  The branch of the default beam that doubles, and the doubled one through some thirty changes of its contacts.   [theory 18.3, 18.4]
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

/*
  prod (1 - mu_i) over d lambda/ds keeps its sign along a branch without branch points: at a fold both change it, and where a contact is
  born or dies, and multipliers jump, the branch turns back just if a real one jumps over +1 (18.12). Multipliers beyond the eighth are near
  0.
*/
static void KeepsItsSense(const Branch *b)
{
  PetscReal before = 0.0;
  PetscInt  turns  = 0;

  for (PetscInt i = b->start.origin == ORIGIN_DOUBLING ? 1 : 0; i < b->n_points; ++i) {
    PetscReal sign = *BranchPoint(b, i, POINT_SLOPE);

    for (PetscInt k = 0; k < (PetscInt)*BranchPoint(b, i, POINT_N_MULTIPLIERS); ++k)
      if (BranchPoint(b, i, POINT_MULTIPLIER_IM)[k] == 0.0) sign *= 1.0 - BranchPoint(b, i, POINT_MULTIPLIER_RE)[k];
    assert_true(sign * before >= 0.0);
    if (i > 0 && *BranchPoint(b, i, POINT_SLOPE) * *BranchPoint(b, i - 1, POINT_SLOPE) < 0.0 &&
        *BranchPoint(b, i, POINT_N_CONTACTS) != *BranchPoint(b, i - 1, POINT_N_CONTACTS))
      ++turns;
    before = sign;
  }
  assert_true(b->start.origin != ORIGIN_DOUBLING || turns > 0);
}

/*
  The same branch from an orbit beyond W = 8.3 downwards. What is a merging one way is a release the other way, located by the flight
  between two contacts the one time and by the force within a contact the other: each special point is to be where it was, to 1e-8.
*/
static void TheOtherWay(const Params *params, const Branch *forwards)
{
  Params       other = *params;
  Continuation c;
  Branch       b;
  BranchStart  start;
  PetscInt     i = 0, mergings = 0;

  other.continue_min = 7.79;
  other.continue_max = 8.6;
  while (*BranchPoint(forwards, i, POINT_PARAMETER) < 8.3) ++i;
  start = (BranchStart){.origin    = ORIGIN_POINT,
                        .from      = {0, (int)i, -1},
                        .amplitude = params->forcing_amplitude,
                        .frequency = *BranchPoint(forwards, i, POINT_PARAMETER),
                        .stop      = params->stop_position,
                        .damping   = params->damping_ratio,
                        .period    = 2,
                        .n         = forwards->layout.states,
                        .contact   = (PetscBool)(*BranchPoint(forwards, i, POINT_STATE_IN_CONTACT) > 0.0),
                        .x         = BranchPoint(forwards, i, POINT_STATE)};
  FollowCreate(&other, 60, &c);
  FollowBranch(c, &start, &b);
  assert_true(b.end[0] == END_BOUND && b.end[1] == END_BOUND && b.n_special >= 12);
  for (PetscInt k = 0; k < forwards->n_special; ++k) { /* the shorter steps here may find more, contacts that come and go */
    const PetscReal type = *BranchSpecial(forwards, k, SPECIAL_TYPE), there = *BranchSpecial(forwards, k, SPECIAL_PARAMETER);
    PetscReal       nearest = INFINITY;

    if (there > other.continue_max) continue;
    for (PetscInt l = 0; l < b.n_special; ++l)
      if (*BranchSpecial(&b, l, SPECIAL_TYPE) == type && fabs(*BranchSpecial(&b, l, SPECIAL_PARAMETER) - there) < fabs(nearest - there))
        nearest = *BranchSpecial(&b, l, SPECIAL_PARAMETER);
    Near(nearest, there, 1e-8, "a special point from both sides");
    mergings += type == (PetscReal)SPECIAL_CONTACT_MERGING;
  }
  assert_true(mergings >= 3);
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

/* The default beam at amplitude 30: doubling at W = 7.780707 (closure 2, M >= 60); the doubled branch reaches W > 15 through changes of its
 * contacts. */
static void continuation_default_beam(void **state)
{
  Params       params;
  Continuation c;
  Branch       b, doubled;
  BranchStart  start;
  PetscBool    found;
  PetscInt     i, changes = 0, types[SPECIAL_COUNT] = {0};

  (void)state;
  CaseParams(60, &params);
  params.continue_parameter  = CONTINUE_FREQUENCY;
  params.continue_min        = 7.2;
  params.continue_max        = 15.1;
  params.continue_max_points = 400;
  params.continue_step = params.continue_min_step = params.continue_max_step = NAN;
  params.forcing_amplitude                                                   = 30.0;
  params.forcing_frequency                                                   = 7.7;
  FollowFrom(&params, 60, &c, &b);
  assert_int_equal(b.layout.period, 1);
  i = FollowSpecial(&b, SPECIAL_DOUBLING, 0);
  Near(*BranchSpecial(&b, i, SPECIAL_PARAMETER), 7.780707, 1e-6, "doubling"); /* six digits are published */
  assert_true(fabs(*BranchSpecial(&b, i, SPECIAL_CUT_DIFFERENCE)) < 1e-6);
  GOOD(BranchSwitch(&b, i, &start, &found));
  assert_true(found);
  FollowBranch(c, &start, &doubled);
  assert_int_equal(doubled.end[1], END_BOUND);
  KeepsItsSense(&b);
  KeepsItsSense(&doubled);
  Near(*BranchPoint(&doubled, doubled.n_points - 1, POINT_PARAMETER), 15.1, 0.0, "bound");
  for (PetscInt k = 0; k < doubled.n_special; ++k) {
    ++types[(int)*BranchSpecial(&doubled, k, SPECIAL_TYPE)];
    changes += *BranchSpecial(&doubled, k, SPECIAL_CONTACTS_BEFORE) != *BranchSpecial(&doubled, k, SPECIAL_CONTACTS_AFTER);
  }
  TheOtherWay(&params, &doubled);
  assert_true(changes >= 5 && types[SPECIAL_GRAZING_ONSET] > 0 && types[SPECIAL_GRAZING_RELEASE] > 0);
  GOOD(BranchStartDestroy(&start));
  GOOD(BranchDestroy(&doubled));
  GOOD(BranchDestroy(&b));
  GOOD(ContinuationDestroy(&c));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(continuation_default_beam)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
