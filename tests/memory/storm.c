// SPDX-License-Identifier: BSD-3-Clause
/* Storms: storage made by one thread and released by another, of all sizes, while a third trims; the numbers are exact at
 * the end, and the elements are whole all the time. L5.
 */
#include "memory.h"
#include <stdatomic.h>

enum { THREADS = 6, SLOTS = 16 };

static _Atomic(hed_array *) slot[SLOTS];
static atomic_int broken;
static atomic_bool stop;

/* The first and the last element tell whose an array is; both are wrong when a block was handed out twice. */
static bool whole(const hed_array *x)
{
  uint64_t *p = hed_array_data(x);
  int64_t n = hed_array_size(x);
  return p && p[0] == p[n - 1] && p[0] == (uint64_t)n * 3;
}

static void *swap(void *arg)
{
  uint64_t r = tap_seed() + (uintptr_t)arg;
  for (int k = 0; k < scaled(10000); k++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    int64_t n = (int64_t)1 << (r >> 60 & 15); /* 8 bytes to 256 KiB, and then some */
    n += (int64_t)(r >> 40 & 1023) % n + 1;
    hed_array *x = hed_empty(HED_SHAPE(n), HED_UINT64), *v = hed_reshape(x, HED_SHAPE(1, n));
    uint64_t *p = x ? hed_array_data(x) : NULL;
    if (!p || !v) {
      atomic_fetch_add(&broken, 1);
      continue;
    }
    p[0] = p[n - 1] = (uint64_t)n * 3;
    hed_release(r >> 50 & 1 ? v : x); /* a view may be the one that stays */
    x = atomic_exchange(&slot[r >> 33 & (SLOTS - 1)], r >> 50 & 1 ? x : v);
    if (x)
      atomic_fetch_add(&broken, !whole(x));
    hed_release(x);
  }
  return NULL;
}

static void *trim(void *arg)
{
  (void)arg;
  while (!atomic_load(&stop)) {
    (void)hed_trim(NULL, 1 << 20, HED_TRIM_BLOCKS);
    sleep_ms(1);
    (void)hed_free_cache();
    (void)memory_of(NULL);
  }
  return NULL;
}

static void test_storm(const char *spec)
{
  pthread_t t[THREADS], trimmer;
  hed_memory_info a = memory_of(NULL), b;
  int64_t live, left = 0;
  atomic_store(&stop, false);
  HED_BACKEND_CONTEXT(spec) {
    live = hed_test_alloc_live();
    if (hed_thread_create(&trimmer, NULL, trim, NULL) != 0)
      bail("no thread");
    for (uintptr_t k = 0; k < THREADS; k++)
      if (hed_thread_create(&t[k], NULL, swap, (void *)k) != 0)
        bail("no thread");
    for (int k = 0; k < THREADS; k++)
      pthread_join(t[k], NULL);
    atomic_store(&stop, true);
    pthread_join(trimmer, NULL);
    for (int k = 0; k < SLOTS; k++)
      hed_release(atomic_exchange(&slot[k], NULL));
    left = hed_test_alloc_live() - live;
  }
  b = memory_of(NULL);
  is_int(atomic_load(&broken), 0, "%s: %d threads release what others made: every block is one array's", spec, THREADS);
  is_uint(b.in_use, a.in_use, "%s: in use is what it was", spec);
  is_uint(b.n_alloc - a.n_alloc, (uint64_t)THREADS * (uint64_t)scaled(10000), "%s: each request was counted", spec);
  ok(b.n_hit > a.n_hit && b.n_hit - a.n_hit < b.n_alloc - a.n_alloc, "%s: some were met from the pool", spec);
  is_int(left, 0, "%s: nothing is left", spec);
  (void)hed_free_cache();
  is_uint(memory_of(NULL).cached, 0, "%s: nor kept", spec);
}

int main(void)
{
  setenv("HEDDLE_POOL", "8", 1);
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_storm("reference");
  test_storm("reference;memory=1G");
  return done();
}
