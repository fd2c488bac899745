/*
  branch_curve.c - a branch as a curve over its arclength, smooth in pieces.   [theory 18]

  The parameter takes up to four conditions: values and slopes of both ends of a segment, then values of further nodes. Strobes have no
  slopes: values of two, three or four nodes. Nothing from beyond a kink or a jump enters a polynomial.

  The uncertainty comes from the terms of the highest orders. Across a kink that no special point locates both ends are joined by a straight
  line, as uncertain as the continuations of the curve from either side differ from it. Across a jump each side is continued for itself.
*/
#include "branch_curve.h"

#include <math.h>

#define APART       0.1   /* of a segment */
#define ROUND_OFF   1e-12 /* of the largest parameter of the branch: a parameter went through units, and a bound is met by Newton */
#define LAST_TERM   8.0
#define TERM_BEFORE 0.1
#define MOST_PASS   8 /* contacts that pass a strobe at once */

/* ---- nodes ---- */

static PetscBool IsKink_Private(PetscInt type)
{
  return (PetscBool)(type == SPECIAL_GRAZING_ONSET || type == SPECIAL_CONTACT_MERGING || type == SPECIAL_GRAZING_RELEASE ||
                     type == SPECIAL_CONTACT_CHANGE);
}

/* A count of contacts; -1, as no other, where it is not known. */
static PetscInt Count_Private(PetscReal contacts)
{
  return isfinite(contacts) ? (PetscInt)contacts : -1;
}

/* A node that cannot be used, or does not lie after the last one, is left out. */
static void AddNode_Private(Curve *c, const CurveNode *node)
{
  PetscBool good = (PetscBool)(isfinite(node->s) && isfinite(node->parameter) && (!c->n || node->s > c->node[c->n - 1].s));

  for (PetscInt k = 0; k < c->period; ++k) good = (PetscBool)(good && isfinite(node->y1[k]) && isfinite(node->y2[k]));
  if (good) c->node[c->n++] = *node;
}

/* Onsets of a point in [0, period), rising: in a row they begin anywhere in the orbit. */
static PetscErrorCode Onsets_Private(const Branch *b, PetscInt i, PetscInt n, PetscReal *onset)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; ++k) onset[k] = BranchPoint(b, i, POINT_CONTACT_PERIOD)[k] + BranchPoint(b, i, POINT_CONTACT_PHASE)[k];
  PetscCall(PetscSortReal(n, onset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Onset k of n, of an orbit that goes on for ever. */
static PetscReal Onset_Private(const PetscReal *onset, PetscInt n, PetscInt period, PetscInt k)
{
  const PetscInt orbits = (k >= 0 ? k : k - n + 1) / n;

  return onset[k - orbits * n] + (PetscReal)(orbits * period);
}

/*
  Does a contact begin or end on the other side of a strobe at point i + 1 than at point i? Onsets are told apart by their order alone: they
  are matched so that none has to move far. A tip that is held has velocity 0 exactly. work: shape [2, contacts]
*/
static PetscErrorCode Passes_Private(const Branch *b, PetscInt i, PetscReal *work, PetscBool *passes)
{
  const PetscInt n = PetscMin(Count_Private(*BranchPoint(b, i, POINT_N_CONTACTS)), b->layout.contacts), period = b->layout.period;
  PetscReal     *one = work, *other = work + b->layout.contacts, least = INFINITY;

  PetscFunctionBeginUser;
  *passes = PETSC_FALSE;
  if (n < 1 || *BranchPoint(b, i, POINT_N_CONTACTS) != *BranchPoint(b, i + 1, POINT_N_CONTACTS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Onsets_Private(b, i, n, one));
  PetscCall(Onsets_Private(b, i + 1, n, other));
  for (PetscInt tried = 0; tried <= 2 * PetscMin(n, MOST_PASS); ++tried) { /* 0, 1, -1, 2, ... */
    const PetscInt shift = tried % 2 ? (tried + 1) / 2 : -tried / 2;
    PetscReal      moved = 0;
    PetscBool      past  = PETSC_FALSE;

    for (PetscInt k = 0; k < n; ++k) {
      const PetscReal there = Onset_Private(other, n, period, k + shift);

      moved = fmax(moved, fabs(there - one[k]));
      past  = (PetscBool)(past || floor(there) != floor(one[k]));
    }
    if (moved >= least) continue;
    least   = moved;
    *passes = past;
  }
  for (PetscInt k = 0; k < period; ++k)
    if ((BranchPoint(b, i, POINT_STROBE_VELOCITY)[k] == 0.0) != (BranchPoint(b, i + 1, POINT_STROBE_VELOCITY)[k] == 0.0))
      *passes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Kinds_Private(Curve *c)
{
  const Branch *b = c->branch;
  PetscReal    *work;
  PetscBool     passes = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(2 * b->layout.contacts + 1, &work));
  for (PetscInt m = 0, last = -1; m + 1 < c->n; ++m) {
    const PetscInt i = c->node[m].point;

    if (i >= 0 && i + 1 < b->n_points && i != last) PetscCall(Passes_Private(b, i, work, &passes));
    else if (i != last) passes = PETSC_FALSE;
    last            = i; /* with a special point between two points nothing tells on which side of it a contact passes */
    c->node[m].kind = c->node[m].after != c->node[m + 1].before ? SEGMENT_KINK : passes ? SEGMENT_JUMP : SEGMENT_SMOOTH;
  }
  PetscCall(PetscFree(work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CurveCreate - Points, and of the special points those where the curve is not smooth or its slope is known. Cost: O(points) */
PetscErrorCode CurveCreate(const Branch *b, Curve *c)
{
  PetscInt  special = 0;
  PetscReal largest = 0;

  PetscFunctionBeginUser;
  *c = (Curve){.branch = b, .period = b->layout.period};
  PetscCall(PetscMalloc1(b->n_points + b->n_special + 1, &c->node));
  for (PetscInt i = 0; i < b->n_points; ++i) largest = fmax(largest, fabs(*BranchPoint(b, i, POINT_PARAMETER)));
  for (PetscInt i = -1; i < b->n_points && b->n_points; ++i) { /* a special point may lie before the first point, as after the last */
    PetscInt        contacts = Count_Private(*BranchPoint(b, PetscMax(i, 0), POINT_N_CONTACTS));
    const PetscReal next     = i + 1 < b->n_points ? *BranchPoint(b, i + 1, POINT_ARCLENGTH) : INFINITY;

    if (i >= 0)
      AddNode_Private(c, &(CurveNode){.s         = *BranchPoint(b, i, POINT_ARCLENGTH),
                                      .parameter = *BranchPoint(b, i, POINT_PARAMETER),
                                      .slope     = *BranchPoint(b, i, POINT_SLOPE),
                                      .y1        = BranchPoint(b, i, POINT_STROBE_DISPLACEMENT),
                                      .y2        = BranchPoint(b, i, POINT_STROBE_VELOCITY),
                                      .slack     = ROUND_OFF * largest,
                                      .before    = contacts,
                                      .after     = contacts,
                                      .point     = i});
    for (; special < b->n_special && *BranchSpecial(b, special, SPECIAL_POINT) <= (PetscReal)i; ++special) {
      const PetscInt  type = (PetscInt)*BranchSpecial(b, special, SPECIAL_TYPE);
      const PetscBool kink = IsKink_Private(type);
      CurveNode       node = {.s         = *BranchSpecial(b, special, SPECIAL_ARCLENGTH),
                              .parameter = *BranchSpecial(b, special, SPECIAL_PARAMETER),
                              .slope     = kink ? NAN : 0,
                              .y1        = BranchSpecial(b, special, SPECIAL_STROBE_DISPLACEMENT),
                              .y2        = BranchSpecial(b, special, SPECIAL_STROBE_VELOCITY),
                              .slack     = fmax(ROUND_OFF * largest, *BranchSpecial(b, special, SPECIAL_WIDTH)), /* NaN: no width */
                              .before    = contacts,
                              .point     = i,
                              .kink      = kink};

      if ((type != SPECIAL_FOLD && !kink) || !(node.s < next)) continue;
      if (kink) {
        node.before = Count_Private(*BranchSpecial(b, special, SPECIAL_CONTACTS_BEFORE));
        contacts    = Count_Private(*BranchSpecial(b, special, SPECIAL_CONTACTS_AFTER));
      }
      node.after = contacts;
      AddNode_Private(c, &node);
    }
  }
  PetscCall(Kinds_Private(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CurveDestroy(Curve *c)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(c->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- polynomials ---- */

static PetscBool IsSmooth_Private(const Curve *c, PetscInt m)
{
  return (PetscBool)(m >= 0 && m + 1 < c->n && c->node[m].kind == SEGMENT_SMOOTH);
}

/* The next node from i on, to one side, on the same smooth piece, and at least `least` away from where it starts; -1: there is none. */
static PetscInt Further_Private(const Curve *c, PetscInt i, int side, PetscReal least)
{
  for (PetscInt next = i + side, at = i; IsSmooth_Private(c, PetscMin(at, next)) && !c->node[at].kink; at = next, next += side)
    if (fabs(c->node[next].s - c->node[i].s) >= least) return next;
  return -1;
}

/*
  with_slopes: of the parameter, which does not feel a jump. The further nodes are next to the ends, the shorter step first; one that all
  but coincides with its neighbour tells of round-off alone.
*/
static void Conditions_Private(const Curve *c, PetscInt m, PetscBool with_slopes, CurvePolynomial *p)
{
  const CurveNode *a = &c->node[m], *b = a + 1;
  const PetscBool  one_piece = (PetscBool)(a->kind != SEGMENT_KINK);

  p->n            = 0;
  p->node[p->n++] = m;
  if (with_slopes && one_piece && isfinite(a->slope)) p->node[p->n++] = m;
  p->node[p->n++] = m + 1;
  if (with_slopes && one_piece && isfinite(b->slope)) p->node[p->n++] = m + 1;
  for (PetscInt left = m, right = m + 1; one_piece && p->n < CURVE_CONDITIONS;) {
    const PetscInt l = Further_Private(c, left, -1, APART * (b->s - a->s)), r = Further_Private(c, right, 1, APART * (b->s - a->s));

    if (l < 0 && r < 0) break;
    if (l >= 0 && (r < 0 || a->s - c->node[l].s <= c->node[r].s - b->s)) p->node[p->n++] = left = l;
    else p->node[p->n++] = right = r;
  }
}

/* Which number of a node is interpolated. */
typedef enum { OF_DISPLACEMENT, OF_VELOCITY, OF_PARAMETER } Quantity;

static PetscReal Of_Private(const CurveNode *node, Quantity q, PetscInt k)
{
  return q == OF_PARAMETER ? node->parameter : q == OF_DISPLACEMENT ? node->y1[k] : node->y2[k];
}

/* Divided differences f[z_0], f[z_0, z_1], ..., the coefficients of Newton's form; and powers of s - begin. */
static void Interpolate_Private(const Curve *c, Quantity q, PetscInt k, PetscReal begin, CurvePolynomial *p)
{
  PetscReal *d = p->difference;

  for (PetscInt i = 0; i < p->n; ++i) d[i] = Of_Private(&c->node[p->node[i]], q, k);
  for (PetscInt order = 1; order < p->n; ++order)
    for (PetscInt i = p->n - 1; i >= order; --i) {
      const CurveNode *low = &c->node[p->node[i - order]], *high = &c->node[p->node[i]];

      d[i] = low == high ? high->slope : (d[i] - d[i - 1]) / (high->s - low->s);
    }
  for (PetscInt i = 0; i < CURVE_CONDITIONS; ++i) p->power[i] = 0;
  for (PetscInt i = p->n - 1; i >= 0; --i) { /* power <- power (s - z_i) + d_i */
    const PetscReal z = c->node[p->node[i]].s - begin;

    for (PetscInt j = CURVE_CONDITIONS - 1; j > 0; --j) p->power[j] = p->power[j - 1] - z * p->power[j];
    p->power[0] = d[i] - z * p->power[0];
  }
}

PetscReal CurveValue(const CurvePolynomial *p, PetscReal t)
{
  return p->power[0] + t * (p->power[1] + t * (p->power[2] + t * p->power[3]));
}

void CurveSlopes(const CurvePolynomial *p, PetscReal t, PetscReal *first, PetscReal *second)
{
  *first  = p->power[1] + t * (2 * p->power[2] + 3 * t * p->power[3]);
  *second = 2 * p->power[2] + 6 * t * p->power[3];
}

/*
  Of a polynomial through both ends of segment m: its last term, a few times, and a small part of the one before, lest the last vanishes by
  chance. Next to a change of contacts the curve bends like a power 3/2 of the distance, which no term tells in full: with these factors 1
  place in 3600 of such curves with nodes anywhere was off by more. Of the parameter, with both slopes known, the last term alone: those
  leave nothing to chance.
*/
static PetscReal Between_Private(const Curve *c, PetscInt m, const CurvePolynomial *p, Quantity q, PetscInt k, PetscReal t)
{
  const CurveNode *a = &c->node[m], *b = a + 1;
  const PetscReal  h = b->s - a->s, da = t, db = h - t, jump = Of_Private(b, q, k) - Of_Private(a, q, k);
  const PetscReal  bend    = fabs(jump) * da * db / (h * h); /* as if the slope changed by itself on the way */
  PetscReal        far     = 0;
  PetscBool        seen[2] = {PETSC_FALSE, PETSC_FALSE};

  if (p->n == 2) return bend;
  if (p->n == 3) return LAST_TERM * fabs(p->difference[2]) * da * db + TERM_BEFORE * bend;
  /* The cubic is a parabola through three of its conditions and one more, whichever that is. */
  for (PetscInt i = 0; i < p->n; ++i) {
    const PetscInt end = p->node[i] - m;

    if ((end == 0 || end == 1) && !seen[end]) seen[end] = PETSC_TRUE;
    else far = fmax(far, fabs(a->s + t - c->node[p->node[i]].s));
  }
  far *= fabs(p->difference[3]) * da * db;
  if (p->node[0] == p->node[1] && p->node[2] == p->node[3]) return far;
  return LAST_TERM * far + TERM_BEFORE * fabs(p->difference[2]) * da * db;
}

/* Slope with which the smooth piece beyond node `end` (m or m + 1) arrives at it; NaN: there is none. */
static PetscReal Beyond_Private(const Curve *c, PetscInt m, PetscInt end, Quantity q, PetscInt k)
{
  const PetscInt   other = end == m ? m - 1 : m + 2;
  const CurveNode *e     = &c->node[end];

  if (e->kink || !IsSmooth_Private(c, PetscMin(end, other))) return NAN;
  return (Of_Private(&c->node[other], q, k) - Of_Private(e, q, k)) / (c->node[other].s - e->s);
}

/* Of the straight line across a kink. */
static PetscReal Across_Private(const Curve *c, PetscInt m, Quantity q, PetscInt k, PetscReal t)
{
  const CurveNode *a = &c->node[m], *b = a + 1;
  const PetscReal  h = b->s - a->s, jump = Of_Private(b, q, k) - Of_Private(a, q, k);
  PetscReal        worst = 0;

  for (int end = 0; end < 2; ++end) {
    PetscReal slope = q == OF_PARAMETER ? c->node[m + end].slope : NAN;

    if (isnan(slope)) slope = Beyond_Private(c, m, m + end, q, k);
    worst = fmax(worst, isnan(slope) ? fabs(jump) : fabs(slope - jump / h) * (end ? h - t : t));
  }
  return worst;
}

void CurveParameter(const Curve *c, PetscInt m, CurvePolynomial *p)
{
  Conditions_Private(c, m, PETSC_TRUE, p);
  Interpolate_Private(c, OF_PARAMETER, 0, c->node[m].s, p);
}

PetscReal CurveParameterError(const Curve *c, PetscInt m, const CurvePolynomial *p, PetscReal t)
{
  return c->node[m].kind == SEGMENT_KINK ? Across_Private(c, m, OF_PARAMETER, 0, t) : Between_Private(c, m, p, OF_PARAMETER, 0, t);
}

/* One side of a jump continued: a parabola through its end and two nodes beyond. */
static PetscReal Continued_Private(const Curve *c, PetscInt m, int side, Quantity q, PetscInt k, PetscReal t, CurvePolynomial *p)
{
  const PetscReal h = c->node[m + 1].s - c->node[m].s, s = c->node[m].s + t;
  PetscReal       error;

  p->n = 0;
  for (PetscInt next = m + side; next >= 0 && p->n < CURVE_CONDITIONS - 1; next = Further_Private(c, next, side ? 1 : -1, APART * h))
    p->node[p->n++] = next;
  Interpolate_Private(c, q, k, c->node[m].s, p);
  if (p->n == 1) return fabs(Of_Private(&c->node[m + 1], q, k) - Of_Private(&c->node[m], q, k));
  error = LAST_TERM * fabs(p->difference[p->n - 1]);
  for (PetscInt i = 0; i + 1 < p->n; ++i) error *= fabs(s - c->node[p->node[i]].s);
  return error;
}

void CurveStrobe(const Curve *c, PetscInt m, int side, int velocity, PetscInt k, PetscReal t, PetscReal *value, PetscReal *slope,
                 PetscReal *error)
{
  const Quantity  q = velocity ? OF_VELOCITY : OF_DISPLACEMENT;
  CurvePolynomial p;
  PetscReal       second;

  if (c->n > 1 && c->node[m].kind == SEGMENT_JUMP) *error = Continued_Private(c, m, side, q, k, t, &p);
  else if (c->n > 1) {
    Conditions_Private(c, m, PETSC_FALSE, &p);
    Interpolate_Private(c, q, k, c->node[m].s, &p);
    *error = c->node[m].kind == SEGMENT_KINK ? Across_Private(c, m, q, k, t) : Between_Private(c, m, &p, q, k, t);
  } else {
    p      = (CurvePolynomial){.power = {Of_Private(c->node, q, k)}};
    *error = 0;
  }
  *value = CurveValue(&p, t);
  CurveSlopes(&p, t, slope, &second);
}
