/*
  Crash: a child that dies of its own leaves one record of the step it was in and dies of that signal; what is no record is not read as one.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <petscsys.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graze/crash.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static char folder[64];

typedef struct {
  int         n, number[8];
  PetscMPIInt rank[8];
  PetscInt    unit[8], step[8];
} Found;

static PetscErrorCode Note(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, int number)
{
  Found *f = (Found *)ctx;

  PetscFunctionBeginUser;
  assert_true(f->n < 8);
  f->rank[f->n]     = rank;
  f->unit[f->n]     = unit;
  f->step[f->n]     = step;
  f->number[f->n++] = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Found Read(void)
{
  Found f = {0};

  GOOD(CrashRead(folder, Note, &f));
  return f;
}

static const char *Path(const char *name)
{
  static char path[128];

  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void Put(const char *name, const char *text)
{
  FILE *file = fopen(Path(name), "w");

  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Calls itself without end, through a pointer that the compiler cannot see through: it would refuse it, or make a loop of it. */
static int (*volatile deeper)(volatile char *above);

static int Deep(volatile char *above)
{
  volatile char here[4096];

  here[0] = above ? above[0] : 1;
  return deeper(here) + here[0];
}

static void Die(int number)
{
  volatile int zero = 0;

  switch (number) {
  case -SIGSEGV:
    deeper = Deep;
    (void)deeper(NULL);
    break;
  case SIGSEGV:
    *(volatile int *)(intptr_t)zero = 1;
    break;
  case SIGFPE:
    zero = 1 / zero;
    (void)raise(SIGFPE); /* where integers divide by zero in peace */
    break;
  case SIGABRT:
    abort();
  default:
    (void)raise(number);
  }
}

/* How a child ended that was in this step: its signal, or minus its exit code. */
static int Child(PetscMPIInt rank, PetscInt unit, PetscInt step, int number)
{
  int   status;
  pid_t child;

  (void)fflush(NULL);
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    const struct rlimit no_core = {0, 0}, small_stack = {1 << 20, 1 << 20};

    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setrlimit(RLIMIT_STACK, &small_stack);
    if (CrashInstall(folder, rank)) _exit(99);
    CrashSetStep(3, 4);
    CrashSetStep(unit, step);
    if (number) Die(number);
    else CrashWrite();
    _exit(7);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void test_each_signal_leaves_a_record_and_kills(void **state)
{
  static const int numbers[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT, -SIGSEGV};

  (void)state;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const PetscMPIInt rank = (PetscMPIInt)(3 * i);
    const PetscInt    unit = 1234567 * (PetscInt)i, step = 10 * (PetscInt)i;
    Found             f;

    assert_int_equal(Child(rank, unit, step, numbers[i]), abs(numbers[i]));
    f = Read();
    assert_int_equal(f.n, 1);
    assert_true(f.rank[0] == rank && f.unit[0] == unit && f.step[0] == step && f.number[0] == abs(numbers[i]));
    GOOD(CrashClear(folder));
    assert_int_equal(Read().n, 0);
  }
}

static void test_internal_errors_and_none(void **state)
{
  Found f;

  (void)state;
  assert_int_equal(Child(11, 5, 6, 0), -7); /* CrashWrite does not end it */
  assert_int_equal(Child(2, PETSC_MAX_INT, PETSC_MAX_INT, SIGSEGV), SIGSEGV);
  assert_int_equal(Child(1, -1, 0, SIGSEGV), SIGSEGV); /* in no step: no record */
  assert_int_equal(Child(1, -1, 0, 0), -7);
  assert_int_equal(Child(1, 0, 0, SIGKILL), SIGKILL);
  assert_int_equal(Child(1, 0, 0, SIGTERM), SIGTERM);
  assert_int_equal(access(Path("crash.1"), F_OK), -1);
  f = Read();
  assert_int_equal(f.n, 2); /* in the order of the ranks: 2 before 11 */
  assert_true(f.rank[0] == 2 && f.unit[0] == PETSC_MAX_INT && f.step[0] == PETSC_MAX_INT && f.number[0] == SIGSEGV);
  assert_true(f.rank[1] == 11 && f.unit[1] == 5 && f.step[1] == 6 && f.number[1] == 0);
  /* a second crash of that rank replaces the first record, whatever its length */
  assert_int_equal(Child(2, 0, 0, SIGABRT), SIGABRT);
  f = Read();
  assert_true(f.n == 2 && f.unit[0] == 0 && f.step[0] == 0 && f.number[0] == SIGABRT);
  GOOD(CrashClear(folder));
}

static void test_only_whole_records_are_read(void **state)
{
  static const char *const bad[] = {"", "\n", "1 2 11", "1 2\n", "-1 2 11\n", "1 -2 11\n", "1 2 -11\n", "1 2 11\n1 2 11\n", " 1 2 11\n", "1 2 11 \n", "1 2 x\n", "1 2 11x", "1 2 1111\n", "x 2 11\n", "99999999999999999 2 11\n"};
  Found                    f;

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (i == sizeof bad / sizeof bad[0] - 1 && sizeof(PetscInt) > 4) continue;
    Put("crash.4", bad[i]);
    if (Read().n) fail_msg("'%s' was taken for a record", bad[i]);
    assert_int_equal(access(Path("crash.4"), F_OK), -1); /* and taken away */
  }
  Put("crash.4", "1 2 11\n");
  Put("crash.notes", "1 2 11\n");
  Put("crash.", "1 2 11\n");
  Put("crash.1.old", "1 2 11\n");
  f = Read();
  assert_true(f.n == 1 && f.rank[0] == 4);
  GOOD(CrashClear(folder));
  assert_int_equal(access(Path("crash.4"), F_OK), -1);
  assert_int_equal(unlink(Path("crash.notes")), 0); /* still there: of somebody else */
  assert_int_equal(unlink(Path("crash.")), 0);
  assert_int_equal(unlink(Path("crash.1.old")), 0);
}

/* A folder that is not there hinders nobody: no record is read, and the rank dies of its signal all the same. */
static void test_no_folder(void **state)
{
  char  kept[sizeof folder];
  Found f = {0};

  (void)state;
  memcpy(kept, folder, sizeof folder);
  (void)snprintf(folder, sizeof folder, "/nonexistent/graze");
  GOOD(CrashRead(folder, Note, &f));
  GOOD(CrashClear(folder));
  assert_int_equal(f.n, 0);
  assert_int_equal(Child(0, 1, 2, SIGSEGV), SIGSEGV);
  memcpy(folder, kept, sizeof folder);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_signal_leaves_a_record_and_kills),
    cmocka_unit_test(test_internal_errors_and_none),
    cmocka_unit_test(test_only_whole_records_are_read),
    cmocka_unit_test(test_no_folder),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(folder, sizeof folder, "/tmp/graze_crash_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)rmdir(folder);
  return PetscFinalize() ? 1 : failed;
}
