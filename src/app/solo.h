/*
  solo.h - a command whose work is that of one rank, and whose result is written at once: trajectory, kernel, asymptotics.

  SoloRead, then SoloPrepare; on the rank that works SoloCreate, the command's own data, SoloFinish.
*/
#ifndef GRAZE_SOLO_H
#define GRAZE_SOLO_H

#include "output.h"

typedef struct {
  /* set by the command */
  MPI_Comm    comm;
  unsigned    command;             /* COMMAND_* */
  const char *name, *title, *file; /* of the command; of the result in its provenance; "kernel.h5" */
  int         argc;
  char      **argv;
  /* by SoloRead */
  Params given, params; /* as the user said it; non-dimensional */
  Units  units;
} Solo;

/* Options, units, log. Collective. */
PetscErrorCode SoloRead(Solo *solo, Complaint *complaint);
/* The folder. works: the result is not there yet, and it is this rank that makes it. Collective; the same complaint on all ranks. */
PetscErrorCode SoloPrepare(const Solo *solo, PetscBool *done, PetscBool *works, Complaint *complaint);
/* used_parameters.yaml. Not collective, as what follows. */
PetscErrorCode SoloWriteYaml(const Solo *solo, Complaint *complaint);
/* The result file with all but the data of the command; then in its place, and closed. */
PetscErrorCode SoloCreate(const Solo *solo, Store *store, Complaint *complaint);
PetscErrorCode SoloFinish(Store *store, Complaint *complaint);
/* Where the result is, in the log. */
PetscErrorCode SoloLogResult(const Solo *solo);

#endif
