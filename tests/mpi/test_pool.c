/*
  Pool on any number of ranks: every unit committed once with the bytes that belong to it, progress, busy fractions.

  What units give and how long they take depends on their number alone, so that right is the same for every rank count. Steps sleep
  instead of computing: ranks may outnumber the processors. Ranks agree on what failed before they assert, lest one waits for the others.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "graze/pool.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      failures++; \
      fprintf(stderr, "rank %d of %d, line %d: not so: %s\n", rank, size, __LINE__, #condition); \
    } \
  } while (0)

#define MOST_UNITS 80
#define MOST_BYTES 300000 /* well above what MPI sends without a receiver */

static PetscMPIInt rank, size;
static int         failures;

typedef struct {
  /* what units are */
  PetscInt  n, steps[MOST_UNITS];
  PetscInt  nbytes[MOST_UNITS];
  PetscReal cost[MOST_UNITS];
  double    step_seconds[MOST_UNITS], commit_seconds;
  /* what happened */
  unsigned char result[MOST_BYTES];
  PetscInt      worked[MOST_UNITS], units_of_rank[64], committed;
  double        seconds_asleep, longest_silence, last_seconds;
  PetscInt      progress_calls, last_done, between;
} Job;

static Job job;

static void Sleep(double seconds)
{
  struct timespec pause = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};

  while (nanosleep(&pause, &pause)) continue;
}

static unsigned Scramble(unsigned x)
{
  x = (x ^ 61u) ^ (x >> 16);
  x *= 9u;
  x ^= x >> 4;
  x *= 0x27d4eb2du;
  return x ^ (x >> 15);
}

static unsigned char Byte(PetscInt unit, PetscInt i)
{
  return (unsigned char)Scramble((unsigned)(unit * MOST_BYTES + i));
}

static PetscErrorCode Work(void *ctx, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result)
{
  Job *j = (Job *)ctx;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < j->steps[unit]; s++) {
    double start = MPI_Wtime();

    Sleep(j->step_seconds[unit]);
    j->seconds_asleep += MPI_Wtime() - start;
    PetscCall(PoolTick(pool));
  }
  for (PetscInt i = 0; i < j->nbytes[unit]; i++) j->result[i] = Byte(unit, i);
  *nbytes = j->nbytes[unit];
  *result = j->result;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit(void *ctx, PetscInt unit, PetscMPIInt from, PetscInt nbytes, const void *result, Complaint *complaint)
{
  Job      *j    = (Job *)ctx;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  (void)complaint;
  EXPECT(rank == 0);
  EXPECT(unit >= 0 && unit < j->n);
  EXPECT(nbytes == j->nbytes[unit]);
  for (PetscInt i = 0; i < nbytes; i++) same = (PetscBool)(same && ((const unsigned char *)result)[i] == Byte(unit, i));
  EXPECT(same);
  j->worked[unit]++;
  j->units_of_rank[from]++;
  j->committed++;
  Sleep(j->commit_seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Progress(void *ctx, PetscInt done, PetscInt total, PetscReal seconds)
{
  Job *j = (Job *)ctx;

  PetscFunctionBeginUser;
  EXPECT(rank == 0);
  EXPECT(done >= j->last_done && done <= total);
  j->between += done > 0 && done < total;
  j->longest_silence = PetscMax(j->longest_silence, seconds - j->last_seconds);
  j->last_done       = done;
  j->last_seconds    = seconds;
  j->progress_calls++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n units of the same kind; the caller changes what it wants otherwise. */
static void Describe(PetscInt n, PetscInt steps, double step_seconds)
{
  job = (Job){.n = n};
  for (PetscInt u = 0; u < n; u++) {
    job.steps[u]        = steps;
    job.step_seconds[u] = step_seconds;
    job.nbytes[u]       = 8;
    job.cost[u]         = 1;
  }
}

/* Runs the job `times` times on one pool; the wall time and the busy fractions [size] of the last run, on root. */
static void Run(int times, double *wall, PetscReal *fractions)
{
  const PoolCallbacks callbacks = {Work, Commit, Progress};
  const PetscReal    *busy;
  Complaint           complaint = {0};
  Pool                pool;

  GOOD(PoolCreate(MPI_COMM_WORLD, &pool));
  GOOD(PoolSetCallbacks(pool, &callbacks, &job));
  GOOD(PoolSetUnits(pool, job.n, job.steps, job.cost));
  for (int t = 0; t < times; t++) {
    double start = MPI_Wtime();

    job.last_done = 0;
    GOOD(PoolRun(pool, &complaint));
    *wall = MPI_Wtime() - start;
  }
  EXPECT(complaint.exit_code == 0);
  GOOD(PoolGetBusy(pool, &busy));
  EXPECT((busy != NULL) == (rank == 0));
  if (busy)
    for (PetscMPIInt r = 0; r < size; r++) fractions[r] = busy[r];
  GOOD(PoolDestroy(&pool));
}

static void Agree(void)
{
  int all = 0;

  GOOD(MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  failures = 0;
  assert_int_equal(all, 0);
}

/* Durations and sizes at random, some results empty, some too large to be sent unasked; the pool is used twice. */
static void test_every_unit_once(void **state)
{
  double    wall;
  PetscReal busy[64];

  (void)state;
  Describe(MOST_UNITS, 1, 0);
  for (PetscInt u = 0; u < job.n; u++) {
    unsigned luck = Scramble((unsigned)u + 12345u);

    job.steps[u]        = (PetscInt)(luck % 4u);
    job.step_seconds[u] = 1e-3 * (luck / 4u % 5u);
    job.cost[u]         = (PetscReal)job.steps[u];
    job.nbytes[u]       = u % 5 == 0 ? 0 : u % 5 == 1 ? MOST_BYTES - u : (PetscInt)(luck % 5000u);
  }
  Run(2, &wall, busy);
  if (rank == 0) {
    for (PetscInt u = 0; u < job.n; u++) EXPECT(job.worked[u] == 2);
    /* every rank that works gets one of the first units; with many ranks root only serves */
    for (PetscMPIInt r = 1; r < size; r++) EXPECT(job.units_of_rank[r] >= 2);
    if (size <= POOL_ROOT_WORKS) EXPECT(job.units_of_rank[0] > 0);
    else EXPECT(job.units_of_rank[0] == 0);
  }
  Agree();
}

static void test_no_units_and_fewer_than_ranks(void **state)
{
  double    wall;
  PetscReal busy[64];

  (void)state;
  Describe(0, 0, 0);
  Run(2, &wall, busy);
  EXPECT(job.committed == 0 && job.progress_calls == 0);
  if (rank == 0)
    for (PetscMPIInt r = 0; r < size; r++) EXPECT(size > POOL_ROOT_WORKS && r == 0 ? isnan(busy[r]) : busy[r] == 0);
  Describe(1, 2, 1e-3);
  Run(1, &wall, busy);
  EXPECT(rank || (job.committed == 1 && job.worked[0] == 1 && job.last_done == 2));
  Agree();
}

/*
  One unit of 2.4 s with steps of 20 ms: root hears of it on the way whoever does it, and is never left without news for more than a
  second (looked for every 0.5 s; the rest is for a busy machine).
*/
static void test_progress_once_a_second(void **state)
{
  double    wall;
  PetscReal busy[64];

  (void)state;
  Describe(1, 120, 20e-3);
  Run(1, &wall, busy);
  if (rank == 0) {
    EXPECT(job.longest_silence <= 1.0);
    EXPECT(job.between >= 2); /* 2.4 s hold two looks a second apart, with steps seen from 0.2 s on */
    EXPECT(job.last_done == 120);
  } else EXPECT(job.progress_calls == 0);
  Agree();
}

/*
  Busy times the wall time is the time that all units took, known from within; commits, 10 ms each, are no work although root does
  them in the middle of its own. Tolerance 10 %: what a busy machine adds between the two clocks. A root that only serves sleeps: less than
  1/20 of a processor (1/100 measured; 1/7 if all seven ranks spin on two processors, and a whole one if root alone does).
*/
static void test_busy_is_time_in_work(void **state)
{
  double    wall, asleep, all, sum = 0;
  PetscReal busy[64];
  clock_t   start = clock();

  (void)state;
  Describe(4 * size, 5, 10e-3);
  job.commit_seconds = 10e-3;
  Run(1, &wall, busy);
  asleep = job.seconds_asleep;
  GOOD(MPI_Reduce(&asleep, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  if (rank == 0) {
    for (PetscMPIInt r = 0; r < size; r++) {
      if (r == 0 && size > POOL_ROOT_WORKS) {
        EXPECT(isnan(busy[r]));
        continue;
      }
      EXPECT(busy[r] > 0 && busy[r] <= 1);
      sum += busy[r] * wall;
    }
    EXPECT(fabs(sum - all) <= 0.1 * all);
    if (size <= POOL_ROOT_WORKS) EXPECT(fabs(busy[0] * wall - asleep) <= 0.1 * asleep);
    else EXPECT((double)(clock() - start) / CLOCKS_PER_SEC < wall / 20);
  }
  Agree();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_unit_once),
    cmocka_unit_test(test_no_units_and_fewer_than_ranks),
    cmocka_unit_test(test_progress_once_a_second),
    cmocka_unit_test(test_busy_is_time_in_work),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return EXIT_FAILURE;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) || MPI_Comm_size(MPI_COMM_WORLD, &size)) return EXIT_FAILURE;
  failed = cmocka_run_group_tests_name("mpi_pool", tests, NULL, NULL);
  if (PetscFinalize()) return EXIT_FAILURE;
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
