/*
  section.c - where in the forcing period an orbit is cut: at a phase at which its tip is in flight, far from contacts.   [theory 18.1]

  At the user's strobe as long as that lies in flight. A contact that comes near moves the section, and nothing else: orbits, multipliers
  and what is stored do not depend on it.
*/
#include <math.h>

#include "continuation_impl.h"

enum { PHASES = 64 };

/* A section at the user's strobe stays there down to this distance from contacts, in periods of the forcing. */
static const PetscReal near = 0.02;

/* Distance of time t from [onset, onset + duration] on a circle of length p; negative inside. */
static PetscReal Distance_Private(PetscReal t, PetscReal onset, PetscReal duration, PetscReal p)
{
  PetscReal after = fmod(t - onset, p);

  if (after < 0.0) after += p;
  if (after < duration) return -PetscMin(after, duration - after);
  return PetscMin(after - duration, p - after);
}

PetscReal SectionClearance_Private(const Continuation c, const OrbitPoint *point, PetscReal section)
{
  const PetscReal p = (PetscReal)c->period, T = ProblemPeriod(&c->problem, point->lambda);
  PetscReal       clearance = p;

  for (PetscInt shot = 0; shot < c->corrector.shots; ++shot)
    for (PetscInt i = 0; i < PetscMin(point->record.count, point->record.capacity); ++i) {
      const PetscReal duration = isfinite(point->record.contact[i].duration) ? point->record.contact[i].duration / T : p;

      clearance =
        PetscMin(clearance, Distance_Private(section + (PetscReal)(shot * (c->period / c->corrector.shots)), point->onset[i], duration, p));
    }
  return clearance;
}

PetscReal SectionChoose_Private(const Continuation c, const OrbitPoint *from, PetscReal *clearance)
{
  PetscReal best = 0.0;

  *clearance = SectionClearance_Private(c, from, 0.0);
  if (*clearance > near) return 0.0;
  for (PetscInt i = 1; i < PHASES; ++i) {
    const PetscReal section = (PetscReal)i / PHASES, here = SectionClearance_Private(c, from, section);

    if (here > *clearance) {
      *clearance = here;
      best       = section;
    }
  }
  return best;
}

/*
  The contacts of the orbit through the user's strobe, over two orbits: those that begin in the first have ended in the second. Then the
  states at the section. scratch[SCRATCH_SECTION] has the record.   Output: states - at the begin of each shot, shape [shots, n]
*/
PetscErrorCode SectionBegin_Private(Continuation c, const BranchStart *start, PetscReal lambda, PetscReal *states, PetscBool *found)
{
  OrbitPoint     *look  = &c->scratch[SCRATCH_SECTION];
  const PetscReal T     = ProblemPeriod(&c->problem, lambda);
  const PetscInt  shots = c->corrector.shots;
  PetscReal       clearance;
  PetscInt        kept = 0;
  FlowReason      reason;

  PetscFunctionBeginUser;
  look->lambda           = lambda;
  c->problem.section     = 0.0;
  look->record.n_samples = 0;
  PetscCall(ProblemRecord(&c->problem, lambda, 2 * c->period, start->x, start->contact, &look->record, &reason));
  *found = (PetscBool)(!reason && look->record.count <= look->record.capacity);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < look->record.count; ++i) {
    const Contact *contact = &look->record.contact[i];

    if (contact->period >= c->period) continue;
    look->onset[kept]            = (PetscReal)contact->period + contact->phase;
    look->record.contact[kept++] = *contact;
  }
  look->record.count = kept;
  c->problem.section = SectionChoose_Private(c, look, &clearance);
  c->no_section      = (PetscBool)(clearance <= 0.0 || (start->contact && !kept)); /* held, and never released */
  *found             = (PetscBool)!c->no_section;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->problem.section == 0.0 && shots == 1) {
    PetscCall(PetscArraycpy(states, start->x, c->problem.n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  { /* the flow itself still starts at the user's strobe: samples at the section */
    const PetscReal section = c->problem.section;
    FlowRecord      record  = {.capacity = 0};
    PetscReal       y[3 * 64];

    for (PetscInt i = 0; i < shots; ++i) c->sample_time[i] = (section + (PetscReal)(i * (c->period / shots))) * T;
    record.n_samples    = shots;
    record.sample_time  = c->sample_time;
    record.sample_y1    = y;
    record.sample_y2    = y + shots;
    record.sample_f     = y + 2 * shots;
    record.sample_state = states;
    c->problem.section  = 0.0;
    PetscCall(ProblemRecord(&c->problem, lambda, c->period, start->x, start->contact, &record, &reason));
    c->problem.section = section;
    *found             = (PetscBool)(!reason && record.next_sample == shots);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SectionMove_Private - The same orbit from another phase of the forcing: states sampled there, tangent anew. The sense along the branch is
  that of the parameter; where that stands still (a fold) the section stays for now.
*/
PetscErrorCode SectionMove_Private(Continuation c, OrbitPoint *point)
{
  Problem        *p     = &c->problem;
  const PetscInt  shots = c->corrector.shots;
  const PetscReal T = ProblemPeriod(p, point->lambda), old = p->section, slope = point->slope;
  PetscReal       clearance, section, y[3];
  CorrectorReason reason;
  FlowReason      why;

  PetscFunctionBeginUser;
  if (SectionClearance_Private(c, point, old) > 0.5 * near || fabs(slope) < 1e-3) PetscFunctionReturn(PETSC_SUCCESS);
  section = SectionChoose_Private(c, point, &clearance);
  if (section == old || clearance < near) PetscFunctionReturn(PETSC_SUCCESS);
  CorrectorUnpack(&c->corrector, point->z, 0, c->work);
  for (PetscInt i = 0; i < shots; ++i) { /* each alone: the order of their times is not that of the shots */
    PetscReal  when   = fmod(section - old + (PetscReal)(i * (c->period / shots)) + (PetscReal)c->period, (PetscReal)c->period) * T;
    FlowRecord record = {.n_samples    = 1,
                         .sample_time  = &when,
                         .sample_y1    = y,
                         .sample_y2    = y + 1,
                         .sample_f     = y + 2,
                         .sample_state = c->sample_state + i * p->n};

    PetscCall(ProblemRecord(p, point->lambda, c->period, c->work, PETSC_FALSE, &record, &why));
    if (why || record.next_sample != 1) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < shots; ++i) CorrectorPack(&c->corrector, c->sample_state + i * p->n, i, point->z);
  p->section = section;
  PetscCall(CorrectorSetPlane(&c->corrector, point->z, NULL, 0.0));
  PetscCall(CorrectorEvaluate(&c->corrector, point->z, &reason));
  if (!reason) PetscCall(PointLook_Private(c, point, &reason));
  PetscCheck(!reason, c->comm, PETSC_ERR_PLIB, "an orbit is lost as its section moves");
  if (point->slope * slope < 0.0) PointTurn_Private(c, point);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SectionEigenvector_Private(Continuation c, PetscReal target, PetscReal *direction)
{
  const PetscReal  wanted[2] = {target, 0.0};
  const PetscReal *J;
  Multipliers      m;

  PetscFunctionBeginUser;
  PetscCall(CorrectorGetMonodromy(&c->corrector, &J, NULL, NULL));
  PetscCall(FloquetSolve(c->problem.n, c->corrector.energy, J, NULL, 0.0, wanted, &m, direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At another phase than the section's: the difference of two motions that begin on both sides of the orbit. */
PetscErrorCode SectionDirection_Private(Continuation c, SpecialType type, const OrbitPoint *point, PetscReal *direction)
{
  Problem        *p = &c->problem;
  const PetscInt  n = p->n;
  PetscReal      *v = c->work + n, *x = c->work, norm, y[3];
  const PetscReal h = 1e-6 * c->corrector.size, T = ProblemPeriod(p, point->lambda);
  CorrectorReason reason;
  FlowReason      why;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(direction, n));
  PetscCall(CorrectorEvaluate(&c->corrector, point->z, &reason));
  if (reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SectionEigenvector_Private(c, type == SPECIAL_DOUBLING ? -1.0 : 1.0, direction));
  if (p->section == 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(v, direction, n));
  for (int side = 0; side < 2; ++side) {
    PetscReal  when   = ((PetscReal)c->period - p->section) * T;
    FlowRecord record = {
      .n_samples = 1, .sample_time = &when, .sample_y1 = y, .sample_y2 = y + 1, .sample_f = y + 2, .sample_state = side ? x : direction};

    CorrectorUnpack(&c->corrector, point->z, 0, x);
    for (PetscInt i = 0; i < n; ++i) x[i] += side ? -h * v[i] : h * v[i];
    PetscCall(ProblemRecord(p, point->lambda, c->period, x, PETSC_FALSE, &record, &why));
    if (why) PetscCall(PetscArrayzero(side ? x : direction, n));
  }
  for (PetscInt i = 0; i < n; ++i) direction[i] -= x[i];
  PetscCall(FlowNorm(p->flow, direction, &norm));
  for (PetscInt i = 0; i < n && norm > 0.0; ++i) direction[i] /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
