/*
  check.c - the command `graze check`: do branches and a sweep of the same structure tell the same?

  A branch passes a place of the sweep, an amplitude and a frequency, where its parameter takes the value there and what it holds fixed
  agrees. Every periodic cell at such a place must lie on one of the branches that pass, whichever way the sweep came: within BRANCH_SAME
  and what the interpolation between the points of the branch may be off by. An exception is a cell on no branch, and its line says which
  kind: a branch there has a stable orbit of as many periods and contacts, but another one; a branch there has a stable orbit of another
  kind; no branch has a stable orbit there; or the cell may lie on a branch, but the points of that are too far apart to tell.

  A stable orbit that no cell has is no exception if the cells there lie on other branches, or have no period: motions may exist side by
  side.
*/
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "branch_store.h"
#include "graze/sweep_store.h"
#include "graze/units.h"
#include "info.h"
#include "params_store.h"

#define COARSE      0.02  /* of the range of the orbit: no uncertainty excuses a distance beyond that */
#define SAME_VALUE  1e-12 /* relative: values of one parameter that went through other ranges and units */
#define MOST_LISTED 20
#define USAGE       "write: graze check BRANCHES SWEEP"

typedef char Path[PETSC_MAX_PATH_LEN];

/* One way in which a branch passes a place. */
typedef struct {
  PetscInt       branch;
  BranchCrossing at;
  PetscBool      confirmed; /* a cell there lies on it */
} Passage;

typedef struct {
  Path              branches_path, sweep_path;
  Params            params; /* of the sweep, non-dimensional */
  Grid              grid;
  const CellLayout *layout; /* borrowed */
  SweepStore        store;
  PetscInt          n_branches;
  Branch           *branches;
  PetscInt          n_places; /* amplitudes x frequencies */
  PetscInt         *first;    /* passages of place q: first[q] .. first[q+1] - 1 */
  Passage          *passage;
  PetscBool        *lost; /* a cell of that place lies on no branch */
  PetscInt          periodic, on, off, outside, other, pending, exceptions;
  PetscReal         worst; /* largest distance of a cell that lies on a branch */
} Check;

/* ---- files ---- */

static PetscErrorCode Find_Private(const char *word, const char *name, Path path, Complaint *complaint)
{
  struct stat info;
  size_t      n = strlen(word);

  PetscFunctionBeginUser;
  if (n >= sizeof(Path) - 32) ComplaintSet(complaint, EXIT_FILES, "the path %.200s... is too long", word);
  else if (stat(word, &info)) ComplaintSet(complaint, EXIT_FILES, "cannot open %.500s: %s", word, strerror(errno));
  else if (S_ISDIR(info.st_mode)) {
    while (n > 1 && word[n - 1] == '/') n--;
    (void)snprintf(path, sizeof(Path), "%.*s/%s", (int)n, word, name);
    if (stat(path, &info)) ComplaintSet(complaint, EXIT_FILES, "%.500s holds no %s", word, name);
  } else (void)snprintf(path, sizeof(Path), "%s", word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a file says of itself. */
typedef struct {
  Params  params; /* non-dimensional */
  int32_t modes;
  int8_t  complete;
} Origin;

/* A result of the command, which has the variable `mark`. */
static PetscErrorCode Origin_Private(const char *path, const char *mark, const char *what, unsigned command, Origin *origin,
                                     Complaint *complaint)
{
  Complaint here = {0};
  Store     store;
  Units     units;
  Params   *given;
  char      source[64];
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&given));
  PetscCall(InfoAttribute(store, "/", "source", sizeof source, source));
  PetscCall(StoreHas(store, mark, &found));
  if (strncmp(source, "graze", 5) || !found) ComplaintSet(complaint, EXIT_FILES, "%.500s is not the result of graze %s", path, what);
  else {
    PetscCall(ParamsFromStore(store, command, given, &here));
    if (!here.exit_code) PetscCall(UnitsApply(given, &units, &origin->params, &here));
    if (!here.exit_code) PetscCall(InfoScalarInt(store, "/kernel/modes", &origin->modes, &here));
    PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &origin->complete, &found));
    if (here.exit_code) ComplaintSet(complaint, EXIT_FILES, "%.400s: %.500s", path, here.line);
  }
  PetscCall(PetscFree(given));
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Whether the option decides which orbits there are: not where they are looked for, nor how long, nor in which units. The number of modes
  that came of the options is compared for itself.
*/
static PetscBool IsModel_Private(const ParamRow *row)
{
  static const char *const groups[] = {"Beam", "Forcing", "Flow"}, *const others[] = {"units", "flow_max_events", "literal_step",
                                                                                      "literal_kernel"};
  PetscBool is = PETSC_FALSE;

  if (!strcmp(row->name, "receptance_closure")) return PETSC_TRUE;
  if (!row->physics || !(row->commands & COMMAND_SWEEP) || !(row->commands & COMMAND_CONTINUE)) return PETSC_FALSE;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) is = (PetscBool)(is || !strcmp(row->group, groups[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) is = (PetscBool)(is && strcmp(row->name, others[i]));
  return is;
}

static PetscBool IsSame_Private(PetscReal a, PetscReal b)
{
  return (PetscBool)(fabs(a - b) <= SAME_VALUE * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b)));
}

/* One structure, one model? What is continued may differ. */
static PetscErrorCode Compare_Private(const Check *c, const Origin *branches, const Origin *sweep, Complaint *complaint)
{
  const char *continued = ContinueParameterNames[branches->params.continue_parameter];
  char        list[512] = "";

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];
    const char     *one = (const char *)&branches->params + row->where, *other = (const char *)&sweep->params + row->where;
    char            a[PETSC_MAX_PATH_LEN], b[PETSC_MAX_PATH_LEN];

    if (!IsModel_Private(row) || !strcmp(row->name, continued)) continue;
    if (row->kind == PARAM_REAL && IsSame_Private(*(const PetscReal *)one, *(const PetscReal *)other)) continue;
    PetscCall(ParamsFormat(&branches->params, row, sizeof a, a));
    PetscCall(ParamsFormat(&sweep->params, row, sizeof b, b));
    if (!strcmp(a, b)) continue;
    if (*list) PetscCall(PetscStrlcat(list, ", ", sizeof list));
    PetscCall(PetscStrlcat(list, row->name, sizeof list));
  }
  if (branches->modes != sweep->modes) {
    if (*list) PetscCall(PetscStrlcat(list, ", ", sizeof list));
    PetscCall(PetscStrlcat(list, "number of modes", sizeof list));
  }
  if (*list)
    ComplaintSet(complaint, EXIT_FILES, "%.200s and %.200s are of different structures and cannot be compared: %s", c->branches_path,
                 c->sweep_path, list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Read_Private(Check *c, Complaint *complaint)
{
  Origin *branches, *sweep;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&branches));
  PetscCall(PetscNew(&sweep));
  PetscCall(Origin_Private(c->branches_path, "/branch_first_point", "continue", COMMAND_CONTINUE, branches, complaint));
  if (!complaint->exit_code) PetscCall(Origin_Private(c->sweep_path, "/status", "sweep", COMMAND_SWEEP, sweep, complaint));
  if (!complaint->exit_code) PetscCall(Compare_Private(c, branches, sweep, complaint));
  if (!complaint->exit_code) {
    c->params = sweep->params;
    PetscCall(GridSetUp(&c->params, &c->grid));
    PetscCall(BranchStoreRead(c->branches_path, &c->n_branches, &c->branches, complaint));
  }
  if (!complaint->exit_code) PetscCall(SweepStoreOpen(c->sweep_path, &c->params, PETSC_FALSE, &c->store, complaint));
  if (!complaint->exit_code) {
    PetscCall(SweepStoreGetLayout(c->store, &c->layout));
    (void)printf("%s, %s\n", c->branches_path, c->sweep_path);
    if (branches->complete != 1) InfoRow("branches", "stopped before the end: some may be missing");
  }
  PetscCall(PetscFree(branches));
  PetscCall(PetscFree(sweep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where branches pass ---- */

/* Does the branch hold fixed what it must to pass there? value: its parameter there. */
static PetscBool Passes_Private(const Check *c, const Branch *b, PetscReal amplitude, PetscReal frequency, PetscReal *value)
{
  const PetscReal there[] = {[CONTINUE_AMPLITUDE] = amplitude,
                             [CONTINUE_FREQUENCY] = frequency,
                             [CONTINUE_STOP]      = c->params.stop_position,
                             [CONTINUE_DAMPING]   = c->params.damping_ratio};

  *value = there[b->parameter];
  for (int p = CONTINUE_AMPLITUDE; p <= CONTINUE_DAMPING; ++p)
    if (p != (int)b->parameter && !IsSame_Private(BranchStartGet(&b->start, (ContinueParameter)p), there[p])) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode Passages_Private(Check *c)
{
  const PetscInt columns = GridFrequencies(&c->grid);
  PetscInt       room = 0, n = 0;

  PetscFunctionBeginUser;
  c->n_places = GridAmplitudes(&c->grid) * columns;
  PetscCall(PetscMalloc1(c->n_places + 1, &c->first));
  PetscCall(PetscCalloc1(c->n_places, &c->lost));
  for (PetscInt q = 0; q < c->n_places; ++q) {
    c->first[q] = n;
    for (PetscInt b = 0; b < c->n_branches; ++b) {
      BranchCrossing *crossing;
      PetscInt        crossings;
      PetscReal       value;

      if (!Passes_Private(c, &c->branches[b], GridAmplitude(&c->grid, q / columns), GridFrequency(&c->grid, q % columns), &value)) continue;
      PetscCall(BranchFindCrossings(&c->branches[b], value, &crossings, &crossing));
      if (n + crossings > room) {
        room = 2 * (n + crossings) + 64;
        PetscCall(PetscRealloc((size_t)room * sizeof *c->passage, &c->passage));
      }
      for (PetscInt i = 0; i < crossings; ++i) c->passage[n++] = (Passage){.branch = b, .at = crossing[i]};
      PetscCall(PetscFree(crossing));
    }
  }
  c->first[c->n_places] = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cells ---- */

/* What is known of one cell. */
typedef struct {
  PetscInt         d, i, j, place, period, contacts;
  const PetscReal *y1, *y2; /* shape [period] */
  BranchNear       near;    /* of the branch that fits best */
  PetscInt         branch;  /* -1: none of its period passes */
} Cell;

static PetscReal Beyond_Private(const BranchNear *near)
{
  return fmax(near->distance - near->uncertainty - BRANCH_SAME, 0);
}

static PetscBool IsOn_Private(const BranchNear *near)
{
  return (PetscBool)(Beyond_Private(near) == 0 && near->distance <= COARSE);
}

/* The branch that fits best, of those that fit alike the nearest. Passages that the cell lies on are confirmed, of every branch. */
static PetscErrorCode Nearest_Private(Check *c, Cell *cell)
{
  PetscInt last = -1;

  PetscFunctionBeginUser;
  cell->branch = -1;
  for (PetscInt k = c->first[cell->place]; k < c->first[cell->place + 1]; ++k) {
    const PetscInt b = c->passage[k].branch;
    BranchNear     near;
    PetscReal      value, more;

    if (b == last || c->branches[b].layout.period != cell->period) continue;
    last = b;
    (void)Passes_Private(c, &c->branches[b], GridAmplitude(&c->grid, cell->i), GridFrequency(&c->grid, cell->j), &value);
    PetscCall(BranchFindNear(&c->branches[b], value, cell->period, cell->y1, cell->y2, &near));
    for (PetscInt l = k; IsOn_Private(&near) && l < c->first[cell->place + 1] && c->passage[l].branch == b; ++l)
      if (c->passage[l].at.arclength == near.arclength) c->passage[l].confirmed = PETSC_TRUE;
    /* on one branch without doubt counts before the nearness to another */
    more = cell->branch < 0                                   ? -1
           : IsOn_Private(&near) != IsOn_Private(&cell->near) ? (IsOn_Private(&near) ? -1 : 1)
                                                              : Beyond_Private(&near) - Beyond_Private(&cell->near);
    if (more > 0 || (more == 0 && near.distance >= cell->near.distance)) continue;
    cell->near   = near;
    cell->branch = b;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stable orbit of a branch at the place, alike: with as many periods and contacts; NULL: there is none. */
static const Passage *Stable_Private(const Check *c, const Cell *cell, PetscBool alike)
{
  for (PetscInt k = c->first[cell->place]; k < c->first[cell->place + 1]; ++k) {
    const Passage *p = &c->passage[k];

    if (p->at.stability == 1 && (!alike || (c->branches[p->branch].layout.period == cell->period && p->at.contacts == cell->contacts)))
      return p;
  }
  return NULL;
}

static const char *Plural_Private(PetscInt n)
{
  return n == 1 ? "" : "s";
}

/* One line, whatever is wrong. */
static void Exception_Private(Check *c, const Cell *cell)
{
  const Passage *alike = Stable_Private(c, cell, PETSC_TRUE), *stable = Stable_Private(c, cell, PETSC_FALSE);
  const PetscInt n         = c->first[cell->place + 1] - c->first[cell->place];
  char           away[160] = "";

  if (++c->exceptions > MOST_LISTED) return;
  if (cell->branch >= 0)
    (void)snprintf(away, sizeof away, ", %.3g of its range from branch %d, known to %.3g", cell->near.distance, (int)cell->branch,
                   cell->near.uncertainty);
  (void)printf("  exception         cell %d,%d,%d (%s, amplitude %.10g, frequency %.10g), period %d, %d contact%s: ", (int)cell->d,
               (int)cell->i, (int)cell->j, c->grid.direction[cell->d] > 0 ? "up" : "down", GridAmplitude(&c->grid, cell->i),
               GridFrequency(&c->grid, cell->j), (int)cell->period, (int)cell->contacts, Plural_Private(cell->contacts));
  if (cell->branch >= 0 && Beyond_Private(&cell->near) == 0)
    (void)printf("%.3g of its range from branch %d, whose points are too far apart there to tell (known to %.3g)\n", cell->near.distance,
                 (int)cell->branch, cell->near.uncertainty);
  else if (alike) (void)printf("not the stable orbit of branch %d with as many%s\n", (int)alike->branch, away);
  else if (stable)
    (void)printf("on no branch%s; branch %d has a stable orbit of period %d there, %d contact%s\n", away, (int)stable->branch,
                 (int)c->branches[stable->branch].layout.period, (int)stable->at.contacts, Plural_Private(stable->at.contacts));
  else (void)printf("on no branch%s; %d orbit%s on branches there, none stable\n", away, (int)n, Plural_Private(n));
}

static PetscErrorCode Cell_Private(Check *c, Cell *cell)
{
  PetscFunctionBeginUser;
  ++c->periodic;
  if (c->first[cell->place] == c->first[cell->place + 1]) {
    ++c->outside;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Nearest_Private(c, cell));
  if (cell->branch < 0 || !IsOn_Private(&cell->near)) {
    ++c->off;
    c->lost[cell->place] = PETSC_TRUE;
    Exception_Private(c, cell);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ++c->on;
  c->worst = fmax(c->worst, cell->near.distance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Visit_Private(void *ctx, PetscInt number, const PetscReal *row, PetscInt64 checksum, Complaint *complaint)
{
  Check         *c       = (Check *)ctx;
  const PetscInt columns = GridFrequencies(&c->grid), *at = c->layout->offset, status = (PetscInt)row[at[CELL_STATUS]];
  Cell           cell = {.d = number / c->n_places, .place = number % c->n_places};

  PetscFunctionBeginUser;
  if (!SweepStoreCellIsWhole(c->store, row, checksum)) {
    ComplaintSet(complaint, EXIT_FILES, "%.500s is damaged; graze verify says more", c->sweep_path);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  cell.i        = cell.place / columns;
  cell.j        = cell.place % columns;
  cell.period   = status == STATUS_CONTACT_FREE ? PetscMax(1, (PetscInt)row[at[CELL_PERIOD]]) : (PetscInt)row[at[CELL_PERIOD]];
  cell.contacts = (PetscInt)row[at[CELL_CONTACTS_PER_ORBIT]];
  cell.y1       = &row[at[CELL_STROBE_DISPLACEMENT]];
  cell.y2       = &row[at[CELL_STROBE_VELOCITY]];
  if (status == STATUS_PENDING) ++c->pending;
  else if (status != STATUS_PERIODIC && status != STATUS_CONTACT_FREE) ++c->other;
  else if (cell.period < 1 || cell.period > c->layout->samples)
    ComplaintSet(complaint, EXIT_FILES, "%.500s is damaged; graze verify says more", c->sweep_path);
  else PetscCall(Cell_Private(c, &cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Verdict_Private(Check *c, Complaint *complaint)
{
  PetscInt idle = 0, confirmed = 0, unvisited = 0, lost = 0;

  PetscFunctionBeginUser;
  for (PetscInt b = 0; b < c->n_branches; ++b) {
    PetscInt passes = 0;

    for (PetscInt k = 0; k < c->first[c->n_places]; ++k) passes += c->passage[k].branch == b;
    idle += passes == 0;
  }
  for (PetscInt q = 0; q < c->n_places; ++q)
    for (PetscInt k = c->first[q]; k < c->first[q + 1]; ++k) {
      if (c->passage[k].at.stability != 1) continue;
      if (c->passage[k].confirmed) ++confirmed;
      else if (c->lost[q]) ++lost;
      else ++unvisited;
    }
  if (c->exceptions > MOST_LISTED) InfoRow("", "and %d exceptions more", (int)(c->exceptions - MOST_LISTED));
  InfoRow("tolerance",
          "%g of the range of the displacement over the orbit (velocities: of that times the frequency), and the uncertainty "
          "of the branch between its points, at most %g",
          BRANCH_SAME, COARSE);
  InfoRow("branches", "%d; %d pass%s no cell", (int)c->n_branches, (int)idle, idle == 1 ? "es" : "");
  InfoRow("periodic cells", "%d: %d on a branch, %d not, %d where no branch passes", (int)c->periodic, (int)c->on, (int)c->off,
          (int)c->outside);
  if (c->on) InfoRow("", "those on a branch are within %.2g of it", c->worst);
  if (c->other || c->pending) InfoRow("other cells", "%d without a verified period, %d not computed", (int)c->other, (int)c->pending);
  InfoRow("stable orbits",
          "%d of branches where there are cells: %d confirmed by a cell, %d unvisited beside other motions, %d beside a cell that is on no "
          "branch",
          (int)(confirmed + unvisited + lost), (int)confirmed, (int)unvisited, (int)lost);
  if (c->exceptions)
    ComplaintSet(complaint, EXIT_FILES, "%.300s and %.300s do not agree: %d exception%s, see above", c->branches_path, c->sweep_path,
                 (int)c->exceptions, Plural_Private(c->exceptions));
  else if (!c->on)
    ComplaintSet(complaint, EXIT_FILES, "nothing to compare: the branches of %.300s pass no periodic cell of %.300s", c->branches_path,
                 c->sweep_path);
  else InfoRow("verdict", "the branches and the sweep agree");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandCheck - graze check BRANCHES SWEEP, each a folder or a file: every periodic cell where a branch passes must lie on a branch.

  Collective; root reads and prints. Complaint: EXIT_OPTIONS for the words, EXIT_FILES
  Cost:    both files are read once; O(points) for each cell and branch that passes it
*/
PetscErrorCode CommandCheck(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt rank;
  Check      *c;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < argc; i++)
    if (argv[i][0] == '-') ComplaintSet(complaint, EXIT_OPTIONS, "check takes no option %.80s; " USAGE, argv[i]);
  if (argc < 2 || !*argv[0] || !*argv[1]) ComplaintSet(complaint, EXIT_OPTIONS, "check needs two folders or files; " USAGE);
  else if (argc > 2) ComplaintSet(complaint, EXIT_OPTIONS, "stray word '%.80s'; " USAGE, argv[2]);
  if (rank || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&c));
  PetscCall(Find_Private(argv[0], "branches.h5", c->branches_path, complaint));
  if (!complaint->exit_code) PetscCall(Find_Private(argv[1], "sweep.h5", c->sweep_path, complaint));
  if (!complaint->exit_code) PetscCall(Read_Private(c, complaint));
  if (!complaint->exit_code) {
    PetscCall(Passages_Private(c));
    PetscCall(SweepStoreVisit(c->store, NULL, Visit_Private, c, complaint));
  }
  if (!complaint->exit_code) PetscCall(Verdict_Private(c, complaint));
  PetscCall(SweepStoreClose(&c->store, complaint));
  PetscCall(BranchStoreFree(&c->n_branches, &c->branches));
  PetscCall(PetscFree(c->first));
  PetscCall(PetscFree(c->lost));
  PetscCall(PetscFree(c->passage));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
