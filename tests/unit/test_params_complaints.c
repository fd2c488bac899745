/*
  Params: whatever is bad, a word or a line of a file, is one complaint that names it and says what is allowed; its neighbours are right.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <string.h>

#include "support/read_params.h"

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
    {{"-flow", "Exact"}, "exact|literal|restitution"},
    {{"-beam_tip_values", ""}, "not a list of numbers"},
    {{"-beam_tip_values", "1,"}, "not a list of numbers"},
    {{"-beam_tip_values", "1,,2"}, "not a list of numbers"},
    {{"-beam_tip_values", "1;2"}, "not a list of numbers"},
    {{"-beam_tip_values", "1,-inf"}, "out of range; allowed: list finite"},
    {{"-beam_tip_values", "-inf,1"}, "out of range"},
    {{"-beam_frequencies", "1,-2"}, "out of range; allowed: list >= 0"},
    {{"-beam_damping_ratios", "0.1,1"}, "list [0, 1)"},
    {{"-beam_tip_values", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
     "64 at most"},
    {{"-restitution_coefficient", "1.1"}, "[0, 1]"},
    {{"-contact_position", "0"}, "(0, 1]"},
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
    {{"-kernel_times", "3"}, "belongs to graze kernel"},
    {{"-asymptotics_times", "3"}, "belongs to graze asymptotics"},
    {{"-initial_displacement", "-0.06"}, "inside the stop"},
    {{"-stop_position", "1.5"}, "inside the stop"},
    {{"-receptance_modes", "4", "-forcing_mode", "5"}, "at most -receptance_modes 4"},
    {{"-receptance_modes", "4", "-initial_mode", "5"}, "at most -receptance_modes 4"},
    {{"-forcing_mode", "301"}, "at most -receptance_max_modes 300"},
    {{"-max_period", "65"}, "-sample_periods"},
    {{"-max_periods", "163"}, "-settle_periods 100 and -sample_periods 64"},
    {{"-lyapunov_periods", "79"}, "at least 80, or 0"},
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
    {"-lyapunov_periods", "80"},
    {"-lyapunov_periods", "0"},
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
    {"stop_position: [1, 2]\n", "line 1: a list is not a value of stop_position"},
    {"sweep_frequency: [4, 40, 181]\n", "a list is not a value of sweep_frequency; write a range as"},
    {"beam_tip_values: [1, [2]]\n", "line 1: a list holds one number after another"},
    {"beam_tip_values: [{a: 1}]\n", "one number after another"},
    {"beam_tip_values: ['1,2', 3]\n", "one number after another"},
    {"beam_tip_values: [1, '']\n", "one number after another"},
    {"beam_tip_values: []\n", "not a list of numbers"},
    {"beam_tip_values: [1, x]\n", "'1,x' is not a list of numbers"},
    {"beam_tip_values: &a [1, 2]\n", "anchors"},
    {"beam_tip_values: [1, *a]\n", "anchors"},
    {"beam_tip_values: !!seq [1]\n", "tags"},
    {"beam_tip_values: [1, 2\n", "malformed YAML"},
    {"beam_tip_values: [1, 2]\nbeam: {tip_values: 3}\n", "line 2: duplicate key"},
    {"beam_tip_values: [1, .nan]\n", "not a list"},
    {"kernel_beam_points: [8, 7]\n", "list 8 to 512"},
    {"kernel_beam_points: [8, 9.5]\n", "not a list"},
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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bad_words_are_one_complaint),
    cmocka_unit_test(test_edges_are_accepted),
    cmocka_unit_test(test_bad_files_are_one_complaint),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  ReadParamsBegin();
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ReadParamsEnd();
  return PetscFinalize() ? 1 : failed;
}
