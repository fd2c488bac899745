/*
  Fault: what GRAZE_FAULT says happens, at the passage it says, and to nobody else. Each case is a child of its own.
*/
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "graze/complaint.h"
#include "graze/fault.h"
#include "support/other_process.h"

static char file[64];

static double Clock(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Standard error of the child goes into `file`. PETSc's own handlers would turn a signal into an MPI_Abort. */
static void Child(const char *fault)
{
  const struct rlimit no_core = {0, 0};
  const int           fd      = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);

  CHILD(!setrlimit(RLIMIT_CORE, &no_core));
  CHILD(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
  (void)setenv("GRAZE_FAULT", fault, 1);
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP) CHILD(signal(number, SIG_DFL) != SIG_ERR);
  CHILD(!PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
}

static void PassCell(void *ctx)
{
  Child((const char *)ctx);
  for (PetscInt unit = 0; unit < 3; unit++)
    for (PetscInt step = 0; step < 3; step++) {
      if (unit == 1 && step == 2) _exit(FaultCell(unit, step) == PETSC_ERR_LIB ? 7 : 8);
      if (FaultCell(unit, step)) _exit(9);
    }
}

static int CellDoes(const char *fault)
{
  char text[64];

  (void)snprintf(text, sizeof text, "%s", fault);
  return OtherProcessEnd(OtherProcess(PassCell, text));
}

static void test_a_cell_dies_of_what_it_is_told(void **state)
{
  (void)state;
  assert_int_equal(CellDoes("cell:segv@1,2"), -SIGSEGV);
  assert_int_equal(CellDoes("cell:fpe@1,2"), -SIGFPE);
  assert_int_equal(CellDoes("cell:bus@1,2"), -SIGBUS);
  assert_int_equal(CellDoes("cell:abort@1,2"), -SIGABRT);
  assert_int_equal(CellDoes("cell:kill@1,2"), -SIGKILL);
  assert_int_equal(CellDoes("cell:error@1,2"), 7);
  assert_int_equal(CellDoes("cell:error@1,1"), 9);
  assert_int_equal(CellDoes("cell:kill@12,2"), 8); /* another cell, and none */
  assert_int_equal(CellDoes(""), 8);
  assert_int_equal(CellDoes("  start:sleep=100@1  cell:error@2,1 cell:error@1,2"), 7);
}

static void test_a_cell_is_slow_or_hangs(void **state)
{
  const struct timespec nap   = {0, 300000000};
  const double          begin = Clock();
  char                  hang[] = "cell:hang@1,2";
  pid_t                 pid;

  (void)state;
  assert_int_equal(CellDoes("cell:slow=0.2@1,2"), 8);
  assert_true(Clock() - begin >= 0.2);
  pid = OtherProcess(PassCell, hang);
  (void)nanosleep(&nap, NULL);
  assert_int_equal(OtherProcessRuns(pid), 1);
  (void)kill(pid, SIGTERM);
  assert_int_equal(OtherProcessEnd(pid), -SIGTERM);
}

/* Each cell that is begun is written down, also the one that kills. */
static void ListCells(void *ctx)
{
  (void)setenv("GRAZE_FAULT_CELLS", (const char *)ctx, 1);
  (void)unlink((const char *)ctx);
  (void)setenv("GRAZE_FAULT", "cell:kill@7,8", 1);
  (void)FaultCell(3, 4);
  (void)FaultCell(7, 8);
}

static void ReadFile(size_t size, char *text)
{
  FILE  *f = fopen(file, "r");
  size_t n;

  assert_non_null(f);
  n       = fread(text, 1, size - 1, f);
  text[n] = '\0';
  (void)fclose(f);
}

static void test_cells_are_listed(void **state)
{
  char text[256];

  (void)state;
  assert_int_equal(OtherProcessEnd(OtherProcess(ListCells, file)), -SIGKILL);
  ReadFile(sizeof text, text);
  assert_string_equal(text, "3 4\n7 8\n");
}

/* Two passages of the one place, one of the other: marked and slept at once each; places count by themselves, from 1. */
static void PassPlaces(void *ctx)
{
  double begin = Clock();

  Child("rename:sleep=0.5@2 snapshot:sleep=0@1");
  (void)setenv("GRAZE_FAULT_MARK", (const char *)ctx, 1);
  CHILD(!truncate((const char *)ctx, 0));
  CHILD(FaultIsSet("rename") && FaultIsSet("snapshot") && !FaultIsSet("start") && !FaultIsSet("journal_write"));
  CHILD(!FaultPoint("start") && !FaultPoint("rename"));
  CHILD(Clock() - begin < 0.5);
  begin = Clock();
  CHILD(!FaultPoint("snapshot") && !FaultPoint("rename"));
  CHILD(Clock() - begin >= 0.5);
  CHILD(!FaultPoint("rename"));
  CHILD(FaultIsSet("rename"));
  CHILD(Clock() - begin < 1.0); /* s: not slept again */
  (void)setenv("GRAZE_FAULT", "rename:sleep=0@1", 1);
  CHILD(!FaultPoint("rename")); /* a changed variable is read anew, and counted from there */
}

static void test_places_count_their_passages(void **state)
{
  char text[256];

  (void)state;
  assert_int_equal(OtherProcessEnd(OtherProcess(PassPlaces, file)), 0);
  ReadFile(sizeof text, text);
  assert_string_equal(text, "snapshot\nrename\nrename\n");
}

static void PassWrong(void *ctx)
{
  Child((const char *)ctx);
  (void)FaultPoint("start");
}

/* A word that is none ends the process at its first use, with one line. */
static void test_errors_are_refused(void **state)
{
  static const char *const wrong[] = {
    "start",          "start:sleep=1", "start:sleep=1@0",   "start:sleep=-1@1", "start:sleep=1@1x", "start:sleep=nan@1",
    "stop:sleep=1@1", "start:sleep@1", "rename:sleep=1@1,", "cell:segv",        "cell:segv@1",      "cell:segv@1,",
    "cell:segv@1,2,", "cell:slow@1,2", "cell:slow=@1,2",    "cell:dance@1,2",   "cell:segv@-1,2",
  };

  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char word[64], text[512], expected[512];

    (void)snprintf(word, sizeof word, "%s", wrong[i]);
    assert_int_equal(OtherProcessEnd(OtherProcess(PassWrong, word)), EXIT_OPTIONS);
    ReadFile(sizeof text, text);
    (void)snprintf(expected, sizeof expected,
                   "graze: GRAZE_FAULT: '%s': expected PLACE:sleep=SECONDS@K or cell:WHAT@UNIT,STEP (fault.h)\n", word);
    assert_string_equal(text, expected);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cell_dies_of_what_it_is_told), cmocka_unit_test(test_a_cell_is_slow_or_hangs),
    cmocka_unit_test(test_cells_are_listed),               cmocka_unit_test(test_places_count_their_passages),
    cmocka_unit_test(test_errors_are_refused),
  };
  int failed, handle;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(file, sizeof file, "/tmp/graze_fault_XXXXXX");
  handle = mkstemp(file);
  if (handle < 0) return 1;
  (void)close(handle);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(file);
  return PetscFinalize() ? 1 : failed;
}
