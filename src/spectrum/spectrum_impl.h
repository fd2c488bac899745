/*
  spectrum_impl.h - what a spectrum holds: the modes, and where their shapes are.   [theory 2, 13]
*/
#ifndef GRAZE_SPECTRUM_IMPL_H
#define GRAZE_SPECTRUM_IMPL_H

#include "graze/spectrum.h"
#include "spectrum_ladder.h"

enum { SPECTRUM_RUNGS = 14, SPECTRUM_NO_RUNG = -1 };

typedef struct {
  PetscInt  rung, column; /* where the shape is; SPECTRUM_NO_RUNG: a rigid mode, or one of a list */
  PetscReal disagreement;
} Origin;

/* u = shift + turn (x - 1/2), phi = turn */
typedef struct {
  PetscReal shift, turn;
} RigidShape;

struct _p_Spectrum {
  MPI_Comm   comm;
  Params     params;
  PetscInt   n_wanted;
  PetscReal  side; /* y = side u(x_c) */
  PetscInt   n_rungs;
  Rung       rungs[SPECTRUM_RUNGS]; /* those that gave a mode */
  PetscInt   n, capacity;
  PetscInt   n_rigid; /* the first of them */
  RigidShape rigid[2];
  PetscReal *w, *r, *D; /* [n] */
  Origin    *origin;    /* [n] */
  PetscInt   climbed;   /* grids solved so far */
  Rung       last;      /* the finest of them, not confirmed yet */
  PetscBool  params_set, ready;
};

/* 0 <= k < n, after SpectrumSetUp(); else a bug */
PetscErrorCode SpectrumCheckMode_Private(Spectrum spectrum, PetscInt k);

#endif
