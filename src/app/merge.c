/*
  merge.c - the command `graze merge`: the shards of a sweep, joined into the file that one run would have made.

  Shard k of N is DIR/shard-k-of-N/sweep.h5 and has every N-th line. Cells are copied bit by bit, each looked at by its checksum; so are
  /parameters, /kernel and /scales, which are not computed anew: another machine might round otherwise. The file has its name only when it
  is whole and on the device.
*/
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "graze/provenance.h"
#include "graze/sweep_store.h"
#include "graze/units.h"
#include "info.h"
#include "output.h"
#include "params_store.h"

#define MOST_SHARDS 100000

typedef struct {
  MPI_Comm   comm;
  char       folder[PETSC_MAX_PATH_LEN];
  PetscInt   n;             /* shards */
  PetscBool *found;         /* shape [n] */
  Params     given, params; /* of shard 1, as if it were the whole */
  Grid       grid;          /* of the whole */
  CellLayout layout;
  SweepStore whole;
  PetscInt   sessions;
  double     end;       /* Unix time [s]: of the last session of all */
  char       start[64]; /* utc_start of the first */
  /* work */
  Grid       shard; /* of the one that is read */
  SweepStore from;
  char      *bytes;
} Merge;

static PetscErrorCode ShardPath_Private(const Merge *m, PetscInt k, const char *name, char *path /* [PETSC_MAX_PATH_LEN] */)
{
  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/shard-%" PetscInt_FMT "-of-%" PetscInt_FMT "/%s", m->folder, k, m->n, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a word to a list that is for people: what does not fit is left out. */
static PetscErrorCode List_Private(size_t size, char *list, const char *word)
{
  PetscFunctionBeginUser;
  if (strlen(list) + strlen(word) + 8 < size) {
    if (*list) PetscCall(PetscStrlcat(list, ", ", size));
    PetscCall(PetscStrlcat(list, word, size));
  } else if (!strstr(list, " ...")) PetscCall(PetscStrlcat(list, " ...", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which shards there are ---- */

static PetscErrorCode Find_Private(Merge *m, Complaint *complaint)
{
  DIR           *folder = opendir(m->folder);
  struct dirent *entry;
  char           missing[400] = "", name[80], word[32];

  PetscFunctionBeginUser;
  if (!folder) ComplaintSet(complaint, EXIT_FILES, "cannot open %.500s: %s", m->folder, strerror(errno));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  while ((entry = readdir(folder)) && !complaint->exit_code) {
    long k, n;

    if (sscanf(entry->d_name, "shard-%ld-of-%ld", &k, &n) != 2 || k < 1 || k > n || n > MOST_SHARDS) continue;
    (void)snprintf(name, sizeof name, "shard-%ld-of-%ld", k, n);
    if (strcmp(name, entry->d_name)) continue;
    if (!m->n) {
      m->n = (PetscInt)n;
      PetscCall(PetscCalloc1(m->n, &m->found));
    }
    if (m->n != n)
      ComplaintSet(complaint, EXIT_FILES, "%.400s holds shards of %" PetscInt_FMT " and of %ld parts; move those away that do not belong",
                   m->folder, PetscMin(m->n, (PetscInt)n), PetscMax((long)m->n, n));
    else m->found[k - 1] = PETSC_TRUE;
  }
  (void)closedir(folder);
  if (!complaint->exit_code && !m->n)
    ComplaintSet(complaint, EXIT_FILES, "%.500s holds no shards, folders named shard-k-of-N (graze sweep -shard k/N makes them)",
                 m->folder);
  for (PetscInt k = 1; k <= m->n && !complaint->exit_code; k++) {
    if (m->found[k - 1]) continue;
    (void)snprintf(word, sizeof word, "%" PetscInt_FMT, k);
    PetscCall(List_Private(sizeof missing, missing, word));
  }
  if (*missing) ComplaintSet(complaint, EXIT_FILES, "%.400s lacks shards of %" PetscInt_FMT ": %s", m->folder, m->n, missing);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- whether they belong together ---- */

static PetscErrorCode Parameters_Private(const char *path, Params *given, Complaint *complaint)
{
  Complaint here = {0};
  Store     store;

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ParamsFromStore(store, COMMAND_SWEEP, given, &here));
  if (here.exit_code) ComplaintSet(complaint, EXIT_FILES, "%.300s: %.700s", path, here.line);
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shard as it is open in m->from: of the same physics as the first? */
static PetscErrorCode Open_Private(Merge *m, PetscInt k, Complaint *complaint)
{
  char   path[PETSC_MAX_PATH_LEN], list[400];
  Params given, params;
  Units  units;

  PetscFunctionBeginUser;
  PetscCall(ShardPath_Private(m, k, "sweep.h5", path));
  PetscCall(Parameters_Private(path, &given, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (k == 1) {
    m->given       = given;
    m->given.shard = (Shard){1, 1};
  }
  PetscCall(ParamsDifferences(&given, &m->given, sizeof list, list));
  if (*list) ComplaintSet(complaint, EXIT_FILES, "shard %" PetscInt_FMT " is of other parameters than shard 1: %s", k, list);
  if (given.shard.k != k || given.shard.n != m->n)
    ComplaintSet(complaint, EXIT_FILES, "%.400s is part %" PetscInt_FMT "/%" PetscInt_FMT ", which its folder does not say", path,
                 given.shard.k, given.shard.n);
  PetscCall(UnitsApply(&given, &units, &params, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GridSetUp(&params, &m->shard));
  PetscCall(SweepStoreOpen(path, &params, PETSC_FALSE, &m->from, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every shard opens, belongs to the others and is complete. */
static PetscErrorCode Look_Private(Merge *m, Complaint *complaint)
{
  char              lacking[400] = "", word[64];
  const CellLayout *layout;
  Units             units;

  PetscFunctionBeginUser;
  for (PetscInt k = 1; k <= m->n && !complaint->exit_code; k++) {
    signed char *status;
    PetscInt     missing = 0;

    PetscCall(Open_Private(m, k, complaint));
    if (complaint->exit_code) break;
    PetscCall(SweepStoreGetLayout(m->from, &layout));
    if (k == 1) m->layout = *layout;
    else if (layout->states != m->layout.states)
      ComplaintSet(
        complaint, EXIT_FILES,
        "shard %" PetscInt_FMT " was computed with other modes than shard 1; give -receptance_modes and compute one of them again", k);
    PetscCall(PetscMalloc1(m->shard.n_cells, &status));
    PetscCall(SweepStoreReadStatus(m->from, status, complaint));
    for (PetscInt i = 0; i < m->shard.n_cells && !complaint->exit_code; i++) missing += status[i] == STATUS_PENDING;
    PetscCall(PetscFree(status));
    PetscCall(SweepStoreClose(&m->from, complaint));
    (void)snprintf(word, sizeof word, "%" PetscInt_FMT " (%" PetscInt_FMT " cell%s to do)", k, missing, missing > 1 ? "s" : "");
    if (missing) PetscCall(List_Private(sizeof lacking, lacking, word));
  }
  if (*lacking) ComplaintSet(complaint, EXIT_FILES, "shards of %.300s are not complete: %s", m->folder, lacking);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnitsApply(&m->given, &units, &m->params, complaint));
  PetscCall(GridSetUp(&m->params, &m->grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result that is there already is the merge, complete, or in the way. */
static PetscErrorCode IsDone_Private(Merge *m, const char *path, PetscBool *done, Complaint *complaint)
{
  struct stat info;
  Params      given;
  Store       store;
  char        list[400];
  int8_t      complete = 0;
  PetscBool   found;
  Complaint   here = {0};

  PetscFunctionBeginUser;
  *done = PETSC_FALSE;
  if (lstat(path, &info)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Parameters_Private(path, &given, &here));
  if (!here.exit_code) {
    PetscCall(ParamsDifferences(&given, &m->given, sizeof list, list));
    if (*list) ComplaintSet(&here, EXIT_FILES, "it is of other parameters than the shards: %s", list);
    if (given.shard.n != 1) ComplaintSet(&here, EXIT_FILES, "it is a shard itself");
    PetscCall(StoreOpen(path, PETSC_FALSE, &store, &here));
    if (store) PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
    PetscCall(StoreClose(&store, &here));
    if (!complete) ComplaintSet(&here, EXIT_FILES, "it is not complete");
  }
  if (here.exit_code) ComplaintSet(complaint, EXIT_FILES, "%.300s is in the way: %.600s", path, here.line);
  else *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- joining ---- */

/* Where a cell of the shard is in the whole. */
static void Place_Private(const Merge *m, PetscInt cell, JournalRecord *record)
{
  const PetscInt n[2]   = {GridAmplitudes(&m->shard), GridFrequencies(&m->shard)},
                 all[2] = {GridAmplitudes(&m->grid), GridFrequencies(&m->grid)};
  const int axis        = m->shard.along == ALONG_FREQUENCY ? 0 : 1; /* of the lines */
  PetscInt  at[2]       = {cell / n[1] % n[0], cell % n[1]}, unit, step;

  at[axis] = m->shard.shard + at[axis] * m->shard.shards;
  GridStepOfCell(&m->grid, (cell / (n[0] * n[1]) * all[0] + at[0]) * all[1] + at[1], &unit, &step);
  record->unit = unit;
  record->step = step;
}

static PetscErrorCode Cell_Private(void *ctx, PetscInt cell, const PetscReal *row, PetscInt64 checksum, Complaint *complaint)
{
  Merge        *m      = (Merge *)ctx;
  JournalRecord record = {.kind = RECORD_STEP};

  PetscFunctionBeginUser;
  if (!SweepStoreCellIsWhole(m->from, row, checksum)) {
    ComplaintSet(complaint, EXIT_FILES, "cell %" PetscInt_FMT " of shard %" PetscInt_FMT " does not match its checksum; see graze verify",
                 cell, m->shard.shard + 1);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Place_Private(m, cell, &record);
  record.nbytes = (PetscInt64)CellEncode(&m->layout, row, m->bytes);
  PetscCall(SweepStoreRecord(m->whole, &record, m->bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sessions of a shard are appended to the table. */
static PetscErrorCode Sessions_Private(Merge *m, Complaint *complaint)
{
  SweepSessions sessions;
  Store         store;
  char          start[64];
  PetscBool     found;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreReadSessions(m->from, &sessions, complaint));
  for (PetscInt i = 0; i < PetscMin(sessions.n, SWEEP_SESSIONS) && !complaint->exit_code; i++) {
    SessionBegin  begin;
    SessionEnd    end;
    JournalRecord first = {.kind = RECORD_SESSION_BEGIN, .value = m->sessions, .nbytes = sizeof begin};
    JournalRecord last  = {.kind = RECORD_SESSION_END, .value = m->sessions, .nbytes = sizeof end};

    PetscCall(SweepStoreReadSession(m->from, i, &begin, &end, complaint));
    PetscCall(SweepStoreRecord(m->whole, &first, &begin, complaint));
    PetscCall(SweepStoreRecord(m->whole, &last, &end, complaint));
    if (!isnan(end.end) && !(end.end <= m->end)) m->end = end.end;
    m->sessions++;
  }
  PetscCall(SweepStoreGetStore(m->from, &store));
  PetscCall(StoreReadAttributeText(store, PROVENANCE_GROUP, "utc_start", sizeof start, start, &found));
  if (found && (!*m->start || strcmp(start, m->start) < 0))
    PetscCall(PetscStrncpy(m->start, start, sizeof m->start)); /* ISO 8601 sorts as text */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Deaths_Private(Merge *m, Complaint *complaint)
{
  signed char *deaths;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(m->shard.n_cells, &deaths));
  PetscCall(SweepStoreReadDeaths(m->from, deaths, complaint));
  for (PetscInt cell = 0; cell < m->shard.n_cells && !complaint->exit_code; cell++) {
    JournalRecord record = {.kind = RECORD_DEATHS, .value = deaths[cell]};

    if (!deaths[cell]) continue;
    Place_Private(m, cell, &record);
    PetscCall(SweepStoreRecord(m->whole, &record, NULL, complaint));
  }
  PetscCall(PetscFree(deaths));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who made the data is said as in the first shard; the file itself is of this program, now. */
static PetscErrorCode Describe_Private(Merge *m, int argc, char **argv, Complaint *complaint)
{
  static const char *const texts[][2] = {{"/", "Conventions"},
                                         {"/", "source"},
                                         {PROVENANCE_GROUP, "program_version"},
                                         {PROVENANCE_GROUP, "commit"},
                                         {PROVENANCE_GROUP, "petsc"},
                                         {PROVENANCE_GROUP, "slepc"},
                                         {PROVENANCE_GROUP, "hdf5"},
                                         {PROVENANCE_GROUP, "mpi"},
                                         {PROVENANCE_GROUP, "compiler"},
                                         {PROVENANCE_GROUP, "cpu_model"},
                                         {PROVENANCE_GROUP, "host"}};
  static const char *const groups[]   = {"/parameters", "/kernel", "/scales"};
  Store                    from, to;
  char                     text[1024];
  int8_t                   dirty = 0;
  int32_t                  ranks = 0;
  PetscBool                found;

  PetscFunctionBeginUser;
  PetscCall(SweepStoreGetStore(m->from, &from));
  PetscCall(SweepStoreGetStore(m->whole, &to));
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) PetscCall(StoreCopyGroup(from, groups[i], to, complaint));
  PetscCall(StoreReadAttributeText(from, "/", "title", sizeof text, text, &found));
  PetscCall(OutputWriteProvenance(to, m->comm, text, "merge", argc, argv, complaint));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    PetscCall(StoreReadAttributeText(from, texts[i][0], texts[i][1], sizeof text, text, &found));
    if (found) PetscCall(StoreAttributeText(to, texts[i][0], texts[i][1], text, complaint));
  }
  PetscCall(StoreReadAttributeNumber(from, PROVENANCE_GROUP, "dirty", STORE_INT8, &dirty, &found));
  PetscCall(StoreReadAttributeNumber(from, PROVENANCE_GROUP, "ranks", STORE_INT32, &ranks, &found));
  PetscCall(StoreAttributeNumbers(to, PROVENANCE_GROUP, "dirty", STORE_INT8, 1, &dirty, complaint));
  PetscCall(StoreAttributeNumbers(to, PROVENANCE_GROUP, "ranks", STORE_INT32, 1, &ranks, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells into m->whole, which then is as one run would have left it. */
static PetscErrorCode Join_Private(Merge *m, int argc, char **argv, Complaint *complaint)
{
  SweepCheck check = {0, 0, -1};
  Store      store;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc(CellEncodedMax(&m->layout), &m->bytes));
  for (PetscInt k = 1; k <= m->n && !complaint->exit_code; k++) {
    PetscCall(Open_Private(m, k, complaint));
    if (complaint->exit_code) break;
    if (k == 1) PetscCall(Describe_Private(m, argc, argv, complaint));
    PetscCall(SweepStoreVisit(m->from, NULL, Cell_Private, m, complaint));
    PetscCall(Sessions_Private(m, complaint));
    PetscCall(Deaths_Private(m, complaint));
    PetscCall(SweepStoreClose(&m->from, complaint));
  }
  PetscCall(PetscFree(m->bytes));
  PetscCall(SweepStoreGetStore(m->whole, &store));
  if (*m->start) PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "utc_start", m->start, complaint));
  PetscCall(ProvenanceSetEnd(store, m->end, complaint));
  PetscCall(SweepStoreSetComplete(m->whole, PETSC_TRUE, complaint));
  PetscCall(SweepStoreCheck(m->whole, NULL, &check, complaint));
  if (!complaint->exit_code && (check.bad || check.checked != m->grid.n_cells))
    ComplaintSet(complaint, EXIT_IO,
                 "what was written into %.400s/sweep.h5 cannot be read back: %" PetscInt_FMT " of %" PetscInt_FMT " cells are right",
                 m->folder, check.checked - check.bad, m->grid.n_cells);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The input of the first shard, but for which part it was; made under another name and renamed. */
static PetscErrorCode Yaml_Private(const Merge *m, PetscBool *made, Complaint *complaint)
{
  char        path[PETSC_MAX_PATH_LEN], to[PETSC_MAX_PATH_LEN], partial[PETSC_MAX_PATH_LEN + 16], line[2 * PETSC_MAX_PATH_LEN];
  FILE       *from, *file;
  struct stat info;
  int         failed;

  PetscFunctionBeginUser;
  *made = PETSC_FALSE;
  PetscCall(ShardPath_Private(m, 1, "used_parameters.yaml", path));
  PetscCall(PetscSNPrintf(to, sizeof to, "%s/used_parameters.yaml", m->folder));
  PetscCall(PetscSNPrintf(partial, sizeof partial, "%s.partial", to));
  from = fopen(path, "r");
  if (!from || !stat(to, &info) || complaint->exit_code) { /* a result without it is still one */
    if (from) (void)fclose(from);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  file   = fopen(partial, "w");
  failed = !file;
  while (!failed && fgets(line, sizeof line, from))
    if (strncmp(line, "shard:", 6)) failed = fputs(line, file) < 0;
  if (file && !failed) failed = fflush(file) || fsync(fileno(file));
  if (file && fclose(file)) failed = 1;
  if (!failed) failed = rename(partial, to);
  if (failed) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", to, strerror(errno));
    (void)unlink(partial);
  } else *made = PETSC_TRUE;
  (void)fclose(from);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Merge_Private(Merge *m, int argc, char **argv, Complaint *complaint)
{
  char      path[PETSC_MAX_PATH_LEN], yaml[PETSC_MAX_PATH_LEN];
  PetscBool done = PETSC_FALSE, made = PETSC_FALSE;
  Store     store;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/sweep.h5", m->folder));
  PetscCall(PetscSNPrintf(yaml, sizeof yaml, "%s/used_parameters.yaml", m->folder));
  PetscCall(Find_Private(m, complaint));
  if (!complaint->exit_code) PetscCall(Look_Private(m, complaint));
  if (!complaint->exit_code) PetscCall(IsDone_Private(m, path, &done, complaint));
  if (done) (void)printf("%s is complete: nothing to do\n", path);
  if (done || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);

  (void)printf("%s\n", path);
  PetscCall(SweepStoreCreate(path, &m->params, m->layout.states, &m->whole, complaint));
  if (!complaint->exit_code) PetscCall(Join_Private(m, argc, argv, complaint));
  if (!complaint->exit_code) PetscCall(Yaml_Private(m, &made, complaint));
  if (!complaint->exit_code) {
    PetscCall(SweepStoreGetStore(m->whole, &store));
    PetscCall(StoreReady(store, complaint));
  }
  PetscCall(SweepStoreClose(&m->whole, complaint));
  if (complaint->exit_code && made) (void)unlink(yaml);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  InfoRow("shards", "%" PetscInt_FMT, m->n);
  InfoRow("cells", "%" PetscInt_FMT ", all of them match their checksums", m->grid.n_cells);
  InfoRow("sessions", "%" PetscInt_FMT, m->sessions);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandMerge - graze merge DIR: DIR/shard-k-of-N/sweep.h5, k = 1 .. N, into DIR/sweep.h5.

  Collective; root works. Complaint: EXIT_OPTIONS for the words; EXIT_FILES if a shard is missing, incomplete, damaged or of other
  parameters, or a result is in the way; EXIT_IO. After a complaint DIR is as it was.
  Memory:  about 25 MB of buffers, and four bytes a cell while the file is made
*/
PetscErrorCode CommandMerge(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt rank;
  Merge      *m;
  size_t      n;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!argc || !*argv[0]) ComplaintSet(complaint, EXIT_OPTIONS, "merge needs a folder; write: graze merge DIR");
  else if (argv[0][0] == '-') ComplaintSet(complaint, EXIT_OPTIONS, "merge takes no option %.80s; write: graze merge DIR", argv[0]);
  else if (argc > 1) ComplaintSet(complaint, EXIT_OPTIONS, "stray word '%.80s'; write: graze merge DIR", argv[1]);
  else if (strlen(argv[0]) >= PETSC_MAX_PATH_LEN - 64) ComplaintSet(complaint, EXIT_OPTIONS, "the path %.200s... is too long", argv[0]);
  if (rank || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&m));
  m->comm = comm;
  m->end  = NAN;
  for (n = strlen(argv[0]); n > 1 && argv[0][n - 1] == '/'; n--) {}
  (void)snprintf(m->folder, sizeof m->folder, "%.*s", (int)n, argv[0]);
  PetscCall(Merge_Private(m, argc, argv, complaint));
  PetscCall(SweepStoreDestroy(&m->from));
  PetscCall(SweepStoreDestroy(&m->whole));
  PetscCall(PetscFree(m->found));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
