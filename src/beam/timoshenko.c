/*
  timoshenko.c - the Timoshenko beam between any ends.   [theory 1, 2, 13]

      u_tt   = beta gamma (u'' - phi') + q        phi_tt = beta phi'' + beta^2 gamma (u' - phi)
      clamped: u = phi = 0      pinned: u = phi' = 0      free: phi' = 0,  u' - phi = 0, or f / (beta gamma) at the contact point x = 1

  Unknowns x = (u, phi) at the N-1 interior points. phi is open (ends.c) where it is not clamped, with slope 0; u is open at free ends, with
  the slope phi + f / (beta gamma):

      phi_e = sum_j P_ej phi_j,      u_e = sum_j Q_ej u_j + sum_o G_eo (phi_o + f_o / (beta gamma)),      d = G_NN / (beta gamma)
*/
#include "beam_impl.h"

static PetscInt Size_Timoshenko(Beam beam)
{
  return 2 * (beam->N - 1);
}

static PetscErrorCode Fill_Timoshenko(Beam beam, const PetscReal *first, const PetscReal *second, PetscReal *K, PetscReal *b, PetscReal *c,
                                      PetscReal *d)
{
  const PetscInt  N = beam->N, m = N + 1, n = beam->n, half = N - 1, at[2] = {0, N};
  const PetscReal beta = beam->params->beam_beta, shear = beta * beam->params->beam_gamma; /* beta gamma */
  const Ends     *eu = &beam->end_u, *ep = &beam->end_phi;
  PetscReal      *lever[2]; /* u at the ends by the interior phi, [N+1] */

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(m, &lever[0], m, &lever[1]));
  for (int e = 0; e < 2; e++) {
    for (PetscInt j = 1; j < N; j++) lever[e][j] = eu->inverse[e][0] * ep->row[0][j] + eu->inverse[e][1] * ep->row[1][j];
  }
  if (b) {
    const PetscReal feed[2] = {eu->inverse[0][1] / shear, eu->inverse[1][1] / shear}; /* u at the ends by f */
    *d = feed[1];
    for (PetscInt j = 1; j < N; j++) {
      c[j - 1]        = eu->row[1][j];
      c[half + j - 1] = lever[1][j];
      b[j - 1] = b[half + j - 1] = 0.0;
      for (int e = 0; e < 2; e++) {
        b[j - 1] += shear * second[j + at[e] * m] * feed[e];
        b[half + j - 1] += beta * shear * first[j + at[e] * m] * feed[e];
      }
    }
  }
  for (PetscInt i = 1; i < N; i++) {
    for (PetscInt j = 1; j < N; j++) {
      const PetscReal D1 = first[i + j * m], D2 = second[i + j * m];
      const PetscInt  u = j - 1, phi = half + j - 1;
      PetscReal       u1 = 0.0, u2 = 0.0, phi1 = 0.0, phi2 = 0.0, lever1 = 0.0, lever2 = 0.0; /* what comes by the end values */
      for (int e = 0; e < 2; e++) {
        const PetscReal d1 = first[i + at[e] * m], d2 = second[i + at[e] * m]; /* action of the end value on point i */
        u1 += d1 * eu->row[e][j];
        u2 += d2 * eu->row[e][j];
        phi1 += d1 * ep->row[e][j];
        phi2 += d2 * ep->row[e][j];
        lever1 += d1 * lever[e][j];
        lever2 += d2 * lever[e][j];
      }
      K[i - 1 + u * n]          = -shear * (D2 + u2);
      K[i - 1 + phi * n]        = -shear * (lever2 - D1 - phi1);
      K[half + i - 1 + u * n]   = -beta * shear * (D1 + u1);
      K[half + i - 1 + phi * n] = -beta * (D2 + phi2) - beta * shear * (lever1 - (i == j ? 1.0 : 0.0));
    }
  }
  PetscCall(PetscFree2(lever[0], lever[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Metric_Timoshenko(Beam beam, PetscReal *metric)
{
  const PetscInt half = beam->N - 1;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < half; i++) {
    metric[i]        = beam->grid.weights[i + 1];
    metric[half + i] = beam->grid.weights[i + 1] / beam->params->beam_beta;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expand_Timoshenko(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi)
{
  const PetscInt   N = beam->N;
  const PetscReal *inner_u = x, *inner_phi = x + N - 1;
  const PetscReal  level[2] = {0.0, 0.0};
  PetscReal        end_u[2], end_phi[2];

  PetscFunctionBeginUser;
  EndsValues(&beam->end_phi, N, inner_phi, level, end_phi);
  EndsValues(&beam->end_u, N, inner_u, end_phi, end_u);
  u[0] = end_u[0];
  u[N] = end_u[1];
  PetscCall(PetscArraycpy(u + 1, inner_u, N - 1));
  if (phi) {
    phi[0] = end_phi[0];
    phi[N] = end_phi[1];
    PetscCall(PetscArraycpy(phi + 1, inner_phi, N - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Energies_Timoshenko(Beam beam, PetscReal u, PetscReal phi, PetscReal du, PetscReal dphi, PetscReal *mass, PetscReal *stiffness)
{
  const PetscReal beta = beam->params->beam_beta, gamma = beam->params->beam_gamma, shear = du - phi;

  *mass      = u * u + phi * phi / beta;
  *stiffness = beta * gamma * shear * shear + dphi * dphi;
}

/* BeamCreate_Timoshenko - Make a beam a Timoshenko beam: fills the table of functions. */
PetscErrorCode BeamCreate_Timoshenko(Beam beam)
{
  PetscFunctionBeginUser;
  beam->ops.size     = Size_Timoshenko;
  beam->ops.fill     = Fill_Timoshenko;
  beam->ops.metric   = Metric_Timoshenko;
  beam->ops.expand   = Expand_Timoshenko;
  beam->ops.energies = Energies_Timoshenko;
  PetscFunctionReturn(PETSC_SUCCESS);
}
