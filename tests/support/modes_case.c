/*
  modes_case.c - a structure given by its modes, with the restitution flow.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <stdlib.h>

#include "support/modes_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

void ModesCreate(const Modes *m, Case *c)
{
  PetscReal r[MODES_MOST];

  *c = (Case){.M = m->M};
  CaseParams(m->M, &c->params);
  c->params.flow                    = FLOW_RESTITUTION;
  c->params.restitution_coefficient = m->restitution;
  c->params.forcing_mean            = m->mean;
  c->params.strobe_phase            = m->phase;
  c->params.stop_position           = m->stop;
  c->params.stop_side               = STOP_BELOW;
  for (PetscInt k = 0; k < m->M; ++k) r[k] = m->tip[k] * m->tip[k];
  GOOD(ReceptanceCreate(PETSC_COMM_SELF, &c->receptance));
  GOOD(ReceptanceSetModes(c->receptance, m->M, m->w, r, m->M));
  GOOD(ReceptanceSetDamping(c->receptance, m->damping));
  c->own_load = (ForcingShape){.M = m->M};
  GOOD(PetscMalloc1(m->M, &c->own_load.modal));
  for (PetscInt k = 0; k < m->M; ++k) c->own_load.modal[k] = m->load[k];
  c->load = &c->own_load;
  GOOD(FlowCreate(PETSC_COMM_SELF, &c->flow));
  GOOD(FlowSetType(c->flow, FLOW_RESTITUTION));
  GOOD(FlowSetReceptance(c->flow, c->receptance));
  GOOD(FlowSetParams(c->flow, &c->params));
  GOOD(FlowGetSize(c->flow, &c->n));
  assert_int_equal(c->n, 2 * m->M);
  CaseSetForcing(c, m->amplitude, m->frequency);
  c->state.n = c->n;
  c->state.x = calloc((size_t)c->n, sizeof(PetscReal));
  assert_non_null(c->state.x);
}

void ModesDestroy(Case *c)
{
  CaseDestroy(c);
}
