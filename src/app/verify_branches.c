/*
  verify_branches.c - graze verify for the result of graze continue: checksums, and what its tables say of each other.   (docs/data.md)

  The file alone suffices. In the folder of a run that is not complete the journal is looked at too, and where there is no file yet the
  journal alone.
*/
#define _XOPEN_SOURCE 700
#include <string.h>
#include <unistd.h>

#include "continue.h"
#include "info.h"
#include "params_store.h"
#include "verify.h"

#define MOST_NAMED 20 /* damaged branches that are named */

typedef struct {
  const char *folder, *path; /* folder "": a file was named */
  Params      given;
  PetscBool   file;
  int8_t      complete;
  PetscInt    n;
  char        damage[256]; /* the first that was found; "": none */
} Verifying;

static void Damage_Private(Verifying *v, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static void Damage_Private(Verifying *v, const char *format, ...)
{
  va_list arguments;

  if (*v->damage) return;
  va_start(arguments, format);
  (void)vsnprintf(v->damage, sizeof v->damage, format, arguments);
  va_end(arguments);
}

/* Is it for this file? A folder is, if it holds such a result or the journal of one, and no sweep. */
PetscErrorCode VerifyIsBranches(const char *folder, const char *path, PetscBool *is)
{
  Complaint none = {0};
  Store     store;

  PetscFunctionBeginUser;
  *is = PETSC_FALSE;
  if (*folder) {
    const char *name = strrchr(path, '/');

    *is = name && !strcmp(name, "/branches.h5") ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, &none));
  if (none.exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreHas(store, "/branch_n_points", is));
  PetscCall(StoreClose(&store, &none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---- */

static PetscErrorCode Checksums_Private(Verifying *v, Store store, Complaint *complaint)
{
  PetscInt n_bad, *bad;
  char     list[256] = "";

  PetscFunctionBeginUser;
  PetscCall(BranchStoreCheck(store, &v->n, &n_bad, &bad, complaint));
  for (PetscInt i = 0; i < n_bad && i < MOST_NAMED; ++i)
    (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%" PetscInt_FMT, i ? ", " : "", bad[i]);
  if (n_bad > MOST_NAMED)
    (void)snprintf(list + strlen(list), sizeof list - strlen(list), " and %" PetscInt_FMT " more", n_bad - MOST_NAMED);
  if (!complaint->exit_code)
    InfoRow("branches", "%" PetscInt_FMT "%s", v->n, n_bad ? "" : v->n ? ", all of them match their checksums" : "");
  if (n_bad) {
    InfoRow("checksums", "%" PetscInt_FMT " branch%s not what the checksum says: %s", n_bad, n_bad == 1 ? " is" : "es are", list);
    Damage_Private(v, "branch%s %s", n_bad == 1 ? "" : "es", list);
  }
  PetscCall(PetscFree(bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the attributes say, and the tables of each other: what a program should never have written. */
static PetscErrorCode Contents_Private(Verifying *v, Store store)
{
  Complaint here = {0};
  Branch   *branches;
  PetscInt  n;
  char      parameter[64], asked[64];
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(BranchStoreRead(v->path, &n, &branches, &here));
  PetscCall(BranchStoreFree(&n, &branches));
  if (here.exit_code) {
    InfoRow("contents", "%s", here.line);
    Damage_Private(v, "its tables");
  }
  PetscCall(InfoAttribute(store, "/", "continued_parameter", sizeof parameter, parameter));
  PetscCall(InfoAttribute(store, "/parameters", "continue_parameter", sizeof asked, asked));
  if (strcmp(parameter, ContinueParameterNames[v->given.continue_parameter])) {
    InfoRow("parameter", "'%s' was continued, '%s' was asked for", parameter, asked);
    Damage_Private(v, "the attribute `continued_parameter`");
  }
  v->complete = -1;
  PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &v->complete, &found));
  if (!found || (v->complete != 0 && v->complete != 1)) {
    InfoRow("complete", "the attribute says neither yes nor no");
    Damage_Private(v, "the attribute `complete`");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode File_Private(Verifying *v, Complaint *complaint)
{
  Complaint here = {0};
  Store     store;
  Units     units;
  Params   *params;
  char      source[64];

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(v->path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/", "source", sizeof source, source));
  if (strncmp(source, "graze", 5)) ComplaintSet(complaint, EXIT_FILES, "%.500s is not a result of graze", v->path);
  PetscCall(PetscNew(&params));
  if (!complaint->exit_code) PetscCall(ParamsFromStore(store, COMMAND_CONTINUE, &v->given, &here));
  if (!complaint->exit_code && !here.exit_code) PetscCall(UnitsApply(&v->given, &units, params, &here));
  PetscCall(PetscFree(params));
  if (!complaint->exit_code && !here.exit_code) PetscCall(Checksums_Private(v, store, &here));
  if (!complaint->exit_code && !here.exit_code) PetscCall(Contents_Private(v, store));
  if (here.exit_code) /* what a file says is no option */
    ComplaintSet(complaint, EXIT_FILES, "%.400s%s%.500s", strstr(here.line, v->path) ? "" : v->path, strstr(here.line, v->path) ? "" : ": ",
                 here.line);
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what lies beside it ---- */

static PetscErrorCode Journal_Private(Verifying *v)
{
  Complaint       here = {0};
  char            path[PETSC_MAX_PATH_LEN], torn[80] = "";
  ContinueJournal journal;

  PetscFunctionBeginUser;
  if ((size_t)snprintf(path, sizeof path, "%s/branches.journal", v->folder) >= sizeof path || access(path, F_OK))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ContinueJournalLook(path, v->file ? &v->given : NULL, &journal, &here));
  if (access(path, F_OK)) PetscFunctionReturn(PETSC_SUCCESS); /* a run has just ended */
  if (journal.extent.torn)
    (void)snprintf(torn, sizeof torn, "; %lld bytes after them, as a record under way leaves them", (long long)journal.extent.torn);
  if (here.exit_code) InfoRow("journal", "%s", here.line);
  else if (journal.extent.next < 0) InfoRow("journal", "branches.journal: no journal of this run, or damaged");
  else if (journal.unfit) InfoRow("journal", "branches.journal: %" PetscInt_FMT " records do not fit this run", journal.unfit);
  else
    InfoRow("journal", "branches.journal: %" PetscInt_FMT " of %lld starts, %" PetscInt_FMT " branches%s", journal.starts,
            (long long)PetscMax(journal.expected, 0), journal.branches, torn);
  if (here.exit_code || journal.extent.next < 0 || journal.unfit) Damage_Private(v, "branches.journal");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  VerifyBranches - Whether the branches in a file, or of the run in a folder, are whole.

  Not collective (root prints). Input: folder - "": the file alone;  path - of the file, which a folder may lack
  Complaint: EXIT_COME_BACK: sound, but not complete; EXIT_FILES
  Cost:      the file is read twice
*/
PetscErrorCode VerifyBranches(const char *folder, const char *path, Complaint *complaint)
{
  Verifying *v;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&v));
  v->folder = folder;
  v->path   = path;
  v->file   = *folder && access(path, F_OK) ? PETSC_FALSE : PETSC_TRUE;
  (void)printf("%s\n", path);
  if (v->file) PetscCall(File_Private(v, complaint));
  else InfoRow("branches", "there is no result yet");
  if (*folder && !complaint->exit_code && !v->complete) PetscCall(Journal_Private(v));
  if (!complaint->exit_code && *v->damage)
    ComplaintSet(complaint, EXIT_FILES, "%.500s is damaged: %s, see above", *folder ? folder : path, v->damage);
  else if (!complaint->exit_code && !v->complete)
    ComplaintSet(complaint, EXIT_COME_BACK, "%.500s is sound, but not complete: %s", *folder ? folder : path,
                 v->file ? "its run was stopped" : "it has no result yet");
  else if (!complaint->exit_code) InfoRow("verdict", "whole and complete");
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
