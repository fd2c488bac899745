/*
  json.h - values as JSON text: what is not known or not finite is null, text is always valid UTF-8.   Not collective.
*/
#ifndef GRAZE_JSON_H
#define GRAZE_JSON_H

#include <stdio.h>

#include "graze/compat.h"

#define JSON_NUMBER 40 /* room for any number or time */

/* Into text[JSON_NUMBER], which is returned. The fewest digits that read back to the same bits; so many decimals; seconds since 1970 as "2024-06-13T12:00:00Z". */
const char *JsonReal(double value, char *text);
const char *JsonFixed(double value, int decimals, char *text);
const char *JsonUtc(double unix_time, char *text);
/* "text", quoted; NULL: null. */
void JsonText(FILE *file, const char *text);

#endif
