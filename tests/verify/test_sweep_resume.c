/*
  A line that is cut anywhere and goes on from the encoded row of its last cell, in another Sweep, gives the same bits as one that was never
  cut: nothing but that row is carried on. What is given up in the middle is not sent, and an error inside a cell leaves a record of it.
*/
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/crash.h"
#include "graze/sweep.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { MODES = 20, MOST = 8, ROOM = 8192 };

/* One line of cells, its model, and the encoded rows that arrive. */
typedef struct {
  Params   params;
  Model    model;
  Grid     grid;
  PetscInt n; /* cells of the line */
  /* of a run */
  Sweep    sweep;
  PetscInt nbytes[MOST], arrived; /* by step; how many */
  char     bytes[MOST][ROOM];
  PetscInt stop_in;     /* the cell to be given up, counted from the first of the run; -1: none */
  double   asked, last; /* MPI_Wtime [s]: when a stop was asked for; when the last row arrived */
} Line;

static void LineCreate(const Params *params, Line *line)
{
  Complaint complaint = {0};

  memset(line, 0, sizeof *line);
  line->params  = *params;
  line->stop_in = -1;
  GOOD(GridSetUp(params, &line->grid));
  assert_int_equal(line->grid.n_units, 1);
  line->n = line->grid.line_length;
  assert_in_range(line->n, 2, MOST);
  GOOD(ModelCreate(PETSC_COMM_SELF, &line->model));
  GOOD(ModelSetParams(line->model, params));
  GOOD(ModelSetModes(line->model, params->receptance_modes));
  GOOD(ModelSetUp(line->model, &complaint));
  assert_int_equal(complaint.exit_code, 0);
}

static PetscErrorCode Work(void *ctx, Pool pool, const PoolPiece *piece)
{
  PetscFunctionBeginUser;
  PetscCall(SweepWork(((Line *)ctx)->sweep, pool, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes, Complaint *complaint)
{
  Line *line = (Line *)ctx;

  PetscFunctionBeginUser;
  (void)complaint;
  assert_true(rank == 0 && unit == 0 && step < MOST && nbytes <= ROOM);
  memcpy(line->bytes[step], bytes, (size_t)nbytes);
  line->nbytes[step] = nbytes;
  line->last         = MPI_Wtime();
  line->arrived++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tick(void *ctx, Pool pool, Complaint *complaint)
{
  Line *line = (Line *)ctx;

  PetscFunctionBeginUser;
  (void)complaint;
  /* 30 ms after the cell before: in the middle, and not between two cells, where the pool may look around too */
  if (line->asked == 0.0 && line->arrived == line->stop_in && MPI_Wtime() > line->last + 0.03) {
    PetscCall(PoolStop(pool, 0.0));
    line->asked = MPI_Wtime();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps first .. first + n - 1 by a Sweep of their own, from the row of the step before, if it is given. */
static PoolOutcome Run(Line *line, PetscInt first, PetscInt n, PetscInt nbytes, const void *carry)
{
  const PoolCallbacks callbacks = {.work = Work, .commit = Commit, .tick = Tick};
  const PoolPiece     piece     = {.first = first, .n = n, .nbytes = nbytes, .carry = carry};
  Complaint           complaint = {0};
  PoolOutcome         outcome;
  Pool                pool;

  line->arrived = 0;
  line->asked   = 0.0;
  line->last    = MPI_Wtime();
  GOOD(SweepCreate(PETSC_COMM_SELF, &line->sweep));
  GOOD(SweepSetParams(line->sweep, &line->params));
  GOOD(SweepSetModel(line->sweep, line->model));
  GOOD(PoolCreate(PETSC_COMM_WORLD, &pool));
  GOOD(PoolSetCallbacks(pool, &callbacks, line));
  GOOD(PoolAdd(pool, &piece));
  GOOD(PoolRun(pool, &outcome, &complaint));
  assert_int_equal(complaint.exit_code, 0);
  GOOD(PoolDestroy(&pool));
  GOOD(SweepDestroy(&line->sweep));
  return outcome;
}

/* The layout is that of the sweep; rows decoded from what arrived. shape [n, layout.length] */
static PetscReal *Rows(Line *line, CellLayout *layout)
{
  const CellLayout *of_sweep;
  PetscReal        *rows;
  Sweep             sweep;

  GOOD(SweepCreate(PETSC_COMM_SELF, &sweep));
  GOOD(SweepSetParams(sweep, &line->params));
  GOOD(SweepSetModel(sweep, line->model));
  GOOD(SweepSetUp(sweep));
  GOOD(SweepGetLayout(sweep, &of_sweep));
  *layout = *of_sweep;
  GOOD(SweepDestroy(&sweep));
  assert_true(CellEncodedMax(layout) <= ROOM);
  rows = malloc((size_t)(line->n * layout->length) * sizeof *rows);
  assert_non_null(rows);
  for (PetscInt i = 0; i < line->n; i++) assert_true(CellDecode(layout, (size_t)line->nbytes[i], line->bytes[i], rows + i * layout->length));
  return rows;
}

/* All bits but the time they took. */
static void Same(const CellLayout *layout, const PetscReal *whole, const PetscReal *cut, PetscInt step, PetscInt from)
{
  for (PetscInt v = 0; v < CELL_VARIABLES; v++)
    if (v != CELL_WALL_SECONDS && memcmp(whole + layout->offset[v], cut + layout->offset[v], (size_t)layout->width[v] * sizeof *whole))
      fail_msg("cut before cell %d: cell %d differs in %s", (int)from, (int)step, cell_variables[v].name);
  assert_int_equal(CellChecksum(layout, whole), CellChecksum(layout, cut));
}

/* What the cells of a line came to, so that a test can say what it met. */
typedef struct {
  PetscInt by_status[STATUS_COUNT], in_contact, fresh, checked;
} Met;

/* The line whole, then cut before every cell. */
static Met CutEverywhere(const Params *params)
{
  static Line line;
  Met         met = {0};
  CellLayout  layout;
  PetscReal  *whole, *cut;
  PetscInt    nbytes[MOST];
  char       *bytes = malloc(MOST * ROOM);

  assert_non_null(bytes);
  LineCreate(params, &line);
  assert_int_equal(Run(&line, 0, line.n, 0, NULL), POOL_DONE);
  assert_int_equal(line.arrived, line.n);
  whole = Rows(&line, &layout);
  memcpy(nbytes, line.nbytes, sizeof nbytes);
  memcpy(bytes, line.bytes, MOST * ROOM);
  for (PetscInt from = 1; from < line.n; from++) {
    memset(line.bytes[from], 0, (size_t)(MOST - from) * ROOM);
    assert_int_equal(Run(&line, from, line.n - from, nbytes[from - 1], bytes + (from - 1) * ROOM), POOL_DONE);
    assert_int_equal(line.arrived, line.n - from);
    cut = Rows(&line, &layout);
    for (PetscInt i = from; i < line.n; i++) Same(&layout, whole + i * layout.length, cut + i * layout.length, i, from);
    free(cut);
  }
  for (PetscInt i = 0; i < line.n; i++) {
    const PetscReal *row = whole + i * layout.length;

    assert_true(row[layout.offset[CELL_WALL_SECONDS]] > 0.0);
    met.by_status[(PetscInt)row[layout.offset[CELL_STATUS]]]++;
    met.in_contact += row[layout.offset[CELL_STATE_IN_CONTACT]] != 0.0;
    met.fresh += row[layout.offset[CELL_SEGMENT_START]] != 0.0;
    met.checked += !isnan(row[layout.offset[CELL_CHECK_DEVIATION]]);
  }
  free(whole);
  free(bytes);
  GOOD(ModelDestroy(&line.model));
  return met;
}

static void Few(Params *params)
{
  CaseParams(MODES, params);
  params->sweep_amplitude = (Range){30, 30, 1};
  params->sweep_frequency = (Range){12, 17, 6};
  params->settle_periods  = 20;
  params->sample_periods  = 16;
  params->max_period      = 8;
  params->max_periods     = 400;
  params->max_contacts    = 32;
  params->lyapunov_periods = 80;
  params->literal_step    = 5e-4;
}

/* Periodic and chaotic cells, some of them integrated again by the literal scheme. */
static void sweep_resume_exact_flow(void **state)
{
  Params params;
  Met    met;

  (void)state;
  Few(&params);
  params.sweep_check = 3;
  met                = CutEverywhere(&params);
  assert_true(met.by_status[STATUS_PERIODIC] >= 2 && met.by_status[STATUS_CHAOTIC] >= 1);
  assert_true(met.fresh == 1 && met.checked == 3);
}

/* Down, with the strobe at a phase at which the tip is on the stop. */
static void sweep_resume_state_in_contact(void **state)
{
  Params params;
  Met    met;

  (void)state;
  Few(&params);
  params.sweep_direction = DIRECTION_DOWN;
  params.sweep_frequency = (Range){12, 13, 8};
  params.strobe_phase    = 2.0 * PETSC_PI * 0.36;
  met                    = CutEverywhere(&params);
  assert_true(met.in_contact >= 4);
}

/* One contact a period allowed: most cells fail, and what follows them starts afresh, cut or not. */
static void sweep_resume_after_failed_cells(void **state)
{
  Params params;
  Met    met;

  (void)state;
  Few(&params);
  params.sweep_frequency = (Range){7, 14, 8};
  params.flow_max_events = 1;
  met                    = CutEverywhere(&params);
  assert_true(met.by_status[STATUS_EVENT_LIMIT] >= 2 && met.by_status[STATUS_PERIODIC] >= 1 && met.fresh >= 3 && met.fresh < 8);
}

/* The literal scheme has a memory, which begins anew at each cell; in and out of contact at the strobe. */
static void sweep_resume_literal_flow(void **state)
{
  Params params;
  Met    met;

  (void)state;
  Few(&params);
  params.flow            = FLOW_LITERAL;
  params.sweep_frequency = (Range){12, 13, 8};
  params.strobe_phase    = 2.0 * PETSC_PI * 0.36;
  met                    = CutEverywhere(&params);
  assert_true(met.by_status[STATUS_PERIODIC_UNVERIFIED] >= 1 && met.in_contact >= 1 && met.in_contact < 8);
}

/* A stop in the middle of a cell: at once, and that cell is not sent; the line goes on from the one before it. */
static void sweep_resume_cell_given_up(void **state)
{
  static Line line;
  Params      params;
  CellLayout  layout;
  PetscReal  *whole, *cut;
  double      began;

  (void)state;
  Few(&params);
  params.sweep_frequency = (Range){13, 15, 3};
  params.settle_periods  = 40000; /* about a second a cell, and the pool's root ticks ten times a second */
  params.max_periods     = 42000;
  LineCreate(&params, &line);
  assert_int_equal(Run(&line, 0, 3, 0, NULL), POOL_DONE);
  whole = Rows(&line, &layout);
  memset(line.bytes[1], 0, 2 * ROOM);
  line.stop_in = 1;
  began        = MPI_Wtime();
  assert_int_equal(Run(&line, 0, 3, 0, NULL), POOL_STOPPED);
  assert_true(line.asked > began && line.arrived == 1); /* the cell would have been sent, had it run to its end */
  line.stop_in = -1;
  assert_int_equal(Run(&line, 1, 2, line.nbytes[0], line.bytes[0]), POOL_DONE);
  cut = Rows(&line, &layout);
  for (PetscInt i = 0; i < 3; i++) Same(&layout, whole + i * layout.length, cut + i * layout.length, i, 1);
  free(whole);
  free(cut);
  GOOD(ModelDestroy(&line.model));
}

/* So is a cell that the literal scheme integrates again: two periods of half a second, after a moment for the exact flow. */
static void sweep_resume_check_given_up(void **state)
{
  static Line line;
  Params      params;

  (void)state;
  Few(&params);
  params.sweep_frequency = (Range){13, 14, 2};
  params.sweep_check     = 2;
  params.literal_step    = 2e-6;
  LineCreate(&params, &line);
  line.stop_in = 0;
  assert_int_equal(Run(&line, 0, 2, 0, NULL), POOL_STOPPED);
  assert_int_equal(line.arrived, 0);
  GOOD(ModelDestroy(&line.model));
}

static PetscErrorCode Found(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, int number)
{
  PetscFunctionBeginUser;
  assert_true(rank == 3 && unit == 0 && step == 0 && number == 0);
  ++*(int *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bug inside a cell (here steps too many to count) ends the run, and the next session finds which cell it was. An error outside names none. */
static void sweep_resume_error_leaves_a_record(void **state)
{
  char        folder[] = "/tmp/graze.XXXXXX";
  static Line line;
  Params      params;
  int         n = 0;

  (void)state;
  assert_non_null(mkdtemp(folder));
  Few(&params);
  params.flow         = FLOW_LITERAL;
  params.literal_step = 1e-10;
  LineCreate(&params, &line);
  GOOD(SweepCreate(PETSC_COMM_SELF, &line.sweep));
  GOOD(SweepSetParams(line.sweep, &params));
  GOOD(SweepSetModel(line.sweep, line.model));
  GOOD(CrashInstall(folder, 3));
  GOOD(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  assert_int_not_equal((int)SweepWork(line.sweep, NULL, &(PoolPiece){.n = 1, .nbytes = 5, .carry = "carry"}), 0);
  GOOD(CrashRead(folder, Found, &n));
  assert_int_equal(n, 0);
  assert_int_not_equal((int)SweepWork(line.sweep, NULL, &(PoolPiece){.n = 1}), 0);
  GOOD(PetscPopErrorHandler());
  GOOD(CrashRead(folder, Found, &n));
  assert_int_equal(n, 1);
  CrashWrite(); /* outside of a cell again: no record */
  GOOD(CrashClear(folder));
  CrashWrite();
  GOOD(SweepDestroy(&line.sweep));
  GOOD(ModelDestroy(&line.model));
  assert_int_equal(rmdir(folder), 0); /* empty */
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sweep_resume_exact_flow),
    cmocka_unit_test(sweep_resume_state_in_contact),
    cmocka_unit_test(sweep_resume_after_failed_cells),
    cmocka_unit_test(sweep_resume_literal_flow),
    cmocka_unit_test(sweep_resume_cell_given_up),
    cmocka_unit_test(sweep_resume_check_given_up),
    cmocka_unit_test(sweep_resume_error_leaves_a_record),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("sweep_resume", tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
