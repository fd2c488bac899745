/*
  toy_session.h - a folder of its own, sessions of a checkpoint in it, and what they said.
*/
#ifndef GRAZE_TESTS_TOY_SESSION_H
#define GRAZE_TESTS_TOY_SESSION_H

#include "support/toy_snapshot.h"

#define TOY_SLOTS 64

typedef struct {
  Toy        toy;
  Checkpoint checkpoint;
  Complaint  complaint;
} ToySession;

/* A temporary folder, in memory where there is such a file system: nothing here depends on the device. 0: it cannot be made. */
int  ToyFolderMake(void);
void ToyFolderRemove(void);
/* Path of a file in it; valid until the eighth call after. */
const char *ToyPath(const char *name);
/* Deletes all that is in it, and makes toy.h5 with so many empty slots. */
void      ToyFolderFresh(PetscInt slots);
PetscInt  ToyFiles(void); /* in it, but for log.txt */
PetscBool ToyHas(const char *name);
long      ToySize(const char *name); /* bytes */
void      ToyFlip(const char *name, long at, int bit); /* one bit of the byte at `at` */

/* Up to and with CheckpointRecover. No snapshots by CheckpointTick unless asked for. */
void ToyBegin(ToySession *session);
void ToyEnd(ToySession *session);
/* Slots first .. next - 1. false after a complaint */
PetscBool ToyFill(ToySession *session, PetscInt first, PetscInt next);

/* What is logged from here on is heard by ToyHeard: the number of warnings; `text`: all of them, up to `size` bytes. */
void     ToyListen(void);
PetscInt ToyHeard(size_t size, char *text);

#endif
