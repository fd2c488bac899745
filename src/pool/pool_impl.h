/*
  pool_impl.h - what the files of the pool share: the messages, and the state of a rank.

  Messages have a PoolHead, then bytes:
    POOL_PIECE   root -> worker   a piece, with its carry
    POOL_COME    root -> worker   come back: after the present step, or without it once `value` seconds have passed
    POOL_END     root -> worker   everybody is back; `value`: the PoolOutcome
    POOL_STEP    worker -> root   a step is done, with its bytes
    POOL_REPORT  worker -> root   still here
    POOL_BACK    worker -> root   the last message of a worker: it holds nothing, and what it sent has arrived

  Invariants
  * Nobody waits for another rank inside MPI (mail.h); whoever has nothing to do naps between looks.
  * A worker has at most one step and one report (or its BACK) on the way: it sends the next when root has begun to take the last.
  * Root ends a run by calling everybody back, once nothing is left or PoolStop was called; it takes and commits what arrives until all are
    back. Hence nothing that was sent is lost, and no message outlives its run.
*/
#ifndef GRAZE_POOL_IMPL_H
#define GRAZE_POOL_IMPL_H

#include "graze/pool.h"
#include "graze/schedule.h"
#include "mail.h"

#define HEARTBEAT_SECONDS 0.5   /* a worker in PoolRun is heard of at least so often, as far as it polls */
#define WORKER_LOOK       20e-3 /* between two looks for messages within a step */
#define ROOT_LOOK         1e-3  /* the same on root, on which workers wait: a look takes about 1e-6 s */
#define TICK_SECONDS      0.1
#define PATIENCE          5.0 /* s after the grace of a stop; a rank not back by then, and silent for as long, is given up */

typedef enum { POOL_PIECE = 1, POOL_COME, POOL_END, POOL_STEP, POOL_REPORT, POOL_BACK } PoolKind;

/* In bytes as this machine has them; without holes, and a multiple of 16, so that what follows it is aligned. */
typedef struct {
  int64_t kind, unit, step, n; /* step: of a piece its first */
  int64_t alone, interrupts;
  double  cost, value; /* value, from a worker: fraction of its time in work */
} PoolHead;
_Static_assert(sizeof(PoolHead) % 16 == 0, "what follows a head is not aligned");

typedef struct {
  PoolPiece piece;
  void     *message; /* holds its carry */
} ReceivedPiece;

struct _p_Pool {
  /* parameters */
  PoolCallbacks callbacks;
  /* borrowed */
  void            *ctx;
  Complaint       *complaint; /* of the PoolRun that is on, else NULL */
  const PoolPiece *piece;     /* in work on this rank, else NULL */
  /* owned */
  Mail        mail;
  PetscMPIInt rank, size;
  Schedule    schedule; /* root */
  PoolRank   *ranks;    /* root: [size] */
  PetscBool  *back;     /* root: [size] */
  /* work */
  PetscInt      steps;                  /* done of the piece in work */
  PetscBool     told;                   /* `work` was told to stop */
  ReceivedPiece waiting[SCHEDULE_HELD]; /* worker: received, not begun */
  PetscInt      n_waiting;
  Letter        step, report;                    /* worker: on the way, else NULL */
  double        last_look, last_sent, last_tick; /* MPI_Wtime [s] */
  double        begin, end;                      /* of PoolRun; end: 0 while it is on */
  double        piece_begin, seconds_in_work;
  double        seconds_aside, aside_from; /* with the pool, within the present piece; since when: 0: it is not */
  /* status */
  unsigned    interrupts; /* root: of all ranks, not taken yet; worker: not sent yet */
  PetscBool   called;     /* root: everybody was called back; worker: so it was */
  PetscBool   stopped;    /* root: PoolStop was called */
  double      stop_at;    /* MPI_Wtime [s] when a step is to be given up; INFINITY: never */
  PetscMPIInt n_back;     /* root */
  PetscBool   is_back;    /* worker: has said so */
  PetscBool   is_over;    /* worker: root has said so */
  PoolOutcome outcome;
};

/* pool.c */
PetscErrorCode PoolWork_Private(Pool pool, const PoolPiece *piece); /* does a piece on this rank */
PetscReal      PoolBusy_Private(Pool pool, double now);             /* fraction of this rank's time in work */
void           PoolNap_Private(long *nap);                          /* sleeps; *nap: 0 after something happened */

/* pool_root.c */
PetscErrorCode PoolServe_Private(Pool pool, PetscBool *served); /* takes what has arrived, ticks, hands out; served: something had */
PetscErrorCode PoolCommit_Private(Pool pool, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes);
PetscErrorCode PoolRunRoot_Private(Pool pool);

/* pool_worker.c */
PetscErrorCode PoolAttend_Private(Pool pool); /* reads what root has sent, and reports if it is time */
PetscErrorCode PoolSendStep_Private(Pool pool, PetscInt nbytes, const void *bytes);
PetscErrorCode PoolRunWorker_Private(Pool pool);

#endif
