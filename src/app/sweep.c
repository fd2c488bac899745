/*
  sweep.c - the command `graze sweep`: parameters, model, pool of lines, one writer, summary.
*/
#include <math.h>

#include "app.h"
#include "graze/log.h"
#include "graze/provenance.h"
#include "graze/sweep.h"
#include "graze/units.h"
#include "output.h"

/* Everything the command holds; root alone has a store. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  Params      given, params; /* as the user said it; non-dimensional */
  Units       units;
  Grid        grid;
  Model       model;
  Sweep       sweep;
  SweepStore  store;
  PetscReal   begin; /* wall clock */
} Job;

/* Cost of a forcing period in seconds per mode, for the estimate of a dry run alone. Measured: 0.9e-6 over all of inputs/period_adding. */
static const PetscReal seconds_per_mode = 1e-6;

/* What a sweep would take; nothing is run or written. */
static PetscErrorCode DryRun_Private(const Job *job)
{
  const PetscInt  modes = job->params.receptance_modes ? job->params.receptance_modes : job->params.receptance_max_modes;
  const PetscReal periods = job->params.settle_periods + 1.5 * job->params.sample_periods;
  const PetscReal hours = periods * modes * seconds_per_mode * job->grid.n_cells / 3600.0;
  CellLayout      layout;
  PetscReal       disk, memory;

  PetscFunctionBeginUser;
  CellLayoutSetUp(&job->params, &layout);
  disk   = 8.0 * layout.length * (PetscReal)job->grid.n_cells;
  memory = 60e6 + 8.0 * (12.0 * modes * modes + layout.length * (PetscReal)job->grid.segment + 2.0 * modes * 70.0);
  PetscCall(LogLine("cells          %" PetscInt_FMT " in %" PetscInt_FMT " units of work of up to %" PetscInt_FMT, job->grid.n_cells, job->grid.n_units, job->grid.segment));
  PetscCall(LogLine("disk           %.3g MB", (double)disk / 1e6));
  PetscCall(LogLine("memory         about %.0f MB per rank", (double)memory / 1e6));
  PetscCall(LogLine("time           about %.2g core-hours with %" PetscInt_FMT " modes%s", (double)hours, modes, job->params.receptance_modes ? "" : " (the most that may be chosen)"));
  if (job->params.flow == FLOW_LITERAL) PetscCall(LogLine("               for the exact flow: the literal scheme is many times slower, and the more so the longer it runs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Root chooses the number of modes at the middle of the grid, all take it. */
static PetscErrorCode Modes_Private(Job *job, Complaint *complaint)
{
  PetscInt modes = job->params.receptance_modes;

  PetscFunctionBeginUser;
  if (modes) {
    PetscCall(LogLine("modes          %" PetscInt_FMT ", as given: no error was estimated", modes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (job->rank == 0) {
    const PetscReal amplitude = RangeValue(job->params.sweep_amplitude, job->params.sweep_amplitude.count / 2);
    const PetscReal frequency = RangeValue(job->params.sweep_frequency, job->params.sweep_frequency.count / 2);
    ModesChoice     choice;

    PetscCall(ModelChooseModes(job->model, amplitude, frequency, &choice, complaint));
    if (!complaint->exit_code) {
      modes = choice.modes;
      PetscCall(LogLine("modes          %" PetscInt_FMT ": estimated error of the tip trajectory %.1e at the middle of the grid, A = %g, W = %g", modes, (double)choice.error, (double)amplitude, (double)frequency));
      if (!choice.met) PetscCall(LogWarning("-receptance_rtol %g is not met by %" PetscInt_FMT " modes, the most allowed; the run goes on with %.1e", (double)job->params.receptance_rtol, modes, (double)choice.error));
    }
  }
  PetscCall(ComplaintAgree(job->comm, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&modes, 1, MPIU_INT, 0, job->comm));
  PetscCall(ModelSetModes(job->model, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file with everything but the cells. Root only. */
static PetscErrorCode Store_Private(Job *job, int argc, char **argv, Complaint *complaint)
{
  char       path[PETSC_MAX_PATH_LEN + 16];
  Store      store;
  Receptance receptance;
  PetscInt   M;
  PetscReal  L_plus;
  const Tail *tail;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/sweep.h5", job->params.output));
  PetscCall(SweepStoreCreate(path, &job->params, &job->store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepStoreGetStore(job->store, &store));
  PetscCall(OutputWriteParameters(store, &job->given, COMMAND_SWEEP, complaint));
  PetscCall(OutputWriteScales(store, &job->units, complaint));
  PetscCall(OutputWriteKernel(store, job->model, complaint));
  PetscCall(OutputWriteProvenance(store, job->comm, "Steady states of an impacting beam over forcing amplitude and frequency", "sweep", argc, argv, complaint));
  PetscCall(StoreReady(store, complaint));
  PetscCall(ModelGetReceptance(job->model, &receptance));
  PetscCall(ReceptanceGetModes(receptance, &M, NULL, NULL, NULL, NULL));
  PetscCall(ReceptanceGetTail(receptance, &tail, &L_plus, NULL));
  PetscCall(LogLine("kernel         L+ = %.12g, %" PetscInt_FMT " modes, tail of order %" PetscInt_FMT, (double)L_plus, M, tail->order));
  if (tail->order != job->params.receptance_closure)
    PetscCall(LogWarning("a tail of order %" PetscInt_FMT " stands in for order %" PetscInt_FMT ", which has no passive solution at this damping", tail->order, job->params.receptance_closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work_Private(void *ctx, Pool pool, PetscInt unit, PetscInt *nbytes, const void **result)
{
  PetscFunctionBeginUser;
  PetscCall(SweepWork(((Job *)ctx)->sweep, pool, unit, nbytes, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit_Private(void *ctx, PetscInt unit, PetscMPIInt rank, PetscInt nbytes, const void *result, Complaint *complaint)
{
  PetscFunctionBeginUser;
  (void)rank;
  PetscCall(SweepStoreCommit(((Job *)ctx)->store, unit, nbytes, result, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Progress_Private(void *ctx, PetscInt done, PetscInt total, PetscReal seconds)
{
  PetscFunctionBeginUser;
  (void)ctx;
  PetscCall(LogProgress("cells", done, total, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells by status, busy fractions, slowest cells. Root only, before the store is closed. */
static PetscErrorCode Summary_Private(const Job *job, const PetscReal *busy, PetscReal pool_seconds)
{
  const SweepTally *tally;
  char              line[512] = "";

  PetscFunctionBeginUser;
  PetscCall(SweepStoreGetTally(job->store, &tally));
  for (int i = 0; i < STATUS_COUNT; ++i)
    if (tally->by_status[i]) PetscCall(LogLine("%-19s  %" PetscInt_FMT, SteadyStatusNames[i], tally->by_status[i]));
  for (PetscMPIInt r = 0; r < PetscMin(job->size, 16); ++r) {
    char word[32];

    if (isnan(busy[r])) PetscCall(PetscSNPrintf(word, sizeof(word), " serves"));
    else PetscCall(PetscSNPrintf(word, sizeof(word), " %.1f%%", 100.0 * (double)busy[r]));
    PetscCall(PetscStrlcat(line, word, sizeof(line)));
  }
  PetscCall(LogLine("busy by rank  %s%s", line, job->size > 16 ? " ..." : ""));
  for (PetscInt i = 0; i < tally->n_slowest; ++i)
    PetscCall(LogLine("%s  %.2f s at A = %.6g, W = %.6g, %s", i == 0 ? "slowest cells" : "             ", (double)tally->slowest[i].seconds, (double)tally->slowest[i].amplitude,
                      (double)tally->slowest[i].frequency, tally->slowest[i].direction > 0 ? "up" : "down"));
  PetscCall(LogLine("time           %.1f s for the cells, %.1f s before them for modes and kernel", (double)pool_seconds, (double)(MPI_Wtime() - job->begin - pool_seconds)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Hand out the units, gather the rows, close the file. */
static PetscErrorCode Run_Private(Job *job, Complaint *complaint)
{
  const PoolCallbacks callbacks = {.work = Work_Private, .commit = Commit_Private, .progress = Progress_Private};
  const PetscInt      n         = job->grid.n_units;
  Pool                pool;
  PetscInt           *steps;
  PetscReal          *cost, start;
  const PetscReal    *busy;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(n, &steps, n, &cost));
  for (PetscInt i = 0; i < n; ++i) {
    GridUnit u;

    GridGetUnit(&job->grid, i, &u);
    steps[i] = u.n;
    cost[i]  = GridExpectedCost(&job->grid, i);
  }
  PetscCall(PoolCreate(job->comm, &pool));
  PetscCall(PoolSetUnits(pool, n, steps, cost));
  PetscCall(PoolSetCallbacks(pool, &callbacks, job));
  start = MPI_Wtime();
  PetscCall(PoolRun(pool, complaint));
  if (complaint->exit_code && job->size > 1) PetscCall(AppAbort(job->comm, complaint)); /* the others may be deep in a line */
  if (job->rank == 0 && !complaint->exit_code) {
    Store store;

    PetscCall(PoolGetBusy(pool, &busy));
    PetscCall(Summary_Private(job, busy, MPI_Wtime() - start));
    PetscCall(SweepStoreGetStore(job->store, &store));
    PetscCall(ProvenanceWriteEnd(store, complaint));
    PetscCall(SweepStoreFinish(&job->store, complaint));
    if (!complaint->exit_code) PetscCall(LogLine("result         %s/sweep.h5", job->params.output));
  }
  PetscCall(PoolDestroy(&pool));
  PetscCall(PetscFree2(steps, cost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters, the output folder, and what can be said before any work. `go`: there is work to do. */
static PetscErrorCode Prepare_Private(Job *job, int argc, char **argv, PetscBool *go, Complaint *complaint)
{
  PetscBool  done = PETSC_FALSE;
  CellLayout layout;

  PetscFunctionBeginUser;
  *go = PETSC_FALSE;
  PetscCall(ParamsRead(job->comm, COMMAND_SWEEP, argc, argv, &job->given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&job->given, &job->units, &job->params, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GridSetUp(&job->params, &job->grid));
  CellLayoutSetUp(&job->params, &layout);
  if ((double)layout.length * (double)job->grid.segment * sizeof(PetscReal) > (double)PETSC_MAX_INT) {
    ComplaintSet(complaint, EXIT_OPTIONS, "a line of %" PetscInt_FMT " cells does not fit into one message: cut it with -sweep_segment, or lower -max_contacts", job->grid.segment);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(LogSetUp(job->comm, job->params.quiet));
  if (job->params.dry_run) {
    PetscCall(DryRun_Private(job));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OutputPrepare(job->comm, &job->given, COMMAND_SWEEP, "sweep.h5", &done, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (done) {
    PetscCall(LogLine("%s/sweep.h5 is complete: nothing to do", job->params.output));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (job->rank == 0) PetscCall(OutputWriteYaml(&job->given, COMMAND_SWEEP, complaint));
  PetscCall(ComplaintAgree(job->comm, complaint));
  *go = (PetscBool)!complaint->exit_code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CommandSweep(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Job       job = {.comm = comm, .begin = MPI_Wtime()};
  PetscBool go;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &job.rank));
  PetscCallMPI(MPI_Comm_size(comm, &job.size));
  PetscCall(Prepare_Private(&job, argc, argv, &go, complaint));
  if (!go) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(LogLine("sweep          %" PetscInt_FMT " x %" PetscInt_FMT " cells (amplitude x frequency)%s, %d rank%s", job.grid.amplitude.count, job.grid.frequency.count,
                    job.grid.n_directions > 1 ? ", up and down" : job.grid.direction[0] > 0 ? ", up" : ", down", job.size, job.size > 1 ? "s" : ""));
  if (job.size - (job.size > POOL_ROOT_WORKS) > job.grid.n_units)
    PetscCall(LogWarning("%" PetscInt_FMT " of %d ranks will idle: there are only %" PetscInt_FMT " lines (-sweep_segment cuts them)", job.size - (job.size > POOL_ROOT_WORKS) - job.grid.n_units,
                         job.size, job.grid.n_units));
  PetscCall(ModelCreate(PETSC_COMM_SELF, &job.model));
  PetscCall(ModelSetParams(job.model, &job.params));
  PetscCall(Modes_Private(&job, complaint));
  if (!complaint->exit_code) PetscCall(ModelSetUp(job.model, complaint));
  if (!complaint->exit_code && job.rank == 0) PetscCall(Store_Private(&job, argc, argv, complaint));
  PetscCall(ComplaintAgree(comm, complaint));
  if (!complaint->exit_code) {
    PetscCall(SweepCreate(PETSC_COMM_SELF, &job.sweep));
    PetscCall(SweepSetParams(job.sweep, &job.params));
    PetscCall(SweepSetModel(job.sweep, job.model));
    PetscCall(SweepSetUp(job.sweep));
    PetscCall(Run_Private(&job, complaint));
  }
  PetscCall(SweepDestroy(&job.sweep));
  PetscCall(SweepStoreDestroy(&job.store));
  PetscCall(ModelDestroy(&job.model));
  PetscFunctionReturn(PETSC_SUCCESS);
}
