/*
  kernel.c - the memory kernel as a sum over the poles of the receptance.   [theory 4]

  With mode 1 resolved, q(s) = s^2 + 2 D w_1 s + w_1^2 and residues rho_j of H at its poles lambda_j,

      L1_2(tau) = K0 + sum_j rho_j q(lambda_j) / lambda_j^2 e^{lambda_j tau},   K0 = w_1^2 H'(0) + 2 D w_1 H(0)

  and L1_1 = Linf_1 = 0 identically, because the first row of A is that of y1' = y2.   (4.7)-(4.9) D is that of mode 1. A rigid
  mode 1 (w_1 = 0) has no pole in the sum and q(s) = s^2: then K0 = 0, and what it adds to the unprojected g is r_1 tau.
*/
#include "graze/kernel.h"

#include <math.h>

/* KernelGetConstants - A, Linf and L+ of the delay equation (4.1). Not collective. */
PetscErrorCode KernelGetConstants(Receptance receptance, KernelConstants *constants)
{
  const PetscReal *w, *r, *damping;
  PetscReal        S, L_plus;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, NULL, &w, &r, NULL, NULL));
  PetscCall(ReceptanceGetDamping(receptance, &damping));
  PetscCall(ReceptanceGetTail(receptance, NULL, &L_plus, &S));
  *constants = (KernelConstants){
    .A      = {{0.0, 1.0}, {-w[0] * w[0], -2.0 * damping[0] * w[0]}},
    .Linf   = {0.0, w[0] > 0.0 ? w[0] * w[0] * S : r[0]},
    .L_plus = L_plus
  };
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  KernelEvaluate - L1(tau), both components, and the unprojected kernel g(tau), at n delays.

  Not collective. tau >= 0, shape [n]; outputs shape [n] or NULL. Of `bare` the tail is left out, and the compliance is the
  modal sum, as the papers have it: then L1_2(0+) = 0 at every finite M.
  Cost: n times the number of poles.
*/
PetscErrorCode KernelEvaluate(Receptance receptance, LiteralKernel kind, PetscInt n, const PetscReal *tau, PetscReal *L1_1, PetscReal *L1_2,
                              PetscReal *g)
{
  PetscInt              M, n_poles;
  const PetscReal      *w, *r, *damping;
  PetscReal             D, K0 = 0.0;
  PetscBool             rigid;
  const double complex *poles, *residues;
  double complex       *weight;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, &M, &w, &r, NULL, NULL));
  PetscCall(ReceptanceGetDamping(receptance, &damping));
  PetscCall(ReceptanceGetPoles(receptance, &n_poles, &poles, &residues));
  D     = damping[0];
  rigid = (PetscBool)(w[0] == 0.0);
  if (kind == KERNEL_BARE) n_poles = rigid ? M - 1 : M;
  if (!rigid && kind == KERNEL_BARE) {
    PetscReal H0 = 0.0, dH0 = 0.0;

    for (PetscInt k = M - 1; k >= 0; --k) {
      H0 += r[k] / (w[k] * w[k]);
      dH0 -= 2.0 * damping[k] * r[k] / (w[k] * w[k] * w[k]);
    }
    K0 = w[0] * w[0] * dH0 + 2.0 * D * w[0] * H0;
  } else if (!rigid) {
    double complex H0, dH0;

    PetscCall(ReceptanceEvaluate(receptance, 0.0, &H0, &dH0));
    K0 = w[0] * w[0] * creal(dH0) + 2.0 * D * w[0] * creal(H0);
  }
  PetscCall(PetscMalloc1(n_poles, &weight));
  if (!rigid) weight[0] = 0.0; /* q(lambda_1) = 0: mode 1 is resolved by y itself */
  for (PetscInt j = rigid ? 0 : 1; j < n_poles; ++j) {
    const double complex s = poles[j];

    weight[j] = residues[j] * (s * s + 2.0 * D * w[0] * s + w[0] * w[0]) / (s * s);
  }
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal sum = 0.0, impulse = 0.0;

    for (PetscInt j = n_poles - 1; j >= 0; --j) {
      const double complex e = cexp(poles[j] * tau[i]) * (cimag(poles[j]) > 0.0 ? 2.0 : 1.0);

      sum += creal(weight[j] * e);
      impulse += creal(residues[j] * e);
    }
    if (L1_1) L1_1[i] = 0.0;
    if (L1_2) L1_2[i] = K0 + sum;
    if (g) g[i] = rigid ? impulse + r[0] * tau[i] : impulse;
  }
  PetscCall(PetscFree(weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}
