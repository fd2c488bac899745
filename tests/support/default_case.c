/*
  default_case.c - build the default case, or one that differs from it, once per test.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "graze/beam.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

void Near(PetscReal value, PetscReal exact, PetscReal tolerance, const char *what)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%s: %.15g should be %.15g within %g, is off by %g", what, value, exact, tolerance, value - exact);
}

static void Silent(const Complaint *complaint)
{
  if (complaint->exit_code) fail_msg("%s", complaint->line);
}

void CaseParams(PetscInt M, Params *params)
{
  Complaint complaint = {0};

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP | COMMAND_TRAJECTORY, 0, NULL, params, &complaint));
  Silent(&complaint);
  params->receptance_modes = M;
}

void CaseSpectrum(const Params *params, PetscInt n, Spectrum *spectrum)
{
  Complaint complaint = {0};

  GOOD(SpectrumCreate(PETSC_COMM_SELF, spectrum));
  GOOD(SpectrumSetParams(*spectrum, params));
  GOOD(SpectrumSetModes(*spectrum, n));
  GOOD(SpectrumSetUp(*spectrum, &complaint));
  Silent(&complaint);
}

/* The parts that a model makes, around a spectrum that several cuts share. */
static void Cut(Case *c, Spectrum spectrum)
{
  PetscInt         n;
  const PetscReal *w, *r;

  GOOD(SpectrumGet(spectrum, &n, &w, &r));
  GOOD(ReceptanceCreate(PETSC_COMM_SELF, &c->receptance));
  GOOD(ReceptanceSetModes(c->receptance, n, w, r, c->params.receptance_modes));
  GOOD(ReceptanceSetContinuum(c->receptance, c->params.damping_ratio, BeamCompliance(&c->params), BeamImpedance(&c->params)));
  GOOD(ReceptanceSetClosure(c->receptance, c->params.receptance_closure));
  GOOD(ReceptanceSetUp(c->receptance));
  GOOD(ForcingShapeCreate(spectrum, c->receptance, NULL, &c->params, &c->own_load));
  GOOD(FlowCreate(PETSC_COMM_SELF, &c->flow));
  GOOD(FlowSetType(c->flow, c->params.flow));
  GOOD(FlowSetReceptance(c->flow, c->receptance));
  GOOD(FlowSetParams(c->flow, &c->params));
  c->load = &c->own_load;
}

void CaseCreate(const Params *params, Spectrum spectrum, Case *c)
{
  Complaint complaint = {0};

  *c = (Case){.params = *params};
  if (spectrum) {
    Cut(c, spectrum);
  } else {
    GOOD(ModelCreate(PETSC_COMM_SELF, &c->model));
    GOOD(ModelSetParams(c->model, params));
    GOOD(ModelSetModes(c->model, params->receptance_modes));
    GOOD(ModelSetUp(c->model, &complaint));
    Silent(&complaint);
    GOOD(ModelGetReceptance(c->model, &c->receptance));
    GOOD(ModelGetLoad(c->model, &c->load));
    GOOD(ModelCreateFlow(c->model, params->flow, &c->flow));
  }
  GOOD(FlowGetSize(c->flow, &c->n));
  GOOD(ReceptanceGetModes(c->receptance, &c->M, NULL, NULL, NULL, NULL));
  CaseSetForcing(c, params->forcing_amplitude, params->forcing_frequency);
  c->state.x = calloc((size_t)c->n, sizeof(PetscReal));
  assert_non_null(c->state.x);
  GOOD(FlowInitialState(c->flow, &c->state));
}

void CaseSetForcing(Case *c, PetscReal amplitude, PetscReal frequency)
{
  GOOD(FlowSetForcing(c->flow, c->load, amplitude, frequency));
  c->period = 2.0 * PETSC_PI / frequency;
}

void CaseDestroy(Case *c)
{
  free(c->state.x);
  GOOD(FlowDestroy(&c->flow));
  if (c->model) {
    GOOD(ModelDestroy(&c->model));
  } else {
    GOOD(ForcingShapeDestroy(&c->own_load));
    GOOD(ReceptanceDestroy(&c->receptance));
  }
}

FlowReason CaseRun(Case *c, PetscInt periods, FlowRecord *record)
{
  FlowReason reason = FLOW_GOOD;

  if (record) GOOD(FlowRecordReset(record));
  GOOD(FlowSetRecord(c->flow, record));
  GOOD(FlowStart(c->flow, &c->state));
  for (PetscInt i = 0; i < periods && !reason; ++i) GOOD(FlowPeriod(c->flow, &c->state, &reason));
  GOOD(FlowSetRecord(c->flow, NULL));
  return reason;
}

PetscReal CaseDistance(const Case *c, const PetscReal *a, const PetscReal *b)
{
  PetscReal *difference = malloc((size_t)c->n * sizeof(*difference)), norm;

  assert_non_null(difference);
  for (PetscInt i = 0; i < c->n; ++i) difference[i] = a[i] - b[i];
  GOOD(FlowNorm(c->flow, difference, &norm));
  free(difference);
  return norm;
}
