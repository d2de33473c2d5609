// SPDX-License-Identifier: BSD-3-Clause
/* A part's positions, in the target and at their negated places in what was transformed.
 *
 * Layer: L4, match kit, internal. Parts overlap where the last one along an axis begins earlier; a position belongs to the
 * first part that has it, so that sums over parts count it once.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_POSITIONS_H
#define HEDDLE_KITS_MATCH_RUN_POSITIONS_H
#include "kits/match/run/job.h"

/* Axes padded to three in front. */
typedef struct hed__positions {
  int64_t first[3], n[3]; /* of the part's positions, counted from its beginning: first <= q < n */
  int64_t begin[3];       /* of the part in the target   */
  int64_t target[3], half[3], fast[3];
} hed__positions;

hed__positions hed__positions_of(const hed__job *job);

/* Flat index of position (z, y, 0) of the part in the target. */
static inline size_t hed__in_target(const hed__positions *p, int64_t z, int64_t y)
{
  return (size_t)(((p->begin[0] + z) * p->target[1] + p->begin[1] + y) * p->target[2] + p->begin[2]);
}

static inline int64_t hed__negated(const hed__positions *p, int axis, int64_t q)
{
  const int64_t at = (p->half[axis] - q) % p->fast[axis];
  return at < 0 ? at + p->fast[axis] : at;
}

/* Flat index of row (z, y) at its negated place; elements of it are at hed__negated(p, 2, x). */
static inline size_t hed__in_transform(const hed__positions *p, int64_t z, int64_t y)
{
  return (size_t)((hed__negated(p, 0, z) * p->fast[1] + hed__negated(p, 1, y)) * p->fast[2]);
}

#endif
