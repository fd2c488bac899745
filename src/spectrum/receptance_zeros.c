/*
  receptance_zeros.c - the zeros of the receptance: exponents of the beam held at the stop.   [theory 6]

  Eigenvalues of the contact matrix by SLEPc, then polished by Newton on H itself, which costs O(M) each and restores the digits a
  dense eigensolver loses. Invariants: zeros are distinct and their sum equals the trace of the contact matrix.
*/
#include "receptance_impl.h"

#include <math.h>
#include <slepceps.h>

/*
  The contact matrix in variables of energy: w_k x_k, x_k', and the tail scaled alike, so that the dense eigensolver
  meets entries of one size.   (7.8)

  A rigid mode has no w_k of its own to be scaled with: it takes that of the first elastic one. Without tail and without residual
  compliance (C0 = 0) there is no such matrix: see receptance_held.c.
*/
static PetscErrorCode ContactMatrix_Private(Receptance rc, Mat *A)
{
  const PetscInt  M = rc->M, n = 2 * M + rc->tail.states;
  const Tail     *t     = &rc->tail;
  const PetscReal rigid = M > 1 ? rc->w[1] : 1.0; /* scale of a rigid mode */
  PetscScalar    *a;
  PetscInt        ld;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, NULL, A));
  PetscCall(MatZeroEntries(*A));
  PetscCall(MatDenseGetLDA(*A, &ld));
  PetscCall(MatDenseGetArray(*A, &a));
#define ENTRY(i, j) a[(size_t)(j) * (size_t)ld + (size_t)(i)]
#define SCALE(k)    (rc->w[k] > 0.0 ? rc->w[k] : rigid)
  for (PetscInt k = 0; k < M; ++k) {
    ENTRY(k, M + k)     = SCALE(k);
    ENTRY(M + k, k)     = -rc->w[k];
    ENTRY(M + k, M + k) = -2.0 * rc->damping[k] * rc->w[k];
  }
  if (t->order == 0) { /* f = -(sum n x)/C0 */
    for (PetscInt j = 0; j < M; ++j)
      for (PetscInt k = 0; k < M; ++k) ENTRY(M + k, j) -= rc->tip[k] * rc->tip[j] / (SCALE(j) * t->C0);
  } else { /* f = -y2 / L+; p1 = sqrt(C0) e1, p2 = sqrt(C0 d) e2 */
    const PetscReal root = sqrt(t->C0), rootd = t->order == 2 ? sqrt(t->C0 * t->d) : 0.0;
    const PetscReal y2_1 = t->order == 1 ? -rc->L_plus / root : -t->b * root; /* y2 per unit of e1 */

    for (PetscInt k = 0; k < M; ++k) {
      for (PetscInt j = 0; j < M; ++j) ENTRY(M + k, M + j) -= rc->tip[k] * rc->tip[j] / rc->L_plus;
      ENTRY(M + k, 2 * M) -= rc->tip[k] * y2_1 / rc->L_plus;
      ENTRY(2 * M, M + k) = -rc->tip[k] / root; /* p1' = -(y2 of the modes), as the tip is held */
      if (t->order == 2) {
        ENTRY(M + k, 2 * M + 1) -= rc->tip[k] * rootd / rc->L_plus;
        ENTRY(2 * M + 1, M + k) = -t->a * rc->tip[k] / (rc->L_plus * rootd);
      }
    }
    if (t->order == 2) {
      ENTRY(2 * M + 1, 2 * M)     = (-t->d * root - t->a * y2_1 / rc->L_plus) / rootd;
      ENTRY(2 * M + 1, 2 * M + 1) = -t->a / rc->L_plus;
    }
  }
#undef SCALE
#undef ENTRY
  PetscCall(MatDenseRestoreArray(*A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double complex Den_Private(Receptance rc, PetscInt k, double complex s)
{
  return s * s + 2.0 * rc->damping[k] * rc->w[k] * s + rc->w[k] * rc->w[k];
}

/* A step of Newton on H. */
static PetscErrorCode Plain_Private(Receptance rc, double complex z, double complex *step)
{
  double complex H, slope;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceEvaluate(rc, z, &H, &slope));
  *step = H / slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on den_k H = r_k + den_k (H without mode k), which has the zeros of H and no pole there. */
static PetscErrorCode Deflated_Private(Receptance rc, PetscInt k, double complex z, double complex *step)
{
  const double complex den = Den_Private(rc, k, z), slope = 2.0 * (z + rc->damping[k] * rc->w[k]);
  double complex       rest, change;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceEvaluateTail(rc, z, &rest, &change));
  for (PetscInt j = rc->M - 1; j >= 0; --j) {
    double complex other, term;

    if (j == k) continue;
    other = Den_Private(rc, j, z);
    term  = rc->r[j] / other;
    rest += term;
    change -= term * 2.0 * (z + rc->damping[j] * rc->w[j]) / other;
  }
  *step = (rc->r[k] + den * rest) / (slope * rest + den * change);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Newton from an eigenvalue; the step can only mend round-off, so it must be small. A mode that hardly moves the contact point has its
  zero so near its pole that H is straight nowhere around it: then den_k H of the nearest pole is taken, which is. Where the two are one
  number the zero goes a bit further, as far as it may be wrong anyway: 1/den_k is in all that is made of it, and cancels there.
*/
static PetscErrorCode PolishZero_Private(Receptance rc, double complex *z, double complex *slope)
{
  const double complex start = *z;
  const PetscBool      real  = (PetscBool)(cimag(start) == 0.0);
  PetscInt             near  = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 1; k < rc->M; ++k)
    if (cabs(Den_Private(rc, k, start)) < cabs(Den_Private(rc, near, start))) near = k;
  for (int deflated = 0; deflated < 2; ++deflated) {
    *z = start;
    for (int it = 0; it < 12; ++it) {
      double complex step = 0.0;

      if (deflated) PetscCall(Deflated_Private(rc, near, *z, &step));
      else PetscCall(Plain_Private(rc, *z, &step));
      *z -= real ? creal(step) : step;
      if (cabs(step) < 4.0 * PETSC_MACHINE_EPSILON * cabs(*z)) break;
    }
    if (cabs(*z - start) < 1e-4 * cabs(start)) break;
  }
  PetscCheck(cabs(*z - start) < 1e-4 * cabs(start), rc->comm, PETSC_ERR_PLIB, "zero of the receptance at %g%+gi moved to %g%+gi",
             creal(start), cimag(start), creal(*z), cimag(*z));
  if (Den_Private(rc, near, *z) == 0.0) *z *= 1.0 + 2.0 * PETSC_MACHINE_EPSILON;
  PetscCall(ReceptanceEvaluate(rc, *z, NULL, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int FallingRealPart(const void *a, const void *b)
{
  const double complex x = *(const double complex *)a, y = *(const double complex *)b;

  if (creal(x) != creal(y)) return creal(x) > creal(y) ? -1 : 1;
  return cimag(x) < cimag(y) ? -1 : (cimag(x) > cimag(y));
}

/* Nothing gives way at the contact point but the modes kept. */
static PetscBool IsBare_Private(Receptance rc)
{
  return (PetscBool)(rc->tail.order == 0 && rc->tail.C0 == 0.0);
}

static PetscReal ContactTrace_Private(Receptance rc)
{
  const Tail *t     = &rc->tail;
  PetscReal   trace = 0.0, sum = 0.0;

  for (PetscInt k = 0; k < rc->M; ++k) sum += rc->r[k];
  for (PetscInt k = 0; k < rc->M; ++k) {
    trace += -2.0 * rc->damping[k] * rc->w[k] - (t->order > 0 ? rc->r[k] / rc->L_plus : 0.0);
    if (IsBare_Private(rc)) trace += 2.0 * rc->damping[k] * rc->w[k] * rc->r[k] / sum;
  }
  if (t->order == 2) trace -= t->a / rc->L_plus; /* -b of free flight and +b from the held tip cancel; order 1 likewise */
  return trace;
}

/* Starting values: the spectrum of the held beam but for the zero eigenvalue of the held tip, which a tail brings. */
static PetscErrorCode Eigenvalues_Private(Receptance rc, PetscInt n, PetscInt expected)
{
  Mat       A;
  EPS       eps;
  PetscInt  found, smallest = -1;
  PetscReal least = PETSC_MAX_REAL;

  PetscFunctionBeginUser;
  if (IsBare_Private(rc)) PetscCall(ReceptanceHeldMatrix_Private(rc, &A));
  else PetscCall(ContactMatrix_Private(rc, &A));
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found == n, rc->comm, PETSC_ERR_PLIB, "%d of %d contact exponents found", (int)found, (int)n);
  for (PetscInt i = 0; i < n && expected < n; ++i) {
    PetscScalar re, im;

    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (hypot(re, im) < least) {
      least    = hypot(re, im);
      smallest = i;
    }
  }
  for (PetscInt i = 0; i < n; ++i) {
    PetscScalar re, im;

    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (i == smallest || im < 0.0) continue;
    rc->zeros[rc->n_zeros++] = re + I * im;
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All zeros of H. A single mode without tail has none: held, it does not move at all. */
PetscErrorCode ReceptanceZeros_Private(Receptance rc)
{
  const PetscInt  n = IsBare_Private(rc) ? 2 * (rc->M - 1) : 2 * rc->M + rc->tail.states, expected = n - (rc->tail.order > 0);
  const PetscReal trace   = ContactTrace_Private(rc);
  PetscInt        counted = 0;
  PetscReal       sum = 0.0, size = 0.0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(n, &rc->zeros, n, &rc->slopes));
  rc->n_zeros = 0;
  if (n > 0) PetscCall(Eigenvalues_Private(rc, n, expected));
  for (PetscInt i = 0; i < rc->n_zeros; ++i) PetscCall(PolishZero_Private(rc, &rc->zeros[i], &rc->slopes[i]));
  qsort(rc->zeros, (size_t)rc->n_zeros, sizeof(*rc->zeros), FallingRealPart);
  for (PetscInt i = 0; i < rc->n_zeros; ++i) {
    const PetscInt weight = cimag(rc->zeros[i]) > 0.0 ? 2 : 1;

    PetscCall(ReceptanceEvaluate(rc, rc->zeros[i], NULL, &rc->slopes[i]));
    counted += weight;
    sum += weight * creal(rc->zeros[i]);
    size += weight * cabs(rc->zeros[i]);
  }
  /* 1e-8: a lost or doubled zero shifts the sum by at least w_1/size, far more; round-off of the sum is 1e-13 */
  PetscCheck(counted == expected && fabs(sum - trace) <= 1e-8 * size, rc->comm, PETSC_ERR_PLIB,
             "zeros of the receptance: %d of %d, sum %g instead of %g", (int)counted, (int)expected, (double)sum, (double)trace);
  PetscFunctionReturn(PETSC_SUCCESS);
}
