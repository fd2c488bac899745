/*
  Params: the table is sound; file, database and command line are read in that order; what is written reads back to the same bits.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/read_params.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static size_t Size(const ParamRow *row)
{
  switch (row->kind) {
  case PARAM_INT:
    return sizeof(PetscInt);
  case PARAM_REAL:
  case PARAM_TIME:
    return sizeof(PetscReal);
  case PARAM_BOOL:
    return sizeof(PetscBool);
  case PARAM_ENUM:
    return sizeof(FlowType);
  case PARAM_RANGE:
    return offsetof(Range, count) + sizeof(PetscInt); /* without the padding */
  case PARAM_SHARD:
    return sizeof(Shard);
  case PARAM_REALS:
    return sizeof(RealList);
  case PARAM_INTS:
    return sizeof(IntList);
  case PARAM_STRING:
    return row->high < PETSC_MAX_PATH_LEN ? (size_t)row->high : PETSC_MAX_PATH_LEN;
  default:
    return PETSC_MAX_PATH_LEN;
  }
}

static size_t Alignment(const ParamRow *row)
{
  switch (row->kind) {
  case PARAM_REAL:
  case PARAM_TIME:
  case PARAM_RANGE:
  case PARAM_REALS:
    return _Alignof(PetscReal);
  case PARAM_INT:
  case PARAM_SHARD:
  case PARAM_INTS:
    return _Alignof(PetscInt);
  case PARAM_STRING:
    return 1;
  case PARAM_BOOL:
    return _Alignof(PetscBool);
  default:
    return _Alignof(FlowType);
  }
}

/* The field that follows `end` in the struct; NULL after the last. */
static const ParamRow *Next(size_t end)
{
  const ParamRow *next = NULL;

  for (PetscInt i = 0; i < params_table_size; i++)
    if (params_table[i].where >= end && (!next || params_table[i].where < next->where)) next = &params_table[i];
  return next;
}

/* Every row has its texts, every name and field comes once, and no field of the struct lacks a row: gaps are alignment alone. */
static void test_table_is_sound(void **state)
{
  size_t   end = 0;
  PetscInt n   = 0;

  (void)state;
  for (PetscInt i = 0; i < params_table_size; i++) {
    const ParamRow *row = &params_table[i];

    assert_true(*row->help && *row->group && row->commands);
    assert_true(strlen(row->name) <= 24); /* the first column of the help */
    assert_true(row->kind != PARAM_ENUM || row->values);
    for (PetscInt j = 0; j < i; j++) assert_string_not_equal(row->name, params_table[j].name);
  }
  for (const ParamRow *row = Next(0); row; row = Next(end), n++) {
    assert_int_equal(row->where, (end + Alignment(row) - 1) / Alignment(row) * Alignment(row));
    end = row->where + (row->kind == PARAM_RANGE ? sizeof(Range) : Size(row));
  }
  assert_int_equal(n, params_table_size);
  assert_true(sizeof(Params) - end < _Alignof(Params));
}

/* The stated ones, not those of the table. */
static void test_defaults_are_the_stated_ones(void **state)
{
  Params p;

  (void)state;
  assert_int_equal(Read(COMMAND_TRAJECTORY, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/trajectory");
  assert_int_equal(Read(COMMAND_ASYMPTOTICS, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/asymptotics");
  assert_true(p.asymptotics_alpha.n == 4 && p.asymptotics_alpha.value[0] == 0.75 && p.asymptotics_alpha.value[3] == 2);
  assert_true(p.asymptotics_velocity == -1 && p.asymptotics_modes == 0);
  assert_int_equal(Read(COMMAND_KERNEL, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/kernel");
  assert_true(p.kernel_beam_points.n == 4 && p.kernel_beam_points.value[0] == 20 && p.kernel_beam_points.value[3] == 160);
  assert_int_equal(Read(COMMAND_SWEEP, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/sweep");
  assert_true(p.beam_beta == 4800 && p.beam_gamma == 0.25 && p.beam_points == 0 && p.beam_model == BEAM_TIMOSHENKO);
  assert_true(p.beam_ends == ENDS_CLAMPED_FREE && p.contact_position == 1 && p.stop_side == STOP_BELOW && p.forcing_mean == 0);
  assert_true(p.initial_shape == INITIAL_MODE && p.restitution_coefficient == 1 && p.beam_frequencies.n == 0 && p.beam_wave_speed == 1);
  assert_true(isnan(p.beam_length) && isnan(p.beam_poisson_ratio) && isnan(p.beam_height));
  assert_true(p.damping_ratio == 0.1 && p.stop_position == -0.05 && p.units == UNITS_NONDIMENSIONAL);
  assert_true(p.receptance_modes == 0 && p.receptance_closure == 2 && p.receptance_rtol == 1e-8 && p.receptance_max_modes == 300);
  assert_true(p.forcing_type == FORCING_MODE && p.forcing_mode == 2 && p.forcing_amplitude == 30 && p.forcing_frequency == 13 &&
              p.strobe_phase == 0);
  assert_true(p.initial_mode == 1 && p.initial_displacement == 1 && p.initial_velocity == 1);
  assert_true(p.flow == FLOW_EXACT && p.literal_step == 5e-5 && p.literal_kernel == KERNEL_CLOSED);
  assert_true(p.sweep_amplitude.first == 10 && p.sweep_amplitude.last == 60 && p.sweep_amplitude.count == 26);
  assert_true(p.sweep_frequency.first == 4 && p.sweep_frequency.last == 40 && p.sweep_frequency.count == 181);
  assert_true(p.sweep_along == ALONG_FREQUENCY && p.sweep_direction == DIRECTION_UP && p.sweep_segment == 0);
  assert_true(p.settle_periods == 100 && p.sample_periods == 64 && p.max_period == 32 && p.max_contacts == 256);
  assert_true(p.periods == 40 && p.samples_per_period == 2000);
  assert_true(!p.overwrite && !p.quiet && !p.dry_run);
  assert_true(p.checkpoint_interval == 10 && isnan(p.max_walltime) && p.walltime_margin == 60 && p.retry == RETRY_NONE);
  assert_true(p.shard.k == 0 && p.shard.n == 0);
}

static void test_values_are_read(void **state)
{
  Params    p;
  Complaint c = Read(COMMAND_SWEEP, &p,
                     WORDS("-stop_position", "-1e-2", "-forcing_type", "base", "-sweep_amplitude", "12.5", "-sweep_frequency", "4:40:10",
                           "-quiet", "-overwrite", "no", "-output", "a b", "-settle_periods", "7", "-settle_periods", "8"));

  (void)state;
  assert_string_equal(c.line, "");
  assert_true(p.stop_position == -1e-2 && p.forcing_type == FORCING_BASE);
  assert_true(p.sweep_amplitude.first == 12.5 && p.sweep_amplitude.last == 12.5 && p.sweep_amplitude.count == 1);
  assert_true(p.sweep_frequency.count == 10 && p.quiet && !p.overwrite);
  assert_string_equal(p.output, "a b");
  assert_int_equal(p.settle_periods, 8); /* the last word counts */
}

/* Times and shards, as words and in a file, quoted or not; and ParamsFormat writes what is read back as the same. */
static void test_run_control_is_read_and_written(void **state)
{
  static const struct {
    const char *text;
    PetscReal   seconds;
    const char *written;
  } times[] = {
    {"01:30:00", 5400, "01:30:00"},      {"1:30:00", 5400, "01:30:00"},          {"90:00", 5400, "01:30:00"},     {"0:01", 1, "00:00:01"},
    {"23:59:59", 86399, "23:59:59"},     {"24:00:00", 86400, "1-00:00:00"},      {"100:00:00", 360000, "4-04:00:00"},
    {"1-02:03:04", 93784, "1-02:03:04"}, {"14-00:00:00", 1209600, "14-00:00:00"}, {"0-00:10:00", 600, "00:10:00"},
  };
  static const char *const forms[] = {"max_walltime: %s\n", "max_walltime: \"%s\"\n", "max_walltime: '%s'\n", "{max_walltime: %s}\n", "max: {walltime: %s}\n"};
  const ParamRow          *time = NULL, *shard = NULL;
  Params                   p;

  (void)state;
  for (PetscInt i = 0; i < params_table_size; i++) {
    if (!strcmp(params_table[i].name, "max_walltime")) time = &params_table[i];
    if (!strcmp(params_table[i].name, "shard")) shard = &params_table[i];
  }
  assert_non_null(time);
  assert_non_null(shard);
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    char text[64];

    assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-max_walltime", times[i].text)).exit_code, 0);
    assert_true(p.max_walltime == times[i].seconds);
    for (size_t j = 0; j < sizeof forms / sizeof forms[0]; j++) {
      (void)snprintf(text, sizeof text, forms[j], times[i].text);
      assert_string_equal(ReadText(COMMAND_SWEEP, &p, text).line, "");
      assert_true(p.max_walltime == times[i].seconds);
    }
    GOOD(ParamsFormat(&p, time, sizeof text, text));
    assert_string_equal(text, times[i].written);
    assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-max_walltime", text)).exit_code, 0);
    assert_true(p.max_walltime == times[i].seconds);
  }
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-shard", "3/26", "-checkpoint_interval", "0", "-walltime_margin", "0", "-retry", "failed")).exit_code, 0);
  assert_true(p.shard.k == 3 && p.shard.n == 26 && p.checkpoint_interval == 0 && p.walltime_margin == 0 && p.retry == RETRY_FAILED);
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-shard", "3/181", "-sweep_along", "amplitude")).exit_code, 0); /* lines across are frequencies */
  assert_string_equal(ReadText(COMMAND_SWEEP, &p, "shard: 2/4\ncheckpoint: {interval: 2.5}\n").line, "");
  assert_true(p.shard.k == 2 && p.shard.n == 4 && p.checkpoint_interval == 2.5);
  for (int turn = 0; turn < 2; turn++) { /* given, not given */
    char text[64];

    if (turn) assert_int_equal(Read(COMMAND_SWEEP, &p, 0, NULL).exit_code, 0);
    GOOD(ParamsFormat(&p, shard, sizeof text, text));
    assert_string_equal(text, turn ? "" : "2/4");
    if (!turn) continue;
    GOOD(ParamsFormat(&p, time, sizeof text, text));
    assert_string_equal(text, "");
  }
}

static void test_command_line_beats_file_beats_database(void **state)
{
  Params p;

  (void)state;
  GOOD(PetscOptionsSetValue(NULL, "-damping_ratio", "0.2"));
  GOOD(PetscOptionsSetValue(NULL, "-settle_periods", "11"));
  GOOD(PetscOptionsSetValue(NULL, "-max_contacts", "12"));
  WriteFile("damping_ratio: 0.3\nsettle_periods: 21\n");
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-options_file_yaml", yaml_path, "-damping_ratio", "0.4")).exit_code, 0);
  assert_true(p.damping_ratio == 0.4 && p.settle_periods == 21 && p.max_contacts == 12);
  GOOD(PetscOptionsSetValue(NULL, "-max_contacts", "0"));
  assert_int_equal(Read(COMMAND_SWEEP, &p, 0, NULL).exit_code, EXIT_OPTIONS);
  GOOD(PetscOptionsClearValue(NULL, "-damping_ratio"));
  GOOD(PetscOptionsClearValue(NULL, "-settle_periods"));
  GOOD(PetscOptionsClearValue(NULL, "-max_contacts"));
}

static void test_files_are_read(void **state)
{
  Params    p;
  PetscBool set;
  char      value[16];
  Complaint c = ReadText(COMMAND_SWEEP, &p,
                         "beam:\n  beta: 1.2e3 # a comment\n  gamma: 0.3\nsweep: {frequency: 4:40:41, amplitude: \"10:60:6\", direction: "
                         "both}\nflow: literal\nflow_max_events: 9\nquiet: yes\nperiods: 3\neps: {tol: 1e-9}\n");

  (void)state;
  assert_string_equal(c.line, "");
  assert_true(p.beam_beta == 1200 && p.beam_gamma == 0.3 && p.flow == FLOW_LITERAL && p.flow_max_events == 9 && p.quiet);
  assert_true(p.sweep_frequency.count == 41 && p.sweep_amplitude.count == 6 && p.sweep_direction == DIRECTION_BOTH);
  assert_int_equal(p.periods, 3); /* of the other command: welcome in a file */
  GOOD(PetscOptionsGetString(NULL, NULL, "-eps_tol", value, sizeof value, &set));
  assert_true(set);
  assert_string_equal(value, "1e-9");
  GOOD(PetscOptionsClearValue(NULL, "-eps_tol"));
  assert_int_equal(ReadText(COMMAND_SWEEP, &p, "{}\n").exit_code, 0);
}

/* PARAM_LIST_MAX rising numbers */
#define EIGHT(ten) #ten "1.1," #ten "2.2," #ten "3.3," #ten "4.4," #ten "5.50000000000001," #ten "6.6," #ten "7.7," #ten "8.800000000000001"
#define MOST  EIGHT(1) "," EIGHT(2) "," EIGHT(3) "," EIGHT(4) "," EIGHT(5) "," EIGHT(6) "," EIGHT(7) "," EIGHT(8)

/* Read, write, read: the same bits in every row that decides the data; and written again, the same text. */
static void RoundTrip(unsigned command, int argc, const char *const *argv)
{
  Params    first, second;
  Complaint c = Read(command, &first, argc, argv);
  char      text[2][16384];

  assert_string_equal(c.line, "");
  for (int turn = 0; turn < 2; turn++) {
    FILE  *file = fopen(yaml_path, "w+");
    size_t n;

    assert_non_null(file);
    GOOD(ParamsWriteYaml(turn ? &second : &first, command, file));
    rewind(file);
    n             = fread(text[turn], 1, sizeof text[turn] - 1, file);
    text[turn][n] = 0;
    assert_int_equal(fclose(file), 0);
    c = Read(command, &second, WORDS("-options_file_yaml", yaml_path));
    assert_string_equal(c.line, "");
    for (PetscInt i = 0; i < params_table_size; i++) {
      const ParamRow *row = &params_table[i];

      if (!row->physics || !(row->commands & command)) continue;
      if ((row->kind == PARAM_REAL || row->kind == PARAM_TIME) && isnan(*(PetscReal *)((char *)&first + row->where)))
        assert_true(isnan(*(PetscReal *)((char *)&second + row->where)));
      else assert_memory_equal((char *)&first + row->where, (char *)&second + row->where, Size(row));
    }
  }
  assert_string_equal(text[0], text[1]);
  assert_null(strstr(text[0], "\noutput"));
  assert_null(strstr(text[0], "\noverwrite"));
  assert_null(strstr(text[0], "\nmax_walltime"));
  assert_null(strstr(text[0], "\nshard"));
}

static void test_written_parameters_reproduce_the_run(void **state)
{
  (void)state;
  RoundTrip(COMMAND_SWEEP, 0, NULL);
  RoundTrip(COMMAND_TRAJECTORY, 0, NULL);
  RoundTrip(COMMAND_SWEEP, WORDS("-beam_beta", "0.30000000000000004", "-beam_gamma", "1.0000000000000003e-59", "-stop_position", "-3.3333333333333331e-01",
                                 "-initial_velocity", "-0", "-sweep_frequency", "0.1:0.70000000000000007:7", "-sweep_amplitude", "1e22",
                                 "-sweep_direction", "both", "-overwrite", "-output", "x", "-max_walltime", "1:00:00", "-retry", "failed"));
  RoundTrip(COMMAND_TRAJECTORY,
            WORDS("-units", "si", "-beam_length", "0.3", "-beam_youngs_modulus", "2.1e11", "-beam_poisson_ratio", "0.3",
                  "-beam_shear_factor", "0.83333333333333337", "-beam_density", "7800", "-beam_width", "0.02", "-beam_height", "0.007",
                  "-stop_position", "-0.001", "-initial_displacement", "0", "-initial_velocity", "0.1", "-forcing_amplitude", "3",
                  "-forcing_frequency", "123.456789012345678", "-forcing_type", "point"));
  RoundTrip(COMMAND_KERNEL, 0, NULL);
  RoundTrip(COMMAND_ASYMPTOTICS, WORDS("-asymptotics_alpha", "0.5000000000000001,4,1"));
  /* a model without beta and gamma; lists of one and of the most numbers, of both signs, too long for 15 digits */
  RoundTrip(COMMAND_KERNEL, WORDS("-beam_model", "string", "-beam_wave_speed", "2", "-kernel_beam_points", "30"));
  RoundTrip(COMMAND_TRAJECTORY, WORDS("-beam_model", "modes", "-flow", "restitution", "-forcing_mode", "1", "-beam_frequencies", "0.30000000000000004",
                                      "-beam_tip_values", "-1.0000000000000003e-59", "-beam_damping_ratios", "0.02", "-restitution_coefficient", "0.8"));
  RoundTrip(COMMAND_SWEEP, WORDS("-beam_model", "modes", "-flow", "restitution", "-beam_frequencies", MOST, "-beam_tip_values", MOST));
}

/* A list as a word, as plain and quoted text of a file, and as a sequence; what a shorter list leaves of a longer one before it is 0. */
static void test_lists_are_read(void **state)
{
  static const char *const forms[] = {"beam_tip_values: -1,2.5,-3e-1\n", "beam_tip_values: \"-1,2.5,-3e-1\"\n", "beam_tip_values: -1, 2.5, -3e-1\n",
                                      "beam_tip_values: [-1, 2.5, -3e-1]\n", "beam: {tip: {values: ['-1', 2.5, -3e-1]}}\n",
                                      "beam:\n  tip_values:\n  - -1\n  - 2.5\n  - -3e-1\n"};
  Params                   p;

  (void)state;
  for (size_t i = 0; i <= sizeof forms / sizeof forms[0]; i++) {
    Complaint c;

    WriteFile(i ? forms[i - 1] : "beam_tip_values: [9, 8, 7, 6]\n");
    c = Read(COMMAND_SWEEP, &p,
             WORDS("-options_file_yaml", yaml_path, "-beam_model", "modes", "-flow", "restitution", "-beam_frequencies", "0,2,3",
                   i ? "-quiet" : "-beam_tip_values", i ? "yes" : "-1,2.5,-3e-1"));
    assert_string_equal(c.line, "");
    assert_true(p.beam_tip_values.n == 3 && p.beam_tip_values.value[0] == -1 && p.beam_tip_values.value[1] == 2.5 && p.beam_tip_values.value[2] == -0.3);
    assert_true(p.beam_tip_values.value[3] == 0 && p.beam_frequencies.n == 3);
  }
  assert_string_equal(ReadText(COMMAND_KERNEL, &p, "kernel: {beam_points: [8, 512]}\n").line, "");
  assert_true(p.kernel_beam_points.n == 2 && p.kernel_beam_points.value[0] == 8 && p.kernel_beam_points.value[1] == 512);
}

/* Ends exact; 10:60:26 steps by 2. */
static void test_range_values(void **state)
{
  const Range r = {10, 60, 26}, odd = {0.1, 0.7, 7}, one = {3.3, 3.3, 1};

  (void)state;
  for (PetscInt i = 0; i < 26; i++) assert_true(RangeValue(r, i) == 10 + 2 * (PetscReal)i);
  assert_true(RangeValue(odd, 0) == 0.1 && RangeValue(odd, 6) == 0.7 && RangeValue(one, 0) == 3.3);
  for (PetscInt i = 1; i < 7; i++) assert_true(RangeValue(odd, i) > RangeValue(odd, i - 1));
}

static void test_arguments_are_shared_out(void **state)
{
  char              words[][24] = {"graze", "sweep",        "-eps_tol",         "1e-9", "-quiet",    "-log_view", "-output",
                                   "x",     "-malloc_dump", "-beam_tip_values", "-1,-2", "-ksp_rtol", "-1e-3"};
  char             *argv[13], *own[13], *petsc[13];
  int               n_own, n_petsc;
  const char *const expect_own[]   = {"graze", "sweep", "-quiet", "-output", "x", "-beam_tip_values", "-1,-2"};
  const char *const expect_petsc[] = {"graze", "-eps_tol", "1e-9", "-log_view", "-malloc_dump", "-ksp_rtol", "-1e-3"};

  (void)state;
  for (int i = 0; i < 13; i++) argv[i] = words[i];
  ParamsSplitArguments(13, argv, &n_own, own, &n_petsc, petsc);
  assert_int_equal(n_own, 7);
  assert_int_equal(n_petsc, 7);
  for (int i = 0; i < 7; i++) {
    assert_string_equal(own[i], expect_own[i]);
    assert_string_equal(petsc[i], expect_petsc[i]);
  }
}

/* At most 100 columns, every option there. */
static void test_help_is_complete_and_narrow(void **state)
{
  FILE *file = tmpfile();
  char  line[512], *text = calloc(1, 100000);

  (void)state;
  assert_non_null(file);
  assert_non_null(text);
  GOOD(ParamsPrintHelp(COMMAND_SWEEP | COMMAND_TRAJECTORY | COMMAND_CONTINUE | COMMAND_KERNEL | COMMAND_ASYMPTOTICS, file));
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    assert_true(strlen(line) <= 101); /* with its newline */
    strcat(text, line);
  }
  for (PetscInt i = 0; i < params_table_size; i++) {
    (void)snprintf(line, sizeof line, "\n  -%s ", params_table[i].name);
    assert_non_null(strstr(text, line));
    /* every choice of it: between these two rows, for they may stand on several lines */
    for (PetscInt j = 0; params_table[i].values && params_table[i].values[j]; j++) {
      const char *end = strstr(strstr(text, line) + 1, "\n  -"), *there = strstr(strstr(text, line), params_table[i].values[j]);

      assert_true(there && (!end || there < end));
    }
  }
  free(text);
  (void)fclose(file);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table_is_sound),
    cmocka_unit_test(test_defaults_are_the_stated_ones),
    cmocka_unit_test(test_values_are_read),
    cmocka_unit_test(test_run_control_is_read_and_written),
    cmocka_unit_test(test_command_line_beats_file_beats_database),
    cmocka_unit_test(test_files_are_read),
    cmocka_unit_test(test_written_parameters_reproduce_the_run),
    cmocka_unit_test(test_lists_are_read),
    cmocka_unit_test(test_range_values),
    cmocka_unit_test(test_arguments_are_shared_out),
    cmocka_unit_test(test_help_is_complete_and_narrow),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  ReadParamsBegin();
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ReadParamsEnd();
  return PetscFinalize() ? 1 : failed;
}
