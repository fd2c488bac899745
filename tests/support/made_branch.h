/*
  made_branch.h - branches in closed form, sampled as a continuation would sample them.

  The frequency is W and the displacement has the range RANGE over every orbit.
*/
#ifndef GRAZE_TESTS_MADE_BRANCH_H
#define GRAZE_TESTS_MADE_BRANCH_H

#include "graze/branch.h"

#define GOOD(call)      assert_int_equal((int)(call), 0)
#define W               3.0
#define RANGE           2.0
#define MADE_PERIOD_MAX 3

/* The branch at arclength s. */
typedef struct {
  PetscReal parameter, slope, y1[MADE_PERIOD_MAX], y2[MADE_PERIOD_MAX];
  PetscInt  contacts, stability;
  PetscReal onset[2]; /* of the contacts, in periods */
} Here;
typedef Here CurveAt(PetscReal s);

/* Without points. The caller destroys it. */
void Begin(PetscInt period, ContinueParameter parameter, Branch *b);
void AddPoint(CurveAt *at, PetscReal s, Branch *b);
void AddSpecial(CurveAt *at, SpecialType type, PetscReal s, PetscInt before, PetscInt after, Branch *b);
/* Over the amplitude, with n points at first, first + step, ... */
void Sample(CurveAt *at, PetscInt period, PetscReal first, PetscReal step, PetscInt n, Branch *b);
/* The orbit of the curve at s, seen from the branch. */
BranchNear CloseTo(const Branch *b, CurveAt *at, PetscReal s);
/* How many, and the first four of them. */
PetscInt Crossings(const Branch *b, PetscReal parameter, BranchCrossing *out);

#endif
