/*
  flow_impl.h - what every flow holds, and the functions that a method fills in. Private to src/impact.
*/
#ifndef GRAZE_FLOW_IMPL_H
#define GRAZE_FLOW_IMPL_H

#include "flow_parameter.h"

/* An open contact is followed for so many periods: what has not ended by then is a beam at rest on its stop. */
enum { FLOW_FINISH_PERIODS = 64 };

/*
  What a method does. setup may set n, the number of states. What follows `destroy` may be NULL: a state is then modes and tail. All of it
  is in the coordinate y, the record too: flow.c turns it into displacements of the structure.
*/
typedef struct {
  PetscErrorCode (*setup)(Flow);
  PetscErrorCode (*setforcing)(Flow);
  PetscErrorCode (*start)(Flow, const FlowState *);
  PetscErrorCode (*period)(Flow, FlowState *, FlowReason *);
  PetscErrorCode (*finishcontact)(Flow, FlowReason *);
  PetscErrorCode (*destroy)(Flow);
  PetscErrorCode (*initialstate)(Flow, PetscReal *);                                 /* x[n] of the stated initial condition, in flight */
  PetscErrorCode (*gettip)(Flow, const FlowState *, PetscReal *y, PetscReal *slope); /* at a strobe, in flight */
  PetscErrorCode (*weights)(Flow, PetscReal *);                                      /* of the energy norm, shape [n]; all > 0 */
  PetscBool tangent;                                                                 /* carries tangent vectors */
} FlowOps;

struct _p_Flow {
  MPI_Comm comm;
  FlowOps  ops;
  /* parameters */
  FlowType  type;
  Params    params;
  PetscReal amplitude, frequency, period; /* A, W, T = 2 pi / W */
  PetscReal side, stop;                   /* +1: the stop is below, -1: above; the stop in the coordinate y = side u(x_c) */
  /* borrowed */
  Receptance          receptance;
  const ForcingShape *shape;
  FlowRecord         *record;
  FlowTangent        *tangent;
  /* owned */
  PetscReal *energy;  /* weights of the energy norm, shape [n] */
  PetscReal *initial; /* modal initial condition, shape [2M]; NULL: mode -initial_mode */
  void      *data;   /* the method's own */
  Sensitivity sensitivity;
  /* copies of what the receptance says */
  PetscInt         M, n; /* modes; states */
  PetscReal        D, L_plus, S; /* restitution: L+ and S not used, 0 */
  const PetscReal *w, *tip, *damping; /* shape [M]; a ratio for each mode: all D, but for BEAM_MODES */
  const Tail      *tail;         /* restitution, waves: order 0 with C0 = 0 */
  /* status */
  PetscBool set_up;
  PetscInt  periods_done; /* since FlowStart */
  PetscInt64 looks, modes_visited;
};

PetscErrorCode FlowCreate_Exact(Flow flow);
PetscErrorCode FlowCreate_Literal(Flow flow);
PetscErrorCode FlowCreate_Waves(Flow flow); /* the literal scheme of undamped strings and rods */
PetscErrorCode FlowCreate_Restitution(Flow flow);

/* c_y x, the y that the state carries; y_s is not involved. Cost O(M). */
PetscReal FlowTipDisplacement_Private(Flow flow, const PetscReal *x);
/* c_v x, the free tip velocity that the state carries (without forcing that acts on the tip directly). */
PetscReal FlowTipVelocity_Private(Flow flow, const PetscReal *x);

/* A contact begins or ends in the record, if there is one; `contact` carries what is known of it. */
void FlowRecordOnset_Private(FlowRecord *record, const Contact *contact);
void FlowRecordRelease_Private(FlowRecord *record, PetscReal duration, PetscReal impulse);
/* A period begins in contact: one that the record does not know began before it did. NULL: no record. */
void FlowRecordOlder_Private(FlowRecord *record);
/* Drop tangent vectors that have decayed to nothing. Cost O(n) each. */
void FlowTangentForget_Private(Flow flow);

#endif
