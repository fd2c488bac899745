/*
  bench.c - graze_bench: what the flows cost, and how wrong they are, on one core. Prints JSON.

    graze_bench [-modes 60,120,200] [-reference 400] [-steps 4e-4,2e-4,1e-4,5e-5] [-repeats 21] [-contacts false] [-growth false] [-branches false]

  Default case, 40 periods from the stated initial condition; -modes 0 is the number that the program chooses. Errors are those of the
  tip displacement at the strobes: against the exact flow with -reference modes, and of the literal scheme also against the exact flow with
  the same modes. Times are processor time, medians over repeats within this run; fewer repeats where they would take over a second.
*/
#define _XOPEN_SOURCE 700
#include <math.h>
#include <slepcsys.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { BLOCK = 10, MANY = 16 };

typedef struct {
  PetscReal seconds;                /* all periods */
  PetscReal block[PERIODS / BLOCK]; /* each ten of them */
  PetscReal displacement[PERIODS];  /* at the strobes that end them */
} Timing;

/* Processor time of this one-threaded program: other work on the machine does not count. */
PetscReal Now(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (PetscReal)now.tv_sec + 1e-9 * (PetscReal)now.tv_nsec;
}

static int Rising(const void *a, const void *b)
{
  const PetscReal x = *(const PetscReal *)a, y = *(const PetscReal *)b;

  return (x > y) - (x < y);
}

PetscReal Median(PetscInt n, PetscReal *values)
{
  qsort(values, (size_t)n, sizeof(*values), Rising);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

static PetscReal LargestDifference(const PetscReal *a, const PetscReal *b)
{
  PetscReal largest = 0.0;

  for (PetscInt i = 0; i < PERIODS; ++i) largest = PetscMax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

/* A model with M modes; a complaint ends the program. */
PetscErrorCode BenchModel(const Params *params, PetscInt M, Model *model)
{
  Complaint complaint = {0};

  PetscFunctionBeginUser;
  PetscCall(ModelCreate(PETSC_COMM_SELF, model));
  PetscCall(ModelSetParams(*model, params));
  PetscCall(ModelSetModes(*model, M));
  PetscCall(ModelSetUp(*model, &complaint));
  PetscCheck(!complaint.exit_code, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s", complaint.line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow with its forcing set; params may differ from the model's in stop position and step. */
PetscErrorCode BenchCreate(Model model, const Params *params, FlowType type, PetscReal amplitude, PetscReal frequency, Bench *b)
{
  const ForcingShape *load;
  PetscInt            n;

  PetscFunctionBeginUser;
  PetscCall(ModelCreateFlow(model, type, &b->flow));
  PetscCall(FlowSetParams(b->flow, params));
  PetscCall(ModelGetLoad(model, &load));
  PetscCall(FlowSetForcing(b->flow, load, amplitude, frequency));
  PetscCall(FlowGetSize(b->flow, &n));
  PetscCall(PetscMalloc2(n, &b->start.x, n, &b->state.x));
  b->start.n = b->state.n = n;
  PetscCall(FlowInitialState(b->flow, &b->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchDestroy(Bench *b)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(b->start.x, b->state.x));
  PetscCall(FlowDestroy(&b->flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FlowStart from b->start. */
PetscErrorCode BenchStart(Bench *b)
{
  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(b->state.x, b->start.x, b->start.n));
  b->state.contact = b->start.contact;
  PetscCall(FlowStart(b->flow, &b->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchPeriods(Bench *b, PetscInt periods, PetscReal *displacement)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < periods; ++i) {
    FlowReason reason;
    PetscReal  y2;

    PetscCall(FlowPeriod(b->flow, &b->state, &reason));
    PetscCheck(!reason, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a period ended with: %s", FlowReasons[reason]);
    if (displacement) PetscCall(FlowGetTip(b->flow, &b->state, &displacement[i], &y2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run_Private(Bench *b, PetscInt repeats, Timing *timing)
{
  PetscReal total[REPEATS], block[PERIODS / BLOCK][REPEATS];
  PetscReal spent = 0.0;
  PetscInt  n     = 0;

  PetscFunctionBeginUser;
  do {
    total[n] = 0.0;
    PetscCall(BenchStart(b));
    for (PetscInt k = 0; k < PERIODS / BLOCK; ++k) {
      const PetscReal begin = Now();

      PetscCall(BenchPeriods(b, BLOCK, timing->displacement + k * BLOCK));
      block[k][n] = Now() - begin;
      total[n] += block[k][n];
    }
    spent += total[n];
  } while (++n < repeats && spent < 1.0);
  timing->seconds = Median(n, total);
  for (PetscInt k = 0; k < PERIODS / BLOCK; ++k) timing->block[k] = Median(n, block[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contacts in `periods` periods from b->start; a run of its own, since watching costs time. */
PetscErrorCode BenchContacts(Bench *b, PetscInt periods, PetscInt *count)
{
  FlowRecord record = {0};

  PetscFunctionBeginUser;
  PetscCall(FlowRecordReset(&record));
  PetscCall(FlowSetRecord(b->flow, &record));
  PetscCall(BenchStart(b));
  PetscCall(BenchPeriods(b, periods, NULL));
  PetscCall(FlowSetRecord(b->flow, NULL));
  *count = record.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the exact flow ----------------------------------------------------------------------------------------------- */

/* One run of 1040 periods without a restart, looked at three times for 40 periods: at its start, on the orbit, and late on the orbit. */
static PetscErrorCode Age_Private(Bench *b, PetscInt repeats)
{
  static const PetscInt age[3] = {0, 40, 1000};
  PetscReal             seconds[3][REPEATS];
  PetscInt64            looks[3][2], visited;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < repeats; ++k) {
    PetscCall(BenchStart(b));
    for (PetscInt i = 0, done = 0; i < 3; ++i) {
      PetscCall(BenchPeriods(b, age[i] - done, NULL));
      PetscCall(FlowGetLooks(b->flow, &looks[i][0], &visited));
      seconds[i][k] = Now();
      PetscCall(BenchPeriods(b, PERIODS, NULL));
      seconds[i][k] = Now() - seconds[i][k];
      PetscCall(FlowGetLooks(b->flow, &looks[i][1], &visited));
      done = age[i] + PERIODS;
    }
  }
  printf("        \"by_age\": [");
  for (PetscInt i = 0; i < 3; ++i)
    printf("%s{\"from_period\": %d, \"us_per_period\": %.2f, \"looks_per_period\": %.1f}", i ? ", " : "", (int)age[i],
           Median(repeats, seconds[i]) * 1e6 / PERIODS, (double)(looks[i][1] - looks[i][0]) / PERIODS);
  printf("]\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exact_Private(Model model, const Params *params, PetscInt repeats, const PetscReal *reference, Timing *timing)
{
  Bench      b;
  PetscInt64 looks[2], visited[2];
  PetscInt   contacts;

  PetscFunctionBeginUser;
  PetscCall(BenchCreate(model, params, FLOW_EXACT, params->forcing_amplitude, params->forcing_frequency, &b));
  PetscCall(FlowGetLooks(b.flow, &looks[0], &visited[0]));
  PetscCall(Run_Private(&b, 1, timing)); /* also fills the caches */
  PetscCall(FlowGetLooks(b.flow, &looks[1], &visited[1]));
  PetscCall(Run_Private(&b, repeats, timing));
  PetscCall(BenchContacts(&b, PERIODS, &contacts));
  looks[1] -= looks[0];
  visited[1] -= visited[0];
  printf("      \"exact\": {\n");
  printf("        \"seconds\": %.6f, \"us_per_period\": %.2f, \"contacts\": %d, \"error_against_reference\": %.3e,\n", timing->seconds,
         timing->seconds * 1e6 / PERIODS, (int)contacts, LargestDifference(timing->displacement, reference));
  printf("        \"looks_per_period\": %.1f, \"modes_per_look\": %.1f, \"ns_per_mode_and_look\": %.2f,\n", (double)looks[1] / PERIODS,
         (double)visited[1] / (double)looks[1], timing->seconds * 1e9 / (double)visited[1]);
  PetscCall(Age_Private(&b, repeats));
  printf("      },\n");
  PetscCall(BenchDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the literal scheme ------------------------------------------------------------------------------------------- */

/*
  All steps, and from the two shortest what equal error would take: the error falls with the first power of the step, and the time grows
  with its square, for every step sums over the steps of all contacts before it. The power between those two is printed beside.
*/
static PetscErrorCode Literal_Private(Model model, const Params *params, PetscInt n_steps, const PetscReal *steps, PetscInt repeats,
                                      const PetscReal *reference, const Timing *exact)
{
  const PetscReal wanted = LargestDifference(exact->displacement, reference);
  PetscReal       seconds[MANY], error[MANY];

  PetscFunctionBeginUser;
  printf("      \"literal\": [\n");
  for (PetscInt i = 0; i < n_steps; ++i) {
    Params   stepped = *params;
    Bench    b;
    Timing   timing;
    PetscInt contacts;

    stepped.literal_step = steps[i];
    PetscCall(BenchCreate(model, &stepped, FLOW_LITERAL, params->forcing_amplitude, params->forcing_frequency, &b));
    PetscCall(Run_Private(&b, repeats, &timing));
    PetscCall(BenchContacts(&b, PERIODS, &contacts));
    PetscCall(BenchDestroy(&b));
    seconds[i] = timing.seconds;
    error[i]   = LargestDifference(timing.displacement, exact->displacement);
    printf("        {\"step\": %.3e, \"seconds\": %.6f, \"us_per_period\": %.1f, \"times_exact\": %.1f, \"contacts\": %d,\n", steps[i],
           seconds[i], seconds[i] * 1e6 / PERIODS, seconds[i] / exact->seconds, (int)contacts);
    printf("         \"us_per_period_of_each_ten\": [%.1f, %.1f, %.1f, %.1f],\n", timing.block[0] * 1e5, timing.block[1] * 1e5,
           timing.block[2] * 1e5, timing.block[3] * 1e5);
    printf("         \"error_against_exact\": %.3e, \"error_against_reference\": %.3e}%s\n", error[i],
           LargestDifference(timing.displacement, reference), i < n_steps - 1 ? "," : "");
  }
  printf("      ]");
  if (n_steps > 1) {
    const PetscReal *h = steps + n_steps - 2, *t = seconds + n_steps - 2, *e = error + n_steps - 2;
    const PetscReal  slope = sqrt(e[0] / h[0] * e[1] / h[1]), step = wanted / slope, power = log(t[1] / t[0]) / log(h[0] / h[1]);
    const PetscReal  time = t[1] * PetscSqr(h[1] / step);

    printf(",\n      \"equal_error\": {\"error\": %.3e, \"exact_seconds\": %.6f, \"literal_step_extrapolated\": %.3e, "
           "\"time_power_measured\": %.2f, \"literal_seconds_extrapolated\": %.3e, \"ratio\": %.3e}",
           wanted, exact->seconds, step, power, time, time / exact->seconds);
  }
  printf("\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cost against contacts ---------------------------------------------------------------------------------------- */

/* One frequency, so that periods are of one length; the stop is moved to change the number of contacts. After 200 periods, over 40. */
static PetscErrorCode ByContacts_Private(Model model, PetscInt modes, const Params *params, PetscInt repeats)
{
  static const PetscReal stop[] = {-0.5, -0.1, -0.05, -0.03, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05};
  enum { CASES = sizeof(stop) / sizeof(stop[0]) };
  const PetscReal frequency = 2.0;
  PetscReal       sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, slope, largest = 0.0, x[CASES], y[CASES];

  PetscFunctionBeginUser;
  printf(",\n  \"cost_by_contacts\": {\"modes\": %d, \"frequency\": %g, \"cases\": [\n", (int)modes, frequency);
  for (PetscInt i = 0; i < CASES; ++i) {
    Params     moved = *params;
    Bench      b;
    Timing     timing;
    PetscInt   contacts;
    PetscInt64 looks[2], visited;

    moved.stop_position = stop[i];
    PetscCall(BenchCreate(model, &moved, FLOW_EXACT, params->forcing_amplitude, frequency, &b));
    PetscCall(BenchStart(&b));
    PetscCall(BenchPeriods(&b, 200, NULL));
    PetscCall(PetscArraycpy(b.start.x, b.state.x, b.start.n));
    b.start.contact = b.state.contact;
    PetscCall(Run_Private(&b, repeats, &timing));
    PetscCall(BenchContacts(&b, PERIODS, &contacts));
    PetscCall(FlowGetLooks(b.flow, &looks[0], &visited));
    PetscCall(BenchStart(&b));
    PetscCall(BenchPeriods(&b, PERIODS, NULL));
    PetscCall(FlowGetLooks(b.flow, &looks[1], &visited));
    PetscCall(BenchDestroy(&b));
    x[i] = (PetscReal)contacts / PERIODS;
    y[i] = timing.seconds * 1e6 / PERIODS;
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
    printf("    {\"stop_position\": %g, \"contacts_per_period\": %.3f, \"looks_per_period\": %.1f, \"us_per_period\": %.2f}%s\n", stop[i],
           x[i], (double)(looks[1] - looks[0]) / PERIODS, y[i], i < CASES - 1 ? "," : "");
  }
  slope = (CASES * sxy - sx * sy) / (CASES * sxx - sx * sx);
  for (PetscInt i = 0; i < CASES; ++i) largest = PetscMax(largest, fabs(y[i] - sy / CASES - slope * (x[i] - sx / CASES)));
  printf("    ], \"us_per_contact\": %.2f, \"us_without\": %.2f, \"largest_residual_us\": %.2f}", slope, (sy - slope * sx) / CASES,
         largest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

static void Machine_Private(void)
{
  FILE *cpu = fopen("/proc/cpuinfo", "r");
  char  line[256], *name = NULL;

  while (cpu && fgets(line, sizeof(line), cpu)) {
    if (strncmp(line, "model name", 10) != 0 || !(name = strchr(line, ':'))) continue;
    name += 2;
    name[strcspn(name, "\n\"")] = '\0';
    break;
  }
  printf("  \"cpu\": \"%s\", \"compiler\": \"%s\", \"petsc\": \"%d.%d.%d\",\n", name ? name : "unknown", __VERSION__, PETSC_VERSION_MAJOR,
         PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
  if (cpu) (void)fclose(cpu);
}

static PetscErrorCode Main_Private(void)
{
  Params    params;
  Complaint complaint   = {0};
  PetscInt  modes[MANY] = {0}, n_modes = MANY, n_steps = MANY, repeats = 21, reference_modes = 400;
  PetscReal steps[MANY] = {4e-4, 2e-4, 1e-4, 5e-5};
  PetscBool given, contacts = PETSC_TRUE, growth = PETSC_TRUE, branches = PETSC_TRUE;
  Model     model;
  Bench     b;
  Timing    reference;

  PetscFunctionBeginUser;
  PetscCall(ParamsRead(PETSC_COMM_SELF, COMMAND_TRAJECTORY, 0, NULL, &params, &complaint));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-modes", modes, &n_modes, &given));
  if (!given) n_modes = 1;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-steps", steps, &n_steps, &given));
  if (!given) n_steps = 4;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &repeats, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reference", &reference_modes, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-contacts", &contacts, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-growth", &growth, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-branches", &branches, NULL));
  repeats = PetscClipInterval(repeats, 1, REPEATS);

  printf("{\n  \"benchmark\": \"graze_bench\",\n");
  Machine_Private();
  printf("  \"amplitude\": %g, \"frequency\": %g, \"periods\": %d, \"repeats\": %d, \"reference_modes\": %d,\n", params.forcing_amplitude,
         params.forcing_frequency, PERIODS, (int)repeats, (int)reference_modes);
  PetscCall(BenchModel(&params, reference_modes, &model));
  PetscCall(BenchCreate(model, &params, FLOW_EXACT, params.forcing_amplitude, params.forcing_frequency, &b));
  PetscCall(Run_Private(&b, 1, &reference));
  PetscCall(BenchDestroy(&b));
  PetscCall(ModelDestroy(&model));

  printf("  \"models\": [\n");
  for (PetscInt i = 0; i < n_modes; ++i) {
    const PetscReal begin  = Now();
    PetscBool       chosen = (PetscBool)(modes[i] == 0);
    Timing          exact;

    if (chosen) {
      ModesChoice choice;

      PetscCall(ModelCreate(PETSC_COMM_SELF, &model));
      PetscCall(ModelSetParams(model, &params));
      PetscCall(ModelChooseModes(model, params.forcing_amplitude, params.forcing_frequency, &choice, &complaint));
      PetscCall(ModelDestroy(&model));
      modes[i] = choice.modes;
    }
    PetscCall(BenchModel(&params, modes[i], &model));
    printf("    {\"modes\": %d, \"chosen_by_program\": %s, \"setup_seconds\": %.3f,\n", (int)modes[i], chosen ? "true" : "false",
           Now() - begin);
    PetscCall(Exact_Private(model, &params, repeats, reference.displacement, &exact));
    PetscCall(Literal_Private(model, &params, n_steps, steps, repeats, reference.displacement, &exact));
    printf("    }%s\n", i < n_modes - 1 ? "," : "");
    PetscCall(ModelDestroy(&model));
  }
  printf("  ]");
  if (contacts) {
    PetscCall(BenchModel(&params, modes[0], &model));
    PetscCall(ByContacts_Private(model, modes[0], &params, repeats));
    PetscCall(ModelDestroy(&model));
  }
  if (growth) PetscCall(BenchGrowth(&params, repeats));
  if (branches) PetscCall(BenchBranches(&params));
  printf("\n}\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  if (Main_Private()) return 1;
  return SlepcFinalize() ? 1 : 0;
}
