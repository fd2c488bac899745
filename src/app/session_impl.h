/*
  session_impl.h - what the files of a session share.
*/
#ifndef GRAZE_SESSION_IMPL_H
#define GRAZE_SESSION_IMPL_H

#include "graze/ledger.h"
#include "graze/sweep_checkpoint.h"
#include "graze/sweep_store.h"
#include "output.h"
#include "session.h"
#include "status.h"

#define SYNC_SECONDS   3.0  /* between two fsyncs of the journal: what the loss of a node may cost */
#define STATUS_SECONDS 10.0 /* between two status.json */
#define LEAST_SILENCE  5.0  /* s without a word before a rank is called silent, however short the cells */

struct _p_Session {
  /* parameters */
  Params      given, params;
  Grid        grid;
  PetscMPIInt ranks;
  double      begin; /* Unix time [s] */
  Walltime    walltime;
  char        folder[PETSC_MAX_PATH_LEN];
  char        identity[8192]; /* of the journals: every option that decides the data */
  /* borrowed */
  Pool pool;
  /* owned */
  Checkpoint          checkpoint;
  CheckpointCallbacks file; /* of the result file */
  SweepCheckpoint     file_ctx;
  Ledger              ledger;
  Events              events;
  CellLayout          layout;
  PetscReal          *row; /* [layout.length] */
  /* status */
  SweepSessions sessions;   /* before this one */
  PetscInt      n_sessions; /* their number */
  PetscBool     chosen;     /* recovery has its snapshot: what is checked from now on says nothing new */
  PetscInt64    last_event; /* number of the last record that has its line in events.jsonl */
  PetscInt      at_begin;   /* cells done when the session began */
  PetscInt      redo;       /* of those, to be done again (-retry) */
  PetscBool     begun;
  SessionReason reason;     /* RUNNING until it is known why it ends */
  char          why[128];   /* in words */
  double        saving;     /* s spent in keeping what came in: journal, snapshots, events */
  double        last_status, last_look, pool_start; /* MPI_Wtime [s] */
};

double         SessionClock_Private(void); /* Unix time [s] */
PetscReal      SessionTimeLeft_Private(Session session);
PetscErrorCode SessionCheckLimit_Private(Session session, Complaint *complaint);
PetscErrorCode SessionStatus_Private(Session session, Pool pool, RunState state, const char *message, int exit_code);
PetscErrorCode SessionMarkCrashed_Private(Session session, PetscInt unit, PetscInt step, Complaint *complaint);
PetscErrorCode SessionCountDeath_Private(Session session, PetscInt unit, PetscInt step, PetscInt *deaths, Complaint *complaint);
/* Seconds without a word after which a rank in work counts as silent. */
PetscReal      SessionSilence_Private(Session session);

#endif
