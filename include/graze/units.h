/*
  units.h - physical (SI) and non-dimensional parameters, converted here and nowhere else.   [theory 1]

  Length L; of a beam time t0 = L^2 sqrt(rho A / (E I)), force E I / L^2; of a rod t0 = L sqrt(rho / E), force E A: its wave speed is 1.
  Strings and systems given by their modes have no SI set. A purely non-dimensional input has no scales (si = false).
*/
#ifndef GRAZE_UNITS_H
#define GRAZE_UNITS_H

#include "graze/params.h"

typedef struct {
  PetscBool si;                 /* the beam was given by its SI set */
  PetscReal length, time, force;      /* L [m], t0 [s], E I / L^2 or E A [N]; NaN without SI */
  PetscReal beta, gamma;              /* as in the scaled parameters; NaN for a model without them */
  const char *time_text, *force_text; /* in words: "t0 = L^2 sqrt(rho A / (E I))", "E I / L^2" */
} Units;

/* Checks the SI set (or beta, gamma), computes the scales, and leaves in `scaled` the copy of `given` with
   beta, gamma (of a rod the wave speed) and every dimensional entry non-dimensional. Both sets at once, or -units si without the SI
   set, is a complaint. */
PetscErrorCode UnitsApply(const Params *given, Units *units, Params *scaled, Complaint *complaint);

/*
  What a scale of a beam, such as "EI/L^2", is for a structure of that model. Strings, rods and lists of modes have no bending stiffness:
  their forces are in m0 L/t0^2, m0 the mass of the structure (rho A L); of a rod given by its SI set that is E A. Static storage.
*/
const char *UnitsScale(BeamModel model, const char *of_beam);

#endif
