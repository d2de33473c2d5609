// SPDX-License-Identifier: BSD-3-Clause
/* What plug-ins get: the table of services, and the lock that FFTW's planners share with the host program. L2. */
#include "base/alloc.h"
#include "core/process/cache.h"
#include "core/process/config.h"
#include "core/context/context.h"
#include "core/memory/ladder.h"
#include "core/process/log.h"
#include "core/memory/memory.h"
#include "core/modules/registry_internal.h"
#include "core/profile/profile.h"
#include <heddle/thread.h>
#include <heddle/backend.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t fftw = PTHREAD_MUTEX_INITIALIZER;
static bool fftw_held_for_fork;

void hed_fftw_lock(void) { pthread_mutex_lock(&fftw); }
void hed_fftw_unlock(void) { pthread_mutex_unlock(&fftw); }

/* A planner may hold the lock for seconds; fork waits for a bounded time only. The child gets a fresh lock either way. */
void hed__fftw_fork_prepare(void)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  fftw_held_for_fork = pthread_mutex_timedlock(&fftw, &until) == 0;
}

void hed__fftw_fork_parent(void)
{
  if (fftw_held_for_fork)
    pthread_mutex_unlock(&fftw);
}

void hed__fftw_fork_child(void) { pthread_mutex_init(&fftw, NULL); }

static int32_t fail(int32_t status, const char *format, ...)
{
  char text[HED__ERROR_TEXT];
  va_list ap;
  va_start(ap, format);
  if (vsnprintf(text, sizeof text, format, ap) < 0)
    text[0] = 0;
  va_end(ap);
  return status == HED_E_NOMEM ? hed__lacking_fail(text) : hed_fail(status, "%s", text);
}

static void log_message(int32_t level, const char *subsystem, const char *format, ...)
{
  char text[400];
  va_list ap;
  va_start(ap, format);
  if (vsnprintf(text, sizeof text, format, ap) < 0)
    text[0] = 0;
  va_end(ap);
  hed__log((hed_log_level)level, subsystem, "%s", text);
}

static int32_t acquire(int32_t want) { return hed_permits_acquire(want); }
static void release(int32_t got) { hed_permits_release(got); }
static int32_t forked(void) { return hed__fork_depth() > 0; }

static uint64_t profile_time(void)
{
  const unsigned session = atomic_load_explicit(&hed__profile_session, memory_order_relaxed);
  return session && session != HED__PROFILE_LISTENS ? hed__now_ns() : 0;
}

const hed_host_api hed__host_api = {
  .struct_size = sizeof(hed_host_api),
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .fail = fail,
  .alloc = hed__alloc_aligned,
  .free = hed__free,
  .threads_acquire = acquire,
  .threads_release = release,
  .thread_slot = hed__registry_slot,
  .log = log_message,
  .fftw_lock = hed_fftw_lock,
  .fftw_unlock = hed_fftw_unlock,
  .forked = forked,
  .cache_register = hed__cache_register,
  .setting = hed__config_by_name,
  .scratch = hed__scratch_new,
  .scratch_free = hed__buffer_free,
  .profile_time = profile_time,
  .profile_stage = hed__profile_stage,
  .profile_track = hed__profile_track,
};
