/*
  forcing.c - a unit load as the M modes and the tail feel it.   [theory 10]

  The part of the load's static tip deflection that the M modes do not carry is given to the tail, as a share of the force that
  a unit tip load would put there: exact for a load at the tip (share 1), quasi-static, as all of the tail's slow motion, elsewhere.
*/
#include "graze/forcing.h"

#include <math.h>

/*
  ForcingShapeCreate - Project the load that params ask for (-forcing_type, -forcing_mode, -forcing_position).

  Not collective. spectrum must hold at least the receptance's M modes.
  Output: shape - modal [M] and the tail's share; free with ForcingShapeDestroy.
*/
PetscErrorCode ForcingShapeCreate(Spectrum spectrum, Receptance receptance, const Params *params, ForcingShape *shape)
{
  PetscInt         n, M;
  const PetscReal *w, *tip;
  const Tail      *tail;
  ModalLoad        load;
  PetscReal        carried = 0.0;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(spectrum, &n, NULL, NULL));
  PetscCall(ReceptanceGetModes(receptance, &M, &w, NULL, &tip, NULL));
  PetscCall(ReceptanceGetTail(receptance, &tail, NULL, NULL));
  PetscCheck(M <= n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the receptance keeps %d modes of %d", (int)M, (int)n);
  PetscCall(PetscMalloc1(n, &load.modal));
  PetscCall(SpectrumProject(spectrum, params->forcing_type, params->forcing_mode, params->forcing_position, &load));
  PetscCall(PetscMalloc1(M, &shape->modal));
  shape->M = M;
  for (PetscInt k = M - 1; k >= 0; --k) {
    shape->modal[k] = load.modal[k];
    carried += tip[k] * load.modal[k] / (w[k] * w[k]);
  }
  /* a load through one mode is that mode's own: nothing is left for the tail */
  shape->tail = params->forcing_type == FORCING_MODE ? 0.0 : (load.static_tip - carried) / tail->C0;
  PetscCall(PetscFree(load.modal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ForcingShapeDestroy(ForcingShape *shape)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(shape->modal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
