// SPDX-License-Identifier: BSD-3-Clause
/*
 * Selection by index: take, nonzero. L3.
 *
 * Kernels of take get one axis of int64 indices that are known to be in range, so the indices are read here, on the
 * host, once.
 */
#include "api/check.h"
#include "api/infer.h"

#include "base/alloc.h"
#include "base/cast.h"
#include <heddle/error.h>
#include <heddle/ops.h>

/* X's elements as contiguous int64 in host memory (hed__free); NULL with the error set. */
static int64_t *read_indices(const char *op, const hed_array *x, int64_t *count)
{
  int64_t n = hed__view_size(&x->view);
  int id = x->view.dtype;
  size_t size = (size_t)hed__id_size(id);
  char *raw = hed__alloc_aligned((size_t)n * size, HED__ALIGN);
  int64_t *list = hed__alloc_aligned((size_t)n * sizeof *list, HED__ALIGN);
  if (raw && list) {
    hed_view v = x->view;
    v.data = raw;
    hed__c_strides(v.ndim, v.dim, (int64_t)size, v.stride);
    if (hed__copy_out(x, &v) == HED_OK) {
      hed__cast(id, HED_ID_INT64)(n, (char *)list, sizeof *list, raw, (int64_t)size);
      hed__free(raw);
      *count = n;
      return list;
    }
  } else {
    hed_fail(HED_E_NOMEM, "%s: no memory for %lld indices", op, (long long)n);
  }
  hed__free(raw);
  hed__free(list);
  return NULL;
}

hed_array *hed_take(const hed_array *x, const hed_array *indices, int32_t axis)
{
  int at;
  if (!hed__given(x, "take", "x") || !hed__given(indices, "take", "indices") ||
      (at = hed__check_axis("take", "axis", axis, x->view.ndim)) < 0)
    return NULL;
  hed_kind kind = hed__id_kind(indices->view.dtype);
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT) {
    hed_fail(HED_E_DTYPE, "take: indices has dtype %s; integers are needed", hed__dtypes[indices->view.dtype]->name);
    return NULL;
  }
  hed_shape shape = { .ndim = x->view.ndim - 1 + indices->view.ndim };
  if (shape.ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "take: the result would have %d axes, %d are possible", (int)shape.ndim, HED_MAX_NDIM);
    return NULL;
  }
  for (int k = 0, j = 0; k < x->view.ndim; k++) {
    if (k != at)
      shape.dim[j++] = x->view.dim[k];
    else
      for (int i = 0; i < indices->view.ndim; i++)
        shape.dim[j++] = indices->view.dim[i];
  }
  if (hed__check_shape("take", "the result's shape", &shape, x->view.dtype) != HED_OK)
    return NULL;

  hed__exec ex;
  const hed_array *operands[2] = { x, indices };
  if (hed__plan(&ex, HED_OP_TAKE, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL, *list = NULL;
  int64_t n = 0, extent = x->view.dim[at];
  int64_t *host = read_indices("take", ex.in[1], &n);
  hed_status status = host ? HED_OK : hed_error();
  for (int64_t k = 0; k < n && status == HED_OK; k++) {
    int64_t i = host[k] < 0 && kind == HED_KIND_INT ? host[k] + extent : host[k];
    if (i < 0 || i >= extent)
      status = hed_fail(HED_E_INVAL, "take: index %lld is out of range for axis %d of x with extent %lld",
                        (long long)host[k], at, (long long)extent);
    host[k] = i;
  }
  if (status == HED_OK) {
    list = hed__array_new(ex.device, HED_ID_INT64, 1, &n);
    out = list ? hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim) : NULL;
    if (!out)
      status = hed_error();
  }
  if (status == HED_OK && hed__view_size(&out->view) > 0) {
    hed_view v = list->view;
    v.data = host;
    status = hed__copy_in(list, &v);
    if (status == HED_OK) { /* the result with the indices' axes as one */
      hed_view flat = x->view;
      flat.data = out->view.data;
      flat.dim[at] = n;
      hed__c_strides(flat.ndim, flat.dim, hed__id_size(flat.dtype), flat.stride);
      const hed_view *out_view = &flat;
      const hed_array *in[2] = { ex.in[0], list };
      hed_take_params params = { at };
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .out_view = &out_view,
                                             .params = &params, .compute = x->view.dtype });
    }
  }
  hed__exec_end(&ex);
  hed__free(host);
  hed_release(list);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *hed_nonzero(const hed_array *x)
{
  if (!hed__given(x, "nonzero", "x"))
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_NONZERO, 1, &x) != HED_OK)
    return NULL;
  hed__forced forced;
  hed_array *out = NULL, *count = NULL;
  int64_t n = 0;
  hed_status status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    count = hed_count_nonzero(ex.in[0], NULL);
    status = count ? hed_item_int(count, &n) : hed_error();
    hed__force_end(&forced);
  }
  if (status == HED_OK) {
    const int64_t dim[2] = { n, x->view.ndim };
    out = hed__array_new(ex.device, HED_ID_INT64, 2, dim);
    status = out ? HED_OK : hed_error();
  }
  if (status == HED_OK && hed__view_size(&out->view) > 0)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in,
                                           .compute = x->view.dtype });
  hed__exec_end(&ex);
  hed_release(count);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}
