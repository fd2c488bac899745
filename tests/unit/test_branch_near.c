/*
  Where a branch passes a parameter and how far an orbit lies from it: curves in closed form, sampled as a continuation would sample them.

  All have W = 3 and the range 2 of the displacement over the orbit unless a test says otherwise.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>

#include "support/made_branch.h"

/* ---- fold ---- */

/* parameter = 1 - s^2: a fold at s = 0, stable before it; the crossings of parameter p are -sqrt(1 - p) and sqrt(1 - p). */
static Here Parabola(PetscReal s)
{
  return (Here){.parameter = 1 - s * s, .slope = -2 * s, .y1 = {sin(s)}, .y2 = {cos(2 * s + 1)}, .stability = s < 0 ? 1 : -1};
}

static void test_both_sides_of_a_fold_are_found_and_told_apart(void **state)
{
  (void)state;
  for (int with_special = 0; with_special < 2; ++with_special) {
    Branch         b;
    BranchCrossing x[4];
    BranchNear     far;

    Sample(Parabola, 1, -1.05, 0.1, 22, &b); /* points at -0.05 and 0.05, none at the fold */
    if (with_special) AddSpecial(Parabola, SPECIAL_FOLD, 0, 0, 0, &b);
    if (with_special) AddSpecial(Parabola, SPECIAL_DOUBLING, 0.68, 0, 0, &b); /* which is no node */
    for (PetscReal s = 0.002; s < 1.04; s += 0.0193) {                        /* beyond the last points before the fold too */
      const Here h = Parabola(s);

      assert_int_equal(Crossings(&b, h.parameter, x), 2);
      for (int side = 0; side < 2; ++side) {
        const PetscReal  t    = side ? s : -s;
        const BranchNear near = CloseTo(&b, Parabola, t);

        /* a parabola is met by the cubic: what is left is round-off, magnified next to the fold by 1/slope */
        assert_true(fabs(x[side].arclength - t) < 1e-12);
        assert_int_equal(x[side].stability, side ? -1 : 1);
        assert_true(near.brackets);
        assert_true(near.arclength == x[side].arclength);
        assert_int_equal(near.stability, side ? -1 : 1);
        assert_int_equal(near.point, (int)floor((t + 1.05) / 0.1 + 1e-9));
        /*
          cubic through four points 0.1 apart: error 9/384 h^4 y'''' <= 3.8e-5 in the middle step, up to 1e-4 in the first and last,
          where y'''' = 16 (velocity, over its scale 6: 1/6); the term of third order is below h^3 y'''/4 over the scale = 1/3000, and
          counts eight times; that of second order is below h^2 y''/8 over the scale = 1/1200, and counts by 1/10
        */
        assert_true(near.distance <= 2e-5);
        assert_true(near.uncertainty <= 2.8e-3);
        assert_true(near.distance <= near.uncertainty + 1e-14);
      }
    }
    assert_int_equal(Crossings(&b, 1.0001, x), 0);
    far = CloseTo(&b, Parabola, 2);
    assert_false(far.brackets);
    assert_true(isinf(far.distance));
    assert_int_equal(far.point, -1);
    assert_int_equal(Crossings(&b, 1, x), 1); /* the fold itself, once */
    assert_true(fabs(x[0].arclength) < 1e-6);
    GOOD(BranchDestroy(&b));
  }
}

/* parameter = cos(s), whose cubic leaves the curve by h^4/384: it can miss the fold by as much, and with it the crossings next to it. */
static Here Cosine(PetscReal s)
{
  return (Here){.parameter = cos(s), .slope = -sin(s), .y1 = {sin(s)}, .y2 = {cos(2 * s + 1)}, .stability = s < 0 ? 1 : -1};
}

static void test_uncertainty_covers_the_error(void **state)
{
  PetscReal worst[2] = {0, 0}, at_fold[2] = {0, 0};

  (void)state;
  for (int half = 0; half < 2; ++half) {
    const PetscReal h = half ? 0.05 : 0.1;
    BranchNear      near;
    Branch          b;

    Sample(Cosine, 1, -1.0 - 0.37 * h, h, (PetscInt)floor(2.5 / h), &b);
    for (PetscReal s = -1; s < 1; s += 0.00731) {
      near = CloseTo(&b, Cosine, s);
      assert_true(near.brackets);
      assert_true(near.distance <= near.uncertainty + 1e-13);
      if (fabs(s) > 0.5) worst[half] = fmax(worst[half], near.distance);
      if (fabs(s) < 0.01) at_fold[half] = fmax(at_fold[half], near.uncertainty);
    }
    near = CloseTo(&b, Cosine, 1e-5); /* the cubic turns back 2e-7 (h = 0.1) below the fold */
    assert_true(near.brackets && near.distance <= near.uncertainty);
    GOOD(BranchDestroy(&b));
  }
  /* fourth order: 16; three quarters of that are allowed for steps that do not lie the same way */
  assert_true(worst[0] > 12 * worst[1] && worst[1] > 0);
  /* at the fold an error e of the parameter moves the crossing by sqrt(e), e of third order */
  assert_true(at_fold[0] > 10 * worst[0]);
  assert_true(at_fold[0] < 0.2 && at_fold[1] < at_fold[0] / 2);
}

/* A point next to another, as at a bound or where contacts change, off by 1e-10 as Newton leaves it: neighbours do not feel it. */
static void test_points_that_all_but_coincide(void **state)
{
  PetscReal uncertainty[2];

  (void)state;
  for (int twin = 0; twin < 2; ++twin) {
    Branch     b;
    BranchNear near;

    Sample(Parabola, 1, -1, 0.1, 4, &b);
    if (twin) {
      AddPoint(Parabola, -0.7 + 1e-9, &b);
      *BranchPoint(&b, 4, POINT_STROBE_DISPLACEMENT) += 1e-10;
    }
    for (int i = 4; i < 8; ++i) AddPoint(Parabola, -1 + 0.1 * i, &b);
    near = CloseTo(&b, Parabola, -0.75);
    assert_true(near.brackets && near.distance <= near.uncertainty);
    uncertainty[twin] = near.uncertainty;
    near              = CloseTo(&b, Parabola, -0.7 + 0.5e-9); /* between the two */
    assert_true(near.brackets && near.distance < 1e-9 && near.uncertainty < 1e-9);
    near = CloseTo(&b, Parabola, -0.67);
    assert_true(near.brackets && near.distance <= near.uncertainty && near.uncertainty < 4e-4);
    GOOD(BranchDestroy(&b));
  }
  assert_true(fabs(uncertainty[1] - uncertainty[0]) < 0.01 * uncertainty[0]);
}

/* An orbit off the curve is as far as it is: displacement over the range, velocity over W times the range, the larger of the two. */
static void test_distance_is_in_ranges_of_the_orbit(void **state)
{
  (void)state;
  for (int frequency = 0; frequency < 2; ++frequency) {
    const PetscReal s = -0.4;
    const Here      h = Parabola(s);
    Branch          b;
    BranchNear      near;
    PetscReal       y1, y2, w;

    Begin(1, frequency ? CONTINUE_FREQUENCY : CONTINUE_AMPLITUDE, &b);
    for (int i = 0; i < 41; ++i) AddPoint(Parabola, -1 + 0.05 * i, &b);
    w  = frequency ? h.parameter : W; /* continued: its value there */
    y1 = h.y1[0] + 0.03 * RANGE;
    y2 = h.y2[0] - 0.01 * w * RANGE;
    GOOD(BranchFindNear(&b, h.parameter, 1, &y1, &y2, &near));
    assert_true(fabs(near.distance - 0.03) < 1e-6); /* s is a point: the strobes are met to round-off */
    y2 = h.y2[0] - 0.05 * w * RANGE;
    GOOD(BranchFindNear(&b, h.parameter, 1, &y1, &y2, &near));
    assert_true(fabs(near.distance - 0.05) < 1e-6);
    assert_true(near.uncertainty < 1e-3);
    y2 = NAN;
    GOOD(BranchFindNear(&b, h.parameter, 1, &y1, &y2, &near));
    assert_true(isinf(near.distance));
    GOOD(BranchDestroy(&b));
  }
}

/* ---- rotation ---- */

static Here Three(PetscReal s)
{
  Here h = {.parameter = s, .slope = 1, .stability = 1};

  for (int k = 0; k < 3; ++k) {
    h.y1[k] = sin(s + k);
    h.y2[k] = cos(s + 2 * k);
  }
  return h;
}

static void test_strobes_in_any_rotation(void **state)
{
  const Here h = Three(0.5);
  PetscReal  y1[3], y2[3];
  BranchNear near;

  (void)state;
  for (PetscInt period = 2; period <= 3; ++period) {
    Branch b;

    Sample(Three, period, 0, 0.1, 11, &b);
    for (PetscInt r = 0; r < period; ++r) {
      for (PetscInt k = 0; k < period; ++k) {
        y1[k] = h.y1[(k + r) % period];
        y2[k] = h.y2[(k + r) % period];
      }
      GOOD(BranchFindNear(&b, h.parameter, period, y1, y2, &near));
      assert_true(near.distance < 1e-14); /* 0.5 is a point */
    }
    for (PetscInt k = 0; k < period; ++k) y2[k] = h.y2[k]; /* displacement and velocity turn together */
    GOOD(BranchFindNear(&b, h.parameter, period, y1, y2, &near));
    assert_true(near.distance > 0.1);
    if (period == 3) { /* backwards is no rotation */
      for (PetscInt k = 0; k < 3; ++k) {
        y1[k] = h.y1[2 - k];
        y2[k] = h.y2[2 - k];
      }
      GOOD(BranchFindNear(&b, h.parameter, 3, y1, y2, &near));
      assert_true(near.distance > 0.1);
    }
    GOOD(BranchFindNear(&b, h.parameter, period - 1, h.y1, h.y2, &near));
    assert_true(near.brackets && isinf(near.distance));
    GOOD(BranchDestroy(&b));
  }
}

/* ---- ends ---- */

static void test_ends_and_branches_of_few_points(void **state)
{
  BranchCrossing x[4];
  BranchNear     near;
  Branch         b;
  Here           h = Three(1);

  (void)state;
  Sample(Three, 1, 1, 0.5, 3, &b); /* parameter 1 .. 2 */
  for (int sign = -1; sign <= 1; ++sign) {
    assert_int_equal(Crossings(&b, 1 + sign * 1e-13, x), 1);
    assert_int_equal(Crossings(&b, 2 + sign * 1e-13, x), 1);
    assert_int_equal(Crossings(&b, 1.5 + sign * 1e-13, x), 1);
  }
  assert_int_equal(Crossings(&b, 1 - 1e-9, x), 0);
  assert_int_equal(Crossings(&b, 2 + 1e-9, x), 0);
  GOOD(BranchFindNear(&b, 1, 1, h.y1, h.y2, &near));
  assert_true(near.brackets && near.distance < 1e-15 && near.point == 0);
  GOOD(BranchDestroy(&b));

  Sample(Three, 1, 1, 1, 1, &b);
  GOOD(BranchFindNear(&b, 1, 1, h.y1, h.y2, &near));
  assert_true(near.brackets && near.distance < 1e-15 && near.uncertainty == 0 && near.point == 0 && near.stability == 1);
  GOOD(BranchFindNear(&b, 1.5, 1, h.y1, h.y2, &near));
  assert_false(near.brackets);
  GOOD(BranchDestroy(&b));

  Sample(Three, 1, 1, 1, 0, &b);
  GOOD(BranchFindNear(&b, 1, 1, h.y1, h.y2, &near));
  assert_false(near.brackets);
  assert_true(isinf(near.distance));
  GOOD(BranchDestroy(&b));

  Sample(Three, 1, 1, 0.2, 2, &b); /* two points: a line, as uncertain as a slope that changes by itself; sin(1.1) is off by 0.0045 */
  near = CloseTo(&b, Three, 1.1);
  assert_true(near.distance > 1e-3 && near.distance <= near.uncertainty);
  GOOD(BranchDestroy(&b));
}

/* A structure that rests has no range: its place is measured by itself, and where it rests at 0 nothing is left to measure by. */
static Here Resting(PetscReal s)
{
  return (Here){.parameter = s, .slope = 1, .y1 = {0.03}, .stability = 1};
}

static void test_an_orbit_at_rest(void **state)
{
  Branch     b;
  BranchNear near;
  PetscReal  y1 = 0.03, y2 = 0;

  (void)state;
  Sample(Resting, 1, 0, 0.1, 5, &b);
  for (PetscInt i = 0; i < 5; ++i) *BranchPoint(&b, i, POINT_MAX_DISPLACEMENT) = *BranchPoint(&b, i, POINT_MIN_DISPLACEMENT) = 0.03;
  GOOD(BranchFindNear(&b, 0.25, 1, &y1, &y2, &near));
  assert_true(near.distance < 1e-6);
  y1 = 0.031;
  GOOD(BranchFindNear(&b, 0.25, 1, &y1, &y2, &near));
  assert_true(near.distance > 1);
  GOOD(BranchDestroy(&b));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_both_sides_of_a_fold_are_found_and_told_apart),
    cmocka_unit_test(test_uncertainty_covers_the_error),
    cmocka_unit_test(test_points_that_all_but_coincide),
    cmocka_unit_test(test_distance_is_in_ranges_of_the_orbit),
    cmocka_unit_test(test_strobes_in_any_rotation),
    cmocka_unit_test(test_ends_and_branches_of_few_points),
    cmocka_unit_test(test_an_orbit_at_rest),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
