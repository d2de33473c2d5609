// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quicksort of unsigned words with vectors; included by quicksort_512.h and quicksort_256.h, once per width of words.
 *
 * QS(name), WORD, LANES and LEAF (words in 16 vectors of so many lanes) are defined before, and of vectors V:
 *   LOAD(p), STORE(p, v)             words, in the form that MIN and MAX take
 *   LOAD_SOME(p, k), STORE_SOME      the first k of them, of which there may be less than none or more than fit; others are
 *                                    loaded as the greatest
 *   EXCHANGE(a, b, c, g)              lane l of a against lane l ^ c of b: the greater where l has the bit g, else the less
 *   ROTATE(v, k), FIRST_OF(v)        lane l + k in lane l; lane 0 as a word
 *   transpose_8, transpose_16        of so many vectors: the words of lane 0, of lane 1, and so on
 * and of PIECEs, vectors of EACH words as they are in memory:
 *   PIECE_LOAD, PIECE_STORE
 *   UP_TO(v, p)                      a bit for each word that is not above that of PIVOT_PIECE(p)
 *   PACK_PIECE(v, m)                 those of mask m first
 *
 * A list is divided about a pivot from one buffer into the other: each vector is packed, smaller words first, and the
 * pack is stored at both ends of what is free. Lists of at most LEAF words are sorted in registers: first down the columns
 * of a matrix by a network (K. E. Batcher, 1968), then columns are merged pairwise by bitonic steps, most of which need no
 * exchange between lanes; at the end the matrix is transposed.
 */

#ifndef NETWORK_8
#define NETWORK_8                                                                                                    \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(1, 2) X(5, 6) X(0, 4) X(1, 5) X(2, 6) X(3, 7)    \
  X(2, 4) X(3, 5) X(1, 2) X(3, 4) X(5, 6)
#define NETWORK_16                                                                                                   \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(8, 10)     \
  X(9, 11) X(12, 14) X(13, 15) X(1, 2) X(5, 6) X(9, 10) X(13, 14) X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(8, 12) X(9, 13)  \
  X(10, 14) X(11, 15) X(2, 4) X(3, 5) X(10, 12) X(11, 13) X(1, 2) X(3, 4) X(5, 6) X(9, 10) X(11, 12) X(13, 14)       \
  X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) X(4, 8) X(5, 9) X(6, 10) X(7, 11) X(2, 4)    \
  X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13) X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
#endif

#define CE(i, j)                 \
  {                              \
    const V low = MIN(r[i], r[j]); \
    r[j] = MAX(r[i], r[j]);      \
    r[i] = low;                  \
  }

/* Columns, each sorted, become one list of columns. */
static inline __attribute__((always_inline)) void QS(merge_columns)(V *r, int rows)
{
#pragma GCC unroll 4
  for (int g = 1; g < LANES; g *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < (rows + 1) / 2; i++) {
      const V a = r[i], b = r[rows - 1 - i];
      r[i] = EXCHANGE(a, b, 2 * g - 1, g);
      r[rows - 1 - i] = EXCHANGE(b, a, 2 * g - 1, g);
    }
#pragma GCC unroll 4
    for (int d = g / 2; d >= 1; d /= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; i++)
        r[i] = EXCHANGE(r[i], r[i], d, d);
    }
#pragma GCC unroll 4
    for (int h = rows / 2; h >= 1; h /= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; i++)
        if (!(i & h))
          CE(i, i + h)
    }
  }
}

/* Rows of a list of N words, of which at least FULL are full. Loads by masks take the place of branches, which sizes that vary
 * would mislead; but stores by masks are slow, those of nothing most. */
static inline __attribute__((always_inline)) void QS(load_rows)(V *r, int rows, int full, const WORD *from, int64_t n)
{
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    r[i] = i < full ? LOAD(from + i * LANES) : LOAD_SOME(from + i * LANES, n - i * LANES);
}

static inline __attribute__((always_inline)) void QS(store_rows)(const V *r, int rows, int full, WORD *to, int64_t n)
{
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    if (i < full || n >= (i + 1) * LANES)
      STORE(to + i * LANES, r[i]);
    else if (n > i * LANES)
      STORE_SOME(to + i * LANES, n - i * LANES, r[i]);
}

static __attribute__((noinline)) void QS(leaf_1)(const WORD *from, WORD *to, int64_t n)
{
  V r[1];
  QS(load_rows)(r, 1, 0, from, n);
  QS(merge_columns)(r, 1);
  QS(store_rows)(r, 1, 0, to, n);
}

#define X(i, j) CE(i, j)
static __attribute__((noinline)) void QS(leaf_8)(const WORD *from, WORD *to, int64_t n)
{
  V r[8], o[8];
  QS(load_rows)(r, 8, 1, from, n);
  NETWORK_8
  QS(merge_columns)(r, 8);
  QS(transpose_8)(r, o);
  QS(store_rows)(o, 8, 1, to, n);
}

static __attribute__((noinline)) void QS(leaf_16)(const WORD *from, WORD *to, int64_t n)
{
  V r[16], o[16];
  QS(load_rows)(r, 16, 8, from, n);
  NETWORK_16
  QS(merge_columns)(r, 16);
  QS(transpose_16)(r, o);
  QS(store_rows)(o, 16, 8, to, n);
}
#undef X

static inline void QS(leaf)(const WORD *from, WORD *to, int64_t n)
{
  if (n <= LANES)
    QS(leaf_1)(from, to, n);
  else if (n <= LEAF / 2)
    QS(leaf_8)(from, to, n);
  else
    QS(leaf_16)(from, to, n);
}

static inline __attribute__((always_inline)) V QS(middle)(V a, V b, V c)
{
  return MAX(MIN(a, b), MIN(MAX(a, b), c));
}

/* A word near the middle of a short list: three vectors of three indices, and three times three lanes of their medians. */
static WORD QS(pivot)(const WORD *x, int64_t n)
{
  const V a = LOAD(x + n / 6), b = LOAD(x + n / 2), c = LOAD(x + 5 * n / 6);
  V v = QS(middle)(a, b, c);
  v = QS(middle)(v, ROTATE(v, LANES / 3), ROTATE(v, 2 * LANES / 3));
  v = QS(middle)(v, ROTATE(v, 1), ROTATE(v, 2));
  return FIRST_OF(v);
}

/* LEAF / 2 words of a long list, in order. */
static void QS(sample)(const WORD *x, int64_t n, WORD *sample)
{
  for (int64_t i = 0; i < LEAF / 2; i++)
    sample[i] = x[n / (LEAF / 2) * i + i * 7 % 61];
  QS(leaf_8)(sample, sample, LEAF / 2);
}

/* Words of FROM up to PIVOT go to the front of TO, greater ones to its end; returns how many went to the front. N is EACH at
 * least. */
static int64_t QS(divide)(const WORD *from, WORD *to, int64_t n, WORD pivot)
{
  const PIECE p = PIVOT_PIECE(pivot);
  const int64_t odd = n % EACH;
  WORD *low = to, *end = to + n; /* what is free */
  if (odd) { /* so that packs at both ends either lie apart or are one and the same */
    const PIECE v = PIECE_LOAD(from);
    const unsigned small = UP_TO(v, p), there = (1u << odd) - 1;
    PIECE_STORE(low, PACK_PIECE(v, small & there));
    PIECE_STORE(end - EACH, PACK_PIECE(v, (small | ~there) & ((1u << EACH) - 1)));
    low += __builtin_popcount(small & there);
  }
  for (int64_t i = odd; i < n; i += EACH) {
    const PIECE v = PIECE_LOAD(from + i);
    const unsigned small = UP_TO(v, p);
    const PIECE pack = PACK_PIECE(v, small);
    PIECE_STORE(low, pack);
    PIECE_STORE(low + (n - i) - EACH, pack);
    low += __builtin_popcount(small);
  }
  return low - to;
}

static void QS(quicksort)(WORD *x, WORD *spare, WORD *to, int64_t n, int64_t first, int depth);

/* Where words lie evenly between two bounds, their distance from the lower one says where they go: one pass puts them into
 * buckets that are leaves, in place of as many passes as they have halvings. */
typedef struct QS(buckets) {
  WORD low, span;
  int shift;
} QS(buckets);

/* Lists for which it pays: a pass with buckets to find costs as much as five divisions of such words, or eight of those of
 * 32 bits, and longer lists leave the L2 cache. */
enum { QS(BUCKETS) = 2048, QS(LEAST) = LEAST_BUCKETS, QS(MOST) = (1 << 20) / sizeof(WORD) };

/* The buckets for a list of N words; false when the ordered sample says that they would differ much. */
static bool QS(even)(const WORD *sample, int64_t n, QS(buckets) *b)
{
  enum { SLICES = 8, MANY = LEAF / 2 / SLICES * 5 / 2 };
  const WORD first = sample[0], range = sample[LEAF / 2 - 1] - first;
  if (range < 2 * LEAF)
    return false;
  for (int i = 0; i + MANY < LEAF / 2; i++)
    if (sample[i + MANY] - sample[i] < range / SLICES)
      return false;
  const WORD margin = range / 16, above = (WORD)~(WORD)0 - sample[LEAF / 2 - 1];
  b->low = first - (margin < first ? margin : first);
  b->span = sample[LEAF / 2 - 1] + (margin < above ? margin : above) - b->low;
  const int64_t wanted = n / (LEAF / 2);
  for (b->shift = 0; b->span >> b->shift >= (WORD)(wanted < QS(BUCKETS) ? wanted : QS(BUCKETS));)
    b->shift++;
  return true;
}

static inline uint32_t QS(bucket)(const QS(buckets) *b, WORD x)
{
  const WORD d = x < b->low ? 0 : x - b->low;
  return (uint32_t)((d < b->span ? d : b->span) >> b->shift);
}

static void QS(to_buckets)(WORD *x, WORD *spare, WORD *to, int64_t n, int64_t first, const QS(buckets) *b, int depth)
{
  const QS(buckets) own = *b;
  const uint32_t last = (uint32_t)(own.span >> own.shift);
  uint32_t at[QS(BUCKETS)], sum = 0;
  memset(at, 0, sizeof at);
  for (int64_t i = 0; i < n; i++)
    at[QS(bucket)(&own, x[i])]++;
  for (uint32_t k = 0; k <= last; k++) {
    const uint32_t count = at[k];
    at[k] = sum;
    sum += count;
  }
  for (int64_t i = 0; i < n; i++)
    spare[at[QS(bucket)(&own, x[i])]++] = x[i];
  for (uint32_t k = 0, begin = 0; k <= last && begin < first; begin = at[k++])
    QS(quicksort)(spare + begin, x + begin, to + begin, at[k] - begin, first - begin, depth);
}

/* Sorts the N words of X, with SPARE as long; the result comes to TO, which is one of the two. What stands behind the FIRST
 * words then is of no use. */
static void QS(quicksort)(WORD *x, WORD *spare, WORD *to, int64_t n, int64_t first, int depth)
{
  while (n > LEAF) {
    if (depth-- == 0) { /* pivots keep failing: no list is allowed to take quadratic time */
      WORD *sorted = RADIX_SORT(n, x, spare);
      if (sorted != to)
        memcpy(to, sorted, (size_t)n * sizeof *to);
      return;
    }
    WORD pivot;
    if (n < 32 * LEAF) {
      pivot = QS(pivot)(x, n);
    } else {
      WORD sample[LEAF / 2];
      QS(buckets) b;
      QS(sample)(x, n, sample);
      if (n >= QS(LEAST) && n <= QS(MOST) && QS(even)(sample, n, &b)) {
        QS(to_buckets)(x, spare, to, n, first, &b, depth);
        return;
      }
      pivot = sample[LEAF / 4];
    }
    int64_t k = QS(divide)(x, spare, n, pivot);
    if (k == n) { /* nothing is greater: what equals the pivot is in place, the rest goes on */
      if (pivot > 0)
        k = QS(divide)(x, spare, n, pivot - 1);
      else
        k = 0;
      for (int64_t i = k; i < n; i++)
        to[i] = pivot;
      n = k;
      WORD *t = x;
      x = spare;
      spare = t;
      continue;
    }
    if (k < first)
      QS(quicksort)(spare + k, x + k, to + k, n - k, first - k, depth);
    n = k;
    WORD *t = x;
    x = spare;
    spare = t;
  }
  if (n > 0)
    QS(leaf)(x, to, n);
}

static void QS(sort_first)(int64_t n, int64_t first, WORD *list, WORD *spare)
{
  if (n > LEAF)
    QS(quicksort)(list, spare, list, n, first, 2 * (64 - __builtin_clzll((uint64_t)n)));
  else if (n > 1)
    QS(leaf)(list, list, n);
}

static void QS(sort)(int64_t n, WORD *list, WORD *spare)
{
  QS(sort_first)(n, n, list, spare);
}

#undef QS
#undef WORD
#undef V
#undef LANES
#undef LEAF
#undef LOAD
#undef STORE
#undef LOAD_SOME
#undef STORE_SOME
#undef MIN
#undef MAX
#undef EXCHANGE
#undef ROTATE
#undef FIRST_OF
#undef PIECE
#undef EACH
#undef PIECE_LOAD
#undef PIECE_STORE
#undef PIVOT_PIECE
#undef UP_TO
#undef PACK_PIECE
#undef RADIX_SORT
#undef LEAST_BUCKETS
#undef CE
