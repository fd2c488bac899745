/*
  branch_csv.c - branches as comma-separated values: a file of points, and one of special points.

  Lines that begin with # say what the numbers are; then a line of names, then a row each. Numbers read back to the same bits; what there is
  not is nan.
*/
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "continue.h"

#define LEADING 4 /* multipliers */

/* The fewest digits that read back to the same bits. */
static void Real_Private(FILE *file, PetscReal value)
{
  char text[64];

  if (isnan(value)) (void)snprintf(text, sizeof text, "nan");
  for (int precision = 15; !isnan(value) && precision <= 17; precision++) {
    (void)snprintf(text, sizeof text, "%.*g", precision, (double)value);
    if (strtod(text, NULL) == (double)value) break;
  }
  (void)fprintf(file, ",%s", text);
}

/* The four parameters, the one continued with the value given. */
static void Parameters_Private(FILE *file, const Branch *b, PetscReal value)
{
  Real_Private(file, value);
  for (int k = 0; k < 4; ++k) Real_Private(file, k == (int)b->parameter ? value : BranchStartGet(&b->start, (ContinueParameter)k));
}

static void Multipliers_Private(FILE *file, const PetscReal *re, const PetscReal *im, const PetscReal *error)
{
  for (int k = 0; k < LEADING; ++k) {
    Real_Private(file, re[k]);
    Real_Private(file, im[k]);
    Real_Private(file, error[k]);
  }
}

static void MultiplierNames_Private(FILE *file)
{
  for (int k = 0; k < LEADING; ++k) (void)fprintf(file, ",multiplier_re_%d,multiplier_im_%d,multiplier_error_%d", k, k, k);
  (void)fputc('\n', file);
}

static void Points_Private(FILE *file, PetscInt n, const Branch *branches)
{
  /* one number each, under its own name; with those of the first strobe */
  static const PointVariable columns[] = {POINT_ARCLENGTH,           POINT_STABILITY,        POINT_N_UNSTABLE,       POINT_RESIDUAL,
                                          POINT_STROBE_DISPLACEMENT, POINT_STROBE_VELOCITY,  POINT_MAX_DISPLACEMENT, POINT_MIN_DISPLACEMENT,
                                          POINT_PEAK_FORCE,          POINT_CONTACT_FRACTION, POINT_MIN_GAP,          POINT_N_CONTACTS};

  (void)fputs("branch,point,period,parameter,amplitude,frequency,stop_position,damping_ratio", file);
  for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k) (void)fprintf(file, ",%s", point_variables[columns[k]].name);
  MultiplierNames_Private(file);
  for (PetscInt b = 0; b < n; ++b)
    for (PetscInt i = 0; i < branches[b].n_points; ++i) {
      (void)fprintf(file, "%d,%d,%d", (int)b, (int)i, (int)branches[b].layout.period);
      Parameters_Private(file, &branches[b], *BranchPoint(&branches[b], i, POINT_PARAMETER));
      for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k) Real_Private(file, *BranchPoint(&branches[b], i, columns[k]));
      Multipliers_Private(file, BranchPoint(&branches[b], i, POINT_MULTIPLIER_RE), BranchPoint(&branches[b], i, POINT_MULTIPLIER_IM),
                          BranchPoint(&branches[b], i, POINT_MULTIPLIER_ERROR));
      (void)fputc('\n', file);
    }
}

static void Specials_Private(FILE *file, PetscInt n, const Branch *branches)
{
  static const SpecialVariable columns[] = {
    SPECIAL_ARCLENGTH, SPECIAL_WIDTH,        SPECIAL_CUT_DIFFERENCE, SPECIAL_CONTACTS_BEFORE,     SPECIAL_CONTACTS_AFTER,
    SPECIAL_KINK,      SPECIAL_EVENT_PERIOD, SPECIAL_EVENT_PHASE,    SPECIAL_STROBE_DISPLACEMENT, SPECIAL_STROBE_VELOCITY};

  (void)fputs("branch,point,period,type,to_branch,parameter,amplitude,frequency,stop_position,damping_ratio", file);
  for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k) (void)fprintf(file, ",%s", special_variables[columns[k]].name);
  MultiplierNames_Private(file);
  for (PetscInt b = 0; b < n; ++b)
    for (PetscInt i = 0; i < branches[b].n_special; ++i) {
      (void)fprintf(file, "%d,%d,%d,%s,%d", (int)b, (int)*BranchSpecial(&branches[b], i, SPECIAL_POINT), (int)branches[b].layout.period,
                    SpecialTypeNames[(int)*BranchSpecial(&branches[b], i, SPECIAL_TYPE)], (int)BranchFamilyChild(n, branches, b, i));
      Parameters_Private(file, &branches[b], *BranchSpecial(&branches[b], i, SPECIAL_PARAMETER));
      for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k) Real_Private(file, *BranchSpecial(&branches[b], i, columns[k]));
      Multipliers_Private(file, BranchSpecial(&branches[b], i, SPECIAL_MULTIPLIER_RE),
                          BranchSpecial(&branches[b], i, SPECIAL_MULTIPLIER_IM), BranchSpecial(&branches[b], i, SPECIAL_MULTIPLIER_ERROR));
      (void)fputc('\n', file);
    }
}

typedef void Writer(FILE *file, PetscInt n, const Branch *branches);

static PetscErrorCode File_Private(const char *prefix, const char *suffix, const char *header, Writer *writer, PetscInt n,
                                   const Branch *branches, Complaint *complaint)
{
  char  path[PETSC_MAX_PATH_LEN + 32], partial[PETSC_MAX_PATH_LEN + 32];
  FILE *file;
  int   failed;

  PetscFunctionBeginUser;
  if (complaint->exit_code) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(path, sizeof path, "%s%s.csv", prefix, suffix);
  (void)snprintf(partial, sizeof partial, "%s%s.csv.partial", prefix, suffix);
  file = fopen(partial, "w");
  if (!file) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", partial, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)fputs(header, file);
  writer(file, n, branches);
  failed = ferror(file);
  if (fclose(file) || failed || rename(partial, path)) {
    ComplaintSet(complaint, EXIT_IO, "cannot write %.500s: %s", path, strerror(errno));
    (void)remove(partial);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BranchCsvWrite(const char *prefix, const char *header, PetscInt n, const Branch *branches, Complaint *complaint)
{
  PetscFunctionBeginUser;
  PetscCall(File_Private(prefix, "", header, Points_Private, n, branches, complaint));
  PetscCall(File_Private(prefix, "_special", header, Specials_Private, n, branches, complaint));
  PetscFunctionReturn(PETSC_SUCCESS);
}
