/*
  cell.h - everything that is kept of one cell, declared once: name, type, axis, scale, meaning.

  A cell travels and is stored as one row of reals; the table says where each variable is and how it goes into the file.
*/
#ifndef GRAZE_CELL_H
#define GRAZE_CELL_H

#include "graze/store.h"
#include "graze/strobe.h"

typedef enum { AXIS_NONE, AXIS_SAMPLE, AXIS_CONTACT, AXIS_MULTIPLIER } CellAxis;

typedef enum {
  CELL_STATUS,
  CELL_PERIOD,
  CELL_STROBE_DISPLACEMENT,
  CELL_STROBE_VELOCITY,
  CELL_N_SAMPLES,
  CELL_CONTACT_PHASE,
  CELL_CONTACT_PERIOD,
  CELL_CONTACT_VELOCITY,
  CELL_CONTACT_FORCE,
  CELL_CONTACT_DURATION,
  CELL_CONTACT_IMPULSE,
  CELL_N_CONTACTS,
  CELL_CONTACTS_PER_ORBIT,
  CELL_CONTACTS_PER_PERIOD,
  CELL_PEAK_FORCE,
  CELL_MAX_DISPLACEMENT,
  CELL_MIN_DISPLACEMENT,
  CELL_MIN_GAP,
  CELL_CONTACT_FRACTION,
  CELL_MULTIPLIER_RE,
  CELL_MULTIPLIER_IM,
  CELL_MULTIPLIER_ERROR,
  CELL_N_MULTIPLIERS,
  CELL_SEGMENT_START,
  CELL_PERIODS_USED,
  CELL_RESIDUAL,
  CELL_CHECK_DEVIATION,
  CELL_WALL_SECONDS,
  CELL_VARIABLES
} CellVariableId;

typedef struct {
  const char *name;
  StoreType   type;
  CellAxis    axis;
  const char *scale;     /* of the non-dimensional number; NULL for counts and codes */
  const char *units;     /* "1", or "s" */
  const char *long_name;
} CellVariable;

extern const CellVariable cell_variables[CELL_VARIABLES];

typedef struct {
  PetscInt samples, contacts; /* lengths of the axes */
  PetscInt offset[CELL_VARIABLES], width[CELL_VARIABLES];
  PetscInt length;            /* reals of one cell */
} CellLayout;

/* What the sweep adds to the steady state. */
typedef struct {
  PetscBool segment_start;
  PetscReal check_deviation; /* NaN: not checked */
  PetscReal wall_seconds;
} CellExtras;

void CellLayoutSetUp(const Params *params, CellLayout *layout);
/* row: shape [layout->length] */
void CellPack(const CellLayout *layout, const Steady *steady, PetscReal period_time, const CellExtras *extras, PetscReal *row);

#endif
