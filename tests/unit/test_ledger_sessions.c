/*
  Ledger, over many sessions: a sweep whose cells are computed by a simulated pool, killed at random, at times with the end of its journal
  lost, at times by a cell that kills whoever runs it. At the end every cell was done once (or its loss is accounted for), in the same
  way as without a kill, and only killers and cells that were alone at a kill are marked crashed.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/ledger.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { CELLS = 256, RECORDS = 20000, RANKS = 6, QUEUE = 2, PIECES = CELLS, SESSIONS = 400 };

typedef enum { GENTLE, SILENT_KILLER /* leaves no record */, CRASHER } Nature;

/* A piece with what its first step starts from; and where it is. */
typedef struct {
  PoolPiece piece;
  uint32_t  carry;
  PetscInt  next;
  int       rank; /* -1: not given out */
  long      order;
} Work;

/* What survives the sessions, and what the test knows of them. */
static struct {
  Grid          grid;
  CellLayout    layout;
  JournalRecord records[RECORDS];
  signed char   outcome[RECORDS]; /* status of a STEP */
  uint32_t      result[RECORDS];
  int           n, synced, journal; /* so many records; on the device; where the present journal begins */
  int           compared;
  /* cells */
  Nature        nature[CELLS];
  PetscBool     fails[CELLS], may_be_marked[CELLS];
  int           runs[CELLS], lost[CELLS];
} w;

static uint64_t seed;

static PetscInt Random(PetscInt below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (PetscInt)((seed >> 33) % (uint64_t)below);
}

/* What a cell gives, started from what its neighbour gave. */
static uint32_t Result(PetscInt cell, uint32_t carry)
{
  return (carry * 2654435761u) ^ ((uint32_t)cell * 40503u + 17u);
}

static uint32_t Fresh(void)
{
  return 12345u;
}

/* ---- the files: a snapshot is what the records up to some number say ---- */

typedef struct {
  signed char status[CELLS], deaths[CELLS];
  uint32_t    result[CELLS];
  PetscInt    sessions;
  PetscBool   ended;
} Snapshot;

static void Read(int n, Snapshot *s)
{
  memset(s, 0, sizeof *s);
  for (int i = 0; i < n; i++) {
    const JournalRecord *r    = &w.records[i];
    const PetscInt       cell = r->kind == RECORD_STEP || r->kind == RECORD_DEATHS ? GridCellOfStep(&w.grid, (PetscInt)r->unit, (PetscInt)r->step) : 0;

    if (r->kind == RECORD_STEP) {
      s->status[cell] = w.outcome[i];
      s->result[cell] = w.result[i];
    }
    if (r->kind == RECORD_DEATHS) s->deaths[cell] = (signed char)r->value;
    if (r->kind == RECORD_SESSION_BEGIN) s->sessions = (PetscInt)r->value + 1;
    if (r->kind == RECORD_SESSION_BEGIN || r->kind == RECORD_SESSION_END) s->ended = (PetscBool)(r->kind == RECORD_SESSION_END);
  }
}

static void Tell(Ledger l, int i)
{
  static char      bytes[4096];
  static PetscReal row[512];
  JournalRecord    record = w.records[i];

  assert_true(w.layout.length <= 512 && CellEncodedMax(&w.layout) <= sizeof bytes);
  if (record.kind == RECORD_STEP) {
    CellPackStatus(&w.layout, (SteadyStatus)w.outcome[i], PETSC_FALSE, row);
    record.nbytes = (PetscInt64)CellEncode(&w.layout, row, bytes);
  }
  GOOD(LedgerRecord(l, &record, &w.layout, bytes));
}

static void Append(Ledger l, JournalRecord record, SteadyStatus outcome, uint32_t result)
{
  assert_true(w.n < RECORDS);
  record.number  = w.n;
  w.records[w.n] = record;
  w.outcome[w.n] = (signed char)outcome;
  w.result[w.n]  = result;
  if (l) Tell(l, w.n);
  w.n++;
}

/* ---- the pool ---- */

static Work work[PIECES];
static int  n_work;
static long orders;

static void Add(const PoolPiece *piece, uint32_t carry)
{
  assert_true(n_work < PIECES);
  work[n_work++] = (Work){.piece = *piece, .carry = carry, .next = piece->first, .rank = -1};
}

static int HeldBy(int rank)
{
  int n = 0;

  for (int i = 0; i < n_work; i++) n += work[i].rank == rank;
  return n;
}

/* The piece a rank works on; -1: none. */
static int FirstOf(int rank)
{
  int at = -1;

  for (int i = 0; i < n_work; i++)
    if (work[i].rank == rank && (at < 0 || work[i].order < work[at].order)) at = i;
  return at;
}

/* Give out what may be: pieces that are to run alone one by one, when there is nothing else. */
static void GiveOut(Ledger l, int ranks)
{
  int out = 0, ordinary = 0;

  for (int i = 0; i < n_work; i++) {
    out += work[i].rank >= 0;
    ordinary += !work[i].piece.alone;
  }
  for (int i = 0; i < n_work; i++) {
    const int rank = (int)Random(ranks);

    if (work[i].rank >= 0 || HeldBy(rank) >= QUEUE || (work[i].piece.alone && (out || ordinary))) continue;
    work[i].rank  = rank;
    work[i].order = orders++;
    out++;
    Append(l,
           (JournalRecord){.kind  = RECORD_ASSIGN,
                           .rank  = rank,
                           .unit  = work[i].piece.unit,
                           .step  = work[i].piece.first,
                           .value = work[i].piece.alone ? -work[i].piece.n : work[i].piece.n},
           STATUS_PENDING, 0);
    if (work[i].piece.alone) break;
  }
}

/* ---- one session ---- */

static Nature   crash_record; /* CRASHER: the rank that killed the session before left a record, of this step */
static PetscInt crash_unit, crash_step;

/* It begins with what ranks hold. */
static void NewJournal(Ledger l)
{
  const LedgerFlight *f;
  LedgerFlight        held[RANKS * QUEUE];
  PetscInt            n;

  w.journal = w.n;
  GOOD(LedgerGetAssigned(l, &n, &f));
  assert_true(n <= RANKS * QUEUE);
  memcpy(held, f, (size_t)n * sizeof *f);
  for (PetscInt i = 0; i < n; i++)
    Append(Random(2) ? l : NULL,
           (JournalRecord){.kind  = RECORD_ASSIGN,
                           .rank  = held[i].rank,
                           .unit  = held[i].unit,
                           .step  = held[i].step,
                           .value = held[i].alone ? -held[i].n : held[i].n},
           STATUS_PENDING, 0);
}

/* The cells in work are what the ranks really worked on. */
static void Compare(const LedgerFlight *flights, PetscInt n)
{
  int in_work = 0;

  for (int r = 0; r < RANKS; r++) in_work += FirstOf(r) >= 0;
  assert_int_equal(n, in_work);
  for (PetscInt i = 0; i < n; i++) {
    const Work *at = &work[FirstOf(flights[i].rank)];

    assert_true(at->piece.unit == flights[i].unit && at->next == flights[i].step && at->piece.alone == flights[i].alone);
    assert_int_equal(flights[i].n, at->piece.first + at->piece.n - at->next);
  }
  w.compared++;
}

/* What was in work when the session before died, and what comes of it. exact: root had written down every step. */
static void Deaths(Ledger l, PetscBool exact)
{
  const LedgerFlight *f;
  LedgerFlight        flights[RANKS];
  PetscInt            n, deaths;

  GOOD(LedgerGetFlights(l, &n, &f));
  assert_true(n <= RANKS);
  memcpy(flights, f, (size_t)n * sizeof *f);
  if (exact) Compare(flights, n);
  for (PetscInt i = 0; i < n; i++) {
    JournalRecord record = {.kind = RECORD_DEATHS, .rank = -1, .unit = flights[i].unit, .step = flights[i].step};

    GOOD(LedgerGetDeaths(l, flights[i].unit, flights[i].step, &deaths));
    record.value = deaths + 1;
    if (flights[i].alone) record.kind = RECORD_STEP;
    Append(l, record, STATUS_CRASHED, 0);
  }
}

/* As the program begins a session. */
static void Begin(Ledger l, PetscBool exact, PetscBool again)
{
  const int from = Random(2) ? w.journal : 0; /* the records that are in the snapshot */
  Snapshot  old, now;

  Read(from, &old);
  Read(w.n, &now);
  GOOD(LedgerSetCells(l, old.status, old.deaths));
  for (int i = from; i < w.n; i++) Tell(l, i);
  for (PetscInt cell = 0; cell < w.grid.n_cells; cell++) { /* old snapshot and later records are the present */
    SteadyStatus status;
    PetscInt     unit, step, deaths;

    GridStepOfCell(&w.grid, cell, &unit, &step);
    GOOD(LedgerGetStatus(l, cell, &status));
    GOOD(LedgerGetDeaths(l, unit, step, &deaths));
    assert_true((int)status == now.status[cell] && deaths == now.deaths[cell]);
  }
  if (Random(2)) GOOD(LedgerSetCells(l, now.status, now.deaths));
  if (Random(2)) NewJournal(l);
  if (!now.ended && now.sessions > 0) {
    if (crash_record == CRASHER) {
      Append(l, (JournalRecord){.kind = RECORD_STEP, .rank = -1, .unit = crash_unit, .step = crash_step}, STATUS_CRASHED, 0);
      w.may_be_marked[GridCellOfStep(&w.grid, crash_unit, crash_step)] = PETSC_TRUE;
    } else Deaths(l, exact);
    Append(l, (JournalRecord){.kind = RECORD_SESSION_END, .value = now.sessions - 1}, STATUS_PENDING, 0);
  }
  if (!again && !Random(3)) { /* deaths by which a run is cut in its middle */
    PetscInt unit, step;

    GridStepOfCell(&w.grid, Random(w.grid.n_cells), &unit, &step);
    Append(l, (JournalRecord){.kind = RECORD_DEATHS, .rank = -1, .unit = unit, .step = step, .value = LEDGER_DEATHS}, STATUS_PENDING, 0);
  }
  crash_record = GENTLE;
  GOOD(LedgerForgetFlights(l));
  Append(l, (JournalRecord){.kind = RECORD_SESSION_BEGIN, .value = now.sessions}, STATUS_PENDING, 0);
  w.synced = w.n;
}

static void AddPieces(Ledger l)
{
  Snapshot  now;
  PetscBool found = PETSC_TRUE;

  Read(w.n, &now);
  n_work = 0;
  for (PetscInt i = 0; found; i++) {
    PoolPiece piece;
    PetscInt  before;

    GOOD(LedgerGetPiece(l, i, &piece, &before, &found));
    if (!found) break;
    if (before >= 0) assert_int_not_equal(now.status[before], STATUS_PENDING); /* its row is there */
    Add(&piece, before >= 0 && CellCarries((SteadyStatus)now.status[before]) ? now.result[before] : Fresh());
  }
}

/* The next step of a rank; false: it died of it. */
static PetscBool RunStep(Ledger l, int rank, PetscBool again)
{
  const int      i    = FirstOf(rank);
  Work          *at   = &work[i];
  const PetscInt unit = at->piece.unit, step = at->next, cell = GridCellOfStep(&w.grid, unit, step);
  const uint32_t result = Result(cell, at->carry);
  SteadyStatus   status;
  PetscInt       deaths;
  PoolPiece      rest;

  GOOD(LedgerGetStatus(l, cell, &status));
  GOOD(LedgerGetDeaths(l, unit, step, &deaths));
  assert_true(at->piece.alone || deaths < LEDGER_DEATHS);
  if (!again) assert_int_equal(status, STATUS_PENDING); /* never what is done already */
  if (!again && w.nature[cell] != GENTLE) {
    crash_record = w.nature[cell];
    crash_unit   = unit;
    crash_step   = step;
    if (at->piece.alone) w.may_be_marked[cell] = PETSC_TRUE;
    return PETSC_FALSE;
  }
  w.runs[cell]++;
  status = w.fails[cell] && !again ? STATUS_FLOW_FAILED : STATUS_PERIODIC;
  Append(l, (JournalRecord){.kind = RECORD_STEP, .rank = rank, .unit = unit, .step = step}, status, result);
  if (at->piece.alone) w.synced = w.n; /* else the loss of the machine would blame a cell that has ended well */
  at->carry = CellCarries(status) ? result : Fresh();
  GOOD(LedgerGetRest(l, unit, step, &rest));
  if (rest.n) Add(&rest, at->carry);
  if (++at->next == at->piece.first + at->piece.n) work[i] = work[--n_work];
  return PETSC_TRUE;
}

/* A kill; with the machine go the records that were not synced. */
static PetscBool Lose(void)
{
  const int       keep  = Random(3) ? w.n : w.synced + (int)Random(w.n - w.synced + 1);
  const PetscBool exact = (PetscBool)(keep == w.n);

  for (int i = keep; i < w.n; i++)
    if (w.records[i].kind == RECORD_STEP) w.lost[GridCellOfStep(&w.grid, (PetscInt)w.records[i].unit, (PetscInt)w.records[i].step)]++;
  w.n       = keep;
  w.journal = PetscMin(w.journal, keep);
  return exact;
}

/* One session from start to end or kill. kills: chances in 1000 a step. Returns whether all is done; exact: nothing was lost at its end. */
static PetscBool Session(PetscInt kills, PetscBool again, PetscBool *exact)
{
  const int ranks = 1 + (int)Random(RANKS);
  Ledger    l;
  PetscBool alive = PETSC_TRUE;
  PetscInt  failed;

  GOOD(LedgerCreate(&w.grid, &l));
  Begin(l, *exact, again);
  if (again) GOOD(LedgerRetryFailed(l, &failed));
  AddPieces(l);
  while (alive && n_work) {
    int rank = (int)Random(ranks);

    GiveOut(l, ranks);
    while (FirstOf(rank) < 0) rank = (rank + 1) % ranks;
    if (Random(1000) < kills) {
      for (int r = 0; r < ranks; r++) {
        const int at = FirstOf(r);

        if (at >= 0 && work[at].piece.alone) w.may_be_marked[GridCellOfStep(&w.grid, work[at].piece.unit, work[at].next)] = PETSC_TRUE;
      }
      alive = PETSC_FALSE;
    } else alive = RunStep(l, rank, again);
    if (!Random(20)) w.synced = w.n;
    if (!Random(50)) NewJournal(l);
  }
  if (alive) {
    const LedgerTally *t;

    GOOD(LedgerGetTally(l, &t));
    assert_int_equal(t->done, w.grid.n_cells);
    Append(l, (JournalRecord){.kind = RECORD_SESSION_END, .value = 0}, STATUS_PENDING, 0);
  } else *exact = Lose();
  GOOD(LedgerDestroy(&l));
  return alive;
}

static void NewWorld(uint64_t start)
{
  Params    p;
  Complaint c = {0};

  memset(&w, 0, sizeof w);
  seed = start;
  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.sweep_amplitude = (Range){1, 3, 2 + Random(4)};
  p.sweep_frequency = (Range){4, 5, 2 + Random(16)};
  p.sweep_along     = Random(2) ? ALONG_AMPLITUDE : ALONG_FREQUENCY;
  p.sweep_direction = Random(2) ? DIRECTION_BOTH : DIRECTION_DOWN;
  p.sweep_segment   = Random(3) ? 0 : 3;
  p.shard           = Random(3) ? (Shard){0, 0} : (Shard){2, 2};
  p.sample_periods  = p.max_period = 4;
  p.max_contacts                   = 4;
  GOOD(GridSetUp(&p, &w.grid));
  assert_true(w.grid.n_cells <= CELLS);
  CellLayoutSetUp(&p, 2, &w.layout);
  for (PetscInt i = 0; i < w.grid.n_cells; i++) w.fails[i] = (PetscBool)(Random(10) == 0);
  for (PetscInt i = 0; i < 3; i++) w.nature[Random(w.grid.n_cells)] = (Nature)Random(3);
}

/* The rows are those of a line that was never cut: each from the one before it, or fresh where that one carries nothing. */
static void CheckRows(const Snapshot *s, PetscBool again)
{
  for (PetscInt unit = 0; unit < w.grid.n_units; unit++) {
    GridUnit u;
    uint32_t carry = Fresh();

    GridGetUnit(&w.grid, unit, &u);
    for (PetscInt step = 0; step < u.n; step++) {
      const PetscInt     cell   = GridCellOfStep(&w.grid, unit, step);
      const SteadyStatus status = (SteadyStatus)s->status[cell];

      assert_int_not_equal(status, STATUS_PENDING);
      if (status == STATUS_CRASHED) assert_true(w.may_be_marked[cell]);
      else if (!again) {
        assert_int_equal(status, w.fails[cell] ? STATUS_FLOW_FAILED : STATUS_PERIODIC);
        assert_int_equal(w.nature[cell], GENTLE);
        assert_true(s->result[cell] == Result(cell, carry));
      }
      if (!again) assert_int_equal(w.runs[cell], w.lost[cell] + (status != STATUS_CRASHED)); /* done once, beside what was lost */
      carry = CellCarries(status) ? s->result[cell] : Fresh();
    }
  }
}

static void test_every_cell_is_done_once(void **state)
{
  int marked = 0, rerun = 0, compared = 0;

  (void)state;
  for (uint64_t trial = 0; trial < 400; trial++) {
    PetscBool exact = PETSC_TRUE, done = PETSC_FALSE;
    Snapshot  first, second;
    int       sessions = 0;

    NewWorld(trial);
    crash_record = GENTLE;
    while (!done && sessions < SESSIONS) done = Session(sessions++ < 20 ? 40 : 0, PETSC_FALSE, &exact);
    assert_true(done);
    assert_true(sessions <= 20 + 3 * (LEDGER_DEATHS + 2) + 1); /* without other kills a killer ends few sessions */
    Read(w.n, &first);
    CheckRows(&first, PETSC_FALSE);

    compared += w.compared;

    /* the failed ones once more, now that they would go well: each one once, no other */
    memset(w.runs, 0, sizeof w.runs);
    assert_true(Session(0, PETSC_TRUE, &exact));
    Read(w.n, &second);
    CheckRows(&second, PETSC_TRUE);
    for (PetscInt cell = 0; cell < w.grid.n_cells; cell++) {
      const PetscBool failed = (PetscBool)(first.status[cell] == STATUS_CRASHED || first.status[cell] == STATUS_FLOW_FAILED);
      PetscInt        unit, step, before;

      GridStepOfCell(&w.grid, cell, &unit, &step);
      before = step ? GridCellOfStep(&w.grid, unit, step - 1) : -1;
      assert_int_equal(w.runs[cell], failed);
      if (!failed) assert_true(second.status[cell] == first.status[cell] && second.result[cell] == first.result[cell]);
      else assert_true(second.result[cell] == Result(cell, before >= 0 && CellCarries((SteadyStatus)first.status[before]) ? first.result[before] : Fresh()));
      assert_int_equal(second.status[cell], STATUS_PERIODIC);
      marked += first.status[cell] == STATUS_CRASHED;
      rerun += failed;
    }
  }
  assert_true(marked > 200 && rerun > marked && compared > 1000); /* the claims are not empty */
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_cell_is_done_once),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
