// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of families window, median, spline and sample. L1. */
#ifndef HED_DEVICE_ARGS_WINDOW_H
#define HED_DEVICE_ARGS_WINDOW_H

#include "args.h"

/* Along one axis of three, x (items), y or z (groups): AXIS is 0, 1 or 2. BOUNDARY is one of the five of hed_boundary. */
typedef struct hed__line_args {
  i64 n[3];
  i64 from[3], to[3];   /* strides */
  i64 axis, boundary;
  i64 before, after;    /* boxes: elements on either side; correlate1d: taps in after */
  u64 value[2];         /* boxes: what is outside, as stored; correlate1d: value[0] as bits of a number */
  u64 divisor;          /* bits; 0: none */
} hed__line_args;

/* Boxes of edge SIZE over up to four axes, outermost first, of an array in C order; those that there are not have extent 1, and no
 * edge: EDGE is 1. On processors an item of median_filter does HED__MEDIAN_EACH results of a line along the last axis. */
#define HED__MEDIAN_EACH 16

typedef struct hed__box_args {
  i64 n[4], edge[4];
  i64 boundary;
  u64 value[2];         /* what is outside, as stored */
  u64 nan;              /* it is no number */
} hed__box_args;

/* out[k] = sum over j of b[j] a[k + start - j], up to three axes, outermost first, extents 1 where there are none; in C order. */
typedef struct hed__convolve_args {
  i64 n[3], a[3], b[3], start[3];
} hed__convolve_args;

/* Lines along r of float64 x[a, r, c], in C order and in place. */
typedef struct hed__spline_args {
  i64 n[3];
  i64 boundary;
} hed__spline_args;

/* Values of BATCH arrays of spatial extents FROM (the first NDIM, outermost first), in C order: affine_transform to the extents TO;
 * map_coordinates at POINTS points, coordinates float64 (ndim, points). Numbers as bits. */
typedef struct hed__sample_args {
  i64 batch, ndim, points;
  i64 from[3], to[3];
  i64 order, boundary;
  u64 cval;
  u64 matrix[3][4];     /* rows of [M | t] */
} hed__sample_args;

#endif
