/*
  characteristic_ends.c - exact modes of the Timoshenko beam between any ends, for tests only.   [theory 1, 13]

  Long double throughout.
*/
#include "support/characteristic_ends.h"

#include <math.h>

typedef struct {
  long double s1, s2, a;
  int         decaying; /* exponentials in place of cosh and sinh */
} Waves;

typedef struct {
  long double u, phi, du, dphi;
} Field;

static Waves WavesAt(double beta, double gamma, long double w)
{
  const long double be = beta, ga = gamma, w2 = w * w, a = w2 / (be * ga);
  const long double B = be * a + w2, C = (w2 - be * be * ga) * a;
  Waves             v;

  v.a        = a;
  v.s2       = -(B + sqrtl(B * B - 4 * be * C)) / (2 * be);
  v.s1       = C / (be * v.s2);
  v.decaying = v.s1 > 25; /* cosh(5) = 74: no cancellation below it that long double would feel */
  return v;
}

static Field Solution(const Waves *v, int which, long double x)
{
  const long double s = which < 2 ? v->s1 : v->s2, p = s + v->a, k = sqrtl(fabsl(s));
  long double       C, S;

  if (which < 2 && v->decaying) {
    const long double up = which == 0 ? -k : k, e = expl(which == 0 ? -k * x : -k * (1 - x));
    return (Field){e, p / up * e, up * e, p * e};
  }
  C = s > 0 ? coshl(k * x) : cosl(k * x);
  S = k < 1e-9L ? x : (s > 0 ? sinhl(k * x) : sinl(k * x)) / k;
  if (which % 2 == 0) return (Field){C, p * S, s * S, p * C};
  return (Field){s * S, p * C, s * C, p * s * S};
}

/* Rows: two conditions at 0, two at 1. Columns: the four solutions, each by its size. */
static void Equations(BeamEnds ends, const Waves *v, long double A[4][4])
{
  const int free0 = ends == ENDS_FREE_FREE, free1 = free0 || ends == ENDS_CLAMPED_FREE;
  const int clamped0 = ends != ENDS_PINNED_PINNED && !free0, clamped1 = ends == ENDS_CLAMPED_CLAMPED;

  for (int j = 0; j < 4; j++) {
    const Field at0 = Solution(v, j, 0), at1 = Solution(v, j, 1);
    A[0][j] = free0 ? at0.du - at0.phi : at0.u;
    A[1][j] = clamped0 ? at0.phi : at0.dphi;
    A[2][j] = free1 ? at1.du - at1.phi : at1.u;
    A[3][j] = clamped1 ? at1.phi : at1.dphi;
  }
  for (int i = 0; i < 4; i++) {
    long double size = 0;
    for (int j = 0; j < 4; j++) size = fmaxl(size, fabsl(A[i][j]));
    for (int j = 0; j < 4; j++) A[i][j] /= size;
  }
}

/* Elimination with complete pivoting of the first `steps` rows; order[j]: the column now in place j. Returns the sign of the exchanges. */
static int Eliminate(long double A[4][4], int steps, int order[4])
{
  int sign = 1;

  for (int j = 0; j < 4; j++) order[j] = j;
  for (int k = 0; k < steps; k++) {
    int row = k, column = k;
    for (int i = k; i < 4; i++) {
      for (int j = k; j < 4; j++) {
        if (fabsl(A[i][j]) > fabsl(A[row][column])) row = i, column = j;
      }
    }
    if (row != k) sign = -sign;
    if (column != k) sign = -sign;
    for (int j = 0; j < 4; j++) {
      const long double keep = A[k][j];
      A[k][j]                = A[row][j];
      A[row][j]              = keep;
    }
    for (int i = 0; i < 4; i++) {
      const long double keep = A[i][k];
      A[i][k]                = A[i][column];
      A[i][column]           = keep;
    }
    const int number = order[k];
    order[k]         = order[column];
    order[column]    = number;
    for (int i = k + 1; i < 4; i++) {
      const long double factor = A[i][k] / A[k][k];
      for (int j = k; j < 4; j++) A[i][j] -= factor * A[k][j];
    }
  }
  return sign;
}

static long double Value(BeamEnds ends, double beta, double gamma, long double w)
{
  const Waves v = WavesAt(beta, gamma, w);
  long double A[4][4];
  int         order[4], sign;

  Equations(ends, &v, A);
  sign = Eliminate(A, 3, order);
  return sign * A[0][0] * A[1][1] * A[2][2] * A[3][3];
}

/* Phase of the travelling waves over the beam: it grows by about pi from root to root. */
static long double Phase(double beta, double gamma, long double w)
{
  const Waves v = WavesAt(beta, gamma, w);

  return sqrtl(-v.s2) + (v.s1 < 0 ? sqrtl(-v.s1) : 0);
}

static long double Bisect(BeamEnds ends, double beta, double gamma, long double low, long double high)
{
  const int above = Value(ends, beta, gamma, low) > 0;

  for (int i = 0; i < 70; i++) {
    const long double middle = (low + high) / 2;
    if ((Value(ends, beta, gamma, middle) > 0) == above) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/* Where |D| of one sign is least in (low, high), or a point where the sign differs */
static long double Turning(BeamEnds ends, double beta, double gamma, long double low, long double high)
{
  const int above = Value(ends, beta, gamma, low) > 0;

  for (int i = 0; i < 60; i++) {
    const long double third = (high - low) / 3, x = low + third, y = high - third;
    const long double at_x = Value(ends, beta, gamma, x), at_y = Value(ends, beta, gamma, y);
    if ((at_x > 0) != above) return x;
    if (fabsl(at_x) < fabsl(at_y)) high = y;
    else low = x;
  }
  return (low + high) / 2;
}

void CharacteristicEndsRoots(BeamEnds ends, double beta, double gamma, int n, double *w)
{
  long double at[3] = {0.5L, 0.52L, 0}, value[3]; /* three neighbouring points of the scan */
  int         found = 0;

  value[0] = Value(ends, beta, gamma, at[0]);
  value[1] = Value(ends, beta, gamma, at[1]);
  while (found < n) {
    long double step = 2 * (at[1] - at[0]);
    while (step > 1e-3L && Phase(beta, gamma, at[1] + step) - Phase(beta, gamma, at[1]) > 0.06L) step /= 2;
    at[2]    = at[1] + step;
    value[2] = Value(ends, beta, gamma, at[2]);
    if ((value[1] > 0) != (value[2] > 0)) {
      w[found++] = (double)Bisect(ends, beta, gamma, at[1], at[2]);
    } else if ((value[0] > 0) == (value[1] > 0) && fabsl(value[1]) < fabsl(value[0]) && fabsl(value[1]) <= fabsl(value[2])) {
      const long double turn = Turning(ends, beta, gamma, at[0], at[2]);
      if ((Value(ends, beta, gamma, turn) > 0) != (value[1] > 0)) {
        w[found++] = (double)Bisect(ends, beta, gamma, at[0], turn);
        if (found < n) w[found++] = (double)Bisect(ends, beta, gamma, turn, at[2]);
      }
    }
    at[0]    = at[1];
    at[1]    = at[2];
    value[0] = value[1];
    value[1] = value[2];
  }
}

static void Sum(const Waves *v, const long double weight[4], long double x, long double *u, long double *phi)
{
  *u = *phi = 0;
  for (int j = 0; j < 4; j++) {
    const Field z = Solution(v, j, x);
    *u += weight[j] * z.u;
    *phi += weight[j] * z.phi;
  }
}

void CharacteristicEndsShape(BeamEnds ends, double beta, double gamma, double w, double x, double *u, double *phi)
{
  static const double node[5]  = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717};
  static const double share[5] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159821, 0.1494513491505806, 0.0666713443086881};
  const Waves         v        = WavesAt(beta, gamma, w);
  const int           panels   = 8 + (int)((sqrtl(-v.s2) + sqrtl(fabsl(v.s1))) / 2); /* two radians at most: error below 1e-14 */
  long double         A[4][4], solved[4], weight[4], mass = 0, at_u, at_phi;
  int                 order[4];

  Equations(ends, &v, A);
  Eliminate(A, 3, order);
  solved[3] = 1;
  for (int i = 2; i >= 0; i--) {
    solved[i] = 0;
    for (int j = i + 1; j < 4; j++) solved[i] -= A[i][j] * solved[j] / A[i][i];
  }
  for (int j = 0; j < 4; j++) weight[order[j]] = solved[j];
  for (int i = 0; i < panels; i++) {
    for (int g = 0; g < 10; g++) {
      Sum(&v, weight, (i + 0.5L + 0.5L * (g % 2 ? node[g / 2] : -node[g / 2])) / panels, &at_u, &at_phi);
      mass += share[g / 2] / (2 * panels) * (at_u * at_u + at_phi * at_phi / beta);
    }
  }
  Sum(&v, weight, x, &at_u, &at_phi);
  *u = (double)(at_u / sqrtl(mass));
  if (phi) *phi = (double)(at_phi / sqrtl(mass));
}
