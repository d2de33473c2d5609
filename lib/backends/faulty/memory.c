// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a memory of its own. L1.
 *
 * Addresses come from a reserved range without access rights, so a host that follows one gets SIGSEGV at once; the
 * elements are in a second mapping at a constant distance. First fit over blocks in order of address. A block that is
 * given back while jobs still use it stays until they are over, as on a stream-ordered allocator; with
 * HED_PLUGIN_STREAMS the host must have waited, and has not.
 */
#include "backends/faulty/faulty.h"
#include "base/shape.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { GRAIN = 256 };

bool hed__faulty_memory_init(hed__faulty_device *d, size_t bytes)
{
  bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  d->address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->starts = mmap(NULL, bytes / GRAIN * sizeof *d->starts, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->blocks = d->host->alloc(sizeof *d->blocks, 0);
  d->bytes = bytes;
  if (d->address == MAP_FAILED || d->memory == MAP_FAILED || d->starts == MAP_FAILED || !d->blocks) {
    hed__faulty_memory_drop(d);
    return false;
  }
  memset(d->blocks, 0, sizeof *d->blocks);
  d->blocks->bytes = bytes;
  d->starts[0] = d->blocks;
  return true;
}

void hed__faulty_memory_drop(hed__faulty_device *d)
{
  if (d->address != MAP_FAILED && d->address)
    munmap(d->address, d->bytes);
  if (d->memory != MAP_FAILED && d->memory)
    munmap(d->memory, d->bytes);
  if (d->starts != MAP_FAILED && d->starts)
    munmap(d->starts, d->bytes / GRAIN * sizeof *d->starts);
  d->host->free(d->blocks);
  d->address = d->memory = NULL;
  d->starts = NULL;
  d->blocks = NULL;
}

void *hed__faulty_real(const hed__faulty_device *d, const void *p)
{
  return d->memory + ((const char *)p - d->address);
}

/* The block that holds byte AT, in use or not; NULL outside of the memory. */
static hed__faulty_block *block_at(const hed__faulty_device *d, int64_t at)
{
  if (at < 0 || at >= (int64_t)d->bytes)
    return NULL;
  int64_t grain = at / GRAIN;
  while (!d->starts[grain])
    grain--;
  return d->starts[grain];
}

hed__faulty_block *hed__faulty_block_of(hed__faulty_device *d, const hed_view *v)
{
  int64_t low, high, at = (const char *)v->data - d->address;
  hed__view_extent(v, &low, &high);
  hed__faulty_block *b = block_at(d, at + low);
  return b && low < high && b->used && !b->leaving && at + high <= (int64_t)(b->offset + b->bytes) ? b : NULL;
}

/* First free block of at least BYTES, split when there is more; NULL when full. The lock is held. */
static hed__faulty_block *take(hed__faulty_device *d, size_t bytes)
{
  hed__faulty_block *b = d->blocks;
  while (b && (b->used || b->bytes < bytes))
    b = b->next;
  if (b && b->bytes > bytes) {
    hed__faulty_block *rest = d->host->alloc(sizeof *rest, 0);
    if (!rest)
      return NULL;
    memset(rest, 0, sizeof *rest);
    rest->offset = b->offset + bytes;
    rest->bytes = b->bytes - bytes;
    rest->prev = b;
    rest->next = b->next;
    if (b->next)
      b->next->prev = rest;
    b->next = rest;
    b->bytes = bytes;
    d->starts[rest->offset / GRAIN] = rest;
  }
  if (b) {
    b->used = true;
    d->used += b->bytes;
  }
  return b;
}

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
    size_t rounded = (bytes + !bytes + GRAIN - 1) / GRAIN * GRAIN;
    b = take(d, rounded);
    if (!b && !hed__faulty_streams() && atomic_load(&hed__faulty.hold) == 0) { /* some may only be in use still */
      hed__faulty_drain(d);
      b = take(d, rounded);
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
  hed__faulty_block *b = block_at(d, offset);
  if (!b || !b->used || b->leaving || (int64_t)b->offset != offset) {
    snprintf(text, sizeof text, "faulty:%d: free of %p, which is no block", (int)d->index, p);
    hed__faulty_violated(d, text);
  } else if (!keep && b->read == b->reads && b->written == b->writes) {
    hed__faulty_block_release(d, b);
  } else if (!keep) {
    b->leaving = true;
    if (hed__faulty_streams() && !hed__faulty_is_dead(d)) {
      snprintf(text, sizeof text, "faulty:%d: free of a block that %llu of %llu reads and %llu of %llu writes have left",
               (int)d->index, (unsigned long long)b->read, (unsigned long long)b->reads, (unsigned long long)b->written,
               (unsigned long long)b->writes);
      hed__faulty_violated(d, text);
    }
  }
  pthread_mutex_unlock(&hed__faulty_lock);
}

/* Joins B with the block after it. */
static void join(hed__faulty_device *d, hed__faulty_block *b)
{
  hed__faulty_block *n = b->next;
  d->starts[n->offset / GRAIN] = NULL;
  b->bytes += n->bytes;
  b->next = n->next;
  if (n->next)
    n->next->prev = b;
  d->host->free(n);
}

void hed__faulty_block_release(hed__faulty_device *d, hed__faulty_block *b)
{
  memset(d->memory + b->offset, 0xdb, b->bytes); /* a use after the release shows */
  b->used = b->leaving = false;
  b->reads = b->read = b->writes = b->written = 0;
  d->used -= b->bytes;
  if (b->next && !b->next->used)
    join(d, b);
  if (b->prev && !b->prev->used)
    join(d, b->prev);
}
