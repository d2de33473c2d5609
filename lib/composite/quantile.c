// SPDX-License-Identifier: BSD-3-Clause
/* Quantiles over any axes: quantile, percentile, median, nanmedian. L3.
 *
 * The kernel works over the last axis, so the reduced axes are moved to the end and joined (a copy where a view cannot
 * do it). It takes a limited number of values of q; longer lists are done in parts.
 */
#include "api/call/infer.h"
#include "api/reduce/reduce.h"
#include "composite/composed.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

/* A list of values, or (LIST false) one value without the leading axis; Q is SCALE times the quantile. */
typedef struct request {
  int op;
  int32_t n;
  const double *q;
  double scale;
  bool list;
  const char *q_name;
} request;

/* Reduced axes last and as one: (kept axes, elements of a lane). */
static hed_array *as_lanes(const hed_array *x, uint32_t mask)
{
  hed_axes order = { 0, { 0 } };
  hed_shape shape = { 0, { 0 } };
  int64_t lane = 1;
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < x->view.ndim; k++)
      if ((int)(mask >> k & 1u) == side) {
        order.axis[order.n++] = k;
        if (side)
          lane *= x->view.dim[k];
        else
          shape.dim[shape.ndim++] = x->view.dim[k];
      }
  shape.dim[shape.ndim++] = lane;
  return hed_reshape(x->view.ndim ? hed_transpose(x, &order) : x, shape);
}

static hed_status run_parts(const hed__exec *ex, const request *r, const hed_quantiles *opt, const hed_array *lanes,
                            hed_array *out, int compute)
{
  hed_status status = HED_OK;
  for (int32_t done = 0; done < r->n && status == HED_OK && hed__view_size(&out->view) > 0; done += HED_QUANTILE_MOST) {
    hed_quantile_params p = { .method = opt->method, .omit_nan = opt->omit_nan, .n = r->n - done };
    if (p.n > HED_QUANTILE_MOST)
      p.n = HED_QUANTILE_MOST;
    for (int32_t k = 0; k < p.n; k++)
      p.q[k] = r->q[done + k] / r->scale;
    hed_view part = out->view;
    const hed_view *out_view = &part;
    hed__narrow(&part, 0, done, p.n, 1);
    status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = &lanes, .out_view = &out_view,
                                          .params = &p, .compute = hed__compute_of(compute),
                                          .op = 1 + HED_OP_QUANTILE });
  }
  return status;
}

static hed_array *quantiles(const request *r, const hed_array *x, const hed_quantiles *opt)
{
  static const hed_quantiles defaults;
  const char *name = hed__op_rows[r->op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  if (!opt)
    opt = &defaults;
  uint32_t mask;
  if (hed__check_axes(name, &opt->axes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  if (r->n < 1 || !r->q) {
    hed_fail(HED_E_INVAL, "%s: n is %d and %s %s; at least one value is needed", name, (int)r->n, r->q_name,
             r->q ? "is given" : "is NULL");
    return NULL;
  }
  for (int32_t k = 0; k < r->n; k++)
    if (!(r->q[k] >= 0 && r->q[k] <= r->scale)) {
      hed_fail(HED_E_INVAL, "%s: %s[%d] is %g, outside of [0, %g]", name, r->q_name, (int)k, r->q[k], r->scale);
      return NULL;
    }
  if (opt->method < HED_QUANTILE_LINEAR || opt->method > HED_QUANTILE_NEAREST) {
    hed_fail(HED_E_INVAL, "%s: method is %d; there are 0 to %d", name, (int)opt->method, HED_QUANTILE_NEAREST);
    return NULL;
  }
  hed_shape keep, plain, shape = { 1, { r->n } };
  hed__reduced_shapes(x, mask, &keep, &plain);
  if (r->list && (opt->keepdims ? keep : plain).ndim == HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: the result would have %d axes, %d are possible", name, HED_MAX_NDIM + 1, HED_MAX_NDIM);
    return NULL;
  }
  for (int k = 0; k < plain.ndim; k++)
    shape.dim[shape.ndim++] = plain.dim[k];

  composed c;
  int compute, id;
  hed_array *out = NULL;
  if (composed_begin(&c, r->op, 1, &x) != HED_OK)
    return NULL;
  if (hed__reduce_types(r->op, x, opt->dtype, c.ex.device, &compute, &id) == HED_OK &&
      (id = hed__infer_on(name, id, c.ex.device)) >= 0) {
    const hed_array *lanes = as_lanes(c.ex.in[0], mask);
    if (lanes && hed__check_shape(name, "the result's shape", &shape, id) == HED_OK)
      out = hed__array_new(c.ex.device, id, shape.ndim, shape.dim);
    if (out && run_parts(&c.ex, r, opt, lanes, out, compute) != HED_OK)
      out = NULL;
    if (opt->keepdims || !r->list) {
      const hed_shape *last = opt->keepdims ? &keep : &plain;
      shape.ndim = r->list;
      for (int k = 0; k < last->ndim; k++)
        shape.dim[shape.ndim++] = last->dim[k];
      out = hed_reshape(out, shape);
    }
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(quantile)(const hed_array *x, int32_t n, const double *q, const hed_quantiles *opt)
{
  return quantiles(&(request){ HED_OP_QUANTILE, n, q, 1, true, "q" }, x, opt);
}

hed_array *HED_BODY(percentile)(const hed_array *x, int32_t n, const double *percent, const hed_quantiles *opt)
{
  return quantiles(&(request){ HED_OP_PERCENTILE, n, percent, 100, true, "percent" }, x, opt);
}

static hed_array *median(int op, const hed_array *x, const hed_reduce *opt, bool omit_nan)
{
  static const double half = 0.5;
  hed_quantiles o = { .omit_nan = omit_nan };
  if (opt) {
    o.axes = opt->axes;
    o.keepdims = opt->keepdims;
    o.dtype = opt->dtype;
  }
  return quantiles(&(request){ op, 1, &half, 1, false, "q" }, x, &o);
}

hed_array *HED_BODY(median)(const hed_array *x, const hed_reduce *opt)
{
  return median(HED_OP_MEDIAN, x, opt, false);
}

hed_array *HED_BODY(nanmedian)(const hed_array *x, const hed_reduce *opt)
{
  return median(HED_OP_NANMEDIAN, x, opt, true);
}
