// SPDX-License-Identifier: BSD-3-Clause
/* Arrays and the program's own data: made from it, wrapped round it, given back, looked at. L2. */
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/array/array.h"
#include "core/context/context.h"
#include "core/fuse/fuse.h"
#include "core/memory/memory.h"
#include "core/record/capture.h"
#include "core/array/settle.h"
#include "core/array/transfer.h"
#include <string.h>

/* A shape as callers give it, checked; SIZE: of an element. */
static bool shape_ok(const char *op, const hed_shape *s, int64_t size)
{
  char text[HED__SHAPE_TEXT];
  if (s->ndim < 0 || s->ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: %d dimensions, the limit is %d", op, s->ndim, HED_MAX_NDIM);
    return false;
  }
  if (!hed__shape_fits(s->ndim, s->dim, size)) {
    hed_fail(HED_E_SHAPE, "%s: shape %s is not possible", op, hed__shape_text(s->ndim, s->dim, text, sizeof text));
    return false;
  }
  return true;
}

hed_status hed__layout_fail(const char *op, const hed_view *v, int32_t bad)
{
  char text[HED__SHAPE_TEXT], strides[HED__SHAPE_TEXT];
  if (bad >= 0)
    return hed_fail(HED_E_SHAPE, "%s: stride %lld of axis %d with extent %lld is not possible", op, (long long)v->stride[bad],
                    (int)bad, (long long)v->dim[bad]);
  return hed_fail(HED_E_SHAPE, "%s: shape %s with strides of %s bytes leaves the address space from %p on", op,
                  hed__shape_text(v->ndim, v->dim, text, sizeof text),
                  hed__shape_text(v->ndim, v->stride, strides, sizeof strides), v->data);
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
  hed__device *d = hed__current_device();
  int id = d ? hed__dtype_concrete(t, d, "from_host") : -1;
  if (id < 0)
    return NULL;
  /* the caller's data have the dtype as asked for; under dtype=relaxed the array may be narrower */
  hed_context_info info = { .struct_size = sizeof info };
  int given = t->id;
  if (given >= HED_ID_CONCRETE_COUNT_ && hed_context_query(NULL, &info) == HED_OK)
    given = (t == HED_REAL ? info.real : t == HED_COMPLEX ? info.complex_ : info.index)->id;
  if (!shape_ok("from_host", &shape, hed__id_size(given) > hed__id_size(id) ? hed__id_size(given) : hed__id_size(id)))
    return NULL;
  if (!data && hed__shape_size(shape.ndim, shape.dim) > 0) {
    hed_fail(HED_E_INVAL, "from_host: data is NULL");
    return NULL;
  }
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
  hed__capture_given(x);
  return x;
}

hed_status hed__layout_of(const char *op, hed__device *d, void *data, const hed_shape *shape, const int64_t *strides_bytes,
                          hed_dtype t, hed_view *out)
{
  int id = hed__dtype_concrete(t, d, op), bad;
  if (id < 0 || !shape_ok(op, shape, hed__id_size(id)))
    return hed_error();
  hed_view v = host_view(data, id, shape);
  if (!data && hed__view_size(&v) > 0)
    return hed_fail(HED_E_INVAL, "%s: data is NULL", op);
  if (strides_bytes)
    memcpy(v.stride, strides_bytes, (size_t)v.ndim * sizeof *strides_bytes);
  if (!hed__layout_fits(&v, &bad))
    return hed__layout_fail(op, &v, bad);
  int64_t align = hed__dtypes[id]->bits / 8;
  for (int k = 0; k < v.ndim; k++)
    if (v.stride[k] % align != 0)
      return hed_fail(HED_E_INVAL, "%s: stride %lld of axis %d is no multiple of the %lld bytes to which %s is aligned", op,
                      (long long)v.stride[k], k, (long long)align, hed__dtypes[id]->name);
  if ((uintptr_t)data % (uintptr_t)align != 0)
    return hed_fail(HED_E_INVAL, "%s: data at %p are not aligned to the %lld bytes that %s needs", op, data, (long long)align,
                    hed__dtypes[id]->name);
  *out = v;
  return HED_OK;
}

hed_array *hed_wrap(void *data, hed_shape shape, const int64_t *strides_bytes, hed_dtype t, void (*done)(void *),
                    void *done_arg)
{
  hed_view v;
  return hed__layout_of("wrap", hed__reference(), data, &shape, strides_bytes, t, &v) == HED_OK
             ? hed__array_wrap(hed__reference(), &v, done, done_arg) : NULL;
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

hed_array *hed_read_only(const hed_array *x)
{
  hed_array *v = hed__given(x, "read_only", "x") ? hed__array_view(x, &x->view) : NULL;
  if (v) {
    v->weak = x->weak;
    v->read_only = true;
    hed__record_same(v, x);
  }
  return v;
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

size_t hed_array_nbytes(const hed_array *x) { return x ? hed__nbytes(x) : 0; }

hed_status hed_array_strides(const hed_array *x, int64_t *strides_bytes)
{
  if (!hed__named(x, "array_strides", "x"))
    return hed_error();
  memcpy(strides_bytes, x->view.stride, (size_t)x->view.ndim * sizeof *strides_bytes);
  return HED_OK;
}

const char *hed_array_backend(const hed_array *x) { return x ? hed__producer(x)->name : ""; }
const char *hed_array_space(const hed_array *x)
{
  return !x ? "" : hed__is_pending(x) ? hed__producer(x)->space : x->storage->device->space;
}
bool hed_array_is_weak(const hed_array *x) { return x && x->weak; }
bool hed_array_is_read_only(const hed_array *x) { return x && x->read_only; }
bool hed_array_is_contiguous(const hed_array *x) { return x && x->flat; }
int64_t hed_array_refs(const hed_array *x) { return x ? hed__refs(x) : 0; }

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
