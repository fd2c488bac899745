/*
  continue_save.c - what a continuation leaves: the journal while it runs, branches.h5 and branches.csv when it ends or is stopped.

  <output>/branches.journal holds the number of modes and all starts of the user, then every branch as it comes back, synced one by one.
  A session begins with a copy of what is whole in the journal before, which the copy replaces when it is on the device. Result files are
  written under another name and renamed.
*/
#define _XOPEN_SOURCE 700
#include "continue.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "graze/log.h"
#include "graze/provenance.h"
#include "graze_version.h"
#include "output.h"
#include "params_store.h"

#define IDENTITY 16384

/* Stored: append only. */
enum {
  RECORD_BEGIN  = 1, /* value: modes; step: number of starts */
  RECORD_START  = 2, /* unit: its number; payload: ContinueStartEncode */
  RECORD_BRANCH = 3  /* payload: BranchEncode */
};

/* ---- the journal ---- */

typedef struct {
  ContinueRoot   *root;
  ContinueStarts *starts;
  PetscInt64      expected; /* starts; -1: no beginning was seen */
} Replay;

static PetscErrorCode Replay_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Replay       *replay = (Replay *)ctx;
  ContinueRoot *r      = replay->root;
  PetscBool     good   = PETSC_TRUE;

  PetscFunctionBeginUser;
  if (record->kind == RECORD_BEGIN) {
    replay->expected      = record->step;
    replay->starts->modes = (PetscInt)record->value;
  } else if (record->kind == RECORD_START) {
    PetscCall(PetscRealloc((size_t)(replay->starts->n + 1) * sizeof *replay->starts->start, &replay->starts->start));
    PetscCall(ContinueStartDecode((PetscInt)record->nbytes, bytes, &replay->starts->start[replay->starts->n], &good));
    replay->starts->n += good;
  } else if (record->kind == RECORD_BRANCH) {
    PetscCall(PetscRealloc((size_t)(r->n_kept + 1) * sizeof *r->kept, &r->kept));
    PetscCall(BranchDecode((PetscInt)record->nbytes, bytes, &r->kept[r->n_kept], &good));
    r->n_kept += good;
  }
  if (!good) ComplaintSet(complaint, EXIT_FILES, "the journal is of another version of graze");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueJournalRead(ContinueRoot *r, ContinueStarts *starts, Complaint *complaint)
{
  Replay        replay = {.root = r, .starts = starts, .expected = -1};
  Complaint     here   = {0};
  char          path[PETSC_MAX_PATH_LEN], identity[IDENTITY];
  JournalExtent extent;

  PetscFunctionBeginUser;
  *starts = (ContinueStarts){.n = 0};
  PetscCall(OutputPath(&r->given, "branches.journal", sizeof path, path, complaint));
  if (complaint->exit_code || access(path, F_OK)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ParamsIdentity(&r->given, COMMAND_CONTINUE, sizeof identity, identity));
  PetscCall(JournalRead(path, identity, Replay_Private, &replay, &extent, &here));
  if (here.exit_code)
    ComplaintSet(complaint, here.exit_code, "%.500s: %.400s; choose another -output, or -overwrite moves the folder aside", path,
                 here.line);
  else if (extent.next < 0)
    ComplaintSet(complaint, EXIT_FILES,
                 "%.500s is of a run with other parameters, or damaged; choose another -output, or -overwrite moves the folder aside",
                 path);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (replay.expected != starts->n) PetscCall(ContinueStartsDestroy(starts)); /* killed before all of them were written */
  r->found_before = r->n_kept;
  if (starts->n)
    PetscCall(LogLine("resumed        %d starts, %d branches are done%s", (int)starts->n, (int)r->n_kept,
                      extent.torn ? " (what was being written when it ended is lost)" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  ContinueJournal *j = (ContinueJournal *)ctx;

  PetscFunctionBeginUser;
  (void)complaint;
  if (record->kind == RECORD_BEGIN) j->expected = record->step;
  else if (record->kind == RECORD_START) ++j->starts;
  else if (record->kind == RECORD_BRANCH) {
    Branch    branch;
    PetscBool good;

    PetscCall(BranchDecode((PetscInt)record->nbytes, bytes, &branch, &good));
    if (good) ++j->branches;
    else ++j->unfit;
    if (good) PetscCall(BranchDestroy(&branch));
  } else ++j->unfit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueJournalLook(const char *path, const Params *given, ContinueJournal *journal, Complaint *complaint)
{
  char identity[IDENTITY];

  PetscFunctionBeginUser;
  *journal = (ContinueJournal){.expected = -1};
  if (given) PetscCall(ParamsIdentity(given, COMMAND_CONTINUE, sizeof identity, identity));
  PetscCall(JournalRead(path, given ? identity : NULL, Look_Private, journal, &journal->extent, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueJournalAdd(ContinueRoot *r, PetscMPIInt rank, PetscInt nbytes, const void *bytes, Complaint *complaint)
{
  JournalRecord record = {.kind = RECORD_BRANCH, .rank = (int32_t)rank, .nbytes = nbytes};

  PetscFunctionBeginUser;
  PetscCall(JournalAppend(r->journal, &record, bytes, complaint));
  PetscCall(JournalSync(r->journal, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueJournalBegin(ContinueRoot *r, const ContinueStarts *starts, Complaint *complaint)
{
  JournalRecord begin = {.kind = RECORD_BEGIN, .rank = -1, .value = r->modes, .step = starts->n};
  char          path[PETSC_MAX_PATH_LEN], next[PETSC_MAX_PATH_LEN], identity[IDENTITY];

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&r->given, "branches.journal", sizeof path, path, complaint));
  PetscCall(OutputPath(&r->given, "branches.next.journal", sizeof next, next, complaint));
  PetscCall(ParamsIdentity(&r->given, COMMAND_CONTINUE, sizeof identity, identity));
  if (!complaint->exit_code) PetscCall(JournalCreate(next, 0, 0, identity, &r->journal, complaint));
  if (!complaint->exit_code) PetscCall(JournalAppend(r->journal, &begin, NULL, complaint));
  for (PetscInt i = 0; i < starts->n && !complaint->exit_code; ++i) {
    JournalRecord record = {.kind = RECORD_START, .rank = -1, .unit = i};
    PetscInt      n;
    void         *bytes;

    PetscCall(ContinueStartEncode(&starts->start[i], &n, &bytes));
    record.nbytes = n;
    PetscCall(JournalAppend(r->journal, &record, bytes, complaint));
    PetscCall(PetscFree(bytes));
  }
  for (PetscInt k = 0; k < r->n_kept && !complaint->exit_code; ++k) {
    JournalRecord record = {.kind = RECORD_BRANCH, .rank = -1};
    PetscInt      n;
    void         *bytes;

    PetscCall(BranchEncode(&r->kept[k], &n, &bytes));
    record.nbytes = n;
    PetscCall(JournalAppend(r->journal, &record, bytes, complaint));
    PetscCall(PetscFree(bytes));
  }
  if (!complaint->exit_code) PetscCall(JournalSync(r->journal, complaint));
  if (!complaint->exit_code && rename(next, path)) ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s: %s", next, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the result files ---- */

/* The model with the damping ratio of the parameters: that of the continuation may be left at another one. */
static PetscErrorCode Kernel_Private(const ContinueRoot *r, Store store, Complaint *complaint)
{
  Model model;

  PetscFunctionBeginUser;
  if (r->params.continue_parameter != CONTINUE_DAMPING) {
    PetscCall(OutputWriteKernel(store, r->model, complaint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ModelCreate(PETSC_COMM_SELF, &model));
  PetscCall(ModelSetParams(model, &r->params));
  PetscCall(ModelSetModes(model, r->modes));
  PetscCall(ModelSetUp(model, complaint));
  if (!complaint->exit_code) PetscCall(OutputWriteKernel(store, model, complaint));
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteStore_Private(ContinueRoot *r, PetscBool complete, Complaint *complaint)
{
  char  path[PETSC_MAX_PATH_LEN], next[PETSC_MAX_PATH_LEN];
  Store store;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&r->given, "branches.h5", sizeof path, path, complaint));
  PetscCall(OutputPath(&r->given, "branches.next.h5", sizeof next, next, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (unlink(next) && errno != ENOENT) ComplaintSet(complaint, EXIT_IO, "cannot remove %.400s: %s", next, strerror(errno));
  PetscCall(StoreCreate(next, &store, complaint));
  PetscCall(
    OutputWriteProvenance(store, r->comm, "Branches of periodic orbits of an impacting beam", "continue", r->argc, r->argv, complaint));
  PetscCall(OutputWriteParameters(store, &r->given, COMMAND_CONTINUE, complaint));
  PetscCall(OutputWriteScales(store, &r->units, complaint));
  PetscCall(Kernel_Private(r, store, complaint));
  PetscCall(BranchStoreWrite(store, r->params.beam_model, OutputAmplitudeScale(&r->params), r->params.continue_parameter, r->n_accepted,
                             r->accepted, complete, complaint));
  PetscCall(ProvenanceWriteEnd(store, complaint));
  PetscCall(StoreReady(store, complaint));
  PetscCall(StoreClose(&store, complaint));
  if (!complaint->exit_code && rename(next, path)) ComplaintSet(complaint, EXIT_IO, "cannot rename %.400s: %s", next, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteCsv_Private(ContinueRoot *r, PetscBool complete, Complaint *complaint)
{
  const Params *p = &r->params;
  const Units  *u = &r->units;
  char          prefix[PETSC_MAX_PATH_LEN], header[1024];
  size_t        n;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&r->given, "branches", sizeof prefix, prefix, complaint));
  n = (size_t)snprintf(
    header, sizeof header,
    "# branches of periodic orbits by graze %s (commit %.12s%s)%s; the same as in branches.h5\n"
    "# parameter is the %s; stability: 1 stable, 0 undecided, -1 unstable\n"
    "# without dimension: lengths in L, velocities in L/t0, forces in %s, amplitude in %s, frequency in rad/t0, times in t0\n",
    GRAZE_VERSION, GRAZE_COMMIT, GRAZE_DIRTY ? ", with changes" : "", complete ? "" : ", not complete",
    ContinueParameterNames[p->continue_parameter], UnitsScale(p->beam_model, "EI/L^2"), OutputAmplitudeScale(p));
  if (u->si && n < sizeof header)
    (void)snprintf(header + n, sizeof header - n, "# L = %.17g m, t0 = %.17g s, %s = %.17g N\n", (double)u->length, (double)u->time,
                   u->force_text, (double)u->force);
  if (!complaint->exit_code) PetscCall(BranchCsvWrite(prefix, header, r->n_accepted, r->accepted, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* branches.h5 last: once it is complete nothing is done any more. */
PetscErrorCode ContinueWrite(ContinueRoot *r, PetscBool complete, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(WriteCsv_Private(r, complete, complaint));
  if (!complaint->exit_code) PetscCall(WriteStore_Private(r, complete, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the summary ---- */

/* "1 fold, 2 period_doubling" */
static PetscErrorCode Specials_Private(const Branch *b, size_t size, char *text)
{
  PetscFunctionBeginUser;
  *text = '\0';
  for (int type = 1; type < SPECIAL_COUNT; ++type) {
    char     word[64];
    PetscInt n = 0;

    for (PetscInt i = 0; i < b->n_special; ++i) n += *BranchSpecial(b, i, SPECIAL_TYPE) == (PetscReal)type;
    if (!n) continue;
    PetscCall(PetscSNPrintf(word, sizeof word, "%s%d %s", *text ? ", " : "", (int)n, SpecialTypeNames[type]));
    PetscCall(PetscStrlcat(text, word, size));
  }
  if (!*text) PetscCall(PetscStrncpy(text, "no special points", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Summary_Private(const ContinueRoot *r)
{
  const char *parameter = ContinueParameterNames[r->params.continue_parameter];

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < r->n_accepted; ++i) {
    const Branch *b   = &r->accepted[i];
    PetscReal     low = INFINITY, high = -INFINITY, ratio = BranchFamilyRatio(r->n_accepted, r->accepted, i);
    char          specials[256], from[48] = "";
    PetscInt      parent, special;

    for (PetscInt k = 0; k < b->n_points; ++k) {
      low  = PetscMin(low, *BranchPoint(b, k, POINT_PARAMETER));
      high = PetscMax(high, *BranchPoint(b, k, POINT_PARAMETER));
    }
    BranchFamilyParent(r->n_accepted, r->accepted, i, &parent, &special);
    if (parent >= 0) (void)snprintf(from, sizeof from, " off branch %d", (int)parent);
    PetscCall(Specials_Private(b, sizeof specials, specials));
    if (!b->n_points) PetscCall(LogLine("branch %-7d period %d: %s", (int)i, (int)b->layout.period, b->why[0]));
    else
      PetscCall(LogLine("branch %-7d period %d%s, %s %.8g to %.8g, %d points: %s; ends: %s | %s", (int)i, (int)b->layout.period, from,
                        parameter, (double)low, (double)high, (int)b->n_points, specials, b->why[0], b->why[1]));
    if (!isnan(ratio)) PetscCall(LogLine("cascade        up to period %d: ratio %.6g", (int)(2 * b->layout.period), (double)ratio));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueFinish(ContinueRoot *r, PoolOutcome outcome, Complaint *complaint)
{
  const PetscBool complete = (PetscBool)(r->head == r->n_nodes);
  char            path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCheck(complete || r->stopping || outcome != POOL_DONE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d starts were never resolved",
             (int)(r->n_nodes - r->head));
  PetscCall(ContinueWrite(r, complete, complaint));
  PetscCall(JournalClose(&r->journal, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Summary_Private(r));
  PetscCall(LogLine("branches       %d; %d starts lay on branches that were found before; %.1f s", (int)r->n_accepted, (int)r->n_dropped,
                    MPI_Wtime() - r->start));
  if (!complete) {
    ComplaintSet(complaint, EXIT_COME_BACK,
                 "stopped by %s%s, %d branches are in the result and what came back is saved: the same command goes on", r->why,
                 outcome == POOL_SILENT ? " (a rank did not come back)" : "", (int)r->n_accepted);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OutputPath(&r->given, "branches.journal", sizeof path, path, complaint));
  if (!complaint->exit_code) (void)unlink(path); /* one that stays is passed over: the result is complete */
  PetscCall(OutputPath(&r->given, "branches.h5", sizeof path, path, complaint));
  PetscCall(LogLine("result         %s", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
