/*
  moving.h - the modes of a spectrum that move the contact point, and the receptance that they make.   [theory 6, 13]

  The others are nodes there, or the second rigid mode: neither contact force nor y knows of them.
*/
#ifndef GRAZE_MOVING_H
#define GRAZE_MOVING_H

#include "graze/receptance.h"
#include "graze/spectrum.h"

typedef struct {
  PetscInt   n;
  PetscInt  *number; /* in the spectrum, from 0, rising; shape [n]; owned, as the others */
  PetscReal *w, *r, *damping;
} MovingModes;

/* At least `wanted` of them: the spectrum climbs as far as that takes; BEAM_MODES has those that it has. Replaces what `modes` held. */
PetscErrorCode MovingModesResolve(Spectrum spectrum, const Params *params, PetscInt wanted, MovingModes *modes, Complaint *complaint);
PetscErrorCode MovingModesDestroy(MovingModes *modes);
/* How many of them a receptance can use before the compliance beyond is lost in round-off. */
PetscErrorCode MovingModesUsable(Spectrum spectrum, const Params *params, const MovingModes *modes, PetscInt *usable);
/* The first n_known of them, M kept. The caller sets it up and destroys it. */
PetscErrorCode MovingModesReceptance(MPI_Comm comm, const Params *params, const MovingModes *modes, PetscInt n_known, PetscInt M,
                                     Receptance *receptance);

#endif
