/*
  variable.h - dimensions and variables of a result file, each with long_name, units and scale.   (docs/data.md)

  A name is "tau" in the root group, or "kernel/tau" in the group /kernel, which is there.
*/
#ifndef GRAZE_VARIABLE_H
#define GRAZE_VARIABLE_H

#include <complex.h>

#include "graze/store.h"

/* values[n] of the dimension. */
PetscErrorCode VariableDimension(Store store, const char *name, StoreType type, PetscInt n, const void *values, const char *long_name,
                                 const char *scale, Complaint *complaint);
/* 1, 2, ... n */
PetscErrorCode VariableCount(Store store, const char *name, PetscInt n, const char *long_name, Complaint *complaint);
/* dims separated by spaces, "" for a scalar; values in row-major order. */
PetscErrorCode Variable(Store store, const char *name, StoreType type, const char *dims, const void *values, const char *long_name,
                        const char *scale, Complaint *complaint);
/* name_re and name_im; n numbers in all. */
PetscErrorCode VariableComplex(Store store, const char *name, const char *dims, PetscInt n, const double complex *values,
                               const char *long_name, const char *scale, Complaint *complaint);

#endif
