/*
  status_read.h - status.json as a tree of nodes, for those who read more of it than StatusRead has, and in words.   Not collective (root).

  A node that is not there is 0, and everything asked of it is not there either.
*/
#ifndef GRAZE_STATUS_READ_H
#define GRAZE_STATUS_READ_H

#include <yaml.h>

#include "status.h"

/* good: it is there and one JSON object; only then StatusClose is needed. */
PetscErrorCode StatusOpen(const char *folder, yaml_document_t *document, PetscBool *good);
void           StatusClose(yaml_document_t *document);

int       StatusRoot(yaml_document_t *document);
int       StatusMember(yaml_document_t *document, int node, const char *key);
int       StatusItem(yaml_document_t *document, int node, PetscInt i); /* of a list, from 0 */
PetscInt  StatusCount(yaml_document_t *document, int node);            /* items of a list */
double    StatusNumber(yaml_document_t *document, int node);           /* NaN: none */
PetscBool StatusTrue(yaml_document_t *document, int node);
/* A string on one line, cut to size; "" if there is none. */
void      StatusString(yaml_document_t *document, int node, size_t size, char *text);

/* "4 s", "12 min", "3.5 h"; into text, which is returned. */
const char *StatusSpan(double seconds, size_t size, char *text);
/* "running on HOST, job 12, updated 4 s ago"; one that has not written for STATUS_STALE seconds is doubted. now: Unix time [s] */
#define STATUS_STALE 60
void StatusSummary(const StatusRead *status, double now, size_t size, char *text);

#endif
