/*
  waves.c - g(s) of undamped strings and rods by the images of its source, and the kernel L1 that follows from it.   (14.1)-(14.4)

  A unit step of force on a line without ends sets it in motion with velocity 1/(2c) wherever its front has passed. The ends act as
  images of the source: at x + 2m after m turns over both ends, at -x + 2m after one reflection more. Each reflection multiplies by -1
  at a clamped end and by +1 at a free one; the end at 1 is free. Fronts that arrive together are one jump; jumps that cancel are none.
*/
#include "graze/waves.h"

#include "graze/kernel.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  PetscReal delay, jump;
} Front;

static int CompareFronts_Private(const void *a, const void *b)
{
  const PetscReal p = ((const Front *)a)->delay, q = ((const Front *)b)->delay;

  return (p > q) - (p < q);
}

/* WavesApply - String or rod without damping: nothing disperses, nothing decays, and g is a train of jumps. */
PetscBool WavesApply(const Params *params)
{
  return (PetscBool)((params->beam_model == BEAM_STRING || params->beam_model == BEAM_ROD) && params->damping_ratio == 0.0);
}

PetscBool WavesMove(const Params *params, FlowType type)
{
  return (PetscBool)(type == FLOW_LITERAL && params->literal_kernel == KERNEL_CLOSED && WavesApply(params));
}

/*
  WaveTrainCreate - The jumps of g, velocity of the contact point (-contact_position) after a unit step of force at x.

  Not collective.
  Input:   params - non-dimensional; x in [0,1]; horizon - the longest delay wanted [t0], >= 0
  Output:  train - owned by the caller, WaveTrainDestroy
  Cost:    two fronts for each 2/c of the horizon and each direction
*/
PetscErrorCode WaveTrainCreate(const Params *params, PetscReal x, PetscReal horizon, WaveTrain *train)
{
  const PetscReal c = params->beam_wave_speed, x_c = params->contact_position, sign = params->beam_ends == ENDS_FREE_FREE ? 1.0 : -1.0;
  const PetscReal reach = c * horizon * (1.0 + 1e-12); /* a front that arrives at the horizon itself belongs to it */
  const PetscInt  m     = (PetscInt)ceil(reach / 2.0) + 2;
  PetscInt        n = 0, kept = 0;
  Front          *fronts;

  PetscFunctionBeginUser;
  PetscCheck(WavesApply(params), PETSC_COMM_SELF, PETSC_ERR_PLIB, "waves are for undamped strings and rods");
  PetscCall(PetscMalloc1(2 * (2 * m + 1), &fronts));
  for (PetscInt i = -m; i <= m; ++i) {
    const PetscReal image[2] = {x + 2.0 * (PetscReal)i, -x + 2.0 * (PetscReal)i};
    const PetscInt  clamp[2] = {i < 0 ? -i : i, i > 0 ? i - 1 : 1 - i}; /* reflections at x = 0 */

    for (PetscInt j = 0; j < 2; ++j)
      if (fabs(image[j] - x_c) <= reach)
        fronts[n++] = (Front){.delay = fabs(image[j] - x_c) / c, .jump = (clamp[j] % 2 ? sign : 1.0) / (2.0 * c)};
  }
  qsort(fronts, (size_t)n, sizeof *fronts, CompareFronts_Private);
  for (PetscInt i = 0; i < n; ++i) {
    /* 1e-12: the delays are sums of a few numbers of order 2 m / c */
    if (kept > 0 && fronts[i].delay - fronts[kept - 1].delay < 1e-12 * (PetscReal)m / c) fronts[kept - 1].jump += fronts[i].jump;
    else {
      if (kept > 0 && fronts[kept - 1].jump == 0.0) --kept;
      fronts[kept++] = fronts[i];
    }
  }
  if (kept > 0 && fronts[kept - 1].jump == 0.0) --kept;
  train->n = kept;
  PetscCall(PetscMalloc2(kept, &train->delay, kept, &train->jump));
  for (PetscInt i = 0; i < kept; ++i) {
    train->delay[i] = fronts[i].delay;
    train->jump[i]  = fronts[i].jump;
  }
  PetscCall(PetscFree(fronts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WaveTrainDestroy(WaveTrain *train)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(train->delay, train->jump));
  train->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  WaveTrainKernel - L1_2 and g at n delays; at a jump the value after it.

  Not collective.
  Input:   w1 >= 0 - frequency of the mode that y resolves; Linf - w1^2 S, or r_1 if w1 = 0; tau - shape [n], >= 0, up to the horizon
  Output:  L1_2, g - shape [n]; either may be NULL
  Cost:    O(n + jumps) where tau rises; each step back starts again from 0
*/
PetscErrorCode WaveTrainKernel(const WaveTrain *train, PetscReal w1, PetscReal Linf, PetscInt n, const PetscReal *tau, PetscReal *L1_2,
                               PetscReal *g)
{
  PetscInt  k  = 0;
  PetscReal at = 0.0, g0 = 0.0, g1 = 0.0, g2 = 0.0; /* g, its integral and its double integral at `at` */

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal s;

    if (tau[i] < at) {
      k  = 0;
      at = g0 = g1 = g2 = 0.0;
    }
    for (; k < train->n && train->delay[k] <= tau[i]; ++k) {
      s = train->delay[k] - at;
      g2 += s * (g1 + 0.5 * s * g0);
      g1 += s * g0;
      g0 += train->jump[k];
      at = train->delay[k];
    }
    s = tau[i] - at;
    if (L1_2) L1_2[i] = g0 + w1 * w1 * (g2 + s * (g1 + 0.5 * s * g0)) - Linf * tau[i];
    if (g) g[i] = g0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* WaveKernelEvaluate - The poles of the receptance would give but a blurred picture of these jumps. Not collective. */
PetscErrorCode WaveKernelEvaluate(const Params *params, Receptance receptance, PetscInt n, const PetscReal *tau, PetscReal *L1_2,
                                  PetscReal *g)
{
  const PetscReal *w;
  KernelConstants  constants;
  WaveTrain        train;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, NULL, &w, NULL, NULL, NULL));
  PetscCall(KernelGetConstants(receptance, &constants));
  PetscCall(WaveTrainCreate(params, params->contact_position, tau[n - 1], &train));
  PetscCall(WaveTrainKernel(&train, w[0], constants.Linf[1], n, tau, L1_2, g));
  PetscCall(WaveTrainDestroy(&train));
  PetscFunctionReturn(PETSC_SUCCESS);
}
