/*
  flow_restitution_basis.c - what the restitution flow makes once per beam and once per cell.   [theory 15.2]

  Stuck to the stop the contact point neither moves nor lags: the exponents are the zeros of H(s) = sum_k n_k^2 / den_k(s),
  den_k = s^2 + 2 D_k w_k s + w_k^2, two fewer than those of flight (15.7). Starting values are eigenvalues of the modes restricted to n.x =
  0 (an orthonormal basis of it by one Householder reflection), polished by Newton on H, which restores the digits a dense eigensolver
  loses.

  Invariant: zeros are distinct, complex pairs stored once with im > 0, and their sum is the trace of the restricted damping.
*/
#include <math.h>
#include <slepceps.h>

#include "flow_restitution.h"

#include <petscblaslapack.h>

static double complex Den_Private(Flow flow, PetscInt k, double complex s)
{
  return s * s + 2.0 * flow->damping[k] * flow->w[k] * s + flow->w[k] * flow->w[k];
}

/* H and H' of the bare modes. */
static double complex Bare_Private(Flow flow, double complex s, double complex *slope)
{
  double complex H = 0.0, dH = 0.0;

  for (PetscInt k = flow->M - 1; k >= 0; --k) {
    const double complex den = Den_Private(flow, k, s), part = flow->tip[k] * flow->tip[k] / den;

    H += part;
    dH -= part * (2.0 * s + 2.0 * flow->damping[k] * flow->w[k]) / den;
  }
  *slope = dH;
  return H;
}

/* Rows and columns 2..M of (1 - 2 u u^T) diag(d) (1 - 2 u u^T); b: shape [M-1, M-1], column-major. */
static void Restrict_Private(PetscInt M, const PetscReal *u, const PetscReal *d, PetscReal *b)
{
  PetscReal udu = 0.0;

  for (PetscInt k = 0; k < M; ++k) udu += u[k] * d[k] * u[k];
  for (PetscInt j = 1; j < M; ++j)
    for (PetscInt i = 1; i < M; ++i)
      b[(size_t)(j - 1) * (size_t)(M - 1) + (size_t)(i - 1)] =
        (i == j ? d[i] : 0.0) - 2.0 * u[i] * u[j] * (d[i] + d[j]) + 4.0 * udu * u[i] * u[j];
}

/* The held beam in variables of energy, e1 = L^T u, e2 = u' with L L^T its stiffness: shape [2m, 2m].   */
static PetscErrorCode HeldMatrix_Private(Flow flow, Mat *A)
{
  const PetscInt M = flow->M, m = M - 1;
  PetscReal     *u, *d, *stiffness, *damping, size;
  PetscScalar   *a;
  PetscInt       ld;
  PetscBLASInt   bm, info = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(M, &u, M, &d, m * m, &stiffness, m * m, &damping));
  /* the reflection that turns n to the first axis; n_1 > 0: no cancellation */
  for (PetscInt k = 0; k < M; ++k) u[k] = flow->tip[k];
  u[0] += sqrt(((Restitution *)flow->data)->nn);
  size = 0.0;
  for (PetscInt k = 0; k < M; ++k) size += u[k] * u[k];
  for (PetscInt k = 0; k < M; ++k) u[k] /= sqrt(size);
  for (PetscInt k = 0; k < M; ++k) d[k] = flow->w[k] * flow->w[k];
  Restrict_Private(M, u, d, stiffness);
  for (PetscInt k = 0; k < M; ++k) d[k] = 2.0 * flow->damping[k] * flow->w[k];
  Restrict_Private(M, u, d, damping);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bm, stiffness, &bm, &info));
  PetscCheck(info == 0, flow->comm, PETSC_ERR_PLIB, "the held beam is not stiff: potrf returned %d", (int)info);

  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 2 * m, 2 * m, NULL, A));
  PetscCall(MatZeroEntries(*A));
  PetscCall(MatDenseGetLDA(*A, &ld));
  PetscCall(MatDenseGetArray(*A, &a));
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < m; ++i) {
      if (i >= j) {
        a[(size_t)(m + i) * (size_t)ld + (size_t)j] = stiffness[(size_t)j * (size_t)m + (size_t)i];
        a[(size_t)j * (size_t)ld + (size_t)(m + i)] = -stiffness[(size_t)j * (size_t)m + (size_t)i];
      }
      a[(size_t)(m + j) * (size_t)ld + (size_t)(m + i)] = -damping[(size_t)j * (size_t)m + (size_t)i];
    }
  PetscCall(MatDenseRestoreArray(*A, &a));
  PetscCall(PetscFree4(u, d, stiffness, damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int FallingRealPart(const void *a, const void *b)
{
  const double complex x = *(const double complex *)a, y = *(const double complex *)b;

  if (creal(x) != creal(y)) return creal(x) > creal(y) ? -1 : 1;
  return cimag(x) < cimag(y) ? -1 : (cimag(x) > cimag(y));
}

/*
  Newton on H = 0; the step can only mend round-off, so it must be small. A mode that hardly moves the contact point has its zero so near
  its pole that H is straight nowhere around it: then den_k H = 0 of the nearest pole, which is.
*/
static PetscErrorCode Polish_Private(Flow flow, double complex *z)
{
  const double complex start = *z;
  const PetscBool      real  = (PetscBool)(cimag(start) == 0.0);
  PetscInt             near  = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 1; k < flow->M; ++k)
    if (cabs(Den_Private(flow, k, start)) < cabs(Den_Private(flow, near, start))) near = k;
  for (int deflated = 0; deflated < 2; ++deflated) {
    *z = start;
    for (int it = 0; it < 12; ++it) {
      double complex slope, H = Bare_Private(flow, *z, &slope), step;

      if (deflated) slope += H * 2.0 * (*z + flow->damping[near] * flow->w[near]) / Den_Private(flow, near, *z);
      step = H / slope;
      *z -= real ? creal(step) : step;
      if (cabs(step) < 4.0 * PETSC_MACHINE_EPSILON * cabs(*z)) break;
    }
    if (cabs(*z - start) < 1e-3 * cabs(start)) break;
  }
  PetscCheck(cabs(*z - start) < 1e-3 * cabs(start), flow->comm, PETSC_ERR_PLIB, "exponent of the held beam at %g%+gi moved to %g%+gi",
             creal(start), cimag(start), creal(*z), cimag(*z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros, their weights, and the columns n_k / den_k(z_j). A beam of one mode has none: held, it does not move at all. */
static PetscErrorCode Zeros_Private(Flow flow)
{
  Restitution   *x = flow->data;
  const PetscInt M = flow->M, n = 2 * (M - 1);
  PetscInt       found, counted = 0;
  PetscReal      trace = 0.0, sum = 0.0, size = 0.0;
  Mat            A;
  EPS            eps;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(n, &x->zeros, n, &x->weights));
  if (M > 1) {
    PetscCall(HeldMatrix_Private(flow, &A));
    PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
    PetscCall(EPSSetOperators(eps, A, NULL));
    PetscCall(EPSSetProblemType(eps, EPS_NHEP));
    PetscCall(EPSSetType(eps, EPSLAPACK));
    PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &found));
    PetscCheck(found == n, flow->comm, PETSC_ERR_PLIB, "%d of %d exponents of the held beam found", (int)found, (int)n);
    for (PetscInt i = 0; i < n; ++i) {
      PetscScalar re, im;

      PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
      if (im < 0.0) continue;
      x->zeros[x->nz] = re + I * im;
      PetscCall(Polish_Private(flow, &x->zeros[x->nz++]));
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&A));
    qsort(x->zeros, (size_t)x->nz, sizeof(*x->zeros), FallingRealPart);
  }
  PetscCall(PetscMalloc2(x->nz * M, &x->cauchy_re, x->nz * M, &x->cauchy_im));
  for (PetscInt j = 0; j < x->nz; ++j) {
    const PetscInt weight = cimag(x->zeros[j]) > 0.0 ? 2 : 1;
    double complex slope;

    (void)Bare_Private(flow, x->zeros[j], &slope);
    x->weights[j] = weight / slope;
    for (PetscInt k = 0; k < M; ++k) {
      const double complex q = flow->tip[k] / Den_Private(flow, k, x->zeros[j]);

      x->cauchy_re[(size_t)j * (size_t)M + (size_t)k] = creal(q);
      x->cauchy_im[(size_t)j * (size_t)M + (size_t)k] = cimag(q);
    }
    counted += weight;
    sum += weight * creal(x->zeros[j]);
    size += weight * cabs(x->zeros[j]);
  }
  for (PetscInt k = 0; k < M; ++k) trace -= 2.0 * flow->damping[k] * flow->w[k] * (1.0 - flow->tip[k] * flow->tip[k] / x->nn);
  /* 1e-8: a lost or doubled zero shifts the sum by far more; round-off of the sum is 1e-13 */
  PetscCheck(counted == n && fabs(sum - trace) <= 1e-8 * size, flow->comm, PETSC_ERR_PLIB,
             "exponents of the held beam: %d of %d, sum %g instead of %g", (int)counted, (int)n, (double)sum, (double)trace);
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
  PetscCall(PetscFree2(x->zeros, x->weights));
  PetscCall(PetscFree2(x->cauchy_re, x->cauchy_im));
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
