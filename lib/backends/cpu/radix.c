// SPDX-License-Identifier: BSD-3-Clause
/*
 * Radix sorts and partial selection (sort.h). L1.
 *
 * Digits of 11 bits; the histograms of all digits are counted in one pass, and a digit in which all
 * keys agree is skipped. Short lists are sorted by insertion.
 */
#include "backends/cpu/sort.h"
#include <stdbool.h>
#include <string.h>

enum { DIGIT = 11, BINS = 1 << DIGIT, SHORT = 48 };

/* T: element; K: its key's type; KEY(x): the key; DIGITS of BITS from FROM. */
#define RADIX(FN, T, K, KEY, FROM, BITS)                                                        \
  {                                                                                             \
    enum { MOST = (BITS + DIGIT - 1) / DIGIT };                                                 \
    if (n <= SHORT) {                                                                           \
      for (int64_t i = 1; i < n; i++) {                                                         \
        T x = list[i];                                                                          \
        int64_t k = i;                                                                          \
        for (; k > 0 && (K)(KEY(list[k - 1]) >> (FROM)) > (K)(KEY(x) >> (FROM)); k--)           \
          list[k] = list[k - 1];                                                                \
        list[k] = x;                                                                            \
      }                                                                                         \
      return list;                                                                              \
    }                                                                                           \
    const int digits = ((BITS) - (FROM) + DIGIT - 1) / DIGIT;                                   \
    int64_t count[MOST][BINS];                                                                  \
    memset(count, 0, (size_t)digits * sizeof count[0]);                                         \
    for (int64_t i = 0; i < n; i++) {                                                           \
      K k = KEY(list[i]) >> (FROM);                                                             \
      for (int d = 0; d < digits; d++, k >>= DIGIT)                                             \
        count[d][k & (BINS - 1)]++;                                                             \
    }                                                                                           \
    for (int d = 0; d < digits; d++) {                                                          \
      const int shift = (FROM) + d * DIGIT;                                                     \
      int64_t at = 0;                                                                           \
      if (count[d][KEY(list[0]) >> shift & (BINS - 1)] == n)                                    \
        continue;                                                                               \
      for (int b = 0; b < BINS; b++) {                                                          \
        int64_t c = count[d][b];                                                                \
        count[d][b] = at;                                                                       \
        at += c;                                                                                \
      }                                                                                         \
      for (int64_t i = 0; i < n; i++)                                                           \
        spare[count[d][KEY(list[i]) >> shift & (BINS - 1)]++] = list[i];                        \
      T *t = list;                                                                              \
      list = spare;                                                                             \
      spare = t;                                                                                \
    }                                                                                           \
    return list;                                                                                \
  }

#define WORD(x) (x)
#define PAIR(x) ((x).key)
#define PLACE(x) ((uint64_t)(x).place)

uint32_t *cpu_sort_u32(int64_t n, uint32_t *list, uint32_t *spare)
RADIX(cpu_sort_u32, uint32_t, uint32_t, WORD, 0, 32)

uint64_t *cpu_sort_u64(int64_t n, uint64_t *list, uint64_t *spare, int from)
RADIX(cpu_sort_u64, uint64_t, uint64_t, WORD, from, 64)

cpu_pair *cpu_sort_pairs(int64_t n, cpu_pair *list, cpu_pair *spare)
RADIX(cpu_sort_pairs, cpu_pair, uint64_t, PAIR, 0, 64)

cpu_pair *cpu_sort_places(int64_t n, cpu_pair *list, cpu_pair *spare)
RADIX(cpu_sort_places, cpu_pair, uint64_t, PLACE, 0, 64)

/* ---- selection ---- */

static bool less(const cpu_pair *a, const cpu_pair *b)
{
  return a->key != b->key ? a->key < b->key : a->place < b->place;
}

/* Moves the K least to the front (C. A. R. Hoare's FIND, Comm. ACM 4, 1961). */
static void select_least(cpu_pair *list, int64_t n, int64_t k)
{
  int64_t low = 0, high = n - 1;
  while (low < high) {
    cpu_pair pivot = list[low + (high - low) / 2];
    int64_t i = low, j = high;
    while (i <= j) {
      while (less(&list[i], &pivot))
        i++;
      while (less(&pivot, &list[j]))
        j--;
      if (i <= j) {
        cpu_pair t = list[i];
        list[i++] = list[j];
        list[j--] = t;
      }
    }
    if (k - 1 <= j)
      high = j;
    else if (k - 1 >= i)
      low = i;
    else
      return;
  }
}

/* Keeps the best K and learns which keys need not be looked at any more. */
static void shrink(cpu_candidates *c)
{
  select_least(c->list, c->n, c->k);
  c->n = c->k;
  c->limit = 0;
  for (int64_t i = 0; i < c->k; i++)
    if (c->list[i].key > c->limit)
      c->limit = c->list[i].key;
}

#define OFFER(FN, K)                                                                 \
  void FN(cpu_candidates *c, int64_t n, const K *key, int64_t first)                 \
  {                                                                                  \
    bool some = c->limit == UINT64_MAX;                                              \
    for (int64_t i = 0; i < n; i++)                                                  \
      some |= key[i] < c->limit;                                                     \
    if (!some)                                                                       \
      return;                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                \
      if (key[i] >= c->limit && c->limit != UINT64_MAX)                              \
        continue;                                                                    \
      if (c->n == c->cap)                                                            \
        shrink(c);                                                                   \
      if (c->n < c->k || key[i] < c->limit || c->limit == UINT64_MAX)                \
        c->list[c->n++] = (cpu_pair){ key[i], first + i };                           \
    }                                                                                \
  }
OFFER(cpu_offer, uint64_t)
OFFER(cpu_offer32, uint32_t)
