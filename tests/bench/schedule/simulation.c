/*
  simulation.c - a run of the pool, event by event: its own schedule, simulated workers. The model is told in main.c.
*/
#include <math.h>
#include <stdio.h>

#include "bench_schedule.h"
#include "graze/schedule.h"

#define SHORTEST_NAP 50e-6 /* of pool.c */
#define LONGEST_NAP  2e-3
#define HEARTBEAT    0.5

static uint64_t luck;

/* Uniform in (0, 1). xorshift64*: the same numbers everywhere. */
static PetscReal Uniform(void)
{
  luck ^= luck >> 12;
  luck ^= luck << 25;
  luck ^= luck >> 27;
  return ((PetscReal)((luck * 2685821657736338717ULL) >> 11) + 0.5) / 9007199254740992.0;
}

static PetscReal StepSeconds(const Options *o)
{
  const PetscReal width2 = log(1 + o->spread * o->spread);

  if (o->from_file) return o->seconds[PetscMin((PetscInt)(Uniform() * (PetscReal)o->n_seconds), o->n_seconds - 1)];
  return o->mean * exp(-0.5 * width2 + sqrt(width2) * sqrt(-2 * log(Uniform())) * cos(2 * PETSC_PI * Uniform()));
}

/* CellsRead - The seconds of a file; sets mean and spread to those of the file. */
PetscErrorCode CellsRead(Options *o)
{
  FILE     *file = fopen(o->file, "r");
  PetscInt  room = 0;
  PetscReal sum = 0, sum2 = 0;
  double    value;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read %s", o->file);
  while (fscanf(file, "%lf", &value) == 1) {
    if (!(value > 0)) continue;
    if (o->n_seconds == room) {
      PetscReal *larger;

      room = PetscMax(1024, 2 * room);
      PetscCall(PetscMalloc1(room, &larger));
      PetscCall(PetscArraycpy(larger, o->seconds, o->n_seconds));
      PetscCall(PetscFree(o->seconds));
      o->seconds = larger;
    }
    o->seconds[o->n_seconds++] = (PetscReal)value;
    sum += (PetscReal)value;
    sum2 += (PetscReal)(value * value);
  }
  (void)fclose(file);
  PetscCheck(o->n_seconds, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "no seconds in %s", o->file);
  o->mean      = sum / (PetscReal)o->n_seconds;
  o->spread    = sqrt(PetscMax(sum2 / (PetscReal)o->n_seconds - o->mean * o->mean, 0)) / o->mean;
  o->from_file = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal time;
  PetscInt  rank; /* whose step ends; 0: root's work on a message ends */
} Event;

typedef struct {
  PetscInt  left, ahead;       /* steps of the piece in work that are to be begun; pieces received and not begun */
  PetscReal begun, idle_since; /* of the step in work; < 0: none */
  PetscReal seconds, worked;   /* of the step in work; of those that ended */
  PetscBool underway, blocked; /* a step is not taken yet; another waits to be sent */
} Worker;

typedef enum { ROOT_ASLEEP, ROOT_WAKING, ROOT_SERVING } RootState;

typedef struct {
  const Options *options;
  const Costs   *costs;
  Schedule       schedule;
  PetscInt       size;
  Worker        *workers; /* [size] */
  Event         *events;  /* [size] heap; at most one a rank */
  PetscInt       n_events;
  PetscInt      *queue; /* [size] ranks whose message waits for root, a ring; at most one a rank */
  PetscInt       head, n_queue;
  RootState      root;
  PetscInt       serving; /* rank whose message root has in hand */
  PetscReal      now, root_idle_since, root_busy, last_sync;
  PetscReal      dry, worked_to_dry, root_to_dry; /* when the last piece was handed out, < 0: not yet; and what had been done by then */
  PetscInt       since_sync, steps, steps_to_dry;
} Simulation;

static void Push(Simulation *s, PetscReal time, PetscInt rank)
{
  PetscInt i = s->n_events++;

  for (; i > 0 && s->events[(i - 1) / 2].time > time; i = (i - 1) / 2) s->events[i] = s->events[(i - 1) / 2];
  s->events[i] = (Event){time, rank};
}

static Event Pop(Simulation *s)
{
  const Event first = s->events[0], moved = s->events[--s->n_events];
  PetscInt    i = 0;

  for (;;) {
    PetscInt child = 2 * i + 1;

    if (child + 1 < s->n_events && s->events[child + 1].time < s->events[child].time) child++;
    if (child >= s->n_events || s->events[child].time >= moved.time) break;
    s->events[i] = s->events[child];
    i            = child;
  }
  s->events[i] = moved;
  return first;
}

/* When somebody who went to sleep notices what happens now: naps double, so the one under way is about as long as the sleep so far. */
static PetscReal Notices(PetscReal asleep_since, PetscReal now)
{
  return now + PetscClipInterval(now - asleep_since, SHORTEST_NAP, LONGEST_NAP);
}

static void BeginStep(Simulation *s, PetscInt rank, PetscReal time)
{
  Worker *w = &s->workers[rank];

  w->left--;
  w->idle_since = -1;
  w->begun      = time;
  w->seconds    = StepSeconds(s->options);
  Push(s, time + w->seconds, rank);
}

/* A step is on its way to root. The worker does the next of its piece, or begins the piece that came ahead, or has nothing. */
static void Send(Simulation *s, PetscInt rank)
{
  Worker *w = &s->workers[rank];

  w->underway                                  = PETSC_TRUE;
  s->queue[(s->head + s->n_queue++) % s->size] = rank;
  if (s->root == ROOT_ASLEEP) {
    s->root = ROOT_WAKING;
    Push(s, Notices(s->root_idle_since, s->now), 0);
  }
  if (!w->left && w->ahead) {
    w->ahead--;
    w->left = s->options->length;
  }
  if (w->left) BeginStep(s, rank, s->now);
  else w->idle_since = s->now;
}

/* The worker has computed a step; it sends it as soon as root has taken the one before. */
static void StepEnds(Simulation *s, PetscInt rank)
{
  Worker *w = &s->workers[rank];

  w->worked += w->seconds;
  w->begun = -1;
  if (w->underway) w->blocked = PETSC_TRUE;
  else Send(s, rank);
}

/* Root begins to take the next message. */
static void Take(Simulation *s)
{
  const PetscInt rank = s->queue[s->head];
  Worker        *w    = &s->workers[rank];
  PetscReal      cost = s->costs->step + floor(w->seconds / HEARTBEAT) * s->costs->report;

  s->head = (s->head + 1) % s->size;
  s->n_queue--;
  s->since_sync++;
  if (s->now >= s->last_sync + SYNC_SECONDS) {
    cost += s->costs->sync * (PetscReal)s->since_sync;
    s->since_sync = 0;
    s->last_sync  = s->now;
  }
  s->root    = ROOT_SERVING;
  s->serving = rank;
  s->root_busy += cost;
  Push(s, s->now + cost, 0);
  w->underway = PETSC_FALSE;
  if (w->blocked) {
    w->blocked = PETSC_FALSE;
    Send(s, rank);
  }
}

/* All that can go out, one after the other. spent: what root used for it */
static PetscErrorCode HandOut_Private(Simulation *s, PetscReal *spent)
{
  ScheduleCounts counts;

  PetscFunctionBeginUser;
  *spent = 0;
  for (;;) {
    const PoolPiece *piece;
    PetscInt         rank;
    Worker          *w;

    PetscCall(ScheduleNext(s->schedule, &rank, &piece));
    if (!piece) break;
    *spent += s->costs->piece;
    w = &s->workers[rank];
    if (w->idle_since >= 0) {
      w->left = s->options->length;
      BeginStep(s, rank, Notices(w->idle_since, s->now + *spent));
    } else w->ahead++;
  }
  s->root_busy += *spent;
  PetscCall(ScheduleGetCounts(s->schedule, &counts));
  if (counts.waiting || s->dry >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  s->dry          = s->now;
  s->root_to_dry  = s->root_busy;
  s->steps_to_dry = s->steps;
  for (PetscInt r = 1; r < s->size; r++)
    s->worked_to_dry += s->workers[r].worked + (s->workers[r].begun >= 0 ? PetscMax(s->now - s->workers[r].begun, 0) : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Root is awake, or through with a message. */
static PetscErrorCode RootGoesOn_Private(Simulation *s)
{
  PetscReal spent;

  PetscFunctionBeginUser;
  if (s->root == ROOT_SERVING) {
    const PoolPiece *piece;
    PetscInt         step;
    PetscBool        last;

    PetscCall(ScheduleGetHeld(s->schedule, s->serving, &piece, &step));
    PetscCall(ScheduleStep(s->schedule, s->serving, piece->unit, step, &last));
    if (last) PetscCall(ScheduleEnd(s->schedule, s->serving));
    s->steps++;
    PetscCall(HandOut_Private(s, &spent));
    s->now += spent; /* nobody else's event is handled before: a few microseconds against milliseconds */
  }
  if (s->n_queue) Take(s);
  else {
    s->root            = ROOT_ASLEEP;
    s->root_idle_since = s->now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Simulate - One run of `ranks` ranks, root included, which only serves. */
PetscErrorCode Simulate(const Options *options, const Costs *costs, PetscInt ranks, Result *result)
{
  Simulation     s       = {.options = options, .costs = costs, .size = ranks, .dry = -1};
  const PetscInt workers = ranks - 1;
  PetscReal      worked  = 0, spent;

  PetscFunctionBeginUser;
  luck = 88172645463325252ULL;
  PetscCall(PetscCalloc3(ranks, &s.workers, ranks, &s.events, ranks, &s.queue));
  PetscCall(ScheduleCreate(ranks, PETSC_FALSE, &s.schedule));
  for (PetscInt u = 0; u < options->lines * workers; u++)
    PetscCall(ScheduleAdd(s.schedule, &(PoolPiece){.unit = u, .n = options->length, .cost = (PetscReal)options->length}));
  for (PetscInt r = 1; r < ranks; r++) s.workers[r].begun = -1;
  PetscCall(HandOut_Private(&s, &spent));
  s.root_idle_since = spent;
  while (s.n_events) {
    const Event event = Pop(&s);

    s.now = PetscMax(s.now, event.time);
    if (event.rank) StepEnds(&s, event.rank);
    else PetscCall(RootGoesOn_Private(&s));
  }
  PetscCheck(s.steps == options->lines * workers * options->length, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " steps were committed", s.steps);
  for (PetscInt r = 1; r < ranks; r++) worked += s.workers[r].worked;
  *result = (Result){.ranks            = ranks,
                     .busy             = s.worked_to_dry / (s.dry * (PetscReal)workers),
                     .busy_to_the_end  = worked / (s.now * (PetscReal)workers),
                     .root             = s.root_to_dry / s.dry,
                     .seconds          = s.now,
                     .steps_per_second = (PetscReal)s.steps_to_dry / s.dry};
  PetscCall(ScheduleDestroy(&s.schedule));
  PetscCall(PetscFree3(s.workers, s.events, s.queue));
  PetscFunctionReturn(PETSC_SUCCESS);
}
