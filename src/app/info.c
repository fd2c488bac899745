/*
  info.c - the command `graze info`: what a result file holds and how far it is, in words, at most 100 columns wide.

  Also for a file that a run is still writing. Large arrays are read slab by slab.
*/
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "graze/provenance.h"
#include "graze/strobe.h"
#include "info.h"
#include "status.h"

#define BAR          40
#define LONG_PERIODS 4096

/* ---- what every result has ---- */

static PetscErrorCode PrintOrigin_Private(Store store)
{
  InfoText  text;
  char      version[64], commit[64], start[64], end[64], host[128], cpu[256], uuid[64], libraries[4][128];
  int8_t    dirty = 0;
  int32_t   ranks = 0;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "program_version", sizeof version, version));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "commit", sizeof commit, commit));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "utc_start", sizeof start, start));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "utc_end", sizeof end, end));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "host", sizeof host, host));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "cpu_model", sizeof cpu, cpu));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "uuid", sizeof uuid, uuid));
  PetscCall(StoreReadAttributeNumber(store, PROVENANCE_GROUP, "dirty", STORE_INT8, &dirty, &found));
  PetscCall(StoreReadAttributeNumber(store, PROVENANCE_GROUP, "ranks", STORE_INT32, &ranks, &found));
  InfoRow("program", "graze %s%s%.12s%s%s", version, *commit ? " (commit " : "", commit, dirty ? ", with changes" : "", *commit ? ")" : "");
  if (*start) InfoRow("when", "%s%s%s", start, *end ? " to " : "", end);
  if (*host) InfoRow("where", "%s, %s, %d rank%s", host, cpu, (int)ranks, ranks == 1 ? "" : "s");
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "petsc", sizeof libraries[0], libraries[0]));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "slepc", sizeof libraries[1], libraries[1]));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "hdf5", sizeof libraries[2], libraries[2]));
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "compiler", sizeof libraries[3], libraries[3]));
  if (*libraries[0]) InfoRow("libraries", "PETSc %s, SLEPc %s, HDF5 %s; %s", libraries[0], libraries[1], libraries[2], libraries[3]);
  PetscCall(InfoAttribute(store, PROVENANCE_GROUP, "command", sizeof text, text));
  if (*text) InfoRow("command", "%s", text);
  if (*uuid) InfoRow("uuid", "%s", uuid);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Was the motion computed from waves? See WavesMove. */
static PetscErrorCode IsWaves_Private(Store store, PetscBool *waves)
{
  char      model[32], flow[32], kernel[32];
  PetscReal damping = NAN;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(InfoAttribute(store, "/parameters", "beam_model", sizeof model, model));
  PetscCall(InfoAttribute(store, "/parameters", "flow", sizeof flow, flow));
  PetscCall(InfoAttribute(store, "/parameters", "literal_kernel", sizeof kernel, kernel));
  PetscCall(StoreReadAttributeNumber(store, "/parameters", "damping_ratio", STORE_REAL, &damping, &found));
  *waves = (PetscBool)((!strcmp(model, "string") || !strcmp(model, "rod")) && !strcmp(flow, "literal") && !strcmp(kernel, "closed") &&
                       found && damping == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintKernel_Private(Store store, Complaint *complaint)
{
  int32_t   modes, closure;
  PetscReal L_plus;
  PetscBool waves = PETSC_FALSE;
  char      text[200] = "", flow[32], scale[64];

  PetscFunctionBeginUser;
  PetscCall(InfoScalarInt(store, "/kernel/modes", &modes, complaint));
  PetscCall(InfoScalarInt(store, "/kernel/closure", &closure, complaint));
  PetscCall(InfoScalar(store, "/kernel/L_plus", &L_plus, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/parameters", "flow", sizeof flow, flow));
  PetscCall(InfoScale(store, "/kernel/L_plus", sizeof scale, scale));
  PetscCall(IsWaves_Private(store, &waves));
  if (waves) PetscCall(PetscStrncpy(text, "exact waves", sizeof text));
  else if (modes > 0 && !strcmp(flow, "restitution")) PetscCall(PetscSNPrintf(text, sizeof text, "%d modes, rigid impacts", (int)modes));
  else if (modes > 0) PetscCall(PetscSNPrintf(text, sizeof text, "%d modes, tail of order %d", (int)modes, (int)closure));
  if (!isnan(L_plus))
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%sL+ = %.12g%s%s", *text ? ", " : "", (double)L_plus,
                   *scale ? " " : "", scale);
  if (*text) InfoRow("kernel", "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parameters in the order and the groups of the help, as many to a line as fit. */
static PetscErrorCode PrintParameters_Private(Store store, Complaint *complaint)
{
  InfoText    text   = "";
  char        model[32];
  const char *group  = NULL;
  size_t      length = 0;
  PetscReal   L, t0, force, beta, gamma;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i <= params_table_size; i++) {
    const ParamRow *row = i < params_table_size ? &params_table[i] : NULL;
    char            value[PETSC_MAX_PATH_LEN]; /* a list of 64 numbers */
    PetscReal       number;
    PetscBool       found;

    if (length && (!row || strcmp(row->group, group))) {
      InfoRow(group, "%s", text);
      length = 0;
    }
    if (!row) break;
    group = row->group;
    PetscCall(InfoAttribute(store, "/parameters", row->name, sizeof value, value));
    PetscCall(StoreReadAttributeNumber(store, "/parameters", row->name, STORE_REAL, &number, &found));
    if (found && !isnan(number)) (void)snprintf(value, sizeof value, "%.10g", (double)number);
    if (*value && length && length + strlen(value) + 128 > sizeof text) {
      InfoRow(group, "%s", text);
      length = 0;
    }
    if (*value)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s", length ? ", " : "", row->name, value);
  }
  PetscCall(InfoScalar(store, "/scales/length", &L, complaint));
  PetscCall(InfoScalar(store, "/scales/time", &t0, complaint));
  PetscCall(InfoScalar(store, "/scales/force", &force, complaint));
  PetscCall(InfoScalar(store, "/scales/beta", &beta, complaint));
  PetscCall(InfoScalar(store, "/scales/gamma", &gamma, complaint));
  if (isnan(L)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/parameters", "beam_model", sizeof model, model));
  length = (size_t)snprintf(text, sizeof text, "L = %.9g m, t0 = %.9g s, %s = %.9g N", (double)L, (double)t0,
                            strcmp(model, "rod") ? "EI/L^2" : "EA", (double)force);
  if (!isnan(beta)) (void)snprintf(text + length, sizeof text - length, "; beta = %.9g, gamma = %.9g", (double)beta, (double)gamma);
  InfoRow("scales", "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sweep ---- */

typedef struct {
  PetscInt n[3];                                               /* directions, amplitudes, frequencies */
  PetscInt cells, by_status[128], by_period[LONG_PERIODS + 1]; /* the last period: that long or longer */
} Cells;

static PetscErrorCode CountCells_Private(Store store, Cells *cells, Complaint *complaint)
{
  const char *const paths[] = {"/status", "/period"};
  int64_t          *status, *period; /* room for any type */
  PetscInt          rank, shape[8];

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; i++) {
    PetscCall(StoreGetShape(store, paths[i], &rank, shape, complaint));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    for (int axis = 0; axis < 3; axis++)
      if (rank != 3 || shape[axis] != cells->n[axis])
        ComplaintSet(complaint, EXIT_FILES, "the file is damaged: %s has not the shape of the grid", paths[i]);
  }
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  cells->cells = cells->n[0] * cells->n[1] * cells->n[2];
  PetscCall(PetscCalloc2(cells->n[2] + 1, &status, cells->n[2] + 1, &period));
  for (PetscInt d = 0; d < cells->n[0]; d++)
    for (PetscInt a = 0; a < cells->n[1] && !complaint->exit_code; a++) {
      const PetscInt start[] = {d, a, 0}, count[] = {1, 1, cells->n[2]};

      PetscCall(StoreRead(store, "/status", start, count, status, complaint));
      PetscCall(StoreRead(store, "/period", start, count, period, complaint));
      for (PetscInt j = 0; j < cells->n[2] && !complaint->exit_code; j++) {
        const int8_t  s = ((const int8_t *)status)[j];
        const int32_t p = ((const int32_t *)period)[j];

        cells->by_status[PetscMax(s, 0)]++;
        if ((s == STATUS_PERIODIC || s == STATUS_PERIODIC_UNVERIFIED) && p > 0) cells->by_period[PetscMin(p, LONG_PERIODS)]++;
      }
    }
  PetscCall(PetscFree2(status, period));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintAxis_Private(Store store, const char *label, const char *path, PetscInt *n, Complaint *complaint)
{
  void *values;
  char  scale[64];

  PetscFunctionBeginUser;
  PetscCall(InfoArray(store, path, n, &values, complaint));
  if (!complaint->exit_code && *n) {
    const double *x = values;

    PetscCall(InfoScale(store, path, sizeof scale, scale));
    if (*n == 1) InfoRow(label, "%.9g %s", x[0], scale);
    else InfoRow(label, "%.9g to %.9g %s, %" PetscInt_FMT " values", x[0], x[*n - 1], scale, *n);
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintDirections_Private(Store store, PetscInt *n, Complaint *complaint)
{
  void         *values;
  char          text[64] = "";
  const int8_t *direction;

  PetscFunctionBeginUser;
  PetscCall(InfoArray(store, "/direction", n, &values, complaint));
  direction = values;
  for (PetscInt i = 0; i < *n && !complaint->exit_code; i++)
    PetscCall(PetscStrlcat(text, i == 0 ? direction[i] > 0 ? "up" : "down" : direction[i] > 0 ? ", up" : ", down", sizeof text));
  if (*text) InfoRow("directions", "%s", text);
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PrintBar_Private(const char *label, PetscInt n, PetscInt total)
{
  const PetscReal share = (PetscReal)n / (PetscReal)total;

  (void)printf("  %-*s%9" PetscInt_FMT "  %5.1f %%  %.*s\n", INFO_LABEL + 2, label, n, (double)(100 * share),
               (int)ceil((double)(BAR * share)), "########################################");
}

static PetscErrorCode PrintCells_Private(const Cells *cells)
{
  PetscInt found = 0;

  PetscFunctionBeginUser;
  (void)printf("\nCells by status\n");
  for (int s = 0; s < 128; s++) {
    char label[32];

    if (!cells->by_status[s]) continue;
    if (s < STATUS_COUNT) (void)snprintf(label, sizeof label, "%s", SteadyStatusNames[s]);
    else (void)snprintf(label, sizeof label, "status %d", s);
    PrintBar_Private(label, cells->by_status[s], cells->cells);
  }
  for (PetscInt p = 1; p <= LONG_PERIODS; p++) found += cells->by_period[p];
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  (void)printf("\nPeriods found, in forcing periods\n");
  for (PetscInt p = 1; p <= LONG_PERIODS; p++) {
    char label[32];

    if (!cells->by_period[p]) continue;
    (void)snprintf(label, sizeof label, "%" PetscInt_FMT "%s", p, p == LONG_PERIODS ? " or more" : "");
    PrintBar_Private(label, cells->by_period[p], found);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintSweep_Private(Store store, Complaint *complaint)
{
  Cells    *cells;
  int8_t    complete = 0;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&cells));
  PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  PetscCall(PrintOrigin_Private(store));
  (void)printf("\nGrid\n");
  PetscCall(PrintAxis_Private(store, "amplitudes", "/amplitude", &cells->n[1], complaint));
  PetscCall(PrintAxis_Private(store, "frequencies", "/frequency", &cells->n[2], complaint));
  PetscCall(PrintDirections_Private(store, &cells->n[0], complaint));
  if (!complaint->exit_code) PetscCall(CountCells_Private(store, cells, complaint));
  if (!complaint->exit_code) {
    InfoRow("state", "%s: %" PetscInt_FMT " of %" PetscInt_FMT " cells are done", complete ? "complete" : "incomplete",
            cells->cells - cells->by_status[STATUS_PENDING], cells->cells);
    PetscCall(PrintKernel_Private(store, complaint));
    PetscCall(PrintCells_Private(cells));
  }
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- trajectory ---- */

static PetscErrorCode PrintValue_Private(Store store, const char *label, const char *path, Complaint *complaint)
{
  PetscReal value;
  char      scale[64];

  PetscFunctionBeginUser;
  PetscCall(InfoScalar(store, path, &value, complaint));
  PetscCall(InfoScale(store, path, sizeof scale, scale));
  if (!isnan(value)) InfoRow(label, "%.9g%s%s", (double)value, *scale ? " " : "", scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintTime_Private(Store store, Complaint *complaint)
{
  PetscInt  rank, shape[8];
  PetscReal end = NAN, frequency;

  PetscFunctionBeginUser;
  PetscCall(StoreGetShape(store, "/time", &rank, shape, complaint));
  if (!complaint->exit_code && rank == 1 && shape[0] > 0) {
    const PetscInt start = shape[0] - 1, count = 1;

    PetscCall(StoreRead(store, "/time", &start, &count, &end, complaint));
  }
  PetscCall(InfoScalar(store, "/frequency", &frequency, complaint));
  if (complaint->exit_code || rank != 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (isnan(end)) InfoRow("samples", "none");
  else if (isnan(frequency)) InfoRow("samples", "%" PetscInt_FMT " over %.9g t0", shape[0], (double)end);
  else
    InfoRow("samples", "%" PetscInt_FMT " over %.9g t0, %.6g forcing periods", shape[0], (double)end,
            (double)(end * frequency / (2 * PETSC_PI)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintContacts_Private(Store store, Complaint *complaint)
{
  void     *values;
  PetscInt  n, onsets = 0, releases = 0;
  PetscReal fraction;

  PetscFunctionBeginUser;
  PetscCall(InfoArray(store, "/event_type", &n, &values, complaint));
  PetscCall(InfoScalar(store, "/contact_fraction", &fraction, complaint));
  for (PetscInt i = 0; i < n && !complaint->exit_code; i++) {
    onsets += ((const int8_t *)values)[i] == 1;
    releases += ((const int8_t *)values)[i] == 2;
  }
  if (!complaint->exit_code) {
    char share[64] = "";

    if (!isnan(fraction)) (void)snprintf(share, sizeof share, ", %.4g %% of the time", (double)(100 * fraction));
    InfoRow("contacts", "%" PetscInt_FMT "%s%s", onsets, share, releases < onsets ? "; the last one lasts" : "");
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintTrajectory_Private(Store store, Complaint *complaint)
{
  char      reason[64];
  int8_t    complete = 0;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(StoreReadAttributeNumber(store, "/", "complete", STORE_INT8, &complete, &found));
  PetscCall(InfoAttribute(store, "/", "reason", sizeof reason, reason));
  PetscCall(PrintOrigin_Private(store));
  (void)printf("\nMotion\n");
  if (!*reason || !strcmp(reason, "good")) InfoRow("state", "%s", complete ? "complete" : "incomplete");
  else InfoRow("state", "ended early: %s", reason);
  PetscCall(PrintTime_Private(store, complaint));
  PetscCall(PrintValue_Private(store, "amplitude", "/amplitude", complaint));
  PetscCall(PrintValue_Private(store, "frequency", "/frequency", complaint));
  PetscCall(PrintValue_Private(store, "stop", "/stop_position", complaint));
  PetscCall(PrintContacts_Private(store, complaint));
  PetscCall(PrintValue_Private(store, "max displacement", "/max_displacement", complaint));
  PetscCall(PrintValue_Private(store, "min displacement", "/min_displacement", complaint));
  PetscCall(PrintValue_Private(store, "smallest gap", "/min_gap", complaint));
  PetscCall(PrintValue_Private(store, "peak force", "/peak_force", complaint));
  PetscCall(PrintKernel_Private(store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

/* The result in a folder, or the file itself; path is "" where there is none yet, but shards, a journal or a run that tells of itself. */
static PetscErrorCode Find_Private(const char *name, size_t size, char *path, PetscBool *folder, Complaint *complaint)
{
  static const char *const results[] = {"sweep.h5", "trajectory.h5", "branches.h5", "sweep.h5.partial", "trajectory.h5.partial", NULL};
  struct stat              info;
  StatusRead               status;
  InfoText                 text;
  PetscBool                journal, good;
  int                      n = 0;

  PetscFunctionBeginUser;
  *folder = PETSC_FALSE;
  PetscCall(PetscStrncpy(path, name, size));
  if (stat(name, &info)) {
    ComplaintSet(complaint, EXIT_FILES, "cannot open %.500s: %s", name, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!S_ISDIR(info.st_mode)) PetscFunctionReturn(PETSC_SUCCESS);
  *folder = PETSC_TRUE;
  for (; results[n]; n++) {
    (void)snprintf(path, size, "%s/%s", name, results[n]);
    if (!stat(path, &info)) break;
  }
  if (n < 3) PetscFunctionReturn(PETSC_SUCCESS);
  *path = '\0';
  PetscCall(StatusReadFile(name, &status));
  PetscCall(InfoJournal(name, sizeof text, text, &journal, &good));
  if (status.found || InfoCountShards(name) || good) PetscFunctionReturn(PETSC_SUCCESS);
  if (results[n]) ComplaintSet(complaint, EXIT_FILES, "%.500s has only %s: the run has not got as far as its result", name, results[n]);
  else if (journal) ComplaintSet(complaint, EXIT_FILES, "%.500s holds no result yet, and %.500s", name, text);
  else ComplaintSet(complaint, EXIT_FILES, "%.500s holds neither sweep.h5 nor trajectory.h5 nor branches.h5", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Print_Private(const char *path, Complaint *complaint)
{
  static const char *const of_sweep[]      = {"/direction", "/amplitude", "/frequency", "/status", "/period", NULL};
  static const char *const of_trajectory[] = {"/time", "/displacement", "/velocity", "/force", "/event_type", NULL};
  static const char *const of_branches[]   = {"/branch_why", "/parameter", "/stability", "/special_type", NULL};
  Store                    store;
  PetscBool                sweep, trajectory = PETSC_FALSE, branches = PETSC_FALSE;
  char                     source[64];

  PetscFunctionBeginUser;
  PetscCall(StoreOpen(path, PETSC_FALSE, &store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(InfoAttribute(store, "/", "source", sizeof source, source));
  PetscCall(InfoHasAll(store, of_sweep, &sweep));
  if (!sweep) PetscCall(InfoHasAll(store, of_trajectory, &trajectory));
  if (!sweep && !trajectory) PetscCall(InfoHasAll(store, of_branches, &branches));
  if (strncmp(source, "graze", 5) || (!sweep && !trajectory && !branches))
    ComplaintSet(complaint, EXIT_FILES, "%.500s is not a result of graze", path);
  else {
    (void)printf("%s\n", path);
    InfoRow("what", "%s",
            sweep      ? "sweep: steady states over forcing amplitude and frequency"
            : branches ? "branches: periodic orbits over one parameter"
                       : "trajectory: one motion and its contacts");
    if (branches) {
      PetscCall(PrintOrigin_Private(store));
      PetscCall(PrintKernel_Private(store, complaint));
      PetscCall(InfoPrintBranches(store, complaint));
    } else if (sweep) PetscCall(PrintSweep_Private(store, complaint));
    else PetscCall(PrintTrajectory_Private(store, complaint));
    if (sweep && !complaint->exit_code) PetscCall(InfoPrintSessions(store));
    if (!complaint->exit_code) {
      (void)printf("\nParameters\n");
      PetscCall(PrintParameters_Private(store, complaint));
    }
  }
  PetscCall(StoreClose(&store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is in a file or folder, then the run beside it. */
static PetscErrorCode PrintAll_Private(const char *name, Complaint *complaint)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool folder;

  PetscFunctionBeginUser;
  PetscCall(Find_Private(name, sizeof path, path, &folder, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (*path) PetscCall(Print_Private(path, complaint));
  else {
    (void)printf("%s\n", name);
    PetscCall(InfoPrintShards(name));
  }
  if (folder && !complaint->exit_code) PetscCall(InfoPrintJournal(name, (PetscBool)(*path != '\0')));
  if (folder && !complaint->exit_code) PetscCall(StatusPrint(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandInfo - graze info [-state] DIR|FILE.

  Collective; root reads and prints. Complaint: EXIT_OPTIONS for the words, EXIT_FILES for the file; -state: its exit code, without a line
*/
PetscErrorCode CommandInfo(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt rank;
  const char *name  = NULL;
  PetscBool   state = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "-state")) state = PETSC_TRUE;
    else if (argv[i][0] == '-')
      ComplaintSet(complaint, EXIT_OPTIONS, "info takes no option %.80s; write: graze info [-state] DIR|FILE", argv[i]);
    else if (name) ComplaintSet(complaint, EXIT_OPTIONS, "stray word '%.80s'; write: graze info [-state] DIR|FILE", argv[i]);
    else name = argv[i];
  }
  if (!name || !*name) ComplaintSet(complaint, EXIT_OPTIONS, "info needs a folder or a file; write: graze info [-state] DIR|FILE");
  if (rank || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (state) {
    InfoState answer;

    PetscCall(InfoJudge(name, &answer));
    (void)printf("%s\n", answer.line);
    complaint->exit_code = answer.code;
  } else PetscCall(PrintAll_Private(name, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
