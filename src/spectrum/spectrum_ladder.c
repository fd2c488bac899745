/*
  spectrum_ladder.c - eigenpairs of one grid.   [theory 2, 13]

  Where the contact point is a free end, K v = w^2 v and K^T l = w^2 l by a dense solver, all of them. Of every candidate (real,
  positive) three numbers are formed:

    residue     r = (c v)(l b) / (l v), which needs both vectors right
    frequency   w^2 = stiffness(v) / mass(v), the weak form: the square of the error of v, and no second derivatives
    discord     |r - u(1)^2 / mass(v)|, the same residue without l: a wrong left vector shows here

  A contact point inside has no b and c: r = u(x_c)^2 / mass(v), and no left vectors. A model with a flexibility J has its
  singular values 1/w and right singular vectors instead.

  The eigenvalue itself only orders the modes: round-off of size eps beta N^2 is 1e-9 of w_1 at N = 200. The
  solver does not balance, so the operator is scaled by the kinetic metric first: round-off in r falls by 50. Rigid modes are known: so
  many eigenvalues, the smallest, are left out.
*/
#include "spectrum_ladder.h"

#include <slepceps.h>
#include <slepcsvd.h>

/* Largest number of candidates on N+1 points: pi points per wave leave well below N modes resolved at gamma < 1. */
static PetscInt CountCandidates_Private(PetscInt N, PetscInt first, PetscInt n_real)
{
  return PetscMax(0, PetscMin(n_real, N) - first);
}

/*
  RungTolerance - How well two grids can agree on a shape that both resolve.   [theory 2, 13]

  1e-9, and the round-off that they cannot avoid, which tilts shape k:
    timoshenko       K holds entries of size beta N^4 and beta^2 gamma: by about eps beta N^2 / w_k. Measured errors of r_1 are 0.06 of
                     it at beta = 4800, N = 512, and 0.6 of it at beta = 1e6, N = 24
    string, rod      the same with entries of size c^2 N^4 and gaps that are pi c in w: eps c N^2 / w_k
    euler_bernoulli  J has round-off eps / w_1 and gaps 2 / (k w_k) between its singular values: eps k w_k / (2 w_1), k = sqrt(w_k) / pi
*/
PetscReal RungTolerance(Rung rung, PetscReal w)
{
  const PetscReal agreed = 1e-9; /* frequencies agree far better */
  const PetscReal N2 = PetscSqr((PetscReal)rung->N), eps = PETSC_MACHINE_EPSILON, first_root = 3.516;

  switch (rung->params->beam_model) {
  case BEAM_STRING:
  case BEAM_ROD:
    return agreed + eps * rung->params->beam_wave_speed * N2 / w;
  case BEAM_EULER_BERNOULLI:
    return agreed + eps * w * PetscSqrtReal(w) / (2.0 * PETSC_PI * first_root);
  default:
    return agreed + eps * (rung->params->beam_beta * PetscMax(1.0, rung->params->beam_gamma)) * N2 / w;
  }
}

/*
  Mass, frequency, sign and residue of the candidates. A mode whose value at the contact point is not larger than the error allowed in it
  does not move the point: r is 0, and u > 0 just beside the point (or, where a mode does not deflect at all, phi > 0) gives the sign.
*/
static PetscErrorCode Normalise_Private(Rung rung, PetscBool left)
{
  const PetscInt  N = rung->N, p = N + 1;
  const PetscReal at = rung->params->contact_position, side = rung->params->stop_side == STOP_ABOVE ? -1.0 : 1.0;
  const PetscReal beside = at + 0.25 / (PetscReal)N < 1.0 ? at + 0.25 / (PetscReal)N : at; /* a tenth of the shortest wave resolved */
  static const PetscReal points[RUNG_PROBES] = {0.137, 0.313, 0.529, 0.718, 0.891}; /* no ratio of theirs is simple: never all at nodes */
  PetscReal             *mass, *stiffness, *row, *row_beside;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(rung->m, &mass, rung->m, &stiffness, p, &row, p, &row_beside));
  PetscCall(BeamGetEnergies(rung->beam, rung->m, rung->u, rung->phi, mass, stiffness));
  PetscCall(BeamInterpolationRow(rung->beam, at, row));
  PetscCall(BeamInterpolationRow(rung->beam, beside, row_beside));
  for (PetscInt i = 0; i < rung->m; i++) {
    PetscReal *u = rung->u + i * p, *phi = rung->phi + i * p, value = 0.0, shown, unit;
    for (PetscInt j = 0; j < p; j++) value += row[j] * u[j];
    rung->w[i] = PetscSqrtReal(stiffness[i] / mass[i]);
    shown      = side * value;
    if (left) {
      rung->discord[i] = PetscAbsReal(rung->r[i] - value * value / mass[i]);
    } else {
      const PetscReal small = RungTolerance(rung, rung->w[i]) * PetscSqrtReal(mass[i]);
      rung->discord[i]      = 0.0;
      rung->r[i]            = value * value / mass[i];
      if (PetscAbsReal(value) <= small) {
        rung->r[i] = 0.0;
        shown      = 0.0;
        for (PetscInt j = 0; j < p; j++) shown += row_beside[j] * u[j];
        if (PetscAbsReal(shown) <= small) {
          shown = 0.0;
          for (PetscInt j = 0; j < p; j++) shown += row[j] * phi[j];
        }
      }
    }
    unit = (shown > 0.0 ? 1.0 : -1.0) / PetscSqrtReal(mass[i]);
    for (PetscInt j = 0; j < p; j++) {
      u[j] *= unit;
      phi[j] *= unit;
    }
  }
  for (int q = 0; q < RUNG_PROBES && !left; q++) {
    PetscCall(BeamInterpolationRow(rung->beam, points[q], row));
    for (PetscInt i = 0; i < rung->m; i++) {
      PetscReal value = 0.0;
      for (PetscInt j = 0; j < p; j++) value += row[j] * rung->u[i * p + j];
      rung->probe[q + i * RUNG_PROBES] = value;
    }
  }
  PetscCall(PetscFree4(mass, stiffness, row, row_beside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the candidates, once w_raw is known. */
static PetscErrorCode Allocate_Private(Rung rung)
{
  PetscFunctionBeginUser;
  rung->m = CountCandidates_Private(rung->N, rung->first, rung->n_real);
  PetscCall(PetscMalloc3(rung->m, &rung->w, rung->m, &rung->r, rung->m, &rung->discord));
  PetscCall(PetscMalloc2((rung->N + 1) * rung->m, &rung->u, (rung->N + 1) * rung->m, &rung->phi));
  PetscCall(PetscMalloc1(RUNG_PROBES * rung->m, &rung->probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expand_Private(Rung rung, PetscInt i, Vec v)
{
  const PetscInt   p = rung->N + 1;
  const PetscReal *x;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(v, &x));
  PetscCall(BeamExpand(rung->beam, x, rung->u + i * p, rung->phi + i * p));
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shapes and, with left vectors, residues of the candidates; pair[i] is the eigensolver's number of the i-th. */
static PetscErrorCode FillCandidates_Private(Rung rung, EPS eps, Vec scale, const PetscInt *pair)
{
  Vec b, c, v, l;

  PetscFunctionBeginUser;
  PetscCall(BeamGetOperator(rung->beam, NULL, &b, &c, NULL));
  PetscCall(VecDuplicate(scale, &v));
  PetscCall(VecDuplicate(scale, &l));
  for (PetscInt i = 0; i < rung->m; i++) {
    PetscReal cv, lb, lv;
    PetscCall(EPSGetEigenvector(eps, pair[i], v, NULL));
    if (b) PetscCall(EPSGetLeftEigenvector(eps, pair[i], l, NULL));
    PetscCall(VecPointwiseDivide(v, v, scale));
    if (b) {
      PetscCall(VecPointwiseMult(l, l, scale));
      PetscCall(VecDot(c, v, &cv));
      PetscCall(VecDot(l, b, &lb));
      PetscCall(VecDot(l, v, &lv));
      rung->r[i] = cv * lb / lv;
    }
    PetscCall(Expand_Private(rung, i, v));
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pairs are wanted and sorted here: swapping them inside the Schur form would cost a third of the time and some accuracy. */
static PetscErrorCode NoOrder_Private(PetscScalar ar, PetscScalar ai, PetscScalar br, PetscScalar bi, PetscInt *result, void *ctx)
{
  (void)ar, (void)ai, (void)br, (void)bi, (void)ctx;
  *result = 0;
  return PETSC_SUCCESS;
}

/* rigid[i]: one of the so many eigenvalues of smallest modulus, which the rigid modes are. */
static PetscErrorCode MarkRigid_Private(EPS eps, PetscInt n, PetscInt n_rigid, PetscBool *rigid)
{
  PetscReal *modulus, re, im;
  PetscInt  *number;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(rigid, n));
  if (n_rigid == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(n, &modulus, n, &number));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    modulus[i] = hypot(re, im);
    number[i]  = i;
  }
  PetscCall(PetscSortRealWithArrayInt(n, modulus, number));
  for (PetscInt i = 0; i < n_rigid; i++) rigid[number[i]] = PETSC_TRUE;
  PetscCall(PetscFree2(modulus, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveOperator_Private(MPI_Comm comm, Rung rung, Mat K, PetscBool left)
{
  Vec        scale, inverse;
  EPS        eps;
  PetscInt   n, n_pairs, *pair;
  PetscBool *rigid;
  PetscReal  re, im;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(K, &n, NULL));
  PetscCall(MatCreateVecs(K, &scale, &inverse));
  PetscCall(BeamGetMetric(rung->beam, scale));
  PetscCall(VecSqrtAbs(scale));
  PetscCall(VecCopy(scale, inverse));
  PetscCall(VecReciprocal(inverse));
  PetscCall(MatDiagonalScale(K, scale, inverse)); /* K is ours until the operator is released */

  PetscCall(EPSCreate(comm, &eps));
  PetscCall(EPSSetOperators(eps, K, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetTwoSided(eps, left));
  PetscCall(EPSSetEigenvalueComparison(eps, NoOrder_Private, NULL));
  PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &n_pairs));
  PetscCheck(n_pairs == n, comm, PETSC_ERR_PLIB, "the dense eigensolver gave %" PetscInt_FMT " of %" PetscInt_FMT " pairs", n_pairs, n);

  PetscCall(PetscMalloc2(n, &pair, n, &rigid));
  PetscCall(PetscMalloc1(n, &rung->w_raw));
  PetscCall(MarkRigid_Private(eps, n, BeamRigidModes(rung->params), rigid));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (im != 0.0 || re <= 0.0 || rigid[i]) continue;
    pair[rung->n_real]        = i;
    rung->w_raw[rung->n_real] = PetscSqrtReal(re);
    rung->n_real++;
  }
  PetscCall(PetscSortRealWithArrayInt(rung->n_real, rung->w_raw, pair));
  PetscCall(Allocate_Private(rung));
  PetscCall(FillCandidates_Private(rung, eps, scale, pair + rung->first));
  PetscCall(PetscFree2(pair, rigid));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&scale));
  PetscCall(VecDestroy(&inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveFlexibility_Private(MPI_Comm comm, Rung rung, Mat J)
{
  SVD       svd;
  Vec       v;
  PetscInt  n, n_triplets;
  PetscReal sigma;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(J, NULL, &n));
  PetscCall(MatCreateVecs(J, &v, NULL));
  PetscCall(SVDCreate(comm, &svd));
  PetscCall(SVDSetOperators(svd, J, NULL));
  PetscCall(SVDSetType(svd, SVDLAPACK));
  PetscCall(SVDSetDimensions(svd, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(SVDSolve(svd));
  PetscCall(SVDGetConverged(svd, &n_triplets));
  PetscCheck(n_triplets == n, comm, PETSC_ERR_PLIB, "the dense solver gave %" PetscInt_FMT " of %" PetscInt_FMT " triplets", n_triplets, n);
  PetscCall(PetscMalloc1(n, &rung->w_raw));
  for (rung->n_real = 0; rung->n_real < n; rung->n_real++) { /* largest first: frequencies rise */
    PetscCall(SVDGetSingularTriplet(svd, rung->n_real, &sigma, NULL, NULL));
    if (sigma <= 0.0) break;
    rung->w_raw[rung->n_real] = 1.0 / sigma;
  }
  PetscCall(Allocate_Private(rung));
  for (PetscInt i = 0; i < rung->m; i++) {
    PetscCall(SVDGetSingularTriplet(svd, rung->first + i, &sigma, NULL, v));
    PetscCall(Expand_Private(rung, i, v));
  }
  PetscCall(SVDDestroy(&svd));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  RungCreate - Solve the eigenproblem on N+1 points and keep the candidates from number `first` on.   [theory 2, 13]

  Not collective. Cost: O(N^3); about 45 N^2 reals while it runs, 2 N m after it.
*/
PetscErrorCode RungCreate(MPI_Comm comm, const Params *params, PetscInt N, PetscInt first, Rung *rung)
{
  Mat  K, J;
  Vec  b;
  Rung new_rung;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&new_rung));
  *rung            = new_rung;
  new_rung->params = params;
  new_rung->N      = N;
  new_rung->first  = first;
  PetscCall(BeamCreate(comm, &new_rung->beam));
  PetscCall(BeamSetParams(new_rung->beam, params));
  PetscCall(BeamSetPoints(new_rung->beam, N));
  PetscCall(BeamGetOperator(new_rung->beam, &K, &b, NULL, NULL));
  PetscCall(BeamGetFlexibility(new_rung->beam, &J));
  if (K) PetscCall(SolveOperator_Private(comm, new_rung, K, b ? PETSC_TRUE : PETSC_FALSE));
  else PetscCall(SolveFlexibility_Private(comm, new_rung, J));
  PetscCall(Normalise_Private(new_rung, b ? PETSC_TRUE : PETSC_FALSE));
  new_rung->left = b ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(BeamReleaseOperator(new_rung->beam));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* RungTrim - Drop the candidates after the first m, and the memory of their shapes. Not collective. */
PetscErrorCode RungTrim(Rung rung, PetscInt m)
{
  const PetscInt p = rung->N + 1;
  PetscReal     *u, *phi;

  PetscFunctionBeginUser;
  PetscCheck(m <= rung->m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " candidates", m, rung->m);
  PetscCall(PetscMalloc2(p * m, &u, p * m, &phi));
  PetscCall(PetscArraycpy(u, rung->u, p * m));
  PetscCall(PetscArraycpy(phi, rung->phi, p * m));
  PetscCall(PetscFree2(rung->u, rung->phi));
  rung->u   = u;
  rung->phi = phi;
  rung->m   = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDestroy(Rung *rung)
{
  PetscFunctionBeginUser;
  if (!*rung) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*rung)->u, (*rung)->phi));
  PetscCall(PetscFree3((*rung)->w, (*rung)->r, (*rung)->discord));
  PetscCall(PetscFree((*rung)->w_raw));
  PetscCall(PetscFree((*rung)->probe));
  PetscCall(BeamDestroy(&(*rung)->beam));
  PetscCall(PetscFree(*rung));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  RungDisagreement - How far two grids, and the two forms of the residue on the coarser, differ about elastic mode k.   [theory 2]

  Frequencies relative to themselves; residues to themselves or to 1, whichever is larger: the tip sees r_k in a sum whose terms
  tend to 2, and where a mode of the rotation family all but misses the tip (r_k = 2e-5) it shares its neighbour's round-off. Without
  left vectors it is the values sqrt(r) that are compared, at the same rate: near a node r itself, their square, would hide any error.
  They are not enough: the tip of an Euler-Bernoulli beam is right to 1e-9 (r = 4) where its shape still errs by 2e-6. So the shapes are
  compared at a few other points, too.
*/
PetscReal RungDisagreement(Rung coarse, Rung fine, PetscInt k)
{
  const PetscInt i = k - coarse->first, j = k - fine->first;
  PetscReal      by_w, by_r;

  if (i < 0 || j < 0 || i >= coarse->m || j >= fine->m) return PETSC_MAX_REAL;
  by_w = PetscAbsReal(coarse->w[i] - fine->w[j]) / fine->w[j];
  if (coarse->left) {
    if (!(coarse->r[i] > 0.0) || !(fine->r[j] > 0.0)) return PETSC_MAX_REAL;
    by_r = PetscMax(PetscAbsReal(coarse->r[i] - fine->r[j]), coarse->discord[i]) / PetscMax(fine->r[j], 1.0);
  } else {
    const PetscReal value = PetscSqrtReal(fine->r[j]);
    by_r                  = 2.0 * PetscAbsReal(PetscSqrtReal(coarse->r[i]) - value) / PetscMax(value, 1.0);
    for (int q = 0; q < RUNG_PROBES; q++)
      by_r = PetscMax(by_r, 2.0 * PetscAbsReal(coarse->probe[q + i * RUNG_PROBES] - fine->probe[q + j * RUNG_PROBES]));
  }
  return PetscMax(by_w, by_r);
}
