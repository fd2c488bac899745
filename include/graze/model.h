/*
  model.h - from parameters to flows: spectrum, receptance and load of one beam, built once and shared.   [theory 2, 6, 10]

  Also chooses how many modes the tip trajectory needs, from cuts of the spectrum that lie next to each other.
*/
#ifndef GRAZE_MODEL_H
#define GRAZE_MODEL_H

#include "graze/flow.h"

typedef struct _p_Model *Model;

PetscErrorCode ModelCreate(MPI_Comm comm, Model *model);
PetscErrorCode ModelSetParams(Model model, const Params *params); /* non-dimensional, copied */
/* Overrides -receptance_modes; for a number of modes that another rank has chosen. */
PetscErrorCode ModelSetModes(Model model, PetscInt M);
/* Whether their number is to be chosen: neither given nor settled by the flow (restitution needs it given, waves need none, BEAM_MODES are
   all kept). */
PetscBool      ModelChoosesModes(const Params *params);
/* Spectrum, receptance, load. With modes to be chosen, ModelChooseModes comes first. Lazy. */
PetscErrorCode ModelSetUp(Model model, Complaint *complaint);
/* Another damping ratio: receptance and load anew, the spectrum stays. Flows made before are to be destroyed first. After ModelSetUp. */
PetscErrorCode ModelSetDamping(Model model, PetscReal damping);
PetscErrorCode ModelDestroy(Model *model);

typedef struct {
  PetscInt  modes;    /* chosen, or the largest number tried */
  PetscReal error;    /* estimated relative error of the tip trajectory with them */
  PetscBool met;      /* error <= -receptance_rtol */
} ModesChoice;
/* The smallest number of modes (of a coarse ladder) that meets -receptance_rtol for the trajectory at one pair of forcing parameters. */
PetscErrorCode ModelChooseModes(Model model, PetscReal amplitude, PetscReal frequency, ModesChoice *choice, Complaint *complaint);

/* The M modes kept are those of the spectrum that move the contact point: numbers in the spectrum, from 0, rising. Borrowed; after
 * ModelSetUp. */
PetscErrorCode ModelGetKept(Model model, PetscInt *M, const PetscInt **number);
PetscErrorCode ModelGetParams(Model model, const Params **params); /* borrowed */
PetscErrorCode ModelGetSpectrum(Model model, Spectrum *spectrum);
PetscErrorCode ModelGetReceptance(Model model, Receptance *receptance);
PetscErrorCode ModelGetLoad(Model model, const ForcingShape **load);
/* A flow of this model; the caller destroys it before the model. */
PetscErrorCode ModelCreateFlow(Model model, FlowType type, Flow *flow);

#endif
