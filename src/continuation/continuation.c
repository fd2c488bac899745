/*
  continuation.c - a branch of periodic orbits from its start, both ways.   [theory 18.2]
*/
#include <math.h>

#include "continuation_impl.h"

/* Largest multiplier at the start from which on an orbit is solved in as many shots as it has periods: a residual of 1e-13 is 1e-10 then.
 */
static const PetscReal many_shots = 1e3;
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
  /* what is given bounds what is not */
  c->max_step = !isnan(p->continue_max_step) ? p->continue_max_step
                : isnan(p->continue_step)    ? range / 50.0
                                             : PetscMax(range / 50.0, p->continue_step);
  c->min_step =
    !isnan(p->continue_min_step) ? p->continue_min_step : PetscMin(1e-7 * range, isnan(p->continue_step) ? c->max_step : p->continue_step);
  c->step     = !isnan(p->continue_step) ? p->continue_step : PetscClipInterval(range / 200.0, c->min_step, c->max_step);
  c->max_step = PetscMax(c->max_step, c->step);
  c->set_up   = (PetscBool)!complaint->exit_code;
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
  enum { SAMPLES = 64, CONTACTS = 256 }; /* samples a period, for the margin; contacts that an orbit is followed with, stored or not */
  const PetscInt n = c->problem.n;

  PetscFunctionBeginUser;
  c->period   = period;
  c->capacity = PetscMax(c->params.max_contacts, CONTACTS);
  c->dense    = SAMPLES * period;
  PetscCall(CorrectorCreate(c->comm, &c->problem, period, shots, size, c->lambda_scale, &c->corrector));
  PetscCall(PointCreate_Private(c, &c->base));
  PetscCall(PointCreate_Private(c, &c->next));
  PetscCall(PointCreate_Private(c, &c->begin));
  PetscCall(PointCreate_Private(c, &c->before));
  for (int i = 0; i < SCRATCH_POINTS; ++i) PetscCall(PointCreate_Private(c, &c->scratch[i]));
  PetscCall(PetscMalloc3(3 * c->dense, &c->samples, c->dense, &c->sample_time, period * n, &c->sample_state));
  PetscCall(PetscMalloc1(2 * period * n + 2, &c->work));
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
  PetscCall(PetscFree(c->work));
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
  c->broken           = PETSC_FALSE;
  c->no_section       = PETSC_FALSE;
  c->stored           = 0.0;
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
      PetscCall(PassageEnd_Private(c, side, END_NO_START,
                                   c->no_section ? "the orbit of period %d at the start touches the stop at every phase"
                                                 : "no orbit of period %d was found at the start",
                                   (int)start->period));
  } else {
    c->begin.arclength = 0.0;
    c->begin.step      = 0.0;
    PetscCall(PointCopy_Private(c, &c->begin, &c->base));
    if (start->origin == ORIGIN_DOUBLING) {
      PetscCall(PassageEnd_Private(c, 0, END_ORIGIN, "the period doubles at %.10g", (double)c->begin.lambda));
      PetscCall(PassageStore_Private(c, &c->base));
    } else {
      PointTurn_Private(c, &c->base);
      PetscCall(PassageStore_Private(c, &c->base));
      PointTurn_Private(c, &c->begin);
      PetscCall(Walk_Private(c, 0));
      PointTurn_Private(c, &c->begin);
      PetscCall(BranchReverse(branch));
      if (branch->end[0] == END_CLOSED) PetscCall(PassageEnd_Private(c, 1, END_CLOSED, "the branch is a closed curve"));
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
