// SPDX-License-Identifier: BSD-3-Clause
/* Filters with kernels: correlate1d, box extremes and medians, splines at coordinates, general affine transforms. L3. */
#include "api/image/filters.h"

#include "api/call/check.h"
#include "api/image/image.h"
#include "api/call/infer.h"

#include "core/memory/memory.h"
#include "core/record/body.h"
#include "core/record/record.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

const hed_filter hed__filter_defaults;
static const hed_resample resample_defaults;

hed_status hed__check_boundary(const char *op, int32_t boundary)
{
  if (boundary >= HED_BOUNDARY_DEFAULT && boundary < HED_BOUNDARY_COUNT_)
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: boundary is %d, %d to %d are possible", op, (int)boundary, HED_BOUNDARY_DEFAULT,
                  HED_BOUNDARY_COUNT_ - 1);
}

hed_array *hed__image_kernel(int op, const hed_array *x, const hed_array *second, int id, const hed_shape *shape,
                             const void *params)
{
  const char *name = hed__op_rows[op].name;
  const hed_array *operands[2] = { x, second };
  hed__exec ex;
  hed__forced forced;
  if (hed__check_shape(name, "the result's shape", shape, id) != HED_OK || hed__plan(&ex, op, second ? 2 : 1, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL, *wide = NULL;
  hed_status status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    if (second && !(wide = hed_astype(ex.in[1], hed__wide_float(ex.device))))
      status = hed_error();
    if (status == HED_OK && (id = hed__infer_on(name, id, ex.device)) < 0)
      status = (hed_status)id;
    if (status == HED_OK && !(out = hed__array_new(ex.device, id, shape->ndim, shape->dim)))
      status = hed_error();
    const hed_array *in[2] = { ex.in[0], wide };
    if (status == HED_OK && hed__view_size(&out->view) > 0)
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = second ? 2 : 1, .out = &out, .in = in, .params = params,
                                             .compute = hed__compute_of(id) });
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  hed_release(wide);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* The result's dtype of OP for X alone; negative when it has none. */
static int result_of(int op, const hed_array *x)
{
  static const char *const arg = "x";
  int id = hed__infer_operands(op, 1, &x, &arg);
  return id < 0 ? id : hed__infer_result(op, id);
}

hed_array *hed__from_doubles(const double *values, int64_t n)
{
  hed__device *device = hed__current_device();
  if (!device)
    return NULL;
  if (hed__wide_float(device) == HED_FLOAT64)
    return hed_from_host(values, HED_SHAPE(n), HED_FLOAT64);
  float *narrow = hed__buffer_new((size_t)n * sizeof *narrow, "numbers");
  if (!narrow)
    return NULL;
  for (int64_t k = 0; k < n; k++)
    narrow[k] = (float)values[k];
  hed_array *out = hed_from_host(narrow, HED_SHAPE(n), HED_FLOAT32);
  hed__buffer_free(narrow);
  return out;
}

/* ---- correlation ---- */

/* DIVISOR as in hed_correlate_params. */
static hed_array *correlate(const hed_array *x, const hed_array *weights, double divisor, int32_t axis, const hed_filter *opt)
{
  const char *op = "correlate1d";
  if (!hed__given(x, op, "x") || !hed__given(weights, op, "weights"))
    return NULL;
  if (!opt)
    opt = &hed__filter_defaults;
  int id = result_of(HED_OP_CORRELATE1D, x), at = hed__check_axis(op, "axis", axis, x->view.ndim);
  hed_shape s = hed__shape_of(x), sw = hed__shape_of(weights);
  if (id < 0 || at < 0 || hed__check_boundary(op, opt->boundary) != HED_OK ||
      hed__check_domain(op, "bif", "weights", weights->view.dtype) != HED_OK)
    return NULL;
  if (sw.ndim != 1 || sw.dim[0] < 1) {
    hed_fail(HED_E_SHAPE, "%s: weights has shape %s, not one axis of at least one value", op, HED__TEXT(&sw));
    return NULL;
  }
  hed_correlate_params p = { .axis = at, .boundary = opt->boundary, .cval = opt->cval, .divisor = divisor };
  return hed__image_kernel(HED_OP_CORRELATE1D, x, weights, id, &s, &p);
}

hed_array *HED_BODY(correlate1d)(const hed_array *x, const hed_array *weights, int32_t axis, const hed_filter *opt)
{
  return correlate(x, weights, 0, axis, opt);
}

hed_array *hed__correlate(const hed_array *x, const double *weights, int64_t n, double divisor, int32_t axis,
                          const hed_filter *opt)
{
  hed_array *w = hed__from_doubles(weights, n), *out = w ? correlate(x, w, divisor, axis, opt) : NULL;
  if (out && hed__recording()) { /* as what it is but for rounding */
    hed__args_correlate1d args = { .axis = axis };
    hed_array *whole = divisor != 0 ? hed_multiply_scalar(w, 1 / divisor) : hed_retain(w);
    const hed_array *in[2] = { x, whole };
    if (!whole)
      hed__record_failed(hed__self->tape, HED_OP_CORRELATE1D);
    else if (!opt || (args.opt = hed__record_copy(hed__self, HED_OP_CORRELATE1D, opt, sizeof *opt)))
      hed__record_note(hed__self, &(hed__note){ .op = HED_OP_CORRELATE1D, .n_in = 2, .n_out = 1, .in = in, .out = &out,
                                                .save = hed__rule_saves(HED_OP_CORRELATE1D, 0), .form = HED__CALL_correlate1d,
                                                .args = &args, .size = sizeof args });
    hed_release(whole);
  }
  hed_release(w);
  return out;
}

/* ---- boxes ---- */

/* A value outside of an integer type would be converted to who knows what. */
static double limited(double v, int id)
{
  int bits = hed__dtypes[id]->bits;
  switch (hed__id_kind(id)) {
  case HED_KIND_BOOL: return v > 0;
  case HED_KIND_UINT: return v < 0 ? 0 : v >= ldexp(1, bits) ? nextafter(ldexp(1, bits), 0) : v;
  case HED_KIND_INT:
    return v < -ldexp(1, bits - 1) ? -ldexp(1, bits - 1)
           : v >= ldexp(1, bits - 1) ? nextafter(ldexp(1, bits - 1), 0) : v;
  default: return v;
  }
}

static hed_array *box(int op, const hed_array *x, int64_t size, const hed_filter *opt, int32_t boundary)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  if (!opt)
    opt = &hed__filter_defaults;
  int id = result_of(op, x);
  if (id < 0 || hed__check_boundary(name, opt->boundary) != HED_OK)
    return NULL;
  if (size < 1) {
    hed_fail(HED_E_INVAL, "%s: size is %lld, at least 1 is needed", name, (long long)size);
    return NULL;
  }
  if (opt->axes.n != 0) {
    hed_fail(HED_E_INVAL, "%s: %d axes are listed, boxes have all of them", name, (int)opt->axes.n);
    return NULL;
  }
  hed_shape s = hed__shape_of(x);
  hed_box_params p = { size, limited(opt->cval, x->view.dtype), opt->boundary ? opt->boundary : boundary };
  return hed__image_kernel(op, x, NULL, id, &s, &p);
}

hed_array *HED_BODY(maximum_filter)(const hed_array *x, int64_t size, double cval)
{
  return box(HED_OP_MAXIMUM_FILTER, x, size, &(hed_filter){ .boundary = HED_BOUNDARY_CONSTANT, .cval = cval },
             HED_BOUNDARY_CONSTANT);
}

hed_array *HED_BODY(maximum_filter_with)(const hed_array *x, int64_t size, const hed_filter *opt)
{
  return box(HED_OP_MAXIMUM_FILTER, x, size, opt, HED_BOUNDARY_REFLECT);
}

hed_array *HED_BODY(minimum_filter)(const hed_array *x, int64_t size, const hed_filter *opt)
{
  return box(HED_OP_MINIMUM_FILTER, x, size, opt, HED_BOUNDARY_REFLECT);
}

hed_array *HED_BODY(median_filter)(const hed_array *x, int64_t size, const hed_filter *opt)
{
  return box(HED_OP_MEDIAN_FILTER, x, size, opt, HED_BOUNDARY_REFLECT);
}

/* ---- splines ---- */

hed_array *HED_BODY(spline_filter)(const hed_array *x, const hed_axes *axes, int32_t boundary)
{
  const char *op = "spline_filter";
  hed_spline_params p = { .boundary = boundary };
  if (!hed__given(x, op, "x"))
    return NULL;
  int id = result_of(HED_OP_SPLINE_FILTER, x);
  if (id < 0 || hed__check_boundary(op, boundary) != HED_OK || hed__check_axes(op, axes, x->view.ndim, &p.axes) != HED_OK)
    return NULL;
  hed_shape s = hed__shape_of(x);
  return hed__image_kernel(HED_OP_SPLINE_FILTER, x, NULL, id, &s, &p);
}

/* Order of OPT for X, of which points are taken; negative after an error. */
static int check_resample(const char *op, const hed_array *x, const hed_resample *opt)
{
  int order = hed__spline_order(op, opt->spline), ndim = x->view.ndim;
  hed_status status = order < 0 ? (hed_status)order : hed__check_boundary(op, opt->boundary);
  if (status == HED_OK && (ndim < 1 || ndim > 3))
    status = hed_fail(HED_E_SHAPE, "%s: x has %d axes, 1 to 3 are possible", op, ndim);
  if (status == HED_OK && hed__view_size(&x->view) == 0) {
    hed_shape s = hed__shape_of(x);
    status = hed_fail(HED_E_SHAPE, "%s: x has shape %s, no elements", op, HED__TEXT(&s));
  }
  return status == HED_OK ? order : status;
}

hed_array *HED_BODY(map_coordinates)(const hed_array *x, const hed_array *coordinates, const hed_resample *opt)
{
  const char *op = "map_coordinates";
  if (!hed__given(x, op, "x") || !hed__given(coordinates, op, "coordinates"))
    return NULL;
  if (!opt)
    opt = &resample_defaults;
  int id = result_of(HED_OP_MAP_COORDINATES, x), order = id < 0 ? id : check_resample(op, x, opt);
  if (order < 0 || hed__check_domain(op, "bif", "coordinates", coordinates->view.dtype) != HED_OK)
    return NULL;
  hed_shape s = hed__shape_of(coordinates), out = { .ndim = s.ndim - 1 };
  if (s.ndim < 1 || s.dim[0] != x->view.ndim) {
    hed_fail(HED_E_SHAPE, "%s: coordinates of shape %s do not begin with %d, the axes of x", op, HED__TEXT(&s),
             (int)x->view.ndim);
    return NULL;
  }
  for (int k = 0; k < out.ndim; k++)
    out.dim[k] = s.dim[k + 1];
  hed_spline_params p = { .order = order, .prefilter = !opt->no_prefilter, .boundary = opt->boundary, .cval = opt->cval };
  return hed__image_kernel(HED_OP_MAP_COORDINATES, x, coordinates, id, &out, &p);
}

/* P's matrix is filled in. X becomes real first: the kernel takes floats only. */
static hed_array *affine(int op, const hed_array *x, hed_affine_params *p, const hed_shape *shape, const hed_resample *opt)
{
  const char *name = hed__op_rows[op].name;
  int id = result_of(HED_OP_MAP_COORDINATES, x);
  p->ndim = x->view.ndim;
  p->prefilter = !opt->no_prefilter;
  p->boundary = opt->boundary;
  p->cval = opt->cval;
  if (id < 0)
    return NULL;
  if (shape->ndim != p->ndim) {
    hed_fail(HED_E_SHAPE, "%s: shape has %d axes, x has %d", name, (int)shape->ndim, (int)p->ndim);
    return NULL;
  }
  for (int j = 0; j < p->ndim; j++)
    for (int k = 0; k <= p->ndim; k++)
      if (!isfinite(p->matrix[j][k])) {
        hed_fail(HED_E_INVAL, "%s: element (%d, %d) of the matrix is %g", name, j, k, p->matrix[j][k]);
        return NULL;
      }
  hed_array *real = hed_astype(x, hed_dtype_of(id));
  hed_array *out = real ? hed__image_kernel(HED_OP_AFFINE_TRANSFORM, real, NULL, id, shape, p) : NULL;
  hed_release(real);
  return out;
}

hed_array *HED_BODY(affine_transform)(const hed_array *x, const double *matrix, const hed_shape *shape, const hed_resample *opt)
{
  const char *op = "affine_transform";
  if (!hed__given(x, op, "x"))
    return NULL;
  if (!opt)
    opt = &resample_defaults;
  hed_affine_params p = { .order = check_resample(op, x, opt) };
  hed_shape same = hed__shape_of(x);
  if (p.order < 0)
    return NULL;
  if (!matrix) {
    hed_fail(HED_E_INVAL, "%s: matrix is NULL", op);
    return NULL;
  }
  for (int j = 0; j < same.ndim; j++)
    for (int k = 0; k <= same.ndim; k++)
      p.matrix[j][k] = matrix[j * (same.ndim + 1) + k];
  return affine(HED_OP_AFFINE_TRANSFORM, x, &p, shape ? shape : &same, opt);
}

hed_array *HED_BODY(zoom)(const hed_array *x, hed_shape shape, const hed_resample *opt)
{
  const char *op = "zoom";
  if (!hed__given(x, op, "x"))
    return NULL;
  if (!opt)
    opt = &resample_defaults;
  hed_affine_params p = { .order = check_resample(op, x, opt) };
  if (p.order < 0)
    return NULL;
  for (int k = 0; k < x->view.ndim && k < shape.ndim; k++)
    p.matrix[k][k] = shape.dim[k] > 1 ? (double)(x->view.dim[k] - 1) / (double)(shape.dim[k] - 1) : 0;
  return affine(HED_OP_ZOOM, x, &p, &shape, opt);
}
