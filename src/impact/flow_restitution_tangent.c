/*
  flow_restitution_tangent.c - the derivative of the restitution flow, carried along as tangent vectors.   (15.8), (15.9)

  Flight and sticking are linear. With R = I - (1+C_R) n n^T/(n.n) an impact multiplies positions by R and maps velocities to
      R dv + g (n.dx)/v,   g = a+ - R a- = (1+C_R) n_k (a + 2 D_k w_k v) / (n.n),
  v < 0 and a velocity and acceleration of the gap just before. The term in 1/v is what makes grazing singular; it is finite as long as
  there is an impact. Sticking begins with the projection on n.dx = n.dv = 0, of which the accumulation of impacts is the limit; its end is
  the identity, since f = 0 there. In the column s n.dx is counted from the stop, which may move.
*/
#include <math.h>

#include "flow_restitution.h"

GRAZE_VECTORISED static void Turn_Private(PetscInt M, const PetscReal *restrict p11, const PetscReal *restrict p12,
                                          const PetscReal *restrict p21, const PetscReal *restrict p22, PetscReal *restrict u,
                                          PetscReal *restrict v)
{
  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal position = p11[k] * u[k] + p12[k] * v[k];

    v[k] = p21[k] * u[k] + p22[k] * v[k];
    u[k] = position;
  }
}

/* Every mode turns by its own 2x2 block; after SignalEvaluate at the end of the flight. O(M) per vector. */
void RestitutionTangentFlight_Private(Flow flow, PetscReal tau)
{
  Restitution     *x   = flow->data;
  const Signal    *s   = &x->free;
  const PetscInt   M   = flow->M;
  PetscReal *const p11 = x->block, *const p12 = p11 + M, *const p21 = p12 + M, *const p22 = p21 + M;

  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal e_re = s->e_re[k], turn = s->e_im[k] * x->inverse_wd[k], damping = flow->damping[k] * flow->w[k];

    p11[k] = e_re + damping * turn;
    p12[k] = k == x->rigid ? tau : turn;
    p21[k] = -flow->w[k] * flow->w[k] * turn;
    p22[k] = e_re - damping * turn;
  }
  for (PetscInt j = 0; j < flow->tangent->m; ++j) {
    PetscReal *u = flow->tangent->v + (size_t)j * (size_t)flow->n;

    if (flow->tangent->alive[j]) Turn_Private(M, p11, p12, p21, p22, u, u + M);
  }
  if (flow->tangent->by != FLOW_BY_NOTHING) {
    SensitivityAdd_Private(flow, -1.0, PETSC_FALSE, x->t);
    Turn_Private(M, p11, p12, p21, p22, flow->tangent->s, flow->tangent->s + M);
    SensitivityAdd_Private(flow, 1.0, PETSC_FALSE, x->t + tau);
  }
  FlowTangentForget_Private(flow);
}

/* One vector through an impact; `stop` is how far the stop moves with it. */
static void Impact_Private(Flow flow, PetscReal v, PetscReal a, PetscReal stop, PetscReal *du)
{
  const Restitution *x      = flow->data;
  const PetscInt     M      = flow->M;
  const PetscReal    factor = (1.0 + flow->params.restitution_coefficient) / x->nn;
  PetscReal         *dv = du + M, y = 0.0, slope = 0.0;

  for (PetscInt k = 0; k < M; ++k) {
    y += flow->tip[k] * du[k];
    slope += flow->tip[k] * dv[k];
  }
  y -= stop;
  for (PetscInt k = 0; k < M; ++k) {
    du[k] -= factor * flow->tip[k] * y;
    dv[k] += factor * flow->tip[k] * ((a / v + 2.0 * flow->damping[k] * flow->w[k]) * y - slope);
  }
}

void RestitutionTangentImpact_Private(Flow flow, PetscReal v, PetscReal a)
{
  FlowTangent *tangent = flow->tangent;

  for (PetscInt j = 0; j < tangent->m; ++j)
    if (tangent->alive[j]) Impact_Private(flow, v, a, 0.0, tangent->v + (size_t)j * (size_t)flow->n);
  if (tangent->by != FLOW_BY_NOTHING) Impact_Private(flow, v, a, flow->sensitivity.stop, tangent->s);
}

/* Project, decay and turn, compose. O(M^2). */
static void Hold_Private(Flow flow, PetscReal *v)
{
  Restitution  *x = flow->data;
  const Signal *s = &x->hold;

  HoldProject_Private(flow, v);
  HoldExpand_Private(flow, v, x->amp_re, x->amp_im);
  for (PetscInt i = 0; i < x->nz; ++i) {
    const PetscReal re = x->amp_re[i], im = x->amp_im[i];

    x->amp_re[i] = re * s->e_re[i] - im * s->e_im[i];
    x->amp_im[i] = re * s->e_im[i] + im * s->e_re[i];
  }
  HoldCompose_Private(flow, x->amp_re, x->amp_im, v);
}

/* After SignalEvaluate at the end of the spell. */
void RestitutionTangentHold_Private(Flow flow)
{
  const Restitution *x       = flow->data;
  FlowTangent       *tangent = flow->tangent;

  for (PetscInt j = 0; j < tangent->m; ++j)
    if (tangent->alive[j]) Hold_Private(flow, tangent->v + (size_t)j * (size_t)flow->n);
  if (tangent->by != FLOW_BY_NOTHING) {
    SensitivityAdd_Private(flow, -1.0, PETSC_TRUE, x->t);
    Hold_Private(flow, tangent->s);
    SensitivityAdd_Private(flow, 1.0, PETSC_TRUE, x->t + x->hold.e_t);
  }
  FlowTangentForget_Private(flow);
}
