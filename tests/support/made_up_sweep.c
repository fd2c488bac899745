/*
  made_up_sweep.c - sweeps whose cells are made up: every variable has its own numbers, so that none can be taken for another.
*/
#define _DEFAULT_SOURCE

#include "support/made_up_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/provenance.h"

static char folder[64];

const char *MadeUpFile(const char *name)
{
  static char path[2][128];
  static int  turn;

  turn = !turn;
  (void)snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
  return path[turn];
}

int MadeUpFolder(void **state)
{
  (void)state;
  (void)snprintf(folder, sizeof(folder), "/tmp/graze_sweep_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

int MadeUpFolderRemove(void **state)
{
  char command[128];

  (void)state;
  (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

Params MadeUpParams(const char *along, const char *amplitude, const char *frequency, const char *more)
{
  char        words[16][32];
  char       *argv[16];
  int         n      = 0;
  const char *text[] = {"-sweep_along", along, "-sweep_amplitude", amplitude, "-sweep_frequency", frequency, "-sample_periods", "4",
                        "-max_period",  "4",   "-max_contacts",    "5",       "-settle_periods",  "1"};
  Params      params;
  Complaint   c = {0};

  for (; n < 14; n++) (void)snprintf(words[n], sizeof(words[n]), "%s", text[n]);
  if (*more) n += sscanf(more, "%31s %31s", words[n], words[n + 1]) == 2 ? 2 : 0;
  for (int i = 0; i < n; i++) argv[i] = words[i];
  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, n, argv, &params, &c));
  FINE(c);
  return params;
}

/* Every variable of the cell has its own numbers; `version` tells two computations of one cell apart. */
void MadeUpRow(const CellLayout *layout, PetscInt cell, int version, PetscReal *row)
{
  const PetscInt contacts = cell % (layout->contacts + 1), samples = 1 + cell % layout->samples;

  CellPackStatus(layout, (SteadyStatus)(1 + cell % (STATUS_COUNT - 1)), (PetscBool)(cell % 3 == 0), row);
  for (PetscInt v = 0; v < CELL_VARIABLES; v++) {
    const CellAxis axis = cell_variables[v].axis;
    const PetscInt n    = axis == AXIS_CONTACT ? contacts : axis == AXIS_SAMPLE ? samples : layout->width[v];

    if (v == CELL_STATUS || v == CELL_SEGMENT_START) continue;
    for (PetscInt i = 0; i < n; i++) {
      PetscReal *value = &row[layout->offset[v] + i];

      if (cell_variables[v].type == STORE_REAL) *value = 1e-3 * (PetscReal)cell + (PetscReal)v + 1e-7 * (PetscReal)i + 1e-10 * version;
      else *value = (PetscReal)((cell + v + i + version) % 100);
    }
  }
}

PetscInt MadeUpStep(const Grid *grid, PetscInt cell, JournalRecord *record)
{
  PetscInt unit, step;

  GridStepOfCell(grid, cell, &unit, &step);
  *record = (JournalRecord){.kind = RECORD_STEP, .unit = unit, .step = step};
  return cell;
}

void MadeUpPut(SweepStore store, const Params *params, PetscInt cell, int version, Complaint *c)
{
  const CellLayout *layout;
  JournalRecord     record;
  PetscReal        *row;
  char             *bytes;
  Grid              grid;

  GOOD(GridSetUp(params, &grid));
  GOOD(SweepStoreGetLayout(store, &layout));
  row   = malloc((size_t)layout->length * sizeof(*row));
  bytes = malloc(CellEncodedMax(layout));
  MadeUpRow(layout, MadeUpStep(&grid, cell, &record), version, row);
  record.nbytes = (PetscInt64)CellEncode(layout, row, bytes);
  GOOD(SweepStoreRecord(store, &record, bytes, c));
  free(row);
  free(bytes);
}

void MadeUpMake(const char *name, const Params *params, PetscInt states)
{
  Complaint  c = {0};
  SweepStore sweep;
  Store      store;

  GOOD(SweepStoreCreate(MadeUpFile(name), params, states, &sweep, &c));
  GOOD(SweepStoreGetStore(sweep, &store));
  GOOD(ProvenanceWrite(store, "a test", 1, 0, NULL, &c));
  GOOD(StoreReady(store, &c));
  GOOD(SweepStoreClose(&sweep, &c));
  FINE(c);
}

SweepStore MadeUpOpen(const char *name, const Params *params, PetscBool write)
{
  Complaint  c = {0};
  SweepStore sweep;

  GOOD(SweepStoreOpen(MadeUpFile(name), params, write, &sweep, &c));
  FINE(c);
  return sweep;
}

PetscInt MadeUpCells(const Params *params)
{
  Grid grid;

  GOOD(GridSetUp(params, &grid));
  return grid.n_cells;
}

/* Changes one number of a cell in the file; v = CELL_VARIABLES: its checksum. */
void MadeUpDamage(const char *name, const Params *params, PetscInt cell, PetscInt v, PetscInt i)
{
  Complaint         c     = {0};
  SweepStore        sweep = MadeUpOpen(name, params, PETSC_TRUE);
  const CellLayout *layout;
  Store             store;
  Grid              grid;
  char              at[64];
  char              value[8] = {0};
  PetscInt          start[4], count[4] = {1, 1, 1, 1};

  GOOD(GridSetUp(params, &grid));
  GOOD(SweepStoreGetLayout(sweep, &layout));
  GOOD(SweepStoreGetStore(sweep, &store));
  start[0] = cell / (GridAmplitudes(&grid) * GridFrequencies(&grid));
  start[1] = cell / GridFrequencies(&grid) % GridAmplitudes(&grid);
  start[2] = cell % GridFrequencies(&grid);
  start[3] = i;
  (void)snprintf(at, sizeof(at), "/%s", v == CELL_VARIABLES ? "checksum" : cell_variables[v].name);
  GOOD(StoreRead(store, at, start, count, value, &c));
  value[0] ^= 1;
  GOOD(StoreWrite(store, at, start, count, value, &c));
  GOOD(SweepStoreClose(&sweep, &c));
  FINE(c);
}
