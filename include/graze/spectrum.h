/*
  spectrum.h - natural frequencies, residues and mass-normalised shapes of the resolved modes.   [theory 2]

  SLEPc eigenpairs (with left vectors where the contact point is a free end) on a ladder of grids; a mode is used only if two grids
  agree on it, and is taken from the coarsest grid that resolves it. Modes k = 0 .. n-1 without a gap; a gap is an error. Rigid modes
  come first, w = 0, chosen such that the first alone moves the contact point. BEAM_MODES: the lists, as they are.

  The contact coordinate y points away from the stop: y = u(x_c) if the stop is below, -u(x_c) if it is above. The sign of each shape
  is such that its y is >= 0.
*/
#ifndef GRAZE_SPECTRUM_H
#define GRAZE_SPECTRUM_H

#include "graze/params.h"

typedef struct _p_Spectrum *Spectrum;

/* A load on the beam as the modes see it: x_k'' + ... = p_k F(t). */
typedef struct {
  PetscReal *modal;      /* p_k, mass-normalised, [n] of the spectrum; the caller's array */
  PetscReal  static_tip; /* y under the constant load, all modes of the continuum but the rigid ones */
} ModalLoad;

PetscErrorCode SpectrumCreate(MPI_Comm comm, Spectrum *spectrum);
PetscErrorCode SpectrumSetParams(Spectrum spectrum, const Params *params); /* non-dimensional, copied */
PetscErrorCode SpectrumSetModes(Spectrum spectrum, PetscInt n_wanted); /* at least so many, if -beam_points allows; may be raised later */
PetscErrorCode SpectrumSetUp(Spectrum spectrum, Complaint *complaint);     /* complaint: -beam_points resolves too few */
PetscErrorCode SpectrumDestroy(Spectrum *spectrum);

/* n resolved modes; w >= 0 natural frequencies, r residues (n_k = sqrt(r_k) is the mass-normalised value of y), exactly 0 where a mode
   does not move the contact point. Borrowed. */
PetscErrorCode SpectrumGet(Spectrum spectrum, PetscInt *n, const PetscReal **w, const PetscReal **r);
/* Damping ratio of each mode, [n]: -damping_ratio, or the list of BEAM_MODES. Borrowed. */
PetscErrorCode SpectrumGetDamping(Spectrum spectrum, const PetscReal **D);
/* The grid that mode k was taken from, and the relative disagreement with the next finer one. */
PetscErrorCode SpectrumGetMode(Spectrum spectrum, PetscInt k, PetscInt *points, PetscReal *disagreement);
/* Mass-normalised u_k and phi_k at x. phi may be NULL. Not for BEAM_MODES. */
PetscErrorCode SpectrumEvaluate(Spectrum spectrum, PetscInt k, PetscReal x, PetscReal *u, PetscReal *phi);
/* Modal coordinates of the field u = shape(x) of unit size: INITIAL_LINEAR u = x, INITIAL_UNIFORM u = 1; string and rod. x: [n] */
PetscErrorCode SpectrumProjectField(Spectrum spectrum, InitialShape shape, PetscReal *x);
/* Project a load of unit amplitude of the given type (mode j counted from 1). */
PetscErrorCode SpectrumProject(Spectrum spectrum, ForcingType type, PetscInt mode, PetscReal position, ModalLoad *load);

#endif
