// SPDX-License-Identifier: BSD-3-Clause
/* What the callers of peaks share.
 *
 * Layer: L4, match kit, internal. A caller names candidates (candidates.c), of which peaks.c takes the best, then the next best
 * that the options allow beside it, and so on.
 */
#ifndef HEDDLE_KITS_MATCH_ANALYZE_PEAKS_H
#define HEDDLE_KITS_MATCH_ANALYZE_PEAKS_H
#include <heddle/kits/match.h>

/* Score and rotation of every voxel on the host. */
typedef struct hed__peak_view {
  int ndim;
  int64_t d[3]; /* z is 1 for images */
  float *score, *allowed; /* allowed NULL: everywhere */
  int32_t *rotation;
} hed__peak_view;

typedef struct hed__candidate {
  float score;
  int64_t at; /* flat index: the order of equals */
} hed__candidate;

/* Voxels that may be peaks, in any order, from malloc(). SCORES: the view's, as an array. */
hed_status hed__peak_candidates(const char *op, const hed__peak_view *v, const hed_array *scores,
                                const hed_match_peak_options *opt, double distance, hed__candidate **out, size_t *n);

static inline void hed__place_of(const int64_t d[3], int64_t at, int64_t p[3])
{
  p[2] = at % d[2];
  p[1] = at / d[2] % d[1];
  p[0] = at / d[2] / d[1];
}

/* Square of the distance of two places. */
double hed__apart(const int64_t d[3], const int64_t a[3], const int64_t b[3], bool wraps);

/* Numbered places (0, 1, ..), found again by where they are, so that many peaks cost no more than each its neighbours. */
typedef struct hed__cells {
  int64_t n[3], edge; /* cells along each axis, voxels of one; the last ones are larger */
  bool wraps;
  size_t *head, *next, room; /* of each cell and place the next one's number + 1; 0: no more */
} hed__cells;
hed_status hed__cells_open(const char *op, hed__cells *c, const int64_t d[3], double reach, bool wraps);
void hed__cells_close(hed__cells *c);
hed_status hed__cells_add(const char *op, hed__cells *c, const int64_t p[3], size_t number);
/* SEE for all that lie within the reach of P and some more, until it returns false; whether it never did. */
bool hed__cells_near(const hed__cells *c, const int64_t p[3], bool (*see)(void *arg, size_t number), void *arg);

#endif
