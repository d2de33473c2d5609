// SPDX-License-Identifier: BSD-3-Clause
/* What tests of the nn kit share. */
#ifndef HED_TESTS_NN_H
#define HED_TESTS_NN_H
#include "tap.h"
#include <heddle/kits/nn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of equal dtype, shape and bits? */
static inline bool nn_same(const hed_array *a, const hed_array *b)
{
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  const size_t n = hed_array_nbytes(a);
  if (!a || !b || s.ndim != t.ndim || memcmp(s.dim, t.dim, sizeof(int64_t) * (size_t)s.ndim) != 0
      || hed_array_dtype(a) != hed_array_dtype(b))
    return false;
  char *x = malloc(n + 1), *y = malloc(n + 1);
  const bool same = x && y && hed_to_host(a, x, n) == HED_OK && hed_to_host(b, y, n) == HED_OK && memcmp(x, y, n) == 0;
  free(x);
  free(y);
  return same;
}

/* A file of this process, in the current folder. */
static inline const char *nn_path(const char *end)
{
  static char path[4][80];
  static int k;
  k = (k + 1) % 4;
  (void)snprintf(path[k], sizeof path[k], "nn-test-%ld%s", (long)getpid(), end);
  return path[k];
}

#endif
