/*
  flow_waves.c - the literal scheme for undamped strings and rods, with their exact kernel: jumps stay jumps.   (5.1)-(5.4), (14.3), (14.4)

  State, shape [n_cells + 2]: travelling wave V, one mean value for each cell; y; offset of the cells.
  Velocity is carried by a wave to the right (u_t - c u_x)/2 and one to the left (u_t + c u_x)/2. The end at 1 turns the first into the
  second, the end at 0 the second into the first, with the opposite sign if it is clamped. Unfolded they are one wave V on a ring of
  length 2: V(xi) goes right for xi = x and left for xi = 2 - x, it moves with speed c, and V(xi + 2) = sign V(xi), (14.8), (14.15). The
  ring is cut into cells that begin at the contact point and move with the wave, so that no field is ever interpolated. At a strobe they lie
  as at first up to the offset, in cells, in [0,1).

  The step divides the period; where a number of cells and of steps can be found such that the cells are one step long and the contact
  point and its image lie between two of them, they are chosen so. Then every jump falls on a step and takes no time; otherwise
  two steps share it (14.16). y2 and f are means over the step that follows.

  Every period starts from the state alone: what earlier force has sent out is in the waves. The memory is that of one period.
  Invariants: in contact y = stop; with a clamped end the waves also say y, and the scheme's y differs by its error, of first order.
  Cost of a step: a multiplication for every step of this period in which f changed. Nothing is allocated in it.
*/
#include "flow_impl.h"
#include "graze/waves.h"
#include "scheme.h"
#include "wave_field.h"

#include <math.h>

typedef struct {
  /* once per beam */
  PetscInt  n_cells;
  PetscBool clamped;
  PetscReal sign;  /* of the end at 0 */
  PetscReal cell;  /* length */
  PetscReal image; /* of the contact point, 2 - x_c, counted from it in cells */
  PetscReal w1_squared, Linf;
  /* once per cell of the sweep */
  WaveLoad   load;
  PetscReal  advance; /* cells that the wave moves in a step */
  PetscReal *v, *u;   /* free motion of y in the period under way: mean velocity of each step, y at its start; shape [N+1] */
  /* the run */
  Scheme     s;
  PetscReal *wave, *free; /* with the force of this period; without it and without what the load sustains; shape [n_cells] */
  PetscReal  offset;
} Waves;

/* A number that is whole up to round-off, made so. 1e-6: of a step, what an input of a few digits less means */
static PetscReal Snap_Private(PetscReal value)
{
  return fabs(value - round(value)) < 1e-6 ? round(value) : value;
}

/* ---- the ring ----------------------------------------------------------------------------------------------------- */

/* Cell i, any integer, of the wave without ends: its place on the ring, and the sign that it has there. */
static PetscInt Wrap_Private(const Waves *x, PetscInt i, PetscReal *sign)
{
  const PetscInt turns = i >= 0 ? i / x->n_cells : -((x->n_cells - 1 - i) / x->n_cells);

  *sign = turns % 2 ? x->sign : 1.0;
  return i - turns * x->n_cells;
}

/* Integral of the wave from a to a + length, all in cells. */
static PetscReal Integral_Private(const Waves *x, const PetscReal *wave, PetscReal a, PetscReal length)
{
  PetscReal sum = 0.0, sign;

  for (PetscInt i = (PetscInt)floor(a); (PetscReal)i < a + length; ++i) {
    const PetscInt j = Wrap_Private(x, i, &sign);

    sum += sign * wave[j] * (PetscMin(a + length, (PetscReal)(i + 1)) - PetscMax(a, (PetscReal)i));
  }
  return sum;
}

/* Add `value` to the wave from a to a + length. */
static void Deposit_Private(const Waves *x, PetscReal *wave, PetscReal a, PetscReal length, PetscReal value)
{
  PetscReal sign;

  for (PetscInt i = (PetscInt)floor(a); (PetscReal)i < a + length; ++i) {
    const PetscInt j = Wrap_Private(x, i, &sign);

    wave[j] += sign * value * (PetscMin(a + length, (PetscReal)(i + 1)) - PetscMax(a, (PetscReal)i));
  }
}

/* Velocity of the contact point, mean over step q, of waves that lie at `offset` at the strobe: what arrives from left and right. */
static PetscReal Arriving_Private(const Waves *x, const PetscReal *wave, PetscReal offset, PetscInt q)
{
  const PetscReal back = offset + (PetscReal)(q + 1) * x->advance;

  return (Integral_Private(x, wave, -back, x->advance) + Integral_Private(x, wave, x->image - back, x->advance)) / x->advance;
}

/* Add `factor` of a motion in closed form, the stated start (load NULL) or what the load sustains, to cells that lie at `offset`. */
static void AddField_Private(Flow flow, const WaveLoad *load, PetscReal time, PetscReal offset, PetscReal factor, PetscReal *wave)
{
  const Waves *x = flow->data;

  WaveFieldAdd(&flow->params, load, time, x->n_cells, flow->params.contact_position + offset * x->cell, flow->side * factor, wave);
}

/* ---- once per beam, once per cell --------------------------------------------------------------------------------- */

/*
  The smallest number of cells, each at most a step long, with the image of the contact point between two of them and, if possible, as
  many steps as make a period. 1e-6: of a step in a period, less than the scheme sees.
*/
static PetscInt Cells_Private(const Params *params)
{
  const PetscReal turn = 2.0 / params->beam_wave_speed, turns = 2.0 * PETSC_PI / params->forcing_frequency / turn;
  const PetscInt  least   = PetscMax((PetscInt)ceil(turn / params->literal_step * (1.0 - 1e-9)), 2);
  const PetscInt  most    = least + PetscMin(least, 100000) + 64;
  PetscInt        between = 0;

  for (PetscInt n = least; n <= most; ++n) {
    const PetscReal image = (PetscReal)n * params->contact_position, steps = (PetscReal)n * turns;

    if (fabs(image - round(image)) > 1e-6) continue;
    if (fabs(steps - round(steps)) < 1e-6 && steps > 0.5) return n;
    if (!between) between = n;
  }
  return between ? between : least;
}

static PetscErrorCode FlowSetUp_Waves(Flow flow)
{
  const Params   *params = &flow->params;
  const PetscReal c = params->beam_wave_speed, w1 = 0.5 * PETSC_PI * c;
  Waves          *x;

  PetscFunctionBeginUser;
  PetscCheck(2.0 / (c * params->literal_step) < 1e9, flow->comm, PETSC_ERR_PLIB, "%g cells", (double)(2.0 / (c * params->literal_step)));
  PetscCall(PetscNew(&x));
  flow->data    = x;
  x->n_cells    = Cells_Private(params);
  x->clamped    = (PetscBool)(params->beam_ends != ENDS_FREE_FREE);
  x->sign       = x->clamped ? -1.0 : 1.0;
  x->cell       = 2.0 / (PetscReal)x->n_cells;
  x->image      = Snap_Private((1.0 - params->contact_position) * (PetscReal)x->n_cells);
  x->w1_squared = x->clamped ? w1 * w1 : 0.0;
  x->Linf       = x->clamped ? w1 * w1 * params->contact_position / (c * c) : 1.0;
  x->advance    = 1.0;
  flow->n       = x->n_cells + 2;
  flow->L_plus  = (params->contact_position == 1.0 ? 1.0 : 0.5) / c;
  PetscCall(PetscMalloc2(x->n_cells, &x->wave, x->n_cells, &x->free));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowDestroy_Waves(Flow flow)
{
  Waves *x = flow->data;

  PetscFunctionBeginUser;
  PetscCall(PetscFree2(x->wave, x->free));
  PetscCall(PetscFree2(x->v, x->u));
  PetscCall(MemoryDestroy(&x->s.memory));
  PetscCall(PetscFree(flow->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  L_{j+1} - L_j for all steps of a period. A jump between two steps is shared by them, as g has it in the mean over a step: what force
  sends out in one period and the memory of the next receive it alike.   (14.16)
*/
static PetscErrorCode Kernel_Private(Flow flow)
{
  Waves         *x    = flow->data;
  const PetscInt room = x->s.N + 1;
  WaveTrain      train, shared;
  PetscReal     *tau, *L;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(room + 1, &tau, room + 1, &L));
  for (PetscInt j = 0; j <= room; ++j) tau[j] = (PetscReal)j * x->s.step;
  PetscCall(WaveTrainCreate(&flow->params, flow->params.contact_position, tau[room], &train));
  shared.n = 2 * train.n;
  PetscCall(PetscMalloc2(shared.n, &shared.delay, shared.n, &shared.jump));
  for (PetscInt d = 0; d < train.n; ++d) {
    const PetscReal at = Snap_Private(train.delay[d] / x->s.step), before = floor(at);

    shared.delay[2 * d]     = before * x->s.step;
    shared.jump[2 * d]      = (1.0 - (at - before)) * train.jump[d];
    shared.delay[2 * d + 1] = (before + 1.0) * x->s.step;
    shared.jump[2 * d + 1]  = (at - before) * train.jump[d];
  }
  /* a reflection that is back within the first step waits for the second: L_0 is L+ */
  for (PetscInt d = 1; d < shared.n; ++d) shared.delay[d] = PetscMax(shared.delay[d], shared.delay[d - 1]);
  PetscCall(WaveTrainKernel(&shared, sqrt(x->w1_squared), x->Linf, room + 1, tau, L, NULL));
  PetscCall(WaveTrainDestroy(&shared));
  PetscCall(WaveTrainDestroy(&train));
  MemoryForget(&x->s.memory);
  x->s.memory.n_kernel = 0;
  PetscCall(MemoryReserve(&x->s.memory, room, room + 1, room + 1));
  for (PetscInt j = 0; j < room; ++j) x->s.memory.kernel[j] = L[j + 1] - L[j];
  x->s.memory.n_kernel = room;
  PetscCall(PetscFree2(tau, L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowSetForcing_Waves(Flow flow)
{
  Waves          *x     = flow->data;
  const PetscReal pace  = x->cell / flow->params.beam_wave_speed; /* one step per cell */
  const PetscReal steps = flow->period / pace, whole = round(steps);

  PetscFunctionBeginUser;
  PetscCheck(steps < 1e9, flow->comm, PETSC_ERR_PLIB, "%g steps per period", (double)steps);
  WaveLoadSet(&flow->params, flow->amplitude, flow->frequency, &x->load);
  if (x->load.resonance) PetscFunctionReturn(PETSC_SUCCESS);
  x->s.N     = (PetscInt)(fabs(steps - whole) < 1e-6 && whole > 0.5 ? whole : ceil(steps));
  x->s.step  = flow->period / (PetscReal)x->s.N;
  x->advance = Snap_Private(x->s.step / pace);
  PetscCall(PetscFree2(x->v, x->u));
  PetscCall(PetscMalloc2(x->s.N + 1, &x->v, x->s.N + 1, &x->u));
  PetscCall(Kernel_Private(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- states ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode FlowInitialState_Waves(Flow flow, PetscReal *state)
{
  const Waves *x = flow->data;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(state, flow->n));
  AddField_Private(flow, NULL, 0.0, 0.0, 1.0, state);
  state[x->n_cells] = flow->side * WaveFieldInitial(&flow->params, flow->params.contact_position).u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlowGetTip_Waves(Flow flow, const FlowState *state, PetscReal *y, PetscReal *slope)
{
  const Waves *x = flow->data;

  PetscFunctionBeginUser;
  *y     = state->x[x->n_cells];
  *slope = Arriving_Private(x, state->x, state->x[x->n_cells + 1], 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twice the energy of the waves is 2 int V^2; y and the offset have none of it, and are weighed as lengths over the time of passage. */
static PetscErrorCode FlowWeights_Waves(Flow flow, PetscReal *weights)
{
  const Waves *x = flow->data;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < x->n_cells; ++i) weights[i] = sqrt(2.0 * x->cell);
  weights[x->n_cells]     = flow->params.beam_wave_speed;
  weights[x->n_cells + 1] = flow->params.beam_wave_speed * x->cell;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The waves after the period just made, at the place that they have reached. */
static void Compose_Private(Flow flow, PetscReal *state)
{
  const Waves    *x     = flow->data;
  const PetscReal place = Snap_Private(x->offset + (PetscReal)x->s.N * x->advance);
  const PetscInt  moved = (PetscInt)floor(place);
  PetscReal       sign;

  for (PetscInt i = 0; i < x->n_cells; ++i) {
    const PetscInt j = Wrap_Private(x, i - moved, &sign);

    state[i] = sign * x->wave[j];
  }
  state[x->n_cells]     = x->s.y1;
  state[x->n_cells + 1] = place - (PetscReal)moved;
  AddField_Private(flow, &x->load, flow->period, state[x->n_cells + 1], 1.0, state);
}

/* ---- one step ----------------------------------------------------------------------------------------------------- */

/* A crossing that lies on the present step but for round-off (1e-6 of a step, as above) is not left to the next one. */
static PetscBool Touches_Private(Flow flow)
{
  const Waves *x = flow->data;

  return (PetscBool)(!x->s.contact && x->s.y2 < 0.0 && x->s.y1 - flow->stop <= -1e-6 * x->s.step * x->s.y2);
}

/* From step i to i + 1, then the test for an onset there.   (5.1)-(5.4) with D = 0 */
static void Step_Private(Flow flow)
{
  Waves          *x    = flow->data;
  Scheme         *s    = &x->s;
  const PetscInt  q    = s->i;
  const PetscReal stop = flow->stop, y1 = s->y1;
  const PetscReal change = s->step * (x->w1_squared * (x->u[q] - y1) + x->Linf * s->f) + (x->v[q + 1] - x->v[q]) + MemorySum(&s->memory, q);

  if (s->contact) {
    const PetscReal back = x->offset + (PetscReal)(q + 1) * x->advance, sent = 0.5 * s->f / flow->params.beam_wave_speed;

    Deposit_Private(x, x->wave, -back, x->advance, sent);
    Deposit_Private(x, x->wave, x->image - back, x->advance, sent);
  }
  SchemeStep(flow, s, change, q + 1);
  if (Touches_Private(flow))
    SchemeOnset(flow, s, q + 1, y1 > stop ? PetscClipInterval((stop - s->y1) / (y1 - s->y1), 0.0, 1.0) : 0.0, PETSC_TRUE);
  SchemeExtremes(flow, s);
}

/* ---- periods ------------------------------------------------------------------------------------------------------ */

/* All of the period about to begin from the state at its strobe; the force of a contact is what stops the waves that arrive. */
static void Begin_Private(Flow flow, const PetscReal *state, PetscBool contact)
{
  Waves          *x  = flow->data;
  const PetscReal xc = flow->params.contact_position;

  for (PetscInt i = 0; i < x->n_cells; ++i) x->free[i] = state[i];
  x->s.y1   = contact ? flow->stop : state[x->n_cells];
  x->offset = state[x->n_cells + 1];
  AddField_Private(flow, &x->load, 0.0, x->offset, -1.0, x->free);
  for (PetscInt i = 0; i < x->n_cells; ++i) x->wave[i] = x->free[i];
  x->u[0] = x->s.y1;
  if (x->clamped)
    x->u[0] = x->cell / flow->params.beam_wave_speed * Integral_Private(x, state, x->image - x->offset, (PetscReal)x->n_cells - x->image);
  for (PetscInt q = 0; q <= x->s.N; ++q) {
    const PetscReal begin = (PetscReal)q * x->s.step;

    x->v[q] = flow->side * (WaveLoadDisplacement(&x->load, xc, begin + x->s.step) - WaveLoadDisplacement(&x->load, xc, begin)) / x->s.step +
              Arriving_Private(x, x->free, x->offset, q);
    if (q < x->s.N) x->u[q + 1] = x->u[q] + x->s.step * x->v[q];
  }
  MemoryForget(&x->s.memory);
  x->s.y2      = x->v[0];
  x->s.f       = contact ? PetscMax(-x->s.y2 / flow->L_plus, 0.0) : 0.0;
  x->s.contact = (PetscBool)(x->s.f > 0.0);
  if (x->s.contact) {
    x->s.y2 = 0.0;
    MemoryAdd(&x->s.memory, 0, x->s.f);
  }
  x->s.i = x->s.onsets = 0;
}

static PetscErrorCode FlowStart_Waves(Flow flow, const FlowState *state)
{
  Waves *x = flow->data;

  PetscFunctionBeginUser;
  if (x->load.resonance) PetscFunctionReturn(PETSC_SUCCESS);
  x->s.period   = 0;
  x->s.duration = x->s.impulse = 0.0;
  Begin_Private(flow, state->x, state->contact);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state at the strobe that the last step has reached, and from it the next period. */
static void End_Private(Flow flow, FlowState *state)
{
  Waves          *x       = flow->data;
  const PetscBool contact = x->s.contact;

  Compose_Private(flow, state->x);
  x->s.period += 1;
  Begin_Private(flow, state->x, contact);
  if (contact && !x->s.contact) FlowRecordRelease_Private(flow->record, x->s.duration, x->s.impulse);
  state->n       = flow->n;
  state->contact = x->s.contact;
}

static PetscErrorCode FlowPeriod_Waves(Flow flow, FlowState *state, FlowReason *reason)
{
  Waves *x = flow->data;

  PetscFunctionBeginUser;
  *reason = FLOW_GOOD;
  PetscCheck(!flow->record || !flow->record->sample_state, flow->comm, PETSC_ERR_PLIB, "the literal scheme has no states between strobes");
  if (x->load.resonance) {
    *reason = FLOW_RESONANCE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (x->s.contact) FlowRecordOlder_Private(flow->record);
  if (Touches_Private(flow)) SchemeOnset(flow, &x->s, x->s.i, 0.0, PETSC_TRUE); /* only at the start */
  while (x->s.i < x->s.N) {
    Step_Private(flow);
    ++flow->looks;
    if (x->s.onsets > flow->params.flow_max_events) {
      *reason = FLOW_EVENT_LIMIT;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (!isfinite(x->s.y1) || !isfinite(x->s.y2) || !isfinite(x->s.f)) {
    *reason = FLOW_LOST;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  End_Private(flow, state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Step on until the contact ends. */
static PetscErrorCode FlowFinishContact_Waves(Flow flow, FlowReason *reason)
{
  Waves    *x     = flow->data;
  FlowState state = {.n = flow->n};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(flow->n, &state.x));
  for (PetscInt n = 0; n < FLOW_FINISH_PERIODS && flow->record->open; ++n) {
    while (x->s.i < x->s.N && flow->record->open) Step_Private(flow);
    if (flow->record->open) End_Private(flow, &state);
  }
  if (!isfinite(x->s.f)) *reason = FLOW_LOST;
  PetscCall(PetscFree(state.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowCreate_Waves(Flow flow)
{
  PetscFunctionBeginUser;
  flow->ops = (FlowOps){.setup         = FlowSetUp_Waves,
                        .setforcing    = FlowSetForcing_Waves,
                        .start         = FlowStart_Waves,
                        .period        = FlowPeriod_Waves,
                        .finishcontact = FlowFinishContact_Waves,
                        .destroy       = FlowDestroy_Waves,
                        .initialstate  = FlowInitialState_Waves,
                        .gettip        = FlowGetTip_Waves,
                        .weights       = FlowWeights_Waves};
  PetscFunctionReturn(PETSC_SUCCESS);
}
