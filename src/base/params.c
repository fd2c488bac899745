/*
  params.c - from the table, a file and the command line to a checked Params.

  Sources, each overriding the one before: the defaults of the table, PETSc's options database (PETSC_OPTIONS, ~/.petscrc),
  the file named by -options_file_yaml, the command line. Every value is checked where it is read, also one that is overridden
  later. PETSc never parses a value of ours, so that it never raises over one.
*/
#include "params_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned     command;
  Params      *params;
  Complaint   *complaint;
  ParamSource *given;         /* per row: where the value came from */
  const char  *file, **words; /* words: per row, the value on the command line or NULL */
} Reading;

/* ---- names ---- */

const ParamRow *ParamFind_Private(const char *name)
{
  for (PetscInt i = 0; i < params_table_size; i++)
    if (!strcmp(params_table[i].name, name)) return &params_table[i];
  return NULL;
}

static const char *NearestOption_Private(unsigned command, const char *name)
{
  const char *names[256];
  int         n = 0;

  for (PetscInt i = 0; i < params_table_size && n < 255; i++)
    if (params_table[i].commands & command) names[n++] = params_table[i].name;
  names[n] = NULL;
  return NearestName(name, names);
}

static const struct {
  unsigned    command;
  const char *name;
} command_names[] = {
  {COMMAND_SWEEP, "sweep"}, {COMMAND_TRAJECTORY, "trajectory"}, {COMMAND_CONTINUE, "continue"}, {COMMAND_KERNEL, "kernel"},
  {COMMAND_ASYMPTOTICS, "asymptotics"}};

void CommandNames_Private(unsigned commands, const char *before, const char *between, size_t size, char *text)
{
  size_t used = 0;

  *text = 0;
  for (size_t i = 0; i < sizeof command_names / sizeof command_names[0] && used < size; i++)
    if (commands & command_names[i].command)
      used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? between : "", before, command_names[i].name);
}

/* A list entry that ends with '*' is a prefix. */
static PetscBool InList_Private(const char *name, const char *const *list)
{
  for (; *list; list++) {
    size_t n = strlen(*list);

    if ((*list)[n - 1] == '*' ? !strncmp(name, *list, n - 1) : !strcmp(name, *list)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool IsSolverOption_Private(const char *name)
{
  static const char *const list[] = {"eps_*", "pep_*", "st_*", "ksp_*", "pc_*", "snes_*", "mat_*",
                                     "vec_*", "bv_*",  "ds_*", "rg_*",  "fn_*", "mfn_*",  NULL};

  return InList_Private(name, list);
}

PetscBool IsPetscOption_Private(const char *name)
{
  static const char *const list[] = {"log_*",
                                     "malloc*",
                                     "on_error_*",
                                     "options_left",
                                     "options_view",
                                     "options_monitor",
                                     "options_monitor_*",
                                     "start_in_debugger",
                                     "stop_for_debugger",
                                     "debugger_*",
                                     "debug_terminal",
                                     "no_signal_handler",
                                     "fp_trap",
                                     "check_pointer_intensity",
                                     "checkstack",
                                     "checkfunctionlist",
                                     "memory_view",
                                     "objects_dump",
                                     "get_total_flops",
                                     "info",
                                     "info_*",
                                     "history",
                                     "citations",
                                     "mpi_*",
                                     "blas_view",
                                     "skip_petscrc",
                                     "use_gpu_aware_mpi",
                                     "device_*",
                                     "viewer_*",
                                     "error_output_*",
                                     NULL};

  return IsSolverOption_Private(name) || InList_Private(name, list) ? PETSC_TRUE : PETSC_FALSE;
}

/* PETSc's rule: a dash, perhaps another, then a letter; but -inf and -nan are values. */
static PetscBool IsOption_Private(const char *word)
{
  char       *end;
  const char *letter = word + 1;

  if (word[0] != '-') return PETSC_FALSE;
  if (*letter == '-') letter++;
  if (!isalpha((unsigned char)*letter)) return PETSC_FALSE;
  (void)strtod(word, &end);
  return end == word || *end == '_' || isalnum((unsigned char)*end) ? PETSC_TRUE : PETSC_FALSE;
}

/*
  ParamsSplitArguments - Share the command line out between PETSc and us.

  Not collective; plain C, because it runs before PetscInitialize. The program name goes to both and the word after it (the
  command) to us, whatever it is.
*/
void ParamsSplitArguments(int argc, char **argv, int *n_own, char **own, int *n_petsc, char **petsc)
{
  *n_own = *n_petsc = 0;
  for (int i = 0; i < argc; i++) {
    if (i == 0) petsc[(*n_petsc)++] = argv[i];
    if (i > 1 && IsOption_Private(argv[i]) && IsPetscOption_Private(argv[i] + 1)) {
      petsc[(*n_petsc)++] = argv[i];
      if (i + 1 < argc && !IsOption_Private(argv[i + 1])) petsc[(*n_petsc)++] = argv[++i];
    } else own[(*n_own)++] = argv[i];
  }
}

/* ---- sources ---- */

static PetscErrorCode SetDefaults_Private(Reading *r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(r->params, sizeof *r->params));
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];

    if (!strcmp(row->name, "output")) {
      CommandNames_Private(r->command, "runs/", "+", sizeof r->params->output, r->params->output);
    } else if (*row->fallback) {
      PetscCall(ParamSetValue_Private(r->params, row, row->fallback, EXIT_INTERNAL, row->name, r->complaint));
    } else if (row->kind == PARAM_REAL || row->kind == PARAM_TIME) *(PetscReal *)((char *)r->params + row->where) = NAN;
  }
  PetscCheck(!r->complaint->exit_code, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A default is out of its own bounds: %s", r->complaint->line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromDatabase_Private(Reading *r)
{
  char *text;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(2 * PETSC_MAX_PATH_LEN, &text));
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];
    char            option[128], where[256];
    PetscBool       set;

    PetscCall(PetscSNPrintf(option, sizeof option, "-%s", row->name));
    PetscCall(PetscOptionsGetString(NULL, NULL, option, text, 2 * PETSC_MAX_PATH_LEN, &set));
    if (!set) continue;
    r->given[i] = FROM_DATABASE;
    PetscCall(PetscSNPrintf(where, sizeof where, "option -%s (from PETSC_OPTIONS or .petscrc)", row->name));
    PetscCall(ParamSetValue_Private(r->params, row, row->kind == PARAM_BOOL && !*text ? "true" : text, EXIT_OPTIONS, where, r->complaint));
  }
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromFile_Private(Reading *r, const YamlEntries *entries)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < entries->n && !r->complaint->exit_code; i++) {
    const YamlEntry *e   = &entries->entry[i];
    const ParamRow  *row = ParamFind_Private(e->key);
    char             where[512];

    if (e->nested) continue;
    if (IsSolverOption_Private(e->key)) {
      char      option[256];
      PetscBool set;

      PetscCall(PetscSNPrintf(option, sizeof option, "-%s", e->key));
      PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
      if (!set) PetscCall(PetscOptionsSetValue(NULL, option, e->value));
      continue;
    }
    PetscCall(PetscSNPrintf(where, sizeof where, "%.300s, line %d: %.80s", r->file, e->line, e->key));
    if (IsPetscOption_Private(e->key))
      ComplaintSet(r->complaint, EXIT_FILES, "%s is an option of PETSc itself; give it on the command line", where);
    else if (!row)
      ComplaintSet(r->complaint, EXIT_FILES, "%.300s, line %d: unknown option '%.80s'; did you mean '%s'?", r->file, e->line, e->key,
                   NearestOption_Private(r->command, e->key));
    else if (!e->value) ComplaintSet(r->complaint, EXIT_FILES, "%s has no value", where);
    else {
      r->given[row - params_table] = FROM_FILE;
      if (e->list && row->kind != PARAM_REALS && row->kind != PARAM_INTS)
        ComplaintSet(r->complaint, EXIT_FILES, "%.300s, line %d: a list is not a value of %s%s", r->file, e->line, row->name,
                     row->kind == PARAM_RANGE ? "; write a range as \"first:last:count\"" : "");
      else PetscCall(ParamSetValue_Private(r->params, row, e->value, EXIT_FILES, where, r->complaint));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Check the names on the command line; note the words that are values, and the file. */
static PetscErrorCode ScanCommandLine_Private(Reading *r, int argc, char **argv)
{
  Complaint *c = r->complaint;

  PetscFunctionBeginUser;
  for (int i = 0; i < argc && !c->exit_code; i++) {
    const char     *word = argv[i], *name = word + 1, *value = NULL;
    const ParamRow *row;

    if (!IsOption_Private(word)) {
      ComplaintSet(c, EXIT_OPTIONS, "stray word '%.80s'; options start with a dash (see graze help)", word);
      break;
    }
    if (i + 1 < argc && !IsOption_Private(argv[i + 1])) value = argv[++i];
    if (IsPetscOption_Private(name)) continue;
    if (!strcmp(name, "options_file_yaml")) {
      if (!value || !*value) ComplaintSet(c, EXIT_OPTIONS, "option -options_file_yaml needs a file");
      else if (r->file) ComplaintSet(c, EXIT_OPTIONS, "option -options_file_yaml is given twice; one file at a time");
      r->file = value;
      continue;
    }
    row = ParamFind_Private(name);
    if (!row) {
      const char *equals = strchr(name, '=');

      if (equals)
        ComplaintSet(c, EXIT_OPTIONS, "unknown option %.80s; write the value as the next word: '%.*s %.80s'", word,
                     (int)PetscMin(equals - word, 80), word, equals + 1);
      else
        ComplaintSet(c, EXIT_OPTIONS, "unknown option %.80s; did you mean -%s?", word,
                     NearestOption_Private(r->command, name + (*name == '-')));
    } else if (!(row->commands & r->command)) {
      char owners[128];

      CommandNames_Private(row->commands, "graze ", ", ", sizeof owners, owners);
      ComplaintSet(c, EXIT_OPTIONS, "option -%s belongs to %s", row->name, owners);
    } else if (!value && row->kind != PARAM_BOOL) {
      ComplaintSet(c, EXIT_OPTIONS, "option -%s needs a value", row->name);
    } else {
      r->words[row - params_table] = value ? value : "true";
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromCommandLine_Private(Reading *r)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < params_table_size; i++) {
    char where[128];

    if (!r->words[i]) continue;
    r->given[i] = FROM_COMMAND_LINE;
    PetscCall(PetscSNPrintf(where, sizeof where, "option -%s", params_table[i].name));
    PetscCall(ParamSetValue_Private(r->params, &params_table[i], r->words[i], EXIT_OPTIONS, where, r->complaint));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ParamsRead - Every option of a command, from defaults, environment, file and command line, checked.

  Collective.
  Input:   command - one of COMMAND_*;  argc, argv - the words after it, the same on all ranks
  Output:  params - in the user's units; beam_beta and beam_gamma are NaN if the SI set was given or the model has none
           complaint - the same on all ranks: EXIT_OPTIONS for what was typed, EXIT_FILES for what is in the file
  What the SI set must hold is checked by UnitsApply.
*/
PetscErrorCode ParamsRead(MPI_Comm comm, unsigned command, int argc, char **argv, Params *params, Complaint *complaint)
{
  Reading     r       = {.command = command, .params = params, .complaint = complaint};
  YamlEntries entries = {0};

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(params_table_size, &r.given, params_table_size, &r.words));
  PetscCall(SetDefaults_Private(&r));
  PetscCall(ScanCommandLine_Private(&r, argc, argv));
  PetscCall(ComplaintAgree(comm, complaint));
  if (!complaint->exit_code && r.file) PetscCall(YamlRead_Private(comm, r.file, &entries, complaint));
  if (!complaint->exit_code) {
    PetscCall(SetFromDatabase_Private(&r));
    PetscCall(SetFromFile_Private(&r, &entries));
    PetscCall(SetFromCommandLine_Private(&r));
    ParamsCheckRelations_Private(command, r.given, params, complaint);
  }
  PetscCall(ComplaintAgree(comm, complaint));
  PetscCall(YamlEntriesDestroy_Private(&entries));
  PetscCall(PetscFree2(r.given, r.words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ParamsReportUnused - Name the solver options that no solver asked for: they are probably misspelt.

  Collective. Called at the end of a run; root prints.
*/
PetscErrorCode ParamsReportUnused(MPI_Comm comm, FILE *file)
{
  PetscMPIInt rank;
  PetscInt    n;
  char      **names, **values;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; i++)
    if (!rank && IsSolverOption_Private(names[i])) (void)fprintf(file, "graze: warning: option -%s was not used by any solver\n", names[i]);
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
