/*
  status_print.c - status.json in words, for graze info: also from a login node, while the job runs.
*/
#define _XOPEN_SOURCE 700
#include <math.h>
#include <string.h>
#include <time.h>

#include "info.h"
#include "status_read.h"

#define LIST_RANKS 16 /* so many busy fractions are listed; of more ranks their mean and least */
#define LIST_SILENT 8

static double Now_Private(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "4 s", "12 min", "3.5 h", "2.1 days" */
const char *StatusSpan(double seconds, size_t size, char *text)
{
  if (!(seconds > 0)) seconds = 0; /* clocks of two machines */
  if (seconds < 120) (void)snprintf(text, size, "%.0f s", seconds);
  else if (seconds < 7200) (void)snprintf(text, size, "%.0f min", seconds / 60);
  else if (seconds < 172800) (void)snprintf(text, size, "%.1f h", seconds / 3600);
  else (void)snprintf(text, size, "%.1f days", seconds / 86400);
  return text;
}

/*
  StatusSummary - How a run stands, by what it said last: "running on HOST, job 12, updated 4 s ago".

  Not collective.
  Input:   now - Unix time [s]
*/
void StatusSummary(const StatusRead *s, double now, size_t size, char *text)
{
  const double age = now - s->now;
  char         where[160], span[32];
  int          n = snprintf(where, sizeof where, "%s%s%s%s", *s->host ? " on " : "", s->host, *s->job ? ", job " : "", s->job);

  if (n < 0) *where = '\0';
  (void)StatusSpan(age, sizeof span, span);
  switch (s->state) {
  case STATE_SETTING_UP:
  case STATE_RUNNING:
  case STATE_STOPPING: {
    const char *doing = s->state == STATE_RUNNING ? "running" : s->state == STATE_STOPPING ? "stopping" : "setting up";

    if (age < STATUS_STALE) (void)snprintf(text, size, "%s%s, updated %s ago", doing, where, span);
    else (void)snprintf(text, size, "%s%s by its own account, but silent for %s: killed?", doing, where, isnan(age) ? "nobody knows how long" : span);
    break;
  }
  case STATE_STOPPED:
    (void)snprintf(text, size, "%s (%s ago)", *s->message ? s->message : "stopped: the same command goes on", span);
    break;
  case STATE_COMPLETE:
    (void)snprintf(text, size, "complete for %s", span);
    break;
  case STATE_FAILED:
    (void)snprintf(text, size, "failed: %s (%s ago)", *s->message ? s->message : "nobody knows why", span);
    break;
  }
}

/* ---- rows ---- */

static void PrintProgress_Private(const StatusRead *s)
{
  char left[32];

  InfoRow("cells", "%" PetscInt_FMT " of %" PetscInt_FMT " done, %.1f %%; %" PetscInt_FMT " in this session, number %" PetscInt_FMT, s->done, s->total,
          s->total > 0 ? 100.0 * (double)s->done / (double)s->total : 0.0, s->finished, s->session + 1);
  if (isnan(s->rate)) return;
  if (isnan(s->eta) || s->state != STATE_RUNNING) InfoRow("rate", "%.3g cells/s", s->rate);
  else {
    WalltimeFormat(s->eta, left);
    InfoRow("rate", "%.3g cells/s, %s left", s->rate, left);
  }
}

static void PrintLimit_Private(yaml_document_t *d, const StatusRead *s, double now)
{
  const int limit = StatusMember(d, StatusRoot(d), "time_limit");
  char      source[64], left[32];

  if (!limit || s->state >= STATE_STOPPED) return;
  StatusString(d, StatusMember(d, limit, "source"), sizeof source, source);
  if (isnan(s->limit)) InfoRow("time limit", "%s", *source ? source : "none");
  else {
    WalltimeFormat(s->limit - now, left);
    InfoRow("time limit", "in %s (%s)", left, source);
  }
}

static void PrintCheckpoint_Private(yaml_document_t *d, const StatusRead *s, double now)
{
  const int    last    = StatusMember(d, StatusRoot(d), "last_checkpoint");
  const double seconds = StatusNumber(d, StatusMember(d, last, "seconds")), bytes = StatusNumber(d, StatusMember(d, last, "journal_bytes"));
  char         span[32], took[48] = "", journal[64] = "";

  if (bytes > 0 && s->state < STATE_COMPLETE) (void)snprintf(journal, sizeof journal, "; %.1f kB in the journal", bytes / 1000);
  if (StatusNumber(d, StatusMember(d, last, "generation")) == 0) InfoRow("last snapshot", "none yet%s", journal);
  if (isnan(s->last_checkpoint) || !(StatusNumber(d, StatusMember(d, last, "generation")) > 0)) return;
  if (!isnan(seconds)) (void)snprintf(took, sizeof took, ", took %.2g s", seconds);
  InfoRow("last snapshot", "%s ago%s%s", StatusSpan(now - s->last_checkpoint, sizeof span, span), took, journal);
}

/* Those that only serve (null) count as no worker. */
static void PrintBusy_Private(yaml_document_t *d)
{
  const int      busy = StatusMember(d, StatusRoot(d), "busy");
  const PetscInt n    = StatusCount(d, busy);
  char           list[512] = "";
  double         sum = 0, least = INFINITY;
  PetscInt       workers = 0, idlest = 0;

  for (PetscInt r = 0; r < n; r++) {
    const double value = StatusNumber(d, StatusItem(d, busy, r));
    const size_t used  = strlen(list);

    if (r < LIST_RANKS) {
      if (isnan(value)) (void)snprintf(list + used, sizeof list - used, "%sserves", r ? ", " : "");
      else (void)snprintf(list + used, sizeof list - used, "%s%.1f", r ? ", " : "", 100 * value);
    }
    if (isnan(value)) continue;
    workers++;
    sum += value;
    if (value < least) {
      least  = value;
      idlest = r;
    }
  }
  if (!workers) return;
  if (n <= LIST_RANKS) InfoRow("busy", "%% of the time, by rank: %s", list);
  else InfoRow("busy", "%.1f %% of the time, mean of %" PetscInt_FMT " ranks; least %.1f %%, rank %" PetscInt_FMT, 100 * sum / (double)workers, workers, 100 * least, idlest);
}

static void Place_Private(yaml_document_t *d, int node, size_t size, char *text)
{
  const double amplitude = StatusNumber(d, StatusMember(d, node, "amplitude")), frequency = StatusNumber(d, StatusMember(d, node, "frequency"));
  const double direction = StatusNumber(d, StatusMember(d, node, "direction"));

  *text = '\0';
  if (isnan(amplitude) || isnan(frequency)) return;
  (void)snprintf(text, size, "A = %.6g, W = %.6g%s", amplitude, frequency, isnan(direction) ? "" : direction > 0 ? ", up" : ", down");
}

static void PrintSilent_Private(yaml_document_t *d, const StatusRead *s, double now)
{
  const int      ranks = StatusMember(d, StatusRoot(d), "ranks");
  const PetscInt n     = StatusCount(d, ranks);
  PetscInt       shown = 0;

  if (s->state >= STATE_COMPLETE) return;
  for (PetscInt i = 0; i < n && shown < LIST_SILENT; i++) {
    const int    node    = StatusItem(d, ranks, i);
    const double since   = s->state == STATE_STOPPED ? 0 : now - s->now; /* a run that has stopped grows no more silent */
    const double seconds = StatusNumber(d, StatusMember(d, node, "silent_seconds")) + (since > 0 && since < STATUS_STALE ? since : 0);
    char         place[96], span[32];

    if (!StatusTrue(d, StatusMember(d, node, "silent"))) continue;
    Place_Private(d, node, sizeof place, place);
    InfoRow(shown ? "" : "silent", "rank %.0f, for %s%s%s", StatusNumber(d, StatusMember(d, node, "rank")), StatusSpan(seconds, sizeof span, span), *place ? ", in the cell " : "", place);
    shown++;
  }
  if (s->silent > shown) InfoRow(shown ? "" : "silent", "%s%" PetscInt_FMT "%s", shown ? "and " : "", s->silent - shown, shown ? " more ranks" : " ranks");
}

static void PrintSlowest_Private(yaml_document_t *d)
{
  const int      cells = StatusMember(d, StatusRoot(d), "slowest_cells");
  const PetscInt n     = PetscMin(StatusCount(d, cells), 8);

  for (PetscInt i = 0; i < n; i++) {
    const int    node    = StatusItem(d, cells, i);
    const double seconds = StatusNumber(d, StatusMember(d, node, "seconds"));
    char         place[96];

    Place_Private(d, node, sizeof place, place);
    if (!isnan(seconds)) InfoRow(i ? "" : "slowest cells", "%.2f s%s%s", seconds, *place ? " at " : "", place);
  }
}

/*
  StatusPrint - A run in words.

  Not collective (root prints). Nothing where there is no status.json.
*/
PetscErrorCode StatusPrint(const char *folder)
{
  const double    now = Now_Private();
  StatusRead      status;
  yaml_document_t document;
  PetscBool       good;
  char            text[1024];

  PetscFunctionBeginUser;
  PetscCall(StatusReadFile(folder, &status));
  if (!status.found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StatusOpen(folder, &document, &good)); /* the one read above or a newer one; either is whole */
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  StatusSummary(&status, now, sizeof text, text);
  (void)printf("\nRun\n");
  InfoRow("run", "%s", text);
  PrintProgress_Private(&status);
  PrintLimit_Private(&document, &status, now);
  PrintCheckpoint_Private(&document, &status, now);
  PrintBusy_Private(&document);
  PrintSilent_Private(&document, &status, now);
  PrintSlowest_Private(&document);
  StatusClose(&document);
  PetscFunctionReturn(PETSC_SUCCESS);
}
