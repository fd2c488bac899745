/*
  costs.c - what root does for a step, a piece, a report and an fsync, timed with the objects of the program.
*/
#define _XOPEN_SOURCE 700
#include <time.h>
#include <unistd.h>

#include "bench_schedule.h"
#include "graze/journal.h"
#include "graze/schedule.h"
#include "pool/mail.h"

#define SAMPLE  4000 /* steps timed */
#define AT_ONCE 50   /* messages that wait while they are timed */
#define HEAD    64   /* bytes of a message without a step */

#define SYNC_RATE 3000.0 /* steps/s while fsync is timed */

static PetscErrorCode Stand_Private(const Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCheck(!complaint->exit_code, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", complaint->line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of events.jsonl: numbers into text, one write. */
static PetscErrorCode Line_Private(int file, const JournalRecord *r)
{
  char      line[512];
  const int n = snprintf(line, sizeof line,
                         "{\"record\": %lld, \"time\": %.3f, \"session\": 0, \"rank\": %d, \"unit\": %lld, \"step\": %lld, \"direction\": "
                         "1, \"amplitude\": %.17g, \"frequency\": %.17g, "
                         "\"status\": \"periodic\", \"period\": 3, \"seconds\": %.6f}\n",
                         (long long)r->number, r->time, (int)r->rank, (long long)r->unit, (long long)r->step, 1.0 / 3.0, 20.0 / 3.0, 0.02);

  PetscFunctionBeginUser;
  PetscCheck(write(file, line, (size_t)n) == n, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write events");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes `n` messages that are here, each a step or (bytes = 0) a report. */
static PetscErrorCode TakeSteps_Private(Mail mail, Schedule schedule, Journal journal, int events, PetscInt n, PetscInt first,
                                        PetscReal *seconds)
{
  const double begin     = MPI_Wtime();
  Complaint    complaint = {0};

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; k++) {
    JournalRecord record = {.kind = 1, .unit = 0, .step = first + k};
    PetscMPIInt   from;
    PetscInt      nbytes, left;
    PetscBool     last;
    void         *message;

    do PetscCall(MailTake(mail, &from, &nbytes, &message));
    while (!message);
    if (schedule) {
      PetscCall(ScheduleStep(schedule, 1, 0, first + k, &last));
      record.nbytes = nbytes - HEAD;
      PetscCall(JournalAppend(journal, &record, (char *)message + HEAD, &complaint));
      PetscCall(Line_Private(events, &record));
    }
    PetscCall(PetscFree(message));
    PetscCall(MailFollow(mail, &left));
  }
  *seconds += MPI_Wtime() - begin;
  PetscCall(Stand_Private(&complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pieces handed out to a rank that does nothing with them. */
static PetscErrorCode TimePieces_Private(Mail mail, Journal journal, PetscReal *seconds)
{
  const char head[HEAD] = {0};
  Complaint  complaint  = {0};
  Schedule   schedule;

  PetscFunctionBeginUser;
  PetscCall(ScheduleCreate(2, PETSC_FALSE, &schedule));
  for (PetscInt u = 0; u < SAMPLE; u++)
    PetscCall(ScheduleAdd(schedule, &(PoolPiece){.unit = u, .n = 1, .cost = (PetscReal)(u * 7919 % SAMPLE)}));
  for (PetscInt u = 0; u < SAMPLE; u++) {
    const double     begin  = MPI_Wtime();
    JournalRecord    record = {.kind = 2};
    const PoolPiece *piece;
    PetscInt         rank, left, nbytes;
    PetscMPIInt      from;
    void            *message;

    PetscCall(ScheduleNext(schedule, &rank, &piece));
    record.unit = piece->unit;
    PetscCall(JournalAppend(journal, &record, NULL, &complaint));
    PetscCall(MailPost(mail, 0, HEAD, head, 0, NULL, NULL));
    PetscCall(MailFollow(mail, &left));
    PetscCall(ScheduleEnd(schedule, 1));
    *seconds += MPI_Wtime() - begin;
    do PetscCall(MailTake(mail, &from, &nbytes, &message));
    while (!message);
    PetscCall(PetscFree(message));
  }
  PetscCall(ScheduleDestroy(&schedule));
  PetscCall(Stand_Private(&complaint));
  *seconds /= SAMPLE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  What fsync of root takes for each step since the last. Steps come at a moderate rate: whatever the system writes by itself meanwhile
  costs root nothing.
*/
static PetscErrorCode TimeSync_Private(const Options *options, Journal journal, const char *body, PetscReal *seconds)
{
  const double   begin     = MPI_Wtime();
  const PetscInt steps     = (PetscInt)(SYNC_RATE * SYNC_SECONDS);
  Complaint      complaint = {0};
  double         asked;

  PetscFunctionBeginUser;
  PetscCall(JournalSync(journal, &complaint));
  for (PetscInt k = 0; k < steps; k++) {
    const struct timespec nap    = {0, 200000};
    JournalRecord         record = {.kind = 1, .step = k, .nbytes = options->bytes};

    PetscCall(JournalAppend(journal, &record, body, &complaint));
    while (MPI_Wtime() < begin + (double)k / SYNC_RATE) (void)nanosleep(&nap, NULL);
  }
  asked = MPI_Wtime();
  PetscCall(JournalSync(journal, &complaint));
  *seconds = (MPI_Wtime() - asked) / (double)steps;
  PetscCall(Stand_Private(&complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CostsMeasure - What root's work takes. Leaves no file. */
PetscErrorCode CostsMeasure(const Options *options, Costs *costs)
{
  const char head[HEAD] = {0};
  char       path[2][PETSC_MAX_PATH_LEN + 64], *body;
  Complaint  complaint = {0};
  Mail       mail;
  Journal    journal;
  Schedule   schedule;
  FILE      *events;
  PetscInt   rank;

  PetscFunctionBeginUser;
  *costs = (Costs){0};
  PetscCall(PetscSNPrintf(path[0], sizeof path[0], "%s/graze_schedule.%ld.journal", options->folder, (long)getpid()));
  PetscCall(PetscSNPrintf(path[1], sizeof path[1], "%s/graze_schedule.%ld.jsonl", options->folder, (long)getpid()));
  events = fopen(path[1], "w");
  PetscCheck(events, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write %s", path[1]);
  PetscCall(JournalCreate(path[0], 0, 0, "graze_schedule", &journal, &complaint));
  PetscCall(Stand_Private(&complaint));
  PetscCall(MailCreate(PETSC_COMM_SELF, &mail));
  PetscCall(ScheduleCreate(2, PETSC_FALSE, &schedule));
  PetscCall(ScheduleAdd(schedule, &(PoolPiece){.unit = 0, .n = 2 * SAMPLE}));
  {
    const PoolPiece *piece;

    PetscCall(ScheduleNext(schedule, &rank, &piece));
  }
  PetscCall(PetscMalloc1(options->bytes, &body));
  for (PetscInt i = 0; i < options->bytes; i++) body[i] = (char)(i * 31);

  /* the first half warms up; sending is the workers' time */
  for (PetscInt first = 0; first < 2 * SAMPLE; first += AT_ONCE) {
    if (first == SAMPLE) costs->step = 0;
    for (PetscInt k = 0; k < AT_ONCE; k++) PetscCall(MailPost(mail, 0, HEAD, head, options->bytes, body, NULL));
    PetscCall(TakeSteps_Private(mail, schedule, journal, fileno(events), AT_ONCE, first, &costs->step));
  }
  costs->step /= SAMPLE;
  if (options->fsync) PetscCall(TimeSync_Private(options, journal, body, &costs->sync));
  for (PetscInt k = 0; k < AT_ONCE; k++) PetscCall(MailPost(mail, 0, HEAD, head, 0, NULL, NULL));
  PetscCall(TakeSteps_Private(mail, NULL, NULL, -1, AT_ONCE, 0, &costs->report));
  costs->report /= AT_ONCE;
  PetscCall(TimePieces_Private(mail, journal, &costs->piece));

  PetscCall(PetscFree(body));
  PetscCall(ScheduleDestroy(&schedule));
  PetscCall(MailDestroy(&mail));
  PetscCall(JournalClose(&journal, &complaint));
  (void)fclose(events);
  (void)unlink(path[0]);
  (void)unlink(path[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
