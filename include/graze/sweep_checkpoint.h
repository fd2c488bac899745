/*
  sweep_checkpoint.h - what the checkpoint needs to know of sweep.h5: is a snapshot whole, and records into the next one.

  Root only. The callbacks `replay` and `begun` are left NULL: they belong to whoever keeps the account of the cells.
*/
#ifndef GRAZE_SWEEP_CHECKPOINT_H
#define GRAZE_SWEEP_CHECKPOINT_H

#include "graze/checkpoint.h"
#include "graze/params.h"

typedef struct _p_SweepCheckpoint *SweepCheckpoint;

/* params: non-dimensional, copied */
PetscErrorCode SweepCheckpointCreate(const Params *params, SweepCheckpoint *sweep_checkpoint);
/* check, begin, record and end, to be called with the SweepCheckpoint as their context. */
PetscErrorCode SweepCheckpointCallbacks(SweepCheckpoint sweep_checkpoint, CheckpointCallbacks *callbacks);
PetscErrorCode SweepCheckpointDestroy(SweepCheckpoint *sweep_checkpoint);

#endif
