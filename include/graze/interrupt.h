/*
  interrupt.h - signals that ask for something: a handler sets a flag, whoever is in charge takes it when it suits.

  SIGUSR1, SIGTERM, SIGINT: save and stop; a second SIGTERM or SIGINT kills at once (within 0.1 s it is the first, passed on by a
  launcher). SIGUSR2: save and go on. Installed after PetscInitialize. The pool brings the flags of every rank to root.
*/
#ifndef GRAZE_INTERRUPT_H
#define GRAZE_INTERRUPT_H

#include "graze/compat.h"

/* Bits. Which signal asked is kept, for the record of why a session ended. */
enum { INTERRUPT_USR1 = 1, INTERRUPT_TERM = 2, INTERRUPT_INT = 4, INTERRUPT_SAVE = 8 };
#define INTERRUPT_STOP (INTERRUPT_USR1 | INTERRUPT_TERM | INTERRUPT_INT)

PetscErrorCode InterruptInstall(void);
/* The bits raised on this process since the last call, which clears them. Costs nothing when there are none. */
unsigned InterruptTake(void);

#endif
