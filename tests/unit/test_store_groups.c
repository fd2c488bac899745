/*
  Store: texts as characters, groups copied from file to file, values that differ from run to run, files opened again to be written.
*/
#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <dirent.h>
#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/store.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static char folder[64];

static const char *File(const char *name)
{
  static char path[2][128];
  static int  turn;

  turn = !turn;
  (void)snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
  return path[turn];
}

static int MakeFolder(void **state)
{
  (void)state;
  (void)snprintf(folder, sizeof(folder), "/tmp/graze_groups_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int RemoveFolder(void **state)
{
  char command[128];

  (void)state;
  (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

/* The script sees the files as a and b. */
static void Python(const char *script)
{
  const char *python = getenv("PYTHON") ? getenv("PYTHON") : "/usr/bin/python3";
  char        command[512];
  FILE       *file = fopen(File("script.py"), "w");

  assert_non_null(file);
  (void)fprintf(file, "import h5py, numpy as np, xarray as xr\na, b = '%s/a.h5', '%s/b.h5'\n%s", folder, folder, script);
  assert_int_equal(fclose(file), 0);
  (void)snprintf(command, sizeof(command), "HDF5_USE_FILE_LOCKING=FALSE %s -W error %s", python, File("script.py"));
  assert_int_equal(system(command), 0);
}

/* Exit code of h5diff on a and b; skipped is told as `otherwise`. */
static int Difference(const char *options, int otherwise)
{
  char command[512];

  if (system("command -v h5diff > /dev/null")) return otherwise;
  (void)snprintf(command, sizeof(command), "h5diff %s %s/a.h5 %s/b.h5 > %s/diff.txt 2>&1", options, folder, folder, folder);
  return system(command) != 0;
}

/* Open files of this process. */
static int OpenFiles(void)
{
  DIR *files = opendir("/proc/self/fd");
  int  n     = 0;

  assert_non_null(files);
  while (readdir(files)) n++;
  (void)closedir(files);
  return n;
}

static void Begin(const char *name, Store *store, Complaint *c)
{
  (void)unlink(File(name));
  GOOD(StoreCreate(File(name), store, c));
}

static void End(Store *store, Complaint *c)
{
  GOOD(StoreReady(*store, c));
  GOOD(StoreClose(store, c));
  if (c->exit_code) fail_msg("%s", c->line);
}

/* Characters are netCDF's: readers make strings of the rows. Their dimension has a length and no values. */
static void test_characters(void **state)
{
  const int32_t     rows[]      = {0, 1, 2};
  const char *const dims[]      = {"row", "text"};
  char              texts[3][8] = {"one", "tw\xc3\xb6", "eightch"}, back[3][8];
  Complaint         c           = {0};
  Store             store;

  (void)state;
  texts[2][7] = 's'; /* full to the last character: no NUL */
  Begin("a.h5", &store, &c);
  GOOD(StoreDefineDimension(store, "/", "row", STORE_INT32, 3, rows, &c));
  GOOD(StoreDefineDimension(store, "/", "text", STORE_INT8, 8, NULL, &c));
  GOOD(StoreDefineVariable(store, "/", "name", STORE_CHAR, 2, dims, &c));
  GOOD(StoreDefineVariable(store, "/", "empty", STORE_CHAR, 2, dims, &c));
  GOOD(StoreAttributeText(store, "/name", "_Encoding", "utf-8", &c));
  GOOD(StoreWrite(store, "/name", (const PetscInt[]){1, 0}, (const PetscInt[]){2, 8}, texts[1], &c));
  GOOD(StoreWrite(store, "/name", (const PetscInt[]){0, 0}, (const PetscInt[]){1, 8}, texts[0], &c));
  End(&store, &c);
  GOOD(StoreOpen(File("a.h5"), PETSC_FALSE, &store, &c));
  GOOD(StoreRead(store, "/name", NULL, NULL, back, &c));
  assert_memory_equal(back, texts, sizeof(texts));
  GOOD(StoreRead(store, "/empty", NULL, NULL, back, &c));
  assert_memory_equal(back, ((const char[24]){0}), sizeof(texts));
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);
  Python("d = xr.open_dataset(a, engine='h5netcdf')\n"
         "assert d['name'].dims == ('row',) and list(d['name'].values) == ['one', 'twö', 'eightchs'], d['name']\n"
         "assert 'text' not in d.coords and h5py.File(a)['name'].dtype == 'S1'\n");
  if (system("command -v ncdump > /dev/null") == 0) {
    char command[256];

    (void)snprintf(command, sizeof(command), "ncdump -v name %s | tr -d '\\n' | grep -q '\"one\",  \"tw.*\",  \"eightchs\"'", File("a.h5"));
    assert_int_equal(system(command), 0);
  }
}

/* Another type, length or number of axes is a complaint, so that no slab is read beyond its buffer. */
static void test_expectations(void **state)
{
  const int32_t     rows[] = {0, 1, 2};
  const char *const dims[] = {"row", "row"};
  const struct {
    StoreType type;
    PetscInt  rank, shape[2];
  } wrong[]   = {{STORE_REAL, 2, {3, 3}},  {STORE_INT64, 2, {3, 3}}, {STORE_INT8, 2, {3, 3}}, {STORE_CHAR, 2, {3, 3}},
                 {STORE_INT32, 1, {3, 0}}, {STORE_INT32, 2, {3, 4}}, {STORE_INT32, 2, {2, 3}}};
  Complaint c = {0}, missing = {0};
  Store     store;

  (void)state;
  Begin("a.h5", &store, &c);
  GOOD(StoreDefineDimension(store, "/", "row", STORE_INT32, 3, rows, &c));
  GOOD(StoreDefineVariable(store, "/", "count", STORE_INT32, 2, dims, &c));
  End(&store, &c);
  GOOD(StoreOpen(File("a.h5"), PETSC_FALSE, &store, &c));
  GOOD(StoreExpect(store, "/count", STORE_INT32, 2, (const PetscInt[]){3, 3}, &c));
  if (c.exit_code) fail_msg("%s", c.line);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    Complaint other = {0};

    GOOD(StoreExpect(store, "/count", wrong[i].type, wrong[i].rank, wrong[i].shape, &other));
    assert_int_equal(other.exit_code, EXIT_FILES);
    assert_non_null(strstr(other.line, "/count has another type or shape"));
  }
  GOOD(StoreExpect(store, "/nothing", STORE_INT32, 0, NULL, &missing));
  assert_int_equal(missing.exit_code, EXIT_FILES);
  GOOD(StoreClose(&store, &c));
}

/* A group like /kernel: scales with one and with two users, in an order that is not that of the names, scalars, texts, all kinds of
 * attributes. */
static void MakeGroup(Store store, Complaint *c)
{
  const double      tau[] = {0, 0.25, 1}, values[] = {3, 1.0 / 3, 2}, scalar = 1e-300;
  const int32_t     component[] = {1, 2}, six = 6;
  const int8_t      flags[]  = {1, -1};
  const char *const by_tau[] = {"tau"}, *const both[] = {"component", "component_2"}, *const by_component[] = {"component"};

  GOOD(StoreDefineGroup(store, "/kernel", c));
  GOOD(StoreAttributeNumbers(store, "/kernel", "order", STORE_INT32, 1, &six, c));
  GOOD(StoreAttributeNumbers(store, "/kernel", "values", STORE_REAL, 3, values, c));
  GOOD(StoreAttributeText(store, "/kernel", "note", "\xc3\xa9tat", c));
  GOOD(StoreDefineDimension(store, "/kernel", "tau", STORE_REAL, 3, tau, c));
  GOOD(StoreAttributeText(store, "/kernel/tau", "units", "1", c));
  GOOD(StoreDefineDimension(store, "/kernel", "component", STORE_INT32, 2, component, c));
  GOOD(StoreDefineDimension(store, "/kernel", "component_2", STORE_INT32, 2, component, c));
  GOOD(StoreDefineDimension(store, "/kernel", "text", STORE_INT8, 5, NULL, c));
  GOOD(StoreDefineVariable(store, "/kernel", "zeta", STORE_REAL, 1, by_tau, c));
  GOOD(StoreDefineVariable(store, "/kernel", "L", STORE_REAL, 1, by_tau, c));
  GOOD(StoreDefineVariable(store, "/kernel", "b", STORE_INT64, 1, by_component, c));
  GOOD(StoreDefineVariable(store, "/kernel", "A", STORE_REAL, 2, both, c));
  GOOD(StoreDefineVariable(store, "/kernel", "scalar", STORE_REAL, 0, NULL, c));
  GOOD(StoreDefineVariable(store, "/kernel", "words", STORE_CHAR, 1, (const char *const[]){"text"}, c));
  GOOD(StoreAttributeNumbers(store, "/kernel/L", "flag_values", STORE_INT8, 2, flags, c));
  GOOD(StoreWrite(store, "/kernel/zeta", NULL, NULL, tau, c));
  GOOD(StoreWrite(store, "/kernel/L", NULL, NULL, values, c));
  GOOD(StoreWrite(store, "/kernel/scalar", NULL, NULL, &scalar, c));
  GOOD(StoreWrite(store, "/kernel/words", NULL, NULL, "words", c));
  GOOD(StoreDefineGroup(store, "/kernel/inner", c));
}

static void test_copied_group(void **state)
{
  Complaint     c     = {0};
  const int32_t seven = 7;
  Store         from, to;
  int32_t       order = 0;
  PetscBool     has;

  (void)state;
  Begin("a.h5", &from, &c);
  MakeGroup(from, &c);
  End(&from, &c);
  GOOD(StoreOpen(File("a.h5"), PETSC_FALSE, &from, &c));
  Begin("b.h5", &to, &c);
  GOOD(StoreCopyGroup(from, "/kernel", to, &c));
  GOOD(StoreCopyGroup(from, "/nowhere", to, &c));
  GOOD(StoreHas(to, "/nowhere", &has));
  assert_false(has);
  GOOD(StoreHas(to, "/kernel/inner", &has));
  assert_false(has);
  GOOD(StoreDefineGroup(to, "/kernel/inner", &c));
  End(&to, &c);
  assert_int_equal(Difference("", 0), 0);
  Python("f, g = h5py.File(a)['kernel'], h5py.File(b)['kernel']\n"
         "def same(x, y):\n"
         "    for n in (x.attrs.keys() | y.attrs.keys()) - {'REFERENCE_LIST', 'DIMENSION_LIST'}:\n"
         "        p, q = np.asarray(x.attrs[n]), np.asarray(y.attrs[n])\n"
         "        assert p.dtype == q.dtype and p.shape == q.shape and p.tobytes() == q.tobytes(), (x.name, n, p, q)\n"
         "    assert ('REFERENCE_LIST' in x.attrs) == ('REFERENCE_LIST' in y.attrs), x.name\n"
         "assert set(f) == set(g), set(g)\n"
         "same(f, g)\n"
         "for n in set(f) - {'inner'}:\n"
         "    same(f[n], g[n])\n"
         "    assert f[n].dtype == g[n].dtype and f[n].shape == g[n].shape and f[n][()].tobytes() == g[n][()].tobytes(), n\n"
         "    assert [[s.name for s in d.values()] for d in f[n].dims] == [[s.name for s in d.values()] for d in g[n].dims], n\n"
         "    if 'REFERENCE_LIST' in f[n].attrs:\n"
         "        users = [[(h[r[0]].name, r[1]) for r in h[n].attrs['REFERENCE_LIST']] for h in (f, g)]\n"
         "        assert users[0] == users[1], users\n"
         "k = xr.open_dataset(b, engine='h5netcdf', group='kernel')\n"
         "assert k['A'].dims == ('component', 'component_2') and k['words'].values == b'words', k\n");

  /* what the group has already stays */
  Begin("c.h5", &to, &c);
  GOOD(StoreDefineGroup(to, "/kernel", &c));
  GOOD(StoreAttributeNumbers(to, "/kernel", "order", STORE_INT32, 1, &seven, &c));
  GOOD(StoreCopyGroup(from, "/kernel", to, &c));
  GOOD(StoreReadAttributeNumber(to, "/kernel", "order", STORE_INT32, &order, &has));
  assert_int_equal(order, 7);
  End(&to, &c);
  GOOD(StoreClose(&from, &c));
}

/* h5diff follows a dimension to all that is attached to it; what differs from run to run is not to be met there, and has its dimensions all
 * the same. */
static void test_volatile(void **state)
{
  const int32_t     rows[] = {0, 1, 2};
  const char *const dims[] = {"row"};

  (void)state;
  for (int listed = 0; listed < 2; listed++) {
    for (int run = 0; run < 2; run++) {
      const double seconds[] = {1, 2 + run, 3};
      Complaint    c         = {0};
      Store        store;

      Begin(run ? "b.h5" : "a.h5", &store, &c);
      GOOD(StoreDefineDimension(store, "/", "row", STORE_INT32, 3, rows, &c));
      GOOD(StoreDefineVariable(store, "/", "data", STORE_REAL, 1, dims, &c));
      GOOD((listed ? StoreDefineVariable : StoreDefineVolatile)(store, "/", "seconds", STORE_REAL, 1, dims, &c));
      GOOD(StoreWrite(store, "/data", NULL, NULL, (const double[]){1, 2, 3}, &c));
      GOOD(StoreWrite(store, "/seconds", NULL, NULL, seconds, &c));
      End(&store, &c);
    }
    assert_int_equal(Difference("", 1), 1);
    assert_int_equal(Difference("--exclude-path=/seconds", listed), listed);
    Python("d = xr.open_dataset(b, engine='h5netcdf')\n"
           "assert d['seconds'].dims == ('row',) and d['seconds'].sel(row=1) == 3, d\n"
           "assert h5py.File(b)['seconds'].dims[0][0].name == '/row'\n");
    if (system("command -v ncdump > /dev/null") == 0) {
      char command[256];

      (void)snprintf(command, sizeof(command), "ncdump -h %s | grep -q 'double seconds(row)'", File("b.h5"));
      assert_int_equal(system(command), 0);
    }
  }
}

/* Opened again, slabs and attributes change in place, of more variables than are kept open at once; and another process, after a flush,
 * sees it. */
static void test_written_again(void **state)
{
  enum { VARIABLES = 70 };
  const int32_t rows[] = {0, 1, 2};
  Complaint     c      = {0};
  Store         store, reader;
  char          name[32];
  int64_t       all[3];
  const int64_t wide[] = {-5, 1LL << 40, 9};
  int8_t        flag   = 0;
  PetscBool     found;
  const int     files = OpenFiles();

  (void)state;
  Begin("a.h5", &store, &c);
  GOOD(StoreDefineDimension(store, "/", "row", STORE_INT32, 3, rows, &c));
  for (int i = 0; i < VARIABLES; i++) {
    (void)snprintf(name, sizeof(name), "v%d", i);
    GOOD(StoreDefineVariable(store, "/", name, STORE_INT64, 1, (const char *const[]){"row"}, &c));
  }
  GOOD(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &flag, &c));
  End(&store, &c);
  GOOD(StoreOpen(File("a.h5"), PETSC_TRUE, &store, &c));
  for (PetscInt row = 0; row < 3; row++)
    for (int i = 0; i < VARIABLES; i++) {
      const int64_t  value = wide[row] + i;
      const PetscInt one   = 1;

      (void)snprintf(name, sizeof(name), "/v%d", i);
      GOOD(StoreWrite(store, name, &row, &one, &value, &c));
    }
  flag = 1;
  GOOD(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &flag, &c));
  flag = 0;
  GOOD(StoreFlush(store, &c));
  Python("f = h5py.File(a, 'r')\n"
         "assert f.attrs['complete'] == 1 and list(f['v69']) == [64, 2**40 + 69, 78], list(f['v69'])\n");
  GOOD(StoreClose(&store, &c));
  GOOD(StoreOpen(File("a.h5"), PETSC_FALSE, &reader, &c));
  for (int i = 0; i < VARIABLES; i++) {
    (void)snprintf(name, sizeof(name), "/v%d", i);
    GOOD(StoreRead(reader, name, NULL, NULL, all, &c));
    for (int row = 0; row < 3; row++) assert_int_equal(all[row], wide[row] + i);
  }
  GOOD(StoreReadAttributeNumber(reader, "/", "complete", STORE_INT8, &flag, &found));
  assert_int_equal(flag, 1);
  GOOD(StoreClose(&reader, &c));
  assert_int_equal(OpenFiles(), files); /* an array that was left open would keep the file open, and locked */
  if (c.exit_code) fail_msg("%s", c.line);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_characters), cmocka_unit_test(test_expectations),  cmocka_unit_test(test_copied_group),
    cmocka_unit_test(test_volatile),   cmocka_unit_test(test_written_again),
  };
  int failed;

  if (PetscInitializeNoArguments()) return 1;
  failed = cmocka_run_group_tests(tests, MakeFolder, RemoveFolder);
  if (PetscFinalize()) return 1;
  return failed;
}
