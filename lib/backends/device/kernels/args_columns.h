// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family columns: Fourier transforms along r of x[a, r, c], in local memory. L1.
 *
 * A program is for one length (#define HED_LENGTH, a product of powers of 2, 3, 5 and 7) and a number of neighbouring columns that a
 * group does (#define HED_COLUMNS); twice length times columns numbers fit into local memory. Group x counts groups of columns, y is
 * a. FACTOR: what the length is a product of, each 2, 3, 4, 5 or 7. The table has exp(-2 pi i k / length). Rows of the operand from
 * ROWS on count as 0 and are not read. */
#ifndef HED_DEVICE_ARGS_COLUMNS_H
#define HED_DEVICE_ARGS_COLUMNS_H

#include "args.h"

typedef struct hed__columns_args {
  i64 columns, rows;
  i64 from[3], to[3];    /* strides along a, r, c */
  i64 spectrum[2];       /* columns_multiply: strides of spectra along r, c; results differ by OTHER elements */
  i64 other, inverse;    /* OTHER 0: one spectrum; INVERSE 1: columns_transform goes back, not scaled */
  i64 factors, factor[10];
} hed__columns_args;

#endif
