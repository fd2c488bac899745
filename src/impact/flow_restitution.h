/*
  flow_restitution.h - data of the restitution flow, shared by its four files. Private to src/impact.

    flow_restitution.c          flights, impacts, sticking, periods
    flow_restitution_basis.c    expansion in the exponents of flight and of sticking: what is made once per beam, and once per cell
    flow_restitution_motion.c   from a state to the coefficients of its motion and back
    flow_restitution_tangent.c  derivative of the flow
*/
#ifndef GRAZE_FLOW_RESTITUTION_H
#define GRAZE_FLOW_RESTITUTION_H

#include "exponents.h"
#include "flow_impl.h"

typedef struct {
  /* once per beam */
  Exponents             free_exponents, hold_exponents; /* of mode k at place k; zeros of sum n_k^2/den_k(s), pairs once */
  PetscReal             nn;                             /* n.n, the inverse of the mass that an impact feels */
  PetscInt              rigid;                          /* the mode with w = 0; -1: none */
  PetscReal            *inverse_wd;                     /* 1 / (w_k sqrt(1-D_k^2)), 0 for the rigid mode; shape [M] */
  Receptance            bare;                           /* of the M modes without a tail */
  PetscInt              nz;                             /* its zeros */
  const double complex *zeros;                          /* shape [nz]; those of `bare` */
  double complex       *weights;                        /* 2/H' of a pair, 1/H' of a real one, shape [nz] */
  PetscReal            *cauchy_re, *cauchy_im;          /* n_k / den_k(z_j), shape [M, nz], column-major */
  /* once per cell */
  double complex *free_forced, *hold_forced;    /* forced motion of x_k per e^{iWt}, shape [M] */
  double complex  free_Y, hold_Y;               /* of the gap, of the force */
  PetscReal      *free_still, *hold_still;      /* x_k under the constant load, shape [M]; a rigid mode in flight: 0 */
  PetscReal       free_constant, hold_constant; /* of y, of the force */
  PetscBool       resonance, hold_resonance;
  /* the phase under way */
  Signal     free, hold;
  PetscReal *amp_re, *amp_im; /* coefficients of x_k in its own exponent, shape [M]; of a rigid mode x, x' */
  PetscReal *state, *work;    /* shape [n] */
  PetscReal  t;               /* since the strobe */
  PetscBool  contact;         /* it sticks */
  struct {
    int       known; /* how many of q, q1, q2, q3 the last event fixes */
    PetscReal q, q1, q2, q3;
  } begin;
  PetscBool fresh;             /* the spell of sticking has only just begun */
  PetscReal slow;              /* velocity of the bounce that was not made */
  PetscReal duration, impulse; /* of the spell of sticking under way; duration begins at minus what the last bounces take */
  PetscInt  events;            /* impacts and onsets of sticking in this period */
  /* derivative */
  PetscReal *column; /* work of one tangent vector, shape [n] */
  PetscReal *block;  /* 2x2 propagators of the free modes, shape [4, M] */
} Restitution;

PetscErrorCode FlowSetUp_Restitution(Flow flow);
PetscErrorCode FlowSetForcing_Restitution(Flow flow);
PetscErrorCode FlowDestroy_Restitution(Flow flow);

/* Expand x->state at time x->t and take the first look, at the gap y - y_s and at the force. */
void FlightBegin_Private(Flow flow, Look *look);
void HoldBegin_Private(Flow flow, Look *look);
/* The state `tau` later, after SignalEvaluate there. */
void FlightState_Private(Flow flow, PetscReal tau, PetscReal *state);
void HoldState_Private(Flow flow, PetscReal tau, PetscReal *state);
/* Take out what moves the contact point: deviations of positions and velocities along n; shape [n]. */
void HoldProject_Private(Flow flow, PetscReal *deviation);
/* Coefficients of a deviation that leaves the contact point in place, and back: f = Re sum_j a_j; shape [nz], [n]. */
void HoldExpand_Private(Flow flow, const PetscReal *deviation, PetscReal *a_re, PetscReal *a_im);
void HoldCompose_Private(Flow flow, const PetscReal *a_re, const PetscReal *a_im, PetscReal *deviation);

/* Tangent vectors through a flight of length tau, an impact at gap velocity v < 0 and acceleration a before it, a spell of sticking. */
void RestitutionTangentFlight_Private(Flow flow, PetscReal tau);
void RestitutionTangentImpact_Private(Flow flow, PetscReal v, PetscReal a);
void RestitutionTangentHold_Private(Flow flow);

#endif
