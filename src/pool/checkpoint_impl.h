/*
  checkpoint_impl.h - what the files of a checkpoint share. Private to src/pool.
*/
#ifndef GRAZE_CHECKPOINT_IMPL_H
#define GRAZE_CHECKPOINT_IMPL_H

#include "graze/checkpoint.h"

#define CHECKPOINT_PATH (PETSC_MAX_PATH_LEN + 128)

/* A journal in the folder: <name>.journal.<generation>, records first .. next - 1. */
typedef struct {
  PetscInt64 generation, first, next;
} CheckpointJournal;

struct _p_Checkpoint {
  /* parameters */
  char               *folder, *name, *identity;
  PetscReal           snapshot_seconds, sync_seconds;
  CheckpointCallbacks callbacks;
  /* borrowed */
  void *ctx;
  /* owned */
  Journal            journal;  /* the last of `journals`, open; NULL before recovery and after the finish */
  CheckpointJournal *journals; /* shape [n_journals], by generation; those that a snapshot that is kept may need */
  /* work */
  PetscInt n_journals, room;
  /* status */
  CheckpointMark  current; /* of <name>.h5 */
  PetscBool       has_previous, is_previous_good; /* good: checked, or made, in this session, and `previous` is its mark */
  CheckpointMark  previous;
  PetscInt64      next;          /* number of the next record */
  PetscInt64      fresh;         /* records since the last snapshot, but for those with which a journal began: they only repeat */
  PetscBool       unsynced;
  double          synced, taken; /* monotonic clock [s]: last sync, last snapshot (or recovery) */
  CheckpointFacts facts;
};

typedef enum { PATH_CURRENT, PATH_PREVIOUS, PATH_PARTIAL, PATH_BAD } CheckpointFile;

void   CheckpointPath_Private(Checkpoint c, CheckpointFile file, char path[CHECKPOINT_PATH]);
void   CheckpointJournalPath_Private(Checkpoint c, PetscInt64 generation, char path[CHECKPOINT_PATH]);
double CheckpointClock_Private(void); /* monotonic [s] */
double CheckpointTime_Private(void);  /* Unix [s] */

/* One more at the end of `journals`. */
PetscErrorCode CheckpointAddJournal_Private(Checkpoint c, const CheckpointJournal *journal);
/* The journal in use is synced and closed, the next one of this generation takes its place; what is under way is repeated in it. */
PetscErrorCode CheckpointBeginJournal_Private(Checkpoint c, PetscInt64 generation, Complaint *complaint);
/* Journals that no snapshot needs are deleted; empty ones with them, but for the one in use. */
PetscErrorCode CheckpointClean_Private(Checkpoint c);
/* The next snapshot, whether or not there is anything new. After a complaint all is as before, but there may be no previous snapshot. */
PetscErrorCode CheckpointMakeSnapshot_Private(Checkpoint c, Complaint *complaint);

#endif
