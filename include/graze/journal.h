/*
  journal.h - an append-only file of checksummed records; what was appended survives the death of the process, what was synced that of the
  machine.

  Layout: a header (magic, version, byte order, number of the snapshot it follows, number of its first record, text that
  identifies the run; checksummed), then records, each a fixed head and nbytes of payload under one CRC-32 (zlib) that covers both. Records
  are numbered one after the other through the whole life of a run. Root only.
*/
#ifndef GRAZE_JOURNAL_H
#define GRAZE_JOURNAL_H

#include "graze/complaint.h"

typedef struct _p_Journal *Journal;

typedef struct {
  PetscInt64 number;
  double     time; /* Unix time [s] */
  int32_t    kind; /* of the user */
  int32_t    rank;
  PetscInt64 unit, step;
  PetscInt64 value; /* of the user: a count, a flag */
  PetscInt64 nbytes;
} JournalRecord;

typedef struct {
  PetscInt64 generation;       /* of the snapshot that the journal follows */
  PetscInt64 first, next;      /* numbers: of the first record, of the one after the last whole record */
  PetscInt64 whole, torn;      /* bytes: of header and whole records; after them */
} JournalExtent;

/* A new file; one of that name is replaced. Header written and synced. */
PetscErrorCode JournalCreate(const char *path, PetscInt64 generation, PetscInt64 first, const char *identity, Journal *journal,
                             Complaint *complaint);
/* record->number and ->time are filled in. One write to the operating system. */
PetscErrorCode JournalAppend(Journal journal, JournalRecord *record, const void *bytes, Complaint *complaint);
/* To the device, if anything was appended since. */
PetscErrorCode JournalSync(Journal journal, Complaint *complaint);
PetscErrorCode JournalClose(Journal *journal, Complaint *complaint); /* sync and close */

/*
  Every whole record in order to `visit` (NULL: none); the first that is torn or damaged ends the journal, and `extent` says where. A file
  without a valid header, or with another identity (NULL: any will do): extent->next = -1, no complaint. EXIT_FILES if it cannot be read. Memory: one record.
*/
typedef PetscErrorCode (*JournalVisit)(void *ctx, const JournalRecord *record, const void *bytes, Complaint *complaint);
PetscErrorCode JournalRead(const char *path, const char *identity, JournalVisit visit, void *ctx, JournalExtent *extent,
                           Complaint *complaint);

#endif
