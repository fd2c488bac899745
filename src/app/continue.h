/*
  continue.h - what the files of the command `graze continue` share: the orbits to start from, and what root keeps of a run.

  Root resolves starts in their canonical order (BranchStartCompare): a start on a branch that was accepted before it is dropped, else its
  branch is accepted and what leaves it becomes new starts. So the result is the same for any number of ranks, whatever order the work
  comes back in.
*/
#ifndef GRAZE_CONTINUE_H
#define GRAZE_CONTINUE_H

#include "branch_store.h"
#include "graze/continuation.h"
#include "graze/journal.h"
#include "graze/pool.h"
#include "graze/units.h"
#include "graze/walltime.h"

/* ---- starts (continue_starts.c, continue_simulate.c) ---- */

typedef struct {
  BranchStart start;   /* owned */
  PetscReal  *strobes; /* displacements, then velocities of the orbit there, shape [2, period]; owned; NULL: it has no orbit of its own */
} ContinueStart;

typedef struct {
  PetscInt       n;
  ContinueStart *start;                 /* [n], in the order in which they are taken up */
  PetscInt       modes;                 /* that the file was computed with; 0: there is no file */
  PetscInt       outside, not_periodic; /* cells passed over */
} ContinueStarts;

/* Orbits of -start_from; none without it. Root. Complaints: EXIT_OPTIONS, EXIT_FILES */
PetscErrorCode ContinueStartsRead(const Params *params, ContinueStarts *starts, Complaint *complaint);
/*
  The steady state at -forcing_amplitude, -forcing_frequency. Root; the continuation is set up. limit: Unix time to give up at.
  Complaint: EXIT_OPTIONS: it is not periodic; EXIT_COME_BACK: a signal or the limit came first
*/
PetscErrorCode ContinueStartsSimulate(Continuation continuation, const Params *params, double limit, ContinueStarts *starts,
                                      Complaint *complaint);
/* One more, of shapes x [n], y1 and y2 [period], all copied; what else there is to say of it is the caller's to fill in. */
PetscErrorCode ContinueStartsAdd(ContinueStarts *starts, PetscInt n, const PetscReal *x, PetscInt period, const PetscReal *y1,
                                 const PetscReal *y2, BranchStart **start);
PetscErrorCode ContinueStartsDestroy(ContinueStarts *starts);
PetscErrorCode ContinueStartEncode(const ContinueStart *start, PetscInt *nbytes, void **bytes); /* PetscFree */
PetscErrorCode ContinueStartDecode(PetscInt nbytes, const void *bytes, ContinueStart *start, PetscBool *good);
PetscErrorCode ContinueStartDestroy(ContinueStart *start);

/* ---- what root keeps ---- */

typedef enum { NODE_WAITING, NODE_OUT, NODE_DONE, NODE_RESOLVED } NodeState;

typedef struct {
  ContinueStart start;
  NodeState     state;
  Branch        result;  /* DONE */
  PetscInt      tested;  /* accepted branches that it was compared with */
  PetscBool     covered; /* it lies on one of them */
} Node;

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt size;
  int         argc;
  char      **argv;
  Params      given, params; /* as the user said it; non-dimensional */
  Units       units;
  Model       model; /* borrowed */
  double      begin; /* Unix time [s] */
  Walltime    walltime;
  PetscInt    modes;
  /* owned */
  Journal  journal;
  PetscInt n_nodes, capacity, head; /* nodes before head are resolved */
  Node    *node;                    /* in canonical order */
  PetscInt n_accepted, n_dropped;
  Branch  *accepted; /* room for `capacity` */
  PetscInt n_kept;   /* results of earlier sessions whose start has not come up yet */
  Branch  *kept;
  PetscInt out; /* units with the pool, whatever has become of their nodes */
  /* status */
  PetscReal slowest;          /* s that a branch took at most, in this session */
  double   *since;            /* MPI_Wtime at which each node went out; room for `capacity` */
  double    start, last_look; /* MPI_Wtime [s] */
  PetscInt  found_before;     /* branches of earlier sessions */
  PetscBool stopping;
  char      why[64];
} ContinueRoot;

/* continue_root.c: resolution, and while the pool runs. PoolCallbacks.commit and .tick are made of these. */
PetscErrorCode ContinueRootAddStarts(ContinueRoot *root, ContinueStarts *starts); /* takes them over */
PetscErrorCode ContinueRootResolve(ContinueRoot *root);
PetscErrorCode ContinueRootFill(ContinueRoot *root, Pool pool);
PetscErrorCode ContinueRootCommit(ContinueRoot *root, Pool pool, PetscMPIInt rank, PetscInt unit, PetscInt nbytes, const void *bytes,
                                  Complaint *complaint);
PetscErrorCode ContinueRootTick(ContinueRoot *root, Pool pool, Complaint *complaint);
PetscErrorCode ContinueRootDestroy(ContinueRoot *root);
/* What is left before the time limit and its margin [s]. */
PetscReal ContinueRootTimeLeft(const ContinueRoot *root);

/* continue_save.c: the journal, and how a session ends. */
/* What earlier sessions left: modes and starts (n = 0: nothing usable), and branches into root->kept. Complaint: EXIT_FILES */
PetscErrorCode ContinueJournalRead(ContinueRoot *root, ContinueStarts *starts, Complaint *complaint);
/* How far a run is by its journal alone, for info and verify. given: whose it must be, NULL: anybody's. Complaint: EXIT_FILES */
typedef struct {
  JournalExtent extent;                  /* next = -1: no such journal */
  PetscInt64    expected;                /* starts that it is to hold, -1: it does not say */
  PetscInt      starts, branches, unfit; /* records; the last are of no known kind, or of another version */
} ContinueJournal;
PetscErrorCode ContinueJournalLook(const char *path, const Params *given, ContinueJournal *journal, Complaint *complaint);
/* A journal that holds the starts and what was kept; it takes the place of the one before. Complaint: EXIT_IO */
PetscErrorCode ContinueJournalBegin(ContinueRoot *root, const ContinueStarts *starts, Complaint *complaint);
PetscErrorCode ContinueJournalAdd(ContinueRoot *root, PetscMPIInt rank, PetscInt nbytes, const void *bytes, Complaint *complaint);
/* Result files with what was accepted so far; replaced as a whole. Complaint: EXIT_IO */
PetscErrorCode ContinueWrite(ContinueRoot *root, PetscBool complete, Complaint *complaint);
/* Result and summary; EXIT_COME_BACK where it was stopped. */
PetscErrorCode ContinueFinish(ContinueRoot *root, PoolOutcome outcome, Complaint *complaint);

/* branch_csv.c: <prefix>.csv and <prefix>_special.csv, each replaced as a whole. header: lines that begin with "# ". Complaint: EXIT_IO */
PetscErrorCode BranchCsvWrite(const char *prefix, const char *header, PetscInt n, const Branch *branches, Complaint *complaint);

#endif
