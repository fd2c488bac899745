/*
  durable.c - write, copy and sync: the few calls of the system that a checkpoint rests upon, with their short writes and missing features.
*/
#define _GNU_SOURCE /* copy_file_range, sync_file_range */

#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_CHUNK (1 << 20) /* bytes */

/* errno stays as it is: the reason is that of what failed before */
static void Close_Private(int fd)
{
  const int why = errno;

  if (fd >= 0) (void)close(fd);
  errno = why;
}

PetscBool DurableWriteAt(int fd, const void *bytes, size_t n, off_t at)
{
  const char *left = (const char *)bytes;

  while (n) {
    const ssize_t written = pwrite(fd, left, n, at);

    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (!written) errno = ENOSPC; /* nothing, and no reason given: better than to try for ever */
      return PETSC_FALSE;
    }
    left += written;
    at += written;
    n -= (size_t)written;
  }
  return PETSC_TRUE;
}

void DurableBegin(int fd, off_t from, off_t n)
{
#if defined(SYNC_FILE_RANGE_WRITE)
  (void)sync_file_range(fd, from, n, SYNC_FILE_RANGE_WRITE);
#else
  (void)fd, (void)from, (void)n;
#endif
}

PetscBool DurableFile(const char *path)
{
  const int fd   = open(path, O_RDONLY | O_CLOEXEC);
  PetscBool good = fd >= 0 && !fsync(fd) ? PETSC_TRUE : PETSC_FALSE;

  Close_Private(fd);
  return good;
}

/* File systems that cannot sync a folder (EINVAL, EBADF) keep its names by other means or not at all. */
PetscBool DurableNames(const char *path)
{
  const char *slash = strrchr(path, '/');
  char        folder[PETSC_MAX_PATH_LEN];
  PetscBool   good;
  int         fd;

  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".") >= (int)sizeof folder) {
    errno = ENAMETOOLONG;
    return PETSC_FALSE;
  }
  fd   = open(folder, O_RDONLY | O_CLOEXEC);
  good = fd >= 0 && (!fsync(fd) || errno == EINVAL || errno == EBADF) ? PETSC_TRUE : PETSC_FALSE;
  Close_Private(fd);
  return good;
}

/* The rest of one file behind what the other has, by way of memory. */
static PetscBool ReadAndWrite_Private(int from, int to, off_t at)
{
  static char bytes[COPY_CHUNK];

  for (;;) {
    const ssize_t n = pread(from, bytes, sizeof bytes, at);

    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n ? PETSC_FALSE : PETSC_TRUE;
    if (!DurableWriteAt(to, bytes, (size_t)n, at)) return PETSC_FALSE;
    at += n;
  }
}

/* Reading and writing goes on where the kernel does not, for whatever reason: if the disk is full it says so itself. */
static PetscBool CopyBytes_Private(int from, int to, off_t size)
{
  off_t at = 0;

#if defined(__linux__)
  while (at < size) {
    const ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)(size - at), 0);

    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += n;
  }
#endif
  return at == size ? PETSC_TRUE : ReadAndWrite_Private(from, to, at);
}

PetscBool DurableCopy(const char *from, const char *to)
{
  const int   source = open(from, O_RDONLY | O_CLOEXEC);
  int         target = -1;
  struct stat about;
  PetscBool   good;

  if (source >= 0 && !fstat(source, &about)) target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, about.st_mode & 0777);
  good = target >= 0 && CopyBytes_Private(source, target, about.st_size) && !fsync(target) ? PETSC_TRUE : PETSC_FALSE;
  Close_Private(target);
  Close_Private(source);
  return good;
}
