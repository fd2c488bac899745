/*
  mail.c - messages of any length, without waiting.

  Method: a look (MPI_Iprobe) says who sends how much; a receive of just that is begun, and is finished by this or a later look. MPI moves a
  long message only while both sides are inside MPI, and a rank that computes may be outside for long: a blocking receive would wait for it.

  Invariant: receives begin in the order of the messages, and a message is given out only after all that its sender sent before.
*/
#include "mail.h"

#define TAG_MAIL 1

struct _p_Letter {
  MPI_Request request;
  char       *bytes;
  Letter      next; /* in the list of the mail */
};

/* A message that comes in. */
typedef struct _p_Arrival *Arrival;
struct _p_Arrival {
  MPI_Request request;
  PetscMPIInt from;
  PetscInt    nbytes;
  char       *bytes;
  Arrival     next;
};

struct _p_Mail {
  MPI_Comm    comm;
  PetscMPIInt size;
  Letter      letters;  /* that the mail looks after */
  Arrival     arrivals; /* begun, in order; almost always none or one */
  Arrival    *end;      /* where the next is hung up */
  PetscInt64 *behind;   /* [size] look in which a message of that rank was found unfinished */
  PetscInt64  look;
};

PetscErrorCode MailCreate(MPI_Comm comm, Mail *mail)
{
  Mail m;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&m));
  PetscCallMPI(MPI_Comm_dup(comm, &m->comm));
  PetscCallMPI(MPI_Comm_size(m->comm, &m->size));
  PetscCall(PetscCalloc1(m->size, &m->behind));
  m->end = &m->arrivals;
  *mail  = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MailGetComm(Mail m, MPI_Comm *comm)
{
  PetscFunctionBeginUser;
  *comm = m->comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  MailPost - Send a message.

  Not collective.
  Input:   to - may be this rank itself;  head - shape [n_head];  body - shape [n_body], NULL if that is 0
  Output:  letter - to be followed until it is NULL. If letter is NULL: for MailFollow
  Cost:    one copy
*/
PetscErrorCode MailPost(Mail m, PetscMPIInt to, PetscInt n_head, const void *head, PetscInt n_body, const void *body, Letter *letter)
{
  PetscMPIInt count;
  Letter      l;

  PetscFunctionBeginUser;
  PetscCall(PetscMPIIntCast(n_head + n_body, &count));
  PetscCall(PetscNew(&l));
  PetscCall(PetscMalloc1(count, &l->bytes));
  PetscCall(PetscMemcpy(l->bytes, head, n_head));
  if (n_body) PetscCall(PetscMemcpy(l->bytes + n_head, body, n_body));
  if (letter) {
    PetscCallMPI(MPI_Issend(l->bytes, count, MPI_BYTE, to, TAG_MAIL, m->comm, &l->request));
    *letter = l;
  } else {
    PetscCallMPI(MPI_Isend(l->bytes, count, MPI_BYTE, to, TAG_MAIL, m->comm, &l->request));
    l->next    = m->letters;
    m->letters = l;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LetterFollow(Letter *letter)
{
  int gone;

  PetscFunctionBeginUser;
  if (!*letter) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Test(&(*letter)->request, &gone, MPI_STATUS_IGNORE));
  if (!gone) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*letter)->bytes));
  PetscCall(PetscFree(*letter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MailFollow(Mail m, PetscInt *n)
{
  Letter *place = &m->letters;

  PetscFunctionBeginUser;
  *n = 0;
  while (*place) {
    const Letter next = (*place)->next;

    PetscCall(LetterFollow(place));
    if (*place) {
      place = &(*place)->next;
      ++*n;
    } else *place = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first arrival that is whole, with none of the same sender before it; it is taken off the list. NULL: none */
static PetscErrorCode Whole_Private(Mail m, Arrival *whole)
{
  PetscFunctionBeginUser;
  *whole = NULL;
  m->look++;
  for (Arrival *place = &m->arrivals; *place; place = &(*place)->next) {
    const Arrival a = *place;
    int           here;

    if (m->behind[a->from] == m->look) continue;
    PetscCallMPI(MPI_Test(&a->request, &here, MPI_STATUS_IGNORE));
    if (!here) {
      m->behind[a->from] = m->look;
      continue;
    }
    *place = a->next;
    if (!*place) m->end = place;
    *whole = a;
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begin to receive the next message, if there is one. */
static PetscErrorCode Begin_Private(Mail m, PetscBool *begun)
{
  MPI_Status  status;
  int         found;
  PetscMPIInt count;
  Arrival     a;

  PetscFunctionBeginUser;
  *begun = PETSC_FALSE;
  PetscCallMPI(MPI_Iprobe(MPI_ANY_SOURCE, TAG_MAIL, m->comm, &found, &status));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &count));
  PetscCall(PetscNew(&a));
  a->from   = status.MPI_SOURCE;
  a->nbytes = count;
  PetscCall(PetscMalloc1(count, &a->bytes));
  PetscCallMPI(MPI_Irecv(a->bytes, count, MPI_BYTE, a->from, TAG_MAIL, m->comm, &a->request));
  *m->end = a;
  m->end  = &a->next;
  *begun  = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  MailTake - The next message.

  Not collective.
  Output:  from - the sender;  nbytes;  bytes - to be freed by the caller, aligned as by PetscMalloc; NULL: no message is here
*/
PetscErrorCode MailTake(Mail m, PetscMPIInt *from, PetscInt *nbytes, void **bytes)
{
  Arrival   whole;
  PetscBool begun = PETSC_TRUE;

  PetscFunctionBeginUser;
  *bytes = NULL;
  PetscCall(Whole_Private(m, &whole));
  while (!whole) {
    PetscCall(Begin_Private(m, &begun));
    if (!begun) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Whole_Private(m, &whole));
  }
  *from   = whole->from;
  *nbytes = whole->nbytes;
  *bytes  = whole->bytes;
  PetscCall(PetscFree(whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MailDestroy(Mail *mail)
{
  PetscInt n;

  PetscFunctionBeginUser;
  if (!*mail) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MailFollow(*mail, &n));
  PetscCheck(!n && !(*mail)->arrivals, PETSC_COMM_SELF, PETSC_ERR_PLIB, "messages are on their way");
  PetscCallMPI(MPI_Comm_free(&(*mail)->comm));
  PetscCall(PetscFree((*mail)->behind));
  PetscCall(PetscFree(*mail));
  PetscFunctionReturn(PETSC_SUCCESS);
}
