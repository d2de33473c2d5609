// SPDX-License-Identifier: BSD-3-Clause
/*
 * Scratch memory that outlives calls. L1.
 *
 * Faulting in fresh pages costs more than the transforms done in them, so a few blocks are kept. A
 * block carries its size in front; the pool is a short array under a mutex.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/scratch.h"
#include <pthread.h>
#include <string.h>

enum { KEEP = 16, HEAD = 64 };

/* Bytes that are kept at most. Beyond it the transforms take so long that new pages cost little beside them. */
static const size_t MOST = (size_t)512 << 20;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { char *base; size_t size; } kept[KEEP];
static size_t held; /* bytes of them */

void *cpu_scratch_get(size_t bytes)
{
  char *base = NULL;
  size_t size = 0;
  int best = -1;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < KEEP; i++) /* the least that is large enough, at most four times as large */
    if (kept[i].base && kept[i].size >= bytes && kept[i].size / 4 <= bytes + 4096
        && (best < 0 || kept[i].size < kept[best].size))
      best = i;
  if (best >= 0) {
    base = kept[best].base;
    size = kept[best].size;
    kept[best].base = NULL;
    held -= size;
  }
  pthread_mutex_unlock(&mutex);
  if (!base) {
    if (bytes > SIZE_MAX - HEAD)
      return NULL;
    base = cpu_host->alloc(bytes + HEAD, HEAD);
    size = bytes;
    if (!base)
      return NULL;
  }
  memcpy(base, &size, sizeof size);
  return base + HEAD;
}

/* Of those that are kept the smallest; -1: none. */
static int smallest(void)
{
  int at = -1;
  for (int i = 0; i < KEEP; i++)
    if (kept[i].base && (at < 0 || kept[i].size < kept[at].size))
      at = i;
  return at;
}

/* A place for a block of SIZE within the bounds, with what has to go for it in DEAD; -1 where the block itself should. */
static int make_room(size_t size, char **dead, int *n)
{
  int at, empty = -1;
  *n = 0;
  if (size > MOST)
    return -1;
  for (int i = 0; i < KEEP; i++)
    empty = kept[i].base ? empty : i;
  while (empty < 0 || held + size > MOST) {
    at = smallest();
    if (empty < 0 && kept[at].size >= size)
      return -1;
    held -= kept[at].size;
    dead[(*n)++] = kept[at].base;
    kept[at].base = NULL;
    empty = at;
  }
  return empty;
}

void cpu_scratch_put(void *p)
{
  if (!p)
    return;
  char *base = (char *)p - HEAD, *dead[KEEP];
  size_t size;
  int n;
  memcpy(&size, base, sizeof size);
  pthread_mutex_lock(&mutex);
  int at = make_room(size, dead, &n);
  if (at >= 0) {
    kept[at].base = base;
    kept[at].size = size;
    held += size;
  }
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < n; i++)
    cpu_host->free(dead[i]);
  if (at < 0)
    cpu_host->free(base);
}

size_t cpu_scratch_trim(size_t want)
{
  size_t got = 0;
  for (int i = 0; i < KEEP && got < want; i++) {
    pthread_mutex_lock(&mutex);
    char *base = kept[i].base;
    size_t size = kept[i].size;
    kept[i].base = NULL;
    held -= base ? size : 0;
    pthread_mutex_unlock(&mutex);
    if (base)
      got += size;
    cpu_host->free(base);
  }
  return got;
}

void cpu_scratch_fork_child(void)
{
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof mutex);
}
