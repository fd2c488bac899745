/*
  Which starts of a continuation become branches: each once, whatever order the work comes back in, and none that only looks like another.

  Branches over the amplitude s with strobes a + s and speed 0 are straight lines: interpolation between their points is exact.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/continue.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { POINTS = 21 };
static const PetscReal first = 1.0, last = 3.0; /* of every branch */
static char            folder[] = "/tmp/graze_continue_root_XXXXXX";

/* Height of a line at s = 0; of period 2 the second strobe is `apart` below the first. tilt: on top of slope 1; shift: of where it begins.
 */
typedef struct {
  PetscReal a, apart, frequency;
  PetscInt  period;
  PetscReal tilt, shift;
} Line;

static PetscReal Strobe(const Line *l, PetscReal s, PetscInt k)
{
  return l->a + (1 + l->tilt) * s - (PetscReal)k * l->apart;
}

/* The orbit of a line at s, as a start of the user's. */
static void AddStart(ContinueStarts *starts, const Line *l, PetscReal s)
{
  const PetscReal x     = 0;
  PetscReal       y1[2] = {Strobe(l, s, 0), Strobe(l, s, 1)}, y2[2] = {0, 0};
  BranchStart    *start;

  GOOD(ContinueStartsAdd(starts, 1, &x, l->period, y1, y2, &start));
  start->origin    = ORIGIN_CELL;
  start->path[0]   = starts->n - 1;
  start->amplitude = s;
  start->frequency = l->frequency;
}

/* The branch that a continuation would find on a line from a start on it. */
static void Follow(const BranchStart *start, const Line *l, Branch *b)
{
  BranchLayout layout;
  PetscReal   *row;

  BranchLayoutSetUp(l->period, 1, 1, &layout);
  GOOD(BranchCreate(start, &layout, b));
  b->parameter = CONTINUE_AMPLITUDE;
  for (PetscInt i = 0; i < POINTS; ++i) {
    const PetscReal s = first + l->shift + (last - first) * (PetscReal)i / (POINTS - 1);

    GOOD(BranchAddPoint(b, &row));
    *BranchPoint(b, i, POINT_PARAMETER)        = s;
    *BranchPoint(b, i, POINT_ARCLENGTH)        = s - start->amplitude;
    *BranchPoint(b, i, POINT_SLOPE)            = 1;
    *BranchPoint(b, i, POINT_STABILITY)        = 1;
    *BranchPoint(b, i, POINT_N_CONTACTS)       = 0;
    *BranchPoint(b, i, POINT_MAX_DISPLACEMENT) = 1;
    *BranchPoint(b, i, POINT_MIN_DISPLACEMENT) = -1;
    for (PetscInt k = 0; k < l->period; ++k) {
      BranchPoint(b, i, POINT_STROBE_DISPLACEMENT)[k] = Strobe(l, s, k);
      BranchPoint(b, i, POINT_STROBE_VELOCITY)[k]     = 0;
    }
    if (s <= start->amplitude) b->began = i;
  }
}

static void AddSpecial(Branch *b, SpecialType type, PetscReal s)
{
  const PetscInt i = b->n_special;
  PetscReal     *row;

  GOOD(BranchAddSpecial(b, &row));
  *BranchSpecial(b, i, SPECIAL_TYPE)                  = type;
  *BranchSpecial(b, i, SPECIAL_PARAMETER)             = s;
  *BranchSpecial(b, i, SPECIAL_ARCLENGTH)             = s - b->start.amplitude;
  *BranchSpecial(b, i, SPECIAL_POINT)                 = floor((s - first) / (last - first) * (POINTS - 1));
  *BranchSpecial(b, i, SPECIAL_STATE)                 = 0;
  *BranchSpecial(b, i, SPECIAL_DIRECTION)             = 1;
  *BranchSpecial(b, i, SPECIAL_STATE_IN_CONTACT)      = 0;
  BranchSpecial(b, i, SPECIAL_STROBE_DISPLACEMENT)[0] = *BranchPoint(b, 0, POINT_STROBE_DISPLACEMENT) + s - first;
  BranchSpecial(b, i, SPECIAL_STROBE_VELOCITY)[0]     = 0;
}

/* ---- a run: what is out comes back in any order ---- */

typedef void Answer(const BranchStart *start, Branch *branch);

/* order: which of the units that are out comes back next, counted from the first (0) or the last (-1). */
static void Run(ContinueStarts *starts, PetscMPIInt ranks, PetscInt depth, int order, Answer *answer, ContinueRoot *r)
{
  Complaint c = {0};
  Pool      pool;
  char      path[128];

  *r                              = (ContinueRoot){.comm = PETSC_COMM_SELF, .size = ranks};
  r->params.continue_switch_depth = depth;
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  GOOD(JournalCreate(path, 0, 0, "", &r->journal, &c));
  GOOD(PoolCreate(PETSC_COMM_SELF, &pool));
  GOOD(ContinueRootAddStarts(r, starts));
  GOOD(ContinueRootResolve(r));
  GOOD(ContinueRootFill(r, pool));
  for (;;) {
    PetscInt unit = -1, nbytes;
    void    *bytes;
    Branch   branch;

    assert_true(r->out <= ranks);
    for (PetscInt i = 0; i < r->n_nodes; ++i)
      if (r->node[i].state == NODE_OUT && (unit < 0 || order)) unit = i;
    if (unit < 0) break;
    answer(&r->node[unit].start.start, &branch);
    GOOD(BranchEncode(&branch, &nbytes, &bytes));
    GOOD(ContinueRootCommit(r, pool, 0, unit, nbytes, bytes, &c));
    GOOD(BranchDestroy(&branch));
    GOOD(PetscFree(bytes));
  }
  assert_string_equal(c.line, "");
  assert_int_equal(r->head, r->n_nodes);
  GOOD(PoolDestroy(&pool));
}

/* Paths of the accepted branches, "0 2 2.1"; the caller has done with root. */
static void Accepted(ContinueRoot *r, size_t size, char *text)
{
  size_t n = 0;

  *text = 0;
  for (PetscInt b = 0; b < r->n_accepted && n < size; ++b)
    for (PetscInt d = 0; d <= r->accepted[b].start.depth; ++d)
      n += (size_t)snprintf(text + n, size - n, "%s%d", d ? "." : b ? " " : "", (int)r->accepted[b].start.path[d]);
  GOOD(ContinueRootDestroy(r));
}

/* ---- the tests ---- */

static const Line low = {0, 0, 5, 1, 0, 0}, high = {0.5, 0, 5, 1, 0, 0}, other_frequency = {0, 0, 6, 1, 0, 0};
/* within 1 % of the range of 2, yet far more than two solutions of one orbit differ by */
static const Line next_to = {4e-3, 0, 5, 1, 0, 0}, double_low = {0, 0.25, 5, 2, 0, 0};

static void Lines(const BranchStart *start, Branch *branch)
{
  static const Line *const line[] = {&low, &low, &high, &other_frequency, &next_to, &low, &double_low, &high};

  Follow(start, line[start->path[0]], branch);
}

/* 1 and 5 lie on the branch of 0, 7 on that of 2; same strobes at another frequency, near ones and another period are branches of their
 * own. */
static void Each_once(void **state)
{
  static const PetscReal   at[]   = {1.23, 2.77, 1.5, 1.23, 1.23, 2.01, 1.23, 2.9};
  static const Line *const line[] = {&low, &low, &high, &other_frequency, &next_to, &low, &double_low, &high};

  (void)state;
  for (PetscMPIInt ranks = 1; ranks <= 4; ++ranks)
    for (int order = 0; order < 2; ++order) {
      ContinueStarts starts = {.n = 0};
      ContinueRoot   r;
      char           text[128];

      for (int i = 0; i < 8; ++i) AddStart(&starts, line[i], at[i]);
      Run(&starts, ranks, 0, order, Lines, &r);
      assert_int_equal(r.n_dropped, 3);
      Accepted(&r, sizeof text, text);
      assert_string_equal(text, "0 2 3 4 6");
    }
}

/* A start out of the bounds of the branch, on its line: not on the branch. */
static void Beyond_the_end(void **state)
{
  ContinueStarts starts = {.n = 0};
  ContinueRoot   r;
  char           text[128];

  (void)state;
  AddStart(&starts, &low, 2.0);
  AddStart(&starts, &low, 3.2);
  Run(&starts, 1, 0, 0, Lines, &r);
  Accepted(&r, sizeof text, text);
  assert_string_equal(text, "0 1");
}

/*
  Of the low line: doublings at 1.3 and 2.6, which lead to one branch of period 2; branch points at 1.75, to a line that touches low nearby,
  in one point; at 2.2, back along low itself; and at the end of low, to a line that goes on from there alone. The start of a
  branch point lies on low, as it must, and tells nothing.
*/
static void Switching(const BranchStart *start, Branch *branch)
{
  static const Line doubled = {0.1, 0.2, 5, 2, 0, 0}, leaving = {-0.5 * 1.4, 0, 5, 1, 0.5, 0}, beyond = {0, 0, 5, 1, 0, 2};

  if (start->depth == 0) {
    Follow(start, &low, branch);
    AddSpecial(branch, SPECIAL_DOUBLING, 1.3);
    AddSpecial(branch, SPECIAL_BRANCH_POINT, 1.75);
    AddSpecial(branch, SPECIAL_FOLD, 1.9);
    AddSpecial(branch, SPECIAL_BRANCH_POINT, 2.2);
    AddSpecial(branch, SPECIAL_DOUBLING, 2.6);
    AddSpecial(branch, SPECIAL_BRANCH_POINT, 3.0);
  } else if (start->origin == ORIGIN_DOUBLING) {
    assert_int_equal(start->period, 2);
    Follow(start, &doubled, branch);
    if (start->path[1] == 0) AddSpecial(branch, SPECIAL_FOLD, 1.5);
  } else Follow(start, start->path[1] == 1 ? &leaving : start->path[1] == 5 ? &beyond : &low, branch);
}

static void Switched(void **state)
{
  (void)state;
  for (PetscMPIInt ranks = 1; ranks <= 4; ++ranks)
    for (int order = 0; order < 2; ++order) {
      ContinueStarts starts = {.n = 0};
      ContinueRoot   r;
      char           text[128];

      AddStart(&starts, &low, 2.0);
      Run(&starts, ranks, 1, order, Switching, &r);
      assert_int_equal(r.n_dropped, 2);
      Accepted(&r, sizeof text, text);
      assert_string_equal(text, "0 0.0 0.1 0.5"); /* 0.3 is low, 0.4 is 0.0 again */
      AddStart(&starts, &low, 2.0);
      Run(&starts, ranks, 0, order, Switching, &r);
      Accepted(&r, sizeof text, text);
      assert_string_equal(text, "0");
    }
}

/* Every line doubles twice, as often as it may. */
static void Doubling(const BranchStart *start, Branch *branch)
{
  Line l = {0, 0, 5, start->period, 0, 0};

  if (start->period > 2) l.period = 2; /* lines are of period 2 at most: only the tree is looked at */
  l.a     = 10 * (PetscReal)start->depth + (PetscReal)start->path[0] / 4;
  l.apart = 0.3;
  Follow(start, &l, branch);
  AddSpecial(branch, SPECIAL_DOUBLING, 1.4);
  AddSpecial(branch, SPECIAL_DOUBLING, 1.8);
  for (PetscInt d = 1; d <= start->depth; ++d) /* no two paths lead to the same branch */
    for (PetscInt k = 0; k < POINTS; ++k) *BranchPoint(branch, k, POINT_STROBE_DISPLACEMENT) += 1e-2 * (PetscReal)(start->path[d] << d);
}

/* In canonical order: depth first, then path; so many that everything moves in memory. */
static void Canonical(void **state)
{
  (void)state;
  for (PetscMPIInt ranks = 1; ranks <= 3; ranks += 2)
    for (int order = 0; order < 2; ++order) {
      ContinueStarts starts = {.n = 0};
      ContinueRoot   r;
      Line           l = low;

      for (int i = 0; i < 9; ++i) {
        l.a = i / 4.0;
        AddStart(&starts, &l, 1.1);
      }
      Run(&starts, ranks, 4, order, Doubling, &r);
      assert_int_equal(r.n_accepted, 9 * 31); /* 1 + 2 + 4 + 8 + 16 of each start */
      for (PetscInt b = 1; b < r.n_accepted; ++b) assert_true(BranchStartCompare(&r.accepted[b - 1].start, &r.accepted[b].start) < 0);
      GOOD(ContinueRootDestroy(&r));
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Each_once), cmocka_unit_test(Beyond_the_end), cmocka_unit_test(Switched),
                                     cmocka_unit_test(Canonical)};
  char                    command[160];
  int                     failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL) || !mkdtemp(folder)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command)) failed++;
  return PetscFinalize() || failed ? 1 : 0;
}
