/*
  contacts.c - where the contacts of an orbit change along a branch: one is born or dies, two join, one parts.   [theory 18.4]

  The branch is continuous there, with a kink: the map has one derivative on each side, and the branch may turn back. So the event is
  approached from the near side alone, by a measure that tends to zero with the arclength: the smallest gap or force where a contact is
  about to be born or to part, the slowest onset or the shortest flight where one is about to die or two to join. Beyond it lies the tangent
  of the far side, from the derivative of the map a little further on; the walk goes on along that, in the sense in which the contacts have
  changed.
*/
#include <math.h>

#include "continuation_impl.h"

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
  PetscInt        which;
  const PetscReal slowest = PointSlowest_Private(point, &which) / speed, flight = ShortestFlight_Private(c, point, &which);
  const PetscBool rigid = (PetscBool)(c->params.flow == FLOW_RESTITUTION);

  point->measure[EVENT_BIRTH]   = isnan(r->min_gap) ? INFINITY : r->min_gap / swing;
  point->measure[EVENT_PARTING] = isnan(r->min_force) || !(r->peak_force > 0.0) ? INFINITY : r->min_force / r->peak_force;
  /* of a finite force the depth of a contact is v^2/2a; a rigid impact acts by its velocity itself */
  point->measure[EVENT_DEATH]   = rigid ? slowest : PetscSqr(slowest);
  point->measure[EVENT_JOINING] = rigid ? INFINITY : PetscSqr(flight);
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
    const PetscReal s = Vanishes_Private(a, b, (ContactEvent)e);

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
  Close in on the event ahead of base within `step`. before: a point of the branch behind base with the same contacts, or NULL. sure:
  something happens within the step; else it is given up as soon as no measure says so any more.

  Output: a - the last orbit on this side, next to the event; remaining - arclength from there to it; width - of the parameter there; found
  - false: no measure vanishes
*/
PetscErrorCode ContactsApproach_Private(Continuation c, const OrbitPoint *base, const OrbitPoint *before, PetscReal step, PetscBool sure,
                                        OrbitPoint *a, PetscReal *remaining, PetscReal *width, ContactEvent *event, PetscBool *found)
{
  const PetscInt  N    = c->corrector.N;
  const PetscReal goal = 1e-9 * PetscMax(fabs(base->lambda), 1e-3); /* a tenth of what is asked for, in the parameter */
  OrbitPoint     *mid = &c->scratch[4], *last = &c->scratch[3];
  PetscReal       low = 0.0, high = step, part = 0.98; /* the next line is shorter by a factor of fifty, and it stays on this side */
  PetscReal       lambda = NAN;
  const PetscBool rigid  = (PetscBool)(c->params.flow == FLOW_RESTITUTION);
  PetscBool       two = (PetscBool)(before != NULL), moved = PETSC_FALSE;

  PetscFunctionBeginUser;
  *found = PETSC_FALSE;
  *width = INFINITY;
  PetscCall(PointCopy_Private(c, base, a));
  if (before) PetscCall(PointCopy_Private(c, before, last));
  for (int it = 0; it < 100 && part > 1e-3 && high - low > 1e-12 * c->lambda_scale; ++it) {
    const PetscReal left  = two ? ContactsAhead_Private(last, a, event) : INFINITY;
    const PetscBool lined = (PetscBool)(left < 4.0 * step);
    CorrectorReason reason;
    PetscReal       s;

    if (lined) {
      const PetscReal there = a->lambda + a->slope * left;

      if (moved) *width = fabs(there - lambda);
      lambda = there;
      moved  = PETSC_FALSE;
      /*
        A soft contact: until the event is so near that its far side can be reached. A rigid one: until two lines agree, for Newton's domain
        shrinks with the velocity.
      */
      if (a->measure[*event] < 1e-3 &&
          (rigid ? *width < goal : left * PetscMax(fabs(a->slope), 1e-3) < goal && left < 1e-8 * c->lambda_scale)) {
        if (!rigid) *width = fabs(a->slope * left);
        *remaining = left;
        *found     = PETSC_TRUE;
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
    if (!lined && !sure) break;
    s = lined ? low + part * left : 0.5 * (low + high);
    if (s >= high) s = 0.5 * (low + high);
    for (PetscInt i = 0; i < N; ++i) mid->z[i] = a->z[i] + (s - low) * a->t[i];
    PetscCall(PointSolve_Private(c, a->z, a->t, s - low, mid, &reason));
    if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    if (!reason && mid->record.count == base->record.count && Smooth_Private(c, a, mid, s - low)) {
      mid->arclength = a->arclength + (s - low);
      mid->step      = mid->arclength - base->arclength;
      PetscCall(PointCopy_Private(c, a, last));
      PetscCall(PointCopy_Private(c, mid, a));
      two = moved = PETSC_TRUE;
      low         = s;
      part        = PetscMin(0.98, 1.5 * part);
      if (lined && low + left > high) high = low + 4.0 * left; /* the event lies beyond the step that was asked for */
    } else if (lined && reason) {
      part *= 0.5; /* Newton arrives from near alone where an impact dies: its derivative grows like 1/v */
    } else {
      high = s;
      sure = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  From an orbit next to an event to one on its far side.

  ahead: arclength from a to the event; step: how far to go at first. Output: b - with its tangent pointing away; found
*/
PetscErrorCode ContactsCross_Private(Continuation c, const OrbitPoint *a, PetscReal ahead, PetscReal step, OrbitPoint *b, PetscBool *found)
{
  const PetscInt  N    = c->corrector.N;
  OrbitPoint     *over = &c->scratch[4], *side[2] = {&c->scratch[3], b};
  CorrectorReason reason;
  PetscInt        count = a->record.count;
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
  for (PetscReal h = PetscMin(step, 1e-2 * c->lambda_scale); h > 1e-9 * c->lambda_scale; h *= 0.25) {
    for (int way = 0; way < 2; ++way) {
      const PetscReal sign = way ? -1.0 : 1.0;

      for (PetscInt i = 0; i < N; ++i) {
        side[way]->t[i] = sign * over->t[i];
        side[way]->z[i] = a->z[i] + ahead * a->t[i] + h * side[way]->t[i];
      }
      PetscCall(PetscArraycpy(c->direction, side[way]->t, N));
      PetscCall(PointSolve_Private(c, a->z, c->direction, h, side[way], &reason));
      if (c->stopped) PetscFunctionReturn(PETSC_SUCCESS);
      if (reason || side[way]->record.count != count) continue;
      { /* near the prediction: a tangent that turns at once is that of another orbit */
        PetscReal off = 0.0;

        for (PetscInt i = 0; i < N; ++i) off += PetscSqr(side[way]->z[i] - a->z[i]);
        if (sqrt(off) > 2.0 * h + 10.0 * ahead) continue;
      }
      if (way == 0) PetscCall(PointCopy_Private(c, side[0], b));
      b->step      = ahead + h;
      b->arclength = a->arclength + b->step;
      *found       = PETSC_TRUE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the event is called, along the arclength, and the onset of the contact that appears or vanishes, where that is known. */
SpecialType ContactsType_Private(const Continuation c, ContactEvent event, const OrbitPoint *a, const OrbitPoint *b, PetscReal *when)
{
  PetscInt which = -1;

  *when = NAN;
  /* a contact that parted and joins again has a vanishing velocity as well as a vanishing flight before it */
  if (event == EVENT_DEATH && ShortestFlight_Private(c, a, &which) < 1e-3) event = EVENT_JOINING;
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
