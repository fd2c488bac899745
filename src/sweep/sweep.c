/*
  sweep.c - the cells of a piece of a line, each started from the steady state of the one before.

  A cell is a function of the parameters and of the row before it alone: the first of a unit starts from the stated initial condition,
  and so does one whose neighbour could not be integrated. Nothing else is carried on: a line cut anywhere gives the same bits.
*/
#include "graze/sweep.h"

#include <math.h>

#include "graze/crash.h"
#include "graze/fault.h"

struct _p_Sweep {
  MPI_Comm comm;
  Params   params;
  Grid     grid;
  Model    model; /* borrowed */
  Pool     pool;  /* of the piece in work; borrowed */
  /* owned */
  Flow       flow, literal; /* literal: for -sweep_check, else NULL */
  Strobe     strobe;
  Steady     steady;
  CellLayout layout;
  FlowState  state, mine, theirs; /* of the line; of the two flows of a check */
  PetscReal *row;                 /* of the cell in work; shape [layout.length] */
  void      *encoded;
  PetscInt   unit, step;          /* in work */
  PetscReal  aside;               /* seconds of this cell that went to the pool */
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

/* Look after the pool, and pass on whether to stop. What root does for others meanwhile is not this cell's doing if it crashes. */
static PetscErrorCode Poll_Private(void *ctx, PetscBool *stop)
{
  Sweep           s     = (Sweep)ctx;
  const PetscReal start = MPI_Wtime();

  PetscFunctionBeginUser;
  CrashSetStep(-1, -1);
  PetscCall(PoolPoll(s->pool, stop));
  CrashSetStep(s->unit, s->step);
  s->aside += MPI_Wtime() - start;
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
  PetscCall(StrobeSetPoll(s->strobe, Poll_Private, s));
  PetscCall(StrobeSetUp(s->strobe));
  PetscCall(SteadyCreate(&s->params, &s->steady));
  PetscCall(FlowGetSize(s->flow, &n));
  CellLayoutSetUp(&s->params, n, &s->layout);
  s->state.n = s->mine.n = s->theirs.n = n;
  PetscCall(PetscMalloc4(n, &s->state.x, n, &s->mine.x, n, &s->theirs.x, s->layout.length, &s->row));
  PetscCall(PetscMalloc(CellEncodedMax(&s->layout), &s->encoded));
  s->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepGetLayout(Sweep s, const CellLayout **layout)
{
  PetscFunctionBeginUser;
  PetscCheck(s->set_up, s->comm, PETSC_ERR_PLIB, "SweepSetUp first");
  *layout = &s->layout;
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
  PetscCall(PetscFree4((*sweep)->state.x, (*sweep)->mine.x, (*sweep)->theirs.x, (*sweep)->row));
  PetscCall(PetscFree((*sweep)->encoded));
  PetscCall(PetscFree(*sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one cell ----------------------------------------------------------------------------------------------------- */

/* One orbit (one period where there is none) by both flows from the steady state: largest difference of y1 at the strobes. */
static PetscErrorCode Check_Private(Sweep s, PetscReal amplitude, PetscReal frequency, PetscReal *deviation, PetscBool *stop)
{
  const ForcingShape *load;
  FlowReason          here = FLOW_GOOD, there = FLOW_GOOD;

  PetscFunctionBeginUser;
  *deviation = 0.0;
  PetscCall(ModelGetLoad(s->model, &load));
  PetscCall(FlowSetForcing(s->literal, load, amplitude, frequency));
  PetscCall(FlowStart(s->flow, &s->state));
  PetscCall(FlowStart(s->literal, &s->state));
  for (PetscInt i = 0; i < PetscMax(s->steady.period, 1) && !*stop; ++i) {
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
    PetscCall(Poll_Private(s, stop));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cell at s->step of a unit, from s->state (fresh: from the stated initial condition), into s->row. stop: it was given up. */
static PetscErrorCode Cell_Private(Sweep s, const GridUnit *u, PetscBool fresh, PetscBool *stop)
{
  const PetscReal     start  = MPI_Wtime();
  CellExtras          extras = {.segment_start = fresh, .check_deviation = NAN};
  const ForcingShape *load;
  PetscReal           amplitude, frequency;
  PetscInt            ia, jf;

  PetscFunctionBeginUser;
  s->aside = 0.0;
  PetscCall(FaultCell(s->unit, s->step));
  PetscCall(ModelGetLoad(s->model, &load));
  GridGetCell(&s->grid, u->line, u->first + s->step * u->step, &ia, &jf, &amplitude, &frequency);
  PetscCall(FlowSetForcing(s->flow, load, amplitude, frequency));
  if (fresh) PetscCall(FlowInitialState(s->flow, &s->state));
  PetscCall(StrobeSolve(s->strobe, &s->state, &s->steady));
  *stop = (PetscBool)(s->steady.status == STATUS_PENDING);
  if (s->literal && CellCarries(s->steady.status) && GridIsChecked(&s->grid, s->params.sweep_check, u->direction, ia, jf))
    PetscCall(Check_Private(s, amplitude, frequency, &extras.check_deviation, stop));
  extras.wall_seconds = MPI_Wtime() - start - s->aside;
  CellPack(&s->layout, &s->steady, &s->state, 2.0 * PETSC_PI / frequency, &extras, s->row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a piece ------------------------------------------------------------------------------------------------------ */

/* Where the first cell of a piece starts. */
static PetscErrorCode Carry_Private(Sweep s, const PoolPiece *piece, PetscBool *fresh)
{
  PetscFunctionBeginUser;
  *fresh = PETSC_TRUE;
  if (!piece->nbytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(piece->first > 0, s->comm, PETSC_ERR_PLIB, "the first step of a unit carries nothing");
  PetscCheck(CellDecode(&s->layout, (size_t)piece->nbytes, piece->carry, s->row), s->comm, PETSC_ERR_PLIB,
             "the carry of step %" PetscInt_FMT " of unit %" PetscInt_FMT " is not a row", piece->first, piece->unit);
  *fresh = (PetscBool)!CellCarries((SteadyStatus)s->row[s->layout.offset[CELL_STATUS]]);
  if (*fresh) PetscFunctionReturn(PETSC_SUCCESS);
  s->state.contact = (PetscBool)(s->row[s->layout.offset[CELL_STATE_IN_CONTACT]] != 0.0);
  PetscCall(PetscArraycpy(s->state.x, s->row + s->layout.offset[CELL_STATE], s->state.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepWork - The cells of a piece, each sent as its encoded row.

  Not collective. Ends before the piece does if the pool says stop; a cell given up in the middle is not sent.
*/
PetscErrorCode SweepWork(void *ctx, Pool pool, const PoolPiece *piece)
{
  Sweep     s = (Sweep)ctx;
  GridUnit  u;
  PetscBool fresh, stop = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(SweepSetUp(s));
  PetscCheck(piece->unit >= 0 && piece->unit < s->grid.n_units, s->comm, PETSC_ERR_PLIB, "unit %" PetscInt_FMT " of %" PetscInt_FMT, piece->unit,
             s->grid.n_units);
  GridGetUnit(&s->grid, piece->unit, &u);
  PetscCheck(piece->first >= 0 && piece->n > 0 && piece->first + piece->n <= u.n, s->comm, PETSC_ERR_PLIB,
             "steps %" PetscInt_FMT " + %" PetscInt_FMT " of a unit of %" PetscInt_FMT, piece->first, piece->n, u.n);
  s->pool = pool;
  s->unit = piece->unit;
  PetscCall(Carry_Private(s, piece, &fresh));
  for (s->step = piece->first; s->step < piece->first + piece->n && !stop; ++s->step) {
    PetscErrorCode error;

    CrashSetStep(s->unit, s->step);
    error = Cell_Private(s, &u, fresh, &stop);
    if (error) CrashWrite(); /* the next session marks the cell instead of failing in it again */
    CrashSetStep(-1, -1);
    PetscCall(error);
    if (stop) break;
    fresh = (PetscBool)!CellCarries(s->steady.status);
    PetscCall(PoolStep(pool, (PetscInt)CellEncode(&s->layout, s->row, s->encoded), s->encoded, &stop));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
