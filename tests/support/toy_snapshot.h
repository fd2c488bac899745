/*
  toy_snapshot.h - the simplest thing that a checkpoint can keep: a file of numbered slots, each with a number and a checksum.

  Slot i gets the value ToyValue(i) by a record of kind TOY_VALUE. Every slot, and the mark at the head of the file, is written by
  two calls, so that a kill between them leaves it torn.
*/
#ifndef GRAZE_TESTS_TOY_SNAPSHOT_H
#define GRAZE_TESTS_TOY_SNAPSHOT_H

#include "graze/checkpoint.h"

enum { TOY_UNDER_WAY = 3, TOY_VALUE = 4 };

typedef struct {
  /* what it has seen */
  PetscInt64 written, replayed, checks, files; /* records, records, calls of check and begin */
  PetscInt64 last_replayed;                    /* number; -1: none */
  PetscBool  wrong;                            /* replayed out of order */
  /* what it is to do */
  PetscInt  under_way; /* records that are repeated in every new journal */
  PetscReal slow;      /* s that `end` takes */
  /* its own */
  int fd;
} Toy;

extern const CheckpointCallbacks toy_callbacks; /* ctx: a Toy */

PetscInt64 ToyValue(PetscInt64 i);
/* Slot i, or -1: something under way. false after a complaint */
PetscBool ToyAppend(Checkpoint checkpoint, PetscInt64 i, Complaint *complaint);
/* An empty file, generation 0. */
void ToyMakeFile(const char *path, PetscInt slots);
/* How many slots are filled, all right and from 0 on without a gap, in a file that is whole; -1: none of that. */
PetscInt ToyCount(const char *path);

#endif
