// SPDX-License-Identifier: BSD-3-Clause
/* Where elements are: unravel_index, ravel_multi_index, nonzero by axes and of the flattened array; put_along_axis. L3.
 *
 * Numbers and coordinates are few next to the elements they name, so they are converted on the host, unless they are in the
 * memory of a device that checks them.
 */
#include "api/call/parts.h"
#include "api/index/index.h"

#include "core/memory/memory.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <string.h>

static void release_list(hed_array **list, int n)
{
  for (int k = 0; k < n; k++) {
    hed_release(list[k]);
    list[k] = NULL;
  }
}

/* ---- numbers and coordinates ---- */

/* LIST becomes its quotients by EXTENT, REST what is left. Floating-point quotients of integers below 2^53 are below the next
 * integer too, and take a fifth of the processor's time for those of 64 bits. */
static void divide(int64_t n, int64_t extent, bool near, int64_t *restrict list, int64_t *restrict rest)
{
  const double by = (double)extent;
  for (int64_t i = 0; near && i < n; i++) {
    const int64_t q = (int64_t)((double)list[i] / by);
    rest[i] = list[i] - q * extent;
    list[i] = q;
  }
  for (int64_t i = 0; !near && i < n; i++) {
    rest[i] = list[i] % extent;
    list[i] /= extent;
  }
}

/* On a device that checks indices. */
static hed_status unravel_there(const hed__exec *ex, const hed_array *indices, const hed_shape *shape, int64_t size,
                                hed_array **out)
{
  hed__parts f;
  hed_status status = hed__parts_begin(&f, ex);
  if (status != HED_OK)
    return status;
  const hed_array *rest = hed__indices_wrapped(ex, indices, size);
  for (int k = shape->ndim - 1; k > 0 && rest; k--) {
    const hed_array *extent = hed_scalar_int(shape->dim[k] ? shape->dim[k] : 1);
    if (!(out[k] = hed_keep(hed_mod(rest, extent))))
      break;
    rest = hed_floor_divide(rest, extent);
  }
  if (shape->ndim > 0 && rest)
    out[0] = hed_keep(hed_copy(rest));
  (void)hed__parts_end(&f, NULL);
  for (int k = 0; k < shape->ndim; k++)
    if (status == HED_OK && (!out[k] || !hed__scope_add(out[k])))
      status = out[k] ? hed_fail(HED_E_NOMEM, "scope: no memory for a result") : hed_error();
  return status;
}

hed_status HED_BODY(unravel_index)(const hed_array *indices, hed_shape shape, hed_array **out)
{
  const char *op = "unravel_index";
  if (!hed__given(indices, op, "indices"))
    return hed_error();
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  hed_status status = hed__check_shape(op, "shape", &shape, HED_ID_BOOL);
  if (status == HED_OK)
    status = hed__check_indices(op, "indices", indices);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < shape.ndim; k++)
    out[k] = NULL;
  hed__exec ex;
  if ((status = hed__plan(&ex, HED_OP_UNRAVEL_INDEX, 1, &indices)) != HED_OK)
    return status;
  int64_t n = 0, size = hed__shape_size(shape.ndim, shape.dim);
  const bool there = hed__checks_indices(&ex, ex.in[0], size);
  int64_t *list = there ? NULL : hed__read_indices(op, ex.in[0], &n);
  if (there)
    status = unravel_there(&ex, ex.in[0], &shape, size, out);
  else if (!list)
    status = hed_error();
  bool from_end = hed__id_kind(indices->view.dtype) == HED_KIND_INT;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    int64_t v = list[i] < 0 && from_end ? list[i] + size : list[i];
    if (v < 0 || v >= size)
      status = hed_fail(HED_E_INDEX, "%s: index %lld is out of range for shape %s with %lld elements", op,
                        (long long)list[i], HED__TEXT(&shape), (long long)size);
    list[i] = v;
  }
  for (int k = shape.ndim - 1; k >= 0 && status == HED_OK && !there; k--) {
    int64_t *part;
    out[k] = hed__index_array_begin(ex.device, indices->view.ndim, indices->view.dim, &part);
    if (out[k] && k == 0)
      memcpy(part, list, (size_t)n * sizeof *part);
    else if (out[k])
      divide(n, shape.dim[k], size < INT64_C(1) << 53, list, part);
    if (!out[k] || !(out[k] = hed__index_array_end(out[k], part)))
      status = hed_error();
  }
  if (status != HED_OK)
    release_list(out, shape.ndim);
  hed__buffer_free(list);
  hed__exec_end(&ex);
  return status;
}

hed_array *HED_BODY(ravel_multi_index)(int n, const hed_array *const *coordinates, hed_shape shape)
{
  const char *op = "ravel_multi_index";
  if (hed__check_shape(op, "shape", &shape, HED_ID_BOOL) != HED_OK)
    return NULL;
  if (n < 1 || n != shape.ndim || !coordinates) {
    hed_fail(HED_E_INVAL, "%s: %d coordinates for a shape with %d axes", op, coordinates ? n : 0, (int)shape.ndim);
    return NULL;
  }
  hed_shape all = { 0, { 0 } };
  for (int k = 0; k < n; k++) {
    if (!hed__given(coordinates[k], op, "coordinates") || hed__check_indices(op, "a coordinate", coordinates[k]) != HED_OK)
      return NULL;
    hed_shape s = hed__shape_of(coordinates[k]), both;
    if (!hed__broadcast(&all, &s, &both)) {
      hed_fail(HED_E_SHAPE, "%s: coordinates of shapes %s and %s do not broadcast", op, HED__TEXT(&all), HED__TEXT(&s));
      return NULL;
    }
    all = both;
  }
  hed__exec ex;
  if (hed__check_shape(op, "the result's shape", &all, HED_ID_INT64) != HED_OK ||
      hed__plan(&ex, HED_OP_RAVEL_MULTI_INDEX, n, coordinates) != HED_OK)
    return NULL;
  hed__index_term term[HED_MAX_NDIM];
  bool there = true;
  for (int k = 0; k < n; k++) {
    term[k] = (hed__index_term){ ex.in[k], shape.dim[k], k, false };
    there = there && hed__checks_indices(&ex, ex.in[k], shape.dim[k]);
  }
  if (there) {
    hed_array *numbers = hed__flat_indices(&ex, n, term);
    hed__exec_end(&ex);
    return numbers;
  }
  int64_t size = hed__shape_size(all.ndim, all.dim);
  int64_t *sum = hed__buffer_zeroed((size_t)size, sizeof *sum, op);
  hed_array *out = NULL;
  hed_status status = sum ? HED_OK : hed_error();
  for (int k = 0; k < n && status == HED_OK; k++) {
    int64_t count = 0;
    hed_array *whole = hed_broadcast_to(ex.in[k], all);
    int64_t *list = whole ? hed__read_indices(op, whole, &count) : NULL;
    status = list ? hed__wrap_indices(op, ex.in[k]->view.dtype, k, shape.dim[k], count, list) : hed_error();
    for (int64_t i = 0; i < size && status == HED_OK; i++)
      sum[i] = sum[i] * shape.dim[k] + list[i];
    hed__buffer_free(list);
    hed_release(whole);
  }
  if (status == HED_OK)
    out = hed__index_array(ex.device, all.ndim, all.dim, sum);
  hed__buffer_free(sum);
  hed__exec_end(&ex);
  return out;
}

/* ---- elements that are not 0 ---- */

hed_status HED_BODY(nonzero_axes)(const hed_array *x, hed_array **out)
{
  if (!hed__given(x, "nonzero_axes", "x"))
    return hed_error();
  if (!out || x->view.ndim == 0)
    return out ? hed_fail(HED_E_SHAPE, "nonzero_axes: x has 0 axes, at least 1 is needed")
               : hed_fail(HED_E_INVAL, "nonzero_axes: out is NULL");
  for (int k = 0; k < x->view.ndim; k++)
    out[k] = NULL;
  hed_array *rows = hed_nonzero(x);
  hed_status status = rows ? HED_OK : hed_error();
  for (int k = 0; k < x->view.ndim && status == HED_OK; k++) {
    hed_array *column = hed_index(rows, 1, k);
    out[k] = column ? hed_copy(column) : NULL;
    status = out[k] ? HED_OK : hed_error();
    hed_release(column);
  }
  if (status != HED_OK)
    release_list(out, x->view.ndim);
  hed_release(rows);
  return status;
}

hed_array *HED_BODY(flatnonzero)(const hed_array *x)
{
  if (!hed__given(x, "flatnonzero", "x"))
    return NULL;
  hed_array *flat = hed_ravel(x), *rows = flat ? hed_nonzero(flat) : NULL, *out = rows ? hed_index(rows, 1, 0) : NULL;
  hed_release(flat);
  hed_release(rows);
  return out;
}

/* ---- put_along_axis: every other axis is indexed by its own numbers ---- */

/* What indices along axis AT name: position by position of SHAPE, in C order, the number of an element of an X. */
typedef struct along {
  hed_shape shape;
  int at;
  const int64_t *list;              /* contiguous, of extents that broadcast to SHAPE; none is negative */
  int64_t number[HED_MAX_NDIM];     /* how far elements of X are apart, and those of LIST */
  int64_t step[HED_MAX_NDIM];
} along;

static void number_along(const void *arg, int64_t first, int64_t n, int64_t *to)
{
  const along *a = arg;
  const int last = a->shape.ndim - 1;
  const int64_t width = a->shape.dim[last], times = a->number[a->at], index = a->step[last], own = a->at == last ? 0 : 1;
  for (int64_t done = 0, m; done < n; done += m) {
    const int64_t begin = (first + done) % width;
    int64_t row = (first + done) / width, base = own * begin;
    const int64_t *list = a->list + index * begin;
    for (int k = last - 1; k >= 0; k--) {
      const int64_t i = row % a->shape.dim[k];
      row /= a->shape.dim[k];
      list += i * a->step[k];
      base += k == a->at ? 0 : i * a->number[k];
    }
    m = width - begin < n - done ? width - begin : n - done;
    if (index)
      for (int64_t i = 0; i < m; i++)
        to[done + i] = base + list[i] * times + i * own;
    else
      for (int64_t i = 0; i < m; i++)
        to[done + i] = base + list[0] * times + i * own;
  }
}

/* The elements of X that INDICES name along axis AT; HOST holds them, read, where they could not be used as they are. */
static hed_status select_along(const hed__exec *ex, const char *op, const hed_array *x, const hed_array *indices, int at,
                               hed__selection *s, along *a, int64_t **host)
{
  const hed_shape have = hed__shape_of(x), want = hed__shape_of(indices);
  *s = (hed__selection){ .base = x->view, .axes = have.ndim, .arrays = true, .index = have, .number = number_along, .arg = a };
  *a = (along){ .at = at };
  s->index.dim[at] = want.dim[at];
  s->shape = a->shape = s->index;
  hed_status status = hed__check_shape(op, "the shape of the selection", &s->shape, HED_ID_INT64);
  if (status != HED_OK)
    return status;
  s->n = hed__shape_size(s->shape.ndim, s->shape.dim);
  if (hed__checks_indices(ex, indices, have.dim[at])) {
    s->number = NULL;
    s->list = s->made = hed__number_along(ex, indices, at, have.ndim, have.dim);
    return s->made ? HED_OK : hed_error();
  }
  for (int64_t k = have.ndim - 1, numbers = 1, steps = 1; k >= 0; k--) {
    a->number[k] = numbers;
    a->step[k] = want.dim[k] == 1 ? 0 : steps;
    numbers *= have.dim[k];
    steps *= want.dim[k];
  }
  if (hed__indices_ready(ex->device, indices, have.dim[at]) && !hed__views_meet(&x->view, &indices->view)) {
    a->list = indices->view.data;
    return HED_OK;
  }
  int64_t count = 0;
  if (!(a->list = *host = hed__read_indices(op, indices, &count)))
    return hed_error();
  return hed__wrap_indices(op, indices->view.dtype, at, have.dim[at], count, *host);
}

hed_status HED_BODY(put_along_axis)(hed_array *x, const hed_array *indices, const hed_array *values, int32_t axis)
{
  const char *op = "put_along_axis";
  int at;
  if (!hed__given(x, op, "x") || !hed__given(indices, op, "indices") || !hed__given(values, op, "values") ||
      (at = hed__check_axis(op, "axis", axis, x->view.ndim)) < 0)
    return hed_error();
  hed_shape have = hed__shape_of(x), want = hed__shape_of(indices);
  bool fits = have.ndim == want.ndim;
  for (int k = 0; k < have.ndim && fits; k++)
    fits = k == at || want.dim[k] == have.dim[k] || want.dim[k] == 1;
  if (!fits)
    return hed_fail(HED_E_SHAPE, "%s: indices of shape %s do not fit x of shape %s along axis %d", op, HED__TEXT(&want),
                    HED__TEXT(&have), at);
  hed_status status = hed__check_indices(op, "indices", indices);
  if (status == HED_OK)
    status = hed__check_target(op, x);
  hed__exec ex;
  const hed_array *operands[3] = { x, indices, values };
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_PUT_ALONG_AXIS, 3, operands)) != HED_OK)
    return status;
  hed__selection s;
  along a;
  int64_t *host = NULL;
  status = select_along(&ex, op, x, ex.in[1], at, &s, &a, &host);
  if (status == HED_OK)
    status = hed__write(&ex, op, x, &s, ex.in[2], HED_SCATTER_SET);
  hed__selection_free(&s);
  hed__buffer_free(host);
  hed__exec_end(&ex);
  return status;
}
