/*
  wave_field.h - motions of a string or rod that are known in closed form: the start, and the one that the load sustains.   (14.13)
  Private to src/impact.
*/
#ifndef GRAZE_WAVE_FIELD_H
#define GRAZE_WAVE_FIELD_H

#include "graze/params.h"

/* Displacement at x, and velocity integrated from 0 to x. */
typedef struct {
  PetscReal u, sweep;
} WaveField;

typedef struct {
  Params    params; /* non-dimensional */
  PetscReal amplitude, mean, frequency;
  PetscBool resonance; /* driven at a natural frequency that the load moves */
  PetscReal rigid;     /* acceleration by the constant load of what the ends leave free */
} WaveLoad;

/* Displacements and loads as in params, positive with u; x in [0,1]. */
WaveField WaveFieldInitial(const Params *params, PetscReal x);
void      WaveLoadSet(const Params *params, PetscReal amplitude, PetscReal frequency, WaveLoad *load);
/* The motion under the load, t after the strobe: harmonic and static deflection and, of a free rod, rigid acceleration from rest. */
PetscReal WaveLoadDisplacement(const WaveLoad *load, PetscReal x, PetscReal t);
WaveField WaveLoadField(const WaveLoad *load, PetscReal x, PetscReal t);
/*
  Add `factor` of the initial motion (load NULL) or of that under the load at time t to n cells of the ring of length 2, the first of
  which begins at xi, 0 < xi < 2: to the wave that goes right at x = xi and left at x = 2 - xi, its mean over each cell.
*/
void WaveFieldAdd(const Params *params, const WaveLoad *load, PetscReal t, PetscInt n, PetscReal xi, PetscReal factor, PetscReal *wave);

#endif
