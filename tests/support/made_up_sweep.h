/*
  made_up_sweep.h - sweeps whose cells are made up, in a folder of their own: for tests of the file alone.
*/
#ifndef GRAZE_MADE_UP_SWEEP_H
#define GRAZE_MADE_UP_SWEEP_H

#include "graze/sweep_store.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define FINE(c)                                  \
  do {                                           \
    if ((c).exit_code) fail_msg("%s", (c).line); \
  } while (0)

enum { STATES = 6 };

/* Set-up and tear-down of a group: the folder. A path in it; the last two stay valid. */
int         MadeUpFolder(void **state);
int         MadeUpFolderRemove(void **state);
const char *MadeUpFile(const char *name);

/* Few samples and contacts; more: one option and its value, or "". */
Params   MadeUpParams(const char *along, const char *amplitude, const char *frequency, const char *more);
PetscInt MadeUpCells(const Params *params);
/* version tells two computations of one cell apart */
void     MadeUpRow(const CellLayout *layout, PetscInt cell, int version, PetscReal *row);
/* The record of a cell, without its row. Returns the cell. */
PetscInt MadeUpStep(const Grid *grid, PetscInt cell, JournalRecord *record);

void       MadeUpMake(const char *name, const Params *params, PetscInt states);
SweepStore MadeUpOpen(const char *name, const Params *params, PetscBool write);
void       MadeUpPut(SweepStore store, const Params *params, PetscInt cell, int version, Complaint *c);
/* Changes one bit of number i of a variable of a cell; v = CELL_VARIABLES: of its checksum */
void       MadeUpDamage(const char *name, const Params *params, PetscInt cell, PetscInt v, PetscInt i);

#endif
