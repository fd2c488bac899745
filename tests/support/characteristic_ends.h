/*
  characteristic_ends.h - exact modes of the Timoshenko beam between any ends, for tests only.   [theory 1, 13]

  s1, s2, a, p_i, C_i and S_i as in characteristic.h. Four solutions of the field equations,

      (u, phi) = (C_i, p_i S_i) and (s_i S_i, p_i C_i)        i = 1, 2

  (where cosh grows large: exp(-sqrt(s1) x) and exp(-sqrt(s1) (1 - x)) in place of the two of s1), and two conditions at each end,

      clamped: u = phi = 0      pinned: u = phi' = 0      free: u' - phi = phi' = 0

  make four equations; natural frequencies are the roots of their determinant. Nothing is shared with characteristic.c.
*/
#ifndef GRAZE_TESTS_CHARACTERISTIC_ENDS_H
#define GRAZE_TESTS_CHARACTERISTIC_ENDS_H

#include "graze/params.h"

/* The n lowest roots w > 0, rising. */
void CharacteristicEndsRoots(BeamEnds ends, double beta, double gamma, int n, double *w);
/* Mass-normalised shape at x up to its sign; phi may be a null pointer. w is a root. */
void CharacteristicEndsShape(BeamEnds ends, double beta, double gamma, double w, double x, double *u, double *phi);

#endif
