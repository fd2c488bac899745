/*
  flow_exact_basis.c - expansion of states in the poles (free flight) and the zeros (contact) of the receptance.   [theory 7.1, 7.2]

  In contact the Laplace transform of the force is F(s) = (y_s/s - Y_free(s)) / H(s); its residues at the zeros are linear in the state
  at onset, and the state at any later time is linear in them. Both maps are dense, made once per beam.
*/
#include <math.h>

#include "flow_exact.h"

/* Rows and columns of the maps between states and contact coefficients, one zero at a time.   (7.5), (7.7) */
static PetscErrorCode ContactMaps_Private(Flow flow)
{
  Exact                *x = flow->data;
  const PetscInt        M = flow->M, n = flow->n, nz = x->hold_exponents.n;
  const Tail           *tail = flow->tail;
  const double complex *zeros, *slopes;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetZeros(flow->receptance, NULL, &zeros, &slopes));
  for (PetscInt j = 0; j < nz; ++j) {
    const double complex z = zeros[j], weight = (cimag(z) > 0.0 ? 2.0 : 1.0) / slopes[j];
    double complex       T, project, compose;

#define SET(i)                                                           \
  do {                                                                   \
    x->project[(size_t)(i) * (size_t)(2 * nz) + (size_t)j]        = creal(project); \
    x->project[(size_t)(i) * (size_t)(2 * nz) + (size_t)(nz + j)] = cimag(project); \
    x->compose[(size_t)j * (size_t)n + (size_t)(i)]               = creal(compose); \
    x->compose[(size_t)(nz + j) * (size_t)n + (size_t)(i)]        = -cimag(compose); \
  } while (0)
    for (PetscInt k = 0; k < M; ++k) {
      const double complex q = flow->tip[k] / (z * z + 2.0 * flow->D * flow->w[k] * z + flow->w[k] * flow->w[k]);

      project = -weight * q * (z + 2.0 * flow->D * flow->w[k]);
      compose = q;
      SET(k);
      project = -weight * q;
      compose = z * q;
      SET(M + k);
    }
    PetscCall(ReceptanceEvaluateTail(flow->receptance, z, &T, NULL));
    if (tail->states == 1) {
      project = -weight * T / flow->L_plus;
      compose = T;
      SET(2 * M);
    } else if (tail->states == 2) {
      const double complex q = 1.0 / (z * z + tail->b * z + tail->d);

      project = -weight * q * z;
      compose = T;
      SET(2 * M);
      project = -weight * q;
      compose = (z + tail->b) * T - flow->L_plus;
      SET(2 * M + 1);
    }
#undef SET
    x->press[j]      = creal(weight / z);
    x->press[nz + j] = cimag(weight / z);
  }
  for (PetscInt k = 0; k < M; ++k) {
    x->pressed[k]     = flow->tip[k] / (flow->S * flow->w[k] * flow->w[k]);
    x->pressed[M + k] = 0.0;
  }
  if (tail->states > 0) {
    x->pressed[2 * M] = tail->C0 / flow->S;
  }
  if (tail->states > 1) {
    x->pressed[2 * M + 1] = (tail->b * tail->C0 - flow->L_plus) / flow->S;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that is made once per beam. Cost O(M^2) beyond the zeros themselves. */
PetscErrorCode FlowSetUp_Exact(Flow flow)
{
  Exact                *x;
  const PetscInt        M = flow->M, n = flow->n;
  const double complex *poles, *zeros;
  PetscInt              np, nz;

  PetscFunctionBeginUser;
  PetscCheck(flow->w[0] > 0.0 && flow->L_plus > 0.0, flow->comm, PETSC_ERR_PLIB,
             "the exact flow takes regular structures without rigid motion");
  PetscCall(PetscNew(&x));
  flow->data = x;
  PetscCall(ReceptanceGetPoles(flow->receptance, &np, &poles, NULL));
  PetscCall(ReceptanceGetZeros(flow->receptance, &nz, &zeros, NULL));
  PetscCall(ExponentsCreate(np, poles, &x->free_exponents));
  PetscCall(ExponentsCreate(nz, zeros, &x->hold_exponents));
  PetscCall(SignalCreate(&x->free_exponents, &x->free));
  PetscCall(SignalCreate(&x->hold_exponents, &x->hold));
  PetscCall(PetscMalloc5(M, &x->inverse_wd, 2 * nz * n, &x->project, 2 * nz * n, &x->compose, 2 * nz, &x->press, n, &x->pressed));
  PetscCall(PetscMalloc3(n, &x->free_forced, n, &x->hold_forced, n, &x->rest));
  PetscCall(PetscMalloc6(np, &x->amp_re, np, &x->amp_im, n, &x->state, n, &x->work, 2 * nz, &x->pair, 4 * M, &x->block));
  PetscCall(PetscMalloc2(2 * nz, &x->turn_re, 2 * nz, &x->turn_im));
  for (PetscInt k = 0; k < M; ++k) x->inverse_wd[k] = 1.0 / x->free_exponents.im[k];
  PetscCall(ContactMaps_Private(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowDestroy_Exact(Flow flow)
{
  Exact *x = flow->data;

  PetscFunctionBeginUser;
  PetscCall(SignalDestroy(&x->free));
  PetscCall(SignalDestroy(&x->hold));
  PetscCall(ExponentsDestroy(&x->free_exponents));
  PetscCall(ExponentsDestroy(&x->hold_exponents));
  PetscCall(PetscFree5(x->inverse_wd, x->project, x->compose, x->press, x->pressed));
  PetscCall(PetscFree3(x->free_forced, x->hold_forced, x->rest));
  PetscCall(PetscFree6(x->amp_re, x->amp_im, x->state, x->work, x->pair, x->block));
  PetscCall(PetscFree2(x->turn_re, x->turn_im));
  PetscCall(PetscFree2(x->bundle, x->images));
  PetscCall(PetscFree(flow->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for n tangent vectors and s; flows that never carry any do without. */
PetscErrorCode TangentReserve_Private(Flow flow)
{
  Exact *x = flow->data;

  PetscFunctionBeginUser;
  if (!x->bundle) PetscCall(PetscMalloc2(flow->n * (flow->n + 1), &x->bundle, 2 * x->hold_exponents.n * (flow->n + 1), &x->images));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p1(t) = Re sum a e^{s t} over the tail's exponents, p2 = p1' + b p1.   (7.4) */
void TailExpand_Private(Flow flow, const PetscReal *tail, PetscReal *amp_re, PetscReal *amp_im)
{
  const Exact    *x = flow->data;
  const PetscInt  M = flow->M;
  const PetscReal s0_re = x->free_exponents.re[M], s0_im = x->free_exponents.im[M];

  amp_im[0] = 0.0;
  if (flow->tail->states == 1) {
    amp_re[0] = tail[0];
  } else {
    const PetscReal p1 = tail[0], slope = tail[1] - flow->tail->b * p1;

    if (s0_im > 0.0) {
      amp_re[0] = p1;
      amp_im[0] = -(slope - s0_re * p1) / s0_im;
    } else {
      const PetscReal s1_re = x->free_exponents.re[M + 1];

      amp_re[0] = (slope - s1_re * p1) / (s0_re - s1_re);
      amp_re[1] = (s0_re * p1 - slope) / (s0_re - s1_re);
      amp_im[1] = 0.0;
    }
  }
}

void TailCompose_Private(Flow flow, const PetscReal *amp_re, const PetscReal *amp_im, const PetscReal *e_re, const PetscReal *e_im,
                         PetscReal *tail)
{
  const Exact    *x = flow->data;
  const PetscInt  M = flow->M, count = x->free_exponents.n - M;
  PetscReal       p1 = 0.0, slope = 0.0;

  for (PetscInt i = 0; i < count; ++i) {
    const PetscReal re = amp_re[i] * e_re[i] - amp_im[i] * e_im[i], im = amp_re[i] * e_im[i] + amp_im[i] * e_re[i];

    p1 += re;
    slope += x->free_exponents.re[M + i] * re - x->free_exponents.im[M + i] * im;
  }
  tail[0] = p1;
  if (flow->tail->states == 2) tail[1] = slope + flow->tail->b * p1;
}

/*
  y = A x, columns of A contiguous. Our own ten lines and not BLAS: the result must not depend on the alignment of an array or on a
  thread count, since the data of a sweep are bit-identical for any number of ranks.
*/
GRAZE_VECTORISED static void Multiply_Private(PetscInt rows, PetscInt columns, const PetscReal *restrict a, const PetscReal *restrict x,
                                              PetscReal *restrict y)
{
  PetscInt j = 0;

  for (PetscInt i = 0; i < rows; ++i) y[i] = 0.0;
  for (; j + 4 <= columns; j += 4) {
    const PetscReal *restrict c0 = a + (size_t)j * (size_t)rows;
    const PetscReal *restrict c1 = c0 + rows;
    const PetscReal *restrict c2 = c1 + rows;
    const PetscReal *restrict c3 = c2 + rows;
    const PetscReal x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];

    if (x0 == 0.0 && x1 == 0.0 && x2 == 0.0 && x3 == 0.0) continue; /* decayed coefficients underflow to this */
    for (PetscInt i = 0; i < rows; ++i) y[i] += (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
  }
  for (; j < columns; ++j)
    for (PetscInt i = 0; i < rows; ++i) y[i] += a[(size_t)j * (size_t)rows + (size_t)i] * x[j];
}

void ContactProject_Private(const Exact *x, PetscInt n, const PetscReal *state, PetscReal *pair)
{
  Multiply_Private(2 * x->hold_exponents.n, n, x->project, state, pair);
}

void ContactCompose_Private(const Exact *x, PetscInt n, const PetscReal *pair, PetscReal *state)
{
  Multiply_Private(n, 2 * x->hold_exponents.n, x->compose, pair, state);
}
