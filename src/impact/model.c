/*
  model.c - spectrum, receptance and load of one beam, and the number of modes its tip trajectory needs.   [theory 2, 6, 10]
*/
#include "graze/model.h"

#include <math.h>

#include "graze/beam.h"

/* Modes known beyond the cut: they make the tail sums, whose remainder is asymptotic.   (6.6)-(6.8) */
enum { BEYOND = 20 };

struct _p_Model {
  MPI_Comm     comm;
  Params       params;
  PetscInt     M; /* 0: not chosen yet */
  Spectrum     spectrum;
  Receptance   receptance;
  ForcingShape load;
  PetscBool    set_up;
};

PetscErrorCode ModelCreate(MPI_Comm comm, Model *model)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(model));
  (*model)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelSetParams(Model model, const Params *params)
{
  PetscFunctionBeginUser;
  model->params = *params;
  model->M      = params->receptance_modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelSetModes(Model model, PetscInt M)
{
  PetscFunctionBeginUser;
  model->M = M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Spectrum_Private(Model model, PetscInt wanted, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!model->spectrum) {
    PetscCall(SpectrumCreate(model->comm, &model->spectrum));
    PetscCall(SpectrumSetParams(model->spectrum, &model->params));
  }
  PetscCall(SpectrumSetModes(model->spectrum, wanted));
  PetscCall(SpectrumSetUp(model->spectrum, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  How many of the known modes a receptance can use: the compliance beyond them is a difference of numbers of the size of S, and has
  to stand out from the round-off of the first residues. Slender beams, whose modes carry S within the first few, reach that soon.
*/
static PetscErrorCode Usable_Private(Model model, PetscInt *usable)
{
  const PetscReal *w, *r;
  const PetscReal  S = BeamCompliance(&model->params);
  PetscReal        beyond = S, disagreement;
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(model->spectrum, &n, &w, &r));
  PetscCall(SpectrumGetMode(model->spectrum, 0, NULL, &disagreement));
  /* ten times: an error of a tenth in C0, which the total H(0) = S does not feel at all */
  for (*usable = 0; *usable < n; ++*usable) {
    beyond -= r[*usable] / (w[*usable] * w[*usable]);
    if (!(beyond > 10.0 * PetscMax(disagreement, 1e-10) * S)) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Receptance_Private(Model model, PetscInt M, Receptance *receptance)
{
  PetscInt         n;
  const PetscReal *w, *r;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(model->spectrum, NULL, &w, &r));
  PetscCall(Usable_Private(model, &n));
  PetscCall(ReceptanceCreate(model->comm, receptance));
  PetscCall(ReceptanceSetModes(*receptance, n, w, r, M));
  PetscCall(ReceptanceSetContinuum(*receptance, model->params.damping_ratio, BeamCompliance(&model->params), BeamWaveSpeed(&model->params)));
  PetscCall(ReceptanceSetClosure(*receptance, model->params.receptance_closure));
  PetscCall(ReceptanceSetUp(*receptance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ModelSetUp - Collective on the model's comm. Complaint: -beam_points resolves fewer modes than are asked for. */
PetscErrorCode ModelSetUp(Model model, Complaint *complaint)
{
  PetscInt n;

  PetscFunctionBeginUser;
  if (model->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(model->M > 0, model->comm, PETSC_ERR_PLIB, "the number of modes is chosen before a model is set up");
  PetscCall(Spectrum_Private(model, model->M + (model->params.beam_points ? 0 : BEYOND), complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Usable_Private(model, &n));
  if (n < model->M) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -receptance_modes: with %" PetscInt_FMT " modes of so slender a beam (beta = %g) the compliance of the rest is lost in round-off; allowed: at most %" PetscInt_FMT,
                 model->M, (double)model->params.beam_beta, n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Receptance_Private(model, model->M, &model->receptance));
  PetscCall(ForcingShapeCreate(model->spectrum, model->receptance, &model->params, &model->load));
  model->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelDestroy(Model *model)
{
  PetscFunctionBeginUser;
  if (!*model) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForcingShapeDestroy(&(*model)->load));
  PetscCall(ReceptanceDestroy(&(*model)->receptance));
  PetscCall(SpectrumDestroy(&(*model)->spectrum));
  PetscCall(PetscFree(*model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelGetSpectrum(Model model, Spectrum *spectrum)
{
  PetscFunctionBeginUser;
  *spectrum = model->spectrum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelGetReceptance(Model model, Receptance *receptance)
{
  PetscFunctionBeginUser;
  *receptance = model->receptance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelGetLoad(Model model, const ForcingShape **load)
{
  PetscFunctionBeginUser;
  *load = &model->load;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flow_Private(Model model, Receptance receptance, FlowType type, Flow *flow)
{
  PetscFunctionBeginUser;
  PetscCall(FlowCreate(model->comm, flow));
  PetscCall(FlowSetType(*flow, type));
  PetscCall(FlowSetReceptance(*flow, receptance));
  PetscCall(FlowSetParams(*flow, &model->params));
  PetscCall(FlowSetUp(*flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelCreateFlow(Model model, FlowType type, Flow *flow)
{
  PetscFunctionBeginUser;
  PetscCall(Flow_Private(model, model->receptance, type, flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- how many modes ----------------------------------------------------------------------------------------------- */

enum {
  PROBE_PERIODS = 6, /* enough for several contacts, few enough that chaos does not blow up the difference of two cuts */
  PROBE_SAMPLES = 32, /* a period */
  PROBE_CUTS    = 5,
  PROBE_SPACING = 2  /* cuts M, M-2, ... M-8: pairs of the two families are split both ways */
};

/*
  What the probe cannot see: later contacts that come near grazing magnify the error of a cut. The orbit of the default case has one,
  and with 120 modes its strobes are right to 5e-8 (measured against 400); other tolerances by the law M^-3.5.
*/
static PetscInt Least_Private(const Params *params)
{
  const PetscInt cuts = PROBE_SPACING * PROBE_CUTS;
  const PetscInt near_grazing = (PetscInt)ceil(120.0 * pow(1e-8 / params->receptance_rtol, 1.0 / 3.5));

  return PetscMax(PetscMin(near_grazing, params->receptance_max_modes), PetscMax(params->initial_mode, params->forcing_mode) + cuts + 10);
}

/* y1 at the probe's samples with M modes, from the stated initial condition; shape [PROBE_PERIODS * PROBE_SAMPLES]. */
static PetscErrorCode Probe_Private(Model model, PetscInt M, PetscReal amplitude, PetscReal frequency, PetscReal *y1, PetscBool *good)
{
  const PetscInt n = PROBE_PERIODS * PROBE_SAMPLES;
  PetscReal     *time, *y2, *f;
  Receptance     receptance;
  ForcingShape   load;
  Flow           flow;
  FlowState      state;
  FlowRecord     record;
  FlowReason     reason = FLOW_GOOD;
  PetscInt       size;

  PetscFunctionBeginUser;
  PetscCall(Receptance_Private(model, M, &receptance));
  PetscCall(ForcingShapeCreate(model->spectrum, receptance, &model->params, &load));
  PetscCall(Flow_Private(model, receptance, FLOW_EXACT, &flow));
  PetscCall(FlowSetForcing(flow, &load, amplitude, frequency));
  PetscCall(FlowGetSize(flow, &size));
  PetscCall(PetscMalloc4(n, &time, n, &y2, n, &f, size, &state.x));
  /* between strobes: a sample at the last one would be seen by some cuts and, an ulp late, not by others */
  for (PetscInt i = 0; i < n; ++i) time[i] = ((PetscReal)i + 0.5) / PROBE_SAMPLES * 2.0 * PETSC_PI / frequency;
  record = (FlowRecord){.n_samples = n, .sample_time = time, .sample_y1 = y1, .sample_y2 = y2, .sample_f = f};
  PetscCall(FlowRecordReset(&record));
  PetscCall(FlowInitialState(flow, &state));
  PetscCall(FlowSetRecord(flow, &record));
  PetscCall(FlowStart(flow, &state));
  for (PetscInt i = 0; i < PROBE_PERIODS && !reason; ++i) PetscCall(FlowPeriod(flow, &state, &reason));
  *good = (PetscBool)!reason;
  PetscCall(PetscFree4(time, y2, f, state.x));
  PetscCall(FlowDestroy(&flow));
  PetscCall(ForcingShapeDestroy(&load));
  PetscCall(ReceptanceDestroy(&receptance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Error of the trajectory with M modes from the spread of neighbouring cuts.   (6.12)

  The error falls like M^-q, q about 3.5 (measured between M = 20 and 300), so cuts over a range d of modes differ by q d / M of it:
  error = spread M / (q d), with q = 3 to be on the safe side.
*/
static PetscErrorCode Estimate_Private(Model model, PetscInt M, PetscReal amplitude, PetscReal frequency, PetscReal *error)
{
  const PetscInt n = PROBE_PERIODS * PROBE_SAMPLES;
  PetscReal     *y, spread = 0.0, size = 0.0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(PROBE_CUTS * n, &y));
  for (PetscInt cut = 0; cut < PROBE_CUTS; ++cut) {
    PetscBool good;

    PetscCall(Probe_Private(model, M - PROBE_SPACING * cut, amplitude, frequency, y + cut * n, &good));
    if (!good) spread = INFINITY; /* what cannot be integrated cannot be estimated */
  }
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal high = -PETSC_MAX_REAL, low = PETSC_MAX_REAL;

    for (PetscInt cut = 0; cut < PROBE_CUTS; ++cut) {
      high = PetscMax(high, y[cut * n + i]);
      low  = PetscMin(low, y[cut * n + i]);
    }
    spread = PetscMax(spread, high - low);
    size   = PetscMax(size, PetscMax(fabs(high), fabs(low)));
  }
  *error = size > 0.0 ? spread / size * (PetscReal)M / (3.0 * PROBE_SPACING * (PROBE_CUTS - 1)) : 0.0;
  PetscCall(PetscFree(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ModelChooseModes - How many modes the tip trajectory needs at amplitude, frequency.

  Not collective beyond the model's comm.
  Output: choice - modes, the estimated error with them, whether it meets -receptance_rtol within -receptance_max_modes
  Cost:   five short trajectories per rung, each with a dense eigenproblem of size 2M+2 for its contact exponents
*/
PetscErrorCode ModelChooseModes(Model model, PetscReal amplitude, PetscReal frequency, ModesChoice *choice, Complaint *complaint)
{
  const PetscInt least = Least_Private(&model->params);
  PetscInt       n, M = least, most = PetscMax(model->params.receptance_max_modes, least);

  PetscFunctionBeginUser;
  for (;;) {
    M = PetscMin(M, most);
    PetscCall(Spectrum_Private(model, M + (model->params.beam_points ? 0 : BEYOND), complaint));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Usable_Private(model, &n));
    if (n < M) M = most = n;
    if (M < PetscMax(model->params.initial_mode, model->params.forcing_mode) || M <= PROBE_SPACING * (PROBE_CUTS - 1)) {
      ComplaintSet(complaint, EXIT_OPTIONS, "a beam so slender (beta = %g) leaves %" PetscInt_FMT " usable modes: too few to choose from; give -receptance_modes",
                   (double)model->params.beam_beta, M);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(Estimate_Private(model, M, amplitude, frequency, &choice->error));
    choice->modes = M;
    choice->met   = (PetscBool)(choice->error <= model->params.receptance_rtol);
    if (choice->met || M == most) break;
    { /* the error falls like M^-3.5 or faster: look next where M^-5 says, so as not to overshoot; by steps of ten, at most to twice as many */
      const PetscReal wanted = M * pow(PetscMin(choice->error / model->params.receptance_rtol, 1e6), 1.0 / 5.0);

      M = PetscMax(M + 10, PetscMin(2 * M, (PetscInt)(10.0 * ceil(wanted / 10.0))));
    }
  }
  model->M = choice->modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
