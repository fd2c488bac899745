/*
  read_params.h - ParamsRead from words and from the text of a file, for tests.
*/
#ifndef GRAZE_TEST_READ_PARAMS_H
#define GRAZE_TEST_READ_PARAMS_H

#include "graze/params.h"

extern char yaml_path[64]; /* a file that ReadParamsBegin makes and ReadParamsEnd takes away */

void      ReadParamsBegin(void);
void      ReadParamsEnd(void);
Complaint Read(unsigned command, Params *params, int argc, const char *const *argv);
void      WriteFile(const char *text);
Complaint ReadText(unsigned command, Params *params, const char *text);

/* Two arguments: how many words, and the words. */
#define WORDS(...)                                                                                                                         \
  (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[])                                                \
  {                                                                                                                                        \
    __VA_ARGS__                                                                                                                            \
  }

#endif
