// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of families gather, scatter and compact. L1. */
#ifndef HED_DEVICE_ARGS_GATHER_H
#define HED_DEVICE_ARGS_GATHER_H

#include "args.h"

/* Results have axes x (items), y and z (groups): out[i, j, k] = x[i, j, k, index[i, j, k]], where strides are 0 as needed: of
 * TAKE the index depends on one axis, and x does not on that one; of TAKE_ALONG_AXIS the index depends on all. Indices are counted
 * from the end where negative, and checked against EXTENT; CODE as in checks.h. */
typedef struct hed__gather_args {
  i64 n[3];
  i64 to[3], from[3], index[3]; /* strides */
  i64 step;                     /* of x, from an index to the next */
  i64 extent, code;
} hed__gather_args;

/* N places, of EXTENT there are; each has BLOCK_ elements side by side, in values (n, block) and in the result (extent, block). */
typedef struct hed__scatter_args {
  i64 n, extent, block, code;
} hed__scatter_args;

/* Elements that an item of find_true looks at. */
#define HED__COMPACT_EACH 16

/* N elements in C order, EACH of them by an item; or N positions that become coordinates of a shape, outermost axis first. */
typedef struct hed__compact_args {
  i64 n, each, found;
} hed__compact_args;
typedef struct hed__coordinates_args {
  i64 n, ndim;
  i64 to[2];      /* strides of the result (n, ndim) */
  i64 dim[16];
} hed__coordinates_args;

#endif
