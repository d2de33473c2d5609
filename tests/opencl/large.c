// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of more than 2^31 elements on an OpenCL device: elementwise, reduced, indexed, and seen in steps. They take 6 GiB and a
 * minute: HEDDLE_TEST_FULL=1. */
#include "tap.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t half = INT64_C(1) << 31, n = (INT64_C(1) << 31) + 1000;

static double item(hed_array *x)
{
  double v = -1;
  return hed_item(x, &v) == HED_OK ? v : -1;
}

int main(void)
{
  if (!full_run())
    skip_all("HEDDLE_TEST_FULL is not 1");
  if (sysconf(_SC_AVPHYS_PAGES) < (8L << 30) / sysconf(_SC_PAGESIZE))
    skip_all("8 GiB of memory are not free");
  if (hed_backend_require("opencl") != HED_OK)
    skip_all("%s", hed_error_text());
  HED_BACKEND_CONTEXT("opencl;fallback=error")
  HED_SCOPE {
    hed_array *x = hed_full(HED_SHAPE(n), 1, HED_INT8), *y = hed_add(x, x);
    if (!y) {
      skip(6, "%s", hed_error_text());
      break;
    }
    const hed_reduce wide = { .dtype = HED_INT64 };
    ok(item(hed_sum(y, &wide)) == 2.0 * (double)n, "the sum of 2^31 + 1000 elements");
    ok(hed_fill(hed_slice(y, 1, &(hed_slice_range){ n - 7, n, 1 }), 5) == HED_OK, "the last seven are written");
    ok(item(hed_sum(y, &wide)) == 2.0 * (double)n + 21, "and nothing else is");
    ok(item(hed_argmax(y, NULL)) == (double)(n - 7), "the first of them is found");
    int8_t got[4] = { 0 };
    const int64_t places[4] = { n - 1, half, 5, -8 };
    hed_array *taken = hed_take(y, hed_from_host(places, HED_SHAPE(4), HED_INT64), 0);
    const hed_status status = taken ? hed_to_host(taken, got, sizeof got) : hed_error();
    ok(status == HED_OK && got[0] == 5 && got[1] == 2 && got[2] == 2 && got[3] == 2,
       "elements on both sides of 2^31: %d %d %d %d", got[0], got[1], got[2], got[3]);
    hed_array *steps = hed_slice(y, 1, &(hed_slice_range){ 1, n, 2 }), *more = hed_add(steps, steps);
    ok(item(hed_sum(more, &wide)) == 4.0 * (double)(n / 2) + 24, "every other element, of which four were written");
  }
  return done();
}
