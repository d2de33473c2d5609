// SPDX-License-Identifier: BSD-3-Clause
/* Frequencies of a transform's elements: fftfreq, rfftfreq, fftfreqn. L3.
 *
 * Computed in double and converted once; grids, and all for a device without double, on the host, and brought to the memory
 * space of the context.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "base/cast.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_freq defaults;

/* The concrete id of T, a real floating type. */
static int real_type(const char *op, hed_dtype t)
{
  hed__device *device = hed__current_device();
  if (!device)
    return hed_error();
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
  int id = hed__dtype_concrete(t, device, op);
  if (id >= 0 && hed__id_kind(id) != HED_KIND_FLOAT)
    return hed_fail(HED_E_DTYPE, "%s: dtype is %s, a real floating type is needed", op, hed__dtypes[id]->name);
  return id;
}

/* An array of type ID from doubles, which are freed; NULL when there are none. */
static hed_array *give(double *values, const hed_shape *shape, int id)
{
  if (!values)
    return NULL;
  int64_t n = hed__shape_size(shape->ndim, shape->dim);
  hed_array *out = NULL;
  /* no type is wider than double, so the conversion can be done in place */
  hed__cast(HED_ID_FLOAT64, id)(n, (char *)values, hed__id_size(id), (const char *)values, sizeof *values);
  out = hed_from_host(values, *shape, hed_dtype_of(id));
  hed__buffer_free(values);
  return out;
}

static double *take(const char *op, int64_t n) { return hed__buffer_zeroed((size_t)n, sizeof(double), op); }

/* The same on a device that has double: 0, 1, .. up to COUNT, of which those from FIRST on are N less, divided by DIVISOR. */
static hed_array *whole_over(int64_t count, int64_t first, int64_t n, double divisor, int id)
{
  hed_array *x = hed_arange_int(0, count, 1, HED_FLOAT64), *rest = NULL, *out = NULL;
  hed_status status = x ? HED_OK : hed_error();
  if (status == HED_OK && first < count) {
    rest = hed_slice(x, 1, &HED_RANGE(first, count, 1));
    status = rest ? hed_subtract_scalar_into(rest, rest, (double)n) : hed_error();
  }
  if (status == HED_OK && hed_divide_scalar_into(x, x, divisor) == HED_OK)
    out = hed_astype(x, hed_dtype_of(id));
  hed_release(rest);
  hed_release(x);
  return out;
}

static hed_array *frequencies(const char *op, int64_t n, double d, hed_dtype t, bool half)
{
  int id = real_type(op, t);
  if (id < 0)
    return NULL;
  hed_shape shape = HED_SHAPE(half ? n / 2 + 1 : n);
  if (n < 1) {
    hed_fail(HED_E_SHAPE, "%s: n is %lld, at least 1 is needed", op, (long long)n);
    return NULL;
  }
  if (!(d != 0)) {
    hed_fail(HED_E_INVAL, "%s: d is %g, it must not be 0 or NaN", op, d);
    return NULL;
  }
  if (hed__check_shape(op, "n", &shape, HED_ID_FLOAT64) != HED_OK)
    return NULL;
  const int64_t first = half ? shape.dim[0] : (n - 1) / 2 + 1;
  if (hed__wide_float(hed__current_device()) == HED_FLOAT64)
    return whole_over(shape.dim[0], first, n, (double)n * d, id);
  double *values = take(op, shape.dim[0]);
  for (int64_t k = 0; k < shape.dim[0] && values; k++)
    values[k] = (double)(k < first ? k : k - n) / ((double)n * d);
  return give(values, &shape, id);
}

hed_array *HED_BODY(fftfreq)(int64_t n, double d, hed_dtype t) { return frequencies("fftfreq", n, d, t, false); }
hed_array *HED_BODY(rfftfreq)(int64_t n, double d, hed_dtype t) { return frequencies("rfftfreq", n, d, t, true); }

/* ---- centred grids ---- */

typedef struct grid {
  int id;
  int64_t centre[HED_MAX_NDIM];
  double divisor[HED_MAX_NDIM];
} grid;

static hed_status settle(const char *op, const hed_shape *shape, const hed_freq *opt, hed_dtype t, bool full, grid *g)
{
  if ((g->id = real_type(op, t)) < 0)
    return (hed_status)g->id;
  hed_shape all = *shape;
  hed_status status = hed__check_shape(op, "shape", shape, HED_ID_FLOAT64);
  if (status != HED_OK)
    return status;
  if (shape->ndim == 0)
    return hed_fail(HED_E_SHAPE, "%s: shape has no axes", op);
  if (full) { /* a leading axis for the coordinates */
    if (shape->ndim == HED_MAX_NDIM)
      return hed_fail(HED_E_SHAPE, "%s: shape has %d axes, the grid has one more than the %d there can be", op,
                      (int)shape->ndim, HED_MAX_NDIM);
    for (int k = shape->ndim; k > 0; k--)
      all.dim[k] = shape->dim[k - 1];
    all.dim[0] = all.ndim++;
    if ((status = hed__check_shape(op, "the grid's shape", &all, HED_ID_FLOAT64)) != HED_OK)
      return status;
  }
  for (int k = 0; k < shape->ndim; k++) {
    int64_t n = shape->dim[k];
    bool half = opt->real_fourier && k == shape->ndim - 1;
    if (half && opt->real_extent && (opt->real_extent < 1 || opt->real_extent / 2 + 1 != n))
      return hed_fail(HED_E_SHAPE, "%s: %lld elements along the last axis are not the half of real_extent %lld", op,
                      (long long)n, (long long)opt->real_extent);
    g->centre[k] = half ? 0 : n / 2;
    if (half)
      n = opt->real_extent ? opt->real_extent : 2 * (n - 1);
    g->divisor[k] = opt->sampling_rate ? trunc((double)n * opt->sampling_rate[k]) : 1;
    if (!(fabs(g->divisor[k]) >= 1) && shape->dim[k] > 0)
      return hed_fail(HED_E_INVAL, "%s: int(%lld * %g) along axis %d is 0 or NaN and cannot be divided by", op,
                      (long long)n, opt->sampling_rate[k], k);
  }
  return HED_OK;
}

static double coordinate(const grid *g, int axis, int64_t i) { return (double)(i - g->centre[axis]) / g->divisor[axis]; }

hed_array *HED_BODY(fftfreqn)(hed_shape shape, const hed_freq *opt, hed_dtype t)
{
  const char *op = "fftfreqn";
  if (!opt)
    opt = &defaults;
  grid g;
  if (settle(op, &shape, opt, t, !opt->euclidean, &g) != HED_OK)
    return NULL;
  int64_t n = hed__shape_size(shape.ndim, shape.dim), parts = opt->euclidean ? 1 : shape.ndim;
  double *values = take(op, n * parts);
  int64_t step[HED_MAX_NDIM];
  hed__c_strides(shape.ndim, shape.dim, 1, step);
  for (int64_t i = 0; i < n && values; i++) {
    double sum = 0;
    for (int k = 0; k < shape.ndim; k++) {
      double f = coordinate(&g, k, i / step[k] % shape.dim[k]);
      sum += f * f;
      if (!opt->euclidean)
        values[k * n + i] = f;
    }
    if (opt->euclidean)
      values[i] = sqrt(sum);
  }
  if (!opt->euclidean) {
    for (int k = shape.ndim; k > 0; k--)
      shape.dim[k] = shape.dim[k - 1];
    shape.dim[0] = shape.ndim++;
  }
  return give(values, &shape, g.id);
}

hed_status HED_BODY(fftfreqn_sparse)(hed_shape shape, const hed_freq *opt, hed_dtype t, hed_array **out)
{
  const char *op = "fftfreqn_sparse";
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (!opt)
    opt = &defaults;
  if (opt->euclidean)
    return hed_fail(HED_E_INVAL, "%s: option euclidean has no sparse form", op);
  grid g;
  hed_status status = settle(op, &shape, opt, t, false, &g);
  for (int k = 0; status == HED_OK && k < shape.ndim; k++)
    out[k] = NULL;
  for (int k = 0; status == HED_OK && k < shape.ndim; k++) {
    hed_shape one = { .ndim = shape.ndim };
    for (int j = 0; j < shape.ndim; j++)
      one.dim[j] = j == k ? shape.dim[k] : 1;
    double *values = take(op, shape.dim[k]);
    for (int64_t i = 0; i < shape.dim[k] && values; i++)
      values[i] = coordinate(&g, k, i);
    if (!(out[k] = give(values, &one, g.id))) {
      status = hed_error();
      while (k-- > 0) {
        hed_release(out[k]);
        out[k] = NULL;
      }
      break;
    }
  }
  return status;
}
