/*
  spectrum_project.c - loads and fields as the modes see them.   [theory 6, 10, 13, 17]

  Shapes come from different grids; a functional of u (an integral, say) is a row of weights on each of them. Rigid modes are known and
  integrated as they stand. Loads are positive with u; y = side u(x_c).
*/
#include "graze/beam.h"
#include "spectrum_impl.h"

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

/* p_k = int u_k (INITIAL_UNIFORM) or int x u_k (INITIAL_LINEAR) */
static PetscErrorCode Integrate_Private(Spectrum spectrum, InitialShape shape, PetscReal *p)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < spectrum->n_rigid; k++)
    p[k] = shape == INITIAL_UNIFORM ? spectrum->rigid[k].shift : 0.5 * spectrum->rigid[k].shift + spectrum->rigid[k].turn / 12.0;
  for (PetscInt which = 0; which < spectrum->n_rungs; which++) {
    const PetscReal *weights, *x;
    PetscReal       *functional;
    PetscInt         N;
    PetscCall(BeamGetGrid(spectrum->rungs[which]->beam, &N, &x, &weights));
    PetscCall(PetscMalloc1(N + 1, &functional));
    for (PetscInt i = 0; i <= N; i++) functional[i] = shape == INITIAL_UNIFORM ? weights[i] : weights[i] * x[i];
    PetscCall(Apply_Private(spectrum, which, functional, p));
    PetscCall(PetscFree(functional));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumProjectField - Modal coordinates x_k = <field, mode k> of u = x or u = 1.   [theory 13]

  Not collective; after SpectrumSetUp().
  Input:   shape - INITIAL_LINEAR or INITIAL_UNIFORM; string and rod alone: a field of the others has a rotation, too
  Output:  x - [n]
  Cost:    O(n N)
*/
PetscErrorCode SpectrumProjectField(Spectrum spectrum, InitialShape shape, PetscReal *x)
{
  const BeamModel model = spectrum->params.beam_model;

  PetscFunctionBeginUser;
  PetscCheck(spectrum->ready, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumProjectField");
  PetscCheck(model == BEAM_STRING || model == BEAM_ROD, spectrum->comm, PETSC_ERR_PLIB, "fields are projected for string and rod alone");
  PetscCheck(shape == INITIAL_LINEAR || shape == INITIAL_UNIFORM, spectrum->comm, PETSC_ERR_PLIB, "no field of shape %d", (int)shape);
  PetscCall(Integrate_Private(spectrum, shape, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* psi_j = u_j / y_j at x */
static PetscErrorCode ShapeLoad_Private(Spectrum spectrum, PetscInt j, PetscReal x, PetscReal weight, PetscReal *weighted)
{
  PetscFunctionBeginUser;
  PetscCall(SpectrumEvaluate(spectrum, j, x, weighted, NULL));
  *weighted *= weight / PetscSqrtReal(spectrum->r[j]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Projections of the load psi_j(x) (y_j = 1) on the u equation alone. Shapes come from different grids: all products are
  integrated on one grid so fine that Clenshaw-Curtis is exact for them. The deflection it causes follows from reciprocity:
  the contact point moves by the integral of psi_j(x) times its displacement by a unit force at x, which has a kink at the contact point.
*/
static PetscErrorCode ProjectShape_Private(Spectrum spectrum, PetscInt j, ModalLoad *load)
{
  const PetscInt   rung_j = spectrum->origin[j].rung, finest = spectrum->n_rungs > 0 ? spectrum->rungs[spectrum->n_rungs - 1]->N : 4;
  const PetscReal *x, *weights, at = spectrum->params.contact_position, kink[3] = {0.0, at < 1.0 ? at : 1.0, 1.0};
  PetscReal       *weighted, *row, *functional, sum                             = 0.0; /* weights times psi_j on the fine grid; on a rung */
  PetscInt         N;
  Beam             quadrature;

  PetscFunctionBeginUser;
  PetscCall(BeamCreate(spectrum->comm, &quadrature));
  PetscCall(BeamSetParams(quadrature, &spectrum->params));
  PetscCall(BeamSetPoints(quadrature, (rung_j == SPECTRUM_NO_RUNG ? 4 : spectrum->rungs[rung_j]->N) + finest));
  PetscCall(BeamGetGrid(quadrature, &N, &x, &weights));
  PetscCall(PetscMalloc3(N + 1, &weighted, N + 1, &row, N + 1, &functional));
  for (int piece = 0; piece < 2; piece++) {
    const PetscReal low = kink[piece], length = kink[piece + 1] - low;
    for (PetscInt q = 0; q <= N && length > 0.0; q++) {
      const PetscReal point = PetscMin(low + length * x[q], 1.0);
      PetscCall(ShapeLoad_Private(spectrum, j, point, length * weights[q], &weighted[q]));
      sum += weighted[q] * BeamComplianceFrom(&spectrum->params, point);
    }
  }
  load->static_tip = spectrum->side * sum;
  for (PetscInt q = 0; q <= N; q++) PetscCall(ShapeLoad_Private(spectrum, j, x[q], weights[q], &weighted[q]));
  for (PetscInt k = 0; k < spectrum->n_rigid; k++) {
    for (PetscInt q = 0; q <= N; q++) load->modal[k] += weighted[q] * (spectrum->rigid[k].shift + spectrum->rigid[k].turn * (x[q] - 0.5));
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

/* p_k = u_k(position); a list of modes knows the contact point alone. */
static PetscErrorCode ProjectPoint_Private(Spectrum spectrum, PetscReal position, PetscReal *p)
{
  const Params *params = &spectrum->params;

  PetscFunctionBeginUser;
  if (params->beam_model == BEAM_MODES) {
    PetscCheck(position == params->contact_position, spectrum->comm, PETSC_ERR_PLIB,
               "a list of modes takes a force at the contact point alone");
    for (PetscInt k = 0; k < spectrum->n; k++) p[k] = spectrum->side * PetscSqrtReal(spectrum->r[k]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < spectrum->n; k++) PetscCall(SpectrumEvaluate(spectrum, k, position, &p[k], NULL));
  if (position == params->contact_position) { /* where a mode does not move, it is not moved: to the last digit */
    for (PetscInt k = 0; k < spectrum->n; k++) p[k] = spectrum->r[k] > 0.0 ? p[k] : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SpectrumProject - What a load of unit amplitude is for each mode, and what it does to y at rest.   [theory 6, 10, 13]

  Not collective; after SpectrumSetUp().
  Input:   type - FORCING_MODE: force on y-normalised coordinate `mode` (from 1) alone; FORCING_POINT: transverse force at
           `position` in [0,1]; FORCING_BASE: acceleration of clamp and stop, positive with u, seen from the moving frame;
           FORCING_SHAPE: the distributed load psi_mode, y = 1 at the contact point, on the u equation alone. A mode that does not
           move the contact point has no coordinate y and drives nothing: mode is one with r > 0.
           BEAM_MODES: FORCING_MODE, and FORCING_POINT at the contact point
  Output:  load - modal[n], an array of the caller's, is filled; static_tip is that of the continuum without rigid motion, exact except
           for FORCING_SHAPE, where it is as accurate as the shape
  Cost:    O(n N), FORCING_SHAPE O(N^2) for each grid
*/
PetscErrorCode SpectrumProject(Spectrum spectrum, ForcingType type, PetscInt mode, PetscReal position, ModalLoad *load)
{
  PetscFunctionBeginUser;
  PetscCheck(spectrum->ready, spectrum->comm, PETSC_ERR_PLIB, "SpectrumSetUp comes before SpectrumProject");
  PetscCheck(spectrum->params.beam_model != BEAM_MODES || type == FORCING_MODE || type == FORCING_POINT, spectrum->comm, PETSC_ERR_PLIB,
             "a list of modes knows no distributed load");
  if (type == FORCING_MODE || type == FORCING_SHAPE) {
    PetscCall(SpectrumCheckMode_Private(spectrum, mode - 1));
    PetscCheck(spectrum->r[mode - 1] > 0.0, spectrum->comm, PETSC_ERR_PLIB, "mode %" PetscInt_FMT " does not move the contact point", mode);
  }
  PetscCall(PetscArrayzero(load->modal, spectrum->n));
  switch (type) {
  case FORCING_MODE:
    load->modal[mode - 1] = 1.0 / PetscSqrtReal(spectrum->r[mode - 1]);
    load->static_tip      = spectrum->w[mode - 1] > 0.0 ? 1.0 / PetscSqr(spectrum->w[mode - 1]) : 0.0;
    break;
  case FORCING_POINT:
    load->static_tip = spectrum->side * BeamComplianceFrom(&spectrum->params, position);
    PetscCall(ProjectPoint_Private(spectrum, position, load->modal));
    break;
  case FORCING_BASE:
    load->static_tip = -spectrum->side * BeamComplianceUniform(&spectrum->params);
    PetscCall(Integrate_Private(spectrum, INITIAL_UNIFORM, load->modal));
    for (PetscInt k = 0; k < spectrum->n; k++) load->modal[k] = -load->modal[k];
    break;
  case FORCING_SHAPE:
    PetscCall(ProjectShape_Private(spectrum, mode - 1, load));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
