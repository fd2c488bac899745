/*
  Complaint: the first one stands, on one line; the nearest name is the one a person meant.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <petscsys.h>
#include <string.h>

#include "graze/complaint.h"

static void test_first_complaint_stands_on_one_line(void **state)
{
  Complaint c = {0};
  char      longer[2000];

  (void)state;
  ComplaintSet(&c, EXIT_FILES, "a\n%s", "b\tc");
  ComplaintSet(&c, EXIT_IO, "second");
  assert_int_equal(c.exit_code, EXIT_FILES);
  assert_string_equal(c.line, "a?b?c");
  assert_int_equal((int)ComplaintAgree(PETSC_COMM_SELF, &c), 0);
  assert_string_equal(c.line, "a?b?c");
  c = (Complaint){0};
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  ComplaintSet(&c, EXIT_IO, "%s", longer);
  assert_int_equal(strlen(c.line), sizeof c.line - 1);
}

static void test_nearest_name_is_the_one_meant(void **state)
{
  static const char *const names[] = {"sweep", "trajectory", "help", "sweep_amplitude", NULL};
  static const char *const none[]  = {NULL};

  (void)state;
  assert_string_equal(NearestName("sweeep", names), "sweep");
  assert_string_equal(NearestName("wseep", names), "sweep");
  assert_string_equal(NearestName("traj", names), "trajectory");
  assert_string_equal(NearestName("amplitude", names), "sweep_amplitude");
  assert_string_equal(NearestName("hepl", names), "help");
  assert_null(NearestName("x", none));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_first_complaint_stands_on_one_line),
    cmocka_unit_test(test_nearest_name_is_the_one_meant),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
