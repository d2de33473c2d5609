// SPDX-License-Identifier: BSD-3-Clause
/* B-splines in double: a line's coefficients, and the value at a point (backends/reference/spline.h says which). L0; header only, also
 * a text of the kernels of devices, where HED__MEMORY says in which memory elements are.
 */
#ifndef HED_BASE_SPLINE_VALUES_H
#define HED_BASE_SPLINE_VALUES_H

#include "base/boundary.h"

#include <math.h>
#include <stdbool.h>

#ifndef HED__MEMORY
#define HED__MEMORY
#endif

/* A point less than this beyond an end counts as the end: rounding of a rotation by a right angle blanks no side. */
#define BORDER 1e-9

/* The causal filter's first value: the sum of pole^k x[-k] over the extended signal. */
static inline double causal_start(const HED__MEMORY double *x, int64_t n, int64_t step, double pole, int boundary)
{
  double sum, power = 1, last = 1, far;
  switch (boundary) {
  case HED_BOUNDARY_WRAP: /* period n */
    sum = x[0];
    for (int64_t k = 1; k < n; k++) {
      power *= pole;
      sum += power * x[(n - k) * step];
    }
    return sum / (1 - power * pole);
  case HED_BOUNDARY_REFLECT: /* x[0], then once more from x[0] on, and back */
    sum = 0;
    for (int64_t k = 0; k < 2 * n; k++)
      last *= pole;
    far = last;
    for (int64_t k = 0; k < n; k++) {
      power *= pole;
      sum += (power + far) * x[k * step];
      far /= pole;
      if (fabs(power) < 0x1p-70 && fabs(far) < 0x1p-70)
        far = 0;
    }
    return x[0] + sum / (1 - last);
  default: /* the signal and its mirror image, period 2 n - 2; powers below 2^-60 add nothing */
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
    return sum / (1 - last * last);
  }
}

/* The coefficient at the end, from the causal values. */
static inline double anticausal_start(const HED__MEMORY double *x, int64_t n, int64_t step, double pole, int boundary)
{
  const double end = x[(n - 1) * step];
  double sum, power = pole;
  switch (boundary) {
  case HED_BOUNDARY_WRAP:
    sum = pole * end;
    for (int64_t k = 0; k < n - 1; k++) {
      power *= pole;
      sum += power * x[k * step];
    }
    return -sum / (1 - power);
  case HED_BOUNDARY_REFLECT:
    return pole / (pole - 1) * end;
  default:
    return pole / (pole * pole - 1) * (end + pole * x[(n - 2) * step]);
  }
}

/* Coefficients of N elements at STEP from each other, in place. */
static inline void filter_line(HED__MEMORY double *x, int64_t n, int64_t step, int boundary)
{
  const double pole = sqrt(3.0) - 2.0;
  if (n < 2)
    return;
  for (int64_t k = 0; k < n; k++)
    x[k * step] *= 6; /* (1 - pole) (1 - 1 / pole) */
  x[0] = causal_start(x, n, step, pole, boundary);
  for (int64_t k = 1; k < n; k++)
    x[k * step] += pole * x[(k - 1) * step];
  x[(n - 1) * step] = anticausal_start(x, n, step, pole, boundary);
  for (int64_t k = n - 2; k >= 0; k--)
    x[k * step] = pole * (x[(k + 1) * step] - x[k * step]);
}

/* Elements that a point on one axis depends on, and how much. */
typedef struct spline_taps {
  int n;
  int64_t offset[4];
  double weight[4];
} spline_taps;

/* False when X is outside an axis of N elements. OFFSETs are multiples of STEP. */
static inline bool make_taps(spline_taps *t, double x, int64_t n, int64_t step, int order, int boundary)
{
  const bool ends = boundary == HED_BOUNDARY_CONSTANT || boundary == HED_BOUNDARY_NEAREST;
  const int extension = ends ? HED_BOUNDARY_MIRROR : boundary;
  int64_t first;
  double f, g;
  if (boundary == HED_BOUNDARY_CONSTANT ? !(x >= -BORDER && x <= (double)(n - 1) + BORDER) : !(fabs(x) <= 1e15))
    return false;
  if (ends)
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
    t->offset[k] = hed__boundary_index(first + k, n, extension) * step;
  return true;
}

/* The value at POINT of coefficients in C order: backends/reference/spline.h. */
static inline double spline_sample(const HED__MEMORY double *x, int32_t ndim, const int64_t dim[3], const double point[3],
                                   int order, int boundary, double cval)
{
  spline_taps t[3];
  double sum = 0;
  int64_t step = 1;
  for (int32_t k = 0; k < 3; k++) {
    t[k].n = 1;
    t[k].offset[0] = 0;
    t[k].weight[0] = 1;
  }
  for (int32_t k = ndim - 1; k >= 0; step *= dim[k], k--)
    if (!make_taps(&t[k], point[k], dim[k], step, order, boundary))
      return cval;
  for (int i = 0; i < t[0].n; i++) {
    double plane = 0;
    for (int j = 0; j < t[1].n; j++) {
      const HED__MEMORY double *row = x + t[0].offset[i] + t[1].offset[j];
      double line = 0;
      for (int k = 0; k < t[2].n; k++)
        line += t[2].weight[k] * row[t[2].offset[k]];
      plane += t[1].weight[j] * line;
    }
    sum += t[0].weight[i] * plane;
  }
  return sum;
}

#endif
