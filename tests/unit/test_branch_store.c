/*
  branches.h5: what is written comes back to the same bits; which branch leaves which; the ratio of a cascade; damaged files are complaints.
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

#include "app/branch_store.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { STATES = 3, BRANCHES = 5, ROOM = 4 };

/* Doublings of a cascade with the exact ratio 4: 1, 1 + 1, 1 + 1 + 1/4. */
static const PetscReal doubling[3] = {1.0, 2.0, 2.25};
static char            folder[]    = "/tmp/graze_branch_store_XXXXXX";

/* A number that tells where it is from, with all its bits in use. */
static PetscReal Mark(PetscInt b, PetscInt row, PetscInt v, PetscInt j)
{
  return (PetscReal)(1 + b) + (PetscReal)row / 7.0 + (PetscReal)v / 1.1e3 + (PetscReal)j / 1.3e5;
}

/* What an integer column of these may hold. */
static PetscReal Whole(PetscInt b, PetscInt row, PetscInt v)
{
  return (PetscReal)((b + 3 * row + 5 * v) % 100);
}

/* Every number of every row; stability through all its values; contacts 0 .. 2 of the room for four. */
static void Fill(Branch *b, PetscInt number)
{
  for (PetscInt i = 0; i < b->n_points; ++i) {
    for (PetscInt v = 0; v < POINT_VARIABLES; ++v)
      for (PetscInt j = 0; j < b->layout.point_width[v]; ++j)
        BranchPoint(b, i, (PointVariable)v)[j] = point_variables[v].type == STORE_REAL ? Mark(number, i, v, j) : Whole(number, i, v);
    *BranchPoint(b, i, POINT_STABILITY)        = (PetscReal)(i % 3 - 1);
    *BranchPoint(b, i, POINT_STATE_IN_CONTACT) = (PetscReal)(i % 2);
    *BranchPoint(b, i, POINT_N_CONTACTS)       = (PetscReal)(i % 3);
    for (PetscInt v = POINT_CONTACT_PERIOD; v <= POINT_CONTACT_IMPULSE; ++v)
      for (PetscInt j = i % 3; j < ROOM; ++j) BranchPoint(b, i, (PointVariable)v)[j] = NAN;
    if (i == 1) *BranchPoint(b, i, POINT_MIN_GAP) = NAN;
  }
  for (PetscInt i = 0; i < b->n_special; ++i)
    for (PetscInt v = 0; v < SPECIAL_VARIABLES; ++v)
      for (PetscInt j = 0; j < b->layout.special_width[v]; ++j)
        BranchSpecial(b, i, (SpecialVariable)v)[j] =
          special_variables[v].type == STORE_REAL ? Mark(number, i, v + 100, j) : Whole(number, i, v);
}

static void Make(PetscInt number, const BranchStart *start, PetscInt points, PetscInt specials, Branch *b)
{
  BranchLayout layout;
  PetscReal   *row;

  BranchLayoutSetUp(start->period, ROOM, STATES, &layout);
  GOOD(BranchCreate(start, &layout, b));
  b->parameter = CONTINUE_FREQUENCY;
  for (PetscInt i = 0; i < points; ++i) GOOD(BranchAddPoint(b, &row));
  for (PetscInt i = 0; i < specials; ++i) GOOD(BranchAddSpecial(b, &row));
  Fill(b, number);
  b->began        = points ? points / 2 : 0;
  b->newton_steps = 11 + number;
  b->corrections  = 22 + number;
  b->rejected     = 33 + number;
  b->modes        = 60;
  b->other_modes  = 53;
  b->end[0]       = END_BOUND;
  b->end[1]       = END_HALVED;
  (void)snprintf(b->why[0], sizeof b->why[0], "branch %d ends here", (int)number);
  memset(b->why[1], 'w', sizeof b->why[1] - 1); /* as long as a reason can be */
}

static void Doubling(Branch *b, PetscInt i, PetscReal parameter, PetscReal arclength)
{
  *BranchSpecial(b, i, SPECIAL_TYPE)      = SPECIAL_DOUBLING;
  *BranchSpecial(b, i, SPECIAL_PARAMETER) = parameter;
  *BranchSpecial(b, i, SPECIAL_ARCLENGTH) = arclength;
}

/*
  0: period 1 of a cell, doubles at its second special point; 1: from another cell, no orbit was found; 2: period 2 off 0; 3: period 4 off
  2, whose own first doubling lies after one further away on the other side. 4: nothing to do with them, of another start.
*/
static void Family(Branch *b)
{
  PetscReal   x[STATES] = {0.1, 0.2, 0.3};
  BranchStart start     = {.origin    = ORIGIN_CELL,
                           .from      = {1, 2, 3},
                           .amplitude = 30,
                           .frequency = 1.5,
                           .stop      = -0.05,
                           .damping   = 0.1,
                           .period    = 1,
                           .n         = STATES,
                           .x         = x};

  Make(0, &start, 5, 3, &b[0]);
  *BranchSpecial(&b[0], 0, SPECIAL_TYPE)  = SPECIAL_FOLD;
  *BranchSpecial(&b[0], 0, SPECIAL_POINT) = -1;
  *BranchSpecial(&b[0], 2, SPECIAL_TYPE)  = SPECIAL_GRAZING_ONSET;
  Doubling(&b[0], 1, doubling[0], 0.25);
  start.path[0]   = 1;
  start.frequency = 7.25;
  start.period    = 3;
  Make(1, &start, 0, 0, &b[1]);
  b[1].end[0] = b[1].end[1] = END_NO_START;
  start.path[0]             = 0;
  start.depth               = 1;
  start.path[1]             = 1;
  start.origin              = ORIGIN_DOUBLING;
  start.from[0] = start.from[1] = start.from[2] = -1;
  start.period                                  = 2;
  start.frequency                               = doubling[0];
  Make(2, &start, 3, 1, &b[2]);
  Doubling(&b[2], 0, doubling[1], 0.5);
  start.depth     = 2;
  start.path[2]   = 0;
  start.period    = 4;
  start.frequency = doubling[1];
  Make(3, &start, 4, 2, &b[3]);
  Doubling(&b[3], 0, 9.0, -0.75);
  Doubling(&b[3], 1, doubling[2], 0.5);
  start.depth   = 1;
  start.path[0] = 7;
  start.path[1] = 1;
  start.period  = 2;
  Make(4, &start, 1, 0, &b[4]);
}

static void SameReals(const PetscReal *a, const PetscReal *b, PetscInt n)
{
  for (PetscInt i = 0; i < n; ++i)
    if (!(isnan(a[i]) && isnan(b[i]))) assert_memory_equal(&a[i], &b[i], sizeof *a);
}

static void Path(const char *name, char *path)
{
  (void)snprintf(path, 128, "%s/%s", folder, name);
}

static void Write(const char *path, PetscInt n, const Branch *b, PetscBool complete)
{
  Complaint c = {0};
  Store     store;

  GOOD(StoreCreate(path, &store, &c));
  GOOD(BranchStoreWrite(store, BEAM_TIMOSHENKO, "L/t0^2", CONTINUE_FREQUENCY, n, b, complete, &c));
  GOOD(StoreReady(store, &c));
  GOOD(StoreClose(&store, &c));
  assert_string_equal(c.line, "");
}

/* ---- the tests ---- */

static void Comes_back(void **state)
{
  Branch    b[BRANCHES], *back;
  Complaint c = {0};
  char      path[128];
  PetscInt  n;

  (void)state;
  Family(b);
  Path("back.h5", path);
  Write(path, BRANCHES - 1, b, PETSC_TRUE);
  GOOD(BranchStoreRead(path, &n, &back, &c));
  assert_string_equal(c.line, "");
  assert_int_equal(n, BRANCHES - 1);
  for (PetscInt k = 0; k < n; ++k) {
    const Branch      *x = &b[k], *y = &back[k];
    const BranchStart *s = &x->start, *t = &y->start;

    assert_int_equal(y->parameter, CONTINUE_FREQUENCY);
    assert_int_equal(y->layout.period, x->layout.period);
    assert_int_equal(y->layout.contacts, 2); /* the most there are */
    assert_int_equal(y->n_points, x->n_points);
    assert_int_equal(y->n_special, x->n_special);
    for (PetscInt i = 0; i < x->n_points; ++i)
      for (PetscInt v = 0; v < POINT_VARIABLES; ++v)
        SameReals(BranchPoint(x, i, (PointVariable)v), BranchPoint(y, i, (PointVariable)v), y->layout.point_width[v]);
    for (PetscInt i = 0; i < x->n_special; ++i)
      for (PetscInt v = 0; v < SPECIAL_VARIABLES; ++v)
        SameReals(BranchSpecial(x, i, (SpecialVariable)v), BranchSpecial(y, i, (SpecialVariable)v), y->layout.special_width[v]);
    for (int side = 0; side < 2; ++side) {
      assert_int_equal(y->end[side], x->end[side]);
      assert_string_equal(y->why[side], x->why[side]);
    }
    assert_int_equal(y->began, x->began);
    assert_int_equal(y->newton_steps, x->newton_steps);
    assert_int_equal(y->corrections, x->corrections);
    assert_int_equal(y->rejected, x->rejected);
    assert_int_equal(y->modes, 60);
    assert_int_equal(y->other_modes, 53);
    assert_int_equal(t->origin, s->origin);
    assert_int_equal(t->period, s->period);
    assert_memory_equal(t->from, s->from, sizeof s->from);
    assert_int_equal(BranchStartCompare(s, t), 0);
    for (int p = 0; p < 4; ++p) assert_true(BranchStartGet(t, (ContinueParameter)p) == BranchStartGet(s, (ContinueParameter)p));
    assert_int_equal(t->n, x->n_points ? STATES : 0);
    if (x->n_points) SameReals(t->x, BranchPoint(x, x->began, POINT_STATE), STATES);
    assert_int_equal(t->direction != NULL, s->depth > 0);
  }
  SameReals(back[2].start.direction, BranchSpecial(&b[0], 1, SPECIAL_DIRECTION), STATES);
  GOOD(BranchStoreFree(&n, &back));
  for (PetscInt k = 0; k < BRANCHES; ++k) GOOD(BranchDestroy(&b[k]));
}

/* What the file says of families, in the rows of the file. */
static void File_of_a_family(void **state)
{
  Branch    b[BRANCHES];
  Complaint c = {0};
  char      path[128], text[512];
  int32_t   parent[4], special[4], to[6], owner[12];
  double    ratio[4], frequency[4], start[4];
  int8_t    complete = -1;
  Store     store;
  PetscBool found;

  (void)state;
  Family(b);
  Path("family.h5", path);
  Write(path, BRANCHES - 1, b, PETSC_FALSE);
  GOOD(StoreOpen(path, PETSC_FALSE, &store, &c));
  GOOD(StoreRead(store, "/branch_parent", NULL, NULL, parent, &c));
  GOOD(StoreRead(store, "/branch_parent_special", NULL, NULL, special, &c));
  GOOD(StoreRead(store, "/special_to", NULL, NULL, to, &c));
  GOOD(StoreRead(store, "/point_branch", NULL, NULL, owner, &c));
  GOOD(StoreRead(store, "/branch_cascade_ratio", NULL, NULL, ratio, &c));
  GOOD(StoreRead(store, "/branch_frequency", NULL, NULL, frequency, &c));
  GOOD(StoreRead(store, "/branch_start_parameter", NULL, NULL, start, &c));
  GOOD(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  GOOD(StoreReadAttributeText(store, "/stability", "flag_meanings", sizeof text, text, &found));
  assert_string_equal(text, "unstable undecided stable");
  GOOD(StoreReadAttributeText(store, "/branch_amplitude", "scale", sizeof text, text, &found));
  assert_string_equal(text, "L/t0^2");
  GOOD(StoreReadAttributeText(store, "/special_parameter", "scale", sizeof text, text, &found));
  assert_string_equal(text, "rad/t0");
  GOOD(StoreReadAttributeText(store, "/", "continued_parameter", sizeof text, text, &found));
  assert_string_equal(text, "frequency");
  GOOD(StoreClose(&store, &c));
  assert_string_equal(c.line, "");
  assert_int_equal(complete, 0);
  assert_memory_equal(parent, ((int32_t[]){-1, -1, 0, 2}), sizeof parent);
  assert_memory_equal(special, ((int32_t[]){-1, -1, 1, 3}), sizeof special); /* rows 0..2 are branch 0's, 3 is branch 2's */
  assert_memory_equal(to, ((int32_t[]){-1, 2, -1, 3, -1, -1}), sizeof to);
  assert_memory_equal(owner, ((int32_t[]){0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3}), sizeof owner);
  assert_true(ratio[3] == 4.0); /* (2 - 1)/(2.25 - 2), exact in binary */
  assert_true(isnan(ratio[0]) && isnan(ratio[1]) && isnan(ratio[2]));
  for (int k = 0; k < 4; ++k) assert_true(isnan(frequency[k]));
  assert_memory_equal(start, ((double[]){1.5, 7.25, 1.0, 2.0}), sizeof start);
  assert_int_equal(BranchFamilyChild(BRANCHES, b, 0, 0), -1);
  for (PetscInt k = 0, p, s; k < BRANCHES; ++k) {
    BranchFamilyParent(BRANCHES, b, k, &p, &s);
    assert_int_equal(p, k == 2 ? 0 : k == 3 ? 2 : -1);
    assert_int_equal(s, k == 2 ? 1 : k == 3 ? 0 : -1);
    GOOD(BranchDestroy(&b[k]));
  }
}

/* A run that found nothing, or was stopped at once, leaves a file too. */
static void Nothing(void **state)
{
  Branch    none, *back;
  Complaint c = {0};
  char      path[128];
  PetscInt  n;

  (void)state;
  Path("nothing.h5", path);
  Write(path, 0, &none, PETSC_FALSE);
  GOOD(BranchStoreRead(path, &n, &back, &c));
  assert_string_equal(c.line, "");
  assert_int_equal(n, 0);
  GOOD(BranchStoreFree(&n, &back));
}

/* One number changed in a file that is whole. */
static void Damaged(void **state)
{
  static const struct {
    const char *variable, *says;
    PetscInt    at;
    int32_t     value;
    StoreType   type;
  } cases[] = {{"/point_branch", "point 6", 5, 3, STORE_INT32},      {"/point_branch", "point 0", 0, 4, STORE_INT32},
               {"/special_branch", "special 1", 1, -1, STORE_INT32}, {"/branch_period", "branch 2", 2, 5, STORE_INT32},
               {"/branch_parent", "branch 1", 1, 1, STORE_INT32},    {"/branch_parent_special", "branch 3", 3, 0, STORE_INT32},
               {"/branch_began", "branch 0", 0, 5, STORE_INT32},     {"/branch_depth", "branch 3", 3, 9, STORE_INT32},
               {"/branch_origin", "branch 0", 0, 77, STORE_INT8}};
  Branch    b[BRANCHES], *back;
  Complaint c;
  char      path[128];
  Store     store;
  PetscInt  n;

  (void)state;
  Family(b);
  Path("damaged.h5", path);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    const PetscInt one   = 1;
    const char     byte  = (char)cases[k].value;
    const void    *value = cases[k].type == STORE_INT8 ? (const void *)&byte : (const void *)&cases[k].value;

    c = (Complaint){0};
    (void)unlink(path);
    Write(path, BRANCHES - 1, b, PETSC_TRUE);
    GOOD(StoreOpen(path, PETSC_TRUE, &store, &c));
    GOOD(StoreWrite(store, cases[k].variable, &cases[k].at, &one, value, &c));
    GOOD(StoreClose(&store, &c));
    assert_string_equal(c.line, "");
    GOOD(BranchStoreRead(path, &n, &back, &c));
    assert_int_equal(c.exit_code, EXIT_FILES);
    assert_non_null(strstr(c.line, cases[k].says));
    assert_non_null(strstr(c.line, path));
    assert_int_equal(n, 0);
    assert_null(back);
  }
  for (PetscInt k = 0; k < BRANCHES; ++k) GOOD(BranchDestroy(&b[k]));
}

static void Other_files(void **state)
{
  Branch   *back;
  Complaint c = {0};
  char      path[128];
  Store     store;
  PetscInt  n;

  (void)state;
  Path("other.h5", path);
  GOOD(StoreCreate(path, &store, &c));
  GOOD(StoreReady(store, &c));
  GOOD(StoreClose(&store, &c));
  GOOD(BranchStoreRead(path, &n, &back, &c));
  assert_int_equal(c.exit_code, EXIT_FILES);
  assert_non_null(strstr(c.line, "holds no branches"));
  c = (Complaint){0};
  Path("absent.h5", path);
  GOOD(BranchStoreRead(path, &n, &back, &c));
  assert_int_equal(c.exit_code, EXIT_FILES);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Comes_back), cmocka_unit_test(File_of_a_family), cmocka_unit_test(Nothing),
                                     cmocka_unit_test(Damaged), cmocka_unit_test(Other_files)};
  char                    command[160];
  int                     failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL) || !mkdtemp(folder)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command)) failed++;
  return PetscFinalize() || failed ? 1 : 0;
}
