/*
  exponents.h - sums of exponentials q(t) = Re sum_j a_j e^{lambda_j t} + Re Y e^{i W t} + polynomial, looked at and searched.

  The exponents belong to the beam and come with tables of e^{lambda_j h} for steps h = 2^-m; a Signal is one motion (the gap in
  flight, the force in contact) with its running coefficients.   [theory 7.4]
*/
#ifndef GRAZE_EXPONENTS_H
#define GRAZE_EXPONENTS_H

#include <complex.h>

#include "graze/compat.h"

/* Steps 2^-m from 2^4 down to 2^-46 [t0]: below that a step is lost in the round-off of the clock. */
enum { STEP_COARSEST = 4, STEP_FINEST = -46, STEP_LEVELS = STEP_COARSEST - STEP_FINEST + 1 };

typedef struct {
  PetscInt   n, stride;            /* exponents, pairs once; row length of the tables */
  PetscReal *re, *im;              /* lambda_j, shape [n]; non-increasing usefulness: those that decay last come first */
  PetscReal *mag2, *mag3;          /* |lambda_j|^2, |lambda_j|^3 */
  PetscReal *re2, *im2;            /* lambda_j^2 */
  PetscReal *step_re, *step_im, *step_abs; /* e^{lambda_j h}, e^{Re lambda_j h}, shape [STEP_LEVELS, stride]; rows made on demand */
  PetscBool  level_known[STEP_LEVELS];
} Exponents;

PetscErrorCode ExponentsCreate(PetscInt n, const double complex *lambda, Exponents *exponents);
PetscErrorCode ExponentsDestroy(Exponents *exponents);
/* e^{lambda_j t}, shape [n]; zero from the returned index on, where everything has decayed. t >= 0. */
PetscInt ExponentsAt(const Exponents *exponents, PetscReal t, PetscReal *e_re, PetscReal *e_im);

/* Value, slope and curvature of a signal at one instant, and bounds on |q''| and |q'''| from then on. */
typedef struct {
  PetscReal t, q, q1, q2, M2, M3;
} Look;

typedef struct {
  Exponents *exponents;
  PetscReal *a_re, *a_im;       /* coefficients at t = 0 of the phase, shape [n] */
  PetscReal *run_re, *run_im, *run_abs; /* the same at the last look, and moduli */
  PetscReal *e_re, *e_im;       /* e^{lambda_j t} of the last SignalEvaluate, shape [n] */
  PetscReal  e_t;               /* its t; negative: none in this phase */
  PetscInt   e_active;          /* leading ones that have not decayed there */
  PetscInt   active;            /* leading exponents that still count */
  PetscReal  dropped2, dropped3; /* what the others can still add to the bounds */
  double complex Y;             /* harmonic part: Re Y e^{i (W t + angle)} */
  PetscReal      W, angle, constant;
  PetscReal      linear, quadratic; /* of a rigid mode: linear t + quadratic t^2/2 */
  PetscInt64     looks, visited; /* counters, never reset here */
} Signal;

PetscErrorCode SignalCreate(Exponents *exponents, Signal *signal);
PetscErrorCode SignalDestroy(Signal *signal);
/* Begin a phase: a_re, a_im, Y, W, angle and constant are set by the caller. Takes the first look, at t = 0. */
void SignalBegin(Signal *signal, Look *look);
/* Step forward by 2^level and look. */
void SignalStep(Signal *signal, PetscInt level, Look *look);
/* Directly from the coefficients at t = 0, without the error of the steps; leaves e^{lambda_j t} in e_re, e_im. Bounds are not filled. */
void SignalEvaluate(Signal *signal, PetscReal t, Look *look);
/* int q dt from the start of the phase to t, after SignalEvaluate there; without the part of a rigid mode, and no exponent 0. */
PetscReal SignalIntegral(const Signal *signal, PetscReal t);

typedef enum { SEARCH_REACHED_END, SEARCH_CROSSED, SEARCH_LOST } SearchResult;

/* Called after each look of a search with the look before and this one; for extremes. */
typedef void (*SignalWatch)(void *ctx, Signal *signal, const Look *before, const Look *now);

/*
  First t in (0, end] at which q falls through zero, certified: no earlier one exists.
  first: what is known of the start (first.q >= 0; where it is 0 the first derivative that does not vanish is positive), from SignalBegin
  and corrected by the caller. longest: longest step allowed (0: any). On SEARCH_CROSSED `at` is the crossing (at->q1 < 0).
*/
SearchResult SignalFindFall(Signal *signal, const Look *first, PetscReal end, PetscReal longest, SignalWatch watch, void *ctx, Look *at);

#endif
