/*
  info_sessions.c - the table of sessions in a sweep's file, in words.
*/
#define _XOPEN_SOURCE 700
#include <math.h>
#include <string.h>
#include <time.h>

#include "graze/provenance.h"
#include "graze/sweep_store.h"
#include "info.h"

#define LAST_SESSIONS 10 /* so many are printed */
#define AT(name)      PROVENANCE_GROUP "/" name

/* Where the file has no such table, or a strange one, `good` turns false. */
static PetscErrorCode Value_Private(Store store, const char *path, StoreType type, PetscInt row, void *value, PetscBool *good)
{
  const PetscInt start[] = {row, 0}, count[] = {1, SESSION_TEXT}, shape[] = {SWEEP_SESSIONS, SESSION_TEXT};
  Complaint      none    = {0};

  PetscFunctionBeginUser;
  PetscCall(StoreExpect(store, path, type, type == STORE_CHAR ? 2 : 1, shape, &none));
  PetscCall(StoreRead(store, path, start, count, value, &none));
  if (none.exit_code) *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Utc_Private(double seconds, size_t size, char *text)
{
  const time_t when = seconds >= 0 && seconds < 1e11 ? (time_t)seconds : -1;
  struct tm    utc;

  if (when < 0 || !gmtime_r(&when, &utc) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc)) (void)snprintf(text, size, "?");
}

static PetscErrorCode Row_Private(Store store, PetscInt row, PetscBool *good)
{
  char    host[SESSION_TEXT + 1] = "", job[SESSION_TEXT + 1] = "", label[32], from[32], to[32];
  int32_t ranks  = 0;
  int64_t cells  = 0;
  double  start  = NAN, end = NAN;
  int8_t  reason = 0;

  PetscFunctionBeginUser;
  PetscCall(Value_Private(store, AT("session_host"), STORE_CHAR, row, host, good));
  PetscCall(Value_Private(store, AT("session_job"), STORE_CHAR, row, job, good));
  PetscCall(Value_Private(store, AT("session_ranks"), STORE_INT32, row, &ranks, good));
  PetscCall(Value_Private(store, AT("session_cells"), STORE_INT64, row, &cells, good));
  PetscCall(Value_Private(store, AT("session_start"), STORE_REAL, row, &start, good));
  PetscCall(Value_Private(store, AT("session_end"), STORE_REAL, row, &end, good));
  PetscCall(Value_Private(store, AT("session_end_reason"), STORE_INT8, row, &reason, good));
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(label, sizeof label, "%" PetscInt_FMT, row + 1);
  Utc_Private(start, sizeof from, from);
  Utc_Private(end, sizeof to, to);
  if (isnan(end)) InfoRow(label, "%s to ?, %d rank%s on %s%s%s: running, or killed", from, (int)ranks, ranks == 1 ? "" : "s", host, *job ? ", job " : "", job);
  else
    InfoRow(label, "%s to %s, %d rank%s on %s%s%s: %lld cells, %s", from, to, (int)ranks, ranks == 1 ? "" : "s", host, *job ? ", job " : "", job, (long long)cells,
            reason >= 0 && reason < SESSION_REASONS ? SessionReasonNames[reason] : "ended for a reason of another version");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  InfoPrintSessions - Who worked on a sweep, from when to when, and why they stopped: the last ten.

  Not collective (root prints). A file without the table has nothing to print.
*/
PetscErrorCode InfoPrintSessions(Store store)
{
  int32_t   n = 0;
  PetscInt  rows;
  PetscBool good, found;

  PetscFunctionBeginUser;
  PetscCall(StoreReadAttributeNumber(store, PROVENANCE_GROUP, "sessions", STORE_INT32, &n, &found));
  PetscCall(StoreHas(store, AT("session_host"), &good));
  rows = PetscMin((PetscInt)n, SWEEP_SESSIONS);
  if (!found || !good || rows < 1) PetscFunctionReturn(PETSC_SUCCESS);
  (void)printf("\nSessions\n");
  for (PetscInt row = PetscMax(rows - LAST_SESSIONS, 0); row < rows && good; row++) PetscCall(Row_Private(store, row, &good));
  PetscFunctionReturn(PETSC_SUCCESS);
}
