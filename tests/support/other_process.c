/*
  other_process.c - fork, ptrace and a seccomp filter.
*/
#define _GNU_SOURCE

#include "support/other_process.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define CALLS 8 /* that can be refused at once */

pid_t OtherProcess(void (*body)(void *ctx), void *ctx)
{
  pid_t pid;

  (void)fflush(NULL);
  pid = fork();
  if (pid < 0) abort();
  if (pid) return pid;
  body(ctx);
  _exit(0);
}

int OtherProcessRuns(pid_t pid)
{
  siginfo_t info = {0};

  if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)) abort();
  return !info.si_pid;
}

static int Wait_Private(pid_t pid)
{
  int status;

  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) abort();
  return status;
}

int OtherProcessEnd(pid_t pid)
{
  const int status = Wait_Private(pid);

  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

typedef struct {
  void (*body)(void *ctx);
  void *ctx;
} Traced;

#define NOT_TRACED 98

static void TracedBody_Private(void *ctx)
{
  Traced *traced = (Traced *)ctx;

  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(NOT_TRACED);
  (void)raise(SIGSTOP);
  traced->body(traced->ctx);
}

/* Stopped before its first call; -1: no tracing here. */
static pid_t Trace_Private(void (*body)(void *ctx), void *ctx)
{
  Traced      traced = {body, ctx};
  const pid_t pid    = OtherProcess(TracedBody_Private, &traced);

  if (!WIFSTOPPED(Wait_Private(pid))) return -1;
  (void)ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  return pid;
}

/* To the next stop before or after a call; 0: it has ended. */
static int Step_Private(pid_t pid)
{
  for (;;) {
    int status;

    if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL)) abort();
    status = Wait_Private(pid);
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return 0;
    if (!WIFSTOPPED(status)) abort(); /* the child has said why */
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return 1;
  }
}

static char Letter_Private(uint64_t call)
{
  static const struct {
    uint64_t call;
    char     letter;
  } letters[] = {
#if defined(SYS_rename)
    {SYS_rename, 'r'}, {SYS_link, 'l'}, {SYS_unlink, 'u'},
#endif
    {SYS_renameat2, 'r'}, {SYS_linkat, 'l'}, {SYS_unlinkat, 'u'}, {SYS_fsync, 's'}, {SYS_truncate, 't'}, {SYS_ftruncate, 't'},
    {SYS_copy_file_range, 'c'},
  };

  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
    if (letters[i].call == call) return letters[i].letter;
  return 0;
}

int OtherProcessCalls(void (*body)(void *ctx), void *ctx, size_t size, char *letters)
{
  const pid_t pid = Trace_Private(body, ctx);
  size_t      n   = 0;

  if (pid < 0) return 0;
  while (Step_Private(pid)) {
    struct __ptrace_syscall_info info = {0};
    char                         letter;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0) abort();
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    letter = Letter_Private(info.entry.nr);
    if (letter && n < size - 1) letters[n++] = letter;
  }
  letters[n] = '\0';
  return n < size - 1;
}

int OtherProcessKilledAt(void (*body)(void *ctx), void *ctx, long n)
{
  const pid_t pid = Trace_Private(body, ctx);

  if (pid < 0) return -1;
  for (long stops = 0; stops < 2 * n - 1; stops++) /* one before each call and one after it */
    if (!Step_Private(pid)) return 0;
  (void)kill(pid, SIGKILL);
  (void)Wait_Private(pid);
  return 1;
}

int OtherProcessKilledAtMark(void (*body)(void *ctx), void *ctx, const char *mark)
{
  const struct timespec nap = {0, 500000};
  const pid_t           pid = OtherProcess(body, ctx);

  while (access(mark, F_OK) && OtherProcessRuns(pid)) (void)nanosleep(&nap, NULL);
  (void)kill(pid, SIGKILL);
  return OtherProcessEnd(pid) == -SIGKILL;
}

int RefuseCalls(int n, const int *calls, int error)
{
  struct sock_filter code[2 * CALLS + 2];
  struct sock_fprog  program = {0, code};

  if (n > CALLS) abort();
  code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < n; i++) {
    code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
    code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
  }
  code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
