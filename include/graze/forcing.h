/*
  forcing.h - the harmonic load F(t) = A cos(W t) and where it acts.   [theory 6]
*/
#ifndef GRAZE_FORCING_H
#define GRAZE_FORCING_H

#include "graze/receptance.h"
#include "graze/spectrum.h"

typedef struct {
  PetscInt   M;
  PetscReal *modal; /* p_k, shape [M]: x_k'' + ... = p_k A cos(W t); owned */
  PetscReal  tail;  /* share of A that drives the tail: (static tip deflection not carried by M modes) / C0 */
} ForcingShape;

PetscErrorCode ForcingShapeCreate(Spectrum spectrum, Receptance receptance, const Params *params, ForcingShape *shape);
PetscErrorCode ForcingShapeDestroy(ForcingShape *shape);

#endif
