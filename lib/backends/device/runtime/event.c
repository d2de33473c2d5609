// SPDX-License-Identifier: BSD-3-Clause
/* Events, recorded when somebody asks: one stands for all that its stream holds, so it serves for every value up to that. L1. */
#include "backends/device/layer.h"
#include "base/clock.h"
#include <string.h>

static void raise_reached(hed__stream *s, uint64_t value)
{
  uint_fast64_t old = atomic_load(&s->reached);
  while (old < value && !atomic_compare_exchange_weak(&s->reached, &old, value))
    ;
}

void hed__event_drop(hed__device *d, hed__event *e)
{
  if (!e || atomic_fetch_sub(&e->users, 1) > 1)
    return;
  d->port->event_free(d->dev, e->native);
  d->host->free(e);
}

static hed__event *record(hed__stream *s, int32_t *status)
{
  hed__device *d = s->device;
  hed__event *e = d->host->alloc(sizeof *e, 0);
  if (!e) {
    *status = d->host->fail(HED_E_NOMEM, "%s: no memory for an event", d->name);
    return NULL;
  }
  memset(e, 0, sizeof *e);
  e->value = atomic_load(&s->issued);
  atomic_store(&e->users, 1);
  if ((*status = hed__device_status(d, d->port->event_record(d->dev, s->native, &e->native))) != HED_OK) {
    d->host->free(e);
    return NULL;
  }
  hed__event_drop(d, s->last);
  return s->last = e;
}

hed__event *hed__event_of(hed__stream *s, uint64_t value, int32_t *status)
{
  *status = HED_OK;
  if (atomic_load(&s->reached) >= value)
    return NULL;
  hed__event *e = s->last && s->last->value >= value ? s->last : record(s, status);
  if (e)
    atomic_fetch_add(&e->users, 1);
  return e;
}

int32_t hed__event_over(hed__stream *s, hed__event *e)
{
  hed__device *d = s->device;
  if (atomic_load(&s->reached) >= e->value)
    return 1;
  int32_t over = d->port->event_query(d->dev, e->native);
  if (over < 0)
    return hed__device_status(d, over);
  if (over)
    raise_reached(s, e->value);
  return over;
}

int32_t hed__event_wait(hed__stream *s, hed__event *e)
{
  enum { SPIN_NS = 20000 };
  hed__device *d = s->device;
  int32_t over = hed__event_over(s, e);
  const uint64_t from = over ? 0 : hed__now_ns();
  while (over == 0 && hed__now_ns() - from < SPIN_NS)
    over = hed__event_over(s, e);
  if (over < 0)
    return over;
  int32_t status = over ? HED_OK : hed__device_status(d, d->port->event_sync(d->dev, e->native));
  if (status == HED_OK)
    raise_reached(s, e->value);
  return status;
}
