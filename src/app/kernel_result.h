/*
  kernel_result.h - what `graze kernel` computes (kernel.c) and writes (kernel_store.c).
*/
#ifndef GRAZE_KERNEL_RESULT_H
#define GRAZE_KERNEL_RESULT_H

#include "graze/kernel.h"
#include "graze/regularity.h"
#include "graze/store.h"

typedef enum { DELAYS_LOG, DELAYS_LINEAR, DELAYS } DelayGrid;

/* The kernel's second component and the unprojected kernel on both grids; the first component is 0. */
typedef struct {
  PetscReal *L1[DELAYS], *g[DELAYS]; /* [n_tau] each; owned */
} KernelCurves;

/* Of N collocation points, from the modes that they resolve and that move the contact point. */
typedef struct {
  PetscInt     points;     /* N; 0: as the modes need, or none (modes) */
  PetscInt     resolved;   /* modes with r > 0 */
  Receptance   receptance; /* of the modes used */
  KernelCurves curves[2];  /* by LiteralKernel; closed only of a regular structure */
} KernelOf;

typedef struct {
  BeamModel    model;
  PetscInt     n_tau, n;
  PetscReal   *tau[DELAYS]; /* [n_tau] */
  KernelOf    *of;          /* [n], N rising */
  KernelCurves limit;       /* N -> infinity, or the nearest to it that there is */
  PetscInt     limit_modes; /* 0: exact */
  char         limit_kind[32];
  PetscReal    compliance, impedance;
  Regularity   regularity;
} KernelResult;

PetscErrorCode KernelResultWrite(Store store, const KernelResult *result, Complaint *complaint);

#endif
