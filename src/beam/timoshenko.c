/*
  timoshenko.c - the clamped-free Timoshenko beam.   [theory 1, 2]

      u_tt   = beta gamma (u'' - phi') + q        phi_tt = beta phi'' + beta^2 gamma (u' - phi)
      u(0) = phi(0) = 0,   phi'(1) = 0,   beta gamma (u'(1) - phi(1)) = f

  Unknowns x = (u, phi) at the N-1 interior points. With e_j = -D_Nj / D_NN the tip conditions read, strongly,

      phi(1) = sum_j e_j phi_j,      u(1) = sum_j e_j u_j + phi(1) / D_NN + d f,      d = 1 / (beta gamma D_NN)
*/
#include "beam_impl.h"

static PetscInt Size_Timoshenko(Beam beam)
{
  return 2 * (beam->N - 1);
}

/* tip_row: e_j at the interior points j = 1 .. N-1, and 1 / D_NN in the last place. */
static PetscErrorCode Tip_Timoshenko(Beam beam, const PetscReal *first)
{
  const PetscInt  N = beam->N, m = N + 1;
  const PetscReal corner = first[N + N * m];

  PetscFunctionBeginUser;
  beam->tip_row[0] = 0.0;
  for (PetscInt j = 1; j < N; j++) beam->tip_row[j] = -first[N + j * m] / corner;
  beam->tip_row[N] = 1.0 / corner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fill_Timoshenko(Beam beam, const PetscReal *first, const PetscReal *second, PetscReal *K, PetscReal *b, PetscReal *c,
                                      PetscReal *d)
{
  const PetscInt   N = beam->N, m = N + 1, n = beam->n, half = N - 1;
  const PetscReal  beta = beam->params->beam_beta, shear = beta * beam->params->beam_gamma; /* beta gamma */
  const PetscReal *e = beam->tip_row, inverse_corner = beam->tip_row[N];

  PetscFunctionBeginUser;
  *d = inverse_corner / shear;
  for (PetscInt j = 1; j < N; j++) {
    c[j - 1]        = e[j];
    c[half + j - 1] = inverse_corner * e[j];
  }
  for (PetscInt i = 1; i < N; i++) {
    const PetscReal d1 = first[i + N * m], d2 = second[i + N * m]; /* action of the tip values on point i */
    b[i - 1]        = shear * d2 * *d;
    b[half + i - 1] = beta * shear * d1 * *d;
    for (PetscInt j = 1; j < N; j++) {
      const PetscReal D1 = first[i + j * m], D2 = second[i + j * m], lever = inverse_corner * e[j];
      const PetscInt  u = j - 1, phi = half + j - 1;
      K[i - 1 + u * n]          = -shear * (D2 + d2 * e[j]);
      K[i - 1 + phi * n]        = -shear * (d2 * lever - D1 - d1 * e[j]);
      K[half + i - 1 + u * n]   = -beta * shear * (D1 + d1 * e[j]);
      K[half + i - 1 + phi * n] = -beta * (D2 + d2 * e[j]) - beta * shear * (d1 * lever - (i == j ? 1.0 : 0.0));
    }
  }
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
  const PetscReal *e = beam->tip_row, *inner_u = x, *inner_phi = x + N - 1;
  PetscReal        tip_u = 0.0, tip_phi = 0.0;

  PetscFunctionBeginUser;
  for (PetscInt j = 1; j < N; j++) {
    tip_u += e[j] * inner_u[j - 1];
    tip_phi += e[j] * inner_phi[j - 1];
  }
  u[0] = 0.0;
  u[N] = tip_u + tip_phi * e[N];
  PetscCall(PetscArraycpy(u + 1, inner_u, N - 1));
  if (phi) {
    phi[0] = 0.0;
    phi[N] = tip_phi;
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
  beam->ops.tip      = Tip_Timoshenko;
  beam->ops.fill     = Fill_Timoshenko;
  beam->ops.metric   = Metric_Timoshenko;
  beam->ops.expand   = Expand_Timoshenko;
  beam->ops.energies = Energies_Timoshenko;
  PetscFunctionReturn(PETSC_SUCCESS);
}
