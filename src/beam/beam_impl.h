/*
  beam_impl.h - what a beam model has to supply, and what all of them share.   [theory 1, 2]

  A model fills the table of functions in its BeamCreate_<Model>(), at the foot of its own file.
*/
#ifndef GRAZE_BEAM_IMPL_H
#define GRAZE_BEAM_IMPL_H

#include "chebyshev.h"
#include "graze/beam.h"

typedef struct {
  PetscInt (*size)(Beam beam); /* number of unknowns on N+1 points */
  /* Small data that expand needs for as long as the beam lives. first: [N+1, N+1] column-major. */
  PetscErrorCode (*tip)(Beam beam, const PetscReal *first);
  /* K, b, c, d from the differentiation matrices [N+1, N+1], column-major; K is zeroed, [n, n] column-major. */
  PetscErrorCode (*fill)(Beam beam, const PetscReal *first, const PetscReal *second, PetscReal *K, PetscReal *b, PetscReal *c,
                         PetscReal *d);
  PetscErrorCode (*metric)(Beam beam, PetscReal *metric); /* [n] */
  PetscErrorCode (*expand)(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi);
  /* Densities of <x,x> and of twice the elastic energy, from u, phi and their derivatives at one point. */
  void (*energies)(Beam beam, PetscReal u, PetscReal phi, PetscReal du, PetscReal dphi, PetscReal *mass, PetscReal *stiffness);
} BeamOps;

struct _p_Beam {
  MPI_Comm      comm;
  PetscInt      N;
  BeamOps       ops;
  const Params *params; /* borrowed */
  Chebyshev     grid;
  PetscReal    *tip_row; /* [N+1], model's own use */
  PetscInt      n;       /* unknowns */
  Mat           K;       /* [n, n] */
  Vec           b, c;    /* [n] */
  PetscReal     d;
  Mat           first;    /* [N+1, N+1] d/dx */
  Mat           halfway;  /* [N, N+1] interpolation to the points between the points: with them, the grid of 2N */
  PetscReal    *weights2; /* [2N+1] Clenshaw-Curtis on that grid: exact for products of two shapes */
  PetscBool     set_up;
};

PetscErrorCode BeamCreate_Timoshenko(Beam beam);

#endif
