/*
  status.h - status.json and events.jsonl: what one sees of a run from outside, while it goes and after.

  Both are for people and scripts; no result depends on them. status.json is replaced as a whole (temporary file, rename); events.jsonl grows by one
  line for every finished cell. Root writes; graze info reads.
*/
#ifndef GRAZE_STATUS_H
#define GRAZE_STATUS_H

#include "graze/checkpoint.h"
#include "graze/ledger.h"
#include "graze/pool.h"
#include "graze/walltime.h"

/* "state" of status.json. */
typedef enum {
  STATE_SETTING_UP,
  STATE_RUNNING,
  STATE_STOPPING, /* a stop was asked for, ranks are coming back */
  STATE_STOPPED,  /* saved; the same command goes on */
  STATE_COMPLETE,
  STATE_FAILED    /* see the message */
} RunState;
#define STATE_COUNT 6
extern const char *const RunStateNames[STATE_COUNT]; /* "setting_up", "running", "stopping", "stopped", "complete", "failed" */

/* All that goes into status.json. Pointers are borrowed for the call. */
typedef struct {
  RunState               state;
  const char            *message;    /* why it stopped or failed; "" */
  int                    exit_code;  /* of the session; -1: none yet */
  PetscInt               session;    /* from 0 */
  PetscInt               done, total, finished; /* cells; finished in this session */
  double                 now, begin; /* Unix time [s]: of writing, of the session's start */
  double                 work_begin; /* Unix time [s] at which the first cell was handed out, for the rate; 0: not yet, or as begin */
  const Walltime        *walltime;   /* NULL: not known yet */
  const CheckpointFacts *checkpoint; /* NULL: none yet */
  PetscMPIInt            size;
  const PoolRank        *ranks;      /* shape [size]; NULL: none yet */
  double                 mpi_now;    /* MPI_Wtime, to which the times of `ranks` refer */
  PetscReal              silent_after; /* s without a word from a rank in work: listed as silent */
  const Grid            *grid;       /* to name the cells ranks are in */
  const LedgerTally     *tally;      /* NULL: none yet */
} StatusFacts;

/* Root. <folder>/status.json, whole or not at all. Never a complaint: a run does not end because nobody can watch it; false: it could not be written. */
PetscBool StatusWrite(const char *folder, const StatusFacts *facts);

/* What graze info needs back. */
typedef struct {
  PetscBool found;     /* status.json is there and can be read */
  RunState  state;
  char      message[512], host[64], job[64];
  int       exit_code;
  PetscInt  session, done, total, finished, silent;
  double    now, begin, rate, eta, limit, last_checkpoint; /* Unix times and seconds; NaN: not there */
} StatusRead;
PetscErrorCode StatusReadFile(const char *folder, StatusRead *status);
/* The words of graze info about a run: how far, how fast, how long still, busy fractions, silent ranks, slowest cells. Root prints to standard output. */
PetscErrorCode StatusPrint(const char *folder);

/* ---- events.jsonl ---- */

typedef struct _p_Events *Events;

/*
  Opens <folder>/events.jsonl to append; a torn last line and lines of records from `next` on (which the journal lost) are cut off. `last`: number of the
  record of the last line that stays; -1: none.
*/
PetscErrorCode EventsOpen(const char *folder, PetscInt64 next, PetscInt64 *last, Events *events, Complaint *complaint);
/* One finished cell: a line with record, time, session, rank, unit, step, direction, amplitude, frequency, status, period, seconds. To the operating system at once. */
PetscErrorCode EventsAppend(Events events, const JournalRecord *record, PetscInt session, const Grid *grid, const CellLayout *layout, const PetscReal *row, Complaint *complaint);
PetscErrorCode EventsClose(Events *events);

#endif
