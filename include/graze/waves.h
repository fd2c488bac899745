/*
  waves.h - undamped strings and rods: the receptance as a train of jumps, exact.   [theory 14]

  g(s), the velocity of the contact point after a unit step of force at x, is piecewise constant: a jump for every way that a wave can
  take from x to the contact point, over the ends and back. No truncated sum, no ringing.
*/
#ifndef GRAZE_WAVES_H
#define GRAZE_WAVES_H

#include "graze/receptance.h"

typedef struct {
  PetscInt   n;
  PetscReal *delay; /* rising, all <= the horizon; shape [n]; owned */
  PetscReal *jump;  /* of g at that delay: 1/Z first where x is the contact point; shape [n]; owned */
} WaveTrain;

/* string or rod, damping 0: the structures whose kernels and motions are known exactly */
PetscBool      WavesApply(const Params *params);
/* A flow of this type moves such a structure as waves: the literal scheme, unless it is to take the bare kernel. */
PetscBool      WavesMove(const Params *params, FlowType type);
PetscErrorCode WaveTrainCreate(const Params *params, PetscReal x, PetscReal horizon, WaveTrain *train);
PetscErrorCode WaveTrainDestroy(WaveTrain *train);
/* L1_2 and g at n delays tau >= 0 up to the horizon, the values at tau + 0; any output may be NULL. w1 >= 0: the mode that y resolves (0:
   rigid). L1_2 = g + w1^2 int int g - Linf tau,   Linf = w1^2 S or, of a rigid mode, r_1   (14.3), (14.4) */
PetscErrorCode WaveTrainKernel(const WaveTrain *train, PetscReal w1, PetscReal Linf, PetscInt n, const PetscReal *tau, PetscReal *L1_2,
                               PetscReal *g);
/* The kernel of such a structure at rising delays tau, shape [n]; mode 1 and Linf are those of its receptance. */
PetscErrorCode WaveKernelEvaluate(const Params *params, Receptance receptance, PetscInt n, const PetscReal *tau, PetscReal *L1_2,
                                  PetscReal *g);

#endif
