/*
  Checkpoint: what a snapshot costs, what is there when something is damaged, deleted or in the way, and what is said about it. Kills
  are in test_checkpoint_kills.c, full disks in test_checkpoint_full.c.

  The file is a toy (support/toy_snapshot.h) of 64 slots; slot i is filled by record number i unless records of another kind are among them.
*/
#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/toy_session.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define SLOT_5     (32 + 24 * 5) /* where the fifth slot begins in the file */

static char said[8192];

static void Nap(double seconds)
{
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

  (void)nanosleep(&time, NULL);
}

static ino_t Inode(const char *name)
{
  struct stat about;

  assert_int_equal(stat(ToyPath(name), &about), 0);
  return about.st_ino;
}

static void Snapshot(ToySession *s)
{
  GOOD(CheckpointSnapshot(s->checkpoint, &s->complaint));
  assert_string_equal(s->complaint.line, "");
}

/* Snapshots after slots 10 and 20, journals 1 (10 .. 19) and 2 (20 .. 24): toy.h5 is generation 2, toy.previous.h5 generation 1. */
static void Standard(void)
{
  ToySession s;

  ToyFolderFresh(TOY_SLOTS);
  ToyBegin(&s);
  for (PetscInt i = 0; i < 20; i += 10) {
    assert_true(ToyFill(&s, i, i + 10));
    Snapshot(&s);
  }
  assert_true(ToyFill(&s, 20, 25));
  ToyEnd(&s);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 20);
  assert_int_equal(ToyCount(ToyPath("toy.previous.h5")), 10);
  assert_int_equal(ToyFiles(), 4);
}

static PetscErrorCode CountRecord(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  (void)record;
  (void)bytes;
  (void)complaint;
  ++*(PetscInt *)ctx;
  return PETSC_SUCCESS;
}

/* The records that no snapshot holds: those replayed, unless something was damaged and they were merged at once. */
static void Visits(ToySession *s, PetscInt replayed)
{
  PetscInt n = 0;

  GOOD(CheckpointVisit(s->checkpoint, CountRecord, &n, &s->complaint));
  assert_int_equal(n, s->toy.files ? 0 : replayed);
}

/* A session replays `replayed` records, has `slots` filled with the snapshot that merges them, says `warnings` things, `words` among them; then it goes on to slot 40. */
static void GoesOn(PetscInt slots, PetscInt replayed, PetscInt warnings, const char *words)
{
  ToySession s;
  PetscInt   heard;

  ToyListen();
  ToyBegin(&s);
  assert_string_equal(s.complaint.line, "");
  assert_false(ToyHas("toy.h5.partial"));
  Visits(&s, replayed);
  Snapshot(&s);
  Visits(&s, 0);
  heard = ToyHeard(sizeof said, said);
  if (heard != warnings || !strstr(said, words)) print_error("%s", said);
  assert_int_equal(heard, warnings);
  assert_non_null(strstr(said, words));
  assert_int_equal(ToyCount(ToyPath("toy.h5")), slots);
  assert_int_equal(s.toy.replayed, replayed);
  assert_false(s.toy.wrong);
  assert_true(ToyFill(&s, slots, 40));
  Snapshot(&s);
  ToyEnd(&s);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 40);
}

/*
  Cost: snapshot k writes the records of journals k - 2 and k - 1 and copies nothing: it is the file of snapshot k - 2 again. Only the
  first one is a copy, and writes its own journal. Journals that nothing needs are gone.
*/
static void test_cost_follows_what_changed(void **state)
{
  const PetscInt  lengths[] = {3, 8, 1, 12, 5, 2};
  ino_t           inodes[7];
  PetscInt64      before = 0;
  PetscInt        filled = 0;
  CheckpointFacts facts;
  ToySession      s;

  (void)state;
  ToyFolderFresh(TOY_SLOTS);
  inodes[0] = Inode("toy.h5");
  ToyBegin(&s);
  for (PetscInt k = 0; k < 6; k++) {
    assert_true(ToyFill(&s, filled, filled + lengths[k]));
    filled += lengths[k];
    Snapshot(&s);
    assert_int_equal(s.toy.written - before, lengths[k] + (k ? lengths[k - 1] : 0));
    before        = s.toy.written;
    inodes[k + 1] = Inode("toy.h5");
    if (k) assert_true(inodes[k + 1] == inodes[k - 1]);
    else assert_true(inodes[1] != inodes[0]);
    assert_int_equal(ToyCount(ToyPath("toy.h5")), filled);
    assert_int_equal(ToyCount(ToyPath("toy.previous.h5")), filled - lengths[k]);
    assert_int_equal(ToyFiles(), 4);
  }
  assert_int_equal(s.toy.checks, 1); /* at recovery; files of this session are trusted */
  GOOD(CheckpointGetFacts(s.checkpoint, &facts));
  assert_int_equal(facts.generation, 6);
  assert_int_equal(facts.records, filled);
  assert_int_equal(facts.bytes, 0);
  assert_true(fabs(facts.last - (double)time(NULL)) < 60 && facts.seconds > 0 && facts.seconds < 60);
  ToyEnd(&s);

  /* a restart with nothing to replay makes no snapshot, and the next one still costs no copy */
  ToyBegin(&s);
  assert_int_equal(s.toy.files, 0);
  assert_true(Inode("toy.h5") == inodes[6]);
  assert_true(ToyFill(&s, filled, filled + 1));
  Snapshot(&s);
  assert_int_equal(s.toy.written, 2 + 1);
  assert_true(Inode("toy.h5") == inodes[5]);
  ToyEnd(&s);
}

static void test_nothing_new_is_nothing_to_do(void **state)
{
  ToySession s;

  (void)state;
  ToyFolderFresh(TOY_SLOTS);
  ToyBegin(&s);
  s.toy.under_way = 3;
  Snapshot(&s);
  assert_int_equal(s.toy.files, 0);
  assert_true(ToyFill(&s, 0, 5));
  Snapshot(&s);
  Snapshot(&s);
  GOOD(CheckpointSetIntervals(s.checkpoint, 0, 0));
  GOOD(CheckpointTick(s.checkpoint, &s.complaint));
  assert_int_equal(s.toy.files, 1); /* what is repeated in a new journal is nothing new */
  ToyEnd(&s);
  GoesOn(5, 3, 0, "");
}

/* Repeated records go into every journal and, being in one that a snapshot follows, come to be written; they are replayed after a kill. */
static void test_what_is_under_way_is_repeated(void **state)
{
  ToySession s;

  (void)state;
  ToyFolderFresh(TOY_SLOTS);
  ToyBegin(&s);
  s.toy.under_way = 2;
  for (PetscInt i = 0; i < 4; i++) {
    assert_true(ToyFill(&s, i, i + 1));
    Snapshot(&s);
  }
  assert_int_equal(s.toy.written, 1 + (1 + 3) + (3 + 3) + (3 + 3)); /* of two journals each: those of the new one stay where they are */
  ToyEnd(&s);
  ToyBegin(&s);
  assert_int_equal(s.toy.replayed, 2);
  assert_int_equal(s.toy.last_replayed, 4 + 4 * 2 - 1);
  ToyEnd(&s);
}

/* Due after the interval, which a slow snapshot stretches to 200 times what it took; 0: whenever there is anything new. */
static void test_ticks(void **state)
{
  ToySession s;

  (void)state;
  ToyFolderFresh(TOY_SLOTS);
  ToyBegin(&s);
  GOOD(CheckpointSetIntervals(s.checkpoint, 0.05, 0.01));
  assert_true(ToyFill(&s, 0, 1));
  GOOD(CheckpointTick(s.checkpoint, &s.complaint));
  assert_int_equal(s.toy.files, 0);
  Nap(0.06);
  s.toy.slow = 0.02; /* stretches it to 4 s */
  GOOD(CheckpointTick(s.checkpoint, &s.complaint));
  assert_int_equal(s.toy.files, 1);
  assert_true(ToyFill(&s, 1, 2));
  Nap(0.06);
  GOOD(CheckpointTick(s.checkpoint, &s.complaint));
  assert_int_equal(s.toy.files, 1);
  GOOD(CheckpointSetIntervals(s.checkpoint, 0, 0.01));
  GOOD(CheckpointTick(s.checkpoint, &s.complaint));
  assert_int_equal(s.toy.files, 2);
  assert_int_equal(s.complaint.exit_code, 0);
  ToyEnd(&s);
}

static void test_finish_leaves_the_result_alone(void **state)
{
  ToySession s;

  (void)state;
  Standard();
  ToyBegin(&s);
  s.toy.under_way = 1;
  assert_true(ToyFill(&s, 25, 30));
  Snapshot(&s);
  GOOD(CheckpointFinish(s.checkpoint, &s.complaint));
  assert_int_equal(s.complaint.exit_code, 0);
  assert_int_equal(ToyFiles(), 1);
  ToyEnd(&s);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 30);
  GoesOn(30, 0, 0, "");
}

/* One bit anywhere in the file: it is found, the snapshot before takes its place, and nothing is lost. */
static void test_damaged_snapshot_falls_back(void **state)
{
  (void)state;
  Standard();
  for (long bit = 0; bit < 8 * ToySize("toy.h5"); bit += 37) { /* a stride that hits every byte of a slot, and every bit of a byte */
    Standard();
    ToyFlip("toy.h5", bit / 8, (int)(bit % 8));
    GoesOn(25, 15, 1, "/toy.h5 is damaged: going on from ");
    assert_non_null(strstr(said, "/toy.previous.h5 and 15 records of the journals, nothing is lost\n"));
    assert_true(ToyHas("toy.h5.bad"));
  }
}

/* The one before was damaged unnoticed: it is not built upon, and said. */
static void test_damaged_previous_is_not_used(void **state)
{
  (void)state;
  Standard();
  ToyFlip("toy.previous.h5", SLOT_5, 0);
  GoesOn(25, 5, 1, "toy.previous.h5 is damaged; it is not needed");
}

static void test_deleted_files(void **state)
{
  (void)state;
  Standard();
  (void)unlink(ToyPath("toy.journal.1"));
  (void)unlink(ToyPath("toy.journal.2"));
  GoesOn(20, 0, 0, "");

  Standard();
  (void)unlink(ToyPath("toy.h5"));
  GoesOn(25, 15, 1, "toy.h5 is missing: going on from ");
  assert_non_null(strstr(said, "nothing is lost"));

  Standard();
  (void)unlink(ToyPath("toy.previous.h5"));
  GoesOn(25, 5, 0, "");

  Standard(); /* not covered by a journal: no base for the next snapshot */
  (void)unlink(ToyPath("toy.journal.1"));
  GoesOn(25, 5, 0, "");

  Standard(); /* the snapshot alone is a full checkpoint */
  (void)unlink(ToyPath("toy.h5"));
  (void)unlink(ToyPath("toy.journal.1"));
  (void)unlink(ToyPath("toy.journal.2"));
  GoesOn(10, 0, 1, "what neither holds is done again");
}

/* Nothing good: a complaint, and every file stays as it is. */
static void test_nothing_whole_is_refused(void **state)
{
  ToySession s;

  (void)state;
  Standard();
  ToyFlip("toy.h5", SLOT_5, 3);
  ToyFlip("toy.previous.h5", SLOT_5, 3);
  ToyBegin(&s);
  assert_int_equal(s.complaint.exit_code, EXIT_FILES);
  assert_non_null(strstr(s.complaint.line, "toy.h5 is damaged; there is no whole snapshot beside it"));
  ToyEnd(&s);
  assert_int_equal(ToyFiles(), 4);
  ToyFlip("toy.previous.h5", SLOT_5, 3);
  GoesOn(25, 15, 1, "nothing is lost");
}

/* A kill while the next snapshot was made, and then the last one damaged: the unfinished one serves if it is whole. */
static void test_unfinished_snapshot_is_the_last_resort(void **state)
{
  (void)state;
  Standard();
  assert_int_equal(rename(ToyPath("toy.previous.h5"), ToyPath("toy.h5.partial")), 0);
  ToyFlip("toy.h5", SLOT_5, 3);
  GoesOn(25, 15, 1, "/toy.h5.partial and 15 records");

  Standard();
  assert_int_equal(rename(ToyPath("toy.previous.h5"), ToyPath("toy.h5.partial")), 0);
  GoesOn(25, 5, 0, "");

  Standard(); /* nothing to replay either: it is removed all the same */
  ToyMakeFile(ToyPath("toy.h5.partial"), 3);
  (void)unlink(ToyPath("toy.journal.2"));
  GoesOn(20, 0, 0, "");
}

static void test_damaged_journals(void **state)
{
  ToySession s;
  long       size;

  (void)state;
  Standard(); /* the tail: 24 is torn, 23 is the last */
  size = ToySize("toy.journal.2");
  assert_int_equal(truncate(ToyPath("toy.journal.2"), size - 3), 0);
  GoesOn(24, 4, 1, "toy.journal.2: cut back to its last whole record, number 23; ");

  Standard(); /* cut it is */
  assert_int_equal(truncate(ToyPath("toy.journal.2"), size - 3), 0);
  ToyBegin(&s);
  ToyEnd(&s);
  assert_int_equal(ToySize("toy.journal.2"), size - (64 + 8 + 24 % 5 * 3)); /* head and payload of number 24 */

  Standard(); /* the header: not ours; the snapshot has what it has */
  ToyFlip("toy.journal.2", 0, 0);
  GoesOn(20, 0, 1, "is damaged, or another run's: not used, and set aside as ");
  assert_true(ToyHas("toy.journal.2.bad"));

  Standard(); /* another identity */
  GOOD(CheckpointCreate(ToyPath("."), "toy", "other physics", &s.checkpoint));
  memset(&s.toy, 0, sizeof s.toy);
  GOOD(CheckpointSetCallbacks(s.checkpoint, &toy_callbacks, &s.toy));
  s.complaint = (Complaint){0};
  ToyListen();
  GOOD(CheckpointRecover(s.checkpoint, &s.complaint));
  assert_int_equal(ToyHeard(sizeof said, said), 2);
  assert_int_equal(s.complaint.exit_code, 0);
  assert_int_equal(s.toy.replayed, 0);
  ToyEnd(&s);
}

/* The middle is missing: what follows it is used, and what it held is to be done again. */
static void test_gap(void **state)
{
  ToySession s;

  (void)state;
  Standard();
  (void)unlink(ToyPath("toy.h5"));
  (void)unlink(ToyPath("toy.journal.1"));
  ToyListen();
  ToyBegin(&s);
  assert_int_equal(s.complaint.exit_code, 0);
  assert_int_equal(ToyHeard(sizeof said, said), 2);
  assert_non_null(strstr(said, "records 10 to 19 are in no journal"));
  assert_non_null(strstr(said, "and 5 records of the journals, what neither holds is done again"));
  assert_int_equal(s.toy.replayed, 5);
  assert_true(ToyFill(&s, 10, 20));
  assert_int_equal(s.toy.last_replayed, 24);
  Snapshot(&s);
  ToyEnd(&s);
  assert_int_equal(ToyCount(ToyPath("toy.h5")), 25);
}

/* A user's backup made of links, and a reader that has the file open since it was the result: neither is written into. */
static void test_files_in_other_hands_stay_as_they_are(void **state)
{
  ino_t read;
  int   fd;

  (void)state;
  Standard();
  assert_int_equal(link(ToyPath("toy.previous.h5"), ToyPath("backup")), 0);
  GoesOn(25, 5, 0, "");
  assert_int_equal(ToyCount(ToyPath("backup")), 10);

  Standard();
  fd = open(ToyPath("toy.previous.h5"), O_RDONLY);
  assert_true(fd >= 0 && !flock(fd, LOCK_SH));
  read = Inode("toy.previous.h5");
  GoesOn(25, 5, 0, "");
  assert_true(Inode("toy.h5") != read && Inode("toy.previous.h5") != read); /* it is the reader's alone */
  (void)close(fd);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cost_follows_what_changed),
    cmocka_unit_test(test_nothing_new_is_nothing_to_do),
    cmocka_unit_test(test_what_is_under_way_is_repeated),
    cmocka_unit_test(test_ticks),
    cmocka_unit_test(test_finish_leaves_the_result_alone),
    cmocka_unit_test(test_damaged_snapshot_falls_back),
    cmocka_unit_test(test_damaged_previous_is_not_used),
    cmocka_unit_test(test_deleted_files),
    cmocka_unit_test(test_nothing_whole_is_refused),
    cmocka_unit_test(test_unfinished_snapshot_is_the_last_resort),
    cmocka_unit_test(test_damaged_journals),
    cmocka_unit_test(test_gap),
    cmocka_unit_test(test_files_in_other_hands_stay_as_they_are),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL) || !ToyFolderMake()) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ToyFolderRemove();
  return PetscFinalize() ? 1 : failed;
}
