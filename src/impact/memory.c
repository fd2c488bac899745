/*
  memory.c - direct summation over the history of the contact force.   [theory 5]

  Only steps in which the force changed are kept, as runs without a gap. Kernel and history are walked in the same direction: the
  kernel counts from short delays to long ones, so the history is stored latest first, at the end of its array, and grows downwards.
*/
#include "memory.h"

#include <math.h>

/* ---- sums of exponentials ----------------------------------------------------------------------------------------- */

PetscErrorCode SeriesCreate(PetscInt n, const double complex *exponents, Series *series)
{
  PetscFunctionBeginUser;
  series->n         = n;
  series->exponents = exponents;
  series->step      = 0.0;
  PetscCall(PetscMalloc4(n, &series->e_re, n, &series->e_im, n, &series->re, n, &series->im));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeriesDestroy(Series *series)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(series->e_re, series->e_im, series->re, series->im));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeriesSetStep(Series *series, PetscReal step)
{
  PetscFunctionBeginUser;
  series->step = step;
  for (PetscInt j = 0; j < series->n; ++j) {
    const double complex e = cexp(series->exponents[j] * step);

    series->e_re[j] = creal(e);
    series->e_im[j] = cimag(e);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Last terms decay first, since exponents come by rising frequency; they are dropped before they are too small for full speed. */
GRAZE_VECTORISED static PetscInt64 Recur_Private(PetscInt n, const PetscReal *restrict e_re, const PetscReal *restrict e_im,
                                                 PetscReal *restrict re, PetscReal *restrict im, PetscInt count, PetscReal *restrict out)
{
  PetscInt64 terms = 0;

  for (PetscInt i = 0; i < count; ++i) {
    PetscReal sum = 0.0;

    while (n > 0 && re[n - 1] * re[n - 1] + im[n - 1] * im[n - 1] < 1e-280) --n;
#pragma omp simd reduction(+ : sum)
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal a = re[j], b = im[j];

      sum += a;
      re[j] = a * e_re[j] - b * e_im[j];
      im[j] = a * e_im[j] + b * e_re[j];
    }
    out[i] = sum;
    terms += n;
  }
  return terms;
}

PetscErrorCode SeriesSum(Series *series, const double complex *amplitude, PetscInt first, PetscInt count, PetscReal *sum, PetscInt64 *terms)
{
  PetscFunctionBeginUser;
  for (PetscInt j = 0; j < series->n; ++j) {
    const double complex term = amplitude[j] * cexp(series->exponents[j] * ((PetscReal)first * series->step));

    series->re[j] = creal(term);
    series->im[j] = cimag(term);
  }
  *terms += Recur_Private(series->n, series->e_re, series->e_im, series->re, series->im, count, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- history ------------------------------------------------------------------------------------------------------ */

PetscErrorCode MemoryReserve(Memory *memory, PetscInt kernel, PetscInt force, PetscInt runs)
{
  PetscFunctionBeginUser;
  if (memory->n_kernel + kernel > memory->kernel_room) {
    PetscReal *grown;

    memory->kernel_room = PetscMax(2 * memory->kernel_room, memory->n_kernel + kernel);
    PetscCall(PetscMalloc1(memory->kernel_room, &grown));
    PetscCall(PetscArraycpy(grown, memory->kernel, memory->n_kernel));
    PetscCall(PetscFree(memory->kernel));
    memory->kernel = grown;
  }
  if (memory->n_force + force > memory->force_room) {
    const PetscInt room = PetscMax(2 * memory->force_room, memory->n_force + force);
    PetscReal     *grown;

    PetscCall(PetscMalloc1(room, &grown));
    if (memory->n_force)
      PetscCall(PetscArraycpy(grown + (room - memory->n_force), memory->force + (memory->force_room - memory->n_force), memory->n_force));
    PetscCall(PetscFree(memory->force));
    memory->force      = grown;
    memory->force_room = room;
  }
  if (memory->n_runs + runs > memory->runs_room) {
    Run *grown;

    memory->runs_room = PetscMax(2 * memory->runs_room, memory->n_runs + runs);
    PetscCall(PetscMalloc1(memory->runs_room, &grown));
    PetscCall(PetscArraycpy(grown, memory->runs, memory->n_runs));
    PetscCall(PetscFree(memory->runs));
    memory->runs = grown;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MemoryDestroy(Memory *memory)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(memory->kernel));
  PetscCall(PetscFree(memory->force));
  PetscCall(PetscFree(memory->runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void MemoryForget(Memory *memory)
{
  memory->n_force = 0;
  memory->n_runs  = 0;
}

void MemoryAdd(Memory *memory, PetscInt step, PetscReal df)
{
  Run *run = memory->n_runs ? &memory->runs[memory->n_runs - 1] : NULL;

  if (run && step == run->first + run->length - 1) {
    memory->force[memory->force_room - memory->n_force] += df;
    return;
  }
  if (!run || step != run->first + run->length) {
    run  = &memory->runs[memory->n_runs++];
    *run = (Run){.first = step, .before = memory->n_force};
  }
  ++run->length;
  ++memory->n_force;
  memory->force[memory->force_room - memory->n_force] = df;
}

GRAZE_VECTORISED static PetscReal Dot_Private(PetscInt n, const PetscReal *restrict a, const PetscReal *restrict b)
{
  PetscReal sum = 0.0;

#pragma omp simd reduction(+ : sum)
  for (PetscInt i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

PetscReal MemorySum(const Memory *memory, PetscInt q)
{
  PetscReal sum = 0.0;

  for (PetscInt r = 0; r < memory->n_runs; ++r) {
    const Run *run = &memory->runs[r];

    sum += Dot_Private(run->length, memory->force + (memory->force_room - run->before - run->length),
                       memory->kernel + (q - (run->first + run->length - 1)));
  }
  return sum;
}
