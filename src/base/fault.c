/*
  fault.c - what GRAZE_FAULT asks for, done when the process comes by.

  The variable is read at the first use, and anew (counts from 0) when it has changed: a child that a test forks has faults of its
  own. A word that cannot be understood ends the process with one line: a test whose fault does not happen would prove nothing.
*/
#define _POSIX_C_SOURCE 200809L

#include "graze/fault.h"

#if defined(GRAZE_FAULTS)

  #include <errno.h>
  #include <fcntl.h>
  #include <math.h>
  #include <signal.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <time.h>
  #include <unistd.h>

  #include "graze/complaint.h"

  #define FAULTS      32  /* in one variable */
  #define WORD_LENGTH 128

static const char *const places[] = {"start", "journal_write", "snapshot", "rename"};
  #define PLACES ((int)(sizeof places / sizeof places[0]))

typedef enum { CELL_SIGNAL, CELL_HANG, CELL_ERROR, CELL_SLOW } CellFault;

static const struct {
  const char *name;
  CellFault   kind;
  int         signal;
} cell_faults[] = {
  {"segv",  CELL_SIGNAL, SIGSEGV},
  {"fpe",   CELL_SIGNAL, SIGFPE },
  {"bus",   CELL_SIGNAL, SIGBUS },
  {"abort", CELL_SIGNAL, SIGABRT},
  {"kill",  CELL_SIGNAL, SIGKILL},
  {"hang",  CELL_HANG,   0      },
  {"error", CELL_ERROR,  0      },
  {"slow=", CELL_SLOW,   0      }, /* seconds follow */
};
  #define CELL_FAULTS ((int)(sizeof cell_faults / sizeof cell_faults[0]))

static struct {
  char *text; /* of the variable, as it was read */
  long  passages[PLACES]; /* so far */
  int   n_points, n_cells;
  struct {
    int    place;
    double seconds;
    long   passage;
  } points[FAULTS];
  struct {
    int       what; /* index into cell_faults */
    double    seconds;
    long long unit, step;
  } at_cells[FAULTS];
} faults;

static void Refuse_Private(const char *variable, const char *word, const char *why)
{
  (void)fprintf(stderr, "graze: %s: '%s': %s\n", variable, word, why);
  _Exit(EXIT_OPTIONS);
}

/* A number from *text on, which is moved behind it; false: there is none. */
static PetscBool Seconds_Private(const char **text, double *seconds)
{
  char *end;

  *seconds = strtod(*text, &end);
  if (end == *text || !isfinite(*seconds) || *seconds < 0) return PETSC_FALSE;
  *text = end;
  return PETSC_TRUE;
}

static PetscBool Integer_Private(const char **text, long long least, long long *value)
{
  char *end;

  errno  = 0;
  *value = strtoll(*text, &end, 10);
  if (end == *text || errno || *value < least) return PETSC_FALSE;
  *text = end;
  return PETSC_TRUE;
}

/* If *text begins with `word`, move behind it. */
static PetscBool Skip_Private(const char **text, const char *word)
{
  const size_t length = strlen(word);

  if (strncmp(*text, word, length)) return PETSC_FALSE;
  *text += length;
  return PETSC_TRUE;
}

/* WHAT@UNIT,STEP */
static PetscBool ParseCell_Private(const char *text)
{
  const int n = faults.n_cells;
  int       i = 0;

  while (i < CELL_FAULTS && !Skip_Private(&text, cell_faults[i].name)) i++;
  if (i == CELL_FAULTS) return PETSC_FALSE;
  faults.at_cells[n].what = i;
  if (cell_faults[i].kind == CELL_SLOW && !Seconds_Private(&text, &faults.at_cells[n].seconds)) return PETSC_FALSE;
  if (!Skip_Private(&text, "@") || !Integer_Private(&text, 0, &faults.at_cells[n].unit)) return PETSC_FALSE;
  if (!Skip_Private(&text, ",") || !Integer_Private(&text, 0, &faults.at_cells[n].step) || *text) return PETSC_FALSE;
  faults.n_cells++;
  return PETSC_TRUE;
}

/* PLACE:sleep=SECONDS@K */
static PetscBool ParsePoint_Private(const char *text)
{
  const int n = faults.n_points;
  int       i = 0;
  long long passage;

  while (i < PLACES && !Skip_Private(&text, places[i])) i++;
  if (i == PLACES || !Skip_Private(&text, ":sleep=") || !Seconds_Private(&text, &faults.points[n].seconds)) return PETSC_FALSE;
  if (!Skip_Private(&text, "@") || !Integer_Private(&text, 1, &passage) || *text) return PETSC_FALSE;
  faults.points[n].place   = i;
  faults.points[n].passage = (long)passage;
  faults.n_points++;
  return PETSC_TRUE;
}

static void ReadEnvironment_Private(void)
{
  const char *text = getenv("GRAZE_FAULT");

  if (!text) text = "";
  if (faults.text && !strcmp(faults.text, text)) return;
  free(faults.text);
  memset(&faults, 0, sizeof faults);
  faults.text = strdup(text);
  while (*(text += strspn(text, " "))) {
    const size_t length = strcspn(text, " ");
    char         word[WORD_LENGTH];
    const char  *rest = word;

    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (length >= sizeof word) Refuse_Private("GRAZE_FAULT", word, "too long");
    if (faults.n_points == FAULTS || faults.n_cells == FAULTS) Refuse_Private("GRAZE_FAULT", word, "too many faults");
    if (!(Skip_Private(&rest, "cell:") ? ParseCell_Private(rest) : ParsePoint_Private(rest)))
      Refuse_Private("GRAZE_FAULT", word, "expected PLACE:sleep=SECONDS@K or cell:WHAT@UNIT,STEP (fault.h)");
    text += length;
  }
}

/* Whole lines, whatever other ranks write to the same file. */
static void AppendLine_Private(const char *variable, const char *path, const char *line)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

  if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line)) Refuse_Private(variable, path, strerror(errno));
  (void)close(fd);
}

/* All of it: signals that a process handles do not cut it short. */
static void Sleep_Private(double seconds)
{
  struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};

  while (nanosleep(&left, &left) && errno == EINTR) continue;
}

static int FindPlace_Private(const char *place)
{
  int i = 0;

  while (i < PLACES && strcmp(place, places[i])) i++;
  return i;
}

/*
  FaultIsSet - Is there a fault for this place, now or later?

  Not collective.
*/
PetscBool FaultIsSet(const char *place)
{
  const int i = FindPlace_Private(place);

  ReadEnvironment_Private();
  for (int k = 0; k < faults.n_points; k++)
    if (faults.points[k].place == i) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
  FaultPoint - This process passes a named place: leave a mark and sleep, if GRAZE_FAULT says so for this passage.

  Not collective.
  Input:  place - one of the names in fault.h
*/
PetscErrorCode FaultPoint(const char *place)
{
  const int   i    = FindPlace_Private(place);
  const char *mark = getenv("GRAZE_FAULT_MARK");

  PetscFunctionBeginUser;
  PetscCheck(i < PLACES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is no place for a fault", place);
  ReadEnvironment_Private();
  faults.passages[i]++;
  for (int k = 0; k < faults.n_points; k++) {
    char line[WORD_LENGTH];

    if (faults.points[k].place != i || faults.points[k].passage != faults.passages[i]) continue;
    (void)snprintf(line, sizeof line, "%s\n", place);
    if (mark) AppendLine_Private("GRAZE_FAULT_MARK", mark, line);
    Sleep_Private(faults.points[k].seconds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  FaultCell - This rank begins step `step` of unit `unit`: write it down, and do to itself what GRAZE_FAULT says.

  Not collective. Returns an error for "error", after a while for "slow", not at all for "hang" and the signals.
*/
PetscErrorCode FaultCell(PetscInt unit, PetscInt step)
{
  const char *cells = getenv("GRAZE_FAULT_CELLS");

  PetscFunctionBeginUser;
  ReadEnvironment_Private();
  if (cells) {
    char line[WORD_LENGTH];

    (void)snprintf(line, sizeof line, "%lld %lld\n", (long long)unit, (long long)step);
    AppendLine_Private("GRAZE_FAULT_CELLS", cells, line);
  }
  for (int k = 0; k < faults.n_cells; k++) {
    const int what = faults.at_cells[k].what;

    if (faults.at_cells[k].unit != unit || faults.at_cells[k].step != step) continue;
    switch (cell_faults[what].kind) {
    case CELL_SIGNAL:
      (void)raise(cell_faults[what].signal);
      break;
    case CELL_HANG:
      for (;;) (void)pause();
    case CELL_ERROR:
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "asked for by GRAZE_FAULT in step %lld of unit %lld", (long long)step, (long long)unit);
    case CELL_SLOW:
      Sleep_Private(faults.at_cells[k].seconds);
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
