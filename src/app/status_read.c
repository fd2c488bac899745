/*
  status_read.c - status.json back into numbers and words.

  JSON is read as the YAML that it is. The file may be anything: of another version, cut off by a full disk, none of ours. What is strange in it
  is not there; no text makes this crash, hang or take more memory than a few times its length.
*/
#define _XOPEN_SOURCE 700
#include "status_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE (8 << 20) /* bytes; 100,000 ranks stay below */
#define DEEPEST      8

/* ---- the file as a tree ---- */

/* Is this one object, nested no deeper than we write it? A deep one could make the parser run out of stack. */
static PetscBool IsObject_Private(const char *text)
{
  PetscBool quoted = PETSC_FALSE;
  int       depth  = 0;

  if (*text != '{') return PETSC_FALSE;
  for (; *text; text++) {
    if (quoted) {
      if (*text == '\\' && text[1]) text++;
      else if (*text == '"') quoted = PETSC_FALSE;
    } else if (*text == '"') quoted = PETSC_TRUE;
    else if (*text == '{' || *text == '[') {
      if (++depth > DEEPEST) return PETSC_FALSE;
    } else if (*text == '}' || *text == ']') {
      if (--depth == 0) break;
    } else if (*text == '&' || *text == '*' || *text == '!' || *text == '#' || *text == '\'') return PETSC_FALSE; /* YAML, and not JSON */
  }
  return depth == 0 && !text[strspn(text + 1, " \r\n") + 1] ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode StatusOpen(const char *folder, yaml_document_t *document, PetscBool *good)
{
  char          path[PETSC_MAX_PATH_LEN + 32], *text;
  FILE         *file;
  struct stat   info;
  size_t        n;
  yaml_parser_t parser;

  PetscFunctionBeginUser;
  *good = PETSC_FALSE;
  (void)snprintf(path, sizeof path, "%.*s/status.json", PETSC_MAX_PATH_LEN, folder);
  file = fopen(path, "r");
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode) || info.st_size > LARGEST_FILE) {
    (void)fclose(file);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1((size_t)info.st_size + 1, &text));
  n       = fread(text, 1, (size_t)info.st_size, file);
  text[n] = '\0';
  if (!ferror(file) && strlen(text) == n && IsObject_Private(text)) {
    PetscCheck(yaml_parser_initialize(&parser), PETSC_COMM_SELF, PETSC_ERR_MEM, "libyaml does not start");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    if (yaml_parser_load(&parser, document)) {
      const yaml_node_t *root = yaml_document_get_root_node(document);

      if (root && root->type == YAML_MAPPING_NODE) *good = PETSC_TRUE;
      else yaml_document_delete(document);
    }
    yaml_parser_delete(&parser);
  }
  (void)fclose(file);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void StatusClose(yaml_document_t *document)
{
  yaml_document_delete(document);
}

int StatusRoot(yaml_document_t *document)
{
  (void)document;
  return 1;
}

int StatusMember(yaml_document_t *document, int number, const char *key)
{
  const yaml_node_t *node = number > 0 ? yaml_document_get_node(document, number) : NULL;

  if (!node || node->type != YAML_MAPPING_NODE) return 0;
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
    const yaml_node_t *name = yaml_document_get_node(document, pair->key);

    if (name && name->type == YAML_SCALAR_NODE && !strcmp((const char *)name->data.scalar.value, key)) return pair->value;
  }
  return 0;
}

PetscInt StatusCount(yaml_document_t *document, int number)
{
  const yaml_node_t *node = number > 0 ? yaml_document_get_node(document, number) : NULL;

  return node && node->type == YAML_SEQUENCE_NODE ? (PetscInt)(node->data.sequence.items.top - node->data.sequence.items.start) : 0;
}

int StatusItem(yaml_document_t *document, int number, PetscInt i)
{
  if (i < 0 || i >= StatusCount(document, number)) return 0;
  return yaml_document_get_node(document, number)->data.sequence.items.start[i];
}

/* The text of a scalar; NULL: there is none. quoted: is it a string? */
static const char *Scalar_Private(yaml_document_t *document, int number, PetscBool quoted)
{
  const yaml_node_t *node = number > 0 ? yaml_document_get_node(document, number) : NULL;

  if (!node || node->type != YAML_SCALAR_NODE || (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) == (quoted == PETSC_TRUE)) return NULL;
  return (const char *)node->data.scalar.value;
}

double StatusNumber(yaml_document_t *document, int number)
{
  const char *text = Scalar_Private(document, number, PETSC_FALSE);
  char       *end;
  double      value;

  if (!text || !isdigit((unsigned char)text[*text == '-'])) return NAN;
  value = strtod(text, &end);
  return *end || !isfinite(value) ? NAN : value;
}

PetscBool StatusTrue(yaml_document_t *document, int number)
{
  const char *text = Scalar_Private(document, number, PETSC_FALSE);

  return text && !strcmp(text, "true") ? PETSC_TRUE : PETSC_FALSE;
}

void StatusString(yaml_document_t *document, int number, size_t size, char *text)
{
  const char *value = Scalar_Private(document, number, PETSC_TRUE);

  (void)snprintf(text, size, "%s", value ? value : "");
  for (char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
}

/* ---- what graze info needs ---- */

/* A whole number of cells, ranks, sessions; `none` if it is not there. */
static PetscInt Whole_Private(yaml_document_t *document, const char *key, PetscInt none)
{
  const double value = StatusNumber(document, StatusMember(document, StatusRoot(document), key));

  return value >= 0 && value <= (double)PETSC_MAX_INT && value == floor(value) ? (PetscInt)value : none;
}

/*
  StatusReadFile - The main numbers of <folder>/status.json.

  Not collective (root).
  Output:  status - found is false if there is no such file, or none that says how a run stands
*/
PetscErrorCode StatusReadFile(const char *folder, StatusRead *status)
{
  yaml_document_t document;
  PetscBool       good;
  char            state[32];
  int             root;

  PetscFunctionBeginUser;
  *status = (StatusRead){.exit_code = -1, .session = -1, .now = NAN, .begin = NAN, .rate = NAN, .eta = NAN, .limit = NAN, .last_checkpoint = NAN};
  PetscCall(StatusOpen(folder, &document, &good));
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  root = StatusRoot(&document);
  StatusString(&document, StatusMember(&document, root, "state"), sizeof state, state);
  for (int i = 0; i < STATE_COUNT; i++)
    if (!strcmp(state, RunStateNames[i])) {
      status->state = (RunState)i;
      status->found = PETSC_TRUE;
    }
  status->done  = Whole_Private(&document, "cells_done", -1);
  status->total = Whole_Private(&document, "cells_total", -1);
  if (status->done < 0 || status->total < 0) status->found = PETSC_FALSE;
  status->exit_code = (int)Whole_Private(&document, "exit_code", -1);
  status->session   = Whole_Private(&document, "session", -1);
  status->finished  = Whole_Private(&document, "cells_finished_in_session", 0);
  status->silent    = StatusCount(&document, StatusMember(&document, root, "silent_ranks"));
  StatusString(&document, StatusMember(&document, root, "message"), sizeof status->message, status->message);
  StatusString(&document, StatusMember(&document, root, "host"), sizeof status->host, status->host);
  StatusString(&document, StatusMember(&document, root, "job"), sizeof status->job, status->job);
  status->now             = StatusNumber(&document, StatusMember(&document, root, "updated"));
  status->begin           = StatusNumber(&document, StatusMember(&document, root, "started"));
  status->rate            = StatusNumber(&document, StatusMember(&document, root, "rate_per_second"));
  status->eta             = StatusNumber(&document, StatusMember(&document, root, "eta_seconds"));
  status->limit           = StatusNumber(&document, StatusMember(&document, StatusMember(&document, root, "time_limit"), "end"));
  status->last_checkpoint = StatusNumber(&document, StatusMember(&document, StatusMember(&document, root, "last_checkpoint"), "time"));
  StatusClose(&document);
  PetscFunctionReturn(PETSC_SUCCESS);
}
