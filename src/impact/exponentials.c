/*
  exponentials.c - e^{lambda_j t} for all exponents of a beam at once.

  Alone in its file because it is compiled with -ffast-math: only so will GCC call the vector mathematics library of glibc, which is
  right to 4 ulp. Nothing here depends on the order of sums, on infinities or on NaN, and the result is a function of its input alone.
*/
#include <math.h>

#include "exponents.h"

/* e^{-44} < 1e-19: below round-off of any sum it enters */
static const PetscReal negligible = -44.0;

GRAZE_VECTORISED static void All_Private(PetscInt n, const PetscReal *restrict re, const PetscReal *restrict im, PetscReal t, PetscReal *restrict e_re, PetscReal *restrict e_im)
{
  /* three loops: GCC would join the cosine and the sine of one loop into a scalar call */
  for (PetscInt j = 0; j < n; ++j) e_re[j] = cos(im[j] * t);
  for (PetscInt j = 0; j < n; ++j) e_im[j] = sin(im[j] * t);
  for (PetscInt j = 0; j < n; ++j) {
    const PetscReal decay = exp(re[j] * t);

    e_re[j] *= decay;
    e_im[j] *= decay;
  }
}

PetscInt ExponentsAt(const Exponents *x, PetscReal t, PetscReal *e_re, PetscReal *e_im)
{
  PetscInt n = x->n;

  while (n > 0 && x->re[n - 1] * t < negligible) --n;
  All_Private(n, x->re, x->im, t, e_re, e_im);
  for (PetscInt j = n; j < x->n; ++j) e_re[j] = e_im[j] = 0.0;
  return n;
}
