// SPDX-License-Identifier: BSD-3-Clause
/*
 * Words, or their indices, that lie below, between and above two others, each in the order in which they lie; a body, included by
 * sort.c for words of 32 and 64 bits.
 * Every instruction set; contiguous keys, chosen by sort/partition.c.
 */

/* KIND: of those below only their number is wanted, or words, or indices, of which the first is FIRST. COUNT: how many are below,
 * and between. */
INLINE void N(take_apart)(int64_t n, const T *key, T low, T high, const int kind, int64_t first, void *below, void *between,
                          void *above, int64_t *count)
{
  T *const words[3] = { below, between, above };
  uint64_t *const indices[3] = { below, between, above };
  int64_t i = 0, b = 0, m = 0, a = 0;
#ifdef PARTITION_V
  enum { EACH = N(PARTITION_EACH) };
  const PARTITION_V l = N(PARTITION_ALL)(low), h = N(PARTITION_ALL)(high);
  for (; PARTITION_STEPS(i, n, EACH); i += EACH) {
    const unsigned there = PARTITION_THERE(n - i, EACH);
    const PARTITION_V v = N(PARTITION_LOAD)(key + i, there);
    const unsigned less = N(PARTITION_LESS)(v, l, there), more = N(PARTITION_LESS)(h, v, there), rest = there & ~(less | more);
    if (kind == APART_BETWEEN) {
      b += __builtin_popcount(less);
      m += N(partition_put)(words[1] + m, v, rest);
    } else if (kind == APART_WORDS) {
      b += N(partition_put)(words[0] + b, v, less);
      a += N(partition_put)(words[2] + a, v, more);
      if (rest)
        m += N(partition_put)(words[1] + m, v, rest);
    } else {
      b += put_from(indices[0] + b, first + i, less, EACH);
      a += put_from(indices[2] + a, first + i, more, EACH);
      if (rest)
        m += put_from(indices[1] + m, first + i, rest, EACH);
    }
  }
#endif
  for (; i < n; i++) {
    const T w = key[i];
    const bool less = w < low, more = w > high;
    if (kind == APART_BETWEEN)
      words[1][m] = w;
    else if (kind == APART_WORDS)
      words[0][b] = words[1][m] = words[2][a] = w;
    else
      indices[0][b] = indices[1][m] = indices[2][a] = (uint64_t)(first + i);
    b += less;
    a += more;
    m += !less & !more;
  }
  count[0] = b;
  count[1] = m;
}

static void N(between)(int64_t n, const T *key, T low, T high, T *mid, int64_t *count)
{
  N(take_apart)(n, key, low, high, APART_BETWEEN, 0, NULL, mid, NULL, count);
}

static void N(partition3)(int64_t n, const T *key, T low, T high, T *below, T *mid, T *above, int64_t *count)
{
  N(take_apart)(n, key, low, high, APART_WORDS, 0, below, mid, above, count);
}

static void N(partition3_indices)(int64_t n, const T *key, T low, T high, int64_t first, uint64_t *below, uint64_t *mid,
                                  uint64_t *above, int64_t *count)
{
  N(take_apart)(n, key, low, high, APART_INDICES, first, below, mid, above, count);
}
