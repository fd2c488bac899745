/*
  beam.h - a beam, string or rod, collocated at Chebyshev points: x_tt = -K x + b f, y1 = c x + d f.   [theory 1, 2, 13]

  Unknowns x, shape [n]: the values at the interior points that the end conditions leave, u first, then (Timoshenko) phi. All objects
  are sequential. The contact point is at -contact_position. Euler-Bernoulli has no K but a flexibility, and x are the coefficients of
  its curvature. BEAM_MODES has no operator: it is a spectrum from the start.
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

/* K dense [n,n]; b, c [n]; d the feed-through of the massless tip. b and c are NULL unless the contact point is a free end: a force
   inside the beam is no smooth load, and collocation has no vector for it. euler_bernoulli: all NULL. Borrowed. */
PetscErrorCode BeamGetOperator(Beam beam, Mat *K, Vec *b, Vec *c, PetscReal *d);
/* J dense [n+2,n], whose singular values are 1/w_k and whose right singular vectors are x; euler_bernoulli, NULL for the others. Borrowed.
 */
PetscErrorCode BeamGetFlexibility(Beam beam, Mat *J);
/* metric[n] > 0, owned by the caller: sum_i metric_i x_i^2 is the kinetic inner product <x,x>, lumped. */
PetscErrorCode BeamGetMetric(Beam beam, Vec metric);
/* Drop the matrices; points and interpolation stay. */
PetscErrorCode BeamReleaseOperator(Beam beam);
/* x[n] -> u and phi at all N+1 points (end values restored, f = 0); phi may be NULL; it is u' for euler_bernoulli, 0 for string and rod. */
PetscErrorCode BeamExpand(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi);
/* Points xi[N+1] in [0,1], increasing, and Clenshaw-Curtis weights[N+1]. Borrowed. */
PetscErrorCode BeamGetGrid(Beam beam, PetscInt *N, const PetscReal **xi, const PetscReal **weights);
/* row[N+1]: row . values interpolates at x in [0,1]. */
PetscErrorCode BeamInterpolationRow(Beam beam, PetscReal x, PetscReal *row);
/* Barycentric interpolation of values[N+1] at x in [0,1]. */
PetscErrorCode BeamInterpolate(Beam beam, const PetscReal *values, PetscReal x, PetscReal *value);
/* <v,v> and twice the elastic energy of m shapes given by u and phi at all points, [N+1, m] column-major. */
PetscErrorCode BeamGetEnergies(Beam beam, PetscInt m, const PetscReal *u, const PetscReal *phi, PetscReal *mass, PetscReal *stiffness);

/*
  Exact facts of the continuum, in closed form. Displacements are those of the contact point, positive with u; where the ends leave
  rigid motion, it is taken out (the deflection is orthogonal to the rigid modes in the kinetic product, and so is the load).
*/
PetscReal BeamImpedance(const Params *params); /* Z: contact force per sudden contact velocity without damping; c at a free end, 2c inside;
                                                  INFINITY for euler_bernoulli and modes */
PetscReal BeamCompliance(const Params *params);                       /* S: by a unit force at the contact point */
PetscReal BeamComplianceFrom(const Params *params, PetscReal x);      /* by a unit force at x */
PetscReal BeamComplianceUniform(const Params *params);                /* by a unit uniform load; NaN for modes */
PetscInt  BeamRigidModes(const Params *params);                       /* modes of frequency 0: 0, 1 or 2 */
PetscBool BeamHolds(const Params *params, PetscReal x);               /* the ends hold x fixed: no contact there */

#endif
