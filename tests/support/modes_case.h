/*
  modes_case.h - a structure given by its modes, with the restitution flow, built without a model: for tests of impacts that have
  exact solutions. All in the coordinate y that points away from the stop, which is below.
*/
#ifndef GRAZE_TESTS_MODES_CASE_H
#define GRAZE_TESTS_MODES_CASE_H

#include "support/default_case.h"

#define MODES_MOST 8

typedef struct {
  PetscInt  M;
  PetscReal w[MODES_MOST], tip[MODES_MOST], damping[MODES_MOST], load[MODES_MOST]; /* load: p_k of F(t) */
  PetscReal mean, amplitude, frequency, phase, stop, restitution;
} Modes;

/* c->state begins at rest with all modes 0. CaseRun, CaseDistance, CaseSetForcing work; ModesDestroy ends it. */
void ModesCreate(const Modes *modes, Case *c);
void ModesDestroy(Case *c);

#endif
