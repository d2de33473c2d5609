// SPDX-License-Identifier: BSD-3-Clause
/* What all scores of a search look like, not only the best ones.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_ANALYZE_STATISTICS_H
#define HEDDLE_KITS_MATCH_ANALYZE_STATISTICS_H
#include "kits/match/run/job.h"

enum { HED__STATISTICS_BLOCK = 8, /* voxels along each axis */
       HED__SUMS = 5 };           /* of powers 0 to 4 of the scores */

/* Sums over positions and rotations, a set per block of the target. */
struct hed__statistics {
  int64_t grid[3];  /* blocks along each axis, padded to three in front */
  size_t blocks;
  double *sums;     /* HED__SUMS of each block */
  float lowest, unit; /* least score; what sums in single precision are of, 0: not chosen yet */
};

hed_status hed__statistics_open(hed__statistics *s, hed_shape target);
void hed__statistics_close(hed__statistics *s);
/* Adds the scores of one rotation, float32 in host memory at negated positions, those of flat windows left out. */
void hed__statistics_add(hed__statistics *s, const hed__job *job, const float *scores);
/* Adds FROM to S, and makes FROM empty. */
void hed__statistics_merge(hed__statistics *s, hed__statistics *from);
void hed__statistics_reset(hed__statistics *s);
/* Of N_ROTATIONS number 0 and every so many-th after it are looked at: as many as give 2^24 scores, and 16 at least. */
size_t hed__statistics_stride(size_t n_rotations, hed_shape target);
/* Moments of the scores into OUT, of N_ROTATIONS of which every stride-th was looked at, and the cut-off that follows, from a NORMAL
 * distribution or one of their own tail. BEST: the best score everywhere. ALLOWED of them count; 0: all. */
hed_status hed__statistics_give(const hed__statistics *s, hed_shape target, const float *best, size_t n_rotations, size_t allowed,
                                double n_false_positives, bool normal, hed_match_result *out);

#endif
