/*
  sweep_store_gather.c - cells as they come, in any order, and written as runs.

  Encoded rows wait in memory until there are SWEEP_STORE_GATHERED bytes of them. Then they are put in order, and neighbours on a line go
  into the file together: a slab per variable, contiguous along the frequency, strided along the amplitude. Of two rows of one
  cell the later one is written later.
*/
#include <stdlib.h>
#include <string.h>

#include "sweep_store_impl.h"

/* ---- rows and slabs ---- */

PetscErrorCode SweepStoreWork_Private(SweepStore s)
{
  PetscInt widest = 1;

  PetscFunctionBeginUser;
  if (s->rows) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) widest = PetscMax(widest, s->layout.width[v]);
  s->room = PetscMax(1, (PetscInt)((size_t)SWEEP_STORE_BLOCK / ((size_t)s->layout.length * sizeof(PetscReal))));
  s->room = PetscMin(s->room, s->grid.n_cells);
  PetscCall(PetscMalloc((size_t)s->room * (size_t)s->layout.length * sizeof(PetscReal), &s->rows));
  PetscCall(PetscMalloc((size_t)s->room * (size_t)widest * sizeof(PetscReal), &s->slab));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SweepStorePack_Private(SweepStore s, PetscInt v, PetscInt n)
{
  const PetscInt   width = s->layout.width[v];
  const PetscReal *from  = s->rows + s->layout.offset[v];
  PetscReal       *real  = (PetscReal *)s->slab;
  int32_t         *word  = (int32_t *)s->slab;
  signed char     *byte  = (signed char *)s->slab;

  for (PetscInt i = 0; i < n; ++i, from += s->layout.length) {
    switch (cell_variables[v].type) {
    case STORE_REAL:
      memcpy(real + (size_t)i * (size_t)width, from, (size_t)width * sizeof(PetscReal));
      break;
    case STORE_INT32:
      for (PetscInt j = 0; j < width; ++j) *word++ = (int32_t)from[j];
      break;
    default:
      for (PetscInt j = 0; j < width; ++j) *byte++ = (signed char)from[j];
    }
  }
}

void SweepStoreUnpack_Private(SweepStore s, PetscInt v, PetscInt n)
{
  const PetscInt     width = s->layout.width[v];
  PetscReal         *to    = s->rows + s->layout.offset[v];
  const PetscReal   *real  = (const PetscReal *)s->slab;
  const int32_t     *word  = (const int32_t *)s->slab;
  const signed char *byte  = (const signed char *)s->slab;

  for (PetscInt i = 0; i < n; ++i, to += s->layout.length) {
    switch (cell_variables[v].type) {
    case STORE_REAL:
      memcpy(to, real + (size_t)i * (size_t)width, (size_t)width * sizeof(PetscReal));
      break;
    case STORE_INT32:
      for (PetscInt j = 0; j < width; ++j) to[j] = (PetscReal)*word++;
      break;
    default:
      for (PetscInt j = 0; j < width; ++j) to[j] = (PetscReal)*byte++;
    }
  }
}

/* ---- runs ---- */

static int Compare_Private(const void *a, const void *b)
{
  const SweepStoreWaiting *x = (const SweepStoreWaiting *)a, *y = (const SweepStoreWaiting *)b;

  for (int i = 0; i < 3; ++i)
    if (x->along[i] != y->along[i]) return x->along[i] < y->along[i] ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* The first n rows, which lie side by side on a line from the cell of `first` on. */
static PetscErrorCode WriteRun_Private(SweepStore s, const SweepStoreWaiting *first, PetscInt n, Complaint *complaint)
{
  const PetscBool along_frequency = (PetscBool)(s->grid.along == ALONG_FREQUENCY);
  const PetscInt  plane           = first->cell / s->shape[2];
  const PetscInt  start[4]        = {plane / s->shape[1], plane % s->shape[1], first->cell % s->shape[2], 0};
  PetscInt        count[4]        = {1, along_frequency ? 1 : n, along_frequency ? n : 1, 1};
  int64_t        *checksum        = (int64_t *)s->slab;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v) {
    char at[64];

    SweepStorePack_Private(s, v, n);
    count[3] = s->layout.width[v];
    PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", cell_variables[v].name));
    PetscCall(StoreWrite(s->store, at, start, count, s->slab, complaint));
  }
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal *row = s->rows + (size_t)i * (size_t)s->layout.length;

    checksum[i] = row[s->layout.offset[CELL_STATUS]] == (PetscReal)STATUS_PENDING ? 0 : (int64_t)CellChecksum(&s->layout, row);
  }
  PetscCall(StoreWrite(s->store, "/checksum", start, count, s->slab, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool SameLine_Private(const SweepStoreWaiting *a, const SweepStoreWaiting *b)
{
  return (PetscBool)(a->along[0] == b->along[0] && a->along[1] == b->along[1]);
}

static PetscErrorCode WriteWaiting_Private(SweepStore s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!s->n_waiting) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreWork_Private(s));
  qsort(s->waiting, (size_t)s->n_waiting, sizeof(*s->waiting), Compare_Private);
  for (PetscInt i = 0; i < s->n_waiting && !complaint->exit_code;) {
    const SweepStoreWaiting *first = &s->waiting[i];
    PetscInt                 n     = 0;

    for (; i < s->n_waiting && n < s->room; ++i) {
      const SweepStoreWaiting *w = &s->waiting[i];

      /* a row of the same cell begins a new run, too: it is written over the earlier one */
      if (n > 0 && (!SameLine_Private(first, w) || w->along[2] != first->along[2] + n)) break;
      if (!CellDecode(&s->layout, w->nbytes, s->gathered + w->offset, s->rows + (size_t)n * (size_t)s->layout.length)) {
        ComplaintSet(complaint, EXIT_FILES,
                     "the record of cell %" PetscInt_FMT " does not fit this sweep: it was written by another program or version", w->cell);
        break;
      }
      ++n;
    }
    if (n > 0) PetscCall(WriteRun_Private(s, first, n, complaint));
  }
  s->n_waiting  = 0;
  s->n_gathered = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Gather_Private(SweepStore s, PetscInt cell, size_t nbytes, const void *bytes, Complaint *complaint)
{
  const PetscInt plane = cell / s->shape[2], i_direction = plane / s->shape[1], i_amplitude = plane % s->shape[1],
                 j_frequency         = cell % s->shape[2];
  const PetscBool    along_frequency = (PetscBool)(s->grid.along == ALONG_FREQUENCY);
  const size_t       most            = CellEncodedMax(&s->layout);
  SweepStoreWaiting *w;

  PetscFunctionBeginUser;
  if (nbytes > most) {
    ComplaintSet(complaint, EXIT_FILES, "the record of cell %" PetscInt_FMT " does not fit this sweep: it is too long", cell);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!s->gathered) {
    PetscCall(PetscMalloc(PetscMax((size_t)SWEEP_STORE_GATHERED, most), &s->gathered));
    s->capacity = SWEEP_STORE_GATHERED / 1024; /* rows are seldom shorter */
    PetscCall(PetscMalloc1(s->capacity, &s->waiting));
  }
  if (s->n_waiting == s->capacity || s->n_gathered + nbytes > PetscMax((size_t)SWEEP_STORE_GATHERED, most))
    PetscCall(WriteWaiting_Private(s, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  w  = &s->waiting[s->n_waiting];
  *w = (SweepStoreWaiting){.along = {i_direction, along_frequency ? i_amplitude : j_frequency, along_frequency ? j_frequency : i_amplitude},
                           .cell  = cell,
                           .order = s->n_waiting++,
                           .offset = s->n_gathered,
                           .nbytes = nbytes};
  memcpy(s->gathered + s->n_gathered, bytes, nbytes);
  s->n_gathered += nbytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepStoreRecord - Put into the file what a record of the journal says. Records may come twice; the last one counts.

  Not collective (root). Complaint: EXIT_IO; EXIT_FILES if it is no record of this sweep
  Cost:    a cell is written with its neighbours, when 16 MB of rows wait, or at SweepStoreFlush
*/
PetscErrorCode SweepStoreRecord(SweepStore s, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  PetscInt cell;
  GridUnit u;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  switch ((RecordKind)record->kind) {
  case RECORD_SESSION_BEGIN:
  case RECORD_SESSION_END:
    PetscCall(SweepStoreSession_Private(s, record, bytes, complaint));
    break;
  case RECORD_STEP:
  case RECORD_DEATHS:
    if (record->unit >= 0 && record->unit < s->grid.n_units) GridGetUnit(&s->grid, (PetscInt)record->unit, &u);
    else u.n = 0;
    if (record->step < 0 || record->step >= u.n || record->nbytes < 0) {
      ComplaintSet(complaint, EXIT_FILES, "a record names step %lld of unit %lld, which this sweep has not", (long long)record->step,
                   (long long)record->unit);
      break;
    }
    cell = GridCellOfStep(&s->grid, (PetscInt)record->unit, (PetscInt)record->step);
    if (record->kind == RECORD_STEP) PetscCall(Gather_Private(s, cell, (size_t)record->nbytes, bytes, complaint));
    else PetscCall(SweepStoreDeaths_Private(s, cell, record->value, complaint));
    break;
  case RECORD_ASSIGN: /* of the ledger's concern alone */
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreFlush - Write the cells that wait, and hand all to the operating system. Complaint: EXIT_IO */
PetscErrorCode SweepStoreFlush(SweepStore s, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!s->write || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WriteWaiting_Private(s, complaint));
  PetscCall(StoreFlush(s->store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
