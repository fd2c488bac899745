/*
  grid.c - which cells a sweep has, and which run of them is a unit of work.

  Everything here follows from the parameters alone, so that a unit is the same whichever rank computes it.
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
  g->n_lines      = g->along == ALONG_FREQUENCY ? g->amplitude.count : g->frequency.count;
  g->segment      = params->sweep_segment > 0 ? PetscMin(params->sweep_segment, g->line_length) : g->line_length;
  g->segments     = (g->line_length + g->segment - 1) / g->segment;
  g->n_units      = g->n_directions * g->n_lines * g->segments;
  g->n_cells      = g->n_directions * g->n_lines * g->line_length;
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

void GridGetCell(const Grid *g, PetscInt line, PetscInt along, PetscInt *i_amplitude, PetscInt *i_frequency, PetscReal *amplitude, PetscReal *frequency)
{
  *i_amplitude = g->along == ALONG_FREQUENCY ? line : along;
  *i_frequency = g->along == ALONG_FREQUENCY ? along : line;
  *amplitude   = RangeValue(g->amplitude, *i_amplitude);
  *frequency   = RangeValue(g->frequency, *i_frequency);
}

/* More amplitude, more contacts: the dearest lines first leaves the cheap ones to fill the gaps at the end. */
PetscReal GridExpectedCost(const Grid *g, PetscInt unit)
{
  GridUnit  u;
  PetscReal cost = 0.0;

  GridGetUnit(g, unit, &u);
  for (PetscInt i = 0; i < u.n; ++i) {
    PetscInt  ia, jf;
    PetscReal amplitude, frequency;

    GridGetCell(g, u.line, u.first + i * u.step, &ia, &jf, &amplitude, &frequency);
    cost += 1.0 + (g->amplitude.last > 0.0 ? amplitude / g->amplitude.last : 0.0);
  }
  return cost;
}

PetscBool GridIsChecked(const Grid *g, PetscInt wanted, PetscInt i_direction, PetscInt i_amplitude, PetscInt i_frequency)
{
  const PetscInt   n    = g->n_cells;
  const PetscInt   cell = (i_direction * g->amplitude.count + i_amplitude) * g->frequency.count + i_frequency;
  const PetscInt64 k    = (PetscInt64)PetscMin(wanted, n);

  /* the k cells floor((i + 1/2) n / k), i = 0 .. k-1 */
  if (k == 0) return PETSC_FALSE;
  {
    const PetscInt64 i = (2 * (PetscInt64)cell + 1) * k / (2 * (PetscInt64)n);

    for (PetscInt64 near = PetscMax(i - 1, 0); near <= i + 1 && near < k; ++near)
      if ((2 * near + 1) * (PetscInt64)n / (2 * k) == cell) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
