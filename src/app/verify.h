/*
  verify.h - for graze verify: what must hold in every cell of a sweep and in every branch, and where it does not.   Not collective (root).
*/
#ifndef GRAZE_VERIFY_H
#define GRAZE_VERIFY_H

#include "graze/sweep_store.h"

typedef enum {
  FAULT_CHECKSUM, /* alone: nothing more is asked of such a cell */
  FAULT_PENDING,
  FAULT_COUNTS,
  FAULT_FILLING,
  FAULT_PHASE,
  FAULT_VELOCITY,
  FAULT_FORCE,
  FAULT_PERIOD,
  FAULT_MULTIPLIER,
  FAULT_CONTACT_FREE,
  FAULT_STATE,
  FAULTS
} VerifyFault;

typedef struct {
  PetscInt done; /* cells that are not pending, damaged ones too */
  PetscInt count[FAULTS], first[FAULTS]; /* cells; flat number of the first */
  PetscInt damaged;                      /* cells with any fault */
} VerifyCells;

/* Every cell of the file. Complaint: EXIT_FILES if it cannot be read. Memory: a few MB */
PetscErrorCode VerifyCellsOf(SweepStore store, VerifyCells *cells, Complaint *complaint);
/* A row for each kind of fault that there is; none if there is none. */
PetscErrorCode VerifyPrint(const VerifyCells *cells, const Grid *grid);

/* ---- branches ---- */

/* Is path, of the folder or (folder "") alone, the result of a continuation? */
PetscErrorCode VerifyIsBranches(const char *folder, const char *path, PetscBool *is);
/* The same command for it. Complaint: EXIT_COME_BACK: sound, but not complete; EXIT_FILES */
PetscErrorCode VerifyBranches(const char *folder, const char *path, Complaint *complaint);

#endif
