/*
  Energy over one orbit: work of the forcing = what modal damping takes + what the tail absorbs.   [theory 7.6] Under a constant load, over
  two periods of a motion that is no orbit, what the modes gain comes on top.   [theory 17]
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

#include "graze/orbit.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { CONTACTS = 16, NODES = 10, PANELS = 60 };

/* Gauss-Legendre nodes and weights on [0,1] by Newton on the Legendre polynomial. */
static void Gauss(PetscReal *x, PetscReal *weight)
{
  for (int i = 0; i < NODES; ++i) {
    PetscReal z = cos(PETSC_PI * (i + 0.75) / (NODES + 0.5)), slope = 1.0;

    for (int it = 0; it < 20; ++it) {
      PetscReal p = 1.0, before = 0.0;

      for (int k = 1; k <= NODES; ++k) {
        const PetscReal next = ((2 * k - 1) * z * p - (k - 1) * before) / k;

        before = p;
        p      = next;
      }
      slope = NODES * (z * p - before) / (z * z - 1.0);
      z -= p / slope;
    }
    x[NODES - 1 - i]      = 0.5 * (1.0 + z);
    weight[NODES - 1 - i] = 1.0 / ((1.0 - z * z) * slope * slope);
  }
}

/*
  Nodes over a phase [begin, end]: panels from 1e-7 on that grow by 1.4, since a phase begins with a layer of exponents up to 1e5,
  and never longer than 1/300 of a period, 20 per cycle of the fastest mode that is alive later on. Returns how many nodes.
*/
static PetscInt Cover(PetscReal begin, PetscReal end, PetscReal longest, PetscReal *time, PetscReal *weight)
{
  PetscReal x[NODES], w[NODES], from = begin, length = 1e-7;
  PetscInt  n = 0;

  Gauss(x, w);
  while (from < end) {
    const PetscReal to = from + 1.5 * length < end ? from + length : end;

    for (int i = 0; i < NODES; ++i, ++n) {
      time[n]   = from + (to - from) * x[i];
      weight[n] = (to - from) * w[i];
    }
    from   = to;
    length = fmin(1.4 * length, longest);
  }
  return n;
}

typedef struct {
  PetscReal work, modal, tail, gain, stored; /* gain: of modal energy; stored: the tail's loss from its storage function (7.18), (7.19), positive term by term */
} Balance;

/* Quadrature over the p periods of the orbit that starts at c->state. */
static void Integrate(Case *c, PetscInt p, Balance *b)
{
  Contact          contact[CONTACTS];
  FlowRecord       record = {.capacity = CONTACTS, .contact = contact};
  const PetscReal *w, *tip, longest = c->period / 300.0, end = (PetscReal)p * c->period;
  PetscReal        D, L, from = 0.0, *start = malloc(sizeof(PetscReal) * (size_t)c->n), *array, *time, *weight, *y1, *y2, *f, *state;
  const Tail      *tail;
  PetscInt         M, room, n = 0;

  memcpy(start, c->state.x, sizeof(PetscReal) * (size_t)c->n);
  assert_int_equal(CaseRun(c, p, &record), FLOW_GOOD);
  assert_true(record.count > 0 && record.count <= CONTACTS && !record.open);
  room  = (2 * record.count + 1) * PANELS * NODES + 300 * p * NODES;
  array = malloc(sizeof(PetscReal) * (size_t)(room * (5 + c->n)));
  assert_non_null(array);
  time = array, weight = time + room, y1 = weight + room, y2 = y1 + room, f = y2 + room, state = f + room;
  for (PetscInt i = 0; i < record.count; ++i) {
    const PetscReal onset = ((PetscReal)contact[i].period + contact[i].phase) * c->period, release = onset + contact[i].duration;

    n += Cover(from, onset, longest, time + n, weight + n);
    n += Cover(onset, release, longest, time + n, weight + n);
    from = release;
  }
  n += Cover(from, end, longest, time + n, weight + n);
  assert_true(n <= room);

  record.n_samples    = n;
  record.sample_time  = time;
  record.sample_y1    = y1;
  record.sample_y2    = y2;
  record.sample_f     = f;
  record.sample_state = state;
  memcpy(c->state.x, start, sizeof(PetscReal) * (size_t)c->n);
  assert_int_equal(CaseRun(c, p, &record), FLOW_GOOD);
  assert_int_equal(record.next_sample, n);

  GOOD(ReceptanceGetModes(c->receptance, &M, &w, NULL, &tip, &D));
  GOOD(ReceptanceGetTail(c->receptance, &tail, &L, NULL));
  *b = (Balance){0};
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal *x   = state + i * c->n;
    const PetscReal  F   = c->params.forcing_mean + c->params.forcing_amplitude * cos(c->params.forcing_frequency * time[i] + c->params.strobe_phase);
    const PetscReal  phi = f[i] + c->load->tail * F, p1 = x[2 * M];
    const PetscReal  slope = tail->order == 1 ? -L / tail->C0 * p1 + L * phi : -tail->b * p1 + x[2 * M + 1] + L * phi; /* p1' */

    for (PetscInt k = 0; k < M; ++k) {
      b->work += weight[i] * F * c->load->modal[k] * x[M + k];
      b->modal += weight[i] * 2.0 * D * w[k] * x[M + k] * x[M + k];
    }
    b->work += weight[i] * F * c->load->tail * slope;
    b->tail += weight[i] * phi * slope;
    if (tail->order == 1) {
      b->stored += weight[i] * slope * slope / L;
    } else {
      const PetscReal beta = tail->C1 * tail->d / tail->C0, mu = tail->a - L * beta, v = x[2 * M + 1] - beta * p1, q = phi - p1 / tail->C0;

      b->stored += weight[i] * (L * q * q + beta * v * v / mu);
    }
  }
  for (PetscInt k = 0; k < M; ++k)
    b->gain += 0.5 * (PetscSqr(c->state.x[M + k]) - PetscSqr(start[M + k]) + w[k] * w[k] * (PetscSqr(c->state.x[k]) - PetscSqr(start[k])));
  memcpy(c->state.x, start, sizeof(PetscReal) * (size_t)c->n);
  free(start);
  free(array);
}

/* Order 1 and 2; forcing of mode 2 and, so that the load works on the tail too, at the tip. */
static void energy_balances_over_an_orbit(void **state)
{
  Params   params;
  Spectrum spectrum;

  (void)state;
  CaseParams(120, &params);
  CaseSpectrum(&params, 120, &spectrum);
  for (PetscInt order = 1; order <= 2; ++order)
    for (int load = 0; load < 2; ++load) {
      Case             c;
      Orbit            orbit;
      OrbitReason      reason;
      const FlowState *point;
      PetscInt         p;
      Balance          b;

      CaseParams(30, &params);
      params.receptance_closure = order;
      if (load) {
        params.forcing_type      = FORCING_POINT;
        params.forcing_amplitude = 8.0;
      }
      CaseCreate(&params, spectrum, &c);
      assert_int_equal(CaseRun(&c, 200, NULL), FLOW_GOOD);
      GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
      GOOD(OrbitSetFlow(orbit, c.flow));
      GOOD(OrbitSolve(orbit, 2, &c.state, &reason));
      assert_int_equal(reason, ORBIT_FOUND);
      GOOD(OrbitGetPeriod(orbit, &p));
      GOOD(OrbitGetState(orbit, 0, &point));
      memcpy(c.state.x, point->x, sizeof(PetscReal) * (size_t)c.n);
      c.state.contact = point->contact;
      Integrate(&c, p, &b);
      assert_true(b.work > 0.0 && b.modal > 0.0 && b.tail > 0.0);
      /* the claim is 1e-8; quadrature and orbit leave 1e-11 */
      Near(b.modal + b.tail, b.work, 1e-10 * b.work, "modal dissipation and tail against work");
      /* what the tail absorbs is what its dampers take: no energy comes out of it */
      Near(b.stored, b.tail, 1e-10 * b.work, "the tail's dampers");
      /* default case, M = 30, order 2: [theory 7.6]; how the loss is shared depends on the
         tail sums, that is on the modes known beyond the cut: 2e-5 with 20 of them, below 1e-6 with 90 */
      if (order == 2 && !load) {
        Near(b.work, 1.0234311714, 1e-6, "work");
        Near(b.modal, 1.0103468688, 1e-6, "modal dissipation");
        Near(b.tail, 0.0130843025, 1e-6, "tail");
      }
      GOOD(OrbitDestroy(&orbit));
      CaseDestroy(&c);
    }
  GOOD(SpectrumDestroy(&spectrum));
}

/* At an inner contact point as well, and with the stop above; the contact force does no work, for it acts on what stands still. */
static void energy_balances_under_constant_load(void **state)
{
  (void)state;
  for (int inner = 0; inner < 2; ++inner)
    for (PetscInt order = 1; order <= 2; ++order) {
      Params  params;
      Case    c;
      Balance b;

      CaseParams(30, &params);
      params.receptance_closure = order;
      params.forcing_type       = FORCING_POINT;
      params.forcing_position   = 0.7;
      params.forcing_amplitude  = 8.0;
      params.forcing_mean       = -3.0;
      if (inner) {
        params.beam_ends            = ENDS_PINNED_PINNED;
        params.contact_position     = 0.3;
        params.stop_side            = STOP_ABOVE;
        params.stop_position        = 0.01;
        params.initial_displacement = -0.1;
        params.forcing_amplitude    = 60.0;
        params.forcing_mean         = 20.0;
        params.strobe_phase         = PETSC_PI; /* in flight at strobes */
      }
      CaseCreate(&params, NULL, &c);
      assert_int_equal(CaseRun(&c, inner ? 2 : 3, NULL), FLOW_GOOD);
      assert_false(c.state.contact);
      Integrate(&c, 2, &b);
      assert_true(b.modal > 0.0 && fabs(b.gain) > 1e-3 * b.modal);
      Near(b.modal + b.tail + b.gain, b.work, 1e-10 * (b.modal + fabs(b.gain)), "dissipation and gain against work");
      CaseDestroy(&c);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_balances_over_an_orbit), cmocka_unit_test(energy_balances_under_constant_load)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("energy", tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
