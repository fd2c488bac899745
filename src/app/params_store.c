/*
  params_store.c - the parameters of a result, read back from the file that holds it.

  They are read as if they had been typed: by the same parser, with the same bounds. Numbers are turned into texts that read back to
  the same bits.
*/
#include "params_store.h"

#include <stdint.h>
#include <string.h>

#define GROUP "/parameters"

typedef char Word[PETSC_MAX_PATH_LEN]; /* a path; the longest list takes 64 numbers of up to 25 characters */

/*
  Options of a sweep or trajectory that the first files lack: what such a file was made with is their default. Defaults of these stand in
  the table as ParamsFormat writes them. Journals of that time do not name them either, so a default has no line in the identity.
*/
static const char *const newer[] = {"beam_ends",
                                    "beam_wave_speed",
                                    "beam_frequencies",
                                    "beam_tip_values",
                                    "beam_damping_ratios",
                                    "contact_position",
                                    "stop_side",
                                    "forcing_mean",
                                    "initial_shape",
                                    "restitution_coefficient",
                                    "lyapunov_periods",
                                    NULL};

static PetscBool IsNewer_Private(const ParamRow *row)
{
  for (int i = 0; newer[i]; i++)
    if (!strcmp(row->name, newer[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool IsPhysics_Private(const ParamRow *row, unsigned command)
{
  return row->physics && (row->commands & command) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode ParamsStoredValue(Store store, const ParamRow *row, size_t size, char *text)
{
  PetscBool found = PETSC_FALSE;

  PetscFunctionBeginUser;
  *text = '\0';
  if (row->kind == PARAM_REAL || row->kind == PARAM_INT) {
    Params *there;

    PetscCall(PetscNew(&there));
    if (row->kind == PARAM_REAL) {
      PetscCall(StoreReadAttributeNumber(store, GROUP, row->name, STORE_REAL, (char *)there + row->where, &found));
    } else {
      int64_t value = 0;

      PetscCall(StoreReadAttributeNumber(store, GROUP, row->name, STORE_INT64, &value, &found));
      *(PetscInt *)((char *)there + row->where) = (PetscInt)value;
      if (*(PetscInt *)((char *)there + row->where) != value) found = PETSC_FALSE;
    }
    if (found) PetscCall(ParamsFormat(there, row, size, text));
    PetscCall(PetscFree(there));
  } else PetscCall(StoreReadAttributeText(store, GROUP, row->name, size, text, &found));
  if (!found && IsNewer_Private(row)) PetscCall(PetscStrncpy(text, row->fallback, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* May the file lack it? Only what has no default, and what the SI set stands in for. */
static PetscBool IsOptional_Private(const ParamRow *row)
{
  return !*row->fallback || !strcmp(row->name, "beam_beta") || !strcmp(row->name, "beam_gamma") ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode ParamsFromStore(Store store, unsigned command, Params *given, Complaint *complaint)
{
  Complaint here = {0};
  PetscInt  n    = 0;
  Word     *words;
  char    **argv;
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(2 * params_table_size + 2, &words, 2 * params_table_size + 2, &argv));
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];

    if (!IsPhysics_Private(row, command)) continue;
    PetscCall(PetscSNPrintf(words[n], sizeof(Word), "-%s", row->name));
    PetscCall(ParamsStoredValue(store, row, sizeof(Word), words[n + 1]));
    if (*words[n + 1]) n += 2;
    else if (!IsOptional_Private(row)) ComplaintSet(&here, EXIT_FILES, GROUP " has no %s", row->name);
  }
  if (command & COMMAND_SWEEP) {
    PetscCall(PetscStrncpy(words[n], "-shard", sizeof(Word)));
    PetscCall(StoreReadAttributeText(store, "/", "shard", sizeof(Word), words[n + 1], &found));
    if (!found) ComplaintSet(&here, EXIT_FILES, "it does not say which part of the sweep it is (attribute shard)");
    n += 2;
  }
  for (PetscInt i = 0; i < n; i++) argv[i] = words[i];
  if (!here.exit_code) PetscCall(ParamsRead(PETSC_COMM_SELF, command, (int)n, argv, given, &here));
  if (here.exit_code)
    ComplaintSet(complaint, EXIT_FILES, "the parameters in the file are damaged, or of another version: %.800s", here.line);
  PetscCall(PetscFree2(words, argv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ParamsDifferences(const Params *one, const Params *other, size_t size, char *list)
{
  PetscFunctionBeginUser;
  *list = '\0';
  for (PetscInt i = 0; i < params_table_size; i++) {
    Word a, b;

    if (!IsPhysics_Private(&params_table[i], COMMAND_SWEEP)) continue;
    PetscCall(ParamsFormat(one, &params_table[i], sizeof(Word), a));
    PetscCall(ParamsFormat(other, &params_table[i], sizeof(Word), b));
    if (!strcmp(a, b)) continue;
    if (*list) PetscCall(PetscStrlcat(list, ", ", size));
    PetscCall(PetscStrlcat(list, params_table[i].name, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ParamsIdentity(const Params *given, unsigned command, size_t size, char *text)
{
  size_t used = 0;

  PetscFunctionBeginUser;
  *text = '\0';
  for (PetscInt i = 0; i < params_table_size; i++) {
    Word value;

    if (!IsPhysics_Private(&params_table[i], command)) continue;
    PetscCall(ParamsFormat(given, &params_table[i], sizeof(Word), value));
    if (IsNewer_Private(&params_table[i]) && !strcmp(value, params_table[i].fallback)) continue;
    used += (size_t)snprintf(text + used, size - used, "%s=%s\n", params_table[i].name, value);
    PetscCheck(used < size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The parameters take more than %zu characters", size);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
