/*
  Checkpoint: a disk that fills, at whatever byte, is one complaint with EXIT_IO; what was there is there, and with room all goes on.

  The disk is a limit on the size of files: limits from nothing to more than is needed are tried, so that it strikes in the header of
  a journal, in a record, in the copy of the file and in the slots of the next snapshot.
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
#include <sys/resource.h>
#include <sys/syscall.h>

#include "support/other_process.h"
#include "support/toy_session.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define STRIDE     5 /* bytes between two limits: every offset within records (64 and more) and slots (24) comes up */
#define FILE_SIZE  (32 + 24 * TOY_SLOTS)

/* Complaints by what could not be written. */
typedef struct {
  int journal, copy, slots, none;
} Strikes;

static void Limit(rlim_t bytes)
{
  struct rlimit limit;

  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void Count(const Complaint *c, Strikes *strikes)
{
  if (!c->exit_code) {
    strikes->none++;
    return;
  }
  assert_int_equal(c->exit_code, EXIT_IO);
  assert_non_null(strstr(c->line, strerror(EFBIG)) ? c->line : strstr(c->line, strerror(ENOSPC)));
  strikes->journal += strstr(c->line, "toy.journal.") != NULL;
  strikes->copy += strstr(c->line, "cannot copy") != NULL;
  strikes->slots += strstr(c->line, "cannot write slot") != NULL;
}

/*
  Slots filled before the disk is full. With snapshots: the first has 30 of them, the second 40, 5 are in the journal, so that slots
  behind the end of any journal are written in place. Without: all are in the journal, which is shorter than the file, whose copy strikes.
*/
static PetscInt Begin(ToySession *s, PetscBool snapshots)
{
  ToyFolderFresh(TOY_SLOTS);
  ToyBegin(s);
  assert_true(ToyFill(s, 0, snapshots ? 30 : 15));
  if (snapshots) {
    GOOD(CheckpointSnapshot(s->checkpoint, &s->complaint));
    assert_true(ToyFill(s, 30, 40));
    GOOD(CheckpointSnapshot(s->checkpoint, &s->complaint));
    assert_true(ToyFill(s, 40, 45));
  }
  assert_int_equal(s->complaint.exit_code, 0);
  return snapshots ? 45 : 15;
}

/* Three records and a snapshot with this little room; returns the slots that were acknowledged. */
static PetscInt Full(ToySession *s, PetscInt before, rlim_t limit, Strikes *strikes)
{
  PetscInt slots = before;

  s->toy.under_way = 1;
  Limit(limit);
  while (slots < before + 3 && ToyFill(s, slots, slots + 1)) slots++;
  GOOD(CheckpointSnapshot(s->checkpoint, &s->complaint));
  Limit(RLIM_INFINITY);
  Count(&s->complaint, strikes);
  assert_false(ToyHas("toy.h5.partial"));
  return slots;
}

/* Two more snapshots: with the second, journals of attempts that failed are gone too. */
static void GoesOn(ToySession *s, PetscInt slots)
{
  for (PetscInt i = 0; i < 2; i++) {
    assert_true(ToyFill(s, slots + i, slots + i + 1));
    GOOD(CheckpointSnapshot(s->checkpoint, &s->complaint));
    assert_int_equal(s->complaint.exit_code, 0);
  }
  assert_int_equal(ToyCount(ToyPath("toy.h5")), slots + 2);
  assert_int_equal(ToyFiles(), 4);
}

static void Try(rlim_t limit, PetscBool snapshots, PetscBool restart, Strikes *strikes)
{
  const PetscInt in_file = snapshots ? 40 : 0;
  ToySession     s;
  PetscInt       slots;

  slots = Full(&s, Begin(&s, snapshots), limit, strikes);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), s.complaint.exit_code ? in_file : slots);
  if (restart) {
    ToyEnd(&s);
    ToyBegin(&s);
    GOOD(CheckpointSnapshot(s.checkpoint, &s.complaint));
    assert_int_equal(s.complaint.exit_code, 0);
    assert_int_equal(ToyCount(ToyPath("toy.h5")), slots);
  } else {
    s.complaint     = (Complaint){0};
    s.toy.under_way = 0;
  }
  GoesOn(&s, slots);
  ToyEnd(&s);
}

static void test_full_at_any_byte(void **state)
{
  Strikes first = {0}, later = {0};
  int     tries = 0;

  (void)state;
  for (rlim_t limit = 0; limit < FILE_SIZE + 2 * STRIDE; limit += STRIDE, tries++) {
    Try(limit, PETSC_FALSE, limit % 2 ? PETSC_TRUE : PETSC_FALSE, &first);
    Try(limit, PETSC_TRUE, limit % 2 ? PETSC_TRUE : PETSC_FALSE, &later);
  }
  /* at least: a journal of 15 records, and of 5, each of 64 bytes and a few more; what the file is longer; what slot 44 lies behind */
  assert_true(first.journal > 15 * 64 / STRIDE && first.copy > 100 / STRIDE && !first.slots);
  assert_true(later.journal > 5 * 64 / STRIDE && !later.copy && later.slots > 400 / STRIDE);
  assert_int_equal(first.journal + first.copy + first.none, tries);
  assert_int_equal(later.journal + later.slots + later.none, tries);
  assert_true(first.none && later.none);
}

/* A session that finds the disk full at its start refuses to begin; the one after that finds all there is. */
static void test_full_at_recovery(void **state)
{
  Strikes strikes = {0};

  (void)state;
  for (rlim_t limit = 0; limit < FILE_SIZE + 2 * STRIDE; limit += STRIDE) {
    ToySession     s;
    const PetscInt slots = Begin(&s, PETSC_TRUE);

    ToyEnd(&s);
    Limit(limit);
    ToyBegin(&s);
    GOOD(CheckpointSnapshot(s.checkpoint, &s.complaint));
    Limit(RLIM_INFINITY);
    Count(&s.complaint, &strikes);
    ToyEnd(&s);
    ToyBegin(&s);
    assert_int_equal(s.complaint.exit_code, 0);
    GoesOn(&s, slots);
    ToyEnd(&s);
  }
  assert_true(strikes.journal > 5 && strikes.slots > 150 && strikes.none > 50);
}

/* The device fails when it is asked to keep what it took. */
static void SnapshotUnsynced(void *ctx)
{
  static const int calls[] = {SYS_fsync};
  ToySession       s;

  (void)ctx;
  (void)Begin(&s, PETSC_TRUE);
  CHILD(RefuseCalls(1, calls, EIO));
  CHILD(!CheckpointSync(s.checkpoint, &s.complaint) && s.complaint.exit_code == EXIT_IO);
  s.complaint = (Complaint){0};
  CHILD(!CheckpointSnapshot(s.checkpoint, &s.complaint) && s.complaint.exit_code == EXIT_IO);
}

static void test_what_is_not_synced_is_no_snapshot(void **state)
{
  ToySession s;

  (void)state;
  assert_int_equal(OtherProcessEnd(OtherProcess(SnapshotUnsynced, NULL)), 0);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 40);
  ToyBegin(&s);
  assert_int_equal(s.complaint.exit_code, 0);
  GoesOn(&s, 45);
  ToyEnd(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_full_at_any_byte),
    cmocka_unit_test(test_full_at_recovery),
    cmocka_unit_test(test_what_is_not_synced_is_no_snapshot),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL) || !ToyFolderMake()) return 1;
  (void)signal(SIGXFSZ, SIG_IGN);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ToyFolderRemove();
  return PetscFinalize() ? 1 : failed;
}
