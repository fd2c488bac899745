/*
  grid.h - cells of a sweep and the lines they form.

  A line runs along one axis at one value of the other, in one direction; cut into segments, each is a unit of work. The cells of
  a unit are integrated one after the other, each from the steady state of the one before.
*/
#ifndef GRAZE_GRID_H
#define GRAZE_GRID_H

#include "graze/params.h"

typedef struct {
  Range      amplitude, frequency; /* non-dimensional */
  SweepAlong along;
  PetscInt   n_directions;
  int        direction[2];         /* 1 up, -1 down */
  PetscInt   line_length, n_lines; /* cells along; lines across (of each direction), of this shard alone */
  PetscInt   all_lines, shard, shards; /* lines of the whole grid; line l here is line shard + l shards there, shard = 0 .. shards - 1 */
  PetscInt   segment;              /* cells of a unit: line_length for whole lines */
  PetscInt   segments;             /* units of a line */
  PetscInt   n_units, n_cells;
} Grid; /* -shard k/N leaves every N-th line: the file of a shard has those alone on its line axis */

/* A run of cells of one line: indices along the line from `first` to `last`, both included; first > last when it runs down. */
typedef struct {
  PetscInt direction; /* index */
  PetscInt line;      /* index across */
  PetscInt first, last, n, step;
} GridUnit;

PetscErrorCode GridSetUp(const Params *params, Grid *grid);
void           GridGetUnit(const Grid *grid, PetscInt unit, GridUnit *u);
/* Values of the two axes as the file has them: a shard's line axis is a part of the range. */
PetscInt  GridAmplitudes(const Grid *grid);
PetscInt  GridFrequencies(const Grid *grid);
PetscReal GridAmplitude(const Grid *grid, PetscInt i);
PetscReal GridFrequency(const Grid *grid, PetscInt j);
/* Flat index (direction, amplitude, frequency) in the file of step `step` of a unit, 0 .. n_cells - 1; and back. */
PetscInt GridCellOfStep(const Grid *grid, PetscInt unit, PetscInt step);
void     GridStepOfCell(const Grid *grid, PetscInt cell, PetscInt *unit, PetscInt *step);
/* Amplitude and frequency, and their indices in the file, of the cell at index `along` of a line. */
void GridGetCell(const Grid *grid, PetscInt line, PetscInt along, PetscInt *i_amplitude, PetscInt *i_frequency, PetscReal *amplitude, PetscReal *frequency);
/* Expected cost of steps first .. first + n - 1 of a unit, in cells of a contact-free orbit. */
PetscReal GridExpectedCost(const Grid *grid, PetscInt unit, PetscInt first, PetscInt n);
/* Is this one of the `wanted` cells, spread evenly over the grid, that are integrated again by the literal scheme? */
PetscBool GridIsChecked(const Grid *grid, PetscInt wanted, PetscInt i_direction, PetscInt i_amplitude, PetscInt i_frequency); /* indices in the file; counted over the whole grid */

#endif
