// SPDX-License-Identifier: BSD-3-Clause
/* Indices that are in the memory of a device which checks them itself: see index.h. L3.
 *
 * Kernels count negative indices from the end and fail the submission for one that is out of range; what depends on it fails
 * with the same text. Indices on several axes are numbered by the device's elementwise operations.
 */
#include "api/call/parts.h"
#include "api/index/index.h"
#include "api/call/movement.h"
#include "core/ops/op_numbers.h"

#include <heddle/error.h>

bool hed__checks_indices(const hed__exec *ex, const hed_array *indices, int64_t extent)
{
  const hed__device *d = ex->device;
  /* for an axis without elements there is no kernel to say so */
  return !d->host && (d->plugin->flags & HED_PLUGIN_CHECKS_INDICES) && indices->storage->device == d &&
         (extent > 0 || hed__view_size(&indices->view) == 0);
}

/* In a frame. */
static hed_array *as_int64(const hed_array *x)
{
  /* what int64 does not hold is out of range of every axis */
  return hed_astype(x->view.dtype == HED_ID_UINT64 ? hed_minimum(x, hed_scalar_int(INT64_MAX)) : x, HED_INT64);
}

hed_array *hed__indices_given(const hed__exec *ex, const hed_array *indices, const hed_array *apart)
{
  const bool meet = apart && hed__views_meet(&apart->view, &indices->view);
  if (indices->view.dtype == HED_ID_INT64 && hed_array_is_contiguous(indices) && !meet)
    return hed_retain((hed_array *)(uintptr_t)indices);
  if (indices->view.dtype != HED_ID_UINT64)
    return hed__moved(ex, indices, HED_ID_INT64);
  hed__parts f;
  return hed__parts_begin(&f, ex) == HED_OK ? hed__parts_end(&f, as_int64(indices)) : NULL;
}

/* Zeros in the shape of X, int64 indices: of an array of EXTENT zeros along AXIS, so that the device fails for what is out of
 * range, and names the axis. */
static hed_array *range_check(const hed__exec *ex, const hed_array *x, int64_t extent, int axis)
{
  hed_array *zero = hed_zeros(HED_SHAPE(1), HED_INT64), *list = zero ? hed__indices_given(ex, x, NULL) : NULL;
  hed_array *out = list ? hed__array_new(ex->device, HED_ID_INT64, x->view.ndim, x->view.dim) : NULL;
  hed_status status = out ? HED_OK : hed_error();
  const int64_t n = hed__view_size(&x->view);
  if (status == HED_OK && n > 0) {
    hed_view row = { .dtype = HED_ID_INT64, .ndim = 1, .dim = { n }, .stride = { sizeof(int64_t) }, .data = list->view.data };
    hed_view to = { .dtype = HED_ID_INT64, .ndim = axis + 1, .data = out->view.data };
    for (int k = 0; k < axis; k++)
      to.dim[k] = 1;
    hed_view same = to;
    to.dim[axis] = n;
    to.stride[axis] = sizeof(int64_t);
    same.data = zero->view.data;
    same.dim[axis] = extent;
    const hed_array *in[2] = { zero, list };
    const hed_view *in_view[2] = { &same, &row }, *out_view = &to;
    const hed_take_params params = { .axis = axis };
    status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .out_view = &out_view,
                                          .in_view = in_view, .params = &params, .compute = HED_ID_INT64,
                                          .op = 1 + HED_OP_TAKE });
  }
  hed_release(list);
  return status == HED_OK ? out : NULL;
}

/* In a frame. */
static hed_array *wrapped(const hed__exec *ex, const hed_array *x, int64_t extent, int axis)
{
  hed_array *i = as_int64(x), *zeros = i ? range_check(ex, i, extent, axis) : NULL;
  return zeros ? hed_add(hed_mod(i, hed_scalar_int(extent ? extent : 1)), zeros) : NULL;
}

hed_array *hed__indices_wrapped(const hed__exec *ex, const hed_array *indices, int64_t extent)
{
  hed__parts f;
  return hed__parts_begin(&f, ex) == HED_OK ? hed__parts_end(&f, wrapped(ex, indices, extent, 0)) : NULL;
}

hed_array *hed__flat_indices(const hed__exec *ex, int n, const hed__index_term *term)
{
  hed__parts f;
  if (hed__parts_begin(&f, ex) != HED_OK)
    return NULL;
  hed_array *flat = NULL;
  bool good = true;
  for (int k = 0; k < n && good; k++) {
    hed_array *own = term[k].checked ? hed_astype(term[k].index, HED_INT64) : wrapped(ex, term[k].index, term[k].extent, term[k].axis);
    flat = flat && own ? hed_add(hed_multiply(flat, hed_scalar_int(term[k].extent)), own) : own;
    good = flat != NULL;
  }
  return hed__parts_end(&f, flat && !hed_array_is_contiguous(flat) ? hed_copy(flat) : flat);
}

hed_array *hed__number_along(const hed__exec *ex, const hed_array *indices, int at, int32_t ndim, const int64_t *dim)
{
  hed__parts f;
  hed__index_term term[HED_MAX_NDIM];
  if (hed__parts_begin(&f, ex) != HED_OK)
    return NULL;
  bool good = true;
  for (int32_t k = 0; k < ndim && good; k++) {
    hed_shape own = { .ndim = ndim };
    for (int32_t j = 0; j < ndim; j++)
      own.dim[j] = j == k ? dim[k] : 1;
    term[k] = (hed__index_term){ k == at ? indices : hed_reshape(hed_arange_int(0, dim[k], 1, HED_INT64), own), dim[k], k, k != at };
    good = term[k].index != NULL;
  }
  return hed__parts_end(&f, good ? hed__flat_indices(ex, ndim, term) : NULL);
}

hed_array *hed__numbers_of_true(const hed__exec *ex, const hed_array *mask)
{
  hed__parts f;
  if (hed__parts_begin(&f, ex) != HED_OK)
    return NULL;
  int64_t found = 0;
  hed_array *flat = hed_reshape(mask, HED_SHAPE(hed__view_size(&mask->view))), *count = hed_count_nonzero(flat, NULL);
  hed_array *rows = count && hed_item_int(count, &found) == HED_OK
                        ? hed__array_new(ex->device, HED_ID_INT64, 2, (const int64_t[]){ found, 1 }) : NULL;
  if (rows && found > 0 && hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &rows, .in = (const hed_array *const[]){ flat },
                                                       .compute = HED_ID_BOOL, .op = 1 + HED_OP_NONZERO }) != HED_OK)
    rows = NULL;
  return hed__parts_end(&f, rows ? hed_reshape(rows, HED_SHAPE(found)) : NULL);
}
