/*
  problem.c - the stroboscopic map of one mode cut, and its derivatives by state and parameter.   [theory 18.1]

  The derivative by amplitude, frequency and stop position is exact, carried by the flow beside the tangent vectors. Damping changes the
  receptance itself, poles, zeros and tail: there it is a central difference of three flows.
*/
#include "problem.h"

#include <math.h>

/* Step of the damping ratio in its difference, relative, and as of a ratio no smaller than that: round-off is 1e-13 over it. */
static const PetscReal damping_step = 1e-5, damping_least = 0.1;

PetscErrorCode ProblemCreate(MPI_Comm comm, const Params *params, PetscInt modes, Problem *p, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(p, sizeof *p));
  p->params    = *params;
  p->parameter = params->continue_parameter;
  p->damping   = params->damping_ratio;
  PetscCall(ModelCreate(comm, &p->model));
  PetscCall(ModelSetParams(p->model, params));
  PetscCall(ModelSetModes(p->model, modes));
  PetscCall(ModelSetUp(p->model, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ModelCreateFlow(p->model, params->flow, &p->flow));
  PetscCall(ModelGetKept(p->model, &p->M, NULL));
  PetscCall(FlowGetSize(p->flow, &p->n));
  PetscCall(FlowGetEnergyWeights(p->flow, &p->energy));
  PetscCall(PetscMalloc5(p->n, &p->tangent.begin, p->n, &p->tangent.alive, p->n, &p->state.x, p->n, &p->ahead, p->n, &p->behind));
  p->tangent.n = p->tangent.m = p->n;
  p->now[0] = p->now[1] = p->now[2] = p->section_now = NAN;
  p->now[3]                                          = params->damping_ratio;
  p->fits                                            = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree5(p->tangent.begin, p->tangent.alive, p->state.x, p->ahead, p->behind));
  PetscCall(FlowDestroy(&p->flow));
  PetscCall(ModelDestroy(&p->model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ProblemSetConstants(Problem *p, const BranchStart *start)
{
  p->amplitude = start->amplitude;
  p->frequency = start->frequency;
  p->stop      = start->stop;
  p->damping   = start->damping;
}

PetscReal ProblemPeriod(const Problem *p, PetscReal lambda)
{
  return 2.0 * PETSC_PI / (p->parameter == CONTINUE_FREQUENCY ? lambda : p->frequency);
}

/* A flow of the model with another damping ratio. */
static PetscErrorCode Damping_Private(Problem *p, PetscReal damping)
{
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(FlowDestroy(&p->flow));
  PetscCall(ModelSetDamping(p->model, damping));
  PetscCall(ModelCreateFlow(p->model, p->params.flow, &p->flow));
  PetscCall(FlowGetEnergyWeights(p->flow, &p->energy));
  PetscCall(FlowGetSize(p->flow, &n));
  p->fits   = (PetscBool)(n == p->n);
  p->now[3] = damping;
  p->now[0] = NAN; /* the forcing is to be set again */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemSet(Problem *p, PetscReal lambda)
{
  PetscReal           want[4] = {p->amplitude, p->frequency, p->stop, p->damping};
  const ForcingShape *load;
  Params              params = p->params;

  PetscFunctionBeginUser;
  want[p->parameter] = lambda; /* the enum has their order */
  if (want[3] != p->now[3]) PetscCall(Damping_Private(p, want[3]));
  if (want[0] == p->now[0] && want[1] == p->now[1] && want[2] == p->now[2] && p->section == p->section_now)
    PetscFunctionReturn(PETSC_SUCCESS);
  params.damping_ratio = want[3];
  params.stop_position = want[2];
  params.strobe_phase += 2.0 * PETSC_PI * p->section;
  PetscCall(ModelGetLoad(p->model, &load));
  PetscCall(FlowSetParams(p->flow, &params));
  PetscCall(FlowSetForcing(p->flow, load, want[0], want[1]));
  PetscCall(PetscArraycpy(p->now, want, 3));
  p->section_now = p->section;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton may try what no structure has: a forcing period that is not positive, a damping ratio outside of [0,1). */
static PetscBool Exists_Private(const Problem *p, PetscReal lambda)
{
  if (p->parameter == CONTINUE_DAMPING) return (PetscBool)(lambda >= 0.0 && lambda < 1.0);
  return (PetscBool)(p->parameter != CONTINUE_FREQUENCY || lambda > 0.0);
}

static PetscErrorCode Run_Private(Problem *p, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscReal *y, FlowReason *reason)
{
  PetscFunctionBeginUser;
  PetscCall(ProblemSet(p, lambda));
  *reason = p->fits ? FLOW_GOOD : FLOW_LOST;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(p->state.x, x, p->n));
  p->state.n       = p->n;
  p->state.contact = PETSC_FALSE;
  PetscCall(FlowStart(p->flow, &p->state));
  for (PetscInt i = 0; i < periods && !*reason; ++i) PetscCall(FlowPeriod(p->flow, &p->state, reason));
  /* the section lies in flight: an orbit that is in contact there is another one, or the section is to be moved before */
  if (!*reason && p->state.contact) *reason = FLOW_LOST;
  if (!*reason) PetscCall(PetscArraycpy(y, p->state.x, p->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g by the damping ratio: the flows on both sides, then that of lambda again. */
static PetscErrorCode ByDamping_Private(Problem *p, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscReal *g,
                                        FlowReason *reason)
{
  const PetscReal h = damping_step * PetscMax(lambda, damping_least), high = PetscMin(lambda + h, 0.5 * (lambda + 1.0)),
                  low = PetscMax(lambda - h, 0.0);

  PetscFunctionBeginUser;
  PetscCall(Run_Private(p, high, periods, x, p->ahead, reason));
  if (!*reason) PetscCall(Run_Private(p, low, periods, x, p->behind, reason));
  for (PetscInt i = 0; i < p->n && !*reason; ++i) g[i] = (p->ahead[i] - p->behind[i]) / (high - low);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemMap(Problem *p, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscReal *y, PetscReal *J, PetscReal *g,
                          FlowReason *reason)
{
  PetscFunctionBeginUser;
  *reason = Exists_Private(p, lambda) ? FLOW_GOOD : FLOW_LOST;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (J && p->parameter == CONTINUE_DAMPING) PetscCall(ByDamping_Private(p, lambda, periods, x, g, reason));
  PetscCall(ProblemSet(p, lambda));
  if (!p->fits) *reason = FLOW_LOST;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (J) {
    p->tangent.v  = J;
    p->tangent.by = FLOW_BY_NOTHING;
    PetscCall(FlowTangentIdentity(p->flow, &p->tangent));
    if (p->parameter != CONTINUE_DAMPING) {
      p->tangent.by = p->parameter == CONTINUE_AMPLITUDE   ? FLOW_BY_AMPLITUDE
                      : p->parameter == CONTINUE_FREQUENCY ? FLOW_BY_FREQUENCY
                                                           : FLOW_BY_STOP;
      p->tangent.s  = g;
      PetscCall(PetscArrayzero(g, p->n));
    }
    PetscCall(FlowSetTangent(p->flow, &p->tangent));
  }
  PetscCall(Run_Private(p, lambda, periods, x, y, reason));
  PetscCall(FlowSetTangent(p->flow, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemRecord(Problem *p, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscBool contact, FlowRecord *record,
                             FlowReason *reason)
{
  PetscFunctionBeginUser;
  *reason = Exists_Private(p, lambda) ? FLOW_GOOD : FLOW_LOST;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProblemSet(p, lambda));
  PetscCall(PetscArraycpy(p->state.x, x, p->n));
  p->state.n       = p->n;
  p->state.contact = contact;
  *reason          = p->fits ? FLOW_GOOD : FLOW_LOST;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FlowRecordReset(record));
  PetscCall(FlowSetRecord(p->flow, record));
  PetscCall(FlowStart(p->flow, &p->state));
  for (PetscInt i = 0; i < periods && !*reason; ++i) PetscCall(FlowPeriod(p->flow, &p->state, reason));
  PetscCall(FlowSetRecord(p->flow, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
