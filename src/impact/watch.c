/*
  watch.c - what the record keeps of a phase between its events: extremes of the gap and of the force, seen at the looks of a search.
  All in y; flow.c turns the record.   [theory 7, 18]
*/
#include "watch.h"

/* Extremum of the signal between two looks whose slopes differ in sign: Newton on the slope, kept inside. */
static PetscReal Extremum_Private(Signal *s, const Look *before, const Look *now)
{
  PetscReal low = before->t, high = now->t, t = low + (high - low) * before->q1 / (before->q1 - now->q1);
  Look      look;

  SignalEvaluate(s, t, &look);
  for (int it = 0; it < 3; ++it) {
    const PetscReal next = t - look.q1 / look.q2;

    if (!(next > low && next < high)) break;
    t = next;
    SignalEvaluate(s, t, &look);
  }
  return look.q;
}

/* The minimum between two looks where q'' > 0 throughout and q' changes sign: Newton on the slope, bisection if it leaves the bracket. */
static PetscReal Bottom_Private(Signal *s, const Look *before, const Look *now)
{
  PetscReal low = before->t, high = now->t, t = low + (high - low) * before->q1 / (before->q1 - now->q1);
  Look      look;

  for (int it = 0; it < 60; ++it) {
    PetscReal next;

    SignalEvaluate(s, t, &look);
    if (look.q1 < 0.0) low = t;
    else high = t;
    next = t - look.q1 / look.q2;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (fabs(look.q1 * (next - t)) <= PETSC_MACHINE_EPSILON * fabs(look.q)) break; /* more than is left to gain */
    t = next;
  }
  return PetscMax(look.q, 0.0); /* a certified contact does not end here */
}

/*
  The smallest local minimum between two looks if it is smaller than `least` (NaN: any is), else `least`. Certified: with |q''| <= M2 and
  |q'''| <= M3 the interval is halved until in each part q' cannot vanish, or is monotone, or a dip would drown in round-off. A part where q
  stays above `least` is left alone.
*/
static PetscReal Least_Private(Signal *s, const Look *low, const Look *high, PetscReal M2, PetscReal M3, PetscReal least)
{
  const PetscReal h = high->t - low->t, dip = 0.125 * M2 * h * h, bend = 0.125 * M3 * h * h; /* q, q' lie above their chords less these */
  const PetscReal lowest = PetscMin(low->q, high->q), flattest = PetscMin(fabs(low->q1), fabs(high->q1));
  const PetscBool turns  = (PetscBool)(low->q1 < 0.0 && high->q1 >= 0.0);
  Look            middle;

  if (lowest - dip >= least || !isfinite(dip)) return least;
  if (dip <= PETSC_MACHINE_EPSILON * fabs(lowest)) return turns ? fmin(PetscMax(lowest, 0.0), least) : least; /* NaN gives way */
  if (low->q1 * high->q1 > 0.0 && (flattest > bend || fabs(low->q1 + high->q1) > M2 * h)) return least;
  if (low->q2 * high->q2 > 0.0 && fabs(low->q2 + high->q2) > M3 * h)
    return turns ? fmin(Bottom_Private(s, low, high), least) : least;
  SignalEvaluate(s, 0.5 * (low->t + high->t), &middle);
  least = Least_Private(s, low, &middle, M2, M3, least);
  return Least_Private(s, &middle, high, M2, M3, least);
}

void FlowWatchGap_Private(void *ctx, Signal *s, const Look *before, const Look *now)
{
  const Flow      flow   = ctx;
  FlowRecord     *record = flow->record;
  const PetscReal stop   = flow->stop;

  record->max_displacement = PetscMax(record->max_displacement, PetscMax(before->q, now->q) + stop);
  record->min_displacement = PetscMin(record->min_displacement, PetscMin(before->q, now->q) + stop);
  if (before->q1 > 0.0 && now->q1 <= 0.0)
    record->max_displacement = PetscMax(record->max_displacement, Extremum_Private(s, before, now) + stop);
  if (before->q1 < 0.0 && now->q1 >= 0.0) {
    const PetscReal gap = PetscMax(Extremum_Private(s, before, now), 0.0); /* a certified flight does not reach the stop */

    record->min_displacement = PetscMin(record->min_displacement, gap + stop);
    if (!(gap >= record->min_gap)) record->min_gap = gap;
  }
}

void FlowWatchForce_Private(void *ctx, Signal *s, const Look *before, const Look *now)
{
  FlowRecord *record = ((Flow)ctx)->record;

  record->peak_force = PetscMax(record->peak_force, PetscMax(before->q, now->q));
  if (before->q1 > 0.0 && now->q1 <= 0.0) record->peak_force = PetscMax(record->peak_force, Extremum_Private(s, before, now));
  record->min_force = Least_Private(s, before, now, before->M2, before->M3, record->min_force);
}

void FlowWatchStop_Private(Flow flow)
{
  FlowRecord *record = flow->record;

  record->max_displacement = PetscMax(record->max_displacement, flow->stop);
  record->min_displacement = PetscMin(record->min_displacement, flow->stop);
}

PetscReal FlowLongestLook_Private(Flow flow)
{
  return flow->record ? flow->period / 256.0 : 0.0;
}
