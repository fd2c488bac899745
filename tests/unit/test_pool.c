/*
  Pool on one rank, and signals. What needs more ranks is in mpi/test_pool.c, who gets what in test_schedule.c.
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
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "graze/interrupt.h"
#include "graze/pool.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define MOST       32

typedef enum { COMMIT, TICK, ASSIGN, WHERES } Where;

typedef struct {
  /* what to do */
  PetscInt  complain_at, stop_at, add_at; /* which commit, tick or assignment, from 1; 0: none */
  Where     where;                        /* of complain_at and stop_at */
  PetscReal grace;
  double    step_seconds; /* with polls */
  int       signal;       /* raised in the first step */
  PetscBool early;        /* work returns after one step */
  /* what happened */
  Pool      pool;
  PetscInt  unit[MOST], step[MOST], calls[WHERES], polls, given_up; /* of commits, as they came */
  unsigned  interrupts;
  double    interrupted, noticed; /* MPI_Wtime [s] */
  PetscReal busy;
} Job;

static void Sleep(double seconds)
{
  struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

  while (nanosleep(&pause, &pause)) continue;
}

static PetscErrorCode Happened(Job *j, Where where, Complaint *complaint)
{
  PetscFunctionBeginUser;
  j->calls[where]++;
  if (where == j->where && j->calls[where] == j->complain_at) ComplaintSet(complaint, EXIT_IO, "the disk is full");
  if (where == j->where && j->calls[where] == j->stop_at) PetscCall(PoolStop(j->pool, j->grace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work(void *ctx, Pool pool, const PoolPiece *piece)
{
  Job      *j    = (Job *)ctx;
  PetscBool stop = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (piece->nbytes) assert_string_equal((const char *)piece->carry, "carry");
  for (PetscInt k = piece->first; k < piece->first + piece->n && !stop; k++) {
    const double begin = MPI_Wtime();
    char         text[32];

    if (j->signal) (void)raise(j->signal);
    if (j->signal) j->interrupted = MPI_Wtime();
    j->signal = 0;
    while (MPI_Wtime() < begin + j->step_seconds && !stop) {
      Sleep(1e-3);
      PetscCall(PoolPoll(pool, &stop));
      j->polls++;
    }
    if (stop) {
      j->given_up++;
      break;
    }
    PetscCall(PetscSNPrintf(text, sizeof text, "%" PetscInt_FMT " %" PetscInt_FMT, piece->unit, k));
    PetscCall(PoolStep(pool, (PetscInt)strlen(text) + 1, text, &stop));
    if (j->early) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assign(void *ctx, PetscMPIInt rank, const PoolPiece *piece, Complaint *complaint)
{
  PetscFunctionBeginUser;
  assert_int_equal(rank, 0);
  assert_true(piece->n > 0);
  PetscCall(Happened((Job *)ctx, ASSIGN, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                             Complaint *complaint)
{
  Job *j = (Job *)ctx;
  char text[32];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(text, sizeof text, "%" PetscInt_FMT " %" PetscInt_FMT, unit, step));
  assert_int_equal(rank, 0);
  assert_int_equal(nbytes, strlen(text) + 1);
  assert_string_equal((const char *)bytes, text);
  j->unit[j->calls[COMMIT]] = unit;
  j->step[j->calls[COMMIT]] = step;
  if (j->calls[COMMIT] + 1 == j->add_at) PetscCall(PoolAdd(j->pool, &(PoolPiece){.unit = 99, .n = 1, .nbytes = 6, .carry = "carry"}));
  PetscCall(Happened(j, COMMIT, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tick(void *ctx, Pool pool, Complaint *complaint)
{
  Job     *j = (Job *)ctx;
  unsigned bits;

  PetscFunctionBeginUser;
  PetscCall(PoolTakeInterrupts(pool, &bits));
  if (bits && !j->interrupts) j->noticed = MPI_Wtime();
  j->interrupts |= bits;
  PetscCall(Happened(j, TICK, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One piece a unit, of so many steps; the later the dearer. */
static PoolOutcome Run(Job *j, PetscInt units, PetscInt steps, Complaint *complaint)
{
  const PoolCallbacks callbacks = {Work, Assign, Commit, Tick};
  const PoolRank     *ranks;
  PetscMPIInt         size;
  PoolOutcome         outcome = POOL_SILENT;

  *complaint = (Complaint){0};
  GOOD(PoolCreate(PETSC_COMM_SELF, &j->pool));
  GOOD(PoolSetCallbacks(j->pool, &callbacks, j));
  for (PetscInt u = 0; u < units; u++) GOOD(PoolAdd(j->pool, &(PoolPiece){.unit = u, .n = steps, .cost = (PetscReal)u}));
  GOOD(PoolRun(j->pool, &outcome, complaint));
  GOOD(PoolGetRanks(j->pool, &size, &ranks));
  assert_int_equal(size, 1);
  if (!complaint->exit_code) assert_int_equal(ranks[0].unit, -1);
  j->busy = ranks[0].busy;
  GOOD(PoolDestroy(&j->pool));
  assert_null(j->pool);
  return outcome;
}

static void test_all_in_order(void **state)
{
  Job       job = {.add_at = 2};
  Complaint complaint;

  (void)state;
  assert_int_equal(Run(&job, 3, 2, &complaint), POOL_DONE);
  assert_int_equal(complaint.exit_code, EXIT_GOOD);
  assert_int_equal(job.calls[COMMIT], 7);
  assert_int_equal(job.calls[ASSIGN], 4);
  for (PetscInt i = 0; i < 6; i++) {
    assert_int_equal(job.unit[i], 2 - i / 2);
    assert_int_equal(job.step[i], i % 2);
  }
  assert_int_equal(job.unit[6], 99); /* added during the run, free of cost: last, with its carry */
  /* nothing to do at all */
  job = (Job){0};
  assert_int_equal(Run(&job, 0, 0, &complaint), POOL_DONE);
  assert_true(job.busy == 0);
}

static void test_complaint_ends_the_run(void **state)
{
  static const PetscInt commits[WHERES] = {
    [COMMIT] = 3, [TICK] = 0, [ASSIGN] = 4}; /* that were made before: assignment 3 follows four steps */
  Complaint complaint;

  (void)state;
  for (int where = 0; where < WHERES; where++) {
    /* a step that ends by itself would take a minute; the first tick is due after a tenth of a second */
    Job job = {.complain_at = where == TICK ? 1 : 3, .where = (Where)where, .step_seconds = where == TICK ? 60 : 0};

    (void)Run(&job, 5, 2, &complaint);
    assert_int_equal(complaint.exit_code, EXIT_IO);
    assert_string_equal(complaint.line, "the disk is full");
    assert_int_equal(job.calls[COMMIT], commits[where]);
  }
}

/* Without a grace the step in work is given up and not committed; with one it is finished; what was not begun stays undone. */
static void test_stop(void **state)
{
  Job       job = {.where = TICK, .stop_at = 1, .grace = 0, .step_seconds = 60};
  Complaint complaint;

  (void)state;
  assert_int_equal(Run(&job, 3, 2, &complaint), POOL_STOPPED);
  assert_int_equal(job.calls[COMMIT], 0);
  assert_int_equal(job.given_up, 1);
  assert_int_equal(job.calls[ASSIGN], 1);
  job = (Job){.where = TICK, .stop_at = 1, .grace = 0, .step_seconds = 60}; /* no piece is left, but this one is not done */
  assert_int_equal(Run(&job, 1, 1, &complaint), POOL_STOPPED);
  job = (Job){.where = TICK, .stop_at = 1, .grace = 60, .step_seconds = 0.2};
  assert_int_equal(Run(&job, 3, 2, &complaint), POOL_STOPPED);
  assert_int_equal(job.calls[COMMIT], 1);
  assert_int_equal(job.given_up, 0);
  assert_true(job.busy > 0.5 && job.busy <= 1); /* a step of 0.2 s and little else; asleep counts as work here */
  /* from commit; what it adds at the same time stays, too */
  job = (Job){.where = COMMIT, .stop_at = 2, .add_at = 2};
  assert_int_equal(Run(&job, 1, 2, &complaint), POOL_STOPPED);
  assert_int_equal(job.calls[COMMIT], 2);
  /* everything was done in spite of it */
  job = (Job){.where = COMMIT, .stop_at = 2};
  assert_int_equal(Run(&job, 1, 2, &complaint), POOL_DONE);
  assert_int_equal(complaint.exit_code, EXIT_GOOD);
}

/* What was left is forgotten, the stop too: the pool can be filled anew. */
static void test_used_again_after_a_stop(void **state)
{
  const PoolCallbacks callbacks = {.work = Work, .commit = Commit};
  Job                 job       = {.where = COMMIT, .stop_at = 1};
  Complaint           complaint = {0};
  PoolOutcome         outcome;

  (void)state;
  GOOD(PoolCreate(PETSC_COMM_SELF, &job.pool));
  GOOD(PoolSetCallbacks(job.pool, &callbacks, &job));
  for (PetscInt u = 0; u < 3; u++) GOOD(PoolAdd(job.pool, &(PoolPiece){.unit = u, .n = 2}));
  GOOD(PoolRun(job.pool, &outcome, &complaint));
  assert_int_equal(outcome, POOL_STOPPED);
  GOOD(PoolAdd(job.pool, &(PoolPiece){.unit = 7, .n = 2}));
  GOOD(PoolRun(job.pool, &outcome, &complaint));
  assert_int_equal(outcome, POOL_DONE);
  assert_int_equal(job.calls[COMMIT], 3);
  assert_int_equal(job.unit[1], 7);
  assert_int_equal(job.unit[2], 7);
  GOOD(PoolDestroy(&job.pool));
}

/* Within a step, at once: 50 ms is half of what a tick without a signal may take. */
static void test_interrupt_comes_with_the_next_poll(void **state)
{
  static const int      number[] = {SIGUSR1, SIGUSR2, SIGTERM};
  static const unsigned bit[]    = {INTERRUPT_USR1, INTERRUPT_SAVE, INTERRUPT_TERM};
  Complaint             complaint;

  (void)state;
  GOOD(InterruptInstall());
  for (int i = 0; i < 3; i++) {
    Job job = {.step_seconds = 0.1, .signal = number[i]};

    assert_int_equal(Run(&job, 1, 1, &complaint), POOL_DONE);
    assert_int_equal(job.interrupts, bit[i]);
    assert_true(job.noticed - job.interrupted < 0.05);
  }
}

static void test_interrupts_are_taken_once(void **state)
{
  (void)state;
  GOOD(InterruptInstall());
  assert_int_equal(InterruptTake(), 0);
  (void)raise(SIGUSR1);
  (void)raise(SIGUSR2);
  assert_int_equal(InterruptTake(), INTERRUPT_USR1 | INTERRUPT_SAVE);
  assert_int_equal(InterruptTake(), 0);
}

/* Two signals in a child, so far apart: how it ends. */
static int TwoSignals(int first, int second, double apart)
{
  const pid_t child = fork();
  int         status;

  if (!child) {
    if (InterruptInstall()) _exit(9);
    (void)raise(first);
    if (InterruptTake() != (first == SIGINT ? INTERRUPT_INT : INTERRUPT_TERM)) _exit(8);
    Sleep(apart);
    (void)raise(second);
    _exit(InterruptTake() == (second == SIGINT ? INTERRUPT_INT : INTERRUPT_TERM) ? 0 : 7);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* One request is often passed on twice, within milliseconds; 0.15 s later it is a second one. */
static void test_second_request_kills(void **state)
{
  (void)state;
  assert_int_equal(TwoSignals(SIGINT, SIGINT, 0.15), SIGINT);
  assert_int_equal(TwoSignals(SIGINT, SIGTERM, 0.15), SIGTERM);
  assert_int_equal(TwoSignals(SIGTERM, SIGTERM, 0), 0);
}

static void test_misuse_is_a_bug(void **state)
{
  const PoolCallbacks callbacks = {.work = Work, .commit = Commit};
  Job                 job       = {.early = PETSC_TRUE};
  Complaint           complaint = {0};
  PetscBool           stop;
  PoolOutcome         outcome;
  Pool                pool;

  (void)state;
  GOOD(PoolCreate(PETSC_COMM_SELF, &pool));
  GOOD(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal((int)PoolStep(pool, 0, NULL, &stop), PETSC_ERR_ORDER);
  assert_int_equal((int)PoolPoll(pool, &stop), PETSC_ERR_ORDER);
  assert_int_equal((int)PoolStop(pool, 0), PETSC_ERR_ORDER);
  assert_int_equal((int)PoolRun(pool, &outcome, &complaint), PETSC_ERR_ORDER);
  GOOD(PoolSetCallbacks(pool, &callbacks, &job));
  GOOD(PoolAdd(pool, &(PoolPiece){.unit = 0, .n = 2}));
  assert_int_equal((int)PoolRun(pool, &outcome, &complaint), PETSC_ERR_PLIB); /* work left a step undone and was not told to */
  GOOD(PetscPopErrorHandler());
  GOOD(PoolDestroy(&pool));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_in_order),
    cmocka_unit_test(test_complaint_ends_the_run),
    cmocka_unit_test(test_stop),
    cmocka_unit_test(test_used_again_after_a_stop),
    cmocka_unit_test(test_second_request_kills), /* before this process has its own first SIGTERM */
    cmocka_unit_test(test_interrupt_comes_with_the_next_poll),
    cmocka_unit_test(test_interrupts_are_taken_once),
    cmocka_unit_test(test_misuse_is_a_bug),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() ? 1 : failed;
}
