// SPDX-License-Identifier: BSD-3-Clause
/* In which order einsum contracts its operands, and a cache of such orders. L3.
 *
 * A problem is sets of labels with extents. A step takes two terms of the list away and appends their product, so a plan
 * is a list of pairs of positions. For few terms it is the best one, found over subsets; for more the pair whose product
 * adds least is taken each time. (D. G. A. Smith, J. Gray, "opt_einsum", J. Open Source Software 3(26), 2018, describes
 * both.) Cost is multiplications and additions; products above the memory limit come last.
 */
#ifndef HED_COMPOSITE_EINSUM_PATH_H
#define HED_COMPOSITE_EINSUM_PATH_H

#include "composite/einsum_parse.h"

typedef struct hed__labels { uint64_t bits[2]; } hed__labels;

typedef struct hed__einsum_problem { /* compared as bytes: clear it before filling in */
  int32_t n, dtype, order;             /* order: hed_einsum_order */
  uint64_t memory;                     /* bytes of an intermediate, 0 = no limit */
  hed__labels term[HED__EINSUM_OPERANDS], out;
  int64_t extent[HED__EINSUM_LABELS];
} hed__einsum_problem;

typedef struct hed__einsum_plan {
  int32_t steps;
  bool optimal;
  uint8_t left[HED__EINSUM_OPERANDS], right[HED__EINSUM_OPERANDS]; /* left < right */
  double flops, naive, largest;        /* largest: elements of the largest intermediate */
} hed__einsum_plan;

static inline bool hed__labels_has(const hed__labels *s, int label) { return s->bits[label / 64] >> (label % 64) & 1u; }
static inline void hed__labels_add(hed__labels *s, int label) { s->bits[label / 64] |= (uint64_t)1 << (label % 64); }

/* The plan of P, from the cache when it is there; made once however many threads ask. Never fails. */
void hed__einsum_plan_get(const hed__einsum_problem *p, hed__einsum_plan *out);

/* The same without the cache. */
void hed__einsum_plan_make(const hed__einsum_problem *p, hed__einsum_plan *out);

enum { HED__EINSUM_PLANS = 128 };

#endif
