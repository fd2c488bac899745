/*
  session.c - what earlier sessions left, and the start of this one.

  Recovery first brings the file up to date (checkpoint.h); the ledger is filled on the way. What follows is written into the new journal
  before any work: cells that killed the session before, deaths of cells that were in work when it died, how that session ended.
*/
#define _XOPEN_SOURCE 700
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "graze/crash.h"
#include "graze/fault.h"
#include "graze/log.h"
#include "params_store.h"
#include "session_impl.h"

static PetscErrorCode Path_Private(Session s, const char *name, char *path /* [PETSC_MAX_PATH_LEN] */, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(OutputPath(&s->given, name, PETSC_MAX_PATH_LEN, path, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double SessionClock_Private(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- callbacks of the checkpoint: the store's, and the ledger beside them ---- */

/* Status and deaths of every cell, and the table of sessions, as a snapshot has them. */
static PetscErrorCode Cells_Private(Session s, const char *path, Complaint *complaint)
{
  SweepStore   store;
  signed char *status, *deaths;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreOpen(path, &s->params, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) {
    PetscCall(SweepStoreDestroy(&store));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc2(s->grid.n_cells, &status, s->grid.n_cells, &deaths));
  PetscCall(SweepStoreReadStatus(store, status, complaint));
  PetscCall(SweepStoreReadDeaths(store, deaths, complaint));
  PetscCall(SweepStoreReadSessions(store, &s->sessions, complaint));
  if (!complaint->exit_code) PetscCall(LedgerSetCells(s->ledger, status, deaths));
  PetscCall(PetscFree2(status, deaths));
  PetscCall(SweepStoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last file that recovery finds whole is the one it goes on from: the ledger starts with its cells, before records are replayed. */
static PetscErrorCode Check_Private(void *ctx, const char *path, CheckpointMark *mark, Complaint *complaint)
{
  Session s = (Session)ctx;

  PetscFunctionBeginUser;
  PetscCall(s->file.check(s->file_ctx, path, mark, complaint));
  if (!s->chosen && !complaint->exit_code) PetscCall(Cells_Private(s, path, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Open_Private(void *ctx, const char *path, Complaint *complaint)
{
  Session s = (Session)ctx;

  PetscFunctionBeginUser;
  PetscCall(s->file.begin(s->file_ctx, path, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Record_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Session s = (Session)ctx;

  PetscFunctionBeginUser;
  PetscCall(s->file.record(s->file_ctx, record, bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Close_Private(void *ctx, const CheckpointMark *mark, Complaint *complaint)
{
  Session s = (Session)ctx;

  PetscFunctionBeginUser;
  PetscCall(s->file.end(s->file_ctx, mark, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the table of sessions will say once the record is in it. */
static void CountSession_Private(Session s, const JournalRecord *record, const void *bytes)
{
  SweepSessions *t = &s->sessions;
  SessionEnd     end;

  if (record->kind == RECORD_SESSION_BEGIN && record->nbytes == (PetscInt64)sizeof t->begin) {
    t->n = (PetscInt)record->value + 1;
    memcpy(&t->begin, bytes, sizeof t->begin);
    t->end = (SessionEnd){.reason = SESSION_RUNNING, .end = NAN};
  }
  if (record->kind == RECORD_SESSION_END && record->nbytes == (PetscInt64)sizeof end && record->value == t->n - 1) {
    memcpy(&end, bytes, sizeof end);
    t->cells += end.cells - t->end.cells;
    t->end = end;
  }
}

/* An event line follows its record into the system; a kill between the two is made good here. */
static PetscErrorCode Replay_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Session  s = (Session)ctx;
  PetscInt number;

  PetscFunctionBeginUser;
  PetscCall(LedgerRecord(s->ledger, record, &s->layout, bytes));
  CountSession_Private(s, record, bytes);
  if (record->kind != RECORD_STEP || record->number <= s->last_event) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LedgerGetSession(s->ledger, &number, NULL, NULL));
  if (CellDecode(&s->layout, (size_t)record->nbytes, bytes, s->row))
    PetscCall(EventsAppend(s->events, record, number >= 0 ? number : s->n_sessions - 1, &s->grid, &s->layout, s->row, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At recovery the records end where the first journal of this session begins: lines of records behind that tell of cells that were lost. */
static PetscErrorCode CutEvents_Private(Session s, Checkpoint checkpoint, Complaint *complaint)
{
  CheckpointFacts facts;

  PetscFunctionBeginUser;
  PetscCall(CheckpointGetFacts(checkpoint, &facts));
  PetscCall(EventsClose(&s->events));
  PetscCall(EventsOpen(s->folder, facts.next, &s->last_event, &s->events, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begun_Private(void *ctx, Checkpoint checkpoint, Complaint *complaint)
{
  Session             s = (Session)ctx;
  const LedgerFlight *pieces;
  PetscInt            n;

  PetscFunctionBeginUser;
  s->chosen = PETSC_TRUE;
  if (!s->begun) PetscCall(CutEvents_Private(s, checkpoint, complaint));
  PetscCall(LedgerGetAssigned(s->ledger, &n, &pieces));
  for (PetscInt i = 0; i < n && !complaint->exit_code; ++i) {
    JournalRecord record = {.kind  = RECORD_ASSIGN,
                            .rank  = pieces[i].rank,
                            .unit  = pieces[i].unit,
                            .step  = pieces[i].step,
                            .value = pieces[i].alone ? -pieces[i].n : pieces[i].n};

    PetscCall(CheckpointAppend(checkpoint, &record, NULL, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---- */

PetscErrorCode SessionCreate(const Params *given, const Params *params, PetscMPIInt ranks, double begin, Session *session,
                             Complaint *complaint)
{
  Session s;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(session));
  s         = *session;
  s->given  = *given;
  s->params = *params;
  s->ranks  = ranks;
  s->begin  = begin;
  s->reason = SESSION_RUNNING;
  PetscCall(GridSetUp(params, &s->grid));
  PetscCall(PetscStrncpy(s->folder, given->output, sizeof s->folder));
  PetscCall(ParamsIdentity(&s->given, COMMAND_SWEEP, sizeof s->identity, s->identity));
  PetscCall(WalltimeFind(params->max_walltime, begin, &s->walltime));
  if (s->walltime.end < INFINITY) {
    char left[32];

    WalltimeFormat(s->walltime.end - SessionClock_Private(), left);
    PetscCall(LogLine("time limit     %s left (%s)", left, s->walltime.source));
  } else PetscCall(LogLine("time limit     %s", s->walltime.source));
  PetscCall(SessionCheckLimit_Private(s, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is left before the limit, after a checkpoint and the margin [s]. */
PetscReal SessionTimeLeft_Private(Session s)
{
  CheckpointFacts facts = {0};

  if (s->checkpoint) (void)CheckpointGetFacts(s->checkpoint, &facts);
  return s->walltime.end - SessionClock_Private() - facts.seconds - s->params.walltime_margin;
}

PetscErrorCode SessionCheckLimit_Private(Session s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (SessionTimeLeft_Private(s) <= 0)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "the time limit (%s) leaves nothing to compute in: %.0f s from the start, of which %.1f s went into set-up and "
                 "-walltime_margin %g s are kept; give more time, or a smaller margin",
                 s->walltime.source, s->walltime.end - s->begin, SessionClock_Private() - s->begin, (double)s->params.walltime_margin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionDestroy(Session *session)
{
  Session s = *session;

  PetscFunctionBeginUser;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckpointDestroy(&s->checkpoint));
  PetscCall(SweepCheckpointDestroy(&s->file_ctx));
  PetscCall(LedgerDestroy(&s->ledger));
  PetscCall(EventsClose(&s->events));
  PetscCall(PetscFree(s->row));
  PetscCall(PetscFree(*session));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- recovery ---- */

/* The layout of the rows, from whichever file opens. */
static PetscErrorCode Layout_Private(Session s, Complaint *complaint)
{
  static const char *const names[] = {"sweep.h5", "sweep.previous.h5"};
  Complaint                why     = {0};
  SweepStore               store   = NULL;
  const CellLayout        *layout;

  PetscFunctionBeginUser;
  for (int i = 0; i < 2 && !store; i++) {
    Complaint ignored = {0};
    char      path[PETSC_MAX_PATH_LEN];

    PetscCall(Path_Private(s, names[i], path, complaint));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(SweepStoreOpen(path, &s->params, PETSC_FALSE, &store, i ? &ignored : &why));
    if (i ? ignored.exit_code : why.exit_code) PetscCall(SweepStoreDestroy(&store));
  }
  if (!store) {
    *complaint = why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SweepStoreGetLayout(store, &layout));
  s->layout = *layout;
  PetscCall(SweepStoreClose(&store, complaint));
  PetscCall(PetscMalloc1(s->layout.length, &s->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionRecover(Session s, Complaint *complaint)
{
  const CheckpointCallbacks callbacks = {.check  = Check_Private,
                                         .begin  = Open_Private,
                                         .record = Record_Private,
                                         .end    = Close_Private,
                                         .replay = Replay_Private,
                                         .begun  = Begun_Private};

  PetscFunctionBeginUser;
  PetscCall(Layout_Private(s, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LedgerCreate(&s->grid, &s->ledger));
  PetscCall(EventsOpen(s->folder, INT64_MAX, &s->last_event, &s->events, complaint));
  PetscCall(SweepCheckpointCreate(&s->params, &s->file_ctx));
  PetscCall(SweepCheckpointCallbacks(s->file_ctx, &s->file));
  PetscCall(CheckpointCreate(s->folder, "sweep", s->identity, &s->checkpoint));
  PetscCall(CheckpointSetCallbacks(s->checkpoint, &callbacks, s));
  PetscCall(CheckpointSetIntervals(s->checkpoint, 60 * s->params.checkpoint_interval, SYNC_SECONDS));
  if (!complaint->exit_code) PetscCall(CheckpointRecover(s->checkpoint, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
