/*
  receptance_held.c - modes without any tail, held so that the contact point neither moves nor lags: n.x = n.x' = 0.   [theory 15.2]

  The modes are restricted to the positions with n.x = 0 by one Householder reflection, an orthonormal basis of them: two exponents fewer
  than in flight, and no zero eigenvalues of the hold to be told from small zeros of H.
*/
#include "receptance_impl.h"

#include <math.h>
#include <petscblaslapack.h>

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

/* In variables of energy, e1 = L^T u, e2 = u' with L L^T the restricted stiffness; shape [2M-2, 2M-2]. M > 1. */
PetscErrorCode ReceptanceHeldMatrix_Private(Receptance rc, Mat *A)
{
  const PetscInt M = rc->M, m = M - 1;
  PetscReal     *u, *d, *stiffness, *damping, size, nn = 0.0;
  PetscScalar   *a;
  PetscInt       ld;
  PetscBLASInt   bm, info = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(M, &u, M, &d, m * m, &stiffness, m * m, &damping));
  /* the reflection that turns n to the first axis; n_1 > 0: no cancellation */
  for (PetscInt k = M - 1; k >= 0; --k) nn += rc->tip[k] * rc->tip[k];
  for (PetscInt k = 0; k < M; ++k) u[k] = rc->tip[k];
  u[0] += sqrt(nn);
  size = 0.0;
  for (PetscInt k = 0; k < M; ++k) size += u[k] * u[k];
  for (PetscInt k = 0; k < M; ++k) u[k] /= sqrt(size);
  for (PetscInt k = 0; k < M; ++k) d[k] = rc->w[k] * rc->w[k];
  Restrict_Private(M, u, d, stiffness);
  for (PetscInt k = 0; k < M; ++k) d[k] = 2.0 * rc->damping[k] * rc->w[k];
  Restrict_Private(M, u, d, damping);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bm, stiffness, &bm, &info));
  PetscCheck(info == 0, rc->comm, PETSC_ERR_PLIB, "the held beam is not stiff: potrf returned %d", (int)info);

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
