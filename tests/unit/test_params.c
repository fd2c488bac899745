/*
  Params: the table is sound; file, database and command line are read in that order; whatever is bad is one complaint; what is
  written reads back to the same bits.
*/
#define _XOPEN_SOURCE 700

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
#include <unistd.h>

#include "graze/params.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static char yaml_path[64];

static Complaint Read(unsigned command, Params *p, int argc, const char *const *argv)
{
  Complaint c = {0};

  GOOD(ParamsRead(PETSC_COMM_SELF, command, argc, (char **)(uintptr_t)argv, p, &c));
  return c;
}
#define WORDS(...)                                                                                                                         \
  (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[])                                                \
  {                                                                                                                                        \
    __VA_ARGS__                                                                                                                            \
  }

static void WriteFile(const char *text)
{
  FILE *file = fopen(yaml_path, "w");

  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static Complaint ReadText(unsigned command, Params *p, const char *text)
{
  WriteFile(text);
  return Read(command, p, WORDS("-options_file_yaml", yaml_path));
}

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
  default:
    return PETSC_MAX_PATH_LEN;
  }
}

static size_t Alignment(const ParamRow *row)
{
  return row->kind == PARAM_REAL || row->kind == PARAM_RANGE || row->kind == PARAM_TIME ? _Alignof(PetscReal)
         : row->kind == PARAM_STRING                                                    ? 1
         : row->kind == PARAM_INT || row->kind == PARAM_SHARD                           ? _Alignof(PetscInt)
         : row->kind == PARAM_BOOL                                                      ? _Alignof(PetscBool)
                                                                                        : _Alignof(FlowType);
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
    assert_true(strlen(row->name) <= 21); /* the first column of the help */
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

/* The defaults of the issue, not of the table. */
static void test_defaults_are_the_stated_ones(void **state)
{
  Params p;

  (void)state;
  assert_int_equal(Read(COMMAND_TRAJECTORY, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/trajectory");
  assert_int_equal(Read(COMMAND_SWEEP, &p, 0, NULL).exit_code, 0);
  assert_string_equal(p.output, "runs/sweep");
  assert_true(p.beam_beta == 4800 && p.beam_gamma == 0.25 && p.beam_points == 0 && p.beam_model == BEAM_TIMOSHENKO);
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

/* Each row of words is refused with EXIT_OPTIONS, and the line holds the last entry. */
static void test_bad_words_are_one_complaint(void **state)
{
  static const struct {
    const char *words[6];
    const char *says;
  } cases[] = {
    {{"-stop_postion", "1"}, "did you mean -stop_position?"},
    {{"-amplitude", "1"}, "-sweep_amplitude"},
    {{"-output=x"}, "'-output x'"},
    {{"--quiet"}, "did you mean -quiet?"},
    {{"stray"}, "stray"},
    {{"-stop_position"}, "needs a value"},
    {{"-stop_position", "-quiet"}, "needs a value"},
    {{"-stop_position", ""}, "not a number"},
    {{"-stop_position", "1x"}, "not a number"},
    {{"-stop_position", "nan"}, "not a finite number"},
    {{"-stop_position", "-inf"}, "not a finite number"},
    {{"-stop_position", "1e999"}, "not a finite number"},
    {{"-damping_ratio", "1"}, "[0, 1)"},
    {{"-damping_ratio", "-0.1"}, "[0, 1)"},
    {{"-beam_beta", "0"}, "> 0"},
    {{"-beam_gamma", "-1"}, "> 0"},
    {{"-beam_points", "7"}, "0 or 8 to 512"},
    {{"-beam_points", "513"}, "0 or 8 to 512"},
    {{"-receptance_modes", "1"}, "0 or 2 to 400"},
    {{"-receptance_modes", "401"}, "0 or 2 to 400"},
    {{"-receptance_max_modes", "0"}, "2 to 400"},
    {{"-receptance_closure", "3"}, "0 to 2"},
    {{"-receptance_rtol", "0"}, "(0, 0.01]"},
    {{"-receptance_rtol", "0.02"}, "(0, 0.01]"},
    {{"-forcing_position", "0"}, "(0, 1]"},
    {{"-forcing_position", "1.01"}, "(0, 1]"},
    {{"-strobe_phase", "6.2831853071795865"}, "out of range"},
    {{"-literal_step", "0"}, "> 0"},
    {{"-flow_max_events", "0"}, "out of range"},
    {{"-flow", "Exact"}, "exact|literal"},
    {{"-quiet", "maybe"}, "true|false"},
    {{"-settle_periods", "-1"}, "out of range"},
    {{"-settle_periods", "2.5"}, "not a whole number"},
    {{"-settle_periods", "99999999999999999999"}, "out of range"},
    {{"-settle_periods", "4294967296"}, "out of range"},
    {{"-sample_periods", "0"}, "out of range"},
    {{"-max_period", "1025"}, "1 to 1024"},
    {{"-max_contacts", "0"}, "out of range"},
    {{"-sweep_check", "-1"}, "out of range"},
    {{"-sweep_frequency", "5:1:x"}, "first:last:count"},
    {{"-sweep_frequency", "5:1"}, "first:last:count"},
    {{"-sweep_frequency", "5:6:3:1"}, "first:last:count"},
    {{"-sweep_frequency", "5::3"}, "first:last:count"},
    {{"-sweep_frequency", ""}, "first:last:count"},
    {{"-sweep_frequency", "5:1:3"}, "must rise"},
    {{"-sweep_frequency", "5:5:3"}, "must rise"},
    {{"-sweep_frequency", "5:6:0"}, "count out of range"},
    {{"-sweep_frequency", "5:6:-3"}, "count out of range"},
    {{"-sweep_frequency", "5:6:1"}, "first and last must be equal"},
    {{"-sweep_frequency", "nan:6:3"}, "out of range"},
    {{"-sweep_frequency", "4:inf:3"}, "out of range"},
    {{"-sweep_frequency", "0:6:3"}, "out of range"},
    {{"-sweep_frequency", "1:1.0000000000000002:9"}, "too close"},
    {{"-sweep_amplitude", "-1:6:3"}, "out of range"},
    {{"-sweep_amplitude", "1:6:100000", "-sweep_frequency", "1:6:1001"}, "cells are too many"},
    {{"-output", ""}, "empty"},
    {{"-output", "a\nb"}, "a?b"},
    {{"-periods", "3"}, "belongs to graze trajectory"},
    {{"-initial_displacement", "-0.06"}, "inside the stop"},
    {{"-stop_position", "1.5"}, "inside the stop"},
    {{"-receptance_modes", "4", "-forcing_mode", "5"}, "at most -receptance_modes 4"},
    {{"-receptance_modes", "4", "-initial_mode", "5"}, "at most -receptance_modes 4"},
    {{"-forcing_mode", "301"}, "at most -receptance_max_modes 300"},
    {{"-max_period", "65"}, "-sample_periods"},
    {{"-max_periods", "163"}, "-settle_periods 100 and -sample_periods 64"},
    {{"-beam_beta", "3", "-beam_length", "1"}, "not both"},
    {{"-beam_width", "3", "-beam_gamma", "1"}, "not both"},
    {{"-units", "si"}, "needs -stop_position"},
    {{"-max_walltime", "1h"}, "is not a time; allowed: [D-]HH:MM:SS"},
    {{"-max_walltime", "90"}, "not a time"},
    {{"-max_walltime", ""}, "not a time"},
    {{"-max_walltime", "1:60:00"}, "not a time"},
    {{"-max_walltime", "1:00:60"}, "not a time"},
    {{"-max_walltime", "1:00:00:00"}, "not a time"},
    {{"-max_walltime", "1-24:00:00"}, "not a time"},
    {{"-max_walltime", "1-00:00"}, "not a time"},
    {{"-max_walltime", "-1:00"}, "not a time"},
    {{"-max_walltime", " 1:00"}, "not a time"},
    {{"-max_walltime", "1:00 "}, "not a time"},
    {{"-max_walltime", "UNLIMITED"}, "not a time"},
    {{"-max_walltime", "99999999:00"}, "not a time"},
    {{"-max_walltime", "00:00:00"}, "no time at all"},
    {{"-checkpoint_interval", "-1"}, ">= 0"},
    {{"-walltime_margin", "-1"}, ">= 0"},
    {{"-walltime_margin", "inf"}, "finite"},
    {{"-retry", "all"}, "none|failed"},
    {{"-shard", "0/4"}, "1 <= k <= N"},
    {{"-shard", "5/4"}, "out of range"},
    {{"-shard", "-1/4"}, "out of range"},
    {{"-shard", "1/0"}, "out of range"},
    {{"-shard", "3"}, "not k/N"},
    {{"-shard", "1/4/5"}, "not k/N"},
    {{"-shard", "a/4"}, "not k/N"},
    {{"-shard", "1/"}, "not k/N"},
    {{"-shard", "/4"}, "not k/N"},
    {{"-shard", "1/27"}, "at most 26, one for each of the amplitudes"},
    {{"-shard", "1/182", "-sweep_along", "amplitude"}, "at most 181, one for each of the frequencies"},
    {{"-options_file_yaml"}, "needs a file"},
    {{"-options_file_yaml", "a", "-options_file_yaml", "b"}, "given twice"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Params    p;
    Complaint c;
    int       n = 0;

    while (n < 6 && cases[i].words[n]) n++;
    c = Read(COMMAND_SWEEP, &p, n, cases[i].words);
    if (c.exit_code != EXIT_OPTIONS || !strstr(c.line, cases[i].says) || strchr(c.line, '\n'))
      fail_msg("%s %s: %d %s", cases[i].words[0], n > 1 ? cases[i].words[1] : "", c.exit_code, c.line);
  }
}

/* The neighbours of the above that are right. */
static void test_edges_are_accepted(void **state)
{
  static const char *const cases[][4] = {
    {"-damping_ratio", "0"},
    {"-damping_ratio", "0.9999999999999999"},
    {"-beam_points", "8"},
    {"-beam_points", "0"},
    {"-receptance_modes", "2"},
    {"-receptance_rtol", "1e-2"},
    {"-forcing_position", "1"},
    {"-strobe_phase", "6.283185307179585"},
    {"-initial_displacement", "-0.05"},
    {"-stop_position", "0.5"},
    {"-sweep_amplitude", "0"},
    {"-sweep_amplitude", "0:0:1"},
    {"-sweep_frequency", "5:5.0000000001:2"},
    {"-max_period", "64"},
    {"-max_periods", "164"},
    {"-forcing_mode", "301", "-forcing_type", "point"},
    {"-eps_tol", "1e-9", "-log_view"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Params    p;
    Complaint c;
    int       n = 0;

    while (n < 4 && cases[i][n]) n++;
    c = Read(COMMAND_SWEEP, &p, n, cases[i]);
    if (c.exit_code) fail_msg("%s %s: %s", cases[i][0], cases[i][1], c.line);
  }
}

static void test_bad_files_are_one_complaint(void **state)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    {"", "empty"},
    {"# nothing\n", "empty"},
    {"---\n", "empty"},
    {"hello\n", "line 1: expected 'option: value'"},
    {"- 1\n", "line 1: expected 'option: value'"},
    {"beam_beta: 1\na: b: c\n", "line 2: malformed YAML"},
    {"{beam_beta: 1\n", "malformed YAML"},
    {"beam:\n\tbeta: 1\n", "line 2: malformed YAML"},
    {"beam_beta: 1\nx: \xff\n", "line 2: malformed YAML"},
    {"beam_beta: 1\n\nbeam_beta: 2\n", "line 3: duplicate key 'beam_beta', first on line 1"},
    {"beam: {beta: 1}\nbeam_beta: 2\n", "line 2: duplicate key 'beam_beta'"},
    {"beam: {beta: 1}\nbeam: {gamma: 2}\n", "line 2: duplicate key 'beam'"},
    {"beam_beta: 1\nbeam_gama: 2\n", "line 2: unknown option 'beam_gama'; did you mean 'beam_gamma'?"},
    {"beem: {beta: 1}\n", "unknown option 'beem_beta'; did you mean 'beam_beta'?"},
    {"stop_position: [1, 2]\n", "line 1: a list"},
    {"stop_position: &a 1\n", "anchors"},
    {"stop_position: *a\n", "anchors"},
    {"stop_position: !!float 1\n", "tags"},
    {"stop_position: \"1\\0\"\n", "NUL"},
    {"? [a]\n: 1\n", "a key must be a plain word"},
    {"'': 1\n", "a key must be a plain word"},
    {"beam_beta: 1\n---\nbeam_beta: 2\n", "line 2: a second document"},
    {"stop_position:\n", "stop_position has no value"},
    {"stop_position: ~\n", "stop_position has no value"},
    {"damping_ratio: 1\n", "line 1: damping_ratio: '1' is out of range; allowed: [0, 1)"},
    {"damping_ratio: .nan\n", "not a number"},
    {"sweep_frequency: 5:1:x\n", "first:last:count"},
    {"log_view: \"\"\n", "command line"},
    {"a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", "nested too deeply"},
  };
  Params    p;
  Complaint c;

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    c = ReadText(COMMAND_SWEEP, &p, cases[i].text);
    if (c.exit_code != EXIT_FILES || !strstr(c.line, cases[i].says) || !strstr(c.line, yaml_path) || strchr(c.line, '\n'))
      fail_msg("%s: %d %s", cases[i].text, c.exit_code, c.line);
  }
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-options_file_yaml", "/nonexistent/run.yaml")).exit_code, EXIT_FILES);
  c = Read(COMMAND_SWEEP, &p, WORDS("-options_file_yaml", "/tmp"));
  assert_int_equal(c.exit_code, EXIT_FILES);
  assert_non_null(strstr(c.line, "directory"));
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-options_file_yaml", "/dev/zero")).exit_code, EXIT_FILES);
  /* a bad value in the file is not excused by a good one on the command line */
  WriteFile("damping_ratio: 2\n");
  assert_int_equal(Read(COMMAND_SWEEP, &p, WORDS("-options_file_yaml", yaml_path, "-damping_ratio", "0.1")).exit_code, EXIT_FILES);
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

/* Read, write, read: the same bits in every row that decides the data; and written again, the same text. */
static void RoundTrip(unsigned command, int argc, const char *const *argv)
{
  Params    first, second;
  Complaint c = Read(command, &first, argc, argv);
  char      text[2][8192];

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
      if (row->kind == PARAM_REAL && isnan(*(PetscReal *)((char *)&first + row->where)))
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
  RoundTrip(COMMAND_SWEEP, WORDS("-beam_beta", "0.30000000000000004", "-beam_gamma", "1e-310", "-stop_position", "-3.3333333333333331e-01",
                                 "-initial_velocity", "-0", "-sweep_frequency", "0.1:0.70000000000000007:7", "-sweep_amplitude", "1e22",
                                 "-sweep_direction", "both", "-overwrite", "-output", "x", "-max_walltime", "1:00:00", "-retry", "failed"));
  RoundTrip(COMMAND_TRAJECTORY,
            WORDS("-units", "si", "-beam_length", "0.3", "-beam_youngs_modulus", "2.1e11", "-beam_poisson_ratio", "0.3",
                  "-beam_shear_factor", "0.83333333333333337", "-beam_density", "7800", "-beam_width", "0.02", "-beam_height", "0.007",
                  "-stop_position", "-0.001", "-initial_displacement", "0", "-initial_velocity", "0.1", "-forcing_amplitude", "3",
                  "-forcing_frequency", "123.456789012345678", "-forcing_type", "point"));
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
  char              words[][24] = {"graze", "sweep",        "-eps_tol",       "1e-9", "-quiet",    "-log_view", "-output",
                                   "x",     "-malloc_dump", "-stop_position", "-1",   "-ksp_rtol", "-1e-3"};
  char             *argv[13], *own[13], *petsc[13];
  int               n_own, n_petsc;
  const char *const expect_own[]   = {"graze", "sweep", "-quiet", "-output", "x", "-stop_position", "-1"};
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
  GOOD(ParamsPrintHelp(COMMAND_SWEEP | COMMAND_TRAJECTORY, file));
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    assert_true(strlen(line) <= 101); /* with its newline */
    strcat(text, line);
  }
  for (PetscInt i = 0; i < params_table_size; i++) {
    (void)snprintf(line, sizeof line, "\n  -%s ", params_table[i].name);
    assert_non_null(strstr(text, line));
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
    cmocka_unit_test(test_bad_words_are_one_complaint),
    cmocka_unit_test(test_edges_are_accepted),
    cmocka_unit_test(test_bad_files_are_one_complaint),
    cmocka_unit_test(test_files_are_read),
    cmocka_unit_test(test_written_parameters_reproduce_the_run),
    cmocka_unit_test(test_range_values),
    cmocka_unit_test(test_arguments_are_shared_out),
    cmocka_unit_test(test_help_is_complete_and_narrow),
  };
  int failed, handle;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(yaml_path, sizeof yaml_path, "/tmp/graze_params_XXXXXX");
  handle = mkstemp(yaml_path);
  if (handle < 0) return 1;
  (void)close(handle);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(yaml_path);
  return PetscFinalize() ? 1 : failed;
}
