/*
  continue.c - the command `graze continue`: parameters, orbits to start from, a continuation on every rank, pool of branches.

  A unit of work is one branch: its carry a start, its result the branch. The same command starts, goes on, or has nothing to do.
*/
#include "continue.h"

#include <unistd.h>

#include "app.h"
#include "graze/fault.h"
#include "graze/interrupt.h"
#include "graze/log.h"
#include "output.h"

/* Everything the command holds; what root keeps is used there alone. */
typedef struct {
  MPI_Comm       comm;
  PetscMPIInt    rank, size;
  Params         given, params; /* as the user said it; non-dimensional */
  Units          units;
  Continuation   continuation;
  Pool           pool;
  OutputFound    found;
  ContinueStarts starts;
  ContinueRoot   root;
} Job;

/* ---- the work ---- */

static PetscErrorCode Poll_Private(void *ctx, PetscBool *stop)
{
  PetscFunctionBeginUser;
  PetscCall(PoolPoll(((Job *)ctx)->pool, stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work_Private(void *ctx, Pool pool, const PoolPiece *piece)
{
  Job        *job = (Job *)ctx;
  BranchStart start;
  Branch      branch;
  PetscBool   good, stopped;

  PetscFunctionBeginUser;
  PetscCall(FaultCell(piece->unit, 0));
  PetscCall(BranchStartDecode(piece->nbytes, piece->carry, &start, &good));
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the carry of unit %d is no start", (int)piece->unit);
  PetscCall(ContinuationRun(job->continuation, &start, &branch, &stopped));
  if (!stopped) {
    PetscInt nbytes;
    void    *bytes;

    PetscCall(BranchEncode(&branch, &nbytes, &bytes));
    PetscCall(PoolStep(pool, nbytes, bytes, &stopped));
    PetscCall(PetscFree(bytes));
  }
  PetscCall(BranchDestroy(&branch));
  PetscCall(BranchStartDestroy(&start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit_Private(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                                     Complaint *complaint)
{
  Job *job = (Job *)ctx;

  PetscFunctionBeginUser;
  (void)step;
  PetscCall(ContinueRootCommit(&job->root, job->pool, rank, unit, nbytes, bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tick_Private(void *ctx, Pool pool, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(ContinueRootTick(&((Job *)ctx)->root, pool, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result without a point is no success. */
static void Nothing_Private(const ContinueRoot *r, Complaint *complaint)
{
  for (PetscInt i = 0; i < r->n_accepted; ++i)
    if (r->accepted[i].n_points) return;
  if (!r->n_accepted) return;
  ComplaintSet(complaint, *r->given.start_from ? EXIT_FILES : EXIT_OPTIONS, "nothing to follow: %.160s%s", r->accepted[0].why[0],
               r->n_accepted > 1 ? ", and no other start is better" : "");
}

static PetscErrorCode Run_Private(Job *job, Complaint *complaint)
{
  const PoolCallbacks callbacks = {.work = Work_Private, .commit = Commit_Private, .tick = Tick_Private};
  PoolOutcome         outcome   = POOL_DONE;

  PetscFunctionBeginUser;
  PetscCall(PoolCreate(job->comm, &job->pool));
  PetscCall(PoolSetCallbacks(job->pool, &callbacks, job));
  PetscCall(ContinuationSetPoll(job->continuation, Poll_Private, job));
  job->root.start = MPI_Wtime();
  if (job->rank == 0) {
    PetscCall(ContinueRootResolve(&job->root));
    PetscCall(ContinueRootFill(&job->root, job->pool));
  }
  PetscCall(PoolRun(job->pool, &outcome, complaint));
  if (job->rank == 0) {
    if (!complaint->exit_code) PetscCall(ContinueFinish(&job->root, outcome, complaint));
    /* the others may be deep in a branch, or hang */
    if (complaint->exit_code && job->size > 1 && (complaint->exit_code != EXIT_COME_BACK || outcome == POOL_SILENT))
      PetscCall(AppAbort(job->comm, complaint));
    if (!complaint->exit_code) Nothing_Private(&job->root, complaint);
  }
  PetscCall(PoolDestroy(&job->pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- before it ---- */

static PetscBool Has_Private(const Job *job, const char *name)
{
  char      path[PETSC_MAX_PATH_LEN];
  Complaint ignored = {0};

  (void)OutputPath(&job->given, name, sizeof path, path, &ignored);
  return !ignored.exit_code && !access(path, F_OK) ? PETSC_TRUE : PETSC_FALSE;
}

/* Parameters, starts that are in a file, the output folder. `go`: there is work to do. */
static PetscErrorCode Prepare_Private(Job *job, int argc, char **argv, PetscBool *go, Complaint *complaint)
{
  PetscBool read = PETSC_FALSE;

  PetscFunctionBeginUser;
  *go = PETSC_FALSE;
  PetscCall(ParamsRead(job->comm, COMMAND_CONTINUE, argc, argv, &job->given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&job->given, &job->units, &job->params, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LogSetUp(job->comm, job->params.quiet));
  /* a new run that cannot start leaves no folder; one that goes on, or is done, has its starts with it */
  if (job->rank == 0 && (job->given.overwrite || !(Has_Private(job, "branches.h5") || Has_Private(job, "branches.journal")))) {
    read = PETSC_TRUE;
    PetscCall(ContinueStartsRead(&job->params, &job->starts, complaint));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  PetscCall(OutputPrepare(job->comm, &job->given, COMMAND_CONTINUE, "branches.h5", &job->found, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (job->found == OUTPUT_DONE) {
    PetscCall(LogLine("%s/branches.h5 is complete: nothing to do", job->params.output));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (job->rank == 0) {
    ContinueRoot *r = &job->root;

    *r = (ContinueRoot){.comm   = job->comm,
                        .size   = job->size,
                        .argc   = argc,
                        .argv   = argv,
                        .given  = job->given,
                        .params = job->params,
                        .units  = job->units,
                        .begin  = AppBegin()};
    PetscCall(WalltimeFind(job->params.max_walltime, r->begin, &r->walltime));
    if (ContinueRootTimeLeft(r) <= 0)
      ComplaintSet(complaint, EXIT_OPTIONS,
                   "the time limit (%s) leaves nothing to compute in: %.0f s from the start, of which -walltime_margin %g s are kept; give "
                   "more time, or a smaller margin",
                   r->walltime.source, r->walltime.end - r->begin, (double)job->params.walltime_margin);
    if (!complaint->exit_code && !read) {
      PetscCall(ContinueJournalRead(r, &job->starts, complaint));
      if (!complaint->exit_code && !job->starts.n) PetscCall(ContinueStartsRead(&job->params, &job->starts, complaint));
    }
    if (!complaint->exit_code && !Has_Private(job, "used_parameters.yaml"))
      PetscCall(OutputWriteYaml(&job->given, COMMAND_CONTINUE, complaint));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  *go = (PetscBool)!complaint->exit_code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chosen where the branch starts. */
static PetscErrorCode ChooseModes_Private(Job *job, PetscInt *modes, Complaint *complaint)
{
  const Params *p = &job->params;
  Model         model;
  ModesChoice   choice;

  PetscFunctionBeginUser;
  PetscCall(ModelCreate(PETSC_COMM_SELF, &model));
  PetscCall(ModelSetParams(model, p));
  PetscCall(ModelChooseModes(model, p->forcing_amplitude, p->forcing_frequency, &choice, complaint));
  if (!complaint->exit_code) {
    *modes = choice.modes;
    PetscCall(LogLine("modes          %d: estimated error of the tip trajectory %.1e at the start, A = %g, W = %g", (int)*modes,
                      (double)choice.error, (double)p->forcing_amplitude, (double)p->forcing_frequency));
    if (!choice.met)
      PetscCall(LogWarning("-receptance_rtol %g is not met by %d modes, the most allowed; the run goes on with %.1e",
                           (double)p->receptance_rtol, (int)*modes, (double)choice.error));
  }
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Root knows the number of modes: of the file or journal that holds the starts, given, or chosen. All take it. */
static PetscErrorCode Modes_Private(Job *job, PetscInt *modes, Complaint *complaint)
{
  const PetscInt given = job->params.receptance_modes;

  PetscFunctionBeginUser;
  *modes = given ? given : job->params.beam_model == BEAM_MODES ? job->params.beam_frequencies.n : 0;
  if (job->rank == 0) {
    if (job->starts.modes && given && given != job->starts.modes)
      ComplaintSet(complaint, EXIT_OPTIONS, "option -receptance_modes: %d; allowed: %d, as %.400s was computed with, or 0", (int)given,
                   (int)job->starts.modes, *job->given.start_from ? job->given.start_from : "the part that is done");
    else if (job->starts.modes) {
      *modes = job->starts.modes;
      PetscCall(LogLine("modes          %d, as %s has it", (int)*modes,
                        job->found == OUTPUT_NEW && *job->given.start_from ? "the file" : "the run before"));
    } else if (*modes) PetscCall(LogLine("modes          %d, as given: no error was estimated", (int)*modes));
    else if (ModelChoosesModes(&job->params)) PetscCall(ChooseModes_Private(job, modes, complaint));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(modes, 1, MPIU_INT, 0, job->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On root: the orbits, simulated if need be, and the journal that holds them. */
static PetscErrorCode Start_Private(Job *job, Complaint *complaint)
{
  ContinueRoot   *r     = &job->root;
  const PetscBool first = (PetscBool)!job->starts.n;
  PetscInt        states;

  PetscFunctionBeginUser;
  PetscCall(ContinuationGetSize(job->continuation, &states));
  PetscCall(ContinuationGetModel(job->continuation, &r->model));
  if (first)
    PetscCall(
      ContinueStartsSimulate(job->continuation, &job->params, r->walltime.end - job->params.walltime_margin, &job->starts, complaint));
  else if (job->starts.start[0].start.n != states)
    ComplaintSet(complaint, EXIT_FILES, "option -start_from: %.400s has states of %d numbers, the model here %d", job->given.start_from,
                 (int)job->starts.start[0].start.n, (int)states);
  if (job->starts.outside || job->starts.not_periodic)
    PetscCall(LogLine("starts         %d; passed over: %d cells outside of the bounds, %d that are not periodic", (int)job->starts.n,
                      (int)job->starts.outside, (int)job->starts.not_periodic));
  if (!complaint->exit_code) PetscCall(ContinueJournalBegin(r, &job->starts, complaint));
  if (!complaint->exit_code) PetscCall(ContinueRootAddStarts(r, &job->starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp_Private(Job *job, Complaint *complaint)
{
  PetscInt modes;
  Model    model;

  PetscFunctionBeginUser;
  PetscCall(Modes_Private(job, &modes, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  job->root.modes = modes;
  PetscCall(ContinuationCreate(PETSC_COMM_SELF, &job->continuation));
  PetscCall(ContinuationSetParams(job->continuation, &job->params));
  PetscCall(ContinuationSetModes(job->continuation, modes));
  PetscCall(ContinuationSetUp(job->continuation, complaint));
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ContinuationGetModel(job->continuation, &model));
  PetscCall(OutputLogModel(model, &job->params));
  if (job->rank == 0) PetscCall(Start_Private(job, complaint));
  PetscCall(ComplaintAgree(job->comm, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandContinue - Branches of periodic orbits over -continue_parameter, to <output>/branches.h5 and branches.csv.

  Collective. Complaints: EXIT_OPTIONS and EXIT_FILES of what was asked for, EXIT_IO of the disk, EXIT_COME_BACK of a run that was stopped.
*/
PetscErrorCode CommandContinue(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Job      *job;
  PetscBool go;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&job));
  job->comm = comm;
  PetscCallMPI(MPI_Comm_rank(comm, &job->rank));
  PetscCallMPI(MPI_Comm_size(comm, &job->size));
  PetscCall(Prepare_Private(job, argc, argv, &go, complaint));
  if (go) {
    PetscCall(LogLine("continue       %s from %g to %g, %d rank%s", ContinueParameterNames[job->params.continue_parameter],
                      (double)job->params.continue_min, (double)job->params.continue_max, job->size, job->size > 1 ? "s" : ""));
    PetscCall(InterruptInstall());
    PetscCall(SetUp_Private(job, complaint));
    if (!complaint->exit_code) PetscCall(Run_Private(job, complaint));
  }
  PetscCall(ContinueStartsDestroy(&job->starts));
  PetscCall(ContinueRootDestroy(&job->root));
  PetscCall(ContinuationDestroy(&job->continuation));
  PetscCall(PetscFree(job));
  PetscFunctionReturn(PETSC_SUCCESS);
}
