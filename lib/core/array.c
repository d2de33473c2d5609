// SPDX-License-Identifier: BSD-3-Clause
/* Arrays: storage, handles, views, host data in and out. L2.
 *
 * Storage comes from memory.c and goes back there, to the storage's device, whatever the calling thread's context.
 */
#include "core/array.h"
#include "base/alloc.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/array_quick.h"
#include "core/context.h"
#include "core/dispatch.h"
#include "core/fuse.h"
#include "core/memory.h"
#include "core/scope.h"
#include "core/settle.h"
#include "core/stats.h"
#include "core/transfer.h"
#include <stdlib.h>
#include <string.h>

uint64_t hed__arrays_live(void)
{
  uint64_t gone = hed__count_total(HED__COUNT_GONE), made = hed__count_total(HED__COUNT_MADE);
  return made > gone ? made - gone : 0;
}

bool hed__given(const hed_array *x, const char *op, const char *arg)
{
  return hed__named(x, op, arg) && (__builtin_expect(!hed__is_pending(x), 1) || hed__fuse_force(x) == HED_OK);
}

bool hed__named(const hed_array *x, const char *op, const char *arg)
{
  if (x)
    return true;
  if (hed_error() == HED_OK)
    hed_fail(HED_E_INVAL, "%s: argument %s is NULL", op, arg);
  return false;
}

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

static inline hed_array *quick_array(hed__device *device, hed__account *account, size_t bytes)
{
  hed__tls *t = hed__tls_peek();
  return device->host && t && !atomic_load_explicit(&device->gone, memory_order_relaxed)
           ? hed__array_quick(t, device, account, bytes) : NULL;
}

hed_array *hed__array_like(hed__device *device, hed__account *account, int dtype, const hed_array *like)
{
  size_t bytes;
  hed_array *x = NULL;
  if (!__builtin_mul_overflow((size_t)like->size, (size_t)hed__id_size(dtype), &bytes))
    x = quick_array(device, account, bytes);
  if (__builtin_expect(!x, 0))
    return hed__array_new(device, dtype, like->view.ndim, like->view.dim);
  hed__lay_out(x, dtype, like->view.ndim, like->view.dim, like->size);
  return x;
}

hed_array *hed__array_new(hed__device *device, int dtype, int32_t ndim, const int64_t *dim)
{
  char text[HED__SHAPE_TEXT];
  int64_t n = hed__shape_size(ndim, dim);
  size_t bytes, size = (size_t)hed__id_size(dtype);
  if (n < 0 || !hed__mul_size((size_t)n, size, &bytes) || bytes > (size_t)PTRDIFF_MAX / 2) {
    hed_fail(n < 0 ? HED_E_SHAPE : HED_E_NOMEM, "array: shape %s of %s is not possible",
             hed__shape_text(ndim, dim, text, sizeof text), hed__dtypes[dtype]->name);
    return NULL;
  }
  const hed_context *c = hed__context();
  hed_array *x = quick_array(device, c ? c->account : NULL, bytes);
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

hed_array *hed__array_view(const hed_array *base, const hed_view *v)
{
  hed_array *x = handle_new(base->storage, base->producer, false);
  if (!x)
    return NULL;
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
  return x;
}

hed_array *hed__array_wrap(hed__device *device, const hed_view *v, void (*done)(void *), void *arg)
{
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

hed_array *hed_read_only(const hed_array *x)
{
  hed_array *v = hed__given(x, "read_only", "x") ? hed__array_view(x, &x->view) : NULL;
  if (v) {
    v->weak = x->weak;
    v->read_only = true;
  }
  return v;
}

hed_array *hed_retain(hed_array *x)
{
  if (x)
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
  return x;
}

void hed_release(hed_array *x)
{
  /* the only reference is the caller's: nobody else can be counting */
  if (!x || (atomic_load_explicit(&x->refs, memory_order_acquire) != 1 &&
             atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1))
    return;
  if (x->scope_slot)
    *x->scope_slot = NULL;
  uint8_t block = x->block;
  hed__tls *t = hed__tls_peek();
  if (block == HED__FUSED && t && atomic_load_explicit(&x->storage->refs, memory_order_acquire) == 1 &&
      hed__quick_release(t, x->storage)) {
    hed__count(t, HED__COUNT_QUICK_GONE);
    return;
  }
  if (__builtin_expect(!hed__is_pending(x), 1) || !hed__fuse_drop(x))
    hed__storage_release(x->storage); /* with a fused handle's block, unless a view has it */
  if (block != HED__FUSED)
    hed__block_free(x, block);
  hed__count_any(t, HED__COUNT_GONE);
}

/* ---- host data ---- */

/* A shape as callers give it, checked. */
static bool shape_ok(const char *op, const hed_shape *s)
{
  char text[HED__SHAPE_TEXT];
  if (s->ndim < 0 || s->ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: %d dimensions, the limit is %d", op, s->ndim, HED_MAX_NDIM);
    return false;
  }
  if (hed__shape_size(s->ndim, s->dim) < 0) {
    hed_fail(HED_E_SHAPE, "%s: shape %s is not possible", op, hed__shape_text(s->ndim, s->dim, text, sizeof text));
    return false;
  }
  return true;
}

static hed_view host_view(void *data, int dtype, const hed_shape *s)
{
  hed_view v = { .data = data, .dtype = dtype, .ndim = s->ndim };
  memcpy(v.dim, s->dim, sizeof v.dim);
  hed__c_strides(v.ndim, v.dim, hed__id_size(dtype), v.stride);
  return v;
}

hed_array *hed_from_host(const void *data, hed_shape shape, hed_dtype t)
{
  hed__device *d = shape_ok("from_host", &shape) ? hed__current_device() : NULL;
  int id = d ? hed__dtype_concrete(t, d, "from_host") : -1;
  if (id < 0)
    return NULL;
  if (!data && hed__shape_size(shape.ndim, shape.dim) > 0) {
    hed_fail(HED_E_INVAL, "from_host: data is NULL");
    return NULL;
  }
  /* the caller's data have the dtype as asked for; under dtype=relaxed the array may be narrower */
  hed_context_info info = { .struct_size = sizeof info };
  int given = t->id;
  if (given >= HED_ID_CONCRETE_COUNT_ && hed_context_query(NULL, &info) == HED_OK)
    given = (t == HED_REAL ? info.real : t == HED_COMPLEX ? info.complex_ : info.index)->id;
  hed_array *x = hed__array_new(d, id, shape.ndim, shape.dim);
  if (!x)
    return NULL;
  hed_view src = host_view((void *)(uintptr_t)data, given, &shape);
  hed_status s = HED_OK;
  if (given == id) {
    s = hed__copy_in(x, &src);
  } else {
    int64_t n = hed__view_size(&src);
    void *narrow = hed__buffer_new((size_t)n * (size_t)hed__id_size(id), "from_host");
    hed_view v = host_view(narrow, id, &shape);
    if (narrow) {
      hed__cast(given, id)(n, narrow, hed__id_size(id), data, hed__id_size(given));
      s = hed__copy_in(x, &v);
    } else {
      s = hed_error();
    }
    hed__buffer_free(narrow);
  }
  if (s != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed_wrap(void *data, hed_shape shape, const int64_t *strides_bytes, hed_dtype t, void (*done)(void *),
                    void *done_arg)
{
  hed__device *host = shape_ok("wrap", &shape) ? hed__reference() : NULL;
  int id = host ? hed__dtype_concrete(t, host, "wrap") : -1;
  if (id < 0)
    return NULL;
  hed_view v = host_view(data, id, &shape);
  if (!data && hed__view_size(&v) > 0) {
    hed_fail(HED_E_INVAL, "wrap: data is NULL");
    return NULL;
  }
  if (strides_bytes)
    memcpy(v.stride, strides_bytes, (size_t)v.ndim * sizeof *strides_bytes);
  int64_t align = hed__dtypes[id]->bits / 8;
  for (int k = 0; k < v.ndim; k++)
    if (v.stride[k] % align != 0) {
      hed_fail(HED_E_INVAL, "wrap: stride %lld of axis %d is no multiple of the %lld bytes to which %s is aligned",
               (long long)v.stride[k], k, (long long)align, hed__dtypes[id]->name);
      return NULL;
    }
  if ((uintptr_t)data % (uintptr_t)align != 0) {
    hed_fail(HED_E_INVAL, "wrap: data at %p are not aligned to the %lld bytes that %s needs", data, (long long)align,
             hed__dtypes[id]->name);
    return NULL;
  }
  return hed__array_wrap(host, &v, done, done_arg);
}

hed_status hed_to_host(const hed_array *x, void *dst, size_t dst_bytes)
{
  if (!hed__given(x, "to_host", "x"))
    return hed_error();
  size_t bytes = hed_array_nbytes(x);
  if (dst_bytes != bytes)
    return hed_fail(HED_E_SHAPE, "to_host: the array has %zu bytes, dst_bytes is %zu", bytes, dst_bytes);
  if (bytes == 0)
    return HED_OK;
  if (!dst)
    return hed_fail(HED_E_INVAL, "to_host: dst is NULL");
  hed_shape shape = hed_array_shape(x);
  hed_view v = host_view(dst, x->view.dtype, &shape);
  return hed__copy_out(x, &v);
}

/* ---- what an array is ---- */

hed_shape hed_array_shape(const hed_array *x)
{
  hed_shape s = { .ndim = x ? x->view.ndim : -1 };
  if (x)
    memcpy(s.dim, x->view.dim, (size_t)x->view.ndim * sizeof *s.dim);
  return s;
}

hed_dtype hed_array_dtype(const hed_array *x) { return x ? hed__dtypes[x->view.dtype] : NULL; }
int32_t hed_array_ndim(const hed_array *x) { return x ? x->view.ndim : -1; }
int64_t hed_array_size(const hed_array *x) { return x ? x->size : -1; }

size_t hed_array_nbytes(const hed_array *x)
{
  return x ? (size_t)x->size * (size_t)hed__id_size(x->view.dtype) : 0;
}

hed_status hed_array_strides(const hed_array *x, int64_t *strides_bytes)
{
  if (!hed__named(x, "array_strides", "x"))
    return hed_error();
  memcpy(strides_bytes, x->view.stride, (size_t)x->view.ndim * sizeof *strides_bytes);
  return HED_OK;
}

const char *hed_array_backend(const hed_array *x) { return x ? x->producer->name : ""; }
const char *hed_array_space(const hed_array *x)
{
  return !x ? "" : hed__is_pending(x) ? x->producer->space : x->storage->device->space;
}
bool hed_array_is_read_only(const hed_array *x) { return x && x->read_only; }
bool hed_array_is_contiguous(const hed_array *x) { return x && x->flat; }
int64_t hed_array_refs(const hed_array *x) { return x ? atomic_load(&x->refs) : 0; }

void *hed_array_data(const hed_array *x)
{
  if (!hed__given(x, "array_data", "x") || hed__array_settle(x) != HED_OK)
    return NULL;
  if (!x->storage->device->host) {
    hed_fail(HED_E_MISMATCH, "array_data: the array lives in %s; hed_to(x, \"reference\") brings it to host memory",
             x->storage->device->space);
    return NULL;
  }
  if (hed__fuse_written(hed__tls_peek(), x) != HED_OK) /* who has the address may write */
    return NULL;
  return x->view.data;
}
