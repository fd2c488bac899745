/*
  sweep_record.c - names of the reasons for which a session ended, as the file and graze info have them.
*/
#include "graze/sweep_record.h"

const char *const SessionReasonNames[SESSION_REASONS] = {
  [SESSION_RUNNING] = "running",     [SESSION_COMPLETE] = "complete", [SESSION_TIME] = "time_limit", [SESSION_SIGNAL] = "signal",
  [SESSION_STOP_FILE] = "stop_file", [SESSION_KILLED] = "killed",     [SESSION_SILENT] = "silent",   [SESSION_FAILED] = "failed",
};
