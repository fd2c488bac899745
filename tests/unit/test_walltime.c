/*
  Walltime: times as Slurm writes them, and the limit from the option, the environment or a squeue that may say anything or nothing.
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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "graze/walltime.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

static char folder[64], old_path[8192];

/* A squeue of our own, first on PATH. */
static void Squeue(const char *script)
{
  char  path[128];
  FILE *file;

  (void)snprintf(path, sizeof path, "%s/squeue", folder);
  file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fprintf(file, "#!/bin/sh\n%s\n", script) > 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0700), 0);
}

static void Environment(const char *end_time, const char *job)
{
  if (end_time) assert_int_equal(setenv("SLURM_JOB_END_TIME", end_time, 1), 0);
  else assert_int_equal(unsetenv("SLURM_JOB_END_TIME"), 0);
  if (job) assert_int_equal(setenv("SLURM_JOB_ID", job, 1), 0);
  else assert_int_equal(unsetenv("SLURM_JOB_ID"), 0);
}

static void test_times_are_parsed(void **state)
{
  static const struct {
    const char *text;
    PetscReal   seconds;
  } good[] = {{"0:00", 0}, {"00:00:00", 0}, {"4:59", 299}, {"90:00", 5400}, {"1:02:03", 3723}, {"01:02:03", 3723}, {"48:00:00", 172800}, {"0-00:00:01", 1}, {"1-02:03:04", 93784}, {"365-23:59:59", 31622399}};
  static const char *const bad[] = {"", ":", "5", "1:", ":30", "1:60", "1:60:00", "1:00:60", "1:00:00:00", "-1:00", "1--00:00:00", "1-24:00:00", "1-", "1-00", "1-00:00", "-", "1:00x", " 1:00", "1:00\n", "1.5:00", "+1:00", "0x1:00", "UNLIMITED", "INVALID", "NOT_SET", "99999999:00", "1-2-00:00:00"};

  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    PetscReal seconds = -1;

    if (!WalltimeParse(good[i].text, &seconds) || seconds != good[i].seconds) fail_msg("%s: %g", good[i].text, (double)seconds);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    PetscReal seconds = -1;

    if (WalltimeParse(bad[i], &seconds) || seconds != -1) fail_msg("'%s' was read: %g", bad[i], (double)seconds);
  }
}

/* Around every carry, and what is none or past. */
static void test_times_are_written(void **state)
{
  static const long seconds[] = {0, 1, 59, 60, 61, 3599, 3600, 3661, 86399, 86400, 86401, 90061, 172800, 31536000};
  char              text[32];

  (void)state;
  for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
    PetscReal back = -1;

    WalltimeFormat((PetscReal)seconds[i], text);
    if (!WalltimeParse(text, &back) || back != (PetscReal)seconds[i]) fail_msg("%ld: %s", seconds[i], text);
    WalltimeFormat((PetscReal)seconds[i] + 0.99, text);
    assert_true(WalltimeParse(text, &back) && back == (PetscReal)seconds[i]); /* down: nobody is promised more than there is */
  }
  WalltimeFormat(93784, text);
  assert_string_equal(text, "1-02:03:04");
  WalltimeFormat(3723, text);
  assert_string_equal(text, "01:02:03");
  WalltimeFormat(-5, text);
  assert_string_equal(text, "00:00:00");
  WalltimeFormat(INFINITY, text);
  assert_string_equal(text, "unlimited");
  WalltimeFormat(NAN, text);
  assert_string_equal(text, "unlimited");
}

/* What it says, its exit code, and the arguments it got, whose file is read last. */
static void test_squeue_is_asked(void **state)
{
  static const struct {
    const char *script, *why;
    PetscReal   left;
  } cases[] = {
    {"echo 1-02:03:04", "", 93784},
    {"echo '  59:59  '; echo 7:00", "", 3599},
    {"echo 0:00", "", 0},
    {"printf 1:00:00", "", 3600},
    {"echo UNLIMITED", "squeue said UNLIMITED", NAN},
    {"echo INVALID", "squeue said INVALID", NAN},
    {"echo NOT_SET", "squeue said NOT_SET", NAN},
    {"", "squeue said nothing", NAN},
    {"echo", "squeue said nothing", NAN},
    {"echo 1:00:00; exit 1", "squeue failed", NAN},
    {"kill -9 $$", "squeue failed", NAN},
    {"printf 'a\\001b'", "squeue said a?b", NAN},
    {"head -c 1000000 /dev/zero | tr '\\0' x", "squeue said xxxxxxxxxxxxxxxxxxxx", NAN},
    {"[ \"$*\" = '-h -j 42 -o %L' ] && echo 5:00", "", 300},
  };
  PetscReal left;
  char      why[48];

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Squeue(cases[i].script);
    GOOD(WalltimeAskSlurm("42", 10, &left, why));
    if (strcmp(why, cases[i].why) || !(left == cases[i].left || (isnan(left) && isnan(cases[i].left)))) fail_msg("%s: %s, %g", cases[i].script, why, (double)left);
  }
  Squeue("echo 5:00 >&2; exit 0"); /* stderr is not its answer */
  GOOD(WalltimeAskSlurm("42", 10, &left, why));
  assert_true(isnan(left));
  Squeue("echo 5:00");
  for (int i = 0; i < 4; i++) {
    static const char *const jobs[] = {"", "42; touch x", "4 2", "123456789012345678901"};

    GOOD(WalltimeAskSlurm(jobs[i], 10, &left, why));
    assert_true(isnan(left));
    assert_string_equal(why, "SLURM_JOB_ID is not a number");
  }
}

/* No process, or one that has ended and waits for whoever inherited it. */
static PetscBool IsDead(pid_t pid)
{
  char  path[64], state = 'Z';
  FILE *file;

  if (kill(pid, 0)) return PETSC_TRUE;
  (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  file = fopen(path, "r");
  if (!file) return kill(pid, 0) ? PETSC_TRUE : PETSC_FALSE;
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'Z'; /* ended while it was read */
  (void)fclose(file);
  return state == 'Z' ? PETSC_TRUE : PETSC_FALSE;
}

/* Given up in time, with whatever it started; 5 s is much more than the 0.3 s it may take and much less than its sleep. */
static void test_a_squeue_that_hangs_is_given_up(void **state)
{
  static const char *const hangs[] = {"sleep 100; echo 1:00", "echo 1:00; sleep 100", "echo 1:00; exec >&-; sleep 100", "sleep 100 & echo $! >$0.pid; sleep 100", "sleep 100 & echo $! >$0.pid; echo 1:00", "trap '' TERM; while :; do sleep 1; done", "trap '' TERM; echo 1:00; exec >&-; while :; do sleep 1; done", "while :; do echo 1:00; done"};

  (void)state;
  for (size_t i = 0; i < sizeof hangs / sizeof hangs[0]; i++) {
    struct timespec begin, end;
    char            script[256], path[128], why[48], line[64] = "";
    PetscReal       left;
    FILE           *file;

    (void)snprintf(path, sizeof path, "%s/squeue.pid", folder);
    (void)snprintf(script, sizeof script, "echo $$ >$0.pid\n%s", hangs[i]);
    Squeue(script);
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    GOOD(WalltimeAskSlurm("42", 0.3, &left, why));
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    if (!isnan(left) || strcmp(why, "squeue did not answer in 0.3 s")) fail_msg("%s: %s, %g", hangs[i], why, (double)left);
    assert_true(end.tv_sec - begin.tv_sec < 5);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    for (int wait = 0; wait < 1000 && !IsDead((pid_t)atoi(line)); wait++) (void)nanosleep(&(struct timespec){0, 5000000}, NULL);
    assert_true(IsDead((pid_t)atoi(line)));
  }
}

static void test_the_limit_and_who_says_so(void **state)
{
  Walltime     w;
  const double now = (double)time(NULL);
  char         text[32];

  (void)state;
  Squeue("echo 10:00");
  Environment(NULL, NULL);
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_true(w.end == INFINITY);
  assert_string_equal(w.source, "none");
  Environment("2000000000", "42"); /* the option beats both, and counts from the start */
  GOOD(WalltimeFind(90, 1000, &w));
  assert_true(w.end == 1090);
  assert_string_equal(w.source, "-max_walltime");
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_true(w.end == 2000000000);
  assert_string_equal(w.source, "SLURM_JOB_END_TIME");
  (void)snprintf(text, sizeof text, "%.0f", now - 5);
  Environment(text, "42"); /* past is past: the job is about to be killed */
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_true(w.end == now - 5);
  Environment(NULL, "42");
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_string_equal(w.source, "squeue");
  assert_true(w.end >= now + 600 && w.end < now + 660); /* a minute for what this machine may have been busy with */
  for (int i = 0; i < 4; i++) {
    static const char *const ends[] = {"soon", "0", "4294967295", "-5"};

    Environment(ends[i], "42");
    GOOD(WalltimeFind(NAN, 1000, &w));
    assert_string_equal(w.source, "squeue");
    Environment(ends[i], NULL);
    GOOD(WalltimeFind(NAN, 1000, &w));
    assert_true(w.end == INFINITY);
    assert_string_equal(w.source, "none (SLURM_JOB_END_TIME is not a time)");
  }
  Environment("", "");
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_string_equal(w.source, "none");
  Environment(NULL, "x");
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_true(w.end == INFINITY);
  assert_string_equal(w.source, "none (SLURM_JOB_ID is not a number)");
  Squeue("echo UNLIMITED");
  Environment(NULL, "42");
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_true(w.end == INFINITY);
  assert_string_equal(w.source, "none (squeue said UNLIMITED)");
  assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
  GOOD(WalltimeFind(NAN, 1000, &w));
  assert_string_equal(w.source, "none (squeue cannot be started)");
}

static int SetUp(void **state)
{
  char path[9000];

  (void)state;
  (void)snprintf(path, sizeof path, "%s:%s", folder, old_path);
  return setenv("PATH", path, 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_times_are_parsed),
    cmocka_unit_test(test_times_are_written),
    cmocka_unit_test_setup(test_squeue_is_asked, SetUp),
    cmocka_unit_test_setup(test_a_squeue_that_hangs_is_given_up, SetUp),
    cmocka_unit_test_setup(test_the_limit_and_who_says_so, SetUp),
  };
  char path[128];
  int  failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  (void)snprintf(old_path, sizeof old_path, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  (void)snprintf(folder, sizeof folder, "/tmp/graze_walltime_XXXXXX");
  if (!mkdtemp(folder)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)snprintf(path, sizeof path, "%s/squeue", folder);
  (void)unlink(path);
  (void)snprintf(path, sizeof path, "%s/squeue.pid", folder);
  (void)unlink(path);
  (void)rmdir(folder);
  return PetscFinalize() ? 1 : failed;
}
