/*
  receptance.h - the tip receptance H(s) = y1/f: M modes and a tail that gives L+ exactly.   [theory 6]

      H(s) = sum_k r_k / (s^2 + 2 D w_k s + w_k^2) + T(s)
      order 0   T = C0                               order 1   T = L+ C0 / (C0 s + L+)
      order 2   T = (L+ s + a) / (s^2 + b s + d)

  A rigid mode (w_1 = 0) is r_1/s^2; at most one, the first. Poles are the exponents of free flight, zeros those of contact, both
  without 0. Complex pairs are stored once, im >= 0. L+ = 0 (a singular structure) has order 0 alone.
*/
#ifndef GRAZE_RECEPTANCE_H
#define GRAZE_RECEPTANCE_H

#include <complex.h>

#include "graze/params.h"

typedef struct _p_Receptance *Receptance;

typedef struct {
  PetscInt  order;      /* 0, 1, 2: what is used (a request for 2 falls back to 1 near critical damping) */
  PetscInt  states;     /* 0, 1, 2 */
  PetscReal C0, C1, T2; /* tail sums: T(0), -T'(0), T''(0)/2 of the continuum */
  PetscReal a, b, d;    /* order 2 */
} Tail;

PetscErrorCode ReceptanceCreate(MPI_Comm comm, Receptance *receptance);
/* n_known modes with w, r (copied) of which the first M are kept; the rest serve the tail sums.
   every r > 0. damping D in [0,1); compliance S (elastic) and impedance Z of the continuum, see BeamImpedance. */
PetscErrorCode ReceptanceSetModes(Receptance receptance, PetscInt n_known, const PetscReal *w, const PetscReal *r, PetscInt M);
PetscErrorCode ReceptanceSetContinuum(Receptance receptance, PetscReal D, PetscReal S, PetscReal Z);
/* A ratio for each of the n_known modes instead of D (copied); only where there is no tail: order 0. */
PetscErrorCode ReceptanceSetDamping(Receptance receptance, const PetscReal *damping);
PetscErrorCode ReceptanceSetClosure(Receptance receptance, PetscInt order);
PetscErrorCode ReceptanceSetUp(Receptance receptance);
PetscErrorCode ReceptanceDestroy(Receptance *receptance);

PetscErrorCode ReceptanceGetModes(Receptance receptance, PetscInt *M, const PetscReal **w, const PetscReal **r, const PetscReal **tip,
                                  PetscReal *D);
/* Damping ratio of each of the M modes. Borrowed; as ReceptanceGetModes, does not need ReceptanceSetUp. */
PetscErrorCode ReceptanceGetDamping(Receptance receptance, const PetscReal **damping);
PetscErrorCode ReceptanceGetTail(Receptance receptance, const Tail **tail, PetscReal *L_plus, PetscReal *S);
/* Poles with their residues in H, n of them (pairs once): the pairs of the elastic modes first, then the tail's. Borrowed. */
PetscErrorCode ReceptanceGetPoles(Receptance receptance, PetscInt *n, const double complex **poles, const double complex **residues);
/* Zeros of H, n of them (pairs once), by falling real part, with H'(zero). Borrowed. */
PetscErrorCode ReceptanceGetZeros(Receptance receptance, PetscInt *n, const double complex **zeros, const double complex **slopes);
/* H(s) and, if not NULL, H'(s). Cost O(M). */
PetscErrorCode ReceptanceEvaluate(Receptance receptance, double complex s, double complex *H, double complex *dH);
/* T(s) and, if not NULL, T'(s). */
PetscErrorCode ReceptanceEvaluateTail(Receptance receptance, double complex s, double complex *T, double complex *dT);

/* L+ = 2 arccos(D) / (pi Z sqrt(1 - D^2)); 0 for infinite Z. */
PetscReal ImpactKernelJump(PetscReal D, PetscReal Z);

#endif
