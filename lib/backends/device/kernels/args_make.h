// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family make beyond args.h. L1. */
#ifndef HED_DEVICE_ARGS_MAKE_H
#define HED_DEVICE_ARGS_MAKE_H

#include "args.h"

typedef struct hed__arange_args { /* as in params.h, numbers as bits, WHOLE 0 or 1; STRIDE of the result */
  i64 n, stride;
  u64 start, step, whole;
  i64 first, increment;
} hed__arange_args;

#endif
