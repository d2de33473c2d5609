// SPDX-License-Identifier: BSD-3-Clause
/* Sizes of transforms: the next one that is fast, and those that a convolution needs. L3.
 *
 * A backend may have its own idea of a good size (fft_good_size of its table); without one it is a product of 2, 3, 5
 * and 7.
 */
#include "api/call/check.h"
#include "core/context/context.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <heddle/backend.h>

/* Least 2^a 3^b 5^c 7^d >= n, for n >= 1; -1 when it would not fit. */
static int64_t smooth_size(int64_t n)
{
  int64_t best = -1;
  for (int64_t s = 1; s <= INT64_MAX / 7; s *= 7) {
    for (int64_t f = s; f <= INT64_MAX / 5; f *= 5) {
      for (int64_t t = f; t <= INT64_MAX / 3; t *= 3) {
        int64_t b = t;
        while (b < n && b <= INT64_MAX / 2)
          b *= 2;
        if (b >= n && (best < 0 || b < best))
          best = b;
        if (t >= n)
          break;
      }
      if (f >= n)
        break;
    }
    if (s >= n)
      break;
  }
  return best;
}

int64_t hed_fft_good_size(int64_t n)
{
  if (n <= 1)
    return 1;
  hed__device *device = hed__current_device();
  if (!device)
    return hed_error();
  if (device->plugin->fft_good_size) {
    int64_t m = device->plugin->fft_good_size(device->state, n);
    if (m >= n)
      return m;
  }
  int64_t m = smooth_size(n);
  return m > 0 ? m : hed_fail(HED_E_SHAPE, "fft_good_size: no good size from %lld on", (long long)n);
}

hed_status hed_compute_convolution_shapes(hed_shape s1, hed_shape s2, hed_shape *full, hed_shape *fast,
                                          hed_shape *fast_ft)
{
  const char *op = "compute_convolution_shapes";
  hed_status status = hed__check_shape(op, "s1", &s1, HED_ID_BOOL);
  if (status == HED_OK)
    status = hed__check_shape(op, "s2", &s2, HED_ID_BOOL);
  if (status != HED_OK)
    return status;
  if (s1.ndim != s2.ndim || s1.ndim == 0)
    return hed_fail(HED_E_SHAPE, "%s: s1 %s and s2 %s need the same number of axes, at least 1", op, HED__TEXT(&s1),
                    HED__TEXT(&s2));
  hed_shape a = { .ndim = s1.ndim }, b = a, c;
  for (int k = 0; k < s1.ndim; k++) {
    if (s1.dim[k] < 1 || s2.dim[k] < 1 || __builtin_add_overflow(s1.dim[k], s2.dim[k] - 1, &a.dim[k]))
      return hed_fail(HED_E_SHAPE, "%s: extents %lld of s1 and %lld of s2 along axis %d have no convolution", op,
                      (long long)s1.dim[k], (long long)s2.dim[k], k);
    if ((b.dim[k] = hed_fft_good_size(a.dim[k])) < 0)
      return (hed_status)b.dim[k];
  }
  c = b;
  c.dim[c.ndim - 1] = c.dim[c.ndim - 1] / 2 + 1;
  if (full)
    *full = a;
  if (fast)
    *fast = b;
  if (fast_ft)
    *fast_ft = c;
  return HED_OK;
}
