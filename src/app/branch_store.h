/*
  branch_store.h - branches.h5: branches into a file, and out of it again.

  A file has one row per point of any branch, one per special point and one per branch; what the rows hold is declared in the tables of
  branch.h. Branches lie in the order in which they were resolved, a parent before its children. Root only.
*/
#ifndef GRAZE_BRANCH_STORE_H
#define GRAZE_BRANCH_STORE_H

#include "graze/branch.h"

extern const char *const ContinueParameterNames[]; /* by ContinueParameter: "amplitude", "frequency", "stop_position", "damping_ratio" */

/* The value of the start that is continued, or another of the four. */
PetscReal BranchStartGet(const BranchStart *start, ContinueParameter parameter);
void      BranchStartSet(BranchStart *start, ContinueParameter parameter, PetscReal value);

/* Which branch, and which of its special points, branch i leaves from; -1, -1: none. shape of branches: [n] */
void BranchFamilyParent(PetscInt n, const Branch *branches, PetscInt i, PetscInt *parent, PetscInt *special);
/* The branch that leaves special point j of branch i, -1: none of these. */
PetscInt BranchFamilyChild(PetscInt n, const Branch *branches, PetscInt i, PetscInt j);
/*
  (l2 - l1)/(l3 - l2) over the doublings l1, l2 that lead to branch i and the next one l3 on it; NaN where there are not three in a row.
*/
PetscReal BranchFamilyRatio(PetscInt n, const Branch *branches, PetscInt i);

/*
  Dimensions, variables and attributes of the root group, into a file before StoreReady. amplitude_scale: OutputAmplitudeScale.
  branches: shape [n], all with one continued parameter and as many states. Complaint: EXIT_IO
*/
PetscErrorCode BranchStoreWrite(Store store, BeamModel model, const char *amplitude_scale, ContinueParameter parameter, PetscInt n,
                                const Branch *branches, PetscBool complete, Complaint *complaint);
/*
  The branches of a file; non-dimensional, as they were written, but for three things: start.x is the state at the point a branch began at
  (of a branch without points: none, n = 0), start.direction that of the special point it leaves from (none: NULL), and rows have room for
  as many contacts as there are.
  Complaint: EXIT_FILES if it cannot be read or is not such a file. The caller frees with BranchStoreFree.
*/
PetscErrorCode BranchStoreRead(const char *path, PetscInt *n, Branch **branches, Complaint *complaint);
PetscErrorCode BranchStoreFree(PetscInt *n, Branch **branches);
/*
  Which branches do not match their checksums; n: branches in all, bad: shape [n_bad], the caller's to PetscFree. Complaint: EXIT_FILES if
  the file cannot be read or is not such a file.
*/
PetscErrorCode BranchStoreCheck(Store store, PetscInt *n, PetscInt *n_bad, PetscInt **bad, Complaint *complaint);

#endif
