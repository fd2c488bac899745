/*
  receptance.c - the tip receptance of a beam from M of its modes, closed so that L+ is exact.   [theory 6]

  H(s) = sum_{k<=M} r_k / den_k(s) + T(s),  den_k(s) = s^2 + 2 D w_k s + w_k^2. The tail T carries what the M modes do
  not: the static compliance C0, and with order 2 the next two moments C1, T2 as well; for orders 1 and 2 it behaves as
  L+/s at infinity, which is what makes the contact force finite and unique.

  Poles are known in closed form. Zeros are the spectrum of the beam held at the stop: eigenvalues of the contact matrix
  by SLEPc, then polished by Newton on H itself, which costs O(M) each and restores the digits a dense eigensolver loses.

  Invariants after SetUp: zeros are distinct and their sum equals the trace of the contact matrix; complex pairs are stored
  once with positive imaginary part.
*/
#include "graze/receptance.h"

#include <math.h>
#include <slepceps.h>

struct _p_Receptance {
  MPI_Comm comm;
  /* parameters */
  PetscInt  n_known, M, order_wanted;
  PetscReal D, S, c;
  /* owned */
  PetscReal      *w, *r, *tip; /* [n_known] */
  double complex *poles, *residues, *zeros, *slopes;
  PetscInt        n_poles, n_zeros;
  /* results */
  PetscReal L_plus;
  Tail      tail;
  /* status */
  PetscBool set_up;
};

PetscReal ImpactKernelJump(PetscReal D, PetscReal c)
{
  return 2.0 / (PETSC_PI * c) * acos(D) / sqrt(1.0 - D * D);
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

/* ReceptanceSetModes - Give the known modes and how many of them are kept. Not collective. */
PetscErrorCode ReceptanceSetModes(Receptance rc, PetscInt n_known, const PetscReal *w, const PetscReal *r, PetscInt M)
{
  PetscFunctionBeginUser;
  PetscCheck(M >= 1 && M <= n_known, rc->comm, PETSC_ERR_PLIB, "%d of %d modes asked for", (int)M, (int)n_known);
  PetscCall(ReceptanceClear_Private(rc));
  PetscCall(PetscFree3(rc->w, rc->r, rc->tip));
  PetscCall(PetscMalloc3(n_known, &rc->w, n_known, &rc->r, n_known, &rc->tip));
  for (PetscInt k = 0; k < n_known; ++k) {
    rc->w[k]   = w[k];
    rc->r[k]   = r[k];
    rc->tip[k] = sqrt(r[k]);
  }
  rc->n_known = n_known;
  rc->M       = M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetContinuum - Damping ratio D, exact static compliance S, wave speed c. Not collective. */
PetscErrorCode ReceptanceSetContinuum(Receptance rc, PetscReal D, PetscReal S, PetscReal c)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceClear_Private(rc));
  rc->D = D;
  rc->S = S;
  rc->c = c;
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
  density of residues 2/(pi c) per unit frequency, cut where the exact compliance says.   (6.6)-(6.8)
*/
static PetscErrorCode TailSums_Private(Receptance rc)
{
  const PetscReal density = 2.0 / (PETSC_PI * rc->c);
  PetscReal       s2 = 0.0, s3 = 0.0, s4 = 0.0, beyond;

  PetscFunctionBeginUser;
  for (PetscInt k = rc->n_known - 1; k >= 0; --k) s2 += rc->r[k] / (rc->w[k] * rc->w[k]);
  beyond = rc->S - s2;
  PetscCheck(beyond > 0.0, rc->comm, PETSC_ERR_PLIB, "the known modes carry more than the static compliance: %.12g of %.12g", (double)s2, (double)rc->S);
  const PetscReal cut = density / beyond; /* frequency from which the unknown residues start, on average */

  s2 = beyond;
  s3 = density / (2.0 * cut * cut);
  s4 = density / (3.0 * cut * cut * cut);
  for (PetscInt k = rc->n_known - 1; k >= rc->M; --k) {
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

/* Coefficients of the closure (6.4), (6.5); order 1 stands in where order 2 has no passive solution (D near 1). */
static PetscErrorCode TailClose_Private(Receptance rc)
{
  Tail           *t  = &rc->tail;
  const PetscReal L  = rc->L_plus;

  PetscFunctionBeginUser;
  t->order = rc->order_wanted;
  if (t->order == 2) {
    t->d = (t->C0 - L * t->C1 / t->C0) / (t->C1 * t->C1 / t->C0 - t->T2);
    t->b = (L + t->C1 * t->d) / t->C0;
    t->a = t->C0 * t->d;
    /* a double pole has no place in the modal sums; it is as rare as it is harmless to avoid */
    const PetscReal discriminant = t->b * t->b - 4.0 * t->d;
    if (!(t->d > 0.0) || !(t->b > 0.0) || !isfinite(t->d) || fabs(discriminant) < 1e-8 * t->b * t->b) t->order = 1;
  }
  t->states = t->order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Poles_Private(Receptance rc)
{
  const Tail *t = &rc->tail;
  PetscInt    n = rc->M;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(rc->M + 2, &rc->poles, rc->M + 2, &rc->residues));
  for (PetscInt k = 0; k < rc->M; ++k) {
    const PetscReal wd = rc->w[k] * sqrt(1.0 - rc->D * rc->D);

    rc->poles[k]    = -rc->D * rc->w[k] + I * wd;
    rc->residues[k] = rc->r[k] / (2.0 * I * wd);
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

/*
  The contact matrix in variables of energy: w_k x_k, x_k', and the tail scaled alike, so that the dense eigensolver
  meets entries of one size.   (7.8)
*/
static PetscErrorCode ContactMatrix_Private(Receptance rc, Mat *A)
{
  const PetscInt M = rc->M, n = 2 * M + rc->tail.states;
  const Tail    *t = &rc->tail;
  PetscScalar   *a;
  PetscInt       ld;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, NULL, A));
  PetscCall(MatZeroEntries(*A));
  PetscCall(MatDenseGetLDA(*A, &ld));
  PetscCall(MatDenseGetArray(*A, &a));
#define ENTRY(i, j) a[(size_t)(j) * (size_t)ld + (size_t)(i)]
  for (PetscInt k = 0; k < M; ++k) {
    ENTRY(k, M + k)     = rc->w[k];
    ENTRY(M + k, k)     = -rc->w[k];
    ENTRY(M + k, M + k) = -2.0 * rc->D * rc->w[k];
  }
  if (t->order == 0) { /* f = -(sum n x)/C0 */
    for (PetscInt j = 0; j < M; ++j)
      for (PetscInt k = 0; k < M; ++k) ENTRY(M + k, j) -= rc->tip[k] * rc->tip[j] / (rc->w[j] * t->C0);
  } else { /* f = -y2 / L+; p1 = sqrt(C0) e1, p2 = sqrt(C0 d) e2 */
    const PetscReal root = sqrt(t->C0), rootd = t->order == 2 ? sqrt(t->C0 * t->d) : 0.0;
    const PetscReal y2_1 = t->order == 1 ? -rc->L_plus / root : -t->b * root; /* y2 per unit of e1 */

    for (PetscInt k = 0; k < M; ++k) {
      for (PetscInt j = 0; j < M; ++j) ENTRY(M + k, M + j) -= rc->tip[k] * rc->tip[j] / rc->L_plus;
      ENTRY(M + k, 2 * M) -= rc->tip[k] * y2_1 / rc->L_plus;
      ENTRY(2 * M, M + k) = -rc->tip[k] / root; /* p1' = -(y2 of the modes), as the tip is held */
      if (t->order == 2) {
        ENTRY(M + k, 2 * M + 1) -= rc->tip[k] * rootd / rc->L_plus;
        ENTRY(2 * M + 1, M + k) = -t->a * rc->tip[k] / (rc->L_plus * rootd);
      }
    }
    if (t->order == 2) {
      ENTRY(2 * M + 1, 2 * M)     = (-t->d * root - t->a * y2_1 / rc->L_plus) / rootd;
      ENTRY(2 * M + 1, 2 * M + 1) = -t->a / rc->L_plus;
    }
  }
#undef ENTRY
  PetscCall(MatDenseRestoreArray(*A, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton on H(z) = 0 from an eigenvalue; the step can only mend round-off, so it must be small. */
static PetscErrorCode PolishZero_Private(Receptance rc, double complex *z, double complex *slope)
{
  const double complex start = *z;
  const PetscBool      real  = (PetscBool)(cimag(start) == 0.0);

  PetscFunctionBeginUser;
  for (int it = 0; it < 12; ++it) {
    double complex H, step;

    PetscCall(ReceptanceEvaluate(rc, *z, &H, slope));
    step = H / *slope;
    *z -= real ? creal(step) : step;
    if (cabs(step) < 4.0 * PETSC_MACHINE_EPSILON * cabs(*z)) break;
  }
  PetscCheck(cabs(*z - start) < 1e-4 * cabs(start), rc->comm, PETSC_ERR_PLIB, "zero of the receptance at %g%+gi moved to %g%+gi", creal(start), cimag(start), creal(*z),
             cimag(*z));
  PetscCall(ReceptanceEvaluate(rc, *z, NULL, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int FallingRealPart(const void *a, const void *b)
{
  const double complex x = *(const double complex *)a, y = *(const double complex *)b;

  if (creal(x) != creal(y)) return creal(x) > creal(y) ? -1 : 1;
  return cimag(x) < cimag(y) ? -1 : (cimag(x) > cimag(y));
}

/* All zeros of H: spectrum of the contact matrix but its one zero eigenvalue (the held tip; none for order 0). */
static PetscErrorCode Zeros_Private(Receptance rc)
{
  const PetscInt n = 2 * rc->M + rc->tail.states, expected = n - (rc->tail.order > 0);
  const Tail    *t = &rc->tail;
  Mat            A;
  EPS            eps;
  PetscInt       found, smallest = -1, counted = 0;
  PetscReal      least = PETSC_MAX_REAL, trace = 0.0, sum = 0.0, size = 0.0;

  PetscFunctionBeginUser;
  PetscCall(ContactMatrix_Private(rc, &A));
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found == n, rc->comm, PETSC_ERR_PLIB, "%d of %d contact exponents found", (int)found, (int)n);
  for (PetscInt i = 0; i < n && expected < n; ++i) {
    PetscScalar re, im;

    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (hypot(re, im) < least) {
      least    = hypot(re, im);
      smallest = i;
    }
  }
  PetscCall(PetscMalloc2(n, &rc->zeros, n, &rc->slopes));
  rc->n_zeros = 0;
  for (PetscInt i = 0; i < n; ++i) {
    PetscScalar re, im;

    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (i == smallest || im < 0.0) continue;
    rc->zeros[rc->n_zeros++] = re + I * im;
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));

  for (PetscInt i = 0; i < rc->n_zeros; ++i) PetscCall(PolishZero_Private(rc, &rc->zeros[i], &rc->slopes[i]));
  qsort(rc->zeros, (size_t)rc->n_zeros, sizeof(*rc->zeros), FallingRealPart);
  for (PetscInt i = 0; i < rc->n_zeros; ++i) {
    const PetscInt weight = cimag(rc->zeros[i]) > 0.0 ? 2 : 1;

    PetscCall(ReceptanceEvaluate(rc, rc->zeros[i], NULL, &rc->slopes[i]));
    counted += weight;
    sum += weight * creal(rc->zeros[i]);
    size += weight * cabs(rc->zeros[i]);
  }
  for (PetscInt k = 0; k < rc->M; ++k) trace += -2.0 * rc->D * rc->w[k] - (t->order > 0 ? rc->r[k] / rc->L_plus : 0.0);
  if (t->order == 2) trace -= t->a / rc->L_plus; /* -b of free flight and +b from the held tip cancel; order 1 likewise */
  /* 1e-8: a lost or doubled zero shifts the sum by at least w_1/size, far more; round-off of the sum is 1e-13 */
  PetscCheck(counted == expected && fabs(sum - trace) < 1e-8 * size, rc->comm, PETSC_ERR_PLIB, "zeros of the receptance: %d of %d, sum %g instead of %g", (int)counted,
             (int)expected, (double)sum, (double)trace);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ReceptanceSetUp - Tail, poles and zeros. Cost: one dense eigenproblem of size 2M+2. */
PetscErrorCode ReceptanceSetUp(Receptance rc)
{
  PetscFunctionBeginUser;
  if (rc->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(rc->w && rc->S > 0.0 && rc->c > 0.0, rc->comm, PETSC_ERR_PLIB, "modes and continuum must be set first");
  rc->L_plus = ImpactKernelJump(rc->D, rc->c);
  PetscCall(TailSums_Private(rc));
  PetscCall(TailClose_Private(rc));
  PetscCall(Poles_Private(rc));
  PetscCall(Zeros_Private(rc));
  rc->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReceptanceDestroy(Receptance *receptance)
{
  PetscFunctionBeginUser;
  if (!*receptance) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReceptanceClear_Private(*receptance));
  PetscCall(PetscFree3((*receptance)->w, (*receptance)->r, (*receptance)->tip));
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
  const Tail           *t = &rc->tail;
  const PetscReal       L = rc->L_plus;
  double complex        value, slope;

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
    const double complex den  = s * s + 2.0 * rc->D * rc->w[k] * s + rc->w[k] * rc->w[k];
    const double complex term = rc->r[k] / den;

    sum += term;
    slope -= term * (2.0 * s + 2.0 * rc->D * rc->w[k]) / den;
  }
  if (H) *H = sum;
  if (dH) *dH = slope;
  PetscFunctionReturn(PETSC_SUCCESS);
}
