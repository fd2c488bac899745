/*
  snapshot.c - the next snapshot: a file to write into, the records that it lacks, and three names changed.

  The moments of it, and what a kill at each leaves (S, P, T as in checkpoint.c; g: the number of S)
    1  journal g synced, journal g + 1 begun          S + journal g + what is in g + 1;  P + journals g - 1, g, g + 1
    2  P renamed to T (or S copied to it)             S as before; T is nothing
    3  records written into T, synced, read back      S as before; T is nothing
    4  S gets P as a second name                      S as before; P is the same file, and is not written into (two names)
    5  T renamed to S                                 S is number g + 1, P is number g
    6  journal g - 1 deleted                          P + journals g, g + 1 = S + journal g + 1 = all
  Without hard links moment 4 renames S to P: until 5 there is no S, and recovery takes P.
  The folder is synced after 2 (what is written into T must never be found under P) and after 5 (before journal g - 1, which the old P
  needed, goes).
*/
#define _DEFAULT_SOURCE /* flock */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_impl.h"
#include "durable.h"
#include "graze/fault.h"
#include "graze/log.h"

/* Are all records first .. next - 1 in the journals? */
static PetscBool Covers_Private(Checkpoint c, PetscInt64 first, PetscInt64 next)
{
  for (PetscInt i = 0; i < c->n_journals; i++)
    if (c->journals[i].first <= first && c->journals[i].next > first) first = c->journals[i].next;
  return first >= next ? PETSC_TRUE : PETSC_FALSE;
}

/*
  May the file be written into? Not if it has a second name (S after a kill at moment 4, or a backup made of links), nor while somebody has
  it open with a lock, as HDF5 does for readers: it was S when they opened it.
*/
static PetscBool IsOurs_Private(const char *path)
{
  const int   fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat about;
  PetscBool   ours = PETSC_FALSE;

  if (fd < 0) return PETSC_FALSE;
  if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_nlink == 1)
    ours = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? PETSC_FALSE : PETSC_TRUE;
  (void)close(fd); /* the lock with it */
  return ours;
}

/* Is P a good file to make T from? One that an earlier session left is checked before it is relied upon, since no one else reads it. */
static PetscErrorCode UsePrevious_Private(Checkpoint c, const char *path, PetscBool *use)
{
  PetscFunctionBeginUser;
  *use = PETSC_FALSE;
  if (!c->has_previous || !IsOurs_Private(path)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->is_previous_good) {
    Complaint bad = {0};

    PetscCall(c->callbacks.check(c->ctx, path, &c->previous, &bad));
    if (bad.exit_code) {
      PetscCall(LogWarning("%s; it is not needed and will be replaced", bad.line));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    c->is_previous_good = PETSC_TRUE;
  }
  *use = c->previous.next <= c->current.next && Covers_Private(c, c->previous.next, c->current.next) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T, and the number of the first record that it lacks. */
static PetscErrorCode Base_Private(Checkpoint c, PetscInt64 *from, Complaint *complaint)
{
  char      current[CHECKPOINT_PATH], previous[CHECKPOINT_PATH], partial[CHECKPOINT_PATH];
  PetscBool use;

  PetscFunctionBeginUser;
  CheckpointPath_Private(c, PATH_CURRENT, current);
  CheckpointPath_Private(c, PATH_PREVIOUS, previous);
  CheckpointPath_Private(c, PATH_PARTIAL, partial);
  PetscCall(UsePrevious_Private(c, previous, &use));
  if (use) {
    *from           = c->previous.next;
    c->has_previous = PETSC_FALSE;
    if (rename(previous, partial) || !DurableNames(partial))
      ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", previous, partial, strerror(errno));
  } else {
    *from = c->current.next;
    if (!DurableCopy(current, partial))
      ComplaintSet(complaint, EXIT_IO, "cannot copy %.400s to %.400s: %s", current, partial, strerror(errno));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Checkpoint c;
  PetscInt64 from, written;
} Filling;

static PetscErrorCode Record_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Filling *filling = (Filling *)ctx;

  PetscFunctionBeginUser;
  if (record->number < filling->from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(filling->c->callbacks.record(filling->c->ctx, record, bytes, complaint));
  if (!filling->written++) PetscCall(FaultPoint("snapshot"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The records from..mark->next - 1 into T. What was in a journal when it was written, or recovered, has to be there still. */
static PetscErrorCode Fill_Private(Checkpoint c, PetscInt64 from, const CheckpointMark *mark, Complaint *complaint)
{
  Filling filling = {c, from, 0};
  char    path[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  CheckpointPath_Private(c, PATH_PARTIAL, path);
  PetscCall(c->callbacks.begin(c->ctx, path, complaint));
  for (PetscInt i = 0; i < c->n_journals - 1 && !complaint->exit_code; i++) { /* the last one is the new one */
    const CheckpointJournal *j = &c->journals[i];
    JournalExtent            extent;

    if (j->next <= from) continue;
    CheckpointJournalPath_Private(c, j->generation, path);
    PetscCall(JournalRead(path, c->identity, Record_Private, &filling, &extent, complaint));
    if (extent.first != j->first || extent.next != j->next)
      ComplaintSet(complaint, EXIT_IO, "cannot read back %.500s: record %lld is not what was written", path, (long long)extent.next);
  }
  PetscCall(c->callbacks.end(c->ctx, mark, complaint));
  CheckpointPath_Private(c, PATH_PARTIAL, path);
  if (!complaint->exit_code && !DurableFile(path)) ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moments 4 and 5. */
static PetscErrorCode Replace_Private(Checkpoint c, Complaint *complaint)
{
  char      current[CHECKPOINT_PATH], previous[CHECKPOINT_PATH], partial[CHECKPOINT_PATH];
  PetscBool linked;

  PetscFunctionBeginUser;
  CheckpointPath_Private(c, PATH_CURRENT, current);
  CheckpointPath_Private(c, PATH_PREVIOUS, previous);
  CheckpointPath_Private(c, PATH_PARTIAL, partial);
  (void)unlink(previous); /* one that was of no use */
  c->has_previous = PETSC_FALSE;
  linked          = link(current, previous) ? PETSC_FALSE : PETSC_TRUE;
  if (!linked && rename(current, previous)) {
    ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", current, previous, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FaultPoint("rename"));
  if (rename(partial, current)) {
    ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", partial, current, strerror(errno));
    if (linked ? unlink(previous) : rename(previous, current)) /* recovery does what cannot be done here */
      PetscCall(LogWarning("%.500s could not be taken back: %s", previous, strerror(errno)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckpointMakeSnapshot_Private(Checkpoint c, Complaint *complaint)
{
  const double   begin = CheckpointClock_Private();
  CheckpointMark mark  = {c->current.generation + 1, c->next};
  PetscInt64     from  = 0;
  char           partial[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  if (c->n_journals) mark.generation = PetscMax(mark.generation, c->journals[c->n_journals - 1].generation + 1);
  PetscCall(CheckpointBeginJournal_Private(c, mark.generation, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Base_Private(c, &from, complaint));
  if (!complaint->exit_code) PetscCall(Fill_Private(c, from, &mark, complaint));
  if (!complaint->exit_code) PetscCall(Replace_Private(c, complaint));
  CheckpointPath_Private(c, PATH_PARTIAL, partial);
  if (complaint->exit_code) {
    (void)unlink(partial);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  c->previous      = c->current;
  c->current       = mark;
  c->has_previous  = c->is_previous_good = PETSC_TRUE;
  c->fresh         = 0;
  c->taken         = CheckpointClock_Private();
  c->facts.last    = CheckpointTime_Private();
  c->facts.seconds = (PetscReal)(c->taken - begin);
  c->facts.bytes   = 0;
  if (DurableNames(partial)) PetscCall(CheckpointClean_Private(c));
  else ComplaintSet(complaint, EXIT_IO, "cannot write the folder %.500s: %s", c->folder, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}
