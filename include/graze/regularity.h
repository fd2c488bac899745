/*
  regularity.h - criterion (5) of the theory: does the memory kernel jump at zero delay?   [theory 4]
*/
#ifndef GRAZE_REGULARITY_H
#define GRAZE_REGULARITY_H

#include "graze/spectrum.h"

typedef struct {
  PetscBool regular;              /* L+ > 0 */
  PetscReal L_plus;               /* of the continuum, in closed form; 0: singular */
  PetscReal alpha, alpha_error;   /* measured: w_k ~ k^alpha of the modes that move the contact point, weighted by what they move it; its
                                     error: of the fit, or by how much alpha still changes over it */
  PetscReal exponent;             /* contact force at onset ~ dt^exponent, 1/alpha - 1: 0 finite, < 0 grows without bound as dt -> 0 */
} Regularity;

/* From the spectrum at hand (at least 10 modes with r > 0, else alpha is NaN). Cost O(n). */
PetscErrorCode RegularityJudge(const Params *params, Spectrum spectrum, Regularity *regularity);

#endif
