/*
  sweep_store.c - sweep.h5: which dimensions and variables it has, and its marks.

  Arrays have one slot per cell of the grid, (direction, amplitude, frequency[, axis]); they are filled as cells arrive and never
  grow. A file is written beside the one that the user sees (checkpoint.h), so the order in which slabs arrive does not matter.
*/
#include <math.h>
#include <string.h>

#include "graze/units.h"
#include "sweep_store_impl.h"

static const char *const axis_names[] = {
  [AXIS_NONE] = NULL, [AXIS_SAMPLE] = "sample", [AXIS_CONTACT] = "contact", [AXIS_MULTIPLIER] = "multiplier", [AXIS_STATE] = "state_index"};
static const char *const cell_axes[] = {"direction", "amplitude", "frequency"};

/* ---- the schema ---- */

PetscErrorCode SweepStoreAxes_Private(SweepStore s, PetscInt v, const char **names, PetscInt *lengths, PetscInt *rank)
{
  PetscFunctionBeginUser;
  *rank = v == CELL_VARIABLES || cell_variables[v].axis == AXIS_NONE ? 3 : 4;
  for (int i = 0; i < 3; ++i) {
    names[i]   = cell_axes[i];
    lengths[i] = s->shape[i];
  }
  names[3]   = *rank == 4 ? axis_names[cell_variables[v].axis] : NULL;
  lengths[3] = *rank == 4 ? s->layout.width[v] : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe_Private(SweepStore s, const char *path, const char *long_name, const char *units, const char *scale,
                                       Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreAttributeText(s->store, path, "long_name", long_name, complaint));
  if (units) PetscCall(StoreAttributeText(s->store, path, "units", units, complaint));
  if (scale) PetscCall(StoreAttributeText(s->store, path, "scale", UnitsScale(s->params.beam_model, scale), complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dimension scales of the root group with their attributes. */
static PetscErrorCode Dimensions_Private(SweepStore s, Complaint *complaint)
{
  const Grid *g             = &s->grid;
  const char  directions[2] = {(char)g->direction[0], (char)g->direction[1]};
  const struct {
    const char *name, *path, *long_name;
    PetscInt    n;
  } counted[]        = {{"sample", "/sample", "stored forcing period", s->layout.samples},
                        {"contact", "/contact", "contact, by time of onset", s->layout.contacts},
                        {"multiplier", "/multiplier", "Floquet multiplier, by falling modulus", ORBIT_MULTIPLIERS},
                        {"state_index", "/state_index", "place in a state of beam and tip", s->layout.states}};
  PetscInt   longest = PetscMax(s->shape[1], s->shape[2]);
  PetscReal *values;
  int32_t   *numbers;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(counted); ++i) longest = PetscMax(longest, counted[i].n);
  PetscCall(PetscMalloc2(longest, &values, longest, &numbers));
  for (PetscInt i = 0; i < longest; ++i) numbers[i] = (int32_t)i;
  PetscCall(StoreDefineDimension(s->store, "/", "direction", STORE_INT8, s->shape[0], directions, complaint));
  PetscCall(Describe_Private(s, "/direction", "direction of the sweep: 1 up, -1 down", "1", NULL, complaint));
  for (PetscInt i = 0; i < s->shape[1]; ++i) values[i] = GridAmplitude(g, i);
  PetscCall(StoreDefineDimension(s->store, "/", "amplitude", STORE_REAL, s->shape[1], values, complaint));
  PetscCall(Describe_Private(s, "/amplitude", "forcing amplitude A of A cos(W t)", "1",
                             s->params.forcing_type == FORCING_POINT ? "EI/L^2" : "L/t0^2", complaint));
  for (PetscInt i = 0; i < s->shape[2]; ++i) values[i] = GridFrequency(g, i);
  PetscCall(StoreDefineDimension(s->store, "/", "frequency", STORE_REAL, s->shape[2], values, complaint));
  PetscCall(Describe_Private(s, "/frequency", "angular forcing frequency W of A cos(W t)", "1", "rad/t0", complaint));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(counted); ++i) {
    PetscCall(StoreDefineDimension(s->store, "/", counted[i].name, STORE_INT32, counted[i].n, numbers, complaint));
    PetscCall(Describe_Private(s, counted[i].path, counted[i].long_name, "1", NULL, complaint));
  }
  PetscCall(PetscFree2(values, numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Variables_Private(SweepStore s, Complaint *complaint)
{
  const char *names[4];
  PetscInt    lengths[4], rank;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v) {
    const CellVariable *variable = &cell_variables[v];
    char                at[64];

    PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", variable->name));
    PetscCall(SweepStoreAxes_Private(s, v, names, lengths, &rank));
    PetscCall((v == CELL_WALL_SECONDS ? StoreDefineVolatile : StoreDefineVariable)(s->store, "/", variable->name, variable->type, rank,
                                                                                   names, complaint));
    PetscCall(Describe_Private(s, at, variable->long_name, variable->units, variable->scale, complaint));
  }
  PetscCall(StoreDefineVariable(s->store, "/", "checksum", STORE_INT64, 3, cell_axes, complaint));
  PetscCall(Describe_Private(s, "/checksum", "CRC-32 of the cell without its wall_seconds; 0 while it is pending", "1", NULL, complaint));
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

/* ---- life ---- */

static PetscErrorCode Allocate_Private(const Params *params, PetscBool write, SweepStore *sweep_store)
{
  SweepStore s;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(sweep_store));
  s         = *sweep_store;
  s->params = *params;
  s->write  = write;
  PetscCall(GridSetUp(params, &s->grid));
  s->shape[0] = s->grid.n_directions;
  s->shape[1] = GridAmplitudes(&s->grid);
  s->shape[2] = GridFrequencies(&s->grid);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which part of a job array it is: a file is to be understood alone. */
static PetscErrorCode Shard_Private(const Grid *grid, size_t size, char *text)
{
  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(text, size, "%" PetscInt_FMT "/%" PetscInt_FMT, grid->shard + 1, grid->shards));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepStoreCreate - A new file with every array of the grid, all cells pending.

  Not collective (root). Complaint: EXIT_IO; destroy the store then
  Input:   params - non-dimensional;  states - numbers of a state of the flow
  Cost:    the arrays are written once
*/
PetscErrorCode SweepStoreCreate(const char *path, const Params *params, PetscInt states, SweepStore *sweep_store, Complaint *complaint)
{
  SweepStore s;
  char       shard[64];

  PetscFunctionBeginUser;
  PetscCall(Allocate_Private(params, PETSC_TRUE, sweep_store));
  s = *sweep_store;
  CellLayoutSetUp(params, states, &s->layout);
  PetscCall(StoreCreate(path, &s->store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Dimensions_Private(s, complaint));
  PetscCall(Variables_Private(s, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Flags_Private(s, complaint));
  PetscCall(StoreAttributeNumbers(s->store, "/", "complete", STORE_INT8, 1, &(char){0}, complaint));
  PetscCall(Shard_Private(&s->grid, sizeof(shard), shard));
  PetscCall(StoreAttributeText(s->store, "/", "shard", shard, complaint));
  PetscCall(SweepStoreDefineSessions_Private(s, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The axis that the parameters say: an axis of other values is damage, or a file of another sweep. */
static PetscErrorCode ExpectAxis_Private(SweepStore s, const char *path, PetscInt n, PetscReal (*value)(const Grid *, PetscInt),
                                         Complaint *complaint)
{
  PetscReal *values;

  PetscFunctionBeginUser;
  PetscCall(StoreExpect(s->store, path, STORE_REAL, 1, &n, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &values));
  PetscCall(StoreRead(s->store, path, NULL, NULL, values, complaint));
  for (PetscInt i = 0; i < n && !complaint->exit_code; ++i) {
    const PetscReal wanted = value(&s->grid, i);

    /* computed by the same formula, on another processor perhaps */
    if (!(PetscAbsReal(values[i] - wanted) <= 8 * PETSC_MACHINE_EPSILON * PetscAbsReal(wanted)))
      ComplaintSet(complaint, EXIT_FILES, "%s[%" PetscInt_FMT "] is %.17g where the parameters say %.17g", path, i, (double)values[i],
                   (double)wanted);
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything that is read or written later, with its type and shape. */
static PetscErrorCode Expect_Private(SweepStore s, Complaint *complaint)
{
  const char *names[4];
  PetscInt    lengths[4], rank;
  char        shard[64], there[64];
  PetscBool   found;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < CELL_VARIABLES && !complaint->exit_code; ++v) {
    char at[64];

    PetscCall(PetscSNPrintf(at, sizeof(at), "/%s", cell_variables[v].name));
    PetscCall(SweepStoreAxes_Private(s, v, names, lengths, &rank));
    PetscCall(StoreExpect(s->store, at, cell_variables[v].type, rank, lengths, complaint));
  }
  PetscCall(StoreExpect(s->store, "/checksum", STORE_INT64, 3, s->shape, complaint));
  PetscCall(StoreExpect(s->store, "/direction", STORE_INT8, 1, s->shape, complaint));
  PetscCall(ExpectAxis_Private(s, "/amplitude", s->shape[1], GridAmplitude, complaint));
  PetscCall(ExpectAxis_Private(s, "/frequency", s->shape[2], GridFrequency, complaint));
  PetscCall(Shard_Private(&s->grid, sizeof(shard), shard));
  PetscCall(StoreReadAttributeText(s->store, "/", "shard", sizeof(there), there, &found));
  if (!found || strcmp(shard, there))
    ComplaintSet(complaint, EXIT_FILES, "it is part %s, not %s, of the sweep", found ? there : "(not said)", shard);
  PetscCall(SweepStoreExpectSessions_Private(s, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SweepStoreOpen - A file that SweepStoreCreate made.

  Not collective (root).
  Input:   params - non-dimensional, those it was made with;  write - slabs will be written
  Output:  sweep_store - NULL after a complaint
  Complaint: EXIT_FILES if it is no such file, of other parameters, or damaged; EXIT_IO if it cannot be written
*/
PetscErrorCode SweepStoreOpen(const char *path, const Params *params, PetscBool write, SweepStore *sweep_store, Complaint *complaint)
{
  Complaint  here = {0};
  SweepStore s;
  PetscInt   rank = 0, shape[8] = {0};

  PetscFunctionBeginUser;
  *sweep_store = NULL;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Allocate_Private(params, write, &s));
  PetscCall(StoreOpen(path, write, &s->store, complaint));
  if (!complaint->exit_code) {
    PetscCall(StoreGetShape(s->store, "/state_index", &rank, shape, &here));
    if (rank != 1 || shape[0] < 1) ComplaintSet(&here, EXIT_FILES, "/state_index is no axis");
    if (!here.exit_code) {
      CellLayoutSetUp(params, shape[0], &s->layout);
      PetscCall(Expect_Private(s, &here));
    }
    if (here.exit_code)
      ComplaintSet(complaint, here.exit_code, "%.400s%s%.500s", strstr(here.line, path) ? "" : path, strstr(here.line, path) ? "" : ": ",
                   here.line);
  }
  if (complaint->exit_code) PetscCall(SweepStoreDestroy(&s));
  *sweep_store = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreGetStore(SweepStore s, Store *store)
{
  PetscFunctionBeginUser;
  *store = s->store;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreGetLayout(SweepStore s, const CellLayout **layout)
{
  PetscFunctionBeginUser;
  *layout = &s->layout;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreClose - Writes what waits, brings all to the device, closes. A file that never became ready is removed. Complaint: EXIT_IO */
PetscErrorCode SweepStoreClose(SweepStore *sweep_store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!*sweep_store) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreFlush(*sweep_store, complaint));
  PetscCall(StoreClose(&(*sweep_store)->store, complaint));
  PetscCall(SweepStoreDestroy(sweep_store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreDestroy - Frees what is in memory; a file that is still open is closed as it stands, without what waits. */
PetscErrorCode SweepStoreDestroy(SweepStore *sweep_store)
{
  Complaint ignored = {0};

  PetscFunctionBeginUser;
  if (!*sweep_store) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*sweep_store)->store) PetscCall(StoreClose(&(*sweep_store)->store, &ignored));
  PetscCall(PetscFree((*sweep_store)->rows));
  PetscCall(PetscFree((*sweep_store)->slab));
  PetscCall(PetscFree((*sweep_store)->gathered));
  PetscCall(PetscFree((*sweep_store)->waiting));
  PetscCall(PetscFree(*sweep_store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- marks ---- */

/* SweepStoreSetMark - Which records are in the file: all before mark->next. Those that wait are written first. Complaint: EXIT_IO */
PetscErrorCode SweepStoreSetMark(SweepStore s, const CheckpointMark *mark, Complaint *complaint)
{
  const int64_t generation = mark->generation, next = mark->next;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreFlush(s, complaint));
  PetscCall(StoreAttributeNumbers(s->store, PROVENANCE_GROUP, "generation", STORE_INT64, 1, &generation, complaint));
  PetscCall(StoreAttributeNumbers(s->store, PROVENANCE_GROUP, "next_record", STORE_INT64, 1, &next, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreGetMark(SweepStore s, CheckpointMark *mark, Complaint *complaint)
{
  int64_t   generation = -1, next = -1;
  PetscBool found;

  PetscFunctionBeginUser;
  *mark = (CheckpointMark){0, 0};
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreReadAttributeNumber(s->store, PROVENANCE_GROUP, "generation", STORE_INT64, &generation, &found));
  PetscCall(StoreReadAttributeNumber(s->store, PROVENANCE_GROUP, "next_record", STORE_INT64, &next, &found));
  if (generation < 0 || next < 0) ComplaintSet(complaint, EXIT_FILES, "the file does not say which snapshot it is");
  else *mark = (CheckpointMark){generation, next};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreSetComplete(SweepStore s, PetscBool complete, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreAttributeNumbers(s->store, "/", "complete", STORE_INT8, 1, &(char){complete ? 1 : 0}, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
