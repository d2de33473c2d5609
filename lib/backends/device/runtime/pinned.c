// SPDX-License-Identifier: BSD-3-Clause
/* Host memory that programs get of the device, which long copies read and write themselves. L1.
 *
 * A copy into the device has read its source when it returns, so it waits where a copy by pieces would mostly wait too: short ones
 * go by pieces.
 */
#include "backends/device/runtime/runtime.h"
#include "base/shape.h"

struct dev_pinned {
  dev_pinned *next;
  char *base;
  size_t bytes;
};

int32_t dev_pinned_alloc(void *state, size_t bytes, void **out)
{
  dev_device *d = state;
  int32_t status = dev_usable(d);
  if (status != HED_OK)
    return status;
  dev_pinned *p = d->host->alloc(sizeof *p, 0);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for the record of a block", d->name);
  status = dev_status(d, d->port->pinned_alloc(d->dev, bytes, out));
  if (status != HED_OK) {
    d->host->free(p);
    return status;
  }
  pthread_mutex_lock(&d->lock);
  *p = (dev_pinned){ .next = d->pinned, .base = *out, .bytes = bytes };
  d->pinned = p;
  pthread_mutex_unlock(&d->lock);
  return HED_OK;
}

void dev_pinned_free(void *state, void *memory)
{
  dev_device *d = state;
  pthread_mutex_lock(&d->lock);
  dev_pinned **at = &d->pinned;
  while (*at && (*at)->base != memory)
    at = &(*at)->next;
  dev_pinned *p = *at;
  if (p)
    *at = p->next;
  pthread_mutex_unlock(&d->lock);
  d->host->free(p);
  if (!atomic_load(&d->lost)) /* a lost device's memory is abandoned */
    d->port->pinned_free(d->dev, memory);
}

bool dev_travels_alone(dev_device *d, const hed_view *v, size_t bytes)
{
  const char *from = v->data;
  bool yes = false;
  if (bytes < DEV_PIECE || !hed__is_c_contiguous(v))
    return false;
  pthread_mutex_lock(&d->lock);
  for (const dev_pinned *p = d->pinned; p && !yes; p = p->next)
    yes = from >= p->base && bytes <= p->bytes && (size_t)(from - p->base) <= p->bytes - bytes;
  pthread_mutex_unlock(&d->lock);
  return yes;
}
