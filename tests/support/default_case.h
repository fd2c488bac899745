/*
  default_case.h - a beam with its flow as the program builds it, for tests. The default parameters are the default case of
  [theory 12]: beta 4800, gamma 0.25, D 0.1, y_s -0.05, 30 cos(13 t) on mode 2, from displacement 1 and velocity 1 of mode 1.
*/
#ifndef GRAZE_TESTS_DEFAULT_CASE_H
#define GRAZE_TESTS_DEFAULT_CASE_H

#include "graze/model.h"

typedef struct {
  Params              params;
  Model               model; /* NULL if made from a spectrum */
  Receptance          receptance;
  const ForcingShape *load;
  ForcingShape        own_load; /* if made from a spectrum */
  Flow                flow;
  PetscInt            M, n;
  PetscReal           period; /* of the forcing set last */
  FlowState           state;  /* room for one state; after CaseCreate the stated initial condition */
} Case;

/* What a user gets who says nothing, with M modes. */
void CaseParams(PetscInt M, Params *params);
/* Spectrum, receptance, load, flow, forcing, initial state. spectrum: one with modes enough that outlives the case, or NULL: its own. */
void CaseCreate(const Params *params, Spectrum spectrum, Case *c);
void CaseSetForcing(Case *c, PetscReal amplitude, PetscReal frequency);
void CaseDestroy(Case *c);
/* A spectrum of at least n modes of the beam of params. */
void CaseSpectrum(const Params *params, PetscInt n, Spectrum *spectrum);

/* `periods` periods from c->state on, with the record if it is not NULL. */
FlowReason CaseRun(Case *c, PetscInt periods, FlowRecord *record);
PetscReal  CaseDistance(const Case *c, const PetscReal *a, const PetscReal *b); /* energy norm of a - b */

void Near(PetscReal value, PetscReal exact, PetscReal tolerance, const char *what);

#endif
