/*
  output_file.c - what every result file holds besides its data: /parameters, /scales, /kernel, /provenance.   (docs/data.md)
*/
#include "output.h"
#include "variable.h"

#include <stdint.h>

#include "graze/kernel.h"
#include "graze/log.h"
#include "graze/provenance.h"
#include "graze/waves.h"

#define KERNEL_POINTS   601
#define KERNEL_FIRST    1e-5  /* [t0]; the steepest part of the kernel lasts about 1e-3 t0 */
#define KERNEL_DECAY    1e-6  /* what is left of mode 1 at the last point */
#define KERNEL_UNDAMPED 100.0 /* [t0]; the last point without damping */

PetscErrorCode OutputDescribe(Store store, const char *path, const char *long_name, const char *scale, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(StoreAttributeText(store, path, "long_name", long_name, complaint));
  PetscCall(StoreAttributeText(store, path, "units", "1", complaint));
  PetscCall(StoreAttributeText(store, path, "scale", scale, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *OutputAmplitudeScale(const Params *params)
{
  return params->forcing_type == FORCING_POINT ? UnitsScale(params->beam_model, "EI/L^2") : "L/t0^2";
}

PetscErrorCode OutputLogModel(Model model, const Params *params)
{
  Receptance  receptance;
  PetscInt    M;
  PetscReal   L_plus;
  const Tail *tail;

  PetscFunctionBeginUser;
  PetscCall(ModelGetReceptance(model, &receptance));
  PetscCall(ReceptanceGetModes(receptance, &M, NULL, NULL, NULL, NULL));
  if (params->flow == FLOW_RESTITUTION) {
    PetscCall(LogLine("model          %" PetscInt_FMT " mode%s, rigid impacts of restitution %g", M, M > 1 ? "s" : "",
                      (double)params->restitution_coefficient));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ReceptanceGetTail(receptance, &tail, &L_plus, NULL));
  if (WavesMove(params, params->flow)) {
    PetscCall(LogLine("kernel         L+ = %.12g, exact waves", (double)L_plus));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (params->flow == FLOW_EXACT && WavesApply(params))
    PetscCall(LogWarning("without damping the kernel of this %s is a train of jumps, and the sum over %" PetscInt_FMT
                         " modes rings beside each of them, whatever their number: -flow literal takes the exact waves",
                         params->beam_model == BEAM_STRING ? "string" : "rod", M));
  PetscCall(LogLine("kernel         L+ = %.12g, %" PetscInt_FMT " modes, tail of order %" PetscInt_FMT, (double)L_plus, M, tail->order));
  if (tail->order != params->receptance_closure)
    PetscCall(LogWarning("a tail of order %" PetscInt_FMT " stands in for order %" PetscInt_FMT
                         ", which has no passive solution at this damping",
                         tail->order, params->receptance_closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OutputWriteProvenance(Store store, MPI_Comm comm, const char *title, const char *command, int argc, char *const *argv,
                                     Complaint *complaint)
{
  PetscMPIInt  size;
  int          n_petsc, n = 0;
  char       **petsc;
  const char **words;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  /* The program's name and PETSc's own options went to PETSc (ParamsSplitArguments). */
  PetscCall(PetscGetArgs(&n_petsc, &petsc));
  PetscCall(PetscMalloc1(n_petsc + argc + 2, &words));
  words[n++] = n_petsc ? petsc[0] : "graze";
  words[n++] = command;
  for (int i = 0; i < argc; i++) words[n++] = argv[i];
  for (int i = 1; i < n_petsc; i++) words[n++] = petsc[i];
  PetscCall(ProvenanceWrite(store, title, size, n, (char *const *)words, complaint));
  PetscCall(PetscFree(words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  OutputWriteParameters - Group /parameters: every option that decides the data, in the unit in which it was given.

  Not collective (root). Complaint: EXIT_IO
  Numbers are numbers; enums and ranges are text, as the user would type them. A number that was not given has no attribute.
*/
PetscErrorCode OutputWriteParameters(Store store, const Params *params, unsigned command, Complaint *complaint)
{
  const char *group = "/parameters";

  PetscFunctionBeginUser;
  PetscCall(StoreDefineGroup(store, group, complaint));
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row   = &params_table[i];
    const char     *field = (const char *)params + row->where;
    char            text[PETSC_MAX_PATH_LEN];

    if (!(row->commands & command) || !row->physics) continue;
    if (row->kind == PARAM_REAL) {
      if (!PetscIsNanReal(*(const PetscReal *)field))
        PetscCall(StoreAttributeNumbers(store, group, row->name, STORE_REAL, 1, field, complaint));
    } else if (row->kind == PARAM_INT) {
      const int64_t value = *(const PetscInt *)field;

      PetscCall(StoreAttributeNumbers(store, group, row->name, STORE_INT64, 1, &value, complaint));
    } else {
      PetscCall(ParamsFormat(params, row, sizeof text, text));
      PetscCall(StoreAttributeText(store, group, row->name, text, complaint));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* OutputWriteScales - Group /scales, if the structure was given in SI: its units of length, time, force, and beta, gamma if it has them.
 * Not collective (root). Complaint: EXIT_IO */
PetscErrorCode OutputWriteScales(Store store, const Units *units, Complaint *complaint)
{
  char time[64], force[64];
  const struct {
    const char *name, *long_name, *unit;
    PetscReal   value;
  } rows[] = {{"length", "length L of the beam", "m", units->length},
              {"time", time, "s", units->time},
              {"force", force, "N", units->force},
              {"beta", "slenderness A L^2 / I", "1", units->beta},
              {"gamma", "shear stiffness kappa G / E", "1", units->gamma}};

  PetscFunctionBeginUser;
  if (!units->si) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(time, sizeof time, "time %s", units->time_text));
  PetscCall(PetscSNPrintf(force, sizeof force, "force %s", units->force_text));
  PetscCall(StoreDefineGroup(store, "/scales", complaint));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char path[64];

    if (PetscIsNanReal(rows[i].value)) continue; /* the model has no such number */
    PetscCall(PetscSNPrintf(path, sizeof path, "/scales/%s", rows[i].name));
    PetscCall(StoreDefineVariable(store, "/scales", rows[i].name, STORE_REAL, 0, NULL, complaint));
    PetscCall(StoreWrite(store, path, NULL, NULL, &rows[i].value, complaint));
    PetscCall(StoreAttributeText(store, path, "long_name", rows[i].long_name, complaint));
    PetscCall(StoreAttributeText(store, path, "units", rows[i].unit, complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- /kernel ---- */

/* first, first + 1, ...; or first + number[i] */
static PetscErrorCode Count_Private(Store store, const char *name, PetscInt n, int32_t first, const PetscInt *number, const char *long_name,
                                    Complaint *complaint)
{
  int32_t *values;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &values));
  for (PetscInt i = 0; i < n; i++) values[i] = first + (int32_t)(number ? number[i] : i);
  PetscCall(VariableDimension(store, name, STORE_INT32, n, values, long_name, "1", complaint));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L1 and g at delays from 0 to where the first elastic mode has died out. */
static PetscErrorCode Delays_Private(Store store, const Params *params, Receptance receptance, Complaint *complaint)
{
  const PetscReal *w, *damping;
  PetscReal       *tau, *L1_1, *L1_2, *g, last = KERNEL_UNDAMPED;
  PetscInt         M, k;

  PetscFunctionBeginUser;
  PetscCall(ReceptanceGetModes(receptance, &M, &w, NULL, NULL, NULL));
  PetscCall(ReceptanceGetDamping(receptance, &damping));
  k = w[0] > 0 ? 0 : 1;
  if (k < M && damping[k] > 0) last = PetscLogReal(1 / KERNEL_DECAY) / (damping[k] * w[k]);
  PetscCall(PetscMalloc4(KERNEL_POINTS, &tau, KERNEL_POINTS, &L1_1, KERNEL_POINTS, &L1_2, KERNEL_POINTS, &g));
  tau[0] = 0;
  for (PetscInt i = 1; i < KERNEL_POINTS; i++)
    tau[i] = KERNEL_FIRST * PetscPowReal(last / KERNEL_FIRST, (PetscReal)(i - 1) / (KERNEL_POINTS - 2));
  tau[KERNEL_POINTS - 1] = last;
  if (WavesApply(params)) {
    PetscCall(WaveKernelEvaluate(params, receptance, KERNEL_POINTS, tau, L1_2, g));
    PetscCall(PetscArrayzero(L1_1, KERNEL_POINTS));
  } else PetscCall(KernelEvaluate(receptance, KERNEL_CLOSED, KERNEL_POINTS, tau, L1_1, L1_2, g));
  PetscCall(VariableDimension(store, "kernel/tau", STORE_REAL, KERNEL_POINTS, tau, "delay; kernels at 0 are the limit from above", "t0",
                              complaint));
  PetscCall(Variable(store, "kernel/L1_1", STORE_REAL, "tau", L1_1, "memory kernel, first component",
                     UnitsScale(params->beam_model, "L^3/EI"), complaint));
  PetscCall(Variable(store, "kernel/L1_2", STORE_REAL, "tau", L1_2, "memory kernel, second component",
                     UnitsScale(params->beam_model, "L^3/(EI t0)"), complaint));
  PetscCall(Variable(store, "kernel/g", STORE_REAL, "tau", g, "tip displacement after a unit impulse on the tip",
                     UnitsScale(params->beam_model, "L^3/(EI t0)"), complaint));
  PetscCall(PetscFree4(tau, L1_1, L1_2, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tail T(s) as attributes of the group; what its order does not use is left out. */
static PetscErrorCode Tail_Private(Store store, const Tail *tail, Complaint *complaint)
{
  const struct {
    const char *name;
    PetscReal   value;
    PetscInt    order; /* least order that has it */
  } rows[] = {{"tail_C0", tail->C0, 0}, {"tail_C1", tail->C1, 0}, {"tail_T2", tail->T2, 0},
              {"tail_a", tail->a, 2},   {"tail_b", tail->b, 2},   {"tail_d", tail->d, 2}};

  PetscFunctionBeginUser;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (tail->order >= rows[i].order)
      PetscCall(StoreAttributeNumbers(store, "/kernel", rows[i].name, STORE_REAL, 1, &rows[i].value, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  OutputWriteKernel - Group /kernel: the delay equation y' = A y + Linf f + int d_s L1(s) f'(t-s) + g(t), and the receptance behind it.
  [theory 4, 6]

  Not collective (root). The model is set up. Complaint: EXIT_IO
*/
PetscErrorCode OutputWriteKernel(Store store, Model model, Complaint *complaint)
{
  const Params         *params;
  const PetscInt       *number;
  Receptance            receptance;
  KernelConstants       constants;
  const Tail           *tail;
  const PetscReal      *w, *r;
  const double complex *poles, *residues, *zeros;
  PetscReal             S;
  PetscInt              M, n_poles, n_zeros;
  int32_t               modes, closure;

  PetscFunctionBeginUser;
  PetscCall(ModelGetParams(model, &params));
  PetscCall(ModelGetKept(model, NULL, &number));
  PetscCall(ModelGetReceptance(model, &receptance));
  PetscCall(ReceptanceGetModes(receptance, &M, &w, &r, NULL, NULL));
  PetscCall(ReceptanceGetTail(receptance, &tail, NULL, &S));
  PetscCall(ReceptanceGetPoles(receptance, &n_poles, &poles, &residues));
  PetscCall(ReceptanceGetZeros(receptance, &n_zeros, &zeros, NULL));
  PetscCall(KernelGetConstants(receptance, &constants));
  modes   = (int32_t)M;
  closure = (int32_t)tail->order;

  PetscCall(StoreDefineGroup(store, "/kernel", complaint));
  PetscCall(Tail_Private(store, tail, complaint));
  PetscCall(Delays_Private(store, params, receptance, complaint));

  PetscCall(Count_Private(store, "kernel/component", 2, 1, NULL, "component of y = (displacement, velocity)", complaint));
  PetscCall(Count_Private(store, "kernel/component_2", 2, 1, NULL, "component of y that A acts on", complaint));
  PetscCall(Variable(store, "kernel/Linf", STORE_REAL, "component", constants.Linf, "coefficient of the force",
                     UnitsScale(params->beam_model, "L^3/(EI t0), L^3/(EI t0^2)"), complaint));
  PetscCall(Variable(store, "kernel/A", STORE_REAL, "component component_2", constants.A, "coefficient of y, row by row",
                     "1/t0, 1, 1/t0^2, 1/t0", complaint));
  PetscCall(Variable(store, "kernel/L_plus", STORE_REAL, "", &constants.L_plus, "L1_2(0+): the force after an onset is -velocity/L_plus",
                     UnitsScale(params->beam_model, "L^3/(EI t0)"), complaint));
  PetscCall(Variable(store, "kernel/compliance", STORE_REAL, "", &S, "tip displacement by a unit tip force",
                     UnitsScale(params->beam_model, "L^3/EI"), complaint));
  PetscCall(Variable(store, "kernel/modes", STORE_INT32, "", &modes, "modes kept", "1", complaint));
  PetscCall(Variable(store, "kernel/closure", STORE_INT32, "", &closure, "order of the tail closure", "1", complaint));

  PetscCall(Count_Private(store, "kernel/mode", M, 1, number, "number of the mode, from 1", complaint));
  PetscCall(Variable(store, "kernel/natural_frequency", STORE_REAL, "mode", w, "undamped natural frequency", "rad/t0", complaint));
  PetscCall(Variable(store, "kernel/residue", STORE_REAL, "mode", r, "residue of the mode: its mass-normalised tip value squared",
                     UnitsScale(params->beam_model, "L^3/(EI t0^2)"), complaint));

  PetscCall(Count_Private(store, "kernel/pole", n_poles, 0, NULL, "number of the pole, from 0; of a pair the one with im > 0", complaint));
  PetscCall(VariableComplex(store, "kernel/pole", "pole", n_poles, poles, "pole of the tip receptance: exponent of free flight", "1/t0",
                            complaint));
  PetscCall(VariableComplex(store, "kernel/residue", "pole", n_poles, residues, "residue of the tip receptance at the pole",
                            UnitsScale(params->beam_model, "L^3/(EI t0)"), complaint));
  PetscCall(Count_Private(store, "kernel/zero", n_zeros, 0, NULL, "number of the zero, from 0; of a pair the one with im > 0", complaint));
  PetscCall(
    VariableComplex(store, "kernel/zero", "zero", n_zeros, zeros, "zero of the tip receptance: exponent of contact", "1/t0", complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
