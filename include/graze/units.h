/*
  units.h - physical (SI) and non-dimensional parameters, converted here and nowhere else.   [theory 1]

  Length L, time t0 = L^2 sqrt(rho A / (E I)), force E I / L^2. A purely non-dimensional input has no scales (si = false).
*/
#ifndef GRAZE_UNITS_H
#define GRAZE_UNITS_H

#include "graze/params.h"

typedef struct {
  PetscBool si;                 /* the beam was given by its SI set */
  PetscReal length, time, force; /* L [m], t0 [s], E I / L^2 [N]; NaN without SI */
  PetscReal beta, gamma;         /* as in the scaled parameters */
} Units;

/* Checks the SI set (or beta, gamma), computes the scales, and leaves in `scaled` the copy of `given` with
   beta, gamma and every dimensional entry non-dimensional. Both sets at once, or -units si without the SI set, is a complaint. */
PetscErrorCode UnitsApply(const Params *given, Units *units, Params *scaled, Complaint *complaint);

#endif
