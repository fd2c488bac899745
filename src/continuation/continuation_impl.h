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
    continuation.c  the walk along a branch
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
  FlowRecord  record;                  /* of one orbit from the section on; contact: shape [capacity] */
  PetscReal  *onset;   /* time of each contact after the user's first strobe, in periods of the forcing, in [0, period); shape [capacity] */
  PetscReal  *y1, *y2; /* at the user's strobes, shape [period] */
  PetscReal  *x;       /* state at the first of them, shape [n] */
  PetscBool   in_contact; /* there */
  PetscReal   margin;
} OrbitPoint;

enum { SCRATCH_POINTS = 10 }; /* 0: sections; 1: bounds, closing; 2, 3, 4: contacts; 5 ..: one for each test */

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
  PetscReal *direction;    /* shape [N] */
  PetscInt   period, dense, capacity;
  /* status */
  PetscReal halved_at;           /* the parameter where the halves of an orbit changed places */
  Branch   *branch;              /* borrowed */
  PetscBool stopped, has_before; /* `before` lies behind base, with the same contacts perhaps */
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
/* test[TEST_HALVED] of `other`: 1 as long as its halves differ in the same sense as those of base, -1 when they have changed places. */
void      PointCompareHalves_Private(const Continuation c, const OrbitPoint *base, OrbitPoint *other);
PetscReal PointHalves_Private(const Continuation c, const OrbitPoint *point); /* how much its halves differ, over its swing */
PetscReal PointSlowest_Private(const OrbitPoint *point, PetscInt *which);     /* of the onsets */

/* judge.c */
PetscErrorCode JudgeErrors_Private(Continuation c, OrbitPoint *point);
PetscInt       JudgeStability_Private(const Multipliers *m, PetscInt *unstable);
/* The value of the parameter at which the second cut has the special point, minus that here; NaN: not found. reach: how far to look. */
PetscErrorCode JudgeSmooth_Private(Continuation c, const OrbitPoint *point, Test test, PetscReal reach, PetscReal *difference);
PetscErrorCode JudgeContacts_Private(Continuation c, const OrbitPoint *behind, PetscReal reach, ContactEvent event, PetscReal lambda,
                                     PetscReal *difference);

/* location.c */
PetscErrorCode LocateSmooth_Private(Continuation c, const OrbitPoint *a, const OrbitPoint *b, Test test, OrbitPoint *out, PetscReal *width,
                                    PetscBool *found);
/* Which special point a zero of the test is; 0: none (a neutral saddle). */
SpecialType LocateType_Private(const OrbitPoint *point, Test test);

/* contacts.c */
void ContactsMeasure_Private(const Continuation c, OrbitPoint *point);
/* Arclength from b to the nearest event by the line through a and b; INFINITY: none. */
PetscReal      ContactsAhead_Private(const OrbitPoint *a, const OrbitPoint *b, ContactEvent *event);
PetscErrorCode ContactsApproach_Private(Continuation c, const OrbitPoint *base, const OrbitPoint *before, PetscReal step, PetscBool sure,
                                        OrbitPoint *a, PetscReal *remaining, PetscReal *width, ContactEvent *event, PetscBool *found);
PetscErrorCode ContactsCross_Private(Continuation c, const OrbitPoint *a, PetscReal ahead, PetscReal step, OrbitPoint *b, PetscBool *found);
SpecialType    ContactsType_Private(const Continuation c, ContactEvent event, const OrbitPoint *a, const OrbitPoint *b, PetscReal *when);

/* rows.c */
PetscErrorCode RowPoint_Private(Continuation c, const OrbitPoint *point);
PetscErrorCode RowSpecial_Private(Continuation c, SpecialType type, const OrbitPoint *point, PetscReal lambda, PetscReal width,
                                  PetscReal difference, PetscReal test, PetscInt before, PetscInt after, PetscReal when);

#endif
