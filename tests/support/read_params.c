/*
  read_params.c - ParamsRead from words and from the text of a file, for tests.
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
#include <unistd.h>

#include "support/read_params.h"

char yaml_path[64];

void ReadParamsBegin(void)
{
  int handle;

  (void)snprintf(yaml_path, sizeof yaml_path, "/tmp/graze_params_XXXXXX");
  handle = mkstemp(yaml_path);
  if (handle < 0) abort();
  (void)close(handle);
}

void ReadParamsEnd(void)
{
  (void)unlink(yaml_path);
}

Complaint Read(unsigned command, Params *params, int argc, const char *const *argv)
{
  Complaint complaint = {0};

  assert_int_equal((int)ParamsRead(PETSC_COMM_SELF, command, argc, (char **)(uintptr_t)argv, params, &complaint), 0);
  return complaint;
}

void WriteFile(const char *text)
{
  FILE *file = fopen(yaml_path, "w");

  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

Complaint ReadText(unsigned command, Params *params, const char *text)
{
  WriteFile(text);
  return Read(command, params, 2, (const char *const[]){"-options_file_yaml", yaml_path});
}
