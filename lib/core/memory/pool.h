// SPDX-License-Identifier: BSD-3-Clause
/* Pools: free blocks by size class, one pool per memory space, and a cache of small host blocks per thread. L2.
 *
 * What a pool keeps are storages (storage.h): in host memory record and elements are one block, in a device's memory
 * the record stands for the block. Sizes are powers of two with four steps between. A pool's lock is a leaf: nothing is
 * called under it, blocks go back to the system outside it.
 *
 * What a thread releases lies on its own shelf and is the first that it is given again: another processor would have to
 * fetch every line of it from this one's caches. An empty shelf is filled from the others.
 *
 * The small blocks a thread releases wait in its own magazine, which no other thread touches; when it is full, half of
 * the class goes to the shared pool. A trim raises a number that each thread sees at its next call, and empties its
 * magazine.
 */
#ifndef HED_CORE_POOL_H
#define HED_CORE_POOL_H

#include "core/process/pools.h"
#include <stdbool.h>

struct hed__account;
struct hed__tls;

hed__pool *hed__host_pool(void);
void hed__pool_init(hed__pool *p, struct hed__device *device); /* enters it into the list of all */
hed__pool *hed__pool_first(void);                        /* host memory's */
hed__pool *hed__pool_next(hed__pool *p);

/* Smallest class of at least BYTES, HED__CLASS_NONE beyond all; and its size. */
enum { HED__FIRST_SHIFT = 6, HED__STEPS = 4 };
static inline unsigned hed__class_of(size_t bytes)
{
  if (bytes <= HED__CLASS_SMALLEST)
    return 0;
  unsigned shift = 61u - (unsigned)__builtin_clzll((unsigned long long)bytes - 1);
  size_t cls = (shift - HED__FIRST_SHIFT) * HED__STEPS + ((bytes - 1) >> shift) - 7;
  return cls < HED__CLASSES ? (unsigned)cls : HED__CLASS_NONE;
}
static inline size_t hed__class_size(unsigned cls)
{
  return (size_t)(5 + (cls + 3) % HED__STEPS) << (HED__FIRST_SHIFT + (cls + 3) / HED__STEPS);
}

/* On a device, where memory is dear, large blocks have sizes of their own: multiples of a unit. One that is kept serves
 * requests down to eight ninths of its size. */
enum { HED__LARGE_SHIFT = 25, HED__UNIT_SHIFT = 21 };
static inline unsigned hed__device_class_of(size_t bytes)
{
  return bytes > (size_t)1 << HED__LARGE_SHIFT ? HED__CLASS_LARGE : hed__class_of(bytes);
}
static inline size_t hed__large_units(size_t bytes) { return (bytes + ((size_t)1 << HED__UNIT_SHIFT) - 1) >> HED__UNIT_SHIFT; }

/* Size of S's block. */
size_t hed__block_size(const struct hed__storage *s);

/* The bound on what the shared lists of the host's pool keep; 0: nothing is kept, blocks have exactly the size asked for. */
extern atomic_size_t hed__pool_most; /* SIZE_MAX: not known yet */
size_t hed__pool_configure(void);
static inline size_t hed__pool_limit(void)
{
  size_t most = atomic_load_explicit(&hed__pool_most, memory_order_relaxed);
  return __builtin_expect(most != SIZE_MAX, 1) ? most : hed__pool_configure();
}

/* The same of P. And: is anything of the host's kept? */
static inline size_t hed__pool_bound(const hed__pool *p) { return p->device ? p->most : hed__pool_limit(); }
static inline bool hed__pooled(void) { return hed__pool_limit() > 0; }

/* Small host blocks: CLS below HED__MAGAZINE. Take gives a block that is kept somewhere, or NULL. */
void *hed__magazine_take(struct hed__tls *t, unsigned cls);
void hed__magazine_give(struct hed__tls *t, void *block, unsigned cls);
void hed__magazine_flush(struct hed__tls *t);

extern atomic_uint_fast64_t hed__trim_generation; /* of trims asked for */

/* A host block of BYTES, at most what magazines keep, from there or the system; *CLS goes to free. Not counted, no permit
 * asked. */
void *hed__raw_new(struct hed__tls *t, size_t bytes, uint8_t *cls);
void hed__raw_free(struct hed__tls *t, void *block, uint8_t cls);

/* A host block from the system (CLS HED__CLASS_NONE: of BYTES), and back. Not counted, no permit asked. */
void *hed__system_new(size_t bytes, unsigned cls);
void hed__system_free(void *block, unsigned cls);

/* A free storage of class CLS, of the smallest size of that class that holds BYTES and is not much larger, or NULL. What it
 * still counts towards an account is the caller's to undo. */
struct hed__storage *hed__pool_take(hed__pool *p, unsigned cls, size_t bytes);
/* Would a block of S's size do for that? */
bool hed__pool_fits(const struct hed__storage *s, unsigned cls, size_t bytes);
/* Keep S, a record without references; the oldest go back to the system beyond the limit. */
void hed__pool_give(hed__pool *p, struct hed__storage *s);
/* S counts towards no account any more. And: the record of device memory that is gone. */
void hed__account_forget(struct hed__storage *s);
void hed__record_free(struct hed__storage *s);

/* ---- flight.c ---- */

/* Keep S, which may still be in use: then it flies first. */
void hed__pool_return(hed__pool *p, struct hed__storage *s);
/* Move what has landed to the free lists. Bytes moved. */
size_t hed__pool_harvest(hed__pool *p);
/* As hed__pool_take, one that is in flight, with its uses: used by STREAM only, or, where that is negative, by any. */
struct hed__storage *hed__pool_catch(hed__pool *p, unsigned cls, size_t bytes, int32_t stream);

/* ---- pool.c ---- */

/* Give back at least WANT bytes, oldest first, as far as there are; with ONLY not NULL, of those that count towards it.
 * Bytes given back. */
size_t hed__pool_trim(hed__pool *p, size_t want, const struct hed__account *only);

/* Trim the calling thread's magazine now (bytes of that) and the other threads' at their next call. */
size_t hed__magazines_trim(void);

/* While more than none is set, released blocks go straight back to the system. */
void hed__pool_tight(int change);

/* Count BYTES of storage made (positive) or released in P. What a thread makes and releases in small blocks it adds up by
 * itself, to be passed to the host's pool in portions: queries add what is not passed yet, and the peak is exact for one
 * thread and within HED__HELD_BYTES for each further one. With a meter running nothing is held back. */
void hed__pool_count(hed__pool *p, int64_t bytes);
void hed__held_pass(struct hed__tls *t);
extern atomic_int hed__watching;

typedef struct hed__pool_state {
  size_t in_use, cached, in_flight, peak, largest;
  uint64_t allocs, hits, trims, retries;
} hed__pool_state;
void hed__pool_query(hed__pool *p, hed__pool_state *out);

/* All spaces together: bytes of storage alive and the most there were. */
void hed__pool_totals(uint64_t *live, uint64_t *peak);

/* Blocks that the library took and still has, for tests: see hed__alloc_counts. */
void hed__pool_blocks(uint64_t *allocated, int64_t *live);

/* A watch on the highest use of P from now on; its slot, or -1 when there are too many. */
int hed__watch_open(hed__pool *p);
size_t hed__watch_peak(int slot);
hed__pool *hed__watch_pool(int slot);
void hed__watch_close(int slot);
enum { HED__WATCHES = 64 };

void hed__pool_fork_prepare(void);
void hed__pool_fork_parent(void);
void hed__pool_fork_child(void);

#endif
