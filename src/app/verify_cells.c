/*
  verify_cells.c - what must hold in every cell of a sweep: its checksum, and what its numbers say of each other.   (docs/data.md)

  The checksum finds what the disk or a copy did to the file; the rest finds what a program should never have written.
*/
#include "verify.h"

#include <math.h>
#include <string.h>

#include "info.h"

static const struct {
  const char *label, *text;
} faults[FAULTS] = {
  [FAULT_CHECKSUM]     = {"checksums", "not what the checksum says"},
  [FAULT_PENDING]      = {"pending", "pending, and not empty"},
  [FAULT_COUNTS]       = {"counts", "a count or a period does not fit its axis"},
  [FAULT_FILLING]      = {"filling", "numbers where the counts say there are none, or none where they say there are"},
  [FAULT_PHASE]        = {"phases", "a contact that lies in none of the stored periods: phase not in [0,1), or no such period"},
  [FAULT_VELOCITY]     = {"velocities", "a contact that begins with a velocity away from the stop"},
  [FAULT_FORCE]        = {"forces", "a contact with force, duration or impulse below 0"},
  [FAULT_PERIOD]       = {"periods", "period or samples do not go with the status"},
  [FAULT_MULTIPLIER]   = {"multipliers", "periodic, with a multiplier outside the unit circle by more than its error"},
  [FAULT_CONTACT_FREE] = {"contact-free", "contact-free, with contacts"},
  [FAULT_STATE]        = {"states", "no whole state for the next cell to start from, or one that should not be there"},
};

typedef struct {
  SweepStore        store;
  const CellLayout *layout;
  PetscInt          max_period;
  PetscReal         side; /* 1: the stop is below, -1: above */
  VerifyCells      *cells;
  PetscReal        *empty, *pending; /* filling alone, as a row is packed, and as the file is made; shape [layout->length] */
} Verifying;

/* ---- one cell ---- */

static PetscReal At_Private(const Verifying *v, const PetscReal *row, CellVariableId variable, PetscInt i)
{
  return row[v->layout->offset[variable] + i];
}

static PetscInt Count_Private(const Verifying *v, const PetscReal *row, CellVariableId variable)
{
  return (PetscInt)At_Private(v, row, variable, 0);
}

/* The first n numbers of a variable are there, the others are its filling. */
static PetscBool IsFilled_Private(const Verifying *v, const PetscReal *row, CellVariableId variable, PetscInt n)
{
  const size_t     offset = (size_t)v->layout->offset[variable], width = (size_t)v->layout->width[variable];
  const PetscReal *values = row + offset;

  for (PetscInt i = 0; i < n; ++i)
    if (!isfinite(values[i])) return PETSC_FALSE;
  return (PetscBool)!memcmp(values + n, v->empty + offset + n, (width - (size_t)n) * sizeof(PetscReal));
}

static PetscBool CountsFit_Private(const Verifying *v, const PetscReal *row)
{
  const PetscInt samples = Count_Private(v, row, CELL_N_SAMPLES), period = Count_Private(v, row, CELL_PERIOD),
                 multipliers = Count_Private(v, row, CELL_N_MULTIPLIERS);

  return (PetscBool)(samples >= 0 && samples <= v->layout->samples && period >= 0 && period <= v->max_period && multipliers >= 0 &&
                     multipliers <= ORBIT_MULTIPLIERS && Count_Private(v, row, CELL_N_CONTACTS) >= 0 &&
                     Count_Private(v, row, CELL_CONTACTS_PER_ORBIT) >= 0 && Count_Private(v, row, CELL_PERIODS_USED) >= 0);
}

static PetscBool FillingFits_Private(const Verifying *v, const PetscReal *row)
{
  static const CellVariableId of_sample[]     = {CELL_STROBE_DISPLACEMENT, CELL_STROBE_VELOCITY},
                              of_multiplier[] = {CELL_MULTIPLIER_RE, CELL_MULTIPLIER_IM};
  /* a force may be infinite (no closure), an open contact has no duration yet: of these only the places are looked at */
  static const CellVariableId of_contact[] = {CELL_CONTACT_PHASE, CELL_CONTACT_PERIOD, CELL_CONTACT_VELOCITY};
  const PetscInt              contacts     = PetscMin(Count_Private(v, row, CELL_N_CONTACTS), v->layout->contacts);
  PetscBool                   fits         = PETSC_TRUE;

  for (int i = 0; i < 2 && fits; ++i) fits = IsFilled_Private(v, row, of_sample[i], Count_Private(v, row, CELL_N_SAMPLES));
  for (int i = 0; i < 2 && fits; ++i) fits = IsFilled_Private(v, row, of_multiplier[i], Count_Private(v, row, CELL_N_MULTIPLIERS));
  for (int i = 0; i < 3 && fits; ++i) fits = IsFilled_Private(v, row, of_contact[i], contacts);
  for (PetscInt i = contacts; i < v->layout->contacts && fits; ++i)
    fits = (PetscBool)(isnan(At_Private(v, row, CELL_CONTACT_FORCE, i)) && isnan(At_Private(v, row, CELL_CONTACT_DURATION, i)) &&
                       isnan(At_Private(v, row, CELL_CONTACT_IMPULSE, i)));
  return fits;
}

/* Contacts of a cell that was sampled; of one that failed before, the periods are not stored. */
static void Contacts_Private(const Verifying *v, const PetscReal *row, PetscBool *is)
{
  const PetscInt contacts = PetscMin(Count_Private(v, row, CELL_N_CONTACTS), v->layout->contacts),
                 samples  = Count_Private(v, row, CELL_N_SAMPLES);

  for (PetscInt i = 0; i < contacts; ++i) {
    const PetscReal phase = At_Private(v, row, CELL_CONTACT_PHASE, i), period = At_Private(v, row, CELL_CONTACT_PERIOD, i);

    if (!(phase >= 0 && phase < 1) || period < 0 || (samples > 0 && period >= (PetscReal)samples)) is[FAULT_PHASE] = PETSC_TRUE;
    if (!(v->side * At_Private(v, row, CELL_CONTACT_VELOCITY, i) <= 0)) is[FAULT_VELOCITY] = PETSC_TRUE;
    if (At_Private(v, row, CELL_CONTACT_FORCE, i) < 0 || At_Private(v, row, CELL_CONTACT_DURATION, i) < 0 ||
        At_Private(v, row, CELL_CONTACT_IMPULSE, i) < 0)
      is[FAULT_FORCE] = PETSC_TRUE;
  }
  if (At_Private(v, row, CELL_PEAK_FORCE, 0) < 0) is[FAULT_FORCE] = PETSC_TRUE;
}

static void Status_Private(const Verifying *v, const PetscReal *row, SteadyStatus status, PetscBool *is)
{
  const PetscInt  period = Count_Private(v, row, CELL_PERIOD), samples = Count_Private(v, row, CELL_N_SAMPLES);
  const PetscBool found = (PetscBool)(status == STATUS_PERIODIC || status == STATUS_CONTACT_FREE || status == STATUS_PERIODIC_UNVERIFIED);

  if ((period > 0) != (found == PETSC_TRUE)) is[FAULT_PERIOD] = PETSC_TRUE;
  if (status == STATUS_PERIODIC && samples != period) is[FAULT_PERIOD] = PETSC_TRUE;
  if (status == STATUS_PERIODIC && Count_Private(v, row, CELL_N_MULTIPLIERS) > 0 &&
      !(hypot(At_Private(v, row, CELL_MULTIPLIER_RE, 0), At_Private(v, row, CELL_MULTIPLIER_IM, 0)) <
        1 + At_Private(v, row, CELL_MULTIPLIER_ERROR, 0)))
    is[FAULT_MULTIPLIER] = PETSC_TRUE;
  if (status == STATUS_CONTACT_FREE && Count_Private(v, row, CELL_N_CONTACTS) > 0) is[FAULT_CONTACT_FREE] = PETSC_TRUE;
  if (!IsFilled_Private(v, row, CELL_STATE, CellCarries(status) ? v->layout->states : 0) ||
      (!CellCarries(status) && At_Private(v, row, CELL_STATE_IN_CONTACT, 0) != 0))
    is[FAULT_STATE] = PETSC_TRUE;
}

static PetscErrorCode Visit_Private(void *ctx, PetscInt cell, const PetscReal *row, PetscInt64 checksum, Complaint *complaint)
{
  const Verifying *v          = (const Verifying *)ctx;
  PetscBool        is[FAULTS] = {PETSC_FALSE}, any = PETSC_FALSE;
  const PetscReal  status = At_Private(v, row, CELL_STATUS, 0);

  PetscFunctionBeginUser;
  (void)complaint;
  if (status != (PetscReal)STATUS_PENDING) ++v->cells->done;
  if (!SweepStoreCellIsWhole(v->store, row, checksum)) is[FAULT_CHECKSUM] = PETSC_TRUE;
  else if (status == (PetscReal)STATUS_PENDING)
    is[FAULT_PENDING] = (PetscBool)(memcmp(row, v->pending, (size_t)v->layout->length * sizeof(PetscReal)) != 0);
  else if (!CountsFit_Private(v, row)) is[FAULT_COUNTS] = PETSC_TRUE;
  else {
    is[FAULT_FILLING] = (PetscBool)!FillingFits_Private(v, row);
    if (!is[FAULT_FILLING]) Contacts_Private(v, row, is);
    Status_Private(v, row, (SteadyStatus)(int)status, is);
  }
  for (int i = 0; i < FAULTS; ++i) {
    if (!is[i]) continue;
    any = PETSC_TRUE;
    if (!v->cells->count[i]++) v->cells->first[i] = cell;
  }
  if (any) ++v->cells->damaged;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of them ---- */

PetscErrorCode VerifyCellsOf(SweepStore store, VerifyCells *cells, Complaint *complaint)
{
  Verifying v = {.store = store, .cells = cells};
  Store     file;
  char      side[16];

  PetscFunctionBeginUser;
  *cells = (VerifyCells){0};
  PetscCall(SweepStoreGetLayout(store, &v.layout));
  PetscCall(SweepStoreGetStore(store, &file));
  PetscCall(InfoAttribute(file, "/parameters", "stop_side", sizeof side, side));
  v.side       = strcmp(side, "above") ? 1 : -1;
  v.max_period = v.layout->samples; /* which is at least the longest period looked for */
  PetscCall(PetscMalloc2(v.layout->length, &v.empty, v.layout->length, &v.pending));
  CellPackStatus(v.layout, STATUS_PENDING, PETSC_FALSE, v.empty);
  CellPackStatus(v.layout, STATUS_PENDING, PETSC_FALSE, v.pending);
  for (PetscInt i = 0; i < v.layout->contacts; ++i) v.pending[v.layout->offset[CELL_CONTACT_PERIOD] + i] = 0; /* integers of a new file */
  PetscCall(SweepStoreVisit(store, NULL, Visit_Private, &v, complaint));
  PetscCall(PetscFree2(v.empty, v.pending));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VerifyPrint(const VerifyCells *cells, const Grid *grid)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < FAULTS; ++i) {
    const PetscInt n_frequencies = GridFrequencies(grid), plane = cells->first[i] / n_frequencies, j = cells->first[i] % n_frequencies;

    if (!cells->count[i]) continue;
    InfoRow(faults[i].label,
            "%" PetscInt_FMT " cell%s: %s; first at A = %.9g, W = %.9g, %s (%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT ")",
            cells->count[i], cells->count[i] > 1 ? "s" : "", faults[i].text, (double)GridAmplitude(grid, plane % GridAmplitudes(grid)),
            (double)GridFrequency(grid, j), grid->direction[plane / GridAmplitudes(grid)] > 0 ? "up" : "down", plane / GridAmplitudes(grid),
            plane % GridAmplitudes(grid), j);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
