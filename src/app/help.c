/*
  help.c - graze help, graze --version: what the program says about itself.
*/
#include "app.h"

#include <slepcsys.h>
#include <string.h>

#include "graze/store.h"
#include "graze_version.h"

#define SUMMARY_COLUMN 27

static void PrintCommand_Private(const Command *c, FILE *file)
{
  char usage[64];

  (void)snprintf(usage, sizeof usage, "  %s %s", c->name, c->arguments);
  (void)fprintf(file, "%-*s%s\n", SUMMARY_COLUMN, usage, c->summary);
}

static void PrintNotes_Private(FILE *file)
{
  (void)fputs("Options are written -name value; a file holds them as name: value and the command line overrides it.\n"
              "  -options_file_yaml FILE   read options from a file; nested keys join with _\n"
              "  -eps_ -pep_ -st_ -ksp_ -pc_ -snes_ -mat_ -vec_ -log_   go to PETSc and SLEPc\n"
              "Units are non-dimensional: length L, time t0 = L^2 sqrt(rho A / (E I)), force E I / L^2;\n"
              "of a rod given by its SI set t0 = L sqrt(rho / E), force E A.\n"
              "With -units si stop, initial state, times, forcing and ranges are in m, m/s, s, N or m/s^2, rad/s.\n"
              "A range is first:last:count, both ends included, or one number. A list is 1,2,3.\n\n",
              file);
}

/*
  HelpPrint - Synopsis, commands and options, at most 100 columns wide.

  Not collective; for one rank.
  Input:  command - whose options; NULL: all
*/
PetscErrorCode HelpPrint(const Command *command, FILE *file)
{
  unsigned every = 0;

  PetscFunctionBeginUser;
  for (const Command *c = commands; c->name; c++) every |= c->options;
  if (!command) {
    (void)fprintf(file,
                  "Graze %s - an impacting beam, swept over forcing amplitudes and frequencies\n\n"
                  "  graze COMMAND [options]\n"
                  "  mpiexec -n 3 graze sweep -options_file_yaml inputs/period_adding/run.yaml -output runs/demo\n\n"
                  "Commands\n",
                  GRAZE_VERSION);
    for (const Command *c = commands; c->name; c++) PrintCommand_Private(c, file);
    (void)fprintf(file, "%-*s%s\n\n", SUMMARY_COLUMN, "  --version", "versions of Graze and of the libraries it is built with");
  } else {
    (void)fprintf(file, "graze %s %s\n\n  %s\n", command->name, command->arguments, command->summary);
    if (!command->options) PetscFunctionReturn(PETSC_SUCCESS);
    (void)fputs("\n", file);
  }
  PrintNotes_Private(file);
  PetscCall(ParamsPrintHelp(command ? command->options : every, file));
  if (!command)
    (void)fputs("\nExit codes\n  0 done   64 a bad option   65 a bad input file, or a result in the way   70 a bug   74 the disk\n"
                "  85 stopped before the end, everything saved: the same command goes on\n", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandHelp - graze help [command]; graze help --markdown writes docs/options.md.

  Collective; root prints.
*/
PetscErrorCode CommandHelp(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  PetscMPIInt    rank;
  const Command *command  = NULL;
  PetscBool      markdown = argc && !strcmp(argv[0], "--markdown") ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (argc && !markdown) command = CommandFind(argv[0], complaint);
  if (argc > 1) ComplaintSet(complaint, EXIT_OPTIONS, "stray word '%.80s'; write: graze help [command]", argv[1]);
  if (rank || complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (markdown) PetscCall(ParamsPrintMarkdown(stdout));
  else PetscCall(HelpPrint(command, stdout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  VersionPrint - Of the program, the commit it was built from, the libraries and the compiler.

  Not collective; for one rank.
*/
PetscErrorCode VersionPrint(FILE *file)
{
  char     mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int      length;
  PetscInt major, minor, subminor;

  PetscFunctionBeginUser;
  (void)fprintf(file, "graze    %s (commit %.12s%s)\n", GRAZE_VERSION, GRAZE_COMMIT, GRAZE_DIRTY ? ", with changes" : "");
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, NULL));
  (void)fprintf(file, "PETSc    %d.%d.%d\n", (int)major, (int)minor, (int)subminor);
  PetscCall(SlepcGetVersionNumber(&major, &minor, &subminor, NULL));
  (void)fprintf(file, "SLEPc    %d.%d.%d\n", (int)major, (int)minor, (int)subminor);
  (void)fprintf(file, "HDF5     %s\n", StoreLibraryVersion());
  PetscCallMPI(MPI_Get_library_version(mpi, &length));
  mpi[strcspn(mpi, "\n")] = 0;
  (void)fprintf(file, "MPI      %s\n", mpi);
#if defined(__clang__)
  (void)fprintf(file, "compiler clang %s\n", __clang_version__);
#elif defined(__GNUC__)
  (void)fprintf(file, "compiler GCC %s\n", __VERSION__);
#else
  (void)fprintf(file, "compiler not known\n");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
