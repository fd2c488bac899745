/*
  app.h - the commands of the program, one file each.

  A command gets the arguments that follow its name, without PETSc's own. It leaves a complaint, which need not be the same on
  all ranks; main prints it once and exits. A command that cannot wait for the other ranks ends the job with AppAbort.
*/
#ifndef GRAZE_APP_H
#define GRAZE_APP_H

#include <stdio.h>

#include "graze/params.h"

PetscErrorCode CommandSweep(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandTrajectory(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandContinue(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandKernel(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandAsymptotics(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandInfo(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandVerify(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandCheck(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandMerge(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
PetscErrorCode CommandHelp(MPI_Comm comm, int argc, char **argv, Complaint *complaint);

typedef struct {
  const char *name, *arguments, *summary;
  unsigned    options; /* COMMAND_* bits of params.h; 0: takes none of the table's options */
  PetscErrorCode (*run)(MPI_Comm comm, int argc, char **argv, Complaint *complaint);
} Command;

extern const Command commands[]; /* ends with a NULL name */

/* The command of that name, or NULL and a complaint that suggests one. */
const Command *CommandFind(const char *name, Complaint *complaint);
/* Unix time at which the program started [s]. */
double AppBegin(void);
/* What the launcher says of itself, read before MPI_Init. */
void LauncherRemember(void);
/* A complaint if N tasks of srun became N programs of one rank. */
PetscErrorCode LauncherCheck(MPI_Comm comm, Complaint *complaint);
/* One rank, at once: print the complaint and end the whole job with its exit code. Does not return. */
PetscErrorCode AppAbort(MPI_Comm comm, const Complaint *complaint);
PetscErrorCode HelpPrint(const Command *command, FILE *file); /* NULL: the whole program */
PetscErrorCode VersionPrint(FILE *file);

#endif
