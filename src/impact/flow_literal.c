/*
  flow_literal.c - the papers' scheme: explicit Euler and the rectangle rule on the delay equation, direct summation.   [theory 5]

  The reference that the exact flow is tested against, and the baseline of the benchmark. The step is the longest, not above
  -literal_step, that divides a period, so that strobes fall on steps. The equation knows the tip alone, (y1, y2) and the history of f;
  the free motion g(t) comes from the state given to FlowStart, in closed form, resynchronised once per period.

  State at a strobe: an observer, driven by the scheme's force held constant over each step, supplies modes and tail. Its mode 1 is then
  chosen so that the state has the scheme's own tip, z = m y + Q z of (4.1): FlowGetTip shows the error of the scheme and not that of
  the observer, and a run that starts from this state goes on from the same y with the same g, for g does not see mode 1. In contact
  the state has the free tip velocity -L+ f, as for the exact flow, and the jump (5.3) at its first step restores f.

  With the bare kernel there is no tail: its states are zero. What a step does at the contact point is in scheme.c.
  Cost of a step: one multiplication for every step of the past in which f changed. Nothing is allocated inside a period.
*/
#include "flow_impl.h"
#include "graze/kernel.h"
#include "scheme.h"

#include <math.h>

typedef struct {
  /* once per beam; tip-normalised coordinates Z_j, y1 = Re sum Z_j, one for each pole in use */
  PetscInt        n_poles;
  double complex *lambda, *drive; /* Z_j' = lambda_j Z_j + drive_j f */
  double complex *q;              /* lambda^2 + 2 D w_1 lambda + w_1^2 */
  PetscReal       w1_squared, damping1, Linf;
  /* once per cell */
  Series          series;
  double complex *forced;       /* state, shape [n] */
  PetscReal      *rest, y_rest; /* state and tip at rest under the constant load alone, shape [n] */
  double complex  Y;            /* tip */
  double complex *held;         /* response of Z to unit f over one step */
  double complex *kernel;       /* amplitudes of L_{j+1} - L_j */
  PetscReal      *harmonic, *g; /* harmonic part of g_2; g_2 of the period under way; shape [N] */
  PetscBool       resonance;
  /* the run */
  Scheme          s;
  double complex *start, *z, *work; /* Z at the start without forced motion; the observer; amplitudes of g */
  PetscInt        z_step;           /* of the observer */
} Literal;

/* ---- once per beam, once per cell --------------------------------------------------------------------------------- */

static PetscErrorCode FlowSetUp_Literal(Flow flow)
{
  Literal              *x;
  const double complex *poles, *residues;
  const PetscReal      *r;
  const PetscReal       w1   = flow->w[0];
  const PetscBool       bare = (PetscBool)(flow->params.literal_kernel == KERNEL_BARE);
  KernelConstants       constants;
  PetscInt              n;

  PetscFunctionBeginUser;
  PetscCheck(w1 > 0.0, flow->comm, PETSC_ERR_PLIB, "rigid motion is left to the exact wave kernel");
  PetscCheck(flow->tail->order > 0, flow->comm, PETSC_ERR_PLIB,
             "with closure of order 0 the kernel has no regular part for the literal scheme");
  PetscCall(PetscNew(&x));
  flow->data = x;
  PetscCall(ReceptanceGetPoles(flow->receptance, &n, &poles, &residues));
  PetscCall(ReceptanceGetModes(flow->receptance, NULL, NULL, &r, NULL, NULL));
  PetscCall(KernelGetConstants(flow->receptance, &constants));
  x->n_poles = n = bare ? flow->M : n;
  x->w1_squared  = -constants.A[1][0];
  x->damping1    = -constants.A[1][1];
  x->Linf        = constants.Linf[1];
  if (bare) {
    PetscReal compliance = 0.0;

    for (PetscInt k = flow->M - 1; k >= 0; --k) compliance += r[k] / (flow->w[k] * flow->w[k]);
    x->Linf = w1 * w1 * compliance;
  }
  PetscCall(PetscMalloc6(n, &x->lambda, n, &x->drive, n, &x->q, n, &x->held, n, &x->kernel, flow->n, &x->forced));
  PetscCall(PetscMalloc4(n, &x->start, n, &x->z, n, &x->work, flow->n, &x->rest));
  for (PetscInt j = 0; j < n; ++j) {
    x->lambda[j] = poles[j];
    x->drive[j]  = (cimag(poles[j]) > 0.0 ? 2.0 : 1.0) * residues[j];
    x->q[j]      = j == 0 ? 0.0 : poles[j] * poles[j] + x->damping1 * poles[j] + x->w1_squared;
  }
  PetscCall(SeriesCreate(n, x->lambda, &x->series));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowDestroy_Literal(Flow flow)
{
  Literal *x = flow->data;

  PetscFunctionBeginUser;
  PetscCall(PetscFree6(x->lambda, x->drive, x->q, x->held, x->kernel, x->forced));
  PetscCall(PetscFree4(x->start, x->z, x->work, x->rest));
  PetscCall(PetscFree2(x->harmonic, x->g));
  PetscCall(SeriesDestroy(&x->series));
  PetscCall(MemoryDestroy(&x->s.memory));
  PetscCall(PetscFree(flow->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forced motion of the free beam, and of its tip.   (7.2) */
static PetscErrorCode Forced_Private(Flow flow)
{
  Literal             *x     = flow->data;
  const PetscInt       M     = flow->M;
  const double complex s     = I * flow->frequency;
  const PetscReal      share = x->n_poles > M ? flow->shape->tail * flow->amplitude : 0.0;
  double complex       T;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceEvaluateTail(flow->receptance, s, &T, NULL));
  x->Y         = share * T;
  x->resonance = PETSC_FALSE;
  for (PetscInt k = M - 1; k >= 0; --k) {
    const double complex den = s * s + 2.0 * flow->D * flow->w[k] * s + flow->w[k] * flow->w[k];

    /* 1e-12: the forced amplitude would drown every digit of the free motion */
    if (cabs(den) < 1e-12 * flow->w[k] * flow->w[k]) x->resonance = PETSC_TRUE;
    x->forced[k]     = flow->shape->modal[k] * flow->amplitude / den;
    x->forced[M + k] = s * x->forced[k];
    x->Y += flow->tip[k] * x->forced[k];
  }
  x->forced[2 * M] = share * T;
  if (flow->tail->states == 2) x->forced[2 * M + 1] = (s + flow->tail->b) * x->forced[2 * M] - flow->L_plus * share;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the constant load leaves the beam without a stop; of the bare kernel without its tail.   [theory 17] */
static void Rest_Private(Flow flow)
{
  Literal        *x     = flow->data;
  const PetscInt  M     = flow->M;
  const PetscReal load  = flow->params.forcing_mean;
  const PetscReal share = x->n_poles > M ? flow->shape->tail * load : 0.0;

  x->y_rest = flow->tail->C0 * share;
  for (PetscInt k = M - 1; k >= 0; --k) {
    x->rest[k]     = flow->shape->modal[k] * load / (flow->w[k] * flow->w[k]);
    x->rest[M + k] = 0.0;
    x->y_rest += flow->tip[k] * x->rest[k];
  }
  x->rest[2 * M] = flow->tail->C0 * share;
  if (flow->tail->states == 2) x->rest[2 * M + 1] = (flow->tail->b * flow->tail->C0 - flow->L_plus) * share;
}

static PetscErrorCode FlowSetForcing_Literal(Flow flow)
{
  Literal             *x     = flow->data;
  const PetscReal      ratio = flow->period / flow->params.literal_step;
  const double complex s     = I * flow->frequency;
  double complex       drive;

  PetscFunctionBeginUser;
  PetscCheck(ratio < 1e9, flow->comm, PETSC_ERR_PLIB, "%g steps per period", (double)ratio);
  PetscCall(Forced_Private(flow));
  Rest_Private(flow);
  if (x->resonance) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(x->harmonic, x->g));
  x->s.N    = (PetscInt)PetscMax(ceil(ratio), 1.0);
  x->s.step = flow->period / (PetscReal)x->s.N;
  PetscCall(SeriesSetStep(&x->series, x->s.step));
  for (PetscInt j = 0; j < x->n_poles; ++j) {
    const double complex turn = cexp(x->lambda[j] * x->s.step) - 1.0;

    x->held[j]   = x->drive[j] * turn / x->lambda[j];
    x->kernel[j] = x->drive[j] * turn * x->q[j] / (x->lambda[j] * x->lambda[j]); /* from (4.7) */
  }
  x->s.memory.n_kernel = 0;
  PetscCall(PetscMalloc2(x->s.N, &x->harmonic, x->s.N, &x->g));
  drive = x->Y * (s * s + x->damping1 * s + x->w1_squared) * cexp(I * flow->params.strobe_phase);
  for (PetscInt i = 0; i < x->s.N; ++i)
    x->harmonic[i] = creal(drive * cexp(2.0 * PETSC_PI * I * (PetscReal)i / (PetscReal)x->s.N)) + x->w1_squared * x->y_rest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- observer ----------------------------------------------------------------------------------------------------- */

/* Z from its step to `step`, without force. */
static void ObserverDrift_Private(Literal *x, PetscInt step)
{
  const PetscReal time = (PetscReal)(step - x->z_step) * x->s.step;

  if (time > 0.0)
    for (PetscInt j = 0; j < x->n_poles; ++j) x->z[j] *= cexp(x->lambda[j] * time);
  x->z_step = step;
}

/* Z over one step under the force f. */
static void ObserverPress_Private(Literal *x, PetscInt step, PetscReal f)
{
  ObserverDrift_Private(x, step);
  for (PetscInt j = 0; j < x->n_poles; ++j) x->z[j] = x->z[j] * (x->series.e_re[j] + I * x->series.e_im[j]) + x->held[j] * f;
  x->z_step = step + 1;
}

/* Coordinates Z of the free motion that a state at a strobe begins, rest and forced motion taken off.   (7.3), (7.4) */
static void Expand_Private(Flow flow, const PetscReal *state, double complex *z)
{
  const Literal       *x    = flow->data;
  const PetscInt       M    = flow->M;
  const double complex turn = cexp(I * flow->params.strobe_phase);
  const Tail          *tail = flow->tail;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal u = state[k] - x->rest[k] - creal(x->forced[k] * turn), v = state[M + k] - creal(x->forced[M + k] * turn);

    z[k] = flow->tip[k] * (u - I * (v + flow->D * flow->w[k] * u) / cimag(x->lambda[k]));
  }
  if (x->n_poles > M && tail->states == 1) z[M] = state[2 * M] - x->rest[2 * M] - creal(x->forced[2 * M] * turn);
  if (x->n_poles > M && tail->states == 2) {
    const PetscReal p1 = state[2 * M] - x->rest[2 * M] - creal(x->forced[2 * M] * turn);
    const PetscReal p2 = state[2 * M + 1] - x->rest[2 * M + 1] - creal(x->forced[2 * M + 1] * turn);

    for (PetscInt j = M; j < x->n_poles; ++j)
      z[j] = (cimag(x->lambda[j]) > 0.0 ? 2.0 : 1.0) * (x->lambda[j] * p1 + p2) / (2.0 * x->lambda[j] + tail->b);
  }
}

/* Displacement and velocity of the tip that Z, rest and forced motion have at a strobe. */
static void Tip_Private(Flow flow, const double complex *z, PetscReal *y1, PetscReal *y2)
{
  const Literal       *x    = flow->data;
  const double complex turn = x->Y * cexp(I * flow->params.strobe_phase);

  *y1 = creal(turn) + x->y_rest;
  *y2 = creal(I * flow->frequency * turn);
  for (PetscInt j = x->n_poles - 1; j >= 0; --j) {
    *y1 += creal(z[j]);
    *y2 += creal(x->lambda[j] * z[j]);
  }
}

/* The state at a strobe: observer, rest and forced motion, with mode 1 set by the scheme's tip. */
static void Compose_Private(Flow flow, PetscReal *state)
{
  const Literal       *x    = flow->data;
  const PetscInt       M    = flow->M;
  const double complex turn = cexp(I * flow->params.strobe_phase);
  PetscReal            y1, y2;

  for (PetscInt i = 0; i < flow->n; ++i) state[i] = x->rest[i] + creal(x->forced[i] * turn);
  for (PetscInt k = 0; k < M; ++k) {
    state[k] += creal(x->z[k]) / flow->tip[k];
    state[M + k] += creal(x->lambda[k] * x->z[k]) / flow->tip[k];
  }
  if (x->n_poles > M) {
    PetscReal p1 = 0.0, slope = 0.0;

    for (PetscInt j = M; j < x->n_poles; ++j) {
      p1 += creal(x->z[j]);
      slope += creal(x->lambda[j] * x->z[j]);
    }
    state[2 * M] += p1;
    if (flow->tail->states == 2) state[2 * M + 1] += slope + flow->tail->b * p1;
  }
  Tip_Private(flow, x->z, &y1, &y2);
  state[0] += (x->s.y1 - y1) / flow->tip[0];
  state[M] += ((x->s.contact ? -flow->L_plus * x->s.f : x->s.y2) - y2) / flow->tip[0];
}

/* ---- one step ----------------------------------------------------------------------------------------------------- */

/* From step i to i + 1, then the test for an onset there.   (5.1)-(5.4) */
static void Step_Private(Flow flow)
{
  Literal        *x    = flow->data;
  Scheme         *s    = &x->s;
  const PetscInt  q    = s->period * s->N + s->i;
  const PetscReal stop = flow->stop, y1 = s->y1;
  const PetscReal change = s->step * (-x->w1_squared * y1 - x->damping1 * s->y2 + x->Linf * s->f + x->g[s->i]) + MemorySum(&s->memory, q);

  if (s->contact) ObserverPress_Private(x, q, s->f);
  SchemeStep(flow, s, change, q + 1);
  if (!s->contact && s->y1 <= stop && s->y2 < 0.0) SchemeOnset(flow, s, q + 1, y1 > stop ? (stop - s->y1) / (y1 - s->y1) : 0.0, PETSC_TRUE);
  SchemeExtremes(flow, s);
}

/* ---- periods ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode FlowStart_Literal(Flow flow, const FlowState *state)
{
  Literal *x = flow->data;

  PetscFunctionBeginUser;
  if (x->resonance) PetscFunctionReturn(PETSC_SUCCESS);
  MemoryForget(&x->s.memory);
  PetscCall(MemoryReserve(&x->s.memory, 0, 1, 1));
  Expand_Private(flow, state->x, x->start);
  PetscCall(PetscArraycpy(x->z, x->start, x->n_poles));
  Tip_Private(flow, x->start, &x->s.y1, &x->s.y2);
  x->z_step = x->s.period = x->s.i = x->s.onsets = 0;
  x->s.f                                         = 0.0;
  x->s.contact                                   = PETSC_FALSE;
  if (state->contact) {
    x->s.y1 = flow->stop; /* up to round-off it is */
    if (x->s.y2 < 0.0) SchemeOnset(flow, &x->s, 0, 0.0, PETSC_FALSE);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernel, room and g for the period about to begin. */
static PetscErrorCode BeginPeriod_Private(Flow flow)
{
  Literal       *x      = flow->data;
  Memory        *memory = &x->s.memory;
  const PetscInt known = memory->n_kernel, wanted = (x->s.period + 1) * x->s.N + 1;

  PetscFunctionBeginUser;
  PetscCheck(x->s.period < PETSC_MAX_INT / x->s.N - 2, flow->comm, PETSC_ERR_PLIB, "more steps than can be counted");
  PetscCall(MemoryReserve(memory, PetscMax(wanted - known, 0), x->s.N + 2, x->s.N + 2));
  if (wanted > known) {
    PetscCall(SeriesSum(&x->series, x->kernel, known, wanted - known, memory->kernel + known, &flow->modes_visited));
    memory->n_kernel = wanted;
  }
  if (known == 0) { /* L_0 is L+, whatever the limit of the kernel that was chosen */
    PetscReal L_1;

    PetscCall(KernelEvaluate(flow->receptance, flow->params.literal_kernel, 1, &x->s.step, NULL, &L_1, NULL));
    memory->kernel[0] = L_1 - flow->L_plus;
  }
  for (PetscInt j = 0; j < x->n_poles; ++j) x->work[j] = x->start[j] * x->q[j];
  PetscCall(SeriesSum(&x->series, x->work, x->s.period * x->s.N, x->s.N, x->g, &flow->modes_visited));
  for (PetscInt i = 0; i < x->s.N; ++i) x->g[i] += x->harmonic[i];
  x->s.i = x->s.onsets = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowPeriod_Literal(Flow flow, FlowState *state, FlowReason *reason)
{
  Literal *x = flow->data;

  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  PetscCheck(!flow->record || !flow->record->sample_state, flow->comm, PETSC_ERR_PLIB, "the literal scheme has no states between strobes");
  if (x->resonance) {
    *reason = FLOW_RESONANCE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (x->s.contact) FlowRecordOlder_Private(flow->record);
  PetscCall(BeginPeriod_Private(flow));
  if (!x->s.contact && x->s.y1 <= flow->stop && x->s.y2 < 0.0)
    SchemeOnset(flow, &x->s, x->s.period * x->s.N, 0.0, PETSC_TRUE); /* only at the start */
  while (x->s.i < x->s.N) {
    Step_Private(flow);
    ++flow->looks;
    if (x->s.onsets > flow->params.flow_max_events) {
      *reason = FLOW_EVENT_LIMIT;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  x->s.period += 1;
  x->s.i = 0;
  ObserverDrift_Private(x, x->s.period * x->s.N);
  if (!isfinite(x->s.y1) || !isfinite(x->s.y2) || !isfinite(x->s.f)) {
    *reason = FLOW_LOST;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Compose_Private(flow, state->x);
  state->n       = flow->n;
  state->contact = x->s.contact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Step on until the contact ends. */
static PetscErrorCode FlowFinishContact_Literal(Flow flow, FlowReason *reason)
{
  Literal *x = flow->data;

  PetscFunctionBeginUser;
  for (PetscInt n = 0; n < FLOW_FINISH_PERIODS && flow->record->open; ++n) {
    PetscCall(BeginPeriod_Private(flow));
    while (x->s.i < x->s.N && flow->record->open) Step_Private(flow);
    x->s.period += 1;
  }
  if (!isfinite(x->s.f)) *reason = FLOW_LOST;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowCreate_Literal(Flow flow)
{
  PetscFunctionBeginUser;
  flow->ops = (FlowOps){.setup         = FlowSetUp_Literal,
                        .setforcing    = FlowSetForcing_Literal,
                        .start         = FlowStart_Literal,
                        .period        = FlowPeriod_Literal,
                        .finishcontact = FlowFinishContact_Literal,
                        .destroy       = FlowDestroy_Literal};
  PetscFunctionReturn(PETSC_SUCCESS);
}
