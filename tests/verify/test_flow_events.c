/*
  The exact flow misses no impact and invents none: against brute force, at grazing, pressed on the stop, started on it, and at the
  limits where it says why it stops.   [theory 7.3, 7.4]
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

#include "support/plain_system.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static Spectrum spectrum;
enum { KNOWN = 80, CONTACTS = 512 };

/* A linear congruential generator of our own: the same cases on every machine. In [0, 1). */
static uint64_t  seed;
static PetscReal Random(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (PetscReal)(seed >> 11) * 0x1p-53;
}

/*
  Twenty random forcings over the whole map, chaotic ones among them, five periods from the stated initial condition, closures 0, 1, 2: the
  same contacts as 1e5 samples a period of the plain system give. Onsets to 1e-7 where contacts amplify differences of 1e-12.
*/
static void flow_events_match_brute_force(void **state)
{
  PetscInt total = 0;

  (void)state;
  seed = 2;
  for (int trial = 0; trial < 21; ++trial) {
    static Contact      contact[CONTACTS];
    static PlainContact plain_contact[CONTACTS];
    FlowRecord          record = {.capacity = CONTACTS, .contact = contact};
    Params              params;
    Case                c;
    Plain               p;
    PlainMotion         motion;

    CaseParams(7, &params);
    params.receptance_closure = trial % 3;
    params.forcing_amplitude  = 10.0 + 50.0 * Random();
    params.forcing_frequency  = 4.0 + 31.0 * Random();
    params.stop_position      = trial % 4 ? -0.05 : -0.3;
    CaseCreate(&params, spectrum, &c);
    PlainCreate(&c, params.forcing_amplitude, params.forcing_frequency, c.period / 1e5, &p);
    PlainBegin(&p, &c.state, 0.0, CONTACTS, plain_contact, &motion);
    PlainAdvance(&p, 5.0 * c.period, &motion);
    assert_int_equal(CaseRun(&c, 5, &record), FLOW_GOOD);
    if (record.count != motion.count)
      fail_msg("A = %g, W = %g: %d contacts, brute force sees %d", params.forcing_amplitude, params.forcing_frequency, (int)record.count,
               (int)motion.count);
    for (PetscInt i = 0; i < motion.count; ++i) {
      Near(((PetscReal)contact[i].period + contact[i].phase) * c.period, plain_contact[i].t, 1e-7, "onset");
      /* f falls more slowly than y1: 10 times less sharp */
      if (!isnan(plain_contact[i].end)) Near(contact[i].duration, plain_contact[i].end - plain_contact[i].t, 1e-6, "duration");
    }
    total += motion.count;
    PlainEnd(&motion);
    PlainDestroy(&p);
    CaseDestroy(&c);
  }
  assert_true(total > 60);
}

/*
  With more modes, in settled and chaotic motion: no sample in flight lies below the stop, none in contact has a negative force. Samples
  next to an event are zero to the round-off of y1 (1e-15) and of f (1e-15 w_M/L+).
*/
static void flow_samples_obey_the_constraints(void **state)
{
  enum { SAMPLES = 100000 };
  PetscReal *time = malloc(4 * SAMPLES * sizeof(*time)), *y1 = time + SAMPLES, *y2 = y1 + SAMPLES, *f = y2 + SAMPLES;
  Params     params;
  Case       c;

  (void)state;
  seed = 5;
  CaseParams(40, &params);
  CaseCreate(&params, spectrum, &c);
  for (int trial = 0; trial < 20; ++trial) {
    FlowRecord record = {.n_samples = SAMPLES, .sample_time = time, .sample_y1 = y1, .sample_y2 = y2, .sample_f = f};

    CaseSetForcing(&c, 10.0 + 50.0 * Random(), 4.0 + 36.0 * Random());
    GOOD(FlowInitialState(c.flow, &c.state));
    assert_int_equal(CaseRun(&c, 40, NULL), FLOW_GOOD);
    for (int i = 0; i < SAMPLES; ++i) time[i] = (i + 0.5) / SAMPLES * 3.0 * c.period;
    assert_int_equal(CaseRun(&c, 3, &record), FLOW_GOOD);
    assert_int_equal(record.next_sample, SAMPLES);
    for (int i = 0; i < SAMPLES; ++i) {
      assert_true(y1[i] >= params.stop_position - 1e-12);
      assert_true(f[i] >= -1e-10);
      assert_true(f[i] == 0.0 || y1[i] == params.stop_position);
      assert_true(y1[i] <= record.max_displacement + 1e-12 && y1[i] >= record.min_displacement - 1e-12);
      assert_true(f[i] <= record.peak_force * (1.0 + 1e-12));
    }
  }
  free(time);
  CaseDestroy(&c);
}

/* Contacts and the smallest speed among them over `periods` periods from the initial condition at this amplitude. */
static PetscInt Contacts(Case *c, PetscReal amplitude, PetscReal frequency, PetscInt periods, PetscReal *slowest, PetscReal *gap)
{
  static Contact contact[CONTACTS];
  FlowRecord     record = {.capacity = CONTACTS, .contact = contact};

  CaseSetForcing(c, amplitude, frequency);
  GOOD(FlowInitialState(c->flow, &c->state));
  assert_int_equal(CaseRun(c, periods, &record), FLOW_GOOD);
  *slowest = INFINITY;
  for (PetscInt i = 0; i < record.count && i < CONTACTS; ++i) *slowest = fmin(*slowest, -contact[i].velocity);
  *gap = record.min_gap;
  return record.count;
}

/*
  Grazing: the amplitude at which a first contact is born, bisected to the last bits of a double. Just above it the contact is found,
  however slow: its speed is sqrt(2 y'' depth), some 1e-7 for a depth of 1e-16 to 1e-15; just below there is none and the gap stays open.
*/
static void flow_finds_grazing_contacts(void **state)
{
  (void)state;
  for (PetscInt order = 0; order <= 2; ++order)
    for (int i = 0; i < 4; ++i) {
      const PetscReal W   = (PetscReal[]){6.0, 13.0, 22.0, 35.0}[i];
      PetscReal       low = 0.0, high = 4000.0, slowest, gap;
      Params          params;
      Case            c;

      CaseParams(60, &params);
      params.receptance_closure   = order;
      params.initial_displacement = params.initial_velocity = 0.0;
      CaseCreate(&params, spectrum, &c);
      assert_int_equal(Contacts(&c, low, W, 3, &slowest, &gap), 0);
      assert_true(Contacts(&c, high, W, 3, &slowest, &gap) > 0);
      while (high - low > 4.0 * PETSC_MACHINE_EPSILON * high) {
        const PetscReal middle = 0.5 * (low + high);

        if (Contacts(&c, middle, W, 3, &slowest, &gap) > 0) high = middle;
        else low = middle;
      }
      assert_int_equal(Contacts(&c, low, W, 3, &slowest, &gap), 0);
      assert_true(gap >= 0.0 && gap < 1e-13);
      assert_int_equal(Contacts(&c, high, W, 3, &slowest, &gap), 1);
      assert_true(slowest > 0.0 && slowest < 2e-6);
      /* the first contact deepens with the amplitude: y2- grows like the square root of it, from its own birth on */
      assert_true(Contacts(&c, high * (1.0 + 1e-10), W, 3, &slowest, &gap) >= 1);
      const PetscReal near = slowest;

      assert_true(Contacts(&c, high * (1.0 + 4e-10), W, 3, &slowest, &gap) >= 1);
      Near(slowest / near, 2.0, 0.02, "y2- over four times the distance to grazing"); /* round-off 1e-15 against a distance of 1e-10 */
      CaseDestroy(&c);
    }
}

/*
  Pressed: with the stop at +0.01 the beam at rest leans on it with f = y_s / S. From displacement 0.5 and free of forcing it bounces,
  comes to lie there, and stays: no event limit, one contact that fills the period, force at its static value.
*/
static void flow_rests_on_a_raised_stop(void **state)
{
  (void)state;
  for (PetscInt order = 0; order <= 2; ++order) {
    static Contact contact[CONTACTS];
    FlowRecord     record = {.capacity = CONTACTS, .contact = contact};
    Params         params;
    Case           c;
    PetscReal      S;

    CaseParams(60, &params);
    params.receptance_closure   = order;
    params.stop_position        = 0.01;
    params.initial_displacement = 0.5;
    params.forcing_amplitude    = 0.0;
    CaseCreate(&params, spectrum, &c);
    GOOD(ReceptanceGetTail(c.receptance, NULL, NULL, &S));
    assert_int_equal(CaseRun(&c, 30, &record), FLOW_GOOD);
    assert_true(record.count > 1);
    assert_true(c.state.contact && record.open);
    assert_int_equal(CaseRun(&c, 30, NULL), FLOW_GOOD);
    assert_int_equal(CaseRun(&c, 2, &record), FLOW_GOOD);
    assert_int_equal(record.count, 0);
    Near(record.time_in_contact, 2.0 * c.period, 1e-14, "time in contact"); /* round-off of two periods */
    /* the slowest zero decays like e^{-1.5 t}: nothing is left after 60 periods, 29 t0, but round-off of f */
    Near(record.peak_force, 0.01 / S, 1e-10, "force at rest");
    CaseDestroy(&c);
    /* forced as well: it ends, with contacts long and short */
    params.forcing_amplitude = 30.0;
    CaseCreate(&params, spectrum, &c);
    assert_int_equal(CaseRun(&c, 100, NULL), FLOW_GOOD);
    assert_int_equal(CaseRun(&c, 8, &record), FLOW_GOOD);
    assert_true(record.count > 0 && record.time_in_contact > 0.2 * c.period);
    CaseDestroy(&c);
  }
}

/* Started exactly on the stop: moving in, it is a contact at once; moving out or at rest with the beam bent down, it flies. */
static void flow_starts_on_the_stop(void **state)
{
  (void)state;
  for (PetscInt order = 0; order <= 2; ++order)
    for (int way = -1; way <= 1; ++way) {
      static Contact contact[CONTACTS];
      FlowRecord     record = {.capacity = CONTACTS, .contact = contact};
      Params         params;
      Case           c;
      PetscReal      y1, y2, L;

      CaseParams(40, &params);
      params.receptance_closure   = order;
      params.initial_displacement = params.stop_position;
      params.initial_velocity     = way;
      CaseCreate(&params, spectrum, &c);
      GOOD(ReceptanceGetTail(c.receptance, NULL, &L, NULL));
      GOOD(FlowGetTip(c.flow, &c.state, &y1, &y2));
      while (y1 < params.stop_position) { /* sqrt(r) is rounded: to the stop from above */
        c.state.x[0] *= 1.0 - PETSC_MACHINE_EPSILON;
        GOOD(FlowGetTip(c.flow, &c.state, &y1, &y2));
      }
      assert_int_equal(CaseRun(&c, 3, &record), FLOW_GOOD);
      if (way < 0) {
        assert_true(record.count >= 1 && contact[0].phase < 1e-12 && contact[0].period == 0);
        Near(contact[0].velocity, -1.0, 1e-12, "y2 at the start"); /* round-off of one mode */
        if (order > 0) Near(contact[0].force, 1.0 / L, 1e-9, "f at the start");
      } else {
        /* bent down by 0.05 it is driven back up by w_1^2 0.05 = 0.6 and pushed by the load: no contact before it comes back */
        assert_true(record.count == 0 || contact[0].period > 0 || contact[0].phase > 0.05);
      }
      CaseDestroy(&c);
    }
}

/* Bounds that end a run, each with its reason. */
static void flow_says_why_it_stops(void **state)
{
  Params params;
  Case   c;

  (void)state;
  CaseParams(40, &params);
  params.flow_max_events = 1; /* the default orbit has two contacts in every second period */
  CaseCreate(&params, spectrum, &c);
  assert_int_equal(CaseRun(&c, 100, NULL), FLOW_EVENT_LIMIT);
  CaseDestroy(&c);
  params.flow_max_events = 2;
  CaseCreate(&params, spectrum, &c);
  assert_int_equal(CaseRun(&c, 100, NULL), FLOW_GOOD);
  CaseDestroy(&c);

  CaseParams(40, &params);
  params.damping_ratio = 0.0; /* driven at w_2 through mode 2: grows without bound */
  CaseCreate(&params, spectrum, &c);
  const PetscReal *w;

  GOOD(ReceptanceGetModes(c.receptance, NULL, &w, NULL, NULL, NULL));
  CaseSetForcing(&c, 30.0, w[1]);
  assert_int_equal(CaseRun(&c, 2, NULL), FLOW_RESONANCE);
  CaseSetForcing(&c, 30.0, 1.1 * w[1]);
  GOOD(FlowInitialState(c.flow, &c.state));
  assert_int_equal(CaseRun(&c, 2, NULL), FLOW_GOOD);
  c.state.x[3] = NAN;
  assert_int_equal(CaseRun(&c, 1, NULL), FLOW_LOST);
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
    cmocka_unit_test(flow_events_match_brute_force), cmocka_unit_test(flow_samples_obey_the_constraints),
    cmocka_unit_test(flow_finds_grazing_contacts),   cmocka_unit_test(flow_rests_on_a_raised_stop),
    cmocka_unit_test(flow_starts_on_the_stop),       cmocka_unit_test(flow_says_why_it_stops),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests_name("flow_events", tests, MakeSpectrum, DropSpectrum);
  return SlepcFinalize() || failed ? 1 : 0;
}
