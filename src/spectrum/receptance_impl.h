/*
  receptance_impl.h - what a receptance holds, for the files it is made of. Private to src/spectrum.
*/
#ifndef GRAZE_RECEPTANCE_IMPL_H
#define GRAZE_RECEPTANCE_IMPL_H

#include <petscmat.h>

#include "graze/receptance.h"

struct _p_Receptance {
  MPI_Comm comm;
  /* parameters */
  PetscInt  n_known, M, order_wanted;
  PetscReal D, S, Z;
  PetscBool listed; /* a damping ratio of its own for each mode */
  /* owned */
  PetscReal      *w, *r, *tip, *damping; /* [n_known] */
  double complex *poles, *residues, *zeros, *slopes;
  PetscInt        n_poles, n_zeros;
  /* results */
  PetscReal L_plus;
  Tail      tail;
  /* status */
  PetscBool set_up;
};

/* Zeros and slopes, from modes and tail. Cost: one dense eigenproblem of size 2M+2. */
PetscErrorCode ReceptanceZeros_Private(Receptance receptance);
/* Whose spectrum are the zeros of modes without tail (order 0, C0 = 0). */
PetscErrorCode ReceptanceHeldMatrix_Private(Receptance receptance, Mat *A);

#endif
