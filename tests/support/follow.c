/*
  follow.c - a branch followed from a simulation, in one process.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "graze/strobe.h"
#include "support/default_case.h"
#include "support/follow.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

void FollowOscillator(PetscReal damping, PetscReal restitution, PetscReal stop, ContinueParameter parameter, PetscReal low, PetscReal high,
                      Params *params)
{
  CaseParams(0, params);
  params->beam_model              = BEAM_MODES;
  params->beam_frequencies        = (RealList){.n = 1, .value = {1.0}};
  params->beam_tip_values         = (RealList){.n = 1, .value = {1.0}};
  params->beam_damping_ratios     = (RealList){.n = 1, .value = {damping}};
  params->flow                    = FLOW_RESTITUTION;
  params->restitution_coefficient = restitution;
  params->stop_side               = STOP_ABOVE;
  params->stop_position           = stop;
  params->forcing_mode            = 1;
  params->initial_mode            = 1;
  params->initial_displacement    = 0.5 * stop;
  params->initial_velocity        = 0.0;
  params->continue_parameter      = parameter;
  params->continue_min            = low;
  params->continue_max            = high;
  params->continue_max_points     = 400;
  params->continue_step = params->continue_min_step = params->continue_max_step = NAN;
}

void FollowCreate(const Params *params, PetscInt modes, Continuation *continuation)
{
  Complaint complaint = {0};

  GOOD(ContinuationCreate(PETSC_COMM_SELF, continuation));
  GOOD(ContinuationSetParams(*continuation, params));
  GOOD(ContinuationSetModes(*continuation, modes));
  GOOD(ContinuationSetUp(*continuation, &complaint));
  if (complaint.exit_code) fail_msg("%s", complaint.line);
}

void FollowStart(Continuation continuation, const Params *params, BranchStart *start)
{
  Model               model;
  Flow                flow;
  const ForcingShape *load;
  Strobe              strobe;
  Steady              steady;
  FlowState           state;

  GOOD(ContinuationGetModel(continuation, &model));
  GOOD(ModelCreateFlow(model, params->flow, &flow));
  GOOD(ModelGetLoad(model, &load));
  GOOD(FlowSetForcing(flow, load, params->forcing_amplitude, params->forcing_frequency));
  GOOD(StrobeCreate(PETSC_COMM_SELF, &strobe));
  GOOD(StrobeSetParams(strobe, params));
  GOOD(StrobeSetFlow(strobe, flow));
  GOOD(StrobeSetUp(strobe));
  GOOD(SteadyCreate(params, &steady));
  GOOD(FlowGetSize(flow, &state.n));
  GOOD(PetscMalloc1(state.n, &state.x));
  GOOD(FlowInitialState(flow, &state));
  GOOD(StrobeSolve(strobe, &state, &steady));
  assert_true(steady.period >= 1);
  *start = (BranchStart){.origin    = ORIGIN_SIMULATION,
                         .from      = {-1, -1, -1},
                         .amplitude = params->forcing_amplitude,
                         .frequency = params->forcing_frequency,
                         .stop      = params->stop_position,
                         .damping   = params->damping_ratio,
                         .period    = steady.period,
                         .n         = state.n,
                         .contact   = state.contact,
                         .x         = state.x};
  GOOD(SteadyDestroy(&steady));
  GOOD(StrobeDestroy(&strobe));
  GOOD(FlowDestroy(&flow));
}

/*
  Nothing happens between two neighbouring points that is not in the table: the branch turns back just at folds and at kinks that fold it,
  and the contacts of one point become those of the next by the events between them.
*/
static void Explained(const Branch *b)
{
  PetscInt k = 0;

  while (k < b->n_special && *BranchSpecial(b, k, SPECIAL_POINT) < 0.0) ++k; /* the end itself */
  for (PetscInt i = 0; i + 1 < b->n_points; ++i) {
    PetscInt  contacts = (PetscInt)*BranchPoint(b, i, POINT_N_CONTACTS);
    PetscReal slope    = *BranchPoint(b, i, POINT_SLOPE);

    for (; k < b->n_special && (PetscInt)*BranchSpecial(b, k, SPECIAL_POINT) == i; ++k) {
      const int kink = (int)*BranchSpecial(b, k, SPECIAL_KINK);

      if (*BranchSpecial(b, k, SPECIAL_TYPE) == (PetscReal)SPECIAL_FOLD || kink == KINK_FOLD || kink == KINK_FOLD_AND_DOUBLING)
        slope *= -1.0;
      assert_int_equal((int)*BranchSpecial(b, k, SPECIAL_CONTACTS_BEFORE), contacts);
      contacts = (PetscInt)*BranchSpecial(b, k, SPECIAL_CONTACTS_AFTER);
    }
    assert_int_equal((int)*BranchPoint(b, i + 1, POINT_N_CONTACTS), contacts);
    assert_true(slope * *BranchPoint(b, i + 1, POINT_SLOPE) >= 0.0); /* = 0: where it leaves a doubling */
  }
}

void FollowBranch(Continuation continuation, const BranchStart *start, Branch *branch)
{
  PetscBool stopped;

  GOOD(ContinuationRun(continuation, start, branch, &stopped));
  assert_false(stopped);
  for (PetscInt i = 0; i < branch->n_points; ++i) {
    assert_true(*BranchPoint(branch, i, POINT_RESIDUAL) <= 1e-10); /* what is asked of every stored point */
    assert_true(*BranchPoint(branch, i, POINT_MARGIN) >= -1e-9);   /* round-off of the gap is 1e-13 of the swing */
    if (i > 0) assert_true(*BranchPoint(branch, i, POINT_ARCLENGTH) > *BranchPoint(branch, i - 1, POINT_ARCLENGTH));
  }
  Explained(branch);
  for (int side = 0; side < 2; ++side) assert_true(branch->end[side] != END_NONE && strlen(branch->why[side]) > 0);
}

void FollowFrom(const Params *params, PetscInt modes, Continuation *continuation, Branch *branch)
{
  BranchStart start;

  FollowCreate(params, modes, continuation);
  FollowStart(*continuation, params, &start);
  FollowBranch(*continuation, &start, branch);
  GOOD(BranchStartDestroy(&start));
}

PetscInt FollowSpecial(const Branch *branch, SpecialType type, PetscInt number)
{
  for (PetscInt i = 0; i < branch->n_special; ++i)
    if (*BranchSpecial(branch, i, SPECIAL_TYPE) == (PetscReal)type && number-- == 0) return i;
  return -1;
}
