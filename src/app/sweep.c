/*
  sweep.c - the command `graze sweep`: parameters, what is there already, model, pool of lines.

  The same command starts, resumes, or has nothing to do. What root keeps and why it stops is session.h.
*/
#include <math.h>
#include <string.h>

#include "app.h"
#include "graze/crash.h"
#include "graze/fault.h"
#include "graze/interrupt.h"
#include "graze/log.h"
#include "graze/sweep.h"
#include "graze/sweep_store.h"
#include "graze/units.h"
#include "graze/waves.h"
#include "output.h"
#include "session.h"

/* Everything the command holds; root alone has a session. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  Params      given, params; /* as the user said it; non-dimensional */
  Units       units;
  Grid        grid;
  Model       model;
  Sweep       sweep;
  Session     session;
  OutputFound found;
  double      begin; /* Unix time [s] */
} Job;

/* Cost of a forcing period in seconds per mode, for the estimate of a dry run alone. Measured: 0.9e-6 over all of inputs/period_adding. */
static const PetscReal seconds_per_mode = 1e-6;

/* What a sweep would take; nothing is run or written. */
static PetscErrorCode DryRun_Private(const Job *job)
{
  const Params   *p     = &job->params;
  const PetscBool waves = WavesMove(p, p->flow), chosen = ModelChoosesModes(p);
  const PetscInt  most  = chosen ? p->receptance_max_modes : PetscMax(p->beam_frequencies.n, 1);
  const PetscInt  modes = waves ? 0 : p->receptance_modes ? p->receptance_modes : most;
  /* waves: the fewest cells of the string that the step allows; a few more fit better */
  const PetscInt  states  = waves ? (PetscInt)ceil(2 / (p->beam_wave_speed * p->literal_step)) + 2 : 2 * modes + 2;
  const PetscReal periods = p->settle_periods + 1.5 * p->sample_periods;
  const PetscReal hours   = periods * modes * seconds_per_mode * job->grid.n_cells / 3600.0;
  CellLayout      layout;
  PetscReal       disk, memory;

  PetscFunctionBeginUser;
  CellLayoutSetUp(p, states, &layout);
  disk   = 8.0 * layout.length * (PetscReal)job->grid.n_cells;
  memory = 60e6 + 8.0 * (12.0 * modes * modes + layout.length * (PetscReal)job->grid.segment + states * 70.0);
  PetscCall(LogLine("cells          %" PetscInt_FMT " in %" PetscInt_FMT " units of work of up to %" PetscInt_FMT, job->grid.n_cells,
                    job->grid.n_units, job->grid.segment));
  PetscCall(LogLine("disk           %.3g MB, and as much again for the snapshot before while it runs", (double)disk / 1e6));
  PetscCall(LogLine("memory         about %.0f MB per rank", (double)memory / 1e6));
  if (waves) {
    PetscCall(LogLine("time           not estimated: %.3g steps of waves", (double)(periods * job->grid.n_cells * 2 * PETSC_PI /
                                                                                   RangeValue(p->sweep_frequency, 0) / p->literal_step)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(LogLine("time           about %.2g core-hours with %" PetscInt_FMT " mode%s%s", (double)hours, modes, modes > 1 ? "s" : "",
                    chosen ? " (the most that may be chosen)" : ""));
  if (p->flow == FLOW_LITERAL)
    PetscCall(LogLine("               for the exact flow: the literal scheme is many times slower, and the more so the longer it runs"));
  if (p->flow == FLOW_RESTITUTION)
    PetscCall(LogLine("               for the exact flow: rigid impacts take longer, the more there are, and they grow with the modes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of modes that the file was begun with. */
static PetscErrorCode StoredModes_Private(Job *job, PetscInt *modes, Complaint *complaint)
{
  char    path[PETSC_MAX_PATH_LEN];
  Store   store;
  int32_t value = 0;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&job->given, "sweep.h5", sizeof path, path, complaint));
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreRead(store, "/kernel/modes", NULL, NULL, &value, complaint));
  PetscCall(StoreClose(&store, complaint));
  *modes = value;
  if (!complaint->exit_code) PetscCall(LogLine("modes          %" PetscInt_FMT ", as the file has it", *modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ChooseModes_Private(Job *job, PetscInt *modes, Complaint *complaint)
{
  const PetscReal amplitude = RangeValue(job->params.sweep_amplitude, job->params.sweep_amplitude.count / 2);
  const PetscReal frequency = RangeValue(job->params.sweep_frequency, job->params.sweep_frequency.count / 2);
  ModesChoice     choice;

  PetscFunctionBeginUser;
  PetscCall(ModelChooseModes(job->model, amplitude, frequency, &choice, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  *modes = choice.modes;
  PetscCall(LogLine("modes          %" PetscInt_FMT
                    ": estimated error of the tip trajectory %.1e at the middle of the grid, A = %g, W = %g",
                    *modes, (double)choice.error, (double)amplitude, (double)frequency));
  if (!choice.met)
    PetscCall(LogWarning("-receptance_rtol %g is not met by %" PetscInt_FMT " modes, the most allowed; the run goes on with %.1e",
                         (double)job->params.receptance_rtol, *modes, (double)choice.error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Root knows the number of modes: given, in the file, or chosen at the middle of the grid. All take it. */
static PetscErrorCode Modes_Private(Job *job, Complaint *complaint)
{
  PetscInt modes = job->params.receptance_modes;

  PetscFunctionBeginUser;
  if (job->rank == 0) {
    if (job->found == OUTPUT_RESUME) PetscCall(StoredModes_Private(job, &modes, complaint));
    else if (modes) PetscCall(LogLine("modes          %" PetscInt_FMT ", as given: no error was estimated", modes));
    else if (ModelChoosesModes(&job->params)) PetscCall(ChooseModes_Private(job, &modes, complaint));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&modes, 1, MPIU_INT, 0, job->comm));
  PetscCall(ModelSetModes(job->model, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new file with everything but the cells. Root only. */
static PetscErrorCode Create_Private(Job *job, PetscInt states, int argc, char **argv, Complaint *complaint)
{
  char       path[PETSC_MAX_PATH_LEN];
  SweepStore sweep_store;
  Store      store;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&job->given, "sweep.h5", sizeof path, path, complaint));
  PetscCall(SweepStoreCreate(path, &job->params, states, &sweep_store, complaint));
  if (!complaint->exit_code) {
    PetscCall(SweepStoreGetStore(sweep_store, &store));
    PetscCall(OutputWriteParameters(store, &job->given, COMMAND_SWEEP, complaint));
    PetscCall(OutputWriteScales(store, &job->units, complaint));
    PetscCall(OutputWriteKernel(store, job->model, complaint));
    PetscCall(OutputWriteProvenance(store, job->comm, "Steady states of an impacting beam over forcing amplitude and frequency", "sweep",
                                    argc, argv, complaint));
    PetscCall(StoreReady(store, complaint));
    PetscCall(SweepStoreClose(&sweep_store, complaint));
  }
  PetscCall(SweepStoreDestroy(&sweep_store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bits are only equal on one kind of machine with one set of libraries: where the spectrum is not that of the file the user is told. */
static PetscErrorCode CompareSpectrum_Private(Job *job, Complaint *complaint)
{
  char             path[PETSC_MAX_PATH_LEN];
  Store            store;
  Receptance       receptance;
  const PetscReal *w, *r;
  PetscReal       *there, largest = 0;
  PetscInt         M;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&job->given, "sweep.h5", sizeof path, path, complaint));
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ModelGetReceptance(job->model, &receptance));
  PetscCall(ReceptanceGetModes(receptance, &M, &w, &r, NULL, NULL));
  PetscCall(PetscMalloc1(2 * M, &there));
  PetscCall(StoreRead(store, "/kernel/natural_frequency", NULL, NULL, there, complaint));
  PetscCall(StoreRead(store, "/kernel/residue", NULL, NULL, there + M, complaint));
  if (!complaint->exit_code && (memcmp(there, w, (size_t)M * sizeof *w) || memcmp(there + M, r, (size_t)M * sizeof *r))) {
    for (PetscInt k = 0; k < M; ++k) largest = PetscMax(largest, fabs(there[k] / w[k] - 1));
    PetscCall(LogWarning("natural frequencies differ by up to %.1e from those in the file (another machine or other libraries): from here "
                         "on cells agree with those before to rounding, not to the last bit",
                         (double)largest));
  }
  PetscCall(PetscFree(there));
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work_Private(void *ctx, Pool pool, const PoolPiece *piece)
{
  PetscFunctionBeginUser;
  PetscCall(SweepWork(((Job *)ctx)->sweep, pool, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assign_Private(void *ctx, PetscMPIInt rank, const PoolPiece *piece, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SessionAssign(((Job *)ctx)->session, rank, piece, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit_Private(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                                     Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SessionCommit(((Job *)ctx)->session, rank, unit, step, nbytes, bytes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tick_Private(void *ctx, Pool pool, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(SessionTick(((Job *)ctx)->session, pool, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Hand out what is left, keep what comes back. */
static PetscErrorCode Run_Private(Job *job, Complaint *complaint)
{
  const PoolCallbacks callbacks = {.work = Work_Private, .assign = Assign_Private, .commit = Commit_Private, .tick = Tick_Private};
  const double        start     = MPI_Wtime();
  Pool                pool;
  PoolOutcome         outcome;

  PetscFunctionBeginUser;
  PetscCall(PoolCreate(job->comm, &pool));
  PetscCall(PoolSetCallbacks(pool, &callbacks, job));
  if (job->rank == 0) PetscCall(SessionAddPieces(job->session, pool, complaint));
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (!complaint->exit_code) PetscCall(PoolRun(pool, &outcome, complaint));
  if (job->rank == 0) {
    if (!complaint->exit_code) PetscCall(SessionFinish(job->session, pool, outcome, MPI_Wtime() - start, complaint));
    if (complaint->exit_code && complaint->exit_code != EXIT_COME_BACK) PetscCall(SessionFail(job->session, pool, complaint));
    /* the others may be deep in a line, or hang */
    if (complaint->exit_code && job->size > 1 && (complaint->exit_code != EXIT_COME_BACK || outcome == POOL_SILENT))
      PetscCall(AppAbort(job->comm, complaint));
  }
  PetscCall(PoolDestroy(&pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -shard k/N: a folder of its own inside the one that was asked for. */
static PetscErrorCode Shard_Private(Job *job, Complaint *complaint)
{
  const Shard shard = job->given.shard;
  char        name[64], path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  if (!shard.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof name, "shard-%" PetscInt_FMT "-of-%" PetscInt_FMT, shard.k, shard.n));
  PetscCall(OutputPath(&job->given, name, sizeof path, path, complaint));
  PetscCall(PetscStrncpy(job->given.output, path, sizeof job->given.output));
  PetscCall(PetscStrncpy(job->params.output, path, sizeof job->params.output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters, the output folder, and what can be said before any work. `go`: there is work to do. */
static PetscErrorCode Prepare_Private(Job *job, int argc, char **argv, PetscBool *go, Complaint *complaint)
{
  PetscFunctionBeginUser;
  *go = PETSC_FALSE;
  PetscCall(ParamsRead(job->comm, COMMAND_SWEEP, argc, argv, &job->given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&job->given, &job->units, &job->params, complaint));
  if (!complaint->exit_code) PetscCall(Shard_Private(job, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GridSetUp(&job->params, &job->grid));
  PetscCall(LogSetUp(job->comm, job->params.quiet));
  if (job->params.dry_run) {
    PetscCall(DryRun_Private(job));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OutputPrepare(job->comm, &job->given, COMMAND_SWEEP, "sweep.h5", &job->found, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (job->found == OUTPUT_DONE) {
    PetscCall(LogLine("%s/sweep.h5 is complete: nothing to do", job->params.output));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (job->rank == 0) {
    PetscCall(FaultPoint("start"));
    if (job->found == OUTPUT_NEW) PetscCall(OutputWriteYaml(&job->given, COMMAND_SWEEP, complaint));
    PetscCall(SessionCreate(&job->given, &job->params, job->size, job->begin, &job->session, complaint));
    if (job->found == OUTPUT_RESUME && !complaint->exit_code) PetscCall(SessionRecover(job->session, complaint));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  *go = (PetscBool)!complaint->exit_code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Model and work on all ranks; on root the file and what is to do. */
static PetscErrorCode SetUp_Private(Job *job, int argc, char **argv, Complaint *complaint)
{
  const CellLayout *layout;
  PetscInt          left = 0;

  PetscFunctionBeginUser;
  PetscCall(ModelCreate(PETSC_COMM_SELF, &job->model));
  PetscCall(ModelSetParams(job->model, &job->params));
  PetscCall(Modes_Private(job, complaint));
  if (!complaint->exit_code) PetscCall(ModelSetUp(job->model, complaint));
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OutputLogModel(job->model, &job->params));
  PetscCall(SweepCreate(PETSC_COMM_SELF, &job->sweep));
  PetscCall(SweepSetParams(job->sweep, &job->params));
  PetscCall(SweepSetModel(job->sweep, job->model));
  PetscCall(SweepSetUp(job->sweep));
  if (job->rank == 0) {
    PetscCall(SweepGetLayout(job->sweep, &layout));
    if (job->found == OUTPUT_NEW) {
      PetscCall(Create_Private(job, layout->states, argc, argv, complaint));
      if (!complaint->exit_code) PetscCall(SessionRecover(job->session, complaint));
    } else PetscCall(CompareSpectrum_Private(job, complaint));
    if (!complaint->exit_code) PetscCall(SessionStart(job->session, complaint));
    if (!complaint->exit_code) PetscCall(SessionGetLeft(job->session, &left));
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code || job->rank) PetscFunctionReturn(PETSC_SUCCESS);
  if (left && (job->size - (job->size > POOL_ROOT_WORKS)) > job->grid.n_units)
    PetscCall(LogWarning("%" PetscInt_FMT " of %d ranks will idle: there are only %" PetscInt_FMT " lines (-sweep_segment cuts them)",
                         job->size - (job->size > POOL_ROOT_WORKS) - job->grid.n_units, job->size, job->grid.n_units));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CommandSweep(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Job       job = {.comm = comm, .begin = AppBegin()};
  PetscBool go;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &job.rank));
  PetscCallMPI(MPI_Comm_size(comm, &job.size));
  PetscCall(Prepare_Private(&job, argc, argv, &go, complaint));
  if (go) {
    PetscCall(LogLine("sweep          %" PetscInt_FMT " x %" PetscInt_FMT " cells (amplitude x frequency)%s, %d rank%s",
                      GridAmplitudes(&job.grid), GridFrequencies(&job.grid),
                      job.grid.n_directions > 1   ? ", up and down"
                      : job.grid.direction[0] > 0 ? ", up"
                                                  : ", down",
                      job.size, job.size > 1 ? "s" : ""));
    PetscCall(InterruptInstall());
    PetscCall(CrashInstall(job.given.output, job.rank));
    PetscCall(SetUp_Private(&job, argc, argv, complaint));
    if (!complaint->exit_code) PetscCall(Run_Private(&job, complaint));
  }
  PetscCall(SessionDestroy(&job.session));
  PetscCall(SweepDestroy(&job.sweep));
  PetscCall(ModelDestroy(&job.model));
  PetscFunctionReturn(PETSC_SUCCESS);
}
