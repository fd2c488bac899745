/*
  model.c - spectrum, receptance and load of one beam, and the number of modes its tip trajectory needs.   [theory 2, 6, 10]
*/
#include "graze/model.h"

#include <math.h>

#include "graze/beam.h"
#include "graze/moving.h"
#include "graze/waves.h"

/* Modes known beyond the cut: they make the tail sums, whose remainder is asymptotic.   (6.6)-(6.8) */
enum { BEYOND = 20 };
/* Modes of a structure whose motion is computed from waves: they are reported, and carry a load that is given by modes. */
enum { WAVE_MODES = 40 };

struct _p_Model {
  MPI_Comm     comm;
  Params       params;
  PetscInt     M; /* 0: not chosen yet */
  Spectrum     spectrum;
  MovingModes  kept; /* known modes that move the contact point */
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

PetscBool ModelChoosesModes(const Params *params)
{
  return (PetscBool)(params->receptance_modes == 0 && params->beam_model != BEAM_MODES && params->flow != FLOW_RESTITUTION &&
                     !WavesMove(params, params->flow));
}

/* At least so many modes that move the contact point. */
static PetscErrorCode Spectrum_Private(Model model, PetscInt wanted, Complaint *complaint)
{
  PetscFunctionBeginUser;
  if (!model->spectrum) {
    PetscCall(SpectrumCreate(model->comm, &model->spectrum));
    PetscCall(SpectrumSetParams(model->spectrum, &model->params));
  }
  PetscCall(MovingModesResolve(model->spectrum, &model->params, wanted, &model->kept, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where among the kept modes a mode of the spectrum is (number from 1). Complaint: it is not among the first M. */
static PetscErrorCode Find_Private(Model model, const char *option, PetscInt mode, PetscInt M, PetscInt *k, Complaint *complaint)
{
  PetscFunctionBeginUser;
  for (*k = 0; *k < model->kept.n && model->kept.number[*k] < mode - 1; ++*k) {}
  if (*k < model->kept.n && model->kept.number[*k] > mode - 1)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -%s: mode %" PetscInt_FMT
                 " does not move the contact point at -contact_position %g; allowed: a mode that does, %" PetscInt_FMT " for one",
                 option, mode, (double)model->params.contact_position, model->kept.number[0] + 1);
  else if (*k >= PetscMin(M, model->kept.n))
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -%s: %" PetscInt_FMT " is not among the %" PetscInt_FMT " modes kept; allowed: at most %" PetscInt_FMT, option,
                 mode, M, model->kept.number[PetscMin(M, model->kept.n) - 1] + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The modes that the start and the load name are there. */
static PetscErrorCode CheckNamed_Private(Model model, PetscInt M, Complaint *complaint)
{
  const Params *p = &model->params;
  PetscInt      k;

  PetscFunctionBeginUser;
  if (p->initial_shape == INITIAL_MODE) PetscCall(Find_Private(model, "initial_mode", p->initial_mode, M, &k, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->forcing_type == FORCING_MODE || p->forcing_type == FORCING_SHAPE)
    PetscCall(Find_Private(model, "forcing_mode", p->forcing_mode, M, &k, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Usable_Private(Model model, PetscInt *usable)
{
  PetscFunctionBeginUser;
  PetscCall(MovingModesUsable(model->spectrum, &model->params, &model->kept, usable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Receptance_Private(Model model, PetscInt M, Receptance *receptance)
{
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(Usable_Private(model, &n));
  PetscCall(MovingModesReceptance(model->comm, &model->params, &model->kept, n, M, receptance));
  /* rigid impacts need no tail, no poles, no zeros: they are made when someone asks */
  if (model->params.flow != FLOW_RESTITUTION) PetscCall(ReceptanceSetUp(*receptance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ModelSetUp - Collective on the model's comm. Complaint: too few modes are resolved, or they do not move the contact point. */
PetscErrorCode ModelSetUp(Model model, Complaint *complaint)
{
  const Params *p = &model->params;
  PetscInt      n;

  PetscFunctionBeginUser;
  if (model->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  if (WavesMove(p, p->flow) && !(2.0 / (p->beam_wave_speed * p->literal_step) <= 1e8)) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -literal_step: %g t0 cuts a string of wave speed %g into %.3g cells; allowed: at most 1e8, a longer step",
                 (double)p->literal_step, (double)p->beam_wave_speed, (double)(1.0 / (p->beam_wave_speed * p->literal_step)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (model->M == 0 && WavesMove(p, p->flow)) model->M = WAVE_MODES;
  if (model->M == 0 && p->beam_model != BEAM_MODES && p->flow == FLOW_RESTITUTION) {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -receptance_modes: 0 leaves the number of modes open, and rigid impacts have no limit to choose it by; allowed "
                 "with -flow restitution: 2 to 400");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(model->M > 0 || p->beam_model == BEAM_MODES, model->comm, PETSC_ERR_PLIB,
             "the number of modes is chosen before a model is set up");
  PetscCall(Spectrum_Private(model, model->M + (p->beam_points ? 0 : BEYOND), complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Usable_Private(model, &n));
  if (model->M == 0) model->M = n;
  if (n < model->M && p->beam_model == BEAM_MODES)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -receptance_modes: %" PetscInt_FMT " are more than move the contact point; allowed: at most %" PetscInt_FMT,
                 model->M, n);
  else if (n < model->M)
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -receptance_modes: with %" PetscInt_FMT
                 " modes of so slender a beam (beta = %g) the compliance of the rest is lost in round-off; allowed: at most %" PetscInt_FMT,
                 model->M, (double)p->beam_beta, n);
  else PetscCall(CheckNamed_Private(model, model->M, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Receptance_Private(model, model->M, &model->receptance));
  PetscCall(ForcingShapeCreate(model->spectrum, model->receptance, model->kept.number, p, &model->load));
  model->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ModelSetDamping - Collective on the model's comm. Cost: the zeros of the receptance, O(M^3); rigid impacts need none. */
PetscErrorCode ModelSetDamping(Model model, PetscReal damping)
{
  PetscFunctionBeginUser;
  PetscCheck(model->set_up, model->comm, PETSC_ERR_PLIB, "ModelSetUp comes before ModelSetDamping");
  model->params.damping_ratio = damping;
  PetscCall(ForcingShapeDestroy(&model->load));
  PetscCall(ReceptanceDestroy(&model->receptance));
  PetscCall(Receptance_Private(model, model->M, &model->receptance));
  PetscCall(ForcingShapeCreate(model->spectrum, model->receptance, model->kept.number, &model->params, &model->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelDestroy(Model *model)
{
  PetscFunctionBeginUser;
  if (!*model) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForcingShapeDestroy(&(*model)->load));
  PetscCall(ReceptanceDestroy(&(*model)->receptance));
  PetscCall(SpectrumDestroy(&(*model)->spectrum));
  PetscCall(MovingModesDestroy(&(*model)->kept));
  PetscCall(PetscFree(*model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelGetParams(Model model, const Params **params)
{
  PetscFunctionBeginUser;
  *params = &model->params;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelGetKept(Model model, PetscInt *M, const PetscInt **number)
{
  PetscFunctionBeginUser;
  PetscCheck(model->set_up, model->comm, PETSC_ERR_PLIB, "ModelSetUp comes before ModelGetKept");
  if (M) *M = model->M;
  if (number) *number = model->kept.number;
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

/* The stated initial condition in the flow's modes. u = size psi_j has psi_j = 1 at the contact point, where y = side u.   [theory 13] */
static PetscErrorCode Initial_Private(Model model, Flow flow, PetscInt M)
{
  const Params *p = &model->params;
  PetscReal    *x, *field;
  PetscInt      n;

  PetscFunctionBeginUser;
  PetscCall(SpectrumGet(model->spectrum, &n, NULL, NULL));
  PetscCall(PetscCalloc2(2 * M, &x, n, &field));
  if (p->initial_shape == INITIAL_MODE) {
    const PetscReal side = p->stop_side == STOP_ABOVE ? -1.0 : 1.0;

    for (PetscInt k = 0; k < M; ++k) {
      const PetscReal tip = PetscSqrtReal(model->kept.r[k]);

      if (model->kept.number[k] != p->initial_mode - 1) continue;
      x[k]     = side * p->initial_displacement / tip;
      x[M + k] = side * p->initial_velocity / tip;
    }
  } else {
    PetscCall(SpectrumProjectField(model->spectrum, p->initial_shape, field));
    for (PetscInt k = 0; k < M; ++k) {
      x[k]     = p->initial_displacement * field[model->kept.number[k]];
      x[M + k] = p->initial_velocity * field[model->kept.number[k]];
    }
  }
  PetscCall(FlowSetInitialModal(flow, x));
  PetscCall(PetscFree2(x, field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flow_Private(Model model, Receptance receptance, FlowType type, Flow *flow)
{
  PetscInt M;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, &M, NULL, NULL, NULL, NULL));
  PetscCall(FlowCreate(model->comm, flow));
  PetscCall(FlowSetType(*flow, type));
  PetscCall(FlowSetReceptance(*flow, receptance));
  PetscCall(FlowSetParams(*flow, &model->params));
  PetscCall(FlowSetUp(*flow));
  PetscCall(Initial_Private(model, *flow, M));
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
  PetscCall(ForcingShapeCreate(model->spectrum, receptance, model->kept.number, &model->params, &load));
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
      ComplaintSet(complaint, EXIT_OPTIONS,
                   "a beam so slender (beta = %g) leaves %" PetscInt_FMT " usable modes: too few to choose from; give -receptance_modes",
                   (double)model->params.beam_beta, M);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(CheckNamed_Private(model, M - PROBE_SPACING * (PROBE_CUTS - 1), complaint));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Estimate_Private(model, M, amplitude, frequency, &choice->error));
    choice->modes = M;
    choice->met   = (PetscBool)(choice->error <= model->params.receptance_rtol);
    if (choice->met || M == most) break;
    { /* the error falls like M^-3.5 or faster: look next where M^-5 says, so as not to overshoot; by steps of ten, at most to twice as many
       */
      const PetscReal wanted = M * pow(PetscMin(choice->error / model->params.receptance_rtol, 1e6), 1.0 / 5.0);

      M = PetscMax(M + 10, PetscMin(2 * M, (PetscInt)(10.0 * ceil(wanted / 10.0))));
    }
  }
  model->M = choice->modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
