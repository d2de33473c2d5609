// SPDX-License-Identifier: BSD-3-Clause
/*
 * statistics.h: what all scores of a search look like, not only the best ones.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_ANALYZE_STATISTICS_H
#define HEDDLE_KITS_MATCH_ANALYZE_STATISTICS_H
#include "kits/match/run/job.h"

enum { HED__STATISTICS_BLOCK = 8 }; /* voxels along each axis */

/* Sums over positions and rotations, a set per block of the target. */
struct hed__statistics {
  int64_t grid[3];  /* blocks along each axis, padded to three in front */
  size_t blocks;
  double *count, *sum, *squares; /* one block of memory: count owns it */
  float lowest;
};

hed_status hed__statistics_open(hed__statistics *s, hed_shape target);
void hed__statistics_close(hed__statistics *s);
/* Adds the scores of one rotation, float32 in host memory at negated positions, those of flat windows left out. */
void hed__statistics_add(hed__statistics *s, const hed__job *job, const float *scores);
/* Adds FROM to S, and makes FROM empty. */
void hed__statistics_merge(hed__statistics *s, hed__statistics *from);
/* Rotations of N whose scores are looked at: number 0 and every hed__statistics_stride(N)-th after it. */
size_t hed__statistics_stride(size_t n_rotations);
/* Moments of the scores into OUT, N_ROTATIONS of which every stride-th was looked at. ALLOWED of them count; 0: all. */
hed_status hed__statistics_give(const hed__statistics *s, size_t n_rotations, size_t allowed,
                                double n_false_positives, hed_match_result *out);

#endif
