// SPDX-License-Identifier: BSD-3-Clause
/* The list of caches: registering, counting, trimming, from several threads. L5. */
#include "core/process/cache.h"
#include "core/modules/registry_internal.h"

#include "tap.h"
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CACHES = 16, THREADS = 4 };

typedef struct hoard {
  size_t bytes, asked;
  int forked;
} hoard;

static hoard hoards[CACHES];
static hed_cache caches[CACHES];
static char names[CACHES][64];

static void count(void *arg, hed_cache_stats *out)
{
  const hoard *h = arg;
  out->entries = 3;
  out->capacity = 8;
  out->hits = 5;
  out->misses = 4;
  out->evictions = 1;
  out->bytes = h->bytes;
}

static size_t give(void *arg, size_t want)
{
  hoard *h = arg;
  size_t got = h->bytes < want ? h->bytes : want;
  h->asked++;
  h->bytes -= got;
  return got;
}

static void child(void *arg) { ((hoard *)arg)->forked++; }

static void *add_all(void *arg)
{
  for (int k = 0; k < CACHES; k++)
    hed__cache_register(&caches[k]);
  return arg;
}

typedef struct seen {
  int n, mine;
  hed_cache_stats last;
} seen;

static void look(void *arg, const hed_cache_stats *c)
{
  seen *s = arg;
  s->n++;
  if (strncmp(c->name, "test.", 5) != 0)
    return;
  s->mine++;
  if (!strcmp(c->name, "test.7"))
    s->last = *c;
}

int main(void)
{
  pthread_t t[THREADS];
  int before = hed_cache_list(NULL, NULL);
  for (int k = 0; k < CACHES; k++) {
    hoards[k].bytes = 100;
    snprintf(names[k], sizeof names[k], "test.%d", k);
    caches[k] = (hed_cache){ sizeof(hed_cache), names[k], &hoards[k], count, give, child, NULL, 0 };
  }
  caches[3].stats = NULL;
  caches[4].trim = NULL;
  caches[5].fork_child = NULL;
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&t[k], NULL, add_all, NULL))
      bail("no thread");
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  add_all(NULL);
  seen s = { 0 };
  is_int(hed_cache_list(look, &s), before + CACHES, "every cache once, however often it was registered");
  is_int(s.n, before + CACHES, "each is described");
  is_int(s.mine, CACHES, "by name");
  is_int(s.last.entries, 3, "entries");
  is_int(s.last.capacity, 8, "capacity");
  is_uint(s.last.hits, 5, "hits");
  is_uint(s.last.misses, 4, "misses");
  is_uint(s.last.evictions, 1, "evictions");
  is_uint(s.last.bytes, 100, "bytes");
  is_uint(s.last.struct_size, sizeof s.last, "size of the struct");

  is_uint(hed__caches_trim(250), 250, "trimmed as much as was asked for");
  size_t left = 0, asked = 0;
  for (int k = 0; k < CACHES; k++) {
    left += hoards[k].bytes;
    asked += hoards[k].asked;
  }
  is_uint(left, CACHES * 100 - 250, "no more");
  is_uint(asked, 3, "of as few caches as give it");
  is_uint(hed__caches_trim(SIZE_MAX), CACHES * 100 - 250 - 100, "the rest, but for a cache that cannot");
  is_uint(hed__caches_trim(SIZE_MAX), 0, "nothing is left");

  hed__caches_fork_child();
  is_int(hoards[0].forked, 1, "owners hear of a fork");
  is_int(hoards[5].forked, 0, "unless they see to it themselves");
  is_uint(hed__host_api.struct_size, sizeof(hed_host_api), "plug-ins reach it");
  ok(hed__host_api.cache_register == hed__cache_register, "through the host's services");
  return done();
}
