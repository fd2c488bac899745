/*
  pool.h - who does which opaque unit of work: root hands out pieces, workers send back steps, root commits.

  A unit is a number; it consists of steps done one after the other, and each step's result is a run of bytes. A piece is a run of steps of one
  unit, with the bytes that its first step starts from (the carry). What they mean (cells of a line, points of a branch) is known to the callbacks
  alone. With few ranks (POOL_ROOT_WORKS or less) root computes too and serves the others whenever the work calls PoolPoll or
  PoolStep; with more it only serves, asleep between messages.

  A finished step leaves its rank at once: at most one is on the way to root (synchronous send) while the next is computed, so that
  the death of the job loses no more than these two a rank.
*/
#ifndef GRAZE_POOL_H
#define GRAZE_POOL_H

#include "graze/complaint.h"

#define POOL_ROOT_WORKS 5

typedef struct _p_Pool *Pool;

typedef struct {
  PetscInt    unit, first, n; /* steps first .. first + n - 1 */
  PetscBool   alone;          /* run after all that are not, while no other piece is out */
  PetscReal   cost;           /* expected; dearest first, equals in the order added */
  PetscInt    nbytes;         /* of the carry; 0: the first step starts from the beginning */
  const void *carry;
} PoolPiece;

typedef struct {
  /* Any rank. The steps of the piece in order; PoolStep after each. Returns early when PoolStep or PoolPoll say stop. */
  PetscErrorCode (*work)(void *ctx, Pool pool, const PoolPiece *piece);
  /* Root only: a piece is about to go to a rank. May be NULL. */
  PetscErrorCode (*assign)(void *ctx, PetscMPIInt rank, const PoolPiece *piece, Complaint *complaint);
  /* Root only, in order of arrival: one finished step. May call PoolAdd. */
  PetscErrorCode (*commit)(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes, Complaint *complaint);
  /* Root only, at least twice a second as long as PoolRun lasts (as often as root's own work polls). May call PoolStop. May be NULL. */
  PetscErrorCode (*tick)(void *ctx, Pool pool, Complaint *complaint);
} PoolCallbacks;

/* What root knows of a rank. */
typedef struct {
  PetscInt  unit, step;   /* in work, as far as root heard; unit < 0: none */
  PetscBool alone;
  double    since, heard; /* MPI_Wtime [s]: of the present step's start (as root saw it), of the last message; root itself: now */
  PetscReal busy;         /* fraction of the time since PoolRun began spent in `work`, as last reported; NaN: a rank that only serves */
} PoolRank;

typedef enum {
  POOL_DONE,    /* nothing is left */
  POOL_STOPPED, /* after PoolStop: every rank is back */
  POOL_SILENT   /* after PoolStop: some rank did not come back in time; the caller saves and aborts the job */
} PoolOutcome;

PetscErrorCode PoolCreate(MPI_Comm comm, Pool *pool);
PetscErrorCode PoolSetCallbacks(Pool pool, const PoolCallbacks *callbacks, void *ctx);
/* Root: one more piece, before PoolRun or from `commit`; carry is copied. Other ranks' calls do nothing. */
PetscErrorCode PoolAdd(Pool pool, const PoolPiece *piece);
/* Collective. A complaint of a callback ends the run: root returns it at once (the caller aborts the job). outcome: the same on all ranks unless POOL_SILENT. */
PetscErrorCode PoolRun(Pool pool, PoolOutcome *outcome, Complaint *complaint);

/* Inside `work`: a step is done, and here are its bytes (copied). stop: return now. */
PetscErrorCode PoolStep(Pool pool, PetscInt nbytes, const void *bytes, PetscBool *stop);
/* Inside `work`, within a step, as often as wanted (a look at the clock; messages every 20 ms, on root every ms). stop: give the step up and return. */
PetscErrorCode PoolPoll(Pool pool, PetscBool *stop);

/* Root, from tick or commit: hand out nothing more; ranks return after the present step, or give it up after `grace` seconds. A later call may shorten the grace. */
PetscErrorCode PoolStop(Pool pool, PetscReal grace);
/* Root: INTERRUPT_* bits of all ranks since the last call. */
PetscErrorCode PoolTakeInterrupts(Pool pool, unsigned *bits);
/* Root, also after PoolRun. shape [size]. Borrowed. */
PetscErrorCode PoolGetRanks(Pool pool, PetscMPIInt *size, const PoolRank **ranks);
PetscErrorCode PoolDestroy(Pool *pool);

#endif
