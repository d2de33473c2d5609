// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of the tensor kit share: plain tensors of doubles, and sums over all elements without any kit.
 *
 * Layer: L5. Complex numbers are pairs; an array of host doubles becomes one of a dtype by tensor_array().
 */
#ifndef HED_TESTS_TENSOR_H
#define HED_TESTS_TENSOR_H
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <complex.h>
#include <heddle.h>
#include <heddle/kits/tensor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* N random numbers, complex with COMPLEX_. */
static inline double complex *tensor_values(gen *g, int64_t n, bool complex_)
{
  double complex *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);
  for (int64_t i = 0; i < n; i++)
    v[i] = gen_normal(g) + (complex_ ? gen_normal(g) * I : 0);
  return v;
}

/* Devices may have no doubles: numbers go there and back in the type that they are to have. */
static inline hed_array *tensor_array(const double complex *v, hed_shape s, hed_dtype t)
{
  hed_array *host = NULL, *out = NULL;
  HED_BACKEND_CONTEXT_OR("reference", bail("reference: %s", hed_error_text())) {
    hed_array *wide = hed_from_host(v, s, HED_COMPLEX128);
    hed_array *part = hed_dtype_kind(t) != HED_KIND_COMPLEX ? hed_real(wide) : hed_retain(wide);
    host = hed_astype(part, t);
    RELEASE(wide, part);
  }
  out = hed_asarray(host, t);
  hed_release(host);
  if (!out)
    bail("an array of test data: %s", hed_error_text());
  return out;
}

/* Numbers that other programs make alike (data/gen_tensor.py): element k is (1 + sin(a (k + 1) + 0.3 (k mod 7))) / 2. */
static inline hed_array *tensor_wave(hed_shape s, double a, hed_dtype t)
{
  int64_t n = elements_of(s);
  double complex *v = malloc((size_t)n * sizeof *v);
  for (int64_t k = 0; k < n; k++)
    v[k] = 0.5 + 0.5 * sin(a * (double)(k + 1) + 0.3 * (double)(k % 7));
  hed_array *x = tensor_array(v, s, t);
  free(v);
  return x;
}

/* The elements of X in C order, from malloc(). */
static inline double complex *tensor_elements(const hed_array *x)
{
  const int64_t n = hed_array_size(x);
  double complex *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);
  HED_BACKEND_CONTEXT_OR("reference", bail("reference: %s", hed_error_text())) {
    hed_array *host = hed_to(x, "reference"), *wide = hed_astype(host, HED_COMPLEX128);
    if (!wide || hed_to_host(wide, v, (size_t)n * sizeof *v) != HED_OK)
      bail("elements: %s", hed_error_text());
    RELEASE(host, wide);
  }
  return v;
}

/* Largest |a - b| over the largest |b|, or 1 where that is smaller. */
static inline double tensor_distance(const double complex *a, const double complex *b, int64_t n)
{
  double most = 0, size = 1;
  for (int64_t i = 0; i < n; i++) {
    most = fmax(most, cabs(a[i] - b[i]));
    size = fmax(size, cabs(b[i]));
  }
  return most / size;
}

/* The coordinates of element I. */
static inline void tensor_place(hed_shape s, int64_t i, int64_t *at)
{
  for (int k = s.ndim - 1; k >= 0; k--) {
    at[k] = i % s.dim[k];
    i /= s.dim[k];
  }
}

/* sum over r of w_r times the product of f[k][at_k, r], element by element; from malloc(). */
static inline double complex *tensor_of_factors(hed_shape s, int64_t rank, double complex *const *f, const double complex *w)
{
  const int64_t n = elements_of(s);
  double complex *out = calloc((size_t)n, sizeof *out);
  int64_t at[HED_MAX_NDIM];
  for (int64_t i = 0; i < n; i++) {
    tensor_place(s, i, at);
    for (int64_t r = 0; r < rank; r++) {
      double complex p = w ? w[r] : 1;
      for (int k = 0; k < s.ndim; k++)
        p *= f[k][at[k] * rank + r];
      out[i] += p;
    }
  }
  return out;
}

/* 1 to MOST axes of extents 1 to LONGEST. */
static inline hed_shape tensor_shape(gen *g, int least, int most, int64_t longest)
{
  hed_shape s = { .ndim = (int32_t)gen_int(g, least, most) };
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = gen_int(g, 1, longest);
  return s;
}

static inline double tensor_tolerance(hed_dtype t)
{
  return t == HED_FLOAT32 || t == HED_COMPLEX64 ? 2e-5 : 1e-12;
}

/* Four in turn; where the current device has no doubles, two. */
static inline hed_dtype tensor_dtype(int k)
{
  if (hed_device_supports(NULL, "float64") != 1 || hed_device_supports(NULL, "complex128") != 1)
    return k % 2 ? HED_FLOAT32 : HED_COMPLEX64;
  return k % 4 == 0 ? HED_FLOAT64 : k % 4 == 1 ? HED_FLOAT32 : k % 4 == 2 ? HED_COMPLEX128 : HED_COMPLEX64;
}

/* The backends that tests of the kit run on: k = 0, 1, ..; NULL at the end. The faulty one is a device whose work comes late;
 * opencl compiles as it runs, which takes minutes: with HEDDLE_TEST_FULL. */
static inline const char *tensor_backend(int k)
{
  static const char *const names[] = { "reference", "cpu", "faulty", "opencl" };
  return k < (full_run() ? 4 : 3) ? names[k] : NULL;
}

/* Random N x RANK of which no two columns are near one direction: for terms that are alike in all modes least squares in turn
 * takes thousands of sweeps. */
static inline double complex *tensor_values_apart(gen *g, int64_t n, int64_t rank, bool is_complex)
{
  for (;;) {
    double complex *v = tensor_values(g, n * rank, is_complex);
    bool alike = false;
    for (int64_t p = 0; p < rank; p++)
      for (int64_t q = 0; q < p; q++) {
        double complex both = 0;
        double first = 0, second = 0;
        for (int64_t i = 0; i < n * rank; i += rank) {
          both += v[i + p] * conj(v[i + q]);
          first += creal(v[i + p] * conj(v[i + p]));
          second += creal(v[i + q] * conj(v[i + q]));
        }
        alike |= cabs(both) > 0.5 * sqrt(first * second);
      }
    if (!alike)
      return v;
    free(v);
  }
}

/* FN on each of them that is there. */
static inline void on_backends(void (*fn)(gen *g, const char *backend))
{
  for (int i = 0; tensor_backend(i); i++) {
    hed_frame frame;
    gen g;
    if (hed_backend_context_push(tensor_backend(i), &frame) != HED_OK) {
      skip(1, "backend %s: %s", tensor_backend(i), hed_error_text());
      hed_error_clear();
      continue;
    }
    diag("backend %s", tensor_backend(i));
    gen_seed(&g, tap_seed() + (uint64_t)i);
    fn(&g, tensor_backend(i));
    (void)hed_context_unwind(frame);
  }
}

static inline bool is_backend(const char *backend, const char *name) { return strcmp(backend, name) == 0; }

#endif
