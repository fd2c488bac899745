/*
  session_begin.c - the start of a session: how the one before ended, which cells it died of, what is to do.

  A crash record names a cell for certain: it is marked crashed. A death without a record counts against no cell by itself; the cells that
  were in work get one death each, and those that reach LEDGER_DEATHS run last and alone. Only a cell that was alone when the job died is
  marked.
*/
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/crash.h"
#include "graze/log.h"
#include "graze_version.h"
#include "session_impl.h"

/* Everything that goes into the journal is told to the ledger too. */
static PetscErrorCode Append_Private(Session s, JournalRecord *record, const void *bytes, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(CheckpointAppend(s->checkpoint, record, bytes, complaint));
  if (!complaint->exit_code) PetscCall(LedgerRecord(s->ledger, record, &s->layout, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what killed the session before ---- */

/* A cell that took its rank with it gets a row that says so; the line goes on from the stated initial condition. */
PetscErrorCode SessionMarkCrashed_Private(Session s, PetscInt unit, PetscInt step, Complaint *complaint)
{
  JournalRecord record = {.kind = RECORD_STEP, .rank = -1, .unit = unit, .step = step};
  SteadyStatus  status;
  GridUnit      u;
  PetscInt      ia, jf;
  PetscReal     amplitude, frequency;
  void         *bytes;

  PetscFunctionBeginUser;
  PetscCall(LedgerGetStatus(s->ledger, GridCellOfStep(&s->grid, unit, step), &status));
  if (status != STATUS_PENDING) PetscFunctionReturn(PETSC_SUCCESS);
  GridGetUnit(&s->grid, unit, &u);
  GridGetCell(&s->grid, u.line, u.first + step * u.step, &ia, &jf, &amplitude, &frequency);
  CellPackStatus(&s->layout, STATUS_CRASHED, (PetscBool)(step == 0), s->row);
  PetscCall(PetscMalloc(CellEncodedMax(&s->layout), &bytes));
  record.nbytes = (PetscInt64)CellEncode(&s->layout, s->row, bytes);
  PetscCall(Append_Private(s, &record, bytes, complaint));
  if (!complaint->exit_code) PetscCall(EventsAppend(s->events, &record, s->n_sessions, &s->grid, &s->layout, s->row, complaint));
  PetscCall(PetscFree(bytes));
  PetscCall(
    LogWarning("the cell A = %.9g, W = %.9g is marked crashed (-retry failed does it again)", (double)amplitude, (double)frequency));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionCountDeath_Private(Session s, PetscInt unit, PetscInt step, PetscInt *deaths, Complaint *complaint)
{
  JournalRecord record = {.kind = RECORD_DEATHS, .rank = -1, .unit = unit, .step = step};

  PetscFunctionBeginUser;
  PetscCall(LedgerGetDeaths(s->ledger, unit, step, deaths));
  if (*deaths < 100) ++*deaths; /* one byte a cell in the file */
  record.value = *deaths;
  PetscCall(Append_Private(s, &record, NULL, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Session    session;
  PetscInt   n;
  Complaint *complaint;
} Crashes;

static PetscErrorCode Crash_Private(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, int number)
{
  Crashes *c = (Crashes *)ctx;
  GridUnit u;

  PetscFunctionBeginUser;
  if (unit < 0 || unit >= c->session->grid.n_units) PetscFunctionReturn(PETSC_SUCCESS);
  GridGetUnit(&c->session->grid, unit, &u);
  if (step < 0 || step >= u.n) PetscFunctionReturn(PETSC_SUCCESS);
  ++c->n;
  if (number) PetscCall(LogWarning("rank %d of an earlier session died of signal %d (%s)", (int)rank, number, strsignal(number)));
  else PetscCall(LogWarning("rank %d of an earlier session ended with an internal error", (int)rank));
  PetscCall(SessionMarkCrashed_Private(c->session, unit, step, c->complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells that were in work when a session ended without a word. */
static PetscErrorCode Deaths_Private(Session s, Complaint *complaint)
{
  const LedgerFlight *flights;
  LedgerFlight       *copy;
  PetscInt            n, suspects = 0;

  PetscFunctionBeginUser;
  PetscCall(LedgerGetFlights(s->ledger, &n, &flights));
  PetscCall(PetscMalloc1(n + 1, &copy));
  PetscCall(PetscArraycpy(copy, flights, n));
  for (PetscInt i = 0; i < n && !complaint->exit_code; ++i) {
    PetscInt deaths = 0;

    if (copy[i].alone) PetscCall(SessionMarkCrashed_Private(s, copy[i].unit, copy[i].step, complaint));
    else PetscCall(SessionCountDeath_Private(s, copy[i].unit, copy[i].step, &deaths, complaint));
    suspects += deaths >= LEDGER_DEATHS;
  }
  PetscCall(PetscFree(copy));
  if (suspects)
    PetscCall(LogWarning("%" PetscInt_FMT " cell%s in work at more than one sudden death: run last, one at a time", suspects,
                         suspects > 1 ? "s were" : " was"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the start ---- */

/* Fills in what the killed session could not write itself. cells: done by now, less those of the sessions before. */
static PetscErrorCode EndKilled_Private(Session s, PetscInt number, double last, PetscInt64 cells, Complaint *complaint)
{
  const SessionEnd end    = {.reason = SESSION_KILLED, .cells = cells, .end = last};
  JournalRecord    record = {.kind = RECORD_SESSION_END, .rank = -1, .value = number, .nbytes = sizeof end};

  PetscFunctionBeginUser;
  PetscCall(Append_Private(s, &record, &end, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void SlurmJob_Private(char *text /* [SESSION_TEXT] */)
{
  const char *job = getenv("SLURM_JOB_ID"), *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");

  text[0] = '\0';
  if (array && task) (void)snprintf(text, SESSION_TEXT, "%.40s_%.20s", array, task);
  else if (job) (void)snprintf(text, SESSION_TEXT, "%.60s", job);
}

static PetscErrorCode Begin_Private(Session s, Complaint *complaint)
{
  SessionBegin  begin  = {.ranks = (int32_t)s->ranks, .start = s->begin};
  JournalRecord record = {.kind = RECORD_SESSION_BEGIN, .rank = -1, .value = s->n_sessions, .nbytes = sizeof begin};

  PetscFunctionBeginUser;
  if (gethostname(begin.host, sizeof begin.host - 1)) begin.host[0] = '\0';
  SlurmJob_Private(begin.job);
  PetscCall(PetscStrncpy(begin.version, GRAZE_VERSION " " GRAZE_COMMIT, sizeof begin.version));
  PetscCall(Append_Private(s, &record, &begin, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionStart(Session s, Complaint *complaint)
{
  Crashes            crashes = {.session = s, .complaint = complaint};
  CheckpointFacts    facts;
  const LedgerTally *tally;
  PetscInt           redo = 0, again;

  PetscFunctionBeginUser;
  PetscCall(SessionCheckLimit_Private(s, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  s->n_sessions = s->sessions.n;
  PetscCall(CheckpointGetFacts(s->checkpoint, &facts));
  PetscCall(LedgerGetTally(s->ledger, &tally));
  again = tally->done;
  PetscCall(CrashRead(s->folder, Crash_Private, &crashes));
  if (s->sessions.n > 0 && s->sessions.end.reason == SESSION_RUNNING && !complaint->exit_code) {
    if (!crashes.n) PetscCall(Deaths_Private(s, complaint));
    PetscCall(EndKilled_Private(s, s->sessions.n - 1, facts.last_record_time > 0 ? facts.last_record_time : s->begin,
                                PetscMax((PetscInt64)again - s->sessions.cells, 0), complaint));
  }
  PetscCall(LedgerForgetFlights(s->ledger));
  PetscCall(Begin_Private(s, complaint));
  if (!complaint->exit_code) PetscCall(CheckpointSync(s->checkpoint, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  s->begun = PETSC_TRUE;
  PetscCall(CrashClear(s->folder)); /* what they said is in the journal now */
  if (s->params.retry == RETRY_FAILED) PetscCall(LedgerRetryFailed(s->ledger, &redo));
  s->at_begin = tally->done;
  s->redo     = redo;
  if (s->n_sessions > 0)
    PetscCall(LogLine("resumed        session %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " cells are done%s",
                      s->n_sessions + 1, tally->done, s->grid.n_cells,
                      s->params.retry == RETRY_FAILED ? redo ? ", the failed ones again" : ", none has failed" : ""));
  PetscCall(SessionStatus_Private(s, NULL, STATE_SETTING_UP, "", -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SessionGetLeft(Session s, PetscInt *left)
{
  const LedgerTally *tally;

  PetscFunctionBeginUser;
  PetscCall(LedgerGetTally(s->ledger, &tally));
  *left = s->grid.n_cells - tally->done + s->redo;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is left ---- */

/* Rows that pieces start from and that are in a journal still. */
typedef struct {
  Session   session;
  PetscInt  n;      /* rows wanted */
  PetscInt *number; /* of a cell's row, from 1; 0: not wanted; shape [n_cells] */
  struct {
    PetscInt nbytes;
    void    *bytes; /* encoded; NULL: in no journal */
  } *row; /* shape [n + 1] */
} Carries;

/* Of two records of a cell the later one counts. */
static PetscErrorCode KeepCarry_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Carries *c = (Carries *)ctx;
  PetscInt number;

  PetscFunctionBeginUser;
  (void)complaint;
  if (record->kind != RECORD_STEP) PetscFunctionReturn(PETSC_SUCCESS);
  number = c->number[GridCellOfStep(&c->session->grid, (PetscInt)record->unit, (PetscInt)record->step)];
  if (number == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(c->row[number].bytes));
  c->row[number].nbytes = (PetscInt)record->nbytes;
  PetscCall(PetscMalloc(record->nbytes, &c->row[number].bytes));
  PetscCall(PetscMemcpy(c->row[number].bytes, bytes, record->nbytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One pass over the journals for all pieces. Memory: a row a piece, as the pool keeps anyway. */
static PetscErrorCode CarriesCreate_Private(Session s, Carries *c, Complaint *complaint)
{
  PetscBool found = PETSC_TRUE;

  PetscFunctionBeginUser;
  *c = (Carries){.session = s};
  PetscCall(PetscCalloc1(s->grid.n_cells, &c->number));
  for (PetscInt i = 0;; ++i) {
    PoolPiece piece;
    PetscInt  before;

    PetscCall(LedgerGetPiece(s->ledger, i, &piece, &before, &found));
    if (!found) break;
    if (before >= 0) c->number[before] = ++c->n;
  }
  PetscCall(PetscCalloc1(c->n + 1, &c->row));
  if (c->n) PetscCall(CheckpointVisit(s->checkpoint, KeepCarry_Private, c, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CarriesDestroy_Private(Carries *c)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 1; i <= c->n; ++i) PetscCall(PetscFree(c->row[i].bytes));
  PetscCall(PetscFree(c->row));
  PetscCall(PetscFree(c->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The encoded row of a finished cell, from the journals or else from the snapshot, which is opened when it is first needed. */
static PetscErrorCode GetCarry_Private(Session s, const Carries *c, SweepStore *store, PetscInt cell, void *room, PoolPiece *piece,
                                       Complaint *complaint)
{
  const PetscInt number = c->number[cell];
  char           path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  if (c->row[number].bytes) {
    piece->nbytes = c->row[number].nbytes;
    piece->carry  = c->row[number].bytes;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OutputPath(&s->given, "sweep.h5", sizeof path, path, complaint));
  if (!*store) PetscCall(SweepStoreOpen(path, &s->params, PETSC_FALSE, store, complaint));
  if (!complaint->exit_code) PetscCall(SweepStoreReadCell(*store, cell, s->row, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  piece->nbytes = (PetscInt)CellEncode(&s->layout, s->row, room);
  piece->carry  = room;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each run of cells that is left, with the row of the cell before it. */
PetscErrorCode SessionAddPieces(Session s, Pool pool, Complaint *complaint)
{
  Carries    carries;
  SweepStore store = NULL;
  void      *room;
  PetscBool  found = PETSC_TRUE;

  PetscFunctionBeginUser;
  s->pool       = pool;
  s->pool_start = MPI_Wtime();
  PetscCall(CarriesCreate_Private(s, &carries, complaint));
  PetscCall(PetscMalloc(CellEncodedMax(&s->layout), &room));
  for (PetscInt i = 0; !complaint->exit_code; ++i) {
    PoolPiece    piece;
    PetscInt     before;
    SteadyStatus status = STATUS_PENDING;

    PetscCall(LedgerGetPiece(s->ledger, i, &piece, &before, &found));
    if (!found) break;
    if (before >= 0) PetscCall(LedgerGetStatus(s->ledger, before, &status));
    /* a cell marked a moment ago is not in the file yet; like all that carry nothing it needs no row */
    if (before >= 0 && CellCarries(status)) PetscCall(GetCarry_Private(s, &carries, &store, before, room, &piece, complaint));
    if (!complaint->exit_code) PetscCall(PoolAdd(pool, &piece));
  }
  PetscCall(PetscFree(room));
  PetscCall(CarriesDestroy_Private(&carries));
  if (store) PetscCall(SweepStoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
