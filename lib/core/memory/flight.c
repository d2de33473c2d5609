// SPDX-License-Identifier: BSD-3-Clause
/* Blocks in flight: released while the device may still use them. L2. See pool.h.
 *
 * A block that one stream uses is in that stream's list, where the oldest is free first: what comes after can be passed over.
 * One that several use is in a list of its own, and is looked at by itself. The device is asked with no lock held: then a
 * block may be another thread's and back again, so that what was said holds for the uses that were asked for.
 */
#include "core/memory/pool.h"
#include "base/invariant.h"
#include "core/memory/storage.h"
#include "core/stream/ticket.h"
#include "core/memory/uses.h"
#include <heddle/backend.h>
#include <string.h>

static bool is_used_by(const hed__storage *s, int32_t stream)
{
  bool only = true;
  for (int k = 0; k < HED__USES; k++)
    only &= !s->use[k] || hed__ticket_stream(s->use[k]) == (uint32_t)stream;
  return only;
}

static hed__flight *flight_of(hed__pool *p, const hed__storage *s)
{
  uint64_t use = s->use[0] ? s->use[0] : s->use[1] ? s->use[1] : s->use[2];
  uint32_t stream = hed__ticket_stream(use);
  HED__ASSERT(use != 0);
  return &p->flight[is_used_by(s, (int32_t)stream) ? stream % HED__FLIGHTS : HED__FLIGHTS];
}

static void fly(hed__pool *p, hed__storage *s)
{
  hed__flight *f = flight_of(p, s);
  HED__ASSERT(p->device == s->device);
  s->next = NULL;
  pthread_mutex_lock(&p->lock);
  s->prev = f->newest;
  if (f->newest)
    f->newest->next = s;
  else
    f->oldest = s;
  f->newest = s;
  p->in_flight += hed__block_size(s);
  if (s->cls <= HED__CLASSES)
    p->flying[s->cls]++;
  pthread_mutex_unlock(&p->lock);
}

/* Forgets what is known to be over, without asking the device, for which drivers have to record events. */
static bool is_known_over(hed__storage *s)
{
  uint64_t use[HED__USES];
  bool over = true;
  hed__uses_copy(s, use);
  for (int k = 0; k < HED__USES; k++)
    if (use[k] && hed__ticket_known(s->device, use[k]))
      hed__uses_forget(s, use[k]);
    else
      over &= !use[k];
  return over;
}

/* A block in flight serves its stream at once; it lands when another one wants memory. */
void hed__pool_return(hed__pool *p, hed__storage *s)
{
  const bool ordered = !p->device || (p->device->plugin->flags & HED_PLUGIN_ORDERED);
  if (ordered || is_known_over(s))
    hed__pool_give(p, s);
  else
    fly(p, s);
}

/* Under the lock. */
static void take_out(hed__pool *p, hed__flight *f, hed__storage *s)
{
  HED__ASSERT(p->in_flight >= hed__block_size(s) && (s->cls > HED__CLASSES || p->flying[s->cls] > 0));
  HED__ASSERT((s->prev ? s->prev->next : f->oldest) == s && (s->next ? s->next->prev : f->newest) == s);
  if (s->prev)
    s->prev->next = s->next;
  else
    f->oldest = s->next;
  if (s->next)
    s->next->prev = s->prev;
  else
    f->newest = s->prev;
  p->in_flight -= hed__block_size(s);
  if (s->cls <= HED__CLASSES)
    p->flying[s->cls]--;
}

hed__storage *hed__pool_catch(hed__pool *p, unsigned cls, size_t bytes, int32_t stream)
{
  hed__storage *s = NULL;
  pthread_mutex_lock(&p->lock);
  const bool any = stream < 0;
  HED__ASSERT(cls <= HED__CLASSES && p->device);
  const int first = any ? 0 : stream % HED__FLIGHTS, end = any ? HED__FLIGHTS + 1 : first + 1;
  for (int k = first; k < end && p->flying[cls] && !s; k++) {
    /* of one's own the last, which is in the caches; of another's the one that is over soonest */
    s = any ? p->flight[k].oldest : p->flight[k].newest;
    while (s && !(hed__pool_fits(s, cls, bytes) && (any || is_used_by(s, stream))))
      s = any ? s->next : s->prev;
    if (s)
      take_out(p, &p->flight[k], s);
  }
  pthread_mutex_unlock(&p->lock);
  return s;
}

/* ---- landing ---- */

typedef struct seen {
  const hed__storage *s; /* not to be looked into */
  uint64_t use[HED__USES];
} seen;

enum { LOOK = 16 };

/* Blocks of F from number SKIP on, at most MOST. */
static int look(hed__pool *p, const hed__flight *f, int skip, int most, seen *out)
{
  int n = 0;
  pthread_mutex_lock(&p->lock);
  for (const hed__storage *s = f->oldest; s && n < most; s = s->next)
    if (skip-- <= 0) {
      out[n].s = s;
      memcpy(out[n++].use, s->use, sizeof s->use);
    }
  pthread_mutex_unlock(&p->lock);
  return n;
}

static bool has_landed(const hed__pool *p, const seen *x)
{
  bool landed = true;
  for (int k = 0; k < HED__USES && landed; k++)
    landed = hed__device_done(p->device, x->use[k]);
  return landed;
}

/* X to the free lists, if it is still what it was. Bytes. */
static size_t land(hed__pool *p, hed__flight *f, const seen *x)
{
  pthread_mutex_lock(&p->lock);
  hed__storage *s = f->oldest;
  while (s && !(s == x->s && memcmp(s->use, x->use, sizeof x->use) == 0))
    s = s->next;
  if (s)
    take_out(p, f, s);
  pthread_mutex_unlock(&p->lock);
  const size_t bytes = s ? hed__block_size(s) : 0;
  if (s)
    hed__pool_give(p, s);
  return bytes;
}

static size_t harvest_stream(hed__pool *p, hed__flight *f)
{
  size_t moved = 0;
  seen x;
  while (look(p, f, 0, 1, &x) && has_landed(p, &x))
    moved += land(p, f, &x);
  return moved;
}

static size_t harvest_mixed(hed__pool *p, hed__flight *f)
{
  size_t moved = 0;
  seen x[LOOK];
  for (int skip = 0, n = LOOK; n == LOOK;) {
    n = look(p, f, skip, LOOK, x);
    for (int k = 0; k < n; k++)
      if (has_landed(p, &x[k]))
        moved += land(p, f, &x[k]);
      else
        skip++;
  }
  return moved;
}

size_t hed__pool_harvest(hed__pool *p)
{
  bool some[HED__FLIGHTS + 1];
  size_t moved = 0;
  if (!p->device)
    return 0;
  pthread_mutex_lock(&p->lock);
  for (int k = 0; k <= HED__FLIGHTS; k++)
    some[k] = p->flight[k].oldest != NULL;
  pthread_mutex_unlock(&p->lock);
  for (int k = 0; k < HED__FLIGHTS; k++)
    moved += some[k] ? harvest_stream(p, &p->flight[k]) : 0;
  return moved + (some[HED__FLIGHTS] ? harvest_mixed(p, &p->flight[HED__FLIGHTS]) : 0);
}
