/*
  Sweep store: cells come in any order, twice, in any number, and lie in their slots bit by bit; and what is damaged is found.
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

#include "support/made_up_sweep.h"

/* Cells with (7 cell) % n < n - 2, that is all but two, hold this version; the others are pending. */
static PetscBool IsDone(PetscInt cell, PetscInt n)
{
  return (PetscBool)(n <= 2 || (7 * cell) % n < n - 2);
}

static void ExpectCells(const char *name, const Params *params, int version)
{
  const PetscInt    n     = MadeUpCells(params);
  Complaint         c     = {0};
  SweepStore        store = MadeUpOpen(name, params, PETSC_FALSE);
  const CellLayout *layout;
  PetscReal        *row, *wanted;
  signed char      *status = malloc((size_t)n);
  SweepCheck        check;
  PetscInt          done = 0;

  GOOD(SweepStoreGetLayout(store, &layout));
  row    = malloc((size_t)layout->length * sizeof(*row));
  wanted = malloc((size_t)layout->length * sizeof(*row));
  GOOD(SweepStoreReadStatus(store, status, &c));
  for (PetscInt cell = 0; cell < n; cell++) {
    CellPackStatus(layout, STATUS_PENDING, PETSC_FALSE, wanted);
    if (IsDone(cell, n)) MadeUpRow(layout, cell, version, wanted);
    /* NaN where nothing was ever written, also for contact_period, whose filling in memory is -1 and in the file 0 */
    else
      for (PetscInt i = 0; i < layout->contacts; i++) wanted[layout->offset[CELL_CONTACT_PERIOD] + i] = 0;
    GOOD(SweepStoreReadCell(store, cell, row, &c));
    FINE(c);
    assert_memory_equal(row, wanted, (size_t)layout->length * sizeof(*row));
    assert_int_equal(status[cell], (int)wanted[layout->offset[CELL_STATUS]]);
    done += IsDone(cell, n);
  }
  GOOD(SweepStoreCheck(store, NULL, &check, &c));
  assert_int_equal(check.checked, done);
  assert_int_equal(check.bad, 0);
  assert_int_equal(check.first_bad, -1);
  GOOD(SweepStoreClose(&store, &c));
  FINE(c);
  free(row);
  free(wanted);
  free(status);
}

/* In an order without order, an older version of every third cell before it; two cells are never computed. */
static void FillAll(const char *name, const Params *params)
{
  const PetscInt n     = MadeUpCells(params);
  Complaint      c     = {0};
  SweepStore     store = MadeUpOpen(name, params, PETSC_TRUE);

  for (int version = 0; version < 2; version++)
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt cell = (PetscInt)(((PetscInt64)i * 7919) % n);

      if (IsDone(cell, n) && (version == 1 || cell % 3 == 0)) MadeUpPut(store, params, cell, version, &c);
      if (version == 0 && i == n / 2)
        GOOD(SweepStoreFlush(store, &c)); /* half of the older versions are in the file, the others wait with their newer ones */
    }
  GOOD(SweepStoreClose(&store, &c));
  FINE(c);
}

/* Along either axis, in segments, both directions, of a shard. */
static void test_cells_in_their_slots(void **state)
{
  const char *const along[] = {"frequency", "amplitude"}, *const more[] = {"-sweep_direction both", "-sweep_segment 3", "-shard 2/3"};
  char name[32];

  (void)state;
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) {
      const Params params = MadeUpParams(along[a], "10:60:7", "4:40:11", more[i]);

      (void)snprintf(name, sizeof(name), "slots%d%d.h5", a, i);
      MadeUpMake(name, &params, STATES);
      FillAll(name, &params);
      ExpectCells(name, &params, 1);
    }
}

/*
  More than the 16 MB that may wait, and lines wider than the 4 MB of a block: cells of 40 kB, 300 of them to a line.
*/
static void test_more_than_fits_in_memory(void **state)
{
  const char *const along[] = {"frequency", "amplitude"};

  (void)state;
  for (int a = 0; a < 2; a++) {
    const Params params = MadeUpParams(along[a], a ? "10:60:300" : "10:60:2", a ? "4:40:2" : "4:40:300", "");

    MadeUpMake("large.h5", &params, 5000);
    FillAll("large.h5", &params);
    ExpectCells("large.h5", &params, 1);
    assert_int_equal(unlink(MadeUpFile("large.h5")), 0);
  }
}

/* ---- damage ---- */

static void ExpectBad(const char *name, const Params *params, const PetscBool *cells, PetscInt bad, PetscInt first)
{
  Complaint  c     = {0};
  SweepStore store = MadeUpOpen(name, params, PETSC_FALSE);
  SweepCheck check;

  GOOD(SweepStoreCheck(store, cells, &check, &c));
  GOOD(SweepStoreClose(&store, &c));
  FINE(c);
  assert_int_equal(check.bad, bad);
  assert_int_equal(check.first_bad, first);
}

/* One bit of any variable of a cell, and it is found; but not of the time it took. A cell that seems pending and is not; a status there is
 * not. */
static void test_damage_is_found(void **state)
{
  const Params      params = MadeUpParams("frequency", "10:60:7", "4:40:11", "-sweep_direction both");
  const PetscInt    n = MadeUpCells(&params), cell = 92;
  Complaint         c     = {0};
  PetscBool        *cells = calloc((size_t)n, sizeof(*cells));
  const CellLayout *layout;
  CellLayout        copy;
  SweepStore        sweep;
  Store             store;
  const PetscInt    one[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
  signed char       no_status = STATUS_COUNT, pending = STATUS_PENDING, negative = -3;

  (void)state;
  MadeUpMake("damage.h5", &params, STATES);
  FillAll("damage.h5", &params);
  assert_true(IsDone(cell, n) && cell % 6 > 0 && IsDone(0, n));
  sweep = MadeUpOpen("damage.h5", &params, PETSC_FALSE);
  GOOD(SweepStoreGetLayout(sweep, &layout));
  copy = *layout;
  GOOD(SweepStoreClose(&sweep, &c));
  for (PetscInt v = 0; v <= CELL_VARIABLES; v++) {
    const PetscInt last = v == CELL_VARIABLES ? 0 : copy.width[v] - 1;

    for (PetscInt i = 0; i <= last; i += PetscMax(last, 1)) {
      const PetscBool found = (PetscBool)(v != CELL_WALL_SECONDS);

      MadeUpDamage("damage.h5", &params, cell, v, i);
      ExpectBad("damage.h5", &params, NULL, found, found ? cell : -1);
      MadeUpDamage("damage.h5", &params, cell, v, i);
      ExpectBad("damage.h5", &params, NULL, 0, -1);
    }
  }
  /* only the cells asked for are looked at */
  MadeUpDamage("damage.h5", &params, cell, CELL_PERIOD, 0);
  cells[cell - 1] = cells[3] = PETSC_TRUE;
  ExpectBad("damage.h5", &params, cells, 0, -1);
  cells[cell + 1] = PETSC_TRUE;
  ExpectBad("damage.h5", &params, cells, 0, -1);
  cells[cell] = PETSC_TRUE;
  ExpectBad("damage.h5", &params, cells, 1, cell);
  MadeUpDamage("damage.h5", &params, 5, CELL_STATE, 2);
  ExpectBad("damage.h5", &params, NULL, 2, 5);
  MadeUpDamage("damage.h5", &params, 5, CELL_STATE, 2);
  MadeUpDamage("damage.h5", &params, cell, CELL_PERIOD, 0);

  for (int i = 0; i < 3; i++) {
    const signed char *value = i == 0 ? &pending : i == 1 ? &no_status : &negative;
    PetscReal          row[256];
    int64_t            sum;

    sweep = MadeUpOpen("damage.h5", &params, PETSC_TRUE);
    GOOD(SweepStoreGetStore(sweep, &store));
    GOOD(StoreWrite(store, "/status", zero, one, value, &c));
    GOOD(SweepStoreReadCell(sweep, 0, row, &c));
    sum = (int64_t)CellChecksum(&copy, row); /* right, and of no help */
    GOOD(StoreWrite(store, "/checksum", zero, one, &sum, &c));
    GOOD(SweepStoreClose(&sweep, &c));
    FINE(c);
    ExpectBad("damage.h5", &params, NULL, 1, 0);
  }
  free(cells);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells_in_their_slots),
    cmocka_unit_test(test_more_than_fits_in_memory),
    cmocka_unit_test(test_damage_is_found),
  };
  int failed;

  if (PetscInitializeNoArguments()) return 1;
  failed = cmocka_run_group_tests(tests, MadeUpFolder, MadeUpFolderRemove);
  if (PetscFinalize()) return 1;
  return failed;
}
