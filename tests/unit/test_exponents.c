/*
  Sums of exponentials: looks, steps, and the search that may not miss a fall through zero.   [theory 7.4]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>

#include "impact/exponents.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* A linear congruential generator of our own: the same cases on every machine. In [0, 1). */
static uint64_t  seed;
static PetscReal Random(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (PetscReal)(seed >> 11) * 0x1p-53;
}

enum { COUNT = 24 };

typedef struct {
  double complex lambda[COUNT];
  Exponents      exponents;
  Signal         signal;
} Motion;

/* Exponents like those of a damped beam, the last two real; random coefficients that fall with frequency as those of a motion do. */
static void MotionCreate(Motion *m)
{
  for (int j = 0; j < COUNT; ++j) {
    const PetscReal w = 3.5 * (j + 1) * (j + 1);

    m->lambda[j] = j < COUNT - 2 ? w * (-0.1 + I * sqrt(0.99)) : -w;
  }
  GOOD(ExponentsCreate(COUNT, m->lambda, &m->exponents));
  GOOD(SignalCreate(&m->exponents, &m->signal));
}

static void MotionDestroy(Motion *m)
{
  GOOD(SignalDestroy(&m->signal));
  GOOD(ExponentsDestroy(&m->exponents));
}

static void MotionDraw(Motion *m)
{
  Signal *s = &m->signal;

  for (int j = 0; j < COUNT; ++j) {
    const PetscReal size = 2.0 / ((j + 1) * (j + 1));

    s->a_re[j] = size * (Random() - 0.5);
    s->a_im[j] = cimag(m->lambda[j]) != 0.0 ? size * (Random() - 0.5) : 0.0;
  }
  s->Y        = 0.3 * (Random() - 0.5) + 0.3 * I * (Random() - 0.5);
  s->W        = 13.0;
  s->angle    = 6.0 * Random();
  s->constant = 0.8 * Random();
}

/* q and its first three derivatives, term by term. */
static PetscReal Term(const Motion *m, PetscReal t, int derivative)
{
  const Signal  *s   = &m->signal;
  double complex sum = s->Y * cpow(I * s->W, derivative) * cexp(I * (s->W * t + s->angle));

  for (int j = COUNT - 1; j >= 0; --j) sum += (s->a_re[j] + I * s->a_im[j]) * cpow(m->lambda[j], derivative) * cexp(m->lambda[j] * t);
  return creal(sum) + (derivative == 0 ? s->constant : 0.0);
}

/* Looks by table steps and directly, against the sum written out; bounds hold at and after the look. */
static void exponents_looks_are_the_sum(void **state)
{
  Motion m;

  (void)state;
  seed = 1;
  MotionCreate(&m);
  for (int trial = 0; trial < 50; ++trial) {
    Look look, direct;

    MotionDraw(&m);
    SignalBegin(&m.signal, &look);
    for (int i = 0; i < 40; ++i) {
      SignalEvaluate(&m.signal, look.t, &direct);
      /* round-off of 24 terms of size 1, times |lambda|^d ~ 2e3^d for those that are alive; a step adds an ulp to each factor */
      Near(look.q, Term(&m, look.t, 0), 2e-13, "q by steps");
      Near(look.q1, Term(&m, look.t, 1), 2e-11, "q' by steps");
      Near(look.q2, Term(&m, look.t, 2), 2e-8, "q'' by steps");
      Near(direct.q, Term(&m, look.t, 0), 1e-14, "q");
      Near(direct.q1, Term(&m, look.t, 1), 1e-12, "q'");
      Near(direct.q2, Term(&m, look.t, 2), 1e-9, "q''");
      for (int k = 0; k < 20; ++k) {
        const PetscReal later = look.t + 0.2 * Random() * Random();

        assert_true(fabs(Term(&m, later, 2)) <= look.M2 * (1.0 + 1e-12) + 1e-12);
        assert_true(fabs(Term(&m, later, 3)) <= look.M3 * (1.0 + 1e-12) + 1e-9);
      }
      SignalStep(&m.signal, -4 - (PetscInt)(12.0 * Random()), &look);
    }
  }
  MotionDestroy(&m);
}

/* e^{lambda t} of the vector functions against cexp: 4 ulp each of exp, sin, cos and an argument rounded like ours. Zero when decayed. */
static void exponents_at_are_exponentials(void **state)
{
  Motion    m;
  PetscReal re[64], im[64];

  (void)state;
  MotionCreate(&m);
  for (PetscReal t = 1e-9; t < 10.0; t *= 1.7) {
    const PetscInt active = ExponentsAt(&m.exponents, t, re, im);

    for (int j = 0; j < COUNT; ++j) {
      const double complex exact = cexp(m.lambda[j] * t);

      if (j < active) Near(cabs(re[j] + I * im[j] - exact), 0.0, 3e-15 * cabs(exact), "e^{lambda t}");
      else assert_true(re[j] == 0.0 && im[j] == 0.0 && cabs(exact) < 1e-18);
    }
  }
  MotionDestroy(&m);
}

/*
  First fall within t <= 1 by brute force: samples every 1e-5, of which the motion's fastest ringing has 300 a cycle. Negative: none.
  deepest: the smallest sample of the interval before it.
*/
static PetscReal FirstFall(Motion *m, PetscReal *deepest)
{
  *deepest = INFINITY;
  for (int i = 1; i <= 100000; ++i) {
    Look look;

    SignalEvaluate(&m->signal, 1e-5 * i, &look);
    if (look.q < 0.0) return 1e-5 * i;
    *deepest = fmin(*deepest, look.q);
  }
  return -1.0;
}

/* The search finds the first fall, wherever brute force sees one, never an earlier or later one, and none where there is none. */
static void exponents_search_misses_no_fall(void **state)
{
  Motion m;
  int    falls = 0, none = 0;

  (void)state;
  seed = 7;
  MotionCreate(&m);
  while (falls < 60 || none < 60) {
    Look         first, at;
    SearchResult result;
    PetscReal    brute, deepest;

    MotionDraw(&m);
    SignalBegin(&m.signal, &first);
    if (first.q <= 1e-3) continue;
    result = SignalFindFall(&m.signal, &first, 1.0, falls % 2 ? 1.0 / 64.0 : 0.0, NULL, NULL, &at);
    brute  = FirstFall(&m, &deepest);
    if (brute > 0.0) {
      assert_int_equal(result, SEARCH_CROSSED);
      /* inside the bracket of two samples; a dip too short for them is seen by the search alone, and is one by its value */
      if (at.t < brute - 1e-5) assert_true(deepest < 1e-6);
      else assert_true(at.t <= brute);
      Near(Term(&m, at.t, 0), 0.0, 1e-13, "q at the fall");
      assert_true(at.q1 < 0.0);
      ++falls;
    } else {
      if (result != SEARCH_REACHED_END) assert_true(deepest < 1e-6);
      ++none;
    }
  }
  MotionDestroy(&m);
}

/* Near tangency: the constant is moved so that the lowest minimum lies 1e-9 above or below zero. Above: none; below: the dip is found. */
static void exponents_search_tells_grazing_apart(void **state)
{
  Motion m;
  int    done = 0;

  (void)state;
  seed = 99;
  MotionCreate(&m);
  while (done < 40) {
    PetscReal lowest = INFINITY, when = 0.0;
    Look      first, at;

    MotionDraw(&m);
    m.signal.constant = 0.0;
    SignalBegin(&m.signal, &first);
    for (int i = 0; i <= 100000; ++i) {
      SignalEvaluate(&m.signal, 1e-5 * i, &at);
      if (at.q < lowest) {
        lowest = at.q;
        when   = at.t;
      }
    }
    if (when < 0.01 || when > 0.99) continue; /* an end, not a minimum */
    for (int i = 0; i < 20; ++i) {
      SignalEvaluate(&m.signal, when, &at);
      when -= at.q1 / at.q2;
    }
    lowest = at.q;
    for (int side = -1; side <= 1; side += 2) {
      SearchResult result;

      m.signal.constant = -lowest + side * 1e-9;
      SignalBegin(&m.signal, &first);
      result = SignalFindFall(&m.signal, &first, 1.0, 0.0, NULL, NULL, &at);
      assert_int_equal(result, side < 0 ? SEARCH_CROSSED : SEARCH_REACHED_END);
      /* q falls as q'' s^2/2 below the minimum: the crossing is within sqrt(2e-9/q'') of it */
      if (side < 0) Near(at.t, when, 1e-3, "grazing fall");
    }
    ++done;
  }
  MotionDestroy(&m);
}

/*
  Starts where q, or q and q', are zero: the sign of the first derivative that does not vanish decides. One exponent pair,
  q = e^{-t}(1 - cos(20 t)) >= 0 falls never; q = sin(20 t) e^{-t} falls at pi/20; both from q = 0 with round-off in the sum.
*/
static void exponents_search_starts_on_zero(void **state)
{
  const double complex lambda[2] = {-1.0 + 20.0 * I, -1.0};
  Exponents            exponents;
  Signal               s;
  Look                 first, at;

  (void)state;
  GOOD(ExponentsCreate(2, lambda, &exponents));
  GOOD(SignalCreate(&exponents, &s));
  s.a_re[0] = 0.0;
  s.a_im[0] = -1.0; /* Re -i e^{(-1+20i)t} = e^{-t} sin(20 t) */
  SignalBegin(&s, &first);
  first.q = 0.0;
  assert_int_equal(SignalFindFall(&s, &first, 1.0, 0.0, NULL, NULL, &at), SEARCH_CROSSED);
  Near(at.t, PETSC_PI / 20.0, 1e-15, "fall of the sine"); /* an ulp or two */
  SignalBegin(&s, &first);
  first.q = 0.0;
  assert_true(SignalFindFall(&s, &first, 0.157, 0.0, NULL, NULL, &at) == SEARCH_REACHED_END); /* pi/20 = 0.15708 lies beyond */

  for (int i = 0; i < 200; ++i) { /* e^{-t}(1 - cos 20 t) + slope: touches zero again at pi/10 unless lifted by a little */
    const PetscReal noise = ldexp((PetscReal)(i % 2 ? 1 : -1), -53 - i % 3);

    s.a_re[0]  = -1.0;
    s.a_im[0]  = 0.0;
    s.a_re[1]  = 1.0;
    s.constant = 0.0;
    SignalBegin(&s, &first);
    first = (Look){.t = 0.0, .q = 0.0, .q1 = 0.0, .q2 = first.q2 * (1.0 + noise), .M2 = first.M2, .M3 = first.M3};
    assert_int_equal(SignalFindFall(&s, &first, 0.3, 0.0, NULL, NULL, &at), SEARCH_REACHED_END);
  }
  GOOD(SignalDestroy(&s));
  GOOD(ExponentsDestroy(&exponents));
}

/* Not a number in, SEARCH_LOST out: no endless search. */
static void exponents_search_of_nan_is_lost(void **state)
{
  Motion m;
  Look   first, at;

  (void)state;
  seed = 3;
  MotionCreate(&m);
  MotionDraw(&m);
  m.signal.a_re[0] = NAN;
  SignalBegin(&m.signal, &first);
  assert_int_equal(SignalFindFall(&m.signal, &first, 1.0, 0.0, NULL, NULL, &at), SEARCH_LOST);
  MotionDestroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(exponents_looks_are_the_sum),     cmocka_unit_test(exponents_at_are_exponentials),
    cmocka_unit_test(exponents_search_misses_no_fall), cmocka_unit_test(exponents_search_tells_grazing_apart),
    cmocka_unit_test(exponents_search_starts_on_zero), cmocka_unit_test(exponents_search_of_nan_is_lost),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("exponents", tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
