/*
  events.c - events.jsonl: a line for every finished cell, in the order in which they were acknowledged.

  Invariants: numbers of records rise from line to line; each line goes to the system in one write, after its record. A kill may tear the last line;
  the loss of a machine may take records from the journal whose lines are here, and leave bytes that are no line at all. Opening cuts both.
*/
#define _XOPEN_SOURCE 700
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

struct _p_Events {
  /* owned */
  char *path;
  int   file;
};

#define HEAD "{\"record\": "

/* The number of the record of a line with its newline; -1: it is no line of ours. */
static long long Number_Private(const char *line, size_t n)
{
  char     *end;
  long long number;

  if (n < sizeof HEAD + 2 || strncmp(line, HEAD, sizeof HEAD - 1) || strcmp(line + n - 2, "}\n") || strlen(line) != n) return -1;
  if (line[sizeof HEAD - 1] < '0' || line[sizeof HEAD - 1] > '9') return -1;
  number = strtoll(line + sizeof HEAD - 1, &end, 10);
  return *end == ',' ? number : -1;
}

/* Up to the end of the last line whose record the journal still has. */
static PetscErrorCode Scan_Private(const char *path, PetscInt64 next, PetscInt64 *last, off_t *keep)
{
  FILE   *file = fopen(path, "r");
  char   *line = NULL;
  size_t  room = 0;
  off_t   size = 0;
  ssize_t n;

  PetscFunctionBeginUser;
  *last = -1;
  *keep = 0;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  while ((n = getline(&line, &room, file)) > 0) {
    const long long number = Number_Private(line, (size_t)n);

    if (number >= next) break;
    size += n;
    if (number < 0) continue;
    *last = number;
    *keep = size;
  }
  free(line);
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  EventsOpen - Open <folder>/events.jsonl to append, without what does not belong to the records before `next`.

  Not collective (root). Complaint: EXIT_IO, and events is NULL
  Output:  last - number of the record of the last line; -1: there is none
  Cost:    reads the file once, memory of a line
*/
PetscErrorCode EventsOpen(const char *folder, PetscInt64 next, PetscInt64 *last, Events *events, Complaint *complaint)
{
  char        path[PETSC_MAX_PATH_LEN + 32];
  off_t       keep = 0;
  struct stat info;
  Events      e;
  int         file, failed;

  PetscFunctionBeginUser;
  *events = NULL;
  *last   = -1;
  (void)snprintf(path, sizeof path, "%.*s/events.jsonl", PETSC_MAX_PATH_LEN, folder);
  file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  failed = fstat(file, &info);
  if (!failed && S_ISREG(info.st_mode)) {
    PetscCall(Scan_Private(path, next, last, &keep));
    if (info.st_size > keep) failed = ftruncate(file, keep);
  }
  if (failed) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    (void)close(file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscNew(events));
  e       = *events;
  e->file = file;
  PetscCall(PetscStrallocpy(path, &e->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  EventsAppend - The line of a finished cell.

  Not collective (root). Complaint: EXIT_IO
  Input:   record - of the cell: number, time, rank, unit, step;  row - shape [layout->length]
*/
PetscErrorCode EventsAppend(Events events, const JournalRecord *record, PetscInt session, const Grid *grid, const CellLayout *layout, const PetscReal *row, Complaint *complaint)
{
  char      line[1024], text[4][JSON_NUMBER];
  int       n;
  GridUnit  u;
  PetscInt  i, j, status = (PetscInt)row[layout->offset[CELL_STATUS]];
  PetscReal amplitude, frequency;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  GridGetUnit(grid, (PetscInt)record->unit, &u);
  GridGetCell(grid, u.line, u.first + (PetscInt)record->step * u.step, &i, &j, &amplitude, &frequency);
  n = snprintf(line, sizeof line,
               HEAD "%lld, \"time\": %s, \"session\": %lld, \"rank\": %d, \"unit\": %lld, \"step\": %lld, \"direction\": %d, \"amplitude\": %s, \"frequency\": %s, \"status\": \"%s\", "
                    "\"period\": %lld, \"seconds\": %s}\n",
               (long long)record->number, JsonFixed(record->time, 3, text[0]), (long long)session, (int)record->rank, (long long)record->unit, (long long)record->step, (int)u.step,
               JsonReal((double)amplitude, text[1]), JsonReal((double)frequency, text[2]), status >= 0 && status < STATUS_COUNT ? SteadyStatusNames[status] : "unknown",
               (long long)row[layout->offset[CELL_PERIOD]], JsonFixed((double)row[layout->offset[CELL_WALL_SECONDS]], 6, text[3]));
  PetscCheck(n > 0 && n < (int)sizeof line, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A line of events.jsonl is %d bytes long", n);
  for (int done = 0; done < n;) {
    const ssize_t put = write(events->file, line + done, (size_t)(n - done));

    if (put > 0) done += (int)put;
    else if (errno != EINTR) {
      ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", events->path, strerror(errno));
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EventsClose - Not collective (root). NULL is closed already. */
PetscErrorCode EventsClose(Events *events)
{
  PetscFunctionBeginUser;
  if (!*events) PetscFunctionReturn(PETSC_SUCCESS);
  (void)close((*events)->file);
  PetscCall(PetscFree((*events)->path));
  PetscCall(PetscFree(*events));
  PetscFunctionReturn(PETSC_SUCCESS);
}
