// SPDX-License-Identifier: BSD-3-Clause
/* One search, between what is given (inputs.c) and its result (result.c).
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_SEARCH_H
#define HEDDLE_KITS_MATCH_RUN_SEARCH_H
#include "kits/match/run/checkpoint.h"
#include "kits/match/run/parts.h"
#include "kits/match/run/seeds.h"

/* Templates of one shape and mask, and what all parts and templates have in common. */
typedef struct hed__matching {
  hed__job *all;             /* the target undivided */
  hed__worker_list *list;
  const hed_match_options *opt;
  hed_context *setup;
  int setup_worker;          /* whose context that is                  */
  bool begun;                /* rotations were                         */
  size_t n;                  /* templates, of a batch; 1 otherwise */
  hed_array *f, **g, *m;     /* finite float32; f NULL where there are parts, and after it was used */
  hed_array *values;         /* the target of parts, in host memory */
  hed_array **scores, **rotations; /* results, in host memory */
  hed_array *valid;          /* the target mask in host memory, where it takes voxels out of windows; NULL: 1 */
  uint8_t *known;            /* of the target, 0 where it is padding; NULL: nowhere */
  uint8_t *scored;           /* of the target, 0 where nothing is scored; NULL: all are */
  hed__seeds seeds;
  hed__record *record;       /* how far it has come, of each template */
  hed__parts parts;
  hed__whole whole;
  bool keep;                 /* the checkpoint stays when all is done */
  int phase;                 /* 1: of the background                  */
  hed_match_result *out;     /* of each template */
} hed__matching;

/* inputs.c: what is given, checked and brought to the current context, in its scope. The mask of the target first, as it says what
 * has to be searched. */
hed_status hed__take_target_mask(hed__matching *w);
hed_status hed__take_inputs(hed__matching *w, const hed_array *target, const hed_array *const *tmpl, const hed_array *mask);
/* The target's mask of a part, in the current space; beyond the target's faces it is 0. NULL: 1 everywhere. */
hed_status hed__take_valid(const hed__matching *w, const hed__job *part, hed_array **valid);

#endif
