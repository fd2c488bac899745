/*
  info_read.c - for graze info: read what a file may lack or hold in another shape, and print a row.

  A file of another version is to be told as far as it goes: what is missing is no complaint.
*/
#include "info.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- rows: a label and text broken into lines ---- */

void InfoRow(const char *label, const char *format, ...)
{
  const size_t room = INFO_WIDTH - INFO_LABEL;
  InfoText     text;
  va_list      arguments;

  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)printf("  %-*s", INFO_LABEL - 2, label);
  for (const char *rest = text;;) {
    size_t n = strlen(rest);

    if (n > room) { /* at the last space that fits, or behind the last comma of a list; a longer word is broken */
      for (n = room; n > 0 && rest[n] != ' ' && rest[n - 1] != ','; n--) {}
      if (!n) n = room;
    }
    (void)printf("%.*s\n", (int)n, rest);
    rest += n;
    rest += strspn(rest, " ");
    if (!*rest) break;
    (void)printf("%*s", INFO_LABEL, "");
  }
}

/* ---- reading what may be missing ---- */

PetscErrorCode InfoAttribute(Store store, const char *object, const char *name, size_t size, char *text)
{
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(StoreReadAttributeText(store, object, name, size, text, &found));
  for (char *c = text; *c; c++)
    if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoHasAll(Store store, const char *const *paths, PetscBool *has)
{
  PetscFunctionBeginUser;
  *has = PETSC_TRUE;
  for (; *paths && *has; paths++) PetscCall(StoreHas(store, *paths, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scalar; NaN if the file has none. */
PetscErrorCode InfoScalar(Store store, const char *path, PetscReal *value, Complaint *complaint)
{
  PetscBool has;
  PetscInt  rank, shape[8];
  PetscReal read = NAN;

  PetscFunctionBeginUser;
  *value = NAN;
  PetscCall(StoreHas(store, path, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreGetShape(store, path, &rank, shape, complaint));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreRead(store, path, NULL, NULL, &read, complaint));
  if (!complaint->exit_code) *value = read;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoScalarInt(Store store, const char *path, int32_t *value, Complaint *complaint)
{
  PetscBool has;
  PetscInt  rank, shape[8];
  int64_t   room = 0; /* as wide as any type the file may have */

  PetscFunctionBeginUser;
  *value = -1;
  PetscCall(StoreHas(store, path, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreGetShape(store, path, &rank, shape, complaint));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreRead(store, path, NULL, NULL, &room, complaint));
  if (!complaint->exit_code) memcpy(value, &room, sizeof *value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A whole array of one axis; room for eight bytes an entry, so that no type overflows it. The caller frees. */
PetscErrorCode InfoArray(Store store, const char *path, PetscInt *n, void **values, Complaint *complaint)
{
  PetscInt rank, shape[8];

  PetscFunctionBeginUser;
  *n      = 0;
  *values = NULL;
  PetscCall(StoreGetShape(store, path, &rank, shape, complaint));
  if (!complaint->exit_code && rank != 1)
    ComplaintSet(complaint, EXIT_FILES, "%s is not what graze writes: it has %d axes", path, (int)rank);
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  *n = shape[0];
  PetscCall(PetscCalloc1((size_t)shape[0] + 1, (int64_t **)values));
  if (*n) PetscCall(StoreRead(store, path, NULL, NULL, *values, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoScale(Store store, const char *path, size_t size, char *scale)
{
  PetscFunctionBeginUser;
  PetscCall(InfoAttribute(store, path, "scale", size, scale));
  if (!strcmp(scale, "1")) *scale = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}
