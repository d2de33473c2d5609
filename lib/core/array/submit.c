// SPDX-License-Identifier: BSD-3-Clause
/* Submissions to asynchronous devices. L2. See submit.h. */
#include "core/array/submit.h"
#include "base/invariant.h"
#include "core/context/context.h"
#include "core/array/settle.h"
#include "core/profile/profile.h"
#include "core/stream/ticket.h"
#include "core/memory/uses.h"
#include <heddle/backend.h>

/* ---- what it has to come after ---- */

int32_t hed__submit_begin(hed__submission *b, hed__device *d)
{
  const hed__tls *t = hed__tls_peek();
  b->device = d;
  HED__ASSERT(!d->host);
  b->n_wait_for = b->n_after = b->n_arrays = 0;
  b->selected = t && t->current && t->current->device == d && t->current->stream;
  int32_t status = b->selected ? d->plugin->stream_select(d->state, t->current->stream->number) : HED_OK;
  if (status != HED_OK) {
    b->selected = false;
    return status;
  }
  b->stream = b->selected ? d->plugin->stream(d->state) : hed__device_stream(d);
  return HED_OK;
}

static void wait_for(hed__submission *b, uint64_t ticket)
{
  if (!ticket)
    return;
  for (int32_t k = 0; k < b->n_wait_for; k++)
    if (b->wait_for[k] == ticket)
      return;
  HED__ASSERT(b->n_wait_for < HED__SUBMIT_ARRAYS);
  b->wait_for[b->n_wait_for++] = ticket;
}

static void come_after(hed__submission *b, uint64_t use)
{
  if (hed__ticket_known(b->device, use) || hed__ticket_stream(use) == (uint32_t)b->stream)
    return;
  for (int32_t k = 0; k < b->n_after; k++)
    if (hed__ticket_stream(b->after[k]) == hed__ticket_stream(use)) {
      b->after[k] = use > b->after[k] ? use : b->after[k];
      return;
    }
  if (b->n_after < HED__SUBMIT_STREAMS)
    b->after[b->n_after++] = use;
  else
    (void)hed__device_wait(b->device, use);
}

/* Of S, which it reads: when the uses are of so many other streams that there is no room for one more. */
static void make_room(hed__submission *b, hed__storage *s)
{
  uint64_t use[HED__USES];
  bool room = false;
  hed__uses_copy(s, use);
  for (int k = 0; k < HED__USES; k++)
    room |= !use[k] || hed__ticket_stream(use[k]) == (uint32_t)b->stream;
  for (int k = 0; k < HED__USES && !room; k++)
    if ((room = hed__device_done(b->device, use[k])))
      hed__uses_forget(s, use[k]);
  for (int k = 0; k < HED__USES && !room; k++)
    come_after(b, use[k]);
}

static void enter(hed__submission *b, hed__storage *s, bool writes)
{
  HED__ASSERT(s->device == b->device && b->n_arrays < HED__SUBMIT_ARRAYS);
  wait_for(b, b->seen[b->n_arrays] = atomic_load(&s->ticket));
  b->writes[b->n_arrays] = writes;
  b->array[b->n_arrays++] = s;
}

void hed__submit_reads(hed__submission *b, hed__storage *s)
{
  if (s->device->host)
    return;
  enter(b, s, false);
  if (hed__has_streams(b->device))
    make_room(b, s);
}

void hed__submit_writes(hed__submission *b, hed__storage *s)
{
  uint64_t use[HED__USES];
  enter(b, s, true);
  if (!hed__has_streams(b->device))
    return;
  hed__uses_copy(s, use);
  for (int k = 0; k < HED__USES; k++)
    come_after(b, use[k]);
}

/* ---- what it leaves behind ---- */

/* Is USE over when TICKET is? B NULL: it came after nothing. */
static bool covers(const hed__submission *b, uint64_t ticket, uint64_t use)
{
  bool yes = hed__ticket_within(use, ticket);
  for (int32_t k = 0; b && k < b->n_wait_for && !yes; k++)
    yes = hed__ticket_within(use, b->wait_for[k]);
  for (int32_t k = 0; b && k < b->n_after && !yes; k++)
    yes = hed__ticket_within(use, b->after[k]);
  return yes;
}

/* TICKET is a use of S from now on: 0. Or a use that has to be over before there is room for it. */
static uint64_t try_leave(const hed__submission *b, hed__storage *s, uint64_t ticket)
{
  HED__ASSERT(ticket != 0 && !s->device->host);
  uint64_t *unused = NULL, in_the_way = 0;
  bool late = false; /* another thread's use of the same stream stands for it */
  hed__uses_lock(s);
  for (int k = 0; k < HED__USES; k++) {
    uint64_t *use = &s->use[k];
    if (*use && covers(b, ticket, *use))
      *use = 0;
    if (!*use)
      unused = use;
    else if (hed__ticket_within(ticket, *use))
      late = true;
    else
      in_the_way = *use;
  }
  if (unused && !late)
    *unused = ticket;
  hed__uses_unlock(s);
  return unused || late ? 0 : in_the_way;
}

static void leave(const hed__submission *b, hed__storage *s, uint64_t ticket)
{
  uint64_t use;
  while ((use = try_leave(b, s, ticket)) != 0) {
    (void)hed__device_wait(s->device, use);
    hed__uses_forget(s, use);
  }
}

/* A ticket that was not there when B began is of a thread that writes another part meanwhile: whoever reads S could wait for
 * one of the two only. */
static void become_writer(const hed__submission *b, hed__storage *s, uint64_t ticket)
{
  uint_fast64_t last = atomic_load(&s->ticket);
  do {
    HED__ASSERT(!last || s->device == b->device);
    if (last == ticket) { /* it is two of the results */
      hed__ticket_forget(s->device, ticket);
      return;
    }
    bool listed = last == 0;
    for (int32_t k = 0; k < b->n_wait_for && !listed; k++)
      listed = b->wait_for[k] == last;
    if (!listed)
      (void)hed__storage_settle(s, last);
  } while (!atomic_compare_exchange_strong(&s->ticket, &last, ticket));
  hed__ticket_forget(s->device, last);
}

/* Is S as it was when B listed its writer, and not known to have failed? */
static bool is_as_seen(const hed__submission *b, int32_t k)
{
  return !atomic_load(&b->array[k]->poison) && (b->writes[k] || atomic_load(&b->array[k]->ticket) == b->seen[k]);
}

/* An operand has failed, perhaps, of which the device need not have known: then the results have, too. */
static __attribute__((noinline)) hed_status take_over(hed__submission *b)
{
  hed_status s = HED_OK;
  const hed__poison *p = NULL;
  for (int32_t k = 0; k < b->n_arrays && s == HED_OK && !p; k++) {
    if (!b->writes[k])
      s = hed__storage_settle(b->array[k], atomic_load(&b->array[k]->ticket));
    p = atomic_load(&b->array[k]->poison);
  }
  for (int32_t k = 0; k < b->n_arrays && p; k++)
    if (b->writes[k])
      hed__storage_poison(b->array[k], p->op, p->text);
  return s;
}

/* Waits for TICKET. Nobody else will see a failure: the call is to fail with it. */
static int32_t finish(hed__device *d, uint64_t ticket)
{
  char text[232];
  int32_t number;
  const int32_t status = hed__ticket_wait(d, ticket, &number, text, sizeof text);
  if (status == HED_E_UNAVAILABLE)
    hed__device_lost(d, text);
  return status == HED_OK || status == HED_E_FORKED ? status : hed_fail(status, "%s", text);
}

int32_t hed__submit_end(hed__submission *b, int32_t status, uint64_t ticket)
{
  hed__device *d = b->device;
  if (b->selected)
    (void)d->plugin->stream_select(d->state, -1);
  if (status != HED_OK || !ticket)
    return status;
  if (hed__has_streams(d)) {
    HED__ASSERT(ticket << (64 - HED__TICKET_BITS) != 0);
    HED__ASSERT(b->stream < 0 || hed__ticket_stream(ticket) == (uint32_t)b->stream);
  }
  for (int32_t k = 0; k < b->n_wait_for; k++)
    HED__ASSERT(!hed__ticket_within(ticket, b->wait_for[k]));
  hed__ticket_given(d, ticket);
  hed__tls *t = hed__profiling_self();
  if (t) {
    t->profile_ticket = ticket;
    for (int32_t k = 0; k < b->n_wait_for; k++)
      if (hed__ticket_stream(b->wait_for[k]) != (uint32_t)b->stream)
        t->profile_after = b->wait_for[k];
  }
  const hed_context *c = d->plugin->wait ? hed__context() : NULL;
  const bool sync = c && c->check == HED_CHECK_SYNC;
  bool as_seen = true;
  if (sync)
    status = finish(d, ticket);
  for (int32_t k = 0; k < b->n_arrays; k++) {
    if (!sync)
      leave(b, b->array[k], ticket);
    if (b->writes[k] && sync)
      hed__ticket_forget(d, ticket);
    else if (b->writes[k])
      become_writer(b, b->array[k], ticket);
    as_seen &= is_as_seen(b, k);
  }
  return status != HED_OK || as_seen ? status : take_over(b);
}

void hed__submit_read(hed__storage *s, uint64_t ticket)
{
  HED__ASSERT(ticket != 0 && !s->device->host);
  hed__ticket_given(s->device, ticket);
  leave(NULL, s, ticket);
}
