/*
  variable.c - one call for a dimension or a variable with all that is said of it.

  Not collective (root), before StoreReady. Complaint of every function: EXIT_IO
*/
#include "variable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

enum { MOST_DIMS = 4, NAME = 64 };

/* "kernel/tau": the group "/kernel", the path "/kernel/tau"; returns what is behind the last '/'. */
static const char *Place_Private(const char *name, char *group /* [NAME] */, char *path /* [NAME] */)
{
  const char *slash = strrchr(name, '/');

  (void)snprintf(path, NAME, "/%s", name);
  (void)snprintf(group, NAME, "/%.*s", slash ? (int)(slash - name) : 0, name);
  return slash ? slash + 1 : name;
}

PetscErrorCode VariableDimension(Store store, const char *name, StoreType type, PetscInt n, const void *values, const char *long_name,
                                 const char *scale, Complaint *complaint)
{
  char        group[NAME], path[NAME];
  const char *leaf = Place_Private(name, group, path);

  PetscFunctionBeginUser;
  PetscCall(StoreDefineDimension(store, group, leaf, type, n, values, complaint));
  PetscCall(OutputDescribe(store, path, long_name, scale, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VariableCount(Store store, const char *name, PetscInt n, const char *long_name, Complaint *complaint)
{
  int32_t *values;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &values));
  for (PetscInt i = 0; i < n; i++) values[i] = (int32_t)i + 1;
  PetscCall(VariableDimension(store, name, STORE_INT32, n, values, long_name, "1", complaint));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Variable(Store store, const char *name, StoreType type, const char *dims, const void *values, const char *long_name,
                        const char *scale, Complaint *complaint)
{
  char        group[NAME], path[NAME], text[128];
  const char *leaf = Place_Private(name, group, path), *list[MOST_DIMS];
  PetscInt    rank = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(text, dims, sizeof text));
  for (char *word = text; *word;) {
    char *end = strchr(word, ' ');

    PetscCheck(rank < MOST_DIMS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "too many dimensions: %s", dims);
    list[rank++] = word;
    if (!end) break;
    *end = '\0';
    word = end + 1;
  }
  PetscCall(StoreDefineVariable(store, group, leaf, type, rank, list, complaint));
  PetscCall(OutputDescribe(store, path, long_name, scale, complaint));
  PetscCall(StoreWrite(store, path, NULL, NULL, values, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VariableComplex(Store store, const char *name, const char *dims, PetscInt n, const double complex *values,
                               const char *long_name, const char *scale, Complaint *complaint)
{
  PetscReal *part;
  char       full[NAME], text[160];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &part));
  for (int im = 0; im < 2; im++) {
    for (PetscInt i = 0; i < n; i++) part[i] = im ? cimag(values[i]) : creal(values[i]);
    PetscCall(PetscSNPrintf(full, sizeof full, "%s_%s", name, im ? "im" : "re"));
    PetscCall(PetscSNPrintf(text, sizeof text, "%s, %s part", long_name, im ? "imaginary" : "real"));
    PetscCall(Variable(store, full, STORE_REAL, dims, part, text, scale, complaint));
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
