// SPDX-License-Identifier: BSD-3-Clause
/* Affine resampling of the last one to three axes by B-splines of order 0, 1 or 3, in double. L1.
 *
 * out(x) = in(M x + t), 0 where the point lies outside [0, n - 1] on some axis; a point less than BORDER beyond an end
 * counts as the end, so that rounding of a rotation by a right angle does not blank a side. Cubic splines interpolate
 * after a recursive filter with whole-sample mirror boundaries (Unser, Aldroubi, Eden, IEEE Trans. Signal Processing 41,
 * 1993, part II; Unser, IEEE Signal Processing Magazine 16(6), 1999); without the filter the elements are the spline's
 * coefficients and the result is smoothed. Taps outside the array are mirrored. These are the rules of SciPy's
 * ndimage.affine_transform with mode "constant", but for BORDER.
 */
#include "backends/reference/number.h"

#include <math.h>
#include <string.h>

#define BORDER 1e-9

/* Spline coefficients of N elements at STEP from each other, in place. */
static void prefilter_line(double *x, int64_t n, int64_t step)
{
  const double pole = sqrt(3.0) - 2.0;
  double sum, power = 1, last = 1;
  if (n < 2)
    return;
  for (int64_t k = 0; k < n; k++)
    x[k * step] *= 6; /* (1 - pole) (1 - 1 / pole) */
  /* causal: the sum over the signal and its mirror image, period 2 n - 2; powers below 2^-60 add nothing */
  for (int64_t k = 0; k < n - 1; k++)
    last *= pole;
  sum = x[0] + last * x[(n - 1) * step];
  for (int64_t k = 1; k < n - 1; k++) {
    power *= pole;
    if (fabs(power) < 0x1p-60)
      break;
    sum += power * x[k * step];
  }
  if (fabs(last) >= 0x1p-60)
    for (int64_t k = 1; k < n - 1; k++) {
      power = last;
      for (int64_t q = n - 1; q > k; q--)
        power *= pole;
      sum += power * x[k * step];
    }
  x[0] = sum / (1 - last * last);
  for (int64_t k = 1; k < n; k++)
    x[k * step] += pole * x[(k - 1) * step];
  /* anticausal */
  x[(n - 1) * step] = pole / (pole * pole - 1) * (x[(n - 1) * step] + pole * x[(n - 2) * step]);
  for (int64_t k = n - 2; k >= 0; k--)
    x[k * step] = pole * (x[(k + 1) * step] - x[k * step]);
}

static void prefilter(double *x, int32_t ndim, const int64_t *dim)
{
  int64_t total = 1, inner = 1;
  for (int32_t k = 0; k < ndim; k++)
    total *= dim[k];
  for (int32_t k = ndim - 1; k >= 0 && total > 0; inner *= dim[k], k--)
    for (int64_t l = 0; l < total / dim[k]; l++)
      prefilter_line(x + l / inner * inner * dim[k] + l % inner, dim[k], inner);
}

/* I brought into [0, n) by reflection at the first and last element. */
static int64_t mirror(int64_t i, int64_t n)
{
  if (n == 1)
    return 0;
  i = (i < 0 ? -i : i) % (2 * n - 2);
  return i < n ? i : 2 * n - 2 - i;
}

/* Elements that a point on one axis depends on, and how much. */
typedef struct taps {
  int n;
  int64_t offset[4];
  double weight[4];
} taps;

/* False when X is outside an axis of N elements. OFFSETs are multiples of STEP. */
static bool make_taps(taps *t, double x, int64_t n, int64_t step, int order)
{
  int64_t first;
  double f, g;
  if (!(x >= -BORDER && x <= (double)(n - 1) + BORDER))
    return false;
  x = x < 0 ? 0 : x > (double)(n - 1) ? (double)(n - 1) : x;
  first = (int64_t)(order == 0 ? floor(x + 0.5) : floor(x));
  f = x - (double)first;
  g = 1 - f;
  t->n = order + 1;
  switch (order) {
  case 0:
    t->weight[0] = 1;
    break;
  case 1:
    t->weight[0] = g;
    t->weight[1] = f;
    break;
  default: /* cubic B-spline at distances 1 + f, f, g, 1 + g */
    first--;
    t->weight[0] = g * g * g / 6;
    t->weight[1] = (4 + f * f * (3 * f - 6)) / 6;
    t->weight[2] = (4 + g * g * (3 * g - 6)) / 6;
    t->weight[3] = f * f * f / 6;
  }
  for (int k = 0; k < t->n; k++)
    t->offset[k] = mirror(first + k, n) * step;
  return true;
}

/* The value at a point of ND coordinates; 0 outside. */
static double sample(const double *x, int32_t nd, const int64_t *dim, const double *point, int order)
{
  static const taps one = { .n = 1, .offset = { 0 }, .weight = { 1 } };
  taps t[3] = { one, one, one };
  double sum = 0;
  int64_t step = 1;
  for (int32_t k = nd - 1; k >= 0; step *= dim[k], k--)
    if (!make_taps(&t[k], point[k], dim[k], step, order))
      return 0;
  for (int i = 0; i < t[0].n; i++) {
    double plane = 0;
    for (int j = 0; j < t[1].n; j++) {
      const double *row = x + t[0].offset[i] + t[1].offset[j];
      double line = 0;
      for (int k = 0; k < t[2].n; k++)
        line += t[2].weight[k] * row[t[2].offset[k]];
      plane += t[1].weight[j] * line;
    }
    sum += t[0].weight[i] * plane;
  }
  return sum;
}

int32_t hed__ref_affine_transform(void *state, const hed_call *call)
{
  const hed_affine_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int32_t nd = p->ndim, first = in->ndim - nd;
  hed_view block = { .dtype = in->dtype, .ndim = nd }, part = { .dtype = out->dtype, .ndim = nd };
  double *x = NULL, *row = NULL;
  int64_t rows = 1;
  int32_t status = HED_E_NOMEM;
  ref_walk w;
  if (nd < 1 || nd > 3 || first < 0 || out->ndim != in->ndim)
    return hed__ref_host(state)->fail(HED_E_SHAPE, "affine_transform: %d spatial axes of %d and %d", (int)nd, (int)in->ndim,
                                 (int)out->ndim);
  if (p->order != 0 && p->order != 1 && p->order != 3)
    return hed__ref_host(state)->fail(HED_E_INVAL, "affine_transform: spline order %d is not 0, 1 or 3", (int)p->order);
  for (int32_t k = 0; k < nd; k++) {
    block.dim[k] = in->dim[first + k];
    block.stride[k] = in->stride[first + k];
    part.dim[k] = out->dim[first + k];
    part.stride[k] = out->stride[first + k];
    rows *= k < nd - 1 ? part.dim[k] : 1;
  }
  const int64_t length = part.dim[nd - 1], step = part.stride[nd - 1];
  hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, out->dtype);
  x = ref_alloc(state, "affine_transform", ref_size(&block), sizeof *x);
  row = ref_alloc(state, "affine_transform", length, sizeof *row);
  if (!x || !row)
    goto done;
  const hed_view *views[2] = { out, in };
  for (ref_walk_init(&w, 2, views, ((1u << nd) - 1) << first); w.left > 0; ref_walk_next(&w)) {
    block.data = w.ptr[1];
    part.data = w.ptr[0];
    ref_gather(x, HED_ID_FLOAT64, sizeof *x, &block); /* all of it, so operands may be the same view */
    if (p->order == 3 && p->prefilter)
      prefilter(x, nd, block.dim);
    const hed_view *target = &part;
    ref_walk r;
    for (ref_walk_init(&r, 1, &target, ref_last_axis(&part)); r.left > 0; ref_walk_next(&r)) {
      for (int64_t j = 0; j < length; j++) {
        double point[3];
        for (int32_t i = 0; i < nd; i++) {
          point[i] = p->matrix[i][nd];
          for (int32_t k = 0; k < nd; k++)
            point[i] += p->matrix[i][k] * (double)(k < nd - 1 ? r.index[k] : j);
        }
        row[j] = sample(x, nd, block.dim, point, p->order);
      }
      cast(length, r.ptr[0], step, (char *)row, sizeof *row);
    }
  }
  status = HED_OK;
done:
  ref_free(state, x);
  ref_free(state, row);
  return status;
}
