// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a memory of its own. L1.
 *
 * Addresses come from a reserved range without access rights, so a host that follows one gets SIGSEGV at once; the
 * elements are in a second mapping at a constant distance. First fit over blocks in order of address; freeing goes
 * through the queue, as on a stream-ordered allocator, because operations submitted before may still use the block.
 */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include <string.h>
#include <sys/mman.h>

enum { GRAIN = 256 };

bool hed__faulty_memory_init(hed__faulty_device *d, size_t bytes)
{
  bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  d->address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->blocks = d->host->alloc(sizeof *d->blocks, 0);
  d->bytes = bytes;
  if (d->address == MAP_FAILED || d->memory == MAP_FAILED || !d->blocks) {
    hed__faulty_memory_drop(d);
    return false;
  }
  memset(d->blocks, 0, sizeof *d->blocks);
  d->blocks->bytes = bytes;
  return true;
}

void hed__faulty_memory_drop(hed__faulty_device *d)
{
  if (d->address != MAP_FAILED && d->address)
    munmap(d->address, d->bytes);
  if (d->memory != MAP_FAILED && d->memory)
    munmap(d->memory, d->bytes);
  d->host->free(d->blocks);
  d->address = d->memory = NULL;
  d->blocks = NULL;
}

void *hed__faulty_real(const hed__faulty_device *d, const void *p)
{
  return d->memory + ((const char *)p - d->address);
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
  bool refuse = hed__faulty_tick(&hed__faulty.allocations, &hed__faulty.oom) || hed_faulty_query("full") != 0;
  pthread_mutex_lock(&d->lock);
  size_t used = d->used, total = d->bytes;
  if (!refuse && bytes <= d->bytes) {
    size_t rounded = (bytes + !bytes + GRAIN - 1) / GRAIN * GRAIN;
    b = take(d, rounded);
    if (!b) { /* blocks whose release is queued count as free once the queue has come to them */
      hed__faulty_drain(d, hed_faulty_query("hold") != 0);
      b = take(d, rounded);
    }
    if (b)
      *out = d->address + b->offset;
  }
  pthread_mutex_unlock(&d->lock);
  if (!b)
    return d->host->fail(HED_E_DEVMEM, "faulty:%d: no %zu bytes free of %zu, %zu in use", (int)d->index, bytes, total,
                         used);
  return HED_OK;
}

int32_t hed__faulty_memory(void *state, hed_plugin_memory *out)
{
  hed__faulty_device *d = state;
  pthread_mutex_lock(&d->lock);
  out->total = d->bytes;
  out->free = d->bytes - d->used;
  out->largest = 0;
  for (const hed__faulty_block *b = d->blocks; b; b = b->next)
    if (!b->used && b->bytes > out->largest)
      out->largest = b->bytes;
  pthread_mutex_unlock(&d->lock);
  return HED_OK;
}

void hed__faulty_free(void *state, void *p)
{
  hed__faulty_device *d = state;
  if (!p || d->forked)
    return;
  hed__faulty_tick(&hed__faulty.frees, NULL);
  pthread_mutex_lock(&d->lock);
  hed__faulty_block *b = d->blocks;
  size_t offset = (size_t)((char *)p - d->address);
  while (b && !(b->used && b->offset == offset))
    b = b->next;
  if (b) {
    memset(&b->release, 0, sizeof b->release);
    hed__faulty_enqueue(d, &b->release);
  }
  pthread_mutex_unlock(&d->lock);
}

/* Joins B with the block after it. */
static void join(hed__faulty_device *d, hed__faulty_block *b)
{
  hed__faulty_block *n = b->next;
  b->bytes += n->bytes;
  b->next = n->next;
  if (n->next)
    n->next->prev = b;
  d->host->free(n);
}

void hed__faulty_block_release(hed__faulty_device *d, hed__faulty_block *b)
{
  memset(d->memory + b->offset, 0xdb, b->bytes); /* a use after the release shows */
  b->used = false;
  d->used -= b->bytes;
  if (b->next && !b->next->used)
    join(d, b);
  if (b->prev && !b->prev->used)
    join(d, b->prev);
}

/* Element by element in C order; DATA are addresses that can be followed. */
static void copy(const hed_view *dst, char *to, const hed_view *src, const char *from, int32_t axis, size_t size)
{
  if (axis == dst->ndim) {
    memcpy(to, from, size);
    return;
  }
  for (int64_t k = 0; k < dst->dim[axis]; k++)
    copy(dst, to + k * dst->stride[axis], src, from + k * src->stride[axis], axis + 1, size);
}

/* Waits for everything submitted and tells whether what is waited for has failed. The lock is held. */
static int32_t settle(hed__faulty_device *d, const uint64_t *wait_for, int32_t n)
{
  hed__faulty_drain(d, false);
  const hed__faulty_failure *f = hed__faulty_failed(d, wait_for, n);
  if (f)
    return d->host->fail(HED_E_ASYNC, "%s", f->text);
  if (d->dead)
    return d->host->fail(HED_E_UNAVAILABLE, "%s", d->dead_text);
  return HED_OK;
}

static int32_t transfer(hed__faulty_device *d, const hed_view *dst, char *to, const hed_view *src, const char *from,
                        const uint64_t *wait_for, int32_t n)
{
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "faulty:%d does not work in a child of fork", (int)d->index);
  hed__faulty_tick(&hed__faulty.copies, NULL);
  pthread_mutex_lock(&d->lock);
  int32_t status = settle(d, wait_for, n);
  pthread_mutex_unlock(&d->lock);
  if (status == HED_OK)
    copy(dst, to, src, from, 0, (size_t)hed__id_size(dst->dtype));
  return status;
}

int32_t hed__faulty_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                            int32_t n)
{
  hed__faulty_device *d = state;
  return transfer(d, dst, hed__faulty_real(d, dst->data), src, src->data, wait_for, n);
}

int32_t hed__faulty_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                             int32_t n)
{
  hed__faulty_device *d = state;
  return transfer(d, dst, dst->data, src, hed__faulty_real(d, src->data), wait_for, n);
}
