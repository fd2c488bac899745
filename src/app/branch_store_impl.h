/*
  branch_store_impl.h - the schema of branches.h5, shared by the file that writes it and the one that reads it.
*/
#ifndef GRAZE_BRANCH_STORE_IMPL_H
#define GRAZE_BRANCH_STORE_IMPL_H

#include <stdint.h>

#include "branch_store.h"

#define BRANCH_WHY_LENGTH ((PetscInt)sizeof(((Branch *)0)->why[0]))

/* Rows of two kinds: 0 points, 1 special points. */
enum { BRANCH_ROW_KINDS = 2 };
typedef struct {
  const char           *prefix, *dimension;
  const BranchVariable *table;
  PetscInt              n;
} BranchRowKind;
extern const BranchRowKind branch_row_kinds[BRANCH_ROW_KINDS];
extern const char *const   branch_axis_names[]; /* by BranchAxis */

PetscInt   BranchRows_Private(const Branch *branch, int kind);
PetscReal *BranchRow_Private(const Branch *branch, int kind, PetscInt i, PetscInt variable);
PetscInt   BranchWidth_Private(const Branch *branch, int kind, PetscInt variable);

/* What there is one number of for each branch. */
enum {
  COLUMN_FIRST_POINT,
  COLUMN_N_POINTS,
  COLUMN_PERIOD,
  COLUMN_ORIGIN,
  COLUMN_START,
  COLUMN_PARENT,
  COLUMN_PARENT_SPECIAL,
  COLUMN_DEPTH,
  COLUMN_AMPLITUDE, /* these four in the order of ContinueParameter */
  COLUMN_FREQUENCY,
  COLUMN_STOP,
  COLUMN_DAMPING,
  COLUMN_PARAMETER,
  COLUMN_BEGAN,
  COLUMN_MODES,
  COLUMN_OTHER_MODES,
  COLUMN_NEWTON_STEPS,
  COLUMN_CORRECTIONS,
  COLUMN_REJECTED,
  COLUMN_CASCADE_RATIO,
  BRANCH_COLUMNS
};
typedef struct {
  const char *name;
  StoreType   type;
  const char *scale, *long_name;
} BranchColumn;
extern const BranchColumn branch_columns[BRANCH_COLUMNS];

/* branch_store_sum.c: the checksum of each branch, from what the file holds; sum: shape [n]. Complaint: EXIT_FILES */
PetscErrorCode BranchStoreSum(Store store, PetscInt n, int64_t *sum, Complaint *complaint);

#endif
