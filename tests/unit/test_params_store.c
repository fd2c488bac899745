/*
  Parameters in a result file: read back as they were given, also from a file that is older than some options; such a file, and a journal of
  its time, belong to a sweep that has the defaults of these.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/output.h"
#include "app/params_store.h"
#include "support/read_params.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* What the first files have no attribute for, and a value that is not the default with what it needs beside it. */
static const struct {
  const char *name, *words[8];
} newer[] = {{"beam_ends", {"-beam_ends", "pinned_pinned", "-contact_position", "0.5"}},
             {"beam_wave_speed", {"-beam_model", "string", "-beam_wave_speed", "2"}},
             {"beam_frequencies", {"-beam_model", "modes", "-flow", "restitution", "-beam_frequencies", "1,2", "-beam_tip_values", "1,1"}},
             {"beam_tip_values", {"-beam_model", "modes", "-flow", "restitution", "-beam_frequencies", "1,2", "-beam_tip_values", "1,1"}},
             {"contact_position", {"-contact_position", "0.5"}},
             {"stop_side", {"-stop_side", "above", "-stop_position", "1"}},
             {"forcing_mean", {"-forcing_mean", "-3"}},
             {"initial_shape", {"-beam_model", "string", "-initial_shape", "uniform"}},
             {"restitution_coefficient", {"-flow", "restitution", "-receptance_modes", "20", "-restitution_coefficient", "0.8"}},
             {"beam_damping_ratios", {NULL}}};
#define NEWER (sizeof newer / sizeof newer[0])

static PetscBool IsNewer(const char *name)
{
  for (size_t i = 0; i < NEWER; i++)
    if (!strcmp(newer[i].name, name)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The attributes of /parameters; of an old file: without the newer ones. */
static void Write(Store store, const Params *p, PetscBool old)
{
  Complaint c = {0};

  GOOD(StoreDefineGroup(store, "/parameters", &c));
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row   = &params_table[i];
    const void     *field = (const char *)p + row->where;
    char            text[4096];

    if (!row->physics || !(row->commands & COMMAND_SWEEP) || (old && IsNewer(row->name))) continue;
    if (row->kind == PARAM_REAL) {
      if (*(const PetscReal *)field == *(const PetscReal *)field)
        GOOD(StoreAttributeNumbers(store, "/parameters", row->name, STORE_REAL, 1, field, &c));
    } else if (row->kind == PARAM_INT) {
      const int64_t value = *(const PetscInt *)field;

      GOOD(StoreAttributeNumbers(store, "/parameters", row->name, STORE_INT64, 1, &value, &c));
    } else {
      GOOD(ParamsFormat(p, row, sizeof text, text));
      GOOD(StoreAttributeText(store, "/parameters", row->name, text, &c));
    }
  }
  GOOD(StoreAttributeText(store, "/", "shard", "1/1", &c));
  assert_string_equal(c.line, "");
}

/* given, written and read again */
static void ThroughFile(const Params *given, PetscBool old, Params *back, char *stored_mean)
{
  Store     store;
  Complaint c = {0};

  (void)unlink(yaml_path);
  GOOD(StoreCreate(yaml_path, &store, &c));
  assert_string_equal(c.line, "");
  if (old) Write(store, given, PETSC_TRUE);
  else {
    GOOD(OutputWriteParameters(store, given, COMMAND_SWEEP, &c));
    GOOD(StoreAttributeText(store, "/", "shard", "1/1", &c));
  }
  GOOD(StoreReady(store, &c));
  GOOD(StoreClose(&store, &c));
  GOOD(StoreOpen(yaml_path, PETSC_FALSE, &store, &c));
  assert_string_equal(c.line, "");
  GOOD(ParamsFromStore(store, COMMAND_SWEEP, back, &c));
  assert_string_equal(c.line, "");
  for (PetscInt i = 0; i < params_table_size; i++)
    if (!strcmp(params_table[i].name, "forcing_mean")) GOOD(ParamsStoredValue(store, &params_table[i], 64, stored_mean));
  GOOD(StoreClose(&store, &c));
}

static int Count(const char *const *words)
{
  int n = 0;

  while (n < 8 && words[n]) n++;
  return n;
}

static void test_parameters_come_back(void **state)
{
  (void)state;
  for (size_t i = 0; i < NEWER; i++) {
    Params given, back;
    char   differences[256], mean[64];

    assert_string_equal(Read(COMMAND_SWEEP, &given, Count(newer[i].words), newer[i].words).line, "");
    ThroughFile(&given, PETSC_FALSE, &back, mean);
    GOOD(ParamsDifferences(&given, &back, sizeof differences, differences));
    assert_string_equal(differences, "");
  }
}

/* An old file is that of today's defaults, and of nothing else. */
static void test_missing_options_have_their_defaults(void **state)
{
  Params given, back;
  char   differences[256], mean[64];

  (void)state;
  assert_int_equal(Read(COMMAND_SWEEP, &given, WORDS("-damping_ratio", "0.2")).exit_code, 0);
  ThroughFile(&given, PETSC_TRUE, &back, mean);
  assert_string_equal(mean, "0");
  GOOD(ParamsDifferences(&given, &back, sizeof differences, differences));
  assert_string_equal(differences, "");
  for (size_t i = 0; i + 1 < NEWER; i++) {
    assert_int_equal(Read(COMMAND_SWEEP, &given, Count(newer[i].words), newer[i].words).exit_code, 0);
    GOOD(ParamsDifferences(&given, &back, sizeof differences, differences));
    if (!strstr(differences, newer[i].name)) fail_msg("%s: '%s'", newer[i].name, differences);
  }
  /* the defaults that stand for them are written as ParamsFormat writes them: else no text would compare equal */
  assert_int_equal(Read(COMMAND_SWEEP, &given, 0, NULL).exit_code, 0);
  for (PetscInt i = 0; i < params_table_size; i++) {
    char text[4096];

    if (!IsNewer(params_table[i].name)) continue;
    GOOD(ParamsFormat(&given, &params_table[i], sizeof text, text));
    assert_string_equal(text, params_table[i].fallback);
  }
}

/* The identity of a journal names no newer option that has its default: so it is what it was before there were any. */
static void test_identity_of_a_journal(void **state)
{
  Params given;
  char   old[8192], text[8192];

  (void)state;
  assert_int_equal(Read(COMMAND_SWEEP, &given, 0, NULL).exit_code, 0);
  GOOD(ParamsIdentity(&given, COMMAND_SWEEP, sizeof old, old));
  for (size_t i = 0; i < NEWER; i++) assert_null(strstr(old, newer[i].name));
  assert_non_null(strstr(old, "beam_model=timoshenko\nbeam_beta=4800\nbeam_gamma=0.25\nbeam_points=0\ndamping_ratio=0.1\nstop_position=-0.05\nunits=nondimensional\n"));
  for (size_t i = 0; i + 1 < NEWER; i++) {
    char line[64];

    assert_int_equal(Read(COMMAND_SWEEP, &given, Count(newer[i].words), newer[i].words).exit_code, 0);
    GOOD(ParamsIdentity(&given, COMMAND_SWEEP, sizeof text, text));
    (void)snprintf(line, sizeof line, "%s=", newer[i].name);
    assert_non_null(strstr(text, line));
    assert_string_not_equal(text, old);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parameters_come_back),
    cmocka_unit_test(test_missing_options_have_their_defaults),
    cmocka_unit_test(test_identity_of_a_journal),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  ReadParamsBegin();
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ReadParamsEnd();
  return PetscFinalize() ? 1 : failed;
}
