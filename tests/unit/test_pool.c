/*
  Pool on one rank: order, the end of a run by a complaint, a PoolTick out of place. What needs more ranks is in mpi/test_pool.c.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/pool.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define UNITS      6

typedef struct {
  PetscInt worked[2 * UNITS], committed[2 * UNITS]; /* units as they came */
  PetscInt n_worked, n_committed;
  PetscInt complain_at; /* which commit, from 1; 0: none */
  PetscInt progress_calls, last_done, last_total;
  char     text[16];
} Job;

static PetscErrorCode Work(void *ctx, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result)
{
  Job *j = (Job *)ctx;

  PetscFunctionBeginUser;
  j->worked[j->n_worked++] = unit;
  PetscCall(PoolTick(pool));
  PetscCall(PetscSNPrintf(j->text, sizeof j->text, "unit %" PetscInt_FMT, unit));
  *nbytes = (PetscInt)strlen(j->text) + 1;
  *result = j->text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit(void *ctx, PetscInt unit, PetscMPIInt rank, PetscInt nbytes, const void *result, Complaint *complaint)
{
  Job *j = (Job *)ctx;
  char text[16];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(text, sizeof text, "unit %" PetscInt_FMT, unit));
  assert_int_equal(rank, 0);
  assert_int_equal(nbytes, strlen(text) + 1);
  assert_string_equal((const char *)result, text);
  j->committed[j->n_committed++] = unit;
  if (j->n_committed == j->complain_at) ComplaintSet(complaint, EXIT_IO, "the disk is full");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Progress(void *ctx, PetscInt done, PetscInt total, PetscReal seconds)
{
  Job *j = (Job *)ctx;

  PetscFunctionBeginUser;
  assert_true(seconds >= 0);
  j->progress_calls++;
  j->last_done  = done;
  j->last_total = total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PoolCallbacks callbacks       = {Work, Commit, Progress};
static const PetscInt      steps[UNITS]    = {1, 1, 1, 1, 1, 1};
static const PetscReal     cost[UNITS]     = {2, 5, 1, 5, 7, 2};
static const PetscInt      dearest[UNITS]  = {4, 1, 3, 0, 5, 2}; /* by cost; of the same cost, the lower number first */
static const PetscInt      in_order[UNITS] = {0, 1, 2, 3, 4, 5};

static void test_dearest_first_or_in_order(void **state)
{
  Job       job       = {0};
  Complaint complaint = {0};
  Pool      pool;

  (void)state;
  GOOD(PoolCreate(PETSC_COMM_SELF, &pool));
  GOOD(PoolSetCallbacks(pool, &callbacks, &job));
  GOOD(PoolSetUnits(pool, UNITS, steps, cost));
  GOOD(PoolRun(pool, &complaint));
  assert_memory_equal(job.worked, dearest, sizeof dearest);
  assert_memory_equal(job.committed, dearest, sizeof dearest);
  GOOD(PoolSetUnits(pool, UNITS, steps, NULL));
  GOOD(PoolRun(pool, &complaint));
  assert_memory_equal(job.worked + UNITS, in_order, sizeof in_order);
  assert_int_equal(job.n_committed, 2 * UNITS);
  /* the run is far shorter than a second: told at the end alone */
  assert_int_equal(job.progress_calls, 2);
  assert_int_equal(job.last_done, UNITS);
  assert_int_equal(job.last_total, UNITS);
  assert_int_equal(complaint.exit_code, EXIT_GOOD);
  GOOD(PoolDestroy(&pool));
  assert_null(pool);
}

static void test_complaint_of_commit_ends_the_run(void **state)
{
  Job       job       = {.complain_at = 3};
  Complaint complaint = {0};
  Pool      pool;

  (void)state;
  GOOD(PoolCreate(PETSC_COMM_SELF, &pool));
  GOOD(PoolSetCallbacks(pool, &callbacks, &job));
  GOOD(PoolSetUnits(pool, UNITS, steps, cost));
  GOOD(PoolRun(pool, &complaint));
  assert_int_equal(complaint.exit_code, EXIT_IO);
  assert_string_equal(complaint.line, "the disk is full");
  assert_int_equal(job.n_worked, 3);
  assert_int_equal(job.n_committed, 3);
  assert_int_equal(job.progress_calls, 0);
  GOOD(PoolDestroy(&pool));
}

static void test_tick_outside_of_work_is_a_bug(void **state)
{
  Pool pool;

  (void)state;
  GOOD(PoolCreate(PETSC_COMM_SELF, &pool));
  GOOD(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal((int)PoolTick(pool), PETSC_ERR_ORDER);
  GOOD(PetscPopErrorHandler());
  GOOD(PoolDestroy(&pool));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dearest_first_or_in_order),
    cmocka_unit_test(test_complaint_of_commit_ends_the_run),
    cmocka_unit_test(test_tick_outside_of_work_is_a_bug),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
