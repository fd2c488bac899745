/*
  spectrum.c - which modes are resolved, and what a load does to them.   [theory 2, 6, 10]

  A ladder of grids is climbed until enough modes are resolved. Mode k is accepted from the coarsest grid that the next finer one
  confirms; the first mode that is not ends what a grid can give, so that there never is a gap. Round-off in the shapes grows
  like beta N^2, which is why low modes are not taken from fine grids. The ladder is fixed, so that mode k is the same to the
  last bit however many modes are wanted.
*/
#include "graze/spectrum.h"
#include "spectrum_ladder.h"

/*
  A mode counts as resolved if two grids agree on it to this, plus the round-off they cannot avoid. Frequencies agree far better.
  The ladder was chosen by experiment: it doubles slowly where the grids are cheap, and has close pairs for about 200
  and 300 modes (272 and 304, 392 and 424), since the finer grid of the last pair costs most and only confirms.
*/
static const PetscReal resolved_tolerance = 1e-9;
static const PetscInt  ladder[]           = {16, 24, 32, 48, 64, 96, 128, 192, 272, 304, 392, 424, 512, 560};

typedef struct {
  PetscInt  rung, column; /* where the shape is */
  PetscReal disagreement;
} Origin;

struct _p_Spectrum {
  MPI_Comm   comm;
  Params     params;
  PetscInt   n_wanted;
  PetscInt   n_rungs;
  Rung       rungs[PETSC_STATIC_ARRAY_LENGTH(ladder)]; /* those that gave a mode */
  PetscInt   n, capacity;
  PetscReal *w, *r;   /* [n] */
  Origin    *origin;  /* [n] */
  PetscInt   climbed; /* grids solved so far */
  Rung       last;    /* the finest of them, not confirmed yet */
  PetscBool  params_set;
};

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
  PetscCheck(spectrum->climbed == 0, spectrum->comm, PETSC_ERR_PLIB, "the parameters of a spectrum are set before SpectrumSetUp");
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

/*
  K holds entries of size beta N^4 and beta^2 gamma; rounding them tilts shape k by about eps beta N^2 / w_k. Measured errors of
  r_1 are 0.06 of it at beta = 4800, N = 512, and 0.6 of it at beta = 1e6, N = 24.
*/
static PetscReal Tolerance_Private(Spectrum spectrum, PetscInt N, PetscReal w)
{
  const PetscReal stiff = spectrum->params.beam_beta * PetscMax(1.0, spectrum->params.beam_gamma);

  return resolved_tolerance + PETSC_MACHINE_EPSILON * stiff * PetscSqr((PetscReal)N) / w;
}

/* Mode k is known already: does the grid have it at the same place in the list? If not, counting modes there is meaningless. */
static PetscBool SameNumbering_Private(Spectrum spectrum, Rung rung)
{
  const PetscReal loose = 1e-4; /* eigenvalues as they come, with their round-off, up to beta = 1e7 */

  if (rung->n_real < spectrum->n) return PETSC_FALSE;
  for (PetscInt k = 0; k < spectrum->n; k++) {
    if (PetscAbsReal(rung->w_raw[k] - spectrum->w[k]) > loose * spectrum->w[k]) return PETSC_FALSE;
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
    const PetscInt  k = spectrum->n, i = k - coarse->first;
    const PetscReal disagreement = RungDisagreement(coarse, fine, k);
    if (disagreement == PETSC_MAX_REAL || !(disagreement < Tolerance_Private(spectrum, fine->N, coarse->w[i]))) break;
    PetscCheck(k < spectrum->capacity, spectrum->comm, PETSC_ERR_PLIB, "more modes than unknowns");
    spectrum->w[k]      = coarse->w[i];
    spectrum->r[k]      = coarse->r[i];
    spectrum->origin[k] = (Origin){.rung = spectrum->n_rungs, .column = i, .disagreement = disagreement};
    spectrum->n++;
  }
  if (spectrum->n == before) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTrim(coarse, spectrum->n - coarse->first));
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
    PetscCall(RungCreate(spectrum->comm, &spectrum->params, grids[spectrum->climbed], spectrum->n, &spectrum->last));
    if (coarse) PetscCall(Accept_Private(spectrum, coarse, spectrum->last, &took));
    if (!took) PetscCall(RungDestroy(&coarse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumSetUp - Resolve at least the wanted number of modes. Idempotent.   [theory 2]

  Not collective; the communicator has one rank.
  Complaint: EXIT_OPTIONS if -beam_points, or the finest grid of the ladder, resolves fewer
  Cost:      (one core, beta = 4800) 0.2 s for 80 modes, 0.7 s for 200, 2 s for 320, 5 s and 145 MB for 420
*/
PetscErrorCode SpectrumSetUp(Spectrum spectrum, Complaint *complaint)
{
  const PetscInt by_hand = spectrum->params.beam_points, n_ladder = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(ladder);

  PetscFunctionBeginUser;
  PetscCheck(spectrum->params_set, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetParams comes before SpectrumSetUp");
  if (!spectrum->w) {
    spectrum->capacity = 2 * PetscMax(by_hand, ladder[n_ladder - 1]);
    PetscCall(PetscMalloc3(spectrum->capacity, &spectrum->w, spectrum->capacity, &spectrum->r, spectrum->capacity, &spectrum->origin));
  }
  if (by_hand > 0) {
    const PetscInt pair[2] = {by_hand, by_hand + PetscMax(4, by_hand / 8)};
    PetscCall(Climb_Private(spectrum, 2, pair));
  } else {
    PetscCall(Climb_Private(spectrum, n_ladder, ladder));
  }
  if (spectrum->n >= spectrum->n_wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (by_hand > 0) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "-beam_points %" PetscInt_FMT ": resolves %" PetscInt_FMT " modes, but %" PetscInt_FMT
                 " are needed: give more points, or 0 to let graze choose",
                 by_hand, spectrum->n, spectrum->n_wanted);
  } else {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "-beam_beta %g -beam_gamma %g: only %" PetscInt_FMT " of the %" PetscInt_FMT
                 " modes needed are resolved with %" PetscInt_FMT " points",
                 (double)spectrum->params.beam_beta, (double)spectrum->params.beam_gamma, spectrum->n, spectrum->n_wanted,
                 ladder[n_ladder - 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpectrumDestroy(Spectrum *spectrum)
{
  PetscFunctionBeginUser;
  if (!*spectrum) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*spectrum)->n_rungs; i++) PetscCall(RungDestroy(&(*spectrum)->rungs[i]));
  PetscCall(RungDestroy(&(*spectrum)->last));
  PetscCall(PetscFree3((*spectrum)->w, (*spectrum)->r, (*spectrum)->origin));
  PetscCall(PetscFree(*spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumGet - The resolved modes: w[n], r[n]. Not collective; after SpectrumSetUp(). Borrowed. */
PetscErrorCode SpectrumGet(Spectrum spectrum, PetscInt *n, const PetscReal **w, const PetscReal **r)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->climbed > 0, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumGet");
  if (n) *n = spectrum->n;
  if (w) *w = spectrum->w;
  if (r) *r = spectrum->r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMode_Private(Spectrum spectrum, PetscInt k)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->climbed > 0, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes first");
  PetscCheck(k >= 0 && k < spectrum->n, spectrum->comm, PETSC_ERR_PLIB, "mode %" PetscInt_FMT " of %" PetscInt_FMT, k, spectrum->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SpectrumGetMode - Where mode k (from 0) comes from and how well it is confirmed. Not collective. */
PetscErrorCode SpectrumGetMode(Spectrum spectrum, PetscInt k, PetscInt *points, PetscReal *disagreement)
{
  PetscFunctionBeginUser;
  PetscCall(CheckMode_Private(spectrum, k));
  if (points) *points = spectrum->rungs[spectrum->origin[k].rung]->N;
  if (disagreement) *disagreement = spectrum->origin[k].disagreement;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumEvaluate - Mass-normalised shape k (from 0) at x in [0,1]; u_k(1) is sqrt(r_k) to the accuracy of r_k.   [theory 2]

  Not collective. Cost: O(N) of the grid the mode comes from.
*/
PetscErrorCode SpectrumEvaluate(Spectrum spectrum, PetscInt k, PetscReal x, PetscReal *u, PetscReal *phi)
{
  Rung          rung;
  const Origin *origin;

  PetscFunctionBeginUser;
  PetscCall(CheckMode_Private(spectrum, k));
  origin = &spectrum->origin[k];
  rung   = spectrum->rungs[origin->rung];
  PetscCall(BeamInterpolate(rung->beam, rung->u + origin->column * (rung->N + 1), x, u));
  if (phi) PetscCall(BeamInterpolate(rung->beam, rung->phi + origin->column * (rung->N + 1), x, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p_k = functional[N+1] . u_k for every mode of one rung. */
static PetscErrorCode Apply_Private(Spectrum spectrum, PetscInt which, const PetscReal *functional, PetscReal *p)
{
  Rung rung = spectrum->rungs[which];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < spectrum->n; k++) {
    const PetscReal *u = rung->u + spectrum->origin[k].column * (rung->N + 1);
    if (spectrum->origin[k].rung != which) continue;
    p[k] = 0.0;
    for (PetscInt i = 0; i <= rung->N; i++) p[k] += functional[i] * u[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Projections of the load psi_j(x) (psi_j(1) = 1) on the u equation alone. Shapes come from different grids: all products are
  integrated on one grid so fine that Clenshaw-Curtis is exact for them. The deflection it causes follows from reciprocity:
  the tip moves by the integral of psi_j(x) times the tip displacement by a unit force at x.
*/
static PetscErrorCode ProjectShape_Private(Spectrum spectrum, PetscInt j, ModalLoad *load)
{
  const PetscReal *x, *weights, tip = PetscSqrtReal(spectrum->r[j]);
  PetscReal       *weighted, *row, *functional; /* weights times psi_j on the fine grid; on a rung */
  PetscInt         N;
  Beam             quadrature;

  PetscFunctionBeginUser;
  PetscCall(BeamCreate(spectrum->comm, &quadrature));
  PetscCall(BeamSetParams(quadrature, &spectrum->params));
  PetscCall(BeamSetPoints(quadrature, spectrum->rungs[spectrum->origin[j].rung]->N + spectrum->rungs[spectrum->n_rungs - 1]->N));
  PetscCall(BeamGetGrid(quadrature, &N, &x, &weights));
  PetscCall(PetscMalloc3(N + 1, &weighted, N + 1, &row, N + 1, &functional));
  load->static_tip = 0.0;
  for (PetscInt q = 0; q <= N; q++) {
    PetscCall(SpectrumEvaluate(spectrum, j, x[q], &weighted[q], NULL));
    weighted[q] *= weights[q] / tip;
    load->static_tip += weighted[q] * BeamComplianceFrom(&spectrum->params, x[q]);
  }
  for (PetscInt which = 0; which < spectrum->n_rungs; which++) {
    Rung rung = spectrum->rungs[which];
    PetscCall(PetscArrayzero(functional, rung->N + 1));
    for (PetscInt q = 0; q <= N; q++) {
      PetscCall(BeamInterpolationRow(rung->beam, x[q], row));
      for (PetscInt i = 0; i <= rung->N; i++) functional[i] += weighted[q] * row[i];
    }
    PetscCall(Apply_Private(spectrum, which, functional, load->modal));
  }
  PetscCall(PetscFree3(weighted, row, functional));
  PetscCall(BeamDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumProject - What a load of unit amplitude is for each mode, and what it does to the tip at rest.   [theory 6, 10]

  Not collective; after SpectrumSetUp().
  Input:   type - FORCING_MODE: force on tip-normalised coordinate `mode` (from 1) alone; FORCING_POINT: transverse force at
           `position` in [0,1]; FORCING_BASE: acceleration of clamp and stop, positive with u, seen from the moving frame;
           FORCING_SHAPE: the distributed load psi_mode(x), psi_mode(1) = 1, on the u equation alone
  Output:  load - modal[n], an array of the caller's, is filled; static_tip is that of the continuum, exact except for
           FORCING_SHAPE, where it is as accurate as the shape
  Cost:    O(n N), FORCING_SHAPE O(N^2) for each grid
*/
PetscErrorCode SpectrumProject(Spectrum spectrum, ForcingType type, PetscInt mode, PetscReal position, ModalLoad *load)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->climbed > 0, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumProject");
  if (type == FORCING_MODE || type == FORCING_SHAPE) PetscCall(CheckMode_Private(spectrum, mode - 1));
  PetscCall(PetscArrayzero(load->modal, spectrum->n));
  switch (type) {
  case FORCING_MODE:
    load->modal[mode - 1] = 1.0 / PetscSqrtReal(spectrum->r[mode - 1]);
    load->static_tip      = 1.0 / PetscSqr(spectrum->w[mode - 1]);
    break;
  case FORCING_POINT:
    load->static_tip = BeamComplianceFrom(&spectrum->params, position);
    for (PetscInt k = 0; k < spectrum->n; k++) PetscCall(SpectrumEvaluate(spectrum, k, position, &load->modal[k], NULL));
    break;
  case FORCING_BASE:
    load->static_tip = -BeamComplianceUniform(&spectrum->params);
    for (PetscInt which = 0; which < spectrum->n_rungs; which++) {
      const PetscReal *weights;
      PetscCall(BeamGetGrid(spectrum->rungs[which]->beam, NULL, NULL, &weights));
      PetscCall(Apply_Private(spectrum, which, weights, load->modal));
    }
    for (PetscInt k = 0; k < spectrum->n; k++) load->modal[k] = -load->modal[k];
    break;
  case FORCING_SHAPE:
    PetscCall(ProjectShape_Private(spectrum, mode - 1, load));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
