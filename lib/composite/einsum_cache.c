// SPDX-License-Identifier: BSD-3-Clause
/* The cache of contraction orders (einsum_path.h): a small table, least recently used out first. L3.
 *
 * One mutex guards the table and the counts and is not held while an order is looked for. An entry is put in before its
 * plan is made; who finds it in that state waits and looks again. Plans are copied out, so an entry may go at any time.
 */
#include "base/alloc.h"
#include "base/cancel.h"
#include "composite/einsum_path.h"
#include "core/process/cache.h"

#include <pthread.h>
#include <string.h>

typedef struct entry {
  hed__einsum_problem key;
  hed__einsum_plan plan;
  uint64_t hash, used;
  bool ready;
} entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static entry *slot[HED__EINSUM_PLANS];
static hed_cache_stats counts;
static uint64_t now;

static void stats(void *arg, hed_cache_stats *out)
{
  (void)arg;
  pthread_mutex_lock(&mutex);
  counts.struct_size = out->struct_size;
  *out = counts;
  pthread_mutex_unlock(&mutex);
  out->capacity = HED__EINSUM_PLANS;
  out->bytes = (uint64_t)out->entries * sizeof(entry);
}

/* With the mutex held: the entry of slot K goes. */
static void drop(int k)
{
  hed__free(slot[k]);
  slot[k] = NULL;
  counts.entries--;
}

static size_t trim(void *arg, size_t want)
{
  size_t got = 0;
  (void)arg;
  pthread_mutex_lock(&mutex);
  for (int k = 0; k < HED__EINSUM_PLANS && got < want; k++)
    if (slot[k] && slot[k]->ready) {
      drop(k);
      got += sizeof(entry);
    }
  pthread_mutex_unlock(&mutex);
  return got;
}

/* Another thread may have been half way through a change: the child starts with an empty table. */
static void fork_child(void *arg)
{
  (void)arg;
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&changed, NULL);
  memset(slot, 0, sizeof slot);
  counts.entries = 0;
}

static hed_cache self = {
  .struct_size = sizeof(hed_cache), .name = "einsum.paths", .stats = stats, .trim = trim, .fork_child = fork_child,
};

static uint64_t hash_of(const hed__einsum_problem *p)
{
  /* FNV-1a on 64-bit words (G. Fowler, L. C. Noll, K.-P. Vo), with a shift to mix downwards */
  uint64_t h = 0xcbf29ce484222325u, w;
  for (size_t k = 0; k + sizeof w <= sizeof *p; k += sizeof w) {
    memcpy(&w, (const char *)p + k, sizeof w);
    h = (h ^ w) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

/* With the mutex held: where KEY is; *room: a slot for it, -1 when none can be had. */
static int look(const hed__einsum_problem *key, uint64_t hash, int *room)
{
  int oldest = -1;
  *room = -1;
  for (int k = 0; k < HED__EINSUM_PLANS; k++) {
    entry *e = slot[k];
    if (!e)
      *room = k;
    else if (e->hash == hash && memcmp(&e->key, key, sizeof *key) == 0)
      return k;
    else if (e->ready && (oldest < 0 || e->used < slot[oldest]->used))
      oldest = k;
  }
  if (*room < 0)
    *room = oldest;
  return -1;
}

void hed__einsum_plan_get(const hed__einsum_problem *p, hed__einsum_plan *out)
{
  const uint64_t hash = hash_of(p);
  bool waited = false;
  int room, at;
  HED__UNCANCELLED; /* others wait for an order in the making */
  hed__cache_register(&self);
  pthread_mutex_lock(&mutex);
  while ((at = look(p, hash, &room)) >= 0 && !slot[at]->ready) {
    counts.waits += !waited;
    waited = true;
    pthread_cond_wait(&changed, &mutex);
  }
  if (at >= 0) {
    slot[at]->used = ++now;
    *out = slot[at]->plan;
    counts.hits++;
    pthread_mutex_unlock(&mutex);
    return;
  }
  counts.misses++;
  entry *mine = room >= 0 ? hed__calloc(1, sizeof *mine) : NULL;
  if (mine) {
    if (slot[room]) {
      drop(room);
      counts.evictions++;
    }
    mine->key = *p;
    mine->hash = hash;
    mine->used = ++now;
    slot[room] = mine;
    counts.entries++;
  }
  pthread_mutex_unlock(&mutex);
  hed__einsum_plan_make(p, out);
  if (!mine)
    return;
  pthread_mutex_lock(&mutex);
  mine->plan = *out; /* only entries that are ready are dropped */
  mine->ready = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}
