/*
  sanitizer.c - linked into every program of the asan preset.

  MPI unloads its plugins at the end, after which the leak checker can no longer name the code that its stacks point to, and
  so cannot match a suppression: dlclose() does nothing here. The suppressions are for memory that MPI and its helpers
  allocate once and leave to the system. Our own leaks are reported.
*/
int         dlclose(void *handle);
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

int dlclose(void *handle)
{
  (void)handle;
  return 0;
}

/* Slow unwinding: MPI is built without frame pointers, and a stack cut short misses its suppression. */
const char *__asan_default_options(void)
{
  return "fast_unwind_on_malloc=0";
}

/* Silent when right. */
const char *__lsan_default_options(void)
{
  return "print_suppressions=0";
}

const char *__lsan_default_suppressions(void)
{
  return "leak:libmpi\nleak:libopen-rte\nleak:libopen-pal\nleak:libpmix\nleak:libhwloc\nleak:libevent\nleak:mca_\nleak:libucs\nleak:libfabric\n";
}
