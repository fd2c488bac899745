/*
  flow_exact_tangent.c - the derivative of the exact flow, carried along as a bundle of tangent vectors.   [theory 7.5]

  Free and contact phases are linear; an onset multiplies by the saltation matrix I - b c_y / L+ (identity without a tail, where the
  force starts from zero), a release by the identity. The saltation needs no code of its own: the projection on the zeros, with which every
  contact begins, annihilates b, since Y_free(z_j; b) = H(z_j) = 0; and with b what an onset adds to s by moving. No division by the
  incoming velocity: the derivative stays finite at grazing.
*/
#include <math.h>

#include "flow_exact.h"

#include <petscblaslapack.h>

/* Every mode turns by its own 2x2 block, every tail by its own. O(n). */
static void Turn_Private(Flow flow, PetscReal *vector)
{
  const Exact           *x = flow->data;
  const Signal          *s = &x->free;
  const PetscInt         M = flow->M;
  const PetscReal *const p11 = x->block, *const p12 = p11 + M, *const p21 = p12 + M, *const p22 = p21 + M;
  PetscReal *restrict u = vector, *restrict v = vector + M;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal position = p11[k] * u[k] + p12[k] * v[k];

    v[k] = p21[k] * u[k] + p22[k] * v[k];
    u[k] = position;
  }
  if (flow->tail->states > 0) {
    PetscReal re[2], im[2];

    TailExpand_Private(flow, vector + 2 * M, re, im);
    TailCompose_Private(flow, re, im, s->e_re + M, s->e_im + M, vector + 2 * M);
  }
}

void TangentFree_Private(Flow flow)
{
  Exact           *x = flow->data;
  FlowTangent     *tangent = flow->tangent;
  const Signal    *s = &x->free;
  const PetscInt   M = flow->M;
  PetscReal *const p11 = x->block, *const p12 = p11 + M, *const p21 = p12 + M, *const p22 = p21 + M;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal e_re = s->e_re[k], turn = s->e_im[k] * x->inverse_wd[k], damping = flow->D * flow->w[k];

    p11[k] = e_re + damping * turn;
    p12[k] = turn;
    p21[k] = -flow->w[k] * flow->w[k] * turn;
    p22[k] = e_re - damping * turn;
  }
  for (PetscInt j = 0; j < tangent->m; ++j)
    if (tangent->alive[j]) Turn_Private(flow, tangent->v + (size_t)j * (size_t)flow->n);
  if (tangent->by != FLOW_BY_NOTHING) {
    SensitivityAdd_Private(flow, -1.0, PETSC_FALSE, x->t);
    Turn_Private(flow, tangent->s);
    SensitivityAdd_Private(flow, 1.0, PETSC_FALSE, x->t + s->e_t);
  }
  FlowTangentForget_Private(flow);
}

/*
  Project on the zeros, decay and turn, compose. O(M^2) per vector, by BLAS on all of them at once: it packs what it multiplies, so that
  the result does not depend on where the arrays lie.
*/
void TangentContact_Private(Flow flow)
{
  Exact             *x  = flow->data;
  FlowTangent       *tangent = flow->tangent;
  const PetscBool    by      = (PetscBool)(tangent->by != FLOW_BY_NOTHING);
  const Signal      *s  = &x->hold;
  const PetscInt     nz = x->hold_exponents.n, n = flow->n;
  const PetscScalar  one = 1.0, zero = 0.0;
  const PetscBLASInt rows = (PetscBLASInt)n, pairs = (PetscBLASInt)(2 * nz);
  PetscBLASInt       count = 0;

  for (PetscInt j = 0; j < tangent->m; ++j) {
    if (!tangent->alive[j]) continue;
    for (PetscInt i = 0; i < n; ++i) x->bundle[(size_t)count * (size_t)n + (size_t)i] = tangent->v[(size_t)j * (size_t)n + (size_t)i];
    ++count;
  }
  if (by) {
    SensitivityAdd_Private(flow, -1.0, PETSC_TRUE, x->t);
    for (PetscInt i = 0; i < n; ++i) x->bundle[(size_t)count * (size_t)n + (size_t)i] = tangent->s[i];
    ++count;
  }
  if (count == 0) return;
  BLASgemm_("N", "N", &pairs, &count, &rows, &one, x->project, &pairs, x->bundle, &rows, &zero, x->images, &pairs);
  for (PetscInt j = 0; j < count; ++j) {
    PetscReal *restrict re = x->images + (size_t)j * (size_t)(2 * nz);
    PetscReal *restrict im = re + nz;

    for (PetscInt i = 0; i < nz; ++i) {
      const PetscReal old = re[i];

      re[i] = old * s->e_re[i] - im[i] * s->e_im[i];
      im[i] = old * s->e_im[i] + im[i] * s->e_re[i];
    }
  }
  BLASgemm_("N", "N", &rows, &count, &pairs, &one, x->compose, &rows, x->images, &pairs, &zero, x->bundle, &rows);
  count = 0;
  for (PetscInt j = 0; j < tangent->m; ++j) {
    if (!tangent->alive[j]) continue;
    for (PetscInt i = 0; i < n; ++i) tangent->v[(size_t)j * (size_t)n + (size_t)i] = x->bundle[(size_t)count * (size_t)n + (size_t)i];
    ++count;
  }
  if (by) {
    for (PetscInt i = 0; i < n; ++i) tangent->s[i] = x->bundle[(size_t)count * (size_t)n + (size_t)i];
    SensitivityAdd_Private(flow, 1.0, PETSC_TRUE, x->t + s->e_t);
  }
  FlowTangentForget_Private(flow);
}
