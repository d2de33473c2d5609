// SPDX-License-Identifier: BSD-3-Clause
/* Products of matrices on cuda: exact to the last bit of a float32 factor unless the context says math=tf32, and then, of float32 and
 * complex64 alone, with factors of 11 bits. The same for batches, transposed operands and operands that are not aligned. */
#include "tap.h"
#include <heddle.h>

/* 1 + 2^-12 is 1 in TF32, 1 + 2^-10 is itself. */
static const double fine = 0x1p-12, coarse = 0x1p-10;

enum { M = 5, K = 3, N = 7 };

/* Is each element of a (.., M, K) of X's and b of ones K X? Otherwise what the first one is instead of X. */
static double factor_of(const char *spec, hed_dtype t, double x, int64_t batch, bool transposed, bool shifted)
{
  double out[4 * M * N];
  double seen = -1;
  HED_BACKEND_CONTEXT(spec)
  HED_SCOPE
  {
    const hed_shape a = transposed ? HED_SHAPE(batch, K, M + shifted) : HED_SHAPE(batch, M + shifted, K);
    hed_array *left = hed_add_scalar(hed_zeros(a, t), x), *right = hed_ones(HED_SHAPE(batch, K, N), t);
    left = transposed ? hed_moveaxis(left, -1, -2) : left;
    const hed_slice_range part[] = { HED_RANGE(0, batch, 1), HED_RANGE(1, M + 1, 1), HED_RANGE(0, K, 1) };
    left = shifted ? hed_slice(left, 3, part) : left;
    hed_array *y = hed_real(hed_astype(hed_matmul(left, right), HED_COMPLEX128));
    if (y && hed_to_host(y, out, (size_t)(batch * M * N) * sizeof *out) == HED_OK)
      seen = out[0] / K;
    for (int k = 0; k < batch * M * N && seen > 0; k++)
      seen = out[k] == out[0] ? seen : -2;
  }
  if (seen < 0)
    diag("%s: %s", spec, hed_error_text());
  return seen;
}

int main(void)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_COMPLEX64, HED_FLOAT64, HED_COMPLEX128 };
  if (hed_backend_require("cuda:0") != HED_OK)
    skip_all("%s", hed_error_text());
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 8; k++) {
      const int64_t batch = k & 1 ? 4 : 1;
      const bool transposed = k & 2, shifted = k & 4;
      const char *name = hed_dtype_name(types[t]);
      ok(factor_of("cuda:0;fallback=error", types[t], 1 + fine, batch, transposed, shifted) == 1 + fine,
         "%s is not rounded, case %d", name, k);
      const double want = t < 2 ? 1 : 1 + fine;
      ok(factor_of("cuda:0;fallback=error;math=tf32", types[t], 1 + fine, batch, transposed, shifted) == want,
         "%s with math=tf32 %s, case %d", name, t < 2 ? "is" : "is not either", k);
      ok(factor_of("cuda:0;fallback=error;math=tf32", types[t], 1 + coarse, batch, transposed, shifted) == 1 + coarse,
         "%s with math=tf32 keeps 11 bits, case %d", name, k);
    }
  ok(factor_of("reference;math=tf32", HED_FLOAT32, 1 + fine, 1, false, false) == 1 + fine, "the processor has no TF32");
  return done();
}
