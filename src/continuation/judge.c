/*
  judge.c - how far multipliers and special points can be trusted: the same orbit with fewer modes.   [theory 18.5]

  The second cut is a continuation of its own without a second. It is solved from the first's orbit, the missing modes given to its tail, on
  the plane through that orbit across the branch: so it is found at folds too. Where there is no second cut (rigid impacts, modes given by
  the user: their number is part of the model) the residual's error stands alone.
*/
#include <math.h>

#include "continuation_impl.h"

/* A state of the first cut in the modes of the second; displacement and velocity of the tip are kept by the tail. */
static PetscErrorCode Project_Private(Continuation c, const PetscReal *x, PetscReal *y)
{
  const PetscInt   M = c->problem.M, m = c->second->problem.M;
  Receptance       receptance;
  const PetscReal *tip;
  const Tail      *tail, *other_tail;
  PetscReal        L_plus, displacement = 0.0, velocity = 0.0;

  PetscFunctionBeginUser;
  PetscCall(ModelGetReceptance(c->problem.model, &receptance));
  PetscCall(ReceptanceGetModes(receptance, NULL, NULL, NULL, &tip, NULL));
  PetscCall(ReceptanceGetTail(receptance, &tail, &L_plus, NULL));
  for (PetscInt k = m; k < M; ++k) {
    displacement += tip[k] * x[k];
    velocity += tip[k] * x[M + k];
  }
  displacement += x[2 * M];
  if (tail->states == 1) velocity -= L_plus / tail->C0 * x[2 * M];
  if (tail->states == 2) velocity += x[2 * M + 1] - tail->b * x[2 * M];
  PetscCall(PetscArraycpy(y, x, m));
  PetscCall(PetscArraycpy(y + m, x + M, m));
  PetscCall(ModelGetReceptance(c->second->problem.model, &receptance));
  PetscCall(ReceptanceGetTail(receptance, &other_tail, NULL, NULL));
  y[2 * m] = displacement;
  if (other_tail->states == 2) y[2 * m + 1] = velocity + other_tail->b * displacement;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z and normal of the second cut through and across the first's orbit. */
static PetscErrorCode Carry_Private(Continuation c, const OrbitPoint *point, PetscReal *z, PetscReal *t)
{
  Corrector *from = &c->corrector, *to = &c->second->corrector;
  PetscReal *x = c->work, *y = c->work + c->problem.n, norm = 0.0;

  PetscFunctionBeginUser;
  c->second->problem.section = c->problem.section;
  PetscCall(ProblemSet(&c->problem, point->lambda));
  PetscCall(ProblemSet(&c->second->problem, point->lambda));
  for (PetscInt i = 0; i < from->shots; ++i) {
    CorrectorUnpack(from, point->z, i, x);
    PetscCall(Project_Private(c, x, y));
    CorrectorPack(to, y, i, z);
    CorrectorUnpack(from, point->t, i, x);
    PetscCall(Project_Private(c, x, y));
    CorrectorPack(to, y, i, t);
  }
  z[to->N - 1] = point->lambda;
  t[to->N - 1] = point->t[from->N - 1];
  for (PetscInt i = 0; i < to->N; ++i) norm += PetscSqr(t[i]);
  for (PetscInt i = 0; i < to->N; ++i) t[i] /= sqrt(norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Error of each multiplier: what the residual leaves (already there) and the distance to the nearest one of the other cut. */
PetscErrorCode JudgeErrors_Private(Continuation c, OrbitPoint *point)
{
  Continuation     other = c->second;
  Multipliers     *m     = &point->multipliers, theirs;
  const PetscReal *J;
  CorrectorReason  reason;
  PetscInt         steps;
  OrbitPoint      *at;

  PetscFunctionBeginUser;
  if (!other) PetscFunctionReturn(PETSC_SUCCESS);
  at = &other->base;
  PetscCall(Carry_Private(c, point, at->z, at->t));
  PetscCall(CorrectorSetPlane(&other->corrector, at->z, at->t, 0.0));
  PetscCall(CorrectorSolve(&other->corrector, at->z, &steps, &reason));
  c->branch->newton_steps += steps;
  if (reason) { /* nothing is known of the error: undecided */
    for (PetscInt i = 0; i < m->n; ++i) m->error[i] = INFINITY;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CorrectorGetMonodromy(&other->corrector, &J, NULL, NULL));
  PetscCall(FloquetSolve(other->problem.n, other->corrector.energy, J, NULL, 0.0, NULL, &theirs, NULL));
  for (PetscInt i = 0; i < m->n; ++i) {
    PetscReal nearest = INFINITY;

    for (PetscInt j = 0; j < theirs.n; ++j) nearest = PetscMin(nearest, hypot(m->re[i] - theirs.re[j], m->im[i] - theirs.im[j]));
    m->error[i] += nearest;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 stable, -1 unstable, 0 undecided: some multiplier's error straddles the unit circle and none is outside for certain. */
PetscInt JudgeStability_Private(const Multipliers *m, PetscInt *unstable)
{
  PetscBool outside = PETSC_FALSE, straddles = PETSC_FALSE;

  *unstable = 0;
  for (PetscInt i = 0; i < m->n; ++i) {
    const PetscReal size = hypot(m->re[i], m->im[i]);

    if (size > 1.0) ++*unstable;
    if (size - m->error[i] > 1.0) outside = PETSC_TRUE;
    else if (!(size + m->error[i] < 1.0)) straddles = PETSC_TRUE;
  }
  return outside ? -1 : straddles ? 0 : 1;
}

/* An orbit of the second cut next to one of the first, `distance` along its branch. */
static PetscErrorCode Second_Private(Continuation c, const OrbitPoint *point, PetscReal distance, OrbitPoint *at, PetscBool *good)
{
  Continuation    other = c->second;
  PetscReal      *z = other->base.z, *t = other->base.t;
  CorrectorReason reason;

  PetscFunctionBeginUser;
  PetscCall(Carry_Private(c, point, z, t));
  for (PetscInt i = 0; i < other->corrector.N; ++i) at->z[i] = z[i] + distance * t[i];
  PetscCall(PointSolve_Private(other, z, t, distance, at, &reason));
  at->arclength = distance;
  *good         = (PetscBool)(!reason && at->record.count == point->record.count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JudgeSmooth_Private(Continuation c, const OrbitPoint *point, Test test, PetscReal reach, PetscReal *difference)
{
  Continuation other = c->second;
  OrbitPoint  *a, *b, *out;
  PetscReal    width;
  PetscBool    good = PETSC_FALSE, found = PETSC_FALSE;

  PetscFunctionBeginUser;
  *difference = NAN;
  if (!other) PetscFunctionReturn(PETSC_SUCCESS);
  a   = &other->scratch[SCRATCH_SECTION];
  b   = &other->scratch[SCRATCH_BOUND];
  out = &other->scratch[SCRATCH_TESTS];
  /* the cuts differ by far less than the step in which the point lies, unless an event is near: from narrow to wide */
  for (PetscReal s = 1e-3 * reach; s <= reach && !found; s *= 10.0) {
    PetscCall(Second_Private(c, point, -s, a, &good));
    if (good) PetscCall(Second_Private(c, point, s, b, &good));
    if (!good) break;
    if ((a->test[test] > 0.0) == (b->test[test] > 0.0)) continue;
    PetscCall(LocateSmooth_Private(other, a, b, test, out, &width, &found));
    break;
  }
  if (found) *difference = out->lambda - point->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* near: an orbit of the first cut, `left` before the event that it has at `lambda`. */
PetscErrorCode JudgeContacts_Private(Continuation c, const OrbitPoint *near, PetscReal left, PetscReal reach, ContactEvent event,
                                     PetscReal lambda, PetscReal *difference)
{
  Continuation  other = c->second;
  OrbitPoint   *at;
  Approach      approach;
  ApproachState state;
  PetscBool     good;

  PetscFunctionBeginUser;
  *difference = NAN;
  if (!other) PetscFunctionReturn(PETSC_SUCCESS);
  at = &other->scratch[SCRATCH_NEAR];
  for (PetscReal s = 1e-4 * reach; s <= 1.01 * reach && isnan(*difference); s *= 10.0) { /* from narrow to wide, as above */
    PetscCall(Second_Private(c, near, left - s, &other->next, &good));
    if (!good) continue;
    PetscCall(ContactsBegin_Private(other, &other->next, NULL, 2.0 * s, PETSC_TRUE, &approach));
    do PetscCall(ContactsApproach_Private(other, &approach, &state));
    while (state == APPROACH_TRIED || state == APPROACH_MOVED);
    if (state == APPROACH_ARRIVED && approach.event == event) *difference = at->lambda + at->slope * approach.left - lambda;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
