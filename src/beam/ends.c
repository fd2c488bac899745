/*
  ends.c - end conditions of collocated fields, imposed strongly: they eliminate the values at both ends.   [theory 2, 13]

  Either the value at an end is 0 or the slope there is given. With D the first differentiation matrix, the rows of D at the open ends are
  solved for the values at those ends: one equation, or two that are coupled by the corner entries D_0N and D_N0, of size 1 against N^2.
*/
#include "beam_impl.h"

EndKind BeamEnd_Private(const Params *params, int end)
{
  switch (params->beam_ends) {
  case ENDS_CLAMPED_FREE:
    return end == 0 ? END_CLAMPED : END_FREE;
  case ENDS_PINNED_PINNED:
    return END_PINNED;
  case ENDS_CLAMPED_PINNED:
    return end == 0 ? END_CLAMPED : END_PINNED;
  case ENDS_CLAMPED_CLAMPED:
    return END_CLAMPED;
  case ENDS_FREE_FREE:
    break;
  }
  return END_FREE;
}

PetscBool BeamContactIsFreeEnd_Private(const Params *params)
{
  return params->contact_position == 1.0 && BeamEnd_Private(params, 1) == END_FREE ? PETSC_TRUE : PETSC_FALSE;
}

/*
  EndsCreate - Eliminate the end values of one field.   [theory 2]

  Not collective.
  Input:   first - d/dx, [N+1, N+1] column-major;  open - at which ends the slope is given (the value is 0 at the others)
  Output:  ends - free with EndsDestroy()
  Cost:    O(N)
*/
PetscErrorCode EndsCreate(PetscInt N, const PetscReal *first, const PetscBool open[2], Ends *ends)
{
  const PetscInt  m = N + 1, at[2] = {0, N};
  const PetscReal D[2][2] = {{first[0], first[N * m]}, {first[N], first[N + N * m]}};

  PetscFunctionBeginUser;
  *ends = (Ends){.open = {open[0], open[1]}};
  for (int e = 0; e < 2; e++) PetscCall(PetscCalloc1(m, &ends->row[e]));
  if (open[0] && open[1]) {
    const PetscReal determinant = D[0][0] * D[1][1] - D[0][1] * D[1][0];
    ends->inverse[0][0]         = D[1][1] / determinant;
    ends->inverse[0][1]         = -D[0][1] / determinant;
    ends->inverse[1][0]         = -D[1][0] / determinant;
    ends->inverse[1][1]         = D[0][0] / determinant;
    for (int e = 0; e < 2; e++) {
      for (PetscInt j = 1; j < N; j++) ends->row[e][j] = -(ends->inverse[e][0] * first[j * m] + ends->inverse[e][1] * first[N + j * m]);
    }
  } else {
    for (int e = 0; e < 2; e++) {
      if (!open[e]) continue;
      ends->inverse[e][e] = 1.0 / D[e][e];
      for (PetscInt j = 1; j < N; j++) ends->row[e][j] = -first[at[e] + j * m] / D[e][e];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EndsDestroy(Ends *ends)
{
  PetscFunctionBeginUser;
  for (int e = 0; e < 2; e++) PetscCall(PetscFree(ends->row[e]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void EndsValues(const Ends *ends, PetscInt N, const PetscReal *inner, const PetscReal slope[2], PetscReal value[2])
{
  for (int e = 0; e < 2; e++) {
    PetscReal sum = 0.0;
    for (PetscInt j = 1; j < N; j++) sum += ends->row[e][j] * inner[j - 1];
    value[e] = ends->open[e] ? sum + (ends->inverse[e][0] * slope[0] + ends->inverse[e][1] * slope[1]) : 0.0;
  }
}
