/*
  Constant load, stop above, contact point inside the beam: by symmetry, by superposition, by statics, by another method.   [theory 13, 17]
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

#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { MOST_SAMPLES = 4000, CONTACTS = 400 };

typedef struct {
  FlowRecord record;
  Contact    contact[CONTACTS];
  PetscReal  time[MOST_SAMPLES], y1[MOST_SAMPLES], y2[MOST_SAMPLES], f[MOST_SAMPLES];
  PetscReal  tip1, tip2; /* FlowGetTip at the end */
} Motion;

/* `periods` periods from c->state with n samples between the strobes. */
static void Move(Case *c, PetscInt periods, PetscInt n, Motion *m)
{
  m->record = (FlowRecord){
    .capacity = CONTACTS, .contact = m->contact, .n_samples = n, .sample_time = m->time, .sample_y1 = m->y1, .sample_y2 = m->y2, .sample_f = m->f};
  for (PetscInt i = 0; i < n; ++i) m->time[i] = ((PetscReal)i + 0.5) / (PetscReal)n * (PetscReal)periods * c->period;
  assert_int_equal(CaseRun(c, periods, &m->record), FLOW_GOOD);
  assert_int_equal(m->record.next_sample, n);
  assert_true(m->record.count <= CONTACTS);
  GOOD(FlowGetTip(c->flow, &c->state, &m->tip1, &m->tip2));
}

/* A beam held at both ends that leans on a stop inside, driven elsewhere. */
static void InnerCase(PetscInt M, Params *params)
{
  CaseParams(M, params);
  params->beam_ends            = ENDS_PINNED_PINNED;
  params->contact_position     = 0.3;
  params->stop_position        = -0.01;
  params->initial_displacement = 0.1;
  params->forcing_type         = FORCING_POINT;
  params->forcing_position     = 0.6;
  params->forcing_amplitude    = 60.0;
  params->forcing_mean         = -20.0;
}

/* ---- symmetry ----------------------------------------------------------------------------------------------------- */

/* u -> -u with stop, load and start mirrored: the same numbers with the other sign, to the last bit, in all that is reported. */
static void flow_load_mirror_image_is_exact(void **state)
{
  const ForcingType types[] = {FORCING_MODE, FORCING_POINT, FORCING_BASE, FORCING_SHAPE};
  const FlowType    flows[] = {FLOW_EXACT, FLOW_LITERAL};
  static Motion     below, above;

  (void)state;
  for (int flow = 0; flow < 2; ++flow)
    for (int type = 0; type < (flow ? 1 : 4); ++type) /* the scheme treats all loads alike, and takes longer */
      for (int inner = 0; inner < 2; ++inner) {
        Params params;
        Case   c;

        if (inner) InnerCase(30, &params);
        else CaseParams(30, &params);
        if (!inner) params.forcing_mean = -2.0;
        params.forcing_type = types[type];
        params.flow         = flows[flow];
        params.literal_step = 5e-4;
        CaseCreate(&params, NULL, &c);
        Move(&c, 5, 800, &below);
        CaseDestroy(&c);
        assert_true(below.record.count > 0);

        params.stop_side = STOP_ABOVE;
        params.stop_position *= -1.0;
        params.initial_displacement *= -1.0;
        params.initial_velocity *= -1.0;
        params.forcing_mean *= -1.0;
        params.forcing_amplitude *= -1.0; /* not to be had from the command line, where it is a phase of pi */
        CaseCreate(&params, NULL, &c);
        Move(&c, 5, 800, &above);
        CaseDestroy(&c);

        assert_int_equal(above.record.count, below.record.count);
        for (int i = 0; i < 800; ++i)
          if (above.y1[i] != -below.y1[i] || above.y2[i] != -below.y2[i] || above.f[i] != below.f[i])
            fail_msg("flow %d load %d: sample %d: %.17g %.17g %.17g mirrored %.17g %.17g %.17g", flow, type, i, below.y1[i], below.y2[i], below.f[i], above.y1[i],
                     above.y2[i], above.f[i]);
        for (PetscInt i = 0; i < below.record.count; ++i) {
          const Contact *a = &above.contact[i], *b = &below.contact[i];

          assert_true(a->period == b->period && a->phase == b->phase && a->velocity == -b->velocity && a->force == b->force);
          assert_true(b->velocity < 0.0 && b->force > 0.0);
          assert_true(isnan(b->duration) ? isnan(a->duration) : a->duration == b->duration && a->impulse == b->impulse);
        }
        assert_true(above.record.max_displacement == -below.record.min_displacement && above.record.min_displacement == -below.record.max_displacement);
        assert_true(above.record.max_displacement == params.stop_position);
        assert_true(above.record.peak_force == below.record.peak_force && above.record.time_in_contact == below.record.time_in_contact);
        assert_true(above.tip1 == -below.tip1 && above.tip2 == -below.tip2);
      }
}

/* ---- superposition ------------------------------------------------------------------------------------------------ */

/*
  Static influence of a point load at a on the deflection at x of a pinned beam, bending and shear, x <= a (textbook; EI = L = 1). Shear:
  a hinge line, (1 - a) x / (beta gamma).
*/
static PetscReal Pinned(PetscReal x, PetscReal a)
{
  const PetscReal b = 1.0 - a;

  return b * x * (1.0 - b * b - x * x) / 6.0 + b * x / 1200.0;
}

/* Without load, counted from where the load would leave the beam at rest, and with the stop as far from there: the same motion. */
static void flow_load_shifts_the_stop(void **state)
{
  static Motion loaded, shifted;

  (void)state;
  for (PetscInt order = 0; order <= 2; ++order) {
    const PetscReal eta = Pinned(0.3, 0.6);
    const PetscReal *w;
    const Tail      *tail;
    PetscReal        F0, L;
    ForcingShape     load;
    Params           params;
    Case             c;
    PetscInt         M;

    InnerCase(40, &params);
    params.receptance_closure = order;
    F0                        = params.forcing_mean;
    CaseCreate(&params, NULL, &c);
    GOOD(ReceptanceGetModes(c.receptance, &M, &w, NULL, NULL, NULL));
    GOOD(ReceptanceGetTail(c.receptance, &tail, &L, NULL));
    load       = *c.load;
    load.modal = malloc(sizeof(PetscReal) * (size_t)M);
    memcpy(load.modal, c.load->modal, sizeof(PetscReal) * (size_t)M);
    for (PetscInt k = 0; k < M; ++k) c.state.x[k] += load.modal[k] * F0 / (w[k] * w[k]);
    if (order > 0) c.state.x[2 * M] += load.tail * tail->C0 * F0;
    if (order > 1) c.state.x[2 * M + 1] += load.tail * (tail->b * tail->C0 - L) * F0;
    Move(&c, 4, 400, &loaded);
    CaseDestroy(&c);
    free(load.modal);

    params.forcing_mean = 0.0;
    params.stop_position -= eta * F0;
    CaseCreate(&params, NULL, &c);
    Move(&c, 4, 400, &shifted);
    CaseDestroy(&c);

    assert_true(loaded.record.count > 2 && loaded.record.count == shifted.record.count);
    for (int i = 0; i < 400; ++i) { /* eta from collocated shapes of M modes and the tail's share: 1e-13; onsets magnify it by up to v/L+ = 1e2 */
      Near(loaded.y1[i], shifted.y1[i] + eta * F0, 1e-10, "displacement");
      Near(loaded.f[i], shifted.f[i], 1e-7 * loaded.record.peak_force, "force");
    }
    Near(loaded.tip1, shifted.tip1 + eta * F0, 1e-10, "tip at the end");
    Near(loaded.tip2, shifted.tip2, 1e-8, "velocity at the end");
  }
}

/* ---- statics ------------------------------------------------------------------------------------------------------ */

/* A load that presses the beam on the stop, damped out: contact lasts, and the force is that of a beam on three supports. Both flows. */
static void flow_load_presses_on_the_stop(void **state)
{
  static Motion m;

  (void)state;
  for (int literal = 0; literal < 2; ++literal)
    for (int at_rest = 0; at_rest < 2; ++at_rest) {
      Params          params;
      Case            c;
      const PetscReal a = 0.3, b = 0.7, compliance = a * a * b * b / 3.0 + a * b / 1200.0;

      InnerCase(30, &params);
      params.forcing_amplitude = 0.0;
      params.damping_ratio     = 0.3;
      params.flow              = literal ? FLOW_LITERAL : FLOW_EXACT;
      params.literal_step      = 5e-4;
      if (at_rest) { /* undeformed, on the stop to the last bit, as the load comes */
        params.stop_position        = 0.0;
        params.initial_displacement = params.initial_velocity = 0.0;
      }
      CaseCreate(&params, NULL, &c);
      Move(&c, 8, 200, &m);
      assert_true(m.record.open && c.state.contact);
      /* e^{-0.3 w t}, w > 9, t = 3.8: 3e-5 of what there was is left; the literal scheme adds its step */
      Near(m.f[199], (params.stop_position - Pinned(0.3, 0.6) * params.forcing_mean) / compliance, literal ? 2e-3 : 1e-3, "force at rest");
      assert_true(m.y1[199] == params.stop_position && m.y2[199] == 0.0);
      CaseDestroy(&c);
    }
}

/* Every onset inside the beam obeys f(0+) = -y2 / L+, L+ with the impedance of two half-lines, and half a microsecond later still does. */
static void flow_load_inner_onset_has_half_the_jump(void **state)
{
  const PetscReal L = 2.0 * acos(0.1) / (PETSC_PI * 2.0 * sqrt(1200.0) * sqrt(0.99));
  static Motion   m;
  Params          params;
  Case            c;

  (void)state;
  InnerCase(60, &params);
  CaseCreate(&params, NULL, &c);
  Move(&c, 6, 10, &m);
  assert_true(m.record.count >= 6);
  for (PetscInt i = 0; i < m.record.count; ++i) Near(m.contact[i].force * L, -m.contact[i].velocity, 1e-12 * fabs(m.contact[i].velocity), "L+ f(0+)");
  CaseDestroy(&c);
  { /* the force as it is sampled just after the first of them */
    const PetscReal onset = ((PetscReal)m.contact[0].period + m.contact[0].phase) * c.period;
    PetscReal       time = onset + 5e-10, y1, y2, f;
    FlowRecord      record = {.n_samples = 1, .sample_time = &time, .sample_y1 = &y1, .sample_y2 = &y2, .sample_f = &f};

    CaseCreate(&params, NULL, &c);
    assert_int_equal(CaseRun(&c, m.contact[0].period + 1, &record), FLOW_GOOD);
    /* f changes by some f/1e-4 per t0 there */
    Near(f, m.contact[0].force, 1e-4 * m.contact[0].force, "force after the onset");
    CaseDestroy(&c);
  }
}

/* ---- another method ----------------------------------------------------------------------------------------------- */

/* The literal scheme tends to the exact flow with order 1 in its step; one event's error scatters, so the slope is that over three halvings. */
static void flow_load_literal_scheme_agrees(void **state)
{
  enum { STEPS = 4, N = 600 };
  static Motion exact, literal;
  Params        params;
  Case          c;
  PetscReal     error[STEPS];

  (void)state;
  InnerCase(40, &params);
  CaseCreate(&params, NULL, &c);
  Move(&c, 2, N, &exact);
  CaseDestroy(&c);
  assert_true(exact.record.count >= 3);
  for (int s = 0; s < STEPS; ++s) {
    PetscReal sum = 0.0;

    params.flow         = FLOW_LITERAL;
    params.literal_step = ldexp(2e-4, -s);
    CaseCreate(&params, NULL, &c);
    Move(&c, 2, N, &literal);
    CaseDestroy(&c);
    for (int i = 0; i < N; ++i) sum += PetscSqr(literal.y1[i] - exact.y1[i]);
    error[s] = sqrt(sum / N);
  }
  Near(log2(error[0] / error[STEPS - 1]) / (STEPS - 1), 1.0, 0.25, "order of the literal scheme");
  Near(error[STEPS - 1], 0.0, 1e-3, "error at the finest step");
}

/* The derivative through contacts under load, against central differences of the flow itself. */
static void flow_load_tangent_is_the_derivative(void **state)
{
  Params      params;
  Case        c;
  PetscReal  *start, *direction, *plus, *minus, norm, off;
  FlowTangent tangent;
  PetscReal   begin, h;
  PetscBool   alive = PETSC_TRUE;

  (void)state;
  InnerCase(30, &params);
  params.stop_side            = STOP_ABOVE;
  params.stop_position        = 0.01;
  params.initial_displacement = -0.1;
  params.forcing_mean         = 20.0;
  params.strobe_phase         = PETSC_PI; /* in flight at strobes */
  CaseCreate(&params, NULL, &c);
  assert_true(FlowHasTangent(c.flow));
  assert_int_equal(CaseRun(&c, 3, NULL), FLOW_GOOD);
  start     = malloc(sizeof(PetscReal) * (size_t)c.n * 4);
  direction = start + c.n, plus = direction + c.n, minus = plus + c.n;
  memcpy(start, c.state.x, sizeof(PetscReal) * (size_t)c.n);
  for (PetscInt i = 0; i < c.n; ++i) direction[i] = 0.0;
  direction[0] = 1.0, direction[c.M + 1] = -5.0, direction[c.M + 4] = 3.0, direction[2 * c.M] = 1e-3;
  h = 1e-7;
  for (int side = 0; side < 2; ++side) {
    for (PetscInt i = 0; i < c.n; ++i) c.state.x[i] = start[i] + (side ? -h : h) * direction[i];
    assert_false(c.state.contact);
    assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
    memcpy(side ? minus : plus, c.state.x, sizeof(PetscReal) * (size_t)c.n);
  }
  for (PetscInt i = 0; i < c.n; ++i) plus[i] = (plus[i] - minus[i]) / (2.0 * h);
  GOOD(FlowNorm(c.flow, direction, &begin));
  tangent = (FlowTangent){.n = c.n, .m = 1, .v = direction, .begin = &begin, .alive = &alive};
  memcpy(c.state.x, start, sizeof(PetscReal) * (size_t)c.n);
  GOOD(FlowSetTangent(c.flow, &tangent));
  {
    static Motion m;

    Move(&c, 1, 1, &m);
    assert_true(m.record.count > 0);
  }
  GOOD(FlowSetTangent(c.flow, NULL));
  for (PetscInt i = 0; i < c.n; ++i) minus[i] = plus[i] - direction[i];
  GOOD(FlowNorm(c.flow, direction, &norm));
  GOOD(FlowNorm(c.flow, minus, &off));
  Near(off, 0.0, 1e-5 * norm, "derivative of the flow"); /* differences: h^2 and 1e-16/h times the layers of the force */
  free(start);
  CaseDestroy(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flow_load_mirror_image_is_exact),       cmocka_unit_test(flow_load_shifts_the_stop),
    cmocka_unit_test(flow_load_presses_on_the_stop),         cmocka_unit_test(flow_load_inner_onset_has_half_the_jump),
    cmocka_unit_test(flow_load_literal_scheme_agrees),       cmocka_unit_test(flow_load_tangent_is_the_derivative),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("flow_load", tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
