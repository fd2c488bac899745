/*
  sweep_store.h - sweep.h5: its schema, records of the journal written into it, and whether it is whole.

  Root only. Arrays have one slot per cell, (direction, amplitude, frequency[, axis]). Beside them: `checksum` of each cell, the table of sessions
  and how often a rank died in a cell (/provenance), and the mark of the checkpoint (attributes generation, next_record of /provenance).
*/
#ifndef GRAZE_SWEEP_STORE_H
#define GRAZE_SWEEP_STORE_H

#include "graze/cell.h"
#include "graze/checkpoint.h"
#include "graze/grid.h"
#include "graze/sweep_record.h"

#define SWEEP_SESSIONS 1024 /* room in the table; when it is full the last row is written anew */

typedef struct _p_SweepStore *SweepStore;

/* Makes path (under a temporary name until StoreReady): dimensions, variables, attributes of the root group, the tables of /provenance. states: FlowGetSize. */
PetscErrorCode SweepStoreCreate(const char *path, const Params *params, PetscInt states, SweepStore *sweep_store, Complaint *complaint);
/* params: the non-dimensional ones the file was made with; states is read from the file. write: slabs will be written. */
PetscErrorCode SweepStoreOpen(const char *path, const Params *params, PetscBool write, SweepStore *sweep_store, Complaint *complaint);
/* The open file, for groups that others add before StoreReady, and for reading. */
PetscErrorCode SweepStoreGetStore(SweepStore sweep_store, Store *store);
PetscErrorCode SweepStoreGetLayout(SweepStore sweep_store, const CellLayout **layout);

/* One record into the file; runs of cells are gathered and written together, at the latest by SweepStoreFlush. */
PetscErrorCode SweepStoreRecord(SweepStore sweep_store, const JournalRecord *record, const void *bytes, Complaint *complaint);
PetscErrorCode SweepStoreFlush(SweepStore sweep_store, Complaint *complaint);
PetscErrorCode SweepStoreSetMark(SweepStore sweep_store, const CheckpointMark *mark, Complaint *complaint);
PetscErrorCode SweepStoreGetMark(SweepStore sweep_store, CheckpointMark *mark, Complaint *complaint);
PetscErrorCode SweepStoreSetComplete(SweepStore sweep_store, PetscBool complete, Complaint *complaint);

/* By cell, flat (direction, amplitude, frequency): shape [n_cells] */
PetscErrorCode SweepStoreReadStatus(SweepStore sweep_store, signed char *status, Complaint *complaint);
PetscErrorCode SweepStoreReadDeaths(SweepStore sweep_store, signed char *deaths, Complaint *complaint);
/* row: shape [layout->length] */
PetscErrorCode SweepStoreReadCell(SweepStore sweep_store, PetscInt cell, PetscReal *row, Complaint *complaint);

typedef struct {
  PetscInt     n; /* sessions so far, may exceed SWEEP_SESSIONS */
  SessionBegin begin;
  SessionEnd   end; /* of the last one in the table */
  PetscInt64   cells; /* finished in all sessions of the table */
} SweepSessions;
PetscErrorCode SweepStoreReadSessions(SweepStore sweep_store, SweepSessions *sessions, Complaint *complaint);
/* One row of the table: row = 0 .. min(n, SWEEP_SESSIONS) - 1 */
PetscErrorCode SweepStoreReadSession(SweepStore sweep_store, PetscInt row, SessionBegin *begin, SessionEnd *end, Complaint *complaint);

/* Every cell, or those of `cells` (shape [n_cells]), in the order of the file: flat number, row, stored checksum. Memory: a few MB. */
typedef PetscErrorCode SweepStoreVisitor(void *ctx, PetscInt cell, const PetscReal *row, PetscInt64 checksum, Complaint *complaint);
PetscErrorCode SweepStoreVisit(SweepStore sweep_store, const PetscBool *cells, SweepStoreVisitor *visit, void *ctx, Complaint *complaint);
/* Does a row match its checksum? A pending cell has 0; a status that there is not is no match. */
PetscBool SweepStoreCellIsWhole(SweepStore sweep_store, const PetscReal *row, PetscInt64 checksum);
/*
  Every cell that is not pending against its checksum. cells: those to look at (shape [n_cells]), or NULL: all. Output: how many were looked at, how many do
  not match, and the first of these. Reads the file in order, a plane of one amplitude at a time.
*/
typedef struct {
  PetscInt checked, bad, first_bad;
} SweepCheck;
PetscErrorCode SweepStoreCheck(SweepStore sweep_store, const PetscBool *cells, SweepCheck *check, Complaint *complaint);
PetscErrorCode SweepStoreClose(SweepStore *sweep_store, Complaint *complaint); /* flush to the device, close */
PetscErrorCode SweepStoreDestroy(SweepStore *sweep_store);

#endif
