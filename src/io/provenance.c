/*
  provenance.c - what a reader of the file needs to know to trust it, or to run it again.

  Attributes of /provenance: program_version, commit, dirty (1: built from changed sources), petsc, slepc, hdf5, mpi, compiler, cpu_model,
  host (of root), ranks, utc_start, utc_end (ISO 8601), uuid, command. Results are bit-identical on one cpu_model with one binary.
*/
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <slepcversion.h>

#include "graze/provenance.h"
#include "graze_version.h"

#if defined(__clang__) || !defined(__GNUC__)
  #define PROVENANCE_COMPILER __VERSION__
#else
  #define PROVENANCE_COMPILER "gcc " __VERSION__
#endif

#define PROVENANCE_RUNNING "none: running or killed" /* not shorter than the time that replaces it: changed in place */
#define PROVENANCE_LAST    253402300800.0            /* Unix time of the year 10000, whose text would be longer */
#define PROVENANCE_COMMAND 8192                      /* longest command line that is kept */

typedef char ProvenanceText[256];

static PetscErrorCode ProvenanceUtc_Private(time_t when, ProvenanceText text)
{
  struct tm utc;

  PetscFunctionBeginUser;
  PetscCheck(gmtime_r(&when, &utc), PETSC_COMM_SELF, PETSC_ERR_SYS, "No time of day");
  PetscCheck(strftime(text, sizeof(ProvenanceText), "%Y-%m-%dT%H:%M:%SZ", &utc), PETSC_COMM_SELF, PETSC_ERR_SYS, "No time of day");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random UUID, version 4 of RFC 9562. */
static PetscErrorCode ProvenanceUuid_Private(ProvenanceText text)
{
  unsigned char b[16];
  size_t        n      = 0, length = 0;
  FILE         *source = fopen("/dev/urandom", "rb");

  PetscFunctionBeginUser;
  if (source) {
    n = fread(b, 1, sizeof(b), source);
    (void)fclose(source);
  }
  PetscCheck(n == sizeof(b), PETSC_COMM_SELF, PETSC_ERR_SYS, "No random numbers from /dev/urandom");
  b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
  b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
  for (int i = 0; i < 16; i++) {
    const PetscBool dash = (PetscBool)(i == 4 || i == 6 || i == 8 || i == 10);
    length += (size_t)snprintf(text + length, sizeof(ProvenanceText) - length, "%s%02x", dash ? "-" : "", b[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processors that do not say their name there (ARM) are told by their architecture. */
static PetscErrorCode ProvenanceCpu_Private(const struct utsname *machine, ProvenanceText text)
{
  char  line[256];
  FILE *info = fopen("/proc/cpuinfo", "r");

  PetscFunctionBeginUser;
  (void)snprintf(text, sizeof(ProvenanceText), "unnamed %s", machine->machine);
  while (info && fgets(line, sizeof(line), info)) {
    const char *colon = strchr(line, ':');
    if (!colon || strncmp(line, "model name", strlen("model name")) != 0) continue;
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(text, sizeof(ProvenanceText), "%s", colon + 1 + strspn(colon + 1, " \t"));
    break;
  }
  if (info) (void)fclose(info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProvenanceLibraries_Private(Store store, Complaint *complaint)
{
  char           mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int            length;
  PetscInt       petsc[3];
  ProvenanceText text;

  PetscFunctionBeginUser;
  PetscCall(PetscGetVersionNumber(&petsc[0], &petsc[1], &petsc[2], NULL));
  (void)snprintf(text, sizeof(text), "%d.%d.%d", (int)petsc[0], (int)petsc[1], (int)petsc[2]);
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "petsc", text, complaint));
  (void)snprintf(text, sizeof(text), "%d.%d.%d", SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR);
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "slepc", text, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "hdf5", StoreLibraryVersion(), complaint));
  PetscCallMPI(MPI_Get_library_version(mpi, &length));
  mpi[strcspn(mpi, "\n")] = '\0'; /* MPICH goes on for pages */
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "mpi", mpi, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProvenanceCommand_Private(Store store, int argc, char *const *argv, Complaint *complaint)
{
  char   command[PROVENANCE_COMMAND];
  size_t length = 0;

  PetscFunctionBeginUser;
  command[0] = '\0';
  for (int i = 0; i < argc && length < sizeof(command); i++) {
    /* What a shell would take apart is quoted, so that the line can be pasted. */
    const char *quote = !argv[i][0] || strpbrk(argv[i], " \t\n\"'$&;|<>*?()[]{}\\") ? "'" : "";
    length += (size_t)snprintf(command + length, sizeof(command) - length, "%s%s%s%s", i ? " " : "", quote, argv[i], quote);
  }
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "command", command, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ProvenanceWrite - Say in the file what made it.

  Not collective (root). Complaint: EXIT_IO
  Input:   title - one line about the data;  ranks - size of the run;  argc, argv - as given to main
*/
PetscErrorCode ProvenanceWrite(Store store, const char *title, PetscMPIInt ranks, int argc, char *const *argv, Complaint *complaint)
{
  const int32_t  n_ranks = (int32_t)ranks;
  const int8_t   dirty   = GRAZE_DIRTY;
  struct utsname machine;
  ProvenanceText text;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(uname(&machine) >= 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "The machine has no name");
  PetscCall(StoreAttributeText(store, "/", "title", title, complaint));
  PetscCall(StoreAttributeText(store, "/", "Conventions", "CF-1.10", complaint));
  PetscCall(StoreAttributeText(store, "/", "source", "graze " GRAZE_VERSION, complaint));

  PetscCall(StoreDefineGroup(store, PROVENANCE_GROUP, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "program_version", GRAZE_VERSION, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "commit", GRAZE_COMMIT, complaint));
  PetscCall(StoreAttributeNumbers(store, PROVENANCE_GROUP, "dirty", STORE_INT8, 1, &dirty, complaint));
  PetscCall(ProvenanceLibraries_Private(store, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "compiler", PROVENANCE_COMPILER, complaint));
  PetscCall(ProvenanceCpu_Private(&machine, text));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "cpu_model", text, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "host", machine.nodename, complaint));
  PetscCall(StoreAttributeNumbers(store, PROVENANCE_GROUP, "ranks", STORE_INT32, 1, &n_ranks, complaint));
  PetscCall(ProvenanceUtc_Private(time(NULL), text));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "utc_start", text, complaint));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "utc_end", PROVENANCE_RUNNING, complaint));
  PetscCall(ProvenanceUuid_Private(text));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "uuid", text, complaint));
  PetscCall(ProvenanceCommand_Private(store, argc, argv, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ProvenanceSetEnd - Say when the run ended, or that it goes on; also after StoreReady.

  Not collective (root). Complaint: EXIT_IO
  Input:   end - Unix time [s]; NaN: it has not ended
*/
PetscErrorCode ProvenanceSetEnd(Store store, double end, Complaint *complaint)
{
  ProvenanceText text = PROVENANCE_RUNNING;

  PetscFunctionBeginUser;
  if (end >= 0.0 && end < PROVENANCE_LAST) PetscCall(ProvenanceUtc_Private((time_t)end, text));
  PetscCall(StoreAttributeText(store, PROVENANCE_GROUP, "utc_end", text, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ProvenanceWriteEnd - Write the time at which the run ended: now; also after StoreReady.

  Not collective (root). Complaint: EXIT_IO
*/
PetscErrorCode ProvenanceWriteEnd(Store store, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(ProvenanceSetEnd(store, (double)time(NULL), complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
