/*
  chebyshev.c - Chebyshev-Gauss-Lobatto points on [0,1].   [theory 2]

  Differentiation: D_ij = (c_i / c_j) (-1)^(i+j) / (x_i - x_j), the diagonal by the negative-sum trick (each row of a
  differentiation matrix sums to zero, so that a constant has derivative zero to the last bit); the second derivative by
  D2_ij = 2 D_ij (D_ii - 1 / (x_i - x_j)), which loses less than the product D D.
*/
#include "chebyshev.h"

#include <petscmath.h>

/* sin(pi m / 2N) for 0 <= m <= 2N, from the half of the range where the argument is small. */
static PetscReal Sine_Private(PetscInt m, PetscInt N)
{
  const PetscInt folded = m > N ? 2 * N - m : m;

  return PetscSinReal(0.5 * PETSC_PI * (PetscReal)folded / (PetscReal)N);
}

/* x_i - x_j = sin(pi (i+j) / 2N) sin(pi (i-j) / 2N) */
static PetscReal Distance_Private(PetscInt i, PetscInt j, PetscInt N)
{
  const PetscReal gap = Sine_Private(PetscAbsInt(i - j), N);

  return Sine_Private(i + j, N) * (i > j ? gap : -gap);
}

static PetscErrorCode ClenshawCurtis_Private(PetscInt N, PetscReal *weights)
{
  PetscReal *cosine;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(2 * N, &cosine));
  for (PetscInt m = 0; m < 2 * N; m++) cosine[m] = PetscCosReal(PETSC_PI * (PetscReal)m / (PetscReal)N);
  for (PetscInt j = 0; j <= N; j++) {
    PetscReal sum = 1.0;
    for (PetscInt k = 1; 2 * k <= N; k++) {
      const PetscReal half = 2 * k == N ? 0.5 : 1.0; /* the highest cosine of an even N counts once, not twice */
      sum -= 2.0 * half * cosine[(2 * k * j) % (2 * N)] / (PetscReal)(4 * k * k - 1);
    }
    weights[j] = sum / (PetscReal)N * (j == 0 || j == N ? 0.5 : 1.0);
  }
  PetscCall(PetscFree(cosine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ChebyshevCreate - Points and Clenshaw-Curtis weights of N+1 points, N >= 2.   [theory 2]

  Not collective. Cost: O(N^2). Free with ChebyshevDestroy().
*/
PetscErrorCode ChebyshevCreate(PetscInt N, Chebyshev *grid)
{
  PetscFunctionBeginUser;
  PetscCheck(N >= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a Chebyshev grid needs N >= 2, not %" PetscInt_FMT, N);
  grid->N = N;
  PetscCall(PetscMalloc3(N + 1, &grid->x, N + 1, &grid->y, N + 1, &grid->weights));
  for (PetscInt j = 0; j <= N; j++) {
    grid->x[j] = PetscSqr(Sine_Private(j, N));
    grid->y[j] = PetscSqr(Sine_Private(N - j, N));
  }
  PetscCall(ClenshawCurtis_Private(N, grid->weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChebyshevDestroy(Chebyshev *grid)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree3(grid->x, grid->y, grid->weights));
  grid->N = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ChebyshevDifferentiation - Differentiation matrices on N+1 points of [0,1].   [theory 2]

  Not collective.
  Input:   N - number of intervals
  Output:  first, second - d/dx and d^2/dx^2, each [N+1, N+1], column-major; second may be NULL
  Cost:    O(N^2)
*/
PetscErrorCode ChebyshevDifferentiation(PetscInt N, PetscReal *first, PetscReal *second)
{
  const PetscInt m = N + 1;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i <= N; i++) {
    const PetscReal ci       = i == 0 || i == N ? 2.0 : 1.0;
    PetscReal       diagonal = 0.0;
    for (PetscInt j = 0; j <= N; j++) {
      if (i == j) continue;
      const PetscReal cj   = j == 0 || j == N ? 2.0 : 1.0;
      const PetscReal sign = (i + j) % 2 ? -1.0 : 1.0;
      first[i + j * m]     = sign * ci / (cj * Distance_Private(i, j, N));
      diagonal -= first[i + j * m];
    }
    first[i + i * m] = diagonal;
  }
  for (PetscInt i = 0; i <= N && second; i++) {
    PetscReal diagonal = 0.0;
    for (PetscInt j = 0; j <= N; j++) {
      if (i == j) continue;
      second[i + j * m] = 2.0 * first[i + j * m] * (first[i + i * m] - 1.0 / Distance_Private(i, j, N));
      diagonal -= second[i + j * m];
    }
    second[i + i * m] = diagonal;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ChebyshevInterpolationRow - Barycentric interpolation at one point, as a row of weights.   [theory 2]

  Not collective.
  Input:   grid - points;  x - in [0,1];  y - 1 - x, given separately so that a point near 1 keeps its digits
  Output:  row - [N+1], sums to 1
  Cost:    O(N)
*/
PetscErrorCode ChebyshevInterpolationRow(const Chebyshev *grid, PetscReal x, PetscReal y, PetscReal *row)
{
  const PetscInt N   = grid->N;
  PetscReal      sum = 0.0;

  PetscFunctionBeginUser;
  for (PetscInt j = 0; j <= N; j++) {
    const PetscReal distance = x < 0.5 ? x - grid->x[j] : grid->y[j] - y;
    if (distance == 0.0) { /* the point is on the grid: the formula would divide by zero */
      PetscCall(PetscArrayzero(row, N + 1));
      row[j] = 1.0;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    row[j] = (j == 0 || j == N ? 0.5 : 1.0) * (j % 2 ? -1.0 : 1.0) / distance;
    sum += row[j];
  }
  for (PetscInt j = 0; j <= N; j++) row[j] /= sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}
