/*
  continue_root.c - root of a continuation: which start comes next, what is accepted, who gets what, and when it ends.

  Invariants
  * Nodes are in canonical order: those of one depth are resolved before any of the next, in the order of their paths, and what leaves an
    accepted branch is added behind all that is there. Nodes before `head` are resolved.
  * A node is covered by branches accepted before its turn alone. These only grow, so what is covered once is covered at its turn, and need
    not be computed.
  * At most as many units are out as ranks work.
*/
#define _XOPEN_SOURCE 700
#include "continue.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "graze/interrupt.h"
#include "graze/log.h"

#define LOOK_SECONDS  1.0  /* between two looks for the file STOP */
#define PATIENT_GRACE 2.0  /* s for an orbit under way when somebody asked for the end */
#define COARSE        1e-2 /* an agreement that is no better says little: then the branch is rather computed once more */
#define PROBES        3    /* points on each side of where a branch began that tell whether it is known */

/* ---- nodes ---- */

static PetscErrorCode Room_Private(ContinueRoot *r)
{
  PetscFunctionBeginUser;
  if (r->n_nodes < r->capacity) PetscFunctionReturn(PETSC_SUCCESS);
  r->capacity = PetscMax(64, 2 * r->capacity);
  PetscCall(PetscRealloc((size_t)r->capacity * sizeof *r->node, &r->node));
  PetscCall(PetscRealloc((size_t)r->capacity * sizeof *r->accepted, &r->accepted));
  PetscCall(PetscRealloc((size_t)r->capacity * sizeof *r->since, &r->since));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the start over. An earlier session may have its branch already. */
static PetscErrorCode AddNode_Private(ContinueRoot *r, ContinueStart *start)
{
  Node *node;

  PetscFunctionBeginUser;
  PetscCall(Room_Private(r));
  node  = &r->node[r->n_nodes];
  *node = (Node){.start = *start, .state = NODE_WAITING};
  PetscCheck(r->n_nodes == 0 || BranchStartCompare(&node[-1].start.start, &start->start) < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "start %d is out of order", (int)r->n_nodes);
  for (PetscInt k = 0; k < r->n_kept && node->state == NODE_WAITING; ++k) {
    if (BranchStartCompare(&r->kept[k].start, &start->start)) continue;
    node->result = r->kept[k];
    node->state  = NODE_DONE;
    r->kept[k]   = r->kept[--r->n_kept];
  }
  ++r->n_nodes;
  *start = (ContinueStart){.strobes = NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueRootAddStarts(ContinueRoot *r, ContinueStarts *starts)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < starts->n; ++i) PetscCall(AddNode_Private(r, &starts->start[i]));
  PetscCall(ContinueStartsDestroy(starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What leaves an accepted branch. At a doubling the orbit is known, with each strobe twice; at a branch point both branches share it. */
static PetscErrorCode AddChildren_Private(ContinueRoot *r, PetscInt accepted)
{
  const Branch  copy   = r->accepted[accepted]; /* new nodes may move the accepted branches, not their rows */
  const Branch *branch = &copy;

  PetscFunctionBeginUser;
  if (branch->start.depth >= r->params.continue_switch_depth) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < branch->n_special; ++j) {
    ContinueStart  child = {.strobes = NULL};
    const PetscInt p     = branch->layout.period;
    PetscBool      found;

    PetscCall(BranchSwitch(branch, j, &child.start, &found));
    if (!found) continue;
    if (child.start.origin == ORIGIN_DOUBLING) {
      PetscCall(PetscMalloc1(4 * p, &child.strobes));
      for (PetscInt i = 0; i < 2 * p; ++i) {
        child.strobes[i]         = BranchSpecial(branch, j, SPECIAL_STROBE_DISPLACEMENT)[i % p];
        child.strobes[2 * p + i] = BranchSpecial(branch, j, SPECIAL_STROBE_VELOCITY)[i % p];
      }
    }
    PetscCall(AddNode_Private(r, &child));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is known already ---- */

/* The same but for what is continued; grid and units cost a last bit. */
static PetscBool SameConstants_Private(const BranchStart *a, const BranchStart *b, ContinueParameter continued)
{
  for (int k = 0; k < 4; ++k) {
    const PetscReal x = BranchStartGet(a, (ContinueParameter)k), y = BranchStartGet(b, (ContinueParameter)k);

    if (k != (int)continued && !(PetscAbsReal(x - y) <= 1e-12 * PetscMax(PetscAbsReal(x), PetscAbsReal(y)))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/*
  Does an orbit lie on the branch? Within what two solutions of one orbit differ by (BRANCH_SAME) and what the interpolation between points
  may be off by. away: the branch passes the parameter, elsewhere.
*/
static PetscErrorCode LiesOn_Private(const Branch *branch, PetscReal parameter, PetscInt period, const PetscReal *y1, const PetscReal *y2,
                                     PetscBool *lies, PetscBool *away)
{
  BranchNear near;

  PetscFunctionBeginUser;
  PetscCall(BranchFindNear(branch, parameter, period, y1, y2, &near));
  *lies = (PetscBool)(near.brackets && near.distance <= PetscMin(BRANCH_SAME + near.uncertainty, COARSE));
  *away = (PetscBool)(near.brackets && !*lies);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cover_Private(ContinueRoot *r, Node *node)
{
  const BranchStart *start = &node->start.start;
  PetscBool          away;

  PetscFunctionBeginUser;
  for (; node->start.strobes && !node->covered && node->tested < r->n_accepted; ++node->tested) {
    const Branch *branch = &r->accepted[node->tested];

    if (!branch->n_points || branch->layout.period != start->period || !SameConstants_Private(start, &branch->start, branch->parameter))
      continue;
    PetscCall(LiesOn_Private(branch, BranchStartGet(start, branch->parameter), start->period, node->start.strobes,
                             node->start.strobes + start->period, &node->covered, &away));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Is a branch that left another one known? Its first orbit may be shared by both, so the next ones are asked: all of those that an accepted
  branch passes must lie on it.
*/
static PetscErrorCode IsKnown_Private(ContinueRoot *r, const Branch *branch, PetscBool *known)
{
  PetscFunctionBeginUser;
  *known = PETSC_FALSE;
  if (branch->start.depth == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < r->n_accepted && !*known; ++k) {
    const Branch *other = &r->accepted[k];
    PetscInt      on    = 0;
    PetscBool     lies = PETSC_FALSE, away = PETSC_FALSE;

    if (!other->n_points || other->layout.period != branch->layout.period ||
        !SameConstants_Private(&branch->start, &other->start, branch->parameter))
      continue;
    for (PetscInt i = PetscMax(branch->began - PROBES, 0); i <= PetscMin(branch->began + PROBES, branch->n_points - 1) && !away; ++i) {
      if (i == branch->began) continue;
      PetscCall(LiesOn_Private(other, *BranchPoint(branch, i, POINT_PARAMETER), branch->layout.period,
                               BranchPoint(branch, i, POINT_STROBE_DISPLACEMENT), BranchPoint(branch, i, POINT_STROBE_VELOCITY), &lies,
                               &away));
      on += lies;
    }
    *known = (PetscBool)(on > 0 && !away);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many nodes as can be, in order. */
PetscErrorCode ContinueRootResolve(ContinueRoot *r)
{
  PetscFunctionBeginUser;
  for (; r->head < r->n_nodes; ++r->head) {
    PetscBool known;

    PetscCall(Cover_Private(r, &r->node[r->head]));
    known = r->node[r->head].covered;
    if (!known && r->node[r->head].state != NODE_DONE) break;
    if (!known) PetscCall(IsKnown_Private(r, &r->node[r->head].result, &known));
    if (known) {
      if (r->node[r->head].state == NODE_DONE) PetscCall(BranchDestroy(&r->node[r->head].result));
      ++r->n_dropped;
    } else {
      r->accepted[r->n_accepted] = r->node[r->head].result;
      PetscCall(AddChildren_Private(r, r->n_accepted++));
    }
    r->node[r->head].state = NODE_RESOLVED;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the pool ---- */

/* The next starts in order to the ranks that have nothing. */
PetscErrorCode ContinueRootFill(ContinueRoot *r, Pool pool)
{
  const PetscInt workers = r->size > POOL_ROOT_WORKS ? r->size - 1 : r->size;

  PetscFunctionBeginUser;
  for (PetscInt i = r->head; i < r->n_nodes && r->out < workers && !r->stopping; ++i) {
    PoolPiece piece = {.unit = i, .first = 0, .n = 1};
    void     *carry;

    if (r->node[i].state != NODE_WAITING) continue;
    PetscCall(Cover_Private(r, &r->node[i]));
    if (r->node[i].covered) continue;
    PetscCall(BranchStartEncode(&r->node[i].start.start, &piece.nbytes, &carry));
    piece.carry = carry;
    PetscCall(PoolAdd(pool, &piece));
    PetscCall(PetscFree(carry));
    r->node[i].state = NODE_OUT;
    r->since[i]      = MPI_Wtime();
    ++r->out;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueRootCommit(ContinueRoot *r, Pool pool, PetscMPIInt rank, PetscInt unit, PetscInt nbytes, const void *bytes,
                                  Complaint *complaint)
{
  Node     *node = &r->node[unit];
  PetscBool good;

  PetscFunctionBeginUser;
  --r->out;
  r->slowest = PetscMax(r->slowest, MPI_Wtime() - r->since[unit]);
  if (node->state == NODE_OUT) { /* else it was dropped meanwhile: it lies on a branch that came back after it went out */
    PetscCall(BranchDecode(nbytes, bytes, &node->result, &good));
    PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rank %d sent something that is no branch", (int)rank);
    node->state = NODE_DONE;
    PetscCall(ContinueJournalAdd(r, rank, nbytes, bytes, complaint));
  }
  PetscCall(ContinueRootResolve(r));
  PetscCall(ContinueRootFill(r, pool));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- stopping ---- */

PetscReal ContinueRootTimeLeft(const ContinueRoot *r)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return r->walltime.end - (double)now.tv_sec - 1e-9 * (double)now.tv_nsec - r->params.walltime_margin;
}

/* The first reason stands; a later one may still be more urgent. */
static PetscErrorCode Stop_Private(ContinueRoot *r, Pool pool, PetscReal grace, const char *why)
{
  PetscFunctionBeginUser;
  if (!r->stopping) {
    r->stopping = PETSC_TRUE;
    PetscCall(PetscStrncpy(r->why, why, sizeof r->why));
    PetscCall(LogLine("stopping       %s: ranks finish their branches or give them up after %.3g s", why, (double)grace));
  }
  PetscCall(PoolStop(pool, grace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As in a sweep: what SIGUSR1 does; obeyed, it is taken away. */
static PetscErrorCode LookForStop_Private(ContinueRoot *r, Pool pool)
{
  char path[PETSC_MAX_PATH_LEN + 8];

  PetscFunctionBeginUser;
  (void)snprintf(path, sizeof path, "%s/STOP", r->given.output);
  if (access(path, F_OK)) PetscFunctionReturn(PETSC_SUCCESS);
  if (unlink(path)) PetscCall(LogWarning("cannot remove %s: it would stop the next run too", path));
  PetscCall(Stop_Private(r, pool, PATIENT_GRACE, "the file STOP"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mpirun kills a second after it has passed on SIGTERM: branches under way are given up at once. Results are saved as they come. */
static PetscErrorCode Interrupts_Private(ContinueRoot *r, Pool pool)
{
  unsigned bits;

  PetscFunctionBeginUser;
  PetscCall(PoolTakeInterrupts(pool, &bits));
  if (bits & INTERRUPT_USR1) PetscCall(Stop_Private(r, pool, PATIENT_GRACE, "SIGUSR1"));
  else if (bits & INTERRUPT_STOP) PetscCall(Stop_Private(r, pool, 0, bits & INTERRUPT_TERM ? "SIGTERM" : "SIGINT"));
  else if (bits & INTERRUPT_SAVE) PetscCall(LogLine("saved          SIGUSR2: every branch that is done is in the journal already"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- progress ---- */

static void Name_Private(const BranchStart *s, size_t size, char *text)
{
  static const char *const of[] = {"simulation", "cell", "point", "doubling", "branch point"};

  if (s->origin == ORIGIN_CELL) (void)snprintf(text, size, "cell %d,%d,%d", (int)s->from[0], (int)s->from[1], (int)s->from[2]);
  else if (s->origin == ORIGIN_POINT) (void)snprintf(text, size, "point %d,%d", (int)s->from[0], (int)s->from[1]);
  else if (s->depth) (void)snprintf(text, size, "%s to period %d", of[s->origin], (int)s->period);
  else (void)snprintf(text, size, "%s", of[s->origin]);
}

static PetscErrorCode Progress_Private(ContinueRoot *r)
{
  char     running[160] = "", name[48];
  PetscInt points = 0, n = 0;

  PetscFunctionBeginUser;
  for (PetscInt b = 0; b < r->n_accepted; ++b) points += r->accepted[b].n_points;
  for (PetscInt i = r->head; i < r->n_nodes; ++i) {
    if (r->node[i].state != NODE_OUT || n++ >= 3) continue;
    Name_Private(&r->node[i].start.start, sizeof name, name);
    PetscCall(PetscStrlcat(running, n > 1 ? ", " : "", sizeof running));
    PetscCall(PetscStrlcat(running, name, sizeof running));
  }
  PetscCall(LogNow(MPI_Wtime() - r->start, "%6d branches  %d points  %d starts left  running: %s%s", (int)r->n_accepted, (int)points,
                   (int)(r->n_nodes - r->head), running, n > 3 ? ", ..." : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueRootTick(ContinueRoot *r, Pool pool, Complaint *complaint)
{
  const double now = MPI_Wtime();

  PetscFunctionBeginUser;
  (void)complaint;
  PetscCall(Interrupts_Private(r, pool));
  if (now >= r->last_look + LOOK_SECONDS) {
    r->last_look = now;
    PetscCall(LookForStop_Private(r, pool));
  }
  /* early enough that a branch as long as the longest so far could still be finished */
  if (!r->stopping && ContinueRootTimeLeft(r) <= r->slowest) PetscCall(Stop_Private(r, pool, r->slowest, "the time limit"));
  PetscCall(Progress_Private(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ContinueRootDestroy(ContinueRoot *r)
{
  Complaint ignored = {0};

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < r->n_nodes; ++i) {
    PetscCall(ContinueStartDestroy(&r->node[i].start));
    if (r->node[i].state == NODE_DONE) PetscCall(BranchDestroy(&r->node[i].result));
  }
  for (PetscInt b = 0; b < r->n_accepted; ++b) PetscCall(BranchDestroy(&r->accepted[b]));
  for (PetscInt k = 0; k < r->n_kept; ++k) PetscCall(BranchDestroy(&r->kept[k]));
  PetscCall(PetscFree(r->node));
  PetscCall(PetscFree(r->accepted));
  PetscCall(PetscFree(r->since));
  PetscCall(PetscFree(r->kept));
  PetscCall(JournalClose(&r->journal, &ignored));
  PetscFunctionReturn(PETSC_SUCCESS);
}
