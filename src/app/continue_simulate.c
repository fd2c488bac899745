/*
  continue_simulate.c - an orbit to start from that is simulated: settle, sample and decide as a sweep does in a cell.   [theory 8]
*/
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "continue.h"
#include "graze/interrupt.h"
#include "graze/log.h"
#include "graze/strobe.h"

typedef struct {
  double    limit;
  unsigned  bits;
  PetscBool late;
} Watch;

static PetscErrorCode Poll_Private(void *ctx, PetscBool *stop)
{
  Watch          *watch = (Watch *)ctx;
  struct timespec now;

  PetscFunctionBeginUser;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  watch->bits |= InterruptTake();
  watch->late = (PetscBool)((double)now.tv_sec + 1e-9 * (double)now.tv_nsec >= watch->limit);
  *stop       = (PetscBool)((watch->bits & INTERRUPT_STOP) || watch->late);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Settled_Private(const Params *p, const Watch *watch, const Steady *steady, const FlowState *state,
                                      ContinueStarts *starts, Complaint *complaint)
{
  BranchStart *start;

  PetscFunctionBeginUser;
  if (steady->status == STATUS_PENDING)
    ComplaintSet(complaint, EXIT_COME_BACK, "stopped by %s while the orbit to start from was simulated: the same command begins anew",
                 watch->late ? "the time limit" : "a signal");
  else if (steady->status != STATUS_PERIODIC && steady->status != STATUS_CONTACT_FREE)
    ComplaintSet(
      complaint, EXIT_OPTIONS,
      "the simulation at -forcing_amplitude and -forcing_frequency (A = %.6g, W = %.6g) ends %s: there is no orbit to start from; "
      "allowed: other values, more -max_periods, or -start_from a cell that is periodic",
      (double)p->forcing_amplitude, (double)p->forcing_frequency, SteadyStatusNames[steady->status]);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ContinueStartsAdd(starts, state->n, state->x, steady->period, steady->displacement, steady->velocity, &start));
  start->origin    = ORIGIN_SIMULATION;
  start->amplitude = p->forcing_amplitude;
  start->frequency = p->forcing_frequency;
  start->stop      = p->stop_position;
  start->damping   = p->damping_ratio;
  start->contact   = state->contact;
  PetscCall(LogLine("start          period %d after %d forcing periods at A = %.10g, W = %.10g%s", (int)steady->period,
                    (int)steady->periods_used, (double)p->forcing_amplitude, (double)p->forcing_frequency,
                    steady->status == STATUS_CONTACT_FREE ? ", without contact" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueStartsSimulate(Continuation continuation, const Params *params, double limit, ContinueStarts *starts,
                                      Complaint *complaint)
{
  Watch               watch = {.limit = limit};
  Params             *sweep;
  Model               model;
  Flow                flow;
  Strobe              strobe;
  Steady              steady;
  FlowState           state = {0};
  const ForcingShape *load;

  PetscFunctionBeginUser;
  *starts = (ContinueStarts){.n = 0};
  PetscCall(PetscNew(&sweep));
  *sweep                  = *params;
  sweep->lyapunov_periods = 0; /* a motion without a period is of no use here */
  PetscCall(ContinuationGetModel(continuation, &model));
  PetscCall(ModelGetLoad(model, &load));
  PetscCall(ModelCreateFlow(model, params->flow, &flow));
  PetscCall(FlowSetForcing(flow, load, params->forcing_amplitude, params->forcing_frequency));
  PetscCall(StrobeCreate(PETSC_COMM_SELF, &strobe));
  PetscCall(StrobeSetParams(strobe, sweep));
  PetscCall(StrobeSetFlow(strobe, flow));
  PetscCall(StrobeSetPoll(strobe, Poll_Private, &watch));
  PetscCall(StrobeSetUp(strobe));
  PetscCall(SteadyCreate(sweep, &steady));
  PetscCall(FlowGetSize(flow, &state.n));
  PetscCall(PetscMalloc1(state.n, &state.x));
  PetscCall(FlowInitialState(flow, &state));
  PetscCall(StrobeSolve(strobe, &state, &steady));
  PetscCall(Settled_Private(params, &watch, &steady, &state, starts, complaint));
  PetscCall(PetscFree(state.x));
  PetscCall(SteadyDestroy(&steady));
  PetscCall(StrobeDestroy(&strobe));
  PetscCall(FlowDestroy(&flow));
  PetscCall(PetscFree(sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}
