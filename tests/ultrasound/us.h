// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of the ultrasound kit share: every test runs on the reference backend, on cpu and on a device that works
 * behind the caller's back, and compares with sums written out in double.
 */
#ifndef HED_TESTS_US_H
#define HED_TESTS_US_H

#include "api.h"
#include "gen.h"
#include <complex.h>
#include <heddle/kits/ultrasound.h>
#include <math.h>

/* Runs FN on reference, cpu and faulty; with HEDDLE_TEST_FULL on devices that compile as they run, too. */
static inline void us_each(void (*fn)(const char *backend))
{
  static const char *const names[] = { "reference", "cpu", "faulty", "opencl", "cuda" };
  for (int k = 0; k < (full_run() ? 5 : 3); k++)
    api_in(names[k], names[k], fn);
}

/* T, or the nearest that the current context's device has. */
static inline hed_dtype us_dtype(hed_dtype t)
{
  const bool narrow = hed_device_supports(NULL, "float64") != 1;
  return narrow && t == HED_FLOAT64 ? HED_FLOAT32 : narrow && t == HED_COMPLEX128 ? HED_COMPLEX64 : t;
}

static inline bool us_is_single(hed_dtype t)
{
  return us_dtype(HED_FLOAT64) == HED_FLOAT32 || t == HED_FLOAT32 || t == HED_COMPLEX64 || t == HED_FLOAT16;
}

/* An array of us_dtype(T) in the current context from N numbers. Every second one lies there with its axes the other way round. */
static inline hed_array *us_array(hed_shape s, hed_dtype t, const double complex *v)
{
  static int count;
  hed_array *x = NULL;
  t = us_dtype(t);
  HED_SCOPE {
    hed_array *here = NULL;
    HED_BACKEND_CONTEXT("reference")
      here = hed_astype(hed_from_host(v, s, HED_COMPLEX128), t);
    here = hed_to(here, hed_get_backend());
    if (count++ % 2)
      here = hed_transpose(hed_copy(hed_transpose(here, NULL)), NULL);
    x = hed_keep(here);
  }
  if (!x)
    bail("cannot make an array: %s", hed_error_text());
  return x;
}

/* An array of one axis from real numbers. */
#define US_LIST(t, ...) \
  us_array(HED_SHAPE((int64_t)(sizeof((double complex[]){ __VA_ARGS__ }) / sizeof(double complex))), t, \
           ((const double complex[]){ __VA_ARGS__ }))

/* Random numbers that T holds: complex ones, or real; whole ones for integers. */
static inline void us_random(gen *g, hed_dtype t, size_t n, double complex *v)
{
  const int kind = (int)hed_dtype_kind(t);
  for (size_t i = 0; i < n; i++) {
    const double re = (double)gen_int(g, -100, 100), im = (double)gen_int(g, -100, 100);
    if (kind == HED_KIND_COMPLEX)
      v[i] = re / 64 + im / 64 * I;
    else
      v[i] = kind == HED_KIND_FLOAT ? re / 64 : kind == HED_KIND_INT ? re : fabs(re);
  }
}

/* The elements of X as doubles; releases X. -1 elements and a failed point when there is none. */
static inline int64_t us_values(hed_array *x, double *out, int64_t room)
{
  hed_array *host = hed_keep(hed_to(x, "reference")), *wide = NULL;
  HED_BACKEND_CONTEXT("reference")
    wide = hed_keep(hed_astype(host, HED_FLOAT64));
  int64_t n = hed_array_size(wide);
  if (n > room || (n >= 0 && hed_to_host(wide, out, (size_t)n * sizeof *out) != HED_OK))
    n = -1;
  if (n < 0)
    fail("%s", hed_error_text());
  RELEASE(wide, host, x);
  return n;
}

/* The one element of X; releases X. */
static inline double us_value(hed_array *x)
{
  double v = NAN;
  if (hed_item(x, &v) != HED_OK)
    fail("%s", hed_error_text());
  hed_release(x);
  return v;
}

/* X is NULL with STATUS, and the sentence holds both parts. */
static inline void us_refused(hed_array *x, hed_status status, const char *part, const char *other)
{
  ok(x == NULL && hed_status_is(hed_error(), status), "refused: %s", hed_error_text());
  has_str(hed_error_text(), part, "says %s", part);
  has_str(hed_error_text(), other, "says %s", other);
  hed_release(x);
  hed_error_clear();
}

#endif
