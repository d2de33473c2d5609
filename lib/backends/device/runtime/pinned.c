// SPDX-License-Identifier: BSD-3-Clause
/* Host memory that programs get of the device, which long copies read and write themselves. L1.
 *
 * A copy into the device has read its source when it returns, so it waits where a copy by pieces would mostly wait too: short ones
 * go by pieces.
 */
#include "backends/device/layer.h"

struct hed__pinned {
  hed__pinned *next;
  char *base;
  size_t bytes;
};

int32_t hed__device_pinned_alloc(void *state, size_t bytes, void **out)
{
  hed__device *d = state;
  int32_t status = hed__device_usable(d);
  if (status != HED_OK)
    return status;
  hed__pinned *p = d->host->alloc(sizeof *p, 0);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for the record of a block", d->name);
  status = hed__device_status(d, d->port->pinned_alloc(d->dev, bytes, out));
  if (status != HED_OK) {
    d->host->free(p);
    return status;
  }
  pthread_mutex_lock(&d->lock);
  *p = (hed__pinned){ .next = d->pinned, .base = *out, .bytes = bytes };
  d->pinned = p;
  pthread_mutex_unlock(&d->lock);
  return HED_OK;
}

void hed__device_pinned_free(void *state, void *memory)
{
  hed__device *d = state;
  pthread_mutex_lock(&d->lock);
  hed__pinned **at = &d->pinned;
  while (*at && (*at)->base != memory)
    at = &(*at)->next;
  hed__pinned *p = *at;
  if (p)
    *at = p->next;
  pthread_mutex_unlock(&d->lock);
  d->host->free(p);
  if (!atomic_load(&d->lost)) /* a lost device's memory is abandoned */
    d->port->pinned_free(d->dev, memory);
}

bool hed__travels_alone(hed__device *d, const hed_view *v, size_t bytes)
{
  const char *from = v->data;
  bool yes = false;
  if (bytes < HED__PIECE || !hed__is_c_contiguous(v))
    return false;
  pthread_mutex_lock(&d->lock);
  for (const hed__pinned *p = d->pinned; p && !yes; p = p->next)
    yes = from >= p->base && bytes <= p->bytes && (size_t)(from - p->base) <= p->bytes - bytes;
  pthread_mutex_unlock(&d->lock);
  return yes;
}
