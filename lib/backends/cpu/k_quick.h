// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quicksort of unsigned words with 512-bit vectors; included by kernels_sort.c, once per width of words.
 *
 * QK(name), WORD, LANES, LEAF (words in 16 vectors), and the vector's operations MIN, MAX, PERMUTE, LOAD, STORE, ...
 * are defined before.
 *
 * A list is divided about a pivot from one buffer into the other: each vector is packed, smaller words first, and the
 * pack is stored at both ends of what is free. Lists of at most LEAF words are sorted in registers: first down the columns
 * of a matrix by a network (K. E. Batcher, 1968), then columns are merged pairwise by bitonic steps, most of which need no
 * exchange between lanes; at the end the matrix is transposed.
 */

#define CE(i, j)                     \
  {                                  \
    const __m512i low = MIN(r[i], r[j]); \
    r[j] = MAX(r[i], r[j]);          \
    r[i] = low;                      \
  }

/* Lanes whose index has the bit G. */
#define UPPER(g) ((LANE_MASK)((g) == 1 ? 0xAAAA : (g) == 2 ? 0xCCCC : (g) == 4 ? 0xF0F0 : 0xFF00))

/* Lane l of A against lane l ^ C of B: the greater where UPPER(G). */
static inline __attribute__((always_inline)) __m512i QK(against)(__m512i a, __m512i b, int c, int g)
{
  const __m512i s = PERMUTE(_mm512_xor_si512(IOTA, SPREAD((WORD)c)), b);
  return MASK_MAX(MIN(a, s), UPPER(g), a, s);
}

/* Columns, each sorted, become one list of columns. */
static inline __attribute__((always_inline)) void QK(merge_columns)(__m512i *r, int rows)
{
#pragma GCC unroll 4
  for (int g = 1; g < LANES; g *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < (rows + 1) / 2; i++) {
      const __m512i a = r[i], b = r[rows - 1 - i];
      r[i] = QK(against)(a, b, 2 * g - 1, g);
      r[rows - 1 - i] = QK(against)(b, a, 2 * g - 1, g);
    }
#pragma GCC unroll 4
    for (int d = g / 2; d >= 1; d /= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; i++)
        r[i] = QK(against)(r[i], r[i], d, d);
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
static inline __attribute__((always_inline)) LANE_MASK QK(row_mask)(int64_t n, int row)
{
  const int64_t left = n - row * LANES, some = left < 0 ? 0 : left;
  return FIRST(some < LANES ? some : LANES);
}

static inline __attribute__((always_inline)) void QK(load_rows)(__m512i *r, int rows, int full, const WORD *from, int64_t n)
{
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    r[i] = i < full ? _mm512_loadu_si512(from + i * LANES)
                    : MASK_LOAD(_mm512_set1_epi32(-1), QK(row_mask)(n, i), from + i * LANES);
}

static inline __attribute__((always_inline)) void QK(store_rows)(const __m512i *r, int rows, int full, WORD *to, int64_t n)
{
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    if (i < full || n >= (i + 1) * LANES)
      _mm512_storeu_si512(to + i * LANES, r[i]);
    else if (n > i * LANES)
      MASK_STORE(to + i * LANES, QK(row_mask)(n, i), r[i]);
}

static __attribute__((noinline)) void QK(leaf_1)(const WORD *from, WORD *to, int64_t n)
{
  __m512i r[1];
  QK(load_rows)(r, 1, 0, from, n);
  QK(merge_columns)(r, 1);
  QK(store_rows)(r, 1, 0, to, n);
}

#define X(i, j) CE(i, j)
static __attribute__((noinline)) void QK(leaf_8)(const WORD *from, WORD *to, int64_t n)
{
  __m512i r[8], o[8];
  QK(load_rows)(r, 8, 1, from, n);
  NETWORK_8
  QK(merge_columns)(r, 8);
  QK(transpose_8)(r, o);
  QK(store_rows)(o, 8, 1, to, n);
}

static __attribute__((noinline)) void QK(leaf_16)(const WORD *from, WORD *to, int64_t n)
{
  __m512i r[16], o[16];
  QK(load_rows)(r, 16, 8, from, n);
  NETWORK_16
  QK(merge_columns)(r, 16);
  QK(transpose_16)(r, o);
  QK(store_rows)(o, 16, 8, to, n);
}
#undef X

static inline void QK(leaf)(const WORD *from, WORD *to, int64_t n)
{
  if (n <= LANES)
    QK(leaf_1)(from, to, n);
  else if (n <= LEAF / 2)
    QK(leaf_8)(from, to, n);
  else
    QK(leaf_16)(from, to, n);
}

static inline __attribute__((always_inline)) __m512i QK(middle)(__m512i a, __m512i b, __m512i c)
{
  return MAX(MIN(a, b), MIN(MAX(a, b), c));
}

/* A word near the middle of a short list: three vectors of three places, and three times three lanes of their medians. */
static WORD QK(pivot)(const WORD *x, int64_t n)
{
  const __m512i a = _mm512_loadu_si512(x + n / 6), b = _mm512_loadu_si512(x + n / 2), c = _mm512_loadu_si512(x + 5 * n / 6);
  __m512i v = QK(middle)(a, b, c);
  v = QK(middle)(v, PERMUTE(IOTA + SPREAD(LANES / 3), v), PERMUTE(IOTA + SPREAD(2 * LANES / 3), v));
  v = QK(middle)(v, PERMUTE(IOTA + SPREAD(1), v), PERMUTE(IOTA + SPREAD(2), v));
  return (WORD)_mm_cvtsi128_si64(_mm512_castsi512_si128(v));
}

/* LEAF / 2 words of a long list, in order. */
static void QK(sample)(const WORD *x, int64_t n, WORD *sample)
{
  for (int64_t i = 0; i < LEAF / 2; i++)
    sample[i] = x[n / (LEAF / 2) * i + i * 7 % 61];
  QK(leaf_8)(sample, sample, LEAF / 2);
}

/* Words of FROM up to PIVOT go to the front of TO, greater ones to its end; returns how many went to the front. */
static int64_t QK(divide)(const WORD *from, WORD *to, int64_t n, WORD pivot)
{
  const __m512i p = SPREAD(pivot);
  const EIGHT eight = EIGHT_SPREAD(pivot);
  WORD *low = to;
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 8) {
    const EIGHT v = EIGHT_LOAD(from + i);
    const __mmask8 small = EIGHT_LESS_EQUAL(v, eight);
    const EIGHT pack = EIGHT_SPLIT(v, _mm_cvtsi64_si128((long long)split_lanes[small]));
    EIGHT_STORE(low, pack);
    EIGHT_STORE(low + (n - i) - 8, pack);
    low += __builtin_popcount(small);
  }
  WORD *end = low + (n - i);
  /* Fewer than two vectors are left: packs at both ends would overlap, so that only what counts is stored. */
  for (; i < n; i += LANES) {
    const LANE_MASK there = FIRST(n - i < LANES ? n - i : LANES);
    const __m512i v = MASK_LOAD(_mm512_setzero_si512(), there, from + i);
    const LANE_MASK small = LESS_EQUAL(v, p) & there, great = (LANE_MASK)~small & there;
    const int k = __builtin_popcount(small), m = __builtin_popcount(great);
    MASK_STORE(low, FIRST(k), PACK(small, v));
    low += k;
    /* end is where what is free stops before this vector */
    end -= m;
    MASK_STORE(end, FIRST(m), PACK(great, v));
  }
  return low - to;
}

static void QK(quick)(WORD *x, WORD *spare, WORD *to, int64_t n, int depth);

/* Where words lie evenly between two bounds, their distance from the lower one says where they go: one pass puts them into
 * buckets that are leaves, in place of as many passes as they have halvings. */
typedef struct QK(buckets) {
  WORD low, span;
  int shift;
} QK(buckets);

/* Lists for which it pays: a pass with buckets to find costs as much as five divisions of such words, or eight of those of
 * 32 bits, and longer lists leave the second cache. */
enum { QK(BUCKETS) = 2048, QK(LEAST) = sizeof(WORD) == 8 ? 1 << 14 : INT32_MAX, QK(MOST) = (1 << 20) / sizeof(WORD) };

/* The buckets for a list of N words; false when the ordered sample says that they would differ much. */
static bool QK(even)(const WORD *sample, int64_t n, QK(buckets) *b)
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
  for (b->shift = 0; b->span >> b->shift >= (WORD)(wanted < QK(BUCKETS) ? wanted : QK(BUCKETS));)
    b->shift++;
  return true;
}

static inline uint32_t QK(bucket)(const QK(buckets) *b, WORD x)
{
  const WORD d = x < b->low ? 0 : x - b->low;
  return (uint32_t)((d < b->span ? d : b->span) >> b->shift);
}

static void QK(spread)(WORD *x, WORD *spare, WORD *to, int64_t n, const QK(buckets) *b, int depth)
{
  const QK(buckets) own = *b;
  const uint32_t last = (uint32_t)(own.span >> own.shift);
  uint32_t at[QK(BUCKETS)], sum = 0;
  memset(at, 0, sizeof at);
  for (int64_t i = 0; i < n; i++)
    at[QK(bucket)(&own, x[i])]++;
  for (uint32_t k = 0; k <= last; k++) {
    const uint32_t count = at[k];
    at[k] = sum;
    sum += count;
  }
  for (int64_t i = 0; i < n; i++)
    spare[at[QK(bucket)(&own, x[i])]++] = x[i];
  for (uint32_t k = 0, begin = 0; k <= last; begin = at[k++])
    QK(quick)(spare + begin, x + begin, to + begin, at[k] - begin, depth);
}

/* Sorts the N words of X, with SPARE as long; the result comes to TO, which is one of the two. */
static void QK(quick)(WORD *x, WORD *spare, WORD *to, int64_t n, int depth)
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
      pivot = QK(pivot)(x, n);
    } else {
      WORD sample[LEAF / 2];
      QK(buckets) b;
      QK(sample)(x, n, sample);
      if (n >= QK(LEAST) && n <= QK(MOST) && QK(even)(sample, n, &b)) {
        QK(spread)(x, spare, to, n, &b, depth);
        return;
      }
      pivot = sample[LEAF / 4];
    }
    int64_t k = QK(divide)(x, spare, n, pivot);
    if (k == n) { /* nothing is greater: what equals the pivot is in place, the rest goes on */
      if (pivot > 0)
        k = QK(divide)(x, spare, n, pivot - 1);
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
    QK(quick)(spare + k, x + k, to + k, n - k, depth);
    n = k;
    WORD *t = x;
    x = spare;
    spare = t;
  }
  if (n > 0)
    QK(leaf)(x, to, n);
}

static void QK(sort)(int64_t n, WORD *list, WORD *spare)
{
  if (n > LEAF)
    QK(quick)(list, spare, list, n, 2 * (64 - __builtin_clzll((uint64_t)n)));
  else if (n > 1)
    QK(leaf)(list, list, n);
}
#undef CE
#undef UPPER
