// SPDX-License-Identifier: BSD-3-Clause
/* max_correlation: a template's correlation with a target's spectrum, normalised, into a running maximum. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "base/shape.h"
#include "core/context/context.h"
#include "core/dispatch/fallback.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

static const char op[] = "max_correlation";

enum { X, MASK, SPECTRUM, SPECTRUM_SQ, BEST, FROM, OPERANDS };
static const char *const names[OPERANDS] = { "x", "opt->mask", "spectrum", "opt->spectrum_sq", "max_scores", "rotations" };

static hed_status check_type(const char *name, const char *what, int id)
{
  if (id != HED_ID_FLOAT32 && id != HED_ID_FLOAT64)
    return hed_fail(HED_E_DTYPE, "%s: %s is %s; float32 and float64 can be correlated", name, what, hed__dtypes[id]->name);
  return HED_OK;
}

static hed_status check_types(const hed_array *const a[OPERANDS])
{
  const int id = a[X]->view.dtype;
  const hed_status status = check_type(op, names[X], id);
  if (status != HED_OK)
    return status;
  const int want[OPERANDS] = { id, id, hed__complex_of(id), hed__complex_of(id), id, HED_ID_INT32 };
  for (int k = 0; k < OPERANDS; k++)
    if (a[k]->view.dtype != want[k])
      return hed_fail(HED_E_DTYPE, "%s: %s is %s; with x of %s it must be %s", op, names[k],
                      hed__dtypes[a[k]->view.dtype]->name, hed__dtypes[id]->name, hed__dtypes[want[k]]->name);
  return HED_OK;
}

static hed_shape half_of(hed_shape s)
{
  s.dim[s.ndim - 1] = s.dim[s.ndim - 1] / 2 + 1;
  return s;
}

static hed_status check_extents(const char *name, hed_shape x, hed_shape best)
{
  bool fits = x.ndim == best.ndim && best.ndim >= 1 && best.ndim <= 3;
  for (int k = 0; k < best.ndim && fits; k++)
    fits = x.dim[k] >= 1 && x.dim[k] <= best.dim[k];
  if (!fits)
    return hed_fail(HED_E_SHAPE, "%s: x of shape %s does not fit into %s, max_scores' of 1 to 3 axes", name, HED__TEXT(&x),
                    HED__TEXT(&best));
  return HED_OK;
}

static hed_status check_shapes(const hed_array *const a[OPERANDS])
{
  const hed_shape x = hed__shape_of(a[X]), best = hed__shape_of(a[BEST]);
  const hed_status status = check_extents(op, x, best);
  if (status != HED_OK)
    return status;
  const hed_shape half = half_of(best);
  const hed_shape *want[OPERANDS] = { &x, &x, &half, &half, &best, &best };
  for (int k = 0; k < OPERANDS; k++) {
    hed_shape got = hed__shape_of(a[k]);
    if (!hed__shape_equal(got.ndim, got.dim, want[k]->ndim, want[k]->dim))
      return hed_fail(HED_E_SHAPE, "%s: %s has shape %s, not %s", op, names[k], HED__TEXT(&got), HED__TEXT(want[k]));
  }
  return HED_OK;
}

static hed_status check_results(const hed_array *const a[OPERANDS])
{
  hed_status status = HED_OK;
  for (int r = BEST; r <= FROM && status == HED_OK; r++) {
    status = hed__check_out(op, a[r], a[r]->view.ndim, a[r]->view.dim);
    for (int k = 0; k < r && status == HED_OK; k++)
      status = hed__check_overlap(op, a[r], &a[r]->view, names[r], a[k], &a[k]->view, names[k], false);
  }
  return status;
}

hed_status HED_BODY(max_correlation)(const hed_array *x, const hed_array *spectrum, const hed_correlation *opt,
                               hed_array *max_scores, hed_array *rotations, int32_t index)
{
  const bool masked = opt && (opt->mask || opt->spectrum_sq);
  const hed_array *a[OPERANDS] = { x, masked ? opt->mask : x, spectrum, masked ? opt->spectrum_sq : spectrum, max_scores,
                                   rotations };
  for (int k = 0; k < OPERANDS; k++)
    if (!hed__given(a[k], op, names[k]))
      return hed_error();
  if (masked && (!(opt->n_obs > 0) || isinf(opt->n_obs) || isnan(opt->eps)))
    return hed_fail(HED_E_INVAL, "%s: n_obs = %g must be above 0 and finite, eps = %g a number", op, opt->n_obs, opt->eps);
  hed_status status = check_types(a);
  if (status == HED_OK)
    status = check_shapes(a);
  if (status == HED_OK)
    status = check_results(a);
  hed__exec ex;
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_MAX_CORRELATION, OPERANDS, a)) != HED_OK)
    return status;
  if ((status = hed__check_writable(op, &ex, BEST)) == HED_OK && (status = hed__check_writable(op, &ex, FROM)) == HED_OK) {
    hed_array *out[2] = { max_scores, rotations };
    hed_maxcorr_params params = { .index = index, .effort = ex.context->effort, .normalise = masked };
    if (masked) {
      params.n_obs = opt->n_obs;
      params.eps = opt->eps;
    }
    status = hed__run(&ex, &(hed__launch){ .n_out = 2, .n_in = OPERANDS, .out = out, .in = ex.in, .params = &params,
                                           .compute = hed__complex_of(x->view.dtype) });
  }
  hed__exec_end(&ex);
  return status;
}

static hed_view view_of(hed_shape s, int id)
{
  hed_view v = { .dtype = id, .ndim = s.ndim };
  memcpy(v.dim, s.dim, sizeof v.dim);
  hed__c_strides(v.ndim, v.dim, hed__id_size(id), v.stride);
  return v;
}

hed_status hed_max_correlation_workspace(hed_shape x, hed_shape max_scores, hed_dtype t, bool masked, size_t *bytes)
{
  static const char name[] = "max_correlation_workspace";
  if (!t || !bytes)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", name, t ? "bytes" : "t");
  const int id = hed_dtype_id_of(t);
  hed_status status = check_type(name, "t", id);
  if (status == HED_OK)
    status = hed__check_shape(name, "x", &x, id);
  if (status == HED_OK)
    status = hed__check_shape(name, "max_scores", &max_scores, hed__complex_of(id));
  if (status == HED_OK)
    status = check_extents(name, x, max_scores);
  if (status != HED_OK)
    return status;
  const hed_view small = view_of(x, id), half = view_of(half_of(max_scores), hed__complex_of(id));
  const hed_view best = view_of(max_scores, id), from = view_of(max_scores, HED_ID_INT32);
  const hed_view *const in[OPERANDS] = { &small, &small, &half, &half, &best, &from };
  const hed_maxcorr_params params = { .normalise = masked };
  hed_call call = { .op = HED_OP_MAX_CORRELATION, .n_in = OPERANDS, .n_out = 2, .in = in, .out = in + BEST,
                    .params = &params, .compute = hed__complex_of(id) };
  return hed__workspace(&call, bytes);
}
