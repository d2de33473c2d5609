// SPDX-License-Identifier: BSD-3-Clause
/* Arrays: handles and views on storage. L2.
 *
 * Storage comes from memory/memory.c and goes back there, to the storage's device, whatever the calling thread's context.
 */
#include "core/array/array.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "base/shape.h"
#include "core/array/array_small.h"
#include "core/context/context.h"
#include "core/memory/memory.h"
#include "core/process/sanitized.h"
#include "core/array/scope.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(hed__storage) <= HED__HANDLE_AT && HED__HANDLE_AT % _Alignof(hed_array) == 0, "a record");
_Static_assert(sizeof(hed_array) <= HED__HEAD_BYTES - HED__HANDLE_AT, "a handle");

uint64_t hed__arrays_live(void)
{
  uint64_t gone = hed__count_total(HED__COUNT_GONE), made = hed__count_total(HED__COUNT_MADE);
  return made > gone ? made - gone : 0;
}

static hed__device nowhere = { .name = "pending", .space = "pending" };
hed__storage hed__pending = { .device = &nowhere };

hed__pending_hooks hed__pending_by;

/* ---- handles ---- */

static hed_array *handle_new(hed__storage *s, hed__device *producer, bool first)
{
  uint8_t block = HED__FUSED;
  hed_array *x = first && s->fused ? hed__handle_fused(s) : NULL;
  if (!x && !(x = hed__block_new(sizeof *x, &block))) {
    hed_fail(HED_E_NOMEM, "array: no memory for a handle");
    return NULL;
  }
  hed__handle_init(x, s, producer, block);
  if (!hed__scope_add(x)) {
    if (block != HED__FUSED)
      hed__block_free(x, block);
    hed_fail(HED_E_NOMEM, "array: no memory for a place in the scope");
    return NULL;
  }
  hed__count_any(hed__tls_peek(), HED__COUNT_MADE);
  return x;
}

static inline hed_array *small_array(hed__device *device, hed__account *account, size_t bytes)
{
  hed__tls *t = hed__tls_peek();
  return device->host && t && !atomic_load_explicit(&device->gone, memory_order_relaxed)
           ? hed__array_small(t, device, account, bytes) : NULL;
}

hed_array *hed__array_like(hed__device *device, hed__account *account, int dtype, const hed_array *like)
{
  size_t bytes;
  hed_array *x = NULL;
  if (!__builtin_mul_overflow((size_t)like->size, (size_t)hed__id_size(dtype), &bytes))
    x = small_array(device, account, bytes);
  if (__builtin_expect(!x, 0))
    return hed__array_new(device, dtype, like->view.ndim, like->view.dim);
  hed__lay_out(x, dtype, like->view.ndim, like->view.dim, like->size);
  return x;
}

hed_array *hed__array_new(hed__device *device, int dtype, int32_t ndim, const int64_t *dim)
{
  char text[HED__SHAPE_TEXT];
  const int64_t n = hed__shape_size(ndim, dim);
  const bool fits = hed__shape_fits(ndim, dim, hed__id_size(dtype));
  const size_t bytes = fits ? (size_t)n * (size_t)hed__id_size(dtype) : 0;
  if (!fits || bytes > (size_t)HED__MOST_OFFSET) {
    hed_fail(fits ? HED_E_NOMEM : HED_E_SHAPE, "array: shape %s of %s is not possible",
             hed__shape_text(ndim, dim, text, sizeof text), hed__dtypes[dtype]->name);
    return NULL;
  }
  const hed_context *c = hed__context();
  hed_array *x = small_array(device, c ? c->account : NULL, bytes);
  if (!x) {
    hed__storage *s = hed__storage_new(device, bytes, "array");
    x = s ? handle_new(s, device, true) : NULL;
    if (!x) {
      if (s)
        hed__storage_release(s);
      return NULL;
    }
  }
  hed__lay_out(x, dtype, ndim, dim, n);
  return x;
}

/* Number of elements and contiguity of a view that is in place. */
static inline void measure(hed_array *x)
{
  x->size = hed__view_size(&x->view);
  x->flat = hed__is_c_contiguous(&x->view);
}

hed_array *hed__array_pending(hed__device *device, int dtype, int32_t ndim, const int64_t *dim)
{
  hed_array *x = handle_new(&hed__pending, device, false);
  if (x)
    hed__lay_out(x, dtype, ndim, dim, hed__shape_size(ndim, dim));
  return x;
}

/* Does X reach nothing but its storage? What the program wrapped has bounds that it alone knows. */
static inline bool is_inside(const hed_array *x)
{
  const hed__storage *s = atomic_load_explicit(&x->storage, memory_order_relaxed);
  const hed_view *v = &x->view;
  int64_t low = (int64_t)((uintptr_t)v->data - (uintptr_t)s->ptr), high = low + hed__id_size(v->dtype);
  for (int32_t k = 0; k < v->ndim; k++)
    *(v->stride[k] < 0 ? &low : &high) += (v->dim[k] - 1) * v->stride[k];
  return !s->owned || x->size == 0 || (low >= 0 && (uint64_t)high <= s->bytes);
}

hed_array *hed__array_view(const hed_array *base, const hed_view *v)
{
  hed_array *x = handle_new(base->storage, hed__producer(base), false);
  if (!x)
    return NULL;
  HED__ASSERT(atomic_load(&base->storage->refs) > 0);
  HED__ASSERT(v->ndim >= 0 && v->ndim <= HED_MAX_NDIM && v->dtype >= 0 && v->dtype < HED_ID_CONCRETE_COUNT_);
  atomic_fetch_add_explicit(&base->storage->refs, 1, memory_order_relaxed);
  x->read_only = base->read_only;
  x->view.data = v->data;
  x->view.dtype = v->dtype;
  x->view.ndim = v->ndim;
  for (int32_t k = 0; k < v->ndim; k++) {
    x->view.dim[k] = v->dim[k];
    x->view.stride[k] = v->stride[k];
  }
  measure(x);
  HED__ASSERT(is_inside(x));
  return x;
}

hed_array *hed__array_wrap(hed__device *device, const hed_view *v, void (*done)(void *), void *arg)
{
  HED__ASSERT(v->ndim >= 0 && v->ndim <= HED_MAX_NDIM && (v->data || hed__view_size(v) == 0));
  hed__storage *s = hed__calloc(1, sizeof *s);
  hed_array *x = s ? handle_new(s, device, false) : NULL;
  if (!x) {
    hed__free(s);
    hed_fail(HED_E_NOMEM, "array: no memory for a handle");
    return NULL;
  }
  atomic_init(&s->refs, 1);
  s->device = device;
  s->ptr = v->data;
  s->done = done;
  s->done_arg = arg;
  s->fork_depth = hed__fork_depth();
  x->view = *v;
  measure(x);
  return x;
}

hed_array *hed_retain(hed_array *x)
{
  HED__ASSERT(!x || hed__refs(x) > 0);
  if (x)
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
  return x;
}

/* Nobody has X any more. */
static inline __attribute__((always_inline)) void end(hed_array *x)
{
  uint8_t block = x->block;
  hed__tls *t = hed__tls_peek();
  if (block == HED__FUSED && t && atomic_load_explicit(&x->storage->refs, memory_order_acquire) == 1 &&
      hed__small_release(t, x->storage)) {
    hed__count(t, HED__COUNT_SMALL_GONE);
    return;
  }
  if (__builtin_expect(!hed__is_pending(x), 1) || !hed__pending_by.drop(x))
    hed__storage_release(x->storage); /* with a fused handle's block, unless a view has it */
  if (block != HED__FUSED)
    hed__block_free(x, block);
  hed__count_any(t, HED__COUNT_GONE);
}

void hed_release(hed_array *x)
{
  if (!x)
    return;
  hed__sanitized_look(x);
#if HED__CHECKED
  if (hed__refs(x) <= 0)
    hed__broken("hed_release: of an array that has no reference left: it was released twice\n");
#endif
  int64_t refs = atomic_load_explicit(&x->refs, memory_order_acquire);
  while ((int32_t)refs != 1)
    if (atomic_compare_exchange_weak_explicit(&x->refs, &refs, refs - 1, memory_order_acq_rel, memory_order_acquire))
      return;
  /* the program's only reference is the caller's: nobody else can be counting, but who lets go of X, which may be gone then. A
   * second release finds 0, and is refused while the block lies unused */
  if (x->scope_slot)
    *x->scope_slot = NULL;
  if (refs == 1)
    atomic_store_explicit(&x->refs, 0, memory_order_relaxed);
  else if (atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1)
    return;
  end(x);
}

void hed__let_go(hed_array *x)
{
  HED__ASSERT(atomic_load(&x->refs) >= HED__HOLD);
  if (atomic_fetch_sub_explicit(&x->refs, HED__HOLD, memory_order_acq_rel) == HED__HOLD)
    end(x);
}
