// SPDX-License-Identifier: BSD-3-Clause
/* Tickets of asynchronous devices. L2. See ticket.h. */
#include "core/stream/ticket.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/invariant.h"
#include "core/context/context.h"
#include "core/profile/profile.h"
#include <heddle/backend.h>
#include <stdio.h>

/* Streams come in pages: few devices have more than a handful, but a program may bring as many as it likes. */
enum { PAGE = 256 };
_Static_assert(HED__STREAM_PAGES * PAGE == 1 << (64 - HED__TICKET_BITS), "all streams have a page");

typedef struct stream_state {
  atomic_uint_fast64_t given, over; /* tickets */
} stream_state;

struct hed__stream_page {
  stream_state stream[PAGE];
};

static stream_state *find(const hed__device *d, uint64_t ticket)
{
  uint32_t stream = hed__ticket_stream(ticket);
  hed__stream_page *p = atomic_load_explicit(&d->streams[stream / PAGE], memory_order_acquire);
  return p ? &p->stream[stream % PAGE] : NULL;
}

static stream_state *make(hed__device *d, uint64_t ticket)
{
  _Atomic(hed__stream_page *) *page = &d->streams[hed__ticket_stream(ticket) / PAGE];
  hed__stream_page *none = NULL, *p = atomic_load_explicit(page, memory_order_acquire);
  if (!p && (p = hed__calloc(1, sizeof *p)) && !atomic_compare_exchange_strong(page, &none, p))
    hed__free(p);
  return find(d, ticket);
}

static void raise(atomic_uint_fast64_t *last, uint64_t ticket)
{
  uint_fast64_t old = atomic_load(last);
  while (old < ticket && !atomic_compare_exchange_weak(last, &old, ticket))
    ;
}

int32_t hed__device_stream(const hed__device *d)
{
  HED__UNCANCELLED;
  const hed__tls *t = hed__tls_peek();
  if (!hed__has_streams(d))
    return 0;
  const bool selected = t && t->current && t->current->stream && t->current->device == d;
  int32_t number = selected ? d->plugin->stream_select(d->state, t->current->stream->number) : HED_OK;
  if (number == HED_OK)
    number = d->plugin->stream(d->state);
  if (selected)
    (void)d->plugin->stream_select(d->state, -1);
  return number;
}

void hed__ticket_given(hed__device *d, uint64_t ticket)
{
  HED__ASSERT(ticket != 0 && !d->host);
  stream_state *s = make(d, ticket);
  if (s)
    raise(&s->given, ticket);
  else /* nobody would know of it */
    (void)hed__device_wait(d, ticket);
}

static void is_over(hed__device *d, uint64_t ticket)
{
  stream_state *s = find(d, ticket);
  HED__ASSERT(!s || ticket <= atomic_load(&s->given));
  if (s)
    raise(&s->over, ticket);
}

bool hed__ticket_known(const hed__device *d, uint64_t ticket)
{
  const stream_state *s = ticket ? find(d, ticket) : NULL;
  return !ticket || (s && ticket <= atomic_load_explicit(&s->over, memory_order_acquire)) ||
         atomic_load_explicit(&d->gone, memory_order_relaxed);
}

bool hed__device_done(hed__device *d, uint64_t ticket)
{
  HED__UNCANCELLED;
  if (hed__ticket_known(d, ticket))
    return true;
  if (!d->plugin->done || !d->plugin->done(d->state, ticket))
    return false;
  is_over(d, ticket);
  return true;
}

int32_t hed__ticket_wait(hed__device *d, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  HED__UNCANCELLED;
  hed__error_mark before;
  HED__ASSERT(d->plugin->wait && cap > 0);
  hed__error_save(&before);
  hed_error_clear();
  *op = -1;
  *text = 0;
  hed__tls *t = hed__profiling_self();
  hed__raw r = { .kind = HED__RAW_WAIT, .device = d->number, .t0 = t ? hed__profile_start("wait") : 0 };
  HED__PROBE_WAIT_BEGIN(d, ticket);
  int32_t s = d->plugin->wait(d->state, ticket, op, text, cap);
  HED__PROBE_WAIT_END(d, s);
  if (t) {
    r.t1 = hed__ticks();
    hed__nvtx_pop();
    r.status = (int16_t)s;
    r.in = hed__flow_ticket(d->number, ticket);
    hed__profile_put(t, &r, NULL);
  }
  if (s == HED_OK)
    hed__error_restore(&before);
  else if (!*text) /* its driver's words were those of a failure */
    snprintf(text, cap, "%s", hed_error() ? hed_error_text() : hed_status_text(s));
  if (s != HED_E_FORKED)
    is_over(d, ticket);
  return s;
}

int32_t hed__device_wait(hed__device *d, uint64_t ticket)
{
  char text[232];
  int32_t op;
  if (!d->plugin->wait || hed__ticket_known(d, ticket))
    return HED_OK;
  int32_t s = hed__ticket_wait(d, ticket, &op, text, sizeof text);
  return s == HED_E_UNAVAILABLE || s == HED_E_FORKED ? s : HED_OK;
}

int32_t hed__device_wait_all(hed__device *d)
{
  int32_t status = HED_OK;
  for (int i = 0; i < HED__STREAM_PAGES; i++) {
    hed__stream_page *p = atomic_load_explicit(&d->streams[i], memory_order_acquire);
    for (int k = 0; p && k < PAGE; k++) {
      int32_t s = hed__device_wait(d, atomic_load(&p->stream[k].given));
      status = status == HED_OK ? s : status;
    }
  }
  return status;
}
