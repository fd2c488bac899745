/*
  branch_family.c - which branch leaves which, and how fast doublings follow each other.

  A branch knows where it comes from by its path: that of its parent, then the number of the special point on it.
*/
#include <math.h>

#include "branch_store.h"

const char *const ContinueParameterNames[] = {"amplitude", "frequency", "stop_position", "damping_ratio", NULL};

static PetscReal *Value_Private(BranchStart *s, ContinueParameter parameter)
{
  PetscReal *const values[] = {&s->amplitude, &s->frequency, &s->stop, &s->damping};

  return values[parameter];
}

PetscReal BranchStartGet(const BranchStart *start, ContinueParameter parameter)
{
  return *Value_Private((BranchStart *)start, parameter);
}

void BranchStartSet(BranchStart *start, ContinueParameter parameter, PetscReal value)
{
  *Value_Private(start, parameter) = value;
}

/* Is `parent` the branch that `child` leaves from? */
static PetscBool IsParent_Private(const BranchStart *parent, const BranchStart *child)
{
  if (child->depth != parent->depth + 1) return PETSC_FALSE;
  for (PetscInt i = 0; i <= parent->depth; ++i)
    if (parent->path[i] != child->path[i]) return PETSC_FALSE;
  return PETSC_TRUE;
}

void BranchFamilyParent(PetscInt n, const Branch *branches, PetscInt i, PetscInt *parent, PetscInt *special)
{
  const BranchStart *start = &branches[i].start;

  *parent = *special = -1;
  for (PetscInt k = 0; k < n && start->depth > 0; ++k)
    if (IsParent_Private(&branches[k].start, start)) {
      *parent  = k;
      *special = start->path[start->depth];
      return;
    }
}

PetscInt BranchFamilyChild(PetscInt n, const Branch *branches, PetscInt i, PetscInt j)
{
  for (PetscInt k = 0; k < n; ++k)
    if (IsParent_Private(&branches[i].start, &branches[k].start) && branches[k].start.path[branches[k].start.depth] == j) return k;
  return -1;
}

/* The doubling that comes first on the way from where the branch began; -1: none. */
static PetscInt FirstDoubling_Private(const Branch *b)
{
  PetscInt  first = -1;
  PetscReal least = INFINITY;

  for (PetscInt j = 0; j < b->n_special; ++j)
    if (*BranchSpecial(b, j, SPECIAL_TYPE) == SPECIAL_DOUBLING && fabs(*BranchSpecial(b, j, SPECIAL_ARCLENGTH)) < least) {
      first = j;
      least = fabs(*BranchSpecial(b, j, SPECIAL_ARCLENGTH));
    }
  return first;
}

PetscReal BranchFamilyRatio(PetscInt n, const Branch *branches, PetscInt i)
{
  PetscInt  parent, here, grandparent, before;
  PetscInt  next = FirstDoubling_Private(&branches[i]);
  PetscReal l[3];

  BranchFamilyParent(n, branches, i, &parent, &here);
  if (next < 0 || parent < 0 || branches[i].start.origin != ORIGIN_DOUBLING || branches[parent].start.origin != ORIGIN_DOUBLING) return NAN;
  BranchFamilyParent(n, branches, parent, &grandparent, &before);
  if (grandparent < 0 || before >= branches[grandparent].n_special || here >= branches[parent].n_special) return NAN;
  l[0] = *BranchSpecial(&branches[grandparent], before, SPECIAL_PARAMETER);
  l[1] = *BranchSpecial(&branches[parent], here, SPECIAL_PARAMETER);
  l[2] = *BranchSpecial(&branches[i], next, SPECIAL_PARAMETER);
  return (l[1] - l[0]) / (l[2] - l[1]);
}
