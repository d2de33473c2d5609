// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of linear algebra share: random matrices in any layout, and residuals computed in complex128 whatever
 * the type under test. Arrays are left to the scope that the caller opened.
 */
#ifndef HED_TESTS_LINALG_H
#define HED_TESTS_LINALG_H

#include "arrays.h"
#include "gen.h"
#include <float.h>
#include <heddle.h>
#include <math.h>
#include <stdlib.h>

static inline double precision(hed_dtype t)
{
  if (t == HED_FLOAT16)
    return 0x1p-10;
  if (t == HED_BFLOAT16)
    return 0x1p-7;
  return t == HED_FLOAT64 || t == HED_COMPLEX128 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* Elements in [-1, 1) (both parts), drawn in C order; then transposed, flipped or sliced out of more. */
static inline hed_array *random_matrix(gen *g, hed_dtype t, hed_shape s)
{
  int64_t n = elements_of(s);
  double *values = malloc((size_t)(2 * n + 1) * sizeof *values);
  for (int64_t k = 0; k < 2 * n; k++)
    values[k] = gen_double(g, -1, 1);
  hed_array *x = hed_from_host(values, s, HED_COMPLEX128);
  free(values);
  x = hed_dtype_kind(t) == HED_KIND_COMPLEX ? x : hed_real(x);
  x = hed_copy(hed_astype(x, t));
  switch (gen_below(g, 4)) {
  case 0: return hed_moveaxis(hed_copy(hed_moveaxis(x, -1, -2)), -1, -2);
  case 1: return hed_flip(hed_copy(hed_flip(x, NULL)), NULL);
  case 2: {
    hed_shape before = s, after = s;
    for (int k = 0; k < s.ndim; k++) {
      before.dim[k] = 0;
      after.dim[k] = k == s.ndim - 1 ? 2 : 0;
    }
    hed_slice_range all[HED_MAX_NDIM];
    for (int k = 0; k < s.ndim; k++)
      all[k] = HED_RANGE(0, s.dim[k], 1);
    return hed_slice(hed_pad(x, before, after, 7), s.ndim, all);
  }
  default: return x;
  }
}

static inline hed_array *wide(const hed_array *x) { return hed_astype(x, HED_COMPLEX128); }
static inline hed_array *adjoint(const hed_array *x) { return hed_conj(hed_moveaxis(x, -1, -2)); }
static inline hed_array *identity(int64_t n) { return hed_eye(n, n, 0, HED_COMPLEX128); }

/* a b in complex128 */
static inline hed_array *times(const hed_array *a, const hed_array *b) { return hed_matmul(wide(a), wide(b)); }

/* Columns of A scaled by the last axis of W. */
static inline hed_array *columns_times(const hed_array *a, const hed_array *w)
{
  return hed_multiply(wide(a), hed_expand_dims(wide(w), -2));
}

/* Largest absolute value; NaN when there is one or when X is NULL; 0 without elements. */
static inline double largest(const hed_array *x)
{
  double value = NAN;
  if (x && hed_array_size(x) == 0)
    return 0;
  hed_array *m = hed_max(hed_abs(x), NULL);
  if (!m || hed_item(m, &value) != HED_OK)
    return NAN;
  return value;
}

static inline double distance(const hed_array *a, const hed_array *b)
{
  return largest(hed_subtract(wide(a), wide(b)));
}

#endif
