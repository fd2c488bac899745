/*
  floquet.h - Floquet multipliers of a monodromy matrix, each with an estimate of its error.   [theory 8, 18]
*/
#ifndef GRAZE_FLOQUET_H
#define GRAZE_FLOQUET_H

#include "graze/compat.h"

#define ORBIT_MULTIPLIERS 8

/* The leading ones by falling modulus, of a pair the one with im > 0 first. */
typedef struct {
  PetscInt  n;
  PetscReal re[ORBIT_MULTIPLIERS], im[ORBIT_MULTIPLIERS], error[ORBIT_MULTIPLIERS];
} Multipliers;

/*
  J: shape [n,n], column-major; columns of zeros belong to what is forgotten. energy: weights of the energy norm, shape [n]. previous: J of
  the Newton pass before, or NULL: round-off alone makes the error; left: what part of the change since then is still to come, at most.
  target: NULL, or the number that the direction's multiplier is to be next to. direction: real part of its eigenvector (NULL target: of the
  leading one), unit energy; shape [n], or NULL.
*/
PetscErrorCode FloquetSolve(PetscInt n, const PetscReal *energy, const PetscReal *J, const PetscReal *previous, PetscReal left,
                            const PetscReal *target, Multipliers *multipliers, PetscReal *direction);

#endif
