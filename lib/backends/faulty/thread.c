// SPDX-License-Identifier: BSD-3-Clause
/* faulty: whose stream is whose. L1.
 *
 * The slot of a thread is a number, not an address: 4 bits for the stream of its own on each device, and 4 for the one
 * that it selected, each plus 1.
 */
#include "backends/faulty/faulty.h"

enum { BITS = 4, MASK = (1 << BITS) - 1 };

static uintptr_t slot_get(void *const *slot, int32_t place) { return (uintptr_t)*slot >> place * BITS & MASK; }

static void slot_set(void **slot, int32_t place, uintptr_t value)
{
  *slot = (void *)(((uintptr_t)*slot & ~((uintptr_t)MASK << place * BITS)) | value << place * BITS);
}

static void **slot_of(const faulty_device *d)
{
  return faulty_streams(d) ? d->host->thread_slot(d->plugin) : NULL;
}

faulty_stream *faulty_own_stream(faulty_device *d)
{
  void **slot = slot_of(d);
  if (!slot) /* without streams, or where the host has no slot left: the first serves all */
    return &d->stream[0];
  uintptr_t selected = slot_get(slot, FAULTY_DEVICES + d->index), own = slot_get(slot, d->index);
  if (!own) {
    pthread_mutex_lock(&faulty_lock);
    own = (uintptr_t)(d->next_stream++ % d->n_own) + 1;
    pthread_mutex_unlock(&faulty_lock);
    slot_set(slot, d->index, own);
  }
  return &d->stream[(selected ? selected : own) - 1];
}

void faulty_roam(faulty_device *d)
{
  void **slot = atomic_load(&faulty_state.roam) ? slot_of(d) : NULL;
  if (slot)
    slot_set(slot, d->index, slot_get(slot, d->index) % (uintptr_t)d->n_own + 1);
}

int32_t faulty_stream_number(void *state)
{
  faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  if (faulty_call(NULL, &faulty_state.fail_stream))
    return d->host->fail(HED_E_UNAVAILABLE, "faulty:%d has no stream, on request", (int)d->index);
  return faulty_own_stream(d)->number;
}

int32_t faulty_stream_select(void *state, int32_t stream)
{
  faulty_device *d = state;
  void **slot = slot_of(d);
  pthread_mutex_lock(&faulty_lock);
  const int32_t n = d->n_streams;
  pthread_mutex_unlock(&faulty_lock);
  if (stream < -1 || stream >= n)
    return d->host->fail(HED_E_INVAL, "faulty:%d has streams 0 to %d, not %d", (int)d->index, (int)n - 1, (int)stream);
  if (!slot)
    return d->host->fail(HED_E_LIMIT, "faulty:%d: no slot for this thread", (int)d->index);
  slot_set(slot, FAULTY_DEVICES + d->index, (uintptr_t)(stream + 1));
  return HED_OK;
}
