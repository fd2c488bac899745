/*
  Ledger: from records to what is done, in work and to do - pieces, suspects that run alone, failed cells again, the tally.
*/
#define _XOPEN_SOURCE 700 /* setenv */
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

/* Lines along the frequency, up and down, in segments of 6 and 3: units 2 l and 2 l + 1 of line l. */
enum { N_A = 3, N_F = 9, SEGMENT = 6, N_UNITS = 2 * N_A * 2, N_CELLS = 2 * N_A * N_F };

static Grid       grid;
static CellLayout layout;
static char       bytes[4096];

static int MakeGrid(void **state)
{
  Params    p;
  Complaint c = {0};

  (void)state;
  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.sweep_amplitude = (Range){10, 30, N_A};
  p.sweep_frequency = (Range){4, 12, N_F};
  p.sweep_direction = DIRECTION_BOTH;
  p.sweep_segment   = SEGMENT;
  p.sample_periods  = 8;
  p.max_period      = 8;
  p.max_contacts    = 8;
  GOOD(GridSetUp(&p, &grid));
  CellLayoutSetUp(&p, 4, &layout);
  assert_true(CellEncodedMax(&layout) <= sizeof bytes && grid.n_units == N_UNITS && grid.n_cells == N_CELLS);
  return 0;
}

static Ledger Make(void)
{
  Ledger l;

  GOOD(LedgerCreate(&grid, &l));
  return l;
}

static void Drop(Ledger l)
{
  GOOD(LedgerDestroy(&l));
}

static void Record(Ledger l, RecordKind kind, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt64 value)
{
  const JournalRecord record = {.kind = kind, .time = 100.0, .rank = rank, .unit = unit, .step = step, .value = value};

  GOOD(LedgerRecord(l, &record, &layout, NULL));
}

/* seconds NaN: a row that has only a status */
static JournalRecord Encode(PetscMPIInt rank, PetscInt unit, PetscInt step, SteadyStatus status, PetscReal seconds)
{
  PetscReal *row = malloc((size_t)layout.length * sizeof *row);
  size_t     nbytes;

  assert_non_null(row);
  CellPackStatus(&layout, status, PETSC_FALSE, row);
  row[layout.offset[CELL_WALL_SECONDS]] = seconds;
  nbytes                                = CellEncode(&layout, row, bytes);
  free(row);
  return (JournalRecord){.kind = RECORD_STEP, .time = 101.0, .rank = rank, .unit = unit, .step = step, .nbytes = (PetscInt64)nbytes};
}

static void Step(Ledger l, PetscMPIInt rank, PetscInt unit, PetscInt step, SteadyStatus status)
{
  const JournalRecord record = Encode(rank, unit, step, status, 1.0);

  GOOD(LedgerRecord(l, &record, &layout, bytes));
}

/* The pieces in words: "unit:first+n" with ! where alone, and < if the cell before is named. */
static const char *Pieces(Ledger l)
{
  static char text[1024];
  PetscBool   found = PETSC_TRUE;

  text[0] = '\0';
  for (PetscInt i = 0; found; i++) {
    PoolPiece piece;
    PetscInt  before;

    GOOD(LedgerGetPiece(l, i, &piece, &before, &found));
    if (!found) break;
    assert_true(piece.nbytes == 0 && piece.carry == NULL && piece.cost == GridExpectedCost(&grid, piece.unit, piece.first, piece.n));
    assert_int_equal(before, piece.first ? GridCellOfStep(&grid, piece.unit, piece.first - 1) : -1);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%s%d+%d%s", i ? " " : "", (int)piece.unit, before >= 0 ? "<" : "", (int)piece.first,
             (int)piece.n, piece.alone ? "!" : "");
  }
  return text;
}

static const char *Rest(Ledger l, PetscInt unit, PetscInt step)
{
  static char text[64];
  PoolPiece   rest;

  GOOD(LedgerGetRest(l, unit, step, &rest));
  if (!rest.n) return "";
  assert_true(rest.unit == unit && rest.cost == GridExpectedCost(&grid, unit, rest.first, rest.n));
  snprintf(text, sizeof text, "%d+%d%s", (int)rest.first, (int)rest.n, rest.alone ? "!" : "");
  return text;
}

/* All cells but those of the first two units are done. */
static void DoTheRest(Ledger l)
{
  for (PetscInt unit = 2; unit < N_UNITS; unit++)
    for (PetscInt step = 0; step < (unit % 2 ? N_F - SEGMENT : SEGMENT); step++) Step(l, 0, unit, step, STATUS_PERIODIC);
}

static void test_at_first_every_unit_is_a_piece(void **state)
{
  const Ledger       l = Make();
  const LedgerTally *t;
  PetscInt           session;
  PetscBool          ended;
  double             last;

  (void)state;
  assert_string_equal(Pieces(l), "0:0+6 1:0+3 2:0+6 3:0+3 4:0+6 5:0+3 6:0+6 7:0+3 8:0+6 9:0+3 10:0+6 11:0+3");
  GOOD(LedgerGetTally(l, &t));
  assert_true(t->done == 0 && t->by_status[STATUS_PENDING] == N_CELLS && t->finished == 0 && t->n_slowest == 0);
  GOOD(LedgerGetSession(l, &session, &ended, &last));
  assert_true(session == -1 && isnan(last));
  Drop(l);
}

/* What is done parts the rest; the snapshot says the same as the records do. */
static void test_runs_of_pending_cells(void **state)
{
  const Ledger l = Make(), same = Make();
  signed char  status[N_CELLS] = {0}, deaths[N_CELLS] = {0};

  (void)state;
  DoTheRest(l);
  assert_string_equal(Pieces(l), "0:0+6 1:0+3");
  Step(l, 0, 0, 2, STATUS_PERIODIC);
  Step(l, 0, 0, 0, STATUS_FLOW_FAILED);
  Step(l, 0, 1, 0, STATUS_APERIODIC);
  assert_string_equal(Pieces(l), "0:<1+1 0:<3+3 1:<1+2");
  for (PetscInt cell = 0; cell < N_CELLS; cell++) {
    SteadyStatus one;

    GOOD(LedgerGetStatus(l, cell, &one));
    status[cell] = (signed char)one;
  }
  deaths[GridCellOfStep(&grid, 0, 4)] = LEDGER_DEATHS;
  GOOD(LedgerSetCells(same, status, NULL));
  assert_string_equal(Pieces(same), "0:<1+1 0:<3+3 1:<1+2");
  GOOD(LedgerSetCells(same, status, deaths));
  assert_string_equal(Pieces(same), "0:<1+1 0:<3+1 1:<1+2");
  GOOD(LedgerSetCells(same, NULL, NULL));
  assert_string_equal(Pieces(same), "0:0+6 1:0+3 2:0+6 3:0+3 4:0+6 5:0+3 6:0+6 7:0+3 8:0+6 9:0+3 10:0+6 11:0+3");
  Drop(l);
  Drop(same);
}

static const char *Flights(Ledger l, PetscBool all)
{
  static char         text[1024];
  const LedgerFlight *f;
  PetscInt            n;

  text[0] = '\0';
  if (all) GOOD(LedgerGetAssigned(l, &n, &f));
  else GOOD(LedgerGetFlights(l, &n, &f));
  for (PetscInt i = 0; i < n; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d@%d:%d+%d%s", i ? " " : "", f[i].rank, (int)f[i].unit, (int)f[i].step, (int)f[i].n,
             f[i].alone ? "!" : "");
  return text;
}

/* A rank works on its pieces in order; what it waits with is not in work. */
static void test_cells_in_work(void **state)
{
  const Ledger l = Make();

  (void)state;
  assert_string_equal(Flights(l, PETSC_TRUE), "");
  Record(l, RECORD_SESSION_BEGIN, 0, 0, 0, 0);
  Record(l, RECORD_ASSIGN, 1, 0, 0, 6);
  Record(l, RECORD_ASSIGN, 70, 2, 3, 2);
  Record(l, RECORD_ASSIGN, 1, 2, 5, 1);
  assert_string_equal(Flights(l, PETSC_FALSE), "1@0:0+6 70@2:3+2");
  assert_string_equal(Flights(l, PETSC_TRUE), "1@0:0+6 1@2:5+1 70@2:3+2");
  for (PetscInt step = 0; step < 5; step++) Step(l, 1, 0, step, STATUS_PERIODIC);
  Step(l, 70, 2, 3, STATUS_PERIODIC);
  assert_string_equal(Flights(l, PETSC_FALSE), "1@0:5+1 70@2:4+1");
  /* a new journal says once more what is held; nothing is held twice */
  Record(l, RECORD_ASSIGN, 1, 0, 5, 1);
  Record(l, RECORD_ASSIGN, 1, 2, 5, 1);
  Record(l, RECORD_ASSIGN, 70, 2, 4, 1);
  assert_string_equal(Flights(l, PETSC_TRUE), "1@0:5+1 1@2:5+1 70@2:4+1");
  Step(l, 1, 0, 5, STATUS_PERIODIC);
  Step(l, 70, 2, 4, STATUS_PERIODIC);
  assert_string_equal(Flights(l, PETSC_FALSE), "1@2:5+1");
  Record(l, RECORD_ASSIGN, 0, 1, 2, -1);
  assert_string_equal(Flights(l, PETSC_FALSE), "0@1:2+1! 1@2:5+1");
  Step(l, -1, 3, 0, STATUS_CRASHED); /* by root, in nobody's hands */
  /* a session that begins knows by this what the one before died of */
  Record(l, RECORD_SESSION_BEGIN, 0, 0, 0, 1);
  GOOD(LedgerSetCells(l, NULL, NULL));
  assert_string_equal(Flights(l, PETSC_FALSE), "0@1:2+1! 1@2:5+1");
  Record(l, RECORD_SESSION_END, 0, 0, 0, 1);
  assert_string_equal(Flights(l, PETSC_TRUE), "");
  Record(l, RECORD_ASSIGN, 3, 1, 1, 1);
  assert_string_equal(Flights(l, PETSC_FALSE), "3@1:1+1");
  GOOD(LedgerForgetFlights(l));
  assert_string_equal(Flights(l, PETSC_TRUE), "");
  /* more than a rank ever holds: what it got first must be over */
  for (PetscInt unit = 0; unit < 6; unit++) Record(l, RECORD_ASSIGN, 2, unit, 0, 3);
  assert_string_equal(Flights(l, PETSC_TRUE), "2@2:0+3 2@3:0+3 2@4:0+3 2@5:0+3");
  Drop(l);
}

static void test_sessions(void **state)
{
  const Ledger l = Make();
  PetscInt     session;
  PetscBool    ended;
  double       last;

  (void)state;
  for (PetscInt i = 3; i < 5; i++) {
    Record(l, RECORD_SESSION_BEGIN, 0, 0, 0, i);
    Step(l, 0, 0, 0, STATUS_PERIODIC);
    GOOD(LedgerGetSession(l, &session, &ended, &last));
    assert_true(session == i && !ended && last == 101.0);
    Record(l, RECORD_SESSION_END, 0, 0, 0, i);
    GOOD(LedgerGetSession(l, &session, &ended, NULL));
    assert_true(session == i && ended);
  }
  Drop(l);
}

/* Cells 2 and 4 of unit 0 are suspect: 0-1 at once, 2 alone when 1 is done, 3 when 2 is, 4 alone when 3 is, 5. */
static void test_suspects_run_alone(void **state)
{
  const Ledger l = Make();
  PetscInt     deaths;

  (void)state;
  DoTheRest(l);
  Record(l, RECORD_DEATHS, 0, 0, 4, LEDGER_DEATHS - 1);
  assert_string_equal(Pieces(l), "0:0+6 1:0+3");
  Record(l, RECORD_DEATHS, 0, 0, 4, LEDGER_DEATHS);
  Record(l, RECORD_DEATHS, 0, 0, 2, LEDGER_DEATHS + 1);
  Record(l, RECORD_DEATHS, 0, 1, 0, 1000); /* a byte has room for 63 */
  GOOD(LedgerGetDeaths(l, 0, 2, &deaths));
  assert_int_equal(deaths, LEDGER_DEATHS + 1);
  GOOD(LedgerGetDeaths(l, 1, 0, &deaths));
  assert_int_equal(deaths, 63);
  assert_string_equal(Pieces(l), "0:0+2 1:0+1!");
  GOOD(LedgerForgetFlights(l));
  Record(l, RECORD_ASSIGN, 1, 0, 0, 2);
  Step(l, 1, 0, 0, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 0), "");
  Step(l, 1, 0, 1, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 1), "2+1!");
  assert_string_equal(Pieces(l), "0:<2+1! 1:0+1!"); /* the same from the file, if this session dies now */
  Step(l, 1, 0, 2, STATUS_CRASHED);
  assert_string_equal(Rest(l, 0, 2), "3+1");
  Step(l, 1, 0, 3, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 3), "4+1!");
  Step(l, 1, 0, 4, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 4), "5+1");
  Record(l, RECORD_ASSIGN, 2, 0, 5, 1);
  assert_string_equal(Rest(l, 0, 4), ""); /* a rank has it already */
  Step(l, 2, 0, 5, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 5), ""); /* a unit ends */
  Step(l, 1, 1, 0, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 1, 0), "1+2");
  Drop(l);
}

/* Only the failed ones, each by itself; what follows them is left as it is, and they count as done meanwhile. */
static void test_failed_cells_again(void **state)
{
  const SteadyStatus first[] = {STATUS_FLOW_FAILED, STATUS_EVENT_LIMIT, STATUS_PERIODIC, STATUS_CRASHED, STATUS_NOT_SETTLED, STATUS_APERIODIC};
  const Ledger       l       = Make();
  const LedgerTally *t;
  PetscInt           n;

  (void)state;
  DoTheRest(l);
  for (PetscInt step = 0; step < 6; step++) Step(l, 0, 0, step, first[step]);
  Step(l, 0, 1, 0, STATUS_EVENT_LIMIT);
  assert_string_equal(Pieces(l), "1:<1+2");
  GOOD(LedgerRetryFailed(l, &n));
  assert_int_equal(n, 4);
  assert_string_equal(Pieces(l), "0:0+1 0:<1+1 0:<3+1! 1:0+1 1:<1+2"); /* what killed its rank runs alone */
  GOOD(LedgerGetTally(l, &t));
  assert_true(t->done == N_CELLS - 2 && t->by_status[STATUS_EVENT_LIMIT] == 2);
  Step(l, 0, 0, 0, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 0), "");
  Step(l, 0, 0, 1, STATUS_EVENT_LIMIT);
  Step(l, 0, 0, 3, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 0, 3), "");
  Record(l, RECORD_DEATHS, 0, 1, 1, LEDGER_DEATHS);
  Step(l, 0, 1, 0, STATUS_PERIODIC);
  assert_string_equal(Rest(l, 1, 0), ""); /* has been given out as a piece of its own */
  assert_string_equal(Pieces(l), "1:<1+1!");
  assert_true(t->done == N_CELLS - 2 && t->by_status[STATUS_EVENT_LIMIT] == 1 && t->by_status[STATUS_CRASHED] == 0);
  Drop(l);
}

static void Timed(Ledger l, PetscInt cell, SteadyStatus status, PetscReal seconds)
{
  PetscInt      unit, step;
  JournalRecord record;

  GridStepOfCell(&grid, cell, &unit, &step);
  record = Encode(0, unit, step, status, seconds);
  GOOD(LedgerRecord(l, &record, &layout, bytes));
}

static void test_tally(void **state)
{
  const Ledger       l = Make();
  const LedgerTally *t;
  PetscInt           sum = 0;

  (void)state;
  GOOD(LedgerGetTally(l, &t));
  for (PetscInt cell = 0; cell < 10; cell++) Timed(l, cell, STATUS_CONTACT_FREE, 1000.0); /* of earlier sessions */
  assert_true(t->done == 10 && t->finished == 0 && t->n_slowest == 0);
  GOOD(LedgerForgetFlights(l));
  Timed(l, 20, STATUS_CRASHED, NAN);
  assert_true(t->n_slowest == 0 && t->recent_slowest == 0.0);
  for (PetscInt cell = 10; cell < 20; cell++) Timed(l, cell, STATUS_PERIODIC, 0.5 + (PetscReal)(cell * 7 % 10)); /* 0.5 .. 9.5 */
  Timed(l, 12, STATUS_PERIODIC, 4.25); /* again: done once */
  assert_true(t->done == 21 && t->finished == 12);
  assert_true(t->by_status[STATUS_PERIODIC] == 10 && t->by_status[STATUS_CONTACT_FREE] == 10 && t->by_status[STATUS_CRASHED] == 1);
  for (int i = 0; i < STATUS_COUNT; i++) sum += t->by_status[i];
  assert_int_equal(sum, N_CELLS);
  assert_int_equal(t->n_slowest, 3);
  assert_true(t->slowest[0].seconds == 9.5 && t->slowest[1].seconds == 8.5 && t->slowest[2].seconds == 7.5 && t->recent_slowest == 9.5);
  assert_true(t->slowest[0].amplitude == 20.0 && t->slowest[0].frequency == 12.0 && t->slowest[0].direction == 1); /* cell 17 */
  Timed(l, N_CELLS - 1, STATUS_PERIODIC, 20.0);
  assert_true(t->slowest[0].direction == -1 && t->slowest[0].frequency == 12.0 && t->slowest[0].amplitude == 30.0 && t->slowest[1].seconds == 9.5);
  /* slow cells of long ago no longer count, those of the last 1000 do */
  for (int i = 0; i < 5000; i++) {
    Timed(l, 30, STATUS_PERIODIC, i == 2500 ? 5.0 : 1.0);
    if (i >= 2500 && i < 3500) assert_true(t->recent_slowest == 5.0);
  }
  assert_true(t->recent_slowest == 1.0 && t->slowest[0].seconds == 20.0);
  Drop(l);
}

/* Records that cannot be: a bug of ours, not a crash. */
static void test_impossible_records(void **state)
{
  const Ledger  l = Make();
  JournalRecord record;

  (void)state;
  GOOD(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
#define REFUSED(...) assert_int_not_equal((int)LedgerRecord(l, &(JournalRecord){__VA_ARGS__}, &layout, bytes), 0)
  REFUSED(.kind = RECORD_ASSIGN, .unit = N_UNITS, .value = 1);
  REFUSED(.kind = RECORD_ASSIGN, .unit = -1, .value = 1);
  REFUSED(.kind = RECORD_ASSIGN, .unit = 0, .step = 5, .value = 2);
  REFUSED(.kind = RECORD_ASSIGN, .unit = 0, .step = 5, .value = -2);
  REFUSED(.kind = RECORD_ASSIGN, .unit = 0, .step = 0, .value = 0);
  REFUSED(.kind = RECORD_ASSIGN, .unit = 0, .step = 0, .value = 1, .rank = -1);
  REFUSED(.kind = RECORD_DEATHS, .unit = 1, .step = 3);
  REFUSED(.kind = 99);
  record = Encode(0, 0, 0, STATUS_PENDING, 1.0);
  assert_int_not_equal((int)LedgerRecord(l, &record, &layout, bytes), 0);
  record = Encode(0, 0, 0, STATUS_PERIODIC, 1.0);
  record.nbytes -= 8;
  assert_int_not_equal((int)LedgerRecord(l, &record, &layout, bytes), 0);
  GOOD(PetscPopErrorHandler());
  assert_string_equal(Flights(l, PETSC_TRUE), "");
  Drop(l);
}

/* Two bytes a cell and a few words a rank, whatever comes. */
static void test_memory_is_bounded(void **state)
{
  PetscLogDouble before, made, after;
  Ledger         l;

  (void)state;
  GOOD(PetscMallocGetCurrentUsage(&before));
  GOOD(LedgerCreate(&(Grid){.n_cells = 1000000}, &l));
  GOOD(PetscMallocGetCurrentUsage(&made));
  assert_true(made - before >= 1.9e6 && made - before < 2e6 + 1024.0); /* it is counted at all, and no more than that */
  GOOD(LedgerDestroy(&l));
  l = Make();
  GOOD(PetscMallocGetCurrentUsage(&made));
  Record(l, RECORD_ASSIGN, 7, 0, 0, 6);
  GOOD(PetscMallocGetCurrentUsage(&after));
  assert_true(after - made < 8 * 512.0 + 1024.0);
  made = after;
  for (int i = 0; i < 20000; i++) {
    const PetscInt unit = 2 * (i % (N_UNITS / 2)); /* all of one unit without its steps: a rank that forgets must not grow */

    Record(l, RECORD_SESSION_BEGIN, 0, 0, 0, i);
    Record(l, RECORD_ASSIGN, i % 8, unit, i % 5, 2);
    if (i % 3) Step(l, i % 8, unit, i % 5, STATUS_PERIODIC);
    Record(l, RECORD_DEATHS, 0, unit, i % 6, i % 4);
  }
  GOOD(PetscMallocGetCurrentUsage(&after));
  assert_true(after == made);
  GOOD(LedgerDestroy(&l));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_at_first_every_unit_is_a_piece),
    cmocka_unit_test(test_runs_of_pending_cells),
    cmocka_unit_test(test_cells_in_work),
    cmocka_unit_test(test_sessions),
    cmocka_unit_test(test_suspects_run_alone),
    cmocka_unit_test(test_failed_cells_again),
    cmocka_unit_test(test_tally),
    cmocka_unit_test(test_impossible_records),
    cmocka_unit_test(test_memory_is_bounded),
  };
  int failed;

  if (setenv("PETSC_OPTIONS", "-malloc_debug", 1)) return 1; /* memory is counted, and overruns are seen */
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("ledger", tests, MakeGrid, NULL);
  return PetscFinalize() ? 1 : failed;
}
