/*
  steady.c - what is kept of a steady state: its statuses, their names, and its arrays.
*/
#include "graze/strobe.h"

const char *const SteadyStatusNames[STATUS_COUNT] = {"pending",       "periodic",    "contact_free", "aperiodic",           "not_settled",
                                                     "event_limit",   "flow_failed", "crashed",      "periodic_unverified", "chaotic",
                                                     "quasi_periodic"};

/*
  SteadyStatusWith - Chaotic, quasi-periodic, not settled, or what the samples said.

  Growth beside an orbit may be the departure from it, and where the samples have not settled the absence of growth and decay may come of a
  multiplier next to the unit circle: there nothing new is claimed.
*/
SteadyStatus SteadyStatusWith(SteadyStatus status, PetscBool beside_orbit, LyapunovVerdict verdict)
{
  if (verdict == LYAPUNOV_GROWS && !beside_orbit) return STATUS_CHAOTIC;
  if (verdict == LYAPUNOV_DECAYS) return STATUS_NOT_SETTLED;
  if (verdict == LYAPUNOV_NEUTRAL && status == STATUS_APERIODIC) return STATUS_QUASI_PERIODIC;
  return status;
}

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
