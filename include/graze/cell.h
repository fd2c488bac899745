/*
  cell.h - everything that is kept of one cell, declared once: name, type, axis, scale, meaning.

  A cell travels and is stored as one row of reals; the table says where each variable is and how it goes into the file.
*/
#ifndef GRAZE_CELL_H
#define GRAZE_CELL_H

#include <stdint.h>

#include "graze/store.h"
#include "graze/strobe.h"

typedef enum { AXIS_NONE, AXIS_SAMPLE, AXIS_CONTACT, AXIS_MULTIPLIER, AXIS_STATE } CellAxis;

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
  CELL_LYAPUNOV_EXPONENT,
  CELL_LYAPUNOV_ERROR,
  CELL_STATE_IN_CONTACT, /* with STATE: what the next cell of the line starts from */
  CELL_STATE,
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
  PetscInt samples, contacts, states; /* lengths of the axes */
  PetscInt offset[CELL_VARIABLES], width[CELL_VARIABLES];
  PetscInt length;            /* reals of one cell */
} CellLayout;

/* What the sweep adds to the steady state. */
typedef struct {
  PetscBool segment_start;
  PetscReal check_deviation; /* NaN: not checked */
  PetscReal wall_seconds;
} CellExtras;

/* states: reals of a state of the flow, FlowGetSize */
void CellLayoutSetUp(const Params *params, PetscInt states, CellLayout *layout);
/* row: shape [layout->length]. state: after the cell, at a strobe; not kept (NaN) where the cell failed and the next one starts afresh */
void CellPack(const CellLayout *layout, const Steady *steady, const FlowState *state, PetscReal period_time, const CellExtras *extras, PetscReal *row);
/* A cell that has only a status: one that killed its rank. */
void CellPackStatus(const CellLayout *layout, SteadyStatus status, PetscBool segment_start, PetscReal *row);
/* Does the line go on from this cell's state? If not the next cell starts from the stated initial condition. */
PetscBool CellCarries(SteadyStatus status);

/*
  A row without its filling, as it travels and lies in the journal: one int32 count per variable (padded to 8 bytes), then so many reals of each. The
  fillings are NaN, 0 and -1 as CellPack makes them; decoding gives back the same bits.
*/
size_t CellEncodedMax(const CellLayout *layout);                                          /* bytes */
size_t CellEncode(const CellLayout *layout, const PetscReal *row, void *bytes);           /* bytes used */
PetscBool CellDecode(const CellLayout *layout, size_t nbytes, const void *bytes, PetscReal *row); /* false: it is not a row of this layout */
/* The first number of one variable of an encoded row, without decoding the rest. */
PetscBool CellPeek(const CellLayout *layout, size_t nbytes, const void *bytes, CellVariableId variable, PetscReal *value);
/* CRC-32 of the encoded row, wall_seconds taken as 0: the same for the same data, whenever they were computed. */
uint32_t CellChecksum(const CellLayout *layout, const PetscReal *row);

#endif
