// SPDX-License-Identifier: BSD-3-Clause
/* Memory of arrays: storage and buffers, what is to be had. L2. */
#ifndef HED_CORE_MEMORY_H
#define HED_CORE_MEMORY_H

#include "base/alloc.h"
#include "core/context/context.h"
#include "core/memory/pool.h"
#include "core/memory/magazine.h"
#include "core/memory/storage.h"
#include <heddle/memory.h>

/* In host memory a storage's block is: record, room for one handle, elements. */
enum { HED__HANDLE_AT = 120, HED__RECORD_BYTES = 128, HED__HEAD_BYTES = 448 };

/* Where nothing is kept, handles are blocks of their own, so that a memory checker sees their use after release. */
static inline size_t hed__head_bytes(void) { return hed__pooled() ? HED__HEAD_BYTES : HED__RECORD_BYTES; }

static inline hed__pool *hed__pool_of(hed__device *d) { return d->host ? hed__host_pool() : &d->pool; }

/* Uninitialised storage of BYTES in DEVICE's space with one reference, counted towards the context's limit. WHAT begins
 * the sentence of an error. NULL with the error set. */
hed__storage *hed__storage_new(hed__device *device, size_t bytes, const char *what);
void hed__storage_release(hed__storage *s);

/* Most bytes of elements in a block that magazines keep. */
enum { HED__SMALL_BYTES = 32768 - HED__HEAD_BYTES };

/* Host storage of at most HED__SMALL_BYTES from the thread's magazine; NULL, with nothing done, when that has no block, the
 * limit no room, or the allocation is chosen to fail: then hed__storage_new goes the long way. Counted by the caller. */
static inline __attribute__((always_inline)) hed__storage *hed__small_storage(hed__tls *t, hed__device *device, size_t bytes,
                                                                               hed__account *account)
{
  hed__account *refused;
  if (__builtin_expect(atomic_load_explicit(&hed__alloc_countdown, memory_order_relaxed) != 0, 0))
    return NULL;
  unsigned cls = hed__class_of(bytes + HED__HEAD_BYTES);
  hed__storage *s = hed__magazine_pop(t, cls);
  if (__builtin_expect(!s, 0))
    return NULL;
  if (account) {
    if (__builtin_expect(!hed__account_charge(account, bytes, &refused), 0)) {
      hed__magazine_give(t, s, cls);
      return NULL;
    }
    hed__account_retain(account);
  }
  atomic_init(&s->refs, 1);
  s->device = device;
  s->ptr = (char *)s + HED__HEAD_BYTES;
  s->bytes = bytes;
  s->owned = s->fused = true;
  s->cls = s->record = (uint8_t)cls;
  s->fork_depth = hed__fork_depth();
  s->account = account;
  atomic_init(&s->ticket, 0);
  atomic_init(&s->poison, NULL);
  atomic_init(&s->watched, false);
  hed__held_add(t, (int64_t)bytes);
  return s;
}

/* S, whose last reference goes, back into the magazine; false, with nothing done, where more is to be looked at. */
static inline bool hed__small_release(hed__tls *t, hed__storage *s)
{
  size_t bytes = s->bytes;
  hed__account *account = s->account;
  if (__builtin_expect(!s->owned || !s->device->host || s->cls >= HED__MAGAZINE ||
                       atomic_load_explicit(&s->poison, memory_order_relaxed), 0) || !hed__magazine_push(t, s, s->cls))
    return false;
  if (account) {
    hed__account_refund(account, bytes);
    hed__account_release(account);
  }
  hed__held_add(t, -(int64_t)bytes);
  return true;
}

/* A block of at most HED__CLASS_SMALLEST bytes in host memory; *CLS goes to free. NULL without an error set. */
void *hed__block_new(size_t bytes, uint8_t *cls);
void hed__block_free(void *block, uint8_t cls);

/* Host memory for elements on their way: through the pool and the ladder, towards the context's limits. WHAT begins the
 * sentence of an error. NULL with the error set. ZEROED: of N times SIZE bytes. */
void *hed__buffer_new(size_t bytes, const char *what);
void *hed__buffer_zeroed(size_t n, size_t size, const char *what);
/* The same for a kernel, which may do without: no error is set, and hed__lacking_fail, which sets HED_E_NOMEM otherwise, has
 * the status and the numbers. */
void *hed__scratch_new(size_t bytes);
void hed__buffer_free(void *elements);

/* Bytes that the process may have in all, and could still get: RAM, control groups, resource limits; 0 = not
 * known. LATELY: by what the system said some milliseconds ago and the bytes TAKEN by the host's pool then and now. */
typedef struct hed__memory_state {
  size_t total, left;
} hed__memory_state;
hed__memory_state hed__memory_look(void);
hed__memory_state hed__memory_lately(size_t taken);

#endif
