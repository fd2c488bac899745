/*
  continue_starts.c - the orbits in files that branches start from: cells of a sweep, a point of a branch.

  What is in a file was computed for a structure and load of its own: these must be those of this run, but for what is continued.
*/
#define _XOPEN_SOURCE 700
#include "continue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graze/sweep_store.h"
#include "params_store.h"

/* ---- life, and bytes for the journal ---- */

PetscErrorCode ContinueStartDestroy(ContinueStart *s)
{
  PetscFunctionBeginUser;
  PetscCall(BranchStartDestroy(&s->start));
  PetscCall(PetscFree(s->strobes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueStartsDestroy(ContinueStarts *starts)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < starts->n; ++i) PetscCall(ContinueStartDestroy(&starts->start[i]));
  PetscCall(PetscFree(starts->start));
  starts->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t StrobeBytes_Private(PetscInt period)
{
  return 2 * (size_t)period * sizeof(PetscReal);
}

/* Strobes, then the start. */
PetscErrorCode ContinueStartEncode(const ContinueStart *s, PetscInt *nbytes, void **bytes)
{
  const size_t head = StrobeBytes_Private(s->start.period);
  PetscInt     n;
  void        *start;

  PetscFunctionBeginUser;
  PetscCall(BranchStartEncode(&s->start, &n, &start));
  PetscCall(PetscMalloc(head + (size_t)n + sizeof n, bytes));
  memcpy(*bytes, &s->start.period, sizeof n);
  memcpy((char *)*bytes + sizeof n, s->strobes, head);
  memcpy((char *)*bytes + sizeof n + head, start, (size_t)n);
  *nbytes = (PetscInt)(sizeof n + head) + n;
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueStartDecode(PetscInt nbytes, const void *bytes, ContinueStart *s, PetscBool *good)
{
  PetscInt period;
  size_t   head;

  PetscFunctionBeginUser;
  *s    = (ContinueStart){.strobes = NULL};
  *good = PETSC_FALSE;
  if (nbytes < (PetscInt)sizeof period) PetscFunctionReturn(PETSC_SUCCESS);
  memcpy(&period, bytes, sizeof period);
  if (period < 1 || (size_t)period > (size_t)nbytes) PetscFunctionReturn(PETSC_SUCCESS);
  head = sizeof period + StrobeBytes_Private(period);
  if (head > (size_t)nbytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BranchStartDecode(nbytes - (PetscInt)head, (const char *)bytes + head, &s->start, good));
  if (*good && s->start.period != period) {
    PetscCall(BranchStartDestroy(&s->start));
    *good = PETSC_FALSE;
  }
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc(StrobeBytes_Private(period), &s->strobes));
  memcpy(s->strobes, (const char *)bytes + sizeof period, StrobeBytes_Private(period));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueStartsAdd(ContinueStarts *starts, PetscInt n, const PetscReal *x, PetscInt period, const PetscReal *y1,
                                 const PetscReal *y2, BranchStart **start)
{
  ContinueStart *s;

  PetscFunctionBeginUser;
  PetscCall(PetscRealloc((size_t)(starts->n + 1) * sizeof *starts->start, &starts->start));
  s  = &starts->start[starts->n++];
  *s = (ContinueStart){.start = {.n = n, .period = period, .from = {-1, -1, -1}}};
  PetscCall(PetscMalloc1(n, &s->start.x));
  PetscCall(PetscMalloc1(2 * period, &s->strobes));
  PetscCall(PetscArraycpy(s->start.x, x, n));
  PetscCall(PetscArraycpy(s->strobes, y1, period));
  PetscCall(PetscArraycpy(s->strobes + period, y2, period));
  *start = &s->start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bounds ---- */

/* Units and grids cost a last bit: a start at a bound up to round-off is put there. */
static PetscBool Clip_Private(const Params *p, BranchStart *start)
{
  const PetscReal value = BranchStartGet(start, p->continue_parameter), slack = 1e-12 * (p->continue_max - p->continue_min);

  if (!(value >= p->continue_min - slack && value <= p->continue_max + slack)) return PETSC_FALSE;
  BranchStartSet(start, p->continue_parameter, PetscClipInterval(value, p->continue_min, p->continue_max));
  return PETSC_TRUE;
}

static void Outside_Private(const Params *p, const char *option, const BranchStart *start, Complaint *complaint)
{
  ComplaintSet(complaint, EXIT_OPTIONS, "option -%s: %s %.10g there; allowed: between -continue_min and -continue_max, %.10g to %.10g",
               option, ContinueParameterNames[p->continue_parameter], (double)BranchStartGet(start, p->continue_parameter),
               (double)p->continue_min, (double)p->continue_max);
}

/* ---- the physics of a file ---- */

/* Same number, also if one was given in SI. */
static PetscBool SameReal_Private(PetscReal a, PetscReal b)
{
  if (PetscIsNanReal(a) || PetscIsNanReal(b)) return PetscIsNanReal(a) == PetscIsNanReal(b) ? PETSC_TRUE : PETSC_FALSE;
  return PetscAbsReal(a - b) <= 1e-12 * PetscMax(PetscAbsReal(a), PetscAbsReal(b)) ? PETSC_TRUE : PETSC_FALSE;
}

/*
  Does the file belong to the structure and load of this run? there, here: non-dimensional. free: parameters that may differ, by
  ContinueParameter.
*/
static PetscErrorCode Compare_Private(const char *path, const Params *there, const Params *here, const PetscBool *free,
                                      Complaint *complaint)
{
  static const char *const names[]   = {"beam_model",
                                        "beam_ends",
                                        "beam_beta",
                                        "beam_gamma",
                                        "beam_wave_speed",
                                        "beam_frequencies",
                                        "beam_tip_values",
                                        "beam_damping_ratios",
                                        "beam_points",
                                        "contact_position",
                                        "damping_ratio",
                                        "stop_position",
                                        "stop_side",
                                        "receptance_closure",
                                        "forcing_type",
                                        "forcing_mode",
                                        "forcing_position",
                                        "forcing_mean",
                                        "strobe_phase",
                                        "flow",
                                        "restitution_coefficient"};
  char                     list[600] = "";

  PetscFunctionBeginUser;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    const ParamRow *row = NULL;
    char            a[PETSC_MAX_PATH_LEN], b[PETSC_MAX_PATH_LEN], word[200];

    for (PetscInt i = 0; i < params_table_size; ++i)
      if (!strcmp(params_table[i].name, names[k])) row = &params_table[i];
    PetscCheck(row, PETSC_COMM_SELF, PETSC_ERR_PLIB, "no option is called %s", names[k]);
    if ((!strcmp(names[k], "stop_position") && free[CONTINUE_STOP]) || (!strcmp(names[k], "damping_ratio") && free[CONTINUE_DAMPING]))
      continue;
    if (row->kind == PARAM_REAL &&
        SameReal_Private(*(const PetscReal *)((const char *)there + row->where), *(const PetscReal *)((const char *)here + row->where)))
      continue;
    PetscCall(ParamsFormat(there, row, sizeof a, a));
    PetscCall(ParamsFormat(here, row, sizeof b, b));
    if (!strcmp(a, b)) continue;
    PetscCall(
      PetscSNPrintf(word, sizeof word, "%s%s %.50s, here %.50s", *list ? "; " : "", names[k], *a ? a : "not given", *b ? b : "not given"));
    PetscCall(PetscStrlcat(list, word, sizeof list));
  }
  if (*list)
    ComplaintSet(complaint, EXIT_FILES,
                 "option -start_from: %.200s was computed with other parameters: %s (without dimension); allowed: the same", path, list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters of the file without dimension, and the number of modes it was computed with. */
static PetscErrorCode Parameters_Private(Store store, unsigned command, Params *params, PetscInt *modes, Complaint *complaint)
{
  Params *given;
  Units   units;
  int32_t number = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&given));
  PetscCall(ParamsFromStore(store, command, given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(given, &units, params, complaint));
  PetscCall(StoreExpect(store, "/kernel/modes", STORE_INT32, 0, NULL, complaint));
  PetscCall(StoreRead(store, "/kernel/modes", NULL, NULL, &number, complaint));
  if (!complaint->exit_code && number < 1) ComplaintSet(complaint, EXIT_FILES, "it does not say how many modes it was computed with");
  *modes = number;
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whole numbers from 0, comma between; false: something else. */
static PetscBool Numbers_Private(const char *text, int n, PetscInt *number)
{
  for (int i = 0; i < n; ++i) {
    char     *end;
    long long value;

    if (*text < '0' || *text > '9') return PETSC_FALSE;
    value = strtoll(text, &end, 10);
    if (value > 1000000000 || *end != (i + 1 < n ? ',' : '\0')) return PETSC_FALSE;
    number[i] = (PetscInt)value;
    text      = end + 1;
  }
  return PETSC_TRUE;
}

/* ---- cells of a sweep ---- */

typedef struct {
  const Params     *params; /* of this run */
  Params            file;
  const char       *path;
  SweepStore        store;
  const CellLayout *layout;
  Grid              grid;
  PetscBool         all;
  ContinueStarts   *starts;
} Cells;

/* One cell as a start, if it is an orbit within the bounds. */
static PetscErrorCode Cell_Private(void *ctx, PetscInt cell, const PetscReal *row, PetscInt64 checksum, Complaint *complaint)
{
  Cells             *c  = (Cells *)ctx;
  const CellLayout  *l  = c->layout;
  const PetscInt     nf = GridFrequencies(&c->grid), na = GridAmplitudes(&c->grid);
  const PetscInt     j = cell % nf, i = cell / nf % na, d = cell / nf / na;
  const SteadyStatus status = (SteadyStatus)row[l->offset[CELL_STATUS]];
  const PetscInt     period = (PetscInt)row[l->offset[CELL_PERIOD]];
  BranchStart       *start;

  PetscFunctionBeginUser;
  if (!SweepStoreCellIsWhole(c->store, row, checksum)) {
    ComplaintSet(complaint, EXIT_FILES, "option -start_from: cell %d,%d,%d of %.400s is damaged (graze verify says more)", (int)d, (int)i,
                 (int)j, c->path);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((status != STATUS_PERIODIC && status != STATUS_CONTACT_FREE) || period < 1 || period > l->samples) {
    ++c->starts->not_periodic;
    if (!c->all)
      ComplaintSet(
        complaint, EXIT_OPTIONS,
        "option -start_cells: cell %d,%d,%d (A = %.6g, W = %.6g) is %s and has no orbit to start from; allowed: a cell that is periodic "
        "or contact_free, or all",
        (int)d, (int)i, (int)j, (double)GridAmplitude(&c->grid, i), (double)GridFrequency(&c->grid, j), SteadyStatusNames[status]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ContinueStartsAdd(c->starts, l->states, row + l->offset[CELL_STATE], period, row + l->offset[CELL_STROBE_DISPLACEMENT],
                              row + l->offset[CELL_STROBE_VELOCITY], &start));
  start->origin    = ORIGIN_CELL;
  start->from[0]   = d;
  start->from[1]   = i;
  start->from[2]   = j;
  start->amplitude = GridAmplitude(&c->grid, i);
  start->frequency = GridFrequency(&c->grid, j);
  start->stop      = c->file.stop_position;
  start->damping   = c->file.damping_ratio;
  start->contact   = (PetscBool)(row[l->offset[CELL_STATE_IN_CONTACT]] != 0.0);
  if (Clip_Private(c->params, start)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->all) Outside_Private(c->params, "start_cells", start, complaint);
  ++c->starts->outside;
  PetscCall(ContinueStartDestroy(&c->starts->start[--c->starts->n]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bits of a number in reverse: equidistant numbers in an order in which the first ones lie far apart (van der Corput). */
static uint32_t Reverse_Private(PetscInt number)
{
  uint32_t reverse = 0;

  for (int bit = 0; bit < 32; ++bit) reverse |= ((uint32_t)number >> bit & 1U) << (31 - bit);
  return reverse;
}

/* Along the parameter continued one branch passes many cells: one cell of each line comes first, then a second one of each. */
static int Before_Private(const void *a, const void *b, int along)
{
  const BranchStart *x = &((const ContinueStart *)a)->start, *y = &((const ContinueStart *)b)->start;
  const int          axis[3] = {along, 3 - along, 0};

  for (int k = 0; k < 3; ++k) {
    const uint32_t p = Reverse_Private(x->from[axis[k]]), q = Reverse_Private(y->from[axis[k]]);

    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

static int BeforeAmplitude_Private(const void *a, const void *b)
{
  return Before_Private(a, b, 1);
}

static int BeforeFrequency_Private(const void *a, const void *b)
{
  return Before_Private(a, b, 2);
}

/* Those asked for, shape [n_cells]. */
static PetscErrorCode Mark_Private(Cells *c, PetscBool *cells, Complaint *complaint)
{
  const char *text  = c->params->start_cells;
  PetscInt    at[3] = {0}, size[3] = {c->grid.n_directions, GridAmplitudes(&c->grid), GridFrequencies(&c->grid)};

  PetscFunctionBeginUser;
  c->all = (PetscBool)!strcmp(text, "all");
  if (!c->all && !Numbers_Private(text, 3, at))
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_cells: '%.60s'; allowed: d,i,j (three whole numbers from 0), or all", text);
  if (!c->all && (at[0] >= size[0] || at[1] >= size[1] || at[2] >= size[2]))
    ComplaintSet(
      complaint, EXIT_OPTIONS,
      "option -start_cells: there is no cell %.60s in %.300s; allowed: directions 0 to %d, amplitudes 0 to %d, frequencies 0 to %d", text,
      c->path, (int)size[0] - 1, (int)size[1] - 1, (int)size[2] - 1);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->grid.n_cells; ++i) cells[i] = c->all;
  cells[(at[0] * size[1] + at[1]) * size[2] + at[2]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cells_Private(Cells *c, Complaint *complaint)
{
  const Params *p = c->params;
  PetscBool    *cells;

  PetscFunctionBeginUser;
  PetscCall(GridSetUp(&c->file, &c->grid));
  PetscCall(PetscCalloc1(c->grid.n_cells, &cells));
  PetscCall(Mark_Private(c, cells, complaint));
  if (!complaint->exit_code) PetscCall(SweepStoreOpen(c->path, &c->file, PETSC_FALSE, &c->store, complaint));
  if (!complaint->exit_code) {
    PetscCall(SweepStoreGetLayout(c->store, &c->layout));
    PetscCall(SweepStoreVisit(c->store, cells, Cell_Private, c, complaint));
  }
  PetscCall(SweepStoreClose(&c->store, complaint));
  PetscCall(PetscFree(cells));
  if (!complaint->exit_code && !c->starts->n)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -start_cells: %.300s has no orbit to start from: %d cells are not periodic, %d lie outside -continue_min and "
                 "-continue_max, %.10g to %.10g",
                 c->path, (int)c->starts->not_periodic, (int)c->starts->outside, (double)p->continue_min, (double)p->continue_max);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  qsort(c->starts->start, (size_t)c->starts->n, sizeof *c->starts->start,
        p->continue_parameter == CONTINUE_AMPLITUDE ? BeforeAmplitude_Private : BeforeFrequency_Private);
  for (PetscInt i = 0; i < c->starts->n; ++i) c->starts->start[i].start.path[0] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sweep_Private(const Params *params, Store store, ContinueStarts *starts, Complaint *complaint)
{
  PetscBool free[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE};
  Complaint here    = {0};
  Cells    *c;

  PetscFunctionBeginUser;
  if (!*params->start_cells)
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_point is for a branches.h5, and %.400s is a sweep; allowed: -start_cells",
                 params->start_from);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c));
  c->params                        = params;
  c->path                          = params->start_from;
  c->starts                        = starts;
  free[params->continue_parameter] = PETSC_TRUE;
  PetscCall(Parameters_Private(store, COMMAND_SWEEP, &c->file, &starts->modes, &here));
  if (here.exit_code) ComplaintSet(complaint, EXIT_FILES, "option -start_from: %.300s: %.600s", c->path, here.line);
  else PetscCall(Compare_Private(c->path, &c->file, params, free, complaint));
  if (!complaint->exit_code) PetscCall(Cells_Private(c, complaint));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a point of a branch ---- */

/* What was continued in the file has the value of the point; it need not be that of this run. */
static PetscErrorCode Point_Private(const Params *params, const Branch *branches, PetscInt n, Params *file, ContinueStarts *starts,
                                    Complaint *complaint)
{
  PetscBool     free[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE};
  PetscInt      at[2]   = {-1, -1};
  const Branch *b;
  BranchStart  *start;

  PetscFunctionBeginUser;
  if (!Numbers_Private(params->start_point, 2, at))
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_point: '%.60s'; allowed: branch,point (two whole numbers from 0)",
                 params->start_point);
  else if (at[0] >= n)
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_point: there is no branch %d in %.300s; allowed: 0 to %d", (int)at[0],
                 params->start_from, (int)n - 1);
  else if (at[1] >= branches[at[0]].n_points)
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_point: there is no point %d on branch %d of %.300s; allowed: 0 to %d", (int)at[1],
                 (int)at[0], params->start_from, (int)branches[at[0]].n_points - 1);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  b = &branches[at[0]];
  PetscCall(ContinueStartsAdd(starts, b->layout.states, BranchPoint(b, at[1], POINT_STATE), b->layout.period,
                              BranchPoint(b, at[1], POINT_STROBE_DISPLACEMENT), BranchPoint(b, at[1], POINT_STROBE_VELOCITY), &start));
  start->origin    = ORIGIN_POINT;
  start->from[0]   = at[0];
  start->from[1]   = at[1];
  start->amplitude = b->start.amplitude;
  start->frequency = b->start.frequency;
  start->stop      = b->start.stop;
  start->damping   = b->start.damping;
  start->contact   = (PetscBool)(*BranchPoint(b, at[1], POINT_STATE_IN_CONTACT) == 1.0);
  BranchStartSet(start, b->parameter, *BranchPoint(b, at[1], POINT_PARAMETER));
  file->stop_position              = start->stop;
  file->damping_ratio              = start->damping;
  starts->modes                    = b->modes;
  free[params->continue_parameter] = free[b->parameter] = PETSC_TRUE;
  PetscCall(Compare_Private(params->start_from, file, params, free, complaint));
  if (!complaint->exit_code && !Clip_Private(params, start)) Outside_Private(params, "start_point", start, complaint);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Branches_Private(const Params *params, Store store, ContinueStarts *starts, Complaint *complaint)
{
  Complaint here = {0};
  Params   *file;
  Branch   *branches;
  PetscInt  n;

  PetscFunctionBeginUser;
  if (!*params->start_point)
    ComplaintSet(complaint, EXIT_OPTIONS, "option -start_cells is for a sweep.h5, and %.400s holds branches; allowed: -start_point",
                 params->start_from);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&file));
  PetscCall(Parameters_Private(store, COMMAND_CONTINUE, file, &starts->modes, &here));
  PetscCall(BranchStoreRead(params->start_from, &n, &branches, &here));
  if (here.exit_code) ComplaintSet(complaint, EXIT_FILES, "option -start_from: %.300s: %.600s", params->start_from, here.line);
  else PetscCall(Point_Private(params, branches, n, file, starts, complaint));
  PetscCall(BranchStoreFree(&n, &branches));
  PetscCall(PetscFree(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueStartsRead(const Params *params, ContinueStarts *starts, Complaint *complaint)
{
  Complaint here = {0};
  char      text[64];
  PetscBool branches, cells;
  Store     store;

  PetscFunctionBeginUser;
  *starts = (ContinueStarts){.n = 0};
  if (!*params->start_from || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpen(params->start_from, PETSC_FALSE, &store, &here));
  if (here.exit_code) {
    ComplaintSet(complaint, here.exit_code, "option -start_from: %.900s", here.line);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(StoreReadAttributeText(store, "/", "continued_parameter", sizeof text, text, &branches));
  PetscCall(StoreReadAttributeText(store, "/", "shard", sizeof text, text, &cells));
  if (branches) PetscCall(Branches_Private(params, store, starts, complaint));
  else if (cells) PetscCall(Sweep_Private(params, store, starts, complaint));
  else
    ComplaintSet(complaint, EXIT_FILES, "option -start_from: %.500s holds no orbits; allowed: a sweep.h5 or a branches.h5",
                 params->start_from);
  PetscCall(StoreClose(&store, complaint));
  if (complaint->exit_code) PetscCall(ContinueStartsDestroy(starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
