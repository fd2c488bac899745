/*
  journal.c - records appended to a file, each with its checksum, and read back up to the first that is not whole.

  Invariants
  * A file under the name of a journal has a whole header: it is written and synced under a temporary name and then renamed. So a
    kill or a full disk while a journal begins neither hides nor damages one of that name, and no header is ever half there.
  * A record is written at the end of the last whole one, whatever lies there: what an append that failed has left is cut off, and is
    written over should the cut fail too. A full disk costs the record that did not fit and none after it.
  * Nothing is written before that end: a torn record can only be the last.

  Numbers are stored as this machine has them; a journal of another byte order has another mark and counts as not ours.
*/
#define _POSIX_C_SOURCE 200809L

#include "graze/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "durable.h"
#include "graze/fault.h"

#define JOURNAL_MAGIC   "GRAZEJNL"
#define JOURNAL_VERSION 1
#define JOURNAL_ORDER   0x01020304
#define JOURNAL_LONGEST (1 << 30)    /* bytes of a payload, or of the identity: crc32 takes 32-bit lengths */
#define JOURNAL_CHUNK   (256 * 1024) /* bytes read at once */

/* Both without holes: every byte is checksummed, but for the checksum. */
typedef struct {
  char     magic[8];
  uint32_t version, order;
  int64_t  generation, first;
  uint32_t identity_length;
  uint32_t crc; /* of all before it, then of the identity, which follows */
} JournalHeader;

typedef struct {
  uint32_t crc; /* of all after it, payload included */
  int32_t  kind, rank, zero;
  int64_t  number;
  double   time;
  int64_t  unit, step, value, nbytes;
} JournalHead;

#define BEGIN_BYTES (1 << 20) /* sent on their way at a time, so that a sync finds little to wait for */

#define CRC_BEGIN     crc32(0L, Z_NULL, 0)
#define HEADER_BEFORE offsetof(JournalHeader, crc)
#define HEAD_AFTER    offsetof(JournalHead, kind)

typedef PetscErrorCode (*JournalVisit)(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint);

struct _p_Journal {
  /* parameters */
  char *path;
  /* work */
  char  *record; /* head and payload, to go in one write */
  size_t room;   /* of it */
  /* status */
  int        fd;
  PetscInt64 next;  /* number of the next record */
  off_t      whole; /* bytes of header and whole records */
  off_t      begun; /* of these, on their way to the device */
  PetscBool  dirty; /* appended since the last sync */
};

static uint32_t HeaderChecksum_Private(const JournalHeader *header, const char *identity)
{
  const uLong crc = crc32(CRC_BEGIN, (const Bytef *)header, HEADER_BEFORE);

  return (uint32_t)crc32(crc, (const Bytef *)identity, header->identity_length);
}

static PetscErrorCode Free_Private(Journal *journal)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree((*journal)->path));
  PetscCall(PetscFree((*journal)->record));
  PetscCall(PetscFree(*journal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  JournalCreate - Begin a journal; one of that name is replaced once the new one is there.

  Not collective: root.
  Input:   path;  generation - of the snapshot it follows;  first - number of its first record;  identity - text that says whose it is
  Output:  journal - open to append; NULL after a complaint
  Complaint: EXIT_IO if it cannot be written: the file that had the name is still there
  Cost:    two fsync
*/
PetscErrorCode JournalCreate(const char *path, PetscInt64 generation, PetscInt64 first, const char *identity, Journal *journal,
                             Complaint *complaint)
{
  JournalHeader header = {.version = JOURNAL_VERSION, .order = JOURNAL_ORDER, .generation = generation, .first = first};
  const size_t  length = strlen(identity);
  char          partial[PETSC_MAX_PATH_LEN];
  int           fd;
  Journal       j;

  PetscFunctionBeginUser;
  *journal = NULL;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(first >= 0 && length <= JOURNAL_LONGEST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "first record %lld, identity of %zu bytes",
             (long long)first, length);
  if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(ENAMETOOLONG));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  memcpy(header.magic, JOURNAL_MAGIC, sizeof header.magic);
  header.identity_length = (uint32_t)length;
  header.crc             = HeaderChecksum_Private(&header, identity);
  fd = open(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || !DurableWriteAt(fd, &header, sizeof header, 0) || !DurableWriteAt(fd, identity, length, sizeof header) || fsync(fd) ||
      rename(partial, path) || !DurableNames(path)) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    if (fd >= 0) {
      (void)close(fd);
      (void)unlink(partial);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscNew(&j));
  PetscCall(PetscStrallocpy(path, &j->path));
  j->fd    = fd;
  j->next  = first;
  j->whole = (off_t)(sizeof header + length);
  *journal = j;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  JournalAppend - One record more, to the operating system: it survives this process.

  Not collective: root.
  Input:   record - all but number and time;  bytes - shape [record->nbytes], NULL if that is 0
  Output:  record - number and time [Unix, s] filled in
  Complaint: EXIT_IO if it cannot be written: the journal is as it was before
  Cost:    one copy, one checksum, one write
*/
PetscErrorCode JournalAppend(Journal journal, JournalRecord *record, const void *bytes, Complaint *complaint)
{
  const size_t    nbytes = (size_t)record->nbytes, n = sizeof(JournalHead) + nbytes;
  JournalHead     head;
  struct timespec now;
  PetscBool       written = PETSC_TRUE;
  size_t          done    = 0; /* bytes */
  int             cut;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(record->nbytes >= 0 && record->nbytes <= JOURNAL_LONGEST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "record of %lld bytes",
             (long long)record->nbytes);
  if (journal->room < n) {
    PetscCall(PetscFree(journal->record));
    PetscCall(PetscMalloc1(2 * n, &journal->record));
    journal->room = 2 * n;
  }
  (void)clock_gettime(CLOCK_REALTIME, &now);
  record->number = journal->next;
  record->time   = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  head           = (JournalHead){.kind   = record->kind,
                                 .rank   = record->rank,
                                 .number = record->number,
                                 .time   = record->time,
                                 .unit   = record->unit,
                                 .step   = record->step,
                                 .value  = record->value,
                                 .nbytes = record->nbytes};
  memcpy(journal->record, &head, sizeof head);
  if (nbytes) memcpy(journal->record + sizeof head, bytes, nbytes);
  head.crc = (uint32_t)crc32(CRC_BEGIN, (const Bytef *)journal->record + HEAD_AFTER, (uInt)(n - HEAD_AFTER));
  memcpy(journal->record, &head.crc, sizeof head.crc);

  /* A test that waits here finds a torn record in the file. */
  if (FaultIsSet("journal_write")) {
    done    = sizeof head / 2;
    written = DurableWriteAt(journal->fd, journal->record, done, journal->whole);
    PetscCall(FaultPoint("journal_write"));
  }
  if (written) written = DurableWriteAt(journal->fd, journal->record + done, n - done, journal->whole + (off_t)done);
  if (!written) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", journal->path, strerror(errno));
    cut = ftruncate(journal->fd, journal->whole);
    (void)cut; /* where that fails the next record goes over it */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  journal->whole += (off_t)n;
  journal->next++;
  journal->dirty = PETSC_TRUE;
  if (journal->whole - journal->begun >= BEGIN_BYTES) {
    DurableBegin(journal->fd, journal->begun, journal->whole - journal->begun);
    journal->begun = journal->whole;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  JournalSync - What was appended, to the device: it survives this machine.

  Not collective: root.
  Complaint: EXIT_IO
  Cost:      one fsync; nothing if nothing was appended since the last
*/
PetscErrorCode JournalSync(Journal journal, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!journal->dirty || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (fsync(journal->fd)) ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", journal->path, strerror(errno));
  else journal->dirty = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  JournalClose - Sync and close. May be called with NULL, or a complaint set: then it closes alone.

  Not collective: root.
  Complaint: EXIT_IO
*/
PetscErrorCode JournalClose(Journal *journal, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!*journal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(JournalSync(*journal, complaint));
  if (close((*journal)->fd) && errno != EINTR)
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", (*journal)->path, strerror(errno));
  PetscCall(Free_Private(journal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the header and leaves `file` behind it. false: not a journal, damaged, or of another identity. */
static PetscErrorCode ReadHeader_Private(FILE *file, const char *identity, off_t size, JournalHeader *header, PetscBool *good)
{
  char *text;

  PetscFunctionBeginUser;
  *good = PETSC_FALSE;
  if (fread(header, sizeof *header, 1, file) != 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (memcmp(header->magic, JOURNAL_MAGIC, sizeof header->magic)) PetscFunctionReturn(PETSC_SUCCESS);
  if (header->version != JOURNAL_VERSION || header->order != JOURNAL_ORDER) PetscFunctionReturn(PETSC_SUCCESS);
  if ((identity && header->identity_length != strlen(identity)) || (off_t)sizeof *header + header->identity_length > size)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)header->identity_length + 1, &text));
  if (fread(text, 1, header->identity_length, file) == header->identity_length && HeaderChecksum_Private(header, text) == header->crc)
    *good = identity && memcmp(text, identity, header->identity_length) ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next record, if it is whole and the number `next`; *bytes is enlarged as needed. */
static PetscErrorCode ReadRecord_Private(FILE *file, off_t left, PetscInt64 next, JournalHead *head, char **bytes, size_t *room,
                                         PetscBool *good)
{
  uLong crc;

  PetscFunctionBeginUser;
  *good = PETSC_FALSE;
  if (left < (off_t)sizeof *head || fread(head, sizeof *head, 1, file) != 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (head->number != next || head->nbytes < 0 || head->nbytes > JOURNAL_LONGEST) PetscFunctionReturn(PETSC_SUCCESS);
  if (head->nbytes > left - (off_t)sizeof *head) PetscFunctionReturn(PETSC_SUCCESS);
  if (*room < (size_t)head->nbytes) {
    PetscCall(PetscFree(*bytes));
    PetscCall(PetscMalloc1((size_t)head->nbytes, bytes));
    *room = (size_t)head->nbytes;
  }
  if (head->nbytes && fread(*bytes, (size_t)head->nbytes, 1, file) != 1) PetscFunctionReturn(PETSC_SUCCESS);
  crc = crc32(CRC_BEGIN, (const Bytef *)head + HEAD_AFTER, sizeof *head - HEAD_AFTER);
  if (head->nbytes) crc = crc32(crc, (const Bytef *)*bytes, (uInt)head->nbytes);
  *good = (uint32_t)crc == head->crc ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadRecords_Private(FILE *file, off_t size, JournalVisit visit, void *ctx, JournalExtent *extent,
                                          Complaint *complaint)
{
  char  *bytes = NULL;
  size_t room  = 0;

  PetscFunctionBeginUser;
  for (;;) {
    JournalHead   head;
    JournalRecord record;
    PetscBool     good;

    PetscCall(ReadRecord_Private(file, size - (off_t)extent->whole, extent->next, &head, &bytes, &room, &good));
    if (!good) break;
    record = (JournalRecord){head.number, head.time, head.kind, head.rank, head.unit, head.step, head.value, head.nbytes};
    if (visit) PetscCall(visit(ctx, &record, head.nbytes ? bytes : NULL, complaint));
    if (complaint->exit_code) break;
    extent->next++;
    extent->whole += (PetscInt64)sizeof head + head.nbytes;
  }
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  JournalRead - Every whole record in order, and where they end.

  Not collective: root.
  Input:   path;  identity - as it was created with, NULL: whosever it is;  visit, ctx - called for each record, bytes NULL if it has none; NULL: only look
  Output:  extent - next = -1: no journal of this identity (whole is 0 then, torn the size of the file)
  Complaint: EXIT_FILES if the file cannot be read; what visit complains of, which ends the reading
  Cost:    the file is read once in order; memory: one record
*/
PetscErrorCode JournalRead(const char *path, const char *identity, JournalVisit visit, void *ctx, JournalExtent *extent,
                           Complaint *complaint)
{
  JournalHeader header;
  struct stat   about;
  FILE         *file;
  PetscBool     good;

  PetscFunctionBeginUser;
  *extent = (JournalExtent){.generation = -1, .first = -1, .next = -1};
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &about)) {
    ComplaintSet(complaint, EXIT_FILES, "cannot read %.500s: %s", path, strerror(errno));
    if (file) (void)fclose(file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)setvbuf(file, NULL, _IOFBF, JOURNAL_CHUNK);
  PetscCall(ReadHeader_Private(file, identity, about.st_size, &header, &good));
  if (good) {
    *extent = (JournalExtent){header.generation, header.first, header.first, (PetscInt64)sizeof header + header.identity_length, 0};
    PetscCall(ReadRecords_Private(file, about.st_size, visit, ctx, extent, complaint));
  }
  extent->torn = (PetscInt64)about.st_size - extent->whole;
  if (ferror(file)) ComplaintSet(complaint, EXIT_FILES, "cannot read %.500s: %s", path, strerror(errno));
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}
