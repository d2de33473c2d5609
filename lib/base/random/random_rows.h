// SPDX-License-Identifier: BSD-3-Clause
/* The loops of RANDOM_CATEGORICAL, RANDOM_DIRICHLET and RANDOM_HAAR (see hed_random_rows_params), for host backends. L0;
 * rows are independent, so any split over threads gives the same bits.
 */
#ifndef HED_BASE_RANDOM_ROWS_H
#define HED_BASE_RANDOM_ROWS_H

#include <heddle/kernel.h>
#include <heddle/ops.h>

/* Rows (matrices) of a call, and doubles of work space that each thread needs; -1 on overflow. */
int64_t hed__random_row_count(const hed_call *call);
int64_t hed__random_row_work(const hed_call *call);

/* Rows [BEGIN, END). The number of a row whose weights or shapes cannot be used, else -1. */
int64_t hed__random_rows(const hed_call *call, int64_t begin, int64_t end, double *work);

static inline const char *hed__random_row_name(const hed_call *call)
{
  return call->op == HED_OP_RANDOM_HAAR        ? "random_haar"
         : call->op == HED_OP_RANDOM_DIRICHLET ? "random_dirichlet" : "random_categorical";
}

/* Sentence for such a row: the operation's name and the row. */
#define HED__RANDOM_ROW_FAULT "%s: row %lld is not usable: a value is NaN, infinite or negative, or none is above 0"

#endif
