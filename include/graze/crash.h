/*
  crash.h - a rank that dies of its own SIGSEGV, SIGFPE, SIGBUS, SIGILL or SIGABRT, or of an internal error, leaves a record naming the step it was in.

  The record is a file <folder>/crash.<rank>, one line: "unit step signal". The handler uses only async-signal-safe calls, then lets the
  signal kill the process. Installed after PetscInitialize (whose own handlers it replaces).
*/
#ifndef GRAZE_CRASH_H
#define GRAZE_CRASH_H

#include "graze/complaint.h"

PetscErrorCode CrashInstall(const char *folder, PetscMPIInt rank);
/* The step this rank is in; unit < 0: in none, and a crash leaves no record. */
void CrashSetStep(PetscInt unit, PetscInt step);
/* Write the record for an internal error (signal 0), if in a step. */
void CrashWrite(void);

/* Root, at the start of a session: each record of the folder (valid ones only; others are removed) to `found`, then all are removed by CrashClear. */
PetscErrorCode CrashRead(const char *folder, PetscErrorCode (*found)(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, int signal), void *ctx);
PetscErrorCode CrashClear(const char *folder);

#endif
