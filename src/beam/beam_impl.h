/*
  beam_impl.h - what a beam model has to supply, and what all of them share.   [theory 1, 2, 13]

  A model fills the table of functions in its BeamCreate_<Model>(), at the foot of its own file. It supplies an operator (fill,
  metric) or a flexibility, not both.
*/
#ifndef GRAZE_BEAM_IMPL_H
#define GRAZE_BEAM_IMPL_H

#include "chebyshev.h"
#include "graze/beam.h"

typedef enum { END_CLAMPED, END_PINNED, END_FREE } EndKind;

/*
  A field whose slope is given at some ends and whose value is 0 at the others: its value at end e (0: x = 0, 1: x = 1) is

      v_e = sum_j row[e][j] v_j + sum_o inverse[e][o] slope_o      j: interior points 1 .. N-1; 0 at the others
*/
typedef struct {
  PetscBool  open[2]; /* the slope is given here, not the value */
  PetscReal *row[2];  /* [N+1] */
  PetscReal  inverse[2][2];
} Ends;

typedef struct {
  PetscInt (*size)(Beam beam); /* number of unknowns on N+1 points */
  /* K, b, c, d from the differentiation matrices [N+1, N+1], column-major; K is zeroed, [n, n] column-major. b, c and d may be NULL. */
  PetscErrorCode (*fill)(Beam beam, const PetscReal *first, const PetscReal *second, PetscReal *K, PetscReal *b, PetscReal *c,
                         PetscReal *d);
  PetscErrorCode (*metric)(Beam beam, PetscReal *metric);                                /* [n] */
  PetscErrorCode (*flexibility)(Beam beam, PetscInt rows, PetscInt columns, PetscReal *J); /* zeroed, [rows, columns] column-major */
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
  Ends          end_u, end_phi; /* small data that expand needs for as long as the beam lives */
  PetscInt      n;              /* unknowns */
  Mat           K;              /* [n, n] */
  Mat           J;              /* [n+2, n] */
  Vec           b, c;           /* [n]; NULL unless the contact point is a free end */
  PetscReal     d;
  Mat           first;    /* [N+1, N+1] d/dx */
  Mat           halfway;  /* [N, N+1] interpolation to the points between the points: with them, the grid of 2N */
  PetscReal    *weights2; /* [2N+1] Clenshaw-Curtis on that grid: exact for products of two shapes */
  PetscBool     set_up;
};

PetscErrorCode BeamCreate_Timoshenko(Beam beam);
PetscErrorCode BeamCreate_EulerBernoulli(Beam beam);
PetscErrorCode BeamCreate_String(Beam beam); /* a rod, too */

/* What holds end 0 (x = 0) or 1. */
EndKind BeamEnd_Private(const Params *params, int end);
/* The contact point is a free end: collocation has a vector for a force there. */
PetscBool      BeamContactIsFreeEnd_Private(const Params *params);
PetscErrorCode EndsCreate(PetscInt N, const PetscReal *first, const PetscBool open[2], Ends *ends);
PetscErrorCode EndsDestroy(Ends *ends);
/* Values at both ends of the field with interior values inner[N-1] and slope[2]. */
void EndsValues(const Ends *ends, PetscInt N, const PetscReal *inner, const PetscReal slope[2], PetscReal value[2]);

#endif
