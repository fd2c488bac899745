/*
  flow_restitution_motion.c - from a state to the coefficients of its motion and back, in flight and stuck to the stop.   (15.7)

  In flight every mode turns by itself. Held at the stop the deviation from the motion under the load is
      x_k = n_k Re sum_j a_j e^{z_j t} / den_k(z_j),   f = Re sum_j a_j e^{z_j t},   sum_k n_k^2 / den_k(z_j) = 0,
  so that neither y nor y' moves. A rigid mode in flight is a polynomial, which the signal carries beside its exponentials.
*/
#include <math.h>

#include "flow_restitution.h"

/* Deviation of the state from the motion under the load at time x->t. */
static void Deviation_Private(Flow flow, const double complex *forced, const PetscReal *still, PetscReal *dev)
{
  const Restitution *x     = flow->data;
  const PetscInt     M     = flow->M;
  const PetscReal    W     = flow->frequency;
  const PetscReal    angle = W * x->t + flow->params.strobe_phase, c = cos(angle), d = sin(angle);

  for (PetscInt k = 0; k < M; ++k) {
    dev[k]     = x->state[k] - still[k] - (creal(forced[k]) * c - cimag(forced[k]) * d);
    dev[M + k] = x->state[M + k] + W * (creal(forced[k]) * d + cimag(forced[k]) * c);
  }
}

/* Add the motion under the load to a deviation. */
static void AddForced_Private(Flow flow, const double complex *forced, const PetscReal *still, PetscReal angle, PetscReal *state)
{
  const PetscInt  M = flow->M;
  const PetscReal W = flow->frequency, c = cos(angle), d = sin(angle);

  for (PetscInt k = 0; k < M; ++k) {
    state[k] += still[k] + (creal(forced[k]) * c - cimag(forced[k]) * d);
    state[M + k] -= W * (creal(forced[k]) * d + cimag(forced[k]) * c);
  }
}

void FlightBegin_Private(Flow flow, Look *look)
{
  Restitution   *x   = flow->data;
  const PetscInt M   = flow->M;
  Signal        *s   = &x->free;
  PetscReal     *dev = x->work;

  Deviation_Private(flow, x->free_forced, x->free_still, dev);
  for (PetscInt k = 0; k < M; ++k) {
    x->amp_re[k] = dev[k];
    x->amp_im[k] = -(dev[M + k] + flow->damping[k] * flow->w[k] * dev[k]) * x->inverse_wd[k];
    s->a_re[k]   = flow->tip[k] * x->amp_re[k];
    s->a_im[k]   = flow->tip[k] * x->amp_im[k];
  }
  s->Y         = x->free_Y;
  s->W         = flow->frequency;
  s->angle     = flow->frequency * x->t + flow->params.strobe_phase;
  s->constant  = x->free_constant - flow->stop;
  s->linear    = 0.0;
  s->quadratic = 0.0;
  if (x->rigid >= 0) {
    const PetscInt  k = x->rigid;
    const PetscReal n = flow->tip[k];

    x->amp_im[k] = dev[M + k];
    s->a_re[k] = s->a_im[k] = 0.0; /* its exponent is 0 and would be taken for one that has decayed */
    s->constant += n * dev[k];
    s->linear    = n * dev[M + k];
    s->quadratic = n * flow->shape->modal[k] * flow->params.forcing_mean;
  }
  SignalBegin(s, look);
}

void FlightState_Private(Flow flow, PetscReal tau, PetscReal *state)
{
  const Restitution *x = flow->data;
  const Signal      *s = &x->free;
  const PetscInt     M = flow->M;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal re = x->amp_re[k] * s->e_re[k] - x->amp_im[k] * s->e_im[k], im = x->amp_re[k] * s->e_im[k] + x->amp_im[k] * s->e_re[k];

    state[k]     = re;
    state[M + k] = x->free_exponents.re[k] * re - x->free_exponents.im[k] * im;
  }
  if (x->rigid >= 0) {
    const PetscInt  k    = x->rigid;
    const PetscReal load = flow->shape->modal[k] * flow->params.forcing_mean;

    state[k]     = x->amp_re[k] + tau * (x->amp_im[k] + 0.5 * tau * load);
    state[M + k] = x->amp_im[k] + tau * load;
  }
  AddForced_Private(flow, x->free_forced, x->free_still, s->angle + flow->frequency * tau, state);
}

void HoldProject_Private(Flow flow, PetscReal *dev)
{
  const Restitution *x = flow->data;
  const PetscInt     M = flow->M;
  PetscReal          y = 0.0, slope = 0.0;

  for (PetscInt k = M - 1; k >= 0; --k) {
    y += flow->tip[k] * dev[k];
    slope += flow->tip[k] * dev[M + k];
  }
  for (PetscInt k = 0; k < M; ++k) {
    dev[k] -= flow->tip[k] * (y / x->nn);
    dev[M + k] -= flow->tip[k] * (slope / x->nn);
  }
}

GRAZE_VECTORISED static double complex Pair_Private(PetscInt M, const PetscReal *restrict q_re, const PetscReal *restrict q_im,
                                                    const PetscReal *restrict v)
{
  PetscReal re = 0.0, im = 0.0;

#pragma omp simd reduction(+ : re, im)
  for (PetscInt k = 0; k < M; ++k) {
    re += q_re[k] * v[k];
    im += q_im[k] * v[k];
  }
  return re + I * im;
}

/* Residues of -Y_free(s)/H(s), the force that keeps y where it is, at the zeros of H. */
void HoldExpand_Private(Flow flow, const PetscReal *dev, PetscReal *a_re, PetscReal *a_im)
{
  Restitution   *x    = flow->data;
  const PetscInt M    = flow->M;
  PetscReal     *rate = x->column;

  for (PetscInt k = 0; k < M; ++k) rate[k] = dev[M + k] + 2.0 * flow->damping[k] * flow->w[k] * dev[k];
  for (PetscInt j = 0; j < x->nz; ++j) {
    const PetscReal     *q_re = x->cauchy_re + (size_t)j * (size_t)M, *q_im = x->cauchy_im + (size_t)j * (size_t)M;
    const double complex a = -x->weights[j] * (x->zeros[j] * Pair_Private(M, q_re, q_im, dev) + Pair_Private(M, q_re, q_im, rate));

    a_re[j] = creal(a);
    a_im[j] = cimag(a);
  }
}

GRAZE_VECTORISED static void AddPair_Private(PetscInt M, const PetscReal *restrict q_re, const PetscReal *restrict q_im, double complex a,
                                             double complex za, PetscReal *restrict u, PetscReal *restrict v)
{
  const PetscReal a_re = creal(a), a_im = cimag(a), b_re = creal(za), b_im = cimag(za);

  for (PetscInt k = 0; k < M; ++k) {
    u[k] += q_re[k] * a_re - q_im[k] * a_im;
    v[k] += q_re[k] * b_re - q_im[k] * b_im;
  }
}

void HoldCompose_Private(Flow flow, const PetscReal *a_re, const PetscReal *a_im, PetscReal *dev)
{
  const Restitution *x = flow->data;
  const PetscInt     M = flow->M;

  for (PetscInt i = 0; i < 2 * M; ++i) dev[i] = 0.0;
  for (PetscInt j = 0; j < x->nz; ++j) {
    const double complex a = a_re[j] + I * a_im[j];

    AddPair_Private(M, x->cauchy_re + (size_t)j * (size_t)M, x->cauchy_im + (size_t)j * (size_t)M, a, x->zeros[j] * a, dev, dev + M);
  }
}

void HoldBegin_Private(Flow flow, Look *look)
{
  Restitution *x = flow->data;
  Signal      *s = &x->hold;

  Deviation_Private(flow, x->hold_forced, x->hold_still, x->work);
  HoldProject_Private(flow, x->work);
  HoldExpand_Private(flow, x->work, s->a_re, s->a_im);
  s->Y        = x->hold_Y;
  s->W        = flow->frequency;
  s->angle    = flow->frequency * x->t + flow->params.strobe_phase;
  s->constant = x->hold_constant;
  SignalBegin(s, look);
}

void HoldState_Private(Flow flow, PetscReal tau, PetscReal *state)
{
  const Restitution *x = flow->data;
  const Signal      *s = &x->hold;

  for (PetscInt j = 0; j < x->nz; ++j) {
    x->amp_re[j] = s->a_re[j] * s->e_re[j] - s->a_im[j] * s->e_im[j];
    x->amp_im[j] = s->a_re[j] * s->e_im[j] + s->a_im[j] * s->e_re[j];
  }
  HoldCompose_Private(flow, x->amp_re, x->amp_im, state);
  AddForced_Private(flow, x->hold_forced, x->hold_still, s->angle + flow->frequency * tau, state);
}
