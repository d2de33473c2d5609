// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of operations share: every test runs on each usable host backend, arrays are made from lists of
 * numbers and compared as doubles, and a failure must leave both its status and its sentence.
 */
#ifndef HED_TESTS_API_H
#define HED_TESTS_API_H

#include "arrays.h"
#include "tap.h"
#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { API_MAX = 4096 };

/* Runs FN in a context of SPEC, whose backend is called NAME, where that is usable here. */
static inline void api_in(const char *name, const char *spec, void (*fn)(const char *backend))
{
  if (hed_backend_require(name) != HED_OK) {
    skip(1, "backend %s: %s", name, hed_error_text());
    hed_error_clear();
    return;
  }
  HED_BACKEND_CONTEXT(spec)
    fn(name);
}

/* Runs FN in a context of every host backend that is usable here. */
static inline void api_each_backend(void (*fn)(const char *backend))
{
  static const char *const names[] = { "reference", "cpu" };
  for (int k = 0; k < 2; k++)
    api_in(names[k], names[k], fn);
}

/* The same, with one thread and with more; how many there are meanwhile. */
static int api_threads;
static inline void api_each_context(void (*fn)(const char *backend))
{
  static const struct { const char *name, *spec; int threads; } contexts[] = {
    { "reference", "reference", 1 }, { "cpu", "cpu;threads=1", 1 }, { "cpu", "cpu;threads=3", 3 },
  };
  for (size_t k = 0; k < sizeof contexts / sizeof *contexts; k++) {
    api_threads = contexts[k].threads;
    api_in(contexts[k].name, contexts[k].spec, fn);
  }
}

/* An array of dtype T from N doubles. */
static inline hed_array *api_array(hed_shape shape, hed_dtype t, const double *values)
{
  hed_array *d = hed_from_host(values, shape, HED_FLOAT64), *x = hed_astype(d, t);
  hed_release(d);
  if (!x)
    bail("cannot make an array: %s", hed_error_text());
  return x;
}
#define API_LIST(...) ((const double[]){ __VA_ARGS__ })
#define API_VECTOR(t, ...) \
  api_array(HED_SHAPE((int64_t)(sizeof API_LIST(__VA_ARGS__) / sizeof(double))), t, API_LIST(__VA_ARGS__))

/* 0, 1, 2, ... in SHAPE. */
static inline hed_array *api_iota(hed_shape shape, hed_dtype t)
{
  static double values[API_MAX];
  for (int k = 0; k < API_MAX; k++)
    values[k] = k;
  return api_array(shape, t, values);
}

/* X's elements in C order as doubles (complex: real parts); returns their number, -1 for NULL. */
static inline int64_t api_values(const hed_array *x, double *out)
{
  hed_array *d = hed_astype(x, HED_FLOAT64);
  int64_t n = hed_array_size(d);
  if (!d || n > API_MAX || hed_to_host(d, out, (size_t)n * sizeof *out) != HED_OK)
    n = -1;
  hed_release(d);
  return n;
}

/* The only element of X, which is released; -1 and a comment where there is none. */
static inline double api_number(hed_array *x)
{
  double v = -1;
  if (!x || hed_item(x, &v) != HED_OK)
    diag("%s", hed_error_text());
  hed_release(x);
  return v;
}

/* Shape, dtype and values; X is released. */
static inline bool api_is(hed_array *x, hed_shape shape, hed_dtype t, const double *want, const char *name)
{
  static double got[API_MAX];
  if (!x)
    return ok(x != NULL, "%s: %s", name, hed_error_text());
  hed_shape s = hed_array_shape(x);
  bool good = s.ndim == shape.ndim;
  for (int k = 0; k < s.ndim && good; k++)
    good = s.dim[k] == shape.dim[k];
  if (!good)
    ok(good, "%s: shape", name);
  if (good && hed_array_dtype(x) != t)
    good = is_str(hed_dtype_name(hed_array_dtype(x)), hed_dtype_name(t), "%s: dtype", name);
  int64_t n = good ? api_values(x, got) : 0;
  for (int64_t k = 0; k < n && good; k++)
    if (!(got[k] == want[k] || (got[k] != got[k] && want[k] != want[k])))
      good = is_near(got[k], want[k], 0, 0, "%s: element %lld", name, (long long)k);
  hed_release(x);
  return good ? ok(n >= 0, "%s", name) : false;
}

/* The call failed with this status and these words. */
static inline void api_failed(bool failed, hed_status status, const char *words, const char *name)
{
  if (!ok(failed, "%s: refused", name))
    return;
  is_int(hed_error(), status, "%s: status", name);
  has_str(hed_error_text(), words, "%s: sentence", name);
  hed_error_clear();
}
#define API_NULL(call, status, words) api_failed((call) == NULL, status, words, #call)
#define API_FAIL(call, status, words) api_failed((call) < 0, status, words, #call)

#endif
