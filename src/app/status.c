/*
  status.c - status.json: how a run stands, written as a whole.

  One JSON object. Unknown is null, never NaN. Times are Unix seconds, with a twin "_utc" in words for the three that people look at. Its size
  is bounded by the ranks: a number for each in `busy`, an object for those that are silent, and for all where there are few.
*/
#define _XOPEN_SOURCE 700
#include "status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"

#define FEW_RANKS 32 /* so many get an object each */

const char *const RunStateNames[STATE_COUNT] = {
  [STATE_SETTING_UP] = "setting_up", [STATE_RUNNING] = "running",   [STATE_STOPPING] = "stopping",
  [STATE_STOPPED]    = "stopped",    [STATE_COMPLETE] = "complete", [STATE_FAILED]   = "failed",
};

static void Fixed_Private(FILE *file, const char *name, double value, int decimals)
{
  char text[JSON_NUMBER];

  (void)fprintf(file, ", \"%s\": %s", name, JsonFixed(value, decimals, text));
}

static void Real_Private(FILE *file, const char *name, double value)
{
  char text[JSON_NUMBER];

  (void)fprintf(file, ", \"%s\": %s", name, JsonReal(value, text));
}

/* A time twice: seconds, and in words. Of the top level: a line. */
static void Time_Private(FILE *file, const char *name, double unix_time)
{
  char text[2][JSON_NUMBER];

  (void)fprintf(file, ",\n  \"%s\": %s, \"%s_utc\": %s", name, JsonFixed(unix_time, 3, text[0]), name, JsonUtc(unix_time, text[1]));
}

static void Host_Private(FILE *file)
{
  const char *job = getenv("SLURM_JOB_ID"), *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
  char        host[256] = "", name[64] = "";

  if (gethostname(host, sizeof host - 1)) *host = '\0';
  if (array && *array && task && *task) (void)snprintf(name, sizeof name, "%.40s_%.20s", array, task);
  else if (job) (void)snprintf(name, sizeof name, "%.60s", job);
  (void)fputs(",\n  \"host\": ", file);
  JsonText(file, *host ? host : NULL);
  (void)fputs(", \"job\": ", file);
  JsonText(file, *name ? name : NULL);
}

static void Limit_Private(FILE *file, const StatusFacts *f)
{
  char text[JSON_NUMBER];

  if (!f->walltime) {
    (void)fputs(",\n  \"time_limit\": null", file);
    return;
  }
  (void)fputs(",\n  \"time_limit\": {\"source\": ", file);
  JsonText(file, f->walltime->source);
  Fixed_Private(file, "end", f->walltime->end, 3);
  (void)fprintf(file, ", \"end_utc\": %s", JsonUtc(f->walltime->end, text));
  Fixed_Private(file, "seconds_left", f->walltime->end - f->now, 1);
  (void)fputs("}", file);
}

static void Checkpoint_Private(FILE *file, const CheckpointFacts *c)
{
  char text[JSON_NUMBER];

  if (!c) {
    (void)fputs(",\n  \"last_checkpoint\": null", file);
    return;
  }
  (void)fprintf(file, ",\n  \"last_checkpoint\": {\"time\": %s", JsonFixed(c->last > 0 ? c->last : NAN, 3, text));
  Fixed_Private(file, "seconds", (double)c->seconds, 3);
  (void)fprintf(file, ", \"generation\": %lld, \"journal_bytes\": %lld}", (long long)c->generation, (long long)c->bytes);
}

/* ---- ranks ---- */

static PetscBool IsSilent_Private(const StatusFacts *f, PetscMPIInt r)
{
  return f->ranks[r].unit >= 0 && f->silent_after > 0 && f->mpi_now - f->ranks[r].heard > f->silent_after ? PETSC_TRUE : PETSC_FALSE;
}

/* Not below 0: root was heard a moment after the facts were taken. */
static double Since_Private(const StatusFacts *f, double then)
{
  const double seconds = f->mpi_now - then;

  return seconds < 0 ? 0 : seconds;
}

static void Rank_Private(FILE *file, const StatusFacts *f, PetscMPIInt r)
{
  const PoolRank *rank = &f->ranks[r];
  const PetscBool in   = rank->unit >= 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscReal       amplitude = NAN, frequency = NAN;
  int             direction = 0;

  if (in && f->grid && rank->unit < f->grid->n_units) {
    GridUnit u;
    PetscInt i, j;

    GridGetUnit(f->grid, rank->unit, &u);
    direction = u.step;
    if (rank->step >= 0 && rank->step < u.n) GridGetCell(f->grid, u.line, u.first + rank->step * u.step, &i, &j, &amplitude, &frequency);
  }
  (void)fprintf(file, "{\"rank\": %d", r);
  Fixed_Private(file, "busy", (double)rank->busy, 4);
  (void)fprintf(file, ", \"silent\": %s", IsSilent_Private(f, r) ? "true" : "false");
  if (in) (void)fprintf(file, ", \"unit\": %lld, \"step\": %lld", (long long)rank->unit, (long long)rank->step);
  else (void)fputs(", \"unit\": null, \"step\": null", file);
  if (direction) (void)fprintf(file, ", \"direction\": %d", direction);
  else (void)fputs(", \"direction\": null", file);
  Real_Private(file, "amplitude", (double)amplitude);
  Real_Private(file, "frequency", (double)frequency);
  Fixed_Private(file, "seconds_in_cell", in ? Since_Private(f, rank->since) : NAN, 1);
  Fixed_Private(file, "silent_seconds", Since_Private(f, rank->heard), 1);
  (void)fputs("}", file);
}

static void Ranks_Private(FILE *file, const StatusFacts *f)
{
  const PetscMPIInt n = f->ranks ? f->size : 0;
  char              text[JSON_NUMBER];
  const char       *between = "";

  (void)fprintf(file, ",\n  \"n_ranks\": %d,\n  \"busy\": [", f->size);
  for (PetscMPIInt r = 0; r < n; r++) (void)fprintf(file, "%s%s", r ? ", " : "", JsonFixed((double)f->ranks[r].busy, 4, text));
  (void)fputs("],\n  \"silent_ranks\": [", file);
  for (PetscMPIInt r = 0; r < n; r++) {
    if (!IsSilent_Private(f, r)) continue;
    (void)fprintf(file, "%s%d", between, r);
    between = ", ";
  }
  (void)fputs("],\n  \"ranks\": [", file);
  between = "\n    ";
  for (PetscMPIInt r = 0; r < n; r++) {
    if (n > FEW_RANKS && !IsSilent_Private(f, r)) continue;
    (void)fputs(between, file);
    Rank_Private(file, f, r);
    between = ",\n    ";
  }
  (void)fputs("]", file);
}

static void Slowest_Private(FILE *file, const LedgerTally *tally)
{
  char text[JSON_NUMBER];

  (void)fputs(",\n  \"slowest_cells\": [", file);
  for (PetscInt i = 0; tally && i < tally->n_slowest; i++) {
    (void)fprintf(file, "%s{\"seconds\": %s", i ? ",\n    " : "\n    ", JsonFixed((double)tally->slowest[i].seconds, 3, text));
    Real_Private(file, "amplitude", (double)tally->slowest[i].amplitude);
    Real_Private(file, "frequency", (double)tally->slowest[i].frequency);
    (void)fprintf(file, ", \"direction\": %d}", tally->slowest[i].direction);
  }
  (void)fputs("]", file);
}

/* ---- the file ---- */

static void Write_Private(FILE *file, const StatusFacts *f)
{
  const double seconds = f->now - (f->work_begin > 0 ? f->work_begin : f->begin);
  const double rate    = f->finished > 0 && seconds > 0 ? (double)f->finished / seconds : NAN;
  double       eta     = NAN;
  char         text[JSON_NUMBER];

  if (f->state == STATE_COMPLETE) eta = 0;
  else if (f->state == STATE_RUNNING) eta = (double)PetscMax(f->total - f->done, 0) / rate;
  (void)fprintf(file, "{\"state\": \"%s\",\n  \"message\": ", RunStateNames[f->state]);
  JsonText(file, f->message ? f->message : "");
  if (f->exit_code >= 0) (void)fprintf(file, ",\n  \"exit_code\": %d", f->exit_code);
  else (void)fputs(",\n  \"exit_code\": null", file);
  (void)fprintf(file, ",\n  \"session\": %lld", (long long)f->session);
  Host_Private(file);
  Time_Private(file, "started", f->begin);
  Time_Private(file, "updated", f->now);
  (void)fprintf(file, ",\n  \"cells_done\": %lld, \"cells_total\": %lld, \"cells_finished_in_session\": %lld", (long long)f->done, (long long)f->total, (long long)f->finished);
  (void)fprintf(file, ",\n  \"rate_per_second\": %s", JsonReal(rate, text));
  Fixed_Private(file, "eta_seconds", eta, 1);
  Limit_Private(file, f);
  Checkpoint_Private(file, f->checkpoint);
  Ranks_Private(file, f);
  Slowest_Private(file, f->tally);
  (void)fputs("}\n", file);
}

/*
  StatusWrite - Replace <folder>/status.json.

  Not collective (root). Whoever reads finds the one before or this one, whole.
  Returns: false if it could not be written; the one before is then still there
  Cost:    O(ranks)
*/
PetscBool StatusWrite(const char *folder, const StatusFacts *facts)
{
  char  path[PETSC_MAX_PATH_LEN + 32], partial[PETSC_MAX_PATH_LEN + 32];
  FILE *file;
  int   failed;

  (void)snprintf(path, sizeof path, "%.*s/status.json", PETSC_MAX_PATH_LEN, folder);
  (void)snprintf(partial, sizeof partial, "%.*s/status.json.partial", PETSC_MAX_PATH_LEN, folder);
  file = fopen(partial, "w");
  if (!file) return PETSC_FALSE;
  Write_Private(file, facts);
  failed = ferror(file);
  failed = fclose(file) || failed;
  if (!failed && !rename(partial, path)) return PETSC_TRUE;
  (void)unlink(partial);
  return PETSC_FALSE;
}
