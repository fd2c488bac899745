/*
  params_store.h - the parameters of a result, read back from the file that holds it.   Not collective (root).
*/
#ifndef GRAZE_PARAMS_STORE_H
#define GRAZE_PARAMS_STORE_H

#include "graze/params.h"
#include "graze/store.h"

/* From /parameters and, of a sweep, the attribute `shard`, as the user gave them to `command`; run control has its defaults. Complaint:
   EXIT_FILES */
PetscErrorCode ParamsFromStore(Store store, unsigned command, Params *given, Complaint *complaint);
/* The value of a row as /parameters has it, as ParamsFormat would write it; "" where there is none. An option that is younger than the
   file has its default. */
PetscErrorCode ParamsStoredValue(Store store, const ParamRow *row, size_t size, char *text);
/* Names of the options of a sweep that decide the data and differ, separated by ", "; "" if none does. */
PetscErrorCode ParamsDifferences(const Params *one, const Params *other, size_t size, char *list);
/* Every option of the command that decides the data, a line each: whose a journal is. */
PetscErrorCode ParamsIdentity(const Params *given, unsigned command, size_t size, char *text);

#endif
