/*
  plain_system.h - beam and tail as dense linear systems in plain coordinates, integrated step by step: what the exact flow is
  tested against. Nothing of it is shared with the program but the numbers that define the system.   [theory (6.10), (7.1), (7.8)]

      z = (x_k, x_k', tail, cos(W t + phase), sin(W t + phase), 1),    z' = A z in flight,  z' = (A + b force) z in contact

  A step is multiplied by e^{A h} (Taylor, scaling and squaring); an event is bracketed by two steps and bisected.
*/
#ifndef GRAZE_TESTS_PLAIN_SYSTEM_H
#define GRAZE_TESTS_PLAIN_SYSTEM_H

#include "support/default_case.h"

typedef struct {
  PetscInt   n, N;                   /* states; with cosine, sine and one: N = n + 3 */
  PetscReal *matrix[2];              /* in flight, in contact; shape [N, N], column-major */
  PetscReal *gap, *velocity, *force; /* rows [N]: y1 - y_s and y2 in flight, f in contact */
  PetscReal  step;
  PetscReal *stride[2]; /* e^{A step} */
} Plain;

typedef struct {
  PetscReal t, velocity, force; /* onset: t since the start, y2 before, f after */
  PetscReal end;                /* NaN: none yet */
} PlainContact;

typedef struct {
  PetscReal    *z; /* shape [N] */
  PetscBool     contact;
  PetscReal     t; /* since the start */
  PetscInt      count, capacity;
  PlainContact *list;
} PlainMotion;

/* The system of a case, with its forcing amplitude and frequency; step of the integration. */
void PlainCreate(const Case *c, PetscReal amplitude, PetscReal frequency, PetscReal step, Plain *p);
void PlainDestroy(Plain *p);
/* From a state at the strobe. The list is the caller's. */
void PlainBegin(const Plain *p, const FlowState *state, PetscReal strobe_phase, PetscInt capacity, PlainContact *list, PlainMotion *m);
void PlainAdvance(const Plain *p, PetscReal end, PlainMotion *m);
void PlainEnd(PlainMotion *m);

#endif
