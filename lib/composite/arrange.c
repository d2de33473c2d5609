// SPDX-License-Identifier: BSD-3-Clause
/* Joining by name, repetition of the whole, margins made from the array: vstack, hstack, dstack, tile, pad_with. L3. */
#include "api/call/check.h"
#include "api/call/movement.h"

#include "base/alloc.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- joining ---- */

/* Arrays with at least NDIM axes (1 in front of a vector's axis when FRONT), one axis more behind when BEHIND; joined along
 * AXIS. */
static hed_array *join(const char *op, int n, const hed_array *const *arrays, int32_t ndim, bool behind, int32_t axis)
{
  hed_array *out = NULL;
  if (n < 1 || !arrays) {
    hed_fail(HED_E_INVAL, "%s: %s", op, n < 1 ? "there are no arrays to join" : "arrays is NULL");
    return NULL;
  }
  hed_array **list = hed__calloc((size_t)n, sizeof *list);
  if (!list) {
    hed_fail(HED_E_NOMEM, "%s: no memory for a list of %d arrays", op, n);
    return NULL;
  }
  bool good = true;
  for (int k = 0; k < n && good; k++) {
    good = hed__given(arrays[k], op, "arrays");
    hed_array *wide = good ? hed_atleast_nd(arrays[k], ndim) : NULL;
    list[k] = wide && behind && wide->view.ndim == ndim ? hed_expand_dims(wide, -1) : hed_retain(wide);
    hed_release(wide);
    good = list[k] != NULL;
  }
  if (good && axis == 1 && list[0]->view.ndim == 1)
    axis = 0;
  if (good)
    out = hed_concatenate(n, (const hed_array *const *)list, axis);
  for (int k = 0; k < n; k++)
    hed_release(list[k]);
  hed__free(list);
  return out;
}

hed_array *HED_BODY(vstack)(int n, const hed_array *const *arrays)
{
  return join("vstack", n, arrays, 2, false, 0);
}

hed_array *HED_BODY(hstack)(int n, const hed_array *const *arrays)
{
  return join("hstack", n, arrays, 1, false, 1);
}

hed_array *HED_BODY(dstack)(int n, const hed_array *const *arrays)
{
  return join("dstack", n, arrays, 2, true, 2);
}

/* ---- tile: a copy of a broadcast, in which an axis of repeats stands before each that is repeated ---- */

/* What SHAPE says of X with REPS repeats of every axis (which may be 0) from the last down to the first that finds room; END is
 * moved to that one. SHAPE becomes what the result's is. */
static hed_array *repeated(const hed_array *x, const int64_t *reps, hed_shape *shape, int *end)
{
  hed_shape narrow = { 0, { 0 } }, wide = narrow;
  int begin = *end;
  for (int need = 2; begin > 0 && need + 2 <= HED_MAX_NDIM; need += 1 + (reps[begin] != 1))
    begin--;
  narrow.dim[narrow.ndim++] = wide.dim[wide.ndim++] = hed__shape_size(begin, shape->dim);
  for (int k = begin; k < *end; k++) {
    if (reps[k] != 1) {
      narrow.dim[narrow.ndim++] = 1;
      wide.dim[wide.ndim++] = reps[k];
    }
    narrow.dim[narrow.ndim++] = wide.dim[wide.ndim++] = shape->dim[k];
  }
  narrow.dim[narrow.ndim++] = wide.dim[wide.ndim++] = hed__shape_size(shape->ndim - *end, shape->dim + *end);
  for (int k = begin; k < *end; k++)
    shape->dim[k] *= reps[k];
  *end = begin;
  hed_array *flat = hed_reshape(x, narrow), *broad = flat ? hed_broadcast_to(flat, wide) : NULL;
  hed_array *copy = broad ? hed_copy(broad) : NULL, *out = copy ? hed_reshape(copy, *shape) : NULL;
  hed_release(flat);
  hed_release(broad);
  hed_release(copy);
  return out;
}

hed_array *HED_BODY(tile)(const hed_array *x, hed_shape reps)
{
  if (!hed__given(x, "tile", "x"))
    return NULL;
  if (reps.ndim < 0 || reps.ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "tile: reps has %d values, 0 to %d are possible", (int)reps.ndim, HED_MAX_NDIM);
    return NULL;
  }
  int ndim = reps.ndim > x->view.ndim ? reps.ndim : x->view.ndim;
  int64_t by_axis[HED_MAX_NDIM];
  hed_shape shape = { .ndim = ndim };
  for (int k = 0; k < ndim; k++) {
    int from = k - (ndim - x->view.ndim), by = k - (ndim - reps.ndim);
    int64_t r = by_axis[k] = by < 0 ? 1 : reps.dim[by];
    shape.dim[k] = from < 0 ? 1 : x->view.dim[from];
    if (r < 0 || __builtin_mul_overflow(shape.dim[k], r, &shape.dim[k])) {
      hed_fail(HED_E_SHAPE, "tile: %lld repeats of axis %d with extent %lld are negative or too many", (long long)r, k,
               from < 0 ? 1LL : (long long)x->view.dim[from]);
      return NULL;
    }
  }
  if (hed__check_shape("tile", "the result's shape", &shape, x->view.dtype) != HED_OK)
    return NULL;
  hed__exec ex;
  hed__forced forced;
  if (hed__plan(&ex, HED_OP_TILE, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed_array *part = hed_atleast_nd(ex.in[0], ndim);
    hed_shape now = part ? hed__shape_of(part) : shape;
    if (hed__shape_equal(ndim, now.dim, ndim, shape.dim))
      out = part ? hed_copy(part) : NULL;
    for (int end = ndim; end > 0 && part && !out;) {
      hed_array *more = repeated(part, by_axis, &now, &end);
      hed_release(part);
      part = more;
    }
    if (!out) {
      out = part;
      part = NULL;
    }
    hed_release(part);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

/* ---- margins ---- */

/* An axis of a result: N elements of it begin at LOW, and END is its extent. V: other axes as far as they are filled. */
typedef struct margin {
  const hed__exec *ex;
  hed_array *out;
  hed_view v;
  int axis;
  int64_t low, n, end;
} margin;

/* COUNT elements from TO on become those from FROM on, in steps of STEP. */
static hed_status copy_run(const margin *m, int64_t to, int64_t from, int64_t count, int64_t step)
{
  hed_view d = m->v, s = m->v;
  hed__narrow(&d, m->axis, to, count, 1);
  hed__narrow(&s, m->axis, from, count, step);
  return count > 0 ? hed__move(m->ex, m->out, &d, m->out, &s) : HED_OK;
}

/* From elements of the axis itself: mirrored at its ends first, until there is a whole period, and as many periods as there are
 * from then on. */
static hed_status fill_margin(const margin *m, hed_pad_mode mode)
{
  const int64_t n = m->n, skip = mode == HED_PAD_REFLECT, period = mode == HED_PAD_WRAP ? n : 2 * (n - skip);
  int64_t low = m->low, high = low + n;
  hed_status status = HED_OK;
  if (mode == HED_PAD_EDGE || period == 0) {
    status = copy_run(m, 0, low, low, 0);
    return status == HED_OK ? copy_run(m, high, high - 1, m->end - high, 0) : status;
  }
  while (low > 0 && status == HED_OK) {
    const int64_t shift = (high - low) / period * period, most = shift ? shift : n - skip, count = low < most ? low : most;
    status = shift ? copy_run(m, low - count, low - count + shift, count, 1)
                   : copy_run(m, low - count, low + skip + count - 1, count, -1);
    low -= count;
  }
  while (high < m->end && status == HED_OK) {
    const int64_t shift = (high - low) / period * period, most = shift ? shift : n - skip, left = m->end - high;
    const int64_t count = left < most ? left : most;
    status = shift ? copy_run(m, high, high - shift, count, 1) : copy_run(m, high, high - 1 - skip, count, -1);
    high += count;
  }
  return status;
}

/* COUNT elements of V along AXIS that make its margin, at the END or the beginning; false when it takes more than one run of them. */
static bool margin_of(hed_view *v, int axis, int64_t count, bool end, hed_pad_mode mode)
{
  const int64_t n = v->dim[axis], skip = mode == HED_PAD_REFLECT, far = end ? n - 1 : 0;
  switch (mode) {
  case HED_PAD_EDGE:
    hed__narrow(v, axis, far, count, 0);
    return n > 0;
  case HED_PAD_WRAP:
    hed__narrow(v, axis, end ? 0 : n - count, count, 1);
    return count <= n;
  default:
    hed__narrow(v, axis, end ? n - 1 - skip : skip + count - 1, count, -1);
    return count <= n - skip;
  }
}

/* Rows of the last axis with their margins, to ROWS of OUT, by a kernel that joins, which makes each row at once. False: there is
 * none, or margins are wider than it can make them; nothing was done. */
static bool whole_rows(const hed__exec *ex, hed_array *out, const hed_view *rows, int64_t before, int64_t after, hed_pad_mode mode,
                       hed_status *status)
{
  const hed_array *x = ex->in[0], *const in[3] = { x, x, x };
  const int axis = x->view.ndim - 1, compute = hed__compute_of(x->view.dtype);
  const hed_concatenate_params params = { .axis = axis };
  hed_view v[2] = { x->view, x->view };
  const hed_view *in_view[3];
  int32_t n = 0;
  if (!hed__native(ex, HED_OP_CONCATENATE, compute) || !margin_of(&v[0], axis, before, false, mode)
      || !margin_of(&v[1], axis, after, true, mode))
    return false;
  if (before > 0)
    in_view[n++] = &v[0];
  in_view[n++] = &x->view;
  if (after > 0)
    in_view[n++] = &v[1];
  *status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = n, .out = &out, .in = in, .out_view = &rows, .in_view = in_view,
                                         .params = &params, .compute = compute, .op = 1 + HED_OP_CONCATENATE });
  return true;
}

hed_array *HED_BODY(pad_with)(const hed_array *x, hed_shape before, hed_shape after, hed_pad_mode mode, double value)
{
  const char *op = "pad_with";
  if (!hed__given(x, op, "x"))
    return NULL;
  if (mode < HED_PAD_CONSTANT || mode > HED_PAD_WRAP) {
    hed_fail(HED_E_INVAL, "%s: mode is %d, HED_PAD_CONSTANT (%d) to HED_PAD_WRAP (%d) are possible", op, (int)mode, HED_PAD_CONSTANT,
             HED_PAD_WRAP);
    return NULL;
  }
  if (mode == HED_PAD_CONSTANT)
    return hed_pad(x, before, after, value);
  hed_shape shape = hed__shape_of(x);
  if (before.ndim != shape.ndim || after.ndim != shape.ndim) {
    hed_fail(HED_E_SHAPE, "%s: before has %d values and after %d for an array with %d axes", op, (int)before.ndim,
             (int)after.ndim, (int)shape.ndim);
    return NULL;
  }
  for (int k = 0; k < shape.ndim; k++) {
    int64_t b = before.dim[k], a = after.dim[k];
    if (b < 0 || a < 0 || __builtin_add_overflow(shape.dim[k], b, &shape.dim[k]) ||
        __builtin_add_overflow(shape.dim[k], a, &shape.dim[k]) || (x->view.dim[k] == 0 && (b || a))) {
      hed_fail(HED_E_SHAPE, "%s: %lld before and %lld after axis %d with extent %lld are negative, too many or have nothing "
               "to come from", op, (long long)b, (long long)a, k, (long long)x->view.dim[k]);
      return NULL;
    }
  }
  if (hed__check_shape(op, "the result's shape", &shape, x->view.dtype) != HED_OK)
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_PAD_WITH, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim);
  hed_status status = out ? HED_OK : hed_error();
  if (out) {
    margin m = { .ex = &ex, .out = out, .v = out->view };
    int last = shape.ndim - 1; /* of the axes whose margins are still to come */
    for (int k = 0; k < last; k++)
      hed__narrow(&m.v, k, before.dim[k], x->view.dim[k], 1);
    if (last > 0 && x->size > 0 && whole_rows(&ex, out, &m.v, before.dim[last], after.dim[last], mode, &status)) {
      last--;
    } else {
      if (last >= 0)
        hed__narrow(&m.v, last, before.dim[last], x->view.dim[last], 1);
      status = hed__move(&ex, out, &m.v, ex.in[0], &ex.in[0]->view);
    }
    for (int k = last; k >= 0 && status == HED_OK; k--) {
      m.axis = k;
      m.low = before.dim[k];
      m.n = x->view.dim[k];
      m.end = shape.dim[k];
      if (m.n > 0)
        hed__narrow(&m.v, k, -m.low, m.end, 1);
      status = m.n > 0 ? fill_margin(&m, mode) : HED_OK;
    }
  }
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}
