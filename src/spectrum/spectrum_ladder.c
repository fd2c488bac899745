/*
  spectrum_ladder.c - eigenpairs of one grid.   [theory 2]

  K v = w^2 v and K^T l = w^2 l by a dense solver, all of them. Of every candidate (real, positive) three numbers are formed:

    residue     r = (c v)(l b) / (l v), which needs both vectors right
    frequency   w^2 = stiffness(v) / mass(v), the weak form: the square of the error of v, and no second derivatives
    discord     |r - u(1)^2 / mass(v)|, the same residue without l: a wrong left vector shows here

  The eigenvalue itself only orders the modes: round-off of size eps beta N^2 is 1e-9 of w_1 at N = 200. The
  solver does not balance, so the operator is scaled by the kinetic metric first: round-off in r falls by 50.
*/
#include "spectrum_ladder.h"

#include <slepceps.h>

/* Largest number of candidates on N+1 points: pi points per wave leave well below N modes resolved at gamma < 1. */
static PetscInt CountCandidates_Private(PetscInt N, PetscInt first, PetscInt n_real)
{
  return PetscMax(0, PetscMin(n_real, N) - first);
}

/* Shape, residue, energies of candidates; pair[i] is the eigensolver's number of the i-th. */
static PetscErrorCode FillCandidates_Private(Rung rung, EPS eps, Vec scale, const PetscInt *pair)
{
  const PetscInt   p = rung->N + 1;
  Vec              b, c, v, l;
  PetscReal       *mass, *stiffness;
  const PetscReal *x;

  PetscFunctionBeginUser;
  PetscCall(BeamGetOperator(rung->beam, NULL, &b, &c, NULL));
  PetscCall(VecDuplicate(b, &v));
  PetscCall(VecDuplicate(c, &l));
  for (PetscInt i = 0; i < rung->m; i++) {
    PetscReal cv, lb, lv;
    PetscCall(EPSGetEigenvector(eps, pair[i], v, NULL));
    PetscCall(EPSGetLeftEigenvector(eps, pair[i], l, NULL));
    PetscCall(VecPointwiseDivide(v, v, scale));
    PetscCall(VecPointwiseMult(l, l, scale));
    PetscCall(VecDot(c, v, &cv));
    PetscCall(VecDot(l, b, &lb));
    PetscCall(VecDot(l, v, &lv));
    rung->r[i] = cv * lb / lv;
    PetscCall(VecGetArrayRead(v, &x));
    PetscCall(BeamExpand(rung->beam, x, rung->u + i * p, rung->phi + i * p));
    PetscCall(VecRestoreArrayRead(v, &x));
  }
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&l));

  PetscCall(PetscMalloc2(rung->m, &mass, rung->m, &stiffness));
  PetscCall(BeamGetEnergies(rung->beam, rung->m, rung->u, rung->phi, mass, stiffness));
  for (PetscInt i = 0; i < rung->m; i++) {
    const PetscReal tip  = rung->u[i * p + rung->N];
    const PetscReal unit = (tip > 0.0 ? 1.0 : -1.0) / PetscSqrtReal(mass[i]);
    for (PetscInt j = i * p; j < (i + 1) * p; j++) {
      rung->u[j] *= unit;
      rung->phi[j] *= unit;
    }
    rung->w[i]       = PetscSqrtReal(stiffness[i] / mass[i]);
    rung->discord[i] = PetscAbsReal(rung->r[i] - tip * tip / mass[i]);
  }
  PetscCall(PetscFree2(mass, stiffness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pairs are wanted and sorted here: swapping them inside the Schur form would cost a third of the time and some accuracy. */
static PetscErrorCode NoOrder_Private(PetscScalar ar, PetscScalar ai, PetscScalar br, PetscScalar bi, PetscInt *result, void *ctx)
{
  (void)ar, (void)ai, (void)br, (void)bi, (void)ctx;
  *result = 0;
  return PETSC_SUCCESS;
}

/*
  RungCreate - Solve the eigenproblem on N+1 points and keep the candidates from number `first` on.   [theory 2]

  Not collective. Cost: O(N^3); about 45 N^2 reals while it runs, 2 N m after it.
*/
PetscErrorCode RungCreate(MPI_Comm comm, const Params *params, PetscInt N, PetscInt first, Rung *rung)
{
  Mat       K;
  Vec       scale, inverse;
  EPS       eps;
  PetscInt  n, n_pairs, *pair;
  PetscReal re, im;
  Rung      new_rung;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&new_rung));
  *rung           = new_rung;
  new_rung->N     = N;
  new_rung->first = first;
  PetscCall(BeamCreate(comm, &new_rung->beam));
  PetscCall(BeamSetParams(new_rung->beam, params));
  PetscCall(BeamSetPoints(new_rung->beam, N));
  PetscCall(BeamGetOperator(new_rung->beam, &K, NULL, NULL, NULL));
  PetscCall(MatGetSize(K, &n, NULL));
  PetscCall(MatCreateVecs(K, &scale, &inverse));
  PetscCall(BeamGetMetric(new_rung->beam, scale));
  PetscCall(VecSqrtAbs(scale));
  PetscCall(VecCopy(scale, inverse));
  PetscCall(VecReciprocal(inverse));
  PetscCall(MatDiagonalScale(K, scale, inverse)); /* K is ours until the operator is released */

  PetscCall(EPSCreate(comm, &eps));
  PetscCall(EPSSetOperators(eps, K, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_NHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetTwoSided(eps, PETSC_TRUE));
  PetscCall(EPSSetEigenvalueComparison(eps, NoOrder_Private, NULL));
  PetscCall(EPSSetDimensions(eps, n, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &n_pairs));
  PetscCheck(n_pairs == n, comm, PETSC_ERR_PLIB, "the dense eigensolver gave %" PetscInt_FMT " of %" PetscInt_FMT " pairs", n_pairs, n);

  PetscCall(PetscMalloc1(n, &pair));
  PetscCall(PetscMalloc1(n, &new_rung->w_raw));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &re, &im));
    if (im != 0.0 || re <= 0.0) continue;
    pair[new_rung->n_real]            = i;
    new_rung->w_raw[new_rung->n_real] = PetscSqrtReal(re);
    new_rung->n_real++;
  }
  PetscCall(PetscSortRealWithArrayInt(new_rung->n_real, new_rung->w_raw, pair));
  new_rung->m = CountCandidates_Private(N, first, new_rung->n_real);
  PetscCall(PetscMalloc3(new_rung->m, &new_rung->w, new_rung->m, &new_rung->r, new_rung->m, &new_rung->discord));
  PetscCall(PetscMalloc2((N + 1) * new_rung->m, &new_rung->u, (N + 1) * new_rung->m, &new_rung->phi));
  PetscCall(FillCandidates_Private(new_rung, eps, scale, pair + first));
  PetscCall(PetscFree(pair));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&scale));
  PetscCall(VecDestroy(&inverse));
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
  PetscCall(BeamDestroy(&(*rung)->beam));
  PetscCall(PetscFree(*rung));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  RungDisagreement - How far two grids, and the two forms of the residue on the coarser, differ about mode k.   [theory 2]

  Frequencies relative to themselves; residues to themselves or to 1, whichever is larger: the tip sees r_k in a sum whose terms
  tend to 2, and where a mode of the rotation family all but misses the tip (r_k = 2e-5) it shares its neighbour's round-off.
*/
PetscReal RungDisagreement(Rung coarse, Rung fine, PetscInt k)
{
  const PetscInt i = k - coarse->first, j = k - fine->first;
  PetscReal      by_w, by_r;

  if (i < 0 || j < 0 || i >= coarse->m || j >= fine->m || !(coarse->r[i] > 0.0) || !(fine->r[j] > 0.0)) return PETSC_MAX_REAL;
  by_w = PetscAbsReal(coarse->w[i] - fine->w[j]) / fine->w[j];
  by_r = PetscMax(PetscAbsReal(coarse->r[i] - fine->r[j]), coarse->discord[i]) / PetscMax(fine->r[j], 1.0);
  return PetscMax(by_w, by_r);
}
