// SPDX-License-Identifier: BSD-3-Clause
/* Of the tests of training: every backend in turn, arrays from numbers, numbers from arrays. */
#ifndef HED_TESTS_NN_TRAIN_H
#define HED_TESTS_NN_TRAIN_H
#include "arrays.h"
#include "tap.h"
#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void train_on_each(void (*f)(const char *backend))
{
  static const char *const backends[] = { "reference", "cpu", "faulty" };
  for (int k = 0; k < 3; k++) {
    if (hed_backend_require(backends[k]) != HED_OK) {
      skip(1, "%s: %s", backends[k], hed_error_text());
      continue;
    }
    hed_error_clear();
    HED_BACKEND_CONTEXT_OR(backends[k], bail("%s: %s", backends[k], hed_error_text())) HED_SCOPE f(backends[k]);
  }
}

/* float64, or float32 where the backend in force has no doubles; and what that costs. */
static inline hed_dtype train_type(void) { return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32; }
static inline double train_within(double tolerance) { return train_type() == HED_FLOAT64 ? tolerance : fmax(tolerance, 2e-4); }

static inline hed_array *train_array(hed_shape s, const double *values)
{
  hed_array *x = hed_from_doubles(values, s, train_type());
  if (!x)
    bail("no array: %s", hed_error_text());
  return x;
}
#define VECTOR(...) train_array(HED_SHAPE((int64_t)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double))), (double[]){ __VA_ARGS__ })

/* The largest |x - want| over the N elements of X; infinite where X is missing, or of another size. */
static inline double train_far(const hed_array *x, const double *want, int64_t n)
{
  double *has = calloc((size_t)n + 1, sizeof *has), far = INFINITY;
  if (!x)
    diag("no array: %s", hed_error_text());
  else if (hed_array_size(x) != n)
    diag("%lld elements, not %lld", (long long)hed_array_size(x), (long long)n);
  else if (has && hed_tolist(x, has, n) == HED_OK) {
    far = 0;
    for (int64_t k = 0; k < n; k++)
      far = isnan(want[k]) && isnan(has[k]) ? far : fabs(has[k] - want[k]) > far || isnan(has[k] - want[k])
            ? (has[k] == want[k] ? far : fabs(has[k] - want[k])) : far;
    if (!(far <= 1e-9))
      for (int64_t k = 0; k < n && k < 12; k++)
        diag("  %lld: %.17g, not %.17g", (long long)k, has[k], want[k]);
  }
  free(has);
  return far;
}
#define FAR(x, ...) train_far((x), (double[]){ __VA_ARGS__ }, (int64_t)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)))

static inline double train_item(const hed_array *x)
{
  double d = NAN;
  if (!x || hed_item(x, &d) != HED_OK)
    diag("no number: %s", hed_error_text());
  return d;
}

#define BAD(call, status, part, ...) do { hed_error_clear(); is_int((call), (status), __VA_ARGS__); \
                                          has_str(hed_error_text(), (part), "the sentence says it"); } while (0)
#define NONE(call, status, part, ...) BAD(((call) ? HED_OK : hed_error()), status, part, __VA_ARGS__)

#endif
