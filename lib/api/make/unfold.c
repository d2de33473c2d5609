// SPDX-License-Identifier: BSD-3-Clause
/* Tensors as matrices and back: unfold, fold, vec, matricize, and the forms that leave axes at both ends alone. L3.
 *
 * Mode n unfolding is reshape(moveaxis(x, n, 0), (I_n, -1)): columns run in C order over the other modes (T. G. Kolda, B. W.
 * Bader, Tensor Decompositions and Applications, SIAM Review 51(3), 2009, has them in Fortran order).
 */
#include "api/call/check.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <string.h>

/* reshape(moveaxis(x, from, to), shape) */
static hed_array *moved_and_reshaped(const hed_array *x, int from, int to, hed_shape shape)
{
  hed_array *moved = hed_moveaxis(x, from, to), *out = moved ? hed_reshape(moved, shape) : NULL;
  hed_release(moved);
  return out;
}

static int64_t product(const hed_array *x, int first, int end)
{
  return hed__shape_size(end - first, x->view.dim + first);
}

hed_array *HED_BODY(partial_unfold)(const hed_array *x, int32_t mode, int32_t skip_begin, int32_t skip_end, bool ravel)
{
  const char *op = "partial_unfold";
  if (!hed__given(x, op, "x"))
    return NULL;
  const int ndim = x->view.ndim;
  int at;
  if (skip_begin < 0 || skip_end < 0 || skip_begin >= ndim || skip_end >= ndim - skip_begin) {
    hed_fail(HED_E_SHAPE, "%s: %d axes skipped at the begin and %d at the end of %d", op, (int)skip_begin, (int)skip_end,
             ndim);
    return NULL;
  }
  if ((at = hed__check_axis(op, "mode", mode, ndim - skip_begin - skip_end)) < 0)
    return NULL;
  hed_shape shape = { 0, { 0 } };
  int64_t all = product(x, skip_begin, ndim - skip_end), rows = x->view.dim[skip_begin + at];
  int64_t columns = product(x, skip_begin, skip_begin + at) * product(x, skip_begin + at + 1, ndim - skip_end);
  for (int k = 0; k < skip_begin; k++)
    shape.dim[shape.ndim++] = x->view.dim[k];
  if (ravel) {
    shape.dim[shape.ndim++] = all;
  } else {
    shape.dim[shape.ndim++] = rows;
    if (shape.ndim + skip_end == HED_MAX_NDIM) {
      hed_fail(HED_E_SHAPE, "%s: the result would have more than %d axes", op, HED_MAX_NDIM);
      return NULL;
    }
    shape.dim[shape.ndim++] = columns;
  }
  for (int k = ndim - skip_end; k < ndim; k++)
    shape.dim[shape.ndim++] = x->view.dim[k];
  return moved_and_reshaped(x, skip_begin + at, skip_begin, shape);
}

hed_array *HED_BODY(unfold)(const hed_array *x, int32_t mode)
{
  if (!hed__given(x, "unfold", "x") || hed__check_axis("unfold", "mode", mode, x->view.ndim) < 0)
    return NULL;
  return hed_partial_unfold(x, mode, 0, 0, false);
}

hed_array *HED_BODY(vec)(const hed_array *x)
{
  return hed__given(x, "vec", "x") ? hed_ravel(x) : NULL;
}

hed_array *HED_BODY(partial_vec)(const hed_array *x, int32_t skip_begin, int32_t skip_end)
{
  return hed_partial_unfold(x, 0, skip_begin, skip_end, true);
}

hed_array *HED_BODY(partial_fold)(const hed_array *x, int32_t mode, hed_shape shape, int32_t skip_begin)
{
  const char *op = "partial_fold";
  if (!hed__given(x, op, "x") || hed__check_shape(op, "shape", &shape, x->view.dtype) != HED_OK)
    return NULL;
  if (skip_begin < 0 || skip_begin >= shape.ndim) {
    hed_fail(HED_E_SHAPE, "%s: %d axes skipped of a shape with %d", op, (int)skip_begin, (int)shape.ndim);
    return NULL;
  }
  int at = hed__check_axis(op, "mode", mode, shape.ndim - skip_begin);
  if (at < 0)
    return NULL;
  at += skip_begin;
  hed_shape have = hed__shape_of(x), moved = shape;
  if (hed__shape_size(shape.ndim, shape.dim) != hed__view_size(&x->view)) {
    hed_fail(HED_E_SHAPE, "%s: x of shape %s does not fold to %s", op, HED__TEXT(&have), HED__TEXT(&shape));
    return NULL;
  }
  memmove(moved.dim + skip_begin + 1, shape.dim + skip_begin, (size_t)(at - skip_begin) * sizeof shape.dim[0]);
  moved.dim[skip_begin] = shape.dim[at];
  hed_array *whole = hed_reshape(x, moved), *out = whole ? hed_moveaxis(whole, skip_begin, at) : NULL;
  hed_release(whole);
  return out;
}

hed_array *HED_BODY(fold)(const hed_array *x, int32_t mode, hed_shape shape)
{
  return hed_partial_fold(x, mode, shape, 0);
}

hed_array *HED_BODY(matricize)(const hed_array *x, const hed_axes *row_modes, const hed_axes *column_modes)
{
  const char *op = "matricize";
  uint32_t rows, columns = 0;
  if (!hed__given(x, op, "x"))
    return NULL;
  int ndim = x->view.ndim;
  if (!row_modes || row_modes->n < 1) {
    hed_fail(HED_E_INVAL, "%s: there are no row modes", op);
    return NULL;
  }
  if (hed__check_axes(op, row_modes, ndim, &rows) != HED_OK)
    return NULL;
  hed_axes order = *row_modes;
  if (column_modes && column_modes->n > 0) {
    if (hed__check_axes(op, column_modes, ndim, &columns) != HED_OK)
      return NULL;
    if ((rows & columns) || row_modes->n + column_modes->n != ndim) {
      hed_fail(HED_E_SHAPE, "%s: %d row modes and %d column modes are not the %d axes of x", op, (int)row_modes->n,
               (int)column_modes->n, ndim);
      return NULL;
    }
    for (int k = 0; k < column_modes->n; k++)
      order.axis[order.n++] = column_modes->axis[k];
  } else {
    for (int k = 0; k < ndim; k++)
      if (!(rows >> k & 1u))
        order.axis[order.n++] = k;
  }
  hed_shape shape = { 2, { 1, 1 } };
  for (int k = 0; k < ndim; k++)
    shape.dim[rows >> k & 1u ? 0 : 1] *= x->view.dim[k];
  hed_array *turned = hed_transpose(x, &order), *out = turned ? hed_reshape(turned, shape) : NULL;
  hed_release(turned);
  return out;
}
