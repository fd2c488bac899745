/*
  checkpoint_recover.c - what an earlier session left: choose a snapshot that is whole, replay the journals, and begin where they end.

  Snapshots are tried in the order S, P, T (checkpoint.c). T comes in only if both others are damaged: it is whole if no record was
  just being written into it. Nothing is renamed or deleted before one was found good.

  Records are independent of each other (each carries all it needs), so those that follow a gap are used too. A journal that is
  none, or of another run, is set aside under another name; of one that is torn the whole records stay.
*/
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_impl.h"
#include "durable.h"
#include "graze/log.h"

#define DIGITS 18 /* of a generation, at most */

typedef struct {
  Checkpoint     c;
  CheckpointFile source; /* the snapshot chosen */
  char           why[sizeof((Complaint *)0)->line]; /* not S */
  PetscInt64     replayed, expected; /* records; number of the next one if none is missing */
  PetscBool      lost;               /* records that were acknowledged may be missing */
} Recovery;

/* A file is there, and can be looked at; or it is not there; anything else is a complaint. */
static PetscBool IsThere_Private(const char *path, Complaint *complaint)
{
  if (!access(path, R_OK)) return PETSC_TRUE;
  if (errno != ENOENT) ComplaintSet(complaint, EXIT_FILES, "cannot read %.500s: %s", path, strerror(errno));
  return PETSC_FALSE;
}

static PetscErrorCode Choose_Private(Recovery *r, Complaint *complaint)
{
  const Checkpoint c = r->c;

  PetscFunctionBeginUser;
  for (int i = PATH_CURRENT; i <= PATH_PARTIAL && !complaint->exit_code; i++) {
    Complaint bad = {0};
    char      path[CHECKPOINT_PATH];

    r->source = (CheckpointFile)i;
    CheckpointPath_Private(c, r->source, path);
    if (!IsThere_Private(path, complaint)) {
      if (i == PATH_CURRENT) (void)snprintf(r->why, sizeof r->why, "%.500s is missing", path);
      continue;
    }
    PetscCall(c->callbacks.check(c->ctx, path, &c->current, &bad));
    if (!bad.exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    if (bad.exit_code != EXIT_FILES) *complaint = bad;
    if (i == PATH_CURRENT) memcpy(r->why, bad.line, sizeof r->why);
  }
  ComplaintSet(complaint, EXIT_FILES, "%.800s; there is no whole snapshot beside it", r->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The snapshot chosen becomes S. A damaged one is kept for whoever wants to look at it. */
static PetscErrorCode Adopt_Private(Recovery *r, Complaint *complaint)
{
  const Checkpoint c = r->c;
  char             current[CHECKPOINT_PATH], source[CHECKPOINT_PATH], partial[CHECKPOINT_PATH], bad[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  CheckpointPath_Private(c, PATH_CURRENT, current);
  CheckpointPath_Private(c, r->source, source);
  CheckpointPath_Private(c, PATH_PARTIAL, partial);
  CheckpointPath_Private(c, PATH_BAD, bad);
  if (r->source == PATH_CURRENT) {
    CheckpointPath_Private(c, PATH_PREVIOUS, source);
    c->has_previous = access(source, F_OK) ? PETSC_FALSE : PETSC_TRUE;
  } else {
    if (rename(current, bad) && errno != ENOENT)
      ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", current, bad, strerror(errno));
    else if (rename(source, current))
      ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", source, current, strerror(errno));
    c->has_previous = PETSC_FALSE;
  }
  c->is_previous_good = PETSC_FALSE;
  c->previous         = (CheckpointMark){0, 0};
  if (!complaint->exit_code) (void)unlink(partial);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "<name>.journal.<digits>": the number; else -1. */
static PetscInt64 GenerationOf_Private(Checkpoint c, const char *name)
{
  const size_t length = strlen(c->name);
  size_t       digits;

  if (strncmp(name, c->name, length) || strncmp(name + length, ".journal.", 9)) return -1;
  name += length + 9;
  digits = strspn(name, "0123456789");
  return digits && digits <= DIGITS && !name[digits] ? strtoll(name, NULL, 10) : -1;
}

static int CompareJournals_Private(const void *a, const void *b)
{
  const PetscInt64 one = ((const CheckpointJournal *)a)->generation, other = ((const CheckpointJournal *)b)->generation;

  return (one > other) - (one < other);
}

/* The journals of the folder, by generation. */
static PetscErrorCode List_Private(Checkpoint c, Complaint *complaint)
{
  struct dirent *entry;
  DIR           *folder = opendir(c->folder);

  PetscFunctionBeginUser;
  c->n_journals = 0;
  if (!folder) ComplaintSet(complaint, EXIT_FILES, "cannot read the folder %.500s: %s", c->folder, strerror(errno));
  while (folder && (entry = readdir(folder))) {
    const CheckpointJournal journal = {GenerationOf_Private(c, entry->d_name), 0, 0};

    if (journal.generation >= 0) PetscCall(CheckpointAddJournal_Private(c, &journal));
  }
  if (folder) (void)closedir(folder);
  if (c->n_journals) qsort(c->journals, (size_t)c->n_journals, sizeof *c->journals, CompareJournals_Private);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Replay_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Recovery *r = (Recovery *)ctx;

  PetscFunctionBeginUser;
  if (record->number < r->c->current.next) PetscFunctionReturn(PETSC_SUCCESS);
  r->replayed++;
  r->c->facts.last_record_time = record->time;
  if (r->c->callbacks.replay) PetscCall(r->c->callbacks.replay(r->c->ctx, record, bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAside_Private(const char *path, Complaint *complaint)
{
  char bad[CHECKPOINT_PATH + 8];

  PetscFunctionBeginUser;
  (void)snprintf(bad, sizeof bad, "%s.bad", path);
  if (rename(path, bad)) ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s to %.400s: %s", path, bad, strerror(errno));
  else PetscCall(LogWarning("%s is damaged, or another run's: not used, and set aside as %s", path, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One journal: replayed, cut where it is torn. used: it stays in the list. */
static PetscErrorCode ReadJournal_Private(Recovery *r, CheckpointJournal *journal, PetscBool is_last, PetscBool *used, Complaint *complaint)
{
  const Checkpoint c = r->c;
  JournalExtent    extent;
  char             path[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  *used = PETSC_FALSE;
  CheckpointJournalPath_Private(c, journal->generation, path);
  PetscCall(JournalRead(path, c->identity, Replay_Private, r, &extent, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (extent.next < 0) {
    r->lost = PETSC_TRUE;
    PetscCall(SetAside_Private(path, complaint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (extent.torn) {
    if (truncate(path, (off_t)extent.whole) || !DurableFile(path)) {
      ComplaintSet(complaint, EXIT_IO, "cannot cut %.500s: %s", path, strerror(errno));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!is_last) r->lost = PETSC_TRUE;
    PetscCall(LogWarning("%s: cut back to its last whole record, number %lld; %lld bytes behind it are torn or damaged", path,
                         (long long)extent.next - 1, (long long)extent.torn));
  }
  if (extent.first > r->expected) {
    r->lost = PETSC_TRUE;
    PetscCall(LogWarning("records %lld to %lld are in no journal of %s: what they held is done again, what follows them is used",
                         (long long)r->expected, (long long)extent.first - 1, c->folder));
  }
  r->expected    = PetscMax(r->expected, extent.next);
  journal->first = extent.first;
  journal->next  = extent.next;
  *used          = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadJournals_Private(Recovery *r, Complaint *complaint)
{
  const Checkpoint c    = r->c;
  PetscInt         kept = 0, n;

  PetscFunctionBeginUser;
  r->expected = c->next = c->current.next;
  PetscCall(List_Private(c, complaint));
  n = c->n_journals;
  for (PetscInt i = 0; i < n && !complaint->exit_code; i++) {
    CheckpointJournal journal = c->journals[i];
    PetscBool         used;

    PetscCall(ReadJournal_Private(r, &journal, i == n - 1 ? PETSC_TRUE : PETSC_FALSE, &used, complaint));
    if (!used) continue;
    c->journals[kept++] = journal;
    if (journal.next > journal.first) c->next = PetscMax(c->next, journal.next);
  }
  c->n_journals = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The journal that began with the snapshot that cannot be used shows that nothing is missing up to it. */
static PetscErrorCode SayChoice_Private(Recovery *r)
{
  const Checkpoint c      = r->c;
  const PetscInt64 newest = c->n_journals ? c->journals[c->n_journals - 1].generation : -1;
  const PetscBool  whole  = !r->lost && newest > c->current.generation ? PETSC_TRUE : PETSC_FALSE;
  char             path[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  if (r->source == PATH_CURRENT) PetscFunctionReturn(PETSC_SUCCESS);
  CheckpointPath_Private(c, r->source, path);
  PetscCall(LogWarning("%s: going on from %s and %lld records of the journals, %s", r->why, path, (long long)r->replayed,
                       whole ? "nothing is lost" : "what neither holds is done again"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointRecover - Bring together what earlier sessions left, and be ready to append.

  Not collective: root.
  Complaint: EXIT_FILES if no snapshot is whole, or something cannot be read: nothing was changed; EXIT_IO: recovery can be tried again
  Cost:    the snapshot and the journals are read once. What the journals hold waits there for the next snapshot, so that a large result
           is not copied before work begins; only where something was lost or damaged a new snapshot is made at once
*/
PetscErrorCode CheckpointRecover(Checkpoint checkpoint, Complaint *complaint)
{
  const Checkpoint c = checkpoint;
  Recovery         r = {.c = c};
  struct stat      about;
  char             path[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!c->journal, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a journal is in use");
  PetscCall(Choose_Private(&r, complaint));
  if (!complaint->exit_code) PetscCall(ReadJournals_Private(&r, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SayChoice_Private(&r));
  PetscCall(Adopt_Private(&r, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);

  CheckpointPath_Private(c, PATH_CURRENT, path);
  if (!stat(path, &about)) c->facts.last = (double)about.st_mtime;
  c->taken = c->synced = CheckpointClock_Private();
  if (r.replayed && (r.lost || r.source != PATH_CURRENT)) {
    PetscCall(CheckpointMakeSnapshot_Private(c, complaint));
  } else {
    PetscInt64 generation = c->current.generation;

    PetscCall(CheckpointClean_Private(c));
    if (c->n_journals) generation = PetscMax(generation, c->journals[c->n_journals - 1].generation + 1);
    PetscCall(CheckpointBeginJournal_Private(c, generation, complaint));
    c->fresh = r.replayed;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt64   from;
  JournalVisit visit;
  void        *ctx;
} Visiting;

static PetscErrorCode Visit_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  const Visiting *v = (const Visiting *)ctx;

  PetscFunctionBeginUser;
  if (record->number >= v->from) PetscCall(v->visit(v->ctx, record, bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointVisit - The records that recovery found and that are in no snapshot yet, in order.

  Not collective: root, after CheckpointRecover. Complaint: EXIT_FILES if a journal cannot be read; one that visit leaves ends the visit
  Cost:    the journals are read
*/
PetscErrorCode CheckpointVisit(Checkpoint checkpoint, JournalVisit visit, void *ctx, Complaint *complaint)
{
  const Checkpoint c = checkpoint;
  Visiting         v = {c->current.next, visit, ctx};

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < c->n_journals - 1 && !complaint->exit_code; i++) { /* the last one is this session's */
    JournalExtent extent;
    char          path[CHECKPOINT_PATH];

    if (c->journals[i].next <= v.from) continue;
    CheckpointJournalPath_Private(c, c->journals[i].generation, path);
    PetscCall(JournalRead(path, c->identity, Visit_Private, &v, &extent, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
