/*
  Store: what is written is read back bit by bit, by us and by netCDF readers; a killed writer, a full disk and a bad file are survived.

  Tests that kill, limit or lock work in a forked child, which ends with _exit: it must not run MPI's clean-up a second time.
*/
#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graze/provenance.h"
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
  (void)snprintf(folder, sizeof(folder), "/tmp/graze_store_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int RemoveFolder(void **state)
{
  char command[128];

  (void)state;
  (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

enum { N_A = 3, N_F = 40, N_K = 5 };

/* A small sweep: two numbers per cell and one row of samples, in the root group; a second group with scales of its own. */
static PetscErrorCode DefineSmall(Store store, Complaint *complaint)
{
  const int8_t      direction[1]  = {-1};
  const double      amplitude[]   = {1, 2, 4};
  double            frequency[N_F];
  int32_t           sample[N_K];
  const double      tau[]         = {0, 0.5};
  const char *const cell[]        = {"direction", "amplitude", "frequency", "sample"};
  const char *const kernel_dims[] = {"tau"};

  PetscFunctionBeginUser;
  for (int i = 0; i < N_F; i++) frequency[i] = 4 + 0.25 * i;
  for (int i = 0; i < N_K; i++) sample[i] = i;
  PetscCall(StoreDefineDimension(store, "/", "direction", STORE_INT8, 1, direction, complaint));
  PetscCall(StoreDefineDimension(store, "/", "amplitude", STORE_REAL, N_A, amplitude, complaint));
  PetscCall(StoreDefineDimension(store, "/", "frequency", STORE_REAL, N_F, frequency, complaint));
  PetscCall(StoreDefineDimension(store, "/", "sample", STORE_INT32, N_K, sample, complaint));
  PetscCall(StoreDefineDimension(store, "/", "event", STORE_REAL, 0, NULL, complaint));
  PetscCall(StoreDefineVariable(store, "/", "status", STORE_INT8, 3, cell, complaint));
  PetscCall(StoreDefineVariable(store, "/", "count", STORE_INT64, 3, cell, complaint));
  PetscCall(StoreDefineVariable(store, "/", "strobe", STORE_REAL, 4, cell, complaint));
  PetscCall(StoreDefineVariable(store, "/", "event_force", STORE_REAL, 1, (const char *const[]){"event"}, complaint));
  PetscCall(StoreDefineGroup(store, "/kernel", complaint));
  PetscCall(StoreDefineDimension(store, "/kernel", "tau", STORE_REAL, 2, tau, complaint));
  PetscCall(StoreDefineVariable(store, "/kernel", "Linf", STORE_REAL, 1, kernel_dims, complaint));
  PetscCall(StoreDefineVariable(store, "/kernel", "L_plus", STORE_REAL, 0, NULL, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double Value(int line, int f, int k)
{
  return 1000 * line + f + 0.1 * k;
}

static PetscErrorCode WriteLine(Store store, int line, PetscInt n_k, Complaint *complaint)
{
  const PetscInt start[] = {0, line, 0, 0}, count[] = {1, 1, N_F, n_k};
  double         row[N_F][N_K];

  PetscFunctionBeginUser;
  for (int f = 0; f < N_F; f++)
    for (int k = 0; k < n_k; k++) (&row[0][0])[f * n_k + k] = Value(line, f, k);
  PetscCall(StoreWrite(store, "/strobe", start, count, row, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slabs come back to the bit; what was never written is NaN or 0; the final name appears with StoreReady and not before. */
static void test_slabs(void **state)
{
  Complaint c = {0};
  Store     store;
  double    all[N_A][N_F][N_K], number = 3.5;
  int8_t    status[N_F] = {0}, status_back[N_A][N_F];
  int64_t   count[N_A][N_F];
  PetscInt  rank, shape[8];
  PetscBool has;

  (void)state;
  GOOD(StoreCreate(File("slabs.h5"), &store, &c));
  GOOD(DefineSmall(store, &c));
  assert_int_equal(access(File("slabs.h5"), F_OK), -1);
  GOOD(StoreReady(store, &c));
  assert_int_equal(access(File("slabs.h5"), F_OK), 0);
  assert_int_equal(access(File("slabs.h5.partial"), F_OK), -1);
  GOOD(WriteLine(store, 1, N_K, &c));
  GOOD(WriteLine(store, 2, 3, &c));
  for (int f = 0; f < N_F; f++) status[f] = (int8_t)(f % 9);
  GOOD(StoreWrite(store, "/status", (const PetscInt[]){0, 1, 0}, (const PetscInt[]){1, 1, N_F}, status, &c));
  GOOD(StoreWrite(store, "/kernel/L_plus", NULL, NULL, &number, &c));
  GOOD(StoreClose(&store, &c));
  assert_null(store);

  GOOD(StoreOpen(File("slabs.h5"), PETSC_FALSE, &store, &c));
  GOOD(StoreGetShape(store, "/strobe", &rank, shape, &c));
  assert_int_equal(rank, 4);
  assert_int_equal(shape[1], N_A);
  assert_int_equal(shape[3], N_K);
  GOOD(StoreRead(store, "/strobe", NULL, NULL, all, &c));
  GOOD(StoreRead(store, "/status", NULL, NULL, status_back, &c));
  GOOD(StoreRead(store, "/count", NULL, NULL, count, &c));
  for (int f = 0; f < N_F; f++) {
    for (int k = 0; k < N_K; k++) {
      assert_true(isnan(all[0][f][k]));
      assert_true(all[1][f][k] == Value(1, f, k));
      assert_true(k < 3 ? all[2][f][k] == Value(2, f, k) : isnan(all[2][f][k]));
    }
    assert_int_equal(status_back[1][f], f % 9);
    assert_int_equal(status_back[0][f], 0);
    assert_int_equal(count[2][f], 0);
  }
  GOOD(StoreRead(store, "/kernel/L_plus", NULL, NULL, &number, &c));
  assert_true(number == 3.5);
  GOOD(StoreGetShape(store, "/kernel/L_plus", &rank, shape, &c));
  assert_int_equal(rank, 0);
  GOOD(StoreHas(store, "/kernel/tau", &has));
  assert_true(has);
  GOOD(StoreHas(store, "/no/such/thing", &has));
  assert_false(has);
  if (c.exit_code) fail_msg("%s", c.line);
  GOOD(StoreRead(store, "/kernel/tail", NULL, NULL, &number, &c));
  assert_int_equal(c.exit_code, EXIT_FILES);
  assert_non_null(strstr(c.line, "/kernel/tail"));
  GOOD(StoreClose(&store, &c));
}

static void test_attributes(void **state)
{
  Complaint     c           = {0};
  const int8_t  flags[]     = {0, 1, 2};
  const int32_t six = 6, seven = 7;
  const double  third       = 1.0 / 3;
  char          text[64], shorter[8], *far;
  double        real        = 0;
  int64_t       whole       = 0;
  PetscBool     found;
  Store         store;

  (void)state;
  GOOD(StoreCreate(File("attributes.h5"), &store, &c));
  GOOD(DefineSmall(store, &c));
  GOOD(StoreAttributeText(store, "/", "title", "a sweep", &c));
  GOOD(StoreAttributeText(store, "/status", "long_name", "\xc3\xa9tat", &c));
  GOOD(StoreAttributeText(store, "/status", "comment", "", &c));
  GOOD(StoreAttributeNumbers(store, "/status", "flag_values", STORE_INT8, 3, flags, &c));
  GOOD(StoreAttributeNumbers(store, "/kernel", "modes", STORE_INT32, 1, &six, &c));
  GOOD(StoreAttributeNumbers(store, "/kernel", "third", STORE_REAL, 1, &third, &c));
  GOOD(StoreAttributeText(store, "/status", "long_name", "longer than it was before", &c));
  GOOD(StoreReady(store, &c));
  /* now only what has its place in the file can change */
  GOOD(StoreAttributeText(store, "/", "title", "done", &c));
  GOOD(StoreAttributeNumbers(store, "/kernel", "modes", STORE_INT32, 1, &seven, &c));
  GOOD(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  assert_int_equal(StoreAttributeText(store, "/", "title", "longer than it was before", &c), PETSC_ERR_PLIB);
  GOOD(PetscPopErrorHandler());
  GOOD(StoreClose(&store, &c));

  GOOD(StoreOpen(File("attributes.h5"), PETSC_FALSE, &store, &c));
  GOOD(StoreReadAttributeText(store, "/", "title", sizeof(text), text, &found));
  assert_true(found);
  assert_string_equal(text, "done");
  GOOD(StoreReadAttributeText(store, "/status", "long_name", sizeof(text), text, &found));
  assert_string_equal(text, "longer than it was before");
  GOOD(StoreReadAttributeText(store, "/status", "long_name", sizeof(shorter), shorter, &found));
  assert_string_equal(shorter, "longer ");
  GOOD(StoreReadAttributeText(store, "/status", "comment", sizeof(text), text, &found));
  assert_true(found);
  assert_string_equal(text, "");
  GOOD(StoreReadAttributeText(store, "/kernel", "modes", sizeof(text), text, &found));
  assert_false(found);
  GOOD(StoreReadAttributeText(store, "/nowhere", "modes", sizeof(text), text, &found));
  assert_false(found);
  GOOD(StoreReadAttributeNumber(store, "/kernel", "modes", STORE_INT64, &whole, &found));
  assert_true(found);
  assert_int_equal(whole, 7);
  GOOD(StoreReadAttributeNumber(store, "/kernel", "third", STORE_REAL, &real, &found));
  assert_true(real == third);
  GOOD(StoreReadAttributeNumber(store, "/", "title", STORE_REAL, &real, &found));
  assert_false(found);
  GOOD(StoreReadAttributeNumber(store, "/status", "flag_values", STORE_REAL, &real, &found));
  assert_false(found);
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);

  /* 60 KiB: refused as the bug it is, before HDF5 would fail halfway */
  GOOD(StoreCreate(File("far.h5"), &store, &c));
  GOOD(PetscMalloc1(61 * 1024, &far));
  memset(far, 'x', 61 * 1024);
  far[61 * 1024 - 1] = '\0';
  GOOD(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  assert_int_equal(StoreAttributeText(store, "/", "far", far, &c), PETSC_ERR_PLIB);
  GOOD(PetscPopErrorHandler());
  GOOD(StoreText(store, "/far", far, &c));
  GOOD(PetscFree(far));
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);
  assert_int_equal(access(File("far.h5"), F_OK), -1);
  assert_int_equal(access(File("far.h5.partial"), F_OK), -1);
}

/* Each name is asked for once; a missing file, a text file, a folder, a cut file and a folder that is not there are one line each. */
static void test_bad_files(void **state)
{
  const struct {
    const char *name, *reason;
  } cases[] = {
    {"missing.h5", "No such file"},
    {"text.h5", "not an HDF5 file"},
    {".", "Is a directory"},
    {"cut.h5", "truncated"},
  };
  Complaint good = {0};
  Store     store;
  FILE     *text = fopen(File("text.h5"), "w");

  (void)state;
  (void)fputs("not HDF5\n", text);
  (void)fclose(text);
  GOOD(StoreCreate(File("cut.h5"), &store, &good));
  GOOD(DefineSmall(store, &good));
  GOOD(StoreReady(store, &good));
  GOOD(StoreClose(&store, &good));
  assert_int_equal(truncate(File("cut.h5"), 3000), 0);

  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    Complaint c = {0};
    GOOD(StoreOpen(File(cases[i].name), PETSC_FALSE, &store, &c));
    assert_null(store);
    assert_int_equal(c.exit_code, EXIT_FILES);
    if (!strstr(c.line, cases[i].reason)) fail_msg("%s: %s", cases[i].name, c.line);
    assert_null(strchr(c.line, '\n'));
  }
  Complaint c = {0};
  GOOD(StoreCreate(File("no/folder.h5"), &store, &c));
  assert_null(store);
  assert_int_equal(c.exit_code, EXIT_IO);
  assert_non_null(strstr(c.line, "No such file"));
  Complaint pipe_there = {0};
  assert_int_equal(mkfifo(File("pipe.h5"), 0600), 0);
  GOOD(StoreCreate(File("pipe.h5"), &store, &pipe_there));
  assert_null(store);
  assert_int_equal(pipe_there.exit_code, EXIT_IO);
  /* a complaint that is set stands, and nothing more is done */
  GOOD(StoreCreate(File("late.h5"), &store, &c));
  assert_null(store);
  GOOD(StoreClose(&store, &c));
}

/* The child answers through a pipe; it keeps no reading end, so that SIGPIPE ends it
   when this process ends early. */
static pid_t Fork(int ends[2])
{
  pid_t child;

  assert_int_equal(pipe(ends), 0);
  (void)fflush(NULL);
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    (void)close(ends[0]);
    (void)signal(SIGPIPE, SIG_DFL); /* PETSc's handler would call MPI_Abort, which hangs after a fork */
  }
  return child;
}

/*
  A writer that is killed at any moment leaves a file in which every flushed line is right and every other is right or NaN; and the
  file can be read while it is being written, in spite of the writer's lock.
*/
static void test_killed_writer(void **state)
{
  Complaint c = {0};
  Store     store;
  int       ends[2], flushed = 0, line;
  double    all[N_A][N_F][N_K];
  pid_t     child = Fork(ends);

  (void)state;
  if (!child) {
    if (StoreCreate(File("killed.h5"), &store, &c) || DefineSmall(store, &c) || StoreReady(store, &c)) _exit(1);
    for (line = 0; !c.exit_code; line = (line + 1) % 2) {
      if (WriteLine(store, line, N_K, &c) || StoreFlush(store, &c)) _exit(1);
      if (write(ends[1], &line, sizeof(line)) != sizeof(line)) _exit(1);
    }
    _exit(1);
  }
  (void)close(ends[1]);
  for (; flushed < 100 && read(ends[0], &line, sizeof(line)) == sizeof(line); flushed++) continue;
  assert_int_equal(flushed, 100);
  for (int live = 1; live >= 0; live--) {
    GOOD(StoreOpen(File("killed.h5"), PETSC_FALSE, &store, &c));
    if (c.exit_code) fail_msg("%s", c.line);
    GOOD(StoreRead(store, "/strobe", NULL, NULL, all, &c));
    for (int f = 0; f < N_F; f++)
      for (int k = 0; k < N_K; k++) {
        assert_true(all[0][f][k] == Value(0, f, k));
        assert_true(all[1][f][k] == Value(1, f, k));
        assert_true(isnan(all[2][f][k]));
      }
    GOOD(StoreClose(&store, &c));
    if (live) {
      /* whoever wants to write is told about the lock */
      Complaint locked = {0};
      GOOD(StoreOpen(File("killed.h5"), PETSC_TRUE, &store, &locked));
      assert_int_equal(locked.exit_code, EXIT_FILES);
      assert_non_null(strstr(locked.line, "HDF5_USE_FILE_LOCKING=FALSE"));
      (void)kill(child, SIGKILL);
      (void)waitpid(child, NULL, 0);
    }
  }
  /* the dead writer's lock is gone with it */
  GOOD(StoreOpen(File("killed.h5"), PETSC_TRUE, &store, &c));
  GOOD(WriteLine(store, 2, N_K, &c));
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);
  (void)close(ends[0]);
}

/*
  Two who make one file: while the first still defines it, the second is told about the lock and touches nothing; and a file that got
  the name meanwhile is not replaced.
*/
static void test_second_writer(void **state)
{
  Complaint c = {0}, refused = {0}, late = {0};
  Store     store, other;
  int       ends[2], status;
  pid_t     child;
  FILE     *file;
  char      text[8] = "";

  (void)state;
  GOOD(StoreCreate(File("two.h5"), &store, &c));
  GOOD(DefineSmall(store, &c));
  child = Fork(ends); /* a lock belongs to the open file, which the child has too: only another one conflicts */
  if (!child) {
    if (StoreCreate(File("two.h5"), &other, &refused)) _exit(1);
    _exit(refused.exit_code == EXIT_IO && !other && strstr(refused.line, "lock") ? 0 : 2);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  GOOD(StoreReady(store, &c));
  GOOD(StoreClose(&store, &c));
  GOOD(StoreOpen(File("two.h5"), PETSC_FALSE, &store, &c));
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);
  (void)close(ends[0]);
  (void)close(ends[1]);

  GOOD(StoreCreate(File("late.h5"), &store, &c));
  GOOD(DefineSmall(store, &c));
  file = fopen(File("late.h5"), "w");
  assert_non_null(file);
  assert_int_equal(fputs("mine", file) < 0, 0);
  assert_int_equal(fclose(file), 0);
  GOOD(StoreReady(store, &late));
  assert_int_equal(late.exit_code, EXIT_FILES);
  GOOD(StoreClose(&store, &late));
  file = fopen(File("late.h5"), "r");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof(text), file));
  assert_int_equal(fclose(file), 0);
  assert_string_equal(text, "mine");
  assert_int_equal(access(File("late.h5.partial"), F_OK), -1);
}

static PetscBool LimitFileSize(size_t bytes)
{
  const struct rlimit limit = {bytes, bytes};

  (void)signal(SIGXFSZ, SIG_IGN);
  return (PetscBool)!setrlimit(RLIMIT_FSIZE, &limit);
}

/*
  A disk that fills, here a limit on the size of a file, which HDF5 meets as EFBIG instead of ENOSPC.
  0: while the arrays are allocated: one line, EXIT_IO, nothing under the final name.
  1: later: the arrays have their place, the run goes on.
  2: later, and even the old places cannot be written (quota of a copy-on-write file system): one line, EXIT_IO, old slabs stay.
*/
static void test_full_disk(void **state)
{
  (void)state;
  for (int when = 0; when < 3; when++) {
    Complaint   c = {0};
    int         ends[2], status;
    struct stat file;
    pid_t       child;

    (void)unlink(File("full.h5"));
    child = Fork(ends);
    if (!child) {
      Store store;

      if (when == 0 && !LimitFileSize(4096)) _exit(1);
      if (StoreCreate(File("full.h5"), &store, &c) || DefineSmall(store, &c)) _exit(1);
      if (StoreAttributeText(store, "/kernel", "utc_end", "not ended", &c)) _exit(1);
      if (StoreReady(store, &c) || WriteLine(store, 0, N_K, &c) || StoreFlush(store, &c)) _exit(1);
      if (when && (stat(File("full.h5"), &file) || !LimitFileSize(when == 1 ? (size_t)file.st_size : 1))) _exit(1);
      if (WriteLine(store, 1, N_K, &c) || StoreFlush(store, &c)) _exit(1);
      if (StoreAttributeText(store, "/kernel", "utc_end", "later", &c) || StoreClose(&store, &c)) _exit(1);
      _exit(write(ends[1], &c, sizeof(c)) == sizeof(c) ? 0 : 1);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &c, sizeof(c)), sizeof(c));
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(c.exit_code, when == 1 ? 0 : EXIT_IO);
    if (when != 1 && (!strstr(c.line, "full.h5") || !strstr(c.line, "File too large"))) fail_msg("%s", c.line);
    assert_int_equal(access(File("full.h5"), F_OK), when ? 0 : -1);
    assert_int_equal(access(File("full.h5.partial"), F_OK), -1);
    if (when) {
      Complaint good = {0};
      Store     store;
      char      text[32];
      double    lines[2][N_F][N_K];
      PetscBool found;

      GOOD(StoreOpen(File("full.h5"), PETSC_FALSE, &store, &good));
      GOOD(StoreRead(store, "/strobe", (const PetscInt[]){0, 0, 0, 0}, (const PetscInt[]){1, 2, N_F, N_K}, lines, &good));
      if (good.exit_code) fail_msg("%s", good.line);
      GOOD(StoreReadAttributeText(store, "/kernel", "utc_end", sizeof(text), text, &found));
      assert_string_equal(text, when == 1 ? "later" : "not ended");
      for (int f = 0; f < N_F; f++)
        for (int k = 0; k < N_K; k++) {
          assert_true(lines[0][f][k] == Value(0, f, k));
          assert_true(when == 1 ? lines[1][f][k] == Value(1, f, k) : isnan(lines[1][f][k]));
        }
      GOOD(StoreClose(&store, &good));
    }
  }
}

/* xarray, h5py, ncdump and h5dump open the file without flags; coordinates have their names in each group, texts are strings. */
static void test_readers(void **state)
{
  static const char *const script =
    "import sys, h5py, xarray as xr\n"
    "f = sys.argv[1]\n"
    "d = xr.open_dataset(f, engine='h5netcdf')\n"
    "assert d['strobe'].dims == ('direction', 'amplitude', 'frequency', 'sample'), d['strobe'].dims\n"
    "assert set(d.coords) >= {'direction', 'amplitude', 'frequency', 'sample'}, d.coords\n"
    "assert d['strobe'].sel(amplitude=2, frequency=4.5, sample=3, direction=-1).item() == 1002 + 0.1*3\n"
    "assert d['status'].dtype == 'int8' and d['count'].dtype == 'int64', (d['status'].dtype, d['count'].dtype)\n"
    "assert d.sizes['event'] == 0\n"
    "assert d.attrs['title'] == 'a title' and d.attrs['source'].startswith('graze '), d.attrs\n"
    "assert d['status'].attrs['long_name'] == 'état', d['status'].attrs\n"
    "assert list(d['status'].attrs['flag_values']) == [0, 1], d['status'].attrs\n"
    "k = xr.open_dataset(f, engine='h5netcdf', group='kernel')\n"
    "assert k['Linf'].dims == ('tau',) and list(k['tau']) == [0, .5]\n"
    "p = xr.open_dataset(f, engine='h5netcdf', group='provenance').attrs\n"
    "assert p['ranks'] == 3 and p['dirty'] in (0, 1) and len(p['uuid']) == 36 and p['uuid'][14] == '4', p\n"
    "assert p['command'] == \"graze sweep -output 'my runs' ''\", p['command']\n"
    "assert p['utc_start'] <= p['utc_end'] and p['utc_end'].endswith('Z') and len(p['utc_end']) == 20, p\n"
    "assert all(p[n] for n in 'program_version commit petsc slepc hdf5 mpi compiler cpu_model host'.split()), p\n"
    "h = h5py.File(f, 'r')\n"
    "assert h['strobe'].chunks is None and h['strobe'].dims[2][0].name == '/frequency'\n"
    "assert '_FillValue' not in h['status'].attrs\n"
    "assert h['long_text'][()].decode() == 'a: 1\\n' * 20000\n";
  const char  *python  = getenv("PYTHON") ? getenv("PYTHON") : "/usr/bin/python3";
  char        *argv[]  = {(char[]){"graze"}, (char[]){"sweep"}, (char[]){"-output"}, (char[]){"my runs"}, (char[]){""}};
  const int8_t flags[] = {0, 1};
  Complaint    c       = {0};
  Store        store;
  char         command[1024], text[100001];
  FILE        *file;

  (void)state;
  for (int i = 0; i < 20000; i++) memcpy(text + 5 * i, "a: 1\n", 6);
  GOOD(StoreCreate(File("readers.h5"), &store, &c));
  GOOD(DefineSmall(store, &c));
  GOOD(StoreAttributeText(store, "/status", "long_name", "\xc3\xa9tat", &c));
  GOOD(StoreAttributeNumbers(store, "/status", "flag_values", STORE_INT8, 2, flags, &c));
  GOOD(StoreText(store, "/long_text", text, &c));
  GOOD(ProvenanceWrite(store, "a title", 3, 5, argv, &c));
  GOOD(StoreReady(store, &c));
  GOOD(WriteLine(store, 1, N_K, &c));
  GOOD(ProvenanceWriteEnd(store, &c));
  GOOD(StoreClose(&store, &c));
  if (c.exit_code) fail_msg("%s", c.line);

  file = fopen(File("readers.py"), "w");
  (void)fputs(script, file);
  (void)fclose(file);
  (void)snprintf(command, sizeof(command), "%s -W error %s %s", python, File("readers.py"), File("readers.h5"));
  assert_int_equal(system(command), 0);
  (void)snprintf(command, sizeof(command), "h5dump -H %s > %s", File("readers.h5"), File("dump.txt"));
  assert_int_equal(system(command), 0);
  if (system("command -v ncdump > /dev/null") == 0) {
    (void)snprintf(command, sizeof(command),
                   "ncdump -h %s | grep -q 'double strobe(direction, amplitude, frequency, sample)'", File("readers.h5"));
    assert_int_equal(system(command), 0);
    (void)snprintf(command, sizeof(command), "ncdump -v long_text,status %s > %s", File("readers.h5"), File("dump.txt"));
    assert_int_equal(system(command), 0);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slabs),         cmocka_unit_test(test_attributes), cmocka_unit_test(test_bad_files),
    cmocka_unit_test(test_killed_writer), cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_readers),
    cmocka_unit_test(test_second_writer),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, MakeFolder, RemoveFolder);
  return PetscFinalize() ? 1 : failed;
}
