// SPDX-License-Identifier: BSD-3-Clause
/* A target divided into parts that are matched one after the other.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_PARTS_H
#define HEDDLE_KITS_MATCH_RUN_PARTS_H
#include "kits/match/run/job.h"

typedef struct hed__parts {
  hed_shape count;  /* of parts along each axis                  */
  int64_t size[3];  /* positions of a part                       */
  int64_t low[3], span[3]; /* positions that are searched: the first, how many */
  size_t memory;    /* what a run needs at its largest, in bytes */
} hed__parts;

/* As few parts of the positions between the corners BOX, [begin, end) per axis, as fit into LIMIT bytes (0: one), but AT_LEAST so
 * many along each. HED_E_LIMIT: none are small enough; HED_E_INVAL: an axis has less positions. */
hed_status hed__parts_choose(const char *op, const hed__job *all, const int64_t box[3][2], const int64_t at_least[3], size_t limit,
                             hed__parts *p);
/* Whether a part is less than the target. */
bool hed__parts_cut(const hed__job *all, const hed__parts *p);
/* The positions of all parts. */
double hed__parts_positions(const hed__job *all, const hed__parts *p);

/* Number of parts that cover the target's positions. */
int64_t hed__parts_in(const hed__job *all, const hed__parts *p);

/* ALL with the extents of a part; where part K begins. */
hed_status hed__part_job(const hed__job *all, const hed__parts *p, hed__job *part);
void hed__part_begin(const hed__job *all, const hed__parts *p, int64_t k, hed__job *part);
/* Whether parts have filters of their own; the filter of PART, the caller's then: that of all where they have not. */
bool hed__sub_volumes(const hed_match_options *o);
hed_status hed__part_filter(const hed__parts *p, const hed_match_options *o, hed__job *part);
/* Target of PART, from ALL's VALUES (float32, C order), with W's mean and deviation taken out; the caller's. */
hed_array *hed__part_of(const hed__job *all, const hed__job *part, const float *values, const hed__whole *w);

/* Mean and deviation of N values. */
hed_status hed__whole_standard(const char *op, const float *values, size_t n, hed__whole *w);

#endif
