/*
  pool_root.c - root hands out, commits, ticks, and calls everybody back.
*/
#include <math.h>

#include "graze/interrupt.h"
#include "pool_impl.h"

/* What is known of a rank after something happened to it; `since` moves when the step does. */
static PetscErrorCode Note_Private(Pool pool, PetscMPIInt rank)
{
  PoolRank        *r = &pool->ranks[rank];
  const PoolPiece *piece;
  PetscInt         step;

  PetscFunctionBeginUser;
  PetscCall(ScheduleGetHeld(pool->schedule, rank, &piece, &step));
  if (!piece || step == piece->first + piece->n) {
    r->unit = r->step = -1;
    r->alone          = PETSC_FALSE;
  } else if (r->unit != piece->unit || r->step != step) {
    r->unit  = piece->unit;
    r->step  = step;
    r->alone = piece->alone;
    r->since = MPI_Wtime();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolCommit_Private(Pool pool, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes)
{
  PetscBool last;

  PetscFunctionBeginUser;
  PetscCall(ScheduleStep(pool->schedule, rank, unit, step, &last));
  PetscCall(pool->callbacks.commit(pool->ctx, rank, unit, step, nbytes, bytes, pool->complaint));
  if (last && rank != 0) PetscCall(ScheduleEnd(pool->schedule, rank)); /* root's own piece ends when `work` returns: it still reads it */
  PetscCall(Note_Private(pool, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pieces that a rank holds come back from it. */
static PetscErrorCode EndAll_Private(Pool pool, PetscMPIInt rank)
{
  const PoolPiece *piece;
  PetscInt         step;

  PetscFunctionBeginUser;
  for (;;) {
    PetscCall(ScheduleGetHeld(pool->schedule, rank, &piece, &step));
    if (!piece) break;
    PetscCall(ScheduleEnd(pool->schedule, rank));
  }
  PetscCall(Note_Private(pool, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Read_Private(Pool pool, PetscMPIInt from, PetscInt nbytes, const char *message)
{
  const PoolHead *head = (const PoolHead *)message;

  PetscFunctionBeginUser;
  pool->ranks[from].heard = MPI_Wtime();
  pool->ranks[from].busy  = (PetscReal)head->value;
  pool->interrupts |= (unsigned)head->interrupts;
  switch (head->kind) {
  case POOL_STEP:
    PetscCall(
      PoolCommit_Private(pool, from, (PetscInt)head->unit, (PetscInt)head->step, nbytes - (PetscInt)sizeof *head, message + sizeof *head));
    break;
  case POOL_REPORT:
    break;
  case POOL_BACK:
    PetscCall(EndAll_Private(pool, from));
    pool->back[from] = PETSC_TRUE;
    pool->n_back++;
    break;
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "a message of kind %d from rank %d", (int)head->kind, (int)from);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A signal does not wait for the next tick. */
static PetscErrorCode Tick_Private(Pool pool)
{
  const double now = MPI_Wtime();

  PetscFunctionBeginUser;
  pool->interrupts |= InterruptTake();
  if (now - pool->last_tick < TICK_SECONDS && !pool->interrupts) PetscFunctionReturn(PETSC_SUCCESS);
  pool->last_tick = now;
  if (pool->callbacks.tick) PetscCall(pool->callbacks.tick(pool->ctx, pool, pool->complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that can go out now. Root's own piece waits in the schedule until root gets to it. */
static PetscErrorCode HandOut_Private(Pool pool)
{
  PetscFunctionBeginUser;
  while (!pool->complaint->exit_code) {
    const PoolPiece *piece;
    PetscInt         rank;

    PetscCall(ScheduleNext(pool->schedule, &rank, &piece));
    if (!piece) break;
    if (pool->callbacks.assign) PetscCall(pool->callbacks.assign(pool->ctx, (PetscMPIInt)rank, piece, pool->complaint));
    if (pool->complaint->exit_code) break;
    if (rank > 0) {
      const PoolHead head = {
        .kind = POOL_PIECE, .unit = piece->unit, .step = piece->first, .n = piece->n, .alone = piece->alone, .cost = (double)piece->cost};

      PetscCall(MailPost(pool->mail, (PetscMPIInt)rank, (PetscInt)sizeof head, &head, piece->nbytes, piece->carry, NULL));
    }
    PetscCall(Note_Private(pool, (PetscMPIInt)rank));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many messages as there are ranks at most: they may come without end, and a step of root's own may be waiting. */
PetscErrorCode PoolServe_Private(Pool pool, PetscBool *served)
{
  PetscInt left;

  PetscFunctionBeginUser;
  *served = PETSC_FALSE;
  for (PetscMPIInt i = 0; i < pool->size; i++) {
    PetscErrorCode error;
    PetscMPIInt    from;
    PetscInt       nbytes;
    void          *message;

    PetscCall(MailTake(pool->mail, &from, &nbytes, &message));
    if (!message) break;
    error = Read_Private(pool, from, nbytes, (const char *)message);
    PetscCall(PetscFree(message));
    PetscCall(error);
    *served = PETSC_TRUE;
    if (pool->complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(HandOut_Private(pool));
  }
  PetscCall(Tick_Private(pool));
  PetscCall(HandOut_Private(pool));
  PetscCall(MailFollow(pool->mail, &left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To every worker; to be called back, only to those that are not. */
static PetscErrorCode Tell_Private(Pool pool, PoolKind kind, double value)
{
  const PoolHead head = {.kind = kind, .unit = -1, .value = value};

  PetscFunctionBeginUser;
  for (PetscMPIInt r = 1; r < pool->size; r++)
    if (kind == POOL_END || !pool->back[r]) PetscCall(MailPost(pool->mail, r, (PetscInt)sizeof head, &head, 0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolStop - Hand out nothing more; call everybody back.

  Not collective: root, from tick or commit. Ranks that have nothing to do are back at once; the others finish the step they are in, or
  give it up when they next poll after the grace, which counts from when the order reaches them. Steps that were sent are still committed.
  Input:  grace - s, 0 or more. A later call counts if it ends the grace earlier.
*/
PetscErrorCode PoolStop(Pool pool, PetscReal grace)
{
  const double stop_at = MPI_Wtime() + (double)grace;

  PetscFunctionBeginUser;
  PetscCheck(pool->rank == 0 && pool->complaint, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolStop is for root, within PoolRun");
  PetscCheck(grace >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "a grace of %g s", (double)grace);
  if (pool->called && (!pool->stopped || stop_at >= pool->stop_at))
    PetscFunctionReturn(PETSC_SUCCESS); /* all is done, or it is late anyhow */
  pool->called = pool->stopped = PETSC_TRUE;
  pool->stop_at                = stop_at;
  PetscCall(ScheduleStop(pool->schedule));
  PetscCall(Tell_Private(pool, POOL_COME, (double)grace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a stop: is there a rank that hangs, or is in a step without end? To be asked after a look for messages. */
static PetscBool IsSilent_Private(Pool pool)
{
  const double now = MPI_Wtime();

  if (!pool->stopped || now < pool->stop_at + PATIENCE) return PETSC_FALSE;
  for (PetscMPIInt r = 1; r < pool->size; r++)
    if (!pool->back[r] && now - pool->ranks[r].heard >= PATIENCE) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode BeginRoot_Private(Pool pool)
{
  PetscFunctionBeginUser;
  pool->n_back    = 0;
  pool->last_tick = pool->begin;
  for (PetscMPIInt r = 0; r < pool->size; r++) {
    pool->back[r]  = PETSC_FALSE;
    pool->ranks[r] = (PoolRank){.unit = -1, .step = -1, .since = pool->begin, .heard = pool->begin};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolRunRoot_Private(Pool pool)
{
  ScheduleCounts counts;
  PetscInt       left = 1;
  long           nap  = 0;

  PetscFunctionBeginUser;
  PetscCall(BeginRoot_Private(pool));
  for (;;) {
    const PoolPiece *piece;
    PetscInt         step;
    PetscBool        served;

    PetscCall(PoolServe_Private(pool, &served));
    if (pool->complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(ScheduleGetHeld(pool->schedule, 0, &piece, &step));
    if (piece) {
      if (!pool->called) PetscCall(PoolWork_Private(pool, piece));
      if (pool->complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
      PetscCall(EndAll_Private(pool, 0));
      continue;
    }
    PetscCall(ScheduleGetCounts(pool->schedule, &counts));
    if (!pool->called && !counts.waiting && !counts.out) {
      pool->called = PETSC_TRUE;
      PetscCall(Tell_Private(pool, POOL_COME, 0));
    }
    if (pool->called && pool->n_back == pool->size - 1) break;
    if (!served && IsSilent_Private(pool)) {
      pool->outcome = POOL_SILENT;
      PetscFunctionReturn(PETSC_SUCCESS); /* whoever is back stays inside: nobody could leave MPI in good order */
    }
    if (served) nap = 0;
    else PoolNap_Private(&nap);
  }
  pool->outcome = counts.waiting || counts.undone ? POOL_STOPPED : POOL_DONE;
  PetscCall(Tell_Private(pool, POOL_END, pool->outcome));
  for (nap = 0;; PoolNap_Private(&nap)) {
    PetscCall(MailFollow(pool->mail, &left));
    if (!left) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
