/*
  branch_store_read.c - branches out of branches.h5.

  Everything is checked for type and shape before it is read, and numbers that point into the file for where they point: a damaged file
  is a complaint. Points and special points come back to the same bits.
*/
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "branch_store_impl.h"

typedef struct {
  Store             store;
  ContinueParameter parameter;
  PetscInt          n, rows[BRANCH_ROW_KINDS], lengths[BRANCH_AXIS_STATE + 1];
  PetscReal        *column[BRANCH_COLUMNS];  /* [n] each */
  PetscReal        *owner[BRANCH_ROW_KINDS]; /* branch of each row */
} Reading;

static PetscErrorCode Length_Private(Store store, const char *name, PetscInt *n, Complaint *complaint)
{
  PetscInt rank = 0, shape[8] = {0};
  char     path[80];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreGetShape(store, path, &rank, shape, complaint));
  if (!complaint->exit_code && rank != 1) ComplaintSet(complaint, EXIT_FILES, "%s is no axis", path);
  *n = shape[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A whole variable as reals; an integer of -1 stays -1. The caller frees. */
static PetscErrorCode Values_Private(Store store, const char *name, StoreType type, PetscInt rank, const PetscInt *shape,
                                     PetscReal **values, Complaint *complaint)
{
  PetscInt n = 1;
  char     path[80];
  void    *in;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < rank; ++i) n *= shape[i];
  PetscCall(PetscCalloc1((size_t)n + 1, values));
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreExpect(store, path, type, rank, shape, complaint));
  if (n == 0 || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)n, (double **)&in));
  PetscCall(StoreRead(store, path, NULL, NULL, in, complaint));
  for (PetscInt i = 0; i < n; ++i)
    (*values)[i] = type == STORE_REAL    ? (PetscReal)((double *)in)[i]
                   : type == STORE_INT32 ? (PetscReal)((int32_t *)in)[i]
                                         : (PetscReal)((signed char *)in)[i];
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Parameter_Private(Reading *r, Complaint *complaint)
{
  char      name[64];
  PetscBool found;
  int       which = 0;

  PetscFunctionBeginUser;
  PetscCall(StoreReadAttributeText(r->store, "/", "continued_parameter", sizeof name, name, &found));
  while (found && ContinueParameterNames[which] && strcmp(ContinueParameterNames[which], name)) which++;
  if (!found) ComplaintSet(complaint, EXIT_FILES, "it holds no branches (attribute continued_parameter)");
  else if (!ContinueParameterNames[which]) ComplaintSet(complaint, EXIT_FILES, "it does not say which parameter is continued");
  r->parameter = (ContinueParameter)which;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tables_Private(Reading *r, Complaint *complaint)
{
  static const char *const owners[] = {"point_branch", "special_branch"};

  PetscFunctionBeginUser;
  PetscCall(Length_Private(r->store, "branch", &r->n, complaint));
  for (int axis = BRANCH_AXIS_STROBE; axis <= BRANCH_AXIS_STATE; ++axis)
    PetscCall(Length_Private(r->store, branch_axis_names[axis], &r->lengths[axis], complaint));
  r->lengths[BRANCH_AXIS_NONE] = 1;
  for (int column = 0; column < BRANCH_COLUMNS; ++column)
    PetscCall(Values_Private(r->store, branch_columns[column].name, branch_columns[column].type, 1, &r->n, &r->column[column], complaint));
  for (int kind = 0; kind < BRANCH_ROW_KINDS; ++kind) {
    PetscCall(Length_Private(r->store, branch_row_kinds[kind].dimension, &r->rows[kind], complaint));
    PetscCall(Values_Private(r->store, owners[kind], STORE_INT32, 1, &r->rows[kind], &r->owner[kind], complaint));
  }
  if (!complaint->exit_code && r->lengths[BRANCH_AXIS_MULTIPLIER] != ORBIT_MULTIPLIERS)
    ComplaintSet(complaint, EXIT_FILES, "/multiplier has %d entries, not %d", (int)r->lengths[BRANCH_AXIS_MULTIPLIER], ORBIT_MULTIPLIERS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsWithin_Private(PetscReal value, PetscReal low, PetscReal high)
{
  return value >= low && value <= high ? PETSC_TRUE : PETSC_FALSE;
}

/* One branch without its rows, and room for them. */
static PetscErrorCode Begin_Private(const Reading *r, PetscInt b, Branch *branch, Complaint *complaint)
{
  PetscReal *const *column = r->column;
  BranchStart       start  = {.from = {-1, -1, -1}};
  BranchLayout      layout;

  PetscFunctionBeginUser;
  if (!(IsWithin_Private(column[COLUMN_PERIOD][b], 1, r->lengths[BRANCH_AXIS_STROBE]) &&
        IsWithin_Private(column[COLUMN_ORIGIN][b], 0, ORIGIN_COUNT - 1) && IsWithin_Private(column[COLUMN_DEPTH][b], 0, BRANCH_DEPTH_MAX) &&
        IsWithin_Private(column[COLUMN_PARENT][b], -1, (PetscReal)b - 1) &&
        IsWithin_Private(column[COLUMN_PARENT_SPECIAL][b], -1, (PetscReal)r->rows[1] - 1))) {
    ComplaintSet(complaint, EXIT_FILES, "branch %d has numbers that cannot be", (int)b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  BranchLayoutSetUp((PetscInt)column[COLUMN_PERIOD][b], r->lengths[BRANCH_AXIS_CONTACT], r->lengths[BRANCH_AXIS_STATE], &layout);
  start.origin  = (BranchOrigin)column[COLUMN_ORIGIN][b];
  start.period  = layout.period;
  start.depth   = (PetscInt)column[COLUMN_DEPTH][b];
  start.path[0] = (PetscInt)column[COLUMN_START][b];
  for (int k = 0; k < 4; ++k) BranchStartSet(&start, (ContinueParameter)k, column[COLUMN_AMPLITUDE + k][b]);
  BranchStartSet(&start, r->parameter, column[COLUMN_PARAMETER][b]);
  PetscCall(BranchCreate(&start, &layout, branch));
  branch->parameter    = r->parameter;
  branch->began        = (PetscInt)column[COLUMN_BEGAN][b];
  branch->modes        = (PetscInt)column[COLUMN_MODES][b];
  branch->other_modes  = (PetscInt)column[COLUMN_OTHER_MODES][b];
  branch->newton_steps = (PetscInt)column[COLUMN_NEWTON_STEPS][b];
  branch->corrections  = (PetscInt)column[COLUMN_CORRECTIONS][b];
  branch->rejected     = (PetscInt)column[COLUMN_REJECTED][b];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -1 is what the file has for nothing; of these two it is a value. */
static PetscBool MayBeMinusOne_Private(int kind, PetscInt v)
{
  return kind ? (PetscBool)(v == SPECIAL_POINT) : (PetscBool)(v == POINT_STABILITY);
}

static PetscErrorCode Rows_Private(const Reading *r, int kind, Branch *branches, Complaint *complaint)
{
  const BranchRowKind *k = &branch_row_kinds[kind];

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < r->rows[kind] && !complaint->exit_code; ++i) {
    PetscReal *row, owner = r->owner[kind][i];

    if (!IsWithin_Private(owner, i ? r->owner[kind][i - 1] : 0, (PetscReal)r->n - 1))
      ComplaintSet(complaint, EXIT_FILES, "%s %d belongs to no branch, or is out of order", k->dimension, (int)i);
    else if (kind) PetscCall(BranchAddSpecial(&branches[(PetscInt)owner], &row));
    else PetscCall(BranchAddPoint(&branches[(PetscInt)owner], &row));
  }
  for (PetscInt v = 0; v < k->n && !complaint->exit_code; ++v) {
    const BranchVariable *variable = &k->table[v];
    const PetscInt        width = r->lengths[variable->axis], shape[2] = {r->rows[kind], width};
    PetscReal            *values, *from;
    char                  name[64];

    PetscCall(PetscSNPrintf(name, sizeof name, "%s%s", k->prefix, variable->name));
    PetscCall(Values_Private(r->store, name, variable->type, variable->axis == BRANCH_AXIS_NONE ? 1 : 2, shape, &values, complaint));
    from = values;
    for (PetscInt b = 0; b < r->n && !complaint->exit_code; ++b)
      for (PetscInt i = 0; i < BranchRows_Private(&branches[b], kind); ++i, from += width) {
        PetscReal *row = BranchRow_Private(&branches[b], kind, i, v);

        for (PetscInt j = 0; j < BranchWidth_Private(&branches[b], kind, v); ++j)
          row[j] = variable->type != STORE_REAL && from[j] == -1.0 && !MayBeMinusOne_Private(kind, v) ? (PetscReal)NAN : from[j];
      }
    PetscCall(PetscFree(values));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ends_Private(const Reading *r, Branch *branches, Complaint *complaint)
{
  const PetscInt end_shape[] = {r->n, 2}, from_shape[] = {r->n, 3}, why_shape[] = {r->n, 2, BRANCH_WHY_LENGTH};
  PetscReal     *end, *from;
  char          *why;

  PetscFunctionBeginUser;
  PetscCall(Values_Private(r->store, "branch_end", STORE_INT8, 2, end_shape, &end, complaint));
  PetscCall(Values_Private(r->store, "branch_from", STORE_INT32, 2, from_shape, &from, complaint));
  PetscCall(PetscCalloc1((size_t)r->n * 2 * BRANCH_WHY_LENGTH + 1, &why));
  PetscCall(StoreExpect(r->store, "/branch_why", STORE_CHAR, 3, why_shape, complaint));
  if (r->n > 0) PetscCall(StoreRead(r->store, "/branch_why", NULL, NULL, why, complaint));
  for (PetscInt b = 0; b < r->n && !complaint->exit_code; ++b) {
    for (int k = 0; k < 3; ++k) branches[b].start.from[k] = (PetscInt)from[3 * b + k];
    for (int k = 0; k < 2; ++k) {
      if (!IsWithin_Private(end[2 * b + k], 0, END_COUNT - 1))
        ComplaintSet(complaint, EXIT_FILES, "branch %d ends in no known way", (int)b);
      branches[b].end[k] = (BranchEnd)end[2 * b + k];
      memcpy(branches[b].why[k], why + ((size_t)b * 2 + (size_t)k) * (size_t)BRANCH_WHY_LENGTH, (size_t)BRANCH_WHY_LENGTH - 1);
    }
  }
  PetscCall(PetscFree(end));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a start has besides: its path by that of its parent, its state by the rows. */
static PetscErrorCode Start_Private(const Reading *r, const PetscInt *first_special, PetscInt b, Branch *branches, Complaint *complaint)
{
  BranchStart   *start  = &branches[b].start;
  const PetscInt parent = (PetscInt)r->column[COLUMN_PARENT][b], n = branches[b].layout.states;

  PetscFunctionBeginUser;
  if (branches[b].n_points) {
    if (!IsWithin_Private((PetscReal)branches[b].began, 0, (PetscReal)branches[b].n_points - 1)) {
      ComplaintSet(complaint, EXIT_FILES, "branch %d begins at no point of its own", (int)b);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    start->n       = n;
    start->contact = (PetscBool)(*BranchPoint(&branches[b], branches[b].began, POINT_STATE_IN_CONTACT) == 1.0);
    PetscCall(PetscFree(start->x));
    PetscCall(PetscMalloc1(n, &start->x));
    PetscCall(PetscArraycpy(start->x, BranchPoint(&branches[b], branches[b].began, POINT_STATE), n));
  }
  if (parent < 0) PetscFunctionReturn(PETSC_SUCCESS);
  {
    const PetscInt special = (PetscInt)r->column[COLUMN_PARENT_SPECIAL][b] - first_special[parent];

    if (start->depth != branches[parent].start.depth + 1 || special < 0 || special >= branches[parent].n_special) {
      ComplaintSet(complaint, EXIT_FILES, "branch %d leaves from no point of its parent", (int)b);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    for (PetscInt i = 0; i < start->depth; ++i) start->path[i] = branches[parent].start.path[i];
    start->path[start->depth] = special;
    if (start->n) {
      PetscCall(PetscMalloc1(n, &start->direction));
      PetscCall(PetscArraycpy(start->direction, BranchSpecial(&branches[parent], special, SPECIAL_DIRECTION), n));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Branches_Private(Reading *r, Branch *branches, Complaint *complaint)
{
  PetscInt *first_special;

  PetscFunctionBeginUser;
  for (PetscInt b = 0; b < r->n && !complaint->exit_code; ++b) PetscCall(Begin_Private(r, b, &branches[b], complaint));
  for (int kind = 0; kind < BRANCH_ROW_KINDS && !complaint->exit_code; ++kind) PetscCall(Rows_Private(r, kind, branches, complaint));
  if (!complaint->exit_code) PetscCall(Ends_Private(r, branches, complaint));
  PetscCall(PetscCalloc1(r->n + 1, &first_special));
  for (PetscInt b = 0; b < r->n && !complaint->exit_code; ++b) {
    first_special[b + 1] = first_special[b] + branches[b].n_special;
    PetscCall(Start_Private(r, first_special, b, branches, complaint));
  }
  PetscCall(PetscFree(first_special));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchStoreFree(PetscInt *n, Branch **branches)
{
  PetscFunctionBeginUser;
  for (PetscInt b = 0; b < *n; ++b) PetscCall(BranchDestroy(&(*branches)[b]));
  PetscCall(PetscFree(*branches));
  *n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BranchStoreRead - The branches of a file.

  Not collective (root). Input: path. Output: branches - shape [n], the caller's to free; none after a complaint
  Complaint: EXIT_FILES. Cost: all is read once
*/
PetscErrorCode BranchStoreRead(const char *path, PetscInt *n, Branch **branches, Complaint *complaint)
{
  Complaint here = {0};
  Reading   r    = {0};

  PetscFunctionBeginUser;
  *n        = 0;
  *branches = NULL;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpen(path, PETSC_FALSE, &r.store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Parameter_Private(&r, &here));
  if (!here.exit_code) PetscCall(Tables_Private(&r, &here));
  if (!here.exit_code) {
    *n = r.n;
    PetscCall(PetscCalloc1(r.n + 1, branches));
    PetscCall(Branches_Private(&r, *branches, &here));
    if (here.exit_code) PetscCall(BranchStoreFree(n, branches));
  }
  for (int column = 0; column < BRANCH_COLUMNS; ++column) PetscCall(PetscFree(r.column[column]));
  for (int kind = 0; kind < BRANCH_ROW_KINDS; ++kind) PetscCall(PetscFree(r.owner[kind]));
  PetscCall(StoreClose(&r.store, complaint));
  if (here.exit_code)
    ComplaintSet(complaint, EXIT_FILES, "%.400s%s%.500s", strstr(here.line, path) ? "" : path, strstr(here.line, path) ? "" : ": ",
                 here.line);
  PetscFunctionReturn(PETSC_SUCCESS);
}
