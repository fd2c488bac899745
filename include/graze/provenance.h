/*
  provenance.h - where a file comes from: program, libraries, machine, times, command.

  The root group gets what describes the data (title, Conventions, source); all that differs from run to run is an attribute of
  the group /provenance, so that two results can be compared by leaving out that one group.
*/
#ifndef GRAZE_PROVENANCE_H
#define GRAZE_PROVENANCE_H

#include "graze/store.h"

#define PROVENANCE_GROUP "/provenance"

/* Root. Before StoreReady; ranks: size of the run; argc, argv as given to main. */
PetscErrorCode ProvenanceWrite(Store store, const char *title, PetscMPIInt ranks, int argc, char *const *argv, Complaint *complaint);
/* Root. utc_end becomes this Unix time [s]; NaN: as before the end. */
PetscErrorCode ProvenanceSetEnd(Store store, double end, Complaint *complaint);
/* Root. Fills in utc_end with the present time; it is "none: running or killed" until then. */
PetscErrorCode ProvenanceWriteEnd(Store store, Complaint *complaint);

#endif
