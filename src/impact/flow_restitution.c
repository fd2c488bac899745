/*
  flow_restitution.c - rigid impacts with a coefficient of restitution: x'+ = (I - (1+C_R) n n^T/(n.n)) x'- at y = y_s, y' < 0.   (15.1)

  Exact between impacts, in M bare modes without a tail; impacts are located by the certified search of the exact flow (exponents.c). For
  C_R < 1 impacts may accumulate: once a bounce is lower than the round-off of the gap, or shorter than that of the clock, the rest of
  them is summed and the contact point sticks, held by f = -(n.x'')/(n.n), until f falls through zero.   (15.4)-(15.6)

  Invariants: stuck, n.x = y_s and n.x' = 0; time t counts from the strobe and never exceeds one period; nothing is allocated and no PETSc
  object is touched after FlowSetForcing. Per impact O(M), per look O(M), per spell of sticking O(M^2).
*/
#include "flow_restitution.h"
#include "watch.h"

#include <math.h>

/* ---- what the record sees: all in y, flow.c turns it ------------------------------------------------------------------- */

/* Samples that fall into the phase [t, t + tau]. */
static void Sample_Private(Flow flow, PetscReal tau)
{
  Restitution *x = flow->data;
  FlowRecord  *r = flow->record;

  for (; r->next_sample < r->n_samples; ++r->next_sample) {
    const PetscInt  i    = r->next_sample;
    const PetscReal when = r->sample_time[i] - (PetscReal)flow->periods_done * flow->period - x->t;
    Look            look;

    if (when > tau) return;
    SignalEvaluate(x->contact ? &x->hold : &x->free, when, &look);
    r->sample_y1[i] = x->contact ? flow->stop : look.q + flow->stop;
    r->sample_y2[i] = x->contact ? 0.0 : look.q1;
    r->sample_f[i]  = x->contact ? look.q : 0.0;
    if (r->sample_state) (x->contact ? HoldState_Private : FlightState_Private)(flow, when, r->sample_state + (size_t)i * (size_t)flow->n);
  }
}

/* Fraction of the period, `after` later than the clock. */
static PetscReal Fraction_Private(Flow flow, PetscReal after)
{
  return PetscMin((((Restitution *)flow->data)->t + after) / flow->period, 1.0 - PETSC_MACHINE_EPSILON);
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* The state is at the stop: a is the acceleration of the gap before. Cost O(M), with tangents O(M) each.   (15.1) */
static void Impact_Private(Flow flow, PetscReal slope, PetscReal a)
{
  Restitution    *x = flow->data;
  const PetscInt  M = flow->M;
  const PetscReal C = flow->params.restitution_coefficient;
  PetscReal       v = FlowTipVelocity_Private(flow, x->state), impulse;

  if (!(v < 0.0)) v = slope; /* so slow that the sum over the modes has lost its sign */
  impulse = -(1.0 + C) * v / x->nn;
  if (flow->tangent) RestitutionTangentImpact_Private(flow, v, a);
  for (PetscInt k = 0; k < M; ++k) x->state[M + k] += flow->tip[k] * impulse;
  x->events += 1;
  x->begin.known = 2;
  x->begin.q     = 0.0;
  x->begin.q1    = -C * v;
  if (!flow->record) return;
  ++flow->record->impacts;
  FlowRecordOnset_Private(flow->record,
                          &(Contact){.period = flow->periods_done, .phase = Fraction_Private(flow, 0.0), .velocity = v, .force = INFINITY});
  FlowRecordRelease_Private(flow->record, 0.0, impulse);
}

/*
  The contact point comes to rest on the stop, `after` from now: so long do the bounces last that are left. They pass on as much momentum as
  sticking for that time, to first order in their height, which is beyond resolution: the beam is held from now on, the record says when.
  (15.5)
*/
static void Stick_Private(Flow flow, PetscReal after, PetscReal slope)
{
  Restitution *x = flow->data;

  for (PetscInt k = 0; k < flow->M; ++k) x->work[k] = x->state[k] - x->hold_still[k];
  for (PetscInt k = 0; k < flow->M; ++k) x->work[flow->M + k] = x->state[flow->M + k];
  HoldProject_Private(flow, x->work); /* hold_still is at the stop */
  for (PetscInt k = 0; k < flow->M; ++k) x->state[k] = x->work[k] + x->hold_still[k];
  for (PetscInt k = 0; k < flow->M; ++k) x->state[flow->M + k] = x->work[flow->M + k];
  x->contact = PETSC_TRUE;
  x->events += 1;
  x->begin.known = 0;
  x->fresh       = PETSC_TRUE;
  x->slow        = -slope;
  x->duration    = -after;
  if (flow->record) ++flow->record->sticks;
}

/*
  Does the flight that begins at the stop with the look `first` not take place, because it cannot be told from rest? `after`: how long the
  bounces that are left last, v_i+1 = C_R v_i and 2 v_i/|a| each.   (15.4)

  The acceleration keeps its sign through all of them if it changes by less than half of itself, at the rate M3 at most.
*/
static PetscBool Rests_Private(Flow flow, const Look *first, PetscReal *after)
{
  const Restitution *x = flow->data;
  const Signal      *s = &x->free;
  const PetscReal    C = flow->params.restitution_coefficient, v = first->q1, a = -first->q2;
  PetscReal          size = cabs(s->Y) + fabs(x->free_constant) + fabs(flow->stop) + fabs(s->constant);

  *after = 0.0;
  if (v == 0.0) return (PetscBool)(a > 0.0); /* given at rest, or C_R = 0: the first derivative that does not vanish decides */
  if (!(C < 1.0) || !(a > 0.0)) return PETSC_FALSE;
  *after = 2.0 * v / (a * (1.0 - C));
  if (!(first->M3 * *after < 0.5 * a)) return PETSC_FALSE;
  if (2.0 * v / a <= PetscMax(PETSC_MACHINE_EPSILON * flow->period, ldexp(1.0, STEP_FINEST)))
    return PETSC_TRUE; /* the clock, and that of the search */
  for (PetscInt k = 0; k < flow->M; ++k) size += s->run_abs[k];
  return (PetscBool)(0.5 * v * v / a <= PETSC_MACHINE_EPSILON * size); /* the gap */
}

/*
  Right after release gap, velocity and acceleration are zero and the third derivative q3 > 0 is known. As long as it is certain to be
  positive, t < q3/M4 with |q''''| <= M4, the gap only grows: step there, and let the look be no lower than what this proves.
*/
static void Leave_Private(Flow flow, PetscReal left, Look *first)
{
  Restitution     *x  = flow->data;
  Signal          *s  = &x->free;
  const Exponents *e  = &x->free_exponents;
  const PetscReal  q3 = x->begin.q3, W2 = s->W * s->W;
  PetscReal        M4 = W2 * W2 * cabs(s->Y), h;
  int              level;

  for (PetscInt k = 0; k < e->n; ++k) M4 += e->mag2[k] * e->mag2[k] * s->run_abs[k];
  (void)frexp(PetscMin(q3 / M4, left), &level);
  level = PetscClipInterval(level - 1, STEP_FINEST, STEP_COARSEST);
  h     = ldexp(1.0, level);
  if (h > left) return;
  SignalStep(s, level, first);
  first->q  = PetscMax(first->q, q3 * h * h * h / 8.0);
  first->q1 = PetscMax(first->q1, q3 * h * h / 3.0);
  first->q2 = PetscMax(first->q2, q3 * h / 2.0);
}

/* ---- phases, one period -------------------------------------------------------------------------------------------------- */

/* A flight from x->t to its impact, its coming to rest, or `end`. */
static SearchResult Flight_Private(Flow flow, PetscReal end)
{
  Restitution    *x       = flow->data;
  FlowRecord     *record  = flow->record;
  Signal         *s       = &x->free;
  const PetscReal left    = end - x->t;
  SearchResult    result;
  Look            first, at, now;
  PetscReal       tau, after;

  FlightBegin_Private(flow, &first);
  /* what the event before this flight says beats what round-off leaves of it */
  if (x->begin.known > 0) first.q = x->begin.q;
  if (x->begin.known > 1) first.q1 = x->begin.q1;
  if (x->begin.known > 2) first.q2 = x->begin.q2;
  if (first.q == 0.0 && first.q1 >= 0.0 && x->begin.known == 2 && Rests_Private(flow, &first, &after)) {
    Stick_Private(flow, after, first.q1);
    return SEARCH_CROSSED;
  }
  if (x->begin.known > 3) Leave_Private(flow, left, &first);
  result = SignalFindFall(s, &first, left, FlowLongestLook_Private(flow), record ? FlowWatchGap_Private : NULL, flow, &at);
  if (result == SEARCH_LOST) return result;
  tau = result == SEARCH_CROSSED ? at.t : left;
  if (record) Sample_Private(flow, tau);
  SignalEvaluate(s, tau, &now);
  if (flow->tangent) RestitutionTangentFlight_Private(flow, tau);
  FlightState_Private(flow, tau, x->state);
  x->t           = result == SEARCH_CROSSED ? x->t + tau : end;
  x->begin.known = 0;
  if (result == SEARCH_CROSSED) {
    if (record) FlowWatchStop_Private(flow);
    Impact_Private(flow, at.q1, now.q2);
  }
  return result;
}

/* A spell of sticking from x->t to its release or `end`. */
static SearchResult Hold_Private(Flow flow, PetscReal end)
{
  Restitution    *x      = flow->data;
  FlowRecord     *record = flow->record;
  Signal         *s      = &x->hold;
  const PetscReal left   = end - x->t;
  SearchResult    result;
  Look            first, at, now;
  PetscReal       tau;

  HoldBegin_Private(flow, &first);
  if (record) record->peak_force = PetscMax(record->peak_force, first.q);
  if (x->fresh) {
    x->fresh   = PETSC_FALSE;
    x->impulse = first.q * x->duration; /* what the last bounces pass on is not of this contact */
    if (record)
      FlowRecordOnset_Private(
        record,
        &(Contact){.period = flow->periods_done, .phase = Fraction_Private(flow, -x->duration), .velocity = x->slow, .force = first.q});
  }
  if (first.q < 0.0) { /* a state that was given as stuck, and is pulled off */
    at     = first;
    result = SEARCH_CROSSED;
  } else {
    result = SignalFindFall(s, &first, left, FlowLongestLook_Private(flow), record ? FlowWatchForce_Private : NULL, flow, &at);
  }
  if (result == SEARCH_LOST) return result;
  tau = result == SEARCH_CROSSED ? at.t : left;
  if (record) Sample_Private(flow, tau);
  SignalEvaluate(s, tau, &now);
  if (record) {
    x->impulse += SignalIntegral(s, tau);
    x->duration += tau;
    record->time_in_contact += tau;
    FlowWatchStop_Private(flow);
  }
  if (flow->tangent) RestitutionTangentHold_Private(flow);
  HoldState_Private(flow, tau, x->state);
  x->t           = result == SEARCH_CROSSED ? x->t + tau : end;
  x->begin.known = 0;
  if (result == SEARCH_REACHED_END) return result;
  /* release: q = q' = 0, q'' = -(n.n) f, q''' = -(n.n) f' */
  x->contact     = PETSC_FALSE;
  x->begin.q     = 0.0;
  x->begin.q1    = 0.0;
  x->begin.q2    = first.q < 0.0 ? -x->nn * first.q : 0.0;
  x->begin.q3    = -x->nn * at.q1;
  x->begin.known = first.q < 0.0 ? 3 : 4;
  FlowRecordRelease_Private(record, PetscMax(x->duration, 0.0), x->impulse);
  return result;
}

static SearchResult Phase_Private(Flow flow, PetscReal end)
{
  Restitution     *x     = flow->data;
  const Signal    *s     = x->contact ? &x->hold : &x->free;
  const PetscInt64 looks = s->looks, visited = s->visited;
  SearchResult     result;

  result = x->contact ? Hold_Private(flow, end) : Flight_Private(flow, end);
  flow->looks += s->looks - looks;
  flow->modes_visited += s->visited - visited;
  return result;
}

static PetscErrorCode FlowStart_Restitution(Flow flow, const FlowState *state)
{
  Restitution *x = flow->data;

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(x->state, state->x, flow->n));
  x->t           = 0.0;
  x->contact     = state->contact;
  x->begin.known = 0;
  x->duration = x->impulse = 0.0;
  x->fresh                 = PETSC_FALSE;
  if (!x->contact && FlowTipDisplacement_Private(flow, state->x) == flow->stop) { /* exactly on the stop: derivatives decide */
    x->begin.known = 2;
    x->begin.q     = 0.0;
    x->begin.q1    = FlowTipVelocity_Private(flow, state->x);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FLOW_EVENT_LIMIT after more than -flow_max_events impacts and spells of sticking in one period. */
static PetscErrorCode FlowPeriod_Restitution(Flow flow, FlowState *state, FlowReason *reason)
{
  Restitution *x = flow->data;

  PetscFunctionBeginUser;
  *reason = x->resonance ? FLOW_RESONANCE : FLOW_GOOD;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (flow->tangent) PetscCall(SensitivityBegin_Private(flow));
  if (x->contact) FlowRecordOlder_Private(flow->record);
  x->events = 0;
  for (;;) {
    const SearchResult result = x->contact && x->hold_resonance ? SEARCH_LOST : Phase_Private(flow, flow->period);

    if (result == SEARCH_REACHED_END) break;
    if (result == SEARCH_LOST) *reason = x->contact && x->hold_resonance ? FLOW_RESONANCE : FLOW_LOST;
    else if (x->events > flow->params.flow_max_events) *reason = FLOW_EVENT_LIMIT;
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

/* Carry on stuck alone. */
static PetscErrorCode FlowFinishContact_Restitution(Flow flow, FlowReason *reason)
{
  Restitution *x       = flow->data;
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

PetscErrorCode FlowCreate_Restitution(Flow flow)
{
  PetscFunctionBeginUser;
  flow->ops = (FlowOps){.setup         = FlowSetUp_Restitution,
                        .setforcing    = FlowSetForcing_Restitution,
                        .start         = FlowStart_Restitution,
                        .period        = FlowPeriod_Restitution,
                        .finishcontact = FlowFinishContact_Restitution,
                        .destroy       = FlowDestroy_Restitution,
                        .tangent       = PETSC_TRUE};
  PetscFunctionReturn(PETSC_SUCCESS);
}
