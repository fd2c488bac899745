/*
  characteristic.c - exact modes of the clamped-free Timoshenko beam, for tests only.   [theory 1, 2]

  Long double throughout. Below the cut-off sqrt(s1) reaches 50 and cosh 1e21: every hyperbolic function carries the factor
  exp(-sqrt(s1)), and sums that would cancel are written out (the sinh(S (1 - x)) and cosh(S (1 - x)) below).
*/
#include "support/characteristic.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  long double s1, s2, a, p1, p2;
  long double small;          /* exp(-sqrt(s1)) below the cut-off, 1 above: the factor carried */
  long double c1, n1, c2, n2; /* cosines and sines at x = 1 */
  long double A, B;           /* of the shape that meets the root and phi'(1) = 0 */
} Roots;

/* cosh(sqrt(s) x) and sinh(sqrt(s) x) / sqrt(s), times exp(-sqrt(s)) if s > 0 */
static long double Cosine(long double s, long double x)
{
  const long double root = sqrtl(fabsl(s));

  return s > 0 ? (expl(root * (x - 1)) + expl(-root * (x + 1))) / 2 : cosl(root * x);
}

static long double Sine(long double s, long double x)
{
  const long double root = sqrtl(fabsl(s));

  if (root < 1e-9L) return x;
  return (s > 0 ? (expl(root * (x - 1)) - expl(-root * (x + 1))) / 2 : sinl(root * x)) / root;
}

static Roots RootsAt(double beta, double gamma, long double w)
{
  const long double be = beta, ga = gamma, w2 = w * w, a = w2 / (be * ga);
  const long double B = be * a + w2, C = (w2 - be * be * ga) * a;
  Roots             r;

  r.a     = a;
  r.s2    = -(B + sqrtl(B * B - 4 * be * C)) / (2 * be);
  r.s1    = C / (be * r.s2); /* product of the roots: no cancellation near the cut-off */
  r.p1    = r.s1 + a;
  r.p2    = r.s2 + a;
  r.small = r.s1 > 0 ? expl(-sqrtl(r.s1)) : 1;
  r.c1    = Cosine(r.s1, 1);
  r.n1    = Sine(r.s1, 1);
  r.c2    = Cosine(r.s2, 1);
  r.n2    = Sine(r.s2, 1);
  r.A     = r.s1 * r.n1 - r.s2 * r.n2 * r.small;
  r.B     = -(r.p1 * r.c1 - r.p2 * r.c2 * r.small);
  return r;
}

long double CharacteristicValue(double beta, double gamma, long double w)
{
  const Roots r = RootsAt(beta, gamma, w);

  return 2 * r.small - r.c1 * r.c2 * (r.p1 / r.p2 + r.p2 / r.p1) + (r.s1 + r.s2) * r.n1 * r.n2;
}

/* Phase of the travelling waves over the beam: it grows by about pi from root to root. */
static long double Phase(double beta, double gamma, long double w)
{
  const Roots r = RootsAt(beta, gamma, w);

  return sqrtl(-r.s2) + (r.s1 < 0 ? sqrtl(-r.s1) : 0);
}

static long double Bisect(double beta, double gamma, long double low, long double high)
{
  const int below = CharacteristicValue(beta, gamma, low) > 0;

  for (int i = 0; i < 80; i++) {
    const long double middle = (low + high) / 2;
    if ((CharacteristicValue(beta, gamma, middle) > 0) == below) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/* |D| has a minimum of one sign in (low, high): look for two roots there. Returns the turning point. */
static long double Turning(double beta, double gamma, long double low, long double high)
{
  for (int i = 0; i < 80; i++) {
    const long double third = (high - low) / 3, x = low + third, y = high - third;
    const long double at_x = CharacteristicValue(beta, gamma, x), at_y = CharacteristicValue(beta, gamma, y);
    if ((at_x > 0) != (CharacteristicValue(beta, gamma, low) > 0)) return x;
    if (fabsl(at_x) < fabsl(at_y)) high = y;
    else low = x;
  }
  return (low + high) / 2;
}

/* Roots of neighbouring families come close in pairs: a step in which D touches zero and turns is searched for two. */
void CharacteristicRoots(double beta, double gamma, int n, double *w)
{
  long double at[3] = {0.02L, 0.03L, 0}, value[3]; /* three neighbouring points of the scan */
  int         found = 0;

  value[0] = CharacteristicValue(beta, gamma, at[0]);
  value[1] = CharacteristicValue(beta, gamma, at[1]);
  while (found < n) {
    long double step = 2 * (at[1] - at[0]);
    while (step > 1e-3L && Phase(beta, gamma, at[1] + step) - Phase(beta, gamma, at[1]) > 0.03L) step /= 2;
    at[2]    = at[1] + step;
    value[2] = CharacteristicValue(beta, gamma, at[2]);
    if ((value[1] > 0) != (value[2] > 0)) {
      w[found++] = (double)Bisect(beta, gamma, at[1], at[2]);
    } else if ((value[0] > 0) == (value[1] > 0) && fabsl(value[1]) < fabsl(value[0]) && fabsl(value[1]) <= fabsl(value[2])) {
      const long double turn = Turning(beta, gamma, at[0], at[2]);
      if ((CharacteristicValue(beta, gamma, turn) > 0) != (value[1] > 0)) {
        w[found++] = (double)Bisect(beta, gamma, at[0], turn);
        if (found < n) w[found++] = (double)Bisect(beta, gamma, turn, at[2]);
      }
    }
    at[0]    = at[1];
    at[1]    = at[2];
    value[0] = value[1];
    value[1] = value[2];
  }
}

/*
  With A = s1 S_1 - s2 S_2 and B = -(p1 C_1 - p2 C_2), all at x = 1, phi'(1) = 0. Then A C_1(x) + B (s1/p1) S_1(x) holds
  s1 (sinh S cosh Sx - cosh S sinh Sx) / S = s1 sinh(S (1 - x)) / S, and likewise in phi.
*/
static void Shape(const Roots *r, long double x, long double *u, long double *phi)
{
  const long double C1 = Cosine(r->s1, x), S1 = Sine(r->s1, x), C2 = Cosine(r->s2, x), S2 = Sine(r->s2, x);

  *u   = r->s1 * Sine(r->s1, 1 - x) - r->s2 * r->n2 * C1 + r->p2 / r->p1 * r->s1 * r->c2 * S1 - r->A * C2 - r->B * r->s2 / r->p2 * S2;
  *phi = -r->p1 * Cosine(r->s1, 1 - x) - r->p1 * r->s2 * r->n2 * S1 + r->p2 * r->c2 * C1 - r->A * r->p2 * S2 - r->B * C2;
}

/* <mode, mode> by Gauss-Legendre (10 points) on panels of two radians at most: error below 1e-14 */
static long double Mass(double beta, const Roots *r)
{
  static const double node[5]   = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717};
  static const double weight[5] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159821, 0.1494513491505806, 0.0666713443086881};
  const long double   wave      = sqrtl(-r->s2) + sqrtl(fabsl(r->s1));
  const int           panels    = 8 + (int)(wave / 2);
  long double         mass      = 0;

  for (int i = 0; i < panels; i++) {
    for (int g = 0; g < 10; g++) {
      const long double offset = g % 2 ? node[g / 2] : -node[g / 2];
      long double       u, phi;
      Shape(r, (i + 0.5L + 0.5L * offset) / panels, &u, &phi);
      mass += weight[g / 2] / (2 * panels) * (u * u + phi * phi / beta);
    }
  }
  return mass;
}

void CharacteristicShape(double beta, double gamma, double w, double x, double *u, double *phi)
{
  const Roots r = RootsAt(beta, gamma, w);
  long double at_u, at_phi, tip_u, tip_phi, scale;

  Shape(&r, x, &at_u, &at_phi);
  Shape(&r, 1, &tip_u, &tip_phi);
  scale = (tip_u > 0 ? 1 : -1) / sqrtl(Mass(beta, &r));
  *u    = (double)(scale * at_u);
  if (phi) *phi = (double)(scale * at_phi);
}

double CharacteristicResidue(double beta, double gamma, double w)
{
  const Roots r = RootsAt(beta, gamma, w);
  long double u, phi;

  Shape(&r, 1, &u, &phi);
  return (double)(u * u / Mass(beta, &r));
}
