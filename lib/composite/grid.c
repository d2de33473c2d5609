// SPDX-License-Identifier: BSD-3-Clause
/* Grids of indices and triangles of matrices: meshgrid, indices, tri, tril, triu and the indices of triangles. L3. */
#include "api/call/check.h"
#include "api/index/index.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- grids ---- */

hed_status HED_BODY(meshgrid)(int n, const hed_array *const *arrays, bool xy, bool sparse, hed_array **out)
{
  if (n < 1 || n > HED_MAX_NDIM || !arrays || !out)
    return hed_fail(HED_E_INVAL, "meshgrid: %d arrays at %s, 1 to %d are possible", n, arrays && out ? "arrays" : "NULL",
                    HED_MAX_NDIM);
  hed_shape grid = { .ndim = n };
  for (int k = 0; k < n; k++) {
    out[k] = NULL;
    if (!hed__given(arrays[k], "meshgrid", "arrays"))
      return hed_error();
    if (arrays[k]->view.ndim > 1)
      return hed_fail(HED_E_SHAPE, "meshgrid: array %d has %d axes, vectors are needed", k, (int)arrays[k]->view.ndim);
    int axis = xy && n > 1 && k < 2 ? 1 - k : k;
    grid.dim[axis] = hed__view_size(&arrays[k]->view);
  }
  hed_status status = hed__check_shape("meshgrid", "the grid's shape", &grid, HED_ID_BOOL);
  for (int k = 0; k < n && status == HED_OK; k++) {
    int axis = xy && n > 1 && k < 2 ? 1 - k : k;
    hed_shape open = { .ndim = n };
    for (int j = 0; j < n; j++)
      open.dim[j] = j == axis ? grid.dim[j] : 1;
    hed_array *thin = hed_reshape(arrays[k], open);
    out[k] = thin && !sparse ? hed_broadcast_to(thin, grid) : hed_retain(thin);
    hed_release(thin);
    if (!out[k])
      status = hed_error();
  }
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(out[k]);
    out[k] = NULL;
  }
  return status;
}

hed_array *HED_BODY(indices)(hed_shape shape, hed_dtype t)
{
  if (hed__check_shape("indices", "shape", &shape, HED_ID_INT64) != HED_OK)
    return NULL;
  if (shape.ndim == HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "indices: shape has %d axes, %d are possible", (int)shape.ndim, HED_MAX_NDIM - 1);
    return NULL;
  }
  hed_shape all = { .ndim = shape.ndim + 1, .dim = { shape.ndim } };
  for (int k = 0; k < shape.ndim; k++)
    all.dim[k + 1] = shape.dim[k];
  hed_array *out = hed_empty(all, t ? t : HED_INT64);
  bool good = out != NULL;
  for (int k = 0; k < shape.ndim && good; k++) {
    hed_shape column = { .ndim = shape.ndim - k, .dim = { shape.dim[k] } };
    for (int j = 1; j < column.ndim; j++)
      column.dim[j] = 1;
    hed_array *numbers = hed_arange_int(0, shape.dim[k], 1, hed_array_dtype(out));
    hed_array *thin = numbers ? hed_reshape(numbers, column) : NULL, *part = thin ? hed_index(out, 0, k) : NULL;
    good = part && hed_copy_into(part, thin) == HED_OK;
    hed_release(numbers);
    hed_release(thin);
    hed_release(part);
  }
  if (!good) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* ---- triangles ---- */

/* bool (n, m): column <= row + k */
static hed_array *lower(const char *op, int64_t n, int64_t m, int64_t k)
{
  hed_shape shape = { 2, { n, m } };
  if (hed__check_shape(op, "shape", &shape, HED_ID_INT64) != HED_OK)
    return NULL;
  k = k < -n ? -n : k > m ? m : k; /* beyond, nothing changes */
  const hed_dtype t = n < INT16_MAX - m ? HED_INT16 : HED_INT64;
  hed_array *first = hed_arange_int(k, k + n, 1, t), *columns = first ? hed_arange_int(0, m, 1, t) : NULL;
  hed_array *rows = columns ? hed_expand_dims(first, 1) : NULL, *out = rows ? hed_greater_equal(rows, columns) : NULL;
  hed_release(first);
  hed_release(columns);
  hed_release(rows);
  return out;
}

hed_array *HED_BODY(tri)(int64_t n, int64_t m, int64_t k, hed_dtype t)
{
  hed_array *mask = lower("tri", n, m, k), *out = mask ? hed_astype(mask, t) : NULL;
  hed_release(mask);
  return out;
}

static hed_array *triangle(int op, const char *name, const hed_array *x, int64_t k)
{
  if (!hed__given(x, name, "x"))
    return NULL;
  int ndim = x->view.ndim;
  if (ndim < 2) {
    hed_fail(HED_E_SHAPE, "%s: x has %d axes, at least 2 are needed", name, ndim);
    return NULL;
  }
  const int64_t rows = x->view.dim[ndim - 2], columns = x->view.dim[ndim - 1];
  const hed_triangle_params params = { k < -rows ? -rows : k > columns ? columns : k }; /* beyond, nothing changes */
  hed__exec ex;
  if (hed__plan(&ex, op, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, x->view.dtype, ndim, x->view.dim);
  if (out && hed__view_size(&out->view) > 0 &&
      hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .params = &params, .compute = x->view.dtype }) != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(tril)(const hed_array *x, int64_t k)
{
  return triangle(HED_OP_TRIL, "tril", x, k);
}

hed_array *HED_BODY(triu)(const hed_array *x, int64_t k)
{
  return triangle(HED_OP_TRIU, "triu", x, k);
}

/* Row and column numbers of the TOTAL elements in the triangle below diagonal K and on it, or of those ABOVE it; on a device,
 * which need not say how many they are. */
static hed_status numbers_there(const char *op, int64_t n, int64_t m, int64_t k, bool above, int64_t total, hed_array **rows,
                                hed_array **columns)
{
  hed__exec ex;
  hed_array *mask = lower(op, n, m, k), *rest = mask && above ? hed_logical_not(mask) : NULL, *pairs = NULL;
  const hed_array *of = above ? rest : mask;
  hed_status status = of ? hed__plan(&ex, HED_OP_NONZERO, 1, &of) : hed_error();
  if (status == HED_OK) {
    pairs = hed__array_new(ex.device, HED_ID_INT64, 2, (const int64_t[]){ total, 2 });
    status = !pairs ? hed_error() : total == 0 ? HED_OK
             : hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &pairs, .compute = HED_ID_BOOL });
    hed__exec_end(&ex);
  }
  hed_array **const out[2] = { rows, columns };
  for (int q = 0; q < 2 && status == HED_OK; q++) {
    hed_array *list = hed_index(pairs, 1, q);
    status = (*out[q] = hed_copy(list)) ? HED_OK : hed_error();
    hed_release(list);
  }
  if (status != HED_OK) {
    hed_release(*rows);
    *rows = NULL;
  }
  hed_release(pairs);
  hed_release(mask);
  hed_release(rest);
  return status;
}

/* Row and column numbers of the elements of an N by M matrix below diagonal K and on it, or ABOVE it. */
static hed_status numbers_of(const char *op, int64_t n, int64_t m, int64_t k, bool above, hed_array **rows, hed_array **columns)
{
  hed_array **const out[2] = { rows, columns };
  hed_shape shape = { 2, { n, m } };
  for (int q = 0; q < 2; q++)
    if (out[q])
      *out[q] = NULL;
  if (!rows || !columns)
    return hed_fail(HED_E_INVAL, "%s: rows or columns is NULL", op);
  hed_status status = hed__check_shape(op, "shape", &shape, HED_ID_INT64);
  if (status != HED_OK)
    return status;
  k = k < -n ? -n : k > m ? m : k; /* beyond, nothing changes */
  int64_t total = 0, *at[2] = { NULL };
  hed__device *device = hed__current_device();
  if (!device)
    return hed_error();
  for (int64_t i = 0; i < n; i++) {
    const int64_t edge = i + k + 1 < 0 ? 0 : i + k + 1 > m ? m : i + k + 1;
    total += above ? m - edge : edge;
  }
  if (!device->host)
    return numbers_there(op, n, m, k, above, total, rows, columns);
  for (int q = 0; q < 2 && status == HED_OK; q++)
    if (!(*out[q] = hed__index_array_begin(device, 1, &total, &at[q])))
      status = hed_error();
  for (int64_t i = 0, e = 0; i < n && status == HED_OK; i++) {
    const int64_t edge = i + k + 1 < 0 ? 0 : i + k + 1 > m ? m : i + k + 1;
    for (int64_t j = above ? edge : 0; j < (above ? m : edge); j++, e++) {
      at[0][e] = i;
      at[1][e] = j;
    }
  }
  for (int q = 0; q < 2; q++)
    if (*out[q] && !(*out[q] = hed__index_array_end(*out[q], at[q])))
      status = hed_error();
  for (int q = 0; q < 2 && status != HED_OK; q++) {
    hed_release(*out[q]);
    *out[q] = NULL;
  }
  return status;
}

hed_status HED_BODY(tril_indices)(int64_t n, int64_t k, int64_t m, hed_array **rows, hed_array **columns)
{
  return numbers_of("tril_indices", n, m, k, false, rows, columns);
}

hed_status HED_BODY(triu_indices)(int64_t n, int64_t k, int64_t m, hed_array **rows, hed_array **columns)
{
  return numbers_of("triu_indices", n, m, k == INT64_MIN ? k : k - 1, true, rows, columns);
}
