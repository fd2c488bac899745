/*
  store_impl.h - what the files of the store share. No other file of the project includes hdf5.h.
*/
#ifndef GRAZE_STORE_IMPL_H
#define GRAZE_STORE_IMPL_H

#include <hdf5.h>

#include "graze/store.h"

#define STORE_MAX_RANK      8
#define STORE_MAX_OPEN      64
#define STORE_MAX_ATTRIBUTE (60 * 1024) /* HDF5 keeps an attribute in an object header message of less than 64 KiB */

_Static_assert(sizeof(PetscReal) == sizeof(double), "the files hold doubles: PetscReal must be one");

/* A data set that is open. */
typedef struct {
  char   *path;
  hid_t   data, space;
  hid_t   memory_type;
  int     rank;
  hsize_t shape[STORE_MAX_RANK];
} StoreArray;

struct _p_Store {
  /* parameters */
  char     *path; /* as the user knows it */
  PetscBool write;
  /* owned */
  hid_t      file;
  StoreArray arrays[STORE_MAX_OPEN]; /* the first n_arrays are open */
  /* status */
  int        n_arrays;
  char      *partial;  /* the temporary name; NULL once the file has its own */
  PetscInt64 reserved; /* bytes that the disk has promised to the file while it is made */
};

/* HDF5 calls that touch no disk and fail only if we misuse them. */
#define StoreCheckHDF5(id) PetscCheck((id) >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "HDF5 refuses %s", #id)

hid_t StoreFileType_Private(StoreType type);
/* The type in memory that belongs to a type in the file; 0 if it is none of ours. */
hid_t StoreMemoryType_Private(hid_t file_type);

/* Have room on the disk for `bytes` more, before HDF5 needs it. */
PetscErrorCode StoreReserve_Private(Store store, size_t bytes, Complaint *complaint);
PetscErrorCode StoreCloseArrays_Private(Store store, Complaint *complaint);
/* "cannot <verb> <path>: <reason>", the reason taken from HDF5's error stack; call it right after the HDF5 call that failed. */
PetscErrorCode StoreComplain_Private(const char *verb, const char *path, int exit_code, Complaint *complaint);

#endif
