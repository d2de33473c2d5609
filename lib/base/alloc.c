// SPDX-License-Identifier: BSD-3-Clause
/* Host memory over malloc: counts blocks, and lets a chosen allocation fail. L0.
 *
 * Every function that obtains memory asks hed__alloc_permit() first, so "the n-th allocation" means the same for all of them.
 * Sizes of 0 become 1: NULL always says that memory is out.
 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static atomic_uint_fast64_t allocated; /* blocks since the start */
static atomic_int_fast64_t live;       /* blocks not yet freed */
atomic_uint_fast64_t hed__alloc_countdown;

void hed_test_fail_alloc_at(uint64_t n) { atomic_store(&hed__alloc_countdown, n); }

typedef void counts_fn(uint64_t *allocated, int64_t *live);
static _Atomic(counts_fn *) above;

void hed__alloc_counts(counts_fn *more) { atomic_store(&above, more); }

uint64_t hed_test_alloc_count(void)
{
  counts_fn *more = atomic_load(&above);
  uint64_t n = 0;
  int64_t blocks = 0;
  if (more)
    more(&n, &blocks);
  return n + atomic_load(&allocated);
}

int64_t hed_test_alloc_live(void)
{
  counts_fn *more = atomic_load(&above);
  uint64_t n = 0;
  int64_t blocks = 0;
  if (more)
    more(&n, &blocks);
  return blocks + atomic_load(&live);
}

bool hed__alloc_count_down(void)
{
  uint_fast64_t n = atomic_load_explicit(&hed__alloc_countdown, memory_order_relaxed);
  while (n > 0)
    if (atomic_compare_exchange_weak(&hed__alloc_countdown, &n, n - 1))
      return n != 1;
  return true;
}

static void *counted(void *p)
{
  if (p) {
    atomic_fetch_add_explicit(&allocated, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  }
  return p;
}

void *hed__malloc(size_t bytes)
{
  return hed__alloc_permit() ? counted(malloc(bytes ? bytes : 1)) : NULL;
}

void *hed__calloc(size_t n, size_t bytes)
{
  size_t total;
  if (!hed__alloc_permit() || !hed__mul_size(n, bytes, &total))
    return NULL;
  return counted(calloc(total ? total : 1, 1));
}

void *hed__realloc(void *p, size_t bytes)
{
  if (!p)
    return hed__malloc(bytes);
  if (!hed__alloc_permit())
    return NULL;
  p = realloc(p, bytes ? bytes : 1);
  if (p)
    atomic_fetch_add_explicit(&allocated, 1, memory_order_relaxed);
  return p;
}

void hed__free(void *p)
{
  if (!p)
    return;
  atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  free(p);
}

char *hed__strdup(const char *s)
{
  size_t bytes = strlen(s) + 1;
  char *copy = hed__malloc(bytes);
  return copy ? memcpy(copy, s, bytes) : NULL;
}

void *hed__alloc_plain(size_t bytes, size_t align)
{
  void *p = NULL;
  if (align < sizeof(void *))
    align = sizeof(void *);
  return posix_memalign(&p, align, bytes ? bytes : 1) == 0 ? p : NULL;
}

void hed__free_plain(void *p) { free(p); }

void *hed__alloc_aligned(size_t bytes, size_t align)
{
  return hed__alloc_permit() ? counted(hed__alloc_plain(bytes, align)) : NULL;
}

bool hed__mul_size(size_t a, size_t b, size_t *out)
{
  return !__builtin_mul_overflow(a, b, out);
}

bool hed__add_size(size_t a, size_t b, size_t *out)
{
  return !__builtin_add_overflow(a, b, out);
}
