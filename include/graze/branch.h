/*
  branch.h - a branch of periodic orbits over one parameter: its points, its special points, why it ends; and what it starts from.

  A point and a special point are rows of reals; two tables say where each variable is and how it goes into a file. All is
  non-dimensional. A branch is ordered along its arclength, from the end that was reached backwards to the one reached forwards.
*/
#ifndef GRAZE_BRANCH_H
#define GRAZE_BRANCH_H

#include "graze/orbit.h"
#include "graze/store.h"

/* Stored in files: append only, as all enums below. */
typedef enum {
  SPECIAL_FOLD = 1,
  SPECIAL_DOUBLING,
  SPECIAL_NEIMARK_SACKER,
  SPECIAL_BRANCH_POINT,
  SPECIAL_GRAZING_ONSET,   /* a contact is born or dies as its onset velocity vanishes */
  SPECIAL_CONTACT_MERGING, /* two contacts become one as the flight between them vanishes */
  SPECIAL_GRAZING_RELEASE, /* one contact becomes two as its force touches 0 */
  SPECIAL_CONTACT_CHANGE   /* the contacts change in a way that could not be told apart into one of the above */
} SpecialType;
#define SPECIAL_COUNT 9
extern const char *const SpecialTypeNames[SPECIAL_COUNT]; /* "none", "fold", "period_doubling", ... */

/* What the kink in the map at a change of contacts does to the branch, without a multiplier at +1 or -1. */
typedef enum { KINK_NONE, KINK_FOLD, KINK_DOUBLING, KINK_FOLD_AND_DOUBLING } SpecialKink;
#define KINK_COUNT 4
extern const char *const SpecialKinkNames[KINK_COUNT]; /* "none", "fold", "doubling", "fold_and_doubling" */

typedef enum {
  END_NONE = 0,
  END_BOUND,  /* -continue_min or -continue_max */
  END_CLOSED, /* back where it began */
  END_MAX_POINTS,
  END_STEP,         /* no orbit found at the smallest step */
  END_GRAZING,      /* restitution: an impact dies, and with it the derivative of the map */
  END_INADMISSIBLE, /* what Newton found is no motion of the structure */
  END_FLOW,         /* event limit, resonance, lost flow */
  END_ORIGIN,       /* where it branches off another branch */
  END_NO_START, /* no orbit was found to start from */
  END_HALVED    /* where the orbit is one of half the period: it ends on the branch that it doubled, or on another */
} BranchEnd;
#define END_COUNT 11
extern const char *const BranchEndNames[END_COUNT]; /* "none", "bound", ... */

typedef enum { ORIGIN_SIMULATION, ORIGIN_CELL, ORIGIN_POINT, ORIGIN_DOUBLING, ORIGIN_BRANCH_POINT } BranchOrigin;
#define ORIGIN_COUNT 5
extern const char *const BranchOriginNames[ORIGIN_COUNT];

typedef enum { BRANCH_AXIS_NONE, BRANCH_AXIS_STROBE, BRANCH_AXIS_CONTACT, BRANCH_AXIS_MULTIPLIER, BRANCH_AXIS_STATE } BranchAxis;

typedef enum {
  POINT_PARAMETER,
  POINT_ARCLENGTH, /* from the point it began at, negative backwards */
  POINT_STEP,      /* arclength of the step that led here */
  POINT_SLOPE,     /* d parameter / d arclength */
  POINT_NEWTON_STEPS,
  POINT_RESIDUAL,   /* relative, of P^p(X) = X */
  POINT_STABILITY,  /* 1 stable, 0 undecided, -1 unstable */
  POINT_N_UNSTABLE, /* multipliers outside the unit circle, as computed */
  POINT_STROBE_DISPLACEMENT,
  POINT_STROBE_VELOCITY,
  POINT_MAX_DISPLACEMENT,
  POINT_MIN_DISPLACEMENT,
  POINT_PEAK_FORCE,
  POINT_CONTACT_FRACTION,
  POINT_MIN_GAP,    /* smallest gap at which the tip turns back in flight; NaN: it never does */
  POINT_MIN_FORCE,  /* smallest local minimum of the force inside a contact; NaN: there is none */
  POINT_MARGIN,     /* smallest sampled gap (in flight) or force (in contact), relative to the largest: >= 0 up to round-off */
  POINT_N_CONTACTS, /* in the orbit; restitution: impacts and spells of sticking */
  POINT_CONTACT_PERIOD,
  POINT_CONTACT_PHASE,
  POINT_CONTACT_VELOCITY,
  POINT_CONTACT_FORCE,
  POINT_CONTACT_DURATION,
  POINT_CONTACT_IMPULSE,
  POINT_N_MULTIPLIERS,
  POINT_MULTIPLIER_RE,
  POINT_MULTIPLIER_IM,
  POINT_MULTIPLIER_ERROR,
  POINT_STATE_IN_CONTACT,
  POINT_STATE, /* at the first strobe */
  POINT_VARIABLES
} PointVariable;

typedef enum {
  SPECIAL_TYPE,
  SPECIAL_POINT, /* number of the point of the branch just before it, along the arclength */
  SPECIAL_PARAMETER,
  SPECIAL_ARCLENGTH,
  SPECIAL_WIDTH,           /* the parameter is known to this, from the location alone */
  SPECIAL_CUT_DIFFERENCE,  /* parameter found with another number of modes, minus this one; NaN: there is no other */
  SPECIAL_TEST,            /* what is left of the test function */
  SPECIAL_CONTACTS_BEFORE, /* number of contacts in the orbit, along the arclength */
  SPECIAL_CONTACTS_AFTER,
  SPECIAL_EVENT_PERIOD, /* where in the orbit the contact is that appears or vanishes; NaN: none does */
  SPECIAL_EVENT_PHASE,
  SPECIAL_N_MULTIPLIERS,
  SPECIAL_MULTIPLIER_RE,
  SPECIAL_MULTIPLIER_IM,
  SPECIAL_MULTIPLIER_ERROR,
  SPECIAL_STROBE_DISPLACEMENT,
  SPECIAL_STROBE_VELOCITY,
  SPECIAL_STATE_IN_CONTACT,
  SPECIAL_STATE,
  SPECIAL_DIRECTION, /* at the first strobe, unit energy: where the other branch leaves; 0 where none does */
  SPECIAL_KINK,      /* SpecialKink */
  SPECIAL_VARIABLES
} SpecialVariable;

typedef struct {
  const char *name;
  StoreType   type;
  BranchAxis  axis;
  const char *scale; /* of the non-dimensional number; NULL for counts and codes; "parameter": that of the parameter continued */
  const char *long_name;
} BranchVariable;

extern const BranchVariable point_variables[POINT_VARIABLES], special_variables[SPECIAL_VARIABLES];

typedef struct {
  PetscInt period, contacts, states; /* lengths of the axes */
  PetscInt point_offset[POINT_VARIABLES], point_width[POINT_VARIABLES], point_length;
  PetscInt special_offset[SPECIAL_VARIABLES], special_width[SPECIAL_VARIABLES], special_length;
} BranchLayout;

/* What a branch starts from. */
#define BRANCH_DEPTH_MAX 8
typedef struct {
  BranchOrigin origin;
  PetscInt     from[3];                    /* ORIGIN_CELL: direction, amplitude, frequency index; ORIGIN_POINT: branch, point; else -1 */
  PetscInt     depth;                      /* 0: a start of the user's; else so many switches away from it */
  PetscInt     path[BRANCH_DEPTH_MAX + 1]; /* number of the start, then of the special point on each branch down to this; shape [depth+1] */
  PetscReal    amplitude, frequency, stop, damping; /* there, all four */
  PetscInt     period;
  PetscInt     n;
  PetscBool    contact;
  PetscReal   *x;         /* state at the first strobe (phase -strobe_phase), shape [n] */
  PetscReal   *direction; /* where to leave, unit energy, shape [n]; NULL: along the branch through x */
} BranchStart;

typedef struct {
  BranchStart       start;     /* owned copy */
  ContinueParameter parameter; /* which of the four in `start` changes along the branch */
  BranchLayout      layout;    /* period: of the orbits of this branch */
  PetscInt          n_points, n_special;
  PetscInt          point_capacity, special_capacity;
  PetscReal        *points;                              /* shape [n_points, point_length] */
  PetscReal        *specials;                            /* shape [n_special, special_length]; along the arclength */
  BranchEnd         end[2];                              /* backward, forward */
  char              why[2][160];                         /* the same in words, with numbers */
  PetscInt          began;                               /* number of the point it began at */
  PetscInt          newton_steps, corrections, rejected; /* Newton steps in all, orbits solved for, steps taken back */
  PetscInt          modes, other_modes;                  /* of the two cuts; other_modes 0: there is no other */
} Branch;

void           BranchLayoutSetUp(PetscInt period, PetscInt contacts, PetscInt states, BranchLayout *layout);
PetscErrorCode BranchCreate(const BranchStart *start, const BranchLayout *layout, Branch *branch);
PetscErrorCode BranchDestroy(Branch *branch);
/* A new row, filled with NaN; at the end, or before all (of the points alone). */
PetscErrorCode BranchAddPoint(Branch *branch, PetscReal **row);
PetscErrorCode BranchAddSpecial(Branch *branch, PetscReal **row);
/* Turn the order of points and special points, so that what was reached first backwards comes last. */
PetscErrorCode           BranchReverse(Branch *branch);
static inline PetscReal *BranchPoint(const Branch *b, PetscInt i, PointVariable v)
{
  return b->points + (size_t)i * (size_t)b->layout.point_length + (size_t)b->layout.point_offset[v];
}
static inline PetscReal *BranchSpecial(const Branch *b, PetscInt i, SpecialVariable v)
{
  return b->specials + (size_t)i * (size_t)b->layout.special_length + (size_t)b->layout.special_offset[v];
}

/* Bytes of a branch or a start, for messages and journals; allocated here (PetscFree). Decode: false if these are no such bytes. */
PetscErrorCode BranchEncode(const Branch *branch, PetscInt *nbytes, void **bytes);
PetscErrorCode BranchDecode(PetscInt nbytes, const void *bytes, Branch *branch, PetscBool *good);
PetscErrorCode BranchStartEncode(const BranchStart *start, PetscInt *nbytes, void **bytes);
PetscErrorCode BranchStartDecode(PetscInt nbytes, const void *bytes, BranchStart *start, PetscBool *good);
PetscErrorCode BranchStartCopy(const BranchStart *from, BranchStart *to);
PetscErrorCode BranchStartDestroy(BranchStart *start);

/* Order in which starts are resolved: by depth, then by path. <0, 0, >0 */
int BranchStartCompare(const BranchStart *a, const BranchStart *b);
/* The start of the branch that leaves special point i (a doubling: twice the period; a branch point), or found = false. */
PetscErrorCode BranchSwitch(const Branch *branch, PetscInt i, BranchStart *start, PetscBool *found);

/* Where a branch passes a value of its parameter. */
typedef struct {
  PetscReal arclength;
  PetscInt  point;               /* the one before it */
  PetscInt  stability, contacts; /* of the nearer point on this side of any special point between */
} BranchCrossing;
/* All of them, along the arclength; shape [n], allocated here (PetscFree). Ends count within round-off. Cost O(points). */
PetscErrorCode BranchFindCrossings(const Branch *branch, PetscReal parameter, PetscInt *n, BranchCrossing **crossings);

/* How an orbit at one value of the parameter lies to a branch. */
typedef struct {
  PetscBool brackets;    /* the branch passes the parameter */
  PetscReal distance;    /* at the crossing that fits best: largest difference of strobe displacement, relative to the range of the
                            displacement over the orbit, and of strobe velocity, relative to that times the frequency */
  PetscReal uncertainty; /* of the interpolation there, in the same measure */
  PetscReal arclength;   /* of that crossing, as BranchFindCrossings has it */
  PetscInt  point;       /* the point before it; -1: there is none */
  PetscInt  stability;   /* as of BranchCrossing */
} BranchNear;
/*
  Orbits that are this near, beyond the uncertainty, are one. Two solutions of one orbit differ by Newton's tolerance (1e-10) over the distance of the
  nearest multiplier from 1, models of one structure with other numbers of modes by 1e-6 [theory 12]; two orbits of one branch that differ
  by less lie within 1e-10 of a fold.
*/
#define BRANCH_SAME 1e-5
/* Strobes of the other orbit: y1, y2 of shape [period], in any rotation. Another least period: distance INFINITY. Cost O(points). */
PetscErrorCode BranchFindNear(const Branch *branch, PetscReal parameter, PetscInt period, const PetscReal *y1, const PetscReal *y2,
                              BranchNear *near);

#endif
