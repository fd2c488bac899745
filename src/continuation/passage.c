/*
  passage.c - what lies on the way from one orbit to the next: special points, and changes of the contacts.   [theory 18.3, 18.4]

  No two neighbouring orbits go uncompared, be they stored or passed on the way to an event: between them every test function is looked at,
  and the event itself is compared, as its far side sees it, with the first orbit beyond.
*/
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "continuation_impl.h"

/* Halves that differ by less than this part of the swing are those of an orbit of half the period, in round-off: no branch ends there. */
static const PetscReal equal_halves = 1e-7;
/* An orbit this near an event, whose halves differ by no more than this, is at the event one of half the period. */
static const PetscReal met_halves = 1e-6;
/* Orbits on the way to an event join the branch if they lie further apart than this part of a step. */
static const PetscReal apart = 0.1;

PetscErrorCode PassageStore_Private(Continuation c, OrbitPoint *point)
{
  PetscFunctionBeginUser;
  PetscCall(JudgeErrors_Private(c, point));
  PetscCall(PointMargin_Private(c, point));
  point->step = point->arclength - c->stored;
  c->stored   = point->arclength;
  PetscCall(RowPoint_Private(c, point));
  c->broken = (PetscBool)(point->margin < -1e-9); /* round-off of the gap is 1e-13 of the swing */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PassageEnd_Private(Continuation c, int side, BranchEnd end, const char *format, ...)
{
  va_list list;

  PetscFunctionBeginUser;
  c->branch->end[side] = end;
  va_start(list, format);
  (void)vsnprintf(c->branch->why[side], sizeof c->branch->why[side], format, list);
  va_end(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PassageHalved_Private(Continuation c, int side)
{
  PetscFunctionBeginUser;
  PetscCall(PassageEnd_Private(c, side, END_HALVED, "the two halves of the orbit become equal near %.6g", (double)c->halved_at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PassageIsHalf_Private(const Continuation c, const OrbitPoint *point)
{
  return (PetscBool)(c->period % 2 == 0 && !(PointHalves_Private(c, point) > equal_halves));
}

/* ---- smooth ---- */

/*
  Do the halves of the orbit change places between two points? Then the branch passes the orbit of half the period that it doubled, or
  another: the system is singular there, so that the place comes from the line between the points.
*/
static PetscBool Halved_Private(Continuation c, const OrbitPoint *a, OrbitPoint *b)
{
  const PetscReal da = PointHalves_Private(c, a), db = PointHalves_Private(c, b);

  if (!(da > equal_halves && db > equal_halves)) return PETSC_FALSE;
  PointCompareHalves_Private(c, a, b);
  if (!(b->test[TEST_HALVED] < -0.9 && da < 0.5 && db < 0.5)) return PETSC_FALSE;
  c->halved_at = LocateBetween_Private(c, a, b, da / (da + db));
  return PETSC_TRUE;
}

/*
  PassageSmooth_Private - Zeros of the test functions between two orbits with the same contacts, into the table in the order of the
  arclength.

  Output:  smooth - SMOOTH_HALVED: the branch ends in between, and b is void; SMOOTH_UNRESOLVED: a test changes its sign and no orbit is
           found at which it does: nothing is stored, and the orbits are too far apart
*/
PetscErrorCode PassageSmooth_Private(Continuation c, const OrbitPoint *a, OrbitPoint *b, Smoothness *smooth)
{
  const PetscBool leaving = (PetscBool)(c->branch->start.direction && a->arclength == 0.0); /* the orbit that it branches off */
  OrbitPoint     *out[TESTS];
  PetscReal       width[TESTS];
  Test            which[TESTS];
  PetscInt        n = 0;

  PetscFunctionBeginUser;
  *smooth = SMOOTH_GOOD;
  if (leaving) PetscFunctionReturn(PETSC_SUCCESS);
  if (Halved_Private(c, a, b)) {
    *smooth = SMOOTH_HALVED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int test = 0; test < TEST_HALVED; ++test) {
    OrbitPoint *point = &c->scratch[SCRATCH_TESTS + n];
    PetscReal   w;
    PetscBool   found;
    PetscInt    j = n;

    if ((a->test[test] > 0.0) == (b->test[test] > 0.0)) continue;
    PetscCall(LocateSmooth_Private(c, a, b, (Test)test, point, &w, &found));
    if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    if (!found) {
      *smooth = SMOOTH_UNRESOLVED;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!LocateType_Private(point, (Test)test)) continue;
    for (; j > 0 && out[j - 1]->arclength > point->arclength; --j) {
      out[j]   = out[j - 1];
      width[j] = width[j - 1];
      which[j] = which[j - 1];
    }
    out[j]   = point;
    width[j] = w;
    which[j] = (Test)test;
    ++n;
  }
  for (PetscInt i = 0; i < n; ++i) {
    Special special = {.type   = LocateType_Private(out[i], which[i]),
                       .lambda = out[i]->lambda,
                       .width  = width[i],
                       .test   = out[i]->test[which[i]],
                       .before = a->record.count,
                       .after  = a->record.count,
                       .when   = NAN};

    PetscCall(JudgeErrors_Private(c, out[i]));
    PetscCall(JudgeSmooth_Private(c, out[i], which[i], b->arclength - a->arclength, &special.difference));
    PetscCall(RowSpecial_Private(c, out[i], &special));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- contacts ---- */

/* Along the orbits that lead to the event ahead of base. arrived: the last of them, scratch[SCRATCH_NEAR], lies next to it. */
static PetscErrorCode Approach_Private(Continuation c, PetscReal step, PetscBool sure, Approach *approach, ApproachState *state,
                                       Smoothness *smooth)
{
  OrbitPoint *a = &c->scratch[SCRATCH_NEAR], *last = &c->scratch[SCRATCH_LAST];

  PetscFunctionBeginUser;
  *smooth = SMOOTH_GOOD;
  PetscCall(ContactsBegin_Private(c, &c->base, c->has_before ? &c->before : NULL, step, sure, approach));
  do {
    PetscCall(ContactsApproach_Private(c, approach, state));
    if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    if (*state != APPROACH_MOVED) continue;
    PetscCall(PassageSmooth_Private(c, last, a, smooth));
    if (c->stopped || *smooth == SMOOTH_HALVED) PetscFunctionReturn(PETSC_SUCCESS);
    if (*smooth == SMOOTH_UNRESOLVED) { /* back to the one before */
      PetscCall(PointCopy_Private(c, last, a));
      *state = APPROACH_LOST;
    } else if (a->arclength - c->stored > apart * PetscMin(step, c->max_step)) {
      PetscCall(PassageStore_Private(c, a));
    }
  } while (*state == APPROACH_TRIED || *state == APPROACH_MOVED);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Nowhere_Private(Continuation c, int side, const Special *event)
{
  PetscFunctionBeginUser;
  PetscCall(PassageEnd_Private(c, side, END_STEP, "no orbit found beyond the event at %.10g (%s)", (double)event->lambda,
                               SpecialTypeNames[event->type]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PassageContacts_Private - Do the contacts change ahead of base, within `step` of it? If so, up to the event and across.

  Input:   sure - something changes
  Output:  met; base - the first orbit beyond the event, or nearer to where it was looked for
*/
PetscErrorCode PassageContacts_Private(Continuation c, int side, PetscReal step, PetscBool sure, Met *met)
{
  OrbitPoint   *a = &c->scratch[SCRATCH_NEAR], *over = &c->scratch[SCRATCH_TRIAL], *b = &c->next;
  Special       special = {.difference = NAN};
  Approach      approach;
  ApproachState state;
  Smoothness    smooth;
  PetscBool     found;

  PetscFunctionBeginUser;
  *met = MET_NOTHING;
  PetscCall(Approach_Private(c, step, sure, &approach, &state, &smooth));
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  if (smooth == SMOOTH_HALVED) {
    *met = MET_END;
    PetscCall(PassageHalved_Private(c, side));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (state == APPROACH_LOST) {
    if (!(a->arclength > c->base.arclength)) PetscFunctionReturn(PETSC_SUCCESS);
    *met = MET_MOVED;
    if (a->arclength > c->stored) PetscCall(PassageStore_Private(c, a));
    PetscCall(PointCopy_Private(c, &c->base, &c->before));
    PetscCall(PointCopy_Private(c, a, &c->base));
    c->has_before = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  special.lambda = a->lambda + a->slope * approach.left;
  special.width  = PetscMax(approach.width, 1e-15 * fabs(special.lambda));
  special.test   = a->measure[approach.event];
  special.before = a->record.count;
  special.after  = a->record.count + (approach.event == EVENT_BIRTH || approach.event == EVENT_PARTING ? 1 : -1);
  if (special.lambda > c->params.continue_max || special.lambda < c->params.continue_min) {
    *met = MET_BEYOND;
    PetscCall(PointCopy_Private(c, a, &c->next));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *met = MET_CROSSED;
  if (a->arclength > c->stored + c->min_step) PetscCall(PassageStore_Private(c, a));
  if (c->params.flow == FLOW_RESTITUTION) {
    special.type = ContactsType_Private(c, approach.event, a, NULL, &special.when);
    PetscCall(RowSpecial_Private(c, a, &special));
    PetscCall(PassageEnd_Private(c, side, END_GRAZING, "an impact %s at %.10g: the map has no derivative there",
                                 approach.event == EVENT_BIRTH ? "is born" : "dies", (double)special.lambda));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(JudgeContacts_Private(c, a, approach.left, step, approach.event, special.lambda, &special.difference));
  if (c->period % 2 == 0 && PointHalves_Private(c, a) < met_halves) {
    special.type = ContactsType_Private(c, approach.event, a, NULL, &special.when);
    PetscCall(RowSpecial_Private(c, a, &special));
    c->halved_at = special.lambda;
    PetscCall(PassageHalved_Private(c, side));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ContactsCross_Private(c, a, approach.left, step, b, &found));
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  special.type = ContactsType_Private(c, approach.event, a, found ? b : NULL, &special.when);
  if (found) special.after = b->record.count;
  if (found) special.kink = ContactsKink_Private(a, over);
  PetscCall(RowSpecial_Private(c, a, &special));
  if (!found) {
    PetscCall(Nowhere_Private(c, side, &special));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PassageSmooth_Private(c, over, b, &smooth));
  while (!c->stopped && found && smooth == SMOOTH_UNRESOLVED) { /* the next event lies before b already */
    PetscCall(ContactsCross_Private(c, a, approach.left, 0.25 * (b->arclength - over->arclength), b, &found));
    if (found && !c->stopped) PetscCall(PassageSmooth_Private(c, over, b, &smooth));
  }
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  if (!found) {
    PetscCall(Nowhere_Private(c, side, &special));
    *met = MET_END;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (smooth == SMOOTH_HALVED) {
    *met = MET_END;
    PetscCall(PassageHalved_Private(c, side));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PointCopy_Private(c, b, &c->base));
  PetscCall(PassageStore_Private(c, &c->base));
  c->has_before = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
