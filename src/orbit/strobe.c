/*
  strobe.c - from a starting state to the steady state: settle, sample, decide.   [theory 8]

  A period is accepted only when Newton finds an orbit of that least period which is stable by more than the error of its multipliers
  and which the stroboscopic sequence approaches. What is not periodic is sampled in blocks until two blocks agree (aperiodic) or
  the limit of periods is reached (not settled); then the largest Lyapunov exponent tells chaos, quasi-periodic and settling motion apart.

  Invariants: the ring holds the last states at strobes, newest at `newest`; every decision comes after at most max_periods periods.
*/
#include "graze/strobe.h"

#include <math.h>

#include "cloud.h"

/* Distances between states are relative to the size of the motion. */
static const PetscReal near_orbit   = 0.05; /* beyond it the linear picture around an orbit says nothing about the samples */
static const PetscReal on_orbit     = 1e-8; /* on it to round-off: Newton leaves 1e-10 and multipliers near 1 enlarge that */
static const PetscReal beside_orbit = 0.01; /* close enough that leaving or reaching it may take longer than all blocks */
static const PetscReal recurs       = 0.02; /* a return this close, over a whole period, is worth a Newton solve */
static const PetscReal push = 1e-3; /* off an unstable orbit: small, yet a slow departure ends within the limit of periods */
static const PetscReal sampled_same = 10.0; /* steps of the literal scheme: onsets keep to them, its orbits close to a few (measured: 6) */

/* Blocks after which recurrences without an orbit count as chance, if the first and the last block look alike. */
enum { PATIENCE = 8 };

/* Blocks before a motion may be called aperiodic: chaos that is but a transient often ends within a few hundred periods. */
enum { LEAST_BLOCKS = 5 };

/* Newton solves are dear: candidates of one decision, and searches beyond a doubling in one cell. */
enum { CANDIDATES = 3, DOUBLINGS = 4 };

struct _p_Strobe {
  MPI_Comm comm;
  Params   params;
  PetscErrorCode (*poll)(void *ctx, PetscBool *stop);
  void    *poll_ctx;
  Flow     flow; /* borrowed */
  Orbit    orbit;
  /* owned */
  Lyapunov   lyapunov; /* NULL: not asked for, or the flow has no tangents */
  PetscInt   n, depth, newest, filled; /* ring of depth states */
  PetscReal *ring, *work, *distance;
  FlowState  guess;
  PetscReal  size;   /* of the motion: largest energy norm in the ring */
  PetscBool  pushed; /* off an unstable orbit, in this cell */
  PetscInt   doublings; /* searches for a doubled orbit, in this cell */
  PetscBool  stop;   /* this cell is given up */
  PetscBool  set_up;
};

PetscErrorCode StrobeCreate(MPI_Comm comm, Strobe *strobe)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(strobe));
  (*strobe)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StrobeSetParams(Strobe strobe, const Params *params)
{
  PetscFunctionBeginUser;
  strobe->params = *params;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StrobeSetFlow(Strobe strobe, Flow flow)
{
  PetscFunctionBeginUser;
  strobe->flow = flow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StrobeSetPoll(Strobe strobe, PetscErrorCode (*poll)(void *ctx, PetscBool *stop), void *ctx)
{
  PetscFunctionBeginUser;
  strobe->poll     = poll;
  strobe->poll_ctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* StrobeSetUp - Ring of states for 2 max_period + 1 strobes, and the orbit solver. Lazy and idempotent. */
PetscErrorCode StrobeSetUp(Strobe s)
{
  PetscFunctionBeginUser;
  if (s->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FlowGetSize(s->flow, &s->n));
  s->depth = PetscMax(2 * s->params.max_period + 1, 65);
  PetscCall(PetscMalloc4(s->depth * s->n, &s->ring, s->n, &s->work, s->n, &s->guess.x, s->params.max_period + 1, &s->distance));
  s->guess.n = s->n;
  if (FlowHasTangent(s->flow)) {
    PetscCall(OrbitCreate(s->comm, &s->orbit));
    PetscCall(OrbitSetFlow(s->orbit, s->flow));
    if (s->params.lyapunov_periods > 0) {
      PetscCall(LyapunovCreate(s->comm, &s->lyapunov));
      PetscCall(LyapunovSetFlow(s->lyapunov, s->flow));
      PetscCall(LyapunovSetPeriods(s->lyapunov, s->params.lyapunov_periods));
    }
  }
  s->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StrobeDestroy(Strobe *strobe)
{
  PetscFunctionBeginUser;
  if (!*strobe) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OrbitDestroy(&(*strobe)->orbit));
  PetscCall(LyapunovDestroy(&(*strobe)->lyapunov));
  PetscCall(PetscFree4((*strobe)->ring, (*strobe)->work, (*strobe)->guess.x, (*strobe)->distance));
  PetscCall(PetscFree(*strobe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the ring ----------------------------------------------------------------------------------------------------- */

static PetscReal *Past_Private(Strobe s, PetscInt back)
{
  return s->ring + (size_t)((s->newest - back + s->depth) % s->depth) * (size_t)s->n;
}

static PetscErrorCode Remember_Private(Strobe s, const FlowState *state)
{
  PetscFunctionBeginUser;
  s->newest = (s->newest + 1) % s->depth;
  s->filled = PetscMin(s->filled + 1, s->depth);
  PetscCall(PetscArraycpy(s->ring + (size_t)s->newest * (size_t)s->n, state->x, s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Distance_Private(Strobe s, const PetscReal *a, const PetscReal *b, PetscReal *distance)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < s->n; ++i) s->work[i] = a[i] - b[i];
  PetscCall(FlowNorm(s->flow, s->work, distance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* distance[p]: largest |X_i - X_{i-p}| over the last p strobes (at least 4), relative; and the size of the motion. */
static PetscErrorCode Recurrence_Private(Strobe s)
{
  PetscFunctionBeginUser;
  s->size = 0.0;
  for (PetscInt back = 0; back < s->filled; ++back) {
    PetscReal norm;

    PetscCall(FlowNorm(s->flow, Past_Private(s, back), &norm));
    s->size = PetscMax(s->size, norm);
  }
  for (PetscInt p = 1; p <= s->params.max_period; ++p) {
    const PetscInt window = PetscMax(p, 4);

    s->distance[p] = 0.0;
    if (p + window > s->filled || PetscIsInfOrNanReal(s->size)) { /* not enough past to tell, or no bounds */
      s->distance[p] = PETSC_MAX_REAL;
      continue;
    }
    for (PetscInt back = 0; back < window; ++back) {
      PetscReal d;

      PetscCall(Distance_Private(s, Past_Private(s, back), Past_Private(s, back + p), &d));
      s->distance[p] = PetscMax(s->distance[p], s->size > 0.0 ? d / s->size : 0.0);
      if (s->distance[p] > 10.0 * recurs) break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the decision ------------------------------------------------------------------------------------------------- */

typedef enum { VERDICT_ACCEPT, VERDICT_APPROACHING, VERDICT_UNSTABLE, VERDICT_NO } Verdict;

/*
  Is the orbit stable, and do the last samples approach it?   (8.5)
  Approach: on it to round-off; or near it, and over the newer half of the ring nearer, in the mean square, than over the older half by at
  least half of what the leading multiplier promises. Single passages would not do: a motion of period 2p comes by at two distances
  in turn, and with a complex pair the distance sways as it falls.
*/
static PetscErrorCode Judge_Private(Strobe s, PetscInt p, PetscReal *distance, Verdict *verdict)
{
  const PetscInt   orbits = (PetscMin(s->filled, s->depth) - 1) / p, half = (orbits + 1) / 2; /* whole orbits that the ring remembers */
  const PetscReal *re, *im, *error;
  const FlowState *point;
  PetscInt         n;
  PetscReal        now = 0.0, newer = 0.0, older = 0.0, leading;

  PetscFunctionBeginUser;
  PetscCall(OrbitGetMultipliers(s->orbit, &n, &re, &im, &error));
  leading = n > 0 ? hypot(re[0], im[0]) : 0.0;
  PetscCall(OrbitGetState(s->orbit, 0, &point));
  for (PetscInt i = 0; i <= orbits; ++i) {
    PetscReal passage;

    PetscCall(Distance_Private(s, Past_Private(s, i * p), point->x, &passage));
    if (i == 0) now = passage;
    if (i < half) newer += passage * passage / (PetscReal)half;
    else older += passage * passage / (PetscReal)(orbits + 1 - half);
  }
  *distance = s->size > 0.0 ? now / s->size : now;
  *verdict  = VERDICT_UNSTABLE;
  for (PetscInt i = 0; i < n; ++i)
    if (hypot(re[i], im[i]) + error[i] >= 1.0) PetscFunctionReturn(PETSC_SUCCESS);
  *verdict = VERDICT_NO;
  if (*distance <= on_orbit) *verdict = VERDICT_ACCEPT;
  else if (*distance <= near_orbit && half > 0) {
    const PetscReal promised = pow(leading, 0.5 * (PetscReal)(orbits + 1)); /* from one half to the other */

    *verdict = sqrt(newer) <= 0.5 * (1.0 + promised) * sqrt(older) ? VERDICT_ACCEPT : VERDICT_APPROACHING;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

/* Of a cell that ends before a decision. */
static SteadyStatus StatusOf_Private(Strobe s, FlowReason reason)
{
  if (s->stop) return STATUS_PENDING;
  return reason == FLOW_EVENT_LIMIT ? STATUS_EVENT_LIMIT : STATUS_FLOW_FAILED;
}

/* `periods` periods from `state` on, unless the flow or the poll stops it; with `sampled` strobes and record replace the last block's. */
static PetscErrorCode Run_Private(Strobe s, PetscInt periods, FlowState *state, Steady *steady, PetscBool sampled, FlowReason *reason)
{
  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  if (sampled) {
    PetscCall(FlowRecordReset(&steady->record));
    PetscCall(FlowSetRecord(s->flow, &steady->record));
    steady->n_samples = 0;
  }
  PetscCall(FlowStart(s->flow, state));
  for (PetscInt i = 0; i < periods && !s->stop; ++i) {
    if (sampled) PetscCall(FlowGetTip(s->flow, state, &steady->displacement[i], &steady->velocity[i]));
    PetscCall(FlowPeriod(s->flow, state, reason));
    if (*reason) break;
    if (sampled) ++steady->n_samples;
    ++steady->periods_used;
    PetscCall(Remember_Private(s, state));
    if (s->poll) PetscCall((*s->poll)(s->poll_ctx, &s->stop));
  }
  if (sampled && !*reason && !s->stop) {
    FlowReason late;

    PetscCall(FlowFinishContact(s->flow, &late)); /* a contact that cannot be finished keeps its NaN */
  }
  PetscCall(FlowSetRecord(s->flow, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The orbit is accepted: its p points, its contacts, its multipliers. The state continues from its first point. */
static PetscErrorCode Accept_Private(Strobe s, FlowState *state, Steady *steady)
{
  const PetscReal *re, *im, *error;
  const FlowState *point;
  PetscInt         p, used = steady->periods_used;
  FlowReason       reason;

  PetscFunctionBeginUser;
  PetscCall(OrbitGetPeriod(s->orbit, &p));
  PetscCall(OrbitGetState(s->orbit, 0, &point));
  PetscCall(PetscArraycpy(state->x, point->x, s->n));
  state->contact = point->contact;
  PetscCall(Run_Private(s, p, state, steady, PETSC_TRUE, &reason));
  steady->periods_used = used;
  if (reason || s->stop) { /* a reason hardly: the same periods went through a moment ago, in Newton's last pass */
    steady->status = StatusOf_Private(s, reason);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscArraycpy(state->x, point->x, s->n));
  state->contact = point->contact;
  PetscCall(OrbitGetMultipliers(s->orbit, &steady->n_multipliers, &re, &im, &error));
  PetscCall(PetscArraycpy(steady->multiplier_re, re, steady->n_multipliers));
  PetscCall(PetscArraycpy(steady->multiplier_im, im, steady->n_multipliers));
  PetscCall(PetscArraycpy(steady->multiplier_error, error, steady->n_multipliers));
  PetscCall(OrbitGetResidual(s->orbit, &steady->residual, NULL));
  steady->period = p;
  steady->status = steady->record.count == 0 && steady->record.time_in_contact == 0.0 ? STATUS_CONTACT_FREE : STATUS_PERIODIC;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sits on an orbit that it would leave: once in a cell, a push of fixed size along the way out, away from the stop if need be. */
static PetscErrorCode Push_Private(Strobe s, FlowState *state)
{
  const FlowState *point;
  const PetscReal *direction;
  PetscReal        y1, y2, along = push * s->size;

  PetscFunctionBeginUser;
  s->pushed = PETSC_TRUE;
  PetscCall(OrbitGetLeadingDirection(s->orbit, &direction));
  PetscCall(OrbitGetState(s->orbit, 0, &point));
  for (PetscInt i = 0; i < s->n; ++i) state->x[i] = point->x[i] + along * direction[i];
  state->contact = point->contact;
  PetscCall(FlowGetTip(s->flow, state, &y1, &y2));
  if (s->params.stop_side == STOP_ABOVE ? y1 > s->params.stop_position : y1 < s->params.stop_position)
    for (PetscInt i = 0; i < s->n; ++i) state->x[i] -= 2.0 * along * direction[i];
  s->filled = 0; /* what came before the push tells nothing of where the motion goes by itself */
  PetscCall(Remember_Private(s, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Just beyond a period doubling the samples take thousands of periods from the old orbit to the new, which lies a little way along
  the unstable direction: look for it there, at growing distances. What is found is judged like any other orbit.
*/
static PetscErrorCode Doubled_Private(Strobe s, FlowState *guess, PetscBool *accepted)
{
  const PetscReal *re, *im, *direction, *energy;
  const FlowState *point;
  PetscInt         n, p;
  PetscReal       *base, *along, side = 0.0;
  PetscBool        contact;

  PetscFunctionBeginUser;
  *accepted = PETSC_FALSE;
  PetscCall(OrbitGetMultipliers(s->orbit, &n, &re, &im, NULL));
  PetscCall(OrbitGetPeriod(s->orbit, &p));
  if (n == 0 || im[0] != 0.0 || re[0] > -1.0 || re[0] < -1.2 || 2 * p > s->params.max_period) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OrbitGetState(s->orbit, 0, &point));
  PetscCall(OrbitGetLeadingDirection(s->orbit, &direction));
  PetscCall(PetscMalloc2(s->n, &base, s->n, &along));
  PetscCall(PetscArraycpy(base, point->x, s->n));
  PetscCall(PetscArraycpy(along, direction, s->n));
  contact = point->contact;
  PetscCall(FlowGetEnergyWeights(s->flow, &energy));
  for (PetscInt i = 0; i < s->n; ++i) side += energy[i] * energy[i] * (Past_Private(s, 0)[i] - base[i]) * along[i];
  side = side < 0.0 ? -1.0 : 1.0;
  ++s->doublings;
  for (PetscReal size = 2.0 * push; size <= near_orbit && !*accepted; size *= 4.0) {
    OrbitReason reason;
    PetscReal   distance;
    PetscInt    least;
    Verdict     verdict;

    for (PetscInt i = 0; i < s->n; ++i) guess->x[i] = base[i] + side * size * s->size * along[i];
    guess->contact = contact;
    PetscCall(OrbitSolve(s->orbit, 2 * p, guess, &reason));
    if (reason != ORBIT_FOUND) continue;
    PetscCall(OrbitGetPeriod(s->orbit, &least));
    if (least != 2 * p) continue;
    PetscCall(Judge_Private(s, least, &distance, &verdict));
    *accepted = (PetscBool)(verdict == VERDICT_ACCEPT);
    break; /* there is one doubled orbit near the old one */
  }
  PetscCall(PetscFree2(base, along));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A recurrence may be chance; an orbit beside the samples may be what they come from or go to. */
typedef enum { SIGN_NONE, SIGN_RECURRENCE, SIGN_ORBIT } Sign;

/*
  Try the periods at which the samples recur, shortest first; a longer one only where it recurs clearly better than those before.
  Output: accepted - the orbit holds; sign - what else speaks against an aperiodic motion
*/
static PetscErrorCode Decide_Private(Strobe s, FlowState *state, PetscBool *accepted, Sign *sign)
{
  PetscReal best = recurs;
  PetscInt  tried = 0;

  PetscFunctionBeginUser;
  *accepted = PETSC_FALSE;
  *sign     = SIGN_NONE;
  PetscCall(Recurrence_Private(s));
  for (PetscInt p = 1; p <= s->params.max_period; ++p) {
    OrbitReason reason;
    Verdict     verdict;
    PetscReal   distance = PETSC_MAX_REAL;
    PetscInt    least;

    if (s->distance[p] > best || tried == CANDIDATES) continue;
    ++tried;
    best  = 0.3 * s->distance[p];
    *sign = PetscMax(*sign, SIGN_RECURRENCE);
    PetscCall(OrbitSolve(s->orbit, p, state, &reason));
    if (reason != ORBIT_FOUND) continue;
    PetscCall(OrbitGetPeriod(s->orbit, &least));
    PetscCall(Judge_Private(s, least, &distance, &verdict));
    if (verdict == VERDICT_ACCEPT) {
      *accepted = PETSC_TRUE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (verdict == VERDICT_APPROACHING || distance <= beside_orbit) *sign = SIGN_ORBIT;
    if (verdict == VERDICT_UNSTABLE && distance <= push && !s->pushed) {
      PetscCall(Push_Private(s, state));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (verdict == VERDICT_UNSTABLE && distance <= near_orbit && s->doublings < DOUBLINGS) {
      PetscCall(Doubled_Private(s, &s->guess, accepted));
      if (*accepted) PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow without Jacobian is judged by its samples alone, and the status says so. */
static PetscErrorCode SampledPeriod_Private(Strobe s, Steady *steady)
{
  PetscFunctionBeginUser;
  PetscCall(Recurrence_Private(s));
  for (PetscInt p = 1; p <= s->params.max_period; ++p) {
    if (s->distance[p] > PetscMin(sampled_same * s->params.literal_step, recurs)) continue;
    steady->period = p;
    steady->status = STATUS_PERIODIC_UNVERIFIED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell that the samples call aperiodic or not settled: its exponent, if it is asked for, and what that makes of its status. */
static PetscErrorCode WithoutPeriod_Private(Strobe s, const FlowState *state, Sign sign, Steady *steady)
{
  LyapunovResult result;

  PetscFunctionBeginUser;
  if (!s->lyapunov) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LyapunovSetPoll(s->lyapunov, s->poll, s->poll_ctx));
  PetscCall(LyapunovMeasure(s->lyapunov, state, &result, &s->stop)); /* the state stays: the neighbour starts from it */
  steady->lyapunov_exponent = result.exponent;
  steady->lyapunov_error    = result.error;
  steady->status            = s->stop ? STATUS_PENDING : SteadyStatusWith(steady->status, (PetscBool)(sign == SIGN_ORBIT), result.verdict);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin_Private(Strobe s, const FlowState *state, Steady *steady)
{
  PetscFunctionBeginUser;
  steady->status            = STATUS_NOT_SETTLED;
  steady->period            = 0;
  steady->n_samples         = 0;
  steady->n_multipliers     = 0;
  steady->periods_used      = 0;
  steady->residual          = NAN;
  steady->lyapunov_exponent = NAN;
  steady->lyapunov_error    = NAN;
  s->filled                 = 0;
  s->newest                 = 0;
  s->pushed                 = PETSC_FALSE;
  s->doublings              = 0;
  s->stop                   = PETSC_FALSE;
  PetscCall(FlowRecordReset(&steady->record));
  PetscCall(Remember_Private(s, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StrobeSolve - Steady state of the flow's present forcing, from `state`.

  Not collective.
  Input:   state - at a strobe; x of shape [n]
  Output:  state - steady, at a strobe; steady - status, period, points, contacts, multipliers; of a cell given up only the status
  Cost:    settle_periods + a few blocks of sample_periods, and a Newton solve or two; without a period lyapunov_periods more
*/
PetscErrorCode StrobeSolve(Strobe s, FlowState *state, Steady *steady)
{
  const PetscInt block = PetscMax(s->params.sample_periods, 1);
  Cloud          clouds[PATIENCE] = {{0}}; /* of the last blocks, the oldest overwritten first */
  PetscInt       chance = 0;               /* blocks in a row with recurrences that led nowhere */
  FlowReason     reason;

  PetscFunctionBeginUser;
  PetscCall(StrobeSetUp(s));
  PetscCall(Begin_Private(s, state, steady));
  PetscCall(Run_Private(s, s->params.settle_periods, state, steady, PETSC_FALSE, &reason));
  for (PetscInt i = 0; !reason && !s->stop; ++i) {
    PetscBool accepted = PETSC_FALSE;
    Sign      sign = SIGN_NONE;
    Cloud     cloud;

    /* Decisions become rarer, since Newton is what costs: every fourth one is put off by a block more. */
    PetscCall(
      Run_Private(s, PetscMin(block * (i / 4), s->params.max_periods - steady->periods_used - block), state, steady, PETSC_FALSE, &reason));
    if (!reason) PetscCall(Run_Private(s, block, state, steady, PETSC_TRUE, &reason));
    if (reason || s->stop) break;
    if (FlowHasTangent(s->flow)) PetscCall(Decide_Private(s, state, &accepted, &sign));
    else PetscCall(SampledPeriod_Private(s, steady));
    if (PetscIsInfOrNanReal(s->size)) { /* the literal scheme with a step too long for it */
      reason = FLOW_LOST;
      break;
    }
    if (accepted) PetscCall(Accept_Private(s, state, steady));
    if (accepted || steady->status == STATUS_PERIODIC_UNVERIFIED) PetscFunctionReturn(PETSC_SUCCESS);
    cloud  = CloudOf(steady->n_samples, steady->displacement);
    chance = sign == SIGN_RECURRENCE ? chance + 1 : 0;
    if (i + 1 >= LEAST_BLOCKS && CloudsAgree(&clouds[(i - 1) % PATIENCE], &cloud) &&
        (sign == SIGN_NONE || (chance >= PATIENCE && CloudsAgree(&clouds[i % PATIENCE], &cloud))))
      steady->status = STATUS_APERIODIC;
    clouds[i % PATIENCE] = cloud;
    if (steady->status == STATUS_APERIODIC || steady->periods_used + block > s->params.max_periods) {
      PetscCall(WithoutPeriod_Private(s, state, sign, steady));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  steady->status = StatusOf_Private(s, reason);
  PetscFunctionReturn(PETSC_SUCCESS);
}
