/*
  location.c - special points of smooth kind: the zero of a test function between two points of a branch.   [theory 18.3]

  False position with halved ends (Illinois) in the arclength; each value is an orbit solved on a plane across the branch, predicted by the
  cubic through both points and their tangents.
*/
#include <math.h>

#include "continuation_impl.h"

/* An unknown at fraction u of the way from a to b: cubic Hermite in the arclength S measured along a's tangent. */
static PetscReal Hermite_Private(const OrbitPoint *a, const OrbitPoint *b, PetscInt i, PetscReal S, PetscReal u)
{
  const PetscReal h01 = u * u * (3.0 - 2.0 * u), h10 = u * PetscSqr(1.0 - u), h11 = u * u * (u - 1.0);

  return (1.0 - h01) * a->z[i] + h01 * b->z[i] + S * (h10 * a->t[i] + h11 * b->t[i]);
}

static PetscReal Along_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b)
{
  PetscReal S = 0.0;

  for (PetscInt i = 0; i < c->corrector.N; ++i) S += a->t[i] * (b->z[i] - a->z[i]);
  return S;
}

/* The parameter there. */
PetscReal LocateBetween_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b, PetscReal u)
{
  return Hermite_Private(a, b, c->corrector.N - 1, Along_Private(c, a, b), u);
}

PetscErrorCode LocateSmooth_Private(Continuation c, const OrbitPoint *a, const OrbitPoint *b, Test test, OrbitPoint *out, PetscReal *width,
                                    PetscBool *found)
{
  const PetscReal S    = Along_Private(c, a, b);
  PetscReal       last = 0.0, low = 0.0, high, f_low = a->test[test], f_high = b->test[test], s, lambda = a->lambda;
  int             side = 0;

  PetscFunctionBeginUser;
  *found = PETSC_FALSE;
  high   = S;
  for (int it = 0; it < 60; ++it) {
    CorrectorReason reason;
    PetscReal       f;

    s = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(s > low && s < high)) s = 0.5 * (low + high);
    for (PetscInt i = 0; i < c->corrector.N; ++i) out->z[i] = Hermite_Private(a, b, i, S, s / S);
    PetscCall(PointSolve_Private(c, a->z, a->t, s, out, &reason));
    if (reason || out->record.count != a->record.count) PetscFunctionReturn(PETSC_SUCCESS);
    out->arclength = a->arclength + s / S * (b->arclength - a->arclength);
    out->step      = s;
    f              = out->test[test];
    *width         = fabs(out->lambda - lambda);
    lambda         = out->lambda;
    /*
      Superlinear: what the last step changed bounds what is left. A hundredth of what is asked for in the parameter, above round-off; and
      in the arclength too, since the parameter stands still at a fold while its multipliers do not.
    */
    if (f == 0.0 || (it > 1 && *width < 1e-10 * PetscMax(fabs(lambda), 1e-3) && fabs(s - last) < 1e-7 * S) || high - low < 1e-14 * S) {
      *found = PETSC_TRUE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    last = s;
    if ((f > 0.0) == (f_high > 0.0)) {
      high   = s;
      f_high = f;
      if (side == 1) f_low *= 0.5;
      side = 1;
    } else {
      low   = s;
      f_low = f;
      if (side == -1) f_high *= 0.5;
      side = -1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How near a multiplier must be to the value that the point is named for: the test's zero is located to far less. */
static const PetscReal close_enough = 1e-4;

SpecialType LocateType_Private(const OrbitPoint *point, Test test)
{
  const Multipliers *m = &point->multipliers;

  if (test == TEST_FOLD) return SPECIAL_FOLD;
  for (PetscInt i = 0; i < m->n; ++i) {
    if (test == TEST_DOUBLING && hypot(m->re[i] + 1.0, m->im[i]) < close_enough) return SPECIAL_DOUBLING;
    if (test == TEST_BRANCH_POINT && hypot(m->re[i] - 1.0, m->im[i]) < close_enough) return SPECIAL_BRANCH_POINT;
    if (test == TEST_NEIMARK_SACKER && m->im[i] > close_enough && fabs(hypot(m->re[i], m->im[i]) - 1.0) < close_enough)
      return SPECIAL_NEIMARK_SACKER;
  }
  return (SpecialType)0;
}
