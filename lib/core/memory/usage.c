// SPDX-License-Identifier: BSD-3-Clause
/* Memory seen from outside: what is used and kept, what is to be had, giving back, meters. L2. */
#include "core/context/context.h"
#include "base/cancel.h"
#include "core/memory/ladder.h"
#include "core/memory/memory.h"
#include "core/stream/ticket.h"
#include <heddle/backend.h>
#include <stdio.h>
#include <string.h>

/* The device that SPEC means (NULL: the current one); NULL with the error set. */
static hed__device *device_of(const char *spec)
{
  hed_context *c = NULL;
  const hed_context *now;
  if (!spec)
    return (now = hed__context()) ? now->device : NULL;
  if (hed_context_derive(NULL, spec, &c) != HED_OK)
    return NULL;
  hed__device *d = c->device;
  hed_context_release(c);
  return d;
}

static hed__pool *pool_of(hed__device *d) { return d->host ? hed__host_pool() : &d->pool; }

/* Total and available bytes of D's memory, what its pool keeps included; 0 = not known. */
static void room_of(hed__device *d, const hed__pool_state *q, size_t *total, size_t *left)
{
  HED__UNCANCELLED;
  hed_plugin_memory m = { .struct_size = sizeof m };
  *total = *left = 0;
  if (d->host) {
    hed__memory_state room = hed__memory_lately(q->in_use + q->cached);
    *total = room.total;
    *left = room.left;
  } else if (!atomic_load(&d->gone) && d->plugin->memory && d->plugin->memory(d->state, &m) == HED_OK) {
    *total = (size_t)m.total;
    *left = (size_t)m.free;
  }
  if (*total)
    *left = *left > *total - q->cached - q->in_flight ? *total : *left + q->cached + q->in_flight;
}

hed_status hed_memory_query(const char *spec, hed_memory_info *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "memory_query: %s", out ? "struct_size is not set" : "out is NULL");
  hed__device *d = device_of(spec);
  const hed_context *c = hed__context();
  if (!d)
    return hed_error();
  hed__pool_state q;
  hed__pool_query(pool_of(d), &q);
  hed_memory_info i = {
    .struct_size = out->struct_size,
    .in_use = q.in_use,
    .in_flight = q.in_flight,
    .cached = q.cached,
    .peak = q.peak,
    .pool_limit = hed__pool_bound(pool_of(d)),
    .limit = c && c->account ? c->account->limit : 0,
    .largest_free = q.largest,
    .n_alloc = q.allocs,
    .n_hit = q.hits,
    .n_trim = q.trims,
    .n_oom_retry = q.retries,
  };
  room_of(d, &q, &i.total, &i.available);
  snprintf(i.space, sizeof i.space, "%s", d->space);
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}

int64_t hed_get_available_memory(void)
{
  const hed_context *c = hed__context();
  if (!c)
    return hed_error();
  hed__pool_state q;
  size_t total, left, room = hed__account_room(c->account);
  hed__pool_query(pool_of(c->device), &q);
  room_of(c->device, &q, &total, &left);
  if (!total) /* the device does not say */
    left = room;
  if (room < left)
    left = room;
  return left < INT64_MAX ? (int64_t)left : INT64_MAX;
}

/* ---- giving back ---- */

static size_t trim_space(hed__device *d, size_t bytes, hed_trim_level level)
{
  size_t got = 0;
  hed__pool *p = pool_of(d);
  if (d->host)
    got += hed__magazines_trim();
  (void)hed__pool_harvest(p);
  if (got < bytes)
    got += hed__pool_trim(p, bytes - got, NULL);
  for (int32_t k = HED_TRIM_WORKSPACES; k <= (int32_t)level && got < bytes; k++)
    got += hed__trim_caches(d->host ? NULL : d, bytes - got, k - HED_TRIM_WORKSPACES);
  return got;
}

size_t hed_trim(const char *spec, size_t bytes, hed_trim_level level)
{
  hed__device *d = bytes ? device_of(spec) : NULL;
  return d ? trim_space(d, bytes, level) : 0;
}

size_t hed_free_cache(void)
{
  size_t got = 0;
  for (hed__pool *p = hed__pool_first(); p; p = hed__pool_next(p))
    got += trim_space(p->device ? p->device : hed__reference(), SIZE_MAX, HED_TRIM_PLANS);
  return got;
}

hed_status hed_synchronize(const char *spec)
{
  hed__device *d = device_of(spec);
  if (!d)
    return hed_error();
  if (d->host)
    return HED_OK;
  if (atomic_load(&d->gone))
    return hed__device_gone(d);
  int32_t s = hed__device_wait_all(d);
  if (s != HED_OK)
    return hed_fail(s, "synchronize: %s is lost", d->name);
  (void)hed__pool_harvest(&d->pool);
  return HED_OK;
}

/* ---- meters ---- */

hed_status hed_memory_meter_begin(const char *spec, hed_memory_meter *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "memory_meter_begin: out is NULL");
  *out = (hed_memory_meter){ .slot = 0 };
  hed__device *d = device_of(spec);
  if (!d)
    return hed_error();
  hed__pool *p = pool_of(d);
  int slot = hed__watch_open(p);
  if (slot < 0)
    return hed_fail(HED_E_LIMIT, "memory_meter_begin: %d meters are running, which is the limit", HED__WATCHES);
  hed__pool_state q;
  hed__pool_query(p, &q);
  out->slot = (uint64_t)slot + 1;
  out->start = q.in_use;
  out->allocs = q.allocs;
  memcpy(out->space, d->space, sizeof out->space);
  return HED_OK;
}

hed_status hed_memory_meter_read(const hed_memory_meter *m, hed_memory_reading *out)
{
  hed__pool *p = m && m->slot && m->slot <= HED__WATCHES ? hed__watch_pool((int)m->slot - 1) : NULL;
  if (!p || !out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "memory_meter_read: %s", !p ? "the meter is not running" :
                    out ? "struct_size is not set" : "out is NULL");
  hed__pool_state q;
  hed__pool_query(p, &q);
  hed_memory_reading r = {
    .struct_size = out->struct_size,
    .start = m->start,
    .now = q.in_use,
    .peak = hed__watch_peak((int)m->slot - 1),
    .n_alloc = q.allocs - m->allocs,
  };
  memcpy(out, &r, out->struct_size < sizeof r ? out->struct_size : sizeof r);
  return HED_OK;
}

void hed_memory_meter_end(hed_memory_meter *m)
{
  if (m && m->slot && m->slot <= HED__WATCHES)
    hed__watch_close((int)m->slot - 1);
  if (m)
    m->slot = 0;
}
