/*
  Params: what options say about each other. Each structure has its own numbers, ends, contact points and flows; a singular one takes
  restitution alone.   [theory 4, 13-17]
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/read_params.h"

#define MOST_WORDS 40

/* `line` cut at its blanks. */
static Complaint ReadLine(unsigned command, Params *p, const char *line)
{
  static char text[1024];
  const char *words[MOST_WORDS];
  int         n = 0;

  (void)snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    assert_true(n < MOST_WORDS);
    words[n++] = word;
  }
  return Read(command, p, n, words);
}

typedef struct {
  unsigned    command;
  const char *words, *says; /* NULL: accepted */
} Line;

static void Check(size_t n, const Line *lines)
{
  for (size_t i = 0; i < n; i++) {
    Params          p;
    const Complaint c = ReadLine(lines[i].command, &p, lines[i].words);

    if (!lines[i].says ? c.exit_code : c.exit_code != EXIT_OPTIONS || !strstr(c.line, lines[i].says) || strchr(c.line, '\n'))
      fail_msg("%s: exit code %d, '%s', wanted '%s'", lines[i].words, c.exit_code, c.line, lines[i].says ? lines[i].says : "");
  }
}
#define CHECK(lines) Check(sizeof(lines) / sizeof(lines)[0], lines)

#define SWEEP       COMMAND_SWEEP
#define TRAJECTORY  COMMAND_TRAJECTORY
#define KERNEL      COMMAND_KERNEL
#define ASYMPTOTICS COMMAND_ASYMPTOTICS
#define RESTITUTION "-flow restitution -receptance_modes 20 "
#define ROD         "-beam_model rod "
#define STRING      "-beam_model string "
#define EB          "-beam_model euler_bernoulli "
#define FREE        "-beam_ends free_free "
#define MODES       "-beam_model modes -flow restitution "
#define THREE       MODES "-beam_frequencies 1,2,3 -beam_tip_values 1,-1,2 "

static void test_ends_and_contact(void **state)
{
  static const Line lines[] = {
    {SWEEP, "-beam_ends pinned_pinned", "-contact_position: 1 is held fixed by -beam_ends pinned_pinned; allowed: (0, 1)"},
    {TRAJECTORY, "-beam_ends clamped_pinned", "-contact_position: 1 is held"},
    {KERNEL, "-beam_ends clamped_clamped", "-contact_position: 1 is held"},
    {SWEEP, "-beam_ends pinned_pinned -contact_position 0.5", NULL},
    {SWEEP, "-beam_ends clamped_pinned -contact_position 0.999", NULL},
    {SWEEP, "-beam_ends clamped_clamped -contact_position 0.5 -forcing_type point", "-forcing_position: 1 is held fixed"},
    {SWEEP, "-beam_ends clamped_clamped -contact_position 0.5 -forcing_type point -forcing_position 0.5", NULL},
    {SWEEP, "-contact_position 0.5", NULL},
    {KERNEL, FREE, NULL},
    {KERNEL, FREE "-contact_position 0.5", NULL},
    {KERNEL, STRING "-beam_ends pinned_pinned", "-beam_ends: pinned_pinned is not for -beam_model string; allowed: clamped_free or free_free"},
    {KERNEL, ROD "-beam_ends clamped_clamped -contact_position 0.5", "clamped_clamped is not for -beam_model rod"},
    {KERNEL, STRING FREE, NULL},
    {KERNEL, ROD FREE "-contact_position 0.3", NULL},
    {KERNEL, EB FREE, "free_free is not for -beam_model euler_bernoulli; allowed: clamped_free"},
    {KERNEL, EB "-contact_position 0.3", NULL},
    {ASYMPTOTICS, "", NULL},
  };

  (void)state;
  CHECK(lines);
}

/* Every number has its models, and no other takes it. */
static void test_numbers_of_another_model(void **state)
{
  static const Line lines[] = {
    {SWEEP, STRING "-beam_beta 4800", "-beam_beta is for -beam_model timoshenko; -beam_model string does not use it"},
    {KERNEL, ROD "-beam_gamma 1", "-beam_gamma is for -beam_model timoshenko"},
    {KERNEL, EB "-beam_gamma 0.25", "-beam_gamma is for"},
    {KERNEL, "-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -beam_beta 1", "-beam_beta is for"},
    {SWEEP, "-beam_wave_speed 2", "-beam_wave_speed is for -beam_model string and rod; -beam_model timoshenko"},
    {KERNEL, EB "-beam_wave_speed 2", "-beam_model euler_bernoulli does not use it"},
    {SWEEP, "-beam_wave_speed 1", NULL}, /* the default is written with every model */
    {SWEEP, STRING "-beam_wave_speed 2", NULL},
    {SWEEP, "-beam_frequencies 1,2", "-beam_frequencies is for -beam_model modes"},
    {KERNEL, ROD "-beam_tip_values 1", "-beam_tip_values is for -beam_model modes"},
    {KERNEL, EB "-beam_damping_ratios 0", "-beam_damping_ratios is for -beam_model modes"},
    {SWEEP, STRING "-beam_length 1", "-beam_length: -beam_model string has no SI set"},
    {SWEEP, THREE "-beam_area 1", "-beam_area: -beam_model modes has no SI set"},
    {SWEEP, STRING "-units si", "-units: si needs an SI set, and -beam_model string has none"},
    {KERNEL, EB "-beam_shear_factor 0.8", "-beam_shear_factor: the SI set of -beam_model euler_bernoulli does not hold it"},
    {KERNEL, EB "-beam_poisson_ratio 0.3", "-beam_poisson_ratio: the SI set"},
    {KERNEL, EB "-beam_shear_modulus 1", "-beam_shear_modulus: the SI set"},
    {KERNEL, ROD "-beam_second_moment 1", "-beam_second_moment: the SI set of -beam_model rod"},
    {KERNEL, ROD "-beam_shear_factor 1", "-beam_shear_factor: the SI set of -beam_model rod"},
    {KERNEL, ROD "-beam_length 1 -beam_wave_speed 2", "by its wave speed or by its SI set, not both"},
    {KERNEL, EB "-beam_second_moment 1", NULL},
    {KERNEL, ROD "-beam_width 1", NULL},
    {KERNEL, "-units si -beam_length 1 -kernel_min_time 1", "-units si needs -kernel_max_time too"},
    {KERNEL, "-units si -beam_length 1 -kernel_max_time 1", "-units si needs -kernel_min_time too"},
    {KERNEL, "-units si -beam_length 1 -kernel_max_time 1 -kernel_min_time 0.1", NULL},
    {SWEEP, THREE "-damping_ratio 0.2", NULL},
  };
  Params p;

  (void)state;
  CHECK(lines);
  /* no slenderness where there is none */
  assert_int_equal(ReadLine(SWEEP, &p, STRING).exit_code, 0);
  assert_true(isnan(p.beam_beta) && isnan(p.beam_gamma) && p.beam_wave_speed == 1);
}

static void test_flows_of_a_structure(void **state)
{
  static const Line lines[] = {
    {SWEEP, EB, "-flow: exact needs a contact force that is finite, and -beam_model euler_bernoulli is singular (L+ = 0); allowed: -flow restitution (graze kernel"},
    {TRAJECTORY, EB "-flow literal", "-flow: literal needs"},
    {SWEEP, "-beam_model modes -beam_frequencies 1,2 -beam_tip_values 1,1", "-beam_model modes is singular (L+ = 0)"},
    {SWEEP, EB RESTITUTION, NULL},
    {KERNEL, EB, NULL},
    {SWEEP, FREE, "-flow: exact with -beam_ends free_free, whose rigid motion"},
    {SWEEP, FREE "-flow literal", "-flow: literal with -beam_ends free_free is for the waves"},
    {SWEEP, FREE RESTITUTION, NULL},
    {SWEEP, ROD FREE, "allowed: restitution, or literal with -damping_ratio 0"},
    {SWEEP, ROD FREE "-flow literal", "or literal with -damping_ratio 0 and -literal_kernel closed"},
    {SWEEP, ROD FREE "-flow literal -damping_ratio 0 -literal_kernel bare", "-literal_kernel closed"},
    {SWEEP, ROD FREE "-flow literal -damping_ratio 0", NULL},
    {SWEEP, STRING, NULL},
    {SWEEP, STRING "-flow literal", NULL},
    {SWEEP, "-flow restitution", "-flow restitution needs -receptance_modes: its result depends on how many modes there are"},
    {SWEEP, THREE, NULL},
    {SWEEP, RESTITUTION, NULL},
    {SWEEP, RESTITUTION "-receptance_closure 1", "-receptance_closure: 1 with -flow restitution, which has modes and no tail"},
    {SWEEP, "-receptance_closure 1", NULL},
    {SWEEP, "-restitution_coefficient 0.5", "-restitution_coefficient: 0.5 with -flow exact"},
    {SWEEP, RESTITUTION "-restitution_coefficient 0", NULL},
    {SWEEP, "-restitution_coefficient 1", NULL}, /* the default is written with every flow */
    {SWEEP, RESTITUTION "-sweep_check 3", "-sweep_check: 3 cells of -flow restitution; allowed: 0, or -flow exact"},
    {SWEEP, "-flow literal -sweep_check 3", "-sweep_check: 3 cells of -flow literal"},
    {SWEEP, "-sweep_check 3", NULL},
  };

  (void)state;
  CHECK(lines);
}

static void test_modes_as_a_list(void **state)
{
  static const Line lines[] = {
    {SWEEP, MODES, "-beam_model modes needs -beam_frequencies"},
    {SWEEP, MODES "-beam_frequencies 1,2", "-beam_tip_values: 0 numbers; allowed: one for each of the 2"},
    {SWEEP, MODES "-beam_frequencies 1,2 -beam_tip_values 1", "-beam_tip_values: 1 numbers"},
    {SWEEP, MODES "-beam_frequencies 2,2 -beam_tip_values 1,1", "-beam_frequencies: 2 after 2; allowed: rising"},
    {SWEEP, MODES "-beam_frequencies 2,1 -beam_tip_values 1,1", "1 after 2"},
    {SWEEP, MODES "-beam_frequencies 0,0 -beam_tip_values 1,1", "only the first may be 0"},
    {SWEEP, MODES "-beam_frequencies 0,1 -beam_tip_values 1,1", NULL},
    {SWEEP, MODES "-beam_frequencies 0,1 -beam_tip_values 1,0", "-beam_tip_values: number 2 is 0"},
    {SWEEP, THREE "-beam_damping_ratios 0.1", "-beam_damping_ratios: 1 numbers; allowed: one for each of the 3"},
    {SWEEP, THREE "-beam_damping_ratios 0.1,0,0.99", NULL},
    {SWEEP, THREE "-receptance_modes 4", "-receptance_modes: 4; allowed: at most the 3"},
    {SWEEP, THREE "-receptance_modes 3", NULL},
    {SWEEP, THREE "-beam_points 20", "-beam_points: 20 with -beam_model modes"},
    {SWEEP, THREE "-contact_position 0.5", "-contact_position: 0.5 with -beam_model modes"},
    {SWEEP, THREE FREE, "-beam_ends: free_free with -beam_model modes"},
    {SWEEP, THREE "-forcing_type base", "-forcing_type: base needs the shapes"},
    {SWEEP, THREE "-forcing_type shape", "-forcing_type: shape needs the shapes"},
    {SWEEP, THREE "-forcing_type point", NULL},
    {SWEEP, THREE "-forcing_type point -forcing_position 0.5", "-forcing_position: 0.5 with -beam_model modes"},
    {SWEEP, THREE "-forcing_mode 4", "-forcing_mode: 4 is not among the modes; allowed: at most the number of -beam_frequencies, 3"},
    {SWEEP, THREE "-forcing_mode 3 -receptance_modes 2", "at most -receptance_modes 2"},
    {SWEEP, THREE "-initial_mode 4", "-initial_mode: 4 is not among the modes"},
    {SWEEP, THREE "-initial_mode 3 -forcing_mode 3", NULL},
    {SWEEP, "-beam_model modes -flow restitution -beam_frequencies 1.0 -beam_tip_values 1.0 -beam_damping_ratios 0.02 -forcing_mode 1", NULL},
  };

  (void)state;
  CHECK(lines);
}

static void test_starts(void **state)
{
  static const Line lines[] = {
    {SWEEP, "-initial_shape linear", "-initial_shape: linear is for -beam_model string and rod; allowed: mode"},
    {SWEEP, THREE "-initial_shape uniform", "-initial_shape: uniform is for"},
    {SWEEP, ROD "-initial_shape uniform", NULL},
    {SWEEP, STRING "-initial_shape linear -initial_mode 2", "-initial_mode: 2 with -initial_shape linear"},
    {SWEEP, STRING "-initial_shape linear -initial_mode 1", NULL}, /* the default is written with every shape */
    {SWEEP, "-stop_side above", "-initial_displacement: 1 is inside the stop; allowed: at or below -stop_position -0.05"},
    {SWEEP, "-stop_side above -stop_position 1", NULL},
    {SWEEP, "-stop_side above -stop_position 1 -initial_displacement 1.1", "1.1 is inside the stop"},
    {SWEEP, "-stop_side above -stop_position 1 -initial_displacement -3", NULL},
    /* u = x there is half of u at 1 */
    {SWEEP, STRING "-initial_shape linear -contact_position 0.5 -initial_displacement -0.1", NULL},
    {SWEEP, STRING "-initial_shape linear -contact_position 0.5 -initial_displacement -0.11", "-0.055 at the contact point is inside the stop"},
    {SWEEP, STRING "-initial_shape uniform -contact_position 0.5 -initial_displacement -0.1", "-0.1 is inside the stop"},
    /* where nodes may stand, the spectrum is asked */
    {SWEEP, "-receptance_modes 4 -forcing_mode 5", "at most -receptance_modes 4"},
    {SWEEP, "-receptance_modes 4 -forcing_mode 5 -contact_position 0.5", NULL},
    {SWEEP, "-receptance_modes 4 -initial_mode 5 -beam_ends clamped_pinned -contact_position 0.5", NULL},
  };

  (void)state;
  CHECK(lines);
}

static void test_grids(void **state)
{
  static const Line lines[] = {
    {KERNEL, "-kernel_min_time 1", "-kernel_min_time: 1; allowed: below -kernel_max_time 1"},
    {KERNEL, "-kernel_max_time 1e-7", "below -kernel_max_time 1e-07"},
    {KERNEL, "-kernel_beam_points 20,40,40", "-kernel_beam_points: 40 after 40; allowed: rising"},
    {KERNEL, "-kernel_beam_points 40", NULL},
    {ASYMPTOTICS, "-asymptotics_max_time 1e-6", "-asymptotics_min_time: 1e-06; allowed: below -asymptotics_max_time 1e-06"},
    {ASYMPTOTICS, "-asymptotics_alpha 0.5", "(0.5, 4]"},
    {ASYMPTOTICS, "-asymptotics_velocity 0", "out of range"},
    {ASYMPTOTICS, "-beam_beta 3", "belongs to graze sweep, graze trajectory, graze continue, graze kernel"},
  };
  Params p;

  (void)state;
  CHECK(lines);
  /* in a file for several commands only what the command takes is related */
  assert_int_equal(ReadText(SWEEP, &p, "kernel_min_time: 5\n").exit_code, 0);
  assert_int_equal(ReadText(ASYMPTOTICS, &p, "beam_ends: pinned_pinned\nflow: restitution\n").exit_code, 0);
  assert_int_equal(ReadText(KERNEL, &p, "beam_model: euler_bernoulli\nflow: exact\nsweep_check: 1\n").exit_code, 0);
  assert_int_equal(ReadText(TRAJECTORY, &p, "sweep_check: 1\nflow: literal\n").exit_code, 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ends_and_contact), cmocka_unit_test(test_numbers_of_another_model), cmocka_unit_test(test_flows_of_a_structure),
    cmocka_unit_test(test_modes_as_a_list),  cmocka_unit_test(test_starts),                   cmocka_unit_test(test_grids),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  ReadParamsBegin();
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  ReadParamsEnd();
  return PetscFinalize() ? 1 : failed;
}
