/*
  solo.c - see solo.h. Complaints: EXIT_OPTIONS and EXIT_FILES of what was asked for, EXIT_IO of the disk.
*/
#include "solo.h"

#include "graze/log.h"
#include "graze/provenance.h"

PetscErrorCode SoloRead(Solo *s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(ParamsRead(s->comm, s->command, s->argc, s->argv, &s->given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&s->given, &s->units, &s->params, complaint));
  if (!complaint->exit_code) PetscCall(LogSetUp(s->comm, s->given.quiet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SoloPrepare(const Solo *s, PetscBool *done, PetscBool *works, Complaint *complaint)
{
  PetscMPIInt rank;
  OutputFound found;

  PetscFunctionBeginUser;
  *done = *works = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(OutputPrepare(s->comm, &s->given, s->command, s->file, &found, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  *done  = (PetscBool)(found == OUTPUT_DONE);
  *works = (PetscBool)(!*done && rank == 0);
  if (*done) PetscCall(LogLine("%s/%s is complete: nothing to do (-overwrite moves it aside)", s->given.output, s->file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SoloWriteYaml(const Solo *s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(OutputWriteYaml(&s->given, s->command, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SoloCreate(const Solo *s, Store *store, Complaint *complaint)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  *store = NULL;
  PetscCall(OutputPath(&s->given, s->file, sizeof path, path, complaint));
  PetscCall(StoreCreate(path, store, complaint));
  PetscCall(OutputWriteProvenance(*store, s->comm, s->title, s->name, s->argc, s->argv, complaint));
  PetscCall(OutputWriteParameters(*store, &s->given, s->command, complaint));
  PetscCall(OutputWriteScales(*store, &s->units, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SoloFinish(Store *store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(ProvenanceWriteEnd(*store, complaint));
  PetscCall(StoreReady(*store, complaint));
  PetscCall(StoreClose(store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SoloLogResult(const Solo *s)
{
  char      path[PETSC_MAX_PATH_LEN];
  Complaint none = {0}; /* the path was short enough to write to */

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&s->given, s->file, sizeof path, path, &none));
  PetscCall(LogLine("result         %s", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
