/*
  follow.h - a branch followed from a simulation, in one process, for tests.
*/
#ifndef GRAZE_TESTS_FOLLOW_H
#define GRAZE_TESTS_FOLLOW_H

#include "graze/continuation.h"

/* x'' + 2 D x' + x = A cos W t under a rigid stop, one mode of frequency 1, from rest half way to the stop; forcing and steps as they are
 * by default. */
void FollowOscillator(PetscReal damping, PetscReal restitution, PetscReal stop, ContinueParameter parameter, PetscReal low, PetscReal high,
                      Params *params);
void FollowCreate(const Params *params, PetscInt modes, Continuation *continuation);
/* The steady state from the stated initial condition at -forcing_amplitude, -forcing_frequency; it must be periodic. */
void FollowStart(Continuation continuation, const Params *params, BranchStart *start);
/* Its branch; every point is solved, is a motion of the structure, and comes after the one before; turns and changes of contacts between two
   points are in the table of special points; both ends have their reason. */
void FollowBranch(Continuation continuation, const BranchStart *start, Branch *branch);
/* All three: the object made for it and the branch are the caller's. */
void FollowFrom(const Params *params, PetscInt modes, Continuation *continuation, Branch *branch);
/* The special point of that type, counted from 0; -1: there is none. */
PetscInt FollowSpecial(const Branch *branch, SpecialType type, PetscInt number);

#endif
