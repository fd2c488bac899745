/*
  wave_run.h - a string or rod with the literal flow and its exact kernel, built without a model, and its record.
*/
#ifndef GRAZE_TESTS_WAVE_RUN_H
#define GRAZE_TESTS_WAVE_RUN_H

#include "graze/flow.h"

enum { WAVE_SAMPLES = 4096, WAVE_CONTACTS = 64, WAVE_MODES = 4 };

/* A flow that runs, and its record with room for samples. The receptance is asked for its modes alone. */
typedef struct {
  Params       params;
  Receptance   receptance;
  ForcingShape shape;
  PetscReal    modal[WAVE_MODES];
  Flow         flow;
  FlowState    state;
  FlowRecord   record;
  FlowReason   reason;
  PetscInt     periods;
  PetscReal    time[WAVE_SAMPLES], y1[WAVE_SAMPLES], y2[WAVE_SAMPLES], f[WAVE_SAMPLES];
  Contact      contact[WAVE_CONTACTS];
} WaveRun;

enum { CABANNES = 9 };
extern const PetscReal cabannes_time[CABANNES];

/* Fails with what it is and where, unless value is within tolerance of exact. */
void WaveNear(PetscReal value, PetscReal exact, PetscReal tolerance, const char *what, PetscReal at);
/* Undamped, at rest at 0, far from the stop, no load; period 1, c = 1. */
Params WaveQuiet(BeamEnds ends);
/* Plucked string with a point obstacle (Cabannes): c = 2, u(x,0) = x at rest, stop at 0; and the times at which he gives u. */
Params   WavePlucked(PetscReal period, PetscReal step);
WaveRun *WaveRunCreate(const Params *params);
void     WaveRunDestroy(WaveRun *run);
/* From its state through `periods` periods, and samples at n times. */
void      WaveGo(WaveRun *run, PetscInt periods, PetscInt n, const PetscReal *time);
PetscReal WaveOnset(const WaveRun *run, PetscInt i); /* time of the i-th onset [t0] */
/* Energy of the waves of the state: y and the offset have none. */
PetscReal WaveEnergy(WaveRun *run);

#endif
