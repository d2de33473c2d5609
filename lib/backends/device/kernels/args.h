// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of kernels: one text for the host, which fills them in, and for the programs, which begin with it. L1.
 *
 * Fields are 64 bits wide, so that they lie alike for every compiler; floating-point numbers are there as bits (u64): a double's,
 * or on a device without float64 a float's in the low half. Strides are in elements. Programs define i64 and u64 before.
 */
#ifndef HED_DEVICE_ARGS_H
#define HED_DEVICE_ARGS_H

#ifndef HED_PROGRAM
#include <stdint.h>
typedef int64_t i64;
typedef uint64_t u64;
#endif

/* ---- map: results first, then operands; a result's number is 0, operand k's is k + 1 ---- */

/* SINGLE: bit k: operand k has one element, at its pointer; bit 8 + k: it has one element, whose storage bits are value[k] (its
 * pointer is another operand's or the result's, and is not followed); bit 16: all pointers are 16-byte aligned.
 * PARAM: what the row's parameters have, in the order of params.h. */
typedef struct hed__map_flat_args {
  i64 n;                /* elements; item i does elements PER_ITEM i to PER_ITEM i + PER_ITEM - 1 below n */
  u64 single;
  u64 value[3][2];
  u64 param[4];
} hed__map_flat_args;

/* Inner strides 1 (or SINGLE): x is the element of a row, y and z are the row. Item l of group g does elements
 * (g PER_ITEM + k) BLOCK + l for k below PER_ITEM. */
typedef struct hed__map_rows_args {
  i64 n[3];             /* extents of x, y, z */
  i64 stride[4][2];     /* of y and z, by number */
  u64 single;
  u64 value[3][2];
  u64 param[4];
} hed__map_rows_args;

/* Any strides: x, y are the two inner axes; z counts the two outer ones, of extents n[2] and n[3]. */
typedef struct hed__map_strided_args {
  i64 n[4];             /* innermost first; 1 where there is no such axis */
  i64 stride[4][4];     /* [number][axis], innermost first; 0 of a single element */
  u64 single;
  u64 value[3][2];
  u64 param[4];
} hed__map_strided_args;

#endif
