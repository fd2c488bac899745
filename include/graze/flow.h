/*
  flow.h - carry the state of beam and tip through one forcing period, through every contact in it.   [theory 5, 7, 14, 15, 17]

  Methods: exact; literal (with the exact wave kernel for undamped strings and rods); restitution. What comes out (records, FlowGetTip) is
  displacement, velocity of the contact point with the sign of u; inside, y points away from the stop. The force is >= 0 on either side.
  In the restitution model a Contact is an impact (duration 0, force INFINITY, impulse finite) or a spell of sticking (duration > 0);
  peak_force is that of sticking alone, 0 without any: a finite number.

  Time is counted from the strobe, in periods and within the period: no clock grows with the length of a run.
  State x, shape [n], n = 2M + tail states: x_k, x_k', tail (restitution: no tail; waves: the two waves on a grid); and whether the tip
  is held on the stop.
*/
#ifndef GRAZE_FLOW_H
#define GRAZE_FLOW_H

#include "graze/forcing.h"
#include "graze/receptance.h"

typedef struct _p_Flow *Flow;

/* Append only: stored as cell status through the sweep's table. */
typedef enum {
  FLOW_GOOD = 0,
  FLOW_EVENT_LIMIT, /* more than -flow_max_events contacts in one period */
  FLOW_RESONANCE,   /* undamped and driven at a natural frequency: no bounded motion */
  FLOW_LOST         /* a state that is not finite, or an event that could not be bracketed */
} FlowReason;
extern const char *const FlowReasons[];

typedef struct {
  PetscInt  period;   /* of the onset, counted from FlowStart */
  PetscReal phase;    /* of the onset, in [0,1), fraction of the period since its strobe */
  PetscReal velocity; /* just before, signed: towards the stop */
  PetscReal force;    /* f just after the onset */
  PetscReal duration; /* [t0]; NaN while the contact lasts */
  PetscReal impulse;  /* int f dt */
} Contact;

/* What a flow writes down while it advances; zeroed by FlowRecordReset. */
typedef struct {
  PetscInt  capacity, count; /* contacts: room for, and true number of onsets */
  Contact  *contact;         /* the first min(capacity, count) */
  PetscBool open;            /* the last one has not ended */
  Contact   current;         /* the contact under way, also when it did not fit or began before the record */
  PetscReal max_displacement, min_displacement;
  PetscReal min_gap;         /* smallest gap at which the tip turned back in flight; NaN if it never did */
  PetscReal min_force;       /* smallest local minimum of the force inside a contact; NaN if there was none; exact and restitution */
  PetscReal peak_force, time_in_contact; /* restitution: of sticking */
  /* samples: rising times in [t0] since FlowStart; filled as they are passed. n_samples 0: none. */
  PetscInt         n_samples, next_sample;
  const PetscReal *sample_time;
  PetscReal       *sample_y1, *sample_y2, *sample_f;
  PetscReal       *sample_state; /* shape [n_samples, n] row by row, or NULL; exact and restitution */
  /* restitution only */
  PetscInt impacts, sticks; /* impacts, and spells of sticking that followed an accumulation of them */
} FlowRecord;

PetscErrorCode FlowRecordReset(FlowRecord *record); /* keeps capacity, contact and the sample arrays */

typedef struct {
  PetscInt   n;
  PetscBool  contact;
  PetscReal *x; /* owned by whoever made it */
} FlowState;

/* What the derivative of a flow can be taken by, beside the state. */
typedef enum { FLOW_BY_NOTHING, FLOW_BY_AMPLITUDE, FLOW_BY_FREQUENCY, FLOW_BY_STOP } FlowParameter;

/*
  Tangent vectors that every FlowPeriod carries along: v <- (d x(T)/d x(0)) v. Start from the identity to get the Jacobian of
  as many periods as follow. A column that has shrunk below round-off of where it began is set to zero and no longer carried.
*/
typedef struct {
  PetscInt   n, m;
  PetscReal *v;     /* shape [n,m], column-major */
  PetscReal *begin; /* energy norm of each column at the start; shape [m]; set by FlowTangentIdentity */
  PetscBool *alive; /* shape [m] */
  /*
    by != FLOW_BY_NOTHING: s <- (d x(T)/d x(0)) s + d x(T)/d by, with x(T) the state at the next strobe, wherever the parameter moves that.
    by the stop: -stop_position, positive with u. s is set by the caller, 0 to begin with; shape [n].
  */
  FlowParameter by;
  PetscReal    *s;
} FlowTangent;

PetscErrorCode FlowCreate(MPI_Comm comm, Flow *flow);
PetscErrorCode FlowSetType(Flow flow, FlowType type);
PetscErrorCode FlowSetReceptance(Flow flow, Receptance receptance);       /* borrowed */
PetscErrorCode FlowSetParams(Flow flow, const Params *params);            /* non-dimensional, copied: stop, limits, steps */
PetscErrorCode FlowSetUp(Flow flow);                                      /* once per beam */
PetscErrorCode FlowSetForcing(Flow flow, const ForcingShape *shape, PetscReal amplitude, PetscReal frequency); /* O(M), once per cell */
PetscErrorCode FlowSetRecord(Flow flow, FlowRecord *record);              /* NULL: none */
PetscErrorCode FlowDestroy(Flow *flow);

PetscErrorCode FlowGetSize(Flow flow, PetscInt *n);
/* Modal coordinates x_k, x_k', shape [2M] (copied) of the stated initial condition; without it: mode -initial_mode of the M, alone. */
PetscErrorCode FlowSetInitialModal(Flow flow, const PetscReal *x);
PetscErrorCode FlowInitialState(Flow flow, FlowState *state); /* the stated initial condition: -initial_* */
PetscErrorCode FlowGetTip(Flow flow, const FlowState *state, PetscReal *y1, PetscReal *y2); /* at a strobe; y2 = 0 in contact */

/*
  FlowStart sets state and clock (a strobe); FlowPeriod advances by one period and leaves the state in `state`.
  A state on the wrong side of an event begins with it: in flight, beyond the stop and moving into it, an onset (moving away: flight); in
  contact with a force < 0, a release.
*/
PetscErrorCode FlowStart(Flow flow, const FlowState *state);
PetscErrorCode FlowPeriod(Flow flow, FlowState *state, FlowReason *reason);
/* Whether the method carries tangent vectors: exact and restitution do. */
PetscBool      FlowHasTangent(Flow flow);
/* Tangent vectors to carry along; NULL: none. Borrowed. */
PetscErrorCode FlowSetTangent(Flow flow, FlowTangent *tangent);
PetscErrorCode FlowTangentIdentity(Flow flow, FlowTangent *tangent); /* v = I, all alive; needs m = n */
/* sqrt of twice the energy of a state or a difference of states (tail: its stored energy). shape [n] */
PetscErrorCode FlowNorm(Flow flow, const PetscReal *x, PetscReal *norm);
/* Weights e[n] that turn a state into variables of energy: norm^2 = sum (e_i x_i)^2. Borrowed. */
PetscErrorCode FlowGetEnergyWeights(Flow flow, const PetscReal **weights);
/* After the last period: let an open contact of the record end, so that its duration and impulse are known. */
PetscErrorCode FlowFinishContact(Flow flow, FlowReason *reason);
/* How much the last periods cost: looks at the gap or force, and modes visited in them. */
PetscErrorCode FlowGetLooks(Flow flow, PetscInt64 *looks, PetscInt64 *modes_visited);

#endif
