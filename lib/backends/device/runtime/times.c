// SPDX-License-Identifier: BSD-3-Clause
/* What commands took, by the device's clock, for profiles. L1. See ../device.h.
 *
 * The difference of the two clocks is the least between a command's end and the moment at which the host knew of it. */
#include "base/clock.h"
#include "backends/device/device.h"
#include <string.h>

static void drop(const dev_times *x, void *const event[2])
{
  for (int k = 0; k < 2; k++)
    if (event[k])
      x->drop(x->dev, event[k]);
}

void dev_times_add(dev_times *x, void *first, void *last, int32_t stream, const char *name)
{
  dev_timed *t = x->host->alloc(sizeof *t, 0);
  if (!t) { /* it is not in the profile */
    drop(x, (void *const[2]){ first, last });
    return;
  }
  *t = (dev_timed){ .event = { first, last }, .stream = stream };
  memccpy(t->name, name, 0, sizeof t->name - 1);
  pthread_mutex_lock(x->lock);
  *(x->last ? &x->last->next : &x->first) = t;
  x->last = t;
  atomic_store_explicit(&x->some, true, memory_order_relaxed);
  pthread_mutex_unlock(x->lock);
}

/* Takes those that are over out of the list, with their times. */
static dev_timed *take_over(dev_times *x)
{
  dev_timed *over = NULL, **end = &over;
  pthread_mutex_lock(x->lock);
  x->last = NULL;
  for (dev_timed **p = &x->first; *p;) {
    dev_timed *t = *p;
    if (!x->over(x->dev, t->event[1])) {
      x->last = t;
      p = &t->next;
      continue;
    }
    *p = t->next;
    t->next = NULL;
    *end = t;
    end = &t->next;
    t->known = x->times(x->dev, t);
    const int64_t difference = (int64_t)hed__now_ns() - (int64_t)t->ends;
    if (t->known && (!x->clock || difference < x->clock))
      x->clock = difference;
  }
  atomic_store_explicit(&x->some, x->first != NULL, memory_order_relaxed);
  pthread_mutex_unlock(x->lock);
  return over;
}

void dev_times_tell(dev_times *x)
{
  dev_timed *over = take_over(x), *next;
  if (!over)
    return;
  pthread_mutex_lock(x->lock);
  const int64_t clock = x->clock;
  pthread_mutex_unlock(x->lock);
  for (; over; over = next) {
    next = over->next;
    if (over->known && dev_host_profile(x->host))
      x->host->profile_track(x->name, over->stream, over->name, (uint64_t)((int64_t)over->begins + clock),
                             (uint64_t)((int64_t)over->ends + clock));
    drop(x, over->event);
    x->host->free(over);
  }
}
