/*
  session.h - one session of a sweep, as root sees it: what earlier ones left, what is to do, saving as it comes, and why it ends.

  A sweep is done in one session or in many, each with its own number of ranks. Order of calls, root only: SessionCreate,
  SessionRecover (the file is there), SessionStart, SessionAddPieces, the pool with the three callbacks, SessionFinish, SessionDestroy.
*/
#ifndef GRAZE_SESSION_H
#define GRAZE_SESSION_H

#include "graze/complaint.h"
#include "graze/grid.h"
#include "graze/pool.h"

typedef struct _p_Session *Session;

/* given, params: as the user said it, and non-dimensional; begin: Unix time at which the program started. Both are copied. */
PetscErrorCode SessionCreate(const Params *given, const Params *params, PetscMPIInt ranks, double begin, Session *session, Complaint *complaint);
/* Merge what the journals hold into the file, and say in a line what had to be mended. Complaint: EXIT_FILES, EXIT_IO */
PetscErrorCode SessionRecover(Session session, Complaint *complaint);
/* The time limit, what killed earlier sessions, and the start of this one. EXIT_OPTIONS: the limit leaves no time to compute. */
PetscErrorCode SessionStart(Session session, Complaint *complaint);
PetscErrorCode SessionAddPieces(Session session, Pool pool, Complaint *complaint);
/* Cells still to do in this session. */
PetscErrorCode SessionGetLeft(Session session, PetscInt *left);

/* PoolCallbacks with a Session as context. */
PetscErrorCode SessionAssign(void *session, PetscMPIInt rank, const PoolPiece *piece, Complaint *complaint);
PetscErrorCode SessionCommit(void *session, PetscMPIInt rank, PetscInt unit, PetscInt step, PetscInt nbytes, const void *bytes, Complaint *complaint);
PetscErrorCode SessionTick(void *session, Pool pool, Complaint *complaint);

/* Save, say how it went, and leave the reason in the file. A session that stopped before the end leaves EXIT_COME_BACK. */
PetscErrorCode SessionFinish(Session session, Pool pool, PoolOutcome outcome, PetscReal seconds, Complaint *complaint);
/* A complaint ended the session: leave it in status.json. */
PetscErrorCode SessionFail(Session session, Pool pool, const Complaint *complaint);
PetscErrorCode SessionDestroy(Session *session);

#endif
