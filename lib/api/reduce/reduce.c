// SPDX-License-Identifier: BSD-3-Clause
/* Reductions over any set of axes: bodies of HED_REDUCE from ops.def. L3.
 *
 * Kernels see the result in its keepdims form (reduced axes of extent 1); the array given back, or the caller's OUT,
 * is the same memory with those axes left out.
 */
#include "api/reduce/reduce.h"

#include "api/elementwise/fuse.h"
#include "api/call/infer.h"
#include "core/record/capture.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_reduce defaults;

/* V, a view of shape PLAIN or KEEP, seen in shape KEEP. */
static void keep_view(const hed_view *v, uint32_t mask, const hed_shape *keep, bool keepdims, hed_view *out)
{
  *out = *v;
  if (keepdims)
    return;
  out->ndim = keep->ndim;
  for (int k = 0, j = 0; k < keep->ndim; k++) {
    bool reduced = mask >> k & 1u;
    out->dim[k] = keep->dim[k];
    out->stride[k] = reduced ? 0 : v->stride[j];
    j += !reduced;
  }
}

/* VAR and STD with a correction that is no integer: from those without, times n / (n - correction). */
static hed_status corrected(int op, const hed_array *x, const hed_reduce *opt, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[op].name;
  const double correction = opt->ddof + opt->correction;
  hed_reduce plain = *opt;
  plain.ddof = 0;
  plain.correction = 0;
  if (op != HED_OP_VAR && op != HED_OP_STD)
    return hed__reduce(op, x, 0, &plain, out, result);
  if (!isfinite(opt->correction))
    return hed_fail(HED_E_INVAL, "%s: option correction is %g", name, opt->correction);
  if (correction == floor(correction) && fabs(correction) < INT32_MAX) {
    plain.ddof = (int32_t)correction;
    return hed__reduce(op, x, 0, &plain, out, result);
  }
  uint32_t mask;
  if (!hed__given(x, name, "x") || hed__check_axes(name, &opt->axes, x->view.ndim, &mask) != HED_OK)
    return hed_error();
  double n = 1;
  for (int k = 0; k < x->view.ndim; k++)
    n *= mask >> k & 1u ? (double)x->view.dim[k] : 1;
  const double freedom = n > correction ? n - correction : 0;
  hed_array *made = NULL;
  hed_status status = hed__reduce(op, x, 0, &plain, NULL, &made);
  if (status == HED_OK) {
    hed_array *to = out ? out : made;
    const double factor = n / freedom;
    status = hed_multiply_scalar_into(to, made, op == HED_OP_VAR ? factor : sqrt(factor));
  }
  if (status != HED_OK || out)
    hed_release(made);
  else
    *result = made;
  return status;
}

static hed_status recorded(hed__tls *t, int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out,
                           hed_array **result)
{
  hed_array *made = NULL;
  hed__capture *const capture = hed__capturing();
  hed_status status = hed__record_writes(t, out, op);
  if (status != HED_OK)
    return status;
  const uint8_t was = hed__record_hold(t), captures = hed__capture_hold(t);
  status = hed__reduce(op, x, order, opt, out, &made);
  hed__capture_resume(t, captures);
  hed__record_resume(t, was);
  if (status == HED_OK && capture)
    hed__capture_reduce(capture, op, x, order, opt, out ? out : made, out != NULL);
  if (status == HED_OK && was)
    hed__note_reduce(t, op, x, order, opt, out ? out : made, out != NULL);
  if (result)
    *result = made;
  return status;
}

hed_status hed__reduce(int op, const hed_array *x, double order, const hed_reduce *opt, hed_array *out,
                       hed_array **result)
{
  if (hed__noting())
    return recorded(hed__self, op, x, order, opt, out, result);
  if (opt && opt->correction != 0)
    return corrected(op, x, opt, out, result);
  const char *name = hed__op_rows[op].name;
  hed_array *taken = NULL;
  if (hed__fusing() && hed__fuse_reduce(op, x, opt, out, &taken)) {
    if (result)
      *result = taken;
    return taken ? HED_OK : hed_error();
  }
  if (!hed__given(x, name, "x") || (out && !hed__given(out, name, "out")))
    return hed_error();
  if (!opt)
    opt = &defaults;
  uint32_t mask;
  hed_status status = hed__check_axes(name, &opt->axes, x->view.ndim, &mask);
  if (status != HED_OK)
    return status;
  hed_shape keep, plain;
  hed__reduced_shapes(x, mask, &keep, &plain);
  const hed_shape *shape = opt->keepdims ? &keep : &plain;
  if ((op == HED_OP_MAX || op == HED_OP_MIN || op == HED_OP_ARGMAX || op == HED_OP_ARGMIN) &&
      (status = hed__check_elements(name, x, mask)) != HED_OK)
    return status;
  if (out && (status = hed__check_out(name, out, shape->ndim, shape->dim)) != HED_OK)
    return status;

  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  status = hed__plan(&ex, op, out ? 2 : 1, operands);
  if (status != HED_OK)
    return status;
  int compute, id;
  hed_array *made = NULL;
  status = hed__reduce_types(op, x, opt->dtype, ex.device, &compute, &id);
  if (status == HED_OK && out) {
    status = hed__check_writable(name, &ex, 1);
    if (status == HED_OK)
      status = hed__check_overlap(name, out, &out->view, "out", ex.in[0], &ex.in[0]->view, "x", false);
  } else if (status == HED_OK) {
    id = hed__infer_on(name, id, ex.device);
    status = id < 0 ? (hed_status)id : HED_OK;
    if (status == HED_OK && !(made = hed__array_new(ex.device, id, shape->ndim, shape->dim)))
      status = hed_error();
  }
  if (status == HED_OK) {
    hed_array *target = out ? out : made;
    hed_view view;
    keep_view(&target->view, mask, &keep, opt->keepdims, &view);
    const hed_view *out_view = &view;
    hed_reduce_params params = { .axes = mask, .ddof = opt->ddof, .order = order };
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &target, .in = ex.in,
                                           .out_view = &out_view, .params = &params,
                                           .compute = hed__compute_of(compute) });
  }
  hed__exec_end(&ex);
  if (status != HED_OK)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

/* Everything of a contiguous array whose type needs no thought. False: not taken. */
static bool reduce_quick(int op, const hed_array *x, const hed_reduce *opt, hed_array **result)
{
  if (!x || !x->flat || x->size == 0 || x->weak || (x->view.dtype != HED_ID_FLOAT32 && x->view.dtype != HED_ID_FLOAT64) ||
      (opt && (opt->axes.n || opt->keepdims || opt->dtype || opt->correction != 0)))
    return false;
  switch (op) {
  case HED_OP_SUM: case HED_OP_MEAN: case HED_OP_VAR: case HED_OP_STD: case HED_OP_MAX: case HED_OP_MIN: break;
  default: return false;
  }
  const hed_reduce_params params = { .axes = (1u << x->view.ndim) - 1, .ddof = opt ? opt->ddof : 0 };
  return hed__reduce_host(op, x, x->view.dtype, &params, result);
}

static hed_array *reduce_new(int op, const hed_array *x, const hed_reduce *opt)
{
  hed_array *result = NULL;
  if (reduce_quick(op, x, opt, &result))
    return result;
  return hed__reduce(op, x, 0, opt, NULL, &result) == HED_OK ? result : NULL;
}

hed_array *hed__reduce_own(int op, const hed_array *x, const hed_reduce *opt)
{
  return reduce_new(op, x, opt);
}

static hed_status reduce_into(int op, hed_array *out, const hed_array *x, const hed_reduce *opt)
{
  if (!hed__named(out, hed__op_rows[op].name, "out"))
    return hed_error();
  return hed__reduce(op, x, 0, opt, out, NULL);
}

#define HED_REDUCE(ID, name, domain, result, doc)                                                  \
  hed_array *hed_##name(const hed_array *x, const hed_reduce *opt)                                 \
  {                                                                                                \
    return reduce_new(HED_OP_##ID, x, opt);                                                        \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *x, const hed_reduce *opt)          \
  {                                                                                                \
    return reduce_into(HED_OP_##ID, out, x, opt);                                                  \
  }
#include <heddle/ops.def>
