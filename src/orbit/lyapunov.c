/*
  lyapunov.c - the largest Lyapunov exponent of a motion: how fast one tangent vector grows, brought back to length 1 every period. [theory
  8]

  Exponent: mean of the logarithms of the growth per period. Standard error: from the scatter of the means of LYAPUNOV_BATCHES batches.
  Growth of successive periods is correlated, mostly negatively, so that single periods would not do as a sample: a batch of 25 (of the
  default 500 periods) is many times the time, one or two periods, over which the correlations of chaotic cells have been seen to add up,
  and 16 batches still leave the error itself known to a fifth. Of bounded fluctuations, which cancel from batch to batch, the
  estimate is too large: safe.

  Invariant: the flow carries no tangent and writes no record when LyapunovMeasure returns; the state it started from is untouched.
*/
#include "graze/lyapunov.h"

#include <math.h>

static const PetscReal standard_errors = 3.0; /* wrong once in a hundred times, with 15 degrees of freedom */
/* [1/period] 0.02 is too much: bands of the beam with an exponent of 0.03 over 20000 periods have passed for 0 within that in 500. */
static const PetscReal neutral = 0.01;

struct _p_Lyapunov {
  MPI_Comm comm;
  PetscInt periods;
  PetscErrorCode (*poll)(void *ctx, PetscBool *stop);
  void *poll_ctx;
  Flow  flow; /* borrowed */
  /* owned */
  LyapunovPlan plan;
  FlowState    state;
  FlowTangent  tangent; /* one vector */
  PetscReal   *log_growth, begin;
  PetscBool    alive, set_up;
};

PetscErrorCode LyapunovCreate(MPI_Comm comm, Lyapunov *lyapunov)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(lyapunov));
  (*lyapunov)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LyapunovSetFlow(Lyapunov lyapunov, Flow flow)
{
  PetscFunctionBeginUser;
  lyapunov->flow = flow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LyapunovSetPeriods(Lyapunov lyapunov, PetscInt periods)
{
  PetscFunctionBeginUser;
  lyapunov->periods = periods;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LyapunovSetPoll(Lyapunov lyapunov, PetscErrorCode (*poll)(void *ctx, PetscBool *stop), void *ctx)
{
  PetscFunctionBeginUser;
  lyapunov->poll     = poll;
  lyapunov->poll_ctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LyapunovSetUp - Room for a state, a vector and the logarithms. Lazy and idempotent. */
PetscErrorCode LyapunovSetUp(Lyapunov l)
{
  PetscInt n;

  PetscFunctionBeginUser;
  if (l->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(FlowHasTangent(l->flow), l->comm, PETSC_ERR_PLIB, "this flow does not carry tangent vectors");
  PetscCall(FlowGetSize(l->flow, &n));
  l->plan = LyapunovPlanOf(l->periods);
  PetscCheck(l->plan.batch >= 2, l->comm, PETSC_ERR_PLIB, "%" PetscInt_FMT " periods are too few", l->periods);
  l->state.n = n;
  PetscCall(PetscMalloc3(n, &l->state.x, n, &l->tangent.v, l->plan.measured, &l->log_growth));
  l->tangent.n     = n;
  l->tangent.m     = 1;
  l->tangent.begin = &l->begin;
  l->tangent.alive = &l->alive;
  l->set_up        = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LyapunovDestroy(Lyapunov *lyapunov)
{
  PetscFunctionBeginUser;
  if (!*lyapunov) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*lyapunov)->state.x, (*lyapunov)->tangent.v, (*lyapunov)->log_growth));
  PetscCall(PetscFree(*lyapunov));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* LyapunovPlanOf - A fifth of the periods for the vector to turn, the rest in batches of whole periods; what is left over goes to the
 * fifth. */
LyapunovPlan LyapunovPlanOf(PetscInt periods)
{
  const PetscInt batch = (periods - periods / 5) / LYAPUNOV_BATCHES;

  return (LyapunovPlan){.dropped = periods - batch * LYAPUNOV_BATCHES, .batch = batch, .measured = batch * LYAPUNOV_BATCHES};
}

void LyapunovEstimate(const LyapunovPlan *plan, const PetscReal *log_growth, PetscReal *exponent, PetscReal *error)
{
  PetscReal mean[LYAPUNOV_BATCHES], sum = 0.0;

  *exponent = 0.0;
  for (PetscInt i = 0; i < LYAPUNOV_BATCHES; ++i) {
    mean[i] = 0.0;
    for (PetscInt j = 0; j < plan->batch; ++j) mean[i] += log_growth[i * plan->batch + j] / (PetscReal)plan->batch;
    *exponent += mean[i] / LYAPUNOV_BATCHES;
  }
  for (PetscInt i = 0; i < LYAPUNOV_BATCHES; ++i) sum += PetscSqr(mean[i] - *exponent);
  *error = sqrt(sum / (LYAPUNOV_BATCHES * (LYAPUNOV_BATCHES - 1)));
}

/*
  LyapunovJudge - Growth, decay, neither, or not to be told.

  A vector that grows like the time since it began, as in the shear around an orbit without damping, has no exponent but shows one of
  log((dropped + measured)/dropped)/measured in the mean; what is smaller than that, or than three standard errors, is not told from 0.
*/
LyapunovVerdict LyapunovJudge(const LyapunovPlan *plan, PetscReal exponent, PetscReal error)
{
  const PetscReal power  = log1p((PetscReal)plan->measured / (PetscReal)plan->dropped) / (PetscReal)plan->measured;
  const PetscReal margin = standard_errors * error + power;

  if (exponent > margin) return LYAPUNOV_GROWS;
  if (exponent < -margin) return LYAPUNOV_DECAYS;
  return margin <= neutral ? LYAPUNOV_NEUTRAL : LYAPUNOV_UNDECIDED; /* NaN comes here too, and is not neutral */
}

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

/* The same share of energy in every coordinate, length 1. begin = 0: only a vector that is 0 is forgotten. */
static PetscErrorCode Begin_Private(Lyapunov l, const FlowState *start)
{
  const PetscReal *energy;

  PetscFunctionBeginUser;
  PetscCall(FlowGetEnergyWeights(l->flow, &energy));
  for (PetscInt i = 0; i < l->state.n; ++i) l->tangent.v[i] = 1.0 / (energy[i] * sqrt((PetscReal)l->state.n));
  l->begin = 0.0;
  l->alive = PETSC_TRUE;
  PetscCall(PetscArraycpy(l->state.x, start->x, l->state.n));
  l->state.contact = start->contact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LyapunovMeasure - Exponent and error over the periods asked for, from `start` on, with the flow's present forcing.

  Not collective.
  Output:  result - NaN and undecided if the flow or the poll stopped it, or the vector left the range of numbers (an impact that all
           but grazes, in the restitution model); exponent -infinity if the vector vanished: one step leads from all neighbours to here
           stop - the poll said so
  Cost:    as many periods of the flow, each with one tangent vector
*/
PetscErrorCode LyapunovMeasure(Lyapunov l, const FlowState *start, LyapunovResult *result, PetscBool *stop)
{
  FlowReason reason = FLOW_GOOD;
  PetscReal  norm   = 1.0;
  PetscInt   i;

  PetscFunctionBeginUser;
  PetscCall(LyapunovSetUp(l));
  *result = (LyapunovResult){.exponent = NAN, .error = NAN, .verdict = LYAPUNOV_UNDECIDED};
  *stop   = PETSC_FALSE;
  PetscCall(Begin_Private(l, start));
  PetscCall(FlowSetRecord(l->flow, NULL));
  PetscCall(FlowSetTangent(l->flow, &l->tangent));
  PetscCall(FlowStart(l->flow, &l->state));
  for (i = 0; i < l->periods; ++i) {
    PetscCall(FlowPeriod(l->flow, &l->state, &reason));
    PetscCall(FlowNorm(l->flow, l->tangent.v, &norm));
    if (reason || !(norm > 0.0) || PetscIsInfOrNanReal(norm)) break;
    if (i >= l->plan.dropped) l->log_growth[i - l->plan.dropped] = log(norm);
    for (PetscInt k = 0; k < l->state.n; ++k) l->tangent.v[k] /= norm;
    if (l->poll) PetscCall((*l->poll)(l->poll_ctx, stop));
    if (*stop) break;
  }
  PetscCall(FlowSetTangent(l->flow, NULL));
  if (i == l->periods) {
    LyapunovEstimate(&l->plan, l->log_growth, &result->exponent, &result->error);
    result->verdict = LyapunovJudge(&l->plan, result->exponent, result->error);
  } else if (!reason && norm == 0.0) *result = (LyapunovResult){.exponent = -INFINITY, .error = 0.0, .verdict = LYAPUNOV_DECAYS};
  PetscFunctionReturn(PETSC_SUCCESS);
}
