/*
  Beam: collocation points, quadrature, interpolation, the Timoshenko operator and its exact static facts.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>

#include <petscksp.h>

#include "beam/chebyshev.h"
#include "graze/beam.h"
#include "support/characteristic.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static const double beta = 4800.0, gamma_ = 0.25;

static void Near(double value, double exact, double tolerance)
{
  if (!(fabs(value - exact) <= tolerance))
    fail_msg("%.17g should be %.17g within %g, is off by %g", value, exact, tolerance, value - exact);
}

static void MakeBeam(Beam *beam, Params *params, PetscInt N)
{
  *params = (Params){.beam_model = BEAM_TIMOSHENKO, .beam_beta = beta, .beam_gamma = gamma_, .contact_position = 1.0};
  GOOD(BeamCreate(PETSC_COMM_SELF, beam));
  GOOD(BeamSetParams(*beam, params));
  GOOD(BeamSetPoints(*beam, N));
  GOOD(BeamSetUp(*beam));
  GOOD(BeamSetUp(*beam)); /* idempotent */
}

/* Points are symmetric, rise from 0 to 1, and Clenshaw-Curtis is exact to degree N, for even and odd N: the integral of the
   Chebyshev polynomial T_m(2 x - 1) is 1 / (1 - m^2) for even m and 0 for odd m. */
static void beam_quadrature_is_exact_to_degree_N(void **state)
{
  (void)state;
  for (PetscInt N = 7; N <= 64; N += 19) {
    Chebyshev grid;
    GOOD(ChebyshevCreate(N, &grid));
    Near(grid.x[0], 0.0, 0.0);
    Near(grid.x[N], 1.0, 0.0);
    for (PetscInt j = 0; j <= N; j++) Near(grid.x[j], 0.5 - 0.5 * cos(PETSC_PI * (double)j / (double)N), 5e-16); /* ulps of the cosine */
    for (PetscInt j = 0; j <= N; j++) Near(grid.y[j], 1.0 - grid.x[j], 5e-16);
    for (PetscInt m = 0; m <= N; m++) {
      double sum = 0.0;
      for (PetscInt j = 0; j <= N; j++) sum += grid.weights[j] * cos((double)m * acos(2.0 * grid.x[j] - 1.0));
      Near(sum, m % 2 ? 0.0 : 1.0 / (1.0 - (double)(m * m)), 1e-14); /* m ulps of the angle */
    }
    GOOD(ChebyshevDestroy(&grid));
  }
}

/* d/dx and d^2/dx^2 of sin(10 x): spectrally small error at N = 40, so what is left is round-off, eps N^2 and eps N^4 at the ends. */
static void beam_differentiation_matches_sine(void **state)
{
  enum { N = 40, p = N + 1 };
  static double first[p * p], second[p * p];
  Chebyshev     grid;

  (void)state;
  GOOD(ChebyshevCreate(N, &grid));
  GOOD(ChebyshevDifferentiation(N, first, second));
  for (int i = 0; i < p; i++) {
    double d1 = 0.0, d2 = 0.0, one = 0.0;
    for (int j = 0; j < p; j++) {
      d1 += first[i + j * p] * sin(10.0 * grid.x[j]);
      d2 += second[i + j * p] * sin(10.0 * grid.x[j]);
      one += first[i + j * p];
    }
    Near(one, 0.0, 1e-12);                          /* eps N^2 */
    Near(d1, 10.0 * cos(10.0 * grid.x[i]), 1e-11);  /* eps N^2 times the slope */
    Near(d2, -100.0 * sin(10.0 * grid.x[i]), 2e-8); /* eps N^4 */
  }
  GOOD(ChebyshevDestroy(&grid));
}

/* The polynomial through the values of a polynomial of degree N is that polynomial; on a point of the grid, its very value. */
static void beam_interpolation_reproduces_polynomials(void **state)
{
  enum { N = 12 };
  Beam             beam;
  Params           params;
  const PetscReal *xi;
  double           values[N + 1], value;

  (void)state;
  MakeBeam(&beam, &params, N);
  GOOD(BeamGetGrid(beam, NULL, &xi, NULL));
  for (int j = 0; j <= N; j++) values[j] = pow(xi[j], N) - 3.0 * pow(xi[j], 5) + 0.5;
  for (double x = 0.0; x <= 1.0; x += 0.0625) {
    GOOD(BeamInterpolate(beam, values, x, &value));
    Near(value, pow(x, N) - 3.0 * pow(x, 5) + 0.5, 1e-14); /* a few ulps: the Lebesgue constant of 13 points is 2.4 */
  }
  GOOD(BeamInterpolate(beam, values, xi[7], &value));
  assert_true(value == values[7]);
  GOOD(BeamDestroy(&beam));
  assert_null(beam);
}

/* c K^-1 b + d = S = 1/3 + 1/(beta gamma), the polynomial deflection by a tip force: exact in the discretisation but for round-off,
   which the condition of K (beta^2 N^4) amplifies; measured 1e-11. The row sums tell the massless tip: d > 0. */
static void beam_static_compliance_is_exact(void **state)
{
  Beam      beam;
  Params    params;
  Mat       K;
  Vec       b, c, x;
  KSP       solver;
  PC        factor;
  PetscReal d, cx;

  (void)state;
  MakeBeam(&beam, &params, 24);
  GOOD(BeamGetOperator(beam, &K, &b, &c, &d));
  GOOD(VecDuplicate(b, &x));
  GOOD(KSPCreate(PETSC_COMM_SELF, &solver));
  GOOD(KSPSetOperators(solver, K, K));
  GOOD(KSPSetType(solver, KSPPREONLY));
  GOOD(KSPGetPC(solver, &factor));
  GOOD(PCSetType(factor, PCLU));
  GOOD(KSPSolve(solver, b, x));
  GOOD(VecDot(c, x, &cx));
  Near(cx + d, 1.0 / 3.0 + 1.0 / 1200.0, 1e-9);
  Near(BeamCompliance(&params), 0.334166666667, 5e-13); /* theory 12 */
  assert_true(d > 0.0);
  GOOD(KSPDestroy(&solver));
  GOOD(VecDestroy(&x));
  GOOD(BeamDestroy(&beam));
}

/* Statics: Euler-Bernoulli's x^2 (3 - x)/6 plus shear x/(beta gamma); the uniform load is its integral, 1/8 + 1/(2 beta gamma). */
static void beam_exact_compliances_are_consistent(void **state)
{
  Beam             beam;
  Params           params;
  PetscInt         N;
  const PetscReal *xi, *weights;
  double           sum = 0.0;

  (void)state;
  MakeBeam(&beam, &params, 8);
  GOOD(BeamGetGrid(beam, &N, &xi, &weights));
  assert_int_equal(N, 8);
  for (PetscInt j = 0; j <= N; j++) sum += weights[j] * BeamComplianceFrom(&params, xi[j]);
  Near(BeamComplianceUniform(&params), 0.125 + 0.5 / 1200.0, 1e-16);
  Near(sum, BeamComplianceUniform(&params), 1e-15);
  Near(BeamComplianceFrom(&params, 1.0), BeamCompliance(&params), 1e-16);
  Near(BeamImpedance(&params), sqrt(1200.0), 1e-14);
  GOOD(BeamDestroy(&beam));
}

/* The operator on an exact mode (characteristic equation): K x = w^2 x, and expansion restores the tip of that mode. Mode 3,
   wavenumber 8: N = 24 resolves it; what is left is round-off of K, eps beta N^2 = 6e-10 of each unit of x; measured 2e-8. */
static void beam_operator_has_exact_mode(void **state)
{
  enum { N = 24, half = N - 1, n = 2 * half };
  Beam             beam;
  Params           params;
  Mat              K;
  Vec              x, Kx;
  PetscReal       *array, w[3], u[N + 1], phi[N + 1], tip_u, tip_phi, norm;
  const PetscReal *xi, *values;

  (void)state;
  CharacteristicRoots(beta, gamma_, 3, w);
  MakeBeam(&beam, &params, N);
  GOOD(BeamGetGrid(beam, NULL, &xi, NULL));
  GOOD(BeamGetOperator(beam, &K, NULL, NULL, NULL));
  GOOD(MatCreateVecs(K, &x, &Kx));
  GOOD(VecGetArrayWrite(x, &array));
  for (int i = 0; i < half; i++) CharacteristicShape(beta, gamma_, w[2], xi[i + 1], &array[i], &array[half + i]);
  GOOD(BeamExpand(beam, array, u, phi));
  GOOD(VecRestoreArrayWrite(x, &array));
  CharacteristicShape(beta, gamma_, w[2], 1.0, &tip_u, &tip_phi);
  Near(u[0], 0.0, 0.0);
  Near(phi[0], 0.0, 0.0);
  Near(u[N], tip_u, 1e-11); /* truncation of mode 3 on this grid */
  Near(phi[N], tip_phi, 1e-10);
  GOOD(MatMult(K, x, Kx));
  GOOD(VecAXPY(Kx, -w[2] * w[2], x));
  GOOD(VecGetArrayRead(Kx, &values));
  norm = 0.0;
  for (int i = 0; i < n; i++) norm = PetscMax(norm, fabs(values[i]) / (i < half ? 1.0 : sqrt(beta)));
  GOOD(VecRestoreArrayRead(Kx, &values));
  Near(norm, 0.0, 5e-7); /* against w^2 x = 7000 */
  GOOD(VecDestroy(&x));
  GOOD(VecDestroy(&Kx));
  GOOD(BeamDestroy(&beam));
}

/* u = x^3, phi = x^2: mass 1/7 + 1/(5 beta), shear u' - phi = 2 x^2, curvature 2 x: stiffness 4 beta gamma / 5 + 4/3. Polynomials:
   exact but for round-off. The second shape is twice the first: four times the energies. */
static void beam_energies_of_polynomials(void **state)
{
  enum { N = 9, p = N + 1 };
  Beam             beam;
  Params           params;
  const PetscReal *xi;
  PetscReal        u[2 * p], phi[2 * p], mass[2], stiffness[2];

  (void)state;
  MakeBeam(&beam, &params, N);
  GOOD(BeamGetGrid(beam, NULL, &xi, NULL));
  for (int i = 0; i < p; i++) {
    u[i]       = pow(xi[i], 3);
    phi[i]     = pow(xi[i], 2);
    u[p + i]   = 2.0 * u[i];
    phi[p + i] = 2.0 * phi[i];
  }
  GOOD(BeamGetEnergies(beam, 2, u, phi, mass, stiffness));
  Near(mass[0], 1.0 / 7.0 + 0.2 / beta, 1e-15);
  Near(stiffness[0], 0.8 * 1200.0 + 4.0 / 3.0, 1e-10); /* eps N^2 beta gamma */
  Near(mass[1], 4.0 * mass[0], 1e-15);
  Near(stiffness[1], 4.0 * stiffness[0], 1e-10);
  GOOD(BeamDestroy(&beam));
}

/* The lumped metric adds up to the mass of a rigid shift u = 1 and a rigid turn phi = 1, short of the end points' share. */
static void beam_metric_is_the_lumped_mass(void **state)
{
  enum { N = 20, half = N - 1 };
  Beam             beam;
  Params           params;
  Mat              K;
  Vec              metric, other;
  const PetscReal *values, *weights;
  double           sum_u = 0.0, sum_phi = 0.0;

  (void)state;
  MakeBeam(&beam, &params, N);
  GOOD(BeamGetGrid(beam, NULL, NULL, &weights));
  GOOD(BeamGetOperator(beam, &K, NULL, NULL, NULL));
  GOOD(MatCreateVecs(K, &metric, &other));
  GOOD(BeamGetMetric(beam, metric));
  GOOD(VecGetArrayRead(metric, &values));
  for (int i = 0; i < half; i++) {
    assert_true(values[i] > 0.0 && values[half + i] > 0.0);
    sum_u += values[i];
    sum_phi += values[half + i];
  }
  GOOD(VecRestoreArrayRead(metric, &values));
  Near(sum_u, 1.0 - weights[0] - weights[N], 1e-15);
  Near(sum_phi, sum_u / beta, 1e-18);
  GOOD(VecDestroy(&metric));
  GOOD(VecDestroy(&other));
  GOOD(BeamDestroy(&beam));
}

/*
  b and c are there where the contact point is a free end, and there alone. The string's c K^-1 b + d = 1/c^2: at rest u = f x / c^2, a
  polynomial, exact but for round-off, eps N^4. Euler-Bernoulli has no K but J, [n+2, n], with J m = u for the curvature m = 1: u = x^2 / 2 = (p_0
  + ...) / 6: its mean is 1/6.
*/
static void beam_operator_of_each_structure(void **state)
{
  Beam             beam;
  Params           params = {.beam_model = BEAM_STRING, .beam_wave_speed = 3.0, .contact_position = 1.0};
  Mat              K, J;
  Vec              b, c, x;
  KSP              solver;
  PC               factor;
  PetscReal        d, cx;
  PetscInt         n, rows;
  const PetscReal *values;

  (void)state;
  for (int inside = 0; inside < 2; inside++) {
    params.contact_position = inside ? 0.5 : 1.0;
    GOOD(BeamCreate(PETSC_COMM_SELF, &beam));
    GOOD(BeamSetParams(beam, &params));
    GOOD(BeamSetPoints(beam, 20));
    GOOD(BeamGetOperator(beam, &K, &b, &c, &d));
    GOOD(BeamGetFlexibility(beam, &J));
    assert_true(K && !J && (b == NULL) == (inside == 1) && (c == NULL) == (inside == 1));
    if (!inside) {
      GOOD(VecDuplicate(b, &x));
      GOOD(KSPCreate(PETSC_COMM_SELF, &solver));
      GOOD(KSPSetOperators(solver, K, K));
      GOOD(KSPSetType(solver, KSPPREONLY));
      GOOD(KSPGetPC(solver, &factor));
      GOOD(PCSetType(factor, PCLU));
      GOOD(KSPSolve(solver, b, x));
      GOOD(VecDot(c, x, &cx));
      Near(cx + d, 1.0 / 9.0, 1e-12);
      GOOD(KSPDestroy(&solver));
      GOOD(VecDestroy(&x));
    }
    GOOD(BeamDestroy(&beam));
  }
  params.beam_model = BEAM_EULER_BERNOULLI;
  GOOD(BeamCreate(PETSC_COMM_SELF, &beam));
  GOOD(BeamSetParams(beam, &params));
  GOOD(BeamSetPoints(beam, 12));
  GOOD(BeamGetOperator(beam, &K, &b, &c, NULL));
  GOOD(BeamGetFlexibility(beam, &J));
  assert_true(!K && !b && !c && J);
  GOOD(MatGetSize(J, &rows, &n));
  assert_true(n == 11 && rows == n + 2);
  GOOD(MatDenseGetArrayRead(J, &values));
  Near(values[0], 1.0 / 6.0, 1e-16);
  GOOD(MatDenseRestoreArrayRead(J, &values));
  {
    double curvature[11] = {1.0}, u[13], phi[13];
    const PetscReal *xi;
    GOOD(BeamGetGrid(beam, NULL, &xi, NULL));
    GOOD(BeamExpand(beam, curvature, u, phi));
    for (int i = 0; i <= 12; i++) {
      Near(u[i], 0.5 * xi[i] * xi[i], 1e-15);
      Near(phi[i], xi[i], 1e-15);
    }
  }
  GOOD(BeamDestroy(&beam));
}

/* A released operator comes back with the same bits. */
static void beam_operator_returns_after_release(void **state)
{
  Beam      beam;
  Params    params;
  Mat       K, copy;
  PetscBool same;

  (void)state;
  MakeBeam(&beam, &params, 16);
  GOOD(BeamGetOperator(beam, &K, NULL, NULL, NULL));
  GOOD(MatDuplicate(K, MAT_COPY_VALUES, &copy));
  GOOD(BeamReleaseOperator(beam));
  GOOD(BeamGetOperator(beam, &K, NULL, NULL, NULL));
  GOOD(MatEqual(K, copy, &same));
  assert_true(same);
  GOOD(MatDestroy(&copy));
  GOOD(BeamDestroy(&beam));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(beam_quadrature_is_exact_to_degree_N),
    cmocka_unit_test(beam_differentiation_matches_sine),
    cmocka_unit_test(beam_interpolation_reproduces_polynomials),
    cmocka_unit_test(beam_static_compliance_is_exact),
    cmocka_unit_test(beam_exact_compliances_are_consistent),
    cmocka_unit_test(beam_operator_has_exact_mode),
    cmocka_unit_test(beam_energies_of_polynomials),
    cmocka_unit_test(beam_metric_is_the_lumped_mass),
    cmocka_unit_test(beam_operator_of_each_structure),
    cmocka_unit_test(beam_operator_returns_after_release),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return PetscFinalize() || failed;
}
