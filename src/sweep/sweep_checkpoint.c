/*
  sweep_checkpoint.c - the callbacks of the checkpoint: records go into the next snapshot, which is then read back.

  Which cells were written is kept as one flag a cell, so that reading back costs what was written and not the whole file.
*/
#include "graze/sweep_checkpoint.h"

#include <string.h>

#include "graze/sweep_store.h"

struct _p_SweepCheckpoint {
  Params     params;
  Grid       grid;
  SweepStore store; /* NULL between end and begin */
  char       path[PETSC_MAX_PATH_LEN];
  PetscBool *written; /* shape [n_cells] */
};

PetscErrorCode SweepCheckpointCreate(const Params *params, SweepCheckpoint *sweep_checkpoint)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(sweep_checkpoint));
  (*sweep_checkpoint)->params = *params;
  PetscCall(GridSetUp(params, &(*sweep_checkpoint)->grid));
  PetscCall(PetscMalloc1((*sweep_checkpoint)->grid.n_cells, &(*sweep_checkpoint)->written));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepCheckpointDestroy(SweepCheckpoint *sweep_checkpoint)
{
  PetscFunctionBeginUser;
  if (!*sweep_checkpoint) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreDestroy(&(*sweep_checkpoint)->store));
  PetscCall(PetscFree((*sweep_checkpoint)->written));
  PetscCall(PetscFree(*sweep_checkpoint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells, or those of `cells`; bad ones are a complaint. */
static PetscErrorCode CheckFile_Private(SweepCheckpoint c, const char *path, const PetscBool *cells, int exit_code, CheckpointMark *mark,
                                        Complaint *complaint)
{
  SweepStore store;
  SweepCheck check = {0, 0, -1};

  PetscFunctionBeginUser;
  PetscCall(SweepStoreOpen(path, &c->params, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreCheck(store, cells, &check, complaint));
  if (check.bad)
    ComplaintSet(complaint, exit_code,
                 "%.500s is damaged: %" PetscInt_FMT " of %" PetscInt_FMT
                 " cells do not match their checksums, the first is cell %" PetscInt_FMT,
                 path, check.bad, check.checked, check.first_bad);
  PetscCall(SweepStoreGetMark(store, mark, complaint));
  PetscCall(SweepStoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check_Private(void *ctx, const char *path, CheckpointMark *mark, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(CheckFile_Private((SweepCheckpoint)ctx, path, NULL, EXIT_FILES, mark, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin_Private(void *ctx, const char *path, Complaint *complaint)
{
  SweepCheckpoint c = (SweepCheckpoint)ctx;

  PetscFunctionBeginUser;
  PetscCheck(!c->store, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is still open", c->path);
  PetscCall(PetscStrncpy(c->path, path, sizeof(c->path)));
  PetscCall(PetscArrayzero(c->written, c->grid.n_cells));
  PetscCall(SweepStoreOpen(path, &c->params, PETSC_TRUE, &c->store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Record_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  SweepCheckpoint c = (SweepCheckpoint)ctx;

  PetscFunctionBeginUser;
  if (!c->store || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreRecord(c->store, record, bytes, complaint));
  if (record->kind == RECORD_STEP && !complaint->exit_code)
    c->written[GridCellOfStep(&c->grid, (PetscInt)record->unit, (PetscInt)record->step)] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is every cell done by now? The file says so itself. */
static PetscErrorCode Complete_Private(SweepCheckpoint c, Complaint *complaint)
{
  signed char *status;
  PetscBool    complete = PETSC_TRUE;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(c->grid.n_cells, &status));
  PetscCall(SweepStoreReadStatus(c->store, status, complaint));
  for (PetscInt i = 0; i < c->grid.n_cells && complete && !complaint->exit_code; ++i) complete = (PetscBool)(status[i] != STATUS_PENDING);
  PetscCall(SweepStoreSetComplete(c->store, complete, complaint));
  PetscCall(PetscFree(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What cannot be read back is no fault of the user's files: EXIT_IO whatever the reading says. */
static PetscErrorCode End_Private(void *ctx, const CheckpointMark *mark, Complaint *complaint)
{
  SweepCheckpoint c     = (SweepCheckpoint)ctx;
  Complaint       again = {0};
  CheckpointMark  there = {0, 0};

  PetscFunctionBeginUser;
  if (!c->store) PetscFunctionReturn(PETSC_SUCCESS);
  if (!complaint->exit_code) {
    PetscCall(SweepStoreSetMark(c->store, mark, complaint));
    PetscCall(Complete_Private(c, complaint));
  }
  PetscCall(SweepStoreClose(&c->store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckFile_Private(c, c->path, c->written, EXIT_IO, &there, &again));
  if (!again.exit_code && (there.generation != mark->generation || there.next != mark->next))
    ComplaintSet(&again, EXIT_IO, "%.500s has another mark than was written", c->path);
  if (again.exit_code) ComplaintSet(complaint, EXIT_IO, "what was written cannot be read back: %.900s", again.line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepCheckpointCallbacks(SweepCheckpoint sweep_checkpoint, CheckpointCallbacks *callbacks)
{
  PetscFunctionBeginUser;
  (void)sweep_checkpoint;
  *callbacks = (CheckpointCallbacks){.check = Check_Private, .begin = Begin_Private, .record = Record_Private, .end = End_Private};
  PetscFunctionReturn(PETSC_SUCCESS);
}
