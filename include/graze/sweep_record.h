/*
  sweep_record.h - what the journal of a sweep says. Kinds are stored: append only.
*/
#ifndef GRAZE_SWEEP_RECORD_H
#define GRAZE_SWEEP_RECORD_H

#include "graze/journal.h"

typedef enum {
  RECORD_SESSION_BEGIN = 1, /* value: number of the session, from 0; payload SessionBegin */
  RECORD_SESSION_END   = 2, /* value: number of the session; payload SessionEnd */
  RECORD_ASSIGN        = 3, /* rank, unit, step (first); value: steps, negative: alone */
  RECORD_STEP          = 4, /* rank, unit, step; payload: the encoded row of the cell */
  RECORD_DEATHS        = 5  /* unit, step; value: how often a rank died, without a record, in this cell */
} RecordKind;

/* Stored: append only. */
typedef enum {
  SESSION_RUNNING   = 0, /* running, or killed and not resumed yet */
  SESSION_COMPLETE  = 1,
  SESSION_TIME      = 2, /* the time limit was near */
  SESSION_SIGNAL    = 3, /* SIGUSR1, SIGTERM, SIGINT */
  SESSION_STOP_FILE = 4,
  SESSION_KILLED    = 5, /* found out by the next session */
  SESSION_SILENT    = 6, /* stopped, but a rank did not come back */
  SESSION_FAILED    = 7  /* a complaint: disk full */
} SessionReason;
#define SESSION_REASONS 8
extern const char *const SessionReasonNames[SESSION_REASONS]; /* "running", "complete", "time_limit", ... */

#define SESSION_TEXT 64
typedef struct {
  char    host[SESSION_TEXT], job[SESSION_TEXT], version[SESSION_TEXT]; /* job: Slurm's number (with array task), or "" */
  int32_t ranks, pad;
  double  start; /* Unix time [s] */
} SessionBegin;

typedef struct {
  int32_t reason, pad; /* SessionReason */
  int64_t cells;       /* finished in the session */
  double  end;         /* Unix time [s]; of a killed session: of its last record */
} SessionEnd;

#endif
