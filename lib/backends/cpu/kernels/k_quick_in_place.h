// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quicksort of one list where it lies; included by k_quick.h, whose words, vectors and functions it takes.
 *
 * Half as much memory is touched as between two lists. Where stores that cross lines and lists in the second cache are slow (Intel
 * Sapphire Rapids) it takes 0.8 of the time for 10^5 words.
 */

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
  if (n > 0)
    QK(leaf)(x, x, n);
}

static void QK(sort_in_place)(int64_t n, WORD *list, WORD *spare)
{
  if (n > 1)
    QK(quick_in_place)(list, spare, n, 2 * (64 - __builtin_clzll((uint64_t)n)));
}
