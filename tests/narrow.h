// SPDX-License-Identifier: BSD-3-Clause
/* For tests that compare backends with the reference backend: the one under test may lack float64. Then both compute with
 * the types that it has. L5. */
#ifndef HED_TESTS_NARROW_H
#define HED_TESTS_NARROW_H

#include "tap.h"
#include <heddle.h>
#include <stdio.h>
#include <string.h>

static bool narrow; /* the backend under test lacks float64 and complex128 */

/* Whether it is BACKEND; SPEC for a context on it, with OPTIONS ("" or ";..."). */
static inline void narrow_spec(const char *backend, const char *options, char *spec, size_t cap)
{
  narrow = !hed_device_supports(backend, "float64");
  snprintf(spec, cap, "%s%s%s", backend, options, narrow ? ";dtype=relaxed" : "");
}

/* From one random case to the next on BACKEND: opencl compiles for each, and has every third; another seed has others. */
static inline int case_step(const char *backend) { return strcmp(backend, "opencl") != 0 || full_run() ? 1 : 3; }

static inline hed_dtype held(hed_dtype t)
{
  return !narrow ? t : t == HED_FLOAT64 ? HED_FLOAT32 : t == HED_COMPLEX128 ? HED_COMPLEX64 : t;
}

/* X as TYPE in host memory, whatever its device has; NULL with the error set. Left to the scope. */
static inline hed_array *at_home(const hed_array *x, hed_dtype type)
{
  hed_array *host = x ? hed_to(x, "reference") : NULL, *out = NULL;
  HED_BACKEND_CONTEXT("reference")
    out = host ? hed_astype(host, type) : NULL;
  return out;
}

#endif
