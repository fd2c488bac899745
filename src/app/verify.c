/*
  verify.c - the command `graze verify`: is a sweep whole, and is it all there? Of branches verify_branches.c says it.

  The file alone suffices, wherever it was moved: the parameters are in it. In the folder of a run the snapshot before it and the journals
  are looked at too. Also while the run goes on: a snapshot is never changed once it has its name.
*/
#define _XOPEN_SOURCE 700
#include "verify.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "graze/journal.h"
#include "graze/units.h"
#include "info.h"
#include "params_store.h"

#define JOURNAL     "sweep.journal."
#define MOST_LISTED 64

typedef struct {
  char           folder[PETSC_MAX_PATH_LEN]; /* "": a file was named */
  char           path[PETSC_MAX_PATH_LEN];
  Params         given, params;
  Grid           grid;
  CellLayout     layout;
  CheckpointMark mark;
  signed char   *status;               /* of the file; shape [n_cells] */
  PetscInt       missing, in_journals; /* cells */
  PetscReal     *row;
  char           damage[256]; /* the first that was found, for the last line; "": none */
} Verify;

static void Damage_Private(Verify *v, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static void Damage_Private(Verify *v, const char *format, ...)
{
  va_list arguments;

  if (*v->damage) return;
  va_start(arguments, format);
  (void)vsnprintf(v->damage, sizeof v->damage, format, arguments);
  va_end(arguments);
}

/* ---- the file ---- */

/* The parameters, from the file itself. */
static PetscErrorCode Parameters_Private(Verify *v, Complaint *complaint)
{
  Store     store;
  Units     units;
  char      source[64];
  PetscBool sweep;

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(v->path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/", "source", sizeof source, source));
  PetscCall(StoreHas(store, "/status", &sweep));
  if (strncmp(source, "graze", 5) || !sweep)
    ComplaintSet(complaint, EXIT_FILES, "%.500s is not the result of a graze sweep or continue", v->path);
  if (!complaint->exit_code) PetscCall(ParamsFromStore(store, COMMAND_SWEEP, &v->given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&v->given, &units, &v->params, complaint));
  if (!complaint->exit_code) PetscCall(GridSetUp(&v->params, &v->grid));
  if (complaint->exit_code) complaint->exit_code = EXIT_FILES; /* what a file says is no option */
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sessions_Private(SweepStore store, Complaint *complaint)
{
  SweepSessions sessions;
  int           reason;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreReadSessions(store, &sessions, complaint));
  if (complaint->exit_code || !sessions.n) PetscFunctionReturn(PETSC_SUCCESS);
  reason = sessions.end.reason;
  InfoRow("sessions", "%" PetscInt_FMT ", the last on %s: %s", sessions.n, sessions.begin.host,
          reason >= 0 && reason < SESSION_REASONS ? SessionReasonNames[reason] : "unknown");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every cell of the result, and whether its attribute `complete` tells the truth. */
static PetscErrorCode File_Private(Verify *v, SweepStore store, Complaint *complaint)
{
  const CellLayout *layout;
  VerifyCells       cells;
  Store             file;
  int8_t            complete = -1;
  PetscBool         found;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreGetLayout(store, &layout));
  PetscCall(SweepStoreGetStore(store, &file));
  v->layout = *layout;
  PetscCall(PetscMalloc2(v->grid.n_cells, &v->status, layout->length, &v->row));
  PetscCall(SweepStoreReadStatus(store, v->status, complaint));
  PetscCall(SweepStoreGetMark(store, &v->mark, complaint));
  PetscCall(VerifyCellsOf(store, &cells, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  v->missing = v->grid.n_cells - cells.done;
  InfoRow("cells", "%" PetscInt_FMT " of %" PetscInt_FMT " are done%s", cells.done, v->grid.n_cells,
          cells.damaged ? ""
          : cells.done  ? ", all of these are sound"
                        : "");
  PetscCall(VerifyPrint(&cells, &v->grid));
  if (cells.damaged) Damage_Private(v, "%" PetscInt_FMT " cell%s", cells.damaged, cells.damaged > 1 ? "s" : "");
  PetscCall(StoreReadAttributeNumber(file, "/", "complete", STORE_INT8, &complete, &found));
  if (complete != (v->missing ? 0 : 1)) {
    InfoRow("complete", "the attribute says %s, the cells say otherwise",
            complete == 1   ? "yes"
            : complete == 0 ? "no"
                            : "neither yes nor no");
    Damage_Private(v, "the attribute `complete`");
  }
  PetscCall(Sessions_Private(store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what lies beside it ---- */

static PetscErrorCode Previous_Private(Verify *v)
{
  Complaint      here = {0};
  char           path[PETSC_MAX_PATH_LEN];
  SweepStore     store;
  SweepCheck     check = {0, 0, -1};
  CheckpointMark mark;
  struct stat    info;

  PetscFunctionBeginUser;
  if ((size_t)snprintf(path, sizeof path, "%s/sweep.previous.h5", v->folder) >= sizeof path || stat(path, &info))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreOpen(path, &v->params, PETSC_FALSE, &store, &here));
  if (!here.exit_code) {
    PetscCall(SweepStoreCheck(store, NULL, &check, &here));
    PetscCall(SweepStoreGetMark(store, &mark, &here));
    PetscCall(SweepStoreClose(&store, &here));
  }
  if (here.exit_code && stat(path, &info)) PetscFunctionReturn(PETSC_SUCCESS); /* a run has just replaced it */
  if (here.exit_code) InfoRow("snapshot before", "%s", here.line);
  else if (check.bad)
    InfoRow("snapshot before", "sweep.previous.h5: %" PetscInt_FMT " of %" PetscInt_FMT " cells do not match their checksums", check.bad,
            check.checked);
  else
    InfoRow("snapshot before", "sweep.previous.h5: number %lld, %" PetscInt_FMT " cells, sound", (long long)mark.generation, check.checked);
  if (here.exit_code || check.bad) Damage_Private(v, "sweep.previous.h5");
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Verify    *verify;
  PetscInt64 cells, unfit;
} JournalCount;

static PetscErrorCode Record_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  JournalCount *count = (JournalCount *)ctx;
  Verify       *v     = count->verify;
  GridUnit      u     = {0};
  PetscInt      cell;

  PetscFunctionBeginUser;
  (void)complaint;
  if (record->kind != RECORD_STEP) PetscFunctionReturn(PETSC_SUCCESS);
  ++count->cells;
  if (record->unit >= 0 && record->unit < v->grid.n_units) GridGetUnit(&v->grid, (PetscInt)record->unit, &u);
  if (record->step < 0 || record->step >= u.n || !bytes || !CellDecode(&v->layout, (size_t)record->nbytes, bytes, v->row)) {
    ++count->unfit;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  cell = GridCellOfStep(&v->grid, (PetscInt)record->unit, (PetscInt)record->step);
  if (v->status[cell] != STATUS_PENDING) PetscFunctionReturn(PETSC_SUCCESS);
  v->status[cell] = STATUS_PERIODIC; /* counted once */
  ++v->in_journals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Journal_Private(Verify *v, const char *name, const char *identity)
{
  JournalCount  count = {.verify = v};
  Complaint     here  = {0};
  char          path[PETSC_MAX_PATH_LEN], torn[80] = "";
  JournalExtent extent;
  struct stat   info;

  PetscFunctionBeginUser;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", v->folder, name) >= sizeof path) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(JournalRead(path, identity, Record_Private, &count, &extent, &here));
  if (stat(path, &info)) PetscFunctionReturn(PETSC_SUCCESS); /* a run has just deleted it */
  if (extent.torn) (void)snprintf(torn, sizeof torn, "; %lld bytes after them, as a record under way leaves them", (long long)extent.torn);
  if (here.exit_code) InfoRow("journal", "%s", here.line);
  else if (extent.next < 0) InfoRow("journal", "%s: no journal of this sweep, or damaged", name);
  else if (count.unfit)
    InfoRow("journal", "%s: %lld of %lld cells do not fit this sweep", name, (long long)count.unfit, (long long)count.cells);
  else InfoRow("journal", "%s: %lld records, %lld cells%s", name, (long long)(extent.next - extent.first), (long long)count.cells, torn);
  if (here.exit_code || extent.next < 0 || count.unfit) Damage_Private(v, "%s", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int CompareNumbers_Private(const void *a, const void *b)
{
  const long long x = *(const long long *)a, y = *(const long long *)b;

  return x < y ? -1 : x > y;
}

/* In the order of their numbers. */
static PetscErrorCode Journals_Private(Verify *v)
{
  long long      numbers[MOST_LISTED];
  int            n      = 0;
  DIR           *folder = opendir(v->folder);
  struct dirent *entry;
  char           identity[8192];

  PetscFunctionBeginUser;
  PetscCall(ParamsIdentity(&v->given, COMMAND_SWEEP, sizeof identity, identity));
  while (folder && n < MOST_LISTED && (entry = readdir(folder))) {
    char      name[64];
    long long number;

    if (strncmp(entry->d_name, JOURNAL, strlen(JOURNAL))) continue;
    number = strtoll(entry->d_name + strlen(JOURNAL), NULL, 10);
    (void)snprintf(name, sizeof name, JOURNAL "%lld", number);
    if (!strcmp(name, entry->d_name)) numbers[n++] = number; /* else a temporary name */
  }
  if (folder) (void)closedir(folder);
  qsort(numbers, (size_t)n, sizeof *numbers, CompareNumbers_Private);
  for (int i = 0; i < n; ++i) {
    char name[64];

    (void)snprintf(name, sizeof name, JOURNAL "%lld", numbers[i]);
    PetscCall(Journal_Private(v, name, identity));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Find_Private(const char *name, Verify *v, Complaint *complaint)
{
  static const char *const of_branches[] = {"branches.journal", "branches.h5"};
  struct stat              info;
  PetscBool                found = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(v->path, name, sizeof v->path));
  if (strlen(name) >= sizeof v->path - 32) ComplaintSet(complaint, EXIT_FILES, "the path %.200s... is too long", name);
  else if (stat(name, &info)) ComplaintSet(complaint, EXIT_FILES, "cannot open %.500s: %s", name, strerror(errno));
  else if (S_ISDIR(info.st_mode)) {
    size_t n = strlen(name);

    while (n > 1 && name[n - 1] == '/') n--;
    (void)snprintf(v->folder, sizeof v->folder, "%.*s", (int)n, name);
    (void)snprintf(v->path, sizeof v->path, "%.*s/sweep.h5", (int)n, name);
    if (!stat(v->path, &info)) PetscFunctionReturn(PETSC_SUCCESS);
    for (int i = 0; i < 2; i++) {
      (void)snprintf(v->path, sizeof v->path, "%.*s/%s", (int)n, name, of_branches[i]);
      found = (PetscBool)(found || !stat(v->path, &info));
    }
    if (!found) ComplaintSet(complaint, EXIT_FILES, "%.500s holds neither sweep.h5 nor branches.h5", name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict_Private(const Verify *v, Complaint *complaint)
{
  char journals[80] = "";

  PetscFunctionBeginUser;
  if (v->in_journals)
    (void)snprintf(journals, sizeof journals, ", %s of these in the journals", v->in_journals == v->missing ? "all" : "some");
  if (*v->damage) ComplaintSet(complaint, EXIT_FILES, "%.500s is damaged: %s, see above", *v->folder ? v->folder : v->path, v->damage);
  else if (v->missing)
    ComplaintSet(complaint, EXIT_COME_BACK, "%.500s is sound, but not complete: %" PetscInt_FMT " of %" PetscInt_FMT " cells are missing%s",
                 v->path, v->missing, v->grid.n_cells, journals);
  else InfoRow("verdict", "whole and complete");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verify_Private(Verify *v, Complaint *complaint)
{
  SweepStore store = NULL;

  PetscFunctionBeginUser;
  (void)printf("%s\n", v->path);
  PetscCall(Parameters_Private(v, complaint));
  if (!complaint->exit_code) PetscCall(SweepStoreOpen(v->path, &v->params, PETSC_FALSE, &store, complaint));
  if (!complaint->exit_code) PetscCall(File_Private(v, store, complaint));
  PetscCall(SweepStoreClose(&store, complaint));
  if (*v->folder && !complaint->exit_code) {
    PetscCall(Previous_Private(v));
    PetscCall(Journals_Private(v));
    if (v->in_journals) InfoRow("in journals", "%" PetscInt_FMT " cells that the file does not have yet", v->in_journals);
  }
  if (!complaint->exit_code) PetscCall(Verdict_Private(v, complaint));
  PetscCall(PetscFree2(v->status, v->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandVerify - graze verify DIR|FILE: whole and complete (0), sound but not complete (85), or damaged (65).

  Collective; root reads and prints. Complaint: EXIT_OPTIONS for the words, EXIT_COME_BACK, EXIT_FILES
  Cost:    the file is read once, and in a folder the one before it
*/
PetscErrorCode CommandVerify(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt rank;
  Verify     *v;
  PetscBool   branches = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!argc || !*argv[0]) ComplaintSet(complaint, EXIT_OPTIONS, "verify needs a folder or a file; write: graze verify DIR|FILE");
  else if (argv[0][0] == '-') ComplaintSet(complaint, EXIT_OPTIONS, "verify takes no option %.80s; write: graze verify DIR|FILE", argv[0]);
  else if (argc > 1) ComplaintSet(complaint, EXIT_OPTIONS, "stray word '%.80s'; write: graze verify DIR|FILE", argv[1]);
  if (rank || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&v));
  PetscCall(Find_Private(argv[0], v, complaint));
  if (!complaint->exit_code) PetscCall(VerifyIsBranches(v->folder, v->path, &branches));
  if (branches) PetscCall(VerifyBranches(v->folder, v->path, complaint));
  else if (!complaint->exit_code) PetscCall(Verify_Private(v, complaint));
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
