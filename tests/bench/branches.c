/*
  branches.c - what a point of a branch costs: the period-2 orbit of the default case followed over the frequency, M = 100.

  Two hundred points in small steps, so that the figure is that of points and not of events; multipliers, their errors by the second cut and
  the margin included. The ratio is that to one forcing period of the flow alone, measured in the same run.
*/
#include <math.h>

#include "bench.h"
#include "graze/continuation.h"

enum { MODES = 100, PERIOD = 2, POINTS = 200 };

/* The orbit of the default case after 200 periods, at a strobe. */
static PetscErrorCode Start_Private(Model model, const Params *params, BranchStart *start, PetscReal *per_period)
{
  enum { SETTLE = 200 };
  Bench b;

  PetscFunctionBeginUser;
  PetscCall(BenchCreate(model, params, FLOW_EXACT, params->forcing_amplitude, params->forcing_frequency, &b));
  PetscCall(BenchStart(&b));
  *per_period = Now();
  PetscCall(BenchPeriods(&b, SETTLE, NULL));
  *per_period = (Now() - *per_period) / SETTLE;
  *start      = (BranchStart){.from      = {-1, -1, -1},
                              .amplitude = params->forcing_amplitude,
                              .frequency = params->forcing_frequency,
                              .stop      = params->stop_position,
                              .damping   = params->damping_ratio,
                              .period    = PERIOD,
                              .n         = b.state.n,
                              .contact   = b.state.contact};
  PetscCall(PetscMalloc1(b.state.n, &start->x));
  PetscCall(PetscArraycpy(start->x, b.state.x, b.state.n));
  PetscCall(BenchDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchBranches(const Params *params)
{
  Params       along     = *params;
  Complaint    complaint = {0};
  Continuation c;
  Model        model;
  BranchStart  start;
  Branch       branch;
  PetscBool    stopped;
  PetscReal    seconds, per_period = 0.0;

  PetscFunctionBeginUser;
  along.continue_parameter  = CONTINUE_FREQUENCY;
  along.continue_min        = 12.0;
  along.continue_max        = 14.5;
  along.continue_max_points = POINTS;
  along.continue_step = along.continue_max_step = 0.012;
  along.continue_min_step                       = NAN;
  PetscCall(ContinuationCreate(PETSC_COMM_SELF, &c));
  PetscCall(ContinuationSetParams(c, &along));
  PetscCall(ContinuationSetModes(c, MODES));
  PetscCall(ContinuationSetUp(c, &complaint));
  PetscCheck(!complaint.exit_code, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s", complaint.line);
  PetscCall(ContinuationGetModel(c, &model));
  PetscCall(Start_Private(model, &along, &start, &per_period));
  seconds = Now();
  PetscCall(ContinuationRun(c, &start, &branch, &stopped));
  seconds = Now() - seconds;
  printf(
    ",\n  \"continue\": {\"modes\": %d, \"other_modes\": %d, \"period\": %d, \"points\": %d, \"special_points\": %d, \"seconds\": %.3f, "
    "\"seconds_per_point\": %.4f,\n    \"newton_steps_per_point\": %.2f, \"orbits_per_point\": %.2f, \"periods_of_flow_per_point\": %.0f}",
    (int)branch.modes, (int)branch.other_modes, PERIOD, (int)branch.n_points, (int)branch.n_special, seconds, seconds / branch.n_points,
    (double)branch.newton_steps / branch.n_points, (double)branch.corrections / branch.n_points, seconds / branch.n_points / per_period);
  PetscCall(BranchDestroy(&branch));
  PetscCall(BranchStartDestroy(&start));
  PetscCall(ContinuationDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
