/*
  pool_job.h - work for a pool under test: steps that sleep, with bytes known from their numbers, and callbacks that check what they are
  given.

  What steps give and how long they take depends on their number alone, so that right is the same for every rank count. What is not so is
  printed and counted: ranks agree on what failed before they assert, lest one waits for the others.
*/
#ifndef POOL_JOB_H
#define POOL_JOB_H

#include <stdio.h>

#include "graze/pool.h"

#define EXPECT(condition)                                                                                                                  \
  do {                                                                                                                                     \
    if (!(condition)) {                                                                                                                    \
      failures++;                                                                                                                          \
      fprintf(stderr, "rank %d of %d, line %d: not so: %s\n", rank, size, __LINE__, #condition);                                           \
    }                                                                                                                                      \
  } while (0)

#define MOST_UNITS 80
#define MOST_STEPS 1000
#define MOST_BYTES 300000 /* well above what MPI sends without a receiver */
#define MOST_CARRY 2000000
#define NEVER      1e9

extern PetscMPIInt rank, size;
extern int         failures;

typedef struct {
  /* what units are */
  PetscInt  n, steps[MOST_UNITS], nbytes[MOST_UNITS], carry[MOST_UNITS];
  PetscReal cost[MOST_UNITS];
  PetscBool alone[MOST_UNITS];
  double    step_seconds[MOST_UNITS], commit_seconds;
  PetscBool polls; /* of this rank */
  /* what root does */
  PetscInt add_below;      /* a commit of a last step below adds unit + add_below */
  double   stop_at, grace; /* s after the run began */
  double   stop_again_at, grace_again;
  int      signal; /* raised by the highest rank, in its first step */
  Pool     pool;   /* the one that runs it */
  /* what happened */
  unsigned char bytes[MOST_BYTES];
  double        begin, seconds_asleep, longest_silence, last_tick, noticed;
  PetscInt      committed[MOST_UNITS], units_of_rank[64], calls, assigned, given_up, sent;
  PetscBool     is_out[MOST_UNITS];
  unsigned      interrupts;
  double        longest_call; /* s, of PoolStep */
  double        heard_apart;  /* s, longest time that a rank in work was silent, as root saw it at its ticks */
} PoolJob;

extern PoolJob job; /* of this rank */

unsigned       PoolJobScramble(unsigned x); /* bits at random, the same for the same x */
void           PoolJobSleep(double seconds);
PetscErrorCode PoolJobAdd(Pool pool, PetscInt unit);
/* The four callbacks, with &job as context. */
PetscErrorCode PoolJobWork(void *ctx, Pool pool, const PoolPiece *piece);
PetscErrorCode PoolJobAssign(void *ctx, PetscMPIInt to, const PoolPiece *piece, Complaint *complaint);
PetscErrorCode PoolJobCommit(void *ctx, PetscMPIInt from, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                             Complaint *complaint);
PetscErrorCode PoolJobTick(void *ctx, Pool pool, Complaint *complaint);

#endif
