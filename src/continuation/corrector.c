/*
  corrector.c - Newton on a periodic orbit together with its parameter, by PETSc's SNES.   [theory 18.1, 18.2]

  Exact Jacobian from the flow, dense LU, and a line search that takes shorter steps where a full one leads out of the domain of the map or
  past a change of the contacts. The map is piecewise smooth: Newton runs through its kinks. Every evaluation carries the tangents along,
  since nearly all of them are followed by a step or are the last, whose Jacobian makes multipliers and the tangent of the branch.
*/
#include "corrector.h"

#include <math.h>
#include <petscblaslapack.h>

enum { MOST_STEPS = 16 };

/* ---- the system ---------------------------------------------------------------------------------------------------- */

void CorrectorUnpack(const Corrector *c, const PetscReal *z, PetscInt i, PetscReal *x)
{
  for (PetscInt k = 0; k < c->n; ++k) x[k] = z[i * c->n + k] / c->weight[k];
}

void CorrectorPack(const Corrector *c, const PetscReal *x, PetscInt i, PetscReal *z)
{
  for (PetscInt k = 0; k < c->n; ++k) z[i * c->n + k] = x[k] * c->weight[k];
}

/* F at c->at, with J and g of every shot; relative residual in the energy norm over the size of a state.   (18.1) */
static PetscErrorCode Evaluate_Private(Corrector *c)
{
  const PetscInt  n = c->n, periods = c->period / c->shots;
  const PetscReal lambda = c->at[c->N - 1];
  PetscReal       sum = 0.0, plane = -c->distance, *swap;

  PetscFunctionBeginUser;
  swap               = c->previous;
  c->previous        = c->J;
  c->J               = swap;
  c->relative_before = c->relative;
  c->evaluations += 1;
  c->passes += 1;
  c->flow_reason = FLOW_GOOD;
  for (PetscInt i = 0; i < c->shots; ++i) CorrectorUnpack(c, c->at, i, c->x + i * n);
  PetscCall(PetscArraycpy(c->x + c->shots * n, c->x, n));
  for (PetscInt i = 0; i < c->shots && !c->flow_reason; ++i) {
    PetscReal *F = c->F + i * n, *J = c->J + (size_t)i * (size_t)n * (size_t)n;

    PetscCall(ProblemMap(c->problem, lambda, periods, c->x + i * n, F, J, c->g + i * n, &c->flow_reason));
    for (PetscInt k = 0; k < n && !c->flow_reason; ++k) {
      F[k] = (F[k] - c->x[(i + 1) * n + k]) * c->energy[k] / c->size;
      sum += F[k] * F[k];
    }
  }
  for (PetscInt k = 0; k < c->N; ++k) plane += c->normal[k] * (c->at[k] - c->base[k]);
  c->F[c->N - 1] = plane / c->lambda_scale;
  c->relative    = c->flow_reason ? INFINITY : sqrt(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Function_Private(SNES snes, Vec z, Vec f, void *ctx)
{
  Corrector       *c = ctx;
  const PetscReal *from;
  PetscReal       *to;
  PetscBool        bad = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(z, &from));
  PetscCall(PetscArraycpy(c->at, from, c->N));
  PetscCall(VecRestoreArrayRead(z, &from));
  for (PetscInt k = 0; k < c->N; ++k) bad = (PetscBool)(bad || !isfinite(c->at[k]));
  if (bad) c->flow_reason = FLOW_LOST;
  else PetscCall(Evaluate_Private(c));
  if (c->flow_reason) {
    PetscCall(SNESSetFunctionDomainError(snes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArray(f, &to));
  PetscCall(PetscArraycpy(to, c->F, c->N));
  PetscCall(VecRestoreArray(f, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bordered Jacobian of the last evaluation in the scaled variables.   (18.3) */
static PetscErrorCode Fill_Private(Corrector *c, Mat matrix)
{
  const PetscInt n = c->n, N = c->N;
  PetscReal     *a;

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(matrix));
  PetscCall(MatDenseGetArray(matrix, &a));
  for (PetscInt s = 0; s < c->shots; ++s) {
    const PetscReal *J = c->J + (size_t)s * (size_t)n * (size_t)n, *g = c->g + s * n;
    const PetscInt   next = (s + 1) % c->shots;

    for (PetscInt j = 0; j < n; ++j) {
      PetscReal *column = a + (size_t)(s * n + j) * (size_t)N + (size_t)(s * n);

      for (PetscInt i = 0; i < n; ++i) column[i] += J[(size_t)j * (size_t)n + (size_t)i] * c->energy[i] / (c->size * c->weight[j]);
    }
    for (PetscInt i = 0; i < n; ++i) {
      a[(size_t)(next * n + i) * (size_t)N + (size_t)(s * n + i)] -= c->energy[i] / (c->size * c->weight[i]);
      a[(size_t)(N - 1) * (size_t)N + (size_t)(s * n + i)] = g[i] * c->energy[i] / c->size;
    }
  }
  for (PetscInt j = 0; j < N; ++j) a[(size_t)j * (size_t)N + (size_t)(N - 1)] = c->normal[j] / c->lambda_scale;
  PetscCall(MatDenseRestoreArray(matrix, &a));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Jacobian_Private(SNES snes, Vec z, Mat A, Mat B, void *ctx)
{
  Corrector       *c = ctx;
  const PetscReal *from;
  PetscBool        same;

  PetscFunctionBeginUser;
  (void)snes;
  (void)A;
  PetscCall(VecGetArrayRead(z, &from));
  PetscCall(PetscArraycmp(from, c->at, c->N, &same));
  if (!same) { /* the line search went on and came back */
    PetscCall(PetscArraycpy(c->at, from, c->N));
    PetscCall(Evaluate_Private(c));
  }
  PetscCall(VecRestoreArrayRead(z, &from));
  PetscCall(Fill_Private(c, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Stop where Newton does: at round-off, or when it gains no more below 1e-10; not before one step was taken, so that two Jacobians are
  known. Newton that converges at all is below 1e-3 after five steps, also through a change of the contacts; the rest is wandering.
*/
static PetscErrorCode Converged_Private(SNES snes, PetscInt it, PetscReal xnorm, PetscReal gnorm, PetscReal f, SNESConvergedReason *reason,
                                        void *ctx)
{
  const Corrector *c = ctx;

  PetscFunctionBeginUser;
  (void)snes;
  (void)xnorm;
  (void)gnorm;
  *reason = SNES_CONVERGED_ITERATING;
  if (!isfinite(f) || f > 1e3) *reason = SNES_DIVERGED_FNORM_NAN;
  else if (it > 0 && (f < 1e-13 || (f < 1e-10 && c->relative > 0.1 * c->relative_before))) *reason = SNES_CONVERGED_FNORM_ABS;
  else if (it >= 5 && f > 1e-3) *reason = SNES_DIVERGED_MAX_IT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

PetscErrorCode CorrectorCreate(MPI_Comm comm, Problem *problem, PetscInt period, PetscInt shots, PetscReal size, PetscReal lambda_scale,
                               Corrector *c)
{
  const PetscInt n = problem->n, N = shots * n + 1;
  SNESLineSearch search;
  KSP            ksp;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCheck(shots > 0 && period % shots == 0, comm, PETSC_ERR_PLIB, "%d shots for %d periods", (int)shots, (int)period);
  PetscCall(PetscMemzero(c, sizeof *c));
  c->problem      = problem;
  c->period       = period;
  c->shots        = shots;
  c->n            = n;
  c->N            = N;
  c->size         = size;
  c->lambda_scale = lambda_scale;
  PetscCall(PetscMalloc4(n, &c->weight, n, &c->energy, N, &c->normal, N, &c->base));
  PetscCall(PetscMalloc5(N, &c->at, shots * n * n, &c->J, shots * n * n, &c->previous, shots * n, &c->g, N, &c->F));
  PetscCall(PetscMalloc4((shots + 1) * n, &c->x, n * n, &c->monodromy, n * n, &c->monodromy_before, n * n, &c->product));
  PetscCall(PetscArraycpy(c->energy, problem->energy, n));
  for (PetscInt k = 0; k < n; ++k) c->weight[k] = c->energy[k] * lambda_scale / (size * sqrt((PetscReal)shots));
  PetscCall(PetscArrayzero(c->J, shots * n * n));
  PetscCall(PetscArrayzero(c->previous, shots * n * n));
  PetscCall(PetscArrayzero(c->base, N));
  PetscCall(VecCreateSeq(comm, N, &c->z));
  PetscCall(VecDuplicate(c->z, &c->residual));
  PetscCall(MatCreateSeqDense(comm, N, N, NULL, &c->jacobian));
  PetscCall(SNESCreate(comm, &c->snes));
  PetscCall(SNESSetFunction(c->snes, c->residual, Function_Private, c));
  PetscCall(SNESSetJacobian(c->snes, c->jacobian, c->jacobian, Jacobian_Private, c));
  PetscCall(SNESSetConvergenceTest(c->snes, Converged_Private, c, NULL));
  PetscCall(SNESSetTolerances(c->snes, 0.0, 0.0, 0.0, MOST_STEPS, PETSC_DEFAULT));
  PetscCall(SNESSetType(c->snes, SNESNEWTONLS));
  PetscCall(SNESGetLineSearch(c->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
  PetscCall(SNESGetKSP(c->snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(SNESSetFromOptions(c->snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CorrectorDestroy(Corrector *c)
{
  PetscFunctionBeginUser;
  PetscCall(SNESDestroy(&c->snes));
  PetscCall(MatDestroy(&c->jacobian));
  PetscCall(VecDestroy(&c->z));
  PetscCall(VecDestroy(&c->residual));
  PetscCall(PetscFree4(c->weight, c->energy, c->normal, c->base));
  PetscCall(PetscFree5(c->at, c->J, c->previous, c->g, c->F));
  PetscCall(PetscFree4(c->x, c->monodromy, c->monodromy_before, c->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- use ----------------------------------------------------------------------------------------------------------- */

PetscErrorCode CorrectorSetPlane(Corrector *c, const PetscReal *base, const PetscReal *normal, PetscReal distance)
{
  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(c->base, base, c->N));
  if (normal) {
    PetscCall(PetscArraycpy(c->normal, normal, c->N));
  } else {
    PetscCall(PetscArrayzero(c->normal, c->N));
    c->normal[c->N - 1] = 1.0;
  }
  c->distance = distance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CorrectorSolve - Cost: steps + 1 passes over the orbit with tangents, and as many dense factorisations less one. */
PetscErrorCode CorrectorSolve(Corrector *c, PetscReal *z, PetscInt *steps, CorrectorReason *reason)
{
  SNESConvergedReason why;
  PetscReal          *array;
  const PetscReal    *found;
  PetscBool           same;

  PetscFunctionBeginUser;
  c->passes   = 0;
  c->relative = INFINITY;
  PetscCall(VecGetArray(c->z, &array));
  PetscCall(PetscArraycpy(array, z, c->N));
  PetscCall(VecRestoreArray(c->z, &array));
  PetscCall(SNESSolve(c->snes, NULL, c->z));
  PetscCall(SNESGetConvergedReason(c->snes, &why));
  PetscCall(SNESGetIterationNumber(c->snes, steps));
  /* a line search that finds nothing better than 1e-10 has met round-off */
  if (why == SNES_DIVERGED_LINE_SEARCH && c->relative <= 1e-10 && fabs(c->F[c->N - 1]) <= 1e-10) why = SNES_CONVERGED_FNORM_ABS;
  *reason = why > 0                                                  ? CORRECTOR_FOUND
            : why == SNES_DIVERGED_FUNCTION_DOMAIN || c->flow_reason ? CORRECTOR_FLOW_FAILED
                                                                     : CORRECTOR_NO_CONVERGENCE;
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(c->z, &found));
  PetscCall(PetscArraycpy(z, found, c->N));
  PetscCall(VecRestoreArrayRead(c->z, &found));
  PetscCall(PetscArraycmp(z, c->at, c->N, &same));
  if (!same) PetscCall(CorrectorEvaluate(c, z, reason)); /* the line search tried one more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CorrectorEvaluate(Corrector *c, const PetscReal *z, CorrectorReason *reason)
{
  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(c->at, z, c->N));
  PetscCall(Evaluate_Private(c));
  *reason = c->flow_reason ? CORRECTOR_FLOW_FAILED : CORRECTOR_FOUND;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CorrectorTangent(Corrector *c, PetscReal *tangent, PetscBool *singular)
{
  KSP                ksp;
  KSPConvergedReason why;
  PetscReal         *array, norm = 0.0;
  const PetscReal   *found;

  PetscFunctionBeginUser;
  PetscCall(Fill_Private(c, c->jacobian));
  PetscCall(VecZeroEntries(c->residual));
  PetscCall(VecGetArray(c->residual, &array));
  array[c->N - 1] = 1.0;
  PetscCall(VecRestoreArray(c->residual, &array));
  PetscCall(SNESGetKSP(c->snes, &ksp));
  PetscCall(KSPSetOperators(ksp, c->jacobian, c->jacobian));
  PetscCall(KSPSolve(ksp, c->residual, c->z));
  PetscCall(KSPGetConvergedReason(ksp, &why));
  PetscCall(VecGetArrayRead(c->z, &found));
  PetscCall(PetscArraycpy(tangent, found, c->N));
  PetscCall(VecRestoreArrayRead(c->z, &found));
  for (PetscInt k = 0; k < c->N; ++k) norm += tangent[k] * tangent[k];
  norm      = sqrt(norm);
  *singular = (PetscBool)(why < 0 || !isfinite(norm) || norm == 0.0);
  for (PetscInt k = 0; k < c->N && !*singular; ++k) tangent[k] /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of the shots' Jacobians, last first. */
static PetscErrorCode Product_Private(Corrector *c, const PetscReal *J, PetscReal *monodromy)
{
  const PetscReal    one = 1.0, zero = 0.0;
  const PetscBLASInt n = (PetscBLASInt)c->n;

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(monodromy, J, c->n * c->n));
  for (PetscInt s = 1; s < c->shots; ++s) {
    PetscCallBLAS("BLASgemm",
                  BLASgemm_("N", "N", &n, &n, &n, &one, J + (size_t)s * (size_t)n * (size_t)n, &n, monodromy, &n, &zero, c->product, &n));
    PetscCall(PetscArraycpy(monodromy, c->product, c->n * c->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CorrectorGetMonodromy(Corrector *c, const PetscReal **monodromy, const PetscReal **before, PetscReal *left)
{
  PetscFunctionBeginUser;
  PetscCall(Product_Private(c, c->J, c->monodromy));
  *monodromy = c->monodromy;
  if (before) {
    *before = NULL;
    *left   = 0.0;
    if (c->passes > 1) {
      PetscCall(Product_Private(c, c->previous, c->monodromy_before));
      *before = c->monodromy_before;
      *left   = c->relative > 0.0 ? PetscMin(1.0, c->relative / c->relative_before) : 0.0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
