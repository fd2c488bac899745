/*
  problem.h - the stroboscopic map of one mode cut as a function of state and parameter, seen at a section.   [theory 18.1]

  The section is a phase of the forcing at which the tip is in flight, so that a state has no contact to remember and no event sits on it.
  Private to src/continuation.
*/
#ifndef GRAZE_PROBLEM_H
#define GRAZE_PROBLEM_H

#include "graze/branch.h"
#include "graze/model.h"

typedef struct {
  /* parameters */
  Params            params; /* of the cut */
  ContinueParameter parameter;
  PetscReal         amplitude, frequency, stop, damping; /* the one that is continued is not used */
  PetscReal         section;                             /* fraction of the forcing period after the user's strobe, in [0,1) */
  /* owned */
  Model       model;
  Flow        flow;
  FlowTangent tangent;
  FlowState   state;
  PetscReal  *ahead, *behind; /* images beside the parameter, shape [n] */
  /* status */
  PetscInt         M, n;
  const PetscReal *energy;
  PetscBool        fits;                /* the flow has n states: near critical damping the tail may lose one */
  PetscReal        now[4], section_now; /* what the flow was last set to: amplitude, frequency, stop, damping */
} Problem;

PetscErrorCode ProblemCreate(MPI_Comm comm, const Params *params, PetscInt modes, Problem *problem, Complaint *complaint);
PetscErrorCode ProblemDestroy(Problem *problem);
/* The four parameters of the branch's start; which one is continued is known from params. */
void ProblemSetConstants(Problem *problem, const BranchStart *start);
/* The flow at this value of the parameter. Cost O(M^2); of a damping ratio O(M^3). */
PetscErrorCode ProblemSet(Problem *problem, PetscReal lambda);
/* Forcing period at this value. */
PetscReal ProblemPeriod(const Problem *problem, PetscReal lambda);
/*
  y = P^periods(x). J: d y/d x, shape [n,n] column-major; g: d y/d lambda, shape [n]; NULL: neither.
*/
PetscErrorCode ProblemMap(Problem *problem, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscReal *y, PetscReal *J,
                          PetscReal *g, FlowReason *reason);
/* The same from a state that may be in contact at the user's strobe, writing into a record; section as set. */
PetscErrorCode ProblemRecord(Problem *problem, PetscReal lambda, PetscInt periods, const PetscReal *x, PetscBool contact,
                             FlowRecord *record, FlowReason *reason);

#endif
