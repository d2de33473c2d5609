// SPDX-License-Identifier: BSD-3-Clause
/* Host services for tests of a backend module (mock_host.h). */
#include "mock_host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int mock_permits = 2, mock_permits_least = 1 << 20, mock_forked, mock_fftw_holders, mock_fftw_worst;
atomic_long mock_live, mock_fail_alloc_at;

static _Thread_local char text[512];
static _Thread_local int32_t last_status;
static pthread_mutex_t fftw = PTHREAD_MUTEX_INITIALIZER;

const char *mock_text(void) { return text; }
int32_t mock_status(void) { return last_status; }

static int32_t host_fail(int32_t status, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  last_status = status;
  return status;
}

static void *host_alloc(size_t bytes, size_t align)
{
  void *p;
  if (atomic_load(&mock_fail_alloc_at) > 0 && atomic_fetch_sub(&mock_fail_alloc_at, 1) == 1)
    return NULL;
  if (align < sizeof(void *))
    align = sizeof(void *);
  if (bytes > SIZE_MAX / 2 || posix_memalign(&p, align, bytes ? bytes : 1))
    return NULL;
  atomic_fetch_add(&mock_live, 1);
  return p;
}

static void host_free(void *p)
{
  if (p)
    atomic_fetch_sub(&mock_live, 1);
  free(p);
}

static void *host_scratch(size_t bytes) { return host_alloc(bytes, 64); }

static int32_t acquire(int32_t want)
{
  int have = atomic_load(&mock_permits), got;
  do
    got = have < want ? have > 1 ? have : 1 : want;
  while (!atomic_compare_exchange_weak(&mock_permits, &have, have - got));
  int least = atomic_load(&mock_permits_least);
  while (have - got < least && !atomic_compare_exchange_weak(&mock_permits_least, &least, have - got))
    ;
  return got;
}

static void release(int32_t got) { atomic_fetch_add(&mock_permits, got); }

static void **slot(const void *plugin)
{
  static _Thread_local void *p;
  (void)plugin;
  return &p;
}

static void quiet(int32_t level, const char *subsystem, const char *format, ...)
{
  (void)level;
  (void)subsystem;
  (void)format;
}

static void lock(void)
{
  pthread_mutex_lock(&fftw);
  int n = atomic_fetch_add(&mock_fftw_holders, 1) + 1;
  if (n > atomic_load(&mock_fftw_worst))
    atomic_store(&mock_fftw_worst, n);
}

static void unlock(void)
{
  atomic_fetch_sub(&mock_fftw_holders, 1);
  pthread_mutex_unlock(&fftw);
}

const char *mock_fft_plans;
static void remember(hed_cache *c) { c->claimed = 1; }

static const char *setting(const char *name) { return strcmp(name, "fft_plans") == 0 ? mock_fft_plans : NULL; }

static int32_t forked(void) { return atomic_load(&mock_forked); }

static uint64_t profile_time(void) { return 0; }

const hed_host_api mock_host = {
  .struct_size = sizeof mock_host,
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .fail = host_fail,
  .alloc = host_alloc,
  .free = host_free,
  .threads_acquire = acquire,
  .threads_release = release,
  .thread_slot = slot,
  .log = quiet,
  .fftw_lock = lock,
  .fftw_unlock = unlock,
  .forked = forked,
  .cache_register = remember,
  .setting = setting,
  .scratch = host_scratch,
  .scratch_free = host_free,
  .profile_time = profile_time, /* no profile is ever taken: the others are not called */
};

const hed_plugin *mock_load(const char *path, const char **why)
{
  static char file[4096];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  union { void *object; hed_plugin_entry_fn fn; } entry;
  void *state;
  snprintf(file, sizeof file, "%s/lib/backends/.libs/cpu.so", build ? build : ".");
  void *h = dlopen(path ? path : file, RTLD_NOW | RTLD_LOCAL);
  *why = h ? "no entry symbol" : dlerror();
  if (!h || !(entry.object = dlsym(h, HED_PLUGIN_SYMBOL)))
    return NULL;
  const hed_plugin *p = entry.fn(HED_ABI_MAJOR, HED_ABI_MINOR);
  *why = "the entry function refused";
  if (!p)
    return NULL;
  char reason[256] = "";
  if (p->probe(reason, sizeof reason) <= 0 || p->init(&mock_host, 0, &state) != HED_OK) {
    *why = "probe or init failed";
    return NULL;
  }
  return p;
}
