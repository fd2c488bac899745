/*
  ledger.c - which cells of a sweep are done, which are in work, in which a rank died; and from that, what is to do.

  A step is *to do* if its cell is pending, or failed and asked for again. Pending steps that follow each other are one run; it is cut
  before and after a suspect cell, and only its first part can begin at once, for every part starts from the last cell of the one before.
  A failed cell that is done again is a piece by itself: its neighbours have been done from what it left, and stay.

  Invariants: by_status adds up to the cells of the grid; a rank holds at most HELD pieces, the first of them is in work; none of them
  is empty. Memory: two bytes a cell and HELD pieces a rank, however many records come.
*/
#include "graze/ledger.h"

#include <math.h>
#include <string.h>

/* The byte beside the status: deaths, and two flags. */
enum { DEATHS = 0x3f, AGAIN = 0x40 /* to be done again */, SINGLE = 0x80 /* is or was, in this session */ };

/* More than the pool gives a rank at a time. */
enum { HELD = 4 };

/* Steps next .. end - 1 are not done. */
typedef struct {
  PetscInt  unit, next, end;
  PetscBool alone;
} Held;

typedef struct {
  PetscInt n;
  Held     piece[HELD];
} Hands;

enum { RECENT = 1000 };

struct _p_Ledger {
  Grid grid;
  /* owned */
  signed char   *status; /* by cell */
  unsigned char *mark;
  PetscInt       size;   /* ranks there is room for */
  Hands         *hands;  /* shape [size] */
  LedgerFlight  *list;   /* shape [size (1 + HELD)]: cells in work, then all that is held */
  /* status */
  PetscInt    session; /* -1: none seen */
  PetscBool   ended;
  double      last_time;
  PetscBool   own;     /* records are those of this session */
  LedgerTally tally;
  PetscReal   recent[2]; /* slowest of the RECENT cells under way, and of the RECENT before */
  PetscInt    n_recent;
  PetscInt    next_piece, unit, step; /* where the search for that piece begins */
};

/* Room for `rank`. */
static PetscErrorCode Room_Private(Ledger l, PetscInt rank)
{
  const PetscInt size = PetscMax(rank + 1, 2 * l->size);
  Hands         *hands;
  LedgerFlight  *list;

  PetscFunctionBeginUser;
  if (rank < l->size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc2(size, &hands, (1 + HELD) * size, &list));
  PetscCall(PetscArraycpy(hands, l->hands, l->size));
  PetscCall(PetscFree2(l->hands, l->list));
  l->hands = hands;
  l->list  = list;
  l->size  = size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerCreate(const Grid *grid, Ledger *ledger)
{
  Ledger l;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(ledger));
  l            = *ledger;
  l->grid      = *grid;
  l->session   = -1;
  l->last_time = NAN;
  PetscCall(PetscCalloc2(grid->n_cells, &l->status, grid->n_cells, &l->mark));
  PetscCall(Room_Private(l, 0));
  l->tally.by_status[STATUS_PENDING] = grid->n_cells;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerDestroy(Ledger *ledger)
{
  PetscFunctionBeginUser;
  if (!*ledger) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*ledger)->status, (*ledger)->mark));
  PetscCall(PetscFree2((*ledger)->hands, (*ledger)->list));
  PetscCall(PetscFree(*ledger));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned char Deaths_Private(PetscInt64 deaths)
{
  return (unsigned char)PetscClipInterval(deaths, 0, DEATHS);
}

/* LedgerSetCells - What the snapshot says of every cell, in place of what was known; flights and sessions stay. */
PetscErrorCode LedgerSetCells(Ledger l, const signed char *status, const signed char *deaths)
{
  PetscInt *by_status = l->tally.by_status;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(by_status, STATUS_COUNT));
  for (PetscInt i = 0; i < l->grid.n_cells; ++i) {
    l->status[i] = status ? status[i] : STATUS_PENDING;
    l->mark[i]   = deaths ? Deaths_Private(deaths[i]) : 0;
    PetscCheck(l->status[i] >= 0 && l->status[i] < STATUS_COUNT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "status %d of cell %" PetscInt_FMT, l->status[i], i);
    ++by_status[(PetscInt)l->status[i]];
  }
  l->tally.done = l->grid.n_cells - by_status[STATUS_PENDING];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- who holds what ----------------------------------------------------------------------------------------------- */

static void Drop_Private(Hands *hands, PetscInt i)
{
  --hands->n;
  memmove(&hands->piece[i], &hands->piece[i + 1], (size_t)(hands->n - i) * sizeof(Held));
}

/* A piece goes to a rank. A new journal repeats what ranks hold: the same steps once more replace what is known of them. */
static PetscErrorCode Assign_Private(Ledger l, PetscInt rank, Held piece)
{
  Hands *hands;

  PetscFunctionBeginUser;
  PetscCall(Room_Private(l, rank));
  hands = &l->hands[rank];
  for (PetscInt i = 0; i < hands->n; ++i) {
    const Held *held = &hands->piece[i];

    if (held->unit != piece.unit || held->end <= piece.next || piece.end <= held->next) continue;
    hands->piece[i] = piece;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (hands->n == HELD) Drop_Private(hands, 0); /* a rank works in order: what it got first is over */
  hands->piece[hands->n++] = piece;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank has done a step. Others may have been marked by root, and no rank holds them. */
static void Advance_Private(Ledger l, PetscInt rank, PetscInt unit, PetscInt step)
{
  Hands *hands = rank >= 0 && rank < l->size ? &l->hands[rank] : NULL;

  for (PetscInt i = 0; hands && i < hands->n; ++i) {
    Held *held = &hands->piece[i];

    if (held->unit != unit || step < held->next || step >= held->end) continue;
    held->next = step + 1;
    if (held->next == held->end) Drop_Private(hands, i);
    return;
  }
}

static PetscBool IsHeld_Private(Ledger l, PetscInt unit, PetscInt step)
{
  for (PetscInt r = 0; r < l->size; ++r)
    for (PetscInt i = 0; i < l->hands[r].n; ++i) {
      const Held *held = &l->hands[r].piece[i];

      if (held->unit == unit && step >= held->next && step < held->end) return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

/* Up to `most` pieces of every rank into a list. */
static PetscInt List_Private(Ledger l, PetscInt most, LedgerFlight *list)
{
  PetscInt n = 0;

  for (PetscInt r = 0; r < l->size; ++r)
    for (PetscInt i = 0; i < PetscMin(l->hands[r].n, most); ++i) {
      const Held *held = &l->hands[r].piece[i];

      list[n++] = (LedgerFlight){
        .unit = held->unit, .step = held->next, .n = held->end - held->next, .rank = (PetscMPIInt)r, .alone = held->alone};
    }
  return n;
}

PetscErrorCode LedgerGetFlights(Ledger l, PetscInt *n, const LedgerFlight **flights)
{
  PetscFunctionBeginUser;
  *n       = List_Private(l, 1, l->list);
  *flights = l->list;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerGetAssigned(Ledger l, PetscInt *n, const LedgerFlight **assigned)
{
  PetscFunctionBeginUser;
  *assigned = l->list + l->size;
  *n        = List_Private(l, HELD, l->list + l->size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LedgerForgetFlights - A new session begins: nobody holds anything, and the counts of the session start. */
PetscErrorCode LedgerForgetFlights(Ledger l)
{
  PetscFunctionBeginUser;
  for (PetscInt r = 0; r < l->size; ++r) l->hands[r].n = 0;
  l->own                  = PETSC_TRUE;
  l->tally.finished       = 0;
  l->tally.n_slowest      = 0;
  l->tally.recent_slowest = 0.0;
  l->recent[0] = l->recent[1] = 0.0;
  l->n_recent                 = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

/* The slowest few of the session, slowest first, and the slowest of late. */
static void Slowest_Private(Ledger l, PetscInt unit, PetscInt step, PetscReal seconds)
{
  LedgerTally   *t    = &l->tally;
  const PetscInt room = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(t->slowest);
  PetscInt       at   = t->n_slowest, ia, jf;
  GridUnit       u;

  if (isnan(seconds)) return; /* a cell that killed its rank */
  if (++l->n_recent > RECENT) {
    l->recent[1] = l->recent[0];
    l->recent[0] = 0.0;
    l->n_recent  = 1;
  }
  l->recent[0]      = PetscMax(l->recent[0], seconds);
  t->recent_slowest = PetscMax(l->recent[0], l->recent[1]);
  while (at > 0 && t->slowest[at - 1].seconds < seconds) --at;
  if (at == room) return;
  t->n_slowest = PetscMin(t->n_slowest + 1, room);
  for (PetscInt j = t->n_slowest - 1; j > at; --j) t->slowest[j] = t->slowest[j - 1];
  GridGetUnit(&l->grid, unit, &u);
  t->slowest[at].seconds   = seconds;
  t->slowest[at].direction = l->grid.direction[u.direction];
  GridGetCell(&l->grid, u.line, u.first + step * u.step, &ia, &jf, &t->slowest[at].amplitude, &t->slowest[at].frequency);
}

static PetscErrorCode Step_Private(Ledger l, const JournalRecord *record, const CellLayout *layout, const void *bytes)
{
  const PetscInt unit = (PetscInt)record->unit, step = (PetscInt)record->step, cell = GridCellOfStep(&l->grid, unit, step);
  const size_t   nbytes = (size_t)record->nbytes;
  LedgerTally   *t      = &l->tally;
  PetscReal      status, seconds;

  PetscFunctionBeginUser;
  PetscCheck(CellPeek(layout, nbytes, bytes, CELL_STATUS, &status) && CellPeek(layout, nbytes, bytes, CELL_WALL_SECONDS, &seconds) &&
               status > 0.0,
             PETSC_COMM_SELF, PETSC_ERR_PLIB, "step %" PetscInt_FMT " of unit %" PetscInt_FMT " came with what is no row", step, unit);
  if (l->status[cell] == STATUS_PENDING) ++t->done;
  --t->by_status[(PetscInt)l->status[cell]];
  l->status[cell] = (signed char)status;
  ++t->by_status[(PetscInt)l->status[cell]];
  l->mark[cell] &= (unsigned char)~AGAIN;
  Advance_Private(l, record->rank, unit, step);
  if (l->own) {
    ++t->finished;
    Slowest_Private(l, unit, step, seconds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LedgerRecord - One more record, in order. The end of a session ends its flights. Cost: O(1), and O(ranks) once a session. */
PetscErrorCode LedgerRecord(Ledger l, const JournalRecord *record, const CellLayout *layout, const void *bytes)
{
  const PetscBool  of_cell = (PetscBool)(record->kind == RECORD_ASSIGN || record->kind == RECORD_STEP || record->kind == RECORD_DEATHS);
  const PetscInt64 n       = record->kind != RECORD_ASSIGN ? 1 : record->value < 0 ? -record->value : record->value;
  const PetscInt   unit = (PetscInt)record->unit, step = (PetscInt)record->step;
  GridUnit         u;

  PetscFunctionBeginUser;
  l->last_time = record->time;
  if (of_cell) {
    PetscCheck(record->unit >= 0 && record->unit < l->grid.n_units, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "a record of unit %lld of %" PetscInt_FMT, (long long)record->unit, l->grid.n_units);
    GridGetUnit(&l->grid, unit, &u);
    PetscCheck(record->step >= 0 && n > 0 && n <= u.n - record->step, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "a record of steps %lld + %lld of a unit of %" PetscInt_FMT, (long long)record->step, (long long)n, u.n);
  }
  switch (record->kind) {
  case RECORD_SESSION_BEGIN:
  case RECORD_SESSION_END:
    l->session = (PetscInt)record->value;
    l->ended   = (PetscBool)(record->kind == RECORD_SESSION_END);
    for (PetscInt r = 0; l->ended && r < l->size; ++r) l->hands[r].n = 0;
    break;
  case RECORD_ASSIGN:
    PetscCheck(record->rank >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a piece assigned to rank %d", record->rank);
    PetscCall(Assign_Private(l, record->rank,
                             (Held){.unit = unit, .next = step, .end = step + (PetscInt)n, .alone = (PetscBool)(record->value < 0)}));
    break;
  case RECORD_STEP:
    PetscCall(Step_Private(l, record, layout, bytes));
    break;
  case RECORD_DEATHS: {
    unsigned char *mark = &l->mark[GridCellOfStep(&l->grid, unit, step)];

    *mark = (unsigned char)((*mark & ~DEATHS) | Deaths_Private(record->value));
    break;
  }
  default:
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "a record of kind %d", record->kind);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerGetSession(Ledger l, PetscInt *session, PetscBool *ended, double *last_time)
{
  PetscFunctionBeginUser;
  if (session) *session = l->session;
  if (ended) *ended = l->ended;
  if (last_time) *last_time = l->last_time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerGetDeaths(Ledger l, PetscInt unit, PetscInt step, PetscInt *deaths)
{
  PetscFunctionBeginUser;
  *deaths = l->mark[GridCellOfStep(&l->grid, unit, step)] & DEATHS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerGetStatus(Ledger l, PetscInt cell, SteadyStatus *status)
{
  PetscFunctionBeginUser;
  PetscCheck(cell >= 0 && cell < l->grid.n_cells, PETSC_COMM_SELF, PETSC_ERR_PLIB, "cell %" PetscInt_FMT " of %" PetscInt_FMT, cell,
             l->grid.n_cells);
  *status = (SteadyStatus)l->status[cell];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LedgerGetTally(Ledger l, const LedgerTally **tally)
{
  PetscFunctionBeginUser;
  *tally = &l->tally;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is to do ------------------------------------------------------------------------------------------------ */

PetscErrorCode LedgerRetryFailed(Ledger l, PetscInt *n)
{
  PetscFunctionBeginUser;
  *n = 0;
  for (PetscInt i = 0; i < l->grid.n_cells; ++i) {
    const signed char status = l->status[i];

    if (status != STATUS_CRASHED && status != STATUS_FLOW_FAILED && status != STATUS_EVENT_LIMIT) continue;
    l->mark[i] |= AGAIN | SINGLE;
    ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsPending_Private(Ledger l, PetscInt unit, PetscInt step)
{
  return (PetscBool)(l->status[GridCellOfStep(&l->grid, unit, step)] == STATUS_PENDING);
}

/* A cell that has killed its rank is suspect when it is done again, however it was found out. */
static PetscBool IsSuspect_Private(Ledger l, PetscInt unit, PetscInt step)
{
  const PetscInt cell = GridCellOfStep(&l->grid, unit, step);

  return (PetscBool)((l->mark[cell] & DEATHS) >= LEDGER_DEATHS || l->status[cell] == STATUS_CRASHED);
}

/* The piece that begins at a step to do: alone if that is suspect, else the pending steps before the next suspect. */
static PoolPiece Piece_Private(Ledger l, PetscInt unit, PetscInt first)
{
  PoolPiece piece = {.unit = unit, .first = first, .n = 1, .alone = IsSuspect_Private(l, unit, first)};
  GridUnit  u;

  GridGetUnit(&l->grid, unit, &u);
  if (!piece.alone && IsPending_Private(l, unit, first))
    while (first + piece.n < u.n && IsPending_Private(l, unit, first + piece.n) && !IsSuspect_Private(l, unit, first + piece.n)) ++piece.n;
  piece.cost = GridExpectedCost(&l->grid, unit, first, piece.n);
  return piece;
}

/* LedgerGetPiece - Cost: all pieces together O(cells), if asked for in order with no record between. */
PetscErrorCode LedgerGetPiece(Ledger l, PetscInt i, PoolPiece *piece, PetscInt *before, PetscBool *found)
{
  PetscFunctionBeginUser;
  PetscCheck(i == 0 || i == l->next_piece, PETSC_COMM_SELF, PETSC_ERR_PLIB, "piece %" PetscInt_FMT " after %" PetscInt_FMT, i, l->next_piece - 1);
  if (i == 0) l->unit = l->step = 0;
  *found        = PETSC_FALSE;
  l->next_piece = i;
  for (; l->unit < l->grid.n_units; ++l->unit, l->step = 0) {
    GridUnit u;

    GridGetUnit(&l->grid, l->unit, &u);
    for (; l->step < u.n; ++l->step) {
      const PetscInt  first   = l->step;
      const PetscBool pending = IsPending_Private(l, l->unit, first);

      if (!pending && !(l->mark[GridCellOfStep(&l->grid, l->unit, first)] & AGAIN)) continue;
      *piece  = Piece_Private(l, l->unit, first);
      *before = first > 0 ? GridCellOfStep(&l->grid, l->unit, first - 1) : -1;
      *found  = PETSC_TRUE;
      ++l->next_piece;
      ++l->step;
      /* to the end of the run: what follows a suspect comes by LedgerGetRest */
      while (pending && l->step < u.n && IsPending_Private(l, l->unit, l->step)) ++l->step;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LedgerGetRest - Cost: O(1) but where a suspect is near. */
PetscErrorCode LedgerGetRest(Ledger l, PetscInt unit, PetscInt step, PoolPiece *rest)
{
  GridUnit u;

  PetscFunctionBeginUser;
  *rest = (PoolPiece){.unit = unit, .first = step + 1};
  GridGetUnit(&l->grid, unit, &u);
  if (step + 1 >= u.n || !IsPending_Private(l, unit, step + 1)) PetscFunctionReturn(PETSC_SUCCESS);
  if (l->mark[GridCellOfStep(&l->grid, unit, step)] & SINGLE) PetscFunctionReturn(PETSC_SUCCESS);
  if (!IsSuspect_Private(l, unit, step) && !IsSuspect_Private(l, unit, step + 1)) PetscFunctionReturn(PETSC_SUCCESS);
  if (IsHeld_Private(l, unit, step + 1)) PetscFunctionReturn(PETSC_SUCCESS);
  *rest = Piece_Private(l, unit, step + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}
