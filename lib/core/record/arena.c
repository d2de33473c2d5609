// SPDX-License-Identifier: BSD-3-Clause
/* See arena.h. L2. */
#include "core/record/arena.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include <stdint.h>

enum { CHUNK_BYTES = 65536 - 64, ALIGN = 16, KEPT_CHUNKS = 2 };

typedef struct hed__chunk {
  struct hed__chunk *next;
  size_t used, size;
  _Alignas(ALIGN) char bytes[];
} chunk;

void *hed__arena_take(hed__arena *a, size_t bytes)
{
  bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  chunk *c = a->chunks;
  if (!c || c->size - c->used < bytes) {
    c = a->spare;
    if (c && c->size >= bytes) {
      a->spare = c->next;
    } else {
      const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
      if (!(c = hed__malloc(sizeof *c + size)))
        return NULL;
      c->size = size;
    }
    c->used = 0;
    c->next = a->chunks;
    a->chunks = c;
  }
  void *p = c->bytes + c->used;
  c->used += bytes;
  HED__ASSERT(c->used <= c->size && (uintptr_t)p % ALIGN == 0);
  return p;
}

void hed__arena_empty(hed__arena *a)
{
  int kept = 0;
  for (const chunk *c = a->spare; c; c = c->next)
    kept++;
  while (a->chunks) {
    chunk *c = a->chunks;
    a->chunks = c->next;
    if (c->size == CHUNK_BYTES && kept < KEPT_CHUNKS) {
      c->next = a->spare;
      a->spare = c;
      kept++;
    } else {
      hed__free(c);
    }
  }
}

void hed__arena_free(hed__arena *a)
{
  hed__arena_empty(a);
  while (a->spare) {
    chunk *c = a->spare;
    a->spare = c->next;
    hed__free(c);
  }
}
