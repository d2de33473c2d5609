// SPDX-License-Identifier: BSD-3-Clause
/* Devices that are lost, or in a child of fork. L1. */
#include "backends/device/runtime/runtime.h"
#include <stdio.h>

int32_t dev_usable(dev_device *d)
{
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name);
  if (atomic_load(&d->lost))
    return d->host->fail(HED_E_UNAVAILABLE, "%s", d->lost_text);
  return HED_OK;
}

int32_t dev_status(dev_device *d, int32_t status)
{
  if (status == HED_E_UNAVAILABLE && !atomic_load(&d->lost)) {
    snprintf(d->lost_text, sizeof d->lost_text, "%s was lost: its driver says that the device is not available", d->name);
    atomic_store(&d->lost, true);
    dev_fate_lose(d);
  }
  return status;
}
