/*
  flow_exact.c - the exact flow: closed forms between events, no time step, no impact missed.   [theory 7]

  Free flight is a sum over the poles of the tip receptance H, contact a sum over its zeros. A phase begins by expanding the state
  in them (after the forced motion is taken off), is searched for its end (exponents.c), and ends by putting the state together again.

  A constant load moves the state of rest, and by superposition nothing else: phases see deviations from it and the stop from there. [theory
  17]

  Invariants: in contact c_y x = y_s (orders 1, 2); time t counts from the strobe and never exceeds one period; nothing is allocated
  and no PETSc object is touched after FlowSetForcing.
  Per contact O(M^2), per look at the gap or the force O(M).
*/
#include "flow_exact.h"
#include "watch.h"

#include <math.h>

/* ---- what depends on the forcing ---------------------------------------------------------------------------------- */

/* Forced motion of the whole state under modal load p A, tail load, and tip force f, all times e^{iWt}.   (7.2), (7.6) */
static void ForcedState_Private(Flow flow, double complex force, double complex *xp)
{
  const PetscInt       M     = flow->M;
  const double complex s     = I * flow->frequency;
  const double complex drive = flow->shape->tail * flow->amplitude + force;
  double complex       T;

  for (PetscInt k = 0; k < M; ++k) {
    xp[k] =
      (flow->shape->modal[k] * flow->amplitude + flow->tip[k] * force) / (s * s + 2.0 * flow->D * flow->w[k] * s + flow->w[k] * flow->w[k]);
    xp[M + k] = s * xp[k];
  }
  if (flow->tail->states == 0) return;
  (void)ReceptanceEvaluateTail(flow->receptance, s, &T, NULL);
  xp[2 * M] = drive * T;
  if (flow->tail->states == 2) xp[2 * M + 1] = (s + flow->tail->b) * xp[2 * M] - flow->L_plus * drive;
}

/* Where the constant load F0 would leave the structure without a stop.   [theory 17] */
static void Rest_Private(Flow flow)
{
  Exact          *x    = flow->data;
  const PetscInt  M    = flow->M;
  const PetscReal load = flow->params.forcing_mean, drive = flow->shape->tail * load;
  const Tail     *tail = flow->tail;
  PetscReal       y    = tail->C0 * drive;

  for (PetscInt k = M - 1; k >= 0; --k) {
    x->rest[k]     = flow->shape->modal[k] * load / (flow->w[k] * flow->w[k]);
    x->rest[M + k] = 0.0;
    y += flow->tip[k] * x->rest[k];
  }
  if (tail->states > 0) x->rest[2 * M] = tail->C0 * drive;
  if (tail->states > 1) x->rest[2 * M + 1] = (tail->b * tail->C0 - flow->L_plus) * drive;
  x->stop   = flow->stop - y;
  x->loaded = (PetscBool)(load != 0.0);
}

/* Forced motion of both phases; a resonance of an undamped beam has none.   (7.2), (7.6) */
static PetscErrorCode FlowSetForcing_Exact(Flow flow)
{
  Exact               *x = flow->data;
  const double complex s = I * flow->frequency;
  double complex       H, T, load = 0.0;

  PetscFunctionBeginUser;
  Rest_Private(flow);
  x->resonance = PETSC_FALSE;
  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    const double complex den = s * s + 2.0 * flow->D * flow->w[k] * s + flow->w[k] * flow->w[k];

    /* 1e-12: the forced amplitude would drown every digit of the free motion */
    if (cabs(den) < 1e-12 * flow->w[k] * flow->w[k]) x->resonance = PETSC_TRUE;
    load += flow->tip[k] * flow->shape->modal[k] / den;
  }
  PetscCall(ReceptanceEvaluate(flow->receptance, s, &H, NULL));
  PetscCall(ReceptanceEvaluateTail(flow->receptance, s, &T, NULL));
  load += flow->shape->tail * T;
  if (cabs(H) < 1e-12 * flow->S) x->resonance = PETSC_TRUE;
  if (x->resonance) PetscFunctionReturn(PETSC_SUCCESS);
  x->free_Y  = flow->amplitude * load;
  x->hold_Y  = -flow->amplitude * load / H;
  ForcedState_Private(flow, 0.0, x->free_forced);
  ForcedState_Private(flow, x->hold_Y, x->hold_forced);
  for (PetscInt i = 0; i < flow->n; ++i) x->work[i] = creal(x->free_forced[i] - x->hold_forced[i]);
  ContactProject_Private(x, flow->n, x->work, x->turn_re);
  for (PetscInt i = 0; i < flow->n; ++i) x->work[i] = cimag(x->free_forced[i] - x->hold_forced[i]);
  ContactProject_Private(x, flow->n, x->work, x->turn_im);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- phases ------------------------------------------------------------------------------------------------------- */

/* Deviation of the state from rest and forced motion at time t. */
static void Deviation_Private(const Flow flow, const double complex *forced, PetscReal t, PetscReal *dev)
{
  const Exact    *x     = flow->data;
  const PetscReal angle = flow->frequency * t + flow->params.strobe_phase, c = cos(angle), d = sin(angle);

  for (PetscInt i = 0; i < flow->n; ++i) dev[i] = x->state[i] - (creal(forced[i]) * c - cimag(forced[i]) * d);
  if (x->loaded)
    for (PetscInt i = 0; i < flow->n; ++i) dev[i] -= x->rest[i];
}

/* Expand the state in the poles; the signal is the gap y1 - y_s.   (7.3) */
static void BeginFree_Private(Flow flow, Look *look)
{
  Exact         *x   = flow->data;
  const PetscInt M   = flow->M;
  Signal        *s   = &x->free;
  PetscReal     *dev = x->work;

  Deviation_Private(flow, x->free_forced, x->t, dev);
  for (PetscInt k = 0; k < M; ++k) {
    x->amp_re[k] = dev[k];
    x->amp_im[k] = -(dev[M + k] + flow->D * flow->w[k] * dev[k]) * x->inverse_wd[k];
    s->a_re[k]   = flow->tip[k] * x->amp_re[k];
    s->a_im[k]   = flow->tip[k] * x->amp_im[k];
  }
  if (flow->tail->states > 0) TailExpand_Private(flow, dev + 2 * M, x->amp_re + M, x->amp_im + M);
  for (PetscInt j = M; j < x->free_exponents.n; ++j) {
    s->a_re[j] = x->amp_re[j];
    s->a_im[j] = x->amp_im[j];
  }
  s->Y        = x->free_Y;
  s->W        = flow->frequency;
  s->angle    = flow->frequency * x->t + flow->params.strobe_phase;
  s->constant = -x->stop;
  SignalBegin(s, look);
}

/* Free motion `tau` after the flight began, from the e^{lambda tau} of SignalEvaluate; exact zeros where it has decayed.   (7.3) */
static void FreeMotion_Private(Flow flow, PetscReal *motion)
{
  const Exact   *x     = flow->data;
  const Signal  *s     = &x->free;
  const PetscInt M     = flow->M;
  const PetscInt alive = PetscMin(s->e_active, M);

  for (PetscInt k = 0; k < alive; ++k) {
    const PetscReal re = x->amp_re[k] * s->e_re[k] - x->amp_im[k] * s->e_im[k], im = x->amp_re[k] * s->e_im[k] + x->amp_im[k] * s->e_re[k];

    motion[k]     = re;
    motion[M + k] = x->free_exponents.re[k] * re - x->free_exponents.im[k] * im;
  }
  for (PetscInt k = alive; k < M; ++k) motion[k] = motion[M + k] = 0.0;
  if (flow->tail->states > 0) TailCompose_Private(flow, x->amp_re + M, x->amp_im + M, s->e_re + M, s->e_im + M, motion + 2 * M);
}

/*
  Expand the state in the zeros; the signal is the force.   (7.5)
  Right after a flight few modes are still alive: only their columns are multiplied, and the forced motion was projected once per cell.
*/
static void BeginContact_Private(Flow flow, Look *look)
{
  Exact         *x  = flow->data;
  Signal        *s  = &x->hold;
  const PetscInt nz = x->hold_exponents.n;

  if (x->from_flight) {
    const PetscReal angle = flow->frequency * x->t + flow->params.strobe_phase, c = cos(angle), d = sin(angle);

    FreeMotion_Private(flow, x->work);
    ContactProject_Private(x, flow->n, x->work, x->pair);
    for (PetscInt j = 0; j < 2 * nz; ++j) x->pair[j] += x->turn_re[j] * c - x->turn_im[j] * d;
  } else {
    Deviation_Private(flow, x->hold_forced, x->t, x->work);
    ContactProject_Private(x, flow->n, x->work, x->pair);
  }
  x->from_flight = PETSC_FALSE;
  for (PetscInt j = 0; j < nz; ++j) {
    s->a_re[j] = x->pair[j] + x->stop * x->press[j];
    s->a_im[j] = x->pair[nz + j] + x->stop * x->press[nz + j];
  }
  s->Y        = x->hold_Y;
  s->W        = flow->frequency;
  s->angle    = flow->frequency * x->t + flow->params.strobe_phase;
  s->constant = x->stop / flow->S;
  SignalBegin(s, look);
}

static void AddRest_Private(const Flow flow, PetscReal *state)
{
  const Exact *x = flow->data;

  if (x->loaded)
    for (PetscInt i = 0; i < flow->n; ++i) state[i] += x->rest[i];
}

/* State at `tau` after the phase began: free motion, forced motion and rest. */
static void StateFree_Private(Flow flow, PetscReal tau, PetscReal *state)
{
  const Exact    *x     = flow->data;
  const PetscReal angle = x->free.angle + flow->frequency * tau, c = cos(angle), d = sin(angle);

  FreeMotion_Private(flow, state);
  for (PetscInt i = 0; i < flow->n; ++i) state[i] += creal(x->free_forced[i]) * c - cimag(x->free_forced[i]) * d;
  AddRest_Private(flow, state);
}

/* The same in contact.   (7.7) */
static void StateContact_Private(Flow flow, PetscReal tau, PetscReal *state)
{
  const Exact    *x     = flow->data;
  const Signal   *s     = &x->hold;
  const PetscInt  nz    = x->hold_exponents.n;
  const PetscReal angle = s->angle + flow->frequency * tau, c = cos(angle), d = sin(angle);

  for (PetscInt j = 0; j < nz; ++j) {
    x->pair[j]      = s->a_re[j] * s->e_re[j] - s->a_im[j] * s->e_im[j];
    x->pair[nz + j] = s->a_re[j] * s->e_im[j] + s->a_im[j] * s->e_re[j];
  }
  ContactCompose_Private(x, flow->n, x->pair, state);
  for (PetscInt i = 0; i < flow->n; ++i) state[i] += x->stop * x->pressed[i] + creal(x->hold_forced[i]) * c - cimag(x->hold_forced[i]) * d;
  AddRest_Private(flow, state);
}

/* ---- what the record sees ----------------------------------------------------------------------------------------- */

/* Samples that fall into the phase [t, t + tau]. */
static void Sample_Private(Flow flow, PetscReal tau)
{
  Exact      *x = flow->data;
  FlowRecord *r = flow->record;

  for (; r->next_sample < r->n_samples; ++r->next_sample) {
    const PetscInt  i    = r->next_sample;
    const PetscReal when = r->sample_time[i] - (PetscReal)flow->periods_done * flow->period - x->t;
    Look            look;

    if (when > tau) return;
    SignalEvaluate(x->contact ? &x->hold : &x->free, when, &look);
    r->sample_y1[i] = x->contact ? flow->stop : look.q + flow->stop;
    r->sample_y2[i] = x->contact ? 0.0 : look.q1;
    r->sample_f[i]  = x->contact ? look.q : 0.0;
    if (r->sample_state) {
      if (x->contact) StateContact_Private(flow, when, r->sample_state + (size_t)i * (size_t)flow->n);
      else StateFree_Private(flow, when, r->sample_state + (size_t)i * (size_t)flow->n);
    }
  }
}

/* ---- one phase, one period ---------------------------------------------------------------------------------------- */

/*
  From x->t to the end of the phase or to `end`. On return x->state, x->t, x->contact and x->begin are those of the next phase.
*/
static SearchResult Phase_Private(Flow flow, PetscReal end)
{
  Exact           *x      = flow->data;
  FlowRecord      *record = flow->record;
  Signal          *signal = x->contact ? &x->hold : &x->free;
  const PetscInt64 looks = signal->looks, visited = signal->visited;
  const PetscReal  left = end - x->t;
  SearchResult     result;
  Look             first, at;
  PetscReal        tau;

  if (x->contact) BeginContact_Private(flow, &first);
  else BeginFree_Private(flow, &first);
  if (x->begin.known) { /* what the event before this phase says beats what round-off leaves of it */
    first.q = x->begin.q;
    if (x->begin.known > 1) first.q1 = x->begin.q1;
    if (x->begin.known > 2) first.q2 = x->begin.q2;
  }
  if (record && x->contact) record->peak_force = PetscMax(record->peak_force, first.q);
  if (!x->contact && first.q == 0.0 && (first.q1 < 0.0 || (first.q1 == 0.0 && first.q2 < 0.0))) {
    at     = first; /* the state was given on the stop and moving into it */
    result = SEARCH_CROSSED;
  } else if (x->contact && first.q < 0.0) {
    at     = first; /* the state was given in contact and is pulled off */
    result = SEARCH_CROSSED;
  } else {
    const SignalWatch watch = x->contact ? FlowWatchForce_Private : FlowWatchGap_Private;

    result = SignalFindFall(signal, &first, left, FlowLongestLook_Private(flow), record ? watch : NULL, flow, &at);
  }
  flow->looks += signal->looks - looks;
  flow->modes_visited += signal->visited - visited;
  if (result == SEARCH_LOST) return result;
  tau = result == SEARCH_CROSSED ? at.t : left;
  if (record) Sample_Private(flow, tau);

  { /* put the state together at the end of the phase */
    const PetscReal velocity = at.q1;
    Look            now;

    SignalEvaluate(signal, tau, &now);
    if (x->contact) {
      if (record) {
        x->impulse += SignalIntegral(&x->hold, tau);
        x->duration += tau;
        record->time_in_contact += tau;
        FlowWatchStop_Private(flow);
      }
      if (flow->tangent) TangentContact_Private(flow);
      StateContact_Private(flow, tau, x->state);
    } else {
      if (flow->tangent) TangentFree_Private(flow);
      StateFree_Private(flow, tau, x->state);
    }
    x->t          = result == SEARCH_CROSSED ? x->t + tau : end;
    x->begin.known = 0;
    if (result == SEARCH_REACHED_END) return result;

    if (x->contact) { /* release: f = 0, f' < 0, and the tip leaves   (7.11) */
      FlowRecordRelease_Private(record, x->duration, x->impulse);
      x->begin.q = 0.0;
      if (first.q < 0.0) { /* y2 = -L+ f at once; without a tail the contact point is off the stop: the state tells */
        x->begin.q1    = -flow->L_plus * first.q;
        x->begin.known = flow->tail->states == 0 ? 0 : 2;
      } else if (flow->tail->states == 0) {
        x->begin.q1    = -flow->tail->C0 * velocity;
        x->begin.known = 2;
      } else {
        x->begin.q1    = 0.0;
        x->begin.q2    = -flow->L_plus * velocity;
        x->begin.known = 3;
      }
    } else { /* onset: y1 = y_s, y2 < 0   (7.10) */
      const PetscReal force = flow->tail->states == 0 ? 0.0 : -velocity / flow->L_plus;

      x->duration = x->impulse = 0.0;
      x->from_flight = PETSC_TRUE;
      x->onsets += 1;
      x->begin.q     = force;
      x->begin.known = 1;
      if (flow->tail->states == 0) {
        x->begin.q1    = -velocity / flow->tail->C0;
        x->begin.known = 2;
      }
      FlowRecordOnset_Private(record, &(Contact){.period   = flow->periods_done,
                                                 .phase    = PetscMin(x->t / flow->period, 1.0 - PETSC_MACHINE_EPSILON),
                                                 .velocity = velocity,
                                                 .force    = force});
    }
    x->contact = (PetscBool)!x->contact;
  }
  return result;
}

static PetscErrorCode FlowStart_Exact(Flow flow, const FlowState *state)
{
  Exact    *x = flow->data;
  PetscReal y1, y2;

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(x->state, state->x, flow->n));
  PetscCall(FlowGetTip(flow, state, &y1, &y2));
  x->t           = 0.0;
  x->contact     = state->contact;
  x->begin.known = 0;
  x->from_flight = PETSC_FALSE;
  x->duration = x->impulse = 0.0;
  if (!x->contact && flow->side * y1 == flow->stop) { /* exactly on the stop: derivatives decide */
    x->begin.known = 2;
    x->begin.q     = 0.0;
    x->begin.q1    = flow->side * y2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowPeriod_Exact(Flow flow, FlowState *state, FlowReason *reason)
{
  Exact *x = flow->data;

  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  if (flow->tangent) PetscCall(TangentReserve_Private(flow));
  if (x->resonance) {
    *reason = FLOW_RESONANCE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (flow->tangent) PetscCall(SensitivityBegin_Private(flow));
  if (x->contact) FlowRecordOlder_Private(flow->record);
  x->onsets = 0;
  for (;;) {
    const SearchResult result = Phase_Private(flow, flow->period);

    if (result == SEARCH_REACHED_END) break;
    if (result == SEARCH_LOST) *reason = FLOW_LOST;
    else if (x->onsets > flow->params.flow_max_events) *reason = FLOW_EVENT_LIMIT;
    if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (flow->tangent && flow->tangent->by == FLOW_BY_FREQUENCY) {
    Look end = {.q = 0.0};

    if (x->contact) SignalEvaluate(&x->hold, x->hold.e_t, &end); /* the force; where the last phase ended */
    SensitivityStrobe_Private(flow, x->state, end.q);
  }
  x->t = 0.0;
  PetscCall(PetscArraycpy(state->x, x->state, flow->n));
  state->n       = flow->n;
  state->contact = x->contact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Carry on in contact alone. */
static PetscErrorCode FlowFinishContact_Exact(Flow flow, FlowReason *reason)
{
  Exact       *x       = flow->data;
  FlowTangent *tangent = flow->tangent;

  PetscFunctionBeginUser;
  flow->tangent = NULL;
  for (PetscInt period = 0; period < FLOW_FINISH_PERIODS && flow->record->open && !*reason; ++period) {
    const SearchResult result = Phase_Private(flow, flow->period);

    if (result == SEARCH_LOST) *reason = FLOW_LOST;
    if (result == SEARCH_REACHED_END) x->t = 0.0;
  }
  flow->tangent = tangent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowCreate_Exact(Flow flow)
{
  PetscFunctionBeginUser;
  flow->ops = (FlowOps){.setup = FlowSetUp_Exact,
                        .setforcing    = FlowSetForcing_Exact,
                        .start         = FlowStart_Exact,
                        .period        = FlowPeriod_Exact,
                        .finishcontact = FlowFinishContact_Exact,
                        .destroy       = FlowDestroy_Exact,
                        .tangent       = PETSC_TRUE};
  PetscFunctionReturn(PETSC_SUCCESS);
}
