/*
  checkpoint.c - records go into the journal; now and then a snapshot is due.

  Invariants, at every moment and whatever process or machine dies at it (S: <name>.h5, P: <name>.previous.h5, T: <name>.h5.partial)
  * S is whole and has all records below its mark; the journals have all the others that were acknowledged. So S + journals = all. On a file
    system without hard links S is away for the moment between two renames, and P is what S was.
  * P, where it is there, is whole too, and the journals have all records from its mark on: P + journals = all.
  * Only T is written in place. It becomes S after it was synced and read back; until then it is nothing that anybody relies on.
  * A journal is deleted after both S and P have its records.
  A complaint (a full disk) leaves the same invariants: T is removed, S stays, the journals go on. What may be gone is P, which T is
  made from; the next snapshot then begins with a copy of S.

  Each attempt at a snapshot begins a journal, and both get the next number: after an attempt that failed there is one journal more
  between S and the next snapshot, and nothing else is different.

  snapshot.c makes a snapshot, checkpoint_recover.c finds one at the start.
*/
#define _POSIX_C_SOURCE 200809L

#include "graze/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checkpoint_impl.h"
#include "durable.h"
#include "graze/log.h"

#define STRETCH 200 /* times what a snapshot took is the least time between two: half a percent of the run */

void CheckpointPath_Private(Checkpoint c, CheckpointFile file, char path[CHECKPOINT_PATH])
{
  static const char *const ends[] = {".h5", ".previous.h5", ".h5.partial", ".h5.bad"};

  (void)snprintf(path, CHECKPOINT_PATH, "%s/%s%s", c->folder, c->name, ends[file]);
}

void CheckpointJournalPath_Private(Checkpoint c, PetscInt64 generation, char path[CHECKPOINT_PATH])
{
  (void)snprintf(path, CHECKPOINT_PATH, "%s/%s.journal.%lld", c->folder, c->name, (long long)generation);
}

static double Clock_Private(clockid_t which)
{
  struct timespec now;

  (void)clock_gettime(which, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double CheckpointClock_Private(void)
{
  return Clock_Private(CLOCK_MONOTONIC);
}

double CheckpointTime_Private(void)
{
  return Clock_Private(CLOCK_REALTIME);
}

/*
  CheckpointCreate - Name the files; nothing is read or written.

  Not collective: root.
  Input:   folder, name - of <folder>/<name>.h5;  identity - text of the run that the journals belong to (its physics)
  Output:  checkpoint
*/
PetscErrorCode CheckpointCreate(const char *folder, const char *name, const char *identity, Checkpoint *checkpoint)
{
  PetscFunctionBeginUser;
  PetscCheck(strlen(folder) < PETSC_MAX_PATH_LEN && strlen(name) < 64, PETSC_COMM_SELF, PETSC_ERR_PLIB, "too long: %s/%s", folder, name);
  PetscCall(PetscNew(checkpoint));
  PetscCall(PetscStrallocpy(folder, &(*checkpoint)->folder));
  PetscCall(PetscStrallocpy(name, &(*checkpoint)->name));
  PetscCall(PetscStrallocpy(identity, &(*checkpoint)->identity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointSetCallbacks - What a file is and what records mean.

  Not collective: root.
  Input:  callbacks - copied;  ctx - handed to each of them
*/
PetscErrorCode CheckpointSetCallbacks(Checkpoint checkpoint, const CheckpointCallbacks *callbacks, void *ctx)
{
  PetscFunctionBeginUser;
  checkpoint->callbacks = *callbacks;
  checkpoint->ctx       = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointSetIntervals - How often CheckpointTick makes a snapshot (0: each time there is anything new) and syncs the journal [s].

  Not collective: root.
*/
PetscErrorCode CheckpointSetIntervals(Checkpoint checkpoint, PetscReal snapshot_seconds, PetscReal sync_seconds)
{
  PetscFunctionBeginUser;
  checkpoint->snapshot_seconds = snapshot_seconds;
  checkpoint->sync_seconds     = sync_seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckpointAddJournal_Private(Checkpoint c, const CheckpointJournal *journal)
{
  PetscFunctionBeginUser;
  if (c->n_journals == c->room) {
    CheckpointJournal *larger;

    c->room = 2 * c->room + 4;
    PetscCall(PetscMalloc1(c->room, &larger));
    PetscCall(PetscArraycpy(larger, c->journals, c->n_journals));
    PetscCall(PetscFree(c->journals));
    c->journals = larger;
  }
  c->journals[c->n_journals++] = *journal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckpointBeginJournal_Private(Checkpoint c, PetscInt64 generation, Complaint *complaint)
{
  const CheckpointJournal next = {generation, c->next, c->next};
  char                    path[CHECKPOINT_PATH];
  Journal                 journal;

  PetscFunctionBeginUser;
  if (c->journal) PetscCall(CheckpointSync(c, complaint));
  CheckpointJournalPath_Private(c, generation, path);
  PetscCall(JournalCreate(path, generation, c->next, c->identity, &journal, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(JournalClose(&c->journal, complaint));
  c->journal = journal;
  PetscCall(CheckpointAddJournal_Private(c, &next));
  if (c->callbacks.begun && !complaint->exit_code) PetscCall(c->callbacks.begun(c->ctx, c, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckpointClean_Private(Checkpoint c)
{
  const PetscInt64 oldest = c->has_previous ? c->previous.next : c->current.next;
  PetscInt         kept   = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < c->n_journals; i++) {
    const CheckpointJournal *j      = &c->journals[i];
    const PetscBool          in_use = c->journal && i == c->n_journals - 1 ? PETSC_TRUE : PETSC_FALSE;
    char                     path[CHECKPOINT_PATH];

    CheckpointJournalPath_Private(c, j->generation, path);
    /* one that cannot be deleted does no harm, and is tried again */
    if (in_use || (j->next > oldest && j->next > j->first) || (unlink(path) && errno != ENOENT)) c->journals[kept++] = *j;
  }
  c->n_journals = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointAppend - A record into the journal: from here on it survives this process.

  Not collective: root, after CheckpointRecover.
  Input:   record - all but number and time;  bytes - shape [record->nbytes]
  Output:  record - number and time filled in
  Complaint: EXIT_IO: it is not in, and all that was before it is
  Cost:    one write
*/
PetscErrorCode CheckpointAppend(Checkpoint checkpoint, JournalRecord *record, const void *bytes, Complaint *complaint)
{
  const Checkpoint c = checkpoint;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(c->journal, PETSC_COMM_SELF, PETSC_ERR_PLIB, "no journal has begun");
  PetscCall(JournalAppend(c->journal, record, bytes, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  c->next                             = record->number + 1;
  c->journals[c->n_journals - 1].next = c->next;
  c->unsynced                         = PETSC_TRUE;
  c->facts.bytes += record->nbytes;
  c->facts.records++;
  c->fresh++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointSync - What was appended, to the device: from here on it survives this machine.

  Not collective: root.
  Complaint: EXIT_IO
*/
PetscErrorCode CheckpointSync(Checkpoint checkpoint, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!checkpoint->unsynced || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(JournalSync(checkpoint->journal, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  checkpoint->unsynced = PETSC_FALSE;
  checkpoint->synced   = CheckpointClock_Private();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointTick - To be called often: a snapshot or a sync if one is due.

  Not collective: root.
  Complaint: EXIT_IO
  Cost:    a look at the clock, mostly
*/
PetscErrorCode CheckpointTick(Checkpoint checkpoint, Complaint *complaint)
{
  const Checkpoint c        = checkpoint;
  const double     now      = CheckpointClock_Private();
  const PetscReal  interval = c->snapshot_seconds > 0 ? PetscMax(c->snapshot_seconds, STRETCH * c->facts.seconds) : 0;

  PetscFunctionBeginUser;
  if (now - c->taken >= interval) PetscCall(CheckpointSnapshot(c, complaint));
  if (now - c->synced >= c->sync_seconds) PetscCall(CheckpointSync(c, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointSnapshot - Make a snapshot of all that was appended; nothing to do if there is nothing new.

  Not collective: root.
  Complaint: EXIT_IO: the snapshot before it and the journals are there
  Cost:    what was appended since the snapshot before the last is read, written and read back; no copy of the file but the first time
*/
PetscErrorCode CheckpointSnapshot(Checkpoint checkpoint, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (checkpoint->fresh && !complaint->exit_code) PetscCall(CheckpointMakeSnapshot_Private(checkpoint, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointFinish - Leave the result alone in the folder. Nothing can be appended after that.

  Not collective: root, after CheckpointSnapshot.
  Complaint: EXIT_IO if something cannot be deleted; the result is whole all the same
*/
PetscErrorCode CheckpointFinish(Checkpoint checkpoint, Complaint *complaint)
{
  const Checkpoint c = checkpoint;
  char             path[CHECKPOINT_PATH];

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!c->fresh, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%lld records are in no snapshot", (long long)c->fresh);
  PetscCall(JournalClose(&c->journal, complaint));
  for (PetscInt i = 0; i < c->n_journals; i++) {
    CheckpointJournalPath_Private(c, c->journals[i].generation, path);
    if (unlink(path) && errno != ENOENT) ComplaintSet(complaint, EXIT_IO, "cannot delete %.500s: %s", path, strerror(errno));
  }
  c->n_journals = 0;
  CheckpointPath_Private(c, PATH_PREVIOUS, path);
  if (unlink(path) && errno != ENOENT) ComplaintSet(complaint, EXIT_IO, "cannot delete %.500s: %s", path, strerror(errno));
  c->has_previous = c->is_previous_good = c->unsynced = PETSC_FALSE;
  if (!DurableNames(path)) ComplaintSet(complaint, EXIT_IO, "cannot write the folder %.500s: %s", c->folder, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CheckpointGetFacts - What there is to tell of snapshots and journal. Not collective: root. */
PetscErrorCode CheckpointGetFacts(Checkpoint checkpoint, CheckpointFacts *facts)
{
  PetscFunctionBeginUser;
  *facts            = checkpoint->facts;
  facts->generation = checkpoint->current.generation;
  facts->next       = checkpoint->next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CheckpointDestroy - Sync, close, forget; the files stay.

  Not collective: root. A journal that cannot be synced is said in the log.
*/
PetscErrorCode CheckpointDestroy(Checkpoint *checkpoint)
{
  Complaint complaint = {0};

  PetscFunctionBeginUser;
  if (!*checkpoint) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(JournalClose(&(*checkpoint)->journal, &complaint));
  if (complaint.exit_code) PetscCall(LogWarning("%s", complaint.line));
  PetscCall(PetscFree((*checkpoint)->journals));
  PetscCall(PetscFree((*checkpoint)->identity));
  PetscCall(PetscFree((*checkpoint)->name));
  PetscCall(PetscFree((*checkpoint)->folder));
  PetscCall(PetscFree(*checkpoint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
