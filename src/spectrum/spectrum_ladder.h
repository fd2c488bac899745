/*
  spectrum_ladder.h - one rung of the ladder of grids: its eigenpairs, and which of them a finer rung confirms.   [theory 2]
*/
#ifndef GRAZE_SPECTRUM_LADDER_H
#define GRAZE_SPECTRUM_LADDER_H

#include "graze/beam.h"

typedef struct _p_Rung *Rung;

enum { RUNG_PROBES = 5 };

struct _p_Rung {
  const Params *params; /* borrowed */
  PetscInt   N;
  Beam       beam;            /* its grid; the operator is released */
  PetscBool  left;            /* residues come from left vectors; else from the shapes alone */
  PetscInt   n_real;          /* real positive eigenvalues, by size; without those of the rigid modes */
  PetscReal *w_raw;           /* [n_real] their square roots, as the eigensolver has them */
  PetscInt   first, m;        /* shapes are kept of those numbered first .. first + m - 1 */
  PetscReal *w, *r, *discord; /* [m] frequency from the energies, residue, |residue - tip^2 / mass| of the same mode */
  PetscReal *probe;           /* [RUNG_PROBES, m] u at scattered points; without left vectors */
  PetscReal *u, *phi;         /* [N+1, m] column-major, mass-normalised, y >= 0 */
};

/* Eigenpairs on N+1 points; candidates from number `first` on. params is borrowed until RungDestroy. */
PetscErrorCode RungCreate(MPI_Comm comm, const Params *params, PetscInt N, PetscInt first, Rung *rung);
/* Keep the first m candidates only. */
PetscErrorCode RungTrim(Rung rung, PetscInt m);
PetscErrorCode RungDestroy(Rung *rung);
/* Error allowed in a mass-normalised shape of frequency w on this grid. */
PetscReal RungTolerance(Rung rung, PetscReal w);
/* Relative disagreement of elastic mode k (counted over all real positive eigenvalues) between two rungs; PETSC_MAX_REAL if either lacks
 * it. */
PetscReal RungDisagreement(Rung coarse, Rung fine, PetscInt k);

#endif
