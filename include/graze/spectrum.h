/*
  spectrum.h - natural frequencies, residues and mass-normalised shapes of the resolved modes.   [theory 2]

  SLEPc eigenpairs with left vectors on a ladder of grids; a mode is used only if two grids agree on it, and is
  taken from the coarsest grid that resolves it. Modes k = 0 .. n-1 without a gap; a gap is an error.
*/
#ifndef GRAZE_SPECTRUM_H
#define GRAZE_SPECTRUM_H

#include "graze/params.h"

typedef struct _p_Spectrum *Spectrum;

/* A load on the beam as the modes see it: x_k'' + ... = p_k F(t). */
typedef struct {
  PetscReal *modal;      /* p_k, mass-normalised, [n] of the spectrum; the caller's array */
  PetscReal  static_tip; /* tip displacement under the constant load, all modes of the continuum */
} ModalLoad;

PetscErrorCode SpectrumCreate(MPI_Comm comm, Spectrum *spectrum);
PetscErrorCode SpectrumSetParams(Spectrum spectrum, const Params *params); /* non-dimensional, copied */
PetscErrorCode SpectrumSetModes(Spectrum spectrum, PetscInt n_wanted);     /* at least so many, if -beam_points allows; may be raised later */
PetscErrorCode SpectrumSetUp(Spectrum spectrum, Complaint *complaint);     /* complaint: -beam_points resolves too few */
PetscErrorCode SpectrumDestroy(Spectrum *spectrum);

/* n resolved modes; w natural frequencies, r residues > 0 (n_k = sqrt(r_k) is the mass-normalised tip value). Borrowed. */
PetscErrorCode SpectrumGet(Spectrum spectrum, PetscInt *n, const PetscReal **w, const PetscReal **r);
/* The grid that mode k was taken from, and the relative disagreement with the next finer one. */
PetscErrorCode SpectrumGetMode(Spectrum spectrum, PetscInt k, PetscInt *points, PetscReal *disagreement);
/* Mass-normalised u_k and phi_k (sign: u_k(1) > 0) at x. phi may be NULL. */
PetscErrorCode SpectrumEvaluate(Spectrum spectrum, PetscInt k, PetscReal x, PetscReal *u, PetscReal *phi);
/* Project a load of unit amplitude of the given type (mode j counted from 1). */
PetscErrorCode SpectrumProject(Spectrum spectrum, ForcingType type, PetscInt mode, PetscReal position, ModalLoad *load);

#endif
