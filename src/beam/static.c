/*
  static.c - exact facts of the continuum: wave impedance, deflections at rest, rigid modes.   [theory 2, 13]

  A static deflection is carried from x = 0 by u, the rotation phi, the moment M = phi' and the shear force V:

      u' = phi + s V,   phi' = M,   M' = -V - m,   V' = -q          s = 1/(beta gamma), 0 for Euler-Bernoulli

  q the load, m the distributed couple. Two of the four are 0 at x = 0 and two at x = 1: two equations for the other two. All of it is
  polynomials on both sides of the load. Between free ends the load first loses what would move the beam as a whole, and the
  deflection is the one without rigid motion.
*/
#include "beam_impl.h"

#include <math.h>

/* P at a, the line q0 + q1 (x - 1/2), the couple m */
typedef struct {
  PetscReal P, a, q0, q1, m;
} Load;

typedef struct {
  PetscReal u, phi, M, V;
} Section;

static PetscReal ShearCompliance_Private(const Params *params)
{
  return params->beam_model == BEAM_TIMOSHENKO ? 1.0 / (params->beam_beta * params->beam_gamma) : 0.0;
}

static PetscReal Inertia_Private(const Params *params) /* of a rigid turn about the middle */
{
  return 1.0 / 12.0 + 1.0 / params->beam_beta;
}

/* The deflection that starts from `at` at x = 0. */
static Section Carry_Private(const Load *load, PetscReal s, Section at, PetscReal x)
{
  const PetscReal P = load->P, q0 = load->q0, q1 = load->q1, m = load->m;
  const PetscReal h = PetscMax(x - load->a, 0.0), x2 = x * x, x3 = x2 * x, h2 = h * h;
  const PetscReal above = x > load->a ? 1.0 : 0.0;
  Section         z;

  z.V   = at.V - P * above - q0 * x - q1 * (x2 - x) / 2.0;
  z.M   = at.M - at.V * x + P * h + q0 * x2 / 2.0 + q1 * (x3 / 6.0 - x2 / 4.0) - m * x;
  z.phi = at.phi + at.M * x - at.V * x2 / 2.0 + P * h2 / 2.0 + q0 * x3 / 6.0 + q1 * (x3 * x / 24.0 - x3 / 12.0) - m * x2 / 2.0;
  z.u   = at.u + at.phi * x + at.M * x2 / 2.0 - at.V * x3 / 6.0 + P * h2 * h / 6.0 + q0 * x2 * x2 / 24.0 +
        q1 * (x3 * x2 / 120.0 - x2 * x2 / 48.0) - m * x3 / 6.0 + s * (at.V * x - P * h - q0 * x2 / 2.0 - q1 * (x3 / 6.0 - x2 / 4.0));
  return z;
}

/* The two numbers that an end of this kind puts to 0 */
static void Conditions_Private(EndKind kind, Section z, PetscReal zero[2])
{
  zero[0] = kind == END_FREE ? z.V : z.u;
  zero[1] = kind == END_CLAMPED ? z.phi : z.M;
}

/* int u and int u (x - 1/2) + phi / beta by Gauss-Legendre of 4 points on both sides of the load: exact to degree 7, and the degree is 6 */
static void RigidShare_Private(const Params *params, const Load *load, PetscReal s, Section at, PetscReal *shift, PetscReal *turn)
{
  static const PetscReal node[2] = {0.33998104358485626, 0.86113631159405258}, weight[2] = {0.65214515486254614, 0.34785484513745386};

  *shift = *turn = 0.0;
  for (int side = 0; side < 2; side++) {
    const PetscReal low = side ? load->a : 0.0, half = 0.5 * (side ? 1.0 - load->a : load->a);
    for (int i = 0; i < 4; i++) {
      const PetscReal x = low + half * (1.0 + (i % 2 ? 1.0 : -1.0) * node[i / 2]);
      const Section   z = Carry_Private(load, s, at, x);
      *shift += half * weight[i / 2] * z.u;
      *turn += half * weight[i / 2] * (z.u * (x - 0.5) + z.phi / params->beam_beta);
    }
  }
}

static PetscReal Deflection_Private(const Params *params, Load load, PetscReal x)
{
  const EndKind   left = BeamEnd_Private(params, 0), right = BeamEnd_Private(params, 1);
  const PetscReal s       = ShearCompliance_Private(params);
  const Section   none    = {0.0, 0.0, 0.0, 0.0};
  const Load      nothing = {0.0, load.a, 0.0, 0.0, 0.0};
  Section         start = none, basis[2] = {none, none};
  PetscReal       by_load[2], by_first[2], by_second[2], determinant;

  if (left == END_FREE) { /* and free at 1: u and phi at 0 are the rigid motion */
    const PetscReal force = load.P + load.q0, couple = (load.P * (load.a - 0.5) + load.q1 / 12.0 + load.m) / Inertia_Private(params);
    PetscReal       shift, turn;
    load.q0 -= force;
    load.q1 -= couple;
    load.m -= couple / params->beam_beta;
    RigidShare_Private(params, &load, s, none, &shift, &turn);
    turn /= Inertia_Private(params);
    return Carry_Private(&load, s, none, x).u - shift - turn * (x - 0.5);
  }
  if (left == END_CLAMPED) basis[0].M = 1.0;
  else basis[0].phi = 1.0;
  basis[1].V = 1.0;
  Conditions_Private(right, Carry_Private(&load, s, none, 1.0), by_load);
  Conditions_Private(right, Carry_Private(&nothing, s, basis[0], 1.0), by_first);
  Conditions_Private(right, Carry_Private(&nothing, s, basis[1], 1.0), by_second);
  determinant            = by_first[0] * by_second[1] - by_first[1] * by_second[0];
  const PetscReal first  = -(by_load[0] * by_second[1] - by_load[1] * by_second[0]) / determinant;
  const PetscReal second = -(by_first[0] * by_load[1] - by_first[1] * by_load[0]) / determinant;
  start.phi              = first * basis[0].phi;
  start.M                = first * basis[0].M;
  start.V                = second;
  return Carry_Private(&load, s, start, x).u;
}

/*
  BeamImpedance - Force at the contact point per sudden velocity of it, undamped.   [theory 2, 13]

  One wave runs off from a free end, two from a point inside. Timoshenko: the shear wave, of speed sqrt(beta gamma); the rotation does not
  move the point. INFINITY: no finite speed (euler_bernoulli), or no continuum (modes).
*/
PetscReal BeamImpedance(const Params *params)
{
  const PetscReal ways = BeamContactIsFreeEnd_Private(params) ? 1.0 : 2.0;

  switch (params->beam_model) {
  case BEAM_TIMOSHENKO:
    return ways * PetscSqrtReal(params->beam_beta * params->beam_gamma);
  case BEAM_STRING:
  case BEAM_ROD:
    return ways * params->beam_wave_speed;
  case BEAM_EULER_BERNOULLI:
  case BEAM_MODES:
    break;
  }
  return INFINITY;
}

/* sum r_k / w_k^2 over the elastic modes of the lists */
static PetscReal ModesCompliance_Private(const Params *params)
{
  PetscReal sum = 0.0;

  for (PetscInt k = params->beam_frequencies.n - 1; k >= 0; k--) {
    if (params->beam_frequencies.value[k] > 0.0) sum += PetscSqr(params->beam_tip_values.value[k] / params->beam_frequencies.value[k]);
  }
  return sum;
}

/* BeamCompliance - Displacement of the contact point by a unit force there, rigid motion apart.   [theory 2, 13] */
PetscReal BeamCompliance(const Params *params)
{
  return BeamComplianceFrom(params, params->contact_position);
}

/*
  BeamComplianceFrom - Displacement of the contact point by a unit force at x, rigid motion apart.   [theory 13]

  Clamped-free, with m <= l the two points: m^2 (3 l - m) / 6 + m / (beta gamma). BEAM_MODES knows the contact point only: x is that.
*/
PetscReal BeamComplianceFrom(const Params *params, PetscReal x)
{
  const PetscReal at = params->contact_position, m = PetscMin(x, at), l = PetscMax(x, at);

  switch (params->beam_model) {
  case BEAM_MODES:
    return ModesCompliance_Private(params);
  case BEAM_STRING:
  case BEAM_ROD:
    if (params->beam_ends == ENDS_FREE_FREE) return ((x * x + at * at) / 2.0 - l + 1.0 / 3.0) / PetscSqr(params->beam_wave_speed);
    return m / PetscSqr(params->beam_wave_speed);
  case BEAM_EULER_BERNOULLI:
    return m * m * (3.0 * l - m) / 6.0;
  case BEAM_TIMOSHENKO:
    break;
  }
  if (params->beam_ends == ENDS_CLAMPED_FREE) return m * m * (3.0 * l - m) / 6.0 + m / (params->beam_beta * params->beam_gamma);
  return Deflection_Private(params, (Load){.P = 1.0, .a = x}, at);
}

/*
  BeamComplianceUniform - Displacement of the contact point by a unit uniform load: the integral of BeamComplianceFrom over x.   [theory 13]

  0 between free ends: the load is a rigid shift and nothing else. Not for BEAM_MODES, of which it is not known: NaN.
*/
PetscReal BeamComplianceUniform(const Params *params)
{
  const PetscReal x = params->contact_position;

  if (params->beam_model == BEAM_MODES) return NAN;
  if (params->beam_ends == ENDS_FREE_FREE) return 0.0;
  switch (params->beam_model) {
  case BEAM_STRING:
  case BEAM_ROD:
    return (x - x * x / 2.0) / PetscSqr(params->beam_wave_speed);
  case BEAM_EULER_BERNOULLI:
    return x * x * (6.0 - 4.0 * x + x * x) / 24.0;
  default:
    break;
  }
  if (params->beam_ends == ENDS_CLAMPED_FREE)
    return x * x * (6.0 - 4.0 * x + x * x) / 24.0 + (x - x * x / 2.0) / (params->beam_beta * params->beam_gamma);
  return Deflection_Private(params, (Load){.P = 0.0, .a = x, .q0 = 1.0}, x);
}

/* BeamRigidModes - How many modes have frequency 0.   [theory 13] */
PetscInt BeamRigidModes(const Params *params)
{
  PetscInt n = 0;

  if (params->beam_model == BEAM_MODES) {
    for (PetscInt k = 0; k < params->beam_frequencies.n; k++) n += params->beam_frequencies.value[k] == 0.0;
    return n;
  }
  if (params->beam_ends != ENDS_FREE_FREE) return 0;
  return params->beam_model == BEAM_TIMOSHENKO ? 2 : 1;
}

/* BeamHolds - Is x an end that is clamped or pinned?   [theory 13] */
PetscBool BeamHolds(const Params *params, PetscReal x)
{
  if (params->beam_model == BEAM_MODES || (x != 0.0 && x != 1.0)) return PETSC_FALSE;
  return BeamEnd_Private(params, x == 0.0 ? 0 : 1) == END_FREE ? PETSC_FALSE : PETSC_TRUE;
}
