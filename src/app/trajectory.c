/*
  trajectory.c - the command `graze trajectory`: one motion from the stated initial condition, its samples and its contacts.

  One rank does the work; the others wait. Everything is held in memory and the file is written at the end, under a temporary name: it is
  there as a whole or not at all.
*/
#include <math.h>
#include <stdint.h>

#include "app.h"
#include "graze/log.h"
#include "graze/waves.h"
#include "solo.h"
#include "variable.h"

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
  PetscCall(LogLine("result         would be %s/trajectory.h5; nothing was run or written", given->output));
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
  PetscCall(VariableDimension(store, "event", STORE_INT32, n, number, "number of the event, from 0", "1", complaint));
  PetscCall(Variable(store, "event_time", STORE_REAL, "event", time, "time of the event", "t0", complaint));
  PetscCall(Variable(store, "event_type", STORE_INT8, "event", type, "what happened", "1", complaint));
  PetscCall(StoreAttributeNumbers(store, "/event_type", "flag_values", STORE_INT8, 2, flags, complaint));
  PetscCall(StoreAttributeText(store, "/event_type", "flag_meanings", "onset release", complaint));
  PetscCall(Variable(store, "event_velocity", STORE_REAL, "event", velocity, "tip velocity just before an onset; 0 at a release", "L/t0",
                     complaint));
  PetscCall(Variable(store, "event_force", STORE_REAL, "event", force, "contact force just after an onset; 0 at a release",
                     UnitsScale(params->beam_model, "EI/L^2"), complaint));
  if (params->flow == FLOW_RESTITUTION)
    PetscCall(Variable(store, "event_impulse", STORE_REAL, "event", impulse, "impulse of the contact that begins; 0 at a release",
                       UnitsScale(params->beam_model, "EI t0/L^2"), complaint));
  PetscCall(PetscFree6(time, velocity, force, impulse, type, number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteData_Private(Store store, const Params *params, const Motion *motion, Complaint *complaint)
{
  const FlowRecord *r        = &motion->record;
  const PetscBool   seen     = r->max_displacement >= r->min_displacement ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal   highest  = seen ? r->max_displacement : NAN, lowest = seen ? r->min_displacement : NAN;
  const PetscReal   fraction = motion->end > 0 ? r->time_in_contact / motion->end : NAN;
  const char       *force    = UnitsScale(params->beam_model, "EI/L^2");
  const int8_t      complete = 1;

  PetscFunctionBeginUser;
  PetscCall(VariableDimension(store, "time", STORE_REAL, r->next_sample, motion->time, "time since the start, a strobe", "t0", complaint));
  PetscCall(Variable(store, "displacement", STORE_REAL, "time", r->sample_y1, "tip displacement", "L", complaint));
  PetscCall(Variable(store, "velocity", STORE_REAL, "time", r->sample_y2, "tip velocity; 0 in contact", "L/t0", complaint));
  PetscCall(Variable(store, "force", STORE_REAL, "time", r->sample_f, "contact force; 0 in flight", force, complaint));
  PetscCall(WriteEvents_Private(store, params, motion, complaint));
  PetscCall(Variable(store, "stop_position", STORE_REAL, "", &params->stop_position, "tip displacement at the stop", "L", complaint));
  PetscCall(Variable(store, "amplitude", STORE_REAL, "", &params->forcing_amplitude, "forcing amplitude A of A cos(W t)",
                     OutputAmplitudeScale(params), complaint));
  PetscCall(Variable(store, "frequency", STORE_REAL, "", &params->forcing_frequency, "angular forcing frequency W", "rad/t0", complaint));
  PetscCall(Variable(store, "max_displacement", STORE_REAL, "", &highest, "largest tip displacement", "L", complaint));
  PetscCall(Variable(store, "min_displacement", STORE_REAL, "", &lowest, "smallest tip displacement", "L", complaint));
  PetscCall(Variable(store, "min_gap", STORE_REAL, "", &r->min_gap,
                     "smallest distance from the stop at which the tip turned back in flight", "L", complaint));
  PetscCall(Variable(store, "peak_force", STORE_REAL, "", &r->peak_force,
                     params->flow == FLOW_RESTITUTION ? "largest contact force of sticking" : "largest contact force", force, complaint));
  PetscCall(Variable(store, "contact_fraction", STORE_REAL, "", &fraction, "share of the time in contact", "1", complaint));
  if (params->flow == FLOW_RESTITUTION) {
    const int32_t impacts = (int32_t)r->impacts, sticks = (int32_t)r->sticks;

    PetscCall(Variable(store, "impacts", STORE_INT32, "", &impacts, "rigid impacts", "1", complaint));
    PetscCall(Variable(store, "sticks", STORE_INT32, "", &sticks, "spells of sticking that followed an accumulation of impacts", "1",
                       complaint));
  }
  PetscCall(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &complete, complaint));
  PetscCall(StoreAttributeText(store, "/", "reason", FlowReasons[motion->reason], complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Summary_Private(const Solo *job, const Motion *motion)
{
  const FlowRecord *r = &motion->record;

  PetscFunctionBeginUser;
  PetscCall(LogLine("contacts       %" PetscInt_FMT " in %.6g periods, %.3g %% of the time%s", r->count,
                    (double)(motion->end / motion->period), motion->end > 0 ? 100.0 * (double)(r->time_in_contact / motion->end) : 0.0,
                    r->open ? "; the last one lasts" : ""));
  if (job->params.flow == FLOW_RESTITUTION)
    PetscCall(LogLine("impacts        %" PetscInt_FMT ", rigid; peak force is that of sticking", r->impacts));
  if (r->max_displacement >= r->min_displacement)
    PetscCall(LogLine("displacement   %.6g to %.6g L; peak force %.6g %s", (double)r->min_displacement, (double)r->max_displacement,
                      (double)r->peak_force, UnitsScale(job->params.beam_model, "EI/L^2")));
  PetscCall(SoloLogResult(job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Work_Private(const Solo *job, Complaint *complaint)
{
  Model  model;
  Motion motion;
  Store  store;

  PetscFunctionBeginUser;
  PetscCall(SoloWriteYaml(job, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Announce_Private(&job->given, &job->params));
  PetscCall(ModelCreate(PETSC_COMM_SELF, &model));
  PetscCall(SetUpModel_Private(model, &job->params, complaint));
  if (!complaint->exit_code) {
    PetscCall(MotionCreate_Private(&job->params, &motion));
    PetscCall(Move_Private(model, &job->params, &motion));
    PetscCall(SoloCreate(job, &store, complaint));
    PetscCall(OutputWriteKernel(store, model, complaint));
    PetscCall(WriteData_Private(store, &job->params, &motion, complaint));
    PetscCall(SoloFinish(&store, complaint));
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
  Solo job = {.comm    = comm,
              .command = COMMAND_TRAJECTORY,
              .name    = "trajectory",
              .title   = "Motion of an impacting beam's tip",
              .file    = "trajectory.h5",
              .argc    = argc,
              .argv    = argv};
  PetscMPIInt size;
  PetscBool   done, works;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(SoloRead(&job, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (job.given.dry_run) {
    PetscCall(Announce_Private(&job.given, &job.params));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SoloPrepare(&job, &done, &works, complaint));
  if (complaint->exit_code || done) PetscFunctionReturn(PETSC_SUCCESS);
  if (size > 1) PetscCall(LogWarning("a trajectory is the work of one rank: %d of %d idle", size - 1, size));
  if (works) PetscCall(Work_Private(&job, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
