/*
  info_branches.c - for graze info: branches.h5 in words, and how far the run is that writes it.

  Only what a line needs is read, each with its type and shape checked: of the points the parameter and the stability.
*/
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "branch_store_impl.h"
#include "continue.h"
#include "info.h"

#define LAST_BRANCHES 20 /* so many are printed */

typedef struct {
  Store        store;
  char         parameter[64], scale[64];
  PetscInt     n, points, specials;
  int32_t     *column[BRANCH_COLUMNS];    /* those of integers, shape [n] each */
  signed char *origin, *stability, *type; /* shapes [n], [points], [specials] */
  int32_t     *from;                      /* shape [n, 3] */
  double      *value;                     /* shape [points] */
  char        *why;                       /* shape [n, 2, BRANCH_WHY_LENGTH] */
} Reading;

/* ---- reading ---- */

/* All of a variable into new memory. The caller frees. */
static PetscErrorCode Read_Private(Store store, const char *name, StoreType type, PetscInt rank, const PetscInt *shape, void *out,
                                   Complaint *complaint)
{
  size_t n = 1;
  char   path[80], *bytes;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreExpect(store, path, type, rank, shape, complaint));
  for (PetscInt i = 0; i < rank; i++) n *= (size_t)shape[i];
  if (complaint->exit_code) n = 0;
  PetscCall(PetscCalloc1(8 * n + 8, &bytes));
  if (n) PetscCall(StoreRead(store, path, NULL, NULL, bytes, complaint));
  memcpy(out, &bytes, sizeof bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Length_Private(Store store, const char *path, PetscInt *n, Complaint *complaint)
{
  PetscInt rank = 0, shape[8] = {0};

  PetscFunctionBeginUser;
  PetscCall(StoreGetShape(store, path, &rank, shape, complaint));
  if (!complaint->exit_code && rank != 1) ComplaintSet(complaint, EXIT_FILES, "the file is damaged: %s is no axis", path);
  *n = complaint->exit_code ? 0 : shape[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Columns_Private(Reading *r, Complaint *complaint)
{
  const PetscInt from[] = {r->n, 3}, why[] = {r->n, 2, BRANCH_WHY_LENGTH};

  PetscFunctionBeginUser;
  for (int c = 0; c < BRANCH_COLUMNS; c++)
    if (branch_columns[c].type == STORE_INT32)
      PetscCall(Read_Private(r->store, branch_columns[c].name, STORE_INT32, 1, &r->n, &r->column[c], complaint));
  PetscCall(Read_Private(r->store, "branch_origin", STORE_INT8, 1, &r->n, &r->origin, complaint));
  PetscCall(Read_Private(r->store, "branch_from", STORE_INT32, 2, from, &r->from, complaint));
  PetscCall(Read_Private(r->store, "branch_why", STORE_CHAR, 3, why, &r->why, complaint));
  PetscCall(Read_Private(r->store, "parameter", STORE_REAL, 1, &r->points, &r->value, complaint));
  PetscCall(Read_Private(r->store, "stability", STORE_INT8, 1, &r->points, &r->stability, complaint));
  PetscCall(Read_Private(r->store, "special_type", STORE_INT8, 1, &r->specials, &r->type, complaint));
  for (PetscInt b = 0; b < r->n && !complaint->exit_code; b++) {
    const PetscInt first = r->column[COLUMN_FIRST_POINT][b], n = r->column[COLUMN_N_POINTS][b];

    if (first < 0 || n < 0 || first > r->points - n)
      ComplaintSet(complaint, EXIT_FILES, "the file is damaged: branch %" PetscInt_FMT " has points beyond those of the file", b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Open_Private(Store store, Reading *r, Complaint *complaint)
{
  PetscFunctionBeginUser;
  *r = (Reading){.store = store};
  PetscCall(InfoAttribute(store, "/", "continued_parameter", sizeof r->parameter, r->parameter));
  PetscCall(InfoScale(store, "/parameter", sizeof r->scale, r->scale));
  PetscCall(Length_Private(store, "/branch", &r->n, complaint));
  PetscCall(Length_Private(store, "/point", &r->points, complaint));
  PetscCall(Length_Private(store, "/special", &r->specials, complaint));
  PetscCall(Columns_Private(r, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Close_Private(Reading *r)
{
  PetscFunctionBeginUser;
  for (int c = 0; c < BRANCH_COLUMNS; c++) PetscCall(PetscFree(r->column[c]));
  PetscCall(PetscFree(r->origin));
  PetscCall(PetscFree(r->from));
  PetscCall(PetscFree(r->why));
  PetscCall(PetscFree(r->value));
  PetscCall(PetscFree(r->stability));
  PetscCall(PetscFree(r->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the whole ---- */

/* "30 L/t0^2", "10 to 30 L/t0^2"; "" of nothing but NaN. */
static void Range_Private(PetscInt n, const double *x, const char *scale, size_t size, char *text)
{
  double low = INFINITY, high = -INFINITY;

  for (PetscInt i = 0; i < n; i++) {
    low  = fmin(low, x[i]);
    high = fmax(high, x[i]);
  }
  *text = '\0';
  if (low == high) (void)snprintf(text, size, "%.9g%s%s", low, *scale ? " " : "", scale);
  else if (low < high) (void)snprintf(text, size, "%.9g to %.9g%s%s", low, high, *scale ? " " : "", scale);
}

/* Bounds as the user gave them, and what the branches cover of them. */
static PetscErrorCode PrintParameter_Private(const Reading *r)
{
  char      units[32], covered[128];
  PetscReal low = NAN, high = NAN;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(StoreReadAttributeNumber(r->store, "/parameters", "continue_min", STORE_REAL, &low, &found));
  PetscCall(StoreReadAttributeNumber(r->store, "/parameters", "continue_max", STORE_REAL, &high, &found));
  PetscCall(InfoAttribute(r->store, "/parameters", "units", sizeof units, units));
  InfoRow("continued", "%s", r->parameter);
  if (!isnan(low) && !isnan(high)) {
    const PetscBool si = (PetscBool)!strcmp(units, "si");

    InfoRow("bounds", "%.9g to %.9g%s%s", (double)low, (double)high, si || *r->scale ? " " : "", si ? "in SI" : r->scale);
  }
  Range_Private(r->points, r->value, r->scale, sizeof covered, covered);
  if (*covered) InfoRow("covered", "%s", covered);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintFixed_Private(const Reading *r, Complaint *complaint)
{
  InfoText text = "";
  size_t   at   = 0;

  PetscFunctionBeginUser;
  for (int c = COLUMN_AMPLITUDE; c <= COLUMN_DAMPING; c++) {
    const char *name = branch_columns[c].name;
    char        path[80], scale[64], range[128];
    double     *values;

    PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
    PetscCall(InfoScale(r->store, path, sizeof scale, scale));
    PetscCall(Read_Private(r->store, name, STORE_REAL, 1, &r->n, &values, complaint));
    Range_Private(complaint->exit_code ? 0 : r->n, values, scale, sizeof range, range);
    if (*range) at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s", at ? ", " : "", name + strlen("branch_"), range);
    PetscCall(PetscFree(values));
  }
  if (at) InfoRow("fixed", "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Cut_Private(PetscInt n, const int32_t *modes, size_t size, char *text)
{
  int32_t low = modes[0], high = modes[0];

  for (PetscInt b = 1; b < n; b++) {
    low  = modes[b] < low ? modes[b] : low;
    high = modes[b] > high ? modes[b] : high;
  }
  if (low == high) (void)snprintf(text, size, "%d", (int)low);
  else (void)snprintf(text, size, "%d to %d", (int)low, (int)high);
}

static void PrintModes_Private(const Reading *r)
{
  char modes[32], other[32];

  if (!r->n) return;
  Cut_Private(r->n, r->column[COLUMN_MODES], sizeof modes, modes);
  Cut_Private(r->n, r->column[COLUMN_OTHER_MODES], sizeof other, other);
  if (!strcmp(other, "0")) InfoRow("modes", "%s, no second cut", modes);
  else InfoRow("modes", "%s; %s in the second cut", modes, other);
}

static void PrintSpecials_Private(const Reading *r)
{
  InfoText text         = "";
  size_t   at           = 0;
  PetscInt of_type[256] = {0};

  for (PetscInt i = 0; i < r->specials; i++) of_type[(unsigned char)r->type[i]]++;
  for (int t = 0; t < 256; t++) {
    if (!of_type[t]) continue;
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%" PetscInt_FMT " ", at ? ", " : ": ", of_type[t]);
    if (t < SPECIAL_COUNT) at += (size_t)snprintf(text + at, sizeof text - at, "%s", SpecialTypeNames[t]);
    else at += (size_t)snprintf(text + at, sizeof text - at, "of type %d", (int)(signed char)t);
  }
  InfoRow("special points", "%" PetscInt_FMT "%s", r->specials, text);
}

/* ---- one branch ---- */

static void Origin_Private(const Reading *r, PetscInt b, size_t size, char *text)
{
  const int32_t *from = r->from + 3 * b;

  switch (r->origin[b]) {
  case ORIGIN_SIMULATION:
    (void)snprintf(text, size, "from a simulation");
    break;
  case ORIGIN_CELL:
    (void)snprintf(text, size, "from cell %d,%d,%d", (int)from[0], (int)from[1], (int)from[2]);
    break;
  case ORIGIN_POINT:
    (void)snprintf(text, size, "from point %d of branch %d of a file", (int)from[1], (int)from[0]);
    break;
  case ORIGIN_DOUBLING:
  case ORIGIN_BRANCH_POINT:
    (void)snprintf(text, size, "from a %s of branch %d", r->origin[b] == ORIGIN_DOUBLING ? "doubling" : "branch point",
                   (int)r->column[COLUMN_PARENT][b]);
    break;
  default:
    (void)snprintf(text, size, "of origin %d", (int)r->origin[b]);
  }
}

/* What the file says of an end; a damaged one may say anything. */
static void Why_Private(const Reading *r, PetscInt b, int end, char *text)
{
  memcpy(text, r->why + ((size_t)b * 2 + (size_t)end) * (size_t)BRANCH_WHY_LENGTH, (size_t)BRANCH_WHY_LENGTH);
  text[BRANCH_WHY_LENGTH - 1] = '\0';
  for (char *c = text; *c; c++)
    if (!isprint((unsigned char)*c)) *c = '?';
  if (!*text) (void)snprintf(text, (size_t)BRANCH_WHY_LENGTH, "nobody knows why");
}

static void PrintBranch_Private(const Reading *r, PetscInt b)
{
  const PetscInt first = r->column[COLUMN_FIRST_POINT][b], n = r->column[COLUMN_N_POINTS][b];
  PetscInt       stable = 0;
  char           label[32], origin[80], range[128], why[2][sizeof((Branch *)0)->why[0]];

  for (PetscInt i = first; i < first + n; i++) stable += r->stability[i] == 1;
  (void)snprintf(label, sizeof label, "%" PetscInt_FMT, b);
  Origin_Private(r, b, sizeof origin, origin);
  for (int end = 0; end < 2; end++) Why_Private(r, b, end, why[end]);
  Range_Private(n, r->value + first, r->scale, sizeof range, range);
  if (!n) InfoRow(label, "period %d, %s, no points: %s", (int)r->column[COLUMN_PERIOD][b], origin, why[0]);
  else
    InfoRow(label, "period %d, %s, %" PetscInt_FMT " point%s, %s, %.3g %% stable; ends: %s | %s", (int)r->column[COLUMN_PERIOD][b], origin,
            n, n > 1 ? "s" : "", range, 100.0 * (double)stable / (double)n, why[0], why[1]);
}

/* ---- the run beside it ---- */

PetscErrorCode InfoJournal(const char *folder, size_t size, char *text, PetscBool *there, PetscBool *good)
{
  char            path[PETSC_MAX_PATH_LEN + 64];
  Complaint       here = {0};
  ContinueJournal journal;

  PetscFunctionBeginUser;
  *text = '\0';
  *good = PETSC_FALSE;
  (void)snprintf(path, sizeof path, "%s/branches.journal", folder);
  *there = access(path, F_OK) ? PETSC_FALSE : PETSC_TRUE;
  if (!*there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ContinueJournalLook(path, NULL, &journal, &here));
  *good = (PetscBool)(!here.exit_code && journal.extent.next >= 0 && !journal.unfit);
  if (here.exit_code) (void)snprintf(text, size, "%s", here.line);
  else if (journal.extent.next < 0) (void)snprintf(text, size, "branches.journal is no journal, or damaged");
  else if (journal.unfit) (void)snprintf(text, size, "branches.journal is of another version of graze");
  else if (journal.expected != journal.starts) (void)snprintf(text, size, "begun, the starts are not all in the journal");
  else
    (void)snprintf(text, size, "%" PetscInt_FMT " start%s, %" PetscInt_FMT " branch%s back", journal.starts, journal.starts == 1 ? "" : "s",
                   journal.branches, journal.branches == 1 ? " is" : "es are");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoPrintJournal(const char *folder, PetscBool result)
{
  char      text[1200];
  PetscBool there, good;

  PetscFunctionBeginUser;
  PetscCall(InfoJournal(folder, sizeof text, text, &there, &good));
  if (good && !result) InfoRow("state", "no result yet: a run is under way, or was killed and the same command goes on");
  if (there) InfoRow("journal", "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  InfoPrintBranches - What branches.h5 holds.

  Not collective (root prints). Complaint: EXIT_FILES for a file that is not as graze writes it
*/
PetscErrorCode InfoPrintBranches(Store store, Complaint *complaint)
{
  Reading   r;
  int8_t    complete = 0;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(Open_Private(store, &r, complaint));
  if (!complaint->exit_code) {
    PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
    (void)printf("\nContinuation\n");
    PetscCall(PrintParameter_Private(&r));
    PetscCall(PrintFixed_Private(&r, complaint));
    PrintModes_Private(&r);
    InfoRow("state", "%s", complete ? "complete" : "incomplete: stopped before the end, there would be more branches");
    InfoRow("branches", "%" PetscInt_FMT " with %" PetscInt_FMT " points", r.n, r.points);
    PrintSpecials_Private(&r);
    if (r.n) (void)printf("\nBranches\n");
    for (PetscInt b = 0; b < r.n && b < LAST_BRANCHES; b++) PrintBranch_Private(&r, b);
    if (r.n > LAST_BRANCHES) InfoRow("...", "and %" PetscInt_FMT " more", r.n - LAST_BRANCHES);
  }
  PetscCall(Close_Private(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
