// SPDX-License-Identifier: BSD-3-Clause
/* What a search is given as its rotations meet it.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_PREPARED_H
#define HEDDLE_KITS_MATCH_RUN_PREPARED_H
#include "kits/match/run/search.h"

/* All zero is none. */
typedef struct hed__prepared {
  hed_array *f;            /* the target, clipped and filtered, float32, in the space of the context it was made in */
  float *values;           /* the same less its mean over its deviation, in host memory */
  uint8_t *scored;         /* 0 where nothing is scored; NULL: all are */
  hed_array *g, *m;        /* template, its contrast turned where the target's is, and mask */
  hed_array *turning;      /* what is turned of the template: for cubic splines coefficients */
  hed_array *filter;       /* of the turned template, over its half spectrum; NULL: none */
  hed_shape fast;          /* extents that a search would transform */
  uint64_t n_clipped;
} hed__prepared;

/* In the caller's context; one template, the target undivided. */
hed_status hed__prepare(const char *op, const hed_match_options *opt, const hed__given *in, hed__prepared *out);
void hed__prepared_clear(hed__prepared *p);

#endif
