/*
  sweep.c - the cells of one unit, each started from the steady state of the one before.

  A unit is a function of the parameters alone: it starts from the stated initial condition, and so does a cell whose neighbour
  could not be integrated. Nothing is carried from unit to unit.
*/
#include "graze/sweep.h"

#include <math.h>

struct _p_Sweep {
  MPI_Comm comm;
  Params   params;
  Grid     grid;
  Model    model; /* borrowed */
  /* owned */
  Flow       flow, literal; /* literal: for -sweep_check, else NULL */
  Strobe     strobe;
  Steady     steady;
  CellLayout layout;
  FlowState  state, mine, theirs; /* of the line; of the two flows of a check */
  PetscReal *rows;                /* shape [segment, layout.length] */
  PetscBool  set_up;
};

PetscErrorCode SweepCreate(MPI_Comm comm, Sweep *sweep)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(sweep));
  (*sweep)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepSetParams(Sweep sweep, const Params *params)
{
  PetscFunctionBeginUser;
  sweep->params = *params;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepSetModel(Sweep sweep, Model model)
{
  PetscFunctionBeginUser;
  sweep->model = model;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepSetUp - Flows, strobe and buffers of this rank. Lazy and idempotent. */
PetscErrorCode SweepSetUp(Sweep s)
{
  PetscInt n;

  PetscFunctionBeginUser;
  if (s->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GridSetUp(&s->params, &s->grid));
  PetscCall(ModelCreateFlow(s->model, s->params.flow, &s->flow));
  if (s->params.sweep_check > 0 && s->params.flow == FLOW_EXACT) PetscCall(ModelCreateFlow(s->model, FLOW_LITERAL, &s->literal));
  PetscCall(StrobeCreate(s->comm, &s->strobe));
  PetscCall(StrobeSetParams(s->strobe, &s->params));
  PetscCall(StrobeSetFlow(s->strobe, s->flow));
  PetscCall(StrobeSetUp(s->strobe));
  PetscCall(SteadyCreate(&s->params, &s->steady));
  CellLayoutSetUp(&s->params, &s->layout);
  PetscCall(FlowGetSize(s->flow, &n));
  s->state.n = s->mine.n = s->theirs.n = n;
  PetscCall(PetscMalloc4(n, &s->state.x, n, &s->mine.x, n, &s->theirs.x, s->grid.segment * s->layout.length, &s->rows));
  s->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepDestroy(Sweep *sweep)
{
  PetscFunctionBeginUser;
  if (!*sweep) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StrobeDestroy(&(*sweep)->strobe));
  PetscCall(FlowDestroy(&(*sweep)->flow));
  PetscCall(FlowDestroy(&(*sweep)->literal));
  PetscCall(SteadyDestroy(&(*sweep)->steady));
  PetscCall(PetscFree4((*sweep)->state.x, (*sweep)->mine.x, (*sweep)->theirs.x, (*sweep)->rows));
  PetscCall(PetscFree(*sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One orbit (one period where there is none) by both flows from the steady state: largest difference of y1 at the strobes. */
static PetscErrorCode Check_Private(Sweep s, PetscReal amplitude, PetscReal frequency, PetscReal *deviation)
{
  const ForcingShape *load;
  FlowReason          here = FLOW_GOOD, there = FLOW_GOOD;

  PetscFunctionBeginUser;
  *deviation = 0.0;
  PetscCall(ModelGetLoad(s->model, &load));
  PetscCall(FlowSetForcing(s->literal, load, amplitude, frequency));
  PetscCall(FlowStart(s->flow, &s->state));
  PetscCall(FlowStart(s->literal, &s->state));
  for (PetscInt i = 0; i < PetscMax(s->steady.period, 1); ++i) {
    PetscReal y1, y2, other1, other2;

    PetscCall(FlowPeriod(s->flow, &s->mine, &here));
    PetscCall(FlowPeriod(s->literal, &s->theirs, &there));
    if (here || there) {
      *deviation = NAN;
      break;
    }
    PetscCall(FlowGetTip(s->flow, &s->mine, &y1, &y2));
    PetscCall(FlowGetTip(s->literal, &s->theirs, &other1, &other2));
    *deviation = PetscMax(*deviation, fabs(y1 - other1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepWork - All cells of a unit.

  Not collective. Output: nbytes, result - u.n rows of layout.length reals, in the order computed; valid until the next call
*/
PetscErrorCode SweepWork(void *ctx, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result)
{
  Sweep               s = ctx;
  const ForcingShape *load;
  GridUnit            u;
  PetscBool           fresh = PETSC_TRUE; /* the next cell starts from the stated initial condition */

  PetscFunctionBeginUser;
  PetscCall(SweepSetUp(s));
  PetscCall(ModelGetLoad(s->model, &load));
  GridGetUnit(&s->grid, unit, &u);
  for (PetscInt i = 0; i < u.n; ++i) {
    const PetscReal start = MPI_Wtime();
    CellExtras      extras = {.segment_start = fresh, .check_deviation = NAN};
    PetscReal       amplitude, frequency;
    PetscInt        ia, jf;

    GridGetCell(&s->grid, u.line, u.first + i * u.step, &ia, &jf, &amplitude, &frequency);
    PetscCall(FlowSetForcing(s->flow, load, amplitude, frequency));
    if (fresh) PetscCall(FlowInitialState(s->flow, &s->state));
    PetscCall(StrobeSolve(s->strobe, &s->state, &s->steady));
    fresh = (PetscBool)(s->steady.status == STATUS_EVENT_LIMIT || s->steady.status == STATUS_FLOW_FAILED);
    if (s->literal && !fresh && GridIsChecked(&s->grid, s->params.sweep_check, u.direction, ia, jf))
      PetscCall(Check_Private(s, amplitude, frequency, &extras.check_deviation));
    extras.wall_seconds = MPI_Wtime() - start;
    CellPack(&s->layout, &s->steady, 2.0 * PETSC_PI / frequency, &extras, s->rows + (size_t)i * (size_t)s->layout.length);
    PetscCall(PoolTick(pool));
  }
  *nbytes = (PetscInt)(u.n * s->layout.length * (PetscInt)sizeof(PetscReal));
  *result = s->rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}
