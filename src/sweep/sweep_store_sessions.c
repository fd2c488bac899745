/*
  sweep_store_sessions.c - the tables of /provenance: who worked on the result, from when to when, and in which cells ranks died.

  All that differs from run to run is here (and in wall_seconds), so that the rest can be compared bit by bit. The table of sessions has
  SWEEP_SESSIONS rows; when they are used up the last row is written anew.
*/
#include <math.h>
#include <string.h>

#include "sweep_store_impl.h"

#define AT(name) PROVENANCE_GROUP "/" name

typedef struct {
  const char *name, *path, *units, *long_name;
  StoreType   type;
  PetscBool   text; /* shape [session, text], else [session] */
} SessionVariable;

static const SessionVariable session_variables[] = {
  {"session_host", AT("session_host"), NULL, "host of root", STORE_CHAR, PETSC_TRUE},
  {"session_job", AT("session_job"), NULL, "number of the Slurm job; empty: none", STORE_CHAR, PETSC_TRUE},
  {"session_version", AT("session_version"), NULL, "version and commit of the program", STORE_CHAR, PETSC_TRUE},
  {"session_ranks", AT("session_ranks"), "1", "MPI processes", STORE_INT32, PETSC_FALSE},
  {"session_cells", AT("session_cells"), "1", "cells finished", STORE_INT64, PETSC_FALSE},
  {"session_start", AT("session_start"), "s", "Unix time of the start", STORE_REAL, PETSC_FALSE},
  {"session_end", AT("session_end"), "s", "Unix time of the end; of a killed session: of its last record", STORE_REAL, PETSC_FALSE},
  {"session_end_reason", AT("session_end_reason"), NULL, "why it ended", STORE_INT8, PETSC_FALSE},
};

static PetscErrorCode Dimension_Private(SweepStore s, const char *name, PetscInt n, const char *long_name, Complaint *complaint)
{
  int32_t *numbers;
  char     at[64];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n, &numbers));
  for (PetscInt i = 0; i < n; ++i) numbers[i] = (int32_t)i;
  PetscCall(PetscSNPrintf(at, sizeof(at), "%s/%s", PROVENANCE_GROUP, name));
  PetscCall(StoreDefineDimension(s->store, PROVENANCE_GROUP, name, STORE_INT32, n, numbers, complaint));
  PetscCall(StoreAttributeText(s->store, at, "long_name", long_name, complaint));
  PetscCall(StoreAttributeText(s->store, at, "units", "1", complaint));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Reasons_Private(SweepStore s, Complaint *complaint)
{
  char meanings[256] = "";
  char values[SESSION_REASONS];

  PetscFunctionBeginUser;
  for (int i = 0; i < SESSION_REASONS; ++i) {
    values[i] = (char)i;
    if (i) PetscCall(PetscStrlcat(meanings, " ", sizeof(meanings)));
    PetscCall(PetscStrlcat(meanings, SessionReasonNames[i], sizeof(meanings)));
  }
  PetscCall(StoreAttributeNumbers(s->store, AT("session_end_reason"), "flag_values", STORE_INT8, SESSION_REASONS, values, complaint));
  PetscCall(StoreAttributeText(s->store, AT("session_end_reason"), "flag_meanings", meanings, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreDefineSessions_Private(SweepStore s, Complaint *complaint)
{
  const CheckpointMark mark = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(StoreDefineGroup(s->store, PROVENANCE_GROUP, complaint));
  PetscCall(
    Dimension_Private(s, "session", SWEEP_SESSIONS, "session, in the order they began; only the first `sessions` are filled", complaint));
  PetscCall(StoreDefineDimension(s->store, PROVENANCE_GROUP, "text", STORE_INT8, SESSION_TEXT, NULL, complaint));
  PetscCall(Dimension_Private(s, "cell", s->grid.n_cells, "cell, counted along direction, amplitude, frequency", complaint));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(session_variables) && !complaint->exit_code; ++i) {
    const SessionVariable *v = &session_variables[i];

    PetscCall(StoreDefineVariable(s->store, PROVENANCE_GROUP, v->name, v->type, v->text ? 2 : 1, (const char *const[]){"session", "text"},
                                  complaint));
    PetscCall(StoreAttributeText(s->store, v->path, "long_name", v->long_name, complaint));
    if (v->units) PetscCall(StoreAttributeText(s->store, v->path, "units", v->units, complaint));
    if (v->text) PetscCall(StoreAttributeText(s->store, v->path, "_Encoding", "utf-8", complaint));
  }
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Reasons_Private(s, complaint));
  PetscCall(StoreDefineVariable(s->store, PROVENANCE_GROUP, "deaths", STORE_INT8, 1, (const char *const[]){"cell"}, complaint));
  PetscCall(StoreAttributeText(s->store, AT("deaths"), "long_name", "how often a session died, without a word, while this cell was in work",
                               complaint));
  PetscCall(StoreAttributeText(s->store, AT("deaths"), "units", "1", complaint));
  PetscCall(StoreAttributeNumbers(s->store, PROVENANCE_GROUP, "sessions", STORE_INT32, 1, &(int32_t){0}, complaint));
  PetscCall(ProvenanceSetEnd(s->store, NAN, complaint));
  PetscCall(SweepStoreSetMark(s, &mark, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreExpectSessions_Private(SweepStore s, Complaint *complaint)
{
  const PetscInt shape[2] = {SWEEP_SESSIONS, SESSION_TEXT};

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(session_variables); ++i)
    PetscCall(
      StoreExpect(s->store, session_variables[i].path, session_variables[i].type, session_variables[i].text ? 2 : 1, shape, complaint));
  PetscCall(StoreExpect(s->store, AT("deaths"), STORE_INT8, 1, &s->grid.n_cells, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- writing ---- */

static PetscErrorCode WriteText_Private(SweepStore s, const char *path, PetscInt row, const char *text, Complaint *complaint)
{
  const PetscInt start[2] = {row, 0}, count[2] = {1, SESSION_TEXT};
  char           padded[SESSION_TEXT] = {0}; /* NUL to the end, also where the text is longer than it should be */

  PetscFunctionBeginUser;
  for (int i = 0; i < SESSION_TEXT - 1 && text[i]; ++i) padded[i] = text[i];
  PetscCall(StoreWrite(s->store, path, start, count, padded, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteEnd_Private(SweepStore s, PetscInt row, const SessionEnd *end, Complaint *complaint)
{
  const PetscInt    one    = 1;
  const signed char reason = (signed char)(end->reason >= 0 && end->reason < SESSION_REASONS ? end->reason : SESSION_RUNNING);

  PetscFunctionBeginUser;
  PetscCall(StoreWrite(s->store, AT("session_cells"), &row, &one, &end->cells, complaint));
  PetscCall(StoreWrite(s->store, AT("session_end"), &row, &one, &end->end, complaint));
  PetscCall(StoreWrite(s->store, AT("session_end_reason"), &row, &one, &reason, complaint));
  PetscCall(ProvenanceSetEnd(s->store, end->end, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteBegin_Private(SweepStore s, PetscInt row, const SessionBegin *begin, Complaint *complaint)
{
  const PetscInt   one     = 1;
  const SessionEnd running = {.reason = SESSION_RUNNING, .end = NAN};

  PetscFunctionBeginUser;
  PetscCall(WriteText_Private(s, AT("session_host"), row, begin->host, complaint));
  PetscCall(WriteText_Private(s, AT("session_job"), row, begin->job, complaint));
  PetscCall(WriteText_Private(s, AT("session_version"), row, begin->version, complaint));
  PetscCall(StoreWrite(s->store, AT("session_ranks"), &row, &one, &begin->ranks, complaint));
  PetscCall(StoreWrite(s->store, AT("session_start"), &row, &one, &begin->start, complaint));
  PetscCall(WriteEnd_Private(s, row, &running, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreSession_Private(SweepStore s, const JournalRecord *record, const void *bytes, Complaint *complaint)
{
  const PetscBool begins   = (PetscBool)(record->kind == RECORD_SESSION_BEGIN);
  const PetscInt  row      = (PetscInt)PetscMin(record->value, SWEEP_SESSIONS - 1);
  const int32_t   sessions = (int32_t)(record->value + 1);
  SessionBegin    begin;
  SessionEnd      end;

  PetscFunctionBeginUser;
  if (record->value < 0 || record->value >= PETSC_MAX_INT || record->nbytes != (PetscInt64)(begins ? sizeof(begin) : sizeof(end))) {
    ComplaintSet(complaint, EXIT_FILES, "the record of a session does not fit: it was written by another program or version");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (begins) {
    memcpy(&begin, bytes, sizeof(begin));
    PetscCall(WriteBegin_Private(s, row, &begin, complaint));
    PetscCall(StoreAttributeNumbers(s->store, PROVENANCE_GROUP, "sessions", STORE_INT32, 1, &sessions, complaint));
  } else {
    memcpy(&end, bytes, sizeof(end));
    PetscCall(WriteEnd_Private(s, row, &end, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreDeaths_Private(SweepStore s, PetscInt cell, PetscInt64 deaths, Complaint *complaint)
{
  const PetscInt    one   = 1;
  const signed char count = (signed char)PetscMax(0, PetscMin(deaths, 127));

  PetscFunctionBeginUser;
  PetscCall(StoreWrite(s->store, AT("deaths"), &cell, &one, &count, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading ---- */

static PetscErrorCode ReadText_Private(SweepStore s, const char *path, PetscInt row, char *text, Complaint *complaint)
{
  const PetscInt start[2] = {row, 0}, count[2] = {1, SESSION_TEXT};

  PetscFunctionBeginUser;
  PetscCall(StoreRead(s->store, path, start, count, text, complaint));
  text[SESSION_TEXT - 1] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreReadSession - One row of the table, row = 0 .. min(sessions, SWEEP_SESSIONS) - 1. Complaint: EXIT_FILES */
PetscErrorCode SweepStoreReadSession(SweepStore s, PetscInt row, SessionBegin *begin, SessionEnd *end, Complaint *complaint)
{
  const PetscInt one    = 1;
  signed char    reason = SESSION_RUNNING;

  PetscFunctionBeginUser;
  *begin = (SessionBegin){.start = NAN};
  *end   = (SessionEnd){.end = NAN};
  PetscCall(ReadText_Private(s, AT("session_host"), row, begin->host, complaint));
  PetscCall(ReadText_Private(s, AT("session_job"), row, begin->job, complaint));
  PetscCall(ReadText_Private(s, AT("session_version"), row, begin->version, complaint));
  PetscCall(StoreRead(s->store, AT("session_ranks"), &row, &one, &begin->ranks, complaint));
  PetscCall(StoreRead(s->store, AT("session_start"), &row, &one, &begin->start, complaint));
  PetscCall(StoreRead(s->store, AT("session_cells"), &row, &one, &end->cells, complaint));
  PetscCall(StoreRead(s->store, AT("session_end"), &row, &one, &end->end, complaint));
  PetscCall(StoreRead(s->store, AT("session_end_reason"), &row, &one, &reason, complaint));
  end->reason = reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SweepStoreReadSessions - How many there were, and the last one. Complaint: EXIT_FILES */
PetscErrorCode SweepStoreReadSessions(SweepStore s, SweepSessions *sessions, Complaint *complaint)
{
  int32_t   n = -1;
  int64_t  *cells;
  PetscBool found;
  PetscInt  rows, start = 0;

  PetscFunctionBeginUser;
  *sessions = (SweepSessions){.begin = {.start = NAN}, .end = {.end = NAN}};
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StoreReadAttributeNumber(s->store, PROVENANCE_GROUP, "sessions", STORE_INT32, &n, &found));
  if (n < 0) {
    ComplaintSet(complaint, EXIT_FILES, "the file does not say how many sessions worked on it");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  rows = PetscMin(n, SWEEP_SESSIONS);
  if (rows > 0) PetscCall(SweepStoreReadSession(s, rows - 1, &sessions->begin, &sessions->end, complaint));
  PetscCall(PetscMalloc1(rows + 1, &cells));
  if (rows > 0) PetscCall(StoreRead(s->store, AT("session_cells"), &start, &rows, cells, complaint));
  for (PetscInt i = 0; i < rows && !complaint->exit_code; ++i) sessions->cells += cells[i];
  PetscCall(PetscFree(cells));
  sessions->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepStoreReadDeaths(SweepStore s, signed char *deaths, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreRead(s->store, AT("deaths"), NULL, NULL, deaths, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
