/*
  Journal: what is read back is what was appended, up to the first byte that is not; a disk that fills costs the record that did not fit.

  Every length of a file and every bit of it is tried: the file is small, and nothing about it is left to luck.
*/
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "graze/journal.h"
#include "support/other_process.h"

#define GOOD(call) assert_int_equal((int)(call), 0)
#define RECORDS    5
#define FIRST      41 /* number of the first record */
#define ROOM       4096
#define HEADER     40 /* bytes before the identity */
#define HEAD       64 /* of a record before its payload */

static const char     identity[]        = "beta=1";
static const PetscInt lengths[RECORDS] = {0, 1, 100, 7, 16}; /* of the payloads */

static char folder[64], path[128], other[128];

static unsigned char PayloadByte(PetscInt record, PetscInt i)
{
  return (unsigned char)(31 * record + 7 * i + 1);
}

static void Append(Journal journal, PetscInt i, Complaint *c)
{
  JournalRecord record = {.kind = (int32_t)(i + 1), .rank = 3, .unit = 10 * i, .step = i, .value = -i, .nbytes = lengths[i]};
  unsigned char bytes[128];

  for (PetscInt k = 0; k < lengths[i]; k++) bytes[k] = PayloadByte(i, k);
  GOOD(JournalAppend(journal, &record, bytes, c));
  if (c->exit_code) return;
  assert_int_equal(record.number, FIRST + i);
  assert_true(fabs(record.time - (double)time(NULL)) < 60); /* s: the clock of this machine, and a test that may be held up */
}

static Journal Begin(const char *file)
{
  Complaint c = {0};
  Journal   journal;

  GOOD(JournalCreate(file, 6, FIRST, identity, &journal, &c));
  assert_int_equal(c.exit_code, 0);
  return journal;
}

/* The five records; returns the bytes of the file. ends: of the header, and of each record */
static size_t Write(unsigned char *bytes, size_t *ends)
{
  Complaint c       = {0};
  Journal   journal = Begin(path);
  FILE     *file;
  size_t    n;

  ends[0] = HEADER + strlen(identity);
  for (PetscInt i = 0; i < RECORDS; i++) {
    Append(journal, i, &c);
    ends[i + 1] = ends[i] + HEAD + (size_t)lengths[i];
  }
  GOOD(JournalClose(&journal, &c));
  assert_int_equal(c.exit_code, 0);
  assert_null(journal);
  file = fopen(path, "rb");
  assert_non_null(file);
  n = fread(bytes, 1, ROOM, file);
  (void)fclose(file);
  assert_int_equal(n, ends[RECORDS]);
  return n;
}

static void Put(const unsigned char *bytes, size_t n)
{
  FILE *file = fopen(other, "wb");

  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  (void)fclose(file);
}

/* Counts records, each as it was appended. */
static PetscErrorCode Visit(void *ctx, const JournalRecord *r, const void *bytes, Complaint *c)
{
  PetscInt *n = (PetscInt *)ctx, i = *n;

  (void)c;
  assert_true(i < RECORDS);
  assert_int_equal(r->number, FIRST + i);
  assert_int_equal(r->kind, i + 1);
  assert_int_equal(r->rank, 3);
  assert_int_equal(r->unit, 10 * i);
  assert_int_equal(r->step, i);
  assert_int_equal(r->value, -i);
  assert_int_equal(r->nbytes, lengths[i]);
  for (PetscInt k = 0; k < lengths[i]; k++) assert_int_equal(((const unsigned char *)bytes)[k], PayloadByte(i, k));
  ++*n;
  return PETSC_SUCCESS;
}

/* Records found, all right; -1: not ours. */
static PetscInt Read(const char *file, const char *whose, JournalExtent *extent)
{
  Complaint c = {0};
  PetscInt  n = 0;

  GOOD(JournalRead(file, whose, Visit, &n, extent, &c));
  assert_int_equal(c.exit_code, 0);
  if (extent->next < 0) {
    assert_int_equal(n, 0);
    return -1;
  }
  assert_int_equal(extent->first, FIRST);
  assert_int_equal(extent->next, FIRST + n);
  assert_int_equal(extent->generation, 6);
  return n;
}

/* Whole records stay whatever follows them; where they end is said to the byte. Shorter than its header it is no journal. */
static void test_torn_at_every_byte(void **state)
{
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1], n = Write(bytes, ends);

  (void)state;
  for (size_t length = 0; length <= n; length++) {
    JournalExtent extent;
    PetscInt      whole = -1;

    while (whole < RECORDS && ends[whole + 1] <= length) whole++;
    Put(bytes, length);
    assert_int_equal(Read(other, identity, &extent), whole);
    assert_int_equal(extent.whole, whole < 0 ? 0 : ends[whole]);
    assert_int_equal(extent.whole + extent.torn, length);
    assert_int_equal(Read(other, NULL, &extent), whole);
  }
}

/* One bit of the header: no journal. One of a record: the journal ends before it. */
static void test_every_flipped_bit_is_found(void **state)
{
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1], n = Write(bytes, ends);

  (void)state;
  for (size_t bit = 0; bit < 8 * n; bit++) {
    JournalExtent extent;
    PetscInt      before = -1;

    while (ends[before + 1] <= bit / 8) before++;
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    Put(bytes, n);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    assert_int_equal(Read(other, identity, &extent), before);
    assert_int_equal(extent.whole + extent.torn, n);
    assert_int_equal(Read(other, NULL, &extent), before);
  }
}

/* Checksums made right again, as the layout in journal.c has them: of a header, and of a record whose payload does not count. */
static void SealHeader(unsigned char *header)
{
  const uLong    begin = crc32(crc32(0L, Z_NULL, 0), header, HEADER - 4);
  const uint32_t crc   = (uint32_t)crc32(begin, header + HEADER, (uInt)strlen(identity));

  memcpy(header + HEADER - 4, &crc, sizeof crc);
}

static void SealHead(unsigned char *head)
{
  const uint32_t crc = (uint32_t)crc32(crc32(0L, Z_NULL, 0), head + 4, HEAD - 4);

  memcpy(head, &crc, sizeof crc);
}

/* Whole by its checksum, and still not to be used: another byte order, a length that cannot be, a number that does not follow. */
static void test_what_cannot_be_is_refused(void **state)
{
  const int64_t absurd[] = {-1, INT64_MIN, INT64_MAX, 1LL << 31, 1};
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1], n = Write(bytes, ends);
  JournalExtent extent;

  (void)state;
  SealHeader(bytes);
  Put(bytes, n);
  assert_int_equal(Read(other, identity, &extent), RECORDS); /* the seal is right */
  for (int i = 0; i < 2; i++) { /* the other byte order, whichever this machine has */
    const unsigned char byte = bytes[12 + i];

    bytes[12 + i] = bytes[15 - i];
    bytes[15 - i] = byte;
  }
  SealHeader(bytes);
  Put(bytes, n);
  assert_int_equal(Read(other, identity, &extent), -1);

  n = Write(bytes, ends);
  for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) { /* the last record says that, and its head alone has the right sum */
    memcpy(bytes + ends[4] + 56, &absurd[i], sizeof absurd[i]);
    SealHead(bytes + ends[4]);
    Put(bytes, n);
    assert_int_equal(Read(other, identity, &extent), 4);
    assert_int_equal(extent.whole, ends[4]);
  }

  n = Write(bytes, ends);
  memmove(bytes + ends[2], bytes + ends[3], n - ends[3]); /* the third is away */
  Put(bytes, n - (ends[3] - ends[2]));
  assert_int_equal(Read(other, identity, &extent), 2);
}

static void test_identity_decides(void **state)
{
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1];
  JournalExtent extent;
  Complaint     c = {0};
  PetscInt      n = 0;

  (void)state;
  (void)Write(bytes, ends);
  assert_int_equal(Read(path, identity, &extent), RECORDS);
  assert_int_equal(Read(path, "beta=2", &extent), -1);
  assert_int_equal(Read(path, "beta=", &extent), -1);
  assert_int_equal(Read(path, "beta=12", &extent), -1);
  GOOD(JournalRead("/nowhere/at/all", identity, Visit, &n, &extent, &c));
  assert_int_equal(c.exit_code, EXIT_FILES);
  assert_non_null(strstr(c.line, "cannot read /nowhere/at/all: No such file"));
}

static void Limit(rlim_t bytes)
{
  struct rlimit limit;

  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void AppendIntoFull(Journal journal, PetscInt i, rlim_t limit)
{
  Complaint c = {0};

  Limit(limit);
  Append(journal, i, &c);
  Limit(RLIM_INFINITY);
  assert_int_equal(c.exit_code, EXIT_IO);
  assert_non_null(strstr(c.line, "cannot write "));
  assert_non_null(strstr(c.line, strerror(EFBIG)));
}

/* No room for the third record, wherever the disk ends: a complaint, and with room the journal is as if nothing had been. */
static void test_full_disk_costs_one_record(void **state)
{
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1];
  JournalExtent extent;

  (void)state;
  (void)Write(bytes, ends);
  for (size_t limit = ends[2]; limit < ends[3]; limit++) {
    Complaint   c       = {0};
    Journal     journal = Begin(path);
    struct stat about;

    Append(journal, 0, &c);
    Append(journal, 1, &c);
    AppendIntoFull(journal, 2, limit);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, ends[2]);
    for (PetscInt i = 2; i < RECORDS; i++) Append(journal, i, &c);
    GOOD(JournalClose(&journal, &c));
    assert_int_equal(c.exit_code, 0);
    assert_int_equal(Read(path, identity, &extent), RECORDS);
    assert_int_equal(extent.torn, 0);
  }
}

/* A system that does not even cut the file back: the next record goes over what lies there. */
static void FullAndUncut(void *ctx)
{
  static const int calls[] = {SYS_ftruncate};
  Complaint        c = {0}, full = {0};
  Journal          journal;
  JournalExtent    extent;
  struct rlimit    limit;
  JournalRecord    longer = {.kind = 1, .nbytes = 1000}, shorter = {.kind = 2, .nbytes = 1};
  char             bytes[1000] = {0};

  (void)ctx;
  CHILD(RefuseCalls(1, calls, EPERM));
  CHILD(!JournalCreate(path, 6, FIRST, identity, &journal, &c) && !c.exit_code);
  CHILD(!getrlimit(RLIMIT_FSIZE, &limit));
  limit.rlim_cur = 900;
  CHILD(!setrlimit(RLIMIT_FSIZE, &limit));
  CHILD(!JournalAppend(journal, &longer, bytes, &full) && full.exit_code == EXIT_IO);
  CHILD(!JournalAppend(journal, &shorter, bytes, &c) && !c.exit_code);
  CHILD(!JournalAppend(journal, &shorter, bytes, &c) && !c.exit_code);
  CHILD(!JournalRead(path, identity, NULL, NULL, &extent, &c) && !c.exit_code);
  CHILD(extent.next == FIRST + 2 && extent.torn > 0);
}

static void test_uncut_rest_is_written_over(void **state)
{
  (void)state;
  assert_int_equal(OtherProcessEnd(OtherProcess(FullAndUncut, NULL)), 0);
}

/* A new journal that does not fit on the disk leaves the old one of that name, and nothing else. */
static void test_full_disk_keeps_the_old_journal(void **state)
{
  unsigned char bytes[ROOM];
  size_t        ends[RECORDS + 1];
  JournalExtent extent;

  (void)state;
  (void)Write(bytes, ends);
  for (rlim_t limit = 0; limit < ends[0]; limit++) {
    Complaint   c = {0};
    Journal     journal;
    char        partial[160];
    struct stat about;

    Limit(limit);
    GOOD(JournalCreate(path, 7, FIRST, identity, &journal, &c));
    Limit(RLIM_INFINITY);
    assert_null(journal);
    assert_int_equal(c.exit_code, EXIT_IO);
    assert_int_equal(Read(path, identity, &extent), RECORDS);
    (void)snprintf(partial, sizeof partial, "%s.partial", path);
    assert_int_equal(stat(partial, &about), -1);
  }
}

static void Unsyncable(void *ctx)
{
  static const int calls[] = {SYS_fsync};
  Complaint        c = {0}, bad = {0};
  JournalRecord    record = {.kind = 1};
  Journal          journal;

  (void)ctx;
  CHILD(!JournalCreate(path, 6, FIRST, identity, &journal, &c) && !c.exit_code);
  CHILD(RefuseCalls(1, calls, EIO));
  CHILD(!JournalSync(journal, &c) && !c.exit_code); /* nothing was appended */
  CHILD(!JournalAppend(journal, &record, NULL, &c) && !c.exit_code);
  CHILD(!JournalSync(journal, &bad) && bad.exit_code == EXIT_IO && strstr(bad.line, path));
  CHILD(!JournalClose(&journal, &c) && c.exit_code == EXIT_IO);
}

static void test_sync_reaches_the_device(void **state)
{
  (void)state;
  assert_int_equal(OtherProcessEnd(OtherProcess(Unsyncable, NULL)), 0);
}

/* Writes of this process so far, as the kernel counts them. */
static long Writes(void)
{
  FILE *file  = fopen("/proc/self/io", "r");
  long  count = -1;
  char  line[128];

  assert_non_null(file);
  while (fgets(line, sizeof line, file)) (void)sscanf(line, "syscw: %ld", &count);
  (void)fclose(file);
  return count;
}

static void test_a_record_is_one_write(void **state)
{
  Complaint c       = {0};
  Journal   journal = Begin(path);
  long      before;

  (void)state;
  before = Writes();
  for (PetscInt i = 0; i < RECORDS; i++) Append(journal, i, &c);
  assert_int_equal(Writes() - before, RECORDS);
  GOOD(JournalClose(&journal, &c));
  assert_int_equal(c.exit_code, 0);
}

/* The place for a kill within a record: the fault of the third one waits with half of it in the file. */
static void WriteThree(void *ctx)
{
  Complaint c       = {0};
  Journal   journal = Begin(path);

  (void)ctx;
  (void)setenv("GRAZE_FAULT", "journal_write:sleep=1000@3", 1);
  (void)setenv("GRAZE_FAULT_MARK", other, 1);
  for (PetscInt i = 0; i < 3; i++) Append(journal, i, &c);
}

static void test_fault_tears_a_record(void **state)
{
  JournalExtent extent;

  (void)state;
  (void)unlink(other);
  assert_int_equal(OtherProcessKilledAtMark(WriteThree, NULL, other), 1);
  assert_int_equal(Read(path, identity, &extent), 2);
  assert_true(extent.torn > 0 && extent.torn < HEAD);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_torn_at_every_byte),          cmocka_unit_test(test_every_flipped_bit_is_found),
    cmocka_unit_test(test_what_cannot_be_is_refused),   cmocka_unit_test(test_identity_decides),
    cmocka_unit_test(test_full_disk_costs_one_record),  cmocka_unit_test(test_uncut_rest_is_written_over),
    cmocka_unit_test(test_full_disk_keeps_the_old_journal), cmocka_unit_test(test_sync_reaches_the_device),
    cmocka_unit_test(test_a_record_is_one_write),       cmocka_unit_test(test_fault_tears_a_record),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)signal(SIGXFSZ, SIG_IGN);
  (void)snprintf(folder, sizeof folder, "/tmp/graze_journal_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  (void)snprintf(other, sizeof other, "%s/other", folder);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(path);
  (void)unlink(other);
  (void)rmdir(folder);
  return PetscFinalize() ? 1 : failed;
}
