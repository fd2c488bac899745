/*
  flow_restitution_basis.c - what the restitution flow makes once per beam and once per cell.   [theory 15.2]

  Stuck to the stop the contact point neither moves nor lags: the exponents are the zeros of H(s) = sum_k n_k^2 / den_k(s),
  den_k = s^2 + 2 D_k w_k s + w_k^2, two fewer than those of flight (15.7).
*/
#include "flow_restitution.h"

#include <math.h>

static double complex Den_Private(Flow flow, PetscInt k, double complex s)
{
  return s * s + 2.0 * flow->damping[k] * flow->w[k] * s + flow->w[k] * flow->w[k];
}

/*
  Zeros, their weights, and the columns n_k / den_k(z_j): those of the bare modes, a receptance of their own, whatever the model's has for a
  tail. Its compliance is what they carry, so that nothing is left for one.
*/
static PetscErrorCode Zeros_Private(Flow flow)
{
  Restitution          *x = flow->data;
  const PetscInt        M = flow->M;
  const PetscReal      *r;
  const double complex *slopes;
  PetscReal             S = 0.0;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(flow->receptance, NULL, NULL, &r, NULL, NULL));
  for (PetscInt k = M - 1; k >= 0; --k)
    if (flow->w[k] > 0.0) S += r[k] / (flow->w[k] * flow->w[k]);
  PetscCall(ReceptanceCreate(flow->comm, &x->bare));
  PetscCall(ReceptanceSetModes(x->bare, M, flow->w, r, M));
  PetscCall(ReceptanceSetContinuum(x->bare, flow->D, S, INFINITY));
  PetscCall(ReceptanceSetDamping(x->bare, flow->damping));
  PetscCall(ReceptanceSetClosure(x->bare, 0));
  PetscCall(ReceptanceGetZeros(x->bare, &x->nz, &x->zeros, &slopes));
  PetscCall(PetscMalloc3(x->nz, &x->weights, x->nz * M, &x->cauchy_re, x->nz * M, &x->cauchy_im));
  for (PetscInt j = 0; j < x->nz; ++j) {
    x->weights[j] = (cimag(x->zeros[j]) > 0.0 ? 2.0 : 1.0) / slopes[j];
    for (PetscInt k = 0; k < M; ++k) {
      const double complex q = flow->tip[k] / Den_Private(flow, k, x->zeros[j]);

      x->cauchy_re[(size_t)j * (size_t)M + (size_t)k] = creal(q);
      x->cauchy_im[(size_t)j * (size_t)M + (size_t)k] = cimag(q);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that is made once per beam. Cost: one dense eigenproblem of size 2M-2. */
PetscErrorCode FlowSetUp_Restitution(Flow flow)
{
  const PetscInt  M = flow->M;
  Restitution    *x;
  double complex *poles;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&x));
  flow->data = x;
  x->rigid   = -1;
  PetscCall(PetscMalloc1(M, &poles));
  PetscCall(PetscMalloc3(M, &x->inverse_wd, M, &x->free_still, M, &x->hold_still));
  PetscCall(PetscMalloc2(M, &x->free_forced, M, &x->hold_forced));
  PetscCall(PetscMalloc6(2 * M, &x->amp_re, 2 * M, &x->amp_im, 2 * M, &x->state, 2 * M, &x->work, 2 * M, &x->column, 4 * M, &x->block));
  for (PetscInt k = M - 1; k >= 0; --k) {
    const PetscReal w = flow->w[k], D = flow->damping[k], wd = w * sqrt(1.0 - D * D);

    PetscCheck(w > 0.0 || x->rigid < 0, flow->comm, PETSC_ERR_PLIB, "two rigid modes move the contact point");
    PetscCheck(k == 0 || w != flow->w[k - 1] || D != flow->damping[k - 1], flow->comm, PETSC_ERR_PLIB,
               "modes %d and %d are one to the contact point", (int)k, (int)k + 1);
    if (w == 0.0) x->rigid = k;
    x->nn += flow->tip[k] * flow->tip[k];
    poles[k]         = -D * w + I * wd;
    x->inverse_wd[k] = w > 0.0 ? 1.0 / wd : 0.0;
  }
  PetscCall(ExponentsCreate(M, poles, &x->free_exponents));
  PetscCall(PetscFree(poles));
  PetscCall(Zeros_Private(flow));
  PetscCall(ExponentsCreate(x->nz, x->zeros, &x->hold_exponents));
  PetscCall(SignalCreate(&x->free_exponents, &x->free));
  PetscCall(SignalCreate(&x->hold_exponents, &x->hold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowDestroy_Restitution(Flow flow)
{
  Restitution *x = flow->data;

  PetscFunctionBeginUser;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SignalDestroy(&x->free));
  PetscCall(SignalDestroy(&x->hold));
  PetscCall(ExponentsDestroy(&x->free_exponents));
  PetscCall(ExponentsDestroy(&x->hold_exponents));
  PetscCall(ReceptanceDestroy(&x->bare));
  PetscCall(PetscFree3(x->weights, x->cauchy_re, x->cauchy_im));
  PetscCall(PetscFree3(x->inverse_wd, x->free_still, x->hold_still));
  PetscCall(PetscFree2(x->free_forced, x->hold_forced));
  PetscCall(PetscFree6(x->amp_re, x->amp_im, x->state, x->work, x->column, x->block));
  PetscCall(PetscFree(flow->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Under the constant load p F0 alone: in flight, and held at the stop by the force hold_constant. */
static void Still_Private(Flow flow)
{
  Restitution     *x = flow->data;
  const PetscReal *n = flow->tip, *p = flow->shape->modal, F0 = flow->params.forcing_mean;
  const PetscInt   r = x->rigid;
  PetscReal        y = 0.0, S = 0.0, held = 0.0;

  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    const PetscReal stiffness = flow->w[k] * flow->w[k];

    x->free_still[k] = k == r ? 0.0 : p[k] * F0 / stiffness;
    y += n[k] * x->free_still[k];
    if (k != r) S += n[k] * n[k] / stiffness;
  }
  x->free_constant = y;
  x->hold_constant = r >= 0 ? -p[r] * F0 / n[r] : (flow->stop - y) / S; /* a rigid mode is held by the balance of forces alone */
  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    if (k == r) continue;
    x->hold_still[k] = x->free_still[k] + n[k] * x->hold_constant / (flow->w[k] * flow->w[k]);
    held += n[k] * x->hold_still[k];
  }
  if (r >= 0) x->hold_still[r] = (flow->stop - held) / n[r];
}

/* Motion under the load, in flight and held (the force of (15.6)); a resonance of undamped modes has none. Cost O(M). */
PetscErrorCode FlowSetForcing_Restitution(Flow flow)
{
  Restitution         *x    = flow->data;
  const double complex s    = I * flow->frequency;
  double complex       load = 0.0, H = 0.0;
  PetscReal            size = 0.0;

  PetscFunctionBeginUser;
  x->resonance = PETSC_FALSE;
  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    const double complex den = Den_Private(flow, k, s);
    const PetscReal      n   = flow->tip[k];

    /* 1e-12: the forced amplitude would drown every digit of the free motion */
    if (cabs(den) < 1e-12 * flow->w[k] * flow->w[k]) x->resonance = PETSC_TRUE;
    load += n * flow->shape->modal[k] / den;
    H += n * n / den;
    size += n * n / cabs(den);
  }
  if (x->resonance) PetscFunctionReturn(PETSC_SUCCESS);
  x->hold_resonance = (PetscBool)(cabs(H) < 1e-12 * size);
  x->free_Y         = flow->amplitude * load;
  x->hold_Y         = x->hold_resonance ? 0.0 : -flow->amplitude * load / H;
  for (PetscInt k = 0; k < flow->M; ++k) {
    const double complex den = Den_Private(flow, k, s);

    x->free_forced[k] = flow->shape->modal[k] * flow->amplitude / den;
    x->hold_forced[k] = x->free_forced[k] + flow->tip[k] * x->hold_Y / den;
  }
  Still_Private(flow);
  PetscFunctionReturn(PETSC_SUCCESS);
}
