/*
  Checkpoint: a kill at any moment loses nothing that was acknowledged, and the result is there and whole at that moment.

  "Any moment" is taken at its word: a process that recovers, appends, makes snapshots and finishes is killed before its first call
  of the system, then before its second, and so on to the end; what lies between two calls is not seen by any file. Then at the
  named places, and at random in a longer run.
*/
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support/other_process.h"
#include "support/toy_session.h"

#define GOOD(call)   assert_int_equal((int)(call), 0)
#define MANY_SLOTS   40000
#define RANDOM_KILLS 40

/* Written by the child, read by the parent. */
static struct {
  volatile PetscInt acknowledged; /* slots */
} *shared;

typedef struct {
  PetscBool no_links, no_copy; /* the file system lacks them */
  PetscBool finish;
  PetscInt  rounds; /* snapshots, each after two records; 0: for ever, after 1 to 4 */
} Work;

static void Refuse(const Work *work)
{
  static const int links[] = {
#if defined(SYS_link)
    SYS_link,
#endif
    SYS_linkat};
  static const int copies[] = {SYS_copy_file_range};

  if (work->no_links) CHILD(RefuseCalls((int)(sizeof links / sizeof links[0]), links, EPERM));
  if (work->no_copy) CHILD(RefuseCalls(1, copies, EXDEV));
}

/* A whole session: what is acknowledged is counted as soon as it is. */
static void Session(void *ctx)
{
  const Work *work = (const Work *)ctx;
  ToySession  s;
  PetscInt    next;

  Refuse(work);
  ToyBegin(&s);
  CHILD(!s.complaint.exit_code);
  s.toy.under_way = 1;
  CHILD(!CheckpointSnapshot(s.checkpoint, &s.complaint) && !s.complaint.exit_code);
  next = ToyCount(ToyPath("toy.h5"));
  CHILD(next >= 0);
  for (PetscInt round = 0; !work->rounds || round < work->rounds; round++) {
    for (PetscInt i = 0; i < (work->rounds ? 2 : 1 + round % 4); i++) {
      if (next == MANY_SLOTS) _exit(0);
      CHILD(ToyAppend(s.checkpoint, next, &s.complaint));
      shared->acknowledged = ++next;
    }
    CHILD(!CheckpointSnapshot(s.checkpoint, &s.complaint) && !s.complaint.exit_code);
  }
  if (work->finish) CHILD(!CheckpointFinish(s.checkpoint, &s.complaint) && !s.complaint.exit_code);
  ToyEnd(&s);
}

/* Two snapshots and five records behind them, or nothing yet. */
static void Start(PetscBool filled)
{
  ToySession s;

  ToyFolderFresh(TOY_SLOTS);
  shared->acknowledged = 0;
  if (!filled) return;
  ToyBegin(&s);
  for (PetscInt i = 0; i < 3; i++) {
    assert_true(ToyFill(&s, 5 * i, 5 * i + 5));
    if (i < 2) GOOD(CheckpointSnapshot(s.checkpoint, &s.complaint));
  }
  assert_int_equal(s.complaint.exit_code, 0);
  ToyEnd(&s);
  shared->acknowledged = 15;
}

/* The next session finds everything, and one record more at most: it was whole when the kill came before its writer could say so. */
static void Recovers(void)
{
  const PetscInt acknowledged = shared->acknowledged;
  PetscInt       found;
  ToySession     s;

  ToyBegin(&s);
  assert_string_equal(s.complaint.line, "");
  assert_false(s.toy.wrong);
  GOOD(CheckpointSnapshot(s.checkpoint, &s.complaint));
  assert_int_equal(s.complaint.exit_code, 0);
  found = ToyCount(ToyPath("toy.h5"));
  assert_true(found == acknowledged || found == acknowledged + 1);
  assert_false(ToyHas("toy.h5.partial"));
  assert_true(ToyFill(&s, found, found + 1));
  GOOD(CheckpointSnapshot(s.checkpoint, &s.complaint));
  assert_int_equal(s.complaint.exit_code, 0);
  ToyEnd(&s);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), found + 1);
}

static PetscBool SameFile(const char *one, const char *other)
{
  struct stat a, b;

  return !stat(ToyPath(one), &a) && !stat(ToyPath(other), &b) && a.st_ino == b.st_ino ? PETSC_TRUE : PETSC_FALSE;
}

/*
  Killed before each call. Afterwards, unless there are no hard links, the result is whole. damage: moreover it is damaged before the
  next session, where there is a snapshot before it to fall back upon, or the next one beside it (while both are one file).
*/
static void KillAtEveryCall(Work *work, PetscBool filled, PetscBool damage)
{
  PetscInt fallbacks = 0, missing = 0;
  int      killed    = 1;

  for (long n = 1; killed; n++) {
    Start(filled);
    killed = OtherProcessKilledAt(Session, work, n);
    if (killed < 0) skip();
    if (!ToyHas("toy.h5") && work->no_links) missing++;
    else assert_true(ToyCount(ToyPath("toy.h5")) >= 0);
    if (ToyHas("toy.previous.h5")) assert_true(ToyCount(ToyPath("toy.previous.h5")) >= 0);
    if (damage && ToyHas("toy.h5") && ToyHas("toy.previous.h5")) {
      ToyFlip("toy.h5", 100, 5);
      fallbacks++;
      if (SameFile("toy.h5", "toy.previous.h5")) assert_true(ToyCount(ToyPath("toy.h5.partial")) >= 0);
    }
    Recovers();
  }
  if (damage) assert_true(fallbacks > 20); /* calls of the system: what was meant to be tried was tried */
  assert_int_equal(missing > 0, work->no_links);
}

static void Snapshot(void *ctx)
{
  ToySession *s = (ToySession *)ctx;

  CHILD(!CheckpointSnapshot(s->checkpoint, &s->complaint) && !s->complaint.exit_code);
}

/* What a kill of the machine finds depends on what was synced before what: each call of a snapshot that matters, in order. */
static void test_order_of_calls(void **state)
{
  ToySession s;
  char       calls[64];

  (void)state;
  Start(PETSC_FALSE);
  ToyBegin(&s);
  assert_true(ToyFill(&s, 0, 3));
  if (!OtherProcessCalls(Snapshot, &s, sizeof calls, calls)) skip();
  ToyEnd(&s);
  /* the journal; the next one: content, name, folder; copy, content; the snapshot: content; names; folder */
  assert_string_equal(calls, "s" "srs" "cs" "s" "ulr" "s");

  Start(PETSC_TRUE);
  ToyBegin(&s);
  assert_true(ToyFill(&s, 15, 18));
  assert_true(OtherProcessCalls(Snapshot, &s, sizeof calls, calls));
  ToyEnd(&s);
  /* instead of the copy: name, folder; at last a journal is deleted */
  assert_string_equal(calls, "s" "srs" "rs" "s" "ulr" "s" "u");
}

static void test_kill_at_every_call(void **state)
{
  Work work = {.rounds = 2, .finish = PETSC_TRUE};

  (void)state;
  KillAtEveryCall(&work, PETSC_FALSE, PETSC_FALSE);
  KillAtEveryCall(&work, PETSC_TRUE, PETSC_FALSE);
}

static void test_kill_at_every_call_and_damage(void **state)
{
  Work work = {.rounds = 2};

  (void)state;
  KillAtEveryCall(&work, PETSC_TRUE, PETSC_TRUE);
}

static void test_kill_without_hard_links(void **state)
{
  Work work = {.rounds = 2, .no_links = PETSC_TRUE};

  (void)state;
  KillAtEveryCall(&work, PETSC_TRUE, PETSC_FALSE);
}

/* A whole session, without the calls that not every file system has. */
static void test_poor_file_systems(void **state)
{
  Work work = {.rounds = 3, .no_links = PETSC_TRUE, .no_copy = PETSC_TRUE};

  (void)state;
  Start(PETSC_FALSE);
  assert_int_equal(OtherProcessEnd(OtherProcess(Session, &work)), 0);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 6);
  assert_int_equal(ToyCount(ToyPath("toy.previous.h5")), 4);
  Recovers();
}

/* The named places, at their first passage and at their second; a torn record is not used, and nothing before it is hurt. */
static void test_kill_at_named_places(void **state)
{
  static const char *const places[] = {"journal_write", "snapshot", "rename"};
  Work                     work     = {.rounds = 3};

  (void)state;
  for (int i = 0; i < 6; i++) {
    char fault[64];

    Start(PETSC_TRUE);
    (void)snprintf(fault, sizeof fault, "%s:sleep=1000@%d", places[i / 2], 1 + i % 2);
    (void)setenv("GRAZE_FAULT", fault, 1);
    (void)setenv("GRAZE_FAULT_MARK", ToyPath("mark"), 1);
    assert_int_equal(OtherProcessKilledAtMark(Session, &work, ToyPath("mark")), 1);
    (void)unsetenv("GRAZE_FAULT");
    if (i / 2 == 1) assert_true(ToyHas("toy.h5.partial"));
    if (i / 2 == 2) {
      assert_true(SameFile("toy.h5", "toy.previous.h5"));
      assert_true(ToyCount(ToyPath("toy.h5.partial")) > ToyCount(ToyPath("toy.h5")));
    }
    Recovers();
  }
}

static void test_kill_at_random(void **state)
{
  Work work = {0};

  (void)state;
  ToyFolderFresh(MANY_SLOTS);
  shared->acknowledged = 0;
  srand(7);
  for (int i = 0; i < RANDOM_KILLS; i++) {
    const PetscInt  before = shared->acknowledged;
    struct timespec time   = {0, 100000};
    pid_t           pid;

    pid = OtherProcess(Session, &work);
    while (shared->acknowledged == before && OtherProcessRuns(pid)) (void)nanosleep(&time, NULL);
    time.tv_nsec = rand() % 8000000; /* ns: a few dozen snapshots */
    (void)nanosleep(&time, NULL);
    (void)kill(pid, SIGKILL);
    assert_int_equal(OtherProcessEnd(pid), -SIGKILL);
    assert_true(ToyCount(ToyPath("toy.h5")) >= 0);
    Recovers();
    shared->acknowledged = ToyCount(ToyPath("toy.h5"));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order_of_calls),
    cmocka_unit_test(test_kill_at_every_call),
    cmocka_unit_test(test_kill_at_every_call_and_damage),
    cmocka_unit_test(test_kill_without_hard_links),
    cmocka_unit_test(test_poor_file_systems),
    cmocka_unit_test(test_kill_at_named_places),
    cmocka_unit_test(test_kill_at_random),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL) || !ToyFolderMake()) return 1;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ToyFolderRemove();
  return PetscFinalize() ? 1 : failed;
}
