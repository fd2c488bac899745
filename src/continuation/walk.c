/*
  walk.c - the walk along a branch of periodic orbits by pseudo-arclength, and how it ends.   [theory 18.2]

  A step predicts along the tangent and corrects on the plane across it. It is taken back and halved where Newton does not arrive, lands far
  from the prediction, the tangent or a contact moves too much, or a measure of the contacts may have passed zero and come back; it grows
  where Newton arrives at once. Between two points the contacts are compared first: where they change, the change is closed in and the walk
  goes on from its far side. Then test functions are compared and their zeros located.

  Invariants: base is a point of the branch, its tangent points ahead; what is stored was solved to 1e-10 and judged.
*/
#include <math.h>

#include "continuation_impl.h"

/* Cosine of the angle between two tangents above which the step may grow. */
static const PetscReal turn_little = 0.98;
static PetscReal       Dot_Private(const Continuation c, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0.0;

  for (PetscInt i = 0; i < c->corrector.N; ++i) sum += a[i] * b[i];
  return sum;
}

/* No orbit at the smallest step. */
static PetscErrorCode Stuck_Private(Continuation c, int side, CorrectorReason reason)
{
  PetscFunctionBeginUser;
  if (reason == CORRECTOR_FLOW_FAILED)
    PetscCall(PassageEnd_Private(c, side, END_FLOW, "beyond %.10g the motion cannot be followed (%s)", (double)c->base.lambda,
                                 FlowReasons[c->corrector.flow_reason]));
  else
    PetscCall(PassageEnd_Private(c, side, END_STEP, "no orbit found beyond %.10g with steps down to %.2g", (double)c->base.lambda,
                                 (double)c->min_step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On to the bound, with the parameter held there. */
static PetscErrorCode Bound_Private(Continuation c, int side, PetscReal bound, PetscBool *reached)
{
  OrbitPoint     *at = &c->scratch[SCRATCH_BOUND];
  const PetscReal u  = (bound - c->base.lambda) / (c->next.lambda - c->base.lambda);
  const PetscInt  N  = c->corrector.N;
  CorrectorReason reason;
  Smoothness      smooth;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < N; ++i) at->z[i] = c->base.z[i] + u * (c->next.z[i] - c->base.z[i]);
  at->z[N - 1] = bound;
  PetscCall(PointSolve_Private(c, at->z, NULL, 0.0, at, &reason));
  *reached = (PetscBool)(!c->stopped && !reason && at->record.count == c->base.record.count);
  if (!*reached) PetscFunctionReturn(PETSC_SUCCESS);
  if (Dot_Private(c, at->t, c->base.t) < 0.0) PointTurn_Private(c, at);
  at->arclength = c->base.arclength + u * c->next.step;
  PetscCall(PassageSmooth_Private(c, &c->base, at, &smooth));
  *reached = (PetscBool)(!c->stopped && smooth != SMOOTH_UNRESOLVED);
  if (!*reached) PetscFunctionReturn(PETSC_SUCCESS);
  if (smooth == SMOOTH_HALVED) {
    PetscCall(PassageHalved_Private(c, side));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PassageStore_Private(c, at));
  PetscCall(PassageEnd_Private(c, side, END_BOUND, "the parameter reaches its bound %.10g", (double)bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the strobes of an orbit those of the beginning, in any rotation?   To 1e-6 of their size: solved to 1e-10. */
static PetscBool SameStrobes_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b, PetscReal tolerance)
{
  PetscReal size = 0.0, speed = 0.0;

  for (PetscInt i = 0; i < c->period; ++i) {
    size  = PetscMax(size, fabs(a->y1[i]));
    speed = PetscMax(speed, fabs(a->y2[i]));
  }
  size  = PetscMax(size, a->record.max_displacement - a->record.min_displacement);
  speed = PetscMax(speed, size * 2.0 * PETSC_PI / ProblemPeriod(&c->problem, a->lambda));
  for (PetscInt shift = 0; shift < c->period; ++shift) {
    PetscBool same = PETSC_TRUE;

    for (PetscInt i = 0; i < c->period && same; ++i) {
      const PetscInt j = (i + shift) % c->period;

      same = (PetscBool)(fabs(a->y1[i] - b->y1[j]) < tolerance * size && fabs(a->y2[i] - b->y2[j]) < tolerance * speed);
    }
    if (same) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A closed curve: between base and next the parameter takes its first value again, in the same sense, at the same orbit. */
static PetscErrorCode Closed_Private(Continuation c, int side, PetscBool *closed)
{
  OrbitPoint     *at     = &c->scratch[SCRATCH_BOUND];
  const PetscReal lambda = c->begin.lambda, width = c->next.lambda - c->base.lambda;
  const PetscReal u = (lambda - c->base.lambda) / width;
  const PetscInt  N = c->corrector.N;
  CorrectorReason reason;

  PetscFunctionBeginUser;
  *closed = PETSC_FALSE;
  if (!(u > 0.0 && u <= 1.0) || c->next.arclength < 4.0 * c->next.step || width * c->begin.slope < 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < N; ++i) at->z[i] = c->base.z[i] + u * (c->next.z[i] - c->base.z[i]);
  at->z[N - 1] = lambda;
  PetscCall(PointSolve_Private(c, at->z, NULL, 0.0, at, &reason));
  if (c->stopped || reason || !SameStrobes_Private(c, &c->begin, at, 1e-6)) PetscFunctionReturn(PETSC_SUCCESS);
  *closed       = PETSC_TRUE;
  at->arclength = c->base.arclength + u * c->next.step;
  if (Dot_Private(c, at->t, c->base.t) < 0.0) PointTurn_Private(c, at);
  PetscCall(PassageStore_Private(c, at));
  PetscCall(PassageEnd_Private(c, side, END_CLOSED, "the branch is a closed curve of length %.4g", (double)at->arclength));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On from a step that was taken back. */
static PetscErrorCode Halve_Private(Continuation c, int side, CorrectorReason reason, PetscReal *step, PetscBool *ended)
{
  PetscFunctionBeginUser;
  ++c->branch->rejected;
  *step *= 0.5;
  *ended = (PetscBool)(*step < c->min_step);
  if (*ended) PetscCall(Stuck_Private(c, side, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  What the contacts do within the step from base to next. reason, bad: what is known of next.

  They change if their number does; they may, twice, if a measure says so, or where Newton fails. Where a rigid impact dies Newton arrives
  from a small part of the way alone, since the derivative grows like 1/v.
*/
static PetscErrorCode Meet_Private(Continuation c, int side, PetscReal step, CorrectorReason reason, PetscBool bad, Met *met)
{
  const PetscBool changed = (PetscBool)(!reason && c->next.record.count != c->base.record.count);
  ContactEvent    event;
  const PetscReal ahead = c->has_before ? ContactsAhead_Private(&c->before, &c->base, &event) : INFINITY;
  const PetscReal reach = bad && !changed ? (c->params.flow == FLOW_RESTITUTION ? 50.0 : 1.5) * step : step;

  PetscFunctionBeginUser;
  *met = MET_NOTHING;
  if (changed || ahead < reach)
    PetscCall(PassageContacts_Private(c, side, PetscMax(PetscMax(step, 4.0 * c->min_step), PetscMin(2.0 * ahead, reach)),
                                      (PetscBool)(changed || reason), met));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is next no point that base leads to smoothly? */
static PetscBool Bad_Private(const Continuation c, PetscReal step, PetscReal cosine)
{
  const OrbitPoint *base = &c->base, *next = &c->next;
  PetscReal         off = 0.0;

  for (PetscInt i = 0; i < c->corrector.N; ++i) off += PetscSqr(next->z[i] - base->z[i] - step * base->t[i]);
  if (sqrt(off) > step || cosine < CONTINUATION_TURN) return PETSC_TRUE;
  if (c->branch->start.origin == ORIGIN_DOUBLING && PassageIsHalf_Private(c, next)) return PETSC_TRUE; /* back on the branch it left */
  return (PetscBool)(next->record.count == base->record.count && ContactsTwice_Private(c, c->has_before ? &c->before : NULL, base, next));
}

PetscErrorCode Walk_Private(Continuation c, int side)
{
  const PetscReal low = c->params.continue_min, high = c->params.continue_max;
  const PetscInt  N    = c->corrector.N;
  OrbitPoint     *base = &c->base, *next = &c->next;
  PetscReal       step  = c->step;
  PetscInt        taken = 0;
  PetscBool       ended = PETSC_FALSE;

  PetscFunctionBeginUser;
  c->has_before = PETSC_FALSE;
  c->stored     = 0.0;
  if ((base->lambda >= high && base->slope > 0.0) || (base->lambda <= low && base->slope < 0.0)) {
    PetscCall(PassageEnd_Private(c, side, END_BOUND, "the parameter begins at its bound %.10g", (double)base->lambda));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (!c->stopped && !ended) {
    CorrectorReason reason;
    Smoothness      smooth = SMOOTH_GOOD;
    PetscReal       cosine;
    PetscBool       bad;
    Met             met;

    if (taken >= c->params.continue_max_points) {
      PetscCall(PassageEnd_Private(c, side, END_MAX_POINTS, "%d points were taken, as many as allowed", (int)taken));
      break;
    }
    for (PetscInt i = 0; i < N; ++i) next->z[i] = base->z[i] + step * base->t[i];
    PetscCall(PointSolve_Private(c, base->z, base->t, step, next, &reason));
    if (c->stopped) break;
    next->step      = step;
    next->arclength = base->arclength + step;
    cosine          = reason ? 0.0 : Dot_Private(c, base->t, next->t);
    bad             = (PetscBool)(reason || Bad_Private(c, step, cosine));
    PetscCall(Meet_Private(c, side, step, reason, bad, &met));
    if (met == MET_END || c->stopped || c->broken) break;
    if (met == MET_CROSSED || met == MET_MOVED) {
      ++taken;
      step = PetscMax(met == MET_MOVED ? 0.5 * step : PetscMin(step, base->step), c->min_step);
      PetscCall(SectionMove_Private(c, base));
      continue;
    }
    if (met == MET_NOTHING && (bad || next->record.count != base->record.count)) {
      PetscCall(Halve_Private(c, side, reason, &step, &ended));
      continue;
    }
    if (next->record.count > next->record.capacity) {
      PetscCall(PassageEnd_Private(c, side, END_FLOW, "more than %d contacts at %.10g", (int)c->capacity, (double)next->lambda));
      break;
    }
    if (met == MET_NOTHING) PetscCall(Closed_Private(c, side, &ended));
    if (ended || c->stopped) break;
    if (next->lambda > high || next->lambda < low || met == MET_BEYOND) {
      const PetscReal bound = next->lambda - base->lambda > 0.0 ? high : low;

      PetscCall(Bound_Private(c, side, bound, &ended));
      if (ended || c->stopped) break;
      ++c->branch->rejected; /* a fold or a change of contacts lies just before the bound */
      step *= 0.5;
      if (step >= c->min_step) continue;
      PetscCall(PassageEnd_Private(c, side, END_BOUND, "the parameter is next to its bound %.10g", (double)bound));
      break;
    }
    PetscCall(PassageSmooth_Private(c, base, next, &smooth));
    if (c->stopped) break;
    if (smooth == SMOOTH_UNRESOLVED) {
      PetscCall(Halve_Private(c, side, CORRECTOR_NO_CONVERGENCE, &step, &ended));
      continue;
    }
    if (smooth == SMOOTH_HALVED) {
      PetscCall(PassageHalved_Private(c, side));
      break;
    }
    PetscCall(PassageStore_Private(c, next));
    if (c->broken) break;
    ++taken;
    PetscCall(PointCopy_Private(c, base, &c->before));
    c->has_before = PETSC_TRUE;
    PetscCall(PointCopy_Private(c, next, base));
    PetscCall(SectionMove_Private(c, base));
    if (base->newton_steps <= 4 && cosine > turn_little) step *= 1.5;
    else if (base->newton_steps > 5) step *= 0.5;
    step = PetscClipInterval(step, c->min_step, c->max_step);
  }
  if (c->broken) {
    const Branch *b = c->branch;

    PetscCall(PassageEnd_Private(c, side, END_INADMISSIBLE, "at %.10g the motion passes the stop by %.2g of its swing",
                                 (double)*BranchPoint(b, b->n_points - 1, POINT_PARAMETER),
                                 -(double)*BranchPoint(b, b->n_points - 1, POINT_MARGIN)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
