/*
  info.h - for graze info: reading with what may be missing in mind, rows of text, and how a folder stands.   Not collective (root).
*/
#ifndef GRAZE_INFO_H
#define GRAZE_INFO_H

#include <stdint.h>

#include "graze/store.h"

#define INFO_WIDTH 100
#define INFO_LABEL 20 /* columns of a label and the space around it */

typedef char InfoText[12288]; /* longest text of a row, before it is broken into lines */

/* "  label   text", broken at spaces to INFO_WIDTH columns. */
void InfoRow(const char *label, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

/* A text attribute on one line; "" if there is none. */
PetscErrorCode InfoAttribute(Store store, const char *object, const char *name, size_t size, char *text);
/* The attribute `scale` of a variable; "" for 1 or none. */
PetscErrorCode InfoScale(Store store, const char *path, size_t size, char *scale);
PetscErrorCode InfoHasAll(Store store, const char *const *paths, PetscBool *has);
/* A scalar variable; NaN, or -1, if there is none. */
PetscErrorCode InfoScalar(Store store, const char *path, PetscReal *value, Complaint *complaint);
PetscErrorCode InfoScalarInt(Store store, const char *path, int32_t *value, Complaint *complaint);
/* A variable of one axis that must be there, in memory with room for eight bytes an entry. The caller frees. */
PetscErrorCode InfoArray(Store store, const char *path, PetscInt *n, void **values, Complaint *complaint);

/* The table of sessions of a sweep; nothing if the file has none. */
PetscErrorCode InfoPrintSessions(Store store);

/* The branches of a continuation. Complaint: EXIT_FILES for a file that is not as graze writes it */
PetscErrorCode InfoPrintBranches(Store store, Complaint *complaint);
/* What branches.journal in a folder says; good: the same command goes on from it. */
PetscErrorCode InfoJournal(const char *folder, size_t size, char *text, PetscBool *there, PetscBool *good);
/* The same as rows; result: there is a branches.h5 too. */
PetscErrorCode InfoPrintJournal(const char *folder, PetscBool result);

/* ---- graze info -state ---- */

typedef struct {
  int       code;        /* exit code: 0 complete, EXIT_COME_BACK, 1 failed */
  char      line[1536];  /* in words */
  PetscBool complete, begun;
  PetscInt  done, total; /* cells, as far as known */
} InfoState;

PetscErrorCode InfoJudge(const char *name, InfoState *state);
/* N of the shards (shard-k-of-N) in a folder; 0: it holds none, -1: of more than one N. */
PetscInt       InfoCountShards(const char *folder);
PetscErrorCode InfoPrintShards(const char *folder);

#endif
