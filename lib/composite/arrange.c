// SPDX-License-Identifier: BSD-3-Clause
/*
 * Joining by name, repetition of the whole, margins made from the array: vstack, hstack, dstack, tile, pad_with. L3.
 */
#include "api/check.h"

#include "base/alloc.h"
#include "core/memory.h"
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

hed_array *hed_vstack(int n, const hed_array *const *arrays)
{
  return join("vstack", n, arrays, 2, false, 0);
}

hed_array *hed_hstack(int n, const hed_array *const *arrays)
{
  return join("hstack", n, arrays, 1, false, 1);
}

hed_array *hed_dstack(int n, const hed_array *const *arrays)
{
  return join("dstack", n, arrays, 2, true, 2);
}

/* ---- tile: axis by axis from the last, each a broadcast (before, r, axis and behind) ---- */

hed_array *hed_tile(const hed_array *x, hed_shape reps)
{
  if (!hed__given(x, "tile", "x"))
    return NULL;
  if (reps.ndim < 0 || reps.ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "tile: reps has %d values, 0 to %d are possible", (int)reps.ndim, HED_MAX_NDIM);
    return NULL;
  }
  int ndim = reps.ndim > x->view.ndim ? reps.ndim : x->view.ndim;
  hed_shape shape = { .ndim = ndim }, now;
  for (int k = 0; k < ndim; k++) {
    int from = k - (ndim - x->view.ndim), by = k - (ndim - reps.ndim);
    int64_t r = by < 0 ? 1 : reps.dim[by];
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
    now = part ? hed__shape_of(part) : shape;
    for (int k = ndim - 1; k >= 0 && part; k--) {
      int by = k - (ndim - reps.ndim);
      int64_t r = by < 0 ? 1 : reps.dim[by];
      if (r == 1)
        continue;
      int64_t before = hed__shape_size(k, now.dim), behind = hed__shape_size(ndim - k, now.dim + k);
      now.dim[k] *= r;
      hed_array *flat = hed_reshape(part, HED_SHAPE(before, 1, behind));
      hed_array *wide = flat ? hed_broadcast_to(flat, HED_SHAPE(before, r, behind)) : NULL;
      hed_release(part);
      part = wide ? hed_reshape(wide, now) : NULL;
      hed_release(flat);
      hed_release(wide);
    }
    out = part ? hed_copy(part) : NULL;
    hed_release(part);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

/* ---- margins ---- */

static int64_t modulo(int64_t a, int64_t n)
{
  int64_t r = a % n;
  return r < 0 ? r + n : r;
}

/* The element of an axis of extent N > 0 that stands at P, which may lie outside. */
static int64_t origin(hed_pad_mode mode, int64_t p, int64_t n)
{
  int64_t m;
  switch (mode) {
  case HED_PAD_EDGE:
    return p < 0 ? 0 : p >= n ? n - 1 : p;
  case HED_PAD_WRAP:
    return modulo(p, n);
  case HED_PAD_SYMMETRIC:
    m = modulo(p, 2 * n);
    return m < n ? m : 2 * n - 1 - m;
  default:
    m = n == 1 ? 0 : modulo(p, 2 * n - 2);
    return m < n ? m : 2 * n - 2 - m;
  }
}

/* X with a margin on axis AT: a selection of its elements. */
static hed_array *margin(const hed_array *x, int at, int64_t before, int64_t after, hed_pad_mode mode)
{
  int64_t n = x->view.dim[at], count = before + n + after;
  int64_t *list = hed__buffer_new((size_t)count * sizeof *list, "pad_with");
  if (!list)
    return NULL;
  for (int64_t k = 0; k < count; k++)
    list[k] = origin(mode, k - before, n);
  hed_array *index = hed_from_host(list, HED_SHAPE(count), HED_INT64), *out = index ? hed_take(x, index, at) : NULL;
  hed_release(index);
  hed__buffer_free(list);
  return out;
}

hed_array *hed_pad_with(const hed_array *x, hed_shape before, hed_shape after, hed_pad_mode mode, double value)
{
  const char *op = "pad_with";
  if (!hed__given(x, op, "x"))
    return NULL;
  if (mode < HED_PAD_CONSTANT || mode > HED_PAD_WRAP) {
    hed_fail(HED_E_INVAL, "%s: mode is %d, which does not exist", op, (int)mode);
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
  if (hed__check_shape(op, "the result's shape", &shape, x->view.dtype) != HED_OK ||
      hed__check_shape(op, "the result's shape", &shape, HED_ID_INT64) != HED_OK)
    return NULL;
  hed__exec ex;
  hed__forced forced;
  if (hed__plan(&ex, HED_OP_PAD_WITH, 1, &x) != HED_OK)
    return NULL;
  hed_array *part = NULL;
  bool fresh = false;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    part = hed__array_view(ex.in[0], &ex.in[0]->view);
    for (int k = 0; k < shape.ndim && part; k++)
      if (before.dim[k] || after.dim[k]) {
        hed_array *wider = margin(part, k, before.dim[k], after.dim[k], mode);
        hed_release(part);
        part = wider;
        fresh = true;
      }
    if (part && !fresh) {
      hed_array *copy = hed_copy(part);
      hed_release(part);
      part = copy;
    }
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return part;
}
