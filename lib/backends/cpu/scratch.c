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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { char *base; size_t size; } kept[KEEP];

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

void cpu_scratch_put(void *p)
{
  if (!p)
    return;
  char *base = (char *)p - HEAD, *dead = base;
  size_t size;
  memcpy(&size, base, sizeof size);
  pthread_mutex_lock(&mutex);
  int at = -1;
  for (int i = 0; i < KEEP; i++)
    if (!kept[i].base) {
      at = i;
      break;
    }
  if (at < 0) { /* full: the smallest goes */
    at = 0;
    for (int i = 1; i < KEEP; i++)
      if (kept[i].size < kept[at].size)
        at = i;
    dead = kept[at].size < size ? kept[at].base : base;
  } else {
    dead = NULL;
  }
  if (dead != base) {
    kept[at].base = base;
    kept[at].size = size;
  }
  pthread_mutex_unlock(&mutex);
  cpu_host->free(dead);
}

size_t cpu_scratch_trim(size_t want)
{
  size_t got = 0;
  for (int i = 0; i < KEEP && got < want; i++) {
    pthread_mutex_lock(&mutex);
    char *base = kept[i].base;
    size_t size = kept[i].size;
    kept[i].base = NULL;
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
