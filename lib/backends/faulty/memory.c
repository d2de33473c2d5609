// SPDX-License-Identifier: BSD-3-Clause
/* faulty: blocks of its memory for the host. L1.
 *
 * A block that is given back while jobs still use it stays until they are over, as on a stream-ordered allocator; with
 * HED_PLUGIN_STREAMS the host must have waited, and has not.
 */
#include "backends/faulty/faulty.h"
#include <stdio.h>

int32_t faulty_alloc(void *state, size_t bytes, void **out)
{
  faulty_device *d = state;
  faulty_block *b = NULL;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  bool refuse = faulty_call(&faulty_state.allocations, &faulty_state.oom) || atomic_load(&faulty_state.full) != 0;
  pthread_mutex_lock(&faulty_lock);
  size_t used = d->used, total = d->bytes;
  if (!refuse && bytes <= d->bytes) {
    b = faulty_block_take(d, bytes);
    if (!b && !faulty_streams(d) && atomic_load(&faulty_state.hold) == 0) { /* some may only be in use still */
      faulty_drain(d);
      b = faulty_block_take(d, bytes);
    }
    if (b)
      *out = d->address + b->offset;
  }
  pthread_mutex_unlock(&faulty_lock);
  if (!b)
    return d->host->fail(HED_E_DEVMEM, "faulty:%d: no %zu bytes free of %zu, %zu in use", (int)d->index, bytes, total,
                         used);
  return HED_OK;
}

int32_t faulty_memory(void *state, hed_plugin_memory *out)
{
  faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  pthread_mutex_lock(&faulty_lock);
  out->total = d->bytes;
  out->free = d->bytes - d->used;
  out->largest = 0;
  for (const faulty_block *b = d->blocks; b; b = b->next)
    if (!b->used && b->bytes > out->largest)
      out->largest = b->bytes;
  pthread_mutex_unlock(&faulty_lock);
  return HED_OK;
}

void faulty_free(void *state, void *p)
{
  faulty_device *d = state;
  char text[FAULTY_TEXT];
  if (!p || d->forked)
    return;
  bool keep = faulty_call(&faulty_state.frees, &faulty_state.fail_free);
  pthread_mutex_lock(&faulty_lock);
  const int64_t offset = (char *)p - d->address;
  faulty_block *b = faulty_block_at(d, offset);
  if (!b || !b->used || b->leaving || (int64_t)b->offset != offset) {
    snprintf(text, sizeof text, "faulty:%d: free of %p, which is no block", (int)d->index, p);
    faulty_violated(d, text);
  } else if (!keep && b->read == b->reads && b->written == b->writes) {
    faulty_block_release(d, b);
  } else if (!keep) {
    b->leaving = true;
    if (faulty_streams(d) && !faulty_is_dead(d)) {
      snprintf(text, sizeof text, "faulty:%d: free of a block that %llu of %llu reads and %llu of %llu writes have left",
               (int)d->index, (unsigned long long)b->read, (unsigned long long)b->reads, (unsigned long long)b->written,
               (unsigned long long)b->writes);
      faulty_violated(d, text);
    }
  }
  pthread_mutex_unlock(&faulty_lock);
}
