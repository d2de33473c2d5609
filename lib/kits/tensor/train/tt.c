// SPDX-License-Identifier: BSD-3-Clause
/* What a train is: checks, shapes, elements.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <stdio.h>
#include <string.h>

void hed_tt_clear(hed_tt *x)
{
  if (!x)
    return;
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(x->core[k]);
  *x = (hed_tt){ 0 };
}

int64_t hed__tt_extent(const hed_tt *x, int k, int axis) { return hed_array_shape(x->core[k]).dim[axis]; }

static int core_axes(const hed_tt *x) { return hed_array_ndim(x->core[0]); }

static int64_t rank_of(const hed_tt *x, int bond)
{
  return bond < x->order ? hed__tt_extent(x, bond, 0) : hed__tt_extent(x, x->order - 1, core_axes(x) - 1);
}

hed_status hed__tt_check(const char *op, const char *what, const hed_tt *x)
{
  char text[160];
  if (!x || x->order < 1 || x->order > HED_MAX_NDIM)
    return hed_fail(HED_E_INVAL, "%s: %s %s", op, what, !x ? "is NULL" : x->order < 1 ? "has no cores" : "has more than 16 cores");
  for (int k = 0; k < x->order; k++) {
    const hed_shape s = hed_array_shape(x->core[k]);
    if (!x->core[k])
      return hed__tensor_missing(op, "core %d of %s", k, what);
    if ((s.ndim != 3 && s.ndim != 4) || s.ndim != core_axes(x))
      return hed_fail(HED_E_SHAPE, "%s: core %d of %s has shape %s; cores have 3 axes, or all 4", op, k, what,
                      hed__shape_words(s, text));
    for (int i = 0; i < s.ndim; i++)
      if (s.dim[i] < 1)
        return hed_fail(HED_E_SHAPE, "%s: core %d of %s has shape %s, without elements", op, k, what,
                        hed__shape_words(s, text));
    if (k && hed__tt_extent(x, k - 1, s.ndim - 1) != s.dim[0])
      return hed_fail(HED_E_SHAPE, "%s: core %d of %s ends with rank %lld, the next begins with %lld", op, k - 1, what,
                      (long long)hed__tt_extent(x, k - 1, s.ndim - 1), (long long)s.dim[0]);
  }
  if (rank_of(x, 0) != rank_of(x, x->order))
    return hed_fail(HED_E_SHAPE, "%s: the first rank of %s is %lld, its last one %lld", op, what, (long long)rank_of(x, 0),
                    (long long)rank_of(x, x->order));
  if (core_axes(x) == 4 && x->order > HED_MAX_NDIM / 2)
    return hed_fail(HED_E_SHAPE, "%s: %s is a matrix with %d cores; 8 are the most", op, what, (int)x->order);
  return HED_OK;
}

hed_status hed_tt_check(const hed_tt *x) { return hed__tt_check("hed_tt_check", "x", x); }

hed_shape hed_tt_shape(const hed_tt *x)
{
  hed_shape s = { .ndim = -1 };
  if (hed__tt_check("hed_tt_shape", "x", x) != HED_OK)
    return s;
  s.ndim = x->order * (core_axes(x) - 2);
  for (int i = 0; i < s.ndim; i++)
    s.dim[i] = hed__tt_extent(x, i % x->order, 1 + i / x->order);
  return s;
}

hed_status hed_tt_ranks(const hed_tt *x, int64_t *ranks)
{
  hed_status status = hed__tt_check("hed_tt_ranks", "x", x);
  if (status == HED_OK && !ranks)
    status = hed_fail(HED_E_INVAL, "hed_tt_ranks: ranks is NULL");
  for (int k = 0; status == HED_OK && k <= x->order; k++)
    ranks[k] = rank_of(x, k);
  return status;
}

bool hed_tt_is_ring(const hed_tt *x) { return x && x->order > 0 && x->core[0] && rank_of(x, 0) > 1; }

hed_array *hed__tt_core(const hed_tt *x, int k)
{
  const hed_shape s = hed_array_shape(x->core[k]);
  return s.ndim == 3 ? hed__tensor_same(x->core[k]) : hed_reshape(x->core[k], HED_SHAPE(s.dim[0], s.dim[1] * s.dim[2], s.dim[3]));
}

hed_status hed__tt_alike(const char *op, const hed_tt *a, const hed_tt *b)
{
  char one[160], other[160];
  hed_status status = hed__tt_check(op, "a", a);
  if (status == HED_OK)
    status = hed__tt_check(op, "b", b);
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_tt_shape(a), t = hed_tt_shape(b);
  if (!hed__same_shape(s, t) || core_axes(a) != core_axes(b))
    return hed_fail(HED_E_SHAPE, "%s: a has shape %s%s, b %s%s", op, hed__shape_words(s, one), core_axes(a) == 4
                    ? " (a matrix)" : "",
                    hed__shape_words(t, other), core_axes(b) == 4 ? " (a matrix)" : "");
  return HED_OK;
}

hed_status hed__tt_hand_out(hed_status status, const hed_tt *t, hed_tt *out)
{
  *out = (hed_tt){ 0 };
  for (int k = 0; status == HED_OK && k < t->order; k++)
    if (!t->core[k])
      status = hed_error();
  if (status != HED_OK)
    return status;
  *out = *t;
  for (int k = 0; k < t->order; k++)
    (void)hed_keep(out->core[k]);
  return HED_OK;
}

void hed__tt_as_matrix(hed_tt *t, const hed_tt *like)
{
  for (int k = 0; core_axes(like) == 4 && k < t->order; k++) {
    const hed_shape s = hed_array_shape(t->core[k]);
    if (s.ndim == 3)
      t->core[k] = hed_reshape(t->core[k], HED_SHAPE(s.dim[0], hed__tt_extent(like, k, 1), hed__tt_extent(like, k, 2), s.dim[2]));
  }
}

/* Of shape (n_1 n_2 .., ) with n = I, or I J of a matrix. The first axis of what is built up stays: a ring closes with the last
 * core. */
static hed_array *full_flat(const hed_tt *x)
{
  hed_array *all = hed__tt_core(x, 0);
  for (int k = 1; all && k < x->order; k++) {
    hed_array *next = hed__tt_core(x, k);
    const int64_t outer = hed_array_shape(all).dim[0];
    if (k + 1 < x->order || outer == 1)
      all = hed_reshape(hed_tensordot_n(all, next, 1), HED_SHAPE(outer, -1, hed__tt_extent(x, k, core_axes(x) - 1)));
    else
      all = hed_tensordot(all, next, &HED_AXES(0, 2), &HED_AXES(2, 0));
  }
  return hed_array_ndim(all) == 3 ? hed_matrix_trace(all, 0, 0, 2) : all;
}

hed_array *hed_tt_full(const hed_tt *x)
{
  hed_array *out = NULL;
  hed_shape paired = { 0 };
  hed_axes order = { 0 };
  if (hed__tt_check("hed_tt_full", "x", x) != HED_OK)
    return NULL;
  const int kinds = core_axes(x) - 2;
  for (int k = 0; k < x->order; k++)
    for (int i = 0; i < kinds; i++) {
      paired.dim[paired.ndim++] = hed__tt_extent(x, k, 1 + i);
      order.axis[i * x->order + k] = order.n++;
    }
  HED_SCOPE {
    out = hed_reshape(full_flat(x), paired);
    out = hed_keep(kinds == 2 ? hed_transpose(out, &order) : out);
  }
  return hed__tensor_given(out);
}

hed_array *hed_tt_matrix_full(const hed_tt *x)
{
  hed_array *out = NULL;
  if (hed__tt_check("hed_tt_matrix_full", "x", x) != HED_OK)
    return NULL;
  if (core_axes(x) != 4) {
    (void)hed_fail(HED_E_SHAPE, "hed_tt_matrix_full: the cores of x have 3 axes; those of a matrix have 4");
    return NULL;
  }
  int64_t rows = 1;
  for (int k = 0; k < x->order; k++)
    rows *= hed__tt_extent(x, k, 1);
  HED_SCOPE
    out = hed_keep(hed_reshape(hed_tt_full(x), HED_SHAPE(rows, -1)));
  return hed__tensor_given(out);
}

/* Column K of INDICES, of a matrix those of rows and columns as one, as indices of the middle axis of core K. */
static hed_array *places(const hed_tt *x, const hed_array *indices, int k)
{
  hed_array *i = hed_index(indices, 1, k);
  if (core_axes(x) == 3)
    return i;
  hed_array *j = hed_index(indices, 1, x->order + k), *grid = hed_arange_int(0, hed__tt_extent(x, k, 1) * hed__tt_extent(x, k, 2),
                                                                             1, HED_INT64);
  grid = hed_reshape(grid, HED_SHAPE(hed__tt_extent(x, k, 1), hed__tt_extent(x, k, 2)));
  return i && j && grid ? HED_GET(grid, HED_IDX(i), HED_IDX(j)) : NULL;
}

hed_array *hed_tt_entries(const hed_tt *x, const hed_array *indices)
{
  hed_array *out = NULL;
  char text[160];
  if (hed__tt_check("hed_tt_entries", "x", x) != HED_OK)
    return NULL;
  const hed_shape s = hed_array_shape(indices);
  const int axes = hed_tt_shape(x).ndim;
  if (!indices || s.ndim != 2 || s.dim[1] != axes) {
    (void)hed_fail(indices ? HED_E_SHAPE : HED_E_INVAL, "hed_tt_entries: indices %s%s; (n, %d) is expected",
                   indices ? "has shape " : "is NULL", indices ? hed__shape_words(s, text) : "", axes);
    return NULL;
  }
  HED_SCOPE {
    hed_array *rows = NULL;
    for (int k = 0; k < x->order; k++) {
      hed_array *where = places(x, indices, k);
      hed_array *at = hed_moveaxis(hed_take(hed__tt_core(x, k), where, 1), 1, 0);
      rows = k ? hed_matmul(rows, at) : at;
    }
    out = hed_keep(hed_matrix_trace(rows, 0, 1, 2));
  }
  return hed__tensor_given(out);
}
