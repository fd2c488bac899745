/*
  asymptotics.c - step response of a power spectrum: a sum over modes, and what lies beyond it in closed form.   [theory 16]

  With x = w_k t, z = D - i sqrt(1 - D^2) and h'' + 2 D h' + h = 1, h(0) = h'(0) = 0, that is

      h(x) = 1 - Re((1 - i D / sqrt(1 - D^2)) e^{-z x}),   h'(x) = Im(e^{-z x}) / sqrt(1 - D^2)

  mode k adds r h(x) / w_k^2 to the displacement and r h'(x) / w_k to the velocity. As t -> 0 the sum becomes an integral,

      G ~ r I t^(2 - 1/alpha) / (alpha w_1^(1/alpha)),   I = int_0^inf x^(1/alpha - 3) h(x) dx
        = Gamma(1/alpha) / (2 - 1/alpha) * sin(q phi) / (q phi) * phi / sin(phi),   q = 1/alpha - 1,  cos(phi) = D

  A plain sum would need up to 1e10 modes. So the modes up to K are summed one by one and the rest by Euler-Maclaurin: its integral from
  X = w_K t is I less a power series where X is small, and an incomplete Gamma function where it is not. It needs the phase to advance by
  less than a turn or so from one mode to the next; where it does not, at long times, all but the mean of the rest is dropped: of the
  displacement less than K^(1 - 2 alpha) / ((2 alpha - 1) w_1^2), K = 20000; of the velocity, if undamped, up to 4e-4 of it was seen
  (alpha = 1.2, w_1 t = 1).
*/
#include "graze/asymptotics.h"

#include <complex.h>
#include <math.h>

enum {
  SERIES   = 64,   /* terms of h: enough up to x = SMALL */
  FEW_SUM  = 1000, /* K where the phase advances slowly */
  MANY_SUM = 20000 /* K elsewhere */
};
#define SMALL     8.0 /* X below it: the power series, which loses e^SMALL = 3.5 of 16 digits */
#define SLOW      0.1 /* phase advance per mode [rad] below which a few modes do; the formula's error is SLOW^5 / 30240 of one mode */
#define TOO_QUICK 2.0 /* above which the formula is not used; error at it 1e-3 of one mode */

typedef struct {
  const PowerSpectrum *s;
  double complex       z;
  PetscReal            root;      /* sqrt(1 - D^2) */
  PetscReal            c[SERIES]; /* h = sum c_n x^n */
} Mode;

static void ModeSetUp_Private(const PowerSpectrum *s, Mode *m)
{
  m->s    = s;
  m->root = sqrt((1.0 - s->damping) * (1.0 + s->damping));
  m->z    = s->damping - I * m->root;
  m->c[0] = m->c[1] = 0.0;
  m->c[2]           = 0.5;
  for (int n = 1; n + 2 < SERIES; ++n) m->c[n + 2] = -(2.0 * s->damping * (n + 1) * m->c[n + 1] + m->c[n]) / ((n + 2.0) * (n + 1.0));
}

/* h / x^2 and h' / x; by the series where the closed form would cancel. */
static void Shape_Private(const Mode *m, PetscReal x, PetscReal *displacement, PetscReal *velocity)
{
  PetscReal sum = 0.0, slope = 0.0;

  if (x < 0.5) {
    for (int n = 17; n >= 2; --n) {
      sum   = sum * x + m->c[n];
      slope = slope * x + n * m->c[n];
    }
    *displacement = sum;
    *velocity     = slope;
  } else {
    const PetscReal decay = exp(-m->s->damping * x), angle = m->root * x, sine = decay * sin(angle) / m->root;

    *displacement = (1.0 - decay * cos(angle) - m->s->damping * sine) / (x * x);
    *velocity     = sine / x;
  }
}

/* I above. */
static PetscReal Integral_Private(const PowerSpectrum *s)
{
  const PetscReal phi = acos(s->damping), q = 1.0 / s->alpha - 1.0, sinc = fabs(q * phi) < 1e-8 ? 1.0 : sin(q * phi) / (q * phi);

  return tgamma(1.0 / s->alpha) / (2.0 - 1.0 / s->alpha) * sinc * phi / sqrt((1.0 - s->damping) * (1.0 + s->damping));
}

/* int_X^inf x^(a-1) e^{-z x} dx = z^-a Gamma(a, z X), by the continued fraction of Legendre. For X >= SMALL. */
static double complex Incomplete_Private(PetscReal a, double complex z, PetscReal X)
{
  double complex b = z * X + 1.0 - a, c = 1e300, d = 1.0 / b, h = d, change;
  int            i = 1;

  do {
    const PetscReal an = -i * (i - a);

    b += 2.0;
    d           = 1.0 / (an * d + b);
    c           = b + an / c;
    h *= change = c * d;
  } while (cabs(change - 1.0) > 4.0 * PETSC_MACHINE_EPSILON && ++i < 2000);
  return pow(X, a) * cexp(-z * X) * h;
}

/*
  Euler-Maclaurin at the lower end: sum_{k > K} E(k) = int_K^inf E + this, for E = k^-p e^{-z theta k^alpha}; X = theta K^alpha. The first
  derivative is u E; in the third the change of u, smaller by 1/K, is left out.
*/
static double complex End_Private(PetscReal p, double complex z, PetscReal alpha, PetscReal X, PetscReal K)
{
  const double complex e = pow(K, -p) * cexp(-z * X), u = -(p + z * alpha * X) / K;

  return e * (-0.5 - u / 12.0 + u * u * u / 720.0);
}

/* The modes beyond K, per unit of residue. */
static void Rest_Private(const Mode *m, PetscReal t, PetscReal K, PetscReal *G, PetscReal *g)
{
  const PetscReal      alpha = m->s->alpha, w1 = m->s->frequency, theta = w1 * t, X = theta * pow(K, alpha);
  const PetscReal      q = 1.0 / alpha - 1.0, p = q - 1.0;
  const PetscReal      mean_end = creal(End_Private(2.0 * alpha, 0.0, alpha, X, K)), mean = pow(K, 1.0 - 2.0 * alpha) / (2.0 * alpha - 1.0);
  const double complex unit = 1.0 - I * m->s->damping / m->root;
  double complex       end_G, end_g;

  *G = (mean + mean_end) / (w1 * w1);
  *g = 0.0;
  if (alpha * X / K > TOO_QUICK) return;
  end_G = End_Private(2.0 * alpha, m->z, alpha, X, K);
  end_g = End_Private(alpha, m->z, alpha, X, K);
  if (X < SMALL) {
    PetscReal power = pow(X, p + 2.0), below = 0.0, slope = 0.0;

    for (int n = 2; n < SERIES; ++n, power *= X) {
      below += m->c[n] * power / (n + p);
      slope += n * m->c[n] * power / (n + p);
    }
    *G = (pow(theta, -p) / alpha * (Integral_Private(m->s) - below) + mean_end - creal(unit * end_G)) / (w1 * w1);
    *g = (pow(theta, -q) / alpha * ((1.0 - q) * Integral_Private(m->s) - slope) + cimag(end_g) / m->root) / w1;
  } else {
    *G -= creal(unit * (pow(theta, -p) / alpha * Incomplete_Private(p, m->z, X) + end_G)) / (w1 * w1);
    *g = cimag(pow(theta, -q) / alpha * Incomplete_Private(q, m->z, X) + end_g) / (m->root * w1);
  }
}

PetscReal PowerSpectrumCoefficient(const PowerSpectrum *s, PetscInt k, PetscReal t)
{
  Mode      m;
  PetscReal displacement, velocity;

  ModeSetUp_Private(s, &m);
  Shape_Private(&m, s->frequency * pow((PetscReal)k, s->alpha) * t, &displacement, &velocity);
  return s->residue * displacement * t * t;
}

/*
  PowerSpectrumStep - Displacement and velocity of the contact point a time t > 0 after a unit step of force.   [theory 16]

  Not collective. modes 0: of all modes; then summed is K of the description above.
  Cost: about 50 ns a mode that is summed.
*/
PetscErrorCode PowerSpectrumStep(const PowerSpectrum *s, PetscReal t, PetscInt modes, StepResponse *response)
{
  Mode      m;
  PetscReal G = 0.0, g = 0.0, rest_G = 0.0, rest_g = 0.0;

  PetscFunctionBeginUser;
  PetscCheck(s->alpha > 0.5 && s->frequency > 0.0 && s->damping >= 0.0 && s->damping < 1.0 && t > 0.0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "no step response: alpha %g, frequency %g, damping %g, time %g", (double)s->alpha, (double)s->frequency, (double)s->damping,
             (double)t);
  ModeSetUp_Private(s, &m);
  response->summed = modes;
  if (!modes) {
    response->summed = s->alpha * s->frequency * t * pow(FEW_SUM, s->alpha - 1.0) < SLOW ? FEW_SUM : MANY_SUM;
    Rest_Private(&m, t, (PetscReal)response->summed, &rest_G, &rest_g);
  }
  for (PetscInt k = response->summed; k >= 1; --k) { /* the small terms first */
    PetscReal displacement, velocity;

    Shape_Private(&m, s->frequency * pow((PetscReal)k, s->alpha) * t, &displacement, &velocity);
    G += displacement;
    g += velocity;
  }
  response->displacement = s->residue * (G * t * t + rest_G);
  response->velocity     = s->residue * (g * t + rest_g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PowerSpectrumConstant(const PowerSpectrum *s)
{
  return s->alpha * pow(s->frequency, 1.0 / s->alpha) / (s->residue * Integral_Private(s));
}

/* The modes beyond N carry r N^(1 - 2 alpha) / ((2 alpha - 1) w_1^2), the mean of h being 1. */
PetscReal PowerSpectrumModes(const PowerSpectrum *s, PetscReal t, PetscReal rtol)
{
  const PetscReal share = s->alpha / ((2.0 * s->alpha - 1.0) * rtol * Integral_Private(s));

  return PetscMax(1.0, ceil(pow(s->frequency * t, -1.0 / s->alpha) * pow(share, 1.0 / (2.0 * s->alpha - 1.0))));
}
