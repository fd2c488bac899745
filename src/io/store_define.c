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
  case STORE_CHAR:
    return H5T_C_S1; /* one byte, which need not be a NUL: netCDF's NC_CHAR */
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
  if (H5Tequal(file_type, H5T_C_S1) > 0) return H5T_C_S1;
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
  Input:   n - length, may be 0;  values - shape [n], of the C type that belongs to `type`; NULL: it has a length and no values, as the
           characters of a text have none (a variable over it alone would hinder readers in making strings of them)
  Complaint: EXIT_IO
*/
PetscErrorCode StoreDefineDimension(Store store, const char *group, const char *name, StoreType type, PetscInt n, const void *values,
                                    Complaint *complaint)
{
  const hsize_t length = (hsize_t)n;
  char          path[PETSC_MAX_PATH_LEN], label[80];
  hid_t         space, id;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Dimension %s has a negative length", name);
  if (values || !n) (void)snprintf(label, sizeof(label), "%s", name);
  else (void)snprintf(label, sizeof(label), "This is a netCDF dimension but not a netCDF variable.%10d", (int)n); /* netCDF's own words */
  PetscCall(StoreJoin_Private(group, name, sizeof(path), path));
  space = H5Screate_simple(1, &length, NULL);
  StoreCheckHDF5(space);
  PetscCall(StoreCreateData_Private(store, path, type, space, &id, complaint));
  if (id >= 0) {
    hid_t  memory = StoreMemoryType_Private(StoreFileType_Private(type));
    herr_t failed = H5DSset_scale(id, label);

    if (failed >= 0 && n && values) failed = H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
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

/* What H5DSattach_scale does to the variable, without what it does to the scales. */
static herr_t StoreRefer_Private(hid_t data, PetscInt rank, const hid_t *scale)
{
  const hsize_t n      = (hsize_t)rank;
  hid_t         type   = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &n, NULL), list = -1;
  herr_t        failed = type < 0 || space < 0 ? -1 : 0;
  hobj_ref_t    reference[STORE_MAX_RANK];
  hvl_t         entry[STORE_MAX_RANK];

  for (PetscInt i = 0; i < rank && failed >= 0; i++) {
    entry[i] = (hvl_t){1, &reference[i]};
    failed   = H5Rcreate(&reference[i], scale[i], ".", H5R_OBJECT, -1);
  }
  if (failed >= 0) list = H5Acreate2(data, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
  failed = list < 0 ? -1 : H5Awrite(list, type, entry);
  if (list >= 0 && H5Aclose(list) < 0) failed = -1;
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  return failed;
}

static PetscErrorCode StoreDefine_Private(Store store, const char *group, const char *name, StoreType type, PetscInt rank,
                                          const char *const *dims, PetscBool listed, Complaint *complaint)
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

    for (PetscInt i = 0; i < rank && listed && failed >= 0; i++) failed = H5DSattach_scale(id, scale[i], (unsigned)i);
    if (!listed) failed = StoreRefer_Private(id, rank, scale);
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

/*
  StoreDefineVariable - An array over dimensions of its group: reals filled with NaN, integers with 0, characters with NUL.

  Not collective.
  Input:   rank - 0 (a scalar) to 8;  dims - names of the dimensions, slowest first, shape [rank]
  Complaint: EXIT_IO
  Cost:    the array is written once, here
*/
PetscErrorCode StoreDefineVariable(Store store, const char *group, const char *name, StoreType type, PetscInt rank, const char *const *dims,
                                   Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreDefine_Private(store, group, name, type, rank, dims, PETSC_TRUE, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreDefineVolatile - The same for values that differ between two runs of one input, such as times.

  Not collective. The dimensions do not list it among their users: h5diff, which follows such lists, then finds two results equal when it was
  told to leave this variable out. Readers do not use the lists. StoreCopyGroup does, and does not attach such a variable.
  Complaint: EXIT_IO
*/
PetscErrorCode StoreDefineVolatile(Store store, const char *group, const char *name, StoreType type, PetscInt rank, const char *const *dims,
                                   Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCheck(rank > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s has no dimension that could list it", name);
  PetscCall(StoreDefine_Private(store, group, name, type, rank, dims, PETSC_FALSE, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
