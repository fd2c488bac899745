/*
  branch_curve.h - a branch as a curve: parameter and strobes between its points. Private to src/continuation.   [theory 18]

  Nodes are the points, and between them located folds, where the slope is 0, and changes of contacts; segment m lies between nodes m and
  m + 1. Lengths along it are arclengths since node m.
*/
#ifndef GRAZE_BRANCH_CURVE_H
#define GRAZE_BRANCH_CURVE_H

#include "graze/branch.h"

typedef enum {
  SEGMENT_SMOOTH,
  SEGMENT_JUMP, /* an onset or the end of a contact passes a strobe: what is seen there jumps, the orbit does not */
  SEGMENT_KINK  /* the contacts change on the way, and no special point tells where */
} SegmentKind;

typedef struct {
  PetscReal        s, parameter, slope; /* slope NaN: not known */
  const PetscReal *y1, *y2;             /* shape [period] */
  PetscReal        slack;               /* the parameter counts as met within this */
  PetscInt         before, after;       /* contacts */
  PetscInt         point;               /* this one, or the one before a special point; -1: before the first */
  PetscBool        kink;
  SegmentKind      kind; /* of the segment that begins here */
} CurveNode;

typedef struct {
  const Branch *branch; /* borrowed */
  PetscInt      n, period;
  CurveNode    *node; /* rising arclength */
} Curve;

/* The parameter on one segment: a polynomial. */
#define CURVE_CONDITIONS 4
typedef struct {
  PetscReal power[CURVE_CONDITIONS];      /* of the length along the segment */
  PetscReal difference[CURVE_CONDITIONS]; /* divided differences over the nodes */
  PetscInt  n, node[CURVE_CONDITIONS];    /* equal ones: the slope too */
} CurvePolynomial;

PetscErrorCode CurveCreate(const Branch *branch, Curve *curve);
PetscErrorCode CurveDestroy(Curve *curve);
void           CurveParameter(const Curve *curve, PetscInt m, CurvePolynomial *p);
PetscReal      CurveValue(const CurvePolynomial *p, PetscReal t);
/* First and second derivative. */
void CurveSlopes(const CurvePolynomial *p, PetscReal t, PetscReal *first, PetscReal *second);
/* How far the parameter may be off. */
PetscReal CurveParameterError(const Curve *curve, PetscInt m, const CurvePolynomial *p, PetscReal t);
/* Displacement (velocity: 0) or velocity (1) at strobe k, its slope, and how far it may be off. side: 0; of a jump, as it goes on from its
   begin (0) or from its end (1). */
void CurveStrobe(const Curve *curve, PetscInt m, int side, int velocity, PetscInt k, PetscReal t, PetscReal *value, PetscReal *slope,
                 PetscReal *error);

#endif
