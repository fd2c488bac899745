/*
  store.h - a netCDF-readable HDF5 file of fixed-shape arrays with named coordinates. The only door to HDF5.

  Every data set is contiguous, allocated and filled when it is defined, and never grows: a slab that was written and
  flushed is on its place whatever happens later. The file is made under a temporary name and renamed by StoreReady, which
  replaces no other; after that nothing is defined any more, slabs and attributes (those that keep type and length; texts may get shorter) are changed
  in place. One process (root) writes. A call whose complaint is already set does nothing. Failures of the disk are complaints with EXIT_IO; a file that is not ours is EXIT_FILES.
*/
#ifndef GRAZE_STORE_H
#define GRAZE_STORE_H

#include "graze/complaint.h"

typedef struct _p_Store *Store;
typedef enum { STORE_INT8, STORE_INT32, STORE_INT64, STORE_REAL, STORE_CHAR } StoreType; /* CHAR: one character, netCDF's own kind of text */

PetscErrorCode StoreCreate(const char *path, Store *store, Complaint *complaint); /* makes path.partial */
PetscErrorCode StoreOpen(const char *path, PetscBool write, Store *store, Complaint *complaint);
PetscErrorCode StoreReady(Store store, Complaint *complaint); /* flush, fsync, rename into place; stays open */
PetscErrorCode StoreFlush(Store store, Complaint *complaint);
PetscErrorCode StoreClose(Store *store, Complaint *complaint); /* flush, fsync, close */

/*
  Groups are named by absolute path ("/", "/kernel"). A dimension is a 1-d data set of that group that serves as HDF5 dimension scale; values
  NULL: it has a length alone.
*/
PetscErrorCode StoreDefineGroup(Store store, const char *group, Complaint *complaint);
PetscErrorCode StoreDefineDimension(Store store, const char *group, const char *name, StoreType type, PetscInt n, const void *values, Complaint *complaint);
/* dims: rank names of dimensions of the same group. Reals are filled with NaN, integers with 0, characters with NUL. rank 0: a scalar. */
PetscErrorCode StoreDefineVariable(Store store, const char *group, const char *name, StoreType type, PetscInt rank, const char *const *dims, Complaint *complaint);
/* The same for what differs from run to run: h5diff finds two results equal if it leaves out the variable alone, dimensions included. */
PetscErrorCode StoreDefineVolatile(Store store, const char *group, const char *name, StoreType type, PetscInt rank,
                                   const char *const *dims, Complaint *complaint);
/* Attributes: object is a data set's path ("/kernel/tau") or a group's ("/"). */
PetscErrorCode StoreAttributeText(Store store, const char *object, const char *name, const char *text, Complaint *complaint);
PetscErrorCode StoreAttributeNumbers(Store store, const char *object, const char *name, StoreType type, PetscInt n, const void *values, Complaint *complaint);
/* Long text (beyond the 64 KiB of an attribute) as a data set of characters. */
PetscErrorCode StoreText(Store store, const char *path, const char *text, Complaint *complaint);

/* Slabs: start and count per axis (rank of the variable); NULL, NULL: all of it. */
PetscErrorCode StoreWrite(Store store, const char *path, const PetscInt *start, const PetscInt *count, const void *data, Complaint *complaint);
PetscErrorCode StoreRead(Store store, const char *path, const PetscInt *start, const PetscInt *count, void *data, Complaint *complaint);
PetscErrorCode StoreGetShape(Store store, const char *path, PetscInt *rank, PetscInt *shape /* [8] */, Complaint *complaint);
/* EXIT_FILES unless there is a variable of just this type and shape, so that slabs of it fit where they are read to. shape: [rank] */
PetscErrorCode StoreExpect(Store store, const char *path, StoreType type, PetscInt rank, const PetscInt *shape, Complaint *complaint);
PetscErrorCode StoreHas(Store store, const char *path, PetscBool *has);
PetscErrorCode StoreReadAttributeText(Store store, const char *object, const char *name, size_t size, char *text, PetscBool *found);
PetscErrorCode StoreReadAttributeNumber(Store store, const char *object, const char *name, StoreType type, void *value, PetscBool *found);
/* A group whose parent exists, with its dimensions, variables and attributes as they are; its groups are left out. Before StoreReady. */
PetscErrorCode StoreCopyGroup(Store from, const char *group, Store to, Complaint *complaint);
/* HDF5's version as text, for provenance. */
const char *StoreLibraryVersion(void);

#endif
