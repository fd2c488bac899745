/*
  Periodic orbits of one-mode impact oscillators: Newton, multipliers and status of the restitution flow against closed forms and
  published values.   [theory 8, 15]

  x'' + c x' + x = A cos(W t), x <= 1: the stop is above, so y = -x, the stop at y = -1, and the load is -A cos(W t).
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/orbit.h"
#include "graze/strobe.h"
#include "support/modes_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

typedef struct {
  PetscReal damping, A, W, C; /* c/2, amplitude, frequency, coefficient of restitution */
  PetscInt  p;                /* forcing periods with one impact */
} Oscillator;

static void Create(const Oscillator *o, Case *c)
{
  const Modes m = {.M           = 1,
                   .w           = {1.0},
                   .tip         = {1.0},
                   .damping     = {o->damping},
                   .load        = {-1.0},
                   .amplitude   = o->A,
                   .frequency   = o->W,
                   .stop        = -1.0,
                   .restitution = o->C};

  ModesCreate(&m, c);
}

/* e^{A t} of x'' + 2 D x' + x = 0 on (x, x'). */
static void Propagator(PetscReal D, PetscReal t, PetscReal P[4])
{
  const PetscReal wd = sqrt(1.0 - D * D), e = exp(-D * t), c = e * cos(wd * t), s = e * sin(wd * t) / wd;

  P[0] = c + D * s;
  P[1] = s;
  P[2] = -s;
  P[3] = c - D * s;
}

/*
  One impact per p periods in closed form. Free part d = 1 - x_f, e = v+ - x_f' after the impact, x_f the forced motion; over p periods
  (d, e) -> (d, -v+/C - x_f') = P (d, e), two linear equations that give v+ = alpha d, x_f' = beta d; and x_f^2 + (x_f'/W)^2 = |Y|^2 is
  quadratic in d. `which`: its root. Output: W t of the impact in [0, 2 pi), v+; the state y, y' at the p-th strobe after.
*/
static int Closed(const Oscillator *o, int which, PetscReal *angle, PetscReal *v, PetscReal x[2])
{
  const double complex Y = o->A / (1.0 - o->W * o->W + 2.0 * I * o->damping * o->W);
  const PetscReal      T = 2.0 * PETSC_PI / o->W * (PetscReal)o->p;
  PetscReal            P[4], alpha, beta, q, d, rest, e;

  Propagator(o->damping, T, P);
  /* d = P0 d + P1 e and -v/C - x' = P2 d + P3 e with e = v - x': from the first e = (1 - P0)/P1 d */
  e     = (1.0 - P[0]) / P[1];
  alpha = (e - P[2] - P[3] * e) / (1.0 + 1.0 / o->C); /* v - x' = e d, v/C + x' = -(P2 + P3 e) d */
  beta  = alpha - e;
  /* (1 - d)^2 + (beta d / W)^2 = |Y|^2 */
  q = 1.0 + PetscSqr(beta / o->W);
  if (1.0 - q * (1.0 - PetscSqr(cabs(Y))) < 0.0) return 0;
  d      = (1.0 + (which ? -1.0 : 1.0) * sqrt(1.0 - q * (1.0 - PetscSqr(cabs(Y))))) / q;
  *v     = alpha * d;
  *angle = fmod(carg((1.0 - d) - I * beta * d / o->W) - carg(Y) + 4.0 * PETSC_PI, 2.0 * PETSC_PI); /* x_f = |Y| cos(angle + arg Y) */
  rest   = T - *angle / o->W;
  Propagator(o->damping, rest, P);
  x[0] = -(P[0] * d + P[1] * e * d + creal(Y));
  x[1] = -(P[2] * d + P[3] * e * d - o->W * cimag(Y));
  return *v < 0.0;
}

static double complex Multiplier(Orbit orbit, PetscInt i)
{
  const PetscReal *re, *im;
  PetscInt         n;

  GOOD(OrbitGetMultipliers(orbit, &n, &re, &im, NULL));
  assert_true(i < n);
  return re[i] + I * im[i];
}

/* Newton from the state in c: multipliers of the orbit of least period p, and its impacts in the record. */
static OrbitReason Solve(Case *c, PetscInt p, double complex mu[2], FlowRecord *record)
{
  Orbit            orbit;
  OrbitReason      reason;
  const FlowState *point;
  PetscInt         least;

  GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
  GOOD(OrbitSetFlow(orbit, c->flow));
  GOOD(OrbitSolve(orbit, p, &c->state, &reason));
  if (reason == ORBIT_FOUND) {
    GOOD(OrbitGetPeriod(orbit, &least));
    assert_int_equal(least, p);
    for (PetscInt i = 0; i < 2; ++i) mu[i] = Multiplier(orbit, i);
    GOOD(OrbitGetState(orbit, 0, &point));
    memcpy(c->state.x, point->x, 2 * sizeof(PetscReal));
    assert_int_equal(CaseRun(c, p, record), FLOW_GOOD);
  }
  GOOD(OrbitDestroy(&orbit));
  return reason;
}

/*
  x'' + 0.1 x' + x = cos t, C_R = 0.8: one impact a period with v+ = -1.356586 at W t = 0.0759521649; multipliers -0.58430 +- 0.00560 i (the
  printed digits, of continuation programs), and everything against the closed form. det of the map: C_R^2 e^{-c T}.
*/
static void restitution_orbit_of_period_one(void **state)
{
  const Oscillator o = {.damping = 0.05, .A = 1.0, .W = 1.0, .C = 0.8, .p = 1};
  PetscReal        angle, v, x[2];
  double complex   mu[2];
  Contact          contact[4];
  FlowRecord       record = {.capacity = 4, .contact = contact};
  Case             c;
  int              found = 0;

  (void)state;
  Create(&o, &c);
  for (int which = 0; which < 2; ++which) {
    if (!Closed(&o, which, &angle, &v, x)) continue;
    c.state.x[0]    = x[0] + 1e-3; /* Newton has something to do */
    c.state.x[1]    = x[1] - 1e-3;
    c.state.contact = PETSC_FALSE;
    if (Solve(&c, 1, mu, &record) != ORBIT_FOUND || record.count != 1 || fabs(c.state.x[0] - x[0]) > 1e-6) continue;
    ++found;
    Near(2.0 * PETSC_PI * contact[0].phase, angle, 1e-9, "W t of the impact");
    Near(-0.8 * -contact[0].velocity, v, 1e-9, "v+"); /* y' = -x' */
    Near(c.state.x[0], x[0], 1e-9, "y at the strobe");
    Near(c.state.x[1], x[1], 1e-9, "y' at the strobe");
    Near(2.0 * PETSC_PI * contact[0].phase, 0.0759521649, 5.1e-11, "W t of the impact, published");
    Near(0.8 * contact[0].velocity, -1.356586, 5.1e-7, "v+, published");
    Near(creal(mu[0]), -0.58430, 5.1e-6, "Re mu");
    Near(cimag(mu[0]), 0.00560, 5.1e-6, "Im mu");
    Near(cabs(mu[0] * mu[1]), 0.64 * exp(-0.1 * 2.0 * PETSC_PI), 1e-12, "mu_1 mu_2");
  }
  assert_int_equal(found, 1);
  ModesDestroy(&c);
}

/* The multiplier nearest to -1 of the orbits with one impact in two periods at amplitude A; NaN: no such orbit. */
static PetscReal NearMinusOne(PetscReal A)
{
  const Oscillator o       = {.damping = 0.02, .A = A, .W = 0.81, .C = 0.9, .p = 2};
  PetscReal        nearest = NAN, angle, v;

  for (int which = 0; which < 2; ++which) {
    Contact        contact[4];
    FlowRecord     record = {.capacity = 4, .contact = contact};
    double complex mu[2];
    Case           c;

    Create(&o, &c);
    if (Closed(&o, which, &angle, &v, c.state.x) && Solve(&c, 2, mu, &record) == ORBIT_FOUND && record.count == 1)
      for (int i = 0; i < 2; ++i)
        if (cimag(mu[i]) == 0.0 && !(fabs(creal(mu[i]) + 1.0) >= fabs(nearest + 1.0))) nearest = creal(mu[i]);
    ModesDestroy(&c);
  }
  return nearest;
}

/*
  x'' + 0.04 x' + x = A cos(W t), C_R = 0.9, one impact in two periods: the period doubles at W = 0.81, A = 0.347533398 (Ghosh and Simpson,
  arXiv 2510.16218). Closed form, monodromy e^{A T} S with the saltation of the impact: 0.347533397412283, which their last digit just
  misses. The secant through two multipliers 2e-8 apart in A: an error of 1e-13 by curvature, and of 1e-12/2000 by round-off.
*/
static void restitution_orbit_doubles(void **state)
{
  const PetscReal published = 0.347533398, h = 1e-8, low = NearMinusOne(published - h), high = NearMinusOne(published + h);

  (void)state;
  assert_true((low + 1.0) * (high + 1.0) < 0.0);
  Near(published + h * (2.0 * (-1.0 - low) / (high - low) - 1.0), published, 1e-9, "A at which the period doubles, published");
  Near(published + h * (2.0 * (-1.0 - low) / (high - low) - 1.0), 0.347533397412283, 2e-12, "A at which the period doubles");
}

/* W = 0.799: two such orbits meet at A = 0.362836202; on the side where they exist a multiplier tends to +1 like the square root. */
static void restitution_orbit_folds(void **state)
{
  static const PetscReal fold = 0.362836202;
  PetscReal              gap[2];

  (void)state;
  for (int i = 0; i < 2; ++i) {
    PetscReal angle, v;

    gap[i] = PETSC_MAX_REAL;
    for (int side = -1; side <= 1; side += 2)
      for (int which = 0; which < 2; ++which) {
        const Oscillator o = {.damping = 0.02, .A = fold + side * (i ? 1e-8 : 1e-6), .W = 0.799, .C = 0.9, .p = 2};
        Contact          contact[4];
        FlowRecord       record = {.capacity = 4, .contact = contact};
        double complex   mu[2];
        Case             c;

        Create(&o, &c);
        if (Closed(&o, which, &angle, &v, c.state.x) && Solve(&c, 2, mu, &record) == ORBIT_FOUND && record.count == 1)
          for (int k = 0; k < 2; ++k) gap[i] = PetscMin(gap[i], cabs(mu[k] - 1.0));
        ModesDestroy(&c);
      }
  }
  assert_true(gap[0] < 0.1);
  Near(gap[1] / gap[0], 0.1, 0.01, "a hundredth of the way: a tenth of the distance from +1");
}

/* From rest to the same orbit by StrobeSolve: periodic, period 1, with multipliers; and the impact-free motion of a small load. */
static void restitution_steady_state(void **state)
{
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const Oscillator o = {.damping = 0.05, .A = i ? 0.05 : 1.0, .W = 1.0, .C = 0.8, .p = 1};
    Case             c;
    Strobe           strobe;
    Steady           steady;

    Create(&o, &c);
    GOOD(StrobeCreate(PETSC_COMM_SELF, &strobe));
    GOOD(StrobeSetParams(strobe, &c.params));
    GOOD(StrobeSetFlow(strobe, c.flow));
    GOOD(SteadyCreate(&c.params, &steady));
    GOOD(StrobeSolve(strobe, &c.state, &steady));
    assert_int_equal(steady.status, i ? STATUS_CONTACT_FREE : STATUS_PERIODIC);
    assert_int_equal(steady.period, 1);
    assert_int_equal(steady.record.impacts, i ? 0 : 1);
    assert_int_equal(steady.n_multipliers, 2);
    if (!i) Near(steady.multiplier_re[0], -0.58430, 5.1e-6, "Re mu");
    GOOD(SteadyDestroy(&steady));
    GOOD(StrobeDestroy(&strobe));
    ModesDestroy(&c);
  }
}

/*
  Just short of a grazing impact: |Y| = 10 A, the impact-free orbit touches at A = 0.1. From a guess that hits the stop slowly Newton meets
  derivatives of the size of 1/v; it ends, with a reason or on an orbit, and what it says it has found closes.
*/
static void restitution_newton_ends_near_grazing(void **state)
{
  (void)state;
  for (int i = -4; i <= 4; ++i) {
    const Oscillator o = {.damping = 0.05, .A = 0.1 * (1.0 + 1e-6 * i), .W = 1.0, .C = 0.8, .p = 1};
    Case             c;
    Orbit            orbit;
    OrbitReason      reason;

    Create(&o, &c);
    c.state.x[1] = -1.0 - 1e-7 * i; /* x_f = sin t at A = 0.1 */
    GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
    GOOD(OrbitSetFlow(orbit, c.flow));
    GOOD(OrbitSolve(orbit, 1, &c.state, &reason));
    if (reason == ORBIT_FOUND) {
      const FlowState *point;

      GOOD(OrbitGetState(orbit, 0, &point));
      memcpy(c.state.x, point->x, 2 * sizeof(PetscReal));
      assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
      Near(hypot(c.state.x[0] - point->x[0], c.state.x[1] - point->x[1]), 0.0, 1e-9, "the orbit closes");
    } else {
      assert_true(i >= 0); /* below grazing the orbit is linear and stable: it is found */
    }
    GOOD(OrbitDestroy(&orbit));
    ModesDestroy(&c);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_orbit_of_period_one), cmocka_unit_test(restitution_orbit_doubles),
                                     cmocka_unit_test(restitution_orbit_folds), cmocka_unit_test(restitution_steady_state),
                                     cmocka_unit_test(restitution_newton_ends_near_grazing)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() ? 1 : failed;
}
