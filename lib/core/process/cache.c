// SPDX-License-Identifier: BSD-3-Clause
/* The list of caches: see cache.h. L2. */
#include "core/process/cache.h"

#include <heddle/runtime.h>
#include <stdio.h>

static hed_cache *first;

void hed__cache_register(hed_cache *c)
{
  /* whoever finds it unclaimed links it in; the struct is shared with plug-ins, so no C11 atomics in it */
  if (__atomic_exchange_n(&c->claimed, 1u, __ATOMIC_ACQ_REL))
    return;
  c->next = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&first, &c->next, c, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
    ;
}

size_t hed__caches_trim(size_t want)
{
  size_t got = 0;
  for (hed_cache *c = __atomic_load_n(&first, __ATOMIC_ACQUIRE); c && got < want; c = c->next)
    if (c->trim)
      got += c->trim(c->arg, want - got);
  return got;
}

void hed__caches_fork_child(void)
{
  for (hed_cache *c = __atomic_load_n(&first, __ATOMIC_ACQUIRE); c; c = c->next)
    if (c->fork_child)
      c->fork_child(c->arg);
}

int hed_cache_list(hed_cache_fn fn, void *arg)
{
  int n = 0;
  for (hed_cache *c = __atomic_load_n(&first, __ATOMIC_ACQUIRE); c; c = c->next, n++) {
    hed_cache_stats s = { .struct_size = sizeof s };
    if (!fn)
      continue;
    if (c->stats)
      c->stats(c->arg, &s);
    snprintf(s.name, sizeof s.name, "%s", c->name);
    fn(arg, &s);
  }
  return n;
}
