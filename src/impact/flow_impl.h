/*
  flow_impl.h - what every flow holds, and the functions that a method fills in. Private to src/impact.
*/
#ifndef GRAZE_FLOW_IMPL_H
#define GRAZE_FLOW_IMPL_H

#include "graze/flow.h"

/* An open contact is followed for so many periods: what has not ended by then is a beam at rest on its stop. */
enum { FLOW_FINISH_PERIODS = 64 };

typedef struct {
  PetscErrorCode (*setup)(Flow);
  PetscErrorCode (*setforcing)(Flow);
  PetscErrorCode (*start)(Flow, const FlowState *);
  PetscErrorCode (*period)(Flow, FlowState *, FlowReason *);
  PetscErrorCode (*finishcontact)(Flow, FlowReason *);
  PetscErrorCode (*destroy)(Flow);
} FlowOps;

struct _p_Flow {
  MPI_Comm comm;
  FlowOps  ops;
  /* parameters */
  FlowType  type;
  Params    params;
  PetscReal amplitude, frequency, period; /* A, W, T = 2 pi / W */
  /* borrowed */
  Receptance          receptance;
  const ForcingShape *shape;
  FlowRecord         *record;
  FlowTangent        *tangent;
  /* owned */
  PetscReal *energy; /* weights of the energy norm, shape [n] */
  void      *data;   /* the method's own */
  /* copies of what the receptance says */
  PetscInt         M, n; /* modes; states */
  PetscReal        D, L_plus, S;
  const PetscReal *w, *tip;
  const Tail      *tail;
  /* status */
  PetscBool set_up;
  PetscInt  periods_done; /* since FlowStart */
  PetscInt64 looks, modes_visited;
};

PetscErrorCode FlowCreate_Exact(Flow flow);
PetscErrorCode FlowCreate_Literal(Flow flow);

/* c_y x, the tip displacement that the state carries; y_s is not involved. Cost O(M). */
PetscReal FlowTipDisplacement_Private(Flow flow, const PetscReal *x);
/* c_v x, the free tip velocity that the state carries (without forcing that acts on the tip directly). */
PetscReal FlowTipVelocity_Private(Flow flow, const PetscReal *x);

/* A contact begins or ends in the record, if there is one; `contact` carries what is known of it. */
void FlowRecordOnset_Private(FlowRecord *record, const Contact *contact);
void FlowRecordRelease_Private(FlowRecord *record, PetscReal duration, PetscReal impulse);

#endif
