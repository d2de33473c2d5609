// SPDX-License-Identifier: BSD-3-Clause
/* Host memory over malloc: counts blocks, and lets a chosen allocation fail. L0.
 *
 * Every function that obtains memory asks permit() first, so "the n-th allocation" means the same for all of them.
 * Sizes of 0 become 1: NULL always says that memory is out.
 */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint_fast64_t allocated; /* blocks since the start */
static atomic_int_fast64_t live;       /* blocks not yet freed */
static atomic_uint_fast64_t fuse;      /* allocations until one fails; 0 = never */

void hed_test_fail_alloc_at(uint64_t n) { atomic_store(&fuse, n); }
uint64_t hed_test_alloc_count(void) { return atomic_load(&allocated); }
int64_t hed_test_alloc_live(void) { return atomic_load(&live); }

/* False for the allocation that was chosen to fail. */
static bool permit(void)
{
  uint_fast64_t n = atomic_load_explicit(&fuse, memory_order_relaxed);
  while (n > 0)
    if (atomic_compare_exchange_weak(&fuse, &n, n - 1))
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
  return permit() ? counted(malloc(bytes ? bytes : 1)) : NULL;
}

void *hed__calloc(size_t n, size_t bytes)
{
  size_t total;
  if (!permit() || !hed__mul_size(n, bytes, &total))
    return NULL;
  return counted(calloc(total ? total : 1, 1));
}

void *hed__realloc(void *p, size_t bytes)
{
  if (!p)
    return hed__malloc(bytes);
  if (!permit())
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

void *hed__alloc_aligned(size_t bytes, size_t align)
{
  void *p = NULL;
  if (align < sizeof(void *))
    align = sizeof(void *);
  if (!permit() || posix_memalign(&p, align, bytes ? bytes : 1) != 0)
    return NULL;
  return counted(p);
}

bool hed__mul_size(size_t a, size_t b, size_t *out)
{
  return !__builtin_mul_overflow(a, b, out);
}

bool hed__add_size(size_t a, size_t b, size_t *out)
{
  return !__builtin_add_overflow(a, b, out);
}
