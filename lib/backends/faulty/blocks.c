// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a memory of its own, in blocks. L1.
 *
 * Addresses come from a reserved range without access rights, so a host that follows one gets SIGSEGV at once; the
 * elements are in a second mapping at a constant distance. First fit over blocks in order of address. The lock is held,
 * but when a device is made.
 */
#include "backends/faulty/faulty.h"
#include "base/shape.h"
#include <string.h>
#include <sys/mman.h>

enum { GRAIN = 256 };

bool faulty_memory_init(faulty_device *d, size_t bytes)
{
  bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  d->address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->starts = mmap(NULL, bytes / GRAIN * sizeof *d->starts, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  d->blocks = d->host->alloc(sizeof *d->blocks, 0);
  d->bytes = bytes;
  if (d->address == MAP_FAILED || d->memory == MAP_FAILED || d->starts == MAP_FAILED || !d->blocks) {
    faulty_memory_drop(d);
    return false;
  }
  memset(d->blocks, 0, sizeof *d->blocks);
  d->blocks->bytes = bytes;
  d->starts[0] = d->blocks;
  return true;
}

void faulty_memory_drop(faulty_device *d)
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

void *faulty_real(const faulty_device *d, const void *p)
{
  return d->memory + ((const char *)p - d->address);
}

faulty_block *faulty_block_at(const faulty_device *d, int64_t at)
{
  if (at < 0 || at >= (int64_t)d->bytes)
    return NULL;
  int64_t grain = at / GRAIN;
  while (!d->starts[grain])
    grain--;
  return d->starts[grain];
}

faulty_block *faulty_block_of(faulty_device *d, const hed_view *v)
{
  int64_t low, high, at = (const char *)v->data - d->address;
  hed__view_extent(v, &low, &high);
  faulty_block *b = faulty_block_at(d, at + low);
  return b && low < high && b->used && !b->leaving && at + high <= (int64_t)(b->offset + b->bytes) ? b : NULL;
}

faulty_block *faulty_block_take(faulty_device *d, size_t bytes)
{
  bytes = (bytes + !bytes + GRAIN - 1) / GRAIN * GRAIN;
  faulty_block *b = d->blocks;
  while (b && (b->used || b->bytes < bytes))
    b = b->next;
  if (b && b->bytes > bytes) {
    faulty_block *rest = d->host->alloc(sizeof *rest, 0);
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

/* Joins B with the block after it. */
static void join(faulty_device *d, faulty_block *b)
{
  faulty_block *n = b->next;
  d->starts[n->offset / GRAIN] = NULL;
  b->bytes += n->bytes;
  b->next = n->next;
  if (n->next)
    n->next->prev = b;
  d->host->free(n);
}

void faulty_block_release(faulty_device *d, faulty_block *b)
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
