/*
  forcing.h - the load F(t) = F0 + A cos(W t) and where it acts.   [theory 6, 17]
*/
#ifndef GRAZE_FORCING_H
#define GRAZE_FORCING_H

#include "graze/receptance.h"
#include "graze/spectrum.h"

typedef struct {
  PetscInt   M;
  PetscReal *modal; /* p_k, shape [M]: x_k'' + ... = p_k F(t); owned */
  PetscReal  tail;  /* share of F that drives the tail: (static y not carried by M modes) / C0; 0 where there is no tail to drive */
} ForcingShape;

/* kept: numbers in the spectrum of the receptance's M modes, shape [M]; NULL: the first M. */
PetscErrorCode ForcingShapeCreate(Spectrum spectrum, Receptance receptance, const PetscInt *kept, const Params *params,
                                  ForcingShape *shape);
PetscErrorCode ForcingShapeDestroy(ForcingShape *shape);

#endif
