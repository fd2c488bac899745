/*
  made_branch.c - branches in closed form, sampled as a continuation would sample them.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>

#include "support/made_branch.h"

void Begin(PetscInt period, ContinueParameter parameter, Branch *b)
{
  PetscReal         x[2]  = {0, 0};
  const BranchStart start = {.amplitude = 1, .frequency = W, .stop = 0, .damping = 0, .period = period, .n = 2, .x = x};
  BranchLayout      layout;

  BranchLayoutSetUp(period, 4, 2, &layout);
  GOOD(BranchCreate(&start, &layout, b));
  b->parameter = parameter;
}

void AddPoint(CurveAt *at, PetscReal s, Branch *b)
{
  const Here     h = at(s);
  const PetscInt i = b->n_points;
  PetscReal     *row;

  GOOD(BranchAddPoint(b, &row));
  *BranchPoint(b, i, POINT_PARAMETER)        = h.parameter;
  *BranchPoint(b, i, POINT_ARCLENGTH)        = s;
  *BranchPoint(b, i, POINT_SLOPE)            = h.slope;
  *BranchPoint(b, i, POINT_STABILITY)        = (PetscReal)h.stability;
  *BranchPoint(b, i, POINT_N_CONTACTS)       = (PetscReal)h.contacts;
  *BranchPoint(b, i, POINT_MAX_DISPLACEMENT) = 1;
  *BranchPoint(b, i, POINT_MIN_DISPLACEMENT) = 1 - RANGE;
  for (PetscInt k = 0; k < PetscMin(h.contacts, 2); ++k) {
    BranchPoint(b, i, POINT_CONTACT_PERIOD)[k] = floor(h.onset[k]);
    BranchPoint(b, i, POINT_CONTACT_PHASE)[k]  = h.onset[k] - floor(h.onset[k]);
  }
  for (PetscInt k = 0; k < b->layout.period; ++k) {
    BranchPoint(b, i, POINT_STROBE_DISPLACEMENT)[k] = h.y1[k];
    BranchPoint(b, i, POINT_STROBE_VELOCITY)[k]     = h.y2[k];
  }
}

void AddSpecial(CurveAt *at, SpecialType type, PetscReal s, PetscInt before, PetscInt after, Branch *b)
{
  const Here     h     = at(s);
  const PetscInt i     = b->n_special;
  PetscInt       point = -1;
  PetscReal     *row;

  while (point + 1 < b->n_points && *BranchPoint(b, point + 1, POINT_ARCLENGTH) < s) ++point;
  GOOD(BranchAddSpecial(b, &row));
  *BranchSpecial(b, i, SPECIAL_TYPE)            = type;
  *BranchSpecial(b, i, SPECIAL_POINT)           = (PetscReal)point;
  *BranchSpecial(b, i, SPECIAL_PARAMETER)       = h.parameter;
  *BranchSpecial(b, i, SPECIAL_ARCLENGTH)       = s;
  *BranchSpecial(b, i, SPECIAL_WIDTH)           = 1e-9;
  *BranchSpecial(b, i, SPECIAL_CONTACTS_BEFORE) = (PetscReal)before;
  *BranchSpecial(b, i, SPECIAL_CONTACTS_AFTER)  = (PetscReal)after;
  for (PetscInt k = 0; k < b->layout.period; ++k) {
    BranchSpecial(b, i, SPECIAL_STROBE_DISPLACEMENT)[k] = h.y1[k];
    BranchSpecial(b, i, SPECIAL_STROBE_VELOCITY)[k]     = h.y2[k];
  }
}

/* Points at first, first + step, ... */
void Sample(CurveAt *at, PetscInt period, PetscReal first, PetscReal step, PetscInt n, Branch *b)
{
  Begin(period, CONTINUE_AMPLITUDE, b);
  for (PetscInt i = 0; i < n; ++i) AddPoint(at, first + (PetscReal)i * step, b);
}

BranchNear CloseTo(const Branch *b, CurveAt *at, PetscReal s)
{
  const Here h = at(s);
  BranchNear near;

  GOOD(BranchFindNear(b, h.parameter, b->layout.period, h.y1, h.y2, &near));
  return near;
}

PetscInt Crossings(const Branch *b, PetscReal parameter, BranchCrossing *out)
{
  BranchCrossing *found;
  PetscInt        n;

  GOOD(BranchFindCrossings(b, parameter, &n, &found));
  for (PetscInt i = 0; i < PetscMin(n, 4); ++i) out[i] = found[i];
  GOOD(PetscFree(found));
  return n;
}
