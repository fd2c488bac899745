/*
  toy_session.c - folder, session and log of the tests of the checkpoint.
*/
#define _DEFAULT_SOURCE

#include "support/toy_session.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graze/log.h"

#define NEVER 1e9 /* s */

static char folder[64];

int ToyFolderMake(void)
{
  (void)snprintf(folder, sizeof folder, "%s/graze_checkpoint_XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
  return mkdtemp(folder) ? 1 : 0;
}

const char *ToyPath(const char *name)
{
  static char paths[8][512];
  static int  next;
  char       *path = paths[next++ % 8];

  (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* Each name in the folder. */
static PetscInt Walk_Private(PetscBool remove)
{
  DIR           *dir = opendir(folder);
  struct dirent *entry;
  PetscInt       n = 0;

  if (!dir) abort();
  while ((entry = readdir(dir))) {
    if (entry->d_name[0] == '.') continue;
    if (strcmp(entry->d_name, "log.txt")) n++;
    if (remove) (void)unlink(ToyPath(entry->d_name));
  }
  (void)closedir(dir);
  return n;
}

void ToyFolderRemove(void)
{
  (void)Walk_Private(PETSC_TRUE);
  (void)rmdir(folder);
}

void ToyFolderFresh(PetscInt slots)
{
  (void)Walk_Private(PETSC_TRUE);
  ToyMakeFile(ToyPath("toy.h5"), slots);
}

PetscInt ToyFiles(void)
{
  return Walk_Private(PETSC_FALSE);
}

PetscBool ToyHas(const char *name)
{
  return access(ToyPath(name), F_OK) ? PETSC_FALSE : PETSC_TRUE;
}

long ToySize(const char *name)
{
  struct stat about;

  return stat(ToyPath(name), &about) ? -1 : (long)about.st_size;
}

void ToyFlip(const char *name, long at, int bit)
{
  const int     fd = open(ToyPath(name), O_RDWR);
  unsigned char byte;

  if (fd < 0 || pread(fd, &byte, 1, at) != 1) abort();
  byte ^= (unsigned char)(1 << bit);
  if (pwrite(fd, &byte, 1, at) != 1) abort();
  (void)close(fd);
}

void ToyBegin(ToySession *session)
{
  memset(session, 0, sizeof *session);
  session->toy.fd            = -1;
  session->toy.last_replayed = -1;
  if (CheckpointCreate(folder, "toy", "toy", &session->checkpoint)) abort();
  if (CheckpointSetCallbacks(session->checkpoint, &toy_callbacks, &session->toy)) abort();
  if (CheckpointSetIntervals(session->checkpoint, NEVER, NEVER)) abort();
  if (CheckpointRecover(session->checkpoint, &session->complaint)) abort();
}

void ToyEnd(ToySession *session)
{
  if (CheckpointDestroy(&session->checkpoint)) abort();
}

PetscBool ToyFill(ToySession *session, PetscInt first, PetscInt next)
{
  for (PetscInt i = first; i < next; i++)
    if (!ToyAppend(session->checkpoint, i, &session->complaint)) return PETSC_FALSE;
  return PETSC_TRUE;
}

void ToyListen(void)
{
  Complaint complaint = {0};

  (void)unlink(ToyPath("log.txt"));
  if (LogSetUp(PETSC_COMM_SELF, PETSC_TRUE) || LogOpen(ToyPath("log.txt"), &complaint) || complaint.exit_code) abort();
}

PetscInt ToyHeard(size_t size, char *text)
{
  PetscInt warnings;
  FILE    *file;
  size_t   n;

  if (LogClose(&warnings)) abort();
  file = fopen(ToyPath("log.txt"), "r");
  if (!file) abort();
  n       = fread(text, 1, size - 1, file);
  text[n] = '\0';
  (void)fclose(file);
  return warnings;
}
