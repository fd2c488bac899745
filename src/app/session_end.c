/*
  session_end.c - why a session ends, in the file, in status.json and in words.
*/
#include <math.h>

#include "graze/log.h"
#include "session_impl.h"

/* Cells by status, busy fractions, slowest cells. */
static PetscErrorCode Summary_Private(Session s, Pool pool, PetscReal seconds)
{
  const LedgerTally *tally;
  const PoolRank    *ranks;
  PetscMPIInt        size;
  char               line[512] = "";

  PetscFunctionBeginUser;
  PetscCall(LedgerGetTally(s->ledger, &tally));
  PetscCall(PoolGetRanks(pool, &size, &ranks));
  for (int i = 1; i < STATUS_COUNT; ++i)
    if (tally->by_status[i]) PetscCall(LogLine("%-19s  %" PetscInt_FMT, SteadyStatusNames[i], tally->by_status[i]));
  for (PetscMPIInt r = 0; r < PetscMin(size, 16); ++r) {
    char word[32];

    if (isnan(ranks[r].busy)) PetscCall(PetscSNPrintf(word, sizeof(word), " serves"));
    else PetscCall(PetscSNPrintf(word, sizeof(word), " %.1f%%", 100.0 * (double)ranks[r].busy));
    PetscCall(PetscStrlcat(line, word, sizeof(line)));
  }
  PetscCall(LogLine("busy by rank  %s%s", line, size > 16 ? " ..." : ""));
  for (PetscInt i = 0; i < tally->n_slowest; ++i)
    PetscCall(LogLine("%s  %.2f s at A = %.6g, W = %.6g, %s", i == 0 ? "slowest cells" : "             ", (double)tally->slowest[i].seconds,
                      (double)tally->slowest[i].amplitude, (double)tally->slowest[i].frequency, tally->slowest[i].direction > 0 ? "up" : "down"));
  PetscCall(LogLine("time           %.1f s for %" PetscInt_FMT " cells, %.1f s before them", (double)seconds, tally->finished,
                    (double)(SessionClock_Private() - s->begin - seconds)));
  PetscCall(LogLine("saving         %.2f s, %.1f %% of root's time", s->saving, 100 * s->saving / PetscMax((double)seconds, 1e-9)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank that did not come back: its cell is counted as if the rank had died in it. */
static PetscErrorCode Silent_Private(Session s, Pool pool, Complaint *complaint)
{
  const PoolRank *ranks;
  PetscMPIInt     size;

  PetscFunctionBeginUser;
  PetscCall(PoolGetRanks(pool, &size, &ranks));
  for (PetscMPIInt r = 0; r < size && !complaint->exit_code; ++r) {
    PetscInt deaths;

    if (ranks[r].unit < 0 || MPI_Wtime() - ranks[r].heard < LEAST_SILENCE) continue;
    PetscCall(LogWarning("rank %d has not been heard of for %.0f s", (int)r, MPI_Wtime() - ranks[r].heard));
    if (ranks[r].alone) PetscCall(SessionMarkCrashed_Private(s, ranks[r].unit, ranks[r].step, complaint));
    else PetscCall(SessionCountDeath_Private(s, ranks[r].unit, ranks[r].step, &deaths, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last record, and everything into the file. */
static PetscErrorCode Save_Private(Session s, Complaint *complaint)
{
  const LedgerTally *tally;
  const double       begin  = MPI_Wtime();
  SessionEnd         end    = {.reason = (int32_t)s->reason, .end = SessionClock_Private()};
  JournalRecord      record = {.kind = RECORD_SESSION_END, .rank = -1, .value = s->n_sessions, .nbytes = sizeof end};

  PetscFunctionBeginUser;
  PetscCall(LedgerGetTally(s->ledger, &tally));
  end.cells = tally->finished;
  PetscCall(CheckpointAppend(s->checkpoint, &record, &end, complaint));
  if (!complaint->exit_code) PetscCall(CheckpointSync(s->checkpoint, complaint));
  if (!complaint->exit_code) PetscCall(CheckpointSnapshot(s->checkpoint, complaint));
  s->saving += MPI_Wtime() - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionFinish(Session s, Pool pool, PoolOutcome outcome, PetscReal seconds, Complaint *complaint)
{
  const LedgerTally *tally;

  PetscFunctionBeginUser;
  PetscCall(LedgerGetTally(s->ledger, &tally));
  if (outcome == POOL_DONE) s->reason = SESSION_COMPLETE;
  else if (outcome == POOL_SILENT) {
    s->reason = SESSION_SILENT;
    PetscCall(Silent_Private(s, pool, complaint));
  }
  if (!complaint->exit_code) PetscCall(Save_Private(s, complaint));
  if (!complaint->exit_code && outcome == POOL_DONE) PetscCall(CheckpointFinish(s->checkpoint, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (outcome == POOL_DONE && tally->finished) PetscCall(LogProgress("cells", s->at_begin, s->grid.n_cells, s->grid.n_cells, seconds));
  PetscCall(Summary_Private(s, pool, seconds));
  if (outcome == POOL_DONE) {
    PetscCall(SessionStatus_Private(s, pool, STATE_COMPLETE, "", EXIT_GOOD));
    PetscCall(LogLine("result         %s/sweep.h5", s->folder));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ComplaintSet(complaint, EXIT_COME_BACK, "stopped by %s%s, %" PetscInt_FMT " of %" PetscInt_FMT " cells are done and saved: the same command goes on", s->why,
               outcome == POOL_SILENT ? " (a rank did not come back)" : "", tally->done, s->grid.n_cells);
  PetscCall(LogLine("saved          %" PetscInt_FMT " of %" PetscInt_FMT " cells", tally->done, s->grid.n_cells));
  PetscCall(SessionStatus_Private(s, pool, STATE_STOPPED, complaint->line, EXIT_COME_BACK));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionFail(Session s, Pool pool, const Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SessionStatus_Private(s, pool, STATE_FAILED, complaint->line, complaint->exit_code));
  PetscFunctionReturn(PETSC_SUCCESS);
}
