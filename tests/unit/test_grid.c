/*
  Grid: units of work cover every cell once, whatever axis, direction and segment; which cells the literal scheme checks; cost.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <petscsys.h>
#include <string.h>

#include "graze/grid.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define N_A 3
#define N_F 7

static Grid Make(SweepAlong along, SweepDirection direction, PetscInt segment)
{
  Params    p;
  Complaint c = {0};
  Grid      g;

  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 0, NULL, &p, &c));
  p.sweep_amplitude = (Range){10, 30, N_A};
  p.sweep_frequency = (Range){4, 10, N_F};
  p.sweep_along     = along;
  p.sweep_direction = direction;
  p.sweep_segment   = segment;
  GOOD(GridSetUp(&p, &g));
  return g;
}

/* Every cell of the grid is in exactly one unit, and neighbours in a unit are neighbours on the line, in the direction of the line. */
static void test_units_cover_the_grid_once(void **state)
{
  (void)state;
  for (int along = ALONG_FREQUENCY; along <= ALONG_AMPLITUDE; along++)
    for (int direction = DIRECTION_UP; direction <= DIRECTION_BOTH; direction++)
      for (PetscInt segment = 0; segment <= N_F + 1; segment++) {
        const Grid g           = Make((SweepAlong)along, (SweepDirection)direction, segment);
        const int  first_sense = direction == DIRECTION_DOWN ? -1 : 1;
        int        seen[2][N_A][N_F] = {{{0}}}, cells = 0;

        assert_int_equal(g.n_directions, direction == DIRECTION_BOTH ? 2 : 1);
        assert_int_equal(g.direction[0], first_sense);
        if (g.n_directions == 2) assert_int_equal(g.direction[1], -1);
        assert_int_equal(g.n_cells, g.n_directions * N_A * N_F);
        for (PetscInt unit = 0; unit < g.n_units; unit++) {
          GridUnit u;

          GridGetUnit(&g, unit, &u);
          assert_in_range(u.n, 1, segment ? PetscMin(segment, g.line_length) : g.line_length);
          assert_int_equal(u.step, g.direction[u.direction]);
          assert_int_equal(u.last, u.first + u.step * (u.n - 1));
          for (PetscInt i = 0; i < u.n; i++, cells++) {
            PetscInt  a, f;
            PetscReal amplitude, frequency;

            GridGetCell(&g, u.line, u.first + i * u.step, &a, &f, &amplitude, &frequency);
            assert_in_range(a, 0, N_A - 1);
            assert_in_range(f, 0, N_F - 1);
            assert_true(amplitude == 10.0 + 10.0 * (PetscReal)a && frequency == 4.0 + (PetscReal)f); /* exact in binary */
            assert_int_equal(seen[u.direction][a][f]++, 0);
          }
        }
        assert_int_equal(cells, g.n_cells);
      }
}

/* A line is cut from the end at which it begins: 7 cells by 3 are 3, 3, 1, up from the lower end, down from the upper. */
static void test_a_line_is_cut_from_where_it_begins(void **state)
{
  const PetscInt up[3][2] = {{0, 2}, {3, 5}, {6, 6}}, down[3][2] = {{6, 4}, {3, 1}, {0, 0}};
  const Grid     g = Make(ALONG_FREQUENCY, DIRECTION_BOTH, 3);

  (void)state;
  assert_int_equal(g.n_units, 2 * N_A * 3);
  for (PetscInt unit = 0; unit < g.n_units; unit++) {
    GridUnit u;

    GridGetUnit(&g, unit, &u);
    const PetscInt *ends = (u.direction == 0 ? up : down)[unit % 3];
    assert_int_equal(u.first, ends[0]);
    assert_int_equal(u.last, ends[1]);
    assert_int_equal(u.line, unit / 3 % N_A);
    assert_int_equal(u.direction, unit / (3 * N_A));
  }
}

/* Exactly as many cells as were asked for, at most all, and no half of the grid without its share. */
static void test_checked_cells(void **state)
{
  const Grid g = Make(ALONG_FREQUENCY, DIRECTION_BOTH, 0);

  (void)state;
  for (PetscInt wanted = 0; wanted <= g.n_cells + 3; wanted++) {
    PetscInt count[2] = {0, 0};

    for (PetscInt d = 0; d < 2; d++)
      for (PetscInt a = 0; a < N_A; a++)
        for (PetscInt f = 0; f < N_F; f++)
          if (GridIsChecked(&g, wanted, d, a, f)) count[d]++;
    assert_int_equal(count[0] + count[1], PetscMin(wanted, g.n_cells));
    assert_in_range(count[0] - count[1] + 1, 0, 2); /* differ by one at most */
  }
  /* each in the middle of its share: cells 10 and 31 of 42 */
  assert_true(GridIsChecked(&g, 2, 0, 1, 3) && GridIsChecked(&g, 2, 1, 1, 3));
}

/* More amplitude, more contacts, more time; and longer units cost more. */
static void test_expected_cost(void **state)
{
  const Grid whole = Make(ALONG_FREQUENCY, DIRECTION_UP, 0), cut = Make(ALONG_FREQUENCY, DIRECTION_UP, 3);

  (void)state;
  for (PetscInt line = 1; line < N_A; line++) assert_true(GridExpectedCost(&whole, line) > GridExpectedCost(&whole, line - 1));
  assert_true(GridExpectedCost(&cut, 0) > GridExpectedCost(&cut, 2)); /* 3 cells and 1 */
  assert_true(GridExpectedCost(&cut, 0) < GridExpectedCost(&whole, 0));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_units_cover_the_grid_once),
    cmocka_unit_test(test_a_line_is_cut_from_where_it_begins),
    cmocka_unit_test(test_checked_cells),
    cmocka_unit_test(test_expected_cost),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
