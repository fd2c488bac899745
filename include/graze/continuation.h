/*
  continuation.h - follow periodic orbits through one parameter, stable or not, both ways, and find what happens on the way.   [theory 18]

  Pseudo-arclength with Newton (SNES) on the stroboscopic map and its exact derivatives. Special points are located; every point is
  judged with two mode cuts and checked to be a motion of the structure. One object per rank, one branch at a time.
*/
#ifndef GRAZE_CONTINUATION_H
#define GRAZE_CONTINUATION_H

#include "graze/branch.h"
#include "graze/model.h"

typedef struct _p_Continuation *Continuation;

PetscErrorCode ContinuationCreate(MPI_Comm comm, Continuation *continuation);
PetscErrorCode ContinuationSetParams(Continuation continuation, const Params *params); /* non-dimensional, copied */
/* Modes of the cut that branches are computed with; another Model, with fewer modes, serves the estimates. */
PetscErrorCode ContinuationSetModes(Continuation continuation, PetscInt modes);
/* Asked before each orbit is solved for: stop means give the branch up. NULL: never asked. */
PetscErrorCode ContinuationSetPoll(Continuation continuation, PetscErrorCode (*poll)(void *ctx, PetscBool *stop), void *ctx);
/* Models, flows, solvers. Lazy. Complaint: as ModelSetUp. */
PetscErrorCode ContinuationSetUp(Continuation continuation, Complaint *complaint);
PetscErrorCode ContinuationGetModel(Continuation continuation, Model *model); /* borrowed */
PetscErrorCode ContinuationGetSize(Continuation continuation, PetscInt *states);
/* The branch through a start. stopped: the poll said so, and the branch is not to be used. The caller destroys it. */
PetscErrorCode ContinuationRun(Continuation continuation, const BranchStart *start, Branch *branch, PetscBool *stopped);
PetscErrorCode ContinuationDestroy(Continuation *continuation);

#endif
