/*
  flow.c - the flow object: parameters, life cycle, and what all methods share.   [theory 5, 7]
*/
#include "flow_impl.h"

#include <math.h>

const char *const FlowReasons[] = {"good", "event_limit", "resonance", "lost"};

/* FlowCreate - Collective on comm (PETSC_COMM_SELF in this program). The exact flow unless FlowSetType says otherwise. */
PetscErrorCode FlowCreate(MPI_Comm comm, Flow *flow)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(flow));
  (*flow)->comm = comm;
  (*flow)->type = FLOW_EXACT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetType(Flow flow, FlowType type)
{
  PetscFunctionBeginUser;
  PetscCheck(!flow->set_up, flow->comm, PETSC_ERR_PLIB, "the type of a flow is chosen before its set-up");
  flow->type = type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetReceptance(Flow flow, Receptance receptance)
{
  PetscFunctionBeginUser;
  PetscCheck(!flow->set_up, flow->comm, PETSC_ERR_PLIB, "the receptance of a flow is given before its set-up");
  flow->receptance = receptance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetParams(Flow flow, const Params *params)
{
  PetscFunctionBeginUser;
  flow->params = *params;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weights of the energy norm: w_k x_k, x_k', and for the tail what it stores per unit of compliance. */
static PetscErrorCode FlowEnergyWeights_Private(Flow flow)
{
  const PetscInt M = flow->M;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(flow->n, &flow->energy));
  for (PetscInt k = 0; k < M; ++k) {
    flow->energy[k]     = flow->w[k];
    flow->energy[M + k] = 1.0;
  }
  if (flow->tail->states >= 1) flow->energy[2 * M] = 1.0 / sqrt(flow->tail->C0);
  if (flow->tail->states >= 2) flow->energy[2 * M + 1] = 1.0 / sqrt(flow->tail->C0 * flow->tail->d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowSetUp - Everything that depends on the beam and not on the forcing. Lazy and idempotent. */
PetscErrorCode FlowSetUp(Flow flow)
{
  PetscFunctionBeginUser;
  if (flow->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(flow->receptance, flow->comm, PETSC_ERR_PLIB, "a flow needs its receptance");
  PetscCall(ReceptanceSetUp(flow->receptance));
  PetscCall(ReceptanceGetModes(flow->receptance, &flow->M, &flow->w, NULL, &flow->tip, &flow->D));
  PetscCall(ReceptanceGetTail(flow->receptance, &flow->tail, &flow->L_plus, &flow->S));
  flow->n = 2 * flow->M + flow->tail->states;
  PetscCall(FlowEnergyWeights_Private(flow));
  if (flow->type == FLOW_EXACT) PetscCall(FlowCreate_Exact(flow));
  else PetscCall(FlowCreate_Literal(flow));
  PetscCall((*flow->ops.setup)(flow));
  flow->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowSetForcing - Amplitude and frequency of this cell; shape is borrowed until the next call. Cost O(M). */
PetscErrorCode FlowSetForcing(Flow flow, const ForcingShape *shape, PetscReal amplitude, PetscReal frequency)
{
  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  PetscCheck(shape->M == flow->M, flow->comm, PETSC_ERR_PLIB, "load projected on %d modes, flow has %d", (int)shape->M, (int)flow->M);
  flow->shape     = shape;
  flow->amplitude = amplitude;
  flow->frequency = frequency;
  flow->period    = 2.0 * PETSC_PI / frequency;
  PetscCall((*flow->ops.setforcing)(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetRecord(Flow flow, FlowRecord *record)
{
  PetscFunctionBeginUser;
  flow->record = record;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetTangent(Flow flow, FlowTangent *tangent)
{
  PetscFunctionBeginUser;
  PetscCheck(!tangent || flow->type == FLOW_EXACT, flow->comm, PETSC_ERR_PLIB, "only the exact flow carries tangent vectors");
  flow->tangent = tangent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowTangentIdentity(Flow flow, FlowTangent *tangent)
{
  PetscFunctionBeginUser;
  PetscCheck(tangent->m == flow->n && tangent->n == flow->n, flow->comm, PETSC_ERR_PLIB, "tangent of the wrong shape");
  PetscCall(PetscArrayzero(tangent->v, (size_t)flow->n * (size_t)flow->n));
  for (PetscInt i = 0; i < flow->n; ++i) {
    tangent->v[(size_t)i * (size_t)flow->n + (size_t)i] = 1.0;
    tangent->begin[i]                                   = flow->energy[i];
    tangent->alive[i]                                   = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowDestroy(Flow *flow)
{
  PetscFunctionBeginUser;
  if (!*flow) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*flow)->ops.destroy) PetscCall((*(*flow)->ops.destroy)(*flow));
  PetscCall(PetscFree((*flow)->energy));
  PetscCall(PetscFree(*flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowGetSize(Flow flow, PetscInt *n)
{
  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  *n = flow->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowGetEnergyWeights(Flow flow, const PetscReal **weights)
{
  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  *weights = flow->energy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowNorm(Flow flow, const PetscReal *x, PetscReal *norm)
{
  PetscReal sum = 0.0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < flow->n; ++i) sum += PetscSqr(flow->energy[i] * x[i]);
  *norm = sqrt(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal FlowTipDisplacement_Private(Flow flow, const PetscReal *x)
{
  PetscReal y = 0.0;

  for (PetscInt k = flow->M - 1; k >= 0; --k) y += flow->tip[k] * x[k];
  return flow->tail->states ? y + x[2 * flow->M] : y;
}

PetscReal FlowTipVelocity_Private(Flow flow, const PetscReal *x)
{
  const PetscInt M = flow->M;
  PetscReal      v = 0.0;

  for (PetscInt k = M - 1; k >= 0; --k) v += flow->tip[k] * x[M + k];
  if (flow->tail->states == 1) v -= flow->L_plus / flow->tail->C0 * x[2 * M];
  if (flow->tail->states == 2) v += x[2 * M + 1] - flow->tail->b * x[2 * M];
  return v;
}

/*
  FlowGetTip - Tip displacement and velocity of a state at a strobe.

  The load may act on the tip itself (share `tail` of the forcing); at a strobe its phase is strobe_phase.   (7.3)
*/
PetscErrorCode FlowGetTip(Flow flow, const FlowState *state, PetscReal *y1, PetscReal *y2)
{
  const PetscReal direct = flow->shape ? flow->shape->tail * flow->amplitude : 0.0;

  PetscFunctionBeginUser;
  if (state->contact) {
    *y1 = flow->params.stop_position;
    *y2 = 0.0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *y1 = FlowTipDisplacement_Private(flow, state->x);
  *y2 = FlowTipVelocity_Private(flow, state->x);
  if (flow->tail->states == 0) {
    *y1 += flow->tail->C0 * direct * cos(flow->params.strobe_phase);
    *y2 -= flow->tail->C0 * direct * flow->frequency * sin(flow->params.strobe_phase);
  } else {
    *y2 += flow->L_plus * direct * cos(flow->params.strobe_phase);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowInitialState - u = displacement psi_j, u_t = velocity psi_j with psi_j(1) = 1: modal coordinate j alone. x must have room for n. */
PetscErrorCode FlowInitialState(Flow flow, FlowState *state)
{
  const PetscInt j = flow->params.initial_mode - 1;

  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  PetscCheck(j >= 0 && j < flow->M, flow->comm, PETSC_ERR_PLIB, "initial mode %d of %d", (int)j + 1, (int)flow->M);
  PetscCall(PetscArrayzero(state->x, flow->n));
  state->n              = flow->n;
  state->contact        = PETSC_FALSE;
  state->x[j]           = flow->params.initial_displacement / flow->tip[j];
  state->x[flow->M + j] = flow->params.initial_velocity / flow->tip[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowStart(Flow flow, const FlowState *state)
{
  PetscFunctionBeginUser;
  PetscCheck(flow->shape && state->n == flow->n, flow->comm, PETSC_ERR_PLIB, "a flow starts from a state of its own size, with its forcing set");
  flow->periods_done = 0;
  PetscCall((*flow->ops.start)(flow, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  FlowPeriod - Advance by one forcing period, strobe to strobe, through every contact between.

  Not collective.
  Output: state - at the next strobe, x of shape [n]; reason - FLOW_GOOD, or why the period could not be finished (the state is then void)
*/
PetscErrorCode FlowPeriod(Flow flow, FlowState *state, FlowReason *reason)
{
  PetscFunctionBeginUser;
  PetscCall((*flow->ops.period)(flow, state, reason));
  ++flow->periods_done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowFinishContact - The method carries on until the open contact ends; all but that contact's duration and impulse stays as recorded. */
PetscErrorCode FlowFinishContact(Flow flow, FlowReason *reason)
{
  FlowRecord *r = flow->record;
  FlowRecord  before;

  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  if (!r || !r->open || r->current.period < 0) PetscFunctionReturn(PETSC_SUCCESS);
  before = *r;
  PetscCall((*flow->ops.finishcontact)(flow, reason));
  r->max_displacement = before.max_displacement;
  r->min_displacement = before.min_displacement;
  r->min_gap          = before.min_gap;
  r->peak_force       = before.peak_force;
  r->time_in_contact  = before.time_in_contact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowGetLooks(Flow flow, PetscInt64 *looks, PetscInt64 *modes_visited)
{
  PetscFunctionBeginUser;
  *looks         = flow->looks;
  *modes_visited = flow->modes_visited;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowRecordReset(FlowRecord *record)
{
  PetscFunctionBeginUser;
  record->count            = 0;
  record->open             = PETSC_FALSE;
  record->current          = (Contact){.period = -1};
  record->max_displacement = -PETSC_MAX_REAL;
  record->min_displacement = PETSC_MAX_REAL;
  record->min_gap          = NAN;
  record->peak_force       = 0.0;
  record->time_in_contact  = 0.0;
  record->next_sample      = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FlowRecordOnset_Private(FlowRecord *record, const Contact *contact)
{
  if (!record) return;
  record->current          = *contact;
  record->current.duration = NAN;
  record->current.impulse  = NAN;
  record->open             = PETSC_TRUE;
  if (record->count < record->capacity) record->contact[record->count] = record->current;
  ++record->count;
}

void FlowRecordRelease_Private(FlowRecord *record, PetscReal duration, PetscReal impulse)
{
  if (!record) return;
  record->open = PETSC_FALSE;
  if (record->current.period < 0) return; /* it began before the record did */
  record->current.duration = duration;
  record->current.impulse  = impulse;
  if (record->count <= record->capacity) record->contact[record->count - 1] = record->current;
}
