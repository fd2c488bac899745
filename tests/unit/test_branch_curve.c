/*
  Where a branch is not smooth: contacts that appear, vanish or pass a strobe between two points, and what polynomials know of such curves.

  Closed forms, sampled as a continuation would sample them.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>

#include "support/made_branch.h"

/* ---- kink ---- */

#define KINK 0.537
/* Straight on either side of s = KINK, where a second contact is born: any polynomial through both sides would be off by 0.1. */
static Here Kinked(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = t < 0 ? t : 0.2 * t,
                .slope     = t < 0 ? 1 : 0.2,
                .y1        = {t < 0 ? 0.1 * t : 5 * t},
                .y2        = {t < 0 ? 0 : -2 * t},
                .contacts  = t < 0 ? 1 : 2,
                .stability = t < 0 ? 1 : -1};
}

static void test_a_kink_is_not_smoothed(void **state)
{
  (void)state;
  for (int with_special = 0; with_special < 2; ++with_special) {
    Branch    b;
    PetscReal largest = 0;

    Sample(Kinked, 1, 0, 0.1, 11, &b);
    if (with_special) AddSpecial(Kinked, SPECIAL_GRAZING_ONSET, KINK, 1, 2, &b);
    for (PetscReal s = 0.003; s < 1; s += 0.00713) {
      const BranchNear near = CloseTo(&b, Kinked, s);

      assert_true(near.brackets);
      if (with_special || s < 0.5 || s > 0.6) { /* straight pieces: round-off */
        assert_true(near.distance < 1e-13);
        assert_true(near.uncertainty < 1e-12);
      } else {
        assert_true(near.distance <= near.uncertainty + 1e-14);
        largest = fmax(largest, near.distance);
      }
      if (with_special) assert_int_equal(near.stability, s < KINK ? 1 : -1);
    }
    if (!with_special) assert_true(largest > 0.01); /* at the kink: 0.04 off the line between the two points, 0.5 RANGE long */
    GOOD(BranchDestroy(&b));
  }
}

/* A second contact at s = 0.77 on the way back of a fold: there y1 is known to 0.1 RANGE alone, on the way there to round-off. */
static Here Bent(PetscReal s)
{
  return (Here){.parameter = 1 - s * s, .slope = -2 * s, .y1 = {fmax(5 * (s - 0.77), 0)}, .contacts = s < 0.77 ? 1 : 2};
}

/* At s = +-0.8 the two sides have y1 = 0 and, on the line from 0.75 to 0.85, y1 = 0.2. What lies at 0.08 may lie on the second, not on the
 * first. */
static void test_the_side_that_fits_within_its_uncertainty(void **state)
{
  const Here h  = Bent(0.8);
  PetscReal  y1 = 0.08;
  BranchNear near;
  Branch     b;

  (void)state;
  Sample(Bent, 1, -1.05, 0.1, 22, &b);
  GOOD(BranchFindNear(&b, h.parameter, 1, &y1, h.y2, &near));
  /* the parameter is on a line too, which shifts the crossing by 0.0025 of the way from 0.75 to 0.85, and y1 by four times that */
  assert_true(near.arclength > 0.79 && fabs(near.distance - 0.06) < 0.011 && near.uncertainty > 0.09);
  y1 = 0.001;
  GOOD(BranchFindNear(&b, h.parameter, 1, &y1, h.y2, &near));
  assert_true(fabs(near.arclength - 0.8) < 0.01); /* within 0.1 of it as well */
  y1 = 0;
  GOOD(BranchFindNear(&b, h.parameter, 1, &y1, h.y2, &near));
  assert_true(fabs(near.arclength + 0.8) < 1e-12 && near.distance < 1e-13); /* both: the nearer one */
  y1 = 1e-6 * RANGE;
  GOOD(BranchFindNear(&b, h.parameter, 1, &y1, h.y2, &near));
  assert_true(fabs(near.arclength + 0.8) < 1e-12); /* off by what Newton leaves is no reason to doubt it */
  GOOD(BranchDestroy(&b));
}

/* Beyond a change of contacts the curve bends like a power 3/2, which polynomials follow badly. */
static Here Bending(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = s, .slope = 1, .y1 = {t < 0 ? 0 : t - pow(t, 1.5)}, .contacts = t < 0 ? 1 : 2};
}

static void test_beyond_a_change_of_contacts(void **state)
{
  PetscReal largest = 0;

  (void)state;
  for (PetscReal first = 0; first < 0.1; first += 0.013) {
    Branch b;

    Sample(Bending, 1, first, 0.1, 11, &b);
    AddSpecial(Bending, SPECIAL_GRAZING_ONSET, KINK, 1, 2, &b);
    for (PetscReal s = first + 0.003; s < 1; s += 0.00713) {
      const BranchNear near = CloseTo(&b, Bending, s);

      assert_true(near.distance <= near.uncertainty + 1e-13);
      largest = fmax(largest, near.uncertainty);
    }
    GOOD(BranchDestroy(&b));
  }
  assert_true(largest < 0.013); /* 8 * 0.05 * 0.1^1.5 */
}

/* Terms that vanish by chance, on steps of 0.1: the last of an even curve, and of an odd one with three points alone. */
static Here Even(PetscReal s)
{
  return (Here){.parameter = s, .slope = 1, .y1 = {s * s + 2 * s * s * s * s}};
}

static Here Odd(PetscReal s)
{
  return (Here){.parameter = s, .slope = 1, .y1 = {1.03 * s - 3 * s * s * s}};
}

static void test_a_last_term_that_vanishes(void **state)
{
  BranchNear near;
  Branch     b;

  (void)state;
  Sample(Even, 1, -0.15, 0.1, 4, &b);
  near = CloseTo(&b, Even, 0);
  assert_true(near.distance > 5e-5 && near.distance <= near.uncertainty); /* 2 * 9/16 * 0.1^4 over RANGE = 5.6e-5 */
  GOOD(BranchDestroy(&b));
  Sample(Odd, 1, -0.1, 0.1, 3, &b);
  near = CloseTo(&b, Odd, 0.05);
  assert_true(near.distance > 5e-4 && near.distance <= near.uncertainty); /* 3 * 0.05 * 0.15 * 0.05 over RANGE = 5.6e-4 */
  GOOD(BranchDestroy(&b));
}

/* The branch turns round in the kink, a fold that is none: parameter -|s - KINK|. */
static Here Corner(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = -fabs(t), .slope = t < 0 ? 1 : -1, .y1 = {t}, .contacts = t < 0 ? 1 : 2, .stability = t < 0 ? 1 : -1};
}

static void test_a_branch_that_turns_in_a_kink(void **state)
{
  Branch         b;
  BranchCrossing x[4];

  (void)state;
  Sample(Corner, 1, 0, 0.1, 11, &b);
  AddSpecial(Corner, SPECIAL_CONTACT_MERGING, KINK, 1, 2, &b);
  assert_int_equal(Crossings(&b, -0.01, x), 2); /* nearer to the kink than any point */
  assert_true(fabs(x[0].arclength - KINK + 0.01) < 1e-13 && fabs(x[1].arclength - KINK - 0.01) < 1e-13);
  assert_true(x[0].contacts == 1 && x[1].contacts == 2);
  assert_true(x[0].stability == 1 && x[1].stability == -1);
  assert_int_equal(Crossings(&b, 0.01, x), 0);
  GOOD(BranchDestroy(&b));
}

/* A special point beyond the last point, or before the first, is where the branch ends. */
static void test_a_special_point_at_an_end(void **state)
{
  BranchCrossing x[4];

  (void)state;
  for (int first = 0; first < 2; ++first) {
    const PetscReal s = first ? 0.52 : 0.56; /* between the special point at KINK and the nearest point */
    Branch          b;
    BranchNear      near;

    if (first) Sample(Kinked, 1, 0, 0.1, 6, &b);
    else Sample(Kinked, 1, 0.6, 0.1, 5, &b);
    AddSpecial(Kinked, SPECIAL_GRAZING_ONSET, KINK, 1, 2, &b);
    near = CloseTo(&b, Kinked, s);
    assert_true(near.brackets && near.distance < 1e-13 && near.uncertainty < 1e-12);
    assert_int_equal(near.point, first ? 5 : 0);
    assert_int_equal(near.stability, first ? 1 : -1);
    assert_int_equal(Crossings(&b, Kinked(KINK).parameter, x), 1);
    assert_int_equal(Crossings(&b, Kinked(first ? KINK + 0.02 : KINK - 0.02).parameter, x), 0);
    GOOD(BranchDestroy(&b));
  }
}

/* ---- contacts that pass a strobe ---- */

/*
  Two impacts in two periods, rigid: the one that moves from 0.1 over the first strobe at s = KINK to 1.9 turns the velocity there from 1 to
  -1; the other stays. The orbit itself and the parameter are smooth.
*/
static Here Passing(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = s + 0.1 * sin(s),
                .slope     = 1 + 0.1 * cos(s),
                .y1        = {0.9 - fabs(t), sin(s)},
                .y2        = {t < 0 ? 1 + t : -1 + t, cos(s)},
                .contacts  = 2,
                .onset     = {t < 0 ? -0.2 * t : 2 - 0.2 * t, 0.7}};
}

/* The impact stays in the order of the orbit and moves from the first period into the second, over strobe 1. */
static Here Within(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = s,
                .slope     = 1,
                .y1        = {sin(s), 0.9 - fabs(t)},
                .y2        = {cos(s), t < 0 ? -1 + t : 1 + t},
                .contacts  = 1,
                .onset     = {1 + 0.2 * t}};
}

/* The only impact of period 1, from 0.05 over the strobe to 0.95. */
static Here Wrapping(PetscReal s)
{
  Here h = Within(s);

  h.y1[0]    = h.y1[1];
  h.y2[0]    = -h.y2[1];
  h.onset[0] = s < KINK ? 0.1 * (KINK - s) : 1 - 0.1 * (s - KINK);
  return h;
}

/* A contact that lasts ends at the strobe: held before, with velocity 0, free after. */
static Here Ending(PetscReal s)
{
  const PetscReal t = s - KINK;

  return (Here){.parameter = s, .slope = 1, .y1 = {t < 0 ? 0 : t * t}, .y2 = {t < 0 ? 0 : 4 * t}, .contacts = 1, .onset = {0.8}};
}

static void test_a_contact_that_passes_a_strobe(void **state)
{
  CurveAt *const curves[] = {Passing, Within, Wrapping, Ending};

  (void)state;
  for (int i = 0; i < 4; ++i)
    for (int reversed = 0; reversed < 2; ++reversed) {
      Here       h;
      Branch     b;
      BranchNear near;

      Sample(curves[i], i < 2 ? 2 : 1, 0, 0.1, 11, &b);
      if (reversed) GOOD(BranchReverse(&b));
      for (PetscReal s = 0.003; s < 1; s += 0.00713) {
        near = CloseTo(&b, curves[i], s);
        /*
          parabolas continued by up to 0.1: a third derivative of 1 leaves 0.1 * 0.2 * 0.3 / 6 over RANGE; their last term is 0.1 * 0.2 / 2
          over RANGE, and counts eight times
        */
        assert_true(near.brackets && near.distance <= near.uncertainty + 1e-13);
        assert_true(near.distance < 5e-4 && near.uncertainty < 0.042);
      }
      h = curves[i](0.55);
      h.y2[i == 1] += 0.1; /* between both sides: on neither */
      GOOD(BranchFindNear(&b, h.parameter, b.layout.period, h.y1, h.y2, &near));
      assert_true(near.distance > 0.1 / (W * RANGE) - 5e-4 && near.uncertainty < 0.042);
      GOOD(BranchDestroy(&b));
    }
}

/* The order of the contacts in a row is that of a cut somewhere in the orbit, which may move: nothing passes a strobe, all is smooth. */
static Here Recut(PetscReal s)
{
  const PetscBool late = (PetscBool)(s > KINK);

  return (Here){
    .parameter = s, .slope = 1, .y1 = {s, s * s}, .y2 = {1 + s, -1 - s}, .contacts = 2, .onset = {late ? 1.4 : 0.3, late ? 0.3 : 1.4}};
}

static void test_contacts_in_any_order(void **state)
{
  Branch b;

  (void)state;
  Sample(Recut, 2, 0, 0.1, 11, &b);
  for (PetscReal s = 0.003; s < 1; s += 0.00713) {
    const BranchNear near = CloseTo(&b, Recut, s);

    /* the cubic meets the parabola, and of its terms the second alone is left; a parabola continued from one side would be known to 0.04 */
    assert_true(near.distance < 1e-13 && near.uncertainty < 2e-4);
  }
  GOOD(BranchDestroy(&b));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_kink_is_not_smoothed),         cmocka_unit_test(test_the_side_that_fits_within_its_uncertainty),
    cmocka_unit_test(test_beyond_a_change_of_contacts),    cmocka_unit_test(test_a_last_term_that_vanishes),
    cmocka_unit_test(test_a_branch_that_turns_in_a_kink),  cmocka_unit_test(test_a_special_point_at_an_end),
    cmocka_unit_test(test_a_contact_that_passes_a_strobe), cmocka_unit_test(test_contacts_in_any_order),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
