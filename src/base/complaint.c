/*
  complaint.c - one line about bad input: set once, agreed on by all ranks, with the nearest valid name.
*/
#include "graze/complaint.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
  ComplaintSet - Write down what the user can mend, unless something is written already.

  Not collective.
  Input:  exit_code - EXIT_OPTIONS, EXIT_FILES or EXIT_IO;  format - as printf, without newline
  The text often quotes what the user typed: control characters become '?', so that it stays one line.
*/
void ComplaintSet(Complaint *c, int exit_code, const char *format, ...)
{
  va_list arguments;

  if (c->exit_code) return;
  c->exit_code = exit_code;
  va_start(arguments, format);
  (void)vsnprintf(c->line, sizeof c->line, format, arguments);
  va_end(arguments);
  for (char *p = c->line; *p; p++)
    if (iscntrl((unsigned char)*p)) *p = '?';
}

/*
  ComplaintAgree - Give every rank the complaint of the lowest rank that has one.

  Collective.
  Input/Output:  complaint - of this rank; of all ranks
*/
PetscErrorCode ComplaintAgree(MPI_Comm comm, Complaint *complaint)
{
  PetscMPIInt rank, size, mine, first;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  mine = complaint->exit_code ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first < size) PetscCallMPI(MPI_Bcast(complaint, (PetscMPIInt)sizeof *complaint, MPI_BYTE, first, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define LONGEST_NAME 64

/* Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
static int EditDistance_Private(const char *a, const char *b)
{
  int    row[3][LONGEST_NAME + 1];
  size_t n = strlen(a), m = strlen(b);

  if (n > LONGEST_NAME) n = LONGEST_NAME;
  if (m > LONGEST_NAME) m = LONGEST_NAME;
  for (size_t j = 0; j <= m; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

    now[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int best = before[j - 1] + (a[i - 1] != b[j - 1]);

      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best) best = earlier[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

/*
  NearestName - The name most like a mistyped word.

  Input:   word;  names - NULL-terminated list
  Returns: one of names, or NULL if there is none. A name that holds the word ("amplitude" in "sweep_amplitude") counts as
  close: people leave prefixes out.
*/
const char *NearestName(const char *word, const char *const *names)
{
  const char *nearest = NULL;
  int         least   = INT_MAX;

  for (; *names; names++) {
    int distance = EditDistance_Private(word, *names);

    if (distance > 2 && strlen(word) > 3 && strstr(*names, word)) distance = 2;
    if (distance < least) {
      least   = distance;
      nearest = *names;
    }
  }
  return nearest;
}
