/*
  Periodic orbits by Newton and their multipliers: the default orbit, the period doubling of [theory 12], the contact-free orbit, and what
  the error estimate is worth.   [theory 8.1 - 8.3]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <slepcsys.h>
/* after slepcsys.h */
#include <slepcblaslapack.h>

#include "graze/orbit.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static Spectrum spectrum;
enum { KNOWN = 170 };

static Orbit MakeOrbit(Case *c)
{
  Orbit orbit;

  GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
  GOOD(OrbitSetFlow(orbit, c->flow));
  return orbit;
}

/* Newton from c->state, which becomes the orbit's first point. */
static void Solve(Case *c, Orbit orbit, PetscInt p, PetscInt expected)
{
  OrbitReason      reason;
  const FlowState *point;
  PetscInt         least;
  PetscReal        residual;

  GOOD(OrbitSolve(orbit, p, &c->state, &reason));
  assert_int_equal(reason, ORBIT_FOUND);
  GOOD(OrbitGetPeriod(orbit, &least));
  assert_int_equal(least, expected);
  GOOD(OrbitGetResidual(orbit, &residual, NULL));
  assert_true(residual <= 1e-10);
  GOOD(OrbitGetState(orbit, 0, &point));
  memcpy(c->state.x, point->x, sizeof(PetscReal) * (size_t)c->n);
  c->state.contact = point->contact;
}

static double complex Multiplier(Orbit orbit, PetscInt i, PetscReal *error)
{
  const PetscReal *re, *im, *e;
  PetscInt         n;

  GOOD(OrbitGetMultipliers(orbit, &n, &re, &im, &e));
  assert_true(i < n);
  if (error) *error = e[i];
  return re[i] + I * im[i];
}

/* Two pairs of the default orbit to 1e-3 at the most modes that are chosen by themselves; reference: M = 400 and 800 [theory 12]. */
static void orbit_default_multipliers(void **state)
{
  Params params;
  Case   c;
  Orbit  orbit;

  (void)state;
  CaseParams(150, &params);
  CaseCreate(&params, spectrum, &c);
  orbit = MakeOrbit(&c);
  assert_int_equal(CaseRun(&c, 30, NULL), FLOW_GOOD);
  Solve(&c, orbit, 2, 2);
  Near(creal(Multiplier(orbit, 0, NULL)), -0.032260, 1e-3, "Re mu_1");
  Near(cimag(Multiplier(orbit, 0, NULL)), 0.260378, 1e-3, "Im mu_1");
  Near(cabs(Multiplier(orbit, 1, NULL) - conj(Multiplier(orbit, 0, NULL))), 0.0, 1e-15, "the pair, im > 0 first");
  Near(creal(Multiplier(orbit, 2, NULL)), -0.086439, 1e-3, "Re mu_2");
  Near(cimag(Multiplier(orbit, 2, NULL)), 0.015442, 1e-3, "Im mu_2");
  for (PetscInt i = 1; i < ORBIT_MULTIPLIERS; ++i) assert_true(cabs(Multiplier(orbit, i, NULL)) <= cabs(Multiplier(orbit, i - 1, NULL)));
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

/* Asked for 2, 4 or 6 periods Newton returns the least period 2; from a rough guess too. What it returns is one orbit, and closes. */
static void orbit_least_period(void **state)
{
  Params params;
  Case   c;
  Orbit  orbit;

  (void)state;
  CaseParams(60, &params);
  CaseCreate(&params, spectrum, &c);
  orbit = MakeOrbit(&c);
  assert_int_equal(CaseRun(&c, 6, NULL), FLOW_GOOD); /* rough: some 1e-2 off the orbit */
  for (PetscInt p = 2; p <= 6; p += 2) {
    Solve(&c, orbit, p, 2);
    for (PetscInt i = 0; i < 2; ++i) {
      const FlowState *point, *next;
      PetscReal        size;

      GOOD(OrbitGetState(orbit, i, &point));
      GOOD(OrbitGetState(orbit, 1 - i, &next));
      memcpy(c.state.x, point->x, sizeof(PetscReal) * (size_t)c.n);
      c.state.contact = point->contact;
      assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
      GOOD(FlowNorm(c.flow, next->x, &size));
      Near(CaseDistance(&c, c.state.x, next->x), 0.0, 1e-10 * size, "from one strobe of the orbit to the other");
    }
    assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD); /* another start for the next p */
  }
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

/*
  Multipliers belong to the orbit, not to the strobe at which the Jacobian is taken: from both points of the default orbit they agree
  within the sum of their error estimates, which are not generous. And with those of a Jacobian by central differences.
*/
static void orbit_multiplier_errors_are_covered(void **state)
{
  (void)state;
  for (PetscInt order = 1; order <= 2; ++order) {
    const PetscReal  h = 1e-6;
    const PetscReal *energy;
    double complex   first[4];
    PetscReal        error[4], *J, *start, *up;
    Params           params;
    Case             c;
    Orbit            orbit;

    CaseParams(20, &params);
    params.receptance_closure = order;
    CaseCreate(&params, spectrum, &c);
    orbit = MakeOrbit(&c);
    assert_int_equal(CaseRun(&c, 40, NULL), FLOW_GOOD);
    Solve(&c, orbit, 2, 2);
    for (PetscInt i = 0; i < 4; ++i) first[i] = Multiplier(orbit, i, &error[i]);
    assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
    Solve(&c, orbit, 2, 2);
    for (PetscInt i = 0; i < 4; ++i) {
      PetscReal            other;
      const double complex second = Multiplier(orbit, i, &other);

      Near(cabs(second - first[i]), 0.0, error[i] + other, "multiplier from the other strobe");
      assert_true(error[i] < 1e-8); /* covers, and still says something */
    }

    J     = malloc(sizeof(*J) * (size_t)(c.n * c.n));
    start = malloc(sizeof(*start) * (size_t)c.n);
    up    = malloc(sizeof(*up) * (size_t)c.n);
    memcpy(start, c.state.x, sizeof(*start) * (size_t)c.n);
    GOOD(FlowGetEnergyWeights(c.flow, &energy));
    for (PetscInt j = 0; j < c.n; ++j)
      for (int side = 1; side >= -1; side -= 2) {
        memcpy(c.state.x, start, sizeof(*start) * (size_t)c.n);
        c.state.contact = PETSC_FALSE;
        c.state.x[j] += side * h / energy[j];
        assert_int_equal(CaseRun(&c, 2, NULL), FLOW_GOOD);
        if (side == 1) memcpy(up, c.state.x, sizeof(*up) * (size_t)c.n);
        else
          for (PetscInt i = 0; i < c.n; ++i) J[j * c.n + i] = (up[i] - c.state.x[i]) * energy[i] / (2.0 * h);
      }
    const PetscBLASInt n = (PetscBLASInt)c.n, one = 1, lwork = 8 * n;
    double            *re = malloc(sizeof(double) * (size_t)n), *im = malloc(sizeof(double) * (size_t)n);
    double            *work = malloc(sizeof(double) * (size_t)lwork);
    PetscBLASInt       info;

    LAPACKgeev_("N", "N", &n, J, &n, re, im, NULL, &one, NULL, &one, work, (PetscBLASInt *)&lwork, &info);
    assert_int_equal(info, 0);
    for (PetscInt i = 0; i < 4; ++i) {
      double nearest = INFINITY;

      for (PetscInt j = 0; j < c.n; ++j) nearest = fmin(nearest, cabs(re[j] + I * im[j] - first[i]));
      /* differences are good to 1e-7 of J (h^2 J'' and 1e-13/h), and condition numbers are 18 and less [theory 8.3] */
      Near(nearest, 0.0, 2e-6, "multiplier by differences");
    }
    free(re);
    free(im);
    free(work);
    free(J);
    free(start);
    free(up);
    GOOD(OrbitDestroy(&orbit));
    CaseDestroy(&c);
  }
}

/* Without contact the multipliers are e^{lambda_k T}, the slowest modes first. */
static void orbit_without_contact(void **state)
{
  Params           params;
  Case             c;
  Orbit            orbit;
  const PetscReal *w;

  (void)state;
  CaseParams(40, &params);
  params.forcing_amplitude    = 5.0;
  params.forcing_frequency    = 38.0;
  params.initial_displacement = params.initial_velocity = 0.0;
  CaseCreate(&params, spectrum, &c);
  orbit = MakeOrbit(&c);
  Solve(&c, orbit, 1, 1);
  GOOD(ReceptanceGetModes(c.receptance, NULL, &w, NULL, NULL, NULL));
  for (PetscInt k = 0; k < ORBIT_MULTIPLIERS / 2; ++k) {
    PetscReal            error;
    const double complex mu = Multiplier(orbit, 2 * k, &error), exact = cexp((-0.1 + I * sqrt(0.99)) * w[k] * c.period);

    Near(creal(mu), creal(exact), 1e-12 + error, "Re mu"); /* round-off */
    Near(cimag(mu), fabs(cimag(exact)), 1e-12 + error, "|Im mu|");
    assert_true(error < 1e-9);
  }
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

/*
  At amplitude 30 the period-1 orbit doubles at W = 7.780707 ([theory 12]; M = 100: 7.7807074): its leading multiplier passes -1 there.
  Beyond it, the leading direction is where a small deviation goes: it comes back multiplied by mu.
*/
static void orbit_doubles_its_period_where_it_should(void **state)
{
  PetscReal        low = 7.78, high = 7.7815;
  Params           params;
  Case             c;
  Orbit            orbit;
  const PetscReal *direction;
  PetscReal       *point, *along, norm;

  (void)state;
  CaseParams(100, &params);
  CaseCreate(&params, spectrum, &c);
  orbit = MakeOrbit(&c);
  CaseSetForcing(&c, 30.0, 7.77);
  assert_int_equal(CaseRun(&c, 200, NULL), FLOW_GOOD);
  Solve(&c, orbit, 1, 1);
  while (high - low > 1e-9) {
    const PetscReal middle = 0.5 * (low + high);
    double complex  mu;

    CaseSetForcing(&c, 30.0, middle);
    Solve(&c, orbit, 1, 1);
    mu = Multiplier(orbit, 0, NULL);
    assert_true(cimag(mu) == 0.0 && creal(mu) < 0.0);
    if (creal(mu) > -1.0) low = middle;
    else high = middle;
  }
  Near(low, 7.7807074, 2e-7, "W of the period doubling"); /* digits given: 1e-7 and half of one */

  CaseSetForcing(&c, 30.0, 7.80);
  Solve(&c, orbit, 1, 1);
  const double complex mu = Multiplier(orbit, 0, NULL);

  assert_true(creal(mu) < -1.0);
  GOOD(OrbitGetLeadingDirection(orbit, &direction));
  GOOD(FlowNorm(c.flow, direction, &norm));
  Near(norm, 1.0, 1e-13, "unit energy");
  point = malloc(sizeof(PetscReal) * (size_t)c.n);
  along = malloc(sizeof(PetscReal) * (size_t)c.n);
  memcpy(point, c.state.x, sizeof(PetscReal) * (size_t)c.n);
  memcpy(along, direction, sizeof(PetscReal) * (size_t)c.n);
  for (PetscInt i = 0; i < c.n; ++i) c.state.x[i] = point[i] + 1e-7 * along[i];
  assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
  for (PetscInt i = 0; i < c.n; ++i) along[i] = point[i] + 1e-7 * creal(mu) * along[i];
  Near(CaseDistance(&c, c.state.x, along), 0.0, 1e-10, "image of a small deviation"); /* (1e-7)^2 times a second derivative of some 1e3 */
  free(point);
  free(along);
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

/* A flow that stops within the orbit is a reason, not an error. */
static void orbit_says_why_it_fails(void **state)
{
  Params      params;
  Case        c;
  Orbit       orbit;
  OrbitReason reason;

  (void)state;
  CaseParams(40, &params);
  CaseCreate(&params, spectrum, &c);
  assert_int_equal(CaseRun(&c, 40, NULL), FLOW_GOOD);
  params.flow_max_events = 1; /* the orbit has two contacts in one of its periods */
  GOOD(FlowSetParams(c.flow, &params));
  orbit = MakeOrbit(&c);
  GOOD(OrbitSolve(orbit, 2, &c.state, &reason));
  assert_int_equal(reason, ORBIT_FLOW_FAILED);
  GOOD(OrbitDestroy(&orbit));
  CaseDestroy(&c);
}

static int MakeSpectrum(void **state)
{
  Params params;

  (void)state;
  CaseParams(KNOWN, &params);
  CaseSpectrum(&params, KNOWN, &spectrum);
  return 0;
}

static int DropSpectrum(void **state)
{
  (void)state;
  return (int)SpectrumDestroy(&spectrum);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(orbit_default_multipliers),
    cmocka_unit_test(orbit_least_period),
    cmocka_unit_test(orbit_multiplier_errors_are_covered),
    cmocka_unit_test(orbit_without_contact),
    cmocka_unit_test(orbit_doubles_its_period_where_it_should),
    cmocka_unit_test(orbit_says_why_it_fails),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("orbit", tests, MakeSpectrum, DropSpectrum);
  return SlepcFinalize() || failed ? 1 : 0;
}
