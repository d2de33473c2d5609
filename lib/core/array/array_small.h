// SPDX-License-Identifier: BSD-3-Clause
/* Small arrays made whole from a block of the thread's magazine: record, handle and elements. L2. */
#ifndef HED_CORE_ARRAY_SMALL_H
#define HED_CORE_ARRAY_SMALL_H

#include "base/dtype.h"
#include "core/array/array.h"
#include "core/memory/memory.h"

/* The first handle on storage of our own is in the storage's block. */
static inline hed_array *hed__handle_fused(hed__storage *s)
{
  return (hed_array *)(void *)((char *)s + HED__HANDLE_AT);
}

static inline void hed__handle_init(hed_array *x, hed__storage *s, hed__device *producer, uint8_t block)
{
  atomic_init(&x->refs, 1);
  atomic_init(&x->storage, s);
  x->tape = x->entry = 0;
  x->producer = producer->number;
  x->weak = false;
  x->read_only = false;
  x->block = block;
  x->scope_slot = NULL;
}

/* Contiguous, at the beginning of its storage. */
static inline void hed__lay_out(hed_array *x, int dtype, int32_t ndim, const int64_t *dim, int64_t n)
{
  int64_t step = hed__id_size(dtype);
  x->view.data = atomic_load_explicit(&x->storage, memory_order_relaxed)->ptr;
  x->view.dtype = dtype;
  x->view.ndim = ndim;
  for (int32_t k = ndim - 1; k >= 0; k--) {
    x->view.dim[k] = dim[k];
    x->view.stride[k] = step;
    step *= dim[k] > 0 ? dim[k] : 1;
  }
  x->size = n;
  x->flat = true;
}

/* BYTES in the memory of the host, for DEVICE, which reaches it and is not gone; laid out by the caller. NULL: by another
 * way, nothing was done. */
static inline __attribute__((always_inline)) hed_array *hed__array_small(hed__tls *t, hed__device *device,
                                                                         hed__account *account, size_t bytes)
{
  hed__storage *s;
  if (__builtin_expect(bytes > HED__SMALL_BYTES || t->scope || !(s = hed__small_storage(t, device, bytes, account)), 0))
    return NULL;
  hed__count(t, HED__COUNT_SMALL);
  hed__handle_init(hed__handle_fused(s), s, device, HED__FUSED);
  return hed__handle_fused(s);
}

#endif
