/*
  memory.h - the memory of the literal scheme: increments of its kernel, increments of the force, and their sum.   [theory 5]
  Private to src/impact.
*/
#ifndef GRAZE_MEMORY_H
#define GRAZE_MEMORY_H

#include <complex.h>

#include "graze/compat.h"

/* Sums of exponentials on equidistant times, by recurrence. Complex pairs are stored once, im > 0. */
typedef struct {
  PetscInt              n;
  const double complex *exponents; /* borrowed, shape [n] */
  PetscReal             step;
  PetscReal            *e_re, *e_im, *re, *im; /* owned: e^{lambda step}; terms; shape [n] each */
} Series;

PetscErrorCode SeriesCreate(PetscInt n, const double complex *exponents, Series *series);
PetscErrorCode SeriesDestroy(Series *series);
PetscErrorCode SeriesSetStep(Series *series, PetscReal step);
/* sum[i] = Re sum_j amplitude_j e^{lambda_j (first + i) step}, i = 0 .. count-1. Adds to `terms` the number of terms evaluated. */
PetscErrorCode SeriesSum(Series *series, const double complex *amplitude, PetscInt first, PetscInt count, PetscReal *sum,
                         PetscInt64 *terms);

/* A stretch of steps with an increment of force in each. */
typedef struct {
  PetscInt first, length; /* steps */
  PetscInt before;        /* increments kept before it */
} Run;

typedef struct {
  /* kernel: L_{j+1} - L_j, shape [n_kernel] of [kernel_room] */
  PetscInt   n_kernel, kernel_room;
  PetscReal *kernel;
  /* force: increments, the latest first, at the end of [force_room] */
  PetscInt   n_force, force_room;
  PetscReal *force;
  PetscInt   n_runs, runs_room;
  Run       *runs;
} Memory;

/* Room for so many more kernel entries, increments and runs; doubles what there is when it grows. */
PetscErrorCode MemoryReserve(Memory *memory, PetscInt kernel, PetscInt force, PetscInt runs);
PetscErrorCode MemoryDestroy(Memory *memory);
void           MemoryForget(Memory *memory); /* the force; the kernel stays */
/* The force has increased by df at `step`, at or after the last one given. Room must have been reserved. */
void MemoryAdd(Memory *memory, PetscInt step, PetscReal df);
/* sum_i (L_{q-i+1} - L_{q-i}) df_i over all increments so far, all at steps <= q.   (5.1) */
PetscReal MemorySum(const Memory *memory, PetscInt q);

#endif
