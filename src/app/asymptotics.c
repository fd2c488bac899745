/*
  asymptotics.c - the command `graze asymptotics`: the contact force of ever shorter contacts, where frequencies grow as w_1 k^alpha.
  [theory 16]

  Mass-normalised tip values are 1 for every mode. One rank does the work; the others wait.
*/
#include <math.h>
#include <stdint.h>

#include "app.h"
#include "graze/asymptotics.h"
#include "graze/log.h"
#include "solo.h"
#include "variable.h"

#define MODES_RTOL 1e-3 /* of modes_needed */

/* Of the coefficients a_k(dt): first modes; the longest time and shorter ones, by tens. */
enum { COEFFICIENT_MODES = 400, COEFFICIENT_TIMES = 4 };

typedef struct {
  const Params *params;
  PetscInt      n_alpha, n_time;
  PetscReal    *time;                                                   /* [n_time] */
  PetscReal     coefficient_time[COEFFICIENT_TIMES];                    /* rising */
  PetscReal    *constant, *exponent, *velocity_estimate;                /* [n_alpha] */
  PetscReal    *force, *force_estimate, *velocity_after, *modes_needed; /* [n_alpha, n_time] */
  int64_t      *modes_summed;                                           /* [n_alpha, n_time] */
  PetscReal    *coefficient;                                            /* [n_alpha, COEFFICIENT_TIMES, COEFFICIENT_MODES] */
  PetscReal    *natural_frequency;                                      /* [n_alpha, COEFFICIENT_MODES] */
} Table;

static PowerSpectrum Spectrum_Private(const Params *p, PetscInt i)
{
  return (PowerSpectrum){
    .alpha = p->asymptotics_alpha.value[i], .frequency = p->asymptotics_frequency, .residue = 1.0, .damping = p->damping_ratio};
}

static PetscErrorCode TableCreate_Private(const Params *p, Table *t)
{
  const PetscInt  n = p->asymptotics_alpha.n, m = p->asymptotics_times;
  const PetscReal first = p->asymptotics_min_time, last = p->asymptotics_max_time;

  PetscFunctionBeginUser;
  *t = (Table){.params = p, .n_alpha = n, .n_time = m};
  PetscCall(PetscMalloc4(m, &t->time, n, &t->constant, n, &t->exponent, n, &t->velocity_estimate));
  PetscCall(
    PetscMalloc5(n * m, &t->force, n * m, &t->force_estimate, n * m, &t->velocity_after, n * m, &t->modes_needed, n * m, &t->modes_summed));
  PetscCall(PetscMalloc2(n * COEFFICIENT_TIMES * COEFFICIENT_MODES, &t->coefficient, n * COEFFICIENT_MODES, &t->natural_frequency));
  for (PetscInt j = 0; j < m; j++) t->time[j] = first * pow(last / first, (PetscReal)j / (m - 1));
  t->time[m - 1] = last;
  for (PetscInt j = 0; j < COEFFICIENT_TIMES; j++) t->coefficient_time[j] = last * pow(10.0, (double)(j - (COEFFICIENT_TIMES - 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TableDestroy_Private(Table *t)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(t->time, t->constant, t->exponent, t->velocity_estimate));
  PetscCall(PetscFree5(t->force, t->force_estimate, t->velocity_after, t->modes_needed, t->modes_summed));
  PetscCall(PetscFree2(t->coefficient, t->natural_frequency));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fill_Private(Table *t)
{
  const PetscReal v = t->params->asymptotics_velocity;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < t->n_alpha; i++) {
    const PowerSpectrum s = Spectrum_Private(t->params, i);

    t->constant[i]          = PowerSpectrumConstant(&s);
    t->exponent[i]          = 1.0 / s.alpha - 1.0;
    t->velocity_estimate[i] = (1.0 / s.alpha - 1.0) * v;
    for (PetscInt j = 0; j < t->n_time; j++) {
      const PetscInt  at = i * t->n_time + j;
      const PetscReal dt = t->time[j];
      StepResponse    step;

      PetscCall(PowerSpectrumStep(&s, dt, t->params->asymptotics_modes, &step));
      t->force[at]          = -v * dt / step.displacement;
      t->force_estimate[at] = -t->constant[i] * pow(dt, t->exponent[i]) * v;
      t->velocity_after[at] = v + t->force[at] * step.velocity;
      t->modes_needed[at]   = PowerSpectrumModes(&s, dt, MODES_RTOL);
      t->modes_summed[at]   = step.summed;
    }
    for (PetscInt j = 0; j < COEFFICIENT_TIMES; j++)
      for (PetscInt k = 0; k < COEFFICIENT_MODES; k++)
        t->coefficient[(i * COEFFICIENT_TIMES + j) * COEFFICIENT_MODES + k] = PowerSpectrumCoefficient(&s, k + 1, t->coefficient_time[j]);
    for (PetscInt k = 0; k < COEFFICIENT_MODES; k++) t->natural_frequency[i * COEFFICIENT_MODES + k] = s.frequency * pow(k + 1.0, s.alpha);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Print_Private(const Table *t)
{
  const PetscReal v = t->params->asymptotics_velocity;
  const PetscInt  m = t->n_time;

  PetscFunctionBeginUser;
  PetscCall(LogLine("frequencies    w_k = %g k^alpha, damping ratio %g, every mode of residue 1; velocity %g before the contact",
                    (double)t->params->asymptotics_frequency, (double)t->params->damping_ratio, (double)v));
  PetscCall(LogLine("estimate       force -C dt^(1/alpha - 1) v, velocity after it -(1 - 1/alpha) v; below at dt = %g and %g",
                    (double)t->time[0], (double)t->time[m - 1]));
  PetscCall(LogLine(" alpha         C  as dt -> 0  |      force  of estimate  velocity after  modes needed  |      force  of estimate"));
  for (PetscInt i = 0; i < t->n_alpha; i++) {
    const PetscReal alpha = t->params->asymptotics_alpha.value[i];
    const PetscInt  a = i * m, b = a + m - 1;

    PetscCall(LogLine("%6.4g  %8.6g  %-10s  | %10.4g  %11.6f  %14.6g  %12.3g  | %10.4g  %11.6f", (double)alpha, (double)t->constant[i],
                      alpha < 1.0   ? "zero"
                      : alpha > 1.0 ? "infinite"
                                    : "finite",
                      (double)t->force[a], (double)(t->force[a] / t->force_estimate[a]), (double)t->velocity_after[a],
                      (double)t->modes_needed[a], (double)t->force[b], (double)(t->force[b] / t->force_estimate[b])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteData_Private(Store store, const Table *t, Complaint *complaint)
{
  const char *const by_time = "alpha time", *const force = "EI/L^2";
  const PetscReal residue = 1.0, rtol = MODES_RTOL;
  const int8_t    complete = 1;

  PetscFunctionBeginUser;
  PetscCall(VariableDimension(store, "alpha", STORE_REAL, t->n_alpha, t->params->asymptotics_alpha.value,
                              "growth exponent: w_k = w_1 k^alpha", "1", complaint));
  PetscCall(VariableDimension(store, "time", STORE_REAL, t->n_time, t->time, "time dt of contact", "t0", complaint));
  PetscCall(VariableDimension(store, "coefficient_time", STORE_REAL, COEFFICIENT_TIMES, t->coefficient_time,
                              "time dt of contact of the coefficients", "t0", complaint));
  PetscCall(VariableCount(store, "mode", COEFFICIENT_MODES, "number of the mode, from 1", complaint));

  PetscCall(Variable(store, "force", STORE_REAL, by_time, t->force,
                     "constant contact force that returns the contact point to the stop after dt", force, complaint));
  PetscCall(Variable(store, "force_estimate", STORE_REAL, by_time, t->force_estimate,
                     "its estimate for short contacts, -C dt^(1/alpha - 1) v", force, complaint));
  PetscCall(Variable(store, "velocity_after", STORE_REAL, by_time, t->velocity_after,
                     "velocity of the contact point at the end of the contact", "L/t0", complaint));
  PetscCall(Variable(store, "modes_summed", STORE_INT64, by_time, t->modes_summed, "modes that were summed one by one", "1", complaint));
  PetscCall(Variable(store, "modes_needed", STORE_REAL, by_time, t->modes_needed,
                     "modes after which a plain sum lacks the share modes_rtol", "1", complaint));
  PetscCall(
    Variable(store, "estimate_constant", STORE_REAL, "alpha", t->constant, "C of the estimate", "EI t0^(2 - 1/alpha)/L^3", complaint));
  PetscCall(Variable(store, "estimate_exponent", STORE_REAL, "alpha", t->exponent, "1/alpha - 1: power of dt in the estimate of the force",
                     "1", complaint));
  PetscCall(Variable(store, "velocity_estimate", STORE_REAL, "alpha", t->velocity_estimate,
                     "velocity after contact as dt -> 0, -(1 - 1/alpha) v", "L/t0", complaint));
  PetscCall(Variable(store, "coefficient", STORE_REAL, "alpha coefficient_time mode", t->coefficient,
                     "displacement that a mode adds in dt under a unit force", "L^3/EI", complaint));
  PetscCall(Variable(store, "natural_frequency", STORE_REAL, "alpha mode", t->natural_frequency, "w_k", "rad/t0", complaint));
  PetscCall(Variable(store, "velocity_before", STORE_REAL, "", &t->params->asymptotics_velocity,
                     "v: velocity of the contact point just before the contact", "L/t0", complaint));
  PetscCall(Variable(store, "residue", STORE_REAL, "", &residue, "of every mode: its mass-normalised tip value squared", "L^3/(EI t0^2)",
                     complaint));
  PetscCall(Variable(store, "damping_ratio", STORE_REAL, "", &t->params->damping_ratio, "of every mode", "1", complaint));
  PetscCall(
    Variable(store, "modes_rtol", STORE_REAL, "", &rtol, "share of the sum that is lacking after modes_needed modes", "1", complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &complete, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Work_Private(const Solo *job, Complaint *complaint)
{
  Table table;
  Store store;

  PetscFunctionBeginUser;
  PetscCall(SoloWriteYaml(job, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TableCreate_Private(&job->params, &table));
  PetscCall(Fill_Private(&table));
  PetscCall(Print_Private(&table));
  PetscCall(SoloCreate(job, &store, complaint));
  PetscCall(WriteData_Private(store, &table, complaint));
  PetscCall(SoloFinish(&store, complaint));
  if (!complaint->exit_code) PetscCall(SoloLogResult(job));
  PetscCall(TableDestroy_Private(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Check_Private(const Params *p, Complaint *complaint)
{
  if (!(p->asymptotics_min_time < p->asymptotics_max_time))
    ComplaintSet(complaint, EXIT_OPTIONS, "option -asymptotics_min_time: %g is not before -asymptotics_max_time %g; allowed: below it",
                 (double)p->asymptotics_min_time, (double)p->asymptotics_max_time);
  if (!p->asymptotics_alpha.n)
    ComplaintSet(complaint, EXIT_OPTIONS, "option -asymptotics_alpha: no exponent; allowed: one or several above 0.5");
}

/*
  CommandAsymptotics - Force, estimate and velocity after contact for every alpha and time, to <output>/asymptotics.h5.

  Collective; root works. The complaint of the work is root's alone.
*/
PetscErrorCode CommandAsymptotics(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Solo      job = {.comm    = comm,
                   .command = COMMAND_ASYMPTOTICS,
                   .name    = "asymptotics",
                   .title   = "Contact force of short contacts",
                   .file    = "asymptotics.h5",
                   .argc    = argc,
                   .argv    = argv};
  PetscBool done, works;

  PetscFunctionBeginUser;
  PetscCall(SoloRead(&job, complaint));
  if (!complaint->exit_code) Check_Private(&job.params, complaint);
  if (!complaint->exit_code) PetscCall(SoloPrepare(&job, &done, &works, complaint));
  if (!complaint->exit_code && works) PetscCall(Work_Private(&job, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
