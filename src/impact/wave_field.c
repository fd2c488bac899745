/*
  wave_field.c - closed forms of u_tt = c^2 u'' + q(x) (F0 + A cos(W t + phase)), u'(1) = 0 and u(0) = 0 or u'(0) = 0.
  (14.13), (14.14)

  q is -1 (base), a shape that is 1 at the contact point (mode; for these structures `shape` is the same), or a point force. The
  harmonic part U(x) cos solves c^2 U'' + W^2 U = -A q, the static part the same with W = 0, after the rigid acceleration is taken out.
*/
#include "wave_field.h"

#include <math.h>

/* U and its integral from 0. */
typedef struct {
  PetscReal value, integral;
} Profile;

static PetscBool Clamped_Private(const Params *params)
{
  return (PetscBool)(params->beam_ends != ENDS_FREE_FREE);
}

/* Mode j from 1: wave number, and the shape, 1 at the contact point. */
static PetscReal WaveNumber_Private(const Params *params, PetscInt j)
{
  return ((PetscReal)j - (Clamped_Private(params) ? 0.5 : 1.0)) * PETSC_PI;
}

static Profile Shape_Private(const Params *params, PetscInt j, PetscReal x)
{
  const PetscReal k = WaveNumber_Private(params, j), x_c = params->contact_position;

  if (Clamped_Private(params)) return (Profile){sin(k * x) / sin(k * x_c), (1.0 - cos(k * x)) / (k * sin(k * x_c))};
  return (Profile){cos(k * x) / cos(k * x_c), (k > 0.0 ? sin(k * x) / k : x) / cos(k * x_c)};
}

WaveField WaveFieldInitial(const Params *params, PetscReal x)
{
  Profile p = {1.0, x};

  if (params->initial_shape == INITIAL_MODE) p = Shape_Private(params, params->initial_mode, x);
  else if (params->initial_shape == INITIAL_LINEAR) p = (Profile){x, 0.5 * x * x};
  return (WaveField){params->initial_displacement * p.value, params->initial_velocity * p.integral};
}

/* WaveLoadSet - The load of one cell; base, point or mode as params say. An amplitude of 0 has no resonance. */
void WaveLoadSet(const Params *params, PetscReal amplitude, PetscReal frequency, WaveLoad *load)
{
  const PetscReal k    = frequency / params->beam_wave_speed;
  const PetscBool mode = (PetscBool)(params->forcing_type == FORCING_MODE || params->forcing_type == FORCING_SHAPE);

  load->params    = *params;
  load->amplitude = amplitude;
  load->mean      = params->forcing_mean;
  load->frequency = frequency;
  load->rigid     = 0.0;
  load->resonance = PETSC_FALSE;
  /* 1e-12: the forced amplitude would drown every digit of the free motion */
  if (amplitude != 0.0) {
    const PetscReal k_j = mode ? WaveNumber_Private(params, params->forcing_mode) : 0.0;

    if (mode) load->resonance = (PetscBool)(fabs(k - k_j) < 1e-12 * k);
    else if (Clamped_Private(params)) load->resonance = (PetscBool)(fabs(cos(k)) < 1e-12 * PetscMax(k, 1.0));
    else if (params->forcing_type == FORCING_POINT) load->resonance = (PetscBool)(fabs(sin(k)) < 1e-12 * PetscMax(k, 1.0));
  }
  if (Clamped_Private(params)) return;
  if (params->forcing_type == FORCING_BASE) load->rigid = -load->mean;
  else if (!mode || params->forcing_mode == 1) load->rigid = load->mean;
}

/* Of a point force of unit size at p, at wave number k.   c^2 (U'' + k^2 U) = -delta(x - p) */
static Profile PointHarmonic_Private(const WaveLoad *load, PetscReal k, PetscReal x)
{
  const PetscReal c = load->params.beam_wave_speed, p = load->params.forcing_position, left = PetscMin(x, p);
  const PetscBool clamped = Clamped_Private(&load->params);
  const PetscReal size    = (clamped ? 1.0 / cos(k) : -1.0 / sin(k)) / (c * c * k), at = cos(k * (1.0 - p));
  const PetscReal source  = clamped ? sin(k * p) : cos(k * p);
  Profile         u;

  u.value    = size * (x <= p ? at * (clamped ? sin(k * x) : cos(k * x)) : source * cos(k * (1.0 - x)));
  u.integral = size * at * (clamped ? 1.0 - cos(k * left) : sin(k * left)) / k;
  if (x > p) u.integral += size * source * (sin(k * (1.0 - p)) - sin(k * (1.0 - x))) / k;
  return u;
}

static Profile Harmonic_Private(const WaveLoad *load, PetscReal x)
{
  const Params   *params = &load->params;
  const PetscReal W = load->frequency, c = params->beam_wave_speed, k = W / c, A = load->amplitude;
  Profile         u = {0.0, 0.0};
  PetscReal       w;

  if (A == 0.0) return u;
  switch (params->forcing_type) {
  case FORCING_POINT:
    u = PointHarmonic_Private(load, k, x);
    break;
  case FORCING_BASE:
    u = (Profile){1.0 / (W * W), x / (W * W)};
    if (Clamped_Private(params)) {
      u.value -= cos(k * (1.0 - x)) / (cos(k) * W * W);
      u.integral -= (sin(k) - sin(k * (1.0 - x))) / (k * cos(k) * W * W);
    }
    break;
  default:
    w = c * WaveNumber_Private(params, params->forcing_mode);
    u = Shape_Private(params, params->forcing_mode, x);
    u.value /= (w - W) * (w + W);
    u.integral /= (w - W) * (w + W);
  }
  return (Profile){A * u.value, A * u.integral};
}

static PetscReal Static_Private(const WaveLoad *load, PetscReal x)
{
  const Params   *params = &load->params;
  const PetscReal c = params->beam_wave_speed, p = params->forcing_position, F = load->mean / (c * c);
  PetscReal       k;

  if (F == 0.0) return 0.0;
  switch (params->forcing_type) {
  case FORCING_POINT:
    return Clamped_Private(params) ? F * PetscMin(x, p) : F * (0.5 * x * x - PetscMax(x - p, 0.0));
  case FORCING_BASE:
    return Clamped_Private(params) ? -F * x * (1.0 - 0.5 * x) : 0.0;
  default:
    k = WaveNumber_Private(params, params->forcing_mode);
    return k > 0.0 ? F * Shape_Private(params, params->forcing_mode, x).value / (k * k) : 0.0;
  }
}

PetscReal WaveLoadDisplacement(const WaveLoad *load, PetscReal x, PetscReal t)
{
  return Static_Private(load, x) + 0.5 * load->rigid * t * t +
         Harmonic_Private(load, x).value * cos(load->frequency * t + load->params.strobe_phase);
}

WaveField WaveLoadField(const WaveLoad *load, PetscReal x, PetscReal t)
{
  const Profile   u     = Harmonic_Private(load, x);
  const PetscReal phase = load->frequency * t + load->params.strobe_phase;

  return (WaveField){Static_Private(load, x) + 0.5 * load->rigid * t * t + u.value * cos(phase),
                     load->rigid * t * x - load->frequency * u.integral * sin(phase)};
}

static WaveField At_Private(const Params *params, const WaveLoad *load, PetscReal x, PetscReal t)
{
  return load ? WaveLoadField(load, x, t) : WaveFieldInitial(params, x);
}

/* Integral of the wave from 0 to xi >= 0, over as many turns as that is. */
static PetscReal Primitive_Private(const Params *params, const WaveLoad *load, PetscReal t, PetscReal xi)
{
  const PetscBool clamped = Clamped_Private(params);
  const PetscInt  turns   = (PetscInt)floor(xi / 2.0);
  const PetscReal r = xi - 2.0 * (PetscReal)turns, c = params->beam_wave_speed;
  const WaveField at = At_Private(params, load, PetscMin(r, 2.0 - r), t), all = At_Private(params, load, 1.0, t);
  PetscReal       sum = 0.5 * ((r > 1.0 ? 2.0 * all.sweep - at.sweep : at.sweep) - c * at.u);

  if (!clamped) sum += 0.5 * c * At_Private(params, load, 0.0, t).u;
  for (PetscInt k = 0; k < turns; ++k) sum = all.sweep + (clamped ? -sum : sum);
  return sum;
}

void WaveFieldAdd(const Params *params, const WaveLoad *load, PetscReal t, PetscInt n, PetscReal xi, PetscReal factor, PetscReal *wave)
{
  PetscReal begin = Primitive_Private(params, load, t, xi);

  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal end = Primitive_Private(params, load, t, xi + 2.0 * (PetscReal)(i + 1) / (PetscReal)n);

    wave[i] += factor * (end - begin) * 0.5 * (PetscReal)n;
    begin = end;
  }
}
