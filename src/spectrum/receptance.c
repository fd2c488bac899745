/*
  receptance.c - the tip receptance of a beam from M of its modes, closed so that L+ is exact.   [theory 6]

  H(s) = sum_{k<=M} r_k / den_k(s) + T(s),  den_k(s) = s^2 + 2 D w_k s + w_k^2. The tail T carries what the M modes do
  not: the static compliance C0, and with order 2 the next two moments C1, T2 as well; for orders 1 and 2 it behaves as
  L+/s at infinity, which is what makes the contact force finite and unique. A singular structure has no such term: order 0 alone.

  Poles are known in closed form. Zeros are the spectrum of the beam held at the stop: eigenvalues of the contact matrix
  by SLEPc, then polished by Newton on H itself, which costs O(M) each and restores the digits a dense eigensolver loses.

  A rigid mode is r_1/s^2: no pole of the list, and zeros like any other.

  Invariants after SetUp: zeros are distinct and their sum equals the trace of the contact matrix; complex pairs are stored
  once with positive imaginary part.
*/
#include "receptance_impl.h"

#include <math.h>

PetscReal ImpactKernelJump(PetscReal D, PetscReal Z)
{
  return 2.0 / (PETSC_PI * Z) * acos(D) / sqrt(1.0 - D * D);
}

/* ReceptanceCreate - Collective on comm (PETSC_COMM_SELF in this program). */
PetscErrorCode ReceptanceCreate(MPI_Comm comm, Receptance *receptance)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(receptance));
  (*receptance)->comm         = comm;
  (*receptance)->order_wanted = 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReceptanceClear_Private(Receptance rc)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(rc->poles, rc->residues));
  PetscCall(PetscFree2(rc->zeros, rc->slopes));
  rc->set_up = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void UniformDamping_Private(Receptance rc)
{
  for (PetscInt k = 0; k < rc->n_known; ++k) rc->damping[k] = rc->D;
}

/* ReceptanceSetModes - Give the known modes and how many of them are kept; a list of damping ratios is forgotten. Not collective. */
PetscErrorCode ReceptanceSetModes(Receptance rc, PetscInt n_known, const PetscReal *w, const PetscReal *r, PetscInt M)
{
  PetscFunctionBeginUser;
  PetscCheck(M >= 1 && M <= n_known, rc->comm, PETSC_ERR_PLIB, "%d of %d modes asked for", (int)M, (int)n_known);
  for (PetscInt k = 0; k < n_known; ++k)
    PetscCheck(r[k] > 0.0 && (w[k] > 0.0 || (k == 0 && w[k] == 0.0)), rc->comm, PETSC_ERR_PLIB, "mode %d: frequency %g, residue %g",
               (int)k + 1, (double)w[k], (double)r[k]);
  PetscCall(ReceptanceClear_Private(rc));
  PetscCall(PetscFree4(rc->w, rc->r, rc->tip, rc->damping));
  PetscCall(PetscMalloc4(n_known, &rc->w, n_known, &rc->r, n_known, &rc->tip, n_known, &rc->damping));
  for (PetscInt k = 0; k < n_known; ++k) {
    rc->w[k]   = w[k];
    rc->r[k]   = r[k];
    rc->tip[k] = sqrt(r[k]);
  }
  rc->n_known = n_known;
  rc->M       = M;
  rc->listed  = PETSC_FALSE;
  UniformDamping_Private(rc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetContinuum - Damping ratio D, exact static compliance S (rigid motion left out), impedance Z, INFINITY if singular. Not
 * collective. */
PetscErrorCode ReceptanceSetContinuum(Receptance rc, PetscReal D, PetscReal S, PetscReal Z)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceClear_Private(rc));
  rc->D = D;
  rc->S = S;
  rc->Z = Z;
  if (!rc->listed) UniformDamping_Private(rc);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetDamping - A ratio for each of the n_known modes, copied; after ReceptanceSetModes. Not collective. */
PetscErrorCode ReceptanceSetDamping(Receptance rc, const PetscReal *damping)
{
  PetscFunctionBeginUser;
  PetscCheck(rc->w, rc->comm, PETSC_ERR_PLIB, "modes come before their damping");
  PetscCall(ReceptanceClear_Private(rc));
  PetscCall(PetscArraycpy(rc->damping, damping, rc->n_known));
  rc->listed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetClosure - The order of the tail, 0, 1 or 2. Not collective. */
PetscErrorCode ReceptanceSetClosure(Receptance rc, PetscInt order)
{
  PetscFunctionBeginUser;
  PetscCheck(order >= 0 && order <= 2, rc->comm, PETSC_ERR_PLIB, "closure of order %d", (int)order);
  PetscCall(ReceptanceClear_Private(rc));
  rc->order_wanted = order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Tail sums over k > M: the known modes above the cut one by one, and what lies beyond the last known one from the
  density of residues 2/(pi Z) per unit frequency, cut where the exact compliance says.   (6.6)-(6.8)
*/
static PetscErrorCode TailSums_Private(Receptance rc)
{
  const PetscReal density = 2.0 / (PETSC_PI * rc->Z);
  const PetscInt  rigid   = rc->w[0] == 0.0 ? 1 : 0;
  PetscReal       s2 = 0.0, s3 = 0.0, s4 = 0.0, beyond;

  PetscFunctionBeginUser;
  for (PetscInt k = rc->n_known - 1; k >= rigid; --k) s2 += rc->r[k] / (rc->w[k] * rc->w[k]);
  beyond = rc->S - s2;
  PetscCheck(beyond > 0.0, rc->comm, PETSC_ERR_PLIB, "the known modes carry more than the static compliance: %.12g of %.12g", (double)s2,
             (double)rc->S);
  const PetscReal cut = density / beyond; /* frequency from which the unknown residues start, on average */

  s2 = beyond;
  s3 = density / (2.0 * cut * cut);
  s4 = density / (3.0 * cut * cut * cut);
  for (PetscInt k = rc->n_known - 1; k >= PetscMax(rc->M, rigid); --k) {
    const PetscReal w = rc->w[k], q = rc->r[k] / (w * w);

    s2 += q;
    s3 += q / w;
    s4 += q / (w * w);
  }
  rc->tail.C0 = s2;
  rc->tail.C1 = 2.0 * rc->D * s3;
  rc->tail.T2 = -(1.0 - 4.0 * rc->D * rc->D) * s4;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The same of a singular structure, where no density of residues is known: C0 is what S has beyond the M modes, C1 and T2 are sums over
  the known modes. A system of finitely many modes, all kept, has nothing there but round-off: then C0 = 0.
*/
static PetscErrorCode TailSumsSingular_Private(Receptance rc)
{
  const PetscInt rigid   = rc->w[0] == 0.0 ? 1 : 0;
  PetscReal      carried = 0.0;

  PetscFunctionBeginUser;
  rc->tail.C1 = rc->tail.T2 = 0.0;
  for (PetscInt k = rc->n_known - 1; k >= PetscMax(rc->M, rigid); --k) {
    const PetscReal w = rc->w[k], D = rc->damping[k], q = rc->r[k] / (w * w);

    rc->tail.C1 += 2.0 * D * q / w;
    rc->tail.T2 -= (1.0 - 4.0 * D * D) * q / (w * w);
  }
  for (PetscInt k = rc->M - 1; k >= rigid; --k) carried += rc->r[k] / (rc->w[k] * rc->w[k]);
  rc->tail.C0 = rc->S - carried;
  PetscCheck(rc->tail.C0 >= -1e-7 * rc->S, rc->comm, PETSC_ERR_PLIB, "the modes carry more than the static compliance: %.12g of %.12g",
             (double)carried, (double)rc->S);
  /* 1e-9: what the residues may be wrong by */
  if (rc->tail.C0 <= 1e-9 * rc->S) rc->tail.C0 = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients of the closure (6.4), (6.5); order 1 stands in where order 2 has no passive solution (D near 1). */
static PetscErrorCode TailClose_Private(Receptance rc)
{
  Tail           *t = &rc->tail;
  const PetscReal L = rc->L_plus;

  PetscFunctionBeginUser;
  t->order = L > 0.0 ? rc->order_wanted : 0;
  if (t->order == 2) {
    t->d = (t->C0 - L * t->C1 / t->C0) / (t->C1 * t->C1 / t->C0 - t->T2);
    t->b = (L + t->C1 * t->d) / t->C0;
    t->a = t->C0 * t->d;
    /*
      A double pole has no place in the modal sums; it is as rare as it is harmless to avoid. Where the solution stops to be passive, d = 0,
      a pole -d/b comes from far away to 0; what stands for the modes above the last cannot be slower than the first.
    */
    const PetscReal discriminant = t->b * t->b - 4.0 * t->d;
    if (!(t->d > t->b * rc->w[0]) || !(t->d > 0.0) || !(t->b > 0.0) || !isfinite(t->d) || fabs(discriminant) < 1e-8 * t->b * t->b)
      t->order = 1;
  }
  t->states = t->order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Poles_Private(Receptance rc)
{
  const Tail *t = &rc->tail;
  PetscInt    n = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(rc->M + 2, &rc->poles, rc->M + 2, &rc->residues));
  for (PetscInt k = 0; k < rc->M; ++k) {
    const PetscReal D = rc->damping[k], wd = rc->w[k] * sqrt(1.0 - D * D);

    if (rc->w[k] == 0.0) continue; /* rigid */
    rc->poles[n]    = -D * rc->w[k] + I * wd;
    rc->residues[n] = rc->r[k] / (2.0 * I * wd);
    ++n;
  }
  if (t->order == 1) {
    rc->poles[n]    = -rc->L_plus / t->C0;
    rc->residues[n] = rc->L_plus;
    ++n;
  } else if (t->order == 2) {
    const PetscReal q = 0.25 * t->b * t->b - t->d;

    if (q < 0.0) {
      const double complex p = -0.5 * t->b + I * sqrt(-q);

      rc->poles[n]    = p;
      rc->residues[n] = (rc->L_plus * p + t->a) / (2.0 * p + t->b);
      ++n;
    } else {
      const PetscReal far = -0.5 * t->b - sqrt(q), near = t->d / far; /* no cancellation in either */
      const PetscReal both[2] = {near, far};

      for (int i = 0; i < 2; ++i, ++n) {
        rc->poles[n]    = both[i];
        rc->residues[n] = (rc->L_plus * both[i] + t->a) / (2.0 * both[i] + t->b);
      }
    }
  }
  rc->n_poles = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetUp - Tail, poles and zeros. Cost: one dense eigenproblem of size 2M+2. */
PetscErrorCode ReceptanceSetUp(Receptance rc)
{
  PetscFunctionBeginUser;
  if (rc->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(rc->w && rc->S >= 0.0 && rc->Z > 0.0, rc->comm, PETSC_ERR_PLIB, "modes and continuum must be set first");
  rc->L_plus = ImpactKernelJump(rc->D, rc->Z);
  if (rc->L_plus > 0.0) PetscCall(TailSums_Private(rc));
  else PetscCall(TailSumsSingular_Private(rc));
  PetscCall(TailClose_Private(rc));
  PetscCheck(!rc->listed || rc->tail.order == 0, rc->comm, PETSC_ERR_PLIB, "a damping ratio for each mode leaves no tail to close");
  PetscCall(Poles_Private(rc));
  PetscCall(ReceptanceZeros_Private(rc));
  rc->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReceptanceDestroy(Receptance *receptance)
{
  PetscFunctionBeginUser;
  if (!*receptance) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReceptanceClear_Private(*receptance));
  PetscCall(PetscFree4((*receptance)->w, (*receptance)->r, (*receptance)->tip, (*receptance)->damping));
  PetscCall(PetscFree(*receptance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceGetModes - The M modes kept: w, r, mass-normalised tip values n_k = sqrt(r_k), shape [M] each. Any output may be NULL. */
PetscErrorCode ReceptanceGetModes(Receptance rc, PetscInt *M, const PetscReal **w, const PetscReal **r, const PetscReal **tip, PetscReal *D)
{
  PetscFunctionBeginUser;
  if (M) *M = rc->M;
  if (w) *w = rc->w;
  if (r) *r = rc->r;
  if (tip) *tip = rc->tip;
  if (D) *D = rc->D;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceGetDamping - Ratio of each of the M modes kept, shape [M]. */
PetscErrorCode ReceptanceGetDamping(Receptance rc, const PetscReal **damping)
{
  PetscFunctionBeginUser;
  *damping = rc->damping;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceGetTail - The closure in use, L+ and the compliance S. Any output may be NULL. */
PetscErrorCode ReceptanceGetTail(Receptance rc, const Tail **tail, PetscReal *L_plus, PetscReal *S)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceSetUp(rc));
  if (tail) *tail = &rc->tail;
  if (L_plus) *L_plus = rc->L_plus;
  if (S) *S = rc->S;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReceptanceGetPoles(Receptance rc, PetscInt *n, const double complex **poles, const double complex **residues)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceSetUp(rc));
  if (n) *n = rc->n_poles;
  if (poles) *poles = rc->poles;
  if (residues) *residues = rc->residues;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReceptanceGetZeros(Receptance rc, PetscInt *n, const double complex **zeros, const double complex **slopes)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceSetUp(rc));
  if (n) *n = rc->n_zeros;
  if (zeros) *zeros = rc->zeros;
  if (slopes) *slopes = rc->slopes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceEvaluateTail - T(s) and T'(s); either output may be NULL.   (6.3)-(6.5) */
PetscErrorCode ReceptanceEvaluateTail(Receptance rc, double complex s, double complex *T, double complex *dT)
{
  const Tail     *t = &rc->tail;
  const PetscReal L = rc->L_plus;
  double complex  value, slope;

  PetscFunctionBeginUser;
  if (t->order == 0) {
    value = t->C0;
    slope = 0.0;
  } else if (t->order == 1) {
    const double complex q = 1.0 / (s + L / t->C0);

    value = L * q;
    slope = -L * q * q;
  } else {
    const double complex q = 1.0 / (s * s + t->b * s + t->d);

    value = (L * s + t->a) * q;
    slope = L * q - value * (2.0 * s + t->b) * q;
  }
  if (T) *T = value;
  if (dT) *dT = slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceEvaluate - H(s) and H'(s), either output may be NULL; smallest terms are added first. Cost O(M).   (6.1) */
PetscErrorCode ReceptanceEvaluate(Receptance rc, double complex s, double complex *H, double complex *dH)
{
  double complex sum, slope;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceEvaluateTail(rc, s, &sum, &slope));
  for (PetscInt k = rc->M - 1; k >= 0; --k) {
    const double complex den  = s * s + 2.0 * rc->damping[k] * rc->w[k] * s + rc->w[k] * rc->w[k];
    const double complex term = rc->r[k] / den;

    sum += term;
    slope -= term * (2.0 * s + 2.0 * rc->damping[k] * rc->w[k]) / den;
  }
  if (H) *H = sum;
  if (dH) *dH = slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}
