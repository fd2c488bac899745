/*
  rows.c - points and special points of a branch as rows.
*/
#include <math.h>

#include "continuation_impl.h"

static void Multipliers_Private(const Multipliers *m, PetscReal *n, PetscReal *re, PetscReal *im, PetscReal *error)
{
  *n = (PetscReal)m->n;
  for (PetscInt i = 0; i < m->n; ++i) {
    re[i]    = m->re[i];
    im[i]    = m->im[i];
    error[i] = m->error[i];
  }
}

PetscErrorCode RowPoint_Private(Continuation c, const OrbitPoint *point)
{
  Branch           *b = c->branch;
  const FlowRecord *r = &point->record;
  const PetscReal   T = ProblemPeriod(&c->problem, point->lambda);
  PetscReal        *row;
  PetscInt          i = b->n_points, unstable;

  PetscFunctionBeginUser;
  PetscCall(BranchAddPoint(b, &row));
  *BranchPoint(b, i, POINT_PARAMETER)        = point->lambda;
  *BranchPoint(b, i, POINT_ARCLENGTH)        = point->arclength;
  *BranchPoint(b, i, POINT_STEP)             = point->step;
  *BranchPoint(b, i, POINT_SLOPE)            = point->slope;
  *BranchPoint(b, i, POINT_NEWTON_STEPS)     = (PetscReal)point->newton_steps;
  *BranchPoint(b, i, POINT_RESIDUAL)         = point->relative;
  *BranchPoint(b, i, POINT_STABILITY)        = (PetscReal)JudgeStability_Private(&point->multipliers, &unstable);
  *BranchPoint(b, i, POINT_N_UNSTABLE)       = (PetscReal)unstable;
  *BranchPoint(b, i, POINT_MAX_DISPLACEMENT) = r->max_displacement;
  *BranchPoint(b, i, POINT_MIN_DISPLACEMENT) = r->min_displacement;
  *BranchPoint(b, i, POINT_PEAK_FORCE)       = r->peak_force;
  *BranchPoint(b, i, POINT_CONTACT_FRACTION) = r->time_in_contact / (T * (PetscReal)c->period);
  *BranchPoint(b, i, POINT_MIN_GAP)          = r->min_gap;
  *BranchPoint(b, i, POINT_MIN_FORCE)        = r->min_force;
  *BranchPoint(b, i, POINT_MARGIN)           = point->margin;
  *BranchPoint(b, i, POINT_N_CONTACTS)       = (PetscReal)r->count;
  *BranchPoint(b, i, POINT_STATE_IN_CONTACT) = point->in_contact ? 1.0 : 0.0;
  for (PetscInt k = 0; k < PetscMin(r->count, b->layout.contacts); ++k) { /* the capacity is no smaller */
    const PetscReal period = floor(point->onset[k]);

    BranchPoint(b, i, POINT_CONTACT_PERIOD)[k]   = period;
    BranchPoint(b, i, POINT_CONTACT_PHASE)[k]    = point->onset[k] - period;
    BranchPoint(b, i, POINT_CONTACT_VELOCITY)[k] = r->contact[k].velocity;
    BranchPoint(b, i, POINT_CONTACT_FORCE)[k]    = r->contact[k].force;
    BranchPoint(b, i, POINT_CONTACT_DURATION)[k] = r->contact[k].duration;
    BranchPoint(b, i, POINT_CONTACT_IMPULSE)[k]  = r->contact[k].impulse;
  }
  Multipliers_Private(&point->multipliers, BranchPoint(b, i, POINT_N_MULTIPLIERS), BranchPoint(b, i, POINT_MULTIPLIER_RE),
                      BranchPoint(b, i, POINT_MULTIPLIER_IM), BranchPoint(b, i, POINT_MULTIPLIER_ERROR));
  PetscCall(PetscArraycpy(BranchPoint(b, i, POINT_STROBE_DISPLACEMENT), point->y1, c->period));
  PetscCall(PetscArraycpy(BranchPoint(b, i, POINT_STROBE_VELOCITY), point->y2, c->period));
  PetscCall(PetscArraycpy(BranchPoint(b, i, POINT_STATE), point->x, c->problem.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowSpecial_Private(Continuation c, const OrbitPoint *point, const Special *s)
{
  Branch    *b = c->branch;
  PetscReal *row;
  PetscInt   i = b->n_special;

  PetscFunctionBeginUser;
  PetscCall(BranchAddSpecial(b, &row));
  *BranchSpecial(b, i, SPECIAL_TYPE)             = (PetscReal)s->type;
  *BranchSpecial(b, i, SPECIAL_POINT)            = (PetscReal)(b->n_points - 1);
  *BranchSpecial(b, i, SPECIAL_PARAMETER)        = s->lambda;
  *BranchSpecial(b, i, SPECIAL_ARCLENGTH)        = point->arclength;
  *BranchSpecial(b, i, SPECIAL_WIDTH)            = s->width;
  *BranchSpecial(b, i, SPECIAL_CUT_DIFFERENCE)   = s->difference;
  *BranchSpecial(b, i, SPECIAL_TEST)             = s->test;
  *BranchSpecial(b, i, SPECIAL_CONTACTS_BEFORE)  = (PetscReal)s->before;
  *BranchSpecial(b, i, SPECIAL_CONTACTS_AFTER)   = (PetscReal)s->after;
  *BranchSpecial(b, i, SPECIAL_KINK)             = (PetscReal)s->kink;
  *BranchSpecial(b, i, SPECIAL_EVENT_PERIOD)     = floor(s->when);
  *BranchSpecial(b, i, SPECIAL_EVENT_PHASE)      = s->when - floor(s->when);
  *BranchSpecial(b, i, SPECIAL_STATE_IN_CONTACT) = point->in_contact ? 1.0 : 0.0;
  Multipliers_Private(&point->multipliers, BranchSpecial(b, i, SPECIAL_N_MULTIPLIERS), BranchSpecial(b, i, SPECIAL_MULTIPLIER_RE),
                      BranchSpecial(b, i, SPECIAL_MULTIPLIER_IM), BranchSpecial(b, i, SPECIAL_MULTIPLIER_ERROR));
  PetscCall(PetscArraycpy(BranchSpecial(b, i, SPECIAL_STROBE_DISPLACEMENT), point->y1, c->period));
  PetscCall(PetscArraycpy(BranchSpecial(b, i, SPECIAL_STROBE_VELOCITY), point->y2, c->period));
  PetscCall(PetscArraycpy(BranchSpecial(b, i, SPECIAL_STATE), point->x, c->problem.n));
  PetscCall(PetscArrayzero(BranchSpecial(b, i, SPECIAL_DIRECTION), c->problem.n));
  if (s->type == SPECIAL_DOUBLING || s->type == SPECIAL_BRANCH_POINT)
    PetscCall(SectionDirection_Private(c, s->type, point, BranchSpecial(b, i, SPECIAL_DIRECTION)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
