/*
  crash.c - last words of a rank: which step it was in when a signal killed it.

  Invariants: the handler calls open, write, close and raise alone, on a stack of its own (a stack that overflowed is one of the causes), and
  the process dies of the signal as if there were no handler. The path is made when the handlers are installed.
*/
#define _XOPEN_SOURCE 700
#include "graze/crash.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "crash."

static const int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};

static char              path[PETSC_MAX_PATH_LEN + 32]; /* "": no handlers yet */
static volatile PetscInt current_unit = -1, current_step;
static _Alignas(16) char stack[1 << 16];

/* ---- writing: async-signal-safe from here on ---- */

static char *PutNumber_Private(char *to, long long value)
{
  char digits[24];
  int  n = 0;

  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (n > 0) *to++ = digits[--n];
  return to;
}

static void Write_Private(int number)
{
  const PetscInt unit = current_unit, step = current_step;
  char           line[96], *end = line;
  int            file;

  if (unit < 0 || step < 0 || !*path) return;
  end    = PutNumber_Private(end, unit);
  *end++ = ' ';
  end    = PutNumber_Private(end, step);
  *end++ = ' ';
  end    = PutNumber_Private(end, number);
  *end++ = '\n';
  file   = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (write(file, line, (size_t)(end - line)) < 0) { /* nobody is left who could be told */
  }
  (void)close(file);
}

/* Installed to be taken out as it is entered, and not to block its signal: the raise is the end. */
static void Handle_Private(int number)
{
  Write_Private(number);
  (void)raise(number);
}

/* ---- what the program calls ---- */

/*
  CrashInstall - From now on this rank leaves a record if a signal of its own kills it.

  Not collective; after PetscInitialize, whose handlers it replaces.
  Input:  folder - where the record goes; need not exist yet
*/
PetscErrorCode CrashInstall(const char *folder, PetscMPIInt rank)
{
  const stack_t    own    = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = Handle_Private, .sa_flags = SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND};

  PetscFunctionBeginUser;
  PetscCheck(strlen(folder) < PETSC_MAX_PATH_LEN, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The path of the folder is too long");
  (void)snprintf(path, sizeof path, "%s/" NAME "%d", folder, (int)rank);
  PetscCheck(!sigaltstack(&own, NULL), PETSC_COMM_SELF, PETSC_ERR_PLIB, "sigaltstack: %s", strerror(errno));
  (void)sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    PetscCheck(!sigaction(signals[i], &action, NULL), PETSC_COMM_SELF, PETSC_ERR_PLIB, "sigaction %d: %s", signals[i], strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CrashSetStep - The step this rank is in; unit < 0: none. Not collective. Cost: three words written. */
void CrashSetStep(PetscInt unit, PetscInt step)
{
  current_unit = -1; /* a signal in between finds no step rather than a mixture of two */
  current_step = step;
  current_unit = unit;
}

/* CrashWrite - The record of an internal error, which is no signal: number 0. Not collective. */
void CrashWrite(void)
{
  Write_Private(0);
}

/* ---- reading ---- */

/* The rank in a record's name; -1: it is none. */
static long Rank_Private(const char *name)
{
  const char *digits = name + sizeof NAME - 1;

  if (strncmp(name, NAME, sizeof NAME - 1) || !*digits || strlen(digits) > 9 || strspn(digits, "0123456789") != strlen(digits)) return -1;
  return strtol(digits, NULL, 10);
}

static int IsRecord_Private(const struct dirent *entry)
{
  return Rank_Private(entry->d_name) >= 0;
}

static int ByRank_Private(const struct dirent **a, const struct dirent **b)
{
  const long x = Rank_Private((*a)->d_name), y = Rank_Private((*b)->d_name);

  return (x > y) - (x < y);
}

/* One whole line "unit step signal" and nothing else. */
static PetscBool ReadRecord_Private(const char *name, long long *unit, long long *step, int *number)
{
  char   text[96] = "";
  FILE  *file     = fopen(name, "r");
  size_t n;
  int    used = 0;

  if (!file) return PETSC_FALSE;
  n       = fread(text, 1, sizeof text - 1, file);
  text[n] = '\0';
  (void)fclose(file);
  if (!isdigit((unsigned char)*text)) return PETSC_FALSE;
  if (sscanf(text, "%18lld %18lld %3d%n", unit, step, number, &used) != 3 || text[used] != '\n' || (size_t)used + 1 != n) return PETSC_FALSE;
  return *unit <= PETSC_MAX_INT && *step >= 0 && *step <= PETSC_MAX_INT && *number >= 0 ? PETSC_TRUE : PETSC_FALSE;
}

/*
  CrashRead - Each valid record of a folder, in the order of the ranks; files of that name that hold none are removed.

  Not collective (root).
  Input:  found - called for each, signal 0: an internal error;  ctx - handed to it
  A folder that cannot be read holds none.
*/
PetscErrorCode CrashRead(const char *folder, PetscErrorCode (*found)(void *ctx, PetscMPIInt rank, PetscInt unit, PetscInt step, int signal), void *ctx)
{
  struct dirent **list;
  const int       n = scandir(folder, &list, IsRecord_Private, ByRank_Private);

  PetscFunctionBeginUser;
  for (int i = 0; i < n; i++) {
    char      name[PETSC_MAX_PATH_LEN + 32];
    long long unit, step;
    int       number;

    (void)snprintf(name, sizeof name, "%s/%.20s", folder, list[i]->d_name);
    if (ReadRecord_Private(name, &unit, &step, &number))
      PetscCall(found(ctx, (PetscMPIInt)Rank_Private(list[i]->d_name), (PetscInt)unit, (PetscInt)step, number));
    else (void)unlink(name);
    free(list[i]);
  }
  if (n >= 0) free(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CrashClear - Removes every record of a folder. Not collective (root). */
PetscErrorCode CrashClear(const char *folder)
{
  struct dirent **list;
  const int       n = scandir(folder, &list, IsRecord_Private, NULL);

  PetscFunctionBeginUser;
  for (int i = 0; i < n; i++) {
    char name[PETSC_MAX_PATH_LEN + 32];

    (void)snprintf(name, sizeof name, "%s/%.20s", folder, list[i]->d_name);
    (void)unlink(name);
    free(list[i]);
  }
  if (n >= 0) free(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}
