/*
  corrector.h - Newton on a periodic orbit together with its parameter, on a plane.   [theory 18.1, 18.2]

  Unknowns z, shape [N], N = shots n + 1: for each shot the state at its begin in scaled variables, last the parameter:
      z = (e_i X_i lambda_scale / (size sqrt(shots)), ..., lambda),
  so that lengths of z are arclengths in the unit of the parameter. Equations: each shot ends where the next begins, and
  normal . (z - base) = distance. Private to src/continuation.
*/
#ifndef GRAZE_CORRECTOR_H
#define GRAZE_CORRECTOR_H

#include <petscsnes.h>

#include "problem.h"

typedef struct {
  /* borrowed */
  Problem *problem;
  /* parameters */
  PetscInt  period, shots, n, N;
  PetscReal size, lambda_scale; /* energy norm of a typical state; arclength that a change by it counts for */
  /* owned */
  SNES       snes;
  Mat        jacobian;
  Vec        z, residual;
  PetscReal *weight;        /* z_i = weight_i X_i, shape [n] */
  PetscReal *energy;        /* as of the start, shape [n] */
  PetscReal *normal, *base; /* the plane, shape [N] */
  PetscReal  distance;
  /* the last evaluation */
  PetscReal *at;           /* its z, shape [N] */
  PetscReal *J, *previous; /* of each shot; of the evaluation before; shape [shots, n, n] */
  PetscReal *g, *F, *x; /* d P/d lambda of each shot [shots, n]; residual [N]; states at the begin of each shot and one more [shots+1, n] */
  PetscReal *monodromy, *monodromy_before, *product; /* shape [n, n] */
  PetscReal  relative, relative_before;
  PetscInt   evaluations, passes; /* since set-up; since CorrectorSolve began */
  FlowReason flow_reason;
} Corrector;

typedef enum { CORRECTOR_FOUND, CORRECTOR_NO_CONVERGENCE, CORRECTOR_FLOW_FAILED } CorrectorReason;

PetscErrorCode CorrectorCreate(MPI_Comm comm, Problem *problem, PetscInt period, PetscInt shots, PetscReal size, PetscReal lambda_scale,
                               Corrector *corrector);
PetscErrorCode CorrectorDestroy(Corrector *corrector);
/* Plane through base with that normal; both copied, shape [N]. normal NULL: lambda is held. */
PetscErrorCode CorrectorSetPlane(Corrector *corrector, const PetscReal *base, const PetscReal *normal, PetscReal distance);
/* Newton from z, shape [N]; steps: Newton steps taken. */
PetscErrorCode CorrectorSolve(Corrector *corrector, PetscReal *z, PetscInt *steps, CorrectorReason *reason);
/* Only evaluate: residual and Jacobians at z. */
PetscErrorCode CorrectorEvaluate(Corrector *corrector, const PetscReal *z, CorrectorReason *reason);
/* After either, at its z: unit tangent of the branch, with normal . tangent > 0; shape [N]. singular: the plane does not cut the branch. */
PetscErrorCode CorrectorTangent(Corrector *corrector, PetscReal *tangent, PetscBool *singular);
/*
  Monodromy matrix there, and that of the Newton pass before (NULL: there was none); borrowed, column-major. left: the part of the change
  between them that is still to come, since both go as the residual; pointers may be NULL.
*/
PetscErrorCode CorrectorGetMonodromy(Corrector *corrector, const PetscReal **monodromy, const PetscReal **before, PetscReal *left);
/* State of shot i from z and back. */
void CorrectorUnpack(const Corrector *corrector, const PetscReal *z, PetscInt i, PetscReal *x);
void CorrectorPack(const Corrector *corrector, const PetscReal *x, PetscInt i, PetscReal *z);

#endif
