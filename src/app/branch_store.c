/*
  branch_store.c - branches.h5: its dimensions and variables, written in one go.   (docs/data.md)

  Variables of points and special points follow from the tables of branch.h, those of branches stand here. Where a row has nothing, or
  another branch has a longer axis, reals hold NaN and integers -1. Nothing here depends on the number of ranks.
*/
#include "branch_store.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "branch_store_impl.h"
#include "graze/units.h"
#include "output.h"

typedef struct {
  Store             store;
  BeamModel         model;
  const char       *parameter_scale; /* "": a number without unit */
  ContinueParameter parameter;
  PetscInt          n;
  const Branch     *branches; /* [n] */
  PetscInt          rows[BRANCH_ROW_KINDS], lengths[BRANCH_AXIS_STATE + 1];
} Writing;

const BranchRowKind branch_row_kinds[BRANCH_ROW_KINDS] = {{"", "point", point_variables, POINT_VARIABLES},
                                                          {"special_", "special", special_variables, SPECIAL_VARIABLES}};
const char *const   branch_axis_names[]                = {[BRANCH_AXIS_NONE]       = NULL,
                                                          [BRANCH_AXIS_STROBE]     = "strobe",
                                                          [BRANCH_AXIS_CONTACT]    = "contact",
                                                          [BRANCH_AXIS_MULTIPLIER] = "multiplier",
                                                          [BRANCH_AXIS_STATE]      = "state_index"};

PetscInt BranchRows_Private(const Branch *b, int kind)
{
  return kind ? b->n_special : b->n_points;
}

PetscReal *BranchRow_Private(const Branch *b, int kind, PetscInt i, PetscInt variable)
{
  return kind ? BranchSpecial(b, i, (SpecialVariable)variable) : BranchPoint(b, i, (PointVariable)variable);
}

PetscInt BranchWidth_Private(const Branch *b, int kind, PetscInt variable)
{
  return kind ? b->layout.special_width[variable] : b->layout.point_width[variable];
}

/* ---- a variable ---- */

static PetscErrorCode Define_Private(const Writing *w, const char *name, StoreType type, PetscInt rank, const char *const *dims,
                                     const char *scale, const char *long_name, Complaint *complaint)
{
  char path[80];

  PetscFunctionBeginUser;
  PetscCall(StoreDefineVariable(w->store, "/", name, type, rank, dims, complaint));
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreAttributeText(w->store, path, "long_name", long_name, complaint));
  if (type != STORE_CHAR) PetscCall(StoreAttributeText(w->store, path, "units", "1", complaint));
  if (scale && !strcmp(scale, "parameter")) scale = w->parameter_scale;
  if (scale && *scale) PetscCall(StoreAttributeText(w->store, path, "scale", UnitsScale(w->model, scale), complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reals into the type of the file; NaN becomes -1 in an integer. values: shape [n]; room for as many bytes as reals take. */
static void Convert_Private(StoreType type, PetscInt n, const PetscReal *values, void *out)
{
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal value = PetscIsNanReal(values[i]) && type != STORE_REAL ? -1.0 : values[i];

    if (type == STORE_REAL) ((double *)out)[i] = (double)value;
    else if (type == STORE_INT32) ((int32_t *)out)[i] = (int32_t)value;
    else ((signed char *)out)[i] = (signed char)value;
  }
}

static PetscErrorCode Fill_Private(const Writing *w, const char *name, StoreType type, PetscInt n, const PetscReal *values,
                                   Complaint *complaint)
{
  char  path[80];
  void *out;

  PetscFunctionBeginUser;
  if (n == 0 || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(PetscMalloc((size_t)n * sizeof(PetscReal), &out));
  Convert_Private(type, n, values, out);
  PetscCall(StoreWrite(w->store, path, NULL, NULL, out, complaint));
  PetscCall(PetscFree(out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flags_Private(const Writing *w, const char *path, int first, int n, const char *const *names, Complaint *complaint)
{
  char meanings[512] = "";
  char values[16];

  PetscFunctionBeginUser;
  for (int i = 0; i < n; ++i) {
    values[i] = (char)(first + i);
    if (i) PetscCall(PetscStrlcat(meanings, " ", sizeof meanings));
    PetscCall(PetscStrlcat(meanings, names[i], sizeof meanings));
  }
  PetscCall(StoreAttributeNumbers(w->store, path, "flag_values", STORE_INT8, n, values, complaint));
  PetscCall(StoreAttributeText(w->store, path, "flag_meanings", meanings, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- dimensions ---- */

static PetscErrorCode Dimension_Private(const Writing *w, const char *name, PetscInt n, const char *long_name, Complaint *complaint)
{
  int32_t *numbers;
  char     path[80];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &numbers));
  for (PetscInt i = 0; i < n; ++i) numbers[i] = (int32_t)i;
  PetscCall(StoreDefineDimension(w->store, "/", name, STORE_INT32, n, numbers, complaint));
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreAttributeText(w->store, path, "long_name", long_name, complaint));
  PetscCall(StoreAttributeText(w->store, path, "units", "1", complaint));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Most contacts that any orbit of the branch has; its rows have room for more. */
static PetscInt Contacts_Private(const Branch *b)
{
  PetscReal most = 0;

  for (PetscInt i = 0; i < b->n_points; ++i) most = PetscMax(most, *BranchPoint(b, i, POINT_N_CONTACTS));
  return (PetscInt)PetscMin(most, (PetscReal)b->layout.contacts);
}

static PetscErrorCode Dimensions_Private(Writing *w, Complaint *complaint)
{
  PetscFunctionBeginUser;
  for (int axis = 0; axis <= BRANCH_AXIS_STATE; ++axis) w->lengths[axis] = 1;
  w->lengths[BRANCH_AXIS_MULTIPLIER] = ORBIT_MULTIPLIERS;
  for (PetscInt b = 0; b < w->n; ++b) {
    const BranchLayout *l = &w->branches[b].layout;

    w->lengths[BRANCH_AXIS_STROBE]  = PetscMax(w->lengths[BRANCH_AXIS_STROBE], l->period);
    w->lengths[BRANCH_AXIS_CONTACT] = PetscMax(w->lengths[BRANCH_AXIS_CONTACT], Contacts_Private(&w->branches[b]));
    w->lengths[BRANCH_AXIS_STATE]   = PetscMax(w->lengths[BRANCH_AXIS_STATE], l->states);
    for (int kind = 0; kind < BRANCH_ROW_KINDS; ++kind) w->rows[kind] += BranchRows_Private(&w->branches[b], kind);
  }
  PetscCall(Dimension_Private(w, "branch", w->n, "branch, in the order in which they were resolved", complaint));
  PetscCall(
    Dimension_Private(w, "point", w->rows[0], "point of a branch; those of one branch follow each other along its arclength", complaint));
  PetscCall(Dimension_Private(w, "special", w->rows[1], "special point of a branch", complaint));
  PetscCall(Dimension_Private(w, "strobe", w->lengths[BRANCH_AXIS_STROBE], "strobe of an orbit", complaint));
  PetscCall(Dimension_Private(w, "contact", w->lengths[BRANCH_AXIS_CONTACT], "contact of an orbit, by time of onset", complaint));
  PetscCall(Dimension_Private(w, "multiplier", ORBIT_MULTIPLIERS, "Floquet multiplier, by falling modulus", complaint));
  PetscCall(Dimension_Private(w, "state_index", w->lengths[BRANCH_AXIS_STATE], "place in a state of beam and tip", complaint));
  PetscCall(Dimension_Private(w, "end", 2, "end of a branch: 0 backwards, 1 forwards along the arclength", complaint));
  PetscCall(Dimension_Private(w, "start_index", 3, "of a cell: direction, amplitude, frequency; of a point: branch, point", complaint));
  PetscCall(StoreDefineDimension(w->store, "/", "character", STORE_INT32, BRANCH_WHY_LENGTH, NULL, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points and special points ---- */

static PetscErrorCode Column_Private(const Writing *w, int kind, PetscInt v, Complaint *complaint)
{
  const BranchRowKind  *k        = &branch_row_kinds[kind];
  const BranchVariable *variable = &k->table[v];
  const char           *dims[2]  = {k->dimension, branch_axis_names[variable->axis]};
  const PetscInt        width    = w->lengths[variable->axis];
  PetscReal            *values, *row;
  char                  name[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(name, sizeof name, "%s%s", k->prefix, variable->name));
  PetscCall(Define_Private(w, name, variable->type, dims[1] ? 2 : 1, dims, variable->scale, variable->long_name, complaint));
  PetscCall(PetscMalloc1(w->rows[kind] * width + 1, &values));
  row = values;
  for (PetscInt b = 0; b < w->n; ++b)
    for (PetscInt i = 0; i < BranchRows_Private(&w->branches[b], kind); ++i, row += width) {
      const PetscReal *from = BranchRow_Private(&w->branches[b], kind, i, v);
      const PetscInt   own  = BranchWidth_Private(&w->branches[b], kind, v);

      for (PetscInt j = 0; j < width; ++j) row[j] = j < own ? from[j] : (PetscReal)NAN;
    }
  PetscCall(Fill_Private(w, name, variable->type, w->rows[kind] * width, values, complaint));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which branch each row belongs to. */
static PetscErrorCode Owners_Private(const Writing *w, int kind, const char *name, Complaint *complaint)
{
  const char *dims[] = {branch_row_kinds[kind].dimension};
  PetscReal  *values, *row;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(w->rows[kind] + 1, &values));
  row = values;
  for (PetscInt b = 0; b < w->n; ++b)
    for (PetscInt i = 0; i < BranchRows_Private(&w->branches[b], kind); ++i) *row++ = (PetscReal)b;
  PetscCall(Define_Private(w, name, STORE_INT32, 1, dims, NULL, "branch it belongs to", complaint));
  PetscCall(Fill_Private(w, name, STORE_INT32, w->rows[kind], values, complaint));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The branch that leaves each special point. */
static PetscErrorCode Children_Private(const Writing *w, Complaint *complaint)
{
  const char *dims[] = {"special"};
  PetscReal  *values, *row;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(w->rows[1] + 1, &values));
  row = values;
  for (PetscInt b = 0; b < w->n; ++b)
    for (PetscInt i = 0; i < w->branches[b].n_special; ++i) *row++ = (PetscReal)BranchFamilyChild(w->n, w->branches, b, i);
  PetscCall(Define_Private(w, "special_to", STORE_INT32, 1, dims, NULL, "branch that leaves here; -1: none that was followed", complaint));
  PetscCall(Fill_Private(w, "special_to", STORE_INT32, w->rows[1], values, complaint));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- branches ---- */

const BranchColumn branch_columns[BRANCH_COLUMNS] = {
  [COLUMN_FIRST_POINT]    = {"branch_first_point", STORE_INT32, NULL, "its first row along `point`"},
  [COLUMN_N_POINTS]       = {"branch_n_points", STORE_INT32, NULL, "number of its points"},
  [COLUMN_PERIOD]         = {"branch_period", STORE_INT32, NULL, "period of its orbits, in forcing periods"},
  [COLUMN_ORIGIN]         = {"branch_origin", STORE_INT8, NULL, "what it started from"},
  [COLUMN_START]          = {"branch_start", STORE_INT32, NULL, "number of the start it goes back to, in the order they were taken up"},
  [COLUMN_PARENT]         = {"branch_parent", STORE_INT32, NULL, "branch that it leaves from; -1: none"},
  [COLUMN_PARENT_SPECIAL] = {"branch_parent_special", STORE_INT32, NULL, "row along `special` that it leaves from; -1: none"},
  [COLUMN_DEPTH]          = {"branch_depth", STORE_INT32, NULL, "switches from branch to branch since the start"},
  [COLUMN_AMPLITUDE]      = {"branch_amplitude", STORE_REAL, "amplitude", "forcing amplitude; NaN: it is continued"},
  [COLUMN_FREQUENCY]      = {"branch_frequency", STORE_REAL, "rad/t0", "angular forcing frequency; NaN: it is continued"},
  [COLUMN_STOP]          = {"branch_stop_position", STORE_REAL, "L", "displacement of the contact point at the stop; NaN: it is continued"},
  [COLUMN_DAMPING]       = {"branch_damping_ratio", STORE_REAL, NULL, "damping ratio; NaN: it is continued"},
  [COLUMN_PARAMETER]     = {"branch_start_parameter", STORE_REAL, "parameter", "parameter continued, where the branch was to start"},
  [COLUMN_BEGAN]         = {"branch_began", STORE_INT32, NULL, "its point that it began at, counted from its first"},
  [COLUMN_MODES]         = {"branch_modes", STORE_INT32, NULL, "modes it was computed with"},
  [COLUMN_OTHER_MODES]   = {"branch_other_modes", STORE_INT32, NULL, "modes of the second cut, for errors; 0: there is none"},
  [COLUMN_NEWTON_STEPS]  = {"branch_newton_steps", STORE_INT32, NULL, "Newton steps in all"},
  [COLUMN_CORRECTIONS]   = {"branch_corrections", STORE_INT32, NULL, "orbits that were solved for"},
  [COLUMN_REJECTED]      = {"branch_rejected", STORE_INT32, NULL, "steps that were taken back"},
  [COLUMN_CASCADE_RATIO] = {"branch_cascade_ratio", STORE_REAL, NULL,
                            "(l2 - l1)/(l3 - l2) of the last three doublings of a row, l3 on this branch; NaN: there are not three"},
};

static PetscReal BranchValue_Private(const Writing *w, PetscInt b, int column, PetscInt first_point, PetscInt parent, PetscInt special)
{
  const Branch      *branch = &w->branches[b];
  const BranchStart *start  = &branch->start;

  switch (column) {
  case COLUMN_FIRST_POINT:
    return (PetscReal)first_point;
  case COLUMN_N_POINTS:
    return (PetscReal)branch->n_points;
  case COLUMN_PERIOD:
    return (PetscReal)branch->layout.period;
  case COLUMN_ORIGIN:
    return (PetscReal)start->origin;
  case COLUMN_START:
    return (PetscReal)start->path[0];
  case COLUMN_PARENT:
    return (PetscReal)parent;
  case COLUMN_PARENT_SPECIAL:
    return (PetscReal)special;
  case COLUMN_DEPTH:
    return (PetscReal)start->depth;
  case COLUMN_PARAMETER:
    return BranchStartGet(start, w->parameter);
  case COLUMN_BEGAN:
    return (PetscReal)branch->began;
  case COLUMN_MODES:
    return (PetscReal)branch->modes;
  case COLUMN_OTHER_MODES:
    return (PetscReal)branch->other_modes;
  case COLUMN_NEWTON_STEPS:
    return (PetscReal)branch->newton_steps;
  case COLUMN_CORRECTIONS:
    return (PetscReal)branch->corrections;
  case COLUMN_REJECTED:
    return (PetscReal)branch->rejected;
  case COLUMN_CASCADE_RATIO:
    return BranchFamilyRatio(w->n, w->branches, b);
  default: /* amplitude, frequency, stop position, damping ratio, in the order of ContinueParameter */
    return column - COLUMN_AMPLITUDE == (int)w->parameter ? (PetscReal)NAN
                                                          : BranchStartGet(start, (ContinueParameter)(column - COLUMN_AMPLITUDE));
  }
}

static PetscErrorCode BranchColumns_Private(const Writing *w, const char *amplitude_scale, Complaint *complaint)
{
  const char *dims[] = {"branch"};
  PetscReal  *values;
  PetscInt   *first_point, *first_special, *parent, *special;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc5(w->n + 1, &values, w->n + 1, &first_point, w->n + 1, &first_special, w->n + 1, &parent, w->n + 1, &special));
  first_point[0] = first_special[0] = 0;
  for (PetscInt b = 0; b < w->n; ++b) {
    first_point[b + 1]   = first_point[b] + w->branches[b].n_points;
    first_special[b + 1] = first_special[b] + w->branches[b].n_special;
    BranchFamilyParent(w->n, w->branches, b, &parent[b], &special[b]);
    if (parent[b] >= 0) special[b] += first_special[parent[b]];
  }
  for (int column = 0; column < BRANCH_COLUMNS; ++column) {
    const BranchColumn *c = &branch_columns[column];

    for (PetscInt b = 0; b < w->n; ++b) values[b] = BranchValue_Private(w, b, column, first_point[b], parent[b], special[b]);
    PetscCall(
      Define_Private(w, c->name, c->type, 1, dims, column == COLUMN_AMPLITUDE ? amplitude_scale : c->scale, c->long_name, complaint));
    PetscCall(Fill_Private(w, c->name, c->type, w->n, values, complaint));
  }
  PetscCall(PetscFree5(values, first_point, first_special, parent, special));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ends_Private(const Writing *w, Complaint *complaint)
{
  const char *from_dims[] = {"branch", "start_index"}, *end_dims[] = {"branch", "end"}, *why_dims[] = {"branch", "end", "character"};
  PetscReal  *values;
  char       *text;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(3 * w->n + 1, &values));
  PetscCall(PetscCalloc1((size_t)w->n * 2 * BRANCH_WHY_LENGTH + 1, &text));
  for (PetscInt b = 0; b < w->n; ++b)
    for (int k = 0; k < 3; ++k) values[3 * b + k] = (PetscReal)w->branches[b].start.from[k];
  PetscCall(
    Define_Private(w, "branch_from", STORE_INT32, 2, from_dims, NULL, "cell or point it started from; -1: of no such kind", complaint));
  PetscCall(Fill_Private(w, "branch_from", STORE_INT32, 3 * w->n, values, complaint));
  for (PetscInt b = 0; b < w->n; ++b)
    for (int k = 0; k < 2; ++k) {
      values[2 * b + k] = (PetscReal)w->branches[b].end[k];
      memcpy(text + ((size_t)b * 2 + (size_t)k) * BRANCH_WHY_LENGTH, w->branches[b].why[k], strlen(w->branches[b].why[k]));
    }
  PetscCall(Define_Private(w, "branch_end", STORE_INT8, 2, end_dims, NULL, "why it ends", complaint));
  PetscCall(Fill_Private(w, "branch_end", STORE_INT8, 2 * w->n, values, complaint));
  PetscCall(Define_Private(w, "branch_why", STORE_CHAR, 3, why_dims, NULL, "why it ends, in words", complaint));
  if (w->n > 0) PetscCall(StoreWrite(w->store, "/branch_why", NULL, NULL, text, complaint));
  PetscCall(PetscFree(values));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over all that was written before. */
static PetscErrorCode Checksums_Private(const Writing *w, Complaint *complaint)
{
  const char *dims[] = {"branch"};
  int64_t    *sum;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(w->n + 1, &sum));
  PetscCall(BranchStoreSum(w->store, w->n, sum, complaint));
  PetscCall(Define_Private(w, "branch_checksum", STORE_INT64, 1, dims, NULL,
                           "CRC-32 of the branch: its rows here, of points and of special points", complaint));
  if (w->n > 0) PetscCall(StoreWrite(w->store, "/branch_checksum", NULL, NULL, sum, complaint));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BranchStoreWrite - Branches into a file that is being made.

  Not collective (root), before StoreReady.
  Input:   model, amplitude_scale - for the attributes `scale`;  parameter - the one continued;  branches - shape [n], parents before
           children;  complete - nothing is left to be done
  Complaint: EXIT_IO
  Cost:    all is written once, and read once for the checksums; memory for one variable
*/
PetscErrorCode BranchStoreWrite(Store store, BeamModel model, const char *amplitude_scale, ContinueParameter parameter, PetscInt n,
                                const Branch *branches, PetscBool complete, Complaint *complaint)
{
  static const char *const stability[] = {"unstable", "undecided", "stable"};
  const char *const        scales[]    = {amplitude_scale, "rad/t0", "L", ""};
  const int8_t             whole       = complete ? 1 : 0;
  Writing w = {.store = store, .model = model, .parameter = parameter, .parameter_scale = scales[parameter], .n = n, .branches = branches};

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Dimensions_Private(&w, complaint));
  PetscCall(BranchColumns_Private(&w, amplitude_scale, complaint));
  PetscCall(Ends_Private(&w, complaint));
  PetscCall(Owners_Private(&w, 0, "point_branch", complaint));
  PetscCall(Owners_Private(&w, 1, "special_branch", complaint));
  for (int kind = 0; kind < BRANCH_ROW_KINDS; ++kind)
    for (PetscInt v = 0; v < branch_row_kinds[kind].n; ++v) PetscCall(Column_Private(&w, kind, v, complaint));
  PetscCall(Children_Private(&w, complaint));
  PetscCall(Checksums_Private(&w, complaint));
  PetscCall(Flags_Private(&w, "/stability", -1, 3, stability, complaint));
  PetscCall(Flags_Private(&w, "/special_type", 0, SPECIAL_COUNT, SpecialTypeNames, complaint));
  PetscCall(Flags_Private(&w, "/special_kink", 0, KINK_COUNT, SpecialKinkNames, complaint));
  PetscCall(Flags_Private(&w, "/branch_origin", 0, ORIGIN_COUNT, BranchOriginNames, complaint));
  PetscCall(Flags_Private(&w, "/branch_end", 0, END_COUNT, BranchEndNames, complaint));
  PetscCall(StoreAttributeText(store, "/", "continued_parameter", ContinueParameterNames[parameter], complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &whole, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
