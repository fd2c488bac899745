/*
  orbit.h - a periodic orbit of the stroboscopic map: P^p(X) = X by Newton with the exact Jacobian.   [theory 8]
*/
#ifndef GRAZE_ORBIT_H
#define GRAZE_ORBIT_H

#include "graze/floquet.h"
#include "graze/flow.h"

typedef enum {
  ORBIT_FOUND = 0,
  ORBIT_NO_CONVERGENCE,
  ORBIT_FLOW_FAILED
} OrbitReason;
extern const char *const OrbitReasons[];

typedef struct _p_Orbit *Orbit;

PetscErrorCode OrbitCreate(MPI_Comm comm, Orbit *orbit);
PetscErrorCode OrbitSetFlow(Orbit orbit, Flow flow); /* borrowed */
PetscErrorCode OrbitSetUp(Orbit orbit);
PetscErrorCode OrbitDestroy(Orbit *orbit);

/* Newton from `guess` for period p. On ORBIT_FOUND the orbit holds p_least (the least period, a divisor of p),
   the p_least states at its strobes, and its multipliers. */
PetscErrorCode OrbitSolve(Orbit orbit, PetscInt p, const FlowState *guess, OrbitReason *reason);
PetscErrorCode OrbitGetPeriod(Orbit orbit, PetscInt *p);
PetscErrorCode OrbitGetState(Orbit orbit, PetscInt i, const FlowState **state); /* i = 0 .. p-1, borrowed */
PetscErrorCode OrbitGetResidual(Orbit orbit, PetscReal *relative, PetscInt *iterations);
/* The leading multipliers of P^p by falling modulus (im > 0 first), at most ORBIT_MULTIPLIERS, and the error estimate of each. */
PetscErrorCode OrbitGetMultipliers(Orbit orbit, PetscInt *n, const PetscReal **re, const PetscReal **im, const PetscReal **error);
/* Real part of the eigenvector of the leading multiplier, unit energy norm: where to push to leave. shape [n] */
PetscErrorCode OrbitGetLeadingDirection(Orbit orbit, const PetscReal **direction);

#endif
