// SPDX-License-Identifier: BSD-3-Clause
/* faulty: blocks of its memory for the host. L1.
 *
 * A block that is given back while jobs still use it stays until they are over, as on a stream-ordered allocator; with
 * HED_PLUGIN_STREAMS the host must have waited, and has not.
 */
#include "backends/faulty/faulty.h"
#include <stdio.h>

int32_t hed__faulty_alloc(void *state, size_t bytes, void **out)
{
  hed__faulty_device *d = state;
  hed__faulty_block *b = NULL;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  bool refuse = hed__faulty_call(&hed__faulty.allocations, &hed__faulty.oom) || atomic_load(&hed__faulty.full) != 0;
  pthread_mutex_lock(&hed__faulty_lock);
  size_t used = d->used, total = d->bytes;
  if (!refuse && bytes <= d->bytes) {
    b = hed__faulty_block_take(d, bytes);
    if (!b && !hed__faulty_streams(d) && atomic_load(&hed__faulty.hold) == 0) { /* some may only be in use still */
      hed__faulty_drain(d);
      b = hed__faulty_block_take(d, bytes);
    }
    if (b)
      *out = d->address + b->offset;
  }
  pthread_mutex_unlock(&hed__faulty_lock);
  if (!b)
    return d->host->fail(HED_E_DEVMEM, "faulty:%d: no %zu bytes free of %zu, %zu in use", (int)d->index, bytes, total,
                         used);
  return HED_OK;
}

int32_t hed__faulty_memory(void *state, hed_plugin_memory *out)
{
  hed__faulty_device *d = state;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  pthread_mutex_lock(&hed__faulty_lock);
  out->total = d->bytes;
  out->free = d->bytes - d->used;
  out->largest = 0;
  for (const hed__faulty_block *b = d->blocks; b; b = b->next)
    if (!b->used && b->bytes > out->largest)
      out->largest = b->bytes;
  pthread_mutex_unlock(&hed__faulty_lock);
  return HED_OK;
}

void hed__faulty_free(void *state, void *p)
{
  hed__faulty_device *d = state;
  char text[HED__FAULTY_TEXT];
  if (!p || d->forked)
    return;
  bool keep = hed__faulty_call(&hed__faulty.frees, &hed__faulty.fail_free);
  pthread_mutex_lock(&hed__faulty_lock);
  const int64_t offset = (char *)p - d->address;
  hed__faulty_block *b = hed__faulty_block_at(d, offset);
  if (!b || !b->used || b->leaving || (int64_t)b->offset != offset) {
    snprintf(text, sizeof text, "faulty:%d: free of %p, which is no block", (int)d->index, p);
    hed__faulty_violated(d, text);
  } else if (!keep && b->read == b->reads && b->written == b->writes) {
    hed__faulty_block_release(d, b);
  } else if (!keep) {
    b->leaving = true;
    if (hed__faulty_streams(d) && !hed__faulty_is_dead(d)) {
      snprintf(text, sizeof text, "faulty:%d: free of a block that %llu of %llu reads and %llu of %llu writes have left",
               (int)d->index, (unsigned long long)b->read, (unsigned long long)b->reads, (unsigned long long)b->written,
               (unsigned long long)b->writes);
      hed__faulty_violated(d, text);
    }
  }
  pthread_mutex_unlock(&hed__faulty_lock);
}
