// SPDX-License-Identifier: BSD-3-Clause
/* Search in ordered lists, counting and histograms: searchsorted, digitize, bincount, label_sum, label_mean, histogram. L3.
 *
 * Operands are brought to the types and to the one axis that kernels take; edges and extreme labels are read on the host.
 */
#include "api/call/check.h"
#include "api/image/filters.h"
#include "api/call/infer.h"
#include "base/alloc.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

/* ---- search ---- */

/* Both as one type, that in which they are compared, in the composed frame. Signed integers and uint64 have none: values beyond
 * the type of the sorted ones come before all of them or behind. */
static hed_array *search(const hed__exec *ex, const hed_array *sorted, const hed_array *values, bool right)
{
  if (!sorted || !values)
    return NULL;
  if (sorted->view.dtype == HED_ID_UINT64 && hed__id_kind(values->view.dtype) == HED_KIND_INT)
    return hed_where(hed_less(values, hed_scalar_int(0)), hed_scalar_int(0),
                     search(ex, sorted, hed_astype(values, HED_UINT64), right));
  if (values->view.dtype == HED_ID_UINT64 && hed__id_kind(sorted->view.dtype) == HED_KIND_INT) {
    const hed_array *wrapped = hed_astype(values, HED_INT64);
    return hed_where(hed_less(wrapped, hed_scalar_int(0)), hed_scalar_int(sorted->view.dim[0]),
                     search(ex, hed_astype(sorted, HED_INT64), wrapped, right));
  }
  int id = hed__promote(sorted->view.dtype, values->view.dtype);
  if (sorted->view.dtype != values->view.dtype)
    id = hed__compute_of(id);
  hed_array *s = hed_astype(sorted, hed__dtypes[id]), *v = hed_astype(values, hed__dtypes[id]);
  hed_array *out = s && v ? hed__array_new(ex->device, HED_ID_INT64, v->view.ndim, v->view.dim) : NULL;
  if (!out || hed__view_size(&out->view) == 0)
    return out;
  hed_searchsorted_params p = { right };
  const hed_array *in[2] = { s, v };
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .params = &p,
                                      .compute = hed__compute_of(id), .op = 1 + HED_OP_SEARCHSORTED }) == HED_OK ? out : NULL;
}

static bool one_axis(const char *op, const char *arg, const hed_array *x)
{
  if (x->view.ndim == 1)
    return true;
  hed_shape s = hed__shape_of(x);
  hed_fail(HED_E_SHAPE, "%s: %s has shape %s; one axis is needed", op, arg, HED__TEXT(&s));
  return false;
}

hed_array *HED_BODY(searchsorted)(const hed_array *sorted, const hed_array *values, bool right)
{
  const char *op = "searchsorted";
  if (!hed__given(sorted, op, "sorted") || !hed__given(values, op, "values") || !one_axis(op, "sorted", sorted) ||
      hed__check_domain(op, "bif", "sorted", sorted->view.dtype) != HED_OK ||
      hed__check_domain(op, "bif", "values", values->view.dtype) != HED_OK)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_SEARCHSORTED, 2, (const hed_array *const[]){ sorted, values }) != HED_OK)
    return NULL;
  return composed_end(&c, search(&c.ex, c.ex.in[0], c.ex.in[1], right));
}

/* *YES: are neighbours in list X all as COMPARE has them? False: that was not to be found out. */
static bool ordered(const hed_array *x, hed_array *(*compare)(const hed_array *, const hed_array *), int64_t *yes)
{
  const int64_t n = x->view.dim[0];
  const hed_array *first = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(0, n - 1, 1) });
  const hed_array *second = hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(1, n, 1) });
  return hed_item_int(hed_all(compare(first, second), NULL), yes) == HED_OK;
}

hed_array *HED_BODY(digitize)(const hed_array *x, const hed_array *bins, bool right)
{
  const char *op = "digitize";
  if (!hed__given(x, op, "x") || !hed__given(bins, op, "bins") || !one_axis(op, "bins", bins) ||
      hed__check_domain(op, "bif", "x", x->view.dtype) != HED_OK ||
      hed__check_domain(op, "bif", "bins", bins->view.dtype) != HED_OK)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_DIGITIZE, 2, (const hed_array *const[]){ x, bins }) != HED_OK)
    return NULL;
  const int64_t n = bins->view.dim[0];
  hed_array *out = NULL;
  int64_t up = 1, down = 1;
  if (n > 1 && (!ordered(c.ex.in[1], hed_less_equal, &up) || (!up && !ordered(c.ex.in[1], hed_greater_equal, &down))))
    return composed_end(&c, NULL);
  if (up) {
    out = search(&c.ex, c.ex.in[1], c.ex.in[0], !right);
  } else if (!down) {
    hed_fail(HED_E_INVAL, "%s: the %lld bins are neither ascending nor descending", op, (long long)n);
  } else { /* as many as are larger (RIGHT: not less) */
    hed_array *turned = hed_flip(c.ex.in[1], NULL);
    hed_array *before = turned ? search(&c.ex, turned, c.ex.in[0], !right) : NULL;
    out = hed_subtract(hed_scalar_int(n), before);
  }
  return composed_end(&c, out);
}

/* ---- counting ---- */

/* Runs BINCOUNT or HISTOGRAM: operands with one axis, a new list of N int64, or of WEIGHTS' type. NULL operands come from
 * failures before. */
static hed_array *tally(const hed__exec *ex, int op, const hed_array *x, const hed_array *edges, const hed_array *weights,
                        bool weighted, int64_t n, const void *params, int compute)
{
  hed_shape one = { 1, { n } };
  int id = weighted ? hed__wide_float(ex->device)->id : HED_ID_INT64;
  const hed_array *in[3] = { x, NULL, NULL };
  int count = 1;
  if (!x || (op == HED_OP_HISTOGRAM && !edges) || (weighted && !weights) ||
      hed__check_shape(hed__op_rows[ex->op].name, "the result's shape", &one, id) != HED_OK)
    return NULL;
  if (edges)
    in[count++] = edges;
  if (weighted)
    in[count++] = weights;
  hed_array *out = hed__array_new(ex->device, id, 1, one.dim);
  if (!out || n == 0)
    return out;
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = count, .out = &out, .in = in, .params = params,
                                      .compute = compute, .op = 1 + op }) == HED_OK ? out : NULL;
}

static hed_array *flat_as(const hed_array *x, hed_dtype t)
{
  return hed_reshape(hed_astype(x, t), HED_SHAPE(-1));
}

static bool same_shape(const char *op, const char *arg, const hed_array *a, const char *other, const hed_array *b)
{
  hed_shape s = hed__shape_of(a), t = hed__shape_of(b);
  if (hed__shape_equal(s.ndim, s.dim, t.ndim, t.dim))
    return true;
  hed_fail(HED_E_SHAPE, "%s: %s has shape %s and %s %s", op, arg, HED__TEXT(&s), other, HED__TEXT(&t));
  return false;
}

/* *OUT := the only element of REDUCE of X, operand ARG, or NONE when X has no elements; in the composed frame. */
static bool item_of(const char *op, const char *arg, const hed_array *x,
                    hed_array *(*reduce)(const hed_array *, const hed_reduce *), int64_t none, int64_t *out)
{
  *out = none;
  return hed__view_size(&x->view) == 0 || hed__item_of(op, arg, reduce(x, NULL), out) == HED_OK;
}

static bool countable(int64_t element)
{
  if (element >= 0 && element < INT64_MAX)
    return true;
  hed_fail(HED_E_INVAL, "bincount: x has the element %lld; counts are of integers from 0 on", (long long)element);
  return false;
}

hed_array *HED_BODY(bincount)(const hed_array *x, const hed_array *weights, int64_t minlength)
{
  const char *op = "bincount";
  if (!hed__given(x, op, "x") || hed__check_domain(op, hed__op_rows[HED_OP_BINCOUNT].domain, "x", x->view.dtype) != HED_OK)
    return NULL;
  if (minlength < 0) {
    hed_fail(HED_E_INVAL, "%s: minlength is %lld, at least 0 is needed", op, (long long)minlength);
    return NULL;
  }
  if (weights && (hed__check_domain(op, "bif", "weights", weights->view.dtype) != HED_OK ||
                  !same_shape(op, "weights", weights, "x", x)))
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_BINCOUNT, weights ? 2 : 1, (const hed_array *const[]){ x, weights }) != HED_OK)
    return NULL;
  const hed_array *in = c.ex.in[0];
  const int64_t size = hed__view_size(&in->view);
  int64_t least = 0, largest, counted = size;
  hed_array *out = NULL;
  if (item_of(op, "x", in, hed_max, 0, &largest) && countable(largest)) {
    const int64_t n = size && largest >= minlength ? largest + 1 : minlength;
    /* that some are negative shows in the counts, where adding them up does not take longer than looking for the least */
    const bool shows = !weights && n <= size;
    if (shows || (item_of(op, "x", in, hed_min, 0, &least) && countable(least)))
      out = tally(&c.ex, HED_OP_BINCOUNT, hed_reshape(in, HED_SHAPE(-1)), NULL,
                  weights ? flat_as(c.ex.in[1], hed__wide_float(c.ex.device)) : NULL, weights != NULL, n, NULL, HED_ID_INT64);
    if (out && shows && (!item_of(op, "x", out, hed_sum, 0, &counted) || counted != size)) {
      if (counted != size && item_of(op, "x", in, hed_min, 0, &least))
        countable(least);
      out = NULL;
    }
  }
  return composed_end(&c, out);
}

/* Sums over counts; where a sum of numbers that are AS_WIDE left the range, that of numbers divided by a power of two. */
static hed_array *label_means(const hed__exec *ex, const hed_array *list, const hed_array *weights, int64_t n, bool as_wide)
{
  int64_t finite = !as_wide;
  const hed_array *sum = tally(ex, HED_OP_BINCOUNT, list, NULL, weights, true, n, NULL, HED_ID_INT64);
  const hed_array *count = tally(ex, HED_OP_BINCOUNT, list, NULL, NULL, false, n, NULL, HED_ID_INT64);
  if (!sum || !count || !(count = hed_astype(count, hed_array_dtype(sum))))
    return NULL;
  hed_array *mean = hed_divide(sum, count), *good = finite ? NULL : hed_isfinite(sum);
  if (good && ex->device->host && hed_item_int(hed_all(good, NULL), &finite) != HED_OK) /* on others to ask is to wait */
    return NULL;
  if (finite)
    return mean;
  int bits;
  (void)frexp((double)hed__view_size(&weights->view), &bits);
  sum = tally(ex, HED_OP_BINCOUNT, list, NULL, hed_multiply_scalar(weights, ldexp(1, -bits)), true, n, NULL, HED_ID_INT64);
  return hed_where(good, mean, hed_multiply_scalar(hed_divide(sum, count), ldexp(1, bits)));
}

static hed_array *label_reduce(int op, const hed_array *values, const hed_array *labels, int64_t n)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(values, name, "values") || !hed__given(labels, name, "labels") ||
      hed__check_domain(name, hed__op_rows[op].domain, "values", values->view.dtype) != HED_OK ||
      hed__check_domain(name, "bi", "labels", labels->view.dtype) != HED_OK ||
      !same_shape(name, "labels", labels, "values", values))
    return NULL;
  if (n < 0) {
    hed_fail(HED_E_INVAL, "%s: n is %lld, at least 0 is needed", name, (long long)n);
    return NULL;
  }
  composed c;
  const char *const arg = "values";
  if (composed_begin(&c, op, 2, (const hed_array *const[]){ values, labels }) != HED_OK)
    return NULL;
  int64_t largest;
  hed_array *out = NULL;
  hed_dtype wide = hed__wide_float(c.ex.device);
  int id = hed__infer_operands(op, 1, &values, &arg);
  if (id >= 0 && (n > 0 || item_of(name, "labels", c.ex.in[1], hed_max, -1, &largest))) {
    if (n == 0)
      n = largest < 0 || largest == INT64_MAX ? 0 : largest + 1;
    hed_array *list = hed_reshape(c.ex.in[1], HED_SHAPE(-1)), *weights = flat_as(c.ex.in[0], wide);
    out = op == HED_OP_LABEL_SUM ? tally(&c.ex, HED_OP_BINCOUNT, list, NULL, weights, true, n, NULL, HED_ID_INT64)
                                 : label_means(&c.ex, list, weights, n, values->view.dtype == wide->id);
    out = hed_astype(out, hed__dtypes[id]);
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(label_sum)(const hed_array *values, const hed_array *labels, int64_t n)
{
  return label_reduce(HED_OP_LABEL_SUM, values, labels, n);
}

hed_array *HED_BODY(label_mean)(const hed_array *values, const hed_array *labels, int64_t n)
{
  return label_reduce(HED_OP_LABEL_MEAN, values, labels, n);
}

/* ---- histogram ---- */

/* The N + 1 edges (hed__buffer_free) of bins in equal steps, or those that were given; NULL with the error set. X is not empty
 * unless a range is given. */
static double *make_edges(const hed_array *x, const hed_histogram_options *opt, int64_t *n)
{
  const char *op = "histogram";
  if (opt->edges) {
    if (!one_axis(op, "edges", opt->edges))
      return NULL;
    *n = opt->edges->view.dim[0] - 1;
    double *edges = hed__host_list(op, "edges", opt->edges, *n + 1);
    if (!edges)
      return NULL;
    hed_status status = *n < 1 ? hed_fail(HED_E_SHAPE, "%s: %lld edges are given, at least 2 are needed", op,
                                          (long long)(*n + 1)) : HED_OK;
    for (int64_t k = 0; k < *n && status == HED_OK; k++)
      if (!(edges[k] <= edges[k + 1]))
        status = hed_fail(HED_E_INVAL, "%s: edges[%lld] is %g and the next %g; they have to ascend", op, (long long)k,
                          edges[k], edges[k + 1]);
    if (status == HED_OK)
      return edges;
    hed__buffer_free(edges);
    return NULL;
  }
  double low = opt->low, high = opt->high;
  *n = opt->bins ? opt->bins : 10;
  if (*n < 1) {
    hed_fail(HED_E_INVAL, "%s: bins is %lld, at least 1 is needed", op, (long long)*n);
    return NULL;
  }
  if (!opt->use_range) {
    low = 0;
    high = 1;
    if (hed__view_size(&x->view) > 0) {
      hed_array *least = hed_min(x, NULL), *largest = hed_max(x, NULL);
      if (!least || !largest || hed_item(least, &low) != HED_OK || hed_item(largest, &high) != HED_OK)
        return NULL;
    }
  }
  if (!isfinite(low) || !isfinite(high) || low > high) {
    hed_fail(HED_E_INVAL, "%s: the range [%g, %g] is not one of finite numbers in order", op, low, high);
    return NULL;
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  double *edges = hed__buffer_new(*n < INT64_MAX / 16 ? (size_t)(*n + 1) * sizeof *edges : SIZE_MAX, op);
  if (!edges)
    return NULL;
  const double step = (high - low) / (double)*n;
  for (int64_t k = 0; k < *n; k++) {
    const double part = (double)k / (double)*n;
    edges[k] = isinf(step) ? low * (1 - part) + high * part : low + (double)k * step;
  }
  edges[*n] = high;
  return edges;
}

hed_status HED_BODY(histogram)(const hed_array *x, const hed_histogram_options *opt, hed_array **hist, hed_array **edges)
{
  static const hed_histogram_options defaults;
  const char *op = "histogram";
  if (hist)
    *hist = NULL;
  if (edges)
    *edges = NULL;
  if (!hed__given(x, op, "x"))
    return hed_error();
  if (!opt)
    opt = &defaults;
  hed_status status = hed__check_domain(op, hed__op_rows[HED_OP_HISTOGRAM].domain, "x", x->view.dtype);
  if (status == HED_OK && opt->weights) {
    status = hed__check_domain(op, "bif", "weights", opt->weights->view.dtype);
    if (status == HED_OK && !same_shape(op, "weights", opt->weights, "x", x))
      status = hed_error();
  }
  if (status != HED_OK)
    return status;
  composed c;
  status = composed_begin(&c, HED_OP_HISTOGRAM, opt->weights ? 2 : 1, (const hed_array *const[]){ x, opt->weights });
  if (status != HED_OK)
    return status;
  int64_t n = 0;
  hed_array *result[2] = { NULL, NULL };
  double *list = NULL;
  int64_t ascend = 0;
  hed_dtype wide = hed__wide_float(c.ex.device);
  if (opt->edges && opt->edges->storage->device == c.ex.device && !c.ex.device->host && opt->edges->view.ndim == 1 &&
      (n = opt->edges->view.dim[0] - 1) > 0 && ordered(opt->edges, hed_less_equal, &ascend) && ascend)
    result[1] = hed_copy(hed_astype(opt->edges, wide));
  else if ((list = make_edges(c.ex.in[0], opt, &n))) /* which says what is wrong */
    result[1] = hed__from_doubles(list, n + 1);
  if (result[1]) {
    hed_histogram_params p = { .uniform = !opt->edges };
    hed_array *flat = hed_reshape(c.ex.in[0], HED_SHAPE(-1));
    result[0] = tally(&c.ex, HED_OP_HISTOGRAM, flat, result[1], opt->weights ? flat_as(c.ex.in[1], wide) : NULL,
                      opt->weights != NULL, n, &p, hed__compute_of(x->view.dtype));
    if (opt->density && result[0]) {
      for (int64_t k = 0; list && k < n; k++) /* of the edges as they were, before a narrow device rounded them */
        list[k] = list[k + 1] - list[k];
      hed_array *amount = hed_astype(result[0], wide);
      hed_array *width = list ? hed__from_doubles(list, n) : hed_diff(result[1], 1, 0);
      result[0] = hed_divide(hed_divide(amount, hed_sum(amount, NULL)), width);
    }
  }
  hed__buffer_free(list);
  return composed_end_all(&c, 2, result, (hed_array **const[]){ hist, edges });
}
