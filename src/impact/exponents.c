/*
  exponents.c - look at a sum of exponentials, step through it, and find where it falls through zero without missing a fall.

  A look costs one complex product per exponent that has not decayed: the factors e^{lambda h} for h = 2^-m come from a table made
  once per beam. A search never steps further than the bounds on q'' and q''' allow.   [theory 7.4]

  Invariants: run_abs[j] >= |run_re[j] + i run_im[j]| up to round-off; the bounds M2, M3 of a look hold for all later times.
*/
#include "exponents.h"

#include <math.h>

/* Rows start on cache lines, and the loops over them have no remainder worth speaking of. */
#define LANES 8

/* ExponentsCreate - Tables for n exponents (complex pairs once, im > 0). lambda[] ordered so that those that decay last come first. */
PetscErrorCode ExponentsCreate(PetscInt n, const double complex *lambda, Exponents *x)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(x, sizeof(*x)));
  x->n      = n;
  x->stride = (n + LANES - 1) / LANES * LANES;
  PetscCall(
    PetscCalloc6(x->stride, &x->re, x->stride, &x->im, x->stride, &x->mag2, x->stride, &x->mag3, x->stride, &x->re2, x->stride, &x->im2));
  PetscCall(
    PetscCalloc3(x->stride * STEP_LEVELS, &x->step_re, x->stride * STEP_LEVELS, &x->step_im, x->stride * STEP_LEVELS, &x->step_abs));
  for (PetscInt j = 0; j < n; ++j) {
    const double complex square = lambda[j] * lambda[j];

    x->re[j]   = creal(lambda[j]);
    x->im[j]   = cimag(lambda[j]);
    x->re2[j]  = creal(square);
    x->im2[j]  = cimag(square);
    x->mag2[j] = cabs(square);
    x->mag3[j] = cabs(square) * cabs(lambda[j]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExponentsDestroy(Exponents *x)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree6(x->re, x->im, x->mag2, x->mag3, x->re2, x->im2));
  PetscCall(PetscFree3(x->step_re, x->step_im, x->step_abs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table row of a step 2^level, computed at its first use: the same numbers whenever that is. */
static PetscInt ExponentsRow_Private(Exponents *x, PetscInt level)
{
  const PetscInt  row = STEP_COARSEST - level;
  const PetscReal h   = ldexp(1.0, (int)level);

  if (!x->level_known[row]) {
    for (PetscInt j = 0; j < x->n; ++j) {
      const PetscReal decay = exp(x->re[j] * h);

      x->step_abs[row * x->stride + j] = decay;
      x->step_re[row * x->stride + j]  = decay * cos(x->im[j] * h);
      x->step_im[row * x->stride + j]  = decay * sin(x->im[j] * h);
    }
    x->level_known[row] = PETSC_TRUE;
  }
  return row * x->stride;
}

PetscErrorCode SignalCreate(Exponents *exponents, Signal *s)
{
  const PetscInt n = exponents->stride;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->exponents = exponents;
  PetscCall(PetscCalloc7(n, &s->a_re, n, &s->a_im, n, &s->run_re, n, &s->run_im, n, &s->run_abs, n, &s->e_re, n, &s->e_im));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SignalDestroy(Signal *s)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree7(s->a_re, s->a_im, s->run_re, s->run_im, s->run_abs, s->e_re, s->e_im));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of a look that do not come from the exponents. */
static void AddForcing_Private(const Signal *s, PetscReal t, Look *look)
{
  const PetscReal c = cos(s->W * t + s->angle), d = sin(s->W * t + s->angle);
  const PetscReal value = creal(s->Y) * c - cimag(s->Y) * d, quadrature = -creal(s->Y) * d - cimag(s->Y) * c;
  const PetscReal W2 = s->W * s->W, size = cabs(s->Y);

  look->t = t;
  look->q += value + s->constant;
  look->q1 += s->W * quadrature;
  look->q2 -= W2 * value;
  look->M2 += W2 * size + s->dropped2;
  look->M3 += W2 * s->W * size + s->dropped3;
  if (s->linear == 0.0 && s->quadratic == 0.0) return;
  look->q += t * (s->linear + 0.5 * t * s->quadratic);
  look->q1 += s->linear + t * s->quadratic;
  look->q2 += s->quadratic;
  look->M2 += fabs(s->quadratic); /* constant: it adds nothing to the bound on q''' */
}

/* Sums over the running coefficients; the inner loop of a look. */
GRAZE_VECTORISED static void Sum_Private(PetscInt n, const PetscReal *restrict re, const PetscReal *restrict im,
                                         const PetscReal *restrict size, const PetscReal *restrict l_re, const PetscReal *restrict l_im,
                                         const PetscReal *restrict l2_re, const PetscReal *restrict l2_im, const PetscReal *restrict mag2,
                                         const PetscReal *restrict mag3, Look *look)
{
  PetscReal q = 0.0, q1 = 0.0, q2 = 0.0, M2 = 0.0, M3 = 0.0;

#pragma omp simd reduction(+ : q, q1, q2, M2, M3)
  for (PetscInt j = 0; j < n; ++j) {
    q += re[j];
    q1 += l_re[j] * re[j] - l_im[j] * im[j];
    q2 += l2_re[j] * re[j] - l2_im[j] * im[j];
    M2 += mag2[j] * size[j];
    M3 += mag3[j] * size[j];
  }
  look->q  = q;
  look->q1 = q1;
  look->q2 = q2;
  look->M2 = M2;
  look->M3 = M3;
}

/* Advance the running coefficients by one table row and sum, in one pass: about a dozen products per exponent. */
GRAZE_VECTORISED static void StepAndSum_Private(PetscInt n, PetscReal *restrict re, PetscReal *restrict im, PetscReal *restrict size,
                                                const PetscReal *restrict h_re, const PetscReal *restrict h_im,
                                                const PetscReal *restrict h_abs, const PetscReal *restrict l_re,
                                                const PetscReal *restrict l_im, const PetscReal *restrict l2_re,
                                                const PetscReal *restrict l2_im, const PetscReal *restrict mag2,
                                                const PetscReal *restrict mag3, Look *look)
{
  PetscReal q = 0.0, q1 = 0.0, q2 = 0.0, M2 = 0.0, M3 = 0.0;

#pragma omp simd reduction(+ : q, q1, q2, M2, M3)
  for (PetscInt j = 0; j < n; ++j) {
    const PetscReal x = re[j] * h_re[j] - im[j] * h_im[j];
    const PetscReal y = re[j] * h_im[j] + im[j] * h_re[j];
    const PetscReal a = size[j] * h_abs[j];

    re[j]   = x;
    im[j]   = y;
    size[j] = a;
    q += x;
    q1 += l_re[j] * x - l_im[j] * y;
    q2 += l2_re[j] * x - l2_im[j] * y;
    M2 += mag2[j] * a;
    M3 += mag3[j] * a;
  }
  look->q  = q;
  look->q1 = q1;
  look->q2 = q2;
  look->M2 = M2;
  look->M3 = M3;
}

/* Leave out exponents that have decayed; their remaining share of the bounds is kept, so that the certificate stands. */
static void Prune_Private(Signal *s, const Look *look)
{
  const Exponents *x = s->exponents;

  while (s->active > 0) {
    const PetscInt  j    = s->active - 1;
    const PetscReal rest = x->mag2[j] * s->run_abs[j];

    /* 1e-18 of |q''|: the share of q itself is smaller still by |lambda_j|^2 over that of the motion */
    if (rest > 1e-18 * look->M2) break;
    s->dropped2 += rest;
    s->dropped3 += x->mag3[j] * s->run_abs[j];
    --s->active;
  }
}

void SignalBegin(Signal *s, Look *look)
{
  const Exponents *x = s->exponents;

  for (PetscInt j = 0; j < x->n; ++j) {
    s->run_re[j]  = s->a_re[j];
    s->run_im[j]  = s->a_im[j];
    s->run_abs[j] = hypot(s->a_re[j], s->a_im[j]);
  }
  s->active   = x->n;
  s->dropped2 = s->dropped3 = 0.0;
  s->e_t                    = -1.0;
  Sum_Private(s->active, s->run_re, s->run_im, s->run_abs, x->re, x->im, x->re2, x->im2, x->mag2, x->mag3, look);
  AddForcing_Private(s, 0.0, look);
  s->looks += 1;
  s->visited += s->active;
  Prune_Private(s, look);
}

void SignalStep(Signal *s, PetscInt level, Look *look)
{
  Exponents      *x   = s->exponents;
  const PetscInt  row = ExponentsRow_Private(x, level);
  const PetscReal t   = look->t + ldexp(1.0, (int)level);

  StepAndSum_Private(s->active, s->run_re, s->run_im, s->run_abs, x->step_re + row, x->step_im + row, x->step_abs + row, x->re, x->im,
                     x->re2, x->im2, x->mag2, x->mag3, look);
  AddForcing_Private(s, t, look);
  s->looks += 1;
  s->visited += s->active;
  Prune_Private(s, look);
}

GRAZE_VECTORISED static void SumDirect_Private(PetscInt n, const PetscReal *restrict a_re, const PetscReal *restrict a_im,
                                               const PetscReal *restrict e_re, const PetscReal *restrict e_im,
                                               const PetscReal *restrict l_re, const PetscReal *restrict l_im,
                                               const PetscReal *restrict l2_re, const PetscReal *restrict l2_im, Look *look)
{
  PetscReal q = 0.0, q1 = 0.0, q2 = 0.0;

#pragma omp simd reduction(+ : q, q1, q2)
  for (PetscInt j = 0; j < n; ++j) {
    const PetscReal re = a_re[j] * e_re[j] - a_im[j] * e_im[j], im = a_re[j] * e_im[j] + a_im[j] * e_re[j];

    q += re;
    q1 += l_re[j] * re - l_im[j] * im;
    q2 += l2_re[j] * re - l2_im[j] * im;
  }
  *look = (Look){.q = q, .q1 = q1, .q2 = q2};
}

void SignalEvaluate(Signal *s, PetscReal t, Look *look)
{
  const Exponents *x = s->exponents;

  if (t != s->e_t) {
    s->e_active = ExponentsAt(x, t, s->e_re, s->e_im);
    s->e_t      = t;
  }
  SumDirect_Private(s->e_active, s->a_re, s->a_im, s->e_re, s->e_im, x->re, x->im, x->re2, x->im2, look);
  AddForcing_Private(s, t, look);
}

PetscReal SignalIntegral(const Signal *s, PetscReal t)
{
  const Exponents     *e   = s->exponents;
  const double complex i_W = I * s->W;
  PetscReal            sum = s->constant * t + creal(s->Y * cexp(I * s->angle) * (cexp(i_W * t) - 1.0) / i_W);

  for (PetscInt j = e->n - 1; j >= 0; --j)
    sum += creal((s->a_re[j] + I * s->a_im[j]) * (s->e_re[j] - 1.0 + I * s->e_im[j]) / (e->re[j] + I * e->im[j]));
  return sum;
}

/* Largest s with q + q1 s - M2 s^2/2 >= 0 on [0,s]; q >= 0. */
static PetscReal SafeStep_Private(PetscReal q, PetscReal q1, PetscReal M2)
{
  const PetscReal root = sqrt(q1 * q1 + 2.0 * M2 * q);

  if (M2 <= 0.0) return q1 >= 0.0 ? PETSC_MAX_REAL : -q / q1;
  return q1 >= 0.0 ? (q1 + root) / M2 : 2.0 * q / (root - q1);
}

/* The fall inside (low, high), where q1 < 0 throughout, to the last bit that matters: Newton, bisection if it leaves the bracket. */
static SearchResult Bracketed_Private(Signal *s, PetscReal low, PetscReal high, PetscReal guess, PetscReal end, Look *at)
{
  PetscReal t = guess;

  if (high > end) { /* the fall may lie beyond the end of this phase */
    SignalEvaluate(s, end, at);
    if (at->q > 0.0) return SEARCH_REACHED_END;
    high = end;
    if (t > end) t = end;
  }
  for (int it = 0; it < 80; ++it) {
    PetscReal next;

    SignalEvaluate(s, t, at);
    if (!isfinite(at->q)) return SEARCH_LOST;
    if (at->q > 0.0) low = t;
    else high = t;
    next = at->q1 < 0.0 ? t - at->q / at->q1 : 0.5 * (low + high);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    /* 4 ulp of the clock, or the resolution of q there: further steps would only follow round-off */
    if (fabs(next - t) <= 4.0 * PETSC_MACHINE_EPSILON * (fabs(t) + ldexp(1.0, -10)) || at->q == 0.0)
      return at->q1 < 0.0 ? SEARCH_CROSSED : SEARCH_LOST;
    t = next;
  }
  return at->q1 < 0.0 ? SEARCH_CROSSED : SEARCH_LOST;
}

/*
  A period takes a hundred looks. A signal that stays within round-off of zero takes steps as short as the clock has, and is lost: a state
  that no motion leads to, as Newton may try.
*/
enum { MOST_LOOKS = 100000 };

SearchResult SignalFindFall(Signal *s, const Look *first, PetscReal end, PetscReal longest, SignalWatch watch, void *ctx, Look *at)
{
  Look      look    = *first;
  PetscReal floor_q = 0.0, floor_q1 = -PETSC_MAX_REAL; /* proven lower bounds, for when round-off hides q */
  PetscBool rising = PETSC_TRUE;                       /* the start, where only derivatives tell: see below */

  for (PetscInt count = 0; count < MOST_LOOKS; ++count) {
    const Look before = look;
    PetscReal  step;
    int        level;

    if (!isfinite(look.q) || !isfinite(look.M2)) return SEARCH_LOST;
    if (look.q < 0.0 || (look.q == 0.0 && look.q1 < 0.0)) {
      if (look.q1 < 0.0) { /* the fall has happened within the round-off of this look */
        SignalEvaluate(s, look.t, at);
        at->q1 = at->q1 < 0.0 ? at->q1 : look.q1;
        return SEARCH_CROSSED;
      }
      look.q = 0.0; /* touches zero within round-off and rises */
    }
    if (look.q1 < 0.0 && look.q1 * look.q1 > 2.0 * look.M2 * look.q) {
      /* |q''| <= M2 makes the fall certain and single before look.t + 2 q / (|q1| + sqrt(q1^2 - 2 M2 q)) */
      const PetscReal v = -look.q1, high = 2.0 * look.q / (v + sqrt(v * v - 2.0 * look.M2 * look.q));

      return Bracketed_Private(s, look.t, look.t + high * (1.0 + 1e-9) + ldexp(1.0, STEP_FINEST), look.t + look.q / v, end, at);
    }
    step = SafeStep_Private(look.q, look.q1, look.M2);
    if (rising) { /* while q'' > 0 is certain q and q' only grow */
      const PetscReal growing = look.q2 > 0.0 && look.q1 >= 0.0 ? look.q2 / look.M3 : 0.0;

      if (growing > step) {
        step     = growing;
        floor_q  = look.q;
        floor_q1 = look.q1;
      } else {
        rising   = PETSC_FALSE;
        floor_q  = 0.0;
        floor_q1 = -PETSC_MAX_REAL;
      }
    }
    if (longest > 0.0 && step > longest) step = longest;
    if (step >= end - look.t) {
      if (watch) {
        SignalEvaluate(s, end, at);
        watch(ctx, s, &look, at);
      }
      return SEARCH_REACHED_END;
    }
    (void)frexp(step, &level); /* 2^(level-1) <= step < 2^level */
    --level;
    if (level > STEP_COARSEST) level = STEP_COARSEST;
    if (level < STEP_FINEST || !(step > 0.0)) level = STEP_FINEST;
    if (look.t + ldexp(1.0, level) >= end)
      return SEARCH_REACHED_END; /* only the finest step can do that: the end is within the clock's round-off */
    SignalStep(s, level, &look);
    if (look.q < floor_q) look.q = floor_q;
    if (look.q1 < floor_q1) look.q1 = floor_q1;
    if (watch) watch(ctx, s, &before, &look);
  }
  return SEARCH_LOST;
}
