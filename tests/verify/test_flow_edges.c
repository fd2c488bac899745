/*
  The edges of contacts: the smallest force inside, and states given on the wrong side of an event.   [theory 7, 15, 18]
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

enum { CONTACTS = 128 };

static Contact    contacts[CONTACTS];
static FlowRecord record = {.capacity = CONTACTS, .contact = contacts};

static const Modes three = {.M           = 3,
                            .w           = {1.0, 2.7, 5.2},
                            .tip         = {1.0, 0.8, 0.6},
                            .damping     = {0.05, 0.02, 0.03},
                            .load        = {1.0, -0.4, 0.3},
                            .amplitude   = 1.0,
                            .frequency   = 1.3,
                            .stop        = -0.1,
                            .restitution = 0.8};

static PetscReal *Copy(PetscInt n, const PetscReal *x)
{
  PetscReal *copy = malloc((size_t)n * sizeof(*copy));

  assert_non_null(copy);
  return memcpy(copy, x, (size_t)n * sizeof(*copy));
}

static void Start(Case *c, const PetscReal *x, PetscBool contact)
{
  memcpy(c->state.x, x, (size_t)c->n * sizeof(*x));
  c->state.contact = contact;
}

/* ---- the smallest force inside a contact ------------------------------------------------------------------------------- */

/*
  Smallest local minimum among dense samples of the force in one period from c->state, sampled again around it. NaN: none. c->state is left.
*/
static PetscReal Sampled(Case *c, PetscReal *when)
{
  enum { N = 40000 };
  static PetscReal time[N], y1[N], y2[N], f[N];
  FlowRecord       samples = {.n_samples = N, .sample_time = time, .sample_y1 = y1, .sample_y2 = y2, .sample_f = f};
  const PetscBool  contact = c->state.contact;
  PetscReal       *start = Copy(c->n, c->state.x), low = 0.0, high = c->period, least = NAN;

  for (int pass = 0; pass < 2; ++pass) {
    PetscInt at = 0;

    for (PetscInt i = 0; i < N; ++i) time[i] = low + (high - low) * ((PetscReal)i + 0.5) / N;
    Start(c, start, contact);
    assert_int_equal(CaseRun(c, 1, &samples), FLOW_GOOD);
    least = NAN;
    for (PetscInt i = 1; i < N - 1; ++i)
      if (f[i - 1] > 0.0 && f[i] > 0.0 && f[i + 1] > 0.0 && f[i] < f[i - 1] && f[i] <= f[i + 1] && !(f[i] >= least)) least = f[at = i];
    if (isnan(least)) break;
    *when = time[at];
    low   = time[at - 1];
    high  = time[at + 1];
  }
  Start(c, start, contact);
  free(start);
  return least;
}

/*
  Against samples, 1e-9: the second pass is 1e-9 of a period fine. The first minimum after an onset lies in a layer of 1e-3; the third case
  is a ripple on a force of 60 that the looks of the search step over. Sticking: the force in closed form, F held by the balance of forces.
*/
static void smallest_force(void **state)
{
  const struct {
    PetscInt  order, M;
    PetscReal A, W;
  } cases[] = {{2, 40, 30.0, 13.0},  {1, 40, 42.0, 8.9},  {1, 120, 73.0, 20.6},
               {2, 120, 20.0, 21.5}, {0, 20, 42.0, 6.37}, {1, 60, 57.0, 11.92}};
  PetscReal least, when = 0.0, before;
  Modes     m = three;
  Case      c;

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    Params     params;
    FlowReason reason;

    CaseParams(cases[i].M, &params);
    params.receptance_closure = cases[i].order;
    params.forcing_amplitude  = cases[i].A;
    params.forcing_frequency  = cases[i].W;
    CaseCreate(&params, NULL, &c);
    assert_int_equal(CaseRun(&c, 15, NULL), FLOW_GOOD);
    for (int period = 0; period < 2; ++period) {
      least = Sampled(&c, &when);
      assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
      if (isnan(least)) assert_true(isnan(record.min_force));
      else Near(record.min_force, least, 1e-9 * (1.0 + least), "smallest force");
    }
    CaseDestroy(&c);
    if (i > 0) continue;
    /* what comes after the last period does not count: the strobe just after the onset, before the first minimum */
    params.strobe_phase = 2.0 * PETSC_PI * (0.354832 + 0.0005);
    CaseCreate(&params, NULL, &c);
    assert_int_equal(CaseRun(&c, 15, NULL), FLOW_GOOD);
    if (c.state.contact) assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
    GOOD(FlowRecordReset(&record));
    GOOD(FlowSetRecord(c.flow, &record));
    GOOD(FlowStart(c.flow, &c.state));
    GOOD(FlowPeriod(c.flow, &c.state, &reason));
    assert_int_equal(reason, FLOW_GOOD);
    assert_true(record.open);
    before = record.min_force;
    GOOD(FlowFinishContact(c.flow, &reason));
    assert_true(!record.open && isfinite(contacts[record.count - 1].duration));
    assert_memory_equal(&record.min_force, &before, sizeof before);
    GOOD(FlowSetRecord(c.flow, NULL));
    GOOD(FlowRecordReset(&record));
    assert_true(isnan(record.min_force));
    CaseDestroy(&c);
  }

  /* three modes, the first rigid: held, the rest swing, and the force with them */
  m.w[0] = m.damping[0] = 0.0;
  m.mean                = -3.0;
  m.restitution         = 0.0;
  m.stop                = 0.0;
  m.frequency           = 0.5;
  ModesCreate(&m, &c);
  c.state.x[0] = 0.3;
  least        = Sampled(&c, &when);
  assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
  assert_true(record.sticks > 0 && least > 0.0);
  Near(record.min_force, least, 1e-9, "smallest force of sticking");
  ModesDestroy(&c);
  ModesCreate(&three, &c); /* impacts have no force inside */
  c.state.x[0] = 0.3;
  assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
  assert_true(record.impacts > 0 && isnan(record.min_force));
  ModesDestroy(&c);
}

/* ---- states given on the wrong side of an event ------------------------------------------------------------------------ */

static PetscReal Force(Case *c)
{
  PetscReal  time   = 0.0, y1, y2, f;
  FlowRecord sample = {.n_samples = 1, .sample_time = &time, .sample_y1 = &y1, .sample_y2 = &y2, .sample_f = &f};
  PetscReal *start  = Copy(c->n, c->state.x);

  assert_int_equal(CaseRun(c, 1, &sample), FLOW_GOOD);
  Start(c, start, PETSC_TRUE);
  free(start);
  return f;
}

/*
  In flight and already through the stop by 1e-9: an onset at once if it moves into it, none at all if it moves away; the state a period
  later is that of the onset itself within some 1e-9.
*/
static void flight_below_the_stop(void **state)
{
  const PetscReal speed[2] = {-0.5, 0.5};

  (void)state;
  for (PetscInt order = 0; order <= 3; ++order)
    for (int away = 0; away < 2; ++away) {
      PetscReal       *start, *on = NULL;
      const PetscReal *tip;
      Params           params;
      Modes            m = three;
      Case             c;

      CaseParams(30, &params);
      if (order < 3) {
        params.receptance_closure = order;
        params.stop_position      = 0.0;
        CaseCreate(&params, NULL, &c);
      } else {
        m.stop = 0.0;
        ModesCreate(&m, &c);
      }
      GOOD(ReceptanceGetModes(c.receptance, NULL, NULL, NULL, &tip, NULL));
      memset(c.state.x, 0, sizeof(PetscReal) * (size_t)c.n); /* on the stop, all modes at rest but the first */
      c.state.contact = PETSC_FALSE;
      c.state.x[c.M]  = speed[away] / tip[0];
      start           = Copy(c.n, c.state.x);
      for (int i = 0; i < 3; ++i) {
        Start(&c, start, PETSC_FALSE);
        c.state.x[0] = i * -1e-9 / tip[0];
        assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
        if (!on) on = Copy(c.n, c.state.x);
        if (away) assert_true(record.count == 0 || contacts[0].phase > 1e-3);
        else assert_true(record.count > 0 && contacts[0].phase == 0.0 && fabs(contacts[0].velocity + 0.5) < 1e-6);
        Near(CaseDistance(&c, on, c.state.x), 0.0, 3e-7, "state from below the stop");
      }
      free(start);
      free(on);
      CaseDestroy(&c);
    }
}

/*
  In contact with f < 0: released at once, not held by a pull. Where f falls the contact point is gone; where it rises it returns after
  2 f/f' (y2 = -L+ f, y2' = L+ f'). The map is continuous: states from f = +-e are a small multiple of e apart. Default orbit, closure 2: at
  the phase 0.380574 the force rises by some 100.
*/
static void contact_with_a_pull(void **state)
{
  const PetscReal *tip;
  PetscReal       *start, *on, L, f, rate;
  Params           params;
  Modes            m = three;
  Case             c;

  (void)state;
  CaseParams(40, &params);
  params.strobe_phase = 2.0 * PETSC_PI * 0.380574;
  CaseCreate(&params, NULL, &c);
  assert_int_equal(CaseRun(&c, 50, NULL), FLOW_GOOD);
  if (!c.state.contact) assert_int_equal(CaseRun(&c, 1, NULL), FLOW_GOOD);
  assert_true(c.state.contact);
  GOOD(ReceptanceGetModes(c.receptance, NULL, NULL, NULL, &tip, NULL));
  GOOD(ReceptanceGetTail(c.receptance, NULL, &L, NULL));
  f = Force(&c);
  c.state.x[c.M] += f * L / tip[0]; /* f = -c_v x / L+ */
  start = Copy(c.n, c.state.x);
  Near(Force(&c), 0.0, 1e-9, "force at the strobe");
  c.state.x[c.M] -= 1e-3 * L / tip[0];
  {
    PetscReal  time[2] = {0.0, 1e-6}, y1[2], y2[2], force[2];
    FlowRecord samples = {.n_samples = 2, .sample_time = time, .sample_y1 = y1, .sample_y2 = y2, .sample_f = force};

    assert_int_equal(CaseRun(&c, 1, &samples), FLOW_GOOD);
    rate = (force[1] - force[0]) / 1e-6;
    assert_true(rate > 50.0);
  }
  on = Copy(c.n, c.state.x);
  Start(&c, start, PETSC_TRUE);
  c.state.x[c.M] += 1e-3 * L / tip[0];
  assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
  assert_true(record.count >= 1);
  Near(contacts[0].phase * c.period, 2e-3 / rate, 0.05 * 2e-3 / rate, "return after the release"); /* f' changes by some per cent */
  Near(contacts[0].force, 1e-3, 0.05e-3, "force on return");
  Near(CaseDistance(&c, on, c.state.x), 0.0, 1e-3, "state");
  Start(&c, start, PETSC_TRUE);
  c.state.x[c.M] += 40.0 * L / tip[0]; /* a strong pull: it leaves, however the force would have gone on */
  assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
  assert_true(record.time_in_contact < 0.9 * c.period && (record.count == 0 || contacts[0].phase > 1e-3));
  free(start);
  free(on);
  CaseDestroy(&c);

  m.mean  = 3.0; /* pulls off, less and less */
  m.phase = 0.5 * PETSC_PI;
  ModesCreate(&m, &c);
  c.state.x[0]    = m.stop;
  c.state.contact = PETSC_TRUE;
  assert_int_equal(CaseRun(&c, 1, &record), FLOW_GOOD);
  assert_true(record.time_in_contact == 0.0 && record.max_displacement > 0.0);
  ModesDestroy(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(smallest_force),
    cmocka_unit_test(flight_below_the_stop),
    cmocka_unit_test(contact_with_a_pull),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("flow_edges", tests, NULL, NULL);
  return SlepcFinalize() || failed ? 1 : 0;
}
