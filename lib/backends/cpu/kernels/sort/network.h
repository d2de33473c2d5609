// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short lanes side by side, sorted in place by a network: rows of vectors exchange what is out of order, a lane in each element.
 * A body, included by sort.c for words of every size.
 *
 * Batcher's odd-even merge exchange for any number of rows (D. E. Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
 * Its passes for one p, but for the first, are made row by row: a row of which others are behind by q - p, for each q, stays in
 * registers meanwhile. Each of them has been in all passes before, with rows that were earlier.
 * Every instruction set; slices up to network_most elements, side by side (sort/short.c).
 */

/* EXCHANGE puts two units of ROWs in order, each UNIT words, some vectors, which go through all passes at a time. */
INLINE void N(copy_unit)(T *to, const T *from, const int unit)
{
  for (int k = 0; k < unit; k += LANES)
    N(put)(to + k, N(get)(from + k));
}

INLINE void N(network_of)(int64_t n, T *w, const int row, const int unit, void (*exchange)(T *, T *))
{
  int64_t top = 1;
  while (2 * top < n)
    top *= 2;
  for (int64_t p = top; p > 0; p /= 2) {
    for (int64_t i = 0; i < n - p; i = (i + 1) & p ? i + 1 + p : i + 1)
      for (T *x = w + i * row, *end = x + row; x < end; x += unit)
        exchange(x, x + p * row);
    for (int64_t i = p; i < n - p; i = (i + 1) & p ? i + 1 : i + 1 + p) {
      int64_t most = top;
      while (i + most - p >= n)
        most /= 2;
      for (T *x = w + i * row, *end = x + row; x < end; x += unit) {
        _Alignas(CPU_VECTOR) T kept[2 * LANES];
        N(copy_unit)(kept, x, unit);
        for (int64_t q = most; q > p; q /= 2)
          exchange(kept, x + (q - p) * row);
        N(copy_unit)(x, kept, unit);
      }
    }
  }
}

/* Loops of one vector stay loops until vectors are made of them. */
#define NETWORK_VECTOR _Pragma("GCC unroll 1") IVDEP

INLINE void N(exchange_words)(T *a, T *b)
{
  NETWORK_VECTOR for (int j = 0; j < LANES; j++) {
    const T x = a[j], y = b[j];
    a[j] = x < y ? x : y;
    b[j] = x < y ? y : x;
  }
}

static void N(network)(int64_t n, void *word) { N(network_of)(n, word, CPU_SORT_ROW / sizeof(T), LANES, N(exchange_words)); }

/* Indices of keys in order, equal ones by index: a key is the upper half of a word, and its index the lower. */
#if WIDTH > 8
#if WIDTH == 16
#define HALF uint8_t
#elif WIDTH == 32
#define HALF uint16_t
#else
#define HALF uint32_t
#endif
static void N(network_of_halves)(int64_t n, const void *key, int64_t *index, void *spare)
{
  enum { EACH = CPU_SORT_ROW / sizeof(T) };
  const HALF *const x = key;
  T *const w = spare;
  for (int64_t i = 0; i < n; i++)
    IVDEP for (int64_t j = i * EACH; j < (i + 1) * EACH; j++)
      w[j] = (T)((T)x[j] << WIDTH / 2 | (T)i);
  N(network)(n, w);
  for (int64_t j = 0; j < n * EACH; j++)
    index[j] = (HALF)w[j];
}
#undef HALF
#endif

/* No word is wide enough for these: a vector of keys is followed by that of their indices. */
#if WIDTH == 64
INLINE void N(exchange_pairs)(T *a, T *b)
{
  NETWORK_VECTOR for (int j = 0; j < LANES; j++) {
    const T x = a[j], y = b[j], at_x = a[LANES + j], at_y = b[LANES + j];
    const T turned = 0 - (T)((x > y) | ((x == y) & (at_x > at_y)));
    const T key = (x ^ y) & turned, index = (at_x ^ at_y) & turned; /* without branches, into which GCC makes choices */
    a[j] = x ^ key;
    b[j] = y ^ key;
    a[LANES + j] = at_x ^ index;
    b[LANES + j] = at_y ^ index;
  }
}

static void N(network_of_pairs)(int64_t n, const void *key, int64_t *index, void *spare)
{
  enum { EACH = CPU_SORT_ROW / 8 };
  const T *const x = key;
  T *const w = spare;
  for (int64_t i = 0; i < n * EACH; i += LANES)
    for (int64_t j = 0; j < LANES; j++) {
      w[2 * i + j] = x[i + j];
      w[2 * i + LANES + j] = (T)(i / EACH);
    }
  N(network_of)(n, w, 2 * EACH, 2 * LANES, N(exchange_pairs));
  for (int64_t i = 0; i < n * EACH; i += LANES)
    for (int64_t j = 0; j < LANES; j++)
      index[i + j] = (int64_t)w[2 * i + LANES + j];
}
#endif
#undef NETWORK_VECTOR
