/*
  wave_run.c - see wave_run.h. The receptance is asked for its modes alone.
*/
#include "support/wave_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

const PetscReal cabannes_time[CABANNES] = {0.1, 0.25, 0.4, 0.5, 1.1, 1.25, 1.5, 2.5, 3.0};

#define GOOD(call) assert_int_equal((int)(call), 0)

void WaveNear(PetscReal value, PetscReal exact, PetscReal tolerance, const char *what, PetscReal at)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%s at %g: %.15g should be %.15g within %g, is off by %g", what, at, value, exact, tolerance, value - exact);
}

Params WaveQuiet(BeamEnds ends)
{
  Params    params;
  Complaint complaint = {0};

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_TRAJECTORY, 0, NULL, &params, &complaint));
  params.beam_model           = BEAM_STRING;
  params.beam_ends            = ends;
  params.damping_ratio        = 0.0;
  params.flow                 = FLOW_LITERAL;
  params.literal_step         = 1e-2;
  params.stop_position        = -1e3;
  params.forcing_amplitude    = 0.0;
  params.forcing_frequency    = 2.0 * PETSC_PI;
  params.initial_shape        = INITIAL_LINEAR;
  params.initial_displacement = 0.0;
  params.initial_velocity     = 0.0;
  return params;
}

Params WavePlucked(PetscReal period, PetscReal step)
{
  Params params = WaveQuiet(ENDS_CLAMPED_FREE);

  params.beam_wave_speed      = 2.0;
  params.initial_displacement = 1.0;
  params.stop_position        = 0.0;
  params.forcing_frequency    = 2.0 * PETSC_PI / period;
  params.literal_step         = step;
  return params;
}

WaveRun *WaveRunCreate(const Params *params)
{
  PetscReal w[WAVE_MODES], r[WAVE_MODES];
  WaveRun  *run;

  GOOD(PetscNew(&run));
  run->params = *params;
  for (PetscInt k = 0; k < WAVE_MODES; ++k) {
    w[k] = ((PetscReal)k + (params->beam_ends == ENDS_FREE_FREE ? 0.0 : 0.5)) * PETSC_PI * params->beam_wave_speed;
    r[k] = k || params->beam_ends != ENDS_FREE_FREE ? 2.0 : 1.0;
  }
  GOOD(ReceptanceCreate(PETSC_COMM_SELF, &run->receptance));
  GOOD(ReceptanceSetModes(run->receptance, WAVE_MODES, w, r, WAVE_MODES));
  run->shape = (ForcingShape){.M = WAVE_MODES, .modal = run->modal};
  GOOD(FlowCreate(PETSC_COMM_SELF, &run->flow));
  GOOD(FlowSetType(run->flow, FLOW_LITERAL));
  GOOD(FlowSetReceptance(run->flow, run->receptance));
  GOOD(FlowSetParams(run->flow, params));
  GOOD(FlowSetForcing(run->flow, &run->shape, params->forcing_amplitude, params->forcing_frequency));
  GOOD(FlowGetSize(run->flow, &run->state.n));
  GOOD(PetscMalloc1(run->state.n, &run->state.x));
  run->record = (FlowRecord){.capacity    = WAVE_CONTACTS,
                             .contact     = run->contact,
                             .sample_time = run->time,
                             .sample_y1   = run->y1,
                             .sample_y2   = run->y2,
                             .sample_f    = run->f};
  GOOD(FlowRecordReset(&run->record));
  GOOD(FlowSetRecord(run->flow, &run->record));
  GOOD(FlowInitialState(run->flow, &run->state));
  return run;
}

void WaveRunDestroy(WaveRun *run)
{
  GOOD(FlowDestroy(&run->flow));
  GOOD(ReceptanceDestroy(&run->receptance));
  GOOD(PetscFree(run->state.x));
  GOOD(PetscFree(run));
}

void WaveGo(WaveRun *run, PetscInt periods, PetscInt n, const PetscReal *time)
{
  for (PetscInt i = 0; i < n; ++i) run->time[i] = time[i];
  run->record.n_samples = n;
  GOOD(FlowStart(run->flow, &run->state));
  for (run->periods = 0; run->periods < periods; ++run->periods) {
    GOOD(FlowPeriod(run->flow, &run->state, &run->reason));
    assert_int_equal(run->reason, FLOW_GOOD);
  }
  assert_int_equal((int)run->record.next_sample, (int)n);
}

PetscReal WaveOnset(const WaveRun *run, PetscInt i)
{
  return ((PetscReal)run->contact[i].period + run->contact[i].phase) * 2.0 * PETSC_PI / run->params.forcing_frequency;
}

PetscReal WaveEnergy(WaveRun *run)
{
  const PetscReal *weights;
  PetscReal        sum = 0.0;

  GOOD(FlowGetEnergyWeights(run->flow, &weights));
  for (PetscInt i = 0; i < run->state.n - 2; ++i) sum += 0.5 * PetscSqr(weights[i] * run->state.x[i]);
  return sum;
}
