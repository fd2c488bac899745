/*
  variable.h - dimensions and variables in the root group of a result file, each with long_name, units and scale.   (docs/data.md)
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
