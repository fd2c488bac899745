/*
  floquet.c - Floquet multipliers of an orbit, each with an estimate of its error.   [theory 8]

  Eigenvalues of the remembered block of the Jacobian in variables of energy (LAPACK geevx, which gives the condition number of each).
  The error of a multiplier is its condition number times the error of the Jacobian: the change since the Newton pass before, which
  bounds what is left to come, and round-off.   (8.4)
*/
#include "graze/floquet.h"

#include <math.h>
#include <slepcblaslapack.h>

/* |mu| falling; of a pair the one with im > 0 first. Returns the order of m eigenvalues. */
static void Order_Private(PetscInt m, const PetscReal *re, const PetscReal *im, PetscInt *order)
{
  for (PetscInt i = 0; i < m; ++i) {
    PetscInt j = i;

    for (; j > 0; --j) {
      const PetscInt  other = order[j - 1];
      const PetscReal size = hypot(re[i], im[i]), theirs = hypot(re[other], im[other]);

      if (theirs > size || (theirs == size && im[other] >= im[i])) break;
      order[j] = other;
    }
    order[j] = i;
  }
}

/* Columns that are not zero; their number. */
static PetscInt Remembered_Private(PetscInt n, const PetscReal *J, PetscInt *remembered)
{
  PetscInt m = 0;

  for (PetscInt j = 0; j < n; ++j) {
    PetscInt i = 0;

    while (i < n && J[(size_t)j * (size_t)n + (size_t)i] == 0.0) ++i;
    if (i < n) remembered[m++] = j;
  }
  return m;
}

/* Frobenius norms, in variables of energy, of the remembered columns of J and of their change since the pass before. */
static void JacobianError_Private(PetscInt n, const PetscReal *energy, PetscInt m, const PetscInt *remembered, const PetscReal *J,
                                  const PetscReal *previous, PetscReal *norm, PetscReal *change)
{
  PetscReal all = 0.0, difference = 0.0;

  for (PetscInt j = 0; j < m; ++j) {
    const size_t at = (size_t)remembered[j] * (size_t)n;

    for (PetscInt i = 0; i < n; ++i) {
      const PetscReal weight = energy[i] / energy[remembered[j]];

      all += PetscSqr(weight * J[at + (size_t)i]);
      if (previous) difference += PetscSqr(weight * (J[at + (size_t)i] - previous[at + (size_t)i]));
    }
  }
  *norm   = sqrt(all);
  *change = sqrt(difference);
}

/* The eigenvector of mu on all n components, its real part with unit energy. v: shape [m], column(s) of geevx. */
static void Direction_Private(PetscInt n, const PetscReal *energy, PetscInt m, const PetscInt *remembered, const PetscReal *J, PetscReal re,
                              PetscReal im, const PetscReal *v_re, const PetscReal *v_im, PetscReal *direction)
{
  PetscReal norm = 0.0;

  for (PetscInt i = 0; i < n; ++i) { /* v = J v / mu reaches the components outside the block */
    PetscReal image_re = 0.0, image_im = 0.0;

    for (PetscInt j = 0; j < m; ++j) {
      const PetscReal entry = J[(size_t)remembered[j] * (size_t)n + (size_t)i] / energy[remembered[j]];

      image_re += entry * v_re[j];
      if (v_im) image_im += entry * v_im[j];
    }
    direction[i] = (image_re * re + image_im * im) / (re * re + im * im);
  }
  for (PetscInt i = 0; i < n; ++i) norm += PetscSqr(energy[i] * direction[i]);
  norm = sqrt(norm);
  for (PetscInt i = 0; i < n && norm > 0.0; ++i) direction[i] /= norm;
}

/* FloquetSolve - Not collective. Cost O(m^3) with m remembered columns. */
PetscErrorCode FloquetSolve(PetscInt n, const PetscReal *energy, const PetscReal *J, const PetscReal *previous, PetscReal left,
                            const PetscReal *target, Multipliers *multipliers, PetscReal *direction)
{
  PetscReal   *re, *im, *block, *rows, *right, *scale, *cond, *sep, *work, norm, change, abnrm;
  PetscInt    *order, *remembered, m;
  PetscBLASInt bm, ilo, ihi, lwork, info = 0, *iwork;

  PetscFunctionBeginUser;
  multipliers->n = PetscMin(n, ORBIT_MULTIPLIERS);
  for (PetscInt i = 0; i < ORBIT_MULTIPLIERS; ++i) /* forgotten columns: multipliers below round-off */
    multipliers->re[i] = multipliers->im[i] = multipliers->error[i] = 0.0;
  if (direction) PetscCall(PetscArrayzero(direction, n));
  PetscCall(PetscMalloc1(n, &remembered));
  m = Remembered_Private(n, J, remembered);
  if (m == 0) {
    PetscCall(PetscFree(remembered));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscBLASIntCast(m, &bm));
  lwork = bm * (bm + 8);
  PetscCall(PetscMalloc7(m, &re, m, &im, m * m, &rows, m * m, &right, m, &scale, m, &cond, m, &sep));
  PetscCall(PetscMalloc4(lwork, &work, 2 * bm, &iwork, m, &order, m * m, &block));
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < m; ++i)
      block[i + j * m] = J[(size_t)remembered[j] * (size_t)n + (size_t)remembered[i]] * energy[remembered[i]] / energy[remembered[j]];
  PetscCallBLAS("LAPACKgeevx", LAPACKgeevx_("N", "V", "V", "E", &bm, block, &bm, re, im, rows, &bm, right, &bm, &ilo, &ihi, scale, &abnrm,
                                            cond, sep, work, &lwork, iwork, &info));
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "geevx returned %d", (int)info);
  Order_Private(m, re, im, order);
  JacobianError_Private(n, energy, m, remembered, J, previous, &norm, &change);
  for (PetscInt i = 0; i < PetscMin(m, multipliers->n); ++i) {
    const PetscInt k = order[i];

    multipliers->re[i] = re[k];
    multipliers->im[i] = im[k];
    /* 1e-12: round-off of a few dozen phases, each a product of matrices good to 1e-14 */
    multipliers->error[i] = (left * change + 1e-12 * norm) / PetscMax(cond[k], PETSC_MACHINE_EPSILON);
  }
  if (direction) {
    PetscInt k = order[0];

    for (PetscInt i = 1; target && i < m; ++i)
      if (im[order[i]] >= 0.0 && hypot(re[order[i]] - target[0], im[order[i]] - target[1]) < hypot(re[k] - target[0], im[k] - target[1]))
        k = order[i];
    Direction_Private(n, energy, m, remembered, J, re[k], im[k], right + (size_t)k * (size_t)m,
                      im[k] > 0.0 ? right + (size_t)(k + 1) * (size_t)m : NULL, direction);
  }
  PetscCall(PetscFree7(re, im, rows, right, scale, cond, sep));
  PetscCall(PetscFree4(work, iwork, order, block));
  PetscCall(PetscFree(remembered));
  PetscFunctionReturn(PETSC_SUCCESS);
}
