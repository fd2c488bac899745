/*
  params_private.h - what the files behind params.h share: a file's entries, and rows as text.
*/
#ifndef GRAZE_PARAMS_PRIVATE_H
#define GRAZE_PARAMS_PRIVATE_H

#include "graze/params.h"

/* One `key: value` of a parameter file, nested keys joined with '_'. */
typedef struct {
  char     *key, *value; /* value NULL: a key that holds further keys, or nothing */
  PetscBool nested, list; /* list: a YAML sequence, its items joined with ',' */
  int       line;
} YamlEntry;

typedef struct {
  PetscInt   n, capacity;
  YamlEntry *entry;
} YamlEntries;

/* Collective: root reads the file, every rank parses the same text. Bad files are complaints with EXIT_FILES. */
PetscErrorCode YamlRead_Private(MPI_Comm comm, const char *path, YamlEntries *entries, Complaint *complaint);
PetscErrorCode YamlEntriesDestroy_Private(YamlEntries *entries);

/* Options that belong to PETSc's and SLEPc's solver objects, and to PETSc itself. Names without the dash. */
PetscBool IsSolverOption_Private(const char *name);
PetscBool IsPetscOption_Private(const char *name);

/* Where a value came from; each overrides the ones before. */
typedef enum { FROM_TABLE, FROM_DATABASE, FROM_FILE, FROM_COMMAND_LINE } ParamSource;

const ParamRow *ParamFind_Private(const char *name); /* NULL: no such option */
/* Names of a set of commands, each after `before`, with `between` between them. */
void CommandNames_Private(unsigned commands, const char *before, const char *between, size_t size, char *text);
/* Store `text` in the row's field, or complain; `where` heads the complaint ("option -x", "run.yaml, line 3: x"). */
PetscErrorCode ParamSetValue_Private(Params *params, const ParamRow *row, const char *text, int exit_code, const char *where,
                                     Complaint *complaint);
/* given: per row of the table. beam_beta and beam_gamma become NaN where the SI set replaces them and where the model has none. */
void ParamsCheckRelations_Private(unsigned command, const ParamSource *given, Params *params, Complaint *complaint);
/* The part of it that says what structure there is: model, ends, contact point, list of modes, SI set. */
void ParamsCheckStructure_Private(unsigned command, const ParamSource *given, Params *params, Complaint *complaint);
ParamSource ParamGiven_Private(const ParamSource *given, const char *name);
/* Of a whole or real number: has it another value than its default? */
PetscBool ParamChanged_Private(const Params *params, const char *name);
const char *ParamEnumName_Private(const char *name, int value);

/* What a row allows, as text: "[0, 1)", "2 to 400", "up|down|both". */
PetscErrorCode ParamAllowed_Private(const ParamRow *row, size_t size, char *text);

#endif
