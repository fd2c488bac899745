/*
  string.c - the string, clamped and free or free at both ends; a rod is the same operator.   [theory 1, 2, 13]

      u_tt = c^2 u'' + q,      clamped: u = 0      free: c^2 u' = 0, or f at the contact point x = 1

  Unknowns x = u at the N-1 interior points; mass 1, so that the stiffness is c^2. u is open (ends.c) at free ends:

      u_e = sum_j Q_ej u_j + sum_o G_eo f_o / c^2,      d = G_NN / c^2
*/
#include "beam_impl.h"

static PetscInt Size_String(Beam beam)
{
  return beam->N - 1;
}

static PetscErrorCode Fill_String(Beam beam, const PetscReal *first, const PetscReal *second, PetscReal *K, PetscReal *b, PetscReal *c,
                                  PetscReal *d)
{
  const PetscInt  N = beam->N, m = N + 1, n = beam->n, at[2] = {0, N};
  const PetscReal tension = PetscSqr(beam->params->beam_wave_speed);
  const Ends     *ends    = &beam->end_u;

  PetscFunctionBeginUser;
  (void)first;
  if (b) *d = ends->inverse[1][1] / tension;
  for (PetscInt i = 1; i < N; i++) {
    const PetscReal d2[2] = {second[i + at[0] * m], second[i + at[1] * m]}; /* action of the end values on point i */
    if (b) {
      b[i - 1] = d2[0] * ends->inverse[0][1] + d2[1] * ends->inverse[1][1];
      c[i - 1] = ends->row[1][i];
    }
    for (PetscInt j = 1; j < N; j++)
      K[i - 1 + (j - 1) * n] = -tension * (second[i + j * m] + (d2[0] * ends->row[0][j] + d2[1] * ends->row[1][j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Metric_String(Beam beam, PetscReal *metric)
{
  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(metric, beam->grid.weights + 1, beam->N - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expand_String(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi)
{
  const PetscInt  N        = beam->N;
  const PetscReal level[2] = {0.0, 0.0};
  PetscReal       end[2];

  PetscFunctionBeginUser;
  EndsValues(&beam->end_u, N, x, level, end);
  u[0] = end[0];
  u[N] = end[1];
  PetscCall(PetscArraycpy(u + 1, x, N - 1));
  if (phi) PetscCall(PetscArrayzero(phi, N + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Energies_String(Beam beam, PetscReal u, PetscReal phi, PetscReal du, PetscReal dphi, PetscReal *mass, PetscReal *stiffness)
{
  (void)phi, (void)dphi;
  *mass      = u * u;
  *stiffness = PetscSqr(beam->params->beam_wave_speed * du);
}

/* BeamCreate_String - Make a beam a string or a rod: fills the table of functions. */
PetscErrorCode BeamCreate_String(Beam beam)
{
  PetscFunctionBeginUser;
  beam->ops.size     = Size_String;
  beam->ops.fill     = Fill_String;
  beam->ops.metric   = Metric_String;
  beam->ops.expand   = Expand_String;
  beam->ops.energies = Energies_String;
  PetscFunctionReturn(PETSC_SUCCESS);
}
