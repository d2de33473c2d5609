// SPDX-License-Identifier: BSD-3-Clause
/* max_filter_coordinates: local maxima as coordinates. L3.
 *
 * An element is a maximum when it equals the largest value of the box round it, so every element of a plateau is one.
 * exclude_plateaus keeps, of elements of equal value that touch (by a face, an edge or a corner), the first in C order:
 * in host memory by uniting those on the list of coordinates; on a device each takes the least number of those it touches until
 * none changes. In boxes of 3 and more, maxima that touch are equal.
 */
#include "api/call/check.h"
#include "api/call/infer.h"

#include "composite/composed.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

static const char *const op = "max_filter_coordinates";
static const hed_peaks defaults;

/* X's elements, contiguous, in host memory (hed__buffer_free). */
static char *read_out(const hed_array *x)
{
  hed_view v = x->view;
  int64_t n = hed__view_size(&v), size = hed__id_size(v.dtype);
  char *raw = hed__buffer_new((size_t)(n * size), op);
  if (!raw)
    return NULL;
  v.data = raw;
  hed__c_strides(v.ndim, v.dim, size, v.stride);
  if (hed__copy_out(x, &v) == HED_OK)
    return raw;
  hed__buffer_free(raw);
  return NULL;
}

static int64_t root(int64_t *parent, int64_t k)
{
  while (parent[k] != k)
    k = parent[k] = parent[parent[k]];
  return k;
}

/* Position of FLAT in the ascending list, -1 when it is not there. */
static int64_t find(const int64_t *list, int64_t n, int64_t flat)
{
  int64_t low = 0, high = n;
  while (low < high) {
    int64_t mid = low + (high - low) / 2;
    if (list[mid] < flat)
      low = mid + 1;
    else
      high = mid;
  }
  return low < n && list[low] == flat ? low : -1;
}

/* Unites each element with the neighbours that come before it in C order: those whose first non-zero step is -1. */
static void unite(const hed_shape *s, const char *values, int64_t size, const int64_t *coords, const int64_t *flat,
                  int64_t n, int64_t *parent)
{
  int d = s->ndim;
  int64_t stride[HED_MAX_NDIM], steps = 1;
  hed__c_strides(d, s->dim, 1, stride);
  for (int j = 0; j < d; j++)
    steps *= 3;
  for (int64_t k = 0; k < n; k++)
    for (int64_t code = 0; code < steps / 2; code++) {
      int64_t rest = code, other = 0;
      bool inside = true;
      for (int j = d - 1; j >= 0; j--) {
        int64_t at = coords[k * d + j] + rest % 3 - 1;
        rest /= 3;
        inside = inside && at >= 0 && at < s->dim[j];
        other += at * stride[j];
      }
      int64_t m = inside ? find(flat, k, other) : -1;
      if (m >= 0 && memcmp(values + flat[k] * size, values + other * size, (size_t)size) == 0) {
        int64_t a = root(parent, k), b = root(parent, m);
        parent[a < b ? b : a] = a < b ? a : b;
      }
    }
}

static hed_array *without_plateaus(const hed_array *x, const hed_array *list)
{
  hed_shape s = hed__shape_of(x);
  int d = s.ndim;
  int64_t n = list->view.dim[0], kept = 0, stride[HED_MAX_NDIM];
  hed__c_strides(d, s.dim, 1, stride);
  char *values = read_out(x);
  int64_t *coords = values ? (int64_t *)(void *)read_out(list) : NULL;
  int64_t *flat = coords ? hed__buffer_zeroed((size_t)n, sizeof *flat, op) : NULL;
  int64_t *parent = flat ? hed__buffer_new((size_t)n * sizeof *parent, op) : NULL;
  hed_array *out = NULL;
  if (parent) {
    for (int64_t k = 0; k < n; k++) {
      parent[k] = k;
      for (int j = 0; j < d; j++)
        flat[k] += coords[k * d + j] * stride[j];
    }
    unite(&s, values, hed__id_size(x->view.dtype), coords, flat, n, parent);
    for (int64_t k = 0; k < n; k++)
      if (parent[k] == k)
        memmove(coords + d * kept++, coords + d * k, (size_t)d * sizeof *coords);
    out = hed_from_host(coords, HED_SHAPE(kept, d), HED_INT64);
  }
  hed__buffer_free(values);
  hed__buffer_free(coords);
  hed__buffer_free(flat);
  hed__buffer_free(parent);
  return out;
}

/* In a scope: HIT, where maxima are, without those that are not the first of their plateau. */
static hed_array *firsts(const hed_array *hit)
{
  const hed_filter inside = { .boundary = HED_BOUNDARY_NEAREST };
  const int64_t n = hed__view_size(&hit->view);
  const hed_array *none = hed_scalar_int(n), *last = hed_scalar_int(n - 1);
  hed_array *own = hed_reshape(hed_arange_int(0, n, 1, HED_INT64), hed__shape_of(hit)), *label = hed_where(hit, own, none);
  for (int64_t changed = 1; label && changed;) {
    hed_array *near = hed_where(hit, hed_minimum_filter(label, 3, &inside), none);
    hed_array *far = near ? hed_take(hed_ravel(near), hed_minimum(near, last), 0) : NULL; /* what that one has taken */
    hed_array *next = far ? hed_where(hit, hed_minimum(near, far), none) : NULL;
    hed_array *any = next ? hed_any(hed_not_equal(next, label), NULL) : NULL;
    label = any && hed_item_int(any, &changed) == HED_OK ? next : NULL;
  }
  return label ? hed_logical_and(hit, hed_equal(label, own)) : NULL;
}

hed_array *HED_BODY(max_filter_coordinates)(const hed_array *x, int64_t min_distance, const hed_peaks *opt)
{
  if (!hed__given(x, op, "x"))
    return NULL;
  if (!opt)
    opt = &defaults;
  if (hed__check_domain(op, hed__op_rows[HED_OP_MAX_FILTER_COORDINATES].domain, "x", x->view.dtype) != HED_OK)
    return NULL;
  if (min_distance < 1) {
    hed_fail(HED_E_INVAL, "%s: min_distance is %lld, at least 1 is needed", op, (long long)min_distance);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_MAX_FILTER_COORDINATES, 1, &x) != HED_OK)
    return NULL;
  const bool some = opt->exclude_plateaus && x->view.ndim > 0, there = some && !c.ex.device->host && min_distance >= 3;
  hed_array *top = hed_maximum_filter(c.ex.in[0], min_distance, opt->zero_border ? 0 : -INFINITY);
  hed_array *hit = top ? hed_equal(c.ex.in[0], top) : NULL;
  if (hit && there && hed__view_size(&x->view) > 0)
    hit = firsts(hit);
  hed_array *out = hit ? hed_nonzero(hit) : NULL;
  if (out && some && !there && out->view.dim[0] > 1)
    out = without_plateaus(c.ex.in[0], out);
  return composed_end(&c, out);
}
