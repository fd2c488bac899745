/*
  continuation_impl.h - what the files of a continuation share. Private to src/continuation.

    problem.c       the map of one mode cut and its derivatives
    corrector.c     Newton on an orbit and its parameter
    section.c       where in the forcing period the orbit is cut
    orbit_point.c   one orbit: solved, measured, its test functions
    judge.c         multipliers' errors by a second cut, stability
    location.c      special points of smooth kind
    contacts.c      events at which the contacts change
    rows.c          points and special points as rows of a branch
    passage.c       special points and events on the way from one orbit to the next
    walk.c          the walk along a branch
    continuation.c  set-up, and a branch from its start
*/
#ifndef GRAZE_CONTINUATION_IMPL_H
#define GRAZE_CONTINUATION_IMPL_H

#include "corrector.h"
#include "graze/continuation.h"

/* Test functions that change sign at smooth special points.   [theory 18.3] */
typedef enum {
  TEST_FOLD,
  TEST_DOUBLING,
  TEST_NEIMARK_SACKER,
  TEST_BRANCH_POINT,
  TEST_HALVED, /* half the period: set against another point, by PointCompareHalves_Private */
  TESTS
} Test;

/* What can happen to the contacts ahead.   [theory 18.4] */
typedef enum { EVENT_BIRTH, EVENT_PARTING, EVENT_DEATH, EVENT_JOINING, CONTACT_EVENTS } ContactEvent;

/* One orbit, solved for and looked at. */
typedef struct {
  PetscReal  *z, *t; /* unknowns and unit tangent, shape [N] */
  PetscReal   lambda, slope;
  PetscReal   arclength, step;
  PetscReal   relative; /* residual */
  PetscInt    newton_steps;
  Multipliers multipliers;
  PetscReal   test[TESTS];
  PetscReal   measure[CONTACT_EVENTS]; /* each vanishes at its event */
  PetscInt    slowest, second;         /* contacts: the one of the slowest onset, the one after the shortest flight; -1: none */
  FlowRecord  record;                  /* of one orbit from the section on; contact: shape [capacity] */
  PetscReal  *onset;   /* time of each contact after the user's first strobe, in periods of the forcing, in [0, period); shape [capacity] */
  PetscReal  *y1, *y2; /* at the user's strobes, shape [period] */
  PetscReal  *x;       /* state at the first of them, shape [n] */
  PetscBool   in_contact; /* there */
  PetscReal   margin;
} OrbitPoint;

/* What the scratch points are for. NEAR, LAST, TRIAL: the approach to an event; TESTS: one for each test. */
enum { SCRATCH_SECTION, SCRATCH_BOUND, SCRATCH_NEAR, SCRATCH_LAST, SCRATCH_TRIAL, SCRATCH_TESTS, SCRATCH_POINTS = SCRATCH_TESTS + TESTS };

struct _p_Continuation {
  MPI_Comm comm;
  /* parameters */
  Params   params;
  PetscInt modes;
  PetscErrorCode (*poll)(void *ctx, PetscBool *stop);
  void *poll_ctx;
  /* owned: once per beam */
  Problem      problem;
  Continuation second; /* with fewer modes; NULL: none */
  PetscBool    is_second, set_up;
  PetscReal    lambda_scale, step, min_step, max_step;
  /* owned: while a branch is followed */
  Corrector  corrector;
  OrbitPoint base, next, begin, before, scratch[SCRATCH_POINTS];
  PetscReal *samples;      /* shape [3, dense]: y1, y2, f */
  PetscReal *sample_time;  /* shape [dense] */
  PetscReal *sample_state; /* shape [period, n] */
  PetscReal *work;         /* shape [2 N] */
  PetscInt   period, dense, capacity;
  /* status */
  Branch   *branch;              /* borrowed */
  PetscReal halved_at;           /* the parameter where the halves of an orbit changed places */
  PetscReal stored;              /* arclength of the last point that joined the branch */
  PetscBool stopped, has_before; /* `before` lies behind base, with the same contacts perhaps */
  PetscBool no_section;          /* the start is in contact at every phase at which it was looked at */
  PetscBool broken;              /* what joined the branch last is no motion of the structure */
};

/* Cosine of the angle between the tangents of two points: below this they do not lie on one smooth piece as far as anyone can tell. */
#define CONTINUATION_TURN 0.9

/* section.c */
/* The section that lies furthest from all contacts of the orbit that the last record of `from` tells of; clearance in periods, < 0: none.
 */
PetscReal SectionChoose_Private(const Continuation c, const OrbitPoint *from, PetscReal *clearance);
/* How far the present section lies from the contacts of this orbit, in periods of the forcing. */
PetscReal SectionClearance_Private(const Continuation c, const OrbitPoint *point, PetscReal section);
/* z of the orbit through a state at the user's strobe; sets the section. found: false if it is in contact at every phase. */
PetscErrorCode SectionBegin_Private(Continuation c, const BranchStart *start, PetscReal lambda, PetscReal *states, PetscBool *found);

/* Move the section away from the contacts of this orbit if they have come near. */
PetscErrorCode SectionMove_Private(Continuation c, OrbitPoint *point);
/* Eigenvector of the multiplier nearest to -1 or +1 at this point, of unit energy: at the section; at the user's first strobe. shape [n] */
PetscErrorCode SectionEigenvector_Private(Continuation c, PetscReal target, PetscReal *direction);
PetscErrorCode SectionDirection_Private(Continuation c, SpecialType type, const OrbitPoint *point, PetscReal *direction);

/* orbit_point.c */
PetscErrorCode PointCreate_Private(Continuation c, OrbitPoint *point);
PetscErrorCode PointDestroy_Private(OrbitPoint *point);
PetscErrorCode PointCopy_Private(const Continuation c, const OrbitPoint *from, OrbitPoint *to);
/* From point->z on the plane t . (z - base) = distance: solved, with tangent along `along`, record, multipliers and tests. */
PetscErrorCode PointSolve_Private(Continuation c, const PetscReal *base, const PetscReal *normal, PetscReal distance, OrbitPoint *point,
                                  CorrectorReason *reason);
/* What follows a solution of the corrector: normal NULL: the tangent points where the parameter grows. */
PetscErrorCode PointLook_Private(Continuation c, OrbitPoint *point, CorrectorReason *reason);
PetscErrorCode PointRecord_Private(Continuation c, OrbitPoint *point, CorrectorReason *reason);
PetscErrorCode PointMargin_Private(Continuation c, OrbitPoint *point);
PetscErrorCode PointTests_Private(Continuation c, OrbitPoint *point);
void           PointTurn_Private(const Continuation c, OrbitPoint *point); /* to look the other way along the branch */
/* test[TEST_HALVED] of `other`: 1 as long as its halves differ in the same sense as those of base, -1 when they have changed places. */
void      PointCompareHalves_Private(const Continuation c, const OrbitPoint *base, OrbitPoint *other);
PetscReal PointHalves_Private(const Continuation c, const OrbitPoint *point); /* how much its halves differ, over its swing */
PetscReal PointSlowest_Private(const OrbitPoint *point, PetscInt *which);     /* of the onsets */

/* judge.c */
PetscErrorCode JudgeErrors_Private(Continuation c, OrbitPoint *point);
PetscInt       JudgeStability_Private(const Multipliers *m, PetscInt *unstable);
/* The value of the parameter at which the second cut has the special point, minus that here; NaN: not found. reach: how far to look. */
PetscErrorCode JudgeSmooth_Private(Continuation c, const OrbitPoint *point, Test test, PetscReal reach, PetscReal *difference);
PetscErrorCode JudgeContacts_Private(Continuation c, const OrbitPoint *near, PetscReal left, PetscReal reach, ContactEvent event,
                                     PetscReal lambda, PetscReal *difference);

/* location.c */
PetscErrorCode LocateSmooth_Private(Continuation c, const OrbitPoint *a, const OrbitPoint *b, Test test, OrbitPoint *out, PetscReal *width,
                                    PetscBool *found);
/* The parameter at fraction u of the way from a to b. */
PetscReal LocateBetween_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b, PetscReal u);
/* Which special point a zero of the test is; 0: none (a neutral saddle). */
SpecialType LocateType_Private(const OrbitPoint *point, Test test);

/* contacts.c */
void ContactsMeasure_Private(const Continuation c, OrbitPoint *point);
/* Arclength from b to the nearest event by the line through a and b; INFINITY: none. */
PetscReal ContactsAhead_Private(const OrbitPoint *a, const OrbitPoint *b, ContactEvent *event);
PetscBool ContactsTwice_Private(const Continuation c, const OrbitPoint *before, const OrbitPoint *base, const OrbitPoint *next);
/* On the way to an event. */
typedef struct {
  PetscReal    step;      /* as far as was asked for */
  PetscReal    low, high; /* arclength from the first orbit to the nearest to the event, and to one beyond it */
  PetscReal    part;      /* of the way to where the measure vanishes, for the next orbit */
  PetscReal    left;      /* from the nearest orbit to the event */
  PetscReal    lambda, width;
  PetscInt     tries;
  PetscBool    sure, two, moved; /* something happens; two orbits make a line; the nearest orbit is new */
  ContactEvent event;
} Approach;
typedef enum {
  APPROACH_TRIED, /* and no nearer */
  APPROACH_MOVED,
  APPROACH_ARRIVED,
  APPROACH_LOST /* no measure vanishes */
} ApproachState;
PetscErrorCode ContactsBegin_Private(Continuation c, const OrbitPoint *base, const OrbitPoint *before, PetscReal step, PetscBool sure,
                                     Approach *approach);
PetscErrorCode ContactsApproach_Private(Continuation c, Approach *approach, ApproachState *state);
PetscErrorCode ContactsCross_Private(Continuation c, const OrbitPoint *a, PetscReal ahead, PetscReal step, OrbitPoint *b, PetscBool *found);
SpecialType    ContactsType_Private(const Continuation c, ContactEvent event, const OrbitPoint *a, const OrbitPoint *b, PetscReal *when);
SpecialKink    ContactsKink_Private(const OrbitPoint *a, const OrbitPoint *over);

/* rows.c */
PetscErrorCode RowPoint_Private(Continuation c, const OrbitPoint *point);
/* A special point where `point` is, or next to it, at `lambda`. */
typedef struct {
  SpecialType type;
  SpecialKink kink;
  PetscReal   lambda, width, difference, test; /* difference: to the second cut */
  PetscInt    before, after;                   /* contacts */
  PetscReal   when;                            /* onset of the one that changes */
} Special;
PetscErrorCode RowSpecial_Private(Continuation c, const OrbitPoint *point, const Special *special);

/* passage.c */
typedef enum { SMOOTH_GOOD, SMOOTH_HALVED, SMOOTH_UNRESOLVED } Smoothness;
PetscErrorCode PassageSmooth_Private(Continuation c, const OrbitPoint *a, OrbitPoint *b, Smoothness *smooth);
/* What lies ahead of a step. */
typedef enum {
  MET_NOTHING, /* no event: nothing has happened */
  MET_MOVED,   /* none, but base is nearer to where it was looked for */
  MET_CROSSED, /* one was closed in and crossed: base is its far side */
  MET_BEYOND,  /* it lies beyond the bounds of the parameter: next is the orbit before it */
  MET_END      /* the branch does not go on */
} Met;
PetscErrorCode PassageContacts_Private(Continuation c, int side, PetscReal step, PetscBool sure, Met *met);
/* A point joins the branch: errors, margin, row. */
PetscErrorCode PassageStore_Private(Continuation c, OrbitPoint *point);
PetscErrorCode PassageEnd_Private(Continuation c, int side, BranchEnd end, const char *format, ...);
PetscErrorCode PassageHalved_Private(Continuation c, int side);
/* Is this an orbit of half the period, in round-off? */
PetscBool PassageIsHalf_Private(const Continuation c, const OrbitPoint *point);

/* walk.c */
/* Ahead from base until something ends it. side: 0 backwards, 1 forwards */
PetscErrorCode Walk_Private(Continuation c, int side);

#endif
