// SPDX-License-Identifier: BSD-3-Clause
/* What ops.def says about each operation, as a table. L2. */
#ifndef HED_CORE_OP_ROWS_H
#define HED_CORE_OP_ROWS_H

#include <heddle/ops.h>

typedef enum hed__result {
  HED__RESULT_SAME, HED__RESULT_BOOL, HED__RESULT_REALPART, HED__RESULT_FLOAT, HED__RESULT_FLOAT_REALPART,
  HED__RESULT_INDEX, HED__RESULT_ACCUM, HED__RESULT_ARG
} hed__result;

typedef struct hed__op_row {
  const char *name, *family, *impl, *domain, *result_name, *args, *doc;
  int32_t results;
  hed__result result;
} hed__op_row;

extern const hed__op_row hed__op_rows[HED_OP_COUNT_];

#endif
