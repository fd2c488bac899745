/*
  walltime.c - when the job must end, and times as Slurm writes them.

  Nothing here stops a run: what cannot be found out, in time and for certain, is no limit, and the source says why.
*/
#define _XOPEN_SOURCE 700
#include "graze/walltime.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE   10.0         /* s that squeue may take */
#define UNTIL_2100 4102444800.0 /* Unix time [s]; beyond: one of Slurm's ways to say "none" */

extern char **environ;

/* ---- times as text ---- */

/* Digits alone, up to seven; moves on behind them. */
static PetscBool ReadDigits_Private(const char **text, long *value)
{
  int n = 0;

  for (*value = 0; isdigit((unsigned char)**text); (*text)++, n++) {
    if (n == 7) return PETSC_FALSE;
    *value = 10 * *value + (**text - '0');
  }
  return n > 0 ? PETSC_TRUE : PETSC_FALSE;
}

/*
  WalltimeParse - MM:SS, HH:MM:SS or D-HH:MM:SS.

  Not collective.
  Output:  seconds - a whole number, 0 or more; as it was if the text is no time
  The first field may be as large as it likes (90:00 is an hour and a half), those that follow are below 60, hours after days below 24.
*/
PetscBool WalltimeParse(const char *text, PetscReal *seconds)
{
  long      field[3], days = 0, hours = 0;
  int       n     = 0;
  PetscBool dated = PETSC_FALSE;

  if (!ReadDigits_Private(&text, &field[0])) return PETSC_FALSE;
  if (*text == '-') {
    dated = PETSC_TRUE;
    days  = field[0];
    text++;
    if (!ReadDigits_Private(&text, &field[0])) return PETSC_FALSE;
  }
  for (n = 1; n < 3 && *text == ':'; n++) {
    text++;
    if (!ReadDigits_Private(&text, &field[n]) || field[n] >= 60) return PETSC_FALSE;
  }
  if (*text || n < (dated ? 3 : 2) || (dated && field[0] >= 24)) return PETSC_FALSE;
  if (n == 3) hours = field[0];
  *seconds = 86400.0 * (PetscReal)days + 3600.0 * (PetscReal)hours + 60.0 * (PetscReal)field[n - 2] + (PetscReal)field[n - 1];
  return PETSC_TRUE;
}

/*
  WalltimeFormat - HH:MM:SS, from a day on D-HH:MM:SS; whole seconds, rounded down.

  Not collective.
  Output:  text - shape [32]; of whole seconds it reads back to the same. A time that is past is 00:00:00, none "unlimited"
*/
void WalltimeFormat(PetscReal seconds, char *text)
{
  const PetscReal most = 9999999.0 * 86400.0; /* what WalltimeParse reads */
  long long       s;

  if (!(seconds < most)) {
    (void)snprintf(text, 32, "unlimited");
    return;
  }
  s = seconds > 0 ? (long long)seconds : 0;
  if (s >= 86400) (void)snprintf(text, 32, "%lld-%02d:%02d:%02d", s / 86400, (int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60));
  else (void)snprintf(text, 32, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

/* ---- squeue ---- */

static double Now_Private(clockid_t clock)
{
  struct timespec now;

  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* squeue with its output on `out`, in a process group of its own so that whatever it starts can be ended with it. 0, or an errno. */
static int Spawn_Private(const char *job, int out, int unused, pid_t *child)
{
  char                       words[6][40] = {"squeue", "-h", "-j", "", "-o", "%L"};
  char                      *argv[]       = {words[0], words[1], words[2], words[3], words[4], words[5], NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t          attributes;
  int                        failed;

  (void)snprintf(words[3], sizeof words[3], "%s", job);
  if ((failed = posix_spawn_file_actions_init(&files))) return failed;
  if ((failed = posix_spawnattr_init(&attributes))) {
    (void)posix_spawn_file_actions_destroy(&files);
    return failed;
  }
  (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  (void)posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  (void)posix_spawn_file_actions_addclose(&files, unused);
  if (out != STDOUT_FILENO) (void)posix_spawn_file_actions_addclose(&files, out);
  (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  (void)posix_spawnattr_setpgroup(&attributes, 0);
  failed = posix_spawnp(child, words[0], &files, &attributes, argv, environ);
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&files);
  return failed;
}

/* What comes out of `in` until it is closed or the deadline (monotonic clock) has come; false: it has. The rest of a long output is dropped. */
static PetscBool Listen_Private(int in, double deadline, size_t size, char *text)
{
  size_t n = 0;

  for (;;) {
    struct pollfd wait = {.fd = in, .events = POLLIN};
    char          bytes[256];
    const double  left = deadline - Now_Private(CLOCK_MONOTONIC);
    ssize_t       got;

    text[n] = '\0';
    if (left <= 0) return PETSC_FALSE;
    if (poll(&wait, 1, (int)(1000 * left) + 1) <= 0) continue; /* time is up, or a signal came */
    got = read(in, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return PETSC_TRUE;
    for (ssize_t i = 0; i < got && n + 1 < size; i++) text[n++] = bytes[i];
  }
}

/* Its exit code, or -1 after the deadline, by which it and all its children are dead. */
static int Reap_Private(pid_t child, double deadline)
{
  int status;

  for (;;) {
    const struct timespec moment = {0, 2000000};
    const pid_t           ended  = waitpid(child, &status, WNOHANG);

    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (ended < 0 && errno != EINTR) return 1;
    if (Now_Private(CLOCK_MONOTONIC) >= deadline) break;
    (void)nanosleep(&moment, NULL);
  }
  (void)kill(-child, SIGKILL);
  (void)waitpid(child, &status, 0);
  return -1;
}

/*
  WalltimeAskSlurm - One `squeue -h -j JOB -o %L`: how much time the job has left.

  Not collective (root); returns after `patience` seconds at the latest, and leaves no process behind.
  Input:   job - Slurm's number, digits alone
  Output:  left - seconds; NaN if that is not what it said;  why - shape [48]: what was wrong then, else ""
*/
PetscErrorCode WalltimeAskSlurm(const char *job, PetscReal patience, PetscReal *left, char *why)
{
  const double deadline = Now_Private(CLOCK_MONOTONIC) + (double)patience;
  int          ends[2], failed, code;
  char         text[64] = "", *word = text;
  pid_t        child = -1;
  PetscBool    heard;

  PetscFunctionBeginUser;
  *left = NAN;
  *why  = '\0';
  if (!*job || strspn(job, "0123456789") != strlen(job) || strlen(job) > 20) {
    PetscCall(PetscStrncpy(why, "SLURM_JOB_ID is not a number", 48));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pipe(ends)) {
    PetscCall(PetscStrncpy(why, "squeue cannot be started", 48));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  failed = Spawn_Private(job, ends[1], ends[0], &child);
  (void)close(ends[1]);
  if (failed) {
    (void)close(ends[0]);
    PetscCall(PetscStrncpy(why, "squeue cannot be started", 48));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  heard = Listen_Private(ends[0], deadline, sizeof text, text);
  (void)close(ends[0]);
  if (!heard) (void)kill(-child, SIGKILL); /* before the child is reaped: until then the number is its own */
  code = Reap_Private(child, deadline);
  word += strspn(word, " \t");
  word[strcspn(word, " \t\r\n")] = '\0';
  if (!heard || code < 0) (void)snprintf(why, 48, "squeue did not answer in %.3g s", (double)patience);
  else if (code) (void)snprintf(why, 48, "squeue failed");
  else if (!*word) (void)snprintf(why, 48, "squeue said nothing");
  else if (!WalltimeParse(word, left)) (void)snprintf(why, 48, "squeue said %.20s", word);
  for (char *c = why; *c; c++)
    if (!isprint((unsigned char)*c)) *c = '?';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the limit ---- */

/*
  WalltimeFind - When the job must end, and who says so.

  Not collective (root); may take 10 s in a Slurm job whose squeue hangs.
  Input:   max_walltime - s, counted from `begin` (Unix time [s]); NaN: not given
  Output:  walltime - end is INFINITY for none; source in words for the log
*/
PetscErrorCode WalltimeFind(PetscReal max_walltime, double begin, Walltime *walltime)
{
  const char *end_time = getenv("SLURM_JOB_END_TIME"), *job = getenv("SLURM_JOB_ID");
  char        why[48] = "";
  PetscReal   left;

  PetscFunctionBeginUser;
  walltime->end = INFINITY;
  PetscCall(PetscStrncpy(walltime->source, "none", sizeof walltime->source));
  if (!isnan(max_walltime)) {
    walltime->end = begin + (double)max_walltime;
    PetscCall(PetscStrncpy(walltime->source, "-max_walltime", sizeof walltime->source));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (end_time && *end_time) {
    const double value = strspn(end_time, "0123456789") == strlen(end_time) ? strtod(end_time, NULL) : 0;

    if (value > 0 && value < UNTIL_2100) {
      walltime->end = value;
      PetscCall(PetscStrncpy(walltime->source, "SLURM_JOB_END_TIME", sizeof walltime->source));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscStrncpy(why, "SLURM_JOB_END_TIME is not a time", sizeof why));
  }
  if (job && *job) {
    PetscCall(WalltimeAskSlurm(job, PATIENCE, &left, why));
    if (!isnan(left)) {
      walltime->end = Now_Private(CLOCK_REALTIME) + (double)left;
      PetscCall(PetscStrncpy(walltime->source, "squeue", sizeof walltime->source));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (*why) (void)snprintf(walltime->source, sizeof walltime->source, "none (%s)", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
