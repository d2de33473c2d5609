// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quicksort of one list where it lies; included by k_quick.h, whose words, vectors and functions it takes, and:
 *   LESS_OF(a, b, x, y)              x where a is less than b, else y
 *   UPPER_OF(g, x, y)                x in lanes that have the bit g, else y
 *   TURNED(v, c)                     lane l ^ c in lane l
 *   EVEN_LANES(a, b, d)              lanes of a without the bit d in their places, those of b d places further
 *   ODD_LANES(a, b, d)               lanes of b with the bit d in their places, those of a d places before
 *   BACK(a, b, g, row)               row 0 or 1 of two of which steps of g / 2, g / 4, ..., 1 lanes have made a and b
 *
 * Half as much memory is touched as between two lists. This and the exchanges below pay on Intel Sapphire Rapids
 * (bench/findings/sorting); elsewhere they have not been measured.
 */

/* Exchanges of rows for processors whose least and greatest are found in one place and whose order of lanes is changed in another
 * (of 512 bits, on those of Intel): both get as much to do. */
#undef CE
#define CE(i, j)                        \
  {                                     \
    const V a = r[i], b = r[j];         \
    if ((i) % 2 == 0) {                 \
      r[i] = MIN(a, b);                 \
      r[j] = MAX(a, b);                 \
    } else {                            \
      r[i] = LESS_OF(a, b, a, b);       \
      r[j] = LESS_OF(a, b, b, a);       \
    }                                   \
  }

/* As merge_columns. Rows are taken by pairs, of which one gets what is less of both: so steps within a row take one exchange for
 * two rows, and words come back to their rows at the end of them all. */
static inline __attribute__((always_inline)) void QK(merge_pairs)(V *r, int rows)
{
#pragma GCC unroll 4
  for (int g = 1; g < LANES; g *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < rows / 2; i++) {
      const V a = r[i], b = TURNED(r[rows - 1 - i], 2 * g - 1), low = MIN(a, b), high = MAX(a, b);
      r[i] = UPPER_OF(g, high, low);
      r[rows - 1 - i] = TURNED(UPPER_OF(g, low, high), 2 * g - 1);
    }
#pragma GCC unroll 16
    for (int i = 0; g > 1 && i < rows; i += 2) {
      V a = r[i], b = r[i + 1];
#pragma GCC unroll 4
      for (int d = g / 2; d >= 1; d /= 2) {
        const V x = EVEN_LANES(a, b, d), y = ODD_LANES(a, b, d);
        a = MIN(x, y);
        b = MAX(x, y);
      }
      r[i] = BACK(a, b, g, 0);
      r[i + 1] = BACK(a, b, g, 1);
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

#define X(i, j) CE(i, j)
static __attribute__((noinline)) void QK(leaf_8_in_place)(WORD *x, int64_t n)
{
  V r[8], o[8];
  QK(load_rows)(r, 8, 1, x, n);
  NETWORK_8
  QK(merge_pairs)(r, 8);
  QK(transpose_8)(r, o);
  QK(store_rows)(o, 8, 1, x, n);
}

static __attribute__((noinline)) void QK(leaf_16_in_place)(WORD *x, int64_t n)
{
  V r[16], o[16];
  QK(load_rows)(r, 16, 8, x, n);
  NETWORK_16
  QK(merge_pairs)(r, 16);
  QK(transpose_16)(r, o);
  QK(store_rows)(o, 16, 8, x, n);
}
#undef X

/* Words of X up to PIVOT go to its front, greater ones behind them; returns how many there are of the former. What is read from
 * one end of the list leaves room to write at both: from the end that has less of it, SOME vectors at a time, as such choices are
 * hard to foretell. */
static __attribute__((noinline)) int64_t QK(divide_in_place)(WORD *x, int64_t n, WORD pivot)
{
  enum { SOME = 8, ROOM = SOME * EACH };
  WORD held[4 * ROOM];
  WORD *low = x, *end = x + n, *from = x, *till = end; /* what is free: LOW to FROM and TILL to END */
  int64_t count = 0;
  if (n > 4 * ROOM) {
    const PIECE p = PIVOT_PIECE(pivot);
    memcpy(held, from, ROOM * sizeof *x);
    memcpy(held + ROOM, till - ROOM, ROOM * sizeof *x);
    count = 2 * ROOM;
    from += ROOM;
    till -= ROOM;
    while (till - from >= ROOM) {
      const bool front = from - low <= end - till;
      const WORD *next = front ? from : till - ROOM;
      PIECE v[SOME];
#pragma GCC unroll 8
      for (int i = 0; i < SOME; i++)
        v[i] = PIECE_LOAD(next + i * EACH);
      from += front ? ROOM : 0;
      till -= front ? 0 : ROOM;
#pragma GCC unroll 8
      for (int i = 0; i < SOME; i++) {
        const unsigned small = UP_TO(v[i], p);
        const PIECE pack = PACK_PIECE(v[i], small);
        const int64_t k = __builtin_popcount(small);
        PIECE_STORE(low, pack);
        PIECE_STORE(end - EACH, pack);
        low += k;
        end -= EACH - k;
      }
    }
  }
  memcpy(held + count, from, (size_t)(till - from) * sizeof *x);
  return low - x + QK(divide)(held, low, end - low, pivot);
}

/* Sorts the N words of X; SPARE is for lists whose pivots keep failing. */
static void QK(quick_in_place)(WORD *x, WORD *spare, int64_t n, int depth)
{
  while (n > LEAF) {
    if (depth-- == 0) {
      const WORD *sorted = RADIX_SORT(n, x, spare);
      if (sorted != x)
        memcpy(x, sorted, (size_t)n * sizeof *x);
      return;
    }
    WORD pivot;
    if (n < 32 * LEAF) {
      pivot = QK(pivot)(x, n);
    } else {
      WORD sample[LEAF / 2];
      QK(sample)(x, n, sample);
      pivot = sample[LEAF / 4];
    }
    const int64_t k = QK(divide_in_place)(x, n, pivot);
    if (k < n)
      QK(quick_in_place)(x + k, spare, n - k, depth);
    else if (pivot == 0)
      return;
    /* Where nothing is greater, what equals the pivot goes to the end, where it belongs. */
    n = k < n ? k : QK(divide_in_place)(x, n, pivot - 1);
  }
  if (n > LEAF / 2)
    QK(leaf_16_in_place)(x, n);
  else if (n > LANES)
    QK(leaf_8_in_place)(x, n);
  else if (n > 1)
    QK(leaf_1)(x, x, n);
}

static void QK(sort_in_place)(int64_t n, WORD *list, WORD *spare)
{
  if (n > 1)
    QK(quick_in_place)(list, spare, n, 2 * (64 - __builtin_clzll((uint64_t)n)));
}
#undef LESS_OF
#undef UPPER_OF
#undef TURNED
#undef EVEN_LANES
#undef ODD_LANES
#undef BACK
