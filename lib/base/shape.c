// SPDX-License-Identifier: BSD-3-Clause
/* Shapes and strides: counting, broadcasting, axes, extents, reshaping, text. L0.
 *
 * Views that come in are valid: ndim in [0, HED_MAX_NDIM], extents not negative, extents and byte offsets as hed__shape_fits
 * and hed__layout_fits have them. Whoever makes a view from outside checks that; nothing here overflows then.
 */
#include "base/shape.h"
#include "base/dtype.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* SIZE times the extents, where 1 stands for 0: strides along the others are products too. -1: one is negative, or it does not
 * fit. */
static inline int64_t product(int32_t ndim, const int64_t *dim, int64_t size, bool *empty)
{
  for (int32_t k = 0; k < ndim; k++) {
    *empty |= dim[k] == 0;
    if (dim[k] < 0 || __builtin_mul_overflow(size, dim[k] ? dim[k] : 1, &size))
      return -1;
  }
  return size;
}

int64_t hed__shape_size(int32_t ndim, const int64_t *dim)
{
  bool empty = false;
  const int64_t n = product(ndim, dim, 1, &empty);
  return empty && n > 0 ? 0 : n;
}

bool hed__shape_fits(int32_t ndim, const int64_t *dim, int64_t size)
{
  bool empty = false;
  return product(ndim, dim, size, &empty) >= 0;
}

int64_t hed__view_size(const hed_view *v)
{
  return hed__shape_size(v->ndim, v->dim);
}

bool hed__shape_equal(int32_t na, const int64_t *a, int32_t nb, const int64_t *b)
{
  if (na != nb)
    return false;
  for (int32_t k = 0; k < na; k++)
    if (a[k] != b[k])
      return false;
  return true;
}

void hed__c_strides(int32_t ndim, const int64_t *dim, int64_t size, int64_t *stride)
{
  for (int32_t k = ndim - 1; k >= 0; k--) {
    stride[k] = size;
    size = (int64_t)((uint64_t)size * (uint64_t)(dim[k] > 0 ? dim[k] : 1)); /* may wrap where there are no elements */
  }
}

bool hed__is_c_contiguous(const hed_view *v)
{
  int64_t want = hed__id_size(v->dtype);
  bool dense = true;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    if (v->dim[k] == 0)
      return true;
    if (v->dim[k] != 1) /* windows that overlap may hold more elements than can be counted */
      dense = dense && v->stride[k] == want && !__builtin_mul_overflow(want, v->dim[k], &want);
  }
  return dense;
}

bool hed__is_single(int32_t ndim, const int64_t *dim, const int64_t *stride)
{
  bool yes = true;
  for (int32_t k = 0; k < ndim; k++)
    yes &= stride[k] == 0 || dim[k] == 1;
  return yes;
}

/* ---- broadcasting ---- */

bool hed__broadcast(const hed_shape *a, const hed_shape *b, hed_shape *out)
{
  hed_shape r = { .ndim = a->ndim > b->ndim ? a->ndim : b->ndim };
  for (int32_t k = 1; k <= r.ndim; k++) { /* k-th axis from the end */
    int64_t da = k <= a->ndim ? a->dim[a->ndim - k] : 1, db = k <= b->ndim ? b->dim[b->ndim - k] : 1;
    if (da != db && da != 1 && db != 1)
      return false;
    r.dim[r.ndim - k] = da == 1 ? db : da;
  }
  *out = r;
  return true;
}

bool hed__broadcast_view(const hed_view *v, int32_t ndim, const int64_t *dim, hed_view *out)
{
  int32_t lead = ndim - v->ndim;
  if (lead < 0 || ndim > HED_MAX_NDIM)
    return false;
  for (int32_t k = lead; k < ndim; k++)
    if (v->dim[k - lead] != dim[k] && v->dim[k - lead] != 1)
      return false;
  out->data = v->data;
  out->dtype = v->dtype;
  out->ndim = ndim;
  for (int32_t k = 0; k < ndim; k++) {
    out->dim[k] = dim[k];
    out->stride[k] = k >= lead && v->dim[k - lead] == dim[k] ? v->stride[k - lead] : 0;
  }
  return true;
}

/* ---- axes ---- */

int32_t hed__axis(int32_t axis, int32_t ndim)
{
  if (axis < -ndim || axis >= ndim)
    return -1;
  return axis < 0 ? axis + ndim : axis;
}

bool hed__axes_mask(const hed_axes *axes, int32_t ndim, uint32_t *mask, int32_t *bad)
{
  uint32_t set = 0;
  if (axes->n == 0)
    set = (1u << ndim) - 1;
  for (int32_t k = 0; k < axes->n; k++) {
    int32_t axis = hed__axis(axes->axis[k], ndim);
    if (axis < 0 || (set >> axis & 1u)) {
      *bad = axes->axis[k];
      return false;
    }
    set |= 1u << axis;
  }
  *mask = set;
  return true;
}

/* ---- where a view lies ---- */

bool hed__layout_fits(const hed_view *v, int32_t *bad)
{
  int64_t low = 0, high = hed__id_size(v->dtype), all;
  for (int32_t k = 0; k < v->ndim; k++) {
    int64_t reach = 0;
    *bad = k;
    if (v->stride[k] == INT64_MIN || __builtin_mul_overflow(v->stride[k], v->dim[k] > 1 ? v->dim[k] : 1, &all))
      return false;
    if (v->dim[k] > 1)
      reach = (v->dim[k] - 1) * v->stride[k];
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
      return false;
  }
  *bad = -1;
  if (high > HED__MOST_OFFSET || low < -HED__MOST_OFFSET)
    return false;
  const uintptr_t at = (uintptr_t)v->data;
  return hed__view_size(v) == 0 || ((uintptr_t)-low <= at && (uintptr_t)high <= UINTPTR_MAX - at);
}

hed_view hed__view_without(const hed_view *v, int32_t from, int32_t count)
{
  hed_view r = { .data = v->data, .dtype = v->dtype };
  for (int32_t k = 0; k < v->ndim; k++)
    if (k < from || k >= from + count) {
      r.dim[r.ndim] = v->dim[k];
      r.stride[r.ndim++] = v->stride[k];
    }
  return r;
}

void hed__view_extent(const hed_view *v, int64_t *low, int64_t *high)
{
  int64_t lo = 0, hi = hed__id_size(v->dtype);
  *low = *high = 0;
  if (hed__view_size(v) == 0)
    return;
  for (int32_t k = 0; k < v->ndim; k++) {
    int64_t reach = (v->dim[k] - 1) * v->stride[k];
    if (reach < 0)
      lo += reach;
    else
      hi += reach;
  }
  *low = lo;
  *high = hi;
}

bool hed__may_overlap(const hed_view *a, const hed_view *b)
{
  int64_t alow, ahigh, blow, bhigh;
  hed__view_extent(a, &alow, &ahigh);
  hed__view_extent(b, &blow, &bhigh);
  uintptr_t pa = (uintptr_t)a->data, pb = (uintptr_t)b->data;
  return alow != ahigh && blow != bhigh && pa + (uintptr_t)alow < pb + (uintptr_t)bhigh &&
         pb + (uintptr_t)blow < pa + (uintptr_t)ahigh;
}

bool hed__lies_as(const hed_view *a, const hed_view *b)
{
  bool same = a->dtype == b->dtype && hed__shape_equal(a->ndim, a->dim, b->ndim, b->dim);
  for (int32_t k = 0; same && k < a->ndim; k++)
    same = a->stride[k] == b->stride[k] || a->dim[k] < 2;
  return same;
}

bool hed__same_view(const hed_view *a, const hed_view *b) { return a->data == b->data && hed__lies_as(a, b); }

/* ---- reshaping ---- */

/* Groups of old and new axes that cover the same number of elements are matched from the left; a group of old axes
 * can be split anew when its elements are evenly spaced in C order. */
bool hed__reshape_strides(const hed_view *v, int32_t ndim, const int64_t *dim, int64_t *stride)
{
  if (hed__view_size(v) == 0) {
    hed__c_strides(ndim, dim, hed__id_size(v->dtype), stride);
    return true;
  }
  int64_t old_dim[HED_MAX_NDIM], old_stride[HED_MAX_NDIM];
  int32_t n_old = 0, o = 0, k = 0;
  for (int32_t j = 0; j < v->ndim; j++)
    if (v->dim[j] != 1) {
      old_dim[n_old] = v->dim[j];
      old_stride[n_old++] = v->stride[j];
    }
  while (o < n_old) {
    int32_t o_end = o + 1, k_end = k;
    int64_t have = old_dim[o], want = 1;
    while (want < have || want == 1)
      want *= dim[k_end++];
    while (want != have)
      if (want < have)
        want *= dim[k_end++];
      else
        have *= old_dim[o_end++];
    for (int32_t j = o; j + 1 < o_end; j++)
      if (old_stride[j] != old_stride[j + 1] * old_dim[j + 1])
        return false;
    int64_t step = old_stride[o_end - 1];
    for (int32_t j = k_end - 1; j >= k; j--) {
      stride[j] = step;
      step *= dim[j];
    }
    o = o_end;
    k = k_end;
  }
  for (; k < ndim; k++) /* trailing axes of extent 1 */
    stride[k] = hed__id_size(v->dtype);
  return true;
}

/* ---- text ---- */

char *hed__shape_text(int32_t ndim, const int64_t *dim, char *buf, size_t cap)
{
  size_t used = 0;
  if (cap == 0)
    return buf;
  buf[0] = '\0';
  for (int32_t k = -1; k <= ndim && used < cap; k++) {
    int n;
    if (k < 0)
      n = snprintf(buf + used, cap - used, "(");
    else if (k == ndim)
      n = snprintf(buf + used, cap - used, ndim == 1 ? ",)" : ")");
    else
      n = snprintf(buf + used, cap - used, k ? ", %" PRId64 : "%" PRId64, dim[k]);
    used += n > 0 ? (size_t)n : 0;
  }
  return buf;
}
