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
