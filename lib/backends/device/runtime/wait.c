// SPDX-License-Identifier: BSD-3-Clause
/* The host waits, or asks whether it would. L1. */
#include "backends/device/runtime/runtime.h"
#include <string.h>

int32_t dev_submit_await(dev_device *d, const uint64_t *tickets, int32_t n)
{
  char text[DEV_TEXT] = "";
  int32_t status = HED_OK, op = -1;
  for (int32_t k = 0; k < n && status == HED_OK; k++)
    status = dev_wait(d, tickets[k], &op, text, sizeof text);
  return status != HED_OK && *text ? d->host->fail(status, "%s", text) : status;
}

/* The operation of VALUE, -1: S has done many since. Its lock is held. */
static int32_t op_of(dev_stream *s, uint64_t value)
{
  return atomic_load(&s->issued) - value < DEV_OPS ? s->op[value % DEV_OPS] : -1;
}

/* The host waits until TICKET is over, whose operation OP is. */
static int32_t await(dev_device *d, uint64_t ticket, int32_t *op)
{
  dev_stream *s = d->stream[ticket >> 48];
  int32_t status;
  pthread_mutex_lock(&s->lock);
  *op = op_of(s, dev_value(ticket));
  dev_event *e = dev_event_of(s, dev_value(ticket), &status);
  pthread_mutex_unlock(&s->lock);
  if (e)
    status = dev_event_wait(s, e);
  dev_event_drop(d, e);
  return status;
}

/* Whatever lock's thread is cancelled while it waits: none is held. */
int32_t dev_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  dev_device *d = state;
  uint64_t open = ticket;
  int32_t status = HED_OK;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name);
  /* what it came after, in other streams, is over, too, but nobody has asked there */
  while (open && status == HED_OK && open >> 48 < (uint64_t)d->n_streams && !atomic_load(&d->lost)) {
    status = await(d, open, op);
    if (status == HED_OK)
      status = dev_fate_of(d, ticket, &open, op, text, cap);
  }
  if (atomic_load_explicit(&d->unsaved, memory_order_acquire) && !atomic_load(&d->lost))
    d->save(d, false);
  if (atomic_load(&d->lost)) {
    if (ticket >> 48 < (uint64_t)d->n_streams) {
      dev_stream *s = d->stream[ticket >> 48];
      pthread_mutex_lock(&s->lock);
      *op = op_of(s, dev_value(ticket));
      pthread_mutex_unlock(&s->lock);
    }
    if (cap)
      memccpy(text, d->lost_text, 0, cap < sizeof d->lost_text ? cap : sizeof d->lost_text);
    return HED_E_UNAVAILABLE;
  }
  return status;
}

int32_t dev_done(void *state, uint64_t ticket)
{
  dev_device *d = state;
  uint64_t stream = ticket >> 48, value = dev_value(ticket);
  int32_t status;
  if (d->forked || stream >= (uint64_t)d->n_streams)
    return 0;
  dev_stream *s = d->stream[stream];
  if (atomic_load(&s->reached) >= value)
    return 1;
  if (atomic_load(&d->lost) || pthread_mutex_trylock(&s->lock) != 0)
    return 0;
  dev_event *e = dev_event_of(s, value, &status);
  pthread_mutex_unlock(&s->lock);
  const int32_t over = e ? dev_event_over(s, e) == 1 : status == HED_OK;
  dev_event_drop(d, e);
  return over;
}
