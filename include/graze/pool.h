/*
  pool.h - who does which opaque unit of work: root hands out, workers send back, root commits.

  A unit is a number; its result is a run of bytes. What a unit means (a line of a sweep, a branch) is known to
  the callbacks alone. With few ranks (POOL_ROOT_WORKS or less) root computes too and serves the others whenever the work
  calls PoolTick; with more it only serves, asleep between messages.
*/
#ifndef GRAZE_POOL_H
#define GRAZE_POOL_H

#include "graze/complaint.h"

#define POOL_ROOT_WORKS 5

typedef struct _p_Pool *Pool;

typedef struct {
  /* Any rank. Computes `unit`; leaves *nbytes bytes at *result, valid until the next call. Calls PoolTick after each step. */
  PetscErrorCode (*work)(void *ctx, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result);
  /* Root only, in order of arrival. */
  PetscErrorCode (*commit)(void *ctx, PetscInt unit, PetscMPIInt rank, PetscInt nbytes, const void *result, Complaint *complaint);
  /* Root only, at least once a second while units are out; done and total steps. May be NULL. */
  PetscErrorCode (*progress)(void *ctx, PetscInt done, PetscInt total, PetscReal seconds);
} PoolCallbacks;

PetscErrorCode PoolCreate(MPI_Comm comm, Pool *pool);
/* steps[i]: how many PoolTicks unit i makes; cost[i]: expected cost, dearest first (NULL: in order). Same on all ranks. */
PetscErrorCode PoolSetUnits(Pool pool, PetscInt n, const PetscInt *steps, const PetscReal *cost);
PetscErrorCode PoolSetCallbacks(Pool pool, const PoolCallbacks *callbacks, void *ctx);
/* Collective. A complaint of `commit` ends the run: root returns it at once (the caller aborts the job). */
PetscErrorCode PoolRun(Pool pool, Complaint *complaint);
PetscErrorCode PoolTick(Pool pool); /* inside `work`: one step done; serves messages on root */
/* Root, after PoolRun: per rank the fraction of the run's wall time spent in `work`; ranks that only serve have NaN. shape [size] */
PetscErrorCode PoolGetBusy(Pool pool, const PetscReal **busy);
PetscErrorCode PoolDestroy(Pool *pool);

#endif
