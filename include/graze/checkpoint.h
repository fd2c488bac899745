/*
  checkpoint.h - a result file and the journal of what is not in it yet, kept so that a kill at any moment loses nothing that was
  acknowledged.

  Files in the folder, for the name "sweep":
    sweep.h5              the last snapshot, generation g: a full checkpoint by itself
    sweep.previous.h5     the one before, g-1
    sweep.h5.partial      the next one, while it is made
    sweep.journal.G       records since snapshot G, or of a session that began between two snapshots; kept are those from snapshot g-1 on
    *.bad                 a damaged snapshot or a journal that cannot be used, set aside at recovery
  Snapshot g + the journals since = all; so is snapshot g-1 + the journals since that, should snapshot g be damaged.

  A snapshot is made from the one before the last by writing into it the records of the last two journals: its cost follows
  what has changed, not the size of the result. Only where there is none that can be written into (first snapshot, after a fallback, a
  reader's lock, a link) the file is copied. Order: sync journal g, begin journal g+1; previous -> partial; records; fsync; verify what was
  written; link snapshot g as previous; rename partial over the result; delete journal g-1. The user's file is there at every moment.

  Root only. What a record means, and what a file is, is known to the callbacks.
*/
#ifndef GRAZE_CHECKPOINT_H
#define GRAZE_CHECKPOINT_H

#include "graze/journal.h"

typedef struct _p_Checkpoint *Checkpoint;

/* What a snapshot says of itself. */
typedef struct {
  PetscInt64 generation; /* 0: as created */
  PetscInt64 next;       /* number of the first record that is not in it */
} CheckpointMark;

typedef struct {
  /* Is the file whole? Everything in it is checked. complaint EXIT_FILES: it is not (the line says what is wrong); else its mark. */
  PetscErrorCode (*check)(void *ctx, const char *path, CheckpointMark *mark, Complaint *complaint);
  /* Write records into the snapshot at `path`: begin, record (each, in order, records may come twice), end: set mark, flush to the device,
     close, and read back what was written; EXIT_IO if it differs or cannot be written. begin and end come in pairs, also after a complaint
     (end then only closes). */
  PetscErrorCode (*begin)(void *ctx, const char *path, Complaint *complaint);
  PetscErrorCode (*record)(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint);
  PetscErrorCode (*end)(void *ctx, const CheckpointMark *mark, Complaint *complaint);
  /* At recovery: each record that is not in the snapshot chosen, in order, after the check that chose it. May be NULL. */
  PetscErrorCode (*replay)(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint);
  /* A new journal has begun: append what later records build on (assignments under way). May be NULL. */
  PetscErrorCode (*begun)(void *ctx, Checkpoint checkpoint, Complaint *complaint);
} CheckpointCallbacks;

typedef struct {
  PetscInt64 generation, records; /* of the last snapshot; records appended in this session */
  double     last;                /* Unix time of the last snapshot */
  PetscReal  seconds;             /* it took */
  PetscInt64 bytes;               /* journal since then */
  PetscInt64 next;                /* number that the next record gets */
  double     last_record_time;    /* Unix time of the last record of earlier sessions that recovery saw; 0: none */
} CheckpointFacts;

PetscErrorCode CheckpointCreate(const char *folder, const char *name, const char *identity, Checkpoint *checkpoint);
PetscErrorCode CheckpointSetCallbacks(Checkpoint checkpoint, const CheckpointCallbacks *callbacks, void *ctx);
PetscErrorCode CheckpointSetIntervals(Checkpoint checkpoint, PetscReal snapshot_seconds, PetscReal sync_seconds);
/*
  <name>.h5 is there. Choose the snapshot (the last good one), replay the journals that follow it, begin a journal. What was replayed is
  merged by the next snapshot, at once if anything was lost or damaged. A torn tail, a damaged journal or snapshot, and what was done about
  it: a LogWarning each. EXIT_FILES if no snapshot is good.
*/
PetscErrorCode CheckpointRecover(Checkpoint checkpoint, Complaint *complaint);
/* What recovery replayed and no snapshot holds yet, once more. */
PetscErrorCode CheckpointVisit(Checkpoint checkpoint, JournalVisit visit, void *ctx, Complaint *complaint);
PetscErrorCode CheckpointAppend(Checkpoint checkpoint, JournalRecord *record, const void *bytes, Complaint *complaint);
PetscErrorCode CheckpointSync(Checkpoint checkpoint, Complaint *complaint); /* what was appended, to the device, now */
/* Sync and snapshot when they are due. A snapshot that takes more than 1/200 of the interval stretches it to 200 times what it took. */
PetscErrorCode CheckpointTick(Checkpoint checkpoint, Complaint *complaint);
PetscErrorCode CheckpointSnapshot(Checkpoint checkpoint, Complaint *complaint); /* now */
/* All is done: the journals and the previous snapshot are deleted. After CheckpointSnapshot. */
PetscErrorCode CheckpointFinish(Checkpoint checkpoint, Complaint *complaint);
PetscErrorCode CheckpointGetFacts(Checkpoint checkpoint, CheckpointFacts *facts);
PetscErrorCode CheckpointDestroy(Checkpoint *checkpoint); /* syncs and closes the journal */

#endif
