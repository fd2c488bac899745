/*
  Cell: the row of reals that carries a cell - no two variables share a place, what is not there is NaN, 0 or -1, and every number
  of a steady state arrives where the table says.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <string.h>

#include "graze/cell.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { SAMPLES = 5, CONTACTS = 3, ROOM = 256 };

static CellLayout Layout(void)
{
  Params     p;
  Complaint  c = {0};
  CellLayout layout;

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.sample_periods = 4;
  p.max_period     = SAMPLES; /* the longer of the two makes the axis */
  p.max_contacts   = CONTACTS;
  CellLayoutSetUp(&p, &layout);
  assert_in_range(layout.length, 1, ROOM);
  return layout;
}

static void test_layout_and_table(void **state)
{
  const CellLayout layout   = Layout();
  const PetscInt   widths[] = {[AXIS_NONE] = 1, [AXIS_SAMPLE] = SAMPLES, [AXIS_CONTACT] = CONTACTS, [AXIS_MULTIPLIER] = 8};
  PetscInt         next     = 0;

  (void)state;
  assert_int_equal(layout.samples, SAMPLES);
  assert_int_equal(layout.contacts, CONTACTS);
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
static const CellExtras extras = {.segment_start = PETSC_TRUE, .check_deviation = 0.25, .wall_seconds = 1.5};

static Steady Empty(void)
{
  return (Steady){.status = STATUS_FLOW_FAILED, .displacement = y1, .velocity = y2, .residual = NAN,
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
  CellPack(&layout, &steady, 2.0, &extras, row);
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
                 {CELL_PERIODS_USED, 104},       {CELL_RESIDUAL, 1e-12}};

  (void)state;
  for (PetscInt i = 0; i < CONTACTS; i++)
    contact[i] = (Contact){.period = i / 2, .phase = 0.1 + i, .velocity = -0.2 - i,
                           .force = 0.3 + i, .duration = 0.4 + i, .impulse = 0.5 + i};
  steady.status                 = STATUS_PERIODIC;
  steady.period                 = 2;
  steady.n_samples              = 2;
  steady.periods_used           = 104;
  steady.residual               = 1e-12;
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
  CellPack(&layout, &steady, 2.0, &extras, row);
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

  /* judged by sampling: 2 periods out of 4 samples with 8 contacts are 4 contacts an orbit; without a period none are said */
  steady.n_samples    = 4;
  steady.record.count = 8;
  CellPack(&layout, &steady, 2.0, &extras, row);
  assert_true(At(&layout, CELL_CONTACTS_PER_ORBIT, 0) == 4 && At(&layout, CELL_CONTACTS_PER_PERIOD, 0) == 2);
  assert_true(At(&layout, CELL_N_CONTACTS, 0) == 8);
  steady.period = 0;
  CellPack(&layout, &steady, 2.0, &extras, row);
  assert_true(At(&layout, CELL_CONTACTS_PER_ORBIT, 0) == 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_layout_and_table),
    cmocka_unit_test(test_nothing_is_nan_or_zero),
    cmocka_unit_test(test_everything_arrives),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
