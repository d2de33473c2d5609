// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/shape and nest: against index arithmetic written out, on random shapes and layouts. */
#include "base/dtype.h"
#include "base/nest.h"
#include "base/shape.h"
#include "gen.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static gen g;

static hed_view random_view(int max_ndim, bool zeros)
{
  hed_view v = { .dtype = (int32_t)gen_below(&g, HED_ID_CONCRETE_COUNT_) };
  gen_layout l;
  v.ndim = gen_shape(&g, max_ndim, 6, MOST, zeros, v.dim);
  gen_layout_any(&g, v.ndim, v.dim, (size_t)hed__id_size(v.dtype), true, true, &l);
  memcpy(v.stride, l.stride, sizeof v.stride);
  v.data = (char *)(uintptr_t)(1 << 20); /* never read */
  return v;
}

/* Byte offset of the k-th element in C order. */
static int64_t at(const hed_view *v, int64_t k)
{
  int64_t offset = 0;
  for (int i = v->ndim - 1; i >= 0; i--) {
    offset += k % v->dim[i] * v->stride[i];
    k /= v->dim[i];
  }
  return offset;
}

static void counts(void)
{
  is_int(hed__shape_size(0, NULL), 1, "size of a 0-d shape");
  is_int(hed__shape_size(3, (int64_t[]){ 2, 3, 4 }), 24, "size of (2, 3, 4)");
  is_int(hed__shape_size(2, (int64_t[]){ 2, -1 }), -1, "negative extent");
  is_int(hed__shape_size(2, (int64_t[]){ INT64_MAX, 2 }), -1, "overflow");
  is_int(hed__shape_size(3, (int64_t[]){ INT64_MAX, 2, 0 }), -1, "nothing times too much has no strides");
  is_int(hed__shape_size(3, (int64_t[]){ 0, INT64_MAX, 1 }), 0, "nothing times much is nothing");
  ok(hed__shape_fits(2, (int64_t[]){ 0, INT64_MAX / 8 }, 8) && !hed__shape_fits(2, (int64_t[]){ 0, INT64_MAX / 8 + 1 }, 8),
     "strides of elements of 8 bytes");
  ok(hed__shape_equal(2, (int64_t[]){ 1, 2 }, 2, (int64_t[]){ 1, 2 }) &&
         !hed__shape_equal(2, (int64_t[]){ 1, 2 }, 2, (int64_t[]){ 1, 3 }) &&
         !hed__shape_equal(2, (int64_t[]){ 1, 2 }, 1, (int64_t[]){ 1 }), "equal shapes");
  char text[HED__SHAPE_TEXT], tiny[6];
  is_str(hed__shape_text(2, (int64_t[]){ 2, 30 }, text, sizeof text), "(2, 30)", "text of a shape");
  is_str(hed__shape_text(1, (int64_t[]){ 7 }, text, sizeof text), "(7,)", "of one axis");
  is_str(hed__shape_text(0, NULL, text, sizeof text), "()", "of none");
  is_str(hed__shape_text(2, (int64_t[]){ 2, 30 }, tiny, sizeof tiny), "(2, 3", "cut where the space ends");
  is_int(hed__axis(-1, 3), 2, "axis -1 of 3");
  is_int(hed__axis(3, 3), -1, "axis 3 of 3");
  is_int(hed__axis(-4, 3), -1, "axis -4 of 3");
  uint32_t mask = 0;
  int32_t bad = 9;
  ok(hed__axes_mask(&(hed_axes){ 0, { 0 } }, 3, &mask, &bad) && mask == 7, "no axes: all");
  ok(hed__axes_mask(&(hed_axes){ 2, { -1, 0 } }, 3, &mask, &bad) && mask == 5, "axes 0 and -1 of 3");
  ok(!hed__axes_mask(&(hed_axes){ 2, { 2, -1 } }, 3, &mask, &bad) && bad == -1, "the same axis twice");
  ok(!hed__axes_mask(&(hed_axes){ 1, { 3 } }, 3, &mask, &bad) && bad == 3, "an axis out of range");
}

/* NumPy's rule, from its documentation: compare from the last axis; equal, or one of them is 1. */
static void broadcasting(void)
{
  hed_shape out;
  ok(hed__broadcast(&HED_SHAPE(8, 1, 6, 1), &HED_SHAPE(7, 1, 5), &out) &&
         hed__shape_equal(out.ndim, out.dim, 4, (int64_t[]){ 8, 7, 6, 5 }), "(8, 1, 6, 1) with (7, 1, 5)");
  ok(hed__broadcast(&HED_SHAPE(3, 1), &HED_SHAPE(0), &out) && hed__shape_equal(out.ndim, out.dim, 2, (int64_t[]){ 3, 0 }),
     "an extent of 1 gives way to 0");
  ok(!hed__broadcast(&HED_SHAPE(2, 1), &HED_SHAPE(8, 4, 3), &out), "(2, 1) with (8, 4, 3) does not fit");
  ok(!hed__broadcast(&HED_SHAPE(3), &HED_SHAPE(0), &out), "3 with 0 does not fit");

  int wrong = 0, refused = 0;
  for (int trial = 0; trial < 2000; trial++) {
    hed_view v = random_view(4, true), seen;
    hed_shape to = { .ndim = v.ndim + (int)gen_below(&g, 3) };
    int lead = to.ndim - v.ndim;
    for (int k = 0; k < to.ndim; k++) {
      to.dim[k] = k < lead ? gen_int(&g, 0, 3) : v.dim[k - lead];
      if (k >= lead && gen_chance(&g, 30))
        v.dim[k - lead] = 1;
    }
    if (!hed__broadcast_view(&v, to.ndim, to.dim, &seen)) {
      wrong++;
      continue;
    }
    int64_t n = hed__shape_size(to.ndim, to.dim);
    for (int64_t i = 0; i < n; i++) { /* element i of the result comes from these indices of V */
      int64_t k = i, from = 0;
      for (int a = to.ndim - 1; a >= 0; a--) {
        if (a >= lead)
          from += (v.dim[a - lead] == 1 ? 0 : k % to.dim[a]) * v.stride[a - lead];
        k /= to.dim[a];
      }
      wrong += at(&seen, i) != from;
    }
    if (v.ndim > 0 && v.dim[0] > 1) {
      to.dim[lead]++;
      refused += hed__broadcast_view(&v, to.ndim, to.dim, &seen);
    }
  }
  is_int(wrong, 0, "views broadcast to random shapes");
  is_int(refused, 0, "and do not where an extent differs");
}

static void places(void)
{
  int wrong = 0, same = 0, contiguous = 0, overlap = 0;
  for (int trial = 0; trial < 2000; trial++) {
    hed_view v = random_view(4, true), c = v;
    int64_t n = hed__view_size(&v), low = 0, high = 0, got_low, got_high, size = hed__id_size(v.dtype);
    bool in_order = true;
    for (int64_t i = 0; i < n; i++) {
      int64_t offset = at(&v, i);
      low = offset < low || i == 0 ? offset : low;
      high = offset + size > high || i == 0 ? offset + size : high;
      in_order = in_order && offset == i * size;
    }
    hed__view_extent(&v, &got_low, &got_high);
    wrong += n > 0 ? got_low != low || got_high != high : got_low != 0 || got_high != 0;
    contiguous += hed__is_c_contiguous(&v) != in_order;
    hed__c_strides(c.ndim, c.dim, size, c.stride);
    contiguous += !hed__is_c_contiguous(&c);
    same += !hed__same_view(&v, &v) || (n > 0 && !in_order && hed__same_view(&v, &c));
    c = v;
    c.data = (char *)v.data + (high - low);
    overlap += hed__may_overlap(&v, &c) || hed__may_overlap(&v, &v) != (n > 0);
    c.data = (char *)v.data + (high - low) - 1;
    overlap += hed__may_overlap(&c, &v) != (n > 0);
  }
  is_int(wrong, 0, "extents of random views");
  is_int(contiguous, 0, "which views are contiguous");
  is_int(same, 0, "which views are the same");
  is_int(overlap, 0, "neighbours do not overlap, a shared byte does");
}

/* A reshape is possible as a view when strides exist that give every element its address; those can be read off the
 * addresses of the elements with one index of 1. */
static void reshaping(void)
{
  int wrong = 0, views = 0, copies = 0;
  for (int trial = 0; trial < 5000; trial++) {
    hed_view v = random_view(4, true), r = { .dtype = v.dtype };
    int64_t n = hed__view_size(&v), rest = n;
    if (gen_chance(&g, 40)) /* contiguous but for one axis */
      hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype) * gen_int(&g, 1, 2), v.stride);
    while (r.ndim < 6 && (rest > 1 || gen_chance(&g, 50))) {
      int64_t d = gen_int(&g, 1, 8);
      if (rest == 0 || rest % d == 0) {
        r.dim[r.ndim++] = d;
        rest = rest / d;
      }
    }
    if (rest != 1 && r.ndim < HED_MAX_NDIM)
      r.dim[r.ndim++] = rest;
    int64_t unit = 1, base = n > 0 ? at(&v, 0) : 0;
    bool possible = true;
    for (int k = r.ndim - 1; k >= 0; k--) {
      r.stride[k] = r.dim[k] > 1 && n > 0 ? at(&v, unit) - base : 0;
      unit *= r.dim[k];
    }
    for (int64_t i = 0; i < n; i++)
      possible = possible && at(&r, i) == at(&v, i);
    bool got = hed__reshape_strides(&v, r.ndim, r.dim, r.stride);
    wrong += got != possible;
    for (int64_t i = 0; got && i < n; i++)
      wrong += at(&r, i) != at(&v, i);
    views += got;
    copies += !got;
  }
  is_int(wrong, 0, "reshaped as a view exactly where strides can do it");
  ok(views > 500 && copies > 500, "both cases came up (%d, %d)", views, copies);
}

/* Addresses that a nest visits, compared with C order or, when reordered, as a set. */
static int by_value(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int nest_differs(const hed_view *const *views, bool reorder)
{
  static int64_t want[MOST], got[MOST];
  hed__nest nest;
  hed__walk walk;
  int64_t n = hed__view_size(views[0]), seen = 0, unpaired = 0;
  hed__nest_init(&nest, 2, views, reorder);
  int last = nest.ndim - 1;
  int64_t rows = hed__nest_rows(&nest), split = rows ? (int64_t)gen_below(&g, (uint64_t)rows + 1) : 0;
  for (int half = 0; half < 2; half++) {
    hed__walk_init(&walk, &nest, half ? split : 0, half ? rows - split : split);
    while (hed__walk_next(&walk))
      for (int64_t i = 0; i < nest.dim[last] && seen < MOST; i++) {
        int64_t a = walk.ptr[0] + i * nest.stride[0][last] - (char *)views[0]->data;
        int64_t b = walk.ptr[1] + i * nest.stride[1][last] - (char *)views[1]->data;
        got[seen++] = a;
        unpaired += b != 3 * a; /* the second view has three times the strides */
      }
  }
  if (seen != n || unpaired)
    return 1;
  for (int64_t i = 0; i < n; i++)
    want[i] = at(views[0], i);
  if (reorder) {
    qsort(want, (size_t)n, sizeof *want, by_value);
    for (int64_t i = 1; i < n; i++) /* a lone dense view comes in order of address */
      seen -= got[i] < got[i - 1] && nest.ndim == 1;
    qsort(got, (size_t)n, sizeof *got, by_value);
  }
  return seen != n || memcmp(want, got, (size_t)n * sizeof *want) != 0;
}

static void nests(void)
{
  int wrong[2] = { 0, 0 }, merged = 0;
  for (int trial = 0; trial < 4000; trial++) {
    hed_view v = random_view(5, true);
    if (gen_chance(&g, 30))
      hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
    hed_view w = v;
    for (int k = 0; k < v.ndim; k++)
      w.stride[k] = 3 * v.stride[k];
    if (hed__view_size(&v) == 1) /* a single element has no strides to speak of */
      continue;
    const hed_view *const views[2] = { &v, &w };
    wrong[0] += nest_differs(views, false);
    wrong[1] += nest_differs(views, true);
    hed__nest nest;
    hed__nest_init(&nest, 2, views, 0);
    merged += hed__is_c_contiguous(&v) && nest.ndim != 1;
  }
  is_int(wrong[0], 0, "nests visit all elements in C order");
  is_int(wrong[1], 0, "reordered nests visit all elements");
  is_int(merged, 0, "contiguous views become one row");

  hed_view t = { (char *)(uintptr_t)4096, HED_ID_FLOAT32, 2, { 3, 5 }, { 4, 12 } };
  hed__nest nest;
  hed__nest_init(&nest, 1, (const hed_view *const[]){ &t }, HED__NEST_REORDER);
  ok(nest.ndim == 1 && nest.dim[0] == 15 && nest.stride[0][0] == 4, "a transposed view is one row when reordered");
  t = (hed_view){ (char *)(uintptr_t)4096, HED_ID_FLOAT32, 1, { 5 }, { -4 } };
  hed__nest_init(&nest, 1, (const hed_view *const[]){ &t }, HED__NEST_REORDER);
  ok(nest.stride[0][0] == 4 && nest.data[0] == (char *)t.data - 16, "a reversed one is flipped");
}

int main(void)
{
  gen_seed(&g, tap_seed());
  counts();
  broadcasting();
  places();
  reshaping();
  nests();
  return done();
}
