/*
  info_state.c - graze info -state: is there more to do? One line and one exit code, for job scripts.

  0: complete. 85: the same command goes on (or goes on by itself, in a job that runs). 1: nothing that the same command would mend: it failed, it
  made no progress in its last session, or nothing was begun. What the result file says of being complete counts before everything else.
*/
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "info.h"
#include "status_read.h"

#define STATE_FAILS 1

static PetscBool Exists_Private(const char *folder, const char *name)
{
  char path[PETSC_MAX_PATH_LEN + 64];

  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) ? PETSC_FALSE : PETSC_TRUE;
}

static double Now_Private(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what a result file says ---- */

typedef enum { RESULT_SWEEP, RESULT_BRANCHES, RESULT_OTHER } ResultKind;

typedef struct {
  PetscBool complete;
  PetscInt  done, total; /* cells of a sweep; branches */
  Complaint complaint;   /* why it cannot be read */
} Result;

static PetscErrorCode CountDone_Private(Store store, Result *r)
{
  PetscInt rank, shape[8];
  int8_t  *status;

  PetscFunctionBeginUser;
  PetscCall(StoreGetShape(store, "/status", &rank, shape, &r->complaint));
  if (rank != 3) ComplaintSet(&r->complaint, EXIT_FILES, "it is not a sweep of graze");
  PetscCall(StoreExpect(store, "/status", STORE_INT8, 3, shape, &r->complaint));
  if (r->complaint.exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(shape[2] + 1, &status));
  for (PetscInt d = 0; d < shape[0]; d++)
    for (PetscInt a = 0; a < shape[1] && !r->complaint.exit_code; a++) {
      const PetscInt start[] = {d, a, 0}, count[] = {1, 1, shape[2]};

      PetscCall(StoreRead(store, "/status", start, count, status, &r->complaint));
      for (PetscInt j = 0; j < shape[2] && !r->complaint.exit_code; j++) r->done += status[j] != STATUS_PENDING;
    }
  r->total = shape[0] * shape[1] * shape[2];
  PetscCall(PetscFree(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountBranches_Private(Store store, Result *r)
{
  PetscInt rank = 0, shape[8] = {0};

  PetscFunctionBeginUser;
  PetscCall(StoreGetShape(store, "/branch_n_points", &rank, shape, &r->complaint));
  PetscCall(StoreExpect(store, "/branch_n_points", STORE_INT32, 1, shape, &r->complaint));
  r->done = r->total = r->complaint.exit_code ? 0 : shape[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadResult_Private(const char *path, ResultKind kind, Result *r)
{
  Store     store;
  char      source[64];
  int8_t    complete = 0;
  PetscBool found;

  PetscFunctionBeginUser;
  *r = (Result){.complete = PETSC_FALSE};
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, &r->complaint));
  if (!store) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/", "source", sizeof source, source));
  PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  if (strncmp(source, "graze", 5)) ComplaintSet(&r->complaint, EXIT_FILES, "%.500s is not a result of graze", path);
  else if (kind == RESULT_SWEEP) PetscCall(CountDone_Private(store, r));
  else if (kind == RESULT_BRANCHES) PetscCall(CountBranches_Private(store, r));
  r->complete = complete && !r->complaint.exit_code ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(StoreClose(&store, &r->complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one folder ---- */

static void Say_Private(InfoState *state, int code, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
static void Say_Private(InfoState *state, int code, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(state->line, sizeof state->line, format, arguments);
  va_end(arguments);
  state->code = code;
}

/* An unfinished sweep: how far, and whether anybody is at it. */
static void SayUnfinished_Private(const StatusRead *status, InfoState *state)
{
  char summary[640] = "";

  if (status->found) StatusSummary(status, Now_Private(), sizeof summary, summary);
  if (status->found && status->state == STATE_STOPPED && *status->message) Say_Private(state, EXIT_COME_BACK, "%s", summary); /* it says how far */
  else if (state->total > 0)
    Say_Private(state, EXIT_COME_BACK, "%" PetscInt_FMT " of %" PetscInt_FMT " cells are done%s%s", state->done, state->total, *summary ? "; " : "", summary);
  else Say_Private(state, EXIT_COME_BACK, "begun, no cell is done%s%s", *summary ? "; " : "", summary);
}

/* A continuation: its result if that is complete, else the journal that the same command goes on from. It writes no status.json. */
static PetscErrorCode JudgeBranches_Private(const char *folder, InfoState *state, PetscBool *there)
{
  char            path[PETSC_MAX_PATH_LEN + 64], text[1200], result[64] = "no result yet";
  const PetscBool file   = Exists_Private(folder, "branches.h5");
  Result          r      = {.complete = PETSC_FALSE};
  PetscBool       journal, good;

  PetscFunctionBeginUser;
  PetscCall(InfoJournal(folder, sizeof text, text, &journal, &good));
  *there = (PetscBool)(file || journal);
  if (!*there) PetscFunctionReturn(PETSC_SUCCESS);
  if (file) {
    (void)snprintf(path, sizeof path, "%s/branches.h5", folder);
    PetscCall(ReadResult_Private(path, RESULT_BRANCHES, &r));
    (void)snprintf(result, sizeof result, "%" PetscInt_FMT " branch%s in the result", r.done, r.done == 1 ? " is" : "es are");
  }
  state->done     = r.done;
  state->complete = r.complete;
  if (r.complete) Say_Private(state, EXIT_GOOD, "complete: %" PetscInt_FMT " branch%s", r.done, r.done == 1 ? "" : "es");
  else if (r.complaint.exit_code) Say_Private(state, STATE_FAILS, "failed: %s", r.complaint.line);
  else if (journal && !good) Say_Private(state, STATE_FAILS, "failed: %s", text);
  else if (journal) Say_Private(state, EXIT_COME_BACK, "%s; journal: %s", result, text);
  else Say_Private(state, EXIT_COME_BACK, "%s, which is not complete", result);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode JudgeFolder_Private(const char *folder, InfoState *state)
{
  char             path[PETSC_MAX_PATH_LEN + 64];
  StatusRead       status;
  Result           sweep = {.complete = PETSC_FALSE}, trajectory;
  PetscBool        branches;
  const PetscBool  there = Exists_Private(folder, "sweep.h5"), before = Exists_Private(folder, "sweep.previous.h5");

  PetscFunctionBeginUser;
  *state = (InfoState){.begun = PETSC_TRUE};
  PetscCall(StatusReadFile(folder, &status));
  if (there) {
    (void)snprintf(path, sizeof path, "%s/sweep.h5", folder);
    PetscCall(ReadResult_Private(path, RESULT_SWEEP, &sweep));
  }
  /* the file is as old as its last snapshot, status.json ten seconds at most, unless it is of an earlier sweep */
  state->done  = sweep.done;
  state->total = sweep.total;
  if (status.found && (!state->total || state->total == status.total)) {
    state->done  = PetscMax(state->done, status.done);
    state->total = status.total;
  }
  if (sweep.complete) {
    state->complete = PETSC_TRUE;
    Say_Private(state, EXIT_GOOD, "complete: %" PetscInt_FMT " cells", sweep.total);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!there && Exists_Private(folder, "trajectory.h5")) {
    (void)snprintf(path, sizeof path, "%s/trajectory.h5", folder);
    PetscCall(ReadResult_Private(path, RESULT_OTHER, &trajectory));
    state->complete = trajectory.complete;
    if (trajectory.complete) Say_Private(state, EXIT_GOOD, "complete: a trajectory");
    else Say_Private(state, STATE_FAILS, "failed: %s", trajectory.complaint.exit_code ? trajectory.complaint.line : "the trajectory is not complete");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!there && !before) {
    PetscCall(JudgeBranches_Private(folder, state, &branches));
    if (branches) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (status.found && status.state == STATE_FAILED) Say_Private(state, STATE_FAILS, "failed: %s", *status.message ? status.message : "nobody knows why");
  else if (status.found && status.state == STATE_STOPPED && !status.finished && status.session > 0)
    Say_Private(state, STATE_FAILS, "no progress in the last session: %s", status.message);
  else if (there && sweep.complaint.exit_code && !before && !status.found) Say_Private(state, STATE_FAILS, "failed: %s", sweep.complaint.line);
  else if (there || before || (status.found && Exists_Private(folder, "used_parameters.yaml"))) SayUnfinished_Private(&status, state);
  else {
    state->begun = PETSC_FALSE;
    Say_Private(state, STATE_FAILS, "nothing was begun");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- shards ---- */

/* The numbers of shard-k-of-N; false: it is another name. */
static PetscBool ShardName_Private(const char *name, PetscInt *k, PetscInt *n)
{
  long long first, all;
  char      again[64];

  if (sscanf(name, "shard-%6lld-of-%6lld", &first, &all) != 2 || first < 1 || first > all) return PETSC_FALSE;
  (void)snprintf(again, sizeof again, "shard-%lld-of-%lld", first, all);
  *k = (PetscInt)first;
  *n = (PetscInt)all;
  return strcmp(again, name) ? PETSC_FALSE : PETSC_TRUE;
}

/* The N of the shards in a folder; 0: it holds none, -1: of more than one N. */
PetscInt InfoCountShards(const char *folder)
{
  DIR                 *list = opendir(folder);
  const struct dirent *entry;
  PetscInt             shards = 0, k, n;

  if (!list) return 0;
  while ((entry = readdir(list)))
    if (ShardName_Private(entry->d_name, &k, &n)) shards = shards && shards != n ? -1 : n;
  (void)closedir(list);
  return shards;
}

static PetscErrorCode JudgeShards_Private(const char *folder, PetscInt n, InfoState *state)
{
  PetscInt complete = 0, done = 0, total = 0, begun = 0;

  PetscFunctionBeginUser;
  *state = (InfoState){.begun = PETSC_TRUE};
  for (PetscInt k = 1; k <= n; k++) {
    char      path[PETSC_MAX_PATH_LEN];
    InfoState one;

    if (snprintf(path, sizeof path, "%s/shard-%" PetscInt_FMT "-of-%" PetscInt_FMT, folder, k, n) >= (int)sizeof path) break;
    PetscCall(JudgeFolder_Private(path, &one));
    if (one.code == STATE_FAILS && one.begun && state->code != STATE_FAILS) Say_Private(state, STATE_FAILS, "shard %" PetscInt_FMT " of %" PetscInt_FMT ": %.900s", k, n, one.line);
    complete += one.complete;
    begun += one.begun;
    done += one.done;
    total += one.total;
  }
  state->done  = done;
  state->total = total;
  if (state->code == STATE_FAILS) PetscFunctionReturn(PETSC_SUCCESS);
  if (complete == n) Say_Private(state, EXIT_COME_BACK, "%" PetscInt_FMT " shards are complete, to be merged with graze merge", n);
  else
    Say_Private(state, EXIT_COME_BACK, "%" PetscInt_FMT " of %" PetscInt_FMT " shards are complete, %" PetscInt_FMT " begun; %" PetscInt_FMT " of %" PetscInt_FMT " cells of these are done",
                complete, n, begun, done, total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  InfoJudge - How a folder, or a result file alone, stands.

  Not collective (root). No complaint: whatever is wrong is the answer.
*/
PetscErrorCode InfoJudge(const char *name, InfoState *state)
{
  struct stat info;
  PetscInt    shards;
  Result      result;

  PetscFunctionBeginUser;
  *state = (InfoState){.code = STATE_FAILS};
  if (stat(name, &info) || strlen(name) >= PETSC_MAX_PATH_LEN) {
    Say_Private(state, STATE_FAILS, "nothing was begun");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!S_ISDIR(info.st_mode)) {
    PetscCall(ReadResult_Private(name, RESULT_OTHER, &result));
    if (result.complaint.exit_code) Say_Private(state, STATE_FAILS, "failed: %s", result.complaint.line);
    else Say_Private(state, result.complete ? EXIT_GOOD : EXIT_COME_BACK, "%s", result.complete ? "complete" : "incomplete");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  shards = Exists_Private(name, "sweep.h5") ? 0 : InfoCountShards(name);
  if (shards < 0) Say_Private(state, STATE_FAILS, "failed: the folder holds shards of more than one N");
  else if (shards > 0) PetscCall(JudgeShards_Private(name, shards, state));
  else PetscCall(JudgeFolder_Private(name, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  InfoPrintShards - A row for each shard in a folder.

  Not collective (root prints).
*/
PetscErrorCode InfoPrintShards(const char *folder)
{
  const PetscInt n = InfoCountShards(folder);
  InfoState      state;

  PetscFunctionBeginUser;
  if (n > 0) (void)printf("\nShards\n");
  for (PetscInt k = 1; k <= n; k++) {
    char path[PETSC_MAX_PATH_LEN], label[64];

    if (snprintf(path, sizeof path, "%s/shard-%" PetscInt_FMT "-of-%" PetscInt_FMT, folder, k, n) >= (int)sizeof path) break;
    PetscCall(JudgeFolder_Private(path, &state));
    (void)snprintf(label, sizeof label, "%" PetscInt_FMT " of %" PetscInt_FMT, k, n);
    InfoRow(label, "%s", state.line);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
