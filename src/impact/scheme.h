/*
  scheme.h - one step of the papers' scheme at the contact point, and what the record keeps of it; for the literal flow and that of
  waves, which differ in where the change of y2 comes from and in what they do with the force.   (5.1)-(5.4)   Private to src/impact.
*/
#ifndef GRAZE_SCHEME_H
#define GRAZE_SCHEME_H

#include "flow_impl.h"
#include "memory.h"

typedef struct {
  PetscInt  N;    /* steps per period */
  PetscReal step; /* [t0] */
  Memory    memory;
  PetscInt  period, i; /* since FlowStart; step within it */
  PetscReal y1, y2, f;
  PetscBool contact;
  PetscReal duration, impulse;
  PetscInt  onsets; /* in this period */
} Scheme;

/* From step i to i + 1, which the memory knows as number `next`: change is what y2 gains in flight. Samples of the step are taken. */
void SchemeStep(Flow flow, Scheme *scheme, PetscReal change, PetscInt next);
/* (5.3) at the present step, `now` to the memory, reached `after` of a step (0 to 1) after y crossed the stop. seen: it goes into the
 * record. */
void SchemeOnset(Flow flow, Scheme *scheme, PetscInt now, PetscReal after, PetscBool seen);
/* Of y at the end of a step, after its onset. */
void SchemeExtremes(Flow flow, const Scheme *scheme);

#endif
