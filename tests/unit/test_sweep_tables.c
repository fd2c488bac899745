/*
  Sweep store: the tables of /provenance, what opens and what is refused, and the callbacks of the checkpoint.
*/
#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/provenance.h"
#include "graze/sweep_checkpoint.h"
#include "support/made_up_sweep.h"

/* ---- tables ---- */

static void Session(SweepStore store, PetscInt64 number, PetscBool end, Complaint *c)
{
  SessionBegin  begin = {.ranks = (int32_t)(number % 64) + 1, .start = 1e9 + (double)number};
  SessionEnd    over  = {.reason = SESSION_SIGNAL, .cells = number + 1, .end = 1e9 + 0.5 + (double)number};
  JournalRecord record;

  (void)snprintf(begin.host, sizeof(begin.host), "host%lld", (long long)number);
  (void)snprintf(begin.job, sizeof(begin.job), "%lld_3", (long long)number);
  memset(begin.version, 'v', sizeof(begin.version)); /* too long: cut to what has room with its NUL */
  record = (JournalRecord){.kind = RECORD_SESSION_BEGIN, .value = number, .nbytes = sizeof(begin)};
  GOOD(SweepStoreRecord(store, &record, &begin, c));
  record = (JournalRecord){.kind = RECORD_SESSION_END, .value = number, .nbytes = sizeof(over)};
  if (end) GOOD(SweepStoreRecord(store, &record, &over, c));
}

static void ExpectEnd(SweepStore sweep, const char *wanted)
{
  char      text[64];
  Store     store;
  PetscBool found;

  GOOD(SweepStoreGetStore(sweep, &store));
  GOOD(StoreReadAttributeText(store, PROVENANCE_GROUP, "utc_end", sizeof(text), text, &found));
  assert_string_equal(text, wanted);
}

static void test_sessions(void **state)
{
  const Params        params = MadeUpParams("frequency", "10:60:2", "4:40:3", "");
  Complaint           c      = {0};
  SweepSessions       sessions;
  SessionBegin        begin;
  SessionEnd          end;
  SweepStore          store;
  signed char         deaths[6];
  const JournalRecord died     = {.kind = RECORD_DEATHS, .unit = 1, .step = 2, .value = 3},
                      often    = {.kind = RECORD_DEATHS, .unit = 0, .step = 1, .value = 1000};
  const JournalRecord assigned = {.kind = RECORD_ASSIGN, .unit = 1, .step = 2, .value = 1};

  (void)state;
  MadeUpMake("sessions.h5", &params, STATES);
  store = MadeUpOpen("sessions.h5", &params, PETSC_TRUE);
  GOOD(SweepStoreReadSessions(store, &sessions, &c));
  assert_int_equal(sessions.n, 0);
  ExpectEnd(store, "none: running or killed");
  Session(store, 0, PETSC_TRUE, &c);
  ExpectEnd(store, "2001-09-09T01:46:40Z");
  Session(store, 1, PETSC_FALSE, &c);
  ExpectEnd(store, "none: running or killed");
  Session(store, 1, PETSC_FALSE, &c); /* twice, as after a recovery */
  GOOD(SweepStoreRecord(store, &died, NULL, &c));
  GOOD(SweepStoreRecord(store, &often, NULL, &c));
  GOOD(SweepStoreRecord(store, &assigned, NULL, &c));
  GOOD(SweepStoreClose(&store, &c));
  FINE(c);

  store = MadeUpOpen("sessions.h5", &params, PETSC_TRUE);
  GOOD(SweepStoreReadSessions(store, &sessions, &c));
  FINE(c);
  assert_int_equal(sessions.n, 2);
  assert_int_equal(sessions.cells, 1);
  assert_string_equal(sessions.begin.host, "host1");
  assert_string_equal(sessions.begin.job, "1_3");
  assert_int_equal(strlen(sessions.begin.version), SESSION_TEXT - 1);
  assert_int_equal(sessions.begin.ranks, 2);
  assert_true(sessions.begin.start == 1e9 + 1);
  assert_int_equal(sessions.end.reason, SESSION_RUNNING);
  assert_true(isnan(sessions.end.end));
  GOOD(SweepStoreReadSession(store, 0, &begin, &end, &c));
  assert_string_equal(begin.host, "host0");
  assert_int_equal(end.reason, SESSION_SIGNAL);
  assert_int_equal(end.cells, 1);
  assert_true(end.end == 1e9 + 0.5);
  GOOD(SweepStoreReadDeaths(store, deaths, &c));
  assert_memory_equal(deaths, ((const signed char[]){0, 127, 0, 0, 0, 3}), 6);

  /* the table is full: the last row is that of the last session */
  for (PetscInt64 i = 2; i < SWEEP_SESSIONS + 5; i++) Session(store, i, PETSC_TRUE, &c);
  GOOD(SweepStoreClose(&store, &c));
  store = MadeUpOpen("sessions.h5", &params, PETSC_FALSE);
  GOOD(SweepStoreReadSessions(store, &sessions, &c));
  assert_int_equal(sessions.n, SWEEP_SESSIONS + 5);
  assert_string_equal(sessions.begin.host, "host1028");
  assert_int_equal(sessions.end.cells, 1029);
  GOOD(SweepStoreReadSession(store, SWEEP_SESSIONS - 2, &begin, &end, &c));
  assert_string_equal(begin.host, "host1022");
  GOOD(SweepStoreClose(&store, &c));
  FINE(c);
}

/* ---- what opens ---- */

static void ExpectRefused(const char *name, const Params *params, const char *says)
{
  Complaint  c = {0};
  SweepStore store;

  GOOD(SweepStoreOpen(MadeUpFile(name), params, PETSC_FALSE, &store, &c));
  assert_null(store);
  assert_int_equal(c.exit_code, EXIT_FILES);
  if (!strstr(c.line, says)) fail_msg("'%s' does not say '%s'", c.line, says);
}

static void test_what_is_refused(void **state)
{
  const Params params = MadeUpParams("frequency", "10:60:4", "4:40:5", "-sweep_segment 3"),
               shard  = MadeUpParams("frequency", "10:60:8", "4:40:5", "-shard 1/2");
  Params        other;
  JournalRecord record = {.kind = RECORD_STEP};
  Complaint     none   = {0};
  CellLayout    layout;
  PetscReal     row[256];
  char          bytes[4096] = {0};
  SweepStore    sweep;
  Store         store;
  double        wrong = 12.5;

  (void)state;
  MadeUpMake("whole.h5", &params, STATES);
  ExpectRefused("nowhere.h5", &params, "No such file");
  other = MadeUpParams("frequency", "10:61:4", "4:40:5", "");
  ExpectRefused("whole.h5", &other, "/amplitude[1] is ");
  other = MadeUpParams("frequency", "10:60:4", "4:40:6", "");
  ExpectRefused("whole.h5", &other, "another type or shape");
  other = MadeUpParams("frequency", "10:60:4", "4:40:5",
                       "-sweep_direction down"); /* the same shape; the axis says it to people, the parameters to the program */
  other.max_contacts++;
  ExpectRefused("whole.h5", &other, "/contact_phase has another");
  MadeUpMake("part.h5", &shard, STATES);
  ExpectRefused("part.h5", &params, "/amplitude[1] is ");
  other         = shard;
  other.shard.k = 2;
  ExpectRefused("part.h5", &other, "/amplitude[0] is ");

  /* an axis that was changed in the file; a file of another kind */
  sweep = MadeUpOpen("whole.h5", &params, PETSC_TRUE);
  GOOD(SweepStoreGetStore(sweep, &store));
  GOOD(StoreWrite(store, "/frequency", (const PetscInt[]){2}, (const PetscInt[]){1}, &wrong, &none));
  GOOD(SweepStoreClose(&sweep, &none));
  ExpectRefused("whole.h5", &params, "/frequency[2] is 12.5");
  GOOD(StoreCreate(MadeUpFile("alien.h5"), &store, &none));
  GOOD(StoreReady(store, &none));
  GOOD(StoreClose(&store, &none));
  FINE(none);
  ExpectRefused("alien.h5", &params, "has no /state_index");

  /* records that are not of this sweep: no such unit, no such step (the second unit of a line has two), a row of another layout, a session
   * that is none */
  MadeUpMake("records.h5", &params, STATES);
  sweep = MadeUpOpen("records.h5", &params, PETSC_TRUE);
  CellLayoutSetUp(&params, STATES, &layout);
  MadeUpRow(&layout, 0, 1, row);
  record.nbytes = (PetscInt64)CellEncode(&layout, row, bytes);
  for (int i = 0; i < 8; i++) {
    Complaint c = {0};

    record.unit = i == 0 ? 8 : i == 1 ? -1 : i == 2 ? 1 : 0;
    record.step = i == 2 ? 2 : i == 3 ? -1 : 0;
    record.kind = i == 6 ? RECORD_SESSION_END : RECORD_STEP;
    if (i == 4) record.nbytes--;
    if (i == 5) record.nbytes = (PetscInt64)CellEncodedMax(&layout) + 1;
    if (i == 7) record.nbytes = (PetscInt64)CellEncode(&layout, row, bytes);
    GOOD(SweepStoreRecord(sweep, &record, bytes, &c));
    GOOD(SweepStoreFlush(sweep, &c));
    assert_int_equal(c.exit_code, i == 7 ? 0 : EXIT_FILES); /* the last is good: what was refused is forgotten */
  }
  GOOD(SweepStoreClose(&sweep, &none));
  FINE(none);
}

/* ---- checkpoints ---- */

static void Append(const CheckpointCallbacks *callbacks, SweepCheckpoint ctx, const Params *params, PetscInt first, PetscInt last,
                   Complaint *c)
{
  CellLayout    layout;
  PetscReal     row[256];
  char          bytes[2048];
  JournalRecord record;
  Grid          grid;

  CellLayoutSetUp(params, STATES, &layout);
  assert_in_range(CellEncodedMax(&layout), 1, sizeof(bytes));
  GOOD(GridSetUp(params, &grid));
  for (PetscInt cell = first; cell < last; cell++) {
    MadeUpRow(&layout, MadeUpStep(&grid, cell, &record), 1, row);
    record.nbytes = (PetscInt64)CellEncode(&layout, row, bytes);
    GOOD(callbacks->record(ctx, &record, bytes, c));
  }
}

static int Complete(const char *name)
{
  Complaint c        = {0};
  int8_t    complete = -1;
  Store     store;
  PetscBool found;

  GOOD(StoreOpen(MadeUpFile(name), PETSC_FALSE, &store, &c));
  GOOD(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  GOOD(StoreClose(&store, &c));
  FINE(c);
  return complete;
}

static void test_checkpoint_callbacks(void **state)
{
  const Params        params = MadeUpParams("amplitude", "10:60:4", "4:40:5", "-sweep_direction both");
  const PetscInt      n      = MadeUpCells(&params);
  CheckpointCallbacks callbacks;
  CheckpointMark      mark = {7, 70}, there;
  Complaint           c = {0}, bad = {0}, missing = {0}, set = {EXIT_IO, "the disk is full"};
  SweepCheckpoint     ctx;

  (void)state;
  MadeUpMake("mark.h5", &params, STATES);
  GOOD(SweepCheckpointCreate(&params, &ctx));
  GOOD(SweepCheckpointCallbacks(ctx, &callbacks));
  assert_true(callbacks.replay == NULL && callbacks.begun == NULL);
  GOOD(callbacks.check(ctx, MadeUpFile("mark.h5"), &there, &c));
  assert_int_equal(there.generation, 0);
  assert_int_equal(there.next, 0);

  GOOD(callbacks.begin(ctx, MadeUpFile("mark.h5"), &c));
  Append(&callbacks, ctx, &params, 0, n - 3, &c);
  GOOD(callbacks.end(ctx, &mark, &c));
  FINE(c);
  GOOD(callbacks.check(ctx, MadeUpFile("mark.h5"), &there, &c));
  assert_int_equal(there.generation, 7);
  assert_int_equal(there.next, 70);
  assert_int_equal(Complete("mark.h5"), 0);

  /* the last cells, some of them again: now it is complete */
  mark.generation++;
  GOOD(callbacks.begin(ctx, MadeUpFile("mark.h5"), &c));
  Append(&callbacks, ctx, &params, n - 8, n, &c);
  GOOD(callbacks.end(ctx, &mark, &c));
  FINE(c);
  assert_int_equal(Complete("mark.h5"), 1);

  /* after a complaint: end only closes, and the next begin works */
  GOOD(callbacks.begin(ctx, MadeUpFile("mark.h5"), &c));
  mark.generation = 99;
  GOOD(callbacks.end(ctx, &mark, &set));
  assert_string_equal(set.line, "the disk is full");
  GOOD(callbacks.begin(ctx, MadeUpFile("nowhere.h5"), &missing));
  assert_int_not_equal(missing.exit_code, 0);
  GOOD(callbacks.end(ctx, &mark, &missing));
  GOOD(callbacks.check(ctx, MadeUpFile("mark.h5"), &there, &c));
  FINE(c);
  assert_int_equal(there.generation, 8);

  MadeUpDamage("mark.h5", &params, 11, CELL_MIN_GAP, 0);
  GOOD(callbacks.check(ctx, MadeUpFile("mark.h5"), &there, &bad));
  assert_int_equal(bad.exit_code, EXIT_FILES);
  assert_non_null(strstr(bad.line, "1 of 40 cells do not match their checksums, the first is cell 11"));
  GOOD(SweepCheckpointDestroy(&ctx));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sessions),
    cmocka_unit_test(test_what_is_refused),
    cmocka_unit_test(test_checkpoint_callbacks),
  };
  int failed;

  if (PetscInitializeNoArguments()) return 1;
  failed = cmocka_run_group_tests(tests, MadeUpFolder, MadeUpFolderRemove);
  if (PetscFinalize()) return 1;
  return failed;
}
