// SPDX-License-Identifier: BSD-3-Clause
/* Masks for templates, by their formulas on the host in double, then moved. L3. */
#include "api/call/check.h"
#include "api/image/filters.h"
#include "api/call/infer.h"

#include "core/memory/memory.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_mask defaults;

typedef struct shape_of_mask {
  int op;
  hed_shape shape;
  double center[HED_MAX_NDIM];
  const double *radii, *orientation;
  double mean_radius, sigma, cutoff;           /* ellipse */
  int64_t extent[HED_MAX_NDIM];                /* box */
  int axis;
  double inner, outer, height;                 /* tube; membrane: outer, width and half the separation */
  double width, apart;
} mask_form;

/* ---- values at coordinates relative to the centre ---- */

static double ellipse(const mask_form *m, const double *d)
{
  double sum = 0;
  const int n = m->shape.ndim;
  for (int k = 0; k < n; k++) {
    double turned = d[k];
    if (m->orientation) { /* R^-1 = R^T */
      turned = 0;
      for (int j = 0; j < n; j++)
        turned += m->orientation[j * n + k] * d[j];
    }
    sum += turned * turned / (m->radii[k] * m->radii[k]);
  }
  double beyond = sqrt(sum) - 1;
  if (beyond <= 0)
    return 1;
  if (m->sigma <= 0)
    return 0;
  double t = beyond * m->mean_radius / m->sigma;
  return t > m->cutoff ? 0 : exp(-0.5 * t * t);
}

/* Distance from the axis of symmetry. */
static double from_axis(const mask_form *m, const double *d)
{
  double sum = 0;
  for (int k = 0; k < m->shape.ndim; k++)
    sum += k == m->axis ? 0 : d[k] * d[k];
  return sqrt(sum);
}

static double tube(const mask_form *m, const double *d)
{
  double r = from_axis(m, d);
  return fabs(d[m->axis]) <= m->height / 2 && r <= m->outer && (m->inner == 0 || r > m->inner);
}

static double membrane(const mask_form *m, const double *d)
{
  if (from_axis(m, d) > m->outer)
    return 0;
  double low = (d[m->axis] + m->apart) / m->width, high = (d[m->axis] - m->apart) / m->width;
  return fmax(exp(-0.5 * low * low), exp(-0.5 * high * high));
}

/* BEGIN is center - extent / 2 with halves of integers. */
static double box(const mask_form *m, const double *d)
{
  for (int k = 0; k < m->shape.ndim; k++) {
    double half = (double)(m->extent[k] / 2);
    if (d[k] < -half || d[k] >= half + (double)(m->extent[k] % 2))
      return 0;
  }
  return 1;
}

static hed_array *render(const mask_form *m, hed_dtype t, double (*value)(const mask_form *, const double *))
{
  const char *name = hed__op_rows[m->op].name;
  if (!t) {
    hed_fail(HED_E_INVAL, "%s: dtype is NULL", name);
    return NULL;
  }
  hed__device *device = hed__current_device();
  int id = device ? hed__dtype_concrete(t, device, name) : hed_error();
  if (id < 0 || hed__check_domain(name, hed__op_rows[m->op].domain, "the result", id) != HED_OK)
    return NULL;
  int64_t n = hed__shape_size(m->shape.ndim, m->shape.dim), at[HED_MAX_NDIM] = { 0 };
  double *values = hed__buffer_new((size_t)n * sizeof *values, name);
  if (!values)
    return NULL;
  for (int64_t i = 0; i < n; i++) {
    double d[HED_MAX_NDIM];
    for (int k = 0; k < m->shape.ndim; k++)
      d[k] = (double)at[k] - m->center[k];
    values[i] = value(m, d);
    for (int k = m->shape.ndim - 1; k >= 0 && ++at[k] == m->shape.dim[k]; k--)
      at[k] = 0;
  }
  hed_array *line = hed__from_doubles(values, n), *wide = line ? hed_reshape(line, m->shape) : NULL;
  hed_array *out = wide ? hed_astype(wide, hed_dtype_of(id)) : NULL;
  hed_release(line);
  hed_release(wide);
  hed__buffer_free(values);
  return out;
}

/* Shape and centre; MIDDLE false: element shape / 2 by default. */
static bool begin(mask_form *m, int op, const hed_shape *shape, const hed_mask *opt, bool middle)
{
  const char *name = hed__op_rows[op].name;
  m->op = op;
  m->shape = *shape;
  if (hed__check_shape(name, "shape", shape, HED_ID_FLOAT64) != HED_OK)
    return false;
  for (int k = 0; k < shape->ndim; k++) {
    m->center[k] = opt->center ? opt->center[k] : middle ? ((double)shape->dim[k] - 1) / 2 : (double)(shape->dim[k] / 2);
    if (!isfinite(m->center[k])) {
      hed_fail(HED_E_INVAL, "%s: the centre of axis %d is %g", name, k, m->center[k]);
      return false;
    }
  }
  return true;
}

/* A length above 0 (or at least 0). */
static bool length(const char *op, const char *arg, double value, bool zero)
{
  if (isfinite(value) && (value > 0 || (zero && value == 0)))
    return true;
  hed_fail(HED_E_INVAL, "%s: %s is %g, not finite and %s 0", op, arg, value, zero ? "at least" : "above");
  return false;
}

hed_array *HED_BODY(mask_ellipse)(hed_shape shape, const double *radii, hed_dtype t, const hed_mask *opt)
{
  const char *op = "mask_ellipse";
  mask_form m = { .radii = radii };
  if (!opt)
    opt = &defaults;
  if (!begin(&m, HED_OP_MASK_ELLIPSE, &shape, opt, true))
    return NULL;
  if (!radii) {
    hed_fail(HED_E_INVAL, "%s: radii is NULL", op);
    return NULL;
  }
  for (int k = 0; k < shape.ndim; k++) {
    if (!length(op, "a radius", radii[k], false))
      return NULL;
    m.mean_radius += radii[k] / shape.ndim;
  }
  m.orientation = opt->orientation;
  m.sigma = opt->sigma;
  m.cutoff = opt->cutoff == 0 ? 3 : opt->cutoff;
  if (!length(op, "sigma", m.sigma, true) || !length(op, "cutoff", m.cutoff, false))
    return NULL;
  return render(&m, t, ellipse);
}

hed_array *HED_BODY(mask_box)(hed_shape shape, hed_shape extent, hed_dtype t, const hed_mask *opt)
{
  const char *op = "mask_box";
  mask_form m = { .axis = 0 };
  if (!begin(&m, HED_OP_MASK_BOX, &shape, opt ? opt : &defaults, false))
    return NULL;
  if (extent.ndim != shape.ndim) {
    hed_fail(HED_E_SHAPE, "%s: extent has %d axes, shape has %d", op, (int)extent.ndim, (int)shape.ndim);
    return NULL;
  }
  for (int k = 0; k < shape.ndim; k++) {
    m.extent[k] = extent.dim[k];
    if (extent.dim[k] < 0) {
      hed_fail(HED_E_SHAPE, "%s: extent %lld of axis %d is negative", op, (long long)extent.dim[k], k);
      return NULL;
    }
  }
  return render(&m, t, box);
}

/* A form with an axis of symmetry, in two or three dimensions. */
static bool symmetric(mask_form *m, int op, const hed_shape *shape, int32_t axis, const hed_mask *opt)
{
  const char *name = hed__op_rows[op].name;
  if (!begin(m, op, shape, opt ? opt : &defaults, true))
    return false;
  if (shape->ndim < 2) {
    hed_fail(HED_E_SHAPE, "%s: shape has %d axes, at least 2 are needed", name, (int)shape->ndim);
    return false;
  }
  m->axis = hed__check_axis(name, "axis", axis, shape->ndim);
  return m->axis >= 0;
}

hed_array *HED_BODY(mask_tube)(hed_shape shape, int32_t axis, double inner, double outer, double height, hed_dtype t,
                         const hed_mask *opt)
{
  const char *op = "mask_tube";
  mask_form m = { .inner = inner, .outer = outer, .height = height };
  if (!symmetric(&m, HED_OP_MASK_TUBE, &shape, axis, opt) || !length(op, "inner", inner, true) ||
      !length(op, "outer", outer, false) || !length(op, "height", height, true))
    return NULL;
  if (inner >= outer) {
    hed_fail(HED_E_INVAL, "%s: inner %g is not below outer %g", op, inner, outer);
    return NULL;
  }
  return render(&m, t, tube);
}

hed_array *HED_BODY(mask_membrane)(hed_shape shape, int32_t axis, double radius, double thickness, double separation, hed_dtype t,
                             const hed_mask *opt)
{
  const char *op = "mask_membrane";
  mask_form m = { .outer = radius, .width = thickness / 3, .apart = separation / 2 };
  if (!symmetric(&m, HED_OP_MASK_MEMBRANE, &shape, axis, opt) || !length(op, "radius", radius, true) ||
      !length(op, "thickness", thickness, false) || !length(op, "separation", separation, true))
    return NULL;
  return render(&m, t, membrane);
}
