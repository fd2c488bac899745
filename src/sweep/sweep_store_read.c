/*
  sweep_store_read.c - cells out of the file, and whether they are those that were put in.

  The file is read in its order, block by block: some amplitudes by the frequencies wanted of them, all variables, no more than
  SWEEP_STORE_BLOCK bytes of rows at a time.
*/
#include "sweep_store_impl.h"

/* A block: cells i_amplitude .. + n[0], j_frequency .. + n[1] of a direction. */
typedef struct {
  PetscInt direction, first[2], n[2];
} Block;

/* ---- blocks ---- */

static PetscErrorCode ReadBlock_Private(SweepStore s, const Block *b, Complaint *complaint)
{
  const PetscInt start[4] = {b->direction, b->first[0], b->first[1], 0};
  PetscInt       count[4] = {1, b->n[0], b->n[1], 1};

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v) {
    char at[64];

    count[3] = s->layout.width[v];
    PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", cell_variables[v].name));
    PetscCall(StoreRead(s->store, at, start, count, s->slab, complaint));
    if (!complaint->exit_code) SweepStoreUnpack_Private(s, v, b->n[0] * b->n[1]);
  }
  if (!complaint->exit_code) PetscCall(StoreRead(s->store, "/checksum", start, count, s->slab, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frequencies of one amplitude that are wanted, first to last; n = 0: none. */
static void Wanted_Private(SweepStore s, const PetscBool *cells, PetscInt direction, PetscInt amplitude, PetscInt *first, PetscInt *n)
{
  const PetscInt   all = s->shape[2];
  const PetscBool *row = cells ? cells + ((size_t)direction * (size_t)s->shape[1] + (size_t)amplitude) * (size_t)all : NULL;
  PetscInt         low = 0, high = all - 1;

  while (row && low < all && !row[low]) ++low;
  while (row && high > low && !row[high]) --high;
  *first = low;
  *n     = low < all ? high - low + 1 : 0;
}

/*
  The next block from the amplitude *amplitude on, which moves behind it: one amplitude, and as many more as fit with it. A row that is
  wider than a block is cut; *frequency says where it goes on.
*/
static void NextBlock_Private(SweepStore s, const PetscBool *cells, PetscInt direction, PetscInt *amplitude, PetscInt *frequency, Block *b)
{
  PetscInt first, n;

  Wanted_Private(s, cells, direction, *amplitude, &first, &n);
  *b      = (Block){.direction = direction, .first = {*amplitude, PetscMax(first, *frequency)}, .n = {1, 0}};
  b->n[1] = PetscMax(0, first + n - b->first[1]);
  if (b->n[1] > s->room) {
    b->n[1]    = s->room;
    *frequency = b->first[1] + s->room;
    return;
  }
  *frequency = 0;
  for (++*amplitude; *amplitude < s->shape[1] && b->n[1] > 0; ++*amplitude) {
    PetscInt low, high;

    Wanted_Private(s, cells, direction, *amplitude, &first, &n);
    low  = PetscMin(first, b->first[1]);
    high = PetscMax(first + n, b->first[1] + b->n[1]);
    if (n == 0 || (high - low) * (b->n[0] + 1) > s->room) break;
    b->first[1] = low;
    b->n[1]     = high - low;
    ++b->n[0];
  }
}

/*
  SweepStoreVisit - Every cell, or those of `cells`, in the order of the file.

  Not collective (root).
  Input:   cells - those wanted, shape [n_cells], or NULL: all
           visit - gets the flat number of a cell, its row, shape [layout->length], and its stored checksum
  Complaint: EXIT_FILES; one that visit leaves ends the visit
*/
PetscErrorCode SweepStoreVisit(SweepStore s, const PetscBool *cells, SweepStoreVisitor *visit, void *ctx, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SweepStoreFlush(s, complaint));
  PetscCall(SweepStoreWork_Private(s));
  for (PetscInt d = 0; d < s->shape[0]; ++d)
    for (PetscInt amplitude = 0, frequency = 0; amplitude < s->shape[1] && !complaint->exit_code;) {
      Block b;

      NextBlock_Private(s, cells, d, &amplitude, &frequency, &b);
      if (b.n[1] == 0) continue;
      PetscCall(ReadBlock_Private(s, &b, complaint));
      for (PetscInt i = 0; i < b.n[0] * b.n[1] && !complaint->exit_code; ++i) {
        const PetscInt cell = (d * s->shape[1] + b.first[0] + i / b.n[1]) * s->shape[2] + b.first[1] + i % b.n[1];

        if (!cells || cells[cell])
          PetscCall(visit(ctx, cell, s->rows + (size_t)i * (size_t)s->layout.length, ((const int64_t *)s->slab)[i], complaint));
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- checksums ---- */

/* SweepStoreCellIsWhole - Is this a row that was once computed, or still pending? */
PetscBool SweepStoreCellIsWhole(SweepStore s, const PetscReal *row, PetscInt64 checksum)
{
  const PetscReal status = row[s->layout.offset[CELL_STATUS]];

  if (!(status >= 0.0 && status < (PetscReal)STATUS_COUNT)) return PETSC_FALSE;
  if (status == (PetscReal)STATUS_PENDING) return (PetscBool)(checksum == 0);
  return (PetscBool)(checksum == (PetscInt64)CellChecksum(&s->layout, row));
}

typedef struct {
  SweepStore  store;
  SweepCheck *check;
} Checking;

static PetscErrorCode Check_Private(void *ctx, PetscInt cell, const PetscReal *row, PetscInt64 checksum, Complaint *complaint)
{
  const Checking *c = (const Checking *)ctx;

  PetscFunctionBeginUser;
  (void)complaint;
  if (!SweepStoreCellIsWhole(c->store, row, checksum)) {
    if (!c->check->bad++) c->check->first_bad = cell;
  } else if (row[c->store->layout.offset[CELL_STATUS]] == (PetscReal)STATUS_PENDING) PetscFunctionReturn(PETSC_SUCCESS);
  ++c->check->checked;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepStoreCheck - Cells against their checksums. A pending cell that has one is bad, and so is a status that there is not.

  Not collective (root).
  Output:  check - cells looked at that are not pending; how many are bad, and the first of them, -1: none
  Complaint: EXIT_FILES if the file cannot be read
*/
PetscErrorCode SweepStoreCheck(SweepStore s, const PetscBool *cells, SweepCheck *check, Complaint *complaint)
{
  Checking checking = {s, check};

  PetscFunctionBeginUser;
  *check = (SweepCheck){0, 0, -1};
  PetscCall(SweepStoreVisit(s, cells, Check_Private, &checking, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one cell, one variable ---- */

PetscErrorCode SweepStoreReadStatus(SweepStore s, signed char *status, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SweepStoreFlush(s, complaint));
  PetscCall(StoreRead(s->store, "/status", NULL, NULL, status, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreReadCell(SweepStore s, PetscInt cell, PetscReal *row, Complaint *complaint)
{
  const PetscInt plane = cell / s->shape[2];
  const Block    b     = {.direction = plane / s->shape[1], .first = {plane % s->shape[1], cell % s->shape[2]}, .n = {1, 1}};

  PetscFunctionBeginUser;
  PetscCheck(cell >= 0 && cell < s->grid.n_cells, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There is no cell %" PetscInt_FMT, cell);
  PetscCall(SweepStoreFlush(s, complaint));
  PetscCall(SweepStoreWork_Private(s));
  PetscCall(ReadBlock_Private(s, &b, complaint));
  if (!complaint->exit_code) PetscCall(PetscArraycpy(row, s->rows, s->layout.length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
