// SPDX-License-Identifier: BSD-3-Clause
/* Requests for memory: kept blocks, new ones, and the ladder when there are none. L2. See ladder.h.
 *
 * Requests pass the turnstile, a read-write lock: they share it, the last step of the ladder has it alone, so that what is
 * freed there is not taken by somebody else. Turnstile before a pool's lock.
 */
#include "core/memory/ladder.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/invariant.h"
#include "core/process/cache.h"
#include "core/process/log.h"
#include "core/memory/memory.h"
#include "core/modules/registry_internal.h"
#include "core/stream/ticket.h"
#include <heddle/backend.h>
#include <string.h>

/* Writers go first, or a storm of requests would keep the one that is in need waiting. */
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define TURNSTILE PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define TURNSTILE PTHREAD_RWLOCK_INITIALIZER /* the C library has one order alone */
#endif
static pthread_rwlock_t turnstile = TURNSTILE;

void hed__turn_fork_child(void)
{
  static const pthread_rwlock_t fresh = TURNSTILE;
  memcpy(&turnstile, &fresh, sizeof turnstile);
}

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

static void fill_in(hed__storage *s, void *ptr, unsigned cls, unsigned record)
{
  memset(s, 0, sizeof *s);
  s->ptr = ptr ? ptr : (char *)s + hed__head_bytes();
  s->cls = (uint8_t)cls;
  s->record = (uint8_t)record;
  s->fused = hed__pooled();
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
    if (!hed__add_size(r->bytes, hed__head_bytes(), &bytes))
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
  hed__storage *s = hed__raw_new(t, HED__HEAD_BYTES, &record);
  if (!s)
    return HED_E_NOMEM;
  size_t bytes = fresh_bytes(r, cls);
  int32_t status = r->device->plugin->alloc(r->device->state, bytes, &ptr);
  if (status != HED_OK) {
    hed__raw_free(t, s, record);
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
  HED__ASSERT(s->cls == r->cls);
  if (flies)
    memcpy(use, s->use, sizeof use);
  hed__account_forget(s);
  fill_in(s, r->device->host ? NULL : s->ptr, s->cls, s->record);
  s->units = units;
  memcpy(s->use, use, sizeof use);
  return s;
}

static void put_back(request *r)
{
  hed__storage *s = r->storage;
  HED__ASSERT(!s->account);
  s->fork_depth = hed__fork_depth();
  s->device = r->device;
  if (r->device->host && s->cls < HED__MAGAZINE)
    hed__magazine_give(hed__tls_peek(), s, s->cls);
  else
    hed__pool_return(r->pool, s);
}

static int32_t attempt(request *r, bool exact)
{
  HED__ASSERT(r->pool == hed__pool_of(r->device) && r->total >= r->bytes);
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
  HED__UNCANCELLED;
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

/* ---- requests ---- */

hed__storage *hed__ladder_request(hed__device *device, size_t bytes, hed__account *account, bool permitted, const char *what,
                                  bool *hit)
{
  request r = { .device = device, .pool = hed__pool_of(device), .bytes = bytes, .account = account };
  size_t head = device->host ? HED__HEAD_BYTES : 0;
  int status = HED_E_NOMEM;
  bool keeps = hed__pooled(), fits = hed__add_size(bytes, head, &r.total);
  hed_memory_failure lacking;
  hed__error_mark mark;
  hed__error_save(&mark);
  r.cls = HED__CLASS_NONE;
  if (device->host && keeps && fits)
    r.cls = (uint8_t)hed__class_of(r.total);
  else if (!device->host && r.pool->most > 0 && fits)
    r.cls = (uint8_t)hed__device_class_of(r.total);
  if (permitted && fits) {
    const int cancel = hed__cancel_off(); /* locks are held, and bytes are in nobody's hand */
    status = attempt_in_turn(&r);
    HED__ASSERT(status != HED_OK || (r.storage && r.storage->ptr));
    if (__builtin_expect(is_shortage(status), 0))
      status = relieve(&r, status, &lacking);
    hed__cancel_back(cancel);
  } else {
    describe(&r, status, &lacking);
  }
  if (status != HED_OK)
    report(&r, status, what, &lacking);
  if (status == HED_OK || !what)
    hed__error_restore(&mark);
  *hit = r.hit;
  return status == HED_OK ? r.storage : NULL;
}
