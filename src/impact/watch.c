/*
  watch.c - what the record keeps of a phase between its events: extremes of the gap and of the force, seen at the looks of a search.
  All in y; flow.c turns the record.   [theory 7]
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
