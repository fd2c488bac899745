/*
  scheme.c - see scheme.h. Onset and release are reported where y1, or f, interpolated over the step crosses zero.
*/
#include "scheme.h"

void SchemeOnset(Flow flow, Scheme *s, PetscInt now, PetscReal after, PetscBool seen)
{
  const PetscReal force = -s->y2 / flow->L_plus, phase = PetscMax(((PetscReal)s->i - after) / (PetscReal)s->N, 0.0);

  if (seen)
    FlowRecordOnset_Private(
      flow->record,
      &(Contact){.period = s->period, .phase = PetscMin(phase, 1.0 - PETSC_MACHINE_EPSILON), .velocity = s->y2, .force = force});
  MemoryAdd(&s->memory, now, force);
  s->f += force;
  s->y1       = flow->stop;
  s->y2       = 0.0;
  s->contact  = PETSC_TRUE;
  s->duration = after * s->step;
  s->impulse  = 0.0;
  s->onsets += 1;
  if (!flow->record) return;
  flow->record->time_in_contact += s->duration;
  flow->record->peak_force = PetscMax(flow->record->peak_force, s->f);
}

/* Samples inside the step that was just made, interpolated between its ends. */
static void Sample_Private(Flow flow, const Scheme *s, PetscReal y1, PetscReal y2, PetscReal f)
{
  FlowRecord     *r     = flow->record;
  const PetscReal begin = (PetscReal)s->period * flow->period + (PetscReal)(s->i - 1) * s->step;

  for (; r->next_sample < r->n_samples; ++r->next_sample) {
    const PetscInt  k    = r->next_sample;
    const PetscReal part = PetscClipInterval((r->sample_time[k] - begin) / s->step, 0.0, 1.0);

    if (r->sample_time[k] > begin + s->step * (1.0 + 1e-6)) return; /* 1e-6: a strobe that rounding put behind this step */
    r->sample_y1[k] = y1 + part * (s->y1 - y1);
    r->sample_y2[k] = y2 + part * (s->y2 - y2);
    r->sample_f[k]  = f + part * (s->f - f);
  }
}

void SchemeStep(Flow flow, Scheme *s, PetscReal change, PetscInt next)
{
  FlowRecord     *record = flow->record;
  const PetscReal y1 = s->y1, y2 = s->y2, f = s->f;

  s->i += 1;
  if (s->contact) {
    const PetscReal coming = f - change / flow->L_plus;
    const PetscReal part   = coming < 0.0 ? f / (f - coming) : 1.0; /* of the step spent in contact */

    s->f = PetscMax(coming, 0.0);
    MemoryAdd(&s->memory, next, s->f - f);
    s->duration += part * s->step;
    s->impulse += f * s->step;
    if (record) {
      record->time_in_contact += part * s->step;
      record->peak_force = PetscMax(record->peak_force, s->f);
    }
    if (coming < 0.0) {
      s->y2      = change - flow->L_plus * f;
      s->contact = PETSC_FALSE;
      FlowRecordRelease_Private(record, s->duration, s->impulse);
    }
  } else {
    s->y1 = y1 + s->step * y2;
    s->y2 = y2 + change;
    if (record && y2 < 0.0 && s->y2 >= 0.0) {
      const PetscReal gap = PetscMax(PetscMin(y1, s->y1) - flow->stop, 0.0);

      if (!(gap >= record->min_gap)) record->min_gap = gap;
    }
  }
  if (record) Sample_Private(flow, s, y1, y2, f);
}

void SchemeExtremes(Flow flow, const Scheme *s)
{
  FlowRecord *record = flow->record;

  if (!record) return;
  record->max_displacement = PetscMax(record->max_displacement, s->y1);
  record->min_displacement = PetscMin(record->min_displacement, s->y1);
}
