/*
  branch_near.c - where a branch passes a value of its parameter, and how far an orbit lies from it there.   [theory 18]

  The parameter is a polynomial on each segment of the curve; between its extremes it is monotonous and crosses a value at most once. How
  far it may be off counts by how far that shifts the crossing along the branch, near a fold its square root.

  Differences of strobes are relative to the range of the displacement over the whole orbit, its motion between the strobes included, and of
  velocities to that times the forcing frequency: the range of the strobes alone is 0 for period 1 and vanishes where a period doubles.
*/
#include <float.h>
#include <math.h>

#include "branch_curve.h"

#define SAME 1e-9 /* of a segment: an extreme so near to a node is the node's */

/* ---- crossings ---- */

typedef struct {
  PetscInt  segment;
  PetscReal t;     /* along it */
  PetscReal shift; /* by which the crossing may be off */
} Crossing;

static PetscReal Bisect_Private(const CurvePolynomial *p, PetscReal parameter, PetscReal low, PetscReal high, PetscBool rising)
{
  for (int i = 0; i < 60; ++i) {
    const PetscReal middle = 0.5 * (low + high);

    if ((CurveValue(p, middle) < parameter) == (PetscBool)rising) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/*
  A parameter off by e shifts the crossing by the root of |p'| t + |p''| t^2 / 2 = e away from a fold, and by up to 2.5 times that towards
  it.
*/
static PetscReal Shift_Private(const CurvePolynomial *p, PetscReal t, PetscReal e, PetscReal h)
{
  PetscReal first, second;

  CurveSlopes(p, t, &first, &second);
  return e > 0 ? fmin(h, 2.5 * 2 * e / fmax(fabs(first) + sqrt(first * first + 2 * fabs(second) * e), DBL_MIN)) : 0;
}

/* Crossings at the first node of segment m and inside it; of the last segment at its last node too. cross: room for 5 */
static PetscInt CrossingsOf_Private(const Curve *c, PetscInt m, PetscReal parameter, Crossing *cross)
{
  const CurveNode *a = &c->node[m], *b = a + 1;
  const PetscReal  h = b->s - a->s;
  CurvePolynomial  p;
  PetscReal        stop[4] = {0}, value[4];
  PetscInt         stops = 1, n = 0;

  CurveParameter(c, m, &p);
  { /* extremes of the cubic */
    const PetscReal qa = 3 * p.power[3], qb = 2 * p.power[2], qc = p.power[1], disc = qb * qb - 4 * qa * qc;
    const PetscReal w = disc > 0 ? -0.5 * (qb + copysign(sqrt(disc), qb)) : NAN, low = fmin(qc / w, w / qa), high = fmax(qc / w, w / qa);

    if (low > SAME * h && low < (1 - SAME) * h) stop[stops++] = low;
    if (high > stop[stops - 1] + SAME * h && high < (1 - SAME) * h) stop[stops++] = high;
    stop[stops++] = h;
  }
  for (PetscInt i = 0; i < stops; ++i) {
    const CurveNode *end = i == 0 ? a : i == stops - 1 ? b : NULL;
    /* an extreme that stays away by less than it is uncertain: the branch may well get there */
    const PetscReal slack = end ? end->slack : CurveParameterError(c, m, &p, stop[i]);

    value[i] = (end ? end->parameter : CurveValue(&p, stop[i])) - parameter;
    if (fabs(value[i]) <= slack) value[i] = 0;
  }
  for (PetscInt i = 0; i < stops; ++i) {
    if (value[i] == 0 && (i + 1 < stops || m + 2 == c->n)) cross[n++].t = stop[i];
    if (i + 1 < stops && value[i] * value[i + 1] < 0)
      cross[n++].t = Bisect_Private(&p, parameter, stop[i], stop[i + 1], (PetscBool)(value[i] < 0));
  }
  for (PetscInt i = 0; i < n; ++i) {
    cross[i].segment = m;
    cross[i].shift   = Shift_Private(&p, cross[i].t, CurveParameterError(c, m, &p, cross[i].t), h);
  }
  return n;
}

/* All of them, along the arclength. The caller frees. */
static PetscErrorCode Crossings_Private(const Curve *c, PetscReal parameter, PetscInt *n, Crossing **cross)
{
  PetscInt room = 0;

  PetscFunctionBeginUser;
  *n     = 0;
  *cross = NULL;
  for (PetscInt m = 0; m + 1 < c->n; ++m) {
    if (*n + 5 > room) {
      room = 2 * room + 16;
      PetscCall(PetscRealloc((size_t)room * sizeof **cross, cross));
    }
    *n += CrossingsOf_Private(c, m, parameter, *cross + *n);
  }
  if (c->n == 1 && fabs(c->node->parameter - parameter) <= c->node->slack) {
    PetscCall(PetscMalloc1(1, cross));
    (*cross)[(*n)++] = (Crossing){0};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nearer of the points around a crossing that no special point parts from it. */
static PetscInt NearerPoint_Private(const Curve *c, const Crossing *x)
{
  const Branch   *b      = c->branch;
  const PetscInt  before = c->node[x->segment].point, point = PetscMax(before, 0), next = PetscMin(before + 1, b->n_points - 1);
  const PetscReal s         = c->node[x->segment].s + x->t;
  PetscBool       parted[2] = {PETSC_FALSE, PETSC_FALSE};

  for (PetscInt i = 0; i < b->n_special; ++i)
    if (*BranchSpecial(b, i, SPECIAL_POINT) == (PetscReal)before) parted[*BranchSpecial(b, i, SPECIAL_ARCLENGTH) > s] = PETSC_TRUE;
  if (parted[0] != parted[1]) return parted[0] ? next : point;
  return s - *BranchPoint(b, point, POINT_ARCLENGTH) <= *BranchPoint(b, next, POINT_ARCLENGTH) - s ? point : next;
}

static BranchCrossing Describe_Private(const Curve *c, const Crossing *x)
{
  const PetscInt nearer = NearerPoint_Private(c, x);

  return (BranchCrossing){.arclength = c->node[x->segment].s + x->t,
                          .point     = PetscMax(c->node[x->segment].point, 0),
                          .stability = (PetscInt)*BranchPoint(c->branch, nearer, POINT_STABILITY),
                          .contacts  = (PetscInt)*BranchPoint(c->branch, nearer, POINT_N_CONTACTS)};
}

/*
  BranchFindCrossings - Every place where a branch passes a value of its parameter, along the arclength.

  Not collective. Output: crossings - shape [n], the caller frees (PetscFree). Cost: O(points)
*/
PetscErrorCode BranchFindCrossings(const Branch *branch, PetscReal parameter, PetscInt *n, BranchCrossing **crossings)
{
  Curve     c;
  Crossing *cross;

  PetscFunctionBeginUser;
  PetscCall(CurveCreate(branch, &c));
  PetscCall(Crossings_Private(&c, parameter, n, &cross));
  PetscCall(PetscMalloc1(*n + 1, crossings));
  for (PetscInt i = 0; i < *n; ++i) (*crossings)[i] = Describe_Private(&c, &cross[i]);
  PetscCall(PetscFree(cross));
  PetscCall(CurveDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- distance ---- */

/* Of displacement and velocity at a crossing. An orbit at rest is measured by where it rests. */
static void Scales_Private(const Curve *c, const Crossing *x, PetscReal parameter, PetscReal *scale /* [2] */)
{
  const Branch   *b    = c->branch;
  const PetscReal W    = b->parameter == CONTINUE_FREQUENCY ? parameter : b->start.frequency;
  const PetscInt  i    = NearerPoint_Private(c, x);
  const PetscReal high = *BranchPoint(b, i, POINT_MAX_DISPLACEMENT), low = *BranchPoint(b, i, POINT_MIN_DISPLACEMENT);

  scale[0] = fmax(high - low, sqrt(DBL_EPSILON) * fmax(fabs(high), fabs(low)));
  if (!(scale[0] > 0)) scale[0] = 1;
  scale[1] = W * scale[0];
}

/* Strobes at a crossing and how far they may be off, both over the scale; shape [2, period]: displacements, then velocities. */
static void Strobes_Private(const Curve *c, const Crossing *x, int side, const PetscReal *scale, PetscReal *y, PetscReal *error)
{
  *error = 0;
  for (int v = 0; v < 2; ++v)
    for (PetscInt k = 0; k < c->period; ++k) {
      PetscReal value, slope, off;

      CurveStrobe(c, x->segment, side, v, k, x->t, &value, &slope, &off);
      y[v * c->period + k] = value / scale[v];
      *error               = fmax(*error, (off + fabs(slope) * x->shift) / scale[v]);
    }
}

/* Largest difference in the best rotation. y: over the scale, shape [2, period] */
static PetscReal Difference_Private(PetscInt period, const PetscReal *y, const PetscReal *y1, const PetscReal *y2, const PetscReal *scale)
{
  PetscReal best = INFINITY;

  for (PetscInt r = 0; r < period; ++r) {
    PetscReal worst = 0;

    for (PetscInt k = 0; k < period && worst < best; ++k) {
      const PetscInt  j  = (k + r) % period;
      const PetscReal d1 = fabs(y[k] - y1[j] / scale[0]), d2 = fabs(y[period + k] - y2[j] / scale[1]);

      worst = isnan(d1 + d2) ? INFINITY : fmax(worst, fmax(d1, d2));
    }
    best = fmin(best, worst);
  }
  return best;
}

/*
  BranchFindNear - How far an orbit lies from a branch at its value of the parameter.

  Not collective.
  Input:   parameter, period - of the orbit; y1, y2 - its strobes in any rotation, shape [period]
  Output:  near - of the crossing whose distance exceeds its uncertainty and BRANCH_SAME least, of equals the nearest. Where a contact
  passes a strobe between two points the orbit may look as on either side of that. Cost:    O(points), and O(period^2) for each crossing
*/
PetscErrorCode BranchFindNear(const Branch *branch, PetscReal parameter, PetscInt period, const PetscReal *y1, const PetscReal *y2,
                              BranchNear *near)
{
  Curve      c;
  Crossing  *cross;
  PetscInt   n;
  PetscReal *y, least = INFINITY;

  PetscFunctionBeginUser;
  *near = (BranchNear){.distance = INFINITY, .point = -1};
  PetscCall(CurveCreate(branch, &c));
  PetscCall(Crossings_Private(&c, parameter, &n, &cross));
  PetscCall(PetscMalloc1(2 * c.period, &y));
  near->brackets = (PetscBool)(n > 0);
  for (PetscInt i = 0; i < n && period == c.period; ++i) {
    const BranchCrossing found = Describe_Private(&c, &cross[i]);
    const int            sides = c.n > 1 && c.node[cross[i].segment].kind == SEGMENT_JUMP ? 2 : 1;
    PetscReal            scale[2];

    Scales_Private(&c, &cross[i], parameter, scale);
    for (int side = 0; side < sides; ++side) {
      PetscReal error, distance, beyond;

      Strobes_Private(&c, &cross[i], side, scale, y, &error);
      distance = Difference_Private(period, y, y1, y2, scale);
      beyond   = fmax(distance - error - BRANCH_SAME, 0);
      if (!(beyond < least || (beyond == least && distance < near->distance))) continue;
      least             = beyond;
      near->distance    = distance;
      near->uncertainty = error;
      near->arclength   = found.arclength;
      near->point       = found.point;
      near->stability   = found.stability;
    }
  }
  PetscCall(PetscFree(y));
  PetscCall(PetscFree(cross));
  PetscCall(CurveDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
