/*
  mail.h - messages of any length between the ranks of a pool. No call here waits for another rank.

  A message is bytes. Those of one sender arrive whole and in the order sent; a long one may take several looks of both sides.
*/
#ifndef GRAZE_MAIL_H
#define GRAZE_MAIL_H

#include "graze/compat.h"

typedef struct _p_Mail   *Mail;
typedef struct _p_Letter *Letter; /* a message on its way */

PetscErrorCode MailCreate(MPI_Comm comm, Mail *mail); /* collective; comm is duplicated */
PetscErrorCode MailGetComm(Mail mail, MPI_Comm *comm);
/*
  Head and body, both copied, as one message. letter: on its way until the receiver has begun to take it; NULL: the mail looks after it.
*/
PetscErrorCode MailPost(Mail mail, PetscMPIInt to, PetscInt n_head, const void *head, PetscInt n_body, const void *body, Letter *letter);
/* *letter becomes NULL when it has arrived. */
PetscErrorCode LetterFollow(Letter *letter);
/* Messages that the mail looks after and that are still on their way. */
PetscErrorCode MailFollow(Mail mail, PetscInt *n);
/* The next message that is here; bytes = NULL: none. The caller frees bytes (PetscFree). */
PetscErrorCode MailTake(Mail mail, PetscMPIInt *from, PetscInt *nbytes, void **bytes);
PetscErrorCode MailDestroy(Mail *mail); /* collective; nothing may be on its way */

#endif
