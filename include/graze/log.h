/*
  log.h - what the user reads while the program runs: stages, one line of progress, warnings (counted).

  Root only; the other ranks' calls do nothing. Everything goes to standard output (unless quiet) and to <output>/log.txt
  once LogOpen was called; progress goes to standard output alone: rewritten in place on a terminal, a plain line a minute otherwise.
*/
#ifndef GRAZE_LOG_H
#define GRAZE_LOG_H

#include "graze/complaint.h"

PetscErrorCode LogSetUp(MPI_Comm comm, PetscBool quiet);
PetscErrorCode LogOpen(const char *path, Complaint *complaint);
PetscErrorCode LogLine(const char *format, ...) PETSC_ATTRIBUTE_FORMAT(1, 2);
PetscErrorCode LogWarning(const char *format, ...) PETSC_ATTRIBUTE_FORMAT(1, 2);
/* done of total steps (`before` of them in earlier runs) after `seconds`: prints done/total, steps per second and the time left, not more often than is useful. */
PetscErrorCode LogProgress(const char *what, PetscInt before, PetscInt done, PetscInt total, PetscReal seconds);
/* A line of progress where nobody knows how much there is to do. */
PetscErrorCode LogNow(PetscReal seconds, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
PetscErrorCode LogClose(PetscInt *warnings); /* warnings may be NULL */

#endif
