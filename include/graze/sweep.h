/*
  sweep.h - steady states over a grid of forcing amplitudes and frequencies: the work of one piece of a line.

  Every rank holds a Sweep and computes pieces; what comes of a cell is its encoded row (cell.h).
*/
#ifndef GRAZE_SWEEP_H
#define GRAZE_SWEEP_H

#include "graze/cell.h"
#include "graze/grid.h"
#include "graze/model.h"
#include "graze/pool.h"

typedef struct _p_Sweep *Sweep;

PetscErrorCode SweepCreate(MPI_Comm comm, Sweep *sweep);               /* PETSC_COMM_SELF: a sweep is one rank's */
PetscErrorCode SweepSetParams(Sweep sweep, const Params *params);      /* non-dimensional, copied */
PetscErrorCode SweepSetModel(Sweep sweep, Model model);                /* set up; borrowed */
PetscErrorCode SweepSetUp(Sweep sweep);
PetscErrorCode SweepDestroy(Sweep *sweep);
PetscErrorCode SweepGetLayout(Sweep sweep, const CellLayout **layout); /* after SweepSetUp */
/*
  PoolCallbacks.work with a Sweep as context: the cells of a piece, each a PoolStep with its encoded row. The carry of a piece is the encoded row of the
  cell before its first; none: that one starts from the stated initial condition.
*/
PetscErrorCode SweepWork(void *sweep, Pool pool, const PoolPiece *piece);

#endif
