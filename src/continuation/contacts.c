/*
  contacts.c - where the contacts of an orbit change along a branch: one is born or dies, two join, one parts.   [theory 18.4]

  The branch is continuous there. At a grazing onset the map has one derivative on each side, and the branch may turn back; at releases and
  mergings the derivative is continuous. The event is approached from the near side alone, by a measure that tends to zero with the
  arclength: the smallest gap or force where a contact is about to be born or to part, the slowest onset or the shortest flight where one is
  about to die or two to join. Beyond it lies the tangent of the far side, from the derivative of the map a little further on; the walk goes
  on along that, in the sense in which the contacts have changed.
*/
#include <math.h>

#include "continuation_impl.h"

/* The part of the way to an event that one orbit goes: the next line is shorter by a factor of fifty, and it stays on this side. */
static const PetscReal near_side = 0.98;

/* A contact that shifts by more than this in a step, in periods of the forcing, may be another one; so may one that shifts by more than
   that many times what it did in the last step, and by more than the smallest shift that counts. */
static const PetscReal shift_far = 0.1, shift_grows = 3.0, shift_small = 0.005;

/* The shortest flight between two contacts, in periods of the forcing, and the contact that ends it. */
static PetscReal ShortestFlight_Private(const Continuation c, const OrbitPoint *point, PetscInt *which)
{
  const PetscInt  n = PetscMin(point->record.count, point->record.capacity);
  const PetscReal p = (PetscReal)c->period, T = ProblemPeriod(&c->problem, point->lambda);
  PetscReal       shortest = INFINITY;

  *which = -1;
  for (PetscInt i = 0; i < n && n > 1; ++i) {
    const PetscInt next   = (i + 1) % n;
    PetscReal      flight = point->onset[next] - point->onset[i] - point->record.contact[i].duration / T;

    if (next == 0) flight += p;
    if (flight < shortest) {
      shortest = flight;
      *which   = next;
    }
  }
  return shortest;
}

/* Measures that are zero at an event and, near it, linear in the arclength; INFINITY where there is none.   (18.9) */
void ContactsMeasure_Private(const Continuation c, OrbitPoint *point)
{
  const FlowRecord *r     = &point->record;
  const PetscReal   swing = r->max_displacement - r->min_displacement,
                  speed   = swing * 2.0 * PETSC_PI / ProblemPeriod(&c->problem, point->lambda);
  const PetscReal slowest = PointSlowest_Private(point, &point->slowest) / speed, flight = ShortestFlight_Private(c, point, &point->second);
  const PetscBool rigid = (PetscBool)(c->params.flow == FLOW_RESTITUTION);

  point->measure[EVENT_BIRTH]   = isnan(r->min_gap) ? INFINITY : r->min_gap / swing;
  point->measure[EVENT_PARTING] = isnan(r->min_force) || !(r->peak_force > 0.0) ? INFINITY : r->min_force / r->peak_force;
  /* of a finite force the depth of a contact is v^2/2a; a rigid impact acts by its velocity itself */
  point->measure[EVENT_DEATH]   = rigid ? slowest : PetscSqr(slowest);
  point->measure[EVENT_JOINING] = rigid ? INFINITY : PetscSqr(flight);
}

/*
  Two contacts that join: the flight between them vanishes, and with its square the second's onset velocity (18.9a); the flight before a
  contact that merely dies stays finite. So where both fall and belong to one contact, the flight is the measure, as long as it falls.
*/
static PetscBool Joins_Private(const OrbitPoint *a, const OrbitPoint *b)
{
  return (PetscBool)(b->slowest == b->second && b->measure[EVENT_JOINING] < 0.9 * a->measure[EVENT_JOINING]);
}

/* Arclength from b at which a measure vanishes by the line through a and b; INFINITY: it does not fall. */
static PetscReal Vanishes_Private(const OrbitPoint *a, const OrbitPoint *b, ContactEvent event)
{
  const PetscReal fall = (a->measure[event] - b->measure[event]) / (b->arclength - a->arclength);

  if (!isfinite(fall) || !(fall > 0.0)) return INFINITY;
  return b->measure[event] / fall;
}

PetscReal ContactsAhead_Private(const OrbitPoint *a, const OrbitPoint *b, ContactEvent *event)
{
  PetscReal nearest = INFINITY;

  *event = EVENT_BIRTH;
  if (a->record.count != b->record.count) return INFINITY;
  for (int e = 0; e < CONTACT_EVENTS; ++e) {
    const PetscReal s = e == EVENT_DEATH && Joins_Private(a, b) ? INFINITY : Vanishes_Private(a, b, (ContactEvent)e);

    if (s < nearest) {
      nearest = s;
      *event  = (ContactEvent)e;
    }
  }
  return nearest;
}

/* Do two orbits with the same contacts lie on one smooth piece? Else the contacts have changed in between, and back. */
static PetscBool Smooth_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b, PetscReal step)
{
  PetscReal cosine = 0.0, off = 0.0;

  for (PetscInt i = 0; i < c->corrector.N; ++i) {
    cosine += a->t[i] * b->t[i];
    off += PetscSqr(b->z[i] - a->z[i] - step * a->t[i]);
  }
  return (PetscBool)(cosine >= CONTINUATION_TURN && sqrt(off) <= step);
}

/*
  Has a contact come and gone between base and next, for all that the measures say? If a parabola through the three passes zero there; or if
  a measure that was about to vanish within three such steps has turned round, since the smallest of several gaps or forces may be that of
  another place once an event is over.
*/
static PetscBool Dip_Private(const OrbitPoint *before, const OrbitPoint *base, const OrbitPoint *next)
{
  const PetscReal h = base->arclength - before->arclength, k = next->arclength - base->arclength;

  for (int e = 0; e < CONTACT_EVENTS; ++e) {
    const PetscReal m0 = before->measure[e], m1 = base->measure[e], m2 = next->measure[e];
    const PetscReal bend = ((m2 - m1) / k - (m1 - m0) / h) / (h + k), slope = (m1 - m0) / h + bend * h, lowest = -0.5 * slope / bend;

    if (isfinite(bend) && bend > 0.0 && lowest > 0.0 && lowest < k && m1 + 0.5 * slope * lowest < 0.0) return PETSC_TRUE;
    if (m2 > m1 && Vanishes_Private(before, base, (ContactEvent)e) < 3.0 * k) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The largest shift of the begin or end of a contact between two orbits, in periods of the forcing, in the rotation in which they fit best.
   Cost O(n^2). */
static PetscReal Shift_Private(const Continuation c, const OrbitPoint *a, const OrbitPoint *b)
{
  const PetscInt  n  = PetscMin(a->record.count, a->record.capacity);
  const PetscReal Ta = ProblemPeriod(&c->problem, a->lambda), Tb = ProblemPeriod(&c->problem, b->lambda);
  PetscReal       best = n ? INFINITY : 0.0;

  for (PetscInt turn = 0; turn < n; ++turn) {
    PetscReal worst = 0.0;

    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt  j     = (i + turn) % n;
      const PetscReal shift = remainder(b->onset[j] - a->onset[i], (PetscReal)c->period);
      const PetscReal grown = b->record.contact[j].duration / Tb - a->record.contact[i].duration / Ta;

      worst = PetscMax(worst, PetscMax(fabs(shift), fabs(shift + grown)));
    }
    best = PetscMin(best, worst);
  }
  return best;
}

/*
  ContactsTwice_Private - May contacts have changed and changed back between base and next, which have as many? before: behind base, or
  NULL.

  It is looked for down to a small part of the largest step: where a measure only just fails to reach zero no step is short enough.
*/
PetscBool ContactsTwice_Private(const Continuation c, const OrbitPoint *before, const OrbitPoint *base, const OrbitPoint *next)
{
  const PetscReal shift = Shift_Private(c, base, next), step = next->arclength - base->arclength;

  if (step < c->max_step / 64.0) return PETSC_FALSE;
  if (shift > shift_far) return PETSC_TRUE;
  if (!before || before->record.count != base->record.count) return PETSC_FALSE;
  if (Dip_Private(before, base, next)) return PETSC_TRUE;
  return (PetscBool)(shift > shift_small + shift_grows * Shift_Private(c, before, base) * step / (base->arclength - before->arclength));
}

/*
  ContactsBegin_Private - Begin to close in on the event ahead of base within `step`.

  before: a point of the branch behind base with the same contacts, or NULL. sure: something happens within the step; else it is given up
  as soon as no measure says so any more.
*/
PetscErrorCode ContactsBegin_Private(Continuation c, const OrbitPoint *base, const OrbitPoint *before, PetscReal step, PetscBool sure,
                                     Approach *p)
{
  PetscFunctionBeginUser;
  *p = (Approach){.step = step, .high = step, .part = near_side, .lambda = NAN, .width = INFINITY, .sure = sure, .two = before != NULL};
  PetscCall(PointCopy_Private(c, base, &c->scratch[SCRATCH_NEAR]));
  if (before) PetscCall(PointCopy_Private(c, before, &c->scratch[SCRATCH_LAST]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ContactsApproach_Private - One orbit nearer to the event.

  Output:  scratch[SCRATCH_NEAR] - the last orbit on this side, [SCRATCH_LAST] - the one before it; p->left - arclength from there to the
           event; p->width - what is left of the parameter; p->event
  Cost:    one orbit
*/
PetscErrorCode ContactsApproach_Private(Continuation c, Approach *p, ApproachState *state)
{
  const PetscInt  N = c->corrector.N;
  OrbitPoint     *a = &c->scratch[SCRATCH_NEAR], *last = &c->scratch[SCRATCH_LAST], *mid = &c->scratch[SCRATCH_TRIAL];
  const PetscReal goal  = 1e-9 * PetscMax(fabs(a->lambda), 1e-3); /* a tenth of what is asked for, in the parameter */
  const PetscBool rigid = (PetscBool)(c->params.flow == FLOW_RESTITUTION);
  CorrectorReason reason;
  PetscBool       lined;
  PetscReal       s;

  PetscFunctionBeginUser;
  *state  = APPROACH_LOST;
  p->left = p->two ? ContactsAhead_Private(last, a, &p->event) : INFINITY;
  lined   = (PetscBool)(p->left < 4.0 * p->step);
  if (lined) {
    const PetscReal there = a->lambda + a->slope * p->left;

    if (p->moved) p->width = fabs(there - p->lambda);
    p->lambda = there;
    p->moved  = PETSC_FALSE;
    /*
      A soft contact: until the event is so near that its far side can be reached. A rigid one: until two lines agree, for Newton's domain
      shrinks with the velocity.
    */
    if (a->measure[p->event] < 1e-3 &&
        (rigid ? p->width < goal : p->left * PetscMax(fabs(a->slope), 1e-3) < goal && p->left < 1e-8 * c->lambda_scale)) {
      if (!rigid) p->width = fabs(a->slope * p->left);
      *state = APPROACH_ARRIVED;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if ((!lined && !p->sure) || ++p->tries > 100 || p->part < 1e-3 || p->high - p->low < 1e-12 * c->lambda_scale)
    PetscFunctionReturn(PETSC_SUCCESS);
  s = lined ? p->low + p->part * p->left : 0.5 * (p->low + p->high);
  if (s >= p->high) s = 0.5 * (p->low + p->high);
  for (PetscInt i = 0; i < N; ++i) mid->z[i] = a->z[i] + (s - p->low) * a->t[i];
  PetscCall(PointSolve_Private(c, a->z, a->t, s - p->low, mid, &reason));
  if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  *state         = APPROACH_TRIED;
  mid->arclength = a->arclength + (s - p->low);
  if (!reason && mid->record.count == a->record.count && Smooth_Private(c, a, mid, s - p->low) &&
      !ContactsTwice_Private(c, p->two ? last : NULL, a, mid)) {
    PetscCall(PointCopy_Private(c, a, last));
    PetscCall(PointCopy_Private(c, mid, a));
    p->two = p->moved = PETSC_TRUE;
    p->low            = s;
    p->part           = PetscMin(near_side, 1.5 * p->part);
    if (lined && p->low + p->left > p->high) p->high = p->low + 4.0 * p->left; /* it lies beyond the step that was asked for */
    *state = APPROACH_MOVED;
  } else if (lined && reason) {
    p->part *= 0.5; /* Newton arrives from near alone where an impact dies: its derivative grows like 1/v */
  } else {
    p->high = s;
    p->sure = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In which sense along its tangent the far side has motions with `count` contacts: 1, -1, or 0 where that cannot be told. */
static PetscErrorCode Sense_Private(Continuation c, OrbitPoint *over, PetscInt count, PetscReal *way)
{
  const PetscInt N    = c->corrector.N;
  OrbitPoint    *look = &c->scratch[SCRATCH_SECTION];

  PetscFunctionBeginUser;
  *way = 0.0;
  for (PetscReal e = 1e-8; e < 1e-2 && *way == 0.0; e *= 4.0)
    for (int back = 0; back < 2; ++back) {
      const PetscReal h = (back ? -e : e) * c->lambda_scale;
      CorrectorReason reason;

      for (PetscInt i = 0; i < N; ++i) look->z[i] = over->z[i] + h * over->t[i];
      look->lambda = look->z[N - 1];
      PetscCall(PointRecord_Private(c, look, &reason));
      if (!reason && look->record.count == count) *way += back ? -1.0 : 1.0;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ContactsCross_Private - From an orbit next to an event to one on its far side.

  Input:   a - next to the event, ahead - arclength from there to it; step - how far to go at first
  Output:  scratch[SCRATCH_TRIAL] - the event itself as its far side sees it: tangent, multipliers, tests; b - an orbit beyond, with the
           tangent pointing away; found
*/
PetscErrorCode ContactsCross_Private(Continuation c, const OrbitPoint *a, PetscReal ahead, PetscReal step, OrbitPoint *b, PetscBool *found)
{
  const PetscInt  N    = c->corrector.N;
  OrbitPoint     *over = &c->scratch[SCRATCH_TRIAL];
  CorrectorReason reason;
  PetscInt        count = a->record.count;
  PetscReal       way;
  PetscBool       singular;

  PetscFunctionBeginUser;
  *found = PETSC_FALSE;
  /* the derivative on the far side, at the nearest motion whose contacts have changed */
  for (PetscReal e = 1e-8; e < 1e-3 && count == a->record.count; e *= 4.0) {
    for (PetscInt i = 0; i < N; ++i) over->z[i] = a->z[i] + (ahead + e * c->lambda_scale) * a->t[i];
    over->lambda = over->z[N - 1];
    PetscCall(CorrectorSetPlane(&c->corrector, a->z, a->t, 0.0));
    PetscCall(CorrectorEvaluate(&c->corrector, over->z, &reason));
    if (reason) continue;
    PetscCall(PointRecord_Private(c, over, &reason));
    if (!reason) count = over->record.count;
  }
  if (count == a->record.count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CorrectorTangent(&c->corrector, over->t, &singular));
  if (singular) PetscFunctionReturn(PETSC_SUCCESS);
  over->slope     = over->t[N - 1];
  over->arclength = a->arclength + ahead;
  PetscCall(PointTests_Private(c, over));
  for (PetscInt i = 0; i < N; ++i) over->z[i] = a->z[i] + ahead * a->t[i];
  over->lambda = over->z[N - 1];
  PetscCall(Sense_Private(c, over, count, &way));
  if (way < 0.0) PointTurn_Private(c, over);
  for (PetscReal h = PetscMin(step, 1e-2 * c->lambda_scale); way != 0.0 && h > 1e-9 * c->lambda_scale; h *= 0.25) {
    for (PetscInt i = 0; i < N; ++i) b->z[i] = over->z[i] + h * over->t[i];
    PetscCall(PointSolve_Private(c, over->z, over->t, h, b, &reason));
    if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    /* a tangent that turns at once is that of another orbit */
    if (reason || b->record.count != count || !Smooth_Private(c, over, b, h)) continue;
    b->arclength = over->arclength + h;
    *found       = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What happens to the branch itself: it turns back, or an orbit of twice the period leaves, without a multiplier at +1 or -1.   (18.12) */
SpecialKink ContactsKink_Private(const OrbitPoint *a, const OrbitPoint *over)
{
  const PetscBool turns   = (PetscBool)(a->slope * over->slope < 0.0);
  const PetscBool doubles = (PetscBool)(a->test[TEST_DOUBLING] * over->test[TEST_DOUBLING] < 0.0);

  return turns && doubles ? KINK_FOLD_AND_DOUBLING : turns ? KINK_FOLD : doubles ? KINK_DOUBLING : KINK_NONE;
}

/* What the event is called, along the arclength, and the onset of the contact that appears or vanishes, where that is known. */
SpecialType ContactsType_Private(const Continuation c, ContactEvent event, const OrbitPoint *a, const OrbitPoint *b, PetscReal *when)
{
  const OrbitPoint *last  = &c->scratch[SCRATCH_LAST]; /* the one before a, fifty times as far from the event */
  PetscInt          which = -1;

  *when = NAN;
  /* a contact that parted and joins again has a vanishing velocity as well as a vanishing flight before it */
  if (event == EVENT_DEATH && Joins_Private(last, a)) event = EVENT_JOINING;
  if (event == EVENT_DEATH) {
    (void)PointSlowest_Private(a, &which);
    *when = a->onset[which];
  } else if (event == EVENT_JOINING) {
    (void)ShortestFlight_Private(c, a, &which);
    *when = a->onset[which];
  } else if (b && event == EVENT_BIRTH) {
    (void)PointSlowest_Private(b, &which);
    *when = b->onset[which];
  } else if (b) {
    (void)ShortestFlight_Private(c, b, &which);
    if (which >= 0) *when = b->onset[which];
  }
  return event == EVENT_BIRTH || event == EVENT_DEATH ? SPECIAL_GRAZING_ONSET
         : event == EVENT_JOINING                     ? SPECIAL_CONTACT_MERGING
                                                      : SPECIAL_GRAZING_RELEASE;
}
