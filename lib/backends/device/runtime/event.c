// SPDX-License-Identifier: BSD-3-Clause
/* Events, recorded when somebody asks: one stands for all that its stream holds, so it serves for every value up to that. L1. */
#include "backends/device/runtime/runtime.h"
#include "base/clock.h"
#include "base/invariant.h"
#include <string.h>

static void raise_reached(dev_stream *s, uint64_t value)
{
  uint_fast64_t old = atomic_load(&s->reached);
  while (old < value && !atomic_compare_exchange_weak(&s->reached, &old, value))
    ;
}

/* One that nobody has any more: waits that were submitted for it are for what it stood for then. */
static dev_event *spare(dev_device *d)
{
  pthread_mutex_lock(&d->event_lock);
  dev_event *e = d->spare;
  if (e) {
    d->spare = e->next;
    d->n_spare--;
  }
  pthread_mutex_unlock(&d->event_lock);
  return e;
}

static void give_back(dev_device *d, dev_event *e)
{
  if (e->native && !d->port->events_again) {
    d->port->event_free(d->dev, e->native);
    e->native = NULL;
  }
  pthread_mutex_lock(&d->event_lock);
  const bool kept = d->n_spare < DEV_EVENTS;
  if (kept) {
    e->next = d->spare;
    d->spare = e;
    d->n_spare++;
  }
  pthread_mutex_unlock(&d->event_lock);
  if (kept)
    return;
  if (e->native)
    d->port->event_free(d->dev, e->native);
  d->host->free(e);
}

void dev_event_drop(dev_device *d, dev_event *e)
{
  if (!e || atomic_fetch_sub(&e->users, 1) > 1)
    return;
  HED__ASSERT(atomic_load(&e->users) == 0);
  give_back(d, e);
}

static dev_event *record(dev_stream *s, int32_t *status)
{
  dev_device *d = s->device;
  dev_event *e = spare(d);
  if (!e) {
    if (!(e = d->host->alloc(sizeof *e, 0))) {
      *status = d->host->fail(HED_E_NOMEM, "%s: no memory for an event", d->name);
      return NULL;
    }
    memset(e, 0, sizeof *e);
  }
  e->value = atomic_load(&s->issued);
  if ((*status = dev_status(d, d->port->event_record(d->dev, s->native, &e->native))) != HED_OK) {
    give_back(d, e);
    return NULL;
  }
  atomic_store(&e->users, 1);
  dev_event_drop(d, s->last);
  return s->last = e;
}

dev_event *dev_event_of(dev_stream *s, uint64_t value, int32_t *status)
{
  *status = HED_OK;
  if (atomic_load(&s->reached) >= value)
    return NULL;
  dev_event *e = s->last && s->last->value >= value ? s->last : record(s, status);
  if (e)
    atomic_fetch_add(&e->users, 1);
  HED__ASSERT(!e || e->value >= value);
  return e;
}

int32_t dev_event_over(dev_stream *s, dev_event *e)
{
  dev_device *d = s->device;
  if (atomic_load(&s->reached) >= e->value)
    return 1;
  int32_t over = d->port->event_query(d->dev, e->native);
  if (over < 0)
    return dev_status(d, over);
  if (over)
    raise_reached(s, e->value);
  return over;
}

int32_t dev_event_wait(dev_stream *s, dev_event *e)
{
  enum { SPIN_NS = 20000 };
  dev_device *d = s->device;
  int32_t over = dev_event_over(s, e);
  const uint64_t from = over ? 0 : hed__now_ns();
  while (over == 0 && hed__now_ns() - from < SPIN_NS)
    over = dev_event_over(s, e);
  /* asked in two ways, as the memory of what has not failed is in use until it is over */
  int32_t status = over == 1 ? HED_OK : dev_status(d, d->port->event_sync(d->dev, e->native));
  if (status != HED_OK && over >= 0 && dev_event_over(s, e) == 1)
    status = HED_OK;
  if (status == HED_OK)
    raise_reached(s, e->value);
  return status;
}
