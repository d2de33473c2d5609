// SPDX-License-Identifier: BSD-3-Clause
/* One rotation of a worker, and who looks at its scores.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_LOOKS_H
#define HEDDLE_KITS_MATCH_RUN_LOOKS_H
#include "kits/match/analyze/statistics.h"

/* What a worker's rotations leave besides the maximum. */
typedef struct hed__looks {
  const hed_match_analyzer *analyzer; /* NULL: none */
  void *state;                        /* of the analyzer */
  hed__statistics sums;
  size_t stride;                      /* of the rotations that statistics are of */
} hed__looks;

hed_status hed__looks_open(hed__looks *l, const hed__job *job, const hed_match_analyzer *analyzer);
void hed__looks_close(hed__looks *l);

/* Rotation I into W's maximum, and its scores into L where they are looked at. */
hed_status hed__rotate(const hed__job *job, hed__buffers *w, hed__looks *l, size_t i);

#endif
