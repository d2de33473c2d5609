// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short lanes side by side, sorted in place by a network: rows of vectors exchange what is out of order, a lane in each element.
 * Included by sort.c alone.
 *
 * Batcher's odd-even merge exchange for any number of rows (D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
 * Its passes for one p, but for the first, are made row by row: a row of which others are behind by q - p, for each q, stays in
 * registers meanwhile. Each of them has been in all passes before, with rows that were earlier.
 * Every instruction set; slices up to network_most elements, side by side (sort/short.c).
 */
typedef uint8_t network_part __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));

/* A row has ROW words, of which UNIT at a time, some vectors, go through all passes. EXCHANGE puts two such units in order. */
#define NETWORK(NAME, K, ROW, UNIT, EXCHANGE)                                                   \
  static inline __attribute__((always_inline)) void NAME##_copy(K *to, const K *from)           \
  {                                                                                             \
    for (size_t b = 0; b < (UNIT) * sizeof(K); b += CPU_VECTOR)                                 \
      *(network_part *)(void *)((char *)to + b) = *(const network_part *)(const void *)((const char *)from + b); \
  }                                                                                             \
  static void NAME(int64_t n, void *word)                                                       \
  {                                                                                             \
    K *const w = word;                                                                          \
    int64_t top = 1;                                                                            \
    while (2 * top < n)                                                                         \
      top *= 2;                                                                                 \
    for (int64_t p = top; p > 0; p /= 2) {                                                      \
      for (int64_t i = 0; i < n - p; i = (i + 1) & p ? i + 1 + p : i + 1)                       \
        for (K *x = w + i * (ROW), *end = x + (ROW); x < end; x += (UNIT))                      \
          EXCHANGE(x, x + p * (ROW));                                                           \
      for (int64_t i = p; i < n - p; i = (i + 1) & p ? i + 1 : i + 1 + p) {                     \
        int64_t most = top;                                                                     \
        while (i + most - p >= n)                                                               \
          most /= 2;                                                                            \
        for (K *x = w + i * (ROW), *end = x + (ROW); x < end; x += (UNIT)) {                    \
          _Alignas(CPU_VECTOR) K unit[UNIT];                                                    \
          NAME##_copy(unit, x);                                                                 \
          for (int64_t q = most; q > p; q /= 2)                                                 \
            EXCHANGE(unit, x + (q - p) * (ROW));                                                \
          NAME##_copy(x, unit);                                                                 \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }

/* Loops of one vector stay loops until vectors are made of them. */
#define NETWORK_VECTOR _Pragma("GCC unroll 1") IVDEP

/* Words in order. */
#define NETWORK_OF_WORDS(SIZE, K)                                                               \
  static inline __attribute__((always_inline)) void exchange_##SIZE(K *a, K *b)                 \
  {                                                                                             \
    NETWORK_VECTOR for (int j = 0; j < CPU_VECTOR / SIZE; j++) {                                \
      const K x = a[j], y = b[j];                                                               \
      a[j] = x < y ? x : y;                                                                     \
      b[j] = x < y ? y : x;                                                                     \
    }                                                                                           \
  }                                                                                             \
  NETWORK(network_##SIZE, K, CPU_SORT_ROW / SIZE, CPU_VECTOR / SIZE, exchange_##SIZE)
NETWORK_OF_WORDS(1, uint8_t)
NETWORK_OF_WORDS(2, uint16_t)
NETWORK_OF_WORDS(4, uint32_t)
NETWORK_OF_WORDS(8, uint64_t)

/* Indices of keys in order, equal ones by index: a key is the upper half of a word, and its index the lower. */
#define NETWORK_OF_INDICES(SIZE, K, WORD_SIZE, W)                                                \
  static void network_indices_##SIZE(int64_t n, const void *key, int64_t *index, void *spare)   \
  {                                                                                             \
    enum { LANES = CPU_SORT_ROW / WORD_SIZE };                                                  \
    const K *const x = key;                                                                     \
    W *const w = spare;                                                                         \
    for (int64_t i = 0; i < n; i++)                                                             \
      IVDEP for (int64_t j = i * LANES; j < (i + 1) * LANES; j++)                               \
        w[j] = (W)((W)x[j] << 8 * SIZE | (W)i);                                                 \
    network_##WORD_SIZE(n, w);                                                                  \
    for (int64_t j = 0; j < n * LANES; j++)                                                     \
      index[j] = (K)w[j];                                                                       \
  }
NETWORK_OF_INDICES(1, uint8_t, 2, uint16_t)
NETWORK_OF_INDICES(2, uint16_t, 4, uint32_t)
NETWORK_OF_INDICES(4, uint32_t, 8, uint64_t)

/* No word is wide enough for these: a vector of keys is followed by that of their indices. */
enum { PAIRS = CPU_VECTOR / 8 };

static inline __attribute__((always_inline)) void exchange_pairs(uint64_t *a, uint64_t *b)
{
  NETWORK_VECTOR for (int j = 0; j < PAIRS; j++) {
    const uint64_t x = a[j], y = b[j], at_x = a[PAIRS + j], at_y = b[PAIRS + j];
    const uint64_t turned = 0 - (uint64_t)((x > y) | ((x == y) & (at_x > at_y)));
    const uint64_t key = (x ^ y) & turned, index = (at_x ^ at_y) & turned; /* without branches, into which GCC makes choices */
    a[j] = x ^ key;
    b[j] = y ^ key;
    a[PAIRS + j] = at_x ^ index;
    b[PAIRS + j] = at_y ^ index;
  }
}
NETWORK(network_pairs, uint64_t, 2 * CPU_SORT_ROW / 8, 2 * PAIRS, exchange_pairs)

static void network_indices_8(int64_t n, const void *key, int64_t *index, void *spare)
{
  enum { LANES = CPU_SORT_ROW / 8 };
  const uint64_t *const x = key;
  uint64_t *const w = spare;
  for (int64_t i = 0; i < n * LANES; i += PAIRS)
    for (int64_t j = 0; j < PAIRS; j++) {
      w[2 * i + j] = x[i + j];
      w[2 * i + PAIRS + j] = (uint64_t)(i / LANES);
    }
  network_pairs(n, w);
  for (int64_t i = 0; i < n * LANES; i += PAIRS)
    for (int64_t j = 0; j < PAIRS; j++)
      index[i + j] = (int64_t)w[2 * i + PAIRS + j];
}
