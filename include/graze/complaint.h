/*
  complaint.h - bad input and failed input/output, said in one line.

  Three kinds of error are never mixed: a bug is PetscCheck(..., PETSC_ERR_PLIB, ...); numerics that do not
  work out are a reason (an enum) stored with the result; what the user can mend is a Complaint. A function
  that may find such a thing takes a Complaint*, returns PETSC_SUCCESS, and leaves the complaint set. Whoever
  called looks at exit_code; main agrees on it over all ranks, prints the line once and exits.
*/
#ifndef GRAZE_COMPLAINT_H
#define GRAZE_COMPLAINT_H

#include "graze/compat.h"

enum {
  EXIT_GOOD     = 0,
  EXIT_OPTIONS  = 64, /* an option or its value */
  EXIT_FILES    = 65, /* an input file, or a result that is in the way */
  EXIT_INTERNAL = 70, /* a bug of ours */
  EXIT_IO       = 74, /* the disk: full, read-only, gone */
  EXIT_COME_BACK = 85 /* stopped before the end, everything saved: the same command goes on */
};

typedef struct {
  int  exit_code; /* 0: nothing to complain about */
  char line[1024]; /* without the leading "graze: " and without a newline */
} Complaint;

/* The first complaint stands; later ones are dropped. */
void ComplaintSet(Complaint *c, int exit_code, const char *format, ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
/* Collective: every rank gets the complaint of the lowest rank that has one, or none. */
PetscErrorCode ComplaintAgree(MPI_Comm comm, Complaint *complaint);
/* The name most like `word` in a NULL-terminated list; NULL if the list is empty. */
const char *NearestName(const char *word, const char *const *names);

#endif
