/*
  euler_bernoulli.c - the clamped-free Euler-Bernoulli beam by its curvature, in Legendre polynomials.   [theory 1, 13]

      u_tt = -u'''' + q,      u(0) = u'(0) = 0,      u''(1) = u'''(1) = 0

  Collocating u'''' makes entries of size N^8 and loses low frequencies altogether. Integration loses nothing: with G v = int_0^x v the
  deflection by the curvature m is u = J m, J = G G, and meets the clamped end as it stands; the free end is the natural condition of

      1 / w^2 = max int u^2 / int m^2,      so that 1 / w_k are the singular values of J

  and round-off in them is eps / w_1, not eps times the largest stiffness. In the orthonormal polynomials p_n = sqrt(2n+1) P_n(2x-1)

      G p_n = a_{n+1} p_{n+1} - a_n p_{n-1},   a_n = 1 / (2 sqrt(4 n^2 - 1)),      G p_0 = p_0 / 2 + a_1 p_1

  Unknowns x: the n = N-1 coefficients of m. u has degree N and phi = u' degree N-1, so that both are exact on the N+1 points.
*/
#include "beam_impl.h"

static PetscInt Size_EulerBernoulli(Beam beam)
{
  return beam->N - 1;
}

static PetscReal Step_Private(PetscInt n)
{
  return 0.5 / PetscSqrtReal(4.0 * (PetscReal)n * (PetscReal)n - 1.0);
}

/* integral[n+1]: coefficients of int_0^x of the polynomial with coefficients v[n] */
static void Integrate_Private(PetscInt n, const PetscReal *v, PetscReal *integral)
{
  for (PetscInt i = 0; i <= n; i++) {
    const PetscReal from_below = i > 0 ? Step_Private(i) * v[i - 1] : 0.5 * v[0];
    integral[i]                = from_below - (i + 1 < n ? Step_Private(i + 1) * v[i + 1] : 0.0);
  }
}

/* values[N+1] of the polynomial with coefficients v[n] at the points of the grid: Clenshaw's recurrence
   downwards, at all points together, with 2 x - 1 = x - y. work: [N+1] */
static void Sum_Private(const Chebyshev *grid, PetscInt n, const PetscReal *v, PetscReal *work, PetscReal *values)
{
  PetscReal *next = n % 2 ? work : values, *after = n % 2 ? values : work; /* after n exchanges next is values */

  for (PetscInt j = 0; j <= grid->N; j++) next[j] = after[j] = 0.0;
  for (PetscInt k = n - 1; k >= 0; k--) {
    const PetscReal order = (PetscReal)k, own = v[k] * PetscSqrtReal(2.0 * order + 1.0);
    const PetscReal up = (2.0 * order + 1.0) / (order + 1.0), upper = (order + 1.0) / (order + 2.0);
    PetscReal      *now = after;
    for (PetscInt j = 0; j <= grid->N; j++) now[j] = own + up * (grid->x[j] - grid->y[j]) * next[j] - upper * after[j];
    after = next;
    next  = now;
  }
}

static PetscErrorCode Flexibility_EulerBernoulli(Beam beam, PetscInt rows, PetscInt columns, PetscReal *J)
{
  PetscReal *unit, *once;

  PetscFunctionBeginUser;
  (void)beam;
  PetscCall(PetscCalloc2(columns, &unit, columns + 1, &once));
  for (PetscInt k = 0; k < columns; k++) {
    unit[k] = 1.0;
    Integrate_Private(columns, unit, once);
    Integrate_Private(columns + 1, once, J + k * rows);
    unit[k] = 0.0;
  }
  PetscCall(PetscFree2(unit, once));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expand_EulerBernoulli(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi)
{
  const PetscInt n = beam->n;
  PetscReal     *slope, *deflection, *work;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(n + 1, &slope, n + 2, &deflection, beam->N + 1, &work));
  Integrate_Private(n, x, slope);
  Integrate_Private(n + 1, slope, deflection);
  Sum_Private(&beam->grid, n + 2, deflection, work, u);
  if (phi) Sum_Private(&beam->grid, n + 1, slope, work, phi);
  PetscCall(PetscFree3(slope, deflection, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Energies_EulerBernoulli(Beam beam, PetscReal u, PetscReal phi, PetscReal du, PetscReal dphi, PetscReal *mass,
                                    PetscReal *stiffness)
{
  (void)beam, (void)phi, (void)du;
  *mass      = u * u;
  *stiffness = dphi * dphi;
}

/* BeamCreate_EulerBernoulli - Make a beam an Euler-Bernoulli beam: fills the table of functions. */
PetscErrorCode BeamCreate_EulerBernoulli(Beam beam)
{
  PetscFunctionBeginUser;
  PetscCheck(beam->params->beam_ends == ENDS_CLAMPED_FREE, beam->comm, PETSC_ERR_PLIB, "an Euler-Bernoulli beam is clamped and free");
  beam->ops.size        = Size_EulerBernoulli;
  beam->ops.flexibility = Flexibility_EulerBernoulli;
  beam->ops.expand      = Expand_EulerBernoulli;
  beam->ops.energies    = Energies_EulerBernoulli;
  PetscFunctionReturn(PETSC_SUCCESS);
}
