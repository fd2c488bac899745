/*
  The step response of a power spectrum against closed forms and plain sums, and what it says of short contacts.   [theory 16]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <complex.h>
#include <math.h>

#include "graze/asymptotics.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static void Near(double value, double exact, double tolerance)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%.17g should be %.17g within %g, is off by %g", value, exact, tolerance, value - exact);
}

static StepResponse Step(double alpha, double w1, double D, double t, PetscInt modes)
{
  const PowerSpectrum s = {.alpha = alpha, .frequency = w1, .residue = 1.0, .damping = D};
  StepResponse        step;

  GOOD(PowerSpectrumStep(&s, t, modes, &step));
  return step;
}

/* ---- closed forms ------------------------------------------------------------------------------------------------- */

/* w_k = k w_1, D = 0: Fourier series of a parabola and a sawtooth, sum (1 - cos k x)/k^2 = pi x/2 - x^2/4, sum sin(k x)/k = (pi - x)/2. */
static void test_sawtooth(void **state)
{
  (void)state;
  for (double w1 = 0.5; w1 < 5.0; w1 *= 3.0) {
    for (double x = 1e-8; x < 2.0; x *= 7.0) {
      const StepResponse s = Step(1.0, w1, 0.0, x / w1, 0);

      Near(s.displacement * w1 * w1 / (PETSC_PI * x / 2.0 - x * x / 4.0), 1.0,
           1e-10); /* round-off of 20000 terms, and of what lies beyond */
      Near(s.velocity * w1 / ((PETSC_PI - x) / 2.0), 1.0, 1e-10);
    }
  }
}

/* D > 0: sum e^{-k x (D - i s)} / k = -log(1 - e^{-x (D - i s)}). */
static void test_damped_sawtooth(void **state)
{
  const double damping[] = {0.01, 0.1, 0.5, 0.9};

  (void)state;
  for (int i = 0; i < 4; ++i) {
    const double root = sqrt(1.0 - damping[i] * damping[i]);

    for (double x = 1e-8; x < 3.0; x *= 9.0) {
      const double exact = -cimag(clog(1.0 - cexp(-x * (damping[i] - I * root)))) / root;

      /* round-off of the logarithm at x = 1e-8 is 1e-8 */
      Near(Step(1.0, 1.0, damping[i], x, 0).velocity, exact, x < 1e-6 ? 1e-7 : 1e-9);
    }
  }
}

/*
  The string clamped at one end: w_k = (k - 1/2) pi c, r = 2. Its modes are the odd ones of alpha = 1, w_1 = pi c / 2: all less the even.
  A square wave: for dt < 2/c the velocity after a unit step of force is 1/c = L+, so f = -y2-/L+ and y2+ = 0.
*/
static void test_string(void **state)
{
  const double c = 2.0, v = -1.0;

  (void)state;
  for (double t = 1e-7; t < 0.9; t *= 8.0) {
    const StepResponse all = Step(1.0, PETSC_PI * c / 2.0, 0.0, t, 0), even = Step(1.0, PETSC_PI * c, 0.0, t, 0);
    const double       G = 2.0 * (all.displacement - even.displacement), g = 2.0 * (all.velocity - even.velocity);

    /* t > 0.3: a mode is more than 2 rad behind the last, and what oscillates beyond K = 20000 is dropped: 1/K^2, 1/K */
    Near(-v * t / G, -v * c, t < 0.3 ? 1e-10 : 1e-8);
    Near(v - v * t / G * g, 0.0, t < 0.3 ? 1e-8 : 1e-4);
  }
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

/* 1 - e^{-D x}(cos + D/s sin) once more, in long double and without the series. */
static double PlainCoefficient(double w, double D, double t)
{
  const long double x = (long double)w * t, s = sqrtl(1.0L - (long double)D * D);

  return (double)((1.0L - expl(-D * x) * (cosl(s * x) + D / s * sinl(s * x))) / ((long double)w * w));
}

/* A plain sum of 1e6 modes with the mean of the rest. What oscillates beyond is damped away (w_N t D > 40), or adds up to less than N^(1 -
 * 2 alpha). */
static void test_plain_sums(void **state)
{
  const struct {
    double alpha, D, t, tolerance;
  } rows[] = {{0.75, 0.1, 0.05, 1e-12}, {0.75, 0.5, 1.0, 1e-12}, {1.0, 0.1, 1e-3, 1e-12}, {1.0, 0.1, 0.7, 1e-12}, {1.5, 0.1, 1e-4, 1e-12},
              {1.5, 0.0, 1e-3, 1e-10},  {2.0, 0.1, 1e-6, 1e-12}, {2.0, 0.0, 1e-3, 1e-10}, {2.0, 0.0, 1.0, 1e-10}, {3.0, 0.3, 0.1, 1e-12}};

  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const PetscInt     N   = 400000;
    const double       a   = rows[i].alpha;
    const StepResponse all = Step(a, 1.0, rows[i].D, rows[i].t, 0), some = Step(a, 1.0, rows[i].D, rows[i].t, N);

    Near((some.displacement + pow(N, 1.0 - 2.0 * a) / (2.0 * a - 1.0) - 0.5 * pow(N, -2.0 * a)) / all.displacement, 1.0, rows[i].tolerance);
    if (rows[i].D > 0.0) Near(some.velocity / all.velocity, 1.0, 1e-11);
    assert_true(all.summed < N && some.summed == N);
  }
}

static void test_coefficients(void **state)
{
  (void)state;
  for (double D = 0.0; D < 0.95; D += 0.15) {
    const PowerSpectrum s = {.alpha = 1.5, .frequency = 2.0, .residue = 3.0, .damping = D};

    for (PetscInt k = 1; k < 3000; k *= 3)
      for (double t = 1e-4; t < 2.0; t *= 6.0) {
        const double exact = 3.0 * PlainCoefficient(2.0 * pow((double)k, 1.5), D, t);

        Near(PowerSpectrumCoefficient(&s, k, t) / exact, 1.0, 1e-10); /* long double loses 1e-19 / x^2, x >= 2e-4 */
      }
  }
}

/* ---- short contacts ----------------------------------------------------------------------------------------------- */

/* C = alpha w_1^(1/alpha) / (r I) with I = int_0^inf x^(1/alpha - 3) h(x) dx: Simpson's rule in log x, and beyond X the mean, h = 1. */
static double IntegralByQuadrature(double alpha, double D)
{
  const int    n = 400000;
  const double a = -30.0, b = log(60.0 / D), root = sqrt(1.0 - D * D), p = 1.0 / alpha - 2.0;
  double       sum = 0.0;

  for (int i = 0; i <= n; ++i) {
    const double x = exp(a + (b - a) * i / n);
    const double h = x < 1e-3 ? x * x / 2.0 - D * x * x * x / 3.0 : 1.0 - exp(-D * x) * (cos(root * x) + D / root * sin(root * x));

    sum += (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0) * pow(x, p) * h;
  }
  return sum * (b - a) / (3.0 * n) - exp(b * p) / p + exp(a * (p + 2.0)) / (2.0 * (p + 2.0)); /* below e^a: h = x^2/2 */
}

static void test_constant(void **state)
{
  PowerSpectrum s = {.alpha = 2.0, .frequency = 3.0, .residue = 4.0, .damping = 0.0};

  (void)state;
  /* Fresnel: int x^(-5/2) (1 - cos x) dx = (2/3) int x^(-3/2) sin x dx = (2/3) sqrt(2 pi) */
  Near(PowerSpectrumConstant(&s), 2.0 * sqrt(3.0) / (4.0 * (2.0 / 3.0) * sqrt(2.0 * PETSC_PI)), 1e-14);
  /* alpha = 1: C = 1/L+, L+ = r/w_1 arccos(D)/sqrt(1 - D^2); 2/(pi c) is the residue per unit of frequency, r/w_1 */
  s = (PowerSpectrum){.alpha = 1.0, .frequency = 3.0, .residue = 4.0, .damping = 0.1};
  Near(PowerSpectrumConstant(&s), 3.0 / 4.0 * sqrt(0.99) / acos(0.1), 1e-14);
  for (double alpha = 0.7; alpha < 3.5; alpha *= 1.37)
    for (double D = 0.1; D < 0.95; D += 0.4) {
      s = (PowerSpectrum){.alpha = alpha, .frequency = 1.3, .residue = 0.7, .damping = D};
      Near(PowerSpectrumConstant(&s) * 0.7 * IntegralByQuadrature(alpha, D) / (alpha * pow(1.3, 1.0 / alpha)), 1.0, 1e-7);
      /* h below x = 1e-3 leaves out x^4; round-off above it 1e-10 */
    }
}

/* f -> -C dt^(1/alpha - 1) v and y2+ -> -(1 - 1/alpha) v as dt -> 0. The sum is the integral less F(0)/2, F(0) = dt^2/2: with G = c dt^(2 -
   1/alpha) the force exceeds its estimate by dt^(1/alpha)/(4 c) of it, and the velocity follows. */
static void test_estimate(void **state)
{
  const double alphas[] = {0.75, 1.0, 1.5, 2.0};

  (void)state;
  for (int i = 0; i < 4; ++i) {
    const double        a = alphas[i], v = -1.0, t[2] = {1e-6, 1e-5};
    const PowerSpectrum s = {.alpha = a, .frequency = 1.0, .residue = 1.0, .damping = 0.1};
    const double        C = PowerSpectrumConstant(&s);

    for (int j = 0; j < 2; ++j) {
      const StepResponse step = Step(a, 1.0, 0.1, t[j], 0);
      const double       f = -v * t[j] / step.displacement, after = v + f * step.velocity, first = C * pow(t[j], 1.0 / a) / 4.0;

      Near(f / (-C * pow(t[j], 1.0 / a - 1.0) * v), 1.0 + first, 1e-9 + 2.0 * first * first); /* the next term is its square */
      Near(after, -(1.0 - 1.0 / a) * v, 1e-9 + 2.0 * first); /* (2 - (2 - 1/alpha)) first = first/alpha < 2 first */
    }
  }
}

/* A plain sum of as many modes as (16) says lacks 1e-3; round up and the next order of the remainder change little. */
static void test_modes_needed(void **state)
{
  const struct {
    double alpha, t;
  } rows[] = {{1.0, 0.01}, {1.5, 1e-4}, {2.0, 1e-5}};

  (void)state;
  for (int i = 0; i < 3; ++i) {
    const PowerSpectrum s = {.alpha = rows[i].alpha, .frequency = 1.0, .residue = 1.0, .damping = 0.1};
    const double        N = PowerSpectrumModes(&s, rows[i].t, 1e-3);
    const double        lacks =
      1.0 - Step(rows[i].alpha, 1.0, 0.1, rows[i].t, (PetscInt)N).displacement / Step(rows[i].alpha, 1.0, 0.1, rows[i].t, 0).displacement;

    Near(lacks, 1e-3, 3e-5); /* estimate against sum: 1 % at most; 1/N */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sawtooth),     cmocka_unit_test(test_damped_sawtooth),
                                     cmocka_unit_test(test_string),       cmocka_unit_test(test_plain_sums),
                                     cmocka_unit_test(test_coefficients), cmocka_unit_test(test_constant),
                                     cmocka_unit_test(test_estimate),     cmocka_unit_test(test_modes_needed)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
