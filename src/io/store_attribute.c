/*
  store_attribute.c - attributes of groups and data sets, and texts too long for one.

  Text is of fixed length, ended by NUL, marked ASCII or UTF-8: every reader gives it back as a string. After StoreReady an attribute
  is only changed in place (see store.c).
*/
#include <stdio.h>
#include <string.h>

#include "store_impl.h"

/* Shortest type that holds the text; even an empty one takes its NUL. */
static PetscErrorCode StoreTextType_Private(const char *text, size_t *size, hid_t *type)
{
  PetscBool ascii = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (const char *c = text; *c; c++) ascii = (PetscBool)(ascii && (unsigned char)*c < 128);
  *size = strlen(text) + 1;
  *type = H5Tcopy(H5T_C_S1);
  StoreCheckHDF5(*type);
  StoreCheckHDF5(H5Tset_size(*type, *size));
  StoreCheckHDF5(H5Tset_strpad(*type, H5T_STR_NULLTERM));
  StoreCheckHDF5(H5Tset_cset(*type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* owner is closed after the attribute: HDF5 1.10 cannot write to one opened by H5Aopen_by_name. */
typedef struct {
  hid_t owner, id; /* H5I_INVALID_HID: missing */
} StoreAttribute;

static PetscErrorCode StoreOpenAttribute_Private(Store store, const char *object, const char *name, StoreAttribute *attribute)
{
  PetscBool has;

  PetscFunctionBeginUser;
  attribute->owner = H5I_INVALID_HID;
  attribute->id    = H5I_INVALID_HID;
  PetscCall(StoreHas(store, object, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  attribute->owner = H5Oopen(store->file, object, H5P_DEFAULT); /* fails in a damaged file */
  if (attribute->owner >= 0 && H5Aexists(attribute->owner, name) > 0) attribute->id = H5Aopen(attribute->owner, name, H5P_DEFAULT);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoreCloseAttribute_Private(StoreAttribute *attribute)
{
  PetscFunctionBeginUser;
  if (attribute->id >= 0) StoreCheckHDF5(H5Aclose(attribute->id));
  if (attribute->owner >= 0) StoreCheckHDF5(H5Oclose(attribute->owner));
  attribute->id    = H5I_INVALID_HID;
  attribute->owner = H5I_INVALID_HID;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether `size` bytes of a text of this type, or n numbers of it, have their place in the attribute that is there. */
static PetscErrorCode StoreFits_Private(hid_t attribute, hid_t type, hsize_t n, size_t *room, PetscBool *fits)
{
  hid_t old_type = H5Aget_type(attribute), space = H5Aget_space(attribute);

  PetscFunctionBeginUser;
  StoreCheckHDF5(old_type);
  StoreCheckHDF5(space);
  *room = H5Tget_size(old_type);
  if (H5Tget_class(type) == H5T_STRING) {
    *fits = (PetscBool)(H5Tget_class(old_type) == H5T_STRING && H5Tis_variable_str(old_type) == 0 && H5Tget_size(type) <= *room &&
                        H5Tget_cset(old_type) == H5Tget_cset(type));
  } else {
    *fits = (PetscBool)(H5Tequal(old_type, type) > 0 && (hsize_t)H5Sget_simple_extent_npoints(space) == n);
  }
  StoreCheckHDF5(H5Sclose(space));
  StoreCheckHDF5(H5Tclose(old_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place if it fits, else anew. */
static PetscErrorCode StorePutAttribute_Private(Store store, const char *object, const char *name, hid_t type, hsize_t n, const void *data,
                                                Complaint *complaint)
{
  StoreAttribute attribute;
  PetscBool      fits   = PETSC_FALSE;
  herr_t         failed = 0;
  size_t         room   = 0;

  PetscFunctionBeginUser;
  if (store->partial) PetscCall(StoreReserve_Private(store, 2 * STORE_MAX_ATTRIBUTE, complaint)); /* the header may move to grow */
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreOpenAttribute_Private(store, object, name, &attribute));
  PetscCheck(attribute.owner >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s has no %s to carry an attribute", store->path, object);
  if (attribute.id >= 0) PetscCall(StoreFits_Private(attribute.id, type, n, &room, &fits));
  if (fits && H5Tget_class(type) == H5T_STRING) {
    hid_t wide = H5Aget_type(attribute.id);
    char *padded;

    StoreCheckHDF5(wide);
    PetscCall(PetscCalloc1(room, &padded));
    memcpy(padded, data, H5Tget_size(type));
    failed = H5Awrite(attribute.id, wide, padded);
    PetscCall(PetscFree(padded));
    StoreCheckHDF5(H5Tclose(wide));
  } else if (fits) {
    failed = H5Awrite(attribute.id, StoreMemoryType_Private(type), data);
  } else {
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);

    StoreCheckHDF5(space);
    PetscCheck(store->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s is defined after StoreReady", name, object);
    if (attribute.id >= 0) {
      StoreCheckHDF5(H5Aclose(attribute.id));
      failed = H5Adelete(attribute.owner, name);
    }
    if (failed >= 0) attribute.id = H5Acreate2(attribute.owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    failed = attribute.id < 0 ? -1 : H5Awrite(attribute.id, H5Tget_class(type) == H5T_STRING ? type : StoreMemoryType_Private(type), data);
    StoreCheckHDF5(H5Sclose(space));
  }
  if (failed < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  PetscCall(StoreCloseAttribute_Private(&attribute));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreAttributeText - Give an object a text attribute, or change it.

  Not collective. Complaint: EXIT_IO. Text of 60 KiB or more is a bug: StoreText takes it.
*/
PetscErrorCode StoreAttributeText(Store store, const char *object, const char *name, const char *text, Complaint *complaint)
{
  size_t size;
  hid_t  type;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(strlen(text) < STORE_MAX_ATTRIBUTE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s is too long for an attribute", name, object);
  PetscCall(StoreTextType_Private(text, &size, &type));
  PetscCall(StorePutAttribute_Private(store, object, name, type, 1, text, complaint));
  StoreCheckHDF5(H5Tclose(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreAttributeNumbers - Give an object an attribute of n >= 1 numbers, or change it. One number is a scalar.

  Not collective. Complaint: EXIT_IO
  Input:   values - shape [n], of the C type that belongs to `type`
*/
PetscErrorCode StoreAttributeNumbers(Store store, const char *object, const char *name, StoreType type, PetscInt n, const void *values,
                                     Complaint *complaint)
{
  const hid_t file_type = StoreFileType_Private(type);

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n >= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of %s has no numbers", name, object);
  PetscCheck((size_t)n * H5Tget_size(file_type) < STORE_MAX_ATTRIBUTE, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s of %s is too long for an attribute", name, object);
  PetscCall(StorePutAttribute_Private(store, object, name, file_type, (hsize_t)n, values, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreText - A text of any length as a scalar data set.

  Not collective. Complaint: EXIT_IO
*/
PetscErrorCode StoreText(Store store, const char *path, const char *text, Complaint *complaint)
{
  PetscBool has;
  size_t    size;
  hid_t     type, space, id;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(store->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined after StoreReady", path);
  PetscCall(StoreHas(store, path, &has));
  PetscCheck(!has, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is defined twice", path);
  PetscCall(StoreTextType_Private(text, &size, &type));
  PetscCall(StoreReserve_Private(store, size, complaint));
  if (complaint->exit_code) {
    StoreCheckHDF5(H5Tclose(type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  space = H5Screate(H5S_SCALAR);
  StoreCheckHDF5(space);
  id = H5Dcreate2(store->file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
    PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  }
  if (id >= 0 && H5Dclose(id) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  StoreCheckHDF5(H5Sclose(space));
  StoreCheckHDF5(H5Tclose(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreReadAttributeText - A text attribute of fixed length, cut to `size` bytes with its NUL.

  Not collective.
  Output:  text - "" if not found;  found - PETSC_FALSE if the object or the attribute is missing, or is not such a text
*/
PetscErrorCode StoreReadAttributeText(Store store, const char *object, const char *name, size_t size, char *text, PetscBool *found)
{
  StoreAttribute attribute;

  PetscFunctionBeginUser;
  *found  = PETSC_FALSE;
  text[0] = '\0';
  PetscCall(StoreOpenAttribute_Private(store, object, name, &attribute));
  if (attribute.id >= 0) {
    hid_t type = H5Aget_type(attribute.id);

    StoreCheckHDF5(type);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
      char *all;

      PetscCall(PetscCalloc1(H5Tget_size(type) + 1, &all));
      if (H5Aread(attribute.id, type, all) >= 0) {
        (void)snprintf(text, size, "%s", all);
        *found = PETSC_TRUE;
      }
      PetscCall(PetscFree(all));
    }
    StoreCheckHDF5(H5Tclose(type));
  }
  PetscCall(StoreCloseAttribute_Private(&attribute));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreReadAttributeNumber - One number, converted to `type`.

  Not collective.
  Output:  value - untouched if not found;  found - PETSC_FALSE if object or attribute is missing, or is not one number
*/
PetscErrorCode StoreReadAttributeNumber(Store store, const char *object, const char *name, StoreType type, void *value, PetscBool *found)
{
  StoreAttribute attribute;

  PetscFunctionBeginUser;
  *found = PETSC_FALSE;
  PetscCall(StoreOpenAttribute_Private(store, object, name, &attribute));
  if (attribute.id >= 0) {
    hid_t      file_type = H5Aget_type(attribute.id), space = H5Aget_space(attribute.id);
    H5T_class_t kind     = H5Tget_class(file_type);

    StoreCheckHDF5(space);
    if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Sget_simple_extent_npoints(space) == 1) {
      *found = (PetscBool)(H5Aread(attribute.id, StoreMemoryType_Private(StoreFileType_Private(type)), value) >= 0);
    }
    StoreCheckHDF5(H5Sclose(space));
    StoreCheckHDF5(H5Tclose(file_type));
  }
  PetscCall(StoreCloseAttribute_Private(&attribute));
  PetscFunctionReturn(PETSC_SUCCESS);
}
