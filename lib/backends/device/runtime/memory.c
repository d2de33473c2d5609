// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of the device's memory: small ones are carved from slabs, as drivers' blocks are large and slow to be had. L1. */
#include "backends/device/runtime/runtime.h"
#include "base/invariant.h"
#include <string.h>

enum { SLAB_BYTES = 2 << 20, MOST_SMALL_BYTES = SLAB_BYTES / 2, LEAST_BYTES = 256 };

/* A block of the driver's, cut into pieces of one size. */
typedef struct dev_slab {
  struct dev_slab *next;
  char *base;
  size_t bytes;                /* of a piece */
  int32_t n, used, top;        /* pieces; given out; free ones that have been */
  int32_t free[];              /* a stack of them; those from used + top on are new */
} dev_slab;

/* Quarters of powers of two, so that few sizes serve all. */
static size_t rounded(size_t bytes)
{
  size_t step = LEAST_BYTES / 4;
  if (bytes <= LEAST_BYTES)
    return LEAST_BYTES;
  while (step * 8 < bytes)
    step *= 2;
  step = step < LEAST_BYTES ? LEAST_BYTES : step;
  return (bytes + step - 1) / step * step;
}

/* D's lock is held by these. */

static dev_slab *slab_with_room(const dev_device *d, size_t bytes)
{
  dev_slab *s = d->slabs;
  while (s && (s->bytes != bytes || s->used == s->n))
    s = s->next;
  return s;
}

static dev_slab *slab_of(const dev_device *d, const char *p)
{
  dev_slab *s = d->slabs;
  while (s && !(p >= s->base && p < s->base + SLAB_BYTES))
    s = s->next;
  return s;
}

static void *take_piece(dev_slab *s)
{
  HED__ASSERT(s->used >= 0 && s->top >= 0 && s->used + s->top <= s->n && s->used < s->n);
  const int32_t k = s->top > 0 ? s->free[--s->top] : s->used;
  s->used++;
  return s->base + (size_t)k * s->bytes;
}

static void drop_slab(dev_device *d, dev_slab *s)
{
  HED__ASSERT(s->used == 0);
  dev_slab **at = &d->slabs;
  while (*at != s)
    at = &(*at)->next;
  *at = s->next;
  d->port->free(d->dev, s->base);
  d->host->free(s);
}

static int32_t add_slab(dev_device *d, size_t bytes, dev_slab **out)
{
  const int32_t n = (int32_t)(SLAB_BYTES / bytes);
  HED__ASSERT(n >= 1 && bytes % (LEAST_BYTES / 4) == 0);
  dev_slab *s = d->host->alloc(sizeof *s + (size_t)n * sizeof *s->free, 0);
  void *base;
  if (!s)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for the record of a block", d->name);
  int32_t status = d->port->alloc(d->dev, SLAB_BYTES, &base);
  if (status != HED_OK) {
    d->host->free(s);
    return status;
  }
  *s = (dev_slab){ .next = d->slabs, .base = base, .bytes = bytes, .n = n };
  d->slabs = *out = s;
  return HED_OK;
}

int32_t dev_memory_get(dev_device *d, size_t bytes, void **out)
{
  if (bytes > MOST_SMALL_BYTES)
    return dev_status(d, d->port->alloc(d->dev, bytes, out));
  bytes = rounded(bytes);
  HED__ASSERT(bytes <= MOST_SMALL_BYTES);
  pthread_mutex_lock(&d->lock);
  dev_slab *s = slab_with_room(d, bytes);
  int32_t status = s ? HED_OK : add_slab(d, bytes, &s);
  if (status == HED_OK)
    *out = take_piece(s);
  pthread_mutex_unlock(&d->lock);
  return dev_status(d, status);
}

void dev_memory_put(dev_device *d, void *p)
{
  pthread_mutex_lock(&d->lock);
  dev_slab *s = slab_of(d, p);
  if (s) {
    HED__ASSERT(s->used > 0 && s->used + s->top <= s->n && (size_t)((char *)p - s->base) % s->bytes == 0);
    /* the pieces that were never given out are the last ones, so a free one goes onto the stack */
    s->free[s->top++] = (int32_t)((size_t)((char *)p - s->base) / s->bytes);
    s->used--;
    if (s->used == 0)
      drop_slab(d, s);
  }
  pthread_mutex_unlock(&d->lock);
  if (!s)
    d->port->free(d->dev, p);
}

int32_t dev_alloc(void *state, size_t bytes, void **out)
{
  dev_device *d = state;
  int32_t status = dev_usable(d);
  return status == HED_OK ? dev_memory_get(d, bytes, out) : status;
}

void dev_free(void *state, void *p)
{
  dev_device *d = state;
  if (p && !d->forked && !atomic_load(&d->lost)) /* a lost device's memory is abandoned */
    dev_memory_put(d, p);
}

int32_t dev_owns(void *state, const void *p, size_t bytes)
{
  dev_device *d = state;
  int32_t status = dev_usable(d);
  return status == HED_OK ? dev_status(d, d->port->owns(d->dev, p, bytes)) : status;
}

int32_t dev_memory(void *state, hed_plugin_memory *out)
{
  dev_device *d = state;
  int32_t status = dev_usable(d);
  return status == HED_OK ? dev_status(d, d->port->memory(d->dev, out)) : status;
}
