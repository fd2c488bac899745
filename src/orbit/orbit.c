/*
  orbit.c - a period-p orbit of the stroboscopic map by Newton, with the exact Jacobian of the flow.   [theory 8]

  Columns of the Jacobian that belong to modes forgotten within the orbit vanish to round-off, so I - J reduces to the block of the
  remembered ones, a few dozen wide, and the rest follows by substitution.

  Invariant: what OrbitGet* returns belongs to the last OrbitSolve that said ORBIT_FOUND.
*/
#include "graze/orbit.h"

#include <math.h>
#include <petscblaslapack.h>

struct _p_Orbit {
  MPI_Comm comm;
  /* borrowed */
  Flow             flow;
  const PetscReal *energy; /* weights of the energy norm, shape [n] */
  /* owned: the orbit */
  PetscInt    p, capacity;
  FlowState  *states;        /* at the p strobes */
  PetscReal  *storage, size; /* their x; largest energy norm among them */
  PetscReal   relative;      /* Newton residual over size */
  PetscInt    iterations;
  Multipliers multipliers;
  PetscReal  *direction; /* shape [n]; also scratch before the multipliers are known */
  /* owned: work */
  PetscInt      n;
  FlowTangent   tangent;                  /* J = d P^p / d X at the last pass */
  PetscReal    *previous, *block;         /* J of the pass before; a square of remembered columns */
  PetscInt     *remembered, n_remembered; /* columns of J that are not zero to round-off */
  PetscBLASInt *pivots;
  FlowState     trial, image;
  PetscReal    *residual, *step;
};

const char *const OrbitReasons[] = {"found", "no_convergence", "flow_failed"};

/* OrbitCreate - Collective on comm (PETSC_COMM_SELF in this program). */
PetscErrorCode OrbitCreate(MPI_Comm comm, Orbit *orbit)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(orbit));
  (*orbit)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitSetFlow(Orbit orbit, Flow flow)
{
  PetscFunctionBeginUser;
  orbit->flow = flow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* OrbitSetUp - Work arrays: three of the size of the Jacobian. Lazy and idempotent. */
PetscErrorCode OrbitSetUp(Orbit o)
{
  PetscInt n;

  PetscFunctionBeginUser;
  if (o->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FlowGetSize(o->flow, &n));
  PetscCall(FlowGetEnergyWeights(o->flow, &o->energy));
  o->n = o->tangent.n = o->tangent.m = n;
  PetscCall(PetscMalloc3(n * n, &o->tangent.v, n, &o->tangent.begin, n, &o->tangent.alive));
  PetscCall(PetscMalloc4(n * n, &o->previous, n * n, &o->block, n, &o->remembered, n, &o->pivots));
  PetscCall(PetscMalloc5(n, &o->trial.x, n, &o->image.x, n, &o->residual, n, &o->step, n, &o->direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StatesReserve_Private(Orbit o, PetscInt p)
{
  PetscFunctionBeginUser;
  if (p <= o->capacity) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2(o->states, o->storage));
  PetscCall(PetscMalloc2(p, &o->states, p * o->n, &o->storage));
  for (PetscInt i = 0; i < p; ++i) o->states[i] = (FlowState){.n = o->n, .x = o->storage + (size_t)i * (size_t)o->n};
  o->capacity = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitDestroy(Orbit *orbit)
{
  PetscFunctionBeginUser;
  if (!*orbit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3((*orbit)->tangent.v, (*orbit)->tangent.begin, (*orbit)->tangent.alive));
  PetscCall(PetscFree4((*orbit)->previous, (*orbit)->block, (*orbit)->remembered, (*orbit)->pivots));
  PetscCall(PetscFree5((*orbit)->trial.x, (*orbit)->image.x, (*orbit)->residual, (*orbit)->step, (*orbit)->direction));
  PetscCall(PetscFree2((*orbit)->states, (*orbit)->storage));
  PetscCall(PetscFree(*orbit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p periods from the trial state with tangents from the identity: states at the strobes, image, J, residual relative to the orbit's size.
 */
static PetscErrorCode Map_Private(Orbit o, PetscInt p, PetscReal *relative, FlowReason *reason)
{
  PetscReal size = 0.0, norm;

  PetscFunctionBeginUser;
  PetscCall(FlowTangentIdentity(o->flow, &o->tangent));
  PetscCall(FlowSetTangent(o->flow, &o->tangent));
  PetscCall(FlowStart(o->flow, &o->trial));
  PetscCall(PetscArraycpy(o->image.x, o->trial.x, o->n));
  o->image.contact = o->trial.contact;
  for (PetscInt i = 0; i < p; ++i) {
    PetscCall(PetscArraycpy(o->states[i].x, o->image.x, o->n));
    o->states[i].contact = o->image.contact;
    PetscCall(FlowNorm(o->flow, o->image.x, &norm));
    size = PetscMax(size, norm);
    PetscCall(FlowPeriod(o->flow, &o->image, reason));
    if (*reason) break;
  }
  PetscCall(FlowSetTangent(o->flow, NULL));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < o->n; ++i) o->residual[i] = o->image.x[i] - o->trial.x[i];
  PetscCall(FlowNorm(o->flow, o->residual, &norm));
  /* a beam at rest is an orbit too: then the residual counts by itself */
  o->size         = size;
  *relative       = size > 0.0 ? norm / size : norm;
  o->n_remembered = 0;
  for (PetscInt j = 0; j < o->n; ++j)
    if (o->tangent.alive[j]) o->remembered[o->n_remembered++] = j;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solve (I - J) step = residual on the remembered block, then substitute.   (8.3) */
static PetscErrorCode NewtonStep_Private(Orbit o, PetscBool *singular)
{
  const PetscInt   n = o->n, m = o->n_remembered;
  const PetscReal *J = o->tangent.v;
  PetscBLASInt     bm, one = 1, info = 0;

  PetscFunctionBeginUser;
  *singular = PETSC_FALSE;
  PetscCall(PetscBLASIntCast(m, &bm));
  for (PetscInt j = 0; j < m; ++j) {
    for (PetscInt i = 0; i < m; ++i) o->block[i + j * m] = (i == j) - J[(size_t)o->remembered[j] * (size_t)n + (size_t)o->remembered[i]];
    o->direction[j] = o->residual[o->remembered[j]];
  }
  if (m > 0) PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&bm, &bm, o->block, &bm, o->pivots, &info));
  if (info != 0) {
    *singular = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m > 0) PetscCallBLAS("LAPACKgetrs", LAPACKgetrs_("N", &bm, &one, o->block, &bm, o->pivots, o->direction, &bm, &info));
  PetscCall(PetscArraycpy(o->step, o->residual, n));
  for (PetscInt j = 0; j < m; ++j) {
    const PetscReal *column = J + (size_t)o->remembered[j] * (size_t)n;

    for (PetscInt i = 0; i < n; ++i) o->step[i] += column[i] * o->direction[j];
  }
  for (PetscInt j = 0; j < m; ++j) o->step[o->remembered[j]] = o->direction[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  OrbitSolve - Newton on P^p(X) = X from a guess.   (8.1)

  Not collective.
  Input:   p - period asked for; guess - a state at a strobe
  Output:  reason. On ORBIT_FOUND the orbit has the least period, a divisor of p
  Cost:    3 to 6 passes over p periods with tangents; each contact costs O(M^2) per remembered column
*/
PetscErrorCode OrbitSolve(Orbit o, PetscInt p, const FlowState *guess, OrbitReason *reason)
{
  PetscReal relative = 0.0, before = PETSC_MAX_REAL;
  PetscInt  it, worse              = 0;

  PetscFunctionBeginUser;
  PetscCall(OrbitSetUp(o));
  PetscCall(StatesReserve_Private(o, p));
  o->trial.n = o->image.n = o->n;
  PetscCall(PetscArraycpy(o->trial.x, guess->x, o->n));
  o->trial.contact = guess->contact;
  *reason          = ORBIT_NO_CONVERGENCE;
  for (it = 0; it < 16; ++it) {
    FlowReason why;
    PetscBool  singular;

    PetscCall(Map_Private(o, p, &relative, &why));
    if (why) {
      *reason = ORBIT_FLOW_FAILED;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    /* Stop where Newton does: at round-off, or when it gains no more. Not before the second pass, for the Jacobian's error wants two. */
    if (it > 0 && (relative < 1e-13 || (relative < 1e-10 && relative > 0.1 * before))) break;
    worse = relative > before ? worse + 1 : 0;
    /* Newton that converges at all is below 1e-3 after five passes, also through a change of the contacts; the rest is wandering */
    if (worse > 1 || (it >= 5 && relative > 1e-3) || relative > 1e3 || !isfinite(relative)) PetscFunctionReturn(PETSC_SUCCESS);
    before = relative;
    PetscCall(PetscArraycpy(o->previous, o->tangent.v, (size_t)o->n * (size_t)o->n));
    if (o->image.contact != o->trial.contact) { /* the strobe falls into a contact on one side only: take the image and try again */
      PetscCall(PetscArraycpy(o->trial.x, o->image.x, o->n));
      o->trial.contact = o->image.contact;
      continue;
    }
    PetscCall(NewtonStep_Private(o, &singular));
    if (singular) PetscFunctionReturn(PETSC_SUCCESS);
    for (PetscInt i = 0; i < o->n; ++i) o->trial.x[i] += o->step[i];
  }
  if (it == 16) PetscFunctionReturn(PETSC_SUCCESS);
  o->relative   = relative;
  o->iterations = it;

  for (PetscInt q = 1; q < p; ++q) {
    PetscReal distance;

    if (p % q) continue;
    for (PetscInt i = 0; i < o->n; ++i) o->step[i] = o->states[q].x[i] - o->states[0].x[i];
    PetscCall(FlowNorm(o->flow, o->step, &distance));
    /* 1e-7: far above the 1e-10 that Newton leaves, far below the size of any branch that a double can tell from its parent */
    if (distance > 1e-7 * o->size) continue;
    PetscCall(PetscArraycpy(o->direction, o->states[0].x, o->n));
    PetscCall(OrbitSolve(o, q, &(FlowState){.n = o->n, .contact = o->states[0].contact, .x = o->direction}, reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  o->p = p;
  PetscCall(FloquetSolve(o->n, o->energy, o->tangent.v, o->previous, 1.0, NULL, &o->multipliers, o->direction));
  *reason = ORBIT_FOUND;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitGetPeriod(Orbit o, PetscInt *p)
{
  PetscFunctionBeginUser;
  *p = o->p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitGetState(Orbit o, PetscInt i, const FlowState **state)
{
  PetscFunctionBeginUser;
  PetscCheck(i >= 0 && i < o->p, o->comm, PETSC_ERR_PLIB, "strobe %d of a period-%d orbit", (int)i, (int)o->p);
  *state = &o->states[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitGetResidual(Orbit o, PetscReal *relative, PetscInt *iterations)
{
  PetscFunctionBeginUser;
  if (relative) *relative = o->relative;
  if (iterations) *iterations = o->iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitGetMultipliers(Orbit o, PetscInt *n, const PetscReal **re, const PetscReal **im, const PetscReal **error)
{
  PetscFunctionBeginUser;
  *n  = o->multipliers.n;
  *re = o->multipliers.re;
  *im = o->multipliers.im;
  if (error) *error = o->multipliers.error;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrbitGetLeadingDirection(Orbit o, const PetscReal **direction)
{
  PetscFunctionBeginUser;
  *direction = o->direction;
  PetscFunctionReturn(PETSC_SUCCESS);
}
