// SPDX-License-Identifier: BSD-3-Clause
/*
 * The K-th of N words in order (quickselect) and the next one, by divisions of contiguous lists; a body, included by sort.c for
 * words of 32 and 64 bits.
 *
 * Every instruction set; contiguous words, for median and quantiles.
 */

/* Only the part that has the rank is divided further. The part above it stays where it was put: its least word is the
 * next one when the rank is the last below. */
static void N(select)(int64_t n, T *list, T *spare, int64_t k, T *word)
{
  const T *above = NULL;
  int64_t many = 0;
  for (int depth = 2 * (64 - __builtin_clzll((uint64_t)n)); n > N(LEAF) && depth > 0; depth--) {
    const T pivot = N(pivot)(list, n);
    int64_t low = N(divide)(list, spare, n, pivot);
    bool equal = low == n; /* nothing is greater: then what equals the pivot comes apart */
    if (equal)
      low = pivot > 0 ? N(divide)(list, spare, n, pivot - 1) : 0;
    if (k >= low && equal) {
      word[0] = word[1] = pivot;
      if (k + 1 < n || !above)
        return;
      list[0] = pivot;
      k = 0;
      n = 1;
      break;
    }
    T *t = list;
    if (k < low) {
      above = spare + low;
      many = n - low;
      list = spare;
      spare = t;
      n = low;
    } else {
      list = spare + low;
      spare = t + low;
      n -= low;
      k -= low;
    }
  }
  N(sort)(n, list, spare);
  word[0] = word[1] = list[k];
  if (k + 1 < n) {
    word[1] = list[k + 1];
  } else if (above) {
    T least = above[0];
    for (int64_t i = 1; i < many; i++)
      least = above[i] < least ? above[i] : least;
    word[1] = least;
  }
}
