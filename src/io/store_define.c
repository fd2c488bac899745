/*
  store_define.c - groups, dimensions and variables, so that netCDF readers find named coordinates.

  A dimension is an HDF5 dimension scale; every axis of every variable is attached to one of its own group, since xarray and netCDF do
  not look for coordinates in parent groups. Storage is contiguous, allocated and filled at once: a full disk shows here, before any work.
*/
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store_impl.h"

hid_t StoreFileType_Private(StoreType type)
{
  switch (type) {
  case STORE_INT8:
    return H5T_STD_I8LE;
  case STORE_INT32:
    return H5T_STD_I32LE;
  case STORE_INT64:
    return H5T_STD_I64LE;
  default:
    return H5T_IEEE_F64LE;
  }
}

hid_t StoreMemoryType_Private(hid_t file_type)
{
  if (H5Tequal(file_type, H5T_STD_I8LE) > 0) return H5T_NATIVE_INT8;
  if (H5Tequal(file_type, H5T_STD_I32LE) > 0) return H5T_NATIVE_INT32;
  if (H5Tequal(file_type, H5T_STD_I64LE) > 0) return H5T_NATIVE_INT64;
  if (H5Tequal(file_type, H5T_IEEE_F64LE) > 0) return H5T_NATIVE_DOUBLE;
  return 0;
}

static PetscErrorCode StoreJoin_Private(const char *group, const char *name, size_t size, char *path)
{
  int length;

  PetscFunctionBeginUser;
  PetscCheck(group[0] == '/', PETSC_COMM_SELF, PETSC_ERR_PLIB, "A group is named by its absolute path, not \"%s\"", group);
  PetscCheck(name[0] && !strchr(name, '/'), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" cannot name a variable", name);
  length = snprintf(path, size, "%s%s%s", group, group[1] ? "/" : "", name);
  PetscCheck((size_t)length < size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The path %s/%s is too long", group, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreDefineGroup - Make a group whose parent exists. One that exists already (as "/" does) is left alone.

  Not collective. Complaint: EXIT_IO
*/
PetscErrorCode StoreDefineGroup(Store store, const char *group, Complaint *complaint)
{
  PetscBool has;
  hid_t     id;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreHas(store, group, &has));
  if (has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(store->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined after StoreReady", group);
  PetscCall(StoreReserve_Private(store, 0, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  id = H5Gcreate2(store->file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0 || H5Gclose(id) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* id < 0 after a complaint. */
static PetscErrorCode StoreCreateData_Private(Store store, const char *path, StoreType type, hid_t space, hid_t *id, Complaint *complaint)
{
  const double nothing = NAN;
  PetscBool    has;
  hid_t        layout;

  PetscFunctionBeginUser;
  PetscCheck(store->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined after StoreReady", path);
  PetscCall(StoreHas(store, path, &has));
  PetscCheck(!has, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined twice", path);
  *id = H5I_INVALID_HID;
  PetscCall(StoreReserve_Private(store, (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(StoreFileType_Private(type)), complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  layout = H5Pcreate(H5P_DATASET_CREATE);
  StoreCheckHDF5(layout);
  StoreCheckHDF5(H5Pset_layout(layout, H5D_CONTIGUOUS));
  StoreCheckHDF5(H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY));
  StoreCheckHDF5(H5Pset_fill_time(layout, H5D_FILL_TIME_ALLOC));
  /* The library's own fill value is 0. Stating it would let netCDF readers take every 0 of an integer for a hole. */
  if (type == STORE_REAL) StoreCheckHDF5(H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &nothing));
  *id = H5Dcreate2(store->file, path, StoreFileType_Private(type), space, H5P_DEFAULT, layout, H5P_DEFAULT);
  if (*id < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  StoreCheckHDF5(H5Pclose(layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreDefineDimension - A dimension of `group` and its coordinate values.

  Not collective.
  Input:   n - length, may be 0;  values - shape [n], of the C type that belongs to `type`
  Complaint: EXIT_IO
*/
PetscErrorCode StoreDefineDimension(Store store, const char *group, const char *name, StoreType type, PetscInt n, const void *values,
                                    Complaint *complaint)
{
  const hsize_t length = (hsize_t)n;
  char          path[PETSC_MAX_PATH_LEN];
  hid_t         space, id;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n >= 0 && (!n || values), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Dimension %s has no values", name);
  PetscCall(StoreJoin_Private(group, name, sizeof(path), path));
  space = H5Screate_simple(1, &length, NULL);
  StoreCheckHDF5(space);
  PetscCall(StoreCreateData_Private(store, path, type, space, &id, complaint));
  if (id >= 0) {
    hid_t  memory = StoreMemoryType_Private(StoreFileType_Private(type));
    herr_t failed = H5DSset_scale(id, name);

    if (failed >= 0 && n) failed = H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (failed < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    if (H5Dclose(id) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  }
  StoreCheckHDF5(H5Sclose(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The length of a dimension that must exist, and its scale left open. */
static PetscErrorCode StoreOpenScale_Private(Store store, const char *group, const char *name, hsize_t *length, hid_t *scale)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool has;
  hid_t     space;

  PetscFunctionBeginUser;
  PetscCall(StoreJoin_Private(group, name, sizeof(path), path));
  PetscCall(StoreHas(store, path, &has));
  PetscCheck(has, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Group %s has no dimension %s", group, name);
  *scale = H5Dopen2(store->file, path, H5P_DEFAULT);
  StoreCheckHDF5(*scale);
  PetscCheck(H5DSis_scale(*scale) > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is no dimension", path);
  space = H5Dget_space(*scale);
  StoreCheckHDF5(space);
  StoreCheckHDF5(H5Sget_simple_extent_dims(space, length, NULL));
  StoreCheckHDF5(H5Sclose(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreDefineVariable - An array over dimensions of its group: reals filled with NaN, integers with 0.

  Not collective.
  Input:   rank - 0 (a scalar) to 8;  dims - names of the dimensions, slowest first, shape [rank]
  Complaint: EXIT_IO
  Cost:    the array is written once, here
*/
PetscErrorCode StoreDefineVariable(Store store, const char *group, const char *name, StoreType type, PetscInt rank, const char *const *dims,
                                   Complaint *complaint)
{
  const PetscReal nothing = NAN;
  char            path[PETSC_MAX_PATH_LEN];
  hsize_t         shape[STORE_MAX_RANK];
  hid_t           scale[STORE_MAX_RANK], space, id;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(rank >= 0 && rank <= STORE_MAX_RANK, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Variable %s has %d axes", name, (int)rank);
  PetscCall(StoreJoin_Private(group, name, sizeof(path), path));
  for (PetscInt i = 0; i < rank; i++) PetscCall(StoreOpenScale_Private(store, group, dims[i], &shape[i], &scale[i]));
  space = rank ? H5Screate_simple((int)rank, shape, NULL) : H5Screate(H5S_SCALAR);
  StoreCheckHDF5(space);
  PetscCall(StoreCreateData_Private(store, path, type, space, &id, complaint));
  if (id >= 0) {
    herr_t failed = 0;

    for (PetscInt i = 0; i < rank && failed >= 0; i++) failed = H5DSattach_scale(id, scale[i], (unsigned)i);
    if (failed < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    if (H5Dclose(id) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    if (type == STORE_REAL && rank) PetscCall(StoreAttributeNumbers(store, path, "_FillValue", STORE_REAL, 1, &nothing, complaint));
  }
  for (PetscInt i = 0; i < rank; i++) {
    if (H5Dclose(scale[i]) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  }
  StoreCheckHDF5(H5Sclose(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
