/*
  json.c - values as JSON text.
*/
#define _XOPEN_SOURCE 700
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *JsonReal(double value, char *text)
{
  if (!isfinite(value)) return strcpy(text, "null");
  for (int precision = 15; precision <= 17; precision++) {
    (void)snprintf(text, JSON_NUMBER, "%.*g", precision, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

const char *JsonFixed(double value, int decimals, char *text)
{
  if (!(fabs(value) < 1e18)) return strcpy(text, "null");
  (void)snprintf(text, JSON_NUMBER, "%.*f", decimals, value);
  return text;
}

const char *JsonUtc(double unix_time, char *text)
{
  const time_t seconds = unix_time >= 0 && unix_time < 253402300800.0 ? (time_t)unix_time : -1; /* before the year 10000 */
  struct tm    utc;

  if (seconds < 0 || !gmtime_r(&seconds, &utc) || !strftime(text, JSON_NUMBER, "\"%Y-%m-%dT%H:%M:%SZ\"", &utc)) (void)strcpy(text, "null");
  return text;
}

/* Bytes of the character that begins here; 0: it is none that YAML and JSON both take. */
static int Character_Private(const unsigned char *c)
{
  const int n = *c < 0x80 ? 1 : *c >= 0xc2 && *c <= 0xdf ? 2 : (*c & 0xf0) == 0xe0 ? 3 : *c >= 0xf0 && *c <= 0xf4 ? 4 : 0;

  for (int i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80) return 0; /* also at the end of the text */
  if (n == 1 && *c == 0x7f) return 0;
  if (n == 2 && *c == 0xc2 && c[1] < 0xa0) return 0;                                                                  /* controls */
  if (n == 3 && ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) || (*c == 0xef && c[1] == 0xbf && c[2] > 0xbd))) return 0; /* overlong, surrogates, no characters */
  if (n == 4 && ((*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f))) return 0;                               /* overlong, beyond Unicode */
  return n;
}

void JsonText(FILE *file, const char *text)
{
  if (!text) {
    (void)fputs("null", file);
    return;
  }
  (void)fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    const int n = Character_Private(c);

    if (*c == '"' || *c == '\\') (void)fprintf(file, "\\%c", *c);
    else if (*c < 0x20) (void)fprintf(file, "\\u%04x", *c);
    else if (!n) (void)fputc('?', file);
    else (void)fwrite(c, 1, (size_t)n, file);
    c += n ? n : 1;
  }
  (void)fputc('"', file);
}
