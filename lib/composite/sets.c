// SPDX-License-Identifier: BSD-3-Clause
/* Partition, topk_indices, unique elements and slices, and sets of them. L3.
 *
 * Elements are sorted, with their indices where these are asked for; where neighbours differ a new element begins. That runs on
 * the device; slices along an axis in host memory are compared one with another, elsewhere sorted by each of their elements. NaN
 * counts as equal to NaN here and in unique alone. Integers of a small range are looked for in a table.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/reduce/sort.h"
#include "base/cast.h"
#include "base/formulas/formulas.h"
#include "composite/composed.h"
#include "composite/distinct.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/fuse.h>
#include <string.h>

/* ---- partition, topk_indices ---- */

static hed_array *partition(int op, const hed_array *x, int64_t kth, const hed_sort_options *opt)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x") || hed__check_domain(name, "bif", "x", x->view.dtype) != HED_OK)
    return NULL;
  int64_t n = hed__view_size(&x->view);
  if (!opt || !opt->flat) {
    int axis = hed__check_axis(name, "axis", opt && opt->axis.n ? opt->axis.axis[0] : -1, x->view.ndim);
    if (axis < 0)
      return NULL;
    n = x->view.dim[axis];
  }
  if (kth < -n || kth >= n) {
    hed_fail(HED_E_INVAL, "%s: kth is %lld of %lld elements", name, (long long)kth, (long long)n);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, op, 1, &x) != HED_OK)
    return NULL;
  const int by = op == HED_OP_PARTITION ? HED_OP_SORT : HED_OP_ARGSORT;
  return composed_end(&c, hed__sort_partly(by, c.ex.in[0], opt, kth < 0 ? kth + n : kth));
}

hed_array *HED_BODY(partition)(const hed_array *x, int64_t kth, const hed_sort_options *opt)
{
  return partition(HED_OP_PARTITION, x, kth, opt);
}

hed_array *HED_BODY(argpartition)(const hed_array *x, int64_t kth, const hed_sort_options *opt)
{
  return partition(HED_OP_ARGPARTITION, x, kth, opt);
}

hed_array *HED_BODY(topk_indices)(const hed_array *x, int64_t k)
{
  const char *op = "topk_indices";
  if (!hed__given(x, op, "x") || hed__check_domain(op, "bif", "x", x->view.dtype) != HED_OK)
    return NULL;
  int64_t n = hed__view_size(&x->view);
  hed_shape s = hed__shape_of(x);
  if (k < 0 || k > n) {
    hed_fail(HED_E_INVAL, "%s: k is %lld; 0 to %lld, the elements of x of shape %s, are expected", op, (long long)k, (long long)n,
             HED__TEXT(&s));
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_TOPK_INDICES, 1, &x) != HED_OK)
    return NULL;
  hed_array *flat = hed_reshape(c.ex.in[0], HED_SHAPE(n)), *indices = NULL, *out = NULL;
  if (flat && hed_topk(flat, k, NULL, NULL, &indices) == HED_OK) {
    hed_array *row[HED_MAX_NDIM];
    int64_t stride[HED_MAX_NDIM];
    hed__c_strides(s.ndim, s.dim, 1, stride);
    for (int j = 0; j < s.ndim; j++)
      row[j] = hed_mod(hed_floor_divide(indices, hed_scalar_int(stride[j] ? stride[j] : 1)),
                       hed_scalar_int(s.dim[j] ? s.dim[j] : 1));
    out = s.ndim ? hed_stack(s.ndim, (const hed_array *const *)row, 0) : hed_empty(HED_SHAPE(0, k), HED_INT64);
  }
  return composed_end(&c, out);
}

/* ---- unique ---- */

typedef struct distinct {
  hed_array *values, *index, *inverse, *counts;
} distinct;

static hed_array *part(const hed_array *x, int64_t start, int64_t stop)
{
  return hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(start, stop, 1) });
}

/* The first of a list is new, and of the others those that DIFFER from the one before. */
static hed_array *with_first(const hed_array *differ)
{
  hed_array *one = hed_ones(HED_SHAPE(1), HED_BOOL);
  return differ && one ? hed_concatenate(2, (const hed_array *const[]){ one, differ }, 0) : NULL;
}

/* Where in a sorted list a new element begins. */
static hed_array *beginnings(const hed_array *sorted)
{
  int64_t n = sorted ? sorted->view.dim[0] : 0;
  double last = 0;
  if (n == 0)
    return sorted ? hed_zeros(HED_SHAPE(0), HED_BOOL) : NULL;
  const bool real = hed__id_kind(sorted->view.dtype) == HED_KIND_FLOAT, waits = !sorted->storage->device->host;
  if (real && !waits && hed_item(part(sorted, n - 1, n), &last) != HED_OK)
    return NULL;
  hed_array *a = part(sorted, 0, n - 1), *b = part(sorted, 1, n), *differ = hed_not_equal(a, b);
  if (real && (waits || last != last)) /* NaN is last, and one of a kind */
    differ = hed_logical_and(differ, hed_logical_not(hed_isnan(a)));
  return with_first(differ);
}

/* Of N sorted things, of which PERM says where they were and BEGIN where new ones begin: the number of each among the distinct
 * ones, in their order; and how often each of these occurs. */
static hed_array *ranks(const hed_array *perm, const hed_array *begin)
{
  const int64_t n = begin->view.dim[0];
  hed_array *rank = hed_subtract(hed_cumsum(begin, NULL), hed_scalar_int(1));
  return hed_scatter_nd(hed_reshape(perm, HED_SHAPE(n, 1)), rank, HED_SHAPE(n));
}

static hed_array *lengths(const hed_array *begin)
{
  const int64_t n = begin->view.dim[0];
  const hed_array *ends[2] = { hed_reshape(hed_nonzero(begin), HED_SHAPE(-1)), hed_full(HED_SHAPE(1), (double)n, HED_INT64) };
  return ends[0] && ends[1] ? hed_diff(hed_concatenate(2, ends, 0), 1, 0) : NULL;
}

/* What is WANTED, in the order of hed_unique's results; indices are sorted only where they are. */
static distinct distinct_elements(const hed_array *x, const bool *wanted, bool every_nan)
{
  distinct d = { NULL, NULL, NULL, NULL };
  int64_t n = hed__view_size(&x->view);
  hed_array *flat = hed_reshape(x, HED_SHAPE(n)), *perm = wanted[1] || wanted[2] ? hed_argsort(flat, NULL) : NULL;
  hed_array *sorted = wanted[1] || wanted[2] ? hed_take(flat, perm, 0) : hed_sort(flat, NULL);
  hed_array *begin = beginnings(sorted);
  if (begin && every_nan)
    begin = hed_logical_or(begin, hed_isnan(sorted));
  if (!begin)
    return d;
  d.values = hed_compress(sorted, begin);
  if (wanted[1])
    d.index = hed_compress(perm, begin);
  if (wanted[2])
    d.inverse = hed_reshape(ranks(perm, begin), hed__shape_of(x));
  if (wanted[3])
    d.counts = lengths(begin);
  return d;
}

/* On a device: slices sorted by their last elements, then by those before, each time stably. */
static distinct distinct_slices_there(const hed_array *x, int axis, bool every_nan)
{
  distinct d = { NULL, NULL, NULL, NULL };
  const int64_t n = x->view.dim[axis], m = hed__view_size(&x->view) / n;
  hed_array *list = hed_reshape(hed_moveaxis(x, axis, 0), HED_SHAPE(n, m)), *perm = hed_arange_int(0, n, 1, HED_INT64);
  for (int64_t k = m - 1; k >= 0 && perm && list; k--) {
    hed_array *order = hed_argsort(hed_take(hed_index(list, 1, k), perm, 0), NULL);
    perm = order ? hed_take(perm, order, 0) : NULL;
  }
  hed_array *sorted = perm && list ? hed_take(list, perm, 0) : NULL;
  if (!sorted)
    return d;
  hed_array *a = part(sorted, 0, n - 1), *b = part(sorted, 1, n), *differ = hed_not_equal(a, b);
  /* NaN is last: where it is before another number, they differ earlier */
  if (hed__id_kind(x->view.dtype) == HED_KIND_FLOAT && !every_nan)
    differ = hed_logical_and(differ, hed_logical_not(hed_isnan(a)));
  hed_array *begin = differ ? with_first(hed_any(differ, &(hed_reduce){ .axes = HED_AXES(1) })) : NULL;
  if (!begin)
    return d;
  d.index = hed_compress(perm, begin);
  d.counts = lengths(begin);
  d.inverse = ranks(perm, begin);
  d.values = hed_take(x, d.index, axis);
  return d;
}

/* The 64-bit type as which elements of type ID are compared on the host; of complex ones, two. */
static int row_type(int id)
{
  switch (hed__id_kind(id)) {
  case HED_KIND_COMPLEX: return HED_ID_COMPLEX128;
  case HED_KIND_FLOAT: return HED_ID_FLOAT64;
  case HED_KIND_INT: return HED_ID_INT64;
  default: return HED_ID_UINT64;
  }
}

/* Of slices along AXIS; complex ones are slices of twice as many real numbers. */
static distinct distinct_slices(const char *op, const hed_array *x, int axis, const bool *wanted, bool every_nan)
{
  distinct d = { NULL, NULL, NULL, NULL };
  const int64_t n = x->view.dim[axis], each = n ? hed__view_size(&x->view) / n : 0;
  const int type = row_type(x->view.dtype);
  const bool is_complex = type == HED_ID_COMPLEX128;
  hed_array *front = hed_moveaxis(x, axis, 0);
  void *values = front ? hed__read_host(op, front, type) : NULL;
  int64_t *work = values ? hed__buffer_new((size_t)n * 3 * sizeof *work, op) : NULL;
  if (work) {
    const hed__rows t = { is_complex ? HED_KIND_FLOAT : hed__id_kind(type), n, is_complex ? 2 * each : each, values };
    int64_t *index = work, *counts = work + n, *inverse = work + 2 * n;
    const int64_t kept = hed__distinct_rows(&t, every_nan, index, counts, inverse, op);
    d.index = kept < 0 ? NULL : hed_from_host(index, HED_SHAPE(kept), HED_INT64);
    d.counts = d.index && wanted[3] ? hed_from_host(counts, HED_SHAPE(kept), HED_INT64) : NULL;
    d.inverse = d.index && wanted[2] ? hed_from_host(inverse, HED_SHAPE(n), HED_INT64) : NULL;
    d.values = d.index ? hed_take(x, d.index, axis) : NULL;
  }
  hed__buffer_free(values);
  hed__buffer_free(work);
  return d;
}

/* Elsewhere complex elements or slices are stacked as pairs. */
static distinct distinct_complex_there(const hed_array *x, int axis, bool every_nan)
{
  hed_array *front = hed_moveaxis(x, axis, 0);
  hed_array *pairs = front ? hed_stack(2, (const hed_array *const[]){ hed_real(front), hed_imag(front) }, -1) : NULL;
  distinct d = { NULL, NULL, NULL, NULL };
  if (pairs)
    d = distinct_slices_there(pairs, 0, every_nan);
  d.values = d.index ? hed_take(x, d.index, axis) : NULL;
  return d;
}

static distinct distinct_any(const hed_array *x, int axis, const bool *wanted, bool every_nan)
{
  const bool there = !x->storage->device->host && hed__view_size(&x->view) > 0;
  if (!there)
    return distinct_slices("unique", x, axis, wanted, every_nan);
  return hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX ? distinct_complex_there(x, axis, every_nan)
                                                         : distinct_slices_there(x, axis, every_nan);
}

/* Complex elements have no order of their own: slices of one. */
static distinct distinct_complex(const hed_array *x, const bool *wanted, bool every_nan)
{
  hed_array *list = hed_reshape(x, HED_SHAPE(hed__view_size(&x->view)));
  distinct d = { NULL, NULL, NULL, NULL };
  if (list)
    d = distinct_any(list, 0, wanted, every_nan);
  if (d.inverse)
    d.inverse = hed_reshape(d.inverse, hed__shape_of(x));
  return d;
}

hed_status HED_BODY(unique)(const hed_array *x, const hed_axes *axis, hed_array **values, hed_array **index,
                      hed_array **inverse, hed_array **counts)
{
  const hed_unique_options opt = { .axis = axis ? *axis : (hed_axes){ 0, { 0 } } };
  return hed_unique_with(x, &opt, values, index, inverse, counts);
}

hed_status HED_BODY(unique_with)(const hed_array *x, const hed_unique_options *opt, hed_array **values, hed_array **index,
                           hed_array **inverse, hed_array **counts)
{
  static const hed_unique_options defaults;
  opt = opt ? opt : &defaults;
  const hed_axes *axis = &opt->axis;
  const char *op = "unique";
  hed_array **const to[4] = { values, index, inverse, counts };
  for (int k = 0; k < 4; k++)
    if (to[k])
      *to[k] = NULL;
  if (!hed__given(x, op, "x") || hed__check_domain(op, "bifc", "x", x->view.dtype) != HED_OK)
    return hed_error();
  int at = -1;
  if (axis->n) {
    if (axis->n != 1)
      return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, one or none is possible", op, (int)axis->n);
    if ((at = hed__check_axis(op, "axis", axis->axis[0], x->view.ndim)) < 0)
      return (hed_status)at;
  }
  composed c;
  hed_status status = composed_begin(&c, HED_OP_UNIQUE, 1, &x);
  if (status != HED_OK)
    return status;
  const bool wanted[4] = { true, index, inverse, counts };
  const hed_array *in = c.ex.in[0];
  const hed_kind kind = hed__id_kind(in->view.dtype);
  const bool every_nan = opt->every_nan && kind >= HED_KIND_FLOAT;
  distinct d = at >= 0                    ? distinct_any(in, at, wanted, every_nan)
               : kind == HED_KIND_COMPLEX ? distinct_complex(in, wanted, every_nan)
                                          : distinct_elements(in, wanted, every_nan);
  hed_array *results[4] = { d.values, d.index, d.inverse, d.counts };
  return composed_end_all(&c, 4, results, to);
}

/* ---- sets ---- */

/* The least and the greatest of X, integers, as they are in an int64, in which uint64 wraps; false where they are not to be
 * had. */
static bool bounds_of(const hed_array *x, int64_t *low, int64_t *high)
{
  return hed_item_int(hed_astype(hed_min(x, NULL), HED_INT64), low) == HED_OK
         && hed_item_int(hed_astype(hed_max(x, NULL), HED_INT64), high) == HED_OK;
}

/* Integers of a small range: each is looked up in a table of bools. *DONE: that was so. */
static hed_array *among_few(const hed_array *x, const hed_array *test, bool *done)
{
  const int id = hed__promote(x->view.dtype, test->view.dtype);
  const hed_kind kind = hed__id_kind(id);
  const int64_t n = hed__view_size(&x->view), m = hed__view_size(&test->view), most = 4 * (n + m) + 65536;
  int64_t low, high, x_low, x_high;
  if (kind == HED_KIND_FLOAT || n == 0 || m == 0)
    return NULL;
  *done = true; /* or failed */
  if (!bounds_of(test, &low, &high) || !bounds_of(x, &x_low, &x_high))
    return NULL;
  *done = id != HED_ID_UINT64 || (high >= 0 && x_high >= 0); /* from 2^63 on they are negative here */
  if (!*done)
    return NULL;
  if (x_high < low || x_low > high)
    return hed_zeros(hed__shape_of(x), HED_BOOL);
  const int64_t first = x_low < low ? x_low : low, last = x_high > high ? x_high : high;
  if (!(*done = (uint64_t)last - (uint64_t)first < (uint64_t)most))
    return NULL;
  hed_array *number = hed_astype(test, HED_INT64), *index = hed_astype(x, HED_INT64);
  int64_t size = last + 1;
  if (first < 0 || last >= most) { /* elsewhere the numbers are indices of the table themselves */
    hed_array *by = hed_scalar_int(first);
    number = hed_subtract(number, by);
    index = hed_subtract(index, by);
    size = last - first + 1;
  }
  return hed_take(hed_astype(hed_bincount(number, NULL, size), HED_BOOL), index, 0);
}

/* So few numbers are compared with, one after the other, which takes less than a search among them; fused, in one pass. */
enum { SHORT_LIST_ELEMENTS = 16 };

/* Is each of Y among the N elements of LIST? */
static hed_array *among_short(const hed_array *y, const hed_array *list, int64_t n)
{
  hed_fuse_scope fused;
  const bool begun = n > 2 && hed_fuse_begin(&fused) == HED_OK;
  hed_array *found = hed_equal(y, hed_index(list, 0, 0));
  for (int64_t k = 1; k < n && found; k++)
    found = hed_logical_or(found, hed_equal(y, hed_index(list, 0, k)));
  if (begun && hed_fuse_end(&fused) != HED_OK)
    return NULL;
  return found;
}

/* Is each of X among TEST? In the composed frame. As equal() has it: in the type in which it compares, and signed integers with
 * uint64, which have no common type, as what of them is not negative. */
static hed_array *among(const hed_array *x, const hed_array *test)
{
  if (!x || !test)
    return NULL;
  if (hed__id_kind(x->view.dtype) == HED_KIND_INT && test->view.dtype == HED_ID_UINT64)
    return hed_logical_and(among(hed_astype(x, HED_UINT64), test), hed_greater_equal(x, hed_scalar_int(0)));
  if (x->view.dtype == HED_ID_UINT64 && hed__id_kind(test->view.dtype) == HED_KIND_INT) {
    test = hed_reshape(test, HED_SHAPE(-1));
    return among(x, hed_astype(hed_compress(test, hed_greater_equal(test, hed_scalar_int(0))), HED_UINT64));
  }
  const bool whole = hed__id_kind(x->view.dtype) == HED_KIND_FLOAT;
  if (hed__compares_apart(HED_OP_EQUAL, x->view.dtype, test->view.dtype)) { /* as integers, those that are such */
    const hed_array *y = whole ? x : hed_reshape(test, HED_SHAPE(-1));
    hed_array *as = hed_astype(y, hed__dtypes[whole ? test->view.dtype : x->view.dtype]), *same = hed_equal(as, y);
    return whole ? hed_logical_and(among(as, test), same) : among(x, hed_compress(as, same));
  }
  int64_t n = hed__view_size(&test->view);
  const int common = hed__promote(x->view.dtype, test->view.dtype);
  hed_dtype t = hed__dtypes[x->view.dtype == test->view.dtype ? common : hed__compute_of(common)];
  if (n == 0)
    return hed_zeros(hed__shape_of(x), HED_BOOL);
  bool done = false;
  hed_array *few = n > SHORT_LIST_ELEMENTS ? among_few(x, test, &done) : NULL;
  if (done)
    return few;
  hed_array *list = hed_reshape(hed_astype(test, t), HED_SHAPE(n)), *y = hed_astype(x, t);
  if (n <= SHORT_LIST_ELEMENTS)
    return among_short(y, list, n);
  list = hed_sort(list, NULL);
  hed_array *at = hed_minimum(hed_searchsorted(list, y, false), hed_scalar_int(n - 1));
  return hed_equal(hed_take(list, at, 0), y);
}

/* The same where one is complex: equal numbers have one index among the different ones of both. NaN is not among them. */
static hed_array *among_complex(const hed_array *x, const hed_array *test)
{
  hed_dtype t = hed__dtypes[hed__promote(x->view.dtype, test->view.dtype)];
  const int64_t n = hed__view_size(&x->view), m = hed__view_size(&test->view);
  hed_array *a = hed_reshape(hed_astype(x, t), HED_SHAPE(n)), *b = hed_reshape(hed_astype(test, t), HED_SHAPE(m));
  hed_array *both = a && b ? hed_concatenate(2, (const hed_array *const[]){ a, b }, 0) : NULL;
  const distinct d = both ? distinct_complex(both, (const bool[4]){ [2] = true }, false) : (distinct){ NULL, NULL, NULL, NULL };
  hed_array *found = d.inverse ? among(part(d.inverse, 0, n), part(d.inverse, n, n + m)) : NULL;
  return found ? hed_reshape(hed_logical_and(found, hed_logical_not(hed_isnan(a))), hed__shape_of(x)) : NULL;
}

static bool members(int op, const hed_array *a, const char *a_arg, const hed_array *b, const char *b_arg)
{
  const char *name = hed__op_rows[op].name;
  return hed__given(a, name, a_arg) && hed__given(b, name, b_arg) &&
         hed__check_domain(name, hed__op_rows[op].domain, a_arg, a->view.dtype) == HED_OK &&
         hed__check_domain(name, hed__op_rows[op].domain, b_arg, b->view.dtype) == HED_OK;
}

hed_array *HED_BODY(isin)(const hed_array *x, const hed_array *test)
{
  composed c;
  if (!members(HED_OP_ISIN, x, "x", test, "test") ||
      composed_begin(&c, HED_OP_ISIN, 2, (const hed_array *const[]){ x, test }) != HED_OK)
    return NULL;
  const bool is_complex = hed__id_kind(hed__promote(x->view.dtype, test->view.dtype)) == HED_KIND_COMPLEX;
  return composed_end(&c, is_complex ? among_complex(c.ex.in[0], c.ex.in[1]) : among(c.ex.in[0], c.ex.in[1]));
}

static hed_array *elements(const hed_array *x)
{
  hed_array *out = NULL;
  return hed_unique(x, NULL, &out, NULL, NULL, NULL) == HED_OK ? out : NULL;
}

/* Elements of the set A that are not in B. */
static hed_array *chosen(const hed_array *a, const hed_array *b)
{
  return hed_compress(a, hed_logical_not(among(a, b)));
}

static hed_array *joined(const hed_array *a, const hed_array *b)
{
  hed_array *flat_a = hed_reshape(a, HED_SHAPE(-1)), *flat_b = hed_reshape(b, HED_SHAPE(-1));
  return flat_a && flat_b ? hed_concatenate(2, (const hed_array *const[]){ flat_a, flat_b }, 0) : NULL;
}

/* Of signed integers and uint64, whose common type T cannot tell all of them apart: compared as they are, then rounded. */
static hed_array *set_of_mixed(int op, const hed_array *x, const hed_array *y, hed_dtype t)
{
  if (op == HED_OP_INTERSECT1D) {
    const hed_array *own = elements(x);
    return elements(hed_astype(hed_compress(own, among(own, y)), t));
  }
  hed_array *rest = hed_astype(chosen(elements(x), y), t);
  return elements(op == HED_OP_SETDIFF1D ? rest : joined(rest, hed_astype(chosen(elements(y), x), t)));
}

/* Of two sets sorted together: what is there twice, or what is not. */
static hed_array *twice(const hed_array *sorted, bool keep)
{
  const int64_t n = sorted ? sorted->view.dim[0] : 0;
  if (n == 0)
    return sorted ? hed_copy(sorted) : NULL;
  const hed_array *a = part(sorted, 0, n - 1), *b = part(sorted, 1, n), *end = hed_ones(HED_SHAPE(1), HED_BOOL);
  if (keep)
    return hed_compress(a, hed_equal(a, b));
  const hed_array *differ = hed_not_equal(a, b), *before[2] = { end, differ }, *behind[2] = { differ, end };
  return end && differ ? hed_compress(sorted, hed_logical_and(hed_concatenate(2, before, 0), hed_concatenate(2, behind, 0))) : NULL;
}

static hed_array *set_of(int op, const hed_array *a, const hed_array *b)
{
  composed c;
  if (!members(op, a, "a", b, "b") || composed_begin(&c, op, 2, (const hed_array *const[]){ a, b }) != HED_OK)
    return NULL;
  hed_dtype t = hed__dtypes[hed__promote(a->view.dtype, b->view.dtype)];
  hed_array *x = hed_astype(c.ex.in[0], t), *y = hed_astype(c.ex.in[1], t), *in = NULL, *out = NULL;
  bool few = false;
  if (op != HED_OP_UNION1D && hed__id_kind(hed__promote(a->view.dtype, b->view.dtype)) == HED_KIND_FLOAT &&
      hed__id_kind(a->view.dtype) != HED_KIND_FLOAT && hed__id_kind(b->view.dtype) != HED_KIND_FLOAT)
    return composed_end(&c, set_of_mixed(op, c.ex.in[0], c.ex.in[1], t));
  switch (op) {
  case HED_OP_UNION1D:
    out = elements(joined(x, y));
    break;
  case HED_OP_SETDIFF1D:
    out = chosen(elements(x), y);
    break;
  default:
    x = elements(x);
    y = elements(y);
    in = x && y ? among_few(x, y, &few) : NULL;
    if (few && op == HED_OP_INTERSECT1D)
      out = hed_compress(x, in);
    else if (few)
      out = hed_sort(joined(hed_compress(x, hed_logical_not(in)), chosen(y, x)), NULL);
    else
      out = twice(hed_sort(joined(x, y), NULL), op == HED_OP_INTERSECT1D);
  }
  return composed_end(&c, out);
}

#define SET(ID, name) \
  hed_array *HED_BODY(name)(const hed_array *a, const hed_array *b) { return set_of(HED_OP_##ID, a, b); }
SET(INTERSECT1D, intersect1d)
SET(UNION1D, union1d)
SET(SETDIFF1D, setdiff1d)
SET(SETXOR1D, setxor1d)
