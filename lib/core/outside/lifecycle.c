// SPDX-License-Identifier: BSD-3-Clause
/* What happens to all parts at once: when the library is loaded, when a thread or a device begins and ends, around fork. L2.
 *
 * Nobody calls in here. A part that has something to do at one of these moments gets a line below, so that the parts need
 * not know of each other.
 */
#include "core/outside/lifecycle.h"
#include "base/alloc.h"
#include "core/process/cache.h"
#include "core/context/context.h"
#include "core/fuse/fuse.h"
#include "core/memory/ladder.h"
#include "core/process/log.h"
#include "core/memory/memory.h"
#include "core/profile/profile.h"
#include "core/context/permits.h"
#include "core/modules/registry_internal.h"
#include "core/record/capture.h"
#include "core/array/scope.h"
#include <sys/syscall.h>
#include <unistd.h>

/* ---- threads ---- */

static void begin(hed__tls *t) { t->base_stream.key = hed__default_key(t->serial); }

/* Destructors of the program that come later may still compute. */
static void first(hed__tls *t)
{
  hed__scope_drop_all(t);
  hed__stack_clear(t);
}

static void last(hed__tls *t)
{
  hed__scope_drop_all(t);
  hed__record_thread_exit(t);
  hed__fuse_thread_exit(t);
  hed__stack_clear(t);
  hed__registry_thread_exit(t);
  hed__magazine_flush(t);
  hed__held_pass(t);
  hed__profile_thread_exit(t);
}

/* ---- devices ---- */

static void made(hed__device *d)
{
  hed__pool_init(&d->pool, d);
  hed__profile_device(d);
}

static void lost(hed__device *d)
{
  (void)hed__pool_harvest(&d->pool);
  (void)hed__pool_trim(&d->pool, SIZE_MAX, NULL);
}

/* ---- fork ---- */

/* Lock order: profile, registry, root, FFTW, thread list, pools. */
static void prepare(void)
{
  hed__profile_fork_prepare();
  hed__registry_fork_prepare();
  hed__root_fork_prepare();
  hed__fftw_fork_prepare();
  hed__tls_fork_prepare();
  hed__pool_fork_prepare();
}

static void parent(void)
{
  hed__pool_fork_parent();
  hed__tls_fork_parent();
  hed__fftw_fork_parent();
  hed__root_fork_parent();
  hed__registry_unlock();
  hed__profile_fork_parent();
}

static void child(void)
{
  atomic_fetch_add(&hed__forks, 1);
  hed__pool_fork_child();
  hed__turn_fork_child();
  atomic_fetch_add(&hed__host_pool()->in_use, hed__tls_fork_child());
  hed__fuse_fork_child(hed__tls_peek());
  hed__fftw_fork_child();
  hed__root_fork_child();
  hed__registry_fork_child();
  hed__caches_fork_child();
  hed__permits_fork_child();
  hed__log_fork_child();
  hed__profile_fork_child();
}

/* ---- the end of the main thread ---- */

/* Destructors of thread-local objects run before handlers that libraries register for the end of the process, whose order is
 * that of first uses. Where libc has none, and where this library was loaded by another thread, those handlers have to do. */
extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *object) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void main_ends(void *arg)
{
  (void)arg;
  hed__registry_ending();
}

/* ---- loading ---- */

__attribute__((constructor)) void hed__lifecycle(void)
{
  hed__tls_hook(&(hed__thread_hooks){ .begin = begin, .first = first, .last = last });
  hed__alloc_counts(hed__pool_blocks);
  hed__pending_by = (hed__pending_hooks){ hed__fuse_drop, hed__fuse_force, hed__fuse_written_slow, hed__capture_reads };
  hed__registry_services(&hed__host_api);
  hed__registry_hook(&(hed__device_hooks){ .made = made, .lost = lost });
  hed__profile_contexts = hed__stack_profile;
  (void)pthread_atfork(prepare, parent, child);
  hed__profile_load();
  if (__cxa_thread_atexit_impl && syscall(SYS_gettid) == getpid())
    (void)__cxa_thread_atexit_impl(main_ends, NULL, &__dso_handle);
}
