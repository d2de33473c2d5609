// SPDX-License-Identifier: BSD-3-Clause
/* How far a run has come, in memory and in a file.
 *
 * Layer: L4, match kit, internal. The file: 4096 bytes of text ("heddle-match 2", then lines KEY = VALUE, filled up with
 * zeros), a bit per part and rotation that is done, scores and rotations of the target's shape (float32, int32; of the part that
 * was worked on as they come from the workers, without factor and offset), the statistics' sums, and a checksum of it all.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_CHECKPOINT_H
#define HEDDLE_KITS_MATCH_RUN_CHECKPOINT_H
#include "kits/match/analyze/statistics.h"

/* 128 bits of what a run depends on (FNV-1a, from two starts). */
typedef struct hed__digest { uint64_t a, b; } hed__digest;
void hed__digest_add(hed__digest *d, const void *bytes, size_t n);

/* What a resumed run must have in common with the one that was interrupted, in the order in which differences are named. */
enum {
  HED__SAME_TARGET, HED__SAME_TEMPLATE, HED__SAME_MASK, HED__SAME_TARGET_MASK, HED__SAME_FILTERS, HED__SAME_ROTATIONS, HED__SAME_SEEDS,
  HED__SAME
};

struct hed__record {
  hed_shape target, parts;
  size_t n_parts, n_rotations, share, shares;
  size_t part;            /* the first that is not in its final form: with factor and offset */
  size_t allowed;         /* scores that seeds leave; 0: all                                 */
  bool ended;             /* the run that wrote it                                           */
  double threshold, n_false_positives;
  double flat;            /* deviation that counts as none, and how many windows do; of a target in parts 0 */
  size_t n_flat;
  char options[400];
  hed__digest digest[HED__SAME];
  uint8_t *done;          /* a bit per part and rotation, from calloc(); NULL: no checkpoints are wanted */
  uint8_t *others;        /* the same of other processes; NULL: there are none */
  float *scores;          /* of the target's shape; the run's own, or from malloc() when OWNED            */
  int32_t *rotations;
  bool owned;
  hed__statistics statistics;
};

hed_status hed__record_open(hed__record *r); /* extents and numbers set: room for DONE */
void hed__record_close(hed__record *r);

static inline size_t hed__bitmap_bytes(const hed__record *r)
{
  return (r->n_parts * r->n_rotations + 7) / 8;
}

static inline bool hed__bit(const uint8_t *bits, const hed__record *r, size_t part, size_t rotation)
{
  const size_t i = part * r->n_rotations + rotation;
  return bits && bits[i / 8] >> i % 8 & 1;
}

static inline bool hed__is_done(const hed__record *r, size_t part, size_t rotation)
{
  return hed__bit(r->done, r, part, rotation);
}

/* By others, too. */
static inline bool hed__is_settled(const hed__record *r, size_t part, size_t rotation)
{
  return hed__is_done(r, part, rotation) || hed__bit(r->others, r, part, rotation);
}

static inline void hed__set_done(hed__record *r, size_t part, size_t rotation)
{
  const size_t i = part * r->n_rotations + rotation;
  r->done[i / 8] |= (uint8_t)(1 << i % 8);
}

/* Is it this share's? */
static inline bool hed__is_mine(const hed__record *r, size_t rotation)
{
  return r->shares < 2 || rotation % r->shares == r->share;
}

hed_status hed__record_write(const char *path, const hed__record *r);
/* All that the file has, owned; a hostile one is refused. */
hed_status hed__record_read(const char *path, hed__record *r);
/* HED_OK, or a sentence that names the first thing in which FROM differs from R; shares may, when ANY_SHARE. */
hed_status hed__record_same(const char *path, const hed__record *from, const hed__record *r, bool any_share);

/* Between the target's shape and a part's maximum at negated places, of the part's own positions. */
void hed__raw_keep(hed__record *r, const hed__job *job, const float *best, const int32_t *index);
void hed__raw_give(const hed__record *r, const hed__job *job, float *best, int32_t *index);

#endif
