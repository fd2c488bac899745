/*
  Pool on any number of ranks: every step committed once with the bytes that belong to it, carries, pieces alone, stops, signals, busy
  fractions.

  Steps sleep instead of computing: ranks may outnumber the processors.

  With the argument `hang` no test is run: the highest rank hangs in a step, and root ends the job with 85 (test_pool_silent.sh).
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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "graze/interrupt.h"
#include "support/pool_job.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* n units of the same kind; the caller changes what it wants otherwise. */
static void Describe(PetscInt n, PetscInt steps, double step_seconds)
{
  job = (PoolJob){.n = n, .stop_at = NEVER, .stop_again_at = NEVER};
  for (PetscInt u = 0; u < n; u++) {
    job.steps[u]        = steps;
    job.step_seconds[u] = step_seconds;
    job.nbytes[u]       = 100;
    job.cost[u]         = 1;
  }
}

/*
  Runs the job `times` times on one pool; all ranks end it alike. The wall time of the last run, and on root what it knows of the ranks:
  [size].
*/
static PoolOutcome Run(int times, double *wall, PoolRank *about)
{
  const PoolCallbacks callbacks = {PoolJobWork, PoolJobAssign, PoolJobCommit, PoolJobTick};
  const PoolRank     *ranks;
  Complaint           complaint = {0};
  PetscMPIInt         n;
  PoolOutcome         outcome = POOL_SILENT;
  int                 here, least = 0, most = 0;
  Pool                pool;

  GOOD(PoolCreate(MPI_COMM_WORLD, &pool));
  GOOD(PoolSetCallbacks(pool, &callbacks, &job));
  job.pool = pool;
  for (int t = 0; t < times; t++) {
    for (PetscInt u = 0; u < (job.add_below ? job.add_below : job.n); u++) GOOD(PoolJobAdd(pool, u)); /* all call it, root adds */
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    job.begin     = MPI_Wtime();
    job.last_tick = 0;
    GOOD(PoolRun(pool, &outcome, &complaint));
    *wall = MPI_Wtime() - job.begin;
    if (rank == 0) job.longest_silence = PetscMax(job.longest_silence, *wall - job.last_tick);
  }
  EXPECT(complaint.exit_code == 0);
  GOOD(PoolGetRanks(pool, &n, &ranks));
  EXPECT(n == size);
  EXPECT((ranks != NULL) == (rank == 0));
  if (ranks)
    for (PetscMPIInt r = 0; r < size; r++) {
      EXPECT(ranks[r].unit == -1); /* nothing is in work after a run */
      about[r] = ranks[r];
    }
  here = (int)outcome;
  GOOD(MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  GOOD(MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  EXPECT(least == most);
  GOOD(PoolDestroy(&pool));
  return outcome;
}

static PetscInt Sum(PetscInt here)
{
  PetscInt all = 0;

  GOOD(MPI_Allreduce(&here, &all, 1, MPIU_INT, MPI_SUM, MPI_COMM_WORLD));
  return all;
}

static void Agree(void)
{
  int all = 0;

  GOOD(MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  failures = 0;
  assert_int_equal(all, 0);
}

/*
  Durations and sizes at random, some results empty, some too large to be sent unasked, some carries of megabytes, some pieces alone, half
  of all units added by commits; the pool is used twice.
*/
static void test_every_step_once(void **state)
{
  double   wall;
  PoolRank about[64];
  PetscInt steps = 0;

  (void)state;
  Describe(MOST_UNITS, 1, 0);
  job.add_below = MOST_UNITS / 2;
  for (PetscInt u = 0; u < job.n; u++) {
    unsigned luck = PoolJobScramble((unsigned)u + 12345u);

    job.carry[u]        = u % 7 == 3 ? 1000 : u % 20 == 1 ? MOST_CARRY - u : 0;
    job.steps[u]        = 1 + (job.carry[u] > 0) + (PetscInt)(luck % 4u);
    job.step_seconds[u] = 1e-3 * (luck / 4u % 3u);
    job.cost[u]         = (PetscReal)job.steps[u];
    job.nbytes[u]       = u % 5 == 0 ? 0 : u % 15 == 1 ? MOST_BYTES - u : 100 + (PetscInt)(luck % 5000u);
    job.alone[u]        = (PetscBool)(u % 10 == 4);
    steps += job.steps[u] - (job.carry[u] > 0);
  }
  EXPECT(Run(2, &wall, about) == POOL_DONE);
  if (rank == 0) {
    EXPECT(job.calls == 2 * steps);
    EXPECT(job.assigned == 2 * job.n);
    for (PetscInt u = 0; u < job.n; u++) EXPECT(job.committed[u] == job.steps[u] && !job.is_out[u]);
    /* every rank that works gets one of the first units; with many ranks root only serves */
    for (PetscMPIInt r = 1; r < size; r++) EXPECT(job.units_of_rank[r] >= 2);
    if (size <= POOL_ROOT_WORKS) EXPECT(job.units_of_rank[0] > 0);
    else EXPECT(job.units_of_rank[0] == 0);
  }
  Agree();
}

static void test_no_units_and_fewer_than_ranks(void **state)
{
  double   wall;
  PoolRank about[64];

  (void)state;
  Describe(0, 0, 0);
  EXPECT(Run(2, &wall, about) == POOL_DONE);
  EXPECT(job.calls == 0);
  if (rank == 0)
    for (PetscMPIInt r = 0; r < size; r++) EXPECT(size > POOL_ROOT_WORKS && r == 0 ? isnan(about[r].busy) : about[r].busy == 0);
  Describe(1, 2, 1e-3);
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  EXPECT(rank || (job.calls == 2 && job.committed[0] == 2));
  Agree();
}

/*
  Steps of 1.2 s, a whole one for every rank, with polls: root ticks all the time, and hears of every rank that is in one. Every 0.5 s is
  promised; the rest is for a busy machine, and is less than the step. Root ticks just so while long messages are under way from ranks
  that do not poll, and so do not help to move them.
*/
static void test_ticks_and_heartbeats(void **state)
{
  double   wall;
  PoolRank about[64];

  (void)state;
  Describe(size, 1, 1.2);
  job.polls = PETSC_TRUE;
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  if (rank == 0) {
    EXPECT(job.longest_silence <= 0.8);
    EXPECT(job.heard_apart <= 1.0);
  }
  Describe(size, 2, 1);
  for (PetscInt u = 0; u < job.n; u++) job.nbytes[u] = MOST_BYTES;
  job.polls = (PetscBool)(rank == 0);
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  EXPECT(rank || job.longest_silence <= 0.8);
  Agree();
}

/*
  Busy times the wall time is the time that all units took, known from within; commits, 10 ms each, are no work although root does
  them in the middle of its own. Tolerance 10 %: what a busy machine adds between the two clocks. A root that only serves sleeps: less than
  1/20 of a processor (1/7 if all seven ranks spin on two processors, and a whole one if root alone does).
*/
static void test_busy_is_time_in_work(void **state)
{
  double   wall, asleep, all, sum = 0;
  PoolRank about[64];
  clock_t  start = clock();

  (void)state;
  Describe(4 * size, 5, 10e-3);
  job.commit_seconds = 10e-3 / size;
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  asleep = job.seconds_asleep;
  GOOD(MPI_Reduce(&asleep, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  if (rank == 0) {
    for (PetscMPIInt r = 0; r < size; r++) {
      if (r == 0 && size > POOL_ROOT_WORKS) {
        EXPECT(isnan(about[r].busy));
        continue;
      }
      EXPECT(about[r].busy > 0 && about[r].busy <= 1);
      sum += about[r].busy * wall;
    }
    EXPECT(fabs(sum - all) <= 0.1 * all);
    if (size <= POOL_ROOT_WORKS) EXPECT(fabs(about[0].busy * wall - asleep) <= 0.1 * asleep);
    else EXPECT((double)(clock() - start) / CLOCKS_PER_SEC < wall / 20);
  }
  Agree();
}

/* Steps of a minute, told to stop after 0.2 s with 0.3 s of grace: all give up, nothing is committed, long before PATIENCE. */
static void test_stop_gives_up_long_steps(void **state)
{
  double   wall;
  PoolRank about[64];

  (void)state;
  Describe(3 * size, 2, 60);
  job.polls    = PETSC_TRUE;
  job.stop_at  = 0.2;
  job.grace    = 0.3;
  job.alone[1] = PETSC_TRUE; /* stays in the queue */
  EXPECT(Run(1, &wall, about) == POOL_STOPPED);
  EXPECT(wall >= 0.5 && wall < 2);
  EXPECT(Sum(job.given_up) == size - (size > POOL_ROOT_WORKS));
  EXPECT(job.sent == 0 && job.calls == 0);
  /* a second order shortens the grace of the first, and one that would lengthen it does not */
  Describe(3 * size, 2, 60);
  job.polls         = PETSC_TRUE;
  job.stop_at       = 0.1;
  job.grace         = 50;
  job.stop_again_at = 0.3;
  job.grace_again   = 0;
  EXPECT(Run(1, &wall, about) == POOL_STOPPED);
  EXPECT(wall >= 0.3 && wall < 2);
  Describe(3 * size, 2, 60);
  job.polls         = PETSC_TRUE;
  job.stop_at       = 0.1;
  job.grace         = 0.2;
  job.stop_again_at = 0.2;
  job.grace_again   = 50;
  EXPECT(Run(1, &wall, about) == POOL_STOPPED);
  EXPECT(wall >= 0.3 && wall < 2);
  Agree();
}

/*
  Short steps without polls, and units of ten seconds: after the stop each rank ends the one it is in; all that was sent is committed, and
  no more.
*/
static void test_stop_loses_nothing_that_was_sent(void **state)
{
  double   wall;
  PoolRank about[64];
  PetscInt sent, done = 0;

  (void)state;
  Describe(MOST_UNITS, MOST_STEPS, 10e-3);
  for (PetscInt u = 0; u < job.n; u++) job.nbytes[u] = u % 2 ? MOST_BYTES : 100;
  job.commit_seconds = 2e-3; /* some are still on the way when the stop comes */
  job.stop_at        = 0.3;
  job.grace          = 60;
  EXPECT(Run(1, &wall, about) == POOL_STOPPED);
  sent = Sum(job.sent);
  if (rank == 0) {
    for (PetscInt u = 0; u < job.n; u++) done += job.committed[u];
    EXPECT(done == job.calls);
    EXPECT(sent == job.calls);
    EXPECT(sent >= size); /* every rank that works made several */
    EXPECT(wall < 3);     /* nobody ends its unit */
  }
  EXPECT(job.given_up == 0);
  Agree();
}

/*
  While root is in a step of its own, 0.8 s without a poll, a worker sends one step and waits with the next: no more is lost if root dies.
*/
static void test_one_step_on_the_way(void **state)
{
  double   wall;
  PoolRank about[64];

  (void)state;
  Describe(size, 30, 10e-3);
  job.steps[size - 1]        = 1;
  job.step_seconds[size - 1] = 0.8; /* goes to root, the last to be given a piece */
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  if (rank > 0 && size <= POOL_ROOT_WORKS) EXPECT(job.longest_call >= 0.4);
  Agree();
}

/* All was done when the stop came: that is no stop. And the last steps of all ranks, in work when it comes, still count. */
static void test_stop_in_the_last_steps(void **state)
{
  const PetscInt workers = size - (size > POOL_ROOT_WORKS);
  double         wall;
  PoolRank       about[64];

  (void)state;
  Describe(workers, 1, 0.4);
  job.polls   = PETSC_TRUE;
  job.stop_at = 0.15;
  job.grace   = 60;
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  EXPECT(rank || job.calls == workers);
  Agree();
}

/* A signal on the highest rank, in the middle of a step of 0.6 s, is known to root long before that ends; one on an idle rank, too. */
static void test_interrupt_reaches_root(void **state)
{
  double   wall;
  PoolRank about[64];

  (void)state;
  GOOD(InterruptInstall());
  Describe(size, 1, 0.6);
  job.polls  = PETSC_TRUE;
  job.signal = SIGUSR1;
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  EXPECT(rank || (job.interrupts == INTERRUPT_USR1 && job.noticed < 0.3));
  Describe(1, 1, 0.6); /* of rank 1, or root: the highest of three or more is idle */
  job.polls = PETSC_TRUE;
  if (rank == size - 1) (void)raise(SIGUSR2);
  EXPECT(Run(1, &wall, about) == POOL_DONE);
  EXPECT(rank || (job.interrupts == INTERRUPT_SAVE && job.noticed < 0.3));
  Agree();
}

/* ---- a rank that hangs -------------------------------------------------------------------------------------------- */

static PetscErrorCode HangingWork(void *ctx, Pool pool, const PoolPiece *piece)
{
  PetscFunctionBeginUser;
  if (rank == size - 1)
    for (;;) (void)pause();
  PetscCall(PoolJobWork(ctx, pool, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other ranks do what they have, and stop; root says who is silent, and ends the job. */
static PetscErrorCode Hang(void)
{
  const PoolCallbacks callbacks = {HangingWork, PoolJobAssign, PoolJobCommit, PoolJobTick};
  const PoolRank     *ranks;
  Complaint           complaint = {0};
  PetscMPIInt         n;
  PoolOutcome         outcome;
  Pool                pool;

  PetscFunctionBeginUser;
  Describe(4 * size, 2, 10e-3);
  job.polls   = PETSC_TRUE;
  job.stop_at = 0.3;
  job.grace   = 0.2;
  PetscCall(PoolCreate(MPI_COMM_WORLD, &pool));
  PetscCall(PoolSetCallbacks(pool, &callbacks, &job));
  job.pool = pool;
  for (PetscInt u = 0; u < job.n; u++) PetscCall(PoolJobAdd(pool, u));
  job.begin = MPI_Wtime();
  PetscCall(PoolRun(pool, &outcome, &complaint));
  if (rank == 0) {
    const double wall = MPI_Wtime() - job.begin;

    PetscCall(PoolGetRanks(pool, &n, &ranks));
    EXPECT(outcome == POOL_SILENT);
    EXPECT(wall >= 5.5 && wall < 8); /* 0.3 + 0.2 + 5 */
    for (PetscMPIInt r = 0; r < n; r++)
      EXPECT(r == size - 1 ? ranks[r].unit >= 0 && ranks[r].step == 0 && MPI_Wtime() - ranks[r].heard >= 5 : ranks[r].unit < 0);
    EXPECT(job.calls > 0);
    PetscCallMPI(MPI_Abort(MPI_COMM_WORLD, failures ? 1 : 85));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_step_once),          cmocka_unit_test(test_no_units_and_fewer_than_ranks),
    cmocka_unit_test(test_ticks_and_heartbeats),     cmocka_unit_test(test_busy_is_time_in_work),
    cmocka_unit_test(test_stop_gives_up_long_steps), cmocka_unit_test(test_stop_loses_nothing_that_was_sent),
    cmocka_unit_test(test_one_step_on_the_way),      cmocka_unit_test(test_stop_in_the_last_steps),
    cmocka_unit_test(test_interrupt_reaches_root),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return EXIT_FAILURE;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) || MPI_Comm_size(MPI_COMM_WORLD, &size)) return EXIT_FAILURE;
  if (argc > 1 && !strcmp(argv[1], "hang")) return Hang() ? EXIT_FAILURE : EXIT_SUCCESS;
  failed = cmocka_run_group_tests_name("mpi_pool", tests, NULL, NULL);
  if (PetscFinalize()) return EXIT_FAILURE;
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
