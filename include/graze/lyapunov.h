/*
  lyapunov.h - the largest Lyapunov exponent of a motion, per forcing period, with its standard error; and what the two tell.   [theory 8]

  The flow has to carry tangent vectors (FlowHasTangent).
*/
#ifndef GRAZE_LYAPUNOV_H
#define GRAZE_LYAPUNOV_H

#include "graze/flow.h"

enum { LYAPUNOV_BATCHES = 16 };

typedef enum {
  LYAPUNOV_UNDECIDED, /* the error is too large to tell, or nothing was measured */
  LYAPUNOV_GROWS,     /* disturbances grow exponentially: chaos */
  LYAPUNOV_DECAYS,    /* exponentially: an orbit, of whatever period, that is approached */
  LYAPUNOV_NEUTRAL    /* neither: quasi-periodic */
} LyapunovVerdict;

/* How a number of periods is shared out: `dropped` first, then LYAPUNOV_BATCHES batches of `batch` each. */
typedef struct {
  PetscInt dropped, batch, measured;
} LyapunovPlan;

typedef struct {
  PetscReal       exponent, error; /* [1/period]; NaN: not measured. -infinity: the vector vanished */
  LyapunovVerdict verdict;
} LyapunovResult;

typedef struct _p_Lyapunov *Lyapunov;

PetscErrorCode LyapunovCreate(MPI_Comm comm, Lyapunov *lyapunov);
PetscErrorCode LyapunovSetFlow(Lyapunov lyapunov, Flow flow);           /* borrowed */
PetscErrorCode LyapunovSetPeriods(Lyapunov lyapunov, PetscInt periods); /* two for every batch, and a fifth more */
/* Asked once a forcing period, as StrobeSetPoll says. NULL: never asked. */
PetscErrorCode LyapunovSetPoll(Lyapunov lyapunov, PetscErrorCode (*poll)(void *ctx, PetscBool *stop), void *ctx);
PetscErrorCode LyapunovSetUp(Lyapunov lyapunov);
PetscErrorCode LyapunovDestroy(Lyapunov *lyapunov);

/* From `start`, which stays as it is. stop: the poll said so; nothing is measured then. */
PetscErrorCode LyapunovMeasure(Lyapunov lyapunov, const FlowState *start, LyapunovResult *result, PetscBool *stop);

LyapunovPlan LyapunovPlanOf(PetscInt periods);
/* Mean and standard error of plan->measured logarithms. shape [measured] */
void            LyapunovEstimate(const LyapunovPlan *plan, const PetscReal *log_growth, PetscReal *exponent, PetscReal *error);
LyapunovVerdict LyapunovJudge(const LyapunovPlan *plan, PetscReal exponent, PetscReal error);

#endif
