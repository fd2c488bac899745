/*
  schedule.h - who gets which piece when. Pure logic, no messages: the pool of real ranks and the simulation of thousands run the same.

  Dearest first, equals in the order added. A rank that has nothing comes before one that would get a second piece ahead of time; near the
  end nobody gets one ahead. Pieces that must run alone go out when all others are done and nothing is out, one at a time.
*/
#ifndef GRAZE_SCHEDULE_H
#define GRAZE_SCHEDULE_H

#include "graze/pool.h"

#define SCHEDULE_HELD 2 /* pieces that a rank may hold: the one in work and the next */

typedef struct _p_Schedule *Schedule;

typedef struct {
  PetscInt waiting; /* pieces that nobody has */
  PetscInt out;     /* pieces that ranks hold */
  PetscInt undone;  /* pieces that came back with steps left */
} ScheduleCounts;

/*
  Ranks 0 .. size - 1. root_works: rank 0 gets pieces too, though none ahead of time, and none that must run alone if others could do it.
*/
PetscErrorCode ScheduleCreate(PetscInt size, PetscBool root_works, Schedule *schedule);
PetscErrorCode ScheduleAdd(Schedule schedule, const PoolPiece *piece); /* carry is copied */
/* The next piece to hand out now, and to whom; piece = NULL: none as things stand. It is the schedule's until ScheduleEnd. */
PetscErrorCode ScheduleNext(Schedule schedule, PetscInt *rank, const PoolPiece **piece);
/* A step of the first piece that the rank holds is done; steps come in order. last: the piece has no more. */
PetscErrorCode ScheduleStep(Schedule schedule, PetscInt rank, PetscInt unit, PetscInt step, PetscBool *last);
/* The rank is through with the first piece it holds, done or not. */
PetscErrorCode ScheduleEnd(Schedule schedule, PetscInt rank);
/* The first piece that a rank holds, and its step to do next; piece = NULL: it holds none. */
PetscErrorCode ScheduleGetHeld(Schedule schedule, PetscInt rank, const PoolPiece **piece, PetscInt *step);
PetscErrorCode ScheduleStop(Schedule schedule); /* hand out nothing more */
PetscErrorCode ScheduleGetCounts(Schedule schedule, ScheduleCounts *counts);
PetscErrorCode ScheduleDestroy(Schedule *schedule);

#endif
