// SPDX-License-Identifier: BSD-3-Clause
/* The input that tests/data/statistics.py gives to NumPy, and comparison with what came out. */
#ifndef HED_TESTS_STATISTICS_INPUT_H
#define HED_TESTS_STATISTICS_INPUT_H

#include "api.h"
#include "data/statistics.h"

/* Element k is ((k * 7919 + 13) % 101) / 8 - 5. */
static inline hed_array *np_input(hed_shape shape, hed_dtype t)
{
  double values[24];
  for (int k = 0; k < 24; k++)
    values[k] = (double)((k * 7919 + 13) % 101) / 8 - 5;
  return api_array(shape, t, values);
}

/* X has the N values WANT, each within REL of it; X is released. */
static inline bool np_near(hed_array *x, int64_t n, const double *want, double rel, const char *name)
{
  static double got[API_MAX];
  int64_t m = x ? api_values(x, got) : -1;
  hed_release(x);
  if (m != n)
    return ok(m == n, "%s: %lld values instead of %lld: %s", name, (long long)m, (long long)n, hed_error_text());
  for (int64_t k = 0; k < n; k++)
    if (!is_near(got[k], want[k], rel, rel, "%s: value %lld", name, (long long)k))
      return false;
  return true;
}
#define NP_NEAR(x, table, rel) np_near(x, (int64_t)(sizeof np_##table / sizeof(double)), np_##table, rel, #table)

#endif
