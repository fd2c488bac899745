/*
  pool_job.c - work for a pool under test.
*/
#define _XOPEN_SOURCE 700
#include "support/pool_job.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

PetscMPIInt rank, size;
int         failures;
PoolJob     job;

void PoolJobSleep(double seconds)
{
  struct timespec pause = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};

  while (nanosleep(&pause, &pause)) continue;
}

unsigned PoolJobScramble(unsigned x)
{
  x = (x ^ 61u) ^ (x >> 16);
  x *= 9u;
  x ^= x >> 4;
  x *= 0x27d4eb2du;
  return x ^ (x >> 15);
}

static unsigned char Byte(PetscInt unit, PetscInt step, PetscInt i)
{
  return (unsigned char)PoolJobScramble((unsigned)((unit * (MOST_STEPS + 1) + step) * 4099 + i));
}

/* Of a step; sizes go around a little. */
static PetscInt Length(const PoolJob *j, PetscInt unit, PetscInt step)
{
  return j->nbytes[unit] ? j->nbytes[unit] - step % 50 : 0;
}

PetscErrorCode PoolJobWork(void *ctx, Pool pool, const PoolPiece *piece)
{
  PoolJob       *j    = (PoolJob *)ctx;
  const PetscInt u    = piece->unit;
  PetscBool      stop = PETSC_FALSE, same = PETSC_TRUE;

  PetscFunctionBeginUser;
  EXPECT(u >= 0 && u < j->n && piece->first + piece->n == j->steps[u] && piece->nbytes == j->carry[u] && piece->alone == j->alone[u]);
  for (PetscInt i = 0; i < piece->nbytes; i++)
    same = (PetscBool)(same && ((const unsigned char *)piece->carry)[i] == Byte(u, MOST_STEPS, i));
  EXPECT(same);
  for (PetscInt k = piece->first; k < piece->first + piece->n; k++) {
    const double start = MPI_Wtime(), end = start + j->step_seconds[u];
    double       called;
    PetscInt     n;

    if (j->signal && rank == size - 1) {
      (void)raise(j->signal);
      j->signal = 0;
    }
    while (MPI_Wtime() < end && !stop) {
      if (!j->polls) PoolJobSleep(j->step_seconds[u]);
      else {
        PoolJobSleep(1e-3);
        PetscCall(PoolPoll(pool, &stop));
      }
    }
    j->seconds_asleep += MPI_Wtime() - start;
    if (stop) {
      j->given_up++;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    n = Length(j, u, k);
    for (PetscInt i = 0; i < n; i++) j->bytes[i] = Byte(u, k, i);
    called = MPI_Wtime();
    PetscCall(PoolStep(pool, n, n ? j->bytes : NULL, &stop));
    j->longest_call = PetscMax(j->longest_call, MPI_Wtime() - called);
    memset(j->bytes, 0, (size_t)n); /* they were copied */
    j->sent++;
    if (stop) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolJobAssign(void *ctx, PetscMPIInt to, const PoolPiece *piece, Complaint *complaint)
{
  PoolJob *j = (PoolJob *)ctx;

  PetscFunctionBeginUser;
  (void)complaint;
  EXPECT(rank == 0 && to >= 0 && to < size);
  for (PetscInt u = 0; u < j->n; u++) EXPECT(!j->is_out[u] || (!piece->alone && !j->alone[u])); /* alone is alone */
  if (piece->alone && size > 1) EXPECT(to != 0);
  EXPECT(!j->is_out[piece->unit]);
  j->is_out[piece->unit]    = PETSC_TRUE;
  j->committed[piece->unit] = piece->first;
  j->units_of_rank[to]++;
  j->assigned++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolJobAdd(Pool pool, PetscInt u)
{
  static unsigned char carry[MOST_CARRY];
  const PoolJob       *j     = &job;
  const PetscInt       first = j->carry[u] > 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < j->carry[u]; i++) carry[i] = Byte(u, MOST_STEPS, i);
  /* a unit with a carry was begun by somebody else: its first step is the second */
  PetscCall(PoolAdd(pool, &(PoolPiece){.unit   = u,
                                       .first  = first,
                                       .n      = j->steps[u] - first,
                                       .alone  = j->alone[u],
                                       .cost   = j->cost[u],
                                       .nbytes = j->carry[u],
                                       .carry  = carry}));
  memset(carry, 0, (size_t)j->carry[u]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolJobCommit(void *ctx, PetscMPIInt from, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes,
                             Complaint *complaint)
{
  PoolJob  *j    = (PoolJob *)ctx;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  (void)complaint;
  (void)from;
  EXPECT(rank == 0);
  EXPECT(j->is_out[unit]);
  EXPECT(step == j->committed[unit]); /* in order, each once */
  EXPECT(nbytes == Length(j, unit, step));
  for (PetscInt i = 0; i < nbytes; i++) same = (PetscBool)(same && ((const unsigned char *)bytes)[i] == Byte(unit, step, i));
  EXPECT(same);
  j->committed[unit] = step + 1;
  j->calls++;
  if (step + 1 == j->steps[unit]) {
    j->is_out[unit] = PETSC_FALSE;
    if (unit < j->add_below) PetscCall(PoolJobAdd(j->pool, unit + j->add_below));
  }
  PoolJobSleep(j->commit_seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PoolJobTick(void *ctx, Pool pool, Complaint *complaint)
{
  PoolJob        *j   = (PoolJob *)ctx;
  const double    now = MPI_Wtime() - j->begin;
  unsigned        bits;
  PetscMPIInt     n;
  const PoolRank *ranks;

  PetscFunctionBeginUser;
  (void)complaint;
  EXPECT(rank == 0);
  j->longest_silence = PetscMax(j->longest_silence, now - j->last_tick);
  j->last_tick       = now;
  PetscCall(PoolGetRanks(pool, &n, &ranks));
  for (PetscMPIInt r = 0; r < n; r++) {
    EXPECT(isnan(ranks[r].busy) ? r == 0 && size > POOL_ROOT_WORKS : ranks[r].busy >= 0 && ranks[r].busy <= 1);
    if (ranks[r].unit < 0) continue;
    EXPECT(ranks[r].unit < j->n && ranks[r].step >= 0 && ranks[r].step < j->steps[ranks[r].unit] &&
           ranks[r].alone == j->alone[ranks[r].unit]);
    EXPECT(ranks[r].step == j->committed[ranks[r].unit]);
    EXPECT(ranks[r].since >= j->begin && ranks[r].since <= MPI_Wtime() && ranks[r].heard <= MPI_Wtime());
    j->heard_apart = PetscMax(j->heard_apart, MPI_Wtime() - ranks[r].heard);
  }
  PetscCall(PoolTakeInterrupts(pool, &bits));
  if (bits && !j->interrupts) j->noticed = now;
  j->interrupts |= bits;
  if (now >= j->stop_at) {
    PetscCall(PoolStop(pool, j->grace));
    j->stop_at = NEVER;
  }
  if (now >= j->stop_again_at) {
    PetscCall(PoolStop(pool, j->grace_again));
    j->stop_again_at = NEVER;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
