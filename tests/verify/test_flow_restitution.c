/*
  Rigid impacts with a coefficient of restitution: balances at impact, accumulation, sticking, release, and the derivative.   [theory 15]
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

#include "support/modes_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { ROOM = 200 };

static Contact    contacts[ROOM];
static FlowRecord record;

/* Three elastic modes; ratios of damping that differ, so that nothing is proportional. */
static const Modes three = {.M           = 3,
                            .w           = {1.0, 4.3, 11.0},
                            .tip         = {1.0, 0.8, 0.6},
                            .damping     = {0.05, 0.02, 0.1},
                            .load        = {1.0, -0.3, 0.2},
                            .frequency   = 1.7,
                            .restitution = 0.6};

static PetscReal Sum(PetscInt M, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0.0;

  for (PetscInt k = 0; k < M; ++k) sum += a[k] * b[k];
  return sum;
}

static PetscReal Energy(const Modes *m, const PetscReal *x)
{
  PetscReal sum = 0.0;

  for (PetscInt k = 0; k < m->M; ++k) sum += 0.5 * (PetscSqr(m->w[k] * x[k]) + PetscSqr(x[m->M + k]));
  return sum;
}

static FlowReason Run(Case *c, PetscInt periods)
{
  record = (FlowRecord){.capacity = ROOM, .contact = contacts};
  return CaseRun(c, periods, &record);
}

/*
  Free of damping and load, energy is lost at impacts alone: (1 - C_R^2)/2 v^2/(n.n) each. A rigid mode feels the impulses alone:
  x_1' changes by n_1 times their sum, (1 + C_R)|v|/(n.n) each.
*/
static void restitution_balances(void **state)
{
  (void)state;
  for (int i = 0; i < 3; ++i) {
    const PetscReal C = (PetscReal[]){0.0, 0.6, 1.0}[i];
    Modes           m = three;
    Case            c;
    PetscReal       before, lost = 0.0, pushed = 0.0, nn, rigid;

    m.w[0]        = 0.0;
    m.restitution = C;
    m.damping[0] = m.damping[1] = m.damping[2] = 0.0;
    ModesCreate(&m, &c);
    nn = Sum(3, m.tip, m.tip);
    memcpy(c.state.x, (PetscReal[]){0.5, 0.1, -0.05, -1.3, 0.4, 0.2}, 6 * sizeof(PetscReal));
    before = Energy(&m, c.state.x);
    rigid  = c.state.x[3];
    assert_int_equal(Run(&c, 1), FLOW_GOOD);
    assert_true(record.impacts >= 1 && record.impacts + record.sticks == record.count && record.count <= ROOM);
    for (PetscInt k = 0; k < record.count; ++k) {
      pushed += contacts[k].impulse;
      if (contacts[k].duration > 0.0) continue;
      assert_true(contacts[k].velocity < 0.0 && isinf(contacts[k].force) && contacts[k].duration == 0.0);
      Near(contacts[k].impulse, (1.0 + C) * -contacts[k].velocity / nn, 1e-14, "impulse of an impact");
      lost += 0.5 * (1.0 - C * C) * PetscSqr(contacts[k].velocity) / nn;
    }
    /* round-off of a few hundred sums of size 1 */
    Near(Energy(&m, c.state.x), before - lost, 1e-12, "energy");
    Near(c.state.x[3] - rigid, m.tip[0] * pushed, 1e-12, "momentum");
    ModesDestroy(&c);
  }
}

/*
  A ball under its weight, g = 1, C_R = 0.5, thrown up from the stop with speed 1: impacts at 2 (1 - C^i)/(1 - C), |v| = C^(i-1), rest from
  2/(1 - C) = 4 on, on a force of g/n. A stop elsewhere than at 0 hides low bounces in the round-off of y: 1e-16 of height is 1e-8 of time,
  and the sum of the rest makes up for it.
*/
static void restitution_bouncing_ball(void **state)
{
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const PetscReal stop = i ? -0.3 : 0.0;
    const Modes     m    = {
             .M = 1, .tip = {2.0}, .load = {0.5}, .mean = -1.0, .frequency = 2.0 * PETSC_PI / 5.0, .stop = stop, .restitution = 0.5};
    Case c;

    ModesCreate(&m, &c);
    c.state.x[0] = stop / 2.0; /* y = n x: gravity in y is n p F0 = -1 */
    c.state.x[1] = 0.5;
    assert_int_equal(Run(&c, 1), FLOW_GOOD);
    assert_int_equal(record.sticks, 1);
    assert_int_equal(record.count, record.impacts + 1);
    for (PetscInt k = 0; k < 20; ++k) {
      /* the clock's round-off over 4; what the height of a bounce costs, see above */
      const PetscReal tolerance = i ? 1e-15 / contacts[k].velocity / contacts[k].velocity + 1e-14 : 1e-14;

      Near(5.0 * contacts[k].phase, 4.0 * (1.0 - pow(0.5, (double)k + 1.0)), tolerance, "time of an impact");
      Near(contacts[k].velocity, -pow(0.5, (double)k), tolerance, "speed of an impact");
    }
    Near(5.0 * contacts[record.count - 1].phase, 4.0, i ? 1e-8 : 1e-14, "time of rest");
    Near(contacts[record.count - 1].force, 0.25, 1e-15, "force at rest: g / n.n");
    assert_true(c.state.contact && record.open);
    Near(record.min_displacement, stop, 1e-15, "lowest");
    Near(record.max_displacement, stop + 0.5, 1e-4, "highest"); /* seen at its looks, refined */
    /* and it stays there */
    assert_int_equal(Run(&c, 3), FLOW_GOOD);
    assert_true(c.state.contact && record.count == 0);
    Near(record.time_in_contact, 15.0, 1e-13, "time in contact");
    Near(2.0 * c.state.x[0], stop, 1e-15, "at rest on the stop");
    ModesDestroy(&c);
  }
}

/* Held by f = -(n.x'')/(n.n): accelerations of the constrained modes, by the equations themselves. x: shape [6], into d. Returns f. */
static PetscReal Held(const Modes *m, PetscReal t, const PetscReal *x, PetscReal *d)
{
  const PetscReal F = m->mean + m->amplitude * cos(m->frequency * t + m->phase);
  PetscReal       a[MODES_MOST], f;

  for (PetscInt k = 0; k < m->M; ++k) a[k] = m->load[k] * F - 2.0 * m->damping[k] * m->w[k] * x[m->M + k] - m->w[k] * m->w[k] * x[k];
  f = -Sum(m->M, m->tip, a) / Sum(m->M, m->tip, m->tip);
  for (PetscInt k = 0; k < m->M; ++k) {
    d[k]        = x[m->M + k];
    d[m->M + k] = a[k] + m->tip[k] * f;
  }
  return f;
}

/* The classical Runge-Kutta step. */
static void HeldStep(const Modes *m, PetscReal t, PetscReal h, PetscReal *x)
{
  PetscReal      k[4][2 * MODES_MOST], y[2 * MODES_MOST];
  const PetscInt n = 2 * m->M;

  (void)Held(m, t, x, k[0]);
  for (int s = 1; s < 4; ++s) {
    const PetscReal part = s < 3 ? 0.5 * h : h;

    for (PetscInt i = 0; i < n; ++i) y[i] = x[i] + part * k[s - 1][i];
    (void)Held(m, t + part, y, k[s]);
  }
  for (PetscInt i = 0; i < n; ++i) x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* A load that presses and pulls: the motion sticks in part of each period. With w_1 = 0 the rigid mode is held by the balance of forces. */
static Modes Pressed(int rigid)
{
  Modes m = three;

  m.mean      = rigid ? -0.8 : -0.6;
  m.amplitude = rigid ? 1.2 : 1.0;
  m.stop      = 0.02;
  m.phase     = 0.4;
  if (rigid) m.w[0] = 0.0;
  return m;
}

/*
  A spell of sticking followed by Runge-Kutta on the constrained equations, from the first sample in it: the states, the forces, and the
  time at which f falls through 0. Step 1e-3 of a period of the fastest mode's 0.57: error 1e-11.
*/
static void restitution_sticks(void **state)
{
  enum { SAMPLES = 400 };
  static PetscReal time[SAMPLES], y1[SAMPLES], y2[SAMPLES], f[SAMPLES], x[SAMPLES][6];

  (void)state;
  for (int rigid = 0; rigid < 2; ++rigid) {
    const Modes m = Pressed(rigid);
    Case        c;
    PetscReal   z[6], d[6], onset = NAN, release = NAN, t = 0.0;
    PetscInt    first = -1;

    ModesCreate(&m, &c);
    c.state.x[0] = 0.3;
    for (PetscInt i = 0; i < SAMPLES; ++i) time[i] = c.period * (PetscReal)i / SAMPLES;
    record = (FlowRecord){.capacity     = ROOM,
                          .contact      = contacts,
                          .n_samples    = SAMPLES,
                          .sample_time  = time,
                          .sample_y1    = y1,
                          .sample_y2    = y2,
                          .sample_f     = f,
                          .sample_state = x[0]};
    assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
    assert_true(record.sticks >= 1);
    for (PetscInt k = 0; k < record.count; ++k)
      if (contacts[k].duration > 0.0) {
        onset   = contacts[k].phase * c.period;
        release = onset + contacts[k].duration;
        break;
      }
    assert_true(release < c.period && release > onset + 0.05 * c.period);
    for (PetscInt i = 0; i < SAMPLES; ++i) {
      if (time[i] <= onset || time[i] >= release) {
        assert_true(y1[i] >= m.stop - 1e-14);
        if (first >= 0) break;
        continue;
      }
      if (first < 0) {
        first = i;
        memcpy(z, x[i], sizeof z);
      }
      for (PetscInt k = 0; k < 6; ++k) Near(x[i][k], z[k], 1e-10, "held state");
      Near(f[i], Held(&m, time[i], z, d), 1e-9, "force");
      Near(Sum(3, m.tip, x[i]), m.stop, 1e-14, "y held");
      Near(Sum(3, m.tip, x[i] + 3), 0.0, 1e-13, "y' held");
      assert_true(f[i] > 0.0);
      for (int s = 0; s < 20; ++s) HeldStep(&m, time[i] + s * c.period / SAMPLES / 20.0, c.period / SAMPLES / 20.0, z);
      t = time[i] + c.period / SAMPLES;
    }
    assert_true(first >= 0);
    for (int s = 0; s < 20; ++s)
      HeldStep(&m, t + s * (release - t) / 20.0, (release - t) / 20.0, z); /* back from the sample after the release */
    Near(Held(&m, release, z, d), 0.0, 1e-9, "force at the release");
    ModesDestroy(&c);
  }
}

/*
  Central differences over p periods against tangent vectors, with impacts and with sticking; the events are the same for all starts.
  Step 1e-6: second order leaves 1e-12 times derivatives that impacts make large, round-off 1e-10.
*/
static void CompareTangent(Case *c, PetscInt p, PetscReal tolerance, const char *what)
{
  const PetscInt  n = c->n;
  PetscReal       v[4 * MODES_MOST * MODES_MOST], begin[2 * MODES_MOST], start[2 * MODES_MOST], plus[2 * MODES_MOST];
  PetscBool       alive[2 * MODES_MOST];
  FlowTangent     tangent = {.n = n, .m = n, .v = v, .begin = begin, .alive = alive};
  const PetscBool contact = c->state.contact;
  PetscInt        impacts, sticks;

  memcpy(start, c->state.x, sizeof(PetscReal) * (size_t)n);
  GOOD(FlowTangentIdentity(c->flow, &tangent));
  GOOD(FlowSetTangent(c->flow, &tangent));
  assert_int_equal(Run(c, p), FLOW_GOOD);
  GOOD(FlowSetTangent(c->flow, NULL));
  impacts = record.impacts;
  sticks  = record.sticks;
  for (PetscInt j = 0; j < n; ++j) {
    const PetscReal h = 1e-6;

    for (int side = 0; side < 2; ++side) {
      memcpy(c->state.x, start, sizeof(PetscReal) * (size_t)n);
      c->state.x[j] += side ? -h : h;
      c->state.contact = contact;
      assert_int_equal(Run(c, p), FLOW_GOOD);
      assert_int_equal(record.sticks, sticks);
      if (!sticks) assert_int_equal(record.impacts, impacts);
      if (!side) memcpy(plus, c->state.x, sizeof(PetscReal) * (size_t)n);
    }
    for (PetscInt i = 0; i < n; ++i) Near(v[j * n + i], (plus[i] - c->state.x[i]) / (2.0 * h), tolerance, what);
  }
}

static void restitution_tangent(void **state)
{
  Modes m = three;
  Case  c;

  (void)state;
  m.amplitude   = 1.0;
  m.restitution = 0.8;
  m.stop        = -0.1;
  ModesCreate(&m, &c);
  c.state.x[0] = 0.3;
  CompareTangent(&c, 2, 1e-6, "derivative through impacts");
  assert_true(record.impacts >= 2 && record.sticks == 0);
  ModesDestroy(&c);
  for (int i = 0; i < 4; ++i) { /* C_R = 0 sticks at full speed: the projection is more than the limit of small bounces */
    m = Pressed(i % 2);
    if (i > 1) m.restitution = 0.0;
    ModesCreate(&m, &c);
    c.state.x[0] = 0.3;
    CompareTangent(&c, 1, 1e-7, i > 1 ? "derivative through sticking at once" : "derivative through accumulation and sticking");
    assert_true(record.sticks >= 1);
    ModesDestroy(&c);
  }
  m       = Pressed(0); /* from a state that sticks at the strobe: what would move the contact point is taken out of it */
  m.phase = PETSC_PI;
  ModesCreate(&m, &c);
  c.state.x[0]    = m.stop;
  c.state.contact = PETSC_TRUE;
  CompareTangent(&c, 1, 1e-6, "derivative from a state that sticks");
  assert_true(record.time_in_contact > 0.0);
  ModesDestroy(&c);
}

/* Pressed down and without loss, the ball comes back for ever: the limit of events ends the period, and C_R = 0 sticks at the first touch.
 */
static void restitution_limits(void **state)
{
  Modes m = {.M = 1, .tip = {1.0}, .load = {1.0}, .mean = -1.0, .frequency = 0.05, .restitution = 1.0};
  Case  c;

  (void)state;
  ModesCreate(&m, &c);
  c.params.flow_max_events = 100;
  GOOD(FlowSetParams(c.flow, &c.params));
  c.state.x[0] = 0.5; /* a bounce every 2: 63 in a period */
  assert_int_equal(Run(&c, 1), FLOW_GOOD);
  assert_int_equal(record.impacts, 63);
  assert_int_equal(record.sticks, 0);
  c.params.flow_max_events = 50;
  GOOD(FlowSetParams(c.flow, &c.params));
  assert_int_equal(Run(&c, 1), FLOW_EVENT_LIMIT);
  c.params.restitution_coefficient = 0.0;
  GOOD(FlowSetParams(c.flow, &c.params));
  memcpy(c.state.x, (PetscReal[]){0.5, 0.0}, 2 * sizeof(PetscReal));
  c.state.contact = PETSC_FALSE;
  assert_int_equal(Run(&c, 1), FLOW_GOOD);
  assert_int_equal(record.impacts, 1);
  assert_int_equal(record.sticks, 1);
  Near(contacts[1].phase * c.period, 1.0, 1e-14, "sticks at the first touch");
  ModesDestroy(&c);
}

/*
  The beam of the papers with C_R = 1: strobes of its period-2 orbit and impacts in two periods tend to the reduced model's, at a price
  [theory 12]. The printed digits.
*/
static void restitution_default_case(void **state)
{
  static const struct {
    PetscInt  M, impacts;
    PetscReal y1;
  } expected[4] = {{5, 2, 0.14293}, {10, 7, 0.14659}, {20, 25, 0.14726}, {40, 82, 0.14735}};
  Spectrum spectrum;
  Params   params;

  (void)state;
  CaseParams(40, &params);
  CaseSpectrum(&params, 60, &spectrum);
  for (int i = 0; i < 4; ++i) {
    Case      c;
    PetscReal y[2], y2;

    params.flow                    = FLOW_RESTITUTION;
    params.restitution_coefficient = 1.0;
    params.receptance_modes        = expected[i].M;
    params.flow_max_events         = 10000; /* 40 modes: over a thousand impacts in the first period, from displacement 1 */
    CaseCreate(&params, spectrum, &c);
    assert_int_equal(CaseRun(&c, 60, NULL), FLOW_GOOD);
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
      GOOD(FlowGetTip(c.flow, &c.state, &y[k], &y2));
    }
    assert_int_equal(Run(&c, 2), FLOW_GOOD);
    assert_int_equal(record.impacts, expected[i].impacts);
    Near(PetscMin(y[0], y[1]), expected[i].y1, 5.1e-6, "y1 at the strobe");
    CaseDestroy(&c);
  }
  GOOD(SpectrumDestroy(&spectrum));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_balances), cmocka_unit_test(restitution_bouncing_ball),
                                     cmocka_unit_test(restitution_sticks),   cmocka_unit_test(restitution_tangent),
                                     cmocka_unit_test(restitution_limits),   cmocka_unit_test(restitution_default_case)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() ? 1 : failed;
}
