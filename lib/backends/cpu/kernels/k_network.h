// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short lanes side by side, sorted in place by a network: rows of vectors exchange what is out of order, a lane in each element.
 * Included by kernels_sort.c alone.
 *
 * Batcher's odd-even merge exchange for any number of rows (D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
 */

/* Last, what elements A and B of two rows do, B in the later one. */
#define NETWORK(NAME, PARAMETERS, LANES, ...)                                                   \
  static void NAME PARAMETERS                                                                   \
  {                                                                                             \
    int64_t top = 1;                                                                            \
    while (2 * top < n)                                                                         \
      top *= 2;                                                                                 \
    for (int64_t p = top; p > 0; p /= 2)                                                        \
      for (int64_t q = top, r = 0, d = p; q >= p; d = q - p, q /= 2, r = p)                     \
        for (int64_t i = r; i < n - d; i += 2 * p)                                              \
          for (int64_t k = i, end = i + (p < n - d - i ? p : n - d - i); k < end; k++)          \
            IVDEP for (int64_t a = k * (LANES), b = a + d * (LANES); a < (k + 1) * (LANES); a++, b++) { \
              __VA_ARGS__                                                                       \
            }                                                                                   \
  }

/* Words in order. */
#define NETWORK_OF_WORDS(SIZE, K)                                                               \
  NETWORK(network_##SIZE, (int64_t n, void *word), CPU_SORT_ROW / SIZE,                      \
    K *const w = word;                                                                          \
    const K x = w[a], y = w[b];                                                                 \
    w[a] = x < y ? x : y;                                                                       \
    w[b] = x < y ? y : x;)
NETWORK_OF_WORDS(1, uint8_t)
NETWORK_OF_WORDS(2, uint16_t)
NETWORK_OF_WORDS(4, uint32_t)
NETWORK_OF_WORDS(8, uint64_t)

/* Places of keys in order, equal ones by place: a key is the upper half of a word, and its place the lower. */
#define NETWORK_OF_PLACES(SIZE, K, WORD_SIZE, W)                                                \
  static void network_places_##SIZE(int64_t n, void *key, int64_t *place, void *spare)          \
  {                                                                                             \
    enum { LANES = CPU_SORT_ROW / WORD_SIZE };                                               \
    const K *const x = key;                                                                     \
    W *const w = spare;                                                                         \
    for (int64_t i = 0; i < n; i++)                                                             \
      IVDEP for (int64_t j = i * LANES; j < (i + 1) * LANES; j++)                               \
        w[j] = (W)((W)x[j] << 8 * SIZE | (W)i);                                                 \
    network_##WORD_SIZE(n, w);                                                                  \
    for (int64_t j = 0; j < n * LANES; j++)                                                     \
      place[j] = (K)w[j];                                                                       \
  }
NETWORK_OF_PLACES(1, uint8_t, 2, uint16_t)
NETWORK_OF_PLACES(2, uint16_t, 4, uint32_t)
NETWORK_OF_PLACES(4, uint32_t, 8, uint64_t)

/* No word is wide enough for these. */
NETWORK(network_pairs, (int64_t n, uint64_t *key, int64_t *place), CPU_SORT_ROW / 8,
  const uint64_t x = key[a], y = key[b];
  const int64_t at_x = place[a], at_y = place[b];
  const bool turned = (x > y) | ((x == y) & (at_x > at_y));
  key[a] = turned ? y : x;
  key[b] = turned ? x : y;
  place[a] = turned ? at_y : at_x;
  place[b] = turned ? at_x : at_y;)

static void network_places_8(int64_t n, void *key, int64_t *place, void *spare)
{
  enum { LANES = CPU_SORT_ROW / 8 };
  (void)spare;
  for (int64_t j = 0; j < n * LANES; j++)
    place[j] = j / LANES;
  network_pairs(n, key, place);
}
