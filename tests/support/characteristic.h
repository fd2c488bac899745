/*
  characteristic.h - exact modes of the clamped-free Timoshenko beam, for tests only.   [theory 1, 2]

  Solutions exp(s x) exp(i w t) of the field equations have s^2 = s1 or s2, the roots of

      beta s^4 + (beta a + w^2) s^2 + (w^2 - beta^2 gamma) a = 0,      a = w^2 / (beta gamma)

  s2 < 0 always; s1 > 0 below the cut-off w^2 = beta^2 gamma, s1 < 0 above. With C_i = cosh(sqrt(s_i) x), S_i = sinh(sqrt(s_i) x) /
  sqrt(s_i) (cosine and sine when s_i < 0, so that everything is real and smooth through the cut-off) and p_i = s_i + a, the
  clamped root leaves u = A (C_1 - C_2) + B (s1/p1 S_1 - s2/p2 S_2), phi = A (p1 S_1 - p2 S_2) + B (C_1 - C_2), and the free tip

      D(w) = 2 - C_1 C_2 (p1/p2 + p2/p1) + (s1 + s2) S_1 S_2 = 0      at x = 1
*/
#ifndef GRAZE_TESTS_CHARACTERISTIC_H
#define GRAZE_TESTS_CHARACTERISTIC_H

/* D(w), divided by exp(sqrt(s1)) below the cut-off. */
long double CharacteristicValue(double beta, double gamma, long double w);
/* The n lowest roots, rising, to the last digits of a double.. */
void CharacteristicRoots(double beta, double gamma, int n, double *w);
/* Mass-normalised shape at x, u(1) > 0; phi may be a null pointer. w is a root. */
void CharacteristicShape(double beta, double gamma, double w, double x, double *u, double *phi);
/* Residue u(1)^2 / <mode, mode>. */
double CharacteristicResidue(double beta, double gamma, double w);

#endif
