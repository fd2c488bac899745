/*
  cell.c - the table of what is kept of a cell, the row of reals that carries it, and its form without filling.

  What a row is filled with is compared and restored bit by bit: a NaN that was computed may differ from the one of the filling, and stays.
*/
#include "graze/cell.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

const CellVariable cell_variables[CELL_VARIABLES] = {
  [CELL_STATUS]              = {"status", STORE_INT8, AXIS_NONE, NULL, NULL, "how the cell ended"},
  [CELL_PERIOD]              = {"period", STORE_INT32, AXIS_NONE, NULL, "1", "least period of the orbit, in forcing periods; 0: none found"},
  [CELL_STROBE_DISPLACEMENT] = {"strobe_displacement", STORE_REAL, AXIS_SAMPLE, "L", "1", "tip displacement at the strobe"},
  [CELL_STROBE_VELOCITY]     = {"strobe_velocity", STORE_REAL, AXIS_SAMPLE, "L/t0", "1", "tip velocity at the strobe"},
  [CELL_N_SAMPLES]           = {"n_samples", STORE_INT32, AXIS_NONE, NULL, "1", "forcing periods stored: one orbit if periodic, else all that were sampled"},
  [CELL_CONTACT_PHASE]       = {"contact_phase", STORE_REAL, AXIS_CONTACT, "1", "1", "onset of contact, as a fraction of the forcing period since its strobe"},
  [CELL_CONTACT_PERIOD]      = {"contact_period", STORE_INT32, AXIS_CONTACT, NULL, "1", "which stored period the onset falls in; -1: no contact in this slot"},
  [CELL_CONTACT_VELOCITY]    = {"contact_velocity", STORE_REAL, AXIS_CONTACT, "L/t0", "1", "tip velocity just before onset, signed"},
  [CELL_CONTACT_FORCE]       = {"contact_force", STORE_REAL, AXIS_CONTACT, "EI/L^2", "1", "contact force just after onset"},
  [CELL_CONTACT_DURATION]    = {"contact_duration", STORE_REAL, AXIS_CONTACT, "t0", "1", "duration of contact; NaN: it never ended"},
  [CELL_CONTACT_IMPULSE]     = {"contact_impulse", STORE_REAL, AXIS_CONTACT, "EI t0/L^2", "1", "impulse of the contact force"},
  [CELL_N_CONTACTS]          = {"n_contacts", STORE_INT32, AXIS_NONE, NULL, "1", "onsets of contact in the stored periods, also those beyond the contact axis"},
  [CELL_CONTACTS_PER_ORBIT]  = {"contacts_per_orbit", STORE_INT32, AXIS_NONE, NULL, "1", "onsets of contact per orbit; 0 if no period was found"},
  [CELL_CONTACTS_PER_PERIOD] = {"contacts_per_period", STORE_REAL, AXIS_NONE, "1", "1", "onsets of contact per forcing period"},
  [CELL_PEAK_FORCE]          = {"peak_force", STORE_REAL, AXIS_NONE, "EI/L^2", "1", "largest contact force"},
  [CELL_MAX_DISPLACEMENT]    = {"max_displacement", STORE_REAL, AXIS_NONE, "L", "1", "largest tip displacement"},
  [CELL_MIN_DISPLACEMENT]    = {"min_displacement", STORE_REAL, AXIS_NONE, "L", "1", "smallest tip displacement"},
  [CELL_MIN_GAP]             = {"min_gap", STORE_REAL, AXIS_NONE, "L", "1", "smallest gap at which the tip turned back in flight; NaN: it never did"},
  [CELL_CONTACT_FRACTION]    = {"contact_fraction", STORE_REAL, AXIS_NONE, "1", "1", "fraction of time in contact"},
  [CELL_MULTIPLIER_RE]       = {"multiplier_re", STORE_REAL, AXIS_MULTIPLIER, "1", "1", "Floquet multiplier of the orbit, real part, by falling modulus"},
  [CELL_MULTIPLIER_IM]       = {"multiplier_im", STORE_REAL, AXIS_MULTIPLIER, "1", "1", "Floquet multiplier of the orbit, imaginary part; of a pair the positive one first"},
  [CELL_MULTIPLIER_ERROR]    = {"multiplier_error", STORE_REAL, AXIS_MULTIPLIER, "1", "1", "estimated error of the multiplier"},
  [CELL_N_MULTIPLIERS]       = {"n_multipliers", STORE_INT32, AXIS_NONE, NULL, "1", "multipliers stored"},
  [CELL_SEGMENT_START]       = {"segment_start", STORE_INT8, AXIS_NONE, NULL, "1", "1: started from the stated initial condition, 0: from its neighbour"},
  [CELL_PERIODS_USED]        = {"periods_used", STORE_INT32, AXIS_NONE, NULL, "1", "forcing periods integrated before the decision"},
  [CELL_RESIDUAL]            = {"residual", STORE_REAL, AXIS_NONE, "1", "1", "Newton residual of the orbit relative to its size"},
  [CELL_CHECK_DEVIATION]     = {"check_deviation", STORE_REAL, AXIS_NONE, "L", "1", "largest difference of strobed displacement to the literal scheme; NaN: not checked"},
  [CELL_LYAPUNOV_EXPONENT]   = {"lyapunov_exponent", STORE_REAL, AXIS_NONE, "1", "1", "largest Lyapunov exponent, per forcing period; NaN: not measured"},
  [CELL_LYAPUNOV_ERROR]      = {"lyapunov_error", STORE_REAL, AXIS_NONE, "1", "1", "standard error of the Lyapunov exponent"},
  [CELL_STATE_IN_CONTACT]    = {"state_in_contact", STORE_INT8, AXIS_NONE, NULL, "1", "1: at the strobe of `state` the tip is on the stop"},
  [CELL_STATE]               = {"state", STORE_REAL, AXIS_STATE, "L, L/t0", "1",
                                "state of beam and tip at a strobe: modal displacements, modal velocities, tail; the next cell of the line starts from it"},
  [CELL_WALL_SECONDS]        = {"wall_seconds", STORE_REAL, AXIS_NONE, NULL, "s", "time the cell took"},
};

void CellLayoutSetUp(const Params *params, PetscInt states, CellLayout *layout)
{
  layout->samples  = PetscMax(params->sample_periods, params->max_period);
  layout->contacts = params->max_contacts;
  layout->states   = states;
  layout->length   = 0;
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    const PetscInt widths[] = {[AXIS_NONE]       = 1,
                               [AXIS_SAMPLE]     = layout->samples,
                               [AXIS_CONTACT]    = layout->contacts,
                               [AXIS_MULTIPLIER] = ORBIT_MULTIPLIERS,
                               [AXIS_STATE]      = states};

    layout->offset[v] = layout->length;
    layout->width[v]  = widths[cell_variables[v].axis];
    layout->length += layout->width[v];
  }
}

PetscBool CellCarries(SteadyStatus status)
{
  switch (status) {
  case STATUS_PERIODIC:
  case STATUS_CONTACT_FREE:
  case STATUS_APERIODIC:
  case STATUS_NOT_SETTLED:
  case STATUS_PERIODIC_UNVERIFIED:
  case STATUS_CHAOTIC:
  case STATUS_QUASI_PERIODIC:
    return PETSC_TRUE;
  case STATUS_PENDING:
  case STATUS_EVENT_LIMIT:
  case STATUS_FLOW_FAILED:
  case STATUS_CRASHED:
    break;
  }
  return PETSC_FALSE;
}

/* ---- the row ------------------------------------------------------------------------------------------------------ */

/* What stands where there is nothing: NaN (reals), 0 (integers), -1 for the period of no contact. */
static PetscReal Filling_Private(PetscInt v)
{
  return cell_variables[v].type == STORE_REAL ? (PetscReal)NAN : v == CELL_CONTACT_PERIOD ? -1.0 : 0.0;
}

static void Fill_Private(const CellLayout *layout, PetscReal *row)
{
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v)
    for (PetscInt i = 0; i < layout->width[v]; ++i) row[layout->offset[v] + i] = Filling_Private(v);
}

/* Contacts of the record into the columns of the row; slots without one keep their filling. */
static void PackContacts_Private(const CellLayout *layout, const FlowRecord *record, PetscReal *row)
{
  for (PetscInt i = 0; i < PetscMin(record->count, layout->contacts); ++i) {
    const Contact *c = &record->contact[i];

    row[layout->offset[CELL_CONTACT_PHASE] + i]    = c->phase;
    row[layout->offset[CELL_CONTACT_PERIOD] + i]   = (PetscReal)c->period;
    row[layout->offset[CELL_CONTACT_VELOCITY] + i] = c->velocity;
    row[layout->offset[CELL_CONTACT_FORCE] + i]    = c->force;
    row[layout->offset[CELL_CONTACT_DURATION] + i] = c->duration;
    row[layout->offset[CELL_CONTACT_IMPULSE] + i]  = c->impulse;
  }
}

/*
  CellPack - One cell as a row of reals: NaN (reals) and 0 (integers) where there is nothing, -1 for the period of no contact.

  Not collective. state: x of shape [layout->states]; period_time: T, to make a fraction of the time in contact.
*/
void CellPack(const CellLayout *layout, const Steady *steady, const FlowState *state, PetscReal period_time, const CellExtras *extras, PetscReal *row)
{
  const FlowRecord *record = &steady->record;
  const PetscInt    n      = steady->n_samples;

  Fill_Private(layout, row);
#define AT(v) row[layout->offset[v]]
  AT(CELL_STATUS)            = (PetscReal)steady->status;
  AT(CELL_SEGMENT_START)     = extras->segment_start ? 1.0 : 0.0;
  AT(CELL_CHECK_DEVIATION)   = extras->check_deviation;
  AT(CELL_WALL_SECONDS)      = extras->wall_seconds;
  AT(CELL_PERIODS_USED)      = (PetscReal)steady->periods_used;
  AT(CELL_RESIDUAL)          = steady->residual;
  AT(CELL_LYAPUNOV_EXPONENT) = steady->lyapunov_exponent;
  AT(CELL_LYAPUNOV_ERROR)    = steady->lyapunov_error;
  AT(CELL_PERIOD)            = (PetscReal)steady->period;
  AT(CELL_N_SAMPLES)         = (PetscReal)n;
  for (PetscInt i = 0; i < n; ++i) {
    row[layout->offset[CELL_STROBE_DISPLACEMENT] + i] = steady->displacement[i];
    row[layout->offset[CELL_STROBE_VELOCITY] + i]     = steady->velocity[i];
  }
  PackContacts_Private(layout, record, row);
  AT(CELL_N_CONTACTS) = (PetscReal)record->count;
  if (n > 0) {
    AT(CELL_CONTACTS_PER_PERIOD) = (PetscReal)record->count / (PetscReal)n;
    if (steady->period > 0) AT(CELL_CONTACTS_PER_ORBIT) = round((PetscReal)record->count * (PetscReal)steady->period / (PetscReal)n);
    AT(CELL_PEAK_FORCE)       = record->peak_force;
    AT(CELL_MAX_DISPLACEMENT) = record->max_displacement;
    AT(CELL_MIN_DISPLACEMENT) = record->min_displacement;
    AT(CELL_MIN_GAP)          = record->min_gap;
    AT(CELL_CONTACT_FRACTION) = record->time_in_contact / ((PetscReal)n * period_time);
  }
  AT(CELL_N_MULTIPLIERS) = (PetscReal)steady->n_multipliers;
  if (CellCarries(steady->status)) {
    AT(CELL_STATE_IN_CONTACT) = state->contact ? 1.0 : 0.0;
    for (PetscInt i = 0; i < layout->states; ++i) row[layout->offset[CELL_STATE] + i] = state->x[i];
  }
#undef AT
  for (PetscInt i = 0; i < steady->n_multipliers; ++i) {
    row[layout->offset[CELL_MULTIPLIER_RE] + i]    = steady->multiplier_re[i];
    row[layout->offset[CELL_MULTIPLIER_IM] + i]    = steady->multiplier_im[i];
    row[layout->offset[CELL_MULTIPLIER_ERROR] + i] = steady->multiplier_error[i];
  }
}

void CellPackStatus(const CellLayout *layout, SteadyStatus status, PetscBool segment_start, PetscReal *row)
{
  Fill_Private(layout, row);
  row[layout->offset[CELL_STATUS]]        = (PetscReal)status;
  row[layout->offset[CELL_SEGMENT_START]] = segment_start ? 1.0 : 0.0;
}

/* ---- encoded ------------------------------------------------------------------------------------------------------ */

enum { HEAD = (CELL_VARIABLES + CELL_VARIABLES % 2) * (int)sizeof(int32_t) }; /* bytes of the counts */

/* counts: numbers of each variable up to the last that is not filling; shape [HEAD / 4], the last one padding */
static void Count_Private(const CellLayout *layout, const PetscReal *row, int32_t *counts)
{
  memset(counts, 0, HEAD);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    const PetscReal filling = Filling_Private(v);
    PetscInt        n       = layout->width[v];

    while (n > 0 && !memcmp(&row[layout->offset[v] + n - 1], &filling, sizeof(filling))) --n;
    counts[v] = (int32_t)n;
  }
}

/* The counts, if they and the length agree with each other and with the layout. */
static PetscBool ReadCounts_Private(const CellLayout *layout, size_t nbytes, const void *bytes, int32_t *counts)
{
  size_t expected = HEAD;

  if (nbytes < HEAD) return PETSC_FALSE;
  memcpy(counts, bytes, HEAD);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    if (counts[v] < 0 || counts[v] > layout->width[v]) return PETSC_FALSE;
    expected += (size_t)counts[v] * sizeof(PetscReal);
  }
  return (PetscBool)(nbytes == expected);
}

/* Can the file's type hold it? Codes and counts are cast to integers by whoever reads them. */
static PetscBool Fits_Private(PetscInt v, PetscReal value)
{
  const PetscReal most = v == CELL_STATUS ? STATUS_COUNT - 1 : cell_variables[v].type == STORE_INT8 ? INT8_MAX : INT32_MAX;

  if (cell_variables[v].type == STORE_REAL) return PETSC_TRUE;
  return (PetscBool)(value >= (v == CELL_CONTACT_PERIOD ? -1.0 : 0.0) && value <= most && value == floor(value));
}

size_t CellEncodedMax(const CellLayout *layout)
{
  return HEAD + (size_t)layout->length * sizeof(PetscReal);
}

size_t CellEncode(const CellLayout *layout, const PetscReal *row, void *bytes)
{
  int32_t counts[HEAD / sizeof(int32_t)];
  char   *to = bytes;

  Count_Private(layout, row, counts);
  memcpy(to, counts, HEAD);
  to += HEAD;
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    const size_t size = (size_t)counts[v] * sizeof(PetscReal);

    memcpy(to, row + layout->offset[v], size);
    to += size;
  }
  return (size_t)(to - (char *)bytes);
}

PetscBool CellDecode(const CellLayout *layout, size_t nbytes, const void *bytes, PetscReal *row)
{
  int32_t     counts[HEAD / sizeof(int32_t)];
  const char *from = (const char *)bytes + HEAD;

  if (!ReadCounts_Private(layout, nbytes, bytes, counts)) return PETSC_FALSE;
  Fill_Private(layout, row);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    const size_t size = (size_t)counts[v] * sizeof(PetscReal);

    memcpy(row + layout->offset[v], from, size);
    from += size;
    for (PetscInt i = 0; i < counts[v]; ++i)
      if (!Fits_Private(v, row[layout->offset[v] + i])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscBool CellPeek(const CellLayout *layout, size_t nbytes, const void *bytes, CellVariableId variable, PetscReal *value)
{
  int32_t counts[HEAD / sizeof(int32_t)];
  size_t  at = HEAD;

  if (!ReadCounts_Private(layout, nbytes, bytes, counts)) return PETSC_FALSE;
  for (PetscInt v = 0; v < (PetscInt)variable; ++v) at += (size_t)counts[v] * sizeof(PetscReal);
  if (counts[variable]) memcpy(value, (const char *)bytes + at, sizeof(*value));
  else *value = Filling_Private(variable);
  return Fits_Private(variable, *value);
}

uint32_t CellChecksum(const CellLayout *layout, const PetscReal *row)
{
  const PetscReal nought = 0.0;
  int32_t         counts[HEAD / sizeof(int32_t)];
  uLong           sum;

  Count_Private(layout, row, counts);
  counts[CELL_WALL_SECONDS] = 1;
  sum                       = crc32(crc32(0L, Z_NULL, 0), (const Bytef *)counts, HEAD);
  for (PetscInt v = 0; v < CELL_VARIABLES; ++v) {
    const PetscReal *from = v == CELL_WALL_SECONDS ? &nought : row + layout->offset[v];

    sum = crc32(sum, (const Bytef *)from, (uInt)((size_t)counts[v] * sizeof(PetscReal)));
  }
  return (uint32_t)sum;
}
