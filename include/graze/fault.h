/*
  fault.h - for tests alone: wait, die or hang at a named place of the program.

  Built in with -DGRAZE_FAULTS (CMake sets it with GRAZE_TESTS); without it every call is nothing. The environment variable GRAZE_FAULT says what
  happens, a list separated by spaces:
    PLACE:sleep=SECONDS@K   the K-th time (from 1) this process passes PLACE it writes the place into the file named by
                            GRAZE_FAULT_MARK, and sleeps. Places: start, journal_write, snapshot, rename
    cell:WHAT@UNIT,STEP     when a rank begins step STEP of unit UNIT it does WHAT: segv, fpe, bus, abort, kill, hang, error (a PETSc error), slow=SECONDS
  GRAZE_FAULT_CELLS names a file to which every rank appends "UNIT STEP\n" when it begins a step: what was begun, whatever becomes of it.
*/
#ifndef GRAZE_FAULT_H
#define GRAZE_FAULT_H

#include "graze/compat.h"

#if defined(GRAZE_FAULTS)
PetscErrorCode FaultPoint(const char *place);
PetscBool      FaultIsSet(const char *place); /* does this process wait there, at any of its passages? */
PetscErrorCode FaultCell(PetscInt unit, PetscInt step);
#else
  #define FaultPoint(place)      PETSC_SUCCESS
  #define FaultIsSet(place)      PETSC_FALSE
  #define FaultCell(unit, step)  ((void)(unit), (void)(step), PETSC_SUCCESS)
#endif

#endif
