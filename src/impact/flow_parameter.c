/*
  flow_parameter.c - the derivative of a flow by amplitude, frequency or stop position, carried beside its tangent vectors.   [theory 18]

  Every phase is affine: a deviation from the motion under the load, in flight or held on the stop, is carried by the linear part alone. So
  s is treated as a state is, with the derivative of that motion instead of the motion itself. Derivatives are taken at a fixed time. What
  an event adds to them because it moves is in the maps that begin the next phase; the strobe at the end moves here.

  Same for both flows: modes, then the tail. den_k = s^2 + 2 D_k w_k s + w_k^2 at s = iW, and d/dW = i d/ds.
*/
#include "flow_impl.h"

#include <math.h>

static void Den_Private(Flow flow, PetscInt k, double complex s, double complex *den, double complex *slope)
{
  const PetscReal damping = 2.0 * flow->damping[k] * flow->w[k];

  *den   = s * s + damping * s + flow->w[k] * flow->w[k];
  *slope = 2.0 * s + damping;
}

/* Tip displacement under a unit load and under a unit force on it, with their slopes by s. */
typedef struct {
  double complex load, load_slope, H, H_slope, T, T_slope;
} Tip;

static PetscErrorCode Tip_Private(Flow flow, double complex s, Tip *tip)
{
  PetscFunctionBeginUser;
  *tip = (Tip){0};
  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    const PetscReal n = flow->tip[k], p = flow->shape->modal[k];
    double complex  den, slope;

    Den_Private(flow, k, s, &den, &slope);
    tip->load += n * p / den;
    tip->load_slope -= n * p * slope / (den * den);
    tip->H += n * n / den;
    tip->H_slope -= n * n * slope / (den * den);
  }
  if (flow->tail->C0 > 0.0) {
    PetscCall(ReceptanceEvaluateTail(flow->receptance, s, &tip->T, &tip->T_slope));
    tip->load += flow->shape->tail * tip->T;
    tip->load_slope += flow->shape->tail * tip->T_slope;
    tip->H += tip->T;
    tip->H_slope += tip->T_slope;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Derivative of the forced motion (7.2) under the load A and the tip force `force`: A changes by dA, iW by ds, the force by `force_by`.
*/
static void Motion_Private(Flow flow, const Tip *tip, PetscReal dA, double complex ds, double complex force, double complex force_by,
                           double complex *motion, double complex *drift)
{
  const PetscInt       M = flow->M, states = flow->tail->states;
  const double complex s     = I * flow->frequency;
  const double complex drive = flow->shape->tail * flow->amplitude + force, drive_by = flow->shape->tail * dA + force_by;

  for (PetscInt k = 0; k < M; ++k) {
    double complex den, slope, x;

    Den_Private(flow, k, s, &den, &slope);
    x             = (flow->shape->modal[k] * flow->amplitude + flow->tip[k] * force) / den;
    motion[k]     = (flow->shape->modal[k] * dA + flow->tip[k] * force_by - x * slope * ds) / den;
    motion[M + k] = s * motion[k] + ds * x;
    drift[k]      = ds * x;
    drift[M + k]  = ds * s * x;
  }
  if (states > 0) {
    motion[2 * M] = tip->T * drive_by + tip->T_slope * ds * drive;
    drift[2 * M]  = ds * tip->T * drive;
  }
  if (states > 1) {
    motion[2 * M + 1] = (s + flow->tail->b) * motion[2 * M] + ds * tip->T * drive - flow->L_plus * drive_by;
    drift[2 * M + 1]  = ds * ((s + flow->tail->b) * tip->T * drive - flow->L_plus * drive);
  }
}

/* The structure held still at y = 1: a rigid mode gives way alone.   (7.7) */
static void Still_Private(Flow flow, PetscReal *still)
{
  const PetscInt M = flow->M, states = flow->tail->states;
  PetscInt       rigid = -1;
  PetscReal      S     = flow->tail->C0;

  for (PetscInt k = M - 1; k >= 0; --k) {
    if (flow->w[k] == 0.0) rigid = k;
    else S += flow->tip[k] * flow->tip[k] / (flow->w[k] * flow->w[k]);
  }
  for (PetscInt i = 0; i < flow->n; ++i) still[i] = 0.0;
  if (rigid >= 0) {
    still[rigid] = 1.0 / flow->tip[rigid];
    return;
  }
  for (PetscInt k = 0; k < M; ++k) still[k] = flow->tip[k] / (S * flow->w[k] * flow->w[k]);
  if (states > 0) still[2 * M] = flow->tail->C0 / S;
  if (states > 1) still[2 * M + 1] = (flow->tail->b * flow->tail->C0 - flow->L_plus) / S;
}

PetscErrorCode SensitivityBegin_Private(Flow flow)
{
  Sensitivity         *d  = &flow->sensitivity;
  const FlowParameter  by = flow->tangent->by;
  const PetscReal      dA = by == FLOW_BY_AMPLITUDE ? 1.0 : 0.0;
  const double complex ds = by == FLOW_BY_FREQUENCY ? I : 0.0;
  double complex       hold, hold_by;
  Tip                  tip;

  PetscFunctionBeginUser;
  if (by == d->by) PetscFunctionReturn(PETSC_SUCCESS);
  d->by   = by;
  d->stop = by == FLOW_BY_STOP ? flow->side : 0.0;
  if (by == FLOW_BY_NOTHING) PetscFunctionReturn(PETSC_SUCCESS);
  if (!d->still)
    PetscCall(
      PetscMalloc5(flow->n, &d->motion[0], flow->n, &d->motion[1], flow->n, &d->drift[0], flow->n, &d->drift[1], flow->n, &d->still));
  PetscCall(Tip_Private(flow, I * flow->frequency, &tip));
  hold    = -flow->amplitude * tip.load / tip.H;
  hold_by = -dA * tip.load / tip.H - flow->amplitude * ds * (tip.load_slope * tip.H - tip.load * tip.H_slope) / (tip.H * tip.H);
  Motion_Private(flow, &tip, dA, ds, 0.0, 0.0, d->motion[0], d->drift[0]);
  Motion_Private(flow, &tip, dA, ds, hold, hold_by, d->motion[1], d->drift[1]);
  Still_Private(flow, d->still);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SensitivityDestroy_Private(Sensitivity *d)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree5(d->motion[0], d->motion[1], d->drift[0], d->drift[1], d->still));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SensitivityAdd_Private(Flow flow, PetscReal sign, PetscBool held, PetscReal t)
{
  const Sensitivity    *d      = &flow->sensitivity;
  const double complex *motion = d->motion[held ? 1 : 0], *drift = d->drift[held ? 1 : 0];
  const PetscReal       angle = flow->frequency * t + flow->params.strobe_phase, c = sign * cos(angle), e = sign * sin(angle);
  const PetscReal       still = held ? sign * d->stop : 0.0;
  PetscReal            *s     = flow->tangent->s;

  for (PetscInt i = 0; i < flow->n; ++i)
    s[i] += (creal(motion[i]) + t * creal(drift[i])) * c - (cimag(motion[i]) + t * cimag(drift[i])) * e + still * d->still[i];
}

void SensitivityStrobe_Private(Flow flow, const PetscReal *x, PetscReal force)
{
  const PetscInt  M     = flow->M;
  const Tail     *tail  = flow->tail;
  const PetscReal load  = flow->params.forcing_mean + flow->amplitude * cos(flow->params.strobe_phase);
  const PetscReal drive = flow->shape->tail * load + force, moves = -flow->period / flow->frequency;
  PetscReal      *s = flow->tangent->s;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal w = flow->w[k], damping = 2.0 * flow->damping[k] * w;

    s[k] += moves * x[M + k];
    s[M + k] += moves * (flow->shape->modal[k] * load + flow->tip[k] * force - w * w * x[k] - damping * x[M + k]);
  }
  if (tail->states == 1) s[2 * M] += moves * flow->L_plus * (drive - x[2 * M] / tail->C0);
  if (tail->states == 2) {
    s[2 * M] += moves * (x[2 * M + 1] - tail->b * x[2 * M] + flow->L_plus * drive);
    s[2 * M + 1] += moves * (tail->a * drive - tail->d * x[2 * M]);
  }
}
