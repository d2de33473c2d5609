// SPDX-License-Identifier: BSD-3-Clause
/* Filters of images: correlation along one axis, medians, spline coefficients, values at coordinates. In double. L1. */
#include "backends/reference/number.h"
#include "backends/reference/spline.h"
#include "base/boundary.h"
#include "base/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int mode_of(int32_t boundary, int otherwise) { return boundary == HED_BOUNDARY_DEFAULT ? otherwise : boundary; }

REF_KERNEL(correlate1d)
{
  const hed_correlate_params *p = call->params;
  const hed_view *in = call->in[0], *weights = call->in[1], *out = call->out[0];
  const int mode = mode_of(p->boundary, HED_BOUNDARY_REFLECT);
  const int64_t total = ref_size(in), taps = weights->dim[0];
  double *x = NULL, *w = NULL, *line = NULL;
  int32_t status = HED_E_NOMEM;
  if (total == 0)
    return HED_OK;
  const int64_t n = in->dim[p->axis];
  int64_t inner = 1;
  for (int32_t k = p->axis + 1; k < in->ndim; k++)
    inner *= in->dim[k];
  x = ref_alloc(state, "correlate1d", total, sizeof *x);
  w = ref_alloc(state, "correlate1d", taps, sizeof *w);
  line = ref_alloc(state, "correlate1d", n, sizeof *line);
  if (!x || !w || !line)
    goto done;
  ref_gather(x, HED_ID_FLOAT64, sizeof *x, in);
  ref_gather(w, HED_ID_FLOAT64, sizeof *w, weights);
  for (int64_t l = 0; l < total / n; l++) {
    double *at = x + l / inner * inner * n + l % inner;
    for (int64_t i = 0; i < n; i++)
      line[i] = at[i * inner];
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t k = 0; k < taps; k++) {
        int64_t j = hed__boundary_index(i + k - taps / 2, n, mode);
        sum += w[k] * (j < 0 ? p->cval : line[j]);
      }
      at[i * inner] = p->divisor != 0 ? sum / p->divisor : sum;
    }
  }
  ref_scatter(out, x, HED_ID_FLOAT64, sizeof *x);
  status = HED_OK;
done:
  ref_free(state, x);
  ref_free(state, w);
  ref_free(state, line);
  return status;
}

/* Elements as floats or as 64-bit integers, which double would not hold. */
typedef union number { double f; int64_t i; uint64_t u; } number;

#define ASCENDING(name, field)                                                                    \
  static int name(const void *a, const void *b)                                                   \
  {                                                                                               \
    const number x = *(const number *)a, y = *(const number *)b;                                  \
    return (x.field > y.field) - (x.field < y.field);                                             \
  }
ASCENDING(ascending_float, f)
ASCENDING(ascending_int, i)
ASCENDING(ascending_uint, u)

/* Element size / 2 of the sorted box; a NaN in the box is the result. */
REF_KERNEL(median_filter)
{
  static const struct { int32_t wide; int (*order)(const void *, const void *); } kinds[] = {
    [HED_KIND_BOOL] = { HED_ID_UINT64, ascending_uint }, [HED_KIND_UINT] = { HED_ID_UINT64, ascending_uint },
    [HED_KIND_INT] = { HED_ID_INT64, ascending_int }, [HED_KIND_FLOAT] = { HED_ID_FLOAT64, ascending_float },
  };
  const hed_box_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int mode = mode_of(p->boundary, HED_BOUNDARY_REFLECT);
  const hed_kind kind = hed__id_kind(in->dtype);
  const int32_t wide = kinds[kind].wide;
  const int64_t total = ref_size(in);
  number *x = NULL, *result = NULL, *box = NULL, beyond;
  int64_t size = 1, stride[HED_MAX_NDIM], centre[HED_MAX_NDIM] = { 0 };
  int32_t status = HED_E_NOMEM;
  if (total == 0)
    return HED_OK;
  for (int32_t k = 0; k < in->ndim; k++)
    if (__builtin_mul_overflow(size, p->size, &size))
      return ref_host(state)->fail(HED_E_NOMEM, "median_filter: no memory for boxes of edge %lld", (long long)p->size);
  for (int32_t k = in->ndim - 1, step = 1; k >= 0; k--) {
    stride[k] = k == in->ndim - 1 ? step : stride[k + 1] * in->dim[k + 1];
  }
  x = ref_alloc(state, "median_filter", total, sizeof *x);
  result = ref_alloc(state, "median_filter", total, sizeof *result);
  box = ref_alloc(state, "median_filter", size, sizeof *box);
  if (!x || !result || !box)
    goto done;
  hed__cast(HED_ID_FLOAT64, wide)(1, (char *)&beyond, 0, (const char *)&p->cval, 0);
  ref_gather(x, wide, sizeof *x, in);
  for (int64_t i = 0; i < total; i++) {
    bool nan = false;
    for (int64_t b = 0; b < size; b++) {
      int64_t rest = b, at = 0;
      bool outside = false;
      for (int32_t k = in->ndim - 1; k >= 0; k--) {
        int64_t j = hed__boundary_index(centre[k] + rest % p->size - p->size / 2, in->dim[k], mode);
        rest /= p->size;
        outside = outside || j < 0;
        at += (j < 0 ? 0 : j) * stride[k];
      }
      box[b] = outside ? beyond : x[at];
      nan = nan || (outside ? p->cval != p->cval : kind == HED_KIND_FLOAT && box[b].f != box[b].f);
    }
    qsort(box, (size_t)size, sizeof *box, kinds[kind].order);
    result[i] = !nan ? box[size / 2] : kind == HED_KIND_FLOAT ? (number){ .f = (double)NAN } : (number){ .u = 0 };
    for (int32_t k = in->ndim - 1; k >= 0 && ++centre[k] == in->dim[k]; k--)
      centre[k] = 0;
  }
  ref_scatter(out, result, wide, sizeof *result);
  status = HED_OK;
done:
  ref_free(state, x);
  ref_free(state, result);
  ref_free(state, box);
  return status;
}

REF_KERNEL(spline_filter)
{
  const hed_spline_params *p = call->params;
  const hed_view *in = call->in[0];
  double *x = ref_alloc(state, "spline_filter", ref_size(in), sizeof *x);
  if (!x)
    return HED_E_NOMEM;
  ref_gather(x, HED_ID_FLOAT64, sizeof *x, in);
  ref_spline_coefficients(x, in->ndim, in->dim, p->axes, mode_of(p->boundary, HED_BOUNDARY_MIRROR));
  ref_scatter(call->out[0], x, HED_ID_FLOAT64, sizeof *x);
  ref_free(state, x);
  return HED_OK;
}

REF_KERNEL(map_coordinates)
{
  const hed_spline_params *p = call->params;
  const hed_view *in = call->in[0], *points = call->in[1], *out = call->out[0];
  const int mode = mode_of(p->boundary, HED_BOUNDARY_CONSTANT);
  const int64_t n = ref_size(out), d = in->ndim;
  int32_t status = HED_E_NOMEM;
  double *x = ref_alloc(state, "map_coordinates", ref_size(in), sizeof *x);
  double *c = ref_alloc(state, "map_coordinates", d * n, sizeof *c), *result = ref_alloc(state, "map_coordinates", n, sizeof *c);
  if (!x || !c || !result)
    goto done;
  ref_gather(x, HED_ID_FLOAT64, sizeof *x, in);
  ref_gather(c, HED_ID_FLOAT64, sizeof *c, points);
  if (p->order == 3 && p->prefilter)
    ref_spline_coefficients(x, in->ndim, in->dim, ~0u, mode);
  for (int64_t i = 0; i < n; i++) {
    double point[3] = { 0 };
    for (int64_t k = 0; k < d; k++)
      point[k] = c[k * n + i];
    result[i] = ref_spline_sample(x, in->ndim, in->dim, point, p->order, mode, p->cval);
  }
  ref_scatter(out, result, HED_ID_FLOAT64, sizeof *result);
  status = HED_OK;
done:
  ref_free(state, x);
  ref_free(state, c);
  ref_free(state, result);
  return status;
}
