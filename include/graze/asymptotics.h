/*
  asymptotics.h - the contact force of a short contact, for structures whose frequencies grow as a power: w_k = w_1 k^alpha.   [theory 16]

  A constant force f over the time dt returns the contact point to the stop, which it meets with velocity v < 0 carried by modes slow
  enough not to turn it back meanwhile:   v dt + f G(dt) = 0,   G(t) = sum_k a_k(t) the displacement after a unit step of force. All modes
  have the same residue r and the same damping ratio D. The sums converge for alpha > 1/2.
*/
#ifndef GRAZE_ASYMPTOTICS_H
#define GRAZE_ASYMPTOTICS_H

#include "graze/compat.h"

typedef struct {
  PetscReal alpha;     /* > 1/2 */
  PetscReal frequency; /* w_1 > 0 */
  PetscReal residue;   /* r > 0 of every mode */
  PetscReal damping;   /* D in [0,1) */
} PowerSpectrum;

/* Of the contact point, after a unit step of force. */
typedef struct {
  PetscReal displacement, velocity; /* G, G' */
  PetscInt  summed;                 /* modes that were summed one by one */
} StepResponse;

/* a_k(t): what mode k = 1, 2, ... adds to G. (The paper's A2) */
PetscReal PowerSpectrumCoefficient(const PowerSpectrum *s, PetscInt k, PetscReal t);
/* G and G' at t > 0: of the first `modes` modes, or (0) of all of them. Cost: the modes summed. */
PetscErrorCode PowerSpectrumStep(const PowerSpectrum *s, PetscReal t, PetscInt modes, StepResponse *response);
/* C in f ~ -C dt^(1/alpha - 1) v as dt -> 0; the velocity after contact is then -(1 - 1/alpha) v. */
PetscReal PowerSpectrumConstant(const PowerSpectrum *s);
/* Modes after which a plain sum G(t) lacks the share rtol of its estimate, rounded up; may be beyond any integer. (The paper's A4) */
PetscReal PowerSpectrumModes(const PowerSpectrum *s, PetscReal t, PetscReal rtol);

#endif
