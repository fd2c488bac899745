/*
  trajectory.c - the command `graze trajectory`: one motion from the stated initial condition, its samples and its contacts.

  One rank does the work; the others wait. Everything is held in memory and the file is written at the end, under a temporary name: it is
  there as a whole or not at all.
*/
#include <math.h>
#include <stdint.h>

#include "app.h"
#include "graze/log.h"
#include "graze/provenance.h"
#include "graze/waves.h"
#include "output.h"

#define RESULT "trajectory.h5"

/* What the flow left behind. */
typedef struct {
  FlowRecord record;
  PetscReal *time; /* shape [record.n_samples]; the first record.next_sample were reached */
  FlowReason reason;
  PetscReal  period, end; /* forcing period; time that was reached [t0] */
} Motion;

static const char *const flow_names[] = {"exact", "literal", "restitution"}; /* FlowType */

/* What is done before any of it is; also the whole of a dry run. */
static PetscErrorCode Announce_Private(const Params *given, const Params *params)
{
  const PetscReal period  = 2 * PETSC_PI / params->forcing_frequency;
  const PetscInt  samples = params->periods * params->samples_per_period + 1;

  PetscFunctionBeginUser;
  PetscCall(LogLine("trajectory     A = %.9g, W = %.9g, %" PetscInt_FMT " periods of %.9g t0, the %s flow",
                    (double)params->forcing_amplitude, (double)params->forcing_frequency, params->periods, (double)period,
                    flow_names[params->flow]));
  if (!params->dry_run) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LogLine("samples        %" PetscInt_FMT ", %.3g MB in memory and on disk, and the contacts", samples, 32e-6 * samples));
  if (WavesMove(params, params->flow)) PetscCall(LogLine("modes          none: the motion is computed from waves"));
  else if (params->receptance_modes) PetscCall(LogLine("modes          %" PetscInt_FMT, params->receptance_modes));
  else if (params->beam_model == BEAM_MODES)
    PetscCall(LogLine("modes          %" PetscInt_FMT ", all that were given", params->beam_frequencies.n));
  else if (ModelChoosesModes(params))
    PetscCall(LogLine("modes          to be chosen, at most %" PetscInt_FMT ", for an error of %g", params->receptance_max_modes,
                      (double)params->receptance_rtol));
  if (params->flow == FLOW_LITERAL)
    PetscCall(LogLine("steps          %.3g%s", (double)(ceil(period / params->literal_step) * params->periods),
                      WavesMove(params, params->flow) ? "" : ", and the cost of one grows with the contacts before it"));
  PetscCall(LogLine("result         would be %s/" RESULT "; nothing was run or written", given->output));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpModel_Private(Model model, const Params *params, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(ModelSetParams(model, params));
  if (ModelChoosesModes(params)) {
    ModesChoice choice;

    PetscCall(ModelChooseModes(model, params->forcing_amplitude, params->forcing_frequency, &choice, complaint));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(LogLine("modes          %" PetscInt_FMT ": estimated error of the tip trajectory %.1e", choice.modes, (double)choice.error));
    if (!choice.met)
      PetscCall(LogWarning("-receptance_rtol %g is not met by %" PetscInt_FMT " modes, the most that could be tried",
                           (double)params->receptance_rtol, choice.modes));
  }
  PetscCall(ModelSetUp(model, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OutputLogModel(model, params));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the motion ---- */

static PetscErrorCode MotionCreate_Private(const Params *params, Motion *motion)
{
  const PetscInt per = params->samples_per_period, n = params->periods * per + 1;
  FlowRecord    *r = &motion->record;

  PetscFunctionBeginUser;
  *motion      = (Motion){.period = 2 * PETSC_PI / params->forcing_frequency};
  r->n_samples = n;
  PetscCall(PetscMalloc4(n, &motion->time, n, &r->sample_y1, n, &r->sample_y2, n, &r->sample_f));
  for (PetscInt i = 0; i < n; i++)
    motion->time[i] = (PetscReal)(i / per) * motion->period + (PetscReal)(i % per) / (PetscReal)per * motion->period;
  /* Rounding must not put the last sample behind the last strobe, where no period follows that would take it. */
  motion->time[n - 1] *= 1 - 4 * PETSC_MACHINE_EPSILON;
  r->sample_time = motion->time;
  PetscCall(FlowRecordReset(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MotionDestroy_Private(Motion *motion)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(motion->time, motion->record.sample_y1, motion->record.sample_y2, motion->record.sample_f));
  PetscCall(PetscFree(motion->record.contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for every contact that one more period may bring. */
static PetscErrorCode MotionReserve_Private(const Params *params, Motion *motion)
{
  FlowRecord    *r      = &motion->record;
  const PetscInt needed = r->count + params->flow_max_events + 2;

  PetscFunctionBeginUser;
  if (r->capacity >= needed) PetscFunctionReturn(PETSC_SUCCESS);
  r->capacity = 2 * needed;
  PetscCall(PetscRealloc(sizeof(Contact) * (size_t)r->capacity, &r->contact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over the periods asked for, or until the flow gives up: what came before that stays in the record. */
static PetscErrorCode Move_Private(Model model, const Params *params, Motion *motion)
{
  const double        begin = MPI_Wtime();
  const ForcingShape *load;
  Flow                flow;
  FlowState           state;
  PetscInt            n, done = 0;

  PetscFunctionBeginUser;
  PetscCall(ModelGetLoad(model, &load));
  PetscCall(ModelCreateFlow(model, params->flow, &flow));
  PetscCall(FlowSetForcing(flow, load, params->forcing_amplitude, params->forcing_frequency));
  PetscCall(FlowGetSize(flow, &n));
  PetscCall(PetscMalloc1(n, &state.x));
  PetscCall(FlowInitialState(flow, &state));
  PetscCall(FlowSetRecord(flow, &motion->record));
  PetscCall(FlowStart(flow, &state));
  while (done < params->periods && !motion->reason) {
    PetscCall(MotionReserve_Private(params, motion));
    PetscCall(FlowPeriod(flow, &state, &motion->reason));
    if (!motion->reason) PetscCall(LogProgress("periods", 0, ++done, params->periods, MPI_Wtime() - begin));
  }
  motion->end = (PetscReal)done * motion->period;
  if (!motion->reason) {
    PetscCheck(motion->record.next_sample == motion->record.n_samples, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d samples of %d were passed",
               (int)motion->record.next_sample, (int)motion->record.n_samples);
    motion->time[motion->record.n_samples - 1] = motion->end; /* see MotionCreate_Private */
  }
  if (motion->reason) {
    const FlowRecord *r = &motion->record;

    if (r->next_sample) motion->end = PetscMax(motion->end, motion->time[r->next_sample - 1]);
    PetscCall(LogWarning("the flow ended in period %" PetscInt_FMT " of %" PetscInt_FMT ": %s; what came before is stored", done + 1,
                         params->periods, FlowReasons[motion->reason]));
  }
  PetscCall(PetscFree(state.x));
  PetscCall(FlowDestroy(&flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ---- */

static PetscErrorCode Scalar_Private(Store store, const char *name, const char *long_name, const char *scale, PetscReal value,
                                     Complaint *complaint)
{
  char path[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreDefineVariable(store, "/", name, STORE_REAL, 0, NULL, complaint));
  PetscCall(OutputDescribe(store, path, long_name, scale, complaint));
  PetscCall(StoreWrite(store, path, NULL, NULL, &value, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_Private(Store store, const char *name, const char *long_name, int32_t value, Complaint *complaint)
{
  char path[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreDefineVariable(store, "/", name, STORE_INT32, 0, NULL, complaint));
  PetscCall(OutputDescribe(store, path, long_name, "1", complaint));
  PetscCall(StoreWrite(store, path, NULL, NULL, &value, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Array_Private(Store store, const char *name, StoreType type, const char *dim, const char *long_name,
                                    const char *scale, const void *values, Complaint *complaint)
{
  char path[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "/%s", name));
  PetscCall(StoreDefineVariable(store, "/", name, type, 1, &dim, complaint));
  PetscCall(OutputDescribe(store, path, long_name, scale, complaint));
  PetscCall(StoreWrite(store, path, NULL, NULL, values, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An onset for every contact, a release for every contact that ended, in order of time; at an impact both at once. */
static PetscErrorCode WriteEvents_Private(Store store, const Params *params, const Motion *motion, Complaint *complaint)
{
  const FlowRecord *r       = &motion->record;
  const int8_t      flags[] = {1, 2};
  const PetscInt    room    = 2 * r->count + 1;
  PetscReal        *time, *velocity, *force, *impulse;
  int8_t           *type;
  int32_t          *number;
  PetscInt          n = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc6(room, &time, room, &velocity, room, &force, room, &impulse, room, &type, room, &number));
  for (PetscInt i = 0; i < r->count; i++) {
    const Contact *c = &r->contact[i];

    time[n]     = ((PetscReal)c->period + c->phase) * motion->period;
    velocity[n] = c->velocity;
    impulse[n]  = c->impulse;
    force[n]    = c->force;
    type[n++]   = flags[0];
    if (PetscIsNanReal(c->duration)) continue;
    time[n]   = time[n - 1] + c->duration;
    type[n++] = flags[1];
  }
  for (PetscInt i = 0; i < n; i++) number[i] = (int32_t)i;
  PetscCall(StoreDefineDimension(store, "/", "event", STORE_INT32, n, number, complaint));
  PetscCall(OutputDescribe(store, "/event", "number of the event, from 0", "1", complaint));
  PetscCall(Array_Private(store, "event_time", STORE_REAL, "event", "time of the event", "t0", time, complaint));
  PetscCall(Array_Private(store, "event_type", STORE_INT8, "event", "what happened", "1", type, complaint));
  PetscCall(StoreAttributeNumbers(store, "/event_type", "flag_values", STORE_INT8, 2, flags, complaint));
  PetscCall(StoreAttributeText(store, "/event_type", "flag_meanings", "onset release", complaint));
  PetscCall(Array_Private(store, "event_velocity", STORE_REAL, "event", "tip velocity just before an onset; 0 at a release", "L/t0",
                          velocity, complaint));
  PetscCall(Array_Private(store, "event_force", STORE_REAL, "event", "contact force just after an onset; 0 at a release",
                          UnitsScale(params->beam_model, "EI/L^2"), force, complaint));
  if (params->flow == FLOW_RESTITUTION)
    PetscCall(Array_Private(store, "event_impulse", STORE_REAL, "event", "impulse of the contact that begins; 0 at a release",
                            UnitsScale(params->beam_model, "EI t0/L^2"), impulse, complaint));
  PetscCall(PetscFree6(time, velocity, force, impulse, type, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteData_Private(Store store, const Params *params, const Motion *motion, Complaint *complaint)
{
  const FlowRecord *r        = &motion->record;
  const PetscBool   seen     = r->max_displacement >= r->min_displacement ? PETSC_TRUE : PETSC_FALSE;
  const int8_t      complete = 1;

  PetscFunctionBeginUser;
  PetscCall(StoreDefineDimension(store, "/", "time", STORE_REAL, r->next_sample, motion->time, complaint));
  PetscCall(OutputDescribe(store, "/time", "time since the start, a strobe", "t0", complaint));
  PetscCall(Array_Private(store, "displacement", STORE_REAL, "time", "tip displacement", "L", r->sample_y1, complaint));
  PetscCall(Array_Private(store, "velocity", STORE_REAL, "time", "tip velocity; 0 in contact", "L/t0", r->sample_y2, complaint));
  PetscCall(Array_Private(store, "force", STORE_REAL, "time", "contact force; 0 in flight", UnitsScale(params->beam_model, "EI/L^2"),
                          r->sample_f, complaint));
  PetscCall(WriteEvents_Private(store, params, motion, complaint));
  PetscCall(Scalar_Private(store, "stop_position", "tip displacement at the stop", "L", params->stop_position, complaint));
  PetscCall(Scalar_Private(store, "amplitude", "forcing amplitude A of A cos(W t)", OutputAmplitudeScale(params),
                           params->forcing_amplitude, complaint));
  PetscCall(Scalar_Private(store, "frequency", "angular forcing frequency W", "rad/t0", params->forcing_frequency, complaint));
  PetscCall(Scalar_Private(store, "max_displacement", "largest tip displacement", "L", seen ? r->max_displacement : NAN, complaint));
  PetscCall(Scalar_Private(store, "min_displacement", "smallest tip displacement", "L", seen ? r->min_displacement : NAN, complaint));
  PetscCall(
    Scalar_Private(store, "min_gap", "smallest distance from the stop at which the tip turned back in flight", "L", r->min_gap, complaint));
  PetscCall(Scalar_Private(store, "peak_force",
                           params->flow == FLOW_RESTITUTION ? "largest contact force of sticking" : "largest contact force",
                           UnitsScale(params->beam_model, "EI/L^2"), r->peak_force, complaint));
  PetscCall(Scalar_Private(store, "contact_fraction", "share of the time in contact", "1",
                           motion->end > 0 ? r->time_in_contact / motion->end : NAN, complaint));
  if (params->flow == FLOW_RESTITUTION) {
    const int32_t impacts = (int32_t)r->impacts, sticks = (int32_t)r->sticks;

    PetscCall(Count_Private(store, "impacts", "rigid impacts", impacts, complaint));
    PetscCall(Count_Private(store, "sticks", "spells of sticking that followed an accumulation of impacts", sticks, complaint));
  }
  PetscCall(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &complete, complaint));
  PetscCall(StoreAttributeText(store, "/", "reason", FlowReasons[motion->reason], complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

typedef struct {
  MPI_Comm comm;
  int      argc;
  char   **argv;
  Params   given, params; /* as the user said it; non-dimensional */
  Units    units;
} Job;

static PetscErrorCode Write_Private(const Job *job, Model model, const Motion *motion, Complaint *complaint)
{
  char  path[PETSC_MAX_PATH_LEN];
  Store store = NULL;

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&job->given, RESULT, sizeof path, path, complaint));
  PetscCall(StoreCreate(path, &store, complaint));
  PetscCall(OutputWriteProvenance(store, job->comm, "Motion of an impacting beam's tip", "trajectory", job->argc, job->argv, complaint));
  PetscCall(OutputWriteParameters(store, &job->given, COMMAND_TRAJECTORY, complaint));
  PetscCall(OutputWriteScales(store, &job->units, complaint));
  PetscCall(OutputWriteKernel(store, model, complaint));
  PetscCall(WriteData_Private(store, &job->params, motion, complaint));
  PetscCall(ProvenanceWriteEnd(store, complaint));
  PetscCall(StoreReady(store, complaint));
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Summary_Private(const Job *job, const Motion *motion)
{
  const FlowRecord *r = &motion->record;
  char              path[PETSC_MAX_PATH_LEN];
  Complaint         none = {0}; /* the path was short enough to write to */

  PetscFunctionBeginUser;
  PetscCall(OutputPath(&job->given, RESULT, sizeof path, path, &none));
  PetscCall(LogLine("contacts       %" PetscInt_FMT " in %.6g periods, %.3g %% of the time%s", r->count,
                    (double)(motion->end / motion->period), motion->end > 0 ? 100.0 * (double)(r->time_in_contact / motion->end) : 0.0,
                    r->open ? "; the last one lasts" : ""));
  if (job->params.flow == FLOW_RESTITUTION)
    PetscCall(LogLine("impacts        %" PetscInt_FMT ", rigid; peak force is that of sticking", r->impacts));
  if (r->max_displacement >= r->min_displacement)
    PetscCall(LogLine("displacement   %.6g to %.6g L; peak force %.6g %s", (double)r->min_displacement, (double)r->max_displacement,
                      (double)r->peak_force, UnitsScale(job->params.beam_model, "EI/L^2")));
  PetscCall(LogLine("result         %s", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work_Private(const Job *job, Complaint *complaint)
{
  Model  model;
  Motion motion;

  PetscFunctionBeginUser;
  PetscCall(OutputWriteYaml(&job->given, COMMAND_TRAJECTORY, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Announce_Private(&job->given, &job->params));
  PetscCall(ModelCreate(PETSC_COMM_SELF, &model));
  PetscCall(SetUpModel_Private(model, &job->params, complaint));
  if (!complaint->exit_code) {
    PetscCall(MotionCreate_Private(&job->params, &motion));
    PetscCall(Move_Private(model, &job->params, &motion));
    PetscCall(Write_Private(job, model, &motion, complaint));
    if (!complaint->exit_code) PetscCall(Summary_Private(job, &motion));
    PetscCall(MotionDestroy_Private(&motion));
  }
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandTrajectory - One motion over -periods forcing periods, to <output>/trajectory.h5.

  Collective; root works. The complaint of the work is root's alone.
*/
PetscErrorCode CommandTrajectory(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Job         job = {.comm = comm, .argc = argc, .argv = argv};
  PetscMPIInt rank, size;
  OutputFound found;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(ParamsRead(comm, COMMAND_TRAJECTORY, argc, argv, &job.given, complaint));
  if (!complaint->exit_code) PetscCall(UnitsApply(&job.given, &job.units, &job.params, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LogSetUp(comm, job.given.quiet));
  if (job.given.dry_run) {
    PetscCall(Announce_Private(&job.given, &job.params));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OutputPrepare(comm, &job.given, COMMAND_TRAJECTORY, RESULT, &found, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (found == OUTPUT_DONE) PetscCall(LogLine("%s/" RESULT " is complete: nothing to do (-overwrite moves it aside)", job.given.output));
  else {
    if (size > 1) PetscCall(LogWarning("a trajectory is the work of one rank: %d of %d idle", size - 1, size));
    if (!rank) PetscCall(Work_Private(&job, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
