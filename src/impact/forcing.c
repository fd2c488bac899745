/*
  forcing.c - a unit load as the M modes and the tail feel it.   [theory 10]

  The part of the load's static tip deflection that the M modes do not carry is given to the tail, as a share of the force that
  a unit tip load would put there: exact for a load at the tip (share 1), quasi-static, as all of the tail's slow motion, elsewhere.
*/
#include "graze/forcing.h"

#include "graze/waves.h"

/*
  ForcingShapeCreate - Project the load that params ask for (-forcing_type, -forcing_mode, -forcing_position).

  Not collective. The spectrum holds the modes in `kept`. For flows without a tail (restitution, waves) none is asked of the receptance.
  Output: shape - modal [M] and the tail's share; free with ForcingShapeDestroy.
*/
PetscErrorCode ForcingShapeCreate(Spectrum spectrum, Receptance receptance, const PetscInt *kept, const Params *params, ForcingShape *shape)
{
  /* psi_j of these loads is projected as 1 in y at the contact point; as a load, like all others, it is positive with u   (17.1) */
  const PetscBool  by_mode = (PetscBool)(params->forcing_type == FORCING_MODE || params->forcing_type == FORCING_SHAPE);
  const PetscReal  side    = by_mode && params->stop_side == STOP_ABOVE ? -1.0 : 1.0;
  PetscInt         n, M;
  const PetscReal *w, *tip;
  ModalLoad        load;
  PetscReal        carried = 0.0;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(spectrum, &n, NULL, NULL));
  PetscCall(ReceptanceGetModes(receptance, &M, &w, NULL, &tip, NULL));
  PetscCheck((kept ? kept[M - 1] + 1 : M) <= n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the receptance keeps %d modes of %d", (int)M, (int)n);
  PetscCall(PetscMalloc1(n, &load.modal));
  PetscCall(SpectrumProject(spectrum, params->forcing_type, params->forcing_mode, params->forcing_position, &load));
  PetscCall(PetscMalloc1(M, &shape->modal));
  shape->M    = M;
  shape->tail = 0.0;
  for (PetscInt k = M - 1; k >= 0; --k) {
    shape->modal[k] = side * load.modal[kept ? kept[k] : k];
    if (w[k] > 0.0) carried += tip[k] * shape->modal[k] / (w[k] * w[k]);
  }
  /* a load through one mode is that mode's own: nothing is left for the tail */
  if (params->forcing_type != FORCING_MODE && params->flow != FLOW_RESTITUTION && !WavesMove(params, params->flow)) {
    const Tail *tail;

    PetscCall(ReceptanceGetTail(receptance, &tail, NULL, NULL));
    if (tail->C0 > 0.0) shape->tail = (side * load.static_tip - carried) / tail->C0;
  }
  PetscCall(PetscFree(load.modal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ForcingShapeDestroy(ForcingShape *shape)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(shape->modal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
