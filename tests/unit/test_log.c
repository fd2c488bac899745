/*
  Log: what appears on a pipe, on a terminal and in the file; how often progress speaks; warnings counted.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <fcntl.h>
#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/log.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static int  saved_stdout;
static char log_path[64];

/* Standard output goes to `handle` until Release. */
static void Capture(int handle)
{
  (void)fflush(stdout);
  saved_stdout = dup(STDOUT_FILENO);
  assert_true(saved_stdout >= 0 && dup2(handle, STDOUT_FILENO) >= 0);
}

static void Release(void)
{
  (void)fflush(stdout);
  assert_true(dup2(saved_stdout, STDOUT_FILENO) >= 0);
  (void)close(saved_stdout);
}

/* Until the other end is closed; a terminal gives a line at a time. */
static void ReadAll(int handle, size_t size, char *text)
{
  size_t  used = 0;
  ssize_t n;

  while (used < size - 1 && (n = read(handle, text + used, size - 1 - used)) > 0) used += (size_t)n;
  text[used] = 0;
}

/* On a pipe: lines as they are, progress once a minute and at the end, the file has the lines alone. */
static void test_pipe_gets_plain_lines(void **state)
{
  int       ends[2];
  char      text[4096];
  PetscInt  warnings;
  Complaint c = {0};
  FILE     *file;

  (void)state;
  assert_int_equal(pipe(ends), 0);
  Capture(ends[1]);
  GOOD(LogSetUp(PETSC_COMM_SELF, PETSC_FALSE));
  GOOD(LogOpen(log_path, &c));
  GOOD(LogLine("M = %d", 60));
  GOOD(LogWarning("odd"));
  for (int s = 1; s <= 150; s++) GOOD(LogProgress("cells", 0, 2 * s, 400, s));
  GOOD(LogProgress("cells", 0, 400, 400, 160));
  GOOD(LogClose(&warnings));
  Release();
  (void)close(ends[1]);
  ReadAll(ends[0], sizeof text, text);
  assert_int_equal(c.exit_code, 0);
  assert_int_equal(warnings, 1);
  assert_string_equal(text, "M = 60\nwarning: odd\n"
                            "   120/400 cells  2.0 cells/s  0:02:20 left\n"
                            "   240/400 cells  2.0 cells/s  0:01:20 left\n"
                            "   400/400 cells  2.5 cells/s  0:02:40 in all\n");
  file = fopen(log_path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  (void)fclose(file);
  assert_string_equal(text, "M = 60\nwarning: odd\n");
  (void)close(ends[0]);
}

/* On a terminal: one line rewritten, not oftener than every 0.2 s; text writes over it; the end keeps its line. */
static void test_terminal_rewrites_one_line(void **state)
{
  int  master = posix_openpt(O_RDWR | O_NOCTTY), slave;
  char text[4096];

  (void)state;
  assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
  slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  assert_true(slave >= 0);
  Capture(slave);
  GOOD(LogSetUp(PETSC_COMM_SELF, PETSC_FALSE));
  GOOD(LogProgress("cells", 0, 1000, 2626, 20));
  GOOD(LogProgress("cells", 0, 1001, 2626, 20.1)); /* too soon */
  GOOD(LogProgress("cells", 0, 1234, 2626, 26.1));
  GOOD(LogLine("hello"));
  GOOD(LogProgress("cells", 0, 2626, 2626, 3661));
  GOOD(LogClose(NULL));
  Release();
  (void)close(slave);
  ReadAll(master, sizeof text, text);
  assert_string_equal(text, "\r  1000/2626 cells  50.0 cells/s  0:00:33 left"
                            "\r  1234/2626 cells  47.3 cells/s  0:00:29 left"
                            "\r                                             \rhello\r\n"
                            "  2626/2626 cells  0.7 cells/s  1:01:01 in all\r\n");
  (void)close(master);
}

/* And the log of the run before stays. */
static void test_quiet_says_nothing_but_logs(void **state)
{
  int       ends[2];
  char      text[64];
  PetscInt  warnings;
  Complaint c = {0};
  FILE     *file;

  (void)state;
  file = fopen(log_path, "w");
  assert_non_null(file);
  assert_true(fputs("of the run before\n", file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(pipe(ends), 0);
  Capture(ends[1]);
  GOOD(LogSetUp(PETSC_COMM_SELF, PETSC_TRUE));
  GOOD(LogOpen(log_path, &c));
  GOOD(LogLine("line"));
  GOOD(LogWarning("odd"));
  GOOD(LogProgress("cells", 0, 1, 1, 100));
  GOOD(LogClose(&warnings));
  Release();
  (void)close(ends[1]);
  ReadAll(ends[0], sizeof text, text);
  assert_string_equal(text, "");
  assert_int_equal(warnings, 1);
  file = fopen(log_path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  (void)fclose(file);
  assert_string_equal(text, "of the run before\nline\nwarning: odd\n");
  (void)close(ends[0]);
}

static void test_unwritable_log_is_a_complaint(void **state)
{
  Complaint c = {0};

  (void)state;
  GOOD(LogSetUp(PETSC_COMM_SELF, PETSC_TRUE));
  GOOD(LogOpen("/nonexistent/log.txt", &c));
  assert_int_equal(c.exit_code, EXIT_IO);
  assert_string_equal(c.line, "cannot write /nonexistent/log.txt: No such file or directory");
  GOOD(LogLine("still here"));
  GOOD(LogClose(NULL));
}

/* A full disk under the log does not end a run. */
static void test_full_disk_does_not_stop(void **state)
{
  Complaint c = {0};

  (void)state;
  GOOD(LogSetUp(PETSC_COMM_SELF, PETSC_TRUE));
  GOOD(LogOpen("/dev/full", &c));
  assert_int_equal(c.exit_code, 0);
  GOOD(LogLine("lost"));
  GOOD(LogLine("lost again"));
  GOOD(LogClose(NULL));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pipe_gets_plain_lines),       cmocka_unit_test(test_terminal_rewrites_one_line),
    cmocka_unit_test(test_quiet_says_nothing_but_logs), cmocka_unit_test(test_unwritable_log_is_a_complaint),
    cmocka_unit_test(test_full_disk_does_not_stop),
  };
  int failed, handle;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(log_path, sizeof log_path, "/tmp/graze_log_XXXXXX");
  handle = mkstemp(log_path);
  if (handle < 0) return 1;
  (void)close(handle);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(log_path);
  return PetscFinalize() ? 1 : failed;
}
