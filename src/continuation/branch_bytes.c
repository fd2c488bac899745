/*
  branch_bytes.c - branches and starts as runs of bytes, for messages between ranks of one job and for the journal.

  Fields one after the other in the machine's own representation; a magic number and the lengths say whether bytes are what they should be.
*/
#include <string.h>

#include "graze/branch.h"

enum { MAGIC_START = 0x67727a31, MAGIC_BRANCH = 0x67727a32 };

/* A buffer that is written or read, field by field, by the same code. */
typedef struct {
  char  *bytes; /* NULL: only counted */
  size_t at, end;
  int    reading, good;
} Buffer;

static void Field_Private(Buffer *b, void *field, size_t size)
{
  if (size == 0) return; /* of no rows there is no address */
  if (b->reading) {
    if (!b->good || size > b->end - b->at) {
      b->good = 0;
      return;
    }
    memcpy(field, b->bytes + b->at, size);
  } else if (b->bytes) {
    memcpy(b->bytes + b->at, field, size);
  }
  b->at += size;
}

static void Magic_Private(Buffer *b, int magic)
{
  int there = magic;

  Field_Private(b, &there, sizeof there);
  if (there != magic) b->good = 0;
}

/* n reals; read into new memory. none: nothing is there for n = 0. */
static PetscErrorCode Reals_Private(Buffer *b, PetscInt n, PetscReal **x)
{
  const size_t size = (size_t)n * sizeof **x;

  PetscFunctionBeginUser;
  if (b->reading) {
    *x = NULL;
    if (!b->good || n < 0 || size > b->end - b->at) {
      b->good = 0;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscMalloc1(n, x));
  }
  Field_Private(b, *x, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start_Private(Buffer *b, BranchStart *s)
{
  int origin = (int)s->origin, contact = s->contact, has = s->direction != NULL;

  PetscFunctionBeginUser;
  Magic_Private(b, MAGIC_START);
  Field_Private(b, &origin, sizeof origin);
  Field_Private(b, s->from, sizeof s->from);
  Field_Private(b, &s->depth, sizeof s->depth);
  Field_Private(b, s->path, sizeof s->path);
  Field_Private(b, &s->amplitude, sizeof s->amplitude);
  Field_Private(b, &s->frequency, sizeof s->frequency);
  Field_Private(b, &s->stop, sizeof s->stop);
  Field_Private(b, &s->damping, sizeof s->damping);
  Field_Private(b, &s->period, sizeof s->period);
  Field_Private(b, &s->n, sizeof s->n);
  Field_Private(b, &contact, sizeof contact);
  Field_Private(b, &has, sizeof has);
  s->origin  = (BranchOrigin)origin;
  s->contact = contact ? PETSC_TRUE : PETSC_FALSE;
  if (b->reading) s->x = s->direction = NULL;
  PetscCall(Reals_Private(b, s->n, &s->x));
  if (has) PetscCall(Reals_Private(b, s->n, &s->direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Branch_Private(Buffer *b, Branch *r)
{
  int end[2] = {(int)r->end[0], (int)r->end[1]}, parameter = (int)r->parameter;

  PetscFunctionBeginUser;
  Magic_Private(b, MAGIC_BRANCH);
  PetscCall(Start_Private(b, &r->start));
  Field_Private(b, &parameter, sizeof parameter);
  Field_Private(b, &r->layout.period, sizeof r->layout.period);
  Field_Private(b, &r->layout.contacts, sizeof r->layout.contacts);
  Field_Private(b, &r->layout.states, sizeof r->layout.states);
  Field_Private(b, &r->n_points, sizeof r->n_points);
  Field_Private(b, &r->n_special, sizeof r->n_special);
  Field_Private(b, end, sizeof end);
  Field_Private(b, r->why, sizeof r->why);
  Field_Private(b, &r->began, sizeof r->began);
  Field_Private(b, &r->newton_steps, sizeof r->newton_steps);
  Field_Private(b, &r->corrections, sizeof r->corrections);
  Field_Private(b, &r->rejected, sizeof r->rejected);
  Field_Private(b, &r->modes, sizeof r->modes);
  Field_Private(b, &r->other_modes, sizeof r->other_modes);
  if (b->reading) {
    r->end[0]    = (BranchEnd)end[0];
    r->end[1]    = (BranchEnd)end[1];
    r->parameter = (ContinueParameter)parameter;
    r->points = r->specials = NULL;
    if (r->layout.period < 1 || r->layout.contacts < 0 || r->layout.states < 1 || r->n_points < 0 || r->n_special < 0) b->good = 0;
    if (!b->good) PetscFunctionReturn(PETSC_SUCCESS);
    BranchLayoutSetUp(r->layout.period, r->layout.contacts, r->layout.states, &r->layout);
    r->point_capacity   = r->n_points;
    r->special_capacity = r->n_special;
  }
  PetscCall(Reals_Private(b, r->n_points * r->layout.point_length, &r->points));
  PetscCall(Reals_Private(b, r->n_special * r->layout.special_length, &r->specials));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BranchEncode - Output: bytes - allocated here, shape [nbytes]. */
PetscErrorCode BranchEncode(const Branch *branch, PetscInt *nbytes, void **bytes)
{
  Branch copy = *branch;
  Buffer b    = {.good = 1};

  PetscFunctionBeginUser;
  PetscCall(Branch_Private(&b, &copy));
  PetscCall(PetscMalloc(b.at, bytes));
  *nbytes = (PetscInt)b.at;
  b       = (Buffer){.bytes = *bytes, .good = 1};
  PetscCall(Branch_Private(&b, &copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BranchDecode - Output: branch - the caller's to destroy if good, else empty. */
PetscErrorCode BranchDecode(PetscInt nbytes, const void *bytes, Branch *branch, PetscBool *good)
{
  Buffer b = {.bytes = (char *)bytes, .end = (size_t)nbytes, .reading = 1, .good = 1};

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(branch, sizeof *branch));
  PetscCall(Branch_Private(&b, branch));
  *good = (PetscBool)(b.good && b.at == b.end);
  if (!*good) PetscCall(BranchDestroy(branch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BranchStartEncode - Output: bytes - allocated here, shape [nbytes]. */
PetscErrorCode BranchStartEncode(const BranchStart *start, PetscInt *nbytes, void **bytes)
{
  BranchStart copy = *start;
  Buffer      b    = {.good = 1};

  PetscFunctionBeginUser;
  PetscCall(Start_Private(&b, &copy));
  PetscCall(PetscMalloc(b.at, bytes));
  *nbytes = (PetscInt)b.at;
  b       = (Buffer){.bytes = *bytes, .good = 1};
  PetscCall(Start_Private(&b, &copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BranchStartDecode - Output: start - the caller's to destroy if good, else empty. */
PetscErrorCode BranchStartDecode(PetscInt nbytes, const void *bytes, BranchStart *start, PetscBool *good)
{
  Buffer b = {.bytes = (char *)bytes, .end = (size_t)nbytes, .reading = 1, .good = 1};

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(start, sizeof *start));
  PetscCall(Start_Private(&b, start));
  *good = (PetscBool)(b.good && b.at == b.end);
  if (!*good) PetscCall(BranchStartDestroy(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
