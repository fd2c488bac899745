/*
  bench.h - what the files of graze_bench share: a flow of the default case with a state to start from, and its runs.
*/
#ifndef GRAZE_BENCH_H
#define GRAZE_BENCH_H

#include "graze/model.h"

enum { PERIODS = 40, REPEATS = 101 };

typedef struct {
  Flow      flow;
  FlowState start, state;
} Bench;

PetscReal Now(void);
PetscReal Median(PetscInt n, PetscReal *values);

PetscErrorCode BenchModel(const Params *params, PetscInt M, Model *model);
PetscErrorCode BenchCreate(Model model, const Params *params, FlowType type, PetscReal amplitude, PetscReal frequency, Bench *b);
PetscErrorCode BenchDestroy(Bench *b);
PetscErrorCode BenchStart(Bench *b);
/* displacement: at the strobe that ends each, shape [periods], or NULL */
PetscErrorCode BenchPeriods(Bench *b, PetscInt periods, PetscReal *displacement);
PetscErrorCode BenchContacts(Bench *b, PetscInt periods, PetscInt *count);

/* branches.c */
PetscErrorCode BenchBranches(const Params *params);

/* growth.c */
PetscErrorCode BenchGrowth(const Params *params, PetscInt repeats);

#endif
