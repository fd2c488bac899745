/*
  Status and events: what is written is strict JSON and reads back; what was not written by us is never taken for a status, and never harms;
  events.jsonl loses what the journal lost and nothing else.
*/
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/status.h"
#include "app/status_read.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

enum { LARGEST = 4 << 20 };

static char folder[64], *buffer; /* buffer: of LARGEST bytes */

static const char *Path(const char *name)
{
  static char path[128];

  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void Put(const char *name, size_t n, const char *text)
{
  FILE *file = fopen(Path(name), "w");

  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

static size_t Get(const char *name)
{
  FILE  *file = fopen(Path(name), "r");
  size_t n;

  assert_non_null(file);
  n         = fread(buffer, 1, LARGEST - 1, file);
  buffer[n] = '\0';
  (void)fclose(file);
  return n;
}

/* Python's json is strict but for NaN and Infinity, which it is told to refuse. `code` sees the file as d, events.jsonl as a list. */
static void Python(const char *name, const char *code)
{
  const char *python = getenv("PYTHON");
  FILE       *script = fopen(Path("check.py"), "w");
  char        command[512];

  assert_non_null(script);
  (void)fprintf(script,
                "import json\n"
                "def refuse(word): raise ValueError(word)\n"
                "text = open('%s/%s', encoding='utf-8').read()\n"
                "load = lambda t: json.loads(t, parse_constant=refuse)\n"
                "d = [load(line) for line in text.splitlines()] if '%s'.endswith('l') else load(text)\n"
                "%s\n",
                folder, name, name, code);
  assert_int_equal(fclose(script), 0);
  (void)snprintf(command, sizeof command, "%s %s/check.py", python ? python : "python3", folder);
  assert_int_equal(system(command), 0);
}

static void Empty(void)
{
  static const char *const names[] = {"status.json", "status.json.partial", "events.jsonl", "check.py"};

  for (int i = 0; i < 4; i++) (void)unlink(Path(names[i]));
}

static int Clear(void **state)
{
  (void)state;
  Empty();
  return 0;
}

/* ---- a run in full ---- */

typedef struct {
  Params          params;
  Grid            grid;
  CellLayout      layout;
  Walltime        walltime;
  CheckpointFacts checkpoint;
  LedgerTally     tally;
  PoolRank       *ranks;
  StatusFacts     facts;
} Run;

/* 3 amplitudes 10, 20, 30; 5 frequencies 4 .. 8; lines along the frequency, up and down. Rank r is in the cell (r, r) of its line. */
static void MakeRun(PetscMPIInt size, Run *run)
{
  const char *const words[] = {"-sweep_amplitude", "10:30:3", "-sweep_frequency", "4:8:5", "-sweep_direction", "both"};
  Complaint         c       = {0};

  memset(run, 0, sizeof *run);
  GOOD(ParamsRead(PETSC_COMM_SELF, COMMAND_SWEEP, 6, (char **)(uintptr_t)words, &run->params, &c));
  assert_string_equal(c.line, "");
  GOOD(GridSetUp(&run->params, &run->grid));
  CellLayoutSetUp(&run->params, 7, &run->layout);
  run->ranks = calloc((size_t)size, sizeof *run->ranks);
  assert_non_null(run->ranks);
  for (PetscMPIInt r = 0; r < size; r++)
    run->ranks[r] = (PoolRank){.unit = r % run->grid.n_units, .step = r % run->grid.line_length, .since = 90, .heard = 98.5, .busy = r ? 0.5 : NAN};
  run->walltime   = (Walltime){.end = 1700003600, .source = "SLURM_JOB_END_TIME"};
  run->checkpoint = (CheckpointFacts){.generation = 4, .records = 9, .last = 1699999000, .seconds = 0.25, .bytes = 123456};
  run->tally      = (LedgerTally){.n_slowest = 2, .slowest = {{.seconds = 2.5, .amplitude = 0.1, .frequency = 7, .direction = 1}, {.seconds = 1.25, .amplitude = 0.30000000000000004, .frequency = 4, .direction = -1}}};
  run->facts      = (StatusFacts){.state = STATE_RUNNING, .message = "", .exit_code = -1, .session = 2, .done = 12, .total = 30, .finished = 5, .now = 1700000000, .begin = 1699999900, .work_begin = 1699999990,
                                  .walltime = &run->walltime, .checkpoint = &run->checkpoint, .size = size, .ranks = run->ranks, .mpi_now = 100, .silent_after = 5, .grid = &run->grid, .tally = &run->tally};
}

static void test_a_run_is_written_and_read(void **state)
{
  Run        run;
  StatusRead s;

  (void)state;
  assert_int_equal(setenv("SLURM_JOB_ID", "77", 1), 0);
  MakeRun(4, &run);
  run.ranks[0].heard = 100.02; /* a moment after the facts were taken */
  run.ranks[2].heard = 60; /* 40 s without a word, in work */
  run.ranks[3].heard = 60; /* in none */
  run.ranks[3].unit  = -1;
  assert_true(StatusWrite(folder, &run.facts));
  assert_int_equal(access(Path("status.json.partial"), F_OK), -1);
  Python("status.json",
         "assert d['state'] == 'running' and d['message'] == '' and d['exit_code'] is None and d['session'] == 2\n"
         "assert d['job'] == '77' and d['host']\n"
         "assert d['cells_done'] == 12 and d['cells_total'] == 30 and d['cells_finished_in_session'] == 5\n"
         "assert d['rate_per_second'] == 0.5 and d['eta_seconds'] == 36\n" /* five in the ten seconds of work; 18 are left */
         "assert d['started'] == 1699999900 and d['started_utc'] == '2023-11-14T22:11:40Z'\n"
         "assert d['updated'] == 1700000000 and d['updated_utc'] == '2023-11-14T22:13:20Z'\n"
         "assert d['time_limit'] == {'source': 'SLURM_JOB_END_TIME', 'end': 1700003600, 'end_utc': '2023-11-14T23:13:20Z', 'seconds_left': 3600}\n"
         "assert d['last_checkpoint'] == {'time': 1699999000, 'seconds': 0.25, 'generation': 4, 'journal_bytes': 123456}\n"
         "assert d['n_ranks'] == 4 and d['busy'] == [None, 0.5, 0.5, 0.5] and d['silent_ranks'] == [2] and len(d['ranks']) == 4\n"
         "r = d['ranks'][2]\n"
         "assert r == {'rank': 2, 'busy': 0.5, 'silent': True, 'unit': 2, 'step': 2, 'direction': 1, 'amplitude': 30, 'frequency': 6, 'seconds_in_cell': 10, 'silent_seconds': 40}, r\n"
         "assert [r['silent'] for r in d['ranks']] == [False, False, True, False] and d['ranks'][1]['amplitude'] == 20\n"
         "assert d['ranks'][0]['silent_seconds'] == 0 and not str(d['ranks'][0]['silent_seconds']).startswith('-')\n"
         "r = d['ranks'][3]\n"
         "assert r['unit'] is None and r['step'] is None and r['amplitude'] is None and r['direction'] is None and r['seconds_in_cell'] is None\n"
         "assert d['slowest_cells'] == [{'seconds': 2.5, 'amplitude': 0.1, 'frequency': 7, 'direction': 1}, {'seconds': 1.25, 'amplitude': 0.30000000000000004, 'frequency': 4, 'direction': -1}]\n");
  GOOD(StatusReadFile(folder, &s));
  assert_true(s.found && s.state == STATE_RUNNING && s.exit_code == -1 && s.session == 2 && s.done == 12 && s.total == 30 && s.finished == 5 && s.silent == 1);
  assert_true(s.now == 1700000000 && s.begin == 1699999900 && s.rate == 0.5 && s.eta == 36 && s.limit == 1700003600 && s.last_checkpoint == 1699999000);
  assert_string_equal(s.job, "77");
  assert_true(*s.host);
  /* a down line begins at its upper end */
  run.ranks[1].unit = 4; /* direction 1, line 1 */
  run.ranks[1].step = 1;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "r = d['ranks'][1]\nassert (r['direction'], r['amplitude'], r['frequency']) == (-1, 20, 7), r\n");
  free(run.ranks);
}

/* Nothing is known yet, and what is known is no number: null throughout, whatever the state. */
static void test_unknown_is_null(void **state)
{
  Run        run;
  StatusRead s;

  (void)state;
  assert_int_equal(unsetenv("SLURM_JOB_ID"), 0);
  for (int i = 0; i < STATE_COUNT; i++) {
    const StatusFacts none = {.state = (RunState)i, .exit_code = -1, .total = 30, .now = 1700000000, .begin = 1700000000};

    assert_true(StatusWrite(folder, &none));
    Python("status.json", "assert d['time_limit'] is None and d['last_checkpoint'] is None and d['rate_per_second'] is None and d['job'] is None and d['message'] == ''\n"
                          "assert d['busy'] == d['ranks'] == d['silent_ranks'] == d['slowest_cells'] == []\n"
                          "assert d['eta_seconds'] == (0 if d['state'] == 'complete' else None)\n");
    GOOD(StatusReadFile(folder, &s));
    assert_true(s.found && s.state == (RunState)i && s.done == 0 && s.total == 30 && isnan(s.rate) && isnan(s.limit) && isnan(s.last_checkpoint));
    assert_string_equal(s.message, "");
  }
  MakeRun(2, &run);
  run.walltime = (Walltime){.end = INFINITY, .source = "none"};
  run.checkpoint.last = 0;
  run.checkpoint.seconds = NAN;
  run.tally.slowest[0].amplitude = NAN;
  run.ranks[1] = (PoolRank){.unit = 1000, .step = 1000, .since = NAN, .heard = -INFINITY, .busy = INFINITY}; /* of another grid */
  run.facts.now = run.facts.begin = run.facts.mpi_now = NAN;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['time_limit'] == {'source': 'none', 'end': None, 'end_utc': None, 'seconds_left': None}\n"
                        "assert d['last_checkpoint']['time'] is None and d['last_checkpoint']['seconds'] is None\n"
                        "assert d['busy'] == [None, None] and d['ranks'][1]['amplitude'] is None and d['ranks'][1]['unit'] == 1000 and d['ranks'][1]['direction'] is None\n"
                        "assert d['updated'] is None and d['updated_utc'] is None and d['slowest_cells'][0]['amplitude'] is None\n");
  GOOD(StatusReadFile(folder, &s));
  assert_true(s.found && isnan(s.now) && isnan(s.limit));
  free(run.ranks);
}

/* The rate of a run that goes on counts what this session did; a run that is not running has no end in sight. */
static void test_rate_and_eta(void **state)
{
  Run run;

  (void)state;
  MakeRun(1, &run);
  run.facts.work_begin = 0; /* as begin: 5 cells in 100 s */
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['rate_per_second'] == 0.05 and d['eta_seconds'] == 360\n");
  run.facts.finished = 0;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['rate_per_second'] is None and d['eta_seconds'] is None\n");
  run.facts.finished  = 5;
  run.facts.state     = STATE_STOPPED;
  run.facts.exit_code = EXIT_COME_BACK;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['rate_per_second'] == 0.05 and d['eta_seconds'] is None and d['exit_code'] == 85\n");
  run.facts.state = STATE_COMPLETE;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['eta_seconds'] == 0\n");
  free(run.ranks);
}

/* Thousands of ranks: a number each, an object for the silent ones alone. 33 ranks are many, 32 are few. */
static void test_many_ranks(void **state)
{
  Run        run;
  StatusRead s;

  (void)state;
  MakeRun(5000, &run);
  for (PetscMPIInt r = 1; r < 5000; r++) run.ranks[r].busy = (PetscReal)r / 5000;
  for (PetscMPIInt r = 4000; r < 4003; r++) run.ranks[r].heard = 0;
  assert_true(StatusWrite(folder, &run.facts));
  assert_true(Get("status.json") < 5000 * 8 + 3000); /* "0.1234, " a rank, and the rest */
  Python("status.json", "assert len(d['busy']) == 5000 and d['busy'][2500] == 0.5 and d['silent_ranks'] == [4000, 4001, 4002]\n"
                        "assert [r['rank'] for r in d['ranks']] == [4000, 4001, 4002]\n");
  GOOD(StatusReadFile(folder, &s));
  assert_true(s.found && s.silent == 3);
  run.facts.size = 33;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert len(d['busy']) == 33 and d['ranks'] == []\n");
  run.facts.size = 32;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert [r['rank'] for r in d['ranks']] == list(range(32))\n");
  run.facts.silent_after = 0; /* not known yet: nobody is silent */
  run.ranks[1].heard     = -1e6;
  assert_true(StatusWrite(folder, &run.facts));
  Python("status.json", "assert d['silent_ranks'] == []\n");
  free(run.ranks);
}

/* Whatever text: valid UTF-8 stays, the rest becomes '?'; and it is read back. */
static void test_texts(void **state)
{
  static const struct {
    const char *text, *python, *read;
  } cases[] = {
    {"a \"quoted\" \\ word", "'a \"quoted\" \\\\ word'", "a \"quoted\" \\ word"},
    {"two\nlines\tand\001more", "'two\\nlines\\tand\\x01more'", "two lines and more"},
    {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "'\\xe4 \\u20ac \\U0001f600'", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\xff\xfe \xc3", "'\?\? \?'", "\?\? \?"},
    {"\xc0\x80 \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xf0\x80\x80\x80", "'\?\? \?\?\? \?\?\? \?\?\?\? \?\?\?\?'", "\?\? \?\?\? \?\?\? \?\?\?\? \?\?\?\?"},
    {"\x7f \xc2\x85 \xef\xbf\xbe", "'\? \?\? \?\?\?'", "\? \?\? \?\?\?"},
    {"{[&*!#'}]: null", "\"{[&*!#'}]: null\"", "{[&*!#'}]: null"},
    {"null", "'null'", "null"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const StatusFacts facts = {.state = STATE_FAILED, .message = cases[i].text, .exit_code = 74, .total = 3, .now = 1, .begin = 1};
    StatusRead        s;
    char              code[256];

    assert_true(StatusWrite(folder, &facts));
    (void)snprintf(code, sizeof code, "assert d['message'] == %s, ascii(d['message'])\n", cases[i].python);
    Python("status.json", code);
    GOOD(StatusReadFile(folder, &s));
    assert_true(s.found && s.exit_code == 74);
    assert_string_equal(s.message, cases[i].read);
  }
}

/* The one before stays whole when the new one cannot be written. */
static void test_a_status_that_cannot_be_written(void **state)
{
  const StatusFacts facts = {.state = STATE_RUNNING, .exit_code = -1, .total = 3, .now = 1, .begin = 1};

  (void)state;
  assert_false(StatusWrite("/nonexistent/graze", &facts));
  assert_int_equal(symlink("/dev/full", Path("status.json.partial")), 0);
  Put("status.json", 6, "before");
  assert_false(StatusWrite(folder, &facts));
  (void)Get("status.json");
  assert_string_equal(buffer, "before");
  assert_int_equal(access(Path("status.json.partial"), F_OK), -1);
  Empty();
  assert_int_equal(mkdir(Path("status.json"), 0700), 0);
  assert_false(StatusWrite(folder, &facts));
  assert_int_equal(access(Path("status.json.partial"), F_OK), -1);
  assert_int_equal(rmdir(Path("status.json")), 0);
}

/* ---- reading what is not ours ---- */

/* StatusPrint with nobody to listen: only that it does no harm. */
static void PrintToNobody(void)
{
  const int kept = dup(STDOUT_FILENO), none = open("/dev/null", O_WRONLY);

  assert_true(kept >= 0 && none >= 0);
  (void)fflush(stdout);
  assert_true(dup2(none, STDOUT_FILENO) >= 0);
  GOOD(StatusPrint(folder));
  (void)fflush(stdout);
  assert_true(dup2(kept, STDOUT_FILENO) >= 0);
  (void)close(none);
  (void)close(kept);
}

static PetscBool Found(size_t n, const char *text)
{
  StatusRead s;

  Put("status.json", n, text);
  GOOD(StatusReadFile(folder, &s));
  return s.found;
}

static void test_strange_files_are_not_found(void **state)
{
  static const char *const texts[] = {
    "", "\n", "null", "[]", "{}", "{", "}", "\"", "{]", "text", "state: running\ncells_done: 1\ncells_total: 2\n",
    "{\"state\": \"flying\", \"cells_done\": 1, \"cells_total\": 2}", "{\"state\": running, \"cells_done\": 1, \"cells_total\": 2}",
    "{\"state\": \"running\", \"cells_total\": 2}", "{\"state\": \"running\", \"cells_done\": null, \"cells_total\": 2}", "{\"state\": \"running\", \"cells_done\": -1, \"cells_total\": 2}",
    "{\"state\": \"running\", \"cells_done\": 1.5, \"cells_total\": 2}", "{\"state\": \"running\", \"cells_done\": 1e300, \"cells_total\": 2}",
    "{\"state\": \"running\", \"cells_done\": \"1\", \"cells_total\": 2}", "{\"state\": \"running\", \"cells_done\": [1], \"cells_total\": {\"a\": 2}}",
    "{\"state\": \"running\", \"cells_done\": &a 1, \"cells_total\": *a}", "{\"state\": !!str \"running\", \"cells_done\": 1, \"cells_total\": 2}",
    "{\"state\": \"running\", \"cells_done\": 1, \"cells_total\": 2} {}", "{\"state\": \"running\", \"cells_done\": 1, \"cells_total\": 2}\n--- {}",
    "{\"state\": \"running\", \"cells_done\": nan, \"cells_total\": inf}", "{\"state\": \"running\", \"cells_done\": 0x1, \"cells_total\": 2x}",
  };
  StatusRead s;

  (void)state;
  GOOD(StatusReadFile(folder, &s));
  assert_false(s.found);
  assert_true(Found(strlen("{\"state\": \"running\", \"cells_done\": 1, \"cells_total\": 2}"), "{\"state\": \"running\", \"cells_done\": 1, \"cells_total\": 2}")); /* what they all nearly are */
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (Found(strlen(texts[i]), texts[i])) fail_msg("taken for a status: %s", texts[i]);
  assert_false(Found(64, "{\"state\": \"running\", \"cells_done\": 1, \"cells_total\": 2}\0\0\0\0\0\0\0\0\0\0\0\0\0"));
  for (int i = 0; i < 3; i++) { /* deep, and large */
    memset(buffer, "[{\""[i], LARGEST);
    buffer[0] = '{';
    assert_false(Found(LARGEST, buffer));
  }
  for (size_t i = 0; i + 1 < LARGEST; i += 2) memcpy(buffer + i, "- ", 2);
  assert_false(Found(LARGEST, buffer));
  Empty();
  assert_int_equal(mkdir(Path("status.json"), 0700), 0);
  GOOD(StatusReadFile(folder, &s));
  assert_false(s.found);
  assert_int_equal(rmdir(Path("status.json")), 0);
}

/* Cut anywhere it is none; with any byte changed it may be one or not, and its numbers stay within their bounds. */
static void test_damaged_files_do_no_harm(void **state)
{
  Run      run;
  size_t   n;
  char    *whole;
  unsigned random = 1;

  (void)state;
  MakeRun(3, &run);
  run.facts.message = "a \"message\" with \xe2\x82\xac";
  assert_true(StatusWrite(folder, &run.facts));
  n     = Get("status.json");
  whole = malloc(n + 1);
  assert_non_null(whole);
  memcpy(whole, buffer, n + 1);
  for (size_t cut = 0; cut + 1 < n; cut++) assert_false(Found(cut, whole)); /* the last byte is a newline */
  assert_true(Found(n, whole));
  for (int i = 0; i < 3000; i++) {
    StatusRead s;

    memcpy(buffer, whole, n + 1);
    for (int j = 0; j < 1 + i % 3; j++) {
      random                      = 1664525u * random + 1013904223u;
      buffer[(random >> 8) % n] = (char)(random >> 24);
    }
    Put("status.json", n, buffer);
    GOOD(StatusReadFile(folder, &s));
    PrintToNobody();
    if (s.found) assert_true(s.state < STATE_COUNT && s.done >= 0 && s.total >= 0 && s.finished >= 0 && s.silent >= 0);
  }
  free(whole);
  free(run.ranks);
}

static void test_words(void **state)
{
  const StatusRead base = {.found = PETSC_TRUE, .host = "node7", .job = "12", .now = 1000, .done = 3, .total = 9};
  static const struct {
    RunState    state;
    double      later;
    const char *message, *words;
  } cases[] = {
    {STATE_RUNNING, 4, "", "running on node7, job 12, updated 4 s ago"},
    {STATE_RUNNING, -3, "", "running on node7, job 12, updated 0 s ago"}, /* the clocks of two machines */
    {STATE_RUNNING, 59, "", "running on node7, job 12, updated 59 s ago"},
    {STATE_RUNNING, 61, "", "running on node7, job 12 by its own account, but silent for 61 s: killed?"},
    {STATE_RUNNING, 720, "", "running on node7, job 12 by its own account, but silent for 12 min: killed?"},
    {STATE_STOPPING, 4, "", "stopping on node7, job 12, updated 4 s ago"},
    {STATE_SETTING_UP, 8000, "", "setting up on node7, job 12 by its own account, but silent for 2.2 h: killed?"},
    {STATE_STOPPED, 300000, "stopped by SIGUSR1", "stopped by SIGUSR1 (3.5 days ago)"},
    {STATE_STOPPED, 4, "", "stopped: the same command goes on (4 s ago)"},
    {STATE_FAILED, 4, "no room", "failed: no room (4 s ago)"},
    {STATE_COMPLETE, 90, "", "complete for 90 s"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StatusRead s = base;
    char       text[512];

    s.state = cases[i].state;
    (void)snprintf(s.message, sizeof s.message, "%s", cases[i].message);
    StatusSummary(&s, s.now + cases[i].later, sizeof text, text);
    assert_string_equal(text, cases[i].words);
  }
}

/* ---- events ---- */

static void Append(Events events, const Run *run, PetscInt64 number, PetscInt unit, PetscInt step, Complaint *c)
{
  JournalRecord record = {.number = number, .time = 1700000000.125, .rank = 3, .unit = unit, .step = step};
  PetscReal    *row    = calloc((size_t)run->layout.length, sizeof *row);

  assert_non_null(row);
  CellPackStatus(&run->layout, STATUS_PERIODIC, PETSC_TRUE, row);
  row[run->layout.offset[CELL_PERIOD]]       = 2;
  row[run->layout.offset[CELL_WALL_SECONDS]] = step ? 0.25 : NAN;
  GOOD(EventsAppend(events, &record, 5, &run->grid, &run->layout, row, c));
  free(row);
}

/* Opened and closed: what stays. */
static PetscInt64 Reopen(PetscInt64 next)
{
  Events     events;
  Complaint  c = {0};
  PetscInt64 last;

  GOOD(EventsOpen(folder, next, &last, &events, &c));
  assert_string_equal(c.line, "");
  GOOD(EventsClose(&events));
  assert_null(events);
  return last;
}

static void test_events_are_appended(void **state)
{
  Run        run;
  Events     events;
  Complaint  c = {0};
  PetscInt64 last;
  size_t     n;

  (void)state;
  MakeRun(1, &run);
  GOOD(EventsOpen(folder, 0, &last, &events, &c));
  assert_int_equal(last, -1);
  Append(events, &run, 7, 1, 2, &c);
  assert_true(Get("events.jsonl") > 0); /* with the system, before it is closed */
  Append(events, &run, 9, 4, 0, &c);
  GOOD(EventsClose(&events));
  GOOD(EventsClose(&events));
  n = Get("events.jsonl");
  GOOD(EventsOpen(folder, INT64_MAX, &last, &events, &c));
  assert_int_equal(last, 9);
  Append(events, &run, 12, 5, 4, &c);
  GOOD(EventsClose(&events));
  assert_true(Get("events.jsonl") > n);
  assert_string_equal(c.line, "");
  Python("events.jsonl", "assert d[0] == {'record': 7, 'time': 1700000000.125, 'session': 5, 'rank': 3, 'unit': 1, 'step': 2, 'direction': 1, 'amplitude': 20, 'frequency': 6, 'status': 'periodic', "
                         "'period': 2, 'seconds': 0.25}, d[0]\n"
                         "assert d[1]['direction'] == -1 and d[1]['frequency'] == 8 and d[1]['seconds'] is None\n"
                         "assert [e['record'] for e in d] == [7, 9, 12] and d[2]['frequency'] == 4\n");
  free(run.ranks);
}

/* Every way in which a session may have ended: what belongs to no record is cut, what belongs to one stays to the byte. */
static void test_events_are_cut(void **state)
{
  static const char *const tails[] = {"", "{", "{\"record\": 12", "{\"record\": 12, \"time\": 1}", "\n", "{\"record\": \n", "{\"record\": x, 1}\n", "{\"record\": -1, 1}\n", "no line of ours\n", "{\"record\": 12}\n"};
  Run        run;
  Events     events;
  Complaint  c = {0};
  PetscInt64 last;
  size_t     n[4] = {0}, size;
  char      *whole;

  (void)state;
  MakeRun(1, &run);
  GOOD(EventsOpen(folder, 0, &last, &events, &c));
  for (int i = 1; i <= 3; i++) {
    Append(events, &run, 3 * i, i, 1, &c);
    n[i] = Get("events.jsonl");
  }
  GOOD(EventsClose(&events));
  whole = malloc(n[3] + 256);
  assert_non_null(whole);
  memcpy(whole, buffer, n[3] + 1);
  for (size_t cut = 0; cut <= n[3]; cut++) { /* torn anywhere */
    const int kept = cut >= n[3] ? 3 : cut >= n[2] ? 2 : cut >= n[1] ? 1 : 0;

    Put("events.jsonl", cut, whole);
    last = Reopen(INT64_MAX);
    size = Get("events.jsonl");
    if (last != (kept ? 3 * kept : -1) || size != n[kept] || memcmp(buffer, whole, size)) fail_msg("cut at %zu: %lld, %zu bytes", cut, (long long)last, size);
  }
  for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
    memcpy(buffer, whole, n[3]);
    (void)strcpy(buffer + n[3], tails[i]);
    Put("events.jsonl", n[3] + strlen(tails[i]), buffer);
    last = Reopen(INT64_MAX);
    if (last != 9 || Get("events.jsonl") != n[3]) fail_msg("tail '%s': %lld", tails[i], (long long)last);
  }
  memcpy(buffer, whole, n[3]);
  memcpy(buffer + n[3], "{\"record\": 12, \0}\n", 18); /* whole but for a zero */
  Put("events.jsonl", n[3] + 18, buffer);
  assert_int_equal(Reopen(INT64_MAX), 9);
  memset(buffer + n[3], 0, 4096); /* a machine that went down may leave zeros */
  Put("events.jsonl", n[3] + 4096, buffer);
  assert_int_equal(Reopen(INT64_MAX), 9);
  assert_int_equal(Get("events.jsonl"), n[3]);
  for (PetscInt64 next = 10; next >= 0; next--) { /* what the journal lost */
    const int kept = next > 9 ? 3 : next > 6 ? 2 : next > 3 ? 1 : 0;

    Put("events.jsonl", n[3], whole);
    assert_int_equal(Reopen(next), kept ? 3 * kept : -1);
    assert_int_equal(Get("events.jsonl"), n[kept]);
  }
  free(whole);
  free(run.ranks);
}

static void test_events_that_cannot_be_written(void **state)
{
  Run        run;
  Events     events;
  Complaint  c = {0};
  PetscInt64 last;

  (void)state;
  MakeRun(1, &run);
  GOOD(EventsOpen("/nonexistent/graze", 0, &last, &events, &c));
  assert_int_equal(c.exit_code, EXIT_IO);
  assert_non_null(strstr(c.line, "/nonexistent/graze/events.jsonl: No such file"));
  assert_null(events);
  GOOD(EventsClose(&events));
  memset(&c, 0, sizeof c);
  assert_int_equal(symlink("/dev/full", Path("events.jsonl")), 0);
  GOOD(EventsOpen(folder, 0, &last, &events, &c));
  assert_string_equal(c.line, "");
  Append(events, &run, 1, 1, 1, &c);
  assert_int_equal(c.exit_code, EXIT_IO);
  assert_non_null(strstr(c.line, "events.jsonl: No space left"));
  GOOD(EventsClose(&events));
  free(run.ranks);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_a_run_is_written_and_read, Clear),
    cmocka_unit_test_teardown(test_unknown_is_null, Clear),
    cmocka_unit_test_teardown(test_rate_and_eta, Clear),
    cmocka_unit_test_teardown(test_many_ranks, Clear),
    cmocka_unit_test_teardown(test_texts, Clear),
    cmocka_unit_test_teardown(test_a_status_that_cannot_be_written, Clear),
    cmocka_unit_test_teardown(test_strange_files_are_not_found, Clear),
    cmocka_unit_test_teardown(test_damaged_files_do_no_harm, Clear),
    cmocka_unit_test(test_words),
    cmocka_unit_test_teardown(test_events_are_appended, Clear),
    cmocka_unit_test_teardown(test_events_are_cut, Clear),
    cmocka_unit_test_teardown(test_events_that_cannot_be_written, Clear),
  };
  int failed;

  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  buffer = malloc(LARGEST);
  (void)snprintf(folder, sizeof folder, "/tmp/graze_status_XXXXXX");
  if (!buffer || !mkdtemp(folder)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)rmdir(folder);
  free(buffer);
  return PetscFinalize() ? 1 : failed;
}
