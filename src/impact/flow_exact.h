/*
  flow_exact.h - data of the exact flow, shared by its four files. Private to src/impact.

    flow_exact.c          phases, events, periods
    flow_exact_basis.c    expansion in poles and zeros: what is made once per beam
    flow_exact_tangent.c  derivative of the flow
*/
#ifndef GRAZE_FLOW_EXACT_H
#define GRAZE_FLOW_EXACT_H

#include "exponents.h"
#include "flow_impl.h"

typedef struct {
  /* once per beam */
  Exponents  free_exponents, hold_exponents; /* poles: M modes, then the tail's; zeros */
  PetscReal *inverse_wd;                     /* 1 / (w_k sqrt(1-D^2)), shape [M] */
  PetscReal *project;                        /* state -> contact coefficients, shape [2 nz, n], column-major: re rows, im rows */
  PetscReal *compose;                        /* contact coefficients -> state, shape [n, 2 nz], column-major */
  PetscReal *press;                          /* contact coefficients per unit y_s, shape [2 nz] */
  PetscReal *pressed;                        /* state of the beam held still at y1 = 1, shape [n] */
  /* once per cell */
  double complex *free_forced, *hold_forced; /* shape [n] */
  double complex  free_Y, hold_Y;            /* of the gap, of the force */
  PetscReal      *rest;                      /* state at rest under the constant load alone, shape [n] */
  PetscReal       stop;                      /* seen from there */
  PetscBool       loaded;                    /* rest is not zero */
  PetscReal      *turn_re, *turn_im;         /* contact coefficients of (free - hold) forced motion, per cos and -sin; shape [2 nz] */
  PetscBool       resonance;
  /* the phase under way */
  Signal     free, hold;
  PetscReal *amp_re, *amp_im;                /* coefficients of the state in the poles, shape [poles] */
  PetscReal *state, *work, *pair;            /* shape [n], [n], [2 nz] */
  PetscBool  from_flight;                    /* the contact that begins follows a flight whose e^{lambda tau} are still at hand */
  PetscReal  t;                              /* since the strobe */
  PetscBool  contact;
  struct {
    int       known;                         /* how many of q, q1, q2 the last event fixes */
    PetscReal q, q1, q2;
  } begin;
  PetscReal duration, impulse;               /* of the contact under way */
  PetscInt  onsets;                          /* in this period */
  /* derivative */
  PetscReal *block;                          /* 2x2 propagators of the free modes: p11, p12, p21, p22, shape [4, M] */
  PetscReal *bundle,
    *images; /* tangent vectors and s side by side, and their contact coefficients; shape [n, n+1], [2 nz, n+1]; made when first needed */
} Exact;

PetscErrorCode FlowSetUp_Exact(Flow flow);
PetscErrorCode FlowDestroy_Exact(Flow flow);

/* Tail states <-> coefficients of its exponents (one real, one pair, or two real). */
void TailExpand_Private(Flow flow, const PetscReal *tail, PetscReal *amp_re, PetscReal *amp_im);
void TailCompose_Private(Flow flow, const PetscReal *amp_re, const PetscReal *amp_im, const PetscReal *e_re, const PetscReal *e_im,
                         PetscReal *tail);

/* pair = project x; x = compose pair. O(M^2); columns of zeros cost nothing. */
void ContactProject_Private(const Exact *x, PetscInt n, const PetscReal *state, PetscReal *pair);
void ContactCompose_Private(const Exact *x, PetscInt n, const PetscReal *pair, PetscReal *state);

PetscErrorCode TangentReserve_Private(Flow flow);
/* Tangent vectors through a free phase, and through a contact phase with the onset before it; after SignalEvaluate at its end. */
void TangentFree_Private(Flow flow);
void TangentContact_Private(Flow flow);

#endif
