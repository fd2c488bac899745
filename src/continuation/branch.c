/*
  branch.c - a branch as rows of reals: the tables of its variables, its life, the start of a branch that leaves it.
*/
#include "graze/branch.h"

#include <math.h>

const char *const SpecialKinkNames[KINK_COUNT]    = {"none", "fold", "doubling", "fold_and_doubling"};
const char *const SpecialTypeNames[SPECIAL_COUNT] = {"none",          "fold",          "period_doubling", "neimark_sacker",
                                                     "branch_point",  "grazing_onset", "contact_merging", "grazing_release",
                                                     "contact_change"};
const char *const BranchEndNames[END_COUNT]       = {"none",         "bound", "closed", "max_points", "smallest_step", "grazing",
                                                     "inadmissible", "flow",  "origin", "no_start",   "halved"};
const char *const BranchOriginNames[ORIGIN_COUNT] = {"simulation", "sweep_cell", "branch_point_saved", "period_doubling", "branch_point"};

const BranchVariable point_variables[POINT_VARIABLES] = {
  [POINT_PARAMETER]           = {"parameter", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "parameter continued"},
  [POINT_ARCLENGTH]           = {"arclength", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "arclength from the point the branch began at"},
  [POINT_STEP]                = {"step", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "arclength of the step that led to the point"},
  [POINT_SLOPE]               = {"slope", STORE_REAL, BRANCH_AXIS_NONE, NULL, "derivative of the parameter by the arclength"},
  [POINT_NEWTON_STEPS]        = {"newton_steps", STORE_INT32, BRANCH_AXIS_NONE, NULL, "Newton steps taken for the point"},
  [POINT_RESIDUAL]            = {"residual", STORE_REAL, BRANCH_AXIS_NONE, NULL, "Newton residual over the size of the orbit, energy norm"},
  [POINT_STABILITY]           = {"stability", STORE_INT8, BRANCH_AXIS_NONE, NULL, "verdict of the multipliers and their errors"},
  [POINT_N_UNSTABLE]          = {"n_unstable", STORE_INT32, BRANCH_AXIS_NONE, NULL, "multipliers outside the unit circle, as computed"},
  [POINT_STROBE_DISPLACEMENT] = {"strobe_displacement", STORE_REAL, BRANCH_AXIS_STROBE, "L",
                                 "displacement of the contact point at the strobes"},
  [POINT_STROBE_VELOCITY]     = {"strobe_velocity", STORE_REAL, BRANCH_AXIS_STROBE, "L/t0", "velocity of the contact point at the strobes"},
  [POINT_MAX_DISPLACEMENT]    = {"max_displacement", STORE_REAL, BRANCH_AXIS_NONE, "L", "largest displacement of the contact point"},
  [POINT_MIN_DISPLACEMENT]    = {"min_displacement", STORE_REAL, BRANCH_AXIS_NONE, "L", "smallest displacement of the contact point"},
  [POINT_PEAK_FORCE]          = {"peak_force", STORE_REAL, BRANCH_AXIS_NONE, "EI/L^2", "largest contact force"},
  [POINT_CONTACT_FRACTION]    = {"contact_fraction", STORE_REAL, BRANCH_AXIS_NONE, NULL, "fraction of the time spent in contact"},
  [POINT_MIN_GAP]             = {"min_gap", STORE_REAL, BRANCH_AXIS_NONE, "L",
                                 "smallest gap at which the tip turned back in flight; NaN: it never did"},
  [POINT_MIN_FORCE]           = {"min_force", STORE_REAL, BRANCH_AXIS_NONE, "EI/L^2",
                                 "smallest local minimum of the force inside a contact; NaN: none"},
  [POINT_MARGIN] = {"margin", STORE_REAL, BRANCH_AXIS_NONE, NULL, "smallest sampled gap in flight or force in contact over the largest"},
  [POINT_N_CONTACTS]       = {"n_contacts", STORE_INT32, BRANCH_AXIS_NONE, NULL, "contacts in one orbit"},
  [POINT_CONTACT_PERIOD]   = {"contact_period", STORE_INT32, BRANCH_AXIS_CONTACT, NULL,
                              "forcing period of the onset within the orbit, from 0"},
  [POINT_CONTACT_PHASE]    = {"contact_phase", STORE_REAL, BRANCH_AXIS_CONTACT, NULL, "phase of the onset in its period"},
  [POINT_CONTACT_VELOCITY] = {"contact_velocity", STORE_REAL, BRANCH_AXIS_CONTACT, "L/t0", "velocity just before the onset"},
  [POINT_CONTACT_FORCE]    = {"contact_force", STORE_REAL, BRANCH_AXIS_CONTACT, "EI/L^2", "force just after the onset"},
  [POINT_CONTACT_DURATION] = {"contact_duration", STORE_REAL, BRANCH_AXIS_CONTACT, "t0", "duration of the contact"},
  [POINT_CONTACT_IMPULSE]  = {"contact_impulse", STORE_REAL, BRANCH_AXIS_CONTACT, "EI t0/L^2", "impulse of the contact"},
  [POINT_N_MULTIPLIERS]    = {"n_multipliers", STORE_INT32, BRANCH_AXIS_NONE, NULL, "multipliers known"},
  [POINT_MULTIPLIER_RE]    = {"multiplier_re", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "Floquet multiplier of the orbit, real part"},
  [POINT_MULTIPLIER_IM]    = {"multiplier_im", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "Floquet multiplier of the orbit, imaginary part"},
  [POINT_MULTIPLIER_ERROR] = {"multiplier_error", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "estimated error of the multiplier"},
  [POINT_STATE_IN_CONTACT] = {"state_in_contact", STORE_INT8, BRANCH_AXIS_NONE, NULL, "the tip is held on the stop at the first strobe"},
  [POINT_STATE]            = {"state", STORE_REAL, BRANCH_AXIS_STATE, NULL, "modal state at the first strobe: x_k, x_k', tail"},
};

const BranchVariable special_variables[SPECIAL_VARIABLES] = {
  [SPECIAL_TYPE]            = {"type", STORE_INT8, BRANCH_AXIS_NONE, NULL, "what happens"},
  [SPECIAL_POINT]           = {"point", STORE_INT32, BRANCH_AXIS_NONE, NULL, "point of the branch just before, along the arclength"},
  [SPECIAL_PARAMETER]       = {"parameter", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "parameter continued"},
  [SPECIAL_ARCLENGTH]       = {"arclength", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "arclength from the point the branch began at"},
  [SPECIAL_WIDTH]           = {"width", STORE_REAL, BRANCH_AXIS_NONE, "parameter", "the parameter is located to this"},
  [SPECIAL_CUT_DIFFERENCE]  = {"cut_difference", STORE_REAL, BRANCH_AXIS_NONE, "parameter",
                               "parameter found with fewer modes, minus this; NaN: not found"},
  [SPECIAL_TEST]            = {"test", STORE_REAL, BRANCH_AXIS_NONE, NULL, "what is left of the test function"},
  [SPECIAL_CONTACTS_BEFORE] = {"contacts_before", STORE_INT32, BRANCH_AXIS_NONE, NULL, "contacts in one orbit before, along the arclength"},
  [SPECIAL_CONTACTS_AFTER]  = {"contacts_after", STORE_INT32, BRANCH_AXIS_NONE, NULL, "contacts in one orbit after"},
  [SPECIAL_EVENT_PERIOD]    = {"event_period", STORE_REAL, BRANCH_AXIS_NONE, NULL,
                               "forcing period of the contact that appears or vanishes; NaN: none does"},
  [SPECIAL_EVENT_PHASE]     = {"event_phase", STORE_REAL, BRANCH_AXIS_NONE, NULL, "phase of its onset"},
  [SPECIAL_N_MULTIPLIERS]   = {"n_multipliers", STORE_INT32, BRANCH_AXIS_NONE, NULL, "multipliers known"},
  [SPECIAL_MULTIPLIER_RE]   = {"multiplier_re", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "Floquet multiplier, real part"},
  [SPECIAL_MULTIPLIER_IM]   = {"multiplier_im", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "Floquet multiplier, imaginary part"},
  [SPECIAL_MULTIPLIER_ERROR]    = {"multiplier_error", STORE_REAL, BRANCH_AXIS_MULTIPLIER, NULL, "estimated error of the multiplier"},
  [SPECIAL_STROBE_DISPLACEMENT] = {"strobe_displacement", STORE_REAL, BRANCH_AXIS_STROBE, "L",
                                   "displacement of the contact point at the strobes"},
  [SPECIAL_STROBE_VELOCITY]  = {"strobe_velocity", STORE_REAL, BRANCH_AXIS_STROBE, "L/t0", "velocity of the contact point at the strobes"},
  [SPECIAL_STATE_IN_CONTACT] = {"state_in_contact", STORE_INT8, BRANCH_AXIS_NONE, NULL, "the tip is held on the stop at the first strobe"},
  [SPECIAL_STATE]            = {"state", STORE_REAL, BRANCH_AXIS_STATE, NULL, "modal state at the first strobe"},
  [SPECIAL_DIRECTION] = {"direction", STORE_REAL, BRANCH_AXIS_STATE, NULL, "where another branch leaves, of unit energy; 0: none does"},
  [SPECIAL_KINK]      = {"kink", STORE_INT8, BRANCH_AXIS_NONE, NULL, "what a kink of the map does to the branch"},
};

static PetscInt Offsets_Private(const BranchVariable *table, PetscInt n, const BranchLayout *l, PetscInt *offset, PetscInt *width)
{
  PetscInt length = 0;

  for (PetscInt v = 0; v < n; ++v) {
    switch (table[v].axis) {
    case BRANCH_AXIS_STROBE:
      width[v] = l->period;
      break;
    case BRANCH_AXIS_CONTACT:
      width[v] = l->contacts;
      break;
    case BRANCH_AXIS_MULTIPLIER:
      width[v] = ORBIT_MULTIPLIERS;
      break;
    case BRANCH_AXIS_STATE:
      width[v] = l->states;
      break;
    default:
      width[v] = 1;
    }
    offset[v] = length;
    length += width[v];
  }
  return length;
}

void BranchLayoutSetUp(PetscInt period, PetscInt contacts, PetscInt states, BranchLayout *l)
{
  l->period         = period;
  l->contacts       = contacts;
  l->states         = states;
  l->point_length   = Offsets_Private(point_variables, POINT_VARIABLES, l, l->point_offset, l->point_width);
  l->special_length = Offsets_Private(special_variables, SPECIAL_VARIABLES, l, l->special_offset, l->special_width);
}

/* ---- life ---- */

PetscErrorCode BranchStartCopy(const BranchStart *from, BranchStart *to)
{
  PetscFunctionBeginUser;
  *to = *from;
  PetscCall(PetscMalloc1(from->n, &to->x));
  PetscCall(PetscArraycpy(to->x, from->x, from->n));
  if (from->direction) {
    PetscCall(PetscMalloc1(from->n, &to->direction));
    PetscCall(PetscArraycpy(to->direction, from->direction, from->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchStartDestroy(BranchStart *start)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(start->x));
  PetscCall(PetscFree(start->direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BranchCreate - Without points; the start is copied. */
PetscErrorCode BranchCreate(const BranchStart *start, const BranchLayout *layout, Branch *branch)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(branch, sizeof *branch));
  PetscCall(BranchStartCopy(start, &branch->start));
  branch->layout = *layout;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchDestroy(Branch *branch)
{
  PetscFunctionBeginUser;
  PetscCall(BranchStartDestroy(&branch->start));
  PetscCall(PetscFree(branch->points));
  PetscCall(PetscFree(branch->specials));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddRow_Private(PetscInt length, PetscInt *n, PetscInt *capacity, PetscReal **rows, PetscReal **row)
{
  PetscFunctionBeginUser;
  if (*n == *capacity) {
    *capacity = PetscMax(16, 2 * *capacity);
    PetscCall(PetscRealloc((size_t)*capacity * (size_t)length * sizeof **rows, rows));
  }
  *row = *rows + (size_t)(*n)++ * (size_t)length;
  for (PetscInt i = 0; i < length; ++i) (*row)[i] = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchAddPoint(Branch *b, PetscReal **row)
{
  PetscFunctionBeginUser;
  PetscCall(AddRow_Private(b->layout.point_length, &b->n_points, &b->point_capacity, &b->points, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchAddSpecial(Branch *b, PetscReal **row)
{
  PetscFunctionBeginUser;
  PetscCall(AddRow_Private(b->layout.special_length, &b->n_special, &b->special_capacity, &b->specials, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Turn_Private(PetscReal *rows, PetscInt n, PetscInt length)
{
  for (PetscInt i = 0; i < n / 2; ++i) {
    PetscReal *a = rows + (size_t)i * (size_t)length, *b = rows + (size_t)(n - 1 - i) * (size_t)length;

    for (PetscInt j = 0; j < length; ++j) {
      const PetscReal keep = a[j];

      a[j] = b[j];
      b[j] = keep;
    }
  }
}

/*
  BranchReverse - The order of points and special points turns, with all that depends on the sense of the arclength.

  What was followed away from the start becomes what leads to it: arclengths and slopes change sign, before and after are exchanged, and the
  point before a special point is the one that was after it.
*/
PetscErrorCode BranchReverse(Branch *b)
{
  PetscFunctionBeginUser;
  Turn_Private(b->points, b->n_points, b->layout.point_length);
  Turn_Private(b->specials, b->n_special, b->layout.special_length);
  for (PetscInt i = 0; i < b->n_points; ++i) {
    PetscReal *s = BranchPoint(b, i, POINT_ARCLENGTH);

    *s                              = 0.0 - *s; /* so that 0 stays +0 */
    *BranchPoint(b, i, POINT_SLOPE) = 0.0 - *BranchPoint(b, i, POINT_SLOPE);
  }
  for (PetscInt i = 0; i < b->n_special; ++i) {
    PetscReal *point = BranchSpecial(b, i, SPECIAL_POINT), *before = BranchSpecial(b, i, SPECIAL_CONTACTS_BEFORE);
    PetscReal *after = BranchSpecial(b, i, SPECIAL_CONTACTS_AFTER), keep = *before, *s = BranchSpecial(b, i, SPECIAL_ARCLENGTH);

    *point  = PetscMax((PetscReal)(b->n_points - 2) - *point, -1.0);
    *before = *after;
    *after  = keep;
    *s      = 0.0 - *s;
    /* joining read backwards is parting */
    if (*BranchSpecial(b, i, SPECIAL_TYPE) == SPECIAL_CONTACT_MERGING) *BranchSpecial(b, i, SPECIAL_TYPE) = SPECIAL_GRAZING_RELEASE;
    else if (*BranchSpecial(b, i, SPECIAL_TYPE) == SPECIAL_GRAZING_RELEASE) *BranchSpecial(b, i, SPECIAL_TYPE) = SPECIAL_CONTACT_MERGING;
  }
  b->began = PetscMax(b->n_points - 1 - b->began, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- starts ---- */

int BranchStartCompare(const BranchStart *a, const BranchStart *b)
{
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  for (PetscInt i = 0; i <= a->depth; ++i)
    if (a->path[i] != b->path[i]) return a->path[i] < b->path[i] ? -1 : 1;
  return 0;
}

/*
  BranchSwitch - The start of the branch that leaves special point i.

  Output: start - owned by the caller; found - false where no other branch leaves, or the path is as deep as it can be
*/
PetscErrorCode BranchSwitch(const Branch *b, PetscInt i, BranchStart *start, PetscBool *found)
{
  const PetscInt  type = (PetscInt)*BranchSpecial(b, i, SPECIAL_TYPE), n = b->layout.states;
  const PetscReal parameter = *BranchSpecial(b, i, SPECIAL_PARAMETER);

  PetscFunctionBeginUser;
  *found = (PetscBool)((type == SPECIAL_DOUBLING || type == SPECIAL_BRANCH_POINT) && b->start.depth < BRANCH_DEPTH_MAX);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  *start                    = b->start;
  start->origin             = type == SPECIAL_DOUBLING ? ORIGIN_DOUBLING : ORIGIN_BRANCH_POINT;
  start->depth              = b->start.depth + 1;
  start->path[start->depth] = i;
  for (int k = 0; k < 3; ++k) start->from[k] = -1;
  *(b->parameter == CONTINUE_AMPLITUDE   ? &start->amplitude
    : b->parameter == CONTINUE_FREQUENCY ? &start->frequency
    : b->parameter == CONTINUE_STOP      ? &start->stop
                                         : &start->damping) = parameter;
  start->period                                        = type == SPECIAL_DOUBLING ? 2 * b->layout.period : b->layout.period;
  start->n                                             = n;
  start->contact                                       = (PetscBool)(*BranchSpecial(b, i, SPECIAL_STATE_IN_CONTACT) != 0.0);
  PetscCall(PetscMalloc1(n, &start->x));
  PetscCall(PetscMalloc1(n, &start->direction));
  PetscCall(PetscArraycpy(start->x, BranchSpecial(b, i, SPECIAL_STATE), n));
  PetscCall(PetscArraycpy(start->direction, BranchSpecial(b, i, SPECIAL_DIRECTION), n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
