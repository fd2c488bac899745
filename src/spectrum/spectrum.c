/*
  spectrum.c - which modes are resolved, and what a load does to them.   [theory 2, 6, 10]

  A ladder of grids is climbed until enough modes are resolved. Mode k is accepted from the coarsest grid that the next finer one
  confirms; the first mode that is not ends what a grid can give, so that there never is a gap. Round-off in the shapes grows
  like beta N^2, which is why low modes are not taken from fine grids. The ladder is fixed, so that mode k is the same to the
  last bit however many modes are wanted.
*/
#include "spectrum_impl.h"

/*
  The ladder was chosen by experiment: it doubles slowly where the grids are cheap, and has close pairs for about 200
  and 300 modes (272 and 304, 392 and 424), since the finer grid of the last pair costs most and only confirms. Models with one field
  have half the unknowns on a grid, and half the modes: they take twice the points.
*/
static const PetscInt ladder[SPECTRUM_RUNGS] = {16, 24, 32, 48, 64, 96, 128, 192, 272, 304, 392, 424, 512, 560};

PetscErrorCode SpectrumCreate(MPI_Comm comm, Spectrum *spectrum)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(spectrum));
  (*spectrum)->comm     = comm;
  (*spectrum)->n_wanted = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpectrumSetParams(Spectrum spectrum, const Params *params)
{
  PetscFunctionBeginUser;
  PetscCheck(!spectrum->w, spectrum->comm, PETSC_ERR_PLIB, "the parameters of a spectrum are set before SpectrumSetUp");
  spectrum->params     = *params;
  spectrum->params_set = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumSetModes - At least so many modes. May be raised after SpectrumSetUp(), which then climbs on from where it stopped. */
PetscErrorCode SpectrumSetModes(Spectrum spectrum, PetscInt n_wanted)
{
  PetscFunctionBeginUser;
  PetscCheck(n_wanted > 0, spectrum->comm, PETSC_ERR_PLIB, "a spectrum has at least one mode, not %" PetscInt_FMT, n_wanted);
  spectrum->n_wanted = n_wanted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mode k is known already: does the grid have it at the same place in the list? If not, counting modes there is meaningless. */
static PetscBool SameNumbering_Private(Spectrum spectrum, Rung rung)
{
  const PetscReal loose = 1e-4; /* eigenvalues as they come, with their round-off, up to beta = 1e7 */

  if (rung->n_real < spectrum->n - spectrum->n_rigid) return PETSC_FALSE;
  for (PetscInt k = spectrum->n_rigid; k < spectrum->n; k++) {
    if (PetscAbsReal(rung->w_raw[k - spectrum->n_rigid] - spectrum->w[k]) > loose * spectrum->w[k]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Take from `coarse` every next mode that `fine` confirms. took: at least one, and coarse now belongs to the spectrum. */
static PetscErrorCode Accept_Private(Spectrum spectrum, Rung coarse, Rung fine, PetscBool *took)
{
  const PetscInt before = spectrum->n;

  PetscFunctionBeginUser;
  *took = PETSC_FALSE;
  if (!SameNumbering_Private(spectrum, coarse) || !SameNumbering_Private(spectrum, fine)) PetscFunctionReturn(PETSC_SUCCESS);
  for (;;) {
    const PetscInt  k = spectrum->n, elastic = k - spectrum->n_rigid, i = elastic - coarse->first;
    const PetscReal disagreement = RungDisagreement(coarse, fine, elastic);
    if (disagreement == PETSC_MAX_REAL || !(disagreement < RungTolerance(fine, coarse->w[i]))) break;
    PetscCheck(k < spectrum->capacity, spectrum->comm, PETSC_ERR_PLIB, "more modes than unknowns");
    spectrum->w[k]      = coarse->w[i];
    spectrum->r[k]      = coarse->r[i];
    spectrum->origin[k] = (Origin){.rung = spectrum->n_rungs, .column = i, .disagreement = disagreement};
    spectrum->n++;
  }
  if (spectrum->n == before) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTrim(coarse, spectrum->n - spectrum->n_rigid - coarse->first));
  spectrum->rungs[spectrum->n_rungs++] = coarse;
  *took                                = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Climb_Private(Spectrum spectrum, PetscInt n_grids, const PetscInt *grids)
{
  PetscFunctionBeginUser;
  for (; spectrum->climbed < n_grids && spectrum->n < spectrum->n_wanted; spectrum->climbed++) {
    PetscBool took   = PETSC_FALSE;
    Rung      coarse = spectrum->last;
    PetscCall(RungCreate(spectrum->comm, &spectrum->params, grids[spectrum->climbed], spectrum->n - spectrum->n_rigid, &spectrum->last));
    if (coarse) PetscCall(Accept_Private(spectrum, coarse, spectrum->last, &took));
    if (!took) PetscCall(RungDestroy(&coarse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The spectrum of BEAM_MODES: the lists. */
static PetscErrorCode TakeLists_Private(Spectrum spectrum)
{
  const Params *p = &spectrum->params;

  PetscFunctionBeginUser;
  PetscCheck(p->beam_frequencies.n > 0 && p->beam_tip_values.n == p->beam_frequencies.n, spectrum->comm, PETSC_ERR_PLIB,
             "a frequency and a tip value for each mode");
  for (; spectrum->n < p->beam_frequencies.n; spectrum->n++) {
    const PetscInt k    = spectrum->n;
    spectrum->w[k]      = p->beam_frequencies.value[k];
    spectrum->r[k]      = PetscSqr(p->beam_tip_values.value[k]);
    spectrum->origin[k] = (Origin){.rung = SPECTRUM_NO_RUNG, .column = k};
    if (p->beam_damping_ratios.n > 0) spectrum->D[k] = p->beam_damping_ratios.value[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Rigid modes, the first of which alone moves the contact point. Shift u = 1 and turn u = x - 1/2, phi = 1 are orthogonal in the
  kinetic product, of mass 1 and 1/12 + 1/beta; with values a_1 and a_2 of the mass-normalised two at the contact point the
  first is (a_1, a_2) / sqrt(r_1), r_1 = a_1^2 + a_2^2, and the second (a_2, -a_1) / sqrt(r_1).   [theory 13]
*/
static PetscErrorCode TakeRigid_Private(Spectrum spectrum)
{
  const Params   *p    = &spectrum->params;
  const PetscReal turn = spectrum->n_rigid > 1 ? 1.0 / PetscSqrtReal(1.0 / 12.0 + 1.0 / p->beam_beta) : 0.0; /* string, rod: none */
  const PetscReal a1 = 1.0, a2 = (p->contact_position - 0.5) * turn, size = PetscSqrtReal(a1 * a1 + a2 * a2);

  PetscFunctionBeginUser;
  for (; spectrum->n < spectrum->n_rigid; spectrum->n++) {
    const PetscInt k    = spectrum->n;
    spectrum->w[k]      = 0.0;
    spectrum->r[k]      = k == 0 ? a1 * a1 + a2 * a2 : 0.0;
    spectrum->origin[k] = (Origin){.rung = SPECTRUM_NO_RUNG, .column = k};
  }
  spectrum->rigid[0] = (RigidShape){.shift = spectrum->side * a1 / size, .turn = spectrum->side * a2 / size * turn};
  spectrum->rigid[1] = (RigidShape){.shift = -a2 / size, .turn = a1 / size * turn}; /* u > 0 beyond the contact point */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Prepare_Private(Spectrum spectrum)
{
  const Params *p = &spectrum->params;

  PetscFunctionBeginUser;
  if (spectrum->w) PetscFunctionReturn(PETSC_SUCCESS);
  spectrum->side     = p->stop_side == STOP_ABOVE ? -1.0 : 1.0;
  spectrum->n_rigid  = p->beam_model == BEAM_MODES ? 0 : BeamRigidModes(p);
  spectrum->capacity = 4 * PetscMax(p->beam_points, ladder[SPECTRUM_RUNGS - 1]);
  PetscCall(PetscMalloc4(spectrum->capacity, &spectrum->w, spectrum->capacity, &spectrum->r, spectrum->capacity, &spectrum->D,
                         spectrum->capacity, &spectrum->origin));
  for (PetscInt k = 0; k < spectrum->capacity; k++) spectrum->D[k] = p->damping_ratio;
  if (p->beam_model == BEAM_MODES) PetscCall(TakeLists_Private(spectrum));
  else if (spectrum->n_rigid > 0) PetscCall(TakeRigid_Private(spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumSetUp - Resolve at least the wanted number of modes. Idempotent.   [theory 2, 13]

  Not collective; the communicator has one rank.
  Complaint: EXIT_OPTIONS if -beam_points, the finest grid of the ladder, or the lists of BEAM_MODES have fewer
  Cost:      (one core, beta = 4800) 0.2 s for 80 modes, 0.7 s for 200, 2 s for 320, 5 s and 145 MB for 420
*/
PetscErrorCode SpectrumSetUp(Spectrum spectrum, Complaint *complaint)
{
  const BeamModel model   = spectrum->params.beam_model;
  const PetscInt  by_hand = spectrum->params.beam_points;
  PetscInt        grids[SPECTRUM_RUNGS];

  PetscFunctionBeginUser;
  PetscCheck(spectrum->params_set, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetParams comes before SpectrumSetUp");
  PetscCall(Prepare_Private(spectrum));
  for (PetscInt i = 0; i < SPECTRUM_RUNGS; i++) grids[i] = (model == BEAM_TIMOSHENKO ? 1 : 2) * ladder[i];
  if (model != BEAM_MODES && by_hand > 0) {
    const PetscInt pair[2] = {by_hand, by_hand + PetscMax(4, by_hand / 8)};
    PetscCall(Climb_Private(spectrum, 2, pair));
  } else if (model != BEAM_MODES) {
    PetscCall(Climb_Private(spectrum, SPECTRUM_RUNGS, grids));
  }
  spectrum->ready = PETSC_TRUE;
  if (spectrum->n >= spectrum->n_wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (model == BEAM_MODES) {
    ComplaintSet(complaint, EXIT_OPTIONS, "option -beam_frequencies: gives %" PetscInt_FMT " modes, but %" PetscInt_FMT " are needed",
                 spectrum->n, spectrum->n_wanted);
  } else if (by_hand > 0) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "-beam_points %" PetscInt_FMT ": resolves %" PetscInt_FMT " modes, but %" PetscInt_FMT
                 " are needed: give more points, or 0 to let graze choose",
                 by_hand, spectrum->n, spectrum->n_wanted);
  } else if (model == BEAM_TIMOSHENKO) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "-beam_beta %g -beam_gamma %g: only %" PetscInt_FMT " of the %" PetscInt_FMT
                 " modes needed are resolved with %" PetscInt_FMT " points",
                 (double)spectrum->params.beam_beta, (double)spectrum->params.beam_gamma, spectrum->n, spectrum->n_wanted,
                 grids[SPECTRUM_RUNGS - 1]);
  } else {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -beam_model: only %" PetscInt_FMT " of the %" PetscInt_FMT " modes needed are resolved with %" PetscInt_FMT
                 " points",
                 spectrum->n, spectrum->n_wanted, grids[SPECTRUM_RUNGS - 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpectrumDestroy(Spectrum *spectrum)
{
  PetscFunctionBeginUser;
  if (!*spectrum) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*spectrum)->n_rungs; i++) PetscCall(RungDestroy(&(*spectrum)->rungs[i]));
  PetscCall(RungDestroy(&(*spectrum)->last));
  PetscCall(PetscFree4((*spectrum)->w, (*spectrum)->r, (*spectrum)->D, (*spectrum)->origin));
  PetscCall(PetscFree(*spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumGet - The resolved modes: w[n], r[n]. Not collective; after SpectrumSetUp(). Borrowed. */
PetscErrorCode SpectrumGet(Spectrum spectrum, PetscInt *n, const PetscReal **w, const PetscReal **r)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->ready, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumGet");
  if (n) *n = spectrum->n;
  if (w) *w = spectrum->w;
  if (r) *r = spectrum->r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumGetDamping - Damping ratio of each of the n modes. Not collective; after SpectrumSetUp(). Borrowed. */
PetscErrorCode SpectrumGetDamping(Spectrum spectrum, const PetscReal **D)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->ready, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumGetDamping");
  *D = spectrum->D;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpectrumCheckMode_Private(Spectrum spectrum, PetscInt k)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->ready, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes first");
  PetscCheck(k >= 0 && k < spectrum->n, spectrum->comm, PETSC_ERR_PLIB, "mode %" PetscInt_FMT " of %" PetscInt_FMT, k, spectrum->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumGetMode - Where mode k (from 0) comes from and how well it is confirmed; known modes: points 0. Not collective. */
PetscErrorCode SpectrumGetMode(Spectrum spectrum, PetscInt k, PetscInt *points, PetscReal *disagreement)
{
  const Origin *origin;

  PetscFunctionBeginUser;
  PetscCall(SpectrumCheckMode_Private(spectrum, k));
  origin = &spectrum->origin[k];
  if (points) *points = origin->rung == SPECTRUM_NO_RUNG ? 0 : spectrum->rungs[origin->rung]->N;
  if (disagreement) *disagreement = origin->disagreement;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumEvaluate - Mass-normalised shape k (from 0) at x in [0,1]; |u_k| at the contact point is sqrt(r_k) to its accuracy.   [theory 2]

  Not collective. Not for BEAM_MODES, which have no shapes. Cost: O(N) of the grid the mode comes from.
*/
PetscErrorCode SpectrumEvaluate(Spectrum spectrum, PetscInt k, PetscReal x, PetscReal *u, PetscReal *phi)
{
  Rung          rung;
  const Origin *origin;

  PetscFunctionBeginUser;
  PetscCall(SpectrumCheckMode_Private(spectrum, k));
  PetscCheck(spectrum->params.beam_model != BEAM_MODES, spectrum->comm, PETSC_ERR_PLIB, "a mode of a list has no shape");
  origin = &spectrum->origin[k];
  if (origin->rung == SPECTRUM_NO_RUNG) {
    *u = spectrum->rigid[k].shift + spectrum->rigid[k].turn * (x - 0.5);
    if (phi) *phi = spectrum->rigid[k].turn;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  rung = spectrum->rungs[origin->rung];
  PetscCall(BeamInterpolate(rung->beam, rung->u + origin->column * (rung->N + 1), x, u));
  if (phi) PetscCall(BeamInterpolate(rung->beam, rung->phi + origin->column * (rung->N + 1), x, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
