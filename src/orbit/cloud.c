/*
  cloud.c - do two blocks of samples look alike?   [theory 8.4]
*/
#include "cloud.h"

#include <math.h>

Cloud CloudOf(PetscInt n, const PetscReal *y)
{
  Cloud c = {.count = n};

  for (PetscInt i = 0; i < n; ++i) c.mean += y[i] / (PetscReal)n;
  for (PetscInt i = 0; i < n; ++i) c.deviation += PetscSqr(y[i] - c.mean) / (PetscReal)n;
  c.deviation = sqrt(c.deviation);
  return c;
}

/*
  CloudsAgree - Means within 4 standard errors, and deviations within a factor 2; an empty cloud agrees with none.

  Strobes of chaos are correlated: a quarter of them is counted as independent. A slow drift or a decaying transient fails one or the other.
*/
PetscBool CloudsAgree(const Cloud *a, const Cloud *b)
{
  const PetscReal independent = PetscMax(0.25 * PetscMin(a->count, b->count), 1.0);
  const PetscReal standard    = hypot(a->deviation, b->deviation) / sqrt(independent);

  if (a->count == 0 || b->count == 0) return PETSC_FALSE;
  return (PetscBool)(fabs(a->mean - b->mean) <= 4.0 * standard && a->deviation <= 2.0 * b->deviation && b->deviation <= 2.0 * a->deviation);
}
