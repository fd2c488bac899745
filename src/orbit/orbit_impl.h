/*
  orbit_impl.h - data of an orbit, shared by orbit.c (Newton) and floquet.c (multipliers). Private to src/orbit.
*/
#ifndef GRAZE_ORBIT_IMPL_H
#define GRAZE_ORBIT_IMPL_H

#include "graze/orbit.h"

struct _p_Orbit {
  MPI_Comm comm;
  /* borrowed */
  Flow             flow;
  const PetscReal *energy; /* weights of the energy norm, shape [n] */
  /* owned: the orbit */
  PetscInt   p, capacity;
  FlowState *states;       /* at the p strobes */
  PetscReal *storage, size; /* their x; largest energy norm among them */
  PetscReal  relative;     /* Newton residual over size */
  PetscInt   iterations;
  PetscInt   n_multipliers;
  PetscReal  re[ORBIT_MULTIPLIERS], im[ORBIT_MULTIPLIERS], error[ORBIT_MULTIPLIERS];
  PetscReal *direction;    /* shape [n]; also scratch before the multipliers are known */
  /* owned: work */
  PetscInt      n;
  FlowTangent   tangent;                    /* J = d P^p / d X at the last pass */
  PetscReal    *previous, *block;           /* J of the pass before; a square of remembered columns */
  PetscInt     *remembered, n_remembered;   /* columns of J that are not zero to round-off */
  PetscBLASInt *pivots;
  FlowState     trial, image;
  PetscReal    *residual, *step;
};

PetscErrorCode OrbitMultipliers_Private(Orbit orbit);

#endif
