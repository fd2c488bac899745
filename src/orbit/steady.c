/*
  steady.c - what is kept of a steady state: the names of its statuses, and its arrays.
*/
#include "graze/strobe.h"

const char *const SteadyStatusNames[STATUS_COUNT] = {"pending", "periodic", "contact_free", "aperiodic", "not_settled", "event_limit", "flow_failed", "crashed", "periodic_unverified"};

/* SteadyCreate - Arrays for the samples and contacts of one cell. */
PetscErrorCode SteadyCreate(const Params *params, Steady *steady)
{
  const PetscInt samples = PetscMax(params->sample_periods, params->max_period);

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(steady, sizeof(*steady)));
  PetscCall(PetscMalloc3(samples, &steady->displacement, samples, &steady->velocity, params->max_contacts, &steady->record.contact));
  steady->record.capacity = params->max_contacts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SteadyDestroy(Steady *steady)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree3(steady->displacement, steady->velocity, steady->record.contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}
