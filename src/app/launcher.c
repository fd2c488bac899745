/*
  launcher.c - did N processes become N ranks, or N programs of one rank each that know nothing of each other?

  The second happens where srun and MPI do not speak the same language (no PMIx): every process would compute the whole grid into the same
  folder. What a launcher says of itself is read before MPI_Init, which sets some of the same variables in a process it was not asked to launch.
*/
#include <stdlib.h>

#include "app.h"

static long said_by_launcher = 0; /* ranks, by the launcher's word; 0: there was none */

void LauncherRemember(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};

  for (size_t i = 0; i < sizeof names / sizeof names[0] && !said_by_launcher; i++) {
    const char *value = getenv(names[i]);

    if (value) said_by_launcher = strtol(value, NULL, 10);
  }
}

PetscErrorCode LauncherCheck(MPI_Comm comm, Complaint *complaint)
{
  const char *value = getenv("SLURM_STEP_NUM_TASKS");
  const long  tasks = value ? strtol(value, NULL, 10) : 0;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  /* a launcher that says 1 (mpirun -n 1 inside a job) means it */
  if (size == 1 && tasks > 1 && said_by_launcher != 1)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "srun started %ld tasks, but MPI sees one rank in each: all would do the same work. Try srun --mpi=pmix (see srun --mpi=list), or mpirun -n %ld inside the job (LAUNCHER=mpirun)", tasks,
                 tasks);
  PetscFunctionReturn(PETSC_SUCCESS);
}
