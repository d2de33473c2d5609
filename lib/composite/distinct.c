// SPDX-License-Identifier: BSD-3-Clause
/* Distinct rows: see distinct.h. L3.
 *
 * A table by hashes finds them, so that only one of each has to be sorted; where most of the rows are different ones, or too many
 * fall on the same places, all are sorted instead.
 */
#include "composite/distinct.h"

#include "core/memory/memory.h"
#include <stddef.h>
#include <string.h>

static int compare_rows(const hed__rows *t, int64_t a, int64_t b)
{
  for (int64_t k = 0; k < t->m; k++) {
    const char *p = (const char *)t->values + (a * t->m + k) * 8, *q = (const char *)t->values + (b * t->m + k) * 8;
    int order;
    if (t->kind == HED_KIND_FLOAT) {
      double x = *(const double *)(const void *)p, y = *(const double *)(const void *)q;
      order = x != x || y != y ? (x != x) - (y != y) : (x > y) - (x < y);
    } else if (t->kind == HED_KIND_INT) {
      int64_t x = *(const int64_t *)(const void *)p, y = *(const int64_t *)(const void *)q;
      order = (x > y) - (x < y);
    } else {
      uint64_t x = *(const uint64_t *)(const void *)p, y = *(const uint64_t *)(const void *)q;
      order = (x > y) - (x < y);
    }
    if (order)
      return order;
  }
  return 0;
}

static bool has_nan(const hed__rows *t, int64_t row)
{
  const double *v = (const double *)t->values + row * t->m;
  for (int64_t k = 0; k < t->m && t->kind == HED_KIND_FLOAT; k++)
    if (v[k] != v[k])
      return true;
  return false;
}

/* Stable merge sort of row numbers, bottom up; the result is in LIST or in SPARE. */
static int64_t *sort_rows(const hed__rows *t, int64_t n, int64_t *list, int64_t *spare)
{
  for (int64_t run = 1; run < n; run *= 2) {
    for (int64_t i = 0; i < n; i += 2 * run) {
      int64_t a = i, b = i + run < n ? i + run : n, a_end = b, b_end = b + run < n ? b + run : n;
      for (int64_t k = i; k < b_end; k++)
        spare[k] = a < a_end && (b >= b_end || compare_rows(t, list[b], list[a]) >= 0) ? list[a++] : list[b++];
    }
    int64_t *swap = list;
    list = spare;
    spare = swap;
  }
  return list;
}

/* ---- by hashes ---- */

typedef struct finder {
  const hed__rows *t;
  int64_t *first, *counts; /* of each row found: its first place, how often it was there */
  int64_t found, most;
  int64_t *slot, slots;    /* numbers of rows found, -1: free; a power of two, 2^(64 - shift) */
  int shift;
  int64_t tries;           /* left for places that are taken */
} finder;

/* Bits that are equal where numbers are. */
static uint64_t plain_bits(const hed__rows *t, int64_t at)
{
  uint64_t bits;
  memcpy(&bits, (const char *)t->values + at * 8, sizeof bits);
  if (t->kind != HED_KIND_FLOAT)
    return bits;
  const uint64_t size = bits << 1, inf = (uint64_t)0x7ff << 53;
  return size == 0 ? 0 : size > inf ? inf : bits;
}

/* Of which the first bits depend on all of the row's. */
static uint64_t hash_of(const hed__rows *t, int64_t row)
{
  uint64_t h = 0;
  for (int64_t k = row * t->m; k < (row + 1) * t->m; k++) {
    h ^= h >> 32;
    h = (h ^ plain_bits(t, k)) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return h;
}

static bool same_rows(const hed__rows *t, int64_t a, int64_t b)
{
  for (int64_t k = 0; k < t->m; k++)
    if (plain_bits(t, a * t->m + k) != plain_bits(t, b * t->m + k))
      return false;
  return true;
}

/* Where ROW is in the table, or its free place; -1: too many places tried. */
static int64_t place_of(finder *f, int64_t row)
{
  int64_t i = (int64_t)(hash_of(f->t, row) >> f->shift);
  for (; f->slot[i] >= 0 && !same_rows(f->t, f->first[f->slot[i]], row); i = (i + 1) & (f->slots - 1))
    if (--f->tries < 0)
      return -1;
  return i;
}

/* A table of four times the places, with what was found until now. */
static bool grow(finder *f, const char *op)
{
  hed__buffer_free(f->slot);
  f->slots = f->slots ? 4 * f->slots : 256;
  f->shift = f->shift ? f->shift - 2 : 64 - 8;
  if (!(f->slot = hed__buffer_new((size_t)f->slots * sizeof *f->slot, op)))
    return false;
  memset(f->slot, -1, (size_t)f->slots * sizeof *f->slot);
  for (int64_t k = 0; k < f->found; k++) {
    const int64_t at = place_of(f, f->first[k]);
    if (at >= 0)
      f->slot[at] = k;
  }
  return true;
}

/* ROW, which is at place AT of the table (-1: is not to be found again), is a new one. */
static int add(finder *f, int64_t at, int64_t row, const char *op)
{
  if (f->found == f->most)
    return 0;
  f->first[f->found] = row;
  f->counts[f->found] = 0;
  if (at >= 0)
    f->slot[at] = f->found;
  f->found++;
  return f->found <= f->slots / 2 || grow(f, op) ? 1 : -1;
}

/* The rows that F finds, in the order in which they come; NUMBER: which of them each is. 0: too many, -1 with the error set. */
static int find_rows(finder *f, bool every_nan, int64_t *number, const char *op)
{
  if (!grow(f, op))
    return -1;
  for (int64_t row = 0; row < f->t->n && f->tries >= 0; row++) {
    const int64_t at = every_nan && has_nan(f->t, row) ? -1 : place_of(f, row);
    const bool known = at >= 0 && f->slot[at] >= 0;
    const int64_t k = known ? f->slot[at] : f->found;
    const int added = known ? 1 : add(f, at, row, op);
    if (added <= 0)
      return added;
    f->counts[k]++;
    number[row] = k;
  }
  return f->tries >= 0;
}

/* ---- both ways ---- */

/* All rows sorted; LIST and SPARE have room for them. */
static int64_t by_sorting(const hed__rows *t, bool every_nan, int64_t *list, int64_t *spare, int64_t *index, int64_t *counts,
                          int64_t *inverse)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < t->n; k++)
    list[k] = k;
  list = sort_rows(t, t->n, list, spare);
  for (int64_t k = 0; k < t->n; k++) {
    if (k == 0 || compare_rows(t, list[k - 1], list[k]) != 0 || (every_nan && has_nan(t, list[k]))) {
      counts[kept] = 0;
      index[kept++] = list[k];
    }
    counts[kept - 1]++;
    inverse[list[k]] = kept - 1;
  }
  return kept;
}

/* What F has found, sorted. COUNTS: F's own. */
static int64_t in_order(const finder *f, int64_t *list, int64_t *spare, int64_t *rank, int64_t *index, int64_t *counts,
                        int64_t *inverse)
{
  memcpy(list, f->first, (size_t)f->found * sizeof *list);
  const int64_t *sorted = sort_rows(f->t, f->found, list, spare);
  for (int64_t k = 0; k < f->found; k++) {
    rank[inverse[sorted[k]]] = k;
    index[k] = sorted[k];
  }
  int64_t *was = list == sorted ? spare : list;
  memcpy(was, f->counts, (size_t)f->found * sizeof *was);
  for (int64_t k = 0; k < f->found; k++)
    counts[rank[k]] = was[k];
  for (int64_t row = 0; row < f->t->n; row++)
    inverse[row] = rank[inverse[row]];
  return f->found;
}

int64_t hed__distinct_rows(const hed__rows *t, bool every_nan, int64_t *index, int64_t *counts, int64_t *inverse, const char *op)
{
  /* found rows are few, or sorted with the others: a third list is not longer than that */
  const int64_t most = t->n / 4 + 1;
  int64_t *work = hed__buffer_new((size_t)(2 * t->n + most) * sizeof *work, op), kept = -1;
  int64_t *list = work, *spare = work ? work + t->n : NULL, *rank = work ? work + 2 * t->n : NULL;
  finder f = { .t = t, .first = index, .counts = counts, .most = most, .tries = 8 * t->n + 1024 };
  const int found = work ? find_rows(&f, every_nan, inverse, op) : -1;
  if (found > 0)
    kept = in_order(&f, list, spare, rank, index, counts, inverse);
  else if (found == 0)
    kept = by_sorting(t, every_nan, list, spare, index, counts, inverse);
  hed__buffer_free(f.slot);
  hed__buffer_free(work);
  return kept;
}
