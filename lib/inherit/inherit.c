// SPDX-License-Identifier: BSD-3-Clause
/* libheddle-inherit: plain pthread_create whose children inherit their creator's context; gomp.c and kmp.c do the same for
 * OpenMP's regions and tasks.
 *
 * Linked (or preloaded) ahead of libc, this definition is what std::thread, libgomp, GLib and libuv call when they
 * start a thread. It hands the real pthread_create to libheddle, which takes the snapshot in the creator; a creator
 * that has nothing to inherit gets the plain call. C11's thrd_create is here too, because libc's calls its own
 * pthread_create without asking the linker. HEDDLE_INHERIT=0 in the environment turns the library off. Not reached:
 * static programs, libraries opened with RTLD_DEEPBIND, raw clone, and threads that libc starts for itself (timers
 * with SIGEV_THREAD).
 *
 * Invariants: nothing but these and the entry points of OpenMP runtimes is defined here; the definitions carry no symbol
 * version, so that they answer references to any version of libc's; the real ones are looked up when the library is
 * loaded, not inside a call that may come from an allocator; pthread_create allocates nothing and takes no lock of its
 * own. The library is never a static archive, where it would take the place of a sanitizer's interceptor.
 */
#include "inherit/runtime.h"
#include <dlfcn.h>
#include <errno.h>
#include <heddle/export.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Of libheddle; private between the two libraries, see lib/core/context/thread.c. */
extern int hed_thread_create_with(create_fn create, pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *),
                                  void *arg);

typedef int (*thrd_create_fn)(thrd_t *, thrd_start_t, void *);

static _Atomic(create_fn) real_create;
static _Atomic(thrd_create_fn) real_thrd_create;
static atomic_bool off;

bool inherit_is_off(void)
{
  return atomic_load_explicit(&off, memory_order_relaxed);
}

/* The next definition of NAME after this library's, into *FN, which has the size of every function pointer: ISO C has
 * no cast from an object pointer to one. */
static void find_next(const char *name, void *fn, size_t size)
{
  void *p = dlsym(RTLD_NEXT, name);
  memcpy(fn, &p, size);
}

static create_fn find_create(void)
{
  create_fn f = atomic_load_explicit(&real_create, memory_order_relaxed);
  if (!f) {
    find_next("pthread_create", &f, sizeof f);
    atomic_store_explicit(&real_create, f, memory_order_relaxed);
  }
  return f;
}

static thrd_create_fn find_thrd_create(void)
{
  thrd_create_fn f = atomic_load_explicit(&real_thrd_create, memory_order_relaxed);
  if (!f) {
    find_next("thrd_create", &f, sizeof f);
    atomic_store_explicit(&real_thrd_create, f, memory_order_relaxed);
  }
  return f;
}

__attribute__((constructor)) static void loaded(void)
{
  const char *s = secure_getenv("HEDDLE_INHERIT");
  atomic_store_explicit(&off, s && strcmp(s, "0") == 0, memory_order_relaxed);
  (void)find_create();
  (void)find_thrd_create();
}

/* A constructor of another library may come here before loaded() ran: find_create() then does the look-up. */
HED_API int pthread_create(pthread_t *restrict t, const pthread_attr_t *restrict a, void *(*fn)(void *),
                           void *restrict arg)
{
  create_fn create = find_create();
  if (!create)
    return EAGAIN;
  if (atomic_load_explicit(&off, memory_order_relaxed))
    return create(t, a, fn, arg);
  return hed_thread_create_with(create, t, a, fn, arg);
}

typedef struct c11_start {
  thrd_start_t fn;
  void *arg;
} c11_start;

/* thrd_join reads an int from what a POSIX thread returns, and thrd_exit is pthread_exit. */
static void *run_c11(void *p)
{
  c11_start s = *(c11_start *)p;
  free(p);
  return (void *)(intptr_t)s.fn(s.arg);
}

HED_API int thrd_create(thrd_t *t, thrd_start_t fn, void *arg)
{
  thrd_create_fn create = find_thrd_create();
  if (!create)
    return thrd_error;
  if (atomic_load_explicit(&off, memory_order_relaxed))
    return create(t, fn, arg);
  c11_start *s = malloc(sizeof *s);
  if (!s)
    return thrd_nomem;
  *s = (c11_start){ fn, arg };
  int e = pthread_create(t, NULL, run_c11, s);
  if (e)
    free(s);
  return e == 0 ? thrd_success : e == ENOMEM ? thrd_nomem : thrd_error;
}
