// SPDX-License-Identifier: BSD-3-Clause
/* Order of eigenvalues and phases of vectors: see dense.h. L0. */
#include "base/dense.h"
#include <heddle/dtype.h>
#include <math.h>
#include <stdio.h>

static int before(const double *w, int64_t a, int64_t b, int imaginary_only)
{
  if (!imaginary_only && w[2 * a] != w[2 * b])
    return w[2 * a] < w[2 * b];
  return w[2 * a + 1] < w[2 * b + 1];
}

/* Insertion sort of a part of ORDER: stable, and the lists are short beside the work that made them. */
static void sort_part(const double *w, int64_t *order, int64_t from, int64_t to, int imaginary_only)
{
  for (int64_t j = from + 1; j < to; j++) {
    const int64_t item = order[j];
    int64_t k = j;
    for (; k > from && before(w, item, order[k - 1], imaginary_only); k--)
      order[k] = order[k - 1];
    order[k] = item;
  }
}

void hed__order_eigenvalues(int64_t n, const double *w, double eps, int64_t *order)
{
  double largest = 0;
  for (int64_t k = 0; k < n; k++) {
    order[k] = k;
    largest = fmax(largest, hypot(w[2 * k], w[2 * k + 1]));
  }
  const double tolerance = 16 * (double)n * eps * largest;
  sort_part(w, order, 0, n, 0);
  for (int64_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && w[2 * order[to]] - w[2 * order[to - 1]] <= tolerance; to++)
      ;
    sort_part(w, order, from, to, 1);
  }
}

static void get(int id, const char *p, double out[2])
{
  if (id == HED_ID_COMPLEX64) {
    out[0] = ((const float *)(const void *)p)[0];
    out[1] = ((const float *)(const void *)p)[1];
  } else {
    out[0] = ((const double *)(const void *)p)[0];
    out[1] = ((const double *)(const void *)p)[1];
  }
}

static void set(int id, char *p, double re, double im)
{
  if (id == HED_ID_COMPLEX64) {
    ((float *)(void *)p)[0] = (float)re;
    ((float *)(void *)p)[1] = (float)im;
  } else {
    ((double *)(void *)p)[0] = re;
    ((double *)(void *)p)[1] = im;
  }
}

/* Real vectors in their own type: whole factors pass through here. 0 - x keeps zeros positive. */
#define REAL(T, S, ABS)                                                                            \
  static int64_t phase_##S(int64_t n, const char *x, int64_t stride, double factor[2])             \
  {                                                                                                \
    T largest = 0;                                                                                 \
    for (int64_t k = 0; k < n; k++) {                                                              \
      const T size = ABS(*(const T *)(const void *)(x + k * stride));                              \
      largest = size > largest ? size : largest;                                                   \
    }                                                                                              \
    const double least = 0.999 * (double)largest;                                                  \
    if (!(largest > 0) || !isfinite(largest))                                                      \
      return -1;                                                                                   \
    for (int64_t k = 0; k < n; k++) {                                                              \
      const T v = *(const T *)(const void *)(x + k * stride);                                      \
      if ((double)ABS(v) >= least) {                                                               \
        factor[0] = v < 0 ? -1 : 1;                                                                \
        return k;                                                                                  \
      }                                                                                            \
    }                                                                                              \
    return -1;                                                                                     \
  }                                                                                                \
                                                                                                   \
  static void rotate_##S(int64_t n, char *x, int64_t stride, double c)                               \
  {                                                                                                \
    if (c == -1 && stride == (int64_t)sizeof(T))                                                   \
      for (int64_t k = 0; k < n; k++)                                                              \
        ((T *)(void *)x)[k] = 0 - ((T *)(void *)x)[k];                                             \
    else                                                                                           \
      for (int64_t k = 0; k < n; k++, x += stride)                                                 \
        *(T *)(void *)x = c == -1 ? 0 - *(T *)(void *)x : (T)(c * (double)*(T *)(void *)x);        \
  }
REAL(float, f32, fabsf)
REAL(double, f64, fabs)

int64_t hed__phase(int id, int64_t n, const void *x, int64_t stride, double factor[2])
{
  double largest = 0, v[2];
  const char *p = x;
  factor[0] = 1;
  factor[1] = 0;
  if (id == HED_ID_FLOAT32 || id == HED_ID_FLOAT64)
    return (id == HED_ID_FLOAT32 ? phase_f32 : phase_f64)(n, p, stride, factor);
  for (int64_t k = 0; k < n; k++) {
    get(id, p + k * stride, v);
    largest = fmax(largest, hypot(v[0], v[1]));
  }
  if (!(largest > 0) || !isfinite(largest))
    return -1;
  for (int64_t k = 0; k < n; k++) {
    get(id, p + k * stride, v);
    const double size = hypot(v[0], v[1]);
    if (size >= 0.999 * largest) {
      factor[0] = v[0] / size;
      factor[1] = -v[1] / size;
      return k;
    }
  }
  return -1;
}

void hed__rotate_phase(int id, int64_t n, void *x, int64_t stride, const double factor[2], int conjugate, int64_t leading)
{
  const double c = factor[0], s = conjugate ? -factor[1] : factor[1];
  char *p = x;
  double v[2];
  if (c == 1 && s == 0)
    return;
  if (id == HED_ID_FLOAT32 || id == HED_ID_FLOAT64) {
    (id == HED_ID_FLOAT32 ? rotate_f32 : rotate_f64)(n, p, stride, c);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    get(id, p + k * stride, v);
    set(id, p + k * stride, c * v[0] - s * v[1], k == leading ? 0 : c * v[1] + s * v[0]);
  }
}

char *hed__matrix_text(int64_t at, int batch_axes, char *buf)
{
  if (batch_axes > 0)
    snprintf(buf, HED__MATRIX_TEXT, "matrix %lld of the batch", (long long)at);
  else
    snprintf(buf, HED__MATRIX_TEXT, "the matrix");
  return buf;
}
