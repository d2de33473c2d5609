// SPDX-License-Identifier: BSD-3-Clause
/* gradient: derivatives by differences, as numpy.gradient. L3.
 *
 * Inside, three neighbours weighted so that quadratics are exact; at the ends two (edge_order 1) or three. Weights for
 * uneven coordinates are computed on the host in double; even spacing has its own form, whose differences cancel
 * exactly. Formulas: B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, Math. Comp. 51
 * (1988).
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/image/filters.h"
#include "base/alloc.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>

/* COUNT elements of X from START along axis AT: a view. */
static hed_array *part(const hed_array *x, int at, int64_t start, int64_t count)
{
  hed_slice_range ranges[HED_MAX_NDIM];
  for (int k = 0; k < at; k++)
    ranges[k] = HED_ALL;
  ranges[at] = HED_RANGE(start, start + count, 1);
  return hed_slice(x, at + 1, ranges);
}

/* The weights of the derivative at X[AT] of the parabola through X[0], X[1], X[2]. */
static void weights(const double *x, int at, double w[3])
{
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    w[k] = ((x[at] - x[i]) + (x[at] - x[j])) / ((x[k] - x[i]) * (x[k] - x[j]));
  }
}

/* Three neighbours from START, weighted. */
static hed_array *three(const hed_array *f, int axis, int64_t start, const double *w)
{
  hed_array *sum = hed_multiply_scalar(part(f, axis, start, 1), w[0]);
  for (int k = 1; k < 3; k++)
    sum = hed_add(sum, hed_multiply_scalar(part(f, axis, start + k, 1), w[k]));
  return sum;
}

static hed_array *end(const hed_array *f, int axis, bool last, int order, const double *x, double h)
{
  int64_t n = f->view.dim[axis], at = last ? n - 2 : 0;
  if (order == 1)
    return hed_divide_scalar(hed_subtract(part(f, axis, at + 1, 1), part(f, axis, at, 1)), x ? x[at + 1] - x[at] : h);
  const double even[3] = { 0, h, 2 * h };
  double w[3];
  at = last ? n - 3 : 0;
  weights(x ? x + at : even, last ? 2 : 0, w);
  return three(f, axis, at, w);
}

static hed_array *inside(const hed_array *f, int axis, const double *x, double h)
{
  int64_t n = f->view.dim[axis], m = n - 2;
  hed_array *left = part(f, axis, 0, m), *middle = part(f, axis, 1, m), *right = part(f, axis, 2, m);
  if (!x)
    return hed_divide_scalar(hed_subtract(right, left), 2 * h);
  double *w = hed__buffer_new((size_t)(3 * m) * sizeof *w, "gradient");
  if (!w)
    return NULL;
  for (int64_t k = 0; k < m; k++) {
    double one[3];
    weights(x + k, 1, one);
    for (int j = 0; j < 3; j++)
      w[j * m + k] = one[j];
  }
  hed_shape s = { .ndim = f->view.ndim - axis };
  s.dim[0] = m;
  for (int k = 1; k < s.ndim; k++)
    s.dim[k] = 1;
  hed_array *sum = NULL;
  const hed_array *const in[3] = { left, middle, right };
  hed_dtype real = hed__dtypes[hed__real_of(f->view.dtype)];
  for (int j = 0; j < 3; j++) {
    hed_array *term = hed_multiply(in[j], hed_reshape(hed_astype(hed__from_doubles(w + j * m, m), real), s));
    sum = j ? hed_add(sum, term) : term;
  }
  hed__buffer_free(w);
  return sum;
}

/* Along one axis; X: its coordinates in host memory, or NULL. */
static hed_array *along(const hed_array *f, int axis, int order, const double *x, double h)
{
  hed_array *pieces[3] = { end(f, axis, false, order, x, h) };
  int n = 1;
  if (f->view.dim[axis] > 2)
    pieces[n++] = inside(f, axis, x, h);
  pieces[n++] = end(f, axis, true, order, x, h);
  for (int k = 0; k < n; k++)
    if (!pieces[k])
      return NULL;
  return hed_concatenate(n, (const hed_array *const *)pieces, axis);
}

/* The coordinates of an axis of N elements as doubles (hed__buffer_free). */
static hed_status read_coordinates(const hed_array *c, int axis, int64_t n, double **out)
{
  hed_shape s = hed__shape_of(c);
  if (s.ndim != 1 || s.dim[0] != n)
    return hed_fail(HED_E_SHAPE, "gradient: coordinates of axis %d have shape %s, the axis has %lld elements", axis,
                    HED__TEXT(&s), (long long)n);
  if (hed__id_kind(c->view.dtype) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "gradient: coordinates of axis %d are %s; real numbers are needed", axis,
                    hed__dtypes[c->view.dtype]->name);
  *out = hed__read_host("gradient", c, HED_ID_FLOAT64);
  return *out ? HED_OK : hed_error();
}

static hed_array *one_axis(const hed_array *f, int id, int axis, int order, const hed_array *coordinates, double h)
{
  double *x = NULL;
  composed c;
  hed_array *out = NULL;
  if (coordinates && read_coordinates(coordinates, axis, f->view.dim[axis], &x) != HED_OK)
    return NULL;
  if (composed_begin(&c, HED_OP_GRADIENT, 1, &f) == HED_OK) {
    /* 16-bit floats are subtracted in float32 and rounded once */
    hed_array *wide = hed_astype(c.ex.in[0], hed__dtypes[hed__compute_of(id)]);
    out = composed_end(&c, wide ? hed_astype(along(wide, axis, order, x, h), hed__dtypes[id]) : NULL);
  }
  hed__buffer_free(x);
  return out;
}

hed_status HED_BODY(gradient)(const hed_array *f, const hed_gradient_options *opt, hed_array **out)
{
  static const hed_gradient_options defaults;
  uint32_t mask;
  if (!hed__given(f, "gradient", "f"))
    return hed_error();
  if (!out)
    return hed_fail(HED_E_INVAL, "gradient: out is NULL");
  if (!opt)
    opt = &defaults;
  int id = hed__infer_operands(HED_OP_GRADIENT, 1, &f, (const char *const[]){ "f" });
  if (id < 0)
    return (hed_status)id;
  hed_status status = hed__check_axes("gradient", &opt->axes, f->view.ndim, &mask);
  if (status != HED_OK)
    return status;
  int order = opt->edge_order ? opt->edge_order : 1, n = opt->axes.n ? opt->axes.n : f->view.ndim;
  if (order != 1 && order != 2)
    return hed_fail(HED_E_INVAL, "gradient: edge_order is %d; 1 and 2 are possible", order);
  for (int k = 0; k < n; k++) {
    int axis = opt->axes.n ? hed__check_axis("gradient", "axis", opt->axes.axis[k], f->view.ndim) : k;
    if (f->view.dim[axis] <= order)
      return hed_fail(HED_E_SHAPE, "gradient: axis %d has %lld elements, edge_order %d needs %d", axis,
                      (long long)f->view.dim[axis], order, order + 1);
    out[k] = NULL;
  }
  for (int k = 0; k < n && status == HED_OK; k++) {
    int axis = opt->axes.n ? hed__check_axis("gradient", "axis", opt->axes.axis[k], f->view.ndim) : k;
    out[k] = one_axis(f, id, axis, order, opt->coordinates ? opt->coordinates[k] : NULL,
                      opt->spacing[k] != 0 ? opt->spacing[k] : 1);
    if (!out[k])
      status = hed_error();
  }
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(out[k]);
    out[k] = NULL;
  }
  return status;
}
