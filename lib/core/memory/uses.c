// SPDX-License-Identifier: BSD-3-Clause
/* The uses that a storage remembers. L2. See uses.h. */
#include "core/memory/uses.h"
#include "base/invariant.h"
#include "core/stream/ticket.h"
#include <sched.h>
#include <string.h>

void hed__uses_lock(hed__storage *s)
{
  while (atomic_exchange_explicit(&s->lock, 1, memory_order_acquire))
    sched_yield();
}

void hed__uses_unlock(hed__storage *s) { atomic_store_explicit(&s->lock, 0, memory_order_release); }

void hed__uses_copy(hed__storage *s, uint64_t use[HED__USES])
{
  hed__uses_lock(s);
  memcpy(use, s->use, sizeof s->use);
  hed__uses_unlock(s);
}

void hed__uses_forget(hed__storage *s, uint64_t use)
{
  HED__ASSERT(use != 0 && !s->device->host);
  hed__uses_lock(s);
  for (int k = 0; k < HED__USES; k++)
    if (s->use[k] == use)
      s->use[k] = 0;
  hed__uses_unlock(s);
}

bool hed__uses_over(hed__storage *s)
{
  uint64_t use[HED__USES];
  bool over = true;
  hed__uses_copy(s, use);
  for (int k = 0; k < HED__USES; k++)
    if (use[k] && hed__device_done(s->device, use[k]))
      hed__uses_forget(s, use[k]);
    else
      over &= !use[k];
  return over;
}

int32_t hed__uses_wait(hed__storage *s)
{
  uint64_t use[HED__USES];
  int32_t status = HED_OK;
  hed__uses_copy(s, use);
  for (int k = 0; k < HED__USES && status == HED_OK; k++)
    if (use[k] && (status = hed__device_wait(s->device, use[k])) == HED_OK)
      hed__uses_forget(s, use[k]);
  return status;
}
