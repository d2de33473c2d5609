// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family fft: complex x[a, r, c] along r, dense, an axis at a time; items are counted over the result or the butterflies,
 * c fastest. Numbers as bits. L1. */
#ifndef HED_DEVICE_ARGS_FFT_H
#define HED_DEVICE_ARGS_FFT_H

#include "args.h"

typedef struct hed__fft_args {
  i64 items;
  i64 n, inner;          /* elements along r of the transform, and along c */
  i64 ns, factor;        /* butterflies: length of what is transformed already; fft_prime: the factor */
  i64 step;              /* of the table between n-th roots of unity */
  i64 other;             /* elements along r of the other operand or of the result, where they differ */
  u64 narrow, inverse;   /* items have 31 bits; exponents are positive */
  u64 scale;
} hed__fft_args;

#endif
