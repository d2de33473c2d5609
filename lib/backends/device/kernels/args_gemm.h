// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family gemm: c[z] (m, n) = a[z] (m, k) b[z] (k, n), z the group's z, of any strides. L1.
 *
 * A group makes a tile of HED__GEMM_ROWS(block) rows and HED__GEMM_COLUMNS columns: x counts tiles of columns, y of rows. On
 * processors an item makes 4 rows and 16 columns: x counts groups of items along the columns, y fours of rows.
 */
#ifndef HED_DEVICE_ARGS_GEMM_H
#define HED_DEVICE_ARGS_GEMM_H

#include "args.h"

#define HED__GEMM_ROWS(block) ((block) / 16 * 4)
#define HED__GEMM_COLUMNS 64
#define HED__GEMM_ITEM_ROWS 4
#define HED__GEMM_ITEM_COLUMNS 16

typedef struct hed__gemm_args {
  i64 m, n, k;
  i64 a[3], b[3], c[3]; /* strides of the batch, of rows, of columns */
} hed__gemm_args;

#endif
