/*
  ledger.h - what root knows of a sweep: which cells are done, which are in work, in which a rank died; and from that, what is to do.

  Fed with the status of the snapshot, then with the records of the journals (at recovery) and those of the session. Memory: two
  bytes a cell of the grid, and a few words a rank.

  A cell in work when the job died without a record counts one death. From LEDGER_DEATHS on it is suspect: run after everything else, one at a
  time. If the job dies while a cell runs alone the cell is marked crashed; so is a cell named in a crash record.
*/
#ifndef GRAZE_LEDGER_H
#define GRAZE_LEDGER_H

#include "graze/cell.h"
#include "graze/grid.h"
#include "graze/pool.h"
#include "graze/sweep_record.h"

#define LEDGER_DEATHS 2

typedef struct _p_Ledger *Ledger;

typedef struct {
  PetscInt done, by_status[STATUS_COUNT]; /* cells */
  PetscInt finished;                      /* in this session */
  PetscInt n_slowest;                     /* of this session */
  struct {
    PetscReal seconds, amplitude, frequency;
    int       direction;
  } slowest[3];
  PetscReal recent_slowest; /* seconds: slowest of the last 1000 cells of this session, at least */
} LedgerTally;

/* A cell in work, and how many steps of its piece are left, itself included. */
typedef struct {
  PetscInt    unit, step, n;
  PetscMPIInt rank;
  PetscBool   alone;
} LedgerFlight;

PetscErrorCode LedgerCreate(const Grid *grid, Ledger *ledger);
/* status, deaths: shape [n_cells], as the snapshot has them; copied. NULL: nothing is done */
PetscErrorCode LedgerSetCells(Ledger ledger, const signed char *status, const signed char *deaths);
/* A record of an earlier session or of this one; bytes as in the journal. */
PetscErrorCode LedgerRecord(Ledger ledger, const JournalRecord *record, const CellLayout *layout, const void *bytes);
/* The number of the last session seen and whether it has ended; -1: none. Unix time of the last record; NaN: none. Pointers may be NULL. */
PetscErrorCode LedgerGetSession(Ledger ledger, PetscInt *session, PetscBool *ended, double *last_time);
/* Cells in work by the records seen, at most one a rank. flights: shape [*n], valid until the next record. */
PetscErrorCode LedgerGetFlights(Ledger ledger, PetscInt *n, const LedgerFlight **flights);
/* All that ranks hold, in the order assigned: also pieces that wait behind the one in work. What a new journal begins with. */
PetscErrorCode LedgerGetAssigned(Ledger ledger, PetscInt *n, const LedgerFlight **assigned);
PetscErrorCode LedgerForgetFlights(Ledger ledger); /* a new session begins */
PetscErrorCode LedgerGetDeaths(Ledger ledger, PetscInt unit, PetscInt step, PetscInt *deaths);
PetscErrorCode LedgerGetStatus(Ledger ledger, PetscInt cell, SteadyStatus *status);
/* -retry failed: cells that crashed, lost the flow or met the event limit are to be done again. They keep their place in `done`. */
PetscErrorCode LedgerRetryFailed(Ledger ledger, PetscInt *n);
/* The pieces that can begin, without carry; i = 0, 1, .. until found is false. before: the cell whose row the first step starts from, -1: none. */
PetscErrorCode LedgerGetPiece(Ledger ledger, PetscInt i, PoolPiece *piece, PetscInt *before, PetscBool *found);
/*
  A suspect cell parts its run: it starts from the cell before it, and what follows starts from it. Ask after each step that was done:
  what can begin now, with that step's row as carry; n = 0: nothing.
*/
PetscErrorCode LedgerGetRest(Ledger ledger, PetscInt unit, PetscInt step, PoolPiece *rest);
PetscErrorCode LedgerGetTally(Ledger ledger, const LedgerTally **tally);
PetscErrorCode LedgerDestroy(Ledger *ledger);

#endif
