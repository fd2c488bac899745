/*
  params_value.c - one row's value: from text, checked against its bounds, and back to text with the same bits.

  Text is read by strtod and strtoll to its end, in the C locale (the program sets no other).
*/
#include "params_private.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graze/walltime.h"

/* An interval, as short as it can be said. */
static void FormatBounds_Private(const ParamRow *row, size_t size, char *text)
{
  const PetscBool low = row->low > -PETSC_MAX_REAL ? PETSC_TRUE : PETSC_FALSE, high = row->high < PETSC_MAX_REAL ? PETSC_TRUE : PETSC_FALSE;

  if (row->kind == PARAM_INT || row->kind == PARAM_INTS)
    (void)snprintf(text, size, "%s%.0f to %.0f", !strcmp(row->fallback, "0") && row->low > 0 ? "0 or " : "", (double)row->low,
                   (double)row->high);
  else if (low && high)
    (void)snprintf(text, size, "%s%.6g, %.6g%s", row->open_low ? "(" : "[", (double)row->low, (double)row->high,
                   row->open_high ? ")" : "]");
  else if (low) (void)snprintf(text, size, "%s %g", row->open_low ? ">" : ">=", (double)row->low);
  else (void)snprintf(text, size, "finite");
}

PetscErrorCode ParamAllowed_Private(const ParamRow *row, size_t size, char *text)
{
  char   bounds[128];
  size_t used = 0;

  PetscFunctionBeginUser;
  *text = 0;
  switch (row->kind) {
  case PARAM_BOOL:
    (void)snprintf(text, size, "true|false");
    break;
  case PARAM_TIME:
    (void)snprintf(text, size, "[D-]HH:MM:SS, MM:SS");
    break;
  case PARAM_SHARD:
    (void)snprintf(text, size, "k/N, 1 <= k <= N");
    break;
  case PARAM_STRING:
  case PARAM_ENUM:
    if (!row->values) (void)snprintf(text, size, "path");
    for (const char *const *value = row->values; value && *value && used < size; value++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "|" : "", *value);
    break;
  case PARAM_RANGE:
    FormatBounds_Private(row, sizeof bounds, bounds);
    (void)snprintf(text, size, "range %s", bounds);
    break;
  case PARAM_REALS:
  case PARAM_INTS:
    FormatBounds_Private(row, sizeof bounds, bounds);
    (void)snprintf(text, size, "list %s", bounds);
    break;
  default:
    FormatBounds_Private(row, size, text);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool ReadReal_Private(const char *text, PetscReal *value)
{
  char *end;

  *value = (PetscReal)strtod(text, &end);
  return end != text && !*end ? PETSC_TRUE : PETSC_FALSE;
}

/* Too large for a PetscInt reads as the largest long long, which no bound allows. */
static PetscBool ReadInt_Private(const char *text, long long *value)
{
  char *end;

  *value = strtoll(text, &end, 10);
  return end != text && !*end ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool ReadBool_Private(const char *text, PetscBool *value)
{
  static const char *const words[] = {"false", "no", "off", "0", "true", "yes", "on", "1"};

  for (int i = 0; i < 8; i++) {
    size_t j = 0;

    while (words[i][j] && tolower((unsigned char)text[j]) == words[i][j]) j++;
    if (words[i][j] || text[j]) continue;
    *value = i >= 4 ? PETSC_TRUE : PETSC_FALSE;
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool InBounds_Private(const ParamRow *row, PetscReal value)
{
  if (!(PetscAbsReal(value) <= PETSC_MAX_REAL)) return PETSC_FALSE; /* inf and NaN */
  if (value == 0 && !strcmp(row->fallback, "0")) return PETSC_TRUE;
  return (row->open_low ? value > row->low : value >= row->low) && (row->open_high ? value < row->high : value <= row->high) ? PETSC_TRUE
                                                                                                                             : PETSC_FALSE;
}

/* first:last:count, or one number. Returns what is wrong, or NULL. */
static const char *ReadRange_Private(const ParamRow *row, const char *text, Range *range)
{
  char      part[3][64];
  int       n = 0;
  long long count;
  PetscReal step;

  for (const char *start = text; start; n++) {
    const char *colon  = strchr(start, ':');
    size_t      length = colon ? (size_t)(colon - start) : strlen(start);

    if (n == 3 || length >= sizeof part[0]) return "is not first:last:count, for example 4:40:181, nor one number";
    memcpy(part[n], start, length);
    part[n][length] = 0;
    start           = colon ? colon + 1 : NULL;
  }
  if ((n != 1 && n != 3) || !ReadReal_Private(part[0], &range->first))
    return "is not first:last:count, for example 4:40:181, nor one number";
  range->last  = range->first;
  range->count = 1;
  if (!InBounds_Private(row, range->first)) return "has a value out of range";
  if (n == 1) return NULL;
  if (!ReadReal_Private(part[1], &range->last) || !ReadInt_Private(part[2], &count))
    return "is not first:last:count, for example 4:40:181, nor one number";
  if (!InBounds_Private(row, range->last)) return "has a value out of range";
  if (count < 1 || count > 100000) return "has a count out of range: 1 to 100000";
  range->count = (PetscInt)count;
  if (count == 1) return range->first == range->last ? NULL : "has count 1: then first and last must be equal";
  if (range->first >= range->last) return "must rise: first below last";
  step = (range->last - range->first) / (PetscReal)(count - 1);
  if (!(step > 4 * PETSC_MACHINE_EPSILON * PetscMax(PetscAbsReal(range->first), PetscAbsReal(range->last))))
    return "has values too close to tell apart";
  return NULL;
}

/* k/N. Returns what is wrong, or NULL. */
static const char *ReadShard_Private(const char *text, Shard *shard)
{
  const char *slash = strchr(text, '/');
  char        first[32];
  long long   k, n;

  if (!slash || (size_t)(slash - text) >= sizeof first) return "is not k/N, for example 1/4";
  memcpy(first, text, (size_t)(slash - text));
  first[slash - text] = 0;
  if (!ReadInt_Private(first, &k) || !ReadInt_Private(slash + 1, &n)) return "is not k/N, for example 1/4";
  if (k < 1 || k > n || n > 100000) return "is out of range";
  shard->k = (PetscInt)k;
  shard->n = (PetscInt)n;
  return NULL;
}

/* a,b,c: at most PARAM_LIST_MAX numbers, into real or whole. Returns what is wrong, or NULL. */
static const char *ReadList_Private(const ParamRow *row, const char *text, RealList *real, IntList *whole)
{
  PetscInt n = 0;

  /* a shorter list over a longer one leaves nothing of it behind */
  if (real) *real = (RealList){0};
  if (whole) *whole = (IntList){0};
  for (const char *start = text; start; n++) {
    const char *comma  = strchr(start, ',');
    size_t      length = comma ? (size_t)(comma - start) : strlen(start);
    char        part[64];
    PetscReal   value  = 0;
    long long   number = 0;

    if (n == PARAM_LIST_MAX) return "has too many numbers: 64 at most";
    if (length >= sizeof part) return "is not a list of numbers, for example 1,2,3";
    memcpy(part, start, length);
    part[length] = 0;
    if (whole ? !ReadInt_Private(part, &number) : !ReadReal_Private(part, &value)) return "is not a list of numbers, for example 1,2,3";
    if (whole) value = (PetscReal)number;
    if (!InBounds_Private(row, value)) return "has a value out of range";
    if (real) real->value[n] = value;
    if (whole) whole->value[n] = (PetscInt)number;
    start = comma ? comma + 1 : NULL;
  }
  if (real) real->n = n;
  if (whole) whole->n = n;
  return NULL;
}

PetscErrorCode ParamSetValue_Private(Params *params, const ParamRow *row, const char *text, int exit_code, const char *where,
                                     Complaint *complaint)
{
  char       *field = (char *)params + row->where;
  char        allowed[256];
  const char *wrong = NULL;

  PetscFunctionBeginUser;
  PetscCall(ParamAllowed_Private(row, sizeof allowed, allowed));
  switch (row->kind) {
  case PARAM_INT: {
    long long value;

    if (!ReadInt_Private(text, &value)) wrong = "is not a whole number";
    else if (!InBounds_Private(row, (PetscReal)value)) wrong = "is out of range";
    else *(PetscInt *)field = (PetscInt)value;
    break;
  }
  case PARAM_REAL: {
    PetscReal value;

    if (!ReadReal_Private(text, &value)) wrong = "is not a number";
    else if (!(PetscAbsReal(value) <= PETSC_MAX_REAL)) wrong = "is not a finite number";
    else if (!InBounds_Private(row, value)) wrong = "is out of range";
    else *(PetscReal *)field = value;
    break;
  }
  case PARAM_BOOL:
    if (!ReadBool_Private(text, (PetscBool *)field)) wrong = "is neither true nor false";
    break;
  case PARAM_ENUM: {
    int value = 0;

    while (row->values[value] && strcmp(row->values[value], text)) value++;
    if (row->values[value]) memcpy(field, &value, sizeof value);
    else wrong = "is not one of the choices";
    break;
  }
  case PARAM_RANGE:
    wrong = ReadRange_Private(row, text, (Range *)field);
    break;
  case PARAM_REALS:
    wrong = ReadList_Private(row, text, (RealList *)field, NULL);
    break;
  case PARAM_INTS:
    wrong = ReadList_Private(row, text, NULL, (IntList *)field);
    break;
  case PARAM_TIME: {
    PetscReal value;

    if (!WalltimeParse(text, &value)) wrong = "is not a time";
    else if (!(value > 0)) wrong = "is no time at all";
    else *(PetscReal *)field = value;
    break;
  }
  case PARAM_SHARD:
    wrong = ReadShard_Private(text, (Shard *)field);
    break;
  case PARAM_STRING: {
    const size_t room = row->high < PETSC_MAX_PATH_LEN ? (size_t)row->high : PETSC_MAX_PATH_LEN;

    if (!*text) wrong = "is empty";
    else if (strlen(text) >= room) wrong = "is too long";
    else PetscCall(PetscStrncpy(field, text, room));
    for (const char *p = text; *p; p++)
      if (iscntrl((unsigned char)*p)) wrong = "holds control characters";
    break;
  }
  }
  if (wrong) ComplaintSet(complaint, exit_code, "%s: '%.80s' %s; allowed: %s", where, text, wrong, allowed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fewest digits that read back to the same bits; with a point before an exponent, so that every YAML reader sees a number. */
static void FormatReal_Private(PetscReal value, size_t size, char *text)
{
  char  digits[64];
  char *e;

  for (int precision = 15; precision <= 17; precision++) { /* 15 always drops trailing noise, 17 always suffices */
    (void)snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
    if (strtod(digits, NULL) == (double)value) break;
  }
  e = strchr(digits, 'e');
  if (!e) (void)snprintf(text, size, "%s", digits);
  else (void)snprintf(text, size, "%.*s%s%s", (int)(e - digits), digits, strchr(digits, '.') ? "" : ".0", e);
}

/*
  ParamsFormat - The value of a row as text that the row reads back to the same bits.

  Not collective.
  Output:  text - empty for a number, list, time or shard that is not given
*/
PetscErrorCode ParamsFormat(const Params *params, const ParamRow *row, size_t size, char *text)
{
  const char *field = (const char *)params + row->where;

  PetscFunctionBeginUser;
  *text = 0;
  switch (row->kind) {
  case PARAM_INT:
    (void)snprintf(text, size, "%lld", (long long)*(const PetscInt *)field);
    break;
  case PARAM_REAL:
    if (!PetscIsNanReal(*(const PetscReal *)field)) FormatReal_Private(*(const PetscReal *)field, size, text);
    break;
  case PARAM_BOOL:
    (void)snprintf(text, size, "%s", *(const PetscBool *)field ? "true" : "false");
    break;
  case PARAM_ENUM: {
    int value;

    memcpy(&value, field, sizeof value);
    (void)snprintf(text, size, "%s", row->values[value]);
    break;
  }
  case PARAM_RANGE: {
    const Range *range = (const Range *)field;
    char         first[64], last[64];

    FormatReal_Private(range->first, sizeof first, first);
    FormatReal_Private(range->last, sizeof last, last);
    if (range->count == 1) (void)snprintf(text, size, "%s", first);
    else (void)snprintf(text, size, "%s:%s:%lld", first, last, (long long)range->count);
    break;
  }
  case PARAM_REALS: {
    const RealList *list = (const RealList *)field;
    size_t          used = 0;

    for (PetscInt i = 0; i < list->n && used < size; i++) {
      char number[64];

      FormatReal_Private(list->value[i], sizeof number, number);
      used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", number);
    }
    break;
  }
  case PARAM_INTS: {
    const IntList *list = (const IntList *)field;
    size_t         used = 0;

    for (PetscInt i = 0; i < list->n && used < size; i++)
      used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "", (long long)list->value[i]);
    break;
  }
  case PARAM_STRING:
    (void)snprintf(text, size, "%s", field);
    break;
  case PARAM_TIME:
    if (!PetscIsNanReal(*(const PetscReal *)field)) {
      char time[32];

      WalltimeFormat(*(const PetscReal *)field, time);
      (void)snprintf(text, size, "%s", time);
    }
    break;
  case PARAM_SHARD: {
    const Shard *shard = (const Shard *)field;

    if (shard->n > 0) (void)snprintf(text, size, "%lld/%lld", (long long)shard->k, (long long)shard->n);
    break;
  }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  RangeValue - The i-th of `count` equidistant values.

  Not collective. Exact at both ends, the same bits on every rank.
*/
PetscReal RangeValue(Range range, PetscInt i)
{
  if (i == 0) return range.first;
  if (i == range.count - 1) return range.last;
  return range.first + (range.last - range.first) * (PetscReal)i / (PetscReal)(range.count - 1);
}
