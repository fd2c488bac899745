/*
  sweep.h - steady states over a grid of forcing amplitudes and frequencies: the work of one unit, and the file it goes to.

  Every rank holds a Sweep and computes units; root alone holds a SweepStore and commits them.
*/
#ifndef GRAZE_SWEEP_H
#define GRAZE_SWEEP_H

#include "graze/cell.h"
#include "graze/grid.h"
#include "graze/model.h"
#include "graze/pool.h"

typedef struct _p_Sweep *Sweep;

PetscErrorCode SweepCreate(MPI_Comm comm, Sweep *sweep);               /* PETSC_COMM_SELF: a sweep is one rank's */
PetscErrorCode SweepSetParams(Sweep sweep, const Params *params);      /* non-dimensional, copied */
PetscErrorCode SweepSetModel(Sweep sweep, Model model);                /* set up; borrowed */
PetscErrorCode SweepSetUp(Sweep sweep);
PetscErrorCode SweepDestroy(Sweep *sweep);
/* PoolCallbacks.work with a Sweep as context: the cells of one unit, one CellLayout row after the other in the order computed. */
PetscErrorCode SweepWork(void *sweep, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result);

typedef struct _p_SweepStore *SweepStore;

typedef struct {
  PetscInt  by_status[STATUS_COUNT];
  PetscInt  n_slowest;
  struct {
    PetscReal seconds, amplitude, frequency;
    int       direction;
  } slowest[3];
} SweepTally;

/* Makes path (under a temporary name until StoreReady): dimensions, variables, attributes of the root group. Root only. */
PetscErrorCode SweepStoreCreate(const char *path, const Params *params, SweepStore *sweep_store, Complaint *complaint);
/* The open file, for the groups that others add before StoreReady. */
PetscErrorCode SweepStoreGetStore(SweepStore sweep_store, Store *store);
/* Everything of a unit, its status last: a line that is interrupted stays pending. */
PetscErrorCode SweepStoreCommit(SweepStore sweep_store, PetscInt unit, PetscInt nbytes, const void *result, Complaint *complaint);
PetscErrorCode SweepStoreGetTally(SweepStore sweep_store, const SweepTally **tally);
/* Marks the result complete and closes it. */
PetscErrorCode SweepStoreFinish(SweepStore *sweep_store, Complaint *complaint);
PetscErrorCode SweepStoreDestroy(SweepStore *sweep_store);

#endif
