/*
  floquet.c - Floquet multipliers of an orbit, each with an estimate of its error.   [theory 8]

  Eigenvalues of the remembered block of the Jacobian in variables of energy (LAPACK geevx, which gives the condition number of each).
  The error of a multiplier is its condition number times the error of the Jacobian: the change since the Newton pass before, which
  bounds what is left to come, and round-off.   (8.4)
*/
#include "orbit_impl.h"

#include <math.h>
#include <slepcblaslapack.h>

/* |mu| falling; of a pair the one with im > 0 first. Returns the order of m eigenvalues. */
static PetscErrorCode Order_Private(PetscInt m, const PetscReal *re, const PetscReal *im, PetscInt *order)
{
  PetscFunctionBeginUser;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frobenius norms, in variables of energy, of the remembered columns of J and of their change since the pass before. */
static void JacobianError_Private(const Orbit o, PetscReal *norm, PetscReal *change)
{
  PetscReal all = 0.0, difference = 0.0;

  for (PetscInt j = 0; j < o->n_remembered; ++j) {
    const size_t at = (size_t)o->remembered[j] * (size_t)o->n;

    for (PetscInt i = 0; i < o->n; ++i) {
      const PetscReal weight = o->energy[i] / o->energy[o->remembered[j]];

      all += PetscSqr(weight * o->tangent.v[at + (size_t)i]);
      difference += PetscSqr(weight * (o->tangent.v[at + (size_t)i] - o->previous[at + (size_t)i]));
    }
  }
  *norm   = sqrt(all);
  *change = sqrt(difference);
}

/* The eigenvector of the leading multiplier on all n components, its real part with unit energy. v: shape [m], column(s) of geevx. */
static PetscErrorCode Direction_Private(Orbit o, PetscReal re, PetscReal im, const PetscReal *v_re, const PetscReal *v_im)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < o->n; ++i) { /* v = J v / mu reaches the components outside the block */
    PetscReal image_re = 0.0, image_im = 0.0;

    for (PetscInt j = 0; j < o->n_remembered; ++j) {
      const PetscReal entry = o->tangent.v[(size_t)o->remembered[j] * (size_t)o->n + (size_t)i] / o->energy[o->remembered[j]];

      image_re += entry * v_re[j];
      if (v_im) image_im += entry * v_im[j];
    }
    o->direction[i] = (image_re * re + image_im * im) / (re * re + im * im);
  }
  PetscCall(FlowNorm(o->flow, o->direction, &norm));
  for (PetscInt i = 0; i < o->n && norm > 0.0; ++i) o->direction[i] /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multipliers, errors and leading direction from the Jacobian of the last pass. Cost O(m^3) with m remembered columns. */
PetscErrorCode OrbitMultipliers_Private(Orbit o)
{
  const PetscInt m = o->n_remembered;
  PetscReal     *re, *im, *left, *right, *scale, *cond, *sep, *work, norm, change, abnrm;
  PetscInt      *order;
  PetscBLASInt   bm, ilo, ihi, lwork, info = 0, *iwork;

  PetscFunctionBeginUser;
  o->n_multipliers = PetscMin(o->n, ORBIT_MULTIPLIERS);
  for (PetscInt i = 0; i < ORBIT_MULTIPLIERS; ++i) o->re[i] = o->im[i] = o->error[i] = 0.0; /* forgotten columns: multipliers below round-off */
  PetscCall(PetscArrayzero(o->direction, o->n));
  if (m == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(m, &bm));
  lwork = bm * (bm + 8);
  PetscCall(PetscMalloc7(m, &re, m, &im, m * m, &left, m * m, &right, m, &scale, m, &cond, m, &sep));
  PetscCall(PetscMalloc3(lwork, &work, 2 * bm, &iwork, m, &order));
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < m; ++i)
      o->block[i + j * m] = o->tangent.v[(size_t)o->remembered[j] * (size_t)o->n + (size_t)o->remembered[i]] * o->energy[o->remembered[i]] / o->energy[o->remembered[j]];
  PetscCallBLAS("LAPACKgeevx",
                LAPACKgeevx_("N", "V", "V", "E", &bm, o->block, &bm, re, im, left, &bm, right, &bm, &ilo, &ihi, scale, &abnrm, cond, sep, work, &lwork, iwork, &info));
  PetscCheck(info == 0, o->comm, PETSC_ERR_LIB, "geevx returned %d", (int)info);
  PetscCall(Order_Private(m, re, im, order));
  JacobianError_Private(o, &norm, &change);
  for (PetscInt i = 0; i < PetscMin(m, o->n_multipliers); ++i) {
    const PetscInt k = order[i];

    o->re[i] = re[k];
    o->im[i] = im[k];
    /* 1e-12: round-off of a few dozen phases, each a product of matrices good to 1e-14 */
    o->error[i] = (change + 1e-12 * norm) / PetscMax(cond[k], PETSC_MACHINE_EPSILON);
  }
  {
    const PetscInt k = order[0];

    PetscCall(Direction_Private(o, re[k], im[k], right + (size_t)k * (size_t)m, im[k] > 0.0 ? right + (size_t)(k + 1) * (size_t)m : NULL));
  }
  PetscCall(PetscFree7(re, im, left, right, scale, cond, sep));
  PetscCall(PetscFree3(work, iwork, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}
