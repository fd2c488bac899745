/*
  grid.c - which cells a sweep has, and which run of them is a unit of work.

  Everything here follows from the parameters alone, so that a unit is the same whichever rank computes it. A cell of a shard has the same
  values, is cut from its line at the same place and is checked or not as in the whole grid.
*/
#include "graze/grid.h"

PetscErrorCode GridSetUp(const Params *params, Grid *g)
{
  PetscFunctionBeginUser;
  *g = (Grid){.amplitude = params->sweep_amplitude, .frequency = params->sweep_frequency, .along = params->sweep_along};
  g->n_directions = params->sweep_direction == DIRECTION_BOTH ? 2 : 1;
  g->direction[0] = params->sweep_direction == DIRECTION_DOWN ? -1 : 1;
  g->direction[1] = -1;
  g->line_length  = g->along == ALONG_FREQUENCY ? g->frequency.count : g->amplitude.count;
  g->all_lines    = g->along == ALONG_FREQUENCY ? g->amplitude.count : g->frequency.count;
  g->shards       = PetscMax(params->shard.n, 1);
  g->shard        = params->shard.n > 0 ? params->shard.k - 1 : 0;
  PetscCheck(g->shard >= 0 && g->shard < g->shards && g->shards <= g->all_lines, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "shard %" PetscInt_FMT " of %" PetscInt_FMT " of %" PetscInt_FMT " lines", g->shard + 1, g->shards, g->all_lines);
  g->n_lines  = (g->all_lines - g->shard + g->shards - 1) / g->shards;
  g->segment  = params->sweep_segment > 0 ? PetscMin(params->sweep_segment, g->line_length) : g->line_length;
  g->segments = (g->line_length + g->segment - 1) / g->segment;
  g->n_units  = g->n_directions * g->n_lines * g->segments;
  g->n_cells  = g->n_directions * g->n_lines * g->line_length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Units are numbered direction by direction, line by line; a down line is cut from its upper end. */
void GridGetUnit(const Grid *g, PetscInt unit, GridUnit *u)
{
  const PetscInt segment = unit % g->segments, from = segment * g->segment;

  u->line      = unit / g->segments % g->n_lines;
  u->direction = unit / (g->segments * g->n_lines);
  u->n         = PetscMin(g->segment, g->line_length - from);
  u->step      = g->direction[u->direction];
  u->first     = u->step > 0 ? from : g->line_length - 1 - from;
  u->last      = u->first + u->step * (u->n - 1);
}

PetscInt GridAmplitudes(const Grid *g)
{
  return g->along == ALONG_FREQUENCY ? g->n_lines : g->amplitude.count;
}

PetscInt GridFrequencies(const Grid *g)
{
  return g->along == ALONG_FREQUENCY ? g->frequency.count : g->n_lines;
}

/* Index in the whole grid of line `line` of this shard. */
static PetscInt WholeLine_Private(const Grid *g, PetscInt line)
{
  return g->shard + line * g->shards;
}

PetscReal GridAmplitude(const Grid *g, PetscInt i)
{
  return RangeValue(g->amplitude, g->along == ALONG_FREQUENCY ? WholeLine_Private(g, i) : i);
}

PetscReal GridFrequency(const Grid *g, PetscInt j)
{
  return RangeValue(g->frequency, g->along == ALONG_FREQUENCY ? j : WholeLine_Private(g, j));
}

PetscInt GridCellOfStep(const Grid *g, PetscInt unit, PetscInt step)
{
  GridUnit u;
  PetscInt along;

  GridGetUnit(g, unit, &u);
  along = u.first + step * u.step;
  if (g->along == ALONG_FREQUENCY) return (u.direction * g->n_lines + u.line) * g->line_length + along;
  return (u.direction * g->line_length + along) * g->n_lines + u.line;
}

void GridStepOfCell(const Grid *g, PetscInt cell, PetscInt *unit, PetscInt *step)
{
  const PetscInt direction = cell / (g->n_lines * g->line_length), rest = cell % (g->n_lines * g->line_length);
  const PetscInt line = g->along == ALONG_FREQUENCY ? rest / g->line_length : rest % g->n_lines;
  const PetscInt along = g->along == ALONG_FREQUENCY ? rest % g->line_length : rest / g->n_lines;
  const PetscInt place = g->direction[direction] > 0 ? along : g->line_length - 1 - along; /* from where the line begins */

  *unit = (direction * g->n_lines + line) * g->segments + place / g->segment;
  *step = place % g->segment;
}

void GridGetCell(const Grid *g, PetscInt line, PetscInt along, PetscInt *i_amplitude, PetscInt *i_frequency, PetscReal *amplitude, PetscReal *frequency)
{
  *i_amplitude = g->along == ALONG_FREQUENCY ? line : along;
  *i_frequency = g->along == ALONG_FREQUENCY ? along : line;
  *amplitude   = GridAmplitude(g, *i_amplitude);
  *frequency   = GridFrequency(g, *i_frequency);
}

/* More amplitude, more contacts: the dearest lines first leaves the cheap ones to fill the gaps at the end. */
PetscReal GridExpectedCost(const Grid *g, PetscInt unit, PetscInt first, PetscInt n)
{
  GridUnit  u;
  PetscReal cost = 0.0;

  GridGetUnit(g, unit, &u);
  for (PetscInt i = first; i < first + n; ++i) {
    PetscInt  ia, jf;
    PetscReal amplitude, frequency;

    GridGetCell(g, u.line, u.first + i * u.step, &ia, &jf, &amplitude, &frequency);
    cost += 1.0 + (g->amplitude.last > 0.0 ? amplitude / g->amplitude.last : 0.0);
  }
  return cost;
}

PetscBool GridIsChecked(const Grid *g, PetscInt wanted, PetscInt i_direction, PetscInt i_amplitude, PetscInt i_frequency)
{
  const PetscInt64 i    = g->along == ALONG_FREQUENCY ? WholeLine_Private(g, i_amplitude) : i_amplitude;
  const PetscInt64 j    = g->along == ALONG_FREQUENCY ? i_frequency : WholeLine_Private(g, i_frequency);
  const PetscInt64 n    = (PetscInt64)g->n_directions * g->all_lines * g->line_length;
  const PetscInt64 cell = (i_direction * (PetscInt64)g->amplitude.count + i) * g->frequency.count + j;
  const PetscInt64 k    = PetscMin((PetscInt64)wanted, n);

  /* the k cells floor((m + 1/2) n / k), m = 0 .. k-1 */
  if (k == 0) return PETSC_FALSE;
  {
    const PetscInt64 m = (2 * cell + 1) * k / (2 * n);

    for (PetscInt64 near = PetscMax(m - 1, 0); near <= m + 1 && near < k; ++near)
      if ((2 * near + 1) * n / (2 * k) == cell) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
