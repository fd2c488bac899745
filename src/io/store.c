/*
  store.c - life of a file: made under a temporary name, renamed when complete, flushed, closed; and what went wrong, in one line.

  Earliest file format, so that every reader of the last twenty years opens the file, also after the writer was killed: that
  format has no "open for writing" mark that a dead process would leave behind.

  Invariant: after StoreReady nothing is defined any more; slabs and attributes change in place, so the file neither grows nor moves a
  byte of its structure. A disk that fills and a process that dies can then only hurt the slab that is being written.

  All Store functions: a call whose complaint is already set does nothing, so that a run of calls may be looked at once
  at its end. StoreClose alone always closes.
*/
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_impl.h"

#define STORE_SIEVE    4096        /* bytes of a data set that HDF5 holds back to join small slabs; more is read and written in vain */
#define STORE_SPARE    (64 * 1024) /* bytes of headers and heaps that one more object may take */
#define STORE_ENOTSUPP 524 /* Linux' own code for "no locks on this file system", unknown to strerror */

/* H5Pset_file_locking came with 1.10.7 and 1.12.1. */
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  #define STORE_HAVE_UNLOCKED 1
#else
  #define STORE_HAVE_UNLOCKED 0
#endif

#define STORE_QUOTE(x)  #x
#define STORE_TEXT(x)   STORE_QUOTE(x)
#define STORE_LIBRARY   STORE_TEXT(H5_VERS_MAJOR) "." STORE_TEXT(H5_VERS_MINOR) "." STORE_TEXT(H5_VERS_RELEASE)

const char *StoreLibraryVersion(void)
{
  return STORE_LIBRARY;
}

typedef struct {
  char      text[512]; /* of the innermost error: nearest to the cause */
  int       code;      /* errno as the file driver saw it; 0: none */
  PetscBool not_hdf5;
} StoreFailure;

static herr_t StoreReadErrorStack_Private(unsigned depth, const H5E_error2_t *entry, void *ctx)
{
  StoreFailure *failure = (StoreFailure *)ctx;
  const char   *where   = entry->desc ? strstr(entry->desc, "errno = ") : NULL;

  if (!depth && entry->desc) (void)snprintf(failure->text, sizeof(failure->text), "%s", entry->desc);
  if (where && !failure->code) failure->code = (int)strtol(where + strlen("errno = "), NULL, 10);
  if (entry->min_num == H5E_NOTHDF5) failure->not_hdf5 = PETSC_TRUE;
  return 0;
}

static StoreFailure StoreGetFailure_Private(void)
{
  StoreFailure failure = {"unknown reason", 0, PETSC_FALSE};

  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, StoreReadErrorStack_Private, &failure);
  for (char *c = failure.text; *c; c++)
    if (*c == '\n') *c = ' ';
  return failure;
}

static PetscBool StoreIsLock_Private(int code)
{
  return (PetscBool)(code == EAGAIN || code == ENOLCK || code == STORE_ENOTSUPP);
}

static void StoreComplainFailure_Private(const char *verb, const char *path, int exit_code, const StoreFailure *failure,
                                         Complaint *complaint)
{
  const char *hint = "; if no other program uses it, set HDF5_USE_FILE_LOCKING=FALSE in the environment";

  if (failure->code == EAGAIN) {
    ComplaintSet(complaint, exit_code, "cannot %s %s: another program holds its lock (errno %d)%s", verb, path, failure->code, hint);
  } else if (StoreIsLock_Private(failure->code)) {
    ComplaintSet(complaint, exit_code, "cannot %s %s: its file system has no locks (errno %d)%s", verb, path, failure->code, hint);
  } else if (failure->code) {
    ComplaintSet(complaint, exit_code, "cannot %s %s: %s", verb, path, strerror(failure->code));
  } else if (failure->not_hdf5) {
    ComplaintSet(complaint, EXIT_FILES, "cannot %s %s: it is not an HDF5 file", verb, path);
  } else {
    ComplaintSet(complaint, exit_code, "cannot %s %s: %s", verb, path, failure->text);
  }
}

PetscErrorCode StoreComplain_Private(const char *verb, const char *path, int exit_code, Complaint *complaint)
{
  PetscFunctionBeginUser;
  StoreFailure failure = StoreGetFailure_Private();
  StoreComplainFailure_Private(verb, path, exit_code, &failure, complaint);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoreAllocate_Private(const char *path, PetscBool write, Store *store)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(store));
  PetscCall(PetscStrallocpy(path, &(*store)->path));
  (*store)->write = write;
  (*store)->file  = H5I_INVALID_HID;
  /* A failed call is said in our own line; HDF5's twenty lines would bury it. */
  StoreCheckHDF5(H5Eset_auto2(H5E_DEFAULT, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoreFree_Private(Store *store)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree((*store)->path));
  PetscCall(PetscFree((*store)->partial));
  PetscCall(PetscFree(*store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoreAccess_Private(hid_t *access)
{
  PetscFunctionBeginUser;
  *access = H5Pcreate(H5P_FILE_ACCESS);
  StoreCheckHDF5(*access);
  StoreCheckHDF5(H5Pset_sieve_buf_size(*access, STORE_SIEVE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Removes what a dead process left under the temporary name; a living one holds HDF5's lock on it. HDF5 would empty the file of the
  living before it looks at the lock.
*/
static PetscErrorCode StoreClear_Private(const char *partial, Complaint *complaint)
{
  const StoreFailure locked = {"", EAGAIN, PETSC_FALSE};
  struct stat        ours, named;
  int                fd = open(partial, O_RDWR);

  PetscFunctionBeginUser;
  if (fd < 0) PetscFunctionReturn(PETSC_SUCCESS); /* mostly there is none; H5Fcreate says what else it is */
  if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) StoreComplainFailure_Private("create", partial, EXIT_IO, &locked, complaint);
  /* Another process may have done the same in between, and the name is now that of its new file. */
  else if (!fstat(fd, &ours) && !stat(partial, &named) && ours.st_ino == named.st_ino) (void)unlink(partial);
  (void)close(fd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreCreate - Begin a new file under the name path.partial.

  Not collective: one process writes.
  Input:   path - the name StoreReady will give it
  Output:  store - open for writing, with the group "/" alone; NULL after a complaint
  Complaint: EXIT_IO if the file cannot be made, or if path is a device, a pipe or a folder
*/
PetscErrorCode StoreCreate(const char *path, Store *store, Complaint *complaint)
{
  struct stat there;
  size_t      length;
  Store       s;
  hid_t       access;

  PetscFunctionBeginUser;
  *store = NULL;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stat(path, &there) && !S_ISREG(there.st_mode)) {
    ComplaintSet(complaint, EXIT_IO, "cannot create %s: it exists and is not a regular file", path);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(StoreAllocate_Private(path, PETSC_TRUE, &s));
  PetscCall(PetscStrlen(path, &length));
  PetscCall(PetscMalloc1(length + sizeof(".partial"), &s->partial));
  (void)snprintf(s->partial, length + sizeof(".partial"), "%s.partial", path);
  PetscCall(StoreClear_Private(s->partial, complaint));
  PetscCall(StoreAccess_Private(&access));
  if (!complaint->exit_code) s->file = H5Fcreate(s->partial, H5F_ACC_EXCL, H5P_DEFAULT, access);
  if (s->file < 0) {
    if (!complaint->exit_code) {
      const StoreFailure failure = StoreGetFailure_Private();

      StoreComplainFailure_Private("create", s->partial, EXIT_IO, &failure, complaint);
      /* begun, and the disk is full */
      if (failure.code == ENOSPC || failure.code == EFBIG || failure.code == EDQUOT) (void)unlink(s->partial);
    }
    PetscCall(StoreFree_Private(&s));
  }
  StoreCheckHDF5(H5Pclose(access));
  *store = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreOpen - Open an existing file, to read it or to write slabs into it.

  Not collective.
  Output:  store - NULL after a complaint
  Complaint: EXIT_FILES if the file is missing, not HDF5, damaged or locked; EXIT_IO if it is to be written and cannot be

  A file that is only read is opened although its writer holds a lock: nothing in it moves once StoreReady was called, so that the
  slabs flushed so far are right. (HDF5 before 1.10.7 cannot do this from within; the complaint says what to set.)
*/
PetscErrorCode StoreOpen(const char *path, PetscBool write, Store *store, Complaint *complaint)
{
  Store s;
  hid_t access;

  PetscFunctionBeginUser;
  *store = NULL;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreAllocate_Private(path, write, &s));
  PetscCall(StoreAccess_Private(&access));
  s->file = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  if (s->file < 0) {
    StoreFailure failure = StoreGetFailure_Private();
#if STORE_HAVE_UNLOCKED
    if (!write && StoreIsLock_Private(failure.code)) {
      StoreCheckHDF5(H5Pset_file_locking(access, 0, 1));
      s->file = H5Fopen(path, H5F_ACC_RDONLY, access);
      if (s->file < 0) failure = StoreGetFailure_Private();
    }
#endif
    if (s->file < 0) {
      PetscBool disk = (PetscBool)(write && failure.code && failure.code != ENOENT && !StoreIsLock_Private(failure.code));
      StoreComplainFailure_Private("open", path, disk ? EXIT_IO : EXIT_FILES, &failure, complaint);
      PetscCall(StoreFree_Private(&s));
    }
  }
  StoreCheckHDF5(H5Pclose(access));
  *store = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoreGetHandle_Private(Store store, int *fd)
{
  void *handle = NULL;

  PetscFunctionBeginUser;
  *fd = -1;
  StoreCheckHDF5(H5Fget_vfd_handle(store->file, H5P_DEFAULT, &handle));
  *fd = *(const int *)handle;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  HDF5 (1.10 at least) crashes in its clean-up at MPI_Finalize when a file could not be flushed to its end. So the disk is asked for room
  first, for the data and for some structure around it; what it refuses HDF5 never sees. StoreReady gives the rest back.
*/
PetscErrorCode StoreReserve_Private(Store store, size_t bytes, Complaint *complaint)
{
  hsize_t size;
  int     fd, failed;

  PetscFunctionBeginUser;
  StoreCheckHDF5(H5Fget_filesize(store->file, &size));
  if ((PetscInt64)size + (PetscInt64)bytes + STORE_SPARE <= store->reserved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreGetHandle_Private(store, &fd));
  store->reserved = (PetscInt64)size + (PetscInt64)bytes + 2 * STORE_SPARE;
  do failed = posix_fallocate(fd, 0, (off_t)store->reserved);
  while (failed == EINTR);
  /* A file system that cannot promise (EOPNOTSUPP, EINVAL) is written to as it is. */
  if (failed && failed != EOPNOTSUPP && failed != EINVAL) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %s: %s", store->path, strerror(failed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything written so far goes to the device, not only to the operating system. */
static PetscErrorCode StoreSync_Private(Store store, Complaint *complaint)
{
  int fd;

  PetscFunctionBeginUser;
  if (H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0) {
    PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(StoreGetHandle_Private(store, &fd));
  if (fsync(fd)) ComplaintSet(complaint, EXIT_IO, "cannot write %s: %s", store->path, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new name is on the device only when its folder is. */
static PetscErrorCode StoreSyncFolder_Private(Store store, Complaint *complaint)
{
  char  folder[PETSC_MAX_PATH_LEN], *slash;
  int   fd;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(folder, store->path, sizeof(folder)));
  slash = strrchr(folder, '/');
  if (!slash) PetscCall(PetscStrncpy(folder, ".", sizeof(folder)));
  else slash[slash == folder] = '\0';
  fd = open(folder, O_RDONLY);
  /* Some network file systems cannot sync a folder (EINVAL); they order the renaming themselves. */
  if (fd < 0 || (fsync(fd) && errno != EINVAL)) ComplaintSet(complaint, EXIT_IO, "cannot write the folder %s: %s", folder, strerror(errno));
  if (fd >= 0) (void)close(fd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreReady - All is defined: bring the file safely to the device and give it its name. It stays open.

  Not collective. Slabs written from here on are found by every reader after the next StoreFlush, whatever happens to this process.
  Complaint: EXIT_IO; EXIT_FILES if there is a file of that name by now
*/
PetscErrorCode StoreReady(Store store, Complaint *complaint)
{
  struct stat ours, named;
  hsize_t     size;
  int         fd;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(store->partial, PETSC_COMM_SELF, PETSC_ERR_PLIB, "StoreReady: %s has its name already", store->path);
  PetscCall(StoreSync_Private(store, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  StoreCheckHDF5(H5Fget_filesize(store->file, &size));
  PetscCall(StoreGetHandle_Private(store, &fd));
  if (ftruncate(fd, (off_t)size)) ComplaintSet(complaint, EXIT_IO, "cannot write %s: %s", store->path, strerror(errno));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (fstat(fd, &ours) || stat(store->partial, &named) || ours.st_ino != named.st_ino) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %s: another program has taken its place", store->partial);
    PetscCall(PetscFree(store->partial)); /* no longer ours to remove */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* A second name is refused where there is a file by now, which rename would replace; rename is for file systems without second names. */
  if (!link(store->partial, store->path)) (void)unlink(store->partial);
  else if (errno == EEXIST) ComplaintSet(complaint, EXIT_FILES, "%s is in the way: another program has just made it", store->path);
  else if (rename(store->partial, store->path))
    ComplaintSet(complaint, EXIT_IO, "cannot rename %s to %s: %s", store->partial, store->path, strerror(errno));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(store->partial));
  PetscCall(StoreSyncFolder_Private(store, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreFlush - Hand what was written to the operating system: it survives the death of this process, not of the machine.

  Not collective. Complaint: EXIT_IO
*/
PetscErrorCode StoreFlush(Store store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0) PetscCall(StoreComplain_Private("write", store->path, EXIT_IO, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Against the same crash when the disk refuses a ready file: what HDF5 still holds goes to /dev/null, what is on the disk stays. The file
  has its full length by then, so that HDF5 does not try to change that of /dev/null.
*/
static PetscErrorCode StoreAbandon_Private(Store store)
{
  int fd, nowhere = open("/dev/null", O_RDWR);

  PetscFunctionBeginUser;
  PetscCall(StoreGetHandle_Private(store, &fd));
  PetscCheck(nowhere >= 0 && dup2(nowhere, fd) >= 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot open /dev/null");
  (void)close(nowhere);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StoreClose - Flush to the device and close. A file that never became ready is removed.

  Not collective. Closes and frees even if the complaint is set: after an EXIT_IO, what was not flushed yet is dropped. NULL is left alone.
  Complaint: EXIT_IO
*/
PetscErrorCode StoreClose(Store *store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!*store) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*store)->write && !(*store)->partial && !complaint->exit_code) PetscCall(StoreSync_Private(*store, complaint));
  if ((*store)->write && !(*store)->partial && complaint->exit_code == EXIT_IO) PetscCall(StoreAbandon_Private(*store));
  PetscCall(StoreCloseArrays_Private(*store, complaint));
  if (H5Fclose((*store)->file) < 0) PetscCall(StoreComplain_Private("close", (*store)->path, EXIT_IO, complaint));
  if ((*store)->partial) (void)unlink((*store)->partial);
  PetscCall(StoreFree_Private(store));
  PetscFunctionReturn(PETSC_SUCCESS);
}
