/*
  output.c - the output folder: made with its parents, an old result respected or moved aside, log.txt and used_parameters.yaml.

  A result that is in the way is never changed: it is a complaint, or, with -overwrite, its folder gets another name. A part of the sweep
  that is asked for is gone on with. Whoever works on a folder holds a lock on its log.txt, which the system takes away when the process
  ends.
*/
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* flock */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "graze/log.h"
#include "params_store.h"

#define HINT "choose another -output, or -overwrite moves the folder aside"

#define LOCK_SECONDS 10 /* a run that was killed a moment ago may still be dying */

static const char *const results[] = {"sweep.h5", "trajectory.h5", "kernel.h5", "asymptotics.h5", "branches.h5", NULL};

static int lock_file = -1; /* log.txt, locked; open until the process ends */

/* ---- paths ---- */

PetscErrorCode OutputPath(const Params *params, const char *name, size_t size, char *path, Complaint *complaint)
{
  size_t n = strlen(params->output);

  PetscFunctionBeginUser;
  while (n > 1 && params->output[n - 1] == '/') n--;
  if ((size_t)snprintf(path, size, "%.*s/%s", (int)n, params->output, name) >= size) {
    path[0] = '\0';
    ComplaintSet(complaint, EXIT_OPTIONS, "option -output: the path %.200s... is too long", params->output);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsFolder_Private(const char *path)
{
  struct stat info;

  return !stat(path, &info) && S_ISDIR(info.st_mode) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode Has_Private(const Params *params, const char *name, PetscBool *has, Complaint *complaint)
{
  char        path[PETSC_MAX_PATH_LEN];
  struct stat info;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(params, name, sizeof path, path, complaint));
  *has = *path && !lstat(path, &info) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder and every parent that is missing. */
static PetscErrorCode MakeFolder_Private(const char *folder, Complaint *complaint)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(path, folder, sizeof path));
  for (char *end = path; end && !complaint->exit_code;) {
    end = strchr(end + 1, '/');
    if (end) *end = '\0';
    if (!IsFolder_Private(path) && mkdir(path, 0777)) {
      if (errno != EEXIST) ComplaintSet(complaint, EXIT_IO, "cannot make the folder %.500s: %s", path, strerror(errno));
      else if (!IsFolder_Private(path)) ComplaintSet(complaint, EXIT_IO, "%.500s is in the way: it is not a folder", path);
    }
    if (end) *end = '/';
  }
  if (!complaint->exit_code && access(folder, W_OK | X_OK))
    ComplaintSet(complaint, EXIT_IO, "cannot write into the folder %.500s: %s", folder, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run at a time. A file system without locks leaves that to the user, who is told. */
static PetscErrorCode Lock_Private(const Params *params, PetscBool make, Complaint *complaint)
{
  char path[PETSC_MAX_PATH_LEN];
  int  failed = 0;

  PetscFunctionBeginUser;
  if (lock_file >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OutputPath(params, "log.txt", sizeof path, path, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  lock_file = open(path, O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0666);
  if (lock_file < 0) {
    if (make || errno != ENOENT) ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int i = 0; i <= 10 * LOCK_SECONDS; i++) {
    const struct timespec pause = {0, 100000000L};

    failed = flock(lock_file, LOCK_EX | LOCK_NB) ? errno : 0;
    if (failed != EWOULDBLOCK) break;
    (void)nanosleep(&pause, NULL);
  }
  if (failed == EWOULDBLOCK)
    ComplaintSet(complaint, EXIT_FILES, "another graze is at work in %.500s: see graze info there; wait for it, or choose another -output",
                 params->output);
  else if (failed)
    PetscCall(LogWarning("no lock on %.500s (%s): make sure that no other run writes into this folder", path, strerror(failed)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A folder that holds anything of ours gets the first free name of folder.1, folder.2, ... A folder of other things stays. */
static PetscErrorCode MoveAside_Private(const Params *params, size_t size, char *moved, Complaint *complaint)
{
  static const char *const ours[] = {"sweep.h5",           "sweep.previous.h5",      "sweep.h5.partial",       "trajectory.h5",
                                     "trajectory.h5.partial", "kernel.h5",          "kernel.h5.partial", "asymptotics.h5",
                                     "asymptotics.h5.partial", "branches.h5", "branches.journal", "used_parameters.yaml", "log.txt",        NULL};
  char        folder[PETSC_MAX_PATH_LEN];
  PetscBool   any = PETSC_FALSE;
  struct stat info;
  size_t      length;

  PetscFunctionBeginUser;
  *moved = '\0';
  for (int i = 0; ours[i] && !any; i++) PetscCall(Has_Private(params, ours[i], &any, complaint));
  if (any && !complaint->exit_code) PetscCall(Lock_Private(params, PETSC_FALSE, complaint));
  if (lock_file >= 0) (void)close(lock_file); /* nobody else's: the folder may be moved */
  lock_file = -1;
  if (!any || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(folder, params->output, sizeof folder));
  for (length = strlen(folder); length > 1 && folder[length - 1] == '/'; length--) folder[length - 1] = '\0';
  for (int i = 1;; i++) {
    if ((size_t)snprintf(moved, size, "%s.%d", folder, i) >= size) {
      ComplaintSet(complaint, EXIT_OPTIONS, "option -output: the path %.200s... is too long", folder);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (lstat(moved, &info)) break;
  }
  if (rename(folder, moved)) ComplaintSet(complaint, EXIT_IO, "cannot move %.400s aside to %.400s: %s", folder, moved, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is there already ---- */

/* Texts of numbers read back to the same bits, so equal texts are equal values. */
static PetscErrorCode Differences_Private(Store store, const Params *params, unsigned command, size_t size, char *list)
{
  size_t length = 0;

  PetscFunctionBeginUser;
  *list = '\0';
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];
    char            here[PETSC_MAX_PATH_LEN], there[PETSC_MAX_PATH_LEN];

    if (!(row->commands & command) || !row->physics) continue;
    PetscCall(ParamsFormat(params, row, sizeof here, here));
    PetscCall(ParamsStoredValue(store, row, sizeof there, there));
    if (!strcmp(here, there) || length >= size) continue;
    length += (size_t)snprintf(list + length, size - length, "%s%s %.60s instead of %.60s", length ? ", " : "", row->name,
                               *there ? there : "not given", *here ? here : "not given");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Of the same physics, whole or in part? Any other file is a complaint. A file that cannot be opened is left to the checkpoint if the one
  before it is there.
*/
static PetscErrorCode Judge_Private(const char *path, const Params *params, unsigned command, PetscBool spare, OutputFound *result,
                                    Complaint *complaint)
{
  Store     store;
  Complaint unreadable = {0};
  int8_t    complete   = 0;
  PetscBool found;
  char      list[600];

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, &unreadable));
  if (!store) {
    if (!spare) ComplaintSet(complaint, EXIT_FILES, "a file is in the way: %.700s; " HINT, unreadable.line);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  if (!found) ComplaintSet(complaint, EXIT_FILES, "%.400s is in the way and not a result of graze; " HINT, path);
  else {
    PetscCall(Differences_Private(store, params, command, sizeof list, list));
    if (*list) ComplaintSet(complaint, EXIT_FILES, "%.300s is the result of other parameters (%s); " HINT, path, list);
    else if (complete) *result = OUTPUT_DONE;
    else if (command == COMMAND_SWEEP || command == COMMAND_CONTINUE) *result = OUTPUT_RESUME;
    else ComplaintSet(complaint, EXIT_FILES, "%.400s is an incomplete result (of a run under way or interrupted); " HINT, path);
  }
  PetscCall(StoreClose(&store, &unreadable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The result and, of a sweep, the snapshot before it: either will do to go on. */
static PetscErrorCode Look_Private(const Params *params, unsigned command, const char *file, OutputFound *result, Complaint *complaint)
{
  const char *const spare = "sweep.previous.h5";
  char              path[PETSC_MAX_PATH_LEN];
  PetscBool         has, has_spare = PETSC_FALSE;

  PetscFunctionBeginUser;
  *result = OUTPUT_NEW;
  PetscCall(Has_Private(params, file, &has, complaint));
  if (command == COMMAND_SWEEP) PetscCall(Has_Private(params, spare, &has_spare, complaint));
  if (has && !complaint->exit_code) {
    PetscCall(OutputPath(params, file, sizeof path, path, complaint));
    PetscCall(Judge_Private(path, params, command, has_spare, result, complaint));
  }
  if (*result == OUTPUT_NEW && has_spare && !complaint->exit_code) {
    PetscCall(OutputPath(params, spare, sizeof path, path, complaint));
    PetscCall(Judge_Private(path, params, command, PETSC_FALSE, result, complaint));
    if (*result == OUTPUT_DONE) *result = OUTPUT_RESUME;
  }
  /* a complete result may have cells to do again */
  if (*result == OUTPUT_DONE && command == COMMAND_SWEEP && params->retry != RETRY_NONE) *result = OUTPUT_RESUME;
  for (int i = 0; results[i] && *result == OUTPUT_NEW && !complaint->exit_code; i++) {
    PetscCall(Has_Private(params, results[i], &has, complaint));
    if (has) ComplaintSet(complaint, EXIT_FILES, "%.400s holds the result of another command, %s; " HINT, params->output, results[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Prepare_Private(const Params *params, unsigned command, const char *file, OutputFound *found, Complaint *complaint)
{
  char path[PETSC_MAX_PATH_LEN], moved[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBeginUser;
  if (params->overwrite) PetscCall(MoveAside_Private(params, sizeof moved, moved, complaint));
  PetscCall(Look_Private(params, command, file, found, complaint));
  if (*found == OUTPUT_DONE || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeFolder_Private(params->output, complaint));
  if (!complaint->exit_code) PetscCall(Lock_Private(params, PETSC_TRUE, complaint));
  /* the lock may have come from a run that has only just left */
  if (!complaint->exit_code) PetscCall(Look_Private(params, command, file, found, complaint));
  if (*found == OUTPUT_DONE || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OutputPath(params, "log.txt", sizeof path, path, complaint));
  PetscCall(LogOpen(path, complaint));
  if (*moved && !complaint->exit_code) PetscCall(LogLine("the old %s is now %s", params->output, moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  OutputPrepare - Make the output folder, unless the whole result is there; lock it; from here on the log goes to its log.txt.

  Collective, after LogSetUp; root looks and decides. Not for a dry run.
  Input:   params - as the user gave them;  command - COMMAND_*;  file - name of the result, such as "sweep.h5"
  Output:  found - what is there of the same physics. DONE: nothing was touched, no lock is held; with -retry it is RESUME
           complaint - the same on all ranks. EXIT_FILES: a result of other physics or of another command is in the way, or another run is
           at work here; EXIT_IO: the folder cannot be made or written into
*/
PetscErrorCode OutputPrepare(MPI_Comm comm, const Params *params, unsigned command, const char *file, OutputFound *found,
                             Complaint *complaint)
{
  PetscMPIInt rank;
  int         there;

  PetscFunctionBeginUser;
  *found = OUTPUT_NEW;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && !complaint->exit_code) PetscCall(Prepare_Private(params, command, file, found, complaint));
  PetscCall(ComplaintAgree(comm, complaint));
  there = (int)*found;
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, comm));
  *found = (OutputFound)there;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* OutputWriteYaml - <output>/used_parameters.yaml: an input that repeats the run. Not collective (root). Complaint: EXIT_IO */
PetscErrorCode OutputWriteYaml(const Params *params, unsigned command, Complaint *complaint)
{
  char  path[PETSC_MAX_PATH_LEN];
  FILE *file;
  int   failed;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(params, "used_parameters.yaml", sizeof path, path, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  file = fopen(path, "w");
  if (!file) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ParamsWriteYaml(params, command, file));
  failed = fflush(file) || fsync(fileno(file));
  if (fclose(file) || failed) ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}
