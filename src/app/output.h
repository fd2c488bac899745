/*
  output.h - the output folder of a command, and the parts of a result file that all commands share.

  A folder holds the result of one command: <file>, used_parameters.yaml, log.txt, and what belongs to the checkpoint of a sweep. One run at
  a time works on a folder. Functions that take a Store are root's, before StoreReady.
*/
#ifndef GRAZE_OUTPUT_H
#define GRAZE_OUTPUT_H

#include "graze/model.h"
#include "graze/store.h"
#include "graze/units.h"

/* What the folder holds of the result that is asked for. */
typedef enum {
  OUTPUT_NEW,    /* nothing */
  OUTPUT_RESUME, /* a part of it, of the same physics */
  OUTPUT_DONE    /* all of it: nothing was touched */
} OutputFound;

PetscErrorCode OutputPrepare(MPI_Comm comm, const Params *params, unsigned command, const char *file, OutputFound *found,
                             Complaint *complaint);
PetscErrorCode OutputWriteYaml(const Params *params, unsigned command, Complaint *complaint);
/* <output>/name into path[size]; a path too long is a complaint. */
PetscErrorCode OutputPath(const Params *params, const char *name, size_t size, char *path, Complaint *complaint);

/* What is said of the model in the log: L+, modes, tail. Not collective. */
PetscErrorCode OutputLogModel(Model model, const Params *params);

PetscErrorCode OutputWriteParameters(Store store, const Params *params, unsigned command, Complaint *complaint);
PetscErrorCode OutputWriteScales(Store store, const Units *units, Complaint *complaint);
PetscErrorCode OutputWriteKernel(Store store, Model model, Complaint *complaint);
/* ProvenanceWrite with the whole command line: argc, argv are the words after the command's name. */
PetscErrorCode OutputWriteProvenance(Store store, MPI_Comm comm, const char *title, const char *command, int argc, char *const *argv,
                                     Complaint *complaint);

/* Attributes long_name, units = "1" and scale (docs/data.md) of a non-dimensional variable. */
PetscErrorCode OutputDescribe(Store store, const char *path, const char *long_name, const char *scale, Complaint *complaint);
/* Scale of a forcing amplitude. */
const char *OutputAmplitudeScale(const Params *params);

#endif
