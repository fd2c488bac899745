/*
  main.c - graze_schedule: up to how many ranks does root keep the others busy? Simulated workers, the program's own schedule, measured
  times of root.

    graze_schedule [-mean 0.02] [-spread 1.65] | [-seconds FILE] [-bytes 5000] [-length 100] [-lines 4] [-wanted 0.95] [-most 65536]
    [-folder .] [-fsync true] [-json]

  First what root does for a step and for a piece is timed, with the objects of the program: take a message of -bytes (to itself, so
  without a network), note the step in the schedule, append it to a journal in -folder, write a line as events.jsonl has it; and what
  fsync takes for it. Then runs of more and more ranks are simulated, event by event. Cells take so many seconds each as -seconds FILE has
  (one number a line, drawn with replacement: wall_seconds of a sweep), or are lognormal with a mean [s] and a standard deviation of
  -spread means. There are -lines lines of -length cells a worker.

  The model. A worker computes a step, sends it, and goes on with the next; it waits where the program's does: before it sends, until root
  has begun to take the step before, and without a piece. Root takes messages in the order of arrival, one after the other; each costs the
  time measured, and so does each piece handed out. Whoever slept looks again after as long as it slept, within the limits of pool.c.
  fsync comes every three seconds and takes what it takes for the bytes since the last (-fsync false: nothing). Left out: the network's
  latency (microseconds, and nobody waits for it), snapshots (bounded by 1/200 of the time).

  Busy: the time that workers spent in steps, until the last piece was handed out; and until the end, where the last lines are not of one
  length.
*/
#include <stdio.h>

#include "bench_schedule.h"

static void PrintResult(const Options *o, const Result *r, PetscBool first)
{
  if (o->json)
    printf("%s\n    {\"ranks\": %d, \"busy\": %.4f, \"busy_to_the_end\": %.4f, \"root_busy\": %.4f, \"steps_per_second\": %.1f, "
           "\"seconds\": %.2f}",
           first ? "" : ",", (int)r->ranks, r->busy, r->busy_to_the_end, r->root, r->steps_per_second, r->seconds);
  else
    printf("%8d  %7.1f%%  %7.1f%%  %7.1f%%  %10.0f  %9.1f\n", (int)r->ranks, 100 * r->busy, 100 * r->busy_to_the_end, 100 * r->root,
           r->steps_per_second, r->seconds);
  (void)fflush(stdout);
}

static void PrintHead(const Options *o, const Costs *c)
{
  if (o->json) {
    printf("{\n  \"benchmark\": \"graze_schedule\",\n  \"root_us\": {\"step\": %.2f, \"fsync_per_step\": %.2f, \"piece\": %.2f, "
           "\"report\": %.2f},\n",
           1e6 * c->step, 1e6 * c->sync, 1e6 * c->piece, 1e6 * c->report);
    printf("  \"cell_seconds\": {\"mean\": %.6g, \"spread\": %.4g, \"from_file\": %s},\n  \"bytes\": %d, \"length\": %d, "
           "\"lines_per_worker\": %d,\n  \"runs\": [",
           o->mean, o->spread, o->from_file ? "true" : "false", (int)o->bytes, (int)o->length, (int)o->lines);
    return;
  }
  printf("root   %.1f us a step of %d bytes, %.1f us for its part of fsync, %.1f us a piece, %.1f us a report\n", 1e6 * c->step,
         (int)o->bytes, 1e6 * c->sync, 1e6 * c->piece, 1e6 * c->report);
  printf("cells  %.4g s, standard deviation %.3g means, %s; %d lines of %d a worker\n\n", o->mean, o->spread,
         o->from_file ? o->file : "lognormal", (int)o->lines, (int)o->length);
  printf("   ranks     busy   to end      root     steps/s    seconds\n");
}

static PetscErrorCode ReadOptions_Private(Options *o)
{
  PetscBool given;

  PetscFunctionBeginUser;
  *o = (Options){.mean   = 0.02,
                 .spread = 1.65,
                 .wanted = 0.95,
                 .bytes  = 5000,
                 .length = 100,
                 .lines  = 4,
                 .most   = 65536,
                 .folder = ".",
                 .fsync  = PETSC_TRUE};
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-mean", &o->mean, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-spread", &o->spread, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-wanted", &o->wanted, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bytes", &o->bytes, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-length", &o->length, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-lines", &o->lines, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-most", &o->most, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-folder", o->folder, sizeof o->folder, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-seconds", o->file, sizeof o->file, &given));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fsync", &o->fsync, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-json", &o->json));
  PetscCheck(o->mean > 0 && o->spread >= 0 && o->bytes > 0 && o->length > 0 && o->lines > 0 && o->wanted > 0 && o->wanted < 1 &&
               o->most >= 8,
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "an option is out of range");
  if (given) PetscCall(CellsRead(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twice as many ranks each time, until one row after workers wait; then between the last good and the first bad, to 2 %. */
static PetscErrorCode Main_Private(void)
{
  Options  options;
  Costs    costs;
  Result   result;
  PetscInt good = 0, bad = 0;

  PetscFunctionBeginUser;
  PetscCall(ReadOptions_Private(&options));
  PetscCall(CostsMeasure(&options, &costs));
  PrintHead(&options, &costs);
  for (PetscInt ranks = 8; ranks <= options.most && (!bad || ranks <= 2 * bad); ranks *= 2) {
    PetscCall(Simulate(&options, &costs, ranks, &result));
    PrintResult(&options, &result, (PetscBool)(ranks == 8));
    if (result.busy < options.wanted && !bad) bad = ranks;
    if (!bad) good = ranks;
  }
  while (bad && bad - good > PetscMax(good / 50, 1)) {
    const PetscInt middle = PetscMax((good + bad) / 2, 2);

    if (middle == bad) break;
    PetscCall(Simulate(&options, &costs, middle, &result));
    if (result.busy < options.wanted) bad = middle;
    else good = middle;
  }
  if (options.json)
    printf("\n  ],\n  \"wanted\": %.3f, \"largest_ranks\": %d, \"limit_reached\": %s\n}\n", options.wanted, (int)good,
           bad ? "true" : "false");
  else printf("\nworkers are %.0f%% busy up to %s%d ranks\n", 100 * options.wanted, bad ? "" : "at least ", (int)good);
  PetscCall(PetscFree(options.seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  if (Main_Private()) return 1;
  return PetscFinalize() ? 1 : 0;
}
