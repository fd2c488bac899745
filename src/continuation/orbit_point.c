/*
  orbit_point.c - one orbit of a branch: solved for, its contacts and extremes, multipliers, test functions.   [theory 18.1 - 18.3]
*/
#include <math.h>

#include "continuation_impl.h"

PetscErrorCode PointCreate_Private(Continuation c, OrbitPoint *point)
{
  const PetscInt N = c->period * c->problem.n + 1; /* as many shots as periods at most */

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(point, sizeof *point));
  PetscCall(PetscCalloc4(N, &point->z, N, &point->t, c->capacity, &point->record.contact, c->capacity, &point->onset));
  PetscCall(PetscCalloc3(c->period, &point->y1, c->period, &point->y2, c->problem.n, &point->x));
  point->record.capacity = c->capacity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PointDestroy_Private(OrbitPoint *point)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(point->z, point->t, point->record.contact, point->onset));
  PetscCall(PetscFree3(point->y1, point->y2, point->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PointCopy_Private(const Continuation c, const OrbitPoint *from, OrbitPoint *to)
{
  OrbitPoint own = *to;

  PetscFunctionBeginUser;
  *to                = *from;
  to->z              = own.z;
  to->t              = own.t;
  to->record.contact = own.record.contact;
  to->onset          = own.onset;
  to->y1             = own.y1;
  to->y2             = own.y2;
  to->x              = own.x;
  PetscCall(PetscArraycpy(to->z, from->z, c->corrector.N));
  PetscCall(PetscArraycpy(to->t, from->t, c->corrector.N));
  PetscCall(PetscArraycpy(to->record.contact, from->record.contact, c->capacity));
  PetscCall(PetscArraycpy(to->onset, from->onset, c->capacity));
  PetscCall(PetscArraycpy(to->y1, from->y1, c->period));
  PetscCall(PetscArraycpy(to->y2, from->y2, c->period));
  PetscCall(PetscArraycpy(to->x, from->x, c->problem.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contacts in the order of their onsets after the user's first strobe. The section is in flight: every contact that began has ended. */
static void Onsets_Private(const Continuation c, OrbitPoint *point)
{
  const PetscInt n = PetscMin(point->record.count, point->record.capacity);

  for (PetscInt i = 0; i < n; ++i) {
    const Contact contact = point->record.contact[i];
    PetscReal     onset   = (PetscReal)contact.period + contact.phase + c->problem.section;
    PetscInt      j       = i;

    if (onset >= (PetscReal)c->period) onset -= (PetscReal)c->period;
    for (; j > 0 && point->onset[j - 1] > onset; --j) {
      point->onset[j]          = point->onset[j - 1];
      point->record.contact[j] = point->record.contact[j - 1];
    }
    point->onset[j]          = onset;
    point->record.contact[j] = contact;
  }
}

/*
  One orbit with a record: contacts, extremes, and the tip and state at the user's strobes.

  Seen from the section at phase s the user's strobes come at (i + 1 - s) T: the first of them is number 1, the last number 0 again.
*/
PetscErrorCode PointRecord_Private(Continuation c, OrbitPoint *point, CorrectorReason *reason)
{
  Problem        *p = &c->problem;
  const PetscInt  n = p->n, period = c->period;
  const PetscReal T = ProblemPeriod(p, point->lambda);
  FlowRecord     *r = &point->record;
  FlowReason      why;

  PetscFunctionBeginUser;
  CorrectorUnpack(&c->corrector, point->z, 0, c->work);
  if (p->section == 0.0) {
    r->n_samples      = 0;
    point->in_contact = PETSC_FALSE;
    PetscCall(PetscArraycpy(point->x, c->work, n));
    PetscCall(ProblemSet(p, point->lambda));
    PetscCall(FlowRecordReset(r));
    PetscCall(FlowSetRecord(p->flow, r));
    PetscCall(PetscArraycpy(p->state.x, c->work, n));
    p->state.contact = PETSC_FALSE;
    p->state.n       = n;
    why              = FLOW_GOOD;
    PetscCall(FlowStart(p->flow, &p->state));
    for (PetscInt i = 0; i < period && !why; ++i) {
      PetscCall(FlowGetTip(p->flow, &p->state, &point->y1[i], &point->y2[i]));
      PetscCall(FlowPeriod(p->flow, &p->state, &why));
    }
    PetscCall(FlowSetRecord(p->flow, NULL));
  } else {
    PetscReal *f = c->samples, *y1 = c->samples + period, *y2 = c->samples + 2 * period;

    for (PetscInt i = 0; i < period; ++i) c->sample_time[i] = ((PetscReal)(i + 1) - p->section) * T;
    r->n_samples    = period;
    r->sample_time  = c->sample_time;
    r->sample_y1    = y1;
    r->sample_y2    = y2;
    r->sample_f     = f;
    r->sample_state = c->sample_state;
    PetscCall(ProblemRecord(p, point->lambda, period, c->work, PETSC_FALSE, r, &why));
    for (PetscInt i = 0; i < period; ++i) {
      point->y1[(i + 1) % period] = y1[i];
      point->y2[(i + 1) % period] = y2[i];
    }
    PetscCall(PetscArraycpy(point->x, c->sample_state + (period - 1) * n, n));
    /* held exactly on the stop, which no flight is but by chance */
    point->in_contact = (PetscBool)(y1[period - 1] == (p->parameter == CONTINUE_STOP ? point->lambda : p->stop));
    r->n_samples      = 0;
    r->sample_state   = NULL;
  }
  *reason = why ? CORRECTOR_FLOW_FAILED : CORRECTOR_FOUND;
  if (!why) {
    Onsets_Private(c, point);
    ContactsMeasure_Private(c, point);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Is it a motion of the structure? Gap and force at samples that the search for contacts did not choose: the smallest of each over the
  largest.
*/
PetscErrorCode PointMargin_Private(Continuation c, OrbitPoint *point)
{
  Problem        *p     = &c->problem;
  const PetscInt  dense = c->dense;
  const PetscReal T = ProblemPeriod(p, point->lambda), side = p->params.stop_side == STOP_ABOVE ? -1.0 : 1.0;
  const PetscReal stop = p->parameter == CONTINUE_STOP ? point->lambda : p->stop;
  PetscReal      *y1 = c->samples, *y2 = c->samples + dense, *f = c->samples + 2 * dense;
  FlowRecord      record = {.n_samples = dense, .sample_time = c->sample_time, .sample_y1 = y1, .sample_y2 = y2, .sample_f = f};
  PetscReal       low = INFINITY, high = 0.0, weakest = INFINITY, strongest = 0.0;
  FlowReason      why;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < dense; ++i) c->sample_time[i] = ((PetscReal)i + 0.5) / (PetscReal)dense * (PetscReal)c->period * T;
  CorrectorUnpack(&c->corrector, point->z, 0, c->work);
  PetscCall(ProblemRecord(p, point->lambda, c->period, c->work, PETSC_FALSE, &record, &why));
  for (PetscInt i = 0; i < record.next_sample; ++i) {
    const PetscReal gap = side * (y1[i] - stop);

    if (gap == 0.0) { /* held */
      weakest   = PetscMin(weakest, f[i]);
      strongest = PetscMax(strongest, f[i]);
    } else {
      low  = PetscMin(low, gap);
      high = PetscMax(high, fabs(gap));
    }
  }
  point->margin = high > 0.0 ? low / high : INFINITY;
  if (strongest > 0.0) point->margin = PetscMin(point->margin, weakest / strongest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products over the multipliers that are known; those beyond are small and their factors 1.   (18.6) - (18.8) */
PetscErrorCode PointTests_Private(Continuation c, OrbitPoint *point)
{
  const PetscReal *J, *before, *re = point->multipliers.re, *im = point->multipliers.im;
  PetscReal        fold = 1.0, left;
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(CorrectorGetMonodromy(&c->corrector, &J, &before, &left));
  PetscCall(FloquetSolve(c->problem.n, c->corrector.energy, J, before, left, NULL, &point->multipliers, NULL));
  n = point->multipliers.n;
  if (im[n - 1] > 0.0) --n; /* of a pair both or none */
  point->test[TEST_DOUBLING] = point->test[TEST_NEIMARK_SACKER] = 1.0;
  for (PetscInt i = 0; i < n; ++i) {
    if (im[i] == 0.0) {
      point->test[TEST_DOUBLING] *= 1.0 + re[i];
      fold *= 1.0 - re[i];
    } else if (im[i] > 0.0) {
      point->test[TEST_DOUBLING] *= PetscSqr(1.0 + re[i]) + PetscSqr(im[i]);
      fold *= PetscSqr(1.0 - re[i]) + PetscSqr(im[i]);
      point->test[TEST_NEIMARK_SACKER] *= 1.0 - re[i] * re[i] - im[i] * im[i];
    }
  }
  for (PetscInt i = 0; i < n; ++i) /* two real ones; a product of members of different pairs never crosses 1 alone */
    for (PetscInt j = i + 1; j < n; ++j)
      if (im[i] == 0.0 && im[j] == 0.0) point->test[TEST_NEIMARK_SACKER] *= 1.0 - re[i] * re[j];
  point->test[TEST_FOLD]         = point->slope;
  point->test[TEST_BRANCH_POINT] = fold / (point->slope != 0.0 ? point->slope : 1e-300);
  point->test[TEST_HALVED]       = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PointTurn_Private(const Continuation c, OrbitPoint *point)
{
  for (PetscInt i = 0; i < c->corrector.N; ++i) point->t[i] = 0.0 - point->t[i];
  point->slope                   = 0.0 - point->slope;
  point->test[TEST_FOLD]         = 0.0 - point->test[TEST_FOLD];
  point->test[TEST_BRANCH_POINT] = 0.0 - point->test[TEST_BRANCH_POINT];
}

/* Displacement and velocity at the strobes half an orbit apart, their differences: dot product of those of two orbits. */
static PetscReal Halves_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b)
{
  const PetscInt  half    = c->period / 2;
  const PetscReal W       = 2.0 * PETSC_PI / ProblemPeriod(&c->problem, a->lambda);
  PetscReal       product = 0.0;

  for (PetscInt i = 0; i < half; ++i) {
    product += (a->y1[i + half] - a->y1[i]) * (b->y1[i + half] - b->y1[i]);
    product += (a->y2[i + half] - a->y2[i]) * (b->y2[i + half] - b->y2[i]) / PetscSqr(W);
  }
  return product;
}

/* Only where the difference has turned right round it has passed through zero; the cosine of how far it has turned. */
void PointCompareHalves_Private(const Continuation c, const OrbitPoint *base, OrbitPoint *other)
{
  PetscReal size;

  other->test[TEST_HALVED] = 1.0;
  if (c->period % 2) return;
  size = sqrt(Halves_Private(c, base, base) * Halves_Private(c, other, other));
  if (size > 0.0) other->test[TEST_HALVED] = Halves_Private(c, base, other) / size;
}

/* How much the halves of an orbit differ, over its swing. */
PetscReal PointHalves_Private(const Continuation c, const OrbitPoint *point)
{
  return sqrt(Halves_Private(c, point, point)) / (point->record.max_displacement - point->record.min_displacement);
}

/* The smallest onset velocity, and which contact. No contacts: INFINITY. */
PetscReal PointSlowest_Private(const OrbitPoint *point, PetscInt *which)
{
  PetscReal slowest = INFINITY;

  *which = -1;
  for (PetscInt i = 0; i < PetscMin(point->record.count, point->record.capacity); ++i) {
    const PetscReal v = fabs(point->record.contact[i].velocity);

    if (v < slowest) {
      slowest = v;
      *which  = i;
    }
  }
  return slowest;
}

/* After the corrector: lambda, residual, tangent, record, tests. */
PetscErrorCode PointLook_Private(Continuation c, OrbitPoint *point, CorrectorReason *reason)
{
  PetscBool singular;

  PetscFunctionBeginUser;
  point->lambda   = point->z[c->corrector.N - 1];
  point->relative = c->corrector.relative;
  PetscCall(CorrectorTangent(&c->corrector, point->t, &singular));
  if (singular) {
    *reason = CORRECTOR_NO_CONVERGENCE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  point->slope = point->t[c->corrector.N - 1];
  PetscCall(PointTests_Private(c, point));
  PetscCall(PointRecord_Private(c, point, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PointSolve_Private(Continuation c, const PetscReal *base, const PetscReal *normal, PetscReal distance, OrbitPoint *point,
                                  CorrectorReason *reason)
{
  PetscInt steps;

  PetscFunctionBeginUser;
  if (c->poll && !c->stopped) PetscCall((*c->poll)(c->poll_ctx, &c->stopped));
  *reason = CORRECTOR_NO_CONVERGENCE;
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CorrectorSetPlane(&c->corrector, base, normal, distance));
  PetscCall(CorrectorSolve(&c->corrector, point->z, &steps, reason));
  point->newton_steps = steps;
  c->branch->newton_steps += steps;
  c->branch->corrections += 1;
  if (!*reason) PetscCall(PointLook_Private(c, point, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}
