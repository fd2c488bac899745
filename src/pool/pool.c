/*
  pool.c - who does which opaque unit of work.

  Messages, on a communicator of the pool's own:
    TAG_UNIT    root -> worker   the number of a unit, or NO_MORE
    TAG_REPORT  worker -> root   unit, steps done, bytes of its result; UNDERWAY bytes: the unit goes on
    TAG_RESULT  worker -> root   the bytes, right behind a report that announces some

  Invariants
  * A worker has one receive posted for its next unit while it works, and root answers a result only after all its bytes are
    here: no blocking send of either side waits for the other, however small the buffers of MPI are.
  * Root looks for reports alone, so that a result never arrives without its unit.
  * handed[rank] units are with a worker: the one it works on and, far from the end, the one after that. A worker is told
    NO_MORE exactly once, when it has none and the queue is empty.
*/
#define _POSIX_C_SOURCE 200809L
#include "graze/pool.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define TAG_UNIT   1
#define TAG_REPORT 2
#define TAG_RESULT 3
#define NO_MORE    (-1)
#define UNDERWAY   (-1)

#define REPORT_SECONDS   0.2 /* between two reports of a worker on one unit */
#define PROGRESS_SECONDS 0.5 /* half of what is promised, since root may be in the middle of a step */
#define SHORTEST_NAP     50000L
#define LONGEST_NAP      2000000L /* ns: a core at rest, and little against any unit */

enum {
  REPORT_UNIT,
  REPORT_STEPS,
  REPORT_BYTES,
  REPORT_LENGTH
};

struct _p_Pool {
  /* parameters */
  PetscInt      n;
  PoolCallbacks callbacks;
  /* borrowed */
  void      *ctx;
  Complaint *complaint; /* of the PoolRun that is on */
  /* owned */
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscInt   *steps;         /* [n] */
  PetscInt   *order;         /* [n] units, dearest first */
  PetscReal  *busy;          /* root: [size] */
  PetscInt   *handed;        /* root: [size] units out with each rank */
  PetscInt   *steps_of_rank; /* root: [size] steps done of the unit each rank works on */
  char       *result;        /* root: [result_capacity] the result that arrived last */
  PetscInt    result_capacity;
  /* work */
  PetscInt64  next_unit; /* worker: what the posted receive fills */
  PetscInt    unit;      /* that this rank works on, or NO_MORE */
  PetscInt    steps_done;
  double      last_report, last_progress, start; /* MPI_Wtime [s] */
  double      seconds_in_work, seconds_aside;    /* aside: in PoolTick, during the present unit */
  /* status, root */
  PetscInt    taken, committed; /* units */
  PetscInt    total, done;      /* steps; done: of the committed units */
  PetscMPIInt workers;          /* not told NO_MORE yet */
};

/*
  PoolCreate - A pool without units.

  Collective on comm, which is duplicated. PoolDestroy frees it.
*/
PetscErrorCode PoolCreate(MPI_Comm comm, Pool *pool)
{
  Pool p;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&p));
  PetscCallMPI(MPI_Comm_dup(comm, &p->comm));
  PetscCallMPI(MPI_Comm_rank(p->comm, &p->rank));
  PetscCallMPI(MPI_Comm_size(p->comm, &p->size));
  p->unit = NO_MORE;
  if (p->rank == 0) PetscCall(PetscCalloc3(p->size, &p->busy, p->size, &p->handed, p->size, &p->steps_of_rank));
  *pool = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal cost;
  PetscInt  unit;
} Priced;

/* Dearest first; of the same cost, the lower number first, so that the order is one and the same everywhere. */
static int ComparePriced_Private(const void *left, const void *right)
{
  const Priced *a = (const Priced *)left, *b = (const Priced *)right;

  if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
  return a->unit < b->unit ? -1 : 1;
}

/*
  PoolSetUnits - What there is to do.

  Logically collective.
  Input:  n - units, 0 or more;  steps - PoolTicks each makes, shape [n];  cost - expected cost in any unit, shape [n], or NULL:
          hand out in order. Both are copied.
  Cost:   O(n log n)
*/
PetscErrorCode PoolSetUnits(Pool pool, PetscInt n, const PetscInt *steps, const PetscReal *cost)
{
  PetscInt64 total = 0;
  Priced    *priced;

  PetscFunctionBeginUser;
  PetscCheck(n >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " units", n);
  PetscCall(PetscFree2(pool->steps, pool->order));
  PetscCall(PetscMalloc2(n, &pool->steps, n, &pool->order));
  PetscCall(PetscMalloc1(n, &priced));
  for (PetscInt i = 0; i < n; i++) {
    pool->steps[i] = steps[i];
    total += steps[i];
    priced[i] = (Priced){cost ? cost[i] : 0, i};
  }
  if (n) qsort(priced, (size_t)n, sizeof *priced, ComparePriced_Private);
  for (PetscInt i = 0; i < n; i++) pool->order[i] = priced[i].unit;
  PetscCall(PetscFree(priced));
  PetscCheck((PetscInt64)(PetscInt)total == total, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "More steps than a PetscInt counts");
  pool->n     = n;
  pool->total = (PetscInt)total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolSetCallbacks - Who works, who commits, who is told of progress.

  Logically collective.
  Input:  callbacks - copied;  ctx - borrowed, handed to each of them
*/
PetscErrorCode PoolSetCallbacks(Pool pool, const PoolCallbacks *callbacks, void *ctx)
{
  PetscFunctionBeginUser;
  pool->callbacks = *callbacks;
  pool->ctx       = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Nap_Private(long *nap)
{
  const struct timespec pause = {0, *nap};

  (void)nanosleep(&pause, NULL); /* woken early by a signal, the caller looks once more than it had to */
  *nap = 2 * *nap < LONGEST_NAP ? 2 * *nap : LONGEST_NAP;
}

/* MPI_Wait would spin a core that another rank may need. */
static PetscErrorCode Await_Private(MPI_Request *request)
{
  long nap = SHORTEST_NAP;
  int  arrived;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Test(request, &arrived, MPI_STATUS_IGNORE));
  while (!arrived) {
    Nap_Private(&nap);
    PetscCallMPI(MPI_Test(request, &arrived, MPI_STATUS_IGNORE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a unit on this rank, and notes the time in it. */
static PetscErrorCode Work_Private(Pool pool, PetscInt unit, PetscInt *nbytes, const void **result)
{
  double start = MPI_Wtime();

  PetscFunctionBeginUser;
  pool->unit          = unit;
  pool->steps_done    = 0;
  pool->seconds_aside = 0;
  pool->last_report   = start;
  PetscCall(pool->callbacks.work(pool->ctx, pool, unit, nbytes, result));
  pool->unit = NO_MORE;
  pool->seconds_in_work += MPI_Wtime() - start - pool->seconds_aside;
  PetscCheck(*nbytes >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Unit %" PetscInt_FMT ": a result of %" PetscInt_FMT " bytes", unit, *nbytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_Private(Pool pool, PetscInt unit, PetscInt nbytes)
{
  const PetscInt64 report[REPORT_LENGTH] = {[REPORT_UNIT] = unit, [REPORT_STEPS] = pool->steps_done, [REPORT_BYTES] = nbytes};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Send(report, REPORT_LENGTH, MPIU_INT64, 0, TAG_REPORT, pool->comm));
  pool->last_report = MPI_Wtime();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunWorker_Private(Pool pool)
{
  MPI_Request request;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Irecv(&pool->next_unit, 1, MPIU_INT64, 0, TAG_UNIT, pool->comm, &request));
  for (;;) {
    PetscInt    unit, nbytes = 0;
    PetscMPIInt count;
    const void *result = NULL;

    PetscCall(Await_Private(&request));
    unit = (PetscInt)pool->next_unit;
    if (unit == NO_MORE) break;
    PetscCallMPI(MPI_Irecv(&pool->next_unit, 1, MPIU_INT64, 0, TAG_UNIT, pool->comm, &request));
    PetscCall(Work_Private(pool, unit, &nbytes, &result));
    PetscCall(PetscMPIIntCast(nbytes, &count));
    PetscCall(Report_Private(pool, unit, nbytes));
    if (count) PetscCallMPI(MPI_Send(result, count, MPI_BYTE, 0, TAG_RESULT, pool->comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives a worker units until it has `depth` of them, as far as there are any. */
static PetscErrorCode Hand_Private(Pool pool, PetscMPIInt rank, PetscInt depth)
{
  PetscInt64 unit = NO_MORE;

  PetscFunctionBeginUser;
  while (pool->handed[rank] < depth && pool->taken < pool->n) {
    /* near the end a unit kept in hand is one that an idle rank could do */
    if (pool->handed[rank] > 0 && pool->n - pool->taken <= 2 * (PetscInt)pool->size) break;
    unit = pool->order[pool->taken++];
    pool->handed[rank]++;
    PetscCallMPI(MPI_Send(&unit, 1, MPIU_INT64, rank, TAG_UNIT, pool->comm));
  }
  if (pool->handed[rank] == 0) {
    PetscCallMPI(MPI_Send(&unit, 1, MPIU_INT64, rank, TAG_UNIT, pool->comm));
    pool->workers--;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Commit_Private(Pool pool, PetscInt unit, PetscMPIInt rank, PetscInt nbytes, const void *result)
{
  PetscFunctionBeginUser;
  PetscCall(pool->callbacks.commit(pool->ctx, unit, rank, nbytes, result, pool->complaint));
  pool->committed++;
  pool->done += pool->steps[unit];
  pool->steps_of_rank[rank] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Progress_Private(Pool pool)
{
  double   now  = MPI_Wtime();
  PetscInt done = pool->done;

  PetscFunctionBeginUser;
  pool->last_progress = now;
  if (!pool->callbacks.progress) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscMPIInt r = 0; r < pool->size; r++) done += pool->steps_of_rank[r];
  PetscCall(pool->callbacks.progress(pool->ctx, done, pool->total, now - pool->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Receive_Private(Pool pool, PetscMPIInt rank)
{
  PetscInt64 report[REPORT_LENGTH];
  PetscInt   unit, nbytes;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Recv(report, REPORT_LENGTH, MPIU_INT64, rank, TAG_REPORT, pool->comm, MPI_STATUS_IGNORE));
  unit   = (PetscInt)report[REPORT_UNIT];
  nbytes = (PetscInt)report[REPORT_BYTES];
  if (nbytes == UNDERWAY) {
    /* what a unit promised is all it counts for: done never passes total, nor falls when the unit ends */
    pool->steps_of_rank[rank] = PetscMin((PetscInt)report[REPORT_STEPS], pool->steps[unit]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (nbytes > pool->result_capacity) {
    pool->result_capacity = 0;
    PetscCall(PetscFree(pool->result));
    PetscCall(PetscMalloc1(nbytes, &pool->result));
    pool->result_capacity = nbytes;
  }
  if (nbytes) PetscCallMPI(MPI_Recv(pool->result, (PetscMPIInt)nbytes, MPI_BYTE, rank, TAG_RESULT, pool->comm, MPI_STATUS_IGNORE));
  pool->handed[rank]--;
  PetscCall(Commit_Private(pool, unit, rank, nbytes, pool->result));
  if (!pool->complaint->exit_code) PetscCall(Hand_Private(pool, rank, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Root answers whatever has arrived; served tells whether anything had. */
static PetscErrorCode Serve_Private(Pool pool, PetscBool *served)
{
  MPI_Status status;
  int        found = 1;

  PetscFunctionBeginUser;
  *served = PETSC_FALSE;
  while (found && !pool->complaint->exit_code) {
    PetscCallMPI(MPI_Iprobe(MPI_ANY_SOURCE, TAG_REPORT, pool->comm, &found, &status));
    if (!found) break;
    PetscCall(Receive_Private(pool, status.MPI_SOURCE));
    *served = PETSC_TRUE;
  }
  if (!pool->complaint->exit_code && MPI_Wtime() - pool->last_progress >= PROGRESS_SECONDS) PetscCall(Progress_Private(pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolTick - One step of the unit in work is done.

  Not collective; inside `work` alone. Root takes results in and hands out units meanwhile, so `commit` and `progress` may be
  called from here; a worker tells root how far it is, now and then.
  Cost:  a look at the clock, and on root a probe for messages
*/
PetscErrorCode PoolTick(Pool pool)
{
  double    start = MPI_Wtime();
  PetscBool served;

  PetscFunctionBeginUser;
  PetscCheck(pool->unit != NO_MORE, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolTick outside of work");
  pool->steps_done++;
  if (pool->rank == 0) {
    pool->steps_of_rank[0] = PetscMin(pool->steps_done, pool->steps[pool->unit]);
    PetscCall(Serve_Private(pool, &served));
  } else if (start - pool->last_report >= REPORT_SECONDS) PetscCall(Report_Private(pool, pool->unit, UNDERWAY));
  pool->seconds_aside += MPI_Wtime() - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunRoot_Private(Pool pool)
{
  const PetscBool works = (PetscBool)(pool->size <= POOL_ROOT_WORKS);
  long            nap   = SHORTEST_NAP;

  PetscFunctionBeginUser;
  pool->workers = pool->size - 1;
  for (PetscMPIInt r = 1; r < pool->size; r++) PetscCall(Hand_Private(pool, r, 1));
  /* second round: all ranks have one of the dearest before any has two */
  for (PetscMPIInt r = 1; r < pool->size; r++)
    if (pool->handed[r]) PetscCall(Hand_Private(pool, r, 2));
  while (pool->committed < pool->n || pool->workers > 0) {
    PetscBool served;

    PetscCall(Serve_Private(pool, &served));
    if (pool->complaint->exit_code) break;
    if (works && pool->taken < pool->n) {
      const PetscInt unit   = pool->order[pool->taken++];
      PetscInt       nbytes = 0;
      const void    *result = NULL;

      PetscCall(Work_Private(pool, unit, &nbytes, &result));
      if (pool->complaint->exit_code) break;
      PetscCall(Commit_Private(pool, unit, 0, nbytes, result));
      if (pool->complaint->exit_code) break;
    } else if (served) nap = SHORTEST_NAP;
    else if (pool->committed < pool->n || pool->workers > 0) Nap_Private(&nap);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolRun - Do every unit once, commit every result on root.

  Collective. An error that `work` returns goes the way of every PETSc error.
  Input:   complaint - without one
  Output:  complaint - root: what `commit` complained of. Root then commits and hands out nothing more and returns at once - or, if it
           was in the middle of a unit of its own, when that ends - while the other ranks are still inside PoolRun and stay there. The
           caller aborts the job; with other ranks neither PoolRun nor PoolDestroy may follow.
  `progress` is called at least once a second, if steps on root are shorter than half of that, and once more when all is done; not if
  there are no units.
*/
PetscErrorCode PoolRun(Pool pool, Complaint *complaint)
{
  double      wall;
  double     *seconds = NULL;
  MPI_Request request;

  PetscFunctionBeginUser;
  PetscCheck(pool->callbacks.work && pool->callbacks.commit, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PoolSetCallbacks first");
  pool->complaint       = complaint;
  pool->start           = MPI_Wtime();
  pool->last_progress   = pool->start;
  pool->seconds_in_work = 0;
  pool->taken           = 0;
  pool->committed       = 0;
  pool->done            = 0;
  if (pool->rank == 0) {
    PetscCall(PetscArrayzero(pool->handed, pool->size));
    PetscCall(PetscArrayzero(pool->steps_of_rank, pool->size));
    PetscCall(RunRoot_Private(pool));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    if (pool->n) PetscCall(Progress_Private(pool));
    PetscCall(PetscMalloc1(pool->size, &seconds));
  } else PetscCall(RunWorker_Private(pool));
  wall = MPI_Wtime() - pool->start;
  PetscCallMPI(MPI_Igather(&pool->seconds_in_work, 1, MPI_DOUBLE, seconds, 1, MPI_DOUBLE, 0, pool->comm, &request));
  PetscCall(Await_Private(&request));
  if (pool->rank == 0) {
    for (PetscMPIInt r = 0; r < pool->size; r++) pool->busy[r] = wall > 0 ? seconds[r] / wall : 0;
    if (pool->size > POOL_ROOT_WORKS) pool->busy[0] = NAN;
    PetscCall(PetscFree(seconds));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolGetBusy - How well the ranks were used.

  Not collective.
  Output:  busy - root: fraction of the wall time of PoolRun that each rank spent in `work`, PoolTick left out; NaN for a rank that only
           serves; shape [size], the pool's. Other ranks: NULL.
*/
PetscErrorCode PoolGetBusy(Pool pool, const PetscReal **busy)
{
  PetscFunctionBeginUser;
  *busy = pool->busy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PoolDestroy - Free the pool and its communicator.

  Collective.
*/
PetscErrorCode PoolDestroy(Pool *pool)
{
  PetscFunctionBeginUser;
  if (!*pool) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_free(&(*pool)->comm));
  PetscCall(PetscFree2((*pool)->steps, (*pool)->order));
  PetscCall(PetscFree3((*pool)->busy, (*pool)->handed, (*pool)->steps_of_rank));
  PetscCall(PetscFree((*pool)->result));
  PetscCall(PetscFree(*pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}
