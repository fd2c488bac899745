/*
  bench_schedule.h - what the files of graze_schedule share.
*/
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "graze/compat.h"

#define SYNC_SECONDS 3.0 /* between two fsyncs of the journal, as in a sweep */

typedef struct {
  PetscReal  mean, spread, wanted;
  PetscInt   bytes, length, lines, most;
  char       file[PETSC_MAX_PATH_LEN], folder[PETSC_MAX_PATH_LEN];
  PetscBool  json, fsync, from_file;
  PetscReal *seconds; /* of the file, shape [n_seconds] */
  PetscInt   n_seconds;
} Options;

/* Seconds of root. */
typedef struct {
  PetscReal step, piece, sync; /* sync: for each step since the last */
  PetscReal report;
} Costs;

typedef struct {
  PetscInt  ranks;
  PetscReal busy, busy_to_the_end, root, seconds, steps_per_second;
} Result;

PetscErrorCode CellsRead(Options *options);
PetscErrorCode CostsMeasure(const Options *options, Costs *costs);
PetscErrorCode Simulate(const Options *options, const Costs *costs, PetscInt ranks, Result *result);

#endif
