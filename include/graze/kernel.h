/*
  kernel.h - the memory kernel of the delay equation y' = A y + Linf f + int d_s L1(s) f'(t-s) + g(t).   [theory 4]
*/
#ifndef GRAZE_KERNEL_H
#define GRAZE_KERNEL_H

#include "graze/receptance.h"

typedef struct {
  PetscReal A[2][2]; /* companion of mode 1 */
  PetscReal Linf[2];
  PetscReal L_plus;
} KernelConstants;

/* Mode 1 of the receptance is the one that y resolves; a rigid one has A = [0 1; 0 0] and Linf = r_1 e_2.   (13.14) */
PetscErrorCode KernelGetConstants(Receptance receptance, KernelConstants *constants);
/* L1_1, L1_2 and the unprojected g at n times tau >= 0; any output may be NULL. At tau = 0 the value is the limit 0+.
   closed: the receptance with its tail; bare: the first M modes alone (the papers' truncated sum). */
PetscErrorCode KernelEvaluate(Receptance receptance, LiteralKernel kind, PetscInt n, const PetscReal *tau, PetscReal *L1_1, PetscReal *L1_2,
                              PetscReal *g);

#endif
