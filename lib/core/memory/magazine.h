// SPDX-License-Identifier: BSD-3-Clause
/* Small blocks of host memory without a lock, a shared counter or a call. L2.
 *
 * A thread's magazine gives and takes what is there; whatever needs more (an empty class, a full magazine, a trim that was
 * asked for) is left to pool.c. Bytes alive are counted in the thread and pass to the pool in portions.
 */
#ifndef HED_CORE_MAGAZINE_H
#define HED_CORE_MAGAZINE_H

#include "core/process/tls.h"
#include <string.h>

static inline void hed__magazine_count(hed__tls *t, int which, int64_t by)
{
  atomic_store_explicit(&t->count[which], atomic_load_explicit(&t->count[which], memory_order_relaxed) + (uint64_t)by,
                        memory_order_relaxed);
}

/* Has nobody asked for a trim since T's last call? */
static inline bool hed__magazine_fresh(const hed__tls *t)
{
  return __builtin_expect(t->magazine.generation == atomic_load_explicit(&hed__trim_generation, memory_order_relaxed), 1);
}

/* NULL: T has none. */
static inline void *hed__magazine_pop(hed__tls *t, unsigned cls)
{
  void *block = t->magazine.head[cls];
  if (__builtin_expect(!block || !hed__magazine_fresh(t), 0))
    return NULL;
  memcpy(&t->magazine.head[cls], block, sizeof(void *));
  t->magazine.count[cls]--;
  hed__magazine_count(t, HED__COUNT_CACHED, -(int64_t)hed__class_size(cls));
  return block;
}

/* False: no room. */
static inline bool hed__magazine_push(hed__tls *t, void *block, unsigned cls)
{
  uint64_t kept = atomic_load_explicit(&t->count[HED__COUNT_CACHED], memory_order_relaxed) + hed__class_size(cls);
  if (__builtin_expect(t->magazine.count[cls] >= HED__MAGAZINE_BLOCKS || kept > HED__MAGAZINE_BYTES || !hed__magazine_fresh(t), 0))
    return false;
  memcpy(block, &t->magazine.head[cls], sizeof(void *));
  t->magazine.head[cls] = block;
  t->magazine.count[cls]++;
  atomic_store_explicit(&t->count[HED__COUNT_CACHED], kept, memory_order_relaxed);
  return true;
}

/* BYTES of storage of at most HED__HELD_BYTES in host memory made (positive) or released by T. */
static inline void hed__held_add(hed__tls *t, int64_t bytes)
{
  int64_t now = atomic_load_explicit(&t->held, memory_order_relaxed) + bytes;
  atomic_store_explicit(&t->held, now, memory_order_relaxed);
  if (now > atomic_load_explicit(&t->held_high, memory_order_relaxed))
    atomic_store_explicit(&t->held_high, now, memory_order_relaxed);
  if (__builtin_expect(now > HED__HELD_BYTES || now < -HED__HELD_BYTES ||
                       atomic_load_explicit(&hed__watching, memory_order_relaxed) > 0, 0))
    hed__held_pass(t);
}

#endif
