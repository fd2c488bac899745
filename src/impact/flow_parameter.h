/*
  flow_parameter.h - derivative of a flow by a parameter, the column s of its tangent. Private to src/impact.   [theory 18]
*/
#ifndef GRAZE_FLOW_PARAMETER_H
#define GRAZE_FLOW_PARAMETER_H

#include <complex.h>

#include "graze/flow.h"

/* The motion under the load, in flight [0] and held on the stop [1], by the parameter: Re (motion + t drift) e^{i (W t + phase)} + still.
 */
typedef struct {
  FlowParameter   by;                   /* which; FLOW_BY_NOTHING: none since FlowSetForcing */
  PetscReal       stop;                 /* the stop in y by the parameter */
  double complex *motion[2], *drift[2]; /* shape [n]; made when first needed */
  PetscReal      *still;                /* held alone, shape [n] */
} Sensitivity;

/* Before a period with a tangent, without resonance. Cost O(M) once after FlowSetForcing, then none. */
PetscErrorCode SensitivityBegin_Private(Flow flow);
/* s += sign times the derivative of the motion under the load, in flight or held, at time t since the strobe. Cost O(M). */
void SensitivityAdd_Private(Flow flow, PetscReal sign, PetscBool held, PetscReal t);
/* By the frequency: the strobe at the end of the period moves with it; state there, and force on the tip. Cost O(M). */
void           SensitivityStrobe_Private(Flow flow, const PetscReal *state, PetscReal force);
PetscErrorCode SensitivityDestroy_Private(Sensitivity *sensitivity);

#endif
