// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short lanes side by side, sorted in place by a network: rows of vectors exchange what is out of order, a lane in each element.
 * Included by kernels_sort.c alone.
 *
 * Batcher's odd-even merge exchange for any number of rows (D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
 */
#define NETWORK(NAME, K, LANES)                                                                 \
  static void NAME(int64_t n, K *key)                                                           \
  {                                                                                             \
    int64_t top = 1;                                                                            \
    while (2 * top < n)                                                                         \
      top *= 2;                                                                                 \
    for (int64_t p = top; p > 0; p /= 2)                                                        \
      for (int64_t q = top, r = 0, d = p; q >= p; d = q - p, q /= 2, r = p)                     \
        for (int64_t i = r; i < n - d; i += 2 * p) {                                            \
          K *a = key + i * (LANES), *b = a + d * (LANES);                                       \
          for (int64_t k = (p < n - d - i ? p : n - d - i); k > 0; k--, a += LANES, b += LANES) \
            IVDEP for (int j = 0; j < (LANES); j++) {                                           \
              const K x = a[j], y = b[j];                                                       \
              a[j] = x < y ? x : y;                                                             \
              b[j] = x < y ? y : x;                                                             \
            }                                                                                   \
        }                                                                                       \
  }
NETWORK(network_u32, uint32_t, 16)
NETWORK(network_u64, uint64_t, 8)
