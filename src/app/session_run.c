/*
  session_run.c - while the pool runs: what comes in is kept, what asks for an end is heard.

  A finished cell goes into the journal first, then to the ledger, then into events.jsonl; the system has it before the next message is looked at.
*/
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graze/interrupt.h"
#include "graze/log.h"
#include "session_impl.h"

#define LOOK_SECONDS  1.0 /* between two looks for the file STOP */
#define PATIENT_GRACE 2.0 /* s to finish the present cell when somebody asked for the end */

PetscErrorCode SessionAssign(void *session, PetscMPIInt rank, const PoolPiece *piece, Complaint *complaint)
{
  Session       s      = (Session)session;
  JournalRecord record = {.kind = RECORD_ASSIGN, .rank = (int32_t)rank, .unit = piece->unit, .step = piece->first, .value = piece->alone ? -piece->n : piece->n};

  PetscFunctionBeginUser;
  PetscCall(CheckpointAppend(s->checkpoint, &record, NULL, complaint));
  if (!complaint->exit_code) PetscCall(LedgerRecord(s->ledger, &record, &s->layout, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionCommit(void *session, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes, Complaint *complaint)
{
  Session       s      = (Session)session;
  JournalRecord record = {.kind = RECORD_STEP, .rank = (int32_t)rank, .unit = unit, .step = step, .nbytes = nbytes};
  const double  begin  = MPI_Wtime();
  PoolPiece     rest;
  SteadyStatus  before;
  PetscInt      deaths;

  PetscFunctionBeginUser;
  PetscCheck(CellDecode(&s->layout, (size_t)nbytes, bytes, s->row), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rank %d sent a row of another layout", (int)rank);
  PetscCall(LedgerGetDeaths(s->ledger, unit, step, &deaths));
  PetscCall(LedgerGetStatus(s->ledger, GridCellOfStep(&s->grid, unit, step), &before));
  PetscCall(CheckpointAppend(s->checkpoint, &record, bytes, complaint));
  /* one that ran alone and came back must not be taken for one that killed its rank because the machine died before the next sync */
  if (deaths >= LEDGER_DEATHS || before == STATUS_CRASHED) PetscCall(CheckpointSync(s->checkpoint, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LedgerRecord(s->ledger, &record, &s->layout, bytes));
  PetscCall(EventsAppend(s->events, &record, s->n_sessions, &s->grid, &s->layout, s->row, complaint));
  PetscCall(LedgerGetRest(s->ledger, unit, step, &rest));
  if (rest.n > 0) {
    rest.nbytes = nbytes;
    rest.carry  = bytes;
    PetscCall(PoolAdd(s->pool, &rest));
  }
  s->saving += MPI_Wtime() - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first reason stands; a later one may still be more urgent. */
static PetscErrorCode Stop_Private(Session s, Pool pool, SessionReason reason, PetscReal grace, const char *why)
{
  PetscFunctionBeginUser;
  if (s->reason == SESSION_RUNNING) {
    s->reason = reason;
    PetscCall(PetscStrncpy(s->why, why, sizeof s->why));
    PetscCall(LogLine("stopping       %s: ranks finish their cells or give them up after %.3g s", why, (double)grace));
    PetscCall(SessionStatus_Private(s, pool, STATE_STOPPING, why, -1));
  }
  PetscCall(PoolStop(pool, grace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file STOP in the folder does what SIGUSR1 does; obeyed, it is taken away, so that the next run does not stop. */
static PetscErrorCode LookForStop_Private(Session s, Pool pool)
{
  char path[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBeginUser;
  (void)snprintf(path, sizeof path, "%s/STOP", s->folder);
  if (access(path, F_OK)) PetscFunctionReturn(PETSC_SUCCESS);
  if (unlink(path)) PetscCall(LogWarning("cannot remove %s: it would stop the next run too", path));
  PetscCall(Stop_Private(s, pool, SESSION_STOP_FILE, PATIENT_GRACE, "the file STOP"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mpirun kills a second after it has passed on SIGTERM: the present cells are given up at once. */
static PetscErrorCode Interrupts_Private(Session s, Pool pool, Complaint *complaint)
{
  unsigned bits;

  PetscFunctionBeginUser;
  PetscCall(PoolTakeInterrupts(pool, &bits));
  if (bits & INTERRUPT_STOP)
    PetscCall(Stop_Private(s, pool, SESSION_SIGNAL, bits & INTERRUPT_USR1 ? PATIENT_GRACE : 0, bits & INTERRUPT_USR1 ? "SIGUSR1" : bits & INTERRUPT_TERM ? "SIGTERM" : "SIGINT"));
  else if (bits & INTERRUPT_SAVE) {
    PetscCall(CheckpointSnapshot(s->checkpoint, complaint));
    if (!complaint->exit_code) PetscCall(LogLine("saved          SIGUSR2"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Early enough that the slowest of the recent cells could still be finished; those that take longer are given up at that point. */
static PetscErrorCode TimeLimit_Private(Session s, Pool pool)
{
  const LedgerTally *tally;

  PetscFunctionBeginUser;
  if (s->walltime.end == INFINITY || s->reason != SESSION_RUNNING) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LedgerGetTally(s->ledger, &tally));
  if (SessionTimeLeft_Private(s) <= tally->recent_slowest) PetscCall(Stop_Private(s, pool, SESSION_TIME, tally->recent_slowest, "the time limit"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionTick(void *session, Pool pool, Complaint *complaint)
{
  Session            s   = (Session)session;
  const double       now = MPI_Wtime();
  const LedgerTally *tally;

  PetscFunctionBeginUser;
  PetscCall(Interrupts_Private(s, pool, complaint));
  if (now >= s->last_look + LOOK_SECONDS) {
    s->last_look = now;
    PetscCall(LookForStop_Private(s, pool));
  }
  PetscCall(TimeLimit_Private(s, pool));
  if (!complaint->exit_code) PetscCall(CheckpointTick(s->checkpoint, complaint));
  s->saving += MPI_Wtime() - now;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LedgerGetTally(s->ledger, &tally));
  PetscCall(LogProgress("cells", s->at_begin, PetscMin(s->at_begin + tally->finished, s->grid.n_cells), s->grid.n_cells, now - s->pool_start));
  if (now >= s->last_status + STATUS_SECONDS) PetscCall(SessionStatus_Private(s, pool, s->reason == SESSION_RUNNING ? STATE_RUNNING : STATE_STOPPING, s->why, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal SessionSilence_Private(Session s)
{
  const LedgerTally *tally = NULL;

  (void)LedgerGetTally(s->ledger, &tally);
  return PetscMax(LEAST_SILENCE, tally && tally->n_slowest ? 10 * tally->slowest[0].seconds : 0);
}

/* status.json as of now. A status that cannot be written harms nobody but those who watch. */
PetscErrorCode SessionStatus_Private(Session s, Pool pool, RunState state, const char *message, int exit_code)
{
  StatusFacts     facts = {.state = state, .message = message, .exit_code = exit_code, .session = s->n_sessions, .total = s->grid.n_cells, .begin = s->begin, .walltime = &s->walltime, .grid = &s->grid};
  CheckpointFacts checkpoint;

  PetscFunctionBeginUser;
  facts.now     = SessionClock_Private();
  facts.mpi_now = MPI_Wtime();
  if (s->checkpoint) {
    PetscCall(CheckpointGetFacts(s->checkpoint, &checkpoint));
    facts.checkpoint = &checkpoint;
  }
  if (s->ledger) {
    PetscCall(LedgerGetTally(s->ledger, &facts.tally));
    facts.done         = facts.tally->done;
    facts.finished     = facts.tally->finished;
    facts.silent_after = SessionSilence_Private(s);
  }
  if (pool) PetscCall(PoolGetRanks(pool, &facts.size, &facts.ranks));
  else facts.size = s->ranks;
  (void)StatusWrite(s->folder, &facts);
  s->last_status = MPI_Wtime();
  PetscFunctionReturn(PETSC_SUCCESS);
}
