// SPDX-License-Identifier: BSD-3-Clause
/* The points that a function has been asked for.
 *
 * Layer: L4, tensor kit. A table of numbers of rows, twice as long as they are at most, open addressing.
 */
#include "kits/tensor/train/cross.h"
#include <stdlib.h>
#include <string.h>

void hed__seen_clear(hed__seen *s)
{
  free(s->index);
  free(s->value);
  free(s->table);
  *s = (hed__seen){ 0 };
}

static uint64_t hash_of(int width, const int64_t *row)
{
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (int k = 0; k < width; k++) { /* the finaliser of SplitMix64 */
    h = (h ^ (uint64_t)row[k]) + 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
  }
  return h;
}

/* The slot of ROW, or the free one where it belongs. */
static int64_t *slot_of(const hed__seen *s, int width, const int64_t *row)
{
  const uint64_t last = (uint64_t)(2 * s->room - 1); /* the room is a power of two */
  uint64_t at = hash_of(width, row) & last;
  while (s->table[at] != 0 && memcmp(s->index + (s->table[at] - 1) * width, row, (size_t)width * sizeof *row) != 0)
    at = (at + 1) & last;
  return &s->table[at];
}

static bool grow(hed__seen *s, int width)
{
  const int64_t room = s->room ? 2 * s->room : 1024;
  int64_t *table = calloc((size_t)(2 * room), sizeof *table), *index = realloc(s->index, (size_t)(room * width) * sizeof *index);
  if (index)
    s->index = index;
  double *value = index ? realloc(s->value, (size_t)room * sizeof *value) : NULL;
  if (value)
    s->value = value;
  if (!table || !value) {
    free(table);
    return false;
  }
  free(s->table);
  s->table = table;
  s->room = room;
  for (int64_t i = 0; i < s->n; i++)
    *slot_of(s, width, index + i * width) = i + 1;
  return true;
}

int64_t hed__seen_find(hed__seen *s, int width, const int64_t *row)
{
  if (s->n == s->room && !grow(s, width))
    return -1;
  int64_t *slot = slot_of(s, width, row);
  if (*slot == 0) {
    memcpy(s->index + s->n * width, row, (size_t)width * sizeof *row);
    *slot = ++s->n;
  }
  return *slot - 1;
}
