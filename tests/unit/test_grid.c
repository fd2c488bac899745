/*
  Grid: units of work cover every cell once, whatever axis, direction and segment; shards part the grid and change nothing else;
  which cells the literal scheme checks; cost.
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

static Grid MakeShard(SweepAlong along, SweepDirection direction, PetscInt segment, Shard shard)
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
  p.shard           = shard;
  GOOD(GridSetUp(&p, &g));
  return g;
}

static Grid Make(SweepAlong along, SweepDirection direction, PetscInt segment)
{
  return MakeShard(along, direction, segment, (Shard){0, 0});
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

        assert_int_equal(GridAmplitudes(&g), N_A);
        assert_int_equal(GridFrequencies(&g), N_F);
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
            PetscInt  a, f, back_unit, back_step;
            PetscReal amplitude, frequency;

            GridGetCell(&g, u.line, u.first + i * u.step, &a, &f, &amplitude, &frequency);
            assert_in_range(a, 0, N_A - 1);
            assert_in_range(f, 0, N_F - 1);
            assert_true(amplitude == 10.0 + 10.0 * (PetscReal)a && frequency == 4.0 + (PetscReal)f); /* exact in binary */
            assert_int_equal(seen[u.direction][a][f]++, 0);
            assert_int_equal(GridCellOfStep(&g, unit, i), (u.direction * N_A + a) * N_F + f);
            GridStepOfCell(&g, GridCellOfStep(&g, unit, i), &back_unit, &back_step);
            assert_true(back_unit == unit && back_step == i);
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

/* What is known of a cell, whichever file it is in. */
typedef struct {
  PetscReal amplitude, frequency, cost;
  PetscInt  step, n;            /* in its unit */
  PetscBool before;             /* there is a neighbour that it starts from, */
  PetscReal before_a, before_f; /* and this is it */
  PetscBool checked;
} Known;

static Known Know(const Grid *g, PetscInt unit, PetscInt step, PetscInt wanted)
{
  Known    k = {.step = step};
  GridUnit u;
  PetscInt a, f;

  GridGetUnit(g, unit, &u);
  k.n      = u.n;
  k.cost   = GridExpectedCost(g, unit, step, 1);
  k.before = (PetscBool)(step > 0);
  if (k.before) GridGetCell(g, u.line, u.first + (step - 1) * u.step, &a, &f, &k.before_a, &k.before_f);
  GridGetCell(g, u.line, u.first + step * u.step, &a, &f, &k.amplitude, &k.frequency);
  assert_true(k.amplitude == GridAmplitude(g, a) && k.frequency == GridFrequency(g, f));
  assert_in_range(a, 0, GridAmplitudes(g) - 1);
  assert_in_range(f, 0, GridFrequencies(g) - 1);
  assert_int_equal(GridCellOfStep(g, unit, step), (u.direction * GridAmplitudes(g) + a) * GridFrequencies(g) + f);
  k.checked = GridIsChecked(g, wanted, u.direction, a, f);
  return k;
}

/*
  Each cell of the grid is in one shard, with the same values to the last bit, the same place in its unit, the same neighbour to start from,
  checked or not as in the whole grid; and a shard's file has only its own lines, rising.
*/
static void test_shards_part_the_grid(void **state)
{
  (void)state;
  for (int along = ALONG_FREQUENCY; along <= ALONG_AMPLITUDE; along++)
    for (int direction = DIRECTION_UP; direction <= DIRECTION_BOTH; direction++)
      for (PetscInt segment = 0; segment <= 3; segment += 3) {
        const Grid     whole = Make((SweepAlong)along, (SweepDirection)direction, segment);
        const PetscInt lines = along == ALONG_FREQUENCY ? N_A : N_F;

        assert_true(whole.shards == 1 && whole.shard == 0 && whole.n_lines == lines && whole.all_lines == lines);
        for (PetscInt n = 1; n <= lines; n++) {
          PetscInt seen[2 * N_A * N_F] = {0}, cells = 0;

          for (PetscInt k = 1; k <= n; k++) {
            const Grid g = MakeShard((SweepAlong)along, (SweepDirection)direction, segment, (Shard){k, n});

            assert_int_equal(g.n_cells, g.n_directions * GridAmplitudes(&g) * GridFrequencies(&g));
            assert_int_equal(along == ALONG_FREQUENCY ? GridFrequencies(&g) : GridAmplitudes(&g), whole.line_length);
            assert_in_range(g.n_lines, lines / n, (lines + n - 1) / n);
            cells += g.n_cells;
            for (PetscInt cell = 0; cell < g.n_cells; cell++) {
              const PetscInt plane = GridAmplitudes(&g) * GridFrequencies(&g);
              const PetscInt a = cell % plane / GridFrequencies(&g), f = cell % GridFrequencies(&g); /* in the shard */
              const PetscInt i = along == ALONG_FREQUENCY ? k - 1 + a * n : a, j = along == ALONG_FREQUENCY ? f : k - 1 + f * n;
              const PetscInt there = (cell / plane * N_A + i) * N_F + j; /* in the whole grid */
              PetscInt       unit, step, whole_unit, whole_step;

              GridStepOfCell(&g, cell, &unit, &step);
              assert_in_range(unit, 0, g.n_units - 1);
              assert_int_equal(GridCellOfStep(&g, unit, step), cell);
              GridStepOfCell(&whole, there, &whole_unit, &whole_step);
              const Known here = Know(&g, unit, step, 5), original = Know(&whole, whole_unit, whole_step, 5);

              assert_true(here.amplitude == original.amplitude && here.frequency == original.frequency && here.cost == original.cost);
              assert_true(here.step == original.step && here.n == original.n && here.before == original.before && here.checked == original.checked);
              if (here.before) assert_true(here.before_a == original.before_a && here.before_f == original.before_f);
              assert_int_equal(seen[there]++, 0);
            }
          }
          assert_int_equal(cells, whole.n_cells);
        }
      }
}

/* More amplitude, more contacts, more time; more cells cost more, and the parts of a unit cost what the whole does. */
static void test_expected_cost(void **state)
{
  const Grid whole = Make(ALONG_FREQUENCY, DIRECTION_UP, 0), along = Make(ALONG_AMPLITUDE, DIRECTION_UP, 0);

  (void)state;
  for (PetscInt line = 1; line < N_A; line++) assert_true(GridExpectedCost(&whole, line, 0, N_F) > GridExpectedCost(&whole, line - 1, 0, N_F));
  for (PetscInt n = 1; n < N_F; n++) {
    assert_true(GridExpectedCost(&whole, 0, 0, n) > 0.0 && GridExpectedCost(&whole, 0, 0, n) < GridExpectedCost(&whole, 0, 0, n + 1));
    /* sums of the same few terms in another order */
    assert_true(PetscAbsReal(GridExpectedCost(&whole, 1, 0, n) + GridExpectedCost(&whole, 1, n, N_F - n) - GridExpectedCost(&whole, 1, 0, N_F)) < 1e-13);
  }
  for (PetscInt step = 1; step < N_A; step++) assert_true(GridExpectedCost(&along, 2, step, 1) > GridExpectedCost(&along, 2, step - 1, 1));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_units_cover_the_grid_once),
    cmocka_unit_test(test_a_line_is_cut_from_where_it_begins),
    cmocka_unit_test(test_shards_part_the_grid),
    cmocka_unit_test(test_checked_cells),
    cmocka_unit_test(test_expected_cost),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
