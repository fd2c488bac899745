/*
  plain_system.c - dense matrices of flight and contact, and a stepper with events by bisection.   [theory (6.10), (7.1), (7.8)]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/plain_system.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static PetscReal *Zeros(PetscInt count)
{
  PetscReal *a = calloc((size_t)count, sizeof(*a));

  assert_non_null(a);
  return a;
}

static PetscReal Dot(PetscInt n, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0.0;

  for (PetscInt i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static void Multiply(PetscInt n, const PetscReal *a, const PetscReal *x, PetscReal *y)
{
  memset(y, 0, (size_t)n * sizeof(*y));
  for (PetscInt j = 0; j < n; ++j)
    for (PetscInt i = 0; i < n; ++i) y[i] += a[j * n + i] * x[j];
}

/* e^{A s}: Taylor of A s / 2^q with |A s / 2^q| < 1/2, then q squarings. */
static void Exponential(PetscInt n, const PetscReal *a, PetscReal s, PetscReal *e)
{
  PetscReal *term = Zeros(n * n), *next = Zeros(n * n), norm = 0.0;
  int        squarings = 0;

  for (PetscInt j = 0; j < n; ++j) {
    PetscReal sum = 0.0;

    for (PetscInt i = 0; i < n; ++i) sum += fabs(a[j * n + i] * s);
    norm = fmax(norm, sum);
  }
  for (; norm > 0.5; norm *= 0.5) ++squarings;
  memset(e, 0, (size_t)(n * n) * sizeof(*e));
  for (PetscInt i = 0; i < n; ++i) e[i * n + i] = term[i * n + i] = 1.0;
  for (int k = 1; k <= 18; ++k) { /* 0.5^18 / 18! = 6e-22 */
    for (PetscInt j = 0; j < n; ++j) Multiply(n, a, term + j * n, next + j * n);
    for (PetscInt i = 0; i < n * n; ++i) e[i] += term[i] = next[i] * ldexp(s, -squarings) / k;
  }
  for (int q = 0; q < squarings; ++q) {
    for (PetscInt j = 0; j < n; ++j) Multiply(n, e, e + j * n, next + j * n);
    memcpy(e, next, (size_t)(n * n) * sizeof(*e));
  }
  free(term);
  free(next);
}

/* y = e^{A s} z, for s not longer than a step. */
static void Act(const Plain *p, PetscBool contact, PetscReal s, const PetscReal *z, PetscReal *y)
{
  PetscReal *e = Zeros(p->N * p->N);

  Exponential(p->N, p->matrix[contact], s, e);
  Multiply(p->N, e, z, y);
  free(e);
}

void PlainCreate(const Case *c, PetscReal amplitude, PetscReal frequency, PetscReal step, Plain *p)
{
  const PetscReal *w, *tip;
  const Tail      *tail;
  PetscReal        L, D, *entry;
  PetscInt         M;

  GOOD(ReceptanceGetModes(c->receptance, &M, &w, NULL, &tip, &D));
  GOOD(ReceptanceGetTail(c->receptance, &tail, &L, NULL));
  *p           = (Plain){.n = c->n, .N = c->n + 3, .step = step};
  p->matrix[0] = Zeros(p->N * p->N);
  p->matrix[1] = Zeros(p->N * p->N);
  p->gap       = Zeros(p->N);
  p->velocity  = Zeros(p->N);
  p->force     = Zeros(p->N);
  entry        = p->matrix[0];
#define A(i, j) entry[(j)*p->N + (i)]
  const PetscInt  tail1 = 2 * M, tail2 = 2 * M + 1, cosine = p->n, sine = p->n + 1, one = p->n + 2;
  const PetscReal direct = c->load->tail * amplitude;
  PetscReal      *b      = Zeros(p->N); /* what a unit force adds to z' */

  for (PetscInt k = 0; k < M; ++k) {
    A(k, M + k)      = 1.0;
    A(M + k, k)      = -w[k] * w[k];
    A(M + k, M + k)  = -2.0 * D * w[k];
    A(M + k, cosine) = c->load->modal[k] * amplitude;
    b[M + k]         = tip[k];
    p->gap[k]        = tip[k];
  }
  if (tail->order == 1) {
    A(tail1, tail1) = -L / tail->C0;
    b[tail1]        = L;
  } else if (tail->order == 2) {
    A(tail1, tail1) = -tail->b;
    A(tail1, tail2) = 1.0;
    A(tail2, tail1) = -tail->d;
    b[tail1]        = L;
    b[tail2]        = tail->a;
  }
  if (tail->order > 0) {
    p->gap[tail1] = 1.0;
    for (PetscInt i = tail1; i < p->n; ++i) A(i, cosine) = b[i] * direct;
  } else {
    p->gap[cosine] = tail->C0 * direct;
  }
  p->gap[one]     = -c->params.stop_position;
  A(cosine, sine) = -frequency;
  A(sine, cosine) = frequency;
  for (PetscInt j = 0; j < p->N; ++j) p->velocity[j] = Dot(p->N, p->gap, entry + j * p->N);
  for (PetscInt j = 0; j < p->N; ++j) p->force[j] = tail->order > 0 ? -p->velocity[j] / L : -p->gap[j] / tail->C0;
  for (PetscInt j = 0; j < p->N; ++j)
    for (PetscInt i = 0; i < p->N; ++i) p->matrix[1][j * p->N + i] = entry[j * p->N + i] + b[i] * p->force[j];
#undef A
  free(b);
  for (int contact = 0; contact < 2; ++contact) {
    p->stride[contact] = Zeros(p->N * p->N);
    if (step > 0.0) Exponential(p->N, p->matrix[contact], step, p->stride[contact]);
  }
}

void PlainDestroy(Plain *p)
{
  for (int contact = 0; contact < 2; ++contact) {
    free(p->matrix[contact]);
    free(p->stride[contact]);
  }
  free(p->gap);
  free(p->velocity);
  free(p->force);
}

void PlainBegin(const Plain *p, const FlowState *state, PetscReal strobe_phase, PetscInt capacity, PlainContact *list, PlainMotion *m)
{
  *m = (PlainMotion){.z = Zeros(p->N), .contact = state->contact, .capacity = capacity, .list = list};
  memcpy(m->z, state->x, (size_t)p->n * sizeof(*m->z));
  m->z[p->n]     = cos(strobe_phase);
  m->z[p->n + 1] = sin(strobe_phase);
  m->z[p->n + 2] = 1.0;
}

void PlainEnd(PlainMotion *m)
{
  free(m->z);
}

void PlainAdvance(const Plain *p, PetscReal end, PlainMotion *m)
{
  PetscReal *next = Zeros(p->N);

  while (m->t < end) {
    const PetscReal *row   = m->contact ? p->force : p->gap;
    const PetscReal  left  = end - m->t;
    const PetscBool  whole = (PetscBool)(left > p->step);
    PetscReal        low = 0.0, high = whole ? p->step : left;

    if (whole) Multiply(p->N, p->stride[m->contact], m->z, next);
    else Act(p, m->contact, left, m->z, next);
    if (Dot(p->N, row, next) >= 0.0) {
      memcpy(m->z, next, (size_t)p->N * sizeof(*next));
      m->t = whole ? m->t + p->step : end;
      continue;
    }
    for (int i = 0; i < 60; ++i) { /* until the interval is below the clock's round-off */
      const PetscReal middle = 0.5 * (low + high);

      Act(p, m->contact, middle, m->z, next);
      if (Dot(p->N, row, next) >= 0.0) low = middle;
      else high = middle;
    }
    Act(p, m->contact, high, m->z, next);
    memcpy(m->z, next, (size_t)p->N * sizeof(*next));
    m->t += high;
    m->contact = (PetscBool)!m->contact;
    if (m->contact) {
      assert_true(m->count < m->capacity);
      m->list[m->count++] =
        (PlainContact){.t = m->t, .velocity = Dot(p->N, p->velocity, m->z), .force = Dot(p->N, p->force, m->z), .end = NAN};
    } else if (m->count > 0) {
      m->list[m->count - 1].end = m->t;
    }
  }
  free(next);
}
