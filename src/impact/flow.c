/*
  flow.c - the flow object: parameters, life cycle, and what all methods share.   [theory 5, 7, 17]

  Methods know the coordinate y = side u(x_c) alone, which points away from the stop. Here, and nowhere else, it is turned into u and back:
  the record before and after a method writes to it, the tip when it is asked for.
*/
#include "flow_impl.h"

#include <math.h>

#include "graze/waves.h"

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
  flow->side   = params->stop_side == STOP_ABOVE ? -1.0 : 1.0;
  flow->stop   = flow->side * params->stop_position;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No tail at all: of methods that integrate bare modes, or no modes. */
static const Tail no_tail = {.order = 0};

/*
  Weights of the energy norm: w_k x_k, x_k', and for the tail what it stores per unit of compliance. A rigid mode stores nothing by its
  displacement; so that the norm is one, it is given the weight of the first elastic mode.
*/
static PetscErrorCode FlowEnergyWeights_Private(Flow flow)
{
  const PetscInt M = flow->M;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(flow->n, &flow->energy));
  if (flow->ops.weights) {
    PetscCall((*flow->ops.weights)(flow, flow->energy));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < M; ++k) {
    flow->energy[k]     = flow->w[k];
    flow->energy[M + k] = 1.0;
  }
  if (flow->w[0] == 0.0) flow->energy[0] = M > 1 ? flow->w[1] : 1.0;
  if (flow->tail->states >= 1) flow->energy[2 * M] = 1.0 / sqrt(flow->tail->C0);
  if (flow->tail->states >= 2) flow->energy[2 * M + 1] = 1.0 / sqrt(flow->tail->C0 * flow->tail->d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowSetUp - Everything that depends on the beam and not on the forcing. Lazy and idempotent. */
PetscErrorCode FlowSetUp(Flow flow)
{
  const PetscBool waves = WavesMove(&flow->params, flow->type);

  PetscFunctionBeginUser;
  if (flow->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(flow->receptance, flow->comm, PETSC_ERR_PLIB, "a flow needs its receptance");
  PetscCall(ReceptanceGetModes(flow->receptance, &flow->M, &flow->w, NULL, &flow->tip, &flow->D));
  PetscCall(ReceptanceGetDamping(flow->receptance, &flow->damping));
  flow->tail = &no_tail;
  if (flow->type == FLOW_EXACT) PetscCall(FlowCreate_Exact(flow));
  else if (flow->type == FLOW_RESTITUTION) PetscCall(FlowCreate_Restitution(flow));
  else if (waves) PetscCall(FlowCreate_Waves(flow));
  else PetscCall(FlowCreate_Literal(flow));
  if (flow->type != FLOW_RESTITUTION && !waves) PetscCall(ReceptanceGetTail(flow->receptance, &flow->tail, &flow->L_plus, &flow->S));
  flow->n = 2 * flow->M + flow->tail->states;
  PetscCall((*flow->ops.setup)(flow));
  PetscCall(FlowEnergyWeights_Private(flow));
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
  flow->sensitivity.by = FLOW_BY_NOTHING;
  PetscCall((*flow->ops.setforcing)(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowSetRecord(Flow flow, FlowRecord *record)
{
  PetscFunctionBeginUser;
  flow->record = record;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowHasTangent - After FlowSetUp (FlowSetForcing has called it): whether the method carries tangent vectors. */
PetscBool FlowHasTangent(Flow flow)
{
  return flow->ops.tangent;
}

PetscErrorCode FlowSetTangent(Flow flow, FlowTangent *tangent)
{
  PetscFunctionBeginUser;
  PetscCheck(!tangent || FlowHasTangent(flow), flow->comm, PETSC_ERR_PLIB, "this flow does not carry tangent vectors");
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
  PetscCall(SensitivityDestroy_Private(&(*flow)->sensitivity));
  PetscCall(PetscFree((*flow)->energy));
  PetscCall(PetscFree((*flow)->initial));
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
  FlowGetTip - Displacement and velocity of the contact point, positive with u, of a state at a strobe.

  The load may act on the tip itself (share `tail` of the forcing); at a strobe its phase is strobe_phase.   (7.3)
*/
PetscErrorCode FlowGetTip(Flow flow, const FlowState *state, PetscReal *y1, PetscReal *y2)
{
  PetscReal y = flow->stop, slope = 0.0;

  PetscFunctionBeginUser;
  if (!state->contact && flow->ops.gettip) {
    PetscCall((*flow->ops.gettip)(flow, state, &y, &slope));
  } else if (!state->contact) {
    const PetscReal direct = flow->shape ? flow->shape->tail * flow->amplitude : 0.0;
    const PetscReal steady = flow->shape ? flow->shape->tail * flow->params.forcing_mean : 0.0;

    y     = FlowTipDisplacement_Private(flow, state->x);
    slope = FlowTipVelocity_Private(flow, state->x);
    if (flow->tail->states == 0) {
      y += flow->tail->C0 * (direct * cos(flow->params.strobe_phase) + steady);
      slope -= flow->tail->C0 * direct * flow->frequency * sin(flow->params.strobe_phase);
    } else {
      slope += flow->L_plus * (direct * cos(flow->params.strobe_phase) + steady);
    }
  }
  *y1 = flow->side * y;
  *y2 = flow->side * slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  FlowSetInitialModal - The stated initial condition as modal coordinates x_k, x_k', shape [2M], copied.

  What the modes miss of the displacement and velocity that params state at the contact point, methods with a tail give to it.
*/
PetscErrorCode FlowSetInitialModal(Flow flow, const PetscReal *x)
{
  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  if (!flow->initial) PetscCall(PetscMalloc1(2 * flow->M, &flow->initial));
  PetscCall(PetscArraycpy(flow->initial, x, 2 * flow->M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Displacement of the contact point at the start, as stated: all fields of unit size are read there, u = x is x_c of it. */
static PetscReal FlowStated_Private(Flow flow, PetscReal size)
{
  return flow->side * size * (flow->params.initial_shape == INITIAL_LINEAR ? flow->params.contact_position : 1.0);
}

/*
  FlowInitialState - The stated initial condition, in flight. x must have room for n.

  Without FlowSetInitialModal u = displacement psi_j, u_t = velocity psi_j with psi_j = 1 at the contact point: modal coordinate j alone.
  With it, the tail begins with what the modes miss of the stated displacement; its second state with what they miss of the velocity.
*/
PetscErrorCode FlowInitialState(Flow flow, FlowState *state)
{
  const PetscInt M = flow->M, j = flow->params.initial_mode - 1;

  PetscFunctionBeginUser;
  PetscCall(FlowSetUp(flow));
  state->n       = flow->n;
  state->contact = PETSC_FALSE;
  PetscCall(PetscArrayzero(state->x, flow->n));
  if (flow->ops.initialstate) {
    PetscCall((*flow->ops.initialstate)(flow, state->x));
  } else if (flow->initial) {
    PetscCall(PetscArraycpy(state->x, flow->initial, 2 * M));
    if (flow->tail->states && flow->params.initial_shape != INITIAL_MODE) {
      const PetscReal missed = FlowStated_Private(flow, flow->params.initial_displacement) - FlowTipDisplacement_Private(flow, state->x);

      state->x[2 * M] = missed;
      if (flow->tail->states == 2) {
        state->x[2 * M + 1] = flow->tail->b * missed;
        state->x[2 * M + 1] += FlowStated_Private(flow, flow->params.initial_velocity) - FlowTipVelocity_Private(flow, state->x);
      }
    }
  } else {
    PetscCheck(j >= 0 && j < M, flow->comm, PETSC_ERR_PLIB, "initial mode %d of %d", (int)j + 1, (int)M);
    state->x[j]     = flow->side * flow->params.initial_displacement / flow->tip[j];
    state->x[M + j] = flow->side * flow->params.initial_velocity / flow->tip[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- motion: the record is in y while a method writes to it ------------------------------------------------------------ */

/* Between u and y: contacts from number `contact` on, samples from number `sample` on, and the extremes. Its own inverse. */
static void RecordTurn_Private(Flow flow, PetscInt contact, PetscInt sample)
{
  FlowRecord     *r = flow->record;
  const PetscReal highest = r->max_displacement;

  r->max_displacement = -r->min_displacement;
  r->min_displacement = -highest;
  r->current.velocity = 0.0 - r->current.velocity; /* so that 0 stays +0 */
  for (PetscInt i = contact; i < PetscMin(r->count, r->capacity); ++i) r->contact[i].velocity = 0.0 - r->contact[i].velocity;
  for (PetscInt i = sample; i < r->next_sample; ++i) {
    r->sample_y1[i] = 0.0 - r->sample_y1[i];
    r->sample_y2[i] = 0.0 - r->sample_y2[i];
  }
}

/* Where a method begins to write: the contact under way is still open to it. */
typedef struct {
  PetscBool turned;
  PetscInt  contact, sample;
} RecordMark;

static RecordMark RecordEnter_Private(Flow flow)
{
  const FlowRecord *r = flow->record;
  RecordMark        mark = {.turned = (PetscBool)(r && flow->side < 0.0)};

  if (!mark.turned) return mark;
  mark.contact = PetscMax(r->open ? r->count - 1 : r->count, 0);
  mark.sample  = r->next_sample;
  RecordTurn_Private(flow, mark.contact, mark.sample);
  return mark;
}

static void RecordLeave_Private(Flow flow, RecordMark mark)
{
  if (mark.turned) RecordTurn_Private(flow, mark.contact, mark.sample);
}

PetscErrorCode FlowStart(Flow flow, const FlowState *state)
{
  RecordMark mark;

  PetscFunctionBeginUser;
  PetscCheck(flow->shape && state->n == flow->n, flow->comm, PETSC_ERR_PLIB,
             "a flow starts from a state of its own size, with its forcing set");
  flow->periods_done = 0;
  mark               = RecordEnter_Private(flow);
  PetscCall((*flow->ops.start)(flow, state));
  RecordLeave_Private(flow, mark);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  FlowPeriod - Advance by one forcing period, strobe to strobe, through every contact between.

  Not collective.
  Output: state - at the next strobe, x of shape [n]; reason - FLOW_GOOD, or why the period could not be finished (the state is then void)
*/
PetscErrorCode FlowPeriod(Flow flow, FlowState *state, FlowReason *reason)
{
  RecordMark mark;

  PetscFunctionBeginUser;
  mark = RecordEnter_Private(flow);
  PetscCall((*flow->ops.period)(flow, state, reason));
  RecordLeave_Private(flow, mark);
  ++flow->periods_done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowFinishContact - The method carries on until the open contact ends; all but that contact's duration and impulse stays as recorded. */
PetscErrorCode FlowFinishContact(Flow flow, FlowReason *reason)
{
  FlowRecord *r = flow->record;
  FlowRecord  before;
  RecordMark  mark;

  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  if (!r || !r->open || r->current.period < 0) PetscFunctionReturn(PETSC_SUCCESS);
  before = *r;
  mark   = RecordEnter_Private(flow);
  PetscCall((*flow->ops.finishcontact)(flow, reason));
  RecordLeave_Private(flow, mark);
  r->max_displacement = before.max_displacement;
  r->min_displacement = before.min_displacement;
  r->min_gap          = before.min_gap;
  r->min_force        = before.min_force;
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
  record->min_force        = NAN;
  record->peak_force       = 0.0;
  record->time_in_contact  = 0.0;
  record->next_sample      = 0;
  record->impacts          = 0;
  record->sticks           = 0;
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

void FlowRecordOlder_Private(FlowRecord *record)
{
  if (!record || record->open) return;
  record->open    = PETSC_TRUE;
  record->current = (Contact){.period = -1};
}

/* A column below this fraction of its start, in energy norm, no longer changes any sum it enters: half of double's 1e-16, squared off. */
static const PetscReal forgotten = 1e-18;

void FlowTangentForget_Private(Flow flow)
{
  FlowTangent *tangent = flow->tangent;

  for (PetscInt j = 0; j < tangent->m; ++j) {
    PetscReal *v = tangent->v + (size_t)j * (size_t)flow->n, sum = 0.0;

    if (!tangent->alive[j]) continue;
    for (PetscInt i = 0; i < flow->n; ++i) sum += flow->energy[i] * flow->energy[i] * v[i] * v[i];
    if (sqrt(sum) > forgotten * tangent->begin[j] || sum != sum) continue; /* what is not a number has not decayed */
    tangent->alive[j] = PETSC_FALSE;
    for (PetscInt i = 0; i < flow->n; ++i) v[i] = 0.0;
  }
}
