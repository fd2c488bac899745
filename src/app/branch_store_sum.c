/*
  branch_store_sum.c - the checksum of each branch in branches.h5, over its rows as the file has them.   (docs/data.md)

  A row counts for the branch that its `point_branch` or `special_branch` names, so that damage shows where it is and nowhere else. The
  same function gives what is stored and what is found.
*/
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "branch_store_impl.h"

typedef struct {
  Store          store;
  PetscInt       n;     /* branches */
  PetscInt       rows;  /* along the dimension that is being summed */
  const int32_t *owner; /* branch of each row, shape [rows]; NULL: row i is branch i */
  uLong         *sum;   /* shape [n] */
} Summing;

static size_t Size_Private(StoreType type)
{
  return type == STORE_REAL || type == STORE_INT64 ? 8 : type == STORE_INT32 ? 4 : 1;
}

/* One variable, row by row. A row that belongs to no branch counts for none: the branch that lacks it shows it. */
static PetscErrorCode Add_Private(Summing *s, const char *name, StoreType type, Complaint *complaint)
{
  PetscInt rank = 0, shape[8] = {0};
  size_t   width = Size_Private(type);
  char     path[80], *bytes;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreGetShape(s->store, path, &rank, shape, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreExpect(s->store, path, type, rank, shape, complaint));
  if (!complaint->exit_code && (rank < 1 || shape[0] != s->rows))
    ComplaintSet(complaint, EXIT_FILES, "%s has not the shape it should have", path);
  for (PetscInt axis = 1; axis < rank; ++axis) width *= (size_t)shape[axis];
  if (complaint->exit_code || !s->rows || !width) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)s->rows * width, &bytes));
  PetscCall(StoreRead(s->store, path, NULL, NULL, bytes, complaint));
  for (PetscInt i = 0; i < s->rows && !complaint->exit_code; ++i) {
    const PetscInt b = s->owner ? s->owner[i] : i;

    if (b >= 0 && b < s->n) s->sum[b] = crc32(s->sum[b], (const Bytef *)bytes + (size_t)i * width, (uInt)width);
  }
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OfBranches_Private(Summing *s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  s->rows = s->n;
  for (int column = 0; column < BRANCH_COLUMNS; ++column)
    PetscCall(Add_Private(s, branch_columns[column].name, branch_columns[column].type, complaint));
  PetscCall(Add_Private(s, "branch_from", STORE_INT32, complaint));
  PetscCall(Add_Private(s, "branch_end", STORE_INT8, complaint));
  PetscCall(Add_Private(s, "branch_why", STORE_CHAR, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OfRows_Private(Summing *s, int kind, const char *owner_name, Complaint *complaint)
{
  const BranchRowKind *k    = &branch_row_kinds[kind];
  PetscInt             rank = 0, shape[8] = {0};
  int32_t             *owner;
  char                 path[80];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", owner_name));
  PetscCall(StoreGetShape(s->store, path, &rank, shape, complaint));
  PetscCall(StoreExpect(s->store, path, STORE_INT32, 1, shape, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  s->rows = shape[0];
  PetscCall(PetscMalloc1(s->rows + 1, &owner));
  if (s->rows) PetscCall(StoreRead(s->store, path, NULL, NULL, owner, complaint));
  s->owner = owner;
  PetscCall(Add_Private(s, owner_name, STORE_INT32, complaint));
  for (PetscInt v = 0; v < k->n; ++v) {
    char name[64];

    PetscCall(PetscSNPrintf(name, sizeof name, "%s%s", k->prefix, k->table[v].name));
    PetscCall(Add_Private(s, name, k->table[v].type, complaint));
  }
  if (kind) PetscCall(Add_Private(s, "special_to", STORE_INT32, complaint));
  s->owner = NULL;
  PetscCall(PetscFree(owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BranchStoreSum - The checksum of each branch, from what the file holds.

  Not collective (root). Output: sum - shape [n]. Complaint: EXIT_FILES
  Cost:    all is read once; memory for one variable
*/
PetscErrorCode BranchStoreSum(Store store, PetscInt n, int64_t *sum, Complaint *complaint)
{
  Summing s = {.store = store, .n = n};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &s.sum));
  for (PetscInt b = 0; b < n; ++b) s.sum[b] = crc32(0L, Z_NULL, 0);
  PetscCall(OfBranches_Private(&s, complaint));
  PetscCall(OfRows_Private(&s, 0, "point_branch", complaint));
  PetscCall(OfRows_Private(&s, 1, "special_branch", complaint));
  for (PetscInt b = 0; b < n; ++b) sum[b] = (int64_t)s.sum[b];
  PetscCall(PetscFree(s.sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BranchStoreCheck - Branches against their checksums.

  Not collective (root). Output: n - branches;  bad - numbers of those that do not match, shape [n_bad], the caller's to PetscFree
  Complaint: EXIT_FILES if the file cannot be read, or is none of branches
  Cost:    as BranchStoreSum
*/
PetscErrorCode BranchStoreCheck(Store store, PetscInt *n, PetscInt *n_bad, PetscInt **bad, Complaint *complaint)
{
  PetscInt rank = 0, shape[8] = {0};
  int64_t *stored, *found;

  PetscFunctionBeginUser;
  *n = *n_bad = 0;
  *bad        = NULL;
  PetscCall(StoreGetShape(store, "/branch_checksum", &rank, shape, complaint));
  PetscCall(StoreExpect(store, "/branch_checksum", STORE_INT64, 1, shape, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  *n = shape[0];
  PetscCall(PetscMalloc2(*n + 1, &stored, *n + 1, &found));
  PetscCall(PetscMalloc1(*n + 1, bad));
  if (*n) PetscCall(StoreRead(store, "/branch_checksum", NULL, NULL, stored, complaint));
  PetscCall(BranchStoreSum(store, *n, found, complaint));
  for (PetscInt b = 0; b < *n && !complaint->exit_code; ++b)
    if (stored[b] != found[b]) (*bad)[(*n_bad)++] = b;
  PetscCall(PetscFree2(stored, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
