// SPDX-License-Identifier: BSD-3-Clause
/* Pools of free blocks. L2. See pool.h.
 *
 * Order: the system's memory, bounds, counting, shared lists, magazines, trimming, queries, fork.
 */
#include "core/memory/pool.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/invariant.h"
#include "core/process/config.h"
#include "core/context/context.h"
#include "core/memory/memory.h"
#include "core/memory/magazine.h"
#include "core/profile/profile.h"
#include "core/process/sanitized.h"
#include <heddle/backend.h>
#include <string.h>
#include <sys/mman.h>

static hed__pool host = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Atomic(hed__pool *) last = &host;
static pthread_mutex_t append = PTHREAD_MUTEX_INITIALIZER;
atomic_uint_fast64_t hed__trim_generation;
static atomic_int tight;
static atomic_int_fast64_t device_bytes, total_peak;

hed__pool *hed__host_pool(void) { return &host; }
hed__pool *hed__pool_first(void) { return &host; }

/* A program has a device to itself, more than its host: nine tenths of the memory, where the device says how much it has. Where
 * nothing of the host's is kept, neither is the device's. */
static size_t bound_of(hed__device *d)
{
  HED__UNCANCELLED;
  hed_plugin_memory m = { .struct_size = sizeof m };
  long mib = hed__config_device_pool();
  if (mib >= 0)
    return (size_t)mib << 20;
  if (hed__pool_limit() == 0)
    return 0;
  if (d->plugin->memory && d->plugin->memory(d->state, &m) == HED_OK && m.total)
    return (size_t)(m.total - m.total / 10);
  return hed__memory_look().total / 8;
}

void hed__pool_init(hed__pool *p, struct hed__device *device)
{
  pthread_mutex_init(&p->lock, NULL);
  p->device = device;
  p->most = bound_of(device);
  pthread_mutex_lock(&append);
  hed__pool *end = atomic_load(&last);
  pthread_mutex_lock(&end->lock);
  end->next = p;
  pthread_mutex_unlock(&end->lock);
  atomic_store(&last, p);
  pthread_mutex_unlock(&append);
}

hed__pool *hed__pool_next(hed__pool *p)
{
  pthread_mutex_lock(&p->lock);
  hed__pool *next = p->next;
  pthread_mutex_unlock(&p->lock);
  return next;
}

/* ---- the system's memory ---- */

enum { PAGED = 1 << 16, MAPPED = 1 << 20, PAGE = 4096, HUGE_PAGE = 1 << 21 };

/* Aligned so that the whole of it can be huge pages: touching new memory is five times as fast in those. */
static void *map_block(size_t bytes)
{
  size_t more = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
  char *p = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED && more) { /* no room to align it */
    more = 0;
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (p == MAP_FAILED)
    return NULL;
  if (more) {
    size_t before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    if (before)
      munmap(p, before);
    if (more - before)
      munmap(p + before + bytes, more - before);
    p += before;
    (void)madvise(p, bytes, MADV_HUGEPAGE);
  }
  return p;
}

/* Blocks of some pages all begin with one, as mapped ones do: where a result lies a line or two behind its operand, but for pages,
 * loads wait for stores that they have nothing to do with (bench/findings). */
void *hed__system_new(size_t bytes, unsigned cls)
{
  HED__ASSERT(cls == HED__CLASS_NONE || (cls < HED__CLASSES && bytes <= hed__class_size(cls)));
  size_t size = cls == HED__CLASS_NONE ? bytes : hed__class_size(cls);
  if (cls != HED__CLASS_NONE && size >= MAPPED)
    return map_block(size);
  return hed__alloc_plain(size, size >= PAGED ? PAGE : HED__ALIGN);
}

void hed__system_free(void *block, unsigned cls)
{
  if (cls != HED__CLASS_NONE && hed__class_size(cls) >= MAPPED)
    munmap(block, hed__class_size(cls));
  else
    hed__free_plain(block);
}

/* ---- the bound ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
atomic_size_t hed__pool_most = SIZE_MAX;

/* An eighth of what the process may have. Under AddressSanitizer nothing is kept unless asked for, so that it sees every
 * use of what was released. */
static void configure(void)
{
  long mib = hed__config_pool();
  size_t bytes = hed__sanitizer() ? 0 : hed__memory_look().total / 8;
  if (mib >= 0)
    bytes = (size_t)mib << 20;
  atomic_store(&hed__pool_most, bytes < SIZE_MAX ? bytes : SIZE_MAX - 1);
}

size_t hed__pool_configure(void)
{
  pthread_once(&once, configure);
  return atomic_load_explicit(&hed__pool_most, memory_order_relaxed);
}

/* ---- counting ---- */

static struct {
  _Atomic(hed__pool *) pool;
  atomic_int_fast64_t peak;
} watches[HED__WATCHES];
atomic_int hed__watching;

static void raise_to(atomic_int_fast64_t *peak, int64_t now)
{
  int_fast64_t high = atomic_load_explicit(peak, memory_order_relaxed);
  while (now > high && !atomic_compare_exchange_weak_explicit(peak, &high, now, memory_order_relaxed, memory_order_relaxed))
    ;
}

/* Bytes of P that are alive, with those that threads hold back; *MOST, the highest there may have been since. */
static int64_t alive(hed__pool *p, int64_t *most)
{
  int64_t now = atomic_load_explicit(&p->in_use, memory_order_relaxed), high = 0, held = 0;
  if (p == &host)
    held = hed__held_total(&high);
  *most = now + (held > high ? held : high);
  return now + held;
}

/* P has had NOW bytes in use. */
static void reached(hed__pool *p, int64_t now)
{
  int64_t others = atomic_load_explicit(p == &host ? &device_bytes : &host.in_use, memory_order_relaxed);
  raise_to(&p->peak, now);
  raise_to(&total_peak, p == &host ? now + others : atomic_load_explicit(&device_bytes, memory_order_relaxed) + others);
  if (__builtin_expect(atomic_load_explicit(&hed__watching, memory_order_relaxed) > 0, 0)) {
    int64_t most, all = alive(p, &most);
    for (int i = 0; i < HED__WATCHES; i++)
      if (atomic_load(&watches[i].pool) == p)
        raise_to(&watches[i].peak, now > all ? now : all);
  }
}

void hed__pool_blocks(uint64_t *allocated, int64_t *live)
{
  uint64_t given = hed__count_total(HED__COUNT_GIVEN);
  *allocated = hed__count_total(HED__COUNT_TAKEN);
  *live = (int64_t)(*allocated - given);
}

void hed__held_pass(hed__tls *t)
{
  int64_t held = atomic_load_explicit(&t->held, memory_order_relaxed);
  int64_t high = atomic_load_explicit(&t->held_high, memory_order_relaxed);
  atomic_store_explicit(&t->held, 0, memory_order_relaxed);
  atomic_store_explicit(&t->held_high, 0, memory_order_relaxed);
  int64_t before = atomic_fetch_add_explicit(&host.in_use, held, memory_order_relaxed);
  reached(&host, before + high);
}

void hed__pool_count(hed__pool *p, int64_t bytes)
{
  hed__tls *t = p == &host ? hed__tls_peek() : NULL;
  if (t)
    hed__held_pass(t);
  int64_t now = atomic_fetch_add_explicit(&p->in_use, bytes, memory_order_relaxed) + bytes;
  HED__ASSERT(p == &host || now >= 0);
  if (p != &host)
    atomic_fetch_add_explicit(&device_bytes, bytes, memory_order_relaxed);
  if (bytes > 0)
    reached(p, now);
  if ((t = hed__profiling_self()) != NULL)
    hed__profile_memory(t, p->device ? p->device->number : 0, now);
}

void hed__pool_totals(uint64_t *live, uint64_t *peak)
{
  int64_t most, now = alive(&host, &most), devices = atomic_load(&device_bytes);
  raise_to(&total_peak, most + devices);
  *live = (uint64_t)(now + devices > 0 ? now + devices : 0);
  *peak = (uint64_t)atomic_load(&total_peak);
}

int hed__watch_open(hed__pool *p)
{
  if (hed__tls_peek()) /* what was before is not part of it */
    hed__held_pass(hed__tls_peek());
  for (int i = 0; i < HED__WATCHES; i++) {
    hed__pool *none = NULL;
    if (!atomic_compare_exchange_strong(&watches[i].pool, &none, p))
      continue;
    int64_t most;
    atomic_fetch_add(&hed__watching, 1);
    atomic_store(&watches[i].peak, 0);
    raise_to(&watches[i].peak, alive(p, &most));
    return i;
  }
  return -1;
}

size_t hed__watch_peak(int slot) { return (size_t)atomic_load(&watches[slot].peak); }

hed__pool *hed__watch_pool(int slot) { return atomic_load(&watches[slot].pool); }

void hed__watch_close(int slot)
{
  HED__ASSERT(slot >= 0 && slot < HED__WATCHES && atomic_load(&watches[slot].pool) && atomic_load(&hed__watching) > 0);
  atomic_store(&watches[slot].pool, NULL);
  atomic_fetch_sub(&hed__watching, 1);
}

/* ---- shared lists ---- */

/* The calling thread's; threads that share one take what the other left. */
static unsigned my_shelf(void)
{
  const hed__tls *t = hed__tls_peek();
  return t ? (unsigned)(t->serial % HED__SHELVES) : 0;
}

size_t hed__block_size(const hed__storage *s)
{
  return s->cls == HED__CLASS_NONE ? s->bytes : s->cls == HED__CLASS_LARGE ? (size_t)s->units << HED__UNIT_SHIFT
                                                                            : hed__class_size(s->cls);
}

bool hed__pool_fits(const hed__storage *s, unsigned cls, size_t bytes)
{
  size_t units = hed__large_units(bytes);
  return s->cls == cls && (cls != HED__CLASS_LARGE || (s->units >= units && s->units <= units + units / 8));
}

/* A block of class CLS, from SHELF if there is one; NULL: none. Under the lock. */
static hed__storage *look(const hed__pool *p, unsigned cls, unsigned shelf)
{
  hed__storage *s = NULL;
  for (unsigned k = 0; !s && k < HED__SHELVES; k++)
    s = p->list[cls][(shelf + k) % HED__SHELVES];
  return s;
}

/* The smallest large one that fits. Under the lock. */
static hed__storage *look_large(const hed__pool *p, size_t bytes)
{
  hed__storage *best = NULL;
  for (unsigned k = 0; k < HED__SHELVES; k++)
    for (hed__storage *s = p->list[HED__CLASS_LARGE][k]; s; s = s->next)
      if (hed__pool_fits(s, HED__CLASS_LARGE, bytes) && (!best || s->units < best->units))
        best = s;
  return best;
}

/* Under the lock. */
static size_t largest(const hed__pool *p)
{
  size_t most = 0;
  for (unsigned cls = HED__CLASSES + 1; cls-- > 0 && !most;)
    for (unsigned k = 0; k < HED__SHELVES; k++)
      for (const hed__storage *s = p->list[cls][k]; s; s = cls == HED__CLASS_LARGE ? s->next : NULL)
        most = hed__block_size(s) > most ? hed__block_size(s) : most;
  return most;
}

/* Under the lock. */
static void link_in(hed__pool *p, hed__storage *s)
{
  HED__ASSERT(s->cls <= HED__CLASS_LARGE && hed__block_size(s) > 0);
  s->shelf = (uint8_t)my_shelf();
  hed__storage **list = &p->list[s->cls][s->shelf];
  s->prev = NULL;
  s->next = *list;
  if (s->next)
    s->next->prev = s;
  *list = s;
  s->newer = NULL;
  s->older = p->newest;
  if (s->older)
    s->older->newer = s;
  else
    p->oldest = s;
  p->newest = s;
  p->cached += hed__block_size(s);
}

/* Under the lock. */
static void link_out(hed__pool *p, hed__storage *s)
{
  HED__ASSERT(p->cached >= hed__block_size(s));
  HED__ASSERT((s->prev ? s->prev->next : p->list[s->cls][s->shelf]) == s);
  HED__ASSERT((s->newer ? s->newer->older : p->newest) == s && (s->older ? s->older->newer : p->oldest) == s);
  if (s->prev)
    s->prev->next = s->next;
  else
    p->list[s->cls][s->shelf] = s->next;
  if (s->next)
    s->next->prev = s->prev;
  if (s->newer)
    s->newer->older = s->older;
  else
    p->newest = s->older;
  if (s->older)
    s->older->newer = s->newer;
  else
    p->oldest = s->newer;
  p->cached -= hed__block_size(s);
}

void hed__account_forget(hed__storage *s)
{
  hed__account_unkeep(s->account, s->bytes);
  hed__account_release(s->account);
  s->account = NULL;
}

void hed__record_free(hed__storage *s) { hed__raw_free(hed__tls_peek(), s, s->record); }

/* Back to where it came from; no lock is held, as a device may wait in free. */
static size_t discard(hed__pool *p, hed__storage *s)
{
  HED__UNCANCELLED;
  HED__ASSERT(!p->device || s->device == p->device);
  size_t bytes = hed__block_size(s);
  hed__account_forget(s);
  if (!p->device) {
    hed__system_free(s, s->cls);
  } else {
    if (s->fork_depth == hed__fork_depth())
      p->device->plugin->free(p->device->state, s->ptr);
    hed__record_free(s);
  }
  return bytes;
}

static size_t discard_all(hed__pool *p, hed__storage *chain)
{
  size_t bytes = 0;
  uint64_t n = 0;
  for (hed__storage *s = chain, *next; s; s = next, n++) {
    next = s->next;
    bytes += discard(p, s);
  }
  atomic_fetch_add(&p->trims, n);
  return bytes;
}

hed__storage *hed__pool_take(hed__pool *p, unsigned cls, size_t bytes)
{
  const unsigned shelf = my_shelf();
  pthread_mutex_lock(&p->lock);
  hed__storage *s = cls == HED__CLASS_LARGE ? look_large(p, bytes) : look(p, cls, shelf);
  HED__ASSERT(!s || hed__pool_fits(s, cls, bytes));
  if (s)
    link_out(p, s);
  pthread_mutex_unlock(&p->lock);
  return s;
}

void hed__pool_give(hed__pool *p, hed__storage *s)
{
  size_t most = hed__pool_bound(p);
  hed__storage *chain = NULL;
  if (atomic_load(&tight) || s->cls == HED__CLASS_NONE || hed__block_size(s) > most) {
    s->next = NULL;
    discard_all(p, s);
    return;
  }
  pthread_mutex_lock(&p->lock);
  link_in(p, s);
  while (p->cached > most && p->oldest) {
    hed__storage *old = p->oldest;
    link_out(p, old);
    old->next = chain;
    chain = old;
  }
  pthread_mutex_unlock(&p->lock);
  discard_all(p, chain);
}

void hed__pool_tight(int change) { atomic_fetch_add(&tight, change); }

/* ---- magazines ---- */

static void *pop(hed__tls *t, unsigned cls)
{
  HED__ASSERT(cls < HED__MAGAZINE && t->magazine.count[cls] > 0 && t->magazine.head[cls]);
  void *block = t->magazine.head[cls];
  memcpy(&t->magazine.head[cls], block, sizeof(void *));
  t->magazine.count[cls]--;
  hed__magazine_count(t, HED__COUNT_CACHED, -(int64_t)hed__class_size(cls));
  return block;
}

static void push(hed__tls *t, void *block, unsigned cls)
{
  HED__ASSERT(cls < HED__MAGAZINE && block && block != t->magazine.head[cls]);
  memcpy(block, &t->magazine.head[cls], sizeof(void *));
  t->magazine.head[cls] = block;
  t->magazine.count[cls]++;
  hed__magazine_count(t, HED__COUNT_CACHED, (int64_t)hed__class_size(cls));
}

/* A raw block as something that a shared list can hold. */
static hed__storage *as_storage(void *block, unsigned cls)
{
  HED__ASSERT(cls < HED__MAGAZINE);
  hed__storage *s = memset(block, 0, sizeof *s);
  s->cls = s->record = (uint8_t)cls;
  return s;
}

static void shed(hed__tls *t, unsigned cls, unsigned keep)
{
  while (t->magazine.count[cls] > keep)
    hed__pool_give(&host, as_storage(pop(t, cls), cls));
}

void hed__magazine_flush(hed__tls *t)
{
  for (unsigned cls = 0; cls < HED__MAGAZINE; cls++)
    shed(t, cls, 0);
}

/* A trim was asked for since this thread's last call: its magazine goes back to the system. */
static size_t follow_trim(hed__tls *t, uint64_t now)
{
  size_t bytes = (size_t)atomic_load(&t->count[HED__COUNT_CACHED]);
  t->magazine.generation = now;
  for (unsigned cls = 0; cls < HED__MAGAZINE; cls++)
    while (t->magazine.count[cls]) {
      hed__system_free(pop(t, cls), cls);
      atomic_fetch_add(&host.trims, 1);
    }
  return bytes;
}

void *hed__magazine_take(hed__tls *t, unsigned cls)
{
  enum { BATCH = 8 };
  void *block = t ? hed__magazine_pop(t, cls) : NULL;
  if (block)
    return block;
  if (t && !hed__magazine_fresh(t))
    (void)follow_trim(t, atomic_load(&hed__trim_generation));
  hed__storage *got[BATCH];
  int n = 0, want = t ? BATCH : 1;
  const unsigned shelf = my_shelf();
  pthread_mutex_lock(&host.lock);
  while (n < want && (got[n] = look(&host, cls, shelf)))
    link_out(&host, got[n++]);
  pthread_mutex_unlock(&host.lock);
  while (n > 1)
    push(t, got[--n], cls);
  return n ? got[0] : NULL;
}

void hed__magazine_give(hed__tls *t, void *block, unsigned cls)
{
  if (!t) {
    hed__pool_give(&host, as_storage(block, cls));
    return;
  }
  if (hed__magazine_push(t, block, cls))
    return;
  if (!hed__magazine_fresh(t))
    (void)follow_trim(t, atomic_load(&hed__trim_generation));
  push(t, block, cls);
  uint64_t kept = atomic_load_explicit(&t->count[HED__COUNT_CACHED], memory_order_relaxed);
  if (__builtin_expect(t->magazine.count[cls] > HED__MAGAZINE_BLOCKS, 0))
    shed(t, cls, HED__MAGAZINE_BLOCKS / 2);
  else if (__builtin_expect(kept > HED__MAGAZINE_BYTES, 0))
    shed(t, cls, 0);
}

size_t hed__magazines_trim(void)
{
  hed__tls *t = hed__tls_peek();
  uint64_t now = atomic_fetch_add(&hed__trim_generation, 1) + 1;
  return t ? follow_trim(t, now) : 0;
}

void *hed__raw_new(hed__tls *t, size_t bytes, uint8_t *cls)
{
  *cls = (uint8_t)(hed__pooled() ? hed__class_of(bytes) : HED__CLASS_NONE);
  void *p = *cls < HED__MAGAZINE ? hed__magazine_take(t, *cls) : NULL;
  return p ? p : hed__system_new(bytes, *cls);
}

void hed__raw_free(hed__tls *t, void *p, uint8_t cls)
{
  if (cls < HED__MAGAZINE)
    hed__magazine_give(t, p, cls);
  else
    hed__system_free(p, cls);
}

/* ---- trimming ---- */

size_t hed__pool_trim(hed__pool *p, size_t want, const struct hed__account *only)
{
  hed__storage *chain = NULL;
  size_t got = 0;
  pthread_mutex_lock(&p->lock);
  for (hed__storage *s = p->oldest, *newer; s && got < want; s = newer) {
    newer = s->newer;
    if (only && !hed__account_within(s->account, only))
      continue;
    got += only ? s->bytes : hed__block_size(s);
    link_out(p, s);
    s->next = chain;
    chain = s;
  }
  pthread_mutex_unlock(&p->lock);
  discard_all(p, chain);
  return got;
}

/* ---- queries ---- */

void hed__pool_query(hed__pool *p, hed__pool_state *out)
{
  int64_t most, in_use = alive(p, &most);
  raise_to(&p->peak, most);
  hed__pool_state q = {
    .in_use = in_use > 0 ? (size_t)in_use : 0,
    .peak = (size_t)atomic_load(&p->peak),
    .allocs = atomic_load(&p->allocs),
    .hits = atomic_load(&p->hits),
    .trims = atomic_load(&p->trims),
    .retries = atomic_load(&p->retries),
  };
  if (!p->device) {
    q.allocs += hed__count_total(HED__COUNT_ALLOCS);
    q.hits += hed__count_total(HED__COUNT_HITS);
    q.cached = (size_t)hed__count_total(HED__COUNT_CACHED);
  }
  pthread_mutex_lock(&p->lock);
  q.cached += p->cached;
  q.in_flight = p->in_flight;
  q.largest = largest(p);
  pthread_mutex_unlock(&p->lock);
  *out = q;
}

/* ---- fork ---- */

void hed__pool_fork_prepare(void)
{
  pthread_mutex_lock(&append);
  for (hed__pool *p = &host; p; p = p->next)
    pthread_mutex_lock(&p->lock);
}

void hed__pool_fork_parent(void)
{
  for (hed__pool *p = &host; p; p = p->next)
    pthread_mutex_unlock(&p->lock);
  pthread_mutex_unlock(&append);
}

void hed__pool_fork_child(void)
{
  for (hed__pool *p = &host; p; p = p->next)
    pthread_mutex_init(&p->lock, NULL);
  pthread_mutex_init(&append, NULL);
  atomic_store(&tight, 0);
}
