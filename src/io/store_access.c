/*
  store_access.c - slabs of arrays, there and back.

  A data set is opened when it is first used and stays open, which makes a small slab several times cheaper. What HDF5 holds back of it, a
  few KiB in its sieve buffer (store.c), goes out with StoreFlush.
*/
#include <string.h>

#include "store_impl.h"

/*
  StoreHas - Whether the file has a group or data set of this absolute path.

  Not collective.
*/
PetscErrorCode StoreHas(Store store, const char *path, PetscBool *has)
{
  char part[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCheck(path[0] == '/' && strlen(path) < sizeof(part), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" is no absolute path", path);
  *has = PETSC_TRUE;
  if (!path[1]) PetscFunctionReturn(PETSC_SUCCESS);
  /* H5Lexists fails on a path whose parent is missing: ask for every part in turn. */
  for (const char *end = path; *has && end;) {
    end = strchr(end + 1, '/');
    (void)snprintf(part, sizeof(part), "%.*s", end ? (int)(end - path) : (int)strlen(path), path);
    *has = (PetscBool)(H5Lexists(store->file, part, H5P_DEFAULT) > 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* StoreCloseArrays_Private - Close the data sets that are open, before the file is. */
PetscErrorCode StoreCloseArrays_Private(Store store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  for (; store->n_arrays > 0; store->n_arrays--) {
    StoreArray *array = &store->arrays[store->n_arrays - 1];

    StoreCheckHDF5(H5Sclose(array->space));
    if (H5Dclose(array->data) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    PetscCall(PetscFree(array->path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills in what is known of a data set that was just opened. */
static PetscErrorCode StoreKnowArray_Private(Store store, const char *path, StoreArray *array, Complaint *complaint)
{
  hid_t type = H5Dget_type(array->data);

  PetscFunctionBeginUser;
  array->space = H5Dget_space(array->data);
  StoreCheckHDF5(type);
  StoreCheckHDF5(array->space);
  array->memory_type = StoreMemoryType_Private(type);
  StoreCheckHDF5(H5Tclose(type));
  array->rank = H5Sget_simple_extent_ndims(array->space);
  if (!array->memory_type || array->rank < 0 || array->rank > STORE_MAX_RANK) {
    ComplaintSet(complaint, EXIT_FILES, "%s: %s is of a type that graze does not write", store->path, path);
    StoreCheckHDF5(H5Sclose(array->space));
    StoreCheckHDF5(H5Dclose(array->data));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  StoreCheckHDF5(H5Sget_simple_extent_dims(array->space, array->shape, NULL));
  PetscCall(PetscStrallocpy(path, &array->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL after a complaint. */
static PetscErrorCode StoreOpenArray_Private(Store store, const char *path, StoreArray **array, Complaint *complaint)
{
  StoreArray *next;
  PetscBool   has;

  PetscFunctionBeginUser;
  *array = NULL;
  for (int i = 0; i < store->n_arrays && !*array; i++)
    if (!strcmp(store->arrays[i].path, path)) *array = &store->arrays[i];
  if (*array) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreHas(store, path, &has));
  if (!has) {
    ComplaintSet(complaint, EXIT_FILES, "%s has no %s: it was written by another program or version", store->path, path);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (store->n_arrays == STORE_MAX_OPEN) PetscCall(StoreCloseArrays_Private(store, complaint));
  next       = &store->arrays[store->n_arrays];
  next->data = H5Dopen2(store->file, path, H5P_DEFAULT);
  if (next->data < 0) PetscCall(StoreComplain_Private("read", store->path, EXIT_FILES, complaint));
  if (!complaint->exit_code) PetscCall(StoreKnowArray_Private(store, path, next, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  store->n_arrays++;
  *array = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Selects the slab in array->space; memory is the dense space of the data beside it. */
static PetscErrorCode StoreSelect_Private(StoreArray *array, const char *path, const PetscInt *start, const PetscInt *count, hid_t *memory)
{
  hsize_t first[STORE_MAX_RANK], length[STORE_MAX_RANK];

  PetscFunctionBeginUser;
  PetscCheck(!start == !count, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: start and count come together", path);
  for (int i = 0; i < array->rank; i++) {
    first[i]  = start ? (hsize_t)start[i] : 0;
    length[i] = count ? (hsize_t)count[i] : array->shape[i];
    PetscCheck(!start || (start[i] >= 0 && count[i] >= 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: negative slab", path);
    PetscCheck(first[i] + length[i] <= array->shape[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the slab leaves axis %d", path, i);
  }
  *memory = array->rank ? H5Screate_simple(array->rank, length, NULL) : H5Screate(H5S_SCALAR);
  StoreCheckHDF5(*memory);
  if (array->rank) StoreCheckHDF5(H5Sselect_hyperslab(array->space, H5S_SELECT_SET, first, NULL, length, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreWrite - Write a slab of a variable.

  Not collective.
  Input:   start, count - slab, shape [rank] each, or NULL, NULL: all;  data - dense, row by row, of the C type of the variable
  Complaint: EXIT_IO
*/
PetscErrorCode StoreWrite(Store store, const char *path, const PetscInt *start, const PetscInt *count, const void *data,
                          Complaint *complaint)
{
  StoreArray *array;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(store->write, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s was opened to be read", store->path);
  PetscCall(StoreOpenArray_Private(store, path, &array, complaint));
  if (array) {
    hid_t memory;

    PetscCall(StoreSelect_Private(array, path, start, count, &memory));
    if (H5Dwrite(array->data, array->memory_type, memory, array->space, H5P_DEFAULT, data) < 0) {
      PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    }
    StoreCheckHDF5(H5Sclose(memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreRead - Read a slab of a variable, in the C type that belongs to the type it was defined with.

  Not collective.
  Input:   start, count - slab, shape [rank] each, or NULL, NULL: all
  Output:  data - dense, row by row
  Complaint: EXIT_FILES if the file has no such variable or is damaged
*/
PetscErrorCode StoreRead(Store store, const char *path, const PetscInt *start, const PetscInt *count, void *data, Complaint *complaint)
{
  StoreArray *array;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpenArray_Private(store, path, &array, complaint));
  if (array) {
    hid_t memory;

    PetscCall(StoreSelect_Private(array, path, start, count, &memory));
    if (H5Dread(array->data, array->memory_type, memory, array->space, H5P_DEFAULT, data) < 0) {
      PetscCall(StoreComplain_Private("read", store->path, EXIT_FILES, complaint));
    }
    StoreCheckHDF5(H5Sclose(memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreExpect - Complain unless a variable has the type and the shape that the caller is going to read or write.

  Not collective.
  Input:   shape - lengths of the axes, shape [rank]
  Complaint: EXIT_FILES
*/
PetscErrorCode StoreExpect(Store store, const char *path, StoreType type, PetscInt rank, const PetscInt *shape, Complaint *complaint)
{
  StoreArray *array;
  PetscBool   same;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpenArray_Private(store, path, &array, complaint));
  if (array) {
    same = (PetscBool)(array->memory_type == StoreMemoryType_Private(StoreFileType_Private(type)) && array->rank == rank);
    for (PetscInt i = 0; i < rank && same; i++) same = (PetscBool)(array->shape[i] == (hsize_t)shape[i]);
    if (!same) ComplaintSet(complaint, EXIT_FILES, "%s: %s has another type or shape than it should", store->path, path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreGetShape - Number of axes of a variable and their lengths.

  Not collective.
  Output:  rank - 0 for a scalar;  shape - the first `rank` of 8 entries
  Complaint: EXIT_FILES if the file has no such variable; rank is 0 then
*/
PetscErrorCode StoreGetShape(Store store, const char *path, PetscInt *rank, PetscInt *shape, Complaint *complaint)
{
  StoreArray *array;

  PetscFunctionBeginUser;
  *rank = 0;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpenArray_Private(store, path, &array, complaint));
  if (array) {
    *rank = array->rank;
    for (int i = 0; i < array->rank; i++) {
      shape[i] = (PetscInt)array->shape[i];
      PetscCheck(shape[i] >= 0 && (hsize_t)shape[i] == array->shape[i], PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "%s is too long for this PETSc's integers", path);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
