// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family match. L1.
 *
 * A step of BATCH templates: each is put into a corner of zeros (match_pad), transformed, multiplied by one spectrum or two
 * (match_multiply), transformed back, not scaled, and scored into the running maximum (match_score), lower indices first. */
#ifndef HED_DEVICE_ARGS_MATCH_H
#define HED_DEVICE_ARGS_MATCH_H

#include "args.h"

typedef struct hed__pad_args {   /* up to three axes, outermost first, extents 1 where there are none; in C order */
  i64 batch, n[3], small[3];
} hed__pad_args;

typedef struct hed__multiply_args {
  i64 batch, n;                  /* numbers of each spectrum */
  u64 two;                       /* results by both spectra */
} hed__multiply_args;

typedef struct hed__score_args {
  i64 batch, n;                  /* numbers of each volume */
  i64 index;                     /* of the first of the batch, where INDICES is 0 */
  u64 indices;                   /* 1: int32 array with an index for each */
  u64 n_obs, eps, normalise;     /* n_obs and eps as bits */
  u64 counts;                    /* 1: n_obs is an array of the compute type, one for each */
} hed__score_args;

#endif
