// SPDX-License-Identifier: BSD-3-Clause
/* Isotonic regression by pooling adjacent violators (Barlow, Bartholomew, Bremner and Brunk, Statistical Inference under
 * Order Restrictions, 1972), in one pass. Header only, for the backends; also a text of the kernels of devices, where HED__MEMORY
 * says in which memory elements are. L0.
 */
#ifndef HED_BASE_ISOTONIC_H
#define HED_BASE_ISOTONIC_H

#include <stdint.h>

#ifndef HED__MEMORY
#define HED__MEMORY
#endif

/* N values Y become the nearest ascending sequence; weights W, NULL for ones. WEIGHT and COUNT: room for N. Blocks of equal
 * values are kept at the front of Y, of which no more are used than elements have been read. */
static inline void hed__isotonic(int64_t n, HED__MEMORY double *y, const HED__MEMORY double *w, HED__MEMORY double *weight,
                                 HED__MEMORY int64_t *count)
{
  int64_t blocks = 0;
  for (int64_t i = 0; i < n; i++) {
    double mean = y[i], total = w ? w[i] : 1;
    int64_t size = 1;
    for (; blocks > 0 && y[blocks - 1] > mean; blocks--) {
      const double last = y[blocks - 1], both = weight[blocks - 1] + total;
      mean = last + (mean - last) * (both > 0 ? total / both : 0.5);
      total = both;
      size += count[blocks - 1];
    }
    y[blocks] = mean;
    weight[blocks] = total;
    count[blocks++] = size;
  }
  for (int64_t at = n; blocks > 0; blocks--) {
    const double mean = y[blocks - 1];
    for (int64_t k = 0; k < count[blocks - 1]; k++)
      y[--at] = mean;
  }
}

#endif
