// SPDX-License-Identifier: BSD-3-Clause
/* Shapes compared and in words, for what kits say of them.
 *
 * Layer: L4, all kits.
 */
#ifndef HED_KITS_SHAPES_H
#define HED_KITS_SHAPES_H
#include <heddle.h>
#include <stdbool.h>
#include <stdio.h>

enum { HED__SHAPE_WORDS = 160 };

/* "(2, 3, 4)"; returns TEXT, which has room for HED__SHAPE_WORDS bytes. */
static inline const char *hed__shape_words(hed_shape s, char *text)
{
  enum { LAST = HED__SHAPE_WORDS - 30 /* where no further extent begins */ };
  int n = 0;
  text[n++] = '(';
  for (int i = 0; i < s.ndim && n < LAST; i++)
    n += snprintf(text + n, (size_t)(HED__SHAPE_WORDS - 2 - n), "%s%lld", i ? ", " : "", (long long)s.dim[i]);
  text[n++] = ')';
  text[n] = '\0';
  return text;
}

static inline bool hed__same_shape(hed_shape a, hed_shape b)
{
  bool same = a.ndim == b.ndim;
  for (int i = 0; same && i < a.ndim; i++)
    same = a.dim[i] == b.dim[i];
  return same;
}

/* RANKS of ORDER modes, of which one number is that of all. */
static inline hed_shape hed__ranks_of_modes(hed_shape ranks, int order)
{
  if (ranks.ndim == 1)
    for (; ranks.ndim < order && ranks.ndim < HED_MAX_NDIM; ranks.ndim++)
      ranks.dim[ranks.ndim] = ranks.dim[0];
  return ranks;
}

/* *ROOM, elements of the extents so far, times EXTENT, one of 0 taken as 1, as others beside it may be of any size; false where that
 * is below 0 or beyond what sizes in bytes can be. */
static inline bool hed__count_extent(int64_t *room, int64_t extent)
{
  return extent >= 0 && !__builtin_mul_overflow(*room, extent ? extent : 1, room) && *room <= INT64_MAX / 16;
}

#endif
