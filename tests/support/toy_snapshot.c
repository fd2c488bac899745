/*
  toy_snapshot.c - slots in a file, and the callbacks of a checkpoint for it.
*/
#define _DEFAULT_SOURCE

#include "support/toy_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

typedef struct {
  char     magic[8];
  int64_t  generation, next;
  uint32_t zero, crc;
} ToyHead;

typedef struct {
  int64_t  number, value; /* number: of the record, plus 1; 0: empty */
  uint32_t slot, crc;
} ToySlot;

#define CRC(x) ((uint32_t)crc32(crc32(0L, Z_NULL, 0), (const Bytef *)(x), sizeof *(x) - sizeof(uint32_t)))

PetscInt64 ToyValue(PetscInt64 i)
{
  return 1000003 * i + 7;
}

/* In two halves. */
static PetscBool Put_Private(int fd, const void *bytes, size_t n, off_t at)
{
  const size_t half = n / 2;

  errno = ENOSPC; /* of a short write */
  if (pwrite(fd, bytes, half, at) != (ssize_t)half) return PETSC_FALSE;
  return pwrite(fd, (const char *)bytes + half, n - half, at + (off_t)half) == (ssize_t)(n - half) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool PutHead_Private(int fd, const CheckpointMark *mark)
{
  ToyHead head = {"GRAZETOY", mark->generation, mark->next, 0, 0};

  head.crc = CRC(&head);
  return Put_Private(fd, &head, sizeof head, 0);
}

static PetscBool PutSlot_Private(int fd, PetscInt64 i, PetscInt64 number, PetscInt64 value)
{
  ToySlot slot = {number, value, (uint32_t)i, 0};

  slot.crc = CRC(&slot);
  return Put_Private(fd, &slot, sizeof slot, (off_t)(sizeof(ToyHead) + (size_t)i * sizeof slot));
}

void ToyMakeFile(const char *path, PetscInt slots)
{
  const CheckpointMark mark = {0, 0};
  const int            fd   = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

  if (fd < 0 || !PutHead_Private(fd, &mark)) abort();
  for (PetscInt i = 0; i < slots; i++)
    if (!PutSlot_Private(fd, i, 0, 0)) abort();
  (void)close(fd);
}

/* filled: right values from slot 0 on; -1 with a value that is not, or after an empty slot. */
static PetscBool Read_Private(const char *path, CheckpointMark *mark, PetscInt *filled)
{
  FILE     *file = fopen(path, "rb");
  ToyHead   head;
  ToySlot   slot;
  PetscBool whole, empty = PETSC_FALSE;
  uint32_t  i = 0;
  size_t    n;

  *filled = 0;
  if (!file) return PETSC_FALSE;
  n     = fread(&head, 1, sizeof head, file);
  whole = n == sizeof head && !memcmp(head.magic, "GRAZETOY", 8) && head.crc == CRC(&head) ? PETSC_TRUE : PETSC_FALSE;
  *mark = (CheckpointMark){head.generation, head.next};
  for (; whole && (n = fread(&slot, 1, sizeof slot, file)); i++) {
    whole = n == sizeof slot && slot.crc == CRC(&slot) && slot.slot == i ? PETSC_TRUE : PETSC_FALSE;
    if (slot.number && (empty || slot.value != ToyValue(i) || slot.number > head.next)) *filled = -1;
    if (slot.number && *filled >= 0) ++*filled;
    if (!slot.number) empty = PETSC_TRUE;
  }
  (void)fclose(file);
  return whole;
}

PetscInt ToyCount(const char *path)
{
  CheckpointMark mark;
  PetscInt       filled;

  return Read_Private(path, &mark, &filled) ? filled : -1;
}

static PetscErrorCode Check_Private(void *ctx, const char *path, CheckpointMark *mark, Complaint *complaint)
{
  PetscInt filled;

  ((Toy *)ctx)->checks++;
  if (!Read_Private(path, mark, &filled)) ComplaintSet(complaint, EXIT_FILES, "%.500s is damaged", path);
  return PETSC_SUCCESS;
}

static PetscErrorCode Begin_Private(void *ctx, const char *path, Complaint *complaint)
{
  Toy *toy = (Toy *)ctx;

  toy->files++;
  toy->fd = open(path, O_RDWR);
  if (toy->fd < 0) ComplaintSet(complaint, EXIT_IO, "cannot open %.500s: %s", path, strerror(errno));
  return PETSC_SUCCESS;
}

static PetscErrorCode Record_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Toy    *toy = (Toy *)ctx;
  int64_t value;

  toy->written++;
  if (record->kind != TOY_VALUE) return PETSC_SUCCESS;
  memcpy(&value, bytes, sizeof value);
  if (!PutSlot_Private(toy->fd, record->unit, record->number + 1, value))
    ComplaintSet(complaint, EXIT_IO, "cannot write slot %d: %s", (int)record->unit, strerror(errno));
  return PETSC_SUCCESS;
}

static PetscErrorCode End_Private(void *ctx, const CheckpointMark *mark, Complaint *complaint)
{
  Toy                  *toy  = (Toy *)ctx;
  const struct timespec time = {(time_t)toy->slow, (long)(1e9 * (toy->slow - (PetscReal)(time_t)toy->slow))};

  (void)nanosleep(&time, NULL);
  if (!complaint->exit_code && !PutHead_Private(toy->fd, mark))
    ComplaintSet(complaint, EXIT_IO, "cannot write the mark: %s", strerror(errno));
  if (toy->fd >= 0) (void)close(toy->fd);
  toy->fd = -1;
  return PETSC_SUCCESS;
}

static PetscErrorCode Replay_Private(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  Toy *toy = (Toy *)ctx;

  (void)bytes;
  (void)complaint;
  if (toy->replayed && record->number <= toy->last_replayed) toy->wrong = PETSC_TRUE;
  toy->last_replayed = record->number;
  toy->replayed++;
  return PETSC_SUCCESS;
}

static PetscErrorCode Begun_Private(void *ctx, Checkpoint checkpoint, Complaint *complaint)
{
  for (PetscInt i = 0; i < ((Toy *)ctx)->under_way; i++) (void)ToyAppend(checkpoint, -1, complaint);
  return PETSC_SUCCESS;
}

const CheckpointCallbacks toy_callbacks = {Check_Private, Begin_Private, Record_Private, End_Private, Replay_Private, Begun_Private};

/* The length differs from one to the next. */
PetscBool ToyAppend(Checkpoint checkpoint, PetscInt64 i, Complaint *complaint)
{
  const int64_t value     = ToyValue(i);
  char          bytes[64] = {0};
  JournalRecord record    = {.kind = i < 0 ? TOY_UNDER_WAY : TOY_VALUE, .rank = 1, .unit = i, .nbytes = i < 0 ? 0 : 8 + i % 5 * 3};

  memcpy(bytes, &value, sizeof value);
  if (CheckpointAppend(checkpoint, &record, bytes, complaint)) abort();
  return complaint->exit_code ? PETSC_FALSE : PETSC_TRUE;
}
