/*
  The derivative of the stroboscopic map by amplitude, frequency and stop position, against differences of the map and closed forms.
  [theory 7, 15, 17, 18]
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

#include "support/modes_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { CONTACTS = 128, MODES = 40 };

static Contact    contacts[CONTACTS];
static FlowRecord record = {.capacity = CONTACTS, .contact = contacts};
static Spectrum   spectrum;

static const char *const names[] = {"nothing", "amplitude", "frequency", "stop"};

static PetscReal *Copy(PetscInt n, const PetscReal *x)
{
  PetscReal *copy = calloc((size_t)n, sizeof(*copy));

  assert_non_null(copy);
  if (x) memcpy(copy, x, (size_t)n * sizeof(*copy));
  return copy;
}

/* The case with one parameter moved. */
static void Move(Case *c, FlowParameter by, PetscReal change)
{
  Params params = c->params;

  params.stop_position += by == FLOW_BY_STOP ? change : 0.0;
  GOOD(FlowSetParams(c->flow, &params));
  CaseSetForcing(c, params.forcing_amplitude + (by == FLOW_BY_AMPLITUDE ? change : 0.0),
                 params.forcing_frequency + (by == FLOW_BY_FREQUENCY ? change : 0.0));
}

static void Start(Case *c, const PetscReal *x, PetscBool contact)
{
  memcpy(c->state.x, x, (size_t)c->n * sizeof(*x));
  c->state.contact = contact;
}

/* s after p periods from s, by `by`; with tangent vectors v beside it, shape [n, n], if not NULL. c->state: in, out. The record is kept. */
static void Derivative(Case *c, PetscInt p, FlowParameter by, PetscReal *v, PetscReal *s)
{
  PetscReal  *begin   = Copy(c->n, NULL);
  PetscBool  *alive   = calloc((size_t)c->n, sizeof(*alive));
  FlowTangent tangent = {.n = c->n, .m = v ? c->n : 0, .v = v, .begin = begin, .alive = alive, .by = by, .s = s};

  if (v) GOOD(FlowTangentIdentity(c->flow, &tangent));
  GOOD(FlowSetTangent(c->flow, &tangent));
  assert_int_equal(CaseRun(c, p, &record), FLOW_GOOD);
  GOOD(FlowSetTangent(c->flow, NULL));
  free(begin);
  free(alive);
}

/* ---- against differences of the flow itself --------------------------------------------------------------------------- */

/* Relative error of central differences of step h against s, energy norm. Starts with the state of c, and leaves it. */
static PetscReal Difference(Case *c, PetscInt p, FlowParameter by, PetscReal h, const PetscReal *s)
{
  const PetscBool contact = c->state.contact;
  PetscReal      *start = Copy(c->n, c->state.x), *zero = Copy(c->n, NULL), *up = NULL, size, error;

  for (int side = 1; side >= -1; side -= 2) {
    Start(c, start, contact);
    Move(c, by, side * h);
    assert_int_equal(CaseRun(c, p, NULL), FLOW_GOOD);
    if (side > 0) up = Copy(c->n, c->state.x);
  }
  Move(c, by, 0.0);
  for (PetscInt i = 0; i < c->n; ++i) up[i] = (up[i] - c->state.x[i]) / (2.0 * h);
  size  = CaseDistance(c, s, zero);
  error = CaseDistance(c, up, s);
  assert_true(size > 0.0);
  Start(c, start, contact);
  free(start);
  free(zero);
  free(up);
  return error / size;
}

/*
  The error of central differences falls as h^2: by 16 from h to h/4. And again by 16, down to what round-off leaves: 1e-13 of a state that
  events magnify by up to 10, over h. An error of s itself would stay.
*/
static void Compare(Case *c, PetscInt p, FlowParameter by, PetscReal h, PetscReal floor, const char *what)
{
  const PetscBool contact = c->state.contact;
  PetscReal      *start = Copy(c->n, c->state.x), *s = Copy(c->n, NULL), error[3];

  Derivative(c, p, by, NULL, s);
  Start(c, start, contact);
  for (int i = 0; i < 3; ++i) error[i] = Difference(c, p, by, ldexp(h, -2 * i), s);
  if (!(error[1] <= error[0] / 16.0 * 1.3 + floor && error[2] <= error[1] / 16.0 * 1.3 + floor && error[1] < 3e-4))
    fail_msg("%s, by %s: differences are off by %g, %g, %g", what, names[by], error[0], error[1], error[2]);
  free(start);
  free(s);
}

/* Sizes of the parameters: h is a fraction of them. */
static PetscReal Size(const Case *c, FlowParameter by)
{
  return by == FLOW_BY_AMPLITUDE ? c->params.forcing_amplitude : by == FLOW_BY_FREQUENCY ? c->params.forcing_frequency : 0.1;
}

static void CompareAll(Case *c, PetscInt p, PetscReal h, PetscReal floor, const char *what)
{
  for (FlowParameter by = FLOW_BY_AMPLITUDE; by <= FLOW_BY_STOP; ++by) Compare(c, p, by, h * Size(c, by), floor, what);
}

/*
  The default orbit, two contacts in its two periods (closure 0: ten); with the strobe inside a contact; the load at the tip, of which the
  tail has a share; the same with a constant load and the stop above, strobe in contact.
*/
static void sensitivity_of_the_exact_flow(void **state)
{
  (void)state;
  for (PetscInt order = 0; order <= 2; ++order)
    for (int kind = 0; kind < 4; ++kind) {
      Params params;
      Case   c;

      CaseParams(MODES, &params);
      params.receptance_closure = order;
      if (kind == 1) params.strobe_phase = 2.0 * PETSC_PI * 0.4;
      if (kind > 1) {
        params.forcing_type      = FORCING_POINT;
        params.forcing_amplitude = 8.0;
      }
      if (kind == 3) {
        params.forcing_mean         = 3.0;
        params.strobe_phase         = 1.0;
        params.stop_side            = STOP_ABOVE;
        params.stop_position        = 0.05;
        params.initial_displacement = -1.0;
      }
      CaseCreate(&params, kind == 3 ? NULL : spectrum, &c); /* a spectrum knows the side of the stop */
      assert_int_equal(CaseRun(&c, 50, NULL), FLOW_GOOD);
      if (kind % 2 && !c.state.contact) assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
      assert_int_equal(c.state.contact, kind % 2);
      CompareAll(&c, 2, 2.5e-4, 1e-8, (const char *[]){"flight", "in contact", "load at the tip", "stop above, constant load"}[kind]);
      assert_true(record.count >= (kind == 2 ? 1 : 2));
      CaseDestroy(&c);
    }
}

/* ---- restitution ------------------------------------------------------------------------------------------------------ */

static const Modes three = {.M           = 3,
                            .w           = {1.0, 2.7, 5.2},
                            .tip         = {1.0, 0.8, 0.6},
                            .damping     = {0.05, 0.02, 0.03},
                            .load        = {1.0, -0.4, 0.3},
                            .amplitude   = 1.0,
                            .frequency   = 1.3,
                            .stop        = -0.1,
                            .restitution = 0.8};

static void Oscillator(const Modes *m, Case *c)
{
  ModesCreate(m, c);
  c->params.forcing_amplitude = m->amplitude;
  c->params.forcing_frequency = m->frequency;
}

/* One mode and three, with impacts alone; three that come to rest on the stop and leave it, after bounces and at once, and from a strobe
 * there. */
static void sensitivity_of_restitution(void **state)
{
  (void)state;
  for (int kind = 0; kind < 6; ++kind) {
    Modes m = three;
    Case  c;

    if (kind == 0) m.M = 1;
    if (kind >= 2) {
      m.mean        = -1.2; /* presses on the stop */
      m.stop        = 0.0;
      m.amplitude   = 1.5;
      m.frequency   = 0.6;
      m.restitution = kind == 2 ? 0.3 : 0.0;
    }
    if (kind == 4) m.phase = PETSC_PI;
    if (kind == 5) m.w[0] = m.damping[0] = 0.0; /* a rigid mode */
    Oscillator(&m, &c);
    c.state.x[0] = 0.3;
    if (kind == 4) {
      c.state.x[0]    = m.stop;
      c.state.contact = PETSC_TRUE;
    }
    CompareAll(&c, 2, kind < 2 ? 2.5e-4 : 1e-3, kind == 2 ? 1e-7 : 1e-8,
               (const char *[]){"one mode", "three modes", "accumulation", "sticking at once", "stuck at the strobe", "rigid"}[kind]);
    assert_true(kind < 2 ? record.impacts >= 2 && record.sticks == 0 : record.time_in_contact > 0.0);
    ModesDestroy(&c);
  }
}

/*
  A ball under x'' = -g + A cos(W t), dropped on the stop sigma: everything in closed form, the derivative by A at A = 0.
  With t1 the impact, v1 = -g t1, v+ = -C v1, tau = T - t1:
      x(T) = sigma + v+ tau - g tau^2/2,   x'(T) = v+ - g tau.
*/
static void sensitivity_of_a_ball(void **state)
{
  const PetscReal g = 1.0, W = 2.4, C = 0.7, start = 0.5, sigma = -0.2, phase = 0.4;
  const PetscReal T = 2.0 * PETSC_PI / W, t1 = sqrt(2.0 * (start - sigma) / g), v1 = -g * t1, v = -C * v1, tau = T - t1;
  const PetscReal one = W * t1 + phase, end = W * T + phase, eta = (cos(phase) - cos(one) - W * t1 * sin(phase)) / (W * W),
                  eta1 = (sin(one) - sin(phase)) / W, zeta = (cos(one) - cos(end) - W * tau * sin(one)) / (W * W),
                  zeta1 = (sin(end) - sin(one)) / W;
  const Modes m = {.M = 1, .tip = {1.0}, .load = {1.0}, .mean = -g, .frequency = W, .phase = phase, .stop = sigma, .restitution = C};
  PetscReal   exact[4][2];
  Case        c;

  (void)state;
  assert_true(tau > 0.0 && 2.0 * v / g > tau); /* one impact in the period */
  {                                            /* by A: the impact comes dt later, and v+ changes by dv */
    const PetscReal dt = -eta / v1, dv = -C * (eta1 - g * dt);

    exact[FLOW_BY_AMPLITUDE][0] = dv * tau - v * dt + g * tau * dt + zeta;
    exact[FLOW_BY_AMPLITUDE][1] = dv + g * dt + zeta1;
  }
  exact[FLOW_BY_FREQUENCY][0] = -T / W * (v - g * tau); /* the strobe moves, nothing else */
  exact[FLOW_BY_FREQUENCY][1] = -T / W * -g;
  {
    const PetscReal dt = 1.0 / v1, dv = C * g * dt;

    exact[FLOW_BY_STOP][0] = 1.0 + dv * tau - v * dt + g * tau * dt;
    exact[FLOW_BY_STOP][1] = dv + g * dt;
  }
  ModesCreate(&m, &c);
  for (FlowParameter by = FLOW_BY_AMPLITUDE; by <= FLOW_BY_STOP; ++by) {
    PetscReal s[2] = {0.0, 0.0};

    Start(&c, (PetscReal[]){start, 0.0}, PETSC_FALSE);
    Derivative(&c, 1, by, NULL, s);
    assert_int_equal(record.impacts, 1);
    Near(s[0], exact[by][0], 1e-13, names[by]);
    Near(s[1], exact[by][1], 1e-13, names[by]);
  }
  ModesDestroy(&c);
}

/* ---- without contact: convolution with the impulse response ------------------------------------------------------------ */

/* Response of the state to a unit impulse of the load, tau later, and its derivative by tau; shape [n].   (6.10), (7.1) */
static void Impulse(const Case *c, PetscReal tau, PetscReal *x, PetscReal *slope)
{
  const PetscInt   M = c->M;
  const PetscReal *w, *tip;
  const Tail      *tail;
  PetscReal        D, L;

  GOOD(ReceptanceGetModes(c->receptance, NULL, &w, NULL, &tip, &D));
  GOOD(ReceptanceGetTail(c->receptance, &tail, &L, NULL));
  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal wd = w[k] * sqrt(1.0 - D * D), p = c->load->modal[k] * exp(-D * w[k] * tau);

    x[k]         = p * sin(wd * tau) / wd;
    x[M + k]     = p * cos(wd * tau) - D * w[k] * x[k];
    slope[k]     = x[M + k];
    slope[M + k] = -w[k] * w[k] * x[k] - 2.0 * D * w[k] * x[M + k];
  }
  if (tail->states == 1) {
    x[2 * M]     = c->load->tail * L * exp(-L / tail->C0 * tau);
    slope[2 * M] = -L / tail->C0 * x[2 * M];
  } else { /* p'' + b p' + d p = 0 from p = L, p' = a - b L */
    const double complex r = 0.5 * tail->b, q = csqrt(tail->d - r * r), start = tail->a - tail->b * L + r * L;
    const double complex p  = cexp(-r * tau) * (L * ccos(q * tau) + start * csin(q * tau) / q);
    const double complex p1 = -r * p + cexp(-r * tau) * (start * ccos(q * tau) - L * q * csin(q * tau));

    x[2 * M]         = c->load->tail * creal(p);
    slope[2 * M]     = c->load->tail * creal(p1);
    x[2 * M + 1]     = slope[2 * M] + tail->b * x[2 * M];
    slope[2 * M + 1] = -tail->d * x[2 * M];
  }
}

/*
  From rest, x(pT) = int h(tau) F(pT - tau) dtau with h the impulse response. In the angle theta = W t the interval does not depend on W:
      dx/dA = int h cos,   dx/dW = -(1/W) int (h + tau h') F,
  by Gauss-Legendre of four points on panels so short that it is right to round-off: 2e-3 rad of the fastest exponent to the 8th power.
*/
static void sensitivity_without_contact(void **state)
{
  enum { PANELS = 4000, PERIODS = 2, M = 8 };
  const PetscReal node[2] = {0.3399810435848563, 0.8611363115940526}, weight[2] = {0.6521451548625461, 0.3478548451374538};

  (void)state;
  for (PetscInt order = 1; order <= 2; ++order) {
    Params     params;
    Case       c;
    PetscReal *x, *slope, *exact[3], *s, *zero, *start;

    CaseParams(M, &params);
    params.receptance_closure = order;
    params.forcing_type       = FORCING_POINT;
    params.forcing_amplitude  = 0.05;
    params.forcing_mean       = 0.02;
    params.strobe_phase       = 0.7;
    CaseCreate(&params, spectrum, &c);
    x = Copy(c.n, NULL), slope = Copy(c.n, NULL), s = Copy(c.n, NULL), zero = Copy(c.n, NULL), start = Copy(c.n, NULL);
    for (int i = 0; i < 3; ++i) exact[i] = Copy(c.n, NULL);
    assert_true(fabs(c.load->tail) > 0.1);
    for (PetscInt i = 0; i < PANELS; ++i)
      for (int j = 0; j < 4; ++j) {
        const PetscReal h = PERIODS * c.period / PANELS, tau = h * ((PetscReal)i + 0.5 + (j % 2 ? 0.5 : -0.5) * node[j / 2]);
        const PetscReal wave = cos(params.strobe_phase - params.forcing_frequency * tau), share = 0.5 * h * weight[j / 2];

        Impulse(&c, tau, x, slope);
        for (PetscInt k = 0; k < c.n; ++k) {
          exact[FLOW_BY_AMPLITUDE][k] += share * x[k] * wave;
          exact[FLOW_BY_FREQUENCY][k] -=
            share * (x[k] + tau * slope[k]) / params.forcing_frequency * (params.forcing_mean + params.forcing_amplitude * wave);
        }
      }
    for (FlowParameter by = FLOW_BY_AMPLITUDE; by <= FLOW_BY_FREQUENCY; ++by) {
      Start(&c, start, PETSC_FALSE);
      memset(s, 0, sizeof(*s) * (size_t)c.n);
      Derivative(&c, PERIODS, by, NULL, s);
      assert_int_equal(record.count, 0);
      Near(CaseDistance(&c, s, exact[by]) / CaseDistance(&c, exact[by], zero), 0.0, 1e-12, names[by]);
    }
    free(x), free(slope), free(s), free(zero), free(start);
    for (int i = 0; i < 3; ++i) free(exact[i]);
    CaseDestroy(&c);
  }
}

/*
  s is carried as J s is, from any s; J and x are what they are without it.
*/
static void sensitivity_is_a_column_of_its_own(void **state)
{
  Params     params;
  Case       c;
  PetscReal *start, *s, *from, *v, *alone, *sum, *zero;

  (void)state;
  CaseParams(MODES, &params);
  CaseCreate(&params, spectrum, &c);
  assert_int_equal(CaseRun(&c, 50, NULL), FLOW_GOOD);
  start = Copy(c.n, c.state.x), s = Copy(c.n, NULL), from = Copy(c.n, NULL), zero = Copy(c.n, NULL), sum = Copy(c.n, NULL);
  v = Copy(c.n * c.n, NULL), alone = Copy(c.n * c.n, NULL);
  for (PetscInt i = 0; i < c.n; ++i) from[i] = cos(3.0 * (PetscReal)i) / (1.0 + (PetscReal)(i * i));
  Derivative(&c, 2, FLOW_BY_NOTHING, alone, NULL);
  Start(&c, start, PETSC_FALSE);
  Derivative(&c, 2, FLOW_BY_FREQUENCY, v, s);
  memcpy(sum, c.state.x, sizeof(*sum) * (size_t)c.n);
  for (PetscInt i = 0; i < c.n * c.n; ++i) Near(v[i], alone[i], 1e-12 * (1.0 + fabs(alone[i])), "J beside s");
  Start(&c, start, PETSC_FALSE);
  assert_int_equal(CaseRun(&c, 2, &record), FLOW_GOOD);
  assert_memory_equal(sum, c.state.x, sizeof(*sum) * (size_t)c.n);
  memcpy(sum, s, sizeof(*sum) * (size_t)c.n);
  for (PetscInt j = 0; j < c.n; ++j)
    for (PetscInt i = 0; i < c.n; ++i) sum[i] += v[j * c.n + i] * from[j];
  Start(&c, start, PETSC_FALSE);
  Derivative(&c, 2, FLOW_BY_FREQUENCY, v, from);
  Near(CaseDistance(&c, from, sum) / CaseDistance(&c, sum, zero), 0.0, 1e-12, "J s + ds");
  free(start), free(s), free(from), free(zero), free(sum), free(v), free(alone);
  CaseDestroy(&c);
}

/*
  On the motion under the load alone s is the derivative of x = Re X e^{i phase}, X = p A/(w^2 - W^2 + 2 i D w W) of the driven mode, by
  hand; the tangent vectors have all been forgotten by then. At two frequencies in one flow.
*/
static void sensitivity_of_forced_motion(void **state)
{
  const PetscReal  frequency[2] = {1.5, 2.0};
  const PetscReal *w;
  Params           params;
  Case             c;
  PetscReal       *s, *v, *exact, *zero, D;

  (void)state;
  CaseParams(MODES, &params);
  params.damping_ratio     = 0.6;
  params.forcing_amplitude = 0.01;
  params.strobe_phase      = 0.9;
  CaseCreate(&params, NULL, &c);
  GOOD(ReceptanceGetModes(c.receptance, NULL, &w, NULL, NULL, &D));
  v = Copy(c.n * c.n, NULL);
  for (FlowParameter by = FLOW_BY_AMPLITUDE; by <= FLOW_BY_FREQUENCY; ++by)
    for (int i = 0; i < 2; ++i) {
      const PetscReal      A = params.forcing_amplitude, W = frequency[i], p = c.load->modal[1];
      const double complex turn = cexp(I * params.strobe_phase), den = w[1] * w[1] - W * W + 2.0 * I * D * w[1] * W;
      const double complex X = p * A / den, X_W = -X * (-2.0 * W + 2.0 * I * D * w[1]) / den;

      s = Copy(c.n, NULL), exact = Copy(c.n, NULL), zero = Copy(c.n, NULL);
      exact[1]       = creal((by == FLOW_BY_AMPLITUDE ? X / A : X_W) * turn);
      exact[c.M + 1] = creal((by == FLOW_BY_AMPLITUDE ? I * W * X / A : I * X + I * W * X_W) * turn);
      CaseSetForcing(&c, A, W);
      Start(&c, zero, PETSC_FALSE);
      Derivative(&c, 40, by, v, s);
      assert_int_equal(record.count, 0);
      for (PetscInt k = 0; k < c.n * c.n; ++k) assert_true(v[k] == 0.0);
      Near(CaseDistance(&c, s, exact) / CaseDistance(&c, exact, zero), 0.0, 1e-13, names[by]);
      free(s), free(exact), free(zero);
    }
  free(v);
  CaseDestroy(&c);
}

static int MakeSpectrum(void **state)
{
  Params params;

  (void)state;
  CaseParams(MODES, &params);
  CaseSpectrum(&params, 4 * MODES, &spectrum);
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
    cmocka_unit_test(sensitivity_of_the_exact_flow),
    cmocka_unit_test(sensitivity_of_restitution),
    cmocka_unit_test(sensitivity_of_a_ball),
    cmocka_unit_test(sensitivity_without_contact),
    cmocka_unit_test(sensitivity_is_a_column_of_its_own),
    cmocka_unit_test(sensitivity_of_forced_motion),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("flow_sensitivity", tests, MakeSpectrum, DropSpectrum);
  return SlepcFinalize() || failed ? 1 : 0;
}
