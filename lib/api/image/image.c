// SPDX-License-Identifier: BSD-3-Clause
/* Image operations with kernels: affine_transform into an array, norm_scores, max_score_over_rotations. L3. */
#include "api/image/image.h"

#include "api/call/check.h"
#include "api/elementwise/elementwise.h"
#include "api/call/infer.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

int hed__spline_order(const char *op, int32_t spline)
{
  switch (spline) {
  case HED_SPLINE_NEAREST: return 0;
  case HED_SPLINE_LINEAR: return 1;
  case HED_SPLINE_DEFAULT:
  case HED_SPLINE_CUBIC: return 3;
  default: return hed_fail(HED_E_INVAL, "%s: spline is %d, 0 to 3 are possible", op, (int)spline);
  }
}

hed_status hed__affine_into(const char *op, hed_array *out, const char *out_arg, const hed_array *x, const char *x_arg,
                            const hed_affine_params *p)
{
  const char *domain = hed__op_rows[HED_OP_AFFINE_TRANSFORM].domain;
  hed_status status = hed__check_domain(op, domain, x_arg, x->view.dtype);
  if (status == HED_OK)
    status = hed__check_domain(op, domain, out_arg, out->view.dtype);
  if (status == HED_OK)
    status = hed__check_out(op, out, out->view.ndim, out->view.dim);
  if (status != HED_OK)
    return status;
  hed_view block = out->view;
  bool fits = block.ndim == x->view.ndim;
  for (int k = 0; k < block.ndim && fits; k++) {
    fits = block.dim[k] >= x->view.dim[k];
    block.dim[k] = x->view.dim[k];
  }
  if (!fits) {
    hed_shape so = hed__shape_of(out), sx = hed__shape_of(x);
    return hed_fail(HED_E_SHAPE, "%s: %s of shape %s cannot hold %s, the shape of %s", op, out_arg, HED__TEXT(&so),
                    HED__TEXT(&sx), x_arg);
  }
  for (int j = 0; j < p->ndim; j++)
    for (int k = 0; k <= p->ndim; k++)
      if (!isfinite(p->matrix[j][k]))
        return hed_fail(HED_E_INVAL, "%s: element (%d, %d) of the matrix is %g", op, j, k, p->matrix[j][k]);
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  status = hed__plan(&ex, HED_OP_AFFINE_TRANSFORM, 2, operands);
  if (status != HED_OK)
    return status;
  status = hed__check_writable(op, &ex, 1);
  if (status == HED_OK)
    status = hed__check_overlap(op, out, &block, out_arg, ex.in[0], &ex.in[0]->view, x_arg, false);
  if (status == HED_OK && hed__view_size(&block) > 0) {
    const hed_view *out_view = &block;
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in, .out_view = &out_view,
                                           .params = p, .compute = hed__compute_of(x->view.dtype) });
  }
  hed__exec_end(&ex);
  return status;
}

hed_status HED_BODY(affine_transform_into)(hed_array *out, const hed_array *x, const double *matrix, int32_t spline,
                                     bool prefilter)
{
  const char *op = "affine_transform";
  if (!hed__given(out, op, "out") || !hed__given(x, op, "x"))
    return hed_error();
  if (!matrix)
    return hed_fail(HED_E_INVAL, "%s: matrix is NULL", op);
  int ndim = x->view.ndim, order = hed__spline_order(op, spline);
  if (order < 0)
    return (hed_status)order;
  if (ndim < 1 || ndim > 3)
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes, 1 to 3 can be transformed", op, ndim);
  hed_affine_params p = { .ndim = ndim, .order = order, .prefilter = prefilter };
  for (int j = 0; j < ndim; j++)
    for (int k = 0; k <= ndim; k++)
      p.matrix[j][k] = matrix[j * (ndim + 1) + k];
  return hed__affine_into(op, out, "out", x, "x", &p);
}

/* ---- scores ---- */

static bool norm_ok(double n_obs, double eps)
{
  if (n_obs > 0 && isfinite(n_obs) && !isnan(eps))
    return true;
  hed_fail(HED_E_INVAL, "norm_scores: n_obs = %g must be above 0 and finite, eps = %g a number", n_obs, eps);
  return false;
}

hed_array *hed_norm_scores(const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp, double n_obs,
                           double eps)
{
  hed_norm_params p = { n_obs, eps, false };
  if (!norm_ok(n_obs, eps))
    return NULL;
  return hed__elementwise_new(&(hed__elementwise){
      HED_OP_NORM_SCORES, 3, 0, { x, exp_sq, sq_exp }, { "x", "exp_sq", "sq_exp" }, &p });
}

hed_array *hed_norm_scores_with(const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp, double n_obs,
                                double eps, bool unit_low)
{
  hed_norm_params p = { n_obs, eps, unit_low };
  if (!norm_ok(n_obs, eps))
    return NULL;
  return hed__elementwise_new(&(hed__elementwise){
      HED_OP_NORM_SCORES, 3, 0, { x, exp_sq, sq_exp }, { "x", "exp_sq", "sq_exp" }, &p });
}

hed_status hed_norm_scores_into(hed_array *out, const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp,
                                double n_obs, double eps)
{
  hed_norm_params p = { n_obs, eps, false };
  if (!norm_ok(n_obs, eps))
    return hed_error();
  return hed__elementwise_into(
      &(hed__elementwise){
          HED_OP_NORM_SCORES, 3, 0, { x, exp_sq, sq_exp }, { "x", "exp_sq", "sq_exp" }, &p },
      out);
}

hed_status HED_BODY(max_score_over_rotations)(const hed_array *scores, hed_array *max_scores, hed_array *rotations,
                                        int32_t index)
{
  const char *op = "max_score_over_rotations";
  if (!hed__given(scores, op, "scores") || !hed__given(max_scores, op, "max_scores") ||
      !hed__given(rotations, op, "rotations"))
    return hed_error();
  hed_shape a = hed__shape_of(scores), b = hed__shape_of(max_scores), c = hed__shape_of(rotations);
  if (!hed__shape_equal(a.ndim, a.dim, b.ndim, b.dim) || !hed__shape_equal(a.ndim, a.dim, c.ndim, c.dim))
    return hed_fail(HED_E_SHAPE, "%s: shapes %s of scores, %s of max_scores and %s of rotations differ", op,
                    HED__TEXT(&a), HED__TEXT(&b), HED__TEXT(&c));
  int id = scores->view.dtype;
  hed_status status = hed__check_domain(op, hed__op_rows[HED_OP_MAX_SCORE_OVER_ROTATIONS].domain, "scores", id);
  if (status != HED_OK)
    return status;
  if (max_scores->view.dtype != id || rotations->view.dtype != HED_ID_INT32)
    return hed_fail(HED_E_DTYPE, "%s: max_scores is %s and rotations %s; with scores of %s they must be %s and int32", op,
                    hed__dtypes[max_scores->view.dtype]->name, hed__dtypes[rotations->view.dtype]->name,
                    hed__dtypes[id]->name, hed__dtypes[id]->name);
  const hed_view *vs = &scores->view, *vm = &max_scores->view, *vr = &rotations->view;
  if ((status = hed__check_out(op, max_scores, b.ndim, b.dim)) != HED_OK ||
      (status = hed__check_out(op, rotations, c.ndim, c.dim)) != HED_OK ||
      (status = hed__check_overlap(op, max_scores, vm, "max_scores", scores, vs, "scores", true)) != HED_OK ||
      (status = hed__check_overlap(op, rotations, vr, "rotations", scores, vs, "scores", false)) != HED_OK ||
      (status = hed__check_overlap(op, rotations, vr, "rotations", max_scores, vm, "max_scores", false)) != HED_OK)
    return status;
  hed__exec ex;
  const hed_array *operands[3] = { scores, max_scores, rotations };
  if ((status = hed__plan(&ex, HED_OP_MAX_SCORE_OVER_ROTATIONS, 3, operands)) != HED_OK)
    return status;
  if ((status = hed__check_writable(op, &ex, 1)) == HED_OK && (status = hed__check_writable(op, &ex, 2)) == HED_OK) {
    hed_array *out[2] = { max_scores, rotations };
    hed_maxscore_params params = { index };
    status = hed__run(&ex, &(hed__launch){ .n_out = 2, .n_in = 3, .out = out, .in = ex.in, .params = &params,
                                           .compute = hed__compute_of(id) });
  }
  hed__exec_end(&ex);
  return status;
}
