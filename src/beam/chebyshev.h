/*
  chebyshev.h - Chebyshev-Gauss-Lobatto points on [0,1]: quadrature, interpolation, differentiation.   [theory 2]

  Points x_j = sin^2(pi j / 2N), j = 0 .. N, increasing. Distances between points are formed from products of sines, and
  distances to the right end are kept beside those to the left, because round-off in them grows like N^2 otherwise.
*/
#ifndef GRAZE_CHEBYSHEV_H
#define GRAZE_CHEBYSHEV_H

#include "graze/compat.h"

typedef struct {
  PetscInt   N;
  PetscReal *x;       /* [N+1] distance from 0 */
  PetscReal *y;       /* [N+1] distance from 1 */
  PetscReal *weights; /* [N+1] Clenshaw-Curtis, exact to degree N */
} Chebyshev;

PetscErrorCode ChebyshevCreate(PetscInt N, Chebyshev *grid);
PetscErrorCode ChebyshevDestroy(Chebyshev *grid);

/* First and second differentiation matrix, each [N+1, N+1], column-major. second may be NULL. */
PetscErrorCode ChebyshevDifferentiation(PetscInt N, PetscReal *first, PetscReal *second);
/* row[N+1] such that sum_j row[j] v(x_j) interpolates v at x; y = 1 - x, as accurate as the caller has it. */
PetscErrorCode ChebyshevInterpolationRow(const Chebyshev *grid, PetscReal x, PetscReal y, PetscReal *row);

#endif
