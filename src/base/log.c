/*
  log.c - lines, warnings and one line of progress, on root.

  There is one standard output, so there is one log: static state, no object. A progress line on a terminal stays open; the next
  line of text ends it by writing over it.
*/
#define _XOPEN_SOURCE 700
#include "graze/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_INTERVAL 0.2  /* seconds between rewrites */
#define BATCH_INTERVAL    60.0 /* seconds between plain lines */

static struct {
  PetscBool active, quiet, terminal; /* active: this rank writes */
  FILE     *file;
  PetscInt  warnings;
  PetscReal progress_at; /* seconds of the last progress printed; negative: none */
  PetscInt  open_width;  /* width of the progress line that stands unfinished on the terminal */
} log_state;

/*
  Is anybody watching? Open MPI's launcher gives its ranks a terminal of their own whatever becomes of what it reads there, so under
  it the launcher's own standard output is asked, where /proc tells.
*/
static PetscBool OnTerminal_Private(void)
{
  char    link[64], target[256];
  ssize_t length;

  if (!isatty(STDOUT_FILENO)) return PETSC_FALSE;
  if (!getenv("OMPI_COMM_WORLD_SIZE")) return PETSC_TRUE;
  (void)snprintf(link, sizeof link, "/proc/%ld/fd/1", (long)getppid());
  length = readlink(link, target, sizeof target - 1);
  if (length < 0) return PETSC_TRUE;
  target[length] = 0;
  return !strncmp(target, "/dev/pts/", 9) || !strncmp(target, "/dev/tty", 8) || !strncmp(target, "/dev/console", 12) ? PETSC_TRUE : PETSC_FALSE;
}

/*
  LogSetUp - Begin: root writes to standard output unless quiet.

  Collective.
*/
PetscErrorCode LogSetUp(MPI_Comm comm, PetscBool quiet)
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(LogClose(NULL));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  log_state.active      = rank == 0 ? PETSC_TRUE : PETSC_FALSE;
  log_state.quiet       = quiet;
  log_state.terminal    = OnTerminal_Private();
  log_state.warnings    = 0;
  log_state.progress_at = -1;
  log_state.open_width  = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LogOpen - Copy lines to a file from now on, after what is in it.

  Not collective; root does it, the other ranks' calls do nothing.
  Output:  complaint - EXIT_IO if the file cannot be made
*/
PetscErrorCode LogOpen(const char *path, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!log_state.active) PetscFunctionReturn(PETSC_SUCCESS);
  if (log_state.file) (void)fclose(log_state.file);
  log_state.file = fopen(path, "a");
  if (!log_state.file) ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void EndProgress_Private(void)
{
  if (log_state.open_width) (void)printf("\r%*s\r", (int)log_state.open_width, "");
  log_state.open_width = 0;
}

static void Write_Private(const char *prefix, const char *format, va_list arguments)
{
  char text[2048];

  if (!log_state.active) return;
  (void)vsnprintf(text, sizeof text, format, arguments);
  if (!log_state.quiet) {
    EndProgress_Private();
    (void)printf("%s%s\n", prefix, text);
    (void)fflush(stdout);
  }
  /* A log that cannot be written is no reason to lose the run: results have their own checks. */
  if (log_state.file && (fprintf(log_state.file, "%s%s\n", prefix, text) < 0 || fflush(log_state.file))) {
    (void)fclose(log_state.file);
    log_state.file = NULL;
  }
}

/*
  LogLine - One line of text, without newline at its end.

  Not collective; root writes.
*/
PetscErrorCode LogLine(const char *format, ...)
{
  va_list arguments;

  PetscFunctionBeginUser;
  va_start(arguments, format);
  Write_Private("", format, arguments);
  va_end(arguments);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LogWarning - One line headed "warning: ", and counted.

  Not collective; root writes and counts.
*/
PetscErrorCode LogWarning(const char *format, ...)
{
  va_list arguments;

  PetscFunctionBeginUser;
  if (log_state.active) log_state.warnings++;
  va_start(arguments, format);
  Write_Private("warning: ", format, arguments);
  va_end(arguments);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h:mm:ss */
static void FormatTime_Private(PetscReal seconds, size_t size, char *text)
{
  const long long s = seconds < 3.6e9 ? (long long)(seconds + 0.5) : 3600000000LL;

  (void)snprintf(text, size, "%lld:%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
}

/* Is it time for a line of progress, `seconds` after this stage of the run began? */
static PetscBool IsDue_Private(PetscReal seconds)
{
  if (seconds < log_state.progress_at) log_state.progress_at = -1; /* another stage began */
  return log_state.terminal ? (PetscBool)(log_state.progress_at < 0 || seconds >= log_state.progress_at + TERMINAL_INTERVAL)
                            : (PetscBool)(seconds >= PetscMax(log_state.progress_at, 0) + BATCH_INTERVAL);
}

/* last: the line stays. */
static void Progress_Private(const char *text, PetscBool last, PetscReal seconds)
{
  const int width = (int)strlen(text);

  log_state.progress_at = seconds;
  if (log_state.terminal && !last) {
    (void)printf("\r%s%*s", text, (int)PetscMax(log_state.open_width - width, 0), "");
    log_state.open_width = width;
  } else {
    EndProgress_Private();
    (void)printf("%s\n", text);
  }
  (void)fflush(stdout);
}

/*
  LogProgress - How far, how fast, how long still.

  Not collective; root writes.
  Input:  what - plural name of a step ("cells");  before - steps that were done before;  done, total - steps, those included;
          seconds - since the first step of this run began
  On a terminal one line is rewritten, at most five times a second; elsewhere a plain line at most once a minute. The last step
  always prints.
*/
PetscErrorCode LogProgress(const char *what, PetscInt before, PetscInt done, PetscInt total, PetscReal seconds)
{
  const PetscReal rate = seconds > 0 ? (PetscReal)(done - before) / seconds : 0;
  const PetscBool last = done >= total ? PETSC_TRUE : PETSC_FALSE;
  char            text[256], when[32];

  PetscFunctionBeginUser;
  if (!log_state.active || log_state.quiet) PetscFunctionReturn(PETSC_SUCCESS);
  if (!IsDue_Private(seconds) && !last) PetscFunctionReturn(PETSC_SUCCESS);
  FormatTime_Private(last ? seconds : rate > 0 ? (PetscReal)(total - done) / rate : 0, sizeof when, when);
  (void)snprintf(text, sizeof text, "%6lld/%lld %s  %.1f %s/s  %s %s", (long long)done, (long long)total, what, (double)rate, what,
                 rate > 0 || last ? when : "?", last ? "in all" : "left");
  Progress_Private(text, last, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LogNow - What is going on, where nobody knows how much there is to do. As often as LogProgress.

  Not collective; root writes.
  Input:  seconds - since this stage of the run began
*/
PetscErrorCode LogNow(PetscReal seconds, const char *format, ...)
{
  char    text[256];
  va_list arguments;

  PetscFunctionBeginUser;
  if (!log_state.active || log_state.quiet || !IsDue_Private(seconds)) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  Progress_Private(text, PETSC_FALSE, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LogClose - Finish an open progress line, close the file, say how many warnings there were. May be called again.

  Not collective.
  Output:  warnings - counted on root, 0 elsewhere; or NULL
*/
PetscErrorCode LogClose(PetscInt *warnings)
{
  PetscFunctionBeginUser;
  if (log_state.open_width) {
    (void)printf("\n");
    log_state.open_width = 0;
  }
  if (log_state.file) (void)fclose(log_state.file);
  log_state.file = NULL;
  if (warnings) *warnings = log_state.warnings;
  PetscFunctionReturn(PETSC_SUCCESS);
}
