/*
  sweep_store_impl.h - what the files of the sweep's store share.
*/
#ifndef GRAZE_SWEEP_STORE_IMPL_H
#define GRAZE_SWEEP_STORE_IMPL_H

#include "graze/provenance.h"
#include "graze/sweep_store.h"

/* Bounds on memory, whatever the grid; one cell fits in any case. */
#define SWEEP_STORE_GATHERED (16 << 20) /* bytes of encoded rows that wait */
#define SWEEP_STORE_BLOCK    (4 << 20)  /* bytes of rows that are read or written at once */

/* An encoded row that waits. */
typedef struct {
  PetscInt along[3]; /* direction, line, index along it: rows that follow each other here are written together */
  PetscInt cell, order;
  size_t   offset, nbytes;
} SweepStoreWaiting;

struct _p_SweepStore {
  /* parameters */
  Params     params;
  Grid       grid;
  CellLayout layout;
  PetscBool  write;
  /* owned */
  Store store;
  /* work, allocated when it is needed first */
  PetscReal         *rows; /* shape [room, layout.length] */
  void              *slab; /* of one variable of these rows, in the file's type */
  PetscInt           room; /* cells of a block */
  char              *gathered;
  SweepStoreWaiting *waiting; /* shape [capacity] */
  /* status */
  PetscInt n_waiting, capacity;
  size_t   n_gathered; /* bytes */
  PetscInt shape[3];   /* directions, amplitudes, frequencies of the file */
};

/* The axes of a variable of the cells: names, lengths and their number. */
PetscErrorCode SweepStoreAxes_Private(SweepStore sweep_store, PetscInt variable, const char **names /* [4] */,
                                      PetscInt *lengths /* [4] */, PetscInt *rank);
PetscErrorCode SweepStoreWork_Private(SweepStore sweep_store); /* allocates rows and slab */
/* One variable from the rows into the slab, or back. n cells. */
void SweepStorePack_Private(SweepStore sweep_store, PetscInt variable, PetscInt n);
void SweepStoreUnpack_Private(SweepStore sweep_store, PetscInt variable, PetscInt n);

/* /provenance: the tables, whether they are there, and the records that go into them. */
PetscErrorCode SweepStoreDefineSessions_Private(SweepStore sweep_store, Complaint *complaint);
PetscErrorCode SweepStoreExpectSessions_Private(SweepStore sweep_store, Complaint *complaint);
PetscErrorCode SweepStoreSession_Private(SweepStore sweep_store, const JournalRecord *record, const void *bytes, Complaint *complaint);
PetscErrorCode SweepStoreDeaths_Private(SweepStore sweep_store, PetscInt cell, PetscInt64 deaths, Complaint *complaint);

#endif
