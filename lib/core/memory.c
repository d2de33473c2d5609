// SPDX-License-Identifier: BSD-3-Clause
/* Storage: made from pools, given back to them; the ladder. L2. See memory.h.
 *
 * A small block in host memory takes the short way while this thread's magazine has one: no lock. All
 * else passes the turnstile, a read-write lock: requests share it, the last step of the ladder has it alone, so that what
 * is freed there is not taken by somebody else. Turnstile before a pool's lock.
 */
#include "core/memory.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/cache.h"
#include "core/context.h"
#include "core/log.h"
#include "core/registry_internal.h"
#include "core/submit.h"
#include "core/ticket.h"
#include <string.h>

_Static_assert(sizeof(hed__storage) <= HED__HANDLE_AT && HED__HANDLE_AT % _Alignof(hed_array) == 0, "a record");
_Static_assert(sizeof(hed_array) <= HED__HEAD_BYTES - HED__HANDLE_AT, "a handle");

/* Writers go first, or a storm of requests would keep the one that is in need waiting. */
#define TURNSTILE PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t turnstile = TURNSTILE;

void hed__turn_fork_child(void)
{
  static const pthread_rwlock_t fresh = TURNSTILE;
  memcpy(&turnstile, &fresh, sizeof turnstile);
}

static hed__pool *pool_of(hed__device *d) { return d->host ? hed__host_pool() : &d->pool; }

/* ---- counts of blocks, for tests ---- */

static void count_blocks(uint64_t *allocated, int64_t *live)
{
  uint64_t given = hed__count_total(HED__COUNT_GIVEN);
  *allocated = hed__count_total(HED__COUNT_TAKEN);
  *live = (int64_t)(*allocated - given);
}

static void register_counts(void) { hed__alloc_counts(count_blocks); }

/* Whether anything is kept; the first call sets up. */
static bool pooled(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static atomic_bool done;
  if (__builtin_expect(!atomic_load_explicit(&done, memory_order_acquire), 0)) {
    pthread_once(&once, register_counts);
    atomic_store_explicit(&done, true, memory_order_release);
  }
  return hed__pool_limit() > 0;
}

/* ---- host blocks ---- */

static void *raw_block(hed__tls *t, size_t bytes, uint8_t *cls)
{
  *cls = (uint8_t)(pooled() ? hed__class_of(bytes) : HED__CLASS_NONE);
  void *p = *cls < HED__MAGAZINE ? hed__magazine_take(t, *cls) : NULL;
  return p ? p : hed__system_new(bytes, *cls);
}

static void raw_free(hed__tls *t, void *p, uint8_t cls)
{
  if (cls < HED__MAGAZINE)
    hed__magazine_give(t, p, cls);
  else
    hed__system_free(p, cls);
}

void *hed__block_new(size_t bytes, uint8_t *cls)
{
  hed__tls *t = hed__tls_peek();
  void *p = hed__alloc_permit() ? raw_block(t, bytes, cls) : NULL;
  if (p)
    hed__count_any(t, HED__COUNT_TAKEN);
  return p;
}

void hed__block_free(void *p, uint8_t cls)
{
  hed__tls *t = hed__tls_peek();
  hed__count_any(t, HED__COUNT_GIVEN);
  raw_free(t, p, cls);
}

void hed__account_forget(hed__storage *s)
{
  hed__account_unkeep(s->account, s->bytes);
  hed__account_release(s->account);
  s->account = NULL;
}

void hed__record_free(hed__storage *s) { raw_free(hed__tls_peek(), s, s->record); }

/* ---- one attempt ---- */

typedef struct request {
  hed__device *device;
  hed__pool *pool;
  size_t bytes, total;     /* of elements; of the block in the pool's memory */
  hed__account *account, *refused;
  uint8_t cls;
  bool hit;
  bool flying;             /* blocks in flight will do */
  hed__storage *storage;   /* what was found */
} request;

/* Where nothing is kept, handles are blocks of their own, so that a memory checker sees their use after release. */
static size_t head_bytes(void) { return pooled() ? HED__HEAD_BYTES : HED__RECORD_BYTES; }

static void fill_in(hed__storage *s, void *ptr, unsigned cls, unsigned record)
{
  memset(s, 0, sizeof *s);
  s->ptr = ptr ? ptr : (char *)s + head_bytes();
  s->cls = (uint8_t)cls;
  s->record = (uint8_t)record;
  s->fused = pooled();
}

/* Bytes of a new block of class CLS for R. */
static size_t fresh_bytes(const request *r, unsigned cls)
{
  return cls == HED__CLASS_NONE    ? r->bytes + !r->bytes
         : cls == HED__CLASS_LARGE ? hed__large_units(r->bytes) << HED__UNIT_SHIFT
                                   : hed__class_size(cls);
}

/* Memory from the system or the device. EXACT: of the size asked for, rather than its class. */
static int32_t fresh(request *r, bool exact)
{
  unsigned cls = exact ? HED__CLASS_NONE : r->cls;
  if (r->device->host) {
    size_t bytes = 0;
    if (!hed__add_size(r->bytes, head_bytes(), &bytes))
      return HED_E_NOMEM;
    r->storage = hed__system_new(bytes, cls);
    if (!r->storage)
      return HED_E_NOMEM;
    fill_in(r->storage, NULL, cls, cls);
    return HED_OK;
  }
  uint8_t record;
  void *ptr = NULL;
  hed__tls *t = hed__tls_peek();
  hed__storage *s = raw_block(t, HED__HEAD_BYTES, &record);
  if (!s)
    return HED_E_NOMEM;
  size_t bytes = fresh_bytes(r, cls);
  int32_t status = r->device->plugin->alloc(r->device->state, bytes, &ptr);
  if (status != HED_OK) {
    raw_free(t, s, record);
    return status;
  }
  fill_in(s, ptr, cls, record);
  s->units = (uint32_t)(bytes >> HED__UNIT_SHIFT);
  r->storage = s;
  return HED_OK;
}

/* A block in flight, of the calling thread's stream or, for want of others, of any. Where it is written first, that comes after
 * the uses that it keeps. */
static hed__storage *caught(request *r, bool any)
{
  if (r->device->host || !hed__has_streams(r->device))
    return NULL;
  const int32_t stream = any ? -1 : hed__device_stream(r->device);
  return any || stream >= 0 ? hed__pool_catch(r->pool, r->cls, r->bytes, stream) : NULL;
}

/* A block that is kept, by now without an account. */
static hed__storage *kept(request *r)
{
  hed__storage *s = NULL;
  uint64_t use[HED__USES] = { 0 };
  if (r->cls == HED__CLASS_NONE)
    return NULL;
  if (r->device->host && r->cls < HED__MAGAZINE) {
    s = hed__magazine_take(hed__tls_peek(), r->cls);
    if (s)
      fill_in(s, NULL, r->cls, r->cls);
    return s;
  }
  bool flies = (s = caught(r, false)) != NULL;
  if (!s)
    s = hed__pool_take(r->pool, r->cls, r->bytes);
  if (!s && hed__pool_harvest(r->pool))
    s = hed__pool_take(r->pool, r->cls, r->bytes);
  if (!s && r->flying)
    flies = (s = caught(r, true)) != NULL;
  if (!s)
    return NULL;
  const uint32_t units = s->units;
  if (flies)
    memcpy(use, s->use, sizeof use);
  hed__account_forget(s);
  fill_in(s, r->device->host ? NULL : s->ptr, s->cls, s->record);
  s->units = units;
  memcpy(s->use, use, sizeof use);
  return s;
}

/* S, which nobody has, to its pool. */
static void give(hed__pool *p, hed__storage *s)
{
  const bool ordered = !p->device || (p->device->plugin->flags & HED_PLUGIN_ORDERED);
  if (ordered || hed__uses_over(s))
    hed__pool_give(p, s);
  else
    hed__pool_fly(p, s);
}

static void put_back(request *r)
{
  hed__storage *s = r->storage;
  s->fork_depth = hed__fork_depth();
  s->device = r->device;
  if (r->device->host && s->cls < HED__MAGAZINE)
    hed__magazine_give(hed__tls_peek(), s, s->cls);
  else
    give(r->pool, s);
}

static int32_t attempt(request *r, bool exact)
{
  r->refused = NULL;
  r->storage = exact ? NULL : kept(r);
  r->hit = r->storage != NULL;
  if (!hed__account_charge(r->account, r->bytes, &r->refused)) {
    if (r->storage)
      put_back(r);
    return HED_E_LIMIT;
  }
  if (r->storage)
    return HED_OK;
  int32_t s = fresh(r, exact);
  if (s != HED_OK)
    hed__account_refund(r->account, r->bytes);
  return s;
}

/* ---- the ladder ---- */

static bool is_shortage(int32_t status) { return status == HED_E_NOMEM || status == HED_E_DEVMEM || status == HED_E_LIMIT; }

static int32_t attempt_in_turn(request *r)
{
  pthread_rwlock_rdlock(&turnstile);
  int32_t s = attempt(r, false);
  pthread_rwlock_unlock(&turnstile);
  return s;
}

static int32_t again(request *r)
{
  atomic_fetch_add(&r->pool->retries, 1);
  return attempt_in_turn(r);
}

/* Bytes that have to come back for R to have a chance. */
static size_t needed(const request *r)
{
  if (!r->refused)
    return r->total;
  size_t used = atomic_load(&r->refused->used) + atomic_load(&r->refused->kept), limit = r->refused->limit;
  return used + r->bytes > limit ? used + r->bytes - limit : 1;
}

/* What landed; for a limit, in all spaces. WAIT: after waiting for it. */
static size_t harvest(request *r, bool wait)
{
  size_t got = 0;
  for (hed__pool *p = hed__pool_first(); p; p = hed__pool_next(p))
    if (p->device && (r->refused || p == r->pool)) {
      if (wait)
        (void)hed__device_wait_all(p->device);
      got += hed__pool_harvest(p);
    }
  return got;
}

/* Blocks of the space that is full; for a limit, of all spaces, those that count towards it. A device's records need host
 * memory, so both are trimmed when that is out. */
static size_t trim_blocks(request *r, int32_t status, size_t want)
{
  size_t got = 0;
  if (status == HED_E_NOMEM) {
    hed__magazines_trim();
    return hed__pool_trim(hed__host_pool(), want, NULL);
  }
  if (!r->refused)
    return hed__pool_trim(r->pool, want, NULL);
  for (hed__pool *p = hed__pool_first(); p && got < want; p = hed__pool_next(p))
    got += hed__pool_trim(p, want - got, r->refused);
  return got;
}

typedef struct wanted {
  size_t want, got;
  int32_t level;
  const hed__device *device; /* NULL: those in host memory */
} wanted;

static void trim_plugin(void *arg, hed__device *d)
{
  wanted *w = arg;
  bool meant = w->device ? d == w->device : d->host;
  if (meant && d->plugin->trim && w->got < w->want && !atomic_load(&d->gone))
    w->got += d->plugin->trim(d->state, w->want - w->got, w->level);
}

size_t hed__trim_caches(const hed__device *device, size_t want, int32_t level)
{
  wanted w = { .want = want, .level = level, .device = device };
  hed__devices_each(trim_plugin, &w);
  if (level > 0 && w.got < want)
    w.got += hed__caches_trim(want - w.got);
  return w.got;
}

static void step(const request *r, const char *name, size_t got)
{
  hed__log(HED_LOG_DEBUG, "memory", "%s: %zu bytes for %zu: %s", r->device->space, got, r->bytes, name);
}

/* The last step, alone. What others release meanwhile goes straight back, and is tried for as long as something came. */
static int32_t attempt_alone(request *r, int32_t status)
{
  size_t got;
  pthread_rwlock_wrlock(&turnstile);
  hed__pool_tight(1);
  do {
    got = harvest(r, true);
    got += trim_blocks(r, status, SIZE_MAX);
    atomic_fetch_add(&r->pool->retries, 1);
    status = attempt(r, false);
    if (is_shortage(status) && status != HED_E_LIMIT)
      status = attempt(r, true);
  } while (is_shortage(status) && got > 0);
  hed__pool_tight(-1);
  pthread_rwlock_unlock(&turnstile);
  step(r, "waited for the device alone", got);
  return status;
}

static int32_t climb(request *r, int32_t status)
{
  size_t got = harvest(r, false);
  step(r, "harvested", got);
  if (got && !is_shortage(status = again(r)))
    return status;
  r->flying = true;
  if (hed__has_streams(r->device) && !is_shortage(status = again(r)))
    return status;
  got = trim_blocks(r, status, needed(r));
  step(r, "trimmed the pool", got);
  if (got && !is_shortage(status = again(r)))
    return status;
  got = trim_blocks(r, status, SIZE_MAX);
  step(r, "emptied the pool", got);
  if (got && !is_shortage(status = again(r)))
    return status;
  for (int32_t level = 0; level < 2 && !r->refused; level++) { /* those count towards no limit */
    got = hed__trim_caches(r->device->host || status == HED_E_NOMEM ? NULL : r->device, r->total, level);
    step(r, level ? "trimmed plans" : "trimmed workspaces", got);
    if (got && !is_shortage(status = again(r)))
      return status;
  }
  return attempt_alone(r, status);
}

/* ---- the error with its numbers ---- */

static void describe(const request *r, int32_t status, hed_memory_failure *f)
{
  hed__pool_state q;
  hed__pool_query(r->pool, &q);
  *f = (hed_memory_failure){
    .struct_size = sizeof *f,
    .status = status,
    .requested = r->bytes,
    .in_use = q.in_use,
    .cached = q.cached + q.in_flight,
    .largest_free = q.largest,
  };
  if (r->refused) {
    f->in_use = atomic_load(&r->refused->used);
    f->cached = atomic_load(&r->refused->kept);
    f->limit = r->refused->limit;
    f->largest_free = hed__account_room(r->account);
  } else if (r->device->host || status == HED_E_NOMEM) {
    if (r->pool != hed__host_pool())
      hed__pool_query(hed__host_pool(), &q);
    hed__memory_state room = hed__memory_lately(q.in_use + q.cached);
    f->limit = room.total;
    f->largest_free = room.left > f->largest_free ? room.left : f->largest_free;
  } else if (r->device->plugin->memory) {
    hed_plugin_memory m = { .struct_size = sizeof m };
    if (r->device->plugin->memory(r->device->state, &m) == HED_OK) {
      f->limit = m.total;
      f->largest_free = m.largest > f->largest_free ? m.largest : f->largest_free;
    }
  }
  memcpy(f->space, r->device->space, sizeof f->space);
}

/* The ladder, unless more is asked for than there is: nobody's caches are to go for that. F: what is lacking in the end. */
static int32_t relieve(request *r, int32_t status, hed_memory_failure *f)
{
  describe(r, status, f);
  if (f->limit > 0 && r->bytes > f->limit)
    return status;
  status = climb(r, status);
  if (is_shortage(status))
    describe(r, status, f);
  return status;
}

static void tell(int32_t status, const char *what, const hed_memory_failure *f, bool context)
{
  hed_fail(status, "%s: %zu bytes asked for in %s, %zu in use, %zu cached, the %s %zu, largest free %zu", what, f->requested,
           f->space, f->in_use, f->cached, context ? "context's memory limit is" : "limit is", f->limit, f->largest_free);
}

/* WHAT NULL: nobody is told yet. */
static void report(const request *r, int32_t status, const char *what, const hed_memory_failure *f)
{
  char cause[160];
  if (!is_shortage(status)) {
    memcpy(cause, hed_error_text(), sizeof cause - 1);
    cause[sizeof cause - 1] = 0;
    hed_fail(status, "%s: %zu bytes are not to be had on %s: %s", what, r->bytes, r->device->name, cause);
    return;
  }
  if (what)
    tell(status, what, f, r->refused != NULL);
  hed__tls *t = hed__tls_peek();
  if (!t)
    return;
  t->memory = *f;
  t->shortages++;
  if (what)
    t->shortage = t->shortages;
  else
    t->lacking = status;
}

int32_t hed__lacking_fail(const char *what)
{
  hed__tls *t = hed__tls_peek();
  const int32_t status = t ? t->lacking : HED_OK;
  if (status == HED_OK)
    return hed_fail(HED_E_NOMEM, "%s", what);
  t->lacking = HED_OK;
  tell(status, what, &t->memory, status == HED_E_LIMIT);
  t->shortage = t->shortages;
  return status;
}

hed_status hed_error_memory(hed_memory_failure *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "error_memory: %s", out ? "struct_size is not set" : "out is NULL");
  hed__tls *t = hed__tls_peek();
  uint32_t size = out->struct_size;
  if (!t || !t->shortage)
    return HED_E_NOTFOUND;
  memcpy(out, &t->memory, size < sizeof t->memory ? size : sizeof t->memory);
  out->struct_size = size;
  return HED_OK;
}

/* ---- making and releasing ---- */

static void start(hed__storage *s, hed__device *device, size_t bytes, hed__account *account)
{
  atomic_init(&s->refs, 1);
  s->device = device;
  s->bytes = bytes;
  s->owned = true;
  s->fork_depth = hed__fork_depth();
  s->account = hed__account_retain(account);
}

static hed__storage *slow(hed__device *device, size_t bytes, hed__account *account, bool permitted, const char *what)
{
  hed__tls *t = hed__tls_peek();
  request r = { .device = device, .pool = pool_of(device), .bytes = bytes, .account = account };
  size_t head = device->host ? HED__HEAD_BYTES : 0;
  int cancel, status = HED_E_NOMEM;
  bool keeps = pooled(), fits = hed__add_size(bytes, head, &r.total);
  hed_memory_failure lacking;
  hed__error_mark mark;
  hed__error_save(&mark);
  r.cls = HED__CLASS_NONE;
  if (device->host && keeps && fits)
    r.cls = (uint8_t)hed__class_of(r.total);
  else if (!device->host && r.pool->most > 0 && fits)
    r.cls = (uint8_t)hed__device_class_of(r.total);
  if (permitted && fits) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* locks are held, and bytes are in nobody's hand */
    status = attempt_in_turn(&r);
    if (__builtin_expect(is_shortage(status), 0))
      status = relieve(&r, status, &lacking);
    pthread_setcancelstate(cancel, NULL);
  } else {
    describe(&r, status, &lacking);
  }
  if (status != HED_OK)
    report(&r, status, what, &lacking);
  if (status == HED_OK || !what)
    hed__error_restore(&mark);
  if (status != HED_OK)
    return NULL;
  hed__count_any(t, HED__COUNT_TAKEN);
  if (!device->host) {
    atomic_fetch_add(&r.pool->allocs, 1);
    atomic_fetch_add(&r.pool->hits, r.hit);
  } else {
    hed__count_any(t, HED__COUNT_ALLOCS);
    if (r.hit)
      hed__count_any(t, HED__COUNT_HITS);
  }
  start(r.storage, device, bytes, account);
  hed__pool_count(r.pool, (int64_t)bytes);
  return r.storage;
}

static inline hed__storage *storage_new(hed__device *device, size_t bytes, hed__account *account, const char *what)
{
  hed__tls *t = hed__tls_peek();
  if (device->host && t && bytes <= HED__SMALL_BYTES) {
    hed__storage *s = hed__small_storage(t, device, bytes, account);
    if (__builtin_expect(s != NULL, 1)) {
      hed__count(t, HED__COUNT_TAKEN);
      hed__count(t, HED__COUNT_ALLOCS);
      hed__count(t, HED__COUNT_HITS);
      return s;
    }
  }
  return slow(device, bytes, account, hed__alloc_permit(), what);
}

hed__storage *hed__storage_new(hed__device *device, size_t bytes, const char *what)
{
  const hed_context *c = hed__context();
  if (atomic_load_explicit(&device->gone, memory_order_relaxed)) {
    hed__device_gone(device);
    return NULL;
  }
  return storage_new(device, bytes, c ? c->account : NULL, what);
}

static void release_host(hed__storage *s)
{
  if (s->cls < HED__CLASSES && s->cls >= HED__MAGAZINE) {
    hed__account_keep(s->account, s->bytes);
    hed__pool_give(hed__host_pool(), s);
    return;
  }
  if (s->account) {
    hed__account_refund(s->account, s->bytes);
    hed__account_release(s->account);
  }
  raw_free(hed__tls_peek(), s, s->cls);
}

static void release_device(hed__storage *s)
{
  hed__device *d = s->device;
  /* memory of a device that was in use before fork is abandoned in the child: the device is the parent's */
  bool ours = s->fork_depth == hed__fork_depth();
  if (!ours || atomic_load(&d->gone) || (s->cls == HED__CLASS_NONE && (!hed__has_streams(d) || hed__uses_over(s)))) {
    hed__account_refund(s->account, s->bytes);
    hed__account_release(s->account);
    if (ours)
      d->plugin->free(d->state, s->ptr);
    hed__record_free(s);
    return;
  }
  hed__account_keep(s->account, s->bytes);
  give(&d->pool, s);
}

void hed__storage_release(hed__storage *s)
{
  HED__ASSERT(atomic_load(&s->refs) > 0);
  /* the only reference is the caller's: nobody else can be counting */
  if (atomic_load_explicit(&s->refs, memory_order_acquire) != 1 &&
      atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
    return;
  hed__tls *t = hed__tls_peek();
  if (t && hed__small_release(t, s)) {
    hed__count(t, HED__COUNT_GIVEN);
    return;
  }
  hed__poison *p = atomic_load_explicit(&s->poison, memory_order_relaxed);
  if (p)
    hed__free(p);
  if (!s->owned) {
    if (s->done)
      s->done(s->done_arg);
    hed__free(s);
    return;
  }
  hed__pool_count(pool_of(s->device), -(int64_t)s->bytes);
  hed__count_any(t, HED__COUNT_GIVEN);
  if (s->device->host)
    release_host(s);
  else
    release_device(s);
}

/* ---- buffers ---- */

/* Towards the limits that this thread's arrays count towards; one that only computes for another has no context. */
void *hed__buffer_new(size_t bytes, const char *what)
{
  const hed__tls *t = hed__tls_peek();
  const hed_context *c = !t ? NULL : t->current ? t->current : t->root;
  hed__storage *s = storage_new(hed__reference(), bytes, c ? c->account : NULL, what);
  return s ? s->ptr : NULL;
}

void *hed__buffer_zeroed(size_t n, size_t size, const char *what)
{
  size_t bytes = 0;
  void *p = hed__buffer_new(hed__mul_size(n, size, &bytes) ? bytes : SIZE_MAX, what);
  return p ? memset(p, 0, bytes) : NULL;
}

void *hed__scratch_new(size_t bytes)
{
  void *p = hed__buffer_new(bytes, NULL);
  hed__tls *t = hed__tls_peek();
  if (p && t)
    t->lacking = HED_OK;
  return p;
}

void hed__buffer_free(void *elements)
{
  if (!elements)
    return;
  hed__storage *s = (hed__storage *)(void *)((char *)elements - head_bytes());
  hed__storage_release(s);
}
