// SPDX-License-Identifier: BSD-3-Clause
/* Of arrays, what tests of all areas ask. */
#ifndef HED_TESTS_ARRAYS_H
#define HED_TESTS_ARRAYS_H

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a shape. */
static inline int64_t elements_of(hed_shape s)
{
  int64_t n = 1;
  for (int k = 0; k < s.ndim; k++)
    n *= s.dim[k];
  return n;
}

/* Have A and B the same shape, dtype and bits? */
static inline bool same_array(const hed_array *a, const hed_array *b)
{
  const size_t bytes = a && b ? hed_array_nbytes(a) : 0;
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  if (!a || !b || hed_array_dtype(a) != hed_array_dtype(b) || s.ndim != t.ndim ||
      memcmp(s.dim, t.dim, sizeof s.dim[0] * (size_t)s.ndim) != 0)
    return false;
  char *p = malloc(2 * bytes + 1);
  const bool same = p && hed_to_host(a, p, bytes) == HED_OK && hed_to_host(b, p + bytes, bytes) == HED_OK &&
                    memcmp(p, p + bytes, bytes) == 0;
  free(p);
  return same;
}

static inline void release_each(size_t n, hed_array *const *x)
{
  for (size_t k = 0; k < n; k++)
    hed_release(x[k]);
}
/* Releases each of several arrays, in their order. */
#define RELEASE(...) release_each(sizeof((hed_array *[]){ __VA_ARGS__ }) / sizeof(hed_array *), (hed_array *const[]){ __VA_ARGS__ })

#endif
