/*
  store_copy.c - a group from one file into another, bit by bit, whoever computed it.

  HDF5's own copy would carry references into the old file along with the dimension scales. So everything is made anew: attributes, data
  sets, and then what is attached to each scale, in the order in which the original has it.
*/
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

#include "store_impl.h"

typedef char StoreName[256];

/* Those that the functions of dimension scales write themselves. */
static PetscBool StoreIsScaleAttribute_Private(const char *name)
{
  static const char *const names[] = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST"};

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (!strcmp(name, names[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* One attribute, of whatever type but those that point elsewhere. Returns what is negative if HDF5 fails. */
static herr_t StoreCopyAttribute_Private(hid_t source, hid_t target, const char *name)
{
  hid_t  from = H5Aopen(source, name, H5P_DEFAULT), type = from < 0 ? -1 : H5Aget_type(from), space = from < 0 ? -1 : H5Aget_space(from);
  hid_t  to     = -1;
  herr_t failed = -1;
  void  *data;

  if (type >= 0 && space >= 0 && H5Tis_variable_str(type) == 0 && H5Tget_class(type) != H5T_VLEN && H5Tget_class(type) != H5T_REFERENCE) {
    if (PetscMalloc((size_t)H5Aget_storage_size(from) + 1, &data)) return -1;
    failed = H5Aread(from, type, data);
    if (failed >= 0) to = H5Acreate2(target, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    failed = to < 0 ? -1 : H5Awrite(to, type, data);
    if (PetscFree(data)) failed = -1;
  }
  if (to >= 0 && H5Aclose(to) < 0) failed = -1;
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (from >= 0) (void)H5Aclose(from);
  return failed;
}

/* Attributes that the target has already stay as they are. */
static PetscErrorCode StoreCopyAttributes_Private(Store from, hid_t source, Store to, hid_t target, Complaint *complaint)
{
  PetscFunctionBeginUser;
  for (hsize_t i = 0; i < (hsize_t)H5Aget_num_attrs(source) && !complaint->exit_code; i++) {
    StoreName name;

    if (H5Aget_name_by_idx(source, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof(name), H5P_DEFAULT) < 0) {
      PetscCall(StoreComplain_Private("read", from->path, EXIT_FILES, complaint));
      break;
    }
    if (StoreIsScaleAttribute_Private(name) || H5Aexists(target, name) > 0) continue;
    PetscCall(StoreReserve_Private(to, 2 * STORE_MAX_ATTRIBUTE, complaint)); /* the header may move to grow */
    if (complaint->exit_code) break;
    if (StoreCopyAttribute_Private(source, target, name) < 0)
      PetscCall(StoreComplain_Private("copy an attribute to", to->path, EXIT_IO, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Type, layout, values; and that it is a scale, if it is one. */
static PetscErrorCode StoreCopyData_Private(Store from, hid_t source, Store to, hid_t group, const char *name, Complaint *complaint)
{
  hid_t     type = H5Dget_type(source), space = H5Dget_space(source), layout = H5Dget_create_plist(source), target = -1;
  size_t    size;
  void     *data;
  herr_t    failed;
  StoreName label;

  PetscFunctionBeginUser;
  StoreCheckHDF5(type);
  StoreCheckHDF5(space);
  StoreCheckHDF5(layout);
  size = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
  PetscCall(StoreReserve_Private(to, size, complaint));
  if (!complaint->exit_code) {
    PetscCall(PetscMalloc(size + 1, &data));
    if (H5Dread(source, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
      PetscCall(StoreComplain_Private("read", from->path, EXIT_FILES, complaint));
    if (!complaint->exit_code) {
      target = H5Dcreate2(group, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
      failed = target < 0 ? -1 : 0;
      if (failed >= 0 && H5DSis_scale(source) > 0)
        failed = H5DSget_scale_name(source, label, sizeof(label)) < 0 ? -1 : H5DSset_scale(target, label);
      if (failed >= 0) failed = H5Dwrite(target, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
      if (failed < 0) PetscCall(StoreComplain_Private("write", to->path, EXIT_IO, complaint));
      else PetscCall(StoreCopyAttributes_Private(from, source, to, target, complaint));
      if (target >= 0 && H5Dclose(target) < 0) PetscCall(StoreComplain_Private("write", to->path, EXIT_IO, complaint));
    }
    PetscCall(PetscFree(data));
  }
  StoreCheckHDF5(H5Pclose(layout));
  StoreCheckHDF5(H5Sclose(space));
  StoreCheckHDF5(H5Tclose(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Who is attached to a scale, as HDF5 keeps it there. */
typedef struct {
  hobj_ref_t data;
  int        axis;
} StoreUser;

static herr_t StoreReadUsers_Private(hid_t list, StoreUser *users)
{
  hid_t  type   = H5Tcreate(H5T_COMPOUND, sizeof(StoreUser));
  herr_t failed = type;

  if (failed >= 0) failed = H5Tinsert(type, "dataset", HOFFSET(StoreUser, data), H5T_STD_REF_OBJ);
  if (failed >= 0) failed = H5Tinsert(type, "dimension", HOFFSET(StoreUser, axis), H5T_NATIVE_INT);
  if (failed >= 0) failed = H5Aread(list, type, users);
  if (type >= 0) (void)H5Tclose(type);
  return failed;
}

/* Attaches to the copy of a scale the copies of those that are attached to it. */
static herr_t StoreAttachUsers_Private(hid_t source, hid_t target, hid_t group)
{
  hid_t      list = H5Aopen(source, "REFERENCE_LIST", H5P_DEFAULT), space = list < 0 ? -1 : H5Aget_space(list);
  hssize_t   n      = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
  StoreUser *users  = NULL;
  herr_t     failed = n <= 0 || PetscMalloc1((size_t)n, &users) ? -1 : StoreReadUsers_Private(list, users);

  for (hssize_t i = 0; i < n && failed >= 0; i++) {
    hid_t       original = H5Rdereference2(source, H5P_DEFAULT, H5R_OBJECT, &users[i].data), copy;
    StoreName   path     = "";
    const char *slash;

    failed = original < 0 || H5Iget_name(original, path, sizeof(path)) <= 0 ? -1 : 0;
    slash  = strrchr(path, '/');
    copy   = failed < 0 ? -1 : H5Dopen2(group, slash ? slash + 1 : path, H5P_DEFAULT);
    failed = copy < 0 ? -1 : H5DSattach_scale(copy, target, (unsigned)users[i].axis);
    if (copy >= 0) (void)H5Dclose(copy);
    if (original >= 0) (void)H5Oclose(original);
  }
  if (PetscFree(users)) failed = -1;
  if (space >= 0) (void)H5Sclose(space);
  if (list >= 0) (void)H5Aclose(list);
  return failed;
}

static PetscErrorCode StoreCopyScale_Private(hid_t source, Store to, hid_t group, const char *name, Complaint *complaint)
{
  hid_t target;

  PetscFunctionBeginUser;
  if (H5DSis_scale(source) <= 0 || H5Aexists(source, "REFERENCE_LIST") <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreReserve_Private(to, 2 * STORE_MAX_ATTRIBUTE, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  target = H5Dopen2(group, name, H5P_DEFAULT);
  if (target < 0 || StoreAttachUsers_Private(source, target, group) < 0)
    PetscCall(StoreComplain_Private("write", to->path, EXIT_IO, complaint));
  if (target >= 0) StoreCheckHDF5(H5Dclose(target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All data sets of the group; or, when they are there, who is attached to whom. */
static PetscErrorCode StoreCopyAll_Private(Store from, hid_t source, Store to, hid_t target, PetscBool attach, Complaint *complaint)
{
  H5G_info_t info;

  PetscFunctionBeginUser;
  StoreCheckHDF5(H5Gget_info(source, &info));
  for (hsize_t i = 0; i < info.nlinks && !complaint->exit_code; i++) {
    StoreName name;
    hid_t     object;

    if (H5Lget_name_by_idx(source, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof(name), H5P_DEFAULT) < 0 ||
        (object = H5Oopen(source, name, H5P_DEFAULT)) < 0) {
      PetscCall(StoreComplain_Private("read", from->path, EXIT_FILES, complaint));
      break;
    }
    if (H5Iget_type(object) == H5I_DATASET) {
      if (attach) PetscCall(StoreCopyScale_Private(object, to, target, name, complaint));
      else PetscCall(StoreCopyData_Private(from, object, to, target, name, complaint));
    }
    StoreCheckHDF5(H5Oclose(object));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreCopyGroup - Copy a group with what it holds, but for groups in it. One that `from` does not have is left out.

  Not collective. `to` has not been made ready yet; attributes that the group has there already stay.
  Complaint: EXIT_FILES if `from` cannot be read, EXIT_IO
  Memory:    the largest of its arrays
*/
PetscErrorCode StoreCopyGroup(Store from, const char *group, Store to, Complaint *complaint)
{
  PetscBool has;
  hid_t     source, target;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(to->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined after StoreReady", group);
  PetscCall(StoreHas(from, group, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreDefineGroup(to, group, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  source = H5Gopen2(from->file, group, H5P_DEFAULT);
  if (source < 0) {
    PetscCall(StoreComplain_Private("read", from->path, EXIT_FILES, complaint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  target = H5Gopen2(to->file, group, H5P_DEFAULT);
  StoreCheckHDF5(target);
  PetscCall(StoreCopyAttributes_Private(from, source, to, target, complaint));
  PetscCall(StoreCopyAll_Private(from, source, to, target, PETSC_FALSE, complaint));
  PetscCall(StoreCopyAll_Private(from, source, to, target, PETSC_TRUE, complaint));
  StoreCheckHDF5(H5Gclose(target));
  StoreCheckHDF5(H5Gclose(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}
