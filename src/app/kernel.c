/*
  kernel.c - the command `graze kernel`: the memory kernel of a structure on growing numbers of points, its limit, and the verdict:
  regular (a finite contact force) or singular.   [theory 4, 6, 13, 14]

  One rank does the work; the others wait.
*/
#include <math.h>
#include <stdint.h>

#include "app.h"
#include "graze/beam.h"
#include "graze/log.h"
#include "graze/moving.h"
#include "graze/waves.h"
#include "kernel_result.h"
#include "solo.h"

/* ---- curves ---- */

static PetscErrorCode CurvesCreate_Private(PetscInt n, KernelCurves *c)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(n, &c->L1[0], n, &c->L1[1], n, &c->g[0], n, &c->g[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CurvesDestroy_Private(KernelCurves *c)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(c->L1[0], c->L1[1], c->g[0], c->g[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Curves_Private(const KernelResult *k, Receptance receptance, LiteralKernel kind, KernelCurves *c)
{
  PetscFunctionBeginUser;
  PetscCall(CurvesCreate_Private(k->n_tau, c));
  for (int grid = 0; grid < DELAYS; grid++)
    PetscCall(KernelEvaluate(receptance, kind, k->n_tau, k->tau[grid], NULL, c->L1[grid], c->g[grid]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- modes ---- */

/* A spectrum of so many points (0: chosen) and its modes that move the contact point, `wanted` at least. */
static PetscErrorCode Modes_Private(const Params *params, PetscInt points, PetscInt wanted, Spectrum *spectrum, MovingModes *modes,
                                    Complaint *complaint)
{
  Params p = *params;

  PetscFunctionBeginUser;
  p.beam_points = points;
  *modes        = (MovingModes){0};
  PetscCall(SpectrumCreate(PETSC_COMM_SELF, spectrum));
  PetscCall(SpectrumSetParams(*spectrum, &p));
  PetscCall(MovingModesResolve(*spectrum, &p, wanted, modes, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The receptance of the first `wanted` of the modes (0: of all), as far as they can be used; NULL: not even one. */
static PetscErrorCode Receptance_Private(const Params *params, Spectrum spectrum, const MovingModes *modes, PetscInt wanted,
                                         Receptance *receptance)
{
  PetscInt M;

  PetscFunctionBeginUser;
  PetscCall(MovingModesUsable(spectrum, params, modes, &M));
  if (wanted) M = PetscMin(M, wanted);
  *receptance = NULL;
  if (M == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MovingModesReceptance(PETSC_COMM_SELF, params, modes, M, M, receptance));
  PetscCall(ReceptanceSetUp(*receptance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Used_Private(Receptance receptance, PetscInt *M)
{
  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, M, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernel number i, and its spectrum, which the caller destroys. */
static PetscErrorCode One_Private(const Solo *job, KernelResult *k, PetscInt i, Spectrum *spectrum, Complaint *complaint)
{
  KernelOf   *of  = &k->of[i];
  Complaint   few = {0};
  MovingModes modes;
  PetscInt    M = 0;

  PetscFunctionBeginUser;
  PetscCall(Modes_Private(&job->params, of->points, 2, spectrum, &modes, &few));
  if (few.exit_code) {
    PetscCall(MovingModesDestroy(&modes));
    if (of->points)
      ComplaintSet(complaint, EXIT_OPTIONS,
                   "option -kernel_beam_points: %" PetscInt_FMT
                   " points resolve fewer than two modes that move the contact point; allowed: more points",
                   of->points);
    else *complaint = few;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  of->resolved = modes.n;
  PetscCall(Receptance_Private(&job->params, *spectrum, &modes, 0, &of->receptance));
  PetscCall(MovingModesDestroy(&modes));
  if (of->receptance) PetscCall(Used_Private(of->receptance, &M));
  else {
    ComplaintSet(complaint, EXIT_OPTIONS,
                 "option -kernel_beam_points: the compliance beyond the first mode of %" PetscInt_FMT " points is lost in round-off",
                 of->points);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (M < of->resolved)
    PetscCall(LogWarning("of the %" PetscInt_FMT " modes that %" PetscInt_FMT " points resolve the first %" PetscInt_FMT
                         " are used: beyond them the compliance of the rest is lost in round-off",
                         of->resolved, of->points, M));
  PetscCall(Curves_Private(k, of->receptance, KERNEL_BARE, &of->curves[KERNEL_BARE]));
  if (!isinf(k->impedance)) PetscCall(Curves_Private(k, of->receptance, KERNEL_CLOSED, &of->curves[KERNEL_CLOSED]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  N -> infinity: of undamped strings and rods the exact waves; else of the most modes there are, or of -receptance_modes, closed if
  the structure is regular.
*/
static PetscErrorCode Limit_Private(const Solo *job, KernelResult *k, Complaint *complaint)
{
  const Params       *p    = &job->params;
  const LiteralKernel kind = isinf(k->impedance) ? KERNEL_BARE : KERNEL_CLOSED;
  Receptance          most = k->of[k->n - 1].receptance, own = NULL;
  Spectrum            spectrum = NULL;

  PetscFunctionBeginUser;
  if (WavesApply(p)) {
    PetscCall(CurvesCreate_Private(k->n_tau, &k->limit));
    for (int grid = 0; grid < DELAYS; grid++)
      PetscCall(WaveKernelEvaluate(p, most, k->n_tau, k->tau[grid], k->limit.L1[grid], k->limit.g[grid]));
    PetscCall(PetscStrncpy(k->limit_kind, "exact waves", sizeof k->limit_kind));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (p->receptance_modes && p->beam_model != BEAM_MODES) {
    MovingModes modes;

    PetscCall(Modes_Private(p, p->beam_points, p->receptance_modes, &spectrum, &modes, complaint));
    if (!complaint->exit_code) {
      PetscCall(Receptance_Private(p, spectrum, &modes, p->receptance_modes, &own));
      if (modes.n > k->of[k->n - 1].resolved) PetscCall(RegularityJudge(p, spectrum, &k->regularity));
    }
    PetscCall(MovingModesDestroy(&modes));
    PetscCall(SpectrumDestroy(&spectrum));
    if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
    if (own) most = own;
  }
  PetscCall(Used_Private(most, &k->limit_modes));
  PetscCall(Curves_Private(k, most, kind, &k->limit));
  PetscCall(PetscStrncpy(k->limit_kind, kind == KERNEL_BARE ? "bare sum" : "closed kernel", sizeof k->limit_kind));
  PetscCall(ReceptanceDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute_Private(const Solo *job, KernelResult *k, Complaint *complaint)
{
  const Params *p = &job->params;

  PetscFunctionBeginUser;
  *k = (KernelResult){.model      = p->beam_model,
                      .n_tau      = p->kernel_times,
                      .n          = p->beam_model == BEAM_MODES ? 1 : p->kernel_beam_points.n,
                      .compliance = BeamCompliance(p),
                      .impedance  = BeamImpedance(p)};
  PetscCall(PetscCalloc1(k->n, &k->of));
  PetscCall(PetscMalloc2(k->n_tau, &k->tau[DELAYS_LOG], k->n_tau, &k->tau[DELAYS_LINEAR]));
  for (PetscInt i = 0; i < k->n_tau; i++) {
    const PetscReal part = (PetscReal)i / (k->n_tau - 1);

    k->tau[DELAYS_LOG][i]    = p->kernel_min_time * pow(p->kernel_max_time / p->kernel_min_time, part);
    k->tau[DELAYS_LINEAR][i] = p->kernel_max_time * part;
  }
  k->tau[DELAYS_LOG][k->n_tau - 1] = p->kernel_max_time; /* waves are known up to here and not further */
  for (PetscInt i = 0; i < k->n && !complaint->exit_code; i++) {
    Spectrum spectrum = NULL;

    k->of[i].points = p->beam_model == BEAM_MODES ? 0 : p->kernel_beam_points.value[i];
    PetscCall(One_Private(job, k, i, &spectrum, complaint));
    if (i == k->n - 1 && !complaint->exit_code) PetscCall(RegularityJudge(p, spectrum, &k->regularity));
    PetscCall(SpectrumDestroy(&spectrum));
  }
  if (!complaint->exit_code) PetscCall(Limit_Private(job, k, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy_Private(KernelResult *k)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < k->n; i++) {
    PetscCall(ReceptanceDestroy(&k->of[i].receptance));
    for (int kind = 0; kind < 2; kind++)
      if (k->of[i].curves[kind].L1[0]) PetscCall(CurvesDestroy_Private(&k->of[i].curves[kind]));
  }
  if (k->limit.L1[0]) PetscCall(CurvesDestroy_Private(&k->limit));
  PetscCall(PetscFree2(k->tau[DELAYS_LOG], k->tau[DELAYS_LINEAR]));
  PetscCall(PetscFree(k->of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is said ---- */

/* A row of the table: L1_2 at some of the delays of the logarithmic grid. */
static PetscErrorCode PrintRow_Private(const char *head, PetscInt n, const PetscInt *at, const PetscReal *values)
{
  char   line[256];
  size_t length;

  PetscFunctionBeginUser;
  length = (size_t)snprintf(line, sizeof line, "%-27s", head);
  for (PetscInt j = 0; j < n; j++) length += (size_t)snprintf(line + length, sizeof line - length, "%12.5g", (double)values[at[j]]);
  PetscCall(LogLine("%s", line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [L1]_2 of the bare sums at delays that shrink by tens: where a kernel has a jump, more modes hold it up for longer. */
static PetscErrorCode PrintEvidence_Private(const Solo *job, const KernelResult *k)
{
  enum { COLUMNS = 5 };
  const PetscReal last = job->params.kernel_max_time, first = job->params.kernel_min_time;
  PetscInt        at[COLUMNS], n                            = 0;
  char            head[64];

  PetscFunctionBeginUser;
  for (PetscReal t = PetscMin(last, 0.1); n < COLUMNS && t >= first; t *= 0.1)
    at[n++] = (PetscInt)floor(log(t / first) / log(last / first) * (k->n_tau - 1) + 0.5);
  PetscCall(PrintRow_Private("points  modes   L1_2 at tau", n, at, k->tau[DELAYS_LOG]));
  for (PetscInt i = 0; i < k->n; i++) {
    PetscInt M;

    PetscCall(Used_Private(k->of[i].receptance, &M));
    (void)snprintf(head, sizeof head, "%6" PetscInt_FMT " %6" PetscInt_FMT, k->of[i].points, M);
    PetscCall(PrintRow_Private(head, n, at, k->of[i].curves[KERNEL_BARE].L1[DELAYS_LOG]));
  }
  PetscCall(PrintRow_Private(" limit", n, at, k->limit.L1[DELAYS_LOG]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintVerdict_Private(const KernelResult *k)
{
  const Regularity *r = &k->regularity;

  PetscFunctionBeginUser;
  if (k->limit_modes)
    PetscCall(LogLine("limit          N -> infinity stands for the %s of %" PetscInt_FMT " modes", k->limit_kind, k->limit_modes));
  else PetscCall(LogLine("limit          N -> infinity: %s", k->limit_kind));
  if (PetscIsNanReal(r->alpha)) PetscCall(LogLine("growth         no exponent alpha of the frequencies: too few modes"));
  else
    PetscCall(LogLine("growth         w_k ~ k^alpha of the modes that move the contact point: alpha = %.4f +- %.1e", (double)r->alpha,
                      (double)r->alpha_error));
  if (r->regular) {
    PetscCall(LogLine("verdict        regular: L+ = %.12g", (double)r->L_plus));
    PetscCall(LogLine("contact force  finite at onset: f = -v/L+ = %.6g for velocity v = -1", (double)(1.0 / r->L_plus)));
  } else {
    PetscCall(LogLine("verdict        singular: L+ = 0"));
    PetscCall(LogLine("contact force  has no finite value at onset: over a time dt it takes a force ~ dt^%.3g, without bound as dt -> 0; "
                      "what is left is -flow restitution",
                      (double)r->exponent));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ---- */

static PetscErrorCode Work_Private(const Solo *job, Complaint *complaint)
{
  KernelResult k;
  Store        store;

  PetscFunctionBeginUser;
  PetscCall(SoloWriteYaml(job, complaint));
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Compute_Private(job, &k, complaint));
  if (!complaint->exit_code) {
    PetscCall(PrintEvidence_Private(job, &k));
    PetscCall(PrintVerdict_Private(&k));
    PetscCall(SoloCreate(job, &store, complaint));
    PetscCall(KernelResultWrite(store, &k, complaint));
    PetscCall(SoloFinish(&store, complaint));
  }
  if (!complaint->exit_code) PetscCall(SoloLogResult(job));
  PetscCall(Destroy_Private(&k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  CommandKernel - The kernels of -kernel_beam_points, their limit and the verdict, to <output>/kernel.h5.

  Collective; root works. The complaint of the work is root's alone.
  Cost: (one core) 1 s for 160 points, most of it the spectrum.
*/
PetscErrorCode CommandKernel(MPI_Comm comm, int argc, char **argv, Complaint *complaint)
{
  Solo      job = {.comm    = comm,
                   .command = COMMAND_KERNEL,
                   .name    = "kernel",
                   .title   = "Memory kernel of a structure at its contact point",
                   .file    = "kernel.h5",
                   .argc    = argc,
                   .argv    = argv};
  PetscBool done, works;

  PetscFunctionBeginUser;
  PetscCall(SoloRead(&job, complaint));
  if (!complaint->exit_code) PetscCall(SoloPrepare(&job, &done, &works, complaint));
  if (!complaint->exit_code && works) PetscCall(Work_Private(&job, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
