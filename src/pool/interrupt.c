/*
  interrupt.c - signals that ask for something.

  The handler sets flags and nothing else. One flag per signal: taking one while another arrives loses neither.
*/
#define _XOPEN_SOURCE 700
#include "graze/interrupt.h"

#include <signal.h>
#include <time.h>

#define ONE_WISH 0.1 /* s: launchers pass a signal on that the rank got already; that is not yet a second one */

static const struct {
  int      number;
  unsigned bit;
} signals[] = {{SIGUSR1, INTERRUPT_USR1}, {SIGTERM, INTERRUPT_TERM}, {SIGINT, INTERRUPT_INT}, {SIGUSR2, INTERRUPT_SAVE}};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static volatile sig_atomic_t any, raised[SIGNALS];
static volatile sig_atomic_t asked; /* a first SIGTERM or SIGINT has come, at first_asked */
static struct timespec       first_asked;

/* Async-signal-safe calls alone. The two that may kill block each other, so that first_asked is whole when the second reads it. */
static void Handle_Private(int number)
{
  if (number == SIGTERM || number == SIGINT) {
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!asked) first_asked = now;
    else if ((double)(now.tv_sec - first_asked.tv_sec) + 1e-9 * (double)(now.tv_nsec - first_asked.tv_nsec) > ONE_WISH) {
      (void)signal(number, SIG_DFL);
      (void)raise(number); /* blocked until the handler returns */
      return;
    }
    asked = 1;
  }
  for (int i = 0; i < SIGNALS; i++)
    if (signals[i].number == number) raised[i] = 1;
  any = 1;
}

/*
  InterruptInstall - From now on SIGUSR1, SIGTERM, SIGINT and SIGUSR2 are noted instead of killing.

  Not collective; every rank does it. After PetscInitialize. System calls that a signal cuts short go on.
*/
PetscErrorCode InterruptInstall(void)
{
  struct sigaction action = {.sa_handler = Handle_Private, .sa_flags = SA_RESTART};

  PetscFunctionBeginUser;
  (void)sigemptyset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++) (void)sigaddset(&action.sa_mask, signals[i].number);
  for (int i = 0; i < SIGNALS; i++)
    PetscCheck(!sigaction(signals[i].number, &action, NULL), PETSC_COMM_SELF, PETSC_ERR_SYS, "sigaction of signal %d", signals[i].number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  InterruptTake - What was asked of this process since the last call.

  Not collective.
  Returns: INTERRUPT_* bits, which are cleared
*/
unsigned InterruptTake(void)
{
  unsigned bits = 0;

  if (!any) return 0;
  any = 0; /* before the flags: a signal in between is seen now, or sets it again */
  for (int i = 0; i < SIGNALS; i++) {
    if (!raised[i]) continue;
    raised[i] = 0;
    bits |= signals[i].bit;
  }
  return bits;
}
