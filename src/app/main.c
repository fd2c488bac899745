/*
  main.c - one way in, one way out: find the command, run it, agree on what is wrong, say it once, exit with its code.
*/
#define _XOPEN_SOURCE 700
#include "app.h"

#include <signal.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graze/log.h"

const Command commands[] = {
  {"sweep", "[options]", "steady states over a grid of forcing amplitudes and frequencies", COMMAND_SWEEP, CommandSweep},
  {"trajectory", "[options]", "displacement, velocity, force and contacts for one pair of parameters", COMMAND_TRAJECTORY,
   CommandTrajectory},
  {"continue", "[options]", "branches of periodic orbits, stable or not, over one parameter", COMMAND_CONTINUE, CommandContinue},
  {"kernel", "[options]", "memory kernel of a structure: regular (finite contact force) or not", COMMAND_KERNEL,
   CommandKernel},
  {"asymptotics", "[options]", "contact force of short contacts for frequencies that grow as a power", COMMAND_ASYMPTOTICS,
   CommandAsymptotics},
  {"info", "[-state] DIR|FILE", "what a result holds and how far a run is; -state: for scripts", 0, CommandInfo},
  {"verify", "DIR|FILE", "whether a sweep or branches are whole: checksums, and what must hold", 0, CommandVerify},
  {"check", "BRANCHES SWEEP", "whether the branches of continue and the cells of a sweep agree", 0, CommandCheck},
  {"merge", "DIR", "join the shards of a sweep (-shard k/N) into one file", 0, CommandMerge},
  {"help", "[command]", "this text, or the options of one command", 0, CommandHelp},
  {NULL, NULL, NULL, 0, NULL}};

static double begin; /* Unix time at which the program started [s] */

double AppBegin(void)
{
  return begin;
}

const Command *CommandFind(const char *name, Complaint *complaint)
{
  const char *names[sizeof commands / sizeof commands[0]];
  int         n = 0;

  for (const Command *c = commands; c->name; c++) {
    if (!strcmp(c->name, name)) return c;
    names[n++] = c->name;
  }
  names[n] = NULL;
  if (*name == '-')
    ComplaintSet(complaint, EXIT_OPTIONS, "'%.80s' comes before the command; write: graze COMMAND [options] (see graze help)", name);
  else ComplaintSet(complaint, EXIT_OPTIONS, "unknown command '%.80s'; did you mean '%s'?", name, NearestName(name, names));
  return NULL;
}

PetscErrorCode AppAbort(MPI_Comm comm, const Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(LogClose(NULL));
  (void)fprintf(stderr, "graze: %s\n", complaint->line);
  (void)fflush(stderr);
  PetscCallMPI(MPI_Abort(comm, complaint->exit_code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsWord_Private(const char *word, const char *a, const char *b, const char *c)
{
  return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c) ? PETSC_TRUE : PETSC_FALSE;
}

/* What the whole program does; argv without PETSc's options. */
static PetscErrorCode Run_Private(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt    rank;
  const Command *command = NULL;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (argc < 2) {
    if (!rank) PetscCall(HelpPrint(NULL, stderr));
    complaint->exit_code = EXIT_OPTIONS; /* the help says it all */
  } else if (IsWord_Private(argv[1], "--version", "-version", "version")) {
    if (!rank) PetscCall(VersionPrint(stdout));
  } else if (IsWord_Private(argv[1], "--help", "-help", "-h")) {
    if (!rank) PetscCall(HelpPrint(NULL, stdout));
  } else if ((command = CommandFind(argv[1], complaint))) {
    for (int i = 2; i < argc; i++) {
      if (!IsWord_Private(argv[i], "--help", "-help", "-h")) continue;
      if (!rank) PetscCall(HelpPrint(command, stdout));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (command->options) PetscCall(LauncherCheck(comm, complaint));
    if (!complaint->exit_code) PetscCall(command->run(comm, argc - 2, argv + 2, complaint));
  }
  PetscCall(ComplaintAgree(comm, complaint));
  PetscCall(LogClose(NULL));
  if (!complaint->exit_code) PetscCall(ParamsReportUnused(comm, stderr));
  else if (!rank && *complaint->line) (void)fprintf(stderr, "graze: %s\n", complaint->line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Complaint complaint = {0};
  int       n_own, n_petsc;
  char    **own = malloc(((size_t)argc + 1) * sizeof *own), **petsc = malloc(((size_t)argc + 1) * sizeof *petsc), **given = petsc;
  void    (*hang_up)(int) = signal(SIGHUP, SIG_IGN); /* nohup's wish outlives PETSc, which takes the signal */
  struct timespec now;

  if (!own || !petsc) return EXIT_INTERNAL;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  begin = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  LauncherRemember();
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* MPI_Abort drops what is buffered */
  /* One rank per core: threads below us would fight over it. */
  (void)setenv("OMP_NUM_THREADS", "1", 0);
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ParamsSplitArguments(argc, argv, &n_own, own, &n_petsc, petsc);
  petsc[n_petsc] = NULL;
  if (SlepcInitialize(&n_petsc, &petsc, NULL, NULL)) return EXIT_INTERNAL;
  (void)signal(SIGHUP, hang_up);
  (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is then a failed write, which is reported */
  (void)signal(SIGPIPE, SIG_DFL); /* `graze help | head` ends without a word; PETSc would print a trace */

  /* PETSc's own handler prints the trace while the error passes up to here. */
  if (Run_Private(PETSC_COMM_WORLD, n_own, own, &complaint)) {
    (void)fprintf(stderr, "graze: internal error, see the trace above; please report it with the command line and input\n");
    (void)fflush(stderr);
    (void)MPI_Abort(PETSC_COMM_WORLD, EXIT_INTERNAL);
  }
  if (SlepcFinalize() && !complaint.exit_code) complaint.exit_code = EXIT_INTERNAL;
  free(own);
  free(given);
  return complaint.exit_code;
}
