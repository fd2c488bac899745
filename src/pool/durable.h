/*
  durable.h - bytes and names that are on the device when the call returns. Private to src/pool.

  Each function returns false, with the reason in errno, if the system refuses.
*/
#ifndef GRAZE_DURABLE_H
#define GRAZE_DURABLE_H

#include <sys/types.h>

#include "graze/compat.h"

/* All of it, at its place; a part may be there when it fails. To the operating system only. */
PetscBool DurableWriteAt(int fd, const void *bytes, size_t n, off_t at);
/* Bytes that will be synced soon: where the system has a call for it, let it begin. A hint, which never waits for the device on purpose. */
void DurableBegin(int fd, off_t from, off_t n);
/* What a file holds. */
PetscBool DurableFile(const char *path);
/* The names in the folder of `path`. */
PetscBool DurableNames(const char *path);
/* A copy, replacing what is called `to`; a part may be there when it fails. Where the file system can it shares the blocks. */
PetscBool DurableCopy(const char *from, const char *to);

#endif
