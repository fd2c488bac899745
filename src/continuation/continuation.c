/*
  continuation.c - the walk along a branch of periodic orbits by pseudo-arclength, and how it ends.   [theory 18.2]

  A step predicts along the tangent and corrects on the plane across it. It is taken back and halved where Newton does not arrive, lands far
  from the prediction or the tangent turns too much; it grows where Newton arrives at once. Between two points the contacts are compared
  first: where they change, the change is closed in and the walk goes on from its far side. Then test functions are compared and their zeros
  located.

  Invariants: base is the last point stored, its tangent points ahead; what is stored was solved to 1e-10 and judged.
*/
#include <math.h>

#include "continuation_impl.h"

/* Cosine of the angle between two tangents above which the step may grow. */
static const PetscReal turn_little = 0.98;
/* Largest multiplier at the start from which on an orbit is solved in as many shots as it has periods: a residual of 1e-13 is 1e-10 then.
 */
static const PetscReal many_shots = 1e3;
/* Halves that differ by less than this part of the swing are those of an orbit of half the period, in round-off: no branch ends there. */
static const PetscReal equal_halves = 1e-7;

/* ---- life ---------------------------------------------------------------------------------------------------------- */

PetscErrorCode ContinuationCreate(MPI_Comm comm, Continuation *continuation)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(continuation));
  (*continuation)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationSetParams(Continuation c, const Params *params)
{
  PetscFunctionBeginUser;
  c->params = *params;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationSetModes(Continuation c, PetscInt modes)
{
  PetscFunctionBeginUser;
  c->modes = modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationSetPoll(Continuation c, PetscErrorCode (*poll)(void *, PetscBool *), void *ctx)
{
  PetscFunctionBeginUser;
  c->poll     = poll;
  c->poll_ctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second cut keeps seven eighths of the modes: near enough to follow, far enough that it errs on its own. */
static PetscInt OtherModes_Private(PetscInt modes, const Params *p)
{
  return PetscMax(modes - PetscMax(modes / 8, 1), PetscMax(p->forcing_mode, p->initial_mode));
}

PetscErrorCode ContinuationSetUp(Continuation c, Complaint *complaint)
{
  const Params   *p      = &c->params;
  const PetscReal range  = p->continue_max - p->continue_min;
  PetscInt        others = 0;

  PetscFunctionBeginUser;
  if (c->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProblemCreate(c->comm, p, c->modes, &c->problem, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->flow == FLOW_EXACT && p->beam_model != BEAM_MODES) others = OtherModes_Private(c->problem.M, p);
  if (!c->is_second && others >= 2 && others < c->problem.M) {
    PetscCall(ContinuationCreate(c->comm, &c->second));
    c->second->is_second = PETSC_TRUE;
    PetscCall(ContinuationSetParams(c->second, p));
    PetscCall(ContinuationSetModes(c->second, others));
    PetscCall(ContinuationSetUp(c->second, complaint));
  }
  c->lambda_scale = 0.1 * range; /* as much as this counts a change of the state by its own size */
  c->step         = isnan(p->continue_step) ? range / 200.0 : p->continue_step;
  c->max_step     = isnan(p->continue_max_step) ? PetscMax(range / 50.0, c->step) : p->continue_max_step;
  c->min_step     = isnan(p->continue_min_step) ? PetscMin(1e-7 * range, c->step) : p->continue_min_step;
  c->set_up       = (PetscBool)!complaint->exit_code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationGetModel(Continuation c, Model *model)
{
  PetscFunctionBeginUser;
  *model = c->problem.model;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationGetSize(Continuation c, PetscInt *states)
{
  PetscFunctionBeginUser;
  *states = c->problem.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinuationDestroy(Continuation *continuation)
{
  PetscFunctionBeginUser;
  if (!*continuation) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProblemDestroy(&(*continuation)->problem));
  PetscCall(ContinuationDestroy(&(*continuation)->second));
  PetscCall(PetscFree(*continuation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What belongs to one branch. size: energy norm of a state */
static PetscErrorCode BranchBegin_Private(Continuation c, PetscInt period, PetscInt shots, PetscReal size)
{
  enum { SAMPLES = 64 }; /* a period, for the margin */
  const PetscInt n = c->problem.n;

  PetscFunctionBeginUser;
  c->period   = period;
  c->capacity = c->params.max_contacts;
  c->dense    = SAMPLES * period;
  PetscCall(CorrectorCreate(c->comm, &c->problem, period, shots, size, c->lambda_scale, &c->corrector));
  PetscCall(PointCreate_Private(c, &c->base));
  PetscCall(PointCreate_Private(c, &c->next));
  PetscCall(PointCreate_Private(c, &c->begin));
  PetscCall(PointCreate_Private(c, &c->before));
  for (int i = 0; i < SCRATCH_POINTS; ++i) PetscCall(PointCreate_Private(c, &c->scratch[i]));
  PetscCall(PetscMalloc3(3 * c->dense, &c->samples, c->dense, &c->sample_time, period * n, &c->sample_state));
  PetscCall(PetscMalloc2(2 * period * n + 2, &c->work, period * n + 1, &c->direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BranchEnd_Private(Continuation c)
{
  PetscFunctionBeginUser;
  PetscCall(CorrectorDestroy(&c->corrector));
  PetscCall(PointDestroy_Private(&c->base));
  PetscCall(PointDestroy_Private(&c->next));
  PetscCall(PointDestroy_Private(&c->begin));
  PetscCall(PointDestroy_Private(&c->before));
  for (int i = 0; i < SCRATCH_POINTS; ++i) PetscCall(PointDestroy_Private(&c->scratch[i]));
  PetscCall(PetscFree3(c->samples, c->sample_time, c->sample_state));
  PetscCall(PetscFree2(c->work, c->direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- along the branch ---------------------------------------------------------------------------------------------- */

static PetscReal Dot_Private(const Continuation c, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0.0;

  for (PetscInt i = 0; i < c->corrector.N; ++i) sum += a[i] * b[i];
  return sum;
}

static PetscErrorCode Turn_Private(Continuation c, OrbitPoint *point)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < c->corrector.N; ++i) point->t[i] = 0.0 - point->t[i];
  point->slope                   = 0.0 - point->slope;
  point->test[TEST_FOLD]         = 0.0 - point->test[TEST_FOLD];
  point->test[TEST_BRANCH_POINT] = 0.0 - point->test[TEST_BRANCH_POINT];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A point joins the branch: errors, margin, row. */
static PetscErrorCode Store_Private(Continuation c, OrbitPoint *point)
{
  PetscFunctionBeginUser;
  PetscCall(JudgeErrors_Private(c, point));
  PetscCall(PointMargin_Private(c, point));
  PetscCall(RowPoint_Private(c, point));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End_Private(Continuation c, int side, BranchEnd end, const char *format, ...)
{
  va_list list;

  PetscFunctionBeginUser;
  c->branch->end[side] = end;
  va_start(list, format);
  (void)vsnprintf(c->branch->why[side], sizeof c->branch->why[side], format, list);
  va_end(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Do the halves of the orbit change places between two points? Then the branch passes the orbit of half the period that it doubled, or
  another: the system is singular there, so that the place comes from the line between the points.
*/
static PetscBool Halved_Private(Continuation c, const OrbitPoint *a, OrbitPoint *b)
{
  const PetscReal da = PointHalves_Private(c, a), db = PointHalves_Private(c, b);

  if (!(da > equal_halves && db > equal_halves)) return PETSC_FALSE;
  PointCompareHalves_Private(c, a, b);
  if (!(b->test[TEST_HALVED] < -0.9 && da < 0.5 && db < 0.5)) return PETSC_FALSE;
  c->halved_at = a->lambda + da / (da + db) * (b->lambda - a->lambda);
  return PETSC_TRUE;
}

/* Zeros of the test functions between two points with the same contacts, into the table in the order of the arclength. halved: the branch
   ends in between, and b is void. */
static PetscErrorCode Smooth_Private(Continuation c, const OrbitPoint *a, OrbitPoint *b, PetscBool *halved)
{
  OrbitPoint *out[TESTS];
  PetscReal   width[TESTS];
  Test        which[TESTS];
  PetscInt    n = 0;

  PetscFunctionBeginUser;
  *halved = PETSC_FALSE;
  if (c->branch->start.direction && c->branch->n_points == 1) PetscFunctionReturn(PETSC_SUCCESS); /* from where it branches off */
  *halved = (PetscBool)(c->branch->n_points > 1 && Halved_Private(c, a, b));
  if (*halved) PetscFunctionReturn(PETSC_SUCCESS);
  for (int test = 0; test < TEST_HALVED; ++test) {
    OrbitPoint *point = &c->scratch[5 + n];
    PetscBool   found;
    PetscInt    j = n;

    if ((a->test[test] > 0.0) == (b->test[test] > 0.0)) continue;
    PetscCall(LocateSmooth_Private(c, a, b, (Test)test, point, &width[n], &found));
    if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    if (!found || !LocateType_Private(point, (Test)test)) continue;
    {
      const PetscReal w = width[n];

      for (; j > 0 && out[j - 1]->arclength > point->arclength; --j) {
        out[j]   = out[j - 1];
        width[j] = width[j - 1];
        which[j] = which[j - 1];
      }
      out[j]   = point;
      width[j] = w;
      which[j] = (Test)test;
    }
    ++n;
  }
  for (PetscInt i = 0; i < n; ++i) {
    const SpecialType type = LocateType_Private(out[i], which[i]);
    PetscReal         difference;

    PetscCall(JudgeErrors_Private(c, out[i]));
    PetscCall(JudgeSmooth_Private(c, out[i], which[i], b->arclength - a->arclength, &difference));
    PetscCall(RowSpecial_Private(c, type, out[i], out[i]->lambda, width[i], difference, out[i]->test[which[i]], a->record.count,
                                 a->record.count, NAN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What lies ahead of a step. */
typedef enum {
  MET_NOTHING, /* no event: nothing has happened */
  MET_CROSSED, /* one was closed in and crossed: base is its far side */
  MET_BEYOND,  /* it lies beyond the bounds of the parameter: next is the orbit before it */
  MET_END      /* the branch does not go on */
} Met;

/* Do the contacts change ahead of base, within `step` of it? sure: something does. */
static PetscErrorCode Contacts_Private(Continuation c, int side, PetscReal step, PetscBool sure, Met *met)
{
  OrbitPoint  *a = &c->scratch[2], *b = &c->next;
  PetscReal    ahead, when, lambda, width, difference;
  PetscBool    found, halved;
  ContactEvent event;
  SpecialType  type;
  PetscInt     after;

  PetscFunctionBeginUser;
  *met = MET_NOTHING;
  PetscCall(ContactsApproach_Private(c, &c->base, c->has_before ? &c->before : NULL, step, sure, a, &ahead, &width, &event, &found));
  if (c->stopped || !found) PetscFunctionReturn(PETSC_SUCCESS);
  lambda = a->lambda + a->slope * ahead;
  if (lambda > c->params.continue_max || lambda < c->params.continue_min) {
    *met = MET_BEYOND;
    PetscCall(PointCopy_Private(c, a, &c->next));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *met = MET_CROSSED;
  PetscCall(Smooth_Private(c, &c->base, a, &halved));
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->arclength > c->base.arclength + c->min_step && !halved) PetscCall(Store_Private(c, a));
  if (halved) {
    PetscCall(End_Private(c, side, END_HALVED, "the two halves of the orbit become equal at %.10g", (double)c->halved_at));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  width = PetscMax(width, 1e-15 * fabs(lambda));
  after = a->record.count + (event == EVENT_BIRTH || event == EVENT_PARTING ? 1 : -1);
  if (c->params.flow == FLOW_RESTITUTION) {
    type = ContactsType_Private(c, event, a, NULL, &when);
    PetscCall(RowSpecial_Private(c, type, a, lambda, width, NAN, a->measure[event], a->record.count, after, when));
    PetscCall(End_Private(c, side, END_GRAZING, "an impact %s at %.10g: the map has no derivative there",
                          event == EVENT_BIRTH ? "is born" : "dies", (double)lambda));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(JudgeContacts_Private(c, c->has_before ? &c->before : &c->base, 2.0 * step, event, lambda, &difference));
  PetscCall(ContactsCross_Private(c, a, ahead, step, b, &found));
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  type = ContactsType_Private(c, event, a, found ? b : NULL, &when);
  if (found) after = b->record.count;
  PetscCall(RowSpecial_Private(c, type, a, lambda, width, difference, a->measure[event], a->record.count, after, when));
  if (!found) {
    PetscCall(End_Private(c, side, END_STEP, "no orbit found beyond the event at %.10g (%s)", (double)lambda, SpecialTypeNames[type]));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PointCopy_Private(c, b, &c->base));
  PetscCall(Store_Private(c, &c->base));
  c->has_before = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No orbit at the smallest step. */
static PetscErrorCode Stuck_Private(Continuation c, int side, CorrectorReason reason)
{
  PetscFunctionBeginUser;
  if (reason == CORRECTOR_FLOW_FAILED)
    PetscCall(End_Private(c, side, END_FLOW, "beyond %.10g the motion cannot be followed (%s)", (double)c->base.lambda,
                          FlowReasons[c->corrector.flow_reason]));
  else
    PetscCall(
      End_Private(c, side, END_STEP, "no orbit found beyond %.10g with steps down to %.2g", (double)c->base.lambda, (double)c->min_step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On to the bound, with the parameter held there. */
static PetscErrorCode Bound_Private(Continuation c, int side, PetscReal bound, PetscBool *reached)
{
  OrbitPoint     *at = &c->scratch[1];
  const PetscReal u  = (bound - c->base.lambda) / (c->next.lambda - c->base.lambda);
  const PetscInt  N  = c->corrector.N;
  CorrectorReason reason;
  PetscBool       halved;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < N; ++i) at->z[i] = c->base.z[i] + u * (c->next.z[i] - c->base.z[i]);
  at->z[N - 1] = bound;
  PetscCall(PointSolve_Private(c, at->z, NULL, 0.0, at, &reason));
  *reached = (PetscBool)(!c->stopped && !reason && at->record.count == c->base.record.count);
  if (!*reached) PetscFunctionReturn(PETSC_SUCCESS);
  if (Dot_Private(c, at->t, c->base.t) < 0.0) PetscCall(Turn_Private(c, at));
  at->step      = u * c->next.step;
  at->arclength = c->base.arclength + at->step;
  PetscCall(Smooth_Private(c, &c->base, at, &halved));
  if (!halved) PetscCall(Store_Private(c, at));
  if (halved) PetscCall(End_Private(c, side, END_HALVED, "the two halves of the orbit become equal at %.10g", (double)c->halved_at));
  else PetscCall(End_Private(c, side, END_BOUND, "the parameter reaches its bound %.10g", (double)bound));
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
  OrbitPoint     *at     = &c->scratch[1];
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
  at->step      = u * c->next.step;
  at->arclength = c->base.arclength + at->step;
  if (Dot_Private(c, at->t, c->base.t) < 0.0) PetscCall(Turn_Private(c, at));
  PetscCall(Store_Private(c, at));
  PetscCall(End_Private(c, side, END_CLOSED, "the branch is a closed curve of length %.4g", (double)at->arclength));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ahead from base until something ends it. side: 0 backwards, 1 forwards */
static PetscErrorCode Walk_Private(Continuation c, int side)
{
  const PetscReal low = c->params.continue_min, high = c->params.continue_max;
  const PetscInt  N    = c->corrector.N;
  OrbitPoint     *base = &c->base, *next = &c->next;
  PetscReal       step  = c->step;
  PetscInt        taken = 0;

  PetscFunctionBeginUser;
  c->has_before = PETSC_FALSE;
  if ((base->lambda >= high && base->slope > 0.0) || (base->lambda <= low && base->slope < 0.0)) {
    PetscCall(End_Private(c, side, END_BOUND, "the parameter begins at its bound %.10g", (double)base->lambda));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (!c->stopped) {
    const PetscReal least = c->min_step;
    CorrectorReason reason;
    ContactEvent    event;
    PetscReal       off   = 0.0, cosine, ahead, reach;
    PetscBool       ended = PETSC_FALSE, changed, bad;
    Met             met   = MET_NOTHING;

    if (taken >= c->params.continue_max_points) {
      PetscCall(End_Private(c, side, END_MAX_POINTS, "%d points were taken, as many as allowed", (int)taken));
      break;
    }
    for (PetscInt i = 0; i < N; ++i) next->z[i] = base->z[i] + step * base->t[i];
    PetscCall(PointSolve_Private(c, base->z, base->t, step, next, &reason));
    if (c->stopped) break;
    next->step      = step;
    next->arclength = base->arclength + step;
    if (!reason) {
      for (PetscInt i = 0; i < N; ++i) off += PetscSqr(next->z[i] - base->z[i] - step * base->t[i]);
      off = sqrt(off);
    }
    cosine = reason ? 0.0 : Dot_Private(c, base->t, next->t);
    /*
      Do the contacts change within this step? They do if their number does; they may, twice, if a measure says so, or where Newton fails.
      Where a rigid impact dies Newton arrives from a small part of the way alone, since the derivative grows like 1/v.
    */
    ahead   = c->has_before ? ContactsAhead_Private(&c->before, base, &event) : INFINITY;
    changed = (PetscBool)(!reason && next->record.count != base->record.count);
    bad     = (PetscBool)(reason || off > step || cosine < CONTINUATION_TURN);
    reach   = bad && !changed ? (c->params.flow == FLOW_RESTITUTION ? 50.0 : 1.5) * step : step;
    if (changed || ahead < reach)
      PetscCall(Contacts_Private(c, side, PetscMax(PetscMax(step, 4.0 * least), PetscMin(2.0 * ahead, reach)),
                                 (PetscBool)(changed || reason), &met));
    if (met == MET_END || c->stopped) break;
    if (met == MET_CROSSED || (met == MET_NOTHING && (bad || changed))) {
      if (!met) {
        ++c->branch->rejected;
        step *= 0.5;
        if (step >= least) continue;
        PetscCall(Stuck_Private(c, side, reason));
        break;
      }
      ++taken;
      step = PetscMax(PetscMin(step, base->step), least);
      PetscCall(SectionMove_Private(c, base));
      continue;
    }
    if (next->record.count > next->record.capacity) {
      PetscCall(End_Private(c, side, END_FLOW, "more than -max_contacts %d contacts at %.10g", (int)c->capacity, (double)next->lambda));
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
      if (step >= least) continue;
      PetscCall(End_Private(c, side, END_BOUND, "the parameter is next to its bound %.10g", (double)bound));
      break;
    }
    PetscCall(Smooth_Private(c, base, next, &ended));
    if (c->stopped) break;
    if (!ended) PetscCall(Store_Private(c, next));
    if (ended) {
      PetscCall(End_Private(c, side, END_HALVED, "the two halves of the orbit become equal at %.10g", (double)c->halved_at));
      break;
    }
    if (next->margin < -1e-9) { /* round-off of the gap is 1e-13 of the swing */
      PetscCall(End_Private(c, side, END_INADMISSIBLE, "at %.10g the motion passes the stop by %.2g of its swing", (double)next->lambda,
                            (double)-next->margin));
      break;
    }
    ++taken;
    PetscCall(PointCopy_Private(c, base, &c->before));
    c->has_before = PETSC_TRUE;
    PetscCall(PointCopy_Private(c, next, base));
    PetscCall(SectionMove_Private(c, base));
    if (base->newton_steps <= 4 && cosine > turn_little) step *= 1.5;
    else if (base->newton_steps > 5) step *= 0.5;
    step = PetscClipInterval(step, least, c->max_step);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start ----------------------------------------------------------------------------------------------------- */

static PetscReal Start_Private(const Continuation c, const BranchStart *start)
{
  switch (c->params.continue_parameter) {
  case CONTINUE_AMPLITUDE:
    return start->amplitude;
  case CONTINUE_FREQUENCY:
    return start->frequency;
  case CONTINUE_STOP:
    return start->stop;
  default:
    return start->damping;
  }
}

/* The orbit of the start with its tangent into c->begin, solved with the parameter held, or, at a special point, as it is. */
static PetscErrorCode Begin_Private(Continuation c, const BranchStart *start, PetscBool *found)
{
  OrbitPoint     *begin  = &c->begin;
  Corrector      *r      = &c->corrector;
  const PetscReal lambda = Start_Private(c, start);
  const PetscInt  n      = c->problem.n;
  PetscReal      *states = c->sample_state;
  CorrectorReason reason;

  PetscFunctionBeginUser;
  PetscCall(SectionBegin_Private(c, start, lambda, states, found));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->shots; ++i) CorrectorPack(r, states + i * n, i, begin->z);
  begin->z[r->N - 1] = lambda;
  if (!start->direction) {
    PetscCall(PointSolve_Private(c, begin->z, NULL, 0.0, begin, &reason));
    *found = (PetscBool)(!reason && !c->stopped);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CorrectorSetPlane(r, begin->z, NULL, 0.0));
  PetscCall(CorrectorEvaluate(r, begin->z, &reason));
  if (!reason) PetscCall(PointLook_Private(c, begin, &reason));
  *found = (PetscBool)(!reason && begin->relative < 1e-7);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  /* the eigenvector of +1 that the other branch leaves along, and its images at the other shots */
  PetscCall(SectionEigenvector_Private(c, 1.0, c->work));
  {
    PetscReal norm = 0.0;

    for (PetscInt s = 0; s < r->shots; ++s) {
      const PetscReal *J = r->J + (size_t)s * (size_t)n * (size_t)n;

      CorrectorPack(r, c->work, s, begin->t);
      for (PetscInt i = 0; i < n; ++i) {
        c->work[n + i] = 0.0;
        for (PetscInt j = 0; j < n; ++j) c->work[n + i] += J[(size_t)j * (size_t)n + (size_t)i] * c->work[j];
      }
      PetscCall(PetscArraycpy(c->work, c->work + n, n));
    }
    begin->t[r->N - 1] = 0.0;
    for (PetscInt i = 0; i < r->N; ++i) norm += PetscSqr(begin->t[i]);
    for (PetscInt i = 0; i < r->N; ++i) begin->t[i] /= sqrt(norm);
    begin->slope = 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ContinuationRun - The branch through a start, both ways; from a doubling one way, since the other is the same orbits half a period later.

  Not collective.
  Input:   start - an orbit of its period, solved or nearly so
  Output:  branch - always with both end reasons; without points if no orbit was found. stopped - the poll asked for an end: throw it away
  Cost:    a point takes 3 to 5 passes with tangents over the orbit in each of the two cuts
*/
PetscErrorCode ContinuationRun(Continuation c, const BranchStart *start, Branch *branch, PetscBool *stopped)
{
  const PetscInt shots = c->params.continue_shots == 0              ? 1
                         : start->period % c->params.continue_shots ? start->period
                                                                    : c->params.continue_shots;
  BranchLayout   layout;
  PetscReal      size;
  PetscBool      found;

  PetscFunctionBeginUser;
  PetscCheck(c->set_up && start->n == c->problem.n, c->comm, PETSC_ERR_PLIB, "a start of %d states for a flow of %d", (int)start->n,
             (int)c->problem.n);
  BranchLayoutSetUp(start->period, c->params.max_contacts, c->problem.n, &layout);
  PetscCall(BranchCreate(start, &layout, branch));
  c->branch           = branch;
  c->stopped          = PETSC_FALSE;
  branch->parameter   = c->params.continue_parameter;
  branch->modes       = c->problem.M;
  branch->other_modes = c->second ? c->second->problem.M : 0;
  ProblemSetConstants(&c->problem, start);
  PetscCall(ProblemSet(&c->problem, Start_Private(c, start)));
  PetscCall(FlowNorm(c->problem.flow, start->x, &size));
  PetscCall(BranchBegin_Private(c, start->period, shots, size));
  PetscCall(Begin_Private(c, start, &found));
  /* one shot loses what the largest multiplier magnifies; as many as there are periods lose little */
  if (found && c->params.continue_shots == 0 && start->period > 1 &&
      hypot(c->begin.multipliers.re[0], c->begin.multipliers.im[0]) > many_shots) {
    PetscCall(BranchEnd_Private(c));
    PetscCall(BranchBegin_Private(c, start->period, start->period, size));
    PetscCall(Begin_Private(c, start, &found));
  }
  if (c->second) {
    c->second->branch = branch;
    ProblemSetConstants(&c->second->problem, start);
    PetscCall(ProblemSet(&c->second->problem, Start_Private(c, start)));
    PetscCall(BranchBegin_Private(c->second, start->period, c->corrector.shots, size));
  }
  if (!found) {
    for (int side = 0; side < 2; ++side)
      PetscCall(End_Private(c, side, END_NO_START, "no orbit of period %d was found at the start", (int)start->period));
  } else {
    c->begin.arclength = 0.0;
    c->begin.step      = 0.0;
    PetscCall(PointCopy_Private(c, &c->begin, &c->base));
    if (start->origin == ORIGIN_DOUBLING) {
      PetscCall(End_Private(c, 0, END_ORIGIN, "the period doubles at %.10g", (double)c->begin.lambda));
      PetscCall(Store_Private(c, &c->base));
    } else {
      PetscCall(Turn_Private(c, &c->base));
      PetscCall(Store_Private(c, &c->base));
      PetscCall(Turn_Private(c, &c->begin));
      PetscCall(Walk_Private(c, 0));
      PetscCall(Turn_Private(c, &c->begin));
      PetscCall(BranchReverse(branch));
      if (branch->end[0] == END_CLOSED) PetscCall(End_Private(c, 1, END_CLOSED, "the branch is a closed curve"));
    }
    if (branch->end[0] != END_CLOSED && !c->stopped) {
      PetscCall(SectionBegin_Private(c, start, Start_Private(c, start), c->sample_state, &found));
      PetscCall(PointCopy_Private(c, &c->begin, &c->base));
      PetscCall(Walk_Private(c, 1));
    }
  }
  PetscCall(BranchEnd_Private(c));
  if (c->second) PetscCall(BranchEnd_Private(c->second));
  *stopped = c->stopped;
  PetscFunctionReturn(PETSC_SUCCESS);
}
