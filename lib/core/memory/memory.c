// SPDX-License-Identifier: BSD-3-Clause
/* Storage: made from pools, given back to them. L2. See memory.h.
 *
 * A small block in host memory takes the short way while this thread's magazine has one: no lock. All else is a request
 * (ladder.c).
 */
#include "core/memory/memory.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/invariant.h"
#include "core/context/context.h"
#include "core/memory/ladder.h"
#include "core/stream/ticket.h"
#include "core/memory/uses.h"
#include <heddle/backend.h>
#include <string.h>

/* ---- host blocks ---- */

void *hed__block_new(size_t bytes, uint8_t *cls)
{
  hed__tls *t = hed__tls_peek();
  void *p = hed__alloc_permit() ? hed__raw_new(t, bytes, cls) : NULL;
  if (p)
    hed__count_any(t, HED__COUNT_TAKEN);
  return p;
}

void hed__block_free(void *p, uint8_t cls)
{
  hed__tls *t = hed__tls_peek();
  hed__count_any(t, HED__COUNT_GIVEN);
  hed__raw_free(t, p, cls);
}

/* ---- making and releasing ---- */

hed__poison hed__poison_plain = { .op = -1, .text = "there was no memory to keep the reason" };

static void start(hed__storage *s, hed__device *device, size_t bytes, hed__account *account)
{
  HED__ASSERT(s->ptr && (s->cls == HED__CLASS_NONE || hed__block_size(s) >= bytes));
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
  hed__pool *p = hed__pool_of(device);
  bool hit;
  hed__storage *s = hed__ladder_request(device, bytes, account, permitted, what, &hit);
  if (!s)
    return NULL;
  hed__count_any(t, HED__COUNT_TAKEN);
  if (!device->host) {
    atomic_fetch_add(&p->allocs, 1);
    atomic_fetch_add(&p->hits, hit);
  } else {
    hed__count_any(t, HED__COUNT_ALLOCS);
    if (hit)
      hed__count_any(t, HED__COUNT_HITS);
  }
  start(s, device, bytes, account);
  hed__pool_count(p, (int64_t)bytes);
  return s;
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
  HED__ASSERT(s->owned && s->device->host);
  if (s->cls < HED__CLASSES && s->cls >= HED__MAGAZINE) {
    hed__account_keep(s->account, s->bytes);
    hed__pool_give(hed__host_pool(), s);
    return;
  }
  if (s->account) {
    hed__account_refund(s->account, s->bytes);
    hed__account_release(s->account);
  }
  hed__raw_free(hed__tls_peek(), s, s->cls);
}

static void release_device(hed__storage *s)
{
  HED__UNCANCELLED;
  hed__device *d = s->device;
  HED__ASSERT(s->owned && !d->host);
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
  hed__pool_return(&d->pool, s);
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
  if (p && p != &hed__poison_plain)
    hed__free(p);
  if (!s->device->host && s->fork_depth == hed__fork_depth())
    hed__ticket_forget(s->device, atomic_load_explicit(&s->ticket, memory_order_relaxed));
  if (!s->owned) {
    if (s->done)
      s->done(s->done_arg);
    hed__free(s);
    return;
  }
  hed__pool_count(hed__pool_of(s->device), -(int64_t)s->bytes);
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
  hed__storage *s = (hed__storage *)(void *)((char *)elements - hed__head_bytes());
  HED__ASSERT(s->ptr == elements && s->owned);
  hed__storage_release(s);
}
