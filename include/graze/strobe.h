/*
  strobe.h - the steady state behind one pair of forcing parameters, from the stroboscopic sequence.   [theory 8]

  Settle, sample, then decide: a period is accepted when Newton finds a stable orbit of that least period which the
  samples approach. What has none is followed on for its largest Lyapunov exponent. Every call ends: -flow_max_events, -max_periods and
  -lyapunov_periods bound it.
*/
#ifndef GRAZE_STROBE_H
#define GRAZE_STROBE_H

#include "graze/flow.h"
#include "graze/lyapunov.h"
#include "graze/orbit.h"

/* Stored in files: append only. */
typedef enum {
  STATUS_PENDING             = 0,
  STATUS_PERIODIC            = 1,
  STATUS_CONTACT_FREE        = 2,
  STATUS_APERIODIC           = 3,
  STATUS_NOT_SETTLED         = 4,
  STATUS_EVENT_LIMIT         = 5,
  STATUS_FLOW_FAILED         = 6,
  STATUS_CRASHED             = 7,
  STATUS_PERIODIC_UNVERIFIED = 8,
  STATUS_CHAOTIC             = 9,
  STATUS_QUASI_PERIODIC      = 10
} SteadyStatus;
#define STATUS_COUNT 11
extern const char *const SteadyStatusNames[STATUS_COUNT]; /* "pending", "periodic", ... */
/* What the exponent makes of a cell that is aperiodic or not settled by its samples; beside_orbit: they may be leaving or reaching an orbit. */
SteadyStatus SteadyStatusWith(SteadyStatus status, PetscBool beside_orbit, LyapunovVerdict verdict);

typedef struct {
  SteadyStatus status;
  PetscInt     period;          /* least period p; 0: none */
  PetscInt     n_samples;       /* p, or the sampled periods */
  PetscReal   *displacement, *velocity; /* shape [max(sample_periods, max_period)] */
  FlowRecord   record;          /* contacts and extremes over the n_samples periods */
  PetscInt     n_multipliers;
  PetscReal    multiplier_re[ORBIT_MULTIPLIERS], multiplier_im[ORBIT_MULTIPLIERS], multiplier_error[ORBIT_MULTIPLIERS];
  PetscInt     periods_used;    /* forcing periods integrated before the decision; those of the exponent not among them */
  PetscReal    residual;        /* Newton residual of the orbit, relative; NaN: none */
  PetscReal    lyapunov_exponent, lyapunov_error; /* largest exponent and its standard error [1/period]; NaN: not measured */
} Steady;

typedef struct _p_Strobe *Strobe;

PetscErrorCode StrobeCreate(MPI_Comm comm, Strobe *strobe);
PetscErrorCode StrobeSetParams(Strobe strobe, const Params *params);
PetscErrorCode StrobeSetFlow(Strobe strobe, Flow flow); /* borrowed; its type decides how the period is judged */
PetscErrorCode StrobeSetUp(Strobe strobe);
/* Asked once a forcing period, between periods: stop means give the cell up; StrobeSolve then returns with STATUS_PENDING. NULL: never asked. */
PetscErrorCode StrobeSetPoll(Strobe strobe, PetscErrorCode (*poll)(void *ctx, PetscBool *stop), void *ctx);
PetscErrorCode StrobeDestroy(Strobe *strobe);

PetscErrorCode SteadyCreate(const Params *params, Steady *steady);
PetscErrorCode SteadyDestroy(Steady *steady);
/* state: in, where to start; out, the steady state at a strobe, from which the neighbour continues. */
PetscErrorCode StrobeSolve(Strobe strobe, FlowState *state, Steady *steady);

#endif
