// SPDX-License-Identifier: BSD-3-Clause
/* Pinned memory of OpenCL devices: an array like others, of which long copies are direct and short ones are not. */
#include "arrays.h"
#include "tap.h"

#include <heddle.h>
#include <string.h>

enum { N = 3 << 20, FEW = 1000 };

static hed_array *counted(int64_t n)
{
  hed_array *x = hed_empty_pinned(HED_SHAPE(n), HED_INT32, "opencl");
  int32_t *v = x ? hed_array_data(x) : NULL;
  for (int64_t k = 0; k < n && v; k++)
    v[k] = (int32_t)k;
  return x;
}

/* X, negated by the device, back into TO. */
static void there_and_back(hed_array *x, hed_array *to, int64_t n, const char *what)
{
  hed_array *there = hed_to(x, "opencl"), *more = NULL;
  int32_t *from = hed_array_data(x), *back = hed_array_data(to);
  memset(from, 0xff, (size_t)n * sizeof *from); /* has been read */
  HED_BACKEND_CONTEXT("opencl") more = hed_negative(there);
  is_int(more ? hed_to_host(more, back, (size_t)n * sizeof *back) : hed_error(), HED_OK, "%s: %s", what, hed_error_text());
  int64_t wrong = 0;
  for (int64_t k = 0; k < n; k++)
    wrong += back[k] != -(int32_t)k;
  is_int(wrong, 0, "%s: right values", what);
  for (int64_t k = 0; k < n; k++)
    from[k] = (int32_t)k;
  RELEASE(there, more);
}

int main(void)
{
  if (hed_backend_require("opencl") != HED_OK)
    skip_all("%s", hed_error_text());
  hed_array *x = counted(N), *y = counted(N);
  if (!ok(x && y, "two blocks %s", x && y ? "" : hed_error_text()))
    return done();
  is_str(hed_array_space(x), "host", "in host memory");
  there_and_back(x, y, N, "long");
  hed_array *few = hed_slice(x, 1, &HED_RANGE(0, FEW, 1)), *last = hed_slice(y, 1, &HED_RANGE(N - FEW, N, 1));
  there_and_back(few, last, FEW, "short, of parts");
  hed_array *second = hed_slice(x, 1, &HED_RANGE(0, N, 2)), *there = hed_to(second, "opencl"), *back = hed_to(there, "reference");
  const int32_t *v = back ? hed_array_data(back) : NULL;
  ok(v && v[N / 2 - 1] == N - 2 && v[1] == 2, "every second one");
  hed_array *all[] = { x, few, last, second, there, back };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
  hed_array *pageable = hed_arange(0, N, 1, HED_INT32);
  there_and_back(pageable, y, N, "from other memory");
  RELEASE(pageable, y);
  return done();
}
