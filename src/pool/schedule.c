/*
  schedule.c - who gets which piece when.

  Invariants
  * A rank that works is in one line: IDLE if it holds nothing, ONE if it holds one piece and may get another ahead of time, else none.
    Who has waited longest is first.
  * While a piece that must run alone is out, nothing else is.
  * A piece is waiting, or with one rank, or over.
*/
#include "graze/schedule.h"

typedef struct {
  PoolPiece  piece;
  PetscInt64 number; /* in the order added */
  PetscInt   done;   /* steps */
} Item;

/* Binary heap: the dearest first. */
typedef struct {
  Item   **items;
  PetscInt n, room;
} Heap;

#define NOBODY (-1)
enum { IDLE, ONE, LINES };

typedef struct {
  PetscInt first, last;
} Line;

typedef struct {
  Item    *held[SCHEDULE_HELD];
  PetscInt n_held;
  PetscInt next, previous; /* in its line */
} Rank;

struct _p_Schedule {
  /* parameters */
  PetscInt  size;
  PetscBool root_works;
  /* owned */
  Rank *ranks; /* [size] */
  Heap  ordinary, alone;
  /* status */
  Line       lines[LINES];
  PetscInt64 added;
  PetscInt   out, undone;
  PetscBool  alone_out, stopped;
};

/* ---- lines of ranks ----------------------------------------------------------------------------------------------- */

static void Join_Private(Schedule s, int line, PetscInt rank)
{
  Line *l = &s->lines[line];

  s->ranks[rank].next     = NOBODY;
  s->ranks[rank].previous = l->last;
  if (l->last == NOBODY) l->first = rank;
  else s->ranks[l->last].next = rank;
  l->last = rank;
}

static void Leave_Private(Schedule s, int line, PetscInt rank)
{
  const Rank *r = &s->ranks[rank];

  if (r->previous == NOBODY) s->lines[line].first = r->next;
  else s->ranks[r->previous].next = r->next;
  if (r->next == NOBODY) s->lines[line].last = r->previous;
  else s->ranks[r->next].previous = r->previous;
}

/* The line of a rank that holds n pieces, or LINES. Root is served by nobody's messages: a piece ahead would only be kept from others. */
static int LineOf_Private(PetscInt rank, PetscInt n)
{
  return n == 0 ? IDLE : n == 1 && rank != 0 ? ONE : LINES;
}

static void Hold_Private(Schedule s, PetscInt rank, Item *item)
{
  Rank     *r    = &s->ranks[rank];
  const int line = LineOf_Private(rank, r->n_held);

  if (line != LINES) Leave_Private(s, line, rank);
  r->held[r->n_held++] = item;
  if (LineOf_Private(rank, r->n_held) != LINES) Join_Private(s, LineOf_Private(rank, r->n_held), rank);
  s->out++;
  s->alone_out = item->piece.alone;
}

/* ---- pieces that wait --------------------------------------------------------------------------------------------- */

static PetscBool IsBefore_Private(const Item *a, const Item *b)
{
  if (a->piece.cost != b->piece.cost) return a->piece.cost > b->piece.cost ? PETSC_TRUE : PETSC_FALSE;
  return a->number < b->number ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode Push_Private(Heap *heap, Item *item)
{
  PetscInt i = heap->n;

  PetscFunctionBeginUser;
  if (heap->n == heap->room) {
    const PetscInt room = PetscMax(64, 2 * heap->room);
    Item         **items;

    PetscCall(PetscMalloc1(room, &items));
    PetscCall(PetscArraycpy(items, heap->items, heap->n));
    PetscCall(PetscFree(heap->items));
    heap->items = items;
    heap->room  = room;
  }
  heap->n++;
  for (; i > 0 && IsBefore_Private(item, heap->items[(i - 1) / 2]); i = (i - 1) / 2) heap->items[i] = heap->items[(i - 1) / 2];
  heap->items[i] = item;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Item *Pop_Private(Heap *heap)
{
  Item    *first = heap->items[0], *moved = heap->items[--heap->n];
  PetscInt i = 0;

  for (;;) {
    PetscInt child = 2 * i + 1;

    if (child + 1 < heap->n && IsBefore_Private(heap->items[child + 1], heap->items[child])) child++;
    if (child >= heap->n || IsBefore_Private(moved, heap->items[child])) break;
    heap->items[i] = heap->items[child];
    i              = child;
  }
  heap->items[i] = moved;
  return first;
}

static PetscErrorCode Drop_Private(Item *item)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(item->piece.carry));
  PetscCall(PetscFree(item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the object --------------------------------------------------------------------------------------------------- */

/*
  ScheduleCreate - A schedule without pieces.

  Not collective.
  Input:  size - ranks, 1 or more;  root_works - rank 0 gets pieces too
*/
PetscErrorCode ScheduleCreate(PetscInt size, PetscBool root_works, Schedule *schedule)
{
  Schedule s;

  PetscFunctionBeginUser;
  PetscCheck(size > 1 || (size == 1 && root_works), PETSC_COMM_SELF, PETSC_ERR_PLIB, "nobody works");
  PetscCall(PetscNew(&s));
  s->size       = size;
  s->root_works = root_works;
  PetscCall(PetscCalloc1(size, &s->ranks));
  for (int l = 0; l < LINES; l++) s->lines[l] = (Line){NOBODY, NOBODY};
  for (PetscInt r = 1; r < size; r++) Join_Private(s, IDLE, r);
  if (root_works) Join_Private(s, IDLE, 0); /* last: the others wait for a message */
  *schedule = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ScheduleAdd - One piece more, at any time; after ScheduleStop it stays where it is.

  Not collective.
  Input:  piece - its carry is copied
  Cost:   O(log pieces that wait)
*/
PetscErrorCode ScheduleAdd(Schedule s, const PoolPiece *piece)
{
  Item *item;
  void *carry = NULL;

  PetscFunctionBeginUser;
  PetscCheck(piece->unit >= 0 && piece->first >= 0 && piece->n > 0 && piece->nbytes >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "a piece of %" PetscInt_FMT " steps from %" PetscInt_FMT " of unit %" PetscInt_FMT " with %" PetscInt_FMT " bytes", piece->n,
             piece->first, piece->unit, piece->nbytes);
  PetscCall(PetscNew(&item));
  if (piece->nbytes) {
    PetscCall(PetscMalloc(piece->nbytes, &carry));
    PetscCall(PetscMemcpy(carry, piece->carry, piece->nbytes));
  }
  item->piece       = *piece;
  item->piece.carry = carry;
  item->number      = s->added++;
  PetscCall(Push_Private(piece->alone ? &s->alone : &s->ordinary, item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who gets an ordinary piece now: the idle first; a second piece only while there are enough that nobody will miss it. */
static PetscInt WhoIsNext_Private(Schedule s)
{
  if (s->lines[IDLE].first != NOBODY) return s->lines[IDLE].first;
  return s->ordinary.n > 2 * s->size ? s->lines[ONE].first : NOBODY;
}

/* Who gets a piece that must run alone: everybody is idle. It is dangerous, so not root, which could save no more should it hang. */
static PetscInt WhoIsAlone_Private(Schedule s)
{
  const PetscInt first = s->lines[IDLE].first;

  return first == 0 && s->size > 1 ? s->ranks[first].next : first;
}

/*
  ScheduleNext - What to hand out now.

  Not collective. To be asked until there is nothing, whenever something was added or has ended.
  Output:  rank - who gets it;  piece - the schedule's until ScheduleEnd; NULL: nothing as things stand
  Cost:    O(log pieces that wait)
*/
PetscErrorCode ScheduleNext(Schedule s, PetscInt *rank, const PoolPiece **piece)
{
  PetscInt who  = NOBODY;
  Heap    *heap = &s->ordinary;
  Item    *item;

  PetscFunctionBeginUser;
  *piece = NULL;
  *rank  = NOBODY;
  if (s->stopped || s->alone_out) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->ordinary.n) who = WhoIsNext_Private(s);
  else if (s->alone.n && !s->out) {
    who  = WhoIsAlone_Private(s);
    heap = &s->alone;
  }
  if (who == NOBODY) PetscFunctionReturn(PETSC_SUCCESS);
  item = Pop_Private(heap);
  Hold_Private(s, who, item);
  *rank  = who;
  *piece = &item->piece;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ScheduleStep - A rank has done the next step of the first piece it holds.

  Not collective. Any other step is a bug.
  Output:  last - it was the last of that piece
*/
PetscErrorCode ScheduleStep(Schedule s, PetscInt rank, PetscInt unit, PetscInt step, PetscBool *last)
{
  Item *item;

  PetscFunctionBeginUser;
  PetscCheck(rank >= 0 && rank < s->size && s->ranks[rank].n_held, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "a step of rank %" PetscInt_FMT ", which has no piece", rank);
  item = s->ranks[rank].held[0];
  PetscCheck(item->done < item->piece.n && unit == item->piece.unit && step == item->piece.first + item->done, PETSC_COMM_SELF,
             PETSC_ERR_PLIB,
             "rank %" PetscInt_FMT ": step %" PetscInt_FMT " of unit %" PetscInt_FMT ", but %" PetscInt_FMT " of %" PetscInt_FMT
             " steps from %" PetscInt_FMT " of unit %" PetscInt_FMT " are done",
             rank, step, unit, item->done, item->piece.n, item->piece.first, item->piece.unit);
  item->done++;
  *last = item->done == item->piece.n ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ScheduleEnd - A rank is through with the first piece it holds. What is left of it is not handed out again: only the rank knows its carry.

  Not collective.
*/
PetscErrorCode ScheduleEnd(Schedule s, PetscInt rank)
{
  Rank *r;
  Item *item;

  PetscFunctionBeginUser;
  PetscCheck(rank >= 0 && rank < s->size && s->ranks[rank].n_held, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "the end of a piece of rank %" PetscInt_FMT ", which has none", rank);
  r    = &s->ranks[rank];
  item = r->held[0];
  if (item->done < item->piece.n) s->undone++;
  if (item->piece.alone) s->alone_out = PETSC_FALSE;
  if (LineOf_Private(rank, r->n_held) != LINES) Leave_Private(s, LineOf_Private(rank, r->n_held), rank);
  r->n_held--;
  for (PetscInt i = 0; i < r->n_held; i++) r->held[i] = r->held[i + 1];
  if (LineOf_Private(rank, r->n_held) != LINES) Join_Private(s, LineOf_Private(rank, r->n_held), rank);
  s->out--;
  PetscCall(Drop_Private(item));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ScheduleGetHeld - What a rank is at, as far as is known here.

  Not collective.
  Output:  piece - the first it holds, NULL: none;  step - of the unit, to be done next; the one after the last if all are done
*/
PetscErrorCode ScheduleGetHeld(Schedule s, PetscInt rank, const PoolPiece **piece, PetscInt *step)
{
  const Rank *r = &s->ranks[rank];

  PetscFunctionBeginUser;
  *piece = r->n_held ? &r->held[0]->piece : NULL;
  *step  = r->n_held ? r->held[0]->piece.first + r->held[0]->done : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ScheduleStop - ScheduleNext has nothing from now on. */
PetscErrorCode ScheduleStop(Schedule s)
{
  PetscFunctionBeginUser;
  s->stopped = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScheduleGetCounts(Schedule s, ScheduleCounts *counts)
{
  PetscFunctionBeginUser;
  *counts = (ScheduleCounts){.waiting = s->ordinary.n + s->alone.n, .out = s->out, .undone = s->undone};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Empty_Private(Heap *heap)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < heap->n; i++) PetscCall(Drop_Private(heap->items[i]));
  PetscCall(PetscFree(heap->items));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScheduleDestroy(Schedule *schedule)
{
  Schedule s = *schedule;

  PetscFunctionBeginUser;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Empty_Private(&s->ordinary));
  PetscCall(Empty_Private(&s->alone));
  for (PetscInt r = 0; r < s->size; r++)
    for (PetscInt i = 0; i < s->ranks[r].n_held; i++) PetscCall(Drop_Private(s->ranks[r].held[i]));
  PetscCall(PetscFree(s->ranks));
  PetscCall(PetscFree(*schedule));
  PetscFunctionReturn(PETSC_SUCCESS);
}
