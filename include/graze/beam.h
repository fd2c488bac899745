/*
  beam.h - a beam, collocated at Chebyshev points: x_tt = -K x + b f, y1 = c x + d f.   [theory 1, 2]

  Unknowns x, shape [n]: n = 2(N-1) for Timoshenko, u then phi at the N-1 interior points. All objects are sequential.
*/
#ifndef GRAZE_BEAM_H
#define GRAZE_BEAM_H

#include <petscmat.h>

#include "graze/params.h"

typedef struct _p_Beam *Beam;

PetscErrorCode BeamCreate(MPI_Comm comm, Beam *beam);
PetscErrorCode BeamSetParams(Beam beam, const Params *params); /* non-dimensional params, borrowed until BeamDestroy */
PetscErrorCode BeamSetPoints(Beam beam, PetscInt N);           /* N+1 Gauss-Lobatto points on [0,1] */
PetscErrorCode BeamSetUp(Beam beam);
PetscErrorCode BeamDestroy(Beam *beam);

/* K dense [n,n]; b, c [n]; d the feed-through of the massless tip. Borrowed. */
PetscErrorCode BeamGetOperator(Beam beam, Mat *K, Vec *b, Vec *c, PetscReal *d);
/* metric[n] > 0, owned by the caller: sum_i metric_i x_i^2 is the kinetic inner product <x,x>, lumped. */
PetscErrorCode BeamGetMetric(Beam beam, Vec metric);
/* Drop the matrices; points and interpolation stay. */
PetscErrorCode BeamReleaseOperator(Beam beam);
/* x[n] -> u and phi at all N+1 points (tip and root values restored, f = 0); phi may be NULL. */
PetscErrorCode BeamExpand(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi);
/* Points xi[N+1] in [0,1], increasing, and Clenshaw-Curtis weights[N+1]. Borrowed. */
PetscErrorCode BeamGetGrid(Beam beam, PetscInt *N, const PetscReal **xi, const PetscReal **weights);
/* row[N+1]: row . values interpolates at x in [0,1]. */
PetscErrorCode BeamInterpolationRow(Beam beam, PetscReal x, PetscReal *row);
/* Barycentric interpolation of values[N+1] at x in [0,1]. */
PetscErrorCode BeamInterpolate(Beam beam, const PetscReal *values, PetscReal x, PetscReal *value);
/* <v,v> and twice the elastic energy of m shapes given by u and phi at all points, [N+1, m] column-major. */
PetscErrorCode BeamGetEnergies(Beam beam, PetscInt m, const PetscReal *u, const PetscReal *phi, PetscReal *mass, PetscReal *stiffness);

/* Exact facts of the continuum, from beta and gamma alone. */
PetscReal BeamWaveSpeed(const Params *params);                        /* c: speed of the family that moves the tip */
PetscReal BeamCompliance(const Params *params);                       /* S: tip displacement by a unit tip force */
PetscReal BeamComplianceFrom(const Params *params, PetscReal x);      /* tip displacement by a unit force at x */
PetscReal BeamComplianceUniform(const Params *params);                /* tip displacement by a unit uniform load */

#endif
