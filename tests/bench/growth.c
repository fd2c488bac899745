/*
  growth.c - how impacts and time grow with the number of modes: rigid impacts (C_R = 1) against the exact flow, on the default case.

  Both find their events by the same search. Both run on their orbit: the exact flow after 40 periods, the restitution flow from the modes
  of that state, after 40 more. Its impacts are many: 4 periods are timed, two rounds of the orbit. Times are medians over repeats that go
  through all cases in turn, so that ratios hold within this run.
*/
#include <math.h>

#include "bench.h"

enum { CUTS = 5, FLOWS = 2, SETTLE = 40, RUN = 4 };

static const PetscInt    cut[CUTS]   = {5, 10, 20, 40, 80};
static const FlowType    type[FLOWS] = {FLOW_EXACT, FLOW_RESTITUTION};
static const char *const name[FLOWS] = {"exact", "restitution"};

/* Slope of the line through (log M, log y) by least squares. */
static PetscReal Exponent_Private(const PetscReal *y)
{
  PetscReal mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;

  for (int i = 0; i < CUTS; ++i) {
    mx += log((double)cut[i]) / CUTS;
    my += log(y[i]) / CUTS;
  }
  for (int i = 0; i < CUTS; ++i) {
    xx += PetscSqr(log((double)cut[i]) - mx);
    xy += (log((double)cut[i]) - mx) * (log(y[i]) - my);
  }
  return xy / xx;
}

/* Flows of one cut, each on its orbit. */
static PetscErrorCode Settle_Private(Model model, const Params *params, Bench *b)
{
  PetscInt M;

  PetscFunctionBeginUser;
  for (int f = 0; f < FLOWS; ++f)
    PetscCall(BenchCreate(model, params, type[f], params->forcing_amplitude, params->forcing_frequency, &b[f]));
  PetscCall(FlowGetSize(b[1].flow, &M)); /* 2M: what the exact flow has besides is its tail */
  for (int f = 0; f < FLOWS; ++f) {
    if (f) PetscCall(PetscArraycpy(b[f].start.x, b[0].start.x, M));
    PetscCall(BenchStart(&b[f]));
    PetscCall(BenchPeriods(&b[f], SETTLE, NULL));
    PetscCall(PetscArraycpy(b[f].start.x, b[f].state.x, b[f].start.n));
    b[f].start.contact = b[f].state.contact;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchGrowth(const Params *params, PetscInt repeats)
{
  static PetscReal seconds[FLOWS][CUTS][REPEATS];
  PetscReal        impacts[FLOWS][CUTS], micro[FLOWS][CUTS];
  Params           elastic = *params;
  Model            model[CUTS];
  Bench            b[CUTS][FLOWS];

  PetscFunctionBeginUser;
  elastic.restitution_coefficient = 1.0;
  elastic.flow_max_events         = 1000000;
  for (int i = 0; i < CUTS; ++i) {
    PetscCall(BenchModel(&elastic, cut[i], &model[i]));
    PetscCall(Settle_Private(model[i], &elastic, b[i]));
  }
  for (PetscInt k = 0; k < repeats; ++k)
    for (int i = 0; i < CUTS; ++i)
      for (int f = 0; f < FLOWS; ++f) {
        PetscCall(BenchStart(&b[i][f]));
        seconds[f][i][k] = Now();
        PetscCall(BenchPeriods(&b[i][f], RUN, NULL));
        seconds[f][i][k] = Now() - seconds[f][i][k];
      }
  printf(",\n  \"growth_with_modes\": {\"restitution_coefficient\": 1, \"cases\": [\n");
  for (int i = 0; i < CUTS; ++i) {
    for (int f = 0; f < FLOWS; ++f) {
      PetscInt count;

      PetscCall(BenchContacts(&b[i][f], RUN, &count));
      impacts[f][i] = (PetscReal)count / RUN;
      micro[f][i]   = Median(repeats, seconds[f][i]) * 1e6 / RUN;
      PetscCall(BenchDestroy(&b[i][f]));
    }
    printf("    {\"modes\": %d, ", (int)cut[i]);
    for (int f = 0; f < FLOWS; ++f)
      printf("\"%s\": {\"contacts_per_period\": %.3f, \"us_per_period\": %.2f}, ", name[f], impacts[f][i], micro[f][i]);
    printf("\"time_ratio\": %.2f}%s\n", micro[1][i] / micro[0][i], i < CUTS - 1 ? "," : "");
    PetscCall(ModelDestroy(&model[i]));
  }
  printf("    ],\n    \"exponents\": {");
  for (int f = 0; f < FLOWS; ++f)
    printf("%s\"%s\": {\"contacts\": %.2f, \"time\": %.2f}", f ? ", " : "", name[f], Exponent_Private(impacts[f]),
           Exponent_Private(micro[f]));
  printf("}}");
  PetscFunctionReturn(PETSC_SUCCESS);
}
