/*
  other_process.h - what a test does to a process of its own: kill it at any call of the system, or have the system refuse it some.

  In the child cmocka is out of reach: it says what is wrong with CHILD, which ends it.
*/
#ifndef GRAZE_TESTS_OTHER_PROCESS_H
#define GRAZE_TESTS_OTHER_PROCESS_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#define CHILD(condition) \
  do { \
    if (!(condition)) { \
      (void)fprintf(stderr, "%s:%d: in the child: %s\n", __FILE__, __LINE__, #condition); \
      _exit(99); \
    } \
  } while (0)

/* A child that runs body(ctx) and ends with code 0. */
pid_t OtherProcess(void (*body)(void *ctx), void *ctx);
/* Has it not ended yet? */
int OtherProcessRuns(pid_t pid);
/* Its end: the exit code, or minus the signal that killed it. */
int OtherProcessEnd(pid_t pid);
/* Run it up to its n-th call of the system, from 1, and kill it there. 1: killed; 0: it ended before, with code 0; -1: no tracing. */
int OtherProcessKilledAt(void (*body)(void *ctx), void *ctx, long n);
/*
  Run it to its end, with code 0; the calls by which it changes or keeps names and files, a letter each: s fsync, r rename, l link,
  u unlink, t truncate, c copy_file_range. 0: no tracing here, or more than `size` letters.
*/
int OtherProcessCalls(void (*body)(void *ctx), void *ctx, size_t size, char *letters);

/* Let it run until the file `mark` is there, and kill it. 0: it ended before. */
int OtherProcessKilledAtMark(void (*body)(void *ctx), void *ctx, const char *mark);

/* From here on this process gets `error` for these calls (__NR_...); for ever, so only in a child. 0: the kernel does not do that. */
int RefuseCalls(int n, const int *calls, int error);

#endif
