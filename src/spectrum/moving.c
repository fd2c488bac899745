/*
  moving.c - see moving.h.
*/
#include "graze/moving.h"

#include "graze/beam.h"

static PetscErrorCode Take_Private(Spectrum spectrum, MovingModes *m)
{
  const PetscReal *w, *r, *damping;
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(spectrum, &n, &w, &r));
  PetscCall(SpectrumGetDamping(spectrum, &damping));
  PetscCall(MovingModesDestroy(m));
  PetscCall(PetscMalloc4(n, &m->number, n, &m->w, n, &m->r, n, &m->damping));
  for (PetscInt k = 0; k < n; ++k) {
    if (!(r[k] > 0.0)) continue;
    m->number[m->n]  = k;
    m->w[m->n]       = w[k];
    m->r[m->n]       = r[k];
    m->damping[m->n] = damping[k];
    ++m->n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MovingModesResolve - Not collective. Complaint: those of SpectrumSetUp; a list of modes none of which moves the contact point */
PetscErrorCode MovingModesResolve(Spectrum spectrum, const Params *params, PetscInt wanted, MovingModes *modes, Complaint *complaint)
{
  const PetscBool list = (PetscBool)(params->beam_model == BEAM_MODES);
  PetscInt        n    = 0;

  PetscFunctionBeginUser;
  if (list) wanted = 1;
  PetscCall(MovingModesDestroy(modes));
  while (modes->n < wanted) {
    PetscCall(SpectrumSetModes(spectrum, n + wanted - modes->n)); /* as many more as do not move it */
    PetscCall(SpectrumSetUp(spectrum, complaint));
    if (complaint->exit_code) break;
    PetscCall(SpectrumGet(spectrum, &n, NULL, NULL));
    PetscCall(Take_Private(spectrum, modes));
    if (!list) continue;
    if (!modes->n)
      ComplaintSet(complaint, EXIT_OPTIONS,
                   "option -beam_tip_values: no mode moves the contact point; allowed: at least one that is not 0");
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MovingModesDestroy(MovingModes *m)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(m->number, m->w, m->r, m->damping));
  m->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  MovingModesUsable - The compliance beyond the modes is a difference of numbers of the size of S, and has to stand out from the
  round-off of the first residues. Slender beams, whose modes carry S within the first few, reach that soon. A singular structure
  makes nothing of that difference, and can use all.

  Not collective.
*/
PetscErrorCode MovingModesUsable(Spectrum spectrum, const Params *params, const MovingModes *m, PetscInt *usable)
{
  const PetscReal S      = BeamCompliance(params);
  PetscReal       beyond = S, disagreement;

  PetscFunctionBeginUser;
  *usable = m->n;
  if (PetscIsInfReal(BeamImpedance(params))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SpectrumGetMode(spectrum, m->number[0], NULL, &disagreement));
  /* ten times: an error of a tenth in C0, which the total H(0) = S does not feel at all */
  for (*usable = 0; *usable < m->n; ++*usable) {
    if (m->w[*usable] > 0.0) beyond -= m->r[*usable] / (m->w[*usable] * m->w[*usable]);
    if (!(beyond > 10.0 * PetscMax(disagreement, 1e-10) * S)) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MovingModesReceptance(MPI_Comm comm, const Params *params, const MovingModes *m, PetscInt n_known, PetscInt M,
                                     Receptance *receptance)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceCreate(comm, receptance));
  PetscCall(ReceptanceSetModes(*receptance, n_known, m->w, m->r, M));
  PetscCall(ReceptanceSetContinuum(*receptance, params->damping_ratio, BeamCompliance(params), BeamImpedance(params)));
  if (params->beam_model == BEAM_MODES && params->beam_damping_ratios.n > 0) PetscCall(ReceptanceSetDamping(*receptance, m->damping));
  PetscCall(ReceptanceSetClosure(*receptance, params->receptance_closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}
