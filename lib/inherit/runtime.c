// SPDX-License-Identifier: BSD-3-Clause
/* Which OpenMP runtime a caller means: see runtime.h.
 *
 * The next definition after ours (RTLD_NEXT) is not the answer: a runtime that came with a library opened locally, as
 * every extension of Python is, is not found so, and where there are several it is the wrong one. So the file that the
 * caller is in is asked, once for each place that calls; then all functions are those of the file found.
 */
#include "inherit/runtime.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
  const void *caller;
  const omp_runtime *runtime;
} place;

enum { PLACES = 1 << 12, MOST = PLACES / 4 * 3 };
static _Atomic(const place *) places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static omp_runtime *runtimes; /* under the lock, as are the next two */
static int n_places;
static const void *own_base;

static const char *const names[OMP_COUNT] = {
#define X(name) #name,
  OMP_FUNCTIONS(X)
#undef X
};

static const void *base_of(const void *address)
{
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* NAME as HANDLE finds it, but not ours. */
static void *look_up(void *handle, const char *name)
{
  void *p = handle ? dlsym(handle, name) : NULL;
  return p && base_of(p) != own_base ? p : NULL;
}

static void *in_file(const char *file, const char *name)
{
  void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD), *p = look_up(handle, name);
  if (handle)
    dlclose(handle);
  return p;
}

/* NAME in the files that M needs, by their names; needed where our own definition comes first in M's own search. */
static void *in_needed(const struct link_map *m, const char *name)
{
  const char *strings = NULL;
  void *p = NULL;
  for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB)
      strings = (const char *)d->d_un.d_ptr;
  for (const ElfW(Dyn) *d = m->l_ld; strings && d->d_tag != DT_NULL && !p; d++)
    if (d->d_tag == DT_NEEDED)
      p = in_file(strings + d->d_un.d_val, name);
  return p;
}

/* The function itself, for code at CALLER. */
static void *function_for(const void *caller, const char *name)
{
  Dl_info info;
  struct link_map *m = NULL;
  void *p = NULL;
  void *file = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (file && dlinfo(file, RTLD_DI_LINKMAP, &m) == 0 && *m->l_name) {
    p = look_up(file, name);
    if (!p)
      p = in_needed(m, name);
  }
  if (file)
    dlclose(file);
  if (!p)
    p = look_up(RTLD_NEXT, name);
  return p;
}

/* The runtime whose file has the function at P. Under the lock. */
static const omp_runtime *runtime_with(void *p)
{
  Dl_info info;
  if (!p || !dladdr(p, &info))
    return NULL;
  for (const omp_runtime *r = runtimes; r; r = r->next)
    if (r->base == info.dli_fbase)
      return r;
  omp_runtime *r = calloc(1, sizeof *r);
  void *handle = r ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!handle) {
    free(r);
    return NULL;
  }
  r->base = info.dli_fbase;
  for (int k = 0; k < OMP_COUNT; k++) {
    void *f = look_up(handle, names[k]);
    memcpy(&r->fn[k], &f, sizeof f); /* ISO C has no cast from an object pointer */
  }
  r->next = runtimes;
  runtimes = r;
  return r; /* the handle stays open: the runtime is not unloaded */
}

static size_t slot_of(const void *caller)
{
  return (size_t)((uintptr_t)caller * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static const omp_runtime *find(const void *caller, int which)
{
  pthread_mutex_lock(&lock);
  if (!own_base)
    own_base = base_of((const void *)names);
  const omp_runtime *r = runtime_with(function_for(caller, names[which]));
  if (r && !r->fn[which])
    r = NULL;
  place *p = r && n_places < MOST ? malloc(sizeof *p) : NULL;
  if (p) {
    *p = (place){ caller, r };
    size_t k = slot_of(caller);
    while (atomic_load_explicit(&places[k], memory_order_relaxed))
      k = (k + 1) % PLACES;
    atomic_store_explicit(&places[k], p, memory_order_release);
    n_places++;
  }
  pthread_mutex_unlock(&lock);
  if (!r)
    __builtin_trap(); /* no such function anywhere: without us the loader would have refused the program */
  return r;
}

const omp_runtime *omp_runtime_of(const void *caller, int which)
{
  for (size_t k = slot_of(caller);; k = (k + 1) % PLACES) {
    const place *p = atomic_load_explicit(&places[k], memory_order_acquire);
    if (!p)
      return find(caller, which);
    if (p->caller == caller)
      return p->runtime;
  }
}
