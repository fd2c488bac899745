/*
  Schedule: who gets which piece when. No messages: every claim is checked by asking.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/schedule.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static Schedule New(PetscInt size, PetscBool root_works)
{
  Schedule s;

  GOOD(ScheduleCreate(size, root_works, &s));
  return s;
}

static void Add(Schedule s, PetscInt unit, PetscReal cost, PetscBool alone)
{
  const PoolPiece piece = {.unit = unit, .n = 1, .cost = cost, .alone = alone};

  GOOD(ScheduleAdd(s, &piece));
}

/* The next piece goes to this rank and is of this unit. */
static void Expect(Schedule s, PetscInt rank, PetscInt unit)
{
  const PoolPiece *piece;
  PetscInt         who;

  GOOD(ScheduleNext(s, &who, &piece));
  assert_non_null(piece);
  assert_int_equal(who, rank);
  assert_int_equal(piece->unit, unit);
}

static void ExpectNothing(Schedule s)
{
  const PoolPiece *piece;
  PetscInt         who;

  GOOD(ScheduleNext(s, &who, &piece));
  assert_null(piece);
}

static void Counts(Schedule s, PetscInt waiting, PetscInt out, PetscInt undone)
{
  ScheduleCounts counts;

  GOOD(ScheduleGetCounts(s, &counts));
  assert_int_equal(counts.waiting, waiting);
  assert_int_equal(counts.out, out);
  assert_int_equal(counts.undone, undone);
}

/* The rank does its first piece, which has one step, 0. */
static void Do(Schedule s, PetscInt rank, PetscInt unit)
{
  PetscBool last;

  GOOD(ScheduleStep(s, rank, unit, 0, &last));
  assert_true(last);
  GOOD(ScheduleEnd(s, rank));
}

static void test_dearest_first_equals_in_order(void **state)
{
  static const PetscReal cost[]    = {2, 5, 1, 5, 7, 2};
  static const PetscInt  dearest[] = {4, 1, 3, 0, 5, 2};
  Schedule               s         = New(1, PETSC_TRUE);

  (void)state;
  for (PetscInt u = 0; u < 6; u++) Add(s, u, cost[u], PETSC_FALSE);
  for (PetscInt i = 0; i < 6; i++) {
    Expect(s, 0, dearest[i]);
    ExpectNothing(s); /* root gets none ahead */
    Do(s, 0, dearest[i]);
  }
  Counts(s, 0, 0, 0);
  GOOD(ScheduleDestroy(&s));
  assert_null(s);
}

/* Against sorting, with pieces that come while others go: 2000 pieces of 50 different costs. */
static void test_order_of_many(void **state)
{
  enum { N = 2000 };
  Schedule  s = New(1, PETSC_TRUE);
  PetscReal cost[N];
  PetscBool gone[N] = {PETSC_FALSE};
  unsigned  luck    = 12345u;
  PetscInt  added   = 0;

  (void)state;
  for (PetscInt i = 0; i < N; i++) {
    const PoolPiece *piece;
    PetscInt         who, best = -1;

    while (added < N && (added < N / 4 || luck % 4 != 0)) {
      luck        = luck * 1103515245u + 12345u;
      cost[added] = (PetscReal)(luck / 65536u % 50u);
      Add(s, added, cost[added], PETSC_FALSE);
      added++;
      luck /= 2;
    }
    luck = luck * 1103515245u + 12345u;
    for (PetscInt k = 0; k < added; k++)
      if (!gone[k] && (best < 0 || cost[k] > cost[best])) best = k;
    if (best < 0) break;
    GOOD(ScheduleNext(s, &who, &piece));
    assert_non_null(piece);
    assert_int_equal(piece->unit, best);
    gone[best] = PETSC_TRUE;
    Do(s, 0, best);
  }
  assert_int_equal(added, N);
  GOOD(ScheduleDestroy(&s));
}

/* Every rank has one of the dearest before any has two; then workers get one ahead, in turn, while more than two pieces a rank wait. */
static void test_one_ahead_far_from_the_end(void **state)
{
  Schedule s = New(3, PETSC_TRUE);

  (void)state;
  for (PetscInt u = 0; u < 11; u++) Add(s, u, 1, PETSC_FALSE);
  Expect(s, 1, 0);
  Expect(s, 2, 1);
  Expect(s, 0, 2); /* root last: the others wait for a message */
  Expect(s, 1, 3);
  Expect(s, 2, 4);
  ExpectNothing(s); /* six wait, and all ranks have what they may hold */
  Counts(s, 6, 5, 0);
  Do(s, 2, 1);
  ExpectNothing(s); /* six are no more than two a rank: nothing ahead any more */
  Do(s, 2, 4);
  Expect(s, 2, 5); /* it had none */
  ExpectNothing(s);
  Do(s, 0, 2);
  Expect(s, 0, 6);
  ExpectNothing(s);
  Do(s, 1, 0);
  ExpectNothing(s);
  Do(s, 1, 3);
  Expect(s, 1, 7);
  Counts(s, 3, 3, 0);
  GOOD(ScheduleDestroy(&s)); /* with pieces in all places: for the leak checker */
}

static void test_root_that_serves_gets_nothing(void **state)
{
  Schedule s = New(2, PETSC_FALSE);

  (void)state;
  for (PetscInt u = 0; u < 3; u++) Add(s, u, 1, u == 2 ? PETSC_TRUE : PETSC_FALSE);
  Expect(s, 1, 0);
  ExpectNothing(s);
  Do(s, 1, 0);
  Expect(s, 1, 1);
  Do(s, 1, 1);
  Expect(s, 1, 2);
  GOOD(ScheduleDestroy(&s));
}

/* Whoever has waited longest gets the next piece. */
static void test_idle_in_turn(void **state)
{
  Schedule s = New(4, PETSC_FALSE);

  (void)state;
  for (PetscInt u = 0; u < 3; u++) Add(s, u, 1, PETSC_FALSE);
  for (PetscInt u = 0; u < 3; u++) Expect(s, u + 1, u);
  Do(s, 2, 1);
  Do(s, 3, 2);
  Do(s, 1, 0);
  for (PetscInt u = 3; u < 6; u++) Add(s, u, 1, PETSC_FALSE);
  Expect(s, 2, 3);
  Expect(s, 3, 4);
  Expect(s, 1, 5);
  GOOD(ScheduleDestroy(&s));
}

/* Dearer than all, and still last; one at a time; not on root as long as there are others. */
static void test_alone_means_alone(void **state)
{
  Schedule s = New(3, PETSC_TRUE);

  (void)state;
  Add(s, 100, 9, PETSC_TRUE);
  Add(s, 101, 99, PETSC_TRUE);
  for (PetscInt u = 0; u < 4; u++) Add(s, u, 1, PETSC_FALSE);
  Expect(s, 1, 0);
  Expect(s, 2, 1);
  Expect(s, 0, 2);
  ExpectNothing(s);
  Do(s, 1, 0);
  Expect(s, 1, 3);
  Do(s, 1, 3);
  Do(s, 2, 1);
  ExpectNothing(s); /* root is not through */
  Counts(s, 2, 1, 0);
  Do(s, 0, 2);
  Expect(s, 1, 101);
  ExpectNothing(s); /* the other one waits */
  /* what comes meanwhile waits, too, and then goes before the other one */
  Add(s, 4, 1, PETSC_FALSE);
  ExpectNothing(s);
  Do(s, 1, 101);
  Expect(s, 2, 4);
  ExpectNothing(s);
  Do(s, 2, 4);
  /* root is the first in line, but not for this */
  Add(s, 5, 1, PETSC_FALSE);
  Expect(s, 0, 5);
  Do(s, 0, 5);
  Expect(s, 1, 100);
  Do(s, 1, 100);
  ExpectNothing(s);
  Counts(s, 0, 0, 0);
  GOOD(ScheduleDestroy(&s));
}

static void test_root_is_never_alone_with_others(void **state)
{
  Schedule s = New(2, PETSC_TRUE);

  (void)state;
  Add(s, 0, 1, PETSC_FALSE);
  Add(s, 1, 1, PETSC_TRUE);
  Expect(s, 1, 0);
  Do(s, 1, 0); /* now root is first in line */
  Expect(s, 1, 1);
  GOOD(ScheduleDestroy(&s));
  s = New(1, PETSC_TRUE);
  Add(s, 1, 1, PETSC_TRUE);
  Expect(s, 0, 1); /* nobody else could */
  GOOD(ScheduleDestroy(&s));
}

/* Added when all are idle and the end seemed near: it goes out; nothing waits and nothing is out only at the very end. */
static void test_added_during_the_run(void **state)
{
  Schedule s       = New(2, PETSC_FALSE);
  char     carry[] = "carry";

  (void)state;
  Add(s, 0, 1, PETSC_FALSE);
  Expect(s, 1, 0);
  Counts(s, 0, 1, 0);
  GOOD(ScheduleAdd(s, &(PoolPiece){.unit = 1, .first = 5, .n = 2, .nbytes = sizeof carry, .carry = carry}));
  memset(carry, 'x', sizeof carry); /* it was copied */
  Do(s, 1, 0);
  Counts(s, 1, 0, 0);
  {
    const PoolPiece *piece;
    PetscInt         who, step;
    PetscBool        last;

    GOOD(ScheduleNext(s, &who, &piece));
    assert_int_equal(piece->nbytes, sizeof carry);
    assert_string_equal((const char *)piece->carry, "carry");
    GOOD(ScheduleStep(s, 1, 1, 5, &last));
    assert_false(last);
    GOOD(ScheduleGetHeld(s, 1, &piece, &step));
    assert_int_equal(piece->unit, 1);
    assert_int_equal(step, 6);
    GOOD(ScheduleStep(s, 1, 1, 6, &last));
    assert_true(last);
    GOOD(ScheduleEnd(s, 1));
    GOOD(ScheduleGetHeld(s, 1, &piece, &step));
    assert_null(piece);
  }
  Counts(s, 0, 0, 0);
  GOOD(ScheduleDestroy(&s));
}

/* After a stop nothing goes out, what comes back unfinished is undone, what waits stays. */
static void test_stop(void **state)
{
  Schedule  s = New(3, PETSC_FALSE);
  PetscBool last;

  (void)state;
  for (PetscInt u = 0; u < 3; u++) GOOD(ScheduleAdd(s, &(PoolPiece){.unit = u, .n = 2}));
  Expect(s, 1, 0);
  Expect(s, 2, 1);
  GOOD(ScheduleStop(s));
  GOOD(ScheduleStep(s, 1, 0, 0, &last));
  GOOD(ScheduleEnd(s, 1));
  GOOD(ScheduleStep(s, 2, 1, 0, &last));
  GOOD(ScheduleStep(s, 2, 1, 1, &last));
  GOOD(ScheduleEnd(s, 2));
  ExpectNothing(s);
  Counts(s, 1, 0, 1);
  Add(s, 7, 1, PETSC_FALSE);
  ExpectNothing(s);
  Counts(s, 2, 0, 1);
  GOOD(ScheduleDestroy(&s));
}

/* Steps out of order, of another unit, too many, or from a rank without a piece are bugs. */
static void test_wrong_steps_are_bugs(void **state)
{
  Schedule  s = New(3, PETSC_FALSE);
  PetscBool last;

  (void)state;
  GOOD(ScheduleAdd(s, &(PoolPiece){.unit = 3, .first = 4, .n = 2}));
  Expect(s, 1, 3);
  GOOD(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal((int)ScheduleStep(s, 1, 3, 5, &last), PETSC_ERR_PLIB);
  assert_int_equal((int)ScheduleStep(s, 1, 2, 4, &last), PETSC_ERR_PLIB);
  assert_int_equal((int)ScheduleStep(s, 2, 3, 4, &last), PETSC_ERR_PLIB);
  GOOD(ScheduleStep(s, 1, 3, 4, &last));
  assert_int_equal((int)ScheduleStep(s, 1, 3, 4, &last), PETSC_ERR_PLIB);
  GOOD(ScheduleStep(s, 1, 3, 5, &last));
  assert_int_equal((int)ScheduleStep(s, 1, 3, 6, &last), PETSC_ERR_PLIB);
  GOOD(ScheduleEnd(s, 1));
  assert_int_equal((int)ScheduleEnd(s, 1), PETSC_ERR_PLIB);
  assert_int_equal((int)ScheduleAdd(s, &(PoolPiece){.unit = 3, .n = 0}), PETSC_ERR_PLIB);
  GOOD(PetscPopErrorHandler());
  GOOD(ScheduleDestroy(&s));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dearest_first_equals_in_order),
    cmocka_unit_test(test_order_of_many),
    cmocka_unit_test(test_one_ahead_far_from_the_end),
    cmocka_unit_test(test_root_that_serves_gets_nothing),
    cmocka_unit_test(test_idle_in_turn),
    cmocka_unit_test(test_alone_means_alone),
    cmocka_unit_test(test_root_is_never_alone_with_others),
    cmocka_unit_test(test_added_during_the_run),
    cmocka_unit_test(test_stop),
    cmocka_unit_test(test_wrong_steps_are_bugs),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
