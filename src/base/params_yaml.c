/*
  params_yaml.c - parameter files: read into flat entries, and written so that they read back to the same bits.

  A file is one YAML mapping. Nested keys join with '_' (beam: {beta: 1} is beam_beta: 1). Everything that could mean two things
  is refused with its line: duplicate keys (also after joining), lists of lists, anchors, aliases, tags, several documents. A list of
  numbers is the text of its items with commas between.
*/
#define _XOPEN_SOURCE 700
#include "params_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#define LARGEST_FILE (1 << 20)
#define DEEPEST      8
#define LONGEST_LIST 8192 /* bytes */

/* ---- reading ---- */

/* The text of the file, on root; ends with a 0 that is not counted. */
static PetscErrorCode ReadText_Private(const char *path, PetscMPIInt *length, char *text, Complaint *complaint)
{
  struct stat info;
  FILE       *file = NULL;
  size_t      n    = 0;

  PetscFunctionBeginUser;
  errno = 0;
  if (!stat(path, &info) && S_ISDIR(info.st_mode)) ComplaintSet(complaint, EXIT_FILES, "%.300s is a directory, not a parameter file", path);
  else if (!(file = fopen(path, "rb"))) ComplaintSet(complaint, EXIT_FILES, "cannot read %.300s: %s", path, strerror(errno));
  else {
    n = fread(text, 1, LARGEST_FILE + 1, file);
    if (ferror(file)) ComplaintSet(complaint, EXIT_FILES, "cannot read %.300s: %s", path, strerror(errno));
    else if (n > LARGEST_FILE) ComplaintSet(complaint, EXIT_FILES, "%.300s is larger than 1 MiB: not a parameter file", path);
    (void)fclose(file);
  }
  if (n > LARGEST_FILE) n = LARGEST_FILE;
  text[n] = 0;
  *length = (PetscMPIInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddEntry_Private(YamlEntries *entries, const char *file, const char *key, const char *value, PetscBool nested,
                                       PetscBool list, int line, Complaint *complaint)
{
  YamlEntry *e;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < entries->n; i++) {
    if (strcmp(entries->entry[i].key, key)) continue;
    /* `flow: {max_events: 9}` may stand beside `flow: exact` only under another name: one key, one meaning. */
    ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: duplicate key '%.80s', first on line %d", file, line, key,
                 entries->entry[i].line);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (entries->n == entries->capacity) {
    entries->capacity = 2 * entries->capacity + 32;
    PetscCall(PetscRealloc(sizeof(YamlEntry) * (size_t)entries->capacity, &entries->entry));
  }
  e         = &entries->entry[entries->n++];
  e->value  = NULL;
  e->nested = nested;
  e->list   = list;
  e->line   = line;
  PetscCall(PetscStrallocpy(key, &e->key));
  if (value) PetscCall(PetscStrallocpy(value, &e->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where libyaml's reader gave up; it knows the offset alone. */
static int LineOfOffset_Private(const char *text, size_t offset)
{
  int line = 1;

  for (size_t i = 0; i < offset && text[i]; i++) line += text[i] == '\n';
  return line;
}

static PetscBool IsNull_Private(const yaml_event_t *event)
{
  const char *text = (const char *)event->data.scalar.value;

  if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return PETSC_FALSE;
  return !*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") || !strcmp(text, "NULL") ? PETSC_TRUE : PETSC_FALSE;
}

/* Why an event has no place in a parameter file, or NULL. */
static const char *Refusal_Private(const yaml_event_t *event, PetscBool is_key)
{
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return "anchors and aliases are not read here; write the value out";
  case YAML_SEQUENCE_START_EVENT:
    if (is_key) return "a key must be a plain word";
    if (event->data.sequence_start.anchor) return "anchors and aliases are not read here; write the value out";
    return event->data.sequence_start.tag ? "tags are not read here" : NULL;
  case YAML_MAPPING_START_EVENT:
    if (is_key) return "a key must be a plain word";
    if (event->data.mapping_start.anchor) return "anchors and aliases are not read here; write the value out";
    return event->data.mapping_start.tag ? "tags are not read here" : NULL;
  case YAML_SCALAR_EVENT:
    if (event->data.scalar.anchor) return "anchors and aliases are not read here; write the value out";
    if (event->data.scalar.tag) return "tags are not read here";
    if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length) return "a value holds a NUL character";
    return is_key && (!event->data.scalar.length || event->data.scalar.length > 100) ? "a key must be a plain word" : NULL;
  default:
    return NULL;
  }
}

/* One sequence of scalars, its start already read, as one text. What is wrong with it, or NULL; leaves *good false after a YAML error. */
static PetscErrorCode ReadSequence_Private(yaml_parser_t *parser, size_t size, char *text, PetscBool *good, const char **refusal)
{
  size_t used = 0;

  PetscFunctionBeginUser;
  *text = 0;
  for (PetscInt items = 0; !*refusal; items++) {
    yaml_event_t event;
    PetscBool    done;

    if (!yaml_parser_parse(parser, &event)) {
      *good = PETSC_FALSE;
      break;
    }
    done = event.type == YAML_SEQUENCE_END_EVENT ? PETSC_TRUE : PETSC_FALSE;
    if (!done) {
      *refusal = Refusal_Private(&event, PETSC_FALSE);
      if (!*refusal) {
        const char *item = event.type == YAML_SCALAR_EVENT ? (const char *)event.data.scalar.value : NULL;

        if (!item || !*item || strchr(item, ',')) *refusal = "a list holds one number after another";
        else used += (size_t)snprintf(text + used, size - used, "%s%s", items ? "," : "", item);
        if (used >= size) *refusal = "a list is too long";
      }
    }
    yaml_event_delete(&event);
    if (done) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One mapping, its start already read; `prefix` is what its keys are joined to. Leaves *good false after a YAML error. */
static PetscErrorCode ReadMapping_Private(yaml_parser_t *parser, const char *file, const char *prefix, int depth, YamlEntries *entries,
                                          PetscBool *good, Complaint *complaint)
{
  PetscFunctionBeginUser;
  while (*good && !complaint->exit_code) {
    yaml_event_t event;
    char         key[1024] = "";
    const char  *refusal   = NULL;
    int          line;
    PetscBool    done;

    if (!yaml_parser_parse(parser, &event)) {
      *good = PETSC_FALSE;
      break;
    }
    line = (int)event.start_mark.line + 1;
    done = event.type == YAML_MAPPING_END_EVENT ? PETSC_TRUE : PETSC_FALSE;
    if (!done) refusal = Refusal_Private(&event, PETSC_TRUE);
    if (!done && !refusal)
      PetscCall(PetscSNPrintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "_" : "", (const char *)event.data.scalar.value));
    yaml_event_delete(&event);
    if (done) break;

    if (!refusal) {
      if (!yaml_parser_parse(parser, &event)) {
        *good = PETSC_FALSE;
        break;
      }
      refusal = Refusal_Private(&event, PETSC_FALSE);
      if (!refusal && event.type == YAML_MAPPING_START_EVENT) {
        PetscCall(AddEntry_Private(entries, file, key, NULL, PETSC_TRUE, PETSC_FALSE, line, complaint));
        if (depth == DEEPEST) refusal = "keys are nested too deeply";
        else PetscCall(ReadMapping_Private(parser, file, key, depth + 1, entries, good, complaint));
      } else if (!refusal && event.type == YAML_SEQUENCE_START_EVENT) {
        char list[LONGEST_LIST];

        PetscCall(ReadSequence_Private(parser, sizeof list, list, good, &refusal));
        if (*good && !refusal) PetscCall(AddEntry_Private(entries, file, key, list, PETSC_FALSE, PETSC_TRUE, line, complaint));
      } else if (!refusal) {
        PetscCall(AddEntry_Private(entries, file, key, IsNull_Private(&event) ? NULL : (const char *)event.data.scalar.value, PETSC_FALSE,
                                   PETSC_FALSE, line, complaint));
      }
      yaml_event_delete(&event);
    }
    if (refusal) ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: %s", file, line, refusal);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The events around the one mapping: stream start, document start, mapping ..., document end, stream end. */
static PetscErrorCode ReadDocument_Private(yaml_parser_t *parser, const char *file, YamlEntries *entries, PetscBool *good,
                                           Complaint *complaint)
{
  PetscInt documents = 0;

  PetscFunctionBeginUser;
  while (*good && !complaint->exit_code) {
    yaml_event_t event;
    PetscBool    done = PETSC_FALSE;

    if (!yaml_parser_parse(parser, &event)) {
      *good = PETSC_FALSE;
      break;
    }
    switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      if (documents++)
        ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: a second document begins; one per file", file,
                     (int)event.start_mark.line + 1);
      break;
    case YAML_MAPPING_START_EVENT:
      if (Refusal_Private(&event, PETSC_FALSE))
        ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: %s", file, (int)event.start_mark.line + 1,
                     Refusal_Private(&event, PETSC_FALSE));
      else PetscCall(ReadMapping_Private(parser, file, "", 1, entries, good, complaint));
      break;
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_ALIAS_EVENT:
      /* `---` alone holds an empty scalar. */
      if (event.type == YAML_SCALAR_EVENT && !event.data.scalar.length)
        ComplaintSet(complaint, EXIT_FILES, "%.300s is empty: it holds no options", file);
      else ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: expected 'option: value' lines", file, (int)event.start_mark.line + 1);
      break;
    case YAML_STREAM_END_EVENT:
      if (!documents) ComplaintSet(complaint, EXIT_FILES, "%.300s is empty: it holds no options", file);
      done = PETSC_TRUE;
      break;
    default:
      break;
    }
    yaml_event_delete(&event);
    if (done) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Parse_Private(const char *file, const char *text, size_t length, YamlEntries *entries, Complaint *complaint)
{
  yaml_parser_t parser;
  PetscBool     good = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCheck(yaml_parser_initialize(&parser), PETSC_COMM_SELF, PETSC_ERR_MEM, "libyaml does not start");
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  PetscCall(ReadDocument_Private(&parser, file, entries, &good, complaint));
  if (!good) {
    const int line =
      parser.error == YAML_READER_ERROR ? LineOfOffset_Private(text, parser.problem_offset) : (int)parser.problem_mark.line + 1;

    ComplaintSet(complaint, EXIT_FILES, "%.300s, line %d: malformed YAML: %s", file, line,
                 parser.problem ? parser.problem : "out of memory");
  }
  yaml_parser_delete(&parser);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode YamlRead_Private(MPI_Comm comm, const char *path, YamlEntries *entries, Complaint *complaint)
{
  PetscMPIInt rank, length = 0;
  char       *text;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc1(LARGEST_FILE + 2, &text));
  if (!rank) PetscCall(ReadText_Private(path, &length, text, complaint));
  PetscCall(ComplaintAgree(comm, complaint));
  if (!complaint->exit_code) {
    PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
    PetscCallMPI(MPI_Bcast(text, length + 1, MPI_CHAR, 0, comm));
    PetscCall(Parse_Private(path, text, (size_t)length, entries, complaint));
  }
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode YamlEntriesDestroy_Private(YamlEntries *entries)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < entries->n; i++) {
    PetscCall(PetscFree(entries->entry[i].key));
    PetscCall(PetscFree(entries->entry[i].value));
  }
  PetscCall(PetscFree(entries->entry));
  entries->n = entries->capacity = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- writing ---- */

static void WriteQuoted_Private(FILE *file, const char *text)
{
  (void)fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') (void)fputc('\\', file);
    (void)fputc(*text, file);
  }
  (void)fputc('"', file);
}

/* Solver options in force change the last bits, so they belong to the run. */
static PetscErrorCode WriteSolverOptions_Private(FILE *file)
{
  char     *all, *rest;
  PetscBool open = PETSC_FALSE, any = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (char *word = strtok_r(all, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *end;

    (void)strtod(word, &end);
    if (word[0] == '-' && (end == word || *end)) {
      if (open) (void)fputc('\n', file);
      open = IsSolverOption_Private(word + 1);
      if (open) (void)fprintf(file, "%s%s:", any ? "" : "\n# Solver options\n", word + 1);
      any = any || open ? PETSC_TRUE : PETSC_FALSE;
    } else if (open) {
      (void)fputc(' ', file);
      WriteQuoted_Private(file, word);
      (void)fputc('\n', file);
      open = PETSC_FALSE;
    }
  }
  if (open) (void)fputc('\n', file);
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  ParamsWriteYaml - The parameters that decide the data, as a file that -options_file_yaml reads back to the same bits.

  Not collective; for one rank. Whether the disk took it is the caller's to ask (ferror, fclose).
  Input:   command - whose options to write.  Numbers that were not given (NaN) are left out; so are -output, -overwrite and the
           like, which say where and how a run goes, not what it computes. Solver options in force are written too.
*/
PetscErrorCode ParamsWriteYaml(const Params *params, unsigned command, FILE *file)
{
  const char *group = "";
  char        name[64];

  PetscFunctionBeginUser;
  CommandNames_Private(command, "", "+", sizeof name, name);
  (void)fprintf(file, "# The parameters of a graze %s. To run it again:\n#   graze %s -options_file_yaml THIS_FILE -output DIR\n", name,
                name);
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];
    char            text[PETSC_MAX_PATH_LEN];

    if (!(row->commands & command) || !row->physics) continue;
    PetscCall(ParamsFormat(params, row, sizeof text, text));
    if (!*text) continue;
    if (strcmp(group, row->group)) (void)fprintf(file, "\n# %s\n", row->group);
    group = row->group;
    (void)fprintf(file, "%s: ", row->name);
    if (row->kind == PARAM_RANGE || row->kind == PARAM_STRING) WriteQuoted_Private(file, text);
    else if (row->kind == PARAM_REALS || row->kind == PARAM_INTS) (void)fprintf(file, "[%s]", text); /* numbers to every reader */
    else (void)fputs(text, file);
    (void)fputc('\n', file);
  }
  PetscCall(WriteSolverOptions_Private(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
