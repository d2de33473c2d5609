// SPDX-License-Identifier: BSD-3-Clause
/* Devices that are lost, or in a child of fork. L1. */
#include "backends/device/runtime/runtime.h"
#include <stdio.h>

static atomic_bool ending;
static pthread_t ender;

void dev_end(void)
{
  ender = pthread_self();
  atomic_store_explicit(&ending, true, memory_order_release);
}

bool dev_ends(void) { return atomic_load_explicit(&ending, memory_order_acquire) && !pthread_equal(pthread_self(), ender); }

static void lose(dev_device *d, const char *words)
{
  snprintf(d->lost_text, sizeof d->lost_text, "%s was lost: %s", d->name, words);
  atomic_store(&d->lost, true);
  dev_fate_lose(d);
}

/* Has the driver said so to anybody? */
static void look(dev_device *d)
{
  const dev_fault *f = d->port->fault(d->dev);
  if (!atomic_load(&d->lost) && atomic_load(&f->state) == DEV_SAID)
    lose(d, f->text);
}

int32_t dev_usable(dev_device *d)
{
  look(d);
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name);
  if (atomic_load(&d->lost))
    return d->host->fail(HED_E_UNAVAILABLE, "%s", d->lost_text);
  if (dev_ends())
    return d->host->fail(HED_E_EXITING, "%s takes nothing more: the process is ending", d->name);
  return HED_OK;
}

int32_t dev_status(dev_device *d, int32_t status)
{
  if (status != HED_OK)
    look(d);
  if (status == HED_E_UNAVAILABLE && !atomic_load(&d->lost))
    lose(d, "its driver says that the device is not available");
  return status;
}
