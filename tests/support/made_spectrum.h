/*
  made_spectrum.h - a spectrum with so many modes, for tests of what it holds.
*/
#ifndef GRAZE_TESTS_MADE_SPECTRUM_H
#define GRAZE_TESTS_MADE_SPECTRUM_H

#include "graze/spectrum.h"

/* At least n_wanted modes, or the test fails with the complaint. The caller destroys it; w, r: shape [*n], borrowed. */
void MakeSpectrum(Spectrum *spectrum, const Params *params, PetscInt n_wanted, PetscInt *n, const PetscReal **w, const PetscReal **r);

#endif
