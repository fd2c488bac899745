/*
  The largest Lyapunov exponent against multipliers, closed forms and the distance of two trajectories; its standard error against its
  scatter; and the statuses that follow from it.   [theory 8]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/lyapunov.h"
#include "graze/strobe.h"
#include "support/modes_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { PERIODS = 500 }; /* the default */

/* From c->state, which is not to change. */
static LyapunovResult Measure(Case *c)
{
  PetscReal      *before = malloc(sizeof(PetscReal) * (size_t)c->n);
  Lyapunov        l;
  LyapunovResult  result;
  PetscBool       stop;
  const PetscBool contact = c->state.contact;

  memcpy(before, c->state.x, sizeof(PetscReal) * (size_t)c->n);
  GOOD(LyapunovCreate(PETSC_COMM_SELF, &l));
  GOOD(LyapunovSetFlow(l, c->flow));
  GOOD(LyapunovSetPeriods(l, PERIODS));
  GOOD(LyapunovMeasure(l, &c->state, &result, &stop));
  GOOD(LyapunovDestroy(&l));
  assert_false(stop);
  assert_memory_equal(before, c->state.x, sizeof(PetscReal) * (size_t)c->n);
  assert_int_equal(contact, c->state.contact);
  free(before);
  return result;
}

static void Beam(PetscInt M, PetscReal amplitude, PetscReal frequency, Case *c)
{
  Params params;

  CaseParams(M, &params);
  CaseCreate(&params, NULL, c);
  CaseSetForcing(c, amplitude, frequency);
}

/* x'' + 2 D x' + x = A cos(W t) above a stop; at rest at x0. */
static void Oscillator(PetscReal D, PetscReal stop, PetscReal restitution, PetscReal A, PetscReal W, PetscReal x0, Case *c)
{
  const Modes m = {.M           = 1,
                   .w           = {1.0},
                   .tip         = {1.0},
                   .damping     = {D},
                   .load        = {1.0},
                   .amplitude   = A,
                   .frequency   = W,
                   .stop        = stop,
                   .restitution = restitution};

  ModesCreate(&m, c);
  c->state.x[0] = x0;
}

/*
  On a stable orbit the exponent is log|mu_1|/p. Real mu_1: the vector turns into the leading direction and then grows by mu_1 every p
  periods; 400 periods are whole orbits. A complex pair: its length sways with the angle, by a factor of the condition number at most (18
  and 5.4 at the two points of the default orbit), so that the mean is off by log(18)/400 at most, and the error says so.
*/
static void lyapunov_of_an_orbit_is_its_multiplier(void **state)
{
  const PetscReal W[] = {7.77, 9.0, 13.0};

  (void)state;
  for (int i = 0; i < 3; ++i) {
    const PetscReal *re, *im;
    const FlowState *point;
    PetscInt         n, p;
    PetscReal        exact;
    Orbit            orbit;
    OrbitReason      reason;
    LyapunovResult   result;
    Case             c;

    Beam(60, 30.0, W[i], &c);
    assert_int_equal(CaseRun(&c, 300, NULL), FLOW_GOOD);
    GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
    GOOD(OrbitSetFlow(orbit, c.flow));
    GOOD(OrbitSolve(orbit, W[i] < 7.78 ? 1 : 2, &c.state, &reason));
    assert_int_equal(reason, ORBIT_FOUND);
    GOOD(OrbitGetPeriod(orbit, &p));
    GOOD(OrbitGetMultipliers(orbit, &n, &re, &im, NULL));
    GOOD(OrbitGetState(orbit, 0, &point));
    memcpy(c.state.x, point->x, sizeof(PetscReal) * (size_t)c.n);
    c.state.contact = point->contact;
    exact           = log(hypot(re[0], im[0])) / (PetscReal)p;
    result          = Measure(&c);
    assert_int_equal(result.verdict, LYAPUNOV_DECAYS);
    if (im[0] == 0.0) {
      Near(result.exponent, exact, 1e-9, "log|mu| of a real multiplier"); /* Newton's residual, 1e-10, beside |mu| = 0.98 */
    } else {
      Near(result.exponent, exact, log(18.0) / 400.0, "log|mu| of a pair");
      Near(result.exponent, exact, 3.0 * result.error, "log|mu| of a pair, by its error");
    }
    GOOD(OrbitDestroy(&orbit));
    CaseDestroy(&c);
  }
}

/*
  Without contact the vector is a free motion; in the end of mode 1 alone, which falls like e^{-D w_1 t}. With W = 2 w_1 sqrt(1-D^2) a
  period is half an oscillation of it and the length, whatever the phase, falls by exactly e^{-D w_1 T}. At other W it sways by O(D).
*/
static void lyapunov_without_contact_is_the_damping(void **state)
{
  const PetscReal *w, D = 0.1;
  Case             c;

  (void)state;
  Beam(40, 0.01, 13.0, &c);
  GOOD(ReceptanceGetModes(c.receptance, NULL, &w, NULL, NULL, NULL));
  memset(c.state.x, 0, sizeof(PetscReal) * (size_t)c.n);
  for (int i = 0; i < 2; ++i) {
    const PetscReal W = i ? 13.0 : 2.0 * w[0] * sqrt(1.0 - D * D), exact = -D * w[0] * 2.0 * PETSC_PI / W;
    FlowRecord      record = {0};
    LyapunovResult  result;

    CaseSetForcing(&c, 0.01, W);
    result = Measure(&c);
    if (i) Near(result.exponent, exact, PetscMin(3.0 * result.error, 0.001), "-D w_1 T"); /* 0.001: a sway of 2 D over 400 periods, twice */
    else Near(result.exponent, exact, 1e-12, "-D w_1 T at W = 2 w_d");                    /* round-off */
    if (!i) Near(result.error, 0.0, 1e-12, "the error of what does not sway");
    assert_int_equal(result.verdict, LYAPUNOV_DECAYS);
    assert_int_equal(CaseRun(&c, 10, &record), FLOW_GOOD);
    assert_int_equal(record.count, 0);
    memset(c.state.x, 0, sizeof(PetscReal) * (size_t)c.n);
  }
  CaseDestroy(&c);
}

/*
  The same without derivatives: a second trajectory beside the one at hand, put back to a small distance from it every period. Where the
  two are in different phases at a strobe the distance says nothing: the second starts afresh.
*/
static PetscReal GrowthOfDistance(Case *c, PetscInt dropped, PetscInt measured)
{
  const PetscReal small = 1e-7; /* far above round-off, far below the motion (0.1 to 10) */
  const size_t    size  = sizeof(PetscReal) * (size_t)c->n;
  FlowState       here = {.n = c->n, .contact = c->state.contact, .x = malloc(size)}, there = {.n = c->n, .x = malloc(size)};
  PetscReal      *apart = calloc((size_t)c->n, sizeof(PetscReal)), sum = 0.0, norm;
  PetscInt        counted = 0;
  FlowReason      reason;

  memcpy(here.x, c->state.x, size);
  apart[0] = 1.0;
  GOOD(FlowNorm(c->flow, apart, &norm));
  apart[0] = small / norm;
  for (PetscInt i = 0; i < dropped + measured; ++i) {
    for (PetscInt k = 0; k < c->n; ++k) there.x[k] = here.x[k] + apart[k];
    there.contact = here.contact;
    GOOD(FlowStart(c->flow, &there));
    GOOD(FlowPeriod(c->flow, &there, &reason));
    assert_int_equal(reason, FLOW_GOOD);
    GOOD(FlowStart(c->flow, &here));
    GOOD(FlowPeriod(c->flow, &here, &reason));
    assert_int_equal(reason, FLOW_GOOD);
    if (here.contact != there.contact) continue;
    norm = CaseDistance(c, here.x, there.x);
    for (PetscInt k = 0; k < c->n; ++k) apart[k] = (there.x[k] - here.x[k]) * small / norm;
    if (i < dropped) continue;
    sum += log(norm / small);
    ++counted;
  }
  assert_true(counted > measured * 9 / 10);
  free(here.x);
  free(there.x);
  free(apart);
  return sum / (PetscReal)counted;
}

/*
  Chaos of the default beam at W = 16 and 17 [theory 12: no period between 14 and 18], and of an oscillator with rigid impacts. Along the
  same trajectory the two ways differ by the curvature of the map over 1e-7; along another, by their errors.
*/
static void lyapunov_of_chaos_is_the_growth_of_a_distance(void **state)
{
  (void)state;
  for (int i = 0; i < 3; ++i) {
    LyapunovResult result;
    Case           c;

    if (i < 2) Beam(60, 30.0, i ? 17.0 : 16.0, &c);
    else Oscillator(0.02, -0.2, 0.9, 8.0, 2.8, 0.3, &c);
    assert_int_equal(CaseRun(&c, 200, NULL), FLOW_GOOD);
    result = Measure(&c);
    assert_int_equal(result.verdict, LYAPUNOV_GROWS);
    assert_true(result.exponent > 0.2 && result.error < 0.05);
    /* measured: 1e-6 to 1e-5; a period left out, or a contact in one trajectory alone, is a few of 1/400 */
    Near(GrowthOfDistance(&c, 100, 400), result.exponent, 1e-3, "growth of a distance, same trajectory");
    assert_int_equal(CaseRun(&c, 1000, NULL), FLOW_GOOD);
    Near(GrowthOfDistance(&c, 100, 400), result.exponent, 3.0 * sqrt(2.0) * result.error, "growth of a distance, later");
    CaseDestroy(&c);
  }
}

/* Measurements one after another scatter as much as their errors say: chi^2 of 11 degrees of freedom, between its 0.5 and 99.5 %. */
static void lyapunov_error_is_the_scatter(void **state)
{
  (void)state;
  for (int i = 0; i < 2; ++i) {
    enum { N = 12 };
    PetscReal exponent[N], mean = 0.0, variance = 0.0, scatter = 0.0;
    Case      c;

    Beam(40, 30.0, i ? 16.0 : 17.0, &c);
    assert_int_equal(CaseRun(&c, 100, NULL), FLOW_GOOD);
    for (int k = 0; k < N; ++k) {
      const LyapunovResult result = Measure(&c);

      exponent[k] = result.exponent;
      mean += result.exponent / N;
      variance += result.error * result.error / N;
      assert_int_equal(CaseRun(&c, PERIODS, NULL), FLOW_GOOD);
    }
    for (int k = 0; k < N; ++k) scatter += PetscSqr(exponent[k] - mean);
    if (!(scatter / variance > 2.6 && scatter / variance < 26.8)) fail_msg("chi^2 %g of 11", (double)(scatter / variance));
    CaseDestroy(&c);
  }
}

/* ---- statuses ---- */

typedef struct {
  SteadyStatus status;
  PetscReal    exponent, error;
  PetscInt     periods_used, asked;
  PetscReal   *x; /* the state after it; to be freed */
  PetscBool    contact;
} Cell;

typedef struct {
  PetscInt asked, stop_at;
} Asked;

static PetscErrorCode Ask(void *ctx, PetscBool *stop)
{
  Asked *a = (Asked *)ctx;

  PetscFunctionBeginUser;
  *stop = (PetscBool)(++a->asked == a->stop_at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Cell Solve(Case *c, PetscInt lyapunov_periods, PetscInt max_period, PetscInt stop_at)
{
  const size_t size   = sizeof(PetscReal) * (size_t)c->n;
  Params       params = c->params;
  Asked        a      = {.stop_at = stop_at};
  Cell         cell   = {.x = malloc(size)};
  FlowState    at     = {.n = c->n, .contact = c->state.contact, .x = cell.x};
  Strobe       strobe;
  Steady       steady;

  params.lyapunov_periods = lyapunov_periods;
  params.max_period       = max_period;
  memcpy(at.x, c->state.x, size);
  GOOD(StrobeCreate(PETSC_COMM_SELF, &strobe));
  GOOD(StrobeSetParams(strobe, &params));
  GOOD(StrobeSetFlow(strobe, c->flow));
  GOOD(StrobeSetPoll(strobe, Ask, &a));
  GOOD(SteadyCreate(&params, &steady));
  GOOD(StrobeSolve(strobe, &at, &steady));
  cell.status       = steady.status;
  cell.exponent     = steady.lyapunov_exponent;
  cell.error        = steady.lyapunov_error;
  cell.periods_used = steady.periods_used;
  cell.asked        = a.asked;
  cell.contact      = at.contact;
  GOOD(SteadyDestroy(&steady));
  GOOD(StrobeDestroy(&strobe));
  return cell;
}

/* With and without the exponent: its status and error are NaN or not; where the neighbour starts from is the same to the last bit. */
static void Expect(Case *c, PetscInt max_period, SteadyStatus without, SteadyStatus with, const char *what)
{
  const Cell plain = Solve(c, 0, max_period, 0), cell = Solve(c, PERIODS, max_period, 0);

  if (plain.status != without || cell.status != with)
    fail_msg("%s: %s without the exponent, with %g +- %g %s", what, SteadyStatusNames[plain.status], (double)cell.exponent,
             (double)cell.error, SteadyStatusNames[cell.status]);
  assert_true(isnan(plain.exponent) && isnan(plain.error));
  assert_true(with == STATUS_PERIODIC ? isnan(cell.exponent) : !isnan(cell.exponent) && !isnan(cell.error));
  assert_int_equal(plain.periods_used, cell.periods_used);
  assert_int_equal(cell.asked - plain.asked, with == STATUS_PERIODIC ? 0 : PERIODS);
  assert_memory_equal(plain.x, cell.x, sizeof(PetscReal) * (size_t)c->n);
  assert_int_equal(plain.contact, cell.contact);
  free(plain.x);
  free(cell.x);
}

/*
  The default beam: chaos at W = 16; periodic at 13; and there, when only period 1 is looked for, an orbit of period 2 that no sample
  can be told from, which the exponent says is approached.
*/
static void lyapunov_status_of_the_beam(void **state)
{
  Case c;

  (void)state;
  Beam(40, 30.0, 16.0, &c);
  Expect(&c, 32, STATUS_APERIODIC, STATUS_CHAOTIC, "chaos");
  CaseSetForcing(&c, 30.0, 13.0);
  Expect(&c, 32, STATUS_PERIODIC, STATUS_PERIODIC, "period 2");
  Expect(&c, 1, STATUS_APERIODIC, STATUS_NOT_SETTLED, "period 2, looked for 1");
  CaseDestroy(&c);
}

/*
  Quasi-periodic motion without damping. Two modes that never touch: free oscillations and the forced one, exponent 0. Elastic impacts at
  the rest position: the free motion is isochronous, invariant curves around each other, exponent 0. Elastic impacts below it: the curves
  turn at different speeds, and a vector grows like the time, which from period 100 to 500 looks like an exponent of log(5)/400 = 0.00402,
  by more than three standard errors.
*/
static void lyapunov_status_of_quasi_periodic_motion(void **state)
{
  const Modes m = {
    .M = 2, .w = {1.0, 2.7}, .tip = {1.0, 1.0}, .load = {1.0, 1.0}, .amplitude = 0.3, .frequency = 1.9, .stop = -9.0, .restitution = 1.0};
  const PetscReal shear = log(5.0) / 400.0;
  LyapunovResult  result;
  Case            c;

  (void)state;
  ModesCreate(&m, &c);
  c.state.x[0] = 1.0;
  c.state.x[1] = 0.3;
  Expect(&c, 32, STATUS_APERIODIC, STATUS_QUASI_PERIODIC, "two modes without contact");
  result = Measure(&c);
  Near(result.exponent, 0.0, 1e-12, "two modes without contact"); /* the energy of a free motion stays, to round-off */
  ModesDestroy(&c);
  for (int i = 0; i < 3; ++i) {
    Oscillator(0.0, 0.0, 1.0, 0.5, 2.8, 1.25 + 0.4 * i, &c);
    Expect(&c, 32, STATUS_APERIODIC, STATUS_QUASI_PERIODIC, "isochronous islands");
    result = Measure(&c);
    Near(result.exponent, 0.0, PetscMin(3.0 * result.error, 0.005), "isochronous islands");
    ModesDestroy(&c);
  }
  for (int i = 0; i < 3; ++i) {
    Oscillator(0.0, -0.2, 1.0, 0.5, 2.8, 2.15 + 0.1 * i, &c);
    if (i) Expect(&c, 32, STATUS_APERIODIC, STATUS_QUASI_PERIODIC, "islands with shear");
    result = Measure(&c);
    assert_int_equal(result.verdict, LYAPUNOV_NEUTRAL);
    Near(result.exponent, shear, 3.0 * result.error, "islands with shear");
    assert_true(result.exponent > 3.0 * result.error);
    ModesDestroy(&c);
  }
}

/* An impact without rebound, then rest on the stop for a while: all neighbours end in one point. */
static void lyapunov_of_what_forgets_all(void **state)
{
  LyapunovResult result;
  Case           c;

  (void)state;
  Oscillator(0.1, 0.5, 0.0, 0.4, 1.0, 0.6, &c);
  assert_int_equal(CaseRun(&c, 5, NULL), FLOW_GOOD);
  result = Measure(&c);
  assert_true(isinf(result.exponent) && result.exponent < 0.0 && result.error == 0.0);
  assert_int_equal(result.verdict, LYAPUNOV_DECAYS);
  CaseDestroy(&c);
}

/* Given up in the periods of the exponent, wherever that is, the cell is pending; a flow that stops there leaves no exponent. */
static void lyapunov_gives_up(void **state)
{
  Case           c;
  Cell           cell;
  LyapunovResult result;

  (void)state;
  Beam(20, 30.0, 16.0, &c);
  cell = Solve(&c, 80, 16, 0);
  assert_int_equal(cell.asked, cell.periods_used + 80);
  free(cell.x);
  for (PetscInt at = cell.periods_used - 1; at <= cell.asked; at += 9) {
    const Cell cut = Solve(&c, 80, 16, at);

    assert_int_equal(cut.status, STATUS_PENDING);
    assert_int_equal(cut.asked, at);
    free(cut.x);
  }
  c.params.flow_max_events = 1;
  GOOD(FlowSetParams(c.flow, &c.params));
  result = Measure(&c);
  assert_true(isnan(result.exponent) && isnan(result.error));
  assert_int_equal(result.verdict, LYAPUNOV_UNDECIDED);
  CaseDestroy(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lyapunov_of_an_orbit_is_its_multiplier),
                                     cmocka_unit_test(lyapunov_without_contact_is_the_damping),
                                     cmocka_unit_test(lyapunov_of_chaos_is_the_growth_of_a_distance),
                                     cmocka_unit_test(lyapunov_error_is_the_scatter),
                                     cmocka_unit_test(lyapunov_status_of_the_beam),
                                     cmocka_unit_test(lyapunov_status_of_quasi_periodic_motion),
                                     cmocka_unit_test(lyapunov_of_what_forgets_all),
                                     cmocka_unit_test(lyapunov_gives_up)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() ? 1 : failed;
}
