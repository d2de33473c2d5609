// SPDX-License-Identifier: BSD-3-Clause
/*
 * max_correlation: a template's correlation with a target's spectrum, normalised, into a running maximum. L3.
 */
#include "api/check.h"
#include "api/infer.h"
#include "core/context.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const char op[] = "max_correlation";

enum { X, MASK, SPECTRUM, SPECTRUM_SQ, BEST, FROM, OPERANDS };
static const char *const names[OPERANDS] = { "x", "opt->mask", "spectrum", "opt->spectrum_sq", "max_scores", "rotations" };

static hed_status check_types(const hed_array *const a[OPERANDS])
{
  const int id = a[X]->view.dtype;
  if (id != HED_ID_FLOAT32 && id != HED_ID_FLOAT64)
    return hed_fail(HED_E_DTYPE, "%s: x is %s; float32 and float64 can be correlated", op, hed__dtypes[id]->name);
  const int want[OPERANDS] = { id, id, hed__complex_of(id), hed__complex_of(id), id, HED_ID_INT32 };
  for (int k = 0; k < OPERANDS; k++)
    if (a[k]->view.dtype != want[k])
      return hed_fail(HED_E_DTYPE, "%s: %s is %s; with x of %s it must be %s", op, names[k],
                      hed__dtypes[a[k]->view.dtype]->name, hed__dtypes[id]->name, hed__dtypes[want[k]]->name);
  return HED_OK;
}

static hed_status check_shapes(const hed_array *const a[OPERANDS])
{
  hed_shape x = hed__shape_of(a[X]), best = hed__shape_of(a[BEST]), half = best;
  bool fits = x.ndim == best.ndim && best.ndim >= 1 && best.ndim <= 3;
  for (int k = 0; k < best.ndim && fits; k++)
    fits = x.dim[k] >= 1 && x.dim[k] <= best.dim[k];
  if (!fits)
    return hed_fail(HED_E_SHAPE, "%s: x of shape %s does not fit into %s, max_scores' of 1 to 3 axes", op, HED__TEXT(&x),
                    HED__TEXT(&best));
  half.dim[half.ndim - 1] = half.dim[half.ndim - 1] / 2 + 1;
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

hed_status hed_max_correlation(const hed_array *x, const hed_array *spectrum, const hed_correlation *opt,
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
