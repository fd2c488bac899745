/*
  sweep_store.c - sweep.h5: which dimensions and variables it has, and how the rows of a unit get to their place.

  Arrays have one slot per cell of the grid, (direction, amplitude, frequency[, axis]); they are filled as units arrive and never
  grow. The status of a unit's cells is written after everything else of it has been flushed.
*/
#include <math.h>
#include <stdint.h>

#include "graze/sweep.h"

static const char *const axis_names[] = {[AXIS_NONE] = NULL, [AXIS_SAMPLE] = "sample", [AXIS_CONTACT] = "contact", [AXIS_MULTIPLIER] = "multiplier"};

struct _p_SweepStore {
  Params     params;
  Grid       grid;
  CellLayout layout;
  Store      store;
  SweepTally tally;
  void      *slab; /* of one variable of one unit, in the file's type; shape [segment, widest axis] */
};

/* Dimension scales of the root group with their attributes. */
static PetscErrorCode Dimensions_Private(SweepStore s, Complaint *complaint)
{
  const Grid *g = &s->grid;
  const char  directions[2] = {(char)g->direction[0], (char)g->direction[1]};
  const PetscInt longest = PetscMax(PetscMax(g->amplitude.count, g->frequency.count), PetscMax(PetscMax(s->layout.samples, s->layout.contacts), ORBIT_MULTIPLIERS));
  PetscReal *values;
  int32_t   *numbers;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(longest, &values, longest, &numbers));
  for (PetscInt i = 0; i < longest; ++i) numbers[i] = (int32_t)i;
  PetscCall(StoreDefineDimension(s->store, "/", "direction", STORE_INT8, g->n_directions, directions, complaint));
  PetscCall(StoreAttributeText(s->store, "/direction", "long_name", "direction of the sweep: 1 up, -1 down", complaint));
  for (PetscInt i = 0; i < g->amplitude.count; ++i) values[i] = RangeValue(g->amplitude, i);
  PetscCall(StoreDefineDimension(s->store, "/", "amplitude", STORE_REAL, g->amplitude.count, values, complaint));
  PetscCall(StoreAttributeText(s->store, "/amplitude", "long_name", "forcing amplitude A of A cos(W t)", complaint));
  PetscCall(StoreAttributeText(s->store, "/amplitude", "scale", s->params.forcing_type == FORCING_POINT ? "EI/L^2" : "L/t0^2", complaint));
  for (PetscInt i = 0; i < g->frequency.count; ++i) values[i] = RangeValue(g->frequency, i);
  PetscCall(StoreDefineDimension(s->store, "/", "frequency", STORE_REAL, g->frequency.count, values, complaint));
  PetscCall(StoreAttributeText(s->store, "/frequency", "long_name", "angular forcing frequency W of A cos(W t)", complaint));
  PetscCall(StoreAttributeText(s->store, "/frequency", "scale", "rad/t0", complaint));
  PetscCall(StoreDefineDimension(s->store, "/", "sample", STORE_INT32, s->layout.samples, numbers, complaint));
  PetscCall(StoreAttributeText(s->store, "/sample", "long_name", "stored forcing period", complaint));
  PetscCall(StoreDefineDimension(s->store, "/", "contact", STORE_INT32, s->layout.contacts, numbers, complaint));
  PetscCall(StoreAttributeText(s->store, "/contact", "long_name", "contact, by time of onset", complaint));
  PetscCall(StoreDefineDimension(s->store, "/", "multiplier", STORE_INT32, ORBIT_MULTIPLIERS, numbers, complaint));
  PetscCall(StoreAttributeText(s->store, "/multiplier", "long_name", "Floquet multiplier, by falling modulus", complaint));
  for (const char *const *name = (const char *const[]){"/amplitude", "/frequency", "/sample", "/contact", "/multiplier", "/direction", NULL}; *name; ++name)
    PetscCall(StoreAttributeText(s->store, *name, "units", "1", complaint));
  PetscCall(PetscFree2(values, numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Statuses as CF flags. */
static PetscErrorCode Flags_Private(SweepStore s, Complaint *complaint)
{
  char meanings[256] = "";
  char values[STATUS_COUNT];

  PetscFunctionBeginUser;
  for (int i = 0; i < STATUS_COUNT; ++i) {
    values[i] = (char)i;
    if (i) PetscCall(PetscStrlcat(meanings, " ", sizeof(meanings)));
    PetscCall(PetscStrlcat(meanings, SteadyStatusNames[i], sizeof(meanings)));
  }
  PetscCall(StoreAttributeNumbers(s->store, "/status", "flag_values", STORE_INT8, STATUS_COUNT, values, complaint));
  PetscCall(StoreAttributeText(s->store, "/status", "flag_meanings", meanings, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreCreate(const char *path, const Params *params, SweepStore *sweep_store, Complaint *complaint)
{
  SweepStore s;
  PetscInt   widest = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(sweep_store));
  s         = *sweep_store;
  s->params = *params;
  PetscCall(GridSetUp(params, &s->grid));
  CellLayoutSetUp(params, &s->layout);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) widest = PetscMax(widest, s->layout.width[v]);
  PetscCall(PetscMalloc((size_t)s->grid.segment * (size_t)widest * sizeof(PetscReal), &s->slab));
  PetscCall(StoreCreate(path, &s->store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Dimensions_Private(s, complaint));
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v) {
    const CellVariable *variable = &cell_variables[v];
    const char *const   dims[]   = {"direction", "amplitude", "frequency", axis_names[variable->axis]};
    char                at[64];

    PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", variable->name));
    PetscCall(StoreDefineVariable(s->store, "/", variable->name, variable->type, variable->axis == AXIS_NONE ? 3 : 4, dims, complaint));
    PetscCall(StoreAttributeText(s->store, at, "long_name", variable->long_name, complaint));
    if (variable->units) PetscCall(StoreAttributeText(s->store, at, "units", variable->units, complaint));
    if (variable->scale) PetscCall(StoreAttributeText(s->store, at, "scale", variable->scale, complaint));
  }
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Flags_Private(s, complaint));
  PetscCall(StoreAttributeNumbers(s->store, "/", "complete", STORE_INT8, 1, &(char){0}, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreGetStore(SweepStore s, Store *store)
{
  PetscFunctionBeginUser;
  *store = s->store;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One variable of a unit from the rows to the file; the file runs up whatever the direction of the line. */
static PetscErrorCode WriteVariable_Private(SweepStore s, const GridUnit *u, PetscInt v, const PetscReal *rows, Complaint *complaint)
{
  const CellVariable *variable = &cell_variables[v];
  const PetscInt      width = s->layout.width[v], low = PetscMin(u->first, u->last);
  const PetscBool     along_frequency = (PetscBool)(s->grid.along == ALONG_FREQUENCY);
  const PetscInt      start[4] = {u->direction, along_frequency ? u->line : low, along_frequency ? low : u->line, 0};
  const PetscInt      count[4] = {1, along_frequency ? 1 : u->n, along_frequency ? u->n : 1, width};
  char                at[64];

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < u->n; ++i) {
    const PetscReal *from = rows + (size_t)i * (size_t)s->layout.length + (size_t)s->layout.offset[v];
    const PetscInt   slot = u->first + i * u->step - low;

    for (PetscInt j = 0; j < width; ++j) {
      const PetscInt to = slot * width + j;

      if (variable->type == STORE_REAL) ((PetscReal *)s->slab)[to] = from[j];
      else if (variable->type == STORE_INT32) ((int32_t *)s->slab)[to] = (int32_t)from[j];
      else ((signed char *)s->slab)[to] = (signed char)from[j];
    }
  }
  PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", variable->name));
  PetscCall(StoreWrite(s->store, at, start, count, s->slab, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells by status, and the slowest few. */
static void Tally_Private(SweepStore s, const GridUnit *u, const PetscReal *rows)
{
  SweepTally *t = &s->tally;

  for (PetscInt i = 0; i < u->n; ++i) {
    const PetscReal *row     = rows + (size_t)i * (size_t)s->layout.length;
    const PetscReal  seconds = row[s->layout.offset[CELL_WALL_SECONDS]];
    PetscInt         at      = t->n_slowest, ia, jf;

    t->by_status[(PetscInt)row[s->layout.offset[CELL_STATUS]]] += 1;
    while (at > 0 && t->slowest[at - 1].seconds < seconds) --at;
    if (at == (PetscInt)PETSC_STATIC_ARRAY_LENGTH(t->slowest)) continue;
    t->n_slowest = PetscMin(t->n_slowest + 1, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(t->slowest));
    for (PetscInt j = t->n_slowest - 1; j > at; --j) t->slowest[j] = t->slowest[j - 1];
    t->slowest[at].seconds   = seconds;
    t->slowest[at].direction = s->grid.direction[u->direction];
    GridGetCell(&s->grid, u->line, u->first + i * u->step, &ia, &jf, &t->slowest[at].amplitude, &t->slowest[at].frequency);
  }
}

PetscErrorCode SweepStoreCommit(SweepStore s, PetscInt unit, PetscInt nbytes, const void *result, Complaint *complaint)
{
  GridUnit u;

  PetscFunctionBeginUser;
  GridGetUnit(&s->grid, unit, &u);
  PetscCheck((size_t)nbytes == (size_t)u.n * (size_t)s->layout.length * sizeof(PetscReal), PETSC_COMM_SELF, PETSC_ERR_PLIB, "unit %d came with %d bytes", (int)unit, (int)nbytes);
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v)
    if (v != CELL_STATUS) PetscCall(WriteVariable_Private(s, &u, v, result, complaint));
  if (!complaint->exit_code) PetscCall(StoreFlush(s->store, complaint));
  if (!complaint->exit_code) PetscCall(WriteVariable_Private(s, &u, CELL_STATUS, result, complaint));
  if (!complaint->exit_code) PetscCall(StoreFlush(s->store, complaint));
  Tally_Private(s, &u, result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreGetTally(SweepStore s, const SweepTally **tally)
{
  PetscFunctionBeginUser;
  *tally = &s->tally;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreFinish(SweepStore *sweep_store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreAttributeNumbers((*sweep_store)->store, "/", "complete", STORE_INT8, 1, &(char){1}, complaint));
  PetscCall(StoreClose(&(*sweep_store)->store, complaint));
  PetscCall(SweepStoreDestroy(sweep_store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreDestroy - Frees what is in memory; a file that is still open is closed as it stands. */
PetscErrorCode SweepStoreDestroy(SweepStore *sweep_store)
{
  Complaint ignored = {0};

  PetscFunctionBeginUser;
  if (!*sweep_store) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*sweep_store)->store) PetscCall(StoreClose(&(*sweep_store)->store, &ignored));
  PetscCall(PetscFree((*sweep_store)->slab));
  PetscCall(PetscFree(*sweep_store));
  PetscFunctionReturn(PETSC_SUCCESS);
}
