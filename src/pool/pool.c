/*
  pool.c - the object, and what all ranks have in common: doing a piece, with looks for messages in between. How it works is told in
  pool_impl.h.
*/
#define _POSIX_C_SOURCE 200809L
#include "graze/pool.h"

#include <math.h>
#include <time.h>

#include "graze/interrupt.h"
#include "pool_impl.h"

#define SHORTEST_NAP 50000L
#define LONGEST_NAP  2000000L /* ns: a core at rest, and little against any piece */

static PetscErrorCode NewSchedule_Private(Pool pool)
{
  PetscFunctionBeginUser;
  PetscCall(ScheduleDestroy(&pool->schedule));
  PetscCall(ScheduleCreate(pool->size, pool->size <= POOL_ROOT_WORKS ? PETSC_TRUE : PETSC_FALSE, &pool->schedule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolCreate - A pool without pieces.

  Collective on comm, which is duplicated. PoolDestroy frees it.
*/
PetscErrorCode PoolCreate(MPI_Comm comm, Pool *pool)
{
  Pool p;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&p));
  PetscCall(MailCreate(comm, &p->mail));
  PetscCallMPI(MPI_Comm_rank(comm, &p->rank));
  PetscCallMPI(MPI_Comm_size(comm, &p->size));
  if (p->rank == 0) {
    PetscCall(NewSchedule_Private(p));
    PetscCall(PetscCalloc2(p->size, &p->ranks, p->size, &p->back));
    for (PetscMPIInt r = 0; r < p->size; r++) p->ranks[r].unit = p->ranks[r].step = -1;
  }
  *pool = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolSetCallbacks - Who works, commits, and is told.

  Logically collective.
  Input:  callbacks - copied;  ctx - borrowed, handed to each of them
*/
PetscErrorCode PoolSetCallbacks(Pool pool, const PoolCallbacks *callbacks, void *ctx)
{
  PetscFunctionBeginUser;
  pool->callbacks = *callbacks;
  pool->ctx       = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolAdd - One piece more.

  Not collective: root, before PoolRun, or from a callback while it lasts; elsewhere nothing happens. After PoolStop it stays undone.
  Input:  piece - copied with its carry
  Cost:   O(log pieces that wait)
*/
PetscErrorCode PoolAdd(Pool pool, const PoolPiece *piece)
{
  PetscFunctionBeginUser;
  if (pool->rank == 0) PetscCall(ScheduleAdd(pool->schedule, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PoolNap_Private(long *nap)
{
  struct timespec pause = {0, 0};

  *nap          = *nap ? PetscMin(2 * *nap, LONGEST_NAP) : SHORTEST_NAP;
  pause.tv_nsec = *nap;
  (void)nanosleep(&pause, NULL); /* woken early by a signal, the caller looks once more than it had to */
}

PetscReal PoolBusy_Private(Pool pool, double now)
{
  const double until    = pool->aside_from > 0 ? pool->aside_from : now;
  const double in_piece = pool->piece ? until - pool->piece_begin - pool->seconds_aside : 0, wall = now - pool->begin;

  return wall > 0 ? (PetscReal)PetscClipInterval((pool->seconds_in_work + in_piece) / wall, 0.0, 1.0) : 0;
}

PetscErrorCode PoolWork_Private(Pool pool, const PoolPiece *piece)
{
  PetscFunctionBeginUser;
  pool->piece         = piece;
  pool->steps         = 0;
  pool->told          = PETSC_FALSE;
  pool->seconds_aside = 0;
  pool->piece_begin   = MPI_Wtime();
  pool->last_look     = pool->piece_begin;
  PetscCall(pool->callbacks.work(pool->ctx, pool, piece));
  pool->seconds_in_work += MPI_Wtime() - pool->piece_begin - pool->seconds_aside;
  pool->piece = NULL;
  PetscCheck(pool->steps == piece->n || pool->told, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "work returned after %" PetscInt_FMT " of %" PetscInt_FMT " steps of unit %" PetscInt_FMT " and was not told to", pool->steps,
             piece->n, piece->unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A look for messages, if it is time for one. */
static PetscErrorCode Look_Private(Pool pool, double now)
{
  PetscBool served;

  PetscFunctionBeginUser;
  if (now - pool->last_look < (pool->rank ? WORKER_LOOK : ROOT_LOOK)) PetscFunctionReturn(PETSC_SUCCESS);
  pool->aside_from = now;
  if (pool->rank) PetscCall(PoolAttend_Private(pool));
  else PetscCall(PoolServe_Private(pool, &served));
  pool->last_look = MPI_Wtime();
  pool->seconds_aside += pool->last_look - now;
  pool->aside_from = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolStep - The next step of the piece in work is done.

  Not collective; inside `work` alone. On root the step is committed, and others' are, before this returns. On a worker it is on its way;
  if the step before has not arrived yet this waits, asleep, until it has.
  Input:   bytes - shape [nbytes], copied; nbytes = 0: NULL
  Output:  stop - return now
*/
PetscErrorCode PoolStep(Pool pool, PetscInt nbytes, const void *bytes, PetscBool *stop)
{
  const double begin = MPI_Wtime();
  double       end;

  PetscFunctionBeginUser;
  PetscCheck(pool->piece, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolStep outside of work");
  PetscCheck(pool->steps < pool->piece->n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more steps than the %" PetscInt_FMT " of the piece",
             pool->piece->n);
  PetscCheck(nbytes >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a step of %" PetscInt_FMT " bytes", nbytes);
  pool->aside_from = begin;
  if (pool->rank) PetscCall(PoolSendStep_Private(pool, nbytes, bytes));
  else PetscCall(PoolCommit_Private(pool, 0, pool->piece->unit, pool->piece->first + pool->steps, nbytes, bytes));
  pool->steps++;
  end = MPI_Wtime();
  pool->seconds_aside += end - begin;
  pool->aside_from = 0;
  if (!pool->complaint->exit_code) PetscCall(Look_Private(pool, end));
  *stop      = pool->called || pool->complaint->exit_code ? PETSC_TRUE : PETSC_FALSE;
  pool->told = (PetscBool)(pool->told || *stop);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolPoll - Within a step: is it to be given up?

  Not collective; inside `work` alone. Root commits others' steps and hands out pieces meanwhile; a worker shows that it is there, and
  passes on signals.
  Output:  stop - give the step up and return
  Cost:    a look at the clock; now and then one for messages
*/
PetscErrorCode PoolPoll(Pool pool, PetscBool *stop)
{
  const double now = MPI_Wtime();

  PetscFunctionBeginUser;
  PetscCheck(pool->piece, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolPoll outside of work");
  PetscCall(Look_Private(pool, now));
  *stop      = PetscMax(now, pool->last_look) >= pool->stop_at || pool->complaint->exit_code ? PETSC_TRUE : PETSC_FALSE;
  pool->told = (PetscBool)(pool->told || *stop);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolRun - Do every piece, commit every step on root.

  Collective. An error that `work` returns goes the way of every PETSc error.
  Input:   complaint - without one
  Output:  outcome - the same on all ranks. POOL_SILENT is told to root alone: the other ranks are stuck, or stay inside PoolRun;
           complaint - root: what a callback complained of. Root then does nothing more and returns at once - or, if it was in the middle
           of a step of its own, when that polls or ends - while the other ranks are still inside PoolRun and stay there; outcome means
           nothing.
  In both cases the caller aborts the job; with other ranks neither PoolRun nor PoolDestroy may follow.
  What is left after a stop is forgotten: the pool is empty again, and may be filled for another run.
*/
PetscErrorCode PoolRun(Pool pool, PoolOutcome *outcome, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCheck(pool->callbacks.work && pool->callbacks.commit, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolSetCallbacks first");
  pool->complaint       = complaint;
  pool->begin           = MPI_Wtime();
  pool->end             = 0;
  pool->last_sent       = pool->begin;
  pool->stop_at         = INFINITY;
  pool->seconds_in_work = 0;
  pool->called = pool->stopped = pool->is_back = pool->is_over = PETSC_FALSE;
  if (pool->rank == 0) {
    PetscCall(PoolRunRoot_Private(pool));
    PetscCall(NewSchedule_Private(pool));
  } else PetscCall(PoolRunWorker_Private(pool));
  pool->complaint = NULL;
  pool->end       = MPI_Wtime();
  *outcome        = pool->outcome;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolTakeInterrupts - Which signals came to any rank since the last call, within this run.

  Not collective: root; elsewhere none. Those of other ranks arrive with their next poll; a tick follows at once.
  Output:  bits - INTERRUPT_*
*/
PetscErrorCode PoolTakeInterrupts(Pool pool, unsigned *bits)
{
  PetscFunctionBeginUser;
  *bits = 0;
  if (pool->rank) PetscFunctionReturn(PETSC_SUCCESS);
  *bits            = pool->interrupts | InterruptTake();
  pool->interrupts = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolGetRanks - What root knows of all ranks.

  Not collective.
  Output:  size;  ranks - root: shape [size], the pool's, as of now; elsewhere NULL
*/
PetscErrorCode PoolGetRanks(Pool pool, PetscMPIInt *size, const PoolRank **ranks)
{
  PetscFunctionBeginUser;
  *size  = pool->size;
  *ranks = pool->ranks;
  if (pool->rank == 0) {
    pool->ranks[0].heard = MPI_Wtime();
    pool->ranks[0].busy  = pool->size > POOL_ROOT_WORKS ? NAN : PoolBusy_Private(pool, pool->end > 0 ? pool->end : pool->ranks[0].heard);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolDestroy - Free the pool and its communicator.

  Collective.
*/
PetscErrorCode PoolDestroy(Pool *pool)
{
  PetscFunctionBeginUser;
  if (!*pool) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ScheduleDestroy(&(*pool)->schedule));
  PetscCall(PetscFree2((*pool)->ranks, (*pool)->back));
  PetscCall(MailDestroy(&(*pool)->mail));
  PetscCall(PetscFree(*pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}
