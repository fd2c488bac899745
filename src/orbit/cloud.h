/*
  cloud.h - the strobes of one block as a cloud of points: mean and width. Two blocks that agree are settled statistics. Private to
  src/orbit.
*/
#ifndef GRAZE_CLOUD_H
#define GRAZE_CLOUD_H

#include <petscsys.h>

typedef struct {
  PetscInt  count;
  PetscReal mean, deviation;
} Cloud;

Cloud     CloudOf(PetscInt n, const PetscReal *y); /* shape [n] */
PetscBool CloudsAgree(const Cloud *a, const Cloud *b);

#endif
