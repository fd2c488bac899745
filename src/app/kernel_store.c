/*
  kernel_store.c - kernel.h5: kernels over (beam_points, component, delay), one row of every array for each number of points. (docs/data.md)

  Poles, zeros and modes differ in number from row to row: rows are as long as the longest, filled up with NaN, and counted.
*/
#include <math.h>
#include <stdint.h>

#include "kernel_result.h"
#include "graze/units.h"
#include "variable.h"

static const char *const grids[]      = {"log", "linear"}; /* by DelayGrid */
static const char *const L1_scale     = "L^3/EI, L^3/(EI t0)";
static const char *const g_scale      = "L^3/(EI t0)";
static const char *const g_long_name  = "velocity of the contact point after a unit step of force on it";
static const char *const L1_long_name = "memory kernel";

/* ---- delays ---- */

/* rows kernels: L1 with its component 1, which is 0, then g. curves[i]: row i. Names L1_<kind>_<grid>, g_<kind>_<grid>. */
static PetscErrorCode Curves_Private(Store store, const KernelResult *k, const char *kind, const char *rows_dim, PetscInt rows,
                                     const KernelCurves *const *curves, PetscInt n, const char *what, Complaint *complaint)
{
  PetscReal *L1, *g;
  char       name[64], dims[128], long_name[200];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(2 * rows * n, &L1, rows * n, &g));
  for (int grid = 0; grid < DELAYS; grid++) {
    for (PetscInt i = 0; i < rows; i++) {
      PetscCall(PetscArrayzero(L1 + 2 * i * n, n));
      PetscCall(PetscArraycpy(L1 + (2 * i + 1) * n, curves[i]->L1[grid], n));
      PetscCall(PetscArraycpy(g + i * n, curves[i]->g[grid], n));
    }
    PetscCall(PetscSNPrintf(name, sizeof name, "L1_%s_%s", kind, grids[grid]));
    PetscCall(PetscSNPrintf(dims, sizeof dims, "%s%scomponent tau_%s", rows_dim, *rows_dim ? " " : "", grids[grid]));
    PetscCall(PetscSNPrintf(long_name, sizeof long_name, "%s, %s", L1_long_name, what));
    PetscCall(Variable(store, name, STORE_REAL, dims, L1, long_name, UnitsScale(k->model, L1_scale), complaint));
    PetscCall(PetscSNPrintf(name, sizeof name, "g_%s_%s", kind, grids[grid]));
    PetscCall(PetscSNPrintf(dims, sizeof dims, "%s%stau_%s", rows_dim, *rows_dim ? " " : "", grids[grid]));
    PetscCall(PetscSNPrintf(long_name, sizeof long_name, "%s, %s", g_long_name, what));
    PetscCall(Variable(store, name, STORE_REAL, dims, g, long_name, UnitsScale(k->model, g_scale), complaint));
  }
  PetscCall(PetscFree2(L1, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllCurves_Private(Store store, const KernelResult *k, Complaint *complaint)
{
  const KernelCurves **rows, *limit = &k->limit;
  char                 what[96];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(k->n, &rows));
  for (int kind = 0; kind < 2; kind++) {
    if (kind == KERNEL_CLOSED && !k->regularity.regular) continue;
    for (PetscInt i = 0; i < k->n; i++) rows[i] = &k->of[i].curves[kind];
    PetscCall(Curves_Private(store, k, kind == KERNEL_CLOSED ? "closed" : "bare", "beam_points", k->n, rows, k->n_tau,
                             kind == KERNEL_CLOSED ? "of the modes and a tail with the right jump" : "of the modes alone", complaint));
  }
  if (k->limit_modes)
    PetscCall(PetscSNPrintf(what, sizeof what, "for N -> infinity: %s of %" PetscInt_FMT " modes", k->limit_kind, k->limit_modes));
  else PetscCall(PetscSNPrintf(what, sizeof what, "for N -> infinity: %s", k->limit_kind));
  PetscCall(Curves_Private(store, k, "limit", "", 1, &limit, k->n_tau, what, complaint));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- poles, zeros, modes: ragged ---- */

typedef struct {
  PetscInt        n, length; /* rows; of each */
  int32_t        *count;     /* [n] */
  double complex *value;     /* [n, length] */
} Ragged;

static PetscErrorCode RaggedCreate_Private(PetscInt n, Ragged *r)
{
  PetscFunctionBeginUser;
  *r = (Ragged){.n = n};
  PetscCall(PetscCalloc1(n, &r->count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the counts are known. */
static PetscErrorCode RaggedFill_Private(Ragged *r)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < r->n; i++) r->length = PetscMax(r->length, r->count[i]);
  PetscCall(PetscMalloc1(r->n * r->length, &r->value));
  for (PetscInt i = 0; i < r->n * r->length; i++) r->value[i] = CMPLX(NAN, NAN);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RaggedDestroy_Private(Ragged *r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(r->count));
  PetscCall(PetscFree(r->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what: poles (0), their residues (1), zeros (2), frequencies + i residues of modes (3). */
typedef enum { OF_POLES, OF_RESIDUES, OF_ZEROS, OF_MODES } RaggedKind;

static PetscErrorCode Collect_Private(const KernelResult *k, RaggedKind what, Ragged *ragged)
{
  PetscFunctionBeginUser;
  PetscCall(RaggedCreate_Private(k->n, ragged));
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt i = 0; i < k->n; i++) {
      Receptance            receptance = k->of[i].receptance;
      const double complex *values = NULL, *residues = NULL;
      const PetscReal      *w, *r;
      PetscInt              m;

      if (what == OF_ZEROS) PetscCall(ReceptanceGetZeros(receptance, &m, &values, NULL));
      else if (what == OF_MODES) PetscCall(ReceptanceGetModes(receptance, &m, &w, &r, NULL, NULL));
      else PetscCall(ReceptanceGetPoles(receptance, &m, &values, &residues));
      if (what == OF_RESIDUES) values = residues;
      ragged->count[i] = (int32_t)m;
      for (PetscInt j = 0; pass && j < m; j++) ragged->value[i * ragged->length + j] = what == OF_MODES ? CMPLX(w[j], r[j]) : values[j];
    }
    if (!pass) PetscCall(RaggedFill_Private(ragged));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PolesAndZeros_Private(Store store, const KernelResult *k, Complaint *complaint)
{
  Ragged poles, residues, zeros;

  PetscFunctionBeginUser;
  PetscCall(Collect_Private(k, OF_POLES, &poles));
  PetscCall(Collect_Private(k, OF_RESIDUES, &residues));
  PetscCall(Collect_Private(k, OF_ZEROS, &zeros));
  PetscCall(VariableCount(store, "pole", poles.length, "number of the pole, from 1; of a pair the one with im > 0", complaint));
  PetscCall(VariableCount(store, "zero", zeros.length, "number of the zero, from 1; of a pair the one with im > 0", complaint));
  PetscCall(Variable(store, "n_poles", STORE_INT32, "beam_points", poles.count, "poles stored", "1", complaint));
  PetscCall(Variable(store, "n_zeros", STORE_INT32, "beam_points", zeros.count, "zeros stored", "1", complaint));
  PetscCall(VariableComplex(store, "pole", "beam_points pole", poles.n * poles.length, poles.value,
                            "pole of the receptance: exponent of free flight", "1/t0", complaint));
  PetscCall(VariableComplex(store, "residue", "beam_points pole", residues.n * residues.length, residues.value,
                            "residue of the receptance at the pole", UnitsScale(k->model, g_scale), complaint));
  PetscCall(VariableComplex(store, "zero", "beam_points zero", zeros.n * zeros.length, zeros.value,
                            "zero of the receptance: exponent of contact", "1/t0", complaint));
  PetscCall(RaggedDestroy_Private(&poles));
  PetscCall(RaggedDestroy_Private(&residues));
  PetscCall(RaggedDestroy_Private(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Modes_Private(Store store, const KernelResult *k, Complaint *complaint)
{
  Ragged     modes;
  PetscReal *part;
  int32_t   *resolved;

  PetscFunctionBeginUser;
  PetscCall(Collect_Private(k, OF_MODES, &modes));
  PetscCall(PetscMalloc2(modes.n * modes.length, &part, k->n, &resolved));
  for (PetscInt i = 0; i < k->n; i++) resolved[i] = (int32_t)k->of[i].resolved;
  PetscCall(VariableCount(store, "mode", modes.length, "number of the mode, from 1, among those that move the contact point", complaint));
  PetscCall(Variable(store, "n_modes", STORE_INT32, "beam_points", modes.count, "modes used", "1", complaint));
  PetscCall(
    Variable(store, "n_resolved", STORE_INT32, "beam_points", resolved, "modes resolved that move the contact point", "1", complaint));
  for (PetscInt i = 0; i < modes.n * modes.length; i++) part[i] = creal(modes.value[i]);
  PetscCall(Variable(store, "natural_frequency", STORE_REAL, "beam_points mode", part, "undamped natural frequency", "rad/t0", complaint));
  for (PetscInt i = 0; i < modes.n * modes.length; i++) part[i] = cimag(modes.value[i]);
  PetscCall(Variable(store, "modal_residue", STORE_REAL, "beam_points mode", part, "mass-normalised value at the contact point, squared",
                     UnitsScale(k->model, "L^3/(EI t0^2)"), complaint));
  PetscCall(PetscFree2(part, resolved));
  PetscCall(RaggedDestroy_Private(&modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- constants, verdict ---- */

static PetscErrorCode Constants_Private(Store store, const KernelResult *k, Complaint *complaint)
{
  PetscReal *A, *Linf;
  int32_t   *order;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(4 * k->n, &A, 2 * k->n, &Linf, k->n, &order));
  for (PetscInt i = 0; i < k->n; i++) {
    KernelConstants constants;
    const Tail     *tail;

    PetscCall(KernelGetConstants(k->of[i].receptance, &constants));
    PetscCall(ReceptanceGetTail(k->of[i].receptance, &tail, NULL, NULL));
    order[i] = (int32_t)tail->order;
    for (int j = 0; j < 4; j++) A[4 * i + j] = constants.A[j / 2][j % 2];
    for (int j = 0; j < 2; j++) Linf[2 * i + j] = constants.Linf[j];
  }
  PetscCall(Variable(store, "A", STORE_REAL, "beam_points component component_2", A, "coefficient of y, row by row",
                     "1/t0, 1, 1/t0^2, 1/t0", complaint));
  PetscCall(Variable(store, "Linf", STORE_REAL, "beam_points component", Linf, "coefficient of the force",
                     UnitsScale(k->model, "L^3/(EI t0), L^3/(EI t0^2)"), complaint));
  PetscCall(Variable(store, "closure", STORE_INT32, "beam_points", order, "order of the tail", "1", complaint));
  PetscCall(Variable(store, "L_plus", STORE_REAL, "", &k->regularity.L_plus,
                     "L1_2(0+) of the continuum: the force after an onset is -velocity/L_plus; 0: singular", UnitsScale(k->model, g_scale),
                     complaint));
  PetscCall(Variable(store, "compliance", STORE_REAL, "", &k->compliance,
                     "displacement of the contact point by a unit force on it, without rigid motion", UnitsScale(k->model, "L^3/EI"),
                     complaint));
  PetscCall(PetscFree3(A, Linf, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict_Private(Store store, const KernelResult *k, Complaint *complaint)
{
  const Regularity *r        = &k->regularity;
  const int32_t     modes    = (int32_t)k->limit_modes;
  const int8_t      complete = 1;

  PetscFunctionBeginUser;
  PetscCall(StoreAttributeText(store, "/", "verdict", r->regular ? "regular" : "singular", complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "L_plus", STORE_REAL, 1, &r->L_plus, complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "alpha", STORE_REAL, 1, &r->alpha, complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "alpha_error", STORE_REAL, 1, &r->alpha_error, complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "onset_exponent", STORE_REAL, 1, &r->exponent, complaint));
  PetscCall(StoreAttributeText(store, "/", "limit", k->limit_kind, complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "limit_modes", STORE_INT32, 1, &modes, complaint));
  PetscCall(StoreAttributeNumbers(store, "/", "complete", STORE_INT8, 1, &complete, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KernelResultWrite - All of kernel.h5 but the groups that every result has. Not collective (root). Complaint: EXIT_IO */
PetscErrorCode KernelResultWrite(Store store, const KernelResult *k, Complaint *complaint)
{
  int32_t *points;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(k->n, &points));
  for (PetscInt i = 0; i < k->n; i++) points[i] = (int32_t)k->of[i].points;
  PetscCall(VariableDimension(store, "beam_points", STORE_INT32, k->n, points,
                              "collocation intervals N; 0: the structure was given by its modes", "1", complaint));
  PetscCall(PetscFree(points));
  PetscCall(
    VariableDimension(store, "tau_log", STORE_REAL, k->n_tau, k->tau[DELAYS_LOG], "delay, equidistant in the logarithm", "t0", complaint));
  PetscCall(VariableDimension(store, "tau_linear", STORE_REAL, k->n_tau, k->tau[DELAYS_LINEAR],
                              "delay, equidistant; kernels at 0 are the limit from above", "t0", complaint));
  PetscCall(VariableCount(store, "component", 2, "component of y = (displacement, velocity)", complaint));
  PetscCall(VariableCount(store, "component_2", 2, "component of y that A acts on", complaint));
  PetscCall(AllCurves_Private(store, k, complaint));
  PetscCall(Constants_Private(store, k, complaint));
  PetscCall(Modes_Private(store, k, complaint));
  PetscCall(PolesAndZeros_Private(store, k, complaint));
  PetscCall(Verdict_Private(store, k, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
