/*
  Cell: the row of reals that carries a cell - no two variables share a place, what is not there is NaN, 0 or -1, and every number
  of a steady state arrives where the table says; encoded and decoded it has the same bits, and bytes that are no row are told.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/cell.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { SAMPLES = 5, CONTACTS = 3, STATES = 7, ROOM = 256 };

static CellLayout Layout(void)
{
  Params     p;
  Complaint  c = {0};
  CellLayout layout;

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.sample_periods = 4;
  p.max_period     = SAMPLES; /* the longer of the two makes the axis */
  p.max_contacts   = CONTACTS;
  CellLayoutSetUp(&p, STATES, &layout);
  assert_in_range(layout.length, 1, ROOM);
  return layout;
}

static void test_layout_and_table(void **state)
{
  const CellLayout layout   = Layout();
  const PetscInt   widths[] = {[AXIS_NONE] = 1, [AXIS_SAMPLE] = SAMPLES, [AXIS_CONTACT] = CONTACTS, [AXIS_MULTIPLIER] = 8, [AXIS_STATE] = STATES};
  PetscInt         next     = 0;

  (void)state;
  assert_int_equal(layout.samples, SAMPLES);
  assert_int_equal(layout.contacts, CONTACTS);
  assert_int_equal(layout.states, STATES);
  for (PetscInt v = 0; v < CELL_VARIABLES; v++) {
    const CellVariable *row = &cell_variables[v];

    assert_int_equal(layout.offset[v], next);
    assert_int_equal(layout.width[v], widths[row->axis]);
    next += layout.width[v];
    assert_non_null(row->name);
    assert_non_null(row->long_name);
    for (PetscInt other = 0; other < v; other++) assert_string_not_equal(row->name, cell_variables[other].name);
    /* a scale is said of every non-dimensional real, and of no count */
    assert_int_equal(row->scale != NULL, row->type == STORE_REAL && v != CELL_WALL_SECONDS);
  }
  assert_int_equal(layout.length, next);
}

static PetscReal        row[ROOM];
static PetscReal        y1[SAMPLES] = {1, 2, 3, 4, 5}, y2[SAMPLES] = {-1, -2, -3, -4, -5};
static Contact          contact[CONTACTS];
static PetscReal        x[STATES] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
static const FlowState  after = {.n = STATES, .contact = PETSC_TRUE, .x = x};
static const CellExtras extras = {.segment_start = PETSC_TRUE, .check_deviation = 0.25, .wall_seconds = 1.5};

static Steady Empty(void)
{
  return (Steady){.status = STATUS_FLOW_FAILED, .displacement = y1, .velocity = y2, .residual = NAN, .lyapunov_exponent = NAN, .lyapunov_error = NAN,
                  .record = {.capacity = CONTACTS, .contact = contact}};
}

static PetscReal At(const CellLayout *layout, CellVariableId v, PetscInt i)
{
  return row[layout->offset[v] + i];
}

/* A cell that failed in its first period: its own few numbers, and the filling everywhere else. */
static void test_nothing_is_nan_or_zero(void **state)
{
  const CellLayout layout = Layout();
  const Steady     steady = Empty();

  (void)state;
  memset(row, 0x55, sizeof row);
  CellPack(&layout, &steady, &after, 2.0, &extras, row);
  for (PetscInt v = 0; v < CELL_VARIABLES; v++)
    for (PetscInt i = 0; i < layout.width[v]; i++) {
      const PetscReal value = At(&layout, (CellVariableId)v, i);

      if (v == CELL_STATUS) assert_true(value == STATUS_FLOW_FAILED);
      else if (v == CELL_SEGMENT_START) assert_true(value == 1.0);
      else if (v == CELL_CHECK_DEVIATION) assert_true(value == 0.25);
      else if (v == CELL_WALL_SECONDS) assert_true(value == 1.5);
      else if (v == CELL_CONTACT_PERIOD) assert_true(value == -1.0);
      else if (cell_variables[v].type == STORE_REAL) assert_true(isnan(value));
      else assert_true(value == 0.0);
    }
}

/* Four contacts, three of them stored, in two periods of length 2; half a period of contact. */
static void test_everything_arrives(void **state)
{
  const CellLayout layout = Layout();
  Steady           steady = Empty();
  const struct {
    CellVariableId v;
    PetscReal      value;
  } singles[] = {{CELL_STATUS, STATUS_PERIODIC}, {CELL_PERIOD, 2},         {CELL_N_SAMPLES, 2},        {CELL_N_CONTACTS, 4},
                 {CELL_CONTACTS_PER_ORBIT, 4},   {CELL_CONTACTS_PER_PERIOD, 2}, {CELL_PEAK_FORCE, 57}, {CELL_MAX_DISPLACEMENT, 0.5},
                 {CELL_MIN_DISPLACEMENT, -0.05}, {CELL_MIN_GAP, 0.001},    {CELL_CONTACT_FRACTION, 0.25}, {CELL_N_MULTIPLIERS, 1},
                 {CELL_PERIODS_USED, 104},       {CELL_RESIDUAL, 1e-12},
                 {CELL_LYAPUNOV_EXPONENT, 0.3},  {CELL_LYAPUNOV_ERROR, 0.02}};

  (void)state;
  for (PetscInt i = 0; i < CONTACTS; i++)
    contact[i] = (Contact){.period = i / 2, .phase = 0.1 + i, .velocity = -0.2 - i,
                           .force = 0.3 + i, .duration = 0.4 + i, .impulse = 0.5 + i};
  steady.status                 = STATUS_PERIODIC;
  steady.period                 = 2;
  steady.n_samples              = 2;
  steady.periods_used           = 104;
  steady.residual               = 1e-12;
  steady.lyapunov_exponent      = 0.3;
  steady.lyapunov_error         = 0.02;
  steady.n_multipliers          = 1;
  steady.multiplier_re[0]       = -0.5;
  steady.multiplier_im[0]       = 0.125;
  steady.multiplier_error[0]    = 1e-9;
  steady.record.count           = 4;
  steady.record.peak_force      = 57;
  steady.record.max_displacement = 0.5;
  steady.record.min_displacement = -0.05;
  steady.record.min_gap         = 0.001;
  steady.record.time_in_contact = 1.0;
  CellPack(&layout, &steady, &after, 2.0, &extras, row);
  for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
    if (At(&layout, singles[i].v, 0) != singles[i].value)
      fail_msg("%s is %g", cell_variables[singles[i].v].name, (double)At(&layout, singles[i].v, 0));
  for (PetscInt i = 0; i < SAMPLES; i++) {
    assert_true(i < 2 ? At(&layout, CELL_STROBE_DISPLACEMENT, i) == y1[i] : isnan(At(&layout, CELL_STROBE_DISPLACEMENT, i)));
    assert_true(i < 2 ? At(&layout, CELL_STROBE_VELOCITY, i) == y2[i] : isnan(At(&layout, CELL_STROBE_VELOCITY, i)));
  }
  for (PetscInt i = 0; i < CONTACTS; i++) {
    assert_true(At(&layout, CELL_CONTACT_PERIOD, i) == (PetscReal)contact[i].period);
    assert_true(At(&layout, CELL_CONTACT_PHASE, i) == contact[i].phase);
    assert_true(At(&layout, CELL_CONTACT_VELOCITY, i) == contact[i].velocity);
    assert_true(At(&layout, CELL_CONTACT_FORCE, i) == contact[i].force);
    assert_true(At(&layout, CELL_CONTACT_DURATION, i) == contact[i].duration);
    assert_true(At(&layout, CELL_CONTACT_IMPULSE, i) == contact[i].impulse);
  }
  assert_true(At(&layout, CELL_MULTIPLIER_RE, 0) == -0.5 && At(&layout, CELL_MULTIPLIER_IM, 0) == 0.125);
  assert_true(At(&layout, CELL_MULTIPLIER_ERROR, 0) == 1e-9);
  assert_true(isnan(At(&layout, CELL_MULTIPLIER_RE, 1)) && isnan(At(&layout, CELL_MULTIPLIER_IM, 7)));
  assert_true(At(&layout, CELL_STATE_IN_CONTACT, 0) == 1.0);
  for (PetscInt i = 0; i < STATES; i++) assert_true(At(&layout, CELL_STATE, i) == x[i]);

  /* judged by sampling: 2 periods out of 4 samples with 8 contacts are 4 contacts an orbit; without a period none are said */
  steady.n_samples    = 4;
  steady.record.count = 8;
  CellPack(&layout, &steady, &after, 2.0, &extras, row);
  assert_true(At(&layout, CELL_CONTACTS_PER_ORBIT, 0) == 4 && At(&layout, CELL_CONTACTS_PER_PERIOD, 0) == 2);
  assert_true(At(&layout, CELL_N_CONTACTS, 0) == 8);
  steady.period = 0;
  CellPack(&layout, &steady, &after, 2.0, &extras, row);
  assert_true(At(&layout, CELL_CONTACTS_PER_ORBIT, 0) == 0);
}

/* The state is there exactly where the line goes on from it. */
static void test_what_a_line_goes_on_from(void **state)
{
  const CellLayout layout  = Layout();
  const PetscBool  goes[]  = {[STATUS_PENDING] = PETSC_FALSE,     [STATUS_PERIODIC] = PETSC_TRUE,    [STATUS_CONTACT_FREE] = PETSC_TRUE,
                              [STATUS_APERIODIC] = PETSC_TRUE,    [STATUS_NOT_SETTLED] = PETSC_TRUE, [STATUS_EVENT_LIMIT] = PETSC_FALSE,
                              [STATUS_FLOW_FAILED] = PETSC_FALSE, [STATUS_CRASHED] = PETSC_FALSE,    [STATUS_PERIODIC_UNVERIFIED] = PETSC_TRUE,
                              [STATUS_CHAOTIC] = PETSC_TRUE,      [STATUS_QUASI_PERIODIC] = PETSC_TRUE};
  Steady           steady  = Empty();

  (void)state;
  for (int status = 0; status < STATUS_COUNT; status++) {
    steady.status = (SteadyStatus)status;
    assert_int_equal(CellCarries(steady.status), goes[status]);
    CellPack(&layout, &steady, &after, 2.0, &extras, row);
    assert_true(At(&layout, CELL_STATE_IN_CONTACT, 0) == (goes[status] ? 1.0 : 0.0));
    for (PetscInt i = 0; i < STATES; i++) assert_true(goes[status] ? At(&layout, CELL_STATE, i) == x[i] : isnan(At(&layout, CELL_STATE, i)));
  }
}

static void test_only_a_status(void **state)
{
  const CellLayout layout = Layout();

  (void)state;
  memset(row, 0x55, sizeof row);
  CellPackStatus(&layout, STATUS_CRASHED, PETSC_TRUE, row);
  for (PetscInt v = 0; v < CELL_VARIABLES; v++)
    for (PetscInt i = 0; i < layout.width[v]; i++) {
      const PetscReal value = At(&layout, (CellVariableId)v, i);

      if (v == CELL_STATUS) assert_true(value == STATUS_CRASHED);
      else if (v == CELL_SEGMENT_START) assert_true(value == 1.0);
      else if (v == CELL_CONTACT_PERIOD) assert_true(value == -1.0);
      else assert_true(cell_variables[v].type == STORE_REAL ? isnan(value) : value == 0.0);
    }
}

/* ---- encoded ---- */

static uint64_t seed = 1;

static uint64_t Random(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

static PetscReal Bits(uint64_t bits)
{
  PetscReal value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Reals of every kind, in runs with fillings between and behind them; counts and codes that their types can hold. */
static void RandomRow(const CellLayout *layout, PetscReal *values)
{
  static const uint64_t odd[] = {0x7ff8000000000001u, 0xfff8000000000000u, 0xfff0000000000000u, 0x8000000000000000u, 0x0000000000000001u, 0x7ff4000000000000u};

  CellPackStatus(layout, (SteadyStatus)(1 + Random() % (STATUS_COUNT - 1)), PETSC_FALSE, values);
  for (PetscInt v = CELL_STATUS + 1; v < CELL_VARIABLES; v++) {
    const PetscInt n = (PetscInt)(Random() % (uint64_t)(layout->width[v] + 1));

    for (PetscInt i = 0; i < n; i++) {
      PetscReal *to = &values[layout->offset[v] + i];

      if (cell_variables[v].type == STORE_INT8) *to = (PetscReal)(Random() % 128);
      else if (cell_variables[v].type == STORE_INT32) *to = (PetscReal)(Random() % 2147483648u);
      else if (Random() % 4 == 0) *to = Bits(odd[Random() % 6]);
      else if (Random() % 4) *to = (PetscReal)Random() / 1e9;
    }
  }
}

/* Bytes in memory of exactly this size, so that a sanitizer sees a step beyond; the row they give, or that they give none. */
static PetscBool Decode(const CellLayout *layout, size_t nbytes, const void *bytes, PetscReal *values)
{
  void     *exact = malloc(nbytes + !nbytes);
  PetscBool good;

  assert_non_null(exact);
  memcpy(exact, bytes, nbytes);
  good = CellDecode(layout, nbytes, exact, values);
  for (PetscInt v = 0; v < CELL_VARIABLES; v++) {
    PetscReal       value;
    const PetscBool peeked = CellPeek(layout, nbytes, exact, (CellVariableId)v, &value);

    if (good) assert_true(peeked && !memcmp(&value, &values[layout->offset[v]], sizeof value));
  }
  free(exact);
  return good;
}

static void test_encoding_keeps_every_bit(void **state)
{
  const CellLayout layout = Layout();
  const size_t     most = CellEncodedMax(&layout), size = (size_t)layout.length * sizeof(PetscReal);
  PetscReal        back[ROOM];
  char            *bytes = malloc(most + 1);

  (void)state;
  assert_non_null(bytes);
  for (int trial = 0; trial < 2000; trial++) {
    size_t n;

    RandomRow(&layout, row);
    memset(back, 0x55, sizeof back);
    n = CellEncode(&layout, row, bytes + 1); /* at an odd address */
    assert_true(n <= most && n % 8 == 0);
    assert_true(Decode(&layout, n, bytes + 1, back));
    assert_memory_equal(back, row, size);
  }
  /* a NaN that a computation leaves may have other bits than the filling: it is data, also at the end of an axis */
  CellPackStatus(&layout, STATUS_PERIODIC, PETSC_FALSE, row);
  row[layout.offset[CELL_CONTACT_DURATION] + CONTACTS - 1] = Bits(0xfff8000000000000u);
  assert_true(Decode(&layout, CellEncode(&layout, row, bytes), bytes, back));
  assert_memory_equal(back, row, size);
  /* what has only a status takes little */
  CellPackStatus(&layout, STATUS_CRASHED, PETSC_FALSE, row);
  assert_int_equal(CellEncode(&layout, row, bytes), (CELL_VARIABLES + 1) / 2 * 8 + 8);
  /* nothing left out: the largest row */
  for (PetscInt v = 0; v < CELL_VARIABLES; v++)
    for (PetscInt i = 0; i < layout.width[v]; i++) row[layout.offset[v] + i] = 1.0;
  assert_int_equal(CellEncode(&layout, row, bytes), most);
  assert_true(Decode(&layout, most, bytes, back));
  assert_memory_equal(back, row, size);
  free(bytes);
}

/* Every cut and every changed byte of a row: it is refused, or is a row whose own bytes these are. */
static void test_bytes_that_are_no_row(void **state)
{
  const CellLayout layout = Layout();
  const size_t     most   = CellEncodedMax(&layout);
  PetscReal        back[ROOM];
  unsigned char   *bytes = malloc(most + 64), *junk = malloc(most + 64);
  int              good = 0, bad = 0, moved = 0;

  (void)state;
  assert_true(bytes && junk);
  for (int trial = 0; trial < 20; trial++) {
    size_t n;

    RandomRow(&layout, row);
    n = CellEncode(&layout, row, bytes);
    memset(bytes + n, 0, 64);
    for (size_t cut = 0; cut < n + 64; cut++)
      if (cut != n) assert_false(Decode(&layout, cut, bytes, back));
    for (size_t at = 0; at < n; at++) {
      memcpy(junk, bytes, n);
      junk[at] ^= (unsigned char)(1u << Random() % 8);
      if (Decode(&layout, n, junk, back)) {
        const PetscReal status = back[layout.offset[CELL_STATUS]];

        good++;
        assert_true(status == floor(status) && status >= 0 && status < STATUS_COUNT);
        for (PetscInt v = 0; v < CELL_VARIABLES; v++)
          for (PetscInt i = 0; i < layout.width[v]; i++) {
            const PetscReal value = back[layout.offset[v] + i];

            if (cell_variables[v].type == STORE_INT8) assert_true(value == (PetscReal)(signed char)value);
            if (cell_variables[v].type == STORE_INT32) assert_true(value == (PetscReal)(int32_t)value);
          }
      } else bad++;
    }
    for (int i = 0; i < 50; i++) { /* as many numbers in all, but one variable has more than its width, and another fewer */
      const PetscInt v = (PetscInt)(Random() % CELL_VARIABLES), other = (PetscInt)(Random() % CELL_VARIABLES);
      int32_t        counts[CELL_VARIABLES];

      memcpy(junk, bytes, n);
      memcpy(counts, junk, sizeof counts);
      if (v == other || counts[other] <= (int32_t)layout.width[v] - counts[v]) continue;
      counts[other] -= (int32_t)layout.width[v] + 1 - counts[v];
      counts[v] = (int32_t)layout.width[v] + 1;
      memcpy(junk, counts, sizeof counts);
      assert_false(Decode(&layout, n, junk, back));
      moved++;
    }
    for (int i = 0; i < 200; i++) { /* noise behind counts that add up, and noise alone */
      const size_t length = (size_t)(Random() % (most + 64));

      for (size_t at = 0; at < length; at++) junk[at] = (unsigned char)Random();
      if (i % 2 && length >= n) memcpy(junk, bytes, (CELL_VARIABLES + 1) / 2 * 8);
      (void)Decode(&layout, i % 2 ? PetscMin(length, n) : length, junk, back);
    }
  }
  assert_true(good > 0 && bad > 0 && moved > 0);
  free(bytes);
  free(junk);
}

/* The same data have the same checksum whenever they were computed; any other bit makes another one. */
static void test_checksum(void **state)
{
  const CellLayout layout = Layout();
  const PetscInt   wall   = layout.offset[CELL_WALL_SECONDS];
  uint32_t         sum;

  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    RandomRow(&layout, row);
    row[wall] = 1.0;
    sum       = CellChecksum(&layout, row);
    row[wall] = 7.5;
    assert_int_equal(CellChecksum(&layout, row), sum);
    row[wall] = NAN;
    assert_int_equal(CellChecksum(&layout, row), sum);
    row[wall] = 0.0;
    assert_int_equal(CellChecksum(&layout, row), sum);
    for (PetscInt i = 0; i < layout.length; i++) {
      const PetscReal value = row[i];
      unsigned char   byte[sizeof value];

      if (i == wall) continue;
      memcpy(byte, &value, sizeof byte);
      byte[Random() % sizeof byte] ^= (unsigned char)(1u << Random() % 8);
      memcpy(&row[i], byte, sizeof byte);
      assert_int_not_equal(CellChecksum(&layout, row), sum);
      row[i] = value;
    }
  }
  /* CRC-32 of counts and numbers as they are encoded: what a reader of the file can do again (zlib.crc32 of the same bytes gave this) */
  CellPackStatus(&layout, STATUS_CRASHED, PETSC_TRUE, row);
  assert_int_equal(CellChecksum(&layout, row), 0xc2e4f786u);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_layout_and_table),
    cmocka_unit_test(test_nothing_is_nan_or_zero),
    cmocka_unit_test(test_everything_arrives),
    cmocka_unit_test(test_what_a_line_goes_on_from),
    cmocka_unit_test(test_only_a_status),
    cmocka_unit_test(test_encoding_keeps_every_bit),
    cmocka_unit_test(test_bytes_that_are_no_row),
    cmocka_unit_test(test_checksum),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
