// SPDX-License-Identifier: BSD-3-Clause
/* rigid_transform: shift, then rotation about a centre, as one resampling. L3.
 *
 * Content is moved by +t and then turned by R about c, so the value at x comes from R^-1 (x - c) + c - t; matrix and offset
 * are composed in double. A mask goes through the same map without the prefilter that makes cubic splines
 * interpolate, so that it does not ring.
 */
#include "api/call/check.h"
#include "api/image/image.h"
#include "api/call/infer.h"
#include "core/record/body.h"
#include "core/record/record.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const char *const op = "rigid_transform";
static const hed_rigid defaults;

/* Inverse of the n x n matrix A (n up to 3) by cofactors; false when it is singular or not finite. */
static bool invert(int n, const double *a, double inv[3][3])
{
  double m[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }; /* smaller ones bordered by the identity */
  double largest = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      m[i][j] = a[i * n + j];
      if (!isfinite(m[i][j]))
        return false;
      largest = fmax(largest, fabs(m[i][j]));
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inv[i][j] = m[r][c] * m[s][d] - m[r][d] * m[s][c];
    }
  double det = m[0][0] * inv[0][0] + m[0][1] * inv[1][0] + m[0][2] * inv[2][0];
  if (!(fabs(det) > 1e-12 * pow(largest, n)))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inv[i][j] /= det;
  return true;
}

/* Centre of mass of X's values above 0 over its last D axes; C stays when there are none. */
static hed_status centre_of_mass(const hed_array *x, int d, double *c)
{
  double found[HED_MAX_NDIM], total;
  hed_status status = hed__center_of_mass(op, x, d, 0, found, &total);
  if (status == HED_OK && !isfinite(total))
    return hed_fail(HED_E_INVAL, "%s: the centre of mass of x is not finite", op);
  for (int j = 0; j < d && status == HED_OK && total > 0; j++)
    c[j] = found[j];
  return status;
}

/* The map as it was given: the rows of a (d + 1) x (d + 1) matrix above the last. */
static hed_status take_homogeneous(int d, const double *m, const hed_rigid *opt, hed_affine_params *p)
{
  if (opt->translation || opt->center_of_mass)
    return hed_fail(HED_E_INVAL, "%s: %s is given with a homogeneous matrix, which holds the whole map", op,
                    opt->translation ? "a translation" : "the centre of mass");
  for (int i = 0; i <= d; i++)
    for (int j = 0; j <= d; j++) {
      double v = m[i * (d + 1) + j];
      if (!isfinite(v))
        return hed_fail(HED_E_INVAL, "%s: element (%d, %d) of the homogeneous matrix is %g", op, i, j, v);
      if (i < d)
        p->matrix[i][j] = v;
      else if (v != (j == d))
        return hed_fail(HED_E_INVAL, "%s: element (%d, %d) of the homogeneous matrix is %g, %d is expected", op, i, j, v,
                        j == d);
    }
  return HED_OK;
}

static hed_status compose(const hed_array *x, const double *rotation, const hed_rigid *opt, hed_affine_params *p)
{
  int d = x->view.ndim - (opt->batched ? 1 : 0), order = hed__spline_order(op, opt->spline);
  if (order < 0)
    return (hed_status)order;
  if (d < 1 || d > 3)
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes%s, 1 to 3 can be transformed", op, (int)x->view.ndim,
                    opt->batched ? " with the batch" : "");
  if (!rotation)
    return hed_fail(HED_E_INVAL, "%s: rotation is NULL", op);
  p->ndim = d;
  p->order = order;
  p->prefilter = !opt->prefiltered;
  if (opt->homogeneous)
    return take_homogeneous(d, rotation, opt, p);
  double inv[3][3], c[3] = { 0, 0, 0 };
  if (!invert(d, rotation, inv))
    return hed_fail(HED_E_INVAL, "%s: the rotation cannot be inverted", op);
  for (int j = 0; j < d; j++)
    c[j] = ((double)x->view.dim[x->view.ndim - d + j] - 1) / 2;
  hed_status status = opt->center_of_mass ? centre_of_mass(x, d, c) : HED_OK;
  for (int i = 0; i < d; i++) {
    double offset = c[i] - (opt->translation ? opt->translation[i] : 0);
    for (int j = 0; j < d; j++) {
      p->matrix[i][j] = inv[i][j];
      offset -= inv[i][j] * c[j];
    }
    p->matrix[i][d] = offset;
  }
  return status;
}

static hed_status check_mask(const hed_array *x, const hed_array *mask)
{
  if (!mask)
    return HED_OK;
  hed_shape a = hed__shape_of(x), b = hed__shape_of(mask);
  if (!hed__shape_equal(a.ndim, a.dim, b.ndim, b.dim))
    return hed_fail(HED_E_SHAPE, "%s: shapes %s of x and %s of mask differ", op, HED__TEXT(&a), HED__TEXT(&b));
  return HED_OK;
}

static hed_status resample(hed_array *out, hed_array *out_mask, const hed_array *x, const hed_array *mask,
                           hed_affine_params *p)
{
  hed_status status = hed__affine_into(op, out, "out", x, "x", p);
  if (status == HED_OK && mask && out_mask) {
    p->prefilter = false;
    status = hed__affine_into(op, out_mask, "out_mask", mask, "mask", p);
  }
  return status;
}

/* One after the other by public calls, which a recording follows. */
static hed_array *followed(const hed_array *x, const hed_rigid *opt, const hed_affine_params *p, bool prefilter)
{
  const hed_resample how = { .spline = opt->spline, .no_prefilter = !prefilter };
  double matrix[12];
  for (int i = 0; i < p->ndim; i++)
    for (int j = 0; j <= p->ndim; j++)
      matrix[i * (p->ndim + 1) + j] = p->matrix[i][j];
  if (!opt->batched)
    return hed_affine_transform(x, matrix, NULL, &how);
  const int64_t n = x->view.dim[0];
  hed_array *y = hed_zeros_like(x);
  for (int64_t k = 0; k < n && y; k++) {
    hed_array *one = hed_index(x, 0, k), *turned = one ? hed_affine_transform(one, matrix, NULL, &how) : NULL;
    hed_array *next = turned ? hed_index_update(y, 1, &HED_AT(k), turned) : NULL;
    hed_release(one);
    hed_release(turned);
    hed_release(y);
    y = next;
  }
  return y;
}

hed_status HED_BODY(rigid_transform_into)(hed_array *out, hed_array *out_mask, const hed_array *x, const hed_array *mask,
                                    const double *rotation, const hed_rigid *opt)
{
  if (!hed__given(out, op, "out") || !hed__given(x, op, "x"))
    return hed_error();
  if (!mask != !out_mask)
    return hed_fail(HED_E_INVAL, "%s: %s is given without %s", op, mask ? "mask" : "out_mask",
                    mask ? "out_mask" : "mask");
  hed_affine_params p = { .ndim = 0 };
  hed_status status = check_mask(x, mask);
  if (status == HED_OK)
    status = compose(x, rotation, opt ? opt : &defaults, &p);
  return status == HED_OK ? resample(out, out_mask, x, mask, &p) : status;
}

hed_status HED_BODY(rigid_transform)(const hed_array *x, const hed_array *mask, const double *rotation,
                               const hed_rigid *opt, hed_array **out, hed_array **out_mask)
{
  if (out)
    *out = NULL;
  if (out_mask)
    *out_mask = NULL;
  if (!hed__given(x, op, "x"))
    return hed_error();
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  const char *domain = hed__op_rows[HED_OP_RIGID_TRANSFORM].domain;
  hed_affine_params p = { .ndim = 0 };
  hed_status status = hed__check_domain(op, domain, "x", x->view.dtype);
  if (status == HED_OK)
    status = check_mask(x, mask);
  if (status == HED_OK)
    status = compose(x, rotation, opt ? opt : &defaults, &p);
  hed__exec ex;
  const hed_array *operands[2] = { x, mask };
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_RIGID_TRANSFORM, mask ? 2 : 1, operands)) != HED_OK)
    return status;
  hed__forced forced;
  hed_array *a = NULL, *b = NULL;
  if ((status = hed__force_begin(&forced, &ex)) == HED_OK) {
    if (hed__recording()) {
      if (!(a = followed(ex.in[0], opt ? opt : &defaults, &p, p.prefilter)) ||
          (mask && out_mask && !(b = followed(ex.in[1], opt ? opt : &defaults, &p, false))))
        status = hed_error();
    } else if (!(a = hed__array_new(ex.device, x->view.dtype, x->view.ndim, x->view.dim)))
      status = hed_error();
    if (status == HED_OK && mask && out_mask && !b &&
        !(b = hed__array_new(ex.device, mask->view.dtype, mask->view.ndim, mask->view.dim)))
      status = hed_error();
    if (status == HED_OK && !hed__recording())
      status = resample(a, b, ex.in[0], mask ? ex.in[1] : NULL, &p);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(a);
    hed_release(b);
    return status;
  }
  *out = a;
  if (out_mask)
    *out_mask = b;
  return HED_OK;
}
