/*
  pool_worker.c - a rank that gets pieces from root and sends steps to it.
*/
#include "graze/interrupt.h"
#include "pool_impl.h"

static PetscErrorCode Post_Private(Pool pool, PoolKind kind, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                                   Letter *letter)
{
  const double   now  = MPI_Wtime();
  const PoolHead head = {
    .kind = kind, .unit = unit, .step = step, .interrupts = pool->interrupts, .value = (double)PoolBusy_Private(pool, now)};

  PetscFunctionBeginUser;
  PetscCall(MailPost(pool->mail, 0, (PetscInt)sizeof head, &head, nbytes, bytes, letter));
  pool->interrupts = 0;
  pool->last_sent  = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A message from root. It is freed here, or with the piece that it holds. */
static PetscErrorCode Read_Private(Pool pool, PetscInt nbytes, void *message)
{
  const PoolHead head = *(const PoolHead *)message;
  const PetscInt body = nbytes - (PetscInt)sizeof head;

  PetscFunctionBeginUser;
  switch (head.kind) {
  case POOL_PIECE:
    PetscCheck(pool->n_waiting < SCHEDULE_HELD, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more pieces than a rank may hold");
    pool->waiting[pool->n_waiting++] = (ReceivedPiece){{(PetscInt)head.unit, (PetscInt)head.step, (PetscInt)head.n, (PetscBool)head.alone,
                                                        (PetscReal)head.cost, body, body ? (char *)message + sizeof head : NULL},
                                                       message};
    PetscFunctionReturn(PETSC_SUCCESS);
  case POOL_COME:
    pool->called  = PETSC_TRUE;
    pool->stop_at = PetscMin(pool->stop_at, MPI_Wtime() + head.value);
    break;
  case POOL_END:
    pool->is_over = PETSC_TRUE;
    pool->outcome = (PoolOutcome)head.value;
    break;
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "a message of kind %d from root", (int)head.kind);
  }
  PetscCall(PetscFree(message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After its BACK a worker says no more: a signal stays where it is. */
PetscErrorCode PoolAttend_Private(Pool pool)
{
  PetscMPIInt from;
  PetscInt    nbytes;
  void       *message;

  PetscFunctionBeginUser;
  PetscCall(LetterFollow(&pool->step));
  PetscCall(LetterFollow(&pool->report));
  for (;;) {
    PetscCall(MailTake(pool->mail, &from, &nbytes, &message));
    if (!message) break;
    PetscCall(Read_Private(pool, nbytes, message));
  }
  if (pool->is_back || pool->report) PetscFunctionReturn(PETSC_SUCCESS);
  pool->interrupts |= InterruptTake();
  if (pool->interrupts || MPI_Wtime() - pool->last_sent >= HEARTBEAT_SECONDS)
    PetscCall(Post_Private(pool, POOL_REPORT, -1, -1, 0, NULL, &pool->report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits for the step before to be taken, however long: root takes everything until this rank is back, also after a stop. */
PetscErrorCode PoolSendStep_Private(Pool pool, PetscInt nbytes, const void *bytes)
{
  long nap = 0;

  PetscFunctionBeginUser;
  PetscCall(LetterFollow(&pool->step));
  while (pool->step) {
    PoolNap_Private(&nap);
    PetscCall(PoolAttend_Private(pool));
  }
  PetscCall(Post_Private(pool, POOL_STEP, pool->piece->unit, pool->piece->first + pool->steps, nbytes, bytes, &pool->step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the first of the waiting pieces off the list. */
static ReceivedPiece Next_Private(Pool pool)
{
  const ReceivedPiece next = pool->waiting[0];

  pool->n_waiting--;
  for (PetscInt i = 0; i < pool->n_waiting; i++) pool->waiting[i] = pool->waiting[i + 1];
  return next;
}

PetscErrorCode PoolRunWorker_Private(Pool pool)
{
  long nap = 0;

  PetscFunctionBeginUser;
  for (;;) {
    PetscCall(PoolAttend_Private(pool));
    if (pool->is_over && !pool->report) break;
    if (pool->n_waiting && !pool->called) {
      ReceivedPiece next = Next_Private(pool);

      PetscCall(PoolWork_Private(pool, &next.piece));
      PetscCall(PetscFree(next.message));
      nap = 0;
    } else if (pool->called && !pool->is_back && !pool->step && !pool->report) {
      while (pool->n_waiting) {
        ReceivedPiece next = Next_Private(pool);

        PetscCall(PetscFree(next.message));
      }
      PetscCall(Post_Private(pool, POOL_BACK, -1, -1, 0, NULL, &pool->report));
      pool->is_back = PETSC_TRUE;
      nap           = 0;
    } else PoolNap_Private(&nap);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
